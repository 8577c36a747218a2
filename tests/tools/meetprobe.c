/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * meetprobe.c - meet by a launcher's PMIx and try what a run needs of it.
 *
 *	mpirun -n 9 meetprobe [BYTES]		texts round and back, clocks; sums at rank 0
 *	mpirun -n 9 meetprobe fences [BYTES]	the same where rank 0 may not listen
 *	mpirun -n 9 meetprobe stop RANK		RANK asks all to stop, all say so
 *	mpirun -n 9 meetprobe mute		rank 0 stops breathing, all others notice
 *	mpirun -n 9 meetprobe die RANK		RANK is killed; nobody else should end alone
 *	mpirun -n 9 meetprobe late RANK		RANK is there and does not answer: rank 0
 *						gives it up, and has the others' texts
 *
 * The module is looked for beside this program.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/own.h"
#include "rocetune/err.h"
#include "traffic/module.h"
#include "traffic/rendezvous.h"

#define SECOND INT64_C(1000000000)

static int failed(const char *what, const struct rt_err *err)
{
	fprintf(stderr, "meetprobe: %s: %s\n", what, err->msg);
	return 1;
}

static int64_t soon(void)
{
	return rt_monotonic_ns() + 30 * SECOND;
}

/* Text of rank, of about so many bytes. */
static char *text_of(uint32_t rank, size_t bytes)
{
	char *text = calloc(1, bytes + 32);

	if (!text)
		exit(1);
	snprintf(text, 32, "rank %u", rank);
	if (bytes > strlen(text))
		memset(text + strlen(text), 'a' + (int)(rank % 26),
		       bytes - strlen(text));
	return text;
}

static unsigned wrong_texts(const struct rt_texts *all, size_t bytes)
{
	unsigned wrong = 0;

	for (uint32_t i = 0; i < all->count; i++) {
		RT_AUTO(rt_auto_free) char *want = text_of(i, bytes);

		wrong += !all->items[i] || strcmp(all->items[i], want) != 0;
	}
	return wrong;
}

/* Up to the root and down again, once. */
static int go_round(struct rt_rendezvous *r, size_t bytes)
{
	RT_AUTO(rt_auto_free) char *mine = text_of(r->rank, bytes);
	RT_AUTO(rt_auto_free) char *back = NULL;
	struct rt_texts all = { 0 };
	struct rt_err err = { 0 };
	unsigned wrong = 0;

	if (r->ops->gather(r, mine, soon(), r->root ? &all : NULL, &err) < 0)
		return failed("gather", &err);
	if (r->root)
		wrong = wrong_texts(&all, bytes);
	if (r->ops->scatter(r, r->root ? &all : NULL, soon(), &back, &err) < 0)
		return failed("scatter", &err);
	rt_texts_free(&all);
	if (wrong || strcmp(mine, back) != 0) {
		fprintf(stderr, "meetprobe: rank %u: texts came back otherwise\n",
			r->rank);
		return 1;
	}
	return 0;
}

static int probe_texts(struct rt_rendezvous *r, size_t bytes)
{
	const int64_t start_ns = rt_monotonic_ns();
	struct rt_texts all = { 0 };
	struct rt_err err = { 0 };
	uint64_t error_ns;
	int64_t offset_ns;
	char mine[300];

	for (unsigned round = 0; round < 3; round++)
		if (go_round(r, bytes) != 0)
			return 1;
	r->ops->clock(r, &offset_ns, &error_ns);
	snprintf(mine, sizeof(mine), "%s offset %lld ns within %llu ns",
		 r->ops->rank_name(r, r->rank), (long long)offset_ns,
		 (unsigned long long)error_ns);
	if (r->ops->gather(r, mine, soon(), r->root ? &all : NULL, &err) < 0)
		return failed("gather", &err);
	for (uint32_t i = 0; i < all.count; i++)
		printf("rank %u: %s\n", i, all.items[i]);
	if (r->root)
		printf("%u ranks, %zu bytes round and back 3 times in %.3f s\n",
		       r->size, bytes, (double)(rt_monotonic_ns() - start_ns) / 1e9);
	rt_texts_free(&all);
	return 0;
}

/* Look for news until there is some; true: there was. */
static bool wait_news(struct rt_rendezvous *r, struct rt_rendezvous_news *news,
		      int64_t until_ns)
{
	while (rt_monotonic_ns() < until_ns) {
		if (r->ops->poll(r, news, NULL) < 0)
			return false;
		if (news->stop || news->root_lost)
			return true;
		usleep(50000);
	}
	return false;
}

static int probe_stop(struct rt_rendezvous *r, uint32_t rank)
{
	struct rt_rendezvous_news news;
	struct rt_err err = { 0 };

	if (go_round(r, 10) != 0)
		return 1;
	if (r->rank == rank && r->ops->stop(r, "it is enough", &err) < 0)
		return failed("stop", &err);
	if (r->rank != rank && !wait_news(r, &news, soon()))
		return failed("no news", &err);
	if (r->rank != rank)
		printf("rank %u: stop \"%s\" from %d\n", r->rank, news.reason,
		       (int)news.stop_rank);
	return go_round(r, 10); /* the run goes on to its report */
}

static int probe_mute(struct rt_rendezvous *r)
{
	struct rt_rendezvous_news news;
	struct rt_err err = { 0 };
	int64_t start_ns;

	if (go_round(r, 10) != 0)
		return 1;
	start_ns = rt_monotonic_ns();
	if (r->root) {
		sleep(4);
		return 0;
	}
	if (!wait_news(r, &news, soon()) || !news.root_lost)
		return failed("no news", &err);
	printf("rank %u: %s after %.1f s\n", r->rank, news.reason,
	       (double)(rt_monotonic_ns() - start_ns) / 1e9);
	return 0;
}

/* The launcher ends the others; whoever it does not end must learn of it. */
static int probe_die(struct rt_rendezvous *r, uint32_t rank)
{
	struct rt_rendezvous_news news;

	if (go_round(r, 10) != 0)
		return 1;
	if (r->rank == rank)
		raise(SIGKILL);
	(void)wait_news(r, &news, soon());
	fprintf(stderr, "rank %u: %s\n", r->rank, news.reason);
	return 0;
}

/* Rank 0 waits for a second, and then goes on without who has not answered. */
static int gather_in_time(struct rt_rendezvous *r)
{
	struct rt_texts all = { 0 };
	struct rt_err err = { 0 };
	int code = r->ops->gather(r, "here", rt_monotonic_ns() + SECOND, &all, &err);

	if (code != -ETIMEDOUT || !r->ops->give_up)
		return failed("nobody was waited for, or cannot be given up", &err);
	if (r->ops->give_up(r, &err) < 0 ||
	    r->ops->gather(r, "here", soon(), &all, &err) < 0)
		return failed("gather once more", &err);
	for (uint32_t i = 0; i < all.count; i++)
		printf("rank %u: %s\n", i, all.items[i] ? all.items[i] : "given up");
	rt_texts_free(&all);
	return 0;
}

static int probe_late(struct rt_rendezvous *r, uint32_t rank)
{
	struct rt_rendezvous_news news;
	struct rt_err err = { 0 };

	if (go_round(r, 10) != 0)
		return 1;
	if (r->root)
		return gather_in_time(r);
	/* It breathes all the time, and so is not lost for its silence. */
	if (r->rank == rank)
		return wait_news(r, &news, soon()) && news.root_lost
			       ? 0
			       : failed("it was not told", &err);
	if (r->ops->gather(r, "here", soon(), NULL, &err) < 0)
		return failed("gather", &err);
	return 0;
}

/* From now on listen() says EACCES, as where a host's rules forbid it. */
static int forbid_listening(void)
{
	struct sock_filter steps[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_listen, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = { sizeof(steps) / sizeof(*steps), steps };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) < 0 ? -errno : 0;
}

/* By the launcher alone: what it can do is done, and what not is said. */
static int probe_fences(struct rt_rendezvous *r, size_t bytes)
{
	struct rt_err err = { 0 };

	if (r->fd >= 0 || r->ops->give_up ||
	    r->ops->stop(r, "it is enough", &err) != -EOPNOTSUPP)
		return failed("there is a side channel", &err);
	return probe_texts(r, bytes);
}

int main(int argc, char **argv)
{
	const struct rt_module *module;
	struct rt_rendezvous *r;
	struct rt_err err = { 0 };
	const uint32_t rank = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
	const bool fences = argc > 1 && strcmp(argv[1], "fences") == 0;
	int status;

	if (fences && forbid_listening() < 0)
		return failed("seccomp", &err);
	if (rt_module_open("pmix", &module, &err) < 0)
		return failed("module", &err);
	if (module->join(&r, &err) < 0)
		return failed("join", &err);
	if (argc > 1 && strcmp(argv[1], "stop") == 0)
		status = probe_stop(r, rank);
	else if (argc > 1 && strcmp(argv[1], "mute") == 0)
		status = probe_mute(r);
	else if (argc > 1 && strcmp(argv[1], "die") == 0)
		status = probe_die(r, rank);
	else if (argc > 1 && strcmp(argv[1], "late") == 0)
		status = probe_late(r, rank);
	else if (fences)
		status = probe_fences(r, argc > 2 ? strtoul(argv[2], NULL, 10) : 100);
	else
		status = probe_texts(r, argc > 1 ? strtoul(argv[1], NULL, 10) : 100);
	r->ops->close(r);
	return status;
}
