/* SPDX-License-Identifier: BSD-2-Clause */
/* show_counters.c - how text shows a port's counters. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "rocetune/err.h"
#include "run/host_show.h"
#include "run/host_text.h"

#define QUIET RT_FIELD_ZERO_QUIET

#define OWNER struct rt_shown_counter
static const struct rt_field counter_fields[] = {
	RT_FIELD(OWNER, TEXT, name, NONE, "counter", .label = "counter"),
	RT_FIELD_CHARS_OF(OWNER, prio, "its priority", .label = "prio", .flags = QUIET),
	RT_FIELD_CHARS_OF(OWNER, value, "value"),
	RT_FIELD_CHARS_OF(OWNER, vendor, "the vendor's name for it",
			  .label = "vendor's name"),
	RT_FIELD(OWNER, TEXT, source, NONE, "where it was read", .label = "by"),
};
RT_TABLE(rt_shown_counter_table, rt_shown_counter, "shown_counter", "Counters",
	 "A counter, for text.", counter_fields);
#undef OWNER

static void fill_row(const struct rt_counter_reading *reading,
		     struct rt_shown_counter *row)
{
	const struct rt_counter *counter = &rt_counters[reading->counter];

	row->name = counter->name;
	row->source = rt_name_of(rt_counter_source_names, reading->source);
	if (reading->prio != RT_COUNTER_NO_PRIO)
		snprintf(row->prio, sizeof(row->prio), "%u", reading->prio);
	rt_unit_format(counter->unit, reading->value, row->value);
	snprintf(row->vendor, sizeof(row->vendor), "%s", reading->name);
	rt_text_clean(row->vendor);
}

static bool is_known(const struct rt_counter_set *set, unsigned id)
{
	for (size_t i = 0; i < set->count; i++)
		if (set->items[i].counter == id)
			return true;
	return false;
}

/* What no NIC could count, and few qdiscs do, is not unknown of one. */
static bool is_of_nics(unsigned id)
{
	return id != RT_COUNTER_SWITCH_MARKED;
}

static void fill_unknown(const struct rt_counter_set *set, struct rt_shown_counters *to)
{
	for (unsigned id = 0; id < RT_COUNTER_COUNT; id++)
		if (is_of_nics(id) && !is_known(set, id))
			rt_put(to->unknown, sizeof(to->unknown), "%s%s",
			       *to->unknown ? ", " : "", rt_counters[id].name);
}

int rt_shown_counters_make(const struct rt_counter_set *set, struct rt_shown *text,
			   struct rt_err *err)
{
	struct rt_shown_counters *to = &text->counters;

	to->rows = calloc(set->count + 1, sizeof(*to->rows));
	to->failed = calloc(RT_SOURCE_COUNT, sizeof(*to->failed));
	if (!to->rows || !to->failed)
		return rt_err_sys(err, -ENOMEM, "cannot hold the counters");
	for (size_t i = 0; i < set->count; i++) {
		if (set->items[i].value == 0 &&
		    set->items[i].prio != RT_COUNTER_NO_PRIO)
			to->zeros++;
		else
			fill_row(&set->items[i], &to->rows[to->row_count++]);
	}
	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++) {
		struct rt_host_line *line = &to->failed[to->failed_count];

		if (set->looks[i].state != RT_LOOK_FAILED)
			continue;
		to->failed_count++;
		RT_PUT(line->subject, "%s", rt_name_of(rt_counter_source_names, i));
		RT_PUT(line->text, "%s", set->looks[i].why);
	}
	fill_unknown(set, to);
	return 0;
}
