/* SPDX-License-Identifier: BSD-2-Clause */
/* recordings.h - files in a folder, samples to record, and whether two are the same. */
#ifndef RT_TESTS_RECORDINGS_H
#define RT_TESTS_RECORDINGS_H

#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/rng.h"
#include "rocetune/err.h"
#include "watch/recording.h"

#define SECOND INT64_C(1000000000)

/* --- a folder and files in it -------------------------------------------------------------- */

static char folder[] = "/tmp/rocetune-recording-XXXXXX";

static const char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static inline int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static inline int remove_folder(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

struct text {
	char *at;
	size_t bytes;
};

static inline struct text read_text(const char *name)
{
	struct text text = { 0 };

	assert_int_equal(
		rt_file_read(path_of(name), 64u << 20, &text.at, &text.bytes, NULL), 0);
	return text;
}

/* Takes both. */
static inline struct text join(struct text a, struct text b)
{
	struct text both = { malloc(a.bytes + b.bytes + 1), a.bytes + b.bytes };

	assert_non_null(both.at);
	memcpy(both.at, a.at, a.bytes);
	memcpy(both.at + a.bytes, b.at, b.bytes);
	free(a.at);
	free(b.at);
	return both;
}

/* --- samples to record ----------------------------------------------------------------------- */

/* The same samples in every run. */
static inline struct rt_rng dice_of(uint64_t seed)
{
	struct rt_rng dice;

	rt_rng_init(&dice, seed, 0);
	return dice;
}

static inline void add_counter(struct rt_counter_set *set, unsigned counter,
			       uint8_t prio, uint64_t value)
{
	struct rt_counter_reading reading = {
		.counter = counter,
		.prio = prio,
		.bits = counter % 3 ? 64 : 32,
		.source = counter % RT_SOURCE_COUNT,
		.value = value,
		.scale = counter % 5 ? 1 : 1000,
	};

	snprintf(reading.name, sizeof(reading.name), "some_%u_prio%u", counter, prio);
	assert_int_equal(rt_counter_set_add(set, &reading), 0);
}

static inline void name_port(struct rt_watch_input *input, unsigned number)
{
	input->port = (struct rt_watch_port){ .state = RT_WATCH_UP };
	snprintf(input->port.name, sizeof(input->port.name), "mlx5_%u/1", number);
	snprintf(input->port.netdev, sizeof(input->port.netdev), "eth%u", number);
	input->port.speed_bps = RT_KNOWN_U64(UINT64_C(400000000000));
	snprintf(input->set.device, sizeof(input->set.device), "mlx5_%u/1", number);
	snprintf(input->set.netdev, sizeof(input->set.netdev), "eth%u", number);
	snprintf(input->set.driver, sizeof(input->set.driver), "mlx5");
	input->set.refresh_ms = RT_KNOWN_U64(10 + number);
	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++)
		input->set.looks[i].source = i;
}

static inline struct rt_watch_input *add_port(struct rt_watch_sample *sample)
{
	struct rt_watch_input *input = rt_watch_sample_add(sample);

	assert_non_null(input);
	name_port(input, (unsigned)sample->count - 1);
	return input;
}

/* --- comparing ---------------------------------------------------------------------------------- */

static inline void same_set(const struct rt_counter_set *a,
			    const struct rt_counter_set *b)
{
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->time_ns, b->time_ns);
	assert_string_equal(a->device, b->device);
	assert_string_equal(a->netdev, b->netdev);
	assert_string_equal(a->driver, b->driver);
	assert_int_equal(a->refresh_ms.known, b->refresh_ms.known);
	assert_int_equal(a->refresh_ms.value, b->refresh_ms.value);
	for (size_t i = 0; i < a->count; i++) {
		assert_int_equal(a->items[i].counter, b->items[i].counter);
		assert_int_equal(a->items[i].prio, b->items[i].prio);
		assert_int_equal(a->items[i].bits, b->items[i].bits);
		assert_int_equal(a->items[i].source, b->items[i].source);
		assert_int_equal(a->items[i].scale, b->items[i].scale);
		assert_int_equal(a->items[i].value, b->items[i].value);
		assert_string_equal(a->items[i].name, b->items[i].name);
	}
	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++) {
		assert_int_equal(a->looks[i].source, b->looks[i].source);
		assert_int_equal(a->looks[i].state, b->looks[i].state);
		assert_string_equal(a->looks[i].why, b->looks[i].why);
		assert_int_equal(a->paces[i].read_ns, b->paces[i].read_ns);
		assert_int_equal(a->paces[i].cost_ns, b->paces[i].cost_ns);
	}
}

static inline void same_port(const struct rt_watch_port *a,
			     const struct rt_watch_port *b)
{
	assert_string_equal(a->name, b->name);
	assert_string_equal(a->netdev, b->netdev);
	assert_string_equal(a->note, b->note);
	assert_int_equal(a->state, b->state);
	assert_int_equal(a->lossless.known, b->lossless.known);
	assert_int_equal(a->lossless.value, b->lossless.value);
	assert_int_equal(a->speed_bps.value, b->speed_bps.value);
	assert_false(b->mtu_bytes.known);
}

static inline void same_flows(const struct rt_watch_flows *a,
			      const struct rt_watch_flows *b)
{
	assert_int_equal(a->known, b->known);
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->fan_count, b->fan_count);
	assert_int_equal(a->total, b->total);
	assert_int_equal(a->window_ns, b->window_ns);
	assert_string_equal(a->where, b->where);
	if (a->count)
		assert_memory_equal(a->items, b->items, a->count * sizeof(*a->items));
	for (size_t i = 0; i < a->fan_count; i++) {
		assert_int_equal(a->fans[i].senders, b->fans[i].senders);
		assert_true(a->fans[i].jain.value == b->fans[i].jain.value);
	}
}

static inline void same_sample(const struct rt_watch_sample *a,
			       const struct rt_watch_sample *b)
{
	assert_int_equal(a->time_ns, b->time_ns);
	assert_int_equal(a->wall_ns, b->wall_ns);
	assert_true(a->count <= b->count);
	for (size_t i = 0; i < b->count; i++) {
		if (i >= a->count) { /* of later segments, read before */
			assert_int_equal(b->items[i].port.state, RT_WATCH_GONE);
			assert_int_equal(b->items[i].set.count, 0);
			continue;
		}
		same_port(&a->items[i].port, &b->items[i].port);
		same_set(&a->items[i].set, &b->items[i].set);
	}
	same_flows(&a->flows, &b->flows);
}

/* --- recording ------------------------------------------------------------------------------------ */

typedef void step(struct rt_rng *dice, struct rt_watch_sample *sample);

static inline struct text record_from(const char *name, int64_t time_ns, unsigned count,
				      step *next)
{
	struct rt_watch_sample sample = { .time_ns = time_ns,
					  .wall_ns = 1700000000 * SECOND + time_ns };
	struct rt_rng dice = dice_of(42);
	struct rt_recorder *recorder;
	struct rt_err err = { 0 };

	unlink(path_of(name));
	assert_int_equal(rt_recorder_open(path_of(name), "host node1", &recorder, &err),
			 0);
	for (unsigned i = 0; i < count; i++) {
		next(&dice, &sample);
		assert_int_equal(rt_recorder_write(recorder, &sample, &err), 0);
	}
	assert_int_equal(rt_recorder_close(recorder, &err), 0);
	rt_watch_sample_free(&sample);
	return read_text(name);
}

static inline struct rt_recording *open_text(struct text text)
{
	struct rt_recording *recording;
	struct rt_err err = { 0 };
	int r = rt_recording_open("x.rtw", text.at, text.bytes, &recording, &err);

	if (r < 0)
		print_message("# %s\n", err.msg);
	assert_int_equal(r, 0);
	return recording;
}

static inline size_t count_of(struct text text, const char *word)
{
	size_t count = 0;
	const char *at = text.at;

	while ((at = memmem(at, text.bytes - (size_t)(at - text.at), word,
			    strlen(word)))) {
		at++;
		count++;
	}
	return count;
}

#define HEAD   "\"kind\":\"recording\""
#define SAMPLE "\"kind\":\"sample\""

/* One port of two counters, one of which is another one every three samples. */
static inline void small_step(struct rt_rng *dice, struct rt_watch_sample *sample)
{
	struct rt_watch_input *input;

	sample->time_ns += SECOND;
	sample->wall_ns += SECOND;
	input = sample->count ? sample->items : add_port(sample);
	rt_counter_set_free(&input->set);
	name_port(input, 0);
	add_counter(&input->set, 1, 3, 1000 + rt_rng_below(dice, 1000));
	add_counter(&input->set, 2 + (unsigned)(sample->time_ns / SECOND / 3 % 20), 3,
		    5);
	input->set.time_ns = sample->time_ns;
	input->set.paces[0] = (struct rt_counter_pace){ .read_ns = sample->time_ns + 7,
							.cost_ns = 5 };
	sample->flows.known = true;
	sample->flows.total = 3;
}

#endif
