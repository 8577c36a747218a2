/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_analysis_rules.c - what fires each rule and, as much, what must not: the
 * false alarms.  Every rule has a row here that fires it.
 */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "analysis/diagnosis.h"
#include "analysis/syndrome.h"
#include "base/own.h"
#include "rocetune/analysis.h"
#include "rocetune/err.h"
#include "rules.h"

/* An analysis with one row of each kind, to be changed by a scene. */
struct scene {
	struct rt_analysis analysis;
	struct rt_analysis_flow flows[16];
	struct rt_analysis_pause port[3];
	struct rt_analysis_receiver receiver;
	struct rt_analysis_vlan vlan;
	struct rt_analysis_count syndrome;
	struct rt_analysis_if interface;
	struct rt_analysis_connection connection;
};

/* Healthy RC traffic that was captured with its return path and its pauses. */
static void set_healthy(struct scene *scene)
{
	struct rt_analysis *analysis = &scene->analysis;

	*scene = (struct scene){ 0 };
	analysis->capture.frames = 1010;
	analysis->roce.frames = analysis->roce.v2 = 1000;
	analysis->pauses.frames = analysis->pauses.pfc_frames = RT_KNOWN_U64(2);
	analysis->pauses.pause_frames = RT_KNOWN_U64(0);
	analysis->pauses.paused_ns = RT_KNOWN_U64(100);
	analysis->pauses.ports = scene->port;
	analysis->pauses.port_count = 1;
	scene->port[0] =
		(struct rt_analysis_pause){ .priority = RT_KNOWN_U64(3),
					    .speed_bps = RT_KNOWN_U64(100000000000),
					    .xoff = 1,
					    .xon = 1,
					    .longest_ns = RT_KNOWN_U64(100),
					    .paused_ns = RT_KNOWN_U64(100),
					    .share_pct = RT_KNOWN_F64(0.1) };
	analysis->sequence.flows = scene->flows;
	analysis->sequence.flow_count = 1;
	scene->flows[0] = (struct rt_analysis_flow){
		.src = "10.0.0.1",
		.dst = "10.0.0.2",
		.dest_qp = 7,
		.stream = RT_FLOW_REQUEST,
		.frames = 1000,
		.payload_bytes = 1024000,
		.duration_ns = 1000000000,
		.answered = RT_FLOW_ANSWERED,
		.return_seen = true,
		.acks = RT_KNOWN_U64(10),
		.cnps = RT_KNOWN_U64(0),
		.naks = RT_KNOWN_U64(0),
		.rnr_naks = RT_KNOWN_U64(0),
		.ecn = { .ect0 = 1000 },
		.icrc_ok = 1000,
	};
	analysis->throughput.receivers = &scene->receiver;
	analysis->throughput.receiver_count = 1;
	scene->receiver = (struct rt_analysis_receiver){
		.senders = 2,
		.good_bytes = 1024000,
		.mean_fan_in = RT_KNOWN_F64(2),
		.jain = RT_KNOWN_F64(0.99),
	};
}

#define SCENE(name)                                                         \
	static void name(struct scene *scene, struct rt_analysis *analysis, \
			 struct rt_analysis_flow *flow,                     \
			 struct rt_analysis_pause *port)
#define UNUSED (void)scene, (void)analysis, (void)flow, (void)port

SCENE(healthy)
{
	UNUSED;
}
SCENE(no_roce)
{
	UNUSED;
	analysis->roce.frames = 0;
	analysis->sequence.flow_count = 0;
}
SCENE(damaged)
{
	UNUSED;
	snprintf(analysis->capture.damage, sizeof(analysis->capture.damage),
		 "x.pcap: bad");
}
SCENE(dropped)
{
	UNUSED;
	analysis->capture.interfaces = &scene->interface;
	analysis->capture.interface_count = 1;
	scene->interface.frames = 10;
	scene->interface.dropped = RT_KNOWN_U64(2);
}
/* Whoever captured counted, and lost none. */
SCENE(none_dropped)
{
	UNUSED;
	analysis->capture.interfaces = &scene->interface;
	analysis->capture.interface_count = 1;
	scene->interface.dropped = RT_KNOWN_U64(0);
}
SCENE(file_cut)
{
	UNUSED;
	analysis->capture.ends_at_bytes = RT_KNOWN_U64(99);
}
SCENE(bth_cut)
{
	UNUSED;
	analysis->roce.bth_cut = 1;
}
SCENE(time_back)
{
	UNUSED;
	analysis->capture.times_back = 1;
}
SCENE(fragments)
{
	UNUSED;
	analysis->capture.fragments = 1;
}
SCENE(overflow)
{
	UNUSED;
	analysis->sequence.overflow = 1;
}
SCENE(twice)
{
	UNUSED;
	flow->h_behind = 500;
	flow->p_rewinds = flow->rewinds_alone = 500;
}
SCENE(copies)
{
	UNUSED;
	analysis->capture.interfaces = &scene->interface;
	analysis->capture.interface_count = 1;
	scene->interface.frames = 10;
	scene->interface.copies = 5;
}
SCENE(refused)
{
	UNUSED;
	analysis->connections.list = &scene->connection;
	analysis->connections.list_count = 1;
	scene->connection.state = RT_CONNECTION_REFUSED;
	scene->connection.reason = RT_KNOWN_U64(8);
}
SCENE(closed_is_not_refused)
{
	UNUSED;
	refused(scene, analysis, flow, port);
	scene->connection.state = RT_CONNECTION_CLOSED;
}
SCENE(contradicted)
{
	UNUSED;
	closed_is_not_refused(scene, analysis, flow, port);
	scene->connection.contradictions = 1;
}
SCENE(go_back_n_is_not_twice)
{
	UNUSED;
	flow->h_behind = 500;
	flow->p_rewinds = flow->rewinds_nak = 20;
}
SCENE(hole)
{
	UNUSED;
	flow->p_gaps = flow->h_gaps = flow->acked_holes = 1;
	flow->p_skipped = flow->h_skipped = flow->acked_psns = 260;
}
SCENE(loss_behind_the_tap)
{
	UNUSED;
	flow->p_rewinds = flow->rewinds_nak = 3;
}
SCENE(loss_before_the_tap)
{
	UNUSED;
	flow->p_gaps = flow->h_gaps = 2;
	flow->p_rewinds = flow->rewinds_alone = 2;
}
SCENE(loss_seen_by_rewinds_alone)
{
	UNUSED;
	flow->return_seen = false;
	flow->answered = RT_FLOW_UNANSWERED;
	flow->acks = flow->naks = flow->rnr_naks = flow->cnps =
		(struct rt_opt_u64){ 0 };
	flow->p_rewinds = flow->rewinds_alone = 10;
	flow->h_behind = 410;
	flow->silence_ns = 9000000; /* or the NAK took its time: not to be told */
}
SCENE(reordering)
{
	UNUSED;
	flow->p_gaps = flow->h_gaps = flow->reordered = 4;
	flow->p_rewinds = flow->rewinds_nak = 4;
}
SCENE(loss_with_few_late)
{
	UNUSED;
	flow->p_gaps = flow->h_gaps = 600;
	flow->repaired = 585;
	flow->reordered = 15; /* resends whose next packet was lost too */
	flow->p_rewinds = flow->rewinds_nak = 400;
}
SCENE(reordering_and_loss)
{
	UNUSED;
	reordering(scene, analysis, flow, port);
	flow->p_gaps = flow->h_gaps = 6; /* two more than came late */
}
SCENE(gap_unanswered)
{
	UNUSED;
	flow->p_gaps = flow->h_gaps = 1;
}
SCENE(uc_gap)
{
	UNUSED;
	flow->transport = 1;
	flow->p_gaps = flow->h_gaps = 1;
}
SCENE(time_out)
{
	UNUSED;
	flow->p_rewinds = flow->rewinds_alone = 1;
	flow->timeouts = RT_KNOWN_U64(1);
	flow->timeout_silence_ns = 67000000;
}
SCENE(rnr)
{
	UNUSED;
	flow->rnr_naks = RT_KNOWN_U64(10);
	flow->rnr_wait_ns = RT_KNOWN_U64(6400000); /* 0.64 % of 1 s */
	flow->naks = RT_KNOWN_U64(10);             /* drawn by packets in flight */
	flow->p_rewinds = flow->rewinds_rnr = 10;
	analysis->sequence.rnr_naks = 10;
}
SCENE(rnr_stall)
{
	UNUSED;
	flow->rnr_naks = RT_KNOWN_U64(1);
	flow->rnr_wait_ns = RT_KNOWN_U64(655360000);
	analysis->sequence.rnr_naks = 1;
}
SCENE(fatal_nak)
{
	UNUSED;
	snprintf(scene->syndrome.name, sizeof(scene->syndrome.name),
		 "NAK code 2 (remote access error)");
	scene->syndrome.frames = 1;
	analysis->roce.syndromes = &scene->syndrome;
	analysis->roce.syndrome_count = 1;
}
SCENE(reserved_nak)
{
	UNUSED;
	fatal_nak(scene, analysis, flow, port);
	snprintf(scene->syndrome.name, sizeof(scene->syndrome.name), "%s",
		 rt_syndrome_name(rt_syndrome_index(0x60 | 17)));
}
SCENE(seen_before)
{
	UNUSED;
	loss_behind_the_tap(scene, analysis, flow, port);
	flow->h_behind = flow->seen_before = 500;
	flow->seen_lag_ns = RT_KNOWN_U64(2000000);
	flow->timeouts = RT_KNOWN_U64(3);
	flow->return_seen = true;
}
SCENE(time_out_in_doubt)
{
	UNUSED;
	time_out(scene, analysis, flow, port);
	flow->copies = 1000;
	flow->lookalikes = RT_KNOWN_U64(flow->timeouts.value);
}
SCENE(time_out_beside_copies)
{
	UNUSED;
	time_out_in_doubt(scene, analysis, flow, port);
	flow->lookalikes = RT_KNOWN_U64(0);
}
SCENE(sequence_nak)
{
	UNUSED;
	fatal_nak(scene, analysis, flow, port);
	snprintf(scene->syndrome.name, sizeof(scene->syndrome.name), "%s",
		 rt_syndrome_name(rt_syndrome_index(0x60)));
}
SCENE(naks_alone)
{
	UNUSED;
	analysis->sequence.naks = 13;
}
SCENE(naks_paired)
{
	UNUSED;
	analysis->sequence.naks = 13;
	flow->naks = RT_KNOWN_U64(13);
}
SCENE(icrc_some)
{
	UNUSED;
	flow->icrc_bad = 1;
}
SCENE(icrc_all)
{
	UNUSED;
	flow->icrc_bad = 1000;
	flow->icrc_ok = 0;
}
SCENE(not_ect)
{
	UNUSED;
	flow->ecn = (struct rt_analysis_ecn){ .not_ect = 1000 };
}
SCENE(not_ect_control)
{
	UNUSED; /* requests that carry nothing, READ for one, need no marks */
	flow->ecn = (struct rt_analysis_ecn){ .not_ect = 1000 };
	flow->payload_bytes = 0;
}
SCENE(ce_answered)
{
	UNUSED;
	flow->ecn = (struct rt_analysis_ecn){ .ect0 = 500, .ce = 500 };
	flow->cnps = RT_KNOWN_U64(3); /* fewer than marks: paced */
}
SCENE(ce_unanswered)
{
	UNUSED;
	flow->ecn = (struct rt_analysis_ecn){ .ect0 = 500, .ce = 500 };
}
SCENE(ce_one_way)
{
	UNUSED;
	flow->ecn = (struct rt_analysis_ecn){ .ect0 = 500, .ce = 500 };
	flow->acks.known = flow->cnps.known = false;
	flow->answered = RT_FLOW_UNANSWERED;
}
SCENE(ce_ambiguous)
{
	UNUSED; /* there are CNPs, but whose */
	flow->ecn = (struct rt_analysis_ecn){ .ect0 = 500, .ce = 500 };
	flow->acks.known = flow->cnps.known = false;
	flow->answered = RT_FLOW_AMBIGUOUS;
}
SCENE(ce_few)
{
	UNUSED; /* a CNP may come right behind the end of the capture */
	flow->ecn = (struct rt_analysis_ecn){ .ect0 = 998, .ce = 2 };
}
SCENE(all_ce)
{
	UNUSED;
	flow->ecn = (struct rt_analysis_ecn){ .ce = 1000 };
	flow->cnps = RT_KNOWN_U64(3);
}
SCENE(cnp_no_ce)
{
	UNUSED;
	flow->cnps = RT_KNOWN_U64(3);
}
SCENE(cnp_no_flow)
{
	UNUSED;
	analysis->marks.cnps = analysis->marks.cnps_unmatched = 1;
}
SCENE(pause_hidden)
{
	UNUSED;
	analysis->pauses = (struct rt_analysis_pauses){ 0 };
}
SCENE(pause_untimed)
{
	UNUSED;
	analysis->pauses.paused_ns.known = false;
	port->paused_ns.known = port->longest_ns.known = port->share_pct.known = false;
	port->speed_bps.known = false;
}
SCENE(pause_without_stamps)
{
	UNUSED; /* a speed would not help */
	pause_untimed(scene, analysis, flow, port);
	port->speed_bps.known = true;
}
SCENE(pause_share)
{
	UNUSED;
	port->share_pct = RT_KNOWN_F64(5);
}
SCENE(pause_storm)
{
	UNUSED;
	port->longest_ns = RT_KNOWN_U64(200000000);
	port->share_pct = RT_KNOWN_F64(50);
}
SCENE(pause_storm_of_refreshes)
{
	UNUSED;
	port->longest_refreshes = RT_KNOWN_U64(5000);
}
SCENE(pause_prio_0)
{
	UNUSED;
	port->priority = RT_KNOWN_U64(0);
}
SCENE(pause_two_prios)
{
	UNUSED;
	port[1] = port[0];
	port[1].priority = RT_KNOWN_U64(4);
	analysis->pauses.port_count = 2;
}
SCENE(pause_three_prios)
{
	UNUSED;
	pause_two_prios(scene, analysis, flow, port);
	port[2] = port[0];
	port[2].priority = RT_KNOWN_U64(6);
	analysis->pauses.port_count = 3;
}
SCENE(pause_untagged_prio)
{
	UNUSED;
	scene->vlan = (struct rt_analysis_vlan){ .vid = 1, .pcp = 4, .frames = 9 };
	analysis->capture.vlans = &scene->vlan;
	analysis->capture.vlan_count = 1;
}
SCENE(pause_tagged_prio_0)
{
	UNUSED;
	pause_prio_0(scene, analysis, flow, port);
	pause_untagged_prio(scene, analysis, flow, port);
	scene->vlan.pcp = 0;
}
SCENE(pause_global)
{
	UNUSED;
	analysis->pauses.pause_frames = RT_KNOWN_U64(1);
}
SCENE(unfair)
{
	UNUSED;
	scene->receiver.jain = RT_KNOWN_F64(0.6);
}
SCENE(unfair_by_a_few_bytes)
{
	UNUSED;
	unfair(scene, analysis, flow, port);
	scene->receiver.good_bytes = 1540;
}
SCENE(unfair_without_company)
{
	UNUSED; /* one after the other: no incast, no shares */
	scene->receiver.jain = RT_KNOWN_F64(0.6);
	scene->receiver.mean_fan_in = RT_KNOWN_F64(1.01);
}
SCENE(few_ports)
{
	UNUSED;
	for (size_t i = 1; i < 16; i++)
		scene->flows[i] = *flow;
	analysis->sequence.flow_count = 16;
}
SCENE(ports_enough)
{
	UNUSED;
	few_ports(scene, analysis, flow, port);
	for (size_t i = 0; i < 16; i++)
		scene->flows[i].udp_sport = (uint16_t)(49152 + i / 2);
}

SCENE(time_out_dropped)
{
	time_out(scene, analysis, flow, port);
	dropped(scene, analysis, flow, port);
}
SCENE(time_out_hole)
{
	time_out(scene, analysis, flow, port);
	flow->p_gaps = flow->h_gaps = flow->acked_holes = 1;
}

static const struct {
	const char *label;
	void (*set)(struct scene *scene, struct rt_analysis *analysis,
		    struct rt_analysis_flow *flow, struct rt_analysis_pause *port);
	const char *ids; /* all that are found, in the order of the rules */
} scenes[] = {
	{ "healthy", healthy, "" },
	{ "no RoCE", no_roce, "capture-no-roce" },
	{ "damaged file", damaged, "capture-damaged" },
	{ "frames lost in capturing", dropped, "capture-dropped" },
	{ "none lost in capturing", none_dropped, "" },
	{ "a time-out, frames lost in capturing", time_out_dropped,
	  "capture-dropped capture-not-judged" },
	{ "a time-out, a hole of the capture", time_out_hole, "capture-hole" },
	{ "file cut", file_cut, "capture-ends-early" },
	{ "BTH cut", bth_cut, "capture-too-short" },
	{ "time back", time_back, "capture-time-back" },
	{ "loss, some of it looks late", loss_with_few_late, "loss-go-back-n" },
	{ "fragments", fragments, "ip-fragments" },
	{ "overflow", overflow, "capture-overflow" },
	{ "mirrored twice", twice, "capture-frames-twice" },
	{ "copies too late", seen_before, "capture-frames-twice" },
	{ "time-outs that may be copies", time_out_in_doubt, "capture-frames-twice" },
	{ "time-outs beside copies", time_out_beside_copies, "loss-timeout" },
	{ "copies left out", copies, "capture-copies" },
	{ "connection refused", refused, "cm-refused" },
	{ "connection closed", closed_is_not_refused, "" },
	{ "connection contradicted", contradicted, "cm-contradiction" },
	{ "go-back-N", go_back_n_is_not_twice, "loss-go-back-n" },
	{ "hole of the capture", hole, "capture-hole" },
	{ "loss behind the tap", loss_behind_the_tap, "loss-go-back-n" },
	{ "loss before the tap", loss_before_the_tap, "loss-go-back-n" },
	{ "loss, no return path", loss_seen_by_rewinds_alone, "loss-go-back-n" },
	{ "reordering", reordering, "reordering-not-loss" },
	{ "reordering and loss", reordering_and_loss,
	  "loss-go-back-n reordering-not-loss" },
	{ "gap, no reaction", gap_unanswered, "gap-unanswered" },
	{ "gap of UC", uc_gap, "loss-unreliable" },
	{ "time-out", time_out, "loss-timeout" },
	{ "RNR", rnr, "rnr" },
	{ "RNR stall", rnr_stall, "rnr-stall" },
	{ "fatal NAK", fatal_nak, "nak-fatal" },
	{ "NAK with a reserved code", reserved_nak, "nak-fatal" },
	{ "NAK for a sequence error", sequence_nak, "" },
	{ "NAKs for a stream not seen", naks_alone, "nak-no-stream" },
	{ "NAKs for a stream that is seen", naks_paired, "" },
	{ "some ICRC wrong", icrc_some, "icrc-some" },
	{ "all ICRC wrong", icrc_all, "icrc-all" },
	{ "not-ECT", not_ect, "ecn-not-ect" },
	{ "not-ECT without payload", not_ect_control, "" },
	{ "CE answered", ce_answered, "" },
	{ "CE unanswered", ce_unanswered, "cnp-missing" },
	{ "CE, ACKs fit several flows", ce_ambiguous, "" },
	{ "CE, one way captured", ce_one_way, "cnp-not-visible" },
	{ "two CE", ce_few, "" },
	{ "all CE", all_ce, "ecn-all-ce" },
	{ "CNP without CE", cnp_no_ce, "cnp-without-mark" },
	{ "CNP without flow", cnp_no_flow, "cnp-without-flow" },
	{ "pauses hidden", pause_hidden, "pfc-not-visible" },
	{ "pauses untimed", pause_untimed, "pause-untimed" },
	{ "pause share", pause_share, "pause-share" },
	{ "pause storm", pause_storm, "pause-storm" },
	{ "pause storm, refreshed", pause_storm_of_refreshes, "pause-storm" },
	{ "pauses without time stamps", pause_without_stamps, "" },
	{ "pause on priority 0", pause_prio_0, "pause-priority" },
	{ "pause on priority 0, tagged", pause_tagged_prio_0, "pause-priority" },
	{ "pause on two priorities", pause_two_prios, "" },
	{ "pause on three priorities", pause_three_prios, "pause-priority" },
	{ "pause on a priority nobody tags", pause_untagged_prio, "pause-priority" },
	{ "802.3x", pause_global, "pause-global" },
	{ "unfair", unfair, "incast-unfair" },
	{ "unequal, of next to nothing", unfair_by_a_few_bytes, "" },
	{ "unequal one after the other", unfair_without_company, "" },
	{ "few ports", few_ports, "ecmp-few-ports" },
	{ "two flows a port", ports_enough, "" },
};

/* The distinct ids, in order of their first finding. */
static void test_rules_fire_when_they_should_and_only_then(void **state)
{
	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(scenes); i++) {
		struct scene *scene = malloc(sizeof(*scene));
		char ids[512];

		set_healthy(scene);
		scenes[i].set(scene, &scene->analysis, &scene->flows[0], scene->port);
		list_ids(&scene->analysis, ids, sizeof(ids));
		print_message("# %s: %s\n", scenes[i].label, ids);
		assert_string_equal(ids, scenes[i].ids);
		free(scene);
	}
}

/*
 * Lumina's check of integrity: of a capture that lost frames no verdict rests on what is
 * not in it.  What is in it stands.
 */
static void test_rules_refuse_where_the_capture_lost_frames(void **state)
{
	static const struct {
		void (*set)(struct scene *scene, struct rt_analysis *analysis,
			    struct rt_analysis_flow *flow,
			    struct rt_analysis_pause *port);
		const char *id;
		bool refused;
	} cases[] = {
		{ reordering, "reordering-not-loss", true },
		{ uc_gap, "loss-unreliable", true },
		{ time_out, "loss-timeout", true },
		{ ce_unanswered, "cnp-missing", true },
		{ cnp_no_ce, "cnp-without-mark", true },
		{ cnp_no_flow, "cnp-without-flow", true },
		{ pause_share, "pause-share", true },
		{ pause_storm, "pause-storm", true },
		{ unfair, "incast-unfair", true },
		{ go_back_n_is_not_twice, "loss-go-back-n", false },
		{ rnr_stall, "rnr-stall", false },
		{ icrc_some, "icrc-some", false },
		{ not_ect, "ecn-not-ect", false },
		{ fatal_nak, "nak-fatal", false },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct scene *scene = malloc(sizeof(*scene));
		struct rt_findings findings = { 0 };
		bool found = false, named = false;

		print_message("# %s\n", cases[i].id);
		set_healthy(scene);
		cases[i].set(scene, &scene->analysis, &scene->flows[0], scene->port);
		dropped(scene, &scene->analysis, &scene->flows[0], scene->port);
		assert_int_equal(rt_diagnose(&scene->analysis, &findings, NULL), 0);
		for (size_t k = 0; k < findings.count; k++) {
			const struct rt_finding *at = &findings.items[k];

			found |= strcmp(at->id, cases[i].id) == 0;
			named |= strcmp(at->id, "capture-not-judged") == 0 &&
				 strstr(at->evidence, cases[i].id);
			/* Nor is it said where: a gap may be the capture's. */
			assert_null(strstr(at->evidence, "this tap;"));
			assert_null(strstr(at->evidence, "gaps are visible"));
			assert_null(strstr(at->evidence, "no gap is visible"));
		}
		assert_int_equal(found, !cases[i].refused);
		assert_int_equal(named, cases[i].refused);
		rt_findings_free(&findings);
		free(scene);
	}
}

/* Tags are blamed only where they are the reason. */
static void test_pause_priority_tells_why(void **state)
{
	static const struct {
		void (*set)(struct scene *scene, struct rt_analysis *analysis,
			    struct rt_analysis_flow *flow,
			    struct rt_analysis_pause *port);
		const char *evidence;
	} cases[] = {
		{ pause_prio_0, "priority 0: 1 XOFF" },
		{ pause_tagged_prio_0, "priority 0: 1 XOFF" },
		{ pause_untagged_prio,
		  "priority 3: 1 XOFF; tagged frames use other priorities or fewer" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct scene *scene = malloc(sizeof(*scene));
		struct rt_findings findings = { 0 };

		set_healthy(scene);
		cases[i].set(scene, &scene->analysis, &scene->flows[0], scene->port);
		assert_int_equal(rt_diagnose(&scene->analysis, &findings, NULL), 0);
		assert_int_equal(findings.count, 1);
		assert_string_equal(findings.items[0].evidence, cases[i].evidence);
		rt_findings_free(&findings);
		free(scene);
	}
}

static void test_every_rule_has_a_scene_and_words(void **state)
{
	(void)state;
	for (size_t r = 0; r < rt_diagnosis_rule_count; r++) {
		const struct rt_rule *rule = &rt_diagnosis_rules[r];
		size_t scenes_of_it = 0;

		for (size_t i = 0; i < RT_ARRAY_SIZE(scenes); i++)
			scenes_of_it += strstr(scenes[i].ids, rule->id) != NULL;
		print_message("# %s: %zu\n", rule->id, scenes_of_it);
		assert_true(scenes_of_it > 0);
		assert_non_null(rule->title);
		assert_non_null(rule->explain);
		assert_non_null(rule->remedy);
		for (size_t other = 0; other < r; other++)
			assert_string_not_equal(rt_diagnosis_rules[other].id, rule->id);
	}
}

/* Many flows with the same trouble: a few findings and a sum. */
static void test_findings_about_flows_are_few(void **state)
{
	struct scene *scene = malloc(sizeof(*scene));
	struct rt_findings findings = { 0 };
	size_t found = 0;

	(void)state;
	set_healthy(scene);
	for (size_t i = 0; i < 16; i++) {
		scene->flows[i] = scene->flows[0];
		scene->flows[i].udp_sport = (uint16_t)i;
		scene->flows[i].icrc_bad = 1;
	}
	scene->analysis.sequence.flow_count = 16;
	assert_int_equal(rt_diagnose(&scene->analysis, &findings, NULL), 0);
	for (size_t i = 0; i < findings.count; i++)
		found += strcmp(findings.items[i].id, "icrc-some") == 0;
	assert_int_equal(found, 4);
	assert_non_null(
		strstr(findings.items[findings.count - 1].evidence, "16 in all"));
	assert_int_equal(findings.items[findings.count - 1].folded, 13);
	assert_int_equal(findings.items[0].folded, 0);
	rt_findings_free(&findings);
	free(scene);
}

static void test_findings_about_flows_are_worst_first(void **state)
{
	static const uint64_t behind[] = { 10, 50, 20, 40, 30 };
	static const char *const wheres[] = { "QP 2", "QP 4", "QP 5", "" };
	struct scene *scene = malloc(sizeof(*scene));
	struct rt_findings findings = { 0 };
	size_t found = 0;

	(void)state;
	set_healthy(scene);
	for (uint32_t i = 0; i < RT_ARRAY_SIZE(behind); i++) {
		scene->flows[i] = scene->flows[0];
		scene->flows[i].dest_qp = i + 1;
		scene->flows[i].udp_sport = (uint16_t)i;
		scene->flows[i].rewinds_nak = scene->flows[i].p_rewinds = 1;
		scene->flows[i].h_behind = behind[i];
	}
	scene->analysis.sequence.flow_count = RT_ARRAY_SIZE(behind);
	assert_int_equal(rt_diagnose(&scene->analysis, &findings, NULL), 0);
	for (size_t i = 0; i < findings.count; i++) {
		if (strcmp(findings.items[i].id, "loss-go-back-n") != 0)
			continue;
		assert_true(found < RT_ARRAY_SIZE(wheres));
		assert_non_null(strstr(findings.items[i].where, wheres[found++]));
	}
	assert_int_equal(found, RT_ARRAY_SIZE(wheres));
	rt_findings_free(&findings);
	free(scene);
}

static void test_frames_that_were_not_compared(void **state)
{
	struct scene *scene = malloc(sizeof(*scene));
	struct rt_findings findings = { 0 };

	(void)state;
	for (unsigned known = 0; known < 2; known++) {
		set_healthy(scene);
		twice(scene, &scene->analysis, scene->flows, scene->port);
		if (known)
			scene->flows[0].lookalikes = RT_KNOWN_U64(500);
		assert_int_equal(rt_diagnose(&scene->analysis, &findings, NULL), 0);
		assert_non_null(strstr(findings.items[0].evidence,
				       known ? "500 of them are the same"
					     : "were not compared"));
		rt_findings_free(&findings);
	}
	free(scene);
}

RT_UNIT_MAIN(cmocka_unit_test(test_frames_that_were_not_compared),
	     cmocka_unit_test(test_rules_fire_when_they_should_and_only_then),
	     cmocka_unit_test(test_rules_refuse_where_the_capture_lost_frames),
	     cmocka_unit_test(test_pause_priority_tells_why),
	     cmocka_unit_test(test_every_rule_has_a_scene_and_words),
	     cmocka_unit_test(test_findings_about_flows_are_few),
	     cmocka_unit_test(test_findings_about_flows_are_worst_first))
