/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * watch_flows.c - frames of interfaces into an analysis that is exchanged with each
 * sample.
 *
 * A window has an analysis of its own.  What is known of flows before it is forgotten,
 * so that a resend right behind a border is one only where a NAK tells; in exchange
 * nothing grows with time.
 *
 * A capture that fails, as its interface or its lab goes away, is begun again when that
 * is back; in between samples say why there are no flows.
 */
#include "run/watch_flows.h"

#include <errno.h>
#include <poll.h>
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
#include "run/watch_lab.h"
#include "watch/sample.h"
#include "watch/source.h"

#define BATCH         64u
#define MAX_FLOWS     65536u /* of a window */
#define MOST_IFS      32u
#define OPEN_AGAIN_MS 500 /* between looks at whether what went away is back */

struct watch_flows {
	struct rt_watch_source source; /* first */
	struct rt_watch_source *inner; /* owned */
	char lab[RT_LAB_NAME_BYTES];   /* whose they are; "": this host's */
	const char *netdevs[MOST_IFS + 1];
	char *names; /* owned: what they point to */
	char where[sizeof(((struct rt_watch_flows *)0)->where)];
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
	struct rt_analyzer *analyzer;       /* of the window */
	char dscp_prios[RT_LAB_DSCP_BYTES]; /* of the lab; "": not told */
	struct rt_capture_if interfaces[MOST_IFS];
	size_t interface_count;
	uint64_t dropped_before; /* by captures that failed */
	int64_t opened_ns;       /* CLOCK_MONOTONIC: when this one began */
	bool is_open;            /* there is one now */
	bool untold;             /* one failed, and no sample has said so; why: */
	char reason[sizeof(((struct rt_watch_flows *)0)->where)];
};

static struct watch_flows *of(struct rt_watch_source *source)
{
	return (struct watch_flows *)source;
}

/* --- the thread --------------------------------------------------------------------------- */

static void note_prios(struct watch_flows *flows, const struct rt_lab_state *state)
{
	pthread_mutex_lock(&flows->lock);
	memcpy(flows->dscp_prios, state->dscp_prios, sizeof(flows->dscp_prios));
	pthread_mutex_unlock(&flows->lock);
}

/* It may be another lab of that name than before. */
static int enter_lab(struct watch_flows *flows, struct rt_err *err)
{
	struct rt_lab_store store = { .fd = -1 };
	struct rt_lab_state state = { 0 };
	int r = rt_lab_store_open(false, &store, err);

	if (r == 0)
		r = rt_lab_find(&store, flows->lab, &state, err);
	/* A thread cannot enter a user namespace (setns(2)). */
	if (r == 0 && state.user_namespace)
		r = rt_err_set(err, -EPERM,
			       "lab '%s' was made without root: watch its flows from "
			       "inside, by rocetune lab exec --name %s switch rocetune "
			       "top --capture %s",
			       flows->lab, flows->lab, flows->netdevs[0]);
	if (r == 0)
		r = rt_lab_enter_network(&state, NULL, err);
	if (r == 0)
		note_prios(flows, &state);
	rt_lab_state_free(&state);
	rt_lab_store_close(&store);
	return r;
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

static int open_live(struct watch_flows *flows)
{
	const struct rt_live_config config = {
		.netdevs = flows->netdevs,
		.roce_only = true,
		.until_ns = INT64_MAX,
		.stop_fd = flows->stop_fd,
	};
	int r = *flows->lab ? enter_lab(flows, &flows->why) : 0;

	if (r == 0)
		r = rt_live_open(&config, &flows->live, &flows->why);
	if (r < 0)
		return r;
	pthread_mutex_lock(&flows->lock);
	note_interfaces(flows);
	flows->opened_ns = rt_monotonic_ns();
	flows->is_open = true;
	pthread_mutex_unlock(&flows->lock);
	return 0;
}

static void note_failure(struct watch_flows *flows)
{
	pthread_mutex_lock(&flows->lock);
	flows->untold = flows->untold || flows->is_open;
	flows->is_open = false;
	snprintf(flows->reason, sizeof(flows->reason), "%.*s",
		 (int)sizeof(flows->reason) - 1, flows->why.msg);
	pthread_mutex_unlock(&flows->lock);
}

/* What it lost is not forgotten with it. */
static void close_live(struct watch_flows *flows)
{
	pthread_mutex_lock(&flows->lock);
	note_interfaces(flows);
	for (size_t i = 0; i < flows->interface_count; i++) {
		flows->dropped_before += flows->interfaces[i].dropped.value;
		flows->interfaces[i].dropped.value = 0;
	}
	pthread_mutex_unlock(&flows->lock);
	rt_source_close(flows->live);
	flows->live = NULL;
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

/* Until it is open again (0), or all is over (1). */
static int open_again(struct watch_flows *flows)
{
	struct pollfd stop = { .fd = flows->stop_fd, .events = POLLIN };

	while (poll(&stop, 1, OPEN_AGAIN_MS) <= 0) {
		if (open_live(flows) == 0)
			return 0;
		note_failure(flows);
	}
	return 1;
}

static void *run(void *context)
{
	struct watch_flows *flows = context;
	int r = flows->opened = open_live(flows);

	eventfd_write(flows->open_fd, 1);
	while (r == 0) {
		while (r == 0)
			r = take_batch(flows);
		close_live(flows);
		if (r < 0) {
			note_failure(flows);
			r = open_again(flows);
		}
	}
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
	uint64_t dropped; /* since ever */
	int64_t opened_ns;
	bool failed;
	char reason[sizeof(((struct watch_flows *)0)->where)];
	char dscp_prios[RT_LAB_DSCP_BYTES];
};

static void exchange(struct watch_flows *flows, struct rt_analyzer *fresh,
		     struct window *window)
{
	pthread_mutex_lock(&flows->lock);
	window->analyzer = flows->analyzer;
	flows->analyzer = fresh;
	window->count = flows->interface_count;
	memcpy(window->interfaces, flows->interfaces, sizeof(window->interfaces));
	window->dropped = flows->dropped_before;
	for (size_t i = 0; i < window->count; i++)
		window->dropped += window->interfaces[i].dropped.value;
	window->opened_ns = flows->opened_ns;
	window->failed = flows->untold || !flows->is_open;
	flows->untold = false;
	memcpy(window->reason, flows->reason, sizeof(window->reason));
	memcpy(window->dscp_prios, flows->dscp_prios, sizeof(window->dscp_prios));
	pthread_mutex_unlock(&flows->lock);
	rt_analyzer_interfaces(window->analyzer, window->interfaces, window->count);
}

/* Of a capture that failed nothing is known, that of before included. */
static void say_why_not(const struct window *window, struct rt_watch_flows *to)
{
	to->known = false;
	memcpy(to->where, window->reason, sizeof(to->where));
	to->count = to->fan_count = 0;
	to->total = to->frames = to->dropped = to->unfollowed = to->window_ns = 0;
}

/* A lab's switch goes by the DSCP, as it tells. */
static void fill_prios(const struct window *window, struct rt_watch_flows *to)
{
	for (size_t i = 0; i < to->count; i++)
		to->items[i].prio = rt_lab_prio_of(window->dscp_prios,
						   to->items[i].dscp);
}

static int fill(struct watch_flows *flows, const struct window *window,
		struct rt_watch_flows *to, struct rt_err *err)
{
	const int64_t now_ns = rt_monotonic_ns();
	const int64_t since_ns = window->opened_ns > flows->since_ns ? window->opened_ns
								     : flows->since_ns;
	struct rt_analysis analysis = { 0 };
	int r = rt_analyzer_finish(window->analyzer, &analysis, err);

	if (r == 0)
		r = rt_flow_window_fill(&analysis, to, err);
	rt_analysis_free(&analysis);
	if (r < 0)
		return r;
	fill_prios(window, to);
	to->known = true;
	memcpy(to->where, flows->where, sizeof(to->where));
	to->dropped = window->dropped - flows->dropped;
	to->window_ns = (uint64_t)(now_ns - since_ns);
	flows->dropped = window->dropped;
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
	if (window.failed)
		say_why_not(&window, &sample->flows);
	else
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
		r = rt_watch_lab_choose(lab, flows->lab, err);
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
