/* SPDX-License-Identifier: BSD-2-Clause */
/* tcp_agent.h - an agent's state, shared by the files that make it up. */
#ifndef RT_TRAFFIC_TCP_AGENT_H
#define RT_TRAFFIC_TCP_AGENT_H

#include "traffic/tcp.h"
#include "traffic/tcp_line.h"

#define RT_TCP_AGENT_AHEAD 4u /* texts that the root may be ahead of us */

/* One answer of the root: its clock less ours, wrong by error_ns at most. */
struct rt_tcp_offset {
	int64_t offset_ns;
	uint64_t error_ns;
	int64_t at_ns; /* when */
};

struct rt_tcp_agent {
	struct rt_rendezvous base; /* fd: of line */
	struct rt_tcp_budget budget;
	struct rt_tcp_line line;
	char name[RT_TCP_NAME_BYTES];
	char other_name[32]; /* of a rank that was asked for last */
	uint32_t number;     /* of the gather or scatter under way, or last */
	enum rt_tcp_call asking;
	struct {
		uint32_t number;
		char *text; /* owned */
	} ahead[RT_TCP_AGENT_AHEAD];
	unsigned ahead_count;
	struct rt_rendezvous_news news; /* not yet told */
	bool lost;
	char lost_why[RT_TCP_REASON_BYTES];
	bool one_clock;            /* the root is of this host */
	struct rt_tcp_offset best; /* with its age, the surest */
	unsigned probes;           /* answered so far */
	unsigned hurried;          /* probes sent before they were due */
	int64_t probed_ns;
};

/* Over a line that leads to the root; takes it. */
struct rt_tcp_agent *rt_tcp_agent_new(const struct rt_tcp_line *line, uint32_t rank,
				      uint32_t size, const char *name);
void rt_tcp_agent_free(struct rt_tcp_agent *agent);

/* Ask for the root's time, and wait until until_ns for what comes. */
void rt_tcp_agent_probe(struct rt_tcp_agent *agent);
void rt_tcp_agent_step(struct rt_tcp_agent *agent, int64_t until_ns);

/* rt_tcp_heard() of an agent. */
void rt_tcp_agent_heard(struct rt_rendezvous *agent);

#endif
