/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lab.h - the journeys of the fabric in one box: up, look, a command on a host, down;
 * and all of it round one run of traffic (run/lab_run.h).
 */
#ifndef RT_RUN_LAB_H
#define RT_RUN_LAB_H

#include <stdbool.h>
#include <stdint.h>

#include "lab/lab_state.h"
#include "rocetune/field.h"
#include "run/outcome.h"

struct rt_err;

#define RT_LAB_DEFAULT_NAME     "lab"
#define RT_LAB_DEFAULT_HOSTS    4u
#define RT_LAB_DEFAULT_RATE_BPS UINT64_C(200000000)

/* What the user asked for; what is unknown or NULL is the scenario's, or a default. */
struct rt_lab_request {
	const char *name;
	const char *scenario;       /* file; NULL: the numbers below */
	struct rt_opt_u64 hosts;    /* of a star; of each leaf */
	struct rt_opt_u64 topology; /* enum rt_topology_id */
	struct rt_opt_u64 leaves, spines;
	struct rt_opt_u64 rate_bps;
	const char *profile;
	const char *faults; /* run/lab_fault.h; NULL: none */
	struct rt_opt_u64 seed;
};

/* A port of the switches. */
struct rt_lab_port {
	char name[32], peer[32];
	uint64_t speed_bps;
	uint64_t rx_frames, rx_bytes, tx_frames, tx_bytes; /* of all priorities */
	uint64_t drops, filtered;
	/* Not the fabric's: the lab was too slow. */
	uint64_t ring_drops, late_max_ns, late_sum_ns;
};

/* Of one port and priority at which something happened. */
struct rt_lab_queue {
	char port[32];
	uint8_t prio;
	uint64_t rx_frames, rx_bytes, tx_frames, tx_bytes, tx_ce, drops;
	uint64_t rx_xoff, rx_xon, rx_paused_ns; /* paused by peer */
	uint64_t tx_xoff, tx_xon, tx_paused_ns; /* pausing peer */
	uint64_t queue_bytes, queue_max_bytes, headroom_max_bytes;
};

/* Kind "lab": what `lab show` shows. */
struct rt_lab_picture {
	struct rt_lab_state state;
	char note[160];            /* what was found and removed on the way; "" */
	uint64_t counted_ns;       /* CLOCK_MONOTONIC of the counters */
	struct rt_lab_port *ports; /* owned, as the next */
	size_t port_count;
	struct rt_lab_queue *queues;
	size_t queue_count;
};
extern const struct rt_table rt_lab_picture_table, rt_lab_port_table,
	rt_lab_queue_table;

/* Kind "lab_down". */
struct rt_lab_ended {
	char name[RT_LAB_NAME_BYTES];
	struct rt_opt_u64 pid; /* unknown: it was dead before */
	char how[160];
};
extern const struct rt_table rt_lab_ended_table;

/* Kind "lab_list". */
struct rt_lab_row {
	char name[RT_LAB_NAME_BYTES];
	char state[200]; /* "up", or what is wrong */
	struct rt_opt_u64 pid, hosts, rate_bps;
	char topology[24];
};
extern const struct rt_table rt_lab_list_table;

/*
 * Make a lab that lives on its own.  Outcome: its picture.
 * -EEXIST: one of that name is up.  -EDOM: the numbers are out of bounds.  -EPERM: not
 * allowed here, the text has the remedy.  Also what reading scenario and profile said.
 */
int rt_run_lab_up(const struct rt_lab_request *request, struct rt_outcome *ret_outcome,
		  struct rt_err *err);

/* -ENOENT: no such lab.  -ESRCH: it is dead. */
int rt_run_lab_show(const char *name, struct rt_outcome *ret_outcome,
		    struct rt_err *err);
int rt_run_lab_list(struct rt_outcome *ret_outcome, struct rt_err *err);

/* End it, or remove what a dead one left.  -ENOENT: there is neither. */
int rt_run_lab_down(const char *name, struct rt_outcome *ret_outcome,
		    struct rt_err *err);

/*
 * Run argv on a host and wait: its exit status, 128 + n when signal n ended it, 127
 * when there is no such program, 126 when it cannot be run, as shells have it.  It ends
 * with the lab.
 */
int rt_run_lab_exec(const char *name, const char *host, char *const *argv,
		    int *ret_status, struct rt_err *err);

#endif
