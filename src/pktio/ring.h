/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ring.h - raw Ethernet frames of one interface, many at a time: a mapped receive ring
 * and batched sends over AF_PACKET (packet(7)).
 *
 * The ring is a TPACKET_V2: a frame can be read as soon as it is there.  A TPACKET_V3
 * hands over blocks, and one that is not full only at a tick of the kernel's clock, 4 ms
 * later at 250 Hz: too late for whoever answers frames.
 *
 * Frames are as on the wire but for the FCS; a VLAN tag the kernel took out is beside
 * them (tagged, vlan, tpid).  Never more privileges than CAP_NET_RAW.
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
	bool outgoing; /* also see what this host sends there, but not by this ring */
	bool bypass;   /* sends pass no queueing discipline, and no tcpdump on netdev */
	bool promiscuous;
	size_t ring_bytes; /* 0: 4 MiB */
};

/* A frame that came; data is borrowed until rt_ring_release(). */
struct rt_ring_frame {
	const uint8_t *data;
	uint32_t bytes, wire_bytes; /* bytes is less when it was longer than the MTU */
	int64_t time_ns;            /* CLOCK_REALTIME, by the kernel */
	bool outgoing, tagged;
	/* When tagged: PCP, DEI, VID, and the tag's EtherType, 802.1Q's or 802.1ad's. */
	uint16_t vlan, tpid;
};

struct rt_ring_stats {
	uint64_t received;
	uint64_t
		dropped; /* for want of room in the ring: whoever measures must say so */
	uint64_t refused; /* given to send and longer than the interface takes */
};

/*
 * -ENODEV no such interface; -EPERM: needs CAP_NET_RAW, the text has the remedy;
 * -EOPNOTSUPP: it is no Ethernet.
 */
int rt_ring_open(const struct rt_ring_config *config, struct rt_ring **ret_ring,
		 struct rt_err *err);
void rt_ring_close(struct rt_ring *ring); /* NULL is fine */

/* For poll(): readable when a frame is there and all that were read are released. */
int rt_ring_fd(const struct rt_ring *ring);
unsigned rt_ring_ifindex(const struct rt_ring *ring);
void rt_ring_mac(const struct rt_ring *ring, uint8_t ret_mac[6]);
/* Of the interface when the ring was opened: the longest frame less its header. */
uint32_t rt_ring_mtu_bytes(const struct rt_ring *ring);

/* Up to max frames that have come; 0: none.  Never blocks. */
unsigned rt_ring_receive(struct rt_ring *ring, struct rt_ring_frame *frames,
			 unsigned max);
/* The frames of all calls of rt_ring_receive() so far are no longer needed. */
void rt_ring_release(struct rt_ring *ring);

/*
 * Send count frames.  Returns how many were taken: fewer when the interface has no room
 * now, and the others may be given again; those that are longer than it takes count as
 * taken and as refused.  When none was taken: -ENETDOWN, the link is down now;
 * -ENODEV, the interface is gone; or what else send said.
 */
int rt_ring_send(struct rt_ring *ring, const struct iovec *frames, unsigned count,
		 struct rt_err *err);

/*
 * What poll() means by POLLERR; forgets it.  0: nothing; -ENETDOWN: the link went down,
 * the ring goes on when it comes back; -ENODEV: the interface is gone.
 */
int rt_ring_error(struct rt_ring *ring, struct rt_err *err);

/* Totals since open. */
void rt_ring_stats(struct rt_ring *ring, struct rt_ring_stats *ret_stats);

#endif
