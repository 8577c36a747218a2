/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kern.h - the seam to the kernel: everything rocetune asks a host, and
 * everything it changes on one, goes through here.
 *
 * Back ends: the live kernel (netlink, ioctl, files), an image (a folder or a
 * bundle that a snapshot wrote: read only), and a fake (an image in memory that
 * takes writes, has drivers' quirks, and fails when told to).  Values are plain
 * and in rocetune's units; framing, int8 errors and file formats end here.
 *
 * A caller that wants to know whether a write took effect reads back: kernel
 * and drivers say "done" to what they skipped (net/dcb/dcbnl.c dcbnl_ieee_set()).
 */
#ifndef RT_KERN_KERN_H
#define RT_KERN_KERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rocetune/field.h"

struct rt_err;
struct rt_kern;

#define RT_IFNAME_BYTES 16
#define RT_IBNAME_BYTES 64

/* --- network links (rtnetlink) ---------------------------------------------- */

struct rt_link {
	char name[RT_IFNAME_BYTES];
	unsigned ifindex;
	unsigned master_ifindex; /* 0: none */
	uint8_t mac[6];
	char kind[RT_IFNAME_BYTES]; /* "bond", "vlan"; "": hardware */
	uint32_t mtu_bytes;
	bool is_up;   /* IFF_UP */
	bool carrier; /* IFF_LOWER_UP */
	uint32_t carrier_changes;
	bool carrier_changes_known;
};

struct rt_links {
	struct rt_link *items; /* owned */
	size_t count, capacity;
};
void rt_links_free(struct rt_links *links);

/* --- DCB (IEEE 802.1Qaz and Qbb over dcbnl) ----------------------------------- */

enum rt_dcb_has {
	RT_DCB_ETS = 1 << 0,
	RT_DCB_PFC = 1 << 1,
	RT_DCB_MAXRATE = 1 << 2,
	RT_DCB_BUFFER = 1 << 3,
	RT_DCB_APP = 1 << 4,
	RT_DCB_DCBX = 1 << 5,
	RT_DCB_PEER_ETS = 1 << 6,
	RT_DCB_PEER_PFC = 1 << 7,
	RT_DCB_PEER_APP = 1 << 8,
	RT_DCB_TRUST = 1 << 9, /* the generic APP trust table */
};

/* DCBX mode bits, linux/dcbnl.h. */
#define RT_DCBX_MODE_HOST   0x01
#define RT_DCBX_MODE_LLD    0x02 /* firmware or driver owns it */
#define RT_DCBX_MODE_CEE    0x04
#define RT_DCBX_MODE_IEEE   0x08
#define RT_DCBX_MODE_STATIC 0x10

/* Selectors of APP entries, linux/dcbnl.h. */
#define RT_APP_ETHERTYPE 1
#define RT_APP_STREAM    2
#define RT_APP_DGRAM     3
#define RT_APP_ANY       4
#define RT_APP_DSCP      5
#define RT_APP_PCP       255

struct rt_dcb_ets {
	uint8_t willing, cap, cbs;
	uint8_t bw[8];      /* percent a traffic class, to the wire */
	uint8_t rx_bw[8];   /* from it: few drivers; written back as it was read */
	uint8_t tsa[8];     /* 0 strict, 1 credit based, 2 ETS, 255 vendor */
	uint8_t prio_tc[8]; /* by priority */
	uint8_t reco_bw[8], reco_tsa[8], reco_prio_tc[8];
};

struct rt_dcb_pfc {
	uint8_t cap;  /* how many priorities can be lossless */
	uint8_t mask; /* bit n: priority n */
	uint8_t mbc;
	uint16_t delay;          /* unit depends on the driver; mlx5: metres */
	uint64_t requests[8];    /* pause frames sent */
	uint64_t indications[8]; /* pause frames received */
};

struct rt_dcb_buffer {
	uint8_t prio_buffer[8];
	uint32_t size_bytes[8];
	uint32_t total_bytes;
};

struct rt_dcb_app {
	uint8_t selector, priority;
	uint16_t protocol; /* DSCP, port, EtherType */
};

#define RT_DCB_APP_MAX 256 /* more are refused by the readers */

struct rt_dcb_apps {
	struct rt_dcb_app items[RT_DCB_APP_MAX];
	size_t count;
};

/* Everything an IEEE_GET tells; has (enum rt_dcb_has) says which parts hold. */
struct rt_dcb {
	unsigned has;
	struct rt_dcb_ets ets, peer_ets;
	struct rt_dcb_pfc pfc, peer_pfc;
	uint64_t maxrate_bps[8]; /* 0: no limit */
	struct rt_dcb_buffer buffer;
	struct rt_dcb_apps app, peer_app;
	uint8_t dcbx; /* RT_DCBX_MODE_ bits */
	uint8_t trust[8];
	uint8_t trust_count;
};

/*
 * What one IEEE_SET carries; parts that has names.  The kernel takes them in the
 * order ETS, MAXRATE, PFC, BUFFER, APP and stops at the first that is refused.
 */
struct rt_dcb_set {
	unsigned has;
	struct rt_dcb_ets ets;
	struct rt_dcb_pfc pfc; /* mask, mbc, delay */
	uint64_t maxrate_bps[8];
	struct rt_dcb_buffer buffer;
};

/* --- ethtool -------------------------------------------------------------------- */

struct rt_ethtool_info {
	char driver[32], version[32], firmware[48], bus[32];
};

struct rt_link_pause {
	bool autoneg, rx, tx;
};

/* Private flags: a few dozen names at most. */
#define RT_PRIV_FLAG_MAX 64
struct rt_priv_flags {
	char name[RT_PRIV_FLAG_MAX][32];
	uint64_t value; /* bit by index */
	size_t count;
};

/* --- RDMA (rdma netlink) --------------------------------------------------------- */

struct rt_rdma_port {
	char ibdev[RT_IBNAME_BYTES];
	unsigned dev_index, port;
	char netdev[RT_IFNAME_BYTES]; /* "": none, or not told */
	unsigned ifindex;
	char firmware[48];
	char protocol[16];  /* "roce", "ib", "iw", "opa", "usnic"; "": not told */
	uint8_t state;      /* IB port state: 1 down, 2 init, 3 armed, 4 active */
	uint8_t phys_state; /* 5 link up, 3 disabled, 2 polling; 0: not told */
	uint64_t node_guid;
};

struct rt_rdma_ports {
	struct rt_rdma_port *items; /* owned */
	size_t count, capacity;
};
void rt_rdma_ports_free(struct rt_rdma_ports *ports);

/*
 * An RDMA device that is another network namespace's: not seen from this one
 * (ip-netns(8), rdma-system(8) on "netns exclusive").
 */
#define RT_NETNS_NAME_BYTES 64
struct rt_rdma_home {
	char ibdev[RT_IBNAME_BYTES];
	char netdev[RT_IFNAME_BYTES];         /* its first one there; "": none there */
	char pci[16];                         /* "": not told */
	uint64_t netns;                       /* "net:[4026532201]" */
	char netns_name[RT_NETNS_NAME_BYTES]; /* of ip-netns(8); "": none */
	uint32_t pid;                         /* a process in it; 0: none was found */
};

struct rt_rdma_homes {
	struct rt_rdma_home *items; /* owned */
	size_t count, capacity;
	bool exclusive; /* each device is seen in its namespace alone; else in all */
	bool partial;   /* not every namespace could be asked */
};
void rt_rdma_homes_free(struct rt_rdma_homes *homes);

/* QPs of one device, those of the kernel's own management (types SMI, GSI) left out. */
struct rt_rdma_use {
	uint32_t qps;       /* user and kernel QPs of all states */
	uint32_t connected; /* in RTR or RTS */
	char who[128]; /* names of the processes, ", " between; "[ksmbd]": kernel */
};

/* --- statistics ------------------------------------------------------------------- */

#define RT_STAT_NAME_BYTES 64

/*
 * Names with values, in the order in which they came.  Filled again and again: where
 * the same names come in the same order only values are written, and layout stays.
 */
struct rt_stats {
	uint64_t *values; /* owned */
	size_t count, capacity;
	char *names;      /* owned: one behind the other, each with its 0 */
	uint32_t *starts; /* owned: in names; one more is where the last one ends */
	size_t named;     /* how many there are */
	size_t names_capacity, starts_capacity;
	uint32_t *sorted; /* owned: places by name */
	size_t sorted_count, sorted_capacity;
	bool changed;    /* since they were sorted */
	uint64_t layout; /* another number when names or their order are others */
	uint64_t filled; /* another number when values may be others */
	char *text;      /* owned: that they are of; text_bytes 0: not of a text */
	size_t text_bytes, text_capacity;
};
#define RT_STATS_MAX 65536u /* more are refused */

void rt_stats_free(struct rt_stats *stats);

/* Without the blanks at its ends; place < count. */
static inline const char *rt_stats_name(const struct rt_stats *stats, size_t place)
{
	return &stats->names[stats->starts[place]];
}

/* The value of the first of this name, in values; NULL: none. */
const uint64_t *rt_stats_find(const struct rt_stats *stats, const char *name);

/* --- files ------------------------------------------------------------------------ */

/* Names in a folder, sorted; "." and ".." left out. */
struct rt_names {
	char **items; /* owned */
	size_t count, capacity;
};
void rt_names_free(struct rt_names *names);

/* --- the operations --------------------------------------------------------------- */

/*
 * Paths are absolute as on the host ("/sys/class/net/eth0/mtu").  All return 0 or
 * a negative errno: -ENODEV no such device, -EOPNOTSUPP the driver or the kernel
 * lacks it, -EPERM, -EROFS for every write to an image, -ENOENT not in the image,
 * -EPROTO an answer that makes no sense.  What the driver refused is its own errno.
 */
struct rt_kern_ops {
	const char *name; /* "live", "image", "fake" */
	bool writable;

	int (*links)(struct rt_kern *kern, struct rt_links *ret_links,
		     struct rt_err *err);
	/* Up to capacity - 1 bytes and a 0; *ret_bytes without it.  -EFBIG: more. */
	int (*file_read)(struct rt_kern *kern, const char *path, char *buf,
			 size_t capacity, size_t *ret_bytes, struct rt_err *err);
	/*
	 * A file to be read again and again from its beginning (pread(2)): its
	 * descriptor, which the caller closes.  NULL: see rt_kern_file_open().
	 */
	int (*file_open)(struct rt_kern *kern, const char *path, struct rt_err *err);
	/* One write(2), as sysfs wants it. */
	int (*file_write)(struct rt_kern *kern, const char *path, const char *text,
			  struct rt_err *err);
	int (*folder_read)(struct rt_kern *kern, const char *path,
			   struct rt_names *ret_names, struct rt_err *err);
	/* Where a symbolic link points, as written. */
	int (*symlink_read)(struct rt_kern *kern, const char *path, char *buf,
			    size_t capacity, struct rt_err *err);
	/* configfs: a folder is a kernel object. */
	int (*folder_make)(struct rt_kern *kern, const char *path, struct rt_err *err);
	int (*folder_remove)(struct rt_kern *kern, const char *path,
			     struct rt_err *err);
	/* 0 when path exists and the process may open it so; never opens it. */
	int (*access)(struct rt_kern *kern, const char *path, bool for_writing);

	int (*dcb_get)(struct rt_kern *kern, const char *netdev, struct rt_dcb *ret_dcb,
		       struct rt_err *err);
	/* Positive: the driver answered so (ice: 1, 2 mean "hardware changed"). */
	int (*dcb_set)(struct rt_kern *kern, const char *netdev,
		       const struct rt_dcb_set *set, struct rt_err *err);
	int (*dcb_app_add)(struct rt_kern *kern, const char *netdev,
			   const struct rt_dcb_app *app, struct rt_err *err);
	int (*dcb_app_delete)(struct rt_kern *kern, const char *netdev,
			      const struct rt_dcb_app *app, struct rt_err *err);
	/* -ECANCELED: the driver refused the mode (SDCBX answered 1). */
	int (*dcbx_set)(struct rt_kern *kern, const char *netdev, uint8_t mode,
			struct rt_err *err);

	int (*ethtool_info)(struct rt_kern *kern, const char *netdev,
			    struct rt_ethtool_info *ret_info, struct rt_err *err);
	/* Unknown (no carrier, not told) is not known, and 0 is returned. */
	int (*speed_get)(struct rt_kern *kern, const char *netdev,
			 struct rt_opt_u64 *ret_bps, struct rt_err *err);
	int (*pause_get)(struct rt_kern *kern, const char *netdev,
			 struct rt_link_pause *ret_pause, struct rt_err *err);
	int (*pause_set)(struct rt_kern *kern, const char *netdev,
			 const struct rt_link_pause *pause, struct rt_err *err);
	/* ETHTOOL_PFC_PREVENTION_TOUT, in ms: 0 off, 65535 automatic. */
	int (*storm_get)(struct rt_kern *kern, const char *netdev, uint16_t *ret_ms,
			 struct rt_err *err);
	int (*storm_set)(struct rt_kern *kern, const char *netdev, uint16_t ms,
			 struct rt_err *err);
	int (*priv_flags_get)(struct rt_kern *kern, const char *netdev,
			      struct rt_priv_flags *ret_flags, struct rt_err *err);
	int (*priv_flag_set)(struct rt_kern *kern, const char *netdev, const char *flag,
			     bool on, struct rt_err *err);

	int (*rdma_ports)(struct rt_kern *kern, struct rt_rdma_ports *ret_ports,
			  struct rt_err *err);
	int (*rdma_use)(struct rt_kern *kern, const char *ibdev,
			struct rt_rdma_use *ret_use, struct rt_err *err);
	/*
	 * What `ethtool -S` shows, the driver's own names; those that mean the same for
	 * all drivers (`ethtool -S --all-groups`, and of pauses and FEC), under the
	 * kernel's names with their group before them: "eth-mac-FramesReceivedOK",
	 * "pause-rx_pause_frames", "fec-corrected_blocks"; and the counters of an RDMA
	 * port by rdma netlink (STAT_GET), without those that are switched off.  The
	 * room of *ret_stats is used again, and it is empty after an error.
	 * -EOPNOTSUPP: the driver has none.  -EAGAIN: they do not hold still.
	 */
	int (*ethtool_stats)(struct rt_kern *kern, const char *netdev,
			     struct rt_stats *ret_stats, struct rt_err *err);
	int (*standard_stats)(struct rt_kern *kern, const char *netdev,
			      struct rt_stats *ret_stats, struct rt_err *err);
	int (*rdma_stats)(struct rt_kern *kern, const char *ibdev, unsigned port,
			  struct rt_stats *ret_stats, struct rt_err *err);
	/*
	 * What the queueing disciplines of a device say together (`tc -s qdisc`), each a
	 * number of 32 bits that begins anew: "drops", "requeues" and "overlimits" of the
	 * root, "marked" of all; what none of them tells is not there.  Otherwise as above.
	 */
	int (*qdisc_stats)(struct rt_kern *kern, const char *netdev,
			   struct rt_stats *ret_stats, struct rt_err *err);
	/* devlink: "legacy" or "switchdev" of a PCI address.  -EOPNOTSUPP: none. */
	int (*eswitch_mode)(struct rt_kern *kern, const char *pci, char *buf,
			    size_t capacity, struct rt_err *err);

	/* NULL: see rt_kern_rdma_homes(). */
	int (*rdma_homes)(struct rt_kern *kern, struct rt_rdma_homes *ret_homes,
			  struct rt_err *err);

	/* Whether more is known of the RDMA port than that it is there; NULL: yes. */
	bool (*holds)(struct rt_kern *kern, const char *ibdev, unsigned port);

	void (*close)(struct rt_kern *kern); /* takes it */
};

/* Every back end begins with it. */
struct rt_kern {
	const struct rt_kern_ops *ops;
};

/* --- opening ---------------------------------------------------------------------- */

/* This host.  Sockets are opened at their first use. */
int rt_kern_open_live(struct rt_kern **ret_kern, struct rt_err *err);

/*
 * A folder that looks like a host's root, with its recorded answers in
 * rocetune/answers.json (kern/image.h); what is in neither is -ENOENT or
 * -EOPNOTSUPP.  Nothing outside the folder is ever opened, whatever links say.
 */
int rt_kern_open_folder(const char *folder, struct rt_kern **ret_kern,
			struct rt_err *err);

/* False: this is a bundle of other RDMA ports of the host. */
bool rt_kern_holds(struct rt_kern *kern, const char *ibdev, unsigned port);

/*
 * A file held open, a descriptor that the caller closes; else as file_read, and
 * -EOPNOTSUPP: of this back end files are read each time (bundles, fakes).
 */
int rt_kern_file_open(struct rt_kern *kern, const char *path, struct rt_err *err);

/*
 * RDMA devices of the host's other network namespaces, of which at most 256 are asked,
 * in two seconds; none where devices are shared by all.  Nothing is changed: a thread
 * of its own enters them.  -EPERM: devices are not shared, and to ask takes root
 * (CAP_SYS_ADMIN).  -EOPNOTSUPP: this back end is no running host.
 */
int rt_kern_rdma_homes(struct rt_kern *kern, struct rt_rdma_homes *ret_homes,
		       struct rt_err *err);

/* NULL is fine. */
void rt_kern_close(struct rt_kern *kern);
void rt_auto_kern_close(struct rt_kern **kern);

/* --- small reads that everybody needs --------------------------------------------- */

/* A file's first line without the line end; -ENOENT and the like as file_read. */
int rt_kern_line(struct rt_kern *kern, const char *path, char *buf, size_t capacity,
		 struct rt_err *err);

/* A number, decimal or 0x; text behind it ("4096 bytes") is -EPROTO. */
int rt_kern_number(struct rt_kern *kern, const char *path, uint64_t *ret_number,
		   struct rt_err *err);

#endif
