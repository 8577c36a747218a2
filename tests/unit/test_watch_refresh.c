/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sources that change less often than they are read, and such that are idle: over which
 * time what was added to them is taken.
 */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "rocetune/field.h"
#include "watch/refresh.h"

#define MS  UINT64_C(1000000)
#define SEC (1000 * MS)

/*
 * A counter as it really is, rising at busy_ps while busy; the NIC shows it as it was at
 * the last multiple of own_ns, or as it is (0).
 */
struct nic {
	uint64_t own_ns, phase_ns;
	double busy_ps;
	uint64_t busy_from_ns, busy_to_ns;
};

static double value_at(const struct nic *nic, uint64_t time_ns)
{
	if (time_ns <= nic->busy_from_ns)
		return 0;
	if (time_ns > nic->busy_to_ns)
		time_ns = nic->busy_to_ns;
	return (double)(time_ns - nic->busy_from_ns) * nic->busy_ps / 1e9;
}

static double shown_at(const struct nic *nic, uint64_t time_ns)
{
	if (nic->own_ns)
		time_ns = (time_ns - nic->phase_ns) / nic->own_ns * nic->own_ns +
			  nic->phase_ns;
	return floor(value_at(nic, time_ns));
}

/* Reads it like the sampler does. */
struct reader {
	struct rt_refresh refresh;
	double last, rate; /* NaN: unknown */
	unsigned held;     /* readings that said nothing */
};

static void read_at(struct reader *reader, const struct nic *nic, uint64_t time_ns)
{
	const double now = shown_at(nic, time_ns);
	const double added = now - reader->last;
	uint64_t elapsed_ns;

	if (!reader->refresh.begun) {
		rt_refresh_begin(&reader->refresh, (int64_t)time_ns, 0, false);
		reader->rate = (double)NAN;
	} else {
		elapsed_ns = rt_refresh_read(&reader->refresh, (int64_t)time_ns,
					     added > 0);
		if (elapsed_ns)
			reader->rate = added * 1e9 / (double)elapsed_ns;
		else
			reader->held++;
	}
	reader->last = now;
}

/* --- what is shown of steady traffic ------------------------------------------------------- */

/*
 * After some seconds of learning, no rate is further off than off_pct; idle is never
 * said, as the port never is.
 */
static void test_refresh_steady_traffic_is_steady(void **state)
{
	static const struct {
		const char *label;
		uint64_t own_ns, read_ns;
		double off_pct;
		bool slow; /* and known to be */
	} cases[] = {
		{ "as it is, every 100 ms", 0, 100 * MS, 0.01, false },
		{ "as it is, every second", 0, SEC, 0.01, false },
		{ "as it is, every minute", 0, 60 * SEC, 0.01, false },
		{ "10 ms, every 100 ms", 10 * MS, 100 * MS, 0.01, false },
		{ "a second, every 100 ms", SEC, 100 * MS, 1, true },
		{ "a second and a bit, every 100 ms", SEC + 7 * MS, 100 * MS, 1, true },
		{ "a second, every 130 ms", SEC, 130 * MS, 2, true },
		{ "a second, every 200 ms", SEC, 200 * MS, 1, true },
		{ "a second, every 500 ms", SEC, 500 * MS, 1, true },
		/* Nearly as often: a look sees one second's worth, or none. */
		{ "a second, every 700 ms", SEC, 700 * MS, 43, false },
		{ "a second, every second", SEC, SEC, 0.01, false },
		{ "a second, every 1.001 s", SEC, 1001 * MS, 0.2, false },
		{ "a second, every two", SEC, 2 * SEC, 0.01, false },
		{ "250 ms, every 100 ms", 250 * MS, 100 * MS, 1, true },
		{ "250 ms, every second", 250 * MS, SEC, 0.01, false },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const struct nic nic = { cases[i].own_ns, 3 * MS, 1e6, 0, UINT64_MAX };
		struct reader reader = { 0 };
		double most = 0;

		for (uint64_t n = 0; n < 400; n++) {
			const uint64_t time_ns = 20 * SEC + n * cases[i].read_ns;

			read_at(&reader, &nic, time_ns);
			if (time_ns > 32 * SEC && fabs(reader.rate - 1e6) > most)
				most = fabs(reader.rate - 1e6);
		}
		print_message("# %s: %.2f %% off, held %u of 400\n", cases[i].label,
			      most / 1e4, reader.held);
		assert_true(most / 1e4 <= cases[i].off_pct);
		assert_int_equal(reader.refresh.refresh_ns > 0, cases[i].slow);
		if (cases[i].slow)
			assert_true(fabs((double)reader.refresh.refresh_ns -
					 (double)cases[i].own_ns) <
				    (double)cases[i].read_ns / 3);
	}
}

/* A NIC that shows its counters once a second is late by hairs at one look a second. */
static void test_refresh_a_missed_look_is_not_idle(void **state)
{
	const struct nic nic = { SEC, 0, 1e6, 0, UINT64_MAX };
	struct reader reader = { 0 };

	(void)state;
	/* The looks fall just before, just after the NIC writes, again and again. */
	for (uint64_t n = 20; n < 400; n++) {
		read_at(&reader, &nic, n * SEC + (n % 5 ? MS : 0) - (n % 7 ? 0 : MS));
		if (n > 21)
			assert_true(reader.rate > 0.9e6 && reader.rate < 1.1e6);
	}
	assert_true(reader.held > 5);
}

/* --- beginning and end of traffic ---------------------------------------------------------- */

/*
 * Idle, ten seconds of traffic, idle: how high the highest rate was, how long after its
 * end the rate was 0, and that it was 0 before.
 */
static void test_refresh_traffic_begins_and_ends(void **state)
{
	static const struct {
		const char *label;
		uint64_t own_ns, read_ns;
		double most_ps;     /* not higher than this */
		uint64_t silent_ns; /* 0 is shown within this */
	} cases[] = {
		{ "as it is, every 100 ms", 0, 100 * MS, 1.01e6, 300 * MS },
		{ "as it is, every 500 ms", 0, 500 * MS, 1.01e6, 1500 * MS },
		{ "as it is, every second", 0, SEC, 1.01e6, 3 * SEC },
		{ "as it is, every ten", 0, 10 * SEC, 1.01e6, 20 * SEC },
		{ "a second, every 100 ms", SEC, 100 * MS, 1.12e6, 2700 * MS },
		{ "a second, every 500 ms", SEC, 500 * MS, 1.01e6, 3 * SEC },
		{ "a second, every second", SEC, SEC, 1.01e6, 3 * SEC },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const struct nic nic = { cases[i].own_ns, 3 * MS, 1e6, 50 * SEC,
					 60 * SEC };
		struct reader reader = { 0 };
		double most = 0;
		uint64_t last_ns = 0;

		for (uint64_t at = 20 * SEC; at < 120 * SEC; at += cases[i].read_ns) {
			read_at(&reader, &nic, at);
			if (at > 22 * SEC && at <= 50 * SEC &&
			    at > 20 * SEC + cases[i].read_ns)
				assert_true(reader.rate == 0);
			if (reader.rate > most)
				most = reader.rate;
			if (!(reader.rate == 0))
				last_ns = at;
		}
		print_message("# %s: at most %g, seen until %.1f s after\n",
			      cases[i].label, most, (double)(last_ns - 60 * SEC) / 1e9);
		assert_true(most > 0.8e6 && most <= cases[i].most_ps);
		assert_true(last_ns < 60 * SEC + cases[i].silent_ns);
	}
}

/* One event in a long silence is one event, over a second where the source may be slow. */
static void test_refresh_a_single_event_shows_once(void **state)
{
	struct rt_refresh refresh = { 0 };
	double sum = 0;

	(void)state;
	rt_refresh_begin(&refresh, 0, 0, false);
	for (unsigned n = 1; n <= 600; n++) {
		const int64_t at = (int64_t)(n * 100 * MS);
		const uint64_t elapsed_ns = rt_refresh_read(&refresh, at, n == 300);

		if (n == 300) {
			assert_true(elapsed_ns == SEC);
			sum += 1e9 / (double)elapsed_ns;
		}
		/* A rate of 0 is said when the second has passed, and a half. */
		if (n > 300 && n < 315)
			assert_true(elapsed_ns == 0);
		if (n == 315)
			assert_true(elapsed_ns > 0);
	}
	assert_true(sum == 1);
	assert_true(refresh.refresh_ns == 0);
}

/* Until anything changed, a source that may be slow says nothing for as long as that. */
static void test_refresh_silence_from_the_start(void **state)
{
	static const struct {
		uint64_t read_ns, least_ns;
		bool exact;
		unsigned unknown; /* readings without a rate, the first not counted */
	} cases[] = {
		{ 100 * MS, 0, false, 8 },
		{ 500 * MS, 0, false, 1 },
		{ SEC, 0, false, 0 },
		{ 950 * MS, 0, false, 0 },
		{ 100 * MS, 10 * MS, false, 8 },
		{ SEC, 5 * SEC, false, 4 },
		{ 100 * MS, 0, true, 0 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_refresh refresh = { 0 };
		unsigned unknown = 0;
		int64_t at = 77;

		rt_refresh_begin(&refresh, at, cases[i].least_ns, cases[i].exact);
		do
			at += (int64_t)cases[i].read_ns;
		while (rt_refresh_read(&refresh, at, false) == 0 && ++unknown < 100);
		print_message("# %zu: %u\n", i, unknown);
		assert_int_equal(unknown, cases[i].unknown);
	}
}

/* A fast source that has a slow hour, and one that lost its pace, are found out again. */
static void test_refresh_learns_again(void **state)
{
	struct rt_refresh refresh = { 0 };
	int64_t at = 0;

	(void)state;
	rt_refresh_begin(&refresh, at, 0, false);
	for (unsigned n = 0; n < 50; n++)
		rt_refresh_read(&refresh, at += (int64_t)(100 * MS), true);
	assert_true(refresh.floor_ns == 100 * MS && refresh.refresh_ns == 0);
	for (unsigned n = 0; n < 200; n++)
		rt_refresh_read(&refresh, at += (int64_t)(100 * MS), n % 5 == 0);
	assert_true(refresh.refresh_ns == 500 * MS);
	/* One look that fell into the NIC's writing changes nothing, ... */
	rt_refresh_read(&refresh, at += (int64_t)(100 * MS), true);
	assert_true(rt_refresh_read(&refresh, at += (int64_t)(100 * MS), true) ==
		    500 * MS);
	assert_true(refresh.refresh_ns > 400 * MS);
	/* ... the next ones do. */
	for (unsigned n = 0; n < 3; n++)
		rt_refresh_read(&refresh, at += (int64_t)(100 * MS), true);
	assert_true(refresh.refresh_ns == 0);
	assert_true(rt_refresh_read(&refresh, at += (int64_t)(100 * MS), true) ==
		    100 * MS);
}

static void test_refresh_tells_the_age_of_what_is_shown(void **state)
{
	struct rt_refresh refresh = { 0 };

	(void)state;
	assert_true(rt_refresh_age_ns(&refresh, 5) == 0);
	rt_refresh_begin(&refresh, 1000, 0, false);
	assert_true(rt_refresh_age_ns(&refresh, 1500) == 500);
	assert_true(rt_refresh_age_ns(&refresh, 900) == 0);
	rt_refresh_read(&refresh, 2000, true);
	rt_refresh_read(&refresh, 3000, false); /* it may not have been told yet */
	assert_true(rt_refresh_age_ns(&refresh, 3500) == 1500);
	rt_refresh_read(&refresh, (int64_t)(5 * SEC), false);
	assert_true(rt_refresh_age_ns(&refresh, (int64_t)(5 * SEC + 7)) == 7);
	/* The ends of time. */
	rt_refresh_begin(&refresh, INT64_MIN, 0, true);
	assert_true(rt_refresh_read(&refresh, INT64_MAX, true) == UINT64_MAX);
}

RT_UNIT_MAIN(cmocka_unit_test(test_refresh_steady_traffic_is_steady),
	     cmocka_unit_test(test_refresh_a_missed_look_is_not_idle),
	     cmocka_unit_test(test_refresh_traffic_begins_and_ends),
	     cmocka_unit_test(test_refresh_a_single_event_shows_once),
	     cmocka_unit_test(test_refresh_silence_from_the_start),
	     cmocka_unit_test(test_refresh_learns_again),
	     cmocka_unit_test(test_refresh_tells_the_age_of_what_is_shown))
