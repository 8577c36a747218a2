/* SPDX-License-Identifier: BSD-2-Clause */
/* rules_pool.c - where PAUSE begins: pool, thresholds, fan-in. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "model/params.h"
#include "model/rules_profile.h"
#include "rocetune/err.h"

typedef unsigned __int128 u128;

/* host and up are ports of one switch, a spine's are another's. */
static bool same_switch(enum rt_role a, enum rt_role b)
{
	return (a == RT_ROLE_SPINE) == (b == RT_ROLE_SPINE);
}

static bool is_set(const struct rt_setting *setting)
{
	return setting->state != RT_SETTING_UNSET;
}

bool rt_role_is_present(const struct rt_profile *profile, enum rt_role role)
{
	const struct rt_role_ports *ports = &profile->sw.roles[role];

	if (is_set(&ports->ports) || is_set(&ports->breakout) ||
	    is_set(&ports->cable) || ports->speed.state == RT_SETTING_VALUE)
		return true;
	for (size_t i = 0; i < profile->class_count; i++) {
		const struct rt_class_role *at = &profile->classes[i].at[role];

		if (is_set(&at->headroom) || is_set(&at->buffer_alpha) ||
		    is_set(&at->xoff) || is_set(&at->kmin))
			return true;
	}
	return false;
}

static struct rt_opt_u64 count_ports(const struct rt_profile *profile,
				     enum rt_role role)
{
	uint64_t ports = 0;
	bool any = false;

	for (unsigned other = 0; other < RT_ROLE_COUNT; other++) {
		const struct rt_setting *count = &profile->sw.roles[other].ports;

		if (!same_switch(role, other) || !rt_role_is_present(profile, other))
			continue;
		if (!rt_setting_known(count))
			return (struct rt_opt_u64){ 0 };
		ports += count->number;
		any = true;
	}
	return any ? RT_KNOWN_U64(ports) : (struct rt_opt_u64){ 0 };
}

struct rt_opt_u64 rt_headroom_sum(const struct rt_profile *profile, enum rt_role role)
{
	uint64_t sum = 0;

	for (unsigned other = 0; other < RT_ROLE_COUNT; other++) {
		const struct rt_setting *count = &profile->sw.roles[other].ports;

		if (!same_switch(role, other) || !rt_role_is_present(profile, other))
			continue;
		for (size_t i = 0; i < profile->class_count; i++) {
			const struct rt_class *class = &profile->classes[i];
			const struct rt_setting *headroom = &class->at[other].headroom;

			if (!rt_class_is_lossless(class))
				continue;
			if (!rt_setting_known(headroom) || !rt_setting_known(count))
				return (struct rt_opt_u64){ 0 };
			sum += headroom->number * count->number;
		}
	}
	return RT_KNOWN_U64(sum);
}

void rt_shared_pool_of(const struct rt_profile *profile, enum rt_role role,
		       struct rt_shared_pool *ret_pool)
{
	const struct rt_profile_pool *pool = &profile->sw.pool;
	const uint64_t partitions = rt_setting_or(&pool->partitions, 1);
	struct rt_opt_u64 reserved = { 0 };

	*ret_pool = (struct rt_shared_pool){ .ports = count_ports(profile, role) };
	if (rt_setting_known(&pool->lossless)) {
		ret_pool->bytes = RT_KNOWN_U64(pool->lossless.number / partitions);
		return;
	}
	if (!rt_setting_known(&pool->buffer)) {
		snprintf(ret_pool->lacks, sizeof(ret_pool->lacks),
			 "switch.pool says neither lossless nor buffer");
		return;
	}
	reserved = rt_setting_known(&pool->shared_headroom)
			   ? RT_KNOWN_U64(pool->shared_headroom.number)
			   : rt_headroom_sum(profile, role);
	if (!reserved.known)
		snprintf(
			ret_pool->lacks, sizeof(ret_pool->lacks),
			"headroom or number of ports of a role is unknown, so what the "
			"buffer leaves is too");
	else if (reserved.value >= pool->buffer.number)
		snprintf(ret_pool->lacks, sizeof(ret_pool->lacks),
			 "headroom leaves nothing of the buffer");
	else
		ret_pool->bytes = RT_KNOWN_U64((pool->buffer.number - reserved.value) /
					       partitions);
}

uint64_t rt_xoff_queue_bytes(const struct rt_xoff *xoff, uint64_t ports)
{
	const u128 alpha = (u128)xoff->alpha_ppb * ports;

	if (xoff->is_static)
		return xoff->xoff_bytes * ports;
	return (uint64_t)(alpha * xoff->pool_bytes / (RT_PPB + alpha));
}

/* One ingress role's threshold; false (with lacks) when it is unknown. */
static bool role_xoff(const struct rt_profile *profile, const struct rt_class *class,
		      enum rt_role role, struct rt_xoff *ret_xoff)
{
	const struct rt_class_role *at = &class->at[role];
	struct rt_xoff xoff = { .known = true, .role = role };
	struct rt_shared_pool pool;

	rt_shared_pool_of(profile, role, &pool);
	if (rt_setting_known(&at->xoff)) {
		xoff.is_static = true;
		xoff.xoff_bytes = at->xoff.number;
		xoff.place = at->xoff.place;
	} else if (rt_setting_known(&at->buffer_alpha) && pool.bytes.known) {
		xoff.alpha_ppb = at->buffer_alpha.number;
		xoff.pool_bytes = pool.bytes.value;
		xoff.place = at->buffer_alpha.place;
	} else {
		snprintf(ret_xoff->lacks, sizeof(ret_xoff->lacks), "%s",
			 rt_setting_known(&at->buffer_alpha)
				 ? pool.lacks
				 : "a role of the switch has neither buffer_alpha nor "
				   "xoff");
		return false;
	}
	memcpy(xoff.lacks, ret_xoff->lacks, sizeof(xoff.lacks));
	if (!ret_xoff->known ||
	    rt_xoff_queue_bytes(&xoff, 1) < rt_xoff_queue_bytes(ret_xoff, 1))
		*ret_xoff = xoff;
	return true;
}

void rt_xoff_of(const struct rt_profile *profile, const struct rt_class *class,
		enum rt_role egress, struct rt_xoff *ret_xoff)
{
	*ret_xoff = (struct rt_xoff){ 0 };
	for (unsigned role = 0; role < RT_ROLE_COUNT; role++)
		if (same_switch(role, egress) && rt_role_is_present(profile, role))
			role_xoff(profile, class, role, ret_xoff);
}

/* --- fan-in ---------------------------------------------------------------------- */

static const struct rt_name first_names[] = {
	{ "ecn", RT_FIRST_ECN, "everything is marked before anybody is paused" },
	{ "pfc", RT_FIRST_PFC, "somebody is paused before everything is marked" },
	{ 0 },
};

static const struct rt_field fan_in_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_fan_in, class_name, "the class", .label = "class"),
	RT_FIELD(struct rt_fan_in, ENUM, egress, NONE, "ports the queue belongs to",
		 .names = rt_role_names),
	RT_FIELD(struct rt_fan_in, ENUM, ingress, NONE,
		 "ports that fill it: those with the earliest XOFF",
		 .names = rt_role_names),
	RT_FIELD(struct rt_fan_in, U32, fan_in, COUNT, "how many of them, equally"),
	RT_FIELD(struct rt_fan_in, U64, kmax_bytes, BYTES,
		 "queue from which everything is marked"),
	RT_FIELD(struct rt_fan_in, U64, xoff_queue_bytes, BYTES,
		 "queue at which the first of them is paused",
		 .label = "queue at XOFF"),
	RT_FIELD(struct rt_fan_in, ENUM, first, NONE, "what comes first",
		 .names = first_names),
};

RT_TABLE(rt_fan_in_table, rt_fan_in, "fan_in", "Kmax against XOFF, by fan-in",
	 "Whether a queue reaches Kmax or the first XOFF first: no verdict, for it "
	 "depends on how many ports fill the queue.",
	 fan_in_fields);

#define FAN_IN_UNKNOWN 16

static int add_row(struct rt_fan_ins *fan_ins, const struct rt_fan_in *row)
{
	struct rt_fan_in *items = rt_grow(fan_ins->items, fan_ins->count,
					  &fan_ins->capacity, sizeof(*items));

	if (!items)
		return -ENOMEM;
	fan_ins->items = items;
	items[fan_ins->count++] = *row;
	return 0;
}

static int add_rows(const struct rt_profile *profile, const struct rt_class *class,
		    enum rt_role egress, struct rt_fan_ins *fan_ins)
{
	const struct rt_setting *kmax = &class->at[egress].kmax;
	struct rt_shared_pool pool;
	struct rt_xoff xoff;
	uint64_t ports;
	int r = 0;

	rt_xoff_of(profile, class, egress, &xoff);
	if (!xoff.known || !rt_setting_known(kmax))
		return 0;
	rt_shared_pool_of(profile, egress, &pool);
	ports = pool.ports.known ? pool.ports.value : FAN_IN_UNKNOWN;
	for (uint64_t n = 1; n <= ports && r == 0; n *= 2) {
		struct rt_fan_in row = { .egress = egress,
					 .ingress = xoff.role,
					 .fan_in = (uint32_t)n,
					 .kmax_bytes = kmax->number,
					 .xoff_queue_bytes = rt_xoff_queue_bytes(&xoff,
										 n) };

		memcpy(row.class_name, class->name, sizeof(row.class_name));
		row.first = row.kmax_bytes < row.xoff_queue_bytes ? RT_FIRST_ECN
								  : RT_FIRST_PFC;
		r = add_row(fan_ins, &row);
	}
	return r;
}

int rt_fan_in_rows(const struct rt_profile *profile, struct rt_fan_ins *fan_ins,
		   struct rt_err *err)
{
	int r = 0;

	for (size_t i = 0; i < profile->class_count; i++)
		for (unsigned role = 0; role < RT_ROLE_COUNT && r == 0; role++)
			if (rt_class_is_lossless(&profile->classes[i]))
				r = add_rows(profile, &profile->classes[i], role,
					     fan_ins);
	return r < 0 ? rt_err_sys(err, r, "cannot hold the fan-in table") : 0;
}

void rt_fan_ins_free(struct rt_fan_ins *fan_ins)
{
	free(fan_ins->items);
	*fan_ins = (struct rt_fan_ins){ 0 };
}
