/* SPDX-License-Identifier: BSD-2-Clause */
/* apply_folder.h - a folder for journals and a profile, of one test. */
#ifndef RT_TESTS_APPLY_FOLDER_H
#define RT_TESTS_APPLY_FOLDER_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/own.h"
#include "host/state.h"

static char folder[64], profile[96];

static inline int make_state(void **state)
{
	(void)state;
	/* A disk has nothing to add but its time: every journal is synced. */
	snprintf(folder, sizeof(folder), "%s/rt-apply-XXXXXX",
		 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	assert_non_null(mkdtemp(folder));
	setenv("ROCETUNE_STATE", folder, 1);
	unsetenv("SSH_CONNECTION");
	snprintf(profile, sizeof(profile), "%s/p.yaml", folder);
	return 0;
}

static inline int remove_state(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

static inline void path_in_folder(const char *name, char path[160])
{
	snprintf(path, 160, "%s/%s", folder, name);
}

static inline void put_text(const char *path, const char *text, size_t bytes)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_int_equal(write(fd, text, bytes), bytes);
	close(fd);
}

static inline size_t get_text(const char *path, char *text, size_t capacity)
{
	const int fd = open(path, O_RDONLY);
	const ssize_t bytes = read(fd, text, capacity);

	close(fd);
	assert_true(bytes > 0);
	return (size_t)bytes;
}

static inline void write_profile(const char *text)
{
	FILE *file = fopen(profile, "w");

	assert_non_null(file);
	fputs("name: p\n", file);
	if (!strstr(text, "status:"))
		fputs("status: operator\n", file);
	fputs(text, file);
	fclose(file);
}

static inline void forget_journals(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -f %s/*.journal", folder);
	assert_int_equal(system(command), 0);
}

/* The supervisor has done what it had to do when nobody holds the lock. */
static inline void wait_free(void)
{
	RT_AUTO(rt_auto_state_close) struct rt_state *state = NULL;
	const struct timespec pause = { .tv_nsec = 1000000 };
	struct rt_err err = { 0 };
	unsigned waited_ms = 0;

	assert_int_equal(rt_state_open(true, &state, &err), 0);
	while (rt_state_lock(state, "the test", &err) == -EBUSY) {
		assert_true(waited_ms++ < 10000);
		nanosleep(&pause, NULL);
	}
}

#endif
