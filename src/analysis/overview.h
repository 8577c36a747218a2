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

/* Counts every frame, of any kind. */
void rt_overview_take(struct overview *overview, const struct rt_batch *batch);

/* Fills the sections capture and roce of the result.  -ENOMEM. */
int rt_overview_result(const struct overview *overview,
		       const struct rt_stage_context *context,
		       struct rt_analysis *result, struct rt_err *err);

#endif
