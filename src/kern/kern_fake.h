/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kern_fake.h - a host in memory that takes writes, has its drivers' quirks, and
 * fails when told to: the test double of the live back end.
 *
 * What changes lies in memory that processes share: a child that writes and is
 * killed leaves behind what a kernel would have kept.  Processes take turns; nothing
 * here locks.  The tree of folders and links is made before the first fork.
 */
#ifndef RT_KERN_KERN_FAKE_H
#define RT_KERN_KERN_FAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "kern/kern.h"

struct rt_bundle;
struct rt_err;

#define RT_FAKE_PORTS      4u
#define RT_FAKE_LINKS      8u /* beside those of the ports: bonds */
#define RT_FAKE_FILES      512u
#define RT_FAKE_FAULTS     8u
#define RT_FAKE_LOG        512u
#define RT_FAKE_PATH_BYTES 192u
#define RT_FAKE_TEXT_BYTES 96u
#define RT_FAKE_STATS      64u

/* What a driver does that nobody expects; kern/fake_quirks.c has a row for each. */
enum rt_fake_quirk {
	RT_FAKE_PFC_FLAPS = 1 << 0,        /* mlx5 */
	RT_FAKE_BUFFER_AUTO = 1 << 1,      /* mlx5 */
	RT_FAKE_CABLE_RANGE = 1 << 2,      /* mlx5 */
	RT_FAKE_ETS_100 = 1 << 3,          /* mlx5 */
	RT_FAKE_MAXRATE_STEPS = 1 << 4,    /* mlx5 */
	RT_FAKE_DCBX_MLX5 = 1 << 5,        /* mlx5 */
	RT_FAKE_APP_DSCP_ONLY = 1 << 6,    /* mlx5, ice, hns3 */
	RT_FAKE_APP_REPLACES = 1 << 7,     /* mlx5 */
	RT_FAKE_PAUSE_OR_PFC = 1 << 8,     /* mlx4 */
	RT_FAKE_NEEDS_HOST_IEEE = 1 << 9,  /* bnxt */
	RT_FAKE_PFC_NEEDS_ETS = 1 << 10,   /* bnxt */
	RT_FAKE_ZEROS_FIRST = 1 << 11,     /* bnxt */
	RT_FAKE_LOSSLESS_CAP = 1 << 12,    /* bnxt */
	RT_FAKE_DCBX_BNXT = 1 << 13,       /* bnxt */
	RT_FAKE_LLD_LOCKS = 1 << 14,       /* ice */
	RT_FAKE_ICE_CODES = 1 << 15,       /* ice */
	RT_FAKE_NO_REMAP = 1 << 16,        /* ice */
	RT_FAKE_DSCP_RESETS_ETS = 1 << 17, /* ice */
	RT_FAKE_DCBX_ICE = 1 << 18,        /* ice */
	RT_FAKE_FW_AGENT = 1 << 19,        /* ice */
	RT_FAKE_NO_PAUSE_BY_PFC = 1 << 20, /* ice, hns3 */
	RT_FAKE_PFC_ENDS_PAUSE = 1 << 21,  /* hns3 */
	RT_FAKE_NEEDS_IEEE = 1 << 22,      /* hns3 */
	RT_FAKE_DCBX_HNS3 = 1 << 23,       /* hns3 */
	RT_FAKE_PFC_BLIPS = 1 << 24,       /* hns3, bnxt */
	RT_FAKE_SHARE_100 = 1 << 25,       /* mlx5 */
};

struct rt_fake_stat {
	char name[RT_STAT_NAME_BYTES];
	uint64_t value;
};

/* Statistics; code: what asking for them gives instead. */
struct rt_fake_stats {
	struct rt_fake_stat items[RT_FAKE_STATS];
	size_t count;
	int code; /* 0, or a negative errno */
};

/* One port and its netdev.  Tests may set all of it before and between writes. */
struct rt_fake_port {
	uint32_t quirks;  /* enum rt_fake_quirk */
	unsigned setters; /* enum rt_dcb_has: the driver has them; others are skipped */
	struct rt_link link;
	struct rt_rdma_port rdma; /* ibdev "": no RDMA device */
	struct rt_rdma_use use;
	struct rt_ethtool_info info;
	struct rt_opt_u64 speed_bps;
	struct rt_dcb dcb; /* has 0: the driver has no DCB */
	struct rt_link_pause pause;
	struct rt_priv_flags flags;
	uint16_t storm_ms;
	bool has_pause, has_storm, has_flags;
	bool bonded;           /* ice refuses then */
	bool ets_set, pfc_set; /* since the driver was loaded */
	bool buffer_manual;    /* somebody set buffers by hand */
	/* None: -EOPNOTSUPP. */
	struct rt_fake_stats ethtool_stats, standard_stats, rdma_stats, qdisc_stats;
	char eswitch[16]; /* "": no devlink */
	char pci[16];
};

enum rt_fake_file_kind {
	RT_FAKE_TEXT,   /* as it was written, a line */
	RT_FAKE_NUMBER, /* any base in, decimal out, as simple attributes do */
	RT_FAKE_HEX,    /* takes "26" for 0x26, as old bnxt_re releases do */
	RT_FAKE_STAGED, /* a number that counts when "apply" beside it is written */
	RT_FAKE_APPLY,  /* that */
	RT_FAKE_TCLASS, /* OFED's traffic_class: reads as "Global tclass=106" */
	RT_FAKE_DEAF,   /* says it took the value, and did not */
};

struct rt_fake_file {
	char path[RT_FAKE_PATH_BYTES]; /* without links in it */
	enum rt_fake_file_kind kind;
	char text[RT_FAKE_TEXT_BYTES];   /* what reading gives */
	char staged[RT_FAKE_TEXT_BYTES]; /* "": nothing */
	uint64_t max;                    /* of a number; more is -EINVAL; 0: any */
	bool read_only;
	/* In configfs: is there only while the folder was made. */
	char made_with[RT_FAKE_PATH_BYTES];
	bool hidden;
};

enum rt_fake_fault_kind {
	RT_FAKE_FAIL,        /* the write fails with code, and does nothing */
	RT_FAKE_IGNORE,      /* it says that it is done, and is not */
	RT_FAKE_BEND,        /* it says so, and something else is there */
	RT_FAKE_KILL_BEFORE, /* the process is killed before it does anything */
	RT_FAKE_KILL_AFTER,  /* the process is killed when it is done */
};

/* What happens at one write; writes are counted from 1, all of all processes. */
struct rt_fake_fault {
	unsigned at; /* 0: no fault */
	enum rt_fake_fault_kind kind;
	int code;  /* RT_FAKE_FAIL: a negative errno */
	pid_t too; /* RT_FAKE_KILL_...: another process that dies first; 0: none */
};

#define RT_FAKE_HOMES 4u

struct rt_fake {
	struct rt_kern kern;    /* first */
	struct rt_bundle *tree; /* owned; folders, links, names of files */
	struct rt_fake_port ports[RT_FAKE_PORTS];
	size_t port_count;
	struct rt_link links[RT_FAKE_LINKS];
	size_t link_count;
	struct rt_fake_file files[RT_FAKE_FILES];
	size_t file_count;
	/*
	 * RDMA devices of other network namespaces; homes_code: what asking gives
	 * instead.
	 */
	struct rt_rdma_home homes[RT_FAKE_HOMES];
	size_t home_count;
	int homes_code;
	bool homes_partial;
	struct rt_fake_fault faults[RT_FAKE_FAULTS];
	unsigned writes;           /* that were tried */
	unsigned effective;        /* that changed something */
	unsigned flaps, blips;     /* links that went down, traffic that stalled */
	char log[RT_FAKE_LOG][96]; /* of the writes, in order: "eth0 PFC 0x08" */
};

/* All zero but for its ops: no ports, no files.  rt_kern_close(&fake->kern). */
int rt_fake_new(struct rt_fake **ret_fake, struct rt_err *err);

/*
 * Add a port of a personality, as its driver leaves it when it is loaded, with its
 * files: "mlx5", "mlx4", "bnxt", "ice", "hns3", "cxgb4" (without setters), "ionic"
 * (without DCB).  Names: eth0, mlx5_0, 0000:3b:00.0, and so on by the count of ports.
 * NULL: no such personality, or no room.
 */
struct rt_fake_port *rt_fake_add_port(struct rt_fake *fake, const char *personality);

/* Set one, which is added when it is not there; false: no room. */
bool rt_fake_set_stat(struct rt_fake_stats *stats, const char *name, uint64_t value);

/* NULL: none. */
struct rt_fake_port *rt_fake_port_of(struct rt_fake *fake, const char *netdev);

/*
 * Add a file; NULL when there is no room, or something is there.  Links and fixed
 * files go into fake->tree.
 */
struct rt_fake_file *rt_fake_add_file(struct rt_fake *fake, const char *path,
				      enum rt_fake_file_kind kind, const char *text);
/* Through links; NULL: none, or hidden. */
struct rt_fake_file *rt_fake_file_of(struct rt_fake *fake, const char *path);

#endif
