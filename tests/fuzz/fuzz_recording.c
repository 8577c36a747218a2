/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_recording.c - any bytes as a recording: whatever can be read of it is a sample
 * that a source may hand over, and the same when it is read again from elsewhere.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "rocetune/err.h"
#include "watch/recording.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define MOST_SAMPLES 64u

static void check_port(const struct rt_watch_sample *sample, size_t number)
{
	const struct rt_watch_input *input = &sample->items[number];

	if (!*input->port.name || input->port.role > RT_WATCH_SWITCH ||
	    input->port.state > RT_WATCH_GONE)
		abort();
	if (rt_counter_set_check(&input->set, NULL) < 0)
		abort();
	for (size_t i = 0; i < number; i++)
		if (strcmp(sample->items[i].port.name, input->port.name) == 0)
			abort();
	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++)
		if (input->set.looks[i].source != i)
			abort();
}

static void check_sample(const struct rt_watch_sample *sample)
{
	if (sample->count > RT_WATCH_MAX_PORTS ||
	    sample->flows.count > RT_WATCH_MAX_FLOWS ||
	    sample->flows.fan_count > RT_WATCH_MAX_FLOWS)
		abort();
	for (size_t i = 0; i < sample->count; i++)
		check_port(sample, i);
}

/* Ports that only later segments have may have come to the second one. */
static void check_same(const struct rt_watch_sample *a, const struct rt_watch_sample *b)
{
	if (a->time_ns != b->time_ns || a->count > b->count ||
	    a->flows.count != b->flows.count)
		abort();
	for (size_t i = 0; i < a->count; i++) {
		const struct rt_counter_set *one = &a->items[i].set,
					    *two = &b->items[i].set;

		if (one->count != two->count || one->layout != two->layout)
			abort();
		for (size_t k = 0; k < one->count; k++)
			if (one->items[k].value != two->items[k].value)
				abort();
	}
}

static void read_all(struct rt_recording *recording, uint64_t count)
{
	struct rt_watch_sample sample = { 0 }, again = { 0 };
	struct rt_err err = { 0 };
	int64_t last_ns = INT64_MIN;

	for (uint64_t i = 0; i < count; i++) {
		int r = rt_recording_read(recording, i, &sample, &err);

		if (rt_recording_time_ns(recording, i) < last_ns)
			abort();
		last_ns = rt_recording_time_ns(recording, i);
		if (r < 0) {
			if (!*err.msg)
				abort();
			continue;
		}
		if (sample.time_ns != last_ns)
			abort();
		check_sample(&sample);
		if (i % 3)
			continue;
		rt_recording_read(recording, count - 1 - i, &again, &err);
		if (rt_recording_read(recording, i, &again, &err) < 0)
			abort();
		check_same(&sample, &again);
	}
	rt_watch_sample_free(&sample);
	rt_watch_sample_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct rt_recording *recording = NULL;
	struct rt_err err = { 0 };
	int r = rt_recording_open("fuzz", (const char *)data, bytes, &recording, &err);
	uint64_t count;

	/* A refusal says why. */
	if ((r == 0) != (recording != NULL) || (r < 0 && !*err.msg))
		abort();
	if (!recording)
		return 0;
	count = rt_recording_about(recording)->samples;
	read_all(recording, count < MOST_SAMPLES ? count : MOST_SAMPLES);
	rt_recording_free(recording);
	return 0;
}
