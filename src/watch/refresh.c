/* SPDX-License-Identifier: BSD-2-Clause */
/* refresh.c - how often the values of a source change. */
#include "watch/refresh.h"

/* Regular changes that make a slow source. */
#define ENOUGH 4u

static uint64_t since(int64_t later_ns, int64_t earlier_ns)
{
	return (uint64_t)later_ns - (uint64_t)earlier_ns;
}

void rt_refresh_begin(struct rt_refresh *refresh, int64_t read_ns, uint64_t least_ns,
		      bool exact)
{
	if (exact)
		refresh->floor_ns = 0;
	else if (refresh->gap_count == 0)
		refresh->floor_ns = least_ns > RT_REFRESH_USUAL_NS
					    ? least_ns
					    : RT_REFRESH_USUAL_NS;
	refresh->begun = true;
	refresh->moved = false;
	refresh->holding = false;
	refresh->read_ns = refresh->from_ns = refresh->change_ns = read_ns;
}

/* --- learning ------------------------------------------------------------------------------ */

/* The second smallest: one that is short by chance proves nothing. */
static uint64_t second_smallest(const struct rt_refresh *refresh)
{
	uint64_t least = UINT64_MAX, second = UINT64_MAX;

	for (unsigned i = 0; i < RT_REFRESH_GAPS && i < refresh->gap_count; i++) {
		const uint64_t gap = refresh->gaps_ns[i];

		if (gap < least) {
			second = least;
			least = gap;
		} else if (gap < second) {
			second = gap;
		}
	}
	return second;
}

/*
 * The mean of the gaps that are the least one but for where readings fall, when they are
 * enough; 0: they are not, or are no longer than between readings.
 */
static uint64_t regular(const struct rt_refresh *refresh, uint64_t step_ns)
{
	const uint64_t near_ns = step_ns + step_ns / 8;
	uint64_t sum = 0;
	unsigned count = 0;

	if (refresh->floor_ns * 2 < step_ns * 3)
		return 0;
	for (unsigned i = 0; i < RT_REFRESH_GAPS && i < refresh->gap_count; i++) {
		const uint64_t gap = refresh->gaps_ns[i];

		if (gap <= refresh->floor_ns + near_ns &&
		    gap + near_ns >= refresh->floor_ns) {
			sum += gap;
			count++;
		}
	}
	return count >= ENOUGH ? sum / count : 0;
}

/* Changes far apart are no refreshing. */
static void learn(struct rt_refresh *refresh, uint64_t gap_ns, uint64_t step_ns)
{
	const uint64_t usual_ns = refresh->floor_ns > RT_REFRESH_USUAL_NS
					  ? refresh->floor_ns
					  : RT_REFRESH_USUAL_NS;
	uint64_t second;

	if (refresh->floor_ns == 0)
		return;
	if (refresh->moved && gap_ns <= 2 * usual_ns) {
		refresh->gaps_ns[refresh->gap_count++ % RT_REFRESH_GAPS] = gap_ns;
		second = second_smallest(refresh);
		if (refresh->gap_count >= RT_REFRESH_GAPS || second < refresh->floor_ns)
			refresh->floor_ns = second;
	}
	refresh->refresh_ns = regular(refresh, step_ns);
}

/* --- reading ------------------------------------------------------------------------------- */

/* Whether a source that did not change may still have something to tell. */
static bool may_be_late(const struct rt_refresh *refresh, uint64_t quiet_ns)
{
	const uint64_t own_ns = refresh->refresh_ns ? refresh->refresh_ns
						    : refresh->floor_ns;

	if (!refresh->moved)
		return quiet_ns < own_ns - own_ns / 10;
	return quiet_ns < own_ns + own_ns / 2;
}

static uint64_t span_of_change(const struct rt_refresh *refresh, uint64_t elapsed_ns)
{
	const uint64_t own_ns = refresh->refresh_ns;
	uint64_t times;

	if (own_ns) {
		times = (elapsed_ns + own_ns / 2) / own_ns;
		return (times ? times : 1) * own_ns;
	}
	/* Less than two thirds: not only where the readings fell. */
	return elapsed_ns < refresh->floor_ns - refresh->floor_ns / 3
		       ? refresh->floor_ns
		       : elapsed_ns;
}

uint64_t rt_refresh_read(struct rt_refresh *refresh, int64_t read_ns, bool changed)
{
	const uint64_t quiet_ns = since(read_ns, refresh->change_ns);
	uint64_t elapsed_ns = since(read_ns, refresh->from_ns);

	refresh->every_ns = since(read_ns, refresh->read_ns);
	refresh->read_ns = read_ns;
	refresh->holding = !changed && may_be_late(refresh, quiet_ns);
	if (refresh->holding)
		return 0;
	if (changed) {
		learn(refresh, quiet_ns, refresh->every_ns);
		elapsed_ns = span_of_change(refresh, elapsed_ns);
		refresh->change_ns = read_ns;
		refresh->moved = true;
	}
	refresh->from_ns = read_ns;
	return elapsed_ns;
}

uint64_t rt_refresh_age_ns(const struct rt_refresh *refresh, int64_t time_ns)
{
	const int64_t of_ns = refresh->holding ? refresh->change_ns : refresh->read_ns;

	return refresh->begun && time_ns > of_ns ? since(time_ns, of_ns) : 0;
}
