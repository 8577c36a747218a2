/* SPDX-License-Identifier: BSD-2-Clause */
/* test_rules_captures.c - what the rules say about captures of a real stack. */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "rocetune/analysis.h"
#include "rocetune/capture.h"
#include "rocetune/err.h"
#include "rules.h"

/* What is known about how the reference captures were made. */
static void test_reference_captures_are_diagnosed(void **state)
{
	static const struct {
		const char *file, *ids;
	} cases[] = {
		{ "rxe-write-1qp.pcap", "pfc-not-visible" },
		{ "rxe-send-odd-size.pcap", "ecn-not-ect pfc-not-visible" },
		{ "rxe-loss1-before.pcap", "loss-go-back-n pfc-not-visible" },
		{ "rxe-loss1-after.pcap",
		  "capture-time-back loss-go-back-n pfc-not-visible" },
		/* Nothing was lost there. */
		{ "rxe-reorder.pcap",
		  "capture-time-back reordering-not-loss pfc-not-visible" },
		/* Responses are lost, requests repeated: no time-out can be over yet. */
		{ "rxe-readloss-requester-s128.pcap",
		  "capture-time-back loss-go-back-n pfc-not-visible" },
		/* A hole of the capture, and pauses on priorities 3, 4 and 6. */
		{ "rxe-pfc-prio3-s96.pcap",
		  "capture-hole pause-untimed pause-priority" },
		{ "rxe-double-mirror.pcap", "capture-frames-twice pfc-not-visible" },
		{ "rxe-any-sll2.pcap", "capture-frames-twice pfc-not-visible" },
		/* 114 RNR NAKs, each with a NAK in its wake: no loss. */
		{ "rxe-rnr-s128.pcap", "capture-time-back rnr-stall pfc-not-visible" },
		{ "rxe-corrupt-after.pcap",
		  "capture-time-back loss-go-back-n loss-timeout icrc-some "
		  "pfc-not-visible" },
		{ "rxe-timeout-before-s128.pcap",
		  "loss-go-back-n loss-timeout pfc-not-visible" },
		{ "rxe-uc-loss2-after-s128.pcap", "loss-unreliable pfc-not-visible" },
		/* Marked and, in the second file, answered. */
		{ "rxe-incast7-ecn-s96.pcapng",
		  "capture-time-back cnp-missing pfc-not-visible" },
		{ "rxe-cnp-ecn.pcap", "capture-time-back pfc-not-visible" },
	};
	const struct rt_analysis_config config = { 0 };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		RT_AUTO(rt_auto_source_close) struct rt_source *source = NULL;
		struct rt_analysis analysis;
		struct rt_err err = { 0 };
		char path[512], ids[512];

		snprintf(path, sizeof(path), "%s/captures/rxe/%s", rt_test_shared(),
			 cases[i].file);
		RT_NEED_SHARED(path);
		if (rt_capture_open(path, RT_DECODE_ICRC, &source, &err) < 0 ||
		    rt_analysis_of_source(source, &config, &analysis, &err) < 0)
			fail_msg("%s", err.msg);
		list_ids(&analysis, ids, sizeof(ids));
		rt_analysis_free(&analysis);
		print_message("# %s: %s\n", cases[i].file, ids);
		assert_string_equal(ids, cases[i].ids);
	}
}

/* All that is not of one direction is left out: what does the other say by itself? */
static void diagnose_one_way(const char *file, bool answers, char *ids, size_t bytes)
{
	const struct rt_analysis_config config = { 0 };
	RT_AUTO(rt_auto_source_close) struct rt_source *source = NULL;
	RT_AUTO(rt_auto_analyzer_free) struct rt_analyzer *analyzer = NULL;
	struct rt_analysis analysis;
	struct rt_err err = { 0 };
	struct rt_frame frame;
	size_t count = 0;
	char path[512];

	snprintf(path, sizeof(path), "%s/captures/rxe/%s", rt_test_shared(), file);
	RT_NEED_SHARED(path);
	assert_int_equal(rt_capture_open(path, RT_DECODE_ICRC, &source, &err), 0);
	assert_int_equal(rt_analyzer_new(&config, &analyzer, &err), 0);
	do {
		if (source->ops->read(source, &frame, 1, &count, &err) < 0)
			fail_msg("%s", err.msg);
		if (count && frame.kind == RT_FRAME_ROCE &&
		    (frame.bth.opcode == RT_OP_RC_ACK) == answers)
			assert_int_equal(rt_analyzer_feed(analyzer, &frame, 1, &err),
					 0);
	} while (count);
	assert_int_equal(rt_analyzer_finish(analyzer, &analysis, &err), 0);
	list_ids(&analysis, ids, bytes);
	rt_analysis_free(&analysis);
}

/* Responses come from the QP that their requests went to. */
static void test_read_responses_are_paired(void **state)
{
	static const char *const files[] = { "rxe-read-mtu1024.pcap",
					     "rxe-read-mtu4096.pcap",
					     "rxe-readloss-requester-s128.pcap" };
	const struct rt_analysis_config config = { 0 };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(files); i++) {
		RT_AUTO(rt_auto_source_close) struct rt_source *source = NULL;
		const struct rt_analysis_flow *flows;
		struct rt_analysis analysis;
		struct rt_err err = { 0 };
		char path[512];

		snprintf(path, sizeof(path), "%s/captures/rxe/%s", rt_test_shared(),
			 files[i]);
		RT_NEED_SHARED(path);
		if (rt_capture_open(path, RT_DECODE_ICRC, &source, &err) < 0 ||
		    rt_analysis_of_source(source, &config, &analysis, &err) < 0)
			fail_msg("%s", err.msg);
		flows = analysis.sequence.flows;
		assert_int_equal(analysis.sequence.flow_count, 2);
		assert_int_not_equal(flows[0].stream, flows[1].stream);
		for (size_t at = 0; at < 2; at++) {
			assert_int_equal(flows[at].pairing, RT_FLOW_INFERRED);
			assert_int_equal(flows[at].src_qp.value, flows[!at].dest_qp);
		}
		rt_analysis_free(&analysis);
	}
}

static void test_each_direction_tells_of_loss(void **state)
{
	static const struct {
		const char *file;
		bool answers;
		const char *id;
	} cases[] = {
		{ "rxe-loss1-after.pcap", true, "nak-no-stream" },
		{ "rxe-timeout-before-s128.pcap", true, "nak-no-stream" },
		{ "rxe-corrupt-after.pcap", true, "nak-no-stream" },
		{ "rxe-rnr-s128.pcap", true, "rnr" },
		{ "rxe-loss1-before.pcap", false, "loss-go-back-n" },
		{ "rxe-loss1-after.pcap", false, "loss-go-back-n" },
		{ "rxe-timeout-before-s128.pcap", false, "loss-go-back-n" },
		{ "rxe-rnr-s128.pcap", false, "loss-go-back-n" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		char ids[512];

		diagnose_one_way(cases[i].file, cases[i].answers, ids, sizeof(ids));
		print_message("# %s, %s: %s\n", cases[i].file,
			      cases[i].answers ? "answers" : "requests", ids);
		assert_non_null(strstr(ids, cases[i].id));
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_reference_captures_are_diagnosed),
	     cmocka_unit_test(test_read_responses_are_paired),
	     cmocka_unit_test(test_each_direction_tells_of_loss))
