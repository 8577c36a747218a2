/* SPDX-License-Identifier: BSD-2-Clause */
/* demo_drivers.h - the drivers of the made-up host. */
#ifndef RT_WATCH_DEMO_DRIVERS_H
#define RT_WATCH_DEMO_DRIVERS_H

#include "watch/demo.h"

extern const struct rt_demo_driver rt_demo_mlx5, rt_demo_bnxt, rt_demo_irdma,
	rt_demo_hns, rt_demo_rxe;

#endif
