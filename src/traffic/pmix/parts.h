/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * parts.h - the rendezvous of a launcher that speaks PMIx (mpirun, srun --mpi=pmix):
 * what the files of the module share.
 *
 * Texts go round through the launcher's daemons: Put, Commit, Fence, Get, all of them
 * blocking.  PMIx has no way to ask everybody to stop at once that works everywhere
 * (PMIx_Notify_event() reaches nobody under Open MPI 4.1.4, and its mpirun hangs
 * afterwards), nor one to compare clocks.  So rank 0 also opens a port, tells the
 * others by PMIx where it is and with which token, and they keep a connection as to a
 * TCP coordinator: the side channel, for stop, heartbeat and clock.  Where not all can
 * reach it there is none, stop() says so, and clocks are compared by the time of day.
 */
#ifndef RT_TRAFFIC_PMIX_PARTS_H
#define RT_TRAFFIC_PMIX_PARTS_H

#include <pmix.h>
#include <stdatomic.h>

#include "traffic/rendezvous.h"
#include "traffic/tcp.h"
#include "traffic/tcp_wire.h"

#define PMIX_PARTS_HOST_BYTES RT_TCP_NAME_BYTES
#define PMIX_PARTS_WORD_BYTES 64u

/* What each rank tells of its host when it joins. */
struct pmix_host {
	char host[PMIX_PARTS_HOST_BYTES];
	/* What the kernel calls its boot and namespaces; "?": not known. */
	char boot[PMIX_PARTS_WORD_BYTES]; /* the same and ... */
	char time[PMIX_PARTS_WORD_BYTES]; /* ... the same: one clock */
	char net[PMIX_PARTS_WORD_BYTES];  /* one loopback, likewise */
	int64_t day_ns;                   /* time of day less CLOCK_MONOTONIC */
	uint64_t error_ns; /* the kernel's bound on how wrong the time of day is */
};

struct pmix_meeting {
	struct rt_rendezvous base; /* fd: of the side channel */
	pmix_proc_t me;
	size_t handler;
	bool handled;     /* handler is registered */
	atomic_bool lost; /* the launcher's daemon is gone; set by PMIx's thread */
	uint32_t number;  /* of the last exchange */
	char (*names)[PMIX_PARTS_HOST_BYTES]; /* owned; of all ranks */
	struct pmix_host own, root;
	bool one_host;               /* all ranks share a loopback device */
	struct rt_token token;       /* of the side channel */
	char *side_names;            /* owned; of ranks from 1, a number each */
	const char **side_name_list; /* owned */
	struct rt_rendezvous *side;  /* owned; NULL: there is none */
};

/* --- exchange.c: texts by Put, Fence, Get ----------------------------------------- */

/* Under a name of at most 15 characters, for the next pmix_fence(). */
int pmix_publish(struct pmix_meeting *meeting, const char *name, const char *text,
		 struct rt_err *err);
/* Commit, and wait until all have.  -ETIMEDOUT, -ECONNRESET, -EIO. */
int pmix_fence(struct pmix_meeting *meeting, int64_t deadline_ns, struct rt_err *err);
/* What rank published under name; the caller's.  -ENOENT: nothing. */
int pmix_look(struct pmix_meeting *meeting, uint32_t rank, const char *name,
	      char **ret_text, struct rt_err *err);
/* Connect to the launcher, and learn rank and size. */
int pmix_begin(struct pmix_meeting *meeting, struct rt_err *err);
void pmix_end(struct pmix_meeting *meeting);

/* --- hosts.c: who is where -------------------------------------------------------- */

int pmix_hosts_meet(struct pmix_meeting *meeting, int64_t deadline_ns,
		    struct rt_err *err);
/* Whether the root's CLOCK_MONOTONIC is ours. */
bool pmix_hosts_one_clock(const struct pmix_meeting *meeting);
/* The root's CLOCK_MONOTONIC less ours by the time of day. */
void pmix_hosts_clock(const struct pmix_meeting *meeting, int64_t *ret_offset_ns,
		      uint64_t *ret_error_ns);

/* --- side.c: the side channel ----------------------------------------------------- */

/* 0 also where there will be none. */
int pmix_side_open(struct pmix_meeting *meeting, int64_t deadline_ns,
		   struct rt_err *err);

#endif
