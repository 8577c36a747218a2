/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_analysis_run.c - from bytes to the report: frames are built, written as
 * pcapng, read back and analysed; what comes out in JSON is what was put in.
 */
#include "unit.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "base/doc.h"
#include "base/json.h"
#include "base/own.h"
#include "model/finding.h"
#include "report/report.h"
#include "report_tree.h"
#include "rocetune/capture.h"
#include "rocetune/err.h"
#include "run/analyze.h"
#include "wire/build.h"

#define SENDERS  3u
#define PACKETS  100u
#define PAYLOAD  1024u
#define RECEIVER 100u /* last byte of 10.0.0.x */

struct writer {
	struct rt_sink *sink;
	int64_t now_ns;
	unsigned frames;
};

static struct rt_ip address(unsigned last)
{
	return (struct rt_ip){ .version = 4, .bytes = { 10, 0, 0, (uint8_t)last } };
}

static void put(struct writer *writer, const uint8_t *data, size_t bytes)
{
	struct rt_err err = { 0 };

	if (writer->sink->ops->write(writer->sink, 0, writer->now_ns, data,
				     (uint32_t)bytes, (uint32_t)bytes, &err) < 0)
		fail_msg("%s", err.msg);
	writer->frames++;
	writer->now_ns += 100;
}

static void put_roce(struct writer *writer, unsigned src, unsigned dst, enum rt_ecn ecn,
		     const struct rt_bth *bth)
{
	const struct rt_build packet = {
		.eth_src = { 2, 0, 0, 0, 0, (uint8_t)src },
		.eth_dst = { 2, 0, 0, 0, 0, (uint8_t)dst },
		.src = address(src),
		.dst = address(dst),
		.dscp = bth->opcode == RT_OP_CNP ? 48 : 26,
		.ecn = (uint8_t)ecn,
		.ttl = 64,
		.udp_sport = (uint16_t)(49152 + src),
		.bth = *bth,
	};
	uint8_t frame[2048];

	put(writer, frame, rt_build_roce(&packet, frame, sizeof(frame)));
}

static void put_data(struct writer *writer, unsigned sender, uint32_t psn)
{
	const struct rt_bth bth = { .opcode = psn % 10 == 0 ? RT_OP_RC_WRITE_FIRST
							    : RT_OP_RC_WRITE_MIDDLE,
				    .dest_qp = 200 + sender,
				    .psn = psn,
				    .payload_bytes = PAYLOAD };

	/* Every fifth packet of sender 2 is marked. */
	put_roce(writer, sender, RECEIVER,
		 sender == 2 && psn % 5 == 0 ? RT_ECN_CE : RT_ECN_ECT0, &bth);
}

static void put_answer(struct writer *writer, unsigned sender, uint8_t opcode,
		       uint32_t psn, uint8_t syndrome)
{
	const struct rt_bth bth = { .opcode = opcode,
				    .bits = opcode == RT_OP_CNP ? RT_BTH_BECN : 0,
				    .dest_qp = 300 + sender,
				    .psn = psn,
				    .syndrome = syndrome };

	put_roce(writer, RECEIVER, sender, RT_ECN_NOT_ECT, &bth);
}

/*
 * Three senders, turn by turn.  Sender 3 loses PSN 50 before the tap: a gap, a NAK
 * when 60 has passed, and all again from 50 on (11 frames behind).  Sender 2 gets
 * four CNPs.  The receiver pauses priority 3 for 1000 quanta, 5120 ns.
 */
static void write_incast(struct writer *writer)
{
	uint8_t frame[64];
	const uint8_t mac[6] = { 2, 0, 0, 0, 0, RECEIVER };
	const struct rt_pause pause = { .enable = 1 << 3, .quanta = { [3] = 1000 } };

	for (uint32_t psn = 0; psn < PACKETS; psn++) {
		for (unsigned sender = 1; sender <= SENDERS; sender++)
			if (sender != 3 || psn != 50)
				put_data(writer, sender, psn);
		if (psn % 25 == 24) {
			put_answer(writer, 1, RT_OP_RC_ACK, psn, 0x1F);
			put_answer(writer, 2, RT_OP_RC_ACK, psn, 0x1F);
			put_answer(writer, 2, RT_OP_CNP, 0, 0);
		}
		if (psn == 10)
			put_answer(writer, 3, RT_OP_RC_ACK, 9, 0x1F);
		if (psn == 20)
			put(writer, frame,
			    rt_build_pfc(mac, &pause, frame, sizeof(frame)));
		if (psn == 60) {
			put_answer(writer, 3, RT_OP_RC_ACK, 50, 0x60);
			for (uint32_t again = 50; again <= 60; again++)
				put_data(writer, 3, again);
		}
	}
}

static unsigned write_capture(const char *path)
{
	const struct rt_capture_if interface = { .name = "swp1",
						 .speed_bps = 100000000000,
						 .link_type = RT_LINK_ETHERNET,
						 .units_per_s = 1000000000 };
	struct writer writer = { .now_ns = 1700000000000000000 };
	struct rt_err err = { 0 };

	if (rt_capture_create(path, 0, &writer.sink, &err) < 0 ||
	    writer.sink->ops->add_interface(writer.sink, &interface, &err) < 0)
		fail_msg("%s", err.msg);
	write_incast(&writer);
	if (writer.sink->ops->close(writer.sink, &err) < 0)
		fail_msg("%s", err.msg);
	return writer.frames;
}

/* The outcome as it would be printed with --json. */
static struct rt_doc *as_document(const struct rt_outcome *outcome)
{
	struct rt_json *json = report_tree(outcome->table, outcome->object);
	struct rt_doc *doc = NULL;
	struct rt_err err = { 0 };
	char *text = NULL;
	size_t bytes = 0;
	FILE *to = open_memstream(&text, &bytes);

	assert_int_equal(rt_json_write(json, to, &err), 0);
	fclose(to);
	rt_json_free(json);
	if (rt_doc_parse("report", text, bytes, &doc, &err) < 0)
		fail_msg("%s", err.msg);
	free(text);
	return doc;
}

/* "marks.cnps" or "sequence.flows.0.naks": the number there. */
static uint64_t at(const struct rt_doc *doc, const char *path)
{
	const struct rt_node *node = doc->root;
	char copy[128], *rest = copy, *word;

	snprintf(copy, sizeof(copy), "%s", path);
	while ((word = strsep(&rest, ".")) && node) {
		if (node->kind == RT_NODE_SEQ) {
			unsigned long skip = strtoul(word, NULL, 10);

			for (node = node->child; node && skip; skip--)
				node = node->next;
		} else {
			node = rt_node_get(node, word);
		}
	}
	if (!node || !node->text)
		fail_msg("the report has no %s", path);
	return strtoull(node->text, NULL, 10);
}

static const struct rt_finding *finding(const struct rt_outcome *outcome,
					const char *id)
{
	for (size_t i = 0; i < outcome->findings->count; i++)
		if (strcmp(outcome->findings->items[i].id, id) == 0)
			return &outcome->findings->items[i];
	return NULL;
}

static void make_path(char path[32])
{
	int fd;

	snprintf(path, 32, "/tmp/rocetune-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
}

/* The report as people see it; the caller frees it. */
static char *as_text(const struct rt_outcome *outcome, size_t *ret_bytes)
{
	const struct rt_report_style style = { 0 };
	char *text = NULL;
	FILE *to = open_memstream(&text, ret_bytes);

	assert_non_null(to);
	rt_report_text(to, outcome->table, outcome->object, &style);
	fclose(to);
	return text;
}

static void test_report_says_what_was_written(void **state)
{
	static const struct {
		const char *path;
		uint64_t value;
	} figures[] = {
		{ "capture.interfaces.0.speed_bps", 100000000000 },
		{ "roce.icrc_bad", 0 },
		{ "roce.mtu_bytes", PAYLOAD },
		{ "pauses.frames", 1 },
		{ "pauses.ports.0.priority", 3 },
		{ "pauses.ports.0.paused_ns", 5120 },
		{ "marks.cnps", 4 },
		{ "marks.data_ce", 20 },
		{ "marks.cnp_rows.0.flow_dest_qp", 202 },
		{ "sequence.streams", 3 },
		{ "sequence.frames", 3 * PACKETS - 1 + 11 },
		{ "sequence.p_gaps", 1 },
		{ "sequence.p_rewinds", 1 },
		{ "sequence.h_behind", 11 },
		{ "sequence.rewinds_nak", 1 },
		{ "sequence.naks", 1 },
		/* The largest first: sender 3, whose packets came again. */
		{ "sequence.flows.0.dest_qp", 203 },
		{ "sequence.flows.0.src_qp", 303 },
		/* All but PSN 50, which comes for the first time. */
		{ "sequence.flows.0.resent_bytes", 10 * PAYLOAD },
		{ "throughput.receivers.0.senders", SENDERS },
		{ "throughput.receivers.0.max_fan_in", SENDERS },
		{ "throughput.receivers.0.good_bytes", 3 * PACKETS * PAYLOAD },
	};
	const struct rt_analyze_options options = { 0 };
	struct rt_outcome outcome = { 0 };
	RT_AUTO(rt_auto_doc_free) struct rt_doc *doc = NULL;
	struct rt_err err = { 0 };
	unsigned frames;
	char path[32], *text;
	size_t bytes;

	(void)state;
	make_path(path);
	frames = write_capture(path);
	if (rt_analyze_file(path, &options, &outcome, &err) < 0)
		fail_msg("%s", err.msg);
	doc = as_document(&outcome);
	assert_int_equal(at(doc, "capture.frames"), frames);
	assert_int_equal(at(doc, "roce.icrc_ok"), frames - 1);
	for (size_t i = 0; i < RT_ARRAY_SIZE(figures); i++) {
		print_message("# %s\n", figures[i].path);
		assert_int_equal(at(doc, figures[i].path), figures[i].value);
	}
	assert_non_null(finding(&outcome, "loss-go-back-n"));
	assert_non_null(strstr(finding(&outcome, "loss-go-back-n")->where, "QP 203"));
	assert_null(finding(&outcome, "cnp-missing"));
	assert_null(finding(&outcome, "pfc-not-visible"));
	text = as_text(&outcome, &bytes);
	assert_non_null(strstr(text, "2 kinds of problem (1 wrong, 1 suspect)"));
	assert_non_null(strstr(text, "Ethernet"));
	assert_non_null(strstr(text, "Streams"));
	free(text);
	rt_outcome_release(&outcome);
	unlink(path);
}

static void test_icrc_is_left_out_on_demand(void **state)
{
	const struct rt_analyze_options options = { .no_icrc = true };
	struct rt_outcome outcome = { 0 };
	RT_AUTO(rt_auto_doc_free) struct rt_doc *doc = NULL;
	char path[32];

	(void)state;
	make_path(path);
	write_capture(path);
	assert_int_equal(rt_analyze_file(path, &options, &outcome, NULL), 0);
	doc = as_document(&outcome);
	assert_int_equal(at(doc, "roce.icrc_ok"), 0);
	assert_int_equal(at(doc, "roce.icrc_unchecked"), at(doc, "roce.frames"));
	rt_outcome_release(&outcome);
	unlink(path);
}

/* The last record is cut: a note, and everything before it is there. */
static void test_a_cut_file_is_analysed_up_to_the_cut(void **state)
{
	const struct rt_analyze_options options = { 0 };
	struct rt_outcome outcome = { 0 };
	RT_AUTO(rt_auto_doc_free) struct rt_doc *doc = NULL;
	char path[32];
	unsigned frames;
	FILE *file;
	long bytes;

	(void)state;
	make_path(path);
	frames = write_capture(path);
	file = fopen(path, "r+");
	assert_non_null(file);
	fseek(file, 0, SEEK_END);
	bytes = ftell(file);
	assert_int_equal(ftruncate(fileno(file), bytes - 100), 0);
	fclose(file);
	assert_int_equal(rt_analyze_file(path, &options, &outcome, NULL), 0);
	doc = as_document(&outcome);
	assert_int_equal(at(doc, "capture.frames"), frames - 1);
	assert_true(at(doc, "capture.ends_at_bytes") > 0);
	assert_non_null(finding(&outcome, "capture-ends-early"));
	rt_outcome_release(&outcome);
	unlink(path);
}

/* A block length in the middle becomes impossible. */
static void test_a_damaged_file_is_analysed_up_to_the_damage(void **state)
{
	static const uint8_t impossible[] = { 6, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF };
	const struct rt_analyze_options options = { 0 };
	struct rt_outcome outcome = { 0 };
	RT_AUTO(rt_auto_doc_free) struct rt_doc *doc = NULL;
	char path[32], text[300000];
	uint8_t *block = NULL;
	unsigned frames;
	size_t bytes;
	FILE *file;

	(void)state;
	make_path(path);
	frames = write_capture(path);
	file = fopen(path, "r+");
	assert_non_null(file);
	bytes = fread(text, 1, sizeof(text), file);
	/* Enhanced packet blocks begin so, and are longer than 256 bytes here. */
	for (size_t i = bytes / 2; i + 8 < bytes && !block; i += 4)
		if (memcmp(&text[i], impossible, 4) == 0 && text[i + 5] == 4)
			block = (uint8_t *)&text[i];
	assert_non_null(block);
	fseek(file, (long)(block - (uint8_t *)text), SEEK_SET);
	fwrite(impossible, 1, sizeof(impossible), file);
	fclose(file);
	assert_int_equal(rt_analyze_file(path, &options, &outcome, NULL), 0);
	doc = as_document(&outcome);
	assert_true(at(doc, "capture.frames") > 10);
	assert_true(at(doc, "capture.frames") < frames);
	assert_non_null(finding(&outcome, "capture-damaged"));
	print_message("# %s\n", finding(&outcome, "capture-damaged")->evidence);
	rt_outcome_release(&outcome);
	unlink(path);
}

/* Damage before the first frame is a finding as well: the file is a capture. */
static void test_a_file_of_zeros_behind_its_header_is_damaged(void **state)
{
	static const uint8_t header[24] = { 0xD4, 0xC3, 0xB2, 0xA1,     2,
					    0,    4,    0,    [18] = 4, [20] = 1 };
	static const uint8_t zeros[5000];
	const struct rt_analyze_options options = { 0 };
	struct rt_outcome outcome = { 0 };
	RT_AUTO(rt_auto_doc_free) struct rt_doc *doc = NULL;
	char path[32];
	FILE *file;

	(void)state;
	make_path(path);
	file = fopen(path, "w");
	assert_non_null(file);
	fwrite(header, 1, sizeof(header), file);
	fwrite(zeros, 1, sizeof(zeros), file);
	fclose(file);
	assert_int_equal(rt_analyze_file(path, &options, &outcome, NULL), 0);
	doc = as_document(&outcome);
	assert_int_equal(at(doc, "capture.frames"), 0);
	assert_non_null(
		strstr(finding(&outcome, "capture-damaged")->evidence, "at byte 24"));
	rt_outcome_release(&outcome);
	unlink(path);
}

static void test_what_is_no_capture_is_an_error(void **state)
{
	const struct rt_analyze_options options = { 0 };
	struct rt_outcome outcome = { 0 };
	struct rt_err err = { 0 };

	(void)state;
	assert_true(rt_analyze_file("/etc/passwd", &options, &outcome, &err) < 0);
	print_message("# %s\n", err.msg);
	assert_non_null(strstr(err.msg, "/etc/passwd"));
	assert_null(outcome.object);
	rt_table_check(&rt_analyze_table);
}

/* One ARP frame: no section of RoCE stages, and no word of zero marks. */
static void test_no_roce_has_no_tables_of_zeros(void **state)
{
	const struct rt_analyze_options options = { 0 };
	const struct rt_capture_if interface = { .link_type = RT_LINK_ETHERNET };
	static const uint8_t arp[60] = { [12] = 0x08, [13] = 0x06 };
	struct writer writer = { 0 };
	struct rt_outcome outcome = { 0 };
	char path[32], *text;
	size_t bytes;

	(void)state;
	make_path(path);
	assert_int_equal(rt_capture_create(path, 0, &writer.sink, NULL), 0);
	assert_int_equal(writer.sink->ops->add_interface(writer.sink, &interface, NULL),
			 0);
	put(&writer, arp, sizeof(arp));
	assert_int_equal(writer.sink->ops->close(writer.sink, NULL), 0);
	assert_int_equal(rt_analyze_file(path, &options, &outcome, NULL), 0);
	text = as_text(&outcome, &bytes);
	assert_non_null(strstr(text, "no RoCE to judge (1 not visible, 0 notes)"));
	assert_null(strstr(text, "Marks and CNPs"));
	assert_null(strstr(text, "Streams"));
	assert_null(strstr(text, "Throughput"));
	free(text);
	rt_outcome_release(&outcome);
	unlink(path);
}

RT_UNIT_MAIN(cmocka_unit_test(test_report_says_what_was_written),
	     cmocka_unit_test(test_icrc_is_left_out_on_demand),
	     cmocka_unit_test(test_a_cut_file_is_analysed_up_to_the_cut),
	     cmocka_unit_test(test_a_damaged_file_is_analysed_up_to_the_damage),
	     cmocka_unit_test(test_a_file_of_zeros_behind_its_header_is_damaged),
	     cmocka_unit_test(test_what_is_no_capture_is_an_error),
	     cmocka_unit_test(test_no_roce_has_no_tables_of_zeros))
