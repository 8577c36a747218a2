/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_netlink.c - any bytes as an answer of the kernel: the first selects what they
 * are taken for, the rest are the bytes behind struct nlmsghdr, or a datagram.
 */
#include <linux/dcbnl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kern/netlink.h"
#include "kern/replies.h"
#include "kern/route.h"
#include "kern/stats.h"
#include "rocetune/err.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static int take_anything(void *context, const void *payload, size_t bytes,
			 struct rt_err *err)
{
	(void)err;
	memcpy(context, payload, bytes < 16 ? bytes : 16);
	return 0;
}

static int walk(const void *at, size_t bytes, struct rt_err *err)
{
	char first[16];
	const struct rt_nl_answer answer = { .type = 79,
					     .take = take_anything,
					     .context = first };
	struct rt_nl_walk walking = { .answer = &answer, .seq = 1 };
	int r = rt_nl_walk(&walking, at, bytes, err);

	if (memchr(walking.extack, '\0', sizeof(walking.extack)) == NULL)
		abort();
	return r;
}

static int qps(const void *at, size_t bytes, struct rt_err *err)
{
	struct rt_rdma_owners owners = { 0 };
	struct rt_rdma_use use = { 0 };
	int r = rt_rdma_parse_qps(at, bytes, &use, &owners, err);

	if (owners.count > RT_RDMA_OWNERS_MAX || use.connected > use.qps)
		abort();
	return r;
}

static int dcb(const void *at, size_t bytes, struct rt_err *err)
{
	struct rt_dcb read;
	int r = rt_dcbnl_parse(at, bytes, &read, err);

	if (r == 0 && (read.app.count > RT_DCB_APP_MAX || read.trust_count > 8))
		abort();
	return r;
}

static int stats(unsigned what, const void *at, size_t bytes, struct rt_err *err)
{
	struct rt_stats stats = { 0 };
	int r;

	rt_stats_begin(&stats);
	switch (what) {
	case 0: r = rt_ethtool_parse_pause_stats(at, bytes, &stats, err); break;
	case 1: r = rt_ethtool_parse_fec_stats(at, bytes, &stats, err); break;
	default: r = rt_ethtool_parse_group_stats(at, bytes, &stats, err);
	}
	r = rt_stats_end(&stats, r);
	rt_stats_free(&stats);
	return r;
}

/* What it says twice is still of one device. */
static int qdisc(const void *at, size_t bytes, struct rt_err *err)
{
	struct rt_qdiscs qdiscs = { 0 };
	struct rt_stats stats = { 0 };
	struct rt_qdisc read;
	int r = rt_qdisc_parse(at, bytes, &read, err);

	if (r == 0) {
		if (rt_qdiscs_add(&qdiscs, &read, err) < 0 ||
		    rt_qdiscs_add(&qdiscs, &read, err) < 0 || qdiscs.count != 1)
			abort();
		rt_stats_begin(&stats);
		r = rt_stats_end(&stats, rt_qdisc_add_stats(qdiscs.items, &stats));
		if (r < 0 || stats.count > 4)
			abort();
	}
	free(qdiscs.items);
	rt_stats_free(&stats);
	return r;
}

static int parse(unsigned what, const void *at, size_t bytes, struct rt_err *err)
{
	static const struct rt_rdma_device none;
	union {
		struct rt_link link;
		struct rt_link_pause pause;
		struct rt_opt_u64 bps;
		struct rt_priv_flags flags;
		uint64_t value;
		struct rt_rdma_device device;
		struct rt_rdma_port port;
		struct rt_route route;
		uint8_t mac[6];
		const char *mode;
		bool exclusive;
		int result;
	} to;

	switch (what % 20) {
	case 0: return walk(at, bytes, err);
	case 1: return dcb(at, bytes, err);
	case 2:
		return rt_dcbnl_parse_result(at, bytes, DCB_CMD_IEEE_SET, &to.result,
					     err);
	case 3: return rt_dcbnl_parse_result(at, bytes, DCB_CMD_SDCBX, &to.result, err);
	case 4: return rt_link_parse(at, bytes, &to.link, err);
	case 5: return rt_ethtool_parse_pause(at, bytes, &to.pause, err);
	case 6: return rt_ethtool_parse_speed(at, bytes, &to.bps, err);
	case 7: return rt_ethtool_parse_names(at, bytes, &to.flags, err);
	case 8: return rt_ethtool_parse_flags(at, bytes, &to.value, err);
	case 9: return rt_rdma_parse_device(at, bytes, &to.device, err);
	case 10: return rt_rdma_parse_port(at, bytes, &none, &to.port, err);
	case 11: return qps(at, bytes, err);
	case 12: return rt_route_parse(at, bytes, &to.route, err);
	case 13: return rt_neighbour_parse(at, bytes, to.mac, err);
	case 14: return rt_devlink_parse_eswitch(at, bytes, &to.mode, err);
	case 15: return rt_rdma_parse_system(at, bytes, &to.exclusive, err);
	case 19: return qdisc(at, bytes, err);
	default: return stats(what % 20 - 16, at, bytes, err);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct rt_err err = { 0 };
	void *aligned; /* and of exactly this size */

	if (bytes == 0)
		return 0;
	aligned = malloc(bytes);
	if (!aligned)
		return 0;
	memcpy(aligned, data + 1, bytes - 1);
	/* A refusal says why. */
	if (parse(data[0], aligned, bytes - 1, &err) < 0 && !*err.msg)
		abort();
	free(aligned);
	return 0;
}
