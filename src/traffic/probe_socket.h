/* SPDX-License-Identifier: BSD-2-Clause */
/* probe_socket.h - socket addresses and options that probes and their listener share. */
#ifndef RT_TRAFFIC_PROBE_SOCKET_H
#define RT_TRAFFIC_PROBE_SOCKET_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "rocetune/field.h"

/* An address of either version. */
union rt_sockaddr {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

socklen_t rt_sockaddr_from(const struct rt_ip *ip, uint16_t port,
			   union rt_sockaddr *ret_to);
struct rt_ip rt_sockaddr_ip(const union rt_sockaddr *from);
uint16_t rt_sockaddr_port(const union rt_sockaddr *from);

/* With what a packet came. */
struct rt_came {
	struct rt_opt_u64 tos, ttl;
	struct rt_ip to; /* version 0: not told */
};

/* Bytes of the packet that has come, or a negative errno. */
ssize_t rt_probe_receive(int fd, void *buf, size_t room, union rt_sockaddr *ret_from,
			 struct rt_came *ret_came);

/* Ask for those messages, and never fragment; 0 or a negative errno. */
int rt_probe_socket_setup(int fd, bool ipv6);

/* 0 or a negative errno. */
int rt_probe_set_tos(int fd, bool ipv6, unsigned tos);
int rt_probe_set_ttl(int fd, bool ipv6, unsigned ttl);

/*
 * A socket that gets ICMP errors with what they quote, which the kernel tells no other
 * socket; or a negative errno, -EPERM without CAP_NET_RAW.
 */
int rt_probe_open_icmp(bool ipv6);

#endif
