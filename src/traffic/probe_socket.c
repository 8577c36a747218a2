/* SPDX-License-Identifier: BSD-2-Clause */
/* probe_socket.c - socket addresses and options (ip(7), ipv6(7)). */
#include "traffic/probe_socket.h"

#include <errno.h>
#include <linux/icmp.h>
#include <netinet/icmp6.h>
#include <string.h>
#include <unistd.h>

socklen_t rt_sockaddr_from(const struct rt_ip *ip, uint16_t port,
			   union rt_sockaddr *ret_to)
{
	union rt_sockaddr to;

	memset(&to, 0, sizeof(to));
	if (ip->version == 6) {
		to.v6.sin6_family = AF_INET6;
		to.v6.sin6_port = htons(port);
		memcpy(&to.v6.sin6_addr, ip->bytes, 16);
	} else {
		to.v4.sin_family = AF_INET;
		to.v4.sin_port = htons(port);
		memcpy(&to.v4.sin_addr, ip->bytes, 4);
	}
	*ret_to = to;
	return ip->version == 6 ? sizeof(to.v6) : sizeof(to.v4);
}

struct rt_ip rt_sockaddr_ip(const union rt_sockaddr *from)
{
	struct rt_ip ip = { 0 };

	if (from->any.sa_family == AF_INET6) {
		ip.version = 6;
		memcpy(ip.bytes, &from->v6.sin6_addr, 16);
	} else if (from->any.sa_family == AF_INET) {
		ip.version = 4;
		memcpy(ip.bytes, &from->v4.sin_addr, 4);
	}
	return ip;
}

uint16_t rt_sockaddr_port(const union rt_sockaddr *from)
{
	return ntohs(from->any.sa_family == AF_INET6 ? from->v6.sin6_port
						     : from->v4.sin_port);
}

/* An int, or (IP_TOS) a byte. */
static struct rt_opt_u64 number_of(const struct cmsghdr *cmsg)
{
	const size_t bytes = cmsg->cmsg_len - CMSG_LEN(0);
	int number = 0;

	if (bytes == 1)
		return RT_KNOWN_U64(*CMSG_DATA(cmsg));
	if (bytes < sizeof(number))
		return (struct rt_opt_u64){ 0 };
	memcpy(&number, CMSG_DATA(cmsg), sizeof(number));
	return RT_KNOWN_U64((uint64_t)number & 0xFF);
}

static void read_came(struct msghdr *msg, struct rt_came *ret_came)
{
	struct rt_came came = { 0 };

	for (struct cmsghdr *at = CMSG_FIRSTHDR(msg); at; at = CMSG_NXTHDR(msg, at)) {
		const bool ipv4 = at->cmsg_level == IPPROTO_IP;
		const bool ipv6 = at->cmsg_level == IPPROTO_IPV6;

		if ((ipv4 && at->cmsg_type == IP_TOS) ||
		    (ipv6 && at->cmsg_type == IPV6_TCLASS))
			came.tos = number_of(at);
		else if ((ipv4 && at->cmsg_type == IP_TTL) ||
			 (ipv6 && at->cmsg_type == IPV6_HOPLIMIT))
			came.ttl = number_of(at);
		else if (ipv4 && at->cmsg_type == IP_PKTINFO) {
			struct in_pktinfo info;

			memcpy(&info, CMSG_DATA(at), sizeof(info));
			came.to.version = 4;
			memcpy(came.to.bytes, &info.ipi_addr, 4);
		} else if (ipv6 && at->cmsg_type == IPV6_PKTINFO) {
			struct in6_pktinfo info;

			memcpy(&info, CMSG_DATA(at), sizeof(info));
			came.to.version = 6;
			memcpy(came.to.bytes, &info.ipi6_addr, 16);
		}
	}
	*ret_came = came;
}

ssize_t rt_probe_receive(int fd, void *buf, size_t room, union rt_sockaddr *ret_from,
			 struct rt_came *ret_came)
{
	_Alignas(struct cmsghdr) char control[256];
	struct iovec iov = { buf, room };
	struct msghdr msg = { .msg_name = ret_from,
			      .msg_namelen = sizeof(*ret_from),
			      .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = control,
			      .msg_controllen = sizeof(control) };
	const ssize_t got = recvmsg(fd, &msg, 0);

	if (got < 0)
		return -errno;
	read_came(&msg, ret_came);
	return got;
}

static int set_int(int fd, int level, int option, int value)
{
	return setsockopt(fd, level, option, &value, sizeof(value)) == 0 ? 0 : -errno;
}

/* PROBE: packets say "do not fragment", and what is known of the path is not asked. */
int rt_probe_socket_setup(int fd, bool ipv6)
{
	static const int v4[][2] = {
		{ IP_RECVTOS, 1 },
		{ IP_RECVTTL, 1 },
		{ IP_PKTINFO, 1 },
		{ IP_MTU_DISCOVER, IP_PMTUDISC_PROBE },
	};
	static const int v6[][2] = {
		{ IPV6_RECVTCLASS, 1 },
		{ IPV6_RECVHOPLIMIT, 1 },
		{ IPV6_RECVPKTINFO, 1 },
		{ IPV6_MTU_DISCOVER, IPV6_PMTUDISC_PROBE },
	};
	int r = 0;

	for (unsigned i = 0; i < 4 && r == 0; i++)
		r = ipv6 ? set_int(fd, IPPROTO_IPV6, v6[i][0], v6[i][1])
			 : set_int(fd, IPPROTO_IP, v4[i][0], v4[i][1]);
	return r;
}

int rt_probe_set_tos(int fd, bool ipv6, unsigned tos)
{
	return ipv6 ? set_int(fd, IPPROTO_IPV6, IPV6_TCLASS, (int)tos)
		    : set_int(fd, IPPROTO_IP, IP_TOS, (int)tos);
}

int rt_probe_set_ttl(int fd, bool ipv6, unsigned ttl)
{
	return ipv6 ? set_int(fd, IPPROTO_IPV6, IPV6_UNICAST_HOPS, (int)ttl)
		    : set_int(fd, IPPROTO_IP, IP_TTL, (int)ttl);
}

/* What else comes is passed over by its reader: the filters only save work. */
int rt_probe_open_icmp(bool ipv6)
{
	const struct icmp_filter v4 = { ~(1u << ICMP_DEST_UNREACH |
					  1u << ICMP_TIME_EXCEEDED) };
	struct icmp6_filter v6;
	const int fd = socket(ipv6 ? AF_INET6 : AF_INET,
			      SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK,
			      ipv6 ? (int)IPPROTO_ICMPV6 : (int)IPPROTO_ICMP);

	if (fd < 0)
		return -errno;
	ICMP6_FILTER_SETBLOCKALL(&v6);
	ICMP6_FILTER_SETPASS(ICMP6_DST_UNREACH, &v6);
	ICMP6_FILTER_SETPASS(ICMP6_PACKET_TOO_BIG, &v6);
	ICMP6_FILTER_SETPASS(ICMP6_TIME_EXCEEDED, &v6);
	if (ipv6)
		setsockopt(fd, IPPROTO_ICMPV6, ICMP6_FILTER, &v6, sizeof(v6));
	else
		setsockopt(fd, SOL_RAW, ICMP_FILTER, &v4, sizeof(v4));
	return fd;
}
