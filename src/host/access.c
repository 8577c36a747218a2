/* SPDX-License-Identifier: BSD-2-Clause */
/* access.c - what the ways to the kernel share: paths, units, values. */
#include "host/access.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "rocetune/err.h"

/* --- paths ------------------------------------------------------------------------- */

static const char *stand_in(const struct rt_host_port *port, const char *word,
			    size_t bytes, char number[16])
{
	const struct rt_device *device = port->device;
	const struct {
		const char *word, *text;
	} words[] = {
		{ "{net}", device->netdev },
		{ "{ib}", device->ibdev },
		{ "{pci}", device->pci },
		{ "{port}", number },
	};

	snprintf(number, 16, "%u", device->port);
	for (size_t i = 0; i < RT_ARRAY_SIZE(words); i++)
		if (strlen(words[i].word) == bytes &&
		    memcmp(words[i].word, word, bytes) == 0)
			return words[i].text;
	return NULL;
}

int rt_row_path(const struct rt_host_port *port, const char *path,
		char buf[RT_ROW_PATH_BYTES])
{
	char number[16];
	size_t used = 0;

	while (*path) {
		const char *end = *path == '{' ? strchr(path, '}') : NULL;
		const size_t bytes = end ? (size_t)(end - path) + 1 : 1;
		const char *text = end ? stand_in(port, path, bytes, number) : NULL;
		const size_t length = text ? strlen(text) : bytes;

		if (text && length == 0)
			return -ENODEV;
		if (used + length >= RT_ROW_PATH_BYTES)
			return -ENAMETOOLONG;
		memcpy(buf + used, text ? text : path, length);
		used += length;
		path += bytes;
	}
	buf[used] = '\0';
	return 0;
}

const char *rt_row_vendor(const struct rt_driver_row *row)
{
	const char *slash = row->path ? strrchr(row->path, '/') : NULL;

	if (row->vendor)
		return row->vendor;
	return slash ? slash + 1 : row->raw ? row->raw : row->access->name;
}

/* --- units ------------------------------------------------------------------------- */

int rt_row_to_neutral(const struct rt_driver_row *row, uint64_t raw,
		      uint64_t *ret_number)
{
	if (row->to_neutral)
		return row->to_neutral(raw, ret_number);
	if (row->scale && raw > UINT64_MAX / row->scale)
		return -EINVAL;
	*ret_number = row->scale ? raw * row->scale : raw;
	return 0;
}

/* What the row's unit is nearest to, whatever the NIC takes. */
static int nearest_raw(const struct rt_driver_row *row, uint64_t number,
		       uint64_t *ret_raw)
{
	const uint64_t scale = row->scale ? row->scale : 1;

	if (row->to_raw)
		return row->to_raw(number, ret_raw);
	*ret_raw = number / scale + (number % scale >= scale - scale / 2 && scale > 1);
	return 0;
}

/* As people write it. */
static const char *spell(const struct rt_driver_row *row, uint64_t number,
			 char buf[RT_UNIT_TEXT_BYTES])
{
	const struct rt_name *names = row->raw ? NULL : rt_knobs[row->knob].names;
	const char *name = names ? rt_name_of(names, (unsigned)number) : NULL;

	if (name)
		return name;
	return rt_unit_format_exact(row->raw ? RT_UNIT_NONE : rt_knobs[row->knob].unit,
				    number, buf);
}

static int out_of_range(const struct rt_driver_row *row, uint64_t number,
			struct rt_err *err)
{
	char from[RT_UNIT_TEXT_BYTES], to[RT_UNIT_TEXT_BYTES], is[RT_UNIT_TEXT_BYTES];
	uint64_t low = row->min, high = row->max;

	if (!row->max || (!row->raw && (rt_row_to_neutral(row, row->min, &low) < 0 ||
					rt_row_to_neutral(row, row->max, &high) < 0)))
		return rt_err_set(err, -ERANGE, "%s: %s is nothing that %s can hold",
				  row->raw ? row->raw : rt_knobs[row->knob].name,
				  spell(row, number, is), rt_row_vendor(row));
	return rt_err_set(err, -ERANGE, "%s: %s is out of range: %s takes %s to %s",
			  row->raw ? row->raw : rt_knobs[row->knob].name,
			  spell(row, number, is), rt_row_vendor(row),
			  spell(row, low < high ? low : high, from),
			  spell(row, low < high ? high : low, to));
}

/* Quantities may be rounded to what the NIC holds; numbers of things may not. */
static bool may_round(const struct rt_driver_row *row)
{
	const enum rt_unit unit = row->raw ? RT_UNIT_NONE : rt_knobs[row->knob].unit;

	return unit != RT_UNIT_NONE && unit != RT_UNIT_COUNT;
}

/* Within 5 %. */
static bool is_near(uint64_t number, uint64_t back)
{
	const uint64_t off = number > back ? number - back : back - number;

	return off <= number / 20;
}

int rt_row_to_raw(const struct rt_driver_row *row, uint64_t number, uint64_t *ret_raw,
		  struct rt_err *err)
{
	uint64_t raw, back;

	if (nearest_raw(row, number, &raw) < 0)
		return out_of_range(row, number, err);
	if (row->max && raw > row->max)
		raw = row->max;
	if (row->max && raw < row->min && !(raw == 0 && row->flags & RT_ROW_ZERO_OFF))
		raw = row->min;
	if (row->raw)
		back = raw;
	else if (rt_row_to_neutral(row, raw, &back) < 0)
		return out_of_range(row, number, err);
	if (back != number && !(may_round(row) && is_near(number, back)))
		return out_of_range(row, number, err);
	*ret_raw = raw;
	return 0;
}

/* --- values ------------------------------------------------------------------------ */

struct rt_raw_value *rt_row_raw(const struct rt_driver_row *row, struct rt_qos *qos)
{
	for (size_t i = 0; i < qos->raw_count; i++)
		if (strcmp(qos->raw[i].name, row->raw) == 0)
			return &qos->raw[i];
	if (qos->raw_count == RT_QOS_RAW_MAX)
		return NULL;
	qos->raw[qos->raw_count] = (struct rt_raw_value){ .name = row->raw };
	return &qos->raw[qos->raw_count++];
}

/* The way is there. */
static void name_way(const struct rt_driver_row *row, struct rt_qos *qos)
{
	struct rt_knob_value *value = &qos->knobs[row->knob];
	struct rt_raw_value *slot = row->raw ? rt_row_raw(row, qos) : NULL;

	if (slot) {
		slot->interface = row->access->interface;
	} else if (!row->raw) {
		value->interface = row->access->interface;
		value->vendor = rt_row_vendor(row);
	}
}

void rt_row_set(const struct rt_driver_row *row, struct rt_qos *qos, unsigned element,
		uint64_t raw)
{
	struct rt_knob_value *value;
	struct rt_raw_value *slot;
	uint64_t number;

	if (row->raw) {
		slot = rt_row_raw(row, qos);
		if (slot)
			*slot = (struct rt_raw_value){
				.name = row->raw,
				.known = true,
				.number = raw,
				.interface = row->access->interface,
			};
		return;
	}
	value = &qos->knobs[row->knob];
	if (rt_row_to_neutral(row, raw, &number) < 0) {
		rt_row_unknown(row, qos, "%s is %" PRIu64 ", which is no value of it",
			       rt_row_vendor(row), raw);
		return;
	}
	rt_knob_set(qos, row->knob, element, number);
	name_way(row, qos);
	if (rt_knobs[row->knob].length == 1) {
		value->raw = raw;
		value->raw_known = true;
	}
}

static void say_why(const struct rt_driver_row *row, struct rt_qos *qos,
		    const char *why)
{
	struct rt_raw_value *slot;

	if (!row->raw) {
		rt_knob_unknown(qos, row->knob, why);
		return;
	}
	slot = rt_row_raw(row, qos);
	if (!slot)
		return;
	*slot = (struct rt_raw_value){ .name = row->raw };
	snprintf(slot->why, sizeof(slot->why), "%s", why);
}

void rt_row_absent(const struct rt_driver_row *row, struct rt_qos *qos, int r)
{
	static const struct {
		int code;
		const char *text;
	} reasons[] = {
		{ -EACCES, "only root may read it" },
		{ -EPERM, "only root may read it" },
		{ -ENOENT, "this driver or its version has it not" },
		{ -ENOTDIR, "this driver or its version has it not" },
		{ -EOPNOTSUPP, "the driver does not offer it" },
		{ -ENODEV, "no such device" },
	};
	const char *text = strerror(-r);
	char why[RT_KNOB_WHY_BYTES];

	for (size_t i = 0; i < RT_ARRAY_SIZE(reasons); i++)
		if (reasons[i].code == r)
			text = reasons[i].text;
	snprintf(why, sizeof(why), "%s: %s", row->access->name, text);
	say_why(row, qos, why);
	/* There, but not for us: root may write it. */
	if (r == -EACCES || r == -EPERM)
		name_way(row, qos);
}

void rt_row_unknown(const struct rt_driver_row *row, struct rt_qos *qos,
		    const char *fmt, ...)
{
	char why[RT_KNOB_WHY_BYTES];
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	rt_text_clean(why);
	say_why(row, qos, why);
	name_way(row, qos);
}

int rt_change_raw(const struct rt_plan *plan, const struct rt_change *change,
		  unsigned element, uint64_t *ret_raw, struct rt_err *err)
{
	const struct rt_driver_row *row = change->row;
	uint64_t number;

	if (row->raw) {
		*ret_raw = plan->target.raw[change->raw].number;
		return 0;
	}
	number = rt_knob_number(&rt_knobs[row->knob], &plan->target.knobs[row->knob],
				element);
	if (!plan->as_it_was)
		return rt_row_to_raw(row, number, ret_raw, err);
	return nearest_raw(row, number, ret_raw) < 0 ? out_of_range(row, number, err)
						     : 0;
}
