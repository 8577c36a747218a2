/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lab_env.h - what a command on a host of a lab is told of it, in its environment: a
 * veth pair claims 10 Gb/s, a profile has the real fabric's times, and all hosts have
 * the machine's name.
 */
#ifndef RT_RUN_LAB_ENV_H
#define RT_RUN_LAB_ENV_H

#include "lab/lab_state.h"
#include "model/fabric_config.h"
#include "traffic/faults.h"

struct rt_err;

/* ROCETUNE_LAB: the host; the others have the scenario and profile it was made of. */
#define RT_LAB_ENV_HOST     "ROCETUNE_LAB"
#define RT_LAB_ENV_RATE     "ROCETUNE_LAB_RATE"
#define RT_LAB_ENV_SCENARIO "ROCETUNE_LAB_SCENARIO"
#define RT_LAB_ENV_PROFILE  "ROCETUNE_LAB_PROFILE"
#define RT_LAB_ENV_FAULTS   "ROCETUNE_LAB_FAULTS"
#define RT_LAB_ENV_FOLDER   "ROCETUNE_LAB_FOLDER" /* of the lab's notes */

/* Into the own environment, for children; host: "h0", "switch". */
void rt_lab_env_set(const struct rt_lab_store *store, const struct rt_lab_state *state,
		    const char *host);

/* Of the links of the lab this runs in, bit/s; unknown: it runs in none. */
struct rt_opt_u64 rt_lab_env_rate_bps(void);

struct rt_lab_env {
	const char *host;   /* of the environment; NULL: not in a lab */
	const char *folder; /* of the lab's notes; NULL: not told */
	uint64_t rate_bps;
	struct rt_fabric_config laws;   /* scaled */
	struct rt_engine_faults faults; /* of this host, on purpose */
	char said[200];                 /* for the report: "in a lab of 200Mb/s" */
};

/*
 * Where this runs.  -EINVAL: the environment is not what `lab exec` writes.  Also what
 * reading its scenario and profile says.
 */
int rt_lab_env_read(struct rt_lab_env *ret_env, struct rt_err *err);

#endif
