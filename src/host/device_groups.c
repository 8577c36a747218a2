/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * device_groups.c - which groups of knobs a port has, and by which interface.
 *
 * What can be read is what a reading gave.  What can be written is what has a row
 * that takes writes and was read by the same interface: trying would be a write.
 */
#include <stdio.h>
#include <string.h>

#include "host/device_read.h"
#include "host/driver.h"

static enum rt_knob_group group_of(const struct rt_driver_row *row)
{
	return row->raw ? RT_GROUP_CC : rt_knobs[row->knob].group;
}

/* What a row says of a knob, neutral or raw. */
struct reading {
	bool known, there; /* there: the way to it exists */
	const char *why;
};

static struct reading reading_of(const struct rt_driver_row *row,
				 const struct rt_qos *qos)
{
	const struct rt_knob_value *value = &qos->knobs[row->raw ? 0 : row->knob];
	const struct rt_raw_value *raw;
	bool by_it;

	if (row->raw) {
		raw = rt_qos_raw(qos, row->raw);
		return (struct reading){ .known = raw && raw->known,
					 .there = raw && raw->known,
					 .why = raw ? raw->why : "" };
	}
	by_it = value->interface &&
		strcmp(value->interface, row->access->interface) == 0;
	return (struct reading){ .known = by_it && value->known,
				 .there = by_it,
				 .why = value->why };
}

/* "sysfs, configfs": each once. */
static void add_interface(char list[RT_INTERFACES_BYTES], const char *interface)
{
	const size_t used = strlen(list), bytes = strlen(interface);

	if (strstr(list, interface) || used + bytes + 3 > RT_INTERFACES_BYTES)
		return;
	snprintf(list + used, RT_INTERFACES_BYTES - used, "%s%s", used ? ", " : "",
		 interface);
}

/* A raw knob does not tell by which of its rows it came: the first one counts. */
static bool is_second_way(const struct rt_driver *driver,
			  const struct rt_driver_row *row)
{
	for (const struct rt_driver_row *other = driver->rows; other < row; other++)
		if (row->raw && other->raw && strcmp(other->raw, row->raw) == 0)
			return true;
	return false;
}

static void take_row(const struct rt_driver_row *row, const struct rt_qos *qos,
		     struct rt_group_access *group)
{
	const struct reading reading = reading_of(row, qos);

	if (reading.known)
		add_interface(group->read, row->access->interface);
	if (reading.there && !(row->flags & (RT_ROW_READ_ONLY | RT_ROW_UNSURE)))
		add_interface(group->write, row->access->interface);
	if (!reading.known && !*group->why)
		snprintf(group->why, sizeof(group->why), "%s", reading.why);
}

static const char *why_lacking(const struct rt_driver *driver, unsigned group)
{
	const struct rt_group_why *row = driver ? driver->lacks : NULL;

	for (; row && row->why; row++)
		if (row->group == group)
			return row->why;
	return NULL;
}

/* What the rows left open. */
static void finish(const struct rt_device *device, struct rt_group_access *group)
{
	const char *lacks = why_lacking(device->driver, group->group);

	if (*device->untunable)
		group->write[0] = '\0';
	if (*group->read && *group->write) {
		group->why[0] = '\0';
		return;
	}
	if (*device->untunable && (*group->read || !*group->why))
		snprintf(group->why, sizeof(group->why), "%.*s",
			 (int)sizeof(group->why) - 1, device->untunable);
	else if (!*group->read && lacks)
		snprintf(group->why, sizeof(group->why), "%s", lacks);
	else if (!*group->read && !*group->why)
		snprintf(group->why, sizeof(group->why), "%s has no such knob",
			 device->driver_name);
	else if (*group->read && !*group->write)
		snprintf(group->why, sizeof(group->why), "can only be read");
}

void rt_device_read_groups(struct rt_kern *kern, struct rt_device *device)
{
	struct rt_device at;
	const struct rt_host_port port = { .kern = kern,
					   .device = &at,
					   .driver = device->driver };
	struct rt_qos qos = { 0 };
	bool readable;

	rt_device_enter_bond(device, &at);
	readable = device->driver && device->driver->row_count &&
		   device->link_layer != RT_LAYER_INFINIBAND &&
		   rt_host_read(&port, &qos, NULL) == 0;

	for (size_t i = 0; readable && i < device->driver->row_count; i++) {
		const struct rt_driver_row *row = &device->driver->rows[i];

		if (!is_second_way(device->driver, row))
			take_row(row, &qos, &device->groups[group_of(row)]);
	}
	for (unsigned i = 0; i < RT_GROUP_COUNT; i++)
		finish(device, &device->groups[i]);
}
