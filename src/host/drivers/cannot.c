/* SPDX-License-Identifier: BSD-2-Clause */
/* cannot.c - RDMA devices on which nothing can be tuned from the host, and why. */
#include "host/drivers/drivers.h"

#define CANNOT(variable, name_, help_, cannot_, ...)                          \
	static const char *const variable##_kernel[] = { __VA_ARGS__, NULL }; \
	const struct rt_driver rt_driver_##variable = {                       \
		.name = (name_),                                              \
		.kernel = variable##_kernel,                                  \
		.help = (help_),                                              \
		.cannot = (cannot_),                                          \
	}

CANNOT(i40e, "i40e", "Intel X722",
       "iWARP runs over the adapter's TCP: there is no RoCE congestion control",
       "i40e");
CANNOT(efa, "efa", "AWS Elastic Fabric Adapter",
       "its transport (SRD) does congestion control in the card, which has no "
       "settings; "
       "counters only",
       "efa");
CANNOT(erdma, "erdma", "Alibaba Elastic RDMA",
       "the card chooses its congestion control and tells which; it has no settings",
       "erdma");
CANNOT(mana, "mana", "Microsoft Azure Network Adapter",
       "the cloud's host sets PFC, ECN and congestion control; the driver has no "
       "settings",
       "mana", "mana_ib");
CANNOT(rxe, "rxe", "software RoCE",
       "it sends no CNP and reacts to none: there is no congestion control to tune",
       "rdma_rxe", "rxe");
CANNOT(siw, "siw", "software iWARP",
       "it runs over the kernel's TCP: sysctl net.ipv4.tcp_congestion_control", "siw");
