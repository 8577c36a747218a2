/* SPDX-License-Identifier: BSD-2-Clause */
/* flow_window.c - who sent most, and to whom many sent, of an analysis. */
#include "run/flow_window.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/jain.h"
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

/* Room for so many.  -ENOMEM: it is as before. */
static int make_room(void **items, size_t *capacity, size_t wanted, size_t size)
{
	void *grown;

	if (wanted <= *capacity)
		return 0;
	grown = realloc(*items, wanted * size);
	if (!grown)
		return -ENOMEM;
	*items = grown;
	*capacity = wanted;
	return 0;
}

static size_t at_most(size_t count)
{
	return count < RT_WATCH_MAX_FLOWS ? count : RT_WATCH_MAX_FLOWS;
}

/* --- flows ----------------------------------------------------------------------------- */

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

/* Whoever carried no data is none; rows come with the largest first. */
static size_t count_flows(const struct rt_analysis_sequence *sequence)
{
	size_t count = 0;

	while (count < sequence->flow_count && sequence->flows[count].payload_bytes)
		count++;
	return count;
}

/* --- fans ------------------------------------------------------------------------------ */

/* Of its senders' bytes in the window, which is the same for all of them. */
static struct rt_opt_f64 jain_of(const struct rt_analysis_sender *senders, size_t count)
{
	struct rt_jain jain = { 0 };

	for (size_t i = 0; i < count; i++)
		rt_jain_add(&jain, (double)senders[i].payload_bytes);
	return rt_jain_among(&jain);
}

/* A receiver and its fan, to be found by its name. */
struct place {
	const char *receiver;
	struct rt_watch_fan *fan;
};

static int by_receiver(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return strcmp(x->receiver, y->receiver);
}

static void add_flows(const struct rt_analysis_sequence *sequence, size_t flow_count,
		      struct place *places, size_t count)
{
	qsort(places, count, sizeof(*places), by_receiver);
	for (size_t i = 0; i < flow_count; i++) {
		const struct rt_analysis_flow *flow = &sequence->flows[i];
		const struct place wanted = { flow->dst, NULL };
		const struct place *found = bsearch(&wanted, places, count,
						    sizeof(*places), by_receiver);

		if (!found)
			continue;
		found->fan->flows++;
		found->fan->ce += flow->ecn.ce;
	}
}

static int fans_by_bytes(const void *a, const void *b)
{
	const struct rt_watch_fan *x = a, *y = b;

	return x->bytes < y->bytes ? 1 : x->bytes > y->bytes ? -1 : 0;
}

/* The senders of a receiver lie together, in the order of receivers. */
static void fill_fans(const struct rt_analysis *analysis, size_t flow_count,
		      struct rt_watch_flows *flows)
{
	const struct rt_analysis_throughput *throughput = &analysis->throughput;
	const size_t count = at_most(throughput->receiver_count);
	struct place places[RT_WATCH_MAX_FLOWS];
	size_t at = 0;

	for (size_t i = 0; i < count; i++) {
		const struct rt_analysis_receiver *from = &throughput->receivers[i];
		const size_t left = throughput->sender_count - at;
		const size_t senders = from->senders < left ? from->senders : left;

		flows->fans[i] = (struct rt_watch_fan){
			.dst = ip_of(from->receiver),
			.senders = (uint32_t)from->senders,
			.bytes = from->payload_bytes,
			.jain = jain_of(&throughput->senders[at], senders),
		};
		places[i] = (struct place){ from->receiver, &flows->fans[i] };
		at += senders;
	}
	flows->fan_count = count;
	if (count == 0)
		return;
	add_flows(&analysis->sequence, flow_count, places, count);
	qsort(flows->fans, count, sizeof(*flows->fans), fans_by_bytes);
}

int rt_flow_window_fill(const struct rt_analysis *analysis,
			struct rt_watch_flows *flows, struct rt_err *err)
{
	const size_t total = count_flows(&analysis->sequence);
	const size_t fans = at_most(analysis->throughput.receiver_count);
	int r = make_room((void **)&flows->items, &flows->capacity, at_most(total),
			  sizeof(*flows->items));

	if (r == 0)
		r = make_room((void **)&flows->fans, &flows->fan_capacity, fans,
			      sizeof(*flows->fans));
	if (r < 0)
		return rt_err_sys(err, r, "cannot hold the flows");
	flows->count = at_most(total);
	flows->total = total;
	flows->frames = analysis->capture.frames;
	flows->unfollowed = analysis->sequence.overflow;
	for (size_t i = 0; i < flows->count; i++)
		fill_flow(&analysis->sequence.flows[i], &flows->items[i]);
	fill_fans(analysis, total, flows);
	return 0;
}
