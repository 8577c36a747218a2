/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * framegen.c - a capture of every frame that the builder knows: each opcode over
 * IPv4, IPv6 and with a tag, all bits of the BTH, every padding, PFC and PAUSE, and
 * messages of the connection manager.
 *
 *   framegen FILE [SNAP_BYTES]  pcapng, for comparison with other decoders
 *   framegen --seeds FOLDER     one frame a file, as tests/fuzz/fuzz_frame.c takes
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/mads.h"
#include "base/own.h"
#include "rocetune/capture.h"
#include "rocetune/err.h"
#include "wire/build.h"

/* Where the frames go. */
struct out {
	struct rt_sink *sink;
	const char *folder;
	unsigned count;
	int failed;
	struct rt_err err;
};

static const uint8_t mac[6] = { 0x02, 0, 0, 0, 0, 0x0A };

static void seed(struct out *out, const uint8_t *frame, size_t bytes)
{
	static const uint8_t ethernet_whole[2];
	char path[512];

	snprintf(path, sizeof(path), "%s/built-%03u", out->folder, out->count);
	RT_AUTO(rt_auto_fclose) FILE *file = fopen(path, "wb");
	if (!file || fwrite(ethernet_whole, 1, 2, file) != 2 ||
	    fwrite(frame, 1, bytes, file) != bytes)
		out->failed = rt_err_set(&out->err, -1, "cannot write %s", path);
}

static void emit(struct out *out, const uint8_t *frame, size_t bytes)
{
	if (out->failed)
		return;
	if (out->folder)
		seed(out, frame, bytes);
	else
		out->failed = out->sink->ops->write(out->sink, 0, out->count * 1000,
						    frame, (uint32_t)bytes,
						    (uint32_t)bytes, &out->err);
	out->count++;
}

static void emit_roce(struct out *out, const struct rt_build *packet)
{
	uint8_t frame[512];

	emit(out, frame, rt_build_roce(packet, frame, sizeof(frame)));
}

/* All fields differ, so that two that were swapped are seen. */
static struct rt_build sample(unsigned opcode)
{
	return (struct rt_build){
		.eth_src = { 0x02, 0, 0, 0, 0, 0x0A },
		.eth_dst = { 0x02, 0, 0, 0, 0, 0x0B },
		.vlan = 3 << 13 | 100,
		.src = { .bytes = { 10, 0, 0, 10, 1, 2, 3 }, .version = 4 },
		.dst = { .bytes = { 10, 0, 0, 11, 4, 5, 6 }, .version = 4 },
		.dscp = 26,
		.ecn = RT_ECN_ECT0,
		.ttl = 64,
		.ip_id = 0x1234,
		.flow_label = 0xABCDE,
		.udp_sport = 0xC123,
		.bth = { .opcode = (uint8_t)opcode,
			 .pkey = 0xFFFF,
			 .dest_qp = 0x112233,
			 .psn = 0x445566,
			 .syndrome = 0x62,
			 .msn = 0x778899,
			 .src_qp = 0x99AABB,
			 .qkey = 0x11111111,
			 .rkey = 0x22334455,
			 .dma_bytes = 123456,
			 .immediate = 0xCAFEBABE,
			 .xrc_srq = 0x313233,
			 .flush = 0x00000001,
			 .va = 0x0000123456789ABC,
			 .swap_add = 0x0102030405060708,
			 .compare = 0x1112131415161718 },
	};
}

/* SEND, WRITE and READ responses carry data; the others are headers only. */
static bool carries_data(unsigned opcode)
{
	const unsigned operation = opcode & 0x1F;

	return opcode != RT_OP_CNP &&
	       (operation <= 0x0B || operation == 0x16 || operation == 0x17 ||
		(operation >= 0x0D && operation <= 0x10));
}

/* A connection from first to last, and one that is refused. */
static void emit_cm(struct out *out)
{
	static const struct made_cm messages[] = {
		{ .kind = RT_CM_REQ,
		  .local_id = 0x11223344,
		  .qpn = 0x010203,
		  .psn = 0xABCDEF,
		  .mtu_code = 5,
		  .ack_timeout = 19,
		  .retries = 6,
		  .rnr_retries = 7,
		  .depth = 16,
		  .resources = 4,
		  .src_port = 4321,
		  .dst_port = 18515 },
		{ .kind = RT_CM_MRA, .local_id = 0x55667788, .remote_id = 0x11223344 },
		{ .kind = RT_CM_REP,
		  .local_id = 0x55667788,
		  .remote_id = 0x11223344,
		  .qpn = 0x0A0B0C,
		  .psn = 0x123456,
		  .rnr_retries = 5,
		  .depth = 3,
		  .resources = 2 },
		{ .kind = RT_CM_RTU, .local_id = 0x11223344, .remote_id = 0x55667788 },
		{ .kind = RT_CM_DREQ,
		  .local_id = 0x11223344,
		  .remote_id = 0x55667788,
		  .qpn = 0x0A0B0C },
		{ .kind = RT_CM_DREP, .local_id = 0x55667788, .remote_id = 0x11223344 },
		{ .kind = RT_CM_REJ, .remote_id = 0x99AABBCC, .reason = 28 },
	};

	for (size_t i = 0; i < RT_ARRAY_SIZE(messages); i++) {
		struct rt_build packet = sample(RT_OP_UD_SEND_ONLY);
		uint8_t mad[MAD_BYTES], frame[512];

		made_mad(&packet, &messages[i], mad);
		emit(out, frame, rt_build_roce(&packet, frame, sizeof(frame)));
	}
}

static void emit_all(struct out *out)
{
	struct rt_pause pause = { .enable = 0x08, .quanta = { 0, 1, 2, 0xFFFF, 4 } };
	uint8_t frame[RT_BUILD_PAUSE_BYTES];

	for (unsigned opcode = 0; opcode < 256; opcode++) {
		struct rt_build packet = sample(opcode);

		if (!rt_ops[opcode].name)
			continue;
		emit_roce(out, &packet);
		packet.bth.payload_bytes = carries_data(opcode) ? 61 : 0;
		packet.tagged = true;
		emit_roce(out, &packet);
		packet.tagged = false;
		packet.src.version = packet.dst.version = 6;
		emit_roce(out, &packet);
	}
	emit_cm(out);
	for (unsigned bits = 0; bits < 32; bits++) {
		struct rt_build packet = sample(RT_OP_RC_WRITE_MIDDLE);

		packet.bth.bits = (uint8_t)bits;
		packet.bth.payload_bytes = bits;
		packet.ecn = bits & 3;
		packet.dscp = (uint8_t)(bits * 2 + 1);
		emit_roce(out, &packet);
	}
	emit(out, frame, rt_build_pfc(mac, &pause, frame, sizeof(frame)));
	pause.enable = 0xFF;
	emit(out, frame, rt_build_pfc(mac, &pause, frame, sizeof(frame)));
	emit(out, frame, rt_build_pause(mac, 0x1234, frame, sizeof(frame)));
	emit(out, frame, rt_build_pause(mac, 0, frame, sizeof(frame)));
}

int main(int argc, char **argv)
{
	static const struct rt_capture_if port = { .name = "port0",
						   .speed_bps = 100000000000,
						   .link_type = RT_LINK_ETHERNET };
	struct out out = { 0 };

	if (argc == 3 && strcmp(argv[1], "--seeds") == 0) {
		out.folder = argv[2];
		emit_all(&out);
	} else if (argc == 2 || argc == 3) {
		out.failed = rt_capture_create(argv[1],
					       argc == 3 ? (uint32_t)atoi(argv[2]) : 0,
					       &out.sink, &out.err);
		if (!out.failed)
			out.failed = out.sink->ops->add_interface(out.sink, &port,
								  &out.err);
		emit_all(&out);
		if (out.sink) {
			const int r = out.sink->ops->close(out.sink, &out.err);

			if (!out.failed)
				out.failed = r;
		}
	} else {
		fprintf(stderr, "usage: framegen FILE [SNAP_BYTES] | --seeds FOLDER\n");
		return 2;
	}
	if (out.failed)
		fprintf(stderr, "framegen: %s\n", out.err.msg);
	return out.failed ? 3 : 0;
}
