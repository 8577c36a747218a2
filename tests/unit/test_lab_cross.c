/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures of three witnesses side by side: who agrees, and who cannot know. */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "run/lab_run_parts.h"

/*
 * Two senders, h1 and h2, and a receiver, h0, worked out by hand: 1000 data frames of
 * 1024 bytes each, 100 marks, 40 CNPs, 250 ACKs.
 */
struct world {
	struct rt_lab_run run;
	struct rt_lab_host hosts[3];
	struct rt_stress_qp qps[2];
	struct rt_lab_queue queues[4];
	struct rt_analysis_direction directions[3];
	struct rt_analysis_receiver receiver;
};

static void make_world(struct world *world)
{
	*world = (struct world){ 0 };
	for (unsigned i = 0; i < 3; i++) {
		snprintf(world->hosts[i].name, 16, "h%u", i);
		snprintf(world->hosts[i].switch_port, 16, "s0p%u", i);
	}
	for (unsigned i = 0; i < 2; i++)
		world->qps[i] = (struct rt_stress_qp){
			.from = i + 1,
			.to = 0,
			.prio = 3,
			.rx_bytes = RT_KNOWN_U64(512000),
			.data_frames_tx = RT_KNOWN_U64(500),
			.data_frames_rx = RT_KNOWN_U64(500),
			.ecn_ce_rx = RT_KNOWN_U64(50),
			.cnp_tx = RT_KNOWN_U64(20),
			.cnp_rx = RT_KNOWN_U64(20),
			.ack_rx = RT_KNOWN_U64(125),
			.nak_tx = RT_KNOWN_U64(0),
			.nak_rx = RT_KNOWN_U64(0),
		};
	world->queues[0] = (struct rt_lab_queue){
		.port = "s0p0", .prio = 3, .tx_frames = 1000, .tx_ce = 100
	};
	world->queues[1] =
		(struct rt_lab_queue){ .port = "s0p1", .prio = 3, .tx_frames = 125 };
	world->queues[2] =
		(struct rt_lab_queue){ .port = "s0p2", .prio = 3, .tx_frames = 125 };
	world->queues[3] = (struct rt_lab_queue){
		.port = "s0p1", .prio = 6, .tx_frames = 40, .tx_xoff = 7
	};
	world->directions[0].frames = 1000;
	world->directions[1].frames = 145;
	world->directions[2].frames = 145;
	world->receiver.good_bytes = 1024000;
	world->run.lab.state.hosts = world->hosts;
	world->run.lab.state.host_count = 3;
	world->run.lab.queues = world->queues;
	world->run.lab.queue_count = 4;
	world->run.stress.qps = world->qps;
	world->run.stress.qp_count = 2;
	world->run.analysis.roce.directions = world->directions;
	world->run.analysis.roce.direction_count = 3;
	world->run.analysis.throughput.receivers = &world->receiver;
	world->run.analysis.throughput.receiver_count = 1;
	world->run.analysis.marks.data_frames = 1000;
	world->run.analysis.marks.data_ce = 100;
	world->run.analysis.marks.cnps = 40;
	world->run.analysis.pauses.xoff = RT_KNOWN_U64(7);
	snprintf(world->run.ports, sizeof(world->run.ports), "all");
}

static const struct rt_lab_cross *row(const struct world *world, const char *figure)
{
	for (size_t i = 0; i < world->run.cross_count; i++)
		if (strcmp(world->run.cross[i].figure, figure) == 0)
			return &world->run.cross[i];
	fail_msg("no row %s", figure);
	return NULL;
}

static void cross(struct world *world)
{
	free(world->run.cross);
	world->run.cross = NULL;
	world->run.cross_count = 0;
	assert_int_equal(rt_lab_cross_make(&world->run, NULL), 0);
}

static void test_cross_of_a_run_without_fault_agrees(void **state)
{
	static const struct {
		const char *figure;
		uint64_t value;
		bool endpoints, capture, sw;
	} rows[] = {
		{ "frames to hosts", 1290, true, true, true },
		{ "data frames to receivers", 1000, true, true, true },
		{ "payload delivered (bytes)", 1024000, true, true, false },
		{ "CE marks", 100, true, true, true },
		{ "CNPs", 40, true, true, false },
		{ "NAKs", 0, true, true, false },
		{ "XOFF, both ways", 7, false, true, true },
		{ "data frames lost", 0, true, false, true },
	};
	struct world world;

	(void)state;
	make_world(&world);
	cross(&world);
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		const struct rt_lab_cross *at = row(&world, rows[i].figure);

		print_message("# %s\n", rows[i].figure);
		assert_int_equal(at->agrees, RT_LAB_AGREE_YES);
		assert_int_equal(at->endpoints.known, rows[i].endpoints);
		assert_int_equal(at->capture.known, rows[i].capture);
		assert_int_equal(at->sw.known, rows[i].sw);
		if (rows[i].endpoints)
			assert_int_equal(at->endpoints.value, rows[i].value);
		if (rows[i].capture)
			assert_int_equal(at->capture.value, rows[i].value);
		if (rows[i].sw)
			assert_int_equal(at->sw.value, rows[i].value);
	}
	free(world.run.cross);
}

static void test_cross_tells_more_than_a_percent(void **state)
{
	struct world world;

	(void)state;
	make_world(&world);
	world.run.analysis.marks.data_frames = 990; /* 1 % of 1000 */
	cross(&world);
	assert_int_equal(row(&world, "data frames to receivers")->agrees,
			 RT_LAB_AGREE_YES);
	world.run.analysis.marks.data_frames = 989;
	cross(&world);
	assert_int_equal(row(&world, "data frames to receivers")->agrees,
			 RT_LAB_AGREE_NO);
	/* Of few, three are no disagreement, four are one. */
	world.run.analysis.marks.cnps = 37;
	cross(&world);
	assert_int_equal(row(&world, "CNPs")->agrees, RT_LAB_AGREE_YES);
	world.run.analysis.marks.cnps = 36;
	cross(&world);
	assert_int_equal(row(&world, "CNPs")->agrees, RT_LAB_AGREE_NO);
	free(world.run.cross);
}

/* What hosts' kernels lost they do not have, and nobody counts wrong. */
static void test_cross_knows_what_hosts_lost(void **state)
{
	struct world world;

	(void)state;
	make_world(&world);
	world.qps[0].data_frames_rx = RT_KNOWN_U64(480);
	cross(&world);
	assert_int_equal(row(&world, "data frames to receivers")->agrees,
			 RT_LAB_AGREE_NO);
	world.run.endpoint_drops = 20;
	cross(&world);
	assert_int_equal(row(&world, "data frames to receivers")->agrees,
			 RT_LAB_AGREE_YES);
	assert_string_equal(row(&world, "data frames to receivers")->why,
			    "lost at hosts");
	assert_int_equal(row(&world, "frames to hosts")->agrees, RT_LAB_AGREE_YES);
	/* What was lost is sent again, and the capture has it twice. */
	assert_false(row(&world, "payload delivered (bytes)")->capture.known);
	world.run.endpoint_drops = 19;
	cross(&world);
	assert_int_equal(row(&world, "data frames to receivers")->agrees,
			 RT_LAB_AGREE_NO);
	free(world.run.cross);
}

static void test_cross_leaves_unknown_what_a_witness_cannot_know(void **state)
{
	struct world world;

	(void)state;
	make_world(&world);
	/* A verbs engine tells no frames: one end of one flow is enough. */
	world.qps[1].data_frames_rx.known = false;
	snprintf(world.run.ports, sizeof(world.run.ports), "s0p0");
	cross(&world);
	assert_false(row(&world, "data frames to receivers")->endpoints.known);
	assert_int_equal(row(&world, "data frames to receivers")->agrees,
			 RT_LAB_AGREE_YES);
	assert_int_equal(row(&world, "data frames lost")->agrees, RT_LAB_AGREE_ONE);
	assert_int_equal(row(&world, "payload delivered (bytes)")->agrees,
			 RT_LAB_AGREE_YES);
	/* Not every port was captured. */
	assert_false(row(&world, "XOFF, both ways")->capture.known);
	assert_false(row(&world, "XOFF, both ways")->differ_pct.known);
	assert_false(row(&world, "frames to hosts")->capture.known);
	assert_int_equal(row(&world, "XOFF, both ways")->agrees, RT_LAB_AGREE_ONE);
	/* Hosts that send and receive: the switch cannot tell data from ACKs. */
	world.qps[1].to = 1;
	cross(&world);
	assert_false(row(&world, "data frames to receivers")->sw.known);
	free(world.run.cross);
}

/* A sender's port shows its own frames: no word about what receivers got. */
static void test_cross_of_a_senders_port_contradicts_nobody(void **state)
{
	struct world world;

	(void)state;
	make_world(&world);
	snprintf(world.run.ports, sizeof(world.run.ports), "s0p1");
	world.run.analysis.marks.data_frames = 500;
	world.run.analysis.marks.data_ce = 0;
	world.run.analysis.marks.cnps = 20;
	world.run.analysis.pauses.xoff = (struct rt_opt_u64){ 0 };
	cross(&world);
	for (size_t i = 0; i < world.run.cross_count; i++) {
		assert_false(world.run.cross[i].capture.known);
		assert_int_not_equal(world.run.cross[i].agrees, RT_LAB_AGREE_NO);
	}
	assert_int_equal(row(&world, "CNPs")->agrees, RT_LAB_AGREE_ONE);
	/* "s0p1" is not "s0p10", and the receiver's counts wherever it is named. */
	snprintf(world.run.ports, sizeof(world.run.ports), "s0p01,s0p0");
	cross(&world);
	assert_true(row(&world, "CE marks")->capture.known);
	assert_int_equal(row(&world, "CE marks")->agrees, RT_LAB_AGREE_NO);
	free(world.run.cross);
}

/* Pauses between switches are in no capture, and excuse nothing at hosts. */
static void test_cross_excuses_nothing_by_what_is_elsewhere(void **state)
{
	struct world world;

	(void)state;
	make_world(&world);
	world.queues[3].tx_paused_ns = 1000000;
	world.queues[3].tx_xon = 1;
	world.run.analysis.pauses.paused_ns = RT_KNOWN_U64(975000);
	world.run.late_mean_ns = 20000;
	cross(&world);
	assert_int_equal(row(&world, "pauses, both ways (ns)")->agrees,
			 RT_LAB_AGREE_YES);
	assert_string_equal(row(&world, "pauses, both ways (ns)")->why, "told late");
	/* Two of 20 us and 3 % are too little for these; s0p9 is not a host's port. */
	world.run.analysis.pauses.paused_ns = RT_KNOWN_U64(900000);
	world.queues[2] = (struct rt_lab_queue){
		.port = "s0p9", .prio = 3, .tx_paused_ns = 1000000000, .tx_xon = 1000
	};
	cross(&world);
	assert_int_equal(row(&world, "pauses, both ways (ns)")->agrees,
			 RT_LAB_AGREE_NO);
	free(world.run.cross);
}

/* What the capture lost is missing in it alone, and nobody counts wrong. */
static void test_cross_of_a_capture_that_lost_frames_blames_nobody(void **state)
{
	struct world world;

	(void)state;
	make_world(&world);
	world.run.analysis.marks.data_frames = 600;
	world.run.analysis.marks.data_ce = 60;
	world.run.analysis.marks.cnps = 30;
	world.directions[0].frames = 600;
	world.receiver.good_bytes = 614400;
	world.run.analysis.pauses.xoff = RT_KNOWN_U64(3);
	cross(&world);
	assert_int_equal(row(&world, "data frames to receivers")->agrees,
			 RT_LAB_AGREE_NO);
	world.run.capture_drops = 400;
	cross(&world);
	for (size_t i = 0; i < world.run.cross_count; i++) {
		assert_false(world.run.cross[i].capture.known);
		assert_int_not_equal(world.run.cross[i].agrees, RT_LAB_AGREE_NO);
	}
	/* The others are still held against each other. */
	world.qps[0].data_frames_rx = RT_KNOWN_U64(400);
	cross(&world);
	assert_int_equal(row(&world, "data frames to receivers")->agrees,
			 RT_LAB_AGREE_NO);
	free(world.run.cross);
}

/* The endpoints say it of themselves: the capture's frames are not theirs. */
static void test_cross_counts_loss_at_the_endpoints(void **state)
{
	struct world world;

	(void)state;
	make_world(&world);
	world.qps[0].data_frames_rx = RT_KNOWN_U64(400);
	cross(&world);
	assert_int_equal(row(&world, "data frames lost")->endpoints.value, 100);
	/* The switch let them all out: they came too late to be counted. */
	assert_int_equal(row(&world, "data frames lost")->agrees, RT_LAB_AGREE_YES);
	assert_string_equal(row(&world, "data frames lost")->why, "under way");
	/* It did not, and says nothing of them. */
	world.queues[0].tx_frames = 900;
	cross(&world);
	assert_int_equal(row(&world, "data frames lost")->agrees, RT_LAB_AGREE_NO);
	world.queues[0].drops = 100;
	cross(&world);
	assert_int_equal(row(&world, "data frames lost")->agrees, RT_LAB_AGREE_YES);
	assert_string_equal(row(&world, "data frames lost")->why, "");
	free(world.run.cross);
}

/* Who stops whom: XOFF of the switch and of a slow host are two things. */
static void test_sums_tell_which_way_pauses_went(void **state)
{
	const struct rt_lab_plan plan = { 0 };
	struct world world;

	(void)state;
	make_world(&world);
	world.run.stress.ran_ns = 1000;
	world.queues[0].rx_xoff = 147;
	world.queues[0].rx_paused_ns = 780;
	world.queues[1].rx_paused_ns = 10;
	cross(&world);
	rt_lab_run_sum_up(&world.run, &plan);
	assert_int_equal(world.run.xoff_by_hosts.value, 147);
	assert_float_equal(world.run.paused_by_host_pct.value, 78, 1e-9);
	assert_string_equal(world.run.pausing_host, "h0");
	/* Seven went to a sender, and took no time that was counted. */
	assert_int_equal(world.run.xoff.value, 7);
	assert_float_equal(world.run.paused_pct.value, 0, 1e-9);
	assert_string_equal(world.run.paused_host, "");
	/* Between two switches: no host's. */
	snprintf(world.queues[2].port, sizeof(world.queues[2].port), "leaf0p4");
	world.queues[2].tx_xoff = 5;
	world.queues[2].tx_paused_ns = 900;
	world.queues[3].tx_paused_ns = 2000;
	rt_lab_run_sum_up(&world.run, &plan);
	assert_int_equal(world.run.xoff.value, 7);
	assert_float_equal(world.run.paused_pct.value, 100, 1e-9);
	assert_string_equal(world.run.paused_host, "h1");
	free(world.run.cross);
}

static unsigned excused_to(const struct rt_lab_run *run, const char *id,
			   const char *where)
{
	struct rt_finding finding = { .id = id, .severity = RT_SEVERITY_ERROR };
	struct rt_findings findings = { .items = &finding, .count = 1 };

	snprintf(finding.where, sizeof(finding.where), "%s", where);
	snprintf(finding.evidence, sizeof(finding.evidence), "7 times");
	rt_lab_run_excuse(run, &findings);
	assert_non_null(strstr(finding.evidence, "7 times"));
	return finding.severity;
}

/* "38 flows more" are excused with all that are told, and not with some of them. */
static void assert_sums_follow(const struct rt_lab_run *run, const char *excused,
			       const char *other)
{
	struct rt_finding items[3] = { { .id = "loss-timeout" },
				       { .id = "loss-timeout" },
				       { .id = "loss-timeout", .folded = 38 } };
	const struct rt_findings none = { .items = items, .count = 3 };

	for (unsigned all = 0; all < 2; all++) {
		struct rt_findings findings = none;

		for (unsigned i = 0; i < 3; i++)
			items[i].severity = RT_SEVERITY_ERROR;
		snprintf(items[0].where, sizeof(items[0].where), "%s", excused);
		snprintf(items[1].where, sizeof(items[1].where), "%s",
			 all ? excused : other);
		rt_lab_run_excuse(run, &findings);
		assert_int_equal(items[2].severity,
				 all ? RT_SEVERITY_UNKNOWN : RT_SEVERITY_ERROR);
	}
}

/* What a dead host or a lab that stood still explains is not judged, the rest is. */
static void test_excuses_are_for_what_they_explain(void **state)
{
	static const char to_lost[] = "10.0.0.2 > 10.0.0.1 QP 7";
	static const char to_other[] = "10.0.0.1 > 10.0.0.12 QP 7";
	struct rt_stress_host hosts[3] = { 0 };
	struct world world;

	(void)state;
	make_world(&world);
	for (unsigned i = 0; i < 3; i++) {
		const uint8_t ip[4] = { 10, 0, 0, (uint8_t)(i + 1) };

		world.hosts[i].ip.version = 4;
		memcpy(world.hosts[i].ip.bytes, ip, sizeof(ip));
	}
	world.run.stress.hosts = hosts;
	world.run.stress.host_count = 3;
	assert_int_equal(excused_to(&world.run, "loss-timeout", to_lost),
			 RT_SEVERITY_ERROR);
	hosts[1].lost = true;
	assert_int_equal(excused_to(&world.run, "loss-timeout", to_lost),
			 RT_SEVERITY_UNKNOWN);
	assert_int_equal(excused_to(&world.run, "loss-timeout", to_other),
			 RT_SEVERITY_ERROR);
	assert_int_equal(excused_to(&world.run, "icrc-some", to_lost),
			 RT_SEVERITY_ERROR);
	hosts[1].lost = false;
	/* A time-out is 100 ms at least in a lab. */
	hosts[1].engine_late_ns = RT_KNOWN_U64(100000000);
	assert_int_equal(excused_to(&world.run, "loss-timeout", to_lost),
			 RT_SEVERITY_ERROR);
	hosts[1].engine_late_ns = RT_KNOWN_U64(100000001);
	assert_int_equal(excused_to(&world.run, "loss-timeout", to_lost),
			 RT_SEVERITY_UNKNOWN);
	assert_int_equal(excused_to(&world.run, "lab-lossless-drop", "s0p1"),
			 RT_SEVERITY_ERROR);
	assert_sums_follow(&world.run, to_lost, to_other);
	hosts[1].engine_late_ns = RT_KNOWN_U64(0);
	/* As long as a lab's headroom holds, and longer. */
	world.run.late_max_ns = 100000000;
	assert_int_equal(excused_to(&world.run, "lab-lossless-drop", "s0p1"),
			 RT_SEVERITY_ERROR);
	world.run.late_max_ns = 100000001;
	assert_int_equal(excused_to(&world.run, "lab-lossless-drop", "s0p1"),
			 RT_SEVERITY_UNKNOWN);
	assert_int_equal(excused_to(&world.run, "stress-rank-lost", "h1"),
			 RT_SEVERITY_ERROR);
}

/* Seven XOFFs, of two pauses: the rest are repeats, which nobody tells late. */
static void test_cross_of_pauses_can_fail(void **state)
{
	static const struct {
		uint64_t capture_ns, late_mean_ns;
		unsigned agrees;
	} rows[] = {
		{ 99000000, 0, RT_LAB_AGREE_YES },
		{ 98000000, 0, RT_LAB_AGREE_NO },
		{ 98000000, 500000, RT_LAB_AGREE_YES },
		{ 97900000, 500000, RT_LAB_AGREE_NO },
		{ 96000000, 1000000, RT_LAB_AGREE_UNSURE },
		{ 50000000, 1000000, RT_LAB_AGREE_NO },
	};
	struct world world;

	(void)state;
	make_world(&world);
	world.queues[3].tx_xon = 2;
	world.queues[3].tx_paused_ns = 100000000;
	world.run.late_max_ns = 1000000000;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		print_message("# row %zu\n", i);
		world.run.analysis.pauses.paused_ns = RT_KNOWN_U64(rows[i].capture_ns);
		world.run.late_mean_ns = rows[i].late_mean_ns;
		cross(&world);
		assert_int_equal(row(&world, "pauses, both ways (ns)")->agrees,
				 rows[i].agrees);
	}
	free(world.run.cross);
}

RT_UNIT_MAIN(cmocka_unit_test(test_excuses_are_for_what_they_explain),
	     cmocka_unit_test(test_sums_tell_which_way_pauses_went),
	     cmocka_unit_test(test_cross_excuses_nothing_by_what_is_elsewhere),
	     cmocka_unit_test(test_cross_of_a_capture_that_lost_frames_blames_nobody),
	     cmocka_unit_test(test_cross_of_a_senders_port_contradicts_nobody),
	     cmocka_unit_test(test_cross_counts_loss_at_the_endpoints),
	     cmocka_unit_test(test_cross_of_pauses_can_fail),
	     cmocka_unit_test(test_cross_of_a_run_without_fault_agrees),
	     cmocka_unit_test(test_cross_tells_more_than_a_percent),
	     cmocka_unit_test(test_cross_knows_what_hosts_lost),
	     cmocka_unit_test(test_cross_leaves_unknown_what_a_witness_cannot_know))
