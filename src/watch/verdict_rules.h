/* SPDX-License-Identifier: BSD-2-Clause */
/* verdict_rules.h - the predicates behind the rules (verdict_rules.c). */
#ifndef RT_WATCH_VERDICT_RULES_H
#define RT_WATCH_VERDICT_RULES_H

#include "model/finding.h"

#define RT_VERDICT_CHECK(noun)                                                   \
	void rt_verdict_check_##noun(const struct rt_rule *rule, const void *of, \
				     struct rt_findings *findings)

struct rt_verdict_subject;
struct rt_watch_view;

/*
 * Where no words are wanted: adds the finding of this port without any, and nothing is
 * left to do.  Rules decide first, then ask this, then make their words.
 */
bool rt_verdict_is_brief(const struct rt_rule *rule, const struct rt_watch_view *view,
			 struct rt_findings *findings);

/* A priority is paused for good, nothing is sent, and something waits to be; or -1. */
int rt_verdict_stormed(const struct rt_verdict_subject *subject);

/* verdict_link.c: whether it is there, and its link.  Of a port that is gone only these. */
RT_VERDICT_CHECK(gone);
RT_VERDICT_CHECK(link_lost);
RT_VERDICT_CHECK(no_link);
RT_VERDICT_CHECK(damage);
RT_VERDICT_CHECK(slot);

/* verdict_here.c: what a port's own counters tell. */
RT_VERDICT_CHECK(loss);
RT_VERDICT_CHECK(storm);
RT_VERDICT_CHECK(storm_source);
RT_VERDICT_CHECK(queue_pairs_unready);
RT_VERDICT_CHECK(pausing);
RT_VERDICT_CHECK(pcie);
RT_VERDICT_CHECK(no_buffers);
RT_VERDICT_CHECK(peer_no_buffers);
RT_VERDICT_CHECK(drops);
RT_VERDICT_CHECK(queue_drops);
RT_VERDICT_CHECK(class);

/* verdict_around.c: what takes other ports to tell, or is said to be not visible. */
RT_VERDICT_CHECK(lost_elsewhere);
RT_VERDICT_CHECK(receiver_slow);
RT_VERDICT_CHECK(silent);
RT_VERDICT_CHECK(queue_pairs_lost);
RT_VERDICT_CHECK(queue_pairs_jammed);
RT_VERDICT_CHECK(unanswered);
RT_VERDICT_CHECK(ignored);
RT_VERDICT_CHECK(victim);
RT_VERDICT_CHECK(unmarked);
RT_VERDICT_CHECK(congestion);
RT_VERDICT_CHECK(reorder);
RT_VERDICT_CHECK(gaps);
RT_VERDICT_CHECK(unclear);
RT_VERDICT_CHECK(not_yet);
RT_VERDICT_CHECK(unknown);

#endif
