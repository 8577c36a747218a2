/* SPDX-License-Identifier: BSD-2-Clause */
/* The coordinator's rendezvous calls. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/own.h"
#include "base/text.h"
#include "rocetune/err.h"
#include "traffic/tcp_agent.h"
#include "traffic/tcp_root.h"

#define STEP_MS    50
#define GOODBYE_NS INT64_C(500000000)
#define NAMES_TOLD 8u

static struct rt_tcp_root *of(struct rt_rendezvous *r)
{
	return (struct rt_tcp_root *)r;
}

/* Not there, or there and still measuring our clock, for which it needs our answers. */
static bool is_absent(const struct rt_tcp_root *root, uint32_t rank)
{
	const struct rt_tcp_rank *member = &root->ranks[rank];

	return member->state == RT_TCP_ABSENT ||
	       (member->state == RT_TCP_PRESENT && member->probes < RT_TCP_JOIN_PROBES);
}

static const struct rt_tcp_waiting *text_now(const struct rt_tcp_root *root,
					     uint32_t rank)
{
	const struct rt_tcp_rank *member = &root->ranks[rank];

	return member->ahead_count && member->ahead[0].number == root->number
		       ? &member->ahead[0]
		       : NULL;
}

static bool owes_text(const struct rt_tcp_root *root, uint32_t rank)
{
	return root->ranks[rank].state == RT_TCP_PRESENT && !text_now(root, rank);
}

static bool owes_reading(const struct rt_tcp_root *root, uint32_t rank)
{
	return root->ranks[rank].state == RT_TCP_PRESENT &&
	       rt_tcp_line_unsent(&root->ranks[rank].guest->line) > 0;
}

static int step_ms(int64_t left_ns)
{
	if (left_ns <= 0)
		return 0;
	return left_ns < STEP_MS * INT64_C(1000000) ? (int)(left_ns / 1000000 + 1)
						    : STEP_MS;
}

/* Work until nobody lacks what is asked for (0), or until_ns (-ETIMEDOUT, named). */
static int wait_for_all(struct rt_tcp_root *root, int64_t until_ns,
			bool (*lacks)(const struct rt_tcp_root *root, uint32_t rank),
			const char *what, struct rt_err *err)
{
	for (bool late = false;;) {
		const int64_t left_ns = until_ns - rt_monotonic_ns();
		uint32_t lacking = 0;
		char names[300];
		struct rt_line line = { names, sizeof(names), 0 };
		int r;

		for (uint32_t i = 0; i < root->base.size; i++)
			if (lacks(root, i) && lacking++ < NAMES_TOLD)
				rt_line_put(&line, "%s%s", line.used ? ", " : "",
					    root->ranks[i].name);
		if (!lacking)
			return 0;
		if (late)
			return rt_err_set(err, -ETIMEDOUT, "%u of %u agents %s: %s%s",
					  lacking, root->base.size, what,
					  line.used ? names : "any",
					  lacking > NAMES_TOLD ? ", ..." : "");
		late = left_ns <= 0; /* then one last look */
		r = rt_tcp_root_step(root, step_ms(left_ns), err);
		if (r < 0)
			return r;
	}
}

int rt_tcp_meet(struct rt_rendezvous *r, int64_t until_ns, struct rt_err *err)
{
	return wait_for_all(of(r), until_ns, is_absent, "have not joined", err);
}

uint32_t rt_tcp_joined(const struct rt_rendezvous *root)
{
	return ((const struct rt_tcp_root *)root)->joined;
}

const char *rt_tcp_address(const struct rt_rendezvous *root)
{
	return ((const struct rt_tcp_root *)root)->address;
}

/* Texts that were due in a call that was given up: nobody will ask for them. */
static void drop_old(struct rt_tcp_root *root, struct rt_tcp_rank *member)
{
	while (member->ahead_count && member->ahead[0].number < root->number) {
		rt_tcp_text_drop(&root->budget, member->ahead[0].text);
		memmove(member->ahead, member->ahead + 1,
			--member->ahead_count * sizeof(*member->ahead));
	}
}

/* The next number, unless the last call was the same and ran out of time. */
static int ask(struct rt_tcp_root *root, enum rt_tcp_call call, bool *ret_again,
	       struct rt_err *err)
{
	if (!root->begun)
		return rt_err_set(err, -EINVAL, "not all agents are there yet");
	*ret_again = root->asking == call;
	root->number += !*ret_again;
	root->asking = call;
	for (uint32_t i = 0; i < root->base.size && !*ret_again; i++)
		drop_old(root, &root->ranks[i]);
	return 0;
}

static void take_texts(struct rt_tcp_root *root, char **items)
{
	for (uint32_t i = 0; i < root->base.size; i++) {
		struct rt_tcp_rank *member = &root->ranks[i];

		if (!text_now(root, i))
			continue;
		items[i] = rt_tcp_text_hand_over(&root->budget, member->ahead[0].text);
		memmove(member->ahead, member->ahead + 1,
			--member->ahead_count * sizeof(*member->ahead));
	}
}

static int root_gather(struct rt_rendezvous *r, const char *mine, int64_t deadline_ns,
		       struct rt_texts *ret_all, struct rt_err *err)
{
	struct rt_tcp_root *root = of(r);
	bool again;
	char **items;
	int code = ask(root, RT_TCP_CALL_GATHER, &again, err);

	(void)mine; /* the root is no rank */
	if (code < 0)
		return code;
	code = wait_for_all(root, deadline_ns, owes_text, "have not answered", err);
	if (code < 0)
		return code;
	items = calloc(root->base.size, sizeof(*items));
	if (!items)
		return rt_err_sys(err, -ENOMEM, "cannot hold %u texts",
				  root->base.size);
	take_texts(root, items);
	root->asking = RT_TCP_CALL_NONE;
	*ret_all = (struct rt_texts){ .items = items, .count = root->base.size };
	return 0;
}

/* Who has not done its part of the call that is under way is waited for no more. */
static int root_give_up(struct rt_rendezvous *r, struct rt_err *err)
{
	struct rt_tcp_root *root = of(r);

	(void)err;
	for (uint32_t i = 0; i < root->base.size; i++)
		if (root->asking == RT_TCP_CALL_GATHER    ? owes_text(root, i)
		    : root->asking == RT_TCP_CALL_SCATTER ? owes_reading(root, i)
							  : false)
			rt_tcp_rank_gone(root, i, "it did not answer in time");
	return 0;
}

static int check_texts(const struct rt_tcp_root *root, const struct rt_texts *texts,
		       struct rt_err *err)
{
	if (texts->count != root->base.size)
		return rt_err_set(err, -EINVAL, "%zu texts for %u ranks", texts->count,
				  root->base.size);
	for (size_t i = 0; i < texts->count; i++)
		if (texts->items[i] &&
		    strlen(texts->items[i]) > RT_RENDEZVOUS_TEXT_BYTES)
			return rt_err_set(err, -E2BIG,
					  "the text for rank %zu is above %u bytes", i,
					  RT_RENDEZVOUS_TEXT_BYTES);
	return 0;
}

static int root_scatter(struct rt_rendezvous *r, const struct rt_texts *texts,
			int64_t deadline_ns, char **ret_mine, struct rt_err *err)
{
	struct rt_tcp_root *root = of(r);
	bool again;
	int code = check_texts(root, texts, err);

	if (code == 0)
		code = ask(root, RT_TCP_CALL_SCATTER, &again, err);
	if (code < 0)
		return code;
	for (uint32_t i = 0; i < root->base.size && !again; i++)
		if (root->ranks[i].state == RT_TCP_PRESENT)
			rt_tcp_root_after_put(
				root, i,
				rt_tcp_line_put_text(&root->ranks[i].guest->line,
						     RT_TCP_SCATTER, root->number,
						     texts->items[i] ? texts->items[i]
								     : ""));
	code = wait_for_all(root, deadline_ns, owes_reading, "do not read", err);
	if (code < 0)
		return code;
	root->asking = RT_TCP_CALL_NONE;
	if (ret_mine)
		*ret_mine = NULL;
	return 0;
}

static int root_stop(struct rt_rendezvous *r, const char *reason, struct rt_err *err)
{
	struct rt_tcp_stop stop = { .rank = RT_RANK_NONE };
	struct rt_tcp_small frame;

	(void)err;
	snprintf(stop.reason, sizeof(stop.reason), "%s", reason);
	rt_tcp_stop_write(&stop, &frame);
	rt_tcp_root_say_to_all(of(r), RT_RANK_NONE, &frame);
	return 0;
}

static int root_poll(struct rt_rendezvous *r, struct rt_rendezvous_news *ret_news,
		     struct rt_err *err)
{
	struct rt_tcp_root *root = of(r);
	int code = rt_tcp_root_step(root, 0, err);

	if (code < 0)
		return code;
	*ret_news = root->news;
	ret_news->lost = root->lost;
	root->news = (struct rt_rendezvous_news){ .stop_rank = RT_RANK_NONE };
	return 0;
}

static void root_clock(struct rt_rendezvous *r, int64_t *ret_offset_ns,
		       uint64_t *ret_error_ns)
{
	(void)r;
	*ret_offset_ns = 0;
	*ret_error_ns = 0;
}

static const char *root_rank_name(struct rt_rendezvous *r, uint32_t rank)
{
	return rank < r->size ? of(r)->ranks[rank].name : "coordinator";
}

static bool is_present(const struct rt_tcp_root *root, uint32_t rank)
{
	return root->ranks[rank].state == RT_TCP_PRESENT;
}

static void say_goodbye(struct rt_tcp_root *root)
{
	struct rt_tcp_small bye;

	rt_tcp_times_write(RT_TCP_BYE, NULL, 0, &bye);
	rt_tcp_root_say_to_all(root, RT_RANK_NONE, &bye);
	for (uint32_t i = 0; i < root->base.size; i++)
		if (is_present(root, i) && !owes_reading(root, i))
			shutdown(root->ranks[i].guest->line.fd, SHUT_WR);
	/* Closing at once could take the last words back from who has not read them. */
	(void)wait_for_all(root, rt_monotonic_ns() + GOODBYE_NS, is_present, "stay",
			   NULL);
}

static void root_close(struct rt_rendezvous *r)
{
	struct rt_tcp_root *root = of(r);

	root->config.note = NULL; /* who leaves now is not lost */
	say_goodbye(root);
	rt_tcp_root_free(root);
}

const struct rt_rendezvous_ops rt_tcp_root_ops = {
	.name = "tcp",
	.gather = root_gather,
	.scatter = root_scatter,
	.stop = root_stop,
	.give_up = root_give_up,
	.poll = root_poll,
	.clock = root_clock,
	.rank_name = root_rank_name,
	.close = root_close,
};

static void root_heard(struct rt_tcp_root *root)
{
	const int64_t now_ns = rt_monotonic_ns();

	for (uint32_t i = 0; i < root->guest_count; i++)
		if (root->guests[i].state == RT_TCP_JOINED)
			root->guests[i].line.heard_ns = now_ns;
}

void rt_tcp_heard(struct rt_rendezvous *r)
{
	if (r->root)
		root_heard(of(r));
	else
		rt_tcp_agent_heard(r);
}
