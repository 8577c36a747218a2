/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * columns.c - COLUMNS and SCREENS: what each screen shows of a port.
 *
 * At 80 columns all of a screen fits; what more there is goes to histories first, and
 * then to the finding in words.
 */
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "base/own.h"
#include "dash/table.h"

#define FIGURE(member)       .figure = offsetof(struct rt_watch_figures, member)
#define TITLE(first, second) .title = { (first), (second) }
#define HISTORY(id, style_)  .history = RT_COLUMN_##id, .style = RT_STYLE_##style_
#define COUNTER(id)          .counter = RT_COUNTER_##id

static double weigh_verdict(const struct rt_watch_view *view)
{
	return RT_VERDICT_COUNT - (double)view->verdict;
}

static double weigh_speed(const struct rt_watch_view *view)
{
	const struct rt_opt_u64 speed_bps = view->port->speed_bps;

	return speed_bps.known ? (double)speed_bps.value : (double)NAN;
}

#define PORT                                                              \
	{                                                                 \
		TITLE("", "port"), .least = 12, .most = 18, .left = true, \
				   .draw = rt_draw_port_name              \
	}
#define VERDICT                                                                 \
	{                                                                       \
		TITLE("", "verdict"), .sort = "verdict", .least = 7, .most = 7, \
				      .left = true, .draw = rt_draw_verdict,    \
				      .weight = weigh_verdict                   \
	}

/* --- 1: ports --------------------------------------------------------------------------- */

static const struct rt_column overview[] = {
	PORT,
	VERDICT,
	{ TITLE("", "rate"), .sort = "rate", .least = 4, .most = 4,
	  .draw = rt_draw_speed, .weight = weigh_speed },
	{ TITLE("rx", NULL), .sort = "rx", .least = 7, .most = 13, .left = true,
	  .kind = RT_COLUMN_RATE, FIGURE(rx_bps), HISTORY(RX_BPS, RX) },
	{ TITLE("tx", NULL), .sort = "tx", .least = 7, .most = 13, .left = true,
	  .kind = RT_COLUMN_RATE, FIGURE(tx_bps), HISTORY(TX_BPS, TX) },
	{ TITLE("paused ", "by peer "), .sort = "paused by peer (rx)", .least = 6,
	  .most = 10, .kind = RT_COLUMN_PERCENT, FIGURE(paused_pct),
	  HISTORY(PAUSED_PCT, HEAT_2) },
	{ TITLE("pausing", "peer"), .sort = "pausing peer (tx)", .least = 6, .most = 10,
	  .kind = RT_COLUMN_PERCENT, FIGURE(pausing_pct),
	  HISTORY(PAUSING_PCT, HEAT_2) },
	{ TITLE("CE", "/s"), .sort = "CE-marked", .least = 4, .most = 6,
	  .kind = RT_COLUMN_EVENTS, FIGURE(ce_ps), .history = RT_NO_HISTORY },
	{ "CNP/s", TITLE(NULL, "np"), .sort = "CNPs sent (np)", .least = 4, .most = 6,
	  .kind = RT_COLUMN_EVENTS, FIGURE(cnp_tx_ps), .history = RT_NO_HISTORY },
	{ "CNP/s", TITLE(NULL, "rp"), .sort = "CNPs handled (rp)", .least = 4,
	  .most = 6, .kind = RT_COLUMN_EVENTS, FIGURE(cnp_rx_ps),
	  .history = RT_NO_HISTORY },
	{ TITLE("loss", "ev/s"), .sort = "loss events", .least = 4, .most = 6,
	  .kind = RT_COLUMN_TROUBLE, FIGURE(loss_events_ps), .history = RT_NO_HISTORY },
	{ TITLE("disc", "/s"), .sort = "discards", .least = 4, .most = 6,
	  .kind = RT_COLUMN_TROUBLE, FIGURE(discards_ps), .history = RT_NO_HISTORY },
	{ TITLE("", "worst finding"), .least = 0, .most = 60, .left = true,
	  .draw = rt_draw_worst },
};

/* --- 2: pauses -------------------------------------------------------------------------- */

#define HEAT(group_, prio_, member_)                                            \
	{                                                                       \
		(group_), TITLE(NULL, "p" #prio_),                              \
			.least = 3, .most = 5, .kind = RT_COLUMN_HEAT,          \
			FIGURE(prios[prio_].member_), .history = RT_NO_HISTORY, \
			.style = (prio_)                                        \
	}
#define HEATS(group_, member_)                                                        \
	HEAT(group_, 0, member_), HEAT(group_, 1, member_), HEAT(group_, 2, member_), \
		HEAT(group_, 3, member_), HEAT(group_, 4, member_),                   \
		HEAT(group_, 5, member_), HEAT(group_, 6, member_),                   \
		HEAT(group_, 7, member_)

static const struct rt_column pauses[] = {
	PORT,
	HEATS("paused by peer (rx), % of time", paused_pct),
	{ TITLE("", ""), .least = 1, .most = 3, .draw = rt_draw_gap },
	HEATS("pausing peer (tx), % of time", pausing_pct),
};

/* Sorted by the worst of the priorities, which the overview's columns know. */
static const struct rt_column pause_sorts[] = {
	{ .sort = "paused by peer (rx)", FIGURE(paused_pct) },
	{ .sort = "pausing peer (tx)", FIGURE(pausing_pct) },
	{ .sort = "verdict", .weight = weigh_verdict },
};

/* --- 3: ECN and CNP --------------------------------------------------------------------- */

static const struct rt_column notification[] = {
	PORT,
	VERDICT,
	{ TITLE("rx", NULL), .sort = "rx", .least = 4, .most = 6,
	  .kind = RT_COLUMN_RATE, FIGURE(rx_bps), .history = RT_NO_HISTORY },
	{ "marks/s", TITLE(NULL, "CE came in"), .sort = "CE-marked", .least = 10,
	  .most = 22, .left = true, .kind = RT_COLUMN_EVENTS, FIGURE(ce_ps),
	  HISTORY(CE_PS, RX) },
	{ "marks/s", TITLE(NULL, "made"), .sort = "marked by this port", .least = 4,
	  .most = 6, .kind = RT_COLUMN_EVENTS, FIGURE(marks_ps),
	  .history = RT_NO_HISTORY },
	{ "CNP/s", TITLE(NULL, "np: sent"), .sort = "CNPs sent (np)", .least = 9,
	  .most = 22, .left = true, .kind = RT_COLUMN_EVENTS, FIGURE(cnp_tx_ps),
	  HISTORY(CNP_TX_PS, TX) },
	{ TITLE("pace", "used"), .sort = "CNPs against what pacing allows", .least = 4,
	  .most = 5, .kind = RT_COLUMN_PERCENT, FIGURE(cnp_most_pct),
	  .history = RT_NO_HISTORY },
	{ TITLE("slow", "rst."), .sort = "CNPs of slow restart", .least = 4, .most = 6,
	  .kind = RT_COLUMN_EVENTS, FIGURE(slow_restart_cnps_ps),
	  .history = RT_NO_HISTORY },
	{ "CNP/s ", TITLE(NULL, "rp: handled"), .sort = "CNPs handled (rp)",
	  .least = 11, .most = 22, .left = true, .kind = RT_COLUMN_EVENTS,
	  FIGURE(cnp_rx_ps), HISTORY(CNP_RX_PS, RX) },
	{ "CNP/s ", TITLE(NULL, "ign."), .sort = "CNPs ignored", .least = 4, .most = 6,
	  .kind = RT_COLUMN_TROUBLE, .figure = RT_NO_FIGURE, .history = RT_NO_HISTORY,
	  COUNTER(CNP_IGNORED) },
};

/* --- 4: errors -------------------------------------------------------------------------- */

#define TROUBLE(group_, title_, sort_, member_)                                        \
	{                                                                              \
		(group_), TITLE(NULL, title_), .sort = (sort_), .least = 4, .most = 7, \
					       .kind = RT_COLUMN_TROUBLE,              \
					       FIGURE(member_),                        \
					       .history = RT_NO_HISTORY                \
	}

static const struct rt_column errors[] = {
	PORT,
	TROUBLE("retransmission, /s", "died", "queue pairs that gave up",
		retry_exceeded_ps),
	TROUBLE("retransmission, /s", "ooo", "out of order", out_of_order_ps),
	TROUBLE("retransmission, /s", "NAK", "NAKs", naks_ps),
	TROUBLE("retransmission, /s", "tmo", "time-outs", timeouts_ps),
	TROUBLE("retransmission, /s", "RNR", "receiver not ready", rnr_ps),
	TROUBLE("discards, /s", "all", "discards", discards_ps),
	TROUBLE("discards, /s", "PFC", "discards on lossless priorities",
		lossless_discards_ps),
	TROUBLE("discards, /s", "buf", "no receive buffer", out_of_buffer_ps),
	TROUBLE("link, /s", "CRC", "CRC errors", crc_errors_ps),
	TROUBLE("link, /s", "symb", "symbol errors", symbol_errors_ps),
	TROUBLE("link, /s", "FEC", "FEC uncorrectable", fec_uncorrectable_ps),
	TROUBLE("link, /s", "down", "link downs", link_downs_ps),
	TROUBLE("PCIe", "wait", "PCIe stalls", pcie_stalls_ps),
};

/* --- screens ---------------------------------------------------------------------------- */

static const char *const fan_sorts[] = { "senders", "least fair first", "CE-marked",
					 NULL };
static const char *const event_sorts[] = { "severity", NULL };

#define COLUMNS(table) .columns = (table), .column_count = RT_ARRAY_SIZE(table)

const struct rt_screen rt_screens[RT_DASH_SCREENS] = {
	{ "Ports", "each port: rates, pauses, notifications, loss, and what is wrong",
	  RT_LINES_PORTS, COLUMNS(overview), .draw = rt_draw_ports },
	{ "Pauses", "who is stopped: each port and priority, both directions",
	  RT_LINES_PORTS, COLUMNS(pauses), .draw = rt_draw_ports,
	  .sort_columns = pause_sorts, .sort_count = RT_ARRAY_SIZE(pause_sorts) },
	{ "ECN/CNP", "marks that came in, notifications sent and handled",
	  RT_LINES_PORTS, COLUMNS(notification), .draw = rt_draw_ports },
	{ "Errors", "retransmission, discards, the link and the host", RT_LINES_PORTS,
	  COLUMNS(errors), .draw = rt_draw_ports },
	{ "Flows", "who sends to one receiver, and how evenly", RT_LINES_FANS,
	  .draw = rt_draw_fans, .sorts = fan_sorts },
	{ "Events", "what began, ended, came and went", RT_LINES_EVENTS,
	  .draw = rt_draw_events, .sorts = event_sorts },
};

/* --- sorting ---------------------------------------------------------------------------- */

static const struct rt_column *sort_columns(const struct rt_screen *screen,
					    size_t *ret_count)
{
	*ret_count = screen->sort_columns ? screen->sort_count : screen->column_count;
	return screen->sort_columns ? screen->sort_columns : screen->columns;
}

const struct rt_column *rt_screen_sort_column(unsigned screen, unsigned sort)
{
	size_t count;
	const struct rt_column *columns = sort_columns(&rt_screens[screen], &count);

	for (size_t i = 0; sort && i < count; i++)
		if (columns[i].sort && --sort == 0)
			return &columns[i];
	return NULL;
}

const char *rt_screen_sort_name(unsigned screen, unsigned sort)
{
	const struct rt_screen *row = &rt_screens[screen];
	const struct rt_column *column = rt_screen_sort_column(screen, sort);

	if (sort == 0)
		return row->lines == RT_LINES_PORTS  ? "port"
		       : row->lines == RT_LINES_FANS ? "bytes"
						     : "time";
	return row->sorts ? row->sorts[sort - 1] : column ? column->sort : NULL;
}

unsigned rt_screen_sort_count(unsigned screen)
{
	const struct rt_screen *row = &rt_screens[screen];
	unsigned count = 1;

	while (row->sorts ? row->sorts[count - 1] != NULL
			  : rt_screen_sort_column(screen, count) != NULL)
		count++;
	return count;
}
