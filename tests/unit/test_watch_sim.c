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

static void check(const char *text, uint64_t interval_ns, unsigned least)
{
	const struct rt_watch_request watch = { .interval_ns = interval_ns };
	struct rt_sim_request request = { 0 };
	struct rt_watch_source *source = NULL;
	struct rt_watch_sample sample = { 0 };
	struct rt_outcome outcome;
	struct rt_err err = { 0 };
	char path[32];
	unsigned samples;

	write_scenario(path, text);
	request.scenario = path;
	assert_int_equal(rt_run_sim(&request, &outcome, &err), 0);
	assert_int_equal(rt_watch_sim_open(path, &watch, &source, &err), 0);
	samples = drain(source, &sample);
	print_message("# %u samples, %zu ports\n", samples, sample.count);
	assert_true(samples >= least);
	compare(&sample, outcome.object);
	rt_watch_sample_free(&sample);
	source->ops->close(source);
	rt_outcome_release(&outcome);
	unlink(path);
}

static void test_steps_add_up_to_the_run(void **state)
{
	(void)state;
	/* With marks and pauses. */
	check("{name: a, topology: {kind: star, speed: 100G, delay: 1us}, workload: "
	      "{kind: incast, senders: 8, size: 1MB}, model: {buffer: 2MB, "
	      "buffer_alpha: 1/2, headroom: 60KB}}",
	      RT_WATCH_MIN_INTERVAL_NS, 5);
	/* With losses on a priority that is not lossless. */
	check("{name: b, topology: {kind: star, speed: 100G, delay: 1us}, workload: "
	      "{kind: incast, senders: 8, size: 200KB}, model: {buffer: 500KB, "
	      "options: "
	      "[no_pfc, no_cc]}}",
	      RT_WATCH_MIN_INTERVAL_NS, 5);
	/* Of a duration, in steps that it is no multiple of. */
	check("{name: c, duration: 250us, topology: {kind: star, speed: 100G, delay: "
	      "1us}, workload: {kind: incast, senders: 4, duration: 1ms}}",
	      UINT64_C(110000000), 4);
}

/* Without an interval there are enough of them that something lasts. */
static void test_scenarios_have_intervals_of_their_own(void **state)
{
	(void)state;
	check("{name: d, topology: {kind: star, speed: 100G, delay: 1us}, workload: "
	      "{kind: incast, senders: 8, size: 200KB}}",
	      0, 6);
	check("{name: e, duration: 250us, topology: {kind: star, speed: 100G, delay: "
	      "1us}, workload: {kind: incast, senders: 4, duration: 1ms}}",
	      0, RT_WATCH_SIM_STEPS + 1);
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
