/* SPDX-License-Identifier: BSD-2-Clause */
/* probe_state.h - what the files of a prober share. */
#ifndef RT_TRAFFIC_PROBE_STATE_H
#define RT_TRAFFIC_PROBE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "traffic/probe.h"
#include "wire/probe.h"

#define RT_PROBER_PACKET_BYTES 65536u
#define RT_PROBER_UDP_BYTES    8u

struct rt_prober {
	int fd, icmp_fd; /* icmp_fd -1: no quotes */
	bool ipv6;
	uint16_t listener_port, source_port;
	uint16_t sequence;
	uint8_t cookie[RT_PROBE_COOKIE_BYTES];
	int64_t gap_ns, next_ns; /* between packets; when the next may go */
	struct rt_prober_about about;
	uint8_t *buf; /* owned; RT_PROBER_PACKET_BYTES */
};

/* A packet that is on its way. */
struct rt_probe_flight {
	uint16_t port, udp_bytes, sequence;
	int64_t sent_ns,
		until_ns; /* CLOCK_MONOTONIC; what comes later is not waited for */
};

static inline unsigned rt_prober_header_bytes(const struct rt_prober *prober)
{
	return prober->ipv6 ? 40 : 20;
}

/*
 * probe_reply.c: take one packet, or error, off a socket that has some.  True: it was
 * about flight, and *reply says what came of it.
 */
bool rt_prober_read_icmp(struct rt_prober *prober, const struct rt_probe_flight *flight,
			 struct rt_probe_reply *reply);
bool rt_prober_read_answer(struct rt_prober *prober,
			   const struct rt_probe_flight *flight,
			   struct rt_probe_reply *reply);
/* The kernel's own word for an error, to which port it was; without the quote. */
bool rt_prober_read_error(struct rt_prober *prober,
			  const struct rt_probe_flight *flight,
			  struct rt_probe_reply *reply);

#endif
