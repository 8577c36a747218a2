/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stress_swing.c - whether senders' rates swing, and by whose doing.
 *
 * A dip is the network's, or the transport's, where the transport lost something, cut
 * the rate or stood paused in it or just before.  An interval in which a host was not
 * there for a good part tells of that host, and so does the next, when it catches up:
 * neither is judged.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "run/stress_share.h"

/*
 * Completions come a message at a time, so an interval may have one more or less by
 * that alone.  With fewer in an interval than this, their spread says nothing.
 */
#define MESSAGES_TO_JUDGE 4
#define AWAY_SHARE        5 /* one part of an interval is a good part */
#define PAUSED_SHARE      4 /* one part of an interval explains a dip */
/* Cuts that explain a dip, as against the mean: DCQCN cuts all the time. */
#define CUTS_TIMES        2

/* What judging one sender needs. */
struct swing {
	const struct rt_window *window;
	struct rt_stress_sender *sender;
	const bool *away;   /* of each interval of the window */
	uint64_t *bytes;    /* of the intervals that are judged, in a row */
	double usual_cuts;  /* an interval */
	size_t first, last; /* intervals in which all its queue pairs were to send */
};

/* --- where hosts were not there --------------------------------------------------- */

static bool was_away(const struct rt_stress_host *host, size_t interval,
		     uint64_t interval_ns)
{
	return interval < host->away_count &&
	       host->away[interval] > interval_ns / AWAY_SHARE;
}

static void count_away(const struct rt_window *window, struct rt_stress_result *result)
{
	for (size_t i = 0; i < result->host_count; i++) {
		struct rt_stress_host *host = &result->hosts[i];

		host->intervals_away.known = !host->lost &&
					     window->last > window->first;
		for (size_t at = window->first; at < window->last; at++)
			host->intervals_away.value += was_away(host, at,
							       window->interval_ns);
	}
}

static void mark_away(const struct rt_window *window, const struct rt_stress_host *host,
		      bool *away)
{
	for (size_t at = window->first; at < window->last; at++)
		away[at - window->first] |= was_away(host, at, window->interval_ns) ||
					    (at > 0 && was_away(host, at - 1,
								window->interval_ns));
}

/* The sender's host, and those it sends to: without ACKs it cannot send. */
static void mark_hosts(const struct rt_window *window,
		       const struct rt_stress_result *result,
		       const struct rt_stress_sender *sender, bool *away)
{
	memset(away, 0, (window->last - window->first) * sizeof(*away));
	mark_away(window, &result->hosts[sender->rank], away);
	for (size_t i = 0; i < result->qp_count; i++) {
		const struct rt_stress_host *to = &result->hosts[result->qps[i].to];

		if (result->qps[i].from == sender->rank && to->intervals_away.value)
			mark_away(window, to, away);
	}
}

/* --- causes ----------------------------------------------------------------------- */

static const struct rt_stress_cause *cause_at(const struct swing *swing, size_t at)
{
	static const struct rt_stress_cause none;

	return at < swing->sender->cause_count ? &swing->sender->causes[at] : &none;
}

/* Of the window, and of its turn in it: as the intervals that are judged. */
static void count_causes(struct swing *swing)
{
	const struct rt_window *window = swing->window;
	uint64_t cuts = 0;

	for (size_t at = window->first; at < window->last; at++) {
		const struct rt_stress_cause *cause = cause_at(swing, at);

		cuts += cause->cuts;
		if (at < swing->first || at >= swing->last)
			continue;
		if (!swing->away[at - window->first])
			swing->sender->intervals_explained +=
				cause->losses ||
				cause->paused_ns > window->interval_ns / PAUSED_SHARE;
	}
	swing->usual_cuts = (double)cuts / (double)(window->last - window->first);
}

/* "", or what the transport did about a dip: in it, or in the interval before. */
static const char *explain(const struct swing *swing, const struct rt_dip *dip)
{
	const size_t first = dip->first > 0 ? dip->first - 1 : 0;
	uint64_t losses = 0, paused_ns = 0;
	bool cut = false;

	for (size_t at = first; at < dip->first + dip->count; at++) {
		const struct rt_stress_cause *cause = cause_at(swing, at);

		losses += cause->losses;
		if (cause->paused_ns > paused_ns)
			paused_ns = cause->paused_ns;
		cut |= cause->cuts > 1 &&
		       (double)cause->cuts > CUTS_TIMES * swing->usual_cuts;
	}
	if (losses)
		return "frames were lost";
	if (paused_ns > swing->window->interval_ns / PAUSED_SHARE)
		return "it stood paused";
	return cut ? "its rate was cut" : "";
}

/* Whether every interval of a dip is one that is not judged. */
static bool is_away(const struct swing *swing, const struct rt_dip *dip)
{
	for (size_t at = dip->first; at < dip->first + dip->count; at++)
		if (!swing->away[at - swing->window->first])
			return false;
	return true;
}

/* Intervals without any leave the list. */
static void drop_empty_causes(struct rt_stress_sender *sender)
{
	size_t kept = 0;

	for (size_t i = 0; i < sender->cause_count; i++) {
		struct rt_stress_cause cause = sender->causes[i];

		cause.interval = (uint32_t)i;
		if (cause.losses || cause.cuts || cause.paused_ns)
			sender->causes[kept++] = cause;
	}
	sender->cause_count = kept;
}

/* --- one sender ------------------------------------------------------------------- */

static struct rt_series series_of(const struct rt_stress_sender *sender)
{
	return (struct rt_series){ sender->series, sender->series_count };
}

/* Whether what an interval brings is a matter of the network, not of the pattern. */
static bool is_steady(const struct rt_stress_plan *plan,
		      const struct rt_stress_sender *sender)
{
	return plan->even && !plan->sized && rt_stress_tells(sender) &&
	       sender->bytes.value && sender->messages.value;
}

static void list_dip(const struct rt_dip *dip, const struct rt_window *window,
		     const struct rt_stress_sender *sender, const char *why,
		     struct rt_stress_result *result)
{
	struct rt_stress_dip *row = &result->dips[result->dips_listed];

	result->dip_count.value++;
	if (result->dips_listed == RT_STRESS_DIPS_LISTED)
		return;
	memcpy(row->sender, sender->name, sizeof(row->sender));
	snprintf(row->why, sizeof(row->why), "%s", why);
	row->start_ns = dip->first * window->interval_ns;
	row->duration_ns = dip->count * window->interval_ns;
	row->least_bps = rt_bytes_bps(dip->least, window->interval_ns);
	result->dips_listed++;
}

/* When all of a sender's queue pairs were to send: its step of the ramp is no dip. */
static void find_turn(const struct rt_stress_plan *plan, struct swing *swing)
{
	const uint64_t interval_ns = swing->window->interval_ns;

	swing->last = swing->window->last;
	for (size_t i = 0; i < plan->flow_count; i++) {
		const struct rt_traffic_flow *flow = &plan->flows[i];
		const size_t first = (flow->start_ns + interval_ns - 1) / interval_ns;
		const size_t last = flow->stop_ns / interval_ns;

		if (flow->victim || flow->from != swing->sender->rank)
			continue;
		swing->first = first > swing->first ? first : swing->first;
		swing->last = last < swing->last ? last : swing->last;
	}
}

static void find_dips(struct swing *swing, uint64_t usual,
		      struct rt_stress_result *result)
{
	struct rt_stress_sender *sender = swing->sender;
	struct rt_dip dip;
	size_t at = 0;

	sender->dips = sender->dips_explained = sender->dips_away = RT_KNOWN_U64(0);
	sender->dipped_explained = sender->dip_longest = RT_KNOWN_U64(0);
	result->dip_count.known = true;
	while (rt_series_dip(series_of(sender), swing->window, usual, &at, &dip)) {
		const char *why = explain(swing, &dip);

		if (dip.first + dip.count <= swing->first || dip.first >= swing->last)
			continue;
		sender->dips.value++;
		if (is_away(swing, &dip)) {
			sender->dips_away.value++;
			why = "a host of it was not there";
		} else {
			sender->dips_explained.value += *why != '\0';
			sender->dipped_explained.value += *why ? dip.count : 0;
			if (dip.count > sender->dip_longest.value)
				sender->dip_longest.value = dip.count;
		}
		list_dip(&dip, swing->window, sender, why, result);
	}
}

/* The intervals that are judged, in a row. */
static bool take_spread(struct swing *swing, struct rt_spread *ret_spread)
{
	const struct rt_window *window = swing->window;
	const struct rt_stress_sender *sender = swing->sender;
	struct rt_window judged = { 0, 0, window->interval_ns };

	for (size_t at = window->first; at < window->last; at++)
		if (!swing->away[at - window->first] && at >= swing->first &&
		    at < swing->last)
			swing->bytes[judged.last++] = at < sender->series_count
							      ? sender->series[at]
							      : 0;
	swing->sender->intervals_judged = (uint32_t)judged.last;
	return rt_series_spread((struct rt_series){ swing->bytes, judged.last },
				&judged, ret_spread);
}

static void judge_sender(const struct rt_stress_plan *plan, struct swing *swing,
			 struct rt_stress_result *result)
{
	const struct rt_window *window = swing->window;
	struct rt_stress_sender *sender = swing->sender;
	struct rt_spread spread;
	uint64_t message, usual;

	find_turn(plan, swing);
	if (plan->sized || !take_spread(swing, &spread))
		return;
	count_causes(swing);
	sender->least_bps = RT_KNOWN_U64(
		rt_bytes_bps(spread.least, window->interval_ns));
	sender->median_bps = RT_KNOWN_U64(
		rt_bytes_bps(spread.median, window->interval_ns));
	if (!is_steady(plan, sender))
		return;
	message = sender->bytes.value / sender->messages.value;
	/* On average: of a sender that mostly stands still the median is nothing. */
	if (message && sender->bytes.value / (window->last - window->first) / message >=
			       MESSAGES_TO_JUDGE)
		sender->variation = RT_KNOWN_F64(spread.variation);
	/* Below half, and by more than a message; of one that mostly stands, of its mean. */
	usual = spread.median > spread.mean / 2 ? spread.median : spread.mean;
	find_dips(swing, usual > 2 * message ? usual - 2 * message : 0, result);
}

int rt_stress_swing(const struct rt_stress_plan *plan, const struct rt_window *window,
		    struct rt_stress_result *result)
{
	const size_t count = window->last > window->first ? window->last - window->first
							  : 0;
	RT_AUTO(rt_auto_free) uint64_t *bytes = calloc(count + 1, sizeof(*bytes));
	RT_AUTO(rt_auto_free) bool *away = calloc(count + 1, sizeof(*away));

	if (!bytes || !away)
		return -ENOMEM;
	count_away(window, result);
	for (size_t i = 0; i < result->sender_count; i++) {
		struct swing swing = {
			window, &result->senders[i], away, bytes, 0, 0, 0
		};

		if (count) {
			mark_hosts(window, result, swing.sender, away);
			judge_sender(plan, &swing, result);
		}
		drop_empty_causes(swing.sender);
	}
	return 0;
}
