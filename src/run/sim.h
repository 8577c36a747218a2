/* SPDX-License-Identifier: BSD-2-Clause */
/* sim.h - the journey of a simulation: scenario, profile, run, findings. */
#ifndef RT_RUN_SIM_H
#define RT_RUN_SIM_H

#include "rocetune/field.h"
#include "run/outcome.h"

struct rt_err;

/* What the user asked for; unknown numbers leave the scenario's. */
struct rt_sim_request {
	const char *scenario;     /* file, "-": standard input; NULL: an incast */
	struct rt_opt_u64 incast; /* senders, without a scenario */
	struct rt_opt_u64 size_bytes, speed_bps, seed, duration_ps;
	const char *profile; /* name or file; NULL: the scenario's */
	const char *pcap;    /* file to write; NULL: none */
	const char *ports; /* of struct rt_fabric_run, commas between; NULL: hosts:tx */
	/* As in struct rt_fabric_run. */
	void (*progress)(void *user, uint64_t simulated_ns, uint32_t flows_done,
			 uint32_t flows);
	void *progress_user;
};

/*
 * Run it.  The outcome is a struct rt_sim_result of rocetune/sim.h with
 * findings; release it with rt_outcome_release().
 * -EDOM: the request itself is wrong, not what it names: a number out of bounds, a
 * port that is not there, a capture that would go over its own scenario.  -EEXIST:
 * the capture's file is there and is no capture.  Else what reading, running or
 * writing said.
 */
int rt_run_sim(const struct rt_sim_request *request, struct rt_outcome *ret_outcome,
	       struct rt_err *err);

/* Kind scenario_keys: what a scenario file may say. */
extern const struct rt_table rt_sim_keys_table;
int rt_run_sim_keys(struct rt_outcome *ret_outcome, struct rt_err *err);

#endif
