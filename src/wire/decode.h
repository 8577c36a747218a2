/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * decode.h - what the layers of the decoder share.  Internal to wire.
 *
 * A layer is a function of (decoder, offset of its header).  It checks that its
 * header is there, takes what the frame struct wants, narrows the bounds by its
 * own length field and goes on with the next layer.  Offsets are size_t and grow
 * by small steps, so they cannot wrap.
 */
#ifndef RT_WIRE_DECODE_H
#define RT_WIRE_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rocetune/frame.h"
#include "wire/icrc.h"

struct rt_decode {
	struct rt_frame *frame;
	const uint8_t *data;
	size_t cap;    /* bytes of the layer at hand that may be read */
	size_t end;    /* where that layer ends on the wire: cap, or more when cut */
	size_t net_at; /* the first header that the ICRC covers */
	enum rt_icrc_form form;
	unsigned flags; /* enum rt_decode_flags */
	unsigned depth; /* tunnels around this layer */
};

static inline bool rt_decode_has(const struct rt_decode *d, size_t at, size_t bytes)
{
	return at + bytes <= d->cap;
}

static inline void rt_decode_malformed(struct rt_decode *d)
{
	d->frame->flags |= RT_FRAME_MALFORMED;
}

/* More should be here, but nothing was cut off by the capture. */
static inline void rt_decode_missing(struct rt_decode *d)
{
	/* mirrors cut what they wrap */
	d->frame->flags |= d->depth ? RT_FRAME_CUT : RT_FRAME_MALFORMED;
}

/* The header at hand is not all there, so the frame cannot be told. */
static inline void rt_decode_short(struct rt_decode *d)
{
	d->frame->kind = RT_FRAME_SHORT;
	if (d->cap == d->end)
		rt_decode_missing(d);
}

/* The layer says it ends here: what follows is padding, FCS or damage. */
static inline void rt_decode_narrow(struct rt_decode *d, size_t end)
{
	if (end > d->end) {
		rt_decode_malformed(d);
		return;
	}
	d->end = end;
	if (d->cap > end)
		d->cap = end;
}

/*
 * As above for the length of a network header.  When it goes beyond the frame it
 * is believed: some switches cut the frames they mirror to their first bytes, so
 * that the frame on the wire is short and whole.
 */
static inline void rt_decode_extent(struct rt_decode *d, size_t end)
{
	if (end <= d->end) {
		rt_decode_narrow(d, end);
		return;
	}
	rt_decode_missing(d);
	d->frame->flags |= RT_FRAME_CUT;
	d->end = end;
}

/* What rt_frame_decode() does with a frame that is not plain (plain.h). */
void rt_frame_decode_layers(struct rt_frame *frame, const uint8_t *data,
			    unsigned flags);

void rt_decode_ethernet(struct rt_decode *d, size_t at);

/* Network layers. */
void rt_decode_ipv4(struct rt_decode *d, size_t at);
void rt_decode_ipv6(struct rt_decode *d, size_t at);
void rt_decode_ip(struct rt_decode *d, size_t at); /* told by its version */

/* Tunnels; false when it is none of them, so plain UDP. */
bool rt_decode_udp_tunnel(struct rt_decode *d, size_t at, uint16_t dport);
void rt_decode_gre(struct rt_decode *d, size_t at);

/* InfiniBand layers. */
void rt_decode_lrh(struct rt_decode *d, size_t at);
void rt_decode_grh(struct rt_decode *d, size_t at); /* RoCEv1 */
/* d->form and d->net_at say what is in front. */
void rt_decode_bth(struct rt_decode *d, size_t at, enum rt_roce_version version);

/* A management datagram, behind the DETH; fills bth.cm when it is one of the CM. */
void rt_decode_mad(struct rt_decode *d, size_t at);

#endif
