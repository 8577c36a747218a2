/* SPDX-License-Identifier: BSD-2-Clause */
/* device_names.c - the fields of devices, and the words for what they are. */
#include "host/device.h"

const struct rt_name rt_link_layer_names[] = {
	{ "unknown", RT_LAYER_UNKNOWN, "not told" },
	{ "ethernet", RT_LAYER_ETHERNET, "RoCE or iWARP" },
	{ "infiniband", RT_LAYER_INFINIBAND, "has its own flow control" },
	{ 0 },
};

const struct rt_name rt_function_names[] = {
	{ "unknown", RT_FUNCTION_UNKNOWN, "not told" },
	{ "PF", RT_FUNCTION_PF, "physical function" },
	{ "VF", RT_FUNCTION_VF, "virtual function of a PF" },
	{ "SF", RT_FUNCTION_SF, "scalable function of a PF" },
	{ "soft", RT_FUNCTION_SOFT, "software, no PCI device" },
	{ 0 },
};

const struct rt_name rt_gid_type_names[] = {
	{ "ib", RT_GID_IB, "InfiniBand" },
	{ "v1", RT_GID_ROCE_V1, "RoCE v1: EtherType 0x8915, not routable" },
	{ "v2", RT_GID_ROCE_V2, "RoCE v2: UDP port 4791" },
	{ 0 },
};

#define OWNER struct rt_gid
static const struct rt_field gid_fields[] = {
	RT_FIELD(OWNER, U32, index, NONE, "its place in the port's table"),
	RT_FIELD(OWNER, ENUM, type, NONE, "which RoCE it speaks",
		 .names = rt_gid_type_names),
	RT_FIELD(OWNER, IP, address, NONE, "the address"),
	RT_FIELD_CHARS_OF(OWNER, netdev, "network device it comes from"),
};
static RT_TABLE(gid_table, rt_gid, "gid", "GIDs",
		"An address of an RDMA port; empty entries are left out.", gid_fields);
#undef OWNER

#define OWNER struct rt_group_access
static const struct rt_field access_fields[] = {
	RT_FIELD(OWNER, ENUM, group, NONE, "group of knobs", .names = rt_group_names),
	RT_FIELD_CHARS_OF(OWNER, read, "interfaces by which it is read; unknown: not"),
	RT_FIELD_CHARS_OF(OWNER, write, "interfaces that take it; unknown: none"),
	RT_FIELD_CHARS_OF(OWNER, why, "why not"),
};
static RT_TABLE(access_table, rt_group_access, "group_access", "Knobs",
		"A group of knobs, and how it is reached on this port.", access_fields);
#undef OWNER

#define OWNER struct rt_device
static const struct rt_field device_fields[] = {
	RT_FIELD_CHARS_OF(OWNER, ibdev, "RDMA device", .label = "device"),
	RT_FIELD(OWNER, U32, port, NONE, "its port, from 1"),
	RT_FIELD_CHARS_OF(OWNER, netdev, "network device"),
	RT_FIELD(OWNER, U32, ifindex, NONE, "its index; 0: none",
		 .flags = RT_FIELD_DATA),
	RT_FIELD(OWNER, MAC, mac, NONE, "its MAC address", .label = "MAC"),
	RT_FIELD_CHARS_OF(OWNER, bond, "bond over it", .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD_CHARS_OF(OWNER, slaves, "network devices of the bond",
			  .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD_CHARS_OF(OWNER, kernel_driver, "kernel driver", .label = "driver"),
	RT_FIELD(OWNER, TEXT, driver_name, NONE,
		 "the driver's name in profiles; unknown: rocetune knows none",
		 .label = "in profiles"),
	RT_FIELD_CHARS_OF(OWNER, firmware, "firmware version"),
	RT_FIELD_CHARS_OF(OWNER, chip, "what the NIC is called"),
	RT_FIELD(OWNER, ENUM, link_layer, NONE, "what the link is",
		 .names = rt_link_layer_names),
	RT_FIELD_CHARS_OF(OWNER, state, "state of the RDMA port"),
	RT_FIELD(OWNER, BOOL, carrier, NONE, "whether the network device has a link"),
	RT_FIELD(OWNER, OPT_U64, speed_bps, BPS, "speed of the link"),
	RT_FIELD(OWNER, OPT_U64, mtu_bytes, MTU, "MTU of the network device",
		 .label = "MTU"),
	RT_FIELD(OWNER, OPT_U64, roce_mtu_bytes, MTU,
		 "largest RDMA payload that fits it", .label = "RoCE MTU"),
	RT_FIELD_CHARS_OF(OWNER, pci, "PCI address", .label = "PCI"),
	RT_FIELD_CHARS_OF(OWNER, pcie_speed, "PCIe speed now", .label = "PCIe"),
	RT_FIELD(OWNER, OPT_U64, pcie_width, COUNT, "PCIe lanes now", .label = "lanes"),
	RT_FIELD_CHARS_OF(OWNER, pcie_max_speed, "PCIe speed the NIC can do",
			  .label = "PCIe at most"),
	RT_FIELD(OWNER, OPT_U64, pcie_max_width, COUNT, "PCIe lanes the NIC has",
		 .label = "lanes at most"),
	RT_FIELD(OWNER, OPT_U64, numa, NONE, "NUMA node; unknown: none or not told",
		 .label = "NUMA"),
	RT_FIELD(OWNER, ENUM, function, NONE, "PF, VF, SF or software",
		 .names = rt_function_names),
	RT_FIELD_CHARS_OF(OWNER, eswitch, "embedded switch: legacy or switchdev",
			  .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD(OWNER, OPT_U64, qps, COUNT,
		 "queue pairs of the device, management "
		 "left out",
		 .label = "QPs"),
	RT_FIELD(OWNER, OPT_U64, connected, COUNT, "of these connected"),
	RT_FIELD_CHARS_OF(OWNER, users, "processes that have them",
			  .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD_LIST_OF(OWNER, gids, gid_count, &gid_table, "addresses"),
	RT_FIELD_ARRAY_OF(OWNER, groups, RT_GROUP_COUNT, &access_table,
			  "what of each group of knobs can be reached",
			  .flags = RT_FIELD_DATA),
	RT_FIELD_CHARS_OF(OWNER, untunable, "why nothing can be tuned here",
			  .label = "not tuned", .flags = RT_FIELD_ZERO_QUIET),
};
RT_TABLE(rt_device_table, rt_device, "device", "Devices", "A port of an RDMA device.",
	 device_fields);
#undef OWNER
