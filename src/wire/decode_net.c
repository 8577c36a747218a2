/* SPDX-License-Identifier: BSD-2-Clause */
/* decode_net.c - IPv4 (RFC 791), IPv6 (RFC 8200), UDP, and ports of others. */
#include "wire/decode.h"

#include <string.h>

#include "wire/bytes.h"

#define IPV6_EXTENSIONS_MAX 8

enum {
	PROTO_HOP_BY_HOP = 0,
	PROTO_TCP = 6,
	PROTO_UDP = 17,
	PROTO_ROUTING = 43,
	PROTO_FRAGMENT = 44,
	PROTO_GRE = 47,
	PROTO_AUTHENTICATION = 51,
	PROTO_DESTINATION = 60,
	PROTO_SCTP = 132,
};

static void decode_ports(struct rt_decode *d, size_t at)
{
	if (!rt_decode_has(d, at, 4))
		return;
	d->frame->udp_sport = rt_get_be16(d->data + at);
	d->frame->udp_dport = rt_get_be16(d->data + at + 2);
}

static void decode_udp(struct rt_decode *d, size_t at)
{
	struct rt_frame *frame = d->frame;

	if (!rt_decode_has(d, at, 4)) {
		rt_decode_short(d);
		return;
	}
	decode_ports(d, at);
	if (rt_decode_has(d, at, 6)) {
		const uint16_t bytes = rt_get_be16(d->data + at + 4);

		if (bytes < 8)
			rt_decode_malformed(d);
		else if (!(frame->flags & RT_FRAME_FRAGMENT))
			rt_decode_narrow(d, at + bytes);
	}
	if (frame->udp_dport == RT_ROCE_UDP_PORT)
		rt_decode_bth(d, at + 8, RT_ROCE_V2);
	else
		rt_decode_udp_tunnel(d, at + 8, frame->udp_dport);
}

static void decode_upper(struct rt_decode *d, uint8_t proto, size_t at)
{
	d->frame->ip_proto = proto;
	if (proto == PROTO_UDP)
		decode_udp(d, at);
	else if (proto == PROTO_GRE)
		rt_decode_gre(d, at);
	else if (proto == PROTO_TCP || proto == PROTO_SCTP)
		decode_ports(d, at);
}

static void set_tos(struct rt_frame *frame, uint8_t tos)
{
	frame->dscp = tos >> 2;
	frame->ecn = tos & 3;
}

void rt_decode_ipv4(struct rt_decode *d, size_t at)
{
	struct rt_frame *frame = d->frame;
	const uint8_t *ip = d->data + at;
	size_t header_bytes, total_bytes;
	uint16_t fragment;

	if (!rt_decode_has(d, at, 20)) {
		rt_decode_short(d);
		return;
	}
	header_bytes = (ip[0] & 15u) * 4;
	total_bytes = rt_get_be16(ip + 2);
	if (ip[0] >> 4 != 4 || header_bytes < 20) {
		rt_decode_malformed(d);
		return;
	}
	set_tos(frame, ip[1]);
	frame->ip_id = rt_get_be16(ip + 4);
	frame->ttl = ip[8];
	frame->ip_proto = ip[9];
	memcpy(frame->src.bytes, ip + 12, 4);
	memcpy(frame->dst.bytes, ip + 16, 4);
	frame->src.version = frame->dst.version = 4;
	d->net_at = at;
	d->form = RT_ICRC_IPV4;

	/* 0 is what segmentation offload leaves behind: the frame is the bound */
	if (total_bytes >= header_bytes)
		rt_decode_extent(d, at + total_bytes);
	else if (total_bytes != 0)
		rt_decode_malformed(d);
	fragment = rt_get_be16(ip + 6) & 0x3FFF;
	if (fragment)
		frame->flags |= RT_FRAME_FRAGMENT;
	if ((fragment & 0x1FFF) == 0)
		decode_upper(d, ip[9], at + header_bytes);
}

static bool is_extension(uint8_t proto)
{
	return proto == PROTO_HOP_BY_HOP || proto == PROTO_ROUTING ||
	       proto == PROTO_FRAGMENT || proto == PROTO_AUTHENTICATION ||
	       proto == PROTO_DESTINATION;
}

/*
 * Skip extension headers (RFC 8200 section 4): next header, length in units of
 * eight bytes beyond the first eight; authentication counts four beyond eight.
 */
static void decode_ipv6_upper(struct rt_decode *d, uint8_t proto, size_t at)
{
	struct rt_frame *frame = d->frame;

	for (unsigned count = 0; is_extension(proto); count++) {
		const uint8_t *extension = d->data + at;

		frame->ip_proto = proto;
		if (count == IPV6_EXTENSIONS_MAX) {
			rt_decode_malformed(d);
			return;
		}
		if (!rt_decode_has(d, at, 8)) {
			rt_decode_short(d);
			return;
		}
		if (proto == PROTO_FRAGMENT) {
			const uint16_t fragment = rt_get_be16(extension + 2);

			if (fragment & 0xFFF9)
				frame->flags |= RT_FRAME_FRAGMENT;
			if (fragment & 0xFFF8) {
				frame->ip_proto = extension[0];
				return;
			}
			at += 8;
		} else if (proto == PROTO_AUTHENTICATION) {
			at += (extension[1] + 2u) * 4;
		} else {
			at += (extension[1] + 1u) * 8;
		}
		proto = extension[0];
	}
	decode_upper(d, proto, at);
}

void rt_decode_ipv6(struct rt_decode *d, size_t at)
{
	struct rt_frame *frame = d->frame;
	const uint8_t *ip = d->data + at;
	size_t payload_bytes;

	if (!rt_decode_has(d, at, 40)) {
		rt_decode_short(d);
		return;
	}
	if (ip[0] >> 4 != 6) {
		rt_decode_malformed(d);
		return;
	}
	set_tos(frame, (uint8_t)(rt_get_be16(ip) >> 4));
	frame->ttl = ip[7];
	memcpy(frame->src.bytes, ip + 8, 16);
	memcpy(frame->dst.bytes, ip + 24, 16);
	frame->src.version = frame->dst.version = 6;
	d->net_at = at;
	d->form = RT_ICRC_IPV6;

	payload_bytes = rt_get_be16(ip + 4);
	if (payload_bytes)
		rt_decode_extent(d, at + 40 + payload_bytes);
	decode_ipv6_upper(d, ip[6], at + 40);
}

void rt_decode_ip(struct rt_decode *d, size_t at)
{
	if (!rt_decode_has(d, at, 1))
		rt_decode_short(d);
	else if (d->data[at] >> 4 == 6)
		rt_decode_ipv6(d, at);
	else
		rt_decode_ipv4(d, at);
}
