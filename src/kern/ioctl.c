/* SPDX-License-Identifier: BSD-2-Clause */
/* ioctl.c - what ethtool has no netlink message for (linux/ethtool.h). */
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "base/own.h"
#include "kern/live.h"
#include "kern/stats.h"
#include "rocetune/err.h"

/* 0 or a negative errno. */
static int ethtool_ioctl(struct rt_live *live, const char *netdev, void *command)
{
	struct ifreq ifr = { 0 };

	if (live->ioctl_fd < 0)
		live->ioctl_fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (live->ioctl_fd < 0)
		return -errno;
	memcpy(ifr.ifr_name, netdev, strlen(netdev) + 1);
	ifr.ifr_data = command;
	if (ioctl(live->ioctl_fd, SIOCETHTOOL, &ifr) == 0)
		return 0;
	return errno == RT_KERNEL_ENOTSUPP ? -EOPNOTSUPP : -errno;
}

static void copy_text(char *to, size_t capacity, const char *from, size_t most)
{
	const size_t bytes = strnlen(from, most < capacity ? most : capacity - 1);

	memcpy(to, from, bytes);
	to[bytes] = '\0';
}

int rt_live_ethtool_info(struct rt_kern *kern, const char *netdev,
			 struct rt_ethtool_info *ret_info, struct rt_err *err)
{
	struct ethtool_drvinfo from = { .cmd = ETHTOOL_GDRVINFO };
	struct rt_ethtool_info info = { 0 };
	int r = rt_ifname_check(netdev, err);

	if (r < 0)
		return r;
	r = ethtool_ioctl(rt_live_of(kern), netdev, &from);
	if (r < 0)
		return rt_err_sys(err, r, "%s: cannot read driver and firmware",
				  netdev);
	copy_text(info.driver, sizeof(info.driver), from.driver, sizeof(from.driver));
	copy_text(info.version, sizeof(info.version), from.version,
		  sizeof(from.version));
	copy_text(info.firmware, sizeof(info.firmware), from.fw_version,
		  sizeof(from.fw_version));
	copy_text(info.bus, sizeof(info.bus), from.bus_info, sizeof(from.bus_info));
	*ret_info = info;
	return 0;
}

static int storm_ioctl(struct rt_kern *kern, const char *netdev, uint32_t command,
		       uint16_t *ms, struct rt_err *err)
{
	const struct ethtool_tunable head = { .cmd = command,
					      .id = ETHTOOL_PFC_PREVENTION_TOUT,
					      .type_id = ETHTOOL_TUNABLE_U16,
					      .len = sizeof(*ms) };
	/* The value stands behind the struct. */
	_Alignas(struct ethtool_tunable) char tunable[sizeof(head) + sizeof(*ms)];
	int r = rt_ifname_check(netdev, err);

	if (r < 0)
		return r;
	memcpy(tunable, &head, sizeof(head));
	memcpy(tunable + sizeof(head), ms, sizeof(*ms));
	r = ethtool_ioctl(rt_live_of(kern), netdev, tunable);
	if (r < 0)
		return rt_err_sys(err, r, "%s: cannot %s pfc-prevention-tout", netdev,
				  command == ETHTOOL_GTUNABLE ? "read" : "set");
	memcpy(ms, tunable + sizeof(head), sizeof(*ms));
	return 0;
}

int rt_live_storm_get(struct rt_kern *kern, const char *netdev, uint16_t *ret_ms,
		      struct rt_err *err)
{
	uint16_t ms = 0;
	int r = storm_ioctl(kern, netdev, ETHTOOL_GTUNABLE, &ms, err);

	if (r == 0)
		*ret_ms = ms;
	return r;
}

int rt_live_storm_set(struct rt_kern *kern, const char *netdev, uint16_t ms,
		      struct rt_err *err)
{
	return storm_ioctl(kern, netdev, ETHTOOL_STUNABLE, &ms, err);
}

/* --- statistics ------------------------------------------------------------------------ */

/*
 * The driver's names come and go (mlx5: with PFC), and between two calls, too.  Kernels
 * before 6.19 write as many as there are now, whatever room was said to be: so there is
 * more of it than was asked for, and what came in another number is asked for again.
 */
#define STATS_SPARE 16384u
#define STATS_TRIES 5

static int count_stats(struct rt_live *live, const char *netdev, uint32_t *ret_count)
{
	_Alignas(struct ethtool_sset_info) char
		buf[sizeof(struct ethtool_sset_info) + sizeof(uint32_t)] = { 0 };
	const struct ethtool_sset_info head = { .cmd = ETHTOOL_GSSET_INFO,
						.sset_mask = 1ull << ETH_SS_STATS };
	struct ethtool_sset_info *info = (void *)buf;
	int r;

	memcpy(buf, &head, sizeof(head));
	r = ethtool_ioctl(live, netdev, info);
	if (r < 0)
		return r;
	/* No bit: the driver has no such set. */
	if (!(info->sset_mask & 1ull << ETH_SS_STATS))
		return -EOPNOTSUPP;
	memcpy(ret_count, buf + sizeof(head), sizeof(*ret_count));
	return *ret_count > RT_STATS_MAX ? -E2BIG : 0;
}

/* Room for names and values, which stays for the next time. */
static int make_room(struct rt_live *live, uint32_t count)
{
	const size_t room = (size_t)count + STATS_SPARE;
	void *names, *values;

	if (room <= live->stats_room)
		return 0;
	names = realloc(live->stats_names,
			sizeof(*live->stats_names) + room * ETH_GSTRING_LEN);
	if (names)
		live->stats_names = names;
	values = realloc(live->stats_values,
			 sizeof(*live->stats_values) + room * sizeof(uint64_t));
	if (values)
		live->stats_values = values;
	if (!names || !values)
		return -ENOMEM;
	live->stats_room = room;
	return 0;
}

/* -EAGAIN: the set changed meanwhile. */
static int read_stats(struct rt_live *live, const char *netdev, uint32_t count,
		      struct rt_stats *stats)
{
	const struct ethtool_gstrings *names;
	const struct ethtool_stats *values;
	uint32_t after = 0;
	int r = make_room(live, count);

	if (r < 0)
		return r;
	*live->stats_names = (struct ethtool_gstrings){ .cmd = ETHTOOL_GSTRINGS,
							.string_set = ETH_SS_STATS,
							.len = count };
	*live->stats_values = (struct ethtool_stats){ .cmd = ETHTOOL_GSTATS,
						      .n_stats = count };
	names = live->stats_names;
	values = live->stats_values;
	r = ethtool_ioctl(live, netdev, live->stats_names);
	if (r == 0)
		r = ethtool_ioctl(live, netdev, live->stats_values);
	if (r == 0)
		r = count_stats(live, netdev, &after);
	if (r < 0)
		return r;
	if (names->len != count || values->n_stats != count || after != count)
		return -EAGAIN;
	for (uint32_t i = 0; i < count && r == 0; i++)
		r = rt_stats_add(
			stats, (const char *)names->data + (size_t)i * ETH_GSTRING_LEN,
			ETH_GSTRING_LEN, values->data[i]);
	return r;
}

int rt_live_ethtool_stats(struct rt_kern *kern, const char *netdev,
			  struct rt_stats *ret_stats, struct rt_err *err)
{
	struct rt_live *live = rt_live_of(kern);
	uint32_t count;
	int r = rt_ifname_check(netdev, err);

	rt_stats_begin(ret_stats);
	if (r < 0)
		return r;
	for (unsigned i = 0; i < STATS_TRIES; i++) {
		r = count_stats(live, netdev, &count);
		if (r == 0)
			r = read_stats(live, netdev, count, ret_stats);
		if (r != -EAGAIN)
			break;
		rt_stats_begin(ret_stats);
	}
	r = rt_stats_end(ret_stats, r);
	return r < 0 ? rt_err_sys(err, r, "%s: cannot read its statistics", netdev) : 0;
}
