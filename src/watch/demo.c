/* SPDX-License-Identifier: BSD-2-Clause */
/* demo.c - a made-up host as a source: the acts of demo_ports.c as counters. */
#include "watch/demo_play.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "rocetune/err.h"
#include "watch/sample.h"
#include "watch/source.h"

/* Of the first sample.  It is CLOCK_MONOTONIC of a host that runs for an hour. */
#define FIRST_NS (INT64_C(3600000) * RT_DEMO_MS_NS)
/* Nobody plays it for a year, and counters stay within 64 bits until then. */
#define LAST_NS  (FIRST_NS + INT64_C(31536000000) * RT_DEMO_MS_NS)
#define FIRST_WALL_NS \
	(INT64_C(1772438400000) * RT_DEMO_MS_NS) /* 2026-03-02 08:00:00 UTC */
/* Cycles that the counters have behind them then. */
#define CYCLES_BEFORE 60

struct demo_port {
	const struct rt_demo_port *about;
	struct rt_counter_reading *points; /* owned: names of what the driver has */
	size_t count, capacity;
	uint64_t wrap_offset; /* added to out_of_sequence */
};

struct demo {
	struct rt_watch_source source; /* first */
	uint64_t step_ns;
	uint64_t next; /* number of the next sample */
	struct demo_port *ports;
};

/* --- ports ------------------------------------------------------------------------------ */

static bool has(const struct rt_demo_row *row, const struct rt_demo_port *port,
		unsigned prio)
{
	switch (row->prios) {
	case RT_DEMO_OF_PORT: return prio == RT_DEMO_NINTH;
	case RT_DEMO_OF_ALL: return prio < RT_DEMO_NINTH;
	case RT_DEMO_OF_LOSSLESS:
		return prio < RT_DEMO_NINTH && port->lossless > 0 &&
		       (port->lossless >> prio & 1);
	}
	return false;
}

static void write_name(const char *pattern, unsigned prio,
		       char name[RT_COUNTER_NAME_BYTES])
{
	size_t used = 0;

	for (; *pattern && used + 1 < RT_COUNTER_NAME_BYTES; pattern++)
		name[used++] = *pattern == '%' ? (char)('0' + prio) : *pattern;
	name[used] = '\0';
}

static int add_point(struct demo_port *port, const struct rt_demo_row *row,
		     unsigned prio)
{
	struct rt_counter_reading *points = rt_grow(port->points, port->count,
						    &port->capacity, sizeof(*points));

	if (!points)
		return -ENOMEM;
	port->points = points;
	points += port->count++;
	*points = (struct rt_counter_reading){
		.counter = row->counter,
		.prio = prio == RT_DEMO_NINTH ? RT_COUNTER_NO_PRIO : (uint8_t)prio,
		.bits = row->bits ? row->bits : 64,
		.source = row->source,
		.scale = row->scale ? row->scale : 1,
	};
	write_name(row->name, prio, points->name);
	return 0;
}

/* Rows of one counter, of which the first that has a priority is the one read. */
static int find_points(struct demo_port *port, const struct rt_demo_row *rows,
		       size_t count)
{
	int r = 0;

	for (unsigned prio = 0; prio <= RT_DEMO_NINTH && r == 0; prio++)
		for (size_t i = 0; i < count; i++)
			if (has(&rows[i], port->about, prio)) {
				r = add_point(port, &rows[i], prio);
				break;
			}
	return r;
}

/* A driver's rows are in the order of the catalogue. */
static int find_all_points(struct demo_port *port)
{
	const struct rt_demo_driver *driver = port->about->driver;
	size_t end;
	int r = 0;

	for (size_t i = 0; i < driver->count && r == 0; i = end) {
		for (end = i; end < driver->count &&
			      driver->rows[end].counter == driver->rows[i].counter;)
			end++;
		r = find_points(port, &driver->rows[i], end - i);
	}
	return r;
}

static int open_port(const struct rt_demo_port *about, struct demo_port *port)
{
	struct rt_demo_grid grid;

	port->about = about;
	if (about->wrap_ms) {
		rt_demo_play_all(about,
				 CYCLES_BEFORE * RT_DEMO_CYCLE_MS + about->wrap_ms,
				 &grid);
		port->wrap_offset =
			-grid.value[RT_COUNTER_OUT_OF_SEQUENCE][RT_DEMO_NINTH];
	}
	return find_all_points(port);
}

static void describe(const struct rt_demo_port *about, struct rt_watch_port *port)
{
	*port = (struct rt_watch_port){
		.role = RT_WATCH_NIC,
		.ip = { .bytes = { 10, 0, 0, about->address }, .version = 4 },
		.speed_bps = RT_KNOWN_U64(about->speed_gbps * UINT64_C(1000000000)),
		.mtu_bytes = RT_KNOWN_U64(9000),
	};
	snprintf(port->name, sizeof(port->name), "%s", about->name);
	snprintf(port->netdev, sizeof(port->netdev), "%s", about->netdev);
	snprintf(port->driver, sizeof(port->driver), "%s", about->driver->name);
	snprintf(port->note, sizeof(port->note), "%s", about->note ? about->note : "");
	if (about->lossless >= 0)
		port->lossless = RT_KNOWN_U64((uint64_t)about->lossless);
	if (about->rdma_prios >= 0)
		port->rdma_prios = RT_KNOWN_U64((uint64_t)about->rdma_prios);
	if (about->cnp_gap_us)
		port->cnp_gap_ns = RT_KNOWN_U64(about->cnp_gap_us * UINT64_C(1000));
	if (about->pcie_gbps) {
		port->pcie_bps = RT_KNOWN_U64(about->pcie_gbps * UINT64_C(1000000000));
		port->pcie_max_bps = RT_KNOWN_U64(about->pcie_max_gbps *
						  UINT64_C(1000000000));
	}
}

/* --- samples ---------------------------------------------------------------------------- */

static uint64_t cut(uint64_t value, const struct rt_counter_reading *point)
{
	value /= point->scale;
	if (point->bits < 64)
		value &= (UINT64_C(1) << point->bits) - 1;
	return value * point->scale;
}

/* Sources that a port has, when none of them can be read. */
#define UNREADABLE                                                              \
	(1u << RT_SOURCE_ETHTOOL | 1u << RT_SOURCE_RDMA | 1u << RT_SOURCE_DCB | \
	 1u << RT_SOURCE_NETDEV)

/* How reading went: of each source that the driver has rows of. */
static void look(const struct demo_port *port, int64_t time_ns,
		 struct rt_counter_set *set)
{
	const struct rt_demo_port *about = port->about;

	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++) {
		set->looks[i] = (struct rt_counter_look){ .source = i };
		set->paces[i] = (struct rt_counter_pace){ 0 };
		if (about->why && UNREADABLE >> i & 1) {
			set->looks[i].state = RT_LOOK_FAILED;
			snprintf(set->looks[i].why, sizeof(set->looks[i].why), "%s",
				 about->why);
		} else if (about->driver->cost_us[i]) {
			set->looks[i].state = RT_LOOK_READ;
			set->paces[i].read_ns = time_ns;
			set->paces[i].cost_ns = about->driver->cost_us[i] *
						UINT64_C(1000);
		}
	}
}

static int fill_set(const struct demo_port *port, int64_t time_ns, int64_t ms,
		    struct rt_counter_set *set)
{
	const struct rt_demo_driver *driver = port->about->driver;
	const int64_t told_ms = driver->refresh_ms ? ms - ms % driver->refresh_ms : ms;
	struct rt_demo_grid grid;

	rt_demo_play(port->about, told_ms, &grid);
	grid.value[RT_COUNTER_OUT_OF_SEQUENCE][RT_DEMO_NINTH] += port->wrap_offset;
	set->time_ns = time_ns;
	set->layout = 1;
	set->count = 0;
	snprintf(set->device, sizeof(set->device), "%s", port->about->name);
	snprintf(set->netdev, sizeof(set->netdev), "%s", port->about->netdev);
	snprintf(set->driver, sizeof(set->driver), "%s", driver->name);
	look(port, time_ns, set);
	for (size_t i = 0; i < port->count; i++) {
		struct rt_counter_reading reading = port->points[i];
		const unsigned prio = reading.prio == RT_COUNTER_NO_PRIO ? RT_DEMO_NINTH
									 : reading.prio;

		reading.value = cut(grid.value[reading.counter][prio], &reading);
		if (rt_counter_set_add(set, &reading) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int fill_port(const struct demo_port *port, int64_t time_ns, int64_t ms,
		     struct rt_watch_input *input)
{
	const struct rt_demo_port *about = port->about;

	describe(about, &input->port);
	if (rt_demo_is_within(about->gone, ms)) {
		input->port.state = RT_WATCH_GONE;
		input->set.count = 0;
		input->set.layout = 0;
		return 0;
	}
	input->port.state = rt_demo_is_within(about->down, ms) ? RT_WATCH_DOWN
							       : RT_WATCH_UP;
	return fill_set(port, time_ns, ms, &input->set);
}

/* --- the source -------------------------------------------------------------------------- */

static int64_t time_of(const struct demo *demo, uint64_t number)
{
	return FIRST_NS + (int64_t)(number * demo->step_ns);
}

static int sample_demo(struct rt_watch_source *source, struct rt_watch_sample *sample,
		       struct rt_err *err)
{
	struct demo *demo = (struct demo *)source;
	const int64_t since_ns = (int64_t)(demo->next * demo->step_ns);
	const int64_t ms = CYCLES_BEFORE * RT_DEMO_CYCLE_MS + since_ns / RT_DEMO_MS_NS;
	const int64_t step_ms = (int64_t)demo->step_ns / RT_DEMO_MS_NS;
	int r;

	while (sample->count < rt_demo_port_count)
		if (!rt_watch_sample_add(sample))
			return rt_err_sys(err, -ENOMEM, "cannot hold a sample");
	sample->time_ns = time_of(demo, demo->next);
	sample->wall_ns = FIRST_WALL_NS + since_ns;
	r = rt_demo_play_flows(ms - step_ms, ms, &sample->flows);
	for (size_t i = 0; i < rt_demo_port_count && r == 0; i++)
		r = fill_port(&demo->ports[i], sample->time_ns, ms, &sample->items[i]);
	if (r < 0)
		return rt_err_sys(err, r, "cannot hold a sample");
	demo->next++;
	return 0;
}

static int next_demo_ns(struct rt_watch_source *source, int64_t *ret_ns)
{
	const struct demo *demo = (const struct demo *)source;

	*ret_ns = time_of(demo, demo->next);
	return 0;
}

static int seek_demo(struct rt_watch_source *source, int64_t time_ns,
		     struct rt_err *err)
{
	struct demo *demo = (struct demo *)source;

	(void)err;
	if (time_ns < FIRST_NS)
		time_ns = FIRST_NS;
	if (time_ns > LAST_NS)
		time_ns = LAST_NS;
	demo->next = (uint64_t)(time_ns - FIRST_NS) / demo->step_ns;
	return 0;
}

static void close_demo(struct rt_watch_source *source)
{
	struct demo *demo = (struct demo *)source;

	for (size_t i = 0; demo->ports && i < rt_demo_port_count; i++)
		free(demo->ports[i].points);
	free(demo->ports);
	free(demo);
}

static const struct rt_watch_source_ops demo_ops = {
	.name = "demo",
	.help = "a made-up host whose ports have every trouble there is",
	.sample = sample_demo,
	.next_ns = next_demo_ns,
	.seek = seek_demo,
	.close = close_demo,
};

int rt_watch_demo_open(uint64_t step_ns, struct rt_watch_source **ret_source,
		       struct rt_err *err)
{
	struct demo *demo = calloc(1, sizeof(*demo));
	int r = -ENOMEM;

	if (demo) {
		demo->source.ops = &demo_ops;
		strcpy(demo->source.title, "demonstration: a made-up host");
		demo->step_ns = step_ns < RT_DEMO_MS_NS
					? RT_DEMO_MS_NS
					: step_ns - step_ns % RT_DEMO_MS_NS;
		demo->ports = calloc(rt_demo_port_count, sizeof(*demo->ports));
		r = demo->ports ? 0 : -ENOMEM;
	}
	for (size_t i = 0; r == 0 && i < rt_demo_port_count; i++)
		r = open_port(&rt_demo_ports[i], &demo->ports[i]);
	if (r < 0) {
		if (demo)
			close_demo(&demo->source);
		return rt_err_sys(err, r, "cannot make the demonstration");
	}
	*ret_source = &demo->source;
	return 0;
}
