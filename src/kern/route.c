/* SPDX-License-Identifier: BSD-2-Clause */
/* route.c - routes and neighbours: RTM_GETROUTE, RTM_GETNEIGH of rtnetlink. */
#include "kern/route.h"

#include <errno.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "kern/netlink.h"
#include "rocetune/err.h"

#define DISCARD_PORT 9
#define LOOK_MS      5u

/* --- answers ---------------------------------------------------------------- */

static int read_ip(const struct nlattr *attr, int family, struct rt_ip *ret_ip)
{
	const int bytes = family == AF_INET6 ? 16 : 4;
	struct rt_ip ip = { .version = family == AF_INET6 ? 6 : 4 };

	if (!attr)
		return 0;
	if (nla_len(attr) != bytes)
		return -EPROTO;
	memcpy(ip.bytes, nla_data(attr), (size_t)bytes);
	*ret_ip = ip;
	return 0;
}

/* A gateway of the other family (RFC 5549): family, then the address. */
static int read_via(const struct nlattr *attr, struct rt_ip *ret_ip)
{
	struct rt_ip ip = { 0 };
	uint16_t family;
	size_t bytes;

	if (!attr)
		return 0;
	if (nla_len(attr) < (int)sizeof(family))
		return -EPROTO;
	memcpy(&family, nla_data(attr), sizeof(family));
	bytes = family == AF_INET6 ? 16 : 4;
	if ((family != AF_INET && family != AF_INET6) ||
	    (size_t)nla_len(attr) != sizeof(family) + bytes)
		return -EPROTO;
	ip.version = family == AF_INET6 ? 6 : 4;
	memcpy(ip.bytes, (const char *)nla_data(attr) + sizeof(family), bytes);
	*ret_ip = ip;
	return 0;
}

int rt_route_parse(const void *payload, size_t bytes, struct rt_route *ret_route,
		   struct rt_err *err)
{
	static const struct nla_policy policy[RTA_MAX + 1] = {
		[RTA_OIF] = { .type = NLA_U32 },
	};
	struct nlattr *attrs[RTA_MAX + 1];
	struct rt_route route = { 0 };
	struct rtmsg head;

	if (bytes < NLMSG_ALIGN(sizeof(head)))
		return rt_err_set(err, -EPROTO, "a route that is cut off");
	memcpy(&head, payload, sizeof(head));
	if (rt_nl_attrs((const char *)payload + NLMSG_ALIGN(sizeof(head)),
			bytes - NLMSG_ALIGN(sizeof(head)), policy, RTA_MAX,
			attrs) < 0 ||
	    read_ip(attrs[RTA_GATEWAY], head.rtm_family, &route.gateway) < 0 ||
	    read_via(attrs[RTA_VIA], &route.gateway) < 0 ||
	    read_ip(attrs[RTA_PREFSRC], head.rtm_family, &route.source) < 0)
		return rt_err_set(err, -EPROTO, "a route that makes no sense");
	if (head.rtm_type != RTN_UNICAST || !attrs[RTA_OIF])
		return rt_err_set(err, -EHOSTUNREACH,
				  head.rtm_type == RTN_LOCAL
					  ? "that is this host itself"
					  : "no way leads there");
	route.ifindex = nla_get_u32(attrs[RTA_OIF]);
	*ret_route = route;
	return 0;
}

int rt_neighbour_parse(const void *payload, size_t bytes, uint8_t ret_mac[6],
		       struct rt_err *err)
{
	const uint16_t valid = NUD_PERMANENT | NUD_NOARP | NUD_REACHABLE | NUD_STALE |
			       NUD_DELAY | NUD_PROBE;
	struct nlattr *attrs[NDA_MAX + 1];
	struct ndmsg head;

	if (bytes < NLMSG_ALIGN(sizeof(head)) ||
	    rt_nl_attrs((const char *)payload + NLMSG_ALIGN(sizeof(head)),
			bytes - NLMSG_ALIGN(sizeof(head)), NULL, NDA_MAX, attrs) < 0)
		return rt_err_set(err, -EPROTO, "a neighbour that makes no sense");
	memcpy(&head, payload, sizeof(head));
	if (!(head.ndm_state & valid) || !attrs[NDA_LLADDR] ||
	    nla_len(attrs[NDA_LLADDR]) != 6)
		return rt_err_set(err, -ENOENT, "its MAC address is not known");
	memcpy(ret_mac, nla_data(attrs[NDA_LLADDR]), 6);
	return 0;
}

/* --- questions ---------------------------------------------------------------- */

static struct nl_msg *request(uint16_t type, const void *head, size_t head_bytes,
			      const struct rt_ip *ip, int ip_attr)
{
	struct nl_msg *msg = nlmsg_alloc_simple(type, 0);

	if (msg && (nlmsg_append(msg, (void *)(uintptr_t)head, head_bytes,
				 NLMSG_ALIGNTO) < 0 ||
		    nla_put(msg, ip_attr, ip->version == 6 ? 16 : 4, ip->bytes) < 0)) {
		nlmsg_free(msg);
		msg = NULL;
	}
	return msg;
}

static int take_route(void *context, const void *payload, size_t bytes,
		      struct rt_err *err)
{
	return rt_route_parse(payload, bytes, context, err);
}

static int take_neighbour(void *context, const void *payload, size_t bytes,
			  struct rt_err *err)
{
	return rt_neighbour_parse(payload, bytes, context, err);
}

static int family_of(const struct rt_ip *ip)
{
	return ip->version == 6 ? AF_INET6 : AF_INET;
}

int rt_route_lookup(const struct rt_ip *to, unsigned ifindex,
		    struct rt_route *ret_route, struct rt_err *err)
{
	const struct rtmsg head = { .rtm_family = (uint8_t)family_of(to),
				    .rtm_dst_len = to->version == 6 ? 128 : 32 };
	struct nl_msg *msg = request(RTM_GETROUTE, &head, sizeof(head), to, RTA_DST);
	struct rt_route route = { 0 };
	const struct rt_nl_answer answer = { .type = RTM_NEWROUTE,
					     .take = take_route,
					     .context = &route };
	char text[RT_IP_TEXT_BYTES], doing[RT_IP_TEXT_BYTES + 32] = "no route to ";
	struct rt_nl nl = { 0 };
	int r;

	strcat(doing, rt_ip_format(to, text));
	if (msg && ifindex && nla_put_u32(msg, RTA_OIF, ifindex) < 0) {
		nlmsg_free(msg);
		msg = NULL;
	}
	r = rt_nl_ask(&nl, NETLINK_ROUTE, msg, doing, &answer, err);
	rt_nl_close(&nl);
	if (r == 0 && !route.ifindex)
		return rt_err_set(err, -EPROTO, "%s: no answer", doing);
	if (r == 0)
		*ret_route = route;
	return r;
}

static int ask_neighbour(struct rt_nl *nl, const struct rt_ip *ip, unsigned ifindex,
			 uint8_t mac[6])
{
	const struct ndmsg head = { .ndm_family = (uint8_t)family_of(ip),
				    .ndm_ifindex = (int)ifindex };
	const struct rt_nl_answer answer = { .type = RTM_NEWNEIGH,
					     .take = take_neighbour,
					     .context = mac };

	return rt_nl_ask(nl, NETLINK_ROUTE,
			 request(RTM_GETNEIGH, &head, sizeof(head), ip, NDA_DST),
			 "neighbour", &answer, NULL);
}

/* That it could not be sent shows when no answer comes. */
static void nudge(const struct rt_ip *ip, unsigned ifindex)
{
	const int fd = socket(family_of(ip), SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			      0);
	struct sockaddr_in v4 = { .sin_family = AF_INET,
				  .sin_port = htons(DISCARD_PORT) };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6,
				   .sin6_port = htons(DISCARD_PORT),
				   .sin6_scope_id = ifindex };

	if (fd < 0)
		return;
	memcpy(&v4.sin_addr, ip->bytes, 4);
	memcpy(&v6.sin6_addr, ip->bytes, 16);
	if (ip->version == 6)
		(void)!sendto(fd, "", 1, 0, (const struct sockaddr *)&v6, sizeof(v6));
	else
		(void)!sendto(fd, "", 1, 0, (const struct sockaddr *)&v4, sizeof(v4));
	close(fd);
}

int rt_neighbour_lookup(const struct rt_ip *neighbour, unsigned ifindex,
			unsigned wait_ms, uint8_t ret_mac[6], struct rt_err *err)
{
	const struct timespec pause = { .tv_nsec = LOOK_MS * 1000000L };
	char text[RT_IP_TEXT_BYTES];
	struct rt_nl nl = { 0 };
	uint8_t mac[6] = { 0 };
	int r = ask_neighbour(&nl, neighbour, ifindex, mac);

	if (r == -ENOENT)
		nudge(neighbour, ifindex);
	for (unsigned ms = 0; r == -ENOENT && ms < wait_ms; ms += LOOK_MS) {
		nanosleep(&pause, NULL);
		r = ask_neighbour(&nl, neighbour, ifindex, mac);
	}
	rt_nl_close(&nl);
	if (r == -ENOENT)
		return rt_err_set(err, -EHOSTUNREACH,
				  "%s: nobody answers with a MAC address: is it up, "
				  "and in this network?",
				  rt_ip_format(neighbour, text));
	if (r < 0)
		return rt_err_sys(err, r, "%s: cannot look up its MAC address",
				  rt_ip_format(neighbour, text));
	memcpy(ret_mac, mac, sizeof(mac));
	return 0;
}

int rt_next_hop(const struct rt_ip *to, unsigned ifindex, unsigned wait_ms,
		uint8_t ret_mac[6], struct rt_err *err)
{
	struct rt_route route;
	int r = rt_route_lookup(to, ifindex, &route, err);

	if (r < 0)
		return r;
	return rt_neighbour_lookup(route.gateway.version ? &route.gateway : to,
				   route.ifindex, wait_ms, ret_mac, err);
}
