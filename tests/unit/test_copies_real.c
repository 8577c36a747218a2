/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_copies_real.c - copies mixed into captures of a real stack, and its resends
 * under ids of every kind.
 */
#include "unit.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/diagnosis.h"
#include "analysis/rules.h"
#include "base/own.h"
#include "base/rng.h"
#include "pcaps.h"
#include "same.h"

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
		expect_same_analysis(&with, &without);
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
