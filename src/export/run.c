/* SPDX-License-Identifier: BSD-2-Clause */
/* run.c - sample, and serve or write, until it is to end. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/privilege.h"
#include "export/export.h"
#include "export/listen.h"
#include "export/serve.h"
#include "export/textfile.h"
#include "export/totals.h"
#include "rocetune/err.h"
#include "watch/watch.h"

struct exporter {
	const struct rt_export_options *options;
	struct rt_watch *watch;
	struct rt_server *server; /* owned; NULL: a file is written */
	struct rt_totals *totals; /* owned */
	uint64_t told;            /* the last event that was */
	bool noted;               /* what the ports' notes say was told */
	bool unwritten;           /* the file, and that was told */
	bool listens;             /* at the socket, which is to go with it */
};

/* --- telling ------------------------------------------------------------------------------- */

static void tell(const struct exporter *exporter, const char *text)
{
	const struct rt_export_options *options = exporter->options;

	if (options->tell)
		options->tell(options->context, text);
}

/* What is said of a port, and of so many others. */
static void tell_of(const struct exporter *exporter, const char *port, size_t more,
		    const char *what)
{
	char text[400], others[40] = "";

	if (more)
		snprintf(others, sizeof(others), " (and %zu more)", more);
	snprintf(text, sizeof(text), "%s%s%s%s", port, others, *port ? ": " : "", what);
	tell(exporter, text);
}

/*
 * Sources that fail or are slowed; ports are in the metrics.  Which ones fail from the
 * first on is what the ports' notes say.
 */
static bool is_news(const struct exporter *exporter, const struct rt_watch_event *event)
{
	return event->number > exporter->told && event->kind == RT_EVENT_SOURCE &&
	       (rt_watch_look(exporter->watch)->ticks > 1 || !*event->port);
}

/* What befell several ports at once is said once. */
static void tell_events(struct exporter *exporter)
{
	const struct rt_watch_snapshot *snapshot = rt_watch_look(exporter->watch);
	const struct rt_watch_event *events = snapshot->events;
	const size_t count = snapshot->event_count;

	for (size_t i = 0; i < count; i++) {
		size_t before = 0, more = 0;

		if (!is_news(exporter, &events[i]))
			continue;
		for (size_t j = 0; j < count; j++)
			if (is_news(exporter, &events[j]) &&
			    strcmp(events[j].text, events[i].text) == 0) {
				before += j < i;
				more += j > i;
			}
		if (!before)
			tell_of(exporter, events[i].port, more, events[i].text);
	}
	if (count)
		exporter->told = events[count - 1].number;
}

/* What cannot be read here, once, and of how many ports: by the first sample there is. */
static void tell_notes(struct exporter *exporter)
{
	const struct rt_watch_snapshot *snapshot = rt_watch_look(exporter->watch);

	if (exporter->noted || !snapshot->ticks)
		return;
	exporter->noted = true;
	for (size_t i = 0; i < snapshot->count; i++) {
		const struct rt_watch_port *port = snapshot->views[i].port;
		size_t before = 0, more = 0;

		for (size_t j = 0; j < snapshot->count; j++)
			if (strcmp(snapshot->views[j].port->note, port->note) == 0) {
				before += j < i;
				more += j > i;
			}
		if (*port->note && !before)
			tell_of(exporter, port->name, more, port->note);
	}
}

/* --- ticks --------------------------------------------------------------------------------- */

static int write_file(const struct exporter *exporter, struct rt_err *err)
{
	char *text;
	size_t bytes;
	int r = rt_export_text(rt_watch_look(exporter->watch), exporter->totals, false,
			       &text, &bytes, err);

	if (r < 0)
		return r;
	r = rt_textfile_write(exporter->options->textfile, text, bytes, err);
	free(text);
	return r;
}

/* A full disk may have room again: it is told once, and tried again. */
static void show_file(struct exporter *exporter)
{
	struct rt_err failed = { 0 };
	const int r = write_file(exporter, &failed);

	if (r < 0 && !exporter->unwritten)
		tell(exporter, failed.msg);
	exporter->unwritten = r < 0;
}

/* -ENODATA: the source has no more. */
static int tick(struct exporter *exporter, struct rt_err *err)
{
	int r = rt_watch_tick(exporter->watch, err);

	if (r == 0 && rt_watch_look(exporter->watch)->ended)
		r = -ENODATA;
	if (r < 0)
		return r;
	tell_events(exporter);
	tell_notes(exporter);
	r = rt_totals_follow(exporter->totals, rt_watch_look(exporter->watch));
	if (r < 0)
		return rt_err_sys(err, r, "cannot follow the counters");
	if (exporter->server)
		rt_server_set(exporter->server, rt_watch_look(exporter->watch),
			      exporter->totals, rt_monotonic_ns());
	return 0;
}

/* --- the loop ------------------------------------------------------------------------------ */

static uint64_t wait_ns(const struct exporter *exporter, int64_t now_ns)
{
	uint64_t wait = rt_watch_wait_ns(exporter->watch, now_ns, 1), server;

	if (!exporter->server)
		return wait;
	server = rt_server_wait_ns(exporter->server, now_ns);
	return server < wait ? server : wait;
}

/* False: it is to end. */
static bool wait_for_more(const struct exporter *exporter, uint64_t nap_ns)
{
	struct pollfd fds[] = {
		{ .fd = exporter->options->stop_fd, .events = POLLIN },
		{ .fd = exporter->server ? rt_server_fd(exporter->server) : -1,
		  .events = POLLIN },
	};
	const struct timespec nap = { (time_t)(nap_ns / 1000000000),
				      (long)(nap_ns % 1000000000) };

	return ppoll(fds, 2, &nap, NULL) <= 0 || !fds[0].revents;
}

/*
 * Without waiting for times that are not this world's.  A sample that failed is told as
 * such, as what came before it is not the end.
 */
static int go_to_end(struct exporter *exporter, struct rt_err *err)
{
	int r = 0;

	while (r == 0 && !*rt_watch_look(exporter->watch)->said &&
	       wait_for_more(exporter, 0))
		r = tick(exporter, err);
	return r == -ENODATA ? 0 : r;
}

static int loop(struct exporter *exporter, struct rt_err *err)
{
	const bool once = exporter->options->once;
	int r = 0;

	while (r == 0 && !once &&
	       wait_for_more(exporter, wait_ns(exporter, rt_monotonic_ns()))) {
		if (exporter->server)
			rt_server_run(exporter->server, rt_monotonic_ns());
		if (rt_watch_wait_ns(exporter->watch, rt_monotonic_ns(), 1))
			continue;
		r = tick(exporter, err);
		if (r == 0 && !exporter->server)
			show_file(exporter);
	}
	return r == -ENODATA ? 0 : r;
}

/* --- beginning ----------------------------------------------------------------------------- */

int rt_export_check(const struct rt_export_options *options, struct rt_err *err)
{
	if (options->textfile && (options->listen || options->socket))
		return rt_err_set(err, -EINVAL,
				  "--textfile writes a file and serves nobody: without "
				  "--listen and --socket");
	if (options->listen && options->socket)
		return rt_err_set(err, -EINVAL, "--listen and --socket: one of them");
	if (options->textfile && options->token_file)
		return rt_err_set(err, -EINVAL,
				  "--token-file is of HTTP, and not of --textfile");
	if (options->once && !options->textfile)
		return rt_err_set(err, -EINVAL,
				  "--once writes one file: it wants --textfile PATH");
	if (options->listen)
		return rt_listen_check(options->listen, err);
	return options->textfile ? rt_textfile_check(options->textfile, err) : 0;
}

/* What needs the rights that are given up next. */
static int open_server(struct exporter *exporter, const struct rt_user *user,
		       char where[RT_WHERE_BYTES], struct rt_err *err)
{
	const struct rt_export_options *options = exporter->options;
	struct rt_bearer token = { 0 };
	int r = 0, fd;

	if (options->token_file)
		r = rt_bearer_read(options->token_file, &token, err);
	if (r < 0)
		return r;
	fd = options->socket ? rt_listen_unix(options->socket, user, where, err)
			     : rt_listen_tcp(options->listen, where, err);
	exporter->listens = fd >= 0 && options->socket;
	return fd < 0 ? fd : rt_server_open(fd, &token, &exporter->server, err);
}

static int begin(struct exporter *exporter, char where[RT_WHERE_BYTES],
		 struct rt_err *err)
{
	const struct rt_export_options *options = exporter->options;
	struct rt_user found, *user = NULL;
	int r = 0;

	if (options->user) {
		r = rt_user_find(options->user, &found, err);
		user = &found;
	}
	if (r == 0 && !options->textfile)
		r = open_server(exporter, user, where, err);
	/* Sources are opened by their first sample. */
	if (r == 0)
		r = tick(exporter, err);
	return r < 0 ? r : rt_privilege_drop(user, err);
}

static int run(struct exporter *exporter, struct rt_err *err)
{
	const struct rt_export_options *options = exporter->options;
	char where[RT_WHERE_BYTES] = "";
	int r = begin(exporter, where, err);

	if (r == -ENODATA)
		return rt_err_set(err, -ENODATA, "there is nothing to tell: %s",
				  rt_watch_look(exporter->watch)->said);
	if (r == 0 && options->once && options->last)
		r = go_to_end(exporter, err);
	/* A folder that is not there is no full disk. */
	if (r == 0 && options->textfile) {
		rt_textfile_tidy(options->textfile);
		r = rt_file_check_regular(options->textfile, err);
		if (r == 0)
			r = write_file(exporter, err);
		/* The file says so as well; who wrote it once asks the exit code. */
		if (r == 0 && options->once &&
		    rt_export_has_failed(rt_watch_look(exporter->watch)))
			r = rt_err_set(err, -EIO, "%s says that the sample failed",
				       options->textfile);
	}
	if (r < 0)
		return r;
	if (options->ready)
		options->ready(options->context,
			       options->textfile ? options->textfile : where);
	return loop(exporter, err);
}

int rt_export_run(struct rt_watch *watch, const struct rt_export_options *options,
		  struct rt_err *err)
{
	struct exporter exporter = { .options = options,
				     .watch = watch,
				     .totals = rt_totals_new() };
	int r = rt_export_check(options, err);

	if (r == 0 && !exporter.totals)
		r = rt_err_sys(err, -ENOMEM, "cannot follow the counters");
	if (r == 0)
		r = run(&exporter, err);
	rt_server_close(exporter.server);
	if (exporter.listens)
		rt_listen_forget(options->socket);
	rt_totals_free(exporter.totals);
	return r;
}
