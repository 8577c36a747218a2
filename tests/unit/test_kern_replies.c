/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's netlink answers, made by hand: what they say, and hostile ones. */
#include "netlink_answers.h"
#include "unit.h"

#include <errno.h>
#include <linux/dcbnl.h>
#include <linux/devlink.h>
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <linux/if.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <rdma/rdma_netlink.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "kern/replies.h"
#include "rocetune/err.h"

/* --- making them ------------------------------------------------------------------ */

/* --- DCB ---------------------------------------------------------------------------- */

static struct nl_msg *dcb_answer(void)
{
	static const struct dcbmsg head = { .cmd = DCB_CMD_IEEE_GET };
	static const struct ieee_ets ets = { .willing = 1,
					     .ets_cap = 8,
					     .tc_tx_bw = { 10, 90 },
					     .tc_rx_bw = { 20, 80 },
					     .tc_tsa = { 2, 2, 0, 255 },
					     .prio_tc = { 0, 1, 2, 3, 4, 5, 6, 7 },
					     .reco_prio_tc = { 7 } };
	static const struct ieee_pfc pfc = { .pfc_cap = 8,
					     .pfc_en = 0x08,
					     .delay = 7,
					     .requests = { [3] = UINT64_MAX },
					     .indications = { [3] = 5 } };
	static const struct ieee_maxrate rate = { .tc_maxrate = { 0, 25000000 } };
	static const struct dcbnl_buffer buffer = { .prio2buffer = { 0, 0, 0, 1 },
						    .buffer_size = { 30000, 180000 },
						    .total_size = 262144 };
	static const struct dcb_app apps[] = { { 5, 3, 26 }, { 1, 4, 0x8915 } };
	static const struct dcb_app pcp = { 255, 2, 2 };
	struct nl_msg *msg = answer(&head, sizeof(head));
	struct nlattr *ieee, *table;

	nla_put_string(msg, DCB_ATTR_IFNAME, "eth0");
	ieee = nla_nest_start(msg, DCB_ATTR_IEEE);
	nla_put(msg, DCB_ATTR_IEEE_ETS, sizeof(ets), &ets);
	nla_put(msg, DCB_ATTR_IEEE_MAXRATE, sizeof(rate), &rate);
	nla_put(msg, DCB_ATTR_IEEE_PFC, sizeof(pfc), &pfc);
	nla_put(msg, DCB_ATTR_DCB_BUFFER, sizeof(buffer), &buffer);
	table = nla_nest_start(msg, DCB_ATTR_IEEE_APP_TABLE);
	nla_put(msg, DCB_ATTR_IEEE_APP, sizeof(apps[0]), &apps[0]);
	nla_put(msg, DCB_ATTR_IEEE_APP, sizeof(apps[1]), &apps[1]);
	nla_put(msg, 2, sizeof(pcp), &pcp);
	nla_nest_end(msg, table);
	table = nla_nest_start(msg, 11); /* the trust table */
	nla_put_u8(msg, DCB_ATTR_IEEE_APP, 5);
	nla_put_u8(msg, 2, 255);
	nla_nest_end(msg, table);
	nla_put(msg, DCB_ATTR_IEEE_PEER_PFC, sizeof(pfc), &pfc);
	nla_put(msg, 99, 4, &pcp); /* of a later kernel */
	nla_nest_end(msg, ieee);
	nla_put_u8(msg, DCB_ATTR_DCBX, 0x09);
	return msg;
}

/* What is written is what was read, but for rates, which are in kbit/s there. */
static void test_dcb_request_says_all(void **state)
{
	static const uint64_t bps[][2] = {
		/* below 1 kbit/s a limit must not become 0, which is none */
		{ 0, 0 },
		{ 1, 1000 },
		{ 1000, 1000 },
		{ 1001, 2000 },
		{ 100000000, 100000000 },
		{ 99999999999, 100000000000 },
	};
	struct rt_dcb_set set = { 0 };
	struct nl_msg *msg = dcb_answer();
	struct rt_dcb dcb;
	size_t bytes;
	const char *data = payload(msg, &bytes);

	(void)state;
	assert_int_equal(rt_dcbnl_parse(data, bytes, &dcb, NULL), 0);
	nlmsg_free(msg);
	set.has = RT_DCB_ETS | RT_DCB_PFC | RT_DCB_MAXRATE | RT_DCB_BUFFER;
	set.ets = dcb.ets;
	set.pfc = dcb.pfc;
	set.buffer = dcb.buffer;
	for (size_t i = 0; i < RT_ARRAY_SIZE(bps); i++)
		set.maxrate_bps[i] = bps[i][0];
	msg = rt_dcbnl_set_request("eth0", &set);
	assert_non_null(msg);
	data = payload(msg, &bytes);
	assert_int_equal(rt_dcbnl_parse(data, bytes, &dcb, NULL), 0);
	nlmsg_free(msg);
	assert_int_equal(dcb.has, set.has);
	assert_int_equal(dcb.ets.rx_bw[0], 20);
	assert_memory_equal(&dcb.ets, &set.ets, sizeof(set.ets));
	assert_int_equal(dcb.pfc.mask, set.pfc.mask);
	assert_int_equal(dcb.pfc.delay, set.pfc.delay);
	assert_memory_equal(&dcb.buffer, &set.buffer, sizeof(set.buffer));
	for (size_t i = 0; i < RT_ARRAY_SIZE(bps); i++)
		assert_true(dcb.maxrate_bps[i] == bps[i][1]);
}

static int parse_dcb(const void *bytes, size_t count)
{
	struct rt_dcb dcb;

	return rt_dcbnl_parse(bytes, count, &dcb, NULL);
}

static void test_dcb_says_all(void **state)
{
	struct nl_msg *msg = dcb_answer();
	struct rt_err err = { 0 };
	struct rt_dcb dcb;
	size_t bytes;
	const char *data = payload(msg, &bytes);

	(void)state;
	assert_int_equal(rt_dcbnl_parse(data, bytes, &dcb, &err), 0);
	assert_int_equal(dcb.has, RT_DCB_ETS | RT_DCB_PFC | RT_DCB_MAXRATE |
					  RT_DCB_BUFFER | RT_DCB_APP | RT_DCB_DCBX |
					  RT_DCB_PEER_PFC | RT_DCB_TRUST);
	assert_int_equal(dcb.ets.willing, 1);
	assert_int_equal(dcb.ets.bw[1], 90);
	assert_int_equal(dcb.ets.tsa[3], 255);
	assert_int_equal(dcb.ets.prio_tc[7], 7);
	assert_int_equal(dcb.ets.reco_prio_tc[0], 7);
	assert_int_equal(dcb.pfc.mask, 0x08);
	assert_int_equal(dcb.pfc.delay, 7);
	assert_true(dcb.pfc.requests[3] == UINT64_MAX);
	assert_true(dcb.pfc.indications[3] == 5);
	assert_true(dcb.maxrate_bps[1] == 25000000000 && dcb.maxrate_bps[0] == 0);
	assert_int_equal(dcb.buffer.prio_buffer[3], 1);
	assert_int_equal(dcb.buffer.size_bytes[1], 180000);
	assert_int_equal(dcb.buffer.total_bytes, 262144);
	assert_int_equal(dcb.app.count, 3);
	assert_int_equal(dcb.app.items[0].protocol, 26);
	assert_int_equal(dcb.app.items[1].protocol, 0x8915);
	assert_int_equal(dcb.app.items[2].selector, 255);
	assert_int_equal(dcb.trust_count, 2);
	assert_int_equal(dcb.trust[1], 255);
	assert_int_equal(dcb.dcbx, 0x09);
	assert_int_equal(dcb.peer_pfc.cap, 8);
	nlmsg_free(msg);
}

static void test_dcb_absent_is_not_zero(void **state)
{
	static const struct dcbmsg head = { .cmd = DCB_CMD_IEEE_GET };
	struct nl_msg *msg = answer(&head, sizeof(head));
	struct rt_dcb dcb = { .has = 1 };
	size_t bytes;
	const char *data = payload(msg, &bytes);

	(void)state;
	assert_int_equal(rt_dcbnl_parse(data, bytes, &dcb, NULL), 0);
	assert_int_equal(dcb.has, 0);
	nlmsg_free(msg);
}

static void test_dcb_refuses_nonsense(void **state)
{
	static const struct dcbmsg head = { .cmd = DCB_CMD_IEEE_GET };
	static const struct ieee_maxrate rate = { .tc_maxrate = { UINT64_MAX } };
	static const struct dcb_app app = { 5, 3, 26 };
	struct rt_err err = { 0 };
	struct rt_dcb dcb;
	size_t bytes;
	const char *data;

	(void)state;
	for (int what = 0; what < 4; what++) {
		struct nl_msg *msg = answer(&head, sizeof(head));
		struct nlattr *ieee = nla_nest_start(msg, DCB_ATTR_IEEE), *table;

		if (what == 0) { /* short */
			nla_put(msg, DCB_ATTR_IEEE_PFC, 12, &rate);
		} else if (what == 1) { /* more kbit/s than there are bit/s */
			nla_put(msg, DCB_ATTR_IEEE_MAXRATE, sizeof(rate), &rate);
		} else if (what == 2) { /* too many */
			table = nla_nest_start(msg, DCB_ATTR_IEEE_APP_TABLE);
			for (int i = 0; i <= RT_DCB_APP_MAX; i++)
				nla_put(msg, DCB_ATTR_IEEE_APP, sizeof(app), &app);
			nla_nest_end(msg, table);
		} else { /* an entry cut off */
			table = nla_nest_start(msg, DCB_ATTR_IEEE_APP_TABLE);
			nla_put(msg, DCB_ATTR_IEEE_APP, 3, &app);
			nla_nest_end(msg, table);
		}
		nla_nest_end(msg, ieee);
		data = payload(msg, &bytes);
		assert_int_equal(rt_dcbnl_parse(data, bytes, &dcb, &err), -EPROTO);
		assert_string_not_equal(err.msg, "");
		nlmsg_free(msg);
	}
}

static void test_dcb_result_is_a_signed_byte(void **state)
{
	static const struct {
		uint8_t command, byte;
		int result;
	} cases[] = {
		{ DCB_CMD_IEEE_SET, 0, 0 },
		{ DCB_CMD_IEEE_SET, 0xea, -EINVAL },
		{ DCB_CMD_IEEE_SET, 0xa1, -EOPNOTSUPP },
		{ DCB_CMD_IEEE_SET, 1, 1 },
		{ DCB_CMD_IEEE_DEL, 2, 2 },
		{ DCB_CMD_IEEE_DEL, 0xfe, -ENOENT },
		{ DCB_CMD_SDCBX, 0, 0 },
		{ DCB_CMD_SDCBX, 1, -ECANCELED },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const struct dcbmsg head = { .cmd = cases[i].command };
		struct nl_msg *msg = answer(&head, sizeof(head));
		int result = 12345;
		size_t bytes;
		const char *data;

		nla_put_u8(msg,
			   cases[i].command == DCB_CMD_SDCBX ? DCB_ATTR_DCBX
							     : DCB_ATTR_IEEE,
			   cases[i].byte);
		data = payload(msg, &bytes);
		assert_int_equal(rt_dcbnl_parse_result(data, bytes, cases[i].command,
						       &result, NULL),
				 0);
		assert_int_equal(result, cases[i].result);
		/* The other attribute is no result. */
		assert_int_equal(rt_dcbnl_parse_result(data, bytes,
						       cases[i].command == DCB_CMD_SDCBX
							       ? DCB_CMD_IEEE_SET
							       : DCB_CMD_SDCBX,
						       &result, NULL),
				 -EPROTO);
		nlmsg_free(msg);
	}
}

/* --- links ---------------------------------------------------------------------------- */

static struct nl_msg *link_answer(void)
{
	static const struct ifinfomsg info = { .ifi_index = 7,
					       .ifi_flags = IFF_UP | IFF_LOWER_UP };
	static const uint8_t mac[6] = { 2, 0, 0, 0, 0, 9 };
	struct nl_msg *msg = answer(&info, sizeof(info));
	struct nlattr *nest;

	nla_put_string(msg, IFLA_IFNAME, "bond0");
	nla_put(msg, IFLA_ADDRESS, 6, mac);
	nla_put_u32(msg, IFLA_MTU, 9000);
	nla_put_u32(msg, IFLA_MASTER, 3);
	nla_put_u32(msg, IFLA_CARRIER_CHANGES, 4);
	nest = nla_nest_start(msg, IFLA_LINKINFO);
	nla_put_string(msg, IFLA_INFO_KIND, "bond");
	nla_nest_end(msg, nest);
	return msg;
}

static int parse_link(const void *bytes, size_t count)
{
	struct rt_link link;

	return rt_link_parse(bytes, count, &link, NULL);
}

static void test_link_says_all(void **state)
{
	struct nl_msg *msg = link_answer();
	struct rt_link link;
	size_t bytes;
	const char *data = payload(msg, &bytes);

	(void)state;
	assert_int_equal(rt_link_parse(data, bytes, &link, NULL), 0);
	assert_string_equal(link.name, "bond0");
	assert_string_equal(link.kind, "bond");
	assert_int_equal(link.ifindex, 7);
	assert_int_equal(link.master_ifindex, 3);
	assert_int_equal(link.mtu_bytes, 9000);
	assert_int_equal(link.mac[5], 9);
	assert_true(link.is_up && link.carrier && link.carrier_changes_known);
	assert_int_equal(link.carrier_changes, 4);
	nlmsg_free(msg);
}

/* --- ethtool --------------------------------------------------------------------------- */

static const struct genlmsghdr genl = { .cmd = 1, .version = 1 };

static struct nl_msg *pause_answer(void)
{
	struct nl_msg *msg = answer(&genl, sizeof(genl));

	nla_put_u8(msg, ETHTOOL_A_PAUSE_AUTONEG, 0);
	nla_put_u8(msg, ETHTOOL_A_PAUSE_RX, 1);
	nla_put_u8(msg, ETHTOOL_A_PAUSE_TX, 0);
	return msg;
}

static int parse_pause(const void *bytes, size_t count)
{
	struct rt_link_pause pause;

	return rt_ethtool_parse_pause(bytes, count, &pause, NULL);
}

static struct nl_msg *speed_answer(uint32_t mbitps)
{
	struct nl_msg *msg = answer(&genl, sizeof(genl));

	nla_put_u32(msg, ETHTOOL_A_LINKMODES_SPEED, mbitps);
	return msg;
}

static int parse_speed(const void *bytes, size_t count)
{
	struct rt_opt_u64 bps;

	return rt_ethtool_parse_speed(bytes, count, &bps, NULL);
}

static struct nl_msg *names_answer(uint32_t index)
{
	struct nl_msg *msg = answer(&genl, sizeof(genl));
	struct nlattr *sets = nla_nest_start(msg, ETHTOOL_A_STRSET_STRINGSETS);
	struct nlattr *set = nla_nest_start(msg, ETHTOOL_A_STRINGSETS_STRINGSET);
	struct nlattr *strings, *string;

	nla_put_u32(msg, ETHTOOL_A_STRINGSET_ID, ETH_SS_PRIV_FLAGS);
	nla_put_u32(msg, ETHTOOL_A_STRINGSET_COUNT, 2);
	strings = nla_nest_start(msg, ETHTOOL_A_STRINGSET_STRINGS);
	for (uint32_t i = 0; i < 2; i++) {
		string = nla_nest_start(msg, ETHTOOL_A_STRINGS_STRING);
		nla_put_u32(msg, ETHTOOL_A_STRING_INDEX, i * index);
		nla_put_string(msg, ETHTOOL_A_STRING_VALUE,
			       i ? "fw-lldp-agent" : "link-down-on-close");
		nla_nest_end(msg, string);
	}
	nla_nest_end(msg, strings);
	nla_nest_end(msg, set);
	nla_nest_end(msg, sets);
	return msg;
}

static int parse_names(const void *bytes, size_t count)
{
	struct rt_priv_flags flags;

	return rt_ethtool_parse_names(bytes, count, &flags, NULL);
}

static struct nl_msg *flags_answer(int words)
{
	static const uint32_t value[3] = { 0x80000001, 0x2, 0 };
	struct nl_msg *msg = answer(&genl, sizeof(genl));
	struct nlattr *set = nla_nest_start(msg, ETHTOOL_A_PRIVFLAGS_FLAGS);

	nla_put_flag(msg, ETHTOOL_A_BITSET_NOMASK);
	nla_put_u32(msg, ETHTOOL_A_BITSET_SIZE, (uint32_t)words * 32);
	nla_put(msg, ETHTOOL_A_BITSET_VALUE, words * 4, value);
	nla_nest_end(msg, set);
	return msg;
}

static int parse_flags(const void *bytes, size_t count)
{
	uint64_t value;

	return rt_ethtool_parse_flags(bytes, count, &value, NULL);
}

static void test_ethtool_says_all(void **state)
{
	struct nl_msg *msg = pause_answer();
	struct rt_link_pause pause;
	struct rt_opt_u64 bps;
	struct rt_priv_flags flags;
	uint64_t value;
	size_t bytes;
	const char *data = payload(msg, &bytes);

	(void)state;
	assert_int_equal(rt_ethtool_parse_pause(data, bytes, &pause, NULL), 0);
	assert_true(!pause.autoneg && pause.rx && !pause.tx);
	nlmsg_free(msg);

	msg = speed_answer(400000);
	data = payload(msg, &bytes);
	assert_int_equal(rt_ethtool_parse_speed(data, bytes, &bps, NULL), 0);
	assert_true(bps.known && bps.value == 400000000000);
	nlmsg_free(msg);

	for (int i = 0; i < 2; i++) {
		msg = speed_answer(i ? UINT32_MAX : 0);
		data = payload(msg, &bytes);
		assert_int_equal(rt_ethtool_parse_speed(data, bytes, &bps, NULL), 0);
		assert_false(bps.known);
		nlmsg_free(msg);
	}

	msg = names_answer(5);
	data = payload(msg, &bytes);
	assert_int_equal(rt_ethtool_parse_names(data, bytes, &flags, NULL), 0);
	assert_int_equal(flags.count, 6);
	assert_string_equal(flags.name[0], "link-down-on-close");
	assert_string_equal(flags.name[5], "fw-lldp-agent");
	assert_string_equal(flags.name[3], "");
	nlmsg_free(msg);

	msg = flags_answer(2);
	data = payload(msg, &bytes);
	assert_int_equal(rt_ethtool_parse_flags(data, bytes, &value, NULL), 0);
	assert_true(value == UINT64_C(0x280000001));
	nlmsg_free(msg);
}

static void test_ethtool_refuses_more_flags_than_fit(void **state)
{
	struct nl_msg *names = names_answer(RT_PRIV_FLAG_MAX), *bits = flags_answer(3);
	size_t bytes;
	const char *data = payload(names, &bytes);

	(void)state;
	assert_int_equal(parse_names(data, bytes), -EPROTO);
	data = payload(bits, &bytes);
	assert_int_equal(parse_flags(data, bytes), -EPROTO);
	nlmsg_free(names);
	nlmsg_free(bits);
}

/* --- RDMA ------------------------------------------------------------------------------ */

static struct nl_msg *device_answer(void)
{
	struct nl_msg *msg = answer(NULL, 0);

	nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, 3);
	nla_put_string(msg, RDMA_NLDEV_ATTR_DEV_NAME, "mlx5_0");
	nla_put_string(msg, RDMA_NLDEV_ATTR_FW_VERSION, "28.39.1002");
	nla_put_string(msg, RDMA_NLDEV_ATTR_DEV_PROTOCOL, "roce");
	nla_put_u64(msg, RDMA_NLDEV_ATTR_NODE_GUID, UINT64_C(0x9803af0012345678));
	return msg;
}

static int parse_device(const void *bytes, size_t count)
{
	struct rt_rdma_device device;

	return rt_rdma_parse_device(bytes, count, &device, NULL);
}

static struct nl_msg *port_answer(void)
{
	struct nl_msg *msg = answer(NULL, 0);

	nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, 1);
	nla_put_u8(msg, RDMA_NLDEV_ATTR_PORT_STATE, 4);
	nla_put_u8(msg, RDMA_NLDEV_ATTR_PORT_PHYS_STATE, 5);
	nla_put_u32(msg, RDMA_NLDEV_ATTR_NDEV_INDEX, 11);
	nla_put_string(msg, RDMA_NLDEV_ATTR_NDEV_NAME, "eth0");
	return msg;
}

static int parse_port(const void *bytes, size_t count)
{
	static const struct rt_rdma_device device;
	struct rt_rdma_port port;

	return rt_rdma_parse_port(bytes, count, &device, &port, NULL);
}

/* type, state, pid (or 0: of the kernel) */
static const struct {
	uint8_t type, state;
	uint32_t pid;
} qps[] = {
	{ 1, 3, 0 }, /* GSI */
	{ 0, 3, 0 }, /* SMI */
	{ 2, 3, 71 }, { 2, 2, 71 }, { 4, 1, 72 }, { 2, 3, 0 },
};

static struct nl_msg *qps_answer(void)
{
	struct nl_msg *msg = answer(NULL, 0);
	struct nlattr *table = nla_nest_start(msg, RDMA_NLDEV_ATTR_RES_QP);

	for (size_t i = 0; i < RT_ARRAY_SIZE(qps); i++) {
		struct nlattr *qp = nla_nest_start(msg, RDMA_NLDEV_ATTR_RES_QP_ENTRY);

		nla_put_u8(msg, RDMA_NLDEV_ATTR_RES_TYPE, qps[i].type);
		nla_put_u8(msg, RDMA_NLDEV_ATTR_RES_STATE, qps[i].state);
		if (qps[i].pid)
			nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_PID, qps[i].pid);
		else
			nla_put_string(msg, RDMA_NLDEV_ATTR_RES_KERN_NAME, "ksmbd");
		nla_nest_end(msg, qp);
	}
	nla_nest_end(msg, table);
	return msg;
}

static int parse_qps(const void *bytes, size_t count)
{
	struct rt_rdma_owners owners = { 0 };
	struct rt_rdma_use use = { 0 };

	return rt_rdma_parse_qps(bytes, count, &use, &owners, NULL);
}

static void test_rdma_says_all(void **state)
{
	struct nl_msg *msg = device_answer();
	struct rt_rdma_device device;
	struct rt_rdma_port port;
	size_t bytes;
	const char *data = payload(msg, &bytes);

	(void)state;
	assert_int_equal(rt_rdma_parse_device(data, bytes, &device, NULL), 0);
	nlmsg_free(msg);
	msg = port_answer();
	data = payload(msg, &bytes);
	assert_int_equal(rt_rdma_parse_port(data, bytes, &device, &port, NULL), 0);
	assert_string_equal(port.ibdev, "mlx5_0");
	assert_string_equal(port.netdev, "eth0");
	assert_string_equal(port.firmware, "28.39.1002");
	assert_string_equal(port.protocol, "roce");
	assert_int_equal(port.dev_index, 3);
	assert_int_equal(port.port, 1);
	assert_int_equal(port.ifindex, 11);
	assert_int_equal(port.state, 4);
	assert_int_equal(port.phys_state, 5);
	assert_true(port.node_guid == UINT64_C(0x9803af0012345678));
	nlmsg_free(msg);
}

static void test_rdma_counts_queue_pairs_in_use(void **state)
{
	struct nl_msg *msg = qps_answer();
	struct rt_rdma_owners owners = { 0 };
	struct rt_rdma_use use = { 0 };
	size_t bytes;
	const char *data = payload(msg, &bytes);

	(void)state;
	/* A dump comes in several messages. */
	assert_int_equal(rt_rdma_parse_qps(data, bytes, &use, &owners, NULL), 0);
	assert_int_equal(rt_rdma_parse_qps(data, bytes, &use, &owners, NULL), 0);
	assert_int_equal(use.qps, 8);
	assert_int_equal(use.connected, 6);
	assert_int_equal(owners.count, 3);
	assert_int_equal(owners.pid[0], 71);
	assert_int_equal(owners.pid[2], 0);
	assert_string_equal(owners.name[2], "ksmbd");
	assert_false(owners.more);
	nlmsg_free(msg);
}

static struct nl_msg *system_answer(int mode)
{
	struct nl_msg *msg = answer(NULL, 0);

	if (mode >= 0)
		nla_put_u8(msg, RDMA_NLDEV_SYS_ATTR_NETNS_MODE, (uint8_t)mode);
	return msg;
}

static int parse_system(const void *bytes, size_t count)
{
	bool exclusive;

	return rt_rdma_parse_system(bytes, count, &exclusive, NULL);
}

static void test_rdma_says_how_devices_are_shared(void **state)
{
	(void)state;
	/* -1: a kernel that has no word for it. */
	for (int mode = -1; mode < 2; mode++) {
		struct nl_msg *msg = system_answer(mode);
		bool exclusive = mode != 0;
		size_t bytes;
		const char *data = payload(msg, &bytes);

		assert_int_equal(rt_rdma_parse_system(data, bytes, &exclusive, NULL),
				 0);
		assert_int_equal(exclusive, mode == 0);
		nlmsg_free(msg);
	}
}

/* --- devlink ----------------------------------------------------------------------------- */

static struct nl_msg *eswitch_answer(uint16_t mode)
{
	struct nl_msg *msg = answer(&genl, sizeof(genl));

	nla_put_string(msg, DEVLINK_ATTR_BUS_NAME, "pci");
	nla_put_u16(msg, DEVLINK_ATTR_ESWITCH_MODE, mode);
	return msg;
}

static int parse_eswitch(const void *bytes, size_t count)
{
	const char *mode;

	return rt_devlink_parse_eswitch(bytes, count, &mode, NULL);
}

static void test_devlink_says_the_mode(void **state)
{
	static const char *const names[] = { "legacy", "switchdev" };
	const char *mode = NULL;
	size_t bytes;

	(void)state;
	for (uint16_t i = 0; i < 3; i++) {
		struct nl_msg *msg = eswitch_answer(i);
		const char *data = payload(msg, &bytes);
		const int r = rt_devlink_parse_eswitch(data, bytes, &mode, NULL);

		assert_int_equal(r, i < 2 ? 0 : -EPROTO);
		if (i < 2)
			assert_string_equal(mode, names[i]);
		nlmsg_free(msg);
	}
}

/* --- hostile ------------------------------------------------------------------------------- */

static void test_replies_survive_hostile_bytes(void **state)
{
	const struct {
		struct nl_msg *msg;
		parser *parse;
	} cases[] = {
		{ link_answer(), parse_link },        { pause_answer(), parse_pause },
		{ speed_answer(1), parse_speed },     { names_answer(1), parse_names },
		{ flags_answer(2), parse_flags },     { device_answer(), parse_device },
		{ port_answer(), parse_port },        { qps_answer(), parse_qps },
		{ eswitch_answer(1), parse_eswitch }, { dcb_answer(), parse_dcb },
		{ system_answer(0), parse_system },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		check_hostile(cases[i].msg, cases[i].parse);
		nlmsg_free(cases[i].msg);
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_dcb_says_all),
	     cmocka_unit_test(test_dcb_request_says_all),
	     cmocka_unit_test(test_dcb_absent_is_not_zero),
	     cmocka_unit_test(test_dcb_refuses_nonsense),
	     cmocka_unit_test(test_dcb_result_is_a_signed_byte),
	     cmocka_unit_test(test_link_says_all),
	     cmocka_unit_test(test_ethtool_says_all),
	     cmocka_unit_test(test_ethtool_refuses_more_flags_than_fit),
	     cmocka_unit_test(test_rdma_says_all),
	     cmocka_unit_test(test_rdma_counts_queue_pairs_in_use),
	     cmocka_unit_test(test_rdma_says_how_devices_are_shared),
	     cmocka_unit_test(test_devlink_says_the_mode),
	     cmocka_unit_test(test_replies_survive_hostile_bytes))
