/* SPDX-License-Identifier: BSD-2-Clause */
/* fabric.c - takes the events of a run and hands them out. */
#include "fabric/state.h"

#include <errno.h>

#include "base/own.h"
#include "rocetune/err.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))
#define FETCH_AHEAD   4

uint64_t rt_fabric_wire_ps(const struct rt_fabric *fab, uint64_t bytes,
			   uint64_t rate_bps)
{
	/* Below 2^64 up to two megabytes; frames are far smaller. */
	const uint64_t bits = bytes * 8;

	if (fab->config.options & RT_MODEL_TRUNCATED_SERIALISATION)
		return (bits * 1000000000 - 1) / rate_bps * 1000;
	return bits * UINT64_C(1000000000000) / rate_bps;
}

/*
 * Bounded: when the room is full every second sample goes, and the interval
 * doubles; this one would stand between two of the new ones and is left out.
 */
static void take_sample(struct rt_fabric *fab)
{
	const struct rt_packet none = { 0 };
	const uint64_t now_ps = fab->events.now_ps, interval_ps = fab->sample_ps;

	if (fab->sample_count == RT_SIM_SAMPLES_MAX) {
		for (size_t i = 0; i < RT_SIM_SAMPLES_MAX / 2; i++)
			fab->samples[i] = fab->samples[2 * i + 1];
		fab->sample_count /= 2;
		fab->sample_ps *= 2;
	} else {
		fab->samples[fab->sample_count++] = (struct rt_sim_sample){
			now_ps / 1000, fab->ports[fab->sample_port].total_bytes
		};
	}
	rt_events_at(&fab->events, now_ps + interval_ps, rt_event_what(RT_EV_SAMPLE, 0),
		     &none);
}

/* Averages begin now. */
static void warm(struct rt_fabric *fab)
{
	fab->warm_ps = fab->events.now_ps;
	if (fab->detail.on)
		rt_detail_warm(fab);
	for (uint32_t i = 0; i < fab->port_count; i++) {
		struct rt_fab_port *port = &fab->ports[i];

		port->area = 0;
		port->area_from_ps = fab->warm_ps;
		port->busy_ps = port->free_ps > fab->warm_ps
					? port->free_ps - fab->warm_ps
					: 0;
		port->queue_max_bytes = port->total_bytes;
	}
}

static __attribute__((noinline)) void watch(struct rt_fabric *fab,
					    const struct rt_fab_port *port,
					    const struct rt_packet *packet)
{
	if (port->tap_rx >= 0)
		rt_tap_frame(fab, port, packet, false);
	if (fab->detail.on && port->is_nic)
		rt_detail_received(fab, port, packet);
}

static void arrive(struct rt_fabric *fab, uint32_t target, struct rt_packet *packet)
{
	struct rt_fab_port *port = &fab->ports[target];

	if (port->watched_rx)
		watch(fab, port, packet);
	if (packet->kind == RT_PACKET_PFC)
		rt_port_pause_arrived(fab, port, packet);
	else
		rt_switch_arrive(fab, target, packet);
}

static void receive(struct rt_fabric *fab, uint32_t target,
		    const struct rt_packet *packet)
{
	struct rt_fab_port *port = &fab->ports[target];

	if (port->watched_rx)
		watch(fab, port, packet);
	if (packet->kind == RT_PACKET_PFC)
		rt_port_pause_arrived(fab, port, packet);
	else
		rt_nic_arrive(fab, packet);
}

static void may_send(struct rt_fabric *fab, uint32_t index)
{
	if (fab->flows[index].started)
		rt_flow_may_send(fab, index);
	else
		rt_flow_start(fab, index);
}

static void handle_slot(struct rt_fabric *fab, unsigned type, uint32_t target)
{
	switch ((enum rt_event_types)type) {
	case RT_EV_PORT_FREE: rt_port_free(fab, &fab->ports[target]); break;
	case RT_EV_SEND: may_send(fab, target); break;
	case RT_EV_INCREASE: rt_flow_increase(fab, target); break;
	case RT_EV_DECREASE: rt_flow_decrease(fab, target); break;
	case RT_EV_RTO: rt_flow_timeout(fab, target); break;
	case RT_EV_NP: rt_flow_cnp_due(fab, target); break;
	case RT_EV_PAUSE_END: rt_port_pause_end(fab, target); break;
	case RT_EV_REFRESH: rt_port_refresh(fab, target); break;
	case RT_EV_SAMPLE: take_sample(fab); break;
	case RT_EV_WARM: warm(fab); break;
	case RT_EV_STOP: rt_flow_stop(fab, target); break;
	default: break;
	}
}

static void handle(struct rt_fabric *fab, struct rt_event_now *event)
{
	const uint32_t target = event->target;

	switch (event->type) {
	case RT_EV_ARRIVE: arrive(fab, target, event->packet); break;
	case RT_EV_RECEIVE: receive(fab, target, event->packet); break;
	case RT_EV_TX_DONE: rt_port_free(fab, &fab->ports[target]); break;
	case RT_EV_PAUSE:
		rt_port_pause_now(fab, &fab->ports[target], event->packet);
		break;
	default: handle_slot(fab, event->type, target); break;
	}
}

static ALWAYS_INLINE void fetch_port(const struct rt_fabric *fab, uint32_t index)
{
	const struct rt_fab_port *port = &fab->ports[index];

	__builtin_prefetch(port);
	__builtin_prefetch((const char *)port + RT_CACHE_LINE);
	__builtin_prefetch(&port->sent);
	__builtin_prefetch(&port->prios[fab->config.data_prio]);
}

/*
 * The ports of a large fabric do not fit a cache.  Which ones an event needs is
 * known long before it comes: ask for them while others are handled.
 */
static ALWAYS_INLINE void fetch_ahead(const struct rt_fabric *fab)
{
	const struct rt_event *event = rt_events_ahead(&fab->events, FETCH_AHEAD);
	const struct rt_packet *packet;

	if (!event)
		return;
	packet = &event->packet;
	fetch_port(fab, rt_event_target(event));
	if (rt_event_type(event) == RT_EV_ARRIVE && packet->kind != RT_PACKET_PFC)
		fetch_port(
			fab,
			fab->routes[packet->flow].ports[packet->kind != RT_PACKET_DATA]
						       [packet->hop + 1]);
}

/* And for the packet that a port will take, once the port is there. */
static ALWAYS_INLINE void fetch_packet(const struct rt_fabric *fab)
{
	const struct rt_event *event = rt_events_ahead(&fab->events, 1);
	const struct rt_packet_queue *queue;

	if (!event || rt_event_type(event) != RT_EV_TX_DONE)
		return;
	queue = &fab->ports[rt_event_target(event)].prios[fab->config.data_prio].queue;
	__builtin_prefetch(&queue->items[queue->head & queue->mask]);
}

static int loop(struct rt_fabric *fab, const struct rt_fabric_run *run, uint64_t limit,
		struct rt_err *err)
{
	unsigned quiet = RT_FABRIC_PROGRESS_EVENTS;
	struct rt_event_now event;

	while (!fab->over && fab->events.inserted < limit &&
	       rt_events_next(&fab->events, fab->stop_ps, &event)) {
		if (fab->large) {
			rt_events_fetch(&fab->events);
			fetch_ahead(fab);
			fetch_packet(fab);
		}
		handle(fab, &event);
		if (--quiet)
			continue;
		quiet = RT_FABRIC_PROGRESS_EVENTS;
		if (run->progress)
			run->progress(run->progress_user, fab->events.now_ps / 1000,
				      fab->flow_count - fab->flows_open,
				      fab->flow_count);
	}
	if (fab->events.out_of_memory && !fab->failed)
		rt_fabric_fail(fab, rt_err_sys(err, -ENOMEM, "cannot hold the events"));
	/* A duration is kept to its end. */
	if (fab->flows_open && fab->events.inserted < limit &&
	    fab->scenario->duration_ps)
		fab->events.now_ps = fab->stop_ps;
	return fab->failed;
}

void rt_fabric_until(struct rt_fabric *fab, uint64_t until_ps)
{
	struct rt_event_now event;

	while (!fab->over && fab->events.inserted < RT_FABRIC_EVENT_LIMIT &&
	       rt_events_next(&fab->events, until_ps, &event))
		handle(fab, &event);
	if (fab->events.out_of_memory)
		rt_fabric_fail(fab, -ENOMEM);
	if (fab->events.inserted >= RT_FABRIC_EVENT_LIMIT)
		fab->over = true;
	/* Nothing happens until then: what lasts has lasted so long. */
	if (!fab->over)
		fab->events.now_ps = until_ps;
}

int rt_fabric_run(const struct rt_scenario *scenario,
		  const struct rt_fabric_config *config,
		  const struct rt_fabric_run *run, struct rt_sim_result *ret_result,
		  struct rt_err *err)
{
	const bool limited = run->event_limit &&
			     run->event_limit < RT_FABRIC_EVENT_LIMIT;
	const uint64_t limit = limited ? run->event_limit : RT_FABRIC_EVENT_LIMIT;
	struct rt_fabric fab = {
		.scenario = scenario,
		.config = *config,
		.sink = run->sink,
		.err = err,
		.stop_ps = scenario->duration_ps ? scenario->duration_ps
						 : RT_SIM_MAX_DURATION_PS,
	};
	int r = rt_fabric_build(&fab, run, err);

	if (r == 0)
		r = loop(&fab, run, limit, err);
	if (r == 0)
		r = rt_fabric_result(&fab, ret_result, err);
	if (r == 0)
		ret_result->event_bound_hit = fab.events.inserted >= limit;
	rt_fabric_teardown(&fab);
	return r;
}

int rt_sim_run(const struct rt_scenario *scenario, struct rt_sink *sink,
	       const char *const *ports, struct rt_sim_result *ret_result,
	       struct rt_err *err)
{
	const struct rt_fabric_run run = { .sink = sink, .ports = ports };
	struct rt_fabric_config config;
	int r;

	rt_fabric_config_init(&config, scenario);
	r = rt_fabric_config_model(&config, scenario, err);
	return r < 0 ? r : rt_fabric_run(scenario, &config, &run, ret_result, err);
}
