/* SPDX-License-Identifier: BSD-2-Clause */
/* quote.c - the packet inside an ICMP error. */
#include "wire/quote.h"

#include <string.h>

#include "wire/cursor.h"

#define PROTOCOL_UDP 17u

/* One kind of error; code -1: any. */
struct error_row {
	uint8_t type;
	int code;
	enum rt_quote_kind kind;
};

/* RFC 792, RFC 1191; of one type the more special code stands first. */
static const struct error_row v4_errors[] = {
	{ 3, 3, RT_QUOTE_PORT_CLOSED },
	{ 3, 4, RT_QUOTE_TOO_BIG },
	{ 3, -1, RT_QUOTE_UNREACHABLE },
	{ 11, 0, RT_QUOTE_TTL_ENDED },
	{ 0 },
};

/* RFC 4443, 3. */
static const struct error_row v6_errors[] = {
	{ 1, 4, RT_QUOTE_PORT_CLOSED },
	{ 1, -1, RT_QUOTE_UNREACHABLE },
	{ 2, -1, RT_QUOTE_TOO_BIG },
	{ 3, 0, RT_QUOTE_TTL_ENDED },
	{ 0 },
};

/* Type, code, checksum, and four bytes of which some kinds have an MTU. */
static bool read_head(struct rt_rd *rd, bool ipv6, struct rt_quote *quote)
{
	const struct error_row *row = ipv6 ? v6_errors : v4_errors;
	const uint8_t type = rt_rd_u8(rd);
	uint32_t rest;

	quote->code = rt_rd_u8(rd);
	rt_rd_be16(rd);
	rest = rt_rd_be32(rd);
	while (row->type &&
	       (row->type != type || (row->code >= 0 && row->code != quote->code)))
		row++;
	if (!row->type)
		return false;
	quote->kind = row->kind;
	if (!ipv6)
		rest &= 0xFFFF;
	/* Routers before RFC 1191 leave 0. */
	if (row->kind == RT_QUOTE_TOO_BIG && rest)
		quote->mtu_bytes = RT_KNOWN_U64(rest);
	return true;
}

static void take_ip(struct rt_rd *rd, uint8_t version, struct rt_ip *ip)
{
	const size_t count = version == 4 ? 4 : 16;
	const uint8_t *at = rt_rd_take(rd, count);

	*ip = (struct rt_ip){ .version = version };
	if (at)
		memcpy(ip->bytes, at, count);
}

static bool read_v4(struct rt_rd *rd, struct rt_quote *quote)
{
	const uint8_t first = rt_rd_u8(rd);
	const unsigned header = (first & 15u) * 4;
	uint8_t protocol;
	uint16_t fragment;

	quote->tos = rt_rd_u8(rd);
	quote->ip_bytes = rt_rd_be16(rd);
	rt_rd_be16(rd);
	fragment = rt_rd_be16(rd) & 0x1FFF;
	quote->ttl = rt_rd_u8(rd);
	protocol = rt_rd_u8(rd);
	rt_rd_be16(rd);
	take_ip(rd, 4, &quote->from);
	take_ip(rd, 4, &quote->to);
	if (first >> 4 != 4 || header < 20 || fragment || protocol != PROTOCOL_UDP)
		return false;
	rt_rd_take(rd, header - 20);
	return true;
}

static bool read_v6(struct rt_rd *rd, struct rt_quote *quote)
{
	const uint32_t first = rt_rd_be32(rd);
	uint8_t next;

	quote->tos = (uint8_t)(first >> 20);
	quote->ip_bytes = rt_rd_be16(rd) + 40u;
	next = rt_rd_u8(rd);
	quote->ttl = rt_rd_u8(rd);
	take_ip(rd, 6, &quote->from);
	take_ip(rd, 6, &quote->to);
	return first >> 28 == 6 && next == PROTOCOL_UDP;
}

bool rt_quote_parse(const void *message, size_t bytes, bool ipv6,
		    struct rt_quote *ret_quote)
{
	const uint8_t *at = message;
	struct rt_rd rd = { at, at + bytes, false, at };
	struct rt_quote quote = { 0 };

	if (!read_head(&rd, ipv6, &quote) ||
	    !(ipv6 ? read_v6(&rd, &quote) : read_v4(&rd, &quote)))
		return false;
	quote.source_port = rt_rd_be16(&rd);
	quote.port = rt_rd_be16(&rd);
	quote.udp_bytes = rt_rd_be16(&rd);
	rt_rd_be16(&rd);
	if (rd.bad)
		return false;
	quote.payload = rd.at;
	quote.payload_bytes = rt_rd_left(&rd);
	*ret_quote = quote;
	return true;
}
