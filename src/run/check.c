/* SPDX-License-Identifier: BSD-2-Clause */
/* check.c - ports of a host against profile, switch and announcement. */
#include "run/check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "host/device.h"
#include "kern/kern.h"
#include "rocetune/err.h"
#include "run/check_parts.h"
#include "run/host.h"
#include "run/outcome.h"
#include "run/profile.h"

/* --- tables --------------------------------------------------------------------------- */

static const struct rt_field link_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_checked_link, device, "RDMA device and port"),
	RT_FIELD_CHARS_OF(struct rt_checked_link, netdev, "its network device"),
	RT_FIELD_CHARS_OF(struct rt_checked_link, rail,
			  "entry of the profile's rails that holds for it",
			  .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD_CHARS_OF(struct rt_checked_link, switch_name,
			  "the switch at the other end", .label = "switch"),
	RT_FIELD_CHARS_OF(struct rt_checked_link, switch_port, "its port"),
	RT_FIELD(struct rt_checked_link, U32, errors, COUNT,
		 "findings that are errors"),
	RT_FIELD(struct rt_checked_link, U32, warnings, COUNT,
		 "findings that are warnings"),
	RT_FIELD(struct rt_checked_link, U32, not_judged, COUNT,
		 "comparisons that lacked a value"),
	{ .name = "rows",
	  .help = "each property as each side has it",
	  .type = RT_FIELD_LIST,
	  .offset = offsetof(struct rt_checked_link, rows.items),
	  .table = &rt_align_row_table,
	  .count_offset = offsetof(struct rt_checked_link, rows.count) },
	{ .name = "findings",
	  .help = "what the rules found",
	  .type = RT_FIELD_LIST,
	  .offset = offsetof(struct rt_checked_link, findings.items),
	  .table = &rt_finding_table,
	  .count_offset = offsetof(struct rt_checked_link, findings.count) },
	RT_FIELD_LIST_OF(struct rt_checked_link, peers, peer_count, &rt_dcbx_peer_table,
			 "who was heard by LLDP"),
};

static RT_TABLE(link_table, rt_checked_link, "checked_link", "Ports",
		"A port of the host and the port at the other end of its link.",
		link_fields);

static const struct rt_field links_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_checked_links, profile, "what was compared with"),
	RT_FIELD_LIST_OF(struct rt_checked_links, ports, count, &link_table,
			 "the ports, in the order asked for"),
};

RT_TABLE(rt_checked_links_table, rt_checked_links, "check", "Alignment",
	 "Whether host, profile, switch and announcement agree.", links_fields);

/* --- the journey ------------------------------------------------------------------------- */

static void release_links(void *object)
{
	struct rt_checked_links *links = object;

	for (size_t i = 0; i < links->count; i++) {
		rt_align_rows_free(&links->ports[i].rows);
		rt_findings_free(&links->ports[i].findings);
		free(links->ports[i].peers);
	}
	rt_findings_free(&links->all);
	free(links->ports);
	free(links);
}

static void end_check(struct rt_check *check)
{
	rt_check_switches_free(&check->switches);
	rt_lldp_peers_free(&check->peers);
	free(check->ports.items);
	rt_devices_free(&check->devices);
	rt_kern_close(check->kern);
	rt_profile_free(check->profile);
	if (check->links)
		release_links(check->links);
}

/* --- the host ------------------------------------------------------------------------------ */

/* RoCE of hardware; of all others there is nothing to align. */
static bool is_checked(const struct rt_device *device)
{
	return !*device->untunable && *device->netdev &&
	       device->link_layer == RT_LAYER_ETHERNET;
}

/* The slave of a bond that has this name, which no RDMA device need have. */
static const struct rt_device *slave_named(const struct rt_devices *links,
					   const char *name)
{
	for (size_t i = 0; i < links->count; i++)
		if (*links->items[i].bond && strcmp(links->items[i].netdev, name) == 0)
			return &links->items[i];
	return NULL;
}

/* A link that was named twice is checked once. */
static int add_port(struct rt_devices *ports, const struct rt_device *link)
{
	for (size_t i = 0; i < ports->count; i++)
		if (strcmp(ports->items[i].ibdev, link->ibdev) == 0 &&
		    ports->items[i].port == link->port &&
		    strcmp(ports->items[i].netdev, link->netdev) == 0)
			return 0;
	return rt_devices_add(ports, link);
}

static int add_links(struct rt_check *check, const struct rt_device *device)
{
	struct rt_devices links = { 0 };
	int r = rt_device_links(check->kern, &check->devices, device, &links);

	for (size_t i = 0; r == 0 && i < links.count; i++)
		r = add_port(&check->ports, &links.items[i]);
	free(links.items);
	return r;
}

static int choose_named(struct rt_check *check, const struct rt_devices *links,
			struct rt_err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < check->request->device_count; i++) {
		const char *name = check->request->devices[i];
		const struct rt_device *port = slave_named(links, name);

		if (port) {
			r = add_port(&check->ports, port);
			continue;
		}
		port = rt_device_find(&check->devices, name, err);
		if (!port)
			return -ENODEV;
		r = add_links(check, port);
	}
	return r;
}

static int choose_ports(struct rt_check *check, struct rt_err *err)
{
	struct rt_devices links = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < check->devices.count; i++)
		if (is_checked(&check->devices.items[i]) ||
		    check->request->device_count)
			r = rt_device_links(check->kern, &check->devices,
					    &check->devices.items[i], &links);
	if (r == 0 && check->request->device_count) {
		r = choose_named(check, &links, err);
		free(links.items);
	} else {
		check->ports = links;
	}
	if (r < 0)
		return r == -ENODEV ? r : rt_err_set(err, r, "cannot hold the ports");
	return check->ports.count
		       ? 0
		       : rt_err_set(err, -ENODEV,
				    "there is no port here that RoCE could be "
				    "tuned on; `rocetune list` says what "
				    "there is");
}

/* Which of several links the one port of the switch is of cannot be told. */
static int check_port_is_clear(const struct rt_check *check, struct rt_err *err)
{
	char names[160] = "";
	size_t used = 0;

	if (!check->request->port || check->ports.count < 2)
		return 0;
	for (size_t i = 0; i < check->ports.count && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
					 i ? ", " : "", check->ports.items[i].netdev);
	return rt_err_set(
		err, -ENOTUNIQ,
		"--port %.60s is the other end of one link: say DEV, which of "
		"%s",
		check->request->port, names);
}

static int open_host(struct rt_check *check, struct rt_err *err)
{
	int r = rt_run_open_host(check->request->sysroot, &check->kern, err);

	if (r == 0)
		r = rt_devices_read(check->kern, 0, &check->devices, err);
	if (r == 0)
		r = choose_ports(check, err);
	return r < 0 ? r : check_port_is_clear(check, err);
}

/* --- LLDP -------------------------------------------------------------------------------------- */

static int hear(struct rt_check *check, struct rt_err *err)
{
	const size_t count = check->ports.count;
	RT_AUTO(rt_auto_free) const char **netdevs = NULL;

	if (!check->request->lldp)
		return 0;
	netdevs = calloc(count, sizeof(netdevs[0]));
	if (!netdevs)
		return rt_err_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < count; i++)
		netdevs[i] = check->ports.items[i].netdev;
	return rt_check_hear(check->request, netdevs, count, &check->peers, err);
}

static int check_ports(struct rt_check *check, struct rt_err *err)
{
	struct rt_checked_links *links = calloc(1, sizeof(*links));
	int r = 0;

	check->links = links;
	if (links)
		links->ports = calloc(check->ports.count, sizeof(links->ports[0]));
	if (!links || !links->ports)
		return rt_err_set(err, -ENOMEM, "out of memory");
	snprintf(links->profile, sizeof(links->profile), "%s", check->request->profile);
	rt_text_clean(links->profile);
	for (size_t i = 0; i < check->ports.count && r == 0; i++)
		r = rt_check_port(check, &check->ports.items[i], err);
	return r;
}

int rt_run_check(const struct rt_check_request *request, struct rt_outcome *ret_outcome,
		 struct rt_err *err)
{
	struct rt_check check = { .request = request,
				  .switches.headroom = request->headroom };
	int r = rt_run_profile_read(request->profile, &check.profile, err);

	if (r == 0 && request->switch_dir)
		r = rt_check_switch_folder(request->switch_dir, err);
	if (r == 0)
		r = open_host(&check, err);
	if (r == 0)
		r = hear(&check, err);
	if (r == 0)
		r = check_ports(&check, err);
	if (r == 0) {
		*ret_outcome = (struct rt_outcome){ .table = &rt_checked_links_table,
						    .object = check.links,
						    .findings = &check.links->all,
						    .release = release_links };
		check.links = NULL;
	}
	end_check(&check);
	return r;
}
