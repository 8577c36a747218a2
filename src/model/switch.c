/* SPDX-License-Identifier: BSD-2-Clause */
/* switch.c - questions about one switch: ports, maps, the chain of a DSCP. */
#include "model/switch.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "model/switch_build.h"

const struct rt_setting rt_setting_unknown = { 0 };

const struct rt_name rt_switch_sched_names[] = {
	{ "dwrr", RT_SCHED_DWRR, "deficit weighted round robin" },
	{ "wrr", RT_SCHED_WRR, "weighted round robin" },
	{ "strict", RT_SCHED_STRICT, "strict priority" },
	{ 0 },
};

const struct rt_name rt_switch_lossless_names[] = {
	{ "no", RT_LOSSLESS_NO, "packets may be dropped" },
	{ "unknown", RT_LOSSLESS_UNKNOWN, "a link of the chain is not in the file" },
	{ "yes", RT_LOSSLESS_YES, "paused, with room for what still arrives" },
	{ 0 },
};

/* Ethernet1/1 and what EOS shortens it to (Et1/1, LLDP port IDs on some hosts). */
static bool is_short_for(const char *name, const char *given)
{
	static const struct {
		const char *brief, *whole;
	} forms[] = { { "Et", "Ethernet" },
		      { "Eth", "Ethernet" },
		      { "Po", "Port-Channel" } };

	for (size_t i = 0; i < RT_ARRAY_SIZE(forms); i++) {
		const size_t brief = strlen(forms[i].brief);
		const size_t whole = strlen(forms[i].whole);

		if (strncmp(given, forms[i].brief, brief) == 0 && given[brief] >= '0' &&
		    given[brief] <= '9' && strncmp(name, forms[i].whole, whole) == 0 &&
		    strcmp(name + whole, given + brief) == 0)
			return true;
	}
	return false;
}

const struct rt_switch_port *rt_switch_port_find(const struct rt_switch *sw,
						 const char *name)
{
	const struct rt_switch_port *port = rt_switch_object(sw, RT_SWITCH_PORT, name,
							     strlen(name));

	for (size_t i = 0; !port && i < sw->port_count; i++)
		if (sw->ports[i].alias.text &&
		    strcmp(sw->ports[i].alias.text, name) == 0)
			port = &sw->ports[i];
	for (size_t i = 0; !port && i < sw->port_count; i++)
		if (is_short_for(sw->ports[i].id.name, name))
			port = &sw->ports[i];
	return port;
}

const struct rt_switch_map *rt_switch_map_of(const struct rt_switch *sw,
					     const struct rt_switch_port *port,
					     enum rt_switch_kind kind)
{
	const struct rt_switch_ref *ref = &port->maps[rt_switch_map_slot(kind)];

	if (ref->name || kind != RT_SWITCH_DSCP_TC)
		return ref->object;
	return sw->global_dscp.object;
}

const struct rt_setting *rt_switch_mapped(const struct rt_switch *sw,
					  const struct rt_switch_port *port,
					  enum rt_switch_kind kind, unsigned number)
{
	const struct rt_switch_map *map = rt_switch_map_of(sw, port, kind);

	return map && number < RT_SWITCH_DSCPS ? &map->to[number] : &rt_setting_unknown;
}

const struct rt_setting *rt_switch_dscp_to_tc(const struct rt_switch *sw,
					      const struct rt_switch_port *port,
					      unsigned dscp)
{
	/* A port that looks at the VLAN tag only does not see the DSCP. */
	if (rt_setting_known(&port->trust) && port->trust.number != RT_TRUST_DSCP &&
	    port->trust.number != RT_TRUST_BOTH)
		return &rt_setting_unknown;
	return rt_switch_mapped(sw, port, RT_SWITCH_DSCP_TC, dscp);
}

uint64_t rt_switch_dscps_of_tc(const struct rt_switch *sw,
			       const struct rt_switch_port *port, unsigned tc)
{
	uint64_t mask = 0;

	for (unsigned dscp = 0; dscp < RT_SWITCH_DSCPS; dscp++) {
		const struct rt_setting *to = rt_switch_dscp_to_tc(sw, port, dscp);

		if (rt_setting_known(to) && to->number == tc)
			mask |= 1ull << dscp;
	}
	return mask;
}

/* --- the chain ------------------------------------------------------------------- */

/*
 * The numbers of a map that lead to target, as a mask.  Numbers the map lacks lead
 * nowhere; without a map it is unknown.
 */
static struct rt_setting leading_to(const struct rt_switch *sw,
				    const struct rt_switch_port *port,
				    enum rt_switch_kind kind,
				    const struct rt_setting *target)
{
	const struct rt_switch_map *map = rt_switch_map_of(sw, port, kind);
	struct rt_setting mask = { 0 };

	if (!map || !rt_setting_known(target))
		return mask;
	mask = rt_switch_implied(0, map->id.name);
	mask.place = map->id.place;
	for (unsigned i = 0; i < RT_SWITCH_PRIOS; i++)
		if (rt_setting_known(&map->to[i]) &&
		    map->to[i].number == target->number)
			mask.number |= 1u << i;
	return mask;
}

static void find_prios(const struct rt_switch *sw, const struct rt_switch_port *port,
		       struct rt_switch_path *path)
{
	if (!sw->pause_by_class) {
		path->rx_prios = leading_to(sw, port, RT_SWITCH_PFC_QUEUE,
					    &path->queue);
		path->tx_prios = leading_to(sw, port, RT_SWITCH_PFC_PG, &path->pg);
	} else if (rt_setting_known(&path->tc) && path->tc.number < RT_SWITCH_PRIOS) {
		path->tx_prios = rt_switch_implied(1u << path->tc.number,
						   "priority n is of traffic class n");
		path->rx_prios = path->tx_prios;
	}
	if (!rt_setting_known(&path->tx_prios) || !rt_setting_known(&path->rx_prios) ||
	    !rt_setting_known(&port->pfc_tx) || !rt_setting_known(&port->pfc_rx))
		return;
	path->prios = port->pfc_tx;
	path->prios.number = path->tx_prios.number & path->rx_prios.number &
			     port->pfc_tx.number & port->pfc_rx.number;
}

/*
 * Whether SONiC's buffer manager makes no lossless group for the port (buffermgr.cpp):
 * its cable has no length, or the platform's table no row for speed and cable.
 */
static const char *no_group(const struct rt_switch *sw,
			    const struct rt_switch_port *port)
{
	if (!rt_setting_known(&port->cable) || sw->pause_by_class)
		return NULL;
	if (port->cable.number == 0)
		return "a cable of 0m gets no lossless priority group";
	if (sw->headroom.file && rt_setting_known(&port->speed) &&
	    !rt_switch_headroom_find(&sw->headroom, port->speed.number,
				     port->cable.number))
		return "the headroom table has no row for the port's speed and cable";
	return NULL;
}

/* Known to have room above XOFF, or known to have none; else it is not told. */
static enum rt_switch_lossless has_headroom(const struct rt_switch_buffer *buffer)
{
	if (rt_setting_known(&buffer->xoff) && buffer->xoff.number > 0)
		return RT_LOSSLESS_YES;
	if (rt_setting_known(&buffer->computed) && buffer->computed.number)
		return RT_LOSSLESS_UNKNOWN;
	return RT_LOSSLESS_NO;
}

/* Of a group without a profile in the file. */
static void judge_unbound(const struct rt_switch *sw, const struct rt_switch_port *port,
			  struct rt_switch_path *path)
{
	const char *none = path->pg_at && !path->pg_at->buffer.name &&
					   path->pg_at->unnamed.state ==
						   RT_SETTING_UNSET
				   ? no_group(sw, port)
				   : NULL;

	path->lossless = none ? RT_LOSSLESS_NO : RT_LOSSLESS_UNKNOWN;
	if (none)
		snprintf(path->why, sizeof(path->why), "%s", none);
	else if (sw->pause_by_class)
		snprintf(path->why, sizeof(path->why),
			 "headroom is the platform's and not in the file");
	else
		snprintf(path->why, sizeof(path->why),
			 "no profile of priority group %" PRIu64 " in the file",
			 path->pg.number);
}

static void judge_group(const struct rt_switch *sw, const struct rt_switch_port *port,
			struct rt_switch_path *path)
{
	if (!path->buffer) {
		judge_unbound(sw, port, path);
		return;
	}
	path->lossless = has_headroom(path->buffer);
	if (path->lossless != RT_LOSSLESS_YES)
		snprintf(path->why, sizeof(path->why),
			 "priority group %" PRIu64 " has profile %.60s %s headroom",
			 path->pg.number, path->buffer->id.name,
			 path->lossless == RT_LOSSLESS_NO ? "without" : "of unknown");
}

/* The first link that is missing or not told decides. */
static void judge(const struct rt_switch *sw, const struct rt_switch_port *port,
		  struct rt_switch_path *path)
{
	const char *lacks = NULL;

	path->lossless = RT_LOSSLESS_UNKNOWN;
	if (!rt_setting_known(&path->tc))
		lacks = "traffic class is not known";
	else if (!rt_setting_known(&port->pfc_tx) || !rt_setting_known(&port->pfc_rx))
		lacks = "priorities with PFC are not known";
	else if (port->pfc_tx.number == 0)
		lacks = "PFC is on for no priority";
	else if (!rt_setting_known(&path->queue))
		lacks = "queue of the traffic class is not known";
	else if (!sw->pause_by_class && !rt_setting_known(&path->pg))
		lacks = "priority group of the traffic class is not known";
	else if (!rt_setting_known(&path->prios))
		lacks = "PFC priority of the queue is not known";
	else if (!(path->tx_prios.number & port->pfc_tx.number))
		lacks = "no priority with PFC is of its priority group";
	else if (!(path->rx_prios.number & port->pfc_rx.number))
		lacks = "no priority with PFC stops its queue";
	else if (path->prios.number == 0)
		lacks = "one priority stops its queue and another its priority group";
	if (!lacks) {
		judge_group(sw, port, path);
		return;
	}
	snprintf(path->why, sizeof(path->why), "%s", lacks);
	if (rt_setting_known(&path->prios) && path->prios.number == 0)
		path->lossless = RT_LOSSLESS_NO;
	if (rt_setting_known(&port->pfc_tx) && port->pfc_tx.number == 0)
		path->lossless = RT_LOSSLESS_NO;
}

static void follow(const struct rt_switch *sw, const struct rt_switch_port *port,
		   struct rt_switch_path *path)
{
	if (rt_setting_known(&path->tc)) {
		const unsigned tc = (unsigned)path->tc.number;

		path->queue = *rt_switch_mapped(sw, port, RT_SWITCH_TC_QUEUE, tc);
		path->pg = *rt_switch_mapped(sw, port, RT_SWITCH_TC_PG, tc);
	}
	if (rt_setting_known(&path->queue) && path->queue.number < RT_SWITCH_QUEUES) {
		path->queue_at = &port->queues[path->queue.number];
		path->wred = path->queue_at->wred.object;
		path->sched = path->queue_at->sched.object;
	}
	if (rt_setting_known(&path->pg) && path->pg.number < RT_SWITCH_GROUPS) {
		path->pg_at = &port->groups[path->pg.number];
		path->buffer = path->pg_at->buffer.object;
	}
	find_prios(sw, port, path);
	judge(sw, port, path);
}

void rt_switch_path_of_tc(const struct rt_switch *sw, const struct rt_switch_port *port,
			  unsigned tc, struct rt_switch_path *ret_path)
{
	*ret_path = (struct rt_switch_path){ .tc = rt_switch_implied(tc, "as asked") };
	follow(sw, port, ret_path);
}

void rt_switch_path_of_dscp(const struct rt_switch *sw,
			    const struct rt_switch_port *port, unsigned dscp,
			    struct rt_switch_path *ret_path)
{
	*ret_path = (struct rt_switch_path){
		.tc = *rt_switch_dscp_to_tc(sw, port, dscp),
	};
	follow(sw, port, ret_path);
}

struct rt_setting rt_switch_pfc_of_dscp(const struct rt_switch *sw,
					const struct rt_switch_port *port,
					unsigned dscp)
{
	struct rt_switch_path path;

	rt_switch_path_of_dscp(sw, port, dscp, &path);
	return path.prios;
}

bool rt_switch_wred_marks(const struct rt_switch_wred *wred)
{
	return rt_setting_known(&wred->ecn) && (wred->ecn.number >> RT_GREEN & 1);
}

static void set_cell(struct rt_setting *threshold, unsigned cell_bytes)
{
	uint64_t cells;

	if (threshold->state != RT_SETTING_AUTO || threshold->computed ||
	    !threshold->text || !strstr(threshold->text, " segments") ||
	    sscanf(threshold->text, "%9" SCNu64, &cells) != 1)
		return;
	threshold->number = cells * cell_bytes;
	threshold->computed = true;
}

void rt_switch_set_cell(struct rt_switch *sw, unsigned cell_bytes)
{
	for (size_t i = 0; i < sw->wred_count; i++)
		for (unsigned j = 0; j < RT_SWITCH_COLOURS; j++) {
			set_cell(&sw->wreds[i].colour[j].kmin, cell_bytes);
			set_cell(&sw->wreds[i].colour[j].kmax, cell_bytes);
		}
}

char *rt_switch_mask_text(const struct rt_setting *mask, char buf[RT_SWITCH_MASK_BYTES])
{
	size_t used = 0;

	if (!rt_setting_known(mask)) {
		snprintf(buf, RT_SWITCH_MASK_BYTES, "unknown");
		return buf;
	}
	snprintf(buf, RT_SWITCH_MASK_BYTES, "none");
	for (unsigned i = 0, next; i < 64; i = next) {
		next = i + 1;
		if (!(mask->number >> i & 1))
			continue;
		while (next < 64 && mask->number >> next & 1)
			next++;
		if (next - i < 3) /* 3,4 is easier to read than a range */
			next = i + 1;
		used += (size_t)snprintf(buf + used, RT_SWITCH_MASK_BYTES - used,
					 "%s%u", used ? "," : "", i);
		if (next - i > 1)
			used += (size_t)snprintf(buf + used,
						 RT_SWITCH_MASK_BYTES - used, "-%u",
						 next - 1);
	}
	return buf;
}
