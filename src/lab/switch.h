/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * switch.h - the soft switch: a shared-buffer switch with RED/ECN, PFC and queues that
 * forwards real frames between interfaces in real time, each port paced to its rate.
 *
 * Who is stored, marked, paused and served first is decided by the same functions of cc
 * as in the simulator, with the clock of the real world.  One thread moves all ports of
 * all switches of a lab; a frame between two switches never leaves the process.
 *
 * Priority by DSCP (prio_of_dscp), RoCE or not; frames without IP have priority 0.
 * Forwarding by destination MAC, learned; unknown and group addresses flood along a
 * tree.  What IEEE 802.1Q reserves for the link (01-80-C2-00-00-0x) is never forwarded.
 * Used from one thread.
 */
#ifndef RT_LAB_SWITCH_H
#define RT_LAB_SWITCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/fabric_config.h"
#include "model/topology.h"
#include "rocetune/field.h"

struct rt_err;

#define RT_LAB_MAX_PORTS 256u

struct rt_lab_switch_config {
	const struct rt_topology *topology; /* borrowed: nodes >= hosts are switches */
	const struct rt_fabric_config
		*laws; /* borrowed; already scaled (lab/scale.h) */
	uint8_t prio_of_dscp[64];
	uint64_t seed;
	/* Interface of each port that faces a host, by port number; else NULL. */
	const char *const *netdevs;
};

/*
 * Of one port and priority; rx: into the switch.  Totals since the start.  What came in
 * is, over all ports of a switch, what went out, was dropped or is queued; a frame that
 * floods counts once where it came in.
 */
struct rt_lab_switch_prio {
	uint64_t rx_frames, rx_bytes, tx_frames, tx_bytes; /* FCS not counted */
	uint64_t tx_ce; /* left with a mark that this switch made */
	/* Lossless: refused where they came in; lossy: where they would have left. */
	uint64_t drops, drop_bytes;
	uint64_t rx_xoff, rx_xon; /* PFC frames from the peer: paused by peer */
	uint64_t tx_xoff, tx_xon; /* to it: pausing peer */
	uint64_t rx_paused_ns;    /* this priority could not send here */
	uint64_t tx_paused_ns;    /* the peer was asked to stop */
	uint64_t queue_bytes, queue_max_bytes;
	uint64_t headroom_max_bytes;
};

struct rt_lab_switch_port {
	char name[32], peer[32]; /* as the topology has them */
	uint64_t speed_bps;
	uint64_t filtered;    /* came in, and are for nobody behind another port */
	uint64_t ring_drops;  /* frames the kernel's ring lost: the lab was too slow */
	uint64_t late_max_ns; /* how late a frame left at worst: the same */
	uint64_t late_sum_ns; /* of all frames that left, pauses among them */
	struct rt_lab_switch_prio prios[RT_PRIO_COUNT];
};

struct rt_lab_switch_counters {
	uint64_t time_ns;                 /* CLOCK_MONOTONIC */
	struct rt_lab_switch_port *ports; /* owned by whoever holds the counters */
	size_t port_count;
};

/* Kind "lab_counters" of results; ports is its list. */
extern const struct rt_table rt_lab_switch_counters_table;

struct rt_lab_switch;

/*
 * The calling thread, which does the work, becomes a real-time one if it may, and its
 * timers exact.  -EINVAL: laws no switch can have, a port without interface, more than
 * RT_LAB_MAX_PORTS ports of switches.  -ENOMEM.  Also what rt_ring_open() says.
 */
int rt_lab_switch_open(const struct rt_lab_switch_config *config,
		       struct rt_lab_switch **ret_switch, struct rt_err *err);
/*
 * Move frames until until_ns (CLOCK_MONOTONIC) or until wake_fd is readable.
 * An interface that goes away is an error.
 */
int rt_lab_switch_work(struct rt_lab_switch *sw, int64_t until_ns, int wake_fd,
		       struct rt_err *err);
/*
 * ports of *counters has room for all of the topology's; the switches' are written, in
 * its order, and counted.
 */
void rt_lab_switch_counters(struct rt_lab_switch *sw,
			    struct rt_lab_switch_counters *counters);
void rt_lab_switch_close(struct rt_lab_switch *sw); /* NULL is fine */

#endif
