/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_align_pains.c - misalignments that people had, each from a public thread, and
 * what check says of them: the rules over the link, over the switch alone, and what
 * reading its configuration complains of.
 */
#include "alignments.h"

#include "model/rules_switch.h"

struct pain {
	const char *thread;
	const char *profile_from, *profile_to, *switch_from, *switch_to;
	void (*change)(struct pair *pair);
	const char *headroom; /* the platform's table; NULL: none is given */
	const char *ids[3];   /* that have to be found */
};

#define NO_SWAP NULL, NULL

static void forced_without_variable(struct pair *pair)
{
	rt_knob_set(&pair->host, RT_KNOB_TCLASS, 0, 106);
}

static void cm_tos_0(struct pair *pair)
{
	rt_knob_set(&pair->host, RT_KNOB_CM_TOS, 0, 0);
}

static void cnp_46(struct pair *pair)
{
	rt_knob_set(&pair->host, RT_KNOB_NP_CNP_DSCP, 0, 46);
}

static void two_agents_and_willing(struct pair *pair)
{
	struct rt_dcbx *ieee = &pair->heard[0].said.dcbx[RT_DCBX_IEEE];

	pair->align.peer_count = 2;
	rt_knob_set(&pair->host, RT_KNOB_DCBX_WILLING, 0, 1);
	ieee->pfc.prio_mask = 0; /* turned off for several peers */
}

static void no_pfc(struct pair *pair)
{
	rt_knob_set(&pair->host, RT_KNOB_PFC_MASK, 0, 0);
}

static void pfc_3_4(struct pair *pair)
{
	rt_knob_set(&pair->host, RT_KNOB_PFC_MASK, 0, 0x18);
}

static void byte_104(struct pair *pair)
{
	rt_knob_set(&pair->host, RT_KNOB_TCLASS, 0, 104);
}

static void cee_only(struct pair *pair)
{
	rt_knob_set(&pair->host, RT_KNOB_DCBX_MODE, 0, 0x05);
}

/* The second child has PFC, and nobody gave it headroom. */
static void second_child(struct pair *pair)
{
	pair_swap(pair->text, sizeof(pair->text), "\"PORT_QOS_MAP\": {\"Ethernet0\"",
		  "\"PORT_QOS_MAP\": {\"Ethernet0,Ethernet2\"");
	pair->align.port = rt_switch_port_find(pair->sw, "Ethernet2");
}

/* DSCP 2 is lossless on the uplink, Ethernet4, only. */
static void uplink(struct pair *pair)
{
	pair_swap(pair->text, sizeof(pair->text), "\"PORT_QOS_MAP\": {",
		  "\"PORT_QOS_MAP\": {\"Ethernet4\": {\"dscp_to_tc_map\": "
		  "\"UPLINK\", \"tc_to_queue_map\": \"ROCE\", \"tc_to_pg_map\": "
		  "\"ROCE\", \"pfc_to_queue_map\": \"ROCE\", \"pfc_to_pg_map\": "
		  "\"ROCE\", \"pfc_enable\": \"3\"}, ");
}

static const struct pain pains[] = {
	{ "NVIDIA/nccl 2383: DevX",
	  "NCCL_IB_TC",
	  "OTHER",
	  NO_SWAP,
	  forced_without_variable,
	  NULL,
	  { "align-tclass-devx" } },
	{ "ROCm/mori 362: DevX, default class",
	  "app: {NCCL_IB_TC",
	  "app: {scope: devx, NCCL_IB_TC",
	  NO_SWAP,
	  forced_without_variable,
	  NULL,
	  { "align-tclass-devx" } },
	{ "chimera 617: rdma_cm",
	  NO_SWAP,
	  NO_SWAP,
	  cm_tos_0,
	  NULL,
	  { "align-rdma-cm-tos" } },
	{ "sonic-mgmt 25347: CNP DSCP",
	  NO_SWAP,
	  "\"46\": \"0\"",
	  "\"46\": \"6\"",
	  cnp_46,
	  NULL,
	  { "align-cnp-dscp" } },
	{ "sonic-mgmt 25347: CNP queue",
	  NO_SWAP,
	  "\"48\": \"6\"",
	  "\"48\": \"0\"",
	  NULL,
	  NULL,
	  { "align-cnp-queue" } },
	{ "sonic-buildimage 4545: enable",
	  NO_SWAP,
	  "\"wred_green_enable\": \"true\"",
	  "\"wred_green_enable\": \"false\"",
	  NULL,
	  NULL,
	  { "switch-ecn-wred-off" } },
	{ "sonic-buildimage 21891: no WRED",
	  NO_SWAP,
	  ", \"wred_profile\": \"ROCE\"",
	  "",
	  NULL,
	  NULL,
	  { "switch-pfc-without-ecn", "align-ecn-missing" } },
	{ "sonic-utilities 579: thresholds crossed",
	  NO_SWAP,
	  "1048576",
	  "4194304",
	  NULL,
	  NULL,
	  { "switch-kmin-above-kmax", "align-ecn-thresholds" } },
	{ "sonic-buildimage 5837: no row",
	  NO_SWAP,
	  "\"Ethernet0\": \"5m\", \"Ethernet4\"",
	  "\"Ethernet0\": \"300m\", \"Ethernet4\"",
	  NULL,
	  "100000 5m 133120 19456 113664 0\n",
	  { "switch-no-headroom-row", "switch-profile-stale" } },
	{ "sonic-buildimage 5837: 0m",
	  NO_SWAP,
	  "\"Ethernet0\": \"5m\", \"Ethernet4\"",
	  "\"Ethernet0\": \"0m\", \"Ethernet4\"",
	  NULL,
	  NULL,
	  { "switch-cable-zero", "align-cable" } },
	{ "sonic-buildimage 23354: breakout",
	  NO_SWAP,
	  "\"index\": \"1\"}",
	  "\"index\": \"1\"}, \"Ethernet2\": {\"alias\": \"etp1b\", \"speed\": "
	  "\"100000\", \"mtu\": \"9216\", \"index\": \"1\"}",
	  second_child,
	  NULL,
	  { "switch-siblings-differ" } },
	{ "sonic-swss 4004: stale profile",
	  NO_SWAP,
	  "\"Ethernet0\": \"5m\", \"Ethernet4\"",
	  "\"Ethernet0\": \"40m\", \"Ethernet4\"",
	  NULL,
	  NULL,
	  { "switch-profile-stale" } },
	{ "sonic-swss 1055: empty list",
	  NO_SWAP,
	  "\"pfc_enable\": \"3\"",
	  "\"pfc_enable\": \"\"",
	  NULL,
	  NULL,
	  { "switch-pfc-empty", "align-not-applied", "align-pfc-host-only" } },
	{ "sonic-swss 3036: hasty watchdog",
	  NO_SWAP,
	  "\"detection_time\": \"200\"",
	  "\"detection_time\": \"100\"",
	  NULL,
	  NULL,
	  { "switch-watchdog-below-poll", "align-watchdog", "align-watchdog-first" } },
	{ "sonic-buildimage 29203: all priorities watched",
	  NO_SWAP,
	  "\"hostname\": \"leaf-1\"",
	  "\"hostname\": \"leaf-1\", \"hwsku\": \"Arista-7060X6-64PE\"",
	  NULL,
	  NULL,
	  { "switch-watchdog-all-pfc" } },
	{ "AzureLocal 297: two agents",
	  NO_SWAP,
	  NO_SWAP,
	  two_agents_and_willing,
	  NULL,
	  { "align-two-agents", "align-willing", "align-pfc-operational" } },
	{ "sonic-buildimage 11087: maps by port",
	  "dscp: [26]",
	  "dscp: [2]",
	  "\"DSCP_TO_TC_MAP\": {",
	  "\"DSCP_TO_TC_MAP\": {\"UPLINK\": {\"2\": \"3\", \"3\": \"0\", \"26\": "
	  "\"3\"}, ",
	  uplink,
	  NULL,
	  { "align-class-lossy" } },
	{ "sonic-swss 4718: no ECT",
	  NO_SWAP,
	  NO_SWAP,
	  byte_104,
	  NULL,
	  { "align-not-ect" } },
	{ "NVIDIA/nccl 378: PFC at the host only",
	  NO_SWAP,
	  NO_SWAP,
	  pfc_3_4,
	  NULL,
	  { "align-pfc-host-only" } },
	{ "NVIDIA/nccl 306: PFC at the switch only",
	  NO_SWAP,
	  NO_SWAP,
	  no_pfc,
	  NULL,
	  { "align-pfc-switch-only" } },
	{ "sonic-buildimage 25626: a blank",
	  NO_SWAP,
	  "\"1048576\"",
	  "\" 1048576\"",
	  NULL,
	  NULL,
	  { "switch-blank-in-number" } },
	{ "sonic-buildimage 25626: placeholders",
	  NO_SWAP,
	  "\"green_min_threshold\": \"1048576\", \"green_max_threshold\": \"2097152\"",
	  "\"green_min_threshold\": \"200000000\", \"green_max_threshold\": "
	  "\"200000000\"",
	  NULL,
	  NULL,
	  { "switch-marking-never", "align-ecn-thresholds" } },
	{ "microsoft/SDN 253: dialects",
	  NO_SWAP,
	  NO_SWAP,
	  cee_only,
	  NULL,
	  { "align-dialect" } },
};

/* As rt_run_check() puts findings together. */
static void judge_all(struct pair *pair, const char *headroom)
{
	const struct rt_nos_table table = { "pg_profile_lookup.ini", headroom,
					    headroom ? strlen(headroom) : 0 };
	struct rt_err err = { 0 };
	struct rt_switch *sw;
	char port[32];

	snprintf(port, sizeof(port), "%.30s", pair->align.port->id.name);
	if (rt_nos_parse(&rt_nos_sonic, "leaf-1.json", pair->text, strlen(pair->text),
			 headroom ? &table : NULL, &pair->findings, &sw, &err) < 0)
		fail_msg("%s", err.msg);
	rt_switch_free(pair->sw);
	pair->sw = sw;
	pair->align.sw = sw;
	pair->align.port = rt_switch_port_find(sw, port);
	assert_int_equal(rt_switch_check(sw, pair->align.port, &pair->findings, NULL),
			 0);
	pair_judge(pair);
}

static void test_pains_of_others_are_found(void **state)
{
	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(pains); i++) {
		const struct pain *pain = &pains[i];
		struct pair *pair = pair_new(pain->profile_from, pain->profile_to,
					     pain->switch_from, pain->switch_to);

		print_message("# -- %s\n", pain->thread);
		if (pain->change)
			pain->change(pair);
		judge_all(pair, pain->headroom);
		for (size_t id = 0; id < RT_ARRAY_SIZE(pain->ids) && pain->ids[id];
		     id++)
			assert_true(count_id(&pair->findings, pain->ids[id]) > 0);
		pair_free(pair);
	}
}

static void test_pains_are_absent_from_what_fits(void **state)
{
	struct pair *pair = pair_new(NULL, NULL, NULL, NULL);

	(void)state;
	judge_all(pair, NULL);
	assert_int_equal(pair->findings.count, 0);
	pair_free(pair);
}

RT_UNIT_MAIN(cmocka_unit_test(test_pains_of_others_are_found),
	     cmocka_unit_test(test_pains_are_absent_from_what_fits))
