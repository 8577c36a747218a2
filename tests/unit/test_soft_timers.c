/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit.h"

#include "base/own.h"
#include "base/rng.h"
#include "traffic/soft_timers.h"

#define COUNT 200u

static uint64_t least_of(const uint64_t at_ps[COUNT])
{
	uint64_t least_ps = RT_PS_NEVER;

	for (unsigned i = 0; i < COUNT; i++)
		least_ps = at_ps[i] < least_ps ? at_ps[i] : least_ps;
	return least_ps;
}

/* Whatever is set, moved and taken, the earliest is the one of a plain list. */
static void test_timers_fire_in_order_of_time(void **state)
{
	struct rt_soft_timers timers = { 0 };
	uint64_t at_ps[COUNT];
	struct rt_rng rng;

	(void)state;
	rt_rng_init(&rng, 1, 0);
	for (unsigned i = 0; i < COUNT; i++)
		at_ps[i] = RT_PS_NEVER;
	assert_true(rt_soft_timers_grow(&timers, COUNT / 2));
	assert_true(rt_soft_timers_grow(&timers, COUNT));
	for (unsigned i = 0; i < 20000; i++) {
		const uint32_t number = (uint32_t)rt_rng_below(&rng, COUNT);
		uint32_t taken = COUNT;

		switch (rt_rng_below(&rng, 3)) {
		case 0: at_ps[number] = RT_PS_NEVER; break;
		default: at_ps[number] = rt_rng_below(&rng, 1000);
		}
		rt_soft_timers_set(&timers, number, at_ps[number]);
		assert_int_equal(rt_soft_timers_on(&timers, number),
				 at_ps[number] != RT_PS_NEVER);
		assert_true(rt_soft_timers_next(&timers) == least_of(at_ps));
		if (rt_rng_below(&rng, 2))
			continue;
		if (!rt_soft_timers_due(&timers, 500, &taken)) {
			assert_true(least_of(at_ps) > 500);
			continue;
		}
		assert_true(at_ps[taken] == least_of(at_ps));
		at_ps[taken] = RT_PS_NEVER;
	}
	rt_soft_timers_free(&timers);
}

RT_UNIT_MAIN(cmocka_unit_test(test_timers_fire_in_order_of_time))
