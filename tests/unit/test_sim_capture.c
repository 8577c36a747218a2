/* SPDX-License-Identifier: BSD-2-Clause */
/* test_sim_capture.c - the simulator's counters against the frames it captures. */
#include "unit.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "fabric/fabric.h"
#include "rocetune/err.h"
#include "rocetune/frame.h"
#include "rocetune/sim.h"

/* A sink that decodes what it is given and keeps it. */
struct memory_sink {
	struct rt_sink sink;
	char names[64][32];
	uint64_t speeds[64];
	int interfaces;
	struct rt_frame *frames;
	size_t count, capacity;
	size_t fail_after; /* 0: never */
};

static int memory_add(struct rt_sink *sink, const struct rt_capture_if *interface,
		      struct rt_err *err)
{
	struct memory_sink *memory = (struct memory_sink *)sink;

	(void)err;
	assert_true(memory->interfaces < 64);
	assert_int_equal(interface->link_type, RT_LINK_ETHERNET);
	assert_true(interface->units_per_s == 1000000000);
	memcpy(memory->names[memory->interfaces], interface->name, 32);
	memory->speeds[memory->interfaces] = interface->speed_bps;
	return memory->interfaces++;
}

static int memory_write(struct rt_sink *sink, unsigned interface, int64_t time_ns,
			const uint8_t *data, uint32_t cap_bytes, uint32_t wire_bytes,
			struct rt_err *err)
{
	struct memory_sink *memory = (struct memory_sink *)sink;
	struct rt_frame *frames = rt_grow(memory->frames, memory->count,
					  &memory->capacity, sizeof(*frames));

	assert_non_null(frames);
	memory->frames = frames;
	if (memory->fail_after && memory->count == memory->fail_after)
		return rt_err_set(err, -ENOSPC, "the disk is full");
	frames[memory->count] = (struct rt_frame){ .time_ns = time_ns,
						   .number = memory->count + 1,
						   .interface = (uint16_t)interface,
						   .link_type = RT_LINK_ETHERNET,
						   .cap_bytes = cap_bytes,
						   .wire_bytes = wire_bytes };
	rt_frame_decode(&frames[memory->count++], data, RT_DECODE_ICRC);
	return 0;
}

static const struct rt_sink_ops memory_ops = { .name = "memory",
					       .add_interface = memory_add,
					       .write = memory_write };

static int run_into(struct memory_sink *memory, const char *text,
		    const char *const *ports, struct rt_sim_result *result,
		    struct rt_err *err)
{
	const struct rt_fabric_run run = { .sink = &memory->sink, .ports = ports };
	struct rt_fabric_config config;
	struct rt_scenario scenario;
	int r = rt_scenario_parse("test", text, strlen(text), &scenario, err);

	assert_int_equal(r, 0);
	memory->sink.ops = &memory_ops;
	rt_fabric_config_init(&config, &scenario);
	assert_int_equal(rt_fabric_config_model(&config, &scenario, err), 0);
	return rt_fabric_run(&scenario, &config, &run, result, err);
}

static const struct rt_sim_port *find_port(const struct rt_sim_result *result,
					   const char *name)
{
	for (size_t i = 0; i < result->port_count; i++)
		if (strcmp(result->ports[i].name, name) == 0)
			return &result->ports[i];
	fail_msg("no port %s", name);
	return NULL;
}

/* The host behind a switch port towards one: its addresses end in its number. */
static unsigned host_of(const struct rt_sim_port *port)
{
	return (unsigned)strtoul(port->peer + 1, NULL, 10);
}

static bool comes_in(const struct rt_frame *frame, unsigned host)
{
	return frame->eth_src[3] == 0 && frame->eth_src[5] == host;
}

static void count(struct rt_sim_frames *frames, const struct rt_frame *frame)
{
	frames->bytes += frame->wire_bytes + 4; /* FCS */
	if (frame->kind == RT_FRAME_PFC) {
		const unsigned prio = (unsigned)__builtin_ctz(frame->pause.enable);

		if (frame->pause.quanta[prio])
			frames->pfc_xoff++;
		else
			frames->pfc_xon++;
		return;
	}
	assert_int_equal(frame->kind, RT_FRAME_ROCE);
	assert_int_equal(frame->version, RT_ROCE_V2);
	assert_int_equal(frame->icrc, RT_ICRC_OK);
	assert_int_equal(frame->flags, 0);
	if (frame->bth.opcode == RT_OP_CNP) {
		frames->cnp++;
		assert_true(frame->bth.bits & RT_BTH_BECN);
	} else if (frame->bth.opcode == RT_OP_RC_ACK) {
		if (frame->bth.syndrome >> 5 == 3)
			frames->nak++;
		else
			frames->ack++;
	} else {
		frames->data++;
		frames->ce += frame->ecn == RT_ECN_CE;
	}
}

static void check_equal(const struct rt_sim_frames *seen,
			const struct rt_sim_frames *counted)
{
	assert_true(seen->data == counted->data);
	assert_true(seen->ack == counted->ack);
	assert_true(seen->nak == counted->nak);
	assert_true(seen->cnp == counted->cnp);
	assert_true(seen->pfc_xoff == counted->pfc_xoff);
	assert_true(seen->pfc_xon == counted->pfc_xon);
	assert_true(seen->ce == counted->ce);
	assert_true(seen->bytes == counted->bytes);
}

static const char *const both_ways[] = { "hosts", NULL };

/* With what leaves alone, nothing is seen that comes in. */
static void check_counters(const struct memory_sink *memory,
			   const struct rt_sim_result *result, bool leaving_only)
{
	const struct rt_sim_frames none = { 0 };
	uint64_t frames = 0;

	for (int i = 0; i < memory->interfaces; i++) {
		const struct rt_sim_port *port = find_port(result, memory->names[i]);
		struct rt_sim_frames rx = { 0 }, tx = { 0 };
		int64_t last_ns = 0;

		assert_true(port->speed_bps == memory->speeds[i]);
		for (size_t f = 0; f < memory->count; f++) {
			const struct rt_frame *frame = &memory->frames[f];

			if (frame->interface != i)
				continue;
			assert_true(frame->time_ns >= last_ns);
			last_ns = frame->time_ns;
			count(comes_in(frame, host_of(port)) ? &rx : &tx, frame);
			frames++;
		}
		check_equal(&rx, leaving_only ? &none : &port->rx);
		check_equal(&tx, &port->tx);
	}
	assert_true(frames == result->captured_frames);
}

static void test_counters_are_what_a_capture_shows(void **state)
{
	static const char *const texts[] = {
		"workload: {senders: 8, size: 300KB}\n",
		"workload: {senders: 9, size: 200KB}\nmodel: {buffer: 700KB, headroom: "
		"40KB}\n"
		"seed: 5\n",
		"workload: {senders: 8, size: 200KB}\n"
		"model: {options: [no_pfc], buffer: 200KB, mtu: 2048}\n",
		"topology: {kind: leaf-spine, hosts: 3, leaves: 2, spines: 2, speed: "
		"25G}\n"
		"workload: [{kind: permutation, size: 99999B}, {senders: 5, size: "
		"100KB}]\n",
	};

	(void)state;
	for (size_t i = 0; i < 2 * RT_ARRAY_SIZE(texts); i++) {
		const bool leaving_only = i % 2;
		struct memory_sink memory = { 0 };
		struct rt_sim_result result;
		struct rt_err err = { 0 };

		assert_int_equal(run_into(&memory, texts[i / 2],
					  leaving_only ? NULL : both_ways, &result,
					  &err),
				 0);
		print_message("# %zu frames, %llu XOFF, %llu CNPs, %llu drops\n",
			      memory.count, (unsigned long long)result.pfc_xoff,
			      (unsigned long long)result.cnps_sent,
			      (unsigned long long)result.drops);
		assert_true(result.finished);
		check_counters(&memory, &result, leaving_only);
		rt_sim_result_free(&result);
		free(memory.frames);
	}
}

/* --- PSNs --------------------------------------------------------------- */

/* The first seed under which flow begins so near the end that it goes over it. */
static uint64_t seed_that_wraps(uint32_t flow, uint32_t packets)
{
	uint64_t seed = 1;

	while (rt_fabric_first_psn(seed, flow) < RT_PSN_MASK - packets / 2)
		seed++;
	return seed;
}

static void test_psns_begin_anywhere_and_wrap(void **state)
{
	static const char *const ports[] = { "h1:tx", "h0:tx", NULL };
	struct memory_sink memory = { 0 };
	struct rt_sim_result result;
	struct rt_err err = { 0 };
	const uint64_t seed = seed_that_wraps(0, 200);
	const uint32_t first = rt_fabric_first_psn(seed, 0);
	uint32_t next = 0, last_acked = 0, last_msn = 0;
	char text[120];

	(void)state;
	snprintf(text, sizeof(text),
		 "workload: {senders: 1, size: 204800B}\nseed: %llu\n",
		 (unsigned long long)seed);
	assert_int_equal(run_into(&memory, text, ports, &result, &err), 0);
	print_message("# seed %llu, first PSN %u\n", (unsigned long long)seed, first);
	for (size_t i = 0; i < memory.count; i++) {
		const struct rt_frame *frame = &memory.frames[i];

		if (frame->bth.opcode == RT_OP_RC_ACK) {
			last_acked = frame->bth.psn;
			last_msn = frame->bth.msn;
			continue;
		}
		assert_int_equal(frame->bth.psn, (first + next) & RT_PSN_MASK);
		assert_true(frame->bth.payload_bytes == 1024);
		next++;
	}
	assert_int_equal(next, 200);
	assert_int_equal(last_acked, (first + 199) & RT_PSN_MASK);
	assert_true(last_acked < 200);
	assert_int_equal(last_msn, 1);
	assert_int_equal(result.flows_done, 1);
	assert_int_equal(result.resent, 0);
	/* Another flow begins elsewhere, and so does another seed's. */
	assert_true(rt_fabric_first_psn(seed, 1) != first);
	assert_true(rt_fabric_first_psn(seed + 1, 0) != first);
	free(memory.frames);
	rt_sim_result_free(&result);
}

/* One that loses much, whatever the seed. */
#define FLOW 4

/* Losses on both sides of the wrap: NAKs and resends find their packets. */
static void test_going_back_works_across_the_wrap(void **state)
{
	struct memory_sink memory = { 0 };
	struct rt_sim_result result;
	struct rt_err err = { 0 };
	char text[200];

	(void)state;
	snprintf(text, sizeof(text),
		 "workload: {senders: 12, size: 500KB}\nseed: %llu\n"
		 "model: {options: [no_pfc, no_ecn, no_cc], buffer: 300KB}\n",
		 (unsigned long long)seed_that_wraps(FLOW, 489));
	assert_int_equal(run_into(&memory, text, NULL, &result, &err), 0);
	print_message("# %llu resent, %llu NAKs\n",
		      (unsigned long long)result.flows[FLOW].resent,
		      (unsigned long long)result.flows[FLOW].naks);
	assert_int_equal(result.flows_done, 12);
	assert_true(result.flows[FLOW].resent > 0 && result.flows[FLOW].naks > 0);
	assert_int_equal(result.flows[FLOW].delivered_bytes, 500000);
	free(memory.frames);
	rt_sim_result_free(&result);
}

/* --- pauses ------------------------------------------------------------- */

static const char pause_text[] =
	"workload: {senders: 2, size: 400KB}\n"
	"model: {options: [no_cc, no_ecn], buffer: 400KB, headroom: 60KB,\n"
	"        pfc_reaction: 700ns}\n";

/*
 * At the NIC: from 700 ns after a pause frame's last bit until 700 ns after the
 * resume's no data frame starts; a frame that has started is finished.
 */
static void test_a_pause_stops_when_it_should(void **state)
{
	static const char *const ports[] = { "h1", NULL };
	struct memory_sink memory = { 0 };
	struct rt_sim_result result;
	struct rt_err err = { 0 };
	int64_t stop_ns = -1, go_ns = -1;
	size_t stops = 0, late = 0, checked = 0;

	(void)state;
	assert_int_equal(run_into(&memory, pause_text, ports, &result, &err), 0);
	assert_string_equal(memory.names[0], "h1");
	for (size_t i = 0; i < memory.count; i++) {
		const struct rt_frame *frame = &memory.frames[i];
		const bool data = frame->kind == RT_FRAME_ROCE &&
				  frame->eth_src[5] == 1;

		if (frame->kind == RT_FRAME_PFC && frame->pause.quanta[3]) {
			stop_ns = frame->time_ns + 700;
			stops++;
		} else if (frame->kind == RT_FRAME_PFC) {
			go_ns = frame->time_ns + 700;
		} else if (data && stop_ns >= 0) {
			const bool stopped = frame->time_ns > stop_ns &&
					     (go_ns < stop_ns ||
					      frame->time_ns < go_ns);

			assert_false(stopped);
			late += frame->time_ns > stop_ns - 700 &&
				frame->time_ns <= stop_ns;
			checked++;
		}
	}
	print_message("# %zu stops, %zu data frames after one, %zu within 700 ns\n",
		      stops, checked, late);
	assert_true(stops > 2 && checked > 50);
	/* It did not stop early either: 700 ns hold seven frames of 89 ns. */
	assert_true(late >= stops * 7 - 7);
	assert_true(result.drops == 0);
	rt_sim_result_free(&result);
	free(memory.frames);
}

static const struct rt_sim_pause *find_pause(const struct rt_sim_result *result,
					     const char *port, unsigned direction)
{
	for (size_t i = 0; i < result->pause_count; i++)
		if (strcmp(result->pauses[i].port, port) == 0 &&
		    result->pauses[i].direction == direction)
			return &result->pauses[i];
	return NULL;
}

/* What pause frames ask for, added up from the capture of the port. */
static uint64_t asked_ns(const struct memory_sink *memory, uint64_t end_ns)
{
	int64_t open = -1, until = 0, total = 0;

	for (size_t i = 0; i < memory->count; i++) {
		const struct rt_frame *frame = &memory->frames[i];
		const int64_t now = frame->time_ns;

		if (frame->kind != RT_FRAME_PFC)
			continue;
		if (open >= 0) {
			total += (now < until ? now : until) - open;
			open = -1;
		}
		if (frame->pause.quanta[3]) {
			open = now;
			until = now + (int64_t)rt_pause_ns(frame->pause.quanta[3],
							   memory->speeds[0]);
		}
	}
	if (open >= 0)
		total += ((int64_t)end_ns < until ? (int64_t)end_ns : until) - open;
	return (uint64_t)total;
}

/* Short quanta: pauses are refreshed, and one left alone runs out. */
static void test_paused_time_is_what_frames_ask_for(void **state)
{
	static const char *const ports[] = { "h1", NULL };
	static const char *const models[] = {
		"model: {options: [no_cc, no_ecn], buffer: 400KB, headroom: 60KB}\n",
		"model: {options: [no_cc, no_ecn], buffer: 400KB, headroom: 60KB,\n"
		"        pause_quanta: 100}\n",
		"model: {options: [no_cc, no_ecn], buffer: 400KB, headroom: 60KB,\n"
		"        pause_quanta: 100, pause_refresh: 700ns, pfc_reaction: 0ns}\n",
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(models); i++) {
		struct memory_sink memory = { 0 };
		const struct rt_sim_pause *pause;
		struct rt_sim_result result;
		struct rt_err err = { 0 };
		char text[400];

		snprintf(text, sizeof(text), "workload: {senders: 2, size: 400KB}\n%s",
			 models[i]);
		assert_int_equal(run_into(&memory, text, ports, &result, &err), 0);
		pause = find_pause(&result, "h1", RT_SIM_PAUSED_BY_PEER);
		assert_non_null(pause);
		print_message(
			"# asked %llu ns, stopped %llu ns, %llu XOFF, %llu pauses\n",
			(unsigned long long)pause->asked_ns,
			(unsigned long long)pause->stopped_ns.value,
			(unsigned long long)pause->xoff,
			(unsigned long long)pause->pauses.value);
		assert_true(pause->asked_ns == asked_ns(&memory, result.simulated_ns));
		assert_true(pause->pauses.value <= pause->xoff);
		assert_null(find_pause(&result, "h1", RT_SIM_PAUSING_PEER));
		pause = find_pause(&result, "s0p1", RT_SIM_PAUSING_PEER);
		assert_non_null(pause);
		assert_false(pause->stopped_ns.known);
		rt_sim_result_free(&result);
		free(memory.frames);
	}
}

/* --- errors ------------------------------------------------------------- */

static void test_capture_errors_reach_the_caller(void **state)
{
	static const char *const unknown[] = { "s0p1", "s0p77", NULL };
	static const char *const sideways[] = { "s0p1:up", NULL };
	struct memory_sink memory = { 0 }, full = { .fail_after = 10 };
	struct rt_sim_result result;
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(
		run_into(&memory, "workload: {senders: 2}\n", unknown, &result, &err),
		-EINVAL);
	print_message("# %s\n", err.msg);
	assert_non_null(strstr(err.msg, "s0p77"));
	assert_int_equal(
		run_into(&memory, "workload: {senders: 2}\n", sideways, &result, &err),
		-EINVAL);
	assert_non_null(strstr(err.msg, "s0p1:up"));
	assert_int_equal(
		run_into(&full, "workload: {senders: 2}\n", NULL, &result, &err),
		-ENOSPC);
	assert_string_equal(err.msg, "the disk is full");
	free(memory.frames);
	free(full.frames);
}

RT_UNIT_MAIN(cmocka_unit_test(test_psns_begin_anywhere_and_wrap),
	     cmocka_unit_test(test_going_back_works_across_the_wrap),
	     cmocka_unit_test(test_counters_are_what_a_capture_shows),
	     cmocka_unit_test(test_a_pause_stops_when_it_should),
	     cmocka_unit_test(test_paused_time_is_what_frames_ask_for),
	     cmocka_unit_test(test_capture_errors_reach_the_caller))
