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
	RT_PLAIN_BTH = 28, /* behind the Ethernet header: IPv4, UDP */
	/* All headers with a tag; a packet without has four more, an ICRC at least. */
	RT_PLAIN_MIN = RT_PLAIN_ETH + 4 + RT_PLAIN_BTH + RT_BTH_BYTES,
};

/* Ethertype of IPv4, version 4 with five words of header; as little endian. */
#define RT_PLAIN_IPV4 0x450008u

/* From the total length on: no fragment, UDP. */
#define RT_PLAIN_UDP_MASK 0xFF00FF3F00000000u
#define RT_PLAIN_UDP      0x1100000000000000u

static inline uint64_t rt_get_le64(const uint8_t *at)
{
	uint64_t raw;

	memcpy(&raw, at, sizeof(raw));
	return raw;
}

/* What a plain frame has been found to be, before anything is written. */
struct rt_plain {
	const uint8_t *net; /* the IPv4 header */
	const struct rt_op *op;
	uint32_t total_bytes, payload_bytes;
	uint32_t dest_qp, psn; /* with the bits beside them */
	uint64_t lengths;      /* eight bytes from the total length on */
	uint64_t udp;          /* the UDP header */
	bool tagged;
};

static inline bool rt_plain_find(const struct rt_frame *frame, const uint8_t *data,
				 struct rt_plain *plain)
{
	const uint32_t cap = frame->cap_bytes, wire = frame->wire_bytes;
	const uint32_t end = cap < wire ? wire : cap;
	const uint8_t *net = data + RT_PLAIN_ETH, *bth;
	uint32_t net_at = RT_PLAIN_ETH, needs;

	if (cap < RT_PLAIN_MIN)
		return false;
	plain->tagged = data[12] == 0x81 && data[13] == 0x00;
	if (plain->tagged) {
		net += 4;
		net_at += 4;
	}
	plain->net = net;
	plain->lengths = rt_get_le64(net + 2);
	plain->udp = rt_get_le64(net + 20);
	plain->total_bytes = __builtin_bswap16((uint16_t)plain->lengths);
	bth = net + RT_PLAIN_BTH;
	plain->op = &rt_ops[bth[0]];
	plain->dest_qp = rt_get_be32(bth + 4);
	plain->psn = rt_get_be32(bth + 8);
	if ((rt_get_le32(net - 2) & 0xFFFFFF) != RT_PLAIN_IPV4 ||
	    (plain->lengths & RT_PLAIN_UDP_MASK) != RT_PLAIN_UDP ||
	    __builtin_bswap16((uint16_t)(plain->udp >> 16)) != RT_ROCE_UDP_PORT ||
	    __builtin_bswap16((uint16_t)(plain->udp >> 32)) + 20u !=
		    plain->total_bytes ||
	    !plain->op->name || (plain->dest_qp & 0xFFFFFF) == RT_QP_CM)
		return false;
	needs = RT_PLAIN_BTH + RT_BTH_BYTES + plain->op->ext_bytes;
	plain->payload_bytes = plain->total_bytes - needs - (bth[1] >> 4 & 3) -
			       RT_ICRC_BYTES;
	/* a length that is too small wraps to a payload that is too large */
	return plain->payload_bytes < UINT16_MAX && net_at + needs <= cap &&
	       net_at + plain->total_bytes <= end;
}

static inline void rt_plain_ext(struct rt_bth *bth, unsigned ext, const uint8_t *at)
{
	bth->ext = (uint16_t)ext;
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

/* Not all was captured, or whether the last four bytes are right. */
static inline enum rt_icrc rt_plain_icrc(const struct rt_plain *plain,
					 const struct rt_frame *frame,
					 const uint8_t *data)
{
	const uint8_t *icrc = plain->net + plain->total_bytes - RT_ICRC_BYTES;

	if (icrc + RT_ICRC_BYTES > data + frame->cap_bytes)
		return RT_ICRC_CUT;
	return rt_icrc_of(RT_ICRC_IPV4, plain->net, RT_PLAIN_BTH,
			  plain->total_bytes - RT_ICRC_BYTES) == rt_get_le32(icrc)
		       ? RT_ICRC_OK
		       : RT_ICRC_BAD;
}

_Static_assert(offsetof(struct rt_frame, ecn) == offsetof(struct rt_frame, dscp) + 1 &&
		       offsetof(struct rt_frame, ttl) ==
			       offsetof(struct rt_frame, dscp) + 2 &&
		       offsetof(struct rt_frame, eth_dst) ==
			       offsetof(struct rt_frame, eth_src) + 6,
	       "written as words");

/*
 * As rt_frame_decode() for a frame of RT_LINK_ETHERNET, when it is a plain one; else
 * false, and nothing was written.
 */
static inline bool rt_plain_decode(struct rt_frame *frame, const uint8_t *data,
				   unsigned flags)
{
	uint8_t *const raw = (uint8_t *)frame;
	struct rt_bth *bth = &frame->bth;
	struct rt_plain plain;
	const uint8_t *at;

	if (!rt_plain_find(frame, data, &plain))
		return false;
	at = plain.net + RT_PLAIN_BTH;
	frame->kind = RT_FRAME_ROCE;
	frame->version = RT_ROCE_V2;
	frame->encap = RT_ENCAP_NONE;
	frame->icrc = RT_ICRC_NONE;
	frame->flags = (uint16_t)((frame->flags & RT_FRAME_NO_TIME) |
				  (frame->cap_bytes < frame->wire_bytes ? RT_FRAME_CUT
									: 0));
	frame->ethertype = 0x0800;
	frame->vlan = plain.tagged ? rt_get_be16(data + RT_PLAIN_ETH) : 0;
	frame->vlan_tags = plain.tagged;
	frame->ip_proto = 17;
	rt_put_le32(raw + offsetof(struct rt_frame, dscp),
		    plain.net[1] >> 2 | (plain.net[1] & 3u) << 8 |
			    (uint32_t)plain.net[8] << 16);
	frame->ip_id = __builtin_bswap16((uint16_t)(plain.lengths >> 16));
	frame->udp_sport = __builtin_bswap16((uint16_t)plain.udp);
	frame->udp_dport = RT_ROCE_UDP_PORT;
	/* Whole words, lowest first: each writes over what the one before had too much. */
	memcpy(raw + offsetof(struct rt_frame, eth_src), data + 6, 8);
	memcpy(raw + offsetof(struct rt_frame, eth_dst), data, 8);
	memset(raw + offsetof(struct rt_frame, src), 0,
	       sizeof(*frame) - offsetof(struct rt_frame, src));
	memcpy(frame->src.bytes, plain.net + 12, 4);
	memcpy(frame->dst.bytes, plain.net + 16, 4);
	frame->src.version = frame->dst.version = 4;

	bth->opcode = at[0];
	/* solicited, migration; acknowledge; FECN, BECN */
	bth->bits = (uint8_t)(at[1] >> 7 | (at[1] >> 5 & RT_BTH_MIGREQ) |
			      (plain.psn >> 29 & RT_BTH_ACKREQ) |
			      (plain.dest_qp >> 28 & RT_BTH_FECN) |
			      (plain.dest_qp >> 26 & RT_BTH_BECN));
	bth->pad_bytes = at[1] >> 4 & 3;
	bth->tver = at[1] & 15;
	bth->pkey = rt_get_be16(at + 2);
	bth->dest_qp = plain.dest_qp & 0xFFFFFF;
	bth->psn = plain.psn & 0xFFFFFF;
	bth->payload_bytes = plain.payload_bytes;
	if (plain.op->ext)
		rt_plain_ext(bth, plain.op->ext, at + RT_BTH_BYTES);
	if (flags & RT_DECODE_DIGEST) {
		const uint8_t *head = at + RT_BTH_BYTES, *end = data + frame->cap_bytes;
		const uint8_t *whole = plain.net + plain.total_bytes;

		if (end > whole)
			end = whole;
		if (end > head)
			rt_digest_set(frame, head, (size_t)(end - head),
				      end == whole ? whole - RT_ICRC_BYTES : NULL);
	}
	if (flags & RT_DECODE_ICRC)
		frame->icrc = (uint8_t)rt_plain_icrc(&plain, frame, data);
	return true;
}

#endif
