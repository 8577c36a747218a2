/* SPDX-License-Identifier: BSD-2-Clause */
/* program.c - calling another program. */
#include "run/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "rocetune/err.h"

int rt_program_self(char *buf, size_t capacity, struct rt_err *err)
{
	const ssize_t n = readlink("/proc/self/exe", buf, capacity - 1);

	if (n < 0)
		return rt_err_sys(err, -errno, "cannot find the program's own file");
	if ((size_t)n == capacity - 1)
		return rt_err_sys(err, -ENAMETOOLONG, "the program's own file");
	buf[n] = '\0';
	return 0;
}

/* out: where its standard output goes, -1: nowhere. */
static int start(const char *const *argv, int out, pid_t *ret_pid)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t how;
	sigset_t none;
	int r;

	/* Signals that we hold back are ours to hold, not the program's. */
	sigemptyset(&none);
	posix_spawnattr_init(&how);
	posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&how, &none);
	posix_spawn_file_actions_init(&files);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
	if (out >= 0)
		posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
	/* It takes char *const argv[] and changes none (posix_spawn(3)). */
	r = posix_spawnp(ret_pid, argv[0], &files, &how, (char *const *)(uintptr_t)argv,
			 environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&how);
	return -r;
}

static int64_t now_ms(void)
{
	return rt_monotonic_ns() / 1000000;
}

/* 0: it ended; -ETIMEDOUT: it did not, and was ended. */
static int await_end(pid_t pid, int64_t end_ms, int *ret_status)
{
	static const struct timespec a_while = { .tv_nsec = 2000000 };

	for (;;) {
		const bool late = now_ms() >= end_ms;
		pid_t ended = waitpid(pid, ret_status, WNOHANG);

		if (ended == pid)
			return 0;
		if (ended < 0 && errno != EINTR)
			return -errno;
		if (!late) {
			nanosleep(&a_while, NULL);
			continue;
		}
		kill(pid, SIGKILL); /* ours, and not waited for yet */
		while (waitpid(pid, ret_status, 0) < 0 && errno == EINTR)
			;
		return -ETIMEDOUT;
	}
}

static int finish(const char *const *argv, pid_t pid, int64_t end_ms,
		  struct rt_err *err)
{
	int status = 0, r = await_end(pid, end_ms, &status);

	if (r < 0)
		return rt_err_sys(err, r, "%s", argv[0]);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	return rt_err_set(err, -EIO, "%s failed (%s %d)", argv[0],
			  WIFEXITED(status) ? "exit status" : "signal",
			  WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

int rt_program_run(const char *const *argv, unsigned most_ms, struct rt_err *err)
{
	const int64_t end_ms = now_ms() + most_ms;
	pid_t pid;
	int r = start(argv, -1, &pid);

	return r < 0 ? rt_err_sys(err, r, "cannot run %s", argv[0])
		     : finish(argv, pid, end_ms, err);
}

/* --- output ------------------------------------------------------------------------------ */

/* 1: there are bytes or the end; else why not. */
static int await(int from, int64_t end_ms)
{
	for (;;) {
		struct pollfd fd = { .fd = from, .events = POLLIN };
		const int64_t left_ms = end_ms - now_ms();
		int r = left_ms > 0 ? poll(&fd, 1, (int)left_ms) : 0;

		if (r > 0)
			return 1;
		if (r == 0)
			return -ETIMEDOUT;
		if (errno != EINTR)
			return -errno;
	}
}

/* text has room for most_bytes and a 0. */
static int read_all(int from, int64_t end_ms, char *text, size_t most_bytes)
{
	size_t bytes = 0;

	for (;;) {
		int r = await(from, end_ms);
		ssize_t n;

		if (r < 0)
			return r;
		n = read(from, text + bytes, most_bytes + 1 - bytes);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n == 0) {
			text[bytes] = '\0';
			return 0;
		}
		bytes += n > 0 ? (size_t)n : 0;
		if (bytes > most_bytes)
			return -EFBIG;
	}
}

static int read_from(const char *const *argv, const int pipes[2], int64_t end_ms,
		     char *text, size_t most_bytes, struct rt_err *err)
{
	pid_t pid;
	int r = start(argv, pipes[1], &pid), ended;

	close(pipes[1]);
	if (r < 0)
		return rt_err_sys(err, r, "cannot run %s", argv[0]);
	r = read_all(pipes[0], end_ms, text, most_bytes);
	ended = finish(argv, pid, r < 0 ? now_ms() : end_ms, r < 0 ? NULL : err);
	return r < 0 ? rt_err_sys(err, r, "%s", argv[0]) : ended;
}

int rt_program_read(const char *const *argv, unsigned most_ms, size_t most_bytes,
		    char **ret_text, struct rt_err *err)
{
	const int64_t end_ms = now_ms() + most_ms;
	char *text = malloc(most_bytes + 1);
	int pipes[2], r;

	if (!text)
		return rt_err_sys(err, -ENOMEM, "%s", argv[0]);
	if (pipe2(pipes, O_CLOEXEC) < 0) {
		r = rt_err_sys(err, -errno, "%s", argv[0]);
	} else {
		r = read_from(argv, pipes, end_ms, text, most_bytes, err);
		close(pipes[0]);
	}
	if (r < 0)
		free(text);
	else
		*ret_text = text;
	return r;
}
