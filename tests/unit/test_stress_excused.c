/* SPDX-License-Identifier: BSD-2-Clause */
/* What a stress run is not blamed for: that it had no time, or that a host died. */
#include "stress_case.h"

/* Whose queue pairs then go back, again and again, and come to a standstill. */
static void the_receiver_is_lost(struct stress_case *made)
{
	made->ranks[0].reported = false;
	strcpy(made->ranks[0].lost, "it was lost during the run");
	for (uint32_t rank = 1; rank < 5; rank++) {
		struct rt_stress_end *end = stress_end(made, rank, rank - 1);

		for (size_t i = end->series_count / 2; i < end->series_count; i++)
			end->series[i] = 0;
		end->totals.timeouts = RT_KNOWN_U64(7);
		end->totals.state = rank == 4 ? RT_QP_STOPPED : RT_QP_DONE;
		end->totals.nak_rx = RT_KNOWN_U64(rank == 1 ? 2 : 0);
		end->totals.data_frames_retransmitted = RT_KNOWN_U64(900);
	}
}

/* Interrupted as it began, or later: only then was there time to move anything. */
static void nothing_moves_until(struct stress_case *made, uint64_t ran_ns)
{
	for (uint32_t rank = 1; rank < 5; rank++) {
		struct rt_stress_end *end = stress_end(made, rank, rank - 1);

		memset(end->series, 0, end->series_count * sizeof(*end->series));
	}
	for (uint32_t rank = 0; rank < made->plan.ranks; rank++) {
		made->ranks[rank].report.ran_ns = ran_ns;
		strcpy(made->ranks[rank].report.why, "interrupted");
	}
}

static void interrupted_at_once(struct stress_case *made)
{
	nothing_moves_until(made, 0);
}

static void interrupted_later(struct stress_case *made)
{
	nothing_moves_until(made, made->plan.interval_ns);
}

static void test_rules_excuse_who_could_not(void **state)
{
	static const struct {
		const char *label;
		void (*change)(struct stress_case *made);
		const char *fires, *silent;
	} rows[] = {
		{ "interrupted at once", interrupted_at_once, "stress-cut-short",
		  "stress-nothing-moved" },
		{ "interrupted later", interrupted_later, "stress-nothing-moved",
		  NULL },
		{ "the receiver is lost", the_receiver_is_lost, "stress-rank-lost",
		  "stress-oscillating" },
		{ "the receiver is lost: time-outs", the_receiver_is_lost, NULL,
		  "stress-timeouts" },
		{ "the receiver is lost: stopped", the_receiver_is_lost, NULL,
		  "stress-sender-stopped" },
		{ "the receiver is lost: loss", the_receiver_is_lost, NULL,
		  "stress-lossless-loss" },
	};
	const struct rt_stress_wish wish = { .pattern = RT_WORKLOAD_INCAST,
					     .lossless = RT_KNOWN_U64(8),
					     .ramp_ns = RT_KNOWN_U64(0) };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct stress_case made;

		print_message("# --- %s\n", rows[i].label);
		stress_sound(&wish, 5, &made);
		rows[i].change(&made);
		stress_judge(&made);
		if (rows[i].fires)
			assert_non_null(stress_found(&made, rows[i].fires));
		if (rows[i].silent)
			assert_null(stress_found(&made, rows[i].silent));
		stress_forget(&made);
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_rules_excuse_who_could_not))
