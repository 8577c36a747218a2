/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * netlink.h - asking the kernel by netlink: one request, its answers, its end.
 *
 * Every request is read up to its end (the ACK, the error, or the end of the dump),
 * so that an ACK left over is never taken for the answer to the next request, which
 * is how `dcb` of iproute2 6.1 misses refusals.  What is in an answer is judged by
 * pure functions over its bytes; those of the back end's files are declared in
 * kern/replies.h.
 */
#ifndef RT_KERN_NETLINK_H
#define RT_KERN_NETLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nl_msg;
struct nl_sock;
struct nla_policy;
struct nlattr;
struct rt_err;

/* A socket that is opened at its first use; all zero is closed. */
struct rt_nl {
	struct nl_sock *sock;
	char *buf;
};

/* Bytes of one datagram from the kernel: its dumps use half of this at most. */
#define RT_NL_DATAGRAM_BYTES 65536u
#define RT_NL_EXTACK_BYTES   160u

/* include/linux/errno.h of the kernel: meant for its inside, but drivers leak it. */
#define RT_KERNEL_ENOTSUPP 524

/* What is done with the messages that answer one request. */
struct rt_nl_answer {
	uint16_t type; /* nlmsg_type that data messages must have */
	/* The bytes behind struct nlmsghdr, 4-byte aligned; NULL: none expected. */
	int (*take)(void *context, const void *payload, size_t bytes,
		    struct rt_err *err);
	/* The dump changed while it was read and starts anew: forget all. */
	void (*restart)(void *context);
	void *context;
};

/* The state of one request while its datagrams come in. */
struct rt_nl_walk {
	const struct rt_nl_answer *answer;
	uint32_t seq;
	bool finished, interrupted;
	int result; /* the kernel's, or take()'s, first negative errno */
	char extack[RT_NL_EXTACK_BYTES]; /* the kernel's own words; "" */
};

/*
 * Look at one datagram, 4-byte aligned.  What take() refused is in walk->result, and
 * the rest is still read.  -EPROTO: it is no netlink, or an answer of another type.
 */
int rt_nl_walk(struct rt_nl_walk *walk, const void *bytes, size_t count,
	       struct rt_err *err);

/*
 * Ask, and read to the end.  Takes msg (NULL: out of memory).  doing names it in
 * errors: "eth0: cannot read the DCB state".  Errors: the kernel's; -EPROTO;
 * -ETIMEDOUT after ten seconds of silence; -EAGAIN: a dump that never holds still.
 */
int rt_nl_ask(struct rt_nl *nl, int protocol, struct nl_msg *msg, const char *doing,
	      const struct rt_nl_answer *answer, struct rt_err *err);

/*
 * The id of a generic netlink family.  -EOPNOTSUPP: this kernel does not have it.
 */
int rt_nl_family(struct rt_nl *nl, const char *name, uint16_t *ret_id,
		 struct rt_err *err);

void rt_nl_close(struct rt_nl *nl);

/*
 * Attributes of a message or nest by type, 0 to max; those of higher types are left
 * out.  -EPROTO: cut off, or not as policy (min and max lengths; NULL) has it.
 */
int rt_nl_attrs(const void *bytes, size_t count, const struct nla_policy *policy,
		int max, struct nlattr **ret_attrs);
int rt_nl_nested(const struct nlattr *nest, const struct nla_policy *policy, int max,
		 struct nlattr **ret_attrs);

/* The text of an attribute, cut to fit; "" for NULL. */
void rt_nl_text(const struct nlattr *attr, char *buf, size_t capacity);

#endif
