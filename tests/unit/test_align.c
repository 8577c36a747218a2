/* SPDX-License-Identifier: BSD-2-Clause */
/* test_align.c - two ends of a link: aligned, and each misalignment. */
#include "alignments.h"

static void test_align_pair_that_fits_is_without_finding(void **state)
{
	struct pair *pair = pair_new(NULL, NULL, NULL, NULL);

	(void)state;
	pair_judge(pair);
	assert_int_equal(pair->findings.count, 0);
	pair_free(pair);
}

/* --- what is changed ------------------------------------------------------------------ */

#define SET_HOST(name, id, value)                           \
	static void name(struct pair *pair)                 \
	{                                                   \
		rt_knob_set(&pair->host, (id), 0, (value)); \
	}

SET_HOST(tclass_of_best_effort, RT_KNOB_TCLASS, 2)
SET_HOST(tclass_without_ect, RT_KNOB_TCLASS, 104)
SET_HOST(cm_tos_0, RT_KNOB_CM_TOS, 0)
SET_HOST(cnp_dscp_46, RT_KNOB_NP_CNP_DSCP, 46)
SET_HOST(pause_rx_on, RT_KNOB_PAUSE_RX, 1)
SET_HOST(willing, RT_KNOB_DCBX_WILLING, 1)
SET_HOST(storm_8s, RT_KNOB_STORM_TIMEOUT, 8000000000)
SET_HOST(storm_never, RT_KNOB_STORM_TIMEOUT, 0)
SET_HOST(no_pfc, RT_KNOB_PFC_MASK, 0)
SET_HOST(pfc_3_4, RT_KNOB_PFC_MASK, 0x18)
SET_HOST(trust_pcp, RT_KNOB_TRUST, RT_TRUST_PCP)
SET_HOST(cable_2m, RT_KNOB_PFC_CABLE, 2000)
SET_HOST(cee_only, RT_KNOB_DCBX_MODE, 0x05)
SET_HOST(rttcc, RT_KNOB_CC_ALGORITHM, RT_CC_RTTCC)

static void mtu_1500(struct pair *pair)
{
	pair->align.mtu_bytes.value = 1500;
}

static void roce_mtu_1024(struct pair *pair)
{
	pair->align.roce_mtu_bytes.value = 1024;
}

static void other_chip(struct pair *pair)
{
	pair->align.chip = "BCM57608 NetXtreme-E";
}

static void speed_25g(struct pair *pair)
{
	pair->align.speed_bps.value = 25000000000;
}

static void no_link(struct pair *pair)
{
	pair->align.link_up = RT_KNOWN_U64(0);
}

static void speed_unknown(struct pair *pair)
{
	pair->align.speed_bps.known = false;
}

/* DSCP 26 has priority 4 on the host, which pauses 3 and 4, as does the switch. */
static void dscp_26_is_4(struct pair *pair)
{
	rt_knob_set(&pair->host, RT_KNOB_DSCP_PRIO, 26, 4);
}

static void cnp_48_is_3(struct pair *pair)
{
	rt_knob_set(&pair->host, RT_KNOB_DSCP_PRIO, 48, 3);
}

static void two_heard(struct pair *pair)
{
	pair->align.peer_count = 2;
}

static void two_of_ours(struct pair *pair)
{
	pair->align.selves = pair->peers;
	pair->align.self_count = 2;
}

static struct rt_dcbx *announced(struct pair *pair)
{
	return &pair->heard[0].said.dcbx[RT_DCBX_IEEE];
}

static void announces_nothing(struct pair *pair)
{
	*announced(pair) = (struct rt_dcbx){ 0 };
}

static void announces_cee_error(struct pair *pair)
{
	struct rt_dcbx *cee = &pair->heard[0].said.dcbx[RT_DCBX_CEE];

	*cee = *announced(pair);
	cee->pfc.error = true;
	announces_nothing(pair);
	rt_knob_set(&pair->host, RT_KNOB_DCBX_MODE, 0, 0x0D);
}

static void announces_cin(struct pair *pair)
{
	pair->heard[0].said.dcbx[RT_DCBX_CIN] = *announced(pair);
	announces_nothing(pair);
}

static void announces_pfc_4(struct pair *pair)
{
	announced(pair)->pfc.prio_mask = 0x10;
}

static void willing_and_announces_pfc_4(struct pair *pair)
{
	willing(pair);
	announces_pfc_4(pair);
}

static void both_willing(struct pair *pair)
{
	willing(pair);
	announced(pair)->pfc.willing = true;
}

static void announces_shares(struct pair *pair)
{
	announced(pair)->ets.present = announced(pair)->ets.enabled = true;
	memset(announced(pair)->ets.tsa, RT_TSA_ETS, 8);
	announced(pair)->ets.prio_tc[3] = 3;
	announced(pair)->ets.bw_percent[3] = 90;
}

static void announces_26_as_5(struct pair *pair)
{
	announced(pair)->apps = (struct rt_dcbx_apps){
		.present = true,
		.enabled = true,
		.count = 1,
		.items = { { RT_DCBX_DSCP, 1 << 5, 26 } },
	};
}

static void announces_app(struct pair *pair, unsigned selector, uint16_t protocol)
{
	announced(pair)->apps = (struct rt_dcbx_apps){
		.present = true,
		.enabled = true,
		.count = 1,
		.items = { { selector, 1 << 5, protocol } },
	};
}

static void announces_4791_as_5(struct pair *pair)
{
	announces_app(pair, RT_DCBX_DATAGRAM, 4791);
}

static void announces_8915_as_5(struct pair *pair)
{
	announces_app(pair, RT_DCBX_ETHERTYPE, 0x8915);
}

static void announces_small_frames(struct pair *pair)
{
	pair->heard[0].said.max_frame_bytes.value = 1518;
}

static void announces_another_port(struct pair *pair)
{
	memcpy(pair->heard[0].said.port.value, "etp2", 4);
}

static void announces_no_port_of_it(struct pair *pair)
{
	memcpy(pair->heard[0].said.port.value, "etp9", 4);
}

static void is_leaf_7(struct pair *pair)
{
	snprintf(pair->heard[0].said.system_name,
		 sizeof(pair->heard[0].said.system_name), "leaf-7");
}

static void has_another_leaf(struct pair *pair)
{
	pair->align.leaf = "leaf-7";
}

static void announces_nonsense(struct pair *pair)
{
	pair->heard[0].said.fault_count = 1;
	pair->heard[0].said.faults[0] = (struct rt_lldp_fault){
		.offset = 60, .tlv = "PFC Configuration", .reason = "is too short"
	};
}

static void nobody_heard(struct pair *pair)
{
	pair->align.peer_count = 0;
	pair->align.missing[RT_ALIGN_LLDP] = "nobody was heard in 35 s";
}

static void wants_26_twice(struct pair *pair)
{
	pair->align.contradiction = "p.yaml:5:9: class b wants dscp_prio[26] to be 0";
}

static void pfc_unknown(struct pair *pair)
{
	rt_knob_unknown(&pair->host, RT_KNOB_PFC_MASK, "not root");
}

static void test_align_names_with_and_without_domain_are_one(void **state)
{
	struct pair *pair = pair_new(NULL, NULL, NULL, NULL);

	(void)state;
	pair->align.leaf = "LEAF-1.example.net";
	pair_judge(pair);
	assert_int_equal(pair->findings.count, 0);
	pair_free(pair);
}

/* mlx5 reads 100 beside classes that have no share (en_dcbnl.c). */
static void test_align_takes_shares_of_classes_that_have_one(void **state)
{
	struct pair *pair = pair_new(NULL, NULL, NULL, NULL);
	const struct rt_knob_value *tsa = &pair->align.want->qos.knobs[RT_KNOB_ETS_TSA];
	unsigned strict = 0, ets = 0;

	(void)state;
	while (strict < 8 &&
	       !(tsa->known >> strict & 1 && tsa->number[strict] == RT_TSA_STRICT))
		strict++;
	while (ets < 8 && !(tsa->known >> ets & 1 && tsa->number[ets] == RT_TSA_ETS))
		ets++;
	assert_true(strict < 8 && ets < 8);
	rt_knob_set(&pair->host, RT_KNOB_ETS_BW, strict, 100);
	pair_judge(pair);
	assert_int_equal(pair->findings.count, 0);
	rt_knob_set(&pair->host, RT_KNOB_ETS_BW, ets, 1);
	pair_judge(pair);
	assert_true(pair->findings.count > 0);
	pair_free(pair);
}

/* --- one a rule ------------------------------------------------------------------------- */

struct misaligned {
	const char *label;
	const char *profile_from, *profile_to, *switch_from, *switch_to;
	void (*change)(struct pair *pair);
	const char *id;
};

#define NO_SWAP NULL, NULL

static const struct misaligned cases[] = {
	{ "nobody heard", NO_SWAP, NO_SWAP, nobody_heard, "align-side-missing" },
	{ "the profile can be no port's", NO_SWAP, NO_SWAP, wants_26_twice,
	  "align-profile-contradiction" },
	{ "a knob that cannot be read", NO_SWAP, NO_SWAP, pfc_unknown,
	  "align-not-judged" },
	{ "another NIC", "driver: mlx5", "driver: bnxt_re", NO_SWAP, NULL,
	  "align-other-port" },
	{ "another chip", "driver: mlx5", "driver: mlx5, chip: ConnectX-7", NO_SWAP,
	  other_chip, "align-other-port" },
	{ "another speed", NO_SWAP, NO_SWAP, speed_25g, "align-other-port" },
	{ "trust differs", NO_SWAP, NO_SWAP, trust_pcp, "align-host-differs" },
	{ "another algorithm runs", NO_SWAP, NO_SWAP, rttcc, "align-host-tuning" },
	{ "forced to best effort", NO_SWAP, NO_SWAP, tclass_of_best_effort,
	  "align-tclass" },
	{ "forced, and no variable", "NCCL_IB_TC", "OTHER", NO_SWAP, NULL,
	  "align-tclass-devx" },
	{ "forced, GPUs drive the NIC", "app: {NCCL_IB_TC",
	  "app: {scope: devx, NCCL_IB_TC", NO_SWAP, NULL, "align-tclass-devx" },
	{ "a job that runs as best effort", "NCCL_IB_TC: 106", "NCCL_IB_TC: 26",
	  NO_SWAP, NULL, "align-app-variable" },
	{ "rdma_cm as installed", NO_SWAP, NO_SWAP, cm_tos_0, "align-rdma-cm-tos" },
	{ "CNPs as Azure's", NO_SWAP, NO_SWAP, cnp_dscp_46, "align-cnp-dscp" },
	{ "CNPs as Azure's, in the switch", NO_SWAP, NO_SWAP, cnp_dscp_46,
	  "align-cnp-queue" },
	{ "CNPs in a paused priority", NO_SWAP, NO_SWAP, cnp_48_is_3,
	  "align-cnp-paused" },
	{ "CNPs in the queue of the data", NO_SWAP, "\"48\": \"6\"", "\"48\": \"3\"",
	  NULL, "align-cnp-queue" },
	{ "CNPs with others", "be: {dscp: rest",
	  "tele: {dscp: [50], prio: 1}\n"
	  "  be: {dscp: rest",
	  "\"50\": \"0\"", "\"50\": \"6\"", NULL, "align-cnp-shared" },
	{ "802.3x", NO_SWAP, NO_SWAP, pause_rx_on, "align-global-pause" },
	{ "willing", NO_SWAP, NO_SWAP, willing, "align-willing" },
	{ "MTU of a laptop", NO_SWAP, NO_SWAP, mtu_1500, "align-host-mtu" },
	{ "RoCE MTU of a laptop", NO_SWAP, NO_SWAP, roce_mtu_1024, "align-host-mtu" },
	{ "storm time-out", NO_SWAP, NO_SWAP, storm_8s, "align-storm-timeout" },
	{ "PFC at the host only", NO_SWAP, NO_SWAP, pfc_3_4, "align-pfc-host-only" },
	{ "PFC at the switch only", NO_SWAP, NO_SWAP, no_pfc, "align-pfc-switch-only" },
	{ "the switch looks at tags", NO_SWAP, "\"dscp_to_tc_map\": \"ROCE\"",
	  "\"dot1p_to_tc_map\": \"PCP\"", NULL, "align-trust" },
	{ "no link", NO_SWAP, NO_SWAP, no_link, "align-link-down" },
	{ "port shut down", NO_SWAP, "\"alias\": \"etp1\"",
	  "\"alias\": \"etp1\", \"admin_status\": \"down\"", NULL, "align-link-down" },
	{ "port for small packets", NO_SWAP, "\"mtu\": \"9216\"", "\"mtu\": \"4200\"",
	  NULL, "align-mtu" },
	{ "small frames announced", NO_SWAP, NO_SWAP, announces_small_frames,
	  "align-mtu" },
	{ "port of 40G", NO_SWAP, "\"speed\": \"100000\", \"mtu\": \"9216\"",
	  "\"speed\": \"40000\", \"mtu\": \"9216\"", NULL, "align-speed" },
	{ "port of 40G, profile's speed", NO_SWAP,
	  "\"speed\": \"100000\", \"mtu\": \"9216\"",
	  "\"speed\": \"40000\", \"mtu\": \"9216\"", speed_unknown, "align-speed" },
	{ "a longer cable", "cable: 5m", "cable: 40m", NO_SWAP, NULL, "align-cable" },
	{ "the NIC's cable", NO_SWAP, NO_SWAP, cable_2m, "align-cable" },
	{ "a late watchdog", NO_SWAP, "\"detection_time\": \"200\"",
	  "\"detection_time\": \"400\"", NULL, "align-watchdog" },
	{ "no watchdog at all", NO_SWAP, "\"PFC_WD\": {", "\"OTHER\": {", NULL,
	  "align-watchdog" },
	{ "a priority that is not watched", NO_SWAP, "\"pfcwd_sw_enable\": \"3\"",
	  "\"pfcwd_sw_enable\": \"4\"", NULL, "align-watchdog-prios" },
	{ "paused, of no class, and not watched", NO_SWAP, "\"pfc_enable\": \"3\"",
	  "\"pfc_enable\": \"3,4\"", NULL, "align-watchdog-prios" },
	{ "an early watchdog", NO_SWAP, NO_SWAP, storm_8s, "align-watchdog-first" },
	{ "no guard", NO_SWAP,
	  "\"Ethernet0\": {\"action\": \"drop\", \"detection_time\": \"200\", "
	  "\"restoration_time\": \"200\"}",
	  "\"Ethernet4\": {\"action\": \"drop\", \"detection_time\": \"200\", "
	  "\"restoration_time\": \"200\"}",
	  storm_never, "align-no-storm-guard" },
	{ "26 is lossy, as by default", NO_SWAP, "\"26\": \"3\"", "\"26\": \"0\"", NULL,
	  "align-class-lossy" },
	{ "no headroom bound", NO_SWAP, "\"xoff\": \"113664\"", "\"xoff\": \"0\"", NULL,
	  "align-class-lossy" },
	{ "the rest is paused", NO_SWAP, "\"7\": \"0\"", "\"7\": \"3\"", NULL,
	  "align-rest-paused" },
	{ "another class is paused", "be: {dscp: rest",
	  "tele: {dscp: [50], prio: 1}\n  be: {dscp: rest", "\"50\": \"0\"",
	  "\"50\": \"3\"", NULL, "align-class-paused" },
	{ "another priority", NO_SWAP, NO_SWAP, dscp_26_is_4, "align-class-prio" },
	{ "another queue", "prio: 3, tc: 3, pg: 3, queue: 3",
	  "prio: 3, tc: 3, pg: 3, queue: 4", NO_SWAP, NULL, "align-queue" },
	{ "no ECN", NO_SWAP, ", \"wred_profile\": \"ROCE\"", "", NULL,
	  "align-ecn-missing" },
	{ "ECN that drops", NO_SWAP, "ecn_all", "ecn_none", NULL, "align-ecn-missing" },
	{ "other thresholds", NO_SWAP, "1048576", "65536", NULL,
	  "align-ecn-thresholds" },
	{ "no ECT in the byte", NO_SWAP, NO_SWAP, tclass_without_ect, "align-not-ect" },
	{ "no ECT in the profile", "ect: tclass", "ect: no", NO_SWAP, NULL,
	  "align-not-ect" },
	{ "little headroom", NO_SWAP, "\"xoff\": \"113664\"", "\"xoff\": \"33792\"",
	  NULL, "align-headroom" },
	{ "CNPs are weighted", NO_SWAP, "\"Ethernet0|6\": {\"scheduler\": \"first\"}",
	  "\"Ethernet0|6\": {\"scheduler\": \"half\"}", NULL, "align-scheduling" },
	{ "another share", "lossless: yes,\n         ect: tclass, sched: {dwrr: 50}",
	  "lossless: yes,\n         ect: tclass, sched: {dwrr: 95}", NO_SWAP, NULL,
	  "align-scheduling" },
	{ "two agents there", NO_SWAP, NO_SWAP, two_heard, "align-two-agents" },
	{ "two agents here", NO_SWAP, NO_SWAP, two_of_ours, "align-two-agents" },
	{ "no DCBX", NO_SWAP, NO_SWAP, announces_nothing, "align-no-dcbx" },
	{ "CEE here, IEEE there", NO_SWAP, NO_SWAP, cee_only, "align-dialect" },
	{ "IEEE here, CIN there", NO_SWAP, NO_SWAP, announces_cin, "align-dialect" },
	{ "malformed", NO_SWAP, NO_SWAP, announces_nonsense, "align-lldp-malformed" },
	{ "CEE's error", NO_SWAP, NO_SWAP, announces_cee_error, "align-peer-error" },
	{ "PFC 4 announced", NO_SWAP, NO_SWAP, announces_pfc_4, "align-pfc-announced" },
	{ "PFC 4 taken over", NO_SWAP, NO_SWAP, willing_and_announces_pfc_4,
	  "align-pfc-operational" },
	{ "empty list left it on", NO_SWAP, "\"pfc_enable\": \"3\"",
	  "\"pfc_enable\": \"\"", NULL, "align-not-applied" },
	{ "both willing", NO_SWAP, NO_SWAP, both_willing, "align-both-willing" },
	{ "other shares announced", NO_SWAP, NO_SWAP, announces_shares,
	  "align-ets-announced" },
	{ "26 is 5 there", NO_SWAP, NO_SWAP, announces_26_as_5, "align-app-announced" },
	{ "RoCEv2 is 5 there", NO_SWAP, NO_SWAP, announces_4791_as_5,
	  "align-app-announced" },
	{ "RoCEv1 is 5 there", NO_SWAP, NO_SWAP, announces_8915_as_5,
	  "align-app-announced" },
	{ "the file is of another switch", NO_SWAP, NO_SWAP, is_leaf_7,
	  "align-wrong-port" },
	{ "a port that is not in the file", NO_SWAP, NO_SWAP, announces_no_port_of_it,
	  "align-not-judged" },
	{ "the cable is in the next port", NO_SWAP, NO_SWAP, announces_another_port,
	  "align-wrong-port" },
	{ "the cable is in another leaf", NO_SWAP, NO_SWAP, has_another_leaf,
	  "align-wrong-port" },
};

static void test_align_each_misalignment_has_its_finding(void **state)
{
	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const struct misaligned *is = &cases[i];
		struct pair *pair = pair_new(is->profile_from, is->profile_to,
					     is->switch_from, is->switch_to);

		print_message("# -- %s\n", is->label);
		if (is->change)
			is->change(pair);
		pair_judge(pair);
		assert_true(count_id(&pair->findings, is->id) > 0);
		pair_free(pair);
	}
}

/* --- what the switch's file does not say ------------------------------------------------- */

static const struct {
	const char *from, *to; /* of the switch */
	const char *rule;
} untold[] = {
	{ "\"speed\": \"100000\", \"mtu\": \"9216\"", "\"mtu\": \"9216\"",
	  "align-speed" },
	{ "\"CABLE_LENGTH\"", "\"OTHER\"", "align-cable" },
	{ "\"detection_time\": \"200\", ", "", "align-watchdog" },
	{ "\"action\": \"drop\", ", "", "align-watchdog" },
	{ ", \"pfcwd_sw_enable\": \"3\"", "", "align-watchdog-prios" },
	{ ", \"Ethernet0|6\": {\"scheduler\": \"first\"}", "", "align-scheduling" },
	{ "\"Ethernet0|0\": {\"scheduler\": \"half\"}, ", "", "align-scheduling" },
	{ "{\"type\": \"STRICT\"}", "{}", "align-scheduling" },
};

static void test_align_what_is_not_told_is_not_right(void **state)
{
	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(untold); i++) {
		struct pair *pair = pair_new(NULL, NULL, untold[i].from, untold[i].to);
		const struct rt_finding *finding;

		print_message("# -- %s\n", untold[i].from);
		pair_judge(pair);
		assert_int_equal(pair->findings.count, 1);
		finding = &pair->findings.items[0];
		assert_string_equal(finding->id, "align-not-judged");
		assert_int_equal(finding->severity, RT_SEVERITY_UNKNOWN);
		assert_ptr_equal(strstr(finding->evidence, untold[i].rule),
				 finding->evidence);
		pair_free(pair);
	}
}

/* Within one cell or 5 %, whichever is more. */
static void test_align_thresholds_are_the_same_within_a_cell(void **state)
{
	static const struct {
		const char *profile, *config;
		size_t count;
	} cases_of[] = {
		{ "kmin: 1MiB", "1048832", 0 }, { "kmin: 1MiB", "1000000", 0 },
		{ "kmin: 1MiB", "990000", 1 },  { "kmin: 1MiB", "1101004", 0 },
		{ "kmin: 1MiB", "1101006", 1 }, { "kmin: 1024B", "1280", 0 },
		{ "kmin: 1024B", "1281", 1 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases_of); i++) {
		struct pair *pair = pair_new("kmin: 1MiB", cases_of[i].profile,
					     "1048576", cases_of[i].config);

		print_message("# %s, %s\n", cases_of[i].profile, cases_of[i].config);
		pair_judge(pair);
		assert_int_equal(count_id(&pair->findings, "align-ecn-thresholds"),
				 cases_of[i].count);
		pair_free(pair);
	}
}

static void test_align_every_rule_has_a_case(void **state)
{
	(void)state;
	for (size_t rule = 0; rule < rt_align_rule_count; rule++) {
		bool found = false;

		for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++)
			found |= strcmp(cases[i].id, rt_align_rules[rule].id) == 0;
		print_message("# %s\n", rt_align_rules[rule].id);
		assert_true(found);
	}
}

static void test_align_sides_that_are_absent_are_not_judged(void **state)
{
	struct pair *pair = pair_new(NULL, NULL, NULL, NULL);
	struct rt_align full = pair->align;

	(void)state;
	for (unsigned sides = 0; sides < 16; sides++) {
		pair->align = full;
		memset(pair->align.asked, 0, sizeof(pair->align.asked));
		if (!(sides >> RT_ALIGN_HOST & 1)) {
			pair->align.host = NULL;
			pair->align.mtu_bytes.known = false;
			pair->align.roce_mtu_bytes.known = false;
			pair->align.speed_bps.known = false;
		}
		if (!(sides >> RT_ALIGN_PROFILE & 1)) {
			pair->align.profile = NULL;
			pair->align.want = NULL;
		}
		if (!(sides >> RT_ALIGN_SWITCH & 1)) {
			pair->align.sw = NULL;
			pair->align.port = NULL;
		}
		if (!(sides >> RT_ALIGN_LLDP & 1))
			pair->align.peer_count = 0;
		pair_judge(pair);
		assert_int_equal(pair->findings.count, 0);
	}
	pair_free(pair);
}

static void test_align_rows_stand_side_by_side(void **state)
{
	struct pair *pair = pair_new(NULL, NULL, NULL, NULL);
	struct rt_align_rows rows = { 0 };
	bool pfc = false, class = false;

	(void)state;
	pair_judge(pair);
	assert_int_equal(rt_align_rows_fill(&pair->align, &rows, NULL), 0);
	for (size_t i = 0; i < rows.count; i++) {
		const struct rt_align_row *row = &rows.items[i];

		if (strcmp(row->property, "pfc.mask") == 0) {
			pfc = true;
			assert_string_equal(row->host, "3");
			assert_string_equal(row->profile, "3");
			assert_string_equal(row->config, "3");
			assert_string_equal(row->lldp, "3");
		}
		if (strcmp(row->property, "class roce") == 0) {
			class = true;
			assert_string_equal(row->host, "26:3");
			assert_string_equal(row->profile,
					    "DSCP 26, priority 3, queue 3, lossless");
			assert_string_equal(row->config, "queue 3, PFC 3, ECN ROCE");
			assert_string_equal(row->lldp, "26:3");
		}
	}
	assert_true(pfc && class);
	rt_table_check(&rt_align_row_table);
	rt_align_rows_free(&rows);
	pair_free(pair);
}

RT_UNIT_MAIN(cmocka_unit_test(test_align_takes_shares_of_classes_that_have_one),
	     cmocka_unit_test(test_align_pair_that_fits_is_without_finding),
	     cmocka_unit_test(test_align_names_with_and_without_domain_are_one),
	     cmocka_unit_test(test_align_each_misalignment_has_its_finding),
	     cmocka_unit_test(test_align_what_is_not_told_is_not_right),
	     cmocka_unit_test(test_align_thresholds_are_the_same_within_a_cell),
	     cmocka_unit_test(test_align_every_rule_has_a_case),
	     cmocka_unit_test(test_align_sides_that_are_absent_are_not_judged),
	     cmocka_unit_test(test_align_rows_stand_side_by_side))
