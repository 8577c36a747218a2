/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * host_fake.h - a host in memory for the tests of drivers and plans: one port, with
 * the laws of its driver (which setter does what to what else) as flags.
 */
#ifndef RT_TESTS_HOST_FAKE_H
#define RT_TESTS_HOST_FAKE_H

#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "host/driver.h"
#include "host/plan.h"
#include "kern/kern.h"
#include "rocetune/err.h"

enum fake_law {
	FAKE_FLAP_ON_PFC = 1,       /* mlx5: a new mask takes the link down */
	FAKE_REPLACE_APP = 2,       /* mlx5, hns3: a DSCP has one entry */
	FAKE_PFC_NEEDS_ETS = 4,     /* bnxt: -EINVAL before any ETS */
	FAKE_FIRST_APP_RESETS = 8,  /* ice: first entry and last delete reset ETS */
	FAKE_PAUSE_OR_PFC = 16,     /* mlx4: each clears the other */
	FAKE_ZERO_TO_FIRMWARE = 32, /* mlx5: DCBX mode 0 gives DCBX back */
	FAKE_NEEDS_IEEE = 64,       /* -EINVAL unless the mode has HOST and IEEE */
	FAKE_ETS_100 = 128,         /* shares of ETS classes are 100 or refused */
};

#define FAKE_FILE_MAX 96

struct fake {
	struct rt_kern kern;
	struct rt_device device;
	unsigned laws;
	struct rt_dcb dcb;
	bool ets_was_set;
	struct rt_pause pause;
	uint16_t storm_ms;
	bool has_storm;
	struct rt_priv_flags flags;
	struct {
		char path[RT_KNOB_TEXT_BYTES / 2], text[96];
		bool folder;
	} files[FAKE_FILE_MAX];
	size_t file_count;
	unsigned writes, flaps;
	char log[64][96]; /* what was written, in order */
};

static inline struct fake *fake_of(struct rt_kern *kern)
{
	return (struct fake *)kern;
}

static inline void fake_log(struct fake *fake, const char *what, const char *more)
{
	if (fake->writes < RT_ARRAY_SIZE(fake->log))
		snprintf(fake->log[fake->writes], sizeof(fake->log[0]), "%s %.80s",
			 what, more);
	fake->writes++;
}

/* --- files --------------------------------------------------------------------------- */

static inline void fake_file(struct fake *fake, const char *path, const char *text)
{
	assert_true(fake->file_count < FAKE_FILE_MAX);
	snprintf(fake->files[fake->file_count].path, sizeof(fake->files[0].path), "%s",
		 path);
	fake->files[fake->file_count].folder = !text;
	if (text)
		snprintf(fake->files[fake->file_count].text,
			 sizeof(fake->files[0].text), "%s", text);
	fake->file_count++;
}

static inline char *fake_text(struct fake *fake, const char *path)
{
	for (size_t i = 0; i < fake->file_count; i++)
		if (!fake->files[i].folder && strcmp(fake->files[i].path, path) == 0)
			return fake->files[i].text;
	return NULL;
}

static int fake_file_read(struct rt_kern *kern, const char *path, char *buf,
			  size_t capacity, size_t *ret_bytes, struct rt_err *err)
{
	const char *text = fake_text(fake_of(kern), path);

	(void)err;
	if (!text)
		return -ENOENT;
	snprintf(buf, capacity, "%s", text);
	*ret_bytes = strlen(buf);
	return 0;
}

/* The kernel's tclass file reads back otherwise than it is written. */
static int fake_file_write(struct rt_kern *kern, const char *path, const char *text,
			   struct rt_err *err)
{
	struct fake *fake = fake_of(kern);
	char *file = fake_text(fake, path);

	(void)err;
	fake_log(fake, strrchr(path, '/') + 1, text);
	if (!file)
		return -ENOENT;
	if (strstr(path, "/traffic_class"))
		snprintf(file, sizeof(fake->files[0].text), "Global tclass=%.40s\n",
			 text);
	else
		snprintf(file, sizeof(fake->files[0].text), "%.80s\n", text);
	return 0;
}

/* A folder of rdma_cm comes with its files. */
static int fake_folder_make(struct rt_kern *kern, const char *path, struct rt_err *err)
{
	struct fake *fake = fake_of(kern);
	char file[200];

	(void)err;
	fake_log(fake, "mkdir", path);
	fake_file(fake, path, NULL);
	if (strstr(path, "/rdma_cm/")) {
		snprintf(file, sizeof(file), "%s/ports/1/default_roce_tos", path);
		fake_file(fake, file, "0\n");
		snprintf(file, sizeof(file), "%s/ports/1/default_roce_mode", path);
		fake_file(fake, file, "RoCE v2\n");
	}
	return 0;
}

static int fake_access(struct rt_kern *kern, const char *path, bool for_writing)
{
	struct fake *fake = fake_of(kern);

	(void)for_writing;
	for (size_t i = 0; i < fake->file_count; i++)
		if (strcmp(fake->files[i].path, path) == 0)
			return 0;
	return -ENOENT;
}

/* --- dcbnl --------------------------------------------------------------------------- */

static int fake_dcb_get(struct rt_kern *kern, const char *netdev,
			struct rt_dcb *ret_dcb, struct rt_err *err)
{
	(void)netdev;
	(void)err;
	if (!fake_of(kern)->dcb.has)
		return -EOPNOTSUPP;
	*ret_dcb = fake_of(kern)->dcb;
	return 0;
}

static int fake_refuse(struct fake *fake, struct rt_err *err)
{
	const unsigned needed = RT_DCBX_MODE_HOST | RT_DCBX_MODE_IEEE;

	if (fake->laws & FAKE_NEEDS_IEEE && (fake->dcb.dcbx & needed) != needed)
		return rt_err_set(err, -EINVAL, "the fake refuses: mode 0x%02x",
				  fake->dcb.dcbx);
	return 0;
}

static int fake_set_ets(struct fake *fake, const struct rt_dcb_ets *ets,
			struct rt_err *err)
{
	unsigned sum = 0;
	bool any = false;

	for (unsigned i = 0; i < 8; i++) {
		any |= ets->tsa[i] == 2;
		sum += ets->tsa[i] == 2 ? ets->bw[i] : 0u;
	}
	if (fake->laws & FAKE_ETS_100 && any && sum != 100)
		return rt_err_set(err, -EINVAL, "the fake refuses: shares are %u", sum);
	fake->dcb.ets = *ets;
	fake->ets_was_set = true;
	return 0;
}

static int fake_set_pfc(struct fake *fake, const struct rt_dcb_pfc *pfc,
			struct rt_err *err)
{
	if (fake->laws & FAKE_PFC_NEEDS_ETS && !fake->ets_was_set)
		return rt_err_set(err, -EINVAL, "the fake refuses: PFC before ETS");
	if (fake->laws & FAKE_FLAP_ON_PFC && pfc->mask != fake->dcb.pfc.mask)
		fake->flaps++;
	fake->dcb.pfc.mask = pfc->mask;
	if (pfc->delay && pfc->delay < 1000)
		fake->dcb.pfc.delay = pfc->delay;
	if (fake->laws & FAKE_PAUSE_OR_PFC && pfc->mask)
		fake->pause.rx = fake->pause.tx = false;
	return 0;
}

static int fake_dcb_set(struct rt_kern *kern, const char *netdev,
			const struct rt_dcb_set *set, struct rt_err *err)
{
	struct fake *fake = fake_of(kern);
	int r = fake_refuse(fake, err);

	(void)netdev;
	fake_log(fake, "dcb",
		 set->has == RT_DCB_ETS     ? "ets"
		 : set->has == RT_DCB_PFC   ? "pfc"
		 : set->has & RT_DCB_ETS    ? "ets+pfc"
		 : set->has & RT_DCB_BUFFER ? "buffer"
					    : "maxrate");
	if (r == 0 && set->has & RT_DCB_ETS)
		r = fake_set_ets(fake, &set->ets, err);
	if (r == 0 && set->has & RT_DCB_PFC)
		r = fake_set_pfc(fake, &set->pfc, err);
	if (r == 0 && set->has & RT_DCB_BUFFER) {
		const uint32_t total = fake->dcb.buffer.total_bytes;

		fake->dcb.buffer = set->buffer;
		fake->dcb.buffer.total_bytes = total;
	}
	if (r == 0 && set->has & RT_DCB_MAXRATE)
		memcpy(fake->dcb.maxrate_bps, set->maxrate_bps,
		       sizeof(set->maxrate_bps));
	return r;
}

static size_t fake_entries(const struct fake *fake)
{
	size_t count = 0;

	for (size_t i = 0; i < fake->dcb.app.count; i++)
		count += fake->dcb.app.items[i].selector == RT_APP_DSCP;
	return count;
}

static void fake_reset_ets(struct fake *fake, bool enters)
{
	if (!(fake->laws & FAKE_FIRST_APP_RESETS))
		return;
	for (unsigned i = 0; i < 8; i++) {
		fake->dcb.ets.bw[i] = i ? 0 : 100;
		fake->dcb.ets.tsa[i] = 2;
		fake->dcb.ets.prio_tc[i] = enters && i < fake->dcb.ets.cap ? (uint8_t)i
									   : 0;
	}
	fake->dcb.ets.willing = !enters;
	if (!enters)
		fake->dcb.pfc.mask = 0;
}

static void fake_drop_app(struct fake *fake, size_t at)
{
	struct rt_dcb_apps *apps = &fake->dcb.app;

	memmove(&apps->items[at], &apps->items[at + 1],
		(apps->count - at - 1) * sizeof(apps->items[0]));
	apps->count--;
}

static int fake_app_add(struct rt_kern *kern, const char *netdev,
			const struct rt_dcb_app *app, struct rt_err *err)
{
	struct fake *fake = fake_of(kern);
	struct rt_dcb_apps *apps = &fake->dcb.app;
	int r = fake_refuse(fake, err);

	(void)netdev;
	fake_log(fake, "app", "add");
	if (r < 0)
		return r;
	for (size_t i = 0; i < apps->count; i++) {
		if (apps->items[i].selector != app->selector ||
		    apps->items[i].protocol != app->protocol)
			continue;
		if (fake->laws & FAKE_FIRST_APP_RESETS)
			return rt_err_set(err, -EINVAL, "the fake refuses: mapped");
		if (apps->items[i].priority == app->priority)
			return rt_err_set(err, -EEXIST, "the fake has it");
		if (fake->laws & FAKE_REPLACE_APP) {
			fake_drop_app(fake, i);
			break;
		}
	}
	if (app->selector == RT_APP_DSCP && !fake_entries(fake))
		fake_reset_ets(fake, true);
	apps->items[apps->count++] = *app;
	return fake->laws & FAKE_FIRST_APP_RESETS ? 1 : 0; /* "hardware changed" */
}

static int fake_app_delete(struct rt_kern *kern, const char *netdev,
			   const struct rt_dcb_app *app, struct rt_err *err)
{
	struct fake *fake = fake_of(kern);
	int r = fake_refuse(fake, err);

	(void)netdev;
	fake_log(fake, "app", "delete");
	for (size_t i = 0; i < fake->dcb.app.count && r == 0; i++) {
		if (memcmp(&fake->dcb.app.items[i], app, sizeof(*app)) != 0)
			continue;
		fake_drop_app(fake, i);
		if (app->selector == RT_APP_DSCP && !fake_entries(fake))
			fake_reset_ets(fake, false);
		return fake->laws & FAKE_FIRST_APP_RESETS ? 2 : 0;
	}
	return r < 0 ? r : rt_err_set(err, -ENOENT, "the fake has no such entry");
}

static int fake_dcbx_set(struct rt_kern *kern, const char *netdev, uint8_t mode,
			 struct rt_err *err)
{
	struct fake *fake = fake_of(kern);

	(void)netdev;
	fake_log(fake, "dcbx", "");
	if (mode == 0 && fake->laws & FAKE_ZERO_TO_FIRMWARE)
		fake->dcb.dcbx &= (uint8_t)~RT_DCBX_MODE_HOST;
	else if (mode & RT_DCBX_MODE_HOST)
		fake->dcb.dcbx = mode;
	else
		return rt_err_set(err, -ECANCELED, "the fake refuses the mode");
	return 0;
}

/* --- ethtool ------------------------------------------------------------------------- */

static int fake_pause_get(struct rt_kern *kern, const char *netdev,
			  struct rt_pause *ret_pause, struct rt_err *err)
{
	(void)netdev;
	(void)err;
	*ret_pause = fake_of(kern)->pause;
	return 0;
}

static int fake_pause_set(struct rt_kern *kern, const char *netdev,
			  const struct rt_pause *pause, struct rt_err *err)
{
	struct fake *fake = fake_of(kern);

	(void)netdev;
	(void)err;
	fake_log(fake, "pause", "");
	fake->pause = *pause;
	if (fake->laws & FAKE_PAUSE_OR_PFC && (pause->rx || pause->tx))
		fake->dcb.pfc.mask = 0;
	return 0;
}

static int fake_storm_get(struct rt_kern *kern, const char *netdev, uint16_t *ret_ms,
			  struct rt_err *err)
{
	(void)netdev;
	(void)err;
	if (!fake_of(kern)->has_storm)
		return -EOPNOTSUPP;
	*ret_ms = fake_of(kern)->storm_ms;
	return 0;
}

static int fake_storm_set(struct rt_kern *kern, const char *netdev, uint16_t ms,
			  struct rt_err *err)
{
	(void)netdev;
	(void)err;
	fake_log(fake_of(kern), "storm", "");
	fake_of(kern)->storm_ms = ms;
	return 0;
}

static int fake_flags_get(struct rt_kern *kern, const char *netdev,
			  struct rt_priv_flags *ret_flags, struct rt_err *err)
{
	(void)netdev;
	(void)err;
	if (!fake_of(kern)->flags.count)
		return -EOPNOTSUPP;
	*ret_flags = fake_of(kern)->flags;
	return 0;
}

/* ice: the flag gives DCB to the firmware, or to the host. */
static int fake_flag_set(struct rt_kern *kern, const char *netdev, const char *flag,
			 bool on, struct rt_err *err)
{
	struct fake *fake = fake_of(kern);

	(void)netdev;
	fake_log(fake, "flag", flag);
	if (on && fake_entries(fake))
		return rt_err_set(err, -EOPNOTSUPP, "the fake refuses in DSCP mode");
	fake->flags.value = on;
	fake->dcb.dcbx = RT_DCBX_MODE_IEEE |
			 (on ? RT_DCBX_MODE_LLD : RT_DCBX_MODE_HOST);
	return 0;
}

static const struct rt_kern_ops fake_ops = {
	.name = "fake",
	.writable = true,
	.file_read = fake_file_read,
	.file_write = fake_file_write,
	.folder_make = fake_folder_make,
	.access = fake_access,
	.dcb_get = fake_dcb_get,
	.dcb_set = fake_dcb_set,
	.dcb_app_add = fake_app_add,
	.dcb_app_delete = fake_app_delete,
	.dcbx_set = fake_dcbx_set,
	.pause_get = fake_pause_get,
	.pause_set = fake_pause_set,
	.storm_get = fake_storm_get,
	.storm_set = fake_storm_set,
	.priv_flags_get = fake_flags_get,
	.priv_flag_set = fake_flag_set,
};

/* --- hosts ----------------------------------------------------------------------------- */

#define FAKE_PCI "0000:3b:00.0"

/* As the driver leaves it after it was loaded. */
static inline void fake_init(struct fake *fake, const char *kernel_driver,
			     struct rt_host_port *ret_port)
{
	*fake = (struct fake){ .kern.ops = &fake_ops };
	fake->device = (struct rt_device){ .ibdev = "rdma0",
					   .port = 1,
					   .netdev = "eth7",
					   .pci = FAKE_PCI,
					   .link_layer = RT_LINK_ETHERNET };
	snprintf(fake->device.kernel_driver, sizeof(fake->device.kernel_driver), "%s",
		 kernel_driver);
	*ret_port = (struct rt_host_port){ .kern = &fake->kern,
					   .device = &fake->device,
					   .driver = rt_driver_find(kernel_driver) };
	assert_non_null(ret_port->driver);
}

static inline void fake_debug_file(struct fake *fake, const char *name,
				   const char *text)
{
	char path[200];

	snprintf(path, sizeof(path), "/sys/kernel/debug/mlx5/" FAKE_PCI "/cc_params/%s",
		 name);
	fake_file(fake, path, text);
}

static inline void fake_mlx5(struct fake *fake, struct rt_host_port *ret_port)
{
	static const char *const cc[][2] = {
		{ "rp_clamp_tgt_rate", "0" },
		{ "rp_clamp_tgt_rate_ati", "1" },
		{ "rp_time_reset", "300" },
		{ "rp_byte_reset", "32767" },
		{ "rp_threshold", "1" },
		{ "rp_max_rate", "0" },
		{ "rp_ai_rate", "5" },
		{ "rp_hai_rate", "50" },
		{ "rp_gd", "11" },
		{ "rp_min_dec_fac", "50" },
		{ "rp_min_rate", "1" },
		{ "rp_rate_to_set_on_first_cnp", "0" },
		{ "rp_dce_tcp_g", "1019" },
		{ "rp_dce_tcp_rtt", "1" },
		{ "rp_rate_reduce_monitor_period", "4" },
		{ "rp_initial_alpha_value", "1023" },
		{ "np_min_time_between_cnps", "4" },
		{ "np_cnp_dscp", "48" },
		{ "np_cnp_prio", "6" },
		{ "np_cnp_prio_mode", "1" },
		{ "rtt_resp_dscp", "0" },
		{ "rtt_resp_dscp_valid", "0" },
	};

	fake_init(fake, "mlx5_core", ret_port);
	fake->laws = FAKE_FLAP_ON_PFC | FAKE_REPLACE_APP | FAKE_ZERO_TO_FIRMWARE |
		     FAKE_ETS_100;
	fake->dcb.has = RT_DCB_ETS | RT_DCB_PFC | RT_DCB_MAXRATE | RT_DCB_BUFFER |
			RT_DCB_APP | RT_DCB_DCBX;
	fake->dcb.dcbx = RT_DCBX_MODE_CEE | RT_DCBX_MODE_IEEE;
	fake->dcb.pfc = (struct rt_dcb_pfc){ .cap = 8, .delay = 7 };
	fake->dcb.ets.cap = 8;
	for (unsigned i = 0; i < 8; i++) {
		fake->dcb.ets.tsa[i] = 255;
		fake->dcb.ets.prio_tc[i] = i == 0 ? 1 : i == 1 ? 0 : (uint8_t)i;
	}
	fake->dcb.buffer = (struct rt_dcb_buffer){ .size_bytes = { 19872, 220896 },
						   .total_bytes = 4151520 };
	fake->pause = (struct rt_pause){ .rx = true, .tx = true };
	fake->has_storm = true;
	fake->storm_ms = 8000;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cc); i++)
		fake_debug_file(fake, cc[i][0], cc[i][1]);
	fake_file(fake, "/sys/kernel/config/rdma_cm", NULL);
}

static inline void fake_bnxt(struct fake *fake, struct rt_host_port *ret_port)
{
	static const char *const cc[][2] = {
		{ "cc_mode", "1" },          { "enable_cc", "1" },
		{ "tos_dscp", "0" },         { "tos_ecn", "0" },
		{ "alt_vlan_dscp", "0" },    { "alt_vlan_pcp", "0" },
		{ "run_avg_weight_g", "8" },
	};
	char path[200];

	fake_init(fake, "bnxt_en", ret_port);
	fake->laws = FAKE_PFC_NEEDS_ETS | FAKE_NEEDS_IEEE | FAKE_ETS_100;
	fake->dcb.has = RT_DCB_ETS | RT_DCB_PFC | RT_DCB_APP | RT_DCB_DCBX;
	fake->dcb.dcbx = RT_DCBX_MODE_HOST | RT_DCBX_MODE_IEEE;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cc); i++) {
		snprintf(path, sizeof(path),
			 "/sys/kernel/debug/bnxt_re/" FAKE_PCI "/cc_config/%s",
			 cc[i][0]);
		fake_file(fake, path, cc[i][1]);
	}
	fake_file(fake, "/sys/kernel/config/rdma_cm", NULL);
}

static inline void fake_ice(struct fake *fake, struct rt_host_port *ret_port)
{
	fake_init(fake, "ice", ret_port);
	fake->laws = FAKE_FIRST_APP_RESETS | FAKE_NEEDS_IEEE | FAKE_ETS_100;
	fake->dcb.has = RT_DCB_ETS | RT_DCB_PFC | RT_DCB_APP | RT_DCB_DCBX;
	fake->dcb.dcbx = RT_DCBX_MODE_LLD | RT_DCBX_MODE_IEEE;
	fake->dcb.pfc.cap = 8;
	fake->dcb.ets = (struct rt_dcb_ets){
		.cap = 4, .willing = 1, .bw = { 100 }, .tsa = { 2, 2, 2, 2, 2, 2, 2, 2 }
	};
	fake->flags = (struct rt_priv_flags){ .name = { "fw-lldp-agent" },
					      .value = 1,
					      .count = 1 };
	fake_file(fake, "/sys/kernel/config/rdma_cm", NULL);
}

static inline void fake_mlx4(struct fake *fake, struct rt_host_port *ret_port)
{
	fake_init(fake, "mlx4_core", ret_port);
	fake->laws = FAKE_PAUSE_OR_PFC;
	fake->dcb.has = RT_DCB_ETS | RT_DCB_PFC | RT_DCB_MAXRATE | RT_DCB_APP |
			RT_DCB_DCBX;
	fake->dcb.dcbx = RT_DCBX_MODE_HOST | RT_DCBX_MODE_CEE;
	fake->dcb.pfc.cap = 8;
	fake->dcb.ets.cap = 8;
	fake->pause = (struct rt_pause){ .rx = true, .tx = true };
	fake_file(fake, "/sys/kernel/config/rdma_cm", NULL);
}

static inline void fake_hns3(struct fake *fake, struct rt_host_port *ret_port)
{
	fake_init(fake, "hns3", ret_port);
	fake->laws = FAKE_REPLACE_APP | FAKE_NEEDS_IEEE | FAKE_FLAP_ON_PFC;
	fake->dcb.has = RT_DCB_ETS | RT_DCB_PFC | RT_DCB_APP | RT_DCB_DCBX;
	fake->dcb.dcbx = RT_DCBX_MODE_HOST | RT_DCBX_MODE_IEEE;
	fake->dcb.pfc.cap = 4;
	fake->dcb.ets = (struct rt_dcb_ets){ .cap = 4, .bw = { 100 }, .tsa = { 2 } };
	fake_file(fake, "/sys/kernel/config/rdma_cm", NULL);
	fake_file(fake, "/sys/class/infiniband/rdma0/ports/1/dcqcn_cc_param/ai", "6\n");
}

#endif
