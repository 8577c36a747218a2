/* SPDX-License-Identifier: BSD-2-Clause */
/* verdict.c - running the rules over every port of a snapshot. */
#include "watch/verdict.h"

#include <errno.h>
#include <string.h>

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

/* Findings of the rules come by gravity; the first one's verdict is the port's. */
static unsigned verdict_of(const struct rt_findings *findings)
{
	if (findings->count == 0)
		return RT_VERDICT_OK;
	for (size_t i = 0; i < rt_verdict_rule_count; i++)
		if (strcmp(rt_verdict_rules[i].rule.id, findings->items[0].id) == 0)
			return rt_verdict_rules[i].verdict;
	return RT_VERDICT_UNKNOWN;
}

int rt_verdicts(struct rt_watch_view *views, size_t count,
		const struct rt_watch_flows *flows)
{
	bool lost = false;

	for (size_t port = 0; port < count; port++) {
		struct rt_watch_view *view = &views[port];
		const struct rt_verdict_subject subject = {
			.views = views, .count = count, .port = port, .flows = flows
		};

		view->findings.count = 0;
		view->findings.out_of_memory = false;
		for (size_t i = 0; i < rt_verdict_rule_count; i++) {
			const struct rt_rule *rule = &rt_verdict_rules[i].rule;

			rule->check(rule, &subject, &view->findings);
		}
		view->verdict = verdict_of(&view->findings);
		lost |= view->findings.out_of_memory;
	}
	return lost ? -ENOMEM : 0;
}
