/* SPDX-License-Identifier: BSD-2-Clause */
/* overview.h - what the overview counts while frames go by. */
#ifndef RT_ANALYSIS_OVERVIEW_H
#define RT_ANALYSIS_OVERVIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/stage.h"
#include "rocetune/analysis.h"

#define PORTS     65536
#define VLAN_KEYS (4096 * 8) /* VID and priority */
#define ENCAPS    64

/* Kinds of non-RoCE frames: an open-addressed table that never grows. */
struct content {
	uint32_t key; /* Ethertype << 16 | protocol << 8 | used; 0: empty */
	uint16_t port;
	uint64_t frames, bytes;
};

#define CONTENT_SLOTS (RT_ANALYSIS_MAX_CONTENTS * 2)

struct encap {
	uint8_t kind;
	uint32_t id;
	uint64_t frames;
};

struct overview {
	struct rt_analysis_capture capture;
	struct rt_analysis_roce roce;
	bool has_previous;
	int64_t previous_ns;
	uint64_t kinds[RT_FRAME_KIND_COUNT];
	uint64_t opcodes[256], syndromes[256], pads[4];
	uint64_t ecn[64][4]; /* by DSCP */
	uint64_t versions[4], icrc[4];
	uint64_t sport_seen[PORTS / 64];
	uint64_t vlans[VLAN_KEYS];
	struct content contents[CONTENT_SLOTS];
	uint32_t content_count;
	struct encap encaps[ENCAPS + 1]; /* the last: all that found no room */
	uint32_t encap_count;
};

/* Out of line: what few frames are.  A time before the one before. */
void rt_overview_back(struct overview *overview, int64_t time_ns);

/* Damage, fragments, no time, tunnels, frames that are no RoCE. */
void rt_overview_odd(struct overview *overview, const struct rt_frame *frame);

static inline void rt_overview_roce(struct overview *overview,
				    const struct rt_frame *frame)
{
	const struct rt_bth *bth = &frame->bth;

	overview->versions[frame->version & 3]++;
	overview->ecn[frame->dscp & 63][frame->ecn & 3]++;
	overview->icrc[frame->icrc & 3]++;
	if (frame->version == RT_ROCE_V2)
		overview->sport_seen[frame->udp_sport / 64] |= 1ull
							       << frame->udp_sport % 64;
	if (frame->flags & RT_FRAME_BTH_CUT) {
		overview->roce.bth_cut++;
		return;
	}
	overview->opcodes[bth->opcode]++;
	overview->pads[bth->pad_bytes & 3]++;
	if (bth->bits) {
		overview->roce.ackreq += !!(bth->bits & RT_BTH_ACKREQ);
		overview->roce.becn += !!(bth->bits & RT_BTH_BECN);
		overview->roce.fecn += !!(bth->bits & RT_BTH_FECN);
	}
	if (bth->ext & RT_EXT_AETH)
		overview->syndromes[bth->syndrome]++;
}

static inline void rt_overview_take(struct overview *overview,
				    const struct rt_frame *frame)
{
	const unsigned odd = RT_FRAME_MALFORMED | RT_FRAME_FRAGMENT | RT_FRAME_NO_TIME;

	overview->capture.frames++;
	overview->capture.wire_bytes += frame->wire_bytes;
	overview->capture.captured_bytes += frame->cap_bytes;
	overview->capture.truncated += !!(frame->flags & RT_FRAME_CUT);
	overview->kinds[frame->kind < RT_FRAME_KIND_COUNT ? frame->kind : 0]++;
	if (!(frame->flags & RT_FRAME_NO_TIME)) {
		if (overview->has_previous && frame->time_ns < overview->previous_ns)
			rt_overview_back(overview, frame->time_ns);
		overview->has_previous = true;
		overview->previous_ns = frame->time_ns;
	}
	if (frame->vlan_tags)
		overview->vlans[(frame->vlan & 0xFFF) << 3 | frame->vlan >> 13]++;
	if (frame->kind == RT_FRAME_ROCE)
		rt_overview_roce(overview, frame);
	if (frame->kind == RT_FRAME_OTHER || frame->encap != RT_ENCAP_NONE ||
	    frame->flags & odd)
		rt_overview_odd(overview, frame);
}

/* Fills the sections capture and roce of the result.  -ENOMEM. */
int rt_overview_result(const struct overview *overview,
		       const struct rt_stage_context *context,
		       struct rt_analysis *result, struct rt_err *err);

#endif
