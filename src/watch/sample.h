/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sample.h - what a source hands over: the ports it sees, their counters at one
 * moment, and the flows of a window where it captures.
 *
 * A sample is filled again and again in place: ports stay where they are as long as the
 * source lives, also those that go away, so that a number names a port.
 */
#ifndef RT_WATCH_SAMPLE_H
#define RT_WATCH_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/counters.h"
#include "rocetune/field.h"

struct rt_err;

/* Beyond them a source, or a recording, is refused. */
#define RT_WATCH_MAX_PORTS 4096u
#define RT_WATCH_MAX_FLOWS 256u /* the largest of a window; others are counted */

enum rt_watch_role {
	RT_WATCH_NIC,    /* a host's port: rx is towards the host */
	RT_WATCH_SWITCH, /* a switch's port: rx is into the switch */
};
extern const struct rt_name rt_watch_role_names[];

enum rt_watch_state {
	RT_WATCH_STATE_UNKNOWN,
	RT_WATCH_DOWN,
	RT_WATCH_UP,
	RT_WATCH_GONE, /* it was there before */
};
extern const struct rt_name rt_watch_state_names[];

/* What a port is; changes seldom. */
struct rt_watch_port {
	char name[64];   /* as people call it: "mlx5_0/1", "eth0", "s0p3"; unique */
	char netdev[16]; /* "": none, or not told */
	char driver[16]; /* rocetune's name, else the kernel's; "": none */
	char peer[64];   /* the port of this source at the other end; "": not seen */
	unsigned role;   /* enum rt_watch_role */
	unsigned state;  /* enum rt_watch_state */
	struct rt_ip ip;
	struct rt_opt_u64 speed_bps;
	struct rt_opt_u64 mtu_bytes;
	struct rt_opt_u64 lossless;   /* bit n: PFC is on for priority n */
	struct rt_opt_u64 rdma_prios; /* bit n: RDMA traffic is meant to be on n */
	struct rt_opt_u64 cnp_gap_ns; /* least time between CNPs of the NP */
	struct rt_opt_u64
		queue_pairs; /* connected; asked for of ports without a link */
	struct rt_opt_u64 pcie_bps, pcie_max_bps; /* of the slot now; of the device */
	char note[160]; /* what cannot be read here, and why; "" */
};
extern const struct rt_table rt_watch_port_table;

struct rt_watch_input {
	struct rt_watch_port port;
	struct rt_counter_set set; /* owned; empty while the port is gone */
};

/* --- flows: what a capture saw in a window --------------------------------------------- */

struct rt_watch_flow {
	struct rt_ip src, dst;
	uint32_t qp;            /* of the destination */
	struct rt_opt_u64 prio; /* unknown: frames told none */
	uint8_t dscp;
	uint64_t frames, bytes; /* of data: payload */
	uint64_t ce, cnps;      /* CNPs against this flow */
	uint64_t resent_bytes, naks;
};

/* Senders of one receiver: an incast where they are many. */
struct rt_watch_fan {
	struct rt_ip dst;
	uint32_t senders, flows;
	uint64_t bytes, ce;
	struct rt_opt_f64 jain; /* of its senders' rates; unknown: one sender */
};

struct rt_watch_flows {
	bool known;      /* something captures */
	char where[160]; /* not known: why not; "": nothing was asked to capture */
	uint64_t window_ns;
	uint64_t total, frames, dropped; /* flows in all; frames; frames lost */
	uint64_t unfollowed; /* frames of further flows: total is the least there are */
	struct rt_watch_flow *items; /* owned; most bytes first */
	size_t count, capacity;
	struct rt_watch_fan *fans; /* owned; most bytes first */
	size_t fan_count, fan_capacity;
};
extern const struct rt_table rt_watch_flow_table, rt_watch_fan_table,
	rt_watch_flows_table;

/* So much of a window is so much a second; unknown where it has no length. */
static inline struct rt_opt_f64 rt_watch_per_s(const struct rt_watch_flows *flows,
					       uint64_t count)
{
	return flows->window_ns
		       ? RT_KNOWN_F64((double)count * 1e9 / (double)flows->window_ns)
		       : (struct rt_opt_f64){ 0 };
}

/* --- all of it --------------------------------------------------------------------------- */

struct rt_watch_sample {
	int64_t time_ns; /* CLOCK_MONOTONIC of where it was taken, when it began */
	int64_t wall_ns; /* CLOCK_REALTIME of that moment (base/when.h) */
	struct rt_watch_input *items; /* owned; by port number */
	size_t count, capacity;
	struct rt_watch_flows flows;
};

/* Append an empty port; NULL: no memory, or RT_WATCH_MAX_PORTS. */
struct rt_watch_input *rt_watch_sample_add(struct rt_watch_sample *sample);
void rt_watch_sample_free(struct rt_watch_sample *sample);
/* -E2BIG, with what to do: they are more than RT_WATCH_MAX_PORTS.  what: "lab 'a'". */
int rt_watch_check_ports(uint64_t count, const char *what, struct rt_err *err);

#endif
