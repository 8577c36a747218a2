/* SPDX-License-Identifier: BSD-2-Clause */
/* rails.c - what each rail of a profile sets. */
#include "run/rails.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "model/profile_reader.h"
#include "rocetune/err.h"
#include "rocetune/field.h"

static const struct rt_field rail_row_fields[] = {
	RT_FIELD(struct rt_rail_row, U32, rail, NONE,
		 "entry of rails, from 1: what --rail takes"),
	RT_FIELD_CHARS_OF(struct rt_rail_row, select, "the devices it is for"),
	RT_FIELD_CHARS_OF(struct rt_rail_row, path,
			  "what it sets, or what is computed anew on it",
			  .label = "knob", .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD_CHARS_OF(struct rt_rail_row, value, "its value there, exact"),
	RT_FIELD_CHARS_OF(struct rt_rail_row, place, "where it is set",
			  .flags = RT_FIELD_ZERO_QUIET),
};

RT_TABLE(rt_rail_row_table, rt_rail_row, "profile_rail", "Rails",
	 "What one entry of rails sets.", rail_row_fields);

static struct rt_rail_row *add_row(struct rt_rail_rows *rows, size_t rail,
				   const char *select)
{
	struct rt_rail_row *items = rt_grow(rows->items, rows->count, &rows->capacity,
					    sizeof(*items));

	if (!items)
		return NULL;
	rows->items = items;
	items += rows->count++;
	*items = (struct rt_rail_row){ .rail = (uint32_t)rail + 1 };
	snprintf(items->select, sizeof(items->select), "%s", select);
	rt_text_clean(items->select);
	return items;
}

static int add_leaf(const struct rt_profile *profile, size_t rail,
		    struct rt_rail_rows *rows)
{
	const struct rt_rail *of = &profile->rails[rail];
	struct rt_rail_row *row;

	if (!of->leaf)
		return 0;
	row = add_row(rows, rail, of->select);
	if (!row)
		return -ENOMEM;
	snprintf(row->path, sizeof(row->path), "leaf");
	snprintf(row->value, sizeof(row->value), "%s", of->leaf);
	rt_place_format(&of->place, row->place);
	return 0;
}

/* on_rail is a copy of profile: a setting has its counterpart at the same offset. */
static int add_knobs(const struct rt_profile *profile, size_t rail,
		     const struct rt_profile *on_rail, struct rt_rail_rows *rows)
{
	struct rt_param_cursor cursor = { 0 };
	struct rt_param_value at;

	while (rt_param_next(on_rail, &cursor, &at)) {
		const size_t offset = (size_t)((const char *)at.setting -
					       (const char *)on_rail);
		const struct rt_setting *before = (const void *)((const char *)profile +
								 offset);
		struct rt_rail_row *row;

		if (at.setting->layer != RT_RAIL_LAYER &&
		    rt_param_equal(profile, before, on_rail, at.setting, at.row))
			continue;
		row = add_row(rows, rail, profile->rails[rail].select);
		if (!row)
			return -ENOMEM;
		memcpy(row->path, at.path, sizeof(row->path));
		rt_param_format(on_rail, at.row, at.setting, row->value);
		rt_place_format(&at.setting->place, row->place);
	}
	return 0;
}

static int add_rail(const struct rt_profile *profile, size_t rail,
		    struct rt_rail_rows *rows, struct rt_err *err)
{
	RT_AUTO(rt_auto_profile_free) struct rt_profile *on_rail = NULL;
	const size_t before = rows->count;
	struct rt_rail_row *row;
	int r = rt_profile_rail(profile, rail, &on_rail, err);

	if (r < 0)
		return r;
	if (add_leaf(profile, rail, rows) < 0 ||
	    add_knobs(profile, rail, on_rail, rows) < 0)
		return rt_err_sys(err, -ENOMEM, "cannot hold the rails");
	if (rows->count > before)
		return 0;
	row = add_row(rows, rail, profile->rails[rail].select);
	if (!row)
		return rt_err_sys(err, -ENOMEM, "cannot hold the rails");
	snprintf(row->value, sizeof(row->value), "nothing differs");
	rt_place_format(&profile->rails[rail].place, row->place);
	return 0;
}

int rt_rail_rows_fill(const struct rt_profile *profile, struct rt_rail_rows *rows,
		      struct rt_err *err)
{
	int r = 0;

	for (size_t i = 0; i < profile->rail_count && r == 0; i++)
		r = add_rail(profile, i, rows, err);
	return r;
}
