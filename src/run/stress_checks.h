/* SPDX-License-Identifier: BSD-2-Clause */
/* stress_checks.h - what the rules of stress runs ask, for their rows. */
#ifndef RT_RUN_STRESS_CHECKS_H
#define RT_RUN_STRESS_CHECKS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/finding.h"
#include "run/stress.h"

struct rt_rule;

#define RT_STRESS_CHECK(name)                                                        \
	void rt_stress_check_##name(const struct rt_rule *rule, const void *subject, \
				    struct rt_findings *findings)

/* stress_checks.c: that it ran, and as asked. */
RT_STRESS_CHECK(rank_lost);
RT_STRESS_CHECK(nothing_moved);
RT_STRESS_CHECK(sender_stopped);
RT_STRESS_CHECK(cut_short);
RT_STRESS_CHECK(not_all_time);
RT_STRESS_CHECK(late);
RT_STRESS_CHECK(not_ect);
RT_STRESS_CHECK(all_ce);
RT_STRESS_CHECK(cap_missed);
RT_STRESS_CHECK(start_skew);
RT_STRESS_CHECK(clock_unsure);
RT_STRESS_CHECK(lossless_unknown);

/* stress_checks_loss.c: what got lost, by queue pairs or their ports. */
RT_STRESS_CHECK(lossless_loss);
RT_STRESS_CHECK(loss);
RT_STRESS_CHECK(timeouts);
RT_STRESS_CHECK(loss_unknown);

/* stress_checks_share.c: who got how much, and why. */
RT_STRESS_CHECK(unfair);
RT_STRESS_CHECK(oscillating);
RT_STRESS_CHECK(host_too_slow);
RT_STRESS_CHECK(host_busy);
RT_STRESS_CHECK(hold_short);
RT_STRESS_CHECK(victim_hurt);
RT_STRESS_CHECK(victim_silent);
RT_STRESS_CHECK(paused);
RT_STRESS_CHECK(receiver_paused);
RT_STRESS_CHECK(pause_without_mark);
RT_STRESS_CHECK(lossless_discards);
RT_STRESS_CHECK(watchdog);
RT_STRESS_CHECK(receiver_slow);
RT_STRESS_CHECK(mark_without_cnp);
RT_STRESS_CHECK(cnp_lost);
RT_STRESS_CHECK(cnp_without_cut);

/* The finding added last is worse than its rule's others: it is damage. */
static inline void rt_stress_as_error(struct rt_findings *findings)
{
	if (findings->count && !findings->out_of_memory)
		findings->items[findings->count - 1].severity = RT_SEVERITY_ERROR;
}

/* The time that is judged. */
static inline uint64_t rt_stress_hold_ns(const struct rt_stress_result *stress)
{
	return stress->hold_to_ns - stress->hold_from_ns;
}

/* Intervals that are enough to judge. */
#define RT_STRESS_HOLD_INTERVALS 5

static inline bool rt_stress_is_lossless(const struct rt_stress_result *stress,
					 unsigned prio)
{
	return stress->lossless.known && stress->lossless.value >> prio & 1;
}

/* Whether the host of a sender was too busy to look at the time. */
static inline bool rt_stress_looked_late(const struct rt_stress_result *stress,
					 uint32_t rank)
{
	const struct rt_opt_u64 *late = &stress->hosts[rank].late_most_ns;

	return late->known && late->value > stress->interval_ns / 2;
}

/*
 * Frames that the hosts at both ends of a queue pair, or a fabric that is a process,
 * lost themselves: so many of what it missed may not be the network's.  Of a host that
 * was lost it is not known, and may be all.
 */
static inline uint64_t rt_stress_lost_by_machine(const struct rt_stress_result *stress,
						 uint32_t from, uint32_t to)
{
	if (stress->hosts[from].lost || stress->hosts[to].lost)
		return UINT64_MAX;
	return stress->hosts[from].ring_drops.value +
	       (to == from ? 0 : stress->hosts[to].ring_drops.value) +
	       stress->fabric_lost.value;
}

#endif
