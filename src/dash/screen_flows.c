/* SPDX-License-Identifier: BSD-2-Clause */
/* screen_flows.c - receivers, and the senders of the one under the cursor as bars. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dash/glyphs.h"
#include "dash/screens.h"

static double per_s(uint64_t count, const struct rt_watch_flows *flows)
{
	return flows->window_ns ? (double)count * 1e9 / (double)flows->window_ns
				: (double)NAN;
}

/* The port with this address, as people call it; "". */
static const char *port_of(const struct rt_watch_snapshot *snapshot,
			   const struct rt_ip *ip)
{
	for (size_t i = 0; i < snapshot->count; i++)
		if (snapshot->views[i].port->ip.version &&
		    memcmp(&snapshot->views[i].port->ip, ip, sizeof(*ip)) == 0)
			return snapshot->views[i].port->name;
	return "";
}

static void draw_where(const struct rt_draw *draw, struct rt_box box)
{
	const struct rt_watch_flows *flows = draw->data->snapshot->flows;
	char window[RT_NUMBER_BYTES], frames[RT_NUMBER_BYTES];

	rt_number_time(flows->window_ns, window);
	rt_number_scaled((double)flows->frames, false, 6, frames);
	rt_canvas_printf(draw->canvas, box,
			 flows->dropped ? RT_STYLE_WARN : RT_STYLE_PLAIN,
			 "captured at %s in %s: %" PRIu64 " flows, %s frames, %" PRIu64
			 " missed",
			 flows->where, window, flows->total, frames, flows->dropped);
}

static void draw_fan(const struct rt_draw *draw, const struct rt_watch_fan *fan,
		     struct rt_box box)
{
	const struct rt_watch_flows *flows = draw->data->snapshot->flows;
	char dst[RT_IP_TEXT_BYTES], rate[RT_NUMBER_BYTES], ce[RT_NUMBER_BYTES],
		jain[16] = "-";

	rt_number_rate(per_s(fan->bytes * 8, flows), &draw->ui->units, 5, rate);
	rt_number_scaled(per_s(fan->ce, flows), false, 6, ce);
	if (fan->jain.known)
		snprintf(jain, sizeof(jain), "%.2f", fan->jain.value);
	rt_canvas_printf(draw->canvas, box, RT_STYLE_PLAIN,
			 "  %-26.26s %-16.16s %7" PRIu32 " %5" PRIu32 " %6s %6s %5s%s",
			 rt_ip_format(&fan->dst, dst),
			 port_of(draw->data->snapshot, &fan->dst), fan->senders,
			 fan->flows, rate, ce, jain,
			 fan->jain.known && fan->jain.value < RT_FAIR_JAIN ? " !" : "");
}

/* Of addresses: all of those of IPv6 where the bars have room besides. */
static unsigned source_width(struct rt_box box)
{
	const unsigned wanted = box.width / 3 - 8;

	return wanted < 18 ? 18 : wanted > 39 ? 39 : wanted;
}

static void draw_flow(const struct rt_draw *draw, const struct rt_watch_flow *flow,
		      double most_bytes, struct rt_box box)
{
	const struct rt_watch_flows *flows = draw->data->snapshot->flows;
	char src[RT_IP_TEXT_BYTES], rate[RT_NUMBER_BYTES], ce[RT_NUMBER_BYTES],
		cnps[RT_NUMBER_BYTES], resent[RT_NUMBER_BYTES], naks[RT_NUMBER_BYTES];
	char prio[4] = "-";
	const unsigned width = source_width(box);
	struct rt_box bar = { box.row, box.column + 47 + width,
			      box.width - 47 - width };

	if (flow->prio_known)
		snprintf(prio, sizeof(prio), "%u", flow->prio & 7u);
	rt_number_rate(per_s(flow->bytes * 8, flows), &draw->ui->units, 5, rate);
	rt_number_scaled(per_s(flow->ce, flows), false, 5, ce);
	rt_number_scaled(per_s(flow->cnps, flows), false, 5, cnps);
	rt_number_rate(per_s(flow->resent_bytes * 8, flows), &draw->ui->units, 5,
		       resent);
	rt_number_scaled(per_s(flow->naks, flows), false, 5, naks);
	rt_canvas_printf(draw->canvas, box, RT_STYLE_PLAIN,
			 "  %-*.*s 0x%-6" PRIx32 " %4s %5s %5s %6s %5s %5s", (int)width,
			 (int)width, rt_ip_format(&flow->src, src), flow->qp, prio, ce,
			 cnps, resent, naks, rate);
	rt_draw_bar(draw->canvas, bar, RT_STYLE_RX,
		    most_bytes > 0 ? (double)flow->bytes / most_bytes : 0);
}

static void draw_senders(const struct rt_draw *draw, const struct rt_watch_fan *fan,
			 struct rt_box box, unsigned rows)
{
	const struct rt_watch_flows *flows = draw->data->snapshot->flows;
	char dst[RT_IP_TEXT_BYTES];
	double most = 0;
	unsigned used = 2;

	rt_canvas_printf(draw->canvas, box, RT_STYLE_STRONG, "senders to %s %s",
			 rt_ip_format(&fan->dst, dst),
			 port_of(draw->data->snapshot, &fan->dst));
	box.row++;
	rt_canvas_printf(draw->canvas, box, RT_STYLE_HEADER,
			 "  %-*s %-8s %4s %5s %5s %6s %5s %5s", (int)source_width(box),
			 "sender", "to QP", "prio", "CE/s", "CNP/s", "resent", "NAK/s",
			 draw->ui->units.bytes ? "B/s" : "b/s");
	for (size_t i = 0; i < flows->count && used < rows; i++) {
		const struct rt_watch_flow *flow = &flows->items[i];

		if (memcmp(&flow->dst, &fan->dst, sizeof(fan->dst)) != 0)
			continue;
		if (most == 0)
			most = (double)flow->bytes;
		box.row++;
		used++;
		draw_flow(draw, flow, most, box);
	}
}

void rt_draw_fans(const struct rt_draw *draw, struct rt_box body, unsigned rows)
{
	const struct rt_watch_flows *flows = draw->data->snapshot->flows;
	const struct rt_dash_ui *ui = draw->ui;
	const unsigned top = ui->top[ui->screen], shown = rt_dash_list_rows(ui);
	struct rt_box box = body;

	if (!flows->known) {
		rt_canvas_put(draw->canvas, box, RT_STYLE_UNSURE,
			      "No flows are known: nothing captures here "
			      "(rocetune top --capture INTERFACE).");
		return;
	}
	draw_where(draw, box);
	box.row++;
	rt_canvas_printf(draw->canvas, box, RT_STYLE_HEADER,
			 "  %-26s %-16s %7s %5s %6s %6s %5s", "receiver", "port",
			 "senders", "flows", ui->units.bytes ? "B/s" : "b/s", "CE/s",
			 "fair");
	for (unsigned i = 0; i < shown && top + i < ui->line_count; i++) {
		box.row++;
		draw_fan(draw, &flows->fans[ui->lines[top + i]], box);
		if (top + i == ui->cursor)
			rt_canvas_mark(draw->canvas, box, RT_STYLE_CURSOR);
	}
	box.row = body.row + 3 + shown;
	if (ui->cursor < ui->line_count && rows > shown + 3)
		draw_senders(draw, &flows->fans[ui->lines[ui->cursor]], box,
			     rows - shown - 3);
}
