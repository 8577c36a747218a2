/* SPDX-License-Identifier: BSD-2-Clause */
/* device_read.h - what the files that read a device have in common. */
#ifndef RT_HOST_DEVICE_READ_H
#define RT_HOST_DEVICE_READ_H

#include "host/device.h"

#define RT_PATH_BYTES 256

/* What one port is read with; all borrowed. */
struct rt_device_source {
	struct rt_kern *kern;
	const struct rt_links *links;
	const struct rt_rdma_port *port;
};

/*
 * RDMA ports by sysfs, where rdma netlink does not answer (a folder that somebody
 * copied): what it tells less stays empty.  -ENOENT: no /sys/class/infiniband.
 */
int rt_rdma_ports_from_sysfs(struct rt_kern *kern, struct rt_rdma_ports *ret_ports,
			     struct rt_err *err);

/* "/sys/class/infiniband/DEVICE/ports/PORT/NAME"; returns buf. */
char *rt_port_path(const struct rt_device *device, const char *name,
		   char buf[RT_PATH_BYTES]);

/* The last PCI address in the path of a device's link; false: there is none. */
bool rt_pci_of_path(const char *path, char ret_pci[16]);

/* PCI address, function, PCIe link, NUMA node, chip, kernel driver. */
void rt_device_read_pci(const struct rt_device_source *from, struct rt_device *device);

/* Network device, its link, bond, speed and MTUs. */
void rt_device_read_net(const struct rt_device_source *from, struct rt_device *device);

/* GIDs, empty ones left out.  -ENOMEM only: what cannot be read is not there. */
int rt_device_read_gids(struct rt_kern *kern, struct rt_device *device,
			struct rt_err *err);

/* By which interface each group of knobs is reached, and why not. */
void rt_device_read_groups(struct rt_kern *kern, struct rt_device *device);

#endif
