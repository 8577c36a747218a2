/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_port_profile.c - a port's state as a profile: it can be read, and asks the port
 * for nothing but what it has.  The states are made by hand.
 */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "host/device.h"
#include "host/port_profile.h"
#include "model/qos.h"
#include "rocetune/err.h"
#include "rocetune/profile.h"

struct knob_text {
	enum rt_knob_id id;
	const char *text;
};

struct state {
	const char *label, *driver;
	const struct knob_text *knobs; /* ends with a NULL text */
	const char *raw;               /* a raw knob of 7; NULL: none */
	unsigned asked;                /* knobs that the profile asks for at least */
	const char *has, *has_not;     /* in the profile's text */
};

static const struct knob_text nothing[] = { { 0 } };

/* mlx5 as its driver leaves it (en_dcbnl.c mlx5e_ets_init()). */
static const struct knob_text mlx5_fresh[] = {
	{ RT_KNOB_TRUST, "pcp" },
	{ RT_KNOB_PFC_MASK, "none" },
	{ RT_KNOB_PFC_CAP, "8" },
	{ RT_KNOB_PFC_CABLE, "7m" },
	{ RT_KNOB_ETS_PRIO_TC, "0:1 1:0 2:2 3:3 4:4 5:5 6:6 7:7" },
	{ RT_KNOB_ETS_TSA, "0-7:vendor" },
	{ RT_KNOB_ETS_BW, "0-7:0" },
	{ RT_KNOB_MAX_RATE, "0-7:0" },
	{ RT_KNOB_PRIO_BUFFER, "0-7:0" },
	{ RT_KNOB_BUFFER_SIZE, "0:262016B 1-7:0" },
	{ RT_KNOB_BUFFER_AUTO, "on" },
	{ RT_KNOB_DCBX_OWNER, "host" },
	{ RT_KNOB_DCBX_WILLING, "off" },
	{ RT_KNOB_PAUSE_RX, "on" },
	{ RT_KNOB_PAUSE_TX, "on" },
	{ RT_KNOB_STORM_TIMEOUT, "0" },
	{ RT_KNOB_CM_TOS, "0" },
	{ RT_KNOB_NP_CNP_DSCP, "48" },
	{ RT_KNOB_NP_CNP_PRIO, "6" },
	{ RT_KNOB_NP_CNP_INTERVAL, "4us" },
	{ RT_KNOB_RP_G, "1/256" },
	{ RT_KNOB_RP_MAX_RATE, "0" },
	{ RT_KNOB_RP_MIN_DEC, "50%" },
	{ 0 },
};

static const struct knob_text mlx5_roce[] = {
	{ RT_KNOB_TRUST, "dscp" },
	{ RT_KNOB_DSCP_PRIO, "0-25:0 26:3 27-47:0 48:6 49-63:0" },
	{ RT_KNOB_PFC_MASK, "3" },
	{ RT_KNOB_ETS_PRIO_TC, "0-2:0 3:3 4-5:0 6:6 7:0" },
	{ RT_KNOB_ETS_TSA, "0-5:ets 6:strict 7:ets" },
	{ RT_KNOB_ETS_BW, "0:40 1-2:0 3:50 4:0 5:10 6-7:0" },
	{ RT_KNOB_MAX_RATE, "0-5:0 6:4Gb/s 7:0" },
	{ RT_KNOB_BUFFER_SIZE, "0:20016B 1:156096B 2-7:0" },
	{ RT_KNOB_BUFFER_AUTO, "off" },
	{ RT_KNOB_PAUSE_RX, "off" },
	{ RT_KNOB_PAUSE_TX, "off" },
	{ RT_KNOB_TCLASS, "106" },
	{ RT_KNOB_CM_TOS, "106" },
	{ RT_KNOB_CC_ALGORITHM, "dcqcn" },
	{ RT_KNOB_NP_CNP_DSCP, "48" },
	{ RT_KNOB_NP_CNP_PRIO, "6" },
	{ 0 },
};

/* DSCPs without an entry, bytes that do not agree, pauses that do not either. */
static const struct knob_text half_set[] = {
	{ RT_KNOB_TRUST, "dscp" },
	{ RT_KNOB_DSCP_PRIO, "0-25:none 26:3 27-63:none" },
	{ RT_KNOB_ETS_PRIO_TC, "0-7:0" },
	{ RT_KNOB_ETS_TSA, "0:ets 1:strict 2-7:ets" },
	{ RT_KNOB_ETS_BW, "0:90 1:10 2-7:0" },
	{ RT_KNOB_PAUSE_RX, "on" },
	{ RT_KNOB_PAUSE_TX, "off" },
	{ RT_KNOB_TCLASS, "104" },
	{ RT_KNOB_CM_TOS, "106" },
	{ RT_KNOB_RP_ALPHA_TIMER, "0" }, /* no profile may say so */
	{ 0 },
};

static const struct knob_text bnxt[] = {
	{ RT_KNOB_TRUST, "dscp" },
	{ RT_KNOB_DSCP_PRIO, "0-25:none 26:3 27-47:none 48:7 49-63:none" },
	{ RT_KNOB_PFC_MASK, "3" },
	{ RT_KNOB_ETS_PRIO_TC, "0-2:0 3:1 4-6:0 7:2" },
	{ RT_KNOB_ETS_TSA, "0-1:ets 2:strict 3-7:ets" },
	{ RT_KNOB_ETS_BW, "0:50 1:50 2-7:0" },
	{ RT_KNOB_DATA_DSCP, "26" },
	{ RT_KNOB_DATA_PRIO, "3" },
	{ RT_KNOB_CM_TOS, "106" },
	{ RT_KNOB_CC_ALGORITHM, "dcqcn-p" },
	{ RT_KNOB_NP_CNP_DSCP, "48" },
	{ RT_KNOB_NP_CNP_PRIO, "7" },
	{ 0 },
};

/* Traffic classes of which each has a share and no priority; all of PFC. */
static const struct knob_text idle_classes[] = {
	{ RT_KNOB_TRUST, "dscp" },
	{ RT_KNOB_DSCP_PRIO, "0-7:0 8-15:1 16-23:2 24-31:3 32-39:4 40-47:5 48-55:6 "
			     "56-63:7" },
	{ RT_KNOB_PFC_MASK, "0 1 2 3 4 5 6 7" },
	{ RT_KNOB_ETS_PRIO_TC, "0-7:0" },
	{ RT_KNOB_ETS_TSA, "0-7:ets" },
	{ RT_KNOB_ETS_BW, "0-3:12 4-7:13" },
	{ RT_KNOB_TCLASS, "106" },
	{ RT_KNOB_CM_TOS, "106" },
	{ RT_KNOB_NP_CNP_DSCP, "48" },
	{ 0 },
};

static const struct state states[] = {
	{ "nothing is known", "mlx5", nothing, NULL, 0, "algorithm: keep", "classes" },
	{ "no driver", NULL, nothing, NULL, 0, "trust: keep", "driver:" },
	{ "mlx5, fresh", "mlx5", mlx5_fresh, "rp_gd", 15, "buffers: auto", "dscp: [" },
	{ "mlx5, RoCE", "mlx5", mlx5_roce, "rp_gd", 15,
	  "  roce: {dscp: [26], prio: 3, lossless: yes, tc: 3, ect: tclass, sched: "
	  "{ets: "
	  "50}}\n"
	  "  cnp: {kind: cnp, dscp: [48], prio: 6, lossless: no, tc: 6, sched: "
	  "{strict: "
	  "1, max: 4Gb/s}}\n"
	  "  prio0: {dscp: [0-25, 27-47, 49-63], prio: 0, lossless: no, tc: 0, sched: "
	  "{ets: 40}}\n",
	  "keep}" },
	{ "half set", "irdma", half_set, NULL, 3, "global_pause: keep", "ect" },
	{ "bnxt_re", "bnxt_re", bnxt, "rtt", 12, "ect: nic", "tclass" },
	{ "bnxt_re's state elsewhere", "mlx5", bnxt, NULL, 9, "roce", NULL },
	{ "idle traffic classes", "mlx5", idle_classes, NULL, 4, "lossless: yes",
	  "lossless: keep" },
};

static void make_state(const struct state *state, struct rt_qos *ret_qos)
{
	*ret_qos = (struct rt_qos){ 0 };
	for (const struct knob_text *row = state->knobs; row->text; row++) {
		struct rt_err err = { 0 };

		if (rt_knob_parse(&rt_knobs[row->id], row->text,
				  &ret_qos->knobs[row->id], &err) < 0)
			fail_msg("%s", err.msg);
	}
	if (state->raw)
		ret_qos->raw[ret_qos->raw_count++] = (struct rt_raw_value){
			.name = state->raw, .known = true, .number = 7
		};
}

static struct rt_device make_device(const char *driver)
{
	return (struct rt_device){
		.ibdev = "mlx5_0",
		.port = 1,
		.netdev = "eth0",
		.driver_name = driver,
		.chip = "15b3:ffff \"\\",
		.speed_bps = RT_KNOWN_U64(100000000000),
		.mtu_bytes = RT_KNOWN_U64(9000),
		.roce_mtu_bytes = RT_KNOWN_U64(4096),
	};
}

static unsigned compare(const struct rt_qos *have, const struct rt_qos *want)
{
	unsigned asked = 0;

	for (unsigned id = 0; id < RT_KNOB_COUNT; id++) {
		const uint64_t differs = rt_knob_differs(
			&rt_knobs[id], &have->knobs[id], &want->knobs[id]);

		if (differs)
			fail_msg("%s differs in elements 0x%llx", rt_knobs[id].name,
				 (unsigned long long)differs);
		asked += want->knobs[id].known != 0;
	}
	for (size_t i = 0; i < want->raw_count; i++) {
		const struct rt_raw_value *raw = rt_qos_raw(have, want->raw[i].name);

		assert_non_null(raw);
		assert_int_equal(raw->number, want->raw[i].number);
		asked++;
	}
	return asked;
}

static void check_state(const struct state *state)
{
	RT_AUTO(rt_auto_profile_free) struct rt_profile *profile = NULL;
	RT_AUTO(rt_auto_free) char *yaml = NULL;
	const struct rt_device device = make_device(state->driver);
	const struct rt_qos_port port = { .driver = state->driver,
					  .speed_bps = device.speed_bps };
	struct rt_err err = { 0 };
	struct rt_qos_want want;
	struct rt_qos have;
	unsigned asked;

	make_state(state, &have);
	assert_int_equal(rt_port_profile(&device, &have, &yaml, &err), 0);
	print_message("# %s\n%s", state->label, yaml);
	if (rt_profile_parse("shown", yaml, strlen(yaml), NULL, NULL, &profile, &err) <
		    0 ||
	    rt_qos_want(profile, &port, &want, &err) < 0)
		fail_msg("%s", err.msg);
	asked = compare(&have, &want.qos);
	print_message("# asks for %u knobs\n", asked);
	assert_true(asked >= state->asked);
	if (state->has && !strstr(yaml, state->has))
		fail_msg("%s: lacks %s", state->label, state->has);
	if (state->has_not && strstr(yaml, state->has_not))
		fail_msg("%s: has %s", state->label, state->has_not);
}

static void test_a_shown_profile_asks_for_what_is_there(void **state)
{
	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(states); i++)
		check_state(&states[i]);
}

/* Whatever the state is: maps, masks and shares by chance. */
static void test_any_state_is_left_as_it_is(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (unsigned run = 0; run < 300; run++) {
		RT_AUTO(rt_auto_profile_free) struct rt_profile *profile = NULL;
		RT_AUTO(rt_auto_free) char *yaml = NULL;
		const struct rt_device device = make_device("bnxt_re");
		const struct rt_qos_port port = { .driver = "bnxt_re" };
		struct rt_qos have = { 0 };
		struct rt_err err = { 0 };
		struct rt_qos_want want;

		for (unsigned id = 0; id < RT_KNOB_COUNT; id++)
			for (unsigned i = 0; i < rt_knobs[id].length; i++) {
				seed = seed * 6364136223846793005u +
				       1442695040888963407u;
				if ((seed >> 60) % 3 == 0)
					continue;
				rt_knob_set(&have, id, i, (seed >> 33) % 8);
			}
		assert_int_equal(rt_port_profile(&device, &have, &yaml, &err), 0);
		if (rt_profile_parse("shown", yaml, strlen(yaml), NULL, NULL, &profile,
				     &err) < 0 ||
		    rt_qos_want(profile, &port, &want, &err) < 0)
			fail_msg("%s\n%s", err.msg, yaml);
		compare(&have, &want.qos);
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_a_shown_profile_asks_for_what_is_there),
	     cmocka_unit_test(test_any_state_is_left_as_it_is))
