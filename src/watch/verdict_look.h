/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * verdict_look.h - what one port shows by itself: the evidence that rules share, and the
 * bounds above which it is any.
 */
#ifndef RT_WATCH_VERDICT_LOOK_H
#define RT_WATCH_VERDICT_LOOK_H

#include <stdbool.h>

#include "model/counters.h"
#include "watch/watch.h"

/* --- bounds ------------------------------------------------------------------------------ */

/* Below it PFC does what it is there for, and costs at most as much of the throughput. */
#define RT_PAUSED_PCT       1.0
/*
 * Frames alone say how long they could have stopped somebody, and most are taken back
 * long before.  A tenth of it would be above the bound.
 */
#define RT_UNCLEAR_PCT      (10 * RT_PAUSED_PCT)
/*
 * Above it a queue is stopped for good.  SONiC's watchdog asks for 99 % and a backlog and
 * nothing sent (sonic-swss pull request 3036), after 80 % alone gave false alarms.
 */
#define RT_STORM_PCT        99.0
/*
 * A CNP holds one queue pair back for some milliseconds: five steps of its timer, of
 * 300 us (NVIDIA's default) to 1.5 ms (DCQCN, SIGCOMM 2015).  So few cost nothing.
 */
#define RT_FEW_PS           10.0
/*
 * As a share of the frames.  A queue that marks one in ten thousand stands a hundredth of
 * the way from Kmin to Kmax, with a Pmax of 1 %.
 */
#define RT_MARKED_SHARE     1e-4
/*
 * A queue fills for a moment whenever two send at once; and a slow host fills its own
 * buffer first.
 */
#define RT_CONGESTED_NS     INT64_C(300000000)
/* Switches wait 200 to 400 ms before they call it a storm (SONiC, PFC watchdog). */
#define RT_STORM_NS         INT64_C(500000000)
/* Where intervals are shorter than anybody's, in a simulation, so many of them are long. */
#define RT_LONG_INTERVALS   5u
/*
 * What was seen so long ago still counts: senders recover slowly, and sources are not
 * all read at the same moment.
 */
#define RT_RECENT_NS        INT64_C(1000000000)
/* A port that sends so much of its link's speed has no room for more. */
#define RT_FULL_PCT         95.0
/* Hosts say as much to each other without anybody's work. */
#define RT_IDLE_BPS         1e6
/*
 * RDMA beside the lossless priorities.  CNPs, and connection management, travel there by
 * right, and are less than this of the traffic, and of the link.
 */
#define RT_CLASS_SHARE      0.01
#define RT_CLASS_LINK_SHARE 0.001
/*
 * Of the packets that came before one that was missing, so many were sent twice: what was
 * missing came by itself (go-back-N: IBTA 9.7.5.1.2 and 9.7.5.2.5, duplicates).
 */
#define RT_OVERTAKEN_SHARE  0.5
/*
 * What two sums of the same counters differ by is no more than rounding: rates of counters
 * are of 24 bits, so that theirs differ by 1.2e-7 of them at most.
 */
#define RT_SAME_SHARE       1e-6

/* --- rates ------------------------------------------------------------------------------- */

bool rt_look_above(struct rt_opt_f64 figure, double bound); /* unknown never is */
double rt_look_or_0(struct rt_opt_f64 figure);
bool rt_look_is_nic(const struct rt_watch_view *view);

/* Of a counter, as its set has it; of all priorities where only they are counted. */
struct rt_opt_f64 rt_look_rate(const struct rt_watch_view *view, enum rt_counter_id id,
			       unsigned prio);
struct rt_opt_f64 rt_look_total(const struct rt_watch_view *view,
				enum rt_counter_id id);

/* --- in words ---------------------------------------------------------------------------- */

struct rt_look_text {
	char text[16];
};
/* As tables have it, three digits and a prefix: "7.41k". */
struct rt_look_text rt_look_count(double count);
/* In Gb/s, without the unit: "40", "1600". */
struct rt_look_text rt_look_gbps(double bps);

/* --- pauses ------------------------------------------------------------------------------ */

enum rt_look_direction {
	RT_LOOK_PAUSED,  /* rx pause: by the peer */
	RT_LOOK_PAUSING, /* tx pause: the peer */
};

struct rt_look_pause {
	bool known;   /* how much, or that there is next to none */
	bool at_most; /* frames were counted, not how long they stopped anybody */
	bool link;    /* all of it (IEEE 802.3x), not of prio */
	unsigned prio;
	double pct; /* of the time, the worst */
};

struct rt_look_pause rt_look_pause(const struct rt_watch_view *view,
				   enum rt_look_direction direction);
/* Above RT_PAUSED_PCT, and that is known. */
bool rt_look_is_paused(const struct rt_watch_view *view);
bool rt_look_is_pausing(const struct rt_watch_view *view);
/* Or may be, for all that frames tell. */
bool rt_look_may_be_paused(const struct rt_watch_view *view);
bool rt_look_may_be_pausing(const struct rt_watch_view *view);
/* It may be, and would be if a tenth of what frames can ask for was meant. */
bool rt_look_is_unclear(const struct rt_watch_view *view,
			enum rt_look_direction direction);

/* "paused by peer 30 % of the time" */
struct rt_line;
void rt_look_put_pause(struct rt_line *line, const struct rt_watch_view *view,
		       enum rt_look_direction direction);

/* A priority stopped for good in this direction, nothing passing meanwhile; or -1. */
int rt_look_standstill(const struct rt_watch_view *view,
		       enum rt_look_direction direction);

/* --- time -------------------------------------------------------------------------------- */

/* How time has come on: the tick's end, and its length. */
struct rt_look_moment {
	int64_t time_ns;
	uint64_t elapsed_ns;
};

/* It is, or is not, at a moment. */
void rt_look_note(struct rt_watch_spell *spell, bool is, struct rt_look_moment now);
/* It is now, and has been for so long at least. */
bool rt_look_lasts(const struct rt_watch_spell *spell, struct rt_look_moment now,
		   int64_t least_ns);
/* It is, or was a moment ago. */
bool rt_look_is_recent(const struct rt_watch_spell *spell, struct rt_look_moment now);
/* It is, or was a moment before the tick began: what it led to may be seen only now. */
bool rt_look_is_followed(const struct rt_watch_spell *spell, struct rt_look_moment now);

/* --- the link ---------------------------------------------------------------------------- */

/* It is there, and has a link, or may have one. */
bool rt_look_has_link(const struct rt_watch_view *view);
/* Somebody has queue pairs on it that are connected. */
bool rt_look_is_used(const struct rt_watch_view *view);
/* It had a link, or was in use, for as long as is remembered. */
bool rt_look_had_link(const struct rt_watch_view *view);

/* Its cable or optics damaged something, or it went down. */
bool rt_look_is_damaged(const struct rt_watch_view *view);
/* "a second 3 symbol errors" */
void rt_look_put_damage(struct rt_line *line, const struct rt_watch_view *view);

/* --- congestion -------------------------------------------------------------------------- */

/* Marks: that came to a NIC, or that a switch's port made; 0 or unknown: too few. */
struct rt_opt_f64 rt_look_marks(const struct rt_watch_view *view);
/* CNPs that a NIC's senders had to obey; 0 or unknown: too few. */
struct rt_opt_f64 rt_look_cnps(const struct rt_watch_view *view);
/* Frames that queueing disciplines dropped before they came to the port. */
double rt_look_queue_drops(const struct rt_watch_view *view);
/* Frames that this port dropped and that are not known to be of lossless priorities. */
double rt_look_lossy_drops(const struct rt_watch_view *view);
/* But they may be: NICs of some drivers count what they drop for the port alone. */
bool rt_look_may_lose(const struct rt_watch_view *view);

/* --- loss -------------------------------------------------------------------------------- */

/* Something was, or had to be, sent again by this NIC. */
bool rt_look_resends(const struct rt_watch_view *view);
/* It is known that nothing was. */
bool rt_look_resends_nothing(const struct rt_watch_view *view);
/* Packets that were missing when others came had been on their way, only later. */
bool rt_look_is_overtaken(const struct rt_watch_view *view);

/* --- what can be judged ------------------------------------------------------------------ */

enum rt_look_extent {
	RT_LOOK_GONE,    /* the port is not there */
	RT_LOOK_NOT_YET, /* counters were read, but some have no rates yet */
	RT_LOOK_IDLE,
	RT_LOOK_WHOLE, /* whatever is wrong would be seen */
	RT_LOOK_PARTLY,
};
enum rt_look_extent rt_look_extent(const struct rt_watch_view *view);
/* What has no rate yet (RT_LOOK_NOT_YET), in words. */
void rt_look_not_yet(const struct rt_watch_view *view, struct rt_look_moment now,
		     char *text, size_t bytes);
/* What is missing for the whole, in words, with why. */
void rt_look_missing(const struct rt_watch_view *view, char *text, size_t bytes);

#endif
