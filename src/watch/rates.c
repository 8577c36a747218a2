/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rates.c - from two readings to rates.
 *
 * First what was added to each item and what that says of its source, then the rates of
 * the sources of which a reading ended a span of time.  Both either of a whole source,
 * or, once that is settled, of what the set says has moved: rates of others are 0, and
 * stay so.
 */
#include <math.h>
#include <string.h>

#include "watch/meter.h"

/*
 * Longer, and a counter of 32 bits may have passed its end more than once.  2^32 in two
 * minutes are 35 million a second; what NICs count in 32 bits are errors and requests.
 */
#define WRAPS_IN_NS UINT64_C(120000000000)

/* What this tick means for each source. */
struct step {
	int64_t read_ns[RT_SOURCE_COUNT];
	unsigned fresh, begins, stands, resets; /* bits of sources */
	unsigned whole;                  /* those of which all items are looked at */
	size_t changed;                  /* items listed, of the other ones */
	uint64_t moved[RT_SOURCE_COUNT]; /* not 0: something was added */
	uint64_t elapsed_ns[RT_SOURCE_COUNT];
	double factor[RT_SOURCE_COUNT]; /* from what was added to a rate */
	int64_t from_ns[RT_SOURCE_COUNT];
};

/* --- which sources were read anew ---------------------------------------------------------- */

/* Time that goes back begins anew; time that stands leaves what was added known. */
static void look_at_source(const struct rt_meter *meter,
			   const struct rt_counter_set *set, unsigned source,
			   struct step *step)
{
	const struct rt_refresh *refresh = &meter->refresh[source];
	const int64_t paced_ns = set->paces[source].read_ns;
	const int64_t read_ns = paced_ns ? paced_ns : set->time_ns;
	const unsigned bit = 1u << source;

	step->read_ns[source] = read_ns;
	if (refresh->begun && paced_ns && read_ns == refresh->read_ns)
		return;
	step->fresh |= bit;
	if (!refresh->begun || read_ns < refresh->read_ns)
		step->begins |= bit;
	else if (read_ns == refresh->read_ns)
		step->stands |= bit;
}

static void look_at_sources(const struct rt_meter *meter,
			    const struct rt_counter_set *set, struct step *step)
{
	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++)
		if (meter->sources >> i & 1)
			look_at_source(meter, set, i, step);
}

/* --- what was added ------------------------------------------------------------------------ */

/* Of one run; what was added at all is not 0.  *ret_reset: one began anew. */
static uint64_t take_run(struct rt_meter_items *items, const struct rt_counter_set *set,
			 const struct rt_meter_run *run, bool *ret_reset)
{
	const struct rt_counter_reading *now = set->items + run->from;
	const size_t end = run->end;
	uint64_t moved = 0;

	for (size_t i = run->from; i < end; i++, now++) {
		uint64_t added = 0;

		if (!rt_counter_added(now, items->last[i], &added))
			*ret_reset = true;
		items->last[i] = now->value;
		items->added[i] = added;
		moved |= added;
	}
	return moved;
}

/* In order of runs. */
static void take_whole(struct rt_meter *meter, const struct rt_counter_set *set,
		       struct step *step)
{
	const unsigned wanted = step->fresh & step->whole & meter->sources;

	for (size_t i = 0; wanted && i < meter->run_count; i++) {
		const struct rt_meter_run *run = &meter->runs[i];
		bool reset = false;

		if (!(wanted >> run->source & 1))
			continue;
		step->moved[run->source] |= take_run(&meter->items, set, run, &reset);
		step->resets |= (unsigned)reset << run->source;
	}
}

/* An item may be told to have moved twice: the second time nothing is added. */
static void take_moved(struct rt_meter *meter, const struct rt_counter_set *set,
		       struct step *step)
{
	struct rt_meter_items *items = &meter->items;

	for (size_t i = 0; i < set->moved_count; i++) {
		const struct rt_counter_move *move = &set->moved[i];
		const uint32_t item = move->item;
		const unsigned source = items->source[item];
		const uint64_t before = items->last[item];
		uint64_t added = 0;

		if (step->whole >> source & 1 || move->value == before)
			continue;
		if (!(step->fresh >> source & 1)) { /* next time it is found again */
			meter->settled &= ~(1u << source);
			continue;
		}
		if (move->value > before)
			added = move->value - before;
		else if (!rt_counter_passed_end(&set->items[item], before, &added))
			step->resets |= 1u << source;
		items->last[item] = move->value;
		items->added[item] = added;
		items->changed[step->changed++] = item;
		step->moved[source] |= added;
	}
}

/* Nothing is known of what moved between fillings that were not seen. */
static unsigned choose_whole(const struct rt_meter *meter,
			     const struct rt_counter_set *set, const struct step *step)
{
	const bool follows = set->layout && meter->filling &&
			     set->filling == meter->filling + 1;

	return follows ? ~meter->settled | step->begins | step->stands : ~0u;
}

static void take_values(struct rt_meter *meter, const struct rt_counter_set *set,
			struct step *step)
{
	step->whole = choose_whole(meter, set, step);
	take_whole(meter, set, step);
	if (~step->whole)
		take_moved(meter, set, step);
	meter->filling = set->filling;
	step->resets &= ~step->begins;
}

/* --- over which time ----------------------------------------------------------------------- */

static void begin_source(struct rt_meter *meter, const struct rt_counter_set *set,
			 unsigned source, int64_t read_ns)
{
	const bool of_files = source == RT_SOURCE_RDMA && set->refresh_ms.known &&
			      set->refresh_ms.value < UINT32_MAX;
	const uint64_t least_ns = of_files ? set->refresh_ms.value * 1000000 : 0;

	rt_refresh_begin(&meter->refresh[source], read_ns, least_ns,
			 set->paces[source].read_ns == 0);
	meter->born_ns[source] = read_ns;
	meter->elapsed_ns[source] = 0;
}

static void measure_spans(struct rt_meter *meter, const struct rt_counter_set *set,
			  struct step *step)
{
	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++) {
		struct rt_refresh *refresh = &meter->refresh[i];

		if (!(step->fresh >> i & 1))
			continue;
		step->from_ns[i] = refresh->from_ns;
		if ((step->begins | step->stands | step->resets) >> i & 1) {
			begin_source(meter, set, i, step->read_ns[i]);
			continue;
		}
		step->elapsed_ns[i] = rt_refresh_read(refresh, step->read_ns[i],
						      step->moved[i] != 0);
		if (step->elapsed_ns[i]) {
			meter->elapsed_ns[i] = step->elapsed_ns[i];
			step->factor[i] = 1e9 / (double)step->elapsed_ns[i];
		}
	}
}

/* --- rates --------------------------------------------------------------------------------- */

static void lose_item(struct rt_meter_items *items, size_t item)
{
	items->added[item] = 0;
	items->per_s[item] = NAN;
	items->since[item] = RT_METER_UNKNOWN;
}

static void add_since(struct rt_meter_items *items, size_t item)
{
	if (items->since[item] != RT_METER_UNKNOWN &&
	    __builtin_add_overflow(items->since[item], items->added[item],
				   &items->since[item]))
		items->since[item] = RT_METER_UNKNOWN;
}

static void lose_run(struct rt_meter_items *items, const struct rt_meter_run *run)
{
	for (size_t i = run->from; i < run->end; i++)
		lose_item(items, i);
}

/* How fast is not known, but what was added is. */
static void stand_run(struct rt_meter_items *items, const struct rt_meter_run *run)
{
	for (size_t i = run->from; i < run->end; i++) {
		items->per_s[i] = NAN;
		add_since(items, i);
	}
}

static void zero_run(struct rt_meter_items *items, const struct rt_meter_run *run)
{
	for (size_t i = run->from; i < run->end; i++)
		items->per_s[i] = 0;
}

static void rate_item(struct rt_meter *meter, size_t item, double factor)
{
	struct rt_meter_items *items = &meter->items;

	items->per_s[item] = (float)((double)items->added[item] * factor);
	items->rated[meter->rated_count++] = (uint32_t)item;
	add_since(items, item);
}

static void rate_run(struct rt_meter *meter, const struct rt_meter_run *run,
		     double factor)
{
	zero_run(&meter->items, run);
	for (size_t i = run->from; i < run->end; i++)
		if (meter->items.added[i]) /* as most stand still, most of the time */
			rate_item(meter, i, factor);
}

/* A source that is held has added nothing. */
static void rate_whole(struct rt_meter *meter, const struct step *step)
{
	const unsigned wanted = (step->whole | step->resets) & meter->sources;

	for (size_t i = 0; wanted && i < meter->run_count; i++) {
		const struct rt_meter_run *run = &meter->runs[i];
		const unsigned bit = 1u << run->source;

		if ((step->begins | step->resets) & bit)
			lose_run(&meter->items, run);
		else if (step->stands & bit)
			stand_run(&meter->items, run);
		else if (step->elapsed_ns[run->source] && step->whole & bit)
			rate_run(meter, run, step->factor[run->source]);
	}
}

static void rate_changed(struct rt_meter *meter, const struct step *step)
{
	for (size_t i = 0; i < step->changed; i++) {
		const uint32_t item = meter->items.changed[i];
		const unsigned source = meter->items.source[item];

		if (!(step->resets >> source & 1))
			rate_item(meter, item, step->factor[source]);
	}
}

/* Of sources that have a new rate, and of those that are to be looked at as a whole. */
static void drop_rated(struct rt_meter *meter, const struct step *step)
{
	struct rt_meter_items *items = &meter->items;
	size_t kept = 0;

	for (size_t i = 0; i < meter->rated_count; i++) {
		const uint32_t item = items->rated[i];
		const unsigned source = items->source[item];

		if (!(meter->settled >> source & 1))
			continue;
		if (step->elapsed_ns[source])
			items->per_s[item] = 0;
		else
			items->rated[kept++] = item;
	}
	meter->rated_count = kept;
}

/* Which sources have a rate of all their items now; the others' are not known, or old. */
static void settle(struct rt_meter *meter, const struct step *step)
{
	meter->settled &= ~(step->begins | step->stands | step->resets);
	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++)
		if (step->elapsed_ns[i])
			meter->settled |= 1u << i;
}

static void make_rates(struct rt_meter *meter, const struct step *step)
{
	if (step->whole == ~0u)
		meter->settled = 0;
	settle(meter, step);
	drop_rated(meter, step);
	rate_whole(meter, step);
	rate_changed(meter, step);
}

/* An item that came while its source's span had begun has no rate of this one. */
static void raise_young(struct rt_meter *meter, const struct step *step)
{
	struct rt_meter_items *items = &meter->items;

	for (size_t i = 0; i < items->count && meter->young_count; i++) {
		const unsigned source = items->what[i].source;

		if (!items->young[i])
			continue;
		items->per_s[i] = NAN;
		if (step->elapsed_ns[source] &&
		    step->read_ns[source] != meter->born_ns[source]) {
			if (step->from_ns[source] >= meter->born_ns[source])
				items->per_s[i] =
					(float)((double)items->added[i] * 1e9 /
						(double)step->elapsed_ns[source]);
			items->young[i] = 0;
			meter->young_count--;
		}
	}
}

/* What may have passed its end more than once. */
static void lose_wrapped(struct rt_meter *meter, const struct step *step)
{
	for (size_t i = 0; i < meter->items.count; i++)
		if (meter->items.what[i].bits < 64 &&
		    step->elapsed_ns[meter->items.what[i].source] > WRAPS_IN_NS)
			lose_item(&meter->items, i);
}

unsigned rt_meter_read(struct rt_meter *meter, const struct rt_counter_set *set)
{
	struct step step = { 0 };
	bool long_ago = false;

	look_at_sources(meter, set, &step);
	if (!step.fresh)
		return 0;
	take_values(meter, set, &step);
	measure_spans(meter, set, &step);
	make_rates(meter, &step);
	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++)
		long_ago |= step.elapsed_ns[i] > WRAPS_IN_NS;
	if (meter->young_count || long_ago)
		rt_meter_unsettle(meter);
	if (meter->young_count)
		raise_young(meter, &step);
	if (long_ago)
		lose_wrapped(meter, &step);
	return step.resets;
}

void rt_meter_set_baseline(struct rt_meter *meter, bool known)
{
	for (size_t i = 0; i < meter->items.count; i++)
		meter->items.since[i] = known ? 0 : RT_METER_UNKNOWN;
}
