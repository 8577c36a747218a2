/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * device.h - the RDMA ports of a host: what each is, who drives it, whether it
 * can be tuned here, and if not, why.
 *
 * Everything comes through struct rt_kern; nothing here writes.
 */
#ifndef RT_HOST_DEVICE_H
#define RT_HOST_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "kern/kern.h"
#include "model/qos.h"
#include "rocetune/field.h"

struct rt_driver;
struct rt_err;

enum rt_link_layer {
	RT_LAYER_UNKNOWN,
	RT_LAYER_ETHERNET,
	RT_LAYER_INFINIBAND,
};
extern const struct rt_name rt_link_layer_names[];

enum rt_function {
	RT_FUNCTION_UNKNOWN,
	RT_FUNCTION_PF,
	RT_FUNCTION_VF,
	RT_FUNCTION_SF,
	RT_FUNCTION_SOFT, /* no PCI device: rxe, siw */
};
extern const struct rt_name rt_function_names[];

enum rt_gid_type {
	RT_GID_IB,
	RT_GID_ROCE_V1,
	RT_GID_ROCE_V2,
};
extern const struct rt_name rt_gid_type_names[];

struct rt_gid {
	uint32_t index;
	unsigned type; /* enum rt_gid_type */
	struct rt_ip address;
	char netdev[RT_IFNAME_BYTES]; /* "": not told */
};

/* What of a group of knobs works here, and by which interfaces; "": not at all. */
#define RT_INTERFACES_BYTES 40
struct rt_group_access {
	unsigned group; /* enum rt_knob_group */
	char read[RT_INTERFACES_BYTES], write[RT_INTERFACES_BYTES]; /* ", " between */
	char why[RT_KNOB_WHY_BYTES];                                /* why not */
};

struct rt_device {
	char ibdev[RT_IBNAME_BYTES];
	uint32_t port;
	char netdev[RT_IFNAME_BYTES]; /* "": none */
	uint32_t ifindex;
	uint8_t mac[6];
	char bond[RT_IFNAME_BYTES]; /* "": none; the port's netdev may be the bond */
	char slaves[160];           /* of the bond, ", " between */
	char kernel_driver[32];     /* of the netdev or PCI device: "mlx5_core" */
	const struct rt_driver *driver; /* our row; NULL: none knows it */
	const char *driver_name;        /* of that row */
	char firmware[48], chip[64];
	unsigned link_layer; /* enum rt_link_layer */
	char state[16];      /* "active", "down", ... */
	bool carrier;
	struct rt_opt_u64 speed_bps;
	struct rt_opt_u64 mtu_bytes, roce_mtu_bytes;
	char pci[16];                            /* "0000:3b:00.0"; "": none */
	char pcie_speed[24], pcie_max_speed[24]; /* as the kernel writes it */
	struct rt_opt_u64 pcie_width, pcie_max_width;
	struct rt_opt_u64 numa;
	unsigned function;                /* enum rt_function */
	char eswitch[16];                 /* "legacy", "switchdev", "": not told */
	struct rt_opt_u64 qps, connected; /* in use; see struct rt_rdma_use */
	char users[128];
	struct rt_gid *gids; /* owned; zero GIDs left out */
	size_t gid_count;
	struct rt_group_access groups[RT_GROUP_COUNT]; /* by enum rt_knob_group */
	bool is_foreign;     /* a slave of an RDMA bond that is of another NIC */
	char untunable[200]; /* why nothing can be tuned here; "": it can */
};

struct rt_devices {
	struct rt_device *items; /* owned */
	size_t count, capacity;
};

extern const struct rt_table rt_device_table;

/* How much rt_devices_read() finds out. */
enum rt_device_detail {
	RT_DEVICE_GIDS = 1,
	RT_DEVICE_USE = 2,    /* connections */
	RT_DEVICE_GROUPS = 4, /* probes the knobs, group by group */
};

/*
 * All RDMA ports of the host, in the order of rdma netlink.  A port of which
 * something cannot be read is listed with what can.  No RDMA at all is an empty
 * list; -EOPNOTSUPP (this kernel has no RDMA) too, with *err filled.
 */
int rt_devices_read(struct rt_kern *kern, unsigned detail,
		    struct rt_devices *ret_devices, struct rt_err *err);
void rt_devices_free(struct rt_devices *devices);

/* Find out more about one of them, which was read without it.  -ENOMEM. */
int rt_device_read_detail(struct rt_kern *kern, unsigned detail,
			  struct rt_device *device, struct rt_err *err);

/*
 * The device a user named: RDMA device ("mlx5_0", "mlx5_0/1"), netdev, or PCI
 * address ("0000:3b:00.0", "0000:3b:00.0/1").  NULL, and *err says what there is:
 * -ENODEV none, -EINVAL several ports.
 */
struct rt_device *rt_device_find(struct rt_devices *devices, const char *name,
				 struct rt_err *err);

/*
 * The port as its knobs are read: the same, but where its network device is a bond,
 * with the bond's first slave, for links' knobs are the slaves' own.  Borrows what
 * device owns.
 */
void rt_device_enter_bond(const struct rt_device *device, struct rt_device *ret_at);

/*
 * What a PCIe link of this speed, as the kernel writes it ("16.0 GT/s PCIe"), and of this
 * many lanes carries in one direction after encoding: 8b/10b to 5 GT/s, 128b/130b to 32,
 * from 64 on none (PCI Express Base Specification 6.0, 4.2).  Unknown: no such speed.
 */
struct rt_opt_u64 rt_pcie_bps(const char *speed, struct rt_opt_u64 lanes);

/* Append a copy, which borrows what device owns.  -ENOMEM. */
int rt_devices_add(struct rt_devices *to, const struct rt_device *device);

/*
 * Append to *to the port's links, each as a port of its own with the knobs that are the
 * link's: the port itself unless its network device is a bond, and the slaves of its
 * bond that no RDMA port of devices stands for.  They borrow what device owns, so only
 * to->items is to be freed, also when it fails.  -ENOMEM, or what reading links gave.
 */
int rt_device_links(struct rt_kern *kern, const struct rt_devices *devices,
		    const struct rt_device *device, struct rt_devices *to);

#endif
