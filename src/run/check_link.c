/* SPDX-License-Identifier: BSD-2-Clause */
/* check_link.c - one port of a check: its sides are put together and judged. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/driver.h"
#include "model/rules_switch.h"
#include "rocetune/err.h"
#include "run/check_parts.h"
#include "run/rails.h"
#include "run/switch.h"

/* What is read for one port; too large for the stack. */
struct port_check {
	const struct rt_device *device;
	struct rt_checked_link *link;
	struct rt_profile *profile; /* of the rail; owned where there is one */
	struct rt_qos host;
	struct rt_qos_want want;
	struct rt_align align;
	const struct rt_dcbx_peer **peers, **selves; /* owned */
	struct rt_dcbx_peer *self_items;             /* owned */
	char where[128], leaf[128];
	char missing[RT_ALIGN_SIDES][RT_ERR_MSG_BYTES];
};

/* --- the host ------------------------------------------------------------------------------ */

static void lacks(struct port_check *port, enum rt_align_side side,
		  const struct rt_err *why)
{
	snprintf(port->missing[side], sizeof(port->missing[side]), "%s", why->msg);
	port->align.missing[side] = port->missing[side];
}

/* Of the network device where the kernel has told of it, else of the RDMA port. */
static struct rt_opt_u64 link_up(const struct rt_device *device)
{
	if (device->ifindex)
		return RT_KNOWN_U64(device->carrier);
	if (strcmp(device->state, "active") == 0 || strcmp(device->state, "down") == 0)
		return RT_KNOWN_U64(strcmp(device->state, "active") == 0);
	return (struct rt_opt_u64){ 0 };
}

static void read_host(struct rt_check *check, struct port_check *port)
{
	const struct rt_host_port host = { .kern = check->kern,
					   .device = port->device,
					   .driver = port->device->driver };
	struct rt_err why = { 0 };

	port->align.asked[RT_ALIGN_HOST] = true;
	port->align.driver = port->device->driver_name;
	port->align.chip = *port->device->chip ? port->device->chip : NULL;
	port->align.speed_bps = port->device->speed_bps;
	port->align.link_up = link_up(port->device);
	port->align.mtu_bytes = port->device->mtu_bytes;
	port->align.roce_mtu_bytes = port->device->roce_mtu_bytes;
	if (!host.driver)
		rt_err_set(&why, -EOPNOTSUPP, "no driver of ours knows %.60s",
			   *port->device->kernel_driver ? port->device->kernel_driver
							: port->device->ibdev);
	else if (rt_host_read(&host, &port->host, &why) == 0)
		port->align.host = &port->host;
	if (!port->align.host)
		lacks(port, RT_ALIGN_HOST, &why);
}

/* --- the profile ----------------------------------------------------------------------------- */

static int lay_rail(struct rt_check *check, struct port_check *port,
		    const struct rt_profile **ret_profile, struct rt_err *err)
{
	size_t entry;
	int r = rt_rail_select(check->profile, &check->devices, port->device, &entry,
			       err);

	*ret_profile = check->profile;
	if (r < 0 || entry == RT_RAIL_NONE)
		return r;
	snprintf(port->link->rail, sizeof(port->link->rail), "%s",
		 check->profile->rails[entry].select);
	rt_rail_leaf(&check->profile->rails[entry],
		     rt_rail_number(&check->devices, port->device), port->leaf,
		     sizeof(port->leaf));
	if (*port->leaf)
		port->align.leaf = port->leaf;
	r = rt_profile_rail(check->profile, entry, &port->profile, err);
	if (r == 0)
		*ret_profile = port->profile;
	return r;
}

/* As the port can have it: rounded, and raw knobs by their neutral names. */
static int resolve(struct port_check *port, struct rt_err *why)
{
	struct rt_qos *resolved = calloc(1, sizeof(*resolved));
	int r;

	if (!resolved)
		return rt_err_set(why, -ENOMEM, "out of memory");
	r = rt_driver_resolve(port->device->driver, &port->want.qos, resolved, why);
	if (r == 0)
		port->want.qos = *resolved;
	free(resolved);
	return r;
}

/* What the NIC cannot have is told, and compared as the profile says it. */
static int read_want(struct rt_check *check, struct port_check *port,
		     struct rt_err *err)
{
	const struct rt_qos_port asked = {
		.driver = port->device->driver_name,
		.speed_bps = port->device->speed_bps,
		.pfc_cap = port->align.host
				   ? rt_qos_number(port->align.host, RT_KNOB_PFC_CAP)
				   : (struct rt_opt_u64){ 0 },
	};
	const struct rt_profile *profile;
	struct rt_err why = { 0 };
	int r = lay_rail(check, port, &profile, err);

	port->align.asked[RT_ALIGN_PROFILE] = true;
	if (r < 0)
		return r;
	r = rt_qos_want(profile, &asked, &port->want, &why);
	if (r == 0) {
		port->align.profile = profile;
		port->align.want = &port->want;
		r = port->device->driver ? resolve(port, &why) : 0;
	}
	if (r < 0)
		lacks(port, RT_ALIGN_PROFILE, &why);
	return r == -ENOMEM ? rt_err_set(err, r, "%s", why.msg) : 0;
}

/* --- LLDP -------------------------------------------------------------------------------------- */

/* Of a bond with several links that are checked, its own name says nothing. */
static bool is_alone(const struct rt_check *check, const struct rt_device *device)
{
	size_t same = 0;

	for (size_t i = 0; i < check->ports.count; i++)
		same += strcmp(check->ports.items[i].ibdev, device->ibdev) == 0;
	return same == 1;
}

/* A capture of one port need not name it. */
static bool is_on(const struct rt_check *check, const struct rt_device *device,
		  const char *interface)
{
	return strcmp(interface, device->netdev) == 0 ||
	       (strcmp(interface, device->ibdev) == 0 && is_alone(check, device)) ||
	       (!*interface && check->ports.count == 1);
}

static bool is_self(const struct rt_device *device, const struct rt_lldp *said)
{
	static const uint8_t none[6];

	return memcmp(said->eth_src, none, 6) != 0 &&
	       memcmp(said->eth_src, device->mac, 6) == 0;
}

/* Room for one more than there are, so that none is no failure. */
static int make_peers(const struct rt_check *check, struct port_check *port,
		      struct rt_err *err)
{
	const size_t room = check->peers.count + 1;
	size_t here = 1;

	for (size_t i = 0; i < check->peers.count; i++)
		here += is_on(check, port->device, check->peers.items[i].interface);
	port->link->peers = calloc(here, sizeof(struct rt_dcbx_peer));
	port->self_items = calloc(here, sizeof(struct rt_dcbx_peer));
	port->peers = calloc(room, sizeof(port->peers[0]));
	port->selves = calloc(room, sizeof(port->selves[0]));
	return port->link->peers && port->self_items && port->peers && port->selves
		       ? 0
		       : rt_err_set(err, -ENOMEM, "out of memory");
}

static int take_peers(const struct rt_check *check, struct port_check *port,
		      struct rt_err *err)
{
	struct rt_align *align = &port->align;
	struct rt_err why = { 0 };

	align->asked[RT_ALIGN_LLDP] = check->request->lldp;
	if (make_peers(check, port, err) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < check->peers.count; i++) {
		const struct rt_lldp_peer *heard = &check->peers.items[i];
		const bool self = is_self(port->device, &heard->said);
		struct rt_dcbx_peer *peer =
			self ? &port->self_items[align->self_count]
			     : &port->link->peers[align->peer_count];

		if (!is_on(check, port->device, heard->interface))
			continue;
		rt_dcbx_peer_of(heard, peer);
		if (self)
			port->selves[align->self_count++] = peer;
		else
			port->peers[align->peer_count++] = peer;
	}
	align->peers = port->peers;
	align->selves = port->selves;
	port->link->peer_count = align->peer_count;
	if (check->request->lldp && !align->peer_count) {
		rt_err_set(
			&why, -ENODATA,
			"nobody was heard on %.20s by LLDP: the switch is silent, or "
			"an agent in the NIC's firmware takes the frames",
			port->device->netdev);
		lacks(port, RT_ALIGN_LLDP, &why);
	}
	return 0;
}

/* --- the switch ---------------------------------------------------------------------------------- */

/* The port that was asked for, or that was heard. */
static const struct rt_switch_port *find_port(const struct rt_check *check,
					      const struct port_check *port,
					      const struct rt_switch *sw,
					      struct rt_err *why)
{
	const struct rt_dcbx_peer *peer = rt_align_peer(&port->align);
	const char *asked = check->request->port;
	const struct rt_switch_port *found = NULL;

	if (!asked && !peer) {
		rt_err_set(
			why, -ENOENT,
			"which port of the switch? Give --port, or --lldp to have it "
			"found");
		return NULL;
	}
	if (asked)
		found = rt_switch_port_find(sw, asked);
	else
		found = rt_align_heard_port(sw, peer);
	if (!found)
		rt_run_switch_no_port(sw, asked ? asked : peer->port, why);
	return found;
}

static int find_switch(struct rt_check *check, struct port_check *port,
		       struct rt_check_switch **ret_switch, struct rt_err *why)
{
	const struct rt_check_request *request = check->request;
	const struct rt_dcbx_peer *peer = rt_align_peer(&port->align);
	const char *name = peer && *peer->system_name ? peer->system_name : port->leaf;

	if (request->switch_file)
		return rt_check_switch_file(&check->switches, request->switch_file,
					    ret_switch, why);
	if (!*name)
		return rt_err_set(why, -ENOENT,
				  "which switch? Give --lldp, or a leaf in the "
				  "profile's rails");
	return rt_check_switch_named(&check->switches, request->switch_dir, name,
				     ret_switch, why);
}

/* Complaints of reading a file are told once, with the first port of it. */
static void tell_complaints(struct rt_check_switch *from, struct rt_findings *to)
{
	if (!from->told)
		rt_findings_append(to, &from->complaints);
	from->told = true;
}

static int take_switch(struct rt_check *check, struct port_check *port,
		       struct rt_err *err)
{
	struct rt_checked_link *link = port->link;
	struct rt_check_switch *from;
	struct rt_err why = { 0 };
	int r;

	if (!check->request->switch_file && !check->request->switch_dir)
		return 0;
	port->align.asked[RT_ALIGN_SWITCH] = true;
	r = find_switch(check, port, &from, &why);
	/* in a folder there need not be one for every rail, but what is there counts */
	if (r < 0 && (check->request->switch_file || r != -ENOENT))
		return rt_err_set(err, r, "%s", why.msg);
	if (r == 0) {
		snprintf(link->switch_name, sizeof(link->switch_name), "%s",
			 from->name);
		port->align.port = find_port(check, port, from->sw, &why);
		tell_complaints(from, &link->findings);
	}
	if (r == 0 && !port->align.port && check->request->port)
		return rt_err_set(err, why.code, "%s", why.msg);
	if (!port->align.port) {
		lacks(port, RT_ALIGN_SWITCH, &why);
		return 0;
	}
	port->align.sw = from->sw;
	snprintf(link->switch_port, sizeof(link->switch_port), "%s",
		 port->align.port->id.name);
	return rt_switch_check(from->sw, port->align.port, &link->findings, err);
}

/* --- a port ----------------------------------------------------------------------------------------- */

static void count(struct rt_checked_link *link)
{
	for (size_t i = 0; i < link->findings.count; i++)
		switch (link->findings.items[i].severity) {
		case RT_SEVERITY_ERROR: link->errors++; break;
		case RT_SEVERITY_WARN: link->warnings++; break;
		case RT_SEVERITY_UNKNOWN: link->not_judged++; break;
		default: break;
		}
}

static int judge(struct rt_check *check, struct port_check *port, struct rt_err *err)
{
	struct rt_checked_link *link = port->link;
	int r;

	read_host(check, port);
	r = read_want(check, port, err);
	if (r == 0)
		r = take_peers(check, port, err);
	if (r == 0)
		r = take_switch(check, port, err);
	if (r == 0)
		r = rt_rules_run(rt_align_rules, rt_align_rule_count, &port->align,
				 &link->findings, err);
	if (r == 0)
		r = rt_align_rows_fill(&port->align, &link->rows, err);
	rt_findings_sort(&link->findings);
	count(link);
	if (r == 0 && rt_findings_append(&check->links->all, &link->findings) < 0)
		r = rt_err_set(err, -ENOMEM, "out of memory");
	return r;
}

int rt_check_port(struct rt_check *check, const struct rt_device *device,
		  struct rt_err *err)
{
	struct port_check *port = calloc(1, sizeof(*port));
	struct rt_checked_link *link = &check->links->ports[check->links->count++];
	int r;

	if (!port)
		return rt_err_set(err, -ENOMEM, "out of memory");
	port->device = device;
	port->link = link;
	port->align.where = port->where;
	snprintf(link->device, sizeof(link->device), "%s", device->ibdev);
	if (device->port > 1)
		snprintf(link->device, sizeof(link->device), "%.60s/%u", device->ibdev,
			 device->port);
	snprintf(link->netdev, sizeof(link->netdev), "%s", device->netdev);
	snprintf(port->where, sizeof(port->where), "%s", link->device);
	if (*device->bond)
		snprintf(port->where, sizeof(port->where), "%.80s (%s)", link->device,
			 link->netdev);
	r = judge(check, port, err);
	rt_profile_free(port->profile);
	free(port->peers);
	free(port->selves);
	free(port->self_items);
	free(port);
	return r;
}
