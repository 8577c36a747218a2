/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probe.h - single UDP packets with any TOS, TTL and size, and how they arrived: told by
 * a listener of ours at the other end, or, without one, by the packet that an ICMP error
 * quotes (wire/quote.h).
 *
 * Slow by design: one packet at a time, never more a second than RT_PROBE_MAX_PPS.  UDP
 * port 4791 is refused: there a NIC takes every packet for RoCE, and the bytes might hit
 * a living queue pair.
 */
#ifndef RT_TRAFFIC_PROBE_H
#define RT_TRAFFIC_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rocetune/field.h"

struct rt_err;
struct rt_prober;

#define RT_PROBE_MAX_PPS 100u

struct rt_prober_config {
	const char *host;    /* address, or a name that is looked up */
	uint16_t port;       /* of the listener, if there is one */
	struct rt_ip source; /* version 0: as the route has it */
	unsigned family;     /* 4 or 6; 0: whatever the name gives first */
	uint32_t pps;        /* at most, at most RT_PROBE_MAX_PPS */
	uint8_t cookie[16];  /* random; all 0: made here */
};

struct rt_prober_about {
	struct rt_ip address, source;
	char netdev[16]; /* that has the source address */
	struct rt_opt_u64 mtu_bytes;
	bool sees_quotes; /* else why not: */
	char why[160];
};

/* Smallest IP packet of a probe: headers of IPv6 and UDP, wire/probe.h, and a few. */
#define RT_PROBE_SMALL_BYTES 96u

struct rt_probe_send {
	uint8_t tos;
	uint8_t ttl;       /* 0: 64 */
	bool to_listener;  /* its port; else a high one that should be closed */
	bool large_answer; /* as large as this */
	uint32_t ip_bytes; /* of the whole IP packet; 0: RT_PROBE_SMALL_BYTES */
	int64_t wait_ns;   /* for an answer */
};

enum rt_probe_event {
	RT_PROBE_SILENCE,
	RT_PROBE_ANSWERED,     /* by a listener */
	RT_PROBE_PORT_CLOSED,  /* by the host */
	RT_PROBE_TTL_ENDED,    /* by a router */
	RT_PROBE_TOO_BIG,      /* by a router */
	RT_PROBE_TOO_BIG_HERE, /* for our own interface: not sent */
	RT_PROBE_UNREACHABLE,
};
extern const struct rt_name rt_probe_event_names[];

struct rt_probe_reply {
	unsigned event;             /* enum rt_probe_event */
	struct rt_ip from;          /* who told; version 0: nobody */
	struct rt_opt_u64 tos, ttl; /* as it arrived there */
	struct rt_opt_u64 ip_bytes;
	struct rt_opt_u64 back_tos; /* as the answer arrived here */
	struct rt_opt_u64 back_bytes;
	struct rt_opt_u64 mtu_bytes; /* of the link that was too small, if told */
	uint8_t code;                /* of UNREACHABLE */
	uint64_t rtt_ns;
};

/*
 * -EINVAL: the port is refused.  -EHOSTUNREACH and the like: no route.  -ENOENT: no such
 * name.  Without CAP_NET_RAW it opens, but sees no quotes.
 */
int rt_prober_open(const struct rt_prober_config *config, struct rt_prober **ret_prober,
		   struct rt_err *err);
void rt_prober_about(const struct rt_prober *prober, struct rt_prober_about *ret_about);

/*
 * Send one and wait for what comes of it.  An error is one of this host: -EPERM (a
 * firewall), -ENETDOWN; silence is none.  -EINTR: stop_fd is readable (-1: none).
 */
int rt_prober_send(struct rt_prober *prober, const struct rt_probe_send *send,
		   int stop_fd, struct rt_probe_reply *ret_reply, struct rt_err *err);
void rt_prober_close(struct rt_prober *prober); /* NULL is fine */

/* --- the other end ---------------------------------------------------------------- */

struct rt_probe_listener_config {
	struct rt_ip bind; /* version 0: 127.0.0.1 */
	uint16_t port;
	int64_t until_ns; /* CLOCK_MONOTONIC */
	int stop_fd;      /* it also ends when this is readable; -1: none */
	uint32_t pps;     /* answers a second at most; 0: RT_PROBE_MAX_PPS */
	/* When it listens; may be NULL. */
	void (*ready)(void *user);
	void *user;
};

struct rt_probe_listened {
	uint64_t requests, answers;
	uint64_t others;  /* packets that are no request, or come of RoCE's port */
	uint64_t limited; /* requests beyond the rate, not answered */
};

/* Answers requests until told to stop.  -EADDRINUSE, -EACCES, -EINVAL: port 4791. */
int rt_probe_listen(const struct rt_probe_listener_config *config,
		    struct rt_probe_listened *ret_listened, struct rt_err *err);

#endif
