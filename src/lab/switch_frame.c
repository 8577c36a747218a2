/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/switch_frame.h"

#include "base/hash.h"
#include "rocetune/frame.h"
#include "wire/bytes.h"

enum {
	TYPE_IPV4 = 0x0800,
	TYPE_IPV6 = 0x86DD,
	TYPE_VLAN = 0x8100,
	TYPE_QINQ = 0x88A8,
	TAGS_MAX = 2,
	IPV4_BYTES = 20,
	IPV6_BYTES = 40,
	PROTO_TCP = 6,
	PROTO_UDP = 17,
	PROTO_SCTP = 132,
};

static uint64_t mac_at(const uint8_t *at)
{
	return (uint64_t)rt_get_be32(at) << 16 | rt_get_be16(at + 4);
}

/* Source and destination port; 0 where there are none to be seen. */
static uint64_t ports_at(const uint8_t *data, size_t bytes, size_t at, uint8_t proto)
{
	if (proto != PROTO_UDP && proto != PROTO_TCP && proto != PROTO_SCTP)
		return 0;
	return at + 4 <= bytes ? rt_get_be32(data + at) : 0;
}

static void look_ipv4(const uint8_t *data, size_t bytes, size_t at,
		      struct rt_lab_look *look)
{
	const uint8_t *net = data + at;
	const size_t header_bytes = (net[0] & 15u) * 4;
	uint64_t ports = 0;

	if (at + IPV4_BYTES > bytes || net[0] >> 4 != 4 || header_bytes < IPV4_BYTES)
		return;
	look->net_at = (uint16_t)at;
	look->dscp = net[1] >> 2;
	look->ecn = net[1] & 3;
	/* Fragments have no ports but the first, and all must go one way. */
	if (!(rt_get_be16(net + 6) & 0x3FFF))
		ports = ports_at(data, bytes, at + header_bytes, net[9]);
	look->hash = rt_hash_pair(rt_get_be64(net + 12), ports << 8 | net[9]);
}

static void look_ipv6(const uint8_t *data, size_t bytes, size_t at,
		      struct rt_lab_look *look)
{
	const uint8_t *net = data + at;
	uint64_t addresses, ports;

	if (at + IPV6_BYTES > bytes || net[0] >> 4 != 6)
		return;
	look->net_at = (uint16_t)at;
	look->dscp = (uint8_t)(rt_get_be16(net) >> 6 & 63);
	look->ecn = net[1] >> 4 & 3;
	addresses = rt_hash_pair(
		rt_hash_pair(rt_get_be64(net + 8), rt_get_be64(net + 16)),
		rt_hash_pair(rt_get_be64(net + 24), rt_get_be64(net + 32)));
	ports = ports_at(data, bytes, at + IPV6_BYTES, net[6]);
	look->hash = rt_hash_pair(addresses, ports << 8 | net[6]);
}

bool rt_lab_look(const uint8_t *data, size_t bytes, struct rt_lab_look *ret_look)
{
	struct rt_lab_look look = { 0 };
	size_t at = RT_LAB_ETH_BYTES;
	uint16_t type;

	if (bytes < RT_LAB_ETH_BYTES)
		return false;
	look.dst = mac_at(data);
	look.src = mac_at(data + 6);
	type = rt_get_be16(data + 12);
	for (unsigned tags = 0; tags < TAGS_MAX; tags++) {
		if ((type != TYPE_VLAN && type != TYPE_QINQ) ||
		    at + RT_LAB_TAG_BYTES > bytes)
			break;
		type = rt_get_be16(data + at + 2);
		at += RT_LAB_TAG_BYTES;
	}
	if (type == TYPE_IPV4 && at < bytes)
		look_ipv4(data, bytes, at, &look);
	else if (type == TYPE_IPV6 && at < bytes)
		look_ipv6(data, bytes, at, &look);
	if (!look.net_at)
		look.hash = rt_hash_pair(look.dst, look.src);
	*ret_look = look;
	return true;
}

void rt_lab_mark_ce(uint8_t *net)
{
	const uint16_t before = rt_get_be16(net);
	uint32_t sum;

	if (net[0] >> 4 == 6) {
		net[1] |= RT_ECN_CE << 4;
		return;
	}
	net[1] |= RT_ECN_CE;
	sum = (uint32_t)(uint16_t)~rt_get_be16(net + 10) + (uint16_t)~before +
	      rt_get_be16(net);
	sum = (sum & 0xFFFF) + (sum >> 16);
	sum = (sum & 0xFFFF) + (sum >> 16);
	rt_put_be16(net + 10, (uint16_t)~sum);
}
