/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * build.h - frames as a NIC puts them on the wire, without FCS.
 *
 * Every function returns the whole length of the frame, however small the
 * buffer is, and writes what fits: a buffer of 128 bytes gets what a capture
 * with that snap length would hold (and costs no ICRC).  Nothing allocates.
 */
#ifndef RT_WIRE_BUILD_H
#define RT_WIRE_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rocetune/frame.h"

/* A RoCEv2 packet (IBTA A17) in an Ethernet frame. */
struct rt_build {
	uint8_t eth_src[6], eth_dst[6];
	bool tagged;           /* one 802.1Q tag */
	uint16_t vlan;         /* PCP, DEI, VID as on the wire, when tagged */
	struct rt_ip src, dst; /* of the same version; 6 when src.version is 6 */
	uint8_t dscp;
	uint8_t ecn;         /* enum rt_ecn */
	uint8_t ttl;         /* hop limit */
	uint16_t ip_id;      /* IPv4 */
	uint32_t flow_label; /* IPv6, 20 bits */
	uint16_t udp_sport;
	/*
	 * As the decoder gives it: opcode, bits, pkey, dest_qp, psn,
	 * payload_bytes, and the fields of those extension headers that
	 * the opcode has.  ext and pad_bytes are derived and not read.  A CNP is
	 * opcode RT_OP_CNP with RT_BTH_BECN and no payload.
	 */
	struct rt_bth bth;
	const uint8_t *payload; /* NULL: zeros */
};

/*
 * What the fullest packet has around its payload within its IP packet: IP, UDP, BTH,
 * RETH, immediate data, ICRC (IBTA 9.2 to 9.3, annex A17).
 */
#define RT_ROCE_AROUND_V4 (20u + 8 + 12 + 16 + 4 + 4)
#define RT_ROCE_AROUND_V6 (40u + 8 + 12 + 16 + 4 + 4)

/* Longest header stack of rt_build_roce(): all but payload, pad and ICRC. */
#define RT_BUILD_HEADER_MAX 128

/* Length on Ethernet; at most 65,535 and the Ethernet header make sense. */
size_t rt_build_roce_bytes(const struct rt_build *packet);

/* Write up to room bytes of the frame; returns rt_build_roce_bytes(). */
size_t rt_build_roce(const struct rt_build *packet, uint8_t *frame, size_t room);

/* PFC and PAUSE frames are padded to the Ethernet minimum. */
#define RT_BUILD_PAUSE_BYTES 60

/*
 * Priority flow control (802.1Qbb) to 01-80-C2-00-00-01.  Quanta of priorities
 * that are not enabled are sent as 0.
 */
size_t rt_build_pfc(const uint8_t eth_src[6], const struct rt_pause *pause,
		    uint8_t *frame, size_t room);

/* Link-wide PAUSE (802.3 annex 31B). */
size_t rt_build_pause(const uint8_t eth_src[6], uint16_t quanta, uint8_t *frame,
		      size_t room);

#endif
