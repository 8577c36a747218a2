/* SPDX-License-Identifier: BSD-2-Clause */
/* probe_reply.c - what comes back of a probe: an answer, a quote, or the kernel's word. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
/* behind struct timespec, which it does not bring along */
#include <linux/errqueue.h>

#include "base/ip.h"
#include "traffic/probe_socket.h"
#include "traffic/probe_state.h"
#include "wire/probe.h"
#include "wire/quote.h"

/* Of its payload a quote may have nothing; what it has must be ours. */
static bool is_ours(const struct rt_prober *prober,
		    const struct rt_probe_flight *flight, const struct rt_quote *quote)
{
	struct rt_probe_packet packet;

	if (!rt_ip_equal(&quote->to, &prober->about.address) ||
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

bool rt_prober_read_icmp(struct rt_prober *prober, const struct rt_probe_flight *flight,
			 struct rt_probe_reply *reply)
{
	union rt_sockaddr from;
	socklen_t bytes = sizeof(from);
	const ssize_t got = recvfrom(prober->icmp_fd, prober->buf,
				     RT_PROBER_PACKET_BYTES, 0, &from.any, &bytes);
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
	    !rt_ip_equal(&reply->from, &prober->about.address))
		reply->event = RT_PROBE_UNREACHABLE;
	return true;
}

bool rt_prober_read_answer(struct rt_prober *prober,
			   const struct rt_probe_flight *flight,
			   struct rt_probe_reply *reply)
{
	struct rt_probe_packet packet;
	union rt_sockaddr from;
	struct rt_came came;
	const ssize_t got = rt_probe_receive(prober->fd, prober->buf,
					     RT_PROBER_PACKET_BYTES, &from, &came);
	struct rt_ip ip;

	if (got < 0)
		return false;
	ip = rt_sockaddr_ip(&from);
	if (!rt_ip_equal(&ip, &prober->about.address) ||
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
	reply->back_bytes = RT_KNOWN_U64((uint64_t)got + RT_PROBER_UDP_BYTES +
					 rt_prober_header_bytes(prober));
	return true;
}

bool rt_prober_read_error(struct rt_prober *prober,
			  const struct rt_probe_flight *flight,
			  struct rt_probe_reply *reply)
{
	_Alignas(struct cmsghdr) char control[512];
	union rt_sockaddr to;
	struct iovec iov = { prober->buf, RT_PROBER_PACKET_BYTES };
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
