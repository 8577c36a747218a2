/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_truth.c - every figure that an independent script found in captures of a
 * real RoCE stack must come out of the analysis, exactly.
 *
 * The figures are read from the reference's own truth.json; those of the analysis
 * from the struct that the report prints.  A key of truth.json that this test
 * does not know is a failure.
 */
#include "unit.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/doc.h"
#include "base/own.h"
#include "rocetune/analysis.h"
#include "rocetune/capture.h"
#include "rocetune/err.h"

/* One comparison: what the reference says (node) against the analysis. */
struct claim {
	const struct rt_analysis *analysis;
	const struct rt_node *node;
	bool failed;
};

static uint64_t number(const struct rt_node *node)
{
	return node && node->text ? strtoull(node->text, NULL, 10) : 0;
}

static void expect(struct claim *claim, const char *what, uint64_t got, uint64_t want)
{
	if (got == want)
		return;
	print_message("# %s: %" PRIu64 ", the reference says %" PRIu64 "\n", what, got,
		      want);
	claim->failed = true;
}

/* The reference writes IPv6 addresses as 32 hexadecimal digits. */
static const char *reference_address(const char *text, char buf[RT_IP_TEXT_BYTES])
{
	uint8_t bytes[16];

	if (inet_pton(AF_INET6, text, bytes) != 1)
		return text;
	for (unsigned i = 0; i < 16; i++)
		snprintf(buf + 2 * i, 3, "%02x", bytes[i]);
	return buf;
}

/* --- one function per key ------------------------------------------------------ */

static void check_linktype(struct claim *claim)
{
	const struct rt_analysis_capture *capture = &claim->analysis->capture;

	expect(claim, "interfaces", capture->interface_count, claim->node->count);
	for (size_t i = 0; i < capture->interface_count; i++) {
		const struct rt_node *node = claim->node->child;

		for (size_t skip = 0; node && skip < i; skip++)
			node = node->next;
		expect(claim, "link type", capture->interfaces[i].link_type,
		       number(node));
	}
}

static void check_frames(struct claim *claim)
{
	expect(claim, "frames", claim->analysis->capture.frames, number(claim->node));
}

static void check_truncated(struct claim *claim)
{
	expect(claim, "truncated", claim->analysis->capture.truncated,
	       number(claim->node));
}

static void check_roce(struct claim *claim)
{
	expect(claim, "RoCE frames", claim->analysis->roce.frames, number(claim->node));
}

static void check_per_if(struct claim *claim)
{
	const struct rt_analysis_capture *capture = &claim->analysis->capture;

	expect(claim, "interfaces", capture->interface_count, claim->node->count);
	rt_node_for_each (node, claim->node) {
		const size_t index = strtoul(node->key, NULL, 10);

		expect(claim, "frames of an interface",
		       index < capture->interface_count
			       ? capture->interfaces[index].frames
			       : 0,
		       number(node));
	}
}

/*
 * The reference subtracts seconds since 1970 kept as doubles, which are 2^-22 s
 * apart there, and rounds the difference to microseconds: it is within half a
 * microsecond and 2^-22 s of the nanoseconds in the file.
 */
static void check_duration(struct claim *claim)
{
	const double want_ns = strtod(claim->node->text, NULL) * 1e9;
	const double got_ns = (double)claim->analysis->capture.span_ns.value;

	if (fabs(got_ns - want_ns) > 500 + 1e9 / (1 << 22))
		expect(claim, "duration in ns", (uint64_t)got_ns, (uint64_t)want_ns);
}

static void check_ts_backwards(struct claim *claim)
{
	expect(claim, "time goes back", claim->analysis->capture.times_back,
	       number(claim->node));
}

/* By number; the names beside it are tshark's. */
static void check_opcodes(struct claim *claim)
{
	const struct rt_analysis_roce *roce = &claim->analysis->roce;

	expect(claim, "opcodes", roce->opcode_count, claim->node->count);
	rt_node_for_each (node, claim->node) {
		uint64_t got = 0;

		for (size_t i = 0; i < roce->opcode_count; i++)
			if (roce->opcodes[i].opcode == strtoul(node->key, NULL, 16))
				got = roce->opcodes[i].frames;
		expect(claim, node->key, got, number(node));
	}
}

static void check_dest_qps(struct claim *claim)
{
	expect(claim, "destination QP numbers", claim->analysis->roce.dest_qps,
	       number(claim->node));
}

static void check_dest_ip_qp(struct claim *claim)
{
	expect(claim, "(address, QP)", claim->analysis->roce.dest_ip_qps,
	       number(claim->node));
}

static void expect_ecn(struct claim *claim, const char *what,
		       const struct rt_analysis_ecn *ecn, const struct rt_node *node)
{
	char label[160];

	snprintf(label, sizeof(label), "%s not-ECT", what);
	expect(claim, label, ecn->not_ect, number(rt_node_get(node, "not-ECT")));
	snprintf(label, sizeof(label), "%s ECT1", what);
	expect(claim, label, ecn->ect1, number(rt_node_get(node, "ECT1")));
	snprintf(label, sizeof(label), "%s ECT0", what);
	expect(claim, label, ecn->ect0, number(rt_node_get(node, "ECT0")));
	snprintf(label, sizeof(label), "%s CE", what);
	expect(claim, label, ecn->ce, number(rt_node_get(node, "CE")));
}

static void check_ecn(struct claim *claim)
{
	expect_ecn(claim, "ECN", &claim->analysis->roce.ecn, claim->node);
}

static void check_ecn_by_direction(struct claim *claim)
{
	const struct rt_analysis_roce *roce = &claim->analysis->roce;

	expect(claim, "directions", roce->direction_count, claim->node->count);
	for (size_t i = 0; i < roce->direction_count; i++) {
		const struct rt_analysis_direction *row = &roce->directions[i];
		char key[2 * RT_IP_TEXT_BYTES], src[RT_IP_TEXT_BYTES];
		char dst[RT_IP_TEXT_BYTES];
		const struct rt_node *node;

		snprintf(key, sizeof(key), "%s>%s", reference_address(row->src, src),
			 reference_address(row->dst, dst));
		node = rt_node_get(claim->node, key);
		if (!node) {
			print_message("# the reference has no direction %s\n", key);
			claim->failed = true;
			continue;
		}
		expect_ecn(claim, key, &row->ecn, node);
	}
}

static void check_dscp(struct claim *claim)
{
	const struct rt_analysis_roce *roce = &claim->analysis->roce;

	expect(claim, "DSCPs", roce->dscp_count, claim->node->count);
	for (size_t i = 0; i < roce->dscp_count; i++) {
		const struct rt_analysis_ecn *ecn = &roce->dscps[i].ecn;
		char key[8];

		snprintf(key, sizeof(key), "%u", roce->dscps[i].dscp);
		expect(claim, key, ecn->not_ect + ecn->ect1 + ecn->ect0 + ecn->ce,
		       number(rt_node_get(claim->node, key)));
	}
}

static void check_cnp(struct claim *claim)
{
	expect(claim, "CNPs", claim->analysis->marks.cnps, number(claim->node));
}

/* "frames", and "prioN XOFF", "prioN XON" for each priority that occurs. */
static void check_pfc(struct claim *claim)
{
	const struct rt_analysis_pauses *pauses = &claim->analysis->pauses;
	uint64_t named = 0;

	if (claim->node->count == 0) {
		expect(claim, "pauses are known", pauses->frames.known, false);
		return;
	}
	expect(claim, "PFC frames", pauses->pfc_frames.value,
	       number(rt_node_get(claim->node, "frames")));
	for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++) {
		uint64_t xoff = 0, xon = 0;
		char key[16];

		for (size_t i = 0; i < pauses->port_count; i++)
			if (pauses->ports[i].priority.known &&
			    pauses->ports[i].priority.value == prio) {
				xoff += pauses->ports[i].xoff;
				xon += pauses->ports[i].xon;
			}
		snprintf(key, sizeof(key), "prio%u XOFF", prio);
		expect(claim, key, xoff, number(rt_node_get(claim->node, key)));
		snprintf(key, sizeof(key), "prio%u XON", prio);
		expect(claim, key, xon, number(rt_node_get(claim->node, key)));
		named += (xoff > 0) + (xon > 0);
	}
	expect(claim, "PFC figures", named + 1, claim->node->count);
}

/* "ACK", "RNR NAK", "NAK code N"; ours say more behind the code. */
static void check_aeth(struct claim *claim)
{
	const struct rt_analysis_roce *roce = &claim->analysis->roce;

	expect(claim, "syndromes", roce->syndrome_count, claim->node->count);
	rt_node_for_each (node, claim->node) {
		const size_t bytes = strlen(node->key);
		uint64_t got = 0;

		for (size_t i = 0; i < roce->syndrome_count; i++) {
			const char *name = roce->syndromes[i].name;

			if (strncmp(name, node->key, bytes) == 0 &&
			    (name[bytes] == '\0' || name[bytes] == ' '))
				got += roce->syndromes[i].frames;
		}
		expect(claim, node->key, got, number(node));
	}
}

static void check_icrc(struct claim *claim)
{
	const struct rt_analysis_roce *roce = &claim->analysis->roce;

	expect(claim, "ICRC ok", roce->icrc_ok, number(rt_node_get(claim->node, "ok")));
	expect(claim, "ICRC bad", roce->icrc_bad,
	       number(rt_node_get(claim->node, "bad")));
	expect(claim, "ICRC cut", roce->icrc_cut,
	       number(rt_node_get(claim->node, "cut")));
	expect(claim, "ICRC not looked at", roce->icrc_unchecked, 0);
}

/* Keys begin with our name of the tunnel; ours add the session where there is one. */
static void check_encap(struct claim *claim)
{
	const struct rt_analysis_capture *capture = &claim->analysis->capture;

	expect(claim, "tunnels", capture->encap_count, claim->node->count);
	rt_node_for_each (node, claim->node) {
		uint64_t got = 0;

		for (size_t i = 0; i < capture->encap_count; i++)
			if (strncmp(capture->encaps[i].name, node->key,
				    strlen(node->key)) == 0)
				got += capture->encaps[i].frames;
		expect(claim, node->key, got, number(node));
	}
}

static void check_vlan(struct claim *claim)
{
	const struct rt_analysis_capture *capture = &claim->analysis->capture;

	expect(claim, "VLANs", capture->vlan_count, claim->node->count);
	for (size_t i = 0; i < capture->vlan_count; i++) {
		char key[40];

		snprintf(key, sizeof(key), "vid %u pcp %u", capture->vlans[i].vid,
			 capture->vlans[i].pcp);
		expect(claim, key, capture->vlans[i].frames,
		       number(rt_node_get(claim->node, key)));
	}
}

static void check_other(struct claim *claim)
{
	const struct rt_analysis_capture *capture = &claim->analysis->capture;

	expect(claim, "other kinds", capture->content_count, claim->node->count);
	for (size_t i = 0; i < capture->content_count; i++) {
		char key[40];

		snprintf(key, sizeof(key), "ip proto %" PRIu64,
			 capture->contents[i].ip_proto.value);
		expect(claim, key, capture->contents[i].frames,
		       number(rt_node_get(claim->node, key)));
	}
}

static void check_udp_sports(struct claim *claim)
{
	expect(claim, "UDP source ports", claim->analysis->roce.udp_sports,
	       number(claim->node));
}

static void check_padcnt(struct claim *claim)
{
	const struct rt_analysis_roce *roce = &claim->analysis->roce;

	expect(claim, "pad counts", roce->pad_count, claim->node->count);
	for (size_t i = 0; i < roce->pad_count; i++)
		expect(claim, roce->pads[i].name, roce->pads[i].frames,
		       number(rt_node_get(claim->node, roce->pads[i].name)));
}

static void check_ackreq(struct claim *claim)
{
	expect(claim, "AckReq", claim->analysis->roce.ackreq, number(claim->node));
}

static void check_becn(struct claim *claim)
{
	expect(claim, "BECN", claim->analysis->roce.becn, number(claim->node));
}

/* The reference's names of the figures of streams, for one of them or the sum. */
struct stream_figures {
	uint64_t frames, bytes, msgs, pgap, pmiss, prew, hgap, hmiss, hrew, hbehind;
};

static void expect_figures(struct claim *claim, const char *what,
			   const struct stream_figures *got, const struct rt_node *node)
{
	const struct {
		const char *key;
		uint64_t value;
	} rows[] = {
		{ "frames", got->frames }, { "bytes", got->bytes },
		{ "msgs", got->msgs },     { "pgap", got->pgap },
		{ "pmiss", got->pmiss },   { "prew", got->prew },
		{ "hgap", got->hgap },     { "hmiss", got->hmiss },
		{ "hrew", got->hrew },     { "hbehind", got->hbehind },
	};

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		const struct rt_node *want = rt_node_get(node, rows[i].key);
		char label[200];

		snprintf(label, sizeof(label), "%s %s", what, rows[i].key);
		if (!want) {
			print_message("# %s: not in the reference\n", label);
			claim->failed = true;
			continue;
		}
		expect(claim, label, rows[i].value, number(want));
	}
}

static void check_total(struct claim *claim)
{
	const struct rt_analysis_sequence *sum = &claim->analysis->sequence;
	const struct stream_figures got = {
		.frames = sum->frames,
		.bytes = sum->payload_bytes,
		.msgs = sum->messages,
		.pgap = sum->p_gaps,
		.pmiss = sum->p_skipped,
		.prew = sum->p_rewinds,
		.hgap = sum->h_gaps,
		.hmiss = sum->h_skipped,
		.hrew = sum->h_episodes,
		.hbehind = sum->h_behind,
	};

	expect_figures(claim, "total", &got, claim->node);
}

static const struct rt_analysis_flow *find_flow(const struct rt_analysis *analysis,
						const struct rt_node *node)
{
	const struct rt_node *srcqp = rt_node_get(node, "srcqp");
	const char *dst = rt_node_get(node, "dst")->text;
	const bool request = strcmp(rt_node_get(node, "stream")->text, "req") == 0;

	for (size_t i = 0; i < analysis->sequence.flow_count; i++) {
		const struct rt_analysis_flow *flow = &analysis->sequence.flows[i];
		char buf[RT_IP_TEXT_BYTES];

		if (flow->dest_qp == number(rt_node_get(node, "qp")) &&
		    strcmp(reference_address(flow->dst, buf), dst) == 0 &&
		    (flow->stream == RT_FLOW_REQUEST) == request &&
		    (!srcqp || flow->src_qp.value == number(srcqp)))
			return flow;
	}
	return NULL;
}

static void check_dirs(struct claim *claim)
{
	expect(claim, "streams", claim->analysis->sequence.flow_count,
	       claim->node->count);
	rt_node_for_each (node, claim->node) {
		const struct rt_analysis_flow *flow = find_flow(claim->analysis, node);
		struct stream_figures got;
		char label[100];

		snprintf(label, sizeof(label), "stream to %s QP %s",
			 rt_node_get(node, "dst")->text, rt_node_get(node, "qp")->text);
		if (!flow) {
			print_message("# %s: not found\n", label);
			claim->failed = true;
			continue;
		}
		got = (struct stream_figures){
			.frames = flow->frames,
			.bytes = flow->payload_bytes,
			.msgs = flow->messages,
			.pgap = flow->p_gaps,
			.pmiss = flow->p_skipped,
			.prew = flow->p_rewinds,
			.hgap = flow->h_gaps,
			.hmiss = flow->h_skipped,
			.hrew = flow->h_episodes,
			.hbehind = flow->h_behind,
		};
		expect_figures(claim, label, &got, node);
	}
}

/*
 * The reference's MTU is that of the run.  Captures of Only packets and atomics
 * do not show it; there it must be unknown.
 */
static void check_mtu(struct claim *claim)
{
	const struct rt_analysis_roce *roce = &claim->analysis->roce;
	bool shown = false;

	for (size_t i = 0; i < roce->opcode_count; i++)
		shown = shown || rt_ops[roce->opcodes[i].opcode].bits & RT_OP_FULL;
	expect(claim, "MTU is known", roce->mtu_bytes.known, shown);
	if (shown)
		expect(claim, "MTU", roce->mtu_bytes.value, number(claim->node));
}

/* --- keys ---------------------------------------------------------------------- */

static const struct {
	const char *key;
	void (*check)(struct claim *claim);
	const char *why_not; /* NULL check: why it is no figure of the capture */
} keys[] = {
	{ "linktype", check_linktype, NULL },
	{ "frames", check_frames, NULL },
	{ "truncated", check_truncated, NULL },
	{ "roce", check_roce, NULL },
	{ "per_if", check_per_if, NULL },
	{ "duration_s", check_duration, NULL },
	{ "ts_backwards", check_ts_backwards, NULL },
	{ "opcodes", check_opcodes, NULL },
	{ "dest_qps", check_dest_qps, NULL },
	{ "dest_ip_qp", check_dest_ip_qp, NULL },
	{ "ecn", check_ecn, NULL },
	{ "ecn_by_direction", check_ecn_by_direction, NULL },
	{ "dscp", check_dscp, NULL },
	{ "cnp", check_cnp, NULL },
	{ "pfc", check_pfc, NULL },
	{ "aeth", check_aeth, NULL },
	{ "icrc", check_icrc, NULL },
	{ "encap", check_encap, NULL },
	{ "vlan", check_vlan, NULL },
	{ "other", check_other, NULL },
	{ "udp_sports", check_udp_sports, NULL },
	{ "padcnt", check_padcnt, NULL },
	{ "ackreq", check_ackreq, NULL },
	{ "becn", check_becn, NULL },
	{ "total", check_total, NULL },
	{ "dirs", check_dirs, NULL },
	{ "mtu", check_mtu, NULL },
	{ "tshark_agrees", NULL, "says how the reference was checked" },
	{ "hw_counters_delta", NULL, "counters of the devices during the run" },
	{ "ethtool_delta", NULL, "counters of the devices during the run" },
	{ "tc", NULL, "counters of the queues during the run" },
	{ "notes", NULL, "words" },
	{ "bytes_file", NULL, "size of the file itself" },
	{ "sha256_16", NULL, "digest of the file itself" },
};

static void analyse(const char *path, unsigned flags, struct rt_analysis *ret_analysis)
{
	RT_AUTO(rt_auto_source_close) struct rt_source *source = NULL;
	const struct rt_analysis_config config = { 0 };
	struct rt_err err = { 0 };

	if (rt_capture_open(path, flags, &source, &err) < 0 ||
	    rt_analysis_of_source(source, &config, ret_analysis, &err) < 0)
		fail_msg("%s", err.msg);
}

static bool check_key(const struct rt_analysis *analysis, const struct rt_node *node)
{
	for (size_t i = 0; i < RT_ARRAY_SIZE(keys); i++) {
		struct claim claim = { .analysis = analysis, .node = node };

		if (strcmp(keys[i].key, node->key) != 0)
			continue;
		if (keys[i].check)
			keys[i].check(&claim);
		return !claim.failed;
	}
	print_message("# %s: a key that this test does not know\n", node->key);
	return false;
}

static void load_truth(struct rt_doc **ret_doc)
{
	struct rt_err err = { 0 };
	char path[512];

	snprintf(path, sizeof(path), "%s/captures/rxe/truth.json", rt_test_shared());
	RT_NEED_SHARED(path);
	if (rt_doc_read(path, ret_doc, &err) < 0)
		fail_msg("%s", err.msg);
}

static void test_truth(void **state)
{
	const char *name = *state;
	RT_AUTO(rt_auto_doc_free) struct rt_doc *doc = NULL;
	struct rt_analysis analysis = { 0 };
	const struct rt_node *truth;
	unsigned failed = 0, checked = 0;
	char path[512];

	load_truth(&doc);
	snprintf(path, sizeof(path), "%s/captures/rxe/%s", rt_test_shared(), name);
	RT_NEED_SHARED(path);
	truth = rt_node_get(doc->root, name);
	assert_non_null(truth);
	analyse(path, RT_DECODE_ICRC, &analysis);
	rt_node_for_each (node, truth) {
		failed += !check_key(&analysis, node);
		checked++;
	}
	rt_analysis_free(&analysis);
	assert_int_equal(checked, RT_ARRAY_SIZE(keys));
	assert_int_equal(failed, 0);
}

/*
 * The captures in which every frame stands several times.  The reference counts
 * all of them; of flows one is left.
 */
static const struct {
	const char *name;
	unsigned times;
} mirrors[] = {
	{ "rxe-double-mirror.pcap", 2 },
	{ "rxe-any-sll2.pcap", 4 },
};

static unsigned times_in_file(const char *name)
{
	for (size_t i = 0; i < RT_ARRAY_SIZE(mirrors); i++)
		if (strcmp(mirrors[i].name, name) == 0)
			return mirrors[i].times;
	return 1;
}

/* A mirror's figures of streams, each packet once: none was lost or sent again. */
static void expect_once(struct claim *claim, unsigned times)
{
	const struct rt_analysis_sequence *sum = &claim->analysis->sequence;
	const struct rt_node *total = rt_node_get(claim->node, "total");

	expect(claim, "frames once", sum->frames * times,
	       number(rt_node_get(total, "frames")));
	expect(claim, "bytes once", sum->payload_bytes * times,
	       number(rt_node_get(total, "bytes")));
	expect(claim, "messages once", sum->messages * times,
	       number(rt_node_get(total, "msgs")));
	expect(claim, "gaps", sum->p_gaps, 0);
	expect(claim, "rewinds", sum->p_rewinds, 0);
	expect(claim, "frames behind", sum->h_behind, 0);
	expect(claim, "bytes sent again", sum->resent_bytes, 0);
}

/* Is this a key of frames as captured, which copies are in? */
static bool counts_frames(const char *key)
{
	return strcmp(key, "total") != 0 && strcmp(key, "dirs") != 0 &&
	       strcmp(key, "ecn_by_direction") != 0;
}

static void test_truth_of_each_packet_once(void **state)
{
	const char *name = *state;
	const unsigned times = times_in_file(name);
	RT_AUTO(rt_auto_doc_free) struct rt_doc *doc = NULL;
	struct rt_analysis analysis = { 0 };
	struct claim claim = { .analysis = &analysis };
	unsigned failed = 0;
	char path[512];

	load_truth(&doc);
	snprintf(path, sizeof(path), "%s/captures/rxe/%s", rt_test_shared(), name);
	RT_NEED_SHARED(path);
	claim.node = rt_node_get(doc->root, name);
	assert_non_null(claim.node);
	analyse(path, RT_DECODE_ICRC | RT_DECODE_DIGEST, &analysis);
	rt_node_for_each (node, claim.node)
		if (times == 1 || counts_frames(node->key))
			failed += !check_key(&analysis, node);
	if (times > 1)
		expect_once(&claim, times);
	expect(&claim, "copies left out", analysis.roce.copies * times,
	       analysis.roce.frames * (times - 1));
	expect(&claim, "lookalikes", analysis.roce.lookalikes.value, 0);
	rt_analysis_free(&analysis);
	assert_int_equal(failed, 0);
	assert_false(claim.failed);
}

#define FILE_TEST(file)                                      \
	{ .name = "truth of " file,                          \
	  .test_func = test_truth,                           \
	  .initial_state = (void *)(uintptr_t)(file) },      \
	{                                                    \
		.name = "each packet once of " file,         \
		.test_func = test_truth_of_each_packet_once, \
		.initial_state = (void *)(uintptr_t)(file)   \
	}

static void test_every_file_of_the_reference_has_a_test(void **state);

static const struct CMUnitTest tests[] = {
	FILE_TEST("rxe-write-1qp.pcap"),
	FILE_TEST("rxe-write-16qp.pcap"),
	FILE_TEST("rxe-send-odd-size.pcap"),
	FILE_TEST("rxe-read-mtu1024.pcap"),
	FILE_TEST("rxe-read-mtu4096.pcap"),
	FILE_TEST("rxe-atomic.pcap"),
	FILE_TEST("rxe-ud-send.pcap"),
	FILE_TEST("rxe-incast3-ecn.pcap"),
	FILE_TEST("rxe-incast7-ecn-s96.pcapng"),
	FILE_TEST("rxe-loss1-before.pcap"),
	FILE_TEST("rxe-loss1-after.pcap"),
	FILE_TEST("rxe-reorder.pcap"),
	FILE_TEST("rxe-pfc-prio3-s96.pcap"),
	FILE_TEST("rxe-cnp-ecn.pcap"),
	FILE_TEST("rxe-double-mirror.pcap"),
	FILE_TEST("rxe-erspan2.pcap"),
	FILE_TEST("rxe-vxlan.pcap"),
	FILE_TEST("rxe-ipv6.pcap"),
	FILE_TEST("rxe-vlan100-pcp3.pcap"),
	FILE_TEST("rxe-rnr-s128.pcap"),
	FILE_TEST("rxe-write-lat.pcap"),
	FILE_TEST("rxe-corrupt-after.pcap"),
	FILE_TEST("rxe-timeout-before-s128.pcap"),
	FILE_TEST("rxe-uc-loss2-after-s128.pcap"),
	FILE_TEST("rxe-readloss-requester-s128.pcap"),
	FILE_TEST("rxe-any-sll2.pcap"),
	cmocka_unit_test(test_every_file_of_the_reference_has_a_test),
};

static void test_every_file_of_the_reference_has_a_test(void **state)
{
	RT_AUTO(rt_auto_doc_free) struct rt_doc *doc = NULL;

	(void)state;
	load_truth(&doc);
	rt_node_for_each (node, doc->root) {
		size_t found = 0;

		for (size_t i = 0; i < RT_ARRAY_SIZE(tests); i++)
			found += tests[i].initial_state &&
				 strcmp(tests[i].initial_state, node->key) == 0;
		print_message("# %s: %zu\n", node->key, found);
		assert_int_equal(found, 2);
	}
}

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
