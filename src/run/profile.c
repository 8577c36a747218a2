/* SPDX-License-Identifier: BSD-2-Clause */
/* profile.c - find, show and compare profiles. */
#include "run/profile.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/own.h"
#include "model/params.h"
#include "rocetune/err.h"
#include "rocetune/field.h"
#include "run/outcome.h"
#include "run/rails.h"

void rt_run_profile_folders(struct rt_profile_folders *ret_folders)
{
	const size_t last = RT_ARRAY_SIZE(ret_folders->search.folders) - 1;
	const char *env = getenv("ROCETUNE_PROFILES");
	size_t count = 0;
	char *at = ret_folders->text, *save = NULL;

	*ret_folders = (struct rt_profile_folders){ 0 };
	if (env)
		snprintf(ret_folders->text, sizeof(ret_folders->text), "%s", env);
	/* Half a folder's name is another folder's. */
	if (env && strlen(env) >= sizeof(ret_folders->text)) {
		char *cut = strrchr(ret_folders->text, ':');

		*(cut ? cut : ret_folders->text) = '\0';
	}
	for (at = strtok_r(at, ":", &save); at && count < last - 2;
	     at = strtok_r(NULL, ":", &save))
		ret_folders->search.folders[count++] = at;
	ret_folders->search.folders[count++] = RT_DATADIR "/profiles";
	ret_folders->search.folders[count++] = "./profiles";
}

int rt_run_profile_read(const char *name, struct rt_profile **ret_profile,
			struct rt_err *err)
{
	struct rt_profile_folders folders;

	rt_run_profile_folders(&folders);
	return rt_profile_read(name, &folders.search, NULL, ret_profile, err);
}

static int no_memory(struct rt_err *err)
{
	return rt_err_sys(err, -ENOMEM, "cannot hold the result");
}

/* --- list -------------------------------------------------------------------- */

struct listed {
	char name[128], file[512], status[16], summary[160];
};

struct list_result {
	struct listed *items;
	size_t count, capacity;
	char searched[4500]; /* the folders, ", " between */
};

static const struct rt_field listed_fields[] = {
	RT_FIELD_CHARS_OF(struct listed, name, "what to call it on the command line"),
	RT_FIELD_CHARS_OF(struct listed, status, "who vouches for the numbers",
			  .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD_CHARS_OF(struct listed, summary, "what it is for, or what is wrong",
			  .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD_CHARS_OF(struct listed, file, "where it lies",
			  .flags = RT_FIELD_DETAIL),
};

static RT_TABLE(listed_table, listed, "profile_listed", "Profiles",
		"A profile of the search path.", listed_fields);

static const struct rt_field list_fields[] = {
	RT_FIELD_LIST_OF(struct list_result, items, count, &listed_table,
			 "the profiles, by name"),
	RT_FIELD_CHARS_OF(struct list_result, searched,
			  "the folders that were searched, in that order",
			  .flags = RT_FIELD_DETAIL),
};

RT_TABLE(rt_profile_list_table, list_result, "profile_list", "Profiles",
	 "The profiles of the search path.", list_fields);

static void release_list(void *object)
{
	free(((struct list_result *)object)->items);
	free(object);
}

/* Name without its ending; false when the file is no profile. */
static bool stem_of(const char *file, char name[128])
{
	const size_t bytes = rt_profile_stem_bytes(file);

	if (bytes == 0 || bytes >= 128 || file[0] == '.')
		return false;
	memcpy(name, file, bytes);
	name[bytes] = '\0';
	return true;
}

static void describe(struct listed *item, const struct rt_profile_search *search)
{
	RT_AUTO(rt_auto_profile_free) struct rt_profile *profile = NULL;
	struct rt_err why = { 0 };
	const char *status;

	if (rt_profile_read(item->file, search, NULL, &profile, &why) < 0) {
		snprintf(item->summary, sizeof(item->summary), "cannot be read: %.140s",
			 why.msg);
		return;
	}
	for (size_t i = 0; i < rt_param_count; i++)
		if (strcmp(rt_params[i].path, "status") == 0 &&
		    rt_setting_known(&profile->status)) {
			status = rt_name_of(rt_params[i].names,
					    (unsigned)profile->status.number);
			snprintf(item->status, sizeof(item->status), "%s", status);
		}
	if (rt_setting_known(&profile->description))
		snprintf(item->summary, sizeof(item->summary), "%s",
			 profile->description.text);
}

static bool is_listed(const struct list_result *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->items[i].name, name) == 0)
			return true;
	return false;
}

static int list_folder(struct list_result *list, const char *folder,
		       const struct rt_profile_search *search)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int r = 0;

	if (!dir)
		return 0;
	while (r == 0 && (entry = readdir(dir))) {
		struct listed item = { 0 }, *items;

		if (!stem_of(entry->d_name, item.name) || is_listed(list, item.name))
			continue;
		if (snprintf(item.file, sizeof(item.file), "%s/%s", folder,
			     entry->d_name) >= (int)sizeof(item.file) ||
		    !rt_file_is_regular(item.file))
			continue;
		describe(&item, search);
		items = rt_grow(list->items, list->count, &list->capacity,
				sizeof(*items));
		if (!items) {
			r = -ENOMEM;
			break;
		}
		list->items = items;
		list->items[list->count++] = item;
	}
	closedir(dir);
	return r;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct listed *)a)->name,
		      ((const struct listed *)b)->name);
}

int rt_run_profile_list(struct rt_outcome *ret_outcome, struct rt_err *err)
{
	struct list_result *list = calloc(1, sizeof(*list));
	struct rt_profile_folders folders;
	int r = list ? 0 : -ENOMEM;

	rt_run_profile_folders(&folders);
	for (size_t i = 0; r == 0 && folders.search.folders[i]; i++) {
		const size_t used = strlen(list->searched);

		snprintf(list->searched + used, sizeof(list->searched) - used, "%s%s",
			 used ? ", " : "", folders.search.folders[i]);
		r = list_folder(list, folders.search.folders[i], &folders.search);
	}
	if (r < 0) {
		if (list)
			release_list(list);
		return no_memory(err);
	}
	if (list->count == 0) {
		r = rt_err_set(err, -ENOENT,
			       "no profile in %.350s: $ROCETUNE_PROFILES names folders "
			       "to look in, ':' between",
			       list->searched);
		release_list(list);
		return r;
	}
	qsort(list->items, list->count, sizeof(*list->items), by_name);
	*ret_outcome = (struct rt_outcome){ .table = &rt_profile_list_table,
					    .object = list,
					    .release = release_list };
	return 0;
}

/* --- show --------------------------------------------------------------------- */

struct knob {
	char path[RT_PARAM_PATH_BYTES];
	char value[RT_PARAM_TEXT_BYTES];
	unsigned state;
	char from[200];
	struct rt_opt_u64 number;
	const char *unit, *help;
	char place[RT_PLACE_TEXT_BYTES];
};

struct show_result {
	char name[128];
	char rail[128];
	struct knob *knobs;
	size_t count, capacity;
	struct rt_rail_rows rails;
};

/* As the settings' states, and computed as its own. */
enum {
	STATE_COMPUTED = RT_SETTING_KEEP + 1
};

static const struct rt_name state_names[] = {
	{ "unset", RT_SETTING_UNSET, "nobody said anything" },
	{ "set", RT_SETTING_VALUE, "as written" },
	{ "auto", RT_SETTING_AUTO, "left to whoever applies it" },
	{ "keep", RT_SETTING_KEEP, "left as the device has it" },
	{ "computed", STATE_COMPUTED, "auto, and computed here" },
	{ 0 },
};

static const struct rt_field knob_fields[] = {
	RT_FIELD_CHARS_OF(struct knob, path, "the knob", .label = "knob"),
	RT_FIELD_CHARS_OF(struct knob, value, "its value, exact"),
	RT_FIELD(struct knob, ENUM, state, NONE, "set, auto, keep, computed or unset",
		 .names = state_names, .flags = RT_FIELD_DETAIL),
	RT_FIELD_CHARS_OF(struct knob, from, "from what it was computed",
			  .label = "computed from", .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD_CHARS_OF(struct knob, place, "where it is set",
			  .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD(struct knob, OPT_U64, number, NONE,
		 "the value in its unit, if a number", .flags = RT_FIELD_DETAIL),
	RT_FIELD(struct knob, TEXT, unit, NONE, "unit of the number",
		 .flags = RT_FIELD_DETAIL),
	RT_FIELD(struct knob, TEXT, help, NONE, "what it means",
		 .flags = RT_FIELD_DETAIL),
};

static RT_TABLE(knob_table, knob, "profile_knob", "Knobs", "One knob of a profile.",
		knob_fields);

static const struct rt_field show_fields[] = {
	RT_FIELD_CHARS_OF(struct show_result, name, "the profile", .label = "profile"),
	RT_FIELD_CHARS_OF(struct show_result, rail,
			  "the devices it is shown for; unknown: all",
			  .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD_LIST_OF(struct show_result, knobs, count, &knob_table,
			 "what it sets, in the order of the parameter table"),
	{ .name = "rails",
	  .help = "what its rails set; none when it is shown for one",
	  .type = RT_FIELD_LIST,
	  .offset = offsetof(struct show_result, rails.items),
	  .table = &rt_rail_row_table,
	  .count_offset = offsetof(struct show_result, rails.count) },
};

RT_TABLE(rt_profile_show_table, show_result, "profile", "Profile",
	 "A profile with all it inherits.", show_fields);

static void release_show(void *object)
{
	struct show_result *show = object;

	free(show->knobs);
	free(show->rails.items);
	free(show);
}

static bool is_number(const struct rt_param *row)
{
	return row->type == RT_PARAM_NUMBER || row->type == RT_PARAM_PERCENT ||
	       row->type == RT_PARAM_BREAKOUT;
}

static void fill_knob(const struct rt_profile *profile, const struct rt_param_value *at,
		      struct knob *ret_knob)
{
	const struct rt_setting *setting = at->setting;

	*ret_knob = (struct knob){ .state = setting->state,
				   .unit = is_number(at->row)
						   ? rt_unit_name(at->row->unit)
						   : NULL,
				   .help = at->row->help };
	memcpy(ret_knob->path, at->path, sizeof(ret_knob->path));
	rt_param_format(profile, at->row, setting, ret_knob->value);
	rt_place_format(&setting->place, ret_knob->place);
	if (rt_setting_known(setting) && is_number(at->row))
		ret_knob->number = RT_KNOWN_U64(setting->number);
	if (setting->state == RT_SETTING_AUTO && setting->computed) {
		ret_knob->state = STATE_COMPUTED;
		snprintf(ret_knob->from, sizeof(ret_knob->from), "%s", setting->text);
	}
}

static int fill_show(const struct rt_profile *profile, bool all,
		     struct show_result *show)
{
	struct rt_param_cursor cursor = { 0 };
	struct rt_param_value at;

	while (rt_param_next(profile, &cursor, &at)) {
		struct knob *knobs;

		if (!all && at.setting->state == RT_SETTING_UNSET)
			continue;
		knobs = rt_grow(show->knobs, show->count, &show->capacity,
				sizeof(*knobs));
		if (!knobs)
			return -ENOMEM;
		show->knobs = knobs;
		fill_knob(profile, &at, &knobs[show->count++]);
	}
	return 0;
}

int rt_run_profile_show(const char *name, size_t rail, bool all,
			struct rt_outcome *ret_outcome, struct rt_err *err)
{
	RT_AUTO(rt_auto_profile_free) struct rt_profile *profile = NULL;
	RT_AUTO(rt_auto_profile_free) struct rt_profile *on_rail = NULL;
	struct show_result *show;
	int r = rt_run_profile_read(name, &profile, err);

	if (r == 0 && rail != RT_NO_RAIL)
		r = rt_profile_rail(profile, rail, &on_rail, err);
	if (r < 0)
		return r;
	show = calloc(1, sizeof(*show));
	if (!show)
		return no_memory(err);
	if (fill_show(on_rail ? on_rail : profile, all, show) < 0 ||
	    (!on_rail && rt_rail_rows_fill(profile, &show->rails, NULL) < 0)) {
		release_show(show);
		return no_memory(err);
	}
	snprintf(show->name, sizeof(show->name), "%s",
		 rt_setting_known(&profile->name) ? profile->name.text : name);
	if (on_rail)
		snprintf(show->rail, sizeof(show->rail), "%s",
			 profile->rails[rail].select);
	*ret_outcome = (struct rt_outcome){ .table = &rt_profile_show_table,
					    .object = show,
					    .release = release_show };
	return 0;
}

/* --- diff --------------------------------------------------------------------- */

/* "rails[" select "]." and a path */
#define DIFFERENCE_PATH_BYTES (RT_PARAM_PATH_BYTES + 140)

struct difference {
	char path[DIFFERENCE_PATH_BYTES];
	char a[RT_PARAM_TEXT_BYTES], b[RT_PARAM_TEXT_BYTES];
	char a_place[RT_PLACE_TEXT_BYTES], b_place[RT_PLACE_TEXT_BYTES];
};

struct diff_result {
	char a[128], b[128];
	uint32_t differences;
	struct difference *items;
	size_t count, capacity;
};

static const struct rt_field difference_fields[] = {
	RT_FIELD_CHARS_OF(struct difference, path, "the knob", .label = "knob"),
	RT_FIELD_CHARS_OF(struct difference, a, "in the first"),
	RT_FIELD_CHARS_OF(struct difference, b, "in the second"),
	RT_FIELD_CHARS_OF(struct difference, a_place, "where the first sets it",
			  .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD_CHARS_OF(struct difference, b_place, "where the second sets it",
			  .flags = RT_FIELD_ZERO_QUIET),
};

static RT_TABLE(difference_table, difference, "profile_difference", "Differences",
		"A knob that two profiles set differently.", difference_fields);

static const struct rt_field diff_fields[] = {
	RT_FIELD_CHARS_OF(struct diff_result, a, "the first profile"),
	RT_FIELD_CHARS_OF(struct diff_result, b, "the second profile"),
	RT_FIELD(struct diff_result, U32, differences, COUNT,
		 "knobs that differ, those of rails too"),
	RT_FIELD_LIST_OF(struct diff_result, items, count, &difference_table,
			 "the knobs that differ"),
};

RT_TABLE(rt_profile_diff_table, diff_result, "profile_diff", "Differences",
	 "Two profiles knob by knob; classes are matched by name, rails by what they "
	 "select.",
	 diff_fields);

static void release_diff(void *object)
{
	free(((struct diff_result *)object)->items);
	free(object);
}

static const struct rt_setting unset;

/* The same row under the same path in the other profile; unset when not there. */
static const struct rt_setting *counterpart(const struct rt_profile *profile,
					    const struct rt_param_value *wanted)
{
	struct rt_param_cursor cursor = { 0 };
	struct rt_param_value at;

	while (rt_param_next(profile, &cursor, &at))
		if (at.row == wanted->row && strcmp(at.path, wanted->path) == 0)
			return at.setting;
	return &unset;
}

static int add_difference(struct diff_result *diff, const struct difference *item)
{
	struct difference *items = rt_grow(diff->items, diff->count, &diff->capacity,
					   sizeof(*items));

	if (!items)
		return -ENOMEM;
	diff->items = items;
	items[diff->count++] = *item;
	return 0;
}

/* Knobs of from that differ; when swapped, only those that other has no room for. */
static int collect(const struct rt_profile *from, const struct rt_profile *other,
		   bool swapped, struct diff_result *diff)
{
	struct rt_param_cursor cursor = { 0 };
	struct rt_param_value at;
	int r = 0;

	while (r == 0 && rt_param_next(from, &cursor, &at)) {
		const struct rt_setting *mine = at.setting;
		const struct rt_setting *theirs = counterpart(other, &at);
		struct difference item = { 0 };

		if (rt_param_equal(from, mine, other, theirs, at.row) ||
		    (swapped && theirs != &unset))
			continue;
		memcpy(item.path, at.path, sizeof(at.path));
		rt_param_format(from, at.row, mine, swapped ? item.b : item.a);
		rt_param_format(other, at.row, theirs, swapped ? item.a : item.b);
		rt_place_format(&mine->place, swapped ? item.b_place : item.a_place);
		rt_place_format(&theirs->place, swapped ? item.a_place : item.b_place);
		r = add_difference(diff, &item);
	}
	return r;
}

static const struct rt_rail_row *find_rail_row(const struct rt_rail_rows *rows,
					       const struct rt_rail_row *wanted)
{
	for (size_t i = 0; i < rows->count; i++)
		if (strcmp(rows->items[i].select, wanted->select) == 0 &&
		    strcmp(rows->items[i].path, wanted->path) == 0)
			return &rows->items[i];
	return NULL;
}

/* What rails of from set and those of other do not, or differently. */
static int collect_rails(const struct rt_rail_rows *from,
			 const struct rt_rail_rows *other, bool swapped,
			 struct diff_result *diff)
{
	int r = 0;

	for (size_t i = 0; i < from->count && r == 0; i++) {
		const struct rt_rail_row *mine = &from->items[i];
		const struct rt_rail_row *theirs = find_rail_row(other, mine);
		struct difference item = { 0 };

		if (theirs && (swapped || strcmp(mine->value, theirs->value) == 0))
			continue;
		snprintf(item.path, sizeof(item.path), "rails[%s]%s%s", mine->select,
			 *mine->path ? "." : "", mine->path);
		memcpy(swapped ? item.b : item.a, mine->value, sizeof(item.a));
		snprintf(swapped ? item.a : item.b, sizeof(item.a), "%s",
			 theirs ? theirs->value : "unset");
		memcpy(swapped ? item.b_place : item.a_place, mine->place,
		       sizeof(item.a_place));
		if (theirs)
			memcpy(swapped ? item.a_place : item.b_place, theirs->place,
			       sizeof(item.a_place));
		r = add_difference(diff, &item);
	}
	return r;
}

static int diff_rails(const struct rt_profile *a, const struct rt_profile *b,
		      struct diff_result *diff)
{
	struct rt_rail_rows first = { 0 }, second = { 0 };
	int r = rt_rail_rows_fill(a, &first, NULL);

	if (r == 0)
		r = rt_rail_rows_fill(b, &second, NULL);
	if (r == 0)
		r = collect_rails(&first, &second, false, diff);
	if (r == 0)
		r = collect_rails(&second, &first, true, diff);
	free(first.items);
	free(second.items);
	return r;
}

int rt_run_profile_diff(const char *a, const char *b, struct rt_outcome *ret_outcome,
			struct rt_err *err)
{
	RT_AUTO(rt_auto_profile_free) struct rt_profile *first = NULL;
	RT_AUTO(rt_auto_profile_free) struct rt_profile *second = NULL;
	struct diff_result *diff;
	int r = rt_run_profile_read(a, &first, err);

	if (r == 0)
		r = rt_run_profile_read(b, &second, err);
	if (r < 0)
		return r;
	diff = calloc(1, sizeof(*diff));
	if (!diff || collect(first, second, false, diff) < 0 ||
	    collect(second, first, true, diff) < 0 ||
	    diff_rails(first, second, diff) < 0) {
		if (diff)
			release_diff(diff);
		return no_memory(err);
	}
	snprintf(diff->a, sizeof(diff->a), "%s", a);
	snprintf(diff->b, sizeof(diff->b), "%s", b);
	diff->differences = (uint32_t)diff->count;
	*ret_outcome = (struct rt_outcome){ .table = &rt_profile_diff_table,
					    .object = diff,
					    .release = release_diff };
	return 0;
}

/* --- knobs ------------------------------------------------------------------------ */

static const struct rt_field knob_row_fields[] = {
	RT_FIELD(struct rt_knob_row, TEXT, path, NONE, "the knob's path",
		 .label = "knob"),
	RT_FIELD_CHARS_OF(struct rt_knob_row, expects, "what may be written",
			  .label = "takes"),
	RT_FIELD_CHARS_OF(struct rt_knob_row, range, "least and most",
			  .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD(struct rt_knob_row, TEXT, fallback, NONE,
		 "what holds when it is not set; unknown: whatever the device has",
		 .label = "when unset", .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD(struct rt_knob_row, TEXT, help, NONE, "what it means"),
};

static RT_TABLE(knob_row_table, rt_knob_row, "profile_knob_row", "Knobs",
		"A row of the parameter table.", knob_row_fields);

static const struct rt_field knob_rows_fields[] = {
	RT_FIELD_LIST_OF(struct rt_knob_rows, items, count, &knob_row_table,
			 "every knob a profile can set"),
};

RT_TABLE(rt_profile_knobs_table, rt_knob_rows, "profile_knobs", "Knobs",
	 "Every knob a profile can set.", knob_rows_fields);

static void release_knobs(void *object)
{
	free(((struct rt_knob_rows *)object)->items);
	free(object);
}

static void fill_knob_row(const struct rt_param *row, struct rt_knob_row *ret_row)
{
	char low[RT_UNIT_TEXT_BYTES], high[RT_UNIT_TEXT_BYTES];

	*ret_row = (struct rt_knob_row){ .path = row->path,
					 .help = row->help,
					 .fallback = row->fallback };
	rt_param_expects(row, ret_row->expects);
	if (row->max)
		snprintf(ret_row->range, sizeof(ret_row->range), "%s to %s",
			 rt_unit_format_exact(row->unit, row->min, low),
			 rt_unit_format_exact(row->unit, row->max, high));
}

int rt_run_profile_knobs(struct rt_outcome *ret_outcome, struct rt_err *err)
{
	struct rt_knob_rows *rows = calloc(1, sizeof(*rows));

	if (rows)
		rows->items = calloc(rt_param_count, sizeof(*rows->items));
	if (!rows || !rows->items) {
		free(rows);
		return no_memory(err);
	}
	rows->count = rt_param_count;
	for (size_t i = 0; i < rt_param_count; i++)
		fill_knob_row(&rt_params[i], &rows->items[i]);
	*ret_outcome = (struct rt_outcome){ .table = &rt_profile_knobs_table,
					    .object = rows,
					    .release = release_knobs };
	return 0;
}
