/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pauses.c - who paused whom, and for how long.
 *
 * A pause frame stops the other end of the link for quanta * 512 bit times; the
 * next one for that priority replaces what was left, 0 ends it (802.3 annex
 * 31B, 802.1Qbb).  So paused time is the union of [t, min(t + pause, next
 * frame)], never the sum of the quanta: senders repeat themselves at half time.
 * Without a link speed there are quanta but no time.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stage.h"
#include "base/own.h"
#include "rocetune/err.h"

/* One timer of a pausing port: its state and what it adds up to. */
struct timer {
	bool seen;
	bool on;                   /* the last frame was an XOFF */
	int64_t from_ns, since_ns; /* begin of the piece, of the whole interval */
	int64_t until_ns;
	uint64_t xoff, xon, quanta, max_quanta;
	uint64_t refreshes, row_of_refreshes, longest_refreshes;
	uint64_t intervals, paused_ns, longest_ns;
};

struct pauser {
	uint16_t interface;
	uint8_t source[6];
	uint8_t kind; /* enum rt_pause_kind */
	enum rt_pauser pauser;
	bool untimed; /* one of its frames has no time stamp */
	struct rt_opt_u64 speed_bps;
	struct timer timers[RT_PRIO_COUNT]; /* 802.3x: only the first */
};

struct pauses {
	struct pauser *ports; /* owned */
	size_t count, capacity;
	uint64_t pfc_frames, pause_frames, overflow;
	bool untimed;
	size_t last; /* where the last search ended: most often the same again */
};

static struct rt_opt_u64 speed_of(const struct rt_stage_context *context,
				  uint16_t interface)
{
	if (context->link_speed_bps.known && context->link_speed_bps.value)
		return context->link_speed_bps;
	if (interface < context->interface_count &&
	    context->interfaces[interface].speed_bps)
		return RT_KNOWN_U64(context->interfaces[interface].speed_bps);
	return (struct rt_opt_u64){ 0 };
}

static bool is_port(const struct pauser *port, const struct pauser *key)
{
	return port->interface == key->interface && port->kind == key->kind &&
	       memcmp(port->source, key->source, sizeof(port->source)) == 0;
}

static struct pauser *find_port(struct pauses *pauses, const struct pauser *key)
{
	if (pauses->last < pauses->count && is_port(&pauses->ports[pauses->last], key))
		return &pauses->ports[pauses->last];
	for (size_t i = 0; i < pauses->count; i++)
		if (is_port(&pauses->ports[i], key)) {
			pauses->last = i;
			return &pauses->ports[i];
		}
	return NULL;
}

/* NULL in *ret_port: no room. */
static int add_port(struct pauses *pauses, const struct pauser *key,
		    struct pauser **ret_port, struct rt_err *err)
{
	struct pauser *ports;

	*ret_port = NULL;
	if (pauses->count == RT_ANALYSIS_MAX_PAUSERS)
		return 0;
	ports = rt_grow(pauses->ports, pauses->count, &pauses->capacity,
			sizeof(*ports));
	if (!ports)
		return rt_err_sys(err, -ENOMEM, "cannot hold more pausing ports");
	pauses->ports = ports;
	pauses->last = pauses->count++;
	ports[pauses->last] = *key;
	*ret_port = &ports[pauses->last];
	return 0;
}

/* Time runs up to now_ns: what of the pause has passed is added. */
static void run_timer(struct timer *timer, int64_t now_ns)
{
	const int64_t end = timer->until_ns < now_ns ? timer->until_ns : now_ns;
	uint64_t whole;

	if (!timer->on || end <= timer->from_ns)
		return;
	timer->paused_ns += rt_elapsed_ns(timer->from_ns, end);
	timer->from_ns = end;
	whole = rt_elapsed_ns(timer->since_ns, end);
	if (whole > timer->longest_ns)
		timer->longest_ns = whole;
}

static int64_t add_ns(int64_t time_ns, uint64_t ns)
{
	int64_t sum;

	return __builtin_add_overflow(time_ns, (int64_t)ns, &sum) ? INT64_MAX : sum;
}

static void take_xoff(struct timer *timer, int64_t now_ns, uint16_t quanta,
		      struct rt_opt_u64 speed_bps)
{
	const bool running = timer->on && timer->until_ns >= now_ns;

	timer->xoff++;
	timer->quanta += quanta;
	if (quanta > timer->max_quanta)
		timer->max_quanta = quanta;
	/* Without a speed nobody knows whether the last one had run out. */
	if (speed_bps.known && running) {
		timer->refreshes++;
		if (++timer->row_of_refreshes > timer->longest_refreshes)
			timer->longest_refreshes = timer->row_of_refreshes;
	} else {
		timer->row_of_refreshes = 0;
	}
	timer->on = true;
	if (!speed_bps.known)
		return;
	if (!running) {
		timer->intervals++;
		timer->since_ns = now_ns;
	}
	timer->from_ns = now_ns;
	timer->until_ns = add_ns(now_ns, rt_pause_ns(quanta, speed_bps.value));
}

static void take_frame(struct timer *timer, int64_t now_ns, uint16_t quanta,
		       struct rt_opt_u64 speed_bps)
{
	/* Stamps may go back a little; a timer never runs backwards. */
	if (timer->seen && now_ns < timer->from_ns)
		now_ns = timer->from_ns;
	timer->seen = true;
	run_timer(timer, now_ns);
	if (quanta) {
		take_xoff(timer, now_ns, quanta, speed_bps);
		return;
	}
	timer->xon++;
	timer->on = false;
}

/* For its timers; unknown where times are: then nobody knows what has run out. */
static struct rt_opt_u64 timing_of(const struct pauser *port)
{
	return port->untimed ? (struct rt_opt_u64){ 0 } : port->speed_bps;
}

int rt_pauses_take(void *state, const struct rt_stage_context *context,
		   const struct rt_frame *frame, struct rt_err *err)
{
	struct pauses *pauses = state;
	const bool pfc = frame->kind == RT_FRAME_PFC;
	struct pauser key = { .interface = frame->interface,
			      .kind = pfc ? RT_PAUSE_PFC : RT_PAUSE_802_3X };
	struct pauser *port;
	int r = 0;

	memcpy(key.source, frame->eth_src, sizeof(key.source));
	pauses->pfc_frames += pfc;
	pauses->pause_frames += !pfc;
	port = find_port(pauses, &key);
	if (!port) {
		key.speed_bps = speed_of(context, frame->interface);
		r = add_port(pauses, &key, &port, err);
	}
	pauses->overflow += r == 0 && !port;
	if (!port)
		return r;
	if (frame->flags & RT_FRAME_NO_TIME)
		port->untimed = pauses->untimed = true;
	for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++)
		if (frame->pause.enable >> prio & 1)
			take_frame(&port->timers[prio], frame->time_ns,
				   frame->pause.quanta[prio], timing_of(port));
	return 0;
}

/* --- result ---------------------------------------------------------------- */

/*
 * Pause frames do not pass a switch.  So a port whose address is also the source
 * of RoCE frames at this interface is the host at the end of the link; switch
 * ports have addresses of their own, which forwarded frames do not carry.
 */
static int by_address(const void *a, const void *b)
{
	const struct pauser *first = *(const struct pauser *const *)a;
	const struct pauser *second = *(const struct pauser *const *)b;

	if (first->interface != second->interface)
		return first->interface < second->interface ? -1 : 1;
	return memcmp(first->source, second->source, sizeof(first->source));
}

/* By an index, so that many flows and many ports do not cost their product. */
static int find_hosts(struct pauses *pauses, const struct rt_flows *flows,
		      struct rt_err *err)
{
	RT_AUTO(rt_auto_free) struct pauser **index = NULL;
	const size_t count = pauses->count;

	index = calloc(count + 1, sizeof(*index));
	if (!index)
		return rt_err_sys(err, -ENOMEM, "cannot sort the pausing ports");
	for (size_t i = 0; i < count; i++)
		index[i] = &pauses->ports[i];
	qsort(index, count, sizeof(*index), by_address);
	for (uint32_t i = 0; i < flows->count; i++) {
		struct pauser host = { .interface = rt_flow_at(flows, i)->interface };
		struct pauser *const key = &host, **found;

		memcpy(host.source, rt_flow_more_at(flows, i)->eth_src,
		       sizeof(host.source));
		found = bsearch(&key, index, count, sizeof(*index), by_address);
		if (!found || (*found)->pauser == RT_PAUSER_HOST)
			continue;
		/* a port may send both kinds of pauses */
		for (size_t at = 0; at < count; at++)
			if (by_address(&index[at], &key) == 0)
				index[at]->pauser = RT_PAUSER_HOST;
	}
	return 0;
}

static void fill_row(const struct pauser *port, unsigned prio, struct timer *timer,
		     const struct rt_stage_context *context,
		     struct rt_analysis_pause *row)
{
	*row = (struct rt_analysis_pause){
		.interface = port->interface,
		.kind = port->kind,
		.xoff = timer->xoff,
		.xon = timer->xon,
		.quanta = timer->quanta,
		.max_quanta = timer->max_quanta,
		.speed_bps = port->speed_bps,
	};
	memcpy(row->source, port->source, sizeof(row->source));
	row->pauser = port->pauser;
	if (port->kind == RT_PAUSE_PFC)
		row->priority = RT_KNOWN_U64(prio);
	if (!timing_of(port).known)
		return;
	run_timer(timer, context->max_ns);
	row->refreshes = RT_KNOWN_U64(timer->refreshes);
	row->longest_refreshes = RT_KNOWN_U64(timer->longest_refreshes);
	row->intervals = RT_KNOWN_U64(timer->intervals);
	row->paused_ns = RT_KNOWN_U64(timer->paused_ns);
	row->longest_ns = RT_KNOWN_U64(timer->longest_ns);
	row->open_ns = RT_KNOWN_U64(
		timer->on ? rt_elapsed_ns(context->max_ns, timer->until_ns) : 0);
	if (context->max_ns > context->min_ns)
		row->share_pct = RT_KNOWN_F64(
			100.0 * (double)timer->paused_ns /
			(double)rt_elapsed_ns(context->min_ns, context->max_ns));
}

/* Paused most first; where times are not known, by what was asked for. */
static int by_paused_time(const void *a, const void *b)
{
	const struct rt_analysis_pause *first = a, *second = b;
	const int r = memcmp(first->source, second->source, sizeof(first->source));

	if (first->paused_ns.value != second->paused_ns.value)
		return first->paused_ns.value < second->paused_ns.value ? 1 : -1;
	if (first->quanta != second->quanta)
		return first->quanta < second->quanta ? 1 : -1;
	if (first->interface != second->interface)
		return first->interface < second->interface ? -1 : 1;
	if (r != 0)
		return r;
	return first->priority.value < second->priority.value ? -1 : 1;
}

/* After sorting. */
static void name_longest(struct rt_analysis_pauses *out)
{
	const struct rt_analysis_pause *most = &out->ports[0];
	char priority[16] = "";

	if (out->port_count == 0)
		return;
	out->longest_ns = most->paused_ns;
	if (most->priority.known)
		snprintf(priority, sizeof(priority), ", priority %u",
			 (unsigned)most->priority.value);
	snprintf(out->longest_port, sizeof(out->longest_port),
		 "%02x:%02x:%02x:%02x:%02x:%02x at interface %u%s", most->source[0],
		 most->source[1], most->source[2], most->source[3], most->source[4],
		 most->source[5], (unsigned)most->interface, priority);
}

static void sum_up(struct rt_analysis_pauses *out)
{
	bool timed = true;
	uint64_t xoff = 0, xon = 0, paused_ns = 0;

	for (size_t i = 0; i < out->port_count; i++) {
		xoff += out->ports[i].xoff;
		xon += out->ports[i].xon;
		timed = timed && out->ports[i].paused_ns.known &&
			!__builtin_add_overflow(
				paused_ns, out->ports[i].paused_ns.value, &paused_ns);
	}
	out->xoff = RT_KNOWN_U64(xoff);
	out->xon = RT_KNOWN_U64(xon);
	/* Decades of pauses, of a damaged file, have no sum. */
	if (timed && paused_ns <= INT64_MAX) {
		out->paused_ns = RT_KNOWN_U64(paused_ns);
		name_longest(out);
	}
}

static void write_note(const struct pauses *pauses, struct rt_analysis_pauses *out)
{
	const char *note = "";

	if (pauses->pfc_frames + pauses->pause_frames == 0)
		note = "not visible at this tap: ports and most mirrors swallow pause "
		       "frames, so none seen is not none sent";
	else if (pauses->untimed)
		note = "pause frames without a time stamp: pauses are in quanta";
	else if (out->paused_ns.known &&
		 out->xoff.value + out->xon.value >
			 pauses->pfc_frames + pauses->pause_frames)
		note = "XOFF and XON are counted per priority: some PFC frames speak "
		       "for "
		       "several";
	else if (!out->paused_ns.known)
		note = "no link speed: pauses are in quanta, --link-speed gives them a "
		       "time";
	snprintf(out->note, sizeof(out->note), "%s", note);
}

static int pauses_finish(void *state, struct rt_stage_context *context,
			 struct rt_analysis *result, struct rt_err *err)
{
	struct pauses *pauses = state;
	struct rt_analysis_pauses *out = &result->pauses;
	int r;

	out->ports = calloc(pauses->count * RT_PRIO_COUNT + 1, sizeof(*out->ports));
	if (!out->ports)
		return rt_err_sys(err, -ENOMEM, "cannot hold the pauses");
	r = find_hosts(pauses, &context->flows, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < pauses->count; i++)
		for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++)
			if (pauses->ports[i].timers[prio].seen)
				fill_row(&pauses->ports[i], prio,
					 &pauses->ports[i].timers[prio], context,
					 &out->ports[out->port_count++]);
	qsort(out->ports, out->port_count, sizeof(*out->ports), by_paused_time);
	out->overflow = pauses->overflow;
	if (pauses->pfc_frames + pauses->pause_frames) {
		out->frames = RT_KNOWN_U64(pauses->pfc_frames + pauses->pause_frames);
		out->pfc_frames = RT_KNOWN_U64(pauses->pfc_frames);
		out->pause_frames = RT_KNOWN_U64(pauses->pause_frames);
		sum_up(out);
	}
	write_note(pauses, out);
	return 0;
}

static void pauses_free(void *state)
{
	free(((struct pauses *)state)->ports);
}

const struct rt_stage rt_stage_pauses = {
	.name = "pauses",
	.state_bytes = sizeof(struct pauses),
	.finish = pauses_finish,
	.free = pauses_free,
};
