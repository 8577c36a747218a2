/* SPDX-License-Identifier: BSD-2-Clause */
/* The coordinator: what it does for those who are in, and its rendezvous calls. */
#include "traffic/tcp_root.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/own.h"
#include "base/text.h"
#include "rocetune/err.h"
#include "traffic/clock.h"
#include "traffic/tcp_agent.h"

#define EVENTS_A_STEP       256
#define TEND_NS             INT64_C(50000000)
#define STEP_MS             50
#define GOODBYE_NS          INT64_C(500000000)
#define MEMORY_BYTES        ((size_t)1 << 30)
#define NAMES_TOLD          8u
#define FILES_BESIDE        64u
#define QUIET_ENOUGH_BYTES  ((size_t)4096) /* unsent: small talk is left out */
#define LOST_FOR_SILENCE    "it says nothing any more"
#define LOST_FOR_HANGING_UP "it hung up"

static struct rt_tcp_root *of(struct rt_rendezvous *r)
{
	return (struct rt_tcp_root *)r;
}

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

void rt_tcp_rank_gone(struct rt_tcp_root *root, uint32_t rank, const char *why)
{
	struct rt_tcp_rank *member = &root->ranks[rank];

	rt_tcp_guest_free(member->guest);
	member->guest = NULL;
	if (!root->begun) {
		/* Its place is free again: somebody may start it anew. */
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
static void after_put(struct rt_tcp_root *root, uint32_t rank, int r)
{
	if (r < 0)
		rt_tcp_rank_gone(root, rank, strerror(-r));
	else
		watch_writing(root, root->ranks[rank].guest);
}

static void say(struct rt_tcp_root *root, uint32_t rank,
		const struct rt_tcp_small *frame)
{
	after_put(root, rank, rt_tcp_line_put(&root->ranks[rank].guest->line, frame));
}

static void say_to_all_but(struct rt_tcp_root *root, uint32_t but,
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
	say_to_all_but(root, rank, &again);
}

static void on_probe(struct rt_tcp_root *root, uint32_t rank,
		     const struct rt_tcp_frame *frame)
{
	const int64_t times[2] = { rt_tcp_time_read(frame->payload, 0), rt_clock_ns() };
	struct rt_tcp_small echo;

	/* Whoever does not read what it asked for gets no more of it. */
	if (rt_tcp_line_unsent(&root->ranks[rank].guest->line) > QUIET_ENOUGH_BYTES)
		return;
	root->ranks[rank].probes++;
	rt_tcp_times_write(RT_TCP_ECHO, times, 2, &echo);
	say(root, rank, &echo);
}

/* NULL, or what is wrong with it. */
static const char *on_text(struct rt_tcp_rank *member, const struct rt_tcp_frame *frame)
{
	const struct rt_tcp_waiting text = {
		.number = frame->head.number,
		.text = strndup((const char *)frame->payload, frame->head.bytes),
	};

	if (!text.text)
		return "no memory for its text";
	if (strlen(text.text) != frame->head.bytes) {
		free(text.text);
		return "its text has a zero byte";
	}
	if (member->ahead_count == RT_TCP_AHEAD || text.number <= member->last_number) {
		free(text.text);
		return "it sends texts nobody asked for";
	}
	member->last_number = text.number;
	member->ahead[member->ahead_count++] = text;
	return NULL;
}

/* What one frame asks for.  False: that was its last. */
static bool on_frame(struct rt_tcp_root *root, uint32_t rank,
		     const struct rt_tcp_frame *frame)
{
	const char *wrong = NULL;

	switch (frame->head.type) {
	case RT_TCP_GATHER: wrong = on_text(&root->ranks[rank], frame); break;
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
		rt_tcp_rank_gone(root, rank, strerror(-received));
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
	    rt_tcp_line_unsent(&guest->line) > QUIET_ENOUGH_BYTES)
		return;
	rt_tcp_times_write(RT_TCP_ALIVE, NULL, 0, &alive);
	say(root, guest->rank, &alive);
}

static void tend(struct rt_tcp_root *root)
{
	const int64_t now_ns = rt_clock_ns();

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
		const int64_t left_ns = until_ns - rt_clock_ns();
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

/* The next number, unless the last call ran out of time and this is it again. */
static int ask(struct rt_tcp_root *root, bool *ret_again, struct rt_err *err)
{
	if (!root->begun)
		return rt_err_set(err, -EINVAL, "not all agents are there yet");
	*ret_again = root->asking;
	root->number += !root->asking;
	root->asking = true;
	return 0;
}

static void take_texts(struct rt_tcp_root *root, char **items)
{
	for (uint32_t i = 0; i < root->base.size; i++) {
		struct rt_tcp_rank *member = &root->ranks[i];

		if (!text_now(root, i))
			continue;
		items[i] = member->ahead[0].text;
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
	int code = ask(root, &again, err);

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
	root->asking = false;
	*ret_all = (struct rt_texts){ .items = items, .count = root->base.size };
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
		code = ask(root, &again, err);
	if (code < 0)
		return code;
	for (uint32_t i = 0; i < root->base.size && !again; i++)
		if (root->ranks[i].state == RT_TCP_PRESENT)
			after_put(root, i,
				  rt_tcp_line_put_text(&root->ranks[i].guest->line,
						       RT_TCP_SCATTER, root->number,
						       texts->items[i] ? texts->items[i]
								       : ""));
	code = wait_for_all(root, deadline_ns, owes_reading, "do not read", err);
	if (code < 0)
		return code;
	root->asking = false;
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
	say_to_all_but(of(r), RT_RANK_NONE, &frame);
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
	say_to_all_but(root, RT_RANK_NONE, &bye);
	for (uint32_t i = 0; i < root->base.size; i++)
		if (is_present(root, i) && !owes_reading(root, i))
			shutdown(root->ranks[i].guest->line.fd, SHUT_WR);
	/* Closing at once could take the last words back from who has not read them. */
	(void)wait_for_all(root, rt_clock_ns() + GOODBYE_NS, is_present, "stay", NULL);
}

static void root_free(struct rt_tcp_root *root)
{
	for (uint32_t i = 0; root->guests && i < root->guest_count; i++)
		if (root->guests[i].state != RT_TCP_FREE)
			rt_tcp_guest_free(&root->guests[i]);
	for (uint32_t i = 0; root->ranks && i < root->base.size; i++)
		for (unsigned j = 0; j < root->ranks[i].ahead_count; j++)
			free(root->ranks[i].ahead[j].text);
	if (root->listen_fd >= 0)
		close(root->listen_fd);
	if (root->base.fd >= 0)
		close(root->base.fd);
	free(root->guests);
	free(root->ranks);
	free(root);
}

static void root_close(struct rt_rendezvous *r)
{
	struct rt_tcp_root *root = of(r);

	root->config.note = NULL; /* who leaves now is not lost */
	say_goodbye(root);
	root_free(root);
}

static const struct rt_rendezvous_ops root_ops = {
	.name = "tcp",
	.gather = root_gather,
	.scatter = root_scatter,
	.stop = root_stop,
	.poll = root_poll,
	.clock = root_clock,
	.rank_name = root_rank_name,
	.close = root_close,
};

static void root_heard(struct rt_tcp_root *root)
{
	const int64_t now_ns = rt_clock_ns();

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

/* A connection a rank needs a file each, and the usual soft limit is 1024. */
static int allow_files(uint32_t count, struct rt_err *err)
{
	const rlim_t wanted = (rlim_t)count + FILES_BESIDE;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= wanted)
		return 0;
	if (limit.rlim_max < wanted)
		return rt_err_set(err, -EMFILE,
				  "%u connections are more than the %llu open files "
				  "allowed here; raise it with ulimit -n",
				  count, (unsigned long long)limit.rlim_max);
	limit.rlim_cur = wanted;
	if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
		return rt_err_sys(err, -errno, "cannot raise the limit of open files");
	return 0;
}

static int name_ranks(struct rt_tcp_root *root, struct rt_err *err)
{
	for (uint32_t i = 0; i < root->base.size; i++) {
		struct rt_tcp_rank *member = &root->ranks[i];

		if (!root->config.names) {
			snprintf(member->name, sizeof(member->name), "rank %u", i);
			continue;
		}
		if (!rt_tcp_name_is_fine(root->config.names[i]))
			return rt_err_set(err, -EINVAL, "\"%s\" is no name of a host",
					  root->config.names[i]);
		snprintf(member->name, sizeof(member->name), "%s",
			 root->config.names[i]);
	}
	return 0;
}

static int root_new(const struct rt_tcp_serve *config, uint32_t spare,
		    struct rt_tcp_root **ret_root, struct rt_err *err)
{
	struct rt_tcp_root *root;
	int r;

	if (!config->size || config->size > RT_RENDEZVOUS_MAX_RANKS)
		return rt_err_set(err, -EINVAL, "%u ranks: 1 to %u can meet",
				  config->size, RT_RENDEZVOUS_MAX_RANKS);
	r = allow_files(config->size + spare, err);
	if (r < 0)
		return r;
	root = calloc(1, sizeof(*root));
	if (!root)
		return rt_err_sys(err, -ENOMEM, "cannot hold %u ranks", config->size);
	root->base = (struct rt_rendezvous){
		.ops = &root_ops,
		.rank = RT_RANK_NONE,
		.size = config->size,
		.root = true,
		.fd = epoll_create1(EPOLL_CLOEXEC),
	};
	root->config = *config;
	root->listen_fd = -1;
	root->budget.most = config->memory_bytes ? config->memory_bytes : MEMORY_BYTES;
	root->news.stop_rank = RT_RANK_NONE;
	root->guest_count = config->size + spare;
	root->guests = calloc(root->guest_count, sizeof(*root->guests));
	root->ranks = calloc(config->size, sizeof(*root->ranks));
	if (root->base.fd < 0 || !root->guests || !root->ranks)
		r = rt_err_sys(err, -ENOMEM, "cannot hold %u ranks", config->size);
	else
		r = name_ranks(root, err);
	if (r < 0) {
		root_free(root);
		return r;
	}
	*ret_root = root;
	return 0;
}

int rt_tcp_serve(const struct rt_tcp_serve *config, struct rt_rendezvous **ret_root,
		 struct rt_err *err)
{
	struct rt_tcp_root *root;
	int r;

	if (!config->token)
		return rt_err_set(err, -EINVAL, "a coordinator needs a token");
	r = root_new(config, RT_TCP_SPARE_GUESTS, &root, err);
	if (r < 0)
		return r;
	r = rt_tcp_door_open(root, err);
	if (r < 0) {
		root_free(root);
		return r;
	}
	*ret_root = &root->base;
	return 0;
}

int rt_tcp_serve_fds(const struct rt_tcp_serve *config, const int *fds,
		     struct rt_rendezvous **ret_root, struct rt_err *err)
{
	struct rt_tcp_root *root = NULL;
	int r = root_new(config, 0, &root, err);

	for (uint32_t i = 0; i < config->size; i++) {
		struct rt_tcp_guest *guest;
		int watched;

		if (r < 0) {
			close(fds[i]);
			continue;
		}
		guest = &root->guests[i];
		guest->state = RT_TCP_JOINED;
		guest->rank = i;
		root->ranks[i].state = RT_TCP_PRESENT;
		root->ranks[i].guest = guest;
		watched = rt_tcp_guest_watch(root, guest, fds[i], RT_TCP_RUNNING);
		if (watched < 0)
			r = rt_err_sys(err, watched, "cannot watch rank %u", i);
	}
	if (r < 0) {
		if (root)
			root_free(root);
		return r;
	}
	root->joined = config->size;
	root->begun = true;
	snprintf(root->address, sizeof(root->address), "this host");
	*ret_root = &root->base;
	return 0;
}
