/* SPDX-License-Identifier: BSD-2-Clause */
/* Coordinator and agents over socketpairs, all in one thread: texts, stops, losses. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/own.h"
#include "meeting.h"
#include "rocetune/err.h"
#include "traffic/tcp_agent.h"
#include "traffic/tcp_root.h"

struct family {
	struct rt_rendezvous *root, *agents[3];
	struct notes notes;
};

static void family_open(struct family *family)
{
	static const char *const names[] = { "h1", "h2", "h3" };
	const struct rt_tcp_serve config = {
		.size = 3,
		.names = names,
		.note = take_note,
		.context = &family->notes,
	};
	int ours[3], theirs[3];

	memset(family, 0, sizeof(*family));
	for (unsigned i = 0; i < 3; i++) {
		int pair[2];

		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
		ours[i] = pair[0];
		theirs[i] = pair[1];
	}
	assert_int_equal(rt_tcp_serve_fds(&config, ours, &family->root, NULL), 0);
	for (uint32_t i = 0; i < 3; i++)
		join(theirs[i], (struct rt_tcp_member){ i, 3, names[i] },
		     &family->agents[i]);
}

static void family_close(struct family *family)
{
	for (unsigned i = 0; i < 3; i++) /* in one thread nobody waits for the other */
		if (family->agents[i])
			shutdown(family->agents[i]->fd, SHUT_RDWR);
	if (family->root)
		family->root->ops->close(family->root);
	for (unsigned i = 0; i < 3; i++)
		if (family->agents[i])
			family->agents[i]->ops->close(family->agents[i]);
}

static struct rt_tcp_agent *inside(struct rt_rendezvous *agent)
{
	return (struct rt_tcp_agent *)agent;
}

static int agent_gather(struct rt_rendezvous *agent, const char *text)
{
	return agent->ops->gather(agent, text, soon(), NULL, NULL);
}

static void test_texts_go_round(void **state)
{
	char *gifts[3] = { "zero", "", NULL };
	const struct rt_texts out = { gifts, 3 };
	const char *const got[] = { "zero", "", "" };
	struct family family;
	struct rt_texts all;

	(void)state;
	family_open(&family);
	for (unsigned round = 0; round < 3; round++) {
		assert_int_equal(agent_gather(family.agents[2], "c"), 0);
		assert_int_equal(agent_gather(family.agents[0], "a"), 0);
		assert_int_equal(agent_gather(family.agents[1], "b"), 0);
		assert_int_equal(
			family.root->ops->gather(family.root, NULL, soon(), &all, NULL),
			0);
		assert_int_equal(all.count, 3);
		for (unsigned i = 0; i < 3; i++)
			assert_string_equal(all.items[i],
					    ((const char *[]){ "a", "b", "c" })[i]);
		rt_texts_free(&all);
		assert_int_equal(family.root->ops->scatter(family.root, &out, soon(),
							   NULL, NULL),
				 0);
		for (unsigned i = 0; i < 3; i++) {
			struct rt_rendezvous *agent = family.agents[i];
			char *mine;

			assert_int_equal(
				agent->ops->scatter(agent, NULL, soon(), &mine, NULL),
				0);
			assert_string_equal(mine, got[i]);
			free(mine);
		}
	}
	assert_int_equal(family.notes.count, 0);
	family_close(&family);
}

/* A call that ran out of time is gone on with by calling it again. */
static void test_missing_ranks_are_named_and_waited_for(void **state)
{
	struct rt_err err = { 0 };
	struct family family;
	struct rt_texts all;
	char *mine;

	(void)state;
	family_open(&family);
	assert_int_equal(agent_gather(family.agents[1], "b"), 0);
	assert_int_equal(family.root->ops->gather(family.root, NULL,
						  rt_monotonic_ns() + SECOND / 20, &all,
						  &err),
			 -ETIMEDOUT);
	assert_string_equal(err.msg, "2 of 3 agents have not answered: h1, h3");
	assert_int_equal(family.agents[0]->ops->scatter(family.agents[0], NULL,
							rt_monotonic_ns() + SECOND / 20,
							&mine, &err),
			 -ETIMEDOUT);
	family.agents[0]->ops->close(rt_steal(&family.agents[0]));
	assert_int_equal(agent_gather(family.agents[2], "c"), 0);
	assert_int_equal(
		family.root->ops->gather(family.root, NULL, soon(), &all, NULL), 0);
	assert_null(all.items[0]);
	assert_string_equal(all.items[1], "b");
	rt_texts_free(&all);
	assert_int_equal(news_of(family.root).lost, 0); /* it said goodbye */
	family_close(&family);
}

/* Another call after one that ran out of time is no second try of it. */
static void test_a_call_that_is_given_up_is_left_behind(void **state)
{
	char *gifts[3] = { "zero", "one", "two" };
	const struct rt_texts texts = { .items = gifts, .count = 3 };
	struct family family;
	struct rt_texts all;
	char *mine;

	(void)state;
	family_open(&family);
	assert_int_equal(agent_gather(family.agents[1], "b"), 0);
	assert_int_equal(family.root->ops->gather(family.root, NULL,
						  rt_monotonic_ns() + SECOND / 20, &all,
						  NULL),
			 -ETIMEDOUT);
	assert_int_equal(
		family.root->ops->scatter(family.root, &texts, soon(), NULL, NULL), 0);
	assert_int_equal(agent_gather(family.agents[0], "late"), 0);
	assert_int_equal(agent_gather(family.agents[2], "late"), 0);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(family.agents[i]->ops->scatter(family.agents[i], NULL,
								soon(), &mine, NULL),
				 0);
		assert_string_equal(mine, gifts[i]);
		free(mine);
		assert_int_equal(agent_gather(family.agents[i], "new"), 0);
	}
	assert_int_equal(
		family.root->ops->gather(family.root, NULL, soon(), &all, NULL), 0);
	for (unsigned i = 0; i < 3; i++)
		assert_string_equal(all.items[i], "new");
	rt_texts_free(&all);
	family_close(&family);
}

/* Who is there but does not answer is lost by decision, and the others' texts remain. */
static void test_who_does_not_answer_can_be_given_up(void **state)
{
	struct family family;
	struct rt_texts all;

	(void)state;
	family_open(&family);
	assert_int_equal(agent_gather(family.agents[0], "a"), 0);
	assert_int_equal(agent_gather(family.agents[2], "c"), 0);
	assert_int_equal(family.root->ops->gather(family.root, NULL,
						  rt_monotonic_ns() + SECOND / 20, &all,
						  NULL),
			 -ETIMEDOUT);
	assert_int_equal(family.root->ops->give_up(family.root, NULL), 0);
	assert_int_equal(
		family.root->ops->gather(family.root, NULL, soon(), &all, NULL), 0);
	assert_string_equal(all.items[0], "a");
	assert_null(all.items[1]);
	assert_string_equal(all.items[2], "c");
	rt_texts_free(&all);
	assert_int_equal(news_of(family.root).lost, 1);
	family_close(&family);
}

/* Texts that wait to be asked for are memory, too. */
static void test_texts_ahead_are_charged(void **state)
{
	static const char *const names[] = { "h1" };
	struct notes notes = { 0 };
	const struct rt_tcp_serve config = {
		.size = 1,
		.names = names,
		.memory_bytes = 256 << 10,
		.note = take_note,
		.context = &notes,
	};
	struct rt_rendezvous *root, *agent;
	static char text[(60 << 10) + 1];
	int pair[2];

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	assert_int_equal(rt_tcp_serve_fds(&config, &pair[0], &root, NULL), 0);
	join(pair[1], (struct rt_tcp_member){ 0, 1, "h1" }, &agent);
	for (unsigned i = 0; i < 4 && !notes.count; i++) {
		(void)agent->ops->gather(agent, text, rt_monotonic_ns() + SECOND, NULL,
					 NULL);
		for (unsigned k = 0; k < 8; k++)
			(void)news_of(root);
	}
	assert_string_equal(notes.text, "h1 is lost: all buffers together are full\n");
	root->ops->close(root);
	agent->ops->close(agent);
}

/* A rank dies without a word: the others go on, and it is named. */
static void test_lost_rank_leaves_a_gap(void **state)
{
	struct family family;
	struct rt_texts all;

	(void)state;
	family_open(&family);
	assert_int_equal(agent_gather(family.agents[0], "a"), 0);
	assert_int_equal(agent_gather(family.agents[2], "c"), 0);
	shutdown(family.agents[1]->fd, SHUT_RDWR);
	assert_int_equal(
		family.root->ops->gather(family.root, NULL, soon(), &all, NULL), 0);
	assert_string_equal(all.items[0], "a");
	assert_null(all.items[1]);
	assert_string_equal(all.items[2], "c");
	rt_texts_free(&all);
	assert_int_equal(news_of(family.root).lost, 1);
	assert_string_equal(family.notes.text, "h2 is lost: it hung up\n");
	assert_string_equal(family.root->ops->rank_name(family.root, 1), "h2");
	assert_true(news_of(family.agents[1]).root_lost);
	assert_int_equal(agent_gather(family.agents[1], "b"), -ECONNRESET);
	family_close(&family);
}

static void test_stop_reaches_all_but_who_asked(void **state)
{
	struct rt_rendezvous_news news;
	struct family family;

	(void)state;
	family_open(&family);
	assert_int_equal(
		family.agents[1]->ops->stop(family.agents[1], "port \033down", NULL),
		0);
	news = news_of(family.root);
	assert_true(news.stop);
	assert_int_equal(news.stop_rank, 1);
	assert_string_equal(news.reason, "port ?down");
	assert_false(news_of(family.root).stop); /* told once */
	news = news_of(family.agents[2]);
	assert_true(news.stop);
	assert_int_equal(news.stop_rank, 1);
	assert_false(news_of(family.agents[1]).stop);

	assert_int_equal(family.root->ops->stop(family.root, "loss", NULL), 0);
	for (unsigned i = 0; i < 3; i++) {
		news = news_of(family.agents[i]);
		if (i == 0) /* of two reasons the first is told */
			assert_string_equal(news.reason, "port ?down");
		else
			assert_int_equal(news.stop_rank, RT_RANK_NONE);
		assert_true(news.stop);
		assert_false(news.root_lost);
	}
	family_close(&family);
}

static void test_root_that_ends_or_dies_is_noticed(void **state)
{
	struct rt_rendezvous_news news;
	struct family family;
	char *mine;

	(void)state;
	family_open(&family);
	family.root->ops->close(rt_steal(&family.root));
	for (unsigned i = 0; i < 3; i++) {
		news = news_of(family.agents[i]);
		assert_true(news.root_lost);
		assert_non_null(strstr(news.reason, "has ended the run"));
		assert_int_equal(family.agents[i]->ops->scatter(family.agents[i], NULL,
								soon(), &mine, NULL),
				 -ECONNRESET);
	}
	family_close(&family);
}

/* Its last word came so long ago; who was busy meanwhile reads before it judges. */
static void test_silence_is_loss(void **state)
{
	static const struct {
		const char *label;
		int64_t ago_ns;
		bool by_fence, unread; /* heard by other means; or not read yet */
		bool lost;
	} rows[] = {
		{ "a while", RT_RENDEZVOUS_SILENCE_NS / 3, false, false, false },
		{ "too long", RT_RENDEZVOUS_SILENCE_NS + 1, false, false, true },
		{ "heard by a fence", 100 * SECOND, true, false, false },
		{ "heard, but not read yet", 100 * SECOND, false, true, false },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct rt_rendezvous_news news;
		struct rt_rendezvous *agent;
		struct rt_tcp_small alive;
		int pair[2];

		print_message("# %s\n", rows[i].label);
		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
		join(pair[0], (struct rt_tcp_member){ 0, 1, "h1" }, &agent);
		rt_tcp_times_write(RT_TCP_ALIVE, NULL, 0, &alive);
		if (rows[i].unread)
			assert_int_equal(send(pair[1], alive.bytes, alive.used, 0),
					 alive.used);
		inside(agent)->line.heard_ns = rt_monotonic_ns() - rows[i].ago_ns;
		if (rows[i].by_fence)
			rt_tcp_heard(agent);
		news = news_of(agent);
		assert_int_equal(news.root_lost, rows[i].lost);
		if (rows[i].lost)
			assert_string_equal(news.reason, "the coordinator is lost: it "
							 "says nothing any more");
		shutdown(pair[1], SHUT_RDWR);
		agent->ops->close(agent);
		close(pair[1]);
	}
}

/* An agent may be busy for ten seconds, and nobody waits for it after that. */
static void test_silent_agents_are_lost(void **state)
{
	static const struct {
		const char *label;
		int64_t ago_ns;
		bool by_fence, unread;
		uint32_t lost;
	} rows[] = {
		{ "a while", RT_TCP_AGENT_SILENCE_NS / 2, false, false, 0 },
		{ "too long", RT_TCP_AGENT_SILENCE_NS + 1, false, false, 1 },
		{ "heard by a fence", 100 * SECOND, true, false, 0 },
		{ "heard, but not read yet", 100 * SECOND, false, true, 0 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct family family;
		struct rt_tcp_root *root;

		print_message("# %s\n", rows[i].label);
		family_open(&family);
		root = (struct rt_tcp_root *)family.root;
		(void)news_of(family.root);
		if (rows[i].unread)
			(void)news_of(family.agents[1]); /* asks for the time */
		root->ranks[1].guest->line.heard_ns = rt_monotonic_ns() -
						      rows[i].ago_ns;
		if (rows[i].by_fence)
			rt_tcp_heard(family.root);
		root->tended_ns = 0; /* it is due */
		assert_int_equal(news_of(family.root).lost, rows[i].lost);
		assert_string_equal(
			family.notes.text,
			rows[i].lost ? "h2 is lost: it says nothing any more\n" : "");
		assert_int_equal(news_of(family.agents[1]).root_lost, rows[i].lost);
		assert_false(news_of(family.agents[2]).root_lost);
		family_close(&family);
	}
}

/* Who has nothing to say says so, before the other end loses patience. */
static void test_both_ends_speak_when_it_is_due(void **state)
{
	struct rt_tcp_root *root;
	struct family family;
	int64_t heard_ns;

	(void)state;
	family_open(&family);
	root = (struct rt_tcp_root *)family.root;
	root->ranks[0].guest->line.spoke_ns -= 2 * RT_TCP_BEAT_NS;
	root->tended_ns = 0;
	(void)news_of(family.root);
	heard_ns = inside(family.agents[0])->line.heard_ns;
	(void)news_of(family.agents[0]);
	assert_true(inside(family.agents[0])->line.heard_ns > heard_ns);

	(void)news_of(family.root);
	assert_int_equal(root->ranks[0].probes, 1);
	inside(family.agents[0])->probed_ns -= SECOND;
	(void)news_of(family.agents[0]);
	(void)news_of(family.root);
	assert_int_equal(root->ranks[0].probes, 2);
	family_close(&family);
}

/* Who asks for a stop is whose connection it came over, whatever it says. */
static void test_a_stop_is_of_who_sent_it(void **state)
{
	const struct rt_tcp_stop stop = { .rank = 2, .reason = "it was h3" };
	struct rt_rendezvous_news news;
	struct rt_tcp_small frame;
	struct family family;

	(void)state;
	family_open(&family);
	rt_tcp_stop_write(&stop, &frame);
	assert_int_equal(send(family.agents[0]->fd, frame.bytes, frame.used, 0),
			 frame.used);
	news = news_of(family.root);
	assert_true(news.stop);
	assert_int_equal(news.stop_rank, 0);
	for (unsigned i = 1; i < 3; i++) {
		news = news_of(family.agents[i]);
		assert_true(news.stop);
		assert_int_equal(news.stop_rank, 0);
		assert_string_equal(news.reason, "it was h3");
	}
	assert_false(news_of(family.agents[0]).stop);
	family_close(&family);
}

/*
 * The root's answer, round_ns after we asked: by then its clock was ahead of ours by
 * ahead times a thousand seconds.
 */
static void answer(int fd, struct rt_rendezvous *agent, int64_t round_ns, int64_t ahead)
{
	const int64_t now_ns = rt_monotonic_ns();
	const int64_t times[] = { now_ns - round_ns,
				  now_ns - round_ns / 2 + ahead * 1000 * SECOND };
	struct rt_tcp_small echo;

	rt_tcp_times_write(RT_TCP_ECHO, times, 2, &echo);
	assert_int_equal(send(fd, echo.bytes, echo.used, 0), echo.used);
	(void)news_of(agent);
}

/* Of several the quickest, until it is so old that clocks may have parted. */
static void test_the_surest_answer_sets_the_clock(void **state)
{
	static const struct {
		const char *label;
		int64_t round_ns, ahead;
		int64_t ages_s; /* the best so far is so old by then */
		int64_t best;   /* its ahead */
		unsigned probes;
	} rows[] = {
		{ "older than any question", 11 * SECOND, 9, 0, 0, 0 },
		{ "to what is not asked yet", -5 * SECOND, 9, 0, 0, 0 },
		{ "at no time there is", SECOND, -1000000, 0, 0, 0 },
		{ "the first", 2 * SECOND, 1, 0, 1, 1 },
		{ "a slower one", 9 * SECOND, 2, 0, 1, 2 },
		{ "a quicker one", SECOND / 10, 3, 0, 3, 3 },
		{ "a slower one again", 9 * SECOND, 4, 0, 3, 4 },
		{ "as sure as what is left of the best", 9 * SECOND, 5, 100000, 5, 5 },
	};
	struct rt_rendezvous *agent;
	uint64_t error_ns;
	int64_t ahead_ns;
	int pair[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	join(pair[0], (struct rt_tcp_member){ 0, 1, "h1" }, &agent);
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		print_message("# %s\n", rows[i].label);
		inside(agent)->one_clock = false;
		inside(agent)->best.at_ns -= rows[i].ages_s * SECOND;
		answer(pair[1], agent, rows[i].round_ns, rows[i].ahead);
		assert_int_equal(inside(agent)->probes, rows[i].probes);
		agent->ops->clock(agent, &ahead_ns, &error_ns);
		if (rows[i].probes)
			assert_true((uint64_t)llabs(ahead_ns -
						    rows[i].best * 1000 * SECOND) <=
				    error_ns);
		inside(agent)->one_clock = true;
		agent->ops->clock(agent, &ahead_ns, &error_ns);
		assert_int_equal(ahead_ns, 0);
		assert_int_equal(error_ns, 0);
	}
	/* 100 ppm of 100000 s are the error that it has gained since. */
	inside(agent)->one_clock = false;
	inside(agent)->best.at_ns -= 100000 * SECOND;
	agent->ops->clock(agent, &ahead_ns, &error_ns);
	assert_true(error_ns >= 14 * (uint64_t)SECOND);
	shutdown(pair[1], SHUT_RDWR);
	agent->ops->close(agent);
	close(pair[1]);
}

/* Any text to the limit goes through, one above it does not. */
static void test_large_texts(void **state)
{
	const size_t bytes = RT_RENDEZVOUS_TEXT_BYTES;
	char *text = malloc(bytes + 2);
	struct family family;
	struct rt_texts all;
	struct rt_err err = { 0 };
	int r;

	(void)state;
	assert_non_null(text);
	memset(text, 'x', bytes + 1);
	text[bytes + 1] = '\0';
	family_open(&family);
	assert_int_equal(agent_gather(family.agents[0], text), -E2BIG);
	text[bytes] = '\0';
	assert_int_equal(agent_gather(family.agents[1], ""), 0);
	assert_int_equal(agent_gather(family.agents[2], "c"), 0);
	/* Both ends of this one must move in turn. */
	do {
		r = family.agents[0]->ops->gather(family.agents[0], text,
						  rt_monotonic_ns() + 1000000, NULL,
						  NULL);
		(void)news_of(family.root);
	} while (r == -ETIMEDOUT);
	assert_int_equal(r, 0);
	assert_int_equal(
		family.root->ops->gather(family.root, NULL, soon(), &all, &err), 0);
	assert_int_equal(strlen(all.items[0]), bytes);
	rt_texts_free(&all);
	free(text);
	family_close(&family);
}

/* A rank that sends what nobody asked for, or no frames at all, is dropped alone. */
static void test_rank_out_of_order_is_dropped(void **state)
{
	static const struct {
		const char *label, *note;
		uint8_t bytes[RT_TCP_HEAD_BYTES];
	} cases[] = {
		{ "noise", "h1 is lost: it does not speak this protocol",
		  "xxxxxxxxxxxx" },
		{ "text 0",
		  "h1 is lost: it sends texts nobody asked for",
		  { 'R', 'T', 1, RT_TCP_GATHER } },
		{ "hello again",
		  "h1 is lost: a frame \"hello\" that does not belong",
		  { 'R', 'T', 1, RT_TCP_HELLO, 0, 0, 0, 0, 0, 0, 0, 70 } },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct family family;

		print_message("# %s\n", cases[i].label);
		family_open(&family);
		assert_int_equal(send(family.agents[0]->fd, cases[i].bytes,
				      RT_TCP_HEAD_BYTES, 0),
				 RT_TCP_HEAD_BYTES);
		assert_int_equal(news_of(family.root).lost, 1);
		assert_non_null(strstr(family.notes.text, cases[i].note));
		assert_false(news_of(family.agents[1]).root_lost);
		assert_true(news_of(family.agents[0]).root_lost);
		family_close(&family);
	}
}

static size_t put_text(uint8_t *to, unsigned type, uint32_t number, uint8_t byte)
{
	const struct rt_tcp_head head = { .type = type, .number = number, .bytes = 1 };

	rt_tcp_head_write(&head, to);
	to[RT_TCP_HEAD_BYTES] = byte;
	return RT_TCP_HEAD_BYTES + 1;
}

/* Texts that break the rules, from either end: so many of number first and on. */
static void test_texts_out_of_order_end_the_connection(void **state)
{
	static const struct {
		const char *label, *says; /* NULL: nothing is wrong */
		uint32_t first, count;
		uint8_t byte;
	} rows[] = {
		{ "as many as may wait", NULL, 1, 4, 'x' },
		{ "one more", "it sends texts nobody asked for", 1, 5, 'x' },
		{ "a zero byte", "its text has a zero byte", 1, 1, '\0' },
	};
	uint8_t bytes[8 * (RT_TCP_HEAD_BYTES + 1)];

	(void)state;
	for (size_t i = 0; i < 2 * RT_ARRAY_SIZE(rows); i++) {
		const bool of_root = i % 2;
		const char *says = rows[i / 2].says;
		struct rt_rendezvous_news news;
		struct family family;
		size_t used = 0;
		int fd;

		print_message("# %s\n", rows[i / 2].label);
		family_open(&family);
		fd = of_root ? ((struct rt_tcp_root *)family.root)
				       ->ranks[0]
				       .guest->line.fd
			     : family.agents[0]->fd;
		for (uint32_t k = 0; k < rows[i / 2].count; k++)
			used += put_text(bytes + used,
					 of_root ? RT_TCP_SCATTER : RT_TCP_GATHER,
					 rows[i / 2].first + k, rows[i / 2].byte);
		assert_int_equal(send(fd, bytes, used, 0), used);
		if (of_root) {
			news = news_of(family.agents[0]);
			assert_int_equal(news.root_lost, says != NULL);
			assert_true(!says || strstr(news.reason, says));
		} else {
			assert_int_equal(news_of(family.root).lost, says != NULL);
			assert_true(!says || strstr(family.notes.text, says));
		}
		family_close(&family);
	}
}

/* The number of a text is that of the call; another one is nobody's answer. */
static void test_a_text_of_another_call_is_refused(void **state)
{
	uint8_t bytes[RT_TCP_HEAD_BYTES + 1];
	struct rt_err err = { 0 };
	struct family family;
	char *mine = NULL;
	int fd;

	(void)state;
	family_open(&family);
	fd = ((struct rt_tcp_root *)family.root)->ranks[0].guest->line.fd;
	assert_int_equal(send(fd, bytes, put_text(bytes, RT_TCP_SCATTER, 7, 'x'), 0),
			 sizeof(bytes));
	assert_int_equal(family.agents[0]->ops->scatter(family.agents[0], NULL, soon(),
							&mine, &err),
			 -EPROTO);
	assert_null(mine);
	assert_string_equal(err.msg, "the coordinator's text 7 came where 1 was due");
	family_close(&family);
}

/* A stop that came before the root was lost is why to stop. */
static void test_a_stop_outlives_its_root(void **state)
{
	struct rt_rendezvous_news news;
	struct family family;

	(void)state;
	family_open(&family);
	assert_int_equal(family.root->ops->stop(family.root, "loss", NULL), 0);
	family.root->ops->close(rt_steal(&family.root));
	news = news_of(family.agents[0]);
	assert_true(news.stop && news.root_lost);
	assert_string_equal(news.reason, "loss");
	family_close(&family);
}

/* Texts for others than there are, or larger than any; nobody gets a part of them. */
static void test_a_scatter_that_cannot_be_is_refused(void **state)
{
	char *large = malloc(RT_RENDEZVOUS_TEXT_BYTES + 2);
	char *gifts[3] = { "a", "b", large };
	const struct rt_texts few = { gifts, 2 }, all = { gifts, 3 };
	struct family family;

	(void)state;
	assert_non_null(large);
	memset(large, 'x', RT_RENDEZVOUS_TEXT_BYTES + 1);
	large[RT_RENDEZVOUS_TEXT_BYTES + 1] = '\0';
	family_open(&family);
	assert_int_equal(
		family.root->ops->scatter(family.root, &few, soon(), NULL, NULL),
		-EINVAL);
	assert_int_equal(
		family.root->ops->scatter(family.root, &all, soon(), NULL, NULL),
		-E2BIG);
	(void)news_of(family.agents[0]);
	assert_int_equal(inside(family.agents[0])->ahead_count, 0);
	free(large);
	family_close(&family);
}

/* Who wants more memory than there is for all loses its place, and nobody else does. */
static void test_memory_has_a_bound_for_all(void **state)
{
	static const char *const names[] = { "h1", "h2" };
	struct notes notes = { 0 };
	const struct rt_tcp_serve config = {
		.size = 2,
		.names = names,
		.memory_bytes = 256 << 10,
		.note = take_note,
		.context = &notes,
	};
	struct rt_rendezvous *root, *agents[2];
	char *text = malloc((512 << 10) + 1);
	int ours[2], theirs[2];
	struct rt_texts all;

	(void)state;
	assert_non_null(text);
	memset(text, 'x', 512 << 10);
	text[512 << 10] = '\0';
	for (unsigned i = 0; i < 2; i++) {
		int pair[2];

		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
		ours[i] = pair[0];
		theirs[i] = pair[1];
	}
	assert_int_equal(rt_tcp_serve_fds(&config, ours, &root, NULL), 0);
	for (uint32_t i = 0; i < 2; i++)
		join(theirs[i], (struct rt_tcp_member){ i, 2, names[i] }, &agents[i]);
	assert_int_equal(agent_gather(agents[1], "b"), 0);
	for (unsigned i = 0; i < 100 && !notes.count; i++) {
		(void)agents[0]->ops->gather(agents[0], text,
					     rt_monotonic_ns() + 1000000, NULL, NULL);
		(void)news_of(root);
	}
	assert_string_equal(notes.text, "h1 is lost: all buffers together are full\n");
	assert_int_equal(root->ops->gather(root, NULL, soon(), &all, NULL), 0);
	assert_null(all.items[0]);
	assert_string_equal(all.items[1], "b");
	rt_texts_free(&all);
	free(text);
	shutdown(agents[1]->fd, SHUT_RDWR);
	root->ops->close(root);
	for (unsigned i = 0; i < 2; i++)
		agents[i]->ops->close(agents[i]);
}

/* Probes without end, whose echoes nobody reads: memory stays as it is. */
static void test_flood_of_probes_grows_nothing(void **state)
{
	const int64_t times[1] = { 1 };
	struct rt_tcp_small probe;
	struct family family;
	unsigned sent = 0;

	(void)state;
	family_open(&family);
	rt_tcp_times_write(RT_TCP_PROBE, times, 1, &probe);
	for (unsigned i = 0; i < 2000; i++) {
		for (unsigned j = 0; j < 100; j++)
			sent += send(family.agents[0]->fd, probe.bytes, probe.used,
				     MSG_DONTWAIT) == (ssize_t)probe.used;
		assert_int_equal(news_of(family.root).lost, 0);
	}
	assert_true(sent > 10000);
	assert_true(
		rt_tcp_line_unsent(
			&((struct rt_tcp_root *)family.root)->ranks[0].guest->line) <
		8192);
	assert_false(news_of(family.agents[1]).root_lost);
	family_close(&family);
}

RT_UNIT_MAIN(cmocka_unit_test(test_texts_go_round),
	     cmocka_unit_test(test_missing_ranks_are_named_and_waited_for),
	     cmocka_unit_test(test_a_call_that_is_given_up_is_left_behind),
	     cmocka_unit_test(test_who_does_not_answer_can_be_given_up),
	     cmocka_unit_test(test_texts_ahead_are_charged),
	     cmocka_unit_test(test_lost_rank_leaves_a_gap),
	     cmocka_unit_test(test_stop_reaches_all_but_who_asked),
	     cmocka_unit_test(test_root_that_ends_or_dies_is_noticed),
	     cmocka_unit_test(test_silence_is_loss),
	     cmocka_unit_test(test_silent_agents_are_lost),
	     cmocka_unit_test(test_both_ends_speak_when_it_is_due),
	     cmocka_unit_test(test_a_stop_is_of_who_sent_it),
	     cmocka_unit_test(test_the_surest_answer_sets_the_clock),
	     cmocka_unit_test(test_large_texts),
	     cmocka_unit_test(test_rank_out_of_order_is_dropped),
	     cmocka_unit_test(test_texts_out_of_order_end_the_connection),
	     cmocka_unit_test(test_a_text_of_another_call_is_refused),
	     cmocka_unit_test(test_a_stop_outlives_its_root),
	     cmocka_unit_test(test_a_scatter_that_cannot_be_is_refused),
	     cmocka_unit_test(test_memory_has_a_bound_for_all),
	     cmocka_unit_test(test_flood_of_probes_grows_nothing))
