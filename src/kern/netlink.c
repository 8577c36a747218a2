/* SPDX-License-Identifier: BSD-2-Clause */
/* netlink.c - sockets, acknowledgements, the kernel's words for errors. */
#include "kern/netlink.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "rocetune/err.h"

/* A dump that is disturbed this often is not going to end. */
#define DUMP_TRIES      5
#define SILENCE_SECONDS 10

/* --- attributes --------------------------------------------------------------------- */

/* libnl's readers change nothing, whatever their prototypes say. */
static struct nlattr *mutable_attr(const void *attr)
{
	return (struct nlattr *)(uintptr_t)attr;
}

int rt_nl_attrs(const void *bytes, size_t count, const struct nla_policy *policy,
		int max, struct nlattr **ret_attrs)
{
	if (count > RT_NL_DATAGRAM_BYTES)
		return -EPROTO;
	return nla_parse(ret_attrs, max, mutable_attr(bytes), (int)count, policy) < 0
		       ? -EPROTO
		       : 0;
}

int rt_nl_nested(const struct nlattr *nest, const struct nla_policy *policy, int max,
		 struct nlattr **ret_attrs)
{
	return rt_nl_attrs(nla_data(nest), (size_t)nla_len(nest), policy, max,
			   ret_attrs);
}

void rt_nl_text(const struct nlattr *attr, char *buf, size_t capacity)
{
	buf[0] = '\0';
	if (attr)
		nla_strlcpy(buf, attr, capacity);
}

/* --- one datagram --------------------------------------------------------------------- */

/* Behind the code: the request (or, capped, its header), then attributes. */
static void read_extack(struct rt_nl_walk *walk, const struct nlmsghdr *header,
			const char *payload, size_t bytes)
{
	struct nlattr *attrs[NLMSGERR_ATTR_MSG + 1];
	struct nlmsghdr request;
	size_t skip = sizeof(struct nlmsgerr);

	if (!(header->nlmsg_flags & NLM_F_ACK_TLVS) || bytes < skip)
		return;
	memcpy(&request, payload + sizeof(int), sizeof(request));
	if (!(header->nlmsg_flags & NLM_F_CAPPED) &&
	    request.nlmsg_len >= sizeof(request))
		skip += NLMSG_ALIGN((size_t)request.nlmsg_len) - sizeof(request);
	if (skip < bytes && rt_nl_attrs(payload + skip, bytes - skip, NULL,
					NLMSGERR_ATTR_MSG, attrs) == 0)
		rt_nl_text(attrs[NLMSGERR_ATTR_MSG], walk->extack,
			   sizeof(walk->extack));
}

/* NLMSG_ERROR and NLMSG_DONE both begin with an errno; old kernels' DONE may not. */
static int read_end(struct rt_nl_walk *walk, const struct nlmsghdr *header,
		    const char *payload, size_t bytes, struct rt_err *err)
{
	int code = 0;

	if (bytes >= sizeof(code))
		memcpy(&code, payload, sizeof(code));
	else if (header->nlmsg_type == NLMSG_ERROR)
		return rt_err_set(err, -EPROTO, "a cut off answer of the kernel");
	if (header->nlmsg_type == NLMSG_ERROR)
		read_extack(walk, header, payload, bytes);
	walk->finished = true;
	if (code > 0 || code < -4095)
		return rt_err_set(err, -EPROTO, "the kernel's error code %d is none",
				  code);
	if (walk->result == 0)
		walk->result = code == -RT_KERNEL_ENOTSUPP ? -EOPNOTSUPP : code;
	return 0;
}

static int read_message(struct rt_nl_walk *walk, const struct nlmsghdr *header,
			const char *payload, size_t bytes, struct rt_err *err)
{
	const struct rt_nl_answer *answer = walk->answer;

	/* Notifications and answers to others have other numbers. */
	if (header->nlmsg_seq != walk->seq || walk->finished)
		return 0;
	if (header->nlmsg_flags & NLM_F_DUMP_INTR)
		walk->interrupted = true;
	switch (header->nlmsg_type) {
	case NLMSG_NOOP: return 0;
	case NLMSG_OVERRUN: return rt_err_set(err, -EPROTO, "netlink messages lost");
	case NLMSG_ERROR:
	case NLMSG_DONE: return read_end(walk, header, payload, bytes, err);
	}
	if (!answer->take || header->nlmsg_type != answer->type)
		return rt_err_set(err, -EPROTO, "an answer of type %u where %u was due",
				  header->nlmsg_type, answer->type);
	if (walk->result == 0 && !walk->interrupted)
		walk->result = answer->take(answer->context, payload, bytes, err);
	return 0;
}

int rt_nl_walk(struct rt_nl_walk *walk, const void *bytes, size_t count,
	       struct rt_err *err)
{
	const char *at = bytes;
	struct nlmsghdr header;

	while (count >= sizeof(header)) {
		size_t step;
		int r;

		memcpy(&header, at, sizeof(header));
		if (header.nlmsg_len < sizeof(header) || header.nlmsg_len > count)
			break;
		r = read_message(walk, &header, at + sizeof(header),
				 header.nlmsg_len - sizeof(header), err);
		if (r < 0)
			return r;
		step = NLMSG_ALIGN((size_t)header.nlmsg_len);
		if (step > count)
			step = count;
		at += step;
		count -= step;
	}
	if (count > 0)
		return rt_err_set(err, -EPROTO, "a cut off netlink message");
	return 0;
}

/* --- the socket ------------------------------------------------------------------------- */

static int open_socket(struct rt_nl *nl, int protocol)
{
	const struct timeval silence = { .tv_sec = SILENCE_SECONDS };
	const int on = 1;
	int fd;

	nl->sock = nl_socket_alloc();
	nl->buf = malloc(RT_NL_DATAGRAM_BYTES);
	if (!nl->sock || !nl->buf)
		return -ENOMEM;
	if (nl_connect(nl->sock, protocol) < 0)
		return errno ? -errno : -EPROTONOSUPPORT;
	fd = nl_socket_get_fd(nl->sock);
	/* Kernels before 4.12 have no such words; then errno has to do. */
	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &silence, sizeof(silence)) < 0)
		return -errno;
	return 0;
}

static int ensure_open(struct rt_nl *nl, int protocol)
{
	int r;

	if (nl->sock)
		return 0;
	errno = 0;
	r = open_socket(nl, protocol);
	if (r < 0)
		rt_nl_close(nl);
	return r;
}

void rt_nl_close(struct rt_nl *nl)
{
	nl_socket_free(nl->sock);
	free(nl->buf);
	*nl = (struct rt_nl){ 0 };
}

/* One datagram of the kernel's into nl->buf. */
static ssize_t receive(struct rt_nl *nl)
{
	struct sockaddr_nl from = { 0 };
	struct iovec iov = { nl->buf, RT_NL_DATAGRAM_BYTES };
	struct msghdr msg = { .msg_name = &from,
			      .msg_namelen = sizeof(from),
			      .msg_iov = &iov,
			      .msg_iovlen = 1 };
	ssize_t got;

	do
		got = recvmsg(nl_socket_get_fd(nl->sock), &msg, 0);
	while ((got < 0 && errno == EINTR) || (got >= 0 && from.nl_pid != 0));
	if (got < 0)
		return errno == EAGAIN ? -ETIMEDOUT : -errno;
	return msg.msg_flags & MSG_TRUNC ? -EMSGSIZE : got;
}

/* One try: what the kernel said is in walk, what went wrong on the way is returned. */
static int ask_once(struct rt_nl *nl, struct nl_msg *msg, struct rt_nl_walk *walk,
		    struct rt_err *err)
{
	struct nlmsghdr *header = nlmsg_hdr(msg);
	int r;

	header->nlmsg_seq = NL_AUTO_SEQ;
	errno = 0;
	if (nl_send_auto(nl->sock, msg) < 0)
		return rt_err_sys(err, errno ? -errno : -EIO, "cannot ask the kernel");
	walk->seq = header->nlmsg_seq;
	while (!walk->finished) {
		const ssize_t got = receive(nl);

		if (got < 0)
			return rt_err_sys(err, (int)got, "no answer of the kernel");
		r = rt_nl_walk(walk, nl->buf, (size_t)got, err);
		if (r < 0)
			return r;
	}
	return 0;
}

static int ask_until_whole(struct rt_nl *nl, struct nl_msg *msg,
			   struct rt_nl_walk *walk, struct rt_err *err)
{
	const struct rt_nl_answer *answer = walk->answer;

	for (unsigned i = 0; i < DUMP_TRIES; i++) {
		int r;

		*walk = (struct rt_nl_walk){ .answer = answer };
		if (answer->restart)
			answer->restart(answer->context);
		r = ask_once(nl, msg, walk, err);
		if (r < 0) {
			/* Answers may still come: the next request gets a new socket. */
			rt_nl_close(nl);
			return r;
		}
		if (!walk->interrupted)
			return 0;
	}
	return rt_err_sys(err, -EAGAIN, "the kernel's list changed while it was read");
}

int rt_nl_ask(struct rt_nl *nl, int protocol, struct nl_msg *msg, const char *doing,
	      const struct rt_nl_answer *answer, struct rt_err *err)
{
	struct rt_nl_walk walk = { .answer = answer };
	struct rt_err why = { 0 };
	int r = msg ? ensure_open(nl, protocol) : -ENOMEM;

	if (r < 0)
		rt_err_sys(&why, r, "no netlink");
	else
		r = ask_until_whole(nl, msg, &walk, &why);
	nlmsg_free(msg);
	if (r < 0)
		return rt_err_set(err, r, "%s: %s", doing, why.msg);
	if (walk.result < 0 && why.code) /* take() said what it is */
		return rt_err_set(err, walk.result, "%s: %s", doing, why.msg);
	if (walk.result < 0 && *walk.extack)
		return rt_err_sys(err, walk.result, "%s: %s", doing, walk.extack);
	if (walk.result < 0)
		return rt_err_sys(err, walk.result, "%s", doing);
	return 0;
}

/* --- families ------------------------------------------------------------------------------ */

static int take_family(void *context, const void *payload, size_t bytes,
		       struct rt_err *err)
{
	static const struct nla_policy policy[CTRL_ATTR_MAX + 1] = {
		[CTRL_ATTR_FAMILY_ID] = { .type = NLA_U16 },
	};
	struct nlattr *attrs[CTRL_ATTR_MAX + 1];
	uint16_t *ret_id = context;

	if (bytes < GENL_HDRLEN ||
	    rt_nl_attrs((const char *)payload + GENL_HDRLEN, bytes - GENL_HDRLEN,
			policy, CTRL_ATTR_MAX, attrs) < 0 ||
	    !attrs[CTRL_ATTR_FAMILY_ID])
		return rt_err_set(err, -EPROTO, "an answer without family id");
	*ret_id = nla_get_u16(attrs[CTRL_ATTR_FAMILY_ID]);
	return 0;
}

int rt_nl_family(struct rt_nl *nl, const char *name, uint16_t *ret_id,
		 struct rt_err *err)
{
	uint16_t id = 0;
	const struct rt_nl_answer answer = { .type = GENL_ID_CTRL,
					     .take = take_family,
					     .context = &id };
	struct nl_msg *msg = nlmsg_alloc();
	int r;

	if (msg && (!genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, GENL_ID_CTRL, 0, 0,
				 CTRL_CMD_GETFAMILY, 1) ||
		    nla_put_string(msg, CTRL_ATTR_FAMILY_NAME, name) < 0)) {
		nlmsg_free(msg);
		msg = NULL;
	}
	r = rt_nl_ask(nl, NETLINK_GENERIC, msg, name, &answer, err);
	if (r == -ENOENT || r == -EPROTONOSUPPORT)
		return rt_err_set(err, -EOPNOTSUPP, "this kernel has no %s netlink",
				  name);
	if (r < 0)
		return r;
	if (id == 0)
		return rt_err_set(err, -EPROTO, "%s: no answer", name);
	*ret_id = id;
	return 0;
}
