/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stress_meet.h - how the hosts of a stress run come together: by the launcher that
 * started this process (PMIx), or as agents that dial a coordinator (TCP).
 */
#ifndef RT_RUN_STRESS_MEET_H
#define RT_RUN_STRESS_MEET_H

#include <stdbool.h>
#include <stdint.h>

#include "rocetune/field.h"
#include "run/agent.h"
#include "run/stress.h"

struct rt_err;

struct rt_stress_meeting {
	const char *listen; /* "[HOST:]PORT"; NULL: loopback, the usual port */
	const char
		*hosts; /* "n[01-64]", who may join, in the order of ranks; or NULL */
	struct rt_opt_u64 agents; /* so many, whoever comes; without hosts */
	const char *token_file;   /* NULL: $ROCETUNE_TOKEN, else a fresh one is told */
	uint64_t wait_ns;         /* for all to come */
	/* What people should know meanwhile, in a sentence; or NULL. */
	void (*note)(void *context, const char *text);
	void *context;
};

/* True when a launcher with PMIx started this process. */
bool rt_stress_is_launched(void);

/*
 * Meet, run, part.  *ret_outcome is that of rt_run_stress() at the root, and empty at
 * the other ranks of a launcher.  asked->own: of this host, heeded under a launcher.
 * -EDESTADDRREQ: no way to any host was given.  -EDOM: the place, the list of hosts or
 * the wish is wrong, which is found before any host is waited for.  Else as
 * rt_tcp_serve(), rt_tcp_meet(), and rt_run_stress().
 */
int rt_stress_meet(const struct rt_stress_meeting *meeting,
		   const struct rt_stress_asked *asked, struct rt_outcome *ret_outcome,
		   struct rt_err *err);

struct rt_agent_join {
	const char *coordinator; /* "HOST[:PORT]" */
	const char *token_file;  /* NULL: $ROCETUNE_TOKEN */
	const char *name;        /* NULL: that of the host */
	uint64_t wait_ns;        /* for the coordinator to be there */
};

/* Join, run, part.  As rt_tcp_join() and rt_agent_run(). */
int rt_agent_join(const struct rt_agent_join *join,
		  const struct rt_agent_options *options, struct rt_err *err);

#endif
