/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * verdict.h - what is wrong with each port of a snapshot, by rules.
 *
 * Pure.  Rules see all ports at once: a sender's CNPs are the receiver's doing where the
 * receiver is seen to be slow.  A cause that cannot be seen from these ports is said to
 * be so.
 */
#ifndef RT_WATCH_VERDICT_H
#define RT_WATCH_VERDICT_H

#include "model/finding.h"
#include "watch/watch.h"

/* What a rule is run over. */
struct rt_verdict_subject {
	const struct rt_watch_view *views; /* of all ports */
	size_t count, port;                /* the one to judge */
	const struct rt_watch_flows *flows;
};

struct rt_verdict_rule {
	struct rt_rule rule;
	enum rt_verdict verdict; /* what it means when it fires */
};

/* By gravity. */
extern const struct rt_verdict_rule rt_verdict_rules[];
extern const size_t rt_verdict_rule_count;
/* The same for the documentation (run/outcome.h). */
extern const struct rt_rule rt_watch_rules[];
extern const size_t rt_watch_rule_count;

/*
 * Judge every port: fill findings (emptied first) and verdict of each view.  -ENOMEM when
 * some got lost.
 */
int rt_verdicts(struct rt_watch_view *views, size_t count,
		const struct rt_watch_flows *flows);

#endif
