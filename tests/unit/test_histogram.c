/* SPDX-License-Identifier: BSD-2-Clause */
/* Histograms: how near a quantile is, and what merging keeps. */
#include "unit.h"

#include <string.h>

#include "base/histogram.h"
#include "base/own.h"
#include "base/rng.h"

#define COUNT 10000

static struct rt_histogram *new_histogram(void)
{
	struct rt_histogram *histogram = calloc(1, sizeof(*histogram));

	assert_non_null(histogram);
	return histogram;
}

static void test_nothing_has_no_quantile(void **state)
{
	struct rt_histogram *histogram = new_histogram();

	(void)state;
	assert_false(rt_histogram_quantile(histogram, RT_PPB / 2).known);
	assert_false(rt_histogram_mean(histogram).known);
	free(histogram);
}

/* Buckets follow each other without gap or overlap, at every power of two. */
static void test_buckets_follow_each_other(void **state)
{
	(void)state;
	for (uint64_t value = 0; value < 100000; value++) {
		const unsigned here = rt_histogram_bucket(value);
		const unsigned next = rt_histogram_bucket(value + 1);

		assert_true(next == here || next == here + 1);
	}
	for (unsigned bit = 9; bit < RT_HISTOGRAM_BITS; bit++) {
		const uint64_t edge = UINT64_C(1) << bit;

		assert_int_equal(rt_histogram_bucket(edge),
				 rt_histogram_bucket(edge - 1) + 1);
		assert_int_equal(rt_histogram_bucket(edge) % RT_HISTOGRAM_PARTS, 0);
	}
	assert_int_equal(rt_histogram_bucket(0), 0);
	assert_int_equal(rt_histogram_bucket((UINT64_C(1) << RT_HISTOGRAM_BITS) - 1),
			 RT_HISTOGRAM_BUCKETS - 1);
	assert_int_equal(rt_histogram_bucket(UINT64_MAX), RT_HISTOGRAM_BUCKETS - 1);
}

static void test_small_values_are_exact(void **state)
{
	static const struct {
		uint64_t share_ppb, value;
	} rows[] = {
		{ 0, 1 },           { RT_PPB / 100, 1 },       { RT_PPB / 100 + 1, 2 },
		{ RT_PPB / 2, 50 }, { RT_PPB / 100 * 99, 99 }, { RT_PPB, 100 },
	};
	struct rt_histogram *histogram = new_histogram();

	(void)state;
	for (uint64_t value = 1; value <= 100; value++)
		rt_histogram_add(histogram, value);
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++)
		assert_int_equal(
			rt_histogram_quantile(histogram, rows[i].share_ppb).value,
			rows[i].value);
	assert_float_equal(rt_histogram_mean(histogram).value, 50.5, 1e-12);
	free(histogram);
}

static int compare(const void *a, const void *b)
{
	const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

/* Against the sorted values themselves, over nine powers of ten. */
static void test_quantiles_are_within_their_promise(void **state)
{
	static const uint64_t shares[] = { RT_PPB / 100,        RT_PPB / 2,
					   RT_PPB / 10 * 9,     RT_PPB / 100 * 99,
					   RT_PPB / 1000 * 999, RT_PPB };
	static uint64_t values[COUNT];
	struct rt_histogram *histogram = new_histogram();
	struct rt_rng rng;

	(void)state;
	rt_rng_init(&rng, 1, 1);
	for (size_t i = 0; i < COUNT; i++) {
		values[i] = rt_rng_u64(&rng) >> (24 + rt_rng_below(&rng, 30));
		rt_histogram_add(histogram, values[i]);
	}
	qsort(values, COUNT, sizeof(values[0]), compare);
	for (size_t i = 0; i < RT_ARRAY_SIZE(shares); i++) {
		const uint64_t exact = values[shares[i] / (RT_PPB / COUNT) - 1];
		const uint64_t told = rt_histogram_quantile(histogram, shares[i]).value;

		assert_true(told >= exact);
		assert_true(told <= exact + exact / RT_HISTOGRAM_PARTS);
	}
	assert_int_equal(histogram->min, values[0]);
	assert_int_equal(histogram->max, values[COUNT - 1]);
	free(histogram);
}

static void test_merging_is_adding_all(void **state)
{
	struct rt_histogram *parts[2] = { new_histogram(), new_histogram() };
	struct rt_histogram *whole = new_histogram();
	struct rt_histogram *none = new_histogram();

	(void)state;
	for (uint64_t i = 0; i < 1000; i++) {
		rt_histogram_add(parts[i % 2], i * i);
		rt_histogram_add(whole, i * i);
	}
	rt_histogram_merge(parts[0], parts[1]);
	rt_histogram_merge(parts[0], none); /* whose min is no value */
	assert_memory_equal(parts[0], whole, sizeof(*whole));
	rt_histogram_merge(none, whole);
	assert_memory_equal(none, whole, sizeof(*whole));
	free(parts[0]);
	free(parts[1]);
	free(whole);
	free(none);
}

static void test_a_full_bucket_stays_full(void **state)
{
	struct rt_histogram *histogram = new_histogram();

	(void)state;
	rt_histogram_add(histogram, 7);
	histogram->buckets[7] = UINT32_MAX;
	rt_histogram_add(histogram, 7);
	assert_int_equal(histogram->buckets[7], UINT32_MAX);
	assert_int_equal(histogram->count, 2);
	rt_histogram_merge(histogram, histogram);
	assert_int_equal(histogram->buckets[7], UINT32_MAX);
	free(histogram);
}

RT_UNIT_MAIN(cmocka_unit_test(test_nothing_has_no_quantile),
	     cmocka_unit_test(test_buckets_follow_each_other),
	     cmocka_unit_test(test_small_values_are_exact),
	     cmocka_unit_test(test_quantiles_are_within_their_promise),
	     cmocka_unit_test(test_merging_is_adding_all),
	     cmocka_unit_test(test_a_full_bucket_stays_full))
