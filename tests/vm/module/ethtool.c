// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * What ethtool reads and sets: the driver's name, speed, counters, pause, private
 * flags, and mlx5's time-out for pause storms.
 */
#include "rtnic.h"

static bool of_prio(const struct rtnic_stat *stat)
{
	return stat->cell < RTNIC_PRIO_CELLS;
}

static bool is_there(const struct rtnic *nic, const struct rtnic_stat *stat,
		     unsigned int prio)
{
	switch (stat->when) {
	case RTNIC_ALWAYS: return true;
	case RTNIC_WITH_PFC: return nic->card.pfc_en & BIT(prio);
	case RTNIC_WITH_PAUSE: return nic->card.rx_pause || nic->card.tx_pause;
	}
	return false;
}

/*
 * One step of a walk over the counters that exist now, priorities within rows: true
 * with the name and the value, false at the end.
 */
struct stat_walk {
	const struct rtnic_stat *row;
	unsigned int prio;
	char name[ETH_GSTRING_LEN];
	u64 *value;
};

static bool stat_next(struct rtnic *nic, struct stat_walk *walk)
{
	if (!walk->row)
		walk->row = nic->kind->stats;
	for (; walk->row->name; walk->row++, walk->prio = 0) {
		unsigned int prios = of_prio(walk->row) ? RTNIC_PRIOS : 1;

		while (walk->prio < prios) {
			unsigned int prio = walk->prio++;

			if (!is_there(nic, walk->row, prio))
				continue;
			snprintf(walk->name, sizeof(walk->name), walk->row->name, prio);
			walk->value = of_prio(walk->row)
					      ? &nic->cell[prio][walk->row->cell]
					      : &nic->port_cell[walk->row->cell -
								RTNIC_PRIO_CELLS];
			return true;
		}
	}
	return false;
}

static int get_sset_count(struct net_device *dev, int set)
{
	struct rtnic *nic = rtnic_of(dev);
	struct stat_walk walk = {};
	int n = 0;

	if (set == ETH_SS_PRIV_FLAGS && nic->kind->rules->setflag)
		return 1;
	if (set != ETH_SS_STATS)
		return -EOPNOTSUPP;
	while (stat_next(nic, &walk))
		n++;
	return n;
}

static void get_strings(struct net_device *dev, u32 set, u8 *out)
{
	struct rtnic *nic = rtnic_of(dev);
	struct stat_walk walk = {};

	if (set == ETH_SS_PRIV_FLAGS)
		strscpy(out, "fw-lldp-agent", ETH_GSTRING_LEN);
	for (; set == ETH_SS_STATS && stat_next(nic, &walk); out += ETH_GSTRING_LEN)
		memcpy(out, walk.name, ETH_GSTRING_LEN);
}

static void get_stats(struct net_device *dev, struct ethtool_stats *stats, u64 *out)
{
	struct rtnic *nic = rtnic_of(dev);
	struct stat_walk walk = {};
	u32 i;

	for (i = 0; i < stats->n_stats && stat_next(nic, &walk); i++)
		out[i] = *walk.value;
}

/* As ethtool(8) shows them, with their group before them. */
static const char *const standard_names[RTNIC_STANDARD] = {
	[RTNIC_FEC_CORRECTED] = "fec-corrected_blocks",
	[RTNIC_FEC_UNCORRECTABLE] = "fec-uncorrectable_blocks",
	[RTNIC_FCS_ERRORS] = "eth-mac-FrameCheckSequenceErrors",
	[RTNIC_STANDARD_RX_PAUSE] = "pause-rx_pause_frames",
};

static int get_fecparam(struct net_device *dev, struct ethtool_fecparam *fec)
{
	fec->active_fec = fec->fec = ETHTOOL_FEC_RS;
	return 0;
}

static void get_fec_stats(struct net_device *dev, struct ethtool_fec_stats *stats)
{
	const u64 *standard = rtnic_of(dev)->standard;

	stats->corrected_blocks.total = standard[RTNIC_FEC_CORRECTED];
	stats->uncorrectable_blocks.total = standard[RTNIC_FEC_UNCORRECTABLE];
}

static void get_mac_stats(struct net_device *dev, struct ethtool_eth_mac_stats *stats)
{
	stats->FrameCheckSequenceErrors = rtnic_of(dev)->standard[RTNIC_FCS_ERRORS];
}

static void get_pause_stats(struct net_device *dev, struct ethtool_pause_stats *stats)
{
	stats->rx_pause_frames = rtnic_of(dev)->standard[RTNIC_STANDARD_RX_PAUSE];
}

int rtnic_count(struct rtnic *nic, const char *name, u64 more)
{
	struct stat_walk walk = {};
	unsigned int i;

	for (i = 0; i < RTNIC_STANDARD; i++)
		if (!strcmp(standard_names[i], name)) {
			nic->standard[i] += more;
			return 0;
		}

	while (stat_next(nic, &walk))
		if (!strcmp(walk.name, name)) {
			*walk.value += more;
			return 0;
		}
	for (i = 0; i < nic->kind->counter_count; i++)
		if (!strcmp(nic->kind->counters[i].name, name)) {
			nic->hw_counter[i] += more;
			return 0;
		}
	return -ENOENT;
}

static void get_drvinfo(struct net_device *dev, struct ethtool_drvinfo *info)
{
	struct rtnic *nic = rtnic_of(dev);

	strscpy(info->driver, nic->kind->driver, sizeof(info->driver));
	strscpy(info->fw_version, nic->kind->firmware, sizeof(info->fw_version));
	strscpy(info->bus_info, pci_name(nic->pdev), sizeof(info->bus_info));
}

static int get_link_ksettings(struct net_device *dev,
			      struct ethtool_link_ksettings *link)
{
	bool up = netif_carrier_ok(dev);

	link->base.speed = up ? rtnic_speed_mbps : SPEED_UNKNOWN;
	link->base.duplex = up ? DUPLEX_FULL : DUPLEX_UNKNOWN;
	link->base.port = PORT_FIBRE;
	return 0;
}

static void get_pauseparam(struct net_device *dev, struct ethtool_pauseparam *pause)
{
	pause->rx_pause = rtnic_of(dev)->card.rx_pause;
	pause->tx_pause = rtnic_of(dev)->card.tx_pause;
}

static int set_pauseparam(struct net_device *dev, struct ethtool_pauseparam *pause)
{
	struct rtnic *nic = rtnic_of(dev);
	struct ethtool_pauseparam want = *pause;
	int r = rtnic_write(nic, "pause", (u8 *)&want.rx_pause, "rx %u tx %u",
			    want.rx_pause, want.tx_pause);

	return rtnic_wrote(nic, r ? r : nic->kind->rules->setpause(nic, &want));
}

int rtnic_setpause(struct rtnic *nic, const struct ethtool_pauseparam *want)
{
	nic->card.rx_pause = want->rx_pause;
	nic->card.tx_pause = want->tx_pause;
	return 0;
}

static u32 get_priv_flags(struct net_device *dev)
{
	return rtnic_of(dev)->card.fw_lldp;
}

static int set_priv_flags(struct net_device *dev, u32 flags)
{
	struct rtnic *nic = rtnic_of(dev);
	u8 want = flags & 1;
	int r = rtnic_write(nic, "fw-lldp-agent", &want, "%u", want);

	return rtnic_wrote(nic, r ? r : nic->kind->rules->setflag(nic, want));
}

static int get_tunable(struct net_device *dev, const struct ethtool_tunable *tuna,
		       void *data)
{
	if (tuna->id != ETHTOOL_PFC_PREVENTION_TOUT)
		return -EOPNOTSUPP;
	*(u16 *)data = rtnic_of(dev)->card.storm_ms;
	return 0;
}

static int set_tunable(struct net_device *dev, const struct ethtool_tunable *tuna,
		       const void *data)
{
	struct rtnic *nic = rtnic_of(dev);
	u16 want = *(const u16 *)data;
	int r;

	if (tuna->id != ETHTOOL_PFC_PREVENTION_TOUT)
		return -EOPNOTSUPP;
	r = rtnic_write(nic, "pfc-prevention-tout", (u8 *)&want, "%u", want);
	return rtnic_wrote(nic, r ? r : nic->kind->rules->setstorm(nic, want));
}

void rtnic_ethtool_fill(struct rtnic *nic)
{
	nic->ethtool = (struct ethtool_ops){
		.get_drvinfo = get_drvinfo,
		.get_link = ethtool_op_get_link,
		.get_link_ksettings = get_link_ksettings,
		.get_sset_count = get_sset_count,
		.get_strings = get_strings,
		.get_ethtool_stats = get_stats,
		.get_pauseparam = get_pauseparam,
		.set_pauseparam = set_pauseparam,
		.get_pause_stats = get_pause_stats,
		.get_fecparam = get_fecparam,
		.get_fec_stats = get_fec_stats,
		.get_eth_mac_stats = get_mac_stats,
	};
	if (nic->pdev->is_virtfn) {
		nic->ethtool.get_pauseparam = NULL;
		nic->ethtool.set_pauseparam = NULL;
		return;
	}
	if (nic->kind->rules->setflag) {
		nic->ethtool.get_priv_flags = get_priv_flags;
		nic->ethtool.set_priv_flags = set_priv_flags;
	}
	if (nic->kind->rules->setstorm) {
		nic->ethtool.get_tunable = get_tunable;
		nic->ethtool.set_tunable = set_tunable;
	}
}
