/* SPDX-License-Identifier: BSD-2-Clause */
/* verdict_rules.c - the rules, the gravest first. */
#include <string.h>

#include "base/own.h"
#include "watch/verdict.h"

/* Below it a pause is what PFC is there for: a burst was held back. */
#define PAUSED_PCT 1.0
/* A queue that is stopped so long is not drained by anybody. */
#define STORM_PCT  99.0

static const struct rt_watch_view *view_of(const void *subject)
{
	const struct rt_verdict_subject *at = subject;

	return &at->views[at->port];
}

static bool is_above(struct rt_opt_f64 figure, double bound)
{
	return figure.known && figure.value > bound;
}

static bool is_nic(const struct rt_watch_view *view)
{
	return view->port->role == RT_WATCH_NIC;
}

/* A host that cannot take its data: it pauses its peer, or has no room for messages. */
static bool is_slow_host(const struct rt_watch_view *view)
{
	const struct rt_watch_figures *figures = &view->figures;

	return is_nic(view) &&
	       (is_above(figures->pausing_pct, PAUSED_PCT) ||
		is_above(figures->link_pausing_pct, PAUSED_PCT) ||
		is_above(figures->rnr_ps, 0) || is_above(figures->out_of_buffer_ps, 0));
}

/* The slow host that is seen, or NULL. */
static const struct rt_watch_view *slow_host_of(const void *subject)
{
	const struct rt_verdict_subject *at = subject;

	for (size_t i = 0; i < at->count; i++)
		if (is_slow_host(&at->views[i]))
			return &at->views[i];
	return NULL;
}

/*
 * A port that is seen drops what is lossless: then gaps and resends elsewhere are neither
 * silent nor of packets that merely overtook each other.
 */
static bool loss_is_seen(const void *subject)
{
	const struct rt_verdict_subject *at = subject;

	for (size_t i = 0; i < at->count; i++)
		if (is_above(at->views[i].figures.lossless_discards_ps, 0))
			return true;
	return false;
}

/* Some port is asked to send again, or does. */
static bool resends_are_seen(const void *subject)
{
	const struct rt_verdict_subject *at = subject;

	for (size_t i = 0; i < at->count; i++)
		if (is_above(at->views[i].figures.naks_ps, 0) ||
		    is_above(at->views[i].figures.timeouts_ps, 0))
			return true;
	return false;
}

/* --- rules ----------------------------------------------------------------------------- */

static void check_loss(const struct rt_rule *rule, const void *subject,
		       struct rt_findings *findings)
{
	const struct rt_watch_view *view = view_of(subject);

	if (is_above(view->figures.lossless_discards_ps, 0))
		rt_findings_add(findings, rule, view->port->name,
				"%.3g frames a second of lossless priorities",
				view->figures.lossless_discards_ps.value);
}

static void check_link(const struct rt_rule *rule, const void *subject,
		       struct rt_findings *findings)
{
	const struct rt_watch_view *view = view_of(subject);
	const struct rt_watch_figures *figures = &view->figures;

	if (is_above(figures->fec_uncorrectable_ps, 0))
		rt_findings_add(findings, rule, view->port->name,
				"%.3g FEC blocks a second could not be corrected",
				figures->fec_uncorrectable_ps.value);
	else if (is_above(figures->symbol_errors_ps, 0))
		rt_findings_add(findings, rule, view->port->name,
				"%.3g symbol errors a second",
				figures->symbol_errors_ps.value);
	else if (is_above(figures->link_downs_ps, 0))
		rt_findings_add(findings, rule, view->port->name, "the link went down");
}

static void check_slot(const struct rt_rule *rule, const void *subject,
		       struct rt_findings *findings)
{
	const struct rt_watch_port *port = view_of(subject)->port;

	if (port->pcie_bps.known && port->speed_bps.known &&
	    port->pcie_bps.value < port->speed_bps.value)
		rt_findings_add(findings, rule, port->name,
				"PCIe %.3g Gb/s, the link %.3g Gb/s",
				(double)port->pcie_bps.value / 1e9,
				(double)port->speed_bps.value / 1e9);
}

static void check_storm(const struct rt_rule *rule, const void *subject,
			struct rt_findings *findings)
{
	const struct rt_watch_view *view = view_of(subject);

	for (unsigned prio = 0; prio < 8; prio++) {
		const struct rt_watch_prio *at = &view->figures.prios[prio];

		if (is_above(at->paused_pct, STORM_PCT) && at->tx_bps.known &&
		    at->tx_bps.value == 0)
			rt_findings_add(findings, rule, view->port->name,
					"priority %u: paused by peer %.1f %%, nothing "
					"is sent",
					prio, at->paused_pct.value);
	}
}

static void check_host(const struct rt_rule *rule, const void *subject,
		       struct rt_findings *findings)
{
	const struct rt_watch_view *view = view_of(subject);
	const struct rt_watch_figures *figures = &view->figures;

	if (!is_slow_host(view))
		return;
	if (is_above(figures->pausing_pct, PAUSED_PCT))
		rt_findings_add(findings, rule, view->port->name,
				"pausing peer %.1f %% of the time",
				figures->pausing_pct.value);
	else if (is_above(figures->link_pausing_pct, PAUSED_PCT))
		rt_findings_add(findings, rule, view->port->name,
				"pausing peer (whole link) %.1f %% of the time",
				figures->link_pausing_pct.value);
	else
		rt_findings_add(findings, rule, view->port->name,
				"no room for messages: %.3g a second",
				is_above(figures->rnr_ps, 0)
					? figures->rnr_ps.value
					: figures->out_of_buffer_ps.value);
}

static bool is_congested(const struct rt_watch_figures *figures)
{
	const double own = figures->slow_restart_cnps_ps.known
				   ? figures->slow_restart_cnps_ps.value
				   : 0;

	return is_above(figures->paused_pct, PAUSED_PCT) ||
	       is_above(figures->ce_ps, 0) || is_above(figures->marks_ps, 0) ||
	       is_above(figures->cnp_rx_ps, own);
}

static void check_other_host(const struct rt_rule *rule, const void *subject,
			     struct rt_findings *findings)
{
	const struct rt_watch_view *view = view_of(subject);
	const struct rt_watch_view *slow = slow_host_of(subject);

	if (slow && slow != view && !is_slow_host(view) && is_congested(&view->figures))
		rt_findings_add(findings, rule, view->port->name,
				"%s is slow: pausing its peer or without room",
				slow->port->name);
}

static void check_silent(const struct rt_rule *rule, const void *subject,
			 struct rt_findings *findings)
{
	const struct rt_watch_view *view = view_of(subject);
	const struct rt_watch_figures *figures = &view->figures;

	if (is_above(figures->naks_ps, 0) + is_above(figures->timeouts_ps, 0) == 0 ||
	    is_congested(figures) || is_slow_host(view) || loss_is_seen(subject))
		return;
	rt_findings_add(findings, rule, view->port->name,
			"%.3g NAKs and %.3g time-outs a second",
			figures->naks_ps.known ? figures->naks_ps.value : 0,
			figures->timeouts_ps.known ? figures->timeouts_ps.value : 0);
}

static void check_network(const struct rt_rule *rule, const void *subject,
			  struct rt_findings *findings)
{
	const struct rt_watch_view *view = view_of(subject);
	const struct rt_watch_figures *figures = &view->figures;

	if (!is_congested(figures) || slow_host_of(subject))
		return;
	if (is_above(figures->paused_pct, PAUSED_PCT))
		rt_findings_add(findings, rule, view->port->name,
				"paused by peer %.1f %% of the time",
				figures->paused_pct.value);
	else
		rt_findings_add(findings, rule, view->port->name,
				"marks or CNPs come in");
}

static void check_reorder(const struct rt_rule *rule, const void *subject,
			  struct rt_findings *findings)
{
	const struct rt_watch_view *view = view_of(subject);
	const struct rt_watch_figures *figures = &view->figures;

	if (is_above(figures->out_of_order_ps, 0) && figures->naks_ps.known &&
	    figures->timeouts_ps.known && !resends_are_seen(subject) &&
	    !loss_is_seen(subject))
		rt_findings_add(
			findings, rule, view->port->name,
			"%.3g frames a second out of order, none asked for again",
			figures->out_of_order_ps.value);
}

#define RULE(verdict_, id_, severity_, title_, explain_, remedy_, check_) \
	{                                                                 \
		.rule = { .id = (id_),                                    \
			  .severity = RT_SEVERITY_##severity_,            \
			  .basis = RT_BASIS_OBSERVED,                     \
			  .title = (title_),                              \
			  .explain = (explain_),                          \
			  .remedy = (remedy_),                            \
			  .check = (check_) },                            \
		.verdict = RT_VERDICT_##verdict_                          \
	}

const struct rt_verdict_rule rt_verdict_rules[] = {
	RULE(LOSS, "watch-lossless-discards", ERROR, "Loss on a lossless priority",
	     "A port that discards frames of a priority with PFC has no headroom left: "
	     "XOFF came too late, or the pool gave this port too little (IEEE "
	     "802.1Qbb; "
	     "buffer_alpha of the shared buffer).",
	     "Compare headroom with speed and cable (rocetune headroom), and the "
	     "pool's "
	     "alpha with the profile (rocetune check).",
	     check_loss),
	RULE(LINK, "watch-link-errors", ERROR, "The link loses frames",
	     "Blocks that FEC cannot correct, symbol errors and links that go down "
	     "lose "
	     "frames that no congestion control can save.",
	     "Clean or exchange cable and optics; look at the other end's counters.",
	     check_link),
	RULE(LINK, "watch-pcie-below-link", WARN, "The slot is slower than the link",
	     "Data comes faster than PCIe takes it away, so the NIC's buffer fills and "
	     "it pauses its peer.",
	     "Move the NIC to a slot of full width and speed; look for a slot that "
	     "trained down.",
	     check_slot),
	RULE(STORM, "watch-pause-storm", ERROR, "A pause storm",
	     "A priority that is paused almost all of the time and sends nothing waits "
	     "for a peer that does not recover.",
	     "Find the port that sends the pauses and is not paused itself; have the "
	     "PFC watchdog on.",
	     check_storm),
	RULE(HOST, "watch-host-slow", WARN, "The host cannot take what comes",
	     "A NIC that pauses its peer, or has no receive buffers, is held up by its "
	     "host: PCIe, memory, or an application that posts too late.  Marks and "
	     "CNPs are then what follows, not the cause.",
	     "Look at PCIe, NUMA and the receive queue of the application.",
	     check_host),
	RULE(HOST, "watch-receiver-slow", WARN, "A receiver is slow",
	     "Another port that is seen here cannot take its data; what this one shows "
	     "follows from that.",
	     "Mend the host that is named.", check_other_host),
	RULE(SILENT, "watch-silent-loss", WARN, "Loss without congestion",
	     "Data is sent again although nobody marked and nobody paused: frames are "
	     "lost where no counter of these ports tells.",
	     "Look for drops in the switches on the way, for MTU and for damage.",
	     check_silent),
	RULE(NETWORK, "watch-congestion", WARN, "Congestion in the network",
	     "The peer pauses this port, or marked frames and CNPs come in: a queue "
	     "behind it is full.  The root is not visible from this host unless the "
	     "other end or the switch is watched too.",
	     "Look at the switch's queue towards the receiver, and at how many send to "
	     "it.",
	     check_network),
	RULE(REORDER, "watch-reorder", INFO, "Packets overtake each other",
	     "Frames come out of order and nothing is asked for again: several paths, "
	     "and a receiver that puts them in order.",
	     "Nothing, as long as nothing is sent again.", check_reorder),
};
const size_t rt_verdict_rule_count = RT_ARRAY_SIZE(rt_verdict_rules);
