/* SPDX-License-Identifier: BSD-2-Clause */
/* lab_env.c - from a lab to the commands on its hosts. */
#include "run/lab_env.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rocetune/err.h"
#include "rocetune/units.h"
#include "run/lab_plan.h"

void rt_lab_env_set(const struct rt_lab_store *store, const struct rt_lab_state *state,
		    const char *host)
{
	char rate[32], folder[sizeof(store->path) + sizeof(state->name)];

	snprintf(rate, sizeof(rate), "%" PRIu64 "bps", state->rate_bps);
	setenv(RT_LAB_ENV_HOST, host, 1);
	setenv(RT_LAB_ENV_RATE, rate, 1);
	setenv(RT_LAB_ENV_SCENARIO, state->scenario, 1);
	setenv(RT_LAB_ENV_PROFILE, state->profile, 1);
	setenv(RT_LAB_ENV_FAULTS, state->faults, 1);
	snprintf(folder, sizeof(folder), "%s/%s", store->path, state->name);
	setenv(RT_LAB_ENV_FOLDER, folder, 1);
}

/* "" is as good as not there. */
static const char *word(const char *name)
{
	const char *text = getenv(name);

	return text && *text ? text : NULL;
}

static int read_rate(uint64_t *ret_bps, struct rt_err *err)
{
	const char *text = word(RT_LAB_ENV_RATE);
	int r = rt_unit_parse(RT_UNIT_BPS, text ? text : "", ret_bps, err);

	if (r < 0 || *ret_bps == 0)
		return rt_err_set(err, -EINVAL,
				  RT_LAB_ENV_RATE
				  "='%.40s' is no rate of a lab: start it by "
				  "rocetune lab exec, or unset " RT_LAB_ENV_HOST,
				  text ? text : "");
	return 0;
}

struct rt_opt_u64 rt_lab_env_rate_bps(void)
{
	uint64_t bps = 0;

	if (!word(RT_LAB_ENV_HOST) || read_rate(&bps, NULL) < 0)
		return (struct rt_opt_u64){ 0 };
	return RT_KNOWN_U64(bps);
}

int rt_lab_env_read(struct rt_lab_env *ret_env, struct rt_err *err)
{
	const char *host = word(RT_LAB_ENV_HOST);
	struct rt_lab_request request = {
		.scenario = word(RT_LAB_ENV_SCENARIO),
		.profile = word(RT_LAB_ENV_PROFILE),
		.faults = word(RT_LAB_ENV_FAULTS),
	};
	char rate[RT_UNIT_TEXT_BYTES];
	struct rt_lab_plan plan;
	uint64_t bps = 0;
	int r;

	if (!host) {
		ret_env->host = NULL;
		return 0;
	}
	r = read_rate(&bps, err);
	request.rate_bps = RT_KNOWN_U64(bps);
	if (r == 0)
		r = rt_lab_plan_remake(&request, &plan, err);
	if (r < 0)
		return r == -EDOM ? -EINVAL : r;
	ret_env->host = host;
	ret_env->folder = word(RT_LAB_ENV_FOLDER);
	ret_env->rate_bps = bps;
	ret_env->laws = plan.laws;
	ret_env->faults = rt_lab_faults_of_host(&plan.faults, host, bps);
	snprintf(ret_env->said, sizeof(ret_env->said),
		 "host %.15s of a lab: links of %s, times x %.4g", host,
		 rt_unit_format(RT_UNIT_BPS, bps, rate), plan.scale.times);
	rt_lab_plan_free(&plan);
	return 0;
}
