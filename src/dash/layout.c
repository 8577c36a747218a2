/* SPDX-License-Identifier: BSD-2-Clause */
#include "dash/layout.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/doc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/record.h"
#include "base/text.h"
#include "dash/files.h"
#include "dash/screens.h"
#include "dash/theme.h"
#include "rocetune/err.h"

#define LAYOUT_BYTES (1u << 20)

struct order {
	char by[64];
	bool reverse;
};

struct layout {
	uint32_t screen;
	unsigned theme;
	bool bytes, iec;
	struct order orders[RT_DASH_SCREENS];
};

#define OWNER struct order
static const struct rt_field order_fields[] = {
	RT_FIELD_CHARS_OF(OWNER, by, "what its lines are sorted by"),
	RT_FIELD(OWNER, BOOL, reverse, NONE, "the other way round"),
};
static RT_TABLE(order_table, order, "order", "Order", "How a screen is sorted.",
		order_fields);
#undef OWNER

#define OWNER struct layout
static const struct rt_field layout_fields[] = {
	RT_FIELD(OWNER, U32, screen, NONE, "the first one, 1 to 6"),
	RT_FIELD(OWNER, ENUM, theme, NONE, "colours", .names = rt_theme_names),
	RT_FIELD(OWNER, BOOL, bytes, NONE, "bytes a second instead of bits"),
	RT_FIELD(OWNER, BOOL, iec, NONE, "prefixes of 1024"),
	RT_FIELD_ARRAY_OF(OWNER, orders, RT_DASH_SCREENS, &order_table,
			  "how each screen is sorted"),
};
static RT_TABLE(layout_table, layout, "dashboard_layout", "Layout",
		"What the user of the dashboard chose.", layout_fields);
#undef OWNER

static struct layout layout_of(const struct rt_dash_ui *ui)
{
	struct layout layout = { .screen = ui->screen + 1,
				 .theme = ui->theme,
				 .bytes = ui->units.bytes,
				 .iec = ui->units.iec };

	for (unsigned i = 0; i < RT_DASH_SCREENS; i++) {
		snprintf(layout.orders[i].by, sizeof(layout.orders[i].by), "%s",
			 rt_screen_sort_name(i, ui->sort[i]));
		layout.orders[i].reverse = ui->reverse[i];
	}
	return layout;
}

/* --- saving ----------------------------------------------------------------------------- */

/* All folders that a path goes through; what is missing after that is told later. */
static void make_folders(const char *path)
{
	char folder[4096];

	for (const char *slash = strchr(path + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path), path);
		mkdir(folder, 0777);
	}
}

static int write_layout(const char *path, const struct layout *layout,
			struct rt_err *err)
{
	struct rt_json *json;
	FILE *file;
	int r;

	unlink(path); /* what was left there, whatever it is */
	r = rt_dash_create(path, &file, err);

	if (r < 0)
		return r;
	json = rt_record_envelope(&layout_table, layout);
	r = rt_json_write(json, file, err);
	rt_json_free(json);
	if (fclose(file) != 0 && r == 0)
		r = rt_err_sys(err, -errno, "%s", path);
	return r;
}

int rt_dash_layout_save(const char *path, const struct rt_dash_ui *ui,
			struct rt_err *err)
{
	const struct layout layout = layout_of(ui);
	char aside[4096];
	int r;

	if (snprintf(aside, sizeof(aside), "%s.new", path) >= (int)sizeof(aside))
		return rt_err_sys(err, -ENAMETOOLONG, "%s", path);
	make_folders(path);
	r = write_layout(aside, &layout, err);
	if (r == 0 && rename(aside, path) < 0)
		r = rt_err_sys(err, -errno, "%s", path);
	if (r < 0)
		unlink(aside);
	return r;
}

/* --- loading ---------------------------------------------------------------------------- */

static unsigned find_sort(unsigned screen, const char *name)
{
	for (unsigned i = 0; i < rt_screen_sort_count(screen); i++)
		if (strcmp(rt_screen_sort_name(screen, i), name) == 0)
			return i;
	return 0;
}

static void take(const struct layout *layout, struct rt_dash_ui *ui)
{
	if (layout->screen >= 1 && layout->screen <= RT_DASH_SCREENS)
		ui->screen = layout->screen - 1;
	ui->theme = layout->theme;
	ui->units.bytes = layout->bytes;
	ui->units.iec = layout->iec;
	for (unsigned i = 0; i < RT_DASH_SCREENS; i++) {
		ui->sort[i] = find_sort(i, layout->orders[i].by);
		ui->reverse[i] = layout->orders[i].reverse;
	}
}

int rt_dash_layout_load(const char *path, struct rt_dash_ui *ui, struct rt_err *err)
{
	struct layout layout = { 0 };
	struct rt_doc *doc = NULL;
	int r;

	if (access(path, F_OK) != 0)
		return 0;
	r = rt_file_check_regular(path, err);
	if (r == 0)
		r = rt_doc_read_within(path, LAYOUT_BYTES, &doc, err);
	if (r < 0)
		return r;
	r = rt_record_read_envelope(doc, &layout_table, &layout, err);
	if (r == 0)
		take(&layout, ui);
	rt_record_free(&layout_table, &layout);
	rt_doc_free(doc);
	return r;
}
