/* SPDX-License-Identifier: BSD-2-Clause */
/* rtlink.c - network links: RTM_GETLINK of rtnetlink (linux/if_link.h). */
#include <errno.h>
#include <linux/if.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <string.h>

#include "base/own.h"
#include "kern/live.h"
#include "rocetune/err.h"

#define LINKS_MAX 65536u

static const struct nla_policy link_policy[IFLA_MAX + 1] = {
	[IFLA_IFNAME] = { .type = NLA_STRING },
	[IFLA_MTU] = { .type = NLA_U32 },
	[IFLA_MASTER] = { .type = NLA_U32 },
	[IFLA_CARRIER_CHANGES] = { .type = NLA_U32 },
};

static int parse_kind(const struct nlattr *info, char kind[RT_IFNAME_BYTES])
{
	struct nlattr *attrs[IFLA_INFO_MAX + 1];

	if (!info)
		return 0;
	if (rt_nl_nested(info, NULL, IFLA_INFO_MAX, attrs) < 0)
		return -EPROTO;
	rt_nl_text(attrs[IFLA_INFO_KIND], kind, RT_IFNAME_BYTES);
	return 0;
}

int rt_link_parse(const void *payload, size_t bytes, struct rt_link *ret_link,
		  struct rt_err *err)
{
	struct nlattr *attrs[IFLA_MAX + 1];
	struct rt_link link = { 0 };
	struct ifinfomsg info;

	if (bytes < NLMSG_ALIGN(sizeof(info)) ||
	    rt_nl_attrs((const char *)payload + NLMSG_ALIGN(sizeof(info)),
			bytes - NLMSG_ALIGN(sizeof(info)), link_policy, IFLA_MAX,
			attrs) < 0 ||
	    !attrs[IFLA_IFNAME] || parse_kind(attrs[IFLA_LINKINFO], link.kind) < 0)
		return rt_err_set(err, -EPROTO, "a link that makes no sense");
	memcpy(&info, payload, sizeof(info));
	link.ifindex = (unsigned)info.ifi_index;
	link.is_up = info.ifi_flags & IFF_UP;
	link.carrier = info.ifi_flags & IFF_LOWER_UP;
	rt_nl_text(attrs[IFLA_IFNAME], link.name, sizeof(link.name));
	/* Tunnels and InfiniBand have addresses of other lengths. */
	if (attrs[IFLA_ADDRESS] && nla_len(attrs[IFLA_ADDRESS]) == sizeof(link.mac))
		nla_memcpy(link.mac, attrs[IFLA_ADDRESS], sizeof(link.mac));
	if (attrs[IFLA_MTU])
		link.mtu_bytes = nla_get_u32(attrs[IFLA_MTU]);
	if (attrs[IFLA_MASTER])
		link.master_ifindex = nla_get_u32(attrs[IFLA_MASTER]);
	if (attrs[IFLA_CARRIER_CHANGES]) {
		link.carrier_changes = nla_get_u32(attrs[IFLA_CARRIER_CHANGES]);
		link.carrier_changes_known = true;
	}
	*ret_link = link;
	return 0;
}

static int take_link(void *context, const void *payload, size_t bytes,
		     struct rt_err *err)
{
	struct rt_links *links = context;
	struct rt_link *grown;
	int r;

	if (links->count == LINKS_MAX)
		return rt_err_set(err, -E2BIG, "more than %u links", LINKS_MAX);
	grown = rt_grow(links->items, links->count, &links->capacity, sizeof(*grown));
	if (!grown)
		return rt_err_sys(err, -ENOMEM, "links");
	links->items = grown;
	r = rt_link_parse(payload, bytes, &grown[links->count], err);
	if (r == 0)
		links->count++;
	return r;
}

static void restart_links(void *context)
{
	struct rt_links *links = context;

	links->count = 0;
}

void rt_links_free(struct rt_links *links)
{
	free(links->items);
	*links = (struct rt_links){ 0 };
}

/* Without statistics, which are most of an answer and slow on some NICs. */
static struct nl_msg *link_request(void)
{
	const struct ifinfomsg info = { .ifi_family = AF_UNSPEC };
	struct nl_msg *msg = nlmsg_alloc_simple(RTM_GETLINK, NLM_F_DUMP);

	if (msg && (nlmsg_append(msg, (void *)(uintptr_t)&info, sizeof(info),
				 NLMSG_ALIGNTO) < 0 ||
		    nla_put_u32(msg, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS) < 0)) {
		nlmsg_free(msg);
		msg = NULL;
	}
	return msg;
}

int rt_live_links(struct rt_kern *kern, struct rt_links *ret_links, struct rt_err *err)
{
	struct rt_links links = { 0 };
	const struct rt_nl_answer answer = { .type = RTM_NEWLINK,
					     .take = take_link,
					     .restart = restart_links,
					     .context = &links };
	int r = rt_nl_ask(&rt_live_of(kern)->route, NETLINK_ROUTE, link_request(),
			  "cannot list network links", &answer, err);

	if (r < 0) {
		rt_links_free(&links);
		return r;
	}
	*ret_links = links;
	return 0;
}
