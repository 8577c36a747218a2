/* SPDX-License-Identifier: BSD-2-Clause */
/* sonic_maps.c - the maps that a profile asks of config_db. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "model/switch_build.h"
#include "nos/sonic_wish.h"
#include "rocetune/err.h"

#define MAP_NAME "ROCE" /* of all maps: they do not differ by port */

/* The port as the switch's configuration has it, or NULL. */
const struct rt_switch_port *sonic_port_there(const struct sonic_asking *asking,
					      size_t index)
{
	const char *name = asking->wish->ports[index];

	if (!asking->wish->there)
		return NULL;
	return rt_switch_object(asking->wish->there, RT_SWITCH_PORT, name,
				strlen(name));
}

/* What all ports have at this offset of theirs; NULL: not one and the same. */
const void *sonic_common_object(const struct sonic_asking *asking, size_t ref_offset)
{
	const void *common = NULL;

	for (size_t i = 0; i < asking->wish->port_count; i++) {
		const struct rt_switch_port *port = sonic_port_there(asking, i);
		const struct rt_switch_ref *ref =
			port ? (const void *)((const char *)port + ref_offset) : NULL;

		if (!ref || !ref->object || (common && common != ref->object))
			return NULL;
		common = ref->object;
	}
	return common;
}

#define MAP_MAX   RT_SWITCH_DSCPS
#define MAP_COUNT 5

/* A map that the ports are to have. */
struct map_plan {
	const char *table, *binding;
	enum rt_switch_kind kind;
	int to[MAP_MAX]; /* -1: not mapped */
};

static const struct map_plan map_plans[MAP_COUNT] = {
	{ "DSCP_TO_TC_MAP", "dscp_to_tc_map", RT_SWITCH_DSCP_TC, { 0 } },
	{ "TC_TO_QUEUE_MAP", "tc_to_queue_map", RT_SWITCH_TC_QUEUE, { 0 } },
	{ "TC_TO_PRIORITY_GROUP_MAP", "tc_to_pg_map", RT_SWITCH_TC_PG, { 0 } },
	{ "MAP_PFC_PRIORITY_TO_QUEUE", "pfc_to_queue_map", RT_SWITCH_PFC_QUEUE, { 0 } },
	{ "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP",
	  "pfc_to_pg_map",
	  RT_SWITCH_PFC_PG,
	  { 0 } },
};

/* What the class says to the map; false: nothing.  DSCPs are not one number. */
static bool class_maps(const struct rt_class *class, enum rt_switch_kind kind,
		       unsigned *ret_from, int *ret_to)
{
	const bool by_prio = kind == RT_SWITCH_PFC_QUEUE || kind == RT_SWITCH_PFC_PG;

	if (by_prio && !rt_class_is_lossless(class))
		return false;
	*ret_from = (unsigned)(by_prio ? class->prio.number : class->tc.number);
	switch (kind) {
	case RT_SWITCH_TC_QUEUE:
	case RT_SWITCH_PFC_QUEUE: *ret_to = (int)class->queue.number; break;
	/* SONiC's own default puts lossy classes into group 0. */
	default: *ret_to = (int)rt_setting_or(&class->pg, 0);
	}
	return true;
}

static int plan_map(const struct sonic_asking *asking, struct map_plan *plan)
{
	for (unsigned i = 0; i < MAP_MAX; i++)
		plan->to[i] = -1;
	if (plan->kind == RT_SWITCH_DSCP_TC) {
		for (unsigned dscp = 0; dscp < MAP_MAX; dscp++) {
			const struct rt_class *class = rt_profile_class_of_dscp(
				asking->wish->profile, dscp);

			if (class)
				plan->to[dscp] = (int)class->tc.number;
		}
		return 0;
	}
	for_each_wished_class (class, asking) {
		unsigned from;
		int to;

		if (!class_maps(class, plan->kind, &from, &to))
			continue;
		if (plan->to[from] >= 0 && plan->to[from] != to)
			return rt_err_set(asking->err, -EINVAL,
					  "class %s: %s cannot have both %u to %d and "
					  "%u to %d",
					  class->name, plan->table, from,
					  plan->to[from], from, to);
		plan->to[from] = to;
	}
	return 0;
}

static bool is_identity(const struct map_plan *plan)
{
	for (int i = 0; i < MAP_MAX; i++)
		if (plan->to[i] >= 0 && plan->to[i] != i)
			return false;
	return true;
}

/* The name of the map of all ports, if it maps all that is asked for. */
static const char *map_there(const struct sonic_asking *asking,
			     const struct map_plan *plan)
{
	const struct rt_switch_map *map = sonic_common_object(
		asking,
		offsetof(struct rt_switch_port, maps) +
			rt_switch_map_slot(plan->kind) * sizeof(struct rt_switch_ref));

	for (unsigned i = 0; map && i < MAP_MAX; i++)
		if (plan->to[i] >= 0 && !sonic_is(&map->to[i], (uint64_t)plan->to[i]))
			return NULL;
	return map ? map->id.name : NULL;
}

static void want_map(const struct sonic_asking *asking, const struct map_plan *plan)
{
	const char *name = map_there(asking, plan);
	char from[8];

	for (unsigned i = 0; !name && i < MAP_MAX; i++) {
		if (plan->to[i] < 0)
			continue;
		snprintf(from, sizeof(from), "%u", i);
		sonic_want(asking->wants, plan->table, MAP_NAME, from, "%d",
			   plan->to[i]);
	}
	for_each_wished_port (port, asking)
		sonic_want(asking->wants, "PORT_QOS_MAP", *port, plan->binding, "%s",
			   name ? name : MAP_NAME);
}

/* Whether a port has a map of this kind in its configuration. */
static bool any_bound(const struct sonic_asking *asking, enum rt_switch_kind kind)
{
	for (size_t i = 0; i < asking->wish->port_count; i++) {
		const struct rt_switch_port *port = sonic_port_there(asking, i);

		if (port && port->maps[rt_switch_map_slot(kind)].place.line)
			return true;
	}
	return false;
}

static bool is_empty(const struct map_plan *plan)
{
	for (unsigned i = 0; i < MAP_MAX; i++)
		if (plan->to[i] >= 0)
			return false;
	return true;
}

/*
 * A map that maps nothing is none that a port could refer to.  Few chips take the map
 * from priority to group: only where it says something.
 */
static bool is_needed(const struct sonic_asking *asking, const struct map_plan *plan)
{
	if (is_empty(plan))
		return false;
	return plan->kind != RT_SWITCH_PFC_PG || !is_identity(plan) ||
	       any_bound(asking, plan->kind);
}

/* Maps before the ports that refer to them. */
int sonic_want_maps(const struct sonic_asking *asking)
{
	for (size_t i = 0; i < MAP_COUNT; i++) {
		struct map_plan plan = map_plans[i];
		int r = plan_map(asking, &plan);

		if (r < 0)
			return r;
		if (is_needed(asking, &plan))
			want_map(asking, &plan);
	}
	return 0;
}
