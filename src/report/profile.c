/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * profile.c - a profile as the YAML that the profile reader takes, by the rows of
 * the parameter table.  Beside a value stands where it comes from.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "model/params.h"
#include "report/report.h"
#include "rocetune/err.h"

/* One knob that is set. */
struct line {
	char path[RT_PARAM_PATH_BYTES];
	char value[RT_PARAM_TEXT_BYTES + 16];
	char from[RT_PLACE_TEXT_BYTES + 80]; /* "" when it is from nowhere */
	bool written;
};

struct lines {
	struct line *items;
	size_t count, capacity;
};

/* In quotes, with what YAML reads in them escaped. */
static void quote(const char *text, char *buf, size_t bytes)
{
	size_t used = 0;

	buf[used++] = '"';
	for (; *text && used + 3 < bytes; text++) {
		if (*text == '"' || *text == '\\')
			buf[used++] = '\\';
		buf[used++] = *text;
	}
	buf[used++] = '"';
	buf[used] = '\0';
}

static void write_value(const struct rt_profile *profile,
			const struct rt_param_value *at, struct line *line)
{
	char text[RT_PARAM_TEXT_BYTES];
	const struct rt_setting *setting = at->setting;

	rt_param_format(profile, at->row, setting, text);
	rt_text_clean(text);
	if (at->row->type == RT_PARAM_DSCP && setting->state == RT_SETTING_AUTO)
		snprintf(line->value, sizeof(line->value), "rest");
	else if (setting->state != RT_SETTING_VALUE)
		snprintf(line->value, sizeof(line->value), "%s",
			 setting->state == RT_SETTING_KEEP ? "keep" : "auto");
	else if (at->row->type == RT_PARAM_DSCP || at->row->type == RT_PARAM_CLASSES ||
		 at->row->type == RT_PARAM_SIZES)
		snprintf(line->value, sizeof(line->value), "[%s]", text);
	else if (at->row->type == RT_PARAM_TEXT || at->row->type == RT_PARAM_TEXTS ||
		 at->row->type == RT_PARAM_PAIRS)
		quote(text, line->value, sizeof(line->value));
	else
		snprintf(line->value, sizeof(line->value), "%s", text);
}

/* What was read where: the words of the source and its place; shorter in file. */
static void write_from(const struct rt_setting *setting, const char *file,
		       struct line *line)
{
	char place[RT_PLACE_TEXT_BYTES];

	if (!setting->place.line && !setting->text)
		return;
	if (setting->place.line && setting->place.file && file &&
	    strcmp(setting->place.file, file) == 0)
		snprintf(place, sizeof(place), "line %u:%u", setting->place.line,
			 setting->place.column);
	else
		rt_place_format(&setting->place, place);
	snprintf(line->from, sizeof(line->from), "%.70s%s%s",
		 setting->text ? setting->text : "",
		 setting->text && *place ? ", " : "", place);
	rt_text_clean(line->from);
}

static int collect(const struct rt_profile *profile, const char *file,
		   struct lines *lines)
{
	struct rt_param_cursor cursor = { 0 };
	struct rt_param_value at;

	while (rt_param_next(profile, &cursor, &at)) {
		struct line *items;

		if (at.setting->state == RT_SETTING_UNSET)
			continue;
		items = rt_grow(lines->items, lines->count, &lines->capacity,
				sizeof(*items));
		if (!items)
			return -ENOMEM;
		lines->items = items;
		items = &items[lines->count++];
		*items = (struct line){ 0 };
		memcpy(items->path, at.path, sizeof(items->path));
		write_value(profile, &at, items);
		if (at.row->type != RT_PARAM_TEXT && at.row->type != RT_PARAM_TEXTS)
			write_from(at.setting, file, items);
	}
	return 0;
}

static bool is_below(const struct line *line, const char *prefix, size_t bytes)
{
	return !line->written && strncmp(line->path, prefix, bytes) == 0;
}

/* What is below prefix (bytes long, '.' included), each key once. */
static void put_level(FILE *to, struct lines *lines, const char *prefix, size_t bytes,
		      int depth)
{
	for (size_t i = 0; i < lines->count; i++) {
		struct line *line = &lines->items[i];
		const char *key = line->path + bytes;
		const size_t length = strcspn(key, ".");

		if (!is_below(line, prefix, bytes))
			continue;
		fprintf(to, "%*s%.*s:", depth * 2, "", (int)length, key);
		if (key[length] == '.') {
			fputc('\n', to);
			put_level(to, lines, line->path, bytes + length + 1, depth + 1);
			continue;
		}
		line->written = true;
		fprintf(to, " %s%s%s\n", line->value, *line->from ? "   # " : "",
			line->from);
	}
}

int rt_report_profile(FILE *to, const struct rt_profile *profile, const char *file,
		      struct rt_err *err)
{
	struct lines lines = { 0 };
	int r = collect(profile, file, &lines);

	if (r == 0)
		put_level(to, &lines, "", 0, 0);
	else
		r = rt_err_sys(err, r, "cannot write the profile");
	free(lines.items);
	return r;
}
