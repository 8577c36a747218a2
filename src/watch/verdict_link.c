/* SPDX-License-Identifier: BSD-2-Clause */
/* verdict_link.c - rules on whether a port is there, and on its link and its slot. */
#include <inttypes.h>

#include "base/own.h"
#include "base/text.h"
#include "watch/verdict_rules.h"
#include "watch/verdict_seen.h"

#define TEXT_BYTES 300
#define GBPS       1e-9

static const struct rt_watch_view *view_of(const void *of)
{
	return ((const struct rt_verdict_subject *)of)->view;
}

/* --- whether there is one ---------------------------------------------------------------- */

RT_VERDICT_CHECK(gone)
{
	const struct rt_watch_view *view = view_of(of);

	if (view->port->state == RT_WATCH_GONE && rt_look_had_link(view) &&
	    !rt_verdict_is_brief(rule, view, findings))
		rt_findings_add(findings, rule, view->port->name,
				"the port is not there any more, and had a link or was "
				"in use before");
}

RT_VERDICT_CHECK(link_lost)
{
	const struct rt_watch_view *view = view_of(of);

	if (view->port->state != RT_WATCH_DOWN || !rt_look_had_link(view) ||
	    rt_verdict_is_brief(rule, view, findings))
		return;
	if (rt_look_is_used(view))
		rt_findings_add(findings, rule, view->port->name,
				"the link is down, and %" PRIu64
				" queue pairs are connected",
				view->port->queue_pairs.value);
	else
		rt_findings_add(findings, rule, view->port->name,
				"the link is down, and was up before");
}

RT_VERDICT_CHECK(no_link)
{
	const struct rt_watch_view *view = view_of(of);

	if (!rt_look_has_link(view) && !rt_look_had_link(view) &&
	    !rt_verdict_is_brief(rule, view, findings))
		rt_findings_add(findings, rule, view->port->name, "%s",
				view->port->state == RT_WATCH_DOWN
					? "the link is down, as it was since the "
					  "beginning"
					: "the port is not there, and was not yet");
}

/* --- what they do ------------------------------------------------------------------------ */

RT_VERDICT_CHECK(damage)
{
	const struct rt_watch_view *view = view_of(of);
	char text[TEXT_BYTES];
	struct rt_line line = { text, sizeof(text), 0 };

	if (!rt_look_is_damaged(view) || rt_verdict_is_brief(rule, view, findings))
		return;
	rt_look_put_damage(&line, view);
	rt_findings_add(findings, rule, view->port->name, "%s", text);
}

RT_VERDICT_CHECK(slot)
{
	const struct rt_watch_view *view = view_of(of);
	const struct rt_watch_port *port = view->port;

	if (port->pcie_bps.known && port->speed_bps.known &&
	    port->pcie_bps.value < port->speed_bps.value &&
	    !rt_verdict_is_brief(rule, view, findings))
		rt_findings_add(findings, rule, port->name,
				"PCIe carries %.4g Gb/s, the link %.4g Gb/s%s",
				(double)port->pcie_bps.value * GBPS,
				(double)port->speed_bps.value * GBPS,
				port->pcie_max_bps.known && port->pcie_max_bps.value >
								    port->pcie_bps.value
					? "; the NIC could do more than the slot gives"
					: "");
}
