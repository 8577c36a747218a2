/* SPDX-License-Identifier: BSD-2-Clause */
/* sonic_defaults.c - SONiC: what holds without being said. */
#include <string.h>

#include "nos/sonic.h"
#include "rocetune/units.h"

static void default_wred(struct rt_switch_wred *wred)
{
	rt_switch_default(&wred->ecn, 0, "SONiC's default: ecn_none");
	for (unsigned i = 0; i < RT_SWITCH_COLOURS; i++) {
		struct rt_switch_wred_colour *colour = &wred->colour[i];

		rt_switch_default(&colour->enable, 0, "SONiC's default: off");
		if (colour->enable.number && rt_setting_known(&colour->kmax))
			rt_switch_default(&colour->pmax, RT_PPB,
					  "orchagent takes 100 % where it is absent");
	}
}

static void default_pfc(struct rt_switch_port *port)
{
	rt_switch_default(&port->pfc, 0, "no pfc_enable: PFC is off");
	port->pfc_tx = port->pfc;
	if (rt_setting_known(&port->asymmetric) && port->asymmetric.number)
		port->pfc_rx = rt_switch_implied(
			0xff, "pfc_asym: PAUSE of every priority is obeyed");
	else
		port->pfc_rx = port->pfc;
}

static void default_trust(const struct rt_switch *sw, struct rt_switch_port *port)
{
	const bool by_dscp = port->maps[rt_switch_map_slot(RT_SWITCH_DSCP_TC)].name ||
			     sw->global_dscp.name;
	const bool by_pcp = port->maps[rt_switch_map_slot(RT_SWITCH_PCP_TC)].name;

	if (by_dscp)
		rt_switch_default(&port->trust, by_pcp ? RT_TRUST_BOTH : RT_TRUST_DSCP,
				  "a DSCP map is bound");
	else if (by_pcp)
		rt_switch_default(&port->trust, RT_TRUST_PCP,
				  "only a map of VLAN priorities is bound");
}

/*
 * The template binds this map on two vendors' chips only; on the others priority n
 * is sent for group n, which is the hardware's default.
 */
#define NO_PFC_PG "(no pfc_to_pg_map)"
static bool default_pfc_pg(struct sonic_reader *reader)
{
	struct rt_switch_map *map = sonic_make(reader, RT_SWITCH_PFC_PG, NO_PFC_PG,
					       strlen(NO_PFC_PG), NULL);

	for (unsigned i = 0; map && i < RT_SWITCH_PRIOS; i++)
		map->to[i] = rt_switch_implied(i, "no pfc_to_pg_map: priority n is "
						  "sent for group n");
	return map;
}

/*
 * A watched port has an entry of PFC_WD.  Where the whole table is not there, the file is
 * told from a part (qos.json) by the tables that only a config_db.json has.
 */
static void default_watchdog(const struct sonic_reader *reader,
			     struct rt_switch_port *port)
{
	const struct rt_switch *sw = reader->sw;
	const struct rt_setting *status = &sw->default_watchdog;

	if (reader->has_watchdog)
		rt_switch_default(&port->watchdog.on, 0,
				  "no entry of PFC_WD: not watched");
	else if (rt_setting_known(status))
		rt_switch_default(&port->watchdog.on, status->number,
				  status->number
					  ? "default_pfcwd_status: enable"
					  : "default_pfcwd_status: disable, no PFC_WD");
	else if (sw->has_ports && rt_setting_known(&sw->hostname))
		rt_switch_default(&port->watchdog.on, 0, "no PFC_WD: not watched");
}

void sonic_defaults(struct sonic_reader *reader)
{
	struct rt_switch *sw = reader->sw;
	const size_t pfc_pg = rt_switch_map_slot(RT_SWITCH_PFC_PG);

	for (size_t i = 0; i < sw->wred_count; i++)
		default_wred(&sw->wreds[i]);
	if (!reader->has_port_qos || !default_pfc_pg(reader))
		return;
	for (size_t i = 0; i < sw->port_count; i++) {
		struct rt_switch_port *port = &sw->ports[i];

		if (port->remote)
			continue;
		default_pfc(port);
		default_trust(sw, port);
		if (!port->maps[pfc_pg].name)
			port->maps[pfc_pg].name = NO_PFC_PG;
		default_watchdog(reader, port);
	}
}
