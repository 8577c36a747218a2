/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spend.c - what a command costs: CPU seconds, user and system, and the most memory
 * it had, in KiB.  Its output is thrown away.
 *
 *   spend COMMAND...
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double seconds(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
	struct rusage usage;
	int status = 0;
	pid_t child;

	if (argc < 2)
		return 2;
	child = fork();
	if (child == 0) {
		const int null = open("/dev/null", O_WRONLY);

		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) < 0)
		return 3;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
		fprintf(stderr, "spend: cannot run %s\n", argv[1]);
		return 3;
	}
	printf("%.6f %ld\n", seconds(usage.ru_utime) + seconds(usage.ru_stime),
	       usage.ru_maxrss);
	return 0;
}
