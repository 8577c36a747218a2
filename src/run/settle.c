/* SPDX-License-Identifier: BSD-2-Clause */
/* settle.c - waiting until a port is as well as it was. */
#include "run/settle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "host/transaction.h"
#include "rocetune/err.h"

void rt_health_free(struct rt_health *health)
{
	free(health->gids);
	*health = (struct rt_health){ 0 };
}

/* Whether the file says so; one that is not there says nothing. */
static int read_line_is(struct rt_kern *kern, const char *path, const char *text,
			bool *ret_is, struct rt_err *err)
{
	char line[64];
	int r = rt_kern_line(kern, path, line, sizeof(line), err);

	if (r < 0 && r != -ENOENT && r != -ENOTDIR)
		return r;
	*ret_is = r == 0 && strcmp(line, text) == 0;
	return 0;
}

/* Documentation/networking/bonding.rst, and the slaves' files of sysfs. */
static int read_bond(struct rt_kern *kern, const struct rt_device *device,
		     struct rt_health *health, struct rt_err *err)
{
	char path[128], active[64];
	int r;

	snprintf(path, sizeof(path), "/sys/class/net/%s/bonding_slave/mii_status",
		 device->netdev);
	r = read_line_is(kern, path, "up", &health->in_bond, err);
	if (r < 0)
		return r;
	/* Only a bond with LACP has one. */
	snprintf(path, sizeof(path), "/sys/class/net/%s/bonding/ad_aggregator",
		 device->bond);
	if (rt_kern_line(kern, path, active, sizeof(active), NULL) < 0)
		return 0;
	snprintf(path, sizeof(path), "/sys/class/net/%s/bonding_slave/ad_aggregator_id",
		 device->netdev);
	return read_line_is(kern, path, active, &health->aggregated, err);
}

/* A port whose link cannot be told would never be missed later. */
static int read_link(struct rt_kern *kern, const struct rt_device *device,
		     struct rt_health *health, struct rt_err *err)
{
	struct rt_links links = { 0 };
	bool found = false;
	int r;

	if (!*device->netdev)
		return 0;
	r = kern->ops->links(kern, &links, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < links.count; i++)
		if (strcmp(links.items[i].name, device->netdev) == 0) {
			found = true;
			health->carrier = links.items[i].carrier;
			health->carrier_changes = links.items[i].carrier_changes;
			health->carrier_changes_known =
				links.items[i].carrier_changes_known;
		}
	rt_links_free(&links);
	return found ? 0
		     : rt_err_set(err, -ENODEV, "there is no network device %s",
				  device->netdev);
}

/* The device's list is taken over as it is. */
static int read_gids(struct rt_kern *kern, const struct rt_device *device,
		     struct rt_health *health, struct rt_err *err)
{
	struct rt_devices devices = { 0 };
	int r = rt_devices_read(kern, RT_DEVICE_GIDS, &devices, err);

	for (size_t i = 0; r == 0 && i < devices.count; i++) {
		struct rt_device *at = &devices.items[i];

		if (strcmp(at->ibdev, device->ibdev) != 0 || at->port != device->port)
			continue;
		health->gids = rt_steal(&at->gids);
		health->gid_count = at->gid_count;
		at->gid_count = 0;
		break;
	}
	rt_devices_free(&devices);
	return r;
}

int rt_health_read(struct rt_kern *kern, const struct rt_device *device,
		   struct rt_health *ret_health, struct rt_err *err)
{
	struct rt_health health = { 0 };
	int r = read_gids(kern, device, &health, err);

	if (r == 0)
		r = read_link(kern, device, &health, err);
	if (r == 0 && *device->bond)
		r = read_bond(kern, device, &health, err);
	if (r < 0) {
		rt_health_free(&health);
		return r;
	}
	*ret_health = health;
	return 0;
}

static bool has_gid(const struct rt_health *health, const struct rt_gid *gid)
{
	for (size_t i = 0; i < health->gid_count; i++)
		if (health->gids[i].index == gid->index &&
		    health->gids[i].type == gid->type &&
		    memcmp(&health->gids[i].address, &gid->address,
			   sizeof(gid->address)) == 0)
			return true;
	return false;
}

int rt_health_compare(const struct rt_health *before, const struct rt_health *now,
		      struct rt_err *err)
{
	char address[RT_IP_TEXT_BYTES];

	if (before->carrier && !now->carrier)
		return rt_err_set(err, -ENETDOWN, "the link did not come back");
	if (before->in_bond && !now->in_bond)
		return rt_err_set(err, -ENETDOWN,
				  "the bond does not take the port back");
	if (before->aggregated && !now->aggregated)
		return rt_err_set(err, -ENETDOWN,
				  "LACP does not take the port back into the bond");
	for (size_t i = 0; i < before->gid_count; i++)
		if (!has_gid(now, &before->gids[i]))
			return rt_err_set(
				err, -ENETDOWN, "GID %u (%s) did not come back",
				before->gids[i].index,
				rt_ip_format(&before->gids[i].address, address));
	return 0;
}

/* Down and up again are two changes of the carrier. */
static bool has_flapped(const struct rt_health *before, const struct rt_health *now)
{
	return before->carrier_changes_known && now->carrier_changes_known &&
	       now->carrier_changes - before->carrier_changes >= 2;
}

int rt_settle(const struct rt_settle *settle, struct rt_txn *txn, struct rt_err *err)
{
	unsigned well_ms = 0, waited_ms = 0;
	struct rt_err why = { 0 };

	for (;;) {
		struct rt_health now;
		int r = rt_health_read(settle->kern, settle->device, &now, &why);
		bool done;

		if (r == 0) {
			r = rt_health_compare(settle->before, &now, &why);
			done = !settle->flaps || has_flapped(settle->before, &now);
			rt_health_free(&now);
		}
		if (r == 0 && (done || well_ms >= settle->well_ms))
			return 0;
		well_ms = r == 0 ? well_ms + settle->look_ms : 0;
		if (waited_ms >= settle->most_ms && r < 0)
			return rt_err_set(err, -ENETDOWN, "%s, within %u s", why.msg,
					  settle->most_ms / 1000);
		r = rt_txn_pause(txn, settle->look_ms, err);
		if (r < 0)
			return r;
		waited_ms += settle->look_ms;
	}
}
