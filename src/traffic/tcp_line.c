/* SPDX-License-Identifier: BSD-2-Clause */
#include "traffic/tcp_line.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "rocetune/err.h"

#define FIRST_BYTES    ((size_t)1024)
#define ROUND_BYTES    ((size_t)256 << 10)
#define KEEP_BYTES     ((size_t)64 << 10) /* an empty buffer above it is given back */
#define MOST_IN_BYTES  ((size_t)RT_RENDEZVOUS_TEXT_BYTES + RT_TCP_HEAD_BYTES)
/* One text, and what is said beside it; a peer that reads nothing gets no more. */
#define MOST_OUT_BYTES (MOST_IN_BYTES + ((size_t)64 << 10))
/* How long the kernel may wait for an acknowledgement before the peer is dead. */
#define UNANSWERED_MS  5000u

char *rt_tcp_text_keep(struct rt_tcp_budget *budget, const uint8_t *bytes, size_t count)
{
	char *text;

	if (count + 1 > budget->most - budget->used)
		return NULL;
	text = malloc(count + 1);
	if (!text)
		return NULL;
	memcpy(text, bytes, count);
	text[count] = '\0';
	budget->used += count + 1;
	return text;
}

char *rt_tcp_text_hand_over(struct rt_tcp_budget *budget, char *text)
{
	budget->used -= strlen(text) + 1;
	return text;
}

void rt_tcp_text_drop(struct rt_tcp_budget *budget, char *text)
{
	free(rt_tcp_text_hand_over(budget, text));
}

void rt_tcp_line_open(struct rt_tcp_line *line, int fd, struct rt_tcp_budget *budget,
		      enum rt_tcp_side peer, enum rt_tcp_phase phase)
{
	static const int on = 1;
	static const unsigned unanswered_ms = UNANSWERED_MS;
	const int64_t now_ns = rt_monotonic_ns();

	/* What these refuse (a socketpair is no TCP) costs speed, not truth. */
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &unanswered_ms,
			 sizeof(unanswered_ms));
	(void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	*line = (struct rt_tcp_line){
		.fd = fd,
		.budget = budget,
		.peer = peer,
		.phase = phase,
		.heard_ns = now_ns,
		.spoke_ns = now_ns,
	};
}

static void give_back(struct rt_tcp_line *line, struct rt_tcp_buffer *buffer)
{
	line->budget->used -= buffer->capacity;
	free(buffer->bytes);
	*buffer = (struct rt_tcp_buffer){ 0 };
}

void rt_tcp_line_close(struct rt_tcp_line *line)
{
	if (line->fd >= 0)
		close(line->fd);
	line->fd = -1;
	if (line->budget) {
		give_back(line, &line->in);
		give_back(line, &line->out);
	}
}

/* Room for more bytes behind those that are there, most in all. */
static int make_room(struct rt_tcp_line *line, struct rt_tcp_buffer *buffer,
		     size_t more, size_t most)
{
	const size_t held = buffer->end - buffer->start;
	size_t wanted = buffer->capacity ? buffer->capacity : FIRST_BYTES;
	uint8_t *moved;

	if (buffer->capacity - buffer->end >= more)
		return 0;
	if (buffer->start) {
		memmove(buffer->bytes, buffer->bytes + buffer->start, held);
		buffer->start = 0;
		buffer->end = held;
	}
	if (buffer->capacity - held >= more)
		return 0;
	if (more > most || held > most - more)
		return -ENOBUFS;
	while (wanted < held + more)
		wanted *= 2;
	if (wanted > most)
		wanted = most;
	if (wanted - buffer->capacity > line->budget->most - line->budget->used)
		return -ENOBUFS;
	moved = realloc(buffer->bytes, wanted);
	if (!moved)
		return -ENOMEM;
	line->budget->used += wanted - buffer->capacity;
	buffer->bytes = moved;
	buffer->capacity = wanted;
	return 0;
}

static void forget(struct rt_tcp_line *line, struct rt_tcp_buffer *buffer, size_t bytes)
{
	buffer->start += bytes;
	if (buffer->start < buffer->end)
		return;
	buffer->start = buffer->end = 0;
	if (buffer->capacity > KEEP_BYTES)
		give_back(line, buffer);
}

/* Before welcome there is one small frame, and nothing behind it is wanted. */
static size_t most_in(const struct rt_tcp_line *line)
{
	return line->phase == RT_TCP_MEETING ? FIRST_BYTES : MOST_IN_BYTES;
}

int rt_tcp_line_receive(struct rt_tcp_line *line)
{
	struct rt_tcp_buffer *in = &line->in;
	const size_t most = most_in(line);

	for (size_t taken = 0; taken < ROUND_BYTES && !line->ended;) {
		ssize_t got;
		int r;

		/* What is there is read first; room is made for at least one more. */
		if (in->end - in->start >= most)
			return 0;
		r = make_room(line, in, 1, most);
		if (r < 0)
			return r;
		got = recv(line->fd, in->bytes + in->end, in->capacity - in->end,
			   MSG_DONTWAIT);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno == EAGAIN)
			return 0;
		if (got < 0)
			return -errno;
		line->ended = got == 0;
		line->heard_ns = rt_monotonic_ns();
		in->end += (size_t)got;
		taken += (size_t)got;
	}
	return 0;
}

int rt_tcp_line_next(struct rt_tcp_line *line, struct rt_tcp_frame *ret_frame,
		     struct rt_err *err)
{
	struct rt_tcp_buffer *in = &line->in;
	const uint8_t *at;
	int r;

	forget(line, in, line->frame_bytes);
	line->frame_bytes = 0;
	if (in->end - in->start < RT_TCP_HEAD_BYTES)
		return 0;
	at = in->bytes + in->start;
	r = rt_tcp_head_read(at, line->peer, line->phase, &ret_frame->head, err);
	if (r < 0)
		return r;
	if (in->end - in->start - RT_TCP_HEAD_BYTES < ret_frame->head.bytes)
		return 0;
	ret_frame->payload = at + RT_TCP_HEAD_BYTES;
	line->frame_bytes = RT_TCP_HEAD_BYTES + ret_frame->head.bytes;
	return 1;
}

void rt_tcp_line_flush(struct rt_tcp_line *line)
{
	struct rt_tcp_buffer *out = &line->out;

	while (out->start < out->end) {
		const ssize_t sent = send(line->fd, out->bytes + out->start,
					  out->end - out->start,
					  MSG_NOSIGNAL | MSG_DONTWAIT);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0 && errno == EAGAIN)
			return;
		line->deaf = sent < 0;
		forget(line, out, sent < 0 ? out->end - out->start : (size_t)sent);
	}
}

static void append(struct rt_tcp_line *line, const void *bytes, size_t count)
{
	memcpy(line->out.bytes + line->out.end, bytes, count);
	line->out.end += count;
}

/* Head and payload, as one. */
static int put(struct rt_tcp_line *line, const uint8_t *head, const void *payload,
	       size_t bytes)
{
	int r;

	if (line->deaf)
		return 0;
	r = make_room(line, &line->out, RT_TCP_HEAD_BYTES + bytes, MOST_OUT_BYTES);
	if (r < 0)
		return r;
	append(line, head, RT_TCP_HEAD_BYTES);
	append(line, payload, bytes);
	line->spoke_ns = rt_monotonic_ns();
	rt_tcp_line_flush(line);
	return 0;
}

int rt_tcp_line_put(struct rt_tcp_line *line, const struct rt_tcp_small *frame)
{
	return put(line, frame->bytes, frame->bytes + RT_TCP_HEAD_BYTES,
		   frame->used - RT_TCP_HEAD_BYTES);
}

int rt_tcp_line_put_text(struct rt_tcp_line *line, unsigned type, uint32_t number,
			 const char *text)
{
	const struct rt_tcp_head head = {
		.type = type,
		.number = number,
		.bytes = (uint32_t)strlen(text),
	};
	uint8_t bytes[RT_TCP_HEAD_BYTES];

	rt_tcp_head_write(&head, bytes);
	return put(line, bytes, text, head.bytes);
}
