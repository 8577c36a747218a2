/* SPDX-License-Identifier: BSD-2-Clause */
/* Recordings: what goes in comes out, whatever is cut off, joined or damaged. */
#include "unit.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/doc.h"
#include "base/file.h"
#include "base/own.h"
#include "rocetune/err.h"
#include "watch/recording.h"
#include "watch/source.h"

#define SECOND INT64_C(1000000000)

/* --- a folder and files in it -------------------------------------------------------------- */

static char folder[] = "/tmp/rocetune-recording-XXXXXX";

static const char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
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

static struct text read_text(const char *name)
{
	struct text text = { 0 };

	assert_int_equal(
		rt_file_read(path_of(name), 64u << 20, &text.at, &text.bytes, NULL), 0);
	return text;
}

/* Takes both. */
static struct text join(struct text a, struct text b)
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

/* xorshift64 (Marsaglia 2003): the same samples in every run. */
struct dice {
	uint64_t state;
};

static uint64_t roll(struct dice *dice, uint64_t sides)
{
	dice->state ^= dice->state << 13;
	dice->state ^= dice->state >> 7;
	dice->state ^= dice->state << 17;
	return dice->state % sides;
}

static void add_counter(struct rt_counter_set *set, unsigned counter, uint8_t prio,
			uint64_t value)
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

static void name_port(struct rt_watch_input *input, unsigned number)
{
	input->port = (struct rt_watch_port){ .state = RT_WATCH_UP };
	snprintf(input->port.name, sizeof(input->port.name), "mlx5_%u/1", number);
	snprintf(input->port.netdev, sizeof(input->port.netdev), "eth%u", number);
	input->port.speed_bps = RT_KNOWN_U64(UINT64_C(400000000000));
	snprintf(input->set.device, sizeof(input->set.device), "mlx5_%u/1", number);
	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++)
		input->set.looks[i].source = i;
}

static struct rt_watch_input *add_port(struct rt_watch_sample *sample)
{
	struct rt_watch_input *input = rt_watch_sample_add(sample);

	assert_non_null(input);
	name_port(input, (unsigned)sample->count - 1);
	return input;
}

static uint64_t any_value(struct dice *dice, uint64_t before)
{
	switch (roll(dice, 8)) {
	case 0: return UINT64_MAX;
	case 1: return (uint64_t)INT64_MAX + roll(dice, 3);
	case 2: return 0;
	case 3: return before;
	default: return before + roll(dice, 1000000);
	}
}

/* Some counters, of which a few come and go; where many is false, only the latter. */
static void vary_counters(struct dice *dice, struct rt_watch_input *input, bool many)
{
	struct rt_counter_set *set = &input->set, old = *set;

	set->items = NULL;
	set->count = set->capacity = 0;
	for (unsigned id = many ? 0 : RT_COUNTER_COUNT - 5; id < RT_COUNTER_COUNT;
	     id++) {
		const uint8_t prio = id % 4 ? RT_COUNTER_NO_PRIO : (uint8_t)(id % 8);
		const struct rt_counter_reading *was = rt_counter_find(&old, id, prio);

		if (id % 7 == 0 && roll(dice, 20) == 0)
			continue;
		add_counter(set, id, prio, any_value(dice, was ? was->value : id));
	}
	rt_counter_set_free(&old);
	set->layout = 0;
}

static void vary_port(struct dice *dice, struct rt_watch_input *input, int64_t time_ns)
{
	struct rt_counter_set *set = &input->set;

	set->time_ns = time_ns + 1000;
	if (roll(dice, 9) == 0)
		input->port.state = (unsigned)roll(dice, 3);
	if (roll(dice, 9) == 0)
		snprintf(input->port.note, sizeof(input->port.note), "note %d \"\\\n",
			 (int)roll(dice, 10) + 10);
	if (roll(dice, 9) == 0)
		input->port.lossless = RT_KNOWN_U64(roll(dice, 256));
	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++) {
		struct rt_counter_look look = { .source = i, .state = RT_LOOK_READ };

		if (roll(dice, 9) == 0) {
			look.state = RT_LOOK_FAILED;
			snprintf(look.why, sizeof(look.why), "no: %u", i);
		}
		set->looks[i] = look;
		if (roll(dice, 2))
			set->paces[i] = (struct rt_counter_pace){ time_ns + 5 * i,
								  roll(dice, 1000000) };
	}
}

static void vary_flows(struct dice *dice, struct rt_watch_flows *flows)
{
	const size_t count = roll(dice, 4);

	free(flows->items);
	free(flows->fans);
	*flows = (struct rt_watch_flows){ .known = roll(dice, 2), .window_ns = SECOND };
	if (!flows->known) {
		flows->window_ns = 0;
		return;
	}
	snprintf(flows->where, sizeof(flows->where), "eth0");
	flows->items = calloc(count + 1, sizeof(*flows->items));
	flows->fans = calloc(1, sizeof(*flows->fans));
	flows->count = flows->capacity = count;
	flows->total = roll(dice, 100);
	for (size_t i = 0; i < count; i++)
		flows->items[i] = (struct rt_watch_flow){
			.src = { .bytes = { 10, 0, 0, (uint8_t)i }, .version = 4 },
			.dst = { .bytes = { 0xfe, 0x80 }, .version = 6 },
			.qp = (uint32_t)roll(dice, 1 << 24),
			.bytes = roll(dice, UINT64_MAX),
		};
	flows->fan_count = flows->fan_capacity = 1;
	flows->fans[0] = (struct rt_watch_fan){ .dst = { .version = 4 },
						.senders = 3,
						.jain = RT_KNOWN_F64(0.75) };
}

static void vary(struct dice *dice, struct rt_watch_sample *sample)
{
	sample->time_ns += SECOND + (int64_t)roll(dice, 1000);
	sample->wall_ns += SECOND;
	if (sample->count < 3 || (roll(dice, 30) == 0 && sample->count < 6))
		add_port(sample);
	for (size_t i = 0; i < sample->count; i++) {
		struct rt_watch_input *input = &sample->items[i];

		if (roll(dice, 3) == 0)
			continue;
		vary_port(dice, input, sample->time_ns);
		vary_counters(dice, input, true);
	}
	vary_flows(dice, &sample->flows);
}

/* --- comparing ---------------------------------------------------------------------------------- */

static void same_set(const struct rt_counter_set *a, const struct rt_counter_set *b)
{
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->time_ns, b->time_ns);
	assert_string_equal(a->device, b->device);
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

static void same_port(const struct rt_watch_port *a, const struct rt_watch_port *b)
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

static void same_flows(const struct rt_watch_flows *a, const struct rt_watch_flows *b)
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

static void same_sample(const struct rt_watch_sample *a,
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

typedef void step(struct dice *dice, struct rt_watch_sample *sample);

static struct text record_from(const char *name, int64_t time_ns, unsigned count,
			       step *next)
{
	struct rt_watch_sample sample = { .time_ns = time_ns,
					  .wall_ns = 1700000000 * SECOND + time_ns };
	struct dice dice = { 42 };
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

static struct rt_recording *open_text(struct text text)
{
	struct rt_recording *recording;
	struct rt_err err = { 0 };
	int r = rt_recording_open("x.rtw", text.at, text.bytes, &recording, &err);

	if (r < 0)
		print_message("# %s\n", err.msg);
	assert_int_equal(r, 0);
	return recording;
}

static size_t count_of(struct text text, const char *word)
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
static void small_step(struct dice *dice, struct rt_watch_sample *sample)
{
	struct rt_watch_input *input;

	sample->time_ns += SECOND;
	sample->wall_ns += SECOND;
	input = sample->count ? sample->items : add_port(sample);
	rt_counter_set_free(&input->set);
	name_port(input, 0);
	add_counter(&input->set, 1, 3, 1000 + roll(dice, 1000));
	add_counter(&input->set, 2 + (unsigned)(sample->time_ns / SECOND / 3 % 20), 3,
		    5);
	input->set.time_ns = sample->time_ns;
}

/* --- tests ------------------------------------------------------------------------------------------ */

static void test_what_goes_in_comes_out(void **state)
{
	enum {
		COUNT = 150
	};
	struct text text = record_from("a.rtw", 5 * SECOND, COUNT, vary);
	struct rt_watch_sample want = { .time_ns = 5 * SECOND,
					.wall_ns = 1700000005 * SECOND };
	struct rt_watch_sample got = { 0 }, jump = { 0 };
	struct rt_recording *recording = open_text(text);
	struct dice dice = { 42 }, where = { 7 };

	(void)state;
	assert_int_equal(rt_recording_about(recording)->samples, COUNT);
	assert_int_equal(rt_recording_about(recording)->skipped_lines, 0);
	assert_string_equal(rt_recording_about(recording)->title, "host node1");
	for (unsigned i = 0; i < COUNT; i++) {
		vary(&dice, &want);
		assert_int_equal(rt_recording_time_ns(recording, i), want.time_ns);
		assert_int_equal(rt_recording_read(recording, i, &got, NULL), 0);
		same_sample(&want, &got);
		if (roll(&where, 4))
			continue;
		/* From anywhere, into another sample, and back. */
		assert_int_equal(
			rt_recording_read(recording, roll(&where, COUNT), &jump, NULL),
			0);
		assert_int_equal(rt_recording_read(recording, i, &jump, NULL), 0);
		same_sample(&want, &jump);
	}
	rt_recording_free(recording);
	rt_watch_sample_free(&want);
	rt_watch_sample_free(&got);
	rt_watch_sample_free(&jump);
	free(text.at);
}

static void steady_step(struct dice *dice, struct rt_watch_sample *sample)
{
	struct rt_watch_input *input;

	sample->time_ns += SECOND;
	sample->wall_ns += SECOND;
	input = sample->count ? sample->items : add_port(sample);
	rt_counter_set_free(&input->set);
	name_port(input, 0);
	add_counter(&input->set, 1, 3, sample->time_ns);
	/* Unknown now and then: no reason for a new segment. */
	if (roll(dice, 3))
		add_counter(&input->set, 2, 3, 5);
}

static void test_a_segment_holds_64_samples(void **state)
{
	struct text text = record_from("a.rtw", 0, 200, steady_step);
	size_t heads = count_of(text, HEAD);

	(void)state;
	assert_int_equal(count_of(text, SAMPLE), 200);
	print_message("# %zu heads\n", heads);
	assert_in_range(heads, 4, 6); /* the counter may be unknown when one begins */
	free(text.at);
}

static void test_what_did_not_change_is_not_written(void **state)
{
	struct text text = record_from("a.rtw", 0, 200, steady_step);

	(void)state;
	/* Its value is told when it comes, and never again: [0,v,1,5] or [1,5]. */
	assert_true(count_of(text, "1,5]") < 100);
	assert_true(count_of(text, "\"unknown\":[1]") > 20);
	assert_int_equal(count_of(text, "mlx5_0/1"), 2 * count_of(text, HEAD));
	free(text.at);
}

/* The samples of the whole text that are left of it. */
struct left {
	uint64_t first, count;
};

static struct left left_of(struct text text, size_t from, size_t to)
{
	struct left left = { 0, 0 };
	bool in_segment = false;
	const char *end;

	for (const char *at = text.at; at < text.at + text.bytes; at = end + 1) {
		end = memchr(at, '\n', text.bytes - (size_t)(at - text.at));
		if ((size_t)(end - text.at) >= to)
			break;
		if (memmem(at, (size_t)(end - at), HEAD, sizeof(HEAD) - 1))
			in_segment = at >= text.at + from;
		else if (in_segment)
			left.count++;
		else
			left.first++;
	}
	return left;
}

static void check_left(struct text all, struct text part, struct left left)
{
	struct rt_recording *whole = open_text(all), *recording = NULL;
	struct rt_watch_sample want = { 0 }, got = { 0 };
	struct rt_err err = { 0 };
	int r = rt_recording_open("x.rtw", part.at, part.bytes, &recording, &err);

	if (r < 0) {
		assert_int_equal(r, -EINVAL);
		assert_int_equal(left.count, 0);
		assert_non_null(strstr(err.msg, "x.rtw"));
	} else {
		assert_int_equal(rt_recording_about(recording)->samples, left.count);
	}
	/* The last two: one of them may be the first of a segment. */
	for (uint64_t i = left.count > 2 ? left.count - 2 : 0; i < left.count; i++) {
		assert_int_equal(rt_recording_read(recording, i, &got, &err), 0);
		assert_int_equal(rt_recording_read(whole, left.first + i, &want, &err),
				 0);
		same_sample(&want, &got);
	}
	rt_watch_sample_free(&want);
	rt_watch_sample_free(&got);
	rt_recording_free(recording);
	rt_recording_free(whole);
}

/* The part in memory of its own, so that reading beyond it is seen. */
static void check_part(struct text all, size_t from, size_t to)
{
	struct text part = { malloc(to - from + 1), to - from };

	assert_non_null(part.at);
	memcpy(part.at, all.at + from, part.bytes);
	part.at = realloc(part.at, part.bytes ? part.bytes : 1);
	check_left(all, part, left_of(all, from, to));
	free(part.at);
}

static void test_cut_at_every_byte_at_the_end(void **state)
{
	struct text text = record_from("a.rtw", 0, 8, small_step);

	(void)state;
	assert_true(count_of(text, HEAD) > 2);
	for (size_t to = 0; to <= text.bytes; to++)
		check_part(text, 0, to);
	free(text.at);
}

static void test_cut_at_every_byte_in_front(void **state)
{
	struct text text = record_from("a.rtw", 0, 8, small_step);

	(void)state;
	for (size_t from = 0; from <= text.bytes; from++)
		check_part(text, from, text.bytes);
	free(text.at);
}

static void test_joined_after_a_cut_at_every_byte(void **state)
{
	struct text first = record_from("a.rtw", 0, 5, small_step);
	struct text second = record_from("b.rtw", 100 * SECOND, 3, small_step);
	const struct left last = left_of(second, 0, second.bytes);

	(void)state;
	for (size_t to = 0; to <= first.bytes; to++) {
		const struct left left = left_of(first, 0, to);
		struct text both = { malloc(to + second.bytes), to + second.bytes };
		struct rt_watch_sample sample = { 0 };
		struct rt_recording *recording;

		memcpy(both.at, first.at, to);
		memcpy(both.at + to, second.at, second.bytes);
		recording = open_text(both);
		assert_int_equal(rt_recording_about(recording)->samples,
				 left.count + last.count);
		assert_int_equal(
			rt_recording_read(recording, left.count, &sample, NULL), 0);
		assert_int_equal(sample.time_ns, 101 * SECOND);
		rt_watch_sample_free(&sample);
		rt_recording_free(recording);
		free(both.at);
	}
	free(first.at);
	free(second.at);
}

/* Another machine's clock: laid behind, with a gap in which nothing is known. */
static void test_joined_of_two_clocks(void **state)
{
	static const char *const names[] = { "a.rtw", "b.rtw" };
	struct text both = join(record_from(names[0], 500 * SECOND, 3, small_step),
				record_from(names[1], 7 * SECOND, 3, small_step));
	struct rt_watch_sample sample = { 0 };
	struct rt_watch_source *source;
	FILE *file = fopen(path_of("c.rtw"), "w");
	int64_t times[7], next;

	(void)state;
	assert_int_equal(fwrite(both.at, 1, both.bytes, file), both.bytes);
	fclose(file);
	assert_int_equal(rt_watch_replay_open(path_of("c.rtw"), &source, NULL), 0);
	for (unsigned i = 0; i < 7; i++) {
		assert_int_equal(source->ops->next_ns(source, &next), 0);
		assert_int_equal(source->ops->sample(source, &sample, NULL), 0);
		assert_int_equal(sample.time_ns, next);
		times[i] = next;
		assert_int_equal(sample.items[0].port.state == RT_WATCH_GONE, i == 3);
		assert_int_equal(sample.items[0].set.count == 0, i == 3);
		if (i)
			assert_true(times[i] > times[i - 1]);
	}
	assert_int_equal(times[4] - times[2], SECOND);
	assert_int_equal(sample.items[0].set.time_ns, sample.time_ns);
	assert_int_equal(source->ops->next_ns(source, &next), -ENODATA);
	assert_int_equal(source->ops->sample(source, &sample, NULL), -ENODATA);
	source->ops->close(source);
	rt_watch_sample_free(&sample);
	free(both.at);
}

static void test_replay_goes_where_it_is_told(void **state)
{
	static const struct {
		int64_t to_ns, lands_ns;
	} cases[] = {
		{ 0, SECOND },
		{ 5 * SECOND, 5 * SECOND },
		{ 5 * SECOND + 1, 5 * SECOND },
		{ 6 * SECOND - 1, 5 * SECOND },
		{ 1000 * SECOND, 8 * SECOND },
		{ INT64_MIN, SECOND },
		{ INT64_MAX, 8 * SECOND },
	};
	struct text text = record_from("a.rtw", 0, 8, small_step);
	struct rt_watch_sample sample = { 0 };
	struct rt_watch_source *source;

	(void)state;
	assert_int_equal(rt_watch_replay_open(path_of("a.rtw"), &source, NULL), 0);
	assert_string_equal(source->title, "recording a.rtw: host node1");
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		assert_int_equal(source->ops->seek(source, cases[i].to_ns, NULL), 0);
		assert_int_equal(source->ops->sample(source, &sample, NULL), 0);
		assert_int_equal(sample.time_ns, cases[i].lands_ns);
	}
	source->ops->close(source);
	rt_watch_sample_free(&sample);
	free(text.at);
}

/* A line that is there, but says nonsense: its segment's rest is left out. */
static void test_replay_steps_over_a_damaged_segment(void **state)
{
	struct text text = record_from("a.rtw", 0, 8, small_step);
	struct rt_watch_sample sample = { 0 };
	struct rt_watch_source *source;
	struct rt_err err = { 0 };
	FILE *file = fopen(path_of("c.rtw"), "w");
	unsigned good = 0, bad = 0;
	int r;

	(void)state;
	memcpy(memmem(text.at, text.bytes, "\"values\"", 8), "\"valuez\"", 8);
	assert_int_equal(fwrite(text.at, 1, text.bytes, file), text.bytes);
	fclose(file);
	assert_int_equal(rt_watch_replay_open(path_of("c.rtw"), &source, NULL), 0);
	while ((r = source->ops->sample(source, &sample, &err)) != -ENODATA) {
		if (r == 0)
			good++;
		else
			bad++;
		assert_true(r == 0 || strstr(err.msg, "c.rtw:2:"));
	}
	assert_int_equal(bad, 1);
	assert_int_equal(good, 6);
	source->ops->close(source);
	rt_watch_sample_free(&sample);
	free(text.at);
}

/* --- what somebody wrote ------------------------------------------------------------------------------ */

#define FACTS "\"role\":\"nic\",\"state\":\"up\""
#define ITEM(prio)                                  \
	"{\"counter\":\"rx_bytes\",\"prio\":" #prio \
	",\"source\":\"ethtool\",\"bits\":64,\"scale\":1,\"name\":\"rx\"}"
#define BEGIN "{\"rocetune\":1,\"kind\":\"recording\",\"version\":1,\"begun_ns\":5,"
#define PORT(name, layout) \
	"{\"facts\":{\"name\":\"" name "\"," FACTS "},\"layout\":" #layout "}"
#define HEAD_LINE                                                                     \
	BEGIN "\"layouts\":[{\"items\":[" ITEM(0) "," ITEM(1) "]}],\"ports\":[" PORT( \
		"a", 0) "]}\n"
#define SAMPLE_LINE(number, time, rest)                           \
	"{\"rocetune\":1,\"kind\":\"sample\",\"number\":" #number \
	",\"time_ns\":" #time ",\"wall_ns\":9" rest "}\n"
#define PORTS(rest) ",\"ports\":[{\"port\":0,\"time_ns\":1" rest "}]"

static void test_what_others_write_is_judged(void **state)
{
	static const struct {
		const char *label, *text;
		int opened;
		uint64_t samples, skipped;
		int read;
	} cases[] = {
		{ "nothing", "", -EINVAL, 0, 0, 0 },
		{ "something else", "{\"rocetune\":1,\"kind\":\"sim\"}\n", -EINVAL, 0,
		  0, 0 },
		{ "another version",
		  "{\"rocetune\":1,\"kind\":\"recording\",\"version\":2,\"x\":1}\n",
		  -EINVAL, 0, 0, 0 },
		{ "no samples", HEAD_LINE, 0, 0, 0, 0 },
		{ "as it should be",
		  HEAD_LINE SAMPLE_LINE(0, 7,
					PORTS(",\"values\":[0,18446744073709551615]")),
		  0, 1, 0, 0 },
		{ "a number of 65 bits",
		  HEAD_LINE SAMPLE_LINE(0, 7,
					PORTS(",\"values\":[0,18446744073709551616]")),
		  0, 1, 0, -EINVAL },
		{ "a number as text",
		  HEAD_LINE SAMPLE_LINE(
			  0, 7, PORTS(",\"values\":[0,\"18446744073709551615\"]")),
		  0, 1, 0, 0 },
		{ "a line without an end",
		  HEAD_LINE "{\"rocetune\":1,\"kind\":\"sample\",\"number\":0", 0, 0, 1,
		  0 },
		{ "a sample without a segment", SAMPLE_LINE(0, 7, "") HEAD_LINE, 0, 0,
		  1, 0 },
		{ "a sample is missing",
		  HEAD_LINE SAMPLE_LINE(0, 7, "") SAMPLE_LINE(2, 8, "")
			  SAMPLE_LINE(1, 9, ""),
		  0, 1, 2, 0 },
		{ "time goes back",
		  HEAD_LINE SAMPLE_LINE(0, 7, "") SAMPLE_LINE(1, 6, "")
			  SAMPLE_LINE(2, 9, ""),
		  0, 1, 2, 0 },
		{ "time of 70 bits",
		  HEAD_LINE SAMPLE_LINE(0, 999999999999999999999, ""), 0, 0, 1, 0 },
		{ "no such place",
		  HEAD_LINE SAMPLE_LINE(0, 7, PORTS(",\"values\":[2,1]")), 0, 1, 0,
		  -EINVAL },
		{ "no such place to be unknown",
		  HEAD_LINE SAMPLE_LINE(0, 7, PORTS(",\"unknown\":[2]")), 0, 1, 0,
		  -EINVAL },
		{ "half a pair",
		  HEAD_LINE SAMPLE_LINE(0, 7, PORTS(",\"values\":[1,1,0]")), 0, 1, 0,
		  -EINVAL },
		{ "no such port",
		  HEAD_LINE SAMPLE_LINE(0, 7,
					",\"ports\":[{\"port\":1,\"time_ns\":1}]"),
		  0, 1, 0, -EINVAL },
		{ "a port by another name",
		  HEAD_LINE SAMPLE_LINE(0, 7,
					PORTS(",\"facts\":{\"name\":\"b\"," FACTS "}")),
		  0, 1, 0, -EINVAL },
		{ "an unknown key", HEAD_LINE SAMPLE_LINE(0, 7, ",\"x\":1"), 0, 1, 0,
		  -EINVAL },
		{ "a key twice", HEAD_LINE SAMPLE_LINE(0, 7, ",\"time_ns\":8"), 0, 1, 0,
		  -EINVAL },
		{ "counters out of order",
		  BEGIN "\"layouts\":[{\"items\":[" ITEM(1) "," ITEM(
			  0) "]}],\"ports\":[" PORT("a", 0) "]}\n" SAMPLE_LINE(0, 7,
									       ""),
		  0, 1, 0, -EINVAL },
		{ "a priority that is none",
		  BEGIN "\"layouts\":[{\"items\":[" ITEM(8) "]}],\"ports\":[" PORT(
			  "a", 0) "]}\n" SAMPLE_LINE(0, 7, ""),
		  0, 1, 0, -EINVAL },
		{ "no such layout",
		  BEGIN "\"layouts\":[],\"ports\":[" PORT("a", 0) "]}\n" SAMPLE_LINE(
			  0, 7, ""),
		  0, 1, 0, -EINVAL },
		{ "two ports of one name",
		  BEGIN "\"layouts\":[{\"items\":[]}],\"ports\":[" PORT(
			  "a", 0) "," PORT("a", 0) "]}\n" SAMPLE_LINE(0, 7, ""),
		  0, 1, 0, -EINVAL },
		{ "a port without a name",
		  BEGIN "\"layouts\":[{\"items\":[]}],\"ports\":[" PORT(
			  "", 0) "]}\n" SAMPLE_LINE(0, 7, ""),
		  0, 1, 0, -EINVAL },
		{ "bytes that are no text",
		  HEAD_LINE SAMPLE_LINE(0, 7, ",\"x\":\"\xff\""), 0, 1, 0, -EINVAL },
		{ "blank lines", "\n\n" HEAD_LINE "\n" SAMPLE_LINE(0, 7, "") "\n", 0, 1,
		  0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_watch_sample sample = { 0 };
		struct rt_recording *recording = NULL;
		struct rt_err err = { 0 };
		int r = rt_recording_open("x.rtw", cases[i].text, strlen(cases[i].text),
					  &recording, &err);

		print_message("# %s: %s\n", cases[i].label, err.msg);
		assert_int_equal(r, cases[i].opened);
		if (r < 0)
			continue;
		assert_int_equal(rt_recording_about(recording)->samples,
				 cases[i].samples);
		assert_int_equal(rt_recording_about(recording)->skipped_lines,
				 cases[i].skipped);
		if (cases[i].samples) {
			r = rt_recording_read(recording, 0, &sample, &err);
			print_message("#   %s\n", err.msg);
			assert_int_equal(r, cases[i].read);
			/* Damage is told every time, and with its place. */
			assert_int_equal(rt_recording_read(recording, 0, &sample, &err),
					 cases[i].read);
			assert_int_equal(strncmp(err.msg, "x.rtw:", 6) == 0, r < 0);
		}
		rt_watch_sample_free(&sample);
		rt_recording_free(recording);
	}
}

/* Segments of ever other ports: there is an end to how many are kept. */
static void test_ports_without_end_are_refused(void **state)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *to = open_memstream(&text, &bytes);
	struct rt_watch_sample sample = { 0 };
	struct rt_recording *recording;
	struct rt_err err = { 0 };
	uint64_t i;

	(void)state;
	for (unsigned k = 0; k < 6; k++) {
		fputs(BEGIN "\"layouts\":[{\"items\":[]}],\"ports\":[", to);
		for (unsigned n = 0; n < 1000; n++)
			fprintf(to,
				"%s{\"facts\":{\"name\":\"p%u\"," FACTS
				"},\"layout\":0}",
				n ? "," : "", k * 1000 + n);
		fprintf(to,
			"]}\n{\"rocetune\":1,\"kind\":\"sample\",\"number\":0,"
			"\"time_ns\":%u,\"wall_ns\":9}\n",
			k);
	}
	fclose(to);
	assert_int_equal(rt_recording_open("x.rtw", text, bytes, &recording, &err), 0);
	for (i = 0; i < 4; i++)
		assert_int_equal(rt_recording_read(recording, i, &sample, &err), 0);
	assert_int_equal(sample.count, 4000);
	assert_int_equal(rt_recording_read(recording, 4, &sample, &err), -EINVAL);
	print_message("# %s\n", err.msg);
	rt_watch_sample_free(&sample);
	rt_recording_free(recording);
	free(text);
}

/* --- files ----------------------------------------------------------------------------------------------- */

static void test_files_are_never_written_over(void **state)
{
	struct rt_recorder *recorder = NULL;
	struct rt_err err = { 0 };

	(void)state;
	fclose(fopen(path_of("there"), "w"));
	assert_int_equal(rt_recorder_open(path_of("there"), "x", &recorder, &err),
			 -EEXIST);
	assert_int_equal(symlink("/tmp/rocetune-no-such", path_of("link")), 0);
	assert_int_equal(rt_recorder_open(path_of("link"), "x", &recorder, &err),
			 -EEXIST);
	assert_int_equal(rt_recorder_open("-", "x", &recorder, &err), -EINVAL);
	assert_int_equal(rt_recorder_open("/nonexistent/x", "x", &recorder, &err),
			 -ENOENT);
	assert_null(recorder);
}

static void test_a_full_file_ends_and_is_read(void **state)
{
	const struct rlimit little = { 3000, RLIM_INFINITY };
	struct rt_watch_sample sample = { 0 };
	struct dice dice = { 1 };
	struct rt_recorder *recorder;
	struct rt_recording *recording;
	struct rt_err err = { 0 };
	struct rlimit before;
	struct text text;
	unsigned written = 0;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	unlink(path_of("full"));
	assert_int_equal(rt_recorder_open(path_of("full"), "x", &recorder, &err), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
	for (;; written++) {
		small_step(&dice, &sample);
		if (rt_recorder_write(recorder, &sample, &err) < 0)
			break;
	}
	setrlimit(RLIMIT_FSIZE, &before);
	print_message("# after %u: %s\n", written, err.msg);
	assert_int_equal(err.code, -EFBIG);
	assert_int_equal(rt_recorder_write(recorder, &sample, &err), -EBADF);
	assert_int_equal(rt_recorder_close(recorder, &err), 0);
	text = read_text("full");
	recording = open_text(text);
	assert_int_equal(rt_recording_about(recording)->samples, written);
	rt_recording_free(recording);
	free(text.at);
	rt_watch_sample_free(&sample);
}

/* A port of every counter there can be, and as many ports as there may be, of a few. */
static void test_the_widest_samples(void **state)
{
	struct rt_watch_sample sample = { .time_ns = 1 }, got = { 0 };
	struct rt_recorder *recorder;
	struct rt_recording *recording;
	struct rt_err err = { 0 };
	struct text text;

	(void)state;
	for (unsigned i = 0; i < RT_WATCH_MAX_PORTS; i++) {
		struct rt_watch_input *input = add_port(&sample);

		for (unsigned id = 0; id < (i ? 4 : RT_COUNTER_COUNT); id++)
			for (unsigned prio = 0; prio < (i ? 1 : 9); prio++)
				add_counter(&input->set, id,
					    prio < 8 ? (uint8_t)prio
						     : RT_COUNTER_NO_PRIO,
					    UINT64_MAX - i);
	}
	unlink(path_of("wide"));
	assert_int_equal(rt_recorder_open(path_of("wide"), "x", &recorder, &err), 0);
	assert_int_equal(rt_recorder_write(recorder, &sample, &err), 0);
	assert_int_equal(rt_recorder_close(recorder, &err), 0);
	text = read_text("wide");
	print_message("# %zu bytes\n", text.bytes);
	recording = open_text(text);
	assert_int_equal(rt_recording_read(recording, 0, &got, &err), 0);
	same_sample(&sample, &got);
	rt_recording_free(recording);
	rt_watch_sample_free(&sample);
	rt_watch_sample_free(&got);
	free(text.at);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_goes_in_comes_out),
		cmocka_unit_test(test_a_segment_holds_64_samples),
		cmocka_unit_test(test_what_did_not_change_is_not_written),
		cmocka_unit_test(test_cut_at_every_byte_at_the_end),
		cmocka_unit_test(test_cut_at_every_byte_in_front),
		cmocka_unit_test(test_joined_after_a_cut_at_every_byte),
		cmocka_unit_test(test_joined_of_two_clocks),
		cmocka_unit_test(test_replay_goes_where_it_is_told),
		cmocka_unit_test(test_replay_steps_over_a_damaged_segment),
		cmocka_unit_test(test_what_others_write_is_judged),
		cmocka_unit_test(test_ports_without_end_are_refused),
		cmocka_unit_test(test_files_are_never_written_over),
		cmocka_unit_test(test_a_full_file_ends_and_is_read),
		cmocka_unit_test(test_the_widest_samples),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
