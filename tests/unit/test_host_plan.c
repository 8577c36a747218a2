/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_host_plan.c - read, plan, write step by step, read back, plan again (empty),
 * plan the way back, and be where it began; for every driver that can be written.
 */
#include "host_fake.h"

#include "model/qos.h"

typedef void host_fn(struct fake *fake, struct rt_host_port *ret_port);

static void want_raw(struct rt_qos *want, const char *name, uint64_t number)
{
	want->raw[want->raw_count++] =
		(struct rt_raw_value){ .name = name, .known = true, .number = number };
}

/* "name=text" lines become what is wanted. */
static void want_texts(const char *const *texts, struct rt_qos *ret_want)
{
	*ret_want = (struct rt_qos){ 0 };
	for (; *texts; texts++) {
		char name[64];
		const char *eq = strchr(*texts, '=');
		const struct rt_knob *row;

		snprintf(name, sizeof(name), "%.*s", (int)(eq - *texts), *texts);
		row = rt_knob_find(name);
		if (!row)
			fail_msg("no knob %s", name);
		if (rt_knob_parse(row, eq + 1, &ret_want->knobs[row - rt_knobs], NULL) <
		    0)
			fail_msg("%s", *texts);
	}
}

static void read_qos(const struct rt_host_port *port, struct rt_qos *ret_qos)
{
	struct rt_err err = { 0 };

	if (rt_host_read(port, ret_qos, &err) < 0)
		fail_msg("%s", err.msg);
}

static void make_plan(const struct rt_host_port *port, const struct rt_qos *have,
		      const struct rt_qos *want, struct rt_plan *ret_plan)
{
	struct rt_err err = { 0 };

	if (rt_plan_make(port, have, want, NULL, ret_plan, &err) < 0)
		fail_msg("%s", err.msg);
}

static void show_plan(const struct rt_host_port *port, const struct rt_plan *plan)
{
	char old[RT_KNOB_TEXT_BYTES], new[RT_KNOB_TEXT_BYTES], line[RT_KNOB_TEXT_BYTES];

	for (size_t s = 0; s < plan->step_count; s++) {
		const struct rt_step *step = &plan->steps[s];

		for (size_t i = step->first; i < step->first + step->count; i++) {
			const struct rt_change *change = &plan->changes[i];

			print_message("# %zu %s: %s -> %s [%s%s] %s\n", s,
				      rt_change_name(plan, change),
				      rt_change_old(plan, change, old),
				      rt_change_new(plan, change, new),
				      rt_name_of(rt_impact_names, change->impact),
				      change->one_way ? ", one-way" : "",
				      rt_change_command(port, plan, change, line));
		}
	}
	for (size_t i = 0; i < plan->missing_count; i++)
		print_message("# missing %s: %s\n", plan->missing[i].name,
			      plan->missing[i].why);
}

/* Every element that a step may leave holds old, new, or what is said to be between. */
static void check_between(const struct rt_plan *plan, size_t done,
			  const struct rt_qos *now)
{
	for (unsigned id = 0; id < RT_KNOB_COUNT; id++) {
		const struct rt_knob *knob = &rt_knobs[id];
		const struct rt_knob_value *is = &now->knobs[id];

		for (unsigned i = 0; i < knob->length; i++) {
			const uint64_t number = rt_knob_number(knob, is, i);
			bool fine = !(is->known >> i & 1) ||
				    knob->flags & RT_KNOB_FACT ||
				    knob->flags & RT_KNOB_INFERRED;

			fine |= rt_knob_number(knob, &plan->have.knobs[id], i) ==
				number;
			fine |= rt_knob_number(knob, &plan->target.knobs[id], i) ==
				number;
			for (size_t s = 0; s <= done; s++)
				for (size_t e = 0; e < plan->steps[s].effect_count; e++)
					fine |= plan->steps[s].effects[e].knob == id &&
						rt_knob_number(knob,
							       &plan->steps[s]
									.effects[e]
									.between,
							       i) == number;
			if (!fine)
				fail_msg("after step %zu %s[%u] is %llu", done,
					 knob->name, i, (unsigned long long)number);
		}
	}
}

static void write_plan(const struct rt_host_port *port, const struct rt_plan *plan)
{
	struct rt_err err = { 0 };
	struct rt_qos now;

	for (size_t s = 0; s < plan->step_count; s++) {
		if (rt_step_write(port, plan, &plan->steps[s], &err) < 0)
			fail_msg("step %zu: %s", s, err.msg);
		read_qos(port, &now);
		check_between(plan, s, &now);
	}
}

/* Knobs that want has and now has not. */
static void check_equal(const struct rt_qos *want, const struct rt_qos *now)
{
	char is[RT_KNOB_TEXT_BYTES], wanted[RT_KNOB_TEXT_BYTES];

	for (unsigned id = 0; id < RT_KNOB_COUNT; id++)
		if (rt_knob_differs(&rt_knobs[id], &now->knobs[id], &want->knobs[id]))
			fail_msg("%s is %s, not %s", rt_knobs[id].name,
				 rt_knob_format(&rt_knobs[id], &now->knobs[id], is),
				 rt_knob_format(&rt_knobs[id], &want->knobs[id],
						wanted));
	for (size_t i = 0; i < want->raw_count; i++) {
		const struct rt_raw_value *value = rt_qos_raw(now, want->raw[i].name);

		if (want->raw[i].known &&
		    (!value || value->number != want->raw[i].number))
			fail_msg("raw %s", want->raw[i].name);
	}
}

struct round_trip {
	const char *label;
	host_fn *host;
	const char *wants[20];
	const char *order[20]; /* the writes, in order; only compared as far as given */
	enum rt_impact impact;
	unsigned flaps; /* there, and the same again on the way back */
	bool one_way;
};

static const struct round_trip round_trips[] = {
	{ .label = "mlx5, from firmware's DCBX to lossless",
	  .host = fake_mlx5,
	  .wants = { "trust=dscp", "dscp_prio=0-25:0 26:3 27-47:0 48:6 49-63:0",
		     "pfc.mask=3", "pfc.cable=5m", "ets.prio_tc=0:0 3:3 6:6",
		     "ets.tsa=0:ets 3:ets 6:strict", "ets.bw=0:50 1-2:0 3:50 4-7:0",
		     "max_rate=6:20Gb/s", "dcbx.owner=host", "dcbx.willing=off",
		     "pause.rx=off", "pause.tx=off", "pause_storm_timeout=100ms",
		     "cc.rp.ai=40Mb/s", "cc.rp.g=1/256", "cc.np.cnp_interval=4us",
		     "cc.np.cnp_prio=5" },
	  .order = { "dcbx", "pause", "storm", "app add" },
	  .impact = RT_IMPACT_FLAP,
	  .flaps = 1 },
	{ .label = "mlx5, only congestion control",
	  .host = fake_mlx5,
	  .wants = { "cc.rp.min_rate=100Mb/s", "cc.rp.byte_counter=10MB",
		     "cc.rp.fast_recovery=5", "cc.rp.initial_alpha=1",
		     "cc.rp.min_dec=25%", "cc.rp.reduce_gap=50us",
		     "cc.rp.clamp_target=on", "cc.rp.alpha_timer=55us",
		     "cc.rp.rate_timer=55us" },
	  .order = { "rp_clamp_tgt_rate 1", "rp_time_reset 55",
		     "rp_byte_reset 10000000", "rp_threshold 5", "rp_min_dec_fac 25",
		     "rp_min_rate 100", "rp_dce_tcp_rtt 55",
		     "rp_rate_reduce_monitor_period 50" },
	  .impact = RT_IMPACT_LIVE },
	{ .label = "mlx5, buffers by hand",
	  .host = fake_mlx5,
	  .wants = { "dcbx.owner=host", "pfc.mask=3",
		     "buffer.size=0:40000B 1:200000B" },
	  .order = { "dcbx", "dcb buffer", "dcb pfc" },
	  .impact = RT_IMPACT_FLAP,
	  .flaps = 1,
	  .one_way = true },
	{ .label = "bnxt, fresh",
	  .host = fake_bnxt,
	  .wants = { "trust=dscp", "dscp_prio=26:3 48:7", "pfc.mask=3",
		     "ets.prio_tc=0-2:0 3:1 4-6:0 7:2", "ets.tsa=0-1:ets 2:strict",
		     "ets.bw=0-1:50 2-7:0", "pause.rx=off", "cc.algorithm=dcqcn-d",
		     "cc.np.cnp_dscp=48", "tos.data_dscp=26", "tos.data_prio=3" },
	  .order = { "app add", "app add", "tos_dscp 26", "app add", "cc_mode 0",
		     "alt_vlan_dscp 48", "dcb ets+pfc" },
	  .impact = RT_IMPACT_BLIP },
	{ .label = "bnxt, PFC alone takes ETS along",
	  .host = fake_bnxt,
	  .wants = { "pfc.mask=3" },
	  .order = { "dcb ets+pfc" },
	  .impact = RT_IMPACT_BLIP },
	{ .label = "ice, from its firmware's agent",
	  .host = fake_ice,
	  .wants = { "trust=dscp", "dscp_prio=26:3", "pfc.mask=3",
		     "ets.prio_tc=0-2:0 3:1 4-7:0", "ets.bw=0-1:50 2-7:0",
		     "dcbx.owner=host" },
	  .order = { "flag fw-lldp-agent", "app add", "dcb ets", "dcb pfc" },
	  .impact = RT_IMPACT_BLIP },
	{ .label = "ice, only the map: ETS is written again",
	  .host = fake_ice,
	  .wants = { "dscp_prio=26:1", "dcbx.owner=host" },
	  .order = { "flag fw-lldp-agent", "app add", "dcb ets" },
	  .impact = RT_IMPACT_BLIP },
	{ .label = "mlx4, pause off and then PFC",
	  .host = fake_mlx4,
	  .wants = { "pfc.mask=3", "pause.rx=off", "pause.tx=off" },
	  .order = { "pause", "dcb pfc" },
	  .impact = RT_IMPACT_LIVE },
	{ .label = "hns3",
	  .host = fake_hns3,
	  .wants = { "dscp_prio=26:3 48:2", "pfc.mask=3" },
	  .order = { "app add", "app add", "dcb pfc" },
	  .impact = RT_IMPACT_FLAP,
	  .flaps = 1 },
};

static void check_order(const struct fake *fake, const char *const *order)
{
	for (size_t i = 0; i < 20 && order[i]; i++) {
		print_message("# wrote %s\n", fake->log[i]);
		if (strncmp(fake->log[i], order[i], strlen(order[i])) != 0)
			fail_msg("write %zu is '%s', not '%s'", i, fake->log[i],
				 order[i]);
	}
}

static void test_there_and_back(void **state)
{
	static struct rt_plan plan, again, back, home;
	static struct fake fake;
	static struct rt_qos before, after, want, finally;

	(void)state;
	for (size_t c = 0; c < RT_ARRAY_SIZE(round_trips); c++) {
		const struct round_trip *trip = &round_trips[c];
		struct rt_host_port port;

		print_message("# --- %s\n", trip->label);
		trip->host(&fake, &port);
		want_texts(trip->wants, &want);
		read_qos(&port, &before);
		make_plan(&port, &before, &want, &plan);
		show_plan(&port, &plan);
		assert_int_equal(plan.missing_count, 0);
		assert_int_equal(plan.impact, trip->impact);
		assert_int_equal(plan.one_way, trip->one_way);
		write_plan(&port, &plan);
		check_order(&fake, trip->order);
		assert_int_equal(fake.flaps, trip->flaps);

		read_qos(&port, &after);
		check_equal(&plan.target, &after);
		make_plan(&port, &after, &want, &again);
		assert_int_equal(again.step_count, 0);
		assert_int_equal(again.missing_count, 0);

		make_plan(&port, &after, &before, &back);
		show_plan(&port, &back);
		assert_int_equal(back.missing_count, 0);
		write_plan(&port, &back);
		assert_int_equal(fake.flaps, 2 * trip->flaps);
		read_qos(&port, &finally);
		check_equal(&before, &finally);
		make_plan(&port, &finally, &before, &home);
		assert_int_equal(home.step_count, 0);
	}
}

/* --- what is refused ------------------------------------------------------------------ */

static void test_refusals(void **state)
{
	static const struct {
		const char *label;
		host_fn *host;
		const char *wants[6];
		int result;
		const char *says;
	} cases[] = {
		{ "more lossless priorities than the firmware's limit",
		  fake_hns3,
		  { "pfc.mask=0 1 2 3 4" },
		  -ERANGE,
		  "5 priorities cannot be lossless, Huawei Kunpeng does 4" },
		{ "E810 has one lossless class, whatever its interface says",
		  fake_ice,
		  { "dcbx.owner=host", "pfc.mask=2 3" },
		  -ERANGE,
		  "2 priorities cannot be lossless, Intel E810 and later does 1" },
		{ "E810 has four classes",
		  fake_ice,
		  { "dcbx.owner=host", "ets.prio_tc=3:4" },
		  -ERANGE,
		  "priority 3 cannot be in traffic class 4: there are 4" },
		{ "priorities of ice are below the number of classes",
		  fake_ice,
		  { "dcbx.owner=host", "dscp_prio=48:6" },
		  -ERANGE,
		  "DSCP 48 cannot have priority 6" },
		{ "firmware owns DCB and keeps it",
		  fake_ice,
		  { "pfc.mask=3" },
		  -EPERM,
		  "fw-lldp-agent off" },
		{ "firmware owns DCB, mlx5",
		  fake_mlx5,
		  { "pfc.mask=3" },
		  -EPERM,
		  "pfc.mask would not hold: set host.dcbx.owner: host" },
		{ "shares do not sum up",
		  fake_mlx5,
		  { "dcbx.owner=host", "ets.tsa=0:ets 3:ets", "ets.bw=0:50 3:40" },
		  -ERANGE,
		  "would sum to 90 %" },
		{ "PFC with pause",
		  fake_mlx4,
		  { "pfc.mask=3" },
		  -EINVAL,
		  "set host.global_pause: off" },
		{ "a number beyond the NIC",
		  fake_mlx5,
		  { "cc.rp.fast_recovery=32" },
		  -ERANGE,
		  "cc.rp.fast_recovery: 32 is out of range: rp_threshold takes 0 to "
		  "31" },
		{ "a time that the NIC cannot hold",
		  fake_mlx5,
		  { "cc.rp.alpha_timer=500ns" },
		  -ERANGE,
		  "rp_dce_tcp_rtt takes 1us to 131.071ms" },
		{ "a limit that the NIC cannot hold",
		  fake_mlx5,
		  { "dcbx.owner=host", "max_rate=3:400Gb/s" },
		  -ERANGE,
		  "max_rate: 400Gb/s is nothing that" },
		{ "a storm time-out that is too short",
		  fake_mlx5,
		  { "pause_storm_timeout=20ms" },
		  -ERANGE,
		  "takes 80ms to 8s" },
		{ "a law of another vendor",
		  fake_bnxt,
		  { "cc.algorithm=rttcc" },
		  -ERANGE,
		  "cc.algorithm: rttcc is nothing that cc_mode can hold" },
	};
	static struct fake fake;
	static struct rt_plan plan;
	static struct rt_qos have, want;

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_host_port port;
		struct rt_err err = { 0 };

		print_message("# %s\n", cases[i].label);
		cases[i].host(&fake, &port);
		want_texts(cases[i].wants, &want);
		read_qos(&port, &have);
		plan.step_count = 77;
		assert_int_equal(rt_plan_make(&port, &have, &want, NULL, &plan, &err),
				 cases[i].result);
		print_message("# %s\n", err.msg);
		assert_non_null(strstr(err.msg, cases[i].says));
		assert_int_equal(plan.step_count, 77);
		assert_int_equal(fake.writes, 0);
	}
}

static void test_bond_is_refused_on_ice(void **state)
{
	static struct fake fake;
	static struct rt_plan plan;
	static struct rt_qos have, want;
	struct rt_host_port port;
	struct rt_err err = { 0 };

	(void)state;
	fake_ice(&fake, &port);
	snprintf(fake.device.bond, sizeof(fake.device.bond), "bond0");
	want_texts((const char *const[]){ "dcbx.owner=host", "pfc.mask=3", NULL },
		   &want);
	read_qos(&port, &have);
	assert_int_equal(rt_plan_make(&port, &have, &want, NULL, &plan, &err), -EPERM);
	assert_non_null(strstr(err.msg, "bond0"));
}

/* --- what lacks, what is left alone ------------------------------------------------------- */

static const struct rt_missing *missing_of(const struct rt_plan *plan, const char *name)
{
	for (size_t i = 0; i < plan->missing_count; i++)
		if (strcmp(plan->missing[i].name, name) == 0)
			return &plan->missing[i];
	fail_msg("%s is not missing", name);
	return NULL;
}

static void test_missing_knobs_are_named(void **state)
{
	static const char *const wants[] = { "pfc.mask=3",
					     "max_rate=3:10Gb/s",
					     "pause_storm_timeout=100ms",
					     "cc.rp.ai=40Mb/s",
					     "cc.algorithm=dcqcn-p",
					     "dcbx.willing=off",
					     NULL };
	static const char *const allowed[] = { "max_rate", "no_such", NULL };
	const struct rt_plan_wish wish = { .allow_missing = allowed };
	static struct fake fake;
	static struct rt_plan plan;
	static struct rt_qos have, want;
	struct rt_host_port port;
	struct rt_err err = { 0 };

	(void)state;
	fake_bnxt(&fake, &port);
	want_texts(wants, &want);
	want_raw(&want, "no_such", 1);
	read_qos(&port, &have);
	if (rt_plan_make(&port, &have, &want, &wish, &plan, &err) < 0)
		fail_msg("%s", err.msg);
	show_plan(&port, &plan);
	assert_int_equal(plan.missing_count, 4);
	assert_true(missing_of(&plan, "max_rate")->allowed);
	assert_true(missing_of(&plan, "no_such")->allowed);
	assert_false(missing_of(&plan, "pause_storm_timeout")->allowed);
	assert_string_equal(missing_of(&plan, "pause_storm_timeout")->why,
			    "the driver has no pause storm prevention");
	assert_string_equal(missing_of(&plan, "cc.rp.ai")->why,
			    "bnxt_re offers no such knob");
	assert_int_equal(plan.change_count, 1);
}

/* Which law runs is a fact of its own: not to know it keeps nothing from being set. */
static void test_unknown_algorithm_is_allowed(void **state)
{
	static const char *const wants[] = { "cc.algorithm=dcqcn", "cc.rp.ai=40Mb/s",
					     NULL };
	static struct fake fake;
	static struct rt_plan plan;
	static struct rt_qos have, want;
	struct rt_host_port port;

	(void)state;
	fake_mlx5(&fake, &port);
	want_texts(wants, &want);
	read_qos(&port, &have);
	make_plan(&port, &have, &want, &plan);
	assert_int_equal(plan.change_count, 1);
	assert_true(missing_of(&plan, "cc.algorithm")->allowed);
	assert_non_null(strstr(missing_of(&plan, "cc.algorithm")->why, "mlxconfig"));
}

static void test_only_groups(void **state)
{
	static const char *const wants[] = { "dcbx.owner=host", "pfc.mask=3",
					     "cc.rp.ai=40Mb/s", "max_rate=3:999Gb/s",
					     NULL };
	const struct rt_plan_wish wish = { .groups = 1u << RT_GROUP_CC };
	static struct fake fake;
	static struct rt_plan plan;
	static struct rt_qos have, want;
	struct rt_host_port port;
	struct rt_err err = { 0 };

	(void)state;
	fake_mlx5(&fake, &port);
	want_texts(wants, &want);
	read_qos(&port, &have);
	assert_int_equal(rt_plan_make(&port, &have, &want, &wish, &plan, &err), 0);
	assert_int_equal(plan.change_count, 1);
	assert_int_equal(plan.changes[0].knob, RT_KNOB_RP_AI);
}

/* What was not known before cannot be had again. */
static void test_unknown_is_one_way(void **state)
{
	static const char *const wants[] = { "tos.rdma_cm=106", "tos.rdma_cm_mode=v2",
					     NULL };
	static struct fake fake;
	static struct rt_plan plan;
	static struct rt_qos have, want, now;
	struct rt_host_port port;
	char buf[RT_KNOB_TEXT_BYTES];

	(void)state;
	fake_mlx5(&fake, &port);
	want_texts(wants, &want);
	read_qos(&port, &have);
	assert_int_equal(fake.writes, 0); /* reading made no folder */
	assert_string_equal(have.knobs[RT_KNOB_CM_TOS].why,
			    "its configfs folder is not made");
	make_plan(&port, &have, &want, &plan);
	show_plan(&port, &plan);
	assert_true(plan.one_way);
	assert_int_equal(plan.step_count, 2);
	assert_string_equal(plan.changes[0].note, "what it was is not known");
	assert_string_equal(rt_change_old(&plan, &plan.changes[0], buf), "unknown");
	write_plan(&port, &plan);
	assert_string_equal(fake.log[0], "mkdir /sys/kernel/config/rdma_cm/rdma0");
	read_qos(&port, &now);
	assert_int_equal(now.knobs[RT_KNOB_CM_TOS].number[0], 106);
	assert_int_equal(now.knobs[RT_KNOB_CM_MODE].number[0], 2);
	make_plan(&port, &now, &want, &plan);
	assert_int_equal(plan.step_count, 0);
}

/* --- what is rounded ------------------------------------------------------------------------ */

static void test_resolved_values(void **state)
{
	static const struct {
		const char *kernel, *knob, *want, *held;
	} cases[] = {
		{ "mlx5_core", "cc.rp.g", "0.0039", "1/256" },
		{ "mlx5_core", "cc.rp.initial_alpha", "1", "0.999023438" },
		{ "mlx5_core", "cc.rp.rate_timer", "55400ns", "55us" },
		{ "mlx5_core", "cc.rp.min_dec", "50%", "50%" },
		{ "mlx5_core", "max_rate", "3:4040Mb/s", "3:4Gb/s" },
		{ "mlx5_core", "max_rate", "3:26Gb/s", "3:25.5Gb/s" },
		{ "mlx5_core", "max_rate", "3:99.8Gb/s", "3:100Gb/s" },
		{ "mlx5_core", "max_rate", "3:0", "3:0b/s" },
		{ "mlx5_core", "pause_storm_timeout", "0", "0ns" },
		{ "mlx5_core", "dscp_prio", "5:none", "5:none" },
		{ "bnxt_en", "tos.data_prio", "none", "none" },
		{ "mlx4_en", "cc.rp.g", "0.0039", "0.0039" }, /* it has no such knob */
	};
	static struct rt_qos want, held;

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const struct rt_knob *row = rt_knob_find(cases[i].knob);
		struct rt_err err = { 0 };
		char buf[RT_KNOB_TEXT_BYTES];

		want = (struct rt_qos){ 0 };
		if (rt_knob_parse(row, cases[i].want, &want.knobs[row - rt_knobs],
				  &err) < 0 ||
		    rt_driver_resolve(rt_driver_find(cases[i].kernel), &want, &held,
				      &err) < 0)
			fail_msg("%s", err.msg);
		assert_string_equal(
			rt_knob_format(row, &held.knobs[row - rt_knobs], buf),
			cases[i].held);
	}
}

static void test_raw_twins(void **state)
{
	static struct rt_qos want, held;
	struct rt_err err = { 0 };

	(void)state;
	want = (struct rt_qos){ 0 };
	want_raw(&want, "cc_mode", 1);
	want_raw(&want, "tos_ecn", 1);
	assert_int_equal(
		rt_driver_resolve(rt_driver_find("bnxt_en"), &want, &held, &err), 0);
	assert_int_equal(rt_qos_number(&held, RT_KNOB_CC_ALGORITHM).value,
			 RT_CC_DCQCN_P);
	assert_false(held.raw[0].known);
	assert_true(held.raw[1].known);

	rt_knob_set(&want, RT_KNOB_CC_ALGORITHM, 0, RT_CC_DCQCN_D);
	assert_int_equal(
		rt_driver_resolve(rt_driver_find("bnxt_en"), &want, &held, &err),
		-EINVAL);
	assert_non_null(strstr(err.msg, "contradicts cc.algorithm"));

	want = (struct rt_qos){ 0 };
	want_raw(&want, "rp_gd", 12);
	assert_int_equal(
		rt_driver_resolve(rt_driver_find("mlx5_core"), &want, &held, &err),
		-ERANGE);
	assert_non_null(strstr(err.msg, "rp_gd takes 10 to 11"));
}

RT_UNIT_MAIN(cmocka_unit_test(test_there_and_back), cmocka_unit_test(test_refusals),
	     cmocka_unit_test(test_bond_is_refused_on_ice),
	     cmocka_unit_test(test_missing_knobs_are_named),
	     cmocka_unit_test(test_unknown_algorithm_is_allowed),
	     cmocka_unit_test(test_only_groups),
	     cmocka_unit_test(test_unknown_is_one_way),
	     cmocka_unit_test(test_resolved_values), cmocka_unit_test(test_raw_twins))
