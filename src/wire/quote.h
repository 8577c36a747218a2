/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * quote.h - what an ICMP error says of the packet that caused it.
 *
 * Errors carry the packet's IP header as it was where the error arose (RFC 792; RFC
 * 1812, 4.3.2.3: unchanged; RFC 4443, 2.4) and at least 8 bytes behind it.  So the DSCP
 * and ECN bits with which a packet arrived can be seen from where it was sent.
 */
#ifndef RT_WIRE_QUOTE_H
#define RT_WIRE_QUOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rocetune/field.h"

enum rt_quote_kind {
	RT_QUOTE_PORT_CLOSED, /* by the host itself: the packet arrived */
	RT_QUOTE_UNREACHABLE, /* no route, forbidden, no such host, ... */
	RT_QUOTE_TTL_ENDED,
	RT_QUOTE_TOO_BIG,
};

struct rt_quote {
	unsigned kind; /* enum rt_quote_kind */
	uint8_t code;
	struct rt_opt_u64 mtu_bytes; /* TOO_BIG: of the next link, if it is told */
	struct rt_ip from, to;       /* of the quoted packet */
	uint8_t tos, ttl;            /* as it arrived there */
	uint32_t ip_bytes;           /* of the whole packet */
	uint16_t source_port, port;  /* UDP */
	uint16_t udp_bytes;          /* its length field */
	const uint8_t *payload;      /* behind the UDP header, borrowed; may be none */
	size_t payload_bytes;
};

/*
 * Read an ICMP message (ICMPv6: ipv6), from its type on.  False: it is none of these
 * errors, or not of an unfragmented UDP packet, or cut off.  Bytes are not trusted.
 */
bool rt_quote_parse(const void *message, size_t bytes, bool ipv6,
		    struct rt_quote *ret_quote);

#endif
