/* SPDX-License-Identifier: BSD-2-Clause */
/* test_dcbx.c - announcements as knobs, there and back; lldpd's JSON. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/doc.h"
#include "base/own.h"
#include "model/dcbx.h"
#include "rocetune/err.h"
#include "wire/lldp_peers.h"

/*
 * What lldpcli 1.0.16 wrote of LLDPDUs sent to it over a veth pair: those of
 * tests/fuzz/seeds/lldp, ieee and cee, the latter from another chassis.
 */
static const char one[] =
	"{\"lldp\":{\"interface\":{\"va\":{\"via\":\"LLDP\",\"rid\":\"1\","
	"\"age\":\"0 day, 00:00:09\",\"chassis\":{\"leaf-1\":{\"id\":{\"typ"
	"e\":\"mac\",\"value\":\"02:00:00:00:00:01\"},\"mgmt-ip\":\"192.0.2"
	".1\",\"mgmt-iface\":\"1\"}},\"port\":{\"id\":{\"type\":\"ifname\","
	"\"value\":\"Eth1\"},\"ttl\":\"120\",\"mfs\":\"9236\"},\"unknown-tl"
	"vs\":{\"unknown-tlv\":[{\"oui\":\"00,80,C2\",\"subtype\":\"9\",\"l"
	"en\":\"21\",\"value\":\"80,00,01,00,20,32,32,00,00,00,00,00,00,02,"
	"02,00,00,00,00,00,FF\"},{\"oui\":\"00,80,C2\",\"subtype\":\"10\","
	"\"len\":\"21\",\"value\":\"00,00,00,00,00,00,00,00,00,00,00,00,00,"
	"00,00,00,00,00,00,00,00\"},{\"oui\":\"00,80,C2\",\"subtype\":\"11"
	"\",\"len\":\"2\",\"value\":\"04,08\"},{\"oui\":\"00,80,C2\",\"subt"
	"ype\":\"12\",\"len\":\"7\",\"value\":\"00,65,00,1A,63,12,B7\"}]}}}"
	"}}";

static const char one_in_lists[] =
	"{\"lldp\":[{\"interface\":[{\"name\":\"va\",\"via\":\"LLDP\",\"rid"
	"\":\"1\",\"age\":\"0 day, 00:00:09\",\"chassis\":[{\"id\":[{\"type"
	"\":\"mac\",\"value\":\"02:00:00:00:00:01\"}],\"name\":[{\"value\":"
	"\"leaf-1\"}],\"mgmt-ip\":[{\"value\":\"192.0.2.1\"}],\"mgmt-iface"
	"\":[{\"value\":\"1\"}]}],\"port\":[{\"id\":[{\"type\":\"ifname\","
	"\"value\":\"Eth1\"}],\"ttl\":[{\"value\":\"120\"}],\"mfs\":[{\"val"
	"ue\":\"9236\"}]}],\"unknown-tlvs\":[{\"unknown-tlv\":[{\"oui\":\"0"
	"0,80,C2\",\"subtype\":\"9\",\"len\":\"21\",\"value\":\"80,00,01,00"
	",20,32,32,00,00,00,00,00,00,02,02,00,00,00,00,00,FF\"},{\"oui\":\""
	"00,80,C2\",\"subtype\":\"10\",\"len\":\"21\",\"value\":\"00,00,00,"
	"00,00,00,00,00,00,00,00,00,00,00,00,00,00,00,00,00,00\"},{\"oui\":"
	"\"00,80,C2\",\"subtype\":\"11\",\"len\":\"2\",\"value\":\"04,08\"}"
	",{\"oui\":\"00,80,C2\",\"subtype\":\"12\",\"len\":\"7\",\"value\":"
	"\"00,65,00,1A,63,12,B7\"}]}]}]}]}";

static const char two[] =
	"{\"lldp\":{\"interface\":[{\"va\":{\"via\":\"LLDP\",\"rid\":\"1\","
	"\"age\":\"0 day, 00:00:10\",\"chassis\":{\"leaf-1\":{\"id\":{\"typ"
	"e\":\"mac\",\"value\":\"02:00:00:00:00:01\"},\"mgmt-ip\":\"192.0.2"
	".1\",\"mgmt-iface\":\"1\"}},\"port\":{\"id\":{\"type\":\"ifname\","
	"\"value\":\"Eth1\"},\"ttl\":\"120\",\"mfs\":\"9236\"},\"unknown-tl"
	"vs\":{\"unknown-tlv\":[{\"oui\":\"00,80,C2\",\"subtype\":\"9\",\"l"
	"en\":\"21\",\"value\":\"80,00,01,00,20,32,32,00,00,00,00,00,00,02,"
	"02,00,00,00,00,00,FF\"},{\"oui\":\"00,80,C2\",\"subtype\":\"10\","
	"\"len\":\"21\",\"value\":\"00,00,00,00,00,00,00,00,00,00,00,00,00,"
	"00,00,00,00,00,00,00,00\"},{\"oui\":\"00,80,C2\",\"subtype\":\"11"
	"\",\"len\":\"2\",\"value\":\"04,08\"},{\"oui\":\"00,80,C2\",\"subt"
	"ype\":\"12\",\"len\":\"7\",\"value\":\"00,65,00,1A,63,12,B7\"}]}}}"
	",{\"va\":{\"via\":\"LLDP\",\"rid\":\"2\",\"age\":\"0 day, 00:00:01"
	"\",\"chassis\":{\"id\":{\"type\":\"mac\",\"value\":\"02:00:00:00:0"
	"0:09\"}},\"port\":{\"id\":{\"type\":\"ifname\",\"value\":\"Eth1\"}"
	",\"ttl\":\"120\"},\"unknown-tlvs\":{\"unknown-tlv\":{\"oui\":\"00,"
	"1B,21\",\"subtype\":\"2\",\"len\":\"51\",\"value\":\"02,0A,00,00,0"
	"0,00,00,00,00,00,00,00,04,11,00,00,C0,00,00,01,00,F0,28,3C,00,00,0"
	"0,00,00,00,03,06,06,00,00,80,00,08,02,08,0A,00,00,80,00,89,15,00,1"
	"B,21,08\"}}}}]}}";

/* --- announcements ---------------------------------------------------------------- */

static void assert_knob(const struct rt_qos *qos, enum rt_knob_id id, const char *want)
{
	char text[RT_KNOB_TEXT_BYTES];

	assert_string_equal(rt_knob_format(&rt_knobs[id], &qos->knobs[id], text), want);
}

static struct rt_dcbx ieee_sample(void)
{
	return (struct rt_dcbx){
		.present = true,
		.ets = { .present = true,
			 .enabled = true,
			 .tc_count = 8,
			 .prio_tc = { 0, 0, 0, 3, 0, 0, 6, 0 },
			 .bw_percent = { 50, 0, 0, 50, 0, 0, 0, 0 },
			 .tsa = { 2, 0, 0, 2, 0, 0, 0, 0 } },
		.pfc = { .present = true,
			 .enabled = true,
			 .prio_mask = 8,
			 .tc_count = 4 },
		.apps = { .present = true,
			  .enabled = true,
			  .count = 3,
			  .items = { { RT_DCBX_DSCP, 8, 26 },
				     { RT_DCBX_DSCP, 64, 48 },
				     { RT_DCBX_DATAGRAM, 8, 4791 } } },
	};
}

static void test_dcbx_announcement_becomes_knobs(void **state)
{
	const struct rt_dcbx dcbx = ieee_sample();
	struct rt_qos *qos = calloc(1, sizeof(*qos));

	(void)state;
	rt_dcbx_to_qos(&dcbx, RT_DCBX_IEEE, qos);
	assert_knob(qos, RT_KNOB_PFC_MASK, "3");
	assert_int_equal(rt_qos_number(qos, RT_KNOB_PFC_CAP).value, 4);
	assert_int_equal(qos->knobs[RT_KNOB_ETS_PRIO_TC].number[6], 6);
	assert_int_equal(qos->knobs[RT_KNOB_ETS_BW].number[3], 50);
	assert_int_equal(qos->knobs[RT_KNOB_ETS_TSA].number[3], RT_TSA_ETS);
	/* only what is announced is known */
	assert_int_equal(qos->knobs[RT_KNOB_DSCP_PRIO].known,
			 UINT64_C(1) << 26 | UINT64_C(1) << 48);
	assert_int_equal(qos->knobs[RT_KNOB_DSCP_PRIO].small[48], 6);
	assert_false(rt_qos_number(qos, RT_KNOB_DCBX_WILLING).value);
	assert_int_equal(qos->knobs[RT_KNOB_TRUST].known, 0);
	assert_int_equal(rt_dcbx_roce_prios(&dcbx, RT_DCBX_ROCE_V2), 1 << 3);
	free(qos);
}

static void test_dcbx_what_is_not_announced_is_not_known(void **state)
{
	struct rt_qos *qos = calloc(1, sizeof(*qos));
	struct rt_dcbx dcbx = { .present = true };

	(void)state;
	rt_dcbx_to_qos(&dcbx, RT_DCBX_IEEE, qos);
	for (unsigned id = 0; id < RT_KNOB_COUNT; id++)
		assert_int_equal(qos->knobs[id].known, 0);
	assert_int_equal(rt_dcbx_roce_prios(&dcbx, RT_DCBX_ROCE_V2), 0);
	/* a class above 7 is none of ours, the others hold */
	dcbx.ets = ieee_sample().ets;
	dcbx.ets.prio_tc[0] = 15;
	rt_dcbx_to_qos(&dcbx, RT_DCBX_IEEE, qos);
	assert_int_equal(qos->knobs[RT_KNOB_ETS_PRIO_TC].known, 0xFE);
	assert_string_equal(qos->knobs[RT_KNOB_ETS_PRIO_TC].why,
			    "a class above 7 is announced");
	free(qos);
}

static void test_dcbx_cee_states_of_features_count(void **state)
{
	struct rt_qos *qos = calloc(1, sizeof(*qos));
	struct rt_dcbx dcbx = ieee_sample();

	(void)state;
	dcbx.ets.prio_tc[6] = RT_DCBX_PGID_STRICT;
	dcbx.pfc.willing = true;
	rt_dcbx_to_qos(&dcbx, RT_DCBX_CEE, qos);
	assert_int_equal(qos->knobs[RT_KNOB_ETS_PRIO_TC].known, 0xBF);
	assert_string_equal(qos->knobs[RT_KNOB_ETS_PRIO_TC].why,
			    "group 15: strict, without a limit");
	assert_true(rt_qos_number(qos, RT_KNOB_DCBX_WILLING).value);
	dcbx.pfc.enabled = dcbx.ets.enabled = dcbx.apps.enabled = false;
	rt_dcbx_to_qos(&dcbx, RT_DCBX_CEE, qos);
	assert_knob(qos, RT_KNOB_PFC_MASK, "none");
	assert_int_equal(qos->knobs[RT_KNOB_ETS_BW].known, 0);
	assert_int_equal(qos->knobs[RT_KNOB_DSCP_PRIO].known, 0);
	free(qos);
}

static void test_dcbx_knobs_become_the_announcement_they_came_from(void **state)
{
	struct rt_qos *qos = calloc(1, sizeof(*qos));
	struct rt_dcbx dcbx = ieee_sample(), back;

	(void)state;
	rt_dcbx_to_qos(&dcbx, RT_DCBX_IEEE, qos);
	rt_dcbx_of_qos(qos, &back);
	dcbx.apps.count = 2; /* the port is no knob */
	dcbx.apps.items[2] = (struct rt_dcbx_app){ 0 };
	assert_memory_equal(&back, &dcbx, sizeof(dcbx));
	/* half an ETS is not announced */
	qos->knobs[RT_KNOB_ETS_BW].known = 0x7F;
	rt_dcbx_of_qos(qos, &back);
	assert_false(back.ets.present);
	assert_true(back.pfc.present);
	free(qos);
}

static void test_dcbx_peer_takes_the_newest_dialect_it_speaks(void **state)
{
	struct rt_dcbx_peer *peer = calloc(1, sizeof(*peer));
	struct rt_lldp_peer *heard = calloc(1, sizeof(*heard));

	(void)state;
	heard->said.dcbx[RT_DCBX_CEE] = ieee_sample();
	heard->said.dcbx[RT_DCBX_CEE].pfc.prio_mask = 0xFF;
	rt_dcbx_peer_of(heard, peer);
	assert_int_equal(peer->dialect, RT_DCBX_CEE);
	assert_string_equal(peer->dialects, "cee");
	assert_knob(&peer->said, RT_KNOB_PFC_MASK, "0 1 2 3 4 5 6 7");
	heard->said.dcbx[RT_DCBX_IEEE] = ieee_sample();
	rt_dcbx_peer_of(heard, peer);
	assert_int_equal(peer->dialect, RT_DCBX_IEEE);
	assert_string_equal(peer->dialects, "ieee, cee");
	assert_knob(&peer->said, RT_KNOB_PFC_MASK, "3");
	assert_int_equal(peer->app_count, 3);
	assert_string_equal(peer->apps[2].priorities, "3");
	rt_table_check(&rt_dcbx_peer_table);
	free(heard);
	free(peer);
}

/* --- lldpd ------------------------------------------------------------------------- */

static int read_json(const char *text, struct rt_lldp_peers *peers, struct rt_err *err)
{
	RT_AUTO(rt_auto_doc_free) struct rt_doc *doc = NULL;
	int r = rt_doc_parse("lldpcli", text, strlen(text), &doc, err);

	return r < 0 ? r : rt_lldpcli_read(doc, peers, err);
}

static void assert_is_leaf(const struct rt_lldp_peer *peer)
{
	const struct rt_dcbx *ieee = &peer->said.dcbx[RT_DCBX_IEEE];
	char text[RT_LLDP_ID_TEXT_BYTES];

	assert_string_equal(peer->interface, "va");
	assert_string_equal(peer->said.system_name, "leaf-1");
	assert_string_equal(rt_lldp_chassis_text(&peer->said.chassis, text),
			    "02:00:00:00:00:01");
	assert_int_equal(peer->said.port.kind, RT_LLDP_PORT_IFNAME);
	assert_string_equal(rt_lldp_port_text(&peer->said.port, text), "Eth1");
	assert_int_equal(peer->said.ttl_s.value, 120);
	assert_int_equal(peer->said.max_frame_bytes.value, 9236);
	assert_int_equal(peer->said.management.version, 4);
	assert_true(ieee->ets.present && ieee->reco.present);
	assert_int_equal(ieee->pfc.prio_mask, 8);
	assert_int_equal(ieee->apps.items[1].protocol, 4791);
	assert_int_equal(peer->said.fault_count, 0);
}

static void test_lldpcli_every_shape_gives_the_same(void **state)
{
	static const char *const shapes[] = { one, one_in_lists };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(shapes); i++) {
		struct rt_lldp_peers peers = { 0 };
		struct rt_err err = { 0 };

		if (read_json(shapes[i], &peers, &err) < 0)
			fail_msg("%s", err.msg);
		assert_int_equal(peers.count, 1);
		assert_is_leaf(&peers.items[0]);
		rt_lldp_peers_free(&peers);
	}
}

static void test_lldpcli_two_on_one_interface_are_two(void **state)
{
	struct rt_lldp_peers peers = { 0 };
	struct rt_err err = { 0 };

	(void)state;
	if (read_json(two, &peers, &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(peers.count, 2);
	assert_is_leaf(&peers.items[0]);
	assert_string_equal(peers.items[1].interface, "va");
	assert_string_equal(peers.items[1].said.system_name, "");
	assert_true(peers.items[1].said.dcbx[RT_DCBX_CEE].present);
	assert_int_equal(peers.items[1].said.dcbx[RT_DCBX_CEE].ets.prio_tc[6], 15);
	rt_lldp_peers_free(&peers);
}

static void
test_lldpcli_odd_documents_are_read_or_refused_with_their_place(void **state)
{
	static const struct {
		const char *label, *text;
		int result;
		size_t peers;
		const char *says;
	} cases[] = {
		{ "nobody was heard", "{\"lldp\": {}}", 0, 0, NULL },
		{ "nobody, in lists", "{\"lldp\": [{}]}", 0, 0, NULL },
		{ "CDP is left out",
		  "{\"lldp\":{\"interface\":{\"e\":{\"via\":\"CDPv2\"}}}}", 0, 0,
		  NULL },
		{ "an address for an id",
		  "{\"lldp\":{\"interface\":{\"e\":{\"chassis\":{\"id\":{\"type\":"
		  "\"ip\",\"value\":\"192.0.2.1\"}}}}}}",
		  0, 1, NULL },
		{ "a MAC that is none",
		  "{\"lldp\":{\"interface\":{\"e\":{\"chassis\":{\"id\":{\"type\":"
		  "\"mac\",\"value\":\"nonsense\"}}}}}}",
		  0, 1, NULL },
		{ "another document", "{\"configuration\": {}}", -EINVAL, 0,
		  "it has no \"lldp\"" },
		{ "an interface that is a text", "{\"lldp\":{\"interface\":[\"e\"]}}",
		  -EINVAL, 0, "lldpcli:1:24: an interface must be a map" },
		{ "a neighbour that is a list",
		  "{\"lldp\":{\"interface\":{\"e\":[1]}}}", -EINVAL, 0,
		  "lldpcli:1:27: what was heard on e must be a map" },
		{ "no hexadecimal",
		  "{\"lldp\":{\"interface\":{\"e\":{\"unknown-tlvs\":{\"unknown-tlv\":"
		  "{\"oui\":\"00,80,C2\",\"subtype\":\"11\",\"value\":\"0x,1\"}}}}}}",
		  -EINVAL, 0, "oui and value are bytes in hexadecimal" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_lldp_peers peers = { 0 };
		struct rt_err err = { 0 };
		int r = read_json(cases[i].text, &peers, &err);

		print_message("# %s: %d %s\n", cases[i].label, r, err.msg);
		assert_int_equal(r, cases[i].result);
		assert_int_equal(peers.count, cases[i].peers);
		if (cases[i].says)
			assert_non_null(strstr(err.msg, cases[i].says));
		rt_lldp_peers_free(&peers);
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_dcbx_announcement_becomes_knobs),
	     cmocka_unit_test(test_dcbx_what_is_not_announced_is_not_known),
	     cmocka_unit_test(test_dcbx_cee_states_of_features_count),
	     cmocka_unit_test(test_dcbx_knobs_become_the_announcement_they_came_from),
	     cmocka_unit_test(test_dcbx_peer_takes_the_newest_dialect_it_speaks),
	     cmocka_unit_test(test_lldpcli_every_shape_gives_the_same),
	     cmocka_unit_test(test_lldpcli_two_on_one_interface_are_two),
	     cmocka_unit_test(
		     test_lldpcli_odd_documents_are_read_or_refused_with_their_place))
