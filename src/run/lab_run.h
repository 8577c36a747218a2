/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lab_run.h - a lab round one run of traffic: up, soft endpoints on every host, a live
 * capture beside the switch, the analysis, down.
 *
 * Endpoints, capture and switch count the same frames apart from one another, so that
 * each checks the others (struct rt_lab_cross).
 */
#ifndef RT_RUN_LAB_RUN_H
#define RT_RUN_LAB_RUN_H

#include <signal.h>

#include "model/criteria.h"
#include "model/finding.h"
#include "rocetune/analysis.h"
#include "run/lab.h"
#include "run/stress.h"

struct rt_lab_run_request {
	struct rt_lab_request lab;
	struct rt_opt_u64 incast;  /* senders to one host, without a scenario */
	struct rt_opt_u64 time_ns; /* default 3 s */
	struct rt_opt_u64 message_bytes, qps, outstanding;
	const char *pcap;  /* file to keep; NULL: none */
	const char *ports; /* to capture, commas between; NULL: of all hosts */
	void (*progress)(void *user, uint64_t elapsed_ns, uint64_t total_ns,
			 uint32_t lost);
	void *user;
	const volatile sig_atomic_t *cancelled; /* or NULL */
};

/* Whether those who know a figure say the same. */
enum rt_lab_agreement {
	RT_LAB_AGREE_NO,
	RT_LAB_AGREE_YES,
	RT_LAB_AGREE_ONE,    /* one knows it: nothing checks it */
	RT_LAB_AGREE_NOBODY, /* knows it */
	RT_LAB_AGREE_UNSURE, /* they differ by what the machine alone can explain */
};
extern const struct rt_name rt_lab_agreement_names[];

/* One figure as three saw it. */
struct rt_lab_cross {
	char figure[40];
	struct rt_opt_u64 endpoints, capture, sw;
	struct rt_opt_f64
		differ_pct; /* most less least, of most; unknown: one of them */
	unsigned agrees;    /* enum rt_lab_agreement */
	char why[32];       /* they need not agree better than they do; "" */
};

struct rt_lab_run {
	char verdict[200];
	char profile[256], assumed[160]; /* as `sim` has them */
	char said[320];                  /* how laws were scaled */
	char ports[200];                 /* that were captured */
	char pcap[256];
	struct rt_opt_f64 link_use_pct; /* goodput, of what the link's rate allows */
	struct rt_opt_u64 goodput_bps, goodput_most_bps; /* of the busiest receiver */
	struct rt_opt_u64 marks, cnps, rate_cuts, naks, drops;
	/* By the switch to hosts, and by hosts to the switch. */
	struct rt_opt_u64 xoff, xoff_by_hosts;
	/* Of the run: the host that was stopped most; the port that a host stopped most. */
	struct rt_opt_f64 paused_pct, paused_by_host_pct;
	char paused_host[16], pausing_host[16]; /* these two; "": none */
	uint64_t ring_drops, endpoint_drops, capture_drops,
		late_max_ns, /* the machine's, not the fabric's */
		late_mean_ns;
	struct rt_lab_cross *cross; /* owned */
	size_t cross_count;
	struct rt_stress_result stress; /* lists are of the outcome below */
	struct rt_lab_picture lab;
	struct rt_analysis analysis;
	struct rt_findings findings, stress_findings; /* all; those of stress */
	struct rt_outcome stress_outcome;             /* owned */
	struct rt_criteria criteria; /* owned: of the scenario's checks */
};

extern const struct rt_table rt_lab_run_table, rt_lab_cross_table;

extern const struct rt_rule rt_lab_run_rules[];
extern const size_t rt_lab_run_rule_count;

/*
 * Outcome: kind "lab_run".  Errors: as rt_run_lab_up() and rt_run_stress(); -ECHILD: the
 * lab died in the middle.  Whatever it returns, nothing of the lab is left.
 */
int rt_run_lab_run(const struct rt_lab_run_request *request,
		   struct rt_outcome *ret_outcome, struct rt_err *err);

/* The figures side by side, from all that run holds but cross.  -ENOMEM. */
int rt_lab_cross_make(struct rt_lab_run *run, struct rt_err *err);

#endif
