/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * switch.c - frames between interfaces and the core, and the clock.
 *
 * A round takes what the rings hold, gives it to the core in the order of the kernel's
 * time stamps, lets the core's time come up to now and sends what has left.  Between
 * rounds there is a nap as long as frames come singly, like a NIC's moderated
 * interrupts: nobody is woken for each.  Naps make frames late by as much, and a busy
 * machine by more; what a frame meets in the switch does not change (switch_core.h).
 */
#include "lab/switch.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "base/clock.h"
#include "cc/ps.h"
#include "lab/switch_core.h"
#include "pktio/ring.h"
#include "rocetune/err.h"

#define BATCH      128u
#define NAP_NS     50000
#define MANY       8u  /* frames a round: then no nap */
#define LOOK_EVERY 64u /* rounds between looks for interfaces that broke */
#define IDLE_NS    INT64_C(1000000000)
#define NS_PER_S   INT64_C(1000000000)

/* Of all rings together, and the most of one. */
#define RINGS_BYTES (64u << 20)
#define RING_BYTES  (4u << 20)

/* What is made up for after the machine kept the switch from working. */
#define CATCH_UP_PS (20 * RT_PS_PER_MS)

/* A port with an interface. */
struct wire {
	struct rt_ring *ring;
	uint32_t port; /* the topology's number */
	unsigned next, count;
	struct rt_ring_frame frames[BATCH];
};

struct rt_lab_switch {
	struct rt_lab_core *core;
	const struct rt_topology *topology;
	int64_t origin_ns; /* CLOCK_MONOTONIC at the core's time 0 */
	struct wire *wires;
	struct pollfd *polls; /* of the wires, and one for who wakes us */
	uint32_t wire_count;
	uint32_t *wire_of; /* by the topology's port */
	unsigned rounds;
	bool worked;
};

/* --- open and close ------------------------------------------------------- */

static int send_frames(void *user, uint32_t port, const struct iovec *frames,
		       unsigned count, struct rt_err *err)
{
	struct rt_lab_switch *sw = user;

	return rt_ring_send(sw->wires[sw->wire_of[port]].ring, frames, count, err);
}

static int open_wire(struct rt_lab_switch *sw, uint32_t port, const char *netdev,
		     struct rt_err *err)
{
	struct wire *wire = &sw->wires[sw->wire_count];
	const size_t share_bytes = RINGS_BYTES / sw->topology->hosts;
	const struct rt_ring_config config = {
		.netdev = netdev,
		.filter = RT_RING_ALL,
		.promiscuous = true,
		.ring_bytes = share_bytes < RING_BYTES ? share_bytes : RING_BYTES,
	};
	int r = rt_ring_open(&config, &wire->ring, err);

	if (r < 0)
		return r;
	wire->port = port;
	sw->wire_of[port] = sw->wire_count;
	sw->polls[sw->wire_count] = (struct pollfd){ .fd = rt_ring_fd(wire->ring),
						     .events = POLLIN };
	sw->wire_count++;
	rt_ring_mac(wire->ring, rt_lab_core_port(sw->core, port)->mac);
	return 0;
}

static int open_wires(struct rt_lab_switch *sw,
		      const struct rt_lab_switch_config *config, struct rt_err *err)
{
	const struct rt_topology *topology = config->topology;
	int r = 0;

	sw->wires = calloc(topology->hosts, sizeof(*sw->wires));
	sw->polls = calloc(topology->hosts + 1u, sizeof(*sw->polls));
	sw->wire_of = calloc(topology->port_count, sizeof(*sw->wire_of));
	if (!sw->wires || !sw->polls || !sw->wire_of)
		return rt_err_sys(err, -ENOMEM, "cannot hold a switch's interfaces");
	for (uint32_t port = topology->hosts; port < topology->port_count && r == 0;
	     port++) {
		if (topology->ports[port].role != RT_PORT_HOST)
			continue;
		if (!config->netdevs[port])
			return rt_err_set(err, -EINVAL,
					  "port %s of the lab has no interface",
					  topology->ports[port].name);
		r = open_wire(sw, port, config->netdevs[port], err);
	}
	return r;
}

/*
 * A switch that waits for its turn among the processes of a full machine is late by many
 * milliseconds.  Naps leave room for the others; whoever may not have it goes without.
 * Sleeps would be 50 us longer than asked: timers are coalesced.
 */
static void go_before_others(void)
{
	const struct sched_param first = { .sched_priority = 1 };

	(void)sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &first);
	(void)prctl(PR_SET_TIMERSLACK, 1);
}

int rt_lab_switch_open(const struct rt_lab_switch_config *config,
		       struct rt_lab_switch **ret_switch, struct rt_err *err)
{
	struct rt_lab_switch *sw = calloc(1, sizeof(*sw));
	int r;

	if (!sw)
		return rt_err_sys(err, -ENOMEM, "cannot hold a switch");
	sw->topology = config->topology;
	r = rt_lab_core_open(config, send_frames, sw, &sw->core, err);
	if (r == 0)
		r = open_wires(sw, config, err);
	if (r < 0) {
		rt_lab_switch_close(sw);
		return r;
	}
	go_before_others();
	sw->origin_ns = rt_monotonic_ns();
	*ret_switch = sw;
	return 0;
}

void rt_lab_switch_close(struct rt_lab_switch *sw)
{
	if (!sw)
		return;
	for (uint32_t i = 0; i < sw->wire_count; i++)
		rt_ring_close(sw->wires[i].ring);
	rt_lab_core_close(sw->core);
	free(sw->wires);
	free(sw->polls);
	free(sw->wire_of);
	free(sw);
}

/* --- a round -------------------------------------------------------------- */

static uint64_t ps_of(const struct rt_lab_switch *sw, int64_t mono_ns)
{
	return mono_ns > sw->origin_ns
		       ? (uint64_t)(mono_ns - sw->origin_ns) * RT_PS_PER_NS
		       : 0;
}

/* The wire whose next frame came first; NULL: no frames are left. */
static struct wire *oldest(struct rt_lab_switch *sw)
{
	struct wire *first = NULL;

	for (uint32_t i = 0; i < sw->wire_count; i++) {
		struct wire *wire = &sw->wires[i];

		if (wire->next < wire->count &&
		    (!first || wire->frames[wire->next].time_ns <
				       first->frames[first->next].time_ns))
			first = wire;
	}
	return first;
}

static unsigned gather(struct rt_lab_switch *sw)
{
	unsigned count = 0;

	for (uint32_t i = 0; i < sw->wire_count; i++) {
		struct wire *wire = &sw->wires[i];

		wire->next = 0;
		wire->count = rt_ring_receive(wire->ring, wire->frames, BATCH);
		count += wire->count;
	}
	return count;
}

/*
 * What the rings hold, in order.  The kernel stamps with a clock that may be set: a
 * stamp is worth its distance from now, and one from the future is now.  A frame that
 * was cut was longer than its interface allows, and is no frame of a network.
 */
static int take_in(struct rt_lab_switch *sw, int64_t now_ns, struct rt_err *err)
{
	const int64_t behind_ns = rt_clock_ns(CLOCK_REALTIME) - now_ns;
	int r = 0;

	for (struct wire *wire; (wire = oldest(sw)) && r == 0;) {
		const struct rt_ring_frame *frame = &wire->frames[wire->next++];
		const int64_t came_ns = frame->time_ns - behind_ns;
		const struct rt_lab_arrival arrival = {
			.port = wire->port,
			.time_ps = ps_of(sw, came_ns < now_ns ? came_ns : now_ns),
			.data = frame->data,
			.bytes = frame->bytes,
			.tagged = frame->tagged,
			.vlan = frame->vlan,
			.tpid = frame->tpid,
		};

		if (frame->bytes == frame->wire_bytes)
			r = rt_lab_core_arrive(sw->core, &arrival, err);
		else
			rt_lab_core_port(sw->core, wire->port)->counts.filtered++;
	}
	for (uint32_t i = 0; i < sw->wire_count; i++)
		if (sw->wires[i].count)
			rt_ring_release(sw->wires[i].ring);
	return r;
}

/* Returns how many frames came in. */
static int round_of(struct rt_lab_switch *sw, int64_t now_ns, struct rt_err *err)
{
	const uint64_t now_ps = ps_of(sw, now_ns);
	const unsigned count = gather(sw);
	int r;

	/* What came before the first round waited for who made the switch. */
	rt_lab_core_wake(sw->core, now_ps, sw->worked ? CATCH_UP_PS : 0);
	sw->worked = true;
	r = take_in(sw, now_ns, err);
	if (r == 0)
		r = rt_lab_core_advance(sw->core, now_ps, err);
	if (r == 0)
		r = rt_lab_core_flush(sw->core, err);
	return r < 0 ? r : (int)count;
}

/* --- between rounds ------------------------------------------------------- */

/*
 * Sleep for at most wait_ns.  Frames wake an idle switch, a nap goes on whatever comes.
 * 1: wake_fd is readable.
 */
static int wait_for(struct rt_lab_switch *sw, int64_t wait_ns, bool nap, int wake_fd,
		    struct rt_err *err)
{
	const uint32_t from = nap ? sw->wire_count : 0;
	const struct timespec wait = { .tv_sec = wait_ns / NS_PER_S,
				       .tv_nsec = wait_ns % NS_PER_S };
	struct pollfd *last = &sw->polls[sw->wire_count];

	*last = (struct pollfd){ .fd = wake_fd, .events = POLLIN };
	if (ppoll(sw->polls + from, sw->wire_count - from + 1, &wait, NULL) < 0 &&
	    errno != EINTR)
		return rt_err_sys(err, -errno, "cannot wait for frames");
	for (uint32_t i = from; i < sw->wire_count; i++)
		if (sw->polls[i].revents & (POLLERR | POLLHUP | POLLNVAL)) {
			const int r = rt_ring_error(sw->wires[i].ring, err);

			if (r < 0)
				return r;
		}
	return last->revents != 0;
}

/* After a round in which count frames came. */
static int rest(struct rt_lab_switch *sw, unsigned count, int64_t until_ns, int wake_fd,
		struct rt_err *err)
{
	const uint64_t due_ps = rt_lab_core_next_ps(sw->core);
	const int64_t now_ns = rt_monotonic_ns();
	int64_t wait_ns = until_ns - now_ns;
	bool nap = count > 0;

	if (wait_ns > IDLE_NS)
		wait_ns = IDLE_NS;
	if (due_ps != RT_PS_NEVER) {
		const int64_t due_ns = sw->origin_ns +
				       (int64_t)(due_ps / RT_PS_PER_NS) + 1;

		nap |= due_ns < now_ns + NAP_NS;
		if (due_ns - now_ns < wait_ns)
			wait_ns = due_ns - now_ns;
	}
	if (nap)
		wait_ns = count < MANY ? NAP_NS : 0;
	if (++sw->rounds % LOOK_EVERY == 0)
		return wait_for(sw, 0, false, wake_fd, err);
	if (wait_ns <= 0)
		return 0;
	return wait_for(sw, wait_ns, nap, wake_fd, err);
}

int rt_lab_switch_work(struct rt_lab_switch *sw, int64_t until_ns, int wake_fd,
		       struct rt_err *err)
{
	for (;;) {
		const int64_t now_ns = rt_monotonic_ns();
		int r = round_of(sw, now_ns, err);

		if (r < 0)
			return r;
		if (now_ns >= until_ns)
			return 0;
		r = rest(sw, (unsigned)r, until_ns, wake_fd, err);
		if (r)
			return r < 0 ? r : 0;
	}
}

/* What rings lost, both ways, joins what the core could not hand out. */
void rt_lab_switch_counters(struct rt_lab_switch *sw,
			    struct rt_lab_switch_counters *counters)
{
	rt_lab_core_counters(sw->core, counters);
	counters->time_ns = (uint64_t)rt_monotonic_ns();
	for (uint32_t i = 0; i < sw->wire_count; i++) {
		struct wire *wire = &sw->wires[i];
		struct rt_ring_stats stats;

		rt_ring_stats(wire->ring, &stats);
		counters->ports[wire->port - sw->topology->hosts].ring_drops +=
			stats.dropped + stats.refused;
	}
}
