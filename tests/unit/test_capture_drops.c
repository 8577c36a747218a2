/* SPDX-License-Identifier: BSD-2-Clause */
/* A capture that lost frames says so, in its file and in what is said of it. */
#include "unit.h"

#include <errno.h>

#include <string.h>

#include "model/finding.h"
#include "rocetune/capture.h"
#include "rocetune/err.h"
#include "run/analyze.h"
#include "run/outcome.h"

static void write_capture(const char *path, uint64_t dropped)
{
	static const uint8_t frame[64] = { [12] = 0x88, [13] = 0x08 };
	const struct rt_capture_if interface = { .name = "eth0",
						 .link_type = RT_LINK_ETHERNET };
	struct rt_sink *sink;

	assert_int_equal(rt_capture_create(path, 0, &sink, NULL), 0);
	assert_int_equal(sink->ops->add_interface(sink, &interface, NULL), 0);
	assert_int_equal(sink->ops->write(sink, 0, 1, frame, 64, 64, NULL), 0);
	assert_int_equal(rt_capture_note_drops(sink, 1, 2, 1, NULL), -EINVAL);
	/* The last word holds. */
	assert_int_equal(rt_capture_note_drops(sink, 0, 2, 3, NULL), 0);
	assert_int_equal(rt_capture_note_drops(sink, 0, 3, dropped, NULL), 0);
	assert_int_equal(sink->ops->close(sink, NULL), 0);
}

static bool is_found(const struct rt_findings *findings, const char *evidence)
{
	for (size_t i = 0; i < findings->count; i++)
		if (strcmp(findings->items[i].id, "capture-dropped") == 0)
			return strcmp(findings->items[i].evidence, evidence) == 0;
	return false;
}

static void test_drops_of_a_capture_are_found(void **state)
{
	const struct rt_analyze_options options = { 0 };
	char path[] = "/tmp/rocetune-test-XXXXXX";
	struct rt_outcome outcome;

	(void)state;
	close(mkstemp(path));
	write_capture(path, 7);
	assert_int_equal(rt_analyze_file(path, &options, &outcome, NULL), 0);
	assert_true(
		is_found(outcome.findings, "7 frames lost by the capture, 1 captured"));
	rt_outcome_release(&outcome);
	write_capture(path, 0);
	assert_int_equal(rt_analyze_file(path, &options, &outcome, NULL), 0);
	assert_false(
		is_found(outcome.findings, "0 frames lost by the capture, 1 captured"));
	rt_outcome_release(&outcome);
	unlink(path);
}

RT_UNIT_MAIN(cmocka_unit_test(test_drops_of_a_capture_are_found))
