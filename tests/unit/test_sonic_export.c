/* SPDX-License-Identifier: BSD-2-Clause */
/* test_sonic_export.c - profiles as patches: what is written, in what order. */
#include "profiles.h"
#include "switches.h"

#include <errno.h>

#include "base/json.h"
#include "model/switch_profile.h"
#include "nos/wish.h"

/* No number equals another that it might be taken for. */
static const char profile_text[] =
	"classes:\n"
	"  data: {dscp: [26], tc: 3, queue: 4, pg: 5, prio: 2, lossless: yes, "
	"sched: {dwrr: 60}}\n"
	"  more: {dscp: [34, 35], tc: 4, queue: 2, pg: 3, prio: 4, lossless: yes, "
	"sched: {ets: 30}}\n"
	"  cnp: {kind: cnp, dscp: [48], tc: 6, queue: 6, sched: {strict: 1, max: 8G}}\n"
	"  be: {dscp: rest, tc: 0, queue: 1, pg: 7}\n"
	"switch:\n"
	"  roles:\n"
	"    host: {cable: 5m, headroom: {data: 1000B, more: keep}, xon: {data: 200B}, "
	"buffer_alpha: {data: 1/8}}\n"
	"  ecn:\n"
	"    data: {host: {kmin: 1000B, kmax: 2000B, pmax: 5%}}\n"
	"    more: {host: {kmin: 3000B, kmax: 4000B, pmax: 1.5%}}\n"
	"  watchdog: {detect: 300ms, restore: 600ms, poll: 200ms, action: drop}\n";

static char *export_text(const struct rt_nos_wish *wish, int wanted, struct rt_err *err)
{
	struct rt_json *patch = NULL;
	char *text = NULL;
	size_t bytes;
	FILE *to;
	int r = rt_nos_sonic.export(wish, &patch, err);

	if (r != wanted)
		print_message("# %s\n", err->msg);
	assert_int_equal(r, wanted);
	if (r < 0)
		return NULL;
	to = open_memstream(&text, &bytes);
	assert_non_null(to);
	assert_int_equal(rt_json_write(patch, to, NULL), 0);
	fclose(to);
	rt_json_free(patch);
	return text;
}

static struct rt_switch *read_text(const char *text)
{
	struct rt_switch *sw = NULL;
	struct rt_findings complaints = { 0 };
	struct rt_err err = { 0 };

	if (rt_nos_parse(&rt_nos_sonic, "patch", text, strlen(text), NULL, &complaints,
			 &sw, &err) < 0)
		print_message("# %s\n", err.msg);
	assert_non_null(sw);
	print_findings(&complaints);
	for (size_t i = 0; i < complaints.count; i++) /* pools are not written */
		assert_non_null(strstr(complaints.items[i].evidence, "buffer pool"));
	rt_findings_free(&complaints);
	return sw;
}

static const char *const two_ports[] = { "Ethernet0", "Eth/8~1" };

/* What is exported for two ports, asked of the switch that has it. */
static const struct truth written[] = {
	{ "Ethernet0", ASK_DSCPS_OF_TC, 3, "26" },
	{ "Ethernet0", ASK_DSCPS_OF_TC, 4, "34,35" },
	{ "Ethernet0", ASK_DSCPS_OF_TC, 6, "48" },
	{ "Ethernet0", ASK_DSCPS_OF_TC, 0, "0-25,27-33,36-47,49-63" },
	{ "Ethernet0", ASK_QUEUE_OF_TC, 3, "4" },
	{ "Ethernet0", ASK_QUEUE_OF_TC, 4, "2" },
	{ "Ethernet0", ASK_GROUP_OF_TC, 3, "5" },
	{ "Ethernet0", ASK_GROUP_OF_TC, 6, "0" },
	{ "Ethernet0", ASK_GROUP_OF_TC, 0, "7" },
	{ "Ethernet0", ASK_PFC, 0, "2,4/2,4" },
	{ "Ethernet0", ASK_WATCHED, 0, "2,4" },
	{ "Ethernet0", ASK_WRED, 4, "ROCE_HOST_Q4 ecn 0-2 1000 2000 5%" },
	{ "Ethernet0", ASK_WRED, 2, "ROCE_HOST_Q2 ecn 0-2 3000 4000 2%" },
	{ "Ethernet0", ASK_WRED, 6, "-" },
	{ "Ethernet0", ASK_SCHED, 4, "dwrr 60" },
	{ "Ethernet0", ASK_SCHED, 2, "dwrr 30" },
	{ "Ethernet0", ASK_SCHED, 6, "strict ?" },
	{ "Ethernet0", ASK_BUFFER, 5,
	  "ROCE_HOST_PG5 size 1200 xon 200 xoff 1000 alpha 1/8" },
	{ "Ethernet0", ASK_BUFFER, 3, "-" },
	{ "Ethernet0", ASK_LINK, 0, "? ? 5m" },
	{ "Ethernet0", ASK_WATCHDOG, 0,
	  "1 detect 300ms restore 600ms poll ? action 0" },
	{ NULL, ASK_GLOBAL, 0, "? dscp ? poll 200ms oversubscription ?" },
	{ "Ethernet0", ASK_LOSSLESS, 26, "yes" },
	{ "Ethernet0", ASK_LOSSLESS, 34, "unknown" }, /* headroom is the platform's */
	{ "Ethernet0", ASK_LOSSLESS, 0, "no" },
	{ "Eth/8~1", ASK_PFC, 0, "2,4/2,4" },
	{ "Eth/8~1", ASK_WRED, 4, "ROCE_HOST_Q4 ecn 0-2 1000 2000 5%" },
};

static void test_export_then_import(void **state)
{
	struct rt_profile *profile = good_profile(profile_text);
	struct rt_findings complaints = { 0 };
	const struct rt_nos_wish wish = { .profile = profile,
					  .ports = two_ports,
					  .port_count = 2,
					  .complaints = &complaints };
	struct rt_err err = { 0 };
	char *text = export_text(&wish, 0, &err);
	struct rt_switch *sw = read_text(text);
	unsigned wrong = 0;

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(written); i++) {
		char is[300];

		answer(sw, &written[i], NULL, is, sizeof(is));
		if (strcmp(is, written[i].is) == 0)
			continue;
		wrong++;
		print_message("# row %zu: '%s' is not '%s'\n", i, is, written[i].is);
	}
	assert_int_equal(wrong, 0);
	assert_int_equal(complaints.count, 1); /* 1.5 % */
	assert_non_null(strstr(text, "\"/QUEUE/Eth~18~01|4\""));
	rt_findings_free(&complaints);
	rt_switch_free(sw);
	free(text);
	rt_profile_free(profile);
}

/* The n-th place where the patch speaks of what, from 0; -1: nowhere. */
static long place_of(const char *text, const char *what, bool last)
{
	long place = -1;

	for (const char *at = strstr(text, what); at; at = strstr(at + 1, what)) {
		place = at - text;
		if (!last)
			break;
	}
	return place;
}

/* Headroom, classification, watchdog, ECN, PFC: each ends before the next begins. */
static void test_export_order(void **state)
{
	static const struct {
		const char *first, *last; /* words of one step */
	} steps[] = {
		{ "/CABLE_LENGTH", "/BUFFER_PG" },
		{ "/DSCP_TO_TC_MAP", "\"scheduler\"" },
		{ "/PFC_WD", "restoration_time" },
		{ "/WRED_PROFILE", "wred_profile" },
		{ "pfcwd_sw_enable", "pfc_enable" },
	};
	struct rt_profile *profile = good_profile(profile_text);
	const struct rt_nos_wish wish = { .profile = profile,
					  .ports = two_ports,
					  .port_count = 2 };
	struct rt_err err = { 0 };
	char *text = export_text(&wish, 0, &err);
	long before = -1;

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(steps); i++) {
		const long first = place_of(text, steps[i].first, false);
		const long last = place_of(text, steps[i].last, true);

		assert_true(first > before);
		assert_true(last >= first);
		before = last;
	}
	free(text);
	rt_profile_free(profile);
}

/* A port imported as a profile asks nothing of the switch it came from. */
static void test_export_against_itself(void **state)
{
	static const struct {
		const char *file, *port, *says;
	} rows[] = {
		{ "sonic-arista7050-td2-qos.json", "Ethernet4", "[]\n" },
		{ "sonic-arista7060x6-th5-qos.json", "Ethernet0", "[]\n" },
		{ "sonic-utilities-plain-refs-3_0_3.json", "Ethernet0", NULL },
		{ "sonic-utilities-bracket-refs-3_0_1.json", "Ethernet0", NULL },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct rt_switch *sw = read_shared(rows[i].file, NULL, NULL);
		struct rt_nos_wish wish = { .ports = &rows[i].port,
					    .port_count = 1,
					    .there = sw };
		struct rt_profile *profile = NULL;
		struct rt_err err = { 0 };
		static char config[200000];
		char path[300], *text;
		FILE *file;

		snprintf(path, sizeof(path), "%s/switch-configs/%s", rt_test_shared(),
			 rows[i].file);
		file = fopen(path, "r");
		assert_non_null(file);
		wish.against = config;
		wish.against_name = rows[i].file;
		wish.against_bytes = fread(config, 1, sizeof(config), file);
		fclose(file);
		assert_int_equal(
			rt_switch_profile(sw, rt_switch_port_find(sw, rows[i].port),
					  RT_ROLE_HOST, &profile, NULL),
			0);
		wish.profile = profile;
		text = export_text(&wish, 0, &err);
		if (rows[i].says) {
			assert_string_equal(text, rows[i].says);
		} else { /* these have no pfcwd_sw_enable: nothing else is asked */
			assert_non_null(strstr(text, "Ethernet0/pfcwd_sw_enable\""));
			assert_int_equal(place_of(text, "\"op\"", false),
					 place_of(text, "\"op\"", true));
		}
		free(text);
		rt_profile_free(profile);
		rt_switch_free(sw);
	}
}

#define THERE                                                                         \
	"{\"QUEUE\":{\"Ethernet0|4\":{\"wred_profile\":\"[WRED_PROFILE|ROCE_HOST_Q4]" \
	"\","                                                                         \
	"\"scheduler\":\"old\"}},\"PORT_QOS_MAP\":{\"Ethernet0\":{\"pfc_enable\":"    \
	"\"2,4\"},\"Ethernet4\":{}},\"SCHEDULER\":{\"old\":{\"weight\":\"1\"}}}"

static const struct {
	const char *label, *has, *lacks;
} differences[] = {
	{ "what is so already", NULL,
	  "\"path\": \"/PORT_QOS_MAP/Ethernet0/pfc_enable\"" },
	{ "the old form of a reference is the same", NULL, "Ethernet0|4/wred_profile" },
	{ "another value is replaced",
	  "\"op\": \"replace\",\n    \"path\": \"/QUEUE/Ethernet0|4/scheduler\"",
	  NULL },
	{ "a field that is not there is added",
	  "\"op\": \"add\",\n    \"path\": \"/PORT_QOS_MAP/Ethernet0/pfcwd_sw_enable\"",
	  NULL },
	{ "a table that is not there is made", "\"path\": \"/WRED_PROFILE\",", NULL },
	{ "once", "\"path\": \"/WRED_PROFILE/ROCE_HOST_Q2\",", NULL },
	{ "a table that is there is not made anew", NULL, "\"path\": \"/SCHEDULER\"," },
};

static void test_export_differences(void **state)
{
	struct rt_profile *profile = good_profile(profile_text);
	struct rt_switch *sw = read_text(
		"[{\"WRED_PROFILE\":{\"ROCE_HOST_Q4\":{}}}," THERE "]");
	const struct rt_nos_wish wish = { .profile = profile,
					  .ports = two_ports,
					  .port_count = 1,
					  .against_name = "t.json",
					  .against = THERE,
					  .against_bytes = strlen(THERE),
					  .there = sw };
	struct rt_err err = { 0 };
	char *text = export_text(&wish, 0, &err);

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(differences); i++) {
		const char *has = differences[i].has, *lacks = differences[i].lacks;

		if ((has && !strstr(text, has)) || (lacks && strstr(text, lacks)))
			print_message("# %s:\n%s\n", differences[i].label, text);
		assert_true(!has || strstr(text, has));
		assert_true(!lacks || !strstr(text, lacks));
	}
	free(text);
	rt_switch_free(sw);
	rt_profile_free(profile);
}

/* The patch for Ethernet0 over a configuration; the caller frees it. */
static char *export_over(const char *profile_yaml, const char *config)
{
	struct rt_profile *profile = good_profile(profile_yaml);
	struct rt_switch *sw = read_text(config);
	const struct rt_nos_wish wish = { .profile = profile,
					  .ports = two_ports,
					  .port_count = 1,
					  .against_name = "t.json",
					  .against = config,
					  .against_bytes = strlen(config),
					  .there = sw };
	struct rt_err err = { 0 };
	char *text = export_text(&wish, 0, &err);

	rt_switch_free(sw);
	rt_profile_free(profile);
	return text;
}

/* A priority that loses PFC does so first, and once. */
static void test_export_takes_down_first(void **state)
{
	static const struct {
		const char *now, *then;
		bool again; /* more is to be added at the end */
	} rows[] = {
		{ "2,3,4", "\"value\": \"2,4\"", false },
		{ "3,4", "\"value\": \"4\"", true },
		{ "0,1", "\"value\": \"\"", true },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		static const char path[] = "/PORT_QOS_MAP/Ethernet0/pfc_enable\"";
		char config[200], *text;
		long first, last;

		snprintf(config, sizeof(config),
			 "{\"PORT_QOS_MAP\":{\"Ethernet0\":{\"pfc_enable\":\"%s\"}}}",
			 rows[i].now);
		text = export_over(profile_text, config);
		first = place_of(text, path, false);
		last = place_of(text, path, true);
		assert_int_equal(first > last, 0);
		assert_int_equal(first != last, rows[i].again);
		assert_true(first < place_of(text, "\"op\"", false) + 80);
		assert_non_null(strstr(text + first, rows[i].then));
		assert_true(strstr(text + first, rows[i].then) < text + first + 80);
		free(text);
	}
	{ /* nothing is taken away: PFC comes last only */
		char *text = export_over(profile_text,
					 "{\"PORT_QOS_MAP\":{\"Ethernet0\":"
					 "{\"pfc_enable\":\"2\"}}}");

		assert_true(place_of(text, "pfc_enable", false) >
			    place_of(text, "wred_profile", true));
		free(text);
	}
}

/* Priority n for group n needs no map, unless one is bound that says otherwise. */
static void test_export_pfc_group_map(void **state)
{
	static const char identity[] =
		"classes: {a: {dscp: [26], tc: 3, queue: 3, pg: 3, prio: 3, lossless: "
		"yes}}\n";
	char *without = export_over(identity, "{\"PORT_QOS_MAP\":{\"Ethernet0\":{}}}");
	char *with = export_over(
		identity,
		"{\"PORT_QOS_MAP\":{\"Ethernet0\":{\"pfc_to_pg_map\":\"X\"}},"
		"\"PFC_PRIORITY_TO_PRIORITY_GROUP_MAP\":{\"X\":{\"3\":\"4\"}}}");

	(void)state;
	assert_null(strstr(without, "pfc_to_pg_map"));
	assert_non_null(strstr(with, "Ethernet0/pfc_to_pg_map"));
	assert_non_null(strstr(with, "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP/ROCE"));
	free(without);
	free(with);
}

static const struct {
	const char *text, *says;
} refused[] = {
	{ "name: x\n", "no classes" },
	{ "classes: {a: {dscp: [26], queue: 3}}\n", "class a: tc is not a number" },
	{ "classes: {a: {dscp: [26], tc: 3}}\n", "class a: queue is not a number" },
	{ "name: x\nclasses: {a: {dscp: [26], prio: 3, queue: 2, lossless: yes}}\n",
	  "class a: tc is not a number, and SONiC's maps need it: export a file with "
	  "`extends: x` and `classes: {a: {tc: 3, pg: 3}}`" },
	{ "classes: {a: {dscp: [26], tc: 3, queue: 3, prio: 3, lossless: yes}}\n",
	  "class a: pg is not a number" },
	{ "classes: {a: {dscp: [26], tc: 3, queue: 9}}\n", "queues 0 to 7" },
	{ "classes: {a: {dscp: [26], tc: 3, queue: 3}, b: {dscp: [27], tc: 3, queue: "
	  "4}}\n",
	  "class b: TC_TO_QUEUE_MAP cannot have both 3 to 3 and 3 to 4" },
};

static void test_export_refusals(void **state)
{
	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(refused); i++) {
		struct rt_profile *profile = good_profile(refused[i].text);
		const struct rt_nos_wish wish = { .profile = profile,
						  .ports = two_ports,
						  .port_count = 1 };
		struct rt_err err = { 0 };

		export_text(&wish, -EINVAL, &err);
		if (!strstr(err.msg, refused[i].says))
			print_message("# %s\n", err.msg);
		assert_non_null(strstr(err.msg, refused[i].says));
		rt_profile_free(profile);
	}
}

static void test_export_not_to_a_chassis(void **state)
{
	struct rt_switch *sw = read_shared("sonic-nokia-ixr7250e-voq-qos.json", NULL,
					   NULL);
	struct rt_profile *profile = good_profile(profile_text);
	const struct rt_nos_wish wish = { .profile = profile,
					  .ports = two_ports,
					  .port_count = 1,
					  .against_name = "t.json",
					  .against = "{}",
					  .against_bytes = 2,
					  .there = sw };
	struct rt_err err = { 0 };

	(void)state;
	export_text(&wish, -EINVAL, &err);
	assert_non_null(strstr(err.msg, "chassis"));
	rt_profile_free(profile);
	rt_switch_free(sw);
}

/* No lossless class: PFC is turned off by an empty list, not left as it is. */
static void test_export_without_pfc(void **state)
{
	struct rt_profile *profile = good_profile(
		"classes: {a: {dscp: [26], tc: 3, queue: 3}}\n");
	const struct rt_nos_wish wish = { .profile = profile,
					  .ports = two_ports,
					  .port_count = 1 };
	struct rt_err err = { 0 };
	char *text = export_text(&wish, 0, &err);

	(void)state;
	assert_non_null(strstr(text, "Ethernet0/pfc_enable\",\n    \"value\": \"\""));
	free(text);
	rt_profile_free(profile);
}

/* Nor is a map written that maps nothing, or referred to; the watchdog goes. */
static void test_export_takes_the_watchdog_off(void **state)
{
	static const char *const tables[] = {
		/* The only entry: the table goes with it. */
		"{\"PFC_WD\": {\"Ethernet0\": {\"action\": \"drop\"}}}",
		"{\"PFC_WD\": {\"GLOBAL\": {}, \"Ethernet0\": {\"action\": \"drop\"}}}",
		"{\"PFC_WD|GLOBAL\": {}, \"PFC_WD|Ethernet0\": {\"action\": \"drop\"}}",
		"{\"PFC_WD\": {\"Ethernet4\": {\"action\": \"drop\"}}}",
	};
	static const char *const removed[] = { "/PFC_WD", "/PFC_WD/Ethernet0",
					       "/PFC_WD/Ethernet0", NULL };
	struct rt_profile *profile = good_profile(
		"classes: {a: {dscp: [26], tc: 3, queue: 3}}\n"
		"switch: {watchdog: {detect: 200ms, action: drop}}\n");

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(tables); i++) {
		struct rt_switch *sw = read_text(tables[i]);
		const struct rt_nos_wish wish = { .profile = profile,
						  .ports = two_ports,
						  .port_count = 1,
						  .against_name = "t.json",
						  .against = tables[i],
						  .against_bytes = strlen(tables[i]),
						  .there = sw };
		struct rt_err err = { 0 };
		char *text = export_text(&wish, 0, &err);
		char wanted[80];

		snprintf(wanted, sizeof(wanted),
			 "\"op\": \"remove\",\n    \"path\": \"%s\"\n",
			 removed[i] ? removed[i] : "");
		assert_int_equal(removed[i] != NULL, strstr(text, wanted) != NULL);
		assert_int_equal(removed[i] != NULL, strstr(text, "PFC_WD") != NULL);
		assert_null(strstr(text, "pfc_to_queue_map"));
		assert_non_null(strstr(text, "tc_to_queue_map"));
		free(text);
		rt_switch_free(sw);
	}
	rt_profile_free(profile);
}

RT_UNIT_MAIN(cmocka_unit_test(test_export_then_import),
	     cmocka_unit_test(test_export_order),
	     cmocka_unit_test(test_export_against_itself),
	     cmocka_unit_test(test_export_differences),
	     cmocka_unit_test(test_export_takes_down_first),
	     cmocka_unit_test(test_export_pfc_group_map),
	     cmocka_unit_test(test_export_refusals),
	     cmocka_unit_test(test_export_not_to_a_chassis),
	     cmocka_unit_test(test_export_without_pfc),
	     cmocka_unit_test(test_export_takes_the_watchdog_off))
