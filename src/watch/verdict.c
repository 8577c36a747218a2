/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * verdict.c - running the rules over every port of a snapshot: briefly at every tick, and
 * once more in words for those who show them.
 */
#include "watch/verdict.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "watch/verdict_rules.h"
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

bool rt_verdict_is_brief(const struct rt_rule *rule, const struct rt_watch_view *view,
			 struct rt_findings *findings)
{
	if (findings->brief)
		rt_findings_add(findings, rule, view->port->name, "%s", "");
	return findings->brief;
}

/* What is known of a port that went away was before. */
static bool judges(const struct rt_rule *rule, const struct rt_watch_view *view)
{
	return view->port->state != RT_WATCH_GONE ||
	       rule->check == rt_verdict_check_gone ||
	       rule->check == rt_verdict_check_no_link;
}

/* The first rule that finds something says what it is; when none does, it may be well. */
static unsigned judge(const struct rt_verdict_subject *subject,
		      struct rt_findings *findings)
{
	unsigned verdict = RT_VERDICT_COUNT;

	for (size_t i = 0; i < rt_watch_rule_count; i++) {
		const struct rt_rule *rule = &rt_watch_rules[i];

		if (judges(rule, subject->view))
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

/* All ports at a moment. */
struct scene {
	const struct rt_watch_view *views;
	size_t count;
	const size_t *peers;
	const struct rt_watch_flows *flows;
	struct rt_look_moment now;
	struct rt_verdict_seen seen;
};

static struct rt_verdict_subject subject_of(const struct scene *scene, size_t port)
{
	const size_t peer = scene->peers[port];
	struct rt_verdict_subject subject = {
		.views = scene->views,
		.count = scene->count,
		.view = &scene->views[port],
		.flows = scene->flows,
		.now = scene->now,
	};

	if (peer != SIZE_MAX) {
		subject.peer = &scene->views[peer];
		subject.seen = scene->seen;
	}
	subject.signs = rt_verdict_signs(&subject);
	return subject;
}

int rt_verdicts(struct rt_watch_view *views, size_t count,
		const struct rt_watch_flows *flows, int64_t time_ns,
		uint64_t elapsed_ns)
{
	struct scene scene = {
		views, count, NULL, flows, { time_ns, elapsed_ns }, { 0 }
	};
	size_t *peers;
	bool lost = false;

	if (rt_verdict_peers(views, count, &peers) < 0)
		return -ENOMEM;
	scene.peers = peers;
	rt_verdict_remember(views, count, peers, scene.now);
	rt_verdict_look_around(views, count, peers, scene.now, &scene.seen);
	for (size_t i = 0; i < count; i++) {
		const struct rt_verdict_subject subject = subject_of(&scene, i);
		struct rt_watch_view *view = &views[i];

		view->findings.count = 0;
		view->findings.out_of_memory = false;
		view->findings.brief = true;
		rt_look_note(&view->memory.congested, rt_verdict_is_congested(&subject),
			     scene.now);
		rt_look_note(&view->memory.caused, rt_verdict_has_cause(&subject),
			     scene.now);
		view->verdict = judge(&subject, &view->findings);
		lost |= view->findings.out_of_memory;
	}
	free(peers);
	return lost ? -ENOMEM : 0;
}

/* --- in words ---------------------------------------------------------------------------- */

static void explain(struct rt_findings *findings, const struct rt_findings *words)
{
	for (size_t i = 0; i < findings->count; i++) {
		struct rt_finding *finding = &findings->items[i];

		for (size_t j = 0; j < words->count; j++)
			if (strcmp(words->items[j].id, finding->id) == 0 &&
			    strcmp(words->items[j].where, finding->where) == 0)
				memcpy(finding->evidence, words->items[j].evidence,
				       sizeof(finding->evidence));
	}
}

int rt_verdicts_explain(struct rt_watch_view *views, size_t count,
			const struct rt_watch_flows *flows, int64_t time_ns,
			uint64_t elapsed_ns)
{
	struct scene scene = {
		views, count, NULL, flows, { time_ns, elapsed_ns }, { 0 }
	};
	struct rt_findings words = { 0 };
	size_t *peers;
	bool lost;

	if (rt_verdict_peers(views, count, &peers) < 0)
		return -ENOMEM;
	scene.peers = peers;
	rt_verdict_look_around(views, count, peers, scene.now, &scene.seen);
	for (size_t i = 0; i < count; i++) {
		struct rt_verdict_subject subject;

		if (views[i].findings.count == 0)
			continue;
		subject = subject_of(&scene, i);
		words.count = 0;
		judge(&subject, &words);
		explain(&views[i].findings, &words);
	}
	lost = words.out_of_memory;
	rt_findings_free(&words);
	free(peers);
	return lost ? -ENOMEM : 0;
}
