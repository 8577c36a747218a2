/* SPDX-License-Identifier: BSD-2-Clause */
/* module.c - the calls of a rendezvous by PMIx, and the module they come in. */
#include "traffic/module.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/own.h"
#include "rocetune/err.h"
#include "traffic/pmix/parts.h"

#define JOIN_NS INT64_C(60000000000)

static struct pmix_meeting *of(struct rt_rendezvous *r)
{
	return (struct pmix_meeting *)r;
}

/* --- by fences of PMIx ------------------------------------------------------------ */

/* Exchanges are numbered, for a key is published once. */
static void next_name(struct pmix_meeting *meeting, char name[16])
{
	snprintf(name, 16, "%u", ++meeting->number);
}

static int gather_all(struct pmix_meeting *meeting, const char *name,
		      struct rt_texts *ret_all, struct rt_err *err)
{
	struct rt_texts all = {
		.items = calloc(meeting->base.size, sizeof(*all.items)),
		.count = meeting->base.size,
	};

	if (!all.items)
		return rt_err_sys(err, -ENOMEM, "cannot hold %u texts",
				  meeting->base.size);
	for (uint32_t i = 0; i < meeting->base.size; i++) {
		const int r = pmix_look(meeting, i, name, &all.items[i], err);

		if (r < 0 && r != -ENOENT) {
			rt_texts_free(&all);
			return r;
		}
	}
	*ret_all = all;
	return 0;
}

static int fence_gather(struct rt_rendezvous *base, const char *mine,
			int64_t deadline_ns, struct rt_texts *ret_all,
			struct rt_err *err)
{
	struct pmix_meeting *meeting = of(base);
	char name[16];
	int r;

	next_name(meeting, name);
	r = pmix_publish(meeting, name, mine, err);
	if (r == 0)
		r = pmix_fence(meeting, deadline_ns, err);
	if (r == 0 && base->root)
		r = gather_all(meeting, name, ret_all, err);
	return r;
}

static int publish_each(struct pmix_meeting *meeting, const char *name,
			const struct rt_texts *texts, struct rt_err *err)
{
	int r = 0;

	if (texts->count != meeting->base.size)
		return rt_err_set(err, -EINVAL, "%zu texts for %u ranks", texts->count,
				  meeting->base.size);
	for (uint32_t i = 0; r == 0 && i < meeting->base.size; i++) {
		char own[32];

		snprintf(own, sizeof(own), "%s.%u", name, i);
		r = pmix_publish(meeting, own, texts->items[i] ? texts->items[i] : "",
				 err);
	}
	return r;
}

static int fence_scatter(struct rt_rendezvous *base, const struct rt_texts *texts,
			 int64_t deadline_ns, char **ret_mine, struct rt_err *err)
{
	struct pmix_meeting *meeting = of(base);
	char name[16], own[32];
	int r = 0;

	next_name(meeting, name);
	snprintf(own, sizeof(own), "%s.%u", name, base->rank);
	if (base->root)
		r = publish_each(meeting, name, texts, err);
	if (r == 0)
		r = pmix_fence(meeting, deadline_ns, err);
	if (r == 0)
		r = pmix_look(meeting, 0, own, ret_mine, err);
	return r;
}

static int fence_stop(struct rt_rendezvous *base, const char *reason,
		      struct rt_err *err)
{
	(void)base, (void)reason;
	return rt_err_set(
		err, -EOPNOTSUPP,
		"not all ranks reach rank 0 by TCP, and PMIx alone cannot ask "
		"them to stop");
}

/* --- by the side channel, whose ranks are those from 1 on ------------------------- */

/* Rank 0's own text before the others'; takes what others holds. */
static int put_first(const char *mine, struct rt_texts *others,
		     struct rt_texts *ret_all, struct rt_err *err)
{
	struct rt_texts all = {
		.items = calloc(others->count + 1, sizeof(*all.items)),
		.count = others->count + 1,
	};

	if (all.items)
		all.items[0] = strdup(mine);
	if (!all.items || !all.items[0]) {
		rt_texts_free(others);
		free(all.items);
		return rt_err_sys(err, -ENOMEM, "cannot hold %zu texts", all.count);
	}
	memcpy(all.items + 1, others->items, others->count * sizeof(*all.items));
	free(others->items);
	*ret_all = all;
	return 0;
}

static int side_gather(struct rt_rendezvous *base, const char *mine,
		       int64_t deadline_ns, struct rt_texts *ret_all,
		       struct rt_err *err)
{
	struct rt_rendezvous *side = of(base)->side;
	struct rt_texts others;
	int r;

	if (!base->root)
		return side->ops->gather(side, mine, deadline_ns, NULL, err);
	if (strlen(mine) > RT_RENDEZVOUS_TEXT_BYTES)
		return rt_err_set(err, -E2BIG, "a text of %zu bytes is above %u",
				  strlen(mine), RT_RENDEZVOUS_TEXT_BYTES);
	r = side->ops->gather(side, NULL, deadline_ns, &others, err);
	return r < 0 ? r : put_first(mine, &others, ret_all, err);
}

static int side_scatter(struct rt_rendezvous *base, const struct rt_texts *texts,
			int64_t deadline_ns, char **ret_mine, struct rt_err *err)
{
	struct rt_rendezvous *side = of(base)->side;
	RT_AUTO(rt_auto_free) char *mine = NULL;
	struct rt_texts others;
	int r;

	if (!base->root)
		return side->ops->scatter(side, NULL, deadline_ns, ret_mine, err);
	if (texts->count != base->size)
		return rt_err_set(err, -EINVAL, "%zu texts for %u ranks", texts->count,
				  base->size);
	mine = strdup(texts->items[0] ? texts->items[0] : "");
	if (!mine)
		return rt_err_sys(err, -ENOMEM, "cannot hold a text");
	others = (struct rt_texts){ texts->items + 1, texts->count - 1 };
	r = side->ops->scatter(side, &others, deadline_ns, NULL, err);
	if (r == 0)
		*ret_mine = rt_steal(&mine);
	return r;
}

static int side_give_up(struct rt_rendezvous *base, struct rt_err *err)
{
	struct rt_rendezvous *side = of(base)->side;

	return side->ops->give_up(side, err);
}

static int side_stop(struct rt_rendezvous *base, const char *reason, struct rt_err *err)
{
	struct rt_rendezvous *side = of(base)->side;

	return side->ops->stop(side, reason, err);
}

/* --- both ------------------------------------------------------------------------- */

static int pmix_poll(struct rt_rendezvous *base, struct rt_rendezvous_news *ret_news,
		     struct rt_err *err)
{
	struct pmix_meeting *meeting = of(base);
	struct rt_rendezvous_news news = { .stop_rank = RT_RANK_NONE };
	int r = 0;

	if (meeting->side)
		r = meeting->side->ops->poll(meeting->side, &news, err);
	if (r < 0)
		return r;
	if (news.stop && news.stop_rank != RT_RANK_NONE)
		news.stop_rank++; /* there rank 0 is none */
	if (atomic_load(&meeting->lost) && !news.root_lost) {
		news.root_lost = true;
		if (!news.stop)
			snprintf(news.reason, sizeof(news.reason),
				 "the launcher is lost");
	}
	*ret_news = news;
	return 0;
}

static void pmix_clock(struct rt_rendezvous *base, int64_t *ret_offset_ns,
		       uint64_t *ret_error_ns)
{
	struct pmix_meeting *meeting = of(base);

	if (meeting->side && !pmix_hosts_one_clock(meeting))
		meeting->side->ops->clock(meeting->side, ret_offset_ns, ret_error_ns);
	else
		pmix_hosts_clock(meeting, ret_offset_ns, ret_error_ns);
}

static const char *pmix_rank_name(struct rt_rendezvous *base, uint32_t rank)
{
	return rank < base->size ? of(base)->names[rank] : "rank 0";
}

static void meeting_free(struct pmix_meeting *meeting)
{
	if (meeting->side)
		meeting->side->ops->close(meeting->side);
	free(meeting->side_names);
	free(meeting->side_name_list);
	free(meeting->names);
	free(meeting);
}

static void pmix_close(struct rt_rendezvous *base)
{
	pmix_end(of(base));
	meeting_free(of(base));
}

/* All ranks or none take part in a fence: nobody can be given up. */
static const struct rt_rendezvous_ops fence_ops = {
	.name = "pmix",
	.gather = fence_gather,
	.scatter = fence_scatter,
	.stop = fence_stop,
	.poll = pmix_poll,
	.clock = pmix_clock,
	.rank_name = pmix_rank_name,
	.close = pmix_close,
};

/* Where all ranks reach rank 0 by TCP; who met whom is PMIx's still. */
static const struct rt_rendezvous_ops side_ops = {
	.name = "pmix",
	.gather = side_gather,
	.scatter = side_scatter,
	.give_up = side_give_up,
	.stop = side_stop,
	.poll = pmix_poll,
	.clock = pmix_clock,
	.rank_name = pmix_rank_name,
	.close = pmix_close,
};

static int join(struct rt_rendezvous **ret_rendezvous, struct rt_err *err)
{
	const int64_t deadline_ns = rt_monotonic_ns() + JOIN_NS;
	struct pmix_meeting *meeting;
	int r;

	/* Without a launcher PMIx_Init() looks for one where none need be asked. */
	if (!getenv("PMIX_RANK"))
		return rt_err_set(err, -ENOENT,
				  "PMIX_RANK is not set: not started by mpirun or "
				  "srun --mpi=pmix");
	meeting = calloc(1, sizeof(*meeting));
	if (!meeting)
		return rt_err_sys(err, -ENOMEM, "cannot join");
	meeting->base.ops = &fence_ops;
	meeting->base.fd = -1;
	r = pmix_begin(meeting, err);
	if (r < 0) {
		free(meeting);
		return r;
	}
	r = pmix_hosts_meet(meeting, deadline_ns, err);
	if (r == 0)
		r = pmix_side_open(meeting, deadline_ns, err);
	if (r < 0) {
		pmix_close(&meeting->base);
		return r;
	}
	if (meeting->side)
		meeting->base.ops = &side_ops;
	*ret_rendezvous = &meeting->base;
	return 0;
}

const struct rt_module rt_module = {
	.abi = RT_MODULE_ABI,
	.name = "pmix",
	.join = join,
};
