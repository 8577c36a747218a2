/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * watch.h - the sampler: samples of a source become rates over measured time, figures,
 * verdicts, histories and events, which the dashboard, batch output and the exporter
 * draw.
 *
 * Unknown stays unknown (NaN in arrays, a bit in figures).  A counter that begins anew is
 * a gap and never negative; one of 32 bits that passed its end goes on.  A rate is over
 * the time between the two readings of its source that it rests on, so that a source that
 * is read or refreshed seldom keeps its rate until the next reading, and its age is told.
 */
#ifndef RT_WATCH_WATCH_H
#define RT_WATCH_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/finding.h"
#include "watch/sample.h"

struct rt_err;
struct rt_watch;
struct rt_watch_source;

#define RT_WATCH_MIN_INTERVAL_NS INT64_C(100000000)
#define RT_WATCH_MAX_INTERVAL_NS INT64_C(60000000000)
#define RT_WATCH_POINTS          240u  /* of each history */
#define RT_WATCH_MAX_EVENTS      1000u /* the oldest go */

/* --- figures ------------------------------------------------------------------------------- */

/* Of a priority. */
struct rt_watch_prio {
	struct rt_opt_f64 paused_pct;  /* rx pause: our peer stopped us, of the time */
	struct rt_opt_f64 pausing_pct; /* tx pause: we stopped our peer */
	struct rt_opt_f64 paused_fps, pausing_fps; /* pause frames a second */
	struct rt_opt_f64 rx_bps, tx_bps;
	struct rt_opt_f64 discards_ps; /* frames that this port dropped */
};

/*
 * What is derived from a port's counters; _ps: a second.  Throughput, not goodput: what
 * was sent again is in it.
 */
struct rt_watch_figures {
	struct rt_opt_f64 rx_bps, tx_bps, rx_pct, tx_pct; /* pct: of the link */
	struct rt_opt_f64 rdma_rx_bps, rdma_tx_bps;
	struct rt_opt_f64 paused_pct, pausing_pct; /* the worst of its priorities */
	struct rt_opt_f64 link_paused_pct, link_pausing_pct; /* IEEE 802.3x */
	struct rt_opt_f64 ce_ps;        /* marked frames that came in (NP) */
	struct rt_opt_f64 marks_ps;     /* sent frames that this port marked */
	struct rt_opt_f64 cnp_tx_ps;    /* sent by the notification point */
	struct rt_opt_f64 cnp_rx_ps;    /* handled by the RP, without slow restart's */
	struct rt_opt_f64 cnp_most_pct; /* of what pacing of CNPs lets one QP cause */
	struct rt_opt_f64 slow_restart_cnps_ps;
	struct rt_opt_f64 loss_events_ps; /* gaps, NAKs, time-outs, whichever is more */
	struct rt_opt_f64 out_of_order_ps, naks_ps, timeouts_ps, rnr_ps;
	struct rt_opt_f64
		retry_exceeded_ps; /* queue pairs that gave up, for any cause */
	struct rt_opt_f64 discards_ps, lossless_discards_ps;
	struct rt_opt_f64 out_of_buffer_ps;
	struct rt_opt_f64 symbol_errors_ps, fec_uncorrectable_ps, crc_errors_ps;
	struct rt_opt_f64 link_downs_ps, pcie_stalls_ps;
	struct rt_watch_prio prios[8];
};
extern const struct rt_table rt_watch_figures_table, rt_watch_prio_table;

/* --- verdicts -------------------------------------------------------------------------------- */

/* What is wrong with a port, the gravest first. */
enum rt_verdict {
	RT_VERDICT_LOSS,    /* loss on a lossless priority */
	RT_VERDICT_LINK,    /* cable, optics, slot */
	RT_VERDICT_STORM,   /* paused for ever, with something to send */
	RT_VERDICT_HOST,    /* this host, or the receiver, is slow */
	RT_VERDICT_CLASS,   /* RDMA on a priority that is not lossless */
	RT_VERDICT_SILENT,  /* retransmissions, and neither CNPs nor pauses */
	RT_VERDICT_NETWORK, /* congestion */
	RT_VERDICT_REORDER, /* packets overtake each other, none is lost */
	RT_VERDICT_UNKNOWN, /* cannot be judged from what is readable */
	RT_VERDICT_OK,
	RT_VERDICT_COUNT,
};
extern const struct rt_name rt_verdict_names[];

/* --- what is shown ---------------------------------------------------------------------------- */

/* What histories hold, beside those of each counter. */
enum rt_watch_column {
	RT_COLUMN_RX_BPS,
	RT_COLUMN_TX_BPS,
	RT_COLUMN_PAUSED_PCT,
	RT_COLUMN_PAUSING_PCT,
	RT_COLUMN_CE_PS,
	RT_COLUMN_CNP_TX_PS,
	RT_COLUMN_CNP_RX_PS,
	RT_COLUMN_LOSS_EVENTS_PS,
	RT_COLUMN_DISCARDS_PS,
	RT_COLUMN_COUNT,
};

/* Where items are: by counter, then eight priorities and the port's own. */
#define RT_WATCH_PLACES     9u
#define RT_WATCH_PLACE_PORT 8u
#define RT_WATCH_NO_ITEM    UINT16_MAX

/* How a source of a port does. */
struct rt_watch_pace {
	unsigned source;              /* enum rt_counter_source */
	unsigned state;               /* enum rt_counter_look_state */
	char why[160];                /* when it failed */
	struct rt_opt_u64 refresh_ns; /* measured: its values change this often */
	struct rt_opt_u64 age_ns;     /* since its values last said something */
	uint64_t cost_ns;             /* of its last reading */
	uint64_t every_ns;            /* read so often; above the interval: slowed */
	bool slowed; /* reading it took more than a tenth of the interval */
	bool old;    /* its values are older than three intervals */
};
extern const struct rt_table rt_watch_pace_table;

/* Something that goes on, on the sample's clock; last_ns 0: it never did. */
struct rt_watch_spell {
	int64_t since_ns, last_ns;
};

/* What verdicts remember from tick to tick (verdict.h). */
struct rt_watch_memory {
	struct rt_watch_spell stopped, stopping; /* a priority, by the peer; the peer */
	struct rt_watch_spell congested;
	struct rt_watch_spell linked;      /* it has a link, or is in use */
	struct rt_watch_spell notified;    /* CNPs come that its senders obey */
	struct rt_watch_spell caused;      /* something that loss may follow from */
	struct rt_watch_spell slow;        /* a host that pauses its peer */
	struct rt_watch_spell lossy, lost; /* drops what may be lost, what may not */
};

struct rt_watch_view {
	const struct rt_watch_port *port;
	const struct rt_counter_set *set;
	/* By enum rt_counter_id: items of set, or RT_WATCH_NO_ITEM; NULL: not listed. */
	const uint16_t (*places)[RT_WATCH_PLACES];
	const float *per_s;    /* by item of set: its rate; NaN: unknown */
	const uint64_t *since; /* by item: since the baseline; UINT64_MAX: unknown */
	struct rt_watch_figures figures;
	unsigned verdict;            /* enum rt_verdict */
	struct rt_findings findings; /* gravest first; see rt_watch_explain() */
	struct rt_watch_memory memory;
	struct rt_watch_pace paces[RT_SOURCE_COUNT];
	size_t pace_count;
};

/*
 * Where a figure that is known is read: bits of enum rt_counter_source, of all counters
 * that it rests on.  figure: its offset in struct rt_watch_figures.
 */
unsigned rt_watch_figure_sources(const struct rt_watch_view *view, size_t figure);
/* The same of the rate of a counter of the port; 0: unknown. */
unsigned rt_watch_counter_sources(const struct rt_watch_view *view,
				  enum rt_counter_id id);

enum rt_watch_event_kind {
	RT_EVENT_FINDING_BEGAN,
	RT_EVENT_FINDING_ENDED,
	RT_EVENT_PORT, /* came, went, up, down */
	RT_EVENT_COUNTERS_RESET,
	RT_EVENT_SOURCE, /* failed, slowed */
};
extern const struct rt_name rt_watch_event_kind_names[];

struct rt_watch_event {
	uint64_t number; /* from 1 */
	int64_t time_ns, wall_ns;
	unsigned kind;     /* enum rt_watch_event_kind */
	unsigned severity; /* enum rt_severity */
	char port[64];
	char id[64]; /* of the rule; "" */
	char text[200];
	bool acknowledged;
};
extern const struct rt_table rt_watch_event_table;

/* All that is known after a tick, but for evidence; valid until the next one. */
struct rt_watch_snapshot {
	const char *title;
	uint64_t ticks;
	int64_t time_ns, wall_ns;
	uint64_t elapsed_ns;  /* since the tick before; 0: it is the first */
	uint64_t interval_ns; /* wished; of a source with a time of its own: nothing */
	bool own_time;        /* the source has one (recordings, simulations) */
	uint64_t cost_ns;     /* of sampling and deriving */
	const struct rt_watch_view *views; /* by port number */
	size_t count;
	const struct rt_watch_flows *flows;
	const struct rt_watch_event *events; /* the oldest first */
	size_t event_count;
	struct rt_opt_u64 baseline_ns; /* age of the baseline; unknown: none */
	bool ended;                    /* the source has no more */
	char said[200];                /* why the last tick brought nothing; "" */
};

/* --- using it ------------------------------------------------------------------------------------ */

/* Takes the source, also on failure.  interval_ns: within the bounds above.  -ENOMEM. */
int rt_watch_open(struct rt_watch_source *source, uint64_t interval_ns,
		  struct rt_watch **ret_watch, struct rt_err *err);
void rt_watch_close(struct rt_watch *watch); /* NULL is fine */

/*
 * Sample and derive.  A source's error is in the snapshot's said, and 0 is returned; its
 * end (-ENODATA) is told once there and then returned.  -ENOMEM.
 */
int rt_watch_tick(struct rt_watch *watch, struct rt_err *err);
/*
 * Findings have no evidence, as few ticks are looked at, until this has filled it in for
 * who shows words; the rest of the snapshot stays as it is.  Once a tick; again it costs
 * nothing.  -ENOMEM.
 */
int rt_watch_explain(struct rt_watch *watch, struct rt_err *err);
const struct rt_watch_snapshot *rt_watch_look(const struct rt_watch *watch);

/*
 * How long to wait for the next tick, at now_ns (CLOCK_MONOTONIC), 0: it is due.  speed:
 * of a source with a time of its own, 1: as it was; 0: as fast as it goes.
 */
uint64_t rt_watch_wait_ns(struct rt_watch *watch, int64_t now_ns, double speed);
void rt_watch_set_interval(struct rt_watch *watch, uint64_t interval_ns);

/* -EOPNOTSUPP: the source cannot.  Histories start anew; events stay. */
int rt_watch_seek(struct rt_watch *watch, int64_t time_ns, struct rt_err *err);

/* Deltas are from now on since this tick; hardware is never cleared. */
int rt_watch_set_baseline(struct rt_watch *watch, struct rt_err *err);
void rt_watch_clear_baseline(struct rt_watch *watch);

void rt_watch_acknowledge(struct rt_watch *watch, uint64_t event_number);

/*
 * The newest count values of a port, the newest last; NaN: unknown.  Returns how many
 * there are.  Of a column, or of a counter by its place in the view's set.
 */
size_t rt_watch_history(const struct rt_watch *watch, size_t port,
			enum rt_watch_column column, float *values, size_t count);
size_t rt_watch_counter_history(const struct rt_watch *watch, size_t port, size_t item,
				float *values, size_t count);

/*
 * Write every sample from the next tick on to a file (watch/recording.h); NULL: stop.
 * -EEXIST: the file is there.  What writing says later is an event and ends it; stopping
 * says it once more, and what closing the file said: not all of it is there.
 */
int rt_watch_record(struct rt_watch *watch, const char *path, struct rt_err *err);
/* Where; NULL: nowhere. */
const char *rt_watch_recording(const struct rt_watch *watch);
/* Why nothing is recorded any more, though nobody stopped it; NULL: that is not so. */
const char *rt_watch_recording_lost(const struct rt_watch *watch);

#endif
