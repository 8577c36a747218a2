/* SPDX-License-Identifier: BSD-2-Clause */
/* decode_ib.c - LRH, GRH, BTH and its extension headers (IBTA chapters 7 to 9). */
#include "wire/decode.h"

#include <string.h>

#include "wire/bytes.h"
#include "wire/digest.h"
#include "wire/ext.h"

#define NEXT_HEADER_IBA 0x1B

/* Virtual lane, version; service level, LNH; DLID; length in words; SLID. */
#define LRH_BYTES 8
#define GRH_BYTES 40

enum {
	LNH_IBA_LOCAL = 2,
	LNH_IBA_GLOBAL = 3,
};

static enum rt_icrc check_icrc(const struct rt_decode *d, size_t bth_at)
{
	size_t covered;

	/* a fragment holds no ICRC even when all of it was captured */
	if (d->end > d->cap || d->frame->flags & RT_FRAME_FRAGMENT)
		return RT_ICRC_CUT;
	if (d->end < bth_at + RT_BTH_BYTES + RT_ICRC_BYTES)
		return RT_ICRC_NONE;
	covered = d->end - RT_ICRC_BYTES - d->net_at;
	return rt_icrc_of(d->form, d->data + d->net_at, bth_at - d->net_at, covered) ==
			       rt_get_le32(d->data + d->end - RT_ICRC_BYTES)
		       ? RT_ICRC_OK
		       : RT_ICRC_BAD;
}

/* Fill in those extension headers of op that are there, from at on. */
static void decode_ext(struct rt_decode *d, const struct rt_op *op, size_t at)
{
	struct rt_frame *frame = d->frame;

	for (unsigned ext = op->ext; ext; ext &= ext - 1) {
		const struct rt_ext *row = &rt_exts[__builtin_ctz(ext)];

		if (!rt_decode_has(d, at, row->bytes)) {
			frame->flags |= RT_FRAME_EXT_CUT;
			return;
		}
		row->get(&frame->bth, d->data + at);
		frame->bth.ext |= (uint16_t)(ext & -ext);
		at += row->bytes;
	}
}

static void set_payload(struct rt_decode *d, const struct rt_op *op, size_t bth_at)
{
	struct rt_bth *bth = &d->frame->bth;
	const size_t around = bth_at + RT_BTH_BYTES + op->ext_bytes + bth->pad_bytes +
			      RT_ICRC_BYTES;

	if (d->end >= around)
		bth->payload_bytes = (uint32_t)(d->end - around);
	else
		rt_decode_malformed(d);
}

/* Frames that end with their BTH have nothing to sum up. */
static void set_digest(struct rt_decode *d, size_t at)
{
	const bool whole = d->end <= d->cap && d->end >= at + RT_ICRC_BYTES;

	if (d->cap > at)
		rt_digest_set(d->frame, d->data + at, d->cap - at,
			      whole ? d->data + d->end - RT_ICRC_BYTES : NULL);
}

void rt_decode_bth(struct rt_decode *d, size_t at, enum rt_roce_version version)
{
	struct rt_frame *frame = d->frame;
	struct rt_bth *bth = &frame->bth;
	const uint8_t *raw = d->data + at;
	const struct rt_op *op;

	frame->kind = RT_FRAME_ROCE;
	frame->version = (uint8_t)version;
	if (d->flags & RT_DECODE_ICRC)
		frame->icrc = (uint8_t)check_icrc(d, at);
	if (!rt_decode_has(d, at, RT_BTH_BYTES)) {
		frame->flags |= RT_FRAME_BTH_CUT;
		if (d->cap == d->end)
			rt_decode_missing(d);
		return;
	}

	bth->opcode = raw[0];
	bth->bits = (uint8_t)((raw[1] & 0x80 ? RT_BTH_SOLICITED : 0) |
			      (raw[1] & 0x40 ? RT_BTH_MIGREQ : 0) |
			      (raw[8] & 0x80 ? RT_BTH_ACKREQ : 0) |
			      (raw[4] & 0x80 ? RT_BTH_FECN : 0) |
			      (raw[4] & 0x40 ? RT_BTH_BECN : 0));
	bth->pad_bytes = raw[1] >> 4 & 3;
	bth->tver = raw[1] & 15;
	bth->pkey = rt_get_be16(raw + 2);
	bth->dest_qp = rt_get_be24_low(raw + 4);
	bth->psn = rt_get_be24_low(raw + 8);

	op = &rt_ops[bth->opcode];
	if (!op->name)
		frame->flags |= RT_FRAME_OP_UNKNOWN;
	if (op->ext)
		decode_ext(d, op, at + RT_BTH_BYTES);
	set_payload(d, op, at);
	if (bth->dest_qp == RT_QP_CM && bth->opcode == RT_OP_UD_SEND_ONLY)
		rt_decode_mad(d, at + RT_BTH_BYTES + op->ext_bytes);
	if (d->flags & RT_DECODE_DIGEST)
		set_digest(d, at + RT_BTH_BYTES);
}

/* GRH fields, laid out as an IPv6 header; false when it is none. */
static bool take_grh(struct rt_decode *d, size_t at)
{
	struct rt_frame *frame = d->frame;
	const uint8_t *grh = d->data + at;
	const uint8_t tclass = (uint8_t)(rt_get_be16(grh) >> 4);

	if (grh[0] >> 4 != 6 || grh[6] != NEXT_HEADER_IBA) {
		rt_decode_malformed(d);
		return false;
	}
	frame->flags |= RT_FRAME_GRH;
	frame->dscp = tclass >> 2;
	frame->ecn = tclass & 3;
	frame->ttl = grh[7];
	memcpy(frame->src.bytes, grh + 8, 16);
	memcpy(frame->dst.bytes, grh + 24, 16);
	frame->src.version = frame->dst.version = 6;
	return true;
}

void rt_decode_grh(struct rt_decode *d, size_t at)
{
	if (!rt_decode_has(d, at, GRH_BYTES)) {
		rt_decode_short(d);
		return;
	}
	if (!take_grh(d, at))
		return;
	rt_decode_extent(d, at + GRH_BYTES + rt_get_be16(d->data + at + 4));
	d->net_at = at;
	d->form = RT_ICRC_GRH;
	rt_decode_bth(d, at + GRH_BYTES, RT_ROCE_V1);
}

void rt_decode_lrh(struct rt_decode *d, size_t at)
{
	const uint8_t *lrh = d->data + at;
	uint8_t next;

	if (!rt_decode_has(d, at, LRH_BYTES)) {
		rt_decode_short(d);
		return;
	}
	next = lrh[1] & 3;
	d->frame->slid_dlid = (uint32_t)rt_get_be16(lrh + 6) << 16 |
			      rt_get_be16(lrh + 2);
	/* counts from here through the ICRC; the VCRC comes behind */
	rt_decode_extent(d, at + (rt_get_be16(lrh + 4) & 0x7FFu) * 4);
	d->net_at = at;
	d->form = RT_ICRC_LRH;
	if (next == LNH_IBA_LOCAL) {
		rt_decode_bth(d, at + LRH_BYTES, RT_ROCE_IB);
		return;
	}
	if (next != LNH_IBA_GLOBAL)
		return; /* raw packets: no BTH in there */
	if (!rt_decode_has(d, at + LRH_BYTES, GRH_BYTES)) {
		rt_decode_short(d);
		return;
	}
	if (!take_grh(d, at + LRH_BYTES))
		return;
	d->form = RT_ICRC_LRH_GRH;
	rt_decode_bth(d, at + LRH_BYTES + GRH_BYTES, RT_ROCE_IB);
}
