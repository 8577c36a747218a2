/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tcp_line.h - one connection between coordinator and agent: a stream socket that never
 * blocks, what has come and is not read, what is to go and is not sent.  Memory grows
 * with the bytes that have come, never with what a length claims, and is charged to a
 * budget that lines share.
 */
#ifndef RT_TRAFFIC_TCP_LINE_H
#define RT_TRAFFIC_TCP_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "traffic/tcp_wire.h"

/* Whoever has nothing else to say says so as often, unless so much is unsent. */
#define RT_TCP_BEAT_NS     INT64_C(250000000)
#define RT_TCP_QUIET_BYTES ((size_t)4096)

struct rt_tcp_budget {
	size_t used, most; /* bytes of all buffers, and of texts that wait */
};

/* A copy of a text that came, charged to budget.  NULL: there is no room for it. */
char *rt_tcp_text_keep(struct rt_tcp_budget *budget, const uint8_t *bytes,
		       size_t count);
/* It is the caller's from now on (rt_tcp_text_hand_over()), or gone. */
char *rt_tcp_text_hand_over(struct rt_tcp_budget *budget, char *text);
void rt_tcp_text_drop(struct rt_tcp_budget *budget, char *text);

/* The call that has run out of time and may come again; another one is a new one. */
enum rt_tcp_call {
	RT_TCP_CALL_NONE,
	RT_TCP_CALL_GATHER,
	RT_TCP_CALL_SCATTER,
};

struct rt_tcp_buffer {
	uint8_t *bytes; /* owned */
	size_t start, end, capacity;
};

struct rt_tcp_line {
	int fd; /* owned; -1: none */
	struct rt_tcp_budget *budget;
	struct rt_tcp_buffer in, out;
	enum rt_tcp_side peer;
	enum rt_tcp_phase phase;
	int64_t heard_ns, spoke_ns; /* when bytes last came, a frame last went */
	bool ended;                 /* nothing more will come */
	bool deaf;                  /* nothing more is taken: what is sent is lost */
	size_t frame_bytes;         /* of the one rt_tcp_line_next() gave last */
};

/* A frame as it lies in the line's buffer, valid until the next call. */
struct rt_tcp_frame {
	struct rt_tcp_head head;
	const uint8_t *payload;
};

/* Takes fd, makes it non-blocking and, where it is TCP, prompt. */
void rt_tcp_line_open(struct rt_tcp_line *line, int fd, struct rt_tcp_budget *budget,
		      enum rt_tcp_side peer, enum rt_tcp_phase phase);
void rt_tcp_line_close(struct rt_tcp_line *line);

/*
 * Take in what has come, at most about 256 KiB, so that one peer cannot hold the
 * others up.  0, also at the end of the stream (ended).  -ENOBUFS: the budget;
 * -ENOMEM; or what recv() said.
 */
int rt_tcp_line_receive(struct rt_tcp_line *line);

/*
 * The next whole frame: 1 with *ret_frame; 0: not there yet; or what
 * rt_tcp_head_read() said.
 */
int rt_tcp_line_next(struct rt_tcp_line *line, struct rt_tcp_frame *ret_frame,
		     struct rt_err *err);

/*
 * Send, or keep for rt_tcp_line_flush().  -ENOBUFS, -ENOMEM: nothing was taken.  That
 * the peer is gone is no error here: its last words may still be unread, and whoever
 * reads them finds the end behind them.
 */
int rt_tcp_line_put(struct rt_tcp_line *line, const struct rt_tcp_small *frame);
int rt_tcp_line_put_text(struct rt_tcp_line *line, unsigned type, uint32_t number,
			 const char *text);
void rt_tcp_line_flush(struct rt_tcp_line *line);

/* Bytes that still have to go. */
static inline size_t rt_tcp_line_unsent(const struct rt_tcp_line *line)
{
	return line->out.end - line->out.start;
}

#endif
