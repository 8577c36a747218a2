// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * What mlx5 (mlx5/core/en_dcbnl.c, en/port_buffer.c, en_ethtool.c) and mlx4
 * (mlx4/en_dcb_nl.c, en_ethtool.c) make of a write.  mlx4 has no rule for APP entries:
 * they stay in the kernel's list.
 */
#include "rtnic.h"

/* Pause storms: 0 is off, all ones asks for the default, which reads back as 100. */
#define STORM_AUTO    0xffff
#define STORM_AUTO_MS 100
#define STORM_MIN_MS  80
#define STORM_MAX_MS  8000

/* With firmware in charge of DCBX, what the host sets is taken and has no effect. */
static bool firmware_rules(const struct rtnic *nic)
{
	return !(nic->card.dcbx & DCB_CAP_DCBX_HOST);
}

/* Firmware knows no share of a class without ETS: it reads back as all of the link. */
static void ets_store(struct rtnic *nic, const struct ieee_ets *want)
{
	struct ieee_ets *ets = &nic->card.ets;
	unsigned int i;

	memset(ets, 0, sizeof(*ets));
	for (i = 0; i < RTNIC_PRIOS; i++) {
		bool shared = want->tc_tsa[i] == IEEE_8021QAZ_TSA_ETS;

		ets->prio_tc[i] = want->prio_tc[i];
		ets->tc_tsa[i] = want->tc_tsa[i];
		ets->tc_tx_bw[i] = shared ? want->tc_tx_bw[i] : 100;
	}
}

static int setets(struct rtnic *nic, struct ieee_ets *want)
{
	unsigned int i;

	for (i = 0; i < RTNIC_PRIOS; i++)
		if (want->tc_tsa[i] == IEEE_8021QAZ_TSA_CB_SHAPER)
			return -EOPNOTSUPP;
	if (rtnic_ets_check(want))
		return -EINVAL;
	if (!firmware_rules(nic))
		ets_store(nic, want);
	return 0;
}

/*
 * In steps of 100 Mb/s up to 25.5 Gb/s, then of 1 Gb/s up to 255; what is between two
 * becomes the lower one, but not nothing.  kbit/s here.
 */
static int setmaxrate(struct rtnic *nic, struct ieee_maxrate *want)
{
	const u64 fine = 100000, coarse = 1000000;
	unsigned int i;

	for (i = 0; i < RTNIC_PRIOS; i++) {
		u64 *rate = &want->tc_maxrate[i];
		u64 step = *rate <= 255 * fine ? fine : coarse;

		if (*rate > 255 * coarse)
			return -EINVAL;
		if (*rate)
			*rate = max(div64_u64(*rate, step), 1ULL) * step;
	}
	nic->card.maxrate = *want;
	return 0;
}

/* pfc.delay is metres of cable; out of range it is not looked at. */
static int mlx5_setpfc(struct rtnic *nic, const struct ieee_pfc *want)
{
	if (firmware_rules(nic))
		return 0;
	if (want->delay && want->delay < 1000)
		nic->card.cable_m = want->delay;
	if (want->pfc_en != nic->card.pfc_en) {
		nic->card.pfc_en = want->pfc_en;
		rtnic_flap(nic);
	}
	rtnic_buffer_fit(nic);
	return 0;
}

static int buffer_check(const struct rtnic *nic, const struct dcbnl_buffer *want)
{
	u64 sum = 0;
	unsigned int i;

	for (i = 0; i < RTNIC_PRIOS; i++) {
		u32 size = want->buffer_size[want->prio2buffer[i]];

		sum += want->buffer_size[i];
		if ((nic->card.pfc_en & BIT(i)) && size < rtnic_buffer_need(nic))
			return -ENOMEM;
	}
	return sum > nic->card.buffer.total_size ? -EINVAL : 0;
}

/* From here on they stay as they are, whatever PFC and MTU become. */
static int setbuffer(struct rtnic *nic, struct dcbnl_buffer *want)
{
	int r = buffer_check(nic, want);

	if (r)
		return r;
	want->total_size = nic->card.buffer.total_size;
	if (memcmp(want, &nic->card.buffer, sizeof(*want))) {
		nic->card.buffer = *want;
		nic->card.buffer_manual = true;
	}
	return 0;
}

/* A DSCP has one priority: an entry takes the place of the one before. */
static int setapp(struct rtnic *nic, struct dcb_app *want)
{
	struct dcb_app old = *want;
	int r;

	if (!rtnic_is_dscp(want))
		return -EINVAL;
	old.priority = nic->card.dscp_prio[want->protocol];
	if (nic->card.dscp_mapped & BIT_ULL(want->protocol))
		dcb_ieee_delapp(nic->dev, &old);
	r = dcb_ieee_setapp(nic->dev, want);
	if (!r)
		rtnic_dscp_map(nic, want->protocol, want->priority);
	return r;
}

static int delapp(struct rtnic *nic, struct dcb_app *want)
{
	int r;

	if (!rtnic_is_dscp(want))
		return -EINVAL;
	if (want->priority != nic->card.dscp_prio[want->protocol])
		return -ENOENT;
	r = dcb_ieee_delapp(nic->dev, want);
	if (!r)
		rtnic_dscp_unmap(nic, want->protocol, 0);
	return r;
}

/* 0 gives DCBX to firmware; what is read then (0x0c) is not what may be written. */
static int mlx5_setdcbx(struct rtnic *nic, u8 mode)
{
	if (!mode) {
		nic->card.dcbx &= ~DCB_CAP_DCBX_HOST;
		return 0;
	}
	if (!(mode & DCB_CAP_DCBX_HOST) || (mode & DCB_CAP_DCBX_LLD_MANAGED))
		return 1;
	nic->card.dcbx = mode;
	return 0;
}

static int mlx5_setpause(struct rtnic *nic, const struct ethtool_pauseparam *want)
{
	return want->autoneg ? -EINVAL : rtnic_setpause(nic, want);
}

static int mlx5_setstorm(struct rtnic *nic, u16 ms)
{
	if (ms == STORM_AUTO)
		ms = STORM_AUTO_MS;
	if (ms && (ms < STORM_MIN_MS || ms > STORM_MAX_MS))
		return -EINVAL;
	nic->card.storm_ms = ms;
	return 0;
}

/* mlx4: PFC and global pause exclude one another, and the later one wins, silently. */
static int mlx4_setpfc(struct rtnic *nic, const struct ieee_pfc *want)
{
	nic->card.pfc_en = want->pfc_en;
	if (want->pfc_en)
		nic->card.rx_pause = nic->card.tx_pause = false;
	return 0;
}

static int mlx4_setpause(struct rtnic *nic, const struct ethtool_pauseparam *want)
{
	if (want->autoneg)
		return -EINVAL;
	if (want->rx_pause || want->tx_pause)
		nic->card.pfc_en = 0;
	return rtnic_setpause(nic, want);
}

static int mlx4_setdcbx(struct rtnic *nic, u8 mode)
{
	if (!(mode & DCB_CAP_DCBX_HOST) ||
	    (mode & (DCB_CAP_DCBX_LLD_MANAGED | DCB_CAP_DCBX_VER_CEE)))
		return 1;
	nic->card.dcbx = mode;
	return 0;
}

const struct rtnic_rules rtnic_mlx5_rules = {
	.setets = setets,
	.setpfc = mlx5_setpfc,
	.setmaxrate = setmaxrate,
	.setbuffer = setbuffer,
	.setapp = setapp,
	.delapp = delapp,
	.setdcbx = mlx5_setdcbx,
	.setpause = mlx5_setpause,
	.setstorm = mlx5_setstorm,
};

const struct rtnic_rules rtnic_mlx4_rules = {
	.setets = setets,
	.setpfc = mlx4_setpfc,
	.setmaxrate = setmaxrate,
	.setdcbx = mlx4_setdcbx,
	.setpause = mlx4_setpause,
};
