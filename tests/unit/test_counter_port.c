/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters of one port read again and again: in place, by name, each source for itself. */
#include "fake_host.h"
#include "made_tree.h"

#include <errno.h>
#include <sys/resource.h>

#include "base/own.h"
#include "host/counters.h"

#define PORT RT_COUNTER_NO_PRIO
#define ALL  RT_COUNTER_ALL_SOURCES

static struct rt_counter_port *open_port(struct rt_kern *kern,
					 const struct rt_device *device)
{
	struct rt_counter_port *port = NULL;
	struct rt_err err = { 0 };

	if (rt_counter_port_open(kern, device, &port, &err) < 0)
		fail_msg("%s", err.msg);
	return port;
}

static void read_all(struct rt_counter_port *port, struct rt_counter_set *set)
{
	struct rt_err err = { 0 };

	if (rt_counter_port_read(port, ALL, set, &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(rt_counter_set_check(set, NULL), 0);
}

static uint64_t value_of(const struct rt_counter_set *set, enum rt_counter_id id,
			 unsigned prio)
{
	const struct rt_opt_u64 value = rt_counter_value(set, id, prio);

	if (!value.known)
		fail_msg("%s is unknown", rt_counters[id].name);
	return value.value;
}

/* --- lists ------------------------------------------------------------------------------- */

static void test_port_writes_values_in_place_while_names_stay(void **state)
{
	struct rt_counter_set set = { 0 };
	struct rt_counter_port *port;
	struct fake_host host;
	const void *items;
	uint64_t layout;

	(void)state;
	fake_host_open("mlx5", &host);
	host.device.driver = host.port.driver;
	rt_fake_set_stat(&host.state->ethtool_stats, "rx_bytes_phy", 1);
	rt_fake_set_stat(&host.state->rdma_stats, "np_cnp_sent", 2);
	port = open_port(&host.fake->kern, &host.device);
	read_all(port, &set);
	items = set.items;
	layout = set.layout;
	assert_true(layout > 0);
	assert_string_equal(set.device, "mlx5_0/1");
	assert_string_equal(set.driver, "mlx5");
	for (uint64_t i = 10; i < 20; i++) {
		rt_fake_set_stat(&host.state->ethtool_stats, "rx_bytes_phy", i);
		rt_fake_set_stat(&host.state->rdma_stats, "np_cnp_sent", 2 * i);
		read_all(port, &set);
		assert_int_equal(value_of(&set, RT_COUNTER_RX_BYTES, PORT), i);
		assert_int_equal(value_of(&set, RT_COUNTER_CNP_TX, PORT), 2 * i);
		assert_ptr_equal(set.items, items);
		assert_int_equal(set.layout, layout);
	}
	rt_counter_port_close(port);
	rt_counter_set_free(&set);
	fake_host_close(&host);
}

/* mlx5 has the names of a priority while PFC is on for it. */
static void test_port_follows_names_that_come_and_go(void **state)
{
	struct rt_fake_stats *stats;
	struct rt_counter_set set = { 0 };
	struct rt_counter_port *port;
	struct fake_host host;
	uint64_t layout;

	(void)state;
	fake_host_open("mlx5", &host);
	host.device.driver = host.port.driver;
	stats = &host.state->ethtool_stats;
	host.state->dcb.pfc.indications[3] = 33;
	host.state->dcb.pfc.indications[4] = 44;
	rt_fake_set_stat(stats, "rx_prio3_pause", 100);
	rt_fake_set_stat(stats, "rx_bytes_phy", 5);
	port = open_port(&host.fake->kern, &host.device);
	read_all(port, &set);
	layout = set.layout;
	assert_int_equal(value_of(&set, RT_COUNTER_PFC_RX_FRAMES, 3), 100);
	assert_int_equal(value_of(&set, RT_COUNTER_PFC_RX_FRAMES, 4), 44);

	/* To another priority: as many names, and at the same place. */
	strcpy(stats->items[0].name, "rx_prio4_pause");
	stats->items[0].value = 7;
	read_all(port, &set);
	assert_true(set.layout > layout);
	layout = set.layout;
	assert_int_equal(value_of(&set, RT_COUNTER_PFC_RX_FRAMES, 3), 33);
	assert_int_equal(rt_counter_find(&set, RT_COUNTER_PFC_RX_FRAMES, 3)->source,
			 RT_SOURCE_DCB);
	assert_int_equal(value_of(&set, RT_COUNTER_PFC_RX_FRAMES, 4), 7);
	assert_int_equal(value_of(&set, RT_COUNTER_RX_BYTES, PORT), 5);

	/* Gone with PFC: what stood behind it moves up. */
	stats->items[0] = stats->items[1];
	stats->count = 1;
	read_all(port, &set);
	assert_true(set.layout > layout);
	layout = set.layout;
	assert_int_equal(value_of(&set, RT_COUNTER_PFC_RX_FRAMES, 4), 44);
	assert_int_equal(value_of(&set, RT_COUNTER_RX_BYTES, PORT), 5);

	/* And back. */
	rt_fake_set_stat(stats, "rx_prio4_pause", 8);
	read_all(port, &set);
	assert_true(set.layout > layout);
	assert_int_equal(value_of(&set, RT_COUNTER_PFC_RX_FRAMES, 4), 8);
	assert_string_equal(rt_counter_find(&set, RT_COUNTER_PFC_RX_FRAMES, 4)->name,
			    "rx_prio4_pause");
	rt_counter_port_close(port);
	rt_counter_set_free(&set);
	fake_host_close(&host);
}

/* --- sources ----------------------------------------------------------------------------- */

static void test_port_reads_the_sources_it_is_told_to(void **state)
{
	struct rt_counter_set set = { 0 };
	struct rt_counter_pace before;
	struct rt_counter_port *port;
	struct fake_host host;

	(void)state;
	fake_host_open("mlx5", &host);
	host.device.driver = host.port.driver;
	rt_fake_set_stat(&host.state->ethtool_stats, "rx_bytes_phy", 1);
	rt_fake_set_stat(&host.state->rdma_stats, "np_cnp_sent", 2);
	port = open_port(&host.fake->kern, &host.device);
	read_all(port, &set);
	before = set.paces[RT_SOURCE_ETHTOOL];
	assert_true(before.read_ns > 0);
	rt_fake_set_stat(&host.state->ethtool_stats, "rx_bytes_phy", 11);
	rt_fake_set_stat(&host.state->rdma_stats, "np_cnp_sent", 12);
	assert_int_equal(rt_counter_port_read(port, 1u << RT_SOURCE_RDMA, &set, NULL),
			 0);
	assert_int_equal(value_of(&set, RT_COUNTER_RX_BYTES, PORT), 1);
	assert_int_equal(value_of(&set, RT_COUNTER_CNP_TX, PORT), 12);
	assert_memory_equal(&set.paces[RT_SOURCE_ETHTOOL], &before, sizeof(before));
	assert_true(set.paces[RT_SOURCE_RDMA].read_ns > before.read_ns);
	/* Nothing was to be read of these: no time is told. */
	assert_int_equal(set.paces[RT_SOURCE_DEVICE].read_ns, 0);
	rt_counter_port_close(port);
	rt_counter_set_free(&set);
	fake_host_close(&host);
}

static unsigned asked;

static int refuse(struct rt_kern *kern, const char *path, char *buf, size_t capacity,
		  size_t *ret_bytes, struct rt_err *err)
{
	const char *name = strrchr(path, '/');

	(void)kern;
	if (!strstr(path, "/counters/"))
		return rt_err_sys(err, -ENOENT, "%s", path);
	asked++;
	if (strcmp(name, "/port_rcv_packets") == 0)
		return rt_err_sys(err, -EINVAL, "%s", path);
	*ret_bytes = (size_t)snprintf(buf, capacity, "5\n");
	return 0;
}

/* node_exporter #3434: each try would be a line in the kernel's log. */
static void test_port_drops_a_source_at_its_first_error(void **state)
{
	struct rt_counter_set set = { 0 };
	struct rt_counter_port *port;
	struct rt_kern_ops ops;
	struct fake_host host;
	char why[160];

	(void)state;
	fake_host_open("mlx5", &host);
	host.device.driver = host.port.driver;
	ops = *host.fake->kern.ops;
	ops.file_read = refuse;
	host.fake->kern.ops = &ops;
	host.state->rdma_stats.code = -EPERM;
	rt_fake_set_stat(&host.state->ethtool_stats, "rx_bytes_phy", 1);
	asked = 0;
	port = open_port(&host.fake->kern, &host.device);
	read_all(port, &set);
	assert_int_equal(asked, 2); /* bytes, and frames that refuse */
	assert_int_equal(set.looks[RT_SOURCE_PMA].state, RT_LOOK_FAILED);
	assert_non_null(strstr(set.looks[RT_SOURCE_PMA].why, "port_rcv_packets"));
	/* What it had said before is not known either. */
	assert_null(rt_counter_find(&set, RT_COUNTER_RDMA_RX_BYTES, PORT));
	snprintf(why, sizeof(why), "%s", set.looks[RT_SOURCE_PMA].why);
	for (unsigned i = 0; i < 100; i++)
		read_all(port, &set);
	assert_int_equal(asked, 2);
	assert_string_equal(set.looks[RT_SOURCE_PMA].why, why);
	assert_int_equal(set.looks[RT_SOURCE_RDMA].state, RT_LOOK_FAILED);
	assert_int_equal(value_of(&set, RT_COUNTER_RX_BYTES, PORT), 1);
	rt_counter_port_close(port);
	rt_counter_set_free(&set);
	fake_host_close(&host);
}

/* The number of a source's values is another one when one of them is. */
static void test_port_numbers_what_a_source_says(void **state)
{
	struct rt_counter_set set = { 0 };
	struct rt_counter_port *port;
	struct fake_host host;
	uint64_t filled;

	(void)state;
	fake_host_open("mlx5", &host);
	host.device.driver = host.port.driver;
	rt_fake_set_stat(&host.state->ethtool_stats, "rx_bytes_phy", 1);
	port = open_port(&host.fake->kern, &host.device);
	read_all(port, &set);
	filled = set.paces[RT_SOURCE_ETHTOOL].filled;
	assert_int_not_equal(filled, 0);
	read_all(port, &set);
	assert_int_equal(set.paces[RT_SOURCE_ETHTOOL].filled, filled);
	rt_fake_set_stat(&host.state->ethtool_stats, "rx_bytes_phy", 2);
	read_all(port, &set);
	assert_int_equal(value_of(&set, RT_COUNTER_RX_BYTES, PORT), 2);
	assert_int_not_equal(set.paces[RT_SOURCE_ETHTOOL].filled, filled);
	rt_counter_port_close(port);
	rt_counter_set_free(&set);
	fake_host_close(&host);
}

static void test_port_keeps_what_a_busy_source_said(void **state)
{
	struct rt_counter_set set = { 0 };
	struct rt_counter_pace before;
	struct rt_counter_port *port;
	struct fake_host host;
	uint64_t layout;

	(void)state;
	fake_host_open("mlx5", &host);
	host.device.driver = host.port.driver;
	rt_fake_set_stat(&host.state->ethtool_stats, "rx_bytes_phy", 1);
	port = open_port(&host.fake->kern, &host.device);
	read_all(port, &set);
	layout = set.layout;
	before = set.paces[RT_SOURCE_ETHTOOL];
	host.state->ethtool_stats.code = -EAGAIN;
	read_all(port, &set);
	assert_int_equal(value_of(&set, RT_COUNTER_RX_BYTES, PORT), 1);
	assert_memory_equal(&set.paces[RT_SOURCE_ETHTOOL], &before, sizeof(before));
	assert_int_equal(set.layout, layout);
	host.state->ethtool_stats.code = 0;
	rt_fake_set_stat(&host.state->ethtool_stats, "rx_bytes_phy", 2);
	read_all(port, &set);
	assert_int_equal(value_of(&set, RT_COUNTER_RX_BYTES, PORT), 2);
	rt_counter_port_close(port);
	rt_counter_set_free(&set);
	fake_host_close(&host);
}

/* A driver that is loaded anew: what was open is of nothing any more. */
static void test_port_tells_that_it_has_gone_and_is_opened_anew(void **state)
{
	static const struct {
		const char *label;
		bool ethtool;
		int code;
	} cases[] = {
		{ "its network device", true, -ENODEV },
		{ "its RDMA device", false, -ENODEV },
		/* Netlink asks by number, and that is of none now. */
		{ "the number of its RDMA device", false, -EOPNOTSUPP },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_counter_set set = { 0 };
		struct rt_counter_port *port;
		struct fake_host host;
		struct rt_fake_stats *stats;
		uint64_t layout;

		print_message("# %s\n", cases[i].label);
		fake_host_open("mlx5", &host);
		host.device.driver = host.port.driver;
		rt_fake_set_stat(&host.state->ethtool_stats, "rx_bytes_phy", 1);
		rt_fake_set_stat(&host.state->rdma_stats, "np_cnp_sent", 2);
		stats = cases[i].ethtool ? &host.state->ethtool_stats
					 : &host.state->rdma_stats;
		port = open_port(&host.fake->kern, &host.device);
		read_all(port, &set);
		layout = set.layout;
		stats->code = cases[i].code;
		assert_int_equal(rt_counter_port_read(port, ALL, &set, NULL), -ENODEV);
		rt_counter_port_close(port);
		stats->code = 0;
		port = open_port(&host.fake->kern, &host.device);
		read_all(port, &set);
		assert_int_equal(value_of(&set, RT_COUNTER_RX_BYTES, PORT), 1);
		assert_true(set.layout > layout);
		rt_counter_port_close(port);
		/* What is not there from the beginning is no more than that. */
		stats->code = -ENODEV;
		port = open_port(&host.fake->kern, &host.device);
		read_all(port, &set);
		assert_int_equal(
			set.looks[cases[i].ethtool ? RT_SOURCE_ETHTOOL : RT_SOURCE_RDMA]
				.state,
			RT_LOOK_FAILED);
		rt_counter_port_close(port);
		rt_counter_set_free(&set);
		fake_host_close(&host);
	}
}

/* Where no row of the driver has it; one that has none is asked once. */
static void test_port_falls_back_to_standard_statistics(void **state)
{
	struct rt_counter_set set = { 0 };
	struct rt_counter_port *port;
	struct fake_host host;

	(void)state;
	for (unsigned has = 0; has < 2; has++) {
		fake_host_open("mlx5", &host);
		host.device.driver = host.port.driver;
		rt_fake_set_stat(&host.state->ethtool_stats, "rx_bytes_phy", 1);
		if (has) {
			rt_fake_set_stat(&host.state->standard_stats,
					 "fec-uncorrectable_blocks", 4);
			rt_fake_set_stat(&host.state->standard_stats,
					 "eth-mac-OctetsReceivedOK", 5);
		}
		port = open_port(&host.fake->kern, &host.device);
		read_all(port, &set);
		assert_int_equal(value_of(&set, RT_COUNTER_RX_BYTES, PORT), 1);
		assert_int_equal(set.looks[RT_SOURCE_STANDARD].state,
				 has ? RT_LOOK_READ : RT_LOOK_NONE);
		rt_fake_set_stat(&host.state->standard_stats,
				 "fec-uncorrectable_blocks", 6);
		read_all(port, &set);
		if (has)
			assert_int_equal(
				value_of(&set, RT_COUNTER_FEC_UNCORRECTABLE, PORT), 6);
		else
			assert_null(rt_counter_find(&set, RT_COUNTER_FEC_UNCORRECTABLE,
						    PORT));
		rt_counter_port_close(port);
		rt_counter_set_free(&set);
		memset(&set, 0, sizeof(set));
		fake_host_close(&host);
	}
}

/* --- queueing disciplines --------------------------------------------------------- */

/* A port whose netdev itself dropped 70 and whose qdiscs dropped 5 and marked 6. */
static void qdisc_host_open(const char *kernel_driver, bool rdma,
			    struct fake_host *host)
{
	fake_host_open("mlx5", host);
	rt_fake_add_file(host->fake, "/sys/class/net/eth0/statistics/tx_dropped",
			 RT_FAKE_TEXT, "70");
	rt_fake_set_stat(&host->state->qdisc_stats, "drops", 5);
	rt_fake_set_stat(&host->state->qdisc_stats, "marked", 6);
	host->device.driver = rt_driver_find(kernel_driver);
	host->device.function = strcmp(kernel_driver, "rdma_rxe") == 0
					? RT_FUNCTION_SOFT
					: RT_FUNCTION_PF;
	if (!rdma)
		host->device.ibdev[0] = '\0';
}

static void test_port_is_asked_for_qdiscs_unless_rdma_bypasses_them(void **state)
{
	static const struct {
		const char *driver;
		bool rdma, plain;
	} cases[] = {
		{ "rdma_rxe", true, true },
		{ "virtio_net", false, true },
		{ "mlx5_core", true, false },
		{ "mlx5_core", false, false },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const bool plain = cases[i].plain;
		struct rt_counter_set set;
		struct fake_host host;

		print_message("# %s\n", cases[i].driver);
		qdisc_host_open(cases[i].driver, cases[i].rdma, &host);
		assert_int_equal(
			rt_counters_read(&host.fake->kern, &host.device, &set, NULL),
			0);
		assert_int_equal(set.looks[RT_SOURCE_QDISC].state,
				 plain ? RT_LOOK_READ : RT_LOOK_NONE);
		assert_int_equal(
			rt_counter_value(&set, RT_COUNTER_TX_DISCARDS, PORT).value,
			plain ? 5 : 0);
		assert_int_equal(
			rt_counter_value(&set, RT_COUNTER_TX_DISCARDS, PORT).known,
			plain);
		assert_int_equal(
			rt_counter_value(&set, RT_COUNTER_SWITCH_MARKED, PORT).value,
			plain ? 6 : 0);
		assert_int_equal(
			rt_counter_value(&set, RT_COUNTER_NETDEV_TX_DROPPED, PORT)
				.value,
			70);
		rt_counter_set_free(&set);
		fake_host_close(&host);
	}
}

/* A qdisc that comes later, in the place of none with a queue, is seen then. */
static void test_port_counts_a_qdisc_that_comes_later(void **state)
{
	struct rt_counter_set set = { 0 };
	struct rt_counter_port *port;
	struct fake_host host;

	(void)state;
	qdisc_host_open("rdma_rxe", true, &host);
	host.state->qdisc_stats.count = 0;
	rt_fake_set_stat(&host.state->qdisc_stats, "nothing of interest", 1);
	port = open_port(&host.fake->kern, &host.device);
	read_all(port, &set);
	assert_int_equal(value_of(&set, RT_COUNTER_TX_DISCARDS, PORT), 70);
	assert_int_equal(rt_counter_find(&set, RT_COUNTER_TX_DISCARDS, PORT)->source,
			 RT_SOURCE_NETDEV);
	rt_fake_set_stat(&host.state->qdisc_stats, "drops", 3);
	read_all(port, &set);
	assert_int_equal(value_of(&set, RT_COUNTER_TX_DISCARDS, PORT), 3);
	assert_int_equal(rt_counter_find(&set, RT_COUNTER_TX_DISCARDS, PORT)->bits, 32);
	rt_counter_port_close(port);
	rt_counter_set_free(&set);
	fake_host_close(&host);
}

/* A kernel without them is as a port without; one that refuses says why, once. */
static void test_port_tells_once_that_qdiscs_are_refused(void **state)
{
	static const int codes[] = { -EOPNOTSUPP, -EPERM };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(codes); i++) {
		struct rt_counter_set set = { 0 };
		struct rt_counter_port *port;
		struct fake_host host;

		qdisc_host_open("rdma_rxe", true, &host);
		host.state->qdisc_stats.code = codes[i];
		port = open_port(&host.fake->kern, &host.device);
		for (unsigned turn = 0; turn < 2; turn++) {
			read_all(port, &set);
			assert_int_equal(set.looks[RT_SOURCE_QDISC].state,
					 codes[i] == -EPERM ? RT_LOOK_FAILED
							    : RT_LOOK_NONE);
			assert_int_equal(set.looked, 1);
			assert_int_equal(value_of(&set, RT_COUNTER_TX_DISCARDS, PORT),
					 70);
			/* It would answer now, but is not asked. */
			host.state->qdisc_stats.code = 0;
		}
		rt_counter_port_close(port);
		rt_counter_set_free(&set);
		fake_host_close(&host);
	}
}

/* --- files ------------------------------------------------------------------------------- */

struct tree {
	char folder[64];
	struct rt_kern *kern;
	struct rt_device device;
};

#define SYS_PORT "sys/class/infiniband/mlx5_0/ports/1/"

static void put(const struct tree *tree, const char *path, const char *text)
{
	made_tree_put(tree->folder, path, text);
}

static void open_tree(struct tree *tree)
{
	struct rt_err err = { 0 };

	*tree = (struct tree){
		.folder = "/tmp/rt-port-XXXXXX",
		.device = { .ibdev = "mlx5_0", .port = 1, .netdev = "eth0" }
	};
	assert_non_null(mkdtemp(tree->folder));
	tree->device.driver = rt_driver_find("mlx5_core");
	put(tree, SYS_PORT "counters/port_rcv_data", "25\n");
	put(tree, SYS_PORT "counters/port_xmit_data", "N/A (no PMA)\n");
	put(tree, SYS_PORT "hw_counters/np_cnp_sent", "7\n");
	put(tree, SYS_PORT "hw_counters/lifespan", "10\n");
	put(tree, "sys/class/net/eth0/statistics/rx_bytes", "3\n");
	if (rt_kern_open_folder(tree->folder, &tree->kern, &err) < 0)
		fail_msg("%s", err.msg);
}

static void close_tree(struct tree *tree)
{
	rt_kern_close(tree->kern);
	made_tree_remove(tree->folder);
}

static void test_port_reads_files_that_it_holds_open(void **state)
{
	struct rt_counter_set set = { 0 };
	struct rt_counter_port *port;
	struct tree tree;
	uint64_t layout;

	(void)state;
	RT_NEED_OPENAT2();
	open_tree(&tree);
	port = open_port(tree.kern, &tree.device);
	read_all(port, &set);
	layout = set.layout;
	assert_int_equal(value_of(&set, RT_COUNTER_RDMA_RX_BYTES, PORT), 100);
	assert_int_equal(value_of(&set, RT_COUNTER_CNP_TX, PORT), 7);
	assert_int_equal(value_of(&set, RT_COUNTER_NETDEV_RX_BYTES, PORT), 3);
	assert_null(rt_counter_find(&set, RT_COUNTER_RDMA_TX_BYTES, PORT));
	assert_int_equal(set.refresh_ms.value, 10);

	put(&tree, SYS_PORT "counters/port_rcv_data", "26\n");
	put(&tree, "sys/class/net/eth0/statistics/rx_bytes", "18446744073709551614\n");
	read_all(port, &set);
	assert_int_equal(value_of(&set, RT_COUNTER_RDMA_RX_BYTES, PORT), 104);
	assert_int_equal(value_of(&set, RT_COUNTER_NETDEV_RX_BYTES, PORT),
			 UINT64_MAX - 1);
	assert_int_equal(set.layout, layout);

	/* A text becomes a number, and a number a text. */
	put(&tree, SYS_PORT "counters/port_xmit_data", "2\n");
	put(&tree, SYS_PORT "counters/port_rcv_data", "N/A (no PMA)\n");
	read_all(port, &set);
	assert_true(set.layout > layout);
	assert_int_equal(value_of(&set, RT_COUNTER_RDMA_TX_BYTES, PORT), 8);
	assert_null(rt_counter_find(&set, RT_COUNTER_RDMA_RX_BYTES, PORT));
	rt_counter_port_close(port);
	rt_counter_set_free(&set);
	close_tree(&tree);
}

static void test_port_opens_what_was_replaced_anew(void **state)
{
	static const char counter[] = SYS_PORT "hw_counters/np_cnp_sent";
	static const char stats[] = "rocetune/stats/ethtool/eth0";
	struct rt_counter_set set = { 0 };
	struct rt_counter_port *port;
	struct tree tree;
	char path[200];
	uint64_t layout;

	(void)state;
	RT_NEED_OPENAT2();
	open_tree(&tree);
	put(&tree, stats, "rx_bytes_phy: 1\n");
	port = open_port(tree.kern, &tree.device);
	read_all(port, &set);
	layout = set.layout;
	made_tree_replace(tree.folder, counter, "8\n");
	made_tree_replace(tree.folder, stats, "rx_bytes_phy: 2\n");
	assert_true(rt_counter_port_renew(port));
	for (unsigned i = 0; i < 3; i++) {
		read_all(port, &set);
		assert_int_equal(value_of(&set, RT_COUNTER_CNP_TX, PORT), 8);
		assert_int_equal(value_of(&set, RT_COUNTER_RX_BYTES, PORT), 2);
	}
	/* Those beside them, and the new one, are held on. */
	put(&tree, counter, "9\n");
	put(&tree, SYS_PORT "counters/port_rcv_data", "26\n");
	read_all(port, &set);
	assert_int_equal(value_of(&set, RT_COUNTER_CNP_TX, PORT), 9);
	assert_int_equal(value_of(&set, RT_COUNTER_RDMA_RX_BYTES, PORT), 104);
	assert_int_equal(set.layout, layout);
	/* What is removed stays as it was until another one comes. */
	snprintf(path, sizeof(path), "%s/%s", tree.folder, counter);
	assert_int_equal(unlink(path), 0);
	assert_true(rt_counter_port_renew(port));
	read_all(port, &set);
	assert_int_equal(value_of(&set, RT_COUNTER_CNP_TX, PORT), 9);
	put(&tree, counter, "10\n");
	assert_true(rt_counter_port_renew(port));
	read_all(port, &set);
	assert_int_equal(value_of(&set, RT_COUNTER_CNP_TX, PORT), 10);
	rt_counter_port_close(port);
	rt_counter_set_free(&set);
	close_tree(&tree);
}

static void test_port_reads_numbers_and_nothing_else(void **state)
{
	static const struct {
		const char *text;
		bool known;
		uint64_t value;
	} cases[] = {
		{ "0\n", true, 0 },
		{ "12", true, 12 },
		{ "18446744073709551614\n", true, UINT64_MAX - 1 },
		{ "00000000000000000000000000042\n", true, 42 },
		{ "18446744073709551615\n", false, 0 }, /* the NIC's "none" */
		{ "18446744073709551616\n", false, 0 },
		{ "99999999999999999999999\n", false, 0 },
		{ "", false, 0 },
		{ "\n", false, 0 },
		{ "-1\n", false, 0 },
		{ " 1\n", false, 0 },
		{ "1 frames\n", false, 0 },
		{ "N/A\n", false, 0 },
		{ "0000000000000000000000000000000000000000000000000000000000000001",
		  false, 0 }, /* longer than is looked at */
	};
	struct rt_counter_set set = { 0 };
	struct rt_counter_port *port;
	struct tree tree;

	(void)state;
	RT_NEED_OPENAT2();
	open_tree(&tree);
	port = open_port(tree.kern, &tree.device);
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_opt_u64 value;

		put(&tree, "sys/class/net/eth0/statistics/rx_bytes", cases[i].text);
		read_all(port, &set);
		value = rt_counter_value(&set, RT_COUNTER_NETDEV_RX_BYTES, PORT);
		if (value.known != cases[i].known ||
		    (value.known && value.value != cases[i].value))
			fail_msg("'%s'", cases[i].text);
	}
	rt_counter_port_close(port);
	rt_counter_set_free(&set);
	close_tree(&tree);
}

/* Out of descriptors it is slower, and as right. */
static void test_port_reads_without_descriptors_to_spare(void **state)
{
	struct rt_counter_set set = { 0 };
	struct rlimit before, few;
	struct rt_counter_port *port;
	struct tree tree;
	int next, highest;

	(void)state;
	RT_NEED_OPENAT2();
	open_tree(&tree);
	put(&tree, "rocetune/stats/ethtool/eth0", "rx_bytes_phy: 1\n");
	put(&tree, "rocetune/stats/standard/eth0", "pause-rx_pause_frames: 2\n");
	put(&tree, "rocetune/stats/rdma/mlx5_0/1", "np_cnp_sent: 3\n");
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	port = open_port(tree.kern, &tree.device);
	next = dup(0);
	close(next);
	few = before;
	few.rlim_cur = (rlim_t)next + 66; /* two to hold, the rest for others */
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	for (unsigned i = 0; i < 3; i++)
		read_all(port, &set);
	highest = dup(0);
	close(highest);
	setrlimit(RLIMIT_NOFILE, &before);
	assert_true(highest <= next + 2);
	assert_int_equal(value_of(&set, RT_COUNTER_RDMA_RX_BYTES, PORT), 100);
	assert_int_equal(value_of(&set, RT_COUNTER_RX_BYTES, PORT), 1);
	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++)
		if (i != RT_SOURCE_ETHTOOL && i != RT_SOURCE_DCB &&
		    set.looks[i].state == RT_LOOK_FAILED)
			fail_msg("%s", set.looks[i].why);
	rt_counter_port_close(port);
	rt_counter_set_free(&set);
	close_tree(&tree);
}

RT_UNIT_MAIN(cmocka_unit_test(test_port_is_asked_for_qdiscs_unless_rdma_bypasses_them),
	     cmocka_unit_test(test_port_counts_a_qdisc_that_comes_later),
	     cmocka_unit_test(test_port_tells_once_that_qdiscs_are_refused),
	     cmocka_unit_test(test_port_writes_values_in_place_while_names_stay),
	     cmocka_unit_test(test_port_follows_names_that_come_and_go),
	     cmocka_unit_test(test_port_reads_the_sources_it_is_told_to),
	     cmocka_unit_test(test_port_drops_a_source_at_its_first_error),
	     cmocka_unit_test(test_port_numbers_what_a_source_says),
	     cmocka_unit_test(test_port_keeps_what_a_busy_source_said),
	     cmocka_unit_test(test_port_tells_that_it_has_gone_and_is_opened_anew),
	     cmocka_unit_test(test_port_falls_back_to_standard_statistics),
	     cmocka_unit_test(test_port_reads_files_that_it_holds_open),
	     cmocka_unit_test(test_port_opens_what_was_replaced_anew),
	     cmocka_unit_test(test_port_reads_numbers_and_nothing_else),
	     cmocka_unit_test(test_port_reads_without_descriptors_to_spare))
