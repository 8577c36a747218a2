/* SPDX-License-Identifier: BSD-2-Clause */
/* A simulation as a source of samples: in steps it is the run that it is in one. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "rocetune/err.h"
#include "rocetune/sim.h"
#include "run/sim.h"
#include "run/watch.h"
#include "run/watch_sim.h"
#include "watch/sample.h"
#include "watch/source.h"
#include "watch/watch.h"

static void write_scenario(char path[32], const char *text)
{
	FILE *file;
	int fd;

	strcpy(path, "/tmp/rt-watch-sim-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	file = fdopen(fd, "w");
	fputs(text, file);
	fclose(file);
}

static uint64_t value(const struct rt_watch_input *input, enum rt_counter_id id,
		      unsigned prio)
{
	const struct rt_opt_u64 known = rt_counter_value(&input->set, id, prio);

	assert_true(known.known);
	return known.value;
}

static uint64_t port(const struct rt_watch_input *input, enum rt_counter_id id)
{
	return value(input, id, RT_COUNTER_NO_PRIO);
}

/* What all ports of a role have counted together. */
static uint64_t sum(const struct rt_watch_sample *sample, unsigned role,
		    enum rt_counter_id id, unsigned prio)
{
	uint64_t total = 0;

	for (size_t i = 0; i < sample->count; i++)
		if (sample->items[i].port.role == role)
			total += value(&sample->items[i], id, prio);
	return total;
}

/* To its end; how many samples there were. */
static unsigned drain(struct rt_watch_source *source, struct rt_watch_sample *sample)
{
	int64_t last_ns = -1, next_ns;
	unsigned count = 0;
	int r;

	for (;;) {
		assert_int_equal(source->ops->next_ns(source, &next_ns), 0);
		r = source->ops->sample(source, sample, NULL);
		if (r == -ENODATA)
			break;
		assert_int_equal(r, 0);
		assert_true(sample->time_ns > last_ns && sample->time_ns <= next_ns);
		for (size_t i = 0; i < sample->count; i++) {
			const struct rt_counter_set *set = &sample->items[i].set;

			assert_int_equal(rt_counter_set_check(set, NULL), 0);
			assert_int_equal(set->time_ns, sample->time_ns);
		}
		/* The first is of before it began. */
		assert_true((count == 0) == (sample->time_ns == 0));
		if (count == 0)
			assert_int_equal(sum(sample, RT_WATCH_NIC, RT_COUNTER_TX_FRAMES,
					     RT_COUNTER_NO_PRIO),
					 0);
		last_ns = sample->time_ns;
		count++;
	}
	assert_int_equal(source->ops->next_ns(source, &next_ns), -ENODATA);
	assert_int_equal(source->ops->sample(source, sample, NULL), -ENODATA);
	return count;
}

#define NIC    RT_WATCH_NIC
#define SWITCH RT_WATCH_SWITCH
#define PORT   RT_COUNTER_NO_PRIO

static const struct rt_watch_input *find(const struct rt_watch_sample *sample,
					 const char *name)
{
	for (size_t i = 0; i < sample->count; i++)
		if (strcmp(sample->items[i].port.name, name) == 0)
			return &sample->items[i];
	fail_msg("no port %s", name);
	return NULL;
}

#define PFC_BYTES 64 /* of a frame; counters of frames and bytes are without them */

/* Each port by itself: frames, bytes, and what it was asked and has asked for. */
static void compare_ports(const struct rt_watch_sample *sample,
			  const struct rt_sim_result *result)
{
	assert_int_equal(sample->count, result->port_count);
	for (size_t i = 0; i < result->port_count; i++) {
		const struct rt_sim_port *of = &result->ports[i];
		const struct rt_watch_input *input = find(sample, of->name);
		const struct rt_sim_frames *tx = &of->tx, *rx = &of->rx;

		assert_int_equal(port(input, RT_COUNTER_TX_FRAMES),
				 tx->data + tx->ack + tx->nak + tx->cnp);
		assert_int_equal(port(input, RT_COUNTER_TX_BYTES),
				 tx->bytes - PFC_BYTES * (tx->pfc_xoff + tx->pfc_xon));
		if (!result->finished) /* frames are on the cables */
			continue;
		assert_int_equal(port(input, RT_COUNTER_RX_FRAMES),
				 rx->data + rx->ack + rx->nak + rx->cnp);
		assert_int_equal(port(input, RT_COUNTER_RX_BYTES),
				 rx->bytes - PFC_BYTES * (rx->pfc_xoff + rx->pfc_xon));
	}
	for (size_t i = 0; i < result->pause_count; i++) {
		const struct rt_sim_pause *of = &result->pauses[i];
		const struct rt_watch_input *input = find(sample, of->port);
		const bool rx = of->direction == RT_SIM_PAUSED_BY_PEER;

		assert_int_equal(
			value(input,
			      rx ? RT_COUNTER_PFC_RX_FRAMES : RT_COUNTER_PFC_TX_FRAMES,
			      of->prio),
			of->xoff + of->xon);
		assert_int_equal(value(input,
				       rx ? RT_COUNTER_PFC_RX_NS : RT_COUNTER_PFC_TX_NS,
				       of->prio),
				 rx ? of->stopped_ns.value : of->asked_ns);
	}
}

static void compare(const struct rt_watch_sample *sample,
		    const struct rt_sim_result *result)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < result->flow_count; i++)
		bytes += result->flows[i].delivered_bytes;
	assert_int_equal(sum(sample, NIC, RT_COUNTER_CE_RX, PORT), result->marks);
	/* One switch: what it marked arrived with a mark. */
	assert_int_equal(sum(sample, SWITCH, RT_COUNTER_SWITCH_MARKED, PORT),
			 result->marks);
	assert_int_equal(sum(sample, NIC, RT_COUNTER_CNP_TX, PORT), result->cnps_sent);
	assert_int_equal(sum(sample, NIC, RT_COUNTER_CNP_RX, PORT),
			 result->cnps_received);
	assert_int_equal(sum(sample, NIC, RT_COUNTER_ACK_TIMEOUTS, PORT),
			 result->timeouts);
	assert_int_equal(sum(sample, NIC, RT_COUNTER_CNP_HANDLED, PORT),
			 result->cnps_received);
	assert_int_equal(sum(sample, NIC, RT_COUNTER_SEQ_NAKS_RX, PORT), result->naks);
	assert_int_equal(sum(sample, NIC, RT_COUNTER_RETRY_EXCEEDED, PORT),
			 result->flows_failed);
	compare_ports(sample, result);
	assert_int_equal(sum(sample, NIC, RT_COUNTER_PFC_RX_NS, 3) +
				 sum(sample, SWITCH, RT_COUNTER_PFC_RX_NS, 3),
			 result->paused_ns);
	/* Headers are in these, and what came and was no progress. */
	assert_true(port(&sample->items[0], RT_COUNTER_RX_BYTES) > bytes);
	for (size_t i = 0; i < result->port_count; i++) {
		const struct rt_sim_port *of = &result->ports[i];

		for (size_t k = 0; k < sample->count; k++)
			if (strcmp(sample->items[k].port.name, of->name) == 0 &&
			    sample->items[k].port.role == SWITCH)
				assert_int_equal(
					port(&sample->items[k], RT_COUNTER_RX_DISCARDS),
					of->drops);
	}
}

/* What runs have had, as bits. */
enum met {
	MARKS = 1,
	PAUSES = 2,
	CNPS = 4,
	NAKS = 8,
	TIMEOUTS = 16,
	FAILURES = 32,
	ALL_OF_IT = 63,
};

static void check(const char *text, uint64_t interval_ns, unsigned least, unsigned *met)
{
	const struct rt_watch_request watch = { .interval_ns = interval_ns };
	struct rt_sim_request request = { 0 };
	struct rt_watch_source *source = NULL;
	struct rt_watch_sample sample = { 0 };
	const struct rt_sim_result *result;
	struct rt_outcome outcome;
	struct rt_err err = { 0 };
	char path[32];
	unsigned samples;

	write_scenario(path, text);
	request.scenario = path;
	assert_int_equal(rt_run_sim(&request, &outcome, &err), 0);
	assert_int_equal(rt_watch_sim_open(path, &watch, &source, &err), 0);
	samples = drain(source, &sample);
	result = outcome.object;
	print_message("# %u samples, %zu ports\n", samples, sample.count);
	assert_true(samples >= least);
	compare(&sample, result);
	/* What is nowhere is compared with nothing. */
	*met |= (result->marks ? MARKS : 0) | (result->pause_count ? PAUSES : 0) |
		(result->cnps_received ? CNPS : 0) |
		(result->naks && result->naks != result->timeouts ? NAKS : 0) |
		(result->timeouts ? TIMEOUTS : 0) |
		(result->flows_failed ? FAILURES : 0);
	rt_watch_sample_free(&sample);
	source->ops->close(source);
	rt_outcome_release(&outcome);
	unlink(path);
}

static void test_steps_add_up_to_the_run(void **state)
{
	unsigned met = 0;

	(void)state;
	/* With marks and pauses. */
	check("{name: a, topology: {kind: star, speed: 100G, delay: 1us}, workload: "
	      "{kind: incast, senders: 8, size: 1MB}, model: {buffer: 2MB, "
	      "buffer_alpha: 1/2, headroom: 60KB}}",
	      RT_WATCH_MIN_INTERVAL_NS, 5, &met);
	/* With losses on a priority that is not lossless. */
	check("{name: b, topology: {kind: star, speed: 100G, delay: 1us}, workload: "
	      "{kind: incast, senders: 8, size: 200KB}, model: {buffer: 500KB, "
	      "options: "
	      "[no_pfc, no_cc]}}",
	      RT_WATCH_MIN_INTERVAL_NS, 5, &met);
	/* Of a duration, in steps that it is no multiple of. */
	check("{name: c, duration: 250us, topology: {kind: star, speed: 100G, delay: "
	      "1us}, workload: {kind: incast, senders: 4, duration: 1ms}}",
	      UINT64_C(110000000), 4, &met);
	/* With flows that give up. */
	check("{name: f, topology: {kind: star, speed: 100G, delay: 1us}, workload: "
	      "{kind: incast, senders: 8, size: 200KB}, model: {buffer: 100KB, "
	      "retries: 0, options: [no_pfc, no_cc]}}",
	      RT_WATCH_MIN_INTERVAL_NS, 2, &met);
	assert_int_equal(met, ALL_OF_IT);
}

/* Without an interval there are enough of them that something lasts. */
static void test_scenarios_have_intervals_of_their_own(void **state)
{
	unsigned met = 0;

	(void)state;
	check("{name: d, topology: {kind: star, speed: 100G, delay: 1us}, workload: "
	      "{kind: incast, senders: 8, size: 200KB}}",
	      0, 6, &met);
	check("{name: e, duration: 250us, topology: {kind: star, speed: 100G, delay: "
	      "1us}, workload: {kind: incast, senders: 4, duration: 1ms}}",
	      0, RT_WATCH_SIM_STEPS + 1, &met);
}

static void test_ports_say_what_they_are(void **state)
{
	static const char *const wanted[] = { "h0", "s0p0", NULL };
	static const char *const none[] = { "x", NULL };
	struct rt_watch_request request = { .interval_ns = RT_WATCH_MIN_INTERVAL_NS,
					    .ports = wanted };
	struct rt_watch_source *source = NULL;
	struct rt_watch_sample sample = { 0 };
	struct rt_err err = { 0 };
	char path[32];

	(void)state;
	write_scenario(path, "{name: a, topology: {kind: star, speed: 100G}, workload: "
			     "{kind: incast, senders: 2, size: 1MB}}");
	assert_int_equal(rt_watch_sim_open(path, &request, &source, &err), 0);
	assert_int_equal(source->ops->sample(source, &sample, &err), 0);
	assert_int_equal(source->ops->sample(source, &sample, &err), 0);
	assert_int_equal(sample.count, 2);
	assert_string_equal(sample.items[0].port.name, "h0");
	assert_string_equal(sample.items[0].port.peer, "s0p0");
	assert_int_equal(sample.items[0].port.role, NIC);
	assert_int_equal(sample.items[0].port.speed_bps.value, UINT64_C(100000000000));
	assert_int_equal(sample.items[0].port.lossless.value, 1 << 3);
	assert_true(sample.items[0].port.rdma_prios.known);
	assert_int_equal(sample.items[0].port.rdma_prios.value, 1 << 3);
	assert_true(sample.items[0].port.cnp_gap_ns.known);
	assert_false(sample.items[1].port.rdma_prios.known);
	assert_string_equal(sample.items[1].port.peer, "h0");
	assert_int_equal(sample.items[1].port.role, SWITCH);
	assert_int_equal(sample.items[1].set.items[0].source, RT_SOURCE_SIM);
	rt_watch_sample_free(&sample);
	source->ops->close(source);
	request.ports = none;
	assert_int_equal(rt_watch_sim_open(path, &request, &source, &err), -ENODEV);
	unlink(path);
	assert_true(rt_watch_sim_open(path, &request, &source, &err) < 0);
}

static void test_more_ports_than_can_be_watched_are_refused(void **state)
{
	static const char *const some[] = { "h1*", NULL };
	struct rt_watch_request request = { 0 };
	struct rt_watch_source *source = NULL;
	struct rt_err err = { 0 };
	char path[32];

	(void)state;
	write_scenario(
		path, "name: big\n"
		      "topology: {kind: leaf-spine, leaves: 64, spines: 32, hosts: 64, "
		      "speed: 100G}\n"
		      "workload: {kind: incast, senders: 2, size: 100KB}\n");
	assert_int_equal(rt_watch_sim_open(path, &request, &source, &err), -E2BIG);
	/* 4096 hosts at both ends, and 64 x 32 cables between switches. */
	assert_non_null(strstr(err.msg, "12288 ports"));
	request.ports = some;
	assert_int_equal(rt_watch_sim_open(path, &request, &source, &err), 0);
	source->ops->close(source);
	unlink(path);
}

RT_UNIT_MAIN(cmocka_unit_test(test_steps_add_up_to_the_run),
	     cmocka_unit_test(test_scenarios_have_intervals_of_their_own),
	     cmocka_unit_test(test_ports_say_what_they_are),
	     cmocka_unit_test(test_more_ports_than_can_be_watched_are_refused))
