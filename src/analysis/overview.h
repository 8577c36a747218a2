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
	uint64_t tos[256]; /* by DSCP and ECN, as an IP header has them */
	uint64_t versions[4], icrc[4];
	uint64_t sport_seen[PORTS / 64];
	uint64_t vlans[VLAN_KEYS];
	struct content contents[CONTENT_SLOTS];
	uint32_t content_count;
	struct encap encaps[ENCAPS + 1]; /* the last: all that found no room */
	uint32_t encap_count;
};

/* What is added once for many frames. */
struct rt_overview_sums {
	uint64_t frames, usual;
	uint64_t icrc_ok,
		icrc_cut; /* of usual ones; of the others it was not checked */
	uint64_t wire_bytes, captured_bytes, truncated;
};

static inline void rt_overview_count_time(struct overview *overview, int64_t time_ns)
{
	if (__builtin_expect(time_ns < overview->previous_ns, 0) &&
	    overview->has_previous) {
		const uint64_t back = rt_elapsed_ns(time_ns, overview->previous_ns);

		overview->capture.times_back++;
		if (back > overview->capture.longest_back_ns)
			overview->capture.longest_back_ns = back;
	}
	overview->has_previous = true;
	overview->previous_ns = time_ns;
}

static inline void rt_overview_count_sport(struct overview *overview, uint16_t port)
{
	overview->sport_seen[port / 64] |= UINT64_C(1) << port % 64;
}

/* Of each frame one of these, in their order, and what it adds to the sums. */
void rt_overview_take_any(struct overview *overview, const struct rt_frame *frame);
void rt_overview_take_usual(struct overview *overview, const struct rt_frame *frame);

static inline void rt_overview_sum(struct rt_overview_sums *sums, uint32_t wire_bytes,
				   uint32_t captured_bytes, bool cut)
{
	sums->wire_bytes += wire_bytes;
	sums->captured_bytes += captured_bytes;
	sums->truncated += cut;
}

void rt_overview_add(struct overview *overview, const struct rt_overview_sums *sums);

/* Fills the sections capture and roce of the result.  -ENOMEM. */
int rt_overview_result(const struct overview *overview,
		       const struct rt_stage_context *context,
		       struct rt_analysis *result, struct rt_err *err);

#endif
