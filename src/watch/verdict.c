/* SPDX-License-Identifier: BSD-2-Clause */
/* verdict.c - running the rules over every port of a snapshot. */
#include "watch/verdict.h"

#include <errno.h>
#include <stdlib.h>

#include "watch/verdict_seen.h"

const struct rt_name rt_verdict_names[] = {
	{ "loss", RT_VERDICT_LOSS, "loss on a lossless priority" },
	{ "link", RT_VERDICT_LINK, "cable, optics or slot" },
	{ "storm", RT_VERDICT_STORM, "paused without end, with something to send" },
	{ "host", RT_VERDICT_HOST, "a host is slow: this one, or the receiver" },
	{ "class", RT_VERDICT_CLASS, "RDMA on a priority that is not lossless" },
	{ "silent", RT_VERDICT_SILENT, "loss without marks and without pauses" },
	{ "network", RT_VERDICT_NETWORK, "congestion in the network" },
	{ "reorder", RT_VERDICT_REORDER, "packets overtake each other" },
	{ "unknown", RT_VERDICT_UNKNOWN, "cannot be judged from what is readable" },
	{ "ok", RT_VERDICT_OK, "nothing wrong is seen" },
	{ 0 },
};

/* The first rule that finds something says what it is; when none does, it may be well. */
static unsigned judge(const struct rt_verdict_subject *subject,
		      struct rt_findings *findings)
{
	unsigned verdict = RT_VERDICT_COUNT;

	/* What is known of a port that went away was before. */
	if (subject->view->port->state == RT_WATCH_GONE)
		return RT_VERDICT_UNKNOWN;
	for (size_t i = 0; i < rt_watch_rule_count; i++) {
		const struct rt_rule *rule = &rt_watch_rules[i];

		rule->check(rule, subject, findings);
		if (verdict == RT_VERDICT_COUNT && findings->count)
			verdict = rt_watch_rule_verdicts[i];
	}
	if (verdict != RT_VERDICT_COUNT)
		return verdict;
	switch (rt_look_extent(subject->view)) {
	case RT_LOOK_IDLE:
	case RT_LOOK_WHOLE: return RT_VERDICT_OK;
	case RT_LOOK_GONE:
	case RT_LOOK_NOT_YET:
	case RT_LOOK_PARTLY: break;
	}
	return RT_VERDICT_UNKNOWN;
}

int rt_verdicts(struct rt_watch_view *views, size_t count,
		const struct rt_watch_flows *flows, int64_t time_ns,
		uint64_t elapsed_ns)
{
	const struct rt_look_moment now = { time_ns, elapsed_ns };
	struct rt_verdict_seen seen;
	size_t *peers;
	bool lost = false;

	if (rt_verdict_peers(views, count, &peers) < 0)
		return -ENOMEM;
	rt_verdict_remember(views, count, peers, now);
	rt_verdict_look_around(views, count, peers, now, &seen);
	for (size_t i = 0; i < count; i++) {
		struct rt_watch_view *view = &views[i];
		const bool is_seen = peers[i] != SIZE_MAX;
		struct rt_verdict_subject subject = {
			.views = views,
			.count = count,
			.view = view,
			.peer = is_seen ? &views[peers[i]] : NULL,
			.flows = flows,
			.now = now,
			.seen = is_seen ? seen : (struct rt_verdict_seen){ 0 },
		};

		subject.signs = rt_verdict_signs(&subject);
		view->findings.count = 0;
		view->findings.out_of_memory = false;
		rt_look_note(&view->memory.congested, rt_verdict_is_congested(&subject),
			     now);
		view->verdict = judge(&subject, &view->findings);
		lost |= view->findings.out_of_memory;
	}
	free(peers);
	return lost ? -ENOMEM : 0;
}
