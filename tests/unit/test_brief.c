/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_brief.c - frames that are not decoded: the result is that of the long way, for
 * made up captures of every kind of trouble, however the source hands them over.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/own.h"
#include "base/rng.h"
#include "packets.h"
#include "report/report.h"
#include "rocetune/analysis.h"
#include "unit.h"

#include "pcaps.h"

enum {
	FRAMES = 3000,
	MOST_QPS = 700, /* so many that some share a template */
	SEEDS = 120,
	ROOM = 1500,
	LARGE = 60000,
};

struct traffic {
	struct rt_rng rng;
	struct bytes file;
	uint64_t now_ns;
	unsigned qps, trouble, snap;
	bool swapped, ids;
	bool alike; /* flows differ in their addresses only */
	uint32_t psn[MOST_QPS];
	/* The frame before, as it was written. */
	uint8_t last[ROOM];
	uint32_t last_cap, last_wire;
};

static uint32_t below(struct traffic *traffic, uint32_t n)
{
	return (uint32_t)rt_rng_below(&traffic->rng, n);
}

static bool one_in(struct traffic *traffic, uint32_t n)
{
	return below(traffic, n) == 0;
}

static void put_u32(struct traffic *traffic, uint32_t value)
{
	pcap_append_le32(&traffic->file,
			 traffic->swapped ? __builtin_bswap32(value) : value);
}

static void put_record(struct traffic *traffic, const uint8_t *data, uint32_t cap,
		       uint32_t wire)
{
	put_u32(traffic, (uint32_t)(traffic->now_ns / 1000000000));
	put_u32(traffic, (uint32_t)(traffic->now_ns % 1000000000));
	put_u32(traffic, cap);
	put_u32(traffic, wire);
	pcap_append(&traffic->file, data, cap);
}

static void put_file_header(struct traffic *traffic)
{
	put_u32(traffic, 0xA1B23C4D);
	put_u32(traffic, traffic->swapped ? 0x00020004 : 0x00040002);
	put_u32(traffic, 0);
	put_u32(traffic, 0);
	put_u32(traffic, 262144);
	put_u32(traffic, RT_LINK_ETHERNET);
}

static void put_last(struct traffic *traffic)
{
	put_record(traffic, traffic->last, traffic->last_cap, traffic->last_wire);
}

static void send(struct traffic *traffic, const struct rt_build *packet)
{
	const uint32_t room = traffic->snap ? traffic->snap : ROOM;

	traffic->last_wire = (uint32_t)rt_build_roce(packet, traffic->last, room);
	traffic->last_cap = traffic->last_wire < room ? traffic->last_wire : room;
	put_last(traffic);
}

static struct rt_build packet_of(struct traffic *traffic, unsigned qp, bool back)
{
	static const uint8_t opcodes[] = {
		RT_OP_RC_WRITE_FIRST,      RT_OP_RC_WRITE_MIDDLE,
		RT_OP_RC_WRITE_MIDDLE,     RT_OP_RC_WRITE_MIDDLE,
		RT_OP_RC_WRITE_LAST,       RT_OP_RC_SEND_ONLY,
		RT_OP_RC_READ_RESP_MIDDLE, RT_OP_RC_READ_REQUEST,
		RT_OP_RC_READ_RESP_FIRST,  0x05 /* SEND Only with Immediate */,
		0x14 /* FETCH ADD */,      0x26 /* UC WRITE First */,
	};
	const uint8_t opcode = opcodes[below(traffic, one_in(traffic, 3) ? 12 : 6)];
	struct rt_build packet = plain_packet(opcode);

	packet.src.bytes[2] = packet.dst.bytes[2] = (uint8_t)(qp % 3);
	if (back) {
		packet.src.bytes[3] = 11;
		packet.dst.bytes[3] = 10;
	}
	packet.ip_id = traffic->ids ? (uint16_t)below(traffic, 65536) : 0;
	packet.udp_sport = (uint16_t)(0xC000 + qp);
	packet.ecn = one_in(traffic, 10) ? RT_ECN_CE : RT_ECN_ECT0;
	packet.bth.dest_qp = 2 + qp;
	if (traffic->alike) {
		const uint32_t any = (uint32_t)rt_hash_u64(qp);

		memcpy(packet.src.bytes, &any, sizeof(any));
		packet.bth.dest_qp = 2;
		packet.udp_sport = 0xC000;
	}
	packet.bth.psn = traffic->psn[qp];
	packet.bth.bits = (uint8_t)(one_in(traffic, 5) ? RT_BTH_ACKREQ : 0);
	packet.bth.bits |= (uint8_t)(qp % 2 ? RT_BTH_MIGREQ : 0);
	packet.bth.payload_bytes = one_in(traffic, 9) ? below(traffic, 1024) : 1024;
	if (rt_ops[opcode].bits & RT_OP_IS_READ || opcode == 0x14)
		packet.bth.payload_bytes = 0;
	packet.bth.dma_bytes = below(traffic, 5000);
	return packet;
}

static void send_data(struct traffic *traffic, unsigned qp)
{
	const struct rt_build packet = packet_of(traffic, qp, false);

	send(traffic, &packet);
	traffic->psn[qp] = (traffic->psn[qp] + 1) & 0xFFFFFF;
}

static void send_answer(struct traffic *traffic, unsigned qp)
{
	static const uint8_t syndromes[] = { 0x1F, 0x1F, 0x60, 0x2A };
	struct rt_build packet = packet_of(traffic, qp, true);

	packet.bth.opcode = one_in(traffic, 6) ? RT_OP_CNP : RT_OP_RC_ACK;
	packet.bth.bits = packet.bth.opcode == RT_OP_CNP ? RT_BTH_BECN : 0;
	packet.bth.psn = (packet.bth.psn - 1 - below(traffic, 3)) & 0xFFFFFF;
	packet.bth.syndrome = syndromes[below(traffic, 4)];
	packet.bth.payload_bytes = 0;
	packet.bth.dest_qp += 0x1000;
	send(traffic, &packet);
}

/* What is not brief, or not what it looks like. */
static void make_trouble(struct traffic *traffic, unsigned qp)
{
	uint8_t *last = traffic->last;

	switch (below(traffic, 16)) {
	case 0: traffic->psn[qp] += 1 + below(traffic, 3); break;
	case 1: traffic->psn[qp] -= 1 + below(traffic, 5); break;
	case 2: traffic->now_ns += 3000000; break;
	case 3: traffic->now_ns -= 700; break;
	case 4: last[below(traffic, 62)] ^= (uint8_t)(1 << below(traffic, 8)); break;
	case 5: traffic->last_cap = below(traffic, traffic->last_cap + 1); break;
	case 6: traffic->last_wire = below(traffic, 1200); break;
	case 7: last[22]--; break;                          /* TTL: a copy */
	case 8: last[15] |= 3; break;                       /* CE */
	case 9: last[29] ^= 77; break;                      /* another source */
	case 10: traffic->psn[qp] = 0xFFFFFE; break;        /* soon wraps */
	case 11: last[43] ^= 0x30; break;                   /* padding */
	case 12: last[16] ^= 1 << below(traffic, 8); break; /* lengths disagree */
	case 13: /* too short for its headers */
		last[16] = last[38] = 0;
		last[17] = (uint8_t)(28 + below(traffic, 30));
		last[39] = (uint8_t)(last[17] - 20);
		break;
	case 14: /* its ICRC is wrong, if it is there */
		last[traffic->last_cap - 1] ^= 1;
		break;
	default: last[46] ^= (uint8_t)(1 << below(traffic, 8)); /* FECN, BECN */
	}
	traffic->psn[qp] &= 0xFFFFFF;
	put_last(traffic);
}

/* Records so long that some dozens find no room in the window. */
static void put_large(struct traffic *traffic)
{
	uint8_t *large = calloc(1, LARGE);

	memcpy(large, traffic->last, 60);
	put_record(traffic, large, LARGE, LARGE);
	free(large);
}

static void make_traffic(struct traffic *traffic, uint64_t seed)
{
	static const unsigned qps[] = { 1, 3, 20, MOST_QPS };
	static const unsigned snaps[] = { 0, 128, 96, 70, 62, 58 };
	unsigned qp = 0;

	rt_rng_init(&traffic->rng, seed, 0);
	traffic->file.count = 0;
	traffic->now_ns = UINT64_C(1700000000000000000);
	traffic->qps = qps[seed % 4];
	traffic->snap = snaps[below(traffic, 6)];
	traffic->trouble = 2 + below(traffic, 200);
	traffic->ids = seed % 3;
	traffic->swapped = seed % 5 == 0;
	traffic->alike = seed % 8 == 3;
	for (unsigned i = 0; i < MOST_QPS; i++)
		traffic->psn[i] = below(traffic, 1 << 24);
	put_file_header(traffic);
	for (unsigned frame = 0; frame < FRAMES; frame++) {
		if (seed % 2 || one_in(traffic, 16))
			qp = below(traffic, traffic->qps);
		traffic->now_ns += 90;
		if (one_in(traffic, 12))
			send_answer(traffic, qp);
		else
			send_data(traffic, qp);
		if (one_in(traffic, traffic->trouble))
			make_trouble(traffic, qp);
		if (seed % 7 == 0 && frame < 300 && one_in(traffic, 3))
			put_large(traffic);
	}
	if (seed % 3 == 0) /* the last record is cut off, or claims too much */
		traffic->file.count -= 1 + below(traffic, 20);
	else if (seed % 3 == 1)
		put_u32(traffic, 0), put_u32(traffic, 0), put_u32(traffic, ~0u),
			put_u32(traffic, 100);
}

/* Ways to analyse the same. */
enum way {
	LONG_WAY,
	DECODED, /* usual frames, but none is brief */
	BRIEF,
	BRIEF_FILE, /* through a window that moves */
	WAYS,
};

/* The result as text; the caller frees it. */
static char *analyse(const struct traffic *traffic, const char *path, enum way way,
		     const struct rt_analysis_config *like, unsigned flags)
{
	struct rt_analysis_config config = *like;
	struct rt_source_ops ops; /* outlives the source */
	RT_AUTO(rt_auto_source_close) struct rt_source *source = NULL;
	struct rt_analysis analysis;
	char *text = NULL, *place;
	size_t bytes;
	FILE *to;

	config.long_way = way == LONG_WAY;
	if (way == BRIEF_FILE)
		assert_int_equal(rt_capture_open(path, flags, &source, NULL), 0);
	else
		assert_int_equal(rt_capture_open_memory(traffic->file.at,
							traffic->file.count, flags,
							&source, NULL),
				 0);
	assert_non_null(source->ops->read_records);
	ops = *source->ops;
	if (way == DECODED)
		ops.read_records = NULL;
	source->ops = &ops;
	assert_int_equal(rt_analysis_of_source(source, &config, &analysis, NULL), 0);
	place = strstr(analysis.capture.damage, ": ");
	if (place) /* begins with the name of the source */
		memmove(analysis.capture.damage, place, strlen(place) + 1);
	to = open_memstream(&text, &bytes);
	assert_int_equal(
		rt_report_json_write(to, &rt_analysis_table, &analysis, 0, NULL), 0);
	fclose(to);
	rt_analysis_free(&analysis);
	return text;
}

static void write_file(const struct traffic *traffic, const char *path)
{
	RT_AUTO(rt_auto_fclose) FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(traffic->file.at, 1, traffic->file.count, file),
			 traffic->file.count);
}

static void test_made_up_captures(void **state)
{
	struct traffic *traffic = calloc(1, sizeof(*traffic));
	char path[] = "/tmp/rocetune-test-XXXXXX";
	const int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		const struct rt_analysis_config config = {
			.max_flows = seed % 11 == 0   ? 3
				     : seed % 13 == 0 ? 40
						      : 0,
			.link_speed_bps = { .value = 100000000000,
					    .known = seed % 4 < 2 },
		};
		const unsigned flags = (seed % 9 ? RT_DECODE_DIGEST : 0) |
				       (seed / 4 % 2 ? RT_DECODE_ICRC : 0);
		char *texts[WAYS];

		make_traffic(traffic, seed);
		write_file(traffic, path);
		for (enum way way = 0; way < WAYS; way++)
			texts[way] = analyse(traffic, path, way, &config, flags);
		for (enum way way = 1; way < WAYS; way++)
			assert_string_equal(texts[way], texts[LONG_WAY]);
		for (enum way way = 0; way < WAYS; way++)
			free(texts[way]);
	}
	close(fd);
	unlink(path);
	pcap_auto_free(&traffic->file);
	free(traffic);
}

/*
 * A frame with IP options, in which stands, where frames without have it, what is at
 * the beginning of another flow's: that one's frames are not taken for its.
 */
static void test_options_make_no_template(void **state)
{
	const struct rt_analysis_config config = { 0 };
	struct traffic *traffic = calloc(1, sizeof(*traffic));
	RT_AUTO(rt_auto_free) char *brief = NULL, *long_way = NULL;
	struct rt_build packet = plain_packet(RT_OP_RC_SEND_FIRST);
	uint8_t *frame = traffic->last;

	(void)state;
	traffic->snap = 128;
	traffic->now_ns = 1000;
	put_file_header(traffic);
	for (unsigned i = 0; i < 200; i++) {
		packet.bth.payload_bytes = 1000;
		packet.bth.dest_qp = 77;
		packet.bth.opcode = RT_OP_RC_SEND_FIRST;
		packet.bth.psn = i;
		/* opcode, bits and P_Key here are the last of the QP there */
		packet.bth.bits = 0;
		packet.bth.pkey = 0x1234;
		traffic->last_wire = (uint32_t)rt_build_roce(&packet, frame, 120) + 4;
		memmove(frame + 38, frame + 34, 80);
		frame[14] = 0x46;
		frame[16] = 1048 >> 8;
		frame[17] = 1048 & 255;
		frame[34] = packet.udp_sport >> 8;
		frame[35] = packet.udp_sport & 255;
		frame[36] = RT_ROCE_UDP_PORT >> 8;
		frame[37] = RT_ROCE_UDP_PORT & 255;
		/* the length is an opcode and no bits, the checksum a P_Key */
		assert_int_equal(frame[42], RT_OP_RC_SEND_ONLY);
		assert_int_equal(frame[43], 0);
		frame[44] = frame[45] = 0xFF;
		traffic->last_cap = 118;
		put_last(traffic);
		packet.bth.dest_qp = 0x1234;
		packet.bth.opcode = RT_OP_RC_SEND_ONLY;
		packet.bth.pkey = 0xFFFF;
		packet.bth.psn = i + 5000;
		send(traffic, &packet);
	}
	brief = analyse(traffic, NULL, BRIEF, &config, RT_DECODE_DIGEST);
	long_way = analyse(traffic, NULL, LONG_WAY, &config, RT_DECODE_DIGEST);
	assert_string_equal(brief, long_way);
	assert_non_null(strstr(brief, "\"dest_qp\": 77"));
	pcap_auto_free(&traffic->file);
	free(traffic);
}

/* For tests of the decoder's layers all frames are decoded. */
static void test_no_records_with_layers(void **state)
{
	struct traffic *traffic = calloc(1, sizeof(*traffic));
	RT_AUTO(rt_auto_source_close) struct rt_source *source = NULL;

	(void)state;
	make_traffic(traffic, 2);
	assert_int_equal(rt_capture_open_memory(traffic->file.at, traffic->file.count,
						RT_DECODE_LAYERS, &source, NULL),
			 0);
	assert_null(source->ops->read_records);
	pcap_auto_free(&traffic->file);
	free(traffic);
}

RT_UNIT_MAIN(cmocka_unit_test(test_made_up_captures),
	     cmocka_unit_test(test_options_make_no_template),
	     cmocka_unit_test(test_no_records_with_layers))
