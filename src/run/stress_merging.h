/* SPDX-License-Identifier: BSD-2-Clause */
/* stress_merging.h - what the files that merge reports share. */
#ifndef RT_RUN_STRESS_MERGING_H
#define RT_RUN_STRESS_MERGING_H

#include "run/stress_merge.h"
#include "run/stress_series.h"

/* Both ends of a flow; NULL: the rank did not report. */
struct rt_stress_ends {
	const struct rt_stress_end *from, *to;
	const struct rt_qp_address *from_address, *to_address;
};

struct rt_stress_merging {
	const struct rt_stress_plan *plan;
	const struct rt_stress_rank *ranks;
	struct rt_stress_result *result;
	struct rt_stress_ends *ends; /* owned: of each flow */
	struct rt_window window;     /* of what is judged */
	size_t intervals;            /* of the run; what came later is of no interval */
	bool utf8;
};

/* Rate of bytes in so long a time of their own, 0 when they took none; see there. */
struct rt_opt_u64 rt_stress_own_bps(const struct rt_stress_merging *merge,
				    struct rt_opt_u64 bytes, uint64_t ns);

/* Who sent and who received, as sums of the queue pairs that load.  -ENOMEM. */
int rt_stress_merge_roles(struct rt_stress_merging *merge);

#endif
