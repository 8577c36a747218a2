/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * agent.h - a rank of a stress run: it gets its flows, opens an engine, starts with
 * the others, looks at its queue pairs every interval, and reports.
 *
 * No command line is needed: `rocetune agent`, the ranks of a launcher and the hosts
 * of the lab all call rt_agent_run().  Nothing outlives the root: news of its loss,
 * a stop, and a cap on time each end the traffic.
 */
#ifndef RT_RUN_AGENT_H
#define RT_RUN_AGENT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "traffic/engine.h"

struct rt_err;
struct rt_kern;
struct rt_rendezvous;
struct rt_texts;

/* What this host says before the root's wish is heard. */
struct rt_agent_options {
	/* Of it device, netdev, ip, gid_index, mtu_bytes and line_rate_bps: what is set
	 * here goes before what the root says.  laws too, when not NULL (borrowed). */
	struct rt_engine_config config;
	const char
		*place; /* where this host is, for the report; NULL: nowhere special */
	/*
	 * Of a lab that this is a host of: its counters are written there, as a NIC of
	 * that name (lab/lab_nic.h).  NULL: in none.
	 */
	const char *lab_folder, *lab_host;
	const struct rt_engine_ops *engine; /* NULL: the root's choice, by name */
	/* Where counters and connections are read; NULL: this host. */
	int (*kern_open)(void *context, struct rt_kern **ret_kern, struct rt_err *err);
	void *kern_context;
	const volatile sig_atomic_t *cancelled; /* non-zero: stop all; or NULL */
};

/*
 * One run, from the first record to the last; rendezvous is borrowed and is no root.
 * 0: the run was reported to the root, whatever became of it.  -ECONNRESET: the root
 * is lost, -ETIMEDOUT: it said nothing in time, -EPROTO: what it said makes no sense,
 * -ECANCELED: the root called it off, err has its reason; the traffic has ended.
 */
int rt_agent_run(struct rt_rendezvous *rendezvous,
		 const struct rt_agent_options *options, struct rt_err *err);

/* --- the steps of it, for a root that is a rank as well (PMIx) -------------------- */

struct rt_agent;

/* Both are borrowed for the life of the agent.  -ENOMEM. */
int rt_agent_new(const struct rt_agent_options *options,
		 struct rt_rendezvous *rendezvous, struct rt_agent **ret_agent,
		 struct rt_err *err);
void rt_agent_free(struct rt_agent *agent); /* takes it; NULL is fine */

/*
 * Between things that take long before the traffic: peers hear that this rank lives, and
 * that somebody wants a stop is kept until there is traffic.
 */
void rt_agent_keep_alive(struct rt_agent *agent);

/*
 * Each takes the text of the root and makes the answer, a record (owned by the
 * caller).  What fails on this host, or makes no sense to it, stands in the answer; an
 * error is that the root has called it off (-ECANCELED) or -ENOMEM.
 */
int rt_agent_prepare(struct rt_agent *agent, const char *job, char **ret_ready,
		     struct rt_err *err);
int rt_agent_connect(struct rt_agent *agent, const char *peers, char **ret_connected,
		     struct rt_err *err);
int rt_agent_start(struct rt_agent *agent, const char *start,
		   struct rt_rendezvous *rendezvous, struct rt_err *err);

/*
 * Traffic, until the end, a stop, or the loss of the root (-ECONNRESET; the queue
 * pairs are gone then).  tick (may be NULL) is called every interval.
 */
int rt_agent_work(struct rt_agent *agent, struct rt_rendezvous *rendezvous,
		  void (*tick)(void *user, uint64_t elapsed_ns), void *user,
		  struct rt_err *err);
int rt_agent_report(struct rt_agent *agent, struct rt_rendezvous *rendezvous,
		    char **ret_report, struct rt_err *err);

/*
 * The gather of the agent's rendezvous, from the end of its traffic on: what peers
 * still send is answered meanwhile, where the rendezvous has a descriptor.
 */
int rt_agent_gather(struct rt_agent *agent, const char *mine, int64_t until_ns,
		    struct rt_texts *ret_all, struct rt_err *err);

#endif
