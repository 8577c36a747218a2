// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A PCI root bus in a domain of its own (0001:01), whose functions are a table.
 *
 * A real bus, so that sysfs looks as on a server: address, driver, vendor, link speed
 * and width, NUMA node, virtual functions.  The functions have no memory and no
 * interrupts, only the beginning of their configuration (PCI Express Base
 * Specification, 7.5.1, 7.5.3; virtual functions: 9.3.3).
 *
 * A slot is a pair: functions 0 and 1 are its NICs, each with three virtual functions,
 * 2 4 6 and 3 5 7, that are there while the NIC says so.
 */
#include <linux/pci.h>

#include "rtnic.h"

#define DOMAIN    1
#define BUS       1
#define FUNCTIONS 256
#define PCIE_CAP  0x40
#define SRIOV_CAP 0x100
#define VFS       3

struct function {
	u8 config[512];
};

static struct function *functions;
static unsigned int nic_count;
static struct pci_bus *root;
static struct pci_sysdata sysdata = { .domain = DOMAIN, .node = 0 };
static struct resource busses = {
	.name = "rtnic", .start = BUS, .end = BUS, .flags = IORESOURCE_BUS
};

static u16 get16(const struct function *f, int where)
{
	return f->config[where] | f->config[where + 1] << 8;
}

static void put16(struct function *f, int where, u16 value)
{
	memcpy(f->config + where, &value, sizeof(value));
}

static void put32(struct function *f, int where, u32 value)
{
	memcpy(f->config + where, &value, sizeof(value));
}

/* NULL: nothing answers there. */
static struct function *function_at(unsigned int devfn)
{
	unsigned int which = PCI_FUNC(devfn), vf = which / 2;
	struct function *nic = &functions[PCI_DEVFN(PCI_SLOT(devfn), which % 2)];

	if (2 * PCI_SLOT(devfn) + which % 2 >= nic_count)
		return NULL;
	if (!vf)
		return nic;
	if (!(get16(nic, SRIOV_CAP + PCI_SRIOV_CTRL) & PCI_SRIOV_CTRL_VFE) ||
	    vf > get16(nic, SRIOV_CAP + PCI_SRIOV_NUM_VF))
		return NULL;
	return &functions[devfn];
}

static int config_read(struct pci_bus *bus, unsigned int devfn, int where, int size,
		       u32 *val)
{
	struct function *f = function_at(devfn);

	*val = f ? 0 : ~0;
	if (!f)
		return PCIBIOS_DEVICE_NOT_FOUND;
	if (where + size <= sizeof(f->config))
		memcpy(val, f->config + where, size);
	return PCIBIOS_SUCCESSFUL;
}

/* These hold what is written; addresses do not, so that nothing has any. */
static bool writable(int where, int size)
{
	return (where == PCI_COMMAND && size == 2) ||
	       (where == PCI_INTERRUPT_LINE && size == 1) ||
	       (where == SRIOV_CAP + PCI_SRIOV_CTRL && size == 2) ||
	       (where == SRIOV_CAP + PCI_SRIOV_NUM_VF && size == 2);
}

static int config_write(struct pci_bus *bus, unsigned int devfn, int where, int size,
			u32 val)
{
	struct function *f = function_at(devfn);

	if (!f)
		return PCIBIOS_DEVICE_NOT_FOUND;
	if (writable(where, size))
		memcpy(f->config + where, &val, size);
	return PCIBIOS_SUCCESSFUL;
}

static struct pci_ops config_ops = { .read = config_read, .write = config_write };

static void function_fill(struct function *f, u16 vendor, u16 device)
{
	put16(f, PCI_VENDOR_ID, vendor);
	put16(f, PCI_DEVICE_ID, device);
	put16(f, PCI_STATUS, PCI_STATUS_CAP_LIST);
	put16(f, PCI_CLASS_DEVICE, PCI_CLASS_NETWORK_ETHERNET);
	put16(f, PCI_SUBSYSTEM_VENDOR_ID, vendor);
	put16(f, PCI_SUBSYSTEM_ID, device);
	f->config[PCI_CAPABILITY_LIST] = PCIE_CAP;
	f->config[PCIE_CAP] = PCI_CAP_ID_EXP;
	put16(f, PCIE_CAP + PCI_EXP_FLAGS, 2 | PCI_EXP_TYPE_ENDPOINT << 4);
	put32(f, PCIE_CAP + PCI_EXP_LNKCAP, PCI_EXP_LNKCAP_SLS_16_0GB | 16 << 4);
	put16(f, PCIE_CAP + PCI_EXP_LNKSTA, PCI_EXP_LNKSTA_CLS_16_0GB | 16 << 4);
	put32(f, PCIE_CAP + PCI_EXP_LNKCAP2, PCI_EXP_LNKCAP2_SLS_16_0GB);
}

static void nic_fill(unsigned int devfn, const struct rtnic_kind *kind)
{
	struct function *f = &functions[devfn];
	unsigned int i;

	function_fill(f, kind->vendor, kind->device);
	f->config[PCI_HEADER_TYPE] = 0x80; /* one of several functions */
	if (!kind->vf_device)
		return;
	put32(f, SRIOV_CAP, PCI_EXT_CAP_ID_SRIOV | 1 << 16);
	put16(f, SRIOV_CAP + PCI_SRIOV_INITIAL_VF, VFS);
	put16(f, SRIOV_CAP + PCI_SRIOV_TOTAL_VF, VFS);
	f->config[SRIOV_CAP + PCI_SRIOV_FUNC_LINK] = devfn;
	put16(f, SRIOV_CAP + PCI_SRIOV_VF_OFFSET, 2);
	put16(f, SRIOV_CAP + PCI_SRIOV_VF_STRIDE, 2);
	put16(f, SRIOV_CAP + PCI_SRIOV_VF_DID, kind->vf_device);
	put32(f, SRIOV_CAP + PCI_SRIOV_SUP_PGSIZE, 1); /* pages of 4 KiB */
	for (i = 0; i < VFS; i++)
		function_fill(&functions[devfn + 2 + 2 * i], kind->vendor,
			      kind->vf_device);
}

int rtnic_bus_add(unsigned int nics)
{
	LIST_HEAD(windows);
	unsigned int i;

	functions = kcalloc(FUNCTIONS, sizeof(*functions), GFP_KERNEL);
	if (!functions)
		return -ENOMEM;
	nic_count = nics;
	for (i = 0; i < nics; i++)
		nic_fill(PCI_DEVFN(i / 2, i % 2), rtnic_kind_of(i));
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
