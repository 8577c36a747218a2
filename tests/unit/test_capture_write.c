/* SPDX-License-Identifier: BSD-2-Clause */
/* test_capture_write.c - captures that were written are read back. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "packets.h"
#include "rocetune/capture.h"
#include "rocetune/err.h"

struct temporary {
	char folder[64], path[96];
};

static struct temporary temporary(void)
{
	struct temporary made;

	strcpy(made.folder, "/tmp/rocetune-test-XXXXXX");
	assert_non_null(mkdtemp(made.folder));
	snprintf(made.path, sizeof(made.path), "%s/file", made.folder);
	return made;
}

static void remove_temporary(const struct temporary *made)
{
	unlink(made->path);
	rmdir(made->folder);
}

#define MANY 5000

static void test_capture_written_is_read_back(void **state)
{
	static const struct rt_capture_if ports[] = {
		{ .name = "leaf0:port3", .speed_bps = 400000000000, .link_type = 1 },
		{ .name = "", .link_type = RT_LINK_RAW },
	};
	const struct temporary made = temporary();
	RT_AUTO(rt_auto_source_close) struct rt_source *source = NULL;
	const struct rt_capture_if *interfaces;
	struct rt_sink *sink = NULL;
	struct rt_err err = { 0 };
	uint8_t frame[2048];
	struct rt_build packet = {
		.src = { .bytes = { 10, 0, 0, 10 }, .version = 4 },
		.dst = { .bytes = { 10, 0, 0, 11 }, .version = 4 },
		.bth = { .opcode = RT_OP_RC_WRITE_MIDDLE, .payload_bytes = 1024 },
	};
	size_t count = 1, seen = 0;

	(void)state;
	assert_int_equal(rt_capture_create(made.path, 0, &sink, &err), 0);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(sink->ops->add_interface(sink, &ports[i], &err), 0);
	/* more than the buffers of either side hold */
	for (unsigned n = 0; n < MANY; n++) {
		const unsigned index = n % 2;
		size_t bytes;

		packet.bth.psn = n;
		packet.bth.payload_bytes = 1000 + n % 25;
		bytes = rt_build_roce(&packet, frame, sizeof(frame));
		assert_int_equal(sink->ops->write(sink, index, 1700000000123456789 + n,
						  frame + (index ? 14 : 0),
						  (uint32_t)(bytes - (index ? 14 : 0)),
						  (uint32_t)(bytes - (index ? 14 : 0)),
						  &err),
				 0);
	}
	assert_int_equal(sink->ops->write(sink, 2, 0, frame, 60, 60, &err), -EINVAL);
	assert_int_equal(sink->ops->close(sink, &err), 0);

	assert_int_equal(rt_capture_open(made.path, RT_DECODE_ICRC, &source, &err), 0);
	while (count) {
		struct rt_frame frames[32];

		assert_int_equal(source->ops->read(source, frames, 32, &count, &err),
				 0);
		for (size_t i = 0; i < count; i++, seen++) {
			assert_int_equal(frames[i].kind, RT_FRAME_ROCE);
			assert_int_equal(frames[i].icrc, RT_ICRC_OK);
			assert_int_equal(frames[i].bth.psn, seen);
			assert_int_equal(frames[i].bth.payload_bytes, 1000 + seen % 25);
			assert_int_equal(frames[i].interface, seen % 2);
			assert_true(frames[i].time_ns ==
				    1700000000123456789 + (int64_t)seen);
		}
	}
	assert_int_equal(seen, MANY);
	interfaces = source->ops->interfaces(source, &count);
	assert_int_equal(count, 2);
	for (unsigned i = 0; i < 2; i++) {
		assert_string_equal(interfaces[i].name, ports[i].name);
		assert_true(interfaces[i].speed_bps == ports[i].speed_bps);
		assert_int_equal(interfaces[i].link_type, ports[i].link_type);
		assert_int_equal(interfaces[i].units_per_s, 1000000000);
		assert_int_equal(interfaces[i].frames, MANY / 2);
	}
	assert_false(rt_capture_notes(source)->ends_early);
	remove_temporary(&made);
}

/* Frames in the file as it is, and that it ends with a block. */
static size_t count_whole(const char *path)
{
	RT_AUTO(rt_auto_source_close) struct rt_source *source = NULL;
	struct rt_frame frames[32];
	size_t count = 1, seen = 0;

	assert_int_equal(rt_capture_open(path, 0, &source, NULL), 0);
	for (; count; seen += count)
		assert_int_equal(source->ops->read(source, frames, 32, &count, NULL),
				 0);
	assert_false(rt_capture_notes(source)->ends_early);
	return seen;
}

/* A writer that is killed closes nothing: what the file has then must be whole. */
static void test_capture_half_written_is_readable(void **state)
{
	static const struct rt_capture_if port = { .link_type = 1 };
	const struct temporary made = temporary();
	struct rt_sink *sink = NULL;
	static uint8_t frame[256 << 10];
	size_t seen = 0;

	(void)state;
	assert_int_equal(rt_capture_create(made.path, 0, &sink, NULL), 0);
	assert_int_equal(sink->ops->add_interface(sink, &port, NULL), 0);
	for (unsigned n = 0; n < 1000; n++) {
		const uint32_t bytes = 60 + n % 1500;

		assert_int_equal(
			sink->ops->write(sink, 0, n, frame, bytes, bytes, NULL), 0);
		if (n % 50 == 49 && n > 800) /* 256 KiB are past */
			seen = count_whole(made.path);
	}
	assert_true(seen > 0);
	/* the largest that goes, and one more */
	assert_int_equal(sink->ops->write(sink, 0, 0, frame, (256 << 10) - 32,
					  (256 << 10) - 32, NULL),
			 0);
	assert_int_equal(
		sink->ops->write(sink, 0, 0, frame, (256 << 10) - 31, 256 << 10, NULL),
		-EMSGSIZE);
	assert_int_equal(sink->ops->close(sink, NULL), 0);
	assert_int_equal(count_whole(made.path), 1001);
	remove_temporary(&made);
}

static void test_capture_snap_length_cuts_what_is_written(void **state)
{
	static const struct rt_capture_if port = { .link_type = 1 };
	const struct temporary made = temporary();
	RT_AUTO(rt_auto_source_close) struct rt_source *source = NULL;
	struct rt_sink *sink = NULL;
	struct rt_frame got;
	uint8_t frame[128];
	const struct rt_build packet = plain_packet(RT_OP_RC_ACK);
	const size_t bytes = rt_build_roce(&packet, frame, sizeof(frame));
	size_t count;

	(void)state;
	assert_int_equal(rt_capture_create(made.path, 58, &sink, NULL), 0);
	assert_int_equal(sink->ops->add_interface(sink, &port, NULL), 0);
	assert_int_equal(sink->ops->write(sink, 0, 1, frame, (uint32_t)bytes,
					  (uint32_t)bytes, NULL),
			 0);
	assert_int_equal(sink->ops->close(sink, NULL), 0);
	assert_int_equal(rt_capture_open(made.path, RT_DECODE_ICRC, &source, NULL), 0);
	assert_int_equal(source->ops->read(source, &got, 1, &count, NULL), 0);
	assert_int_equal(count, 1);
	assert_int_equal(got.cap_bytes, 58);
	assert_int_equal(got.wire_bytes, bytes);
	assert_int_equal(got.icrc, RT_ICRC_CUT);
	assert_int_equal(source->ops->interfaces(source, &count)->snap_bytes, 58);
	remove_temporary(&made);
}

static void test_capture_write_errors_surface(void **state)
{
	static const struct rt_capture_if port = { .link_type = 1 };
	struct rt_sink *sink = NULL;
	struct rt_err err = { 0 };
	uint8_t frame[128] = { 0 };

	(void)state;
	assert_int_equal(rt_capture_create("/nowhere/file", 0, &sink, &err), -ENOENT);
	assert_null(sink);
	assert_int_equal(rt_capture_create("/dev/full", 0, &sink, &err), 0);
	assert_int_equal(sink->ops->add_interface(sink, &port, &err), 0);
	assert_int_equal(sink->ops->write(sink, 0, 1, frame, 60, 60, &err), 0);
	err = (struct rt_err){ 0 };
	assert_int_equal(sink->ops->close(sink, &err), -ENOSPC);
	assert_non_null(strstr(err.msg, "/dev/full"));
}

RT_UNIT_MAIN(cmocka_unit_test(test_capture_written_is_read_back),
	     cmocka_unit_test(test_capture_half_written_is_readable),
	     cmocka_unit_test(test_capture_snap_length_cuts_what_is_written),
	     cmocka_unit_test(test_capture_write_errors_surface))
