/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_rules_switch.c - rules over one switch.  The base configuration is in order;
 * each row lays one change over it, and the rule has to find exactly that.
 */
#include "switches.h"

#include "model/rules_switch.h"

#define PORT_QOS                                                          \
	"{'dscp_to_tc_map':'M','tc_to_queue_map':'M','tc_to_pg_map':'M'," \
	"'pfc_to_queue_map':'M','pfc_enable':'3','pfcwd_sw_enable':'3'}"
#define PORT(n, i) "'Ethernet" #n "':{'speed':'100000','mtu':'9100','index':'" #i "'}"

#define BASE                                                                           \
	"{'PORT':{" PORT(0, 1) "," PORT(                                               \
		4,                                                                     \
		2) "},"                                                                \
		   "'CABLE_LENGTH':{'AZURE':{'Ethernet0':'5m','Ethernet4':'5m'}},"     \
		   "'DSCP_TO_TC_MAP':{'M':{'0':'0','26':'3','48':'6'}},"               \
		   "'TC_TO_QUEUE_MAP':{'M':{'0':'0','3':'3','6':'6'}},"                \
		   "'TC_TO_PRIORITY_GROUP_MAP':{'M':{'0':'0','3':'3','6':'0'}},"       \
		   "'MAP_PFC_PRIORITY_TO_QUEUE':{'M':{'3':'3'}},"                      \
		   "'SCHEDULER':{'s':{'type':'DWRR','weight':'15'},'t':{'type':'"      \
		   "STRICT'}},"                                                        \
		   "'WRED_PROFILE':{'w':{'ecn':'ecn_all','wred_green_enable':'true',"  \
		   "'green_min_threshold':'100000','green_max_threshold':'400000',"    \
		   "'green_drop_probability':'5'},"                                    \
		   "'unused':{'green_min_threshold':'2','green_max_threshold':'1'}},"  \
		   "'QUEUE':{'Ethernet0|3':{'scheduler':'s','wred_profile':'w'},"      \
		   "'Ethernet4|3':{'scheduler':'s','wred_profile':'w'},"               \
		   "'Ethernet0,Ethernet4|6':{'scheduler':'t'}},"                       \
		   "'BUFFER_POOL':{'p':{'type':'ingress','mode':'dynamic','size':'"    \
		   "30000000'}},"                                                      \
		   "'BUFFER_PROFILE':{'pg_lossless_100000_5m_profile':{'pool':'p',"    \
		   "'size':'19456','xon':'19456','xoff':'113664','dynamic_th':'0'},"   \
		   "'lossy':{'pool':'p','size':'0','dynamic_th':'3'}},"                \
		   "'BUFFER_PG':{'Ethernet0,Ethernet4|3':{'profile':"                  \
		   "'pg_lossless_100000_5m_profile'},'Ethernet0,Ethernet4|0':"         \
		   "{'profile':'lossy'}},"                                             \
		   "'PFC_WD':{'GLOBAL':{'POLL_INTERVAL':'200'},'Ethernet0,Ethernet4':" \
		   "{'action':'drop','detection_time':'200','restoration_time':'400'}" \
		   "},"                                                                \
		   "'PORT_QOS_MAP':{'Ethernet0':" PORT_QOS ",'Ethernet4':" PORT_QOS    \
		   "}}"

#define TABLE "100000 5m 133120 19456 113664 0\n"

struct row {
	const char *label, *change; /* NULL: EOS text in text */
	const char *table;          /* of headroom; NULL: none */
	const char *id;             /* NULL: nothing at all is found */
	unsigned count;
	const char *says; /* in the evidence; NULL: no matter */
};

#define WRED(fields) "{'WRED_PROFILE':{'w':{" fields "}}}"
#define QOS(fields)  "{'PORT_QOS_MAP':{'Ethernet4':{" fields "}}}"
#define WD(fields)   "{'PFC_WD':{'Ethernet4':{" fields "}}}"
#define SKU(name)    "{'DEVICE_METADATA':{'localhost':{'hwsku':'" name "'}}}"

static const struct row rows[] = {
	{ "in order", "{}", NULL, NULL, 0, NULL },
	{ "in order, with a table", "{}", TABLE, NULL, 0, NULL },

	{ "Kmin above Kmax", WRED("'green_min_threshold':'400001'"), NULL,
	  "switch-kmin-above-kmax", 1, "minimum 400.001KB" },
	{ "a step is allowed", WRED("'green_min_threshold':'400000'"), NULL, NULL, 0,
	  NULL },

	{ "ECN without WRED", WRED("'wred_green_enable':'false'"), NULL,
	  "switch-ecn-wred-off", 1, "false" },
	{ "the same on NVIDIA",
	  WRED("'wred_green_enable':'false'") "," SKU("ACS-SN5600"), NULL, NULL, 0,
	  NULL },

	{ "thresholds of the pool",
	  WRED("'green_min_threshold':'30000000','green_max_threshold':'30000000'"),
	  NULL, "switch-marking-never", 1, "30MB" },
	{ "just below the pool",
	  WRED("'green_min_threshold':'29999999','green_max_threshold':'30000000'"),
	  NULL, NULL, 0, NULL },

	{ "no ECN at all", WRED("'ecn':'ecn_none'"), NULL, "switch-pfc-without-ecn", 1,
	  "Ethernet0 and 1 more" },
	{ "a queue without a profile",
	  QOS("'pfc_enable':'3,6','pfc_to_queue_map':'N'") ","
							   "{'MAP_PFC_PRIORITY_TO_"
							   "QUEUE':{'N':{'3':'3','6':'"
							   "6'}}}",
	  NULL, "switch-pfc-without-ecn", 1, "Ethernet4: priority 6" },

	{ "48 among others", "{'DSCP_TO_TC_MAP':{'M':{'48':'0'}}}", NULL,
	  "switch-cnp-shares-class", 1, "with 1 others" },

	{ "a lossy profile", "{'BUFFER_PG':{'Ethernet4|3':{'profile':'lossy'}}}", NULL,
	  "switch-lossless-broken", 1, "profile lossy without headroom" },
	{ "another group", "{'TC_TO_PRIORITY_GROUP_MAP':{'M':{'3':'0'}}}", NULL,
	  "switch-lossless-broken", 1,
	  "no priority with PFC is of its priority group" },
	{ "no profile in the file",
	  "{'PORT_QOS_MAP':{'Ethernet8':" PORT_QOS "}},"
	  "{'QUEUE':{'Ethernet8|3':{'wred_profile':'w'}}},"
	  "{'PFC_WD':{'Ethernet8':{'action':'drop'}}}",
	  NULL, "switch-lossless-unknown", 1, "no profile of priority group 3" },

	{ "no DSCP for it", QOS("'pfc_enable':'3,5'"), NULL, "switch-pfc-unreached", 1,
	  "priority 5" },

	{ "another map",
	  "{'DSCP_TO_TC_MAP':{'N':{'0':'0','26':'0','48':'6'}}},"
	  "{'PORT_QOS_MAP':{'Ethernet4':{'dscp_to_tc_map':'N'}}}",
	  NULL, "switch-dscp-maps-differ", 1, "DSCP 26 differ" },
	{ "another name for the same map",
	  "{'DSCP_TO_TC_MAP':{'N':{'0':'0','26':'3','48':'6'}}},"
	  "{'PORT_QOS_MAP':{'Ethernet4':{'dscp_to_tc_map':'N'}}}",
	  NULL, NULL, 0, NULL },
	{ "only the global map",
	  "{'PORT_QOS_MAP':{'global':{'dscp_to_tc_map':'M'}}},{'PORT':{" PORT(8,
									      3) "}}",
	  NULL, "switch-port-global-only", 1, "Ethernet8" },
	{ "the global map beside the ports' own",
	  "{'PORT_QOS_MAP':{'global':{'dscp_to_tc_map':'M'}}}", NULL, NULL, 0, NULL },

	{ "an empty list", QOS("'pfc_enable':''"), NULL, "switch-pfc-empty", 1,
	  "Ethernet4" },
	{ "asymmetric", "{'PORT':{'Ethernet4':{'pfc_asym':'on'}}}", NULL,
	  "switch-pfc-asymmetric", 1, "obeys it for 0-7" },

	{ "no row", "{'CABLE_LENGTH':{'AZURE':{'Ethernet4':'7m'}}}", TABLE,
	  "switch-no-headroom-row", 1, "no row for 100Gb/s and 7m" },
	{ "no row, and no PFC",
	  "{'CABLE_LENGTH':{'AZURE':{'Ethernet8':'7m'}}},{'PORT':{" PORT(8, 3) "}}",
	  TABLE, NULL, 0, NULL },
	{ "no cable", "{'CABLE_LENGTH':{'AZURE':{'Ethernet4':'0m'}}}", NULL,
	  "switch-cable-zero", 1, "0m" },
	{ "a profile of another cable",
	  "{'CABLE_LENGTH':{'AZURE':{'Ethernet4':'40m'}}}", NULL,
	  "switch-profile-stale", 1, "100Gb/s and 40m" },
	{ "a profile of another speed", "{'PORT':{'Ethernet4':{'speed':'400000'}}}",
	  NULL, "switch-profile-stale", 1, "400Gb/s and 5m" },
	{ "two children, one with a group",
	  "{'PORT':{'Ethernet8':{'index':'2','speed':'100000'}}},"
	  "{'PORT_QOS_MAP':{'Ethernet8':" PORT_QOS "}},"
	  "{'QUEUE':{'Ethernet8|3':{'wred_profile':'w'}}},"
	  "{'PFC_WD':{'Ethernet8':{'detection_time':'200','restoration_time':'400'}}}",
	  NULL, "switch-siblings-differ", 1, "Ethernet8: priority group 0,3" },
	{ "two children alike", "{'PORT':{'Ethernet4':{'index':'1'}}}", NULL, NULL, 0,
	  NULL },

	{ "detection below poll", WD("'detection_time':'100'"), NULL,
	  "switch-watchdog-below-poll", 1, "detection 100ms" },
	{ "restoration below poll", WD("'restoration_time':'100'"), NULL,
	  "switch-watchdog-below-poll", 1, "restoration 100ms" },
	{ "a slow link, a hasty watchdog",
	  "{'PORT':{'Ethernet4':{'speed':'1000'}}},{'BUFFER_PG':{'Ethernet4|3':"
	  "{'profile':'x'}}},{'BUFFER_PROFILE':{'x':{'pool':'p','xoff':'1'}}},"
	  "{'PFC_WD':{'GLOBAL':{'POLL_INTERVAL':'100'}}}," WD("'detection_time':'100'"),
	  NULL, "switch-watchdog-hasty", 1, "33.55ms" },
	{ "not watched",
	  "{'PORT':{" PORT(8, 3) "}},{'PORT_QOS_MAP':{'Ethernet8':" PORT_QOS "}},"
				 "{'QUEUE':{'Ethernet8|3':{'wred_profile':'w'}}},"
				 "{'BUFFER_PG':{'Ethernet8|3':{'profile':'pg_lossless_"
				 "100000_5m_profile'}}}",
	  NULL, "switch-no-watchdog", 1, "Ethernet8" },
	{ "all priorities watched, as fast back as down",
	  SKU("Arista-7060X6-64PE") "," WD("'restoration_time':'200'"), NULL,
	  "switch-watchdog-all-pfc", 1, "Tomahawk 5" },
	{ "slower back than down", SKU("Arista-7060X6-64PE"), NULL, NULL, 0, NULL },
	{ "the same on another chip",
	  SKU("Force10-S6000") "," WD("'restoration_time':'200'"), NULL, NULL, 0,
	  NULL },
};

/* The text with real quotes; the caller frees it. */
static char *quoted(const char *head, const char *change)
{
	const size_t bytes = strlen(head) + strlen(change) + 8;
	char *text = malloc(bytes);

	assert_non_null(text);
	snprintf(text, bytes, "[%s,%s]\n", head, change);
	for (char *at = text; *at; at++)
		if (*at == '\'')
			*at = '"';
	return text;
}

static unsigned print_wrong(const struct row *row, const struct rt_findings *findings)
{
	unsigned of_id = 0, said = row->says == NULL;

	for (size_t i = 0; i < findings->count; i++) {
		const struct rt_finding *finding = &findings->items[i];

		if (!row->id || strcmp(finding->id, row->id) != 0)
			continue;
		of_id++;
		said |= row->says && strstr(finding->evidence, row->says);
	}
	if (of_id == row->count && said && (row->id || findings->count == 0))
		return 0;
	print_message("# %s: %u of %s\n", row->label, of_id, row->id ? row->id : "any");
	for (size_t i = 0; i < findings->count; i++)
		print_message("#   %s %s: %s\n", findings->items[i].where,
			      findings->items[i].id, findings->items[i].evidence);
	return 1;
}

/* Reads, judges, and compares with the row; 1 when it is not as the row says. */
static unsigned try_row(const struct rt_nos *nos, const struct row *row,
			const char *text)
{
	const struct rt_nos_table table = { "t.ini", row->table,
					    row->table ? strlen(row->table) : 0 };
	struct rt_findings findings = { 0 };
	struct rt_switch *sw = NULL;
	struct rt_err err = { 0 };
	unsigned wrong;

	if (rt_nos_parse(nos, "t", text, strlen(text), row->table ? &table : NULL, NULL,
			 &sw, &err) < 0)
		print_message("# %s: %s\n", row->label, err.msg);
	assert_non_null(sw);
	assert_int_equal(rt_switch_check(sw, NULL, &findings, NULL), 0);
	wrong = print_wrong(row, &findings);
	rt_findings_free(&findings);
	rt_switch_free(sw);
	return wrong;
}

static void test_switch_rules(void **state)
{
	unsigned wrong = 0;

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		char *text = quoted(BASE, rows[i].change);

		wrong += try_row(&rt_nos_sonic, &rows[i], text);
		free(text);
	}
	assert_int_equal(wrong, 0);
}

#define EOS(profile, after)                                                     \
	"qos map dscp 48 to traffic-class 6\n"                                  \
	"qos map dscp 49 50 51 52 53 54 55 to traffic-class 5\n"                \
	"qos profile p\n   qos trust dscp\n"                                    \
	"   priority-flow-control priority 3 no-drop\n"                         \
	"   priority-flow-control pause watchdog\n"                             \
	"   uc-tx-queue 3\n      random-detect ecn minimum-threshold 1 kbytes " \
	"maximum-threshold 2 kbytes\n" profile                                  \
	"interface Ethernet1\n   service-profile p\n" after
#define ON "   priority-flow-control on\n"

static const struct row eos_rows[] = {
	{ "headroom is the platform's", EOS(ON, ""), NULL, "switch-lossless-unknown", 0,
	  NULL },
	{ "in order", EOS(ON, ""), NULL, "switch-pfc-overruled", 0, NULL },
	{ "off for all", EOS(ON, "priority-flow-control all off\n"), NULL,
	  "switch-pfc-overruled", 1, "all off" },
	{ "not on", EOS("", ""), NULL, "switch-pfc-overruled", 1, "is off" },
	{ "not watched", EOS(ON "   no priority-flow-control pause watchdog\n", ""),
	  NULL, "switch-no-watchdog", 1, "priority 3" },
	{ "watched", EOS(ON, ""), NULL, "switch-no-watchdog", 0, NULL },
	{ "no ECN on the queue of priority 4",
	  EOS(ON "   priority-flow-control priority 4 no-drop\n", ""), NULL,
	  "switch-pfc-without-ecn", 1, "queue 4" },
	{ "EOS's own map puts 48 to 55 together",
	  "interface Ethernet1\n   no switchport\n   priority-flow-control on\n"
	  "   priority-flow-control priority 3 no-drop\n",
	  NULL, "switch-cnp-shares-class", 1, "with 7 others" },
};

static void test_switch_rules_eos(void **state)
{
	unsigned wrong = 0;

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(eos_rows); i++)
		wrong += try_row(&rt_nos_eos, &eos_rows[i], eos_rows[i].change);
	assert_int_equal(wrong, 0);
}

/* Over one port only what concerns it is found. */
static void test_switch_rules_one_port(void **state)
{
	char *text = quoted(BASE, "{'CABLE_LENGTH':{'AZURE':{'Ethernet4':'0m'}}}");
	struct rt_findings findings = { 0 };
	struct rt_switch *sw = NULL;

	(void)state;
	assert_int_equal(rt_nos_parse(&rt_nos_sonic, "t", text, strlen(text), NULL,
				      NULL, &sw, NULL),
			 0);
	rt_switch_check(sw, rt_switch_port_find(sw, "Ethernet0"), &findings, NULL);
	assert_int_equal(findings.count, 0);
	rt_switch_check(sw, rt_switch_port_find(sw, "Ethernet4"), &findings, NULL);
	assert_true(findings.count > 0);
	rt_findings_free(&findings);
	rt_switch_free(sw);
	free(text);
}

/* Published files: what is found in each, worst first, unknown and info left out. */
static const struct {
	const char *file, *headroom, *ids;
} published[] = {
	{ "sonic-full-config_db-with-pfcwd.json", NULL, "" },
	{ "sonic-full-config_db-with-pfcwd.json", "sonic-sn5600-pg_profile_lookup.ini",
	  "" },
	{ "sonic-arista7050-td2-qos.json", NULL, "" },
	{ "sonic-arista7060x6-th5-qos.json", NULL, "" },
	{ "sonic-nokia-ixr7250e-voq-qos.json", NULL, "" },
	{ "sonic-inventec-d7032q28b-portlist-qos.json", NULL, "" },
	/* default_pfcwd_status is disable, and there is no PFC_WD */
	{ "sonic-utilities-bracket-refs-3_0_1.json", NULL, "switch-no-watchdog " },
	{ "sonic-utilities-plain-refs-3_0_3.json", NULL, "switch-no-watchdog " },
	{ "sonic-utilities-mock-flatkeys-config_db.json", NULL,
	  "switch-dangling-reference " },
	{ "sonic-mellanox4600c-t0-buffers.json", NULL, "" },
	{ "eos-avd-qos.cfg", NULL, "switch-profile-unattached " },
	{ "eos-rocm-7388-dcqcn.cfg", NULL, "switch-no-watchdog " },
};

static void test_switch_rules_published(void **state)
{
	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(published); i++) {
		struct rt_findings findings = { 0 };
		struct rt_switch *sw = read_shared(published[i].file,
						   published[i].headroom, &findings);
		char ids[400] = "";

		assert_int_equal(rt_switch_check(sw, NULL, &findings, NULL), 0);
		for (size_t j = 0; j < findings.count; j++)
			if (findings.items[j].severity >= RT_SEVERITY_WARN &&
			    !strstr(ids, findings.items[j].id)) {
				strncat(ids, findings.items[j].id, 60);
				strcat(ids, " ");
			}
		if (strcmp(ids, published[i].ids) != 0)
			print_message("# %s\n", published[i].file);
		assert_string_equal(ids, published[i].ids);
		rt_findings_free(&findings);
		rt_switch_free(sw);
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_switch_rules),
	     cmocka_unit_test(test_switch_rules_eos),
	     cmocka_unit_test(test_switch_rules_published),
	     cmocka_unit_test(test_switch_rules_one_port))
