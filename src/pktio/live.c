/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * live.c - the rings of several interfaces as one source.
 *
 * Each ring is in order of time; they are merged, up to where every ring is known to
 * have been read.  Frames are borrowed from their ring until all that were read of it
 * are handed on.
 */
#include "pktio/live.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/own.h"
#include "pktio/ring.h"
#include "rocetune/err.h"
#include "wire/bytes.h"

#define BATCH      256u
#define RING_BYTES (8u << 20)
#define MAC_BYTES  12u
#define TAG_BYTES  4u
#define SLACK_NS   500000     /* from a frame's stamp to its ring, at most */
#define FUTURE_NS  1000000000 /* no frame is stamped so late, but by another clock */

struct port {
	struct rt_ring *ring;
	struct rt_ring_frame frames[BATCH];
	unsigned at, count; /* of frames: next to hand on, and how many there are */
};

struct live {
	struct rt_source source; /* first */
	struct rt_sink *sink;
	unsigned decode_flags;
	int64_t until_ns;
	int stop_fd;
	struct port *ports;               /* owned */
	struct rt_capture_if *interfaces; /* owned */
	struct pollfd *fds;               /* owned: the ports', then stop_fd */
	size_t count;
	uint64_t frames;
	bool ending;
	int64_t last_ns; /* when ending: CLOCK_REALTIME of the last frame wanted, */
	int64_t held_ns; /* and CLOCK_MONOTONIC when all up to it are in their rings */
	int failed;      /* what the next read says, with why */
	struct rt_err why;
	uint8_t *tagged; /* owned: a frame with its VLAN tag put back */
	size_t tagged_room;
};

/* --- frames --------------------------------------------------------------------- */

/* The bytes as they were on the wire. */
static const uint8_t *untouched(struct live *live, const struct rt_ring_frame *frame,
				uint32_t *ret_bytes)
{
	const size_t bytes = (size_t)frame->bytes + TAG_BYTES;
	uint8_t *grown;

	*ret_bytes = frame->bytes;
	if (!frame->tagged || frame->bytes < MAC_BYTES)
		return frame->data;
	if (bytes > live->tagged_room) {
		grown = realloc(live->tagged, bytes);
		if (!grown)
			return NULL;
		live->tagged = grown;
		live->tagged_room = bytes;
	}
	memcpy(live->tagged, frame->data, MAC_BYTES);
	rt_put_be16(live->tagged + MAC_BYTES, frame->tpid);
	rt_put_be16(live->tagged + MAC_BYTES + 2, frame->vlan);
	memcpy(live->tagged + MAC_BYTES + TAG_BYTES, frame->data + MAC_BYTES,
	       frame->bytes - MAC_BYTES);
	*ret_bytes = (uint32_t)bytes;
	return live->tagged;
}

static int hand_on(struct live *live, size_t index, struct rt_frame *to,
		   struct rt_err *err)
{
	struct port *port = &live->ports[index];
	const struct rt_ring_frame *frame = &port->frames[port->at++];
	uint32_t bytes;
	const uint8_t *data = untouched(live, frame, &bytes);
	const uint32_t wire_bytes = frame->wire_bytes + (bytes - frame->bytes);

	if (!data)
		return rt_err_set(err, -ENOMEM, "out of memory");
	to->time_ns = frame->time_ns;
	to->number = ++live->frames;
	to->wire_bytes = wire_bytes;
	to->cap_bytes = bytes;
	to->interface = (uint16_t)index;
	to->link_type = RT_LINK_ETHERNET;
	to->flags = 0;
	rt_frame_decode(to, data, live->decode_flags);
	live->interfaces[index].frames++;
	if (!live->sink)
		return 0;
	return live->sink->ops->write(live->sink, (unsigned)index, frame->time_ns, data,
				      bytes, wire_bytes, err);
}

/* --- merging ---------------------------------------------------------------------- */

static bool has_frames(const struct port *port)
{
	return port->at < port->count;
}

/* Frames are at hand, or on their way into a ring, that another may come before. */
static bool must_hold(const struct live *live)
{
	if (live->ending)
		return rt_monotonic_ns() < live->held_ns;
	for (size_t i = 0; i < live->count; i++)
		if (has_frames(&live->ports[i]))
			return true;
	return false;
}

/*
 * Up to when all frames of a port with frames at hand are known.  What goes out and what
 * comes in is stamped in different places, so the last may be a little older than the
 * next; that one must not be waited for, or nothing is handed on ever again.
 */
static int64_t last_known(const struct port *port)
{
	const int64_t next_ns = port->frames[port->at].time_ns;
	const int64_t last_ns = port->frames[port->count - 1].time_ns;

	return last_ns > next_ns ? last_ns : next_ns;
}

/*
 * Read rings whose frames are all handed on.  Returns up to which time no other frame
 * can come before those at hand.
 */
static int64_t refill(struct live *live)
{
	const int64_t now_ns = rt_clock_ns(CLOCK_REALTIME);
	int64_t limit_ns = now_ns - SLACK_NS;

	if (live->ending && (live->last_ns < limit_ns || !must_hold(live)))
		limit_ns = live->last_ns;
	for (size_t i = 0; i < live->count; i++) {
		struct port *port = &live->ports[i];
		const bool was_held = has_frames(port);

		if (!was_held) {
			rt_ring_release(port->ring);
			port->count = rt_ring_receive(port->ring, port->frames, BATCH);
			port->at = 0;
		}
		if (!has_frames(port))
			continue;
		/* There may be more in the ring, which is later than these. */
		if ((was_held || port->count == BATCH) && last_known(port) < limit_ns)
			limit_ns = last_known(port);
		/* The clock was set back; order is lost, frames shall not be. */
		if (!live->ending &&
		    port->frames[port->at].time_ns > now_ns + FUTURE_NS)
			return INT64_MAX;
	}
	return limit_ns;
}

/* The port with the oldest frame at hand that is not later than limit_ns. */
static bool oldest(const struct live *live, int64_t limit_ns, size_t *ret_index)
{
	bool found = false;

	for (size_t i = 0; i < live->count; i++) {
		const struct port *port = &live->ports[i];

		if (port->at == port->count ||
		    port->frames[port->at].time_ns > limit_ns)
			continue;
		limit_ns = port->frames[port->at].time_ns;
		*ret_index = i;
		found = true;
	}
	return found;
}

static int take_some(struct live *live, struct rt_frame *frames, size_t max,
		     size_t *count, struct rt_err *err)
{
	const int64_t limit_ns = refill(live);
	size_t index;
	int r = 0;

	while (r == 0 && *count < max && oldest(live, limit_ns, &index)) {
		r = hand_on(live, index, &frames[*count], err);
		*count += r == 0;
	}
	return r;
}

/* --- waiting ----------------------------------------------------------------------- */

static int look(struct live *live, struct rt_err *err)
{
	struct rt_err why;

	for (size_t i = 0; i < live->count; i++) {
		int r = live->fds[i].revents & POLLERR
				? rt_ring_error(live->ports[i].ring, &why)
				: 0;

		if (r < 0 && r != -ENETDOWN)
			return rt_err_set(err, r, "%s", why.msg);
	}
	return 0;
}

/* Until frames come, or it may be over. */
static int wait_for_frames(struct live *live, struct rt_err *err)
{
	const int64_t left_ns = live->until_ns - rt_monotonic_ns();
	const int64_t wait_ns = left_ns > 0 ? left_ns : 0;
	const struct timespec wait = { .tv_sec = wait_ns / 1000000000,
				       .tv_nsec = wait_ns % 1000000000 };

	if (ppoll(live->fds, live->count + 1, &wait, NULL) < 0)
		return errno == EINTR
			       ? 0
			       : rt_err_sys(err, -errno, "cannot wait for frames");
	return look(live, err);
}

static bool is_over(const struct live *live)
{
	struct pollfd stop = { .fd = live->stop_fd, .events = POLLIN };

	return live->until_ns <= rt_monotonic_ns() || poll(&stop, 1, 0) > 0;
}

static int fill(struct live *live, struct rt_frame *frames, size_t max, size_t *count,
		struct rt_err *err)
{
	static const struct timespec slack = { .tv_nsec = SLACK_NS };

	for (;;) {
		int r;

		if (!live->ending && is_over(live)) {
			live->ending = true;
			live->last_ns = rt_clock_ns(CLOCK_REALTIME);
			live->held_ns = rt_monotonic_ns() + SLACK_NS;
		}
		r = take_some(live, frames, max, count, err);
		if (r < 0 || *count)
			return r;
		if (must_hold(live)) {
			nanosleep(&slack, NULL);
			continue;
		}
		if (live->ending)
			return 0;
		r = wait_for_frames(live, err);
		if (r < 0)
			return r;
	}
}

/* --- source ------------------------------------------------------------------------ */

static int live_read(struct rt_source *source, struct rt_frame *frames, size_t max,
		     size_t *ret_count, struct rt_err *err)
{
	struct live *live = (struct live *)source;
	size_t count = 0;

	if (!live->failed && max)
		live->failed = fill(live, frames, max, &count, &live->why);
	if (live->failed && !count)
		return rt_err_set(err, live->failed, "%s", live->why.msg);
	*ret_count = count;
	return 0;
}

static const struct rt_capture_if *live_interfaces(struct rt_source *source,
						   size_t *ret_count)
{
	struct live *live = (struct live *)source;

	for (size_t i = 0; i < live->count; i++) {
		struct rt_ring_stats stats;

		rt_ring_stats(live->ports[i].ring, &stats);
		live->interfaces[i].dropped = RT_KNOWN_U64(stats.dropped);
	}
	*ret_count = live->count;
	return live->interfaces;
}

static void live_close(struct rt_source *source)
{
	struct live *live = (struct live *)source;

	for (size_t i = 0; live->ports && i < live->count; i++)
		rt_ring_close(live->ports[i].ring);
	free(live->ports);
	free(live->interfaces);
	free(live->fds);
	free(live->tagged);
	free(live);
}

static const struct rt_source_ops live_ops = {
	.name = "live",
	.read = live_read,
	.interfaces = live_interfaces,
	.close = live_close,
};

static int open_port(struct live *live, size_t index, const struct rt_live_config *from,
		     struct rt_err *err)
{
	const char *netdev = from->netdevs[index];
	const struct rt_ring_config config = { .netdev = netdev,
					       .filter = from->roce_only ? RT_RING_ROCE
									 : RT_RING_ALL,
					       .outgoing = true,
					       .promiscuous = true,
					       .ring_bytes = RING_BYTES };
	struct rt_capture_if *interface = &live->interfaces[index];
	int r = rt_ring_open(&config, &live->ports[index].ring, err);

	if (r < 0)
		return r;
	*interface = (struct rt_capture_if){ .speed_bps = from->speed_bps,
					     .link_type = RT_LINK_ETHERNET,
					     .units_per_s = 1000000000,
					     .dropped = RT_KNOWN_U64(0) };
	strncpy(interface->name, netdev, sizeof(interface->name) - 1);
	live->fds[index] = (struct pollfd){ .fd = rt_ring_fd(live->ports[index].ring),
					    .events = POLLIN };
	if (!live->sink)
		return 0;
	return live->sink->ops->add_interface(live->sink, interface, err);
}

static int open_ports(struct live *live, const struct rt_live_config *config,
		      struct rt_err *err)
{
	int r = 0;

	while (config->netdevs[live->count])
		live->count++;
	live->ports = calloc(live->count + 1, sizeof(*live->ports));
	live->interfaces = calloc(live->count + 1, sizeof(*live->interfaces));
	live->fds = calloc(live->count + 1, sizeof(*live->fds));
	if (!live->ports || !live->interfaces || !live->fds)
		return rt_err_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; r == 0 && i < live->count; i++)
		r = open_port(live, i, config, err);
	live->fds[live->count] = (struct pollfd){ .fd = live->stop_fd,
						  .events = POLLIN };
	return r;
}

int rt_live_open(const struct rt_live_config *config, struct rt_source **ret_source,
		 struct rt_err *err)
{
	struct live *live = calloc(1, sizeof(*live));
	int r;

	if (!live)
		return rt_err_set(err, -ENOMEM, "out of memory");
	live->source.ops = &live_ops;
	live->sink = config->sink;
	live->decode_flags = config->decode_flags;
	live->until_ns = config->until_ns;
	live->stop_fd = config->stop_fd;
	r = open_ports(live, config, err);
	if (r < 0) {
		live_close(&live->source);
		return r;
	}
	*ret_source = &live->source;
	return 0;
}
