/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * verdict_seen.h - what all ports show together, and what a rule is run over.
 *
 * Ports whose other end is seen, too, are of one network: what one of them shows may be
 * the doing of another.  Ports of a host whose peers nobody sees have nothing to do with
 * each other, as far as is known.
 */
#ifndef RT_WATCH_VERDICT_SEEN_H
#define RT_WATCH_VERDICT_SEEN_H

#include "watch/verdict_look.h"

struct rt_verdict_seen {
	/* Each the worst of the network; NULL: none. */
	const struct rt_watch_view *slow;    /* a NIC that pauses its peer */
	const struct rt_watch_view *holding; /* a switch's port that pauses its peer */
	const struct rt_watch_view *congested; /* a switch's port that nobody stops */
	const struct rt_watch_view *full;      /* a switch's port at its link's speed */
	const struct rt_watch_view *lossy;     /* a port that drops what may be lost */
	const struct rt_watch_view *lost;      /* a port that drops what may not */
	const struct rt_watch_view *overtaken; /* a NIC that packets come to twice */
	const struct rt_watch_view *marked;    /* a port with marks or CNPs */
	bool resends, told; /* some NIC does; all NICs tell whether they do */
};

/* What a port shows of congestion, whose doing that may be. */
struct rt_verdict_signs {
	bool paused, pausing; /* pausing: of a switch, whose queues are full then */
	double marks, cnps;   /* 0: too few */
	double drops;         /* by a switch, of what may be lost */
	bool full; /* a switch's port has no room, and others are held back */
	const struct rt_watch_view *dropping; /* elsewhere, and missed here */
};

struct rt_verdict_subject {
	const struct rt_watch_view *views; /* of all ports */
	size_t count;
	const struct rt_watch_view *view; /* the one to judge */
	const struct rt_watch_view *peer; /* its other end; NULL: it is not seen */
	const struct rt_watch_flows *flows;
	struct rt_look_moment now;
	struct rt_verdict_seen seen; /* of its network; empty without a peer */
	struct rt_verdict_signs signs;
};

/* Which port is at the other end of each; SIZE_MAX: not seen.  -ENOMEM. */
int rt_verdict_peers(const struct rt_watch_view *views, size_t count,
		     size_t **ret_peers);

/* Remember of each port what it shows at this moment.  peers: SIZE_MAX: not seen. */
void rt_verdict_remember(struct rt_watch_view *views, size_t count, const size_t *peers,
			 struct rt_look_moment now);

void rt_verdict_look_around(const struct rt_watch_view *views, size_t count,
			    const size_t *peers, struct rt_look_moment now,
			    struct rt_verdict_seen *ret_seen);

/* Of a subject that is whole but for its signs. */
struct rt_verdict_signs rt_verdict_signs(const struct rt_verdict_subject *subject);
/* This port shows something that packets may be missing for. */
bool rt_verdict_has_cause(const struct rt_verdict_subject *subject);
/* There is any sign. */
bool rt_verdict_is_congested(const struct rt_verdict_subject *subject);

#endif
