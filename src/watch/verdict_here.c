/* SPDX-License-Identifier: BSD-2-Clause */
/* verdict_here.c - rules on what a port's own counters tell. */
#include "base/own.h"
#include "base/text.h"
#include "watch/verdict_rules.h"
#include "watch/verdict_seen.h"

#define PORT       RT_COUNTER_NO_PRIO
#define TEXT_BYTES 300
#define GBPS       1e-9

static const struct rt_verdict_subject *subject_of(const void *of)
{
	return of;
}

static const struct rt_watch_view *view_of(const void *of)
{
	return subject_of(of)->view;
}

/* What rt_verdict_is_brief() left to tell. */
static void tell(const struct rt_rule *rule, const struct rt_watch_view *view,
		 const char *text, struct rt_findings *findings)
{
	rt_findings_add(findings, rule, view->port->name, "%s", text);
}

static bool counts_up(const struct rt_watch_view *view, enum rt_counter_id id)
{
	return rt_look_above(rt_look_rate(view, id, PORT), 0);
}

/* --- loss -------------------------------------------------------------------------------- */

/* A link that goes takes what is on it along, and a NIC that ends a storm drops. */
static bool is_lost_otherwise(const struct rt_watch_view *view)
{
	return rt_look_above(view->figures.link_downs_ps, 0) ||
	       counts_up(view, RT_COUNTER_STORM_EVENTS);
}

RT_VERDICT_CHECK(loss)
{
	const struct rt_watch_view *view = view_of(of);
	const struct rt_watch_port *port = view->port;
	char text[TEXT_BYTES];
	struct rt_line line = { text, sizeof(text), 0 };

	if (!rt_look_above(view->figures.lossless_discards_ps, 0) ||
	    is_lost_otherwise(view) || rt_verdict_is_brief(rule, view, findings))
		return;
	for (unsigned prio = 0; prio < 8; prio++)
		if (port->lossless.value >> prio & 1 &&
		    rt_look_above(view->figures.prios[prio].discards_ps, 0))
			rt_line_put(&line, "%spriority %u: %s frames a second",
				    line.used ? ", " : "", prio,
				    rt_look_count(
					    view->figures.prios[prio].discards_ps.value)
					    .text);
	if (!line.used)
		rt_line_put(
			&line, "%s frames a second",
			rt_look_count(view->figures.lossless_discards_ps.value).text);
	rt_line_put(&line, " dropped by %s",
		    rt_look_is_nic(view) ? "the NIC" : "the switch");
	if (rt_look_is_pausing(view)) {
		rt_line_put(&line, ", while ");
		rt_look_put_pause(&line, view, RT_LOOK_PAUSING);
	}
	tell(rule, view, text, findings);
}

/* --- storms ------------------------------------------------------------------------------ */

/* Something is to be sent: the NIC says so, answers do not come, or peers are held. */
static bool has_backlog(const struct rt_verdict_subject *subject)
{
	const struct rt_watch_view *view = subject->view;

	if (!rt_look_is_nic(view))
		return subject->seen.holding && subject->seen.holding != view;
	return counts_up(view, RT_COUNTER_XMIT_WAIT) ||
	       counts_up(view, RT_COUNTER_RETRY_EXCEEDED) ||
	       rt_look_above(view->figures.timeouts_ps, 0);
}

int rt_verdict_stormed(const struct rt_verdict_subject *subject)
{
	const struct rt_watch_view *view = subject->view;

	return rt_look_lasts(&view->memory.stopped, subject->now, RT_STORM_NS) &&
			       has_backlog(subject)
		       ? rt_look_standstill(view, RT_LOOK_PAUSED)
		       : -1;
}

RT_VERDICT_CHECK(storm)
{
	const struct rt_watch_view *view = view_of(of);
	const int prio = rt_verdict_stormed(of);

	if (prio >= 0 && !rt_verdict_is_brief(rule, view, findings))
		rt_findings_add(findings, rule, view->port->name,
				"priority %d: paused by peer %.1f %% of the time, "
				"nothing is sent, and something waits to be",
				prio, view->figures.prios[prio].paused_pct.value);
}

RT_VERDICT_CHECK(storm_source)
{
	const struct rt_watch_view *view = view_of(of);
	const int prio = rt_look_standstill(view, RT_LOOK_PAUSING);
	const bool lasts = prio >= 0 && rt_look_lasts(&view->memory.stopping,
						      subject_of(of)->now, RT_STORM_NS);
	const bool ended = counts_up(view, RT_COUNTER_STORM_EVENTS) &&
			   rt_look_is_pausing(view);

	if (!rt_look_is_nic(view) || !(lasts || ended) ||
	    rt_verdict_is_brief(rule, view, findings))
		return;
	if (lasts)
		rt_findings_add(findings, rule, view->port->name,
				"priority %d: pausing peer %.1f %% of the time, and "
				"nothing comes",
				prio, view->figures.prios[prio].pausing_pct.value);
	else
		tell(rule, view, "the NIC ended its own pauses: they lasted too long",
		     findings);
}

/* --- the host ---------------------------------------------------------------------------- */

RT_VERDICT_CHECK(pausing)
{
	const struct rt_watch_view *view = view_of(of);
	char text[TEXT_BYTES];
	struct rt_line line = { text, sizeof(text), 0 };

	if (!rt_look_is_nic(view) || !rt_look_is_pausing(view) ||
	    rt_verdict_is_brief(rule, view, findings))
		return;
	rt_look_put_pause(&line, view, RT_LOOK_PAUSING);
	if (view->figures.rx_bps.known)
		rt_line_put(&line, ", taking %s Gb/s",
			    rt_look_gbps(view->figures.rx_bps.value).text);
	if (counts_up(view, RT_COUNTER_BUFFER_PASSED))
		rt_line_put(
			&line, "; its buffer was nearly full %s times a second",
			rt_look_count(rt_look_rate(view, RT_COUNTER_BUFFER_PASSED, PORT)
					      .value)
				.text);
	tell(rule, view, text, findings);
}

/* What the way between NIC and host shows; figures.pcie_stalls_ps is the first one's. */
static const struct {
	enum rt_counter_id counter;
	const char *what;
	bool is_of_seconds;
} pcie_signs[] = {
	{ RT_COUNTER_PCIE_STALLS, "writes waited", true },
	{ RT_COUNTER_PCIE_READ_STALLS, "reads waited", true },
	{ RT_COUNTER_PCIE_DISCARDS,
	  "frames a second dropped as the way to the host was full", false },
	{ RT_COUNTER_PCIE_ERRORS, "errors of PCIe a second", false },
};

static double pcie_rate(const struct rt_watch_view *view, size_t sign)
{
	return rt_look_or_0(
		sign == 0 ? view->figures.pcie_stalls_ps
			  : rt_look_rate(view, pcie_signs[sign].counter, PORT));
}

static bool waits_for_pcie(const struct rt_watch_view *view)
{
	for (size_t i = 0; i < RT_ARRAY_SIZE(pcie_signs); i++)
		if (pcie_rate(view, i) > 0)
			return true;
	return false;
}

RT_VERDICT_CHECK(pcie)
{
	const struct rt_watch_view *view = view_of(of);
	char text[TEXT_BYTES];
	struct rt_line line = { text, sizeof(text), 0 };

	if (!rt_look_is_nic(view) || !waits_for_pcie(view) ||
	    rt_verdict_is_brief(rule, view, findings))
		return;
	for (size_t i = 0; i < RT_ARRAY_SIZE(pcie_signs); i++) {
		const double rate = pcie_rate(view, i);
		const char *between = line.used ? ", " : "";

		if (rate > 0 && pcie_signs[i].is_of_seconds)
			rt_line_put(&line, "%s%s in %.3g %% of the seconds", between,
				    pcie_signs[i].what, rate < 1 ? rate * 100 : 100.0);
		else if (rate > 0)
			rt_line_put(&line, "%s%s %s", between, rt_look_count(rate).text,
				    pcie_signs[i].what);
	}
	tell(rule, view, text, findings);
}

RT_VERDICT_CHECK(no_buffers)
{
	const struct rt_watch_view *view = view_of(of);
	const struct rt_opt_f64 naks = rt_look_rate(view, RT_COUNTER_RNR_NAKS_TX, PORT);
	const struct rt_opt_f64 packets = view->figures.out_of_buffer_ps;

	if (!rt_look_is_nic(view) ||
	    (!rt_look_above(naks, 0) && !rt_look_above(packets, 0)) ||
	    rt_verdict_is_brief(rule, view, findings))
		return;
	rt_findings_add(
		findings, rule, view->port->name,
		"%s %s a second found no receive buffer",
		rt_look_count(rt_look_above(packets, 0) ? packets.value : naks.value)
			.text,
		rt_look_above(packets, 0) ? "packets" : "requests");
}

/* What is not ours of the RNR NAKs; where only both together are known, theirs. */
static double rnr_from_peer(const struct rt_watch_view *view)
{
	const struct rt_opt_f64 theirs = rt_look_rate(view, RT_COUNTER_RNR_NAKS_RX,
						      PORT);
	const struct rt_opt_f64 ours = rt_look_rate(view, RT_COUNTER_RNR_NAKS_TX, PORT);

	if (theirs.known || ours.known)
		return rt_look_or_0(theirs);
	return rt_look_or_0(view->figures.rnr_ps);
}

RT_VERDICT_CHECK(peer_no_buffers)
{
	const struct rt_watch_view *view = view_of(of);
	const double naks = rnr_from_peer(view);

	if (rt_look_is_nic(view) && naks > 0 &&
	    !rt_verdict_is_brief(rule, view, findings))
		rt_findings_add(findings, rule, view->port->name,
				"%s times a second the peer had no receive buffer%s",
				rt_look_count(naks).text,
				counts_up(view, RT_COUNTER_RNR_RETRY_EXCEEDED)
					? "; queue pairs gave up"
					: "");
}

RT_VERDICT_CHECK(queue_pairs_unready)
{
	const struct rt_watch_view *view = view_of(of);
	const struct rt_opt_f64 died = rt_look_rate(view, RT_COUNTER_RNR_RETRY_EXCEEDED,
						    PORT);

	if (rt_look_is_nic(view) && rt_look_above(died, 0) &&
	    !rt_verdict_is_brief(rule, view, findings))
		rt_findings_add(findings, rule, view->port->name,
				"%s queue pairs a second gave up: no receive buffer "
				"at the other end",
				rt_look_count(died.value).text);
}

static const char *unsure_of(const struct rt_watch_view *view)
{
	if (!rt_look_may_lose(view))
		return "";
	return view->port->lossless.known
		       ? "; of which priority is not readable"
		       : "; which priorities are lossless is not readable";
}

RT_VERDICT_CHECK(drops)
{
	const struct rt_watch_view *view = view_of(of);
	const double drops = rt_look_lossy_drops(view);

	if (rt_look_is_nic(view) && (drops > RT_FEW_PS || rt_look_may_lose(view)) &&
	    !rt_verdict_is_brief(rule, view, findings))
		rt_findings_add(findings, rule, view->port->name,
				"%s frames a second dropped%s",
				rt_look_count(drops).text, unsure_of(view));
}

/* A few are how TCP finds its rate; with RDMA's resends beside them they are its loss. */
RT_VERDICT_CHECK(queue_drops)
{
	const struct rt_watch_view *view = view_of(of);
	const double drops = rt_look_queue_drops(view);

	if ((drops > RT_FEW_PS || (drops > 0 && rt_look_resends(view))) &&
	    !rt_verdict_is_brief(rule, view, findings))
		rt_findings_add(findings, rule, view->port->name,
				"%s frames a second dropped before they were sent",
				rt_look_count(drops).text);
}

/* --- the class --------------------------------------------------------------------------- */

/* One direction: where its bytes are told. */
struct course {
	struct rt_opt_f64 rdma, kernel; /* of the port */
	double lossless, lossy;         /* of priorities */
	unsigned worst;                 /* the lossy one with the most */
	bool known;                     /* all priorities are */
	double cnps;                    /* bytes that are in it by right */
};

/* Ethernet, IP, UDP, BTH, the CNP's 16 reserved bytes, ICRC, FCS (IBTA A17.9.3). */
#define CNP_BITS (8 * (14 + 20 + 8 + 12 + 16 + 4 + 4))

static struct course look_at(const struct rt_watch_view *view, bool sends)
{
	const struct rt_watch_figures *figures = &view->figures;
	const struct rt_watch_port *port = view->port;
	/* Where RDMA is meant to be without PFC it is not wrong. */
	const uint64_t right = port->lossless.value |
			       (port->rdma_prios.known ? port->rdma_prios.value : 0);
	struct course course = {
		.rdma = sends ? figures->rdma_tx_bps : figures->rdma_rx_bps,
		.kernel = rt_look_rate(view,
				       sends ? RT_COUNTER_NETDEV_TX_BYTES
					     : RT_COUNTER_NETDEV_RX_BYTES,
				       PORT),
		.known = true,
		.cnps = rt_look_or_0(sends ? figures->cnp_tx_ps : figures->cnp_rx_ps) *
			CNP_BITS,
	};
	double most = 0;

	for (unsigned prio = 0; prio < 8; prio++) {
		const struct rt_watch_prio *of = &figures->prios[prio];
		const struct rt_opt_f64 bps = sends ? of->tx_bps : of->rx_bps;

		course.known &= bps.known;
		*(right >> prio & 1 ? &course.lossless
				    : &course.lossy) += rt_look_or_0(bps);
		if (!(right >> prio & 1) && rt_look_above(bps, most)) {
			most = bps.value;
			course.worst = prio;
		}
	}
	return course;
}

/*
 * RDMA beside the lossless priorities: what these do not explain, and no more than the
 * others carry beside the kernel's own.  Both, as sources are not read at one moment.
 */
static double stray_bps(const struct course *course)
{
	const double kernel = rt_look_or_0(course->kernel) * 8;
	double stray = course->rdma.value - course->lossless;

	if (course->lossy - kernel < stray)
		stray = course->lossy - kernel;
	return stray - course->cnps;
}

static void check_course(const struct rt_rule *rule, const struct rt_watch_view *view,
			 bool sends, struct rt_findings *findings)
{
	const struct course course = look_at(view, sends);
	const double link = (double)view->port->speed_bps.value *
			    view->port->speed_bps.known * RT_CLASS_LINK_SHARE;
	double stray;

	if (!course.known || !course.rdma.known)
		return;
	stray = stray_bps(&course);
	if (stray > RT_IDLE_BPS && stray > link &&
	    stray > course.rdma.value * RT_CLASS_SHARE &&
	    !rt_verdict_is_brief(rule, view, findings))
		rt_findings_add(findings, rule, view->port->name,
				"%s of %s Gb/s of RDMA are %s on priorities that "
				"are not lossless, most on %u",
				rt_look_gbps(stray).text,
				rt_look_gbps(course.rdma.value).text,
				sends ? "sent" : "received", course.worst);
}

RT_VERDICT_CHECK(class)
{
	const struct rt_watch_view *view = view_of(of);
	const struct rt_opt_u64 lossless = view->port->lossless;
	const size_t before = findings->count;

	if (!rt_look_is_nic(view) || !lossless.known || !lossless.value)
		return;
	check_course(rule, view, true, findings);
	if (findings->count == before)
		check_course(rule, view, false, findings);
}
