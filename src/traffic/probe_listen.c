/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probe_listen.c - the far end of a probe: tells how requests arrive.
 *
 * An answer is never longer than its request, carries the request's cookie, and there
 * are few of them a second, whoever asks.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "rocetune/err.h"
#include "rocetune/frame.h"
#include "traffic/probe.h"
#include "traffic/probe_socket.h"
#include "wire/probe.h"

#define PACKET_BYTES 65536u
#define UDP_BYTES    8u
#define SECOND_NS    1000000000

/* Who asks, and how its request came. */
struct asker {
	union rt_sockaddr from;
	struct rt_came came;
};

struct listener {
	const struct rt_probe_listener_config *config;
	struct rt_probe_listened listened;
	int fd;
	bool ipv6;
	int64_t gap_ns, next_ns, burst_ns; /* the rate, as a leaky bucket */
	uint8_t buf[PACKET_BYTES];
};

static int open_socket(struct listener *listener, struct rt_err *err)
{
	static const struct rt_ip loopback = { .bytes = { 127, 0, 0, 1 },
					       .version = 4 };
	const struct rt_ip *ip = listener->config->bind.version
					 ? &listener->config->bind
					 : &loopback;
	char text[RT_IP_TEXT_BYTES];
	union rt_sockaddr at;
	const socklen_t bytes = rt_sockaddr_from(ip, listener->config->port, &at);
	const int on = 1;
	int r;

	listener->ipv6 = ip->version == 6;
	listener->fd = socket(at.any.sa_family,
			      SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (listener->fd < 0)
		return rt_err_sys(err, -errno, "cannot open a socket");
	r = rt_probe_socket_setup(listener->fd, listener->ipv6);
	if (r == 0 && listener->ipv6 &&
	    setsockopt(listener->fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)) < 0)
		r = -errno;
	if (r == 0 && bind(listener->fd, &at.any, bytes) < 0)
		r = -errno;
	if (r < 0)
		return rt_err_sys(err, r, "cannot listen at %s port %u",
				  rt_ip_format(ip, text), listener->config->port);
	return 0;
}

/* Whether one more may go now; a burst of a tenth of a second may. */
static bool is_within_rate(struct listener *listener)
{
	const int64_t now_ns = rt_clock_ns(CLOCK_MONOTONIC);

	if (listener->next_ns < now_ns - listener->burst_ns)
		listener->next_ns = now_ns - listener->burst_ns;
	if (listener->next_ns > now_ns)
		return false;
	listener->next_ns += listener->gap_ns;
	return true;
}

/* Back from the address it came to, with the marks it was sent with. */
static void send_answer(struct listener *listener, struct asker *asker, size_t bytes,
			unsigned tos)
{
	const struct rt_came *came = &asker->came;
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(struct in6_pktinfo))];
	} control = { 0 };
	struct iovec iov = { listener->buf, bytes };
	struct msghdr msg = { .msg_name = &asker->from,
			      .msg_namelen = listener->ipv6 ? sizeof(asker->from.v6)
							    : sizeof(asker->from.v4),
			      .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = &control };
	struct in6_pktinfo v6 = { 0 };
	struct in_pktinfo v4 = { 0 };

	if (came->to.version == 6) {
		memcpy(&v6.ipi6_addr, came->to.bytes, 16);
		control.head.cmsg_level = IPPROTO_IPV6;
		control.head.cmsg_type = IPV6_PKTINFO;
		control.head.cmsg_len = CMSG_LEN(sizeof(v6));
		memcpy(CMSG_DATA(&control.head), &v6, sizeof(v6));
	} else {
		memcpy(&v4.ipi_spec_dst, came->to.bytes, 4);
		control.head.cmsg_level = IPPROTO_IP;
		control.head.cmsg_type = IP_PKTINFO;
		control.head.cmsg_len = CMSG_LEN(sizeof(v4));
		memcpy(CMSG_DATA(&control.head), &v4, sizeof(v4));
	}
	msg.msg_controllen = came->to.version == 6 ? CMSG_SPACE(sizeof(v6))
						   : CMSG_SPACE(sizeof(v4));
	if (!came->to.version)
		msg.msg_controllen = 0;
	if (rt_probe_set_tos(listener->fd, listener->ipv6, tos) == 0 &&
	    sendmsg(listener->fd, &msg, 0) >= 0)
		listener->listened.answers++;
}

/*
 * Not to RoCE's port, whatever claims to have asked from there: on a host with an RDMA
 * NIC the NIC would take it.
 */
static bool may_answer(const struct asker *asker, const struct rt_probe_packet *packet)
{
	return packet->type == RT_PROBE_REQUEST &&
	       rt_sockaddr_port(&asker->from) != RT_ROCE_UDP_PORT;
}

static void answer(struct listener *listener, size_t bytes, struct asker *asker)
{
	const struct rt_came *came = &asker->came;
	struct rt_probe_packet packet;
	bool large;

	if (!rt_probe_read(listener->buf, bytes, &packet) ||
	    !may_answer(asker, &packet)) {
		listener->listened.others++;
		return;
	}
	listener->listened.requests++;
	if (!is_within_rate(listener)) {
		listener->listened.limited++;
		return;
	}
	large = packet.large_answer;
	packet.type = RT_PROBE_ANSWER;
	packet.tos_known = came->tos.known;
	packet.tos_came = (uint8_t)came->tos.value;
	packet.ttl_known = came->ttl.known;
	packet.ttl_came = (uint8_t)came->ttl.value;
	packet.bytes_came = (uint16_t)(bytes + UDP_BYTES + (listener->ipv6 ? 40 : 20));
	memset(listener->buf, 0, bytes);
	rt_probe_write(&packet, listener->buf);
	send_answer(listener, asker, large ? bytes : RT_PROBE_BYTES, packet.tos_sent);
}

static void take_one(struct listener *listener)
{
	struct asker asker;
	const ssize_t got = rt_probe_receive(listener->fd, listener->buf,
					     sizeof(listener->buf), &asker.from,
					     &asker.came);

	if (got >= 0)
		answer(listener, (size_t)got, &asker);
}

static int serve(struct listener *listener, struct rt_err *err)
{
	const struct rt_probe_listener_config *config = listener->config;
	struct pollfd fds[2] = { { .fd = listener->fd, .events = POLLIN },
				 { .fd = config->stop_fd, .events = POLLIN } };

	for (;;) {
		const int64_t left_ns = config->until_ns - rt_clock_ns(CLOCK_MONOTONIC);
		const int64_t ms = (left_ns + 999999) / 1000000;

		if (left_ns <= 0)
			return 0;
		if (poll(fds, 2, ms < 1000 ? (int)ms : 1000) < 0 && errno != EINTR)
			return rt_err_sys(err, -errno, "poll");
		if (config->stop_fd >= 0 && fds[1].revents)
			return 0;
		if (fds[0].revents)
			take_one(listener);
	}
}

int rt_probe_listen(const struct rt_probe_listener_config *config,
		    struct rt_probe_listened *ret_listened, struct rt_err *err)
{
	const uint32_t pps = config->pps ? config->pps : RT_PROBE_MAX_PPS;
	struct listener listener = { .config = config,
				     .fd = -1,
				     .gap_ns = SECOND_NS / pps,
				     .burst_ns = SECOND_NS / 10 };
	int r;

	if (config->port == RT_ROCE_UDP_PORT)
		return rt_err_set(err, -EINVAL, "UDP port %d is RoCE's: choose another",
				  RT_ROCE_UDP_PORT);
	r = open_socket(&listener, err);
	if (r == 0) {
		if (config->ready)
			config->ready(config->user);
		r = serve(&listener, err);
	}
	if (listener.fd >= 0)
		close(listener.fd);
	if (r == 0)
		*ret_listened = listener.listened;
	return r;
}
