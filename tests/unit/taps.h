/* SPDX-License-Identifier: BSD-2-Clause */
/* taps.h - a capture of built packets, analysed and judged, for tests. */
#ifndef RT_TESTS_TAPS_H
#define RT_TESTS_TAPS_H

#include <string.h>

#include "analysis/diagnosis.h"
#include "packets.h"
#include "rocetune/analysis.h"
#include "rocetune/err.h"

/* A capture as it is analysed. */
struct tap {
	struct rt_analyzer *analyzer;
	struct rt_capture_if interfaces[2];
	int64_t now_ns;
	uint64_t number;
	uint16_t interface;
	uint32_t cap_bytes; /* 0: whole */
	unsigned flags;     /* enum rt_decode_flags */
	struct rt_analysis analysis;
	struct rt_findings findings;
};

static inline void tap_set_up(struct tap *tap)
{
	const struct rt_analysis_config config = { 0 };
	struct rt_err err = { 0 };

	*tap = (struct tap){ .now_ns = 1000000,
			     .flags = RT_DECODE_ICRC | RT_DECODE_DIGEST };
	tap->interfaces[0].link_type = tap->interfaces[1].link_type = RT_LINK_ETHERNET;
	assert_int_equal(rt_analyzer_new(&config, &tap->analyzer, &err), 0);
	rt_analyzer_interfaces(tap->analyzer, tap->interfaces, 2);
}

static inline void tap_put(struct tap *tap, const struct rt_build *packet)
{
	uint8_t bytes[8192];
	struct rt_frame frame = { .time_ns = tap->now_ns,
				  .number = ++tap->number,
				  .interface = tap->interface,
				  .link_type = RT_LINK_ETHERNET };
	struct rt_err err = { 0 };

	frame.wire_bytes = (uint32_t)rt_build_roce(packet, bytes, sizeof(bytes));
	frame.cap_bytes = frame.wire_bytes;
	if (tap->cap_bytes && tap->cap_bytes < frame.cap_bytes)
		frame.cap_bytes = tap->cap_bytes;
	rt_frame_decode(&frame, bytes, tap->flags);
	assert_int_equal(rt_analyzer_feed(tap->analyzer, &frame, 1, &err), 0);
	tap->now_ns += 1000000;
}

static inline void tap_finish(struct tap *tap)
{
	struct rt_err err = { 0 };

	assert_int_equal(rt_analyzer_finish(tap->analyzer, &tap->analysis, &err), 0);
	assert_int_equal(rt_diagnose(&tap->analysis, &tap->findings, &err), 0);
	rt_analyzer_free(tap->analyzer);
}

static inline void tap_tear_down(struct tap *tap)
{
	rt_findings_free(&tap->findings);
	rt_analysis_free(&tap->analysis);
}

static inline bool tap_is_found(const struct tap *tap, const char *id)
{
	for (size_t i = 0; i < tap->findings.count; i++)
		if (strcmp(tap->findings.items[i].id, id) == 0)
			return true;
	return false;
}

static inline const struct rt_analysis_flow *tap_flow_to(const struct tap *tap,
							 uint32_t qp, unsigned stream)
{
	for (size_t i = 0; i < tap->analysis.sequence.flow_count; i++)
		if (tap->analysis.sequence.flows[i].dest_qp == qp &&
		    tap->analysis.sequence.flows[i].stream == stream)
			return &tap->analysis.sequence.flows[i];
	fail_msg("no stream to QP %u", (unsigned)qp);
	return NULL;
}

#endif
