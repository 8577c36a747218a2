/* SPDX-License-Identifier: BSD-2-Clause */
/* driver.c - the list of drivers, and the words of their tables. */
#include "host/driver.h"

#include <string.h>

#include "host/drivers/drivers.h"

const struct rt_name rt_impact_names[] = {
	{ "live", RT_IMPACT_LIVE, "nothing is lost" },
	{ "blip", RT_IMPACT_BLIP, "queues are rebuilt: packets may be lost" },
	{ "flap", RT_IMPACT_FLAP, "the link goes down and comes back" },
	{ "reload", RT_IMPACT_RELOAD, "the driver must be loaded anew" },
	{ "fw-reset", RT_IMPACT_FW_RESET, "the NIC's firmware must be reset" },
	{ 0 },
};

const struct rt_name rt_scope_names[] = {
	{ "port", RT_SCOPE_PORT, "this port" },
	{ "device", RT_SCOPE_DEVICE, "all ports of the NIC" },
	{ "host", RT_SCOPE_HOST, "all such NICs of the host" },
	{ 0 },
};

const struct rt_driver *const rt_drivers[] = {
	&rt_driver_mlx5,  &rt_driver_mlx4,     &rt_driver_bnxt_re,
	&rt_driver_irdma, &rt_driver_hns_roce, &rt_driver_ionic,
	&rt_driver_qedr,  &rt_driver_cxgb4,    &rt_driver_i40e,
	&rt_driver_efa,   &rt_driver_erdma,    &rt_driver_mana,
	&rt_driver_rxe,   &rt_driver_siw,      NULL,
};

const struct rt_driver *rt_driver_find(const char *kernel_driver)
{
	for (const struct rt_driver *const *at = rt_drivers; *at; at++)
		for (const char *const *name = (*at)->kernel; *name; name++)
			if (strcmp(*name, kernel_driver) == 0)
				return *at;
	return NULL;
}
