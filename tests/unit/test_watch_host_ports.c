/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A host as a source of samples: ports that come and go, sources that are slow or refuse
 * (what others were reported for, by issue).
 */
#include "host_source.h"

#include <errno.h>
#include <time.h>

#include "base/own.h"
#include "kern/kern_fake.h"

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

/* A driver that rocetune has no row for is told by the kernel's name. */
static void test_host_names_drivers_it_does_not_know(void **state)
{
	struct rt_watch_sample sample = { 0 };
	struct rt_watch_source *source;
	struct rt_fake_port *port;
	struct rt_fake *fake;

	(void)state;
	assert_int_equal(rt_fake_new(&fake, NULL), 0);
	port = rt_fake_add_port(fake, "mlx5");
	assert_non_null(port);
	port->rdma.ibdev[0] = '\0';
	strcpy(port->info.driver, "virtio_net");
	source = open_on(&fake->kern, &(struct rt_watch_request){ 0 });
	take(source, &sample);
	assert_string_equal(sample.items[0].port.driver, "virtio_net");
	end(source, &sample);
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

RT_UNIT_MAIN(cmocka_unit_test(test_host_follows_ports_that_go_and_return),
	     cmocka_unit_test(test_host_without_rdma_shows_network_devices),
	     cmocka_unit_test(test_host_names_drivers_it_does_not_know),
	     cmocka_unit_test(test_host_looks_again_where_a_look_failed),
	     cmocka_unit_test(test_host_refuses_more_ports_than_can_be_watched),
	     cmocka_unit_test(test_host_asks_a_port_that_refuses_once),
	     cmocka_unit_test(test_host_reads_a_slow_source_seldom))
