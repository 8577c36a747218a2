/* SPDX-License-Identifier: BSD-2-Clause */
/* test_lldp.c - LLDP and DCBX: what others sent, what we send, what is hostile. */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "pktio/lldp_listen.h"
#include "rocetune/err.h"
#include "wire/lldp.h"
#include "wire/lldp_peers.h"

/* --- captures ------------------------------------------------------------------- */

static void read_capture(const char *name, struct rt_lldp_peers *peers)
{
	char path[512];
	struct rt_err err = { 0 };

	snprintf(path, sizeof(path), "%s/captures/%s", rt_test_shared(), name);
	RT_NEED_SHARED(path);
	if (rt_lldp_read_capture(path, peers, &err) < 0)
		fail_msg("%s", err.msg);
}

static void test_lldp_published_captures_say_what_their_index_says(void **state)
{
	static const struct {
		const char *file;
		uint64_t frames;
		size_t peers;
		unsigned faults; /* of the first peer */
		const char *chassis, *port, *system;
		uint64_t ttl_s;
		bool ets, reco, pfc, apps, cee, cin;
	} cases[] = {
		{ "dcbx-ieee-ets.pcap", 31, 2, 0, "08:00:27:0d:f1:3c",
		  "08:00:27:0d:f1:3c", "", 120, true, true, false, false, false,
		  false },
		{ "dcbx-ieee-qcn.pcap", 8, 2, 0, "08:00:27:42:ba:59",
		  "08:00:27:42:ba:59", "", 120, false, false, false, true, false,
		  false },
		{ "dcbx-ieee-app-priority.pcap", 1, 1, 0, "00:00:00:02:00:02",
		  "leaf0b-eth10", "leaf0b", 120, false, false, true, true, false,
		  false },
		{ "lldp-connectx-nic.pcap", 1, 1, 0, "50:6b:4b:f6:1e:b3",
		  "50:6b:4b:f6:1e:b1", "", 48, false, false, false, false, false,
		  false },
		/* odd location data, which is not read, and a CIN part of no known kind */
		{ "lldp-malformed-med-loc.pcap", 1, 1, 0, "0ac0de9d0a74",
		  "3e:3e:3e:3e:3e:3e", "defensics", 16, false, false, false, false,
		  false, true },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_lldp_peers peers = { 0 };
		char chassis[RT_LLDP_ID_TEXT_BYTES], port[RT_LLDP_ID_TEXT_BYTES];
		const struct rt_dcbx *ieee;
		const struct rt_lldp *said;

		print_message("# %s\n", cases[i].file);
		read_capture(cases[i].file, &peers);
		assert_int_equal(peers.frames, cases[i].frames);
		assert_int_equal(peers.count, cases[i].peers);
		said = &peers.items[0].said;
		ieee = &said->dcbx[RT_DCBX_IEEE];
		assert_int_equal(said->fault_count, cases[i].faults);
		assert_string_equal(rt_lldp_chassis_text(&said->chassis, chassis),
				    cases[i].chassis);
		assert_string_equal(rt_lldp_port_text(&said->port, port),
				    cases[i].port);
		assert_string_equal(said->system_name, cases[i].system);
		assert_true(said->ttl_s.known);
		assert_int_equal(said->ttl_s.value, cases[i].ttl_s);
		assert_int_equal(ieee->ets.present, cases[i].ets);
		assert_int_equal(ieee->reco.present, cases[i].reco);
		assert_int_equal(ieee->pfc.present, cases[i].pfc);
		assert_int_equal(ieee->apps.present, cases[i].apps);
		assert_int_equal(said->dcbx[RT_DCBX_CEE].present, cases[i].cee);
		assert_int_equal(said->dcbx[RT_DCBX_CIN].present, cases[i].cin);
		rt_lldp_peers_free(&peers);
	}
}

static void test_lldp_switch_announces_one_lossless_priority(void **state)
{
	struct rt_lldp_peers peers = { 0 };
	const struct rt_dcbx *ieee;

	(void)state;
	read_capture("dcbx-ieee-app-priority.pcap", &peers);
	ieee = &peers.items[0].said.dcbx[RT_DCBX_IEEE];
	assert_false(ieee->pfc.willing);
	assert_int_equal(ieee->pfc.tc_count, 1);
	assert_int_equal(ieee->pfc.prio_mask, 1 << 4);
	assert_int_equal(ieee->apps.count, 1);
	assert_int_equal(ieee->apps.items[0].selector, RT_DCBX_PORT);
	assert_int_equal(ieee->apps.items[0].protocol, 3260);
	assert_int_equal(ieee->apps.items[0].prio_mask, 1 << 4);
	rt_lldp_peers_free(&peers);
}

static void test_lldp_ets_capture_gives_classes_as_sent(void **state)
{
	static const uint8_t prio_tc[8] = { 15, 4, 1, 1, 15, 4, 1, 4 };
	static const uint8_t tsa[8] = { 0, 2, 0, 0, 2, 0, 0, 0 };
	struct rt_lldp_peers peers = { 0 };
	const struct rt_dcbx_ets *ets;

	(void)state;
	read_capture("dcbx-ieee-ets.pcap", &peers);
	ets = &peers.items[0].said.dcbx[RT_DCBX_IEEE].ets;
	assert_int_equal(ets->tc_count, 8);
	assert_memory_equal(ets->prio_tc, prio_tc, 8);
	assert_memory_equal(ets->tsa, tsa, 8);
	rt_lldp_peers_free(&peers);
}

/* --- building ---------------------------------------------------------------------- */

static const uint8_t our_mac[6] = { 2, 0, 0, 0, 0, 1 };

static struct rt_lldp sample(void)
{
	struct rt_lldp said = {
		.chassis = { .kind = RT_LLDP_CHASSIS_MAC, .bytes = 6 },
		.port = { .kind = RT_LLDP_PORT_IFNAME, .bytes = 4, .value = "Eth1" },
		.ttl_s = RT_KNOWN_U64(120),
	};

	memcpy(said.eth_src, our_mac, 6);
	memcpy(said.chassis.value, our_mac, 6);
	return said;
}

/* All that stands before DCBX in a frame of sample(). */
#define SAMPLE_HEAD_BYTES (14 + 9 + 7 + 4)

static void test_lldp_ieee_bytes_are_those_of_the_standard(void **state)
{
	/* 802.1Q D.2.8: 24 = 21 and OUI, subtype; D.2.10; D.2.11 */
	static const uint8_t want[] = {
		/* ETS: willing, 8 classes; 1 for priority 3, 2 for 6 */
		0xFE, 25, 0x00, 0x80, 0xC2, 9, 0x80, 0x00, 0x01, 0x00, 0x20,
		/* shares */
		50, 50, 0, 0, 0, 0, 0, 0,
		/* ETS, ETS, strict, and vendor's own for the last */
		2, 2, 0, 0, 0, 0, 0, 255,
		/* PFC: not willing, 4 classes, priority 3 */
		0xFE, 6, 0x00, 0x80, 0xC2, 11, 0x04, 0x08,
		/* applications: DSCP 26 to 3; UDP 4791 to 3 */
		0xFE, 11, 0x00, 0x80, 0xC2, 12, 0x00, 0x65, 0x00, 26, 0x63, 0x12, 0xB7,
		/* End */
		0, 0
	};
	struct rt_lldp said = sample();
	struct rt_dcbx *ieee = &said.dcbx[RT_DCBX_IEEE];
	uint8_t frame[RT_LLDP_FRAME_MAX];
	size_t bytes;

	(void)state;
	ieee->ets = (struct rt_dcbx_ets){
		.present = true,
		.willing = true,
		.tc_count = 8,
		.prio_tc = { 0, 0, 0, 1, 0, 0, 2, 0 },
		.bw_percent = { 50, 50 },
		.tsa = { RT_DCBX_TSA_ETS, RT_DCBX_TSA_ETS, [7] = RT_DCBX_TSA_VENDOR },
	};
	ieee->pfc =
		(struct rt_dcbx_pfc){ .present = true, .tc_count = 4, .prio_mask = 8 };
	ieee->apps = (struct rt_dcbx_apps){
		.present = true,
		.count = 2,
		.items = { { RT_DCBX_DSCP, 8, 26 }, { RT_DCBX_DATAGRAM, 8, 4791 } },
	};
	bytes = rt_lldp_build(&said, frame, sizeof(frame));
	assert_int_equal(bytes, SAMPLE_HEAD_BYTES + sizeof(want));
	assert_memory_equal(frame + SAMPLE_HEAD_BYTES, want, sizeof(want));
}

static void test_lldp_cee_bytes_are_those_of_the_base_protocol(void **state)
{
	static const uint8_t want[] = {
		0xFE, 4 + 12 + 19 + 8 + 12, 0x00, 0x1B, 0x21, 2,
		/* control: versions, sequence, acknowledged */
		0x02, 10, 0, 0, 0, 0, 0, 5, 0, 0, 0, 4,
		/* groups: enabled and willing; priority 3 in 1, 6 in 15 */
		0x04, 17, 0, 0, 0xC0, 0, 0x00, 0x01, 0x00, 0xF0, 40, 60, 0, 0, 0, 0, 0,
		0, 3,
		/* PFC: enabled, priority 3, 2 classes */
		0x06, 6, 0, 0, 0x80, 0, 0x08, 2,
		/* applications: Ethertype of RoCEv1 to 3 */
		0x08, 10, 0, 0, 0x80, 0, 0x89, 0x15, 0x00, 0x1B, 0x21, 0x08,
		/* End */
		0, 0
	};
	struct rt_lldp said = sample();
	struct rt_dcbx *cee = &said.dcbx[RT_DCBX_CEE];
	uint8_t frame[RT_LLDP_FRAME_MAX];
	size_t bytes;

	(void)state;
	*cee = (struct rt_dcbx){
		.present = true,
		.control = { .present = true, .sequence = 5, .acknowledged = 4 },
		.ets = { .present = true,
			 .enabled = true,
			 .willing = true,
			 .tc_count = 3,
			 .prio_tc = { 0, 0, 0, 1, 0, 0, RT_DCBX_PGID_STRICT, 0 },
			 .bw_percent = { 40, 60 } },
		.pfc = { .present = true,
			 .enabled = true,
			 .prio_mask = 8,
			 .tc_count = 2 },
		.apps = { .present = true,
			  .enabled = true,
			  .count = 1,
			  .items = { { RT_DCBX_ETHERTYPE, 8, 0x8915 } } },
	};
	bytes = rt_lldp_build(&said, frame, sizeof(frame));
	assert_int_equal(bytes, SAMPLE_HEAD_BYTES + sizeof(want));
	assert_memory_equal(frame + SAMPLE_HEAD_BYTES, want, sizeof(want));
}

static void test_lldp_what_is_built_is_read_the_same(void **state)
{
	struct rt_lldp said = sample(), heard;
	uint8_t frame[RT_LLDP_FRAME_MAX], small[40];
	size_t bytes;

	(void)state;
	snprintf(said.system_name, RT_LLDP_TEXT_BYTES, "leaf-1");
	snprintf(said.system_description, RT_LLDP_TEXT_BYTES, "a switch");
	snprintf(said.port_description, RT_LLDP_TEXT_BYTES, "to host 7");
	said.management = (struct rt_ip){ { 192, 0, 2, 1 }, 4 };
	said.max_frame_bytes = RT_KNOWN_U64(9236);
	for (unsigned i = 0; i < RT_DCBX_DIALECT_COUNT; i++) {
		struct rt_dcbx *dcbx = &said.dcbx[i];

		dcbx->present = true;
		dcbx->pfc = (struct rt_dcbx_pfc){ .present = true,
						  .enabled = true,
						  .willing = i != 1,
						  .prio_mask = (uint8_t)(1 << i) };
	}
	said.dcbx[RT_DCBX_IEEE].apps.present = true;
	said.dcbx[RT_DCBX_IEEE].apps.enabled = true;
	for (unsigned i = 0; i < RT_DCBX_APP_MAX; i++)
		said.dcbx[RT_DCBX_IEEE].apps.items[i] =
			(struct rt_dcbx_app){ RT_DCBX_DSCP, 1, (uint16_t)i };
	said.dcbx[RT_DCBX_IEEE].apps.count = RT_DCBX_APP_MAX;

	bytes = rt_lldp_build(&said, frame, sizeof(frame));
	assert_true(bytes < sizeof(frame));
	assert_true(rt_lldp_decode(frame, bytes, &heard));
	assert_int_equal(heard.fault_count, 0);
	assert_int_equal(heard.tlv_count, 12);
	heard.tlv_count = 0;
	assert_memory_equal(&heard.dcbx, &said.dcbx, sizeof(said.dcbx));
	assert_string_equal(heard.system_name, said.system_name);
	assert_string_equal(heard.system_description, said.system_description);
	assert_string_equal(heard.port_description, said.port_description);
	assert_memory_equal(&heard.management, &said.management,
			    sizeof(said.management));
	assert_int_equal(heard.max_frame_bytes.value, 9236);
	/* a buffer that is too small gets what fits, and the whole length is told */
	assert_int_equal(rt_lldp_build(&said, small, sizeof(small)), bytes);
	assert_memory_equal(small, frame, sizeof(small));
}

/* --- hostile ------------------------------------------------------------------------- */

static const uint8_t head[] = { 0x01, 0x80, 0xC2, 0,   0,   0x0E, 2, 0, 0, 0,  0, 1,
				0x88, 0xCC, 2,    7,   4,   2,    0, 0, 0, 0,  1, 4,
				5,    5,    'E',  't', 'h', '1',  6, 2, 0, 120 };

static void test_lldp_malformed_is_noted_and_the_rest_is_read(void **state)
{
	static const struct {
		const char *label;
		uint8_t tlvs[64];
		size_t bytes;
		unsigned faults;
		const char *tlv, *reason; /* of the first */
		size_t at;                /* behind the head */
		bool next;                /* the PFC TLV that follows was read */
	} cases[] = {
		{ "PFC one byte short",
		  { 0xFE, 5, 0, 0x80, 0xC2, 11, 4 },
		  7,
		  1,
		  "PFC Configuration",
		  "is too short",
		  0,
		  true },
		{ "ETS one byte long",
		  { 0xFE, 26, 0, 0x80, 0xC2, 9 },
		  28,
		  1,
		  "ETS Configuration",
		  "is too long",
		  0,
		  true },
		{ "half an application",
		  { 0xFE, 7, 0, 0x80, 0xC2, 12, 0, 0x65, 0 },
		  9,
		  1,
		  "Application Priority",
		  "holds no whole number of entries",
		  0,
		  true },
		{ "an organisation without subtype",
		  { 0xFE, 3, 0, 0x80, 0xC2 },
		  5,
		  1,
		  NULL,
		  "is too short for OUI and subtype",
		  0,
		  true },
		{ "a chassis again",
		  { 2, 2, 4, 9 },
		  4,
		  1,
		  "Chassis ID",
		  "stands there a second time; the first one counts",
		  0,
		  true },
		{ "a port id of nothing",
		  { 4, 1, 5 },
		  3,
		  1,
		  "Port ID",
		  "is too short",
		  0,
		  true },
		{ "an address longer than its TLV",
		  { 16, 9, 200, 1, 1, 2, 3, 4, 2, 0, 0 },
		  11,
		  1,
		  "Management Address",
		  "its lengths contradict each other",
		  0,
		  true },
		{ "an address of no bytes",
		  { 16, 9, 0, 1, 1, 2, 3, 4, 2, 0, 0 },
		  11,
		  1,
		  "Management Address",
		  "its lengths contradict each other",
		  0,
		  true },
		{ "an IPv4 address of six bytes",
		  { 16, 14, 7, 1, 1, 2, 3, 4, 5, 6, 2, 0, 0, 0, 0, 0 },
		  16,
		  1,
		  "Management Address",
		  "its address has not the length that its family has",
		  0,
		  true },
		{ "CEE with a part longer than itself",
		  { 0xFE, 8, 0, 0x1B, 0x21, 2, 4, 17, 0, 0 },
		  10,
		  1,
		  "CEE DCBX",
		  "has a part that is longer than itself",
		  0,
		  true },
		{ "CEE groups one byte short",
		  { 0xFE, 22, 0, 0x1B, 0x21, 2, 4, 16 },
		  24,
		  1,
		  "CEE priority groups",
		  "is too short",
		  6,
		  true },
		{ "a TLV longer than the frame",
		  { 0xFE, 255, 0, 0x80, 0xC2, 11 },
		  6,
		  1,
		  NULL,
		  "says it is longer than the rest of the frame",
		  0,
		  false },
		{ "unknown ones are no fault",
		  { 0xFE, 5, 0, 0x26, 0xE1, 1, 1, 0x1E, 1, 7 },
		  10,
		  0,
		  NULL,
		  NULL,
		  0,
		  true },
		{ "what stands behind the End is padding",
		  { 0, 0, 0xFE, 1 },
		  4,
		  0,
		  NULL,
		  NULL,
		  0,
		  false },
	};
	static const uint8_t pfc[] = { 0xFE, 6, 0, 0x80, 0xC2, 11, 4, 8 };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		uint8_t frame[256];
		size_t bytes = sizeof(head);
		struct rt_lldp heard;

		print_message("# %s\n", cases[i].label);
		memcpy(frame, head, bytes);
		memcpy(frame + bytes, cases[i].tlvs, cases[i].bytes);
		bytes += cases[i].bytes;
		memcpy(frame + bytes, pfc, sizeof(pfc));
		bytes += sizeof(pfc);
		assert_true(rt_lldp_decode(frame, bytes, &heard));
		assert_int_equal(heard.fault_count, cases[i].faults);
		assert_int_equal(heard.dcbx[RT_DCBX_IEEE].pfc.present, cases[i].next);
		assert_int_equal(heard.chassis.bytes, 6);
		assert_memory_equal(heard.chassis.value, our_mac, 6);
		if (!cases[i].faults)
			continue;
		assert_int_equal(heard.faults[0].offset, sizeof(head) + cases[i].at);
		assert_string_equal(heard.faults[0].reason, cases[i].reason);
		if (cases[i].tlv)
			assert_string_equal(heard.faults[0].tlv, cases[i].tlv);
		else
			assert_null(heard.faults[0].tlv);
	}
}

static void test_lldp_cut_anywhere_reads_no_further(void **state)
{
	struct rt_lldp said = sample(), heard;
	uint8_t frame[RT_LLDP_FRAME_MAX];
	size_t bytes;

	(void)state;
	said.dcbx[RT_DCBX_IEEE].ets.present = true;
	said.dcbx[RT_DCBX_CEE].present = true;
	said.dcbx[RT_DCBX_CEE].ets.present = true;
	bytes = rt_lldp_build(&said, frame, sizeof(frame));
	for (size_t cut = 0; cut <= bytes; cut++) {
		/* a block of its own, so that the sanitizers see its end */
		uint8_t *copy = malloc(cut + 1);

		assert_non_null(copy);
		memcpy(copy, frame, cut);
		assert_int_equal(rt_lldp_decode(copy, cut, &heard), cut >= 14);
		if (cut >= 14 && cut < sizeof(head))
			assert_true(heard.fault_count > 0);
		free(copy);
	}
}

static void test_lldp_faults_beyond_room_are_counted(void **state)
{
	uint8_t frame[sizeof(head) + 40 * 7];
	struct rt_lldp heard;

	(void)state;
	memcpy(frame, head, sizeof(head));
	for (size_t at = sizeof(head); at < sizeof(frame); at += 7)
		memcpy(frame + at, "\xFE\x05\x00\x80\xC2\x0B\x04", 7);
	assert_true(rt_lldp_decode(frame, sizeof(frame), &heard));
	assert_int_equal(heard.fault_count, 40);
}

static void test_lldp_text_is_fit_for_a_terminal(void **state)
{
	static const uint8_t name[] = { 10, 6, 'a', 0x1B, '[', 0, 0xFF, 'b' };
	uint8_t frame[sizeof(head) + sizeof(name)];
	struct rt_lldp heard;

	(void)state;
	memcpy(frame, head, sizeof(head));
	memcpy(frame + sizeof(head), name, sizeof(name));
	assert_true(rt_lldp_decode(frame, sizeof(frame), &heard));
	assert_string_equal(heard.system_name, "a?[??b");
}

static void test_lldp_peers_are_told_apart_by_chassis_and_port(void **state)
{
	struct rt_lldp_peers peers = { 0 };
	struct rt_lldp said = sample();

	(void)state;
	assert_int_equal(rt_lldp_peers_add(&peers, "eth0", &said, NULL), 0);
	said.ttl_s = RT_KNOWN_U64(7);
	assert_int_equal(rt_lldp_peers_add(&peers, "eth0", &said, NULL), 0);
	assert_int_equal(peers.count, 1);
	assert_int_equal(peers.items[0].frames, 2);
	assert_int_equal(peers.items[0].said.ttl_s.value, 7);
	assert_int_equal(rt_lldp_peers_add(&peers, "eth1", &said, NULL), 0);
	said.port.value[3] = '2';
	assert_int_equal(rt_lldp_peers_add(&peers, "eth0", &said, NULL), 0);
	assert_int_equal(peers.count, 3);
	said.chassis.kind = RT_LLDP_CHASSIS_LOCAL;
	for (unsigned i = 0; i < RT_LLDP_PEERS_MAX; i++) {
		memcpy(said.chassis.value, &i, sizeof(i));
		assert_int_equal(rt_lldp_peers_add(&peers, "eth0", &said, NULL), 0);
	}
	assert_int_equal(peers.count, RT_LLDP_PEERS_MAX);
	assert_int_equal(peers.lost, 3);
	rt_lldp_peers_free(&peers);
}

/* A shutdown LLDPDU has no more to say, and must not pass for all that is announced. */
static void test_lldp_peer_that_ends_is_none(void **state)
{
	struct rt_lldp_peers peers = { 0 };
	struct rt_lldp said = sample(), ends = { 0 };

	(void)state;
	for (char port = '1'; port <= '3'; port++) {
		said.port.value[3] = (uint8_t)port;
		assert_int_equal(rt_lldp_peers_add(&peers, "eth0", &said, NULL), 0);
	}
	said.port.value[3] = '2';
	ends.chassis = said.chassis;
	ends.port = said.port;
	ends.ttl_s = RT_KNOWN_U64(0);
	assert_int_equal(rt_lldp_peers_add(&peers, "eth1", &ends, NULL), 0);
	assert_int_equal(peers.count, 3);
	assert_int_equal(rt_lldp_peers_add(&peers, "eth0", &ends, NULL), 0);
	assert_int_equal(peers.count, 2);
	assert_int_equal(peers.items[0].said.port.value[3], '1');
	assert_int_equal(peers.items[1].said.port.value[3], '3');
	assert_int_equal(peers.frames, 5);
	/* It is back. */
	assert_int_equal(rt_lldp_peers_add(&peers, "eth0", &said, NULL), 0);
	assert_int_equal(peers.count, 3);
	assert_int_equal(peers.items[2].frames, 1);
	rt_lldp_peers_free(&peers);
}

RT_UNIT_MAIN(cmocka_unit_test(test_lldp_published_captures_say_what_their_index_says),
	     cmocka_unit_test(test_lldp_switch_announces_one_lossless_priority),
	     cmocka_unit_test(test_lldp_ets_capture_gives_classes_as_sent),
	     cmocka_unit_test(test_lldp_ieee_bytes_are_those_of_the_standard),
	     cmocka_unit_test(test_lldp_cee_bytes_are_those_of_the_base_protocol),
	     cmocka_unit_test(test_lldp_what_is_built_is_read_the_same),
	     cmocka_unit_test(test_lldp_malformed_is_noted_and_the_rest_is_read),
	     cmocka_unit_test(test_lldp_cut_anywhere_reads_no_further),
	     cmocka_unit_test(test_lldp_faults_beyond_room_are_counted),
	     cmocka_unit_test(test_lldp_text_is_fit_for_a_terminal),
	     cmocka_unit_test(test_lldp_peers_are_told_apart_by_chassis_and_port),
	     cmocka_unit_test(test_lldp_peer_that_ends_is_none))
