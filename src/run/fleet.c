/* SPDX-License-Identifier: BSD-2-Clause */
/* fleet.c - reads hosts into numbers. */
#include "run/fleet.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "host/device.h"
#include "host/driver.h"
#include "rocetune/err.h"
#include "run/fleet_ports.h"
#include "run/host_text.h"

int rt_fleet_open(struct rt_fleet **ret_fleet, struct rt_err *err)
{
	struct rt_fleet *fleet = calloc(1, sizeof(*fleet));

	if (!fleet)
		return rt_err_sys(err, -ENOMEM, "cannot hold the hosts");
	*ret_fleet = fleet;
	return 0;
}

void rt_fleet_close(struct rt_fleet *fleet)
{
	if (!fleet)
		return;
	for (size_t i = 0; i < fleet->port_count; i++)
		free(fleet->ports[i].cells);
	free(fleet->ports);
	free(fleet->hosts);
	rt_wordbook_free(&fleet->words);
	rt_wordbook_free(&fleet->columns);
	free(fleet);
}

/* --- what is compared of a port ---------------------------------------------------- */

static int add_cell(struct rt_fleet *fleet, struct rt_fleet_port *port,
		    const char *column, const char *value)
{
	struct rt_fleet_cell *cells = rt_grow(port->cells, port->cell_count,
					      &port->capacity, sizeof(*cells));
	struct rt_fleet_cell *cell;

	if (!cells)
		return -ENOMEM;
	port->cells = cells;
	cell = &cells[port->cell_count];
	if (rt_wordbook_number(&fleet->columns, column, &cell->column) < 0 ||
	    rt_wordbook_number(&fleet->words, value, &cell->value) < 0)
		return -ENOMEM;
	port->cell_count++;
	return 0;
}

/* Facts that hosts of one kind should have in common. */
static int add_facts(struct rt_fleet *fleet, struct rt_fleet_port *port,
		     const struct rt_device *device)
{
	char speed[RT_UNIT_TEXT_BYTES], mtu[RT_UNIT_TEXT_BYTES], pcie[64], numa[24];
	const struct {
		const char *column, *value;
	} facts[] = {
		{ "driver", device->kernel_driver },
		{ "firmware", device->firmware },
		{ "chip", device->chip },
		{ "link", rt_name_of(rt_link_layer_names, device->link_layer) },
		{ "state", device->state },
		{ "speed", speed },
		{ "mtu", mtu },
		{ "pcie", rt_device_pcie(device, pcie) },
		{ "numa", numa },
		{ "function", rt_name_of(rt_function_names, device->function) },
		{ "eswitch", device->eswitch },
		{ "bond", *device->bond ? "yes" : "no" },
	};
	int r = 0;

	snprintf(speed, sizeof(speed), "%s", "");
	snprintf(mtu, sizeof(mtu), "%s", "");
	snprintf(numa, sizeof(numa), "%s", "");
	if (device->speed_bps.known)
		rt_unit_format_exact(RT_UNIT_BPS, device->speed_bps.value, speed);
	if (device->mtu_bytes.known)
		rt_unit_format_exact(RT_UNIT_MTU, device->mtu_bytes.value, mtu);
	if (device->numa.known)
		snprintf(numa, sizeof(numa), "%" PRIu64, device->numa.value);
	for (size_t i = 0; i < RT_ARRAY_SIZE(facts) && r == 0; i++)
		r = add_cell(fleet, port, facts[i].column,
			     *facts[i].value ? facts[i].value : "unknown");
	return r;
}

static int add_knobs(struct rt_fleet *fleet, struct rt_fleet_port *port,
		     const struct rt_qos *qos)
{
	char text[RT_KNOB_TEXT_BYTES];
	int r = 0;

	for (unsigned id = 0; id < RT_KNOB_COUNT && r == 0; id++)
		r = add_cell(fleet, port, rt_knobs[id].name,
			     rt_knob_format(&rt_knobs[id], &qos->knobs[id], text));
	for (size_t i = 0; i < qos->raw_count && r == 0; i++) {
		const struct rt_raw_value *raw = &qos->raw[i];

		snprintf(text, sizeof(text), "%" PRIu64, raw->number);
		r = add_cell(fleet, port, raw->name, raw->known ? text : "unknown");
	}
	return r;
}

/* --- hosts --------------------------------------------------------------------------- */

static int add_port(struct rt_fleet *fleet, struct rt_kern *kern,
		    const struct rt_device *device, struct rt_err *err)
{
	RT_AUTO(rt_auto_free) struct rt_qos *qos = calloc(1, sizeof(*qos));
	struct rt_device at;
	const struct rt_host_port open = { kern, &at, device->driver };
	struct rt_fleet_port *ports = rt_grow(fleet->ports, fleet->port_count,
					      &fleet->port_capacity, sizeof(*ports));
	struct rt_fleet_port *port;
	char name[RT_DEVICE_NAME_BYTES];

	if (ports)
		fleet->ports = ports;
	if (!qos || !ports)
		return rt_err_sys(err, -ENOMEM, "cannot hold the hosts");
	rt_device_enter_bond(device, &at);
	port = &ports[fleet->port_count];
	*port = (struct rt_fleet_port){
		.host = (uint32_t)fleet->host_count,
		.held = rt_kern_holds(kern, device->ibdev, device->port),
	};
	if (device->driver && device->driver->row_count &&
	    device->link_layer != RT_LAYER_INFINIBAND)
		(void)rt_host_read(&open, qos, NULL); /* what is unknown says so */
	fleet->port_count++;
	if (rt_wordbook_number(&fleet->words, rt_device_title(device, name),
			       &port->name) < 0 ||
	    add_facts(fleet, port, device) < 0 || add_knobs(fleet, port, qos) < 0)
		return rt_err_sys(err, -ENOMEM, "cannot hold the hosts");
	return 0;
}

/*
 * By PCI address and port: the order of rails, whatever the names.  Software devices
 * come last: they move no rail.
 */
static int by_place(const void *a, const void *b)
{
	const struct rt_device *x = a, *y = b;
	const int r = !*x->pci != !*y->pci ? !*x->pci - !*y->pci
					   : strcmp(x->pci, y->pci);

	return r ? r : (x->port > y->port) - (x->port < y->port);
}

static int add_ports(struct rt_fleet *fleet, struct rt_kern *kern,
		     struct rt_devices *devices, struct rt_err *err)
{
	int r = 0;

	if (devices->count > 1)
		qsort(devices->items, devices->count, sizeof(*devices->items),
		      by_place);
	for (size_t i = 0; i < devices->count && r == 0; i++) {
		r = add_port(fleet, kern, &devices->items[i], err);
		if (r == 0)
			fleet->ports[fleet->port_count - 1].place = (uint32_t)i;
	}
	return r;
}

bool rt_fleet_has(const struct rt_fleet *fleet, const char *host)
{
	for (size_t i = 0; i < fleet->host_count; i++)
		if (strcmp(fleet->words.items[fleet->hosts[i]], host) == 0)
			return true;
	return false;
}

int rt_fleet_add(struct rt_fleet *fleet, const char *host, struct rt_kern *kern,
		 struct rt_err *err)
{
	const size_t before = fleet->port_count;
	struct rt_devices devices = { 0 };
	uint32_t *hosts = rt_grow(fleet->hosts, fleet->host_count,
				  &fleet->host_capacity, sizeof(*hosts));
	int r;

	if (!hosts)
		return rt_err_sys(err, -ENOMEM, "cannot hold the hosts");
	fleet->hosts = hosts;
	if (rt_wordbook_number(&fleet->words, host, &hosts[fleet->host_count]) < 0)
		return rt_err_sys(err, -ENOMEM, "cannot hold the hosts");
	r = rt_devices_read(kern, 0, &devices, err);
	if (r == 0)
		r = add_ports(fleet, kern, &devices, err);
	else if (r == -EOPNOTSUPP) /* a kernel without RDMA: a host without ports */
		r = 0;
	rt_devices_free(&devices);
	if (r == 0) {
		fleet->host_count++;
		return 0;
	}
	while (fleet->port_count > before)
		free(fleet->ports[--fleet->port_count].cells);
	return r;
}
