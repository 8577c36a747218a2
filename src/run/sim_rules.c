/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/sim_rules.h"

#include <stdio.h>

#include "base/own.h"
#include "model/finding.h"
#include "rocetune/sim.h"
#include "rocetune/units.h"

static void check_unfinished(const struct rt_rule *rule, const void *subject,
			     struct rt_findings *findings)
{
	const struct rt_sim_result *sim = subject;

	if (sim->event_bound_hit)
		rt_findings_add(findings, rule, "",
				"%llu of %llu flows done after %llu events",
				(unsigned long long)sim->flows_done,
				(unsigned long long)sim->flow_count,
				(unsigned long long)sim->events);
}

static void check_failed(const struct rt_rule *rule, const void *subject,
			 struct rt_findings *findings)
{
	const struct rt_sim_result *sim = subject;

	for (size_t i = 0; i < sim->flows_listed; i++)
		if (sim->flows[i].failed) {
			rt_findings_add(findings, rule, sim->flows[i].from,
					"%llu of %llu flows failed, flow %zu first",
					(unsigned long long)sim->flows_failed,
					(unsigned long long)sim->flow_count, i);
			return;
		}
}

/* The most frames stand first, so the first row of a kind is its worst. */
static const struct rt_sim_loss *worst_loss(const struct rt_sim_result *sim,
					    bool lossless, uint64_t *ret_frames)
{
	const struct rt_sim_loss *worst = NULL;

	*ret_frames = 0;
	for (size_t i = 0; i < sim->loss_count; i++) {
		if (sim->losses[i].lossless != lossless)
			continue;
		*ret_frames += sim->losses[i].frames;
		if (!worst)
			worst = &sim->losses[i];
	}
	return worst;
}

static void tell_place(const struct rt_sim_loss *loss, char *where, size_t bytes)
{
	snprintf(where, bytes, "%s priority %u", loss->port, loss->prio);
}

static void check_lossless_drops(const struct rt_rule *rule, const void *subject,
				 struct rt_findings *findings)
{
	const struct rt_sim_result *sim = subject;
	uint64_t frames, asked = 0, needed = 0;
	const struct rt_sim_loss *worst = worst_loss(sim, true, &frames);
	char has[RT_UNIT_TEXT_BYTES], most[RT_UNIT_TEXT_BYTES],
		link[RT_UNIT_TEXT_BYTES], where[64];

	if (!worst)
		return;
	for (size_t i = 0; i < sim->loss_count; i++) {
		const struct rt_sim_loss *loss = &sim->losses[i];

		if (loss->headroom_asked_bytes.value > asked)
			asked = loss->headroom_asked_bytes.value;
		if (loss->headroom_needed_bytes.value > needed)
			needed = loss->headroom_needed_bytes.value;
	}
	tell_place(worst, where, sizeof(where));
	rt_findings_add(findings, rule, where,
			"%llu frames of a lossless class dropped, %llu of them here; "
			"headroom is "
			"%s, one pause asked for up to %s, the link needs about %s",
			(unsigned long long)frames, (unsigned long long)worst->frames,
			rt_unit_format(RT_UNIT_BYTES, worst->headroom_bytes.value, has),
			asked ? rt_unit_format(RT_UNIT_BYTES, asked, most)
			      : "an unknown size",
			rt_unit_format(RT_UNIT_BYTES, needed, link));
}

static void check_drops(const struct rt_rule *rule, const void *subject,
			struct rt_findings *findings)
{
	const struct rt_sim_result *sim = subject;
	uint64_t frames;
	const struct rt_sim_loss *worst = worst_loss(sim, false, &frames);
	char where[64];

	if (!worst)
		return;
	tell_place(worst, where, sizeof(where));
	rt_findings_add(
		findings, rule, where,
		"%llu frames of a class without PFC dropped, %llu of them here; "
		"%llu resent",
		(unsigned long long)frames, (unsigned long long)worst->frames,
		(unsigned long long)sim->resent);
}

static void check_pause_without_mark(const struct rt_rule *rule, const void *subject,
				     struct rt_findings *findings)
{
	const struct rt_sim_result *sim = subject;

	if (sim->pfc_xoff && !sim->marks)
		rt_findings_add(findings, rule, "",
				"%llu XOFF frames, no packet marked",
				(unsigned long long)sim->pfc_xoff);
}

/* The same share as analyze's pause-share. */
#define PAUSE_SHARE_PCT 1.0

static void check_pause_share(const struct rt_rule *rule, const void *subject,
			      struct rt_findings *findings)
{
	const struct rt_sim_result *sim = subject;
	char where[64], stood[RT_UNIT_TEXT_BYTES];
	size_t count = 0;

	for (size_t i = 0; i < sim->pause_count; i++)
		count += sim->pauses[i].share_pct.known &&
			 sim->pauses[i].share_pct.value >= PAUSE_SHARE_PCT;
	if (sim->longest_paused_pct < PAUSE_SHARE_PCT)
		return;
	snprintf(where, sizeof(where), "%s priority %llu", sim->longest_paused_port,
		 (unsigned long long)sim->longest_paused_prio.value);
	rt_findings_add(findings, rule, where,
			"stood still for %.3g%% of the run (%s); %zu ports and "
			"priorities for more than %.3g%%; %llu XOFF frames",
			sim->longest_paused_pct,
			rt_unit_format(RT_UNIT_NS, sim->longest_paused_ns, stood),
			count, PAUSE_SHARE_PCT, (unsigned long long)sim->pfc_xoff);
}

static void check_unfair(const struct rt_rule *rule, const void *subject,
			 struct rt_findings *findings)
{
	const struct rt_sim_result *sim = subject;

	if (sim->jain_judged && sim->jain.known && sim->jain.value < RT_FAIR_JAIN &&
	    sim->flow_count > 1)
		rt_findings_add(findings, rule, "", "Jain index %.3f over %llu flows",
				sim->jain.value, (unsigned long long)sim->flow_count);
}

const struct rt_rule rt_sim_rules[] = {
	{ .id = "sim-bound-hit",
	  .severity = RT_SEVERITY_ERROR,
	  .basis = RT_BASIS_OBSERVED,
	  .title = "the bound on events ended the run before its flows",
	  .explain = "Figures describe the part that was simulated.",
	  .remedy = "Simulate fewer or smaller flows, or set a duration.",
	  .check = check_unfinished },
	{ .id = "sim-flow-failed",
	  .severity = RT_SEVERITY_ERROR,
	  .basis = RT_BASIS_OBSERVED,
	  .title = "flows ran out of retries",
	  .explain =
		  "A queue pair goes to the error state when its retry count is used "
		  "up without progress (IBTA 9.9.2).",
	  .remedy = "Find the losses; see drops per port. Where nothing was dropped, "
		    "rto is shorter than a round trip with its queues: raise it.",
	  .check = check_failed },
	{ .id = "sim-lossless-drops",
	  .severity = RT_SEVERITY_ERROR,
	  .basis = RT_BASIS_OBSERVED,
	  .title = "a lossless class lost frames",
	  .explain = "PFC is there so that this class never drops. It does when the "
		     "headroom "
		     "is smaller than what still comes after XOFF: the cable both "
		     "ways, the "
		     "peer's reaction, and a frame at either end (IEEE 802.1Qbb, annex "
		     "N). "
		     "What was asked for counts what was refused until XON, and so "
		     "resends "
		     "too. Each loss costs everything sent after it (go-back-N).",
	  .remedy = "Give the class the headroom that the link needs (see `rocetune "
		    "headroom`); where a pool of headroom is shared, a larger pool.",
	  .check = check_lossless_drops },
	{ .id = "sim-drops",
	  .severity = RT_SEVERITY_WARN,
	  .basis = RT_BASIS_OBSERVED,
	  .title = "a class without PFC lost frames",
	  .explain =
		  "A lossy class drops when its share of the buffer is full. Each loss "
		  "costs everything sent after it (go-back-N).",
	  .remedy = "Lower Kmin so that senders slow down earlier, give the class more "
		    "of the buffer, or put it under PFC.",
	  .check = check_drops },
	{ .id = "sim-pause-without-mark",
	  .severity = RT_SEVERITY_WARN,
	  .basis = RT_BASIS_OBSERVED,
	  .title = "PFC stopped senders, but ECN never slowed them",
	  .explain = "Congestion control should act before flow control: Kmin is to be "
		     "reached before XOFF (SIGCOMM 2015, section 4).",
	  .remedy = "Lower Kmin, or raise the XOFF threshold.",
	  .check = check_pause_without_mark },
	{ .id = "sim-pause-share",
	  .severity = RT_SEVERITY_WARN,
	  .basis = RT_BASIS_OBSERVED,
	  .title = "a priority stood still for a good part of the time",
	  .explain = "More than one per cent of the run, as pause-share of analyze has "
		     "it: ECN starts too late, and PFC does its work.",
	  .remedy = "Lower Kmin and Kmax, or give the switch more buffer before XOFF.",
	  .check = check_pause_share },
	{ .id = "sim-unfair",
	  .severity = RT_SEVERITY_WARN,
	  .basis = RT_BASIS_OBSERVED,
	  .title = "flows got very different throughputs",
	  .explain = "Jain's index is 1 when all are equal and 1/n when one has all. "
		     "Only flows of one workload and one size that were all active at "
		     "some one time are judged (jain_judged); throughputs of others "
		     "differ without anybody being unfair.",
	  .remedy = "Look at the slowest sender: what is its path, who pauses it?",
	  .check = check_unfair },
};

void rt_sim_write_verdict(const struct rt_findings *findings,
			  struct rt_sim_result *result)
{
	unsigned counts[RT_SEVERITY_ERROR + 1] = { 0 };

	for (size_t i = 0; i < findings->count; i++)
		counts[findings->items[i].severity]++;
	if (!findings->count)
		snprintf(result->verdict, sizeof(result->verdict), "nothing wrong");
	else
		snprintf(result->verdict, sizeof(result->verdict),
			 "%u wrong, %u suspect; first: %s", counts[RT_SEVERITY_ERROR],
			 counts[RT_SEVERITY_WARN], findings->items[0].title);
}

const size_t rt_sim_rule_count = RT_ARRAY_SIZE(rt_sim_rules);
