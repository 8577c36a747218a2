/* SPDX-License-Identifier: BSD-2-Clause */
/* netdev.c - RTM_NEWLINK and RTM_NEWADDR, built attribute by attribute. */
#include "kern/netdev.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <linux/veth.h>
#include <net/if.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kern/live.h"
#include "kern/netlink.h"
#include "rocetune/err.h"
#include "rocetune/field.h"

/* A message under way; ok is false once something did not fit. */
struct build {
	struct nl_msg *msg;
	bool ok;
};

static struct build begin(int type, int flags, const void *header, size_t bytes)
{
	struct nl_msg *msg = nlmsg_alloc_simple(type, flags);

	return (struct build){ msg, msg && nlmsg_append(msg, (void *)(uintptr_t)header,
							bytes, NLMSG_ALIGNTO) == 0 };
}

static void put(struct build *build, int type, const void *data, size_t bytes)
{
	if (build->ok)
		build->ok = nla_put(build->msg, type, (int)bytes, data) == 0;
}

static void put_text(struct build *build, int type, const char *text)
{
	put(build, type, text, strlen(text) + 1);
}

static struct nlattr *nest(struct build *build, int type)
{
	struct nlattr *start = build->ok ? nla_nest_start(build->msg, type) : NULL;

	build->ok = start != NULL;
	return start;
}

static void nest_end(struct build *build, struct nlattr *start)
{
	if (build->ok)
		nla_nest_end(build->msg, start);
}

/* Send it; NULL, which is "out of memory", when it was not built. */
static int ask(struct rt_nl *nl, struct build *build, const char *doing,
	       struct rt_err *err)
{
	const struct rt_nl_answer none = { 0 };

	if (!build->ok) {
		nlmsg_free(build->msg);
		build->msg = NULL;
	}
	return rt_nl_ask(nl, NETLINK_ROUTE, build->msg, doing, &none, err);
}

static void put_end(struct build *build, const char *name, const uint8_t mac[6],
		    uint32_t mtu_bytes)
{
	put_text(build, IFLA_IFNAME, name);
	put(build, IFLA_ADDRESS, mac, 6);
	put(build, IFLA_MTU, &mtu_bytes, sizeof(mtu_bytes));
}

int rt_veth_add(struct rt_nl *nl, const struct rt_veth *veth, struct rt_err *err)
{
	const struct ifinfomsg header = { .ifi_family = AF_UNSPEC };
	const uint32_t fd = (uint32_t)veth->peer_netns_fd;
	struct nlattr *info, *data, *peer;
	char doing[RT_DOING_BYTES];
	struct build build;

	if (rt_ifname_check(veth->name, err) < 0 ||
	    rt_ifname_check(veth->peer, err) < 0)
		return -EINVAL;
	build = begin(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, &header, sizeof(header));
	put_end(&build, veth->name, veth->mac, veth->mtu_bytes);
	info = nest(&build, IFLA_LINKINFO);
	put_text(&build, IFLA_INFO_KIND, "veth");
	data = nest(&build, IFLA_INFO_DATA);
	peer = nest(&build, VETH_INFO_PEER);
	if (build.ok)
		build.ok = nlmsg_append(build.msg, (void *)(uintptr_t)&header,
					sizeof(header), NLMSG_ALIGNTO) == 0;
	put_end(&build, veth->peer, veth->peer_mac, veth->mtu_bytes);
	if (veth->peer_netns_fd >= 0)
		put(&build, IFLA_NET_NS_FD, &fd, sizeof(fd));
	nest_end(&build, peer);
	nest_end(&build, data);
	nest_end(&build, info);
	return ask(nl, &build, rt_doing(doing, veth->name, "cannot make a veth pair"),
		   err);
}

int rt_netdev_up(struct rt_nl *nl, const char *netdev, struct rt_err *err)
{
	const struct ifinfomsg header = { .ifi_family = AF_UNSPEC,
					  .ifi_flags = IFF_UP,
					  .ifi_change = IFF_UP };
	char doing[RT_DOING_BYTES];
	struct build build;

	if (rt_ifname_check(netdev, err) < 0)
		return -ENODEV;
	build = begin(RTM_NEWLINK, 0, &header, sizeof(header));
	put_text(&build, IFLA_IFNAME, netdev);
	return ask(nl, &build, rt_doing(doing, netdev, "cannot set it up"), err);
}

int rt_netdev_address(struct rt_nl *nl, const char *netdev, const struct rt_ip *ip,
		      unsigned prefix_bits, struct rt_err *err)
{
	struct ifaddrmsg header = { .ifa_family = AF_INET,
				    .ifa_prefixlen = (uint8_t)prefix_bits };
	char doing[RT_DOING_BYTES];
	struct build build;

	if (ip->version != 4 || prefix_bits > 32)
		return rt_err_set(err, -EINVAL, "%.63s: no IPv4 address and prefix",
				  netdev);
	if (rt_ifname_check(netdev, err) < 0)
		return -ENODEV;
	header.ifa_index = if_nametoindex(netdev);
	if (header.ifa_index == 0)
		return rt_err_sys(err, -ENODEV, "%s", netdev);
	build = begin(RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, &header, sizeof(header));
	put(&build, IFA_LOCAL, ip->bytes, 4);
	put(&build, IFA_ADDRESS, ip->bytes, 4);
	return ask(nl, &build, rt_doing(doing, netdev, "cannot give it an address"),
		   err);
}

int rt_netdev_no_offload(const char *netdev, struct rt_err *err)
{
	struct ethtool_value off = { .cmd = ETHTOOL_STXCSUM, .data = 0 };
	struct ifreq request = { .ifr_data = (void *)&off };
	int r = rt_ifname_check(netdev, err), fd;

	if (r < 0)
		return r;
	strcpy(request.ifr_name, netdev);
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return rt_err_sys(err, -errno, "no socket");
	if (ioctl(fd, SIOCETHTOOL, &request) < 0)
		r = rt_err_sys(err, -errno, "%s: cannot switch offloads off", netdev);
	close(fd);
	return r;
}
