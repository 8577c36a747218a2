/* SPDX-License-Identifier: BSD-2-Clause */
/* probe.c - sending one packet and seeing what comes of it. */
#include "traffic/probe.h"

#include <errno.h>
#include <ifaddrs.h>
#include <linux/errqueue.h>
#include <net/if.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/own.h"
#include "base/text.h"
#include "rocetune/err.h"
#include "traffic/probe_socket.h"
#include "wire/probe.h"
#include "wire/quote.h"

#define PACKET_BYTES 65536u
#define UDP_BYTES    8u
/* Where traceroute begins, too: nobody listens there. */
#define CLOSED_PORT  33434u
#define CLOSED_PORTS 512u

const struct rt_name rt_probe_event_names[] = {
	{ "silence", RT_PROBE_SILENCE, "nothing came back" },
	{ "answered", RT_PROBE_ANSWERED, "the listener answered" },
	{ "port_closed", RT_PROBE_PORT_CLOSED, "the host quoted it: it arrived" },
	{ "ttl_ended", RT_PROBE_TTL_ENDED, "a router quoted it" },
	{ "too_big", RT_PROBE_TOO_BIG, "too large for a link of the path" },
	{ "too_big_here", RT_PROBE_TOO_BIG_HERE, "too large for our own interface" },
	{ "unreachable", RT_PROBE_UNREACHABLE, "refused on the way" },
	{ 0 },
};

struct rt_prober {
	int fd, icmp_fd; /* icmp_fd -1: no quotes */
	bool ipv6;
	uint16_t listener_port, source_port;
	uint16_t sequence;
	uint8_t cookie[RT_PROBE_COOKIE_BYTES];
	int64_t gap_ns, next_ns; /* between packets; when the next may go */
	struct rt_prober_about about;
	uint8_t *buf; /* PACKET_BYTES */
};

/* A packet that is on its way. */
struct flight {
	uint16_t port, udp_bytes, sequence;
	int64_t sent_ns;
};

/* --- opening ---------------------------------------------------------------------------- */

static int resolve(const struct rt_prober_config *config, union rt_sockaddr *ret_to,
		   socklen_t *ret_bytes, struct rt_err *err)
{
	const struct addrinfo hints = {
		.ai_family = config->family == 4           ? AF_INET
			     : config->family == 6         ? AF_INET6
			     : config->source.version == 4 ? AF_INET
			     : config->source.version == 6 ? AF_INET6
							   : AF_UNSPEC,
		.ai_socktype = SOCK_DGRAM,
	};
	struct addrinfo *list = NULL;
	int r = getaddrinfo(config->host, NULL, &hints, &list);

	if (r != 0)
		return rt_err_set(err, -ENOENT, "%.100s: %s", config->host,
				  gai_strerror(r));
	memset(ret_to, 0, sizeof(*ret_to));
	*ret_bytes = list->ai_addrlen;
	memcpy(ret_to, list->ai_addr, list->ai_addrlen);
	freeaddrinfo(list);
	if (ret_to->any.sa_family == AF_INET6 &&
	    IN6_IS_ADDR_LINKLOCAL(&ret_to->v6.sin6_addr))
		return rt_err_set(err, -EINVAL,
				  "%.100s: a link-local address has no path, and RoCE "
				  "should not use one: probe another of the host's",
				  config->host);
	return 0;
}

/* The source that the route gives, unless one is asked for. */
static int find_source(const struct rt_prober_config *config,
		       const union rt_sockaddr *to, socklen_t bytes,
		       struct rt_ip *ret_source)
{
	union rt_sockaddr at = *to, from;
	socklen_t from_bytes = sizeof(from);
	int fd, r = 0;

	if (config->source.version) {
		*ret_source = config->source;
		return 0;
	}
	fd = socket(to->any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	/* Nothing is sent by this. */
	if (to->any.sa_family == AF_INET6)
		at.v6.sin6_port = htons(RT_PROBE_PORT);
	else
		at.v4.sin_port = htons(RT_PROBE_PORT);
	if (connect(fd, &at.any, bytes) < 0 ||
	    getsockname(fd, &from.any, &from_bytes) < 0)
		r = -errno;
	else
		*ret_source = rt_sockaddr_ip(&from);
	close(fd);
	return r;
}

/* Which interface has the source address, and its MTU; not told is unknown. */
static void find_netdev(struct rt_prober *prober)
{
	struct rt_prober_about *about = &prober->about;
	struct ifaddrs *list = NULL;
	struct ifreq ifr = { 0 };

	if (getifaddrs(&list) < 0)
		return;
	for (struct ifaddrs *at = list; at && !*about->netdev; at = at->ifa_next) {
		union rt_sockaddr address;
		struct rt_ip ip;

		if (!at->ifa_addr || (at->ifa_addr->sa_family != AF_INET &&
				      at->ifa_addr->sa_family != AF_INET6))
			continue;
		memset(&address, 0, sizeof(address));
		memcpy(&address, at->ifa_addr,
		       at->ifa_addr->sa_family == AF_INET ? sizeof(address.v4)
							  : sizeof(address.v6));
		ip = rt_sockaddr_ip(&address);
		if (memcmp(&ip, &about->source, sizeof(ip)) == 0)
			snprintf(about->netdev, sizeof(about->netdev), "%s",
				 at->ifa_name);
	}
	freeifaddrs(list);
	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", about->netdev);
	if (*about->netdev && ioctl(prober->fd, SIOCGIFMTU, &ifr) == 0 &&
	    ifr.ifr_mtu > 0)
		about->mtu_bytes = RT_KNOWN_U64((uint64_t)ifr.ifr_mtu);
}

static int open_udp(struct rt_prober *prober, struct rt_err *err)
{
	union rt_sockaddr from;
	socklen_t bytes = rt_sockaddr_from(&prober->about.source, 0, &from);
	const int on = 1;
	int r;

	prober->fd = socket(prober->ipv6 ? AF_INET6 : AF_INET,
			    SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (prober->fd < 0)
		return rt_err_sys(err, -errno, "cannot open a socket");
	r = rt_probe_socket_setup(prober->fd, prober->ipv6);
	if (r == 0 &&
	    setsockopt(prober->fd, prober->ipv6 ? IPPROTO_IPV6 : IPPROTO_IP,
		       prober->ipv6 ? IPV6_RECVERR : IP_RECVERR, &on, sizeof(on)) < 0)
		r = -errno;
	if (r == 0 && bind(prober->fd, &from.any, bytes) < 0)
		r = -errno;
	bytes = sizeof(from);
	if (r == 0 && getsockname(prober->fd, &from.any, &bytes) < 0)
		r = -errno;
	if (r < 0)
		return rt_err_sys(err, r, "cannot open a socket for probes");
	prober->source_port = rt_sockaddr_port(&from);
	return 0;
}

static void open_icmp(struct rt_prober *prober)
{
	struct rt_prober_about *about = &prober->about;
	const int fd = rt_probe_open_icmp(prober->ipv6);

	if (fd >= 0) {
		prober->icmp_fd = fd;
		about->sees_quotes = true;
		return;
	}
	snprintf(about->why, sizeof(about->why),
		 fd == -EPERM ? "seeing ICMP errors needs CAP_NET_RAW: run it as root"
			      : "there is no raw ICMP socket: %s",
		 strerror(-fd));
}

static bool is_zero(const uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (bytes[i])
			return false;
	return true;
}

static int make_cookie(const struct rt_prober_config *config, struct rt_prober *prober)
{
	memcpy(prober->cookie, config->cookie, sizeof(prober->cookie));
	if (!is_zero(prober->cookie, sizeof(prober->cookie)))
		return 0;
	return getrandom(prober->cookie, sizeof(prober->cookie), 0) ==
			       (ssize_t)sizeof(prober->cookie)
		       ? 0
		       : -EIO;
}

static int set_up(const struct rt_prober_config *config, struct rt_prober *prober,
		  struct rt_err *err)
{
	union rt_sockaddr to;
	socklen_t bytes;
	int r = resolve(config, &to, &bytes, err);

	if (r < 0)
		return r;
	prober->ipv6 = to.any.sa_family == AF_INET6;
	prober->about.address = rt_sockaddr_ip(&to);
	r = find_source(config, &to, bytes, &prober->about.source);
	if (r == 0)
		r = make_cookie(config, prober);
	if (r < 0)
		return rt_err_sys(err, r, "%.100s", config->host);
	r = open_udp(prober, err);
	if (r < 0)
		return r;
	open_icmp(prober);
	find_netdev(prober);
	return 0;
}

int rt_prober_open(const struct rt_prober_config *config, struct rt_prober **ret_prober,
		   struct rt_err *err)
{
	const uint32_t pps = config->pps && config->pps < RT_PROBE_MAX_PPS
				     ? config->pps
				     : RT_PROBE_MAX_PPS;
	struct rt_prober *prober;
	int r;

	if (config->port == RT_PROBE_ROCE_PORT)
		return rt_err_set(err, -EINVAL,
				  "UDP port %u is RoCE's: a NIC would take probes for "
				  "it, choose another",
				  RT_PROBE_ROCE_PORT);
	prober = calloc(1, sizeof(*prober));
	if (!prober || !(prober->buf = malloc(PACKET_BYTES))) {
		free(prober);
		return rt_err_sys(err, -ENOMEM, "probes");
	}
	prober->fd = prober->icmp_fd = -1;
	prober->listener_port = config->port ? config->port : RT_PROBE_PORT;
	prober->gap_ns = 1000000000 / pps;
	r = set_up(config, prober, err);
	if (r < 0) {
		rt_prober_close(prober);
		return r;
	}
	*ret_prober = prober;
	return 0;
}

void rt_prober_close(struct rt_prober *prober)
{
	if (!prober)
		return;
	if (prober->fd >= 0)
		close(prober->fd);
	if (prober->icmp_fd >= 0)
		close(prober->icmp_fd);
	free(prober->buf);
	free(prober);
}

void rt_prober_about(const struct rt_prober *prober, struct rt_prober_about *ret_about)
{
	*ret_about = prober->about;
}

/* --- what comes back -------------------------------------------------------------------- */

static bool is_same_ip(const struct rt_ip *a, const struct rt_ip *b)
{
	return a->version == b->version &&
	       memcmp(a->bytes, b->bytes, a->version == 4 ? 4 : 16) == 0;
}

static unsigned ip_header(const struct rt_prober *prober)
{
	return prober->ipv6 ? 40 : 20;
}

/* Of its payload a quote may have nothing; what it has must be ours. */
static bool is_ours(const struct rt_prober *prober, const struct flight *flight,
		    const struct rt_quote *quote)
{
	struct rt_probe_packet packet;

	if (!is_same_ip(&quote->to, &prober->about.address) ||
	    quote->source_port != prober->source_port || quote->port != flight->port ||
	    quote->udp_bytes != flight->udp_bytes)
		return false;
	return quote->payload_bytes < RT_PROBE_BYTES ||
	       (rt_probe_read(quote->payload, quote->payload_bytes, &packet) &&
		packet.sequence == flight->sequence &&
		memcmp(packet.cookie, prober->cookie, sizeof(packet.cookie)) == 0);
}

static void take_quote(const struct rt_quote *quote, const union rt_sockaddr *from,
		       struct rt_probe_reply *reply)
{
	static const enum rt_probe_event events[] = {
		[RT_QUOTE_PORT_CLOSED] = RT_PROBE_PORT_CLOSED,
		[RT_QUOTE_UNREACHABLE] = RT_PROBE_UNREACHABLE,
		[RT_QUOTE_TTL_ENDED] = RT_PROBE_TTL_ENDED,
		[RT_QUOTE_TOO_BIG] = RT_PROBE_TOO_BIG,
	};

	reply->event = events[quote->kind];
	reply->from = rt_sockaddr_ip(from);
	reply->tos = RT_KNOWN_U64(quote->tos);
	reply->ttl = RT_KNOWN_U64(quote->ttl);
	reply->ip_bytes = RT_KNOWN_U64(quote->ip_bytes);
	reply->mtu_bytes = quote->mtu_bytes;
	reply->code = quote->code;
}

/* True: it was about this packet. */
static bool read_icmp(struct rt_prober *prober, const struct flight *flight,
		      struct rt_probe_reply *reply)
{
	union rt_sockaddr from;
	socklen_t bytes = sizeof(from);
	const ssize_t got = recvfrom(prober->icmp_fd, prober->buf, PACKET_BYTES, 0,
				     &from.any, &bytes);
	struct rt_quote quote;
	size_t skip = 0;

	if (got <= 0)
		return false;
	/* Raw sockets of IPv4 give the header, too. */
	if (!prober->ipv6)
		skip = (size_t)(prober->buf[0] & 15) * 4;
	if (skip > (size_t)got ||
	    !rt_quote_parse(prober->buf + skip, (size_t)got - skip, prober->ipv6,
			    &quote) ||
	    !is_ours(prober, flight, &quote))
		return false;
	take_quote(&quote, &from, reply);
	/* Somebody on the way speaks for the host: the packet did not arrive there. */
	if (reply->event == RT_PROBE_PORT_CLOSED &&
	    !is_same_ip(&reply->from, &prober->about.address))
		reply->event = RT_PROBE_UNREACHABLE;
	return true;
}

static bool read_answer(struct rt_prober *prober, const struct flight *flight,
			struct rt_probe_reply *reply)
{
	struct rt_probe_packet packet;
	union rt_sockaddr from;
	struct rt_came came;
	const ssize_t got = rt_probe_receive(prober->fd, prober->buf, PACKET_BYTES,
					     &from, &came);
	struct rt_ip ip;

	if (got < 0)
		return false;
	ip = rt_sockaddr_ip(&from);
	if (!is_same_ip(&ip, &prober->about.address) ||
	    !rt_probe_read(prober->buf, (size_t)got, &packet) ||
	    packet.type != RT_PROBE_ANSWER || packet.sequence != flight->sequence ||
	    memcmp(packet.cookie, prober->cookie, sizeof(packet.cookie)) != 0)
		return false;
	reply->event = RT_PROBE_ANSWERED;
	reply->from = ip;
	if (packet.tos_known)
		reply->tos = RT_KNOWN_U64(packet.tos_came);
	if (packet.ttl_known)
		reply->ttl = RT_KNOWN_U64(packet.ttl_came);
	reply->ip_bytes = RT_KNOWN_U64(packet.bytes_came);
	reply->back_tos = came.tos;
	reply->back_bytes = RT_KNOWN_U64((uint64_t)got + UDP_BYTES + ip_header(prober));
	return true;
}

/* The kernel's own word for an error, to which port it was; without the quote. */
static bool read_error(struct rt_prober *prober, const struct flight *flight,
		       struct rt_probe_reply *reply)
{
	_Alignas(struct cmsghdr) char control[512];
	union rt_sockaddr to;
	struct iovec iov = { prober->buf, PACKET_BYTES };
	struct msghdr msg = { .msg_name = &to,
			      .msg_namelen = sizeof(to),
			      .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = control,
			      .msg_controllen = sizeof(control) };
	struct sock_extended_err error = { 0 };

	if (recvmsg(prober->fd, &msg, MSG_ERRQUEUE) < 0)
		return false;
	for (struct cmsghdr *at = CMSG_FIRSTHDR(&msg); at; at = CMSG_NXTHDR(&msg, at))
		if ((at->cmsg_level == IPPROTO_IP && at->cmsg_type == IP_RECVERR) ||
		    (at->cmsg_level == IPPROTO_IPV6 && at->cmsg_type == IPV6_RECVERR))
			memcpy(&error, CMSG_DATA(at), sizeof(error));
	if (prober->icmp_fd >= 0 || rt_sockaddr_port(&to) != flight->port ||
	    (error.ee_origin != SO_EE_ORIGIN_ICMP &&
	     error.ee_origin != SO_EE_ORIGIN_ICMP6))
		return false;
	reply->event = error.ee_errno == ECONNREFUSED ? RT_PROBE_PORT_CLOSED
		       : error.ee_errno == EMSGSIZE   ? RT_PROBE_TOO_BIG
						      : RT_PROBE_UNREACHABLE;
	if (reply->event == RT_PROBE_PORT_CLOSED)
		reply->from = prober->about.address;
	if (reply->event == RT_PROBE_TOO_BIG && error.ee_info)
		reply->mtu_bytes = RT_KNOWN_U64(error.ee_info);
	reply->code = error.ee_code;
	return true;
}

/* --- sending ------------------------------------------------------------------------------ */

/* Until what comes is about this packet, or time is up. */
static int wait_reply(struct rt_prober *prober, const struct flight *flight,
		      int64_t until_ns, int stop_fd, struct rt_probe_reply *reply,
		      struct rt_err *err)
{
	struct pollfd fds[3] = { { .fd = prober->fd, .events = POLLIN },
				 { .fd = prober->icmp_fd, .events = POLLIN },
				 { .fd = stop_fd, .events = POLLIN } };

	for (;;) {
		const int64_t left_ns = until_ns - rt_clock_ns(CLOCK_MONOTONIC);
		const int ms = left_ns > 0 ? (int)((left_ns + 999999) / 1000000) : 0;
		bool done = false;

		if (poll(fds, 3, ms) < 0 && errno != EINTR)
			return rt_err_sys(err, -errno, "poll");
		if (stop_fd >= 0 && fds[2].revents)
			return rt_err_set(err, -EINTR, "stopped");
		if (fds[1].revents & POLLIN)
			done = read_icmp(prober, flight, reply);
		if (!done && fds[0].revents & POLLERR)
			done = read_error(prober, flight, reply);
		if (!done && fds[0].revents & POLLIN)
			done = read_answer(prober, flight, reply);
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
			const struct flight *flight)
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
		       struct flight *flight, struct rt_err *err)
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
		if (sendto(prober->fd, prober->buf, flight->udp_bytes - UDP_BYTES, 0,
			   &to.any, bytes) >= 0)
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
	struct flight flight = { .sequence = prober->sequence };
	int r = wait_turn(prober, stop_fd, err);

	if (r < 0)
		return r;
	if (ip_bytes > 65535)
		return rt_err_set(err, -EINVAL, "no IP packet has %u bytes", ip_bytes);
	prober->sequence++;
	flight.port = send->to_listener ? prober->listener_port
					: (uint16_t)(CLOSED_PORT +
						     flight.sequence % CLOSED_PORTS);
	flight.udp_bytes = (uint16_t)(ip_bytes - ip_header(prober));
	r = send_packet(prober, send, &flight, err);
	if (r == 1)
		reply.event = RT_PROBE_TOO_BIG_HERE;
	if (r == 0)
		r = wait_reply(prober, &flight, flight.sent_ns + send->wait_ns, stop_fd,
			       &reply, err);
	if (r < 0)
		return r;
	*ret_reply = reply;
	return 0;
}
