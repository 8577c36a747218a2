/* SPDX-License-Identifier: BSD-2-Clause */
/* apply_run.h - `apply` and `rollback` on a host in memory. */
#ifndef RT_TESTS_APPLY_RUN_H
#define RT_TESTS_APPLY_RUN_H

#include "apply_folder.h"
#include "deadly_host.h"
#include "model/finding.h"
#include "run/outcome.h"
#include "run/recover.h"

#define PLAIN                                                                         \
	"classes:\n"                                                                  \
	"  roce: {dscp: [26], prio: 3, tc: 3, lossless: yes, ect: nic, sched: {ets: " \
	"60}}\n"                                                                      \
	"  be: {dscp: [0], prio: 0, tc: 0, sched: {ets: 40}}\n"                       \
	"host:\n  trust: dscp\n  global_pause: no\n"

static struct rt_apply_host host;

static inline void begin(const char *personality, const char *text)
{
	fake_host_new(&host);
	assert_non_null(rt_fake_add_port(deaths->fake, personality));
	/* en_dcbnl.c mlx5e_build_tc_tx_bw(): beside a class without a share stands 100. */
	if (strcmp(personality, "mlx5") == 0)
		memset(deaths->fake->ports[0].dcb.ets.bw, 100, 8);
	write_profile(text);
}

static inline void file(const char *path, const char *text)
{
	assert_non_null(rt_fake_add_file(deaths->fake, path, RT_FAKE_TEXT, text));
}

/* The first port of the fake, unless wish names others. */
static inline const struct rt_applied *run(struct rt_apply_wish wish,
					   struct rt_outcome *outcome)
{
	const char *const device = deaths->fake->ports[0].rdma.ibdev;
	struct rt_err err = { 0 };

	if (!wish.devices) {
		wish.devices = &device;
		wish.device_count = 1;
	}
	wish.profile = profile;
	if (!wish.confirm_ns.known)
		wish.confirm_ns = RT_KNOWN_U64(0);
	*outcome = (struct rt_outcome){ 0 };
	if (rt_run_apply(&host, &wish, outcome, &err) < 0)
		fail_msg("%s", err.msg);
	return outcome->object;
}

static inline const struct rt_applied_knob *knob(const struct rt_applied_port *port,
						 const char *name)
{
	for (size_t i = 0; i < port->knob_count; i++)
		if (strcmp(port->knobs[i].knob, name) == 0)
			return &port->knobs[i];
	fail_msg("no %s", name);
	return NULL;
}

static inline const struct rt_finding *finding(const struct rt_applied *applied,
					       const char *id)
{
	for (size_t i = 0; i < applied->findings.count; i++)
		if (strcmp(applied->findings.items[i].id, id) == 0)
			return &applied->findings.items[i];
	return NULL;
}

static inline void rollback(const struct rt_apply_wish *wish,
			    struct rt_outcome *outcome, int want)
{
	struct rt_err err = { 0 };

	*outcome = (struct rt_outcome){ 0 };
	if (rt_run_rollback(&host, wish, outcome, &err) != want)
		fail_msg("%s", err.msg);
}

#endif
