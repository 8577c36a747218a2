/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * veth.h - network namespaces with a pair of interfaces between them, for tests; by
 * rtnetlink, as the tests may not need iproute2.  All that is made goes with the
 * process.
 */
#ifndef RT_TESTS_VETH_H
#define RT_TESTS_VETH_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct veth_message {
	struct nlmsghdr head;
	char rest[1024];
};

static inline void *veth_room(struct veth_message *message, size_t bytes)
{
	char *at = (char *)message + NLMSG_ALIGN(message->head.nlmsg_len);

	memset(at, 0, NLMSG_ALIGN(bytes));
	message->head.nlmsg_len = NLMSG_ALIGN(message->head.nlmsg_len) +
				  (uint32_t)NLMSG_ALIGN(bytes);
	return at;
}

static inline struct rtattr *veth_attr(struct veth_message *message, unsigned type,
				       const void *data, size_t bytes)
{
	struct rtattr *attr = veth_room(message, RTA_LENGTH(bytes));

	attr->rta_type = (unsigned short)type;
	attr->rta_len = (unsigned short)RTA_LENGTH(bytes);
	if (bytes)
		memcpy(RTA_DATA(attr), data, bytes);
	return attr;
}

static inline void veth_end(struct veth_message *message, struct rtattr *nest)
{
	nest->rta_len = (unsigned short)((char *)message + message->head.nlmsg_len -
					 (char *)nest);
}

/* 0 or what the kernel answered. */
static inline int veth_ask(struct veth_message *message)
{
	struct {
		struct nlmsghdr head;
		struct nlmsgerr error;
		char rest[2048];
	} answer;
	const int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	int r = -errno;

	message->head.nlmsg_flags |= NLM_F_REQUEST | NLM_F_ACK;
	if (fd >= 0 && send(fd, message, message->head.nlmsg_len, 0) >= 0 &&
	    recv(fd, &answer, sizeof(answer), 0) >= (ssize_t)sizeof(answer.head) + 4)
		r = answer.head.nlmsg_type == NLMSG_ERROR ? answer.error.error
							  : -EPROTO;
	if (fd >= 0)
		close(fd);
	return r;
}

/* Make a in this namespace and b in the one of ns_fd (-1: this one too). */
static inline int veth_make(const char *a, const char *b, int ns_fd)
{
	struct veth_message m = { .head = { .nlmsg_len = NLMSG_HDRLEN,
					    .nlmsg_type = RTM_NEWLINK,
					    .nlmsg_flags = NLM_F_CREATE |
							   NLM_F_EXCL } };
	struct rtattr *info, *data, *peer;

	veth_room(&m, sizeof(struct ifinfomsg));
	veth_attr(&m, IFLA_IFNAME, a, strlen(a) + 1);
	info = veth_attr(&m, IFLA_LINKINFO, NULL, 0);
	veth_attr(&m, IFLA_INFO_KIND, "veth", 5);
	data = veth_attr(&m, IFLA_INFO_DATA, NULL, 0);
	peer = veth_attr(&m, VETH_INFO_PEER, NULL, 0);
	veth_room(&m, sizeof(struct ifinfomsg));
	veth_attr(&m, IFLA_IFNAME, b, strlen(b) + 1);
	if (ns_fd >= 0)
		veth_attr(&m, IFLA_NET_NS_FD, &ns_fd, sizeof(ns_fd));
	veth_end(&m, peer);
	veth_end(&m, data);
	veth_end(&m, info);
	return veth_ask(&m);
}

/* Up or down, or away (what: RTM_DELLINK); mtu 0: as it is. */
static inline int veth_set(const char *name, unsigned what, bool up, uint32_t mtu)
{
	struct veth_message m = { .head = { .nlmsg_len = NLMSG_HDRLEN,
					    .nlmsg_type = (uint16_t)what } };
	struct ifinfomsg *link = veth_room(&m, sizeof(*link));

	link->ifi_index = (int)if_nametoindex(name);
	link->ifi_change = IFF_UP;
	link->ifi_flags = up ? IFF_UP : 0;
	if (mtu)
		veth_attr(&m, IFLA_MTU, &mtu, sizeof(mtu));
	return veth_ask(&m);
}

static inline int veth_up(const char *name, uint32_t mtu)
{
	return veth_set(name, RTM_NEWLINK, true, mtu);
}

/* An address such as 10.0.0.1 or fd00::1, usable at once. */
static inline int veth_address(const char *name, const char *text, unsigned prefix)
{
	const bool v6 = strchr(text, ':') != NULL;
	const uint32_t flags = IFA_F_NODAD;
	struct veth_message m = { .head = { .nlmsg_len = NLMSG_HDRLEN,
					    .nlmsg_type = RTM_NEWADDR,
					    .nlmsg_flags = NLM_F_CREATE } };
	struct ifaddrmsg *address = veth_room(&m, sizeof(*address));
	uint8_t bytes[16];

	address->ifa_family = v6 ? AF_INET6 : AF_INET;
	address->ifa_prefixlen = (uint8_t)prefix;
	address->ifa_index = if_nametoindex(name);
	if (inet_pton(address->ifa_family, text, bytes) != 1)
		return -EINVAL;
	veth_attr(&m, IFA_LOCAL, bytes, v6 ? 16 : 4);
	veth_attr(&m, IFA_ADDRESS, bytes, v6 ? 16 : 4);
	if (v6)
		veth_attr(&m, IFA_FLAGS, &flags, sizeof(flags));
	return veth_ask(&m);
}

static inline void veth_write(const char *path, const char *text)
{
	const int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	(void)!write(fd, text, strlen(text));
	close(fd);
}

/*
 * Into a network namespace of our own, where we may do all; as a user that is none, by
 * a user namespace.  0 or a negative errno: not allowed here.
 */
static inline int veth_unshare(void)
{
	char map[64];
	const unsigned uid = getuid(), gid = getgid();

	if (unshare(CLONE_NEWNET) == 0)
		return 0;
	if (unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0)
		return -errno;
	veth_write("/proc/self/setgroups", "deny");
	snprintf(map, sizeof(map), "0 %u 1", uid);
	veth_write("/proc/self/uid_map", map);
	snprintf(map, sizeof(map), "0 %u 1", gid);
	veth_write("/proc/self/gid_map", map);
	return 0;
}

/*
 * A second namespace; the caller stays in the first.  A file descriptor, for setns(),
 * or a negative errno.
 */
static inline int veth_namespace(void)
{
	const int here = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	int there;

	if (here < 0 || unshare(CLONE_NEWNET) < 0)
		return -errno;
	there = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	if (setns(here, CLONE_NEWNET) < 0)
		return -errno;
	close(here);
	return there;
}

#endif
