/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * resolve.c - what is wanted, as a driver can have it.  Twice applying the same must
 * change nothing the second time, and a check must not call the nearest value that
 * a NIC holds a difference: so all rounding is done here.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "host/access.h"
#include "rocetune/err.h"

/* Rows of one knob convert alike: the first will do, one that is written rather. */
static const struct rt_driver_row *row_of(const struct rt_driver *driver,
					  enum rt_knob_id id)
{
	const struct rt_driver_row *first = NULL;

	for (size_t i = 0; i < driver->row_count; i++) {
		const struct rt_driver_row *row = &driver->rows[i];

		if (row->raw || row->knob != id)
			continue;
		if (!(row->flags & RT_ROW_READ_ONLY))
			return row;
		if (!first)
			first = row;
	}
	return first;
}

static int resolve_element(const struct rt_driver_row *row, struct rt_qos *want,
			   unsigned element, struct rt_err *err)
{
	const struct rt_knob *knob = &rt_knobs[row->knob];
	uint64_t number = rt_knob_number(knob, &want->knobs[row->knob], element), raw;
	int r;

	if (knob->flags & RT_KNOB_MAY_LACK && number == RT_NO_PRIO)
		return 0;
	if (row->to_neutral && !row->to_raw) /* only read: an exact one will do */
		return 0;
	r = rt_row_to_raw(row, number, &raw, err);
	if (r < 0)
		return r;
	if (rt_row_to_neutral(row, raw, &number) == 0)
		rt_knob_set(want, row->knob, element, number);
	return 0;
}

static int resolve_knob(const struct rt_driver *driver, enum rt_knob_id id,
			struct rt_qos *want, struct rt_err *err)
{
	const struct rt_driver_row *row = row_of(driver, id);

	if (!row || row->words)
		return 0;
	for (unsigned i = 0; i < rt_knobs[id].length; i++) {
		int r = want->knobs[id].known >> i & 1
				? resolve_element(row, want, i, err)
				: 0;

		if (r < 0)
			return r;
	}
	return 0;
}

/* The row that a raw name stands for: of a raw knob, or of one with a neutral twin. */
static const struct rt_driver_row *row_named(const struct rt_driver *driver,
					     const char *name)
{
	for (size_t i = 0; i < driver->row_count; i++)
		if (driver->rows[i].raw && strcmp(driver->rows[i].raw, name) == 0)
			return &driver->rows[i];
	for (size_t i = 0; i < driver->row_count; i++)
		if (!driver->rows[i].raw && driver->rows[i].path &&
		    strcmp(rt_row_vendor(&driver->rows[i]), name) == 0)
			return &driver->rows[i];
	return NULL;
}

/* The neutral twin takes over; the raw entry stays, as unknown, in its place. */
static int resolve_twin(const struct rt_driver_row *row, struct rt_raw_value *value,
			struct rt_qos *want, struct rt_err *err)
{
	const struct rt_opt_u64 other = rt_qos_number(want, row->knob);
	uint64_t number;

	if (rt_knobs[row->knob].length > 1 ||
	    rt_row_to_neutral(row, value->number, &number) < 0)
		return rt_err_set(err, -EINVAL, "raw %s: %" PRIu64 " is no value of it",
				  value->name, value->number);
	if (other.known && other.value != number)
		return rt_err_set(err, -EINVAL,
				  "raw %s: %" PRIu64
				  " contradicts %s, which is the same",
				  value->name, value->number, rt_knobs[row->knob].name);
	rt_knob_set(want, row->knob, 0, number);
	value->known = false;
	return 0;
}

static int resolve_raw(const struct rt_driver *driver, struct rt_raw_value *value,
		       struct rt_qos *want, struct rt_err *err)
{
	const struct rt_driver_row *row = row_named(driver, value->name);
	uint64_t raw;

	if (!value->known || !row)
		return 0;
	if (!row->raw)
		return resolve_twin(row, value, want, err);
	return rt_row_to_raw(row, value->number, &raw, err);
}

int rt_driver_resolve(const struct rt_driver *driver, const struct rt_qos *want,
		      struct rt_qos *ret_want, struct rt_err *err)
{
	struct rt_qos resolved = *want;
	int r;

	for (size_t i = 0; i < resolved.raw_count; i++) {
		r = resolve_raw(driver, &resolved.raw[i], &resolved, err);
		if (r < 0)
			return r;
	}
	for (unsigned id = 0; id < RT_KNOB_COUNT; id++) {
		r = resolve_knob(driver, id, &resolved, err);
		if (r < 0)
			return r;
	}
	*ret_want = resolved;
	return 0;
}
