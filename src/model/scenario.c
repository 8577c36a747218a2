/* SPDX-License-Identifier: BSD-2-Clause */
#include "model/scenario.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/doc.h"
#include "base/own.h"
#include "base/text.h"
#include "model/topology.h"
#include "model/workload.h"
#include "rocetune/err.h"
#include "rocetune/scenario.h"

enum key_type {
	KEY_U32,
	KEY_U64,
	KEY_OPT,     /* struct rt_opt_u64 */
	KEY_ENUM,    /* unsigned, one of names */
	KEY_OPTIONS, /* list of names, or-ed into an unsigned */
	KEY_CHARS,   /* char[max + 1] */
};

const struct rt_name rt_model_options[] = {
	{ "ecn_echo_in_ack", RT_MODEL_ECN_ECHO_IN_ACK,
	  "receivers send no CNP; each ACK carries the mark of its packet back" },
	{ "red_at_enqueue", RT_MODEL_RED_AT_ENQUEUE,
	  "mark by the queue a packet finds, not by the one it leaves behind" },
	{ "truncated_serialisation", RT_MODEL_TRUNCATED_SERIALISATION,
	  "time to send a packet is cut to whole nanoseconds, as in ns-3 models" },
	{ "alpha_first", RT_MODEL_ALPHA_FIRST,
	  "a CNP raises alpha before the cut; the paper cuts with the old one" },
	{ "mlx_timers", RT_MODEL_MLX_TIMERS,
	  "alpha and cuts run on free timers and there is no byte counter, as in NICs" },
	{ "np_tick", RT_MODEL_NP_TICK,
	  "a receiver looks for marks on a free-running tick of the CNP interval" },
	{ "qcn_heritage", RT_MODEL_QCN_HERITAGE,
	  "first increase divides a target above ten times the rate by eight; timer "
	  "and byte counter halve in hyper increase" },
	{ "pause_on_off", RT_MODEL_PAUSE_ON_OFF,
	  "a pause lasts until it is taken back: no quanta, no refresh" },
	{ "ack_high_prio", RT_MODEL_ACK_HIGH_PRIO,
	  "hosts send ACKs before all else and never pause them" },
	{ "no_pfc", RT_MODEL_NO_PFC, "nothing is paused; full buffers drop" },
	{ "no_ecn", RT_MODEL_NO_ECN, "switches never mark" },
	{ "no_cc", RT_MODEL_NO_CC, "senders stay at line rate" },
	{ "variable_window", RT_MODEL_VARIABLE_WINDOW,
	  "the window shrinks with the rate: window * rate / line rate" },
	{ "pool_counts_all", RT_MODEL_POOL_COUNTS_ALL,
	  "guarantees and headroom count in the shared pool, as in the DCQCN authors' "
	  "model" },
	{ "pending_send_stays", RT_MODEL_PENDING_SEND_STAYS,
	  "a new rate counts from the next packet on; a send already timed keeps its "
	  "time" },
	{ 0 },
};

static const struct rt_name topology_names[] = {
	{ "star", RT_TOPOLOGY_STAR, "every host on one switch" },
	{ "leaf-spine", RT_TOPOLOGY_LEAF_SPINE, "leaves and spines, ECMP" },
	{ 0 },
};

static const struct rt_name workload_names[] = {
	{ "incast", RT_WORKLOAD_INCAST, "many hosts send to one" },
	{ "permutation", RT_WORKLOAD_PERMUTATION, "every host sends to one other" },
	{ "alltoall", RT_WORKLOAD_ALLTOALL, "every host sends to every other" },
	{ 0 },
};

static const struct rt_name wire_names[] = {
	{ "ethernet", RT_WIRE_ETHERNET,
	  "RoCEv2 over Ethernet; preamble, FCS and inter-frame gap take time" },
	{ "hpcc", RT_WIRE_HPCC, "payload + 48 bytes, control packets of 60" },
	{ "ns3-rdma", RT_WIRE_NS3_RDMA, "payload + 20 bytes, control packets of 28" },
	{ 0 },
};

#define US UINT64_C(1000000)	      /* in ps */
#define MS (UINT64_C(1000) * US)      /* in ps */
#define S (UINT64_C(1000000) * US)    /* in ps */
#define GBPS UINT64_C(1000000000)

#define TOP(kind, member, unit_, min_, max_, def_, help_, ...)                         \
	{ .section = "", .name = #kind, .help = help_, .def = def_,                    \
	  .unit = RT_UNIT_##unit_, .offset = offsetof(struct rt_scenario, member),     \
	  .min = min_, .max = max_, ##__VA_ARGS__ }
#define TOPOLOGY(key_, member, unit_, min_, max_, def_, help_, ...)                    \
	{ .section = "topology", .name = key_, .help = help_, .def = def_,             \
	  .unit = RT_UNIT_##unit_,                                                     \
	  .offset = offsetof(struct rt_scenario, topology.member), .min = min_,        \
	  .max = max_, ##__VA_ARGS__ }
#define WORKLOAD(key_, member, unit_, min_, max_, def_, help_, ...)                    \
	{ .section = "workload", .name = key_, .help = help_, .def = def_,             \
	  .unit = RT_UNIT_##unit_, .offset = offsetof(struct rt_workload_spec, member), \
	  .min = min_, .max = max_, ##__VA_ARGS__ }
#define MODEL(key_, member, unit_, min_, max_, help_, ...)                             \
	{ .section = "model", .name = key_, .help = help_, .unit = RT_UNIT_##unit_,    \
	  .type = KEY_OPT, .offset = offsetof(struct rt_scenario, model.member),       \
	  .min = min_, .max = max_, ##__VA_ARGS__ }

const struct rt_scenario_key rt_scenario_keys[] = {
	TOP(name, name, NONE, 0, 63, NULL, "what the report calls it", .type = KEY_CHARS),
	TOP(profile, profile, NONE, 0, 255, NULL, "profile whose settings are simulated",
	    .type = KEY_CHARS),
	TOP(duration, duration_ps, PS, 0, RT_SIM_MAX_DURATION_PS, "0s",
	    "simulated time; 0: until every flow is done", .type = KEY_U64),
	TOP(warmup, warmup_ps, PS, 0, RT_SIM_MAX_DURATION_PS, "0s",
	    "queues are averaged from here on", .type = KEY_U64),
	TOP(seed, seed, COUNT, 0, UINT64_MAX, "1", "one seed, one run",
	    .type = KEY_U64),

	TOPOLOGY("kind", kind, NONE, 0, 0, "star", "how switches are wired",
		 .type = KEY_ENUM, .names = topology_names),
	TOPOLOGY("hosts", hosts, COUNT, 0, RT_SIM_MAX_HOSTS, "0",
		 "star: all hosts, 0 as many as the workload needs; leaf-spine: per leaf",
		 .type = KEY_U32),
	TOPOLOGY("leaves", leaves, COUNT, 1, RT_SIM_MAX_HOSTS, "4", "leaf switches",
		 .type = KEY_U32),
	TOPOLOGY("spines", spines, COUNT, 1, RT_SIM_MAX_HOSTS, "2", "spine switches",
		 .type = KEY_U32),
	TOPOLOGY("speed", speed_bps, BPS, GBPS / 10, 3200 * GBPS, "100G",
		 "of host links", .type = KEY_U64),
	TOPOLOGY("fabric_speed", fabric_speed_bps, BPS, GBPS / 10, 3200 * GBPS, NULL,
		 "of links between switches; as host links when left out",
		 .type = KEY_U64),
	TOPOLOGY("delay", delay_ps, PS, 0, 100 * MS, "1us", "of a host cable, one way",
		 .type = KEY_U64),
	TOPOLOGY("fabric_delay", fabric_delay_ps, PS, 0, 100 * MS, "1us",
		 "of a cable between switches, one way", .type = KEY_U64),

	WORKLOAD("kind", kind, NONE, 0, 0, "incast", "who sends to whom",
		 .type = KEY_ENUM, .names = workload_names),
	WORKLOAD("senders", senders, COUNT, 0, RT_SIM_MAX_HOSTS - 1, "0",
		 "incast: how many; 0: every other host", .type = KEY_U32),
	WORKLOAD("receiver", receiver, COUNT, 0, RT_SIM_MAX_HOSTS - 1, "0",
		 "incast: number of the receiving host", .type = KEY_U32),
	WORKLOAD("qps", qps, COUNT, 1, 1024, "1", "flows (QPs) per pair of hosts",
		 .type = KEY_U32),
	WORKLOAD("size", size_bytes, BYTES, 1, UINT64_C(1) << 44, "1MB", "of each flow",
		 .type = KEY_U64),
	WORKLOAD("start", start_ps, PS, 0, 100 * S, "0s", "of the first flow",
		 .type = KEY_U64),
	WORKLOAD("stagger", stagger_ps, PS, 0, 1 * S, "0s",
		 "each flow starts this much after the one before", .type = KEY_U64),
	WORKLOAD("jitter", jitter_ps, PS, 0, 1 * S, "0s",
		 "and up to this much later, at random", .type = KEY_U64),
	WORKLOAD("burst_on", on_ps, PS, 0, 100 * S, "0s",
		 "send this long, then be silent; 0: no bursts", .type = KEY_U64),
	WORKLOAD("burst_off", off_ps, PS, 0, 100 * S, "0s", "silence between bursts",
		 .type = KEY_U64),

	{ .section = "model", .name = "options", .type = KEY_OPTIONS,
	  .help = "departures from the default model, by name",
	  .offset = offsetof(struct rt_scenario, model.options),
	  .names = rt_model_options },
	{ .section = "model", .name = "wire", .type = KEY_ENUM, .def = "ethernet",
	  .help = "how bytes on the wire are counted",
	  .offset = offsetof(struct rt_scenario, model.wire), .names = wire_names },
	{ .section = "model", .name = "dcqcn", .type = KEY_CHARS,
	  .help = "a named set of DCQCN parameters to start from", .max = 31,
	  .offset = offsetof(struct rt_scenario, model.dcqcn) },
	MODEL("mtu", mtu_bytes, BYTES, 64, 9000, "payload of a full packet"),
	MODEL("ack_packets", ack_packets, COUNT, 1, 4096,
	      "receivers acknowledge every so many packets"),
	MODEL("window", window_bytes, BYTES, 64, UINT64_C(1) << 32,
	      "bytes in flight per flow at most"),
	MODEL("rto", rto_ps, PS, 1 * US, 10 * S, "silence after which a sender goes back"),
	MODEL("data_prio", data_prio, COUNT, 0, 7, "priority of data and ACKs"),
	MODEL("cnp_prio", cnp_prio, COUNT, 0, 7, "priority of CNPs"),
	MODEL("kmin", kmin_bytes, BYTES, 0, UINT64_C(1) << 32,
	      "queue from which packets are marked"),
	MODEL("kmax", kmax_bytes, BYTES, 0, UINT64_C(1) << 32,
	      "queue above which all are marked"),
	MODEL("pmax", pmax_ppb, PCT, 0, RT_PPB, "share marked at kmax"),
	MODEL("buffer", buffer_bytes, BYTES, 10000, UINT64_C(1) << 34,
	      "packet buffer of a switch"),
	MODEL("pool", pool_bytes, BYTES, 10000, UINT64_C(1) << 34,
	      "the part that thresholds share out; else buffer less guarantees"),
	MODEL("buffer_alpha", buffer_alpha_ppb, RATIO, RT_PPB / 1024,
	      UINT64_C(64) * RT_PPB, "share of the free pool one ingress may hold"),
	MODEL("headroom", headroom_bytes, BYTES, 0, UINT64_C(1) << 28,
	      "per port and lossless priority, beside the pool"),
	MODEL("reserve", reserve_bytes, BYTES, 0, UINT64_C(1) << 28,
	      "per port, beside the pool"),
	MODEL("xoff", xoff_bytes, BYTES, 0, UINT64_C(1) << 32,
	      "fixed threshold of an ingress, instead of buffer_alpha"),
	MODEL("xon_offset", xon_offset_bytes, BYTES, 0, UINT64_C(1) << 32,
	      "an ingress resumes this far below its threshold"),
	MODEL("pause_quanta", pause_quanta, QUANTA, 1, 65535, "asked for by a pause"),
	MODEL("pause_refresh", pause_refresh_ps, PS, 1000, 1 * S,
	      "a pause still wanted is sent again after this"),
	MODEL("pfc_reaction", pfc_reaction_ps, PS, 0, 1 * S,
	      "from the arrival of a pause to the stop"),
	MODEL("cnp_interval", cnp_interval_ps, PS, 0, 1 * S,
	      "a receiver sends at most one CNP per flow in this time"),
	MODEL("g", g_ppb, RATIO, 1, RT_PPB, "gain of alpha"),
	MODEL("initial_alpha", initial_alpha_ppb, RATIO, 0, RT_PPB, "at the first CNP"),
	MODEL("alpha_interval", alpha_interval_ps, PS, US / 10, 1 * S,
	      "alpha falls once in this time without a CNP"),
	MODEL("cut_interval", cut_interval_ps, PS, US / 10, 1 * S,
	      "mlx_timers: at most one cut in this time"),
	MODEL("timer", timer_ps, PS, US / 10, 1 * S, "rate increases by time"),
	MODEL("byte_counter", byte_counter_bytes, BYTES, 1000, UINT64_C(1) << 40,
	      "rate increases by bytes sent"),
	MODEL("fast_recovery", fast_recovery, COUNT, 0, 255, "stages of fast recovery"),
	MODEL("rai", rai_bps, BPS, 0, 100 * GBPS, "additive increase"),
	MODEL("rhai", rhai_bps, BPS, 0, 100 * GBPS, "hyper increase"),
	MODEL("min_rate", min_rate_bps, BPS, 1000000, 100 * GBPS, "floor of a rate"),
	{ 0 },
};

/* --- reading ---------------------------------------------------------------- */

struct reader {
	const struct rt_doc *doc;
	struct rt_err *err;
};

static int set_number(const struct reader *in, const struct rt_scenario_key *key,
		      const struct rt_node *node, void *at)
{
	char low[RT_UNIT_TEXT_BYTES], high[RT_UNIT_TEXT_BYTES];
	struct rt_err why = { 0 };
	uint64_t value;

	if (rt_unit_parse(key->unit, node->text, &value, &why) < 0)
		return rt_node_err(in->err, -EINVAL, in->doc, node, "%s: %s", key->name,
				   why.msg);
	if (value < key->min || value > key->max)
		return rt_node_err(in->err, -EINVAL, in->doc, node,
				   "%s: %s is outside %s to %s", key->name, node->text,
				   rt_unit_format_exact(key->unit, key->min, low),
				   rt_unit_format_exact(key->unit, key->max, high));
	if (key->type == KEY_U32)
		*(uint32_t *)at = (uint32_t)value;
	else if (key->type == KEY_U64)
		*(uint64_t *)at = value;
	else
		*(struct rt_opt_u64 *)at = RT_KNOWN_U64(value);
	return 0;
}

static int find_name(const struct reader *in, const struct rt_scenario_key *key,
		     const struct rt_node *node, const struct rt_name **ret_name)
{
	const char *words[32], *near;
	size_t count = 0;

	if (node->kind != RT_NODE_SCALAR)
		return rt_node_err(in->err, -EINVAL, in->doc, node,
				   "%s: wants a word, not %s", key->name,
				   rt_node_kind_name(node->kind));
	*ret_name = rt_name_find(key->names, node->text);
	if (*ret_name)
		return 0;
	for (const struct rt_name *row = key->names; row->name && count < 32; row++)
		words[count++] = row->name;
	near = rt_text_nearest(node->text, words, count);
	return rt_node_err(in->err, -EINVAL, in->doc, node, "%s: unknown %.60s%s%s%s",
			   key->name, node->text, near ? ": did you mean " : "",
			   near ? near : "", near ? "?" : "");
}

static int set_options(const struct reader *in, const struct rt_scenario_key *key,
		       const struct rt_node *node, unsigned *at)
{
	const struct rt_name *name;

	if (node->kind != RT_NODE_SEQ)
		return rt_node_err(in->err, -EINVAL, in->doc, node,
				   "%s: wants a list of names, not %s", key->name,
				   rt_node_kind_name(node->kind));
	rt_node_for_each(item, node) {
		int r = find_name(in, key, item, &name);

		if (r < 0)
			return r;
		*at |= name->value;
	}
	return 0;
}

static int set_key(const struct reader *in, const struct rt_scenario_key *key,
		   const struct rt_node *node, void *base)
{
	void *at = (char *)base + key->offset;
	const struct rt_name *name = NULL;
	int r;

	if (key->type == KEY_OPTIONS)
		return set_options(in, key, node, at);
	if (node->kind != RT_NODE_SCALAR)
		return rt_node_err(in->err, -EINVAL, in->doc, node,
				   "%s: wants a value, not %s", key->name,
				   rt_node_kind_name(node->kind));
	if (key->type == KEY_ENUM) {
		r = find_name(in, key, node, &name);
		if (r == 0)
			*(unsigned *)at = name->value;
		return r;
	}
	if (key->type != KEY_CHARS)
		return set_number(in, key, node, at);
	if (strlen(node->text) > key->max)
		return rt_node_err(in->err, -EINVAL, in->doc, node,
				   "%s: longer than %u characters", key->name,
				   (unsigned)key->max);
	snprintf(at, (size_t)key->max + 1, "%s", node->text);
	return 0;
}

/* Keys of the top are also the names of sections. */
static const char *const section_names[] = { "topology", "workload", "model" };

static int unknown_key(const struct reader *in, const char *section,
		       const struct rt_node *node)
{
	const char *words[64], *near;
	size_t count = 0;

	for (const struct rt_scenario_key *key = rt_scenario_keys; key->name; key++)
		if (strcmp(key->section, section) == 0 && count < 60)
			words[count++] = key->name;
	for (size_t i = 0; i < RT_ARRAY_SIZE(section_names) && !*section; i++)
		words[count++] = section_names[i];
	near = rt_text_nearest(node->key, words, count);
	return rt_node_key_err(in->err, -EINVAL, in->doc, node,
			       "unknown key '%.60s'%s%s%s%s%s", node->key,
			       *section ? " in " : "", section,
			       near ? ": did you mean '" : "", near ? near : "",
			       near ? "'?" : "");
}

static int read_section(const struct reader *in, const char *section,
			const struct rt_node *map, void *base)
{
	if (map->kind != RT_NODE_MAP)
		return rt_node_err(in->err, -EINVAL, in->doc, map,
				   "%s: wants a map of keys, not %s", section,
				   rt_node_kind_name(map->kind));
	rt_node_for_each(node, map) {
		const struct rt_scenario_key *key = rt_scenario_keys;
		int r;

		while (key->name && (strcmp(key->section, section) != 0 ||
				     strcmp(key->name, node->key) != 0))
			key++;
		r = key->name ? set_key(in, key, node, base) :
				unknown_key(in, section, node);
		if (r < 0)
			return r;
	}
	return 0;
}

static const struct rt_workload_spec default_workload = {
	.kind = RT_WORKLOAD_INCAST,
	.qps = 1,
	.size_bytes = 1000000,
};

static int read_workload(const struct reader *in, const struct rt_node *node,
			 struct rt_scenario *scenario)
{
	struct rt_workload_spec *spec = &scenario->workloads[scenario->workload_count];

	if (scenario->workload_count == RT_SIM_MAX_WORKLOADS)
		return rt_node_err(in->err, -EINVAL, in->doc, node,
				   "more than %u workloads", RT_SIM_MAX_WORKLOADS);
	scenario->workload_count++;
	*spec = default_workload;
	return read_section(in, "workload", node, spec);
}

/* One map, or a list of maps. */
static int read_workloads(const struct reader *in, const struct rt_node *node,
			  struct rt_scenario *scenario)
{
	if (node->kind != RT_NODE_SEQ)
		return read_workload(in, node, scenario);
	rt_node_for_each(item, node) {
		int r = read_workload(in, item, scenario);

		if (r < 0)
			return r;
	}
	return 0;
}

static int read_top(const struct reader *in, const struct rt_node *node,
		    struct rt_scenario *scenario)
{
	if (strcmp(node->key, "topology") == 0 || strcmp(node->key, "model") == 0)
		return read_section(in, node->key, node, scenario);
	if (strcmp(node->key, "workload") == 0)
		return read_workloads(in, node, scenario);
	for (const struct rt_scenario_key *key = rt_scenario_keys; key->name; key++)
		if (!*key->section && strcmp(key->name, node->key) == 0)
			return set_key(in, key, node, scenario);
	return unknown_key(in, "", node);
}

static int read_doc(const struct rt_doc *doc, struct rt_scenario *ret_scenario,
		    struct rt_err *err)
{
	const struct reader in = { doc, err };
	struct rt_scenario scenario;
	struct rt_err why = { 0 };

	rt_scenario_init(&scenario);
	if (!doc->root || doc->root->kind != RT_NODE_MAP)
		return rt_err_set(err, -EINVAL, "%s:1:1: a scenario is a map of keys",
				  doc->name);
	rt_node_for_each(node, doc->root) {
		int r = read_top(&in, node, &scenario);

		if (r < 0)
			return r;
	}
	if (!scenario.workload_count)
		return rt_node_err(err, -EINVAL, doc, doc->root,
				   "no workload: say who sends to whom");
	if (rt_scenario_finish(&scenario, &why) < 0)
		return rt_node_err(err, -EINVAL, doc, doc->root, "%s", why.msg);
	*ret_scenario = scenario;
	return 0;
}

void rt_scenario_init(struct rt_scenario *scenario)
{
	*scenario = (struct rt_scenario){
		.topology = { .kind = RT_TOPOLOGY_STAR,
			      .leaves = 4,
			      .spines = 2,
			      .speed_bps = 100 * GBPS,
			      .delay_ps = 1 * US,
			      .fabric_delay_ps = 1 * US },
		.seed = 1,
	};
}

int rt_scenario_read(const char *path, struct rt_scenario *ret_scenario,
		     struct rt_err *err)
{
	RT_AUTO(rt_auto_doc_free) struct rt_doc *doc = NULL;
	int r = rt_doc_read(path, &doc, err);

	return r < 0 ? r : read_doc(doc, ret_scenario, err);
}

int rt_scenario_parse(const char *name, const char *text, size_t bytes,
		      struct rt_scenario *ret_scenario, struct rt_err *err)
{
	RT_AUTO(rt_auto_doc_free) struct rt_doc *doc = NULL;
	int r = rt_doc_parse(name, text, bytes, &doc, err);

	return r < 0 ? r : read_doc(doc, ret_scenario, err);
}

/* --- what follows, and what must hold ----------------------------------------- */

/* A star of unsaid size is as large as its workloads need. */
static uint32_t hosts_needed(const struct rt_scenario *scenario)
{
	uint32_t needed = 2;

	for (size_t i = 0; i < scenario->workload_count; i++) {
		const struct rt_workload_spec *spec = &scenario->workloads[i];

		if (spec->kind == RT_WORKLOAD_INCAST && spec->senders + 1 > needed)
			needed = spec->senders + 1;
		if (spec->receiver + 1 > needed)
			needed = spec->receiver + 1;
	}
	return needed;
}

static int check_workload(const struct rt_workload_spec *spec, size_t index,
			  uint32_t hosts, struct rt_err *err)
{
	if (spec->kind == RT_WORKLOAD_INCAST &&
	    (spec->senders >= hosts || spec->receiver >= hosts))
		return rt_err_set(err, -EINVAL,
				  "workload %zu: %u senders and receiver %u do not fit "
				  "%u hosts (numbered from 0)",
				  index + 1, spec->senders, spec->receiver, hosts);
	if (spec->off_ps && !spec->on_ps)
		return rt_err_set(err, -EINVAL,
				  "workload %zu: burst_off without burst_on", index + 1);
	if (spec->on_ps && spec->on_ps < 1000)
		return rt_err_set(err, -EINVAL, "workload %zu: burst_on below 1ns",
				  index + 1);
	return 0;
}

/* Work is bounded by what the scenario says, before any of it is done. */
static int check_size(const struct rt_scenario *scenario, uint32_t hosts,
		      struct rt_err *err)
{
	const struct rt_opt_u64 *mtu = &scenario->model.mtu_bytes;
	const uint64_t payload = mtu->known ? mtu->value : 1024;
	uint64_t flows = 0;
	double packets = 0;

	for (size_t i = 0; i < scenario->workload_count; i++) {
		const struct rt_workload_spec *spec = &scenario->workloads[i];
		const uint64_t count = rt_workload_flow_count(spec, hosts);

		flows += count;
		packets += (double)count * ((double)spec->size_bytes / (double)payload + 1);
	}
	if (flows > RT_SIM_MAX_FLOWS)
		return rt_err_set(err, -EINVAL, "%llu flows, the most is %u",
				  (unsigned long long)flows, RT_SIM_MAX_FLOWS);
	if (packets > (double)RT_SIM_MAX_PACKETS && !scenario->duration_ps)
		return rt_err_set(err, -EINVAL,
				  "%.3g packets, the most is %.3g: make flows smaller "
				  "or set a duration",
				  packets, (double)RT_SIM_MAX_PACKETS);
	return 0;
}

int rt_scenario_finish(struct rt_scenario *scenario, struct rt_err *err)
{
	struct rt_topology_spec *topology = &scenario->topology;
	struct rt_topology built;
	uint32_t hosts;
	int r;

	if (!topology->hosts)
		topology->hosts = hosts_needed(scenario);
	if (!topology->fabric_speed_bps)
		topology->fabric_speed_bps = topology->speed_bps;
	r = rt_topology_build(topology, &built, err);
	if (r < 0)
		return r;
	hosts = built.hosts;
	rt_topology_free(&built);
	for (size_t i = 0; i < scenario->workload_count; i++) {
		r = check_workload(&scenario->workloads[i], i, hosts, err);
		if (r < 0)
			return r;
	}
	return check_size(scenario, hosts, err);
}
