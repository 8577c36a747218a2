/* SPDX-License-Identifier: BSD-2-Clause */
/* sonic_rows.c - the tables of config_db that are about QoS. */
#include <string.h>

#include "base/own.h"
#include "nos/sonic.h"
#include "rocetune/units.h"

static const struct rt_name admin_names[] = { { "up", 1, NULL },
					      { "down", 0, NULL },
					      { 0 } };

static const struct rt_name bool_names[] = {
	{ "true", 1, NULL },    { "false", 0, NULL },    { "on", 1, NULL },
	{ "off", 0, NULL },     { "enable", 1, NULL },   { "disable", 0, NULL },
	{ "enabled", 1, NULL }, { "disabled", 0, NULL }, { 0 },
};

static const struct rt_name ecn_names[] = {
	{ "ecn_none", 0, NULL },
	{ "ecn_green", 1u << RT_GREEN, NULL },
	{ "ecn_yellow", 1u << RT_YELLOW, NULL },
	{ "ecn_red", 1u << RT_RED, NULL },
	{ "ecn_green_yellow", 1u << RT_GREEN | 1u << RT_YELLOW, NULL },
	{ "ecn_green_red", 1u << RT_GREEN | 1u << RT_RED, NULL },
	{ "ecn_yellow_red", 1u << RT_YELLOW | 1u << RT_RED, NULL },
	{ "ecn_all", 1u << RT_GREEN | 1u << RT_YELLOW | 1u << RT_RED, NULL },
	{ 0 },
};

static const struct rt_name sched_names[] = {
	{ "DWRR", RT_SCHED_DWRR, NULL },
	{ "WRR", RT_SCHED_WRR, NULL },
	{ "STRICT", RT_SCHED_STRICT, NULL },
	{ 0 },
};

static const struct rt_name action_names[] = {
	{ "drop", RT_WATCHDOG_DROP, NULL },
	{ "forward", RT_WATCHDOG_FORWARD, NULL },
	{ "alert", RT_WATCHDOG_ALERT, NULL },
	{ 0 },
};

static const struct rt_name ingress_names[] = {
	{ "ingress", 1, NULL },
	{ "egress", 0, NULL },
	{ 0 },
};

static const struct rt_name dynamic_names[] = {
	{ "dynamic", 1, NULL },
	{ "static", 0, NULL },
	{ 0 },
};

#define FIELD(name_, type_, owner, member, ...)                       \
	{                                                             \
		.name = (name_), .type = SONIC_##type_,               \
		.offset = offsetof(struct owner, member), __VA_ARGS__ \
	}
#define SKIP(name_)                                 \
	{                                           \
		.name = (name_), .type = SONIC_SKIP \
	}
#define TO(kind_, table_) .kind = RT_SWITCH_##kind_, .table = (table_)
#define BYTES             .scale = 1, .max = 1000000000000ull
#define MS(least, most)   .scale = 1000000, .min = (least), .max = (most)

static const struct sonic_field port_fields[] = {
	FIELD("alias", TEXT, rt_switch_port, alias),
	FIELD("description", TEXT, rt_switch_port, description),
	FIELD("speed", NUMBER, rt_switch_port, speed, .scale = 1000000, .min = 1,
	      .max = 10000000),
	FIELD("mtu", NUMBER, rt_switch_port, mtu, .scale = 1, .min = 68, .max = 16384),
	FIELD("index", NUMBER, rt_switch_port, index, .scale = 1, .max = 65535),
	FIELD("admin_status", NAMES, rt_switch_port, enabled, .names = admin_names),
	FIELD("pfc_asym", NAMES, rt_switch_port, asymmetric, .names = bool_names),
};

#define MAP_AT(kind_) maps[RT_SWITCH_##kind_ - RT_SWITCH_DSCP_TC]
static const struct sonic_field port_qos_fields[] = {
	FIELD("dscp_to_tc_map", REF, rt_switch_port, MAP_AT(DSCP_TC),
	      TO(DSCP_TC, "DSCP_TO_TC_MAP")),
	FIELD("dot1p_to_tc_map", REF, rt_switch_port, MAP_AT(PCP_TC),
	      TO(PCP_TC, "DOT1P_TO_TC_MAP")),
	FIELD("tc_to_queue_map", REF, rt_switch_port, MAP_AT(TC_QUEUE),
	      TO(TC_QUEUE, "TC_TO_QUEUE_MAP")),
	FIELD("tc_to_pg_map", REF, rt_switch_port, MAP_AT(TC_PG),
	      TO(TC_PG, "TC_TO_PRIORITY_GROUP_MAP")),
	FIELD("pfc_to_queue_map", REF, rt_switch_port, MAP_AT(PFC_QUEUE),
	      TO(PFC_QUEUE, "MAP_PFC_PRIORITY_TO_QUEUE")),
	FIELD("pfc_to_pg_map", REF, rt_switch_port, MAP_AT(PFC_PG),
	      TO(PFC_PG, "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP")),
	FIELD("scheduler", REF, rt_switch_port, sched, TO(SCHED, "SCHEDULER")),
	FIELD("pfc_enable", MASK, rt_switch_port, pfc),
	FIELD("pfcwd_sw_enable", MASK, rt_switch_port, watchdog_prios),
	SKIP("tc_to_dscp_map"), /* rewrites on egress: classifies nothing */
	SKIP("tc_to_dot1p_map"),
};

static const struct sonic_field queue_fields[] = {
	FIELD("scheduler", REF, rt_switch_queue, sched, TO(SCHED, "SCHEDULER")),
	FIELD("wred_profile", REF, rt_switch_queue, wred, TO(WRED, "WRED_PROFILE")),
};

static const struct sonic_field queue_buffer_fields[] = {
	FIELD("profile", REF, rt_switch_queue, buffer, TO(BUFFER, "BUFFER_PROFILE")),
};

static const struct sonic_field group_fields[] = {
	FIELD("profile", PROFILE, rt_switch_pg, buffer, TO(BUFFER, "BUFFER_PROFILE")),
};

static const struct sonic_field buffer_fields[] = {
	FIELD("pool", REF, rt_switch_buffer, pool, TO(POOL, "BUFFER_POOL")),
	FIELD("size", NUMBER, rt_switch_buffer, size, BYTES),
	FIELD("xon", NUMBER, rt_switch_buffer, xon, BYTES),
	FIELD("xon_offset", NUMBER, rt_switch_buffer, xon_offset, BYTES),
	FIELD("xoff", NUMBER, rt_switch_buffer, xoff, BYTES),
	FIELD("dynamic_th", ALPHA, rt_switch_buffer, alpha),
	FIELD("static_th", NUMBER, rt_switch_buffer, threshold, BYTES),
	FIELD("headroom_type", NAMES, rt_switch_buffer, computed,
	      .names = dynamic_names),
	SKIP("mode"),
	SKIP("packet_discard_action"),
};

static const struct sonic_field pool_fields[] = {
	FIELD("type", NAMES, rt_switch_pool, ingress, .names = ingress_names),
	FIELD("mode", NAMES, rt_switch_pool, dynamic, .names = dynamic_names),
	FIELD("size", NUMBER, rt_switch_pool, size, BYTES),
	FIELD("xoff", NUMBER, rt_switch_pool, xoff, BYTES),
	SKIP("percentage"),
};

#define COLOUR(word, colour_)                                                        \
	FIELD("wred_" word "_enable", NAMES, rt_switch_wred, colour[colour_].enable, \
	      .names = bool_names),                                                  \
		FIELD(word "_min_threshold", NUMBER, rt_switch_wred,                 \
		      colour[colour_].kmin, BYTES),                                  \
		FIELD(word "_max_threshold", NUMBER, rt_switch_wred,                 \
		      colour[colour_].kmax, BYTES),                                  \
		FIELD(word "_drop_probability", NUMBER, rt_switch_wred,              \
		      colour[colour_].pmax, .scale = RT_PPB / 100, .max = 100)

static const struct sonic_field wred_fields[] = {
	COLOUR("green", RT_GREEN),
	COLOUR("yellow", RT_YELLOW),
	COLOUR("red", RT_RED),
	FIELD("ecn", NAMES, rt_switch_wred, ecn, .names = ecn_names),
	SKIP("wred_green_yellow_enable"),
};

static const struct sonic_field sched_fields[] = {
	FIELD("type", NAMES, rt_switch_sched, type, .names = sched_names),
	FIELD("weight", NUMBER, rt_switch_sched, weight, .scale = 1, .min = 1,
	      .max = 100),
	FIELD("pir", NUMBER, rt_switch_sched, max_rate, .scale = 8,
	      .max = 1250000000000ull), /* bytes per second */
	SKIP("meter_type"),
	SKIP("cir"),
	SKIP("cbs"),
	SKIP("pbs"),
	SKIP("priority"),
};

static const struct sonic_field watchdog_fields[] = {
	FIELD("action", NAMES, rt_switch_port, watchdog.action, .names = action_names),
	FIELD("detection_time", NUMBER, rt_switch_port, watchdog.detect, MS(100, 5000)),
	FIELD("restoration_time", NUMBER, rt_switch_port, watchdog.restore,
	      MS(100, 60000)),
	SKIP("pfc_stat_history"),
};

static const struct sonic_field watchdog_global_fields[] = {
	/* 100..1000 in the community's schema, to 3000 in Dell's */
	FIELD("POLL_INTERVAL", NUMBER, rt_switch, watchdog.poll, MS(100, 3000)),
	SKIP("BIG_RED_SWITCH"),
};

static const struct sonic_field metadata_fields[] = {
	FIELD("hostname", TEXT, rt_switch, hostname),
	FIELD("hwsku", TEXT, rt_switch, hwsku),
	FIELD("platform", TEXT, rt_switch, platform),
	FIELD("type", TEXT, rt_switch, role),
	FIELD("buffer_model", TEXT, rt_switch, buffer_model),
	FIELD("default_pfcwd_status", NAMES, rt_switch, default_watchdog,
	      .names = bool_names),
};

static const struct sonic_field lossless_fields[] = {
	FIELD("over_subscribe_ratio", NUMBER, rt_switch, oversubscription,
	      .scale = RT_PPB, .max = 1000),
	SKIP("default_dynamic_th"),
	SKIP("max_headroom_size"),
};

#define FIELDS(rows) .fields = (rows), .field_count = RT_ARRAY_SIZE(rows)
#define MAP(name_, kind_, most_, max_)                                             \
	{                                                                          \
		.name = (name_), .key = SONIC_KEY_NAME, .kind = RT_SWITCH_##kind_, \
		.most = (most_), .map_max = (max_)                                 \
	}
#define KNOWN(name_)                                    \
	{                                               \
		.name = (name_), .key = SONIC_KEY_KNOWN \
	}

static const struct sonic_table tables[] = {
	MAP("DSCP_TO_TC_MAP", DSCP_TC, RT_SWITCH_DSCPS, RT_SWITCH_TCS - 1),
	MAP("DOT1P_TO_TC_MAP", PCP_TC, RT_SWITCH_PRIOS, RT_SWITCH_TCS - 1),
	MAP("TC_TO_QUEUE_MAP", TC_QUEUE, RT_SWITCH_TCS, RT_SWITCH_QUEUES - 1),
	MAP("TC_TO_PRIORITY_GROUP_MAP", TC_PG, RT_SWITCH_TCS, RT_SWITCH_GROUPS - 1),
	MAP("MAP_PFC_PRIORITY_TO_QUEUE", PFC_QUEUE, RT_SWITCH_PRIOS,
	    RT_SWITCH_QUEUES - 1),
	MAP("PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", PFC_PG, RT_SWITCH_PRIOS,
	    RT_SWITCH_GROUPS - 1),
	{ .name = "PORT", .key = SONIC_KEY_PORTS, FIELDS(port_fields), .others = true },
	{ .name = "PORT_QOS_MAP", .key = SONIC_KEY_PORTS, FIELDS(port_qos_fields) },
	{ .name = "QUEUE",
	  .key = SONIC_KEY_INDEX,
	  FIELDS(queue_fields),
	  .offset = offsetof(struct rt_switch_port, queues),
	  .stride = sizeof(struct rt_switch_queue),
	  .most = RT_SWITCH_QUEUES },
	{ .name = "BUFFER_QUEUE",
	  .key = SONIC_KEY_INDEX,
	  FIELDS(queue_buffer_fields),
	  .offset = offsetof(struct rt_switch_port, queues),
	  .stride = sizeof(struct rt_switch_queue),
	  .most = RT_SWITCH_QUEUES },
	{ .name = "BUFFER_PG",
	  .key = SONIC_KEY_INDEX,
	  FIELDS(group_fields),
	  .offset = offsetof(struct rt_switch_port, groups),
	  .stride = sizeof(struct rt_switch_pg),
	  .most = RT_SWITCH_GROUPS },
	{ .name = "BUFFER_PROFILE",
	  .key = SONIC_KEY_NAME,
	  .kind = RT_SWITCH_BUFFER,
	  FIELDS(buffer_fields) },
	{ .name = "BUFFER_POOL",
	  .key = SONIC_KEY_NAME,
	  .kind = RT_SWITCH_POOL,
	  FIELDS(pool_fields) },
	{ .name = "WRED_PROFILE",
	  .key = SONIC_KEY_NAME,
	  .kind = RT_SWITCH_WRED,
	  FIELDS(wred_fields) },
	{ .name = "SCHEDULER",
	  .key = SONIC_KEY_NAME,
	  .kind = RT_SWITCH_SCHED,
	  FIELDS(sched_fields) },
	{ .name = "PFC_WD", .key = SONIC_KEY_PORTS, FIELDS(watchdog_fields) },
	{ .name = "CABLE_LENGTH", .key = SONIC_KEY_CABLE },
	{ .name = "DEVICE_METADATA",
	  .key = SONIC_KEY_ONE,
	  FIELDS(metadata_fields),
	  .others = true },
	{ .name = "DEFAULT_LOSSLESS_BUFFER_PARAMETER",
	  .key = SONIC_KEY_ONE,
	  FIELDS(lossless_fields) },
	KNOWN("BUFFER_PORT_INGRESS_PROFILE_LIST"),
	KNOWN("BUFFER_PORT_EGRESS_PROFILE_LIST"),
	KNOWN("LOSSLESS_TRAFFIC_PATTERN"),
	KNOWN("TC_TO_DSCP_MAP"),
	KNOWN("TC_TO_DOT1P_MAP"),
};

const struct sonic_table sonic_watchdog_global = {
	.name = "PFC_WD",
	.key = SONIC_KEY_ONE,
	FIELDS(watchdog_global_fields),
};

const struct sonic_table *sonic_table_find(const char *name, size_t bytes)
{
	for (size_t i = 0; i < RT_ARRAY_SIZE(tables); i++)
		if (strncmp(tables[i].name, name, bytes) == 0 && !tables[i].name[bytes])
			return &tables[i];
	return NULL;
}

const struct sonic_field *sonic_field_find(const struct sonic_table *table,
					   const char *name)
{
	for (size_t i = 0; i < table->field_count; i++)
		if (strcmp(table->fields[i].name, name) == 0)
			return &table->fields[i];
	return NULL;
}
