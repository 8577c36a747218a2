/* SPDX-License-Identifier: BSD-2-Clause */
/* test_switch_profile.c - ports as profiles: what is written reads back the same. */
#include "profiles.h"
#include "switches.h"

#include <errno.h>

#include "model/rules_profile.h"
#include "model/switch_profile.h"
#include "report/report.h"

static char *write_profile(const struct rt_profile *profile)
{
	char *text = NULL;
	size_t bytes;
	FILE *to = open_memstream(&text, &bytes);

	assert_non_null(to);
	assert_int_equal(rt_report_profile(to, profile, "x", NULL), 0);
	fclose(to);
	return text;
}

/* The knobs of both, one by one. */
static void same_knobs(const struct rt_profile *a, const struct rt_profile *b)
{
	struct rt_param_cursor at_a = { 0 }, at_b = { 0 };
	struct rt_param_value in_a, in_b;

	while (rt_param_next(a, &at_a, &in_a)) {
		char text[2][RT_PARAM_TEXT_BYTES];

		assert_true(rt_param_next(b, &at_b, &in_b));
		assert_string_equal(in_a.path, in_b.path);
		rt_param_format(a, in_a.row, in_a.setting, text[0]);
		rt_param_format(b, in_b.row, in_b.setting, text[1]);
		if (strcmp(text[0], text[1]) != 0)
			print_message("# %s: %s, read back %s\n", in_a.path, text[0],
				      text[1]);
		assert_string_equal(text[0], text[1]);
	}
	assert_false(rt_param_next(b, &at_b, &in_b));
}

/* Writes the port as a profile, reads that, and finds no error in it. */
static void round_trip(const struct rt_switch *sw, const struct rt_switch_port *port)
{
	struct rt_findings findings = { 0 };
	struct rt_profile *profile = NULL, *again;
	char *text;

	assert_int_equal(rt_switch_profile(sw, port, RT_ROLE_UP, &profile, NULL), 0);
	text = write_profile(profile);
	again = good_profile(text);
	same_knobs(profile, again);
	assert_int_equal(rt_profile_check(again, &findings, NULL), 0);
	if (rt_findings_worst(&findings) >= RT_SEVERITY_ERROR)
		print_findings(&findings);
	assert_true(findings.count == 0 ||
		    rt_findings_worst(&findings) < RT_SEVERITY_ERROR);
	rt_findings_free(&findings);
	rt_profile_free(again);
	rt_profile_free(profile);
	free(text);
}

static void test_import_reads_back(void **state)
{
	static const struct {
		const char *file, *headroom, *port; /* port NULL: the usual one */
	} rows[] = {
		{ "sonic-full-config_db-with-pfcwd.json", NULL, NULL },
		{ "sonic-full-config_db-with-pfcwd.json",
		  "sonic-sn5600-pg_profile_lookup.ini", NULL },
		{ "sonic-arista7050-td2-qos.json", NULL, NULL },
		{ "sonic-arista7060x6-th5-qos.json", NULL, "Ethernet0" },
		{ "sonic-arista7060x6-th5-qos.json", NULL, "Ethernet512" },
		{ "sonic-nokia-ixr7250e-voq-qos.json", NULL, NULL },
		{ "sonic-inventec-d7032q28b-portlist-qos.json", NULL, NULL },
		{ "sonic-utilities-bracket-refs-3_0_1.json", NULL, NULL },
		{ "sonic-utilities-plain-refs-3_0_3.json", NULL, "hundredGigE1/26" },
		{ "eos-avd-qos.cfg", NULL, "Ethernet1" },
		{ "eos-rocm-7388-dcqcn.cfg", NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct rt_switch *sw = read_shared(rows[i].file, rows[i].headroom,
						   NULL);
		size_t alike;
		const struct rt_switch_port *port = rt_switch_port_usual(sw, &alike);

		if (rows[i].port)
			port = rt_switch_port_find(sw, rows[i].port);
		assert_non_null(port);
		print_message("# %s, %s\n", rows[i].file, port->id.name);
		round_trip(sw, port);
		rt_switch_free(sw);
	}
}

static struct rt_switch *good_switch(const char *text)
{
	struct rt_switch *sw = NULL;
	struct rt_err err = { 0 };

	if (rt_nos_parse(&rt_nos_sonic, "t.json", text, strlen(text), NULL, NULL, &sw,
			 &err) < 0)
		print_message("# %s\n", err.msg);
	assert_non_null(sw);
	return sw;
}

#define CHAIN                                                                          \
	"\"DSCP_TO_TC_MAP\":{\"M\":{\"0\":\"0\",\"1\":\"0\",\"26\":\"3\",\"48\":"      \
	"\"6\"}},"                                                                     \
	"\"TC_TO_QUEUE_MAP\":{\"M\":{\"0\":\"1\",\"3\":\"4\",\"6\":\"7\"}},"           \
	"\"TC_TO_PRIORITY_GROUP_MAP\":{\"M\":{\"0\":\"7\",\"3\":\"5\",\"6\":\"7\"}},"  \
	"\"MAP_PFC_PRIORITY_TO_QUEUE\":{\"M\":{\"2\":\"4\"}},"                         \
	"\"PFC_PRIORITY_TO_PRIORITY_GROUP_MAP\":{\"M\":{\"2\":\"5\"}},"                \
	"\"SCHEDULER\":{\"t\":{\"type\":\"STRICT\"},\"d\":{\"weight\":\"40\"}},"       \
	"\"QUEUE\":{\"P|7\":{\"scheduler\":\"t\"},\"P|4\":{\"scheduler\":\"d\"}},"     \
	"\"PORT_QOS_MAP\":{\"P\":{\"dscp_to_tc_map\":\"M\",\"tc_to_queue_map\":\"M\"," \
	"\"tc_to_pg_map\":\"M\",\"pfc_to_queue_map\":\"M\",\"pfc_to_pg_map\":\"M\","   \
	"\"pfc_enable\":\"2\",\"pfcwd_sw_enable\":\"2\"}},"                            \
	"\"PFC_WD\":{\"P\":{\"detection_time\":\"300\"}}"

/* No number of the chain equals another, and none is taken for another. */
static void test_import_follows_the_chain(void **state)
{
	struct rt_switch *sw = good_switch("{" CHAIN "}");
	struct rt_profile *profile = NULL;
	const struct rt_class *data, *rest, *strict;

	(void)state;
	assert_int_equal(
		rt_switch_profile(sw, &sw->ports[0], RT_ROLE_HOST, &profile, NULL), 0);
	data = rt_profile_class(profile, "lossless3");
	rest = rt_profile_class(profile, "tc0");
	strict = rt_profile_class(profile, "tc6");
	assert_non_null(data);
	assert_non_null(rest);
	assert_non_null(strict);
	assert_int_equal(data->dscp.number, 1ull << 26);
	assert_int_equal(data->tc.number, 3);
	assert_int_equal(data->queue.number, 4);
	assert_int_equal(data->pg.number, 5);
	assert_int_equal(data->prio.number, 2);
	assert_true(rt_class_is_lossless(data));
	assert_int_equal(data->sched.dwrr.number, 40);
	assert_int_equal(data->at[RT_ROLE_HOST].headroom.state, RT_SETTING_KEEP);
	assert_int_equal(rest->dscp.state, RT_SETTING_VALUE); /* most are in no map */
	assert_int_equal(rest->dscp.number, 3);
	assert_int_equal(rest->prio.state, RT_SETTING_UNSET);
	assert_int_equal(strict->sched.strict.number, 1);
	assert_int_equal(profile->sw.watchdog.detect.number, 300000000);
	assert_int_equal(profile->sw.watchdog.classes.number,
			 1u << (data - profile->classes));
	round_trip(sw, &sw->ports[0]);
	rt_profile_free(profile);
	rt_switch_free(sw);
}

static void test_import_rest(void **state)
{
	static const char text[] = "interface Ethernet1\n   no switchport\n";
	struct rt_switch *sw = NULL;
	struct rt_profile *profile = NULL;

	(void)state;
	assert_int_equal(rt_nos_parse(&rt_nos_eos, "t", text, strlen(text), NULL, NULL,
				      &sw, NULL),
			 0);
	assert_int_equal(
		rt_switch_profile(sw, &sw->ports[0], RT_ROLE_HOST, &profile, NULL), 0);
	assert_int_equal(profile->class_count, 8);
	assert_int_equal(profile->classes[0].dscp.state, RT_SETTING_AUTO);
	assert_int_equal(profile->classes[0].dscp.number, 0xff00);
	assert_int_equal(profile->classes[1].dscp.state, RT_SETTING_VALUE);
	round_trip(sw, &sw->ports[0]);
	rt_profile_free(profile);
	rt_switch_free(sw);
}

static void test_import_without_classes(void **state)
{
	struct rt_switch *sw = good_switch(
		"{\"PORT_QOS_MAP\":{\"P\":{\"pfc_enable\":\"3\"}}}");
	struct rt_profile *profile = NULL;
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(
		rt_switch_profile(sw, &sw->ports[0], RT_ROLE_HOST, &profile, &err),
		-ENODATA);
	assert_non_null(strstr(err.msg, "classifies no DSCP"));
	rt_switch_free(sw);
}

/* Words of the file end in quotes and comments: none gets out of them. */
static void test_import_hostile_words(void **state)
{
	struct rt_switch *sw = good_switch(
		"{\"DSCP_TO_TC_MAP\":{\"M\":{\"26\":\"3\"}},\"DEVICE_METADATA\":"
		"{\"localhost\":{\"hostname\":\"a\\\"\\nclasses: {}\\u001b[2J\"}},"
		"\"CABLE_LENGTH\":{\"A\":{\"P\\\"\\nx: 1\\\\\":\"5m\"}},"
		"\"PORT_QOS_MAP\":{\"P\\\"\\nx: 1\\\\\":{\"dscp_to_tc_map\":\"M\"}}}");

	(void)state;
	round_trip(sw, &sw->ports[0]);
	rt_switch_free(sw);
}

RT_UNIT_MAIN(cmocka_unit_test(test_import_reads_back),
	     cmocka_unit_test(test_import_follows_the_chain),
	     cmocka_unit_test(test_import_rest),
	     cmocka_unit_test(test_import_without_classes),
	     cmocka_unit_test(test_import_hostile_words))
