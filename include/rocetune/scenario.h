/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scenario.h - what is to be simulated: a topology, who sends what to whom, for
 * how long, and where the model departs from its defaults.
 *
 * A scenario is a plain value, but for the lists of its workloads, which
 * rt_scenario_free() frees.  Every number a file may hold is a row of
 * rt_scenario_keys, with its unit, bounds, default and meaning; what the file
 * leaves out of the model is unknown here, and the profile or the simulator's
 * default decides.
 */
#ifndef ROCETUNE_SCENARIO_H
#define ROCETUNE_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rocetune/field.h"

struct rt_criterion;
struct rt_err;
struct rt_offender;

/* Bounds: a scenario beyond them is refused before anything is allocated. */
#define RT_SIM_MAX_HOSTS       4096u
#define RT_SIM_MAX_PORTS       65000u
#define RT_SIM_MAX_FLOWS       65536u
#define RT_SIM_MAX_WORKLOADS   16u
#define RT_SIM_MAX_SIZES       1000u /* points of a distribution */
#define RT_SIM_MAX_CHECKS      256u
#define RT_SIM_MAX_PACKETS     UINT64_C(500000000)
#define RT_SIM_MAX_DURATION_PS UINT64_C(1000000000000000) /* 1000 s */

enum rt_topology_id {
	RT_TOPOLOGY_STAR,
	RT_TOPOLOGY_LEAF_SPINE,
};

struct rt_topology_spec {
	unsigned kind;  /* enum rt_topology_id */
	uint32_t hosts; /* star: all; leaf-spine: per leaf; 0: as needed */
	uint32_t leaves, spines;
	uint64_t speed_bps;        /* of host links */
	uint64_t fabric_speed_bps; /* leaf to spine; 0: as host links */
	uint64_t delay_ps;         /* one way, of host links */
	uint64_t fabric_delay_ps;
};

enum rt_workload_id {
	RT_WORKLOAD_INCAST,
	RT_WORKLOAD_PERMUTATION,
	RT_WORKLOAD_ALLTOALL,
	RT_WORKLOAD_POISSON,        /* flows arrive at random, between random hosts */
	RT_WORKLOAD_POISSON_INCAST, /* the same, all to one host */
	RT_WORKLOAD_FLOWS,          /* as listed */
	RT_WORKLOAD_OUTCAST,        /* one host to many */
	RT_WORKLOAD_RING,           /* every host to the next */
};

/* How data moves from a flow's sender to its receiver. */
enum rt_traffic_op {
	RT_TRAFFIC_WRITE,
	RT_TRAFFIC_WRITE_IMM,
	RT_TRAFFIC_SEND,
	RT_TRAFFIC_READ, /* the receiver asks, data still goes the same way */
};

extern const struct rt_name rt_traffic_op_names[];

/* Who makes good what is lost. */
enum rt_transport_id {
	RT_TRANSPORT_RC,   /* a reliable connection; under the laws of congestion */
	RT_TRANSPORT_NONE, /* nobody: datagrams, sent once at the asked rate */
};

/* ECN bits of a flow's data; what a scenario says is one more than enum rt_ecn. */
enum rt_mark_id {
	RT_MARK_OF_CLASS, /* as its class has them */
	RT_MARK_NOT_ECT,
	RT_MARK_ECT1,
	RT_MARK_ECT0,
};

#define RT_WORKLOAD_NAME_BYTES 32
#define RT_MESSAGE_BYTES_MAX   (UINT64_C(1) << 30)
/* Of a flow that sends for a time: nobody said how long its messages are. */
#define RT_MESSAGE_BYTES_TIMED (UINT64_C(1) << 16)

/* One flow that is listed. */
struct rt_flow_entry {
	uint32_t from, to; /* hosts */
	uint64_t size_bytes, start_ps;
	struct rt_opt_u64 sport, dport; /* unknown: as the kind of ECMP would have */
};

/* A point of a distribution of sizes. */
struct rt_size_point {
	uint64_t bytes;
	uint64_t share_ppb; /* of flows that are no larger */
};

struct rt_workload_spec {
	unsigned kind;                     /* enum rt_workload_id */
	char name[RT_WORKLOAD_NAME_BYTES]; /* "": its number, from 1 */
	uint32_t senders;                  /* incast; 0: every other host */
	uint32_t receiver;                 /* incast: host number */
	uint32_t sender;                   /* outcast: host number */
	uint32_t receivers;                /* outcast; 0: every other host */
	uint32_t qps;                      /* flows per pair */
	uint64_t size_bytes;               /* of each flow */
	uint64_t start_ps;
	uint64_t stagger_ps; /* each flow starts this much after the one before */
	uint64_t jitter_ps;  /* and up to this much later, at random */
	uint64_t on_ps;      /* bursts: send this long, */
	uint64_t off_ps;     /* then be silent this long; 0: no bursts */
	uint64_t load_ppb;   /* Poisson: payload, as a share of the links' speed */
	uint32_t arrivals;   /* Poisson: flows in all */
	uint64_t
		duration_ps; /* of each flow, instead of a size; 0: until all is sent */
	uint64_t rate_bps;   /* most payload a flow offers; 0: no cap */
	uint64_t rate_share_ppb; /* the same by its frames' time on the sender's link */
	uint64_t message_bytes;  /* 0: the whole flow is one */
	uint32_t outstanding;    /* messages not completed, at most; 0: any */
	char class[RT_WORKLOAD_NAME_BYTES]; /* of the profile; "": prio and dscp say */
	struct rt_opt_u64 prio, dscp;
	unsigned ecn;       /* enum rt_mark_id */
	unsigned op;        /* enum rt_traffic_op */
	unsigned transport; /* enum rt_transport_id */
	unsigned victim;    /* bool: measured beside the others, not one of them */
	struct rt_flow_entry *flows; /* owned by the scenario */
	size_t flow_count;
	struct rt_size_point *sizes; /* owned; NULL: all of size_bytes */
	size_t size_count;
};

/* How a check holds a figure against its bounds: any of them may be given. */
enum rt_check_relation {
	RT_CHECK_EQUALS,
	RT_CHECK_ABOVE,
	RT_CHECK_BELOW,
	RT_CHECK_AT_LEAST,
	RT_CHECK_AT_MOST,
	RT_CHECK_RELATIONS,
};

/* What of the figures that a check names is held against them. */
enum rt_check_take {
	RT_TAKE_EACH, /* every one by itself */
	RT_TAKE_SUM,
	RT_TAKE_MEAN,
	RT_TAKE_MIN,
	RT_TAKE_MAX,
};

enum rt_bound_kind {
	RT_BOUND_NONE, /* not given */
	RT_BOUND_NUMBER,
	RT_BOUND_FIGURE, /* the sum of another figure, of the same */
	RT_BOUND_DWRR,   /* the share of a queue that weights and loads allow */
};

struct rt_check_bound {
	unsigned kind;   /* enum rt_bound_kind */
	double number;   /* in the figure's unit; percentages as such */
	unsigned figure; /* enum rt_figure_id of model/figure.h */
};

#define RT_CHECK_NAME_BYTES 96
#define RT_CHECK_TEXT_BYTES 48

/* One pass criterion. */
struct rt_check_spec {
	char name[RT_CHECK_NAME_BYTES];
	unsigned figure; /* enum rt_figure_id; 0: not given */
	char workload[RT_WORKLOAD_NAME_BYTES];
	struct rt_opt_u64 prio, host;
	unsigned take;                                       /* enum rt_check_take */
	char texts[RT_CHECK_RELATIONS][RT_CHECK_TEXT_BYTES]; /* as written */
	char within_text[RT_CHECK_TEXT_BYTES];
	/* Made of the texts by rt_scenario_finish(). */
	struct rt_check_bound bounds[RT_CHECK_RELATIONS];
	double within;     /* of equals: in the figure's unit, or */
	bool within_share; /* as a share of what is expected */
};

/*
 * What came of a scenario's checks, for the results of whatever ran it; borrowed from
 * whoever judged, "" and unknown without any.
 */
struct rt_checks_told {
	char passed[48]; /* "7 of 9" */
	struct rt_opt_u64 failed;
	const struct rt_criterion *items;
	size_t count;
	const struct rt_offender *offenders;
	size_t offender_count;
};

/* How a packet's bytes on the wire are counted. */
enum rt_wire_id {
	RT_WIRE_ETHERNET, /* RoCEv2 over Ethernet, all bytes of it */
	RT_WIRE_HPCC,     /* as the HPCC authors' ns-3 model counts */
	RT_WIRE_NS3_RDMA, /* as the DCQCN authors' ns-3 model counts */
};

/* How a flow's way is chosen among equal ones. */
enum rt_ecmp_id {
	RT_ECMP_SEEDED, /* at random by the seed, both ways apart */
	RT_ECMP_HPCC,   /* as the HPCC authors' ns-3 model hashes addresses and ports */
};

/* Whose random numbers mark packets. */
enum rt_random_id {
	RT_RANDOM_OWN,
	RT_RANDOM_HPCC,     /* the HPCC authors' ns-3 model, a stream a draw */
	RT_RANDOM_CONWEAVE, /* conweave-ns3, all of one stream */
};

/* Options of the model by name: bits of rt_model_spec.options. */
enum rt_model_option {
	RT_MODEL_ECN_ECHO_IN_ACK = 1 << 0,
	RT_MODEL_RED_AT_ENQUEUE = 1 << 1,
	RT_MODEL_TRUNCATED_SERIALISATION = 1 << 2,
	RT_MODEL_ALPHA_FIRST = 1 << 3,
	RT_MODEL_MLX_TIMERS = 1 << 4,
	RT_MODEL_NP_TICK = 1 << 5,
	RT_MODEL_QCN_HERITAGE = 1 << 6,
	RT_MODEL_PAUSE_ON_OFF = 1 << 7,
	RT_MODEL_ACK_HIGH_PRIO = 1 << 8,
	RT_MODEL_NO_PFC = 1 << 9,
	RT_MODEL_NO_ECN = 1 << 10,
	RT_MODEL_NO_CC = 1 << 11,
	RT_MODEL_VARIABLE_WINDOW = 1 << 12,
	RT_MODEL_POOL_COUNTS_ALL = 1 << 13,
	RT_MODEL_PENDING_SEND_STAYS = 1 << 14,
	RT_MODEL_NS3_ORDER = 1 << 15,
	RT_MODEL_SELECTIVE_REPEAT = 1 << 16,
	RT_MODEL_NAK_CUTS = 1 << 17,
};

/* Where a scenario departs from profile and defaults. */
struct rt_model_spec {
	unsigned options; /* enum rt_model_option */
	unsigned wire;    /* enum rt_wire_id */
	unsigned ecmp;    /* enum rt_ecmp_id */
	unsigned random;  /* enum rt_random_id */
	char dcqcn[32];   /* a named set of src/cc/dcqcn.h; "": profile or default */
	struct rt_opt_u64 mtu_bytes, ack_packets, window_bytes, rto_ps, rto_low_ps,
		nak_repeat_ps, retries;
	struct rt_opt_u64 data_prio, cnp_prio, ack_prio;
	struct rt_opt_u64 kmin_bytes, kmax_bytes, pmax_ppb;
	struct rt_opt_u64 buffer_bytes, pool_bytes, buffer_alpha_ppb, headroom_bytes,
		reserve_bytes;
	struct rt_opt_u64 xoff_bytes, xon_offset_bytes;
	struct rt_opt_u64 pause_quanta, pause_refresh_ps, pfc_reaction_ps;
	struct rt_opt_u64 cnp_interval_ps;
	struct rt_opt_u64 g_ppb, initial_alpha_ppb, alpha_interval_ps, cut_interval_ps;
	struct rt_opt_u64 timer_ps, byte_counter_bytes, fast_recovery;
	struct rt_opt_u64 rai_bps, rhai_bps, min_rate_bps;
};

struct rt_scenario {
	char name[64];
	char profile[256]; /* name or file; "": the simulator's defaults */
	struct rt_topology_spec topology;
	struct rt_workload_spec workloads[RT_SIM_MAX_WORKLOADS];
	size_t workload_count;
	struct rt_check_spec *checks; /* owned */
	size_t check_count;
	struct rt_model_spec model;
	uint64_t duration_ps; /* 0: until every flow is done */
	uint64_t warmup_ps;   /* queues are averaged from here on */
	uint64_t seed;
	bool on_hosts; /* no simulation: as many packets as a wire bears */
};

/* A scenario of all defaults, without a workload. */
void rt_scenario_init(struct rt_scenario *scenario);

/* Free the lists; the scenario then has no workload. */
void rt_scenario_free(struct rt_scenario *scenario);

/*
 * Read a scenario file ("-": standard input), or text in memory.  Errors say
 * file:line:column and what was meant: -EINVAL for what is malformed, unknown,
 * out of bounds or contradictory.  Text in memory may not name further files.
 */
int rt_scenario_read(const char *path, struct rt_scenario *ret_scenario,
		     struct rt_err *err);
/* The same of a file whose traffic hosts send: RT_SIM_MAX_PACKETS does not bind. */
int rt_scenario_read_for_hosts(const char *path, struct rt_scenario *ret_scenario,
			       struct rt_err *err);
int rt_scenario_parse(const char *name, const char *text, size_t bytes,
		      struct rt_scenario *ret_scenario, struct rt_err *err);

/*
 * Fill in what follows from the rest (hosts of a star from its workloads,
 * fabric links from host links) and check what no single key can:
 * -EINVAL when hosts, flows or packets pass the bounds.
 */
int rt_scenario_finish(struct rt_scenario *scenario, struct rt_err *err);

/*
 * Whether a number that did not come from a file keeps to the bounds of its key,
 * in the key's unit; section is "" at the top.  -EINVAL: it does not.  -ENOENT:
 * there is no such key.
 */
int rt_scenario_check(const char *section, const char *name, uint64_t value,
		      struct rt_err *err);

/* One key a scenario file may hold. */
struct rt_scenario_key {
	const char *section; /* "topology", "workload", "model", "" is the top */
	const char *name;
	const char *help;
	const char *def; /* as it would be written; NULL: profile or simulator */
	enum rt_unit unit;
	unsigned type; /* private to the reader */
	size_t offset;
	uint64_t min, max;
	const struct rt_name *names;
};

/* Ends with a row without name. */
extern const struct rt_scenario_key rt_scenario_keys[];

#endif
