/* SPDX-License-Identifier: BSD-2-Clause */
/* host_read.c - all knobs of a port, by its driver's rows; writes nothing. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/access.h"
#include "rocetune/err.h"

/* Rows of one knob stand in order of preference: what one has found is kept. */
static void read_knob(const struct rt_host_port *port, const struct rt_driver_row *row,
		      struct rt_qos *qos)
{
	struct rt_knob_value *value = &qos->knobs[row->knob];
	const struct rt_knob_value before = *value;

	if (before.known)
		return;
	*value = (struct rt_knob_value){ 0 };
	row->access->read(port, row, qos);
	if (!value->known && !value->interface && *before.why)
		*value = before;
}

static void read_raw(const struct rt_host_port *port, const struct rt_driver_row *row,
		     struct rt_qos *qos)
{
	struct rt_raw_value *slot = rt_row_raw(row, qos);
	struct rt_raw_value before;

	if (!slot || slot->known)
		return;
	before = *slot;
	row->access->read(port, row, qos);
	if (!slot->known && !slot->interface && *before.why)
		*slot = before;
}

/* Why the driver has no such knob, where nothing is there to be read. */
static void say_what_lacks(const struct rt_driver *driver, struct rt_qos *qos,
			   enum rt_knob_id id)
{
	struct rt_knob_value *value = &qos->knobs[id];
	const struct rt_group_why *lacks = driver->lacks;

	if (value->known || value->interface)
		return;
	while (lacks && lacks->why && lacks->group != rt_knobs[id].group)
		lacks++;
	if (lacks && lacks->why)
		snprintf(value->why, sizeof(value->why), "%s", lacks->why);
	else if (!*value->why)
		snprintf(value->why, sizeof(value->why), "%s offers no such knob",
			 driver->name);
}

int rt_host_read_knob(const struct rt_host_port *port, enum rt_knob_id id,
		      struct rt_knob_value *ret_value)
{
	const struct rt_driver *driver = port->driver;
	struct rt_qos *qos = calloc(1, sizeof(*qos));

	if (!qos)
		return -ENOMEM;
	for (size_t i = 0; driver && i < driver->row_count; i++)
		if (!driver->rows[i].raw && driver->rows[i].knob == id)
			read_knob(port, &driver->rows[i], qos);
	*ret_value = qos->knobs[id];
	free(qos);
	return 0;
}

int rt_host_read(const struct rt_host_port *port, struct rt_qos *ret_qos,
		 struct rt_err *err)
{
	const struct rt_driver *driver = port->driver;
	struct rt_qos qos = { 0 };

	if (!driver)
		return rt_err_set(
			err, -EOPNOTSUPP,
			"%s: no driver here knows '%s': its knobs are unknown",
			port->device->ibdev, port->device->kernel_driver);
	for (size_t i = 0; i < driver->row_count; i++) {
		const struct rt_driver_row *row = &driver->rows[i];

		if (row->raw)
			read_raw(port, row, &qos);
		else
			read_knob(port, row, &qos);
	}
	for (unsigned id = 0; id < RT_KNOB_COUNT; id++)
		say_what_lacks(driver, &qos, id);
	if (driver->infer)
		driver->infer(&qos);
	*ret_qos = qos;
	return 0;
}
