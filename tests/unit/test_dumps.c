/* SPDX-License-Identifier: BSD-2-Clause */
/* test_dumps.c - public outputs of real NICs and switches, and hostile ones. */
#include "profiles.h"

#include <errno.h>

#include "base/own.h"
#include "host/dumps/dump.h"
#include "host/dumps/parts.h"
#include "model/qos.h"

static char *read_file(const char *path, size_t *ret_bytes)
{
	FILE *from = fopen(path, "re");
	char *text = malloc(1 << 20);

	assert_non_null(from);
	assert_non_null(text);
	*ret_bytes = fread(text, 1, 1 << 20, from);
	fclose(from);
	return text;
}

struct expected_value {
	const char *where, *name, *text; /* where NULL: anything; text NULL: absent */
};

struct expected_knob {
	const char *knob, *text;
};

struct dump_case {
	const char *file, *formats;
	size_t count; /* values in all; 0: only knobs */
	struct expected_value values[9];
	struct expected_knob knobs[12];
};

/* A row of the index a case. */
static const struct dump_case cases[] = {
	{ "mlx5-cx4lx-ethtool-S-full.txt",
	  "counters",
	  751,
	  { { "", "rx_packets", "845320277" },
	    { "", "rx_prio0_packets", "845715962" },
	    { "", "rx_prio3_bytes", "0" },
	    { "", "rx_vport_rdma_unicast_packets", "0" },
	    { "", "rx_prio3_pause", NULL }, /* PFC is off */
	    { "", "rx_prio0_pause", NULL } },
	  { { 0 } } },
	{ "mlx5-cx4lx-ethtool-i.txt",
	  "ethtool -i",
	  10,
	  { { "", "driver", "mlx5_core" },
	    { "", "firmware-version", "14.23.1020 (MT_2420110034)" },
	    { "", "expansion-rom-version", "" },
	    { "", "bus-info", "0000:af:00.0" } },
	  { { 0 } } },
	{ "bnxt_en-ethtool-S-full.txt",
	  "counters",
	  499,
	  { { "", "[0]: rx_ucast_packets", "10198513532" },
	    { "", "rx_total_ring_discards", "655430134" },
	    { "", "rx_stat_discard", "49337" },
	    { "", "rx_buffer_passed_threshold", "417" },
	    { "", "rx_pfc_ena_frames_pri3", "0" },
	    { "", "pfc_pri3_rx_duration_us", "0" },
	    { "", "continuous_roce_pause_events", "0" },
	    { "", "rx_prio3_pause", NULL } },
	  { { 0 } } },
	{ "bnxt-thor2-niccli-qos.txt",
	  "802.1Qaz, pri2cos, dscp2prio",
	  8,
	  { { "priority 3", "Queue ID", "0" }, { "priority 7", "Queue ID", "5" } },
	  { { "ets.prio_tc", "0-2:0 3:1 4-6:0 7:2" },
	    { "ets.bw", "0-1:50 2:0" },
	    { "ets.tsa", "0-1:ets 2:strict" },
	    { "pfc.mask", "3" },
	    { "dscp_prio", "26:3 48:7" },
	    { "tos.data_prio", "3" } } },
	{ "ionic-pollara-ethtool-S-pf-full.txt",
	  "counters",
	  607,
	  { { "", "rx_packets", "3115860" },
	    { "", "frames_rx_ok", "283924076469" },
	    { "", "frames_rx_pripause", "0" },
	    { "", "frames_rx_1519b_2047b", "0" },
	    { "", "tx_pripause_3_1us_count", "0" } },
	  { { 0 } } },
	{ "ionic-pollara-rdma-statistic.json",
	  "json",
	  132, /* three devices */
	  { { "ionic_1/1", "req_rx_dup_response", "34" },
	    { "ionic_1/1", "tx_rdma_ucast_bytes", "3489656928" },
	    { "rocep132s0/1", "tx_rdma_ucast_bytes", "0" },
	    { "ionic_1/1", "resp_rx_outouf_seq", "0" } },
	  { { 0 } } },
	{ "ionic-pollara-rdma-link.txt",
	  "rdma",
	  9,
	  { { "rocep68s0/1", "netdev", "enp68s0" },
	    { "ionic_1/1", "state", "ACTIVE" },
	    { "ionic_1/1", "netdev", "enp132s0v0" } },
	  { { 0 } } },
	{ "ionic-nicctl-show-port-statistics.json",
	  "json",
	  0,
	  { { "02000000-0010-4242-4242-000011010000", "frames_rx_ok", NULL },
	    { "42424650-4c32-3030-3030-303031000000", "frames_rx_ok", "283924078435" },
	    { "42424650-4c32-3030-3030-303031000000", "frames_rx_pripause", "0" } },
	  { { 0 } } },
	{ "ionic-nicctl-show-card.json",
	  "json",
	  0,
	  { { "0000:44:00.0", "firmware_version", "1.117.1-a-7" },
	    { "0000:44:00.0", "asic", "salina" },
	    { "0000:84:00.0", "pcie_bdf", "0000:81:00.0" } },
	  { { 0 } } },
	{ "mlx5-rdma-statistic-show-4dev.txt",
	  "rdma",
	  4 * 29,
	  { { "mlx5_0/1", "out_of_buffer", "135" },
	    { "mlx5_0/1", "resp_cqe_error", "1009" },
	    { "mlx5_0/1", "resp_cqe_flush_error", "998" },
	    { "mlx5_0/1", "req_cqe_error", "22" },
	    { "mlx5_0/1", "req_cqe_flush_error", "11" },
	    { "mlx5_3/1", "rx_icrc_encapsulated", "0" } },
	  { { 0 } } },
	{ "mlx5-bond-show_counters-ecn.txt",
	  "counters",
	  30,
	  { { "port 1", "np_ecn_marked_roce_packets", "21278189006" },
	    { "port 1", "np_cnp_sent", "1052612505" },
	    { "port 1", "rp_cnp_handled", "0" },
	    { "port 1", "out_of_sequence", "1811101" },
	    { "port 1", "packet_seq_err", "0" },
	    { "port 1", "rx_write_requests", "2402134794" } },
	  { { 0 } } },
	{ "mlx5-cx7-mlnx_qos-pfc5-buffers.txt",
	  "mlnx_qos",
	  0,
	  { { 0 } },
	  { { "dcbx.owner", "host" },
	    { "trust", "dscp" },
	    { "dscp_prio",
	      "0-7:0 8-15:1 16-23:2 24-31:3 32-39:4 40-47:5 48-55:6 56-63:7" },
	    { "buffer.size", "0:19872B 1:220.896KB 2-7:0B" },
	    { "buffer.total", "4.15152MB" },
	    { "pfc.cable", "30m" },
	    { "pfc.mask", "5" },
	    { "buffer.prio", "0-4:0 5:1 6-7:0" },
	    { "ets.tsa", "0-3:ets 4-7:strict" },
	    { "ets.bw", "0:9 1:1 2:80 3:10" },
	    { "ets.prio_tc", "0:0 1:1 2:2 3:3 4:4 5:5 6:6 7:7" } } },
	{ "mlx5-cx7-ethtool-i-and-ip-s-link.txt",
	  "ethtool -i, ip link",
	  0,
	  { { "", "firmware-version", "28.39.3560 (MT_0000000838)" },
	    { "ens4np0", "mtu", "1500" },
	    { "ens4np0", "RX errors", "54" },
	    { "ens4np0", "RX errors length", "54" },
	    { "ens4np0", "TX bytes", "31659318" },
	    { "ens4np0", "TX errors transns", "3" } },
	  { { 0 } } },
	{ "mlx5-cx7-gdaki-tclass-fragment.txt",
	  "tclass, mlnx_qos",
	  0,
	  { { 0 } },
	  { { "tos.tclass", "236" },
	    { "trust", "dscp" },
	    { "dscp_prio", "0:0 7:0 59:5" }, /* the author cut the rest */
	    { "pfc.mask", "5" } } },
	{ "mlx5-byteps179-ethtool-prio-hw_counters-fragment.txt",
	  "counters",
	  32 + 6,
	  { { "", "rx_prio0_packets", "420006709813" },
	    { "", "rx_prio0_pause", NULL },
	    { "mlx5_0/1", "np_cnp_sent", "1333" },
	    { "mlx5_0/1", "np_ecn_marked_roce_packets", "0" },
	    { "mlx5_0/1", "local_ack_timeout_err", "2705" } },
	  { { 0 } } },
	{ "mlx5-cx5-mlxconfig-q-full.txt",
	  "mlxconfig",
	  0,
	  { { "next boot", "ROCE_CC_PRIO_MASK_P1", "255" },
	    { "next boot", "MIN_TIME_BETWEEN_CNPS_P1", "0" },
	    { "next boot", "HOST_CHAINING_DESCRIPTORS", "Array[0..7]" },
	    { "next boot", "PCI_ATOMIC_MODE",
	      "PCI_ATOMIC_DISABLED_EXT_ATOMIC_ENABLED(0)" },
	    { "next boot", "NUM_OF_TC_P1", "_8_TCs(0)" },
	    { "next boot", "DCE_TCP_G_P1", "1019" },
	    { "next boot", "SAFE_MODE_ENABLE", "True(1)" } },
	  { { 0 } } },
	{ "mlx5-cx6dx-mstconfig-roce-legacy-dcqcn-fragment.txt",
	  "mlxconfig",
	  8,
	  { { "new", "ROCE_CC_LEGACY_DCQCN", "True(1)" },
	    { "next boot", "ROCE_CC_LEGACY_DCQCN", "False(0)" }, /* until it is reset */
	    { "next boot", "ROCE_CONTROL", "ROCE_ENABLE(2)" } },
	  { { 0 } } },
	{ "mlx5-cx6dx-ibv_devinfo-v-full.txt",
	  "ibv_devinfo",
	  0,
	  { { "rocep61s0f1", "fw_ver", "22.36.1010" },
	    { "rocep61s0f1/1", "active_mtu", "1024 (3)" },
	    { "rocep61s0f1/1", "max_mtu", "4096 (5)" },
	    { "rocep61s0f1/1", "active_width", "4X (2)" },
	    { "rocep61s0f1/1", "active_speed", "25.0 Gbps (32)" },
	    { "rocep61s0f1/1", "GID[3]", "::ffff:192.0.2.1, RoCE v2" } },
	  { { 0 } } },
	{ "mlx5-bond-ibv_devinfo-gid-fragment.txt",
	  "ibv_devinfo",
	  5,
	  { { "", "phys_state", "LINK_UP (5)" },
	    { "", "GID[1]", "fe80::ff:fe00:1, RoCE v2" },
	    { "", "GID[3]", "::ffff:192.0.2.6, RoCE v2" } },
	  { { 0 } } },
	{ "mlx5-show_gids-h100-fragment.txt",
	  "show_gids",
	  8 + 4,
	  { { "mlx5_0/1", "GID[1]",
	      "fe80:0000:0000:0000:0000:00ff:fe00:0001, v2, ens3np0" },
	    { "mlx5_1/1", "IPv4[3]", "192.0.2.73" },
	    { "mlx5_1/1", "IPv4[1]", NULL } },
	  { { 0 } } },
	{ "efa-hw_counters-client.txt",
	  "counters",
	  26,
	  { { "", "tx_pkts", "1" }, { "", "rx_pkts", "0" } },
	  { { 0 } } },
	{ "efa-hw_counters-server.txt",
	  "counters",
	  26,
	  { { "", "rx_pkts", "0" } },
	  { { 0 } } },
	{ "mana-rdma-statistic-p.txt",
	  "rdma",
	  26,
	  { { "mana_0/1", "requester_timeout", "45" },
	    { "mana_0/1", "requester_retries_exceeded", "5" },
	    { "mana_0/1", "total_fatal_error", "6" },
	    { "mana_0/1", "current_rate", "100000" } },
	  { { 0 } } },
	{ "ice-e810-ethtool-prio-xoff-tx-only.txt",
	  "counters",
	  32,
	  { { "", "tx_priority_2_xoff.nic", "14864" },
	    { "", "tx_priority_7_xoff.nic", "6434" },
	    { "", "rx_priority_2_xoff.nic", "0" } },
	  { { 0 } } },
	{ "ice-e810-lldptool-ti.txt",
	  "802.1Qaz",
	  0,
	  { { 0 } },
	  { { "dcbx.willing", "off" },
	    { "ets.cap", "8" },
	    { "ets.prio_tc", "0-7:0" },
	    { "ets.bw", "0:100 1-7:0" },
	    { "ets.tsa", "0:ets 1-7:strict" },
	    { "pfc.cap", "8" },
	    { "pfc.mask", "0" } } }, /* priority 0, not "off" */
	{ "sonic-z9332-pfcwd-stats-storm.txt",
	  "SONiC table",
	  3 * 6,
	  { { "Ethernet4:3", "STATUS", "stormed" },
	    { "Ethernet4:3", "STORM DETECTED/RESTORED", "1/0" },
	    { "Ethernet4:3", "TX OK/DROP", "0/41507426" } },
	  { { 0 } } },
	{ "sonic-s5232-pfcwd-queue-counters-fragment.txt",
	  "SONiC table",
	  2 * 3 + 3 * 4,
	  { { "Ethernet4", "DETECTION TIME", "200" },
	    { "Ethernet4:UC0", "Counter/bytes", "3,424" },
	    { "Ethernet4:UC0", "Drop/pkts", "0" } },
	  { { 0 } } },
	{ "sonic-wredcounters-na-fragment.txt",
	  "SONiC table",
	  40,
	  { { "Ethernet48:UC3", "EcnMarked/pkts", "678" },
	    { "Ethernet48:UC3", "WredDrp/pkts", "N/A" } },
	  { { 0 } } },
	{ "sonic-doc-show-queue-counters.txt",
	  "SONiC table",
	  0,
	  { { "Ethernet4:MC9", "Counter/pkts", "0" },
	    { "Ethernet0:UC2", "Trim/pkts", "200" } },
	  { { 0 } } },
	{ "sonic-doc-show-pfc-counters.txt",
	  "SONiC table",
	  0,
	  { { "Ethernet12", "Rx PFC3", "0" }, { "Ethernet0", "Tx PFC7", "0" } },
	  { { 0 } } },
};

static void check_values(const struct rt_dump *dump, const struct expected_value *rows)
{
	for (; rows->name; rows++) {
		const struct rt_dump_value *value = rt_dump_find(dump, rows->where,
								 rows->name);
		uint64_t number;

		if (!rows->text) {
			assert_null(value);
			continue;
		}
		if (!value)
			fail_msg("no %s of '%s'", rows->name,
				 rows->where ? rows->where : "anything");
		assert_string_equal(value->text, rows->text);
		if (rt_dump_number(rows->text, &number)) {
			assert_true(value->number.known);
			assert_int_equal(value->number.value, number);
		}
	}
}

static void test_index(void **state)
{
	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const struct dump_case *item = &cases[i];
		RT_AUTO(rt_auto_free) char *text = NULL;
		char path[256], buf[RT_KNOB_TEXT_BYTES];
		struct rt_err err = { 0 };
		struct rt_dump dump;
		size_t bytes;

		snprintf(path, sizeof(path), "%s/host-dumps/%s", rt_test_shared(),
			 item->file);
		RT_NEED_SHARED(path);
		print_message("# %s\n", item->file);
		text = read_file(path, &bytes);
		if (rt_dump_read(text, bytes, &dump, &err) < 0)
			fail_msg("%s", err.msg);
		assert_string_equal(dump.formats, item->formats);
		if (item->count)
			assert_int_equal(dump.count, item->count);
		check_values(&dump, item->values);
		for (const struct expected_knob *row = item->knobs; row->knob; row++) {
			const struct rt_knob *knob = rt_knob_find(row->knob);

			assert_string_equal(
				rt_knob_format(knob, &dump.qos.knobs[knob - rt_knobs],
					       buf),
				row->text);
		}
		rt_dump_free(&dump);
	}
}

/* What is not printed is not known. */
static void test_unknown_stays_unknown(void **state)
{
	static const char text[] = "DCBX mode: OS controlled\n"
				   "Priority trust state: pcp\n"
				   "PFC configuration:\n"
				   "\tenabled     0   0   0   1   0   0   0   0   \n"
				   "tc: 0 ratelimit: 12.5 Gbps, tsa: vendor\n"
				   "\t priority:  1\n";
	struct rt_dump dump;

	(void)state;
	assert_int_equal(rt_dump_read(text, strlen(text), &dump, NULL), 0);
	assert_int_equal(dump.qos.knobs[RT_KNOB_PFC_MASK].number[0], 8);
	assert_int_equal(dump.qos.knobs[RT_KNOB_MAX_RATE].number[0], 12500000000);
	assert_int_equal(dump.qos.knobs[RT_KNOB_ETS_TSA].number[0], RT_TSA_VENDOR);
	assert_int_equal(dump.qos.knobs[RT_KNOB_ETS_PRIO_TC].known, 1 << 1);
	assert_int_equal(dump.qos.knobs[RT_KNOB_DSCP_PRIO].known, 0);
	assert_int_equal(dump.qos.knobs[RT_KNOB_ETS_BW].known, 0);
	assert_int_equal(dump.qos.knobs[RT_KNOB_BUFFER_SIZE].known, 0);
	rt_dump_free(&dump);
}

static void test_firmware_expectations(void **state)
{
	static const struct {
		const char *name, *text;
		enum rt_firmware_verdict verdict;
	} rows[] = {
		{ "ROCE_CC_PRIO_MASK", "has 3", RT_FIRMWARE_AS_EXPECTED },
		{ "ROCE_CC_PRIO_MASK", "255", RT_FIRMWARE_AS_EXPECTED },
		{ "ROCE_CC_PRIO_MASK_P1", "has 8", RT_FIRMWARE_OTHER },
		{ "ROCE_CC_ALGORITHM", "ECN", RT_FIRMWARE_AS_EXPECTED },
		{ "ROCE_CC_ALGORITHM", "QCN", RT_FIRMWARE_OTHER },
		{ "CLAMP_TGT_RATE", "false", RT_FIRMWARE_AS_EXPECTED },
		{ "CLAMP_TGT_RATE", "yes", RT_FIRMWARE_OTHER },
		{ "RPG_AI_RATE", "5", RT_FIRMWARE_AS_EXPECTED },
		{ "RPG_AI_RATE", "50", RT_FIRMWARE_OTHER },
		{ "ROCE_CC_LEGACY_DCQCN", "true", RT_FIRMWARE_UNKNOWN },
		{ "SRIOV_EN", "1", RT_FIRMWARE_AS_EXPECTED },
	};
	static const char text[] =
		"Configurations:                              Next Boot\n"
		"         ROCE_CC_PRIO_MASK_P1                255             \n"
		"         ROCE_CC_ALGORITHM_P1                ECN(0)          \n"
		"         CLAMP_TGT_RATE_P1                   False(0)        \n"
		"         RPG_AI_RATE_P1                      5               \n"
		"         SRIOV_EN                            True(1)         \n";
	struct rt_dump dump;

	(void)state;
	assert_int_equal(rt_dump_read(text, strlen(text), &dump, NULL), 0);
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		const struct rt_pair expect = {
			.name = rows[i].name,
			.value = { .state = RT_SETTING_VALUE, .text = rows[i].text },
		};
		const struct rt_dump_value *value;

		print_message("# %s: %s\n", rows[i].name, rows[i].text);
		assert_int_equal(rt_firmware_check(&expect, &dump, 1, &value),
				 rows[i].verdict);
		assert_true((value != NULL) ==
			    (rows[i].verdict != RT_FIRMWARE_UNKNOWN));
	}
	rt_dump_free(&dump);
}

static void test_what_is_no_output(void **state)
{
	static const struct {
		const char *text;
		int result;
	} rows[] = {
		{ "", -EINVAL },
		{ "\n\n\n", -EINVAL },
		{ "Lorem ipsum dolor sit amet\n", -EINVAL },
		{ "{\"nic\": [", -EINVAL },
		{ "[{\"ifname\": \"a\", \"ifname\": \"b\"}]", -EINVAL },
		{ "rx_packets: many\n", -EINVAL },
		{ "rx_packets: 18446744073709551616\n", -EINVAL },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct rt_dump dump = { .count = 77 };
		struct rt_err err = { 0 };

		assert_int_equal(
			rt_dump_read(rows[i].text, strlen(rows[i].text), &dump, &err),
			rows[i].result);
		print_message("# %s\n", err.msg);
		assert_int_equal(err.code, rows[i].result);
		assert_int_equal(dump.count, 77);
	}
}

static void test_bounds(void **state)
{
	const size_t bytes = RT_DUMP_BYTES_MAX + 1;
	char *text = malloc(bytes);
	struct rt_dump dump;
	size_t used = 0;

	(void)state;
	assert_non_null(text);
	memset(text, 'a', bytes);
	assert_int_equal(rt_dump_read(text, bytes, &dump, NULL), -EFBIG);
	for (unsigned i = 0; i < 2 * RT_DUMP_VALUES_MAX; i++)
		used += (size_t)sprintf(text + used, "n%u: 1\n", i);
	assert_int_equal(rt_dump_read(text, used, &dump, NULL), -E2BIG);
	free(text);
}

RT_UNIT_MAIN(cmocka_unit_test(test_index), cmocka_unit_test(test_unknown_stays_unknown),
	     cmocka_unit_test(test_firmware_expectations),
	     cmocka_unit_test(test_what_is_no_output), cmocka_unit_test(test_bounds))
