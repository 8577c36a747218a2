/* SPDX-License-Identifier: BSD-2-Clause */
/* stress_victim.c - where a victim is put, and how it is marked. */
#include <errno.h>

#include "rocetune/err.h"
#include "rocetune/profile.h"
#include "run/stress_planning.h"

#define VICTIM_BYTES 4096

static bool takes_part(const struct rt_stress_plan *plan, uint32_t rank, bool as_sender)
{
	for (size_t i = 0; i < plan->flow_count; i++)
		if (rank == (as_sender ? plan->flows[i].from : plan->flows[i].to))
			return true;
	return false;
}

/* A rank that neither sends nor receives; plan->ranks: there is none. */
static uint32_t idle_rank(const struct rt_stress_plan *plan, uint32_t but)
{
	for (uint32_t rank = 0; rank < plan->ranks; rank++)
		if (rank != but && !takes_part(plan, rank, true) &&
		    !takes_part(plan, rank, false))
			return rank;
	return plan->ranks;
}

/*
 * To the loaded receiver it comes from a host without load where there is one; to
 * another receiver it comes from a loaded sender, whose pauses it shares.
 */
static int place_victim(const struct rt_stress_planning *in,
			struct rt_traffic_flow *victim, struct rt_err *err)
{
	const struct rt_stress_plan *plan = in->plan;
	const struct rt_traffic_flow *first = &plan->flows[0];
	const struct rt_traffic_flow *last = &plan->flows[plan->flow_count - 1];
	const uint32_t idle = idle_rank(plan, plan->ranks);

	victim->from = idle < plan->ranks ? idle : last->from;
	victim->to = first->to;
	if (in->wish->victim != RT_VICTIM_RECEIVER)
		return victim->from != victim->to
			       ? 0
			       : rt_err_set(err, -EDOM, "no host is left for a victim");
	victim->from = first->from;
	victim->to = idle;
	for (uint32_t rank = 0; victim->to == plan->ranks && rank < plan->ranks; rank++)
		if (rank != victim->from && !takes_part(plan, rank, false))
			victim->to = rank;
	if (victim->to == plan->ranks)
		return rt_err_set(
			err, -EDOM,
			"every other host is a receiver of the load: no other "
			"receiver is left for a victim");
	return 0;
}

/* The DSCP of a class that is lossless, or not, and not the load's. */
static bool find_class_dscp(const struct rt_stress_planning *in, bool lossless,
			    uint8_t but_prio, uint64_t *ret_dscp)
{
	for (size_t i = 0; in->profile && i < in->profile->class_count; i++) {
		const struct rt_class *class = &in->profile->classes[i];
		const uint64_t mask = rt_setting_or(&class->dscp, 0);

		if (rt_setting_or(&class->kind, RT_CLASS_DATA) != RT_CLASS_DATA ||
		    rt_class_is_lossless(class) != lossless || !mask)
			continue;
		if (rt_setting_known(&class->prio) && class->prio.number == but_prio)
			continue;
		*ret_dscp = (uint64_t)__builtin_ctzll(mask);
		return true;
	}
	return false;
}

static int mark_victim(const struct rt_stress_planning *in,
		       struct rt_traffic_flow *victim, struct rt_err *err)
{
	const unsigned kind = in->wish->victim;
	const bool same = kind == RT_VICTIM_SAME || kind == RT_VICTIM_RECEIVER;
	uint64_t dscp = same ? victim->dscp : 0;

	if (in->wish->victim_dscp.known)
		dscp = in->wish->victim_dscp.value;
	else if (!same &&
		 !find_class_dscp(in, kind == RT_VICTIM_LOSSLESS, victim->prio,
				  &dscp) &&
		 kind == RT_VICTIM_LOSSLESS)
		return rt_err_set(err, -EDOM,
				  "no second lossless class is known for the victim: "
				  "say --victim-dscp, or a --profile that has one");
	victim->dscp = (uint8_t)dscp;
	victim->prio = rt_fabric_config_prio(&in->plan->laws, victim->dscp);
	return 0;
}

int rt_stress_add_victim(struct rt_stress_planning *in, struct rt_err *err)
{
	struct rt_stress_plan *plan = in->plan;
	struct rt_traffic_flow *victim = &plan->flows[plan->flow_count];
	int r;

	if (in->wish->victim == RT_VICTIM_NONE)
		return 0;
	*victim = (struct rt_traffic_flow){
		.flow = (uint32_t)plan->flow_count,
		.victim = true,
		.op = plan->flows[0].op,
		.message_bytes = VICTIM_BYTES,
		.outstanding = 1,
		.dscp = plan->flows[0].dscp,
		.ecn = plan->flows[0].ecn,
		.prio = plan->flows[0].prio,
	};
	r = place_victim(in, victim, err);
	if (r == 0)
		r = mark_victim(in, victim, err);
	if (r < 0)
		return r;
	plan->victim = in->wish->victim;
	plan->flow_count++;
	in->victims = true;
	return 0;
}
