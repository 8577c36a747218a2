/* SPDX-License-Identifier: BSD-2-Clause */
/* The coordinator: what it does for those who are in. */
#include "traffic/tcp_root.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/clock.h"
#include "base/text.h"
#include "rocetune/err.h"

#define EVENTS_A_STEP       256
#define TEND_NS             INT64_C(50000000)
#define LOST_FOR_SILENCE    "it says nothing any more"
#define LOST_FOR_HANGING_UP "it hung up"

void rt_tcp_note(struct rt_tcp_root *root, const char *fmt, ...)
{
	char text[RT_TCP_NOTE_BYTES];
	va_list args;

	if (!root->config.note)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	root->config.note(root->config.context, rt_text_clean(text));
}

void rt_tcp_rank_forget(struct rt_tcp_root *root, struct rt_tcp_rank *member)
{
	while (member->ahead_count)
		rt_tcp_text_drop(&root->budget,
				 member->ahead[--member->ahead_count].text);
	member->last_number = 0;
}

void rt_tcp_rank_gone(struct rt_tcp_root *root, uint32_t rank, const char *why)
{
	struct rt_tcp_rank *member = &root->ranks[rank];

	rt_tcp_guest_free(member->guest);
	member->guest = NULL;
	if (!root->begun) {
		/* Its place is free again: somebody may start it anew. */
		rt_tcp_rank_forget(root, member);
		member->state = RT_TCP_ABSENT;
		root->joined--;
		rt_tcp_note(root, "%s left before the run began: %s", member->name,
			    why ? why : "it said goodbye");
		return;
	}
	member->state = why ? RT_TCP_LOST : RT_TCP_LEFT;
	if (!why)
		return;
	root->lost++;
	rt_tcp_note(root, "%s is lost: %s", member->name, why);
}

/* Have epoll tell when what is unsent can go. */
static void watch_writing(struct rt_tcp_root *root, struct rt_tcp_guest *guest)
{
	const bool writing = rt_tcp_line_unsent(&guest->line) > 0;
	struct epoll_event event = {
		.events = EPOLLIN | (writing ? EPOLLOUT : 0),
		.data.ptr = guest,
	};

	if (writing == guest->writing)
		return;
	guest->writing = writing;
	epoll_ctl(root->base.fd, EPOLL_CTL_MOD, guest->line.fd, &event);
}

/* After a put that returned r: there is no room for it, or the rest goes later. */
void rt_tcp_root_after_put(struct rt_tcp_root *root, uint32_t rank, int r)
{
	if (r < 0)
		rt_tcp_rank_gone(root, rank, strerror(-r));
	else
		watch_writing(root, root->ranks[rank].guest);
}

static void say(struct rt_tcp_root *root, uint32_t rank,
		const struct rt_tcp_small *frame)
{
	rt_tcp_root_after_put(root, rank,
			      rt_tcp_line_put(&root->ranks[rank].guest->line, frame));
}

void rt_tcp_root_say_to_all(struct rt_tcp_root *root, uint32_t but,
			    const struct rt_tcp_small *frame)
{
	for (uint32_t i = 0; i < root->base.size; i++)
		if (root->ranks[i].state == RT_TCP_PRESENT && i != but)
			say(root, i, frame);
}

static void on_stop(struct rt_tcp_root *root, uint32_t rank,
		    const struct rt_tcp_frame *frame)
{
	struct rt_tcp_stop stop;
	struct rt_tcp_small again;

	rt_tcp_stop_read(frame->payload, frame->head.bytes, &stop);
	stop.rank = rank; /* whatever it says */
	if (!root->news.stop) {
		root->news.stop = true;
		root->news.stop_rank = rank;
		memcpy(root->news.reason, stop.reason, sizeof(root->news.reason));
	}
	rt_tcp_stop_write(&stop, &again);
	rt_tcp_root_say_to_all(root, rank, &again);
}

static void on_probe(struct rt_tcp_root *root, uint32_t rank,
		     const struct rt_tcp_frame *frame)
{
	const int64_t times[2] = { rt_tcp_time_read(frame->payload, 0),
				   rt_monotonic_ns() };
	struct rt_tcp_small echo;

	/* Whoever does not read what it asked for gets no more of it. */
	if (rt_tcp_line_unsent(&root->ranks[rank].guest->line) > RT_TCP_QUIET_BYTES)
		return;
	root->ranks[rank].probes++;
	rt_tcp_times_write(RT_TCP_ECHO, times, 2, &echo);
	say(root, rank, &echo);
}

/* NULL, or what is wrong with it. */
static const char *on_text(struct rt_tcp_root *root, uint32_t rank,
			   const struct rt_tcp_frame *frame)
{
	struct rt_tcp_rank *member = &root->ranks[rank];
	const uint32_t number = frame->head.number, bytes = frame->head.bytes;
	char *text;

	if (memchr(frame->payload, '\0', bytes))
		return "its text has a zero byte";
	if (member->ahead_count == RT_TCP_AHEAD || number <= member->last_number)
		return "it sends texts nobody asked for";
	member->last_number = number;
	if (number < root->number)
		return NULL; /* it is late, and not waited for any more */
	text = rt_tcp_text_keep(&root->budget, frame->payload, bytes);
	if (!text)
		return "all buffers together are full";
	member->ahead[member->ahead_count++] = (struct rt_tcp_waiting){ number, text };
	return NULL;
}

/* What one frame asks for.  False: that was its last. */
static bool on_frame(struct rt_tcp_root *root, uint32_t rank,
		     const struct rt_tcp_frame *frame)
{
	const char *wrong = NULL;

	switch (frame->head.type) {
	case RT_TCP_GATHER: wrong = on_text(root, rank, frame); break;
	case RT_TCP_STOP: on_stop(root, rank, frame); break;
	case RT_TCP_PROBE: on_probe(root, rank, frame); break;
	default: rt_tcp_rank_gone(root, rank, NULL); break; /* bye */
	}
	if (wrong)
		rt_tcp_rank_gone(root, rank, wrong);
	return root->ranks[rank].state == RT_TCP_PRESENT;
}

static void read_member(struct rt_tcp_root *root, struct rt_tcp_guest *guest)
{
	const uint32_t rank = guest->rank;
	const int received = rt_tcp_line_receive(&guest->line);
	struct rt_err err = { 0 };
	struct rt_tcp_frame frame;
	int r;

	while ((r = rt_tcp_line_next(&guest->line, &frame, &err)) == 1)
		if (!on_frame(root, rank, &frame))
			return;
	if (r < 0)
		rt_tcp_rank_gone(root, rank, err.msg);
	else if (received < 0)
		rt_tcp_rank_gone(root, rank,
				 received == -ENOBUFS ? "all buffers together are full"
						      : strerror(-received));
	else if (guest->line.ended)
		rt_tcp_rank_gone(root, rank, LOST_FOR_HANGING_UP);
}

static void on_event(struct rt_tcp_root *root, const struct epoll_event *event)
{
	struct rt_tcp_guest *guest = event->data.ptr;

	if (!guest) {
		rt_tcp_door_accept(root);
		return;
	}
	if (guest->state == RT_TCP_FREE)
		return; /* it ended earlier in this step */
	if (guest->state != RT_TCP_JOINED) {
		rt_tcp_door_read(root, guest);
		return;
	}
	if (event->events & EPOLLOUT) {
		rt_tcp_line_flush(&guest->line);
		watch_writing(root, guest);
	}
	if (event->events & ~EPOLLOUT)
		read_member(root, guest);
}

static void tend_member(struct rt_tcp_root *root, struct rt_tcp_guest *guest,
			int64_t now_ns)
{
	struct rt_tcp_small alive;

	if (now_ns - guest->line.heard_ns > RT_TCP_AGENT_SILENCE_NS) {
		rt_tcp_rank_gone(root, guest->rank, LOST_FOR_SILENCE);
		return;
	}
	if (now_ns - guest->line.spoke_ns < RT_TCP_BEAT_NS ||
	    rt_tcp_line_unsent(&guest->line) > RT_TCP_QUIET_BYTES)
		return;
	rt_tcp_times_write(RT_TCP_ALIVE, NULL, 0, &alive);
	say(root, guest->rank, &alive);
}

static void tend(struct rt_tcp_root *root)
{
	const int64_t now_ns = rt_monotonic_ns();

	if (now_ns - root->tended_ns < TEND_NS)
		return;
	root->tended_ns = now_ns;
	for (uint32_t i = 0; i < root->guest_count; i++) {
		struct rt_tcp_guest *guest = &root->guests[i];

		if (guest->state == RT_TCP_JOINED)
			tend_member(root, guest, now_ns);
		else if (guest->state != RT_TCP_FREE)
			rt_tcp_door_tend(root, guest, now_ns);
	}
}

int rt_tcp_root_step(struct rt_tcp_root *root, int timeout_ms, struct rt_err *err)
{
	struct epoll_event events[EVENTS_A_STEP];
	const int count = epoll_wait(root->base.fd, events, EVENTS_A_STEP, timeout_ms);

	if (count < 0 && errno != EINTR)
		return rt_err_sys(err, -errno, "cannot wait for agents");
	for (int i = 0; i < count; i++)
		on_event(root, &events[i]);
	/* Who was silent while we were busy is judged after all was read. */
	if (count < EVENTS_A_STEP)
		tend(root);
	return 0;
}
