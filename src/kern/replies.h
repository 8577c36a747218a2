/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * replies.h - what the kernel's netlink answers say, as pure functions over their
 * bytes: those behind struct nlmsghdr, 4-byte aligned, from anywhere.
 *
 * All return 0 or -EPROTO (it makes no sense; *err says what); ret_* are written on
 * success only, but lists get their elements one by one.
 */
#ifndef RT_KERN_REPLIES_H
#define RT_KERN_REPLIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kern/kern.h"

struct nl_msg;
struct rt_err;

/* RTM_NEWLINK (linux/if_link.h). */
int rt_link_parse(const void *payload, size_t bytes, struct rt_link *ret_link,
		  struct rt_err *err);

/* The answer to IEEE_GET (linux/dcbnl.h, net/dcb/dcbnl.c dcbnl_ieee_fill()). */
int rt_dcbnl_parse(const void *payload, size_t bytes, struct rt_dcb *ret_dcb,
		   struct rt_err *err);

/* The message of a write, which has the same parts; NULL: out of memory. */
struct nl_msg *rt_dcbnl_set_request(const char *netdev, const struct rt_dcb_set *set);

/*
 * The answer to a write.  command is DCB_CMD_IEEE_SET, _IEEE_DEL: a signed byte, the
 * driver's negative errno or what else it answered; or _SDCBX: 0, or -ECANCELED.
 */
int rt_dcbnl_parse_result(const void *payload, size_t bytes, uint8_t command,
			  int *ret_result, struct rt_err *err);

/* ETHTOOL_MSG_PAUSE_GET_REPLY and its like (linux/ethtool_netlink.h). */
int rt_ethtool_parse_pause(const void *payload, size_t bytes,
			   struct rt_link_pause *ret_pause, struct rt_err *err);
int rt_ethtool_parse_speed(const void *payload, size_t bytes,
			   struct rt_opt_u64 *ret_bps, struct rt_err *err);
/* Names of private flags; their values are in the other answer. */
int rt_ethtool_parse_names(const void *payload, size_t bytes,
			   struct rt_priv_flags *ret_flags, struct rt_err *err);
int rt_ethtool_parse_flags(const void *payload, size_t bytes, uint64_t *ret_value,
			   struct rt_err *err);

/* Statistics in answers to PAUSE_GET, FEC_GET, STATS_GET, added; also -ENOMEM. */
int rt_ethtool_parse_pause_stats(const void *payload, size_t bytes,
				 struct rt_stats *stats, struct rt_err *err);
int rt_ethtool_parse_fec_stats(const void *payload, size_t bytes,
			       struct rt_stats *stats, struct rt_err *err);
int rt_ethtool_parse_group_stats(const void *payload, size_t bytes,
				 struct rt_stats *stats, struct rt_err *err);

/* Questions of which each brings a part of the statistics. */
struct rt_ethtool_asking {
	int (*ask)(void *context, size_t number, struct rt_stats *stats,
		   struct rt_err *err);
	void *context;
	size_t count;
	const char *netdev; /* for messages */
};
/*
 * What the driver, or an older kernel, has none of or fails to say is no error of the
 * others; the first failure is told where nothing was said at all.  -ENODEV, and what
 * may pass (-EBUSY), are of all.
 */
int rt_ethtool_ask_all(const struct rt_ethtool_asking *asking, struct rt_stats *stats,
		       struct rt_err *err);

/* RDMA_NLDEV_CMD_GET, _PORT_GET, _RES_QP_GET (rdma/rdma_netlink.h). */
struct rt_rdma_device {
	char name[RT_IBNAME_BYTES];
	uint32_t index;
	char firmware[48], protocol[16];
	uint64_t node_guid;
};

struct rt_rdma_devices {
	struct rt_rdma_device *items; /* owned */
	size_t count, capacity;
};

int rt_rdma_parse_device(const void *payload, size_t bytes,
			 struct rt_rdma_device *ret_device, struct rt_err *err);
/* Fills what the port's answer tells; device is what is known of its device. */
int rt_rdma_parse_port(const void *payload, size_t bytes,
		       const struct rt_rdma_device *device,
		       struct rt_rdma_port *ret_port, struct rt_err *err);

/* Owners of QPs: names in brackets are the kernel's. */
#define RT_RDMA_OWNERS_MAX 16
struct rt_rdma_owners {
	uint32_t pid[RT_RDMA_OWNERS_MAX]; /* 0: of the kernel, by name */
	char name[RT_RDMA_OWNERS_MAX][RT_IBNAME_BYTES];
	size_t count;
	bool more; /* than fit */
};
/* Adds one answer (of several) to *use and *owners. */
int rt_rdma_parse_qps(const void *payload, size_t bytes, struct rt_rdma_use *use,
		      struct rt_rdma_owners *owners, struct rt_err *err);

/*
 * RDMA_NLDEV_CMD_STAT_GET of a port: adds its counters to *stats.  Also -ENOMEM,
 * -E2BIG.
 */
int rt_rdma_parse_stats(const void *payload, size_t bytes, struct rt_stats *stats,
			struct rt_err *err);

/*
 * RTM_NEWQDISC (linux/rtnetlink.h): one queueing discipline of a device, or of a device
 * what all of them say together.
 */
struct rt_qdisc {
	unsigned ifindex;
	bool root;    /* drops, requeues and overlimits are known */
	bool ingress; /* it is none of what is sent */
	bool marks;   /* marked is known */
	bool taken;   /* of a device: somebody asked since the dump */
	/* The kernel counts in 32 bits (linux/gen_stats.h), and so do sums. */
	uint32_t drops, requeues, overlimits, marked;
};

struct rt_qdiscs {
	struct rt_qdisc *items; /* owned; by device, in the order of the dump */
	size_t count, capacity;
	size_t next; /* where to look first */
};

int rt_qdisc_parse(const void *payload, size_t bytes, struct rt_qdisc *ret_qdisc,
		   struct rt_err *err);
/* Into the sums of its device, if that was the last one, else a new one's; -ENOMEM. */
int rt_qdiscs_add(struct rt_qdiscs *qdiscs, const struct rt_qdisc *qdisc,
		  struct rt_err *err);
/* Names and values of a device, added. */
int rt_qdisc_add_stats(const struct rt_qdisc *device, struct rt_stats *stats);

/*
 * RDMA_NLDEV_CMD_SYS_GET: whether each device is seen in its own network namespace
 * alone.  Kernels before 5.2 do not say, and share.
 */
int rt_rdma_parse_system(const void *payload, size_t bytes, bool *ret_exclusive,
			 struct rt_err *err);

/* DEVLINK_CMD_ESWITCH_GET (linux/devlink.h): "legacy" or "switchdev". */
int rt_devlink_parse_eswitch(const void *payload, size_t bytes, const char **ret_mode,
			     struct rt_err *err);

#endif
