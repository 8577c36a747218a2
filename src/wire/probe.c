/* SPDX-License-Identifier: BSD-2-Clause */
/* probe.c - reading and writing the packets of `rocetune probe`. */
#include "wire/probe.h"

#include <string.h>

#include "wire/cursor.h"

#define VERSION    1u
#define KNOWN_TOS  1u
#define KNOWN_TTL  2u
#define FLAG_LARGE 1u

static const uint8_t magic[4] = { 'R', 'T', 'P', 'B' };

void rt_probe_write(const struct rt_probe_packet *packet, uint8_t out[RT_PROBE_BYTES])
{
	struct rt_wr wr = { out, out + RT_PROBE_BYTES, false };

	rt_wr_bytes(&wr, magic, sizeof(magic));
	rt_wr_u8(&wr, VERSION);
	rt_wr_u8(&wr, packet->type);
	rt_wr_u8(&wr, packet->tos_sent);
	rt_wr_u8(&wr, packet->tos_came);
	rt_wr_be16(&wr, packet->sequence);
	rt_wr_be16(&wr, packet->bytes_came);
	rt_wr_u8(&wr, packet->ttl_came);
	rt_wr_u8(&wr, (packet->tos_known ? KNOWN_TOS : 0) |
			      (packet->ttl_known ? KNOWN_TTL : 0));
	rt_wr_u8(&wr, packet->large_answer ? FLAG_LARGE : 0);
	rt_wr_u8(&wr, 0);
	rt_wr_bytes(&wr, packet->cookie, sizeof(packet->cookie));
}

bool rt_probe_read(const void *payload, size_t bytes,
		   struct rt_probe_packet *ret_packet)
{
	const uint8_t *at = payload, *taken;
	struct rt_rd rd = { at, at + bytes, false, at };
	struct rt_probe_packet packet = { 0 };
	uint8_t version, known;

	taken = rt_rd_take(&rd, sizeof(magic));
	if (!taken || memcmp(taken, magic, sizeof(magic)) != 0)
		return false;
	version = rt_rd_u8(&rd);
	packet.type = rt_rd_u8(&rd);
	packet.tos_sent = rt_rd_u8(&rd);
	packet.tos_came = rt_rd_u8(&rd);
	packet.sequence = rt_rd_be16(&rd);
	packet.bytes_came = rt_rd_be16(&rd);
	packet.ttl_came = rt_rd_u8(&rd);
	known = rt_rd_u8(&rd);
	packet.tos_known = known & KNOWN_TOS;
	packet.ttl_known = known & KNOWN_TTL;
	packet.large_answer = rt_rd_u8(&rd) & FLAG_LARGE;
	rt_rd_u8(&rd);
	taken = rt_rd_take(&rd, sizeof(packet.cookie));
	if (!taken || version != VERSION ||
	    (packet.type != RT_PROBE_REQUEST && packet.type != RT_PROBE_ANSWER))
		return false;
	memcpy(packet.cookie, taken, sizeof(packet.cookie));
	*ret_packet = packet;
	return true;
}
