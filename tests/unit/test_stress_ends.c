/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said of a run's end: what it cut off, and what outlived it. */
#include "stress_case.h"

static void cut_by_one(struct stress_case *made)
{
	for (uint32_t i = 0; i < 5; i++) {
		made->ranks[i].report.ran_ns = 1250000000;
		strcpy(made->ranks[i].report.why, "loss on lossless priority 3");
		made->ranks[i].report.asked = i == 2;
	}
}

/* 10 Gb/s bring 500 MB in the 0.4 s of the drain: together just that, and a third more. */
static void came_in_the_drain(struct stress_case *made)
{
	for (uint32_t rank = 1; rank < 5; rank++) {
		const uint32_t flow = rank - 1;

		stress_end(made, 0, flow)->totals.bytes = RT_KNOWN_U64(400000000);
		stress_end(made, 0, flow)->late_bytes = RT_KNOWN_U64(125000000);
	}
}

static void came_after_the_drain(struct stress_case *made)
{
	came_in_the_drain(made);
	for (uint32_t flow = 0; flow < 4; flow++)
		stress_end(made, 0, flow)->late_bytes = RT_KNOWN_U64(167000000);
}

static void had_less_time_than_its_file(struct stress_case *made)
{
	made->plan.wanted_ns = made->plan.total_ns + 1000000;
}

static void had_just_its_time(struct stress_case *made)
{
	made->plan.wanted_ns = made->plan.total_ns;
	made->plan.flows[1].total_bytes = 1;
}

static void had_bytes_left(struct stress_case *made)
{
	made->plan.flows[1].total_bytes = UINT64_C(1) << 40;
}

static void cut_with_bytes_left(struct stress_case *made)
{
	had_bytes_left(made);
	cut_by_one(made);
}

static const struct {
	const char *label;
	void (*change)(struct stress_case *made);
	const char *fires; /* NULL: nothing does; alone, otherwise */
} cases[] = {
	{ "in the drain", came_in_the_drain, NULL },
	{ "after the drain", came_after_the_drain, "stress-late" },
	{ "less time than its file", had_less_time_than_its_file,
	  "stress-not-all-time" },
	{ "as much as its file", had_just_its_time, NULL },
	{ "bytes are left", had_bytes_left, "stress-not-all-time" },
	{ "cut, with bytes left", cut_with_bytes_left, "stress-cut-short" },
};

static void test_each_end_is_told_once(void **state)
{
	const struct rt_stress_wish wish = { .pattern = RT_WORKLOAD_INCAST,
					     .lossless = RT_KNOWN_U64(8) };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct stress_case made;

		print_message("# --- %s\n", cases[i].label);
		stress_sound(&wish, 5, &made);
		cases[i].change(&made);
		stress_judge(&made);
		assert_int_equal(made.findings.count, cases[i].fires != NULL);
		if (cases[i].fires)
			assert_non_null(stress_found(&made, cases[i].fires));
		stress_forget(&made);
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_each_end_is_told_once))
