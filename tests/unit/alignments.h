/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * alignments.h - the two ends of a link for tests: a host as its profile wants it, a
 * SONiC switch that fits, and what that switch announces.
 */
#ifndef RT_TESTS_ALIGNMENTS_H
#define RT_TESTS_ALIGNMENTS_H

#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "model/align.h"
#include "nos/nos.h"
#include "profiles.h"
#include "wire/lldp_peers.h"

static const char pair_profile[] =
	"name: t\n"
	"status: vendor\n"
	"match: {driver: mlx5, speed: 100G, roce_mtu: 4096, l2_mtu: 9000}\n"
	"classes:\n"
	"  roce: {dscp: [26], prio: 3, tc: 3, pg: 3, queue: 3, lossless: yes,\n"
	"         ect: tclass, sched: {dwrr: 50}}\n"
	"  cnp: {kind: cnp, dscp: [48], prio: 6, tc: 6, pg: 0, queue: 6,\n"
	"        sched: {strict: 1}}\n"
	"  be: {dscp: rest, prio: 0, tc: 0, pg: 0, queue: 0, sched: {dwrr: 50}}\n"
	"app: {NCCL_IB_TC: 106}\n"
	"switch:\n"
	"  nos: sonic\n"
	"  mtu: 9216\n"
	"  roles: {host: {cable: 5m, headroom: {roce: 113664B}}}\n"
	"  ecn: {roce: {host: {kmin: 1MiB, kmax: 2MiB, pmax: 5%}}}\n"
	"  watchdog: {classes: [roce], detect: 200ms, restore: 200ms, action: drop}\n"
	"host:\n"
	"  trust: dscp\n"
	"  dcbx: {owner: host, willing: no}\n"
	"  global_pause: off\n"
	"  pause_storm_timeout: 100ms\n"
	"  cc: {algorithm: dcqcn, np: {cnp_dscp: 48, cnp_prio: 6}}\n";

/* %s: the map of DSCPs. */
static const char pair_switch[] =
	"{\"DEVICE_METADATA\": {\"localhost\": {\"hostname\": \"leaf-1\"}},\n"
	"\"PORT\": {\"Ethernet0\": {\"alias\": \"etp1\", \"speed\": \"100000\", "
	"\"mtu\": "
	"\"9216\", \"index\": \"1\"},\n"
	" \"Ethernet4\": {\"alias\": \"etp2\", \"speed\": \"100000\", \"mtu\": "
	"\"9100\", "
	"\"index\": \"2\"}},\n"
	"\"CABLE_LENGTH\": {\"AZURE\": {\"Ethernet0\": \"5m\", \"Ethernet4\": "
	"\"5m\"}},\n"
	"\"DSCP_TO_TC_MAP\": {\"ROCE\": {%s}},\n"
	"\"TC_TO_QUEUE_MAP\": {\"ROCE\": {\"0\": \"0\", \"3\": \"3\", \"6\": "
	"\"6\"}},\n"
	"\"TC_TO_PRIORITY_GROUP_MAP\": {\"ROCE\": {\"0\": \"0\", \"3\": \"3\", \"6\": "
	"\"0\"}},\n"
	"\"MAP_PFC_PRIORITY_TO_QUEUE\": {\"ROCE\": {\"0\": \"0\", \"1\": \"1\", \"2\": "
	"\"2\", \"3\": \"3\", \"4\": \"4\", \"5\": \"5\", \"6\": \"6\", \"7\": "
	"\"7\"}},\n"
	"\"PFC_PRIORITY_TO_PRIORITY_GROUP_MAP\": {\"ROCE\": {\"3\": \"3\", \"4\": "
	"\"4\"}},\n"
	"\"PORT_QOS_MAP\": {\"Ethernet0\": {\"dscp_to_tc_map\": \"ROCE\", "
	"\"tc_to_queue_map\": \"ROCE\", \"tc_to_pg_map\": \"ROCE\", "
	"\"pfc_to_queue_map\": \"ROCE\", \"pfc_to_pg_map\": \"ROCE\", \"pfc_enable\": "
	"\"3\", \"pfcwd_sw_enable\": \"3\"}},\n"
	"\"WRED_PROFILE\": {\"ROCE\": {\"ecn\": \"ecn_all\", \"wred_green_enable\": "
	"\"true\", \"green_min_threshold\": \"1048576\", \"green_max_threshold\": "
	"\"2097152\", \"green_drop_probability\": \"5\"}},\n"
	"\"SCHEDULER\": {\"half\": {\"type\": \"DWRR\", \"weight\": \"50\"}, "
	"\"first\": "
	"{\"type\": \"STRICT\"}},\n"
	"\"QUEUE\": {\"Ethernet0|0\": {\"scheduler\": \"half\"}, \"Ethernet0|3\": "
	"{\"scheduler\": \"half\", \"wred_profile\": \"ROCE\"}, \"Ethernet0|6\": "
	"{\"scheduler\": \"first\"}},\n"
	"\"BUFFER_POOL\": {\"ingress_lossless_pool\": {\"type\": \"ingress\", "
	"\"mode\": "
	"\"dynamic\", \"size\": \"100000000\"}},\n"
	"\"BUFFER_PROFILE\": {\"pg_lossless_100000_5m_profile\": {\"pool\": "
	"\"ingress_lossless_pool\", \"size\": \"133120\", \"xon\": \"19456\", "
	"\"xoff\": "
	"\"113664\", \"dynamic_th\": \"0\"}},\n"
	"\"BUFFER_PG\": {\"Ethernet0|3\": {\"profile\": "
	"\"pg_lossless_100000_5m_profile\"}},\n"
	"\"PFC_WD\": {\"GLOBAL\": {\"POLL_INTERVAL\": \"200\"}, \"Ethernet0\": "
	"{\"action\": \"drop\", \"detection_time\": \"200\", \"restoration_time\": "
	"\"200\"}}}\n";

struct pair {
	struct rt_profile *profile;
	struct rt_qos_want want;
	struct rt_qos host;
	struct rt_switch *sw;
	struct rt_lldp_peer heard[2];
	struct rt_dcbx_peer peer[2];
	const struct rt_dcbx_peer *peers[2];
	struct rt_align align;
	struct rt_findings findings;
	char text[16384], swapped[16384];
};

static inline void pair_dscps(char *buf, size_t bytes)
{
	size_t used = 0;

	for (unsigned dscp = 0; dscp < 64; dscp++)
		used += (size_t)snprintf(buf + used, bytes - used, "%s\"%u\": \"%u\"",
					 dscp ? ", " : "", dscp,
					 dscp == 26   ? 3
					 : dscp == 48 ? 6
						      : 0);
}

/* text with from replaced by to, everywhere; from must be there.  NULL: as it is. */
static inline void pair_swap(char *text, size_t bytes, const char *from, const char *to)
{
	char *old, *at, *hit;
	size_t used = 0;

	if (!from)
		return;
	old = strdup(text);
	assert_non_null(old);
	at = old;
	assert_non_null(strstr(at, from));
	while ((hit = strstr(at, from))) {
		used += (size_t)snprintf(text + used, bytes - used, "%.*s%s",
					 (int)(hit - at), at, to);
		at = hit + strlen(from);
	}
	snprintf(text + used, bytes - used, "%s", at);
	free(old);
}

static inline struct rt_switch *pair_read_switch(const struct rt_nos *nos,
						 const char *text)
{
	struct rt_findings complaints = { 0 };
	struct rt_switch *sw = NULL;
	struct rt_err err = { 0 };

	if (rt_nos_parse(nos, "leaf-1", text, strlen(text), NULL, &complaints, &sw,
			 &err) < 0)
		fail_msg("%s", err.msg);
	print_findings(&complaints);
	rt_findings_free(&complaints);
	return sw;
}

/* A host as the profile wants it, and what a bare one has besides. */
static inline void pair_host(struct pair *pair)
{
	const struct rt_qos_port port = { .driver = pair->align.driver,
					  .speed_bps = pair->align.speed_bps };
	struct rt_err err = { 0 };

	if (rt_qos_want(pair->profile, &port, &pair->want, &err) < 0)
		fail_msg("%s", err.msg);
	pair->host = pair->want.qos;
	rt_knob_set(&pair->host, RT_KNOB_DCBX_MODE, 0, 0x09);
}

static inline void pair_point(struct pair *pair, const char *port)
{
	struct rt_align *align = &pair->align;

	align->where = "mlx5_0";
	for (unsigned side = 0; side < RT_ALIGN_SIDES; side++)
		align->asked[side] = true;
	align->host = &pair->host;
	align->mtu_bytes = RT_KNOWN_U64(9000);
	align->roce_mtu_bytes = RT_KNOWN_U64(4096);
	align->profile = pair->profile;
	align->want = &pair->want;
	align->sw = pair->sw;
	align->port = rt_switch_port_find(pair->sw, port);
	align->peers = pair->peers;
	align->peer_count = 1;
	assert_non_null(align->port);
}

/* The switch, leaf-1, announces what the host has from this port. */
static inline void pair_announce(struct pair *pair, const char *port)
{
	struct rt_lldp *said = &pair->heard[0].said;

	*said = (struct rt_lldp){
		.chassis = { RT_LLDP_CHASSIS_MAC, 6, { 2, 0, 0, 0, 0, 1 } },
		.port = { .kind = RT_LLDP_PORT_LOCAL, .bytes = (uint8_t)strlen(port) },
		.ttl_s = RT_KNOWN_U64(120),
		.system_name = "leaf-1",
		.max_frame_bytes = RT_KNOWN_U64(9234),
	};
	memcpy(said->port.value, port, said->port.bytes);
	rt_dcbx_of_qos(&pair->host, &said->dcbx[RT_DCBX_IEEE]);
	pair->heard[1] = pair->heard[0];
	pair->heard[1].said.chassis.value[5] = 9;
}

/* An aligned pair, but for what is swapped in the texts. */
static inline struct pair *pair_new(const char *profile_from, const char *profile_to,
				    const char *switch_from, const char *switch_to)
{
	struct pair *pair = calloc(1, sizeof(*pair));
	char dscps[1024];

	assert_non_null(pair);
	snprintf(pair->swapped, sizeof(pair->swapped), "%s", pair_profile);
	pair_swap(pair->swapped, sizeof(pair->swapped), profile_from, profile_to);
	pair->profile = good_profile(pair->swapped);
	pair_dscps(dscps, sizeof(dscps));
	snprintf(pair->text, sizeof(pair->text), "%s", pair_switch);
	pair_swap(pair->text, sizeof(pair->text), "%s", dscps);
	pair_swap(pair->text, sizeof(pair->text), switch_from, switch_to);
	pair->sw = pair_read_switch(&rt_nos_sonic, pair->text);
	pair->align.driver = "mlx5";
	pair->align.speed_bps = RT_KNOWN_U64(100000000000);
	pair_host(pair);
	pair_announce(pair, "etp1");
	pair_point(pair, "Ethernet0");
	return pair;
}

/*
 * A shipped profile; where it does not say all that SONiC needs, one that extends it
 * and does.
 */
static inline struct rt_profile *pair_shipped_profile(const char *name,
						      const char *more)
{
	struct rt_profile *profile;
	struct rt_err err = { 0 };
	char text[1024];

	snprintf(text, sizeof(text), "name: t\nextends: %s\n%s", name,
		 more ? more : "");
	if (rt_profile_parse("t.yaml", text, strlen(text), &shipped_search, NULL,
			     &profile, &err) < 0)
		fail_msg("%s", err.msg);
	return profile;
}

/* Of a shipped profile and a switch configuration that fits. */
static inline struct pair *pair_shipped(const char *profile, const char *more,
					const struct rt_nos *nos, const char *text,
					const char *port)
{
	struct pair *pair = calloc(1, sizeof(*pair));
	const struct rt_setting *speed, *driver;

	assert_non_null(pair);
	pair->profile = pair_shipped_profile(profile, more);
	pair->sw = pair_read_switch(nos, text);
	speed = &pair->profile->match.speed;
	driver = &pair->profile->match.driver;
	pair->align.driver = rt_setting_known(driver) ? driver->text : "mlx5";
	if (rt_setting_known(speed))
		pair->align.speed_bps = RT_KNOWN_U64(speed->number);
	pair_host(pair);
	pair_announce(pair, port);
	pair_point(pair, port);
	return pair;
}

/* Peers are made here, so that what was heard can be changed before. */
static inline void pair_judge(struct pair *pair)
{
	struct rt_err err = { 0 };

	for (unsigned i = 0; i < 2; i++) {
		rt_dcbx_peer_of(&pair->heard[i], &pair->peer[i]);
		pair->peers[i] = &pair->peer[i];
	}
	assert_int_equal(rt_rules_run(rt_align_rules, rt_align_rule_count, &pair->align,
				      &pair->findings, &err),
			 0);
	print_findings(&pair->findings);
}

static inline void pair_free(struct pair *pair)
{
	rt_findings_free(&pair->findings);
	rt_switch_free(pair->sw);
	rt_profile_free(pair->profile);
	free(pair);
}

#endif
