/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probe.h - the packets of `rocetune probe`: a request, and the answer of a listener
 * that says how the request arrived.
 *
 * UDP payload, numbers in network order:
 *
 *	 0  "RTPB"          4  version, 1        5  1 request, 2 answer
 *	 6  TOS as sent     7  TOS as it came    8  sequence, 16 bits
 *	10  IP bytes as they came, 16 bits      12  TTL as it came
 *	13  what is known: 1 TOS, 2 TTL         14  flags: 1 answer as large as this
 *	15  0              16  cookie, 16 bytes
 *
 * A request may be longer; an answer is 32 bytes, or as long as its request.  Never
 * longer: nobody gets more out of a listener than he puts in.
 */
#ifndef RT_WIRE_PROBE_H
#define RT_WIRE_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RT_PROBE_BYTES        32u
#define RT_PROBE_COOKIE_BYTES 16u
#define RT_PROBE_PORT         47910u /* of listeners, unless told; of no known service */

enum rt_probe_type {
	RT_PROBE_REQUEST = 1,
	RT_PROBE_ANSWER = 2,
};

struct rt_probe_packet {
	uint8_t type; /* enum rt_probe_type */
	uint8_t tos_sent, tos_came, ttl_came;
	bool tos_known, ttl_known;
	bool large_answer;
	uint16_t sequence, bytes_came;
	uint8_t cookie[RT_PROBE_COOKIE_BYTES];
};

void rt_probe_write(const struct rt_probe_packet *packet, uint8_t out[RT_PROBE_BYTES]);

/* False: it is none, or of another version.  What follows it is not looked at. */
bool rt_probe_read(const void *payload, size_t bytes,
		   struct rt_probe_packet *ret_packet);

#endif
