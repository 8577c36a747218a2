/* SPDX-License-Identifier: BSD-2-Clause */
/* lab_show.c - what a lab is, and its counters as rows. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "lab/lab_board.h"
#include "rocetune/err.h"
#include "run/lab_plan.h"

#define PORT(type_, member_, unit_, help_, ...) \
	RT_FIELD(struct rt_lab_port, type_, member_, unit_, help_, ##__VA_ARGS__)
static const struct rt_field port_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_lab_port, name, "of the switch"),
	RT_FIELD_CHARS_OF(struct rt_lab_port, peer, "at the other end of the cable"),
	PORT(U64, speed_bps, BPS, "that it is paced to"),
	PORT(U64, rx_frames, COUNT, "frames that came in"),
	PORT(U64, rx_bytes, BYTES, "of them, without FCS", .flags = RT_FIELD_DETAIL),
	PORT(U64, tx_frames, COUNT, "frames that went out"),
	PORT(U64, tx_bytes, BYTES, "of them, without FCS", .flags = RT_FIELD_DETAIL),
	PORT(U64, drops, COUNT, "frames that found no room in the buffer"),
	PORT(U64, filtered, COUNT, "frames for nobody behind another port",
	     .flags = RT_FIELD_DETAIL),
	PORT(U64, ring_drops, COUNT,
	     "frames the kernel lost in front of the switch: the lab was too slow",
	     .flags = RT_FIELD_ZERO_QUIET),
	PORT(U64, late_max_ns, NS, "how late a frame left at worst: the same"),
	PORT(U64, late_sum_ns, NS, "how late all frames left, added up",
	     .flags = RT_FIELD_DETAIL),
};
RT_TABLE(rt_lab_port_table, rt_lab_port, "lab_port", "Ports",
	 "A port of a lab's switch.", port_fields);

#define QUEUE(type_, member_, unit_, help_, ...) \
	RT_FIELD(struct rt_lab_queue, type_, member_, unit_, help_, ##__VA_ARGS__)
static const struct rt_field queue_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_lab_queue, port, "of the switch"),
	QUEUE(U8, prio, NONE, "priority"),
	QUEUE(U64, rx_frames, COUNT, "frames that came in", .flags = RT_FIELD_DETAIL),
	QUEUE(U64, rx_bytes, BYTES, "of them, without FCS", .flags = RT_FIELD_DETAIL),
	QUEUE(U64, tx_frames, COUNT, "frames that went out"),
	QUEUE(U64, tx_bytes, BYTES, "of them, without FCS", .flags = RT_FIELD_DETAIL),
	QUEUE(U64, tx_ce, COUNT, "of them, marked by this switch", .label = "CE",
	      .flags = RT_FIELD_ZERO_QUIET),
	QUEUE(U64, drops, COUNT, "frames that found no room in the buffer",
	      .flags = RT_FIELD_ZERO_QUIET),
	QUEUE(U64, rx_xoff, COUNT, "PFC frames of the peer that stop this priority",
	      .label = "XOFF in", .flags = RT_FIELD_ZERO_QUIET),
	QUEUE(U64, rx_xon, COUNT, "and that let it go on", .flags = RT_FIELD_DETAIL),
	QUEUE(U64, rx_paused_ns, NS,
	      "time that it stood still for them: paused by peer",
	      .label = "paused by peer", .flags = RT_FIELD_ZERO_QUIET),
	QUEUE(U64, tx_xoff, COUNT, "PFC frames to the peer that stop it",
	      .label = "XOFF out", .flags = RT_FIELD_ZERO_QUIET),
	QUEUE(U64, tx_xon, COUNT, "and that let it go on", .flags = RT_FIELD_DETAIL),
	QUEUE(U64, tx_paused_ns, NS,
	      "time that the peer was to stand still: pausing peer",
	      .label = "pausing peer", .flags = RT_FIELD_ZERO_QUIET),
	QUEUE(U64, queue_bytes, BYTES, "waiting to leave now",
	      .flags = RT_FIELD_DETAIL),
	QUEUE(U64, queue_max_bytes, BYTES, "the most that waited"),
	QUEUE(U64, headroom_max_bytes, BYTES, "the most that lay in its headroom",
	      .flags = RT_FIELD_DETAIL),
};
RT_TABLE(rt_lab_queue_table, rt_lab_queue, "lab_queue", "Priorities",
	 "A priority of a port at which something happened.", queue_fields);

/* The state's fields stand at the top. */
#define STATE(type_, member_, unit_, help_, ...)                             \
	{                                                                    \
		.name = #member_, .help = (help_), .type = RT_FIELD_##type_, \
		.unit = RT_UNIT_##unit_,                                     \
		.offset = offsetof(struct rt_lab_picture, state.member_),    \
		##__VA_ARGS__                                                \
	}
#define STATE_CHARS(member_, help_, ...)   \
	STATE(CHARS, member_, NONE, help_, \
	      .length = sizeof(((struct rt_lab_state *)0)->member_), ##__VA_ARGS__)

static const struct rt_field picture_fields[] = {
	STATE_CHARS(name, "of the lab", .flags = RT_FIELD_ZERO_QUIET),
	STATE(U32, pid, NONE, "of its process", .flags = RT_FIELD_META),
	STATE(BOOL, user_namespace, NONE, "made without root, in a user namespace"),
	STATE_CHARS(topology, "how hosts and switches are cabled"),
	STATE(U64, rate_bps, BPS, "of the hosts' links"),
	STATE(U32, mtu_bytes, BYTES, "of the interfaces"),
	STATE_CHARS(profile, "whose settings it has", .flags = RT_FIELD_ZERO_QUIET),
	STATE_CHARS(said,
		    "how they were brought to the lab's rate; Kmin: the least of the "
		    "data's; headroom: what it holds, of the rate, which is not scaled",
		    .label = "scale", .flags = RT_FIELD_ZERO_QUIET),
	STATE_CHARS(faults, "what is wrong with it on purpose",
		    .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD_CHARS_OF(struct rt_lab_picture, note, "what was found on the way",
			  .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD(struct rt_lab_picture, U64, counted_ns, NS,
		 "when the counters were read, of the machine's monotonic clock",
		 .flags = RT_FIELD_META),
	{
		.name = "hosts",
		.help = "on which commands can be run",
		.type = RT_FIELD_LIST,
		.offset = offsetof(struct rt_lab_picture, state.hosts),
		.table = &rt_lab_host_table,
		.count_offset = offsetof(struct rt_lab_picture, state.host_count),
	},
	RT_FIELD_LIST_OF(struct rt_lab_picture, ports, port_count, &rt_lab_port_table,
			 "of the switches"),
	RT_FIELD_LIST_OF(struct rt_lab_picture, queues, queue_count,
			 &rt_lab_queue_table, "of ports at which something happened"),
};
RT_TABLE(rt_lab_picture_table, rt_lab_picture, "lab", "Lab",
	 "A fabric in one box: what it is made of, and its switches' counters, live.",
	 picture_fields);

void rt_lab_picture_free(struct rt_lab_picture *picture)
{
	rt_lab_state_free(&picture->state);
	free(picture->ports);
	free(picture->queues);
	*picture = (struct rt_lab_picture){ 0 };
}

/* --- counters to rows --------------------------------------------------------------------- */

static void fill_port(const struct rt_lab_switch_port *from, struct rt_lab_port *to)
{
	*to = (struct rt_lab_port){ .speed_bps = from->speed_bps,
				    .filtered = from->filtered,
				    .ring_drops = from->ring_drops,
				    .late_max_ns = from->late_max_ns,
				    .late_sum_ns = from->late_sum_ns };
	memcpy(to->name, from->name, sizeof(to->name));
	memcpy(to->peer, from->peer, sizeof(to->peer));
	for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++) {
		const struct rt_lab_switch_prio *at = &from->prios[prio];

		to->rx_frames += at->rx_frames;
		to->rx_bytes += at->rx_bytes;
		to->tx_frames += at->tx_frames;
		to->tx_bytes += at->tx_bytes;
		to->drops += at->drops;
	}
}

static struct rt_lab_queue queue_of(const struct rt_lab_switch_port *port,
				    unsigned prio)
{
	const struct rt_lab_switch_prio *at = &port->prios[prio];
	struct rt_lab_queue queue = {
		.prio = (uint8_t)prio,
		.rx_frames = at->rx_frames,
		.rx_bytes = at->rx_bytes,
		.tx_frames = at->tx_frames,
		.tx_bytes = at->tx_bytes,
		.tx_ce = at->tx_ce,
		.drops = at->drops,
		.rx_xoff = at->rx_xoff,
		.rx_xon = at->rx_xon,
		.rx_paused_ns = at->rx_paused_ns,
		.tx_xoff = at->tx_xoff,
		.tx_xon = at->tx_xon,
		.tx_paused_ns = at->tx_paused_ns,
		.queue_bytes = at->queue_bytes,
		.queue_max_bytes = at->queue_max_bytes,
		.headroom_max_bytes = at->headroom_max_bytes,
	};

	memcpy(queue.port, port->name, sizeof(queue.port));
	return queue;
}

static bool has_seen_any(const struct rt_lab_switch_prio *at)
{
	return at->rx_frames || at->tx_frames || at->drops || at->rx_xoff ||
	       at->rx_xon || at->tx_xoff || at->tx_xon;
}

static int fill(const struct rt_lab_switch_counters *counters,
		struct rt_lab_picture *picture, struct rt_err *err)
{
	const size_t count = counters->port_count;

	picture->ports = calloc(count + 1, sizeof(*picture->ports));
	picture->queues = calloc(count * RT_PRIO_COUNT + 1, sizeof(*picture->queues));
	if (!picture->ports || !picture->queues)
		return rt_err_sys(err, -ENOMEM, "the lab's counters");
	picture->counted_ns = counters->time_ns;
	for (size_t i = 0; i < count; i++) {
		const struct rt_lab_switch_port *port = &counters->ports[i];

		fill_port(port, &picture->ports[picture->port_count++]);
		for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++)
			if (has_seen_any(&port->prios[prio]))
				picture->queues[picture->queue_count++] = queue_of(
					port, prio);
	}
	return 0;
}

int rt_lab_picture_take(const struct rt_lab_store *store, struct rt_lab_state *state,
			struct rt_lab_picture *ret_picture, struct rt_err *err)
{
	struct rt_lab_switch_counters counters = { 0 };
	struct rt_lab_picture picture = { 0 };
	int fd = -1;
	int r = rt_lab_file_open(store, state->name, RT_LAB_COUNTERS_FILE, &fd, err);

	if (r < 0)
		return r;
	r = rt_lab_board_read(fd, &counters, err);
	close(fd);
	if (r == 0)
		r = fill(&counters, &picture, err);
	free(counters.ports);
	if (r < 0) {
		rt_lab_picture_free(&picture);
		return r;
	}
	picture.state = *state;
	*state = (struct rt_lab_state){ 0 };
	*ret_picture = picture;
	return 0;
}

/* --- since when ---------------------------------------------------------------------------- */

/* Totals of both structs; the most and the least ever are no totals. */
static const size_t port_totals[] = {
	offsetof(struct rt_lab_port, rx_frames),
	offsetof(struct rt_lab_port, rx_bytes),
	offsetof(struct rt_lab_port, tx_frames),
	offsetof(struct rt_lab_port, tx_bytes),
	offsetof(struct rt_lab_port, drops),
	offsetof(struct rt_lab_port, filtered),
	offsetof(struct rt_lab_port, ring_drops),
	offsetof(struct rt_lab_port, late_sum_ns),
};

static const size_t queue_totals[] = {
	offsetof(struct rt_lab_queue, rx_frames),
	offsetof(struct rt_lab_queue, rx_bytes),
	offsetof(struct rt_lab_queue, tx_frames),
	offsetof(struct rt_lab_queue, tx_bytes),
	offsetof(struct rt_lab_queue, tx_ce),
	offsetof(struct rt_lab_queue, drops),
	offsetof(struct rt_lab_queue, rx_xoff),
	offsetof(struct rt_lab_queue, rx_xon),
	offsetof(struct rt_lab_queue, rx_paused_ns),
	offsetof(struct rt_lab_queue, tx_xoff),
	offsetof(struct rt_lab_queue, tx_xon),
	offsetof(struct rt_lab_queue, tx_paused_ns),
};

static void take_off(void *row, const void *earlier, const size_t *offsets,
		     size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t *now = (uint64_t *)((char *)row + offsets[i]);
		const uint64_t *then = (const uint64_t *)((const char *)earlier +
							  offsets[i]);

		*now -= *then < *now ? *then : *now;
	}
}

/* Rows of priorities at which nothing happened since. */
static void forget_idle(struct rt_lab_picture *picture)
{
	size_t kept = 0;

	for (size_t i = 0; i < picture->queue_count; i++) {
		const struct rt_lab_queue *at = &picture->queues[i];

		if (at->rx_frames || at->tx_frames || at->drops || at->rx_xoff ||
		    at->rx_xon || at->tx_xoff || at->tx_xon)
			picture->queues[kept++] = *at;
	}
	picture->queue_count = kept;
}

void rt_lab_picture_since(struct rt_lab_picture *picture,
			  const struct rt_lab_picture *earlier)
{
	for (size_t i = 0; i < picture->port_count && i < earlier->port_count; i++)
		take_off(&picture->ports[i], &earlier->ports[i], port_totals,
			 RT_ARRAY_SIZE(port_totals));
	for (size_t i = 0; i < picture->queue_count; i++)
		for (size_t j = 0; j < earlier->queue_count; j++) {
			struct rt_lab_queue *now = &picture->queues[i];
			const struct rt_lab_queue *then = &earlier->queues[j];

			if (now->prio == then->prio &&
			    strcmp(now->port, then->port) == 0)
				take_off(now, then, queue_totals,
					 RT_ARRAY_SIZE(queue_totals));
		}
	forget_idle(picture);
}

/* --- the journey ------------------------------------------------------------------------- */

static void release(void *object)
{
	rt_lab_picture_free(object);
	free(object);
}

int rt_lab_picture_give(const struct rt_lab_store *store, struct rt_lab_state *state,
			const char *note, struct rt_outcome *ret_outcome,
			struct rt_err *err)
{
	struct rt_lab_picture *picture = calloc(1, sizeof(*picture));
	int r = picture ? rt_lab_picture_take(store, state, picture, err) : -ENOMEM;

	if (!picture)
		rt_err_sys(err, r, "the lab's picture");
	rt_lab_state_free(state);
	if (r < 0) {
		free(picture);
		return r;
	}
	snprintf(picture->note, sizeof(picture->note), "%s", note);
	*ret_outcome = (struct rt_outcome){ .table = &rt_lab_picture_table,
					    .object = picture,
					    .release = release };
	return 0;
}
