/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scenario_finish.c - what follows from a scenario's keys, and what must hold
 * between them.  Each check names the key that it is about first, so that the
 * reader can say where the file has it.
 */
#include <errno.h>
#include <stdio.h>

#include "base/own.h"
#include "cc/dcqcn.h"
#include "cc/rc.h"
#include "model/scenario.h"
#include "model/topology.h"
#include "model/workload.h"
#include "rocetune/err.h"
#include "rocetune/scenario.h"

/* A star of unsaid size is as large as its workloads need. */
static uint32_t hosts_needed(const struct rt_scenario *scenario)
{
	uint32_t needed = 2;

	for (size_t i = 0; i < scenario->workload_count; i++) {
		const struct rt_workload_spec *spec = &scenario->workloads[i];

		if (spec->kind == RT_WORKLOAD_INCAST && spec->senders + 1 > needed)
			needed = spec->senders + 1;
		if (spec->kind == RT_WORKLOAD_OUTCAST && spec->receivers + 1 > needed)
			needed = spec->receivers + 1;
		if (spec->sender + 1 > needed)
			needed = spec->sender + 1;
		if (spec->receiver + 1 > needed)
			needed = spec->receiver + 1;
		for (size_t k = 0; k < spec->flow_count; k++) {
			const struct rt_flow_entry *flow = &spec->flows[k];

			if (flow->from + 1 > needed)
				needed = flow->from + 1;
			if (flow->to + 1 > needed)
				needed = flow->to + 1;
		}
	}
	return needed;
}

/* Kinds that take every host there is say nothing of how many: somebody must. */
static int check_hosts(const struct rt_scenario *scenario,
		       struct rt_scenario_place *place, struct rt_err *err)
{
	if (scenario->topology.hosts)
		return 0;
	for (size_t i = 0; i < scenario->workload_count; i++)
		if (scenario->workloads[i].kind == RT_WORKLOAD_INCAST ||
		    scenario->workloads[i].kind == RT_WORKLOAD_OUTCAST ||
		    scenario->workloads[i].kind == RT_WORKLOAD_FLOWS)
			return 0;
	*place = (struct rt_scenario_place){ .section = "workload", .key = "kind" };
	return rt_err_set(err, -EINVAL,
			  "workload 1: how many hosts? This kind uses all there are: "
			  "set topology.hosts");
}

static int check_bursts(const struct rt_workload_spec *spec,
			struct rt_scenario_place *place, struct rt_err *err)
{
	const unsigned number = (unsigned)place->workload + 1;

	place->key = "burst_off";
	if (spec->off_ps && !spec->on_ps)
		return rt_err_set(err, -EINVAL,
				  "workload %u: burst_off without burst_on", number);
	place->key = "burst_on";
	if (spec->on_ps && !spec->off_ps)
		return rt_err_set(err, -EINVAL,
				  "workload %u: burst_on without burst_off, so that "
				  "no burst would end",
				  number);
	if (spec->on_ps && spec->on_ps < 1000)
		return rt_err_set(err, -EINVAL, "workload %u: burst_on below 1ns",
				  number);
	return 0;
}

/* What is listed fits the hosts. */
static int check_flows(const struct rt_scenario *scenario,
		       const struct rt_workload_spec *spec, uint32_t hosts,
		       struct rt_scenario_place *place, struct rt_err *err)
{
	const bool hashed = scenario->model.ecmp == RT_ECMP_HPCC;
	const unsigned number = (unsigned)place->workload + 1;

	place->key = "kind";
	if (spec->kind == RT_WORKLOAD_FLOWS && !spec->flow_count)
		return rt_err_set(err, -EINVAL, "workload %u: lists no flows", number);
	place->key = "flows";
	for (size_t i = 0; i < spec->flow_count; i++) {
		const struct rt_flow_entry *flow = &spec->flows[i];

		place->item = i + 1;
		if (flow->from >= hosts || flow->to >= hosts)
			return rt_err_set(
				err, -EINVAL,
				"workload %u: flow %zu of %zu, from %u to %u, "
				"does not fit %u hosts (numbered from 0)",
				number, i + 1, spec->flow_count, flow->from, flow->to,
				hosts);
		if (flow->from == flow->to)
			return rt_err_set(err, -EINVAL,
					  "workload %u: flow %zu of %zu goes from host "
					  "%u to itself",
					  number, i + 1, spec->flow_count, flow->from);
		if (!hashed && (flow->sport.known || flow->dport.known))
			return rt_err_set(
				err, -EINVAL,
				"workload %u: flow %zu of %zu has a sport or "
				"dport, which only ecmp: hpcc looks at: leave it "
				"out or set model.ecmp",
				number, i + 1, spec->flow_count);
	}
	place->item = 0;
	return 0;
}

static bool goes_to_one(const struct rt_workload_spec *spec)
{
	return spec->kind == RT_WORKLOAD_INCAST ||
	       spec->kind == RT_WORKLOAD_POISSON_INCAST;
}

static int check_workload(const struct rt_scenario *scenario,
			  const struct rt_workload_spec *spec, uint32_t hosts,
			  struct rt_scenario_place *place, struct rt_err *err)
{
	const unsigned number = (unsigned)place->workload + 1;

	place->section = "workload";
	place->key = "senders";
	if (spec->kind == RT_WORKLOAD_INCAST && spec->senders >= hosts)
		return rt_err_set(
			err, -EINVAL,
			"workload %u: %u senders and a receiver do not fit %u "
			"hosts",
			number, spec->senders, hosts);
	place->key = "receiver";
	if (goes_to_one(spec) && spec->receiver >= hosts)
		return rt_err_set(
			err, -EINVAL,
			"workload %u: there is no host %u to receive, only 0 to "
			"%u",
			number, spec->receiver, hosts - 1);
	place->key = spec->senders ? "senders" : "receiver";
	if (spec->senders && spec->kind == RT_WORKLOAD_POISSON_INCAST)
		return rt_err_set(
			err, -EINVAL,
			"workload %u: senders is for an incast, here any host "
			"but the receiver sends",
			number);
	if (!goes_to_one(spec) && (spec->senders || spec->receiver))
		return rt_err_set(
			err, -EINVAL, "workload %u: %s is for an incast, here %s",
			number, place->key,
			spec->kind == RT_WORKLOAD_OUTCAST ? "a sender has receivers"
							  : "every host sends");
	if (check_flows(scenario, spec, hosts, place, err) < 0)
		return -EINVAL;
	if (check_bursts(spec, place, err) < 0)
		return -EINVAL;
	return rt_scenario_check_traffic(spec, hosts, place, err);
}

/* Flows start before the longest run would end. */
static int check_starts(const struct rt_scenario *scenario,
			const struct rt_workload_spec *spec, uint32_t hosts,
			struct rt_scenario_place *place, struct rt_err *err)
{
	const uint64_t last_ps = rt_workload_last_start_ps(scenario, spec, hosts);
	const bool random = spec->kind == RT_WORKLOAD_POISSON ||
			    spec->kind == RT_WORKLOAD_POISSON_INCAST;
	const unsigned number = (unsigned)place->workload + 1;

	if (last_ps <= RT_SIM_MAX_DURATION_PS)
		return 0;
	place->section = "workload";
	place->key = random ? "load" : "stagger";
	if (random)
		return rt_err_set(err, -EINVAL,
				  "workload %u: at this load %u flows of %.3g bytes "
				  "would take more than the longest run, 1000s, to "
				  "arrive: ask for a higher load, smaller flows or "
				  "fewer arrivals",
				  number, spec->arrivals, rt_workload_mean_bytes(spec));
	return rt_err_set(err, -EINVAL,
			  "workload %u: the last flow would start after %.0fs, the "
			  "longest run is 1000s: make stagger shorter",
			  number, (double)last_ps * 1e-12);
}

/* A time to warm up ends before the run does. */
static int check_warmup(const struct rt_scenario *scenario,
			struct rt_scenario_place *place, struct rt_err *err)
{
	char warmup[RT_UNIT_TEXT_BYTES], duration[RT_UNIT_TEXT_BYTES];

	*place = (struct rt_scenario_place){ .key = "warmup" };
	if (!scenario->duration_ps || scenario->warmup_ps < scenario->duration_ps)
		return 0;
	return rt_err_set(
		err, -EINVAL, "warmup %s leaves nothing of duration %s to average over",
		rt_unit_format_exact(RT_UNIT_PS, scenario->warmup_ps, warmup),
		rt_unit_format_exact(RT_UNIT_PS, scenario->duration_ps, duration));
}

/* A run shows something: a flow starts before it ends. */
static int check_duration(const struct rt_scenario *scenario,
			  struct rt_scenario_place *place, struct rt_err *err)
{
	char first[RT_UNIT_TEXT_BYTES], duration[RT_UNIT_TEXT_BYTES];
	uint64_t first_ps = UINT64_MAX;

	*place = (struct rt_scenario_place){ .key = "duration" };
	for (size_t i = 0; i < scenario->workload_count; i++) {
		const struct rt_workload_spec *spec = &scenario->workloads[i];
		uint64_t listed_ps = spec->flow_count ? UINT64_MAX : 0;

		for (size_t k = 0; k < spec->flow_count; k++)
			if (spec->flows[k].start_ps < listed_ps)
				listed_ps = spec->flows[k].start_ps;
		if (spec->start_ps + listed_ps < first_ps)
			first_ps = spec->start_ps + listed_ps;
	}
	if (!scenario->duration_ps || first_ps < scenario->duration_ps)
		return 0;
	return rt_err_set(
		err, -EINVAL,
		"duration %s is over before the first flow starts, at %s: make it "
		"longer, or start flows earlier",
		rt_unit_format_exact(RT_UNIT_PS, scenario->duration_ps, duration),
		rt_unit_format_exact(RT_UNIT_PS, first_ps, first));
}

static int check_set(const char *name, struct rt_err *err)
{
	char known[200] = "";
	size_t used = 0;

	if (!*name || rt_dcqcn_set_find(name))
		return 0;
	for (const struct rt_dcqcn_set *set = rt_dcqcn_sets;
	     set->name && used < sizeof(known); set++)
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s",
					 used ? ", " : "", set->name);
	return rt_err_set(err, -EINVAL, "dcqcn: no set is called '%s', only %s", name,
			  known);
}

/* The first is more than the second can hold. */
static int check_order(const char *name, const struct rt_opt_u64 *low, const char *of,
		       const struct rt_opt_u64 *high, struct rt_err *err)
{
	char a[RT_UNIT_TEXT_BYTES], b[RT_UNIT_TEXT_BYTES];

	if (!low->known || !high->known || low->value <= high->value)
		return 0;
	return rt_err_set(err, -EINVAL, "%s %s is above %s %s", name,
			  rt_unit_format(RT_UNIT_BYTES, low->value, a), of,
			  rt_unit_format(RT_UNIT_BYTES, high->value, b));
}

/* A key that an option takes all effect from. */
static int check_idle(const struct rt_model_spec *model,
		      struct rt_scenario_place *place, struct rt_err *err)
{
	const struct {
		const char *key, *option;
		unsigned bit;
		const struct rt_opt_u64 *given;
	} idle[] = {
		{ "headroom", "no_pfc", RT_MODEL_NO_PFC, &model->headroom_bytes },
		{ "xon_offset", "no_pfc", RT_MODEL_NO_PFC, &model->xon_offset_bytes },
		{ "pause_quanta", "no_pfc", RT_MODEL_NO_PFC, &model->pause_quanta },
		{ "pause_refresh", "no_pfc", RT_MODEL_NO_PFC,
		  &model->pause_refresh_ps },
		{ "pfc_reaction", "no_pfc", RT_MODEL_NO_PFC, &model->pfc_reaction_ps },
		{ "pause_quanta", "pause_on_off", RT_MODEL_PAUSE_ON_OFF,
		  &model->pause_quanta },
		{ "pause_refresh", "pause_on_off", RT_MODEL_PAUSE_ON_OFF,
		  &model->pause_refresh_ps },
		{ "cnp_interval", "ecn_echo_in_ack", RT_MODEL_ECN_ECHO_IN_ACK,
		  &model->cnp_interval_ps },
		{ "nak_repeat", "selective_repeat", RT_MODEL_SELECTIVE_REPEAT,
		  &model->nak_repeat_ps },
		{ "byte_counter", "mlx_timers", RT_MODEL_MLX_TIMERS,
		  &model->byte_counter_bytes },
		{ "kmin", "no_ecn", RT_MODEL_NO_ECN, &model->kmin_bytes },
		{ "kmax", "no_ecn", RT_MODEL_NO_ECN, &model->kmax_bytes },
		{ "pmax", "no_ecn", RT_MODEL_NO_ECN, &model->pmax_ppb },
		{ "cnp_interval", "no_ecn", RT_MODEL_NO_ECN, &model->cnp_interval_ps },
		{ "cnp_interval", "no_cc", RT_MODEL_NO_CC, &model->cnp_interval_ps },
		{ "g", "no_cc", RT_MODEL_NO_CC, &model->g_ppb },
		{ "initial_alpha", "no_cc", RT_MODEL_NO_CC, &model->initial_alpha_ppb },
		{ "alpha_interval", "no_cc", RT_MODEL_NO_CC,
		  &model->alpha_interval_ps },
		{ "cut_interval", "no_cc", RT_MODEL_NO_CC, &model->cut_interval_ps },
		{ "timer", "no_cc", RT_MODEL_NO_CC, &model->timer_ps },
		{ "byte_counter", "no_cc", RT_MODEL_NO_CC, &model->byte_counter_bytes },
		{ "fast_recovery", "no_cc", RT_MODEL_NO_CC, &model->fast_recovery },
		{ "rai", "no_cc", RT_MODEL_NO_CC, &model->rai_bps },
		{ "rhai", "no_cc", RT_MODEL_NO_CC, &model->rhai_bps },
		{ "min_rate", "no_cc", RT_MODEL_NO_CC, &model->min_rate_bps },
	};

	for (size_t i = 0; i < RT_ARRAY_SIZE(idle); i++) {
		place->key = idle[i].key;
		if (idle[i].given->known && model->options & idle[i].bit)
			return rt_err_set(err, -EINVAL,
					  "%s has no effect under option %s: leave "
					  "one out",
					  idle[i].key, idle[i].option);
	}
	return 0;
}

static const char *option_name(unsigned bit)
{
	const struct rt_name *name = rt_model_options;

	while (name->value != bit)
		name++;
	return name->name;
}

/* The same of options, and of the named set. */
static int check_idle_options(const struct rt_model_spec *model,
			      struct rt_scenario_place *place, struct rt_err *err)
{
	static const struct {
		unsigned idle, under;
	} rows[] = {
		{ RT_MODEL_RED_AT_ENQUEUE, RT_MODEL_NO_ECN },
		{ RT_MODEL_ALPHA_FIRST, RT_MODEL_NO_CC },
		{ RT_MODEL_MLX_TIMERS, RT_MODEL_NO_CC },
		{ RT_MODEL_NP_TICK, RT_MODEL_NO_CC },
		{ RT_MODEL_QCN_HERITAGE, RT_MODEL_NO_CC },
		{ RT_MODEL_VARIABLE_WINDOW, RT_MODEL_NO_CC },
		{ RT_MODEL_NAK_CUTS, RT_MODEL_NO_CC },
		{ RT_MODEL_PAUSE_ON_OFF, RT_MODEL_NO_PFC },
	};

	place->key = "options";
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++)
		if (model->options & rows[i].idle && model->options & rows[i].under)
			return rt_err_set(err, -EINVAL,
					  "option %s has no effect under option %s: "
					  "leave one out",
					  option_name(rows[i].idle),
					  option_name(rows[i].under));
	if (model->options & RT_MODEL_VARIABLE_WINDOW && !model->window_bytes.known)
		return rt_err_set(err, -EINVAL,
				  "option variable_window has no effect without a "
				  "window: set window or leave it out");
	place->key = "dcqcn";
	if (*model->dcqcn && model->options & RT_MODEL_NO_CC)
		return rt_err_set(err, -EINVAL,
				  "dcqcn has no effect under option no_cc: leave one "
				  "out");
	return 0;
}

/* Selective repeat keeps a window's packets; go-back-N has one time-out. */
static int check_recovery(const struct rt_model_spec *model,
			  struct rt_scenario_place *place, struct rt_err *err)
{
	const bool selective = model->options & RT_MODEL_SELECTIVE_REPEAT;
	const uint64_t mtu = model->mtu_bytes.known ? model->mtu_bytes.value : 1024;

	place->key = "rto_low";
	if (model->rto_low_ps.known && !selective)
		return rt_err_set(err, -EINVAL,
				  "rto_low has no effect without option "
				  "selective_repeat: leave one out");
	if (model->rto_low_ps.known && model->rto_ps.known &&
	    model->rto_low_ps.value > model->rto_ps.value)
		return rt_err_set(err, -EINVAL, "rto_low is longer than rto");
	place->key = "options";
	if (selective && !model->window_bytes.known)
		return rt_err_set(err, -EINVAL,
				  "selective_repeat needs a window: bandwidth times "
				  "round trip, such as window: 52KB");
	place->key = "window";
	if (selective && model->window_bytes.value / mtu >= RT_RC_SELECTIVE_MAX)
		return rt_err_set(err, -EINVAL,
				  "window: under selective_repeat at most %u packets",
				  RT_RC_SELECTIVE_MAX - 1);
	return 0;
}

/* A rate's floor that no cut could go below. */
static int check_floor(const struct rt_scenario *scenario,
		       struct rt_scenario_place *place, struct rt_err *err)
{
	const struct rt_opt_u64 *floor = &scenario->model.min_rate_bps;
	const uint64_t speed_bps = scenario->topology.speed_bps;
	char min[RT_UNIT_TEXT_BYTES], line[RT_UNIT_TEXT_BYTES];

	*place = (struct rt_scenario_place){ .section = "model", .key = "min_rate" };
	if (!floor->known || floor->value < speed_bps)
		return 0;
	return rt_err_set(err, -EINVAL,
			  "min_rate %s is not below the line rate %s: no cut would "
			  "have an effect",
			  rt_unit_format(RT_UNIT_BPS, floor->value, min),
			  rt_unit_format(RT_UNIT_BPS, speed_bps, line));
}

/* Keys that contradict one another; where one is left out, nobody is wrong yet. */
static int check_model(const struct rt_model_spec *model,
		       struct rt_scenario_place *place, struct rt_err *err)
{
	const struct {
		const char *low, *high;
		const struct rt_opt_u64 *low_bytes, *high_bytes;
	} orders[] = {
		{ "kmin", "kmax", &model->kmin_bytes, &model->kmax_bytes },
		{ "pool", "buffer", &model->pool_bytes, &model->buffer_bytes },
		{ "xon_offset", "xoff", &model->xon_offset_bytes, &model->xoff_bytes },
	};
	int r = 0;

	*place = (struct rt_scenario_place){ .section = "model" };
	for (size_t i = 0; r == 0 && i < RT_ARRAY_SIZE(orders); i++) {
		place->key = orders[i].low;
		r = check_order(orders[i].low, orders[i].low_bytes, orders[i].high,
				orders[i].high_bytes, err);
	}
	if (r == 0)
		r = check_idle(model, place, err);
	if (r == 0)
		r = check_idle_options(model, place, err);
	if (r == 0)
		r = check_recovery(model, place, err);
	if (r < 0)
		return r;
	place->key = "xoff";
	if (model->xoff_bytes.known && model->buffer_alpha_ppb.known)
		return rt_err_set(err, -EINVAL,
				  "xoff and buffer_alpha are two thresholds for one "
				  "ingress: leave one out");
	place->key = "cnp_prio";
	if (model->data_prio.known && model->cnp_prio.known &&
	    model->data_prio.value == model->cnp_prio.value)
		return rt_err_set(err, -EINVAL,
				  "cnp_prio and data_prio are both %u: CNPs would wait "
				  "in the queue that they report",
				  (unsigned)model->cnp_prio.value);
	place->key = "dcqcn";
	return check_set(model->dcqcn, err);
}

/* Work is bounded by what the scenario says, before any of it is done. */
static int check_size(const struct rt_scenario *scenario, uint32_t hosts,
		      struct rt_scenario_place *place, struct rt_err *err)
{
	const struct rt_opt_u64 *mtu = &scenario->model.mtu_bytes;
	const uint64_t payload = mtu->known ? mtu->value : 1024;
	/* What the hosts' links carry in the duration. */
	const double links = (double)hosts * (double)scenario->topology.speed_bps *
			     ((double)scenario->duration_ps * 1e-12) /
			     (8 * (double)payload);
	const char *longest = "size";
	uint64_t flows = 0;
	double packets = 0, most = 0;

	*place = (struct rt_scenario_place){ .section = "workload" };
	for (size_t i = 0; i < scenario->workload_count; i++) {
		const struct rt_workload_spec *spec = &scenario->workloads[i];
		const uint64_t count = rt_workload_flow_count(spec, hosts);
		double sends = (double)count *
			       (rt_workload_mean_bytes(spec) / (double)payload + 1);

		if (spec->duration_ps)
			sends = (double)count *
				rt_workload_timed_packets(
					spec, scenario->topology.speed_bps, payload);
		if (spec->kind == RT_WORKLOAD_FLOWS)
			sends = 0;
		for (size_t k = 0; k < spec->flow_count; k++)
			sends += (double)spec->flows[k].size_bytes / (double)payload +
				 1;
		flows += count;
		packets += sends;
		if (sends > most) {
			most = sends;
			place->workload = i;
			longest = spec->duration_ps ? "duration" : "size";
		}
	}
	if (flows > RT_SIM_MAX_FLOWS)
		return rt_err_set(err, -EINVAL, "%llu flows, the most is %u",
				  (unsigned long long)flows, RT_SIM_MAX_FLOWS);
	place->key = longest;
	if (scenario->duration_ps && packets > links)
		packets = links;
	if (packets > (double)RT_SIM_MAX_PACKETS && !scenario->on_hosts)
		return rt_err_set(err, -EINVAL,
				  "%.3g packets, the most is %.3g: make flows smaller "
				  "or the duration shorter",
				  packets, (double)RT_SIM_MAX_PACKETS);
	return 0;
}

int rt_scenario_finish_at(struct rt_scenario *scenario,
			  struct rt_scenario_place *ret_place, struct rt_err *err)
{
	struct rt_topology_spec *topology = &scenario->topology;
	struct rt_topology built;
	uint32_t hosts;
	int r;

	*ret_place = (struct rt_scenario_place){ .section = "topology",
						 .key = "hosts" };
	r = check_hosts(scenario, ret_place, err);
	if (r < 0)
		return r;
	if (!topology->hosts)
		topology->hosts = hosts_needed(scenario);
	if (!topology->fabric_speed_bps)
		topology->fabric_speed_bps = topology->speed_bps;
	r = rt_topology_build(topology, &built, err);
	if (r < 0)
		return r;
	hosts = built.hosts;
	rt_topology_free(&built);
	for (size_t i = 0; i < scenario->workload_count && r == 0; i++) {
		ret_place->workload = i;
		r = check_workload(scenario, &scenario->workloads[i], hosts, ret_place,
				   err);
		if (r == 0)
			r = check_starts(scenario, &scenario->workloads[i], hosts,
					 ret_place, err);
	}
	if (r == 0)
		r = rt_scenario_check_checks(scenario, hosts, ret_place, err);
	if (r == 0)
		r = check_model(&scenario->model, ret_place, err);
	if (r == 0)
		r = check_floor(scenario, ret_place, err);
	if (r == 0)
		r = check_warmup(scenario, ret_place, err);
	if (r == 0)
		r = check_duration(scenario, ret_place, err);
	return r < 0 ? r : check_size(scenario, hosts, ret_place, err);
}

int rt_scenario_finish(struct rt_scenario *scenario, struct rt_err *err)
{
	struct rt_scenario_place place;

	return rt_scenario_finish_at(scenario, &place, err);
}
