/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said of a stress run: each rule where it must speak and where it must not. */
#include "stress_case.h"

#include "model/counters.h"

#define WISH                                                                \
	{                                                                   \
		.pattern = RT_WORKLOAD_INCAST, .lossless = RT_KNOWN_U64(8), \
		.ramp_ns = RT_KNOWN_U64(0)                                  \
	}

/* Every second of its intervals gets a twentieth, the next one what it lost. */
static void swing(struct stress_case *made, uint32_t rank)
{
	struct rt_stress_end *end = stress_end(made, rank, rank - 1);

	for (size_t i = 0; i < end->series_count; i++)
		end->series[i] = i % 4 == 0 ? SOUND_BYTES / 20 : SOUND_BYTES;
}

static void once(struct stress_case *made, uint32_t rank)
{
	stress_end(made, rank, rank - 1)->series[7] = SOUND_BYTES / 20;
}

static void scale(struct stress_case *made, uint32_t rank, unsigned pct)
{
	struct rt_stress_end *end = stress_end(made, rank, rank - 1);

	for (size_t i = 0; i < end->series_count; i++)
		end->series[i] = SOUND_BYTES / 100 * pct;
}

static void as_it_is(struct stress_case *made)
{
	(void)made;
}

static void two_swing(struct stress_case *made)
{
	swing(made, 1);
	swing(made, 2);
}

static void one_dips_once(struct stress_case *made)
{
	once(made, 1);
}

/* Its agent was not there for ns of every interval in which it swings. */
static void be_away(struct stress_case *made, uint32_t rank, uint64_t ns)
{
	struct rt_stress_report *report = &made->ranks[rank].report;

	report->away_count = made->plan.total_ns / made->plan.interval_ns;
	report->away = calloc(report->away_count, sizeof(*report->away));
	assert_non_null(report->away);
	for (size_t i = 0; i < report->away_count; i += 4)
		report->away[i] = ns;
}

static void swing_on_a_busy_host(struct stress_case *made)
{
	two_swing(made);
	made->ranks[1].report.late_most_ns = 80000000;
	be_away(made, 1, 80000000);
	be_away(made, 2, 80000000);
}

static void one_host_starves(struct stress_case *made)
{
	swing(made, 1);
	be_away(made, 1, 60000000);
}

/* The receiver gives no ACKs, so that all of them stand still. */
static void the_receiver_starves(struct stress_case *made)
{
	for (uint32_t rank = 1; rank < 5; rank++)
		swing(made, rank);
	be_away(made, 0, 60000000);
}

/* Too little to explain a dip. */
static void two_swing_a_little_late(struct stress_case *made)
{
	two_swing(made);
	be_away(made, 1, 15000000);
	be_away(made, 2, 15000000);
}

/* Nobody is left to judge when they were hardly ever there. */
static void hardly_there(struct stress_case *made)
{
	two_swing(made);
	for (uint32_t rank = 1; rank < 3; rank++) {
		struct rt_stress_report *report = &made->ranks[rank].report;

		be_away(made, rank, 60000000);
		for (size_t i = 0; i < report->away_count; i++)
			report->away[i] = i % 2 ? 0 : 60000000;
	}
}

/* In every interval in which rank swings, or in each of times. */
static void cause(struct stress_case *made, uint32_t rank, size_t step,
		  struct rt_stress_cause what)
{
	struct rt_stress_end *end = stress_end(made, rank, rank - 1);

	end->causes = calloc(end->series_count, sizeof(*end->causes));
	assert_non_null(end->causes);
	for (size_t i = 0; i < end->series_count; i += step) {
		what.interval = (uint32_t)i;
		end->causes[end->cause_count++] = what;
	}
}

static void one_swings_unexplained(struct stress_case *made)
{
	swing(made, 1);
}

static void one_swings_with_loss(struct stress_case *made)
{
	swing(made, 1);
	cause(made, 1, 4, (struct rt_stress_cause){ .losses = 90 });
}

static void one_swings_with_pauses(struct stress_case *made)
{
	swing(made, 1);
	cause(made, 1, 4, (struct rt_stress_cause){ .paused_ns = 80000000 });
}

/* For a third of the run, once: no dip of a moment. */
static void one_stands(struct stress_case *made, size_t from, size_t to)
{
	memset(stress_end(made, 1, 0)->series + from, 0, (to - from) * 8);
}

static void one_stands_for_a_third(struct stress_case *made)
{
	one_stands(made, 10, 20);
}

static void one_stands_for_most(struct stress_case *made)
{
	one_stands(made, 5, 25);
}

static void one_stands_for_a_moment(struct stress_case *made)
{
	one_stands(made, 10, 13);
}

static void one_loses_for_a_while(struct stress_case *made)
{
	one_stands(made, 10, 13);
	cause(made, 1, 10, (struct rt_stress_cause){ .losses = 9 });
}

static void one_swings_with_cuts(struct stress_case *made)
{
	swing(made, 1);
	cause(made, 1, 4, (struct rt_stress_cause){ .cuts = 6 });
}

/* DCQCN cuts all the time: that is no cause of what the host does. */
static void one_swings_beside_cuts(struct stress_case *made)
{
	swing(made, 1);
	cause(made, 1, 1, (struct rt_stress_cause){ .cuts = 6 });
}

/* Loss, but that the host was not there explains it. */
static void one_host_starves_and_loses(struct stress_case *made)
{
	one_host_starves(made);
	cause(made, 1, 4, (struct rt_stress_cause){ .losses = 90 });
}

/* perftest issue 130: in turns nearly nothing, and each loss costs a window. */
static void two_collapse(struct stress_case *made)
{
	for (uint32_t rank = 1; rank < 3; rank++) {
		struct rt_stress_end *end = stress_end(made, rank, rank - 1);

		for (size_t i = 0; i < end->series_count; i++)
			end->series[i] = i % 3 == rank ? SOUND_BYTES * 2
						       : SOUND_BYTES / 50;
		cause(made, rank, 2, (struct rt_stress_cause){ .losses = 40 });
	}
}

/* All alike, and nothing at all for the first fifth of a second. */
static void all_start_late(struct stress_case *made)
{
	for (uint32_t rank = 1; rank < 5; rank++) {
		struct rt_stress_end *end = stress_end(made, rank, rank - 1);

		end->series[0] = end->series[1] = 0;
		cause(made, rank, 100, (struct rt_stress_cause){ .cuts = 9 });
	}
}

/* The sawtooth of a reaction point that works: a fifth down, and up again. */
static void sawtooth(struct stress_case *made)
{
	for (uint32_t rank = 1; rank < 5; rank++) {
		struct rt_stress_end *end = stress_end(made, rank, rank - 1);

		for (size_t i = 0; i < end->series_count; i++)
			end->series[i] = SOUND_BYTES / 100 * (80 + 4 * (i % 6));
		cause(made, rank, 6, (struct rt_stress_cause){ .cuts = 3 });
	}
}

/* What a host's kernel lost is not the network's. */
static void gaps_by_host(struct stress_case *made, uint64_t drops)
{
	stress_end(made, 0, 2)->totals.frame_sequence_error = RT_KNOWN_U64(7);
	stress_end(made, 3, 2)->totals.data_frames_retransmitted = RT_KNOWN_U64(90);
	made->ranks[0].report.ring_drops = RT_KNOWN_U64(drops);
	made->ranks[0].report.engine_late_ns = RT_KNOWN_U64(61000000);
}

static void all_gaps_by_host(struct stress_case *made)
{
	gaps_by_host(made, 7);
}

static void not_all_gaps_by_host(struct stress_case *made)
{
	gaps_by_host(made, 6);
}

static void swings_by_lost_frames(struct stress_case *made)
{
	one_swings_with_loss(made);
	made->ranks[0].report.ring_drops = RT_KNOWN_U64(500);
}

static void starves_by_lost_frames(struct stress_case *made)
{
	scale(made, 1, 5);
	made->ranks[1].report.ring_drops = RT_KNOWN_U64(500);
}

static void late_acks_by_lost_frames(struct stress_case *made)
{
	stress_end(made, 3, 2)->totals.timeouts = RT_KNOWN_U64(2);
	made->ranks[3].report.ring_drops = RT_KNOWN_U64(2);
}

/* One of four has next to nothing: Jain (3 + 0.05)^2 / (4 * (3 + 0.0025)) = 0.77. */
static void one_starves(struct stress_case *made)
{
	scale(made, 1, 5);
}

/* (3 + 0.4)^2 / (4 * (3 + 0.16)) = 0.915. */
static void one_is_slower(struct stress_case *made)
{
	scale(made, 1, 40);
}

static void one_stops(struct stress_case *made)
{
	struct rt_stress_end *end = stress_end(made, 2, 1);

	end->totals.state = RT_QP_STOPPED;
	strcpy(end->totals.error, "IBV_WC_RETRY_EXC_ERR");
	end->totals.error_ns = RT_KNOWN_U64(1320000000);
	for (size_t i = 13; i < end->series_count; i++)
		end->series[i] = 0;
}

static void one_is_lost(struct stress_case *made)
{
	made->ranks[3].reported = false;
	strcpy(made->ranks[3].lost, "it was lost during the run");
}

static void gaps(struct stress_case *made)
{
	stress_end(made, 0, 2)->totals.frame_sequence_error = RT_KNOWN_U64(7);
	stress_end(made, 3, 2)->totals.data_frames_retransmitted = RT_KNOWN_U64(90);
}

/* What a port counted during the run. */
static void port_counts(struct stress_case *made, uint32_t rank, unsigned counter,
			unsigned prio, uint64_t added)
{
	struct rt_counter_set *sets[] = { &made->ranks[rank].report.before,
					  &made->ranks[rank].report.after };

	for (size_t k = 0; k < 2; k++) {
		struct rt_counter_reading reading = {
			.counter = counter,
			.prio = (uint8_t)prio,
			.bits = 64,
			.source = RT_SOURCE_RDMA,
			.value = 1000 + k * added,
			.scale = 1,
			.name = "as_the_driver_has_it",
		};

		strcpy(sets[k]->device, "mlx5_0/1");
		sets[k]->time_ns = (int64_t)k * 3000000000;
		assert_int_equal(rt_counter_set_add(sets[k], &reading), 0);
	}
}

/* As verbs: no queue pair tells what it missed. */
static void verbs_tell_nothing(struct stress_case *made)
{
	for (uint32_t i = 0; i < made->plan.ranks; i++)
		for (size_t k = 0; k < made->ranks[i].report.end_count; k++) {
			struct rt_qp_totals *totals =
				&made->ranks[i].report.ends[k].totals;

			totals->frame_sequence_error = (struct rt_opt_u64){ 0 };
			totals->nak_rx = totals->nak_tx = (struct rt_opt_u64){ 0 };
			totals->timeouts = (struct rt_opt_u64){ 0 };
			totals->rate_cuts = totals->cnp_rx = (struct rt_opt_u64){ 0 };
			totals->paused_ns = (struct rt_opt_u64){ 0 };
		}
}

static void verbs_port_gaps(struct stress_case *made, uint64_t gaps, uint64_t naks,
			    uint64_t timeouts)
{
	verbs_tell_nothing(made);
	port_counts(made, 0, RT_COUNTER_OUT_OF_SEQUENCE, RT_COUNTER_NO_PRIO, gaps);
	port_counts(made, 1, RT_COUNTER_SEQ_NAKS_RX, RT_COUNTER_NO_PRIO, naks);
	port_counts(made, 1, RT_COUNTER_ACK_TIMEOUTS, RT_COUNTER_NO_PRIO, timeouts);
}

static void gaps_by_port(struct stress_case *made)
{
	verbs_port_gaps(made, 7, 0, 0);
}

static void gaps_by_port_may_be(struct stress_case *made)
{
	verbs_port_gaps(made, 7, 0, 0);
	made->plan.lossless = RT_KNOWN_U64(0);
}

static void naks_by_port(struct stress_case *made)
{
	verbs_port_gaps(made, 0, 3, 3);
}

static void timeouts_by_port(struct stress_case *made)
{
	verbs_port_gaps(made, 0, 0, 2);
}

static void no_gaps_by_port(struct stress_case *made)
{
	verbs_port_gaps(made, 0, 0, 0);
}

static void receiver_stands(struct stress_case *made)
{
	port_counts(made, 0, RT_COUNTER_PFC_RX_NS, 3, 1500000000);
	stress_end(made, 0, 0)->totals.paused_ns = (struct rt_opt_u64){ 0 };
	for (uint32_t flow = 1; flow < 4; flow++)
		stress_end(made, 0, flow)->totals.paused_ns = (struct rt_opt_u64){ 0 };
}

/* Pausing its peer for a fifth, at so much of 10 Gb/s; 92.9 % of 1 KiB is payload. */
static void receiver_pauses(struct stress_case *made, uint64_t each_bps)
{
	port_counts(made, 0, RT_COUNTER_PFC_TX_NS, 3, 600000000);
	for (uint32_t rank = 1; rank < 5; rank++) {
		struct rt_stress_end *end = stress_end(made, rank, rank - 1);

		for (size_t i = 0; i < end->series_count; i++)
			end->series[i] = each_bps / 80;
		stress_end(made, 0, rank - 1)->totals.bytes = RT_KNOWN_U64(
			end->series_count * (each_bps / 80));
	}
	made->ranks[0].ready.about.mtu_bytes = 1024;
}

static void receiver_is_full(struct stress_case *made)
{
	receiver_pauses(made, 2200000000); /* 88 % of raw, 94.7 % of what it can */
}

static void receiver_is_not_full(struct stress_case *made)
{
	receiver_pauses(made, 2000000000); /* 80 %, 86 % */
}

/* Nor is it told of one whose link nobody knows. */
static void receiver_has_no_speed(struct stress_case *made)
{
	receiver_is_not_full(made);
	made->ranks[0].ready.about.speed_bps = (struct rt_opt_u64){ 0 };
}

static void cnps_by_port(struct stress_case *made, uint64_t handled, uint64_t ignored)
{
	for (uint32_t rank = 1; rank < 5; rank++) {
		struct rt_qp_totals *totals = &stress_end(made, rank, rank - 1)->totals;

		totals->cnp_rx = totals->rate_cuts = (struct rt_opt_u64){ 0 };
		port_counts(made, rank, RT_COUNTER_CNP_HANDLED, RT_COUNTER_NO_PRIO,
			    handled);
		port_counts(made, rank, RT_COUNTER_CNP_IGNORED, RT_COUNTER_NO_PRIO,
			    ignored);
	}
}

/* 50 came to each: none is lost, and of cuts nobody knows. */
static void cnps_in_two_counters(struct stress_case *made)
{
	cnps_by_port(made, 15, 35);
}

static void cnps_in_two_counters_lost(struct stress_case *made)
{
	cnps_by_port(made, 0, 20);
}

/* A refusal is a NAK, and no gap; one more is one. */
static void refused(struct stress_case *made, uint64_t naks)
{
	struct rt_qp_totals *totals = &stress_end(made, 3, 2)->totals;

	totals->state = RT_QP_STOPPED;
	strcpy(totals->error, "IBV_WC_REM_ACCESS_ERR");
	totals->nak_rx = RT_KNOWN_U64(naks);
}

static void a_refusal(struct stress_case *made)
{
	refused(made, 1);
}

static void a_gap_and_a_refusal(struct stress_case *made)
{
	refused(made, 2);
}

/* An ACK that came too late is no loss. */
static void only_late(struct stress_case *made)
{
	stress_end(made, 3, 2)->totals.timeouts = RT_KNOWN_U64(2);
	stress_end(made, 3, 2)->totals.data_frames_retransmitted = RT_KNOWN_U64(9);
}

static void cut_by_one(struct stress_case *made)
{
	for (uint32_t i = 0; i < 5; i++) {
		made->ranks[i].report.ran_ns = 1250000000;
		strcpy(made->ranks[i].report.why, "loss on lossless priority 3");
		made->ranks[i].report.asked = i == 2;
	}
}

static void stand_still(struct stress_case *made, uint64_t ns, uint64_t marks)
{
	for (uint32_t rank = 1; rank < 5; rank++) {
		stress_end(made, rank, rank - 1)->totals.paused_ns = RT_KNOWN_U64(ns);
		cause(made, rank, 1, (struct rt_stress_cause){ .paused_ns = ns / 30 });
		stress_end(made, 0, rank - 1)->totals.ecn_ce_rx = RT_KNOWN_U64(marks);
	}
}

static void paused_unmarked(struct stress_case *made)
{
	stand_still(made, 100000000, 0);
}

static void paused_marked(struct stress_case *made)
{
	stand_still(made, 100000000, 300);
}

static void paused_a_little(struct stress_case *made)
{
	stand_still(made, 5000000, 300);
}

/* What a NIC does not count is not zero. */
static void paused_marks_unknown(struct stress_case *made)
{
	stand_still(made, 100000000, 0);
	for (uint32_t flow = 0; flow < 4; flow++)
		stress_end(made, 0, flow)->totals.ecn_ce_rx = (struct rt_opt_u64){ 0 };
}

static void no_cnps(struct stress_case *made)
{
	for (uint32_t flow = 0; flow < 4; flow++)
		stress_end(made, 0, flow)->totals.cnp_tx = RT_KNOWN_U64(0);
}

static void cnps_unknown(struct stress_case *made)
{
	for (uint32_t flow = 0; flow < 4; flow++)
		stress_end(made, 0, flow)->totals.cnp_tx = (struct rt_opt_u64){ 0 };
}

static void cnps_on_the_way(struct stress_case *made, uint64_t arrive, uint64_t cuts)
{
	for (uint32_t rank = 1; rank < 5; rank++) {
		struct rt_stress_end *end = stress_end(made, rank, rank - 1);

		end->totals.cnp_rx = RT_KNOWN_U64(arrive);
		end->totals.rate_cuts = RT_KNOWN_U64(cuts);
	}
}

static void cnps_get_lost(struct stress_case *made)
{
	cnps_on_the_way(made, 10, 5);
}

static void cnps_are_paced(struct stress_case *made)
{
	cnps_on_the_way(made, 45, 5);
}

static void cnps_are_ignored(struct stress_case *made)
{
	cnps_on_the_way(made, 50, 0);
}

/* Its CNPs are not known, so nobody can say that they are missing. */
static void three_are_lost(struct stress_case *made)
{
	made->ranks[1].reported = made->ranks[2].reported = false;
	made->ranks[3].reported = false;
}

static void late_start(struct stress_case *made)
{
	stress_end(made, 4, 3)->totals.first_ns = RT_KNOWN_U64(200000000);
}

static void late_start_by_bad_clock(struct stress_case *made)
{
	late_start(made);
	made->ranks[4].report.clock_error_ns = RT_KNOWN_U64(250000000);
}

static void nothing_moves(struct stress_case *made)
{
	for (uint32_t rank = 1; rank < 5; rank++)
		scale(made, rank, 0);
}

/* Of a lost sender nothing is known, and what arrived of it did move. */
static void all_senders_are_lost(struct stress_case *made)
{
	for (uint32_t rank = 1; rank < 5; rank++)
		made->ranks[rank].reported = false;
}

static const struct {
	const char *label;
	void (*change)(struct stress_case *made);
	const char *fires, *silent;
} cases[] = {
	{ "sound", as_it_is, NULL, "stress-" },
	{ "two senders swing", two_swing, "stress-oscillating", "stress-unfair" },
	{ "one interval of one", one_dips_once, NULL, "stress-" },
	{ "busy hosts", swing_on_a_busy_host, "stress-host-busy",
	  "stress-oscillating" },
	{ "one host starves", one_host_starves, NULL, "stress-oscillating" },
	{ "the receiver starves", the_receiver_starves, NULL, "stress-oscillating" },
	{ "two swing, a little late", two_swing_a_little_late, "stress-oscillating",
	  "stress-host-busy" },
	{ "two swing, hardly there", hardly_there, "stress-host-busy",
	  "stress-oscillating" },
	{ "one swings, nobody knows why", one_swings_unexplained, NULL, "stress-" },
	{ "one swings, with loss", one_swings_with_loss, "stress-oscillating", NULL },
	{ "one swings, with pauses", one_swings_with_pauses, "stress-oscillating",
	  NULL },
	{ "one stands still for a third", one_stands_for_a_third, "stress-oscillating",
	  NULL },
	{ "one stands still for most", one_stands_for_most, "stress-oscillating",
	  NULL },
	{ "one stands still for a moment", one_stands_for_a_moment, NULL, "stress-" },
	{ "one loses for three intervals", one_loses_for_a_while, "stress-oscillating",
	  NULL },
	{ "one swings, with cuts", one_swings_with_cuts, "stress-oscillating", NULL },
	{ "one swings, cuts all the time", one_swings_beside_cuts, NULL, "stress-" },
	{ "one host starves and loses", one_host_starves_and_loses, NULL,
	  "stress-oscillating" },
	{ "two collapse", two_collapse, "stress-oscillating", NULL },
	{ "all start late", all_start_late, NULL, "stress-" },
	{ "a sawtooth of a fifth", sawtooth, NULL, "stress-" },
	{ "one starves", one_starves, "stress-unfair", "stress-oscillating" },
	{ "one is slower", one_is_slower, NULL, "stress-unfair" },
	{ "one stops", one_stops, "stress-sender-stopped", "stress-unfair" },
	{ "one stops: no swing", one_stops, NULL, "stress-oscillating" },
	{ "a host is lost", one_is_lost, "stress-rank-lost", "stress-cut-short" },
	{ "gaps", gaps, "stress-lossless-loss", "stress-loss" },
	{ "gaps, by the port", gaps_by_port, "stress-lossless-loss",
	  "stress-loss-unknown" },
	{ "gaps that may be, by the port", gaps_by_port_may_be, "stress-loss",
	  "stress-lossless-loss" },
	{ "NAKs, by the port", naks_by_port, "stress-lossless-loss",
	  "stress-timeouts" },
	{ "time-outs, by the port", timeouts_by_port, "stress-timeouts",
	  "stress-lossless-loss" },
	{ "no gaps, by the port", no_gaps_by_port, NULL, "stress-" },
	{ "nobody counts gaps", verbs_tell_nothing, "stress-loss-unknown",
	  "stress-lossless-loss" },
	{ "the receiver stands", receiver_stands, "stress-receiver-paused",
	  "stress-paused" },
	{ "a receiver pauses at full speed", receiver_is_full, NULL,
	  "stress-receiver-slow" },
	{ "a receiver pauses", receiver_is_not_full, "stress-receiver-slow", NULL },
	{ "a receiver pauses, at what speed", receiver_has_no_speed, NULL,
	  "stress-receiver-slow" },
	{ "CNPs handled and ignored", cnps_in_two_counters, NULL, "stress-" },
	{ "CNPs ignored, and lost", cnps_in_two_counters_lost, "stress-cnp-lost",
	  "stress-cnp-without-cut" },
	{ "a refusal", a_refusal, "stress-sender-stopped", "stress-lossless-loss" },
	{ "a gap and a refusal", a_gap_and_a_refusal, "stress-lossless-loss", NULL },
	{ "late ACKs", only_late, "stress-timeouts", "stress-lossless-loss" },
	{ "gaps, all by a host", all_gaps_by_host, "stress-host-too-slow",
	  "stress-lossless-loss" },
	{ "gaps, not all by a host", not_all_gaps_by_host, "stress-lossless-loss",
	  NULL },
	{ "a host loses, and one swings", swings_by_lost_frames, "stress-host-too-slow",
	  "stress-oscillating" },
	{ "a host loses, and starves", starves_by_lost_frames, "stress-host-too-slow",
	  "stress-unfair" },
	{ "a host loses, and ACKs are late", late_acks_by_lost_frames,
	  "stress-host-too-slow", "stress-timeouts" },
	{ "cut short", cut_by_one, "stress-cut-short", "stress-rank-lost" },
	{ "paused, nothing marked", paused_unmarked, "stress-pause-without-mark",
	  "stress-mark-without-cnp" },
	{ "paused", paused_unmarked, "stress-paused", NULL },
	{ "paused and marked", paused_marked, "stress-paused",
	  "stress-pause-without-mark" },
	{ "paused a little", paused_a_little, NULL, "stress-" },
	{ "marks are not counted", paused_marks_unknown, NULL,
	  "stress-pause-without-mark" },
	{ "marks, but no CNP", no_cnps, "stress-mark-without-cnp", NULL },
	{ "CNPs are not counted", cnps_unknown, NULL, "stress-mark-without-cnp" },
	{ "CNPs get lost", cnps_get_lost, "stress-cnp-lost", "stress-cnp-without-cut" },
	{ "three of four are lost", three_are_lost, "stress-rank-lost",
	  "stress-cnp-lost" },
	{ "some CNPs are paced", cnps_are_paced, NULL, "stress-" },
	{ "CNPs are ignored", cnps_are_ignored, "stress-cnp-without-cut",
	  "stress-cnp-lost" },
	{ "one starts late", late_start, "stress-start-skew", "stress-clock-unsure" },
	{ "or its clock is bad", late_start_by_bad_clock, "stress-clock-unsure",
	  "stress-start-skew" },
	{ "nobody knows what moved", all_senders_are_lost, "stress-rank-lost",
	  "stress-nothing-moved" },
	{ "nothing moves", nothing_moves, "stress-nothing-moved", NULL },
};

static bool says(const struct stress_case *made, const char *head)
{
	for (size_t i = 0; i < made->findings.count; i++)
		if (strncmp(made->findings.items[i].id, head, strlen(head)) == 0)
			return true;
	return false;
}

static void test_rules_speak_where_they_must(void **state)
{
	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const struct rt_stress_wish wish = WISH;
		struct stress_case made;

		print_message("# --- %s\n", cases[i].label);
		stress_sound(&wish, 5, &made);
		cases[i].change(&made);
		stress_judge(&made);
		if (cases[i].fires)
			assert_non_null(stress_found(&made, cases[i].fires));
		if (cases[i].silent)
			assert_false(strcmp(cases[i].silent, "stress-") == 0
					     ? says(&made, cases[i].silent)
					     : stress_found(&made, cases[i].silent) !=
						       NULL);
		stress_forget(&made);
	}
}

/* Of what the user asked for, not of what came. */
static void test_rules_about_the_wish(void **state)
{
	static const struct {
		const char *label;
		struct rt_stress_wish wish;
		const char *fires, *silent;
	} rows[] = {
		{ "Not-ECT",
		  { .ecn = { 0, true }, .lossless = { 8, true } },
		  "stress-not-ect",
		  "stress-all-ce" },
		{ "CE",
		  { .ecn = { 3, true }, .lossless = { 8, true } },
		  "stress-all-ce",
		  "stress-not-ect" },
		{ "ECT(1)",
		  { .ecn = { 1, true }, .lossless = { 8, true } },
		  NULL,
		  "stress-not-ect" },
		{ "lossless is not known", { 0 }, "stress-lossless-unknown", NULL },
		{ "a cap that was kept",
		  { .rate_bps = { 1000000000, true }, .lossless = { 8, true } },
		  NULL,
		  "stress-cap-missed" },
		{ "a cap that was not",
		  { .rate_bps = { 950000000, true }, .lossless = { 8, true } },
		  "stress-cap-missed",
		  NULL },
		/* Marks came: the law holds it back, not the pacing. */
		{ "a cap above what is allowed",
		  { .rate_bps = { 3000000000, true }, .lossless = { 8, true } },
		  NULL,
		  "stress-cap-missed" },
		{ "too short",
		  { .time_ns = { 300000000, true }, .lossless = { 8, true } },
		  NULL,
		  "stress-unfair" },
		{ "too short for its cap",
		  { .time_ns = { 400000000, true },
		    .ramp_ns = { 0, true },
		    .rate_bps = { 900000000, true },
		    .lossless = { 8, true } },
		  NULL,
		  "stress-cap-missed" },
		{ "long enough",
		  { .time_ns = { 500000000, true },
		    .ramp_ns = { 0, true },
		    .rate_bps = { 900000000, true },
		    .lossless = { 8, true } },
		  "stress-cap-missed",
		  NULL },
		{ "bursts vary",
		  { .on_ns = { 50000000, true },
		    .off_ns = { 50000000, true },
		    .lossless = { 8, true } },
		  NULL,
		  "stress-oscillating" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct stress_case made;

		print_message("# --- %s\n", rows[i].label);
		stress_sound(&rows[i].wish, 5, &made);
		if (rows[i].wish.on_ns.known)
			two_swing(&made);
		stress_judge(&made);
		if (rows[i].fires)
			assert_non_null(stress_found(&made, rows[i].fires));
		if (rows[i].silent)
			assert_null(stress_found(&made, rows[i].silent));
		stress_forget(&made);
	}
}

static void test_a_rehearsal_and_a_moment_are_no_success(void **state)
{
	struct rt_stress_host hosts[2] = { { .engine = "null" }, { .engine = "null" } };
	struct rt_stress_result result = { .hosts = hosts,
					   .host_count = 2,
					   .goodput_bps = RT_KNOWN_U64(1),
					   .interval_ns = 100000000 };
	const struct rt_findings none = { 0 };

	(void)state;
	rt_stress_write_verdict(&none, &result);
	assert_string_equal(result.engine, "null: no traffic, a rehearsal");
	assert_string_equal(result.verdict,
			    "nothing was sent: this says nothing about the network");
	strcpy(hosts[1].engine, "soft");
	rt_stress_write_verdict(&none, &result);
	assert_string_equal(result.engine, "null, soft");
	assert_string_equal(result.verdict, "nothing wrong");
	assert_string_equal(result.no_rates, "");
	result.goodput_bps = RT_KNOWN_U64(0);
	rt_stress_write_verdict(&none, &result);
	assert_string_equal(result.verdict, "too short to judge");
	assert_non_null(strstr(result.no_rates, "no whole interval of 100ms"));
}

RT_UNIT_MAIN(cmocka_unit_test(test_a_rehearsal_and_a_moment_are_no_success),
	     cmocka_unit_test(test_rules_speak_where_they_must),
	     cmocka_unit_test(test_rules_about_the_wish))
