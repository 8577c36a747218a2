/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * device_pci.c - where an RDMA device sits: PCI function, PCIe link, NUMA node.
 *
 * Files: Documentation/ABI/testing/sysfs-bus-pci; scalable functions are auxiliary
 * devices "mlx5_core.sf.N" below their PCI function (Documentation/networking/
 * devlink/devlink-port.rst).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/chips.h"
#include "host/device_read.h"

/* "0000:3b:00.0": domain of four or more digits, bus, slot, function. */
static bool is_pci(const char *word, size_t length)
{
	const size_t domain = strspn(word, "0123456789abcdef");

	return domain >= 4 && domain <= 8 && length == domain + 8 &&
	       word[domain] == ':' &&
	       strspn(word + domain + 1, "0123456789abcdef") == 2 &&
	       word[domain + 3] == ':' &&
	       strspn(word + domain + 4, "0123456789abcdef") == 2 &&
	       word[domain + 6] == '.' && word[domain + 7] >= '0' &&
	       word[domain + 7] <= '7';
}

bool rt_pci_of_path(const char *path, char ret_pci[16])
{
	bool found = false;

	for (const char *word = path; *word;) {
		const size_t length = strcspn(word, "/");

		if (is_pci(word, length)) {
			snprintf(ret_pci, 16, "%.*s", (int)length, word);
			found = true;
		}
		word += length + (word[length] == '/');
	}
	return found;
}

/* What a device's link says. */
static void take_path(const char *path, struct rt_device *device)
{
	(void)rt_pci_of_path(path, device->pci);
	if (strstr(path, ".sf."))
		device->function = RT_FUNCTION_SF;
	else if (strstr(path, "/virtual/"))
		device->function = RT_FUNCTION_SOFT;
}

static void find_place(const struct rt_device_source *from, struct rt_device *device)
{
	struct rt_ethtool_info info;
	char path[RT_PATH_BYTES], link[512];

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s", device->ibdev);
	if (from->kern->ops->symlink_read(from->kern, path, link, sizeof(link), NULL) ==
	    0)
		take_path(link, device);
	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/device", device->ibdev);
	if (!*device->pci && device->function != RT_FUNCTION_SOFT &&
	    from->kern->ops->symlink_read(from->kern, path, link, sizeof(link), NULL) ==
		    0)
		take_path(link, device);
	if (*device->pci || device->function == RT_FUNCTION_SOFT ||
	    !*from->port->netdev)
		return;
	if (from->kern->ops->ethtool_info(from->kern, from->port->netdev, &info,
					  NULL) == 0 &&
	    is_pci(info.bus, strlen(info.bus)))
		snprintf(device->pci, sizeof(device->pci), "%.15s", info.bus);
}

/* /sys/bus/pci/devices/ADDRESS/NAME; returns buf. */
static char *pci_path(const struct rt_device *device, const char *name,
		      char buf[RT_PATH_BYTES])
{
	snprintf(buf, RT_PATH_BYTES, "/sys/bus/pci/devices/%s/%s", device->pci, name);
	return buf;
}

static void read_text(const struct rt_device_source *from,
		      const struct rt_device *device, const char *name, char *buf,
		      size_t bytes)
{
	char path[RT_PATH_BYTES];

	if (rt_kern_line(from->kern, pci_path(device, name, path), buf, bytes, NULL) <
	    0)
		*buf = '\0';
}

static struct rt_opt_u64 read_number(const struct rt_device_source *from,
				     const struct rt_device *device, const char *name)
{
	char path[RT_PATH_BYTES];
	uint64_t number;

	if (rt_kern_number(from->kern, pci_path(device, name, path), &number, NULL) < 0)
		return (struct rt_opt_u64){ 0 };
	return RT_KNOWN_U64(number);
}

/* A width of 0 is a link that is down; a node of -1 is none. */
static struct rt_opt_u64 read_width(const struct rt_device_source *from,
				    const struct rt_device *device, const char *name)
{
	const struct rt_opt_u64 width = read_number(from, device, name);

	return width.known && width.value >= 1 && width.value <= 32
		       ? width
		       : (struct rt_opt_u64){ 0 };
}

static void read_chip(const struct rt_device_source *from, struct rt_device *device)
{
	const struct rt_opt_u64 vendor = read_number(from, device, "vendor"),
				chip = read_number(from, device, "device");
	const char *name = vendor.known && chip.known
				   ? rt_chip_name((uint16_t)vendor.value,
						  (uint16_t)chip.value)
				   : NULL;

	if (name)
		snprintf(device->chip, sizeof(device->chip), "%s", name);
	else if (vendor.known && chip.known)
		snprintf(device->chip, sizeof(device->chip), "%04x:%04x",
			 (unsigned)vendor.value & 0xffff,
			 (unsigned)chip.value & 0xffff);
}

static void read_function(const struct rt_device_source *from, struct rt_device *device)
{
	char path[RT_PATH_BYTES], link[128];

	if (device->function == RT_FUNCTION_SF)
		return;
	device->function = from->kern->ops->symlink_read(
				   from->kern, pci_path(device, "physfn", path), link,
				   sizeof(link), NULL) == 0
				   ? RT_FUNCTION_VF
				   : RT_FUNCTION_PF;
}

/* The driver of the PCI function; a bond's netdev would say "bonding". */
static void read_driver(const struct rt_device_source *from, struct rt_device *device)
{
	struct rt_ethtool_info info;
	char path[RT_PATH_BYTES], link[256];
	const char *name;

	if (*device->pci &&
	    from->kern->ops->symlink_read(from->kern, pci_path(device, "driver", path),
					  link, sizeof(link), NULL) == 0) {
		name = strrchr(link, '/');
		snprintf(device->kernel_driver, sizeof(device->kernel_driver), "%.31s",
			 name ? name + 1 : link);
	} else if (*from->port->netdev &&
		   from->kern->ops->ethtool_info(from->kern, from->port->netdev, &info,
						 NULL) == 0) {
		snprintf(device->kernel_driver, sizeof(device->kernel_driver), "%s",
			 info.driver);
	}
}

/*
 * Software devices have no driver to ask: iWARP in software is siw, RoCE rxe
 * (drivers/infiniband/sw).
 */
static void name_soft(const struct rt_device_source *from, struct rt_device *device)
{
	char path[RT_PATH_BYTES], line[32] = "";

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/node_type",
		 device->ibdev);
	if (!*from->port->protocol)
		(void)rt_kern_line(from->kern, path, line, sizeof(line), NULL);
	snprintf(device->kernel_driver, sizeof(device->kernel_driver), "%s",
		 strcmp(from->port->protocol, "iw") == 0 || strstr(line, "RNIC")
			 ? "siw"
			 : "rdma_rxe");
}

void rt_device_read_pci(const struct rt_device_source *from, struct rt_device *device)
{
	find_place(from, device);
	if (device->function == RT_FUNCTION_SOFT) {
		name_soft(from, device);
		return;
	}
	read_driver(from, device);
	if (!*device->pci)
		return;
	read_function(from, device);
	read_chip(from, device);
	read_text(from, device, "current_link_speed", device->pcie_speed,
		  sizeof(device->pcie_speed));
	read_text(from, device, "max_link_speed", device->pcie_max_speed,
		  sizeof(device->pcie_max_speed));
	device->pcie_width = read_width(from, device, "current_link_width");
	device->pcie_max_width = read_width(from, device, "max_link_width");
	device->numa = read_number(from, device, "numa_node");
	if (from->kern->ops->eswitch_mode(from->kern, device->pci, device->eswitch,
					  sizeof(device->eswitch), NULL) < 0)
		device->eswitch[0] = '\0';
}

#define LANES_MAX 32 /* PCI Express Base Specification, link width */

struct rt_opt_u64 rt_pcie_bps(const char *speed, struct rt_opt_u64 lanes)
{
	char *end;
	const double gtps = strtod(speed, &end);
	double share = 1;

	if (!lanes.known || lanes.value > LANES_MAX || end == speed ||
	    strncmp(end, " GT/s", 5) != 0 || !(gtps >= 2 && gtps <= 1024))
		return (struct rt_opt_u64){ 0 };
	if (gtps <= 5)
		share = 0.8;
	else if (gtps <= 32)
		share = 128.0 / 130;
	return RT_KNOWN_U64((uint64_t)(gtps * 1e9 * share * (double)lanes.value));
}
