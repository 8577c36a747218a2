/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rdma_stats.c - the counters of an RDMA port by rdma netlink (rdma/rdma_netlink.h,
 * drivers/infiniband/core/nldev.c nldev_stat_get_doit()).
 *
 * The kernel asks the NIC for them now, whatever the age (lifespan) of those in sysfs,
 * and adds what QPs bound to counters of their own have counted.
 */
#include <errno.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <rdma/rdma_netlink.h>
#include <stdio.h>

#include "kern/live.h"
#include "kern/stats.h"
#include "rocetune/err.h"

#define STAT_GET RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_STAT_GET)
#define ATTR_MAX RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_VALUE

static const struct nla_policy policy[ATTR_MAX + 1] = {
	[RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME] = { .type = NLA_STRING },
	[RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_VALUE] = { .type = NLA_U64 },
};

static int parse_entry(const struct nlattr *nest, struct rt_stats *stats)
{
	struct nlattr *attrs[ATTR_MAX + 1], *name, *value;

	if (rt_nl_nested(nest, policy, ATTR_MAX, attrs) < 0)
		return -EPROTO;
	name = attrs[RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME];
	value = attrs[RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_VALUE];
	if (!name || !value)
		return -EPROTO;
	return rt_stats_add(stats, nla_data(name), (size_t)nla_len(name),
			    nla_get_u64(value));
}

int rt_rdma_parse_stats(const void *payload, size_t bytes, struct rt_stats *stats,
			struct rt_err *err)
{
	struct nlattr *attrs[ATTR_MAX + 1], *list, *entry;
	int left, r = 0;

	if (rt_nl_attrs(payload, bytes, NULL, ATTR_MAX, attrs) < 0)
		return rt_err_set(err, -EPROTO, "counters that make no sense");
	list = attrs[RDMA_NLDEV_ATTR_STAT_HWCOUNTERS];
	if (!list)
		return 0;
	left = nla_len(list);
	for (entry = nla_data(list); nla_ok(entry, left) && r == 0;
	     entry = nla_next(entry, &left))
		if (nla_type(entry) == RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY)
			r = parse_entry(entry, stats);
	if (r == -EPROTO)
		return rt_err_set(err, r, "a counter that makes no sense");
	return r < 0 ? rt_err_sys(err, r, "counters") : 0;
}

static int take_stats(void *context, const void *payload, size_t bytes,
		      struct rt_err *err)
{
	return rt_rdma_parse_stats(payload, bytes, context, err);
}

static struct nl_msg *request(uint32_t dev_index, uint32_t port)
{
	struct nl_msg *msg = nlmsg_alloc_simple(STAT_GET, 0);

	if (msg && (nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, dev_index) < 0 ||
		    nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, port) < 0)) {
		nlmsg_free(msg);
		msg = NULL;
	}
	return msg;
}

int rt_live_rdma_stats(struct rt_kern *kern, const char *ibdev, unsigned port,
		       struct rt_stats *ret_stats, struct rt_err *err)
{
	struct rt_live *live = rt_live_of(kern);
	const struct rt_nl_answer answer = { .type = (uint16_t)STAT_GET,
					     .take = take_stats,
					     .context = ret_stats };
	char name[RT_IBNAME_BYTES + 16], doing[RT_DOING_BYTES];
	uint32_t index;
	int r = rt_live_rdma_index(live, ibdev, &index, err);

	rt_stats_begin(ret_stats);
	if (r < 0)
		return r;
	snprintf(name, sizeof(name), "%.60s/%u", ibdev, port);
	r = rt_nl_ask(&live->rdma, NETLINK_RDMA, request(index, port),
		      rt_doing(doing, name, "cannot read its counters"), &answer, err);
	r = rt_stats_end(ret_stats, r);
	/* A device without counters says that the question is wrong. */
	if (r == -EINVAL || r == -EPROTONOSUPPORT)
		return rt_err_set(err, -EOPNOTSUPP,
				  "%s: it has no counters by rdma netlink", name);
	return r;
}
