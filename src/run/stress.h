/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stress.h - the journey of stress traffic: pattern and options to flows, to the
 * ranks, started at one instant, reported, merged and judged.
 *
 * The root plans and judges; every rank (run/agent.h) has a part of the flows.  Care
 * is the default, since a pause on a lossless fabric stops bystanders as well: three
 * seconds, senders that join in steps, and an end at the first sign of damage.
 */
#ifndef RT_RUN_STRESS_H
#define RT_RUN_STRESS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "rocetune/field.h"
#include "rocetune/scenario.h"
#include "run/agent.h"
#include "run/outcome.h"

struct rt_err;
struct rt_fabric_config;
struct rt_rendezvous;

enum rt_victim_kind {
	RT_VICTIM_NONE,
	RT_VICTIM_SAME,     /* the same priority, to the same receiver */
	RT_VICTIM_LOSSLESS, /* another lossless priority */
	RT_VICTIM_LOSSY,    /* a priority without PFC */
	RT_VICTIM_RECEIVER, /* the same priority, to another receiver */
};
extern const struct rt_name rt_victim_names[];

/* What the user asked for; what is unknown or NULL has a default, or the scenario's. */
struct rt_stress_wish {
	const char *scenario;                /* file, "-"; NULL: pattern */
	unsigned pattern;                    /* enum rt_workload_id */
	bool pattern_said;                   /* the scenario must have it, too */
	struct rt_opt_u64 senders, receiver; /* incast: ranks */
	struct rt_opt_u64 message_bytes, qps, outstanding, bytes, rate_bps;
	/*
	 * Of the links, where they are those of a lab: a scenario's rates are slower by as
	 * much as these are than its own.  Unknown: of laws, if there are any; else rates
	 * are as they stand.
	 */
	struct rt_opt_u64 link_bps;
	const char *sizes;         /* file or published name */
	struct rt_opt_u64 op;      /* enum rt_traffic_op */
	struct rt_opt_u64 time_ns; /* of the whole run; default 3 s */
	struct rt_opt_u64 dscp, ecn, sport;
	struct rt_opt_u64 on_ns, off_ns, stagger_ns;
	struct rt_opt_u64 ramp_ns; /* a step of 1, 2, 4 ... senders; 0: all at once */
	struct rt_opt_u64 seed;
	unsigned victim;               /* enum rt_victim_kind */
	struct rt_opt_u64 victim_dscp; /* else of the profile */
	struct rt_opt_u64
		victim_bound_ppb;   /* slow-down that stops; RT_PPB: 1; default 10 */
	const char *profile;        /* name or file; NULL: the scenario's, or none */
	struct rt_opt_u64 prio;     /* of the data, where no profile says */
	struct rt_opt_u64 lossless; /* mask of priorities, where no profile says */
	const char *engine;         /* name; NULL: verbs where there is a device */
	struct rt_engine_config config;      /* for ranks that say nothing themselves */
	const struct rt_fabric_config *laws; /* soft; NULL: of the profile (borrowed) */
	bool no_abort, disrupt;
	bool checks_later; /* whoever asks judges the scenario's checks: it knows more */
	bool utf8;         /* bars of the report may use block characters */
};

/* Whom the root tells how it goes, and who may end it. */
struct rt_stress_watch {
	void (*progress)(void *user, uint64_t elapsed_ns, uint64_t total_ns,
			 uint32_t lost);
	void *user;
	const volatile sig_atomic_t
		*cancelled; /* non-zero: stop, and report; or NULL */
};

/* What is asked of a run, and by whom; all of it is borrowed. */
struct rt_stress_asked {
	const struct rt_stress_wish *wish;
	const struct rt_agent_options
		*own; /* this process is a rank as well (PMIx); NULL: it is none */
	const struct rt_stress_watch *watch; /* or NULL */
};

/*
 * Run it as the root of rendezvous (borrowed).  Kind "stress", a struct
 * rt_stress_result.
 * -EDOM: the wish itself is wrong.  -EBUSY: ports carry other connections.
 * -ETIMEDOUT, -EPROTO: of the ranks; -ENODEV and others: what opening an engine said
 * on some rank, which the text names.  A run that was cut short is no error.
 */
int rt_run_stress(struct rt_rendezvous *rendezvous, const struct rt_stress_asked *asked,
		  struct rt_outcome *ret_outcome, struct rt_err *err);

/* --- what comes of it ------------------------------------------------------------- */

/* Of messages, post to completion. */
struct rt_stress_latency {
	uint64_t count;
	struct rt_opt_u64 avg_ns, min_ns, p50_ns, p90_ns, p99_ns, p999_ns, max_ns;
};

/*
 * What one end's transport did in an interval that explains why little came; nothing: no
 * such row.
 */
struct rt_stress_cause {
	uint32_t interval;
	uint64_t losses; /* frames sent again, NAKs received, time-outs: all told */
	uint64_t cuts;   /* of the rate */
	uint64_t paused_ns;
};

/* One queue pair, both ends; names of columns are those of OTG's result/rocev2. */
struct rt_stress_qp {
	uint32_t flow;
	char flow_name[64]; /* "n1 -> n0 #3" */
	uint32_t from, to;
	uint32_t workload;
	bool victim;
	unsigned op; /* enum rt_traffic_op */
	uint8_t prio, dscp, ecn;
	struct rt_opt_u64 udp_sport; /* asked for; unknown: the engine chose it */
	struct rt_opt_u64 src_qp, dest_qp;
	struct rt_ip source_ip, dest_ip;
	unsigned state; /* enum rt_qp_state */
	char error[48]; /* verbs name */
	struct rt_opt_u64 error_ns;
	/* Payload completed at the end that drives it; unknown when that did not report. */
	struct rt_opt_u64 tx_bytes;
	struct rt_opt_u64 rx_bytes;
	/* Of these, after the time of the run: of no rate. */
	struct rt_opt_u64 tx_late_bytes, rx_late_bytes;
	struct rt_opt_u64 goodput_bps, message_tx; /* of the same end */
	struct rt_opt_u64 message_complete_rx, message_fail;
	struct rt_opt_u64 data_frames_tx, data_frames_rx, frame_delta;
	struct rt_opt_u64 data_frames_retransmitted, frame_sequence_error;
	struct rt_opt_u64 flow_completion_time_ns, first_timestamp_ns,
		last_timestamp_ns;
	struct rt_opt_u64 ecn_ce_rx, cnp_tx, cnp_rx, ack_tx, ack_rx, nak_tx, nak_rx;
	struct rt_opt_u64 timeouts, rate_cuts, rate_bps, paused_ns;
	struct rt_opt_u64 rate_cap_bps; /* asked for */
	struct rt_stress_latency latency;
	uint64_t *series; /* owned: bytes of each interval */
	size_t series_count;
};

/* What one rank sent, all its queue pairs that load. */
struct rt_stress_sender {
	char name[64];
	uint32_t rank;
	uint32_t qps, stopped; /* stopped: by an error */
	bool lost;             /* its host did not report: nothing is known */
	char state[64];        /* "stopped (RETRY_EXC) at 1.32 s"; "" */
	/* Unknown when they are of one of its queue pairs; the last while all were to send. */
	struct rt_opt_u64 bytes, messages, goodput_bps;
	struct rt_opt_u64 late_bytes; /* of bytes, after the time of the run */
	struct rt_opt_u64 least_bps, median_bps; /* of an interval */
	struct rt_opt_f64 variation;             /* standard deviation over mean */
	/*
	 * Below half of the median; of these, those that the transport explains, and
	 * those in which a host of it was not there.  Unknown, as the next ones: nothing
	 * was judged.
	 */
	struct rt_opt_u64 dips, dips_explained, dips_away;
	/* Intervals of dips that are explained, and of the longest of its own. */
	struct rt_opt_u64 dipped_explained, dip_longest;
	uint32_t intervals_judged; /* its hosts were there; variation is of these */
	uint32_t intervals_explained;
	struct rt_opt_u64 start_late_ns;
	struct rt_opt_u64 cnp_rx, rate_cuts, data_frames_retransmitted, nak_rx,
		timeouts;
	struct rt_opt_f64 paused_pct;
	struct rt_stress_latency latency;
	struct rt_opt_u64 p99_ns; /* of latency, once more for the table */
	char bars[128];           /* a character an interval, or several */
	uint64_t *series;         /* owned */
	size_t series_count;
	struct rt_stress_cause *causes; /* owned: of intervals that have any */
	size_t cause_count;
};

struct rt_stress_receiver {
	char name[64];
	uint32_t rank;
	uint32_t senders;
	struct rt_opt_u64 bytes;
	struct rt_opt_u64 late_bytes;  /* of these, after the time of the run */
	struct rt_opt_u64 goodput_bps; /* while all were to send */
	struct rt_opt_u64 speed_bps;
	struct rt_opt_f64 share_pct;  /* payload, of the link's raw rate */
	struct rt_opt_f64 most_pct;   /* that headers leave of it */
	struct rt_opt_f64 paused_pct; /* of the time that PFC kept its ACKs back */
	struct rt_opt_u64 ecn_ce_rx, cnp_tx, frame_sequence_error, nak_tx;
	uint64_t *series; /* owned */
	size_t series_count;
};

/* An interval, or several, in which a sender had less than half of its median. */
struct rt_stress_dip {
	char sender[64];
	uint64_t start_ns, duration_ns, least_bps;
	char why[48]; /* what is known of its cause; "": nothing */
};

/* The victim alone and under load, and by what factor it is slower (GPCNeT). */
struct rt_stress_victim {
	char flow_name[64];
	unsigned kind; /* enum rt_victim_kind */
	uint8_t prio, dscp;
	struct rt_stress_latency alone, loaded;
	struct rt_opt_u64 alone_bps, loaded_bps;
	struct rt_opt_f64 avg_factor, p99_factor, p999_factor, throughput_factor;
};

/* A counter of a port, before the start and after the end. */
struct rt_stress_counter {
	char host[64], port[80];
	uint32_t rank;
	unsigned counter; /* enum rt_counter_id */
	char label[48];
	struct rt_opt_u64 prio; /* unknown: of the port */
	/* In the counter's unit: how many, bytes or nanoseconds, as its name says. */
	struct rt_opt_u64 before, after, difference;
	uint64_t elapsed_ns; /* between the two readings; 0: not known */
	char moved[48];      /* the difference for people */
	char name[96];       /* as the driver calls it */
};

/* One host and what it worked with. */
struct rt_stress_host {
	char name[64];
	uint32_t rank;
	bool lost;     /* it did not report */
	char why[160]; /* it stopped early, in words; "": it did not */
	char engine[16], device[64], netdev[16], gid_type[16], chosen[200],
		transport[32]; /* as in struct rt_engine_about, with the next ones */
	struct rt_ip ip;
	struct rt_opt_u64 gid_index, mtu_bytes, speed_bps;
	bool huge_pages;
	struct rt_opt_u64 clock_error_ns;
	struct rt_opt_u64 late_most_ns; /* how late it looked at its queue pairs */
	/* Frames that this host lost; how late its engine was at most. */
	struct rt_opt_u64 ring_drops, strays, engine_late_ns;
	/* Of those judged, in which it was not there for long. */
	struct rt_opt_u64 intervals_away;
	uint64_t *away; /* owned: of each interval, nanoseconds */
	size_t away_count;
	struct rt_opt_u64 connected; /* RDMA connections of others before the run */
};

struct rt_stress_result {
	char verdict[240];
	char engine[48];   /* of the hosts; "null: no traffic, a rehearsal" */
	char no_rates[96]; /* why rates of 0 are none; "": they were measured */
	char pattern[64];  /* "incast 8:1" */
	char profile[256];
	char marking[96]; /* "106 = DSCP 26 + ECT(0), priority 3 (lossless)" */
	bool cut_short;
	bool damaged; /* by a rank that saw damage; else somebody had enough */
	char cut_why[256];
	uint64_t time_ns; /* asked for */
	uint64_t ran_ns;  /* how long there was traffic */
	/* The file's flows would have gone on so long; 0: they had their time. */
	uint64_t wanted_ns;
	uint32_t unfinished; /* queue pairs that had bytes left to send when it ended */
	uint64_t interval_ns; /* of the series */
	uint64_t alone_ns;    /* the victim was alone until then; 0: there is none */
	uint64_t hold_from_ns, hold_to_ns; /* all were to send: what is judged */
	uint32_t ranks, ranks_lost;
	struct rt_opt_u64 goodput_bps; /* of all receivers, while all were to send */
	char slowest[64];              /* sender */
	struct rt_opt_u64 slowest_bps, fastest_bps;
	struct rt_opt_f64 spread; /* (fastest - slowest) / fastest */
	struct rt_opt_f64 jain, jain_least, jain_mean; /* of the run; of intervals */
	bool jain_judged;                              /* senders had the same to do */
	struct rt_opt_u64 dip_count;      /* unknown: nobody's were counted */
	struct rt_opt_u64 start_skew_ns;  /* the last sender's delay less the first's */
	struct rt_opt_u64 clock_error_ns; /* the worst of the ranks */
	struct rt_opt_u64 lossless;       /* mask of priorities that must not lose */
	/* Of a fabric that is a process (the lab's): frames it lost, how late it was. */
	struct rt_opt_u64 fabric_lost, fabric_late_ns;
	struct rt_opt_u64 ring_drops;         /* of all hosts that know */
	struct rt_stress_receiver *receivers; /* owned, as the next ones */
	size_t receiver_count;
	struct rt_stress_sender *senders;
	size_t sender_count;
	struct rt_stress_victim *victims;
	size_t victim_count;
	struct rt_stress_dip *dips;
	size_t dips_listed;
	struct rt_stress_counter *counters; /* that moved, but bytes and frames */
	size_t counter_count;
	struct rt_stress_counter *other_counters; /* behind these: the others */
	size_t other_counter_count;
	struct rt_stress_host *hosts;
	size_t host_count;
	struct rt_stress_qp *qps;
	size_t qp_count;
	const struct rt_finding *findings; /* borrowed from whoever judged; or NULL */
	size_t finding_count;
	struct rt_checks_told checks; /* the same of the scenario's checks */
};

/*
 * How often a queue pair's receiver missed something, by what it counted or by the NAKs
 * that came back; 0 also where neither is known.  error: what ended it.  A NAK that
 * names another error (AETH 0x61 to 0x63, IBTA 9.7.5.2.8) ends its queue pair and is
 * no gap.
 */
uint64_t rt_stress_gaps(const struct rt_opt_u64 *sequence_errors,
			const struct rt_opt_u64 *naks, const char *error);

extern const struct rt_table rt_stress_table;
void rt_stress_result_free(struct rt_stress_result *result);

#endif
