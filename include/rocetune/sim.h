/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim.h - what a simulated run brought: completion times, queues, marks, pauses,
 * losses, per flow and per port.
 *
 * Frames are counted per port and direction so that a capture of that port shows
 * the same numbers.  Two directions of pause are told apart in words: a port is
 * *paused by its peer* (it received the pause frames) or *pausing its peer* (it
 * sent them).
 */
#ifndef ROCETUNE_SIM_H
#define ROCETUNE_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rocetune/field.h"
#include "rocetune/scenario.h"

struct rt_err;
struct rt_finding;
struct rt_sink;

struct rt_sim_flow {
	uint32_t flow;
	char from[16], to[16];                 /* hosts */
	uint32_t src_qp, dst_qp;               /* as in captures */
	char workload[RT_WORKLOAD_NAME_BYTES]; /* its name, or its number from 1 */
	bool victim;
	uint64_t bytes;
	uint64_t start_ns;
	struct rt_opt_u64 completion_ps;   /* start to last ACK; unknown: not done */
	uint64_t delivered_bytes;          /* arrived in order */
	uint64_t throughput_bps;           /* delivered over the time it was active */
	uint64_t packets_sent;             /* data, resends too */
	uint64_t resent, marked;           /* arrived with CE */
	uint64_t cnps_sent, cnps_received; /* by its receiver, at its sender */
	uint64_t echoes; /* ACKs with the mark, where there are no CNPs */
	uint64_t naks, timeouts;
	uint64_t lost; /* data packets for which a switch had no room */
	bool failed;   /* retries ran out */
	uint64_t final_rate_bps;
	/*
	 * Known when the scenario asks by priority (struct rt_sim_queue).  Latency is
	 * from the first bit sent to the last received, of one packet at a time: the
	 * next is timed when the one before has arrived.
	 */
	struct rt_opt_u64 prio;
	struct rt_opt_f64 loss_pct; /* of the packets sent */
	struct rt_opt_u64 latency_min_ns, latency_mean_ns, latency_max_ns;
};

/* Frames of one direction of one port. */
struct rt_sim_frames {
	uint64_t data, ack, nak, cnp, pfc_xoff, pfc_xon;
	uint64_t ce;     /* data frames that carry CE */
	uint64_t resent; /* data frames sent before */
	uint64_t bytes;  /* of all frames, FCS included */
};

struct rt_sim_port {
	char name[32], peer[32];
	unsigned role; /* enum rt_port_role */
	uint64_t speed_bps;
	struct rt_sim_frames rx, tx;
	uint64_t drops;           /* frames that came in here and found no room */
	uint64_t queue_max_bytes; /* egress */
	/* From the warm-up on; unknown when the run ended before. */
	struct rt_opt_f64 queue_mean_bytes; /* over time */
	struct rt_opt_f64 utilisation_pct;  /* of the time the port was sending */
};

enum rt_sim_pause_direction {
	RT_SIM_PAUSED_BY_PEER,
	RT_SIM_PAUSING_PEER,
};

/* Pauses of one port, direction and priority. */
struct rt_sim_pause {
	char port[32];
	unsigned direction; /* enum rt_sim_pause_direction */
	uint8_t prio;
	uint64_t xoff, xon; /* frames */
	/* Paused by peer only: */
	struct rt_opt_u64 pauses;     /* stops; a refresh is no new one */
	struct rt_opt_u64 stopped_ns; /* time it stood still for that */
	struct rt_opt_f64 share_pct;  /* of the simulated time */
	uint64_t asked_ns; /* what the frames ask for: as a capture shows it */
};

/* Frames that found no room in a switch: of one ingress port and priority. */
struct rt_sim_loss {
	char port[32];
	uint8_t prio;
	bool lossless; /* the priority is under PFC there */
	uint64_t frames, bytes;
	/* Of a lossless priority only. */
	struct rt_opt_u64 headroom_bytes;        /* what it has */
	struct rt_opt_u64 headroom_asked_bytes;  /* used and refused in a pause */
	struct rt_opt_u64 headroom_needed_bytes; /* for the cable and the peer */
};

/*
 * One egress queue of a switch port: a priority.  There are some when a scenario has
 * flows of several priorities, ACKs of their own, datagrams, victims, or checks.
 */
struct rt_sim_queue {
	char port[32], peer[32];
	uint8_t prio;
	bool lossless;
	uint64_t data, ack, nak, cnp; /* frames that left */
	uint64_t ce;                  /* of data: with CE */
	uint64_t drops;               /* frames that wanted in and found no room */
	struct rt_opt_u64 host_data;  /* data frames received by the host it faces */
	/* From the warm-up on; unknown when the run ended before. */
	struct rt_opt_u64 rate_bps;  /* with preamble and gap of each frame */
	struct rt_opt_f64 share_pct; /* of the link's speed */
};

struct rt_sim_sample {
	uint64_t time_ns, bytes;
};

struct rt_sim_result {
	char scenario[64], profile[64];
	char assumed[160]; /* what profile and scenario leave open; "" without one */
	char verdict[200]; /* written by whoever judged; else "" */
	uint64_t seed;
	uint32_t hosts, switches;
	uint64_t simulated_ns;
	bool finished; /* every flow is done; else duration or a bound ended it */
	bool event_bound_hit;
	uint64_t flow_count, flows_done, flows_failed;
	struct rt_opt_u64 first_completion_ps, median_completion_ps, last_completion_ps;
	uint64_t throughput_bps; /* of all receivers together */
	struct rt_opt_u64 slowest_flow;
	struct rt_opt_u64 slowest_throughput_bps;
	/* Of the flows' throughput_bps, all of them (Jain, Chiu, Hawe 1984). */
	struct rt_opt_f64 jain;
	bool jain_judged; /* the flows are alike: see rt_sim_table */
	uint64_t packets_sent, resent, marks, cnps_sent, cnps_received, echoes, cuts;
	uint64_t naks, timeouts, drops;
	uint64_t pfc_xoff, pfc_xon;
	uint64_t paused_ns; /* sum of all ports and priorities that stood still */
	char longest_paused_port[32]; /* of them; "": none */
	struct rt_opt_u64 longest_paused_prio;
	uint64_t longest_paused_ns;
	double longest_paused_pct;   /* of the simulated time */
	uint64_t headroom_max_bytes; /* of one ingress and priority */
	char queue_port[32]; /* of the samples: the one towards the busiest receiver */
	uint64_t queue_max_bytes;
	struct rt_opt_f64 queue_mean_bytes; /* as of its port */
	struct rt_opt_f64 utilisation_pct;
	uint64_t sample_interval_ns;
	struct rt_sim_sample *samples; /* owned */
	size_t sample_count;
	struct rt_sim_flow *flows; /* owned, by number */
	size_t flows_listed;
	struct rt_sim_port *ports; /* owned */
	size_t port_count;
	struct rt_sim_pause *pauses; /* owned */
	size_t pause_count;
	struct rt_sim_loss *losses; /* owned */
	size_t loss_count;
	struct rt_sim_queue *queues; /* owned */
	size_t queue_count;
	const struct rt_finding *findings; /* borrowed from whoever judged; or NULL */
	size_t finding_count;
	struct rt_checks_told checks; /* the same of the scenario's checks */
	uint64_t events, hops; /* frames of data and ACKs that arrived somewhere */
	uint64_t captured_frames;
	double wall_s; /* how long the run took: not part of the result */
};

extern const struct rt_table rt_sim_table;
extern const struct rt_table rt_sim_flow_table;
extern const struct rt_table rt_sim_port_table;
extern const struct rt_table rt_sim_pause_table;
extern const struct rt_table rt_sim_loss_table;
extern const struct rt_table rt_sim_queue_table;

/*
 * Simulate a finished scenario (rt_scenario_read(), rt_scenario_finish()) with
 * the simulator's defaults and the scenario's model section; scenario->profile
 * is not read.  sink (borrowed, may be NULL) gets the frames of ports, a list
 * that ends with NULL: "s0p3" both directions, "h0:rx", "hosts:tx"; NULL is
 * hosts:tx, where each frame passes once.
 * The caller owns *ret_result and frees it with rt_sim_result_free().
 * -EINVAL: an unknown port or DCQCN set, parameters that contradict one another,
 * a buffer too small for its guarantees.  -ENOMEM.  Also what the sink said.
 */
int rt_sim_run(const struct rt_scenario *scenario, struct rt_sink *sink,
	       const char *const *ports, struct rt_sim_result *ret_result,
	       struct rt_err *err);

/* Frees what the result owns and empties it. */
void rt_sim_result_free(struct rt_sim_result *result);

#endif
