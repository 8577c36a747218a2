// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A PCI root bus in a domain of its own (0001:01), whose functions are a table.
 *
 * A real bus, so that sysfs looks as on a server: address, driver, vendor, link speed
 * and width, NUMA node.  The functions have no memory and no interrupts, only the 256
 * bytes of configuration (PCI Express Base Specification, 7.5.1 and 7.5.3).
 */
#include <linux/pci.h>

#include "rtnic.h"

#define DOMAIN 1
#define BUS    1
#define CAP    0x40

struct function {
	u8 config[256];
};

static struct function *functions;
static unsigned int function_count;
static struct pci_bus *root;
static struct pci_sysdata sysdata = { .domain = DOMAIN, .node = 0 };
static struct resource busses = {
	.name = "rtnic", .start = BUS, .end = BUS, .flags = IORESOURCE_BUS
};

static struct function *function_at(unsigned int devfn)
{
	unsigned int index = 2 * PCI_SLOT(devfn) + PCI_FUNC(devfn);

	return PCI_FUNC(devfn) < 2 && index < function_count ? &functions[index] : NULL;
}

static int config_read(struct pci_bus *bus, unsigned int devfn, int where, int size,
		       u32 *val)
{
	struct function *f = function_at(devfn);

	*val = ~0;
	if (!f || where + size > sizeof(f->config))
		return f ? PCIBIOS_SUCCESSFUL : PCIBIOS_DEVICE_NOT_FOUND;
	*val = 0;
	memcpy(val, f->config + where, size);
	return PCIBIOS_SUCCESSFUL;
}

/* Only the command register and the interrupt line hold what is written. */
static int config_write(struct pci_bus *bus, unsigned int devfn, int where, int size,
			u32 val)
{
	struct function *f = function_at(devfn);

	if (!f)
		return PCIBIOS_DEVICE_NOT_FOUND;
	if (where == PCI_COMMAND && size >= 2)
		memcpy(f->config + where, &val, 2);
	else if (where == PCI_INTERRUPT_LINE && size == 1)
		f->config[where] = val;
	return PCIBIOS_SUCCESSFUL;
}

static struct pci_ops config_ops = { .read = config_read, .write = config_write };

static void put16(struct function *f, int where, u16 value)
{
	memcpy(f->config + where, &value, sizeof(value));
}

static void put32(struct function *f, int where, u32 value)
{
	memcpy(f->config + where, &value, sizeof(value));
}

static void function_fill(struct function *f, const struct rtnic_kind *kind)
{
	put16(f, PCI_VENDOR_ID, kind->vendor);
	put16(f, PCI_DEVICE_ID, kind->device);
	put16(f, PCI_STATUS, PCI_STATUS_CAP_LIST);
	put16(f, PCI_CLASS_DEVICE, PCI_CLASS_NETWORK_ETHERNET);
	f->config[PCI_HEADER_TYPE] = 0x80; /* one of several functions */
	put16(f, PCI_SUBSYSTEM_VENDOR_ID, kind->vendor);
	put16(f, PCI_SUBSYSTEM_ID, kind->device);
	f->config[PCI_CAPABILITY_LIST] = CAP;
	f->config[CAP] = PCI_CAP_ID_EXP;
	put16(f, CAP + PCI_EXP_FLAGS, 2 | PCI_EXP_TYPE_ENDPOINT << 4);
	put32(f, CAP + PCI_EXP_LNKCAP, PCI_EXP_LNKCAP_SLS_16_0GB | 16 << 4);
	put16(f, CAP + PCI_EXP_LNKSTA, PCI_EXP_LNKSTA_CLS_16_0GB | 16 << 4);
	put32(f, CAP + PCI_EXP_LNKCAP2, PCI_EXP_LNKCAP2_SLS_16_0GB);
}

int rtnic_bus_add(unsigned int nics)
{
	LIST_HEAD(windows);
	unsigned int i;

	functions = kcalloc(nics, sizeof(*functions), GFP_KERNEL);
	if (!functions)
		return -ENOMEM;
	function_count = nics;
	for (i = 0; i < nics; i++)
		function_fill(&functions[i], rtnic_kind_of(i));
	pci_add_resource(&windows, &busses);
	pci_lock_rescan_remove();
	root = pci_create_root_bus(NULL, BUS, &config_ops, &sysdata, &windows);
	if (root) {
		pci_scan_child_bus(root);
		pci_bus_add_devices(root);
	}
	pci_unlock_rescan_remove();
	if (root)
		return 0;
	pci_free_resource_list(&windows);
	kfree(functions);
	return -ENODEV;
}

void rtnic_bus_remove(void)
{
	pci_lock_rescan_remove();
	pci_stop_root_bus(root);
	pci_remove_root_bus(root);
	pci_unlock_rescan_remove();
	kfree(functions);
}
