/* SPDX-License-Identifier: BSD-2-Clause */
/* result.c - counters of a run to its result. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/jain.h"
#include "base/own.h"
#include "fabric/state.h"
#include "rocetune/err.h"

#define QP_OF_FLOW 0x100 /* QP numbers 0 and 1 are special (IBTA) */

/* --- flows -------------------------------------------------------------- */

static uint64_t rate_bps(uint64_t bytes, uint64_t ps)
{
	if (!ps)
		return 0;
	return (uint64_t)((unsigned __int128)bytes * 8 * 1000000000000 / ps);
}

static void flow_result(const struct rt_fabric *fab, uint32_t index,
			struct rt_sim_flow *ret)
{
	const struct rt_fab_flow *flow = &fab->flows[index];
	const uint64_t end_ps = flow->done ? flow->done_ps : fab->events.now_ps;
	const uint64_t start_ps = flow->spec.start_ps;

	*ret = flow->stats;
	ret->flow = index;
	ret->packets_sent = flow->tx.top + flow->stats.resent;
	snprintf(ret->from, sizeof(ret->from), "h%u", flow->spec.from);
	snprintf(ret->to, sizeof(ret->to), "h%u", flow->spec.to);
	ret->src_qp = QP_OF_FLOW + 2 * index;
	ret->dst_qp = QP_OF_FLOW + 2 * index + 1;
	ret->bytes = flow->packets == RT_PACKETS_TIMED
			     ? rt_flow_bytes(fab, flow, flow->tx.top)
			     : flow->spec.bytes;
	ret->start_ns = start_ps / 1000;
	ret->delivered_bytes = flow->shape.datagrams
				       ? flow->arrived_bytes
				       : rt_flow_bytes(fab, flow, flow->received);
	if (flow->done && !flow->stats.failed)
		ret->completion_ps = RT_KNOWN_U64(end_ps - start_ps);
	if (end_ps > start_ps)
		ret->throughput_bps = rate_bps(ret->delivered_bytes, end_ps - start_ps);
	ret->final_rate_bps = flow->rp.rate_bps;
	ret->victim = fab->scenario->workloads[flow->spec.workload].victim;
	rt_workload_name(fab->scenario, flow->spec.workload, ret->workload);
	if (fab->detail.on)
		rt_detail_flow(fab, index, ret);
}

static int by_value(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* First, median and last completion; an even count takes the mean of two. */
static int completions(struct rt_sim_result *result, struct rt_err *err)
{
	RT_AUTO(rt_auto_free)
	uint64_t *times = malloc((result->flows_listed + 1) * sizeof(*times));
	size_t count = 0;

	if (!times)
		return rt_err_sys(err, -ENOMEM, "cannot sort completion times");
	for (size_t i = 0; i < result->flows_listed; i++)
		if (result->flows[i].completion_ps.known)
			times[count++] = result->flows[i].completion_ps.value;
	if (!count)
		return 0;
	qsort(times, count, sizeof(*times), by_value);
	result->first_completion_ps = RT_KNOWN_U64(times[0]);
	result->median_completion_ps = RT_KNOWN_U64(
		(times[(count - 1) / 2] + times[count / 2]) / 2);
	result->last_completion_ps = RT_KNOWN_U64(times[count - 1]);
	return 0;
}

static void add_flow(struct rt_sim_result *result, const struct rt_sim_flow *flow)
{
	result->flows_done += flow->completion_ps.known;
	result->flows_failed += flow->failed;
	result->packets_sent += flow->packets_sent;
	result->resent += flow->resent;
	result->marks += flow->marked;
	result->cnps_sent += flow->cnps_sent;
	result->cnps_received += flow->cnps_received;
	result->echoes += flow->echoes;
	result->naks += flow->naks;
	result->timeouts += flow->timeouts;
	if (!result->slowest_flow.known ||
	    flow->throughput_bps < result->slowest_throughput_bps.value) {
		result->slowest_flow = RT_KNOWN_U64(flow->flow);
		result->slowest_throughput_bps = RT_KNOWN_U64(flow->throughput_bps);
	}
}

/* Flows of one workload and size, or time, that were all active at some one time. */
static bool flows_alike(const struct rt_fabric *fab, const struct rt_sim_result *result)
{
	uint64_t last_start_ps = 0, first_end_ps = UINT64_MAX;

	if (fab->scenario->workload_count != 1)
		return false;
	for (uint32_t i = 0; i < fab->flow_count; i++) {
		const struct rt_sim_flow *flow = &result->flows[i];
		const uint64_t start_ps = fab->flows[i].spec.start_ps;
		const uint64_t end_ps = flow->completion_ps.known
						? start_ps + flow->completion_ps.value
						: fab->events.now_ps;

		/* Those that send for a time send as much as they may. */
		if (flow->bytes != result->flows[0].bytes &&
		    !fab->flows[i].spec.stop_ps)
			return false;
		if (start_ps > last_start_ps)
			last_start_ps = start_ps;
		if (end_ps < first_end_ps)
			first_end_ps = end_ps;
	}
	return last_start_ps < first_end_ps;
}

static int flow_results(const struct rt_fabric *fab, struct rt_sim_result *result,
			struct rt_err *err)
{
	struct rt_jain jain = { 0 };
	uint64_t delivered = 0;

	result->flows = calloc(fab->flow_count + 1u, sizeof(*result->flows));
	if (!result->flows)
		return rt_err_sys(err, -ENOMEM, "cannot hold the flows' results");
	result->flow_count = result->flows_listed = fab->flow_count;
	for (uint32_t i = 0; i < fab->flow_count; i++) {
		struct rt_sim_flow *flow = &result->flows[i];

		flow_result(fab, i, flow);
		add_flow(result, flow);
		delivered += flow->delivered_bytes;
		rt_jain_add(&jain, (double)flow->throughput_bps);
	}
	result->jain = rt_jain_index(&jain);
	result->jain_judged = flows_alike(fab, result);
	result->throughput_bps = rate_bps(delivered, fab->events.now_ps);
	return completions(result, err);
}

/* --- ports -------------------------------------------------------------- */

static void name_port(const struct rt_topo_port *port, char *ret_name)
{
	snprintf(ret_name, sizeof(((struct rt_sim_port *)0)->name), "%s", port->name);
}

static void frames_result(const struct rt_fab_port *sender, struct rt_sim_frames *ret)
{
	const struct rt_port_counts *counts = &sender->sent;

	*ret = (struct rt_sim_frames){
		.data = counts->kind[RT_PACKET_DATA],
		.ack = counts->kind[RT_PACKET_ACK],
		.nak = counts->kind[RT_PACKET_NAK],
		.cnp = counts->kind[RT_PACKET_CNP],
		.pfc_xoff = counts->kind[RT_PACKET_PFC] - sender->xon_sent,
		.pfc_xon = sender->xon_sent,
		.ce = counts->ce,
		.resent = counts->resent,
		.bytes = counts->bytes,
	};
}

/* What was sent and is under way still has not been received. */
static void take_back(void *user, const struct rt_event *event)
{
	const struct rt_packet *packet = &event->packet;
	struct rt_sim_port *port = (struct rt_sim_port *)user + rt_event_target(event);
	uint64_t *const by_kind[RT_PACKET_KIND_COUNT] = {
		[RT_PACKET_DATA] = &port->rx.data,
		[RT_PACKET_ACK] = &port->rx.ack,
		[RT_PACKET_NAK] = &port->rx.nak,
		[RT_PACKET_CNP] = &port->rx.cnp,
		[RT_PACKET_PFC] = packet->psn ? &port->rx.pfc_xoff : &port->rx.pfc_xon,
	};

	if (rt_event_type(event) != RT_EV_ARRIVE &&
	    rt_event_type(event) != RT_EV_RECEIVE)
		return;
	--*by_kind[packet->kind];
	port->rx.ce -= (packet->flags & RT_PACKET_CE) != 0;
	port->rx.resent -= (packet->flags & RT_PACKET_RESENT) != 0;
	port->rx.bytes -= packet->bytes;
}

static void port_result(struct rt_fabric *fab, uint32_t index, struct rt_sim_port *ret)
{
	struct rt_fab_port *port = &fab->ports[index];
	const uint64_t measured_ps = fab->events.now_ps - fab->warm_ps;
	uint64_t busy_ps = port->busy_ps;

	rt_port_area(fab, port);
	if (port->free_ps > fab->events.now_ps) /* a frame on its way out */
		busy_ps -= port->free_ps - fab->events.now_ps < busy_ps
				   ? port->free_ps - fab->events.now_ps
				   : busy_ps;
	*ret = (struct rt_sim_port){ .drops = port->drops,
				     .queue_max_bytes = port->queue_max_bytes };
	frames_result(&fab->ports[port->peer], &ret->rx);
	frames_result(port, &ret->tx);
	name_port(&fab->topology.ports[index], ret->name);
	name_port(&fab->topology.ports[port->peer], ret->peer);
	ret->role = port->role;
	ret->speed_bps = port->link->speed_bps;
	if (measured_ps && fab->warm_ps == fab->scenario->warmup_ps) {
		ret->queue_mean_bytes = RT_KNOWN_F64(port->area / (double)measured_ps);
		ret->utilisation_pct = RT_KNOWN_F64(100.0 * (double)busy_ps /
						    (double)measured_ps);
	}
}

static int add_pause(struct rt_sim_result *result, size_t *capacity,
		     const struct rt_sim_pause *pause, struct rt_err *err)
{
	struct rt_sim_pause *pauses;

	if (!pause->xoff && !pause->xon)
		return 0;
	pauses = rt_grow(result->pauses, result->pause_count, capacity,
			 sizeof(*pauses));
	if (!pauses)
		return rt_err_sys(err, -ENOMEM, "cannot hold the pauses");
	result->pauses = pauses;
	pauses[result->pause_count++] = *pause;
	return 0;
}

/* Close what is still open at the end of the run. */
static void close_asked(struct rt_sim_pause *pause, int64_t open_ns, int64_t end_ns,
			int64_t now_ns)
{
	if (open_ns >= 0)
		pause->asked_ns += (uint64_t)((end_ns < now_ns ? end_ns : now_ns) -
					      open_ns);
}

static int pause_results(struct rt_fabric *fab, uint32_t index, size_t *capacity,
			 struct rt_sim_result *result, struct rt_err *err)
{
	const struct rt_fab_port *port = &fab->ports[index];
	const int64_t now_ns = (int64_t)(fab->events.now_ps / 1000);
	int r = 0;

	for (unsigned prio = 0; port->pauses && prio < RT_PRIO_COUNT && r == 0;
	     prio++) {
		struct rt_port_pause *from = &port->pauses[prio];
		uint64_t stopped_ns = from->paused.stopped_ns.value;

		if (port->sched.paused_mask >> prio & 1)
			stopped_ns += (fab->events.now_ps - from->since_ps) / 1000;
		close_asked(&from->paused, from->paused_open_ns, from->paused_end_ns,
			    now_ns);
		close_asked(&from->pausing, from->pausing_open_ns, from->pausing_end_ns,
			    now_ns);
		from->paused.stopped_ns = RT_KNOWN_U64(stopped_ns);
		from->paused.pauses.known = true;
		if (now_ns)
			from->paused.share_pct = RT_KNOWN_F64(
				100.0 * (double)stopped_ns / (double)now_ns);
		from->paused.direction = RT_SIM_PAUSED_BY_PEER;
		from->pausing.direction = RT_SIM_PAUSING_PEER;
		from->paused.prio = from->pausing.prio = (uint8_t)prio;
		name_port(&fab->topology.ports[index], from->paused.port);
		name_port(&fab->topology.ports[index], from->pausing.port);
		result->paused_ns += stopped_ns;
		r = add_pause(result, capacity, &from->paused, err);
		if (r == 0)
			r = add_pause(result, capacity, &from->pausing, err);
	}
	return r;
}

/*
 * What comes after the threshold is passed: a frame that the pause frame waits
 * for, the cable both ways, the peer's reaction and the frame it has begun, and
 * the one that passed the threshold (IEEE 802.1Qbb annex N, without its PHY).
 */
static uint64_t headroom_needed(const struct rt_fabric *fab,
				const struct rt_fab_port *port)
{
	const struct rt_link *link = port->link;
	const unsigned __int128 flight_ps = 2 * link->delay_ps + link->reaction_ps;

	return (uint64_t)(flight_ps * link->speed_bps / 8000000000000) +
	       3 * (uint64_t)fab->full_bytes + fab->config.wire.pfc_bytes;
}

static void loss_result(const struct rt_fabric *fab, uint32_t index, unsigned prio,
			struct rt_sim_loss *ret)
{
	const struct rt_fab_port *port = &fab->ports[index];
	const struct rt_pg_params *pg = &port->pg[prio];

	*ret = (struct rt_sim_loss){ .prio = (uint8_t)prio,
				     .lossless = pg->lossless,
				     .frames = port->losses[prio].frames,
				     .bytes = port->losses[prio].bytes };
	name_port(&fab->topology.ports[index], ret->port);
	if (!pg->lossless)
		return;
	ret->headroom_bytes = RT_KNOWN_U64(pg->headroom_bytes);
	if (port->losses[prio].asked_bytes)
		ret->headroom_asked_bytes = RT_KNOWN_U64(
			port->losses[prio].asked_bytes);
	ret->headroom_needed_bytes = RT_KNOWN_U64(headroom_needed(fab, port));
}

static int most_frames_first(const void *a, const void *b)
{
	const struct rt_sim_loss *x = a, *y = b;

	if (x->frames != y->frames)
		return x->frames > y->frames ? -1 : 1;
	return strcmp(x->port, y->port);
}

static int loss_results(const struct rt_fabric *fab, struct rt_sim_result *result,
			struct rt_err *err)
{
	size_t capacity = 0;

	for (uint32_t i = 0; i < fab->port_count; i++)
		for (unsigned prio = 0; fab->ports[i].losses && prio < RT_PRIO_COUNT;
		     prio++) {
			struct rt_sim_loss *grown;

			if (!fab->ports[i].losses[prio].frames)
				continue;
			grown = rt_grow(result->losses, result->loss_count, &capacity,
					sizeof(*grown));
			if (!grown)
				return rt_err_sys(err, -ENOMEM, "cannot hold losses");
			result->losses = grown;
			loss_result(fab, i, prio, &grown[result->loss_count++]);
		}
	if (result->loss_count)
		qsort(result->losses, result->loss_count, sizeof(*result->losses),
		      most_frames_first);
	return 0;
}

/* Who stood still before who made others stand still; the longest first. */
static int longest_first(const void *a, const void *b)
{
	const struct rt_sim_pause *x = a, *y = b;
	int order;

	if (x->direction != y->direction)
		return x->direction < y->direction ? -1 : 1;
	if (x->stopped_ns.value != y->stopped_ns.value)
		return x->stopped_ns.value > y->stopped_ns.value ? -1 : 1;
	if (x->asked_ns != y->asked_ns)
		return x->asked_ns > y->asked_ns ? -1 : 1;
	order = strcmp(x->port, y->port);
	return order ? order : (int)x->prio - (int)y->prio;
}

static void sort_pauses(struct rt_sim_result *result)
{
	const struct rt_sim_pause *longest = result->pauses;

	if (!result->pause_count)
		return;
	qsort(result->pauses, result->pause_count, sizeof(*result->pauses),
	      longest_first);
	if (!longest->stopped_ns.known || !longest->stopped_ns.value)
		return;
	memcpy(result->longest_paused_port, longest->port, sizeof(longest->port));
	result->longest_paused_prio = RT_KNOWN_U64(longest->prio);
	result->longest_paused_ns = longest->stopped_ns.value;
	result->longest_paused_pct = longest->share_pct.value;
}

static int port_results(struct rt_fabric *fab, struct rt_sim_result *result,
			struct rt_err *err)
{
	const struct rt_sim_port *sampled;
	size_t capacity = 0;
	int r = 0;

	result->ports = calloc(fab->port_count, sizeof(*result->ports));
	if (!result->ports)
		return rt_err_sys(err, -ENOMEM, "cannot hold the ports' results");
	result->port_count = fab->port_count;
	for (uint32_t i = 0; i < fab->port_count; i++)
		port_result(fab, i, &result->ports[i]);
	rt_events_each(&fab->events, take_back, result->ports);
	for (uint32_t i = 0; i < fab->port_count && r == 0; i++) {
		const struct rt_sim_frames *rx = &result->ports[i].rx;

		result->hops += rx->data + rx->ack + rx->nak + rx->cnp;
		result->drops += result->ports[i].drops;
		result->pfc_xoff += result->ports[i].tx.pfc_xoff;
		result->pfc_xon += result->ports[i].tx.pfc_xon;
		r = pause_results(fab, i, &capacity, result, err);
	}
	sort_pauses(result);
	sampled = &result->ports[fab->sample_port];
	memcpy(result->queue_port, sampled->name, sizeof(result->queue_port));
	result->queue_max_bytes = sampled->queue_max_bytes;
	result->queue_mean_bytes = sampled->queue_mean_bytes;
	result->utilisation_pct = sampled->utilisation_pct;
	return r;
}

int rt_fabric_result(struct rt_fabric *fab, struct rt_sim_result *ret_result,
		     struct rt_err *err)
{
	struct rt_sim_result result = {
		.seed = fab->scenario->seed,
		.hosts = fab->topology.hosts,
		.switches = fab->topology.nodes - fab->topology.hosts,
		.simulated_ns = fab->events.now_ps / 1000,
		.finished = !fab->flows_open,
		.cuts = fab->cuts,
		.headroom_max_bytes = fab->headroom_max_bytes,
		.sample_interval_ns = fab->sample_ps / 1000,
		.events = fab->events.inserted,
		.captured_frames = fab->captured,
	};
	int r;

	memcpy(result.scenario, fab->scenario->name, sizeof(result.scenario));
	memcpy(result.assumed, fab->config.assumed, sizeof(result.assumed));
	snprintf(result.profile, sizeof(result.profile), "%.63s",
		 fab->scenario->profile);
	r = flow_results(fab, &result, err);
	if (r == 0)
		r = port_results(fab, &result, err);
	if (r == 0)
		r = loss_results(fab, &result, err);
	if (r == 0)
		r = rt_detail_queues(fab, &result, err);
	if (r < 0) {
		rt_sim_result_free(&result);
		return r;
	}
	result.samples = rt_steal(&fab->samples);
	result.sample_count = fab->sample_count;
	*ret_result = result;
	return 0;
}

void rt_sim_result_free(struct rt_sim_result *result)
{
	free(result->samples);
	free(result->flows);
	free(result->ports);
	free(result->pauses);
	free(result->losses);
	free(result->queues);
	*result = (struct rt_sim_result){ 0 };
}
