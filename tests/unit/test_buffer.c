/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The shared buffer: thresholds, XOFF and XON, headroom and drops, worked out by
 * hand for the DCQCN paper's switch and for the two public ns-3 models.
 */
#include "unit.h"

#include "base/own.h"
#include "base/rng.h"
#include "cc/buffer.h"

/* Put count packets in; all must be stored; returns how many XOFFs they made. */
static unsigned fill(struct rt_buffer_pool *pool, const struct rt_pg_params *params,
		     struct rt_pg *pg, unsigned count, uint32_t bytes)
{
	unsigned pauses = 0;

	while (count--) {
		unsigned verdict = rt_buffer_enqueue(pool, params, pg, bytes);

		assert_false(verdict & RT_BUFFER_DROP);
		pauses += !!(verdict & RT_BUFFER_PAUSE);
	}
	return pauses;
}

/* Take count packets out; none may make an XON. */
static void drain(struct rt_buffer_pool *pool, const struct rt_pg_params *params,
		  struct rt_pg *pg, unsigned count, uint32_t bytes)
{
	while (count--)
		assert_int_equal(rt_buffer_dequeue(pool, params, pg, bytes),
				 RT_BUFFER_OK);
}

static void test_buffer_alpha_is_exact_for_powers_of_two(void **state)
{
	static const struct {
		int dynamic_th;
		uint64_t ppb;
	} cases[] = {
		{ -7, 7812500 },   { -3, 125000000 },  { -1, 500000000 },
		{ 0, 1000000000 }, { 3, 8000000000u }, { 4, 16000000000u },
	};
	struct rt_rng rng;

	(void)state;
	rt_rng_init(&rng, 1, 0);
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_pg_params params = {
			.dynamic = true,
			.alpha_q32 = rt_buffer_alpha_from_dynamic_th(
				cases[i].dynamic_th),
		};

		assert_int_equal(params.alpha_q32,
				 rt_buffer_alpha_from_ppb(cases[i].ppb));
		for (unsigned n = 0; n < 1000; n++) {
			const struct rt_buffer_pool pool = {
				.size_bytes = rt_rng_below(&rng, 1ull << 36),
			};
			const int th = cases[i].dynamic_th;

			assert_int_equal(rt_buffer_threshold(&pool, &params),
					 th < 0 ? pool.size_bytes >> -th
						: pool.size_bytes << th);
		}
	}
}

/*
 * DCQCN paper, section 4, static: B = 12 MB, 32 ports, 8 priorities, 22.4 KB of
 * headroom each: t_PFC = (12000 - 8*32*22.4) / (8*32) KB = 24475 bytes; XON two MTU
 * (1500) below.  Packets of 1500: 16 are 24000; the 17th would be 25500 > 24475.
 */
static void test_buffer_static_threshold_of_the_paper(void **state)
{
	const struct rt_pg_params params = {
		.lossless = true,
		.headroom_bytes = 22400,
		.xoff_bytes = 24475,
		.xon_bytes = 3000,
	};
	struct rt_buffer_pool pool = { .size_bytes = 12000000 - 8 * 32 * 22400 };
	struct rt_pg pg = { 0 };

	(void)state;
	assert_int_equal(pool.size_bytes / (8 * 32), params.xoff_bytes);
	assert_int_equal(fill(&pool, &params, &pg, 16, 1500), 0);
	assert_int_equal(rt_buffer_enqueue(&pool, &params, &pg, 1500), RT_BUFFER_PAUSE);
	assert_int_equal(pg.used_bytes, 24000);
	assert_int_equal(pg.headroom_bytes, 1500);
	/* 14 more in flight: 15 * 1500 = 22500 > 22400, so only 13 fit. */
	assert_int_equal(fill(&pool, &params, &pg, 13, 1500), 0);
	assert_int_equal(rt_buffer_enqueue(&pool, &params, &pg, 1500), RT_BUFFER_DROP);
	assert_int_equal(pg.headroom_bytes, 14 * 1500);

	/* Headroom leaves first (14), then 24000, 22500, 21000: 21000 + 3000 <= 24475. */
	drain(&pool, &params, &pg, 15, 1500);
	assert_int_equal(pg.used_bytes, 22500);
	assert_int_equal(rt_buffer_dequeue(&pool, &params, &pg, 1500),
			 RT_BUFFER_RESUME);
	assert_int_equal(pg.used_bytes, 21000);
	drain(&pool, &params, &pg, 14, 1500);
	assert_int_equal(pool.used_bytes, 0);
	assert_int_equal(pool.headroom_used_bytes, 0);
}

/*
 * On the threshold itself (2000, packets of 1000, XON 1000 under it).  SPLIT: use 2000
 * is stored in the pool and is XOFF; 1000 + 1000 <= 2000 is XON.  COUNTED: 2000 is no
 * XOFF, 3000 is; 1000 + 1000 < 2000 is no XON, 0 + 1000 is.
 */
static void test_buffer_equality_as_each_form_has_it(void **state)
{
	struct rt_pg_params params = {
		.lossless = true,
		.reserved_bytes = 1000,
		.headroom_bytes = 1000,
		.xoff_bytes = 2000,
		.xon_bytes = 1000,
	};
	struct rt_buffer_pool pool = { .size_bytes = 9000, .memory_bytes = 9000 };
	struct rt_pg pg = { 0 };

	(void)state;
	assert_int_equal(fill(&pool, &params, &pg, 2, 1000), 0);
	assert_int_equal(rt_buffer_enqueue(&pool, &params, &pg, 1000), RT_BUFFER_PAUSE);
	assert_int_equal(pg.headroom_bytes, 0);
	assert_int_equal(rt_buffer_dequeue(&pool, &params, &pg, 1000),
			 RT_BUFFER_RESUME);

	params.form = RT_BUFFER_COUNTED;
	pool.used_bytes = pg.used_bytes = 0;
	assert_int_equal(fill(&pool, &params, &pg, 3, 1000), 0);
	assert_int_equal(rt_buffer_enqueue(&pool, &params, &pg, 1000), RT_BUFFER_PAUSE);
	drain(&pool, &params, &pg, 2, 1000);
	assert_int_equal(pg.used_bytes, 2000);
	assert_int_equal(rt_buffer_dequeue(&pool, &params, &pg, 1000),
			 RT_BUFFER_RESUME);
}

static const struct rt_pg_params hpcc_params = {
	.form = RT_BUFFER_SPLIT,
	.lossless = true,
	.dynamic = true,
	.reserved_bytes = 4096,
	.headroom_bytes = 37500,
	.alpha_q32 = RT_BUFFER_ALPHA_ONE >> 3,
	.xon_bytes = 3072,
};

/*
 * hpcc, 32 MiB and 9 ports: B' = 33554432 - 9 (37500 + 4096) = 33180068.  The n-th
 * packet of 1048 enters the pool while 1048 n - 4096 <= (B' - used) / 8 with used =
 * 1048 (n - 1) - 4096, that is 9432 n <= 33217980: n = 3521.  The 3522nd is headroom
 * and XOFF.
 */
static void test_buffer_hpcc_pauses_and_resumes_where_it_should(void **state)
{
	struct rt_buffer_pool pool = { .size_bytes = 33554432 - 9 * (37500 + 4096) };
	struct rt_pg pg = { 0 };

	(void)state;
	assert_int_equal(fill(&pool, &hpcc_params, &pg, 3521, 1048), 0);
	assert_int_equal(pool.used_bytes, 3521 * 1048 - 4096);
	assert_int_equal(rt_buffer_enqueue(&pool, &hpcc_params, &pg, 1048),
			 RT_BUFFER_PAUSE);
	/* 37500 / 1048 = 35.8: 34 more, the next is lost and changes nothing. */
	assert_int_equal(fill(&pool, &hpcc_params, &pg, 34, 1048), 0);
	assert_int_equal(rt_buffer_enqueue(&pool, &hpcc_params, &pg, 1048),
			 RT_BUFFER_DROP);
	assert_int_equal(pg.headroom_bytes, 35 * 1048);
	assert_int_equal(pool.used_bytes, 3521 * 1048 - 4096);

	/* 35 leave headroom.  XON at 3685912 - 1048 k + 3072 <= 3686769 + 131 k, with
	 * k more: 2215 <= 1179 k: k = 2, the 37th to leave. */
	drain(&pool, &hpcc_params, &pg, 36, 1048);
	assert_true(pg.paused);
	assert_int_equal(rt_buffer_dequeue(&pool, &hpcc_params, &pg, 1048),
			 RT_BUFFER_RESUME);
	drain(&pool, &hpcc_params, &pg, 3519, 1048);
	assert_int_equal(pool.used_bytes, 0);
	assert_int_equal(pg.used_bytes, 0);
}

/*
 * N equal groups share: x = alpha B' / (1 + alpha N) each.  hpcc, 8 senders: pool use
 * of each within a packet of B' / 16 = 2073754.
 */
static void test_buffer_dynamic_threshold_shares_equally(void **state)
{
	struct rt_buffer_pool pool = { .size_bytes = 33180068 };
	struct rt_pg pg[8] = { 0 };
	unsigned pauses = 0;

	(void)state;
	while (pauses < 8)
		for (unsigned i = 0; i < 8; i++)
			if (!pg[i].paused)
				pauses += rt_buffer_enqueue(&pool, &hpcc_params, &pg[i],
							    1048) == RT_BUFFER_PAUSE;
	for (unsigned i = 0; i < 8; i++)
		assert_in_range(pg[i].used_bytes - 4096, 2073754 - 1048,
				2073754 + 1048);
}

/*
 * The authors' model: limit 4000 cells of 1030 = 4120000, alpha 16, guarantees 2060
 * (group and port), headroom 100 cells, XON as if the pool held 16 bytes more: 256.
 * XOFF at 1020 n - 2060 > 16 (4120000 - 1020 n): 17340 n > 65922060: n = 3802.
 */
static void test_buffer_counted_form_of_the_authors_model(void **state)
{
	const struct rt_pg_params params = {
		.form = RT_BUFFER_COUNTED,
		.lossless = true,
		.dynamic = true,
		.reserved_bytes = 2060,
		.headroom_bytes = 103000,
		.alpha_q32 = RT_BUFFER_ALPHA_ONE << 4,
		.xon_bytes = 256,
	};
	struct rt_buffer_pool pool = { .size_bytes = 4120000, .memory_bytes = 9000000 };
	struct rt_pg pg = { 0 };

	(void)state;
	assert_int_equal(fill(&pool, &params, &pg, 3801, 1020), 0);
	assert_int_equal(rt_buffer_enqueue(&pool, &params, &pg, 1020), RT_BUFFER_PAUSE);
	/* Over the limit from the 4040th (4120800) on: that one is headroom, and 100
	 * of 1020 are 102000 <= 103000.  The 101st is lost. */
	assert_int_equal(fill(&pool, &params, &pg, 4039 - 3802, 1020), 0);
	assert_int_equal(pg.headroom_bytes, 0);
	assert_int_equal(fill(&pool, &params, &pg, 100, 1020), 0);
	assert_int_equal(pg.headroom_bytes, 102000);
	assert_int_equal(rt_buffer_enqueue(&pool, &params, &pg, 1020), RT_BUFFER_DROP);
	assert_int_equal(pool.used_bytes, 4139 * 1020);

	/* At 3802 packets 3875980 + 256 is not below 16 * 241960 = 3871360; at 3801,
	 * 3874960 + 256 < 16 * 242980 = 3887680: XON. */
	drain(&pool, &params, &pg, 4139 - 3802, 1020);
	assert_int_equal(rt_buffer_dequeue(&pool, &params, &pg, 1020),
			 RT_BUFFER_RESUME);
	drain(&pool, &params, &pg, 3801, 1020);
	assert_int_equal(pool.used_bytes, 0);
	assert_int_equal(pool.headroom_used_bytes, 0);
}

/* The whole memory is full: even a guaranteed byte is refused by this model. */
static void test_buffer_counted_memory_is_the_last_limit(void **state)
{
	const struct rt_pg_params params = {
		.form = RT_BUFFER_COUNTED,
		.lossless = true,
		.reserved_bytes = 4000,
		.xoff_bytes = 1000000,
		.headroom_bytes = 1000000,
	};
	struct rt_buffer_pool pool = { .size_bytes = 8000, .memory_bytes = 9000 };
	struct rt_pg pg = { 0 };

	(void)state;
	fill(&pool, &params, &pg, 9, 1000);
	assert_int_equal(rt_buffer_enqueue(&pool, &params, &pg, 1), RT_BUFFER_DROP);
}

/* A lossy group never pauses: over its threshold it drops; its guarantee stays. */
static void test_buffer_lossy_drops_instead_of_pausing(void **state)
{
	const struct rt_pg_params params = {
		.dynamic = true,
		.reserved_bytes = 3000,
		.headroom_bytes = 50000, /* not for a lossy one */
		.alpha_q32 = RT_BUFFER_ALPHA_ONE,
	};
	struct rt_buffer_pool pool = { .size_bytes = 10000 };
	struct rt_pg pg[2] = { 0 };

	(void)state;
	/* 3 packets guaranteed; then excess e <= 10000 - (e - 1000): e = 5000. */
	assert_int_equal(fill(&pool, &params, &pg[0], 8, 1000), 0);
	assert_int_equal(rt_buffer_enqueue(&pool, &params, &pg[0], 1000),
			 RT_BUFFER_DROP);
	assert_int_equal(pool.used_bytes, 5000);
	/* Another takes what alpha leaves it, and has its guarantee in any case. */
	pool.used_bytes = 10000;
	assert_int_equal(fill(&pool, &params, &pg[1], 3, 1000), 0);
	assert_int_equal(rt_buffer_enqueue(&pool, &params, &pg[1], 1), RT_BUFFER_DROP);
	assert_false(pg[0].paused || pg[1].paused);
}

/* An alpha of 16 alone would let a group into memory that is not there. */
static void test_buffer_split_pool_never_overflows(void **state)
{
	const struct rt_pg_params params = {
		.lossless = true,
		.dynamic = true,
		.alpha_q32 = RT_BUFFER_ALPHA_ONE << 4,
		.headroom_bytes = 2000,
	};
	struct rt_buffer_pool pool = { .size_bytes = 10500 };
	struct rt_pg pg = { 0 };

	(void)state;
	/* 9 packets: 9000 <= 16 * 2500; 10: 10000 <= 16 * 1500, then 10000 >= 16 * 500
	 * is XOFF.  The 11th would need 500 bytes more than there are. */
	assert_int_equal(fill(&pool, &params, &pg, 9, 1000), 0);
	assert_int_equal(fill(&pool, &params, &pg, 1, 1000), 1);
	assert_int_equal(pool.used_bytes, 10000);
	fill(&pool, &params, &pg, 2, 1000);
	assert_int_equal(pg.headroom_bytes, 2000);
	assert_int_equal(rt_buffer_enqueue(&pool, &params, &pg, 1000), RT_BUFFER_DROP);
}

/* A shared headroom pool of 40000: 35 packets of one group leave 3320 for another. */
static void test_buffer_shared_headroom_is_shared(void **state)
{
	struct rt_buffer_pool pool = { .headroom_size_bytes = 40000 };
	struct rt_pg_params params = hpcc_params;
	struct rt_pg pg[2] = { 0 };

	(void)state;
	params.reserved_bytes = 0;
	assert_int_equal(fill(&pool, &params, &pg[0], 35, 1048), 1);
	assert_int_equal(fill(&pool, &params, &pg[1], 3, 1048), 1);
	assert_int_equal(rt_buffer_enqueue(&pool, &params, &pg[1], 1048),
			 RT_BUFFER_DROP);
	assert_int_equal(pool.headroom_used_bytes, 38 * 1048);
}

/* Egress, alpha 1, pool 10000, 1000 guaranteed a queue. */
static void test_buffer_egress_limit_of_a_lossy_queue(void **state)
{
	struct rt_egress_params params = {
		.dynamic = true,
		.reserved_bytes = 1000,
		.alpha_q32 = RT_BUFFER_ALPHA_ONE,
	};
	struct rt_buffer_pool pool = { .size_bytes = 10000 };
	uint64_t queue = 0;

	(void)state;
	/* n packets use n - 1 of the pool: n - 1 <= 10 - (n - 2): n = 6. */
	for (unsigned n = 0; n < 6; n++)
		assert_true(rt_egress_enqueue(&pool, &params, &queue, 1000));
	assert_false(rt_egress_enqueue(&pool, &params, &queue, 1000));
	assert_int_equal(queue, 6000);
	assert_int_equal(pool.used_bytes, 5000);
	params.dynamic = false;
	params.limit_bytes = 5500;
	assert_true(rt_egress_enqueue(&pool, &params, &queue, 500));
	assert_false(rt_egress_enqueue(&pool, &params, &queue, 1));
	rt_egress_dequeue(&pool, &params, &queue, 6000);
	assert_int_equal(pool.used_bytes, 0);
	assert_int_equal(queue, 500);
}

/* --- properties ------------------------------------------------------------ */

enum {
	GROUPS = 16,
	DEPTH = 64
};

static struct rt_pg_params random_group(struct rt_rng *rng, enum rt_buffer_form form)
{
	return (struct rt_pg_params){
		.form = form,
		.lossless = rt_rng_below(rng, 4),
		.dynamic = rt_rng_below(rng, 3),
		.reserved_bytes = rt_rng_below(rng, 3) * 2048,
		.headroom_bytes = rt_rng_below(rng, 40000),
		.xoff_bytes = rt_rng_below(rng, 60000),
		.alpha_q32 = rt_buffer_alpha_from_dynamic_th((int)rt_rng_below(rng, 8) -
							     4),
		.xon_bytes = rt_rng_below(rng, 5000),
	};
}

static void check_sums(const struct rt_buffer_pool *pool,
		       const struct rt_pg_params *params, const struct rt_pg *pg)
{
	uint64_t headroom = 0, shared = 0;

	for (unsigned i = 0; i < GROUPS; i++) {
		const int64_t excess = rt_pg_excess(&pg[i], &params[i]);

		headroom += pg[i].headroom_bytes;
		if (params[i].form == RT_BUFFER_COUNTED)
			shared += pg[i].used_bytes;
		else
			shared += excess > 0 ? (uint64_t)excess : 0;
		assert_true(pg[i].headroom_bytes <= params[i].headroom_bytes ||
			    params[i].form == RT_BUFFER_COUNTED);
		assert_false(pg[i].paused && !params[i].lossless);
		assert_false(pg[i].paused && !pg[i].used_bytes &&
			     !pg[i].headroom_bytes);
	}
	assert_int_equal(pool->headroom_used_bytes, headroom);
	assert_int_equal(pool->used_bytes, shared);
	assert_true(pool->used_bytes <= (params->form == RT_BUFFER_COUNTED
						 ? pool->memory_bytes
						 : pool->size_bytes));
}

/* One random packet in or out of a random group; its size waits in a ring. */
static unsigned move(struct rt_buffer_pool *pool, const struct rt_pg_params *params,
		     struct rt_pg *pg, struct rt_rng *rng, uint32_t (*sizes)[DEPTH],
		     unsigned (*ends)[2])
{
	const unsigned i = (unsigned)rt_rng_below(rng, GROUPS);
	unsigned *head = &ends[i][0], *tail = &ends[i][1], verdict;

	if (rt_rng_below(rng, 100) < 55 && *tail - *head < DEPTH) {
		const uint32_t bytes = 64 + (uint32_t)rt_rng_below(rng, 4096);
		const struct rt_pg before = pg[i];

		verdict = rt_buffer_enqueue(pool, &params[i], &pg[i], bytes);
		if (verdict & RT_BUFFER_DROP)
			assert_memory_equal(&before, &pg[i], sizeof(before));
		else
			sizes[i][(*tail)++ % DEPTH] = bytes;
		assert_false(before.paused && verdict & RT_BUFFER_PAUSE);
		return verdict;
	}
	if (*tail == *head)
		return 0;
	verdict = rt_buffer_dequeue(pool, &params[i], &pg[i],
				    sizes[i][(*head)++ % DEPTH]);
	return verdict;
}

static void test_buffer_accounts_return_to_zero(void **state)
{
	unsigned seen = 0;
	struct rt_rng rng;

	(void)state;
	rt_rng_init(&rng, 17, 0);
	for (unsigned round = 0; round < 60; round++) {
		const enum rt_buffer_form form = round % 2 ? RT_BUFFER_COUNTED
							   : RT_BUFFER_SPLIT;
		struct rt_buffer_pool pool = {
			.size_bytes = 50000 + rt_rng_below(&rng, 400000),
			.memory_bytes = 450000 + rt_rng_below(&rng, 300000),
			.headroom_size_bytes = rt_rng_below(&rng, 2) * 100000,
		};
		struct rt_pg_params params[GROUPS];
		struct rt_pg pg[GROUPS] = { 0 };
		uint32_t sizes[GROUPS][DEPTH];
		unsigned ends[GROUPS][2] = { 0 };

		for (unsigned i = 0; i < GROUPS; i++)
			params[i] = random_group(&rng, form);
		for (unsigned n = 0; n < 4000; n++) {
			seen |= move(&pool, params, pg, &rng, sizes, ends);
			check_sums(&pool, params, pg);
		}
		for (unsigned i = 0; i < GROUPS; i++)
			while (ends[i][0] != ends[i][1])
				rt_buffer_dequeue(&pool, &params[i], &pg[i],
						  sizes[i][ends[i][0]++ % DEPTH]);
		check_sums(&pool, params, pg);
		assert_int_equal(pool.used_bytes, 0);
		assert_int_equal(pool.headroom_used_bytes, 0);
	}
	assert_int_equal(seen, RT_BUFFER_DROP | RT_BUFFER_PAUSE | RT_BUFFER_RESUME);
}

RT_UNIT_MAIN(cmocka_unit_test(test_buffer_alpha_is_exact_for_powers_of_two),
	     cmocka_unit_test(test_buffer_static_threshold_of_the_paper),
	     cmocka_unit_test(test_buffer_equality_as_each_form_has_it),
	     cmocka_unit_test(test_buffer_hpcc_pauses_and_resumes_where_it_should),
	     cmocka_unit_test(test_buffer_dynamic_threshold_shares_equally),
	     cmocka_unit_test(test_buffer_counted_form_of_the_authors_model),
	     cmocka_unit_test(test_buffer_counted_memory_is_the_last_limit),
	     cmocka_unit_test(test_buffer_lossy_drops_instead_of_pausing),
	     cmocka_unit_test(test_buffer_split_pool_never_overflows),
	     cmocka_unit_test(test_buffer_shared_headroom_is_shared),
	     cmocka_unit_test(test_buffer_egress_limit_of_a_lossy_queue),
	     cmocka_unit_test(test_buffer_accounts_return_to_zero))
