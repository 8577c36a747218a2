/* SPDX-License-Identifier: BSD-2-Clause */
/* flow_window.c - who sent most, and to whom many sent, of an analysis. */
#include "run/flow_window.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/jain.h"
#include "base/own.h"
#include "rocetune/err.h"

/* As the result has it in text; version 0: it is none (a LID). */
static struct rt_ip ip_of(const char *text)
{
	struct rt_ip ip = { 0 };

	if (inet_pton(AF_INET, text, ip.bytes) == 1)
		ip.version = 4;
	else if (inet_pton(AF_INET6, text, ip.bytes) == 1)
		ip.version = 6;
	return ip;
}

/* Room for so many, all zero; NULL: no memory. */
static void *make_room(void **items, size_t *capacity, size_t wanted, size_t size)
{
	void *grown;

	if (wanted > *capacity) {
		grown = realloc(*items, wanted * size);
		if (!grown)
			return NULL;
		*items = grown;
		*capacity = wanted;
	}
	if (*items)
		memset(*items, 0, *capacity * size);
	return *items;
}

/* --- flows ----------------------------------------------------------------------------- */

static int by_bytes(const void *a, const void *b)
{
	const struct rt_analysis_flow *x = *(const struct rt_analysis_flow *const *)a;
	const struct rt_analysis_flow *y = *(const struct rt_analysis_flow *const *)b;

	if (x->payload_bytes != y->payload_bytes)
		return x->payload_bytes < y->payload_bytes ? 1 : -1;
	return x < y ? -1 : x > y;
}

static void fill_flow(const struct rt_analysis_flow *from, struct rt_watch_flow *to)
{
	*to = (struct rt_watch_flow){
		.src = ip_of(from->src),
		.dst = ip_of(from->dst),
		.qp = from->dest_qp,
		.dscp = from->dscp,
		.frames = from->frames,
		.bytes = from->payload_bytes,
		.ce = from->ecn.ce,
		.cnps = from->cnps.value,
		.resent_bytes = from->resent_bytes,
		.naks = from->naks.value,
	};
}

/* The largest of them; whoever carried no data is none. */
static int fill_flows(const struct rt_analysis_sequence *sequence,
		      struct rt_watch_flows *flows)
{
	RT_AUTO(rt_auto_free)
	const struct rt_analysis_flow **order = calloc(sequence->flow_count + 1,
						       sizeof(const void *));
	size_t count = 0, kept;

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < sequence->flow_count; i++)
		if (sequence->flows[i].payload_bytes)
			order[count++] = &sequence->flows[i];
	qsort(order, count, sizeof(*order), by_bytes);
	kept = count < RT_WATCH_MAX_FLOWS ? count : RT_WATCH_MAX_FLOWS;
	if (kept && !make_room((void **)&flows->items, &flows->capacity, kept,
			       sizeof(*flows->items)))
		return -ENOMEM;
	for (size_t i = 0; i < kept; i++)
		fill_flow(order[i], &flows->items[i]);
	flows->count = kept;
	flows->total = count;
	return 0;
}

/* --- fans ------------------------------------------------------------------------------ */

/* Of its senders' bytes in the window, which is the same for all of them. */
static struct rt_opt_f64 jain_of(const struct rt_analysis_throughput *throughput,
				 const char *receiver)
{
	struct rt_jain jain = { 0 };

	for (size_t i = 0; i < throughput->sender_count; i++) {
		const struct rt_analysis_sender *sender = &throughput->senders[i];

		if (strcmp(sender->receiver, receiver) == 0)
			rt_jain_add(&jain, (double)sender->payload_bytes);
	}
	return rt_jain_among(&jain);
}

static void add_flows(const struct rt_analysis_sequence *sequence, const char *receiver,
		      struct rt_watch_fan *fan)
{
	for (size_t i = 0; i < sequence->flow_count; i++) {
		const struct rt_analysis_flow *flow = &sequence->flows[i];

		if (!flow->payload_bytes || strcmp(flow->dst, receiver) != 0)
			continue;
		fan->flows++;
		fan->ce += flow->ecn.ce;
	}
}

static int fans_by_bytes(const void *a, const void *b)
{
	const struct rt_watch_fan *x = a, *y = b;

	return x->bytes < y->bytes ? 1 : x->bytes > y->bytes ? -1 : 0;
}

/* As many as flows at most: looking at all flows for each is then no more than they. */
static int fill_fans(const struct rt_analysis *analysis, struct rt_watch_flows *flows)
{
	const struct rt_analysis_throughput *throughput = &analysis->throughput;
	size_t count = throughput->receiver_count;

	if (count > RT_WATCH_MAX_FLOWS)
		count = RT_WATCH_MAX_FLOWS;
	if (count && !make_room((void **)&flows->fans, &flows->fan_capacity, count,
				sizeof(*flows->fans)))
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const struct rt_analysis_receiver *from = &throughput->receivers[i];

		flows->fans[i] = (struct rt_watch_fan){
			.dst = ip_of(from->receiver),
			.senders = (uint32_t)from->senders,
			.bytes = from->payload_bytes,
			.jain = jain_of(throughput, from->receiver),
		};
		add_flows(&analysis->sequence, from->receiver, &flows->fans[i]);
	}
	qsort(flows->fans, count, sizeof(*flows->fans), fans_by_bytes);
	flows->fan_count = count;
	return 0;
}

int rt_flow_window_fill(const struct rt_analysis *analysis,
			struct rt_watch_flows *flows, struct rt_err *err)
{
	int r = fill_flows(&analysis->sequence, flows);

	if (r == 0)
		r = fill_fans(analysis, flows);
	if (r < 0)
		return rt_err_sys(err, r, "cannot hold the flows");
	flows->frames = analysis->capture.frames;
	return 0;
}
