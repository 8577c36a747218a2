/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * run.c - the loop: wait for a key, a signal or the next tick, and draw.
 *
 * Signals come as a file, so that the terminal is always restored by the same way out.
 * ncurses' own handlers never run: what it would catch is blocked.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "dash/keys.h"
#include "dash/terminal.h"
#include "rocetune/err.h"
#include "watch/watch.h"

/* A picture that is paused tells for how long. */
#define LONGEST_WAIT_NS UINT64_C(1000000000)

/* Pictures follow each other faster than anybody sees. */
#define LONGEST_BLINDNESS_NS INT64_C(40000000)

struct loop {
	struct rt_dash dash;
	struct rt_terminal *terminal;
	struct rt_canvas canvas;
	int signals;      /* signalfd */
	sigset_t blocked; /* as it was before */
	bool ended;       /* the source has no more */
};

static int open_signals(struct loop *loop, struct rt_err *err)
{
	sigset_t wanted;

	sigemptyset(&wanted);
	sigaddset(&wanted, SIGINT);
	sigaddset(&wanted, SIGTERM);
	sigaddset(&wanted, SIGHUP);
	sigaddset(&wanted, SIGQUIT);
	sigaddset(&wanted, SIGWINCH);
	if (sigprocmask(SIG_BLOCK, &wanted, &loop->blocked) < 0)
		return rt_err_sys(err, -errno, "cannot hold signals back");
	loop->signals = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
	if (loop->signals >= 0)
		return 0;
	sigprocmask(SIG_SETMASK, &loop->blocked, NULL);
	return rt_err_sys(err, -errno, "cannot wait for signals");
}

static void close_signals(struct loop *loop)
{
	close(loop->signals);
	sigprocmask(SIG_SETMASK, &loop->blocked, NULL);
}

/* A new size is asked for at each drawing; the others are wishes to leave. */
static void take_signals(struct loop *loop)
{
	struct signalfd_siginfo info;

	while (read(loop->signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
		if (info.ssi_signo != SIGWINCH)
			loop->dash.leave = true;
}

static void take_keys(struct loop *loop)
{
	int key;

	while (!loop->dash.leave &&
	       (key = rt_terminal_key(loop->terminal)) != RT_KEY_NONE)
		rt_dash_press(&loop->dash, key);
}

/* Until a key, a signal, or the next tick; the terminal's end is a wish to leave. */
static int wait_for_more(struct loop *loop, struct rt_err *err)
{
	struct pollfd fds[] = { { .fd = STDIN_FILENO, .events = POLLIN },
				{ .fd = loop->signals, .events = POLLIN } };
	uint64_t wait_ns = LONGEST_WAIT_NS;
	struct timespec timeout;

	if (!loop->ended) {
		wait_ns = rt_watch_wait_ns(loop->dash.watch, rt_monotonic_ns(),
					   loop->dash.ui.speed);
		if (wait_ns > LONGEST_WAIT_NS)
			wait_ns = LONGEST_WAIT_NS;
	}
	timeout = (struct timespec){ (time_t)(wait_ns / 1000000000),
				     (long)(wait_ns % 1000000000) };
	if (ppoll(fds, 2, &timeout, NULL) < 0 && errno != EINTR)
		return rt_err_sys(err, -errno, "cannot wait for keys");
	loop->dash.now_ns = rt_monotonic_ns();
	if (fds[1].revents)
		take_signals(loop);
	if (fds[0].revents & POLLIN)
		take_keys(loop);
	/* One that hung up can be read for ever, too: it says that there is no more. */
	if (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		loop->dash.leave = true;
	return 0;
}

/* As many as are due; at full speed that is always one more. */
static int tick(struct loop *loop, struct rt_err *err)
{
	const int64_t began_ns = rt_monotonic_ns();
	int64_t now_ns = began_ns;
	int r = 0;

	while (r == 0 && now_ns - began_ns < LONGEST_BLINDNESS_NS && !loop->ended &&
	       rt_watch_wait_ns(loop->dash.watch, now_ns, loop->dash.ui.speed) == 0) {
		r = rt_watch_tick(loop->dash.watch, err);
		loop->ended = r == -ENODATA;
		now_ns = rt_monotonic_ns();
	}
	return loop->ended ? 0 : r;
}

static int draw(struct loop *loop, struct rt_err *err)
{
	unsigned rows, columns;
	int r;

	rt_terminal_size(loop->terminal, &rows, &columns);
	loop->dash.now_ns = rt_monotonic_ns();
	r = rt_dash_picture(&loop->dash, rows, columns, &loop->canvas);
	if (r < 0)
		return rt_err_sys(err, r, "cannot draw");
	rt_terminal_show(loop->terminal, &loop->canvas, loop->dash.ui.theme,
			 loop->dash.repaint);
	loop->dash.repaint = false;
	return 0;
}

static int go_round(struct loop *loop, struct rt_err *err)
{
	int r = 0;

	while (r == 0 && !loop->dash.leave) {
		r = tick(loop, err);
		if (r == 0)
			r = draw(loop, err);
		if (r == 0)
			r = wait_for_more(loop, err);
		/* After a seek there is more again. */
		loop->ended = loop->ended && rt_watch_look(loop->dash.watch)->ended;
	}
	return r;
}

int rt_dash_run(struct rt_watch *watch, const struct rt_dash_options *options,
		struct rt_err *err)
{
	struct loop loop = { .signals = -1 };
	int r = open_signals(&loop, err);

	if (r < 0)
		return r;
	r = rt_terminal_open(options->mono, &loop.terminal, err);
	if (r == 0) {
		rt_dash_begin(&loop.dash, watch, options,
			      options->ascii || !rt_terminal_is_utf8(loop.terminal));
		/* What beginning said is said from now on. */
		loop.dash.now_ns = loop.dash.message_ns = rt_monotonic_ns();
		r = go_round(&loop, err);
		if (r == 0)
			r = rt_watch_record(watch, NULL, err);
		rt_terminal_close(loop.terminal);
		rt_dash_end(&loop.dash);
		rt_canvas_free(&loop.canvas);
		if (r == 0)
			r = rt_watch_record(watch, NULL, err);
	}
	close_signals(&loop);
	return r;
}
