/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The picture of a host as a source of samples, also one that something writes to; with
 * what people complained about in other monitors (by issue, where it was said).
 */
#include "host_source.h"
#include "made_tree.h"

#include <errno.h>
#include <unistd.h>

#include "base/own.h"
#include "run/host.h"

/* --- a folder ---------------------------------------------------------------------------- */

/* One NIC of each driver, and what some of them count. */
static void make_zoo(char folder[64])
{
	static const struct {
		const char *path, *text;
	} files[] = {
		{ "sys/class/infiniband/mlx5_0/ports/1/counters/port_xmit_data",
		  "1000\n" },
		{ "sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_data",
		  "N/A (no PMA)\n" },
		{ "sys/class/infiniband/mlx5_0/ports/1/hw_counters/np_cnp_sent",
		  "9\n" },
		{ "sys/class/infiniband/mlx5_0/ports/1/hw_counters/lifespan",
		  "10000\n" },
		{ "rocetune/stats/ethtool/eth4",
		  "rx_bytes_pri3: 7\nrx_stat_discard: 1\n" },
		{ "rocetune/stats/rdma/bnxt_re0/1", "rx_ecn_marked_pkts: 8\n" },
		{ "sys/class/infiniband/rocep4s0/ports/1/hw_counters/cnpSent", "5\n" },
		{ "sys/class/infiniband/rxe0/ports/1/hw_counters/sent_pkts", "4\n" },
		{ "sys/class/infiniband/mlx4_0/ports/1/hw_counters/rq_num_oos", "1\n" },
		{ "sys/class/infiniband/mlx4_0/ports/2/hw_counters/rq_num_oos", "2\n" },
	};

	char command[200];

	/* In memory where that is: there are hundreds of files. */
	snprintf(folder, 64, "%s/rt-watch-XXXXXX",
		 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	assert_non_null(mkdtemp(folder));
	snprintf(command, sizeof(command), "cp -a tests/trees/zoo/. %.63s/", folder);
	assert_int_equal(system(command), 0);
	for (size_t i = 0; i < RT_ARRAY_SIZE(files); i++)
		made_tree_put(folder, files[i].path, files[i].text);
}

static struct rt_watch_source *open_folder(const char *folder,
					   const struct rt_watch_request *more)
{
	struct rt_watch_request request = *more;
	struct rt_kern *kern = NULL;
	struct rt_err err = { 0 };

	request.sysroot = folder;
	if (rt_run_open_host(folder, &kern, &err) < 0)
		fail_msg("%s", err.msg);
	return open_on(kern, &request);
}

static void test_sysroot_shows_each_driver_with_what_it_has(void **state)
{
	struct rt_watch_sample sample = { 0 };
	struct rt_watch_source *source;
	const struct rt_watch_input *mlx5, *bnxt;
	char folder[64];

	(void)state;
	RT_NEED_OPENAT2();
	make_zoo(folder);
	source = open_folder(folder, &(struct rt_watch_request){ 0 });
	take(source, &sample);
	assert_int_equal(sample.count, 17);
	assert_non_null(strstr(source->title, folder));

	/* rdmatop #12: mlx5 has no bytes in hw_counters; words are of four bytes. */
	mlx5 = input_of(&sample, "mlx5_0/1");
	assert_int_equal(value_of(mlx5, RT_COUNTER_RDMA_TX_BYTES, PORT), 4000);
	/* node_exporter #966: "N/A (no PMA)". */
	assert_false(is_known(mlx5, RT_COUNTER_RDMA_RX_BYTES));
	assert_int_equal(value_of(mlx5, RT_COUNTER_CNP_TX, PORT), 9);

	/* procfs #687: bnxt_re has no counters/. */
	bnxt = input_of(&sample, "bnxt_re0/1");
	assert_int_equal(value_of(bnxt, RT_COUNTER_CE_RX, PORT), 8);
	assert_int_equal(value_of(bnxt, RT_COUNTER_RX_BYTES, 3), 7);
	assert_false(is_known(bnxt, RT_COUNTER_RDMA_RX_BYTES));
	assert_int_equal(bnxt->set.looks[RT_SOURCE_PMA].state, RT_LOOK_NONE);
	assert_int_equal(
		value_of(input_of(&sample, "rocep4s0/1"), RT_COUNTER_CNP_TX, PORT), 5);
	assert_int_equal(
		value_of(input_of(&sample, "rxe0/1"), RT_COUNTER_RDMA_TX_FRAMES, PORT),
		4);

	/* Of a device with two ports both are there, each with its own. */
	assert_int_equal(value_of(input_of(&sample, "mlx4_0/1"),
				  RT_COUNTER_OUT_OF_SEQUENCE, PORT),
			 1);
	assert_int_equal(value_of(input_of(&sample, "mlx4_0/2"),
				  RT_COUNTER_OUT_OF_SEQUENCE, PORT),
			 2);
	assert_int_equal(input_of(&sample, "mlx4_0/2")->port.state, RT_WATCH_DOWN);
	/* Whose its device's queue pairs are is not known. */
	assert_false(input_of(&sample, "mlx4_0/2")->port.queue_pairs.known);
	/* What is not readable is in no set: it cannot be 0. */
	for (size_t i = 0; i < sample.count; i++)
		assert_false(is_known(&sample.items[i], RT_COUNTER_OUT_OF_BUFFER));
	end(source, &sample);
	made_tree_remove(folder);
}

static void test_sysroot_tells_what_ports_are(void **state)
{
	struct rt_watch_sample sample = { 0 };
	const struct rt_watch_port *port;
	struct rt_watch_source *source;
	char text[RT_IP_TEXT_BYTES];

	(void)state;
	RT_NEED_OPENAT2();
	source = open_folder("tests/trees/two-rails", &(struct rt_watch_request){ 0 });
	take(source, &sample);
	/* The InfiniBand port is not RoCE. */
	assert_int_equal(sample.count, 2);
	port = &input_of(&sample, "mlx5_0/1")->port;
	assert_string_equal(port->driver, "mlx5");
	assert_int_equal(port->role, RT_WATCH_NIC);
	assert_int_equal(port->state, RT_WATCH_UP);
	assert_int_equal(port->lossless.value, 1 << 3);
	assert_int_equal(port->cnp_gap_ns.value, 4000);
	assert_int_equal(port->speed_bps.value, 100000000000);
	/* 32 GT/s, 128b/130b, 16 lanes; the second 16 GT/s and 8. */
	assert_int_equal(port->pcie_bps.value, 504123076923);
	assert_int_equal(port->pcie_max_bps.value, 504123076923);
	assert_int_equal(port->ip.version, 4);
	assert_non_null(rt_ip_format(&port->ip, text));
	port = &input_of(&sample, "mlx5_1/1")->port;
	assert_int_equal(port->pcie_bps.value, 504123076923 / 4);
	assert_int_equal(port->pcie_max_bps.value, 504123076923);
	assert_false(port->rdma_prios.known);
	end(source, &sample);
}

static void test_sysroot_is_watched_by_patterns(void **state)
{
	static const struct {
		const char *ports, *exclude;
		size_t count;
		const char *has, *lacks;
	} cases[] = {
		{ NULL, NULL, 17, "mlx5_0/1", NULL },
		{ "mlx5_*", NULL, 3, "mlx5_bond_0/1", "rxe0/1" },
		{ "mlx4_0/2", NULL, 1, "mlx4_0/2", "mlx4_0/1" },
		{ "mlx4_0", NULL, 2, "mlx4_0/2", "rxe0/1" },
		{ "0000:08:*", NULL, 2, "mlx4_0/2", "rxe0/1" },
		{ "eth9", NULL, 1, "mlx4_0/1", NULL },
		{ NULL, "mlx?_*", 12, "rxe0/1", "mlx5_0/1" },
		{ "mlx*", "*/2", 4, "mlx4_0/1", "mlx4_0/2" },
	};
	char folder[64];

	(void)state;
	RT_NEED_OPENAT2();
	make_zoo(folder);
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const char *ports[] = { cases[i].ports, NULL };
		const char *exclude[] = { cases[i].exclude, NULL };
		struct rt_watch_sample sample = { 0 };
		struct rt_watch_source *source = open_folder(
			folder, &(struct rt_watch_request){ .ports = ports,
							    .exclude = exclude });

		take(source, &sample);
		assert_int_equal(sample.count, cases[i].count);
		assert_true(has_port(&sample, cases[i].has));
		if (cases[i].lacks)
			assert_false(has_port(&sample, cases[i].lacks));
		end(source, &sample);
	}
	made_tree_remove(folder);
}

static void test_sysroot_without_a_port_says_what_to_do(void **state)
{
	static const char *const none[] = { "nothing*", NULL };
	struct rt_watch_request request = { .ports = none, .sysroot = "zoo" };
	struct rt_watch_source *source = NULL;
	struct rt_kern *kern = NULL;
	struct rt_err err = { 0 };

	(void)state;
	RT_NEED_OPENAT2();
	assert_int_equal(rt_run_open_host("tests/trees/zoo", &kern, NULL), 0);
	assert_int_equal(rt_watch_host_open(kern, &request, &source, &err), -ENODEV);
	assert_non_null(strstr(err.msg, "rocetune list"));
}

/* node_exporter shows lifespan as 0 seconds; it is 10 ms, here 10 s. */
static void test_sysroot_says_that_counters_are_older_than_the_interval(void **state)
{
	struct rt_watch_sample sample = { 0 };
	struct rt_watch_source *source;
	char folder[64];

	(void)state;
	RT_NEED_OPENAT2();
	make_zoo(folder);
	source = open_folder(folder, &(struct rt_watch_request){ 0 });
	take(source, &sample);
	assert_int_equal(input_of(&sample, "mlx5_0/1")->set.refresh_ms.value, 10000);
	assert_null(strstr(input_of(&sample, "mlx5_0/1")->port.note, "refresh"));
	take(source, &sample);
	assert_non_null(strstr(input_of(&sample, "mlx5_0/1")->port.note,
			       "counter refresh 10000 ms"));
	assert_null(strstr(input_of(&sample, "bnxt_re0/1")->port.note, "refresh"));
	end(source, &sample);
	made_tree_remove(folder);
}

/* An interval that is as long as the counters' is measured a little shorter, or longer. */
static void test_sysroot_says_nothing_of_counters_as_old_as_the_interval(void **state)
{
	static const struct {
		int64_t passed_ms;
		bool noted;
	} cases[] = {
		{ 9990, false }, { 10010, false }, { 9600, false },  { 9400, true },
		{ 9600, true },  { 9990, true },   { 10010, false }, { 9990, false },
	};
	struct rt_watch_sample sample = { 0 };
	struct rt_watch_source *source;
	char folder[64];

	(void)state;
	RT_NEED_OPENAT2();
	make_zoo(folder);
	source = open_folder(folder, &(struct rt_watch_request){ 0 });
	take(source, &sample);
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		((struct rt_watch_host *)source)->sampled_ns =
			rt_monotonic_ns() - cases[i].passed_ms * 1000000;
		take(source, &sample);
		assert_int_equal(strstr(input_of(&sample, "mlx5_0/1")->port.note,
					"counter refresh 10000 ms") != NULL,
				 cases[i].noted);
	}
	end(source, &sample);
	made_tree_remove(folder);
}

/* A picture that stands still has no rates; what something writes to has, source by source. */
static void test_sysroot_has_rates_of_what_is_seen_to_move(void **state)
{
	const struct rt_watch_input *input;
	struct rt_watch_sample sample = { 0 };
	struct rt_watch_source *source;
	int64_t rdma_ns, ethtool_ns;
	char folder[64];

	(void)state;
	RT_NEED_OPENAT2();
	make_zoo(folder);
	source = open_folder(folder, &(struct rt_watch_request){ 0 });
	take(source, &sample);
	rdma_ns = input_of(&sample, "bnxt_re0/1")->set.paces[RT_SOURCE_RDMA].read_ns;
	ethtool_ns =
		input_of(&sample, "bnxt_re0/1")->set.paces[RT_SOURCE_ETHTOOL].read_ns;
	assert_true(rdma_ns > 0 && ethtool_ns > 0);
	for (unsigned i = 0; i < 3; i++)
		take(source, &sample);
	input = input_of(&sample, "bnxt_re0/1");
	assert_int_equal(input->set.paces[RT_SOURCE_RDMA].read_ns, rdma_ns);
	assert_int_equal(input->set.paces[RT_SOURCE_ETHTOOL].read_ns, ethtool_ns);

	made_tree_put(folder, "rocetune/stats/ethtool/eth4",
		      "rx_bytes_pri3: 9\nrx_stat_discard: 1\n");
	for (unsigned i = 0; i < 2; i++) {
		take(source, &sample);
		input = input_of(&sample, "bnxt_re0/1");
		assert_true(input->set.paces[RT_SOURCE_ETHTOOL].read_ns > ethtool_ns);
		ethtool_ns = input->set.paces[RT_SOURCE_ETHTOOL].read_ns;
		assert_int_equal(input->set.paces[RT_SOURCE_RDMA].read_ns, rdma_ns);
	}
	end(source, &sample);
	made_tree_remove(folder);
}

/* Whoever writes to the folder may replace files as well: they are found in 5 s. */
static void test_sysroot_follows_files_that_are_replaced(void **state)
{
	struct rt_watch_sample sample = { 0 };
	struct rt_watch_source *source;
	char folder[64];

	(void)state;
	RT_NEED_OPENAT2();
	make_zoo(folder);
	source = open_folder(folder, &(struct rt_watch_request){ 0 });
	take(source, &sample);
	made_tree_replace(folder, "rocetune/stats/rdma/bnxt_re0/1",
			  "rx_ecn_marked_pkts: 11\n");
	made_tree_replace(folder,
			  "sys/class/infiniband/rocep4s0/ports/1/hw_counters/cnpSent",
			  "12\n");
	look_in(source, 5);
	take(source, &sample);
	assert_int_equal(
		value_of(input_of(&sample, "bnxt_re0/1"), RT_COUNTER_CE_RX, PORT), 11);
	assert_int_equal(
		value_of(input_of(&sample, "rocep4s0/1"), RT_COUNTER_CNP_TX, PORT), 12);
	/* From then on at once. */
	made_tree_replace(folder,
			  "sys/class/infiniband/rocep4s0/ports/1/hw_counters/cnpSent",
			  "13\n");
	take(source, &sample);
	assert_int_equal(
		value_of(input_of(&sample, "rocep4s0/1"), RT_COUNTER_CNP_TX, PORT), 13);
	end(source, &sample);
	made_tree_remove(folder);
}

#define GIDS  "sys/class/infiniband/mlx5_0/ports/1/gids/"
#define TYPES "sys/class/infiniband/mlx5_0/ports/1/gid_attrs/types/"

static void assert_ip(const struct rt_watch_sample *sample, const char *wanted)
{
	const struct rt_ip *ip = &input_of(sample, "mlx5_0/1")->port.ip;
	char text[RT_IP_TEXT_BYTES];

	assert_string_equal(ip->version ? rt_ip_format(ip, text) : "none", wanted);
}

static void move(const char *folder, const char *from, const char *to)
{
	char old[300], new[300];

	snprintf(old, sizeof(old), "%s/%s", folder, from);
	snprintf(new, sizeof(new), "%s/%s", folder, to);
	assert_int_equal(rename(old, new), 0);
}

/* Flows are matched by it, so that one of before is worse than none. */
static void test_sysroot_follows_addresses(void **state)
{
	struct rt_watch_sample sample = { 0 };
	struct rt_watch_source *source;
	char folder[64] = "/tmp/rt-watch-XXXXXX";

	(void)state;
	RT_NEED_OPENAT2();
	assert_non_null(mkdtemp(folder));
	made_tree_put(folder, "sys/class/infiniband/mlx5_0/ports/1/state",
		      "4: ACTIVE\n");
	made_tree_put(folder, "sys/class/infiniband/mlx5_0/ports/1/link_layer",
		      "Ethernet\n");
	made_tree_put(folder, GIDS "0", "fe80:0000:0000:0000:0202:c9ff:fe00:0001\n");
	made_tree_put(folder, TYPES "0", "RoCE v2\n");
	made_tree_put(folder, GIDS "1", "2001:0db8:0000:0000:0000:0000:0000:0001\n");
	made_tree_put(folder, TYPES "1", "RoCE v2\n");
	made_tree_put(folder, GIDS "2", "0000:0000:0000:0000:0000:ffff:c000:0201\n");
	made_tree_put(folder, TYPES "2", "RoCE v2\n");
	source = open_folder(folder, &(struct rt_watch_request){ 0 });
	take(source, &sample);
	assert_ip(&sample, "192.0.2.1"); /* before any of IPv6 */

	/* Another one, none but IPv6, none at all. */
	made_tree_put(folder, GIDS "2", "0000:0000:0000:0000:0000:ffff:c000:0207\n");
	look_in(source, 31);
	take(source, &sample);
	assert_ip(&sample, "192.0.2.7");
	made_tree_put(folder, GIDS "2", "0000:0000:0000:0000:0000:0000:0000:0000\n");
	look_in(source, 62);
	take(source, &sample);
	assert_ip(&sample, "2001:db8::1");
	made_tree_put(folder, TYPES "1", "IB/RoCE v1\n");
	look_in(source, 93);
	take(source, &sample);
	assert_ip(&sample, "fe80::202:c9ff:fe00:1");
	made_tree_put(folder, GIDS "0", "0000:0000:0000:0000:0000:0000:0000:0000\n");
	look_in(source, 124);
	take(source, &sample);
	assert_ip(&sample, "none");

	/* A port that comes back has it at once. */
	move(folder, "sys/class/infiniband/mlx5_0", "away");
	((struct rt_watch_host *)source)->changed = true;
	look_in(source, 125);
	take(source, &sample);
	assert_int_equal(input_of(&sample, "mlx5_0/1")->port.state, RT_WATCH_GONE);
	move(folder, "away", "sys/class/infiniband/mlx5_0");
	made_tree_put(folder, GIDS "2", "0000:0000:0000:0000:0000:ffff:c000:0209\n");
	((struct rt_watch_host *)source)->changed = true;
	look_in(source, 126);
	take(source, &sample);
	assert_ip(&sample, "192.0.2.9");
	end(source, &sample);
	made_tree_remove(folder);
}

RT_UNIT_MAIN(
	cmocka_unit_test(test_sysroot_shows_each_driver_with_what_it_has),
	cmocka_unit_test(test_sysroot_tells_what_ports_are),
	cmocka_unit_test(test_sysroot_is_watched_by_patterns),
	cmocka_unit_test(test_sysroot_without_a_port_says_what_to_do),
	cmocka_unit_test(test_sysroot_says_that_counters_are_older_than_the_interval),
	cmocka_unit_test(test_sysroot_says_nothing_of_counters_as_old_as_the_interval),
	cmocka_unit_test(test_sysroot_has_rates_of_what_is_seen_to_move),
	cmocka_unit_test(test_sysroot_follows_files_that_are_replaced),
	cmocka_unit_test(test_sysroot_follows_addresses))
