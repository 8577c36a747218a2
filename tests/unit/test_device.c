/* SPDX-License-Identifier: BSD-2-Clause */
/* test_device.c - RDMA ports joined with all that is known of them. */
#include "unit.h"

#include "base/own.h"
#include "host/chips.h"
#include "host/device.h"
#include "paper_host.h"
#include "rocetune/err.h"

#define IB   "/sys/class/infiniband/"
#define PCI  "/sys/bus/pci/devices/"
#define ZERO "0000:0000:0000:0000:0000:0000:0000:0000\n"

static const struct paper_file files[] = {
	{ IB "mlx5_0", "->../../devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/"
		       "infiniband/mlx5_0" },
	{ IB "mlx5_0/ports/1/link_layer", "Ethernet\n" },
	{ IB "mlx5_0/ports/1/state", "4: ACTIVE\n" },
	{ IB "mlx5_0/ports/1/gids/0", "fe80:0000:0000:0000:0202:00ff:fe00:0001\n" },
	{ IB "mlx5_0/ports/1/gids/1", "fe80:0000:0000:0000:0202:00ff:fe00:0001\n" },
	{ IB "mlx5_0/ports/1/gids/10", ZERO },
	{ IB "mlx5_0/ports/1/gids/2", ZERO },
	{ IB "mlx5_0/ports/1/gids/3", "0000:0000:0000:0000:0000:ffff:c000:0201\n" },
	{ IB "mlx5_0/ports/1/gids/x", "fe80::1\n" },
	{ IB "mlx5_0/ports/1/gids/11", "no GID at all\n" },
	{ IB "mlx5_0/ports/1/gid_attrs/types/0", "IB/RoCE v1\n" },
	{ IB "mlx5_0/ports/1/gid_attrs/types/1", "RoCE v2\n" },
	{ IB "mlx5_0/ports/1/gid_attrs/types/3", "RoCE v2\n" },
	{ IB "mlx5_0/ports/1/gid_attrs/ndevs/0", "eth0\n" },
	{ PCI "0000:3b:00.0/vendor", "0x15b3\n" },
	{ PCI "0000:3b:00.0/device", "0x1021\n" },
	{ PCI "0000:3b:00.0/driver", "->../../../bus/pci/drivers/mlx5_core" },
	{ PCI "0000:3b:00.0/current_link_speed", "16.0 GT/s PCIe\n" },
	{ PCI "0000:3b:00.0/max_link_speed", "32.0 GT/s PCIe\n" },
	{ PCI "0000:3b:00.0/current_link_width", "8\n" },
	{ PCI "0000:3b:00.0/max_link_width", "16\n" },
	{ PCI "0000:3b:00.0/numa_node", "-1\n" },
	{ IB "mlx5_1", "->../../devices/pci0000:3a/0000:3b:00.2/infiniband/mlx5_1" },
	{ PCI "0000:3b:00.2/physfn", "->../0000:3b:00.0" },
	{ IB "mlx5_2", "->../../devices/pci0000:3a/0000:3b:00.0/mlx5_core.sf.4/"
		       "infiniband/mlx5_2" },
	{ IB "mlx5_3", "->../../devices/pci0000:3a/0000:5e:00.0/infiniband/mlx5_3" },
	{ IB "mlx5_3/ports/1/link_layer", "InfiniBand\n" },
	{ IB "mlx5_3/ports/1/rate", "400 Gb/sec (4X NDR)\n" },
	{ IB "rxe0", "->../../devices/virtual/infiniband/rxe0" },
	{ IB "siw0", "->../../devices/virtual/infiniband/siw0" },
	{ 0 },
};

static struct paper_host make_host(void)
{
	return (struct paper_host){
		.kern.ops = &paper_ops,
		.files = files,
		.speed_bps = 100000000000,
		.ports = { { .ibdev = "mlx5_0",
			     .port = 1,
			     .netdev = "eth0",
			     .state = 4,
			     .protocol = "roce",
			     .firmware = "28.39.3560" },
			   { .ibdev = "mlx5_1",
			     .port = 1,
			     .netdev = "eth1",
			     .protocol = "roce" },
			   { .ibdev = "mlx5_2", .port = 1, .protocol = "roce" },
			   { .ibdev = "mlx5_3",
			     .port = 1,
			     .protocol = "ib",
			     .state = 2 },
			   { .ibdev = "rxe0",
			     .port = 1,
			     .netdev = "bond0",
			     .protocol = "roce" },
			   { .ibdev = "siw0",
			     .port = 1,
			     .netdev = "eth9",
			     .protocol = "iw" } },
		.port_count = 6,
		.links = { { .name = "eth0",
			     .ifindex = 2,
			     .master_ifindex = 7,
			     .mac = { 2, 0, 0, 0, 0, 1 },
			     .mtu_bytes = 4200,
			     .carrier = true },
			   { .name = "eth1", .ifindex = 3, .mtu_bytes = 1500 },
			   { .name = "eth5",
			     .ifindex = 5,
			     .master_ifindex = 7,
			     .mtu_bytes = 4200 },
			   { .name = "bond0",
			     .ifindex = 7,
			     .kind = "bond",
			     .mtu_bytes = 9000 } },
		.link_count = 4,
	};
}

static struct rt_devices read_all(struct paper_host *host, unsigned detail)
{
	struct rt_devices devices = { 0 };
	struct rt_err err = { 0 };

	if (rt_devices_read(&host->kern, detail, &devices, &err) < 0)
		fail_msg("%s", err.msg);
	return devices;
}

static void test_a_port_is_joined(void **state)
{
	struct paper_host host = make_host();
	struct rt_devices devices = read_all(&host, RT_DEVICE_USE);
	const struct rt_device *device = &devices.items[0];

	(void)state;
	assert_int_equal(devices.count, 6);
	assert_string_equal(device->ibdev, "mlx5_0");
	assert_string_equal(device->netdev, "eth0");
	assert_int_equal(device->ifindex, 2);
	assert_int_equal(device->mac[5], 1);
	assert_true(device->carrier);
	assert_string_equal(device->bond, "bond0");
	assert_string_equal(device->slaves, "eth0, eth5");
	assert_string_equal(device->state, "active");
	assert_string_equal(device->firmware, "28.39.3560");
	assert_string_equal(device->pci, "0000:3b:00.0");
	assert_string_equal(device->kernel_driver, "mlx5_core");
	assert_string_equal(device->chip, "ConnectX-7");
	assert_string_equal(device->pcie_speed, "16.0 GT/s PCIe");
	assert_int_equal(device->pcie_width.value, 8);
	assert_int_equal(device->pcie_max_width.value, 16);
	assert_false(device->numa.known);
	assert_int_equal(device->function, RT_FUNCTION_PF);
	assert_int_equal(device->link_layer, RT_LAYER_ETHERNET);
	assert_string_equal(device->eswitch, "legacy");
	assert_int_equal(device->qps.value, 12);
	assert_int_equal(device->connected.value, 8);
	assert_string_equal(device->users, "nvmet");
	rt_devices_free(&devices);
}

static void test_kinds_of_ports(void **state)
{
	struct paper_host host = make_host();
	struct rt_devices devices = read_all(&host, 0);

	(void)state;
	assert_int_equal(devices.items[1].function, RT_FUNCTION_VF);
	assert_int_equal(devices.items[2].function, RT_FUNCTION_SF);
	assert_string_equal(devices.items[2].pci, "0000:3b:00.0");
	assert_int_equal(devices.items[3].link_layer, RT_LAYER_INFINIBAND);
	assert_int_equal(devices.items[3].speed_bps.value, 400000000000);
	assert_non_null(strstr(devices.items[3].untunable, "InfiniBand"));
	assert_string_equal(devices.items[3].state, "init");
	assert_int_equal(devices.items[4].function, RT_FUNCTION_SOFT);
	assert_string_equal(devices.items[4].kernel_driver, "rdma_rxe");
	assert_string_equal(devices.items[5].kernel_driver, "siw");
	for (size_t i = 1; i < 6; i++)
		if (!*devices.items[i].untunable)
			fail_msg("%s says nothing", devices.items[i].ibdev);
	rt_devices_free(&devices);
}

/* Of what is zero, neither type nor netdev is read. */
static void test_gids_without_the_empty_ones(void **state)
{
	struct paper_host host = make_host();
	struct rt_devices devices = read_all(&host, RT_DEVICE_GIDS);
	const struct rt_device *device = &devices.items[0];
	char address[RT_IP_TEXT_BYTES];
	const unsigned without = host.reads;

	(void)state;
	assert_int_equal(device->gid_count, 3);
	assert_int_equal(device->gids[0].type, RT_GID_ROCE_V1);
	assert_string_equal(device->gids[0].netdev, "eth0");
	assert_int_equal(device->gids[1].type, RT_GID_ROCE_V2);
	assert_int_equal(device->gids[2].index, 3);
	assert_string_equal(rt_ip_format(&device->gids[2].address, address),
			    "192.0.2.1");
	rt_devices_free(&devices);
	devices = read_all(&host, 0);
	/* Six entries; type and netdev of the three that are none of zero. */
	assert_int_equal(without - (host.reads - without), 6 + 2 * 3);
	rt_devices_free(&devices);
}

/* include/rdma/ib_addr.h iboe_get_mtu(). */
static void test_the_largest_payload_that_fits(void **state)
{
	static const struct {
		uint32_t mtu_bytes;
		uint64_t roce_bytes; /* 0: none fits */
	} cases[] = {
		{ 9000, 4096 }, { 4192, 4096 }, { 4191, 2048 }, { 1500, 1024 },
		{ 1120, 1024 }, { 1119, 512 },  { 352, 256 },   { 351, 0 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct paper_host host = make_host();
		struct rt_devices devices;

		host.links[0].mtu_bytes = cases[i].mtu_bytes;
		devices = read_all(&host, 0);
		assert_int_equal(devices.items[0].roce_mtu_bytes.known,
				 cases[i].roce_bytes != 0);
		assert_int_equal(devices.items[0].roce_mtu_bytes.value,
				 cases[i].roce_bytes);
		rt_devices_free(&devices);
	}
}

static void test_without_rdma_netlink_sysfs_serves(void **state)
{
	struct paper_host host = make_host();
	struct rt_devices devices;

	(void)state;
	host.no_rdma_netlink = true;
	devices = read_all(&host, 0);
	assert_int_equal(devices.count, 2); /* those that have a folder of ports */
	assert_string_equal(devices.items[0].state, "active");
	assert_string_equal(devices.items[0].netdev, "eth0"); /* by its first GID */
	rt_devices_free(&devices);
}

static void test_no_rdma_is_said(void **state)
{
	static const struct paper_file none[] = { { 0 } };
	struct paper_host host = make_host();
	struct rt_devices devices = { 0 };
	struct rt_err err = { 0 };

	(void)state;
	host.files = none;
	host.no_rdma_netlink = true;
	assert_int_equal(rt_devices_read(&host.kern, 0, &devices, &err), -EOPNOTSUPP);
	assert_non_null(strstr(err.msg, "no RDMA"));
	host.no_rdma_netlink = false;
	host.port_count = 0;
	devices = read_all(&host, 0);
	assert_int_equal(devices.count, 0);
	assert_null(rt_device_find(&devices, "mlx5_0", &err));
	assert_int_equal(err.code, -ENODEV);
}

static void test_names_that_are_paths_are_refused(void **state)
{
	struct paper_host host = make_host();
	struct rt_devices devices = { 0 };

	(void)state;
	snprintf(host.ports[2].ibdev, sizeof(host.ports[2].ibdev), "../../etc");
	assert_int_equal(rt_devices_read(&host.kern, 0, &devices, NULL), -EPROTO);
	host = make_host();
	snprintf(host.ports[0].netdev, sizeof(host.ports[0].netdev), "../x");
	devices = read_all(&host, 0);
	assert_string_equal(devices.items[0].netdev, "");
	rt_devices_free(&devices);
}

static void test_a_device_is_found_by_any_name(void **state)
{
	static const struct {
		const char *name;
		int result; /* index, or a negative errno */
	} cases[] = {
		{ "mlx5_0", 0 },
		{ "mlx5_1/1", 1 },
		{ "eth1", 1 },
		{ "0000:3b:00.2", 1 },
		{ "0000:3B:00.2", 1 },
		{ "0000:3b:00.2/1", 1 },
		{ "0000:3b:00.2/2", -ENODEV },
		{ "rxe0", 4 },
		{ "mlx5_1/2", -ENODEV },
		{ "", -ENODEV },
		{ "mlx5_9", -ENODEV },
		{ "0000:3b:00.0", -EINVAL },
	};
	struct paper_host host = make_host();
	struct rt_devices devices = read_all(&host, 0);

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_err err = { 0 };
		const struct rt_device *found = rt_device_find(&devices, cases[i].name,
							       &err);

		print_message("# %s: %s\n", cases[i].name, err.msg);
		if (cases[i].result < 0) {
			assert_null(found);
			assert_int_equal(err.code, cases[i].result);
		} else {
			assert_ptr_equal(found, &devices.items[cases[i].result]);
		}
	}
	rt_devices_free(&devices);
}

static void test_a_bond_is_entered_at_its_first_slave(void **state)
{
	struct paper_host host = make_host();
	struct rt_devices devices;
	struct rt_device at;

	(void)state;
	snprintf(host.ports[0].netdev, sizeof(host.ports[0].netdev), "bond0");
	devices = read_all(&host, 0);
	assert_string_equal(devices.items[0].netdev, "bond0");
	assert_string_equal(devices.items[0].kernel_driver, "mlx5_core");
	rt_device_enter_bond(&devices.items[0], &at);
	assert_string_equal(at.netdev, "eth0");
	rt_device_enter_bond(&devices.items[1], &at);
	assert_string_equal(at.netdev, "eth1");
	rt_devices_free(&devices);
}

static void test_a_bond_has_a_link_for_each_slave(void **state)
{
	struct paper_host host = make_host();
	struct rt_devices devices, links = { 0 };

	(void)state;
	devices = read_all(&host, 0);
	/* a slave with an RDMA port, and the other one, which has none */
	assert_int_equal(
		rt_device_links(&host.kern, &devices, &devices.items[0], &links), 0);
	assert_int_equal(links.count, 2);
	assert_string_equal(links.items[0].netdev, "eth0");
	assert_true(links.items[0].carrier);
	assert_string_equal(links.items[1].netdev, "eth5");
	assert_string_equal(links.items[1].ibdev, "mlx5_0");
	assert_int_equal(links.items[1].ifindex, 5);
	assert_false(links.items[1].carrier);
	/* no bond: itself */
	assert_int_equal(
		rt_device_links(&host.kern, &devices, &devices.items[1], &links), 0);
	assert_int_equal(links.count, 3);
	assert_string_equal(links.items[2].netdev, "eth1");
	free(links.items);
	rt_devices_free(&devices);

	/* the bond itself is no link: its knobs are its slaves' */
	snprintf(host.ports[0].netdev, sizeof(host.ports[0].netdev), "bond0");
	devices = read_all(&host, 0);
	links = (struct rt_devices){ 0 };
	assert_int_equal(
		rt_device_links(&host.kern, &devices, &devices.items[0], &links), 0);
	assert_int_equal(links.count, 2);
	assert_string_equal(links.items[0].netdev, "eth0");
	assert_string_equal(links.items[1].netdev, "eth5");
	free(links.items);
	rt_devices_free(&devices);
}

static void test_chips_have_names(void **state)
{
	(void)state;
	assert_string_equal(rt_chip_name(0x14e4, 0x1760), "BCM57608");
	assert_null(rt_chip_name(0x14e4, 0));
	rt_table_check(&rt_device_table);
}

static void test_what_a_slot_carries(void **state)
{
	static const struct {
		const char *speed;
		uint64_t lanes;
		bool known;
		uint64_t bps;
	} cases[] = {
		{ "32.0 GT/s PCIe", 16, true, 504123076923 },
		{ "2.5 GT/s PCIe", 1, true, 2000000000 },
		{ "64.0 GT/s PCIe", 32, true, 2048000000000 },
		{ "32.0 GT/s PCIe", 33, false, 0 },
		{ "1024 GT/s", UINT64_MAX, false, 0 },
		{ "Unknown", 16, false, 0 },
		{ "inf GT/s", 16, false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const struct rt_opt_u64 bps = rt_pcie_bps(cases[i].speed,
							  RT_KNOWN_U64(cases[i].lanes));

		print_message("# %s x%llu\n", cases[i].speed,
			      (unsigned long long)cases[i].lanes);
		assert_int_equal(bps.known, cases[i].known);
		assert_int_equal(bps.value, cases[i].bps);
	}
	assert_false(rt_pcie_bps("32.0 GT/s PCIe", (struct rt_opt_u64){ 0 }).known);
}

RT_UNIT_MAIN(cmocka_unit_test(test_a_port_is_joined),
	     cmocka_unit_test(test_what_a_slot_carries),
	     cmocka_unit_test(test_kinds_of_ports),
	     cmocka_unit_test(test_gids_without_the_empty_ones),
	     cmocka_unit_test(test_the_largest_payload_that_fits),
	     cmocka_unit_test(test_without_rdma_netlink_sysfs_serves),
	     cmocka_unit_test(test_no_rdma_is_said),
	     cmocka_unit_test(test_names_that_are_paths_are_refused),
	     cmocka_unit_test(test_a_device_is_found_by_any_name),
	     cmocka_unit_test(test_a_bond_is_entered_at_its_first_slave),
	     cmocka_unit_test(test_a_bond_has_a_link_for_each_slave),
	     cmocka_unit_test(test_chips_have_names))
