/* SPDX-License-Identifier: BSD-2-Clause */
/* What the overview counts, and the analysis as a whole. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>

#include "base/json.h"
#include "base/own.h"
#include "frames.h"
#include "report/report.h"
#include "report_tree.h"

#define A "10.0.0.1"
#define B "10.0.0.2"

static const struct rt_analysis_config config;

static uint64_t count_of(const struct rt_analysis_count *rows, size_t count,
			 const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(rows[i].name, name) == 0)
			return rows[i].frames;
	return 0;
}

static void test_overview_counts_frames_by_everything(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;
	struct rt_frame *frame;

	(void)state;
	made->now_ns = 1000;
	frame = made_roce(made, A, B, RT_OP_RC_WRITE_FIRST, 7, 1, 1024);
	frame->bth.bits = RT_BTH_ACKREQ;
	frame->vlan_tags = 1;
	frame->vlan = 3 << 13 | 100;
	frame->flags = RT_FRAME_CUT;
	frame->cap_bytes = 64;
	frame->icrc = RT_ICRC_CUT;
	made->now_ns = 400; /* 600 ns back */
	made_ack(made, B, A, 9, 1, 0x61)->icrc = RT_ICRC_BAD;
	made->now_ns = 5000;
	frame = made_roce(made, A, B, 0xC0, 7, 0, 0); /* a manufacturer's opcode */
	frame->bth.pad_bytes = 3;
	frame->udp_sport = 5;
	frame->encap = RT_ENCAP_VXLAN;
	frame->encap_id = 4242;
	frame = made_roce(made, A, B, 0, 0, 0, 0);
	frame->flags = RT_FRAME_BTH_CUT;
	frame->icrc = RT_ICRC_CUT;
	made_frame(made, RT_FRAME_SHORT)->flags = RT_FRAME_NO_TIME;
	made_analyse(made, &config, &analysis);

	assert_int_equal(analysis.capture.frames, 5);
	assert_int_equal(analysis.capture.wire_bytes, 1086 + 3 * 62 + 64);
	assert_int_equal(analysis.capture.truncated, 1);
	assert_int_equal(analysis.capture.times_back, 1);
	assert_int_equal(analysis.capture.longest_back_ns, 600);
	assert_int_equal(analysis.capture.span_ns.value, 4600);
	assert_int_equal(analysis.capture.no_time, 1);
	assert_int_equal(count_of(analysis.capture.kinds, analysis.capture.kind_count,
				  "too short to tell"),
			 1);
	assert_int_equal(count_of(analysis.capture.encaps, analysis.capture.encap_count,
				  "VXLAN vni 4242"),
			 1);
	assert_int_equal(analysis.capture.vlan_count, 1);
	assert_int_equal(analysis.capture.vlans[0].vid, 100);
	assert_int_equal(analysis.capture.vlans[0].pcp, 3);

	assert_int_equal(analysis.roce.frames, 4);
	assert_int_equal(analysis.roce.bth_cut, 1);
	assert_int_equal(analysis.roce.unknown_opcodes, 1);
	assert_int_equal(analysis.roce.ackreq, 1);
	assert_int_equal(analysis.roce.udp_sports, 2);
	assert_int_equal(analysis.roce.icrc_bad, 1);
	assert_int_equal(analysis.roce.icrc_cut, 2);
	assert_int_equal(analysis.roce.icrc_ok, 1);
	assert_int_equal(analysis.roce.mtu_bytes.value, 1024);
	assert_int_equal(count_of(analysis.roce.syndromes, analysis.roce.syndrome_count,
				  "NAK code 1 (invalid request)"),
			 1);
	assert_int_equal(count_of(analysis.roce.pads, analysis.roce.pad_count, "3"), 1);
	rt_analysis_free(&analysis);
	free(made);
}

static void test_a_capture_without_roce_says_what_is_in_it(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct rt_frame *frame = made_frame(made, RT_FRAME_OTHER);

		frame->ethertype = 0x0800;
		frame->ip_proto = 6;
		frame->udp_sport = (uint16_t)(40000 + i);
		frame->udp_dport = 18515;
	}
	made_frame(made, RT_FRAME_OTHER)->ethertype = 0x1234;
	made_frame(made, RT_FRAME_OTHER)->ip_proto = 17; /* a later fragment */
	made_analyse(made, &config, &analysis);
	assert_int_equal(analysis.capture.content_count, 3);
	assert_int_equal(analysis.capture.contents[0].frames, 3);
	assert_int_equal(analysis.capture.contents[0].port.value, 18515);
	assert_string_equal(analysis.capture.contents[1].name, "Ethertype 0x1234");
	assert_false(analysis.capture.contents[1].ip_proto.known);
	assert_string_equal(analysis.capture.contents[2].name, "UDP, ports not seen");
	assert_false(analysis.capture.contents[2].port.known);
	assert_string_equal(
		analysis.capture.note,
		"no RoCE in this capture; most of it is: TCP: RDMA test tools "
		"exchange addresses");
	rt_analysis_free(&analysis);
	free(made);
}

static void test_contents_are_bounded(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;

	(void)state;
	for (uint32_t i = 0; i < 1000; i++)
		made_frame(made, RT_FRAME_OTHER)->ethertype = (uint16_t)(0x1000 + i);
	made_analyse(made, &config, &analysis);
	assert_int_equal(analysis.capture.content_count, RT_ANALYSIS_MAX_CONTENTS);
	assert_int_equal(analysis.capture.content_overflow,
			 1000 - RT_ANALYSIS_MAX_CONTENTS);
	rt_analysis_free(&analysis);
	free(made);
}

/* Sessions beyond the first 64 are counted together. */
static void test_tunnels_are_bounded(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	const struct rt_analysis_capture *capture;
	struct rt_analysis analysis;

	(void)state;
	for (uint32_t n = 0; n < 300; n++) {
		struct rt_frame *frame = made_roce(made, "10.0.0.1", "10.0.0.2",
						   RT_OP_RC_WRITE_ONLY, 7, n, 64);

		frame->encap = RT_ENCAP_VXLAN;
		frame->encap_id = n % 100;
	}
	made_analyse(made, &config, &analysis);
	capture = &analysis.capture;
	assert_int_equal(capture->encap_count, 65);
	assert_string_equal(capture->encaps[0].name, "VXLAN vni 0");
	assert_int_equal(capture->encaps[0].frames, 3);
	assert_string_equal(capture->encaps[63].name, "VXLAN vni 63");
	assert_string_equal(capture->encaps[64].name, "more tunnels");
	assert_int_equal(capture->encaps[64].frames, 36 * 3);
	rt_analysis_free(&analysis);
	free(made);
}

static void test_nothing_gives_a_whole_result(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;

	(void)state;
	made_analyse(made, &config, &analysis);
	assert_int_equal(analysis.capture.frames, 0);
	assert_false(analysis.capture.span_ns.known);
	assert_string_equal(analysis.capture.note, "the capture holds no frames");
	rt_analysis_free(&analysis);
	free(made);
}

/* Any way to cut the frames into calls gives the same result, byte for byte. */
static char *as_json(const struct made *made, size_t step)
{
	struct rt_analyzer *analyzer = NULL;
	struct rt_analysis analysis;
	struct rt_json *json;
	char *text = NULL;
	size_t bytes;
	FILE *to = open_memstream(&text, &bytes);

	assert_int_equal(rt_analyzer_new(&config, &analyzer, NULL), 0);
	rt_analyzer_interfaces(analyzer, &made->interface, 1);
	for (size_t at = 0; at < made->count; at += step)
		assert_int_equal(rt_analyzer_feed(analyzer, &made->frames[at],
						  step < made->count - at
							  ? step
							  : made->count - at,
						  NULL),
				 0);
	assert_int_equal(rt_analyzer_finish(analyzer, &analysis, NULL), 0);
	json = report_tree(&rt_analysis_table, &analysis);
	assert_int_equal(rt_json_write(json, to, NULL), 0);
	rt_json_free(json);
	fclose(to);
	rt_analysis_free(&analysis);
	rt_analyzer_free(analyzer);
	return text;
}

static void test_batches_do_not_change_the_result(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	char *whole, *single, *odd;

	(void)state;
	for (uint32_t i = 0; i < 300; i++) {
		made->now_ns = 500 * i;
		made_roce(made, i % 3 ? A : "10.0.0.3", B, RT_OP_RC_WRITE_MIDDLE,
			  7 + i % 3, i % 50 == 49 ? i - 5 : i, 1024)
			->ecn = i % 7 ? RT_ECN_ECT0 : RT_ECN_CE;
		if (i % 10 == 0)
			made_ack(made, B, A, 9, i, i % 20 ? 0x1F : 0x60);
		if (i % 25 == 0)
			made_pfc(made, 1, 3, (uint16_t)(i % 50 * 10));
	}
	made->interface.speed_bps = 100000000000;
	whole = as_json(made, made->count);
	single = as_json(made, 1);
	odd = as_json(made, 13);
	assert_string_equal(whole, single);
	assert_string_equal(whole, odd);
	free(whole);
	free(single);
	free(odd);
	free(made);
}

static void test_field_tables_are_sound(void **state)
{
	(void)state;
	rt_table_check(&rt_analysis_table);
}

RT_UNIT_MAIN(cmocka_unit_test(test_overview_counts_frames_by_everything),
	     cmocka_unit_test(test_a_capture_without_roce_says_what_is_in_it),
	     cmocka_unit_test(test_contents_are_bounded),
	     cmocka_unit_test(test_tunnels_are_bounded),
	     cmocka_unit_test(test_nothing_gives_a_whole_result),
	     cmocka_unit_test(test_batches_do_not_change_the_result),
	     cmocka_unit_test(test_field_tables_are_sound))
