/* SPDX-License-Identifier: BSD-2-Clause */
/* What several queue pairs, hosts and intervals of a stress run add up to. */
#include "stress_case.h"

#include "run/stress_share.h"

#define MS UINT64_C(1000000)

#define WISH(...)                                                           \
	{                                                                   \
		.pattern = RT_WORKLOAD_INCAST, .lossless = RT_KNOWN_U64(8), \
		.ramp_ns = RT_KNOWN_U64(0), ##__VA_ARGS__                   \
	}

static struct rt_stress_end *sender_end(struct stress_case *made, uint32_t rank)
{
	return stress_end(made, rank, rank - 1);
}

/* Two queue pairs of one host: of delays the least, of pauses the longest. */
static void test_queue_pairs_of_a_host_are_one_sender(void **state)
{
	const struct rt_stress_wish wish = WISH(.qps = RT_KNOWN_U64(2),
						.senders = RT_KNOWN_U64(1));
	struct stress_case made;

	(void)state;
	stress_sound(&wish, 2, &made);
	for (uint32_t qp = 0; qp < 2; qp++) {
		struct rt_stress_end *end = stress_end(&made, 1, qp);

		end->totals.first_ns = RT_KNOWN_U64((9 - 4 * qp) * MS);
		end->series[7] = 0;
		stress_add_cause(end, 7,
				 (struct rt_stress_cause){ .paused_ns = 20 * MS });
	}
	stress_judge(&made);
	assert_int_equal(made.result.sender_count, 1);
	assert_int_equal(made.result.receivers[0].senders, 1);
	assert_int_equal(made.result.senders[0].start_late_ns.value, 5 * MS);
	assert_int_equal(made.result.senders[0].dips.value, 1);
	assert_int_equal(made.result.senders[0].dips_explained.value, 0);
	stress_forget(&made);
}

static void test_slowest_and_fastest_are_found(void **state)
{
	const struct rt_stress_wish wish = WISH();
	static const unsigned pct[] = { 60, 50, 100, 80 };
	struct stress_case made;

	(void)state;
	stress_sound(&wish, 5, &made);
	for (uint32_t rank = 1; rank < 5; rank++)
		for (size_t i = 0; i < 30; i++)
			sender_end(&made, rank)->series[i] = SOUND_BYTES / 100 *
							     pct[rank - 1];
	for (uint32_t rank = 0; rank < 5; rank++) {
		struct rt_stress_report *report = &made.ranks[rank].report;

		report->ran_ns = (rank == 2 ? 3000 : 2000) * MS;
		report->clock_error_ns = RT_KNOWN_U64(rank == 1 ? 9000 : 5000);
	}
	stress_judge(&made);
	assert_string_equal(made.result.slowest, "n2");
	assert_int_equal(made.result.slowest_bps.value, 500000000);
	assert_int_equal(made.result.fastest_bps.value, 1000000000);
	assert_float_equal(made.result.spread.value, 0.5, 1e-9);
	assert_int_equal(made.result.ran_ns, 3000 * MS);
	assert_int_equal(made.result.clock_error_ns.value, 9000);
	stress_forget(&made);
}

/* One receiver of three is not known, and so is their sum. */
static void test_a_sum_with_an_unknown_part_is_unknown(void **state)
{
	const struct rt_stress_wish wish = { .pattern = RT_WORKLOAD_RING,
					     .lossless = RT_KNOWN_U64(8) };
	struct stress_case made;

	(void)state;
	stress_sound(&wish, 3, &made);
	made.ranks[1].reported = false;
	stress_judge(&made);
	assert_int_equal(made.result.receiver_count, 3);
	assert_true(made.result.receivers[0].goodput_bps.known);
	assert_false(made.result.receivers[1].goodput_bps.known);
	assert_true(made.result.receivers[2].goodput_bps.known);
	assert_false(made.result.goodput_bps.known);
	stress_forget(&made);
}

/* All are counted, and the first of them listed. */
static void test_dips_beyond_the_list_are_counted(void **state)
{
	const struct rt_stress_wish wish = WISH(.time_ns = RT_KNOWN_U64(20000 * MS));
	struct rt_stress_end *end;
	struct stress_case made;

	(void)state;
	stress_sound(&wish, 5, &made);
	end = sender_end(&made, 1);
	for (size_t i = 1; i < end->series_count; i += 2)
		end->series[i] = 0;
	stress_judge(&made);
	assert_int_equal(made.result.dip_count.value, 100);
	assert_int_equal(made.result.dips_listed, RT_STRESS_DIPS_LISTED);
	stress_forget(&made);
}

/* It ended after 12 intervals and a half: what is told of later ones is of none. */
static void test_causes_behind_the_end_are_of_no_interval(void **state)
{
	const struct rt_stress_wish wish = WISH();
	struct rt_stress_end *end;
	struct stress_case made;

	(void)state;
	stress_sound(&wish, 5, &made);
	for (uint32_t rank = 0; rank < 5; rank++)
		made.ranks[rank].report.ran_ns = 1250 * MS;
	end = sender_end(&made, 1);
	stress_add_cause(end, 12, (struct rt_stress_cause){ .paused_ns = 50 * MS });
	stress_add_cause(end, 29, (struct rt_stress_cause){ .paused_ns = 90 * MS });
	stress_judge(&made);
	assert_int_equal(made.result.senders[0].cause_count, 1);
	assert_int_equal(made.result.senders[0].causes[0].interval, 12);
	assert_true(made.result.senders[0].paused_pct.known);
	assert_float_equal(made.result.senders[0].paused_pct.value, 0, 0);
	stress_forget(&made);
}

/* Of two ends the one that failed tells; where both did, the one that posts. */
static void test_the_end_that_failed_tells(void **state)
{
	static const struct {
		const char *from, *to; /* errors; NULL: it ended as asked */
		const char *told;
	} rows[] = {
		{ NULL, NULL, "" },
		{ "IBV_WC_RETRY_EXC_ERR", NULL, "IBV_WC_RETRY_EXC_ERR" },
		{ NULL, "IBV_WC_WR_FLUSH_ERR", "IBV_WC_WR_FLUSH_ERR" },
		{ "IBV_WC_REM_OP_ERR", "IBV_WC_WR_FLUSH_ERR", "IBV_WC_REM_OP_ERR" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		const struct rt_stress_wish wish = WISH();
		const char *errors[] = { rows[i].from, rows[i].to };
		struct stress_case made;

		stress_sound(&wish, 5, &made);
		for (uint32_t k = 0; k < 2; k++) {
			struct rt_stress_end *end = stress_end(&made, !k, 0);

			end->totals.data_frames_tx = RT_KNOWN_U64(5);
			end->totals.data_frames_rx = RT_KNOWN_U64(7);
			if (!errors[k])
				continue;
			end->totals.state = RT_QP_STOPPED;
			strcpy(end->totals.error, errors[k]);
		}
		stress_judge(&made);
		assert_string_equal(made.result.qps[0].error, rows[i].told);
		assert_int_equal(made.result.qps[0].state,
				 *rows[i].told ? RT_QP_STOPPED : RT_QP_DONE);
		/* More came than was sent: copies, and nothing is missing. */
		assert_int_equal(made.result.qps[0].frame_delta.value, 0);
		stress_forget(&made);
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_the_end_that_failed_tells),
	     cmocka_unit_test(test_queue_pairs_of_a_host_are_one_sender),
	     cmocka_unit_test(test_slowest_and_fastest_are_found),
	     cmocka_unit_test(test_a_sum_with_an_unknown_part_is_unknown),
	     cmocka_unit_test(test_dips_beyond_the_list_are_counted),
	     cmocka_unit_test(test_causes_behind_the_end_are_of_no_interval))
