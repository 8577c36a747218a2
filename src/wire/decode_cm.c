/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * decode_cm.c - messages of the communication manager: management datagrams to QP 1
 * (IBTA 13.4.3) of the class 0x07, and in them REQ, REP and the others at the offsets
 * of IBTA 12.6.  What a capture cut off is not known; what comes before the cut is.
 */
#include <string.h>

#include "base/own.h"
#include "wire/bytes.h"
#include "wire/decode.h"

#define MAD_BYTES     24
#define CLASS_CM      7
#define CLASS_VERSION 2
#define METHOD_SEND   3

/* Service ids of the RDMA IP CM service: this, protocol, port (annex A11.2). */
#define IP_CM_PREFIX 0x0000000001u

/* One message: its frame, and bytes of it behind the MAD header. */
struct message {
	struct rt_frame *frame;
	const uint8_t *at;
	size_t bytes;
};

static bool has(const struct message *message, size_t bytes)
{
	return message->bytes >= bytes;
}

static void know(const struct message *message, unsigned what)
{
	message->frame->bth.cm.known |= (uint8_t)what;
}

/* Is the GID (IPv4 as ::ffff:a.b.c.d) that address? */
static bool is_gid_of(const uint8_t gid[16], const struct rt_ip *ip)
{
	static const uint8_t mapped[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF };

	if (ip->version == 6)
		return memcmp(gid, ip->bytes, 16) == 0;
	return memcmp(gid, mapped, sizeof(mapped)) == 0 &&
	       memcmp(gid + 12, ip->bytes, 4) == 0;
}

/* Native InfiniBand within a subnet goes by LIDs, all else by GIDs. */
static bool is_own_path(const struct message *message)
{
	const struct rt_frame *frame = message->frame;
	const uint8_t *at = message->at;

	if (frame->src.version == 0)
		return rt_get_be16(at + 52) == frame->slid_dlid >> 16 &&
		       rt_get_be16(at + 54) == (frame->slid_dlid & 0xFFFF);
	return is_gid_of(at + 56, &frame->src) && is_gid_of(at + 72, &frame->dst);
}

/* Version, IP version, source port, source and destination address. */
static void take_ip(const struct message *message)
{
	struct rt_cm *cm = &message->frame->bth.cm;

	if (!has(message, 140 + 36) || rt_get_be32(message->at + 8) != 0 ||
	    message->at[12] != (IP_CM_PREFIX & 0xFF))
		return;
	cm->dst_port = rt_get_be16(message->at + 14);
	cm->src_port = rt_get_be16(message->at + 142);
	know(message, RT_CM_KNOWS_IP);
}

static void take_req(const struct message *message)
{
	static const uint8_t transports[] = { 0, 1, 2, 5 };
	struct rt_cm *cm = &message->frame->bth.cm;
	const uint8_t *at = message->at;

	if (!has(message, 35))
		return;
	cm->qpn = rt_get_be24_low(at + 31);
	know(message, RT_CM_KNOWS_QP);
	if (!has(message, 48))
		return;
	cm->resources = at[35];
	cm->depth = at[39];
	cm->transport = transports[at[43] >> 1 & 3];
	cm->psn = rt_get_be24_low(at + 43);
	cm->retries = at[47] & 7;
	know(message, RT_CM_KNOWS_PSN);
	if (!has(message, 96))
		return;
	cm->mtu_code = at[50] >> 4;
	cm->rnr_retries = at[50] & 7;
	cm->ack_timeout = at[95] >> 3;
	know(message, RT_CM_KNOWS_PATH);
	if (!is_own_path(message))
		know(message, RT_CM_OTHER_PATH);
	take_ip(message);
}

static void take_rep(const struct message *message)
{
	struct rt_cm *cm = &message->frame->bth.cm;
	const uint8_t *at = message->at;

	if (!has(message, 15))
		return;
	cm->qpn = rt_get_be24_low(at + 11);
	know(message, RT_CM_KNOWS_QP);
	if (!has(message, 28))
		return;
	cm->psn = rt_get_be24_low(at + 19);
	cm->resources = at[24];
	cm->depth = at[25];
	cm->rnr_retries = at[27] >> 5;
	know(message, RT_CM_KNOWS_PSN);
}

static void take_rej(const struct message *message)
{
	if (!has(message, 12))
		return;
	message->frame->bth.cm.reason = rt_get_be16(message->at + 10);
	know(message, RT_CM_KNOWS_REASON);
}

static void take_dreq(const struct message *message)
{
	if (!has(message, 11))
		return;
	message->frame->bth.cm.qpn = rt_get_be24_low(message->at + 7);
	know(message, RT_CM_KNOWS_QP);
}

static void take_ids(const struct message *message)
{
	(void)message;
}

static const struct {
	uint8_t kind;
	void (*take)(const struct message *message);
} kinds[] = {
	{ RT_CM_REQ, take_req },  { RT_CM_MRA, take_ids }, { RT_CM_REJ, take_rej },
	{ RT_CM_REP, take_rep },  { RT_CM_RTU, take_ids }, { RT_CM_DREQ, take_dreq },
	{ RT_CM_DREP, take_ids },
};

static bool is_cm(const uint8_t *mad)
{
	return mad[0] == 1 && mad[1] == CLASS_CM && mad[2] == CLASS_VERSION &&
	       mad[3] == METHOD_SEND && mad[16] == 0;
}

void rt_decode_mad(struct rt_decode *d, size_t at)
{
	const uint8_t *mad = d->data + at;
	struct message message = { .frame = d->frame };
	struct rt_cm *cm = &d->frame->bth.cm;

	if (!rt_decode_has(d, at, MAD_BYTES + 8) || !is_cm(mad))
		return;
	message.at = mad + MAD_BYTES;
	message.bytes = d->cap - at - MAD_BYTES;
	for (size_t i = 0; i < RT_ARRAY_SIZE(kinds); i++) {
		if (kinds[i].kind != mad[17])
			continue;
		d->frame->flags |= RT_FRAME_CM;
		*cm = (struct rt_cm){ .kind = mad[17],
				      .local_id = rt_get_be32(message.at) };
		if (cm->kind != RT_CM_REQ)
			cm->remote_id = rt_get_be32(message.at + 4);
		know(&message, RT_CM_KNOWS_IDS);
		kinds[i].take(&message);
	}
}
