/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_usual.c - usual frames take a shortcut through the analysis: the result is
 * that of the long way, for made up traffic of every kind of trouble and for captures.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/rng.h"
#include "report/report.h"
#include "rocetune/analysis.h"
#include "rocetune/capture.h"
#include "unit.h"

/* A source of frames in memory. */
struct listed {
	struct rt_source source;
	const struct rt_frame *frames;
	size_t count, at;
};

static const struct rt_capture_if interface = { .link_type = RT_LINK_ETHERNET,
						.speed_bps = 100000000000 };

static int listed_read(struct rt_source *source, struct rt_frame *frames, size_t max,
		       size_t *ret_count, struct rt_err *err)
{
	struct listed *listed = (struct listed *)source;
	size_t count = 0;

	(void)err;
	while (count < max && listed->at < listed->count)
		frames[count++] = listed->frames[listed->at++];
	*ret_count = count;
	return 0;
}

static const struct rt_capture_if *listed_interfaces(struct rt_source *source,
						     size_t *ret_count)
{
	(void)source;
	*ret_count = 1;
	return &interface;
}

static const struct rt_source_ops listed_ops = { .read = listed_read,
						 .interfaces = listed_interfaces };

/* The whole result as text; the caller frees it. */
static char *analyse(struct rt_source *source, bool long_way)
{
	const struct rt_analysis_config config = { .long_way = long_way };
	struct rt_analysis analysis;
	char *text = NULL;
	size_t bytes;
	FILE *to;

	assert_int_equal(rt_analysis_of_source(source, &config, &analysis, NULL), 0);
	to = open_memstream(&text, &bytes);
	assert_int_equal(
		rt_report_json_write(to, &rt_analysis_table, &analysis, 0, NULL), 0);
	fclose(to);
	rt_analysis_free(&analysis);
	return text;
}

/* --- made up traffic ----------------------------------------------------------- */

enum {
	FRAMES = 3000,
	QPS = 6,
	ROUNDS = 200,
};

struct traffic {
	struct rt_rng rng;
	struct rt_frame frames[FRAMES];
	size_t count;
	int64_t now_ns;
	uint32_t psn[QPS];
	unsigned trouble; /* one frame in so many has some */
	bool ids;         /* each packet has an IP id of its own */
};

static bool one_in(struct traffic *traffic, uint64_t n)
{
	return rt_rng_below(&traffic->rng, n) == 0;
}

static uint8_t pick(struct traffic *traffic, const uint8_t *from, size_t count)
{
	return from[rt_rng_below(&traffic->rng, count)];
}

static struct rt_frame blank(struct traffic *traffic, unsigned qp, bool back)
{
	struct rt_frame frame = {
		.time_ns = traffic->now_ns,
		.number = traffic->count + 1,
		.wire_bytes = 1082,
		.cap_bytes = 1082,
		.link_type = RT_LINK_ETHERNET,
		.kind = RT_FRAME_ROCE,
		.version = RT_ROCE_V2,
		.flags = RT_FRAME_DIGEST,
		.ethertype = 0x0800,
		.dscp = 26,
		.ecn = RT_ECN_ECT0,
		.ttl = 64,
		.icrc = one_in(traffic, 30) ? RT_ICRC_OK : RT_ICRC_NONE,
		.ip_id = traffic->ids ? (uint16_t)traffic->count : 7,
		.udp_sport = (uint16_t)(49152 + qp),
		.udp_dport = RT_ROCE_UDP_PORT,
		.digest = (uint32_t)traffic->count,
	};

	frame.src.version = frame.dst.version = 4;
	frame.src.bytes[0] = frame.dst.bytes[0] = 10;
	frame.src.bytes[3] = back ? 9 : (uint8_t)(1 + qp % 3);
	frame.dst.bytes[3] = back ? (uint8_t)(1 + qp % 3) : 9;
	frame.bth.dest_qp = back ? 100 + qp : 10 + qp;
	frame.bth.psn = traffic->psn[qp];
	return frame;
}

static void send_data(struct traffic *traffic, unsigned qp)
{
	static const uint8_t opcodes[] = {
		RT_OP_RC_WRITE_FIRST,  RT_OP_RC_WRITE_MIDDLE, RT_OP_RC_WRITE_MIDDLE,
		RT_OP_RC_WRITE_LAST,   RT_OP_RC_SEND_ONLY,    RT_OP_RC_READ_RESP_MIDDLE,
		RT_OP_RC_READ_REQUEST,
	};
	struct rt_frame frame = blank(traffic, qp, false);

	frame.bth.opcode = pick(traffic, opcodes, sizeof(opcodes));
	frame.bth.payload_bytes = rt_ops[frame.bth.opcode].bits & RT_OP_FULL
					  ? 1024
					  : traffic->count % 5;
	frame.bth.dma_bytes = (uint32_t)rt_rng_below(&traffic->rng, 4000);
	frame.ecn = one_in(traffic, 10) ? RT_ECN_CE : RT_ECN_ECT0;
	frame.bth.bits = one_in(traffic, 8) ? RT_BTH_ACKREQ : 0;
	traffic->frames[traffic->count++] = frame;
	traffic->psn[qp] = (traffic->psn[qp] + 1) & 0xFFFFFF;
}

static void send_answer(struct traffic *traffic, unsigned qp)
{
	static const uint8_t syndromes[] = { 0x1F, 0x1F, 0x1F, 0x60, 0x2A, 0x61 };
	struct rt_frame frame = blank(traffic, qp, true);

	frame.wire_bytes = frame.cap_bytes = 62;
	frame.bth.opcode = one_in(traffic, 5) ? RT_OP_CNP : RT_OP_RC_ACK;
	if (frame.bth.opcode == RT_OP_RC_ACK) {
		frame.bth.ext = RT_EXT_AETH;
		frame.bth.syndrome = pick(traffic, syndromes, sizeof(syndromes));
	}
	frame.bth.psn = (traffic->psn[qp] - 1 - rt_rng_below(&traffic->rng, 4)) &
			0xFFFFFF;
	traffic->frames[traffic->count++] = frame;
}

/* What makes a frame unusual, or a usual one unexpected. */
static void make_trouble(struct traffic *traffic, unsigned qp)
{
	struct rt_frame *last = &traffic->frames[traffic->count - 1];

	switch (rt_rng_below(&traffic->rng, 16)) {
	case 0: traffic->psn[qp] += 1 + rt_rng_below(&traffic->rng, 3); break;
	case 1: traffic->psn[qp] -= 1 + rt_rng_below(&traffic->rng, 5); break;
	case 2: traffic->now_ns += 3000000; break;
	case 3: last->time_ns -= 700; break;
	case 4: last->icrc = RT_ICRC_BAD; break;
	case 5: last->icrc = RT_ICRC_OK; break;
	case 6: last->vlan_tags = 1; break;
	case 7: last->src.bytes[3] = 77; break;
	case 8: last->flags |= RT_FRAME_NO_TIME; break;
	case 9: last->flags &= (uint16_t)~RT_FRAME_DIGEST; break;
	case 10: last->bth.pad_bytes = 2; break;
	default:
		if (traffic->count < FRAMES) { /* as a mirror shows it */
			traffic->frames[traffic->count] = *(
				last - rt_rng_below(&traffic->rng, traffic->count) % 4);
			traffic->frames[traffic->count++].ttl -= one_in(traffic, 2);
		}
	}
	traffic->psn[qp] &= 0xFFFFFF;
}

static void make_traffic(struct traffic *traffic, uint64_t seed)
{
	rt_rng_init(&traffic->rng, seed, 0);
	traffic->count = 0;
	traffic->now_ns = 1000;
	traffic->trouble = seed % 4 ? 2 + (unsigned)(seed % 40) : 200;
	traffic->ids = seed % 3;
	for (unsigned qp = 0; qp < QPS; qp++)
		traffic->psn[qp] = (uint32_t)rt_rng_below(&traffic->rng, 1 << 24);
	while (traffic->count < FRAMES) {
		const unsigned qp = (unsigned)rt_rng_below(&traffic->rng, QPS);

		traffic->now_ns += 90;
		if (one_in(traffic, 5))
			send_answer(traffic, qp);
		else
			send_data(traffic, qp);
		if (one_in(traffic, traffic->trouble))
			make_trouble(traffic, qp);
	}
}

static void test_made_up_traffic(void **state)
{
	struct traffic *traffic = calloc(1, sizeof(*traffic));

	(void)state;
	for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
		RT_AUTO(rt_auto_free) char *quick = NULL, *long_way = NULL;

		make_traffic(traffic, seed);
		for (unsigned way = 0; way < 2; way++) {
			struct listed listed = {
				{ &listed_ops }, traffic->frames, traffic->count, 0
			};

			*(way ? &long_way : &quick) = analyse(&listed.source, way);
		}
		assert_string_equal(quick, long_way);
	}
	free(traffic);
}

/* --- captures ------------------------------------------------------------------ */

static unsigned compare_folder(const char *folder)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	unsigned count = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		RT_AUTO(rt_auto_free) char *quick = NULL, *long_way = NULL;
		char path[1024];

		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		if (!strstr(entry->d_name, ".pcap"))
			continue;
		for (unsigned way = 0; way < 2; way++) {
			RT_AUTO(rt_auto_source_close) struct rt_source *source = NULL;

			assert_int_equal(
				rt_capture_open(path, RT_DECODE_DIGEST, &source, NULL),
				0);
			*(way ? &long_way : &quick) = analyse(source, way);
		}
		assert_string_equal(quick, long_way);
		count++;
	}
	closedir(dir);
	return count;
}

static void test_captures_of_a_real_stack(void **state)
{
	char path[512];

	(void)state;
	snprintf(path, sizeof(path), "%s/captures/rxe", rt_test_shared());
	RT_NEED_SHARED(path);
	assert_true(compare_folder(path) > 10);
}

RT_UNIT_MAIN(cmocka_unit_test(test_made_up_traffic),
	     cmocka_unit_test(test_captures_of_a_real_stack))
