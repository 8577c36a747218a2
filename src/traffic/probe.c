/* SPDX-License-Identifier: BSD-2-Clause */
/* probe.c - sending one packet and seeing what comes of it. */
#include "traffic/probe.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/text.h"
#include "rocetune/err.h"
#include "traffic/probe_socket.h"
#include "traffic/probe_state.h"
#include "wire/probe.h"

/* Where traceroute begins, too: nobody listens there. */
#define CLOSED_PORT  33434u
#define CLOSED_PORTS 512u

const struct rt_name rt_probe_event_names[] = {
	{ "silence", RT_PROBE_SILENCE, "nothing came back" },
	{ "answered", RT_PROBE_ANSWERED, "the listener answered" },
	{ "port_closed", RT_PROBE_PORT_CLOSED,
	  "the host says that its port is closed: it arrived" },
	{ "ttl_ended", RT_PROBE_TTL_ENDED, "a router quoted it" },
	{ "too_big", RT_PROBE_TOO_BIG, "too large for a link of the path" },
	{ "too_big_here", RT_PROBE_TOO_BIG_HERE, "too large for our own interface" },
	{ "unreachable", RT_PROBE_UNREACHABLE, "refused on the way" },
	{ 0 },
};

/* Until what comes is about this packet, or time is up. */
static int wait_reply(struct rt_prober *prober, const struct rt_probe_flight *flight,
		      int stop_fd, struct rt_probe_reply *reply, struct rt_err *err)
{
	struct pollfd fds[3] = { { .fd = prober->fd, .events = POLLIN },
				 { .fd = prober->icmp_fd, .events = POLLIN },
				 { .fd = stop_fd, .events = POLLIN } };

	for (;;) {
		const int64_t left_ns = flight->until_ns - rt_clock_ns(CLOCK_MONOTONIC);
		const int ms = left_ns > 0 ? (int)((left_ns + 999999) / 1000000) : 0;
		bool done = false;

		if (poll(fds, 3, ms) < 0 && errno != EINTR)
			return rt_err_sys(err, -errno, "poll");
		if (stop_fd >= 0 && fds[2].revents)
			return rt_err_set(err, -EINTR, "stopped");
		if (fds[1].revents & POLLIN)
			done = rt_prober_read_icmp(prober, flight, reply);
		if (!done && fds[0].revents & POLLERR)
			done = rt_prober_read_error(prober, flight, reply);
		if (!done && fds[0].revents & POLLIN)
			done = rt_prober_read_answer(prober, flight, reply);
		if (done) {
			reply->rtt_ns = (uint64_t)(rt_clock_ns(CLOCK_MONOTONIC) -
						   flight->sent_ns);
			return 0;
		}
		if (left_ns <= 0)
			return 0;
	}
}

/* Keep to the rate. */
static int wait_turn(struct rt_prober *prober, int stop_fd, struct rt_err *err)
{
	struct pollfd stop = { .fd = stop_fd, .events = POLLIN };
	int64_t left_ns;

	while ((left_ns = prober->next_ns - rt_clock_ns(CLOCK_MONOTONIC)) > 0) {
		if (poll(&stop, 1, (int)((left_ns + 999999) / 1000000)) < 0 &&
		    errno != EINTR)
			return rt_err_sys(err, -errno, "poll");
		if (stop_fd >= 0 && stop.revents)
			return rt_err_set(err, -EINTR, "stopped");
	}
	prober->next_ns = rt_clock_ns(CLOCK_MONOTONIC) + prober->gap_ns;
	return 0;
}

static void fill_packet(struct rt_prober *prober, const struct rt_probe_send *send,
			const struct rt_probe_flight *flight)
{
	struct rt_probe_packet packet = { .type = RT_PROBE_REQUEST,
					  .tos_sent = send->tos,
					  .large_answer = send->large_answer,
					  .sequence = flight->sequence };

	memcpy(packet.cookie, prober->cookie, sizeof(packet.cookie));
	memset(prober->buf, 0, flight->udp_bytes);
	rt_probe_write(&packet, prober->buf);
}

/* Of earlier packets: sendto() would tell them as its own. */
static void forget_errors(struct rt_prober *prober)
{
	char byte;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	socklen_t bytes = sizeof(int);
	int error;

	while (recvmsg(prober->fd, &msg, MSG_ERRQUEUE) >= 0)
		;
	getsockopt(prober->fd, SOL_SOCKET, SO_ERROR, &error, &bytes);
}

/* 0; 1: too large for our own interface. */
static int send_packet(struct rt_prober *prober, const struct rt_probe_send *send,
		       struct rt_probe_flight *flight, struct rt_err *err)
{
	union rt_sockaddr to;
	const socklen_t bytes = rt_sockaddr_from(&prober->about.address, flight->port,
						 &to);
	int r = rt_probe_set_tos(prober->fd, prober->ipv6, send->tos);

	if (r == 0)
		r = rt_probe_set_ttl(prober->fd, prober->ipv6,
				     send->ttl ? send->ttl : 64);
	if (r < 0)
		return rt_err_sys(err, r, "cannot mark probes");
	fill_packet(prober, send, flight);
	/* Twice: one may come in between. */
	for (unsigned i = 0; i < 2; i++) {
		forget_errors(prober);
		flight->sent_ns = rt_clock_ns(CLOCK_MONOTONIC);
		if (sendto(prober->fd, prober->buf,
			   flight->udp_bytes - RT_PROBER_UDP_BYTES, 0, &to.any,
			   bytes) >= 0)
			return 0;
	}
	if (errno == EMSGSIZE)
		return 1;
	return rt_err_sys(err, -errno, "cannot send a probe");
}

int rt_prober_send(struct rt_prober *prober, const struct rt_probe_send *send,
		   int stop_fd, struct rt_probe_reply *ret_reply, struct rt_err *err)
{
	const uint32_t ip_bytes = send->ip_bytes > RT_PROBE_SMALL_BYTES
					  ? send->ip_bytes
					  : RT_PROBE_SMALL_BYTES;
	struct rt_probe_reply reply = { 0 };
	struct rt_probe_flight flight = { .sequence = prober->sequence };
	int r = wait_turn(prober, stop_fd, err);

	if (r < 0)
		return r;
	if (ip_bytes > 65535)
		return rt_err_set(err, -EINVAL, "no IP packet has %u bytes", ip_bytes);
	prober->sequence++;
	flight.port = send->to_listener ? prober->listener_port
					: (uint16_t)(CLOSED_PORT +
						     flight.sequence % CLOSED_PORTS);
	flight.udp_bytes = (uint16_t)(ip_bytes - rt_prober_header_bytes(prober));
	r = send_packet(prober, send, &flight, err);
	if (r == 1)
		reply.event = RT_PROBE_TOO_BIG_HERE;
	flight.until_ns = flight.sent_ns + send->wait_ns;
	if (r == 0)
		r = wait_reply(prober, &flight, stop_fd, &reply, err);
	if (r < 0)
		return r;
	*ret_reply = reply;
	return 0;
}
