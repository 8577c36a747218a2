/* SPDX-License-Identifier: BSD-2-Clause */
/* host_list.c - the RDMA ports of a host, and how text tells of them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "host/device.h"
#include "host/elsewhere.h"
#include "rocetune/err.h"
#include "run/host.h"
#include "run/host_text.h"
#include "run/outcome.h"

#define QUIET RT_FIELD_ZERO_QUIET

#define OWNER struct rt_list_port
static const struct rt_field port_fields[] = {
	RT_FIELD_CHARS_OF(OWNER, device, "RDMA device and port"),
	RT_FIELD(OWNER, TEXT, netdev, NONE, "network device", .flags = QUIET),
	RT_FIELD(OWNER, TEXT, link, NONE, "what the link is"),
	RT_FIELD(OWNER, TEXT, state, NONE, "state of the RDMA port"),
	RT_FIELD(OWNER, OPT_U64, speed_bps, BPS, "speed"),
	RT_FIELD(OWNER, OPT_U64, mtu_bytes, MTU, "MTU of the network device",
		 .label = "MTU", .flags = QUIET),
	RT_FIELD(OWNER, OPT_U64, roce_mtu_bytes, MTU, "largest RDMA payload",
		 .label = "RoCE", .flags = QUIET),
	RT_FIELD(OWNER, OPT_U64, qps, COUNT, "queue pairs", .label = "QPs",
		 .flags = QUIET | RT_FIELD_KEEP),
	RT_FIELD(OWNER, OPT_U64, connected, COUNT, "of these connected",
		 .label = "in use", .flags = QUIET | RT_FIELD_KEEP),
};
RT_TABLE(rt_list_port_table, rt_list_port, "list_port", "Ports", "A port, for text.",
	 port_fields);
#undef OWNER

#define OWNER struct rt_list_adapter
static const struct rt_field adapter_fields[] = {
	RT_FIELD_CHARS_OF(OWNER, device, "RDMA device and port"),
	RT_FIELD_CHARS_OF(OWNER, chip, "NIC, and its kind of function", .flags = QUIET),
	RT_FIELD(OWNER, TEXT, driver, NONE, "kernel driver", .flags = QUIET),
	RT_FIELD(OWNER, TEXT, firmware, NONE, "firmware version", .flags = QUIET),
};
RT_TABLE(rt_list_adapter_table, rt_list_adapter, "list_adapter", "Adapters",
	 "A port's NIC, for text.", adapter_fields);
#undef OWNER

#define OWNER struct rt_list_slot
static const struct rt_field slot_fields[] = {
	RT_FIELD_CHARS_OF(OWNER, device, "RDMA device and port"),
	RT_FIELD(OWNER, TEXT, pci, NONE, "PCI address", .label = "PCI", .flags = QUIET),
	RT_FIELD(OWNER, OPT_U64, numa, NONE, "NUMA node", .label = "NUMA",
		 .flags = QUIET | RT_FIELD_KEEP),
	RT_FIELD_CHARS_OF(OWNER, pcie, "PCIe link", .label = "PCIe", .flags = QUIET),
};
RT_TABLE(rt_list_slot_table, rt_list_slot, "list_slot", "Slots",
	 "Where a port's NIC is, for text.", slot_fields);
#undef OWNER

/* --- texts ------------------------------------------------------------------------ */

static const char *or_null(const char *text)
{
	return *text ? text : NULL;
}

static void add_name(char names[RT_HOST_TEXT_BYTES], const struct rt_device *device)
{
	char name[RT_DEVICE_NAME_BYTES];

	rt_put_name(names, rt_device_title(device, name));
}

/* --- rows ------------------------------------------------------------------------- */

static void add_port(struct rt_list_view *view, const struct rt_device *device)
{
	struct rt_list_port *port = &view->ports[view->count];
	struct rt_list_adapter *adapter = &view->adapters[view->count++];

	*port = (struct rt_list_port){
		.netdev = or_null(device->netdev),
		.link = rt_name_of(rt_link_layer_names, device->link_layer),
		.state = or_null(device->state),
		.speed_bps = device->speed_bps,
		.mtu_bytes = device->mtu_bytes,
		.roce_mtu_bytes = device->roce_mtu_bytes,
		.qps = device->qps,
		.connected = device->connected,
	};
	rt_device_title(device, port->device);
	*adapter = (struct rt_list_adapter){
		.driver = or_null(device->kernel_driver),
		.firmware = or_null(device->firmware),
	};
	rt_device_title(device, adapter->device);
	RT_PUT(adapter->chip, "%s", device->chip);
	if (device->function != RT_FUNCTION_PF &&
	    device->function != RT_FUNCTION_UNKNOWN)
		RT_PUT(adapter->chip, "%s%s", *device->chip ? " " : "",
		       rt_name_of(rt_function_names, device->function));
	if (strcmp(device->eswitch, "switchdev") == 0)
		RT_PUT(adapter->chip, "%sswitchdev", *adapter->chip ? ", " : "");
}

/* Software devices are in none. */
static void add_slot(struct rt_list_view *view, const struct rt_device *device)
{
	struct rt_list_slot *slot = &view->slots[view->slot_count];

	if (!*device->pci)
		return;
	view->slot_count++;
	*slot = (struct rt_list_slot){ .pci = device->pci, .numa = device->numa };
	rt_device_title(device, slot->device);
	rt_device_pcie(device, slot->pcie);
}

static void add_bond(struct rt_list_view *view, const struct rt_device *device)
{
	struct rt_host_line *line = &view->bonds[view->bond_count];

	if (!*device->bond)
		return;
	view->bond_count++;
	*line = (struct rt_host_line){ 0 };
	add_name(line->subject, device);
	RT_PUT(line->text, "%s of %s", device->bond,
	       *device->slaves ? device->slaves : "nothing");
}

static void add_addresses(struct rt_list_view *view, const struct rt_device *device)
{
	struct rt_host_line *line = &view->addresses[view->address_count];
	char address[RT_IP_TEXT_BYTES];
	size_t left = 0;

	*line = (struct rt_host_line){ 0 };
	for (size_t i = 0; i < device->gid_count; i++) {
		const struct rt_gid *gid = &device->gids[i];

		if (gid->type == RT_GID_ROCE_V2 &&
		    (left || !RT_PUT(line->text, "%s%u: %s", *line->text ? ", " : "",
				     gid->index, rt_ip_format(&gid->address, address))))
			left++;
	}
	if (!*line->text)
		return;
	if (left)
		RT_PUT(line->text, " ...");
	add_name(line->subject, device);
	view->address_count++;
}

static void add_untuned(struct rt_list_view *view, const struct rt_device *device)
{
	size_t at = 0;

	if (!*device->untunable)
		return;
	while (at < view->untuned_count &&
	       strcmp(view->untuned[at].text, device->untunable) != 0)
		at++;
	if (at == view->untuned_count) {
		view->untuned[at] = (struct rt_host_line){ 0 };
		RT_PUT(view->untuned[at].text, "%s", device->untunable);
		view->untuned_count++;
	}
	add_name(view->untuned[at].subject, device);
	view->untuned[at].subjects++;
}

/* Groups of one kind of access, those of one interface together. */
static void write_groups(const struct rt_device *device, bool writable,
			 char text[RT_HOST_TEXT_BYTES])
{
	const char *interface = "";

	for (unsigned i = 0; i < RT_GROUP_COUNT; i++) {
		const struct rt_group_access *group = &device->groups[i];

		if (!*group->read || writable != !!*group->write)
			continue;
		if (*interface && strcmp(interface, group->read) != 0)
			rt_put(text, RT_HOST_TEXT_BYTES, " (%s),", interface);
		rt_put(text, RT_HOST_TEXT_BYTES, "%s%s", *text ? " " : "",
		       rt_name_of(rt_group_names, group->group));
		interface = group->read;
	}
	if (*interface)
		rt_put(text, RT_HOST_TEXT_BYTES, " (%s)", interface);
}

static void write_missing(const struct rt_device *device, char text[RT_HOST_TEXT_BYTES])
{
	for (unsigned i = 0; i < RT_GROUP_COUNT; i++)
		if (!*device->groups[i].read && !*device->groups[i].write)
			rt_put(text, RT_HOST_TEXT_BYTES, "%s%s", *text ? " " : "",
			       rt_name_of(rt_group_names, device->groups[i].group));
}

static void add_access(struct rt_list_view *view, const struct rt_device *device)
{
	struct rt_list_access access = { 0 };
	size_t at = 0;

	if (!device->driver || device->link_layer == RT_LAYER_INFINIBAND)
		return;
	write_groups(device, true, access.both);
	write_groups(device, false, access.read);
	if (!*access.both && !*access.read && *device->untunable)
		return;
	write_missing(device, access.neither);
	while (at < view->access_count &&
	       (strcmp(view->access[at].both, access.both) != 0 ||
		strcmp(view->access[at].read, access.read) != 0 ||
		strcmp(view->access[at].neither, access.neither) != 0))
		at++;
	if (at == view->access_count)
		view->access[view->access_count++] = access;
	add_name(view->access[at].devices, device);
	view->access[at].subjects++;
}

/* --- the journey ------------------------------------------------------------------- */

static const struct rt_field list_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_host_list, note, "why there is nothing to list"),
	RT_FIELD_LIST_OF(struct rt_host_list, devices, count, &rt_device_table,
			 "RDMA ports, in the kernel's order"),
	RT_FIELD_LIST_OF(struct rt_host_list, elsewhere, elsewhere_count,
			 &rt_elsewhere_table,
			 "RDMA devices of the host that another network namespace has, "
			 "and so are not seen here"),
};
RT_TABLE(rt_host_list_table, rt_host_list, "list", "RDMA devices",
	 "Every port of every RDMA device of a host.", list_fields);

static void release_list(void *object)
{
	struct rt_host_list *list = object;
	struct rt_devices devices = { .items = list->devices, .count = list->count };

	rt_devices_free(&devices);
	free(list->elsewhere);
	free(list->view.elsewhere);
	free(list->view.ports);
	free(list->view.adapters);
	free(list->view.slots);
	free(list->view.bonds);
	free(list->view.addresses);
	free(list->view.untuned);
	free(list->view.access);
	free(list);
}

static void add_elsewhere(const struct rt_elsewhere *at, struct rt_host_line *line)
{
	*line = (struct rt_host_line){ 0 };
	RT_PUT(line->subject, "%s", *at->device ? at->device : at->pci);
	if (*at->device && *at->pci)
		RT_PUT(line->subject, " (%s)", at->pci);
	RT_PUT(line->text, "%s%s%s", at->where, *at->remedy ? ": " : "", at->remedy);
}

/* What holds for every port needs no list of them. */
static void name_all(struct rt_host_list *list)
{
	struct rt_list_view *view = &list->view;

	for (size_t i = 0; i < view->access_count && list->count > 1; i++)
		if (view->access[i].subjects == list->count)
			snprintf(view->access[i].devices,
				 sizeof(view->access[i].devices), "all ports");
	for (size_t i = 0; i < view->untuned_count && list->count > 1; i++)
		if (view->untuned[i].subjects == list->count)
			snprintf(view->untuned[i].subject,
				 sizeof(view->untuned[i].subject), "all ports");
}

static int make_view(struct rt_host_list *list, struct rt_err *err)
{
	struct rt_list_view *view = &list->view;
	const size_t count = list->count + 1;

	view->ports = calloc(count, sizeof(*view->ports));
	view->adapters = calloc(count, sizeof(*view->adapters));
	view->slots = calloc(count, sizeof(*view->slots));
	view->bonds = calloc(count, sizeof(*view->bonds));
	view->addresses = calloc(count, sizeof(*view->addresses));
	view->untuned = calloc(count, sizeof(*view->untuned));
	view->access = calloc(count, sizeof(*view->access));
	view->elsewhere = calloc(list->elsewhere_count + 1, sizeof(*view->elsewhere));
	if (!view->elsewhere || !view->ports || !view->adapters || !view->slots ||
	    !view->bonds || !view->addresses || !view->untuned || !view->access)
		return rt_err_sys(err, -ENOMEM, "cannot hold the list");
	for (size_t i = 0; i < list->count; i++) {
		const struct rt_device *device = &list->devices[i];

		add_port(view, device);
		add_slot(view, device);
		add_bond(view, device);
		add_addresses(view, device);
		add_untuned(view, device);
		add_access(view, device);
	}
	for (size_t i = 0; i < list->elsewhere_count; i++)
		add_elsewhere(&list->elsewhere[i], &view->elsewhere[i]);
	name_all(list);
	return 0;
}

static int read_elsewhere(struct rt_kern *kern, struct rt_host_list *list,
			  struct rt_err *err)
{
	const struct rt_devices here = { .items = list->devices, .count = list->count };
	struct rt_elsewheres found = { 0 };
	int r = rt_elsewhere_read(kern, &here, &found, err);

	if (r < 0)
		return r;
	list->elsewhere = found.items;
	list->elsewhere_count = found.count;
	return 0;
}

/* A kernel without RDMA is a host without RDMA devices: nothing went wrong. */
static int read_list(const char *sysroot, struct rt_host_list *list, struct rt_err *err)
{
	RT_AUTO(rt_auto_kern_close) struct rt_kern *kern = NULL;
	struct rt_devices devices = { 0 };
	struct rt_err why = { 0 };
	int r = rt_run_open_host(sysroot, &kern, err);

	if (r < 0)
		return r;
	r = rt_devices_read(kern, RT_DEVICE_GIDS | RT_DEVICE_USE | RT_DEVICE_GROUPS,
			    &devices, &why);
	if (r < 0 && r != -EOPNOTSUPP)
		return rt_err_set(err, r, "%s", why.msg);
	list->devices = devices.items;
	list->count = devices.count;
	if (r < 0)
		RT_PUT(list->note, "%.199s", why.msg);
	r = read_elsewhere(kern, list, err);
	if (list->count == 0 && !*list->note)
		RT_PUT(list->note, list->elsewhere_count
					   ? "all are other network namespaces'"
					   : "the kernel has none");
	return r < 0 ? r : make_view(list, err);
}

int rt_run_list(const char *sysroot, struct rt_outcome *ret_outcome, struct rt_err *err)
{
	struct rt_host_list *list = calloc(1, sizeof(*list));
	int r;

	if (!list)
		return rt_err_sys(err, -ENOMEM, "cannot hold the list");
	r = read_list(sysroot, list, err);
	if (r < 0) {
		release_list(list);
		return r;
	}
	*ret_outcome = (struct rt_outcome){ .table = &rt_host_list_table,
					    .object = list,
					    .release = release_list };
	return 0;
}
