/* SPDX-License-Identifier: BSD-2-Clause */
/* verdict_look.c - what one port shows by itself. */
#include "watch/verdict_look.h"

#include <math.h>
#include <stdio.h>

#include "base/own.h"
#include "base/text.h"

#define PORT            RT_COUNTER_NO_PRIO
#define ROUNDS_UP       999.5 /* to four digits */
/* The longest pause that a frame asks for: 65535 quanta of 512 bit times (802.1Qbb). */
#define MOST_PAUSE_BITS (65535.0 * 512)

/* --- rates ------------------------------------------------------------------------------- */

bool rt_look_above(struct rt_opt_f64 figure, double bound)
{
	return figure.known && figure.value > bound;
}

double rt_look_or_0(struct rt_opt_f64 figure)
{
	return figure.known ? figure.value : 0;
}

bool rt_look_is_nic(const struct rt_watch_view *view)
{
	return view->port->role == RT_WATCH_NIC;
}

/* Listed, as the sampler has it, or searched for; RT_WATCH_NO_ITEM. */
static size_t item_of(const struct rt_watch_view *view, enum rt_counter_id id,
		      unsigned prio)
{
	const struct rt_counter_reading *item;

	if (!view->set || !view->per_s)
		return RT_WATCH_NO_ITEM;
	if (view->places)
		return view->places[id][prio < 8 ? prio : RT_WATCH_PLACE_PORT];
	item = rt_counter_find(view->set, id, prio);
	return item ? (size_t)(item - view->set->items) : RT_WATCH_NO_ITEM;
}

struct rt_opt_f64 rt_look_rate(const struct rt_watch_view *view, enum rt_counter_id id,
			       unsigned prio)
{
	const size_t item = item_of(view, id, prio);
	const double rate = item == RT_WATCH_NO_ITEM ? (double)NAN
						     : (double)view->per_s[item];

	return isnan(rate) ? (struct rt_opt_f64){ 0 } : RT_KNOWN_F64(rate);
}

struct rt_opt_f64 rt_look_total(const struct rt_watch_view *view, enum rt_counter_id id)
{
	struct rt_opt_f64 rate = rt_look_rate(view, id, PORT);
	double sum = 0;

	for (unsigned prio = 0; !rate.known && prio < 8; prio++) {
		const struct rt_opt_f64 of = rt_look_rate(view, id, prio);

		if (!of.known)
			return of;
		sum += of.value;
	}
	return rate.known ? rate : RT_KNOWN_F64(sum);
}

/* --- in words ---------------------------------------------------------------------------- */

static struct rt_look_text three_digits(double value, char prefix)
{
	const char tail[2] = { prefix, '\0' };
	struct rt_look_text text;

	if (value > 0 && value < 0.001)
		snprintf(text.text, sizeof(text.text), "<0.001");
	else if (value < ROUNDS_UP)
		snprintf(text.text, sizeof(text.text), "%.3g%s", value, tail);
	else
		snprintf(text.text, sizeof(text.text), "%.0f%s", value, tail);
	return text;
}

struct rt_look_text rt_look_count(double count)
{
	static const char prefixes[] = { '\0', 'k', 'M', 'G', 'T' };
	size_t at = 0;

	while (count >= ROUNDS_UP && at + 1 < sizeof(prefixes)) {
		count /= 1000;
		at++;
	}
	return three_digits(count, prefixes[at]);
}

struct rt_look_text rt_look_gbps(double bps)
{
	return three_digits(bps * 1e-9, '\0');
}

/* --- pauses ------------------------------------------------------------------------------ */

/* Where a direction's pauses are told. */
struct way {
	size_t pct, fps, link_pct;              /* offsets in figures */
	enum rt_counter_id frames, link_frames; /* of the port */
};
#define PRIO(member_) offsetof(struct rt_watch_prio, member_)
#define LINK(member_) offsetof(struct rt_watch_figures, member_)
static const struct way ways[] = {
	[RT_LOOK_PAUSED] = { PRIO(paused_pct), PRIO(paused_fps), LINK(link_paused_pct),
			     RT_COUNTER_PFC_RX_FRAMES, RT_COUNTER_PAUSE_RX_FRAMES },
	[RT_LOOK_PAUSING] = { PRIO(pausing_pct), PRIO(pausing_fps),
			      LINK(link_pausing_pct), RT_COUNTER_PFC_TX_FRAMES,
			      RT_COUNTER_PAUSE_TX_FRAMES },
};

static struct rt_opt_f64 at(const void *owner, size_t offset)
{
	return *(const struct rt_opt_f64 *)((const char *)owner + offset);
}

static double most_pct(const struct rt_watch_view *view, double frames_ps)
{
	const struct rt_opt_u64 *speed = &view->port->speed_bps;
	double pct = frames_ps > 0 ? 100 : 0;

	if (speed->known && speed->value > 0)
		pct = frames_ps * MOST_PAUSE_BITS / (double)speed->value * 100;
	return pct < 100 ? pct : 100;
}

static bool is_sure(const struct rt_look_pause *pause)
{
	return !pause->at_most && pause->pct > RT_PAUSED_PCT;
}

static bool is_worse(const struct rt_look_pause *a, const struct rt_look_pause *b)
{
	return is_sure(a) != is_sure(b) ? is_sure(a) : a->pct > b->pct;
}

/* Keep the worst; false: neither time nor frames are known. */
static bool weigh(const struct rt_watch_view *view, struct rt_opt_f64 pct,
		  struct rt_opt_f64 frames_ps, struct rt_look_pause like,
		  struct rt_look_pause *worst)
{
	like.at_most = !pct.known;
	like.pct = pct.known ? pct.value : most_pct(view, rt_look_or_0(frames_ps));
	if (is_worse(&like, worst))
		*worst = like;
	return pct.known || frames_ps.known;
}

struct rt_look_pause rt_look_pause(const struct rt_watch_view *view,
				   enum rt_look_direction direction)
{
	const struct rt_watch_figures *figures = &view->figures;
	const struct way *way = &ways[direction];
	const struct rt_opt_u64 lossless = view->port->lossless;
	struct rt_look_pause worst = { 0 };
	unsigned told = 0, wanted = lossless.known ? (unsigned)lossless.value : 0xff;
	bool link, any;

	for (unsigned prio = 0; prio < 8; prio++)
		if (weigh(view, at(&figures->prios[prio], way->pct),
			  at(&figures->prios[prio], way->fps),
			  (struct rt_look_pause){ .prio = prio }, &worst))
			told |= 1u << prio;
	/* Frames of all priorities together are worse than those of each. */
	if (wanted & ~told &&
	    weigh(view, (struct rt_opt_f64){ 0 }, rt_look_rate(view, way->frames, PORT),
		  (struct rt_look_pause){ .prio = 8 }, &worst))
		told = 0xff;
	link = weigh(view, at(figures, way->link_pct),
		     rt_look_rate(view, way->link_frames, PORT),
		     (struct rt_look_pause){ .link = true }, &worst);
	any = link || told;
	worst.known = is_sure(&worst) ||
		      (any && !(wanted & ~told & 0xff) && worst.pct <= RT_PAUSED_PCT);
	return worst;
}

bool rt_look_is_paused(const struct rt_watch_view *view)
{
	const struct rt_look_pause pause = rt_look_pause(view, RT_LOOK_PAUSED);

	return is_sure(&pause);
}

bool rt_look_is_pausing(const struct rt_watch_view *view)
{
	const struct rt_look_pause pause = rt_look_pause(view, RT_LOOK_PAUSING);

	return is_sure(&pause);
}

bool rt_look_may_be_paused(const struct rt_watch_view *view)
{
	return rt_look_pause(view, RT_LOOK_PAUSED).pct > RT_PAUSED_PCT;
}

bool rt_look_may_be_pausing(const struct rt_watch_view *view)
{
	return rt_look_pause(view, RT_LOOK_PAUSING).pct > RT_PAUSED_PCT;
}

bool rt_look_is_unclear(const struct rt_watch_view *view,
			enum rt_look_direction direction)
{
	const struct rt_look_pause pause = rt_look_pause(view, direction);

	return pause.at_most && pause.pct > RT_UNCLEAR_PCT;
}

void rt_look_put_pause(struct rt_line *line, const struct rt_watch_view *view,
		       enum rt_look_direction direction)
{
	const struct rt_look_pause pause = rt_look_pause(view, direction);

	rt_line_put(line, "%s%s %s%.3g %% of the time",
		    direction == RT_LOOK_PAUSED ? "paused by peer" : "pausing peer",
		    pause.link ? " (the whole link)" : "",
		    pause.at_most ? "at most " : "", pause.pct);
}

int rt_look_standstill(const struct rt_watch_view *view,
		       enum rt_look_direction direction)
{
	const bool sends = direction == RT_LOOK_PAUSED;

	for (unsigned prio = 0; prio < 8; prio++) {
		const struct rt_watch_prio *of = &view->figures.prios[prio];
		struct rt_opt_f64 passes = sends ? of->tx_bps : of->rx_bps;

		if (!rt_look_above(at(of, ways[direction].pct), RT_STORM_PCT))
			continue;
		if (!passes.known)
			passes = rt_look_rate(view,
					      sends ? RT_COUNTER_TX_FRAMES
						    : RT_COUNTER_RX_FRAMES,
					      prio);
		if (passes.known && passes.value == 0)
			return (int)prio;
	}
	return -1;
}

/* --- time -------------------------------------------------------------------------------- */

/* Time may have gone back, or far on: somebody plays a recording. */
static bool follows(const struct rt_watch_spell *spell, struct rt_look_moment now)
{
	const uint64_t gap_ns = (uint64_t)now.time_ns - (uint64_t)spell->last_ns;

	return spell->last_ns && now.time_ns >= spell->last_ns &&
	       gap_ns <= RT_RECENT_NS + now.elapsed_ns;
}

void rt_look_note(struct rt_watch_spell *spell, bool is, struct rt_look_moment now)
{
	if (!is) {
		/* Another sample of the same time, or of one before, says otherwise. */
		if (spell->last_ns >= now.time_ns)
			*spell = (struct rt_watch_spell){ 0 };
		return;
	}
	if (!follows(spell, now))
		spell->since_ns = (int64_t)((uint64_t)now.time_ns - now.elapsed_ns);
	spell->last_ns = now.time_ns;
}

bool rt_look_lasts(const struct rt_watch_spell *spell, struct rt_look_moment now,
		   int64_t least_ns)
{
	const uint64_t lasted_ns = (uint64_t)now.time_ns - (uint64_t)spell->since_ns;

	return spell->last_ns == now.time_ns &&
	       (lasted_ns >= (uint64_t)least_ns ||
		(now.elapsed_ns && lasted_ns >= now.elapsed_ns * RT_LONG_INTERVALS));
}

/* Where time went back nothing of it is left. */
static bool was_within(const struct rt_watch_spell *spell, struct rt_look_moment now,
		       uint64_t ns)
{
	return spell->last_ns && now.time_ns >= spell->last_ns &&
	       (uint64_t)now.time_ns - (uint64_t)spell->last_ns <= ns;
}

bool rt_look_is_recent(const struct rt_watch_spell *spell, struct rt_look_moment now)
{
	return was_within(spell, now, RT_RECENT_NS);
}

bool rt_look_is_followed(const struct rt_watch_spell *spell, struct rt_look_moment now)
{
	return was_within(spell, now, RT_RECENT_NS + now.elapsed_ns);
}

/* --- the link ---------------------------------------------------------------------------- */

bool rt_look_has_link(const struct rt_watch_view *view)
{
	return view->port->state != RT_WATCH_DOWN && view->port->state != RT_WATCH_GONE;
}

bool rt_look_is_used(const struct rt_watch_view *view)
{
	const struct rt_opt_u64 queue_pairs = view->port->queue_pairs;

	return view->port->state != RT_WATCH_GONE && queue_pairs.known &&
	       queue_pairs.value > 0;
}

bool rt_look_had_link(const struct rt_watch_view *view)
{
	return view->memory.linked.last_ns != 0;
}

static const struct {
	size_t rate; /* offset in figures */
	const char *what;
} damages[] = {
	{ LINK(fec_uncorrectable_ps), "blocks that FEC could not repair" },
	{ LINK(symbol_errors_ps), "symbol errors" },
	{ LINK(crc_errors_ps), "frames with a wrong FCS" },
	{ LINK(link_downs_ps), "times that the link went down" },
};

bool rt_look_is_damaged(const struct rt_watch_view *view)
{
	for (size_t i = 0; i < RT_ARRAY_SIZE(damages); i++)
		if (rt_look_above(at(&view->figures, damages[i].rate), 0))
			return true;
	return false;
}

void rt_look_put_damage(struct rt_line *line, const struct rt_watch_view *view)
{
	const char *between = "a second ";

	for (size_t i = 0; i < RT_ARRAY_SIZE(damages); i++) {
		const struct rt_opt_f64 rate = at(&view->figures, damages[i].rate);

		if (!rt_look_above(rate, 0))
			continue;
		rt_line_put(line, "%s%s %s", between, rt_look_count(rate.value).text,
			    damages[i].what);
		between = ", ";
	}
}

/* --- congestion -------------------------------------------------------------------------- */

/* Enough to matter, by itself and beside the frames; else 0. */
static struct rt_opt_f64 if_many(struct rt_opt_f64 rate, struct rt_opt_f64 frames)
{
	if (rate.known && (rate.value <= RT_FEW_PS ||
			   rate.value <= rt_look_or_0(frames) * RT_MARKED_SHARE))
		rate.value = 0;
	return rate;
}

static struct rt_opt_f64 frames_of(const struct rt_watch_view *view,
				   enum rt_counter_id rdma, enum rt_counter_id all)
{
	const struct rt_opt_f64 frames = rt_look_total(view, rdma);

	return frames.known ? frames : rt_look_total(view, all);
}

/* Some NICs never count marks; then the CNPs that they sent for them stand in. */
static struct rt_opt_f64 marks_in(const struct rt_watch_figures *figures)
{
	struct rt_opt_f64 cnps = figures->cnp_tx_ps;
	const double own = rt_look_or_0(figures->slow_restart_cnps_ps);

	if (cnps.known)
		cnps.value = cnps.value > own ? cnps.value - own : 0;
	return rt_look_above(figures->ce_ps, 0) || !cnps.known ? figures->ce_ps : cnps;
}

struct rt_opt_f64 rt_look_marks(const struct rt_watch_view *view)
{
	if (!rt_look_is_nic(view))
		return if_many(view->figures.marks_ps,
			       rt_look_total(view, RT_COUNTER_TX_FRAMES));
	return if_many(
		marks_in(&view->figures),
		frames_of(view, RT_COUNTER_RDMA_RX_FRAMES, RT_COUNTER_RX_FRAMES));
}

struct rt_opt_f64 rt_look_cnps(const struct rt_watch_view *view)
{
	return if_many(
		view->figures.cnp_rx_ps,
		frames_of(view, RT_COUNTER_RDMA_TX_FRAMES, RT_COUNTER_TX_FRAMES));
}

double rt_look_queue_drops(const struct rt_watch_view *view)
{
	const size_t item = item_of(view, RT_COUNTER_TX_DISCARDS, PORT);

	if (item == RT_WATCH_NO_ITEM ||
	    view->set->items[item].source != RT_SOURCE_QDISC)
		return 0;
	return rt_look_or_0(rt_look_rate(view, RT_COUNTER_TX_DISCARDS, PORT));
}

double rt_look_lossy_drops(const struct rt_watch_view *view)
{
	const double all = rt_look_or_0(view->figures.discards_ps);
	const double lossless = rt_look_or_0(view->figures.lossless_discards_ps);

	return all - lossless > all * RT_SAME_SHARE ? all - lossless : 0;
}

bool rt_look_may_lose(const struct rt_watch_view *view)
{
	const struct rt_opt_u64 lossless = view->port->lossless;

	return rt_look_above(view->figures.discards_ps, 0) &&
	       !view->figures.lossless_discards_ps.known &&
	       !(lossless.known && lossless.value == 0);
}

/* --- loss -------------------------------------------------------------------------------- */

bool rt_look_resends(const struct rt_watch_view *view)
{
	return rt_look_above(view->figures.naks_ps, 0) ||
	       rt_look_above(view->figures.timeouts_ps, 0);
}

bool rt_look_resends_nothing(const struct rt_watch_view *view)
{
	return view->figures.naks_ps.known && !rt_look_resends(view);
}

bool rt_look_is_overtaken(const struct rt_watch_view *view)
{
	const struct rt_opt_f64 gaps = view->figures.out_of_order_ps;
	const struct rt_opt_f64 twice = rt_look_rate(view, RT_COUNTER_DUPLICATES, PORT);

	return rt_look_above(gaps, 0) &&
	       rt_look_above(twice, gaps.value * RT_OVERTAKEN_SHARE) &&
	       rt_look_or_0(view->figures.discards_ps) == 0;
}

/* --- what can be judged ------------------------------------------------------------------ */

static bool tells_pauses(const struct rt_watch_view *view)
{
	return rt_look_pause(view, RT_LOOK_PAUSED).known &&
	       rt_look_pause(view, RT_LOOK_PAUSING).known;
}

static bool tells_marks(const struct rt_watch_view *view)
{
	return rt_look_marks(view).known &&
	       (!rt_look_is_nic(view) || rt_look_cnps(view).known);
}

static bool tells_loss(const struct rt_watch_view *view)
{
	return !rt_look_is_nic(view) || view->figures.loss_events_ps.known;
}

static bool tells_drops(const struct rt_watch_view *view)
{
	return (view->figures.discards_ps.known ||
		view->figures.lossless_discards_ps.known) &&
	       !rt_look_may_lose(view);
}

/* What has to be readable.  A link's own errors are not: they show as loss, too. */
static const struct {
	bool (*tells)(const struct rt_watch_view *view);
	const char *what;
	enum rt_counter_group group;
} needs[] = {
	{ tells_pauses, "pauses", RT_COUNTERS_PAUSE },
	{ tells_marks, "marks and CNPs", RT_COUNTERS_NOTIFICATION },
	{ tells_loss, "retransmissions", RT_COUNTERS_RETRANSMISSION },
	{ tells_drops, "discards", RT_COUNTERS_LOSS },
};

/* Some of these are counted, but without a rate yet. */
static bool will_tell(const struct rt_watch_view *view, enum rt_counter_group group)
{
	for (size_t i = 0; view->set && view->per_s && i < view->set->count; i++)
		if (isnan(view->per_s[i]) &&
		    rt_counters[view->set->items[i].counter].group == group)
			return true;
	return false;
}

static bool is_missing(const struct rt_watch_view *view, size_t need)
{
	return !needs[need].tells(view) && !will_tell(view, needs[need].group);
}

static bool is_idle(const struct rt_watch_figures *figures)
{
	const bool of_rdma = figures->rdma_rx_bps.known && figures->rdma_tx_bps.known;
	const struct rt_opt_f64 rx = of_rdma ? figures->rdma_rx_bps : figures->rx_bps;
	const struct rt_opt_f64 tx = of_rdma ? figures->rdma_tx_bps : figures->tx_bps;

	return rx.known && tx.known && rx.value < RT_IDLE_BPS && tx.value < RT_IDLE_BPS;
}

/* It has counters, and none has a rate yet. */
static bool is_new(const struct rt_watch_view *view)
{
	for (size_t i = 0; view->per_s && i < view->set->count; i++)
		if (!isnan(view->per_s[i]))
			return false;
	return view->set && view->set->count;
}

enum rt_look_extent rt_look_extent(const struct rt_watch_view *view)
{
	bool tells = true, missing = false;

	if (view->port->state == RT_WATCH_GONE)
		return RT_LOOK_GONE;
	if (is_idle(&view->figures))
		return RT_LOOK_IDLE;
	for (size_t i = 0; i < RT_ARRAY_SIZE(needs); i++) {
		tells &= needs[i].tells(view);
		missing |= is_missing(view, i);
	}
	if (tells)
		return RT_LOOK_WHOLE;
	return missing && !is_new(view) ? RT_LOOK_PARTLY : RT_LOOK_NOT_YET;
}

/* Where frames are counted it is not known how long they stop anybody. */
static const char *what_of(const struct rt_watch_view *view, size_t need)
{
	if (needs[need].tells == tells_pauses &&
	    (rt_look_may_be_paused(view) || rt_look_may_be_pausing(view)))
		return "how long pauses last";
	return needs[need].what;
}

void rt_look_not_yet(const struct rt_watch_view *view, struct rt_look_moment now,
		     char *text, size_t bytes)
{
	struct rt_line line = { text, bytes, 0 };
	const char *between = "no rate yet of ";

	*text = '\0';
	for (size_t i = 0; i < RT_ARRAY_SIZE(needs); i++)
		if (!needs[i].tells(view)) {
			rt_line_put(&line, "%s%s", between, needs[i].what);
			between = ", ";
		}
	rt_line_put(&line, "%s",
		    now.elapsed_ns ? ": what is read was not seen to change"
				   : ": this is the first sample");
}

void rt_look_missing(const struct rt_watch_view *view, char *text, size_t bytes)
{
	struct rt_line line = { text, bytes, 0 };
	const char *between = "not readable: ";

	*text = '\0';
	if (view->set && view->set->count == 0 && *view->port->note) {
		rt_line_put(&line, "%s", view->port->note);
		return;
	}
	for (size_t i = 0; i < RT_ARRAY_SIZE(needs); i++)
		if (is_missing(view, i)) {
			rt_line_put(&line, "%s%s", between, what_of(view, i));
			between = ", ";
		}
	for (size_t i = 0; i < view->pace_count; i++)
		if (view->paces[i].state == RT_LOOK_FAILED)
			rt_line_put(&line, "; no %s: %.80s",
				    rt_name_of(rt_counter_source_names,
					       view->paces[i].source),
				    view->paces[i].why);
}
