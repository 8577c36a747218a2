/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * rtnic: NICs that exist only in the kernel, in pairs wired back to back.
 *
 * Each is a PCI function with a netdev and an RDMA device, driven by what calls
 * itself mlx5_core, mlx4_core, bnxt_en or ice, and has that driver's manners where
 * they matter to who configures congestion control: what it refuses, what it resets
 * on the side, what it says of itself.  No frame is paused and no rate is cut here;
 * the lab is about configuration.
 *
 * Data first: a `kind` is a row of kinds.c, all that differs between the drivers; a
 * `card` is what a card's registers would hold; every change of it passes
 * rtnic_write(), which counts it, logs it and may spoil it.
 *
 * Locks: the card, its faults and its log belong to RTNL, in which the kernel calls
 * the DCB and ethtool operations; files in debugfs take it.
 */
#ifndef RTNIC_H
#define RTNIC_H

#include <linux/ethtool.h>
#include <linux/netdevice.h>
#include <linux/pci.h>
#include <net/dcbnl.h>
#include <rdma/ib_verbs.h>

#define RTNIC_PRIOS           8
#define RTNIC_DSCPS           64
#define RTNIC_NICS_MAX        64
#define RTNIC_KNOBS_MAX       24
#define RTNIC_HW_COUNTERS_MAX 32
#define RTNIC_FAULTS_MAX      8
#define RTNIC_LOG_MAX         256

struct rtnic;
struct devlink;
struct seq_file;
struct rtnic_ofed;
struct rtnic_rdma;

/* What is counted; a kind's rows give each a name or leave it out. */
enum rtnic_cell {
	RTNIC_RX_PACKETS,
	RTNIC_RX_BYTES,
	RTNIC_RX_DISCARDS,
	RTNIC_RX_PAUSE,
	RTNIC_RX_PAUSE_US,
	RTNIC_RX_TRANSITIONS,
	RTNIC_RX_XON,
	RTNIC_TX_PACKETS,
	RTNIC_TX_BYTES,
	RTNIC_TX_PAUSE,
	RTNIC_TX_PAUSE_US,
	RTNIC_TX_XON,
	RTNIC_PRIO_CELLS,
	/* From here on of the port, not of a priority. */
	RTNIC_RX_PAUSE_PHY = RTNIC_PRIO_CELLS,
	RTNIC_TX_PAUSE_PHY,
	RTNIC_RX_GLOBAL_PAUSE,
	RTNIC_TX_GLOBAL_PAUSE,
	RTNIC_RX_DISCARDS_PHY,
	RTNIC_STORM_WARNINGS,
	RTNIC_STORM_ERRORS,
	RTNIC_CELLS_END,
};
#define RTNIC_PORT_CELLS (RTNIC_CELLS_END - RTNIC_PRIO_CELLS)

/* When a counter has a name at all: mlx5 shows pauses only where PFC is on. */
enum rtnic_when {
	RTNIC_ALWAYS,
	RTNIC_WITH_PFC,
	RTNIC_WITH_PAUSE
};

struct rtnic_stat {
	const char *name; /* of a priority's cell: with one %u */
	enum rtnic_cell cell;
	enum rtnic_when when;
};

/* What ethtool netlink tells of all drivers alike. */
enum rtnic_standard {
	RTNIC_FEC_CORRECTED,
	RTNIC_FEC_UNCORRECTABLE,
	RTNIC_FCS_ERRORS,
	RTNIC_STANDARD_RX_PAUSE,
	RTNIC_STANDARD
};

/* A file of the congestion-control folder in debugfs. */
struct rtnic_knob {
	const char *name;
	u32 start, min, max;
	const char *forces; /* writing it sets this other file ... */
	u32 forced;         /* ... to this */
};

/*
 * What a driver makes of a write that has reached it: 0, a negative errno, or above 0
 * where the real one answers so.  They may change what they are handed.  A driver that
 * lacks the operation leaves it out.
 */
struct rtnic_rules {
	int (*setets)(struct rtnic *nic, struct ieee_ets *want);
	int (*setpfc)(struct rtnic *nic, const struct ieee_pfc *want);
	int (*setmaxrate)(struct rtnic *nic, struct ieee_maxrate *want);
	int (*setbuffer)(struct rtnic *nic, struct dcbnl_buffer *want);
	int (*setapp)(struct rtnic *nic, struct dcb_app *want);
	int (*delapp)(struct rtnic *nic, struct dcb_app *want);
	int (*setdcbx)(struct rtnic *nic, u8 mode);
	int (*setpause)(struct rtnic *nic, const struct ethtool_pauseparam *want);
	int (*setstorm)(struct rtnic *nic, u16 ms);
	int (*setflag)(struct rtnic *nic, bool on); /* fw-lldp-agent */
};
extern const struct rtnic_rules rtnic_mlx5_rules, rtnic_mlx4_rules, rtnic_bnxt_rules,
	rtnic_ice_rules;

struct rtnic_kind {
	const char *name;   /* the module's parameter */
	const char *driver; /* as PCI and ethtool call it */
	const char *rdma;   /* name of its RDMA devices, with %d */
	const char *firmware;
	u16 vendor, device;
	u16 vf_device; /* of its virtual functions; 0: it has none */
	const struct rtnic_rules *rules;
	u8 dcbx;              /* at load */
	u8 fw_dcbx;           /* at load, when firmware runs DCBX */
	u8 lossless;          /* how many priorities may have PFC */
	u8 classes;           /* traffic classes */
	bool pause;           /* global pause at load, both ways */
	bool vendor_ets;      /* mlx5's ETS at load; else one class takes all */
	bool blank_until_set; /* ETS and PFC read as 0 until they are set */
	const struct rtnic_stat *stats; /* up to a row without a name */
	const char *knob_root, *knob_folder;
	const struct rtnic_knob *knobs; /* up to a row without a name */
	bool knobs_lie;                 /* a refused write reports success */
	bool ofed; /* NVIDIA packages a driver for it with files of its own */
	const struct rdma_stat_desc *counters;
	unsigned int counter_count;
};
extern const struct rtnic_kind rtnic_kinds[];
extern const unsigned int rtnic_kind_count;

/* What the registers of a card would hold. */
struct rtnic_card {
	struct ieee_ets ets;
	struct ieee_maxrate maxrate;
	struct dcbnl_buffer buffer;
	u8 dscp_prio[RTNIC_DSCPS];
	u64 dscp_mapped; /* bit n: an APP entry names DSCP n */
	u16 cable_m;
	u16 storm_ms;
	u8 pfc_en;
	u8 dcbx;
	bool buffer_manual;
	bool dscp_trust;
	bool rx_pause, tx_pause;
	bool ets_was_set, pfc_was_set;
	bool fw_lldp;
};

enum rtnic_how {
	RTNIC_FAIL,        /* returns an error, changes nothing */
	RTNIC_KEEP,        /* returns success, changes nothing */
	RTNIC_TWIST,       /* returns success, keeps yet another value */
	RTNIC_KILL_BEFORE, /* the writer gets SIGKILL, nothing is changed */
	RTNIC_KILL_AFTER,  /* the writer gets SIGKILL, the value is changed */
};

struct rtnic_fault {
	unsigned int at; /* this write since the counter was set to 0; 0: each */
	enum rtnic_how how;
	int error;
	bool all; /* KILL_*: whoever runs the writer's program too */
};

struct rtnic_log {
	char text[56];
};

struct rtnic {
	struct net_device *dev, *peer;
	struct pci_dev *pdev;
	const struct rtnic_kind *kind;
	unsigned int index;
	struct rtnic_rdma *rdma;
	struct devlink *devlink; /* NULL: a virtual function */
	bool switchdev;
	struct rtnic_ofed *ofed; /* NULL: without ofed=1 */
	struct delayed_work link_up;
	struct dentry *files, *knob_files;

	struct rtnic_card card;
	u32 knob[RTNIC_KNOBS_MAX];
	u64 cell[RTNIC_PRIOS][RTNIC_PRIO_CELLS];
	u64 port_cell[RTNIC_PORT_CELLS];
	u64 standard[RTNIC_STANDARD]; /* by enum rtnic_standard */
	u64 hw_counter[RTNIC_HW_COUNTERS_MAX];

	/* Copies, so that a fault can take a setter away. */
	struct dcbnl_rtnl_ops dcb;
	struct ethtool_ops ethtool;

	struct rtnic_fault fault[RTNIC_FAULTS_MAX];
	unsigned int fault_count;
	unsigned int writes; /* that reached the driver, refused ones too */
	unsigned int flaps;  /* that the driver caused */
	struct rtnic_log log[RTNIC_LOG_MAX];
};

static inline struct rtnic *rtnic_of(struct net_device *dev)
{
	return netdev_priv(dev);
}

/* main.c */
extern unsigned int rtnic_speed_mbps, rtnic_flap_ms;
extern bool rtnic_fw_dcbx, rtnic_with_ofed;
extern struct dentry *rtnic_files;
const struct rtnic_kind *rtnic_kind_of(unsigned int index);

/* pci.c: a root bus of our own, with a slot for each pair */
int rtnic_bus_add(unsigned int nics);
void rtnic_bus_remove(void);

/* nic.c */
int rtnic_probe(struct pci_dev *pdev, const struct pci_device_id *id);
void rtnic_remove(struct pci_dev *pdev);
/* Takes the link down and, a while later, up. */
void rtnic_flap(struct rtnic *nic);
/* Sizes the buffers from PFC, MTU and cable, unless somebody has set them by hand. */
void rtnic_buffer_fit(struct rtnic *nic);
/* Bytes that a lossless buffer must hold. */
u32 rtnic_buffer_need(const struct rtnic *nic);
void rtnic_card_reset(struct rtnic *nic);

/*
 * write.c: a write reaches the card.  0: go on; else do nothing, and give what is said to
 * rtnic_wrote().  value (may be NULL) is the byte that a fault may twist.  The text says
 * what is written, for the log.
 */
__printf(4, 5) int rtnic_write(struct rtnic *nic, const char *what, u8 *value,
			       const char *fmt, ...);
/* What became of it, for the log; returns what the setter shall answer. */
int rtnic_wrote(struct rtnic *nic, int r);
/* "3 errno 5", "3 keep", "absent pfc", "clear": README.md.  0 or a negative errno. */
int rtnic_fault_set(struct rtnic *nic, char *text);

/* files.c, knobs.c: debugfs */
void rtnic_files_add(struct rtnic *nic);
/* What the card holds for each knob, and the files. */
void rtnic_knobs_reset(struct rtnic *nic);
void rtnic_knobs_add(struct rtnic *nic);
void rtnic_knobs_end(void);
/* Its place in the kind's rows; -ENOENT. */
int rtnic_knob_find(const struct rtnic *nic, const char *name);
int rtnic_knob_set(struct rtnic *nic, unsigned int knob, u32 value);

/* ofed.c: after the RDMA device is there, before it goes */
int rtnic_ofed_add(struct rtnic *nic);
void rtnic_ofed_remove(struct rtnic *nic);
void rtnic_ofed_state(const struct rtnic *nic, struct seq_file *s);

/* dcb.c */
void rtnic_dcb_fill(struct rtnic *nic);
/* -EINVAL unless the shares of the ETS classes make 100 and each priority has a class. */
int rtnic_ets_check(const struct ieee_ets *ets);
bool rtnic_is_dscp(const struct dcb_app *app);
void rtnic_dscp_map(struct rtnic *nic, unsigned int dscp, unsigned int prio);
/* prio is what the card makes of that DSCP without an entry. */
void rtnic_dscp_unmap(struct rtnic *nic, unsigned int dscp, unsigned int prio);

/* ethtool.c */
void rtnic_ethtool_fill(struct rtnic *nic);
/* Adds to the counter of that name; -ENOENT: there is none. */
int rtnic_count(struct rtnic *nic, const char *name, u64 more);
int rtnic_setpause(struct rtnic *nic, const struct ethtool_pauseparam *want);

/* eswitch.c */
int rtnic_eswitch_add(struct rtnic *nic);
void rtnic_eswitch_remove(struct rtnic *nic);

/* rdma.c */
int rtnic_rdma_add(struct rtnic *nic);
void rtnic_rdma_remove(struct rtnic *nic);
/* Makes count QPs exist; a negative errno when that many cannot be had. */
int rtnic_rdma_qps(struct rtnic *nic, unsigned int count);
unsigned int rtnic_rdma_qp_count(const struct rtnic *nic);
struct kobject *rtnic_rdma_kobj(struct rtnic *nic);

#endif
