/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * chips.c - the names as vendors write them and profiles match them.
 *
 * Source: the PCI tables of the kernel's drivers: mlx5/core/main.c, mlx4/main.c,
 * bnxt/bnxt.c, ice/ice_main.c, i40e/i40e_main.c, hns3/hns3_enet.c,
 * pensando/ionic/ionic_bus_pci.c, qede/qede_main.c, efa/efa_main.c,
 * cxgb4/t4_pci_id_tbl.h, erdma/erdma_main.c, microsoft/mana/gdma_main.c; virtual
 * functions included.
 */
#include "host/chips.h"

#include <stddef.h>

#include "base/own.h"

static const struct {
	uint16_t vendor, device;
	const char *name;
} chips[] = {
	{ 0x15b3, 0x1003, "ConnectX-3" },
	{ 0x15b3, 0x1004, "ConnectX-3" },
	{ 0x15b3, 0x1007, "ConnectX-3 Pro" },
	{ 0x15b3, 0x1011, "Connect-IB" },
	{ 0x15b3, 0x1012, "Connect-IB" },
	{ 0x15b3, 0x1013, "ConnectX-4" },
	{ 0x15b3, 0x1014, "ConnectX-4" },
	{ 0x15b3, 0x1015, "ConnectX-4 Lx" },
	{ 0x15b3, 0x1016, "ConnectX-4 Lx" },
	{ 0x15b3, 0x1017, "ConnectX-5" },
	{ 0x15b3, 0x1018, "ConnectX-5" },
	{ 0x15b3, 0x1019, "ConnectX-5 Ex" },
	{ 0x15b3, 0x101a, "ConnectX-5 Ex" },
	{ 0x15b3, 0x101b, "ConnectX-6" },
	{ 0x15b3, 0x101c, "ConnectX-6" },
	{ 0x15b3, 0x101d, "ConnectX-6 Dx" },
	{ 0x15b3, 0x101e, "ConnectX" }, /* of several generations: VFs only */
	{ 0x15b3, 0x101f, "ConnectX-6 Lx" },
	{ 0x15b3, 0x1021, "ConnectX-7" },
	{ 0x15b3, 0x1023, "ConnectX-8" },
	{ 0x15b3, 0xa2d2, "BlueField ConnectX-5" },
	{ 0x15b3, 0xa2d6, "BlueField-2 ConnectX-6 Dx" },
	{ 0x15b3, 0xa2dc, "BlueField-3 ConnectX-7" },
	{ 0x14e4, 0x16d6, "BCM57412" },
	{ 0x14e4, 0x16d7, "BCM57414" },
	{ 0x14e4, 0x16d8, "BCM57416" },
	{ 0x14e4, 0x1750, "BCM57508" },
	{ 0x14e4, 0x1751, "BCM57504" },
	{ 0x14e4, 0x1752, "BCM57502" },
	{ 0x14e4, 0x1760, "BCM57608" },
	{ 0x14e4, 0x1761, "BCM57604" },
	{ 0x14e4, 0x1762, "BCM57602" },
	{ 0x8086, 0x1591, "E810-C" },
	{ 0x8086, 0x1592, "E810-C" },
	{ 0x8086, 0x1593, "E810-C" },
	{ 0x8086, 0x1599, "E810-XXV" },
	{ 0x8086, 0x159a, "E810-XXV" },
	{ 0x8086, 0x159b, "E810-XXV" },
	{ 0x8086, 0x37d0, "X722" },
	{ 0x8086, 0x37d2, "X722" },
	{ 0x19e5, 0xa222, "HNS RoCE" },
	{ 0x19e5, 0xa224, "HNS RoCE" },
	{ 0x19e5, 0xa226, "HNS RoCE" },
	{ 0x19e5, 0xa228, "HNS RoCE" },
	{ 0x1dd8, 0x1002, "Pensando" },
	{ 0x1dd8, 0x1003, "Pensando" },
	{ 0x1077, 0x1634, "FastLinQ 45000" },
	{ 0x1077, 0x1656, "FastLinQ 45000" },
	{ 0x1077, 0x8070, "FastLinQ 41000" },
	{ 0x1425, 0x6407, "T62100" },
	{ 0x1425, 0x6409, "T6210" },
	{ 0x1425, 0x640d, "T62100" },
	{ 0x1d0f, 0xefa0, "EFA" },
	{ 0x1d0f, 0xefa1, "EFA" },
	{ 0x1d0f, 0xefa2, "EFA" },
	{ 0x1d0f, 0xefa3, "EFA" },
	{ 0x1ded, 0x107f, "eRDMA" },
	{ 0x1414, 0x00ba, "MANA" },
};

const char *rt_chip_name(uint16_t vendor, uint16_t device)
{
	for (size_t i = 0; i < RT_ARRAY_SIZE(chips); i++)
		if (chips[i].vendor == vendor && chips[i].device == device)
			return chips[i].name;
	return NULL;
}
