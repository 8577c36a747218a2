/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A host as a source of samples: ports that come and go, sources that are slow or refuse,
 * what people complained about in other monitors (by issue, where it was said).
 */
#include "made_tree.h"
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/own.h"
#include "kern/kern_fake.h"
#include "model/counters.h"
#include "rocetune/err.h"
#include "run/host.h"
#include "run/watch.h"
#include "run/watch_host.h"
#include "run/watch_host_parts.h"
#include "watch/sample.h"
#include "watch/source.h"

#define PORT RT_COUNTER_NO_PRIO

static struct rt_watch_source *open_on(struct rt_kern *kern,
				       const struct rt_watch_request *request)
{
	struct rt_watch_source *source = NULL;
	struct rt_err err = { 0 };

	if (rt_watch_host_open(kern, request, &source, &err) < 0)
		fail_msg("%s", err.msg);
	return source;
}

static void take(struct rt_watch_source *source, struct rt_watch_sample *sample)
{
	struct rt_err err = { 0 };

	if (source->ops->sample(source, sample, &err) < 0)
		fail_msg("%s", err.msg);
	for (size_t i = 0; i < sample->count; i++)
		assert_int_equal(rt_counter_set_check(&sample->items[i].set, NULL), 0);
}

static const struct rt_watch_input *input_of(const struct rt_watch_sample *sample,
					     const char *name)
{
	for (size_t i = 0; i < sample->count; i++)
		if (strcmp(sample->items[i].port.name, name) == 0)
			return &sample->items[i];
	fail_msg("no port %s", name);
	return NULL;
}

static bool has_port(const struct rt_watch_sample *sample, const char *name)
{
	for (size_t i = 0; i < sample->count; i++)
		if (strcmp(sample->items[i].port.name, name) == 0)
			return true;
	return false;
}

static uint64_t value_of(const struct rt_watch_input *input, enum rt_counter_id id,
			 unsigned prio)
{
	const struct rt_opt_u64 value = rt_counter_value(&input->set, id, prio);

	if (!value.known)
		fail_msg("%s: %s is unknown", input->port.name, rt_counters[id].name);
	return value.value;
}

static bool is_known(const struct rt_watch_input *input, enum rt_counter_id id)
{
	return rt_counter_find(&input->set, id, PORT) != NULL;
}

static void end(struct rt_watch_source *source, struct rt_watch_sample *sample)
{
	rt_watch_sample_free(sample);
	source->ops->close(source);
}

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

/* As if so much time had passed. */
static void look_in(struct rt_watch_source *source, unsigned seconds)
{
	assert_int_equal(
		rt_watch_host_look((struct rt_watch_host *)source,
				   rt_monotonic_ns() + seconds * INT64_C(1000000000),
				   NULL),
		0);
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

/* --- a fake host ------------------------------------------------------------------------- */

/* Sampled until the port is in a state; false: for ten seconds it was not. */
static bool becomes(struct rt_watch_source *source, struct rt_watch_sample *sample,
		    size_t port, unsigned state)
{
	const int64_t until_ns = rt_monotonic_ns() + 10000000000;

	do {
		take(source, sample);
		if (sample->items[port].port.state == state)
			return true;
		nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	} while (rt_monotonic_ns() < until_ns);
	return false;
}

static void test_host_follows_ports_that_go_and_return(void **state)
{
	struct rt_watch_sample sample = { 0 };
	struct rt_watch_source *source;
	struct rt_fake_port *port;
	struct rt_err err = { 0 };
	struct rt_fake *fake;
	uint64_t layout;

	(void)state;
	assert_int_equal(rt_fake_new(&fake, NULL), 0);
	assert_non_null(rt_fake_add_port(fake, "bnxt"));
	port = rt_fake_add_port(fake, "mlx5");
	rt_fake_set_stat(&port->ethtool_stats, "rx_bytes_phy", 100);
	source = open_on(&fake->kern, &(struct rt_watch_request){ 0 });
	take(source, &sample);
	assert_int_equal(sample.count, 2);
	assert_string_equal(sample.items[1].port.name, "mlx5_1/1");
	assert_int_equal(sample.items[1].port.state, RT_WATCH_UP);
	assert_int_equal(value_of(&sample.items[1], RT_COUNTER_RX_BYTES, PORT), 100);
	layout = sample.items[1].set.layout;

	/* The driver is unloaded. */
	port->ethtool_stats.code = -ENODEV;
	fake->port_count = 1;
	assert_int_equal(source->ops->sample(source, &sample, &err), 0);
	assert_string_equal(err.msg, "");
	assert_true(becomes(source, &sample, 1, RT_WATCH_GONE));
	assert_int_equal(sample.items[1].set.count, 0);
	/* Nothing of it was read when it was not there. */
	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++)
		assert_int_equal(sample.items[1].set.paces[i].read_ns, 0);
	assert_int_not_equal(sample.items[1].set.layout, layout);
	assert_string_equal(sample.items[1].port.name, "mlx5_1/1");
	assert_int_equal(sample.items[0].port.state, RT_WATCH_UP);

	/* And loaded again: the same port, its counters begin anew. */
	port->ethtool_stats.code = 0;
	rt_fake_set_stat(&port->ethtool_stats, "rx_bytes_phy", 1);
	fake->port_count = 2;
	assert_true(becomes(source, &sample, 1, RT_WATCH_UP));
	assert_int_equal(sample.count, 2);
	assert_int_equal(value_of(&sample.items[1], RT_COUNTER_RX_BYTES, PORT), 1);
	end(source, &sample);
}

/* A host without RDMA has its network devices that are NICs, by their names. */
static void test_host_without_rdma_shows_network_devices(void **state)
{
	static const char *const named[] = { "eth0", NULL }, *const other[] = { "eth1*",
										NULL };
	struct rt_watch_sample sample = { 0 };
	struct rt_watch_source *source = NULL;
	struct rt_fake_port *ports[3];
	struct rt_err err = { 0 };
	struct rt_fake *fake;

	(void)state;
	for (unsigned with = 0; with < 3; with++) {
		assert_int_equal(rt_fake_new(&fake, NULL), 0);
		for (unsigned i = 0; i < 3; i++) {
			ports[i] = rt_fake_add_port(fake, "mlx5");
			assert_non_null(ports[i]);
			ports[i]->rdma.ibdev[0] = '\0';
		}
		strcpy(ports[1]->link.kind, "bridge");
		ports[2]->info.driver[0] = '\0';
		rt_fake_set_stat(&ports[0]->ethtool_stats, "rx_bytes_phy", 7);
		memset(&sample, 0, sizeof(sample));
		if (with == 2) {
			assert_int_equal(rt_watch_host_open(&fake->kern,
							    &(struct rt_watch_request){
								    .ports = other },
							    &source, &err),
					 -ENODEV);
			continue;
		}
		source = open_on(&fake->kern, &(struct rt_watch_request){
						      .ports = with ? named : NULL });
		take(source, &sample);
		assert_int_equal(sample.count, 1);
		assert_string_equal(sample.items[0].port.name, "eth0");
		assert_string_equal(sample.items[0].port.netdev, "eth0");
		assert_string_equal(sample.items[0].port.driver, "mlx5");
		assert_int_equal(sample.items[0].port.state, RT_WATCH_UP);
		assert_int_equal(sample.items[0].port.speed_bps.value,
				 ports[0]->speed_bps.value);
		assert_int_equal(value_of(&sample.items[0], RT_COUNTER_RX_BYTES, PORT),
				 7);
		end(source, &sample);
	}
}

static struct {
	int (*ports)(struct rt_kern *kern, struct rt_rdma_ports *ret_ports,
		     struct rt_err *err);
	unsigned asked, refused; /* so often; from the second of them on one is */
} lists;

/* Refuses all but the first question: that is whether something has changed. */
static int refused_ports(struct rt_kern *kern, struct rt_rdma_ports *ret_ports,
			 struct rt_err *err)
{
	if (++lists.asked == 2) {
		lists.refused++;
		return rt_err_set(err, -EIO, "not now");
	}
	return lists.ports(kern, ret_ports, err);
}

/* Ports that could not be listed once are listed at the next look. */
static void test_host_looks_again_where_a_look_failed(void **state)
{
	struct rt_watch_sample sample = { 0 };
	struct rt_watch_source *source;
	struct rt_watch_host *host;
	struct rt_kern_ops ops;
	struct rt_err err = { 0 };
	struct rt_fake *fake;
	int64_t scanned_ns;

	(void)state;
	assert_int_equal(rt_fake_new(&fake, NULL), 0);
	assert_non_null(rt_fake_add_port(fake, "bnxt"));
	source = open_on(&fake->kern, &(struct rt_watch_request){ 0 });
	host = (struct rt_watch_host *)source;
	take(source, &sample);
	ops = *fake->kern.ops;
	lists.ports = ops.rdma_ports;
	lists.asked = lists.refused = 0;
	ops.rdma_ports = refused_ports;
	fake->kern.ops = &ops;

	scanned_ns = host->scanned_ns;
	host->changed = true;
	host->looked_ns = 0;
	/* A sample that goes on says nothing of it. */
	assert_int_equal(source->ops->sample(source, &sample, &err), 0);
	assert_string_equal(err.msg, "");
	assert_int_equal(lists.refused, 1);
	assert_true(host->changed);
	assert_int_equal(host->scanned_ns, scanned_ns);
	host->looked_ns = 0;
	take(source, &sample);
	assert_false(host->changed);
	assert_true(host->scanned_ns > scanned_ns);
	end(source, &sample);
}

/* Ports that are gone, as many as are wanted. */
static void fill_with_gone(struct rt_watch_host *host, size_t count)
{
	host->items = realloc(host->items, count * sizeof(*host->items));
	assert_non_null(host->items);
	while (host->count < count) {
		struct rt_watch_host_port *port = calloc(1, sizeof(*port));

		assert_non_null(port);
		snprintf(port->device.ibdev, sizeof(port->device.ibdev), "gone%zu",
			 host->count);
		port->changes_fd = -1;
		host->items[host->count++] = port;
	}
	host->capacity = count;
}

/* Each that ever was keeps its place. */
static void test_host_refuses_more_ports_than_can_be_watched(void **state)
{
	struct rt_watch_source *source;
	struct rt_watch_host *host;
	struct rt_err err = { 0 };
	struct rt_fake *fake;

	(void)state;
	assert_int_equal(rt_fake_new(&fake, NULL), 0);
	assert_non_null(rt_fake_add_port(fake, "bnxt"));
	source = open_on(&fake->kern, &(struct rt_watch_request){ 0 });
	host = (struct rt_watch_host *)source;
	fill_with_gone(host, RT_WATCH_MAX_PORTS - 1);
	assert_non_null(rt_fake_add_port(fake, "mlx5"));
	look_in(source, 31);
	assert_int_equal(host->count, RT_WATCH_MAX_PORTS);
	assert_non_null(rt_fake_add_port(fake, "mlx5"));
	assert_int_equal(rt_watch_host_look(
				 host, rt_monotonic_ns() + INT64_C(62000000000), &err),
			 -E2BIG);
	assert_non_null(strstr(err.msg, "4097 ports"));
	assert_non_null(strstr(err.msg, "--port"));
	assert_int_equal(host->count, RT_WATCH_MAX_PORTS);
	source->ops->close(source);
}

/* node_exporter #3434: one try, one message; and the port can be left out. */
static void test_host_asks_a_port_that_refuses_once(void **state)
{
	static const char *const exclude[] = { "mlx5_0", NULL };
	struct rt_watch_sample sample = { 0 };
	struct rt_watch_source *source;
	struct rt_fake_port *port;
	struct rt_fake *fake;
	char note[160];

	(void)state;
	assert_int_equal(rt_fake_new(&fake, NULL), 0);
	port = rt_fake_add_port(fake, "mlx5");
	assert_non_null(rt_fake_add_port(fake, "mlx5"));
	port->ethtool_stats.code = -EINVAL;
	source = open_on(&fake->kern, &(struct rt_watch_request){ 0 });
	take(source, &sample);
	snprintf(note, sizeof(note), "%s", sample.items[0].port.note);
	assert_non_null(strstr(note, "no ethtool: eth0"));
	/* Would it be asked again, it would answer. */
	port->ethtool_stats.code = 0;
	rt_fake_set_stat(&port->ethtool_stats, "rx_bytes_phy", 100);
	for (unsigned i = 0; i < 50; i++)
		take(source, &sample);
	assert_string_equal(sample.items[0].port.note, note);
	assert_false(is_known(&sample.items[0], RT_COUNTER_RX_BYTES));
	end(source, &sample);

	memset(&sample, 0, sizeof(sample));
	assert_int_equal(rt_fake_new(&fake, NULL), 0);
	rt_fake_add_port(fake, "mlx5")->ethtool_stats.code = -EINVAL;
	assert_non_null(rt_fake_add_port(fake, "mlx5"));
	source = open_on(&fake->kern, &(struct rt_watch_request){ .exclude = exclude });
	take(source, &sample);
	assert_int_equal(sample.count, 1);
	assert_string_equal(sample.items[0].port.name, "mlx5_1/1");
	end(source, &sample);
}

/* --- a slow source ----------------------------------------------------------------------- */

#define SLOW_NS 20000000

static struct {
	int (*stats)(struct rt_kern *kern, const char *netdev,
		     struct rt_stats *ret_stats, struct rt_err *err);
	unsigned asked;
} slow;

static int slow_stats(struct rt_kern *kern, const char *netdev,
		      struct rt_stats *ret_stats, struct rt_err *err)
{
	slow.asked++;
	nanosleep(&(struct timespec){ .tv_nsec = SLOW_NS }, NULL);
	return slow.stats(kern, netdev, ret_stats, err);
}

/* Ten times as long as it takes is waited, and the others are not held up by it. */
static void test_host_reads_a_slow_source_seldom(void **state)
{
	struct rt_watch_sample sample = { 0 };
	struct rt_watch_source *source;
	struct rt_fake_port *port;
	struct rt_kern_ops ops;
	struct rt_fake *fake;
	unsigned samples = 0;
	int64_t begin_ns, passed_ns;

	(void)state;
	assert_int_equal(rt_fake_new(&fake, NULL), 0);
	port = rt_fake_add_port(fake, "mlx5");
	rt_fake_set_stat(&port->ethtool_stats, "rx_bytes_phy", 100);
	rt_fake_set_stat(&port->rdma_stats, "np_cnp_sent", 0);
	ops = *fake->kern.ops;
	slow.stats = ops.ethtool_stats;
	slow.asked = 0;
	ops.ethtool_stats = slow_stats;
	fake->kern.ops = &ops;
	source = open_on(&fake->kern, &(struct rt_watch_request){ 0 });
	begin_ns = rt_monotonic_ns();
	do {
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
		rt_fake_set_stat(&port->rdma_stats, "np_cnp_sent", ++samples);
		take(source, &sample);
		assert_int_equal(value_of(&sample.items[0], RT_COUNTER_CNP_TX, PORT),
				 samples);
		passed_ns = rt_monotonic_ns() - begin_ns;
	} while (samples < 40);
	print_message("# %u of %u\n", slow.asked, samples);
	/* The first two teach what it takes. */
	assert_true(slow.asked >= 3);
	assert_true(slow.asked <= 3 + (unsigned)(passed_ns / (SLOW_NS * 9)));
	assert_int_equal(value_of(&sample.items[0], RT_COUNTER_RX_BYTES, PORT), 100);
	assert_true(sample.items[0].set.paces[RT_SOURCE_ETHTOOL].cost_ns >= SLOW_NS);
	end(source, &sample);
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
	cmocka_unit_test(test_sysroot_follows_addresses),
	cmocka_unit_test(test_host_follows_ports_that_go_and_return),
	cmocka_unit_test(test_host_without_rdma_shows_network_devices),
	cmocka_unit_test(test_host_looks_again_where_a_look_failed),
	cmocka_unit_test(test_host_refuses_more_ports_than_can_be_watched),
	cmocka_unit_test(test_host_asks_a_port_that_refuses_once),
	cmocka_unit_test(test_host_reads_a_slow_source_seldom))
