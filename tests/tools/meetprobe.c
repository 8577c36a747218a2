/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * meetprobe.c - meet by a launcher's PMIx and try what a run needs of it.
 *
 *	mpirun -n 9 meetprobe [BYTES]		texts round and back, clocks; sums at rank 0
 *	mpirun -n 9 meetprobe stop RANK		RANK asks all to stop, all say so
 *	mpirun -n 9 meetprobe mute		rank 0 stops breathing, all others notice
 *	mpirun -n 9 meetprobe die RANK		RANK is killed; nobody else should end alone
 *
 * The module is looked for beside this program.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

int main(int argc, char **argv)
{
	const struct rt_module *module;
	struct rt_rendezvous *r;
	struct rt_err err = { 0 };
	const uint32_t rank = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
	int status;

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
	else
		status = probe_texts(r, argc > 1 ? strtoul(argv[1], NULL, 10) : 100);
	r->ops->close(r);
	return status;
}
