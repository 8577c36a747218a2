/* SPDX-License-Identifier: BSD-2-Clause */
/* top_batch.c - ticks as text, JSON or CSV, and what came of them all. */
#include "cmd/top_batch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/own.h"
#include "base/text.h"
#include "base/when.h"
#include "cmd/cmd.h"
#include "cmd/stop.h"
#include "dash/number.h"
#include "report/report.h"
#include "rocetune/err.h"
#include "run/watch.h"
#include "run/watch_table.h"

#define LINE_COLUMNS 80u
#define NAME_COLUMNS 14u
#define FLOWS_SHOWN  5u /* and receivers of several; unless --all */

/* What was found in all ticks: each rule at each place once, as it was last. */
struct sum {
	struct rt_findings findings;
	struct times {
		uint64_t ticks, newest; /* it was there; the number of the last one */
	} * times;                      /* owned: of each finding */
	size_t capacity;
	size_t last; /* place behind the one found last */
};

struct top {
	struct rt_cmd *cmd;
	struct rt_table *columns; /* owned; NULL: no CSV */
	struct sum sum;
	uint64_t ticks;
	struct rt_err err;
	struct rt_err told; /* CSV: why there were no rows */
};

/* --- text ---------------------------------------------------------------------------------------- */

/* A column of the text: a figure, and how it is written in so few characters. */
struct column {
	const char *over; /* above it and span - 1 more; NULL: told before */
	unsigned span;
	const char *title;
	unsigned width;
	size_t offset; /* in the figures */
	enum {
		GBPS,
		PCT,
		PER_S,
	} as;
};

#define FIGURE(member) offsetof(struct rt_watch_figures, member)

/* Pause % by the peer: it stops this port; of the peer: this port stops it. */
static const struct column columns[] = {
	{ "Gb/s", 2, "rx", 6, FIGURE(rx_bps), GBPS },
	{ NULL, 0, "tx", 6, FIGURE(tx_bps), GBPS },
	{ "pause %", 2, "by", 4, FIGURE(paused_pct), PCT },
	{ NULL, 0, "of", 4, FIGURE(pausing_pct), PCT },
	{ "CE", 1, "/s", 4, FIGURE(ce_ps), PER_S },
	{ "CNP/s", 2, "np", 4, FIGURE(cnp_tx_ps), PER_S },
	{ NULL, 0, "rp", 4, FIGURE(cnp_rx_ps), PER_S },
	{ "loss", 1, "/s", 4, FIGURE(loss_events_ps), PER_S },
	{ "disc", 1, "/s", 4, FIGURE(discards_ps), PER_S },
};

/* What is more than nothing is never written as 0, so it is less than the least there is. */
static void put_number(char *text, size_t bytes, double value, int decimals)
{
	static const char *const least[] = { "<1", "<.1", "<.01", "<.001", "<.0001" };

	snprintf(text, bytes, "%.*f", decimals, value);
	if (value > 0 && strspn(text, "0.") == strlen(text))
		snprintf(text, bytes, "%s", least[decimals]);
}

/* In six characters to three digits at least, as far down as 10 Mb/s. */
static void put_gbps(char *text, size_t bytes, double gbps)
{
	put_number(text, bytes, gbps,
		   gbps >= 99.995             ? 1
		   : gbps > 0 && gbps < 0.995 ? 4
					      : 2);
}

static void put_figure(char *text, size_t bytes, const struct column *column,
		       const struct rt_watch_figures *figures)
{
	const struct rt_opt_f64 *at = (const void *)((const char *)figures +
						     column->offset);
	char scaled[RT_NUMBER_BYTES];

	if (!at->known)
		snprintf(text, bytes, "-");
	else if (column->as == GBPS)
		put_gbps(text, bytes, at->value / 1e9);
	else if (column->as == PCT)
		put_number(text, bytes, at->value, at->value > 0 && at->value <= 99.95);
	else
		snprintf(text, bytes, "%s",
			 rt_number_scaled(at->value, false, column->width, scaled));
}

static unsigned name_width(const struct rt_watched *watched)
{
	size_t width = 4;

	for (size_t i = 0; i < watched->port_count; i++) {
		const size_t length = strlen(watched->ports[i].name);

		width = length > width ? length : width;
	}
	return width < NAME_COLUMNS ? (unsigned)width : NAME_COLUMNS;
}

/* In the middle of the columns that it stands for. */
static void put_over(struct rt_line *text, const struct column *column)
{
	const unsigned length = (unsigned)strlen(column->over);
	unsigned width = column->span - 1, left;

	for (unsigned i = 0; i < column->span; i++)
		width += column[i].width;
	left = (width - length + 1) / 2;
	rt_line_put(text, " %*s%s%*s", (int)left, "", column->over,
		    (int)(width - length - left), "");
}

static void put_header(struct rt_cmd *cmd, unsigned width)
{
	char line[LINE_COLUMNS + 1];
	struct rt_line over = { line, sizeof(line), 0 }, text = over;

	rt_line_put(&over, "%-*s %-4s", (int)width, "", "");
	for (size_t i = 0; i < RT_ARRAY_SIZE(columns); i++)
		if (columns[i].over)
			put_over(&over, &columns[i]);
	rt_cmd_line(cmd, "%s", line);
	rt_line_put(&text, "%-*s %-4s", (int)width, "port", "link");
	for (size_t i = 0; i < RT_ARRAY_SIZE(columns); i++)
		rt_line_put(&text, " %*s", (int)columns[i].width, columns[i].title);
	rt_line_put(&text, " verdict");
	rt_cmd_line(cmd, "%s", line);
}

static void put_port(struct rt_cmd *cmd, const struct rt_watched_port *port,
		     unsigned width)
{
	char line[LINE_COLUMNS + 1], figure[24];
	struct rt_line text = { line, sizeof(line), 0 };

	rt_line_put(&text, "%-*.*s %-4.4s", (int)width, (int)width, port->name,
		    port->link);
	for (size_t i = 0; i < RT_ARRAY_SIZE(columns); i++) {
		put_figure(figure, sizeof(figure), &columns[i], &port->figures);
		rt_line_put(&text, " %*s", (int)columns[i].width, figure);
	}
	rt_line_put(&text, " %s", port->judged);
	rt_cmd_line(cmd, "%s", line);
}

/* Gb/s of so many bytes in a window. */
static const char *write_gbps(const struct rt_watch_flows *flows, uint64_t bytes,
			      char text[32])
{
	const struct rt_opt_f64 per_s = rt_watch_per_s(flows, bytes);

	if (per_s.known)
		put_gbps(text, 32, per_s.value * 8 / 1e9);
	else
		strcpy(text, "-");
	return text;
}

/* Those who send to one, as far as there are several. */
static void put_fan(struct rt_cmd *cmd, const struct rt_watch_flows *flows,
		    const struct rt_watch_fan *fan)
{
	char to[RT_IP_TEXT_BYTES], rate[32], jain[24] = "";

	if (fan->jain.known)
		snprintf(jain, sizeof(jain), ", Jain %.3f", fan->jain.value);
	rt_cmd_line(cmd, "to %s from %" PRIu32 ": %s Gb/s%s",
		    rt_ip_format(&fan->dst, to), fan->senders,
		    write_gbps(flows, fan->bytes, rate), jain);
}

static void put_flow(struct rt_cmd *cmd, const struct rt_watch_flows *flows,
		     const struct rt_watch_flow *flow)
{
	char from[RT_IP_TEXT_BYTES], to[RT_IP_TEXT_BYTES], rate[32], ce[24] = "-";

	if (flow->frames)
		put_number(ce, sizeof(ce),
			   100.0 * (double)flow->ce / (double)flow->frames, 1);
	rt_cmd_line(cmd, "%s to %s qp %" PRIu32 ": %s Gb/s, CE %s %%, %" PRIu64 " CNPs",
		    rt_ip_format(&flow->src, from), rt_ip_format(&flow->dst, to),
		    flow->qp, write_gbps(flows, flow->bytes, rate), ce, flow->cnps);
}

static void put_flows(struct rt_cmd *cmd, const struct rt_watch_flows *flows)
{
	size_t left = cmd->common.all ? SIZE_MAX : FLOWS_SHOWN;
	const size_t most = left;

	if (!flows->known && *flows->where)
		rt_cmd_line(cmd, "no flows are known: %s", flows->where);
	if (!flows->known)
		return;
	rt_cmd_line(cmd, "%s: %s%" PRIu64 " flows, %" PRIu64 " frames%s", flows->where,
		    flows->unfollowed ? "more than " : "", flows->total, flows->frames,
		    flows->dropped ? ", and some that were lost" : "");
	for (size_t i = 0; i < flows->fan_count && left; i++)
		if (flows->fans[i].senders > 1) {
			put_fan(cmd, flows, &flows->fans[i]);
			left--;
		}
	for (size_t i = 0; i < flows->count && i < most; i++)
		put_flow(cmd, flows, &flows->items[i]);
}

static void put_text(const struct top *top, const struct rt_watched *watched)
{
	struct rt_cmd *cmd = top->cmd;
	const unsigned width = name_width(watched);
	char when[RT_WHEN_BYTES] = "-"; /* nothing was read yet */

	if (watched->tick)
		rt_when_write(watched->wall_ns, when);
	if (!top->ticks)
		rt_cmd_line(cmd, "%s", watched->title);
	if (*watched->said) {
		rt_cmd_line(cmd, "%s %s", when, watched->said);
		return;
	}
	if (top->ticks)
		fputc('\n', cmd->out);
	rt_cmd_line(cmd, "%s", when);
	put_header(cmd, width);
	for (size_t i = 0; i < watched->port_count; i++)
		put_port(cmd, &watched->ports[i], width);
	put_flows(cmd, &watched->flows);
}

/* --- all ticks --------------------------------------------------------------------------------------- */

static bool same_finding(const struct rt_finding *a, const struct rt_finding *b)
{
	return a->severity == b->severity && strcmp(a->id, b->id) == 0 &&
	       strcmp(a->where, b->where) == 0;
}

/* They come in much the same order in every tick: it is looked for from the last on. */
static struct rt_finding *find_finding(struct sum *sum, const struct rt_finding *like)
{
	const size_t count = sum->findings.count;

	for (size_t i = 0; i < count; i++) {
		const size_t at = (sum->last + i) % count;

		if (same_finding(&sum->findings.items[at], like)) {
			sum->last = at + 1;
			return &sum->findings.items[at];
		}
	}
	return NULL;
}

static int add_finding(struct sum *sum, const struct rt_finding *finding, uint64_t tick)
{
	struct rt_findings one = { .count = 1 };
	struct rt_finding copy = *finding, *known = find_finding(sum, finding);
	const size_t count = sum->findings.count;
	struct times *times;

	if (known) {
		*known = *finding;
		times = &sum->times[known - sum->findings.items];
		times->ticks++;
		times->newest = tick;
		return 0;
	}
	times = rt_grow(sum->times, count, &sum->capacity, sizeof(*times));
	if (!times)
		return -ENOMEM;
	sum->times = times;
	times[count] = (struct times){ 1, tick };
	one.items = &copy;
	return rt_findings_append(&sum->findings, &one);
}

/* Rates that only had not begun: they have, and what they say is what counts. */
static void forget_begun(struct sum *sum, uint64_t newest)
{
	struct rt_findings *findings = &sum->findings;
	size_t kept = 0;

	for (size_t i = 0; i < findings->count; i++) {
		if (rt_run_watch_is_beginning(&findings->items[i]) &&
		    sum->times[i].newest != newest)
			continue;
		findings->items[kept] = findings->items[i];
		sum->times[kept++] = sum->times[i];
	}
	findings->count = kept;
}

/* "in 3 of 10: " before the evidence of the last time. */
static void put_summary(struct top *top)
{
	struct rt_findings *findings = &top->sum.findings;

	for (size_t i = 0; i < findings->count; i++) {
		char *evidence = findings->items[i].evidence;
		char was[sizeof(findings->items[i].evidence)];

		memcpy(was, evidence, sizeof(was));
		snprintf(evidence, sizeof(was),
			 "in %" PRIu64 " of %" PRIu64 " intervals%s%.270s",
			 top->sum.times[i].ticks, top->ticks, *was ? "; last: " : "",
			 was);
	}
	rt_findings_sort(findings);
	rt_cmd_show_judged(top->cmd, findings);
}

/* --- ticks ---------------------------------------------------------------------------------------------- */

/* Rows cannot say why there are none; once as long as that stays the same. */
static void tell_missing(struct top *top, const char *why)
{
	if (!*why || strcmp(why, top->told.msg) == 0)
		return;
	rt_err_set(&top->told, -EIO, "%s", why);
	rt_cmd_say(top->cmd, &top->told);
}

static void put_rows(struct top *top, const struct rt_watched *watched)
{
	struct rt_watched_row row;

	tell_missing(top, watched->said);
	if (!top->ticks)
		rt_report_csv_header(top->cmd->out, top->columns);
	for (size_t i = 0; i < watched->port_count; i++) {
		rt_watched_row(watched, i, &row);
		rt_report_csv_rows(top->cmd->out, top->columns, &row, 1);
	}
}

static int show(void *context, const struct rt_watched *watched)
{
	struct top *top = context;
	FILE *out = top->cmd->out;
	int r = 0;

	errno = 0; /* what fails first stays in it */
	if (top->cmd->common.json)
		r = rt_report_json_line(out, &rt_watched_table, watched, &top->err);
	else if (top->columns)
		put_rows(top, watched);
	else
		put_text(top, watched);
	for (size_t i = 0; i < watched->findings.count && r == 0; i++)
		r = add_finding(&top->sum, &watched->findings.items[i], top->ticks);
	top->ticks++;
	if (r == 0 && (fflush(out) != 0 || ferror(out)))
		r = errno ? -errno : -EIO;
	return r;
}

static bool nobody_reads(void)
{
	struct pollfd out = { .fd = STDOUT_FILENO };

	return poll(&out, 1, 0) > 0 && out.revents & (POLLERR | POLLHUP);
}

/* What is left to say is nobody's any more, and fails no more. */
static void write_nowhere(struct rt_cmd *cmd)
{
	const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (nowhere < 0)
		return;
	dup2(nowhere, STDOUT_FILENO);
	close(nowhere);
	clearerr(cmd->out);
}

int rt_top_batch_fail(struct rt_cmd *cmd, const struct rt_err *err)
{
	struct rt_json *object;

	if (cmd->common.json) {
		object = rt_cmd_error_json(NULL, err);
		rt_json_write_line(object, cmd->out, NULL);
		rt_json_free(object);
	}
	return rt_cmd_say(cmd, err);
}

static int watch_all(struct top *top, struct rt_watch *watch,
		     const struct rt_top_batch *batch)
{
	struct rt_cmd *cmd = top->cmd;
	const struct rt_watch_batch loop = {
		.intervals = batch->intervals,
		.speed = batch->speed,
		.with_counters = cmd->common.all,
		.stop_fd = rt_cmd_open_stop(),
		.out_fd = STDOUT_FILENO,
		.show = show,
		.context = top,
	};
	int r = rt_run_watch_batch(watch, &loop, &top->err);

	if (loop.stop_fd >= 0)
		close(loop.stop_fd);
	if (r == -EPIPE || (r == 0 && nobody_reads())) {
		write_nowhere(cmd); /* nothing is wrong with that */
		r = 0;
	} else if (r < 0 && ferror(cmd->out)) {
		write_nowhere(cmd);
	}
	if (r < 0 && !*top->err.msg)
		rt_err_sys(&top->err, r, "cannot write the output");
	forget_begun(&top->sum, top->ticks - 1);
	if (!cmd->common.json && !batch->csv && top->sum.findings.count)
		put_summary(top);
	if (r < 0 && strcmp(top->err.msg, top->told.msg) == 0)
		return RT_EXIT_FAILED;
	return r < 0 ? rt_top_batch_fail(cmd, &top->err)
		     : rt_cmd_verdict(cmd, &top->sum.findings);
}

int rt_top_batch(struct rt_cmd *cmd, struct rt_watch *watch,
		 const struct rt_top_batch *batch)
{
	struct top top = { .cmd = cmd };
	int code;

	if (batch->csv) {
		top.columns = rt_watched_columns();
		if (!top.columns) {
			rt_err_sys(&top.err, -ENOMEM, "cannot write CSV");
			return rt_top_batch_fail(cmd, &top.err);
		}
	}
	signal(SIGPIPE, SIG_IGN); /* that is told by writing, too */
	code = watch_all(&top, watch, batch);
	rt_findings_free(&top.sum.findings);
	free(top.sum.times);
	free(top.columns);
	return code;
}
