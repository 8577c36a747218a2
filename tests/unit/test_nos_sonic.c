/* SPDX-License-Identifier: BSD-2-Clause */
/* test_nos_sonic.c - SONiC's files: what is known of published ones, and shapes. */
#include "switches.h"

#include <errno.h>

#define PRIOS_34      0x18
#define REST_OF_AZURE "0-2,6,7,9-45,47,49-63"

#define AZURE(port)                                                                   \
	{ port, ASK_DSCPS_OF_TC, 3, "3" }, { port, ASK_DSCPS_OF_TC, 4, "4" },         \
		{ port, ASK_DSCPS_OF_TC, 2, "5" }, { port, ASK_DSCPS_OF_TC, 0, "8" }, \
		{ port, ASK_DSCPS_OF_TC, 5, "46" },                                   \
		{ port, ASK_DSCPS_OF_TC, 6, "48" },                                   \
	{                                                                             \
		port, ASK_DSCPS_OF_TC, 1, REST_OF_AZURE                               \
	}
#define AZURE_GROUPS(port)                                                            \
	{ port, ASK_GROUP_OF_TC, 3, "3" }, { port, ASK_GROUP_OF_TC, 4, "4" },         \
		{ port, ASK_GROUP_OF_TC, 7, "7" }, { port, ASK_GROUP_OF_TC, 0, "0" }, \
		{ port, ASK_GROUP_OF_TC, 1, "0" },                                    \
	{                                                                             \
		port, ASK_GROUP_OF_TC, 6, "0"                                         \
	}
#define MARKS_1M_2M "AZURE_LOSSLESS ecn 0-2 1048576 2097152 5%"

static const struct truth full[] = {
	AZURE("Ethernet4"),
	AZURE_GROUPS("Ethernet4"),
	{ NULL, ASK_PFC_PORTS, PRIOS_34, "28" },
	{ NULL, ASK_PFC_PORTS, 0, "4" },
	{ NULL, ASK_PORTS, 0, "32" },
	{ NULL, ASK_GLOBAL, 0,
	  "str-s6000-acs-14 dscp ? poll 200ms oversubscription ?" },
	{ "Ethernet4", ASK_PFC, 0, "3,4/3,4" },
	{ "Ethernet4", ASK_WATCHED, 0, "unknown" },
	{ "Ethernet0", ASK_PFC, 0, "none/none" },
	{ "Ethernet4", ASK_WRED, 3, MARKS_1M_2M },
	{ "Ethernet4", ASK_WRED, 4, MARKS_1M_2M },
	{ "Ethernet4", ASK_WRED, 2, "-" },
	{ "Ethernet4", ASK_SCHED, 0, "dwrr 14" },
	{ "Ethernet4", ASK_SCHED, 1, "dwrr 14" },
	{ "Ethernet4", ASK_SCHED, 2, "dwrr 14" },
	{ "Ethernet4", ASK_SCHED, 3, "dwrr 15" },
	{ "Ethernet4", ASK_SCHED, 4, "dwrr 15" },
	{ "Ethernet4", ASK_SCHED, 5, "dwrr 14" },
	{ "Ethernet4", ASK_SCHED, 6, "dwrr 14" },
	{ "Ethernet4", ASK_WATCHDOG, 0,
	  "1 detect 200ms restore 200ms poll ? action 0" },
	{ "Ethernet4", ASK_LINK, 0, "40Gb/s 9100 5m" },
	{ "Ethernet0", ASK_LINK, 0, "40Gb/s 9100 300m" },
	{ "Ethernet124", ASK_LINK, 0, "40Gb/s 9100 40m" },
	{ "fortyGigE0/4", ASK_PFC, 0, "3,4/3,4" },
	{ "Ethernet4", ASK_BUFFER, 0,
	  "ingress_lossy_profile size 0 xon ? xoff ? alpha 8" },
	{ "Ethernet4", ASK_BUFFER, 3, "-" },
	{ "Ethernet4", ASK_LOSSLESS, 3, "unknown" },
	{ "Ethernet4", ASK_LOSSLESS, 26, "no" },
	{ NULL, ASK_COMPLAINTS, RT_SWITCH_DANGLING, "0" },
	{ NULL, ASK_COMPLAINTS, RT_SWITCH_NOT_READ, "0" },
};

static void test_sonic_full_config(void **state)
{
	(void)state;
	hold_truths("sonic-full-config_db-with-pfcwd.json", NULL, full,
		    RT_ARRAY_SIZE(full));
}

static const struct truth td2[] = {
	AZURE("Ethernet4"),
	AZURE_GROUPS("Ethernet4"),
	{ NULL, ASK_GLOBAL, 0, "? dscp AZURE poll ? oversubscription ?" },
	{ NULL, ASK_PFC_PORTS, PRIOS_34, "28" },
	{ "Ethernet4", ASK_PFC, 0, "3,4/3,4" },
	{ "Ethernet4", ASK_WATCHED, 0, "3,4" },
	{ "Ethernet4", ASK_WRED, 3, MARKS_1M_2M },
	{ "Ethernet4", ASK_WRED, 4, MARKS_1M_2M },
	{ "Ethernet4", ASK_TRUST, 0, "0*" },
};

static void test_sonic_td2(void **state)
{
	(void)state;
	hold_truths("sonic-arista7050-td2-qos.json", NULL, td2, RT_ARRAY_SIZE(td2));
}

static const struct truth th5[] = {
	{ "Ethernet0", ASK_DSCPS_OF_TC, 3, "3" },
	{ "Ethernet0", ASK_DSCPS_OF_TC, 4, "4" },
	{ "Ethernet0", ASK_DSCPS_OF_TC, 6, "44" },
	{ "Ethernet0", ASK_DSCPS_OF_TC, 5, "46" },
	{ "Ethernet0", ASK_DSCPS_OF_TC, 1, "47" },
	{ "Ethernet0", ASK_TC_OF_DSCP, 26, "0" },
	{ "Ethernet0", ASK_TC_OF_DSCP, 48, "0" },
	{ "Ethernet0", ASK_WRED, 3, "WRED_LOSSLESS_Q3 ecn 0-2 131072 262144 5%" },
	{ "Ethernet0", ASK_WRED, 4, "WRED_LOSSLESS_Q4 ecn 0-2 131072 262144 5%" },
	{ NULL, ASK_PFC_PORTS, PRIOS_34, "128" },
	{ "Ethernet512", ASK_PFC, 0, "none/none" },
	{ "Ethernet513", ASK_PFC, 0, "none/none" },
	{ "Ethernet512", ASK_TC_OF_DSCP, 3, "3" },
	{ "Ethernet512", ASK_LOSSLESS, 3, "no" },
	{ "Ethernet0", ASK_SCHED, 0, "dwrr 10" },
	{ "Ethernet0", ASK_SCHED, 1, "dwrr 10" },
	{ "Ethernet0", ASK_SCHED, 3, "dwrr 20" },
	{ "Ethernet0", ASK_SCHED, 4, "dwrr 10" },
	{ "Ethernet0", ASK_SCHED, 6, "dwrr 70" },
	{ "Ethernet0", ASK_SCHED, 7, "dwrr 10" },
};

static void test_sonic_th5(void **state)
{
	(void)state;
	hold_truths("sonic-arista7060x6-th5-qos.json", NULL, th5, RT_ARRAY_SIZE(th5));
}

#define REMOTE "str2-7250-lc2-1|asic0|Ethernet0"
static const struct truth voq[] = {
	AZURE("Ethernet0"),
	{ NULL, ASK_PFC_PORTS, PRIOS_34, "18" },
	{ NULL, ASK_PORTS, 0, "72" },
	{ "Ethernet0", ASK_SCHED, 3, "dwrr 15" },
	{ "Ethernet0", ASK_WRED, 3, "AZURE_LOSSLESS ecn 0-2 2000000 10000000 5%" },
	{ "Ethernet0", ASK_WRED, 4, "AZURE_LOSSLESS ecn 0-2 2000000 10000000 5%" },
	{ REMOTE, ASK_WRED, 3, "AZURE_LOSSLESS ecn 0-2 2000000 10000000 5%" },
	{ REMOTE, ASK_WRED, 4, "AZURE_LOSSLESS ecn 0-2 2000000 10000000 5%" },
	{ REMOTE, ASK_SCHED, 3, "-" },
	{ REMOTE, ASK_PFC, 0, "unknown/unknown" },
};

static void test_sonic_voq(void **state)
{
	(void)state;
	hold_truths("sonic-nokia-ixr7250e-voq-qos.json", NULL, voq, RT_ARRAY_SIZE(voq));
}

static void test_sonic_voq_ports(void **state)
{
	struct rt_switch *sw = read_shared("sonic-nokia-ixr7250e-voq-qos.json", NULL,
					   NULL);
	unsigned remote = 0, with_sched = 0;

	(void)state;
	for (size_t i = 0; i < sw->port_count; i++) {
		remote += sw->ports[i].remote;
		with_sched += sw->ports[i].queues[3].sched.object != NULL;
	}
	assert_int_equal(remote, 54);
	assert_int_equal(with_sched, 18);
	rt_switch_free(sw);
}

static const struct truth lists[] = {
	{ "Ethernet0", ASK_DSCPS_OF_TC, 3, "3" },
	{ "Ethernet124", ASK_DSCPS_OF_TC, 4, "4" },
	{ "Ethernet124", ASK_DSCPS_OF_TC, 1, "8" },
	{ "Ethernet124", ASK_TC_OF_DSCP, 26, "0" },
	{ "Ethernet124", ASK_TC_OF_DSCP, 46, "0" },
	{ "Ethernet124", ASK_TC_OF_DSCP, 48, "0" },
	{ NULL, ASK_PORTS, 0, "32" },
	{ NULL, ASK_PFC_PORTS, PRIOS_34, "32" },
	{ "Ethernet60", ASK_WRED, 3, "AZURE_LOSSLESS ecn 0-2 104000 312000 100%*" },
	{ "Ethernet60", ASK_WRED, 4, "AZURE_LOSSLESS ecn 0-2 104000 312000 100%*" },
	{ "Ethernet60", ASK_SCHED, 3, "dwrr 25" },
	{ "Ethernet60", ASK_SCHED, 4, "dwrr 25" },
	{ "Ethernet60", ASK_SCHED, 0, "dwrr 30" },
	{ "Ethernet60", ASK_SCHED, 1, "dwrr 20" },
	{ "Ethernet60", ASK_SCHED, 2, "-" },
	{ "Ethernet60", ASK_QUEUE_OF_TC, 4, "4" },
	{ "Ethernet60", ASK_QUEUE_OF_TC, 2, "?" },
	{ "Ethernet60", ASK_GROUP_OF_TC, 5, "?" },
};

static void test_sonic_port_lists(void **state)
{
	(void)state;
	hold_truths("sonic-inventec-d7032q28b-portlist-qos.json", NULL, lists,
		    RT_ARRAY_SIZE(lists));
}

#define PG_100G                                                          \
	"pg_lossless_100000_40m_profile size 1248 xon 2288 xoff 177632 " \
	"alpha 1/8"
#define MIGRATED(version)                                                  \
	AZURE("Ethernet0"), { NULL, ASK_PFC_PORTS, PRIOS_34, "66" },       \
		{ "Ethernet0", ASK_LINK, 0, "100Gb/s 9100 ?" },            \
		{ "Ethernet0", ASK_BUFFER, 3, PG_100G },                   \
		{ "Ethernet0", ASK_BUFFER, 4, PG_100G },                   \
		{ "Ethernet256", ASK_BUFFER, 3,                            \
		  "pg_lossless_10000_40m_profile size 1248 xon 2288 xoff " \
		  "37024 alpha 1/8" },                                     \
		{ "ingress_lossless_pool", ASK_POOL, 0,                    \
		  "size 35621248 xoff 7847424" },                          \
		{ "Ethernet0", ASK_WRED, 3, MARKS_1M_2M },                 \
		{ "Ethernet0", ASK_WRED, 4, MARKS_1M_2M },                 \
		{ "Ethernet0", ASK_LOSSLESS, 3, "yes" },                   \
		{ "Ethernet0", ASK_LOSSLESS, 4, "yes" },                   \
		{ "Ethernet0", ASK_LOSSLESS, 26, "no" },                   \
		{ NULL, ASK_COMPLAINTS, RT_SWITCH_BAD_VALUE, "0" },        \
	{                                                                  \
		NULL, ASK_COMPLAINTS, RT_SWITCH_DANGLING, "0"              \
	}
static const struct truth migrated[] = { MIGRATED() };

static void test_sonic_bracket_refs(void **state)
{
	(void)state;
	hold_truths("sonic-utilities-bracket-refs-3_0_1.json", NULL, migrated,
		    RT_ARRAY_SIZE(migrated));
}

static void test_sonic_plain_refs(void **state)
{
	(void)state;
	hold_truths("sonic-utilities-plain-refs-3_0_3.json", NULL, migrated,
		    RT_ARRAY_SIZE(migrated));
}

/* --- one device, before and after its references were rewritten ------------------- */

static void same_setting(const struct rt_setting *a, const struct rt_setting *b)
{
	assert_int_equal(a->state, b->state);
	assert_int_equal(a->number, b->number);
}

static void same_ref(const struct rt_switch_ref *a, const struct rt_switch_ref *b)
{
	assert_int_equal(a->name != NULL, b->name != NULL);
	assert_int_equal(a->object != NULL, b->object != NULL);
	if (a->name)
		assert_string_equal(a->name, b->name);
}

static void same_port(const struct rt_switch_port *a, const struct rt_switch_port *b)
{
	for (unsigned i = 0; i < RT_SWITCH_MAP_KINDS; i++)
		same_ref(&a->maps[i], &b->maps[i]);
	same_setting(&a->pfc_tx, &b->pfc_tx);
	same_setting(&a->pfc_rx, &b->pfc_rx);
	same_setting(&a->speed, &b->speed);
	for (unsigned i = 0; i < RT_SWITCH_QUEUES; i++) {
		same_ref(&a->queues[i].sched, &b->queues[i].sched);
		same_ref(&a->queues[i].wred, &b->queues[i].wred);
		same_ref(&a->queues[i].buffer, &b->queues[i].buffer);
	}
	for (unsigned i = 0; i < RT_SWITCH_GROUPS; i++)
		same_ref(&a->groups[i].buffer, &b->groups[i].buffer);
}

static void same_buffer(const struct rt_switch_buffer *a,
			const struct rt_switch_buffer *b)
{
	same_ref(&a->pool, &b->pool);
	same_setting(&a->size, &b->size);
	same_setting(&a->xon, &b->xon);
	same_setting(&a->xon_offset, &b->xon_offset);
	same_setting(&a->xoff, &b->xoff);
	same_setting(&a->alpha, &b->alpha);
	same_setting(&a->threshold, &b->threshold);
}

static void test_sonic_migration_changes_nothing(void **state)
{
	struct rt_switch *a = read_shared("sonic-utilities-bracket-refs-3_0_1.json",
					  NULL, NULL);
	struct rt_switch *b = read_shared("sonic-utilities-plain-refs-3_0_3.json", NULL,
					  NULL);

	(void)state;
	assert_int_equal(a->port_count, b->port_count);
	assert_int_equal(a->buffer_count, b->buffer_count);
	assert_int_equal(a->pool_count, b->pool_count);
	for (size_t i = 0; i < a->port_count; i++) {
		const struct rt_switch_port *other = rt_switch_port_find(
			b, a->ports[i].id.name);

		assert_non_null(other);
		same_port(&a->ports[i], other);
	}
	for (size_t i = 0; i < a->buffer_count; i++) {
		const char *name = a->buffers[i].id.name;
		const struct rt_switch_buffer *other = rt_switch_object(
			b, RT_SWITCH_BUFFER, name, strlen(name));

		assert_non_null(other);
		same_buffer(&a->buffers[i], other);
	}
	rt_switch_free(a);
	rt_switch_free(b);
}

static const struct truth flat[] = {
	{ "Ethernet0", ASK_PFC, 0, "3,4/3,4" },
	{ "Ethernet4", ASK_PFC, 0, "3,4/3,4" },
	{ "Ethernet8", ASK_PFC, 0, "none/none" },
	{ "etp1", ASK_PFC, 0, "3,4/3,4" },
	{ "Ethernet0", ASK_SCHED, 0, "dwrr 14" },
	{ "Ethernet0", ASK_SCHED, 3, "dwrr 15" },
	{ "Ethernet0", ASK_WRED, 3, MARKS_1M_2M },
	{ "Ethernet0", ASK_WATCHDOG, 0,
	  "1 detect 600ms restore 600ms poll ? action 0" },
	{ NULL, ASK_GLOBAL, 0, "sonic-switch dscp ? poll 600ms oversubscription 2" },
	{ "Ethernet0", ASK_BUFFER, 3, "NULL" },
	{ "Ethernet0", ASK_BUFFER, 4, "NULL" },
	{ "headroom_profile", ASK_PROFILE, 0,
	  "headroom_profile size 51200 xon 18432 xoff 32768 alpha 1" },
	{ "Ethernet0", ASK_LOSSLESS, 3, "unknown" },
};

static void test_sonic_flat_keys(void **state)
{
	(void)state;
	hold_truths("sonic-utilities-mock-flatkeys-config_db.json", NULL, flat,
		    RT_ARRAY_SIZE(flat));
}

static const struct truth buffers[] = {
	{ "ingress_lossless_pool", ASK_POOL, 0, "size 55058432 xoff 1712128" },
	{ "Ethernet2", ASK_BUFFER, 0,
	  "ingress_lossy_profile size 0 xon ? xoff ? alpha 8" },
	{ "Ethernet2", ASK_BUFFER, 3, "-" },
	{ "Ethernet2", ASK_PFC, 0, "unknown/unknown" },
	{ "Ethernet2", ASK_LOSSLESS, 3, "unknown" },
	{ "Ethernet0", ASK_LINK, 0, "? ? 5m" },
};

static void test_sonic_buffers_only(void **state)
{
	(void)state;
	hold_truths("sonic-mellanox4600c-t0-buffers.json", NULL, buffers,
		    RT_ARRAY_SIZE(buffers));
}

/* The table's rows, by a port of each speed and cable. */
static const struct truth rows_bound[] = {
	{ "Ethernet4", ASK_BUFFER, 3,
	  "pg_lossless_40000_5m_profile size 75776* xon 19456* xoff 57344* alpha 1*" },
	{ "Ethernet4", ASK_LOSSLESS, 3, "yes" },
	{ "Ethernet4", ASK_LOSSLESS, 26, "no" },
};

static void test_sonic_headroom_table(void **state)
{
	(void)state;
	hold_truths("sonic-full-config_db-with-pfcwd.json",
		    "sonic-sn5600-pg_profile_lookup.ini", rows_bound,
		    RT_ARRAY_SIZE(rows_bound));
}

/* Without a row for the pair, or with a cable of 0m, there is no lossless group. */
static void test_sonic_no_headroom_row(void **state)
{
	static const struct {
		const char *cable, *lossless;
	} rows[] = { { "5m", "yes" }, { "7m", "no" }, { "0m", "no" } };
	static const char rows_text[] = "100000 5m 133120 19456 113664 0\n";
	const struct rt_nos_table table = { "t.ini", rows_text, sizeof(rows_text) - 1 };
	const struct truth truth = { "P", ASK_LOSSLESS, 26, NULL };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct rt_switch *sw = NULL;
		char text[800], is[40];

		snprintf(text, sizeof(text),
			 "{\"PORT\":{\"P\":{\"speed\":\"100000\"}},"
			 "\"CABLE_LENGTH\":{\"A\":{\"P\":\"%s\"}},"
			 "\"DSCP_TO_TC_MAP\":{\"M\":{\"26\":\"3\"}},"
			 "\"TC_TO_QUEUE_MAP\":{\"M\":{\"3\":\"3\"}},"
			 "\"TC_TO_PRIORITY_GROUP_MAP\":{\"M\":{\"3\":\"3\"}},"
			 "\"MAP_PFC_PRIORITY_TO_QUEUE\":{\"M\":{\"3\":\"3\"}},"
			 "\"PORT_QOS_MAP\":{\"P\":{\"dscp_to_tc_map\":\"M\","
			 "\"tc_to_queue_map\":\"M\",\"tc_to_pg_map\":\"M\","
			 "\"pfc_to_queue_map\":\"M\",\"pfc_enable\":\"3\"}}}",
			 rows[i].cable);
		assert_int_equal(rt_nos_parse(&rt_nos_sonic, "t", text, strlen(text),
					      &table, NULL, &sw, NULL),
				 0);
		answer(sw, &truth, NULL, is, sizeof(is));
		assert_string_equal(is, rows[i].lossless);
		rt_switch_free(sw);
	}
}

static void test_sonic_headroom_rows(void **state)
{
	static const struct {
		uint64_t gbps, m, xon, xoff;
	} rows[] = {
		{ 10, 5, 19456, 45056 },      { 100, 5, 19456, 113664 },
		{ 100, 40, 19456, 126976 },   { 100, 300, 19456, 225280 },
		{ 400, 40, 19456, 283648 },   { 800, 5, 38912, 257024 },
		{ 800, 300, 38912, 1150976 },
	};
	struct rt_switch *sw = read_shared("sonic-full-config_db-with-pfcwd.json",
					   "sonic-sn5600-pg_profile_lookup.ini", NULL);

	(void)state;
	assert_int_equal(sw->headroom.count, 24);
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		const struct rt_switch_headroom *row = rt_switch_headroom_find(
			&sw->headroom, rows[i].gbps * 1000000000, rows[i].m * 1000);

		assert_non_null(row);
		assert_int_equal(row->xon_bytes, rows[i].xon);
		assert_int_equal(row->xoff_bytes, rows[i].xoff);
		assert_false(row->xon_offset_bytes.known);
	}
	assert_null(rt_switch_headroom_find(&sw->headroom, 100000000000, 7000));
	rt_switch_free(sw);
}

/* --- shapes and broken texts --------------------------------------------------------- */

#define QOS(text) "{'PORT_QOS_MAP':{'Ethernet0':{'pfc_enable':'3,4'}}," text "}"

struct shape {
	const char *label, *text; /* with ' for " */
	struct truth truth;
};

static const struct shape shapes[] = {
	{ "flat",
	  "{'PORT_QOS_MAP|Ethernet0':{'pfc_enable':'3'}}",
	  { "Ethernet0", ASK_PFC, 0, "3/3" } },
	{ "hybrid",
	  "{'PORT':{'Ethernet0':{'pfc_asym':'on'}},"
	  "'PORT_QOS_MAP|Ethernet0':{'pfc_enable':'3'}}",
	  { "Ethernet0", ASK_PFC, 0, "3/0-7" } },
	{ "list of tables",
	  "[{'PORT_QOS_MAP':{'Ethernet0':{'pfc_enable':'3'}}},"
	  "{'PFC_WD':{'GLOBAL':{'POLL_INTERVAL':'200'}}}]",
	  { NULL, ASK_GLOBAL, 0, "? dscp ? poll 200ms oversubscription ?" } },
	{ "patch",
	  "[{'op':'add','path':'/QUEUE','value':{'Ethernet0|3':{'scheduler':'s'}}},"
	  "{'op':'add','path':'/SCHEDULER/s','value':{'type':'STRICT'}},"
	  "{'op':'add','path':'/SCHEDULER/s/weight','value':'7'}]",
	  { "Ethernet0", ASK_SCHED, 3, "strict 7" } },
	{ "patch with an escape",
	  "[{'op':'add','path':'/SCHEDULER/a~1b~0c','value':{'weight':'7'}},"
	  "{'op':'add','path':'/QUEUE/Ethernet0|3','value':{'scheduler':'a/b~c'}}]",
	  { "Ethernet0", ASK_SCHED, 3, "? 7" } },
	{ "dump of redis",
	  "{'PORT_QOS_MAP|Ethernet0':{'type':'hash','value':{'pfc_enable':'3'}}}",
	  { "Ethernet0", ASK_PFC, 0, "3/3" } },
	{ "brackets with a colon",
	  "{'SCHEDULER':{'s':{'weight':'9'}},"
	  "'QUEUE':{'Ethernet0|0-2':{'scheduler':'[SCHEDULER:s]'}}}",
	  { "Ethernet0", ASK_SCHED, 2, "? 9" } },
	{ "no priority",
	  "{'PORT_QOS_MAP':{'Ethernet0':{'pfc_enable':''}}}",
	  { "Ethernet0", ASK_PFC, 0, "none/none" } },
	{ "twice: both halves hold",
	  "{'SCHEDULER':{'s':{'weight':'9'}},'WRED_PROFILE':{'w':{}},"
	  "'QUEUE':{'Ethernet0|3':{'scheduler':'s'},"
	  "'Ethernet0|3':{'wred_profile':'w'}}}",
	  { "Ethernet0", ASK_SCHED, 3, "? 9" } },
	{ "twice: said",
	  "{'WRED_PROFILE':{'w':{}},'QUEUE':{'Ethernet0|3':{'wred_profile':'w'},"
	  "'Ethernet0|3':{'wred_profile':'w'}}}",
	  { NULL, ASK_COMPLAINTS, RT_SWITCH_TWICE, "1" } },
	{ "blank in a number",
	  "{'QUEUE':{'Ethernet0|3':{'wred_profile':'w'}},"
	  "'WRED_PROFILE':{'w':{'green_min_threshold':' 166912','ecn':'ecn_green'}}}",
	  { "Ethernet0", ASK_WRED, 3, "w ecn 0 166912 ? ?" } },
	{ "blank is said",
	  "{'WRED_PROFILE':{'w':{'green_min_threshold':' 166912'}}}",
	  { NULL, ASK_COMPLAINTS, RT_SWITCH_BLANKS, "1" } },
	{ "fraction for percent",
	  "{'WRED_PROFILE':{'w':{'green_drop_probability':'0.2'}}}",
	  { NULL, ASK_COMPLAINTS, RT_SWITCH_BAD_VALUE, "1" } },
	{ "dangling",
	  "{'QUEUE':{'Ethernet0|3':{'wred_profile':'none'}}}",
	  { NULL, ASK_COMPLAINTS, RT_SWITCH_DANGLING, "1" } },
	{ "reference into another table",
	  "{'QUEUE':{'Ethernet0|3':{'wred_profile':'[SCHEDULER|s]'}}}",
	  { NULL, ASK_COMPLAINTS, RT_SWITCH_BAD_VALUE, "1" } },
	{ "unknown field",
	  QOS("'WRED_PROFILE':{'w':{'blue_min':'1'}}"),
	  { NULL, ASK_COMPLAINTS, RT_SWITCH_NOT_READ, "1" } },
	{ "other tables are not QoS",
	  QOS("'ACL_TABLE':{'x':{'blue':'1'}}"),
	  { NULL, ASK_COMPLAINTS, RT_SWITCH_NOT_READ, "0" } },
	{ "priority 8",
	  "{'PORT_QOS_MAP':{'Ethernet0':{'pfc_enable':'3,8'}}}",
	  { NULL, ASK_COMPLAINTS, RT_SWITCH_BAD_VALUE, "1" } },
	{ "own map wins over the global one",
	  "{'DSCP_TO_TC_MAP':{'A':{'3':'3'},'B':{'3':'5'}},'PORT_QOS_MAP':"
	  "{'global':{'dscp_to_tc_map':'A'},'Ethernet0':{'dscp_to_tc_map':'B'}}}",
	  { "Ethernet0", ASK_TC_OF_DSCP, 3, "5" } },
	{ "global map",
	  "{'DSCP_TO_TC_MAP':{'A':{'3':'3'}},'PORT_QOS_MAP':"
	  "{'global':{'dscp_to_tc_map':'A'},'Ethernet0':{}}}",
	  { "Ethernet0", ASK_TC_OF_DSCP, 3, "3" } },
	{ "global honours the DSCP map only",
	  "{'PORT_QOS_MAP':{'global':{'pfc_enable':'3'}}}",
	  { NULL, ASK_COMPLAINTS, RT_SWITCH_NOT_READ, "1" } },
	{ "traffic class 8",
	  "{'DSCP_TO_TC_MAP':{'A':{'8':'8'}},'PORT_QOS_MAP':"
	  "{'Ethernet0':{'dscp_to_tc_map':'A'}}}",
	  { "Ethernet0", ASK_TC_OF_DSCP, 8, "8" } },
	{ "a map of PCP only: DSCP is not looked at",
	  "{'DOT1P_TO_TC_MAP':{'A':{'3':'3'}},'PORT_QOS_MAP':"
	  "{'Ethernet0':{'dot1p_to_tc_map':'A'}}}",
	  { "Ethernet0", ASK_TRUST, 0, "1*" } },
	{ "queue of the CPU port",
	  "{'SCHEDULER':{'s':{'weight':'9'}},'QUEUE':{'CPU|40':{'scheduler':'s'}}}",
	  { NULL, ASK_COMPLAINTS, RT_SWITCH_BAD_VALUE, "0" } },
	{ "cell of a cable",
	  QOS("'CABLE_LENGTH':{'AZURE':{'Ethernet0':'0m'}}"),
	  { "Ethernet0", ASK_LINK, 0, "? ? 0m" } },
};

/* The text with real quotes; static, for one test at a time. */
static const char *quoted(const char *text)
{
	static char buf[4096];
	size_t i = 0;

	for (; text[i] && i < sizeof(buf) - 1; i++)
		buf[i] = text[i] == '\'' ? '"' : text[i];
	buf[i] = '\0';
	return buf;
}

static void test_sonic_shapes(void **state)
{
	unsigned wrong = 0;

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(shapes); i++) {
		const char *text = quoted(shapes[i].text);
		struct rt_findings complaints = { 0 };
		struct rt_switch *sw = NULL;
		struct rt_err err = { 0 };
		char is[300] = "";

		if (rt_nos_parse(NULL, "t.json", text, strlen(text), NULL, &complaints,
				 &sw, &err) == 0)
			answer(sw, &shapes[i].truth, &complaints, is, sizeof(is));
		if (strcmp(is, shapes[i].truth.is) != 0) {
			wrong++;
			print_message("# %s: '%s' is not '%s' %s\n", shapes[i].label,
				      is, shapes[i].truth.is, err.msg);
		}
		rt_findings_free(&complaints);
		rt_switch_free(sw);
	}
	assert_int_equal(wrong, 0);
}

static const struct {
	const char *label, *text, *says;
} refused[] = {
	{ "nothing", "", "no configuration of a switch system" },
	{ "cut", "{'QUEUE':{'Ethernet0|3'", "t.json:2:1: " },
	{ "cut in a string", "{'QUEUE':{'Ethernet0|", "t.json:" },
	{ "no table of QoS", "{'ACL_TABLE':{}}", "none of SONiC's tables" },
	{ "a scalar", "[3]", "none of SONiC's tables" },
	{ "template", "{\n 'A': 1,\n{% set x = 1 %}\n'QUEUE':{}}",
	  "t.json:3:1: a jinja2 template" },
	{ "no switch at all", "hello", "no configuration of a switch system" },
};

static void test_sonic_refusals(void **state)
{
	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(refused); i++) {
		const char *text = quoted(refused[i].text);
		struct rt_switch *sw = NULL;
		struct rt_err err = { 0 };

		assert_int_equal(rt_nos_parse(NULL, "t.json", text, strlen(text), NULL,
					      NULL, &sw, &err),
				 -EINVAL);
		if (!strstr(err.msg, refused[i].says))
			print_message("# %s: %s\n", refused[i].label, err.msg);
		assert_non_null(strstr(err.msg, refused[i].says));
	}
}

static const char *const all_files[] = {
	"sonic-full-config_db-with-pfcwd.json",
	"sonic-arista7050-td2-qos.json",
	"sonic-arista7060x6-th5-qos.json",
	"sonic-nokia-ixr7250e-voq-qos.json",
	"sonic-inventec-d7032q28b-portlist-qos.json",
	"sonic-utilities-bracket-refs-3_0_1.json",
	"sonic-utilities-plain-refs-3_0_3.json",
	"sonic-utilities-mock-flatkeys-config_db.json",
	"sonic-mellanox4600c-t0-buffers.json",
};

/* The file's bytes; the caller frees them.  Skips the test where it is absent. */
static char *load(const char *name, size_t *ret_bytes)
{
	char path[300], *text;
	FILE *file;

	snprintf(path, sizeof(path), "%s/switch-configs/%s", rt_test_shared(), name);
	RT_NEED_SHARED(path);
	text = malloc(1u << 20);
	file = fopen(path, "r");
	assert_non_null(text);
	assert_non_null(file);
	*ret_bytes = fread(text, 1, (1u << 20) - 1, file);
	text[*ret_bytes] = '\0';
	fclose(file);
	return text;
}

/* Refused, with a place: "cut:LINE:..." */
static void refuse(const char *text, size_t bytes)
{
	struct rt_switch *sw = NULL;
	struct rt_err err = { 0 };

	assert_int_equal(
		rt_nos_parse(&rt_nos_sonic, "cut", text, bytes, NULL, NULL, &sw, &err),
		-EINVAL);
	assert_int_equal(strncmp(err.msg, "cut:", 4), 0);
	assert_non_null(strchr("123456789", err.msg[4]));
}

/* A file cut anywhere is no JSON: refused, with the place of the cut. */
static void test_sonic_cut_files(void **state)
{
	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(all_files); i++) {
		size_t bytes;
		char *text = load(all_files[i], &bytes);

		for (unsigned part = 1; part < 12; part++)
			refuse(text, bytes * part / 12);
		free(text);
	}
}

/* A brace, bracket or comma that became something else is found where it is. */
static void test_sonic_mutated_files(void **state)
{
	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(all_files); i++) {
		size_t bytes;
		char *text = load(all_files[i], &bytes);

		for (unsigned part = 1; part < 12; part++) {
			char *at = text + bytes * part / 12;
			const size_t left = bytes - (size_t)(at - text);
			char *brace = memchr(at, '{', left);

			if (!brace)
				continue;
			*brace = ']';
			refuse(text, bytes);
			*brace = '{';
		}
		free(text);
	}
}

/* A number that became a word is a complaint at its line, and the rest holds. */
static void test_sonic_mutated_numbers(void **state)
{
	size_t bytes;
	char *text = load("sonic-full-config_db-with-pfcwd.json", &bytes);
	char *at = strstr(text, "\"green_min_threshold\": \"1048576\"");
	struct rt_findings complaints = { 0 };
	struct rt_switch *sw = NULL;
	const struct truth truth = { "Ethernet4", ASK_WRED, 3,
				     "AZURE_LOSSLESS ecn 0-2 ? 2097152 5%" };
	char is[200];

	(void)state;
	assert_non_null(at);
	memcpy(strstr(at, "1048576"), "104857x", 7);
	assert_int_equal(
		rt_nos_parse(NULL, "t", text, bytes, NULL, &complaints, &sw, NULL), 0);
	answer(sw, &truth, NULL, is, sizeof(is));
	assert_string_equal(is, truth.is);
	assert_int_equal(complaints.count, 1);
	assert_int_equal(strncmp(complaints.items[0].where, "t:2066:", 7), 0);
	assert_non_null(strstr(complaints.items[0].evidence, "104857x"));
	rt_findings_free(&complaints);
	rt_switch_free(sw);
	free(text);
}

static const struct {
	const char *text, *says;
} tables[] = {
	{ "100000 5m 1 2\n", "t.ini:1:1: no speed" },
	{ "# x\n100000 5 1 2 3 0\n", "t.ini:2:8: no cable" },
	{ "100000 5m x 2 3 0\n", "t.ini:1:11: no size" },
	{ "100000 5m 1 2 3 9\n", "t.ini:1:17: no threshold" },
	{ "a b c d e f g h i\n", "t.ini:1:1: no speed" },
};

static void test_sonic_headroom_refusals(void **state)
{
	const char *text = quoted("{'PORT':{}}");

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(tables); i++) {
		const struct rt_nos_table table = { "t.ini", tables[i].text,
						    strlen(tables[i].text) };
		struct rt_switch *sw = NULL;
		struct rt_err err = { 0 };

		assert_int_equal(rt_nos_parse(&rt_nos_sonic, "t.json", text,
					      strlen(text), &table, NULL, &sw, &err),
				 -EINVAL);
		if (strncmp(err.msg, tables[i].says, strlen(tables[i].says)) != 0)
			print_message("# %s\n", err.msg);
		assert_int_equal(
			strncmp(err.msg, tables[i].says, strlen(tables[i].says)), 0);
	}
}

#define PFC_ON    "\"PORT_QOS_MAP\": {\"Ethernet0\": {\"pfc_enable\": \"3\"}}"
#define PORTS     "\"PORT\": {\"Ethernet0\": {\"speed\": \"100000\"}}"
#define META(x)   "\"DEVICE_METADATA\": {\"localhost\": {\"hostname\": \"s\"" x "}}"
#define STATUS(x) ", \"default_pfcwd_status\": \"" x "\""

/* Whether a port is watched, where the file does not say so of the port. */
static void test_sonic_watchdog_without_an_entry(void **state)
{
	static const struct {
		const char *label, *text;
		struct rt_opt_u64 on;
	} cases[] = {
		{ "a qos.json", "{" PFC_ON "}", { 0 } },
		{ "ports, of a switch without a name",
		  "{" PFC_ON ", " PORTS "}",
		  { 0 } },
		{ "all of it", "{" PFC_ON ", " PORTS ", " META("") "}",
		  RT_KNOWN_U64(0) },
		{ "told to be off", "{" PFC_ON ", " META(STATUS("disable")) "}",
		  RT_KNOWN_U64(0) },
		{ "told to be on",
		  "{" PFC_ON ", " PORTS ", " META(STATUS("enable")) "}",
		  RT_KNOWN_U64(1) },
		{ "an empty table", "{" PFC_ON ", \"PFC_WD\": {}}", RT_KNOWN_U64(0) },
		{ "of another port",
		  "{" PFC_ON ", \"PFC_WD\": {\"Ethernet4\": {\"action\": \"drop\"}}}",
		  RT_KNOWN_U64(0) },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_switch *sw = NULL;
		const struct rt_setting *on;

		print_message("# %s\n", cases[i].label);
		assert_int_equal(rt_nos_parse(&rt_nos_sonic, "t", cases[i].text,
					      strlen(cases[i].text), NULL, NULL, &sw,
					      NULL),
				 0);
		on = &rt_switch_port_find(sw, "Ethernet0")->watchdog.on;
		assert_int_equal(rt_setting_known(on), cases[i].on.known);
		if (cases[i].on.known)
			assert_int_equal(on->number, cases[i].on.value);
		rt_switch_free(sw);
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_sonic_full_config), cmocka_unit_test(test_sonic_td2),
	     cmocka_unit_test(test_sonic_th5), cmocka_unit_test(test_sonic_voq),
	     cmocka_unit_test(test_sonic_voq_ports),
	     cmocka_unit_test(test_sonic_port_lists),
	     cmocka_unit_test(test_sonic_bracket_refs),
	     cmocka_unit_test(test_sonic_plain_refs),
	     cmocka_unit_test(test_sonic_migration_changes_nothing),
	     cmocka_unit_test(test_sonic_flat_keys),
	     cmocka_unit_test(test_sonic_buffers_only),
	     cmocka_unit_test(test_sonic_headroom_table),
	     cmocka_unit_test(test_sonic_no_headroom_row),
	     cmocka_unit_test(test_sonic_headroom_rows),
	     cmocka_unit_test(test_sonic_shapes), cmocka_unit_test(test_sonic_refusals),
	     cmocka_unit_test(test_sonic_cut_files),
	     cmocka_unit_test(test_sonic_mutated_files),
	     cmocka_unit_test(test_sonic_mutated_numbers),
	     cmocka_unit_test(test_sonic_headroom_refusals),
	     cmocka_unit_test(test_sonic_watchdog_without_an_entry))
