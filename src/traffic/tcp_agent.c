/* SPDX-License-Identifier: BSD-2-Clause */
/* An agent's rendezvous calls, over a line on which it has been let in. */
#include "traffic/tcp_agent.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/own.h"
#include "rocetune/err.h"

#define GOODBYE_NS     INT64_C(1000000000)
/* A text that comes and one that goes, and as much again while buffers double. */
#define MEMORY_BYTES   ((size_t)4 * RT_RENDEZVOUS_TEXT_BYTES)
/* Clocks of two hosts that nobody disciplines part by this at most, usually by less. */
#define DRIFT_PPM      100
/* While hosts start up answers are slow: a few more probes, as soon as that. */
#define HURRY_NS       INT64_C(50000000)
#define HURRY_ERROR_NS UINT64_C(500000)
#define HURRIED_MOST   16u
#define OLDEST_ECHO_NS INT64_C(10000000000)

static struct rt_tcp_agent *of(struct rt_rendezvous *r)
{
	return (struct rt_tcp_agent *)r;
}

static void lose(struct rt_tcp_agent *agent, const char *why)
{
	if (agent->lost)
		return;
	agent->lost = true;
	snprintf(agent->lost_why, sizeof(agent->lost_why), "%.159s", why);
}

static void put(struct rt_tcp_agent *agent, const struct rt_tcp_small *frame)
{
	const int r = rt_tcp_line_put(&agent->line, frame);

	if (r < 0)
		lose(agent, strerror(-r));
}

void rt_tcp_agent_probe(struct rt_tcp_agent *agent)
{
	struct rt_tcp_small probe;

	agent->probed_ns = rt_monotonic_ns();
	rt_tcp_times_write(RT_TCP_PROBE, &agent->probed_ns, 1, &probe);
	put(agent, &probe);
}

/* What an answer of then is worth now. */
static uint64_t error_now(const struct rt_tcp_offset *offset, int64_t now_ns)
{
	return offset->error_ns +
	       (uint64_t)(now_ns - offset->at_ns) / 1000000 * DRIFT_PPM;
}

/*
 * The root read its clock somewhere between our two readings; half-way is wrong by
 * half of the round trip at most.
 */
static void on_echo(struct rt_tcp_agent *agent, const struct rt_tcp_frame *frame)
{
	const int64_t now_ns = rt_monotonic_ns();
	const int64_t asked_ns = rt_tcp_time_read(frame->payload, 0);
	const int64_t root_ns = rt_tcp_time_read(frame->payload, 1);
	struct rt_tcp_offset offset = { .at_ns = now_ns };

	if (asked_ns > now_ns || asked_ns < now_ns - OLDEST_ECHO_NS || root_ns < 0)
		return; /* not what we asked for */
	offset.offset_ns = root_ns - (asked_ns + (now_ns - asked_ns) / 2);
	offset.error_ns = (uint64_t)(now_ns - asked_ns + 1) / 2;
	if (!agent->probes || offset.error_ns <= error_now(&agent->best, now_ns))
		agent->best = offset;
	agent->probes++;
}

static void on_scatter(struct rt_tcp_agent *agent, const struct rt_tcp_frame *frame)
{
	char *text;

	if (agent->ahead_count == RT_TCP_AGENT_AHEAD) {
		lose(agent, "it sends texts nobody asked for");
		return;
	}
	if (memchr(frame->payload, '\0', frame->head.bytes)) {
		lose(agent, "its text has a zero byte");
		return;
	}
	text = rt_tcp_text_keep(&agent->budget, frame->payload, frame->head.bytes);
	if (!text) {
		lose(agent, "no memory for its text");
		return;
	}
	agent->ahead[agent->ahead_count].number = frame->head.number;
	agent->ahead[agent->ahead_count++].text = text;
}

static void on_stop(struct rt_tcp_agent *agent, const struct rt_tcp_frame *frame)
{
	struct rt_tcp_stop stop;

	rt_tcp_stop_read(frame->payload, frame->head.bytes, &stop);
	if (agent->news.stop)
		return;
	agent->news.stop = true;
	agent->news.stop_rank = stop.rank;
	memcpy(agent->news.reason, stop.reason, sizeof(agent->news.reason));
}

static void on_frame(struct rt_tcp_agent *agent, const struct rt_tcp_frame *frame)
{
	struct rt_tcp_refused refused;

	switch (frame->head.type) {
	case RT_TCP_ECHO: on_echo(agent, frame); break;
	case RT_TCP_SCATTER: on_scatter(agent, frame); break;
	case RT_TCP_STOP: on_stop(agent, frame); break;
	case RT_TCP_BYE: lose(agent, "it has ended the run"); break;
	case RT_TCP_REFUSED:
		rt_tcp_refused_read(frame->payload, frame->head.bytes, &refused);
		lose(agent, refused.text);
		break;
	default: break; /* alive: that it came is all */
	}
}

/* Read what is there, then judge silence: we may have been the busy ones. */
static void take_in(struct rt_tcp_agent *agent)
{
	const int received = rt_tcp_line_receive(&agent->line);
	struct rt_err err = { 0 };
	struct rt_tcp_frame frame;
	int r;

	while (!agent->lost &&
	       (r = rt_tcp_line_next(&agent->line, &frame, &err)) != 0) {
		if (r == 1)
			on_frame(agent, &frame);
		else
			lose(agent, err.msg);
	}
	if (received < 0)
		lose(agent, strerror(-received));
	else if (agent->line.ended)
		lose(agent, "it hung up");
	else if (rt_monotonic_ns() - agent->line.heard_ns > RT_RENDEZVOUS_SILENCE_NS)
		lose(agent, "it says nothing any more");
}

static void tend(struct rt_tcp_agent *agent)
{
	const int64_t since_ns = rt_monotonic_ns() - agent->probed_ns;
	const bool hurry = !agent->one_clock && agent->best.error_ns > HURRY_ERROR_NS &&
			   agent->hurried < HURRIED_MOST && since_ns < RT_TCP_BEAT_NS;

	rt_tcp_line_flush(&agent->line);
	if (agent->lost || since_ns < (hurry ? HURRY_NS : RT_TCP_BEAT_NS) ||
	    rt_tcp_line_unsent(&agent->line) >= RT_TCP_QUIET_BYTES)
		return;
	agent->hurried += hurry;
	rt_tcp_agent_probe(agent);
}

void rt_tcp_agent_step(struct rt_tcp_agent *agent, int64_t until_ns)
{
	const bool writing = rt_tcp_line_unsent(&agent->line) > 0;
	struct pollfd ask = {
		.fd = agent->line.fd,
		.events = (short)(POLLIN | (writing ? POLLOUT : 0)),
	};
	int64_t wait_ns = until_ns - rt_monotonic_ns();

	if (wait_ns > HURRY_NS)
		wait_ns = HURRY_NS;
	if (wait_ns > 0)
		(void)poll(&ask, 1, (int)((wait_ns + 999999) / 1000000));
	take_in(agent);
	tend(agent);
}

void rt_tcp_agent_heard(struct rt_rendezvous *agent)
{
	of(agent)->line.heard_ns = rt_monotonic_ns();
}

static int lost_error(const struct rt_tcp_agent *agent, struct rt_err *err)
{
	return rt_err_set(err, -ECONNRESET, "the coordinator is lost: %s",
			  agent->lost_why);
}

/* The next number, unless the last call was the same and ran out of time. */
static bool ask(struct rt_tcp_agent *agent, enum rt_tcp_call call)
{
	const bool again = agent->asking == call;

	agent->number += !again;
	agent->asking = call;
	return again;
}

static int agent_gather(struct rt_rendezvous *r, const char *mine, int64_t deadline_ns,
			struct rt_texts *ret_all, struct rt_err *err)
{
	struct rt_tcp_agent *agent = of(r);
	int code = 0;

	(void)ret_all; /* the root's */
	if (strlen(mine) > RT_RENDEZVOUS_TEXT_BYTES)
		return rt_err_set(err, -E2BIG, "a text of %zu bytes is above %u",
				  strlen(mine), RT_RENDEZVOUS_TEXT_BYTES);
	if (!ask(agent, RT_TCP_CALL_GATHER) && !agent->lost)
		code = rt_tcp_line_put_text(&agent->line, RT_TCP_GATHER, agent->number,
					    mine);
	if (code < 0)
		lose(agent, strerror(-code));
	while (!agent->lost &&
	       (rt_tcp_line_unsent(&agent->line) > 0 || agent->line.deaf)) {
		if (rt_monotonic_ns() >= deadline_ns)
			return rt_err_set(err, -ETIMEDOUT,
					  "the coordinator takes nothing in");
		rt_tcp_agent_step(agent, deadline_ns);
	}
	if (agent->lost)
		return lost_error(agent, err);
	agent->asking = RT_TCP_CALL_NONE;
	return 0;
}

/* The text that has come first, which must be the one that is due. */
static int take_text(struct rt_tcp_agent *agent, char **ret_mine, struct rt_err *err)
{
	if (agent->ahead[0].number != agent->number)
		return rt_err_set(err, -EPROTO,
				  "the coordinator's text %u came where %u was due",
				  agent->ahead[0].number, agent->number);
	*ret_mine = rt_tcp_text_hand_over(&agent->budget, agent->ahead[0].text);
	memmove(agent->ahead, agent->ahead + 1,
		--agent->ahead_count * sizeof(*agent->ahead));
	return 0;
}

static int agent_scatter(struct rt_rendezvous *r, const struct rt_texts *texts,
			 int64_t deadline_ns, char **ret_mine, struct rt_err *err)
{
	struct rt_tcp_agent *agent = of(r);
	int code;

	(void)texts; /* the root's */
	ask(agent, RT_TCP_CALL_SCATTER);
	while (!agent->ahead_count) {
		if (agent->lost)
			return lost_error(agent, err);
		if (rt_monotonic_ns() >= deadline_ns)
			return rt_err_set(err, -ETIMEDOUT,
					  "nothing came from the coordinator");
		rt_tcp_agent_step(agent, deadline_ns);
	}
	code = take_text(agent, ret_mine, err);
	agent->asking = RT_TCP_CALL_NONE;
	return code;
}

static int agent_stop(struct rt_rendezvous *r, const char *reason, struct rt_err *err)
{
	struct rt_tcp_agent *agent = of(r);
	struct rt_tcp_stop stop = { .rank = agent->base.rank };
	struct rt_tcp_small frame;

	snprintf(stop.reason, sizeof(stop.reason), "%s", reason);
	rt_tcp_stop_write(&stop, &frame);
	if (!agent->lost)
		put(agent, &frame);
	return agent->lost ? lost_error(agent, err) : 0;
}

static int agent_poll(struct rt_rendezvous *r, struct rt_rendezvous_news *ret_news,
		      struct rt_err *err)
{
	struct rt_tcp_agent *agent = of(r);

	(void)err;
	if (!agent->lost)
		rt_tcp_agent_step(agent, 0);
	*ret_news = agent->news;
	ret_news->root_lost = agent->lost;
	if (agent->lost && !ret_news->stop)
		snprintf(ret_news->reason, sizeof(ret_news->reason),
			 "the coordinator is lost: %.120s", agent->lost_why);
	agent->news = (struct rt_rendezvous_news){ .stop_rank = RT_RANK_NONE };
	return 0;
}

static void agent_clock(struct rt_rendezvous *r, int64_t *ret_offset_ns,
			uint64_t *ret_error_ns)
{
	const struct rt_tcp_agent *agent = of(r);

	*ret_offset_ns = agent->one_clock ? 0 : agent->best.offset_ns;
	*ret_error_ns = agent->one_clock ? 0
					 : error_now(&agent->best, rt_monotonic_ns());
}

static const char *agent_rank_name(struct rt_rendezvous *r, uint32_t rank)
{
	struct rt_tcp_agent *agent = of(r);

	if (rank == r->rank)
		return agent->name;
	if (rank == RT_RANK_NONE)
		return "coordinator";
	snprintf(agent->other_name, sizeof(agent->other_name), "rank %u", rank);
	return agent->other_name;
}

/* Closing at once could take our last text back before the root has read it. */
static void say_goodbye(struct rt_tcp_agent *agent)
{
	const int64_t until_ns = rt_monotonic_ns() + GOODBYE_NS;
	struct rt_tcp_small bye;

	rt_tcp_times_write(RT_TCP_BYE, NULL, 0, &bye);
	put(agent, &bye);
	while (!agent->lost && rt_monotonic_ns() < until_ns)
		rt_tcp_agent_step(agent, until_ns);
}

void rt_tcp_agent_free(struct rt_tcp_agent *agent)
{
	for (unsigned i = 0; i < agent->ahead_count; i++)
		free(agent->ahead[i].text);
	rt_tcp_line_close(&agent->line);
	free(agent);
}

static void agent_close(struct rt_rendezvous *r)
{
	struct rt_tcp_agent *agent = of(r);

	if (!agent->lost)
		say_goodbye(agent);
	rt_tcp_agent_free(agent);
}

static const struct rt_rendezvous_ops agent_ops = {
	.name = "tcp",
	.gather = agent_gather,
	.scatter = agent_scatter,
	.stop = agent_stop,
	.poll = agent_poll,
	.clock = agent_clock,
	.rank_name = agent_rank_name,
	.close = agent_close,
};

struct rt_tcp_agent *rt_tcp_agent_new(const struct rt_tcp_line *line, uint32_t rank,
				      uint32_t size, const char *name)
{
	struct rt_tcp_agent *agent = calloc(1, sizeof(*agent));

	if (!agent)
		return NULL;
	agent->base = (struct rt_rendezvous){
		.ops = &agent_ops,
		.rank = rank,
		.size = size,
		.fd = line->fd,
	};
	agent->line = *line;
	agent->budget = *line->budget;
	agent->budget.most = MEMORY_BYTES;
	agent->line.budget = &agent->budget;
	agent->news.stop_rank = RT_RANK_NONE;
	snprintf(agent->name, sizeof(agent->name), "%s", name);
	return agent;
}

int rt_tcp_join_fd(int fd, const struct rt_tcp_member *member,
		   struct rt_rendezvous **ret_agent, struct rt_err *err)
{
	struct rt_tcp_budget budget = { .most = MEMORY_BYTES };
	struct rt_tcp_agent *agent;
	struct rt_tcp_line line;

	rt_tcp_line_open(&line, fd, &budget, RT_TCP_ROOT, RT_TCP_RUNNING);
	agent = rt_tcp_agent_new(&line, member->rank, member->size, member->name);
	if (!agent) {
		rt_tcp_line_close(&line);
		return rt_err_sys(err, -ENOMEM, "cannot join as rank %u", member->rank);
	}
	agent->one_clock = true;
	*ret_agent = &agent->base;
	return 0;
}
