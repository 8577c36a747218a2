/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * choose.h - which device, port and GID an engine works on, and whether the memory it
 * needs may be locked: questions over plain lists, answered without a device.
 *
 * GID tables differ from host to host: index 3 on one is 0 on another and may be
 * missing on a third.  So an address is chosen, never an index, unless the user names
 * one; and never a link-local one, which is index 0 nearly everywhere.
 */
#ifndef RT_TRAFFIC_VERBS_CHOOSE_H
#define RT_TRAFFIC_VERBS_CHOOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rocetune/field.h"

struct rt_err;

enum verbs_gid_kind {
	VERBS_GID_IB,
	VERBS_GID_ROCE_V1,
	VERBS_GID_ROCE_V2,
};

struct verbs_gid {
	uint32_t index;
	unsigned kind; /* enum verbs_gid_kind */
	uint8_t bytes[16];
	uint32_t ifindex;    /* of the interface that has the address; 0: not told */
	uint8_t prefix_bits; /* of that address, in its own family; 0: not known */
};

/* The address that a GID is; of ::ffff:a.b.c.d the IPv4 one. */
struct rt_ip verbs_gid_ip(const uint8_t gid[16]);

struct verbs_port {
	char device[64];
	uint8_t number; /* from 1 */
	bool active, ethernet;
	char state[16];               /* the verbs word for it: "DOWN" */
	const struct verbs_gid *gids; /* borrowed */
	size_t gid_count;
};

/* What is asked for; empty: anything. */
struct verbs_wish {
	char device[64]; /* "mlx5_0", or "mlx5_0/1" with the port */
	char netdev[16];
	uint32_t ifindex; /* of netdev */
	struct rt_ip ip;  /* an address of ours, or one in its subnet */
	struct rt_opt_u64 gid_index;
};

/* Which port, and in *ret_gid which of its gids; why is in words, for the report. */
struct verbs_choice {
	size_t port, gid;
	char why[200];
};

/*
 * -ENODEV: no such device or none on that interface; -EADDRNOTAVAIL: no GID fits;
 * -ENOTUNIQ: several ports fit; -ENETDOWN: the port is not active; -EPROTONOSUPPORT:
 * it is InfiniBand.  The texts say what there is and what to do.
 */
int verbs_choose(const struct verbs_port *ports, size_t count,
		 const struct verbs_wish *wish, struct verbs_choice *ret_choice,
		 struct rt_err *err);

/* Memory that a process may lock, as Linux counts it (drivers/infiniband/core/umem.c). */
struct verbs_lock_room {
	uint64_t limit_bytes;  /* RLIMIT_MEMLOCK; UINT64_MAX: none */
	uint64_t pinned_bytes; /* VmPin: already registered */
	bool exempt;           /* CAP_IPC_LOCK */
};

/* Read VmPin and CapEff of the text of /proc/self/status; missing lines count as 0. */
void verbs_lock_room_read(const char *status, struct verbs_lock_room *room);

/* -ENOMEM: need_bytes more will not go; the text has the remedy. */
int verbs_lock_check(const struct verbs_lock_room *room, uint64_t need_bytes,
		     struct rt_err *err);

/* "IBV_WC_RETRY_EXC_ERR" of a status in a work completion; never NULL. */
const char *verbs_status_name(unsigned status);
/* "IBV_EVENT_PORT_ERR"; never NULL. */
const char *verbs_event_name(unsigned event);

/* The code of a path MTU (IBTA 9.3.3: 256 to 4096, powers of two); 0: it is none. */
unsigned verbs_mtu_code(uint32_t bytes);
uint32_t verbs_mtu_bytes(unsigned code);

/* Of a port, from the codes of its attributes; unknown: codes of no meaning. */
struct rt_opt_u64 verbs_speed_bps(unsigned speed_code, unsigned width_code);

#endif
