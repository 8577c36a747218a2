/* SPDX-License-Identifier: BSD-2-Clause */
/* watch_sim.c - samples of a simulation. */
#include "run/watch_sim.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/own.h"
#include "cc/ps.h"
#include "fabric/steps.h"
#include "model/counters_fill.h"
#include "model/fabric_config.h"
#include "rocetune/err.h"
#include "rocetune/profile.h"
#include "rocetune/scenario.h"
#include "run/sim_profile.h"
#include "run/watch_want.h"
#include "watch/sample.h"
#include "watch/source.h"

struct watch_sim {
	struct rt_watch_source source; /* first */
	const struct rt_watch_request *request;
	struct rt_scenario scenario;
	struct rt_fabric_config config;
	struct rt_fabric_steps *steps;
	uint64_t step_ps, next_ps;
	bool begun, over;
};

static struct watch_sim *of(struct rt_watch_source *source)
{
	return (struct watch_sim *)source;
}

/* --- counters ------------------------------------------------------------------------- */

#define PRIO(member_) offsetof(struct rt_fabric_prio_look, member_)

/* In the order of the catalogue. */
static const struct row {
	enum rt_counter_id id;
	size_t offset;
	bool sums; /* the port's own is the sum */
} rows[] = {
	{ RT_COUNTER_PFC_RX_FRAMES, PRIO(pause_rx), false },
	{ RT_COUNTER_PFC_RX_NS, PRIO(paused_ns), false },
	{ RT_COUNTER_PFC_TX_FRAMES, PRIO(pause_tx), false },
	{ RT_COUNTER_PFC_TX_NS, PRIO(pausing_ns), false },
	{ RT_COUNTER_RX_BYTES, PRIO(rx_bytes), true },
	{ RT_COUNTER_RX_FRAMES, PRIO(rx_frames), true },
	{ RT_COUNTER_TX_BYTES, PRIO(tx_bytes), true },
	{ RT_COUNTER_TX_FRAMES, PRIO(tx_frames), true },
};

static uint64_t put_prios(struct rt_counter_fill *to, enum rt_counter_id id,
			  size_t offset, const struct rt_fabric_look *look)
{
	return rt_counter_put_prios(to, id, look->prios, sizeof(look->prios[0]),
				    offset);
}

static void put_nic(struct rt_counter_fill *to, const struct rt_fabric_look *look)
{
	const struct {
		enum rt_counter_id id;
		uint64_t value;
	} of[] = {
		{ RT_COUNTER_CE_RX, look->ce_rx },
		{ RT_COUNTER_CNP_TX, look->cnp_tx },
		{ RT_COUNTER_CNP_RX, look->cnp_rx },
		{ RT_COUNTER_CNP_HANDLED, look->cnp_rx },
		{ RT_COUNTER_SEQ_NAKS_RX, look->naks_rx },
		{ RT_COUNTER_ACK_TIMEOUTS, look->timeouts },
		{ RT_COUNTER_RETRY_EXCEEDED, look->failed },
		{ RT_COUNTER_RX_DISCARDS, 0 }, /* hosts have room for all */
	};

	for (size_t i = 0; i < RT_ARRAY_SIZE(of); i++)
		rt_counter_put_port(to, of[i].id, of[i].value);
}

static void put_switch(struct rt_counter_fill *to, const struct rt_fabric_look *look)
{
	uint64_t dropped;

	rt_counter_put_port(to, RT_COUNTER_SWITCH_MARKED, look->marked);
	dropped = put_prios(to, RT_COUNTER_RX_DISCARDS, PRIO(drops), look);
	rt_counter_put_port(to, RT_COUNTER_RX_DISCARDS, dropped);
}

static int fill_set(const struct rt_fabric_look *look, int64_t time_ns,
		    struct rt_counter_set *set)
{
	struct rt_counter_fill to = rt_counter_fill_begin(set, RT_SOURCE_SIM, time_ns);

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		const uint64_t sum = put_prios(&to, rows[i].id, rows[i].offset, look);

		if (rows[i].sums)
			rt_counter_put_port(&to, rows[i].id, sum);
	}
	if (look->is_nic)
		put_nic(&to, look);
	else
		put_switch(&to, look);
	return rt_counter_fill_end(&to);
}

/* --- ports ---------------------------------------------------------------------------- */

static void describe(const struct watch_sim *sim, const struct rt_fabric_look *look,
		     struct rt_watch_port *port)
{
	const struct rt_fabric_config *config = &sim->config;

	snprintf(port->name, sizeof(port->name), "%s", look->name);
	snprintf(port->peer, sizeof(port->peer), "%s", look->peer);
	port->role = look->is_nic ? RT_WATCH_NIC : RT_WATCH_SWITCH;
	port->state = RT_WATCH_UP;
	port->speed_bps = RT_KNOWN_U64(look->speed_bps);
	port->lossless = RT_KNOWN_U64(rt_fabric_config_lossless(config));
	if (!look->is_nic)
		return;
	port->rdma_prios = RT_KNOWN_U64(UINT64_C(1) << config->data_prio);
	if (config->np.pacing != RT_NP_EVERY)
		port->cnp_gap_ns = RT_KNOWN_U64(config->np.interval_ps / RT_PS_PER_NS);
}

static int fill(const struct watch_sim *sim, struct rt_watch_sample *sample)
{
	const bool first = sample->count == 0;
	size_t at = 0;
	int r = 0;

	for (uint32_t i = 0; i < rt_fabric_steps_ports(sim->steps) && r == 0; i++) {
		struct rt_fabric_look look;

		rt_fabric_steps_look(sim->steps, i, &look);
		if (!rt_watch_wants(sim->request, look.name, ""))
			continue;
		if (first && !rt_watch_sample_add(sample))
			return -ENOMEM;
		if (first)
			describe(sim, &look, &sample->items[at].port);
		r = fill_set(&look, sample->time_ns, &sample->items[at++].set);
	}
	return r;
}

/* --- the source ------------------------------------------------------------------------ */

static int sim_sample(struct rt_watch_source *source, struct rt_watch_sample *sample,
		      struct rt_err *err)
{
	struct watch_sim *sim = of(source);
	uint64_t now_ps = 0;
	int r = 0;

	/* The first is of what was before the first event: all that comes is shown. */
	if (sim->begun)
		r = rt_fabric_step(sim->steps, sim->next_ps, &now_ps, err);
	sim->begun = true;
	sim->over = r < 0;
	if (r < 0)
		return r;
	sim->next_ps = now_ps + sim->step_ps;
	/* Its world began with the epoch. */
	sample->time_ns = sample->wall_ns = (int64_t)(now_ps / RT_PS_PER_NS);
	r = fill(sim, sample);
	return r < 0 ? rt_err_sys(err, r, "cannot hold the ports") : 0;
}

static int sim_next_ns(struct rt_watch_source *source, int64_t *ret_ns)
{
	const struct watch_sim *sim = of(source);

	if (sim->over)
		return -ENODATA;
	*ret_ns = (int64_t)(sim->next_ps / RT_PS_PER_NS);
	return 0;
}

static void sim_close(struct rt_watch_source *source)
{
	struct watch_sim *sim = of(source);

	rt_fabric_steps_close(sim->steps);
	rt_scenario_free(&sim->scenario);
	free(sim);
}

static const struct rt_watch_source_ops ops = {
	.name = "sim",
	.help = "the NICs and switches of a scenario that is simulated",
	.sample = sim_sample,
	.next_ns = sim_next_ns,
	.close = sim_close,
};

static int read_all(struct watch_sim *sim, const char *path, struct rt_err *err)
{
	RT_AUTO(rt_auto_profile_free) struct rt_profile *profile = NULL;
	int r = rt_file_check_regular(path, err);

	if (r == 0)
		r = rt_scenario_read(path, &sim->scenario, err);
	if (r == 0)
		r = rt_sim_profile_read(NULL, false, &sim->scenario, &profile, err);
	if (r == 0)
		r = rt_scenario_finish(&sim->scenario, err);
	if (r == 0)
		r = rt_sim_profile_laws(&sim->scenario, profile, &sim->config, err);
	if (r == 0)
		r = rt_fabric_steps_open(&sim->scenario, &sim->config, &sim->steps,
					 err);
	return r;
}

static int check_wanted(const struct watch_sim *sim, const char *path,
			struct rt_err *err)
{
	uint64_t wanted = 0;

	for (uint32_t i = 0; i < rt_fabric_steps_ports(sim->steps); i++) {
		struct rt_fabric_look look;

		rt_fabric_steps_look(sim->steps, i, &look);
		wanted += rt_watch_wants(sim->request, look.name, "");
	}
	return wanted ? rt_watch_check_ports(wanted, path, err)
		      : rt_err_set(err, -ENODEV, "%s has no such port", path);
}

static uint64_t choose_step_ps(const struct watch_sim *sim)
{
	const uint64_t interval_ns = sim->request->interval_ns;
	uint64_t step_ps = RT_WATCH_SIM_STEP_PS;

	if (interval_ns)
		step_ps = interval_ns * RT_PS_PER_NS / RT_WATCH_SIM_FASTER;
	else if (sim->scenario.duration_ps)
		step_ps = sim->scenario.duration_ps / RT_WATCH_SIM_STEPS;
	return step_ps > RT_PS_PER_NS ? step_ps : RT_PS_PER_NS;
}

int rt_watch_sim_open(const char *path, const struct rt_watch_request *request,
		      struct rt_watch_source **ret_source, struct rt_err *err)
{
	struct watch_sim *sim = calloc(1, sizeof(*sim));
	int r;

	if (!sim)
		return rt_err_sys(err, -ENOMEM, "cannot watch a simulation");
	sim->source.ops = &ops;
	sim->request = request;
	r = read_all(sim, path, err);
	sim->step_ps = choose_step_ps(sim);
	if (r == 0)
		r = check_wanted(sim, path, err);
	if (r < 0) {
		sim_close(&sim->source);
		return r;
	}
	snprintf(sim->source.title, sizeof(sim->source.title), "simulation %.100s",
		 path);
	*ret_source = &sim->source;
	return 0;
}
