/* SPDX-License-Identifier: BSD-2-Clause */
/* program.c - calling another program. */
#include "run/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

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

static int start(const char *const *argv, pid_t *ret_pid)
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
	/* It takes char *const argv[] and changes none (posix_spawn(3)). */
	r = posix_spawnp(ret_pid, argv[0], &files, &how, (char *const *)(uintptr_t)argv,
			 environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&how);
	return -r;
}

int rt_program_run(const char *const *argv, struct rt_err *err)
{
	pid_t pid;
	int status, r = start(argv, &pid);

	if (r < 0)
		return rt_err_sys(err, r, "cannot run %s", argv[0]);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return rt_err_sys(err, -errno, "%s", argv[0]);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	return rt_err_set(err, -EIO, "%s failed (%s %d)", argv[0],
			  WIFEXITED(status) ? "exit status" : "signal",
			  WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}
