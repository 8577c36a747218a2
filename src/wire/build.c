/* SPDX-License-Identifier: BSD-2-Clause */
/* build.c - frames as a NIC puts them on the wire. */
#include "wire/build.h"

#include <string.h>

#include "wire/bytes.h"
#include "wire/ext.h"
#include "wire/icrc.h"

#define ETH_BYTES  14
#define TAG_BYTES  4
#define IPV4_BYTES 20
#define IPV6_BYTES 40
#define UDP_BYTES  8
#define PROTO_UDP  17

static unsigned pad_bytes(const struct rt_bth *bth)
{
	return -bth->payload_bytes & 3;
}

/* BTH to ICRC. */
static size_t transport_bytes(const struct rt_bth *bth)
{
	return RT_BTH_BYTES + rt_ops[bth->opcode].ext_bytes +
	       (size_t)bth->payload_bytes + pad_bytes(bth) + RT_ICRC_BYTES;
}

static size_t ip_bytes(const struct rt_build *packet)
{
	return packet->src.version == 6 ? IPV6_BYTES : IPV4_BYTES;
}

static size_t link_bytes(const struct rt_build *packet)
{
	return packet->tagged ? ETH_BYTES + TAG_BYTES : ETH_BYTES;
}

size_t rt_build_roce_bytes(const struct rt_build *packet)
{
	return link_bytes(packet) + ip_bytes(packet) + UDP_BYTES +
	       transport_bytes(&packet->bth);
}

static uint8_t *put_link(uint8_t *at, const struct rt_build *packet)
{
	memcpy(at, packet->eth_dst, 6);
	memcpy(at + 6, packet->eth_src, 6);
	at += 12;
	if (packet->tagged) {
		rt_put_be16(at, 0x8100);
		rt_put_be16(at + 2, packet->vlan);
		at += TAG_BYTES;
	}
	rt_put_be16(at, packet->src.version == 6 ? 0x86DD : 0x0800);
	return at + 2;
}

/* Header checksum (RFC 1071) of the twenty bytes at ip, its own field being 0. */
static uint16_t ipv4_checksum(const uint8_t *ip)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < IPV4_BYTES; i += 2)
		sum += rt_get_be16(ip + i);
	sum = (sum & 0xFFFF) + (sum >> 16);
	sum = (sum & 0xFFFF) + (sum >> 16);
	return (uint16_t)~sum;
}

static uint8_t *put_ipv4(uint8_t *at, const struct rt_build *packet, size_t upper_bytes)
{
	at[0] = 0x45;
	at[1] = (uint8_t)(packet->dscp << 2 | (packet->ecn & 3));
	rt_put_be16(at + 2, (uint16_t)(IPV4_BYTES + upper_bytes));
	rt_put_be16(at + 4, packet->ip_id);
	rt_put_be16(at + 6, 0x4000); /* don't fragment: RoCE must not be */
	at[8] = packet->ttl;
	at[9] = PROTO_UDP;
	rt_put_be16(at + 10, 0);
	memcpy(at + 12, packet->src.bytes, 4);
	memcpy(at + 16, packet->dst.bytes, 4);
	rt_put_be16(at + 10, ipv4_checksum(at));
	return at + IPV4_BYTES;
}

static uint8_t *put_ipv6(uint8_t *at, const struct rt_build *packet, size_t upper_bytes)
{
	const uint32_t tclass = (uint32_t)packet->dscp << 2 | (packet->ecn & 3u);

	rt_put_be32(at, 6u << 28 | tclass << 20 | (packet->flow_label & 0xFFFFF));
	rt_put_be16(at + 4, (uint16_t)upper_bytes);
	at[6] = PROTO_UDP;
	at[7] = packet->ttl;
	memcpy(at + 8, packet->src.bytes, 16);
	memcpy(at + 24, packet->dst.bytes, 16);
	return at + IPV6_BYTES;
}

static uint8_t *put_udp(uint8_t *at, const struct rt_build *packet, size_t udp_bytes)
{
	rt_put_be16(at, packet->udp_sport);
	rt_put_be16(at + 2, RT_ROCE_UDP_PORT);
	rt_put_be16(at + 4, (uint16_t)udp_bytes);
	rt_put_be16(at + 6, 0); /* none: the ICRC covers more (A17.3.1) */
	return at + UDP_BYTES;
}

static uint8_t *put_bth(uint8_t *at, const struct rt_bth *bth)
{
	at[0] = bth->opcode;
	at[1] = (uint8_t)((bth->bits & RT_BTH_SOLICITED ? 0x80 : 0) |
			  (bth->bits & RT_BTH_MIGREQ ? 0x40 : 0) | pad_bytes(bth) << 4 |
			  (bth->tver & 15));
	rt_put_be16(at + 2, bth->pkey);
	rt_put_be32(at + 4, bth->dest_qp & 0xFFFFFF);
	at[4] = (uint8_t)((bth->bits & RT_BTH_FECN ? 0x80 : 0) |
			  (bth->bits & RT_BTH_BECN ? 0x40 : 0));
	rt_put_be32(at + 8, bth->psn & 0xFFFFFF);
	at[8] = bth->bits & RT_BTH_ACKREQ ? 0x80 : 0;
	return at + RT_BTH_BYTES;
}

static uint8_t *put_ext(uint8_t *at, const struct rt_bth *bth)
{
	for (unsigned ext = rt_ops[bth->opcode].ext; ext; ext &= ext - 1) {
		const struct rt_ext *row = &rt_exts[__builtin_ctz(ext)];

		row->put(bth, at);
		at += row->bytes;
	}
	return at;
}

/* As much as there is room for, and zeros to the end of it. */
static void put_payload(const struct rt_build *packet, uint8_t *at, size_t room)
{
	const size_t bytes = packet->bth.payload_bytes < room
				     ? packet->bth.payload_bytes
				     : room;

	memset(at, 0, room);
	if (packet->payload)
		memcpy(at, packet->payload, bytes);
}

size_t rt_build_roce(const struct rt_build *packet, uint8_t *frame, size_t room)
{
	const bool v6 = packet->src.version == 6;
	const size_t udp_bytes = UDP_BYTES + transport_bytes(&packet->bth);
	const size_t network_at = link_bytes(packet);
	const size_t total = network_at + ip_bytes(packet) + udp_bytes;
	uint8_t header[RT_BUILD_HEADER_MAX];
	uint8_t *at = put_link(header, packet);
	size_t header_bytes;

	at = v6 ? put_ipv6(at, packet, udp_bytes) : put_ipv4(at, packet, udp_bytes);
	at = put_udp(at, packet, udp_bytes);
	at = put_ext(put_bth(at, &packet->bth), &packet->bth);
	header_bytes = (size_t)(at - header);

	if (room > total)
		room = total;
	memcpy(frame, header, header_bytes < room ? header_bytes : room);
	if (room > header_bytes)
		put_payload(packet, frame + header_bytes, room - header_bytes);
	if (room == total)
		rt_put_le32(frame + total - RT_ICRC_BYTES,
			    rt_icrc_of(v6 ? RT_ICRC_IPV6 : RT_ICRC_IPV4,
				       frame + network_at, ip_bytes(packet) + UDP_BYTES,
				       total - network_at - RT_ICRC_BYTES));
	return total;
}

/* MAC control frame (802.3 clause 31): the header, then zeros to the end. */
static void put_mac_control(uint8_t frame[RT_BUILD_PAUSE_BYTES],
			    const uint8_t eth_src[6], uint16_t opcode)
{
	static const uint8_t group[6] = { 0x01, 0x80, 0xC2, 0x00, 0x00, 0x01 };

	memset(frame, 0, RT_BUILD_PAUSE_BYTES);
	memcpy(frame, group, 6);
	memcpy(frame + 6, eth_src, 6);
	rt_put_be16(frame + 12, 0x8808);
	rt_put_be16(frame + 14, opcode);
}

static size_t copy_out(const uint8_t whole[RT_BUILD_PAUSE_BYTES], uint8_t *frame,
		       size_t room)
{
	memcpy(frame, whole, room < RT_BUILD_PAUSE_BYTES ? room : RT_BUILD_PAUSE_BYTES);
	return RT_BUILD_PAUSE_BYTES;
}

size_t rt_build_pfc(const uint8_t eth_src[6], const struct rt_pause *pause,
		    uint8_t *frame, size_t room)
{
	uint8_t whole[RT_BUILD_PAUSE_BYTES];

	put_mac_control(whole, eth_src, 0x0101);
	rt_put_be16(whole + 16, pause->enable);
	for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++)
		if (pause->enable >> prio & 1)
			rt_put_be16(whole + 18 + 2 * prio, pause->quanta[prio]);
	return copy_out(whole, frame, room);
}

size_t rt_build_pause(const uint8_t eth_src[6], uint16_t quanta, uint8_t *frame,
		      size_t room)
{
	uint8_t whole[RT_BUILD_PAUSE_BYTES];

	put_mac_control(whole, eth_src, 0x0001);
	rt_put_be16(whole + 16, quanta);
	return copy_out(whole, frame, room);
}
