/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_host_refuse.c - what is refused before anything is written, what lacks, and
 * what numbers become on their way to a NIC.
 */
#include "plans.h"

#include <errno.h>

#include "base/own.h"

static void of_firmware(struct rt_fake_port *port)
{
	port->dcb.dcbx = RT_DCBX_MODE_CEE | RT_DCBX_MODE_IEEE;
}

static void of_agent(struct rt_fake_port *port)
{
	port->dcb.dcbx = RT_DCBX_MODE_LLD | RT_DCBX_MODE_IEEE;
	port->flags.value = 2;
}

static void of_older_agent(struct rt_fake_port *port)
{
	of_agent(port);
	strcpy(port->flags.name[1], "enable-fw-lldp");
}

/* A driver that shows no flag at all; its mode says what it says. */
static void of_hidden_agent(struct rt_fake_port *port)
{
	of_agent(port);
	port->has_flags = false;
}

/* mqprio offload runs. */
static void without_mode(struct rt_fake_port *port)
{
	port->dcb.dcbx = 0;
}

static void speaks_cee(struct rt_fake_port *port)
{
	port->dcb.dcbx = RT_DCBX_MODE_HOST | RT_DCBX_MODE_CEE;
}

static void four_lossless(struct rt_fake_port *port)
{
	port->dcb.pfc.cap = 4;
}

/* --- what is refused ------------------------------------------------------------------ */

static void test_refusals(void **state)
{
	static const struct {
		const char *label;
		const char *personality;
		void (*setup)(struct rt_fake_port *port);
		const char *wants[6];
		int result;
		const char *says;
	} cases[] = {
		{ "more lossless priorities than the firmware's limit",
		  "hns3",
		  four_lossless,
		  { "pfc.mask=0 1 2 3 4" },
		  -ERANGE,
		  "5 priorities cannot be lossless, Huawei Kunpeng does 4" },
		{ "E810 has one lossless class, whatever its interface says",
		  "ice",
		  NULL,
		  { "dcbx.owner=host", "pfc.mask=2 3" },
		  -ERANGE,
		  "2 priorities cannot be lossless, Intel E810 and later does 1" },
		{ "E810 has four classes",
		  "ice",
		  NULL,
		  { "dcbx.owner=host", "ets.prio_tc=3:4" },
		  -ERANGE,
		  "priority 3 cannot be in traffic class 4: there are 4" },
		{ "priorities of ice are below the number of classes",
		  "ice",
		  NULL,
		  { "dcbx.owner=host", "dscp_prio=48:6" },
		  -ERANGE,
		  "DSCP 48 cannot have priority 6" },
		{ "in DSCP mode of ice the table of classes is fixed",
		  "ice",
		  NULL,
		  { "dcbx.owner=host", "dscp_prio=26:3", "ets.prio_tc=3:1" },
		  -EINVAL,
		  "ets.prio_tc cannot be as wanted together with the rest: it would "
		  "become 0:0 1:1 2:2 3:3 4-7:0" },
		{ "ice takes IEEE settings only",
		  "ice",
		  speaks_cee,
		  { "pfc.mask=3" },
		  -EPERM,
		  "dcb dcbx set dev eth0 host ieee" },
		{ "firmware owns DCB and keeps it",
		  "ice",
		  of_agent,
		  { "pfc.mask=3" },
		  -EPERM,
		  "fw-lldp-agent off" },
		{ "firmware owns DCB, by the flag's older name",
		  "ice",
		  of_older_agent,
		  { "pfc.mask=3" },
		  -EPERM,
		  "the NIC's firmware owns DCB, pfc.mask would not hold" },
		{ "firmware owns DCB, and only the mode tells",
		  "ice",
		  of_hidden_agent,
		  { "dscp_prio=26:3" },
		  -EPERM,
		  "the NIC's firmware owns DCB, dscp_prio would not hold" },
		{ "hns3 without IEEE",
		  "hns3",
		  without_mode,
		  { "ets.prio_tc=3:1" },
		  -EPERM,
		  "hns3 takes no DCB settings: its mode is 0x00" },
		{ "firmware owns DCB, mlx5",
		  "mlx5",
		  of_firmware,
		  { "pfc.mask=3" },
		  -EPERM,
		  "pfc.mask would not hold: set host.dcbx.owner: host" },
		{ "shares do not sum up",
		  "mlx5",
		  NULL,
		  { "dcbx.owner=host", "ets.tsa=0:ets 3:ets", "ets.bw=0:50 3:40" },
		  -ERANGE,
		  "would sum to 90 %" },
		{ "PFC with pause",
		  "mlx4",
		  NULL,
		  { "pfc.mask=3" },
		  -EINVAL,
		  "set host.global_pause: off" },
		{ "a number beyond the NIC",
		  "mlx5",
		  NULL,
		  { "cc.rp.fast_recovery=32" },
		  -ERANGE,
		  "cc.rp.fast_recovery: 32 is out of range: rp_threshold takes 0 to "
		  "31" },
		{ "a time that the NIC cannot hold",
		  "mlx5",
		  NULL,
		  { "cc.rp.alpha_timer=500ns" },
		  -ERANGE,
		  "rp_dce_tcp_rtt takes 1us to 131.071ms" },
		{ "a limit that the NIC cannot hold",
		  "mlx5",
		  NULL,
		  { "dcbx.owner=host", "max_rate=3:400Gb/s" },
		  -ERANGE,
		  "max_rate: 400Gb/s is nothing that" },
		{ "a storm time-out that is too short",
		  "mlx5",
		  NULL,
		  { "pause_storm_timeout=20ms" },
		  -ERANGE,
		  "takes 80ms to 8s" },
		{ "a law of another vendor",
		  "bnxt",
		  NULL,
		  { "cc.algorithm=rttcc" },
		  -ERANGE,
		  "cc.algorithm: rttcc is nothing that cc_mode can hold" },
	};
	static struct rt_plan plan;
	static struct rt_qos have, want;

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct fake_host host;
		struct rt_err err = { 0 };

		print_message("# %s\n", cases[i].label);
		fake_host_open(cases[i].personality, &host);
		if (cases[i].setup)
			cases[i].setup(host.state);
		want_texts(cases[i].wants, &want);
		fake_host_read(&host, &have);
		plan.step_count = 77;
		assert_int_equal(
			rt_plan_make(&host.port, &have, &want, NULL, &plan, &err),
			cases[i].result);
		print_message("# %s\n", err.msg);
		assert_non_null(strstr(err.msg, cases[i].says));
		assert_int_equal(plan.step_count, 77);
		assert_int_equal(host.fake->writes, 0);
		fake_host_close(&host);
	}
}

static void test_bond_is_refused_on_ice(void **state)
{
	static struct rt_plan plan;
	static struct rt_qos have, want;
	struct fake_host host;
	struct rt_err err = { 0 };

	(void)state;
	fake_host_open("ice", &host);
	snprintf(host.device.bond, sizeof(host.device.bond), "bond0");
	want_texts((const char *const[]){ "dcbx.owner=host", "pfc.mask=3", NULL },
		   &want);
	fake_host_read(&host, &have);
	assert_int_equal(rt_plan_make(&host.port, &have, &want, NULL, &plan, &err),
			 -EPERM);
	assert_non_null(strstr(err.msg, "bond0"));
	fake_host_close(&host);
}

/* What keeps DCB from being set keeps nothing else from it. */
static void test_only_dcb_is_refused(void **state)
{
	static const struct {
		const char *personality, *bond;
		void (*setup)(struct rt_fake_port *port);
	} cases[] = {
		{ "ice", "bond0", NULL },
		{ "ice", "", speaks_cee },
		{ "ice", "", of_hidden_agent },
		{ "hns3", "", without_mode },
	};
	static const char *const wants[] = { "pause.rx=on", "pause.tx=off", NULL };
	static struct rt_plan plan;
	static struct rt_qos have, want;

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct fake_host host;

		fake_host_open(cases[i].personality, &host);
		snprintf(host.device.bond, sizeof(host.device.bond), "%s",
			 cases[i].bond);
		if (cases[i].setup)
			cases[i].setup(host.state);
		want_texts(wants, &want);
		fake_host_read(&host, &have);
		make_plan(&host.port, &have, &want, &plan);
		assert_int_equal(plan.step_count, 1);
		fake_host_close(&host);
	}
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
	static struct rt_plan plan;
	static struct rt_qos have, want;
	struct fake_host host;
	struct rt_err err = { 0 };

	(void)state;
	fake_host_open("bnxt", &host);
	want_texts(wants, &want);
	want_raw(&want, "no_such", 1);
	fake_host_read(&host, &have);
	if (rt_plan_make(&host.port, &have, &want, &wish, &plan, &err) < 0)
		fail_msg("%s", err.msg);
	show_plan(&host.port, &plan);
	assert_int_equal(plan.missing_count, 4);
	assert_true(missing_of(&plan, "max_rate")->allowed);
	assert_true(missing_of(&plan, "no_such")->allowed);
	assert_false(missing_of(&plan, "pause_storm_timeout")->allowed);
	assert_string_equal(missing_of(&plan, "pause_storm_timeout")->why,
			    "the driver has no pause storm prevention");
	assert_string_equal(missing_of(&plan, "cc.rp.ai")->why,
			    "bnxt_re offers no such knob");
	assert_int_equal(plan.change_count, 1);
	fake_host_close(&host);
}

/* A number in a profile that is not in use would be written, and do nothing. */
static void test_other_profile_of_ionic_is_left_alone(void **state)
{
#define ION "/sys/kernel/debug/ionic/0000:3b:00.0/dcqcn/"
	static const struct {
		const char *in_use; /* NULL: no such file */
		const char *why;    /* NULL: it may be written */
	} cases[] = {
		{ "1\n", NULL },
		{ "2\n", "another DCQCN profile than the first is in use" },
		{ "?\n", "which DCQCN profile is in use is not known" },
		{ NULL, "which DCQCN profile is in use is not known" },
	};
	static const char *const wants[] = { "cc.np.cnp_dscp=48", NULL };
	static struct rt_plan plan;
	static struct rt_qos have, want;

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct fake_host host;

		fake_host_open("ionic", &host);
		rt_fake_add_file(host.fake, ION "profiles/1/roce_rp/ai_rate",
				 RT_FAKE_NUMBER, "160\n");
		rt_fake_add_file(host.fake, ION "profiles/1/roce_np/cnp_dscp",
				 RT_FAKE_NUMBER, "46\n");
		if (cases[i].in_use)
			rt_fake_add_file(host.fake, ION "match_default", RT_FAKE_TEXT,
					 cases[i].in_use);
		want_texts(wants, &want);
		want_raw(&want, "ai_rate", 200);
		fake_host_read(&host, &have);
		make_plan(&host.port, &have, &want, &plan);
		assert_int_equal(plan.change_count, cases[i].why ? 0 : 2);
		assert_int_equal(plan.missing_count, cases[i].why ? 2 : 0);
		if (cases[i].why) {
			assert_string_equal(missing_of(&plan, "ai_rate")->why,
					    cases[i].why);
			assert_string_equal(missing_of(&plan, "cc.np.cnp_dscp")->why,
					    cases[i].why);
		}
		fake_host_close(&host);
	}
#undef ION
}

/* Which law runs is a fact of its own: not to know it keeps nothing from being set. */
static void test_unknown_algorithm_is_allowed(void **state)
{
	static const char *const wants[] = { "cc.algorithm=dcqcn", "cc.rp.ai=40Mb/s",
					     NULL };
	static struct rt_plan plan;
	static struct rt_qos have, want;
	struct fake_host host;

	(void)state;
	fake_host_open("mlx5", &host);
	want_texts(wants, &want);
	fake_host_read(&host, &have);
	make_plan(&host.port, &have, &want, &plan);
	assert_int_equal(plan.change_count, 1);
	assert_true(missing_of(&plan, "cc.algorithm")->allowed);
	assert_non_null(strstr(missing_of(&plan, "cc.algorithm")->why, "mlxconfig"));
	fake_host_close(&host);
}

/* Applications can set the byte themselves where the driver cannot force it. */
static void test_traffic_class_may_be_left_to_applications(void **state)
{
	static const char *const wants[] = { "tos.tclass=106", "cc.rp.ai=40Mb/s",
					     NULL };
	static struct rt_plan plan;
	static struct rt_qos have, want;
	struct fake_host host;

	(void)state;
	fake_host_open("mlx5", &host);
	want_texts(wants, &want);
	fake_host_read(&host, &have);
	rt_knob_unknown(&have, RT_KNOB_TCLASS, "not with this driver");
	make_plan(&host.port, &have, &want, &plan);
	assert_int_equal(plan.change_count, 1);
	assert_true(missing_of(&plan, "tos.tclass")->allowed);
	fake_host_close(&host);
}

static void test_only_groups(void **state)
{
	static const char *const wants[] = { "dcbx.owner=host", "pfc.mask=3",
					     "cc.rp.ai=40Mb/s", "max_rate=3:999Gb/s",
					     NULL };
	const struct rt_plan_wish wish = { .groups = 1u << RT_GROUP_CC };
	static struct rt_plan plan;
	static struct rt_qos have, want;
	struct fake_host host;
	struct rt_err err = { 0 };

	(void)state;
	fake_host_open("mlx5", &host);
	want_texts(wants, &want);
	fake_host_read(&host, &have);
	assert_int_equal(rt_plan_make(&host.port, &have, &want, &wish, &plan, &err), 0);
	assert_int_equal(plan.change_count, 1);
	assert_int_equal(plan.changes[0].knob, RT_KNOB_RP_AI);
	fake_host_close(&host);
}

/* What was not known before cannot be had again. */
static void test_unknown_is_one_way(void **state)
{
	static const char *const wants[] = { "tos.rdma_cm=106", "tos.rdma_cm_mode=v2",
					     NULL };
	static struct rt_plan plan;
	static struct rt_qos have, want, now;
	struct fake_host host;
	char buf[RT_KNOB_TEXT_BYTES];

	(void)state;
	fake_host_open("mlx5", &host);
	want_texts(wants, &want);
	fake_host_read(&host, &have);
	assert_string_equal(have.knobs[RT_KNOB_CM_TOS].why,
			    "its configfs folder is not made");
	make_plan(&host.port, &have, &want, &plan);
	show_plan(&host.port, &plan);
	assert_true(plan.one_way);
	assert_int_equal(plan.step_count, 2);
	assert_string_equal(plan.changes[0].note, "what it was is not known");
	assert_string_equal(rt_change_old(&plan, &plan.changes[0], buf), "unknown");
	for (size_t i = 0; i < plan.step_count; i++)
		assert_int_equal(rt_step_write(&host.port, &plan, &plan.steps[i], NULL),
				 0);
	assert_string_equal(host.fake->log[0],
			    "mkdir /sys/kernel/config/rdma_cm/mlx5_0");
	fake_host_read(&host, &now);
	assert_int_equal(now.knobs[RT_KNOB_CM_TOS].number[0], 106);
	assert_int_equal(now.knobs[RT_KNOB_CM_MODE].number[0], 2);
	make_plan(&host.port, &now, &want, &plan);
	assert_int_equal(plan.step_count, 0);
	fake_host_close(&host);
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
		{ "mlx5_core", "max_rate", "3:0", "3:none" },
		{ "mlx5_core", "pause_storm_timeout", "0", "off" },
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

	want = (struct rt_qos){ 0 };
	want_raw(&want, "hc3_bandwidth", 999);
	assert_int_equal(rt_driver_resolve(rt_driver_find("hns3"), &want, &held, &err),
			 -ERANGE);
	assert_non_null(strstr(err.msg, "bandwidth takes 1000 to 4294967295"));
	want.raw[0].number = 1000;
	assert_int_equal(rt_driver_resolve(rt_driver_find("hns3"), &want, &held, &err),
			 0);
}

RT_UNIT_MAIN(cmocka_unit_test(test_refusals),
	     cmocka_unit_test(test_bond_is_refused_on_ice),
	     cmocka_unit_test(test_only_dcb_is_refused),
	     cmocka_unit_test(test_missing_knobs_are_named),
	     cmocka_unit_test(test_other_profile_of_ionic_is_left_alone),
	     cmocka_unit_test(test_unknown_algorithm_is_allowed),
	     cmocka_unit_test(test_traffic_class_may_be_left_to_applications),
	     cmocka_unit_test(test_only_groups),
	     cmocka_unit_test(test_unknown_is_one_way),
	     cmocka_unit_test(test_resolved_values), cmocka_unit_test(test_raw_twins))
