/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * switch_queue.h - frames in line, one behind the other in a ring of bytes.
 *
 * A frame that is put lies in one piece.  It is taken when it goes on the wire, and its
 * bytes stay until it is let go: meanwhile whoever sends it may point at them.  Frames
 * leave in the order they came, so nothing is ever in pieces, and a ring that has the
 * size it needs allocates no more.  A zeroed queue is empty.  Internal to lab.
 */
#ifndef RT_LAB_SWITCH_QUEUE_H
#define RT_LAB_SWITCH_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

enum rt_lab_stored_flags {
	RT_LAB_STORED_ECT = 1 << 0, /* may be marked */
	RT_LAB_STORED_CE = 1 << 1,  /* was marked here */
};

/* A frame in the ring; its bytes follow. */
struct rt_lab_stored {
	uint32_t bytes;  /* without FCS */
	uint32_t in;     /* port by which it came */
	uint16_t net_at; /* of its IP header; 0: none */
	uint8_t flags;   /* enum rt_lab_stored_flags */
	uint8_t pad[5];
};

_Static_assert(sizeof(struct rt_lab_stored) == 16, "frames begin on its multiples");

/* Positions count without end; the ring is a power of two. */
struct rt_lab_queue {
	uint8_t *ring;
	uint64_t mask;
	uint64_t free, head, tail; /* let go up to; taken up to; put up to */
};

static inline bool rt_lab_queue_empty(const struct rt_lab_queue *queue)
{
	return queue->head == queue->tail;
}

static inline uint8_t *rt_lab_stored_data(struct rt_lab_stored *stored)
{
	return (uint8_t *)(stored + 1);
}

/* Make sure that a frame of bytes can be put; false: no memory. */
bool rt_lab_queue_room(struct rt_lab_queue *queue, uint32_t bytes);

/* Room was made before; the caller fills in all but bytes, and the frame. */
struct rt_lab_stored *rt_lab_queue_put(struct rt_lab_queue *queue, uint32_t bytes);

/* The frame whose turn it is; the queue must not be empty. */
struct rt_lab_stored *rt_lab_queue_first(const struct rt_lab_queue *queue);
/* It goes on the wire: what is behind it is first now. */
void rt_lab_queue_take(struct rt_lab_queue *queue);

/* The frame at *at, which begins at free; *at is then the place of the next. */
struct rt_lab_stored *rt_lab_queue_taken(const struct rt_lab_queue *queue,
					 uint64_t *at);
/* Let go the oldest frame that was taken. */
void rt_lab_queue_let_go(struct rt_lab_queue *queue);

void rt_lab_queue_free(struct rt_lab_queue *queue);

#endif
