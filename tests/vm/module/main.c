// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The module's parameters and life: one PCI driver for each kind, then the bus, whose
 * functions they find.
 */
#include <linux/debugfs.h>
#include <linux/module.h>

#include "rtnic.h"

static unsigned int pairs = 1;
module_param(pairs, uint, 0444);
MODULE_PARM_DESC(pairs, "pairs of NICs, wired back to back");

static char *kind[RTNIC_NICS_MAX / 2];
static int kind_count;
module_param_array(kind, charp, &kind_count, 0444);
MODULE_PARM_DESC(kind,
		 "mlx5, mlx4, bnxt or ice, for each pair; the last one for the rest");

unsigned int rtnic_speed_mbps = 100000;
module_param_named(speed_mbps, rtnic_speed_mbps, uint, 0444);
MODULE_PARM_DESC(speed_mbps, "speed of each link");

unsigned int rtnic_flap_ms = 150;
module_param_named(flap_ms, rtnic_flap_ms, uint, 0644);
MODULE_PARM_DESC(flap_ms, "how long a link is down when it flaps");

bool rtnic_fw_dcbx;
module_param_named(fw_dcbx, rtnic_fw_dcbx, bool, 0444);
MODULE_PARM_DESC(fw_dcbx, "firmware runs DCBX at load");

bool rtnic_with_ofed;
module_param_named(ofed, rtnic_with_ofed, bool, 0444);
MODULE_PARM_DESC(ofed, "mlx5 has the files of NVIDIA's driver package, not of debugfs");

struct dentry *rtnic_files;
static struct pci_driver drivers[4];
static struct pci_device_id ids[4][3];

const struct rtnic_kind *rtnic_kind_of(unsigned int index)
{
	unsigned int pair = index / 2, i;
	const char *name = "mlx5";

	if (kind_count)
		name = kind[min_t(unsigned int, pair, kind_count - 1)];
	for (i = 0; i < rtnic_kind_count; i++)
		if (!strcmp(rtnic_kinds[i].name, name))
			return &rtnic_kinds[i];
	return NULL;
}

static int driver_add(unsigned int i)
{
	const struct rtnic_kind *k = &rtnic_kinds[i];

	ids[i][0] = (struct pci_device_id){ PCI_DEVICE(k->vendor, k->device) };
	if (k->vf_device)
		ids[i][1] = (struct pci_device_id){ PCI_DEVICE(k->vendor,
							       k->vf_device) };
	drivers[i].name = k->driver;
	drivers[i].id_table = ids[i];
	drivers[i].probe = rtnic_probe;
	drivers[i].remove = rtnic_remove;
	drivers[i].sriov_configure = pci_sriov_configure_simple;
	return pci_register_driver(&drivers[i]);
}

static void drivers_remove(unsigned int count)
{
	while (count--)
		pci_unregister_driver(&drivers[count]);
}

static int __init rtnic_init(void)
{
	unsigned int i;
	int err = 0;

	BUILD_BUG_ON(ARRAY_SIZE(drivers) != ARRAY_SIZE(ids));
	if (!pairs || 2 * pairs > RTNIC_NICS_MAX ||
	    rtnic_kind_count > ARRAY_SIZE(drivers))
		return -EINVAL;
	for (i = 0; i < 2 * pairs; i++)
		if (!rtnic_kind_of(i))
			return -EINVAL;
	rtnic_files = debugfs_create_dir("rtnic", NULL);
	for (i = 0; i < rtnic_kind_count && !err; i++)
		err = driver_add(i);
	if (err)
		i--;
	else
		err = rtnic_bus_add(2 * pairs);
	if (err) {
		drivers_remove(i);
		debugfs_remove_recursive(rtnic_files);
	}
	return err;
}

static void __exit rtnic_exit(void)
{
	rtnic_bus_remove();
	drivers_remove(rtnic_kind_count);
	rtnic_knobs_end();
	debugfs_remove_recursive(rtnic_files);
}

module_init(rtnic_init);
module_exit(rtnic_exit);
MODULE_DESCRIPTION("NICs for tests, with the manners of RoCE NICs");
MODULE_LICENSE("Dual BSD/GPL");
