/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * digest.h - a sum over what no switch changes of a packet, by which copies of it
 * are known (RT_DECODE_DIGEST): the head of what stands behind the BTH, and the
 * ICRC where it was captured.  The ICRC alone would say little of senders that
 * write zeros there, the head alone little of payloads that begin alike.
 */
#ifndef RT_WIRE_DIGEST_H
#define RT_WIRE_DIGEST_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "rocetune/frame.h"
#include "wire/bytes.h"

#define RT_DIGEST_HEAD 32

static inline uint64_t rt_digest_mix(uint64_t sum, const uint8_t *at, size_t bytes)
{
	uint64_t word = 0;

	memcpy(&word, at, bytes);
	return (sum << 23 | sum >> 41) ^ word;
}

/*
 * Of a frame with left captured bytes from at, the first behind the BTH, on; icrc
 * is where its ICRC was captured, or NULL.
 */
static inline void rt_digest_set(struct rt_frame *frame, const uint8_t *at, size_t left,
				 const uint8_t *icrc)
{
	uint64_t sum = 0;

	if (left >= RT_DIGEST_HEAD) {
		/* spelled out: compilers leave it a loop */
		sum = rt_digest_mix(0, at, 8);
		sum = rt_digest_mix(sum, at + 8, 8);
		sum = rt_digest_mix(sum, at + 16, 8);
		sum = rt_digest_mix(sum, at + 24, 8);
	} else {
		sum = left;
		for (; left >= 8; left -= 8, at += 8)
			sum = rt_digest_mix(sum, at, 8);
		sum = rt_digest_mix(sum, at, left);
	}
	if (icrc)
		sum += (uint64_t)rt_get_le32(icrc) << 17;
	frame->digest = (uint32_t)(sum * UINT64_C(0x9E3779B97F4A7C15) >> 32);
	frame->flags |= RT_FRAME_DIGEST;
}

#endif
