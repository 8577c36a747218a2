/* SPDX-License-Identifier: BSD-2-Clause */
/* nics.c - the drivers' tables in words. */
#include "run/nics.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "host/counters.h"
#include "host/driver.h"
#include "rocetune/err.h"

static const char *last_part(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

/* What the NIC calls it: a file's name; a message has none. */
static const char *vendor_of(const struct rt_driver_row *row)
{
	return row->vendor ? row->vendor : row->path ? last_part(row->path) : "";
}

static void fill_range(const struct rt_driver_row *row, char *buf, size_t bytes)
{
	if (row->max == 1)
		snprintf(buf, bytes, "0, 1");
	else if (row->max >= UINT32_MAX && row->min)
		snprintf(buf, bytes, "from %" PRIu64, row->min);
	else if (row->max && row->max < UINT32_MAX)
		snprintf(buf, bytes, "%s%" PRIu64 "-%" PRIu64,
			 row->flags & RT_ROW_ZERO_OFF ? "0, " : "", row->min, row->max);
}

static void fill_knob(const struct rt_driver_row *row, struct rt_nic_knob *knob)
{
	*knob = (struct rt_nic_knob){
		.knob = row->raw ? row->raw : rt_knobs[row->knob].name,
		.raw = row->raw != NULL,
		.interface = row->access->name,
		.vendor = vendor_of(row),
		.unit = !row->raw                    ? ""
			: row->flags & RT_ROW_UNSURE ? "not documented"
						     : "the vendor's",
		.writes = row->flags & RT_ROW_READ_ONLY
				  ? "read only"
				  : rt_name_of(rt_impact_names, row->impact),
		.scope = rt_name_of(rt_scope_names, row->scope),
		.source = row->source,
	};
	fill_range(row, knob->range, sizeof(knob->range));
}

static const char *remark_on(const struct rt_counter_row *row)
{
	if (row->wraps)
		return "starts anew after 32 bits";
	if (row->sticks)
		return "stays at its end, and is unknown then";
	if (row->scale == 4)
		return "in words of 4 bytes";
	return row->scale == 1000 ? "in microseconds" : "";
}

static int fill_counters(const struct rt_counter_rows *rows,
			 struct rt_nic_counter **ret_items, size_t *ret_count)
{
	struct rt_nic_counter *items = calloc(rows->count + 1, sizeof(*items));

	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < rows->count; i++) {
		const struct rt_counter_row *row = &rows->items[i];

		items[i] = (struct rt_nic_counter){
			.counter = rt_counters[row->counter].name,
			.source = rt_name_of(rt_counter_source_names, row->source),
			.vendor = row->name,
			.remark = remark_on(row),
			.from = row->from,
		};
	}
	*ret_items = items;
	*ret_count = rows->count;
	return 0;
}

static int fill_nic(const struct rt_driver *driver, struct rt_nic *nic)
{
	const struct rt_group_why *lacks = driver->lacks;

	*nic = (struct rt_nic){ .name = driver->name,
				.help = driver->help,
				.cannot = driver->cannot };
	for (const char *const *name = driver->kernel; *name; name++)
		snprintf(nic->kernel + strlen(nic->kernel),
			 sizeof(nic->kernel) - strlen(nic->kernel), "%s%s",
			 name == driver->kernel ? "" : ", ", *name);
	for (; lacks && lacks->why && nic->lack_count < RT_ARRAY_SIZE(nic->lacks);
	     lacks++)
		nic->lacks[nic->lack_count++] = (struct rt_nic_lack){
			rt_name_of(rt_group_names, lacks->group), lacks->why
		};
	if (fill_counters(&driver->counters, &nic->counters, &nic->counter_count) < 0)
		return -ENOMEM;
	if (!driver->row_count)
		return 0;
	nic->knobs = calloc(driver->row_count, sizeof(*nic->knobs));
	if (!nic->knobs)
		return -ENOMEM;
	for (size_t i = 0; i < driver->row_count; i++)
		fill_knob(&driver->rows[i], &nic->knobs[nic->knob_count++]);
	return 0;
}

int rt_run_nics(struct rt_nics *ret_nics, struct rt_err *err)
{
	struct rt_nics nics = { 0 };
	size_t count = 0;
	int r = 0;

	while (rt_drivers[count])
		count++;
	nics.items = calloc(count, sizeof(*nics.items));
	if (!nics.items)
		r = -ENOMEM;
	for (size_t i = 0; i < count && r == 0; i++)
		r = fill_nic(rt_drivers[i], &nics.items[nics.count++]);
	if (r == 0)
		r = fill_counters(&rt_counters_common, &nics.common,
				  &nics.common_count);
	if (r == 0)
		r = fill_counters(&rt_counters_plain, &nics.plain, &nics.plain_count);
	if (r < 0) {
		rt_nics_free(&nics);
		return rt_err_sys(err, r, "the drivers' tables");
	}
	*ret_nics = nics;
	return 0;
}

void rt_nics_free(struct rt_nics *nics)
{
	for (size_t i = 0; i < nics->count; i++) {
		free(nics->items[i].knobs);
		free(nics->items[i].counters);
	}
	free(nics->common);
	free(nics->plain);
	free(nics->items);
	*nics = (struct rt_nics){ 0 };
}
