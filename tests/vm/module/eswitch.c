// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * devlink: whether the NIC's embedded switch is in legacy or in switchdev mode.  The
 * mode is kept and changes nothing else.
 */
#include <net/devlink.h>

#include "rtnic.h"

static struct rtnic *nic_of(struct devlink *devlink)
{
	return *(struct rtnic **)devlink_priv(devlink);
}

static int mode_get(struct devlink *devlink, u16 *mode)
{
	*mode = nic_of(devlink)->switchdev ? DEVLINK_ESWITCH_MODE_SWITCHDEV
					   : DEVLINK_ESWITCH_MODE_LEGACY;
	return 0;
}

static int mode_set(struct devlink *devlink, u16 mode, struct netlink_ext_ack *extack)
{
	nic_of(devlink)->switchdev = mode == DEVLINK_ESWITCH_MODE_SWITCHDEV;
	return 0;
}

static const struct devlink_ops ops = {
	.eswitch_mode_get = mode_get,
	.eswitch_mode_set = mode_set,
};

int rtnic_eswitch_add(struct rtnic *nic)
{
	nic->devlink = devlink_alloc(&ops, sizeof(nic), &nic->pdev->dev);
	if (!nic->devlink)
		return -ENOMEM;
	*(struct rtnic **)devlink_priv(nic->devlink) = nic;
	devlink_register(nic->devlink);
	return 0;
}

void rtnic_eswitch_remove(struct rtnic *nic)
{
	devlink_unregister(nic->devlink);
	devlink_free(nic->devlink);
}
