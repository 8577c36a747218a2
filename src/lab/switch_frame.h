/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * switch_frame.h - what a switch reads of a frame, and the one thing it writes.
 *
 * Frames come from outside and may be anything: no byte behind the end is read, and
 * what is cut or odd is a frame without IP.  Internal to lab.
 */
#ifndef RT_LAB_SWITCH_FRAME_H
#define RT_LAB_SWITCH_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RT_LAB_ETH_BYTES 14u
#define RT_LAB_TAG_BYTES 4u
/* Ethernet's least frame, without FCS; shorter ones take as long on the wire. */
#define RT_LAB_FRAME_MIN 60u
/* What switches forward at most, tags aside: jumbo frames as data centres have them. */
#define RT_LAB_FRAME_MAX 9216u

struct rt_lab_look {
	uint64_t dst, src; /* MAC addresses as numbers, first byte highest */
	uint64_t hash;     /* of addresses and ports: one flow, one value */
	uint16_t net_at;   /* where the IP header begins; 0: no IP */
	uint8_t dscp, ecn; /* ecn: enum rt_ecn */
};

/* Of an Ethernet address as a number. */
#define RT_LAB_MAC_GROUP (UINT64_C(1) << 40)

static inline bool rt_lab_mac_is_link_local(uint64_t mac)
{
	return mac >> 4 == UINT64_C(0x0180C200000);
}

/* False: too short to be a frame. */
bool rt_lab_look(const uint8_t *data, size_t bytes, struct rt_lab_look *ret_look);

/*
 * Set CE in the IP header at net and, in IPv4, bring its checksum up to date (RFC 1624,
 * equation 3): a wrong one stays wrong.  RFC 3168 allows it on ECT only.
 */
void rt_lab_mark_ce(uint8_t *net);

#endif
