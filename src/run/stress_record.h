/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stress_record.h - what root and ranks of a stress run tell each other, in order:
 * job, ready, peers, connected, start; when its traffic has ended, a rank says so
 * (connected, once more), and when all have, they are told (start) and report.
 *
 * Each is a struct that travels as a record in an envelope (base/record.h).  Both
 * sides take the other's for hostile: what is read is within its types, and
 * rt_stress_*_check() says whether it makes sense.
 */
#ifndef RT_RUN_STRESS_RECORD_H
#define RT_RUN_STRESS_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/counters.h"
#include "model/fabric_config.h"
#include "run/stress.h"
#include "traffic/engine.h"
#include "traffic/flow.h"

struct rt_err;

/* Ends of flows that one rank can have: sixteen records of this size are a text. */
#define RT_STRESS_MAX_ENDS        8192u
/* Numbers of all time series of one rank. */
#define RT_STRESS_MAX_SAMPLES     40000u
#define RT_STRESS_MAX_MESSAGE     (UINT64_C(1) << 30)
#define RT_STRESS_MAX_OUTSTANDING 4096u
#define RT_STRESS_MAX_TIME_NS     (UINT64_C(86400) * 1000000000)

/* What a rank is to do; a job without flows is one, too. */
struct rt_stress_job {
	uint32_t rank, ranks;
	char refused[400]; /* the root calls it off, why; "": it does not */
	char engine[16];   /* "": verbs where there is a device, else soft */
	struct rt_engine_config config; /* what the rank does not say itself */
	bool with_laws;
	struct rt_fabric_config laws; /* of it what end points need */
	uint64_t total_ns;            /* flows end by then */
	uint64_t alone_ns;            /* the victim's time before the others */
	uint64_t interval_ns;
	struct rt_opt_u64 lossless;    /* mask of priorities */
	bool with_abort;               /* stop at the first damage */
	uint64_t victim_bound_ppb;     /* RT_PPB: as fast as alone */
	struct rt_traffic_flow *flows; /* owned */
	size_t flow_count;
};

struct rt_stress_ready {
	char failed[400]; /* no engine, or no queue pair, why; "": all is well */
	struct rt_engine_about about;
	struct rt_opt_u64 connected;     /* RDMA connections that were there before */
	char users[128];                 /* whose these are */
	struct rt_qp_address *addresses; /* owned: of each flow of the job, in order */
	size_t address_count;
};

struct rt_stress_peers {
	char refused[400];
	struct rt_qp_address *addresses; /* owned: of the other ends, in order */
	size_t address_count;
};

struct rt_stress_connected {
	char failed[400];
};

struct rt_stress_start {
	char refused[400];
	int64_t start_ns; /* in the root's clock */
};

/* One end of a flow as it ended. */
struct rt_stress_end {
	uint32_t flow;
	bool sends; /* this rank is flow->from */
	struct rt_qp_totals totals;
	struct rt_stress_latency latency; /* of a victim under load only */
	struct rt_stress_latency alone;   /* of a victim */
	uint64_t alone_bytes;
	struct rt_opt_u64 late_bytes; /* of totals.bytes, behind ran_ns */
	uint64_t *series; /* owned: bytes of each interval; of the end that drives it */
	size_t series_count;
	struct rt_stress_cause *causes; /* owned: by interval, rising */
	size_t cause_count;
};

struct rt_stress_report {
	char why[160]; /* it ended early; "": it did not */
	bool asked;    /* this rank asked for it */
	uint64_t ran_ns;
	struct rt_opt_u64 clock_error_ns;
	uint64_t late_most_ns; /* how late it looked at its queue pairs, at most */
	/* Of its engine, as in struct rt_engine_health: for all of the run. */
	struct rt_opt_u64 ring_drops, strays, engine_late_ns;
	uint64_t *away; /* owned: of each interval, nanoseconds it was not there */
	size_t away_count;
	struct rt_stress_latency latency; /* of all flows that load and it drives */
	struct rt_stress_end *ends;       /* owned: of each flow of the job, in order */
	size_t end_count;
	struct rt_counter_set before, after; /* of its port; empty: not read */
};

extern const struct rt_table rt_stress_job_table, rt_stress_ready_table,
	rt_stress_peers_table, rt_stress_connected_table, rt_stress_start_table,
	rt_stress_report_table, rt_stress_latency_table, rt_stress_cause_table;

/* *ret_text is the caller's.  -ENOMEM. */
int rt_stress_write(const struct rt_table *table, const void *record, char **ret_text,
		    struct rt_err *err);

/*
 * Read text of whom name names.  *record owns what it got: rt_record_free().
 * -EPROTO: it is no such record.
 */
int rt_stress_read(const char *name, const char *text, const struct rt_table *table,
		   void *record, struct rt_err *err);

/* Whether a rank can work with it.  -EPROTO: no; err says why. */
int rt_stress_job_check(const struct rt_stress_job *job, struct rt_err *err);

/* Whether the answer of rank fits the job that it got.  -EPROTO: no. */
int rt_stress_ready_check(const struct rt_stress_ready *ready,
			  const struct rt_stress_job *job, struct rt_err *err);
int rt_stress_peers_check(const struct rt_stress_peers *peers,
			  const struct rt_stress_job *job, struct rt_err *err);
int rt_stress_report_check(const struct rt_stress_report *report,
			   const struct rt_stress_job *job, struct rt_err *err);

/* The end whose completions tell what has moved: the one that posts. */
static inline bool rt_stress_drives(const struct rt_traffic_flow *flow, uint32_t rank)
{
	return rank == (flow->op == RT_TRAFFIC_READ ? flow->to : flow->from);
}

#endif
