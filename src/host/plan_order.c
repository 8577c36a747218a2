/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plan_order.c - which write comes first.
 *
 * PFC is switched on after what makes it safe (buffers, classification, traffic
 * classes, congestion control) and off before that is taken away; whoever is to own
 * DCB takes it before anything else, or gives it back after.  Changes of one access
 * are one step, at the place of the latest of them.
 */
#include <string.h>

#include "host/plan_parts.h"

/* Places in the order; gaps are for reading. */
enum place {
	PLACE_OWNER_TAKES = 0,
	PLACE_PAUSE_OFF = 10,
	PLACE_PFC_OFF = 20,
	PLACE_STORM = 25,
	PLACE_CC_OFF = 28,
	PLACE_BUFFER = 30,
	PLACE_TRUST_DSCP = 40,
	PLACE_MAP = 45,
	PLACE_TRUST_OTHER = 50,
	PLACE_ETS = 60,
	PLACE_RATE = 65,
	PLACE_TOS = 70,
	PLACE_CC = 75,
	PLACE_CC_ON = 76,
	PLACE_PFC_ON = 90,
	PLACE_BUFFER_AFTER = 92,
	PLACE_PAUSE_ON = 95,
	PLACE_OWNER_GIVES = 99,
};

struct order {
	const struct rt_driver *driver;
	struct rt_plan *plan;
	uint64_t whole;
};

static uint64_t number(const struct rt_qos *qos, enum rt_knob_id id)
{
	return qos->knobs[id].known ? qos->knobs[id].number[0] : 0;
}

/* Some priority becomes lossless. */
static bool pfc_grows(const struct rt_plan *plan)
{
	return (number(&plan->target, RT_KNOB_PFC_MASK) &
		~number(&plan->have, RT_KNOB_PFC_MASK)) != 0;
}

static bool pfc_shrinks(const struct rt_plan *plan)
{
	return (number(&plan->have, RT_KNOB_PFC_MASK) &
		~number(&plan->target, RT_KNOB_PFC_MASK)) != 0;
}

/* What is reset on the way is written after that, even when it gets less. */
static enum place place_of_pfc(const struct order *order)
{
	const bool again = order->whole >> RT_KNOB_PFC_MASK & 1;

	return again || pfc_grows(order->plan) || !pfc_shrinks(order->plan)
		       ? PLACE_PFC_ON
		       : PLACE_PFC_OFF;
}

static enum place place_of_scalar(const struct order *order,
				  const struct rt_change *change)
{
	const struct rt_plan *plan = order->plan;
	const uint64_t to = number(&plan->target, change->knob);

	switch (change->knob) {
	case RT_KNOB_DCBX_OWNER:
		return to == RT_DCBX_HOST ? PLACE_OWNER_TAKES : PLACE_OWNER_GIVES;
	case RT_KNOB_PAUSE_RX:
	case RT_KNOB_PAUSE_TX: return to ? PLACE_PAUSE_ON : PLACE_PAUSE_OFF;
	case RT_KNOB_PFC_MASK: return place_of_pfc(order);
	case RT_KNOB_TRUST:
		return to == RT_TRUST_DSCP ? PLACE_TRUST_DSCP : PLACE_TRUST_OTHER;
	case RT_KNOB_NP_ENABLE:
	case RT_KNOB_RP_ENABLE: return to ? PLACE_CC_ON : PLACE_CC_OFF;
	default: return PLACE_CC;
	}
}

static enum place place_of(const struct order *order, const struct rt_change *change)
{
	const struct rt_plan *plan = order->plan;

	if (change->raw != SIZE_MAX)
		return PLACE_CC;
	switch (change->knob) {
	case RT_KNOB_DSCP_PRIO: return PLACE_MAP;
	case RT_KNOB_PFC_CABLE: return PLACE_BUFFER;
	default: break;
	}
	switch (rt_knobs[change->knob].group) {
	case RT_GROUP_BUFFER:
		return pfc_shrinks(plan) && !pfc_grows(plan) ? PLACE_BUFFER_AFTER
							     : PLACE_BUFFER;
	case RT_GROUP_ETS: return PLACE_ETS;
	case RT_GROUP_RATE: return PLACE_RATE;
	case RT_GROUP_STORM: return PLACE_STORM;
	case RT_GROUP_TOS: return PLACE_TOS;
	case RT_GROUP_DCBX:
		return change->row->access == &rt_access_ets
			       ? PLACE_ETS /* willing */
			       : place_of_scalar(order, change);
	default: return place_of_scalar(order, change);
	}
}

/* How changes compare: place, then the row; those of one access stay together. */
struct key {
	unsigned place;
	size_t access_row, row;
};

static bool shares_step(const struct rt_change *a, const struct rt_change *b)
{
	return a->row->access == b->row->access && !a->row->access->by_row;
}

/* PFC decides for those that travel with it (bnxt: ETS); else the latest. */
static struct key key_of(const struct order *order, const struct rt_change *change)
{
	const struct rt_plan *plan = order->plan;
	const struct rt_driver_row *rows = order->driver->rows;
	const size_t own = (size_t)(change->row - rows);
	struct key key = { place_of(order, change), own, own };

	for (size_t i = 0; i < plan->change_count; i++) {
		const struct rt_change *other = &plan->changes[i];
		const size_t row = (size_t)(other->row - rows);

		if (!shares_step(change, other))
			continue;
		if (row < key.access_row)
			key.access_row = row;
		if (place_of(order, other) > key.place)
			key.place = place_of(order, other);
	}
	for (size_t i = 0; i < plan->change_count; i++)
		if (shares_step(change, &plan->changes[i]) &&
		    plan->changes[i].knob == RT_KNOB_PFC_MASK)
			key.place = place_of(order, &plan->changes[i]);
	return key;
}

static bool comes_before(const struct key *a, const struct key *b)
{
	if (a->place != b->place)
		return a->place < b->place;
	if (a->access_row != b->access_row)
		return a->access_row < b->access_row;
	return a->row < b->row;
}

static void sort(const struct order *order)
{
	struct rt_plan *plan = order->plan;
	struct key keys[RT_PLAN_CHANGE_MAX];

	for (size_t i = 0; i < plan->change_count; i++)
		keys[i] = key_of(order, &plan->changes[i]);
	for (size_t i = 1; i < plan->change_count; i++) {
		const struct rt_change change = plan->changes[i];
		const struct key key = keys[i];
		size_t at = i;

		for (; at > 0 && comes_before(&key, &keys[at - 1]); at--) {
			plan->changes[at] = plan->changes[at - 1];
			keys[at] = keys[at - 1];
		}
		plan->changes[at] = change;
		keys[at] = key;
	}
}

/* Entries that are deleted before they are added are none for a moment. */
static void add_gap(const struct rt_plan *plan, struct rt_step *step)
{
	rt_step_for_each(change, plan, step)
	{
		struct rt_knob_value none = { .known = change->which };

		if (!(change->row->flags & RT_ROW_DELETE_FIRST))
			continue;
		if (rt_knobs[change->knob].length > 8)
			memset(none.small, RT_NO_PRIO, sizeof(none.small));
		else
			none.number[0] = RT_NO_PRIO;
		rt_step_between(step, change->knob, &none);
	}
}

void rt_plan_order(const struct rt_driver *driver, struct rt_plan *plan, uint64_t whole)
{
	const struct order order = { driver, plan, whole };

	sort(&order);
	for (size_t i = 0; i < plan->change_count; i++) {
		const struct rt_change *change = &plan->changes[i];
		struct rt_step *step = plan->step_count
					       ? &plan->steps[plan->step_count - 1]
					       : NULL;

		if (step && shares_step(change, change - 1)) {
			step->count++;
			continue;
		}
		plan->steps[plan->step_count++] = (struct rt_step){
			.access = change->row->access, .first = i, .count = 1
		};
	}
	for (size_t i = 0; i < plan->step_count; i++)
		add_gap(plan, &plan->steps[i]);
}

bool rt_plan_touches(const struct rt_plan *plan, enum rt_knob_group group)
{
	for (size_t i = 0; i < plan->change_count; i++)
		if (plan->changes[i].raw == SIZE_MAX &&
		    rt_knobs[plan->changes[i].knob].group == group)
			return true;
	return false;
}

void rt_step_between(struct rt_step *step, enum rt_knob_id id,
		     const struct rt_knob_value *value)
{
	if (step->effect_count < RT_STEP_EFFECT_MAX)
		step->effects[step->effect_count++] =
			(struct rt_side_effect){ .knob = id, .between = *value };
}
