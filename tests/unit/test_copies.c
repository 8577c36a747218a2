/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_copies.c - copies of frames are left out, all of them and nothing else.
 *
 * Captures are made from packets as bytes: a fabric of seeded random traffic with
 * resends, into which copies are mixed at random distances.  With the copies every
 * figure of every stream must be what it is without them.
 */
#include "unit.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/diagnosis.h"
#include "analysis/rules.h"
#include "base/own.h"
#include "base/rng.h"
#include "frames.h"
#include "packets.h"
#include "pcaps.h"
#include "same.h"

#define CAP_BYTES 160

/* A packet on its way into the capture. */
struct shot {
	int64_t time_ns;
	struct rt_build packet;
	uint32_t order; /* of those at one time */
	bool copy;
};

struct shots {
	struct shot *at; /* owned */
	size_t count, capacity;
	uint32_t cap_bytes; /* of each frame; 0: whole */
};

static void auto_free_shots(struct shots *shots)
{
	free(shots->at);
}

static struct shot *shoot(struct shots *shots, int64_t time_ns,
			  const struct rt_build *packet)
{
	struct shot *at = rt_grow(shots->at, shots->count, &shots->capacity,
				  sizeof(*at));

	assert_non_null(at);
	shots->at = at;
	at[shots->count] = (struct shot){ .time_ns = time_ns,
					  .packet = *packet,
					  .order = (uint32_t)shots->count };
	return &at[shots->count++];
}

static int by_time(const void *a, const void *b)
{
	const struct shot *first = a, *second = b;

	if (first->time_ns != second->time_ns)
		return first->time_ns < second->time_ns ? -1 : 1;
	return first->order < second->order ? -1 : first->order > second->order;
}

static void feed(struct rt_analyzer *analyzer, const struct shots *shots, bool copies)
{
	struct rt_err err = { 0 };
	uint64_t number = 0;

	for (size_t i = 0; i < shots->count; i++) {
		const struct shot *shot = &shots->at[i];
		uint8_t bytes[2048];
		struct rt_frame frame = { .time_ns = shot->time_ns,
					  .link_type = RT_LINK_ETHERNET };

		if (shot->copy && !copies)
			continue;
		frame.number = ++number;
		frame.wire_bytes = (uint32_t)rt_build_roce(&shot->packet, bytes,
							   sizeof(bytes));
		frame.cap_bytes = frame.wire_bytes;
		if (shots->cap_bytes && shots->cap_bytes < frame.cap_bytes)
			frame.cap_bytes = shots->cap_bytes;
		rt_frame_decode(&frame, bytes, RT_DECODE_ICRC | RT_DECODE_DIGEST);
		assert_int_equal(rt_analyzer_feed(analyzer, &frame, 1, &err), 0);
	}
}

static void analyse(struct shots *shots, bool copies, struct rt_analysis *ret_analysis)
{
	static const struct rt_capture_if interface = { .link_type = RT_LINK_ETHERNET };
	const struct rt_analysis_config config = { 0 };
	struct rt_analyzer *analyzer = NULL;
	struct rt_err err = { 0 };

	qsort(shots->at, shots->count, sizeof(*shots->at), by_time);
	assert_int_equal(rt_analyzer_new(&config, &analyzer, &err), 0);
	rt_analyzer_interfaces(analyzer, &interface, 1);
	feed(analyzer, shots, copies);
	assert_int_equal(rt_analyzer_finish(analyzer, ret_analysis, &err), 0);
	rt_analyzer_free(analyzer);
}

/* --- random traffic ------------------------------------------------------------ */

enum ids {
	IDS_COUNTED, /* one counter a host: each packet has an id of its own */
	IDS_CONSTANT,
	IDS_ZERO,
	IDS_PSN,  /* its own PSN: a resend has the same */
	IDS_NONE, /* IPv6 */
};

/* One stream and its way back. */
struct stream {
	uint8_t opcode, ack, src, dst; /* last bytes of the addresses */
	uint32_t qp, src_qp, psn;
	int64_t next_ns;
	bool resends;
};

struct fabric {
	struct rt_rng rng;
	enum ids ids;
	uint16_t counters[256]; /* of IP ids, by host */
	struct shots *shots;
};

static uint16_t next_id(struct fabric *fabric, uint8_t host, uint32_t psn)
{
	switch (fabric->ids) {
	case IDS_COUNTED: return ++fabric->counters[host];
	case IDS_CONSTANT: return 0x1234;
	case IDS_PSN: return (uint16_t)psn;
	case IDS_ZERO:
	case IDS_NONE: break;
	}
	return 0;
}

static void transmit(struct fabric *fabric, int64_t now_ns, uint8_t src, uint8_t dst,
		     const struct rt_bth *bth)
{
	struct rt_build packet = plain_packet(bth->opcode);

	packet.bth = *bth;
	packet.src.bytes[3] = src;
	packet.dst.bytes[3] = dst;
	if (fabric->ids == IDS_NONE) {
		packet.src = made_ip("fd00::1");
		packet.dst = made_ip("fd00::1");
		packet.src.bytes[15] = src;
		packet.dst.bytes[15] = dst;
	}
	packet.ip_id = next_id(fabric, src, bth->psn);
	shoot(fabric->shots, now_ns, &packet);
}

static void send_data(struct fabric *fabric, const struct stream *stream,
		      int64_t now_ns, uint32_t psn)
{
	transmit(fabric, now_ns, stream->src, stream->dst,
		 &(struct rt_bth){ .opcode = stream->opcode,
				   .pkey = 0xFFFF,
				   .dest_qp = stream->qp,
				   .src_qp = stream->src_qp,
				   .psn = psn & 0xFFFFFF,
				   .payload_bytes = 256 });
}

static void send_back(struct fabric *fabric, const struct stream *stream,
		      int64_t now_ns, uint8_t opcode, uint32_t psn, uint8_t syndrome)
{
	transmit(fabric, now_ns, stream->dst, stream->src,
		 &(struct rt_bth){ .opcode = opcode,
				   .bits = opcode == RT_OP_CNP ? RT_BTH_BECN : 0,
				   .pkey = 0xFFFF,
				   .dest_qp = stream->src_qp,
				   .psn = psn & 0xFFFFFF,
				   .msn = psn & 0xFFFFFF,
				   .syndrome = syndrome });
}

/* The last few PSNs again, 10 us after a NAK as of go-back-N, or without one. */
static void go_back(struct fabric *fabric, struct stream *stream)
{
	const uint32_t back = 1 + (uint32_t)rt_rng_below(&fabric->rng, 12);

	if (rt_rng_below(&fabric->rng, 2))
		send_back(fabric, stream, stream->next_ns, stream->ack,
			  stream->psn - back, 0x60);
	stream->next_ns += 10000;
	for (uint32_t i = 0; i < back; i++, stream->next_ns += 400)
		send_data(fabric, stream, stream->next_ns, stream->psn - back + i);
}

static void step(struct fabric *fabric, struct stream *stream)
{
	/* Before, copies have come: how far behind they are is known by then. */
	const uint32_t first_back = fabric->ids == IDS_COUNTED ? 80 : 20;
	const uint64_t what = rt_rng_below(&fabric->rng, 100);

	stream->next_ns += 300 + (int64_t)rt_rng_below(&fabric->rng, 3000);
	if (what < 4 && stream->resends && stream->psn > first_back)
		go_back(fabric, stream);
	else if (what < 24 && stream->ack && stream->psn > 0)
		send_back(fabric, stream, stream->next_ns, stream->ack, stream->psn - 1,
			  0x1F);
	else if (what < 28 && stream->ack && stream->psn > 3)
		send_back(fabric, stream, stream->next_ns, RT_OP_CNP, 0, 0);
	else
		send_data(fabric, stream, stream->next_ns, stream->psn++);
}

/* RC, UC, UD, XRC and READ responses between three hosts. */
static void run_fabric(uint64_t seed, enum ids ids, struct shots *shots)
{
	struct fabric fabric = { .ids = ids, .shots = shots };
	struct stream streams[] = {
		{ 0x07, 0x11, 1, 2, 17, 18, 0, 0, true },
		{ 0x07, 0x11, 1, 2, 19, 20, 0, 500, true },
		{ 0x07, 0x11, 3, 2, 21, 17, 0, 700, true },
		{ 0x01, 0x11, 2, 3, 33, 34, 0, 100, true },
		{ 0x27, 0, 1, 3, 40, 0, 0, 900, false },
		{ 0x64, 0, 3, 1, 41, 42, 0, 300, false },
		{ 0xA7, 0xB1, 2, 1, 50, 51, 0, 200, true },
		{ 0x0E, 0, 3, 1, 60, 0, 0, 800, false },
	};

	rt_rng_init(&fabric.rng, seed, 1);
	for (unsigned i = 0; i < 3000; i++)
		step(&fabric,
		     &streams[rt_rng_below(&fabric.rng, RT_ARRAY_SIZE(streams))]);
}

/* Which copies a mirror makes. */
enum places {
	SAME_PLACE,
	OTHER_HOP, /* one router on */
	OTHER_VLAN,
	ANY_PLACE,
};

static void add_copy(struct rt_rng *rng, struct shots *shots, size_t of,
		     enum places places)
{
	const uint64_t lag_ns = rt_rng_below(rng, 4) ? 20 + rt_rng_below(rng, 40000)
						     : rt_rng_below(rng, 400000);
	struct rt_build packet = shots->at[of].packet;

	if (places == ANY_PLACE)
		places = (enum places)rt_rng_below(rng, ANY_PLACE);
	packet.ttl -= places == OTHER_HOP;
	packet.tagged = places == OTHER_VLAN;
	packet.vlan = 3 << 13 | 77;
	shoot(shots, shots->at[of].time_ns + (int64_t)lag_ns, &packet)->copy = true;
}

static size_t add_copies(uint64_t seed, struct shots *shots, unsigned percent,
			 enum places places)
{
	const size_t originals = shots->count;
	struct rt_rng rng;

	rt_rng_init(&rng, seed, 2);
	for (size_t i = 0; i < originals; i++)
		if (rt_rng_below(&rng, 100) < percent)
			add_copy(&rng, shots, i, places);
	return shots->count - originals;
}

/* --- with and without copies ------------------------------------------------------ */

/* Counts of frames hold copies, and so do numbers in the file. */
static void expect_equal(const struct rt_analysis *with,
			 const struct rt_analysis *without)
{
	static const char *const but[] = { "copies", "lookalikes", "first_frame",
					   "wire_bytes", NULL };

	expect_same(&rt_analysis_sequence_table, &with->sequence, &without->sequence,
		    but);
	expect_same(&rt_analysis_marks_table, &with->marks, &without->marks, but);
	expect_same(&rt_analysis_throughput_table, &with->throughput,
		    &without->throughput, but);
	assert_int_equal(with->roce.direction_count, without->roce.direction_count);
	for (size_t i = 0; i < with->roce.direction_count; i++)
		assert_int_equal(with->roce.directions[i].frames,
				 without->roce.directions[i].frames);
}

static void test_copies_go_and_nothing_else(void **state)
{
	static const struct {
		unsigned percent;
		enum places places;
		uint32_t cap_bytes;
	} mirrors[] = {
		{ 100, SAME_PLACE, 0 }, { 100, OTHER_HOP, 0 },  { 30, ANY_PLACE, 0 },
		{ 100, ANY_PLACE, 96 }, { 5, SAME_PLACE, 128 }, { 0, SAME_PLACE, 0 },
	};
	size_t all = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 24; seed++) {
		RT_AUTO(auto_free_shots) struct shots shots = { 0 };
		const size_t m = seed % RT_ARRAY_SIZE(mirrors);
		struct rt_analysis with, without;
		size_t copies;

		run_fabric(seed, IDS_COUNTED, &shots);
		copies = add_copies(seed, &shots, mirrors[m].percent,
				    mirrors[m].places);
		shots.cap_bytes = mirrors[m].cap_bytes;
		analyse(&shots, true, &with);
		analyse(&shots, false, &without);
		print_message("# seed %" PRIu64 ": %zu copies, %" PRIu64 " left out\n",
			      seed, copies, with.roce.copies);
		assert_int_equal(with.roce.copies, copies);
		assert_int_equal(with.roce.lookalikes.value, 0);
		assert_int_equal(without.roce.copies, 0);
		assert_int_equal(with.capture.frames, shots.count);
		assert_int_equal(with.capture.interfaces[0].copies, copies);
		expect_equal(&with, &without);
		rt_analysis_free(&with);
		rt_analysis_free(&without);
		all += copies;
	}
	assert_true(all > 10000);
}

/* Resends are byte for byte what was sent before when ids say nothing. */
static void test_resends_without_ids_stay(void **state)
{
	static const enum ids ids[] = { IDS_CONSTANT, IDS_ZERO, IDS_NONE, IDS_PSN };

	(void)state;
	for (uint64_t seed = 1; seed <= 12; seed++) {
		RT_AUTO(auto_free_shots) struct shots shots = { 0 };
		struct rt_analysis analysis;

		run_fabric(seed, ids[seed % RT_ARRAY_SIZE(ids)], &shots);
		shots.cap_bytes = seed % 2 ? 0 : 96;
		analyse(&shots, true, &analysis);
		print_message("# seed %" PRIu64 ": %" PRIu64 " behind, %" PRIu64
			      " copies, %" PRIu64 " lookalikes\n",
			      seed, analysis.sequence.h_behind, analysis.roce.copies,
			      analysis.roce.lookalikes.value);
		assert_true(analysis.sequence.h_behind > 50);
		assert_int_equal(analysis.roce.copies, 0);
		assert_true(analysis.roce.lookalikes.value > 0);
		rt_analysis_free(&analysis);
	}
}

/* --- CNPs ------------------------------------------------------------------------ */

static void shoot_cnp(struct shots *shots, int64_t time_ns, uint16_t id)
{
	struct rt_build cnp = plain_packet(RT_OP_CNP);

	cnp.src.bytes[3] = 11;
	cnp.dst.bytes[3] = 10;
	cnp.bth.dest_qp = 18;
	cnp.bth.bits = RT_BTH_BECN;
	cnp.ip_id = id;
	shoot(shots, time_ns, &cnp);
}

/*
 * Two CNPs for one QP are alike but for their ids: these must be known to count, or the
 * capture to be doubled.
 */
static void test_cnps_want_evidence(void **state)
{
	static const struct {
		const char *label;
		uint16_t ids[6];
		unsigned times; /* that data stand in the capture */
		unsigned copies;
	} cases[] = {
		{ "no ids", { 0 }, 1, 0 },
		{ "one id", { 7, 7, 7, 7, 7, 7 }, 1, 0 },
		{ "ids that count", { 1, 2, 3, 3, 4, 4 }, 1, 2 },
		{ "ids that count, twice from the first", { 1, 1, 2, 2, 3, 3 }, 2, 3 },
		{ "no ids where all stands twice", { 0 }, 2, 3 },
		{ "no ids where all stands three times", { 0 }, 3, 4 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		RT_AUTO(auto_free_shots) struct shots shots = { 0 };
		struct rt_build data = plain_packet(RT_OP_RC_WRITE_ONLY);
		struct rt_analysis analysis;

		data.bth.dest_qp = 17;
		for (unsigned n = 0; n < 20; n++) {
			data.bth.psn = n;
			data.ip_id = (uint16_t)(500 + n);
			for (unsigned at = 0; at < cases[i].times; at++)
				shoot(&shots, n * 1000 + 300 * at, &data);
		}
		for (unsigned n = 0; n < RT_ARRAY_SIZE(cases[i].ids); n++)
			shoot_cnp(&shots, 30000 + n * 4000, cases[i].ids[n]);
		analyse(&shots, true, &analysis);
		print_message("# %s: %" PRIu64 " CNPs\n", cases[i].label,
			      analysis.marks.cnps);
		assert_int_equal(analysis.marks.cnps, 6 - cases[i].copies);
		assert_int_equal(analysis.roce.copies,
				 cases[i].copies + (cases[i].times - 1) * 20);
		rt_analysis_free(&analysis);
	}
}

/* A mark that a packet gets between two places counts once, wherever it was seen. */
static void test_marks_between_places_count(void **state)
{
	RT_AUTO(auto_free_shots) struct shots shots = { 0 };
	struct rt_build data = plain_packet(RT_OP_RC_WRITE_ONLY);
	struct rt_analysis analysis;

	(void)state;
	data.bth.dest_qp = 17;
	data.bth.payload_bytes = 256;
	for (unsigned n = 0; n < 20; n++) {
		data.bth.psn = n;
		data.ip_id = (uint16_t)(500 + n);
		data.ttl = 64;
		/* every fifth comes marked, every fourth gets marked on the way */
		data.ecn = n % 5 == 0 ? RT_ECN_CE : RT_ECN_ECT0;
		shoot(&shots, n * 1000, &data);
		data.ttl = 63;
		data.ecn = n % 4 == 0 ? RT_ECN_CE : data.ecn;
		shoot(&shots, n * 1000 + 300, &data);
		data.ttl = 62;
		shoot(&shots, n * 1000 + 600, &data);
	}
	analyse(&shots, true, &analysis);
	assert_int_equal(analysis.roce.copies, 40);
	assert_int_equal(analysis.sequence.flows[0].frames, 20);
	/* 0 4 5 8 10 12 15 16 */
	assert_int_equal(analysis.sequence.flows[0].ecn.ce, 8);
	assert_int_equal(analysis.sequence.flows[0].ecn.ect0, 12);
	assert_int_equal(analysis.marks.data_ce, 8);
	assert_true(fabs(analysis.throughput.senders[0].ce_pct.value - 40) < 1e-9);
	rt_analysis_free(&analysis);
}

/* --- one packet and what comes behind it -------------------------------------------- */

static void test_what_tells_a_copy(void **state)
{
	static const struct {
		const char *label;
		uint8_t opcode;
		uint16_t id, other_id,
			copy_id; /* of the packet, those before, it again */
		int64_t after_ns;
		int ttl, vlan, payload; /* what is different the second time */
		unsigned between;       /* packets of the stream */
		bool nak, kept, looks_alike;
	} cases[] = {
		{ "its id", 7, 9, 8, 9, 20000, 0, 0, 0, 3, 0, 0, 0 },
		{ "its id, after a NAK", 7, 9, 8, 9, 20000, 0, 0, 0, 3, 1, 1, 0 },
		{ "its id, a hop on, NAK", 7, 9, 8, 9, 20000, 1, 0, 0, 3, 1, 0, 0 },
		{ "too late", 7, 9, 8, 9, 500001, 0, 0, 0, 3, 0, 1, 0 },
		{ "just in time", 7, 9, 8, 9, 500000, 0, 0, 0, 3, 0, 0, 0 },
		{ "a new id: sent again", 7, 9, 8, 10, 20000, 0, 0, 0, 3, 0, 1, 0 },
		{ "another payload", 7, 9, 8, 9, 20000, 0, 0, 1, 3, 0, 1, 0 },
		{ "one id for all", 7, 8, 8, 8, 20000, 0, 0, 0, 3, 0, 1, 1 },
		{ "no id", 7, 0, 0, 0, 20000, 0, 0, 0, 3, 0, 1, 1 },
		{ "no id, one hop on", 7, 0, 0, 0, 20000, 1, 0, 0, 3, 0, 0, 0 },
		{ "no id, a hop on, NAK", 7, 0, 0, 0, 20000, 1, 0, 0, 3, 1, 1, 0 },
		{ "no id, other VLAN", 7, 0, 0, 0, 20000, 0, 1, 0, 3, 0, 0, 0 },
		{ "no id, at once", 7, 0, 0, 0, 8191, 0, 0, 0, 0, 0, 0, 0 },
		{ "no id, not at once", 7, 0, 0, 0, 8192, 0, 0, 0, 0, 0, 1, 1 },
		{ "no id, others between", 7, 0, 0, 0, 8191, 0, 0, 0, 1, 0, 1, 1 },
		{ "no id, at once, NAK", 7, 0, 0, 0, 8191, 0, 0, 0, 0, 1, 1, 0 },
		{ "UC has no resends", 0x27, 0, 0, 0, 20000, 0, 0, 0, 3, 0, 0, 0 },
		{ "nor has UD", 0x64, 0, 0, 0, 20000, 0, 0, 0, 3, 0, 0, 0 },
		{ "a response, no id", 0x0E, 0, 0, 0, 1000, 0, 0, 0, 0, 0, 1, 1 },
		{ "a response, its id", 0x0E, 9, 8, 9, 1000, 0, 0, 0, 0, 0, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		RT_AUTO(auto_free_shots) struct shots shots = { 0 };
		struct rt_build packet = plain_packet(cases[i].opcode);
		struct rt_analysis analysis;
		int64_t now_ns = 1000;

		packet.bth.dest_qp = 17;
		packet.bth.src_qp = 18;
		packet.bth.payload_bytes = 256;
		for (; packet.bth.psn < 4; packet.bth.psn++, now_ns += 1000) {
			packet.ip_id = (uint16_t)(cases[i].other_id == cases[i].id
							  ? cases[i].id
							  : 100 + packet.bth.psn);
			shoot(&shots, now_ns, &packet);
		}
		packet.ip_id = cases[i].id;
		shoot(&shots, now_ns, &packet);
		for (unsigned n = 1; n <= cases[i].between; n++) {
			struct rt_build next = packet;

			next.bth.psn += n;
			next.ip_id = (uint16_t)(cases[i].other_id == cases[i].id
							? cases[i].id
							: 200 + n);
			shoot(&shots, now_ns + 100 * n, &next);
		}
		if (cases[i].nak) {
			struct rt_build ack = plain_packet(RT_OP_RC_ACK);
			struct rt_build nak;

			ack.src.bytes[3] = 11;
			ack.dst.bytes[3] = 10;
			ack.bth.dest_qp = 18;
			ack.bth.psn = 3;
			ack.bth.syndrome = 0x1F;
			nak = ack;
			nak.bth.psn = 4;
			nak.bth.syndrome = 0x60;
			nak.ip_id = 1;
			shoot(&shots, now_ns + 500, &ack);
			shoot(&shots, now_ns + 600, &nak);
		}
		packet.ip_id = cases[i].copy_id;
		packet.ttl = (uint8_t)(packet.ttl - cases[i].ttl);
		packet.tagged = cases[i].vlan;
		packet.bth.immediate = 0;
		if (cases[i].payload)
			packet.bth.pkey = 0x7FFF; /* changes the ICRC */
		shoot(&shots, now_ns + cases[i].after_ns, &packet);
		analyse(&shots, true, &analysis);
		print_message("# %s: %" PRIu64 " left out, %" PRIu64 " look alike\n",
			      cases[i].label, analysis.roce.copies,
			      analysis.roce.lookalikes.value);
		assert_int_equal(analysis.roce.copies, !cases[i].kept);
		assert_int_equal(analysis.roce.lookalikes.value, cases[i].looks_alike);
		rt_analysis_free(&analysis);
	}
}

/* --- captures of a real stack ---------------------------------------------------- */

/* A record of a capture, or a copy of it. */
struct record {
	const uint8_t *at;
	int64_t order_ns; /* by what it is sorted: records stay in the order of the file */
	int64_t time_ns;
	uint32_t number;
	bool copy;
};

static int by_order(const void *a, const void *b)
{
	const struct record *first = a, *second = b;

	if (first->order_ns != second->order_ns)
		return first->order_ns < second->order_ns ? -1 : 1;
	if (first->copy != second->copy)
		return first->copy ? 1 : -1;
	return first->number < second->number ? -1 : first->number > second->number;
}

/* Nanoseconds a tick of the file's time stamps. */
static int64_t tick_ns(const struct bytes *file)
{
	return pcap_le32(file->at) == 0xA1B2C3D4 ? 1000 : 1;
}

static size_t count_records(const struct bytes *file)
{
	size_t count = 0;

	for (size_t at = PCAP_HEADER; at < file->count;
	     at += PCAP_RECORD + pcap_le32(file->at + at + 8))
		count++;
	return count;
}

/* How a capture is doubled. */
struct doubling {
	uint64_t seed;
	int64_t lag_ns;     /* of all copies; 0: 1 to 300 us, at random */
	uint32_t cut_bytes; /* copies are captured up to here; 0: as the first */
};

static void append_record(struct bytes *out, const struct record *record, int64_t tick,
			  uint32_t cut_bytes)
{
	uint32_t bytes = pcap_le32(record->at + 8);

	pcap_append_le32(out, (uint32_t)(record->time_ns / 1000000000));
	pcap_append_le32(out, (uint32_t)(record->time_ns % 1000000000 / tick));
	if (record->copy && cut_bytes && bytes > cut_bytes)
		bytes = cut_bytes;
	pcap_append_le32(out, bytes);
	pcap_append(out, record->at + 12, PCAP_RECORD - 12 + bytes);
}

/* Each frame once more, behind itself, as by a second mirror. */
static void double_file(const struct bytes *file, const struct doubling *how,
			struct bytes *out)
{
	const size_t count = count_records(file);
	RT_AUTO(rt_auto_free) struct record *records = NULL;
	size_t at = PCAP_HEADER;
	int64_t order_ns = 0;
	struct rt_rng rng;

	records = calloc(2 * count + 1, sizeof(*records));
	assert_non_null(records);
	rt_rng_init(&rng, how->seed, 3);
	for (uint32_t i = 0; i < count; i++) {
		const uint8_t *raw = file->at + at;
		const int64_t time_ns = pcap_le32(raw) * INT64_C(1000000000) +
					pcap_le32(raw + 4) * tick_ns(file);
		const uint64_t most = rt_rng_below(&rng, 2) ? 20 : 300;
		const int64_t random_us = (int64_t)(1 + rt_rng_below(&rng, most));
		const int64_t lag_ns = how->lag_ns ? how->lag_ns : 1000 * random_us;

		order_ns = time_ns > order_ns ? time_ns : order_ns;
		records[2 * i] = (struct record){ raw, order_ns, time_ns, i, false };
		records[2 * i + 1] = (struct record){ raw, order_ns + lag_ns,
						      time_ns + lag_ns, i, true };
		at += PCAP_RECORD + pcap_le32(raw + 8);
	}
	qsort(records, 2 * count, sizeof(*records), by_order);
	pcap_append(out, file->at, PCAP_HEADER);
	for (size_t i = 0; i < 2 * count; i++)
		append_record(out, &records[i], tick_ns(file), how->cut_bytes);
}

static void test_a_doubled_capture_says_what_it_said(void **state)
{
	RT_AUTO(pcap_auto_free) struct bytes file = { 0 };

	pcap_load(*state, &file);
	for (uint64_t seed = 1; seed <= 3; seed++) {
		RT_AUTO(pcap_auto_free) struct bytes doubled = { 0 };
		struct rt_analysis with, without;

		double_file(&file, &(struct doubling){ .seed = seed }, &doubled);
		pcap_analyse(&doubled, &with);
		pcap_analyse(&file, &without);
		assert_int_equal(without.roce.copies, 0);
		assert_int_equal(with.roce.copies, without.roce.frames);
		assert_int_equal(with.roce.lookalikes.value, 0);
		expect_equal(&with, &without);
		rt_analysis_free(&with);
		rt_analysis_free(&without);
	}
}

/*
 * Before anything is known about copies and ids what follows a NAK may be a resend: of
 * a capture that begins with a NAK a few copies stay, and are no harm.
 */
static void test_copies_behind_a_first_nak_stay(void **state)
{
	RT_AUTO(pcap_auto_free) struct bytes file = { 0 };

	(void)state;
	pcap_load("rxe-reorder.pcap", &file);
	for (uint64_t seed = 1; seed <= 3; seed++) {
		RT_AUTO(pcap_auto_free) struct bytes doubled = { 0 };
		struct rt_analysis with, without;

		double_file(&file, &(struct doubling){ .seed = seed }, &doubled);
		pcap_analyse(&doubled, &with);
		pcap_analyse(&file, &without);
		assert_true(with.roce.copies <= without.roce.frames);
		assert_true(with.roce.copies + 4 > without.roce.frames);
		rt_analysis_free(&with);
		rt_analysis_free(&without);
	}
}

static bool finds(const struct rt_findings *findings, const char *id)
{
	for (size_t i = 0; i < findings->count; i++)
		if (strcmp(findings->items[i].id, id) == 0)
			return true;
	return false;
}

/* What can't be left out is told, and nothing that it may have caused. */
static void expect_told(const char *label, const struct bytes *file)
{
	struct rt_findings findings = { 0 };
	struct rt_analysis analysis;

	pcap_analyse(file, &analysis);
	assert_int_equal(rt_diagnose(&analysis, &findings, NULL), 0);
	print_message("# %s: %" PRIu64 " behind\n", label, analysis.sequence.h_behind);
	assert_true(finds(&findings, "capture-frames-twice"));
	assert_false(finds(&findings, "loss-timeout"));
	assert_false(finds(&findings, "loss-go-back-n"));
	for (size_t i = 0; i < analysis.sequence.flow_count; i++)
		assert_true(analysis.sequence.flows[i].seen_before > 0);
	rt_findings_free(&findings);
	rt_analysis_free(&analysis);
}

static void test_copies_too_late_are_told(void **state)
{
	static const struct doubling how[] = {
		{ .lag_ns = 501000 },           { .lag_ns = 1000000 },
		{ .lag_ns = 2000000 },          { .lag_ns = 50000000 },
		{ .cut_bytes = 96, .seed = 1 },
	};
	static const char *const files[] = {
		"rxe-write-1qp.pcap",    "rxe-atomic.pcap",     "rxe-erspan2.pcap",
		"rxe-reorder.pcap",      "rxe-rnr-s128.pcap",   "rxe-write-lat.pcap",
		"rxe-loss1-before.pcap", "rxe-write-16qp.pcap",
	};

	(void)state;
	for (size_t f = 0; f < RT_ARRAY_SIZE(files); f++) {
		RT_AUTO(pcap_auto_free) struct bytes file = { 0 };

		pcap_load(files[f], &file);
		for (size_t i = 0; i < RT_ARRAY_SIZE(how); i++) {
			RT_AUTO(pcap_auto_free) struct bytes doubled = { 0 };

			/* the others have frames that are shorter, or a tunnel */
			if (how[i].cut_bytes && f != 0 && f != 6)
				continue;
			double_file(&file, &how[i], &doubled);
			expect_told(files[f], &doubled);
		}
	}
}

/* Resends have new ids, and are told as such. */
static void test_resends_were_not_seen_before(void **state)
{
	static const char *const files[] = {
		"rxe-loss1-before.pcap",        "rxe-loss1-after.pcap",
		"rxe-corrupt-after.pcap",       "rxe-reorder.pcap",
		"rxe-timeout-before-s128.pcap", "rxe-rnr-s128.pcap",
	};

	(void)state;
	for (size_t f = 0; f < RT_ARRAY_SIZE(files); f++) {
		RT_AUTO(pcap_auto_free) struct bytes file = { 0 };
		struct rt_analysis analysis;

		pcap_load(files[f], &file);
		pcap_analyse(&file, &analysis);
		assert_true(analysis.sequence.h_behind > 0);
		for (size_t i = 0; i < analysis.sequence.flow_count; i++)
			assert_int_equal(analysis.sequence.flows[i].seen_before, 0);
		rt_analysis_free(&analysis);
	}
}

/* --- ids that are made of something ---------------------------------------------- */

enum made_of {
	MADE_ZERO,
	MADE_CONSTANT,
	MADE_PSN,
	MADE_PSN_PLUS,
	MADE_PSN_SWAPPED,
	MADE_PSN_TWICE,
	MADE_PSN_QUARTER,
	MADE_PSN_HASHED,
	MADE_COUNTER,
	MADE_COUNTER_OF_64,
	MADES,
};

static uint16_t make_id(enum made_of made_of, uint32_t psn, uint64_t count)
{
	switch (made_of) {
	case MADE_CONSTANT: return 0x1234;
	case MADE_PSN: return (uint16_t)psn;
	case MADE_PSN_PLUS: return (uint16_t)(psn + 7777);
	case MADE_PSN_SWAPPED: return (uint16_t)(psn << 8 | (psn >> 8 & 255));
	case MADE_PSN_TWICE: return (uint16_t)(2 * psn);
	case MADE_PSN_QUARTER: return (uint16_t)(psn >> 2);
	case MADE_PSN_HASHED: return (uint16_t)((psn * 0x9E3779B1u) >> 16);
	case MADE_COUNTER: return (uint16_t)count;
	case MADE_COUNTER_OF_64: return (uint16_t)(count % 64);
	case MADE_ZERO:
	case MADES: break;
	}
	return 0;
}

/* The capture as its senders would have sent it with such ids. */
static void analyse_with_ids(const char *path, enum made_of made_of,
			     struct rt_analysis *ret_analysis)
{
	const struct rt_analysis_config config = { 0 };
	RT_AUTO(rt_auto_source_close) struct rt_source *source = NULL;
	RT_AUTO(rt_auto_analyzer_free) struct rt_analyzer *analyzer = NULL;
	struct rt_err err = { 0 };
	struct rt_frame frame;
	size_t count = 0;

	assert_int_equal(rt_capture_open(path, RT_DECODE_DIGEST, &source, &err), 0);
	assert_int_equal(rt_analyzer_new(&config, &analyzer, &err), 0);
	for (uint64_t n = 0;; n++) {
		if (source->ops->read(source, &frame, 1, &count, &err) < 0)
			fail_msg("%s", err.msg);
		if (count == 0)
			break;
		frame.ip_id = make_id(made_of, frame.bth.psn, n);
		/* of the ICRC, which is over the id */
		frame.digest = frame.bth.psn * 0x85EBCA6Bu ^ frame.ip_id * 0x9E3779B1u;
		assert_int_equal(rt_analyzer_feed(analyzer, &frame, 1, &err), 0);
	}
	assert_int_equal(rt_analyzer_finish(analyzer, ret_analysis, &err), 0);
}

static int frames_by_time(const void *a, const void *b)
{
	const struct rt_frame *first = a, *second = b;

	if (first->time_ns != second->time_ns)
		return first->time_ns < second->time_ns ? -1 : 1;
	return first->ttl > second->ttl ? -1 : first->ttl < second->ttl;
}

/* Without ids, each frame once more 20 us later, one hop on; or as it is. */
static void analyse_without_ids(const char *path, bool twice,
				struct rt_analysis *ret_analysis)
{
	const struct rt_analysis_config config = { 0 };
	RT_AUTO(rt_auto_source_close) struct rt_source *source = NULL;
	RT_AUTO(rt_auto_analyzer_free) struct rt_analyzer *analyzer = NULL;
	RT_AUTO(rt_auto_free) struct rt_frame *frames = NULL;
	struct rt_err err = { 0 };
	size_t count = 0, got = 1;

	frames = calloc(8192, sizeof(*frames));
	assert_non_null(frames);
	assert_int_equal(rt_capture_open(path, RT_DECODE_DIGEST, &source, &err), 0);
	for (; got && count + 2 < 8192; count += got) {
		if (source->ops->read(source, frames + count, 1, &got, &err) < 0)
			fail_msg("%s", err.msg);
		frames[count].ip_id = 0;
		frames[count].digest = frames[count].bth.psn * 0x85EBCA6Bu;
		if (!twice || !got)
			continue;
		frames[count + 1] = frames[count];
		frames[++count].time_ns += 20000;
		frames[count].ttl--;
	}
	qsort(frames, count, sizeof(*frames), frames_by_time);
	assert_int_equal(rt_analyzer_new(&config, &analyzer, &err), 0);
	assert_int_equal(rt_analyzer_feed(analyzer, frames, count, &err), 0);
	assert_int_equal(rt_analyzer_finish(analyzer, ret_analysis, &err), 0);
}

/* A copy behind a NAK is one if it is as late as those that nobody asked for. */
static void test_places_tell_behind_a_nak(void **state)
{
	static const char *const files[] = {
		"rxe-loss1-before.pcap",
		"rxe-loss1-after.pcap",
		"rxe-timeout-before-s128.pcap",
		"rxe-corrupt-after.pcap",
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(files); i++) {
		struct rt_analysis with, without;
		char path[512];

		snprintf(path, sizeof(path), "%s/captures/rxe/%s", rt_test_shared(),
			 files[i]);
		RT_NEED_SHARED(path);
		analyse_without_ids(path, true, &with);
		analyse_without_ids(path, false, &without);
		print_message("# %s: %" PRIu64 " left out\n", files[i],
			      with.roce.copies);
		assert_int_equal(without.roce.copies, 0);
		assert_int_equal(with.sequence.timeouts, without.sequence.timeouts);
		assert_int_equal(with.sequence.h_behind, without.sequence.h_behind);
		assert_int_equal(with.sequence.rewinds_alone,
				 without.sequence.rewinds_alone);
		rt_analysis_free(&with);
		rt_analysis_free(&without);
	}
}

static void test_what_a_nak_asked_for_stays(void **state)
{
	static const char *const files[] = {
		"rxe-loss1-before.pcap",
		"rxe-loss1-after.pcap",
		"rxe-timeout-before-s128.pcap",
		"rxe-corrupt-after.pcap",
		"rxe-readloss-requester-s128.pcap",
		"rxe-rnr-s128.pcap",
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(files) * MADES; i++) {
		const char *file = files[i / MADES];
		struct rt_analysis analysis;
		uint64_t copies = 0;
		char path[512];

		snprintf(path, sizeof(path), "%s/captures/rxe/%s", rt_test_shared(),
			 file);
		RT_NEED_SHARED(path);
		analyse_with_ids(path, (enum made_of)(i % MADES), &analysis);
		for (size_t f = 0; f < analysis.sequence.flow_count; f++)
			copies += analysis.sequence.flows[f].copies;
		for (size_t f = 0; f < analysis.sequence.flow_count; f++)
			assert_false(rt_is_doubled(&analysis.sequence.flows[f]));
		if (copies)
			print_message("# %s, ids %zu: %" PRIu64 " left out\n", file,
				      i % MADES, copies);
		assert_true(analysis.sequence.h_behind > 0);
		assert_int_equal(copies, 0);
		rt_analysis_free(&analysis);
	}
}

/* The captures that others took hold nothing twice. */
static void test_other_captures_lose_nothing(void **state)
{
	char folder[512];
	size_t files = 0;

	(void)state;
	snprintf(folder, sizeof(folder), "%s/captures", rt_test_shared());
	RT_NEED_SHARED(folder);
	DIR *open = opendir(folder);
	assert_non_null(open);
	for (struct dirent *entry; (entry = readdir(open));) {
		const struct rt_analysis_config config = { 0 };
		RT_AUTO(rt_auto_source_close) struct rt_source *source = NULL;
		struct rt_analysis analysis;
		struct rt_err err = { 0 };
		char path[1024];

		if (!strstr(entry->d_name, ".pcap"))
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		if (rt_capture_open(path, RT_DECODE_DIGEST, &source, &err) < 0 ||
		    rt_analysis_of_source(source, &config, &analysis, &err) < 0)
			fail_msg("%s", err.msg);
		assert_int_equal(analysis.roce.copies, 0);
		rt_analysis_free(&analysis);
		files++;
	}
	closedir(open);
	assert_true(files >= 28);
}

#define DOUBLED(file)                                                  \
	{                                                              \
		.name = "twice " file,                                 \
		.test_func = test_a_doubled_capture_says_what_it_said, \
		.initial_state = (void *)(uintptr_t)(file)             \
	}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_copies_go_and_nothing_else),
		cmocka_unit_test(test_resends_without_ids_stay),
		cmocka_unit_test(test_cnps_want_evidence),
		cmocka_unit_test(test_marks_between_places_count),
		cmocka_unit_test(test_what_tells_a_copy),
		DOUBLED("rxe-atomic.pcap"),
		DOUBLED("rxe-cnp-ecn.pcap"),
		DOUBLED("rxe-corrupt-after.pcap"),
		DOUBLED("rxe-erspan2.pcap"),
		DOUBLED("rxe-incast3-ecn.pcap"),
		DOUBLED("rxe-loss1-after.pcap"),
		DOUBLED("rxe-loss1-before.pcap"),
		DOUBLED("rxe-pfc-prio3-s96.pcap"),
		DOUBLED("rxe-read-mtu1024.pcap"),
		DOUBLED("rxe-readloss-requester-s128.pcap"),
		DOUBLED("rxe-rnr-s128.pcap"),
		DOUBLED("rxe-timeout-before-s128.pcap"),
		DOUBLED("rxe-uc-loss2-after-s128.pcap"),
		DOUBLED("rxe-ud-send.pcap"),
		DOUBLED("rxe-vxlan.pcap"),
		DOUBLED("rxe-write-16qp.pcap"),
		DOUBLED("rxe-write-lat.pcap"),
		cmocka_unit_test(test_copies_behind_a_first_nak_stay),
		cmocka_unit_test(test_copies_too_late_are_told),
		cmocka_unit_test(test_resends_were_not_seen_before),
		cmocka_unit_test(test_places_tell_behind_a_nak),
		cmocka_unit_test(test_what_a_nak_asked_for_stays),
		cmocka_unit_test(test_other_captures_lose_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
