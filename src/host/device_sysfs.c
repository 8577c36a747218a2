/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * device_sysfs.c - RDMA ports without rdma netlink.  Folders that people copied off
 * a host have sysfs at best.  Files: Documentation/ABI/stable/sysfs-class-infiniband.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "host/device_read.h"
#include "rocetune/err.h"

#define CLASS "/sys/class/infiniband"

/* "4: ACTIVE" -> 4; 0: not told. */
static uint8_t leading_number(struct rt_kern *kern, const char *path)
{
	char line[64];

	if (rt_kern_line(kern, path, line, sizeof(line), NULL) < 0 || line[0] < '0' ||
	    line[0] > '9')
		return 0;
	return (uint8_t)strtoul(line, NULL, 10);
}

static int add_port(struct rt_kern *kern, const char *ibdev, unsigned number,
		    struct rt_rdma_ports *ports, struct rt_err *err)
{
	struct rt_rdma_port *items = rt_grow(ports->items, ports->count,
					     &ports->capacity, sizeof(*items));
	struct rt_rdma_port *port;
	char path[RT_PATH_BYTES];

	if (!items)
		return rt_err_sys(err, -ENOMEM, "cannot hold the RDMA ports");
	ports->items = items;
	port = &items[ports->count++];
	*port = (struct rt_rdma_port){ .port = number };
	snprintf(port->ibdev, sizeof(port->ibdev), "%s", ibdev);
	snprintf(path, sizeof(path), CLASS "/%.63s/ports/%u/state", ibdev, number);
	port->state = leading_number(kern, path);
	snprintf(path, sizeof(path), CLASS "/%.63s/ports/%u/phys_state", ibdev, number);
	port->phys_state = leading_number(kern, path);
	snprintf(path, sizeof(path), CLASS "/%.63s/fw_ver", ibdev);
	if (rt_kern_line(kern, path, port->firmware, sizeof(port->firmware), NULL) < 0)
		port->firmware[0] = '\0';
	return 0;
}

static int add_device(struct rt_kern *kern, const char *ibdev,
		      struct rt_rdma_ports *ports, struct rt_err *err)
{
	struct rt_names numbers = { 0 };
	char path[RT_PATH_BYTES];
	int r = 0;

	if (strlen(ibdev) >= RT_IBNAME_BYTES)
		return 0;
	snprintf(path, sizeof(path), CLASS "/%s/ports", ibdev);
	if (kern->ops->folder_read(kern, path, &numbers, NULL) < 0)
		return 0;
	for (size_t i = 0; i < numbers.count && r == 0; i++) {
		char *end;
		const unsigned long number = strtoul(numbers.items[i], &end, 10);

		if (end > numbers.items[i] && !*end && number >= 1 && number <= 255)
			r = add_port(kern, ibdev, (unsigned)number, ports, err);
	}
	rt_names_free(&numbers);
	return r;
}

/* mlx5_2 before mlx5_10. */
static int by_name(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

int rt_rdma_ports_from_sysfs(struct rt_kern *kern, struct rt_rdma_ports *ret_ports,
			     struct rt_err *err)
{
	struct rt_rdma_ports ports = { 0 };
	struct rt_names devices = { 0 };
	int r = kern->ops->folder_read(kern, CLASS, &devices, err);

	if (r < 0)
		return r;
	if (devices.count > 1)
		qsort(devices.items, devices.count, sizeof(*devices.items), by_name);
	for (size_t i = 0; i < devices.count && r == 0; i++)
		r = add_device(kern, devices.items[i], &ports, err);
	rt_names_free(&devices);
	if (r < 0) {
		rt_rdma_ports_free(&ports);
		return r;
	}
	*ret_ports = ports;
	return 0;
}
