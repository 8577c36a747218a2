/* SPDX-License-Identifier: BSD-2-Clause */
/* eos_finish.c - EOS: profiles into interfaces, and what holds without being said. */
#include <string.h>

#include "base/own.h"
#include "nos/eos.h"

/* What an interface takes from its profile where it says nothing itself. */
static const size_t inherited[] = {
	offsetof(struct rt_switch_port, trust),
	offsetof(struct rt_switch_port, dcbx),
	offsetof(struct rt_switch_port, policy),
	offsetof(struct rt_switch_port, pfc_on),
	offsetof(struct rt_switch_port, watchdog.on),
	offsetof(struct rt_switch_port, watchdog.detect),
	offsetof(struct rt_switch_port, watchdog.restore),
	offsetof(struct rt_switch_port, watchdog.poll),
	offsetof(struct rt_switch_port, watchdog.action),
};

static void inherit(struct rt_switch_port *port, const struct rt_switch_port *from)
{
	for (size_t i = 0; i < RT_ARRAY_SIZE(inherited); i++) {
		struct rt_setting *to = (void *)((char *)port + inherited[i]);

		if (to->state == RT_SETTING_UNSET)
			*to = *(const struct rt_setting *)((const char *)from +
							   inherited[i]);
	}
	if (port->pfc.state == RT_SETTING_UNSET)
		port->pfc = from->pfc;
	else if (rt_setting_known(&from->pfc))
		port->pfc.number |= from->pfc.number;
	for (unsigned i = 0; i < RT_SWITCH_QUEUES; i++) {
		struct rt_switch_queue *to = &port->queues[i];

		if (!to->sched.name)
			to->sched = from->queues[i].sched;
		if (!to->wred.name)
			to->wred = from->queues[i].wred;
		if (to->counts.state == RT_SETTING_UNSET)
			to->counts = from->queues[i].counts;
	}
}

static bool has_pfc_or_ecn(const struct eos_reader *reader,
			   const struct rt_switch_port *profile)
{
	if (rt_setting_known(&profile->pfc_on) && profile->pfc_on.number)
		return true;
	for (unsigned i = 0; i < RT_SWITCH_QUEUES; i++) {
		const char *name = profile->queues[i].wred.name;
		const struct rt_switch_wred *wred =
			name ? rt_switch_object(reader->sw, RT_SWITCH_WRED, name,
						strlen(name))
			     : NULL;

		if (wred && rt_switch_wred_marks(wred))
			return true;
	}
	return false;
}

static void attach_profiles(struct eos_reader *reader)
{
	struct rt_switch *sw = reader->sw;

	for (size_t i = 0; i < sw->template_count; i++) {
		const struct rt_switch_port *profile = &sw->templates[i];
		bool attached = false;

		for (size_t j = 0; j < sw->port_count; j++) {
			struct rt_switch_port *port = &sw->ports[j];

			if (!port->profile.name ||
			    strcmp(port->profile.name, profile->id.name) != 0)
				continue;
			attached = true;
			inherit(port, profile);
		}
		if (!attached && has_pfc_or_ecn(reader, profile))
			rt_switch_tell(reader->complaints, RT_SWITCH_UNATTACHED,
				       &profile->id.place, "qos profile %.80s",
				       profile->id.name);
	}
}

/*
 * EOS's tables: eight DSCPs a class, with classes 0 and 1 exchanged so that best
 * effort (0) is above scavenger traffic (8).
 */
static void default_maps(struct eos_reader *reader)
{
	struct rt_switch_map *map = eos_map(reader, RT_SWITCH_DSCP_TC);

	for (unsigned i = 0; map && i < RT_SWITCH_DSCPS; i++)
		rt_switch_default(&map->to[i], i / 8 < 2 ? 1 - i / 8 : i / 8,
				  "EOS's default map");
	map = eos_map(reader, RT_SWITCH_PCP_TC);
	for (unsigned i = 0; map && i < RT_SWITCH_PRIOS; i++)
		rt_switch_default(&map->to[i], i < 2 ? 1 - i : i, "EOS's default map");
	map = eos_map(reader, RT_SWITCH_TC_QUEUE);
	for (unsigned i = 0; map && i < RT_SWITCH_PRIOS; i++)
		rt_switch_default(&map->to[i], i, "EOS's default: queue n for class n");
}

static void bind_map(struct rt_switch_port *port, enum rt_switch_kind kind)
{
	port->maps[rt_switch_map_slot(kind)].name = "qos map";
}

/* What PFC does, given its list, its switch, and the switch for all of it. */
static void effective_pfc(const struct rt_switch *sw, struct rt_switch_port *port)
{
	rt_switch_default(&port->pfc, 0, "EOS's default: no priority");
	rt_switch_default(&port->pfc_on, 0, "EOS's default: off");
	port->pfc_tx = port->pfc;
	if (!port->pfc_on.number) {
		port->pfc_tx = rt_switch_implied(0, "priority-flow-control is off");
		port->pfc_tx.place = port->pfc_on.place;
	}
	if (rt_setting_known(&sw->pfc_off) && sw->pfc_off.number) {
		port->pfc_tx = rt_switch_implied(0, "priority-flow-control all off");
		port->pfc_tx.place = sw->pfc_off.place;
	}
	port->pfc_rx = port->pfc_tx;
}

static void default_watchdog(const struct rt_switch *sw, struct rt_switch_port *port)
{
	static const size_t members[] = {
		offsetof(struct rt_switch_watchdog, detect),
		offsetof(struct rt_switch_watchdog, restore),
		offsetof(struct rt_switch_watchdog, poll),
		offsetof(struct rt_switch_watchdog, action),
	};

	rt_switch_default(&port->watchdog.on, 0, "EOS's default: off");
	for (size_t i = 0; i < RT_ARRAY_SIZE(members); i++) {
		struct rt_setting *to = (void *)((char *)&port->watchdog + members[i]);

		if (to->state == RT_SETTING_UNSET)
			*to = *(const struct rt_setting *)((const char *)&sw->watchdog +
							   members[i]);
	}
	rt_switch_default(&port->watchdog.action, RT_WATCHDOG_ERRDISABLE,
			  "EOS's default: err-disable the port");
	if (port->watchdog.on.number)
		rt_switch_default(&port->watchdog_prios, port->pfc_tx.number,
				  "EOS watches every no-drop priority");
}

static void finish_port(const struct rt_switch *sw, struct rt_switch_port *port)
{
	bind_map(port, RT_SWITCH_DSCP_TC);
	bind_map(port, RT_SWITCH_PCP_TC);
	bind_map(port, RT_SWITCH_TC_QUEUE);
	effective_pfc(sw, port);
	default_watchdog(sw, port);
	rt_switch_default(&port->routed, 0, "EOS's default: switchport");
	if (port->routed.number)
		rt_switch_default(&port->trust, RT_TRUST_DSCP,
				  "EOS's default of a routed port");
	else
		rt_switch_default(&port->trust, RT_TRUST_PCP,
				  "EOS's default of a switched port");
}

/* Classes of a policy overrule the maps for what they match. */
static void tell_policy(struct eos_reader *reader, const struct rt_switch_port *port)
{
	if (!port->policy.text)
		return;
	reader->sw->not_read++;
	rt_switch_tell(reader->complaints, RT_SWITCH_NOT_READ, &port->policy.place,
		       "policy %.60s classifies what enters %.60s; its classes are not "
		       "read",
		       port->policy.text, port->id.name);
}

void eos_finish(struct eos_reader *reader)
{
	struct rt_switch *sw = reader->sw;

	sw->pause_by_class = true;
	sw->has_ports = sw->port_count;
	default_maps(reader);
	attach_profiles(reader);
	for (size_t i = 0; i < sw->port_count; i++) {
		finish_port(sw, &sw->ports[i]);
		tell_policy(reader, &sw->ports[i]);
	}
}
