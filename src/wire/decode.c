/* SPDX-License-Identifier: BSD-2-Clause */
/* decode.c - the entry of the decoder, link layers, MAC control frames. */
#include "wire/decode.h"

#include <string.h>

#include "base/own.h"
#include "wire/bytes.h"
#include "wire/plain.h"

#define VLAN_TAGS_MAX 8

/* 802.1Qbb and 802.3 annex 31B: opcode, then one or nine 16-bit fields. */
static void decode_mac_control(struct rt_decode *d, size_t at)
{
	struct rt_frame *frame = d->frame;
	const uint8_t *control = d->data + at;

	if (!rt_decode_has(d, at, 4)) {
		rt_decode_short(d);
		return;
	}
	switch (rt_get_be16(control)) {
	case 0x0001:
		frame->kind = RT_FRAME_PAUSE;
		frame->pause.enable = 1;
		frame->pause.quanta[0] = rt_get_be16(control + 2);
		break;
	case 0x0101:
		if (!rt_decode_has(d, at, 4 + 2 * RT_PRIO_COUNT)) {
			rt_decode_short(d);
			return;
		}
		frame->kind = RT_FRAME_PFC;
		frame->pause.enable = control[3];
		if (control[2])
			rt_decode_malformed(d);
		for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++)
			frame->pause.quanta[prio] = rt_get_be16(control + 4 + 2 * prio);
		break;
	}
}

static void decode_arp(struct rt_decode *d, size_t at)
{
	(void)at;
	d->frame->kind = RT_FRAME_ARP;
}

static void decode_lldp(struct rt_decode *d, size_t at)
{
	(void)at;
	d->frame->kind = RT_FRAME_LLDP;
}

/* What follows an ethertype; the commonest first. */
static const struct {
	uint16_t ethertype;
	void (*decode)(struct rt_decode *d, size_t at);
} ethertypes[] = {
	{ 0x0800, rt_decode_ipv4 }, { 0x86DD, rt_decode_ipv6 },
	{ 0x8915, rt_decode_grh },  { 0x8808, decode_mac_control },
	{ 0x0806, decode_arp },     { 0x88CC, decode_lldp },
};

static bool is_tag(uint16_t ethertype)
{
	return ethertype == 0x8100 || ethertype == 0x88A8 || ethertype == 0x9100;
}

/* Decode what an ethertype announces; at is behind it. */
static void decode_typed(struct rt_decode *d, uint16_t ethertype, size_t at)
{
	struct rt_frame *frame = d->frame;

	for (; is_tag(ethertype) && frame->vlan_tags < VLAN_TAGS_MAX; at += 4) {
		if (!rt_decode_has(d, at, 4)) {
			rt_decode_short(d);
			return;
		}
		if (frame->vlan_tags++ == 0)
			frame->vlan = rt_get_be16(d->data + at);
		ethertype = rt_get_be16(d->data + at + 2);
	}
	frame->ethertype = ethertype;
	for (size_t i = 0; i < RT_ARRAY_SIZE(ethertypes); i++)
		if (ethertypes[i].ethertype == ethertype) {
			ethertypes[i].decode(d, at);
			return;
		}
}

void rt_decode_ethernet(struct rt_decode *d, size_t at)
{
	if (!rt_decode_has(d, at, 14)) {
		rt_decode_short(d);
		return;
	}
	memcpy(d->frame->eth_dst, d->data + at, 6);
	memcpy(d->frame->eth_src, d->data + at + 6, 6);
	decode_typed(d, rt_get_be16(d->data + at + 12), at + 14);
}

/* BSD loopback: an address family in the byte order of the writing host. */
static void decode_null(struct rt_decode *d, size_t at)
{
	if (rt_decode_has(d, at, 4))
		rt_decode_ip(d, at + 4);
	else
		rt_decode_short(d);
}

/* Linux cooked: packet type, ARPHRD, address length, address, protocol. */
static void decode_sll(struct rt_decode *d, size_t at)
{
	if (!rt_decode_has(d, at, 16)) {
		rt_decode_short(d);
		return;
	}
	if (rt_get_be16(d->data + at + 4) == 6)
		memcpy(d->frame->eth_src, d->data + at + 6, 6);
	decode_typed(d, rt_get_be16(d->data + at + 14), at + 16);
}

/* Version 2: protocol, reserved, interface, ARPHRD, type, length, address. */
static void decode_sll2(struct rt_decode *d, size_t at)
{
	if (!rt_decode_has(d, at, 20)) {
		rt_decode_short(d);
		return;
	}
	if (d->data[at + 11] == 6)
		memcpy(d->frame->eth_src, d->data + at + 12, 6);
	decode_typed(d, rt_get_be16(d->data + at), at + 20);
}

/* IP over InfiniBand: 40 bytes of GRH or address, type, reserved. */
static void decode_ipoib(struct rt_decode *d, size_t at)
{
	if (!rt_decode_has(d, at, 44)) {
		rt_decode_short(d);
		return;
	}
	decode_typed(d, rt_get_be16(d->data + at + 40), at + 44);
}

static void decode_erf_ethernet(struct rt_decode *d, size_t at)
{
	rt_decode_ethernet(d, at + 2); /* offset and pad bytes */
}

/* Record types of the Extensible Record Format (Endace ERF types reference). */
static const struct {
	uint8_t type;
	void (*decode)(struct rt_decode *d, size_t at);
} erf_types[] = {
	{ 2, decode_erf_ethernet },  { 11, decode_erf_ethernet },
	{ 16, decode_erf_ethernet }, { 20, decode_erf_ethernet },
	{ 21, rt_decode_lrh },       { 22, rt_decode_ipv4 },
	{ 23, rt_decode_ipv6 },
};

/* 16 bytes, then extension headers of 8 while the top bit of a type is set. */
static void decode_erf(struct rt_decode *d, size_t at)
{
	size_t next = at + 16;
	uint8_t type;

	if (!rt_decode_has(d, at, 16)) {
		rt_decode_short(d);
		return;
	}
	type = d->data[at + 8];
	for (uint8_t more = type; more & 0x80; next += 8) {
		if (!rt_decode_has(d, next, 8)) {
			rt_decode_short(d);
			return;
		}
		more = d->data[next];
	}
	/* Some writers give the packet's length alone as the wire length. */
	if (d->end < next + rt_get_be16(d->data + at + 14))
		d->end = next + rt_get_be16(d->data + at + 14);
	for (size_t i = 0; i < RT_ARRAY_SIZE(erf_types); i++)
		if (erf_types[i].type == (type & 0x7F)) {
			erf_types[i].decode(d, next);
			return;
		}
}

static const struct {
	uint16_t link_type;
	void (*decode)(struct rt_decode *d, size_t at);
} links[] = {
	{ RT_LINK_ETHERNET, rt_decode_ethernet },
	{ RT_LINK_SLL, decode_sll },
	{ RT_LINK_SLL2, decode_sll2 },
	{ RT_LINK_NULL, decode_null },
	{ RT_LINK_LOOP, decode_null },
	{ RT_LINK_RAW, rt_decode_ip },
	{ RT_LINK_IPV4, rt_decode_ipv4 },
	{ RT_LINK_IPV6, rt_decode_ipv6 },
	{ RT_LINK_ERF, decode_erf },
	{ RT_LINK_INFINIBAND, rt_decode_lrh },
	{ RT_LINK_IPOIB, decode_ipoib },
};

/* In parts that compilers do with a few wide stores; as one it costs 8 ns more. */
static inline void clear(struct rt_frame *frame)
{
	memset(&frame->kind, 0,
	       offsetof(struct rt_frame, slid_dlid) - offsetof(struct rt_frame, kind));
	memset(&frame->slid_dlid, 0,
	       offsetof(struct rt_frame, bth) - offsetof(struct rt_frame, slid_dlid));
	memset(&frame->bth, 0, sizeof(frame->bth));
}

bool rt_plain_take_tagged(struct rt_frame *frame, const uint8_t *data, unsigned flags)
{
	return rt_plain_take(frame, data, flags, RT_PLAIN_TAG);
}

void rt_frame_decode(struct rt_frame *frame, const uint8_t *data, unsigned flags)
{
	if (frame->link_type != RT_LINK_ETHERNET || flags & RT_DECODE_LAYERS ||
	    !rt_plain_decode(frame, data, flags))
		rt_frame_decode_layers(frame, data, flags);
}

void rt_frame_decode_layers(struct rt_frame *frame, const uint8_t *data, unsigned flags)
{
	const uint16_t kept = frame->flags & RT_FRAME_NO_TIME;
	struct rt_decode d = { .frame = frame,
			       .data = data,
			       .cap = frame->cap_bytes,
			       .end = frame->wire_bytes,
			       .flags = flags };

	clear(frame);
	frame->flags = kept;
	if (frame->cap_bytes < frame->wire_bytes)
		frame->flags |= RT_FRAME_CUT;
	else
		d.end = d.cap; /* a wire length below what is there is no bound */
	for (size_t i = 0; i < RT_ARRAY_SIZE(links); i++)
		if (links[i].link_type == frame->link_type) {
			links[i].decode(&d, 0);
			return;
		}
}
