/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plain.h - the frame that a RoCE network carries most, decoded in one go.
 *
 * Plain is: Ethernet, at most one 802.1Q tag, IPv4 without options or fragments,
 * UDP to the RoCE port, a BTH with a known opcode and all of its extension headers
 * in the capture, and lengths that agree with each other.  Whatever is not, tunnels
 * and damage above all, is left to the layers of decode.h, which would find in a
 * plain frame just the same.  For rt_frame_decode() and for readers that want it in
 * their loop.
 */
#ifndef RT_WIRE_PLAIN_H
#define RT_WIRE_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "rocetune/frame.h"
#include "wire/bytes.h"
#include "wire/digest.h"
#include "wire/ext.h"
#include "wire/icrc.h"

enum {
	RT_PLAIN_ETH = 14,
	RT_PLAIN_TAG = 4,
	RT_PLAIN_BTH = 28, /* behind the Ethernet header: IPv4, UDP */
	/* All headers with a tag; a packet without has four more, an ICRC at least. */
	RT_PLAIN_MIN = RT_PLAIN_ETH + RT_PLAIN_TAG + RT_PLAIN_BTH + RT_BTH_BYTES,
};

/* Little-endian words of the wire, and which of their bits are told. */
enum {
	RT_PLAIN_IPV4 = 0x450008, /* Ethertype, version 4 with five words of header */
	RT_PLAIN_IPV4_MASK = 0xFFFFFF,
};
#define RT_PLAIN_UDP      0x11000000u /* no fragment, any TTL, UDP */
#define RT_PLAIN_UDP_MASK 0xFF00FF3Fu

static inline void rt_put_le64(uint8_t *at, uint64_t value)
{
	memcpy(at, &value, sizeof(value));
}

/* Extension headers that are all there; and where they were. */
static inline void rt_plain_ext(struct rt_bth *bth, unsigned ext, const uint8_t *at)
{
	switch (ext) {
	case RT_EXT_AETH: rt_ext_get_aeth(bth, at); break;
	case RT_EXT_RETH: rt_ext_get_reth(bth, at); break;
	default:
		for (; ext; ext &= ext - 1) {
			const struct rt_ext *row = &rt_exts[__builtin_ctz(ext)];

			row->get(bth, at);
			at += row->bytes;
		}
	}
}

/* The second byte of the BTH and what shares words with QP and PSN (IBTA 9.2). */
static inline void rt_plain_bits(struct rt_bth *bth, uint8_t second, uint32_t qp,
				 uint32_t psn)
{
	/* solicited, migration; acknowledge; FECN, BECN */
	bth->bits = (uint8_t)(second >> 7 | (second >> 5 & RT_BTH_MIGREQ) |
			      (psn >> 29 & RT_BTH_ACKREQ) | (qp >> 28 & RT_BTH_FECN) |
			      (qp >> 26 & RT_BTH_BECN));
	bth->pad_bytes = second >> 4 & 3;
	bth->tver = second & 15;
}

/* net: the IPv4 header; there are total_bytes of it, of which some may be cut off. */
static inline __attribute__((always_inline)) void
rt_plain_sums(struct rt_frame *frame, const uint8_t *net, uint32_t total_bytes,
	      const uint8_t *cap_end, unsigned flags)
{
	const uint8_t *end = net + total_bytes, *icrc = end - RT_ICRC_BYTES;
	const bool whole = end <= cap_end;

	if (flags & RT_DECODE_DIGEST) {
		const uint8_t *head = net + RT_PLAIN_BTH + RT_BTH_BYTES;
		const size_t left = (size_t)((whole ? end : cap_end) - head);

		if (left)
			rt_digest_set(frame, head, left, whole ? icrc : NULL);
	}
	if (flags & RT_DECODE_ICRC) {
		frame->icrc = RT_ICRC_CUT;
		if (whole)
			frame->icrc = rt_icrc_of(RT_ICRC_IPV4, net, RT_PLAIN_BTH,
						 total_bytes - RT_ICRC_BYTES) ==
						      rt_get_le32(icrc)
					      ? RT_ICRC_OK
					      : RT_ICRC_BAD;
	}
}

#define RT_PLAIN_AT(member) ((uint8_t *)frame + offsetof(struct rt_frame, member))

#define RT_PLAIN_TO(member, from) \
	(offsetof(struct rt_frame, member) - offsetof(struct rt_frame, from))

#define RT_PLAIN_BEHIND(member, before, bytes)                                      \
	_Static_assert(offsetof(struct rt_frame, member) ==                         \
			       offsetof(struct rt_frame, before) + (size_t)(bytes), \
		       "fields are written by words")

RT_PLAIN_BEHIND(version, kind, 1);
RT_PLAIN_BEHIND(encap, kind, 2);
RT_PLAIN_BEHIND(icrc, kind, 3);
RT_PLAIN_BEHIND(ethertype, flags, 2);
RT_PLAIN_BEHIND(vlan, flags, 4);
RT_PLAIN_BEHIND(vlan_tags, flags, 6);
RT_PLAIN_BEHIND(ip_proto, flags, 7);
RT_PLAIN_BEHIND(ecn, dscp, 1);
RT_PLAIN_BEHIND(ttl, dscp, 2);
RT_PLAIN_BEHIND(eth_dst, eth_src, 6);
RT_PLAIN_BEHIND(src, eth_dst, 6);
RT_PLAIN_BEHIND(bth.dest_qp, bth.opcode, 8);
RT_PLAIN_BEHIND(bth.psn, bth.opcode, 12);

RT_PLAIN_BEHIND(dst, src, 17);
RT_PLAIN_BEHIND(slid_dlid, dst, 17);
RT_PLAIN_BEHIND(bth, slid_dlid, 16);

/* All 17 bytes of a struct rt_ip. */
static inline void rt_plain_ip(uint8_t *ip, const uint8_t *from)
{
	rt_put_le64(ip, rt_get_le32(from));
	rt_put_le64(ip + 8, 0);
	rt_put_le64(ip + 9, UINT64_C(4) << 56); /* the version */
}

/*
 * tag_bytes is a constant, 0 or RT_PLAIN_TAG, and the Ethertype behind it is not
 * looked at yet; there are RT_PLAIN_MIN bytes.  All is checked before anything is
 * written; then the rest is zero, and fields that are wider than what they are made
 * of are written over where they reach too far, lowest first.
 */
static inline __attribute__((always_inline)) bool
rt_plain_take(struct rt_frame *frame, const uint8_t *data, unsigned flags,
	      const uint32_t tag_bytes)
{
	const uint32_t net_at = RT_PLAIN_ETH + tag_bytes;
	const uint32_t cap = frame->cap_bytes, wire = frame->wire_bytes;
	const uint8_t *net = data + net_at, *bth = net + RT_PLAIN_BTH;
	const struct rt_op *op = &rt_ops[bth[0]];
	uint32_t total, needs, payload, qp, psn;

	if ((rt_get_le32(net - 2) & RT_PLAIN_IPV4_MASK) != RT_PLAIN_IPV4 ||
	    (rt_get_le32(net + 6) & RT_PLAIN_UDP_MASK) != RT_PLAIN_UDP)
		return false;
	total = rt_get_be16(net + 2);
	if (rt_get_be32(net + 22) != ((uint32_t)RT_ROCE_UDP_PORT << 16) + total - 20 ||
	    net_at + total > (cap < wire ? wire : cap) || !op->name)
		return false;
	needs = RT_PLAIN_BTH + RT_BTH_BYTES + op->ext_bytes;
	/* a length that is too small wraps to a payload that is too large */
	payload = total - needs - (bth[1] >> 4 & 3) - RT_ICRC_BYTES;
	qp = rt_get_be32(bth + 4);
	psn = rt_get_be32(bth + 8);
	if (payload > UINT16_MAX || net_at + needs > cap || (qp & 0xFFFFFF) == RT_QP_CM)
		return false;

	rt_put_le32(RT_PLAIN_AT(kind), RT_FRAME_ROCE | RT_ROCE_V2 << 8);
	rt_put_le64(RT_PLAIN_AT(flags), (frame->flags & RT_FRAME_NO_TIME) |
						(cap < wire) | UINT64_C(0x0800) << 16 |
						UINT64_C(17) << 56);
	if (tag_bytes) {
		frame->vlan = rt_get_be16(data + RT_PLAIN_ETH);
		frame->vlan_tags = 1;
	}
	rt_put_le32(RT_PLAIN_AT(dscp), net[1] >> 2);
	frame->ecn = net[1] & 3;
	frame->ttl = net[8];
	frame->ip_id = rt_get_be16(net + 4);
	frame->udp_sport = rt_get_be16(net + 20);
	frame->udp_dport = RT_ROCE_UDP_PORT;
	memcpy(RT_PLAIN_AT(eth_src), data + 6, 8);
	memcpy(RT_PLAIN_AT(eth_dst), data, 8);
	rt_plain_ip(frame->src.bytes, net + 12);
	rt_plain_ip(frame->dst.bytes, net + 16);
	memset(RT_PLAIN_AT(slid_dlid), 0, RT_PLAIN_TO(bth.dest_qp, slid_dlid));
	memset(RT_PLAIN_AT(bth.payload_bytes), 0,
	       sizeof(*frame) - offsetof(struct rt_frame, bth.payload_bytes));
	frame->bth.opcode = bth[0];
	frame->bth.pkey = rt_get_be16(bth + 2);
	frame->bth.ext = op->ext;
	frame->bth.dest_qp = qp & 0xFFFFFF;
	frame->bth.psn = psn & 0xFFFFFF;
	frame->bth.payload_bytes = payload;
	if (bth[1] | (qp | psn) >> 24)
		rt_plain_bits(&frame->bth, bth[1], qp, psn);
	if (op->ext)
		rt_plain_ext(&frame->bth, op->ext, bth + RT_BTH_BYTES);
	if (flags)
		rt_plain_sums(frame, net, total, data + cap, flags);
	return true;
}

_Static_assert(RT_FRAME_CUT == 1, "set by a comparison");

/* The same with a tag, out of line. */
bool rt_plain_take_tagged(struct rt_frame *frame, const uint8_t *data, unsigned flags);

/*
 * As rt_frame_decode() for a frame of RT_LINK_ETHERNET, when it is a plain one; else
 * false, and nothing was written.
 */
static inline __attribute__((always_inline)) bool
rt_plain_decode(struct rt_frame *frame, const uint8_t *data, unsigned flags)
{
	if (frame->cap_bytes < RT_PLAIN_MIN)
		return false;
	if (__builtin_expect(data[12] == 0x81, 0))
		return data[13] == 0x00 && rt_plain_take_tagged(frame, data, flags);
	return rt_plain_take(frame, data, flags, 0);
}

#endif
