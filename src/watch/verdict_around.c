/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * verdict_around.c - rules that take other ports to tell apart: whose congestion it is,
 * who lost what, and whether anything was lost.
 */
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "watch/verdict_rules.h"
#include "watch/verdict_seen.h"

#define PORT       RT_COUNTER_NO_PRIO
#define TEXT_BYTES 300

/* --- what a port shows of congestion ----------------------------------------------------- */

static bool misses_packets(const struct rt_watch_view *view)
{
	return rt_look_is_nic(view) &&
	       (rt_look_resends(view) ||
		rt_look_above(view->figures.out_of_order_ps, 0));
}

struct rt_verdict_signs rt_verdict_signs(const struct rt_verdict_subject *subject)
{
	const struct rt_watch_view *view = subject->view;
	const bool nic = rt_look_is_nic(view);
	struct rt_verdict_signs signs = {
		.paused = rt_look_is_paused(view),
		.pausing = !nic && rt_look_is_pausing(view),
		.marks = rt_look_or_0(rt_look_marks(view)),
		.cnps = nic ? rt_look_or_0(rt_look_cnps(view)) : 0,
		.drops = nic ? 0 : rt_look_lossy_drops(view),
		.dropping = nic && misses_packets(view) ? subject->seen.lossy : NULL,
		.full = subject->seen.congested == view &&
			rt_look_above(view->figures.tx_pct, RT_FULL_PCT),
	};

	signs.full &= signs.marks == 0 && signs.drops == 0;

	/* Marks on what comes to a host that does not take it are its own doing. */
	if (nic && rt_look_is_recent(&view->memory.slow, subject->now))
		signs.marks = 0;
	return signs;
}

static bool any(const struct rt_verdict_signs *signs)
{
	return signs->paused || signs->pausing || signs->marks > 0 || signs->cnps > 0 ||
	       signs->drops > 0 || signs->dropping || signs->full;
}

bool rt_verdict_is_congested(const struct rt_verdict_subject *subject)
{
	return any(&subject->signs);
}

static void put_signs(struct rt_line *line, const struct rt_verdict_signs *signs,
		      const struct rt_watch_view *view)
{
	const struct {
		double rate;
		const char *what;
	} counts[] = {
		{ signs->marks, "marks" },
		{ signs->cnps, "CNPs to obey" },
		{ signs->drops, "frames dropped" },
	};
	const char *between = "";

	if (signs->paused) {
		rt_look_put_pause(line, view, RT_LOOK_PAUSED);
		between = ", ";
	}
	if (signs->pausing) {
		rt_line_put(line, "%s", between);
		rt_look_put_pause(line, view, RT_LOOK_PAUSING);
		between = ", ";
	}
	for (size_t i = 0; i < RT_ARRAY_SIZE(counts); i++)
		if (counts[i].rate > 0) {
			rt_line_put(line, "%s%s %s a second", between,
				    rt_look_count(counts[i].rate).text, counts[i].what);
			between = ", ";
		}
	if (signs->drops > 0 && rt_look_may_lose(view))
		rt_line_put(line, " (of which priority is not readable)");
	if (signs->dropping)
		rt_line_put(line, "%sframes dropped at %s", between,
			    signs->dropping->port->name);
	else if (signs->full)
		rt_line_put(line,
			    "%ssending at %.3g %% of the link, while others are held "
			    "back",
			    between, view->figures.tx_pct.value);
}

/* --- whose doing it is ------------------------------------------------------------------- */

/*
 * The slow host behind it, or NULL: the NIC that stops this port; or, where no queue is
 * full but those behind a slow host, that one.
 */
static const struct rt_watch_view *slow_behind(const struct rt_verdict_subject *subject)
{
	const struct rt_watch_view *view = subject->view, *peer = subject->peer;
	const struct rt_verdict_seen *seen = &subject->seen;

	if (!seen->slow || seen->slow == view)
		return NULL;
	if (!rt_look_is_nic(view) &&
	    rt_look_is_recent(&peer->memory.slow, subject->now))
		return peer;
	return seen->congested == view ? NULL : seen->slow;
}

/* It is the whole of it. */
static bool is_explained(const struct rt_verdict_subject *subject)
{
	const struct rt_watch_view *slow = slow_behind(subject);

	return slow && (slow == subject->peer || !subject->seen.congested);
}

/* Its own flows are known to pass no full queue, now or a moment ago. */
static bool is_unmarked(const struct rt_verdict_subject *subject)
{
	const struct rt_verdict_signs *signs = &subject->signs;

	return rt_look_is_nic(subject->view) && signs->paused && !signs->dropping &&
	       rt_look_cnps(subject->view).known && signs->cnps == 0 &&
	       signs->marks == 0 &&
	       !rt_look_is_followed(&subject->view->memory.notified, subject->now);
}

static bool is_victim(const struct rt_verdict_subject *subject)
{
	return is_unmarked(subject) && subject->seen.marked;
}

RT_VERDICT_CHECK(receiver_slow)
{
	const struct rt_verdict_subject *subject = of;
	const struct rt_watch_view *slow = slow_behind(subject);
	struct rt_look_pause pause;
	char text[TEXT_BYTES];
	struct rt_line line = { text, sizeof(text), 0 };

	if (!slow || !any(&subject->signs) ||
	    (rt_look_is_nic(subject->view) && rt_look_is_pausing(subject->view)) ||
	    rt_verdict_is_brief(rule, subject->view, findings))
		return;
	pause = rt_look_pause(slow, RT_LOOK_PAUSING);
	rt_line_put(&line, "the receiver %s is slow", slow->port->name);
	if (pause.pct > RT_PAUSED_PCT)
		rt_line_put(&line, ": pausing peer %.3g %% of the time", pause.pct);
	rt_line_put(&line, "; here ");
	put_signs(&line, &subject->signs, subject->view);
	if (is_victim(subject))
		rt_line_put(&line, ", a victim: its own flows are not marked");
	rt_findings_add(findings, rule, subject->view->port->name, "%s", text);
}

/* --- congestion -------------------------------------------------------------------------- */

/* How many send to this port at once, as captures see it; 0: not known. */
static uint32_t senders_to(const struct rt_verdict_subject *subject)
{
	const struct rt_watch_flows *flows = subject->flows;
	const struct rt_ip *ip = &subject->view->port->ip;

	for (size_t i = 0; flows && flows->known && ip->version && i < flows->fan_count;
	     i++)
		if (flows->fans[i].dst.version == ip->version &&
		    memcmp(flows->fans[i].dst.bytes, ip->bytes, sizeof(ip->bytes)) == 0)
			return flows->fans[i].senders;
	return 0;
}

static void put_root(struct rt_line *line, const struct rt_verdict_subject *subject)
{
	const struct rt_watch_view *congested = subject->seen.congested;
	const uint32_t senders = senders_to(subject);

	if (senders > 1)
		rt_line_put(line, "; %u send to it at once", senders);
	if (congested && congested != subject->view)
		rt_line_put(line, "; the full queue is that of %s",
			    congested->port->name);
	else if (!subject->peer)
		rt_line_put(line, "; the root is not visible from this host");
	if (rt_look_standstill(subject->view, RT_LOOK_PAUSED) >= 0)
		rt_line_put(line, "; nothing is sent, whether something waits to be is "
				  "not known");
}

/* No burst; and neither a slow host explains all of it, nor does a storm. */
static bool is_congestion(const struct rt_verdict_subject *subject)
{
	return rt_look_lasts(&subject->view->memory.congested, subject->now,
			     RT_CONGESTED_NS) &&
	       !is_explained(subject) && rt_verdict_stormed(subject) < 0;
}

static void tell_signs(const struct rt_rule *rule,
		       const struct rt_verdict_subject *subject,
		       struct rt_findings *findings)
{
	char text[TEXT_BYTES];
	struct rt_line line = { text, sizeof(text), 0 };

	if (rt_verdict_is_brief(rule, subject->view, findings))
		return;
	put_signs(&line, &subject->signs, subject->view);
	put_root(&line, subject);
	rt_findings_add(findings, rule, subject->view->port->name, "%s", text);
}

RT_VERDICT_CHECK(victim)
{
	const struct rt_verdict_subject *subject = of;

	if (is_victim(subject) && is_congestion(subject))
		tell_signs(rule, subject, findings);
}

RT_VERDICT_CHECK(unmarked)
{
	const struct rt_verdict_subject *subject = of;

	if (is_unmarked(subject) && !subject->seen.marked && is_congestion(subject))
		tell_signs(rule, subject, findings);
}

RT_VERDICT_CHECK(congestion)
{
	const struct rt_verdict_subject *subject = of;

	if (any(&subject->signs) && !is_unmarked(subject) && is_congestion(subject))
		tell_signs(rule, subject, findings);
}

/* --- notification ------------------------------------------------------------------------ */

RT_VERDICT_CHECK(unanswered)
{
	const struct rt_verdict_subject *subject = of;
	const struct rt_watch_view *view = subject->view;
	const double marks = rt_look_or_0(rt_look_marks(view));

	if (rt_look_is_nic(view) && marks > 0 && view->figures.cnp_tx_ps.known &&
	    view->figures.cnp_tx_ps.value == 0 &&
	    !rt_verdict_is_brief(rule, view, findings))
		rt_findings_add(findings, rule, view->port->name,
				"%s marked packets came a second, and no CNP was "
				"sent",
				rt_look_count(marks).text);
}

RT_VERDICT_CHECK(ignored)
{
	const struct rt_verdict_subject *subject = of;
	const struct rt_watch_view *view = subject->view;
	const struct rt_opt_f64 ignored = rt_look_rate(view, RT_COUNTER_CNP_IGNORED,
						       PORT);
	const struct rt_opt_f64 handled = rt_look_rate(view, RT_COUNTER_CNP_HANDLED,
						       PORT);

	if (rt_look_above(ignored, RT_FEW_PS) && handled.known &&
	    ignored.value > handled.value && !rt_verdict_is_brief(rule, view, findings))
		rt_findings_add(findings, rule, view->port->name,
				"%s CNPs a second were ignored, %s obeyed",
				rt_look_count(ignored.value).text,
				rt_look_count(handled.value).text);
}

/* --- loss -------------------------------------------------------------------------------- */

RT_VERDICT_CHECK(lost_elsewhere)
{
	const struct rt_verdict_subject *subject = of;
	const struct rt_watch_view *lost = subject->seen.lost;
	double rate;

	if (!(lost && lost != subject->view && misses_packets(subject->view) &&
	      !rt_look_above(subject->view->figures.lossless_discards_ps, 0)) ||
	    rt_verdict_is_brief(rule, subject->view, findings))
		return;
	rate = rt_look_or_0(lost->figures.lossless_discards_ps);
	if (rate > 0)
		rt_findings_add(findings, rule, subject->view->port->name,
				"%s drops frames of lossless priorities, %s a second",
				lost->port->name, rt_look_count(rate).text);
	else
		rt_findings_add(findings, rule, subject->view->port->name,
				"%s dropped frames of lossless priorities a moment ago",
				lost->port->name);
}

bool rt_verdict_has_cause(const struct rt_verdict_subject *subject)
{
	const struct rt_watch_view *view = subject->view;

	return any(&subject->signs) || rt_look_may_be_paused(view) ||
	       rt_look_may_be_pausing(view) ||
	       rt_look_or_0(view->figures.discards_ps) > 0 ||
	       rt_look_or_0(view->figures.lossless_discards_ps) > 0 ||
	       rt_look_queue_drops(view) > 0 || rt_look_is_damaged(view) ||
	       !rt_look_has_link(view);
}

/* Nothing that is seen, or was a moment ago, explains why packets are missing. */
static bool is_unexplained(const struct rt_verdict_subject *subject)
{
	const struct rt_verdict_seen *seen = &subject->seen;

	return !rt_look_is_followed(&subject->view->memory.caused, subject->now) &&
	       !seen->lost && !seen->lossy && !seen->overtaken;
}

/* Here, or at a sender that is seen, something was sent again. */
static bool is_sent_again(const struct rt_verdict_subject *subject)
{
	const struct rt_watch_view *view = subject->view;

	return rt_look_resends(view) ||
	       rt_look_above(rt_look_rate(view, RT_COUNTER_ICRC_ERRORS, PORT), 0) ||
	       (misses_packets(view) && subject->seen.resends);
}

static const char *unread_of(const struct rt_watch_view *view)
{
	const bool pauses = rt_look_pause(view, RT_LOOK_PAUSED).known;
	const bool marks = rt_look_cnps(view).known || rt_look_marks(view).known;

	if (pauses && marks)
		return "";
	return pauses  ? "; marks and CNPs are not readable"
	       : marks ? "; pauses are not readable"
		       : "; neither pauses nor marks and CNPs are readable";
}

static void put_missed(struct rt_line *line, const struct rt_watch_view *view)
{
	const struct rt_watch_figures *figures = &view->figures;
	const struct {
		struct rt_opt_f64 rate;
		const char *what;
	} signs[] = {
		{ figures->naks_ps, "NAKs" },
		{ figures->timeouts_ps, "time-outs" },
		{ figures->out_of_order_ps, "gaps" },
		{ rt_look_rate(view, RT_COUNTER_ICRC_ERRORS, PORT), "wrong ICRCs" },
	};
	const char *between = "a second ";

	for (size_t i = 0; i < RT_ARRAY_SIZE(signs); i++)
		if (rt_look_above(signs[i].rate, 0)) {
			rt_line_put(line, "%s%s %s", between,
				    rt_look_count(signs[i].rate.value).text,
				    signs[i].what);
			between = ", ";
		}
	rt_line_put(line, "%s", unread_of(view));
}

RT_VERDICT_CHECK(silent)
{
	const struct rt_verdict_subject *subject = of;
	const struct rt_watch_view *view = subject->view;
	char text[TEXT_BYTES];
	struct rt_line line = { text, sizeof(text), 0 };

	if (!rt_look_is_nic(view) || !is_sent_again(subject) ||
	    !is_unexplained(subject) || rt_look_is_overtaken(view) ||
	    rt_verdict_is_brief(rule, view, findings))
		return;
	put_missed(&line, view);
	rt_findings_add(findings, rule, view->port->name, "%s", text);
}

/* Queue pairs whose retries ran out, with what this port shows of congestion or without. */
static void tell_died(const struct rt_rule *rule,
		      const struct rt_verdict_subject *subject, bool jammed,
		      struct rt_findings *findings)
{
	const struct rt_watch_view *view = subject->view;
	const struct rt_opt_f64 died = rt_look_rate(view, RT_COUNTER_RETRY_EXCEEDED,
						    PORT);
	char text[TEXT_BYTES];
	struct rt_line line = { text, sizeof(text), 0 };

	if (!rt_look_is_nic(view) || !rt_look_above(died, 0) ||
	    rt_look_is_followed(&view->memory.congested, subject->now) != jammed ||
	    rt_verdict_is_brief(rule, view, findings))
		return;
	rt_line_put(&line, "%s queue pairs a second gave up after their retries",
		    rt_look_count(died.value).text);
	if (any(&subject->signs)) {
		rt_line_put(&line, "; here ");
		put_signs(&line, &subject->signs, view);
	} else if (jammed) {
		rt_line_put(&line, ", a moment after the jam");
	}
	rt_findings_add(findings, rule, view->port->name, "%s", text);
}

RT_VERDICT_CHECK(queue_pairs_lost)
{
	tell_died(rule, of, false, findings);
}

RT_VERDICT_CHECK(queue_pairs_jammed)
{
	tell_died(rule, of, true, findings);
}

/* --- order ------------------------------------------------------------------------------- */

/* All senders are seen, and none of them has to send anything again. */
static bool loses_nothing(const struct rt_verdict_subject *subject)
{
	return subject->peer && subject->seen.told && !subject->seen.resends &&
	       !subject->seen.lost && !subject->seen.lossy;
}

static bool is_reordered(const struct rt_verdict_subject *subject)
{
	const struct rt_watch_view *view = subject->view;

	if (!misses_packets(view) || subject->seen.lost || subject->seen.lossy ||
	    rt_look_is_damaged(view))
		return false;
	return rt_look_is_overtaken(view) || loses_nothing(subject) ||
	       (rt_look_resends(view) && subject->seen.overtaken);
}

RT_VERDICT_CHECK(reorder)
{
	const struct rt_verdict_subject *subject = of;
	const struct rt_watch_view *view = subject->view;
	const struct rt_opt_f64 gaps = view->figures.out_of_order_ps;

	if (!is_reordered(subject) || rt_verdict_is_brief(rule, view, findings))
		return;
	if (rt_look_above(gaps, 0))
		rt_findings_add(findings, rule, view->port->name,
				"%s packets a second came before others; %s",
				rt_look_count(gaps.value).text,
				rt_look_is_overtaken(view)
					? "those came, too, and then once more"
					: "none was sent again");
	else
		rt_findings_add(findings, rule, view->port->name,
				"sent again what had come to %s already",
				subject->seen.overtaken->port->name);
}

RT_VERDICT_CHECK(gaps)
{
	const struct rt_verdict_subject *subject = of;
	const struct rt_opt_f64 gaps = subject->view->figures.out_of_order_ps;

	if (findings->count == 0 && rt_look_is_nic(subject->view) &&
	    rt_look_above(gaps, 0) &&
	    !rt_look_is_followed(&subject->view->memory.caused, subject->now) &&
	    !rt_verdict_is_brief(rule, subject->view, findings))
		rt_findings_add(findings, rule, subject->view->port->name,
				"%s gaps a second; whether what was missing was lost "
				"only its sender knows",
				rt_look_count(gaps.value).text);
}

/* --- what is not known ------------------------------------------------------------------- */

/* Only frames are counted, of which a host may send many and let go at once. */
RT_VERDICT_CHECK(unclear)
{
	const struct rt_watch_view *view =
		((const struct rt_verdict_subject *)of)->view;
	const bool paused = rt_look_is_unclear(view, RT_LOOK_PAUSED);
	const bool pausing = rt_look_is_unclear(view, RT_LOOK_PAUSING);
	char text[TEXT_BYTES];
	struct rt_line line = { text, sizeof(text), 0 };

	if ((!paused && !pausing) || rt_verdict_is_brief(rule, view, findings))
		return;
	if (paused)
		rt_look_put_pause(&line, view, RT_LOOK_PAUSED);
	if (pausing) {
		rt_line_put(&line, "%s", paused ? ", " : "");
		rt_look_put_pause(&line, view, RT_LOOK_PAUSING);
	}
	rt_line_put(&line, ", as far as frames tell");
	rt_findings_add(findings, rule, view->port->name, "%s", text);
}

RT_VERDICT_CHECK(not_yet)
{
	const struct rt_verdict_subject *subject = of;
	char text[TEXT_BYTES];

	if (findings->count || rt_look_extent(subject->view) != RT_LOOK_NOT_YET ||
	    rt_verdict_is_brief(rule, subject->view, findings))
		return;
	rt_look_not_yet(subject->view, subject->now, text, sizeof(text));
	rt_findings_add(findings, rule, subject->view->port->name, "%s", text);
}

RT_VERDICT_CHECK(unknown)
{
	const struct rt_verdict_subject *subject = of;
	char text[TEXT_BYTES];

	if (findings->count || rt_look_extent(subject->view) != RT_LOOK_PARTLY ||
	    rt_verdict_is_brief(rule, subject->view, findings))
		return;
	rt_look_missing(subject->view, text, sizeof(text));
	rt_findings_add(findings, rule, subject->view->port->name, "%s", text);
}
