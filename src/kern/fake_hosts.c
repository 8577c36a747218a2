/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fake_hosts.c - the fake's personalities: ports as their drivers leave them when
 * they are loaded, and the files that come with them.
 *
 * Defaults of cc_params are those of public firmware dumps; ETS of mlx5 is what
 * en_dcbnl.c mlx5e_ets_init() writes.  A host of the real world has more files.
 */
#include <linux/dcbnl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bundle.h"
#include "base/own.h"
#include "kern/kern_fake.h"

/* {ib}, {net}, {pci} and {n} (port number) stand for the port's names. */
struct file_row {
	const char *path, *text;
	enum rt_fake_file_kind kind;
	uint64_t max;
	const char *made_with; /* configfs: the folder to make; NULL: always there */
	bool fixed;
};

#define MLX5_CC "/sys/kernel/debug/mlx5/{pci}/cc_params/"
#define BNXT_CC "/sys/kernel/debug/bnxt_re/{pci}/cc_config/"
#define CMA     "/sys/kernel/config/rdma_cm/{ib}"
#define IB      "/sys/class/infiniband/{ib}/"
#define GID     "fe80:0000:0000:0000:0000:00ff:fe00:0"

static const struct file_row common_files[] = {
	{ .path = IB "node_type", .text = "1: CA\n", .fixed = true },
	{ .path = IB "ports/1/state", .text = "4: ACTIVE\n", .fixed = true },
	{ .path = IB "ports/1/phys_state", .text = "5: LinkUp\n", .fixed = true },
	{ .path = IB "ports/1/link_layer", .text = "Ethernet\n", .fixed = true },
	{ .path = IB "ports/1/gids/0", .text = GID "{n}01\n", .fixed = true },
	{ .path = IB "ports/1/gids/1", .text = GID "{n}01\n", .fixed = true },
	{ .path = IB "ports/1/gids/2",
	  .text = "0000:0000:0000:0000:0000:0000:0000:0000\n",
	  .fixed = true },
	{ .path = IB "ports/1/gid_attrs/types/0",
	  .text = "IB/RoCE v1\n",
	  .fixed = true },
	{ .path = IB "ports/1/gid_attrs/types/1", .text = "RoCE v2\n", .fixed = true },
	{ .path = IB "ports/1/gid_attrs/ndevs/0", .text = "{net}\n", .fixed = true },
	{ .path = IB "ports/1/gid_attrs/ndevs/1", .text = "{net}\n", .fixed = true },
	{ .path = "/sys/class/net/{net}/mtu", .text = "4200\n" },
	{ .path = CMA "/ports/1/default_roce_mode",
	  .text = "RoCE v2\n",
	  .made_with = CMA },
	{ .path = CMA "/ports/1/default_roce_tos",
	  .text = "0\n",
	  .kind = RT_FAKE_NUMBER,
	  .max = 255,
	  .made_with = CMA },
};

#define NUMBER(name, value, most)                                         \
	{                                                                 \
		.path = name, .text = value "\n", .kind = RT_FAKE_NUMBER, \
		.max = (most)                                             \
	}

static const struct file_row mlx5_files[] = {
	NUMBER(MLX5_CC "rp_clamp_tgt_rate", "0", 1),
	NUMBER(MLX5_CC "rp_clamp_tgt_rate_ati", "1", 1),
	NUMBER(MLX5_CC "rp_time_reset", "300", 131071),
	NUMBER(MLX5_CC "rp_byte_reset", "32767", 32767),
	NUMBER(MLX5_CC "rp_threshold", "1", 31),
	NUMBER(MLX5_CC "rp_max_rate", "0", 400000),
	NUMBER(MLX5_CC "rp_ai_rate", "5", 400000),
	NUMBER(MLX5_CC "rp_hai_rate", "50", 400000),
	NUMBER(MLX5_CC "rp_min_dec_fac", "50", 100),
	NUMBER(MLX5_CC "rp_min_rate", "1", 400000),
	NUMBER(MLX5_CC "rp_rate_to_set_on_first_cnp", "0", 400000),
	NUMBER(MLX5_CC "rp_dce_tcp_g", "1019", 1023),
	NUMBER(MLX5_CC "rp_dce_tcp_rtt", "1", 131071),
	NUMBER(MLX5_CC "rp_rate_reduce_monitor_period", "4", UINT32_MAX),
	NUMBER(MLX5_CC "rp_initial_alpha_value", "1023", 1023),
	NUMBER(MLX5_CC "rp_gd", "11", 11),
	NUMBER(MLX5_CC "np_min_time_between_cnps", "4", UINT32_MAX),
	NUMBER(MLX5_CC "np_cnp_dscp", "48", 63),
	NUMBER(MLX5_CC "np_cnp_prio_mode", "1", 1),
	NUMBER(MLX5_CC "np_cnp_prio", "6", 7),
	NUMBER(MLX5_CC "rtt_resp_dscp_valid", "0", 1),
	NUMBER(MLX5_CC "rtt_resp_dscp", "0", 63),
	{ .path = IB "tc/1/traffic_class",
	  .text = "",
	  .kind = RT_FAKE_TCLASS,
	  .max = 255 },
};

static const struct file_row bnxt_files[] = {
	NUMBER(BNXT_CC "enable_cc", "1", 1),
	NUMBER(BNXT_CC "cc_mode", "1", 1),
	NUMBER(BNXT_CC "run_avg_weight_g", "6", 7),
	NUMBER(BNXT_CC "num_phase_per_state", "6", 15),
	NUMBER(BNXT_CC "init_cr", "200", 65535),
	NUMBER(BNXT_CC "init_tr", "7680", 65535),
	NUMBER(BNXT_CC "tos_ecn", "1", 3),
	NUMBER(BNXT_CC "tos_dscp", "0", 63),
	NUMBER(BNXT_CC "alt_vlan_pcp", "7", 7),
	NUMBER(BNXT_CC "alt_vlan_dscp", "48", 63),
	NUMBER(BNXT_CC "rtt", "40", 16383),
	NUMBER(BNXT_CC "tcp_cp", "0", 1),
	NUMBER(BNXT_CC "inactivity_cp", "10000", 65535),
};

#define ALL_SETTERS                                                              \
	(RT_DCB_ETS | RT_DCB_PFC | RT_DCB_MAXRATE | RT_DCB_BUFFER | RT_DCB_APP | \
	 RT_DCB_DCBX)
#define ETS_PFC_APP (RT_DCB_ETS | RT_DCB_PFC | RT_DCB_APP | RT_DCB_DCBX)

#define MLX5_QUIRKS                                                      \
	(RT_FAKE_PFC_FLAPS | RT_FAKE_BUFFER_AUTO | RT_FAKE_CABLE_RANGE | \
	 RT_FAKE_ETS_100 | RT_FAKE_MAXRATE_STEPS | RT_FAKE_DCBX_MLX5 |   \
	 RT_FAKE_APP_DSCP_ONLY | RT_FAKE_APP_REPLACES)
#define BNXT_QUIRKS                                                              \
	(RT_FAKE_NEEDS_HOST_IEEE | RT_FAKE_PFC_NEEDS_ETS | RT_FAKE_ZEROS_FIRST | \
	 RT_FAKE_LOSSLESS_CAP | RT_FAKE_DCBX_BNXT | RT_FAKE_PFC_BLIPS)
#define ICE_QUIRKS                                                       \
	(RT_FAKE_LLD_LOCKS | RT_FAKE_APP_DSCP_ONLY | RT_FAKE_ICE_CODES | \
	 RT_FAKE_NO_REMAP | RT_FAKE_DSCP_RESETS_ETS | RT_FAKE_DCBX_ICE | \
	 RT_FAKE_FW_AGENT | RT_FAKE_NO_PAUSE_BY_PFC)
#define HNS3_QUIRKS                                                   \
	(RT_FAKE_NEEDS_IEEE | RT_FAKE_DCBX_HNS3 | RT_FAKE_PFC_BLIPS | \
	 RT_FAKE_APP_DSCP_ONLY | RT_FAKE_NO_PAUSE_BY_PFC | RT_FAKE_PFC_ENDS_PAUSE)

/* A personality: its driver, and the state it begins with. */
static const struct personality {
	const char *name, *kernel_driver, *ib_prefix;
	uint32_t quirks;
	unsigned has, setters; /* enum rt_dcb_has */
	uint8_t ets_cap, pfc_cap, tsa;
	uint8_t dcbx;
	bool pause_on, storm, flags;
	const struct file_row *files;
	size_t file_count;
} personalities[] = {
	{ "mlx5", "mlx5_core", "mlx5_", MLX5_QUIRKS, ALL_SETTERS, ALL_SETTERS, 8, 8,
	  IEEE_8021QAZ_TSA_VENDOR, RT_DCBX_MODE_HOST | RT_DCBX_MODE_IEEE, false, true,
	  false, mlx5_files, RT_ARRAY_SIZE(mlx5_files) },
	{ "mlx4", "mlx4_en", "mlx4_", RT_FAKE_PAUSE_OR_PFC,
	  ETS_PFC_APP | RT_DCB_MAXRATE,
	  RT_DCB_ETS | RT_DCB_PFC | RT_DCB_MAXRATE | RT_DCB_DCBX, 8, 8,
	  IEEE_8021QAZ_TSA_VENDOR, RT_DCBX_MODE_HOST | RT_DCBX_MODE_IEEE, true, false,
	  false, NULL, 0 },
	{ "bnxt", "bnxt_en", "bnxt_re", BNXT_QUIRKS, ETS_PFC_APP, ETS_PFC_APP, 8, 2,
	  IEEE_8021QAZ_TSA_STRICT, RT_DCBX_MODE_HOST | RT_DCBX_MODE_IEEE, true, false,
	  false, bnxt_files, RT_ARRAY_SIZE(bnxt_files) },
	{ "ice", "ice", "irdma", ICE_QUIRKS, ETS_PFC_APP, ETS_PFC_APP, 4, 4,
	  IEEE_8021QAZ_TSA_ETS, RT_DCBX_MODE_HOST | RT_DCBX_MODE_IEEE, false, false,
	  true, NULL, 0 },
	{ "hns3", "hns3", "hns_", HNS3_QUIRKS, ETS_PFC_APP, ETS_PFC_APP, 8, 8,
	  IEEE_8021QAZ_TSA_ETS, RT_DCBX_MODE_HOST | RT_DCBX_MODE_IEEE, true, false,
	  false, NULL, 0 },
	{ "cxgb4", "cxgb4", "iwcxgb4_", 0, ETS_PFC_APP, 0, 8, 8,
	  IEEE_8021QAZ_TSA_STRICT, RT_DCBX_MODE_HOST | RT_DCBX_MODE_IEEE, true, false,
	  false, NULL, 0 },
	{ "ionic", "ionic", "ionic_", 0, 0, 0, 0, 0, 0, 0, true, false, false, NULL,
	  0 },
};

/* Put the port's names into pattern; false: it does not fit. */
static bool expand(const struct rt_fake_port *port, size_t number, const char *pattern,
		   char *buf, size_t capacity)
{
	char digit[8];
	const struct {
		const char *word, *value;
	} words[] = { { "{ib}", port->rdma.ibdev },
		      { "{net}", port->link.name },
		      { "{pci}", port->pci },
		      { "{n}", digit } };
	size_t used = 0;

	snprintf(digit, sizeof(digit), "%zu", number);
	while (*pattern && used + 1 < capacity) {
		size_t i = 0;

		while (i < RT_ARRAY_SIZE(words) &&
		       strncmp(pattern, words[i].word, strlen(words[i].word)) != 0)
			i++;
		if (i == RT_ARRAY_SIZE(words)) {
			buf[used++] = *pattern++;
			continue;
		}
		pattern += strlen(words[i].word);
		if (used + strlen(words[i].value) >= capacity)
			return false;
		used += (size_t)sprintf(buf + used, "%s", words[i].value);
	}
	buf[used] = '\0';
	return !*pattern;
}

/* Where path leads now: files are known by paths without links. */
static bool add_file(struct rt_fake *fake, const struct rt_fake_port *port,
		     size_t number, const struct file_row *row)
{
	char path[RT_FAKE_PATH_BYTES], text[RT_FAKE_TEXT_BYTES];
	struct rt_fake_file *file;

	if (!expand(port, number, row->path, path, sizeof(path)) ||
	    !expand(port, number, row->text, text, sizeof(text)))
		return false;
	if (row->fixed)
		return rt_bundle_add_file(fake->tree, path + 1, text, strlen(text),
					  NULL) == 0;
	file = rt_fake_add_file(fake, path, row->kind, text);
	if (!file)
		return false;
	file->max = row->max;
	if (!row->made_with)
		return true;
	file->hidden = true;
	return expand(port, number, row->made_with, file->made_with,
		      sizeof(file->made_with));
}

static bool add_files(struct rt_fake *fake, const struct rt_fake_port *port,
		      size_t number, const struct file_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!add_file(fake, port, number, &rows[i]))
			return false;
	return true;
}

/* The PCI device, and the links to it and to its driver. */
static bool add_links(struct rt_fake *fake, const struct rt_fake_port *port)
{
	static const struct {
		const char *path, *target;
	} rows[] = {
		{ "/sys/class/infiniband/{ib}/device",
		  "../../../devices/pci0000:3a/{pci}" },
		{ "/sys/class/net/{net}/device", "../../../devices/pci0000:3a/{pci}" },
		{ "/sys/bus/pci/devices/{pci}", "../../../devices/pci0000:3a/{pci}" },
		{ "/sys/devices/pci0000:3a/{pci}/driver", "../../../bus/pci/drivers/" },
	};
	char path[RT_FAKE_PATH_BYTES], target[RT_FAKE_PATH_BYTES];

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		if (!expand(port, 0, rows[i].path, path, sizeof(path)) ||
		    !expand(port, 0, rows[i].target, target,
			    sizeof(target) - sizeof(port->info.driver)))
			return false;
		if (target[strlen(target) - 1] == '/')
			strcat(target, port->info.driver);
		if (rt_bundle_add_symlink(fake->tree, path + 1, target, NULL) < 0)
			return false;
	}
	return true;
}

static void begin_dcb(struct rt_fake_port *port, const struct personality *from)
{
	struct rt_dcb_ets *ets = &port->dcb.ets;

	port->dcb.has = from->has;
	port->dcb.dcbx = from->dcbx;
	port->dcb.pfc.cap = from->pfc_cap;
	ets->cap = from->ets_cap;
	memset(ets->tsa, from->tsa, 8);
	if (from->tsa == IEEE_8021QAZ_TSA_ETS)
		ets->bw[0] = 100;
	if (from->quirks & RT_FAKE_PFC_FLAPS) {
		port->dcb.pfc.delay = 7;
		for (uint8_t i = 0; i < 8; i++)
			ets->prio_tc[i] = i == 0 ? 1 : i == 1 ? 0 : i;
		port->dcb.buffer.total_bytes = 262144;
		port->dcb.buffer.size_bytes[0] = 262144;
	}
}

static void begin_names(struct rt_fake_port *port, const struct personality *from,
			size_t number)
{
	const unsigned digit = (unsigned)number % 10;

	snprintf(port->link.name, sizeof(port->link.name), "eth%u", digit);
	snprintf(port->rdma.ibdev, sizeof(port->rdma.ibdev), "%s%u", from->ib_prefix,
		 digit);
	snprintf(port->pci, sizeof(port->pci), "0000:3b:00.%u", digit);
	snprintf(port->info.driver, sizeof(port->info.driver), "%s",
		 from->kernel_driver);
	strcpy(port->info.bus, port->pci);
	strcpy(port->info.firmware, "1.0");
	strcpy(port->rdma.netdev, port->link.name);
	strcpy(port->rdma.firmware, port->info.firmware);
	strcpy(port->rdma.protocol, "roce");
	strcpy(port->eswitch, "legacy");
}

struct rt_fake_port *rt_fake_add_port(struct rt_fake *fake, const char *personality)
{
	const struct personality *from = NULL;
	const size_t number = fake->port_count;
	struct rt_fake_port *port = &fake->ports[number];

	for (size_t i = 0; i < RT_ARRAY_SIZE(personalities); i++)
		if (strcmp(personalities[i].name, personality) == 0)
			from = &personalities[i];
	if (!from || number == RT_FAKE_PORTS)
		return NULL;
	*port = (struct rt_fake_port){
		.quirks = from->quirks,
		.setters = from->setters,
		.link = { .ifindex = (unsigned)number + 2,
			  .mac = { 2, 0, 0, 0, 0, (uint8_t)(number + 1) },
			  .mtu_bytes = 4200,
			  .is_up = true,
			  .carrier = true,
			  .carrier_changes = 2,
			  .carrier_changes_known = true },
		.rdma = { .dev_index = (unsigned)number,
			  .port = 1,
			  .ifindex = (unsigned)number + 2,
			  .state = 4,
			  .phys_state = 5 },
		.speed_bps = RT_KNOWN_U64(100000000000),
		.pause = { .rx = from->pause_on, .tx = from->pause_on },
		.has_pause = true,
		.has_storm = from->storm,
		.has_flags = from->flags,
	};
	begin_names(port, from, number);
	begin_dcb(port, from);
	if (from->flags) {
		port->flags.count = 2;
		strcpy(port->flags.name[0], "link-down-on-close");
		strcpy(port->flags.name[1], "fw-lldp-agent");
	}
	if (!add_links(fake, port) ||
	    !add_files(fake, port, number, common_files, RT_ARRAY_SIZE(common_files)) ||
	    !add_files(fake, port, number, from->files, from->file_count))
		return NULL;
	fake->port_count++;
	return port;
}
