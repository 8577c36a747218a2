/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * decode_tunnel.c - what mirrors and overlays wrap frames in: GRE (RFC 2784,
 * 2890) with ERSPAN (draft-foschiano-erspan-03) or Ethernet, VXLAN (RFC 7348),
 * Geneve (RFC 8926).  The frame inside is what the analysis wants, so it
 * replaces what was decoded around it; only the outermost tunnel is remembered.
 */
#include "wire/decode.h"

#include <string.h>

#include "base/own.h"
#include "wire/bytes.h"

#define DEPTH_MAX 4

/* Forget the layers around; false: nested too deeply to go on. */
static bool enter(struct rt_decode *d, enum rt_encap encap, uint32_t id)
{
	struct rt_frame *frame = d->frame;

	if (d->depth == DEPTH_MAX)
		return false;
	if (d->depth++ == 0) {
		frame->encap = encap;
		frame->encap_id = id;
	}
	frame->vlan = 0;
	frame->vlan_tags = 0;
	frame->ethertype = 0;
	frame->ip_proto = 0;
	frame->dscp = frame->ecn = frame->ttl = 0;
	frame->ip_id = 0;
	frame->udp_sport = frame->udp_dport = 0;
	memset(frame->eth_src, 0, sizeof(frame->eth_src));
	memset(frame->eth_dst, 0, sizeof(frame->eth_dst));
	frame->src = frame->dst = (struct rt_ip){ 0 };
	return true;
}

static void enter_ethernet(struct rt_decode *d, size_t at, enum rt_encap encap,
			   uint32_t id)
{
	if (enter(d, encap, id))
		rt_decode_ethernet(d, at);
}

/* --- over UDP --------------------------------------------------------------- */

/* Flags (bit 3: the VNI is valid), reserved, VNI in the upper 24 bits. */
static bool decode_vxlan(struct rt_decode *d, size_t at)
{
	if (!rt_decode_has(d, at, 8) || !(d->data[at] & 0x08))
		return false;
	enter_ethernet(d, at + 8, RT_ENCAP_VXLAN, rt_get_be32(d->data + at + 4) >> 8);
	return true;
}

/* Version and option length in words, flags, protocol, VNI. */
static bool decode_geneve(struct rt_decode *d, size_t at)
{
	const uint8_t *header = d->data + at;

	if (!rt_decode_has(d, at, 8) || header[0] >> 6 != 0 ||
	    rt_get_be16(header + 2) != 0x6558)
		return false;
	enter_ethernet(d, at + 8 + (header[0] & 63u) * 4, RT_ENCAP_GENEVE,
		       rt_get_be32(header + 4) >> 8);
	return true;
}

static const struct {
	uint16_t port;
	bool (*decode)(struct rt_decode *d, size_t at);
} udp_tunnels[] = {
	{ 4789, decode_vxlan },
	{ 6081, decode_geneve },
};

bool rt_decode_udp_tunnel(struct rt_decode *d, size_t at, uint16_t dport)
{
	for (size_t i = 0; i < RT_ARRAY_SIZE(udp_tunnels); i++)
		if (udp_tunnels[i].port == dport)
			return udp_tunnels[i].decode(d, at);
	return false;
}

/* --- over GRE --------------------------------------------------------------- */

struct gre {
	uint16_t flags;
	uint32_t key; /* 0 when there is none */
};

#define GRE_CHECKSUM 0x8000
#define GRE_KEY      0x2000
#define GRE_SEQUENCE 0x1000
#define GRE_UNREAD   0x4007 /* routing (RFC 1701), and versions but 0 */

/* Session id: the low ten bits of the second half word, types II and III. */
static uint32_t erspan_session(const uint8_t *header)
{
	return rt_get_be16(header + 2) & 0x3FF;
}

/* Type I has no header at all; type II is told by the sequence number. */
static void decode_erspan(struct rt_decode *d, size_t at, const struct gre *gre)
{
	if (!(gre->flags & GRE_SEQUENCE))
		enter_ethernet(d, at, RT_ENCAP_ERSPAN1, 0);
	else if (rt_decode_has(d, at, 8))
		enter_ethernet(d, at + 8, RT_ENCAP_ERSPAN2,
			       erspan_session(d->data + at));
	else
		rt_decode_short(d);
}

/*
 * Type III: twelve bytes, eight more when the last bit (O) is set; bits 14 to 10
 * of the last half word tell what is inside: 0 an Ethernet frame, 2 an IP packet.
 */
static void decode_erspan3(struct rt_decode *d, size_t at, const struct gre *gre)
{
	uint16_t last;
	size_t next;

	(void)gre;
	if (!rt_decode_has(d, at, 12)) {
		rt_decode_short(d);
		return;
	}
	last = rt_get_be16(d->data + at + 10);
	next = at + (last & 1 ? 20 : 12);
	if ((last >> 10 & 31) == 0)
		enter_ethernet(d, next, RT_ENCAP_ERSPAN3, erspan_session(d->data + at));
	else if ((last >> 10 & 31) == 2 &&
		 enter(d, RT_ENCAP_ERSPAN3, erspan_session(d->data + at)))
		rt_decode_ip(d, next);
}

static void decode_teb(struct rt_decode *d, size_t at, const struct gre *gre)
{
	enter_ethernet(d, at, RT_ENCAP_GRE_TEB, gre->key);
}

static const struct {
	uint16_t protocol;
	void (*decode)(struct rt_decode *d, size_t at, const struct gre *gre);
} gre_protocols[] = {
	{ 0x88BE, decode_erspan },
	{ 0x22EB, decode_erspan3 },
	{ 0x6558, decode_teb },
};

void rt_decode_gre(struct rt_decode *d, size_t at)
{
	struct gre gre = { 0 };
	uint16_t protocol;

	if (!rt_decode_has(d, at, 4)) {
		rt_decode_short(d);
		return;
	}
	gre.flags = rt_get_be16(d->data + at);
	protocol = rt_get_be16(d->data + at + 2);
	if (gre.flags & GRE_UNREAD)
		return;
	at += 4;
	if (gre.flags & GRE_CHECKSUM)
		at += 4;
	if (gre.flags & GRE_KEY) {
		if (rt_decode_has(d, at, 4))
			gre.key = rt_get_be32(d->data + at);
		at += 4;
	}
	if (gre.flags & GRE_SEQUENCE)
		at += 4;
	for (size_t i = 0; i < RT_ARRAY_SIZE(gre_protocols); i++)
		if (gre_protocols[i].protocol == protocol)
			gre_protocols[i].decode(d, at, &gre);
}
