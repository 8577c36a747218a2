/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_capture_files.c - captures that others made, against what their index
 * says; and the same bytes through every compression.
 */
#include "unit.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/doc.h"
#include "base/own.h"
#include "rocetune/capture.h"
#include "rocetune/err.h"

struct counts {
	unsigned frames, truncated, roce, cnp, pfc, icrc_ok, icrc_bad, icrc_cut;
	unsigned ackreq, becn, no_time;
	unsigned kinds[RT_FRAME_KIND_COUNT], encaps[RT_ENCAP_COUNT];
	unsigned ecn[4], pad[4]; /* of RoCE */
};

static void count_frame(struct counts *counts, const struct rt_frame *frame)
{
	counts->frames++;
	counts->truncated += frame->cap_bytes < frame->wire_bytes;
	counts->no_time += !!(frame->flags & RT_FRAME_NO_TIME);
	counts->kinds[frame->kind]++;
	counts->encaps[frame->encap]++;
	counts->icrc_ok += frame->icrc == RT_ICRC_OK;
	counts->icrc_bad += frame->icrc == RT_ICRC_BAD;
	counts->icrc_cut += frame->icrc == RT_ICRC_CUT;
	if (frame->kind == RT_FRAME_PFC)
		counts->pfc++;
	if (frame->kind != RT_FRAME_ROCE)
		return;
	counts->roce++;
	counts->cnp += frame->bth.opcode == RT_OP_CNP;
	counts->ackreq += !!(frame->bth.bits & RT_BTH_ACKREQ);
	counts->becn += !!(frame->bth.bits & RT_BTH_BECN);
	counts->pad[frame->bth.pad_bytes]++;
	counts->ecn[frame->ecn]++;
}

static struct counts count_file(const char *path)
{
	RT_AUTO(rt_auto_source_close) struct rt_source *source = NULL;
	struct counts counts = { 0 };
	struct rt_err err = { 0 };
	size_t count = 1;

	if (rt_capture_open(path, RT_DECODE_ICRC, &source, &err) < 0)
		fail_msg("%s", err.msg);
	while (count) {
		struct rt_frame frames[32];

		if (source->ops->read(source, frames, 32, &count, &err) < 0)
			fail_msg("%s", err.msg);
		for (size_t i = 0; i < count; i++)
			count_frame(&counts, &frames[i]);
	}
	assert_false(rt_capture_notes(source)->ends_early);
	return counts;
}

static void test_capture_published_files_count_as_their_index_says(void **state)
{
	static const struct {
		const char *file;
		unsigned frames, truncated, roce, icrc_ok;
		enum rt_frame_kind kind; /* and how many of it */
		unsigned of_kind;
		enum rt_encap encap;
		unsigned encapsulated;
	} cases[] = {
		{ "rocev2-rc-sendimm-sport-is-qpn.pcap", 123, 0, 105, 105,
		  RT_FRAME_ROCE, 105, 0, 0 },
		{ "ib-erf-cm-ipoib-rc.pcap", 43, 0, 43, 43, RT_FRAME_ROCE, 43, 0, 0 },
		{ "not-roce-tcp18515.pcap", 184, 0, 0, 0, RT_FRAME_OTHER, 184, 0, 0 },
		{ "dcbx-ieee-ets.pcap", 67, 0, 0, 0, RT_FRAME_LLDP, 31, 0, 0 },
		{ "dcbx-ieee-qcn.pcap", 19, 0, 0, 0, RT_FRAME_LLDP, 8, 0, 0 },
		{ "dcbx-ieee-app-priority.pcap", 1, 0, 0, 0, RT_FRAME_LLDP, 1, 0, 0 },
		{ "lldp-malformed-med-loc.pcap", 1, 0, 0, 0, RT_FRAME_LLDP, 1, 0, 0 },
		{ "lldp-connectx-nic.pcap", 1, 0, 0, 0, RT_FRAME_LLDP, 1, 0, 0 },
		{ "erspan-type-i-1.pcap", 2, 0, 0, 0, RT_FRAME_OTHER, 2,
		  RT_ENCAP_ERSPAN1, 2 },
		{ "erspan-type-ii-3.pcap", 108, 0, 0, 0, RT_FRAME_ARP, 10,
		  RT_ENCAP_ERSPAN2, 108 },
		{ "erspan-type-iii-ft-0.pcap", 9, 0, 0, 0, RT_FRAME_OTHER, 9,
		  RT_ENCAP_ERSPAN3, 9 },
		{ "erspan-type-iii-pb-1.pcap", 1, 1, 0, 0, RT_FRAME_SHORT, 1,
		  RT_ENCAP_ERSPAN3, 1 },
		{ "gre-teb-6558-nested.pcap", 287, 0, 0, 0, RT_FRAME_ARP, 10,
		  RT_ENCAP_GRE_TEB, 248 },
		{ "vxlan-triple-nested.pcap", 1, 0, 0, 0, RT_FRAME_OTHER, 1,
		  RT_ENCAP_VXLAN, 1 },
		{ "sll2-zeek.pcap", 6, 0, 0, 0, RT_FRAME_ARP, 1, 0, 0 },
		{ "sll-truncated-100.pcap", 100, 100, 0, 0, RT_FRAME_OTHER, 100, 0, 0 },
		{ "sll-nanosecond.pcap", 3, 0, 0, 0, RT_FRAME_OTHER, 3, 0, 0 },
		{ "ecn-mixed-marks.pcap", 245, 0, 0, 0, RT_FRAME_OTHER, 245, 0, 0 },
		{ "pcapng-two-linktypes.pcapng", 159, 39, 0, 0, RT_FRAME_OTHER, 159, 0,
		  0 },
		/* 8 for tshark, which counts three blocks that are no packets */
		{ "pcapng-be-multi-if-test102.pcapng", 5, 3, 0, 0, RT_FRAME_OTHER, 5, 0,
		  0 },
		{ "pcapng-be-test201.pcapng", 4, 3, 0, 0, RT_FRAME_OTHER, 4, 0, 0 },
		{ "vlan-qinq-8021ad.pcap", 2, 0, 0, 0, RT_FRAME_ARP, 2, 0, 0 },
		{ "raw-ip-dlt101.pcap", 1, 0, 0, 0, RT_FRAME_OTHER, 1, 0, 0 },
		{ "ipoib-dlt242-bigendian.pcap", 30, 0, 0, 0, RT_FRAME_ARP, 4, 0, 0 },
		{ "hex-cnp-connectx4lx.pcap", 1, 0, 1, 1, RT_FRAME_ROCE, 1, 0, 0 },
		{ "vec-rocev2-uc-v4-v6-icrc-scapy.pcap", 2, 0, 2, 2, RT_FRAME_ROCE, 2,
		  0, 0 },
		{ "hex-rxe-rdma-read-request.pcap", 1, 0, 1, 1, RT_FRAME_ROCE, 1, 0,
		  0 },
		{ "hex-pause-8023x-ax88772.pcap", 2, 0, 0, 0, RT_FRAME_PAUSE, 2, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		char path[512];
		struct counts got;

		snprintf(path, sizeof(path), "%s/captures/%s", rt_test_shared(),
			 cases[i].file);
		RT_NEED_SHARED(path);
		print_message("# %s\n", cases[i].file);
		got = count_file(path);
		assert_int_equal(got.frames, cases[i].frames);
		assert_int_equal(got.truncated, cases[i].truncated);
		assert_int_equal(got.roce, cases[i].roce);
		assert_int_equal(got.icrc_ok, cases[i].icrc_ok);
		assert_int_equal(got.icrc_bad, 0);
		assert_int_equal(got.kinds[cases[i].kind], cases[i].of_kind);
		assert_int_equal(got.encaps[cases[i].encap],
				 cases[i].encap ? cases[i].encapsulated
						: cases[i].frames);
	}
}

/* The number under a key of a map of the truth; 0 where it is left out. */
static unsigned number(const struct rt_node *map, const char *key)
{
	const struct rt_node *node = rt_node_get(map, key);

	return node ? (unsigned)strtoul(node->text, NULL, 10) : 0;
}

static void compare_with_truth(const char *file, const struct rt_node *truth)
{
	static const char *const pads[] = { "0", "1", "2", "3" };
	static const char *const ecns[] = { "not-ECT", "ECT1", "ECT0", "CE" };
	const struct rt_node *icrc = rt_node_get(truth, "icrc");
	char path[512];
	struct counts got;

	snprintf(path, sizeof(path), "%s/captures/rxe/%s", rt_test_shared(), file);
	print_message("# %s\n", file);
	got = count_file(path);
	assert_int_equal(got.frames, number(truth, "frames"));
	assert_int_equal(got.truncated, number(truth, "truncated"));
	assert_int_equal(got.roce, number(truth, "roce"));
	assert_int_equal(got.cnp, number(truth, "cnp"));
	assert_int_equal(got.ackreq, number(truth, "ackreq"));
	assert_int_equal(got.becn, number(truth, "becn"));
	assert_int_equal(got.pfc, number(rt_node_get(truth, "pfc"), "frames"));
	assert_int_equal(got.icrc_ok, number(icrc, "ok"));
	assert_int_equal(got.icrc_bad, number(icrc, "bad"));
	assert_int_equal(got.icrc_cut, number(icrc, "cut"));
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(got.pad[i],
				 number(rt_node_get(truth, "padcnt"), pads[i]));
		assert_int_equal(got.ecn[i],
				 number(rt_node_get(truth, "ecn"), ecns[i]));
	}
}

static void test_capture_rxe_files_count_as_their_truth_says(void **state)
{
	RT_AUTO(rt_auto_doc_free) struct rt_doc *doc = NULL;
	struct rt_err err = { 0 };
	char path[512];
	unsigned files = 0;

	(void)state;
	snprintf(path, sizeof(path), "%s/captures/rxe/truth.json", rt_test_shared());
	RT_NEED_SHARED(path);
	if (rt_doc_read(path, &doc, &err) < 0)
		fail_msg("%s", err.msg);
	rt_node_for_each (file, doc->root) {
		compare_with_truth(file->key, file);
		files++;
	}
	assert_true(files >= 26);
}

/* --- compression ------------------------------------------------------------ */

/* A pcap of one record of zeros after another: it compresses well. */
#define RECORDS      20000
#define RECORD_BYTES (16 + 60)

static uint8_t *make_pcap(size_t *ret_bytes)
{
	static const uint8_t header[24] = { 0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0,
					    0,    0,    0,    0,    0, 0, 0, 0,
					    0,    0,    4,    0,    1, 0, 0, 0 };
	uint8_t *file = calloc(1, 24 + RECORDS * RECORD_BYTES);

	assert_non_null(file);
	memcpy(file, header, 24);
	for (size_t n = 0; n < RECORDS; n++)
		file[24 + n * RECORD_BYTES + 8] = file[24 + n * RECORD_BYTES + 12] = 60;
	*ret_bytes = 24 + RECORDS * RECORD_BYTES;
	return file;
}

static void compress_to(const char *path, int (*filter)(struct archive *),
			const uint8_t *data, size_t bytes)
{
	struct archive *archive = archive_write_new();
	struct archive_entry *entry = archive_entry_new();

	assert_int_equal(archive_write_set_format_raw(archive), ARCHIVE_OK);
	assert_int_equal(filter(archive), ARCHIVE_OK);
	assert_int_equal(archive_write_open_filename(archive, path), ARCHIVE_OK);
	archive_entry_set_filetype(entry, AE_IFREG);
	assert_int_equal(archive_write_header(archive, entry), ARCHIVE_OK);
	assert_int_equal(archive_write_data(archive, data, bytes), bytes);
	assert_int_equal(archive_write_close(archive), ARCHIVE_OK);
	archive_entry_free(entry);
	archive_write_free(archive);
}

static const struct {
	const char *name;
	int (*filter)(struct archive *archive);
} compressions[] = {
	{ "gzip", archive_write_add_filter_gzip },
	{ "bzip2", archive_write_add_filter_bzip2 },
	{ "xz", archive_write_add_filter_xz },
	{ "zstd", archive_write_add_filter_zstd },
	{ "lz4", archive_write_add_filter_lz4 },
};

static void test_capture_compressed_files_are_seen_through(void **state)
{
	char path[] = "/tmp/rocetune-test-XXXXXX";
	size_t bytes = 0;
	RT_AUTO(rt_auto_free) uint8_t *file = make_pcap(&bytes);
	const int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	for (size_t i = 0; i < RT_ARRAY_SIZE(compressions); i++) {
		RT_AUTO(rt_auto_source_close) struct rt_source *source = NULL;
		struct rt_err err = { 0 };

		print_message("# %s\n", compressions[i].name);
		compress_to(path, compressions[i].filter, file, bytes);
		assert_int_equal(count_file(path).frames, RECORDS);
		assert_int_equal(rt_capture_open(path, 0, &source, &err), 0);
		assert_string_equal(rt_capture_notes(source)->compression,
				    compressions[i].name);
	}
	unlink(path);
}

static void test_capture_damaged_compression_is_an_error(void **state)
{
	char path[] = "/tmp/rocetune-test-XXXXXX";
	size_t bytes = 0, count = 1, frames_read = 0;
	RT_AUTO(rt_auto_free) uint8_t *file = make_pcap(&bytes);
	RT_AUTO(rt_auto_source_close) struct rt_source *source = NULL;
	struct rt_frame frames[32];
	struct rt_err err = { 0 };
	const int fd = mkstemp(path);
	int r = 0;

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	compress_to(path, archive_write_add_filter_gzip, file, bytes);
	assert_int_equal(truncate(path, 2000), 0);
	assert_int_equal(rt_capture_open(path, 0, &source, &err), 0);
	while (r == 0 && count) {
		r = source->ops->read(source, frames, 32, &count, &err);
		frames_read += r == 0 ? count : 0;
	}
	assert_int_equal(r, -EBADMSG);
	print_message("# %zu frames, then: %s\n", frames_read, err.msg);
	assert_non_null(strstr(err.msg, "cannot decompress"));
	unlink(path);
}

static void test_capture_garbage_behind_compression_is_said(void **state)
{
	char path[] = "/tmp/rocetune-test-XXXXXX";
	size_t bytes = 0;
	RT_AUTO(rt_auto_free) uint8_t *file = make_pcap(&bytes);
	const int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	for (size_t i = 0; i < RT_ARRAY_SIZE(compressions); i++) {
		RT_AUTO(rt_auto_source_close) struct rt_source *source = NULL;
		struct rt_frame frames[32];
		struct rt_err err = { 0 };
		size_t count = 1, frames_read = 0;
		int r = 0;

		compress_to(path, compressions[i].filter, file, bytes);
		lseek(fd, 0, SEEK_END);
		assert_int_equal(write(fd, "garbage", 7), 7);
		assert_int_equal(rt_capture_open(path, 0, &source, &err), 0);
		while (r == 0 && count) {
			r = source->ops->read(source, frames, 32, &count, &err);
			frames_read += r == 0 ? count : 0;
		}
		print_message("# %s\n", err.msg);
		assert_int_equal(r, -EBADMSG);
		/* what libarchive holds back is no more than it says */
		assert_true(frames_read + (128 << 10) / RECORD_BYTES + 1 >= RECORDS);
	}
	close(fd);
	unlink(path);
}

/* Whoever writes the pipe keeps it open and says no more: close still returns. */
static void test_capture_a_silent_pipe_can_be_closed(void **state)
{
	char path[] = "/tmp/rocetune-test-XXXXXX", name[64];
	uint8_t packed[65536];
	size_t bytes = 0, count = 0;
	RT_AUTO(rt_auto_free) uint8_t *file = make_pcap(&bytes);
	struct rt_frame frames[32];
	struct rt_source *source = NULL;
	struct rt_err err = { 0 };
	int fd = mkstemp(path), ends[2];
	ssize_t got;

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	compress_to(path, archive_write_add_filter_gzip, file, bytes);
	fd = open(path, O_RDONLY);
	got = read(fd, packed, sizeof(packed));
	close(fd);
	unlink(path);
	assert_true(got > 1000 && pipe(ends) == 0);
	assert_int_equal(write(ends[1], packed, (size_t)got - 100), got - 100);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", ends[0]);
	alarm(60); /* instead of waiting for ever */
	assert_int_equal(rt_capture_open(name, 0, &source, &err), 0);
	assert_int_equal(source->ops->read(source, frames, 32, &count, &err), 0);
	assert_int_equal(count, 32);
	rt_source_close(source);
	alarm(0);
	close(ends[0]);
	close(ends[1]);
}

static void test_capture_standard_input_is_read(void **state)
{
	char path[] = "/tmp/rocetune-test-XXXXXX";
	size_t bytes = 0;
	RT_AUTO(rt_auto_free) uint8_t *file = make_pcap(&bytes);
	const int fd = mkstemp(path), saved = dup(STDIN_FILENO);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, file, bytes), bytes);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
	assert_int_equal(count_file("-").frames, RECORDS);
	assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0); /* not ours to close */
	if (saved >= 0)
		dup2(saved, STDIN_FILENO);
	close(saved);
	close(fd);
	unlink(path);
}

RT_UNIT_MAIN(cmocka_unit_test(test_capture_published_files_count_as_their_index_says),
	     cmocka_unit_test(test_capture_rxe_files_count_as_their_truth_says),
	     cmocka_unit_test(test_capture_compressed_files_are_seen_through),
	     cmocka_unit_test(test_capture_damaged_compression_is_an_error),
	     cmocka_unit_test(test_capture_garbage_behind_compression_is_said),
	     cmocka_unit_test(test_capture_a_silent_pipe_can_be_closed),
	     cmocka_unit_test(test_capture_standard_input_is_read))
