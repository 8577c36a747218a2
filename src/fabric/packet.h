/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * packet.h - a packet inside the simulator: sixteen bytes, passed by value, and
 * the power-of-two rings in which packets wait.
 */
#ifndef RT_FABRIC_PACKET_H
#define RT_FABRIC_PACKET_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum rt_packet_kind {
	RT_PACKET_DATA,
	RT_PACKET_ACK,
	RT_PACKET_NAK,
	RT_PACKET_CNP,
	RT_PACKET_PFC,
	RT_PACKET_KIND_COUNT,
};

enum rt_packet_flags {
	RT_PACKET_CE = 1 << 0,     /* congestion experienced */
	RT_PACKET_ECT = 1 << 1,    /* may be marked */
	RT_PACKET_ECHO = 1 << 2,   /* an ACK that carries the mark back */
	RT_PACKET_RESENT = 1 << 3, /* this PSN was sent before */
	RT_PACKET_FIRST = 1 << 4,  /* of a message */
	RT_PACKET_LAST = 1 << 5,   /* of a message */
	RT_PACKET_ACKREQ = 1 << 6, /* the sender asks for an ACK */
};

struct rt_packet {
	uint32_t flow;  /* index; PFC: none */
	uint32_t psn;   /* data: its own; ACK, NAK: as on the wire; PFC: the quanta;
			   a NAK has more, see rt_packet_set_ahead() */
	uint16_t in;    /* port by which it came into the switch it is in */
	uint16_t bytes; /* that count for buffers: the frame */
	uint8_t kind;   /* enum rt_packet_kind */
	uint8_t flags;  /* enum rt_packet_flags */
	uint8_t hop;    /* switches passed so far */
	uint8_t prio;   /* of the frame; PFC: which priority it speaks of */
};

/*
 * What a NAK of selective repeat says besides its PSN, below 2^13: in bits that no NAK
 * uses, eight above the PSN and five of the flags.
 */
#define RT_PACKET_AHEAD_FLAGS                                                     \
	(RT_PACKET_RESENT | RT_PACKET_FIRST | RT_PACKET_LAST | RT_PACKET_ACKREQ | \
	 1 << 7)

static inline void rt_packet_set_ahead(struct rt_packet *packet, uint32_t ahead)
{
	packet->psn |= (ahead & 0xff) << 24;
	packet->flags |= (uint8_t)(ahead >> 8 << 3);
}

static inline uint32_t rt_packet_ahead(const struct rt_packet *packet)
{
	return packet->psn >> 24 |
	       (uint32_t)(packet->flags & RT_PACKET_AHEAD_FLAGS) >> 3 << 8;
}

/* A FIFO of packets; zeroed is empty.  head and tail count without end. */
struct rt_packet_queue {
	struct rt_packet *items;
	uint32_t head, tail, mask;
};

static inline bool rt_packet_queue_empty(const struct rt_packet_queue *queue)
{
	return queue->head == queue->tail;
}

/* False: no memory for a larger ring, the packet is not in it. */
bool rt_packet_queue_grow(struct rt_packet_queue *queue);

static inline bool rt_packet_queue_push(struct rt_packet_queue *queue,
					const struct rt_packet *packet)
{
	if (!queue->items || queue->tail - queue->head > queue->mask)
		if (!rt_packet_queue_grow(queue))
			return false;
	queue->items[queue->tail++ & queue->mask] = *packet;
	return true;
}

/* The queue must not be empty. */
static inline struct rt_packet rt_packet_queue_pop(struct rt_packet_queue *queue)
{
	return queue->items[queue->head++ & queue->mask];
}

static inline const struct rt_packet *
rt_packet_queue_first(const struct rt_packet_queue *queue)
{
	return &queue->items[queue->head & queue->mask];
}

#endif
