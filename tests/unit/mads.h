/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mads.h - CM messages as bytes, for tests: fields are put at the offsets that the
 * standard gives (IBTA volume 1, 12.6), behind the 24 bytes of the MAD header.
 */
#ifndef RT_TESTS_MADS_H
#define RT_TESTS_MADS_H

#include <string.h>

#include "packets.h"

#define MAD_BYTES 256

/* A message as its sender thinks of it. */
struct made_cm {
	uint8_t kind; /* enum rt_cm_kind */
	uint32_t local_id, remote_id, qpn, psn;
	uint8_t service; /* of REQ: 0 RC, 1 UC, 2 RD, 3 XRC */
	uint8_t mtu_code, ack_timeout, retries, rnr_retries, depth, resources;
	uint16_t reason;             /* of REJ */
	uint16_t src_port, dst_port; /* of REQ, when not 0 */
};

static inline void made_bits(uint8_t *mad, unsigned at, unsigned bytes, uint32_t value)
{
	for (unsigned i = 0; i < bytes; i++)
		mad[24 + at + i] = (uint8_t)(value >> 8 * (bytes - 1 - i));
}

static inline void made_gid(uint8_t *mad, unsigned at, const struct rt_ip *ip)
{
	memset(mad + 24 + at, 0, 16);
	if (ip->version == 6) {
		memcpy(mad + 24 + at, ip->bytes, 16);
		return;
	}
	mad[24 + at + 10] = mad[24 + at + 11] = 0xFF;
	memcpy(mad + 24 + at + 12, ip->bytes, 4);
}

static inline void made_req(uint8_t *mad, const struct made_cm *cm,
			    const struct rt_build *packet)
{
	made_bits(mad, 8, 4, 0);
	made_bits(mad, 12, 4, 0x01060000u | cm->dst_port);
	made_bits(mad, 32, 3, cm->qpn);
	made_bits(mad, 35, 1, cm->resources);
	made_bits(mad, 39, 1, cm->depth);
	made_bits(mad, 43, 1, 20u << 3 | cm->service << 1);
	made_bits(mad, 44, 3, cm->psn);
	made_bits(mad, 47, 1, 20u << 3 | cm->retries);
	made_bits(mad, 48, 2, 0xFFFF);
	made_bits(mad, 50, 1, (uint32_t)cm->mtu_code << 4 | cm->rnr_retries);
	made_bits(mad, 51, 1, 15u << 4 | (cm->service == 3));
	made_bits(mad, 52, 4, 0xFFFFFFFF);
	made_gid(mad, 56, &packet->src);
	made_gid(mad, 72, &packet->dst);
	made_bits(mad, 95, 1, (uint32_t)cm->ack_timeout << 3);
	made_bits(mad, 141, 1, 0x40);
	made_bits(mad, 142, 2, cm->src_port);
	made_gid(mad, 144, &packet->src);
	made_gid(mad, 160, &packet->dst);
}

/* The packet to QP 1 that carries the message; mad stays the caller's. */
static inline void made_mad(struct rt_build *packet, const struct made_cm *cm,
			    uint8_t mad[MAD_BYTES])
{
	memset(mad, 0, MAD_BYTES);
	mad[0] = 1; /* base version, class CM, its version, Send */
	mad[1] = 7;
	mad[2] = 2;
	mad[3] = 3;
	mad[17] = cm->kind;
	made_bits(mad, 0, 4, cm->local_id);
	if (cm->kind != RT_CM_REQ)
		made_bits(mad, 4, 4, cm->remote_id);
	switch (cm->kind) {
	case RT_CM_REQ: made_req(mad, cm, packet); break;
	case RT_CM_REP:
		made_bits(mad, 12, 3, cm->qpn);
		made_bits(mad, 20, 3, cm->psn);
		made_bits(mad, 24, 1, cm->resources);
		made_bits(mad, 25, 1, cm->depth);
		made_bits(mad, 27, 1, (uint32_t)cm->rnr_retries << 5);
		break;
	case RT_CM_REJ: made_bits(mad, 10, 2, cm->reason); break;
	case RT_CM_DREQ: made_bits(mad, 8, 3, cm->qpn); break;
	}
	packet->bth.opcode = RT_OP_UD_SEND_ONLY;
	packet->bth.dest_qp = packet->bth.src_qp = RT_QP_CM;
	packet->bth.qkey = 0x80010000;
	packet->bth.payload_bytes = MAD_BYTES;
	packet->payload = mad;
}

#endif
