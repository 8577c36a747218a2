/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * steps.h - a simulation that is looked at while it runs: what its ports have counted
 * so far, step by step of simulated time.
 */
#ifndef RT_FABRIC_STEPS_H
#define RT_FABRIC_STEPS_H

#include <stdbool.h>
#include <stdint.h>

#include "rocetune/frame.h"

struct rt_err;
struct rt_fabric_config;
struct rt_fabric_steps;
struct rt_scenario;

/*
 * The scenario (borrowed) before its first event.  Errors as rt_fabric_run(), of which
 * the results are the same.
 */
int rt_fabric_steps_open(const struct rt_scenario *scenario,
			 const struct rt_fabric_config *config,
			 struct rt_fabric_steps **ret_steps, struct rt_err *err);
void rt_fabric_steps_close(struct rt_fabric_steps *steps); /* NULL is fine */

/*
 * Go on until until_ps of simulated time.  *ret_now_ps: where it is, less when the run
 * is over then.  -ENODATA: it was over before.  -ENOMEM.
 */
int rt_fabric_step(struct rt_fabric_steps *steps, uint64_t until_ps,
		   uint64_t *ret_now_ps, struct rt_err *err);

/* Of one port and priority, so far; rx: towards the port's own end. */
struct rt_fabric_prio_look {
	uint64_t rx_frames, rx_bytes, tx_frames, tx_bytes; /* FCS included, no pauses */
	uint64_t pause_rx, pause_tx;                       /* frames */
	uint64_t paused_ns, pausing_ns;
	uint64_t drops; /* switch: frames that came in here and found no room */
};

/* rx is what the peer has sent: frames on the cable are in it. */
struct rt_fabric_look {
	char name[32], peer[32];
	bool is_nic;
	uint32_t host; /* of a NIC: its number */
	uint64_t speed_bps;
	uint64_t marked; /* switch: frames that got a mark here */
	/* NIC, of all flows that it sends or receives. */
	uint64_t ce_rx, cnp_tx, cnp_rx, naks_rx, timeouts, failed;
	struct rt_fabric_prio_look prios[RT_PRIO_COUNT];
};

uint32_t rt_fabric_steps_ports(const struct rt_fabric_steps *steps);
/* port is less than there are; NICs come first. */
void rt_fabric_steps_look(const struct rt_fabric_steps *steps, uint32_t port,
			  struct rt_fabric_look *ret_look);

#endif
