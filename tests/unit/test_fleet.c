/* SPDX-License-Identifier: BSD-2-Clause */
/* test_fleet.c - many hosts: what most have, and who differs. */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "paper_host.h"
#include "rocetune/err.h"
#include "run/fleet.h"
#include "run/fleet_ports.h"

#define CC "/sys/kernel/debug/mlx5/0000:3b:00.0/cc_params/"

static const struct paper_file files[] = {
	{ "/sys/class/infiniband/mlx5_0",
	  "->../../devices/pci0000:3a/0000:3b:00.0/infiniband/mlx5_0" },
	{ "/sys/class/infiniband/mlx5_0/ports/1/link_layer", "Ethernet\n" },
	{ "/sys/bus/pci/devices/0000:3b:00.0/driver", "->../drivers/mlx5_core" },
	{ "/sys/class/infiniband/mlx5_1",
	  "->../../devices/pci0000:5d/0000:5e:00.0/infiniband/mlx5_1" },
	{ "/sys/bus/pci/devices/0000:5e:00.0/driver", "->../drivers/mlx5_core" },
	{ CC "np_cnp_dscp", "48\n" },
	{ CC "np_cnp_prio", "6\n" },
	{ CC "rp_ai_rate", "5\n" },
	{ 0 },
};

static const struct paper_file odd_files[] = {
	{ CC "np_cnp_dscp", "0\n" },
	{ 0 },
};

static struct paper_host make_host(const struct paper_file *over)
{
	return (struct paper_host){
		.kern.ops = &paper_ops,
		.files = files,
		.over = over,
		.speed_bps = 400000000000,
		.ports = { { .ibdev = "mlx5_0",
			     .port = 1,
			     .netdev = "eth0",
			     .state = 4 },
			   { .ibdev = "mlx5_1",
			     .port = 1,
			     .netdev = "eth1",
			     .state = 4 } },
		.port_count = 2,
		.links = { { .name = "eth0", .ifindex = 2, .mtu_bytes = 9000 },
			   { .name = "eth1", .ifindex = 3, .mtu_bytes = 9000 } },
		.link_count = 2,
	};
}

static void add(struct rt_fleet *fleet, const char *name, struct paper_host *host)
{
	struct rt_err err = { 0 };

	if (rt_fleet_add(fleet, name, &host->kern, &err) < 0)
		fail_msg("%s", err.msg);
}

static void free_differences(struct rt_host_diff *diff)
{
	for (size_t i = 0; i < diff->difference_count; i++) {
		free(diff->differences[i].odd);
		free(diff->differences[i].values);
	}
	free(diff->differences);
	rt_fleet_close(diff->fleet);
}

static struct rt_host_diff new_diff(void)
{
	struct rt_host_diff diff = { 0 };

	assert_int_equal(rt_fleet_open(&diff.fleet, NULL), 0);
	return diff;
}

static void compare(struct rt_host_diff *diff)
{
	struct rt_err err = { 0 };

	if (rt_fleet_compare(diff->fleet, RT_MATCH_AUTO, diff, &err) < 0)
		fail_msg("%s", err.msg);
}

static const struct rt_host_difference *find(const struct rt_host_diff *diff,
					     const char *device, const char *knob)
{
	for (size_t i = 0; i < diff->difference_count; i++)
		if (strcmp(diff->differences[i].device, device) == 0 &&
		    strcmp(diff->differences[i].knob, knob) == 0)
			return &diff->differences[i];
	return NULL;
}

static void test_one_nic_in_4096_is_found(void **state)
{
	struct rt_host_diff diff = new_diff();
	const struct rt_host_difference *found;

	(void)state;
	for (unsigned i = 0; i < 4096; i++) {
		struct paper_host host = make_host(i == 2047 ? odd_files : NULL);
		char name[16];

		snprintf(name, sizeof(name), "h%04u", i);
		add(diff.fleet, name, &host);
	}
	compare(&diff);
	assert_int_equal(diff.hosts, 4096);
	assert_int_equal(diff.devices, 2);
	assert_int_equal(diff.matched_by, RT_MATCH_NAME);
	assert_int_equal(diff.difference_count, 1);
	found = &diff.differences[0];
	assert_string_equal(found->device, "mlx5_0/1");
	assert_string_equal(found->knob, "cc.np.cnp_dscp");
	assert_string_equal(found->majority, "48");
	assert_int_equal(found->majority_hosts, 4095);
	assert_int_equal(found->odd_count, 1);
	assert_string_equal(found->odd[0].host, "h2047");
	assert_string_equal(found->odd[0].value, "0");
	/* What is kept: each text once, and pairs of numbers. */
	assert_true(diff.fleet->words.count < 4096 + 200);
	assert_true(diff.fleet->ports[0].capacity * sizeof(struct rt_fleet_cell) <
		    2048);
	free_differences(&diff);
}

static void test_two_hosts_have_no_majority(void **state)
{
	struct rt_host_diff diff = new_diff();
	struct paper_host one = make_host(NULL), two = make_host(odd_files);
	const struct rt_host_difference *found;

	(void)state;
	add(diff.fleet, "one", &one);
	add(diff.fleet, "two", &two);
	compare(&diff);
	assert_int_equal(diff.difference_count, 1);
	found = &diff.differences[0];
	assert_null(found->majority);
	assert_int_equal(found->odd_count, 2);
	assert_int_equal(found->value_count, 2);
	free_differences(&diff);
}

static void test_hosts_that_lack_a_port_are_told(void **state)
{
	struct rt_host_diff diff = new_diff();
	struct paper_host host = make_host(NULL);
	const struct rt_host_difference *found;

	(void)state;
	add(diff.fleet, "one", &host);
	add(diff.fleet, "two", &host);
	host.port_count = 1;
	host.links[0].mtu_bytes = 1500;
	add(diff.fleet, "three", &host);
	host.port_count = 0;
	add(diff.fleet, "four", &host);
	compare(&diff);
	found = find(&diff, "mlx5_1/1", "present");
	assert_non_null(found);
	assert_int_equal(found->majority_hosts, 2);
	assert_string_equal(found->values[0].hosts, "three, four");
	found = find(&diff, "mlx5_0/1", "mtu");
	assert_non_null(found);
	assert_string_equal(found->odd[0].host, "three");
	assert_int_equal(found->hosts, 3);
	free_differences(&diff);
}

static bool holds_first(struct rt_kern *kern, const char *ibdev, unsigned port)
{
	(void)kern;
	return strcmp(ibdev, "mlx5_0") == 0 && port == 1;
}

/* A bundle of one port says nothing of the others, nor that they are not there. */
static void test_what_a_bundle_does_not_hold_is_not_compared(void **state)
{
	struct rt_host_diff diff = new_diff();
	struct rt_kern_ops ops = paper_ops;
	struct paper_host host = make_host(NULL), part = make_host(odd_files);

	(void)state;
	ops.holds = holds_first;
	part.kern.ops = &ops;
	part.links[1].mtu_bytes = 1500;
	add(diff.fleet, "one", &host);
	add(diff.fleet, "two", &host);
	add(diff.fleet, "part", &part);
	compare(&diff);
	assert_int_equal(diff.difference_count, 1);
	assert_string_equal(diff.differences[0].device, "mlx5_0/1");
	assert_string_equal(diff.differences[0].knob, "cc.np.cnp_dscp");
	free_differences(&diff);
}

/* The same slots under other names: rails by PCI address. */
static void test_other_names_are_matched_by_place(void **state)
{
	static const struct paper_file renamed[] = {
		{ "/sys/class/infiniband/rocep94s0",
		  "->../../devices/pci0000:5d/0000:5e:00.0/infiniband/rocep94s0" },
		{ "/sys/class/infiniband/rocep59s0",
		  "->../../devices/pci0000:3a/0000:3b:00.0/infiniband/rocep59s0" },
		{ 0 },
	};
	struct rt_host_diff diff = new_diff();
	struct paper_host host = make_host(NULL);
	const struct rt_host_difference *found;

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		add(diff.fleet, "named", &host);
	host.over = renamed;
	snprintf(host.ports[0].ibdev, sizeof(host.ports[0].ibdev), "rocep94s0");
	snprintf(host.ports[1].ibdev, sizeof(host.ports[1].ibdev), "rocep59s0");
	host.links[1].mtu_bytes = 1500; /* of what is the first in the bus's order */
	add(diff.fleet, "other", &host);
	compare(&diff);
	assert_int_equal(diff.matched_by, RT_MATCH_PLACE);
	assert_int_equal(diff.devices, 2);
	found = find(&diff, "rail 1", "mtu");
	assert_non_null(found);
	assert_string_equal(found->majority, "9000B");
	assert_string_equal(found->odd[0].host, "other");
	assert_null(find(&diff, "rail 2", "mtu"));
	free_differences(&diff);
}

static void test_words_are_kept_once(void **state)
{
	struct rt_wordbook words = { 0 };
	uint32_t number;

	(void)state;
	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = 0; i < 5000; i++) {
			char text[16];

			snprintf(text, sizeof(text), "w%u", i);
			assert_int_equal(rt_wordbook_number(&words, text, &number), 0);
			assert_int_equal(number, i);
			assert_string_equal(words.items[number], text);
		}
	assert_int_equal(words.count, 5000);
	rt_wordbook_free(&words);
}

RT_UNIT_MAIN(cmocka_unit_test(test_one_nic_in_4096_is_found),
	     cmocka_unit_test(test_two_hosts_have_no_majority),
	     cmocka_unit_test(test_hosts_that_lack_a_port_are_told),
	     cmocka_unit_test(test_what_a_bundle_does_not_hold_is_not_compared),
	     cmocka_unit_test(test_other_names_are_matched_by_place),
	     cmocka_unit_test(test_words_are_kept_once))
