/* SPDX-License-Identifier: BSD-2-Clause */
/* probe_open.c - the sockets of a prober, and from where to where its packets go. */
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/ip.h"
#include "base/own.h"
#include "rocetune/err.h"
#include "rocetune/frame.h"
#include "traffic/probe_socket.h"
#include "traffic/probe_state.h"

static int resolve(const struct rt_prober_config *config, union rt_sockaddr *ret_to,
		   socklen_t *ret_bytes, struct rt_err *err)
{
	const struct addrinfo hints = {
		.ai_family = config->family == 4           ? AF_INET
			     : config->family == 6         ? AF_INET6
			     : config->source.version == 4 ? AF_INET
			     : config->source.version == 6 ? AF_INET6
							   : AF_UNSPEC,
		.ai_socktype = SOCK_DGRAM,
	};
	struct addrinfo *list = NULL;
	int r = getaddrinfo(config->host, NULL, &hints, &list);

	if (r != 0)
		return rt_err_set(err, -ENOENT, "%.100s: %s", config->host,
				  gai_strerror(r));
	memset(ret_to, 0, sizeof(*ret_to));
	*ret_bytes = list->ai_addrlen;
	memcpy(ret_to, list->ai_addr, list->ai_addrlen);
	freeaddrinfo(list);
	if (ret_to->any.sa_family == AF_INET6 &&
	    IN6_IS_ADDR_LINKLOCAL(&ret_to->v6.sin6_addr))
		return rt_err_set(err, -EINVAL,
				  "%.100s: a link-local address has no path, and RoCE "
				  "should not use one: probe another of the host's",
				  config->host);
	return 0;
}

/* The source that the route gives, unless one is asked for. */
static int find_source(const struct rt_prober_config *config,
		       const union rt_sockaddr *to, socklen_t bytes,
		       struct rt_ip *ret_source)
{
	union rt_sockaddr at = *to, from;
	socklen_t from_bytes = sizeof(from);
	int fd, r = 0;

	if (config->source.version) {
		*ret_source = config->source;
		return 0;
	}
	fd = socket(to->any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	/* Nothing is sent by this. */
	if (to->any.sa_family == AF_INET6)
		at.v6.sin6_port = htons(RT_PROBE_PORT);
	else
		at.v4.sin_port = htons(RT_PROBE_PORT);
	if (connect(fd, &at.any, bytes) < 0 ||
	    getsockname(fd, &from.any, &from_bytes) < 0)
		r = -errno;
	else
		*ret_source = rt_sockaddr_ip(&from);
	close(fd);
	return r;
}

/* Which interface has the source address, and its MTU; not told is unknown. */
static void find_netdev(struct rt_prober *prober)
{
	struct rt_prober_about *about = &prober->about;
	struct ifaddrs *list = NULL;
	struct ifreq ifr = { 0 };

	if (getifaddrs(&list) < 0)
		return;
	for (struct ifaddrs *at = list; at && !*about->netdev; at = at->ifa_next) {
		union rt_sockaddr address;
		struct rt_ip ip;

		if (!at->ifa_addr || (at->ifa_addr->sa_family != AF_INET &&
				      at->ifa_addr->sa_family != AF_INET6))
			continue;
		memset(&address, 0, sizeof(address));
		memcpy(&address, at->ifa_addr,
		       at->ifa_addr->sa_family == AF_INET ? sizeof(address.v4)
							  : sizeof(address.v6));
		ip = rt_sockaddr_ip(&address);
		if (rt_ip_equal(&ip, &about->source))
			snprintf(about->netdev, sizeof(about->netdev), "%s",
				 at->ifa_name);
	}
	freeifaddrs(list);
	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", about->netdev);
	if (*about->netdev && ioctl(prober->fd, SIOCGIFMTU, &ifr) == 0 &&
	    ifr.ifr_mtu > 0)
		about->mtu_bytes = RT_KNOWN_U64((uint64_t)ifr.ifr_mtu);
}

static int open_udp(struct rt_prober *prober, struct rt_err *err)
{
	union rt_sockaddr from;
	socklen_t bytes = rt_sockaddr_from(&prober->about.source, 0, &from);
	const int on = 1;
	int r;

	prober->fd = socket(prober->ipv6 ? AF_INET6 : AF_INET,
			    SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (prober->fd < 0)
		return rt_err_sys(err, -errno, "cannot open a socket");
	r = rt_probe_socket_setup(prober->fd, prober->ipv6);
	if (r == 0 &&
	    setsockopt(prober->fd, prober->ipv6 ? IPPROTO_IPV6 : IPPROTO_IP,
		       prober->ipv6 ? IPV6_RECVERR : IP_RECVERR, &on, sizeof(on)) < 0)
		r = -errno;
	if (r == 0 && bind(prober->fd, &from.any, bytes) < 0)
		r = -errno;
	bytes = sizeof(from);
	if (r == 0 && getsockname(prober->fd, &from.any, &bytes) < 0)
		r = -errno;
	if (r < 0)
		return rt_err_sys(err, r, "cannot open a socket for probes");
	prober->source_port = rt_sockaddr_port(&from);
	return 0;
}

static void open_icmp(struct rt_prober *prober)
{
	struct rt_prober_about *about = &prober->about;
	const int fd = rt_probe_open_icmp(prober->ipv6);

	if (fd >= 0) {
		prober->icmp_fd = fd;
		about->sees_quotes = true;
		return;
	}
	snprintf(about->why, sizeof(about->why),
		 fd == -EPERM ? "seeing ICMP errors needs CAP_NET_RAW: run it as root"
			      : "there is no raw ICMP socket: %s",
		 strerror(-fd));
}

static bool is_zero(const uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (bytes[i])
			return false;
	return true;
}

static int make_cookie(const struct rt_prober_config *config, struct rt_prober *prober)
{
	memcpy(prober->cookie, config->cookie, sizeof(prober->cookie));
	if (!is_zero(prober->cookie, sizeof(prober->cookie)))
		return 0;
	return getrandom(prober->cookie, sizeof(prober->cookie), 0) ==
			       (ssize_t)sizeof(prober->cookie)
		       ? 0
		       : -EIO;
}

static int set_up(const struct rt_prober_config *config, struct rt_prober *prober,
		  struct rt_err *err)
{
	union rt_sockaddr to;
	socklen_t bytes;
	int r = resolve(config, &to, &bytes, err);

	if (r < 0)
		return r;
	prober->ipv6 = to.any.sa_family == AF_INET6;
	prober->about.address = rt_sockaddr_ip(&to);
	r = find_source(config, &to, bytes, &prober->about.source);
	if (r == 0)
		r = make_cookie(config, prober);
	if (r < 0)
		return rt_err_sys(err, r, "%.100s", config->host);
	r = open_udp(prober, err);
	if (r < 0)
		return r;
	open_icmp(prober);
	find_netdev(prober);
	return 0;
}

int rt_prober_open(const struct rt_prober_config *config, struct rt_prober **ret_prober,
		   struct rt_err *err)
{
	const uint32_t pps = config->pps && config->pps < RT_PROBE_MAX_PPS
				     ? config->pps
				     : RT_PROBE_MAX_PPS;
	struct rt_prober *prober;
	int r;

	if (config->port == RT_ROCE_UDP_PORT)
		return rt_err_set(err, -EINVAL,
				  "UDP port %d is RoCE's: a NIC would take probes for "
				  "it, choose another",
				  RT_ROCE_UDP_PORT);
	prober = calloc(1, sizeof(*prober));
	if (!prober || !(prober->buf = malloc(RT_PROBER_PACKET_BYTES))) {
		free(prober);
		return rt_err_sys(err, -ENOMEM, "probes");
	}
	prober->fd = prober->icmp_fd = -1;
	prober->listener_port = config->port ? config->port : RT_PROBE_PORT;
	prober->gap_ns = 1000000000 / pps;
	r = set_up(config, prober, err);
	if (r < 0) {
		rt_prober_close(prober);
		return r;
	}
	*ret_prober = prober;
	return 0;
}

void rt_prober_close(struct rt_prober *prober)
{
	if (!prober)
		return;
	if (prober->fd >= 0)
		close(prober->fd);
	if (prober->icmp_fd >= 0)
		close(prober->icmp_fd);
	free(prober->buf);
	free(prober);
}

void rt_prober_about(const struct rt_prober *prober, struct rt_prober_about *ret_about)
{
	*ret_about = prober->about;
}
