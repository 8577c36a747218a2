/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * soft_frame.c - the bytes of frames; those in the middle of messages, which are most,
 * from a template.
 *
 * Two middles of a queue pair differ in PSN and the bit that asks for an ACK, which are
 * the last word of the BTH.  A CRC is linear: what a byte of that word changes in it
 * depends on the byte and on how many bytes follow, so it stands in a table for each
 * path MTU, and the payload, zeros, is neither written nor summed up again.
 */
#include <string.h>

#include "traffic/soft_state.h"
#include "wire/bytes.h"
#include "wire/icrc.h"

#define LAST_WORD_BYTES 4 /* of the BTH: A, reserved bits, PSN */
#define ICRC_BYTES      4

static struct rt_soft_patch *patch_of(struct rt_soft *soft, uint32_t mtu_bytes)
{
	return &soft->patches[__builtin_ctz(mtu_bytes / RT_SOFT_MTU_MIN)];
}

/* What each bit of the word changes; a byte's change is that of its bits together. */
static void make_patch(struct rt_soft_patch *patch, uint32_t mtu_bytes)
{
	uint8_t tail[LAST_WORD_BYTES + RT_SOFT_MTU_MAX] = { 0 };

	for (unsigned at = 0; at < LAST_WORD_BYTES; at++)
		for (unsigned bit = 0; bit < 8; bit++) {
			uint32_t change;

			tail[at] = (uint8_t)(1u << bit);
			change = rt_crc32_update(0, tail, LAST_WORD_BYTES + mtu_bytes);
			for (unsigned byte = 0; byte < 256; byte++)
				if (byte >> bit & 1)
					patch->change[at][byte] ^= change;
			tail[at] = 0;
		}
	patch->made = true;
}

void rt_soft_make_middle(struct rt_soft *soft, struct rt_soft_qp *qp)
{
	struct rt_soft_middle *middle = &qp->middle;
	struct rt_build packet = qp->data;

	packet.bth.opcode = qp->opcodes->middle;
	packet.bth.payload_bytes = qp->mtu_bytes;
	middle->bytes = (uint32_t)rt_build_roce(&packet, soft->slots, soft->slot_bytes);
	middle->header_bytes = middle->bytes - qp->mtu_bytes - ICRC_BYTES;
	memcpy(middle->header, soft->slots, middle->header_bytes);
	middle->icrc = rt_get_le32(soft->slots + middle->bytes - ICRC_BYTES);
	soft->forms[0] = 0;
	if (!patch_of(soft, qp->mtu_bytes)->made)
		make_patch(patch_of(soft, qp->mtu_bytes), qp->mtu_bytes);
}

static size_t put_middle(struct rt_soft *soft, struct rt_soft_qp *qp,
			 const struct rt_bth *bth, unsigned slot)
{
	const struct rt_soft_middle *middle = &qp->middle;
	const struct rt_soft_patch *patch = patch_of(soft, qp->mtu_bytes);
	const uint32_t form = middle->header_bytes << 16 | middle->bytes;
	uint8_t *frame = soft->slots + slot * soft->slot_bytes;
	uint8_t *word = frame + middle->header_bytes - LAST_WORD_BYTES;

	if (soft->forms[slot] != form)
		memset(frame + middle->header_bytes, 0, qp->mtu_bytes);
	soft->forms[slot] = form;
	memcpy(frame, middle->header, middle->header_bytes);
	rt_put_be32(word, bth->psn);
	word[0] = bth->bits & RT_BTH_ACKREQ ? 0x80 : 0;
	rt_put_le32(frame + middle->bytes - ICRC_BYTES,
		    middle->icrc ^ patch->change[0][word[0]] ^
			    patch->change[1][word[1]] ^ patch->change[2][word[2]] ^
			    patch->change[3][word[3]]);
	return middle->bytes;
}

size_t rt_soft_frame(struct rt_soft *soft, struct rt_soft_qp *qp,
		     const struct rt_build *packet, unsigned slot)
{
	if (packet->bth.opcode == qp->opcodes->middle)
		return put_middle(soft, qp, &packet->bth, slot);
	soft->forms[slot] = 0;
	return rt_build_roce(packet, soft->slots + slot * soft->slot_bytes,
			     soft->slot_bytes);
}
