/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_host_plan.c - read, plan, write step by step, read back, plan again (empty),
 * plan the way back, and be where it began; for every driver that can be written.
 */
#include "plans.h"

#include <errno.h>

#include "base/own.h"
#include "host/access.h"

/* What differs from how the driver leaves the port when it is loaded. */
typedef void setup_fn(struct rt_fake_port *port);

static void mlx5_of_firmware(struct rt_fake_port *port)
{
	port->dcb.dcbx = RT_DCBX_MODE_CEE | RT_DCBX_MODE_IEEE;
	for (unsigned i = 0; i < 8; i++)
		port->dcb.ets.bw[i] = 100;
	port->pause.rx = port->pause.tx = true;
	port->storm_ms = 8000;
}

static void ice_of_firmware(struct rt_fake_port *port)
{
	port->dcb.dcbx = RT_DCBX_MODE_LLD | RT_DCBX_MODE_IEEE;
	port->flags.value = 2;
	port->dcb.ets.willing = 1;
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
			/* mlx5 reckons buffers anew by itself. */
			bool fine = knob->group == RT_GROUP_BUFFER ||
				    !(is->known >> i & 1) ||
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

static void write_plan(const struct fake_host *host, const struct rt_plan *plan)
{
	static struct rt_qos now;
	struct rt_err err = { 0 };

	for (size_t s = 0; s < plan->step_count; s++) {
		if (rt_step_write(&host->port, plan, &plan->steps[s], &err) < 0)
			fail_msg("step %zu: %s", s, err.msg);
		fake_host_read(host, &now);
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

/* The knobs that the plan changes, as qos has them: what a way back asks for. */
static void changed_of(const struct rt_plan *plan, const struct rt_qos *qos,
		       struct rt_qos *ret_want)
{
	*ret_want = (struct rt_qos){ 0 };
	for (size_t i = 0; i < plan->change_count; i++) {
		const struct rt_change *change = &plan->changes[i];

		if (change->raw == SIZE_MAX)
			ret_want->knobs[change->knob] = qos->knobs[change->knob];
		else
			ret_want->raw[ret_want->raw_count++] = qos->raw[change->raw];
	}
}

struct round_trip {
	const char *label, *personality;
	setup_fn *setup;
	const char *wants[20];
	/* Words of the writes, in order; compared as far as given. */
	const char *order[16];
	enum rt_impact impact;
	unsigned flaps, blips; /* there, and the same again on the way back */
	bool one_way;
};

static const struct round_trip round_trips[] = {
	{ .label = "mlx5, from firmware's DCBX to lossless",
	  .personality = "mlx5",
	  .setup = mlx5_of_firmware,
	  .wants = { "trust=dscp", "dscp_prio=0-25:0 26:3 27-47:0 48:6 49-63:0",
		     "pfc.mask=3", "pfc.cable=5m", "ets.prio_tc=0:0 3:3 6:6",
		     "ets.tsa=0:ets 3:ets 6:strict", "ets.bw=0:50 1-2:0 3:50 4-7:0",
		     "max_rate=6:20Gb/s", "dcbx.owner=host", "dcbx.willing=off",
		     "pause.rx=off", "pause.tx=off", "pause_storm_timeout=100ms",
		     "cc.rp.ai=40Mb/s", "cc.rp.g=1/256", "cc.np.cnp_interval=4us",
		     "cc.np.cnp_prio=5" },
	  .order = { "DCBX 0x0d", "pause rx 0 tx 0", "storm 100", "APP add 5/0:0" },
	  .impact = RT_IMPACT_FLAP,
	  .flaps = 1 },
	{ .label = "mlx5, only congestion control",
	  .personality = "mlx5",
	  .wants = { "cc.rp.min_rate=100Mb/s", "cc.rp.byte_counter=20KB",
		     "cc.rp.fast_recovery=5", "cc.rp.initial_alpha=50/100",
		     "cc.rp.min_dec=25%", "cc.rp.reduce_gap=50us",
		     "cc.rp.clamp_target=on", "cc.rp.alpha_timer=55us",
		     "cc.rp.rate_timer=55us", "cc.np.cnp_dscp=46",
		     "cc.rp.max_rate=90Gb/s", "cc.rp.first_cnp_rate=1Gb/s" },
	  .order = { "np_cnp_dscp = 46", "rp_clamp_tgt_rate = 1", "rp_time_reset = 55",
		     "rp_byte_reset = 20000", "rp_threshold = 5", "rp_max_rate = 90000",
		     "rp_min_dec_fac = 25", "rp_min_rate = 100",
		     "rp_rate_to_set_on_first_ = 1000", "rp_dce_tcp_rtt = 55",
		     "rp_rate_reduce_monitor_p", "rp_initial_alpha_value = 512" },
	  .impact = RT_IMPACT_LIVE },
	{ .label = "mlx5, buffers by hand",
	  .personality = "mlx5",
	  .wants = { "pfc.mask=3", "buffer.size=0:40000B 1:200000B",
		     "buffer.prio=3:1" },
	  .order = { "buffers", "PFC" },
	  .impact = RT_IMPACT_FLAP,
	  .flaps = 1,
	  .one_way = true },
	{ .label = "mlx5, PFC alone",
	  .personality = "mlx5",
	  .wants = { "pfc.mask=3 4" },
	  .order = { "PFC" },
	  .impact = RT_IMPACT_FLAP,
	  .flaps = 1 },
	{ .label = "mlx5, cable alone flaps nothing",
	  .personality = "mlx5",
	  .wants = { "pfc.cable=100m" },
	  .order = { "PFC" },
	  .impact = RT_IMPACT_BLIP },
	{ .label = "bnxt, fresh",
	  .personality = "bnxt",
	  .wants = { "trust=dscp", "dscp_prio=26:3 48:7", "pfc.mask=3",
		     "ets.prio_tc=0-2:0 3:1 4-6:0 7:2", "ets.tsa=0-1:ets 2:strict",
		     "ets.bw=0-1:50 2-7:0", "pause.rx=off", "cc.algorithm=dcqcn-d",
		     "cc.np.cnp_dscp=46", "tos.data_dscp=26", "tos.data_prio=3" },
	  .order = { "pause rx 0 tx 1", "APP add 5/26:3", "APP add 5/48:7",
		     "tos_dscp = 26", "APP add 3/4791:3", "cc_mode = 0",
		     "alt_vlan_dscp = 46", "ETS PFC" },
	  .impact = RT_IMPACT_BLIP,
	  .blips = 1 },
	{ .label = "bnxt, PFC alone takes ETS along",
	  .personality = "bnxt",
	  .wants = { "pfc.mask=3" },
	  .order = { "ETS PFC" },
	  .impact = RT_IMPACT_BLIP,
	  .blips = 1 },
	{ .label = "ice, from its firmware's agent",
	  .personality = "ice",
	  .setup = ice_of_firmware,
	  .wants = { "trust=dscp", "dscp_prio=26:3", "pfc.mask=3", "ets.prio_tc=3:3",
		     "ets.bw=0:50 1-2:0 3:50 4-7:0", "dcbx.owner=host" },
	  .order = { "flag fw-lldp-agent", "APP add 5/26:3", "ETS", "PFC" },
	  .impact = RT_IMPACT_BLIP },
	{ .label = "ice, only the map: ETS is written again",
	  .personality = "ice",
	  .wants = { "dscp_prio=26:1" },
	  .order = { "APP add 5/26:1", "ETS" },
	  .impact = RT_IMPACT_BLIP },
	{ .label = "mlx4, pause off and then PFC",
	  .personality = "mlx4",
	  .wants = { "pfc.mask=3", "pause.rx=off", "pause.tx=off" },
	  .order = { "pause rx 0 tx 0", "PFC" },
	  .impact = RT_IMPACT_LIVE },
	{ .label = "hns3",
	  .personality = "hns3",
	  .wants = { "dscp_prio=26:3 48:2", "pfc.mask=3", "pause.rx=off",
		     "pause.tx=off" },
	  .order = { "pause rx 0 tx 0", "APP add 5/26:3", "APP add 5/48:2", "PFC" },
	  .impact = RT_IMPACT_FLAP,
	  .blips = 1 },
};

static void check_order(const struct rt_fake *fake, const char *const order[16])
{
	for (size_t i = 0; i < 16 && order[i]; i++) {
		print_message("# wrote %s\n", fake->log[i]);
		if (!strstr(fake->log[i], order[i]))
			fail_msg("write %zu is '%s', not '%s'", i, fake->log[i],
				 order[i]);
	}
}

static void go_there_and_back(const struct round_trip *trip)
{
	static struct rt_plan plan, again, back;
	static struct rt_qos before, after, want, old, home;
	struct fake_host host;

	fake_host_open(trip->personality, &host);
	if (trip->setup)
		trip->setup(host.state);
	want_texts(trip->wants, &want);
	fake_host_read(&host, &before);
	make_plan(&host.port, &before, &want, &plan);
	show_plan(&host.port, &plan);
	assert_int_equal(plan.missing_count, 0);
	assert_int_equal(plan.impact, trip->impact);
	assert_int_equal(plan.one_way, trip->one_way);
	write_plan(&host, &plan);
	check_order(host.fake, trip->order);
	assert_int_equal(host.fake->flaps, trip->flaps);
	assert_int_equal(host.fake->blips, trip->blips);

	fake_host_read(&host, &after);
	changed_of(&plan, &plan.target, &want);
	check_equal(&want, &after);
	want_texts(trip->wants, &want);
	make_plan(&host.port, &after, &want, &again);
	assert_int_equal(again.step_count, 0);
	assert_int_equal(again.missing_count, 0);

	changed_of(&plan, &before, &old);
	make_plan(&host.port, &after, &old, &back);
	show_plan(&host.port, &back);
	assert_int_equal(back.missing_count, 0);
	write_plan(&host, &back);
	assert_int_equal(host.fake->flaps, 2 * trip->flaps);
	assert_int_equal(host.fake->blips, 2 * trip->blips);
	fake_host_read(&host, &home);
	check_equal(trip->one_way ? &old : &before, &home);
	make_plan(&host.port, &home, &old, &again);
	assert_int_equal(again.step_count, 0);
	fake_host_close(&host);
}

static void test_there_and_back(void **state)
{
	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(round_trips); i++) {
		print_message("# --- %s\n", round_trips[i].label);
		go_there_and_back(&round_trips[i]);
	}
}

/* bnxt refuses PFC before any ETS: the lines by hand must stand the other way. */
static void test_bnxt_by_hand_sets_ets_first(void **state)
{
	static const char *const wants[] = { "pfc.mask=3", "ets.prio_tc=3:1",
					     "ets.tsa=0-1:ets", "ets.bw=0-1:50 2-7:0",
					     NULL };
	static struct rt_plan plan;
	static struct rt_qos have, want;
	struct fake_host host;

	(void)state;
	fake_host_open("bnxt", &host);
	want_texts(wants, &want);
	fake_host_read(&host, &have);
	make_plan(&host.port, &have, &want, &plan);
	assert_int_equal(plan.step_count, 1);
	assert_int_equal(plan.change_count, 4);
	assert_int_equal(plan.changes[3].knob, RT_KNOB_PFC_MASK);
	fake_host_close(&host);
}

static const struct rt_change *change_of(const struct rt_plan *plan, enum rt_knob_id id)
{
	for (size_t i = 0; i < plan->change_count; i++)
		if (plan->changes[i].raw == SIZE_MAX && plan->changes[i].knob == id)
			return &plan->changes[i];
	fail_msg("%s does not change", rt_knobs[id].name);
	return NULL;
}

/*
 * What bnxt shows before anything was set is no setting; going back to it sets it,
 * and that is said, there and on the way back.
 */
static void test_bnxt_zeros_are_said_to_be_none(void **state)
{
	static const char *const wants[] = { "pfc.mask=3", "ets.prio_tc=3:1",
					     "cc.np.cnp_dscp=46", NULL };
	static struct rt_plan plan, back;
	static struct rt_qos have, want, now;
	struct fake_host host;

	(void)state;
	fake_host_open("bnxt", &host);
	want_texts(wants, &want);
	fake_host_read(&host, &have);
	make_plan(&host.port, &have, &want, &plan);
	assert_false(plan.one_way);
	assert_non_null(strstr(change_of(&plan, RT_KNOB_PFC_MASK)->note,
			       "not set since loading"));
	assert_non_null(strstr(change_of(&plan, RT_KNOB_ETS_PRIO_TC)->note,
			       "not set since loading"));
	assert_string_equal(change_of(&plan, RT_KNOB_NP_CNP_DSCP)->note, "");
	write_plan(&host, &plan);

	fake_host_read(&host, &now);
	make_plan(&host.port, &now, &have, &back);
	assert_false(back.one_way);
	assert_non_null(strstr(change_of(&back, RT_KNOB_PFC_MASK)->note,
			       "as after loading: all in class 0"));
	write_plan(&host, &back);
	/* What the driver would send: one class, and nothing lossless. */
	assert_int_equal(host.state->dcb.pfc.mask, 0);
	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal(host.state->dcb.ets.prio_tc[i], 0);
		assert_int_equal(host.state->dcb.ets.tsa[i], 0);
	}

	want_texts((const char *const[]){ "pfc.mask=3", NULL }, &want);
	make_plan(&host.port, &plan.target, &want, &back);
	assert_int_equal(back.change_count, 0);
	want_texts((const char *const[]){ "pfc.mask=4", NULL }, &want);
	make_plan(&host.port, &plan.target, &want, &back);
	assert_string_equal(change_of(&back, RT_KNOB_PFC_MASK)->note, "");
	fake_host_close(&host);
}

/* Older releases of Broadcom's driver take "26" for 0x26. */
static void test_bnxt_numbers_are_hexadecimal(void **state)
{
	const struct rt_driver *driver = rt_driver_find("bnxt_en");
	static const char prefix[] = "/sys/kernel/config/bnxt_re/";
	static struct rt_plan plan;
	static struct rt_qos have, want, now;
	unsigned tried = 0;

	(void)state;
	for (size_t i = 0; i < driver->row_count; i++) {
		const struct rt_driver_row *row = &driver->rows[i];
		char path[RT_ROW_PATH_BYTES];
		struct fake_host host;

		if (!row->path || strncmp(row->path, prefix, strlen(prefix)) != 0)
			continue;
		assert_true(row->flags & RT_ROW_WRITE_HEX);
		if (!row->raw)
			continue;
		/* The kernel's own way is not there. */
		fake_host_open("mlx4", &host);
		host.port.driver = driver;
		assert_int_equal(rt_row_path(&host.port, row->path, path), 0);
		assert_non_null(rt_fake_add_file(host.fake, path, RT_FAKE_HEX, "1\n"));
		strcpy(strrchr(path, '/'), "/apply");
		assert_non_null(rt_fake_add_file(host.fake, path, RT_FAKE_TEXT, "0\n"));
		want = (struct rt_qos){ 0 };
		want_raw(&want, row->raw, 26);
		fake_host_read(&host, &have);
		make_plan(&host.port, &have, &want, &plan);
		write_plan(&host, &plan);
		fake_host_read(&host, &now);
		if (!rt_qos_raw(&now, row->raw) ||
		    rt_qos_raw(&now, row->raw)->number != 26)
			fail_msg("%s", row->raw);
		fake_host_close(&host);
		tried++;
	}
	assert_true(tried > 50);
}

/* What a NIC has is what it shall have: nothing is written, on any driver. */
static void test_nothing_to_do(void **state)
{
	static const char *const personalities[] = { "mlx5", "mlx4",  "bnxt", "ice",
						     "hns3", "cxgb4", "ionic" };
	static struct rt_plan plan;
	static struct rt_qos have, nothing;

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(personalities); i++) {
		struct fake_host host;

		print_message("# %s\n", personalities[i]);
		fake_host_open(personalities[i], &host);
		fake_host_read(&host, &have);
		make_plan(&host.port, &have, &have, &plan);
		assert_int_equal(plan.step_count, 0);
		assert_int_equal(plan.missing_count, 0);
		make_plan(&host.port, &have, &nothing, &plan);
		assert_int_equal(plan.step_count, 0);
		fake_host_close(&host);
	}
}

/* A part that the driver leaves out once would be written as zeros. */
static void test_part_that_is_not_told_is_not_written(void **state)
{
	static const struct {
		const char *personality, *want;
		unsigned lost;
	} cases[] = {
		{ "mlx5", "ets.prio_tc=3:1", RT_DCB_ETS },
		{ "mlx5", "pfc.mask=3", RT_DCB_PFC },
		{ "mlx5", "max_rate=6:20Gb/s", RT_DCB_MAXRATE },
		{ "mlx5", "buffer.prio=3:1", RT_DCB_BUFFER },
		{ "bnxt", "pfc.mask=3", RT_DCB_ETS },
		{ "bnxt", "ets.prio_tc=3:1", RT_DCB_PFC },
	};
	static struct rt_plan plan;
	static struct rt_qos have, want;

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const char *const wants[] = { cases[i].want, NULL };
		struct fake_host host;
		struct rt_err err = { 0 };

		fake_host_open(cases[i].personality, &host);
		want_texts(wants, &want);
		fake_host_read(&host, &have);
		make_plan(&host.port, &have, &want, &plan);
		assert_true(plan.step_count > 0);
		host.state->dcb.has &= ~cases[i].lost;
		assert_int_equal(rt_step_write(&host.port, &plan, &plan.steps[0], &err),
				 -EIO);
		assert_non_null(strstr(err.msg, "it is written whole"));
		assert_int_equal(host.fake->writes, 0);
		fake_host_close(&host);
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_there_and_back),
	     cmocka_unit_test(test_bnxt_by_hand_sets_ets_first),
	     cmocka_unit_test(test_bnxt_zeros_are_said_to_be_none),
	     cmocka_unit_test(test_bnxt_numbers_are_hexadecimal),
	     cmocka_unit_test(test_part_that_is_not_told_is_not_written),
	     cmocka_unit_test(test_nothing_to_do))
