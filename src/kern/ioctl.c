/* SPDX-License-Identifier: BSD-2-Clause */
/* ioctl.c - what ethtool has no netlink message for (linux/ethtool.h). */
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "kern/live.h"
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
