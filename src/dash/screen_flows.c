/* SPDX-License-Identifier: BSD-2-Clause */
/* screen_flows.c - receivers, and the senders of the one under the cursor as bars. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dash/glyphs.h"
#include "dash/screens.h"

static double per_s(uint64_t count, const struct rt_watch_flows *flows)
{
	return rt_number_or_nan(rt_watch_per_s(flows, count));
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
			 "captured at %s in %s: %s%" PRIu64
			 " flows, %s frames, %" PRIu64 " missed",
			 flows->where, window, flows->unfollowed ? "more than " : "",
			 flows->total, frames, flows->dropped);
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

/* All flows of one sender to one receiver. */
struct sender {
	struct rt_watch_flow sum; /* prio: of all of them, else unknown */
	unsigned flows;
};

/* They have room for those of all flows of a window. */
static size_t gather_senders(const struct rt_watch_flows *flows,
			     const struct rt_watch_fan *fan, struct sender *senders)
{
	size_t count = 0, at;

	for (size_t i = 0; i < flows->count && i < RT_WATCH_MAX_FLOWS; i++) {
		const struct rt_watch_flow *flow = &flows->items[i];

		if (memcmp(&flow->dst, &fan->dst, sizeof(fan->dst)) != 0)
			continue;
		for (at = 0; at < count; at++)
			if (memcmp(&senders[at].sum.src, &flow->src,
				   sizeof(flow->src)) == 0)
				break;
		if (at == count) {
			senders[count++] = (struct sender){ *flow, 1 };
			continue;
		}
		senders[at].flows++;
		senders[at].sum.bytes += flow->bytes;
		senders[at].sum.ce += flow->ce;
		senders[at].sum.cnps += flow->cnps;
		senders[at].sum.resent_bytes += flow->resent_bytes;
		senders[at].sum.naks += flow->naks;
		if (!flow->prio.known || senders[at].sum.prio.value != flow->prio.value)
			senders[at].sum.prio.known = false;
	}
	return count;
}

static int by_bytes(const void *a, const void *b)
{
	const struct sender *one = a, *other = b;

	if (one->sum.bytes != other->sum.bytes)
		return one->sum.bytes < other->sum.bytes ? 1 : -1;
	return memcmp(&one->sum.src, &other->sum.src, sizeof(one->sum.src));
}

/* Of addresses: all of those of IPv6 where the bars have room besides. */
static unsigned source_width(struct rt_box box)
{
	const unsigned wanted = box.width / 3 - 8;

	return wanted < 18 ? 18 : wanted > 39 ? 39 : wanted;
}

static void draw_sender(const struct rt_draw *draw, const struct sender *sender,
			double most_bytes, struct rt_box box)
{
	const struct rt_watch_flows *flows = draw->data->snapshot->flows;
	const struct rt_watch_flow *sum = &sender->sum;
	char src[RT_IP_TEXT_BYTES], rate[RT_NUMBER_BYTES], ce[RT_NUMBER_BYTES],
		cnps[RT_NUMBER_BYTES], resent[RT_NUMBER_BYTES], naks[RT_NUMBER_BYTES];
	const unsigned width = source_width(box);
	struct rt_box bar = { box.row, box.column + 47 + width,
			      box.width - 47 - width };
	char prio[4] = "-", qp[16];

	if (sum->prio.known)
		snprintf(prio, sizeof(prio), "%u", (unsigned)sum->prio.value & 7u);
	snprintf(qp, sizeof(qp), sender->flows > 1 ? "%u QPs" : "0x%x",
		 sender->flows > 1 ? sender->flows : sum->qp & 0xffffffu);
	rt_number_rate(per_s(sum->bytes * 8, flows), &draw->ui->units, 5, rate);
	rt_number_scaled(per_s(sum->ce, flows), false, 5, ce);
	rt_number_scaled(per_s(sum->cnps, flows), false, 5, cnps);
	rt_number_rate(per_s(sum->resent_bytes * 8, flows), &draw->ui->units, 5,
		       resent);
	rt_number_scaled(per_s(sum->naks, flows), false, 5, naks);
	rt_canvas_printf(draw->canvas, box, RT_STYLE_PLAIN,
			 "  %-*.*s %-8s %4s %5s %5s %6s %5s %5s", (int)width,
			 (int)width, rt_ip_format(&sum->src, src), qp, prio, ce, cnps,
			 resent, naks, rate);
	rt_draw_bar(draw->canvas, bar, RT_STYLE_RX,
		    most_bytes > 0 ? (double)sum->bytes / most_bytes : 0);
}

/* Whose senders these are; and of which of its flows, as a window keeps the largest. */
static void draw_whose(const struct rt_draw *draw, const struct rt_watch_fan *fan,
		       const struct sender *senders, size_t count, struct rt_box box)
{
	const char *port = port_of(draw->data->snapshot, &fan->dst);
	char dst[RT_IP_TEXT_BYTES], of[64] = "";
	unsigned flows = 0;

	for (size_t i = 0; i < count; i++)
		flows += senders[i].flows;
	if (flows < fan->flows)
		snprintf(of, sizeof(of), ", of its largest %u flows of %" PRIu32, flows,
			 fan->flows);
	rt_canvas_printf(draw->canvas, box, RT_STYLE_STRONG, "senders to %s%s%s%s",
			 rt_ip_format(&fan->dst, dst), *port ? " " : "", port, of);
}

static void draw_senders(const struct rt_draw *draw, const struct rt_watch_fan *fan,
			 struct rt_box box, unsigned rows)
{
	struct sender senders[RT_WATCH_MAX_FLOWS];
	const size_t count = gather_senders(draw->data->snapshot->flows, fan, senders);
	const size_t room = rows > 2 ? rows - 2 : 0;
	size_t shown = count < room ? count : room;

	qsort(senders, count, sizeof(*senders), by_bytes);
	if (shown && shown == room && fan->senders > shown)
		shown--;
	draw_whose(draw, fan, senders, count, box);
	box.row++;
	rt_canvas_printf(draw->canvas, box, RT_STYLE_HEADER,
			 "  %-*s %-8s %4s %5s %5s %6s %5s %5s", (int)source_width(box),
			 "sender", "QP", "prio", "CE/s", "CNP/s", "resent", "NAK/s",
			 draw->ui->units.bytes ? "B/s" : "b/s");
	for (size_t i = 0; i < shown; i++) {
		box.row++;
		draw_sender(draw, &senders[i], (double)senders[0].sum.bytes, box);
	}
	box.row++;
	if (fan->senders > shown)
		rt_canvas_printf(draw->canvas, box, RT_STYLE_DIM, "  and %zu more",
				 fan->senders - shown);
}

void rt_draw_fans(const struct rt_draw *draw, struct rt_box body, unsigned rows)
{
	const struct rt_watch_flows *flows = draw->data->snapshot->flows;
	const struct rt_dash_ui *ui = draw->ui;
	const unsigned top = ui->top[ui->screen], shown = rt_dash_list_rows(ui);
	struct rt_box box = body;

	if (!flows->known) {
		rt_canvas_printf(draw->canvas, box, RT_STYLE_UNSURE,
				 "No flows are known: %s",
				 *flows->where ? flows->where
					       : "nothing captures here (rocetune top "
						 "--capture INTERFACE).");
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
