/* SPDX-License-Identifier: BSD-2-Clause */
/* live.h - the parts of the live back end, for one another. */
#ifndef RT_KERN_LIVE_H
#define RT_KERN_LIVE_H

#include "kern/files.h"
#include "kern/kern.h"
#include "kern/netlink.h"
#include "kern/replies.h"

struct ethtool_gstrings;
struct ethtool_stats;

struct rt_live {
	struct rt_kern kern; /* first */
	struct rt_root root;
	struct rt_nl route, generic, rdma;
	uint16_t ethtool_id, devlink_id;      /* generic families; 0: not asked yet */
	int ioctl_fd;                         /* -1: not open */
	struct ethtool_gstrings *stats_names; /* owned, for reading statistics */
	struct ethtool_stats *stats_values;   /* owned */
	size_t stats_room;                    /* how many fit into both */
	struct rt_rdma_devices devices;       /* as rdma_ports() saw them last */
	struct rt_qdiscs qdiscs;              /* as the kernel dumped them last */
	int64_t qdiscs_ns; /* CLOCK_MONOTONIC, when that was; 0: never */
};

static inline struct rt_live *rt_live_of(struct rt_kern *kern)
{
	return (struct rt_live *)kern;
}

/* "eth0: cannot DOING": what a request is called in errors. */
#define RT_DOING_BYTES 128
const char *rt_doing(char buf[RT_DOING_BYTES], const char *name, const char *doing);

/* -ENODEV when no network device can have the name. */
int rt_ifname_check(const char *netdev, struct rt_err *err);

/* The slots of struct rt_kern_ops, by file. */

/* rtlink.c */
int rt_live_links(struct rt_kern *kern, struct rt_links *ret_links, struct rt_err *err);

/* dcbnl.c */
int rt_live_dcb_get(struct rt_kern *kern, const char *netdev, struct rt_dcb *ret_dcb,
		    struct rt_err *err);
int rt_live_dcb_set(struct rt_kern *kern, const char *netdev,
		    const struct rt_dcb_set *set, struct rt_err *err);
int rt_live_dcb_app_add(struct rt_kern *kern, const char *netdev,
			const struct rt_dcb_app *app, struct rt_err *err);
int rt_live_dcb_app_delete(struct rt_kern *kern, const char *netdev,
			   const struct rt_dcb_app *app, struct rt_err *err);
int rt_live_dcbx_set(struct rt_kern *kern, const char *netdev, uint8_t mode,
		     struct rt_err *err);

/* ethtool.c */
int rt_live_speed_get(struct rt_kern *kern, const char *netdev,
		      struct rt_opt_u64 *ret_bps, struct rt_err *err);
int rt_live_pause_get(struct rt_kern *kern, const char *netdev,
		      struct rt_link_pause *ret_pause, struct rt_err *err);
int rt_live_pause_set(struct rt_kern *kern, const char *netdev,
		      const struct rt_link_pause *pause, struct rt_err *err);
int rt_live_priv_flags_get(struct rt_kern *kern, const char *netdev,
			   struct rt_priv_flags *ret_flags, struct rt_err *err);
int rt_live_priv_flag_set(struct rt_kern *kern, const char *netdev, const char *flag,
			  bool on, struct rt_err *err);

/*
 * A request about netdev, with the number of its header's attribute and ETHTOOL_FLAG_
 * bits; -EOPNOTSUPP: a kernel before 5.6.  And asking it, which takes msg.
 */
struct nl_msg;
int rt_live_ethtool_request(struct rt_live *live, uint8_t command, int header,
			    const char *netdev, uint32_t flags, struct nl_msg **ret_msg,
			    struct rt_err *err);
int rt_live_ethtool_ask(struct rt_live *live, const char *netdev, const char *doing,
			struct nl_msg *msg,
			int (*take)(void *, const void *, size_t, struct rt_err *),
			void *context, struct rt_err *err);

/* ethtool_standard.c */
int rt_live_standard_stats(struct rt_kern *kern, const char *netdev,
			   struct rt_stats *ret_stats, struct rt_err *err);

/* ioctl.c: of ethtool, what netlink does not have */
int rt_live_ethtool_info(struct rt_kern *kern, const char *netdev,
			 struct rt_ethtool_info *ret_info, struct rt_err *err);
int rt_live_storm_get(struct rt_kern *kern, const char *netdev, uint16_t *ret_ms,
		      struct rt_err *err);
int rt_live_storm_set(struct rt_kern *kern, const char *netdev, uint16_t ms,
		      struct rt_err *err);

int rt_live_ethtool_stats(struct rt_kern *kern, const char *netdev,
			  struct rt_stats *ret_stats, struct rt_err *err);

/* rdma.c */
int rt_live_rdma_ports(struct rt_kern *kern, struct rt_rdma_ports *ret_ports,
		       struct rt_err *err);
int rt_live_rdma_use(struct rt_kern *kern, const char *ibdev,
		     struct rt_rdma_use *ret_use, struct rt_err *err);
/* The number of an RDMA device, asked for when it is not known; -ENODEV. */
int rt_live_rdma_index(struct rt_live *live, const char *ibdev, uint32_t *ret_index,
		       struct rt_err *err);

/* rdma_stats.c */
int rt_live_rdma_stats(struct rt_kern *kern, const char *ibdev, unsigned port,
		       struct rt_stats *ret_stats, struct rt_err *err);

/* qdisc.c */
int rt_live_qdisc_stats(struct rt_kern *kern, const char *netdev,
			struct rt_stats *ret_stats, struct rt_err *err);

/* rdma_homes.c */
int rt_live_rdma_homes(struct rt_kern *kern, struct rt_rdma_homes *ret_homes,
		       struct rt_err *err);

/* devlink.c */
int rt_live_eswitch_mode(struct rt_kern *kern, const char *pci, char *buf,
			 size_t capacity, struct rt_err *err);

#endif
