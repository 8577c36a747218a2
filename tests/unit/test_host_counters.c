/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters of each driver, by its names; sources that lack, vanish, and refuse. */
#include "fake_host.h"

#include <errno.h>

#include "base/bundle.h"
#include "base/file.h"
#include "base/own.h"
#include "host/counters.h"
#include "kern/image.h"
#include "kern/stats.h"

#define PORT RT_COUNTER_NO_PRIO

/* --- rows --------------------------------------------------------------------------------- */

static void check_rows(const char *who, const struct rt_counter_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		const struct rt_counter_row *row = &rows->items[i];
		const unsigned scope = strchr(row->name, '%') ? RT_COUNTER_PRIO
							      : RT_COUNTER_PORT;

		if (!(rt_counters[row->counter].scope & scope))
			fail_msg("%s: %s is not of %s's scope", who, row->name,
				 rt_counters[row->counter].name);
		if (!row->from || !*row->from ||
		    strlen(row->name) >= RT_COUNTER_NAME_BYTES)
			fail_msg("%s: %s", who, row->name);
		/* A sum of what starts anew starts anew nowhere. */
		if (row->wraps && strchr(row->name, '+'))
			fail_msg("%s: %s is a sum that wraps", who, row->name);
		/* Only times are not counted in what they are. */
		if (rt_counters[row->counter].unit == RT_UNIT_NS && row->scale != 1000)
			fail_msg("%s: %s has no unit", who, row->name);
		for (size_t j = 0; j < i; j++)
			if (rows->items[j].counter == row->counter &&
			    rows->items[j].source == row->source &&
			    strcmp(rows->items[j].name, row->name) == 0)
				fail_msg("%s: %s stands twice", who, row->name);
	}
}

static void test_counters_rows_keep_the_rules(void **state)
{
	(void)state;
	check_rows("common", &rt_counters_common);
	check_rows("plain", &rt_counters_plain);
	for (const struct rt_driver *const *at = rt_drivers; *at; at++)
		check_rows((*at)->name, &(*at)->counters);
}

/* --- drivers' names ----------------------------------------------------------------------- */

static void put(struct rt_bundle *bundle, const char *path, const char *text)
{
	assert_int_equal(rt_bundle_add_file(bundle, path, text, strlen(text), NULL), 0);
}

/* A port of a driver whose statistics are these texts (NULL: none). */
static void read_texts(const char *kernel_driver, const char *ethtool, const char *rdma,
		       struct rt_counter_set *set)
{
	struct rt_device device = { .ibdev = "rdma0", .port = 1, .netdev = "eth0" };
	struct rt_bundle *bundle = rt_bundle_new();
	struct rt_kern *kern = NULL;

	device.driver = rt_driver_find(kernel_driver);
	assert_non_null(device.driver);
	if (ethtool)
		put(bundle, "rocetune/stats/ethtool/eth0", ethtool);
	if (rdma)
		put(bundle, "rocetune/stats/rdma/rdma0/1", rdma);
	put(bundle, "sys/class/net/eth0/statistics/rx_bytes", "77\n");
	assert_int_equal(rt_kern_open_bundle(bundle, &kern, NULL), 0);
	assert_int_equal(rt_counters_read(kern, &device, set, NULL), 0);
	assert_int_equal(rt_counter_set_check(set, NULL), 0);
	rt_kern_close(kern);
}

static void test_counters_are_found_by_each_drivers_names(void **state)
{
	static const struct {
		const char *kernel_driver, *ethtool, *rdma;
		enum rt_counter_id id;
		unsigned prio;
		uint64_t value;
	} cases[] = {
		{ "mlx5_core", "rx_prio3_pause: 5\n", NULL, RT_COUNTER_PFC_RX_FRAMES, 3,
		  5 },
		{ "mlx5_core", "tx_prio3_pause_duration: 5\n", NULL,
		  RT_COUNTER_PFC_TX_NS, 3, 5000 },
		{ "mlx5_core", "rx_prio0_bytes: 9\n", NULL, RT_COUNTER_RX_BYTES, 0, 9 },
		{ "mlx5_core", NULL, "np_cnp_sent: 4\n", RT_COUNTER_CNP_TX, PORT, 4 },
		{ "mlx5_core", NULL, "rp_cnp_handled: 4\nrp_cnp_ignored: 3\n",
		  RT_COUNTER_CNP_RX, PORT, 7 },
		{ "mlx5_core",
		  "rx_vport_rdma_unicast_bytes: 5\nrx_vport_rdma_multicast_bytes: 1\n",
		  NULL, RT_COUNTER_RDMA_RX_BYTES, PORT, 6 },
		{ "mlx5_core", "rx_prio3_discards: 2\n", NULL, RT_COUNTER_RX_DISCARDS,
		  3, 2 },
		{ "mlx4_core", "rx_pause_duration_prio_2: 3\n", NULL,
		  RT_COUNTER_PFC_RX_NS, 2, 3000 },
		{ "mlx4_core", NULL, "sq_num_to: 3\n", RT_COUNTER_ACK_TIMEOUTS, PORT,
		  3 },
		{ "bnxt_en", "rx_pfc_ena_frames_pri7: 8\n", NULL,
		  RT_COUNTER_PFC_RX_FRAMES, 7, 8 },
		{ "bnxt_en", "pfc_pri3_rx_duration_us: 8\n", NULL, RT_COUNTER_PFC_RX_NS,
		  3, 8000 },
		{ "bnxt_en", NULL, "rx_ecn_marked_pkts: 8\n", RT_COUNTER_CE_RX, PORT,
		  8 },
		{ "ice", "rx_priority_1_xoff.nic: 4\nrx_priority_1_xon.nic: 3\n", NULL,
		  RT_COUNTER_PFC_RX_FRAMES, 1, 4 },
		{ "ice", NULL, "cnpSent: 6\n", RT_COUNTER_CNP_TX, PORT, 6 },
		{ "hns3", "mac_tx_pfc_pri3_pkt_num: 2\n", NULL,
		  RT_COUNTER_PFC_TX_FRAMES, 3, 2 },
		{ "hns3", NULL, "rx_cnp_pkt: 2\n", RT_COUNTER_CNP_RX, PORT, 2 },
		{ "ionic", "rx_pripause_3_1us_count: 2\n", NULL, RT_COUNTER_PFC_RX_NS,
		  3, 2000 },
		{ "ionic", NULL, "resp_rx_outouf_seq: 2\n", RT_COUNTER_OUT_OF_SEQUENCE,
		  PORT, 2 },
		{ "qede", "rx_pfc_frames: 2\n", NULL, RT_COUNTER_PFC_RX_FRAMES, PORT,
		  2 },
		/* Its names end in blanks. */
		{ "cxgb4", "rx_ppp3_frames         : 2\n", NULL,
		  RT_COUNTER_PFC_RX_FRAMES, 3, 2 },
		{ "i40e",
		  "port.tx_priority_3_xoff_tx: 2\nport.tx_priority_3_xon_tx: 1\n", NULL,
		  RT_COUNTER_PFC_TX_FRAMES, 3, 2 },
		{ "efa", NULL, "rx_drops: 2\n", RT_COUNTER_RDMA_RX_DISCARDS, PORT, 2 },
		{ "erdma", NULL, "rx_bytes_cnt: 2\n", RT_COUNTER_RDMA_RX_BYTES, PORT,
		  2 },
		{ "mana", NULL, "requester_timeout: 45\n", RT_COUNTER_ACK_TIMEOUTS,
		  PORT, 45 },
		{ "rdma_rxe", NULL, "sent_pkts: 45\n", RT_COUNTER_RDMA_TX_FRAMES, PORT,
		  45 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_counter_set set;
		struct rt_opt_u64 value;

		read_texts(cases[i].kernel_driver, cases[i].ethtool, cases[i].rdma,
			   &set);
		value = rt_counter_value(&set, cases[i].id, cases[i].prio);
		if (!value.known || value.value != cases[i].value)
			fail_msg("%s: %s", cases[i].kernel_driver,
				 rt_counters[cases[i].id].name);
		assert_int_equal(
			rt_counter_value(&set, RT_COUNTER_NETDEV_RX_BYTES, PORT).value,
			77);
		rt_counter_set_free(&set);
	}
}

static void test_counters_that_lack_are_unknown_and_never_0(void **state)
{
	static const struct {
		const char *label, *ethtool, *rdma;
		enum rt_counter_id id;
		unsigned prio;
	} cases[] = {
		{ "another priority", "rx_prio3_pause: 5\n", NULL,
		  RT_COUNTER_PFC_RX_FRAMES, 4 },
		{ "a part of a sum", NULL, "rp_cnp_handled: 4\n", RT_COUNTER_CNP_RX,
		  PORT },
		{ "all ones", NULL, "np_cnp_sent: 18446744073709551615\n",
		  RT_COUNTER_CNP_TX, PORT },
		{ "a text", NULL, "np_cnp_sent: N/A\n", RT_COUNTER_CNP_TX, PORT },
		{ "beyond 64 bits", NULL, "np_cnp_sent: 18446744073709551616\n",
		  RT_COUNTER_CNP_TX, PORT },
		{ "a time beyond 64 bits",
		  "rx_prio3_pause_duration: 18446744073709551\n"
		  "rx_prio4_pause_duration: 18446744073709552\n",
		  NULL, RT_COUNTER_PFC_RX_NS, 4 },
		{ "RDMA bypasses the netdev", NULL, NULL, RT_COUNTER_RX_BYTES, PORT },
		{ "nothing at all", NULL, NULL, RT_COUNTER_OUT_OF_BUFFER, PORT },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_counter_set set;

		print_message("# %s\n", cases[i].label);
		read_texts("mlx5_core", cases[i].ethtool, cases[i].rdma, &set);
		assert_null(rt_counter_find(&set, cases[i].id, cases[i].prio));
		rt_counter_set_free(&set);
	}
}

/* --- sources ------------------------------------------------------------------------------ */

static struct rt_opt_u64 value_of(struct fake_host *host, enum rt_counter_id id,
				  unsigned prio, struct rt_counter_set *set)
{
	host->device.driver = host->port.driver;
	assert_int_equal(rt_counters_read(&host->fake->kern, &host->device, set, NULL),
			 0);
	return rt_counter_value(set, id, prio);
}

/* mlx5's names of a priority come and go with PFC; dcbnl stays. */
static void test_counters_fall_back_to_dcbnl_when_names_vanish(void **state)
{
	struct rt_counter_set before, after, diff;
	struct fake_host host;

	(void)state;
	fake_host_open("mlx5", &host);
	host.state->dcb.pfc.indications[3] = 90;
	rt_fake_set_stat(&host.state->ethtool_stats, "rx_prio3_pause", 100);
	rt_fake_set_stat(&host.state->ethtool_stats, "rx_prio4_pause", 7);
	assert_int_equal(value_of(&host, RT_COUNTER_PFC_RX_FRAMES, 3, &before).value,
			 100);
	/* As many names as before, but others. */
	strcpy(host.state->ethtool_stats.items[0].name, "rx_prio5_pause");
	host.state->ethtool_stats.items[1].value = 9;
	assert_int_equal(value_of(&host, RT_COUNTER_PFC_RX_FRAMES, 3, &after).value,
			 90);
	assert_int_equal(rt_counter_find(&after, RT_COUNTER_PFC_RX_FRAMES, 3)->source,
			 RT_SOURCE_DCB);
	assert_int_equal(rt_counters_diff(&before, &after, &diff, NULL), 0);
	assert_false(rt_counter_value(&diff, RT_COUNTER_PFC_RX_FRAMES, 3).known);
	assert_false(rt_counter_value(&diff, RT_COUNTER_PFC_RX_FRAMES, 5).known);
	assert_int_equal(rt_counter_value(&diff, RT_COUNTER_PFC_RX_FRAMES, 4).value, 2);
	rt_counter_set_free(&before);
	rt_counter_set_free(&after);
	rt_counter_set_free(&diff);
	fake_host_close(&host);
}

#define PORTS "/sys/class/infiniband/mlx5_0/ports/1/"

static void test_counters_of_files_stand_in_for_rdma_netlink(void **state)
{
	struct rt_counter_set set;
	struct fake_host host;

	(void)state;
	fake_host_open("mlx5", &host);
	rt_fake_add_file(host.fake, PORTS "hw_counters/np_cnp_sent", RT_FAKE_TEXT, "5");
	rt_fake_add_file(host.fake, PORTS "hw_counters/lifespan", RT_FAKE_TEXT, "10");
	rt_fake_add_file(host.fake, PORTS "counters/port_rcv_data", RT_FAKE_TEXT, "25");
	rt_fake_add_file(host.fake, PORTS "counters/port_xmit_data", RT_FAKE_TEXT,
			 "N/A (no PMA)");
	rt_fake_add_file(host.fake, PORTS "counters/port_xmit_wait", RT_FAKE_TEXT,
			 "4294967295");
	rt_fake_add_file(host.fake, PORTS "counters/link_downed", RT_FAKE_TEXT, "255");
	rt_fake_add_file(host.fake, PORTS "counters/symbol_error", RT_FAKE_TEXT, "255");
	assert_int_equal(value_of(&host, RT_COUNTER_CNP_TX, PORT, &set).value, 5);
	assert_int_equal(set.refresh_ms.value, 10);
	assert_int_equal(rt_counter_value(&set, RT_COUNTER_RDMA_RX_BYTES, PORT).value,
			 100); /* words of four bytes */
	assert_false(rt_counter_value(&set, RT_COUNTER_RDMA_TX_BYTES, PORT).known);
	/* At their ends they stay, so nobody knows. */
	assert_false(rt_counter_value(&set, RT_COUNTER_XMIT_WAIT, PORT).known);
	assert_false(rt_counter_value(&set, RT_COUNTER_LINK_DOWNS, PORT).known);
	assert_int_equal(rt_counter_value(&set, RT_COUNTER_SYMBOL_ERRORS, PORT).value,
			 255);
	rt_counter_set_free(&set);
	/* By netlink it is newer. */
	rt_fake_set_stat(&host.state->rdma_stats, "np_cnp_sent", 6);
	assert_int_equal(value_of(&host, RT_COUNTER_CNP_TX, PORT, &set).value, 6);
	assert_false(set.refresh_ms.known);
	rt_counter_set_free(&set);
	fake_host_close(&host);
}

static unsigned asked;

static int refuse_counting(struct rt_kern *kern, const char *path, char *buf,
			   size_t capacity, size_t *ret_bytes, struct rt_err *err)
{
	(void)kern;
	(void)buf;
	(void)capacity;
	(void)ret_bytes;
	if (strstr(path, "/counters/"))
		asked++;
	return rt_err_sys(err, strstr(path, "/counters/") ? -EINVAL : -ENOENT, "%s",
			  path);
}

/* A function that may not be asked logs each try: there is one. */
static void test_counters_ask_a_source_that_refuses_once(void **state)
{
	struct rt_counter_set set;
	struct rt_kern_ops ops;
	struct fake_host host;

	(void)state;
	fake_host_open("mlx5", &host);
	ops = *host.fake->kern.ops;
	ops.file_read = refuse_counting;
	host.fake->kern.ops = &ops;
	host.state->ethtool_stats.code = -EIO;
	host.state->rdma_stats.code = -EPERM;
	asked = 0;
	assert_false(value_of(&host, RT_COUNTER_RDMA_RX_BYTES, PORT, &set).known);
	assert_int_equal(asked, 1);
	assert_int_equal(set.looks[RT_SOURCE_PMA].state, RT_LOOK_FAILED);
	assert_int_equal(set.looks[RT_SOURCE_ETHTOOL].state, RT_LOOK_FAILED);
	assert_non_null(strstr(set.looks[RT_SOURCE_ETHTOOL].why, "eth0"));
	assert_int_equal(set.looks[RT_SOURCE_RDMA].state, RT_LOOK_FAILED);
	assert_int_equal(set.looks[RT_SOURCE_DCB].state, RT_LOOK_READ);
	rt_counter_set_free(&set);
	fake_host_close(&host);
}

/* A bond's counters are those of its ports together, or unknown. */
static void test_counters_of_a_bond_are_the_sum_of_its_ports(void **state)
{
	struct rt_counter_set set;
	struct fake_host host;
	struct rt_fake_port *other;

	(void)state;
	fake_host_open("mlx5", &host);
	other = rt_fake_add_port(host.fake, "mlx5");
	strcpy(host.device.netdev, "bond0");
	strcpy(host.device.bond, "bond0");
	strcpy(host.device.slaves, "eth0, eth1");
	rt_fake_set_stat(&host.state->ethtool_stats, "rx_bytes_phy", 30);
	rt_fake_set_stat(&host.state->ethtool_stats, "tx_bytes_phy", 30);
	rt_fake_set_stat(&other->ethtool_stats, "rx_bytes_phy", 12);
	assert_int_equal(value_of(&host, RT_COUNTER_RX_BYTES, PORT, &set).value, 42);
	assert_false(rt_counter_value(&set, RT_COUNTER_TX_BYTES, PORT).known);
	rt_counter_set_free(&set);
	fake_host_close(&host);
}

static void test_counters_of_a_plain_netdev_are_the_kernels(void **state)
{
	struct rt_counter_set set;
	struct fake_host host;
	struct rt_device device;
	struct rt_err err = { 0 };

	(void)state;
	fake_host_open("mlx5", &host);
	host.fake->links[host.fake->link_count++] = (struct rt_link){ .name = "veth0",
								      .ifindex = 9 };
	rt_fake_add_file(host.fake, "/sys/class/net/veth0/statistics/rx_bytes",
			 RT_FAKE_TEXT, "1234");
	if (rt_counters_port(&host.fake->kern, "veth0", &device, &err) < 0)
		fail_msg("%s", err.msg);
	assert_null(device.driver);
	assert_int_equal(rt_counters_read(&host.fake->kern, &device, &set, NULL), 0);
	assert_int_equal(rt_counter_value(&set, RT_COUNTER_RX_BYTES, PORT).value, 1234);
	rt_counter_set_free(&set);
	assert_int_equal(rt_counters_port(&host.fake->kern, "mlx5_0", &device, &err),
			 0);
	assert_string_equal(device.netdev, "eth0");
	assert_int_equal(rt_counters_port(&host.fake->kern, "nobody", &device, &err),
			 -ENODEV);
	fake_host_close(&host);
}

/* --- recorded ------------------------------------------------------------------------------ */

static void test_counters_are_the_same_of_a_recording(void **state)
{
	struct rt_bundle *bundle = rt_bundle_new();
	struct rt_counter_set live, recorded, later;
	struct rt_kern *recorder, *kern;
	struct fake_host host;

	(void)state;
	fake_host_open("mlx5", &host);
	host.device.driver = host.port.driver;
	rt_fake_set_stat(&host.state->ethtool_stats, "rx_prio3_pause", 100);
	host.state->rdma_stats.code = -EIO;
	assert_int_equal(
		rt_kern_open_recorder(&host.fake->kern, bundle, &recorder, NULL), 0);
	assert_int_equal(rt_counters_read(recorder, &host.device, &live, NULL), 0);
	/* What changes meanwhile does not contradict what is recorded. */
	rt_fake_set_stat(&host.state->ethtool_stats, "rx_prio3_pause", 101);
	assert_int_equal(rt_counters_read(recorder, &host.device, &later, NULL), 0);
	assert_int_equal(rt_kern_recorder_finish(recorder, NULL), 0);
	rt_kern_close(recorder);
	assert_int_equal(rt_kern_open_bundle(bundle, &kern, NULL), 0);
	assert_int_equal(rt_counters_read(kern, &host.device, &recorded, NULL), 0);
	rt_kern_close(kern);
	assert_int_equal(recorded.count, live.count);
	assert_int_equal(rt_counter_value(&recorded, RT_COUNTER_PFC_RX_FRAMES, 3).value,
			 100);
	assert_int_equal(rt_counter_value(&later, RT_COUNTER_PFC_RX_FRAMES, 3).value,
			 100);
	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++) {
		assert_int_equal(recorded.looks[i].state, live.looks[i].state);
		assert_string_equal(recorded.looks[i].why, live.looks[i].why);
	}
	assert_int_equal(recorded.looks[RT_SOURCE_RDMA].state, RT_LOOK_FAILED);
	rt_counter_set_free(&live);
	rt_counter_set_free(&recorded);
	rt_counter_set_free(&later);
	fake_host_close(&host);
}

/* Of a soft port those of its queueing disciplines, too, or why there are none. */
static void test_counters_of_qdiscs_are_recorded(void **state)
{
	static const int codes[] = { 0, -EPERM };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(codes); i++) {
		struct rt_bundle *bundle = rt_bundle_new();
		struct rt_counter_set live, recorded;
		const struct rt_counter_look *was, *is;
		struct rt_kern *recorder, *kern;
		struct fake_host host;

		fake_host_open("mlx5", &host);
		host.device.driver = rt_driver_find("rdma_rxe");
		host.device.function = RT_FUNCTION_SOFT;
		rt_fake_set_stat(&host.state->qdisc_stats, "drops", 5);
		host.state->qdisc_stats.code = codes[i];
		assert_int_equal(rt_kern_open_recorder(&host.fake->kern, bundle,
						       &recorder, NULL),
				 0);
		assert_int_equal(rt_counters_read(recorder, &host.device, &live, NULL),
				 0);
		assert_int_equal(rt_kern_recorder_finish(recorder, NULL), 0);
		rt_kern_close(recorder);
		assert_int_equal(rt_kern_open_bundle(bundle, &kern, NULL), 0);
		assert_int_equal(rt_counters_read(kern, &host.device, &recorded, NULL),
				 0);
		rt_kern_close(kern);
		was = &live.looks[RT_SOURCE_QDISC];
		is = &recorded.looks[RT_SOURCE_QDISC];
		assert_int_equal(was->state, codes[i] ? RT_LOOK_FAILED : RT_LOOK_READ);
		assert_int_equal(is->state, was->state);
		assert_string_equal(is->why, was->why);
		assert_int_equal(
			rt_counter_value(&recorded, RT_COUNTER_TX_DISCARDS, PORT).value,
			codes[i] ? 0 : 5);
		rt_counter_set_free(&live);
		rt_counter_set_free(&recorded);
		fake_host_close(&host);
	}
}

/* --- what real NICs told ------------------------------------------------------------------- */

static char *read_dump(const char *name)
{
	char path[512], *text = NULL;
	size_t bytes;

	snprintf(path, sizeof(path), "%s/host-dumps/%s", rt_test_shared(), name);
	RT_NEED_SHARED(path);
	assert_int_equal(rt_file_read(path, 4u << 20, &text, &bytes, NULL), 0);
	text = realloc(text, bytes + 1);
	text[bytes] = '\0';
	return text;
}

static void test_counters_of_real_nics_are_found(void **state)
{
	static const struct {
		const char *file, *kernel_driver;
		bool rdma;
		enum rt_counter_id id;
		unsigned prio;
		bool known;
		uint64_t value;
	} cases[] = {
		{ "mlx5-cx4lx-ethtool-S-full.txt", "mlx5_core", false,
		  RT_COUNTER_RX_BYTES, PORT, true, 2202570777997 },
		{ "mlx5-cx4lx-ethtool-S-full.txt", "mlx5_core", false,
		  RT_COUNTER_RX_FRAMES, 0, true, 845715962 },
		/* PFC is off: there is no such name. */
		{ "mlx5-cx4lx-ethtool-S-full.txt", "mlx5_core", false,
		  RT_COUNTER_PFC_RX_FRAMES, 3, false, 0 },
		{ "bnxt_en-ethtool-S-full.txt", "bnxt_en", false,
		  RT_COUNTER_RX_DISCARDS, PORT, true, 49337 },
		{ "bnxt_en-ethtool-S-full.txt", "bnxt_en", false,
		  RT_COUNTER_BUFFER_PASSED, PORT, true, 417 },
		{ "bnxt_en-ethtool-S-full.txt", "bnxt_en", false,
		  RT_COUNTER_PFC_RX_FRAMES, 3, true, 0 },
		{ "ionic-pollara-ethtool-S-pf-full.txt", "ionic", false,
		  RT_COUNTER_TX_FRAMES, PORT, true, 470001797593 },
		{ "ice-e810-ethtool-prio-xoff-tx-only.txt", "ice", false,
		  RT_COUNTER_PFC_TX_FRAMES, 2, true, 14864 },
		{ "mlx5-bond-show_counters-ecn.txt", "mlx5_core", true,
		  RT_COUNTER_CE_RX, PORT, true, 21278189006 },
		{ "mlx5-bond-show_counters-ecn.txt", "mlx5_core", true,
		  RT_COUNTER_OUT_OF_SEQUENCE, PORT, true, 1811101 },
		{ "mlx5-bond-show_counters-ecn.txt", "mlx5_core", true,
		  RT_COUNTER_RETRY_EXCEEDED, PORT, false, 0 },
		{ "efa-hw_counters-client.txt", "efa", true, RT_COUNTER_RDMA_TX_FRAMES,
		  PORT, true, 1 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		char *text = read_dump(cases[i].file);
		struct rt_counter_set set;
		struct rt_opt_u64 value;

		read_texts(cases[i].kernel_driver, cases[i].rdma ? NULL : text,
			   cases[i].rdma ? text : NULL, &set);
		value = rt_counter_value(&set, cases[i].id, cases[i].prio);
		if (value.known != cases[i].known || value.value != cases[i].value)
			fail_msg("%s: %s", cases[i].file,
				 rt_counters[cases[i].id].name);
		rt_counter_set_free(&set);
		free(text);
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_counters_rows_keep_the_rules),
	     cmocka_unit_test(test_counters_are_found_by_each_drivers_names),
	     cmocka_unit_test(test_counters_that_lack_are_unknown_and_never_0),
	     cmocka_unit_test(test_counters_fall_back_to_dcbnl_when_names_vanish),
	     cmocka_unit_test(test_counters_of_files_stand_in_for_rdma_netlink),
	     cmocka_unit_test(test_counters_ask_a_source_that_refuses_once),
	     cmocka_unit_test(test_counters_of_a_bond_are_the_sum_of_its_ports),
	     cmocka_unit_test(test_counters_of_a_plain_netdev_are_the_kernels),
	     cmocka_unit_test(test_counters_are_the_same_of_a_recording),
	     cmocka_unit_test(test_counters_of_qdiscs_are_recorded),
	     cmocka_unit_test(test_counters_of_real_nics_are_found))
