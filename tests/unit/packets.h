/* SPDX-License-Identifier: BSD-2-Clause */
/* packets.h - a packet to build frames from, for tests of the decoder. */
#ifndef RT_TESTS_PACKETS_H
#define RT_TESTS_PACKETS_H

#include "wire/build.h"

/* RoCEv2 over IPv4 from 10.0.0.10 to 10.0.0.11, DSCP 26; tests set the rest. */
static inline struct rt_build plain_packet(unsigned opcode)
{
	return (struct rt_build){
		.eth_src = { 0x02, 0, 0, 0, 0, 0x0A },
		.eth_dst = { 0x02, 0, 0, 0, 0, 0x0B },
		.src = { .bytes = { 10, 0, 0, 10 }, .version = 4 },
		.dst = { .bytes = { 10, 0, 0, 11 }, .version = 4 },
		.dscp = 26,
		.ecn = RT_ECN_ECT0,
		.ttl = 64,
		.udp_sport = 0xC123,
		.bth = { .opcode = (uint8_t)opcode, .pkey = 0xFFFF },
	};
}

#endif
