/* SPDX-License-Identifier: BSD-2-Clause */
/* lab_capture.c - live frames to an analysis, in the network of the switch. */
#include "run/lab_capture.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lab/lab.h"
#include "pktio/live.h"
#include "rocetune/analysis.h"
#include "rocetune/capture.h"
#include "rocetune/err.h"

#define CAPTURE_NICE (-10)

struct rt_lab_capture {
	struct rt_lab_capture_config config;
	pthread_t thread;
	int stop_fd, open_fd; /* eventfds */
	struct rt_source *source;
	struct rt_analysis analysis;
	int r;
	struct rt_err err;
};

static int look(struct rt_lab_capture *capture)
{
	const struct rt_lab_capture_config *config = &capture->config;
	const struct rt_live_config live = {
		.netdevs = config->ports,
		.speed_bps = config->speed_bps,
		.decode_flags = RT_DECODE_ICRC,
		.sink = config->sink,
		.until_ns = INT64_MAX,
		.stop_fd = capture->stop_fd,
	};
	/* As the lab itself: what is not read in time is lost.  Both of this thread alone. */
	(void)setpriority(PRIO_PROCESS, 0, CAPTURE_NICE);
	int r = rt_lab_enter_network(config->state, NULL, &capture->err);

	return r < 0 ? r : rt_live_open(&live, &capture->source, &capture->err);
}

static void *run(void *context)
{
	const struct rt_analysis_config config = { 0 };
	struct rt_lab_capture *capture = context;

	capture->r = look(capture);
	eventfd_write(capture->open_fd, 1);
	if (capture->r == 0)
		capture->r = rt_analysis_of_source(capture->source, &config,
						   &capture->analysis, &capture->err);
	rt_source_close(capture->source);
	return NULL;
}

static void free_capture(struct rt_lab_capture *capture)
{
	if (capture->stop_fd >= 0)
		close(capture->stop_fd);
	if (capture->open_fd >= 0)
		close(capture->open_fd);
	free(capture);
}

/* Signals are for the main thread, which acts on them. */
static int start_thread(struct rt_lab_capture *capture)
{
	sigset_t all, before;
	int r;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = -pthread_create(&capture->thread, NULL, run, capture);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return r;
}

int rt_lab_capture_start(const struct rt_lab_capture_config *config,
			 struct rt_lab_capture **ret_capture, struct rt_err *err)
{
	struct rt_lab_capture *capture = calloc(1, sizeof(*capture));
	eventfd_t opened;
	int r;

	if (!capture)
		return rt_err_sys(err, -ENOMEM, "the capture");
	capture->config = *config;
	capture->stop_fd = eventfd(0, EFD_CLOEXEC);
	capture->open_fd = eventfd(0, EFD_CLOEXEC);
	r = capture->stop_fd < 0 || capture->open_fd < 0 ? -errno : 0;
	if (r == 0)
		r = start_thread(capture);
	if (r < 0) {
		free_capture(capture);
		return rt_err_sys(err, r, "cannot start the capture");
	}
	while (eventfd_read(capture->open_fd, &opened) < 0 && errno == EINTR)
		;
	if (capture->r < 0) {
		pthread_join(capture->thread, NULL);
		r = rt_err_set(err, capture->r, "%s", capture->err.msg);
		free_capture(capture);
		return r;
	}
	*ret_capture = capture;
	return 0;
}

int rt_lab_capture_end(struct rt_lab_capture *capture, struct rt_analysis *ret_analysis,
		       struct rt_err *err)
{
	int r;

	eventfd_write(capture->stop_fd, 1);
	pthread_join(capture->thread, NULL);
	r = capture->r;
	if (r < 0)
		rt_err_set(err, r, "%s", capture->err.msg);
	else
		*ret_analysis = capture->analysis;
	free_capture(capture);
	return r;
}
