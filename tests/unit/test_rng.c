/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit.h"

#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/mrg32k3a.h"
#include "base/rng.h"
#include "base/text.h"

/*
 * splitmix64 from state 1234567: first outputs as in the list of Rosetta Code
 * ("Pseudo-random numbers/Splitmix64").
 */
static void test_splitmix_gives_the_published_values(void **state)
{
	static const uint64_t wanted[] = { 6457827717110365317u, 3203168211198807973u,
					   9817491932198370423u, 4593380528125082431u,
					   16408922859458223821u };
	uint64_t mix = 1234567;

	(void)state;
	for (size_t i = 0; i < 5; i++)
		assert_true(rt_rng_splitmix(&mix) == wanted[i]);
}

/*
 * xoshiro256** from state {1, 2, 3, 4}: the values that the test suites of
 * several libraries carry (rand_xoshiro, GCC's libgfortran follow the same code).
 */
static void test_xoshiro_gives_the_published_values(void **state)
{
	static const uint64_t wanted[] = { 11520u, 0u, 1509978240u,
					   1215971899390074240u, 1216172134540287360u };
	struct rt_rng rng = { { 1, 2, 3, 4 } };

	(void)state;
	for (size_t i = 0; i < 5; i++)
		assert_true(rt_rng_u64(&rng) == wanted[i]);
}

/*
 * L'Ecuyer's package RngStreams (testRngStream.res): the first number from a state of
 * 12345 six times, and the states at which its second and third stream begin.
 */
static void test_mrg32k3a_gives_the_published_streams(void **state)
{
	static const uint64_t wanted[2][6] = {
		{ 3692455944u, 1366884236u, 2968912127u, 335948734u, 4161675175u,
		  475798818u },
		{ 1015873554u, 1310354410u, 2249465273u, 994084013u, 2912484720u,
		  3876682925u },
	};
	struct rt_mrg32k3a rng;
	double first;

	(void)state;
	rt_mrg32k3a_init(&rng, 0, 0);
	for (unsigned i = 0; i < 6; i++)
		rng.state[i / 3][i % 3] = 12345;
	first = rt_mrg32k3a_draw(&rng);
	assert_true(first > 0.1270111 && first < 0.1270112);
	for (unsigned i = 0; i < 6; i++)
		assert_true(rng.state[i / 3][i % 3] == wanted[0][i]);
	rt_mrg32k3a_draw(&rng);
	for (unsigned i = 0; i < 6; i++)
		assert_true(rng.state[i / 3][i % 3] == wanted[1][i]);
}

/* Logarithms from a table of high precision, to the 2^-31 that is promised. */
static void test_logarithm_is_that_of_the_tables(void **state)
{
	static const struct {
		uint64_t word;
		double minus_ln;
	} rows[] = {
		{ 0, 45.05456673639644 },                  /* 2^-65 */
		{ 1, 43.955954447728335 },                 /* 3 2^-65 */
		{ UINT64_C(1) << 63, 0.6931471805599453 }, /* 1/2 */
		{ UINT64_C(3) << 62, 0.2876820724517809 }, /* 3/4 */
		{ UINT64_C(0x5E2D58D8B3BCDF1B), 1.0 },     /* 1/e */
		{ UINT64_MAX, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const double got = (double)rt_minus_ln_q32(rows[i].word) * 0x1p-32;

		assert_true(got - rows[i].minus_ln < 0x1p-31);
		assert_true(rows[i].minus_ln - got < 0x1p-31);
	}
}

/* Going to stream n at once and by n draws is the same; runs are other numbers. */
static void test_mrg32k3a_jumps_as_far_as_it_says(void **state)
{
	struct rt_mrg32k3a walked, jumped, other;

	(void)state;
	rt_mrg32k3a_init(&walked, 0, 3);
	for (unsigned i = 0; i < 1000; i++)
		rt_mrg32k3a_draw(&walked);
	rt_mrg32k3a_init(&jumped, 1000, 3);
	rt_mrg32k3a_init(&other, 1000, 4);
	assert_memory_equal(&walked, &jumped, sizeof(walked));
	/* Of one stream the first is what a draw gives, and then they go apart. */
	assert_true(rt_mrg32k3a_next(&walked) == rt_mrg32k3a_draw(&jumped));
	assert_true(rt_mrg32k3a_next(&walked) != rt_mrg32k3a_draw(&jumped));
	assert_true(rt_mrg32k3a_draw(&jumped) != rt_mrg32k3a_draw(&other));
}

static void test_seeds_and_streams_differ(void **state)
{
	struct rt_rng a, b, c;

	(void)state;
	rt_rng_init(&a, 1, 0);
	rt_rng_init(&b, 1, 1);
	rt_rng_init(&c, 2, 0);
	assert_true(rt_rng_u64(&a) != rt_rng_u64(&b));
	assert_true(rt_rng_u64(&a) != rt_rng_u64(&c));
	rt_rng_init(&b, 1, 0);
	rt_rng_init(&a, 1, 0);
	for (int i = 0; i < 100; i++)
		assert_true(rt_rng_u64(&a) == rt_rng_u64(&b));
}

/* Means of 100,000 draws; three standard errors are 0.0028 and 0.0047. */
static void test_draws_stay_in_range_and_are_level(void **state)
{
	struct rt_rng rng;
	double sum = 0, faces = 0;

	(void)state;
	rt_rng_init(&rng, 7, 0);
	for (int i = 0; i < 100000; i++) {
		double unit = rt_rng_unit(&rng);
		uint64_t face = rt_rng_below(&rng, 6);

		assert_true(unit >= 0 && unit < 1);
		assert_true(face < 6);
		sum += unit;
		faces += (double)face / 5;
	}
	assert_true(sum / 100000 > 0.4972 && sum / 100000 < 0.5028);
	assert_true(faces / 100000 > 0.4953 && faces / 100000 < 0.5047);
	assert_int_equal(rt_rng_below(&rng, 0), 0);
}

/* FNV-1a of "a" and "foobar", from the FNV authors' test vectors. */
static void test_fnv_gives_the_published_values(void **state)
{
	(void)state;
	assert_true(rt_hash_bytes("", 0) == 0xcbf29ce484222325u);
	assert_true(rt_hash_bytes("a", 1) == 0xaf63dc4c8601ec8cu);
	assert_true(rt_hash_bytes("foobar", 6) == 0x85944171f73967e8u);
}

static void test_nearest_word_is_a_slip_of_the_pen(void **state)
{
	static const char *const words[] = { "incast", "sim", "profile", "headroom" };

	(void)state;
	assert_string_equal(rt_text_nearest("profle", words, 4), "profile");
	assert_string_equal(rt_text_nearest("headrom", words, 4), "headroom");
	assert_string_equal(rt_text_nearest("sin", words, 4), "sim");
	assert_null(rt_text_nearest("banana", words, 4));
	assert_null(rt_text_nearest("", words, 4));
}

static void test_utf8_length_stops_at_the_first_bad_byte(void **state)
{
	(void)state;
	assert_int_equal(rt_text_utf8_length("aé€😀", strlen("aé€😀")), 10);
	assert_int_equal(rt_text_utf8_length("ab\xc0\x80", 4), 2);
	assert_int_equal(rt_text_utf8_length("\xe2\x82", 2), 0);
	assert_int_equal(rt_text_utf8_length("\xf4\x90\x80\x80", 4), 0);
	assert_int_equal(rt_text_utf8_length("", 0), 0);
}

RT_UNIT_MAIN(cmocka_unit_test(test_splitmix_gives_the_published_values),
	     cmocka_unit_test(test_xoshiro_gives_the_published_values),
	     cmocka_unit_test(test_logarithm_is_that_of_the_tables),
	     cmocka_unit_test(test_mrg32k3a_gives_the_published_streams),
	     cmocka_unit_test(test_mrg32k3a_jumps_as_far_as_it_says),
	     cmocka_unit_test(test_seeds_and_streams_differ),
	     cmocka_unit_test(test_draws_stay_in_range_and_are_level),
	     cmocka_unit_test(test_fnv_gives_the_published_values),
	     cmocka_unit_test(test_nearest_word_is_a_slip_of_the_pen),
	     cmocka_unit_test(test_utf8_length_stops_at_the_first_bad_byte))
