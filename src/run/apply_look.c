/* SPDX-License-Identifier: BSD-2-Clause */
/* apply_look.c - one port: what it has, what is wanted, the plan, as rows. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "run/apply_work.h"

void rt_apply_end(struct rt_apply_item *item, enum rt_apply_end end, const char *fmt,
		  ...)
{
	struct rt_applied_port *shown = item->shown;
	va_list args;

	shown->end = end;
	va_start(args, fmt);
	vsnprintf(shown->reason, sizeof(shown->reason), fmt, args);
	va_end(args);
}

/* --- reading and planning ------------------------------------------------------------ */

/* What the profile wants of it, or what its last change took away. */
static int want(const struct rt_apply *apply, struct rt_apply_item *item,
		struct rt_err *err)
{
	const struct rt_qos_port port = {
		.driver = item->port.driver->name,
		.speed_bps = item->device.speed_bps,
		.pfc_cap = rt_qos_number(&item->have, RT_KNOB_PFC_CAP),
	};
	int r;

	if (!apply->undoes)
		return rt_qos_want(item->profile, &port, &item->want, err);
	r = rt_journal_is_of(&item->undo, apply->kern, &item->device, err);
	if (r == 0)
		r = rt_journal_holds(&item->undo, item->port.driver, &item->have, err);
	return r < 0 ? r
		     : rt_journal_old(&item->undo, item->port.driver, &item->want.qos,
				      err);
}

static int look(struct rt_apply *apply, struct rt_apply_item *item, struct rt_err *err)
{
	const struct rt_plan_wish wish = { .groups = apply->wish->groups,
					   .allow_missing = apply->wish->allow_missing,
					   .as_it_was = apply->undoes };
	int r = rt_host_read(&item->port, &item->have, err);

	if (r < 0)
		return r;
	item->read = true;
	r = want(apply, item, err);
	if (r == 0)
		r = rt_plan_make(&item->port, &item->have, &item->want.qos, &wish,
				 &item->plan, err);
	if (r < 0)
		return r;
	item->planned = true;
	return 0;
}

void rt_apply_look(struct rt_apply *apply, struct rt_apply_item *item)
{
	item->read = item->planned = false;
	item->want = (struct rt_qos_want){ 0 };
	item->no_plan = (struct rt_err){ 0 };
	if (item->port.driver && !*item->device.untunable)
		look(apply, item, &item->no_plan);
}

/* --- as rows ------------------------------------------------------------------------------ */

static const struct rt_change *change_of(const struct rt_plan *plan, const char *knob)
{
	for (size_t i = 0; i < plan->change_count; i++)
		if (strcmp(rt_change_name(plan, &plan->changes[i]), knob) == 0)
			return &plan->changes[i];
	return NULL;
}

/* Where the profile sets the knob; of raw ones by name. */
static const struct rt_place *place_of(const struct rt_qos_want *want, const char *knob)
{
	const struct rt_knob *row = rt_knob_find(knob);

	if (row)
		return &want->place[row - rt_knobs];
	for (size_t i = 0; i < want->qos.raw_count; i++)
		if (strcmp(want->qos.raw[i].name, knob) == 0)
			return &want->raw_place[i];
	return NULL;
}

static void fill_place(const struct rt_apply_item *item, struct rt_applied_knob *row)
{
	const struct rt_place *place = place_of(&item->want, row->knob);

	if (place && place->line)
		rt_place_format(place, row->source);
}

static const char *group_of(const char *knob)
{
	const struct rt_knob *row = rt_knob_find(knob);

	return rt_name_of(rt_group_names, row ? row->group : RT_GROUP_CC);
}

static void fill_change(struct rt_apply_item *item, const struct rt_change *change,
			struct rt_applied_knob *row)
{
	const struct rt_plan *plan = &item->plan;

	snprintf(row->knob, sizeof(row->knob), "%s", rt_change_name(plan, change));
	row->group = group_of(row->knob);
	rt_change_old(plan, change, row->have);
	rt_change_new(plan, change, row->want);
	row->changed = true;
	row->impact = rt_name_of(rt_impact_names, change->impact);
	row->scope = rt_name_of(rt_scope_names, change->scope);
	row->one_way = change->one_way;
	snprintf(row->note, sizeof(row->note), "%s", change->note);
	rt_change_command(&item->port, plan, change, row->command);
	fill_place(item, row);
}

/* As wanted already: the elements that are wanted. */
static void fill_same(const struct rt_apply_item *item, unsigned id,
		      struct rt_applied_knob *row)
{
	struct rt_knob_value have = item->have.knobs[id];

	snprintf(row->knob, sizeof(row->knob), "%s", rt_knobs[id].name);
	row->group = group_of(row->knob);
	have.known &= item->want.qos.knobs[id].known;
	rt_knob_format(&rt_knobs[id], &have, row->have);
	rt_knob_format(&rt_knobs[id], &item->want.qos.knobs[id], row->want);
	fill_place(item, row);
}

static void fill_same_raw(const struct rt_apply_item *item,
			  const struct rt_raw_value *raw, struct rt_applied_knob *row)
{
	snprintf(row->knob, sizeof(row->knob), "%s", raw->name);
	row->group = group_of(row->knob);
	snprintf(row->have, sizeof(row->have), "%" PRIu64, raw->number);
	snprintf(row->want, sizeof(row->want), "%" PRIu64, raw->number);
	fill_place(item, row);
}

static bool is_missing(const struct rt_plan *plan, const char *knob)
{
	for (size_t i = 0; i < plan->missing_count; i++)
		if (strcmp(plan->missing[i].name, knob) == 0)
			return true;
	return false;
}

/* Wanted, here, of a group that is asked for, and no change. */
static bool is_same(const struct rt_apply *apply, const struct rt_apply_item *item,
		    const char *knob)
{
	const struct rt_knob *row = rt_knob_find(knob);
	const unsigned group = 1u << (row ? row->group : RT_GROUP_CC);

	return (!apply->wish->groups || apply->wish->groups & group) &&
	       !change_of(&item->plan, knob) && !is_missing(&item->plan, knob);
}

static void fill_knobs(const struct rt_apply *apply, struct rt_apply_item *item)
{
	struct rt_applied_port *shown = item->shown;
	const struct rt_qos *want = &item->want.qos;

	for (size_t i = 0; i < item->plan.change_count; i++)
		fill_change(item, &item->plan.changes[i],
			    &shown->knobs[shown->knob_count++]);
	for (unsigned id = 0; id < RT_KNOB_COUNT; id++)
		if (want->knobs[id].known && is_same(apply, item, rt_knobs[id].name))
			fill_same(item, id, &shown->knobs[shown->knob_count++]);
	for (size_t i = 0; i < want->raw_count; i++)
		if (want->raw[i].known && is_same(apply, item, want->raw[i].name))
			fill_same_raw(item, &want->raw[i],
				      &shown->knobs[shown->knob_count++]);
}

static void fill_missing(struct rt_apply_item *item)
{
	struct rt_applied_port *shown = item->shown;

	for (size_t i = 0; i < item->plan.missing_count; i++) {
		const struct rt_missing *missing = &item->plan.missing[i];
		struct rt_applied_knob *row = &shown->missing[shown->missing_count++];

		snprintf(row->knob, sizeof(row->knob), "%s", missing->name);
		row->group = group_of(row->knob);
		snprintf(row->note, sizeof(row->note), "%s", missing->why);
		fill_place(item, row);
	}
}

static void fill_notes(struct rt_apply_item *item)
{
	struct rt_applied_port *shown = item->shown;

	for (size_t i = 0; i < item->want.note_count; i++) {
		const struct rt_qos_note *note = &item->want.notes[i];
		struct rt_applied_note *row = &shown->notes[shown->note_count++];

		memcpy(row->param, note->param, sizeof(row->param));
		memcpy(row->text, note->text, sizeof(row->text));
		if (note->place.line)
			rt_place_format(&note->place, row->source);
	}
}

int rt_apply_show(const struct rt_apply *apply, struct rt_apply_item *item)
{
	struct rt_applied_port *shown = item->shown;

	if (!item->planned)
		return 0;
	shown->knobs = calloc(2 * RT_PLAN_CHANGE_MAX, sizeof(*shown->knobs));
	shown->missing = calloc(item->plan.missing_count + 1, sizeof(*shown->missing));
	shown->notes = calloc(item->want.note_count + 1, sizeof(*shown->notes));
	if (!shown->knobs || !shown->missing || !shown->notes)
		return -ENOMEM;
	fill_knobs(apply, item);
	fill_missing(item);
	fill_notes(item);
	shown->changes = (uint32_t)item->plan.change_count;
	if (shown->changes)
		shown->impact = rt_name_of(rt_impact_names, item->plan.impact);
	return 0;
}
