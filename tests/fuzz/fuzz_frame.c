/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_frame.c - any bytes as a frame.  The first byte chooses the link type, the
 * second how much of the frame the capture cut off, the rest is the frame.
 */
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "rocetune/frame.h"

#define HOLDS(condition)          \
	do {                      \
		if (!(condition)) \
			abort();  \
	} while (0)

static const uint16_t link_types[] = {
	RT_LINK_ETHERNET, RT_LINK_NULL, RT_LINK_RAW,        RT_LINK_LOOP,
	RT_LINK_SLL,      RT_LINK_ERF,  RT_LINK_IPV4,       RT_LINK_IPV6,
	RT_LINK_IPOIB,    RT_LINK_SLL2, RT_LINK_INFINIBAND, 147,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct rt_frame frame, again;
	const struct rt_bth *bth = &frame.bth;

	if (bytes < 2)
		return 0;
	memset(&frame, 0xA5, sizeof(frame));
	frame.flags = RT_FRAME_NO_TIME;
	frame.link_type = link_types[data[0] % RT_ARRAY_SIZE(link_types)];
	frame.cap_bytes = (uint32_t)(bytes - 2);
	frame.wire_bytes = frame.cap_bytes + data[1] * 8u;
	memset(&again, 0, sizeof(again));
	again.flags = RT_FRAME_NO_TIME;
	again.link_type = frame.link_type;
	again.cap_bytes = frame.cap_bytes;
	again.wire_bytes = frame.wire_bytes;

	rt_frame_decode(&frame, data + 2, RT_DECODE_ICRC | RT_DECODE_DIGEST);
	rt_frame_decode(&again, data + 2,
			RT_DECODE_ICRC | RT_DECODE_DIGEST | RT_DECODE_LAYERS);
	/*
	 * Nothing of what was in the struct before comes through, and the shortcut
	 * for plain frames comes to the same.
	 */
	HOLDS(memcmp(&frame.kind, &again.kind,
		     sizeof(frame) - offsetof(struct rt_frame, kind)) == 0);
	HOLDS(frame.flags & RT_FRAME_NO_TIME);
	HOLDS(frame.flags & RT_FRAME_CUT || frame.wire_bytes == frame.cap_bytes);
	HOLDS(frame.kind < RT_FRAME_KIND_COUNT && frame.encap < RT_ENCAP_COUNT);
	HOLDS((frame.kind == RT_FRAME_ROCE) == (frame.version != RT_ROCE_NONE));
	HOLDS(frame.kind == RT_FRAME_ROCE || frame.icrc == RT_ICRC_NONE);
	if (frame.kind == RT_FRAME_ROCE) {
		HOLDS((bth->ext & ~rt_ops[bth->opcode].ext) == 0);
		/* an ERF record may tell a longer wire length than the file */
		HOLDS(bth->payload_bytes <= frame.wire_bytes + 65535);
		HOLDS(bth->dest_qp <= 0xFFFFFF && bth->psn <= 0xFFFFFF);
		HOLDS(!(frame.flags & RT_FRAME_CM) ||
		      (bth->cm.qpn <= 0xFFFFFF && bth->cm.psn <= 0xFFFFFF &&
		       bth->ext == RT_EXT_DETH));
		HOLDS(frame.icrc == RT_ICRC_CUT || frame.icrc == RT_ICRC_NONE ||
		      !(frame.flags & RT_FRAME_BTH_CUT));
	}
	return 0;
}
