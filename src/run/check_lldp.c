/* SPDX-License-Identifier: BSD-2-Clause */
/* check_lldp.c - who was heard by LLDP: live, in a capture, by lldpd. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/doc.h"
#include "base/own.h"
#include "model/dcbx.h"
#include "pktio/lldp_listen.h"
#include "rocetune/err.h"
#include "run/check_parts.h"
#include "wire/lldp_peers.h"

#define ANSWER_MAX_MS 5000

/* --- another program's output ----------------------------------------------------------- */

struct answer {
	char *text; /* owned */
	size_t bytes, capacity;
};

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int start(const char *const *argv, int to, pid_t *ret_pid)
{
	posix_spawn_file_actions_t files;
	int r;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY,
					 0);
	posix_spawn_file_actions_adddup2(&files, to, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY,
					 0);
	/* It takes char *const argv[] and changes none (posix_spawn(3)). */
	r = posix_spawnp(ret_pid, argv[0], &files, NULL, (char *const *)(uintptr_t)argv,
			 environ);
	posix_spawn_file_actions_destroy(&files);
	return -r;
}

/* Until its end: 0, or why not. */
static int read_all(int from, struct answer *answer)
{
	const int64_t end_ms = now_ms() + ANSWER_MAX_MS;

	for (;;) {
		const int64_t left_ms = end_ms - now_ms();
		struct pollfd fd = { .fd = from, .events = POLLIN };
		void *grown;
		ssize_t n;

		if (left_ms <= 0)
			return -ETIMEDOUT;
		if (poll(&fd, 1, (int)left_ms) <= 0)
			continue;
		if (answer->bytes >= RT_DOC_MAX_BYTES)
			return -EFBIG;
		grown = rt_grow(answer->text, answer->bytes + 4096, &answer->capacity,
				1);
		if (!grown)
			return -ENOMEM;
		answer->text = grown;
		n = read(from, answer->text + answer->bytes,
			 answer->capacity - answer->bytes);
		if (n == 0)
			return 0;
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			answer->bytes += (size_t)n;
	}
}

static int ask(const char *const *argv, struct answer *answer)
{
	int pipes[2], status = 0, r;
	pid_t pid;

	if (pipe2(pipes, O_CLOEXEC) < 0)
		return -errno;
	r = start(argv, pipes[1], &pid);
	close(pipes[1]);
	if (r == 0) {
		r = read_all(pipes[0], answer);
		if (r < 0)
			kill(pid, SIGKILL); /* ours, and not waited for yet */
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		if (r == 0 && status != 0)
			r = -ENOENT; /* its daemon does not run */
	}
	close(pipes[0]);
	return r;
}

int rt_check_ask_lldpd(struct rt_lldp_peers *peers, struct rt_err *err)
{
	static const char *const argv[] = { "lldpcli",   "-f",      "json", "show",
					    "neighbors", "details", NULL };
	RT_AUTO(rt_auto_doc_free) struct rt_doc *doc = NULL;
	struct answer answer = { 0 };
	int r = ask(argv, &answer);

	if (r < 0)
		r = rt_err_sys(err, r, "lldpcli gives no answer");
	else
		r = rt_doc_parse("lldpcli", answer.text, answer.bytes, &doc, err);
	if (r == 0)
		r = rt_lldpcli_read(doc, peers, err);
	free(answer.text);
	return r;
}

/* --- sources ------------------------------------------------------------------------------ */

static bool heard_on(const struct rt_lldp_peers *peers, const char *netdev)
{
	for (size_t i = 0; i < peers->count; i++)
		if (strcmp(peers->items[i].interface, netdev) == 0)
			return true;
	return false;
}

static bool heard_on_all(const struct rt_lldp_peers *peers, const char *const *netdevs,
			 size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!heard_on(peers, netdevs[i]))
			return false;
	return true;
}

static int listen_live(const struct rt_check_request *request,
		       const char *const *netdevs, size_t count,
		       struct rt_lldp_peers *peers, struct rt_err *err)
{
	/* That lldpd is not there, or says what is not understood, is no failure. */
	if (rt_check_ask_lldpd(peers, NULL) == 0 && heard_on_all(peers, netdevs, count))
		return 0;
	if (request->listening)
		request->listening(request->user, RT_LLDP_LISTEN_MS);
	return rt_lldp_listen(netdevs, count, RT_LLDP_LISTEN_MS, peers, err);
}

/* No capture begins with a bracket or blanks; of a pipe nothing may be taken. */
static bool is_json(const char *path)
{
	RT_AUTO(rt_auto_fclose) FILE *file = NULL;
	struct stat is;
	int c;

	if (strcmp(path, "-") == 0 || (stat(path, &is) == 0 && !S_ISREG(is.st_mode)))
		return true;
	file = fopen(path, "rb");
	if (!file)
		return false;
	do
		c = getc(file);
	while (c == ' ' || c == '\t' || c == '\n' || c == '\r');
	return c == '{' || c == '[';
}

int rt_check_hear(const struct rt_check_request *request, const char *const *netdevs,
		  size_t count, struct rt_lldp_peers *ret_peers, struct rt_err *err)
{
	RT_AUTO(rt_auto_doc_free) struct rt_doc *doc = NULL;
	int r;

	if (strcmp(request->lldp, "live") == 0)
		return listen_live(request, netdevs, count, ret_peers, err);
	if (!is_json(request->lldp))
		return rt_lldp_read_capture(request->lldp, ret_peers, err);
	r = rt_doc_read(request->lldp, &doc, err);
	return r < 0 ? r : rt_lldpcli_read(doc, ret_peers, err);
}
