/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * watch_flows.c - frames of interfaces into an analysis that is exchanged with each
 * sample.
 *
 * A window has an analysis of its own.  What is known of flows before it is forgotten,
 * so that a resend right behind a border is one only where a NAK tells; in exchange
 * nothing grows with time.
 */
#include "run/watch_flows.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/own.h"
#include "kern/kern.h"
#include "lab/lab.h"
#include "pktio/live.h"
#include "rocetune/analysis.h"
#include "rocetune/capture.h"
#include "rocetune/err.h"
#include "run/flow_window.h"
#include "watch/sample.h"
#include "watch/source.h"

#define BATCH     64u
#define MAX_FLOWS 65536u /* of a window */
#define MOST_IFS  32u

struct watch_flows {
	struct rt_watch_source source; /* first */
	struct rt_watch_source *inner; /* owned */
	struct rt_lab_state state;     /* of the lab; no hosts: of none */
	const char *netdevs[MOST_IFS + 1];
	char *names; /* owned: what they point to */
	char where[64];
	int64_t since_ns; /* CLOCK_MONOTONIC: the window's begin */
	uint64_t dropped; /* up to there */

	pthread_t thread;
	bool running;
	int stop_fd, open_fd; /* eventfds */
	/* The thread's until it has opened; then only its own. */
	struct rt_source *live;
	int opened;
	struct rt_err why;
	/* Of both. */
	pthread_mutex_t lock;
	struct rt_analyzer *analyzer; /* of the window */
	struct rt_capture_if interfaces[MOST_IFS];
	size_t interface_count;
	int failed; /* the thread has ended with why */
};

static struct watch_flows *of(struct rt_watch_source *source)
{
	return (struct watch_flows *)source;
}

/* --- the thread --------------------------------------------------------------------------- */

static int open_live(struct watch_flows *flows)
{
	const struct rt_live_config config = {
		.netdevs = flows->netdevs,
		.roce_only = true,
		.until_ns = INT64_MAX,
		.stop_fd = flows->stop_fd,
	};
	int r = 0;

	if (flows->state.host_count)
		r = rt_lab_enter_network(&flows->state, NULL, &flows->why);
	return r < 0 ? r : rt_live_open(&config, &flows->live, &flows->why);
}

static void note_interfaces(struct watch_flows *flows)
{
	size_t count = 0;
	const struct rt_capture_if *interfaces = flows->live->ops->interfaces(
		flows->live, &count);

	flows->interface_count = count < MOST_IFS ? count : MOST_IFS;
	memcpy(flows->interfaces, interfaces,
	       flows->interface_count * sizeof(*interfaces));
}

/* 0: go on; 1: it is over; negative errno. */
static int take_batch(struct watch_flows *flows)
{
	struct rt_frame frames[BATCH];
	size_t count = 0;
	int r = flows->live->ops->read(flows->live, frames, BATCH, &count, &flows->why);

	if (r < 0 || count == 0)
		return r < 0 ? r : 1;
	pthread_mutex_lock(&flows->lock);
	note_interfaces(flows);
	rt_analyzer_interfaces(flows->analyzer, flows->interfaces,
			       flows->interface_count);
	r = rt_analyzer_feed(flows->analyzer, frames, count, &flows->why);
	pthread_mutex_unlock(&flows->lock);
	return r;
}

static void *run(void *context)
{
	struct watch_flows *flows = context;
	int r = open_live(flows);

	flows->opened = r;
	if (r == 0)
		note_interfaces(flows);
	eventfd_write(flows->open_fd, 1);
	while (r == 0)
		r = take_batch(flows);
	if (r < 0 && flows->opened == 0) {
		pthread_mutex_lock(&flows->lock);
		flows->failed = r;
		pthread_mutex_unlock(&flows->lock);
	}
	if (flows->live)
		flows->live->ops->close(flows->live);
	return NULL;
}

/* --- samples ------------------------------------------------------------------------------- */

static int new_analyzer(struct rt_analyzer **ret_analyzer, struct rt_err *err)
{
	const struct rt_analysis_config config = { .max_flows = MAX_FLOWS };

	return rt_analyzer_new(&config, ret_analyzer, err);
}

/* Its interfaces are those of now, as the thread goes on writing to its own. */
struct window {
	struct rt_analyzer *analyzer;
	struct rt_capture_if interfaces[MOST_IFS];
	size_t count;
	int failed;
	char why[sizeof(((struct watch_flows *)0)->where)];
};

static void exchange(struct watch_flows *flows, struct rt_analyzer *fresh,
		     struct window *window)
{
	pthread_mutex_lock(&flows->lock);
	window->analyzer = flows->analyzer;
	flows->analyzer = fresh;
	window->count = flows->interface_count;
	memcpy(window->interfaces, flows->interfaces, sizeof(window->interfaces));
	window->failed = flows->failed;
	if (window->failed)
		snprintf(window->why, sizeof(window->why), "%.*s",
			 (int)sizeof(window->why) - 1, flows->why.msg);
	pthread_mutex_unlock(&flows->lock);
	rt_analyzer_interfaces(window->analyzer, window->interfaces, window->count);
}

static int fill(struct watch_flows *flows, const struct window *window,
		struct rt_watch_flows *to, struct rt_err *err)
{
	const int64_t now_ns = rt_monotonic_ns();
	struct rt_analysis analysis = { 0 };
	uint64_t dropped = 0;
	int r = rt_analyzer_finish(window->analyzer, &analysis, err);

	if (r == 0)
		r = rt_flow_window_fill(&analysis, to, err);
	rt_analysis_free(&analysis);
	if (r < 0)
		return r;
	for (size_t i = 0; i < window->count; i++)
		dropped += window->interfaces[i].dropped.value;
	to->known = window->failed == 0;
	memcpy(to->where, window->failed ? window->why : flows->where,
	       sizeof(to->where));
	to->dropped = dropped - flows->dropped;
	to->window_ns = (uint64_t)(now_ns - flows->since_ns);
	flows->dropped = dropped;
	flows->since_ns = now_ns;
	return 0;
}

static int flows_sample(struct rt_watch_source *source, struct rt_watch_sample *sample,
			struct rt_err *err)
{
	struct watch_flows *flows = of(source);
	struct rt_analyzer *fresh = NULL;
	struct window window;
	int r = flows->inner->ops->sample(flows->inner, sample, err);

	if (r == 0)
		r = new_analyzer(&fresh, err);
	if (r < 0)
		return r;
	exchange(flows, fresh, &window);
	r = fill(flows, &window, &sample->flows, err);
	rt_analyzer_free(window.analyzer);
	return r;
}

static void flows_close(struct rt_watch_source *source)
{
	struct watch_flows *flows = of(source);

	if (flows->running) {
		eventfd_write(flows->stop_fd, 1);
		pthread_join(flows->thread, NULL);
	}
	if (flows->stop_fd >= 0)
		close(flows->stop_fd);
	if (flows->open_fd >= 0)
		close(flows->open_fd);
	pthread_mutex_destroy(&flows->lock);
	rt_analyzer_free(flows->analyzer);
	rt_lab_state_free(&flows->state);
	flows->inner->ops->close(flows->inner);
	free(flows->names);
	free(flows);
}

static const struct rt_watch_source_ops ops = {
	.name = "capture",
	.help = "another source, and the flows that pass interfaces",
	.sample = flows_sample,
	.close = flows_close,
};

/* --- opening --------------------------------------------------------------------------------- */

static int copy_names(struct watch_flows *flows, const char *const *netdevs,
		      struct rt_err *err)
{
	size_t count = 0, bytes = 0, used = 0;

	for (; netdevs[count]; count++)
		bytes += strlen(netdevs[count]) + 1;
	if (count == 0 || count > MOST_IFS)
		return rt_err_set(err, -EINVAL, "1 to %u interfaces can be captured",
				  MOST_IFS);
	flows->names = malloc(bytes);
	if (!flows->names)
		return rt_err_sys(err, -ENOMEM, "cannot hold names");
	for (size_t i = 0; i < count; i++) {
		flows->netdevs[i] = strcpy(flows->names + used, netdevs[i]);
		used += strlen(netdevs[i]) + 1;
	}
	snprintf(flows->where, sizeof(flows->where), "%.40s%s", netdevs[0],
		 count > 1 ? ", ..." : "");
	return 0;
}

static int find_lab(struct watch_flows *flows, const char *lab, struct rt_err *err)
{
	struct rt_lab_store store = { .fd = -1 };
	struct rt_names names = { 0 };
	int r = rt_lab_store_open(false, &store, err);

	if (r == 0 && !*lab)
		r = rt_lab_store_names(&store, &names, err);
	if (r == 0 && !*lab && names.count == 1)
		lab = names.items[0];
	if (r == 0)
		r = rt_lab_find(&store, lab, &flows->state, err);
	rt_names_free(&names);
	rt_lab_store_close(&store);
	/* A thread cannot enter a user namespace (setns(2)). */
	if (r == 0 && flows->state.user_namespace)
		return rt_err_set(
			err, -EPERM,
			"lab '%s' was made without root: watch its flows from "
			"inside, by rocetune lab exec --name %s switch rocetune "
			"top --capture %s",
			flows->state.name, flows->state.name, flows->netdevs[0]);
	return r;
}

/* Signals are for the thread that was there before. */
static int start(struct watch_flows *flows, struct rt_err *err)
{
	sigset_t all, before;
	eventfd_t opened;
	int r;

	flows->stop_fd = eventfd(0, EFD_CLOEXEC);
	flows->open_fd = eventfd(0, EFD_CLOEXEC);
	if (flows->stop_fd < 0 || flows->open_fd < 0)
		return rt_err_sys(err, -errno, "cannot start the capture");
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = -pthread_create(&flows->thread, NULL, run, flows);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (r < 0)
		return rt_err_sys(err, r, "cannot start the capture");
	flows->running = true;
	while (eventfd_read(flows->open_fd, &opened) < 0 && errno == EINTR)
		;
	if (flows->opened < 0)
		return rt_err_set(err, flows->opened, "%s", flows->why.msg);
	flows->since_ns = rt_monotonic_ns();
	return 0;
}

int rt_watch_flows_open(struct rt_watch_source *source, const char *const *netdevs,
			const char *lab, struct rt_watch_source **ret_source,
			struct rt_err *err)
{
	struct watch_flows *flows = calloc(1, sizeof(*flows));
	int r;

	if (!flows) {
		source->ops->close(source);
		return rt_err_sys(err, -ENOMEM, "cannot watch flows");
	}
	flows->source.ops = &ops;
	flows->inner = source;
	flows->stop_fd = flows->open_fd = -1;
	pthread_mutex_init(&flows->lock, NULL);
	r = copy_names(flows, netdevs, err);
	if (r == 0 && lab)
		r = find_lab(flows, lab, err);
	if (r == 0)
		r = new_analyzer(&flows->analyzer, err);
	if (r == 0)
		r = start(flows, err);
	if (r < 0) {
		flows_close(&flows->source);
		return r;
	}
	snprintf(flows->source.title, sizeof(flows->source.title),
		 "%.70s, flows of %.40s", source->title, flows->where);
	*ret_source = &flows->source;
	return 0;
}
