/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ring.h - raw Ethernet frames of one interface, many at a time: a mapped receive ring
 * and batched sends over AF_PACKET (packet(7), TPACKET_V3).
 *
 * Frames are as on the wire but for the FCS; a VLAN tag the kernel took out is put back
 * in front of who reads (tagged, vlan).  Never more privileges than CAP_NET_RAW.
 */
#ifndef RT_PKTIO_RING_H
#define RT_PKTIO_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

struct rt_err;
struct rt_ring;

/* Which frames come in at all; told in the kernel. */
enum rt_ring_filter {
	RT_RING_ALL,
	RT_RING_ROCE, /* UDP port 4791 over IPv4 or IPv6, PFC and PAUSE; tagged or not */
	RT_RING_NONE, /* sends only */
};

struct rt_ring_config {
	const char *netdev; /* in the network namespace of the calling thread */
	enum rt_ring_filter filter;
	bool outgoing; /* also see what this host sends there */
	bool promiscuous;
	size_t ring_bytes; /* 0: 4 MiB */
};

/* A frame that came; data is borrowed until rt_ring_release(). */
struct rt_ring_frame {
	const uint8_t *data;
	uint32_t bytes, wire_bytes;
	int64_t time_ns; /* CLOCK_REALTIME, by the kernel */
	bool outgoing, tagged;
	uint16_t vlan; /* when tagged: PCP, DEI, VID */
};

struct rt_ring_stats {
	uint64_t received;
	uint64_t
		dropped; /* for want of room in the ring: whoever measures must say so */
};

/* -ENODEV no such interface; -EPERM: needs CAP_NET_RAW, the text has the remedy. */
int rt_ring_open(const struct rt_ring_config *config, struct rt_ring **ret_ring,
		 struct rt_err *err);
void rt_ring_close(struct rt_ring *ring); /* NULL is fine */

int rt_ring_fd(const struct rt_ring *ring); /* for poll(): readable */
unsigned rt_ring_ifindex(const struct rt_ring *ring);
void rt_ring_mac(const struct rt_ring *ring, uint8_t ret_mac[6]);

/* Up to max frames that have come; 0: none.  Never blocks. */
unsigned rt_ring_receive(struct rt_ring *ring, struct rt_ring_frame *frames,
			 unsigned max);
/* The frames of all calls of rt_ring_receive() so far are no longer needed. */
void rt_ring_release(struct rt_ring *ring);

/*
 * Send count frames, past the interface's queueing discipline.  Returns how many were
 * taken: fewer when the interface has no room now.  A negative errno: it is gone.
 */
int rt_ring_send(struct rt_ring *ring, const struct iovec *frames, unsigned count,
		 struct rt_err *err);

/* Totals since open. */
void rt_ring_stats(struct rt_ring *ring, struct rt_ring_stats *ret_stats);

#endif
