/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stress_plan.h - from what the user asked for to the flows of all ranks and the times
 * at which they start: pure, but for the files that the wish names.
 */
#ifndef RT_RUN_STRESS_PLAN_H
#define RT_RUN_STRESS_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/fabric_config.h"
#include "run/stress.h"
#include "run/stress_record.h"
#include "traffic/flow.h"

struct rt_err;
struct rt_profile;

#define RT_STRESS_TIME_NS     (UINT64_C(3) * 1000000000)
#define RT_STRESS_INTERVAL_NS UINT64_C(100000000)

struct rt_stress_plan {
	struct rt_traffic_flow *flows; /* owned; flow is the index */
	size_t flow_count;
	uint32_t ranks;
	char pattern[64];
	char profile[256];
	char marking[96];
	unsigned victim; /* enum rt_victim_kind */
	uint64_t total_ns, alone_ns, interval_ns;
	uint64_t hold_from_ns, hold_to_ns; /* all are to send */
	uint64_t wanted_ns; /* a file's flows would go on so long; 0: it has none */
	struct rt_opt_u64 lossless; /* mask of priorities */
	uint64_t victim_bound_ppb;
	bool with_abort;
	double slower; /* scenario's links than those that there are; 1: as fast */
	bool even;     /* every sender has the same to do, all the time */
	bool sized;    /* flows end after so many bytes */
	char engine[16];
	struct rt_engine_config config;
	bool with_laws;
	struct rt_fabric_config laws;
	struct rt_scenario scenario; /* owned: what it was made of, and its checks */
	bool checks_later;           /* as the wish has it */
};

/*
 * -EDOM: the wish is wrong, or does not fit ranks.  Else what reading the scenario, a
 * list of sizes or the profile said.  Free with rt_stress_plan_free().
 */
int rt_stress_plan(const struct rt_stress_wish *wish, uint32_t ranks,
		   struct rt_stress_plan *ret_plan, struct rt_err *err);
/*
 * As rt_stress_plan(), and nothing is kept: for those who would wait for hosts first.  A
 * file that is standard input is left for the run.
 */
int rt_stress_rehearse(const struct rt_stress_wish *wish, uint32_t ranks,
		       struct rt_err *err);

void rt_stress_plan_free(struct rt_stress_plan *plan);

/* The job of a rank, owning copies of its flows: rt_record_free().  -ENOMEM. */
int rt_stress_plan_job(const struct rt_stress_plan *plan, uint32_t rank,
		       struct rt_stress_job *ret_job, struct rt_err *err);

#endif
