/* SPDX-License-Identifier: BSD-2-Clause */
/* Recordings: what goes in comes out, whatever is cut off or joined. */
#include "recordings.h"

#include <errno.h>

#include "base/clock.h"
#include "base/own.h"
#include "watch/recording_parts.h"
#include "watch/source.h"
#include "watch/watch.h"

/* --- samples of all kinds --- */

static uint64_t any_value(struct rt_rng *dice, uint64_t before)
{
	switch (rt_rng_below(dice, 8)) {
	case 0: return UINT64_MAX;
	case 1: return (uint64_t)INT64_MAX + rt_rng_below(dice, 3);
	case 2: return 0;
	case 3: return before;
	default: return before + rt_rng_below(dice, 1000000);
	}
}

/* Some counters, of which a few come and go; where many is false, only the latter. */
static void vary_counters(struct rt_rng *dice, struct rt_watch_input *input, bool many)
{
	struct rt_counter_set *set = &input->set, old = *set;

	set->items = NULL;
	set->count = set->capacity = 0;
	for (unsigned id = many ? 0 : RT_COUNTER_COUNT - 5; id < RT_COUNTER_COUNT;
	     id++) {
		const uint8_t prio = id % 4 ? RT_COUNTER_NO_PRIO : (uint8_t)(id % 8);
		const struct rt_counter_reading *was = rt_counter_find(&old, id, prio);

		if (id % 7 == 0 && rt_rng_below(dice, 20) == 0)
			continue;
		add_counter(set, id, prio, any_value(dice, was ? was->value : id));
	}
	rt_counter_set_free(&old);
	set->layout = 0;
}

static void vary_port(struct rt_rng *dice, struct rt_watch_input *input,
		      int64_t time_ns)
{
	struct rt_counter_set *set = &input->set;

	set->time_ns = time_ns + 1000;
	if (rt_rng_below(dice, 40) == 0)
		snprintf(set->netdev, sizeof(set->netdev), "eth%u",
			 (unsigned)rt_rng_below(dice, 100));
	if (rt_rng_below(dice, 40) == 0)
		snprintf(set->driver, sizeof(set->driver), "drv%u",
			 (unsigned)rt_rng_below(dice, 100));
	if (rt_rng_below(dice, 40) == 0)
		set->refresh_ms = (struct rt_opt_u64){ rt_rng_below(dice, 100), true };
	if (rt_rng_below(dice, 40) == 0)
		set->refresh_ms = (struct rt_opt_u64){ 0 };
	if (rt_rng_below(dice, 9) == 0)
		input->port.state = (unsigned)rt_rng_below(dice, 3);
	if (rt_rng_below(dice, 9) == 0)
		snprintf(input->port.note, sizeof(input->port.note), "note %d \"\\\n",
			 (int)rt_rng_below(dice, 10) + 10);
	if (rt_rng_below(dice, 9) == 0)
		input->port.lossless = RT_KNOWN_U64(rt_rng_below(dice, 256));
	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++) {
		struct rt_counter_look look = { .source = i, .state = RT_LOOK_READ };

		if (rt_rng_below(dice, 9) == 0) {
			look.state = RT_LOOK_FAILED;
			snprintf(look.why, sizeof(look.why), "no: %u", i);
		}
		set->looks[i] = look;
		if (rt_rng_below(dice, 2))
			set->paces[i] = (struct rt_counter_pace){
				time_ns + 5 * i, rt_rng_below(dice, 1000000), 0
			};
	}
}

static void vary_flows(struct rt_rng *dice, struct rt_watch_flows *flows)
{
	const size_t count = rt_rng_below(dice, 4);

	free(flows->items);
	free(flows->fans);
	*flows = (struct rt_watch_flows){ .known = rt_rng_below(dice, 2),
					  .window_ns = SECOND };
	if (!flows->known) {
		flows->window_ns = 0;
		if (rt_rng_below(dice, 2))
			strcpy(flows->where, "eth0: the interface is gone");
		return;
	}
	snprintf(flows->where, sizeof(flows->where), "eth0");
	flows->items = calloc(count + 1, sizeof(*flows->items));
	flows->fans = calloc(1, sizeof(*flows->fans));
	flows->count = flows->capacity = count;
	flows->total = rt_rng_below(dice, 100);
	for (size_t i = 0; i < count; i++)
		flows->items[i] = (struct rt_watch_flow){
			.src = { .bytes = { 10, 0, 0, (uint8_t)i }, .version = 4 },
			.dst = { .bytes = { 0xfe, 0x80 }, .version = 6 },
			.qp = (uint32_t)rt_rng_below(dice, 1 << 24),
			.bytes = rt_rng_below(dice, UINT64_MAX),
		};
	flows->fan_count = flows->fan_capacity = 1;
	flows->fans[0] = (struct rt_watch_fan){ .dst = { .version = 4 },
						.senders = 3,
						.jain = RT_KNOWN_F64(0.75) };
}

static void vary(struct rt_rng *dice, struct rt_watch_sample *sample)
{
	sample->time_ns += SECOND + (int64_t)rt_rng_below(dice, 1000);
	sample->wall_ns += SECOND;
	if (sample->count < 3 || (rt_rng_below(dice, 30) == 0 && sample->count < 6))
		add_port(sample);
	for (size_t i = 0; i < sample->count; i++) {
		struct rt_watch_input *input = &sample->items[i];

		if (rt_rng_below(dice, 3) == 0)
			continue;
		vary_port(dice, input, sample->time_ns);
		vary_counters(dice, input, true);
	}
	vary_flows(dice, &sample->flows);
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
	struct rt_rng dice = dice_of(42), where = dice_of(7);

	(void)state;
	assert_int_equal(rt_recording_about(recording)->samples, COUNT);
	assert_int_equal(rt_recording_about(recording)->skipped_lines, 0);
	assert_string_equal(rt_recording_about(recording)->title, "host node1");
	for (unsigned i = 0; i < COUNT; i++) {
		vary(&dice, &want);
		assert_int_equal(rt_recording_time_ns(recording, i), want.time_ns);
		assert_int_equal(rt_recording_read(recording, i, &got, NULL), 0);
		same_sample(&want, &got);
		if (rt_rng_below(&where, 4))
			continue;
		/* From anywhere, into another sample, and back. */
		assert_int_equal(rt_recording_read(recording,
						   rt_rng_below(&where, COUNT), &jump,
						   NULL),
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

static void steady_step(struct rt_rng *dice, struct rt_watch_sample *sample)
{
	struct rt_watch_input *input;

	sample->time_ns += SECOND;
	sample->wall_ns += SECOND;
	input = sample->count ? sample->items : add_port(sample);
	rt_counter_set_free(&input->set);
	name_port(input, 0);
	add_counter(&input->set, 1, 3, sample->time_ns);
	/* Unknown now and then: no reason for a new segment. */
	if (rt_rng_below(dice, 3))
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

/* Of a machine whose clocks are an hour apart from the first one's. */
static void elsewhere_step(struct rt_rng *dice, struct rt_watch_sample *sample)
{
	if (!sample->count)
		sample->wall_ns += 3600 * SECOND;
	small_step(dice, sample);
}

static void write_file(const char *name, struct text text)
{
	FILE *file = fopen(path_of(name), "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text.at, 1, text.bytes, file), text.bytes);
	fclose(file);
}

/* Laid behind each other, with a gap in which nothing is known. */
static void check_two_clocks(struct text both)
{
	struct rt_watch_sample sample = { 0 };
	struct rt_watch_source *source;
	int64_t times[7], next;

	write_file("c.rtw", both);
	assert_int_equal(rt_watch_replay_open(path_of("c.rtw"), &source, NULL), 0);
	for (unsigned i = 0; i < 7; i++) {
		assert_int_equal(source->ops->next_ns(source, &next), 0);
		assert_int_equal(source->ops->sample(source, &sample, NULL), 0);
		assert_int_equal(sample.time_ns, next);
		times[i] = next;
		/* It did not go away: nobody looked. */
		assert_int_equal(sample.items[0].port.state,
				 i == 3 ? RT_WATCH_STATE_UNKNOWN : RT_WATCH_UP);
		assert_int_equal(sample.items[0].set.count == 0, i == 3);
		assert_int_equal(sample.flows.known, i != 3);
		if (i != 3)
			assert_int_equal(sample.items[0].set.paces[0].read_ns,
					 sample.time_ns + 7);
		if (i)
			assert_true(times[i] > times[i - 1]);
	}
	assert_int_equal(times[4] - times[2], SECOND);
	assert_int_equal(sample.items[0].set.time_ns, sample.time_ns);
	assert_int_equal(source->ops->next_ns(source, &next), -ENODATA);
	assert_int_equal(source->ops->sample(source, &sample, NULL), -ENODATA);
	/* Who goes there gets what is there, and no gap. */
	assert_int_equal(source->ops->seek(source, times[4], NULL), 0);
	assert_int_equal(source->ops->sample(source, &sample, NULL), 0);
	assert_int_equal(sample.time_ns, times[4]);
	assert_int_equal(sample.items[0].port.state, RT_WATCH_UP);
	source->ops->close(source);
	rt_watch_sample_free(&sample);
	free(both.at);
}

/* Two seconds are no more the same clock. */
static void drifted_step(struct rt_rng *dice, struct rt_watch_sample *sample)
{
	if (!sample->count)
		sample->wall_ns += 2 * SECOND;
	small_step(dice, sample);
}

/* Only the head of a segment is left of its beginning; then it begins anew. */
static struct text with_a_lonely_head(struct text text)
{
	const char *end = memchr(text.at, '\n', text.bytes);
	struct text head = { malloc(text.bytes), (size_t)(end - text.at) + 1 };

	assert_non_null(head.at);
	memcpy(head.at, text.at, head.bytes);
	return join(head, text);
}

static void test_joined_of_two_clocks(void **state)
{
	(void)state;
	print_message("# the second one's is behind\n");
	check_two_clocks(join(record_from("a.rtw", 500 * SECOND, 3, small_step),
			      record_from("b.rtw", 7 * SECOND, 3, small_step)));
	print_message(
		"# the second one's is ahead, but the time of day says otherwise\n");
	check_two_clocks(join(record_from("a.rtw", 7 * SECOND, 3, small_step),
			      record_from("b.rtw", 500 * SECOND, 3, elsewhere_step)));
	print_message("# by two seconds\n");
	check_two_clocks(join(record_from("a.rtw", 7 * SECOND, 3, small_step),
			      record_from("b.rtw", 500 * SECOND, 3, drifted_step)));
	print_message("# a segment without samples in front\n");
	check_two_clocks(join(record_from("a.rtw", 7 * SECOND, 3, small_step),
			      with_a_lonely_head(record_from("b.rtw", 500 * SECOND, 3,
							     elsewhere_step))));
}

/* All samples are there, one behind the other; how many gaps were put between them. */
static unsigned gaps_of(struct text text, uint64_t samples)
{
	struct rt_recording *recording = open_text(text);
	struct rt_watch_sample sample = { 0 };
	int64_t last_ns = INT64_MIN;
	unsigned gaps = 0;

	assert_int_equal(rt_recording_about(recording)->skipped_lines, 0);
	assert_int_equal(rt_recording_about(recording)->samples, samples);
	for (uint64_t i = 0; i < samples; i++) {
		assert_int_equal(rt_recording_read(recording, i, &sample, NULL), 0);
		assert_true(sample.time_ns >= last_ns);
		last_ns = sample.time_ns;
		gaps += rt_recording_begins_elsewhere(recording, i);
	}
	rt_watch_sample_free(&sample);
	rt_recording_free(recording);
	return gaps;
}

/* Ticks of the made-up host, recorded; then again from its first second on. */
static struct text record_demo(const char *name, unsigned count, unsigned again)
{
	struct rt_watch_source *source;
	struct rt_watch *watch;

	unlink(path_of(name));
	assert_int_equal(rt_watch_demo_open(SECOND, &source, NULL), 0);
	assert_int_equal(rt_watch_open(source, SECOND, &watch, NULL), 0);
	assert_int_equal(rt_watch_record(watch, path_of(name), NULL), 0);
	for (unsigned i = 0; i < count + again; i++) {
		if (i == count)
			assert_int_equal(rt_watch_seek(watch, SECOND, NULL), 0);
		assert_int_equal(rt_watch_tick(watch, NULL), 0);
	}
	assert_int_equal(rt_watch_record(watch, NULL, NULL), 0);
	rt_watch_close(watch);
	return read_text(name);
}

static void test_time_may_go_back(void **state)
{
	struct text text = record_demo("a.rtw", 70, 80);

	(void)state;
	assert_int_equal(gaps_of(text, 150), 1);
	free(text.at);
}

/* Two of a time of their own, which is the same one in both. */
static void test_joined_of_made_up_hosts(void **state)
{
	struct text both = join(record_demo("a.rtw", 70, 0),
				record_demo("b.rtw", 70, 0));

	(void)state;
	assert_int_equal(gaps_of(both, 140), 1);
	free(both.at);
}

/* The time of day is unknown to simulations, which begin at 0. */
static void without_wall_step(struct rt_rng *dice, struct rt_watch_sample *sample)
{
	steady_step(dice, sample);
	sample->wall_ns = sample->time_ns - SECOND;
}

static void test_heads_agree_on_when_it_began(void **state)
{
	struct text text = record_from("a.rtw", 0, 200, without_wall_step);
	const int64_t now_ns = rt_clock_ns(CLOCK_REALTIME);
	struct rt_recording *recording = open_text(text);

	(void)state;
	assert_true(recording->segment_count > 3);
	assert_in_range(recording->segments[0].begun_ns, now_ns - 600 * SECOND, now_ns);
	for (size_t i = 1; i < recording->segment_count; i++)
		assert_int_equal(recording->segments[i].begun_ns,
				 recording->segments[0].begun_ns);
	rt_recording_free(recording);
	free(text.at);
}

static void test_titles_are_cut_between_characters(void **state)
{
	struct rt_watch_sample sample = { .time_ns = 1 };
	struct rt_recorder *recorder;
	struct rt_recording *recording;
	struct text text;
	char title[200] = "";

	(void)state;
	for (unsigned i = 0; i < 60; i++)
		strcat(title, "\xe2\x82\xac"); /* U+20AC */
	add_port(&sample);
	unlink(path_of("a.rtw"));
	assert_int_equal(rt_recorder_open(path_of("a.rtw"), title, &recorder, NULL), 0);
	assert_int_equal(rt_recorder_write(recorder, &sample, NULL), 0);
	assert_int_equal(rt_recorder_close(recorder, NULL), 0);
	text = read_text("a.rtw");
	recording = open_text(text);
	assert_int_equal(strlen(rt_recording_about(recording)->title), 126);
	assert_int_equal(strncmp(rt_recording_about(recording)->title, title, 126), 0);
	rt_recording_free(recording);
	rt_watch_sample_free(&sample);
	free(text.at);
}

/* Texts as long as they may be, which end in what is no character, or in half of one. */
static void broken_step(struct rt_rng *dice, struct rt_watch_sample *sample)
{
	struct rt_watch_input *input;

	steady_step(dice, sample);
	input = sample->items;
	strcpy(input->port.netdev, "abcdefghijklmn\xff");
	memset(input->port.note, 'n', sizeof(input->port.note) - 2);
	strcpy(input->port.note + sizeof(input->port.note) - 3, "\xe2\x82");
	strcpy(input->set.driver, "abcdefghijklmn\xff");
	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++) {
		struct rt_counter_look *look = &input->set.looks[i];

		*look = (struct rt_counter_look){ i, RT_LOOK_FAILED, "" };
		memset(look->why, 'w', sizeof(look->why) - 2);
		look->why[sizeof(look->why) - 2] = sample->time_ns == 2 * SECOND
							   ? '\xfe'
							   : '\xff';
	}
	for (size_t i = 0; i < input->set.count; i++) {
		char *name = input->set.items[i].name;

		memset(name, 'c', sizeof(input->set.items[i].name) - 2);
		name[sizeof(input->set.items[i].name) - 2] = '\xff';
	}
	sample->flows.known = true;
	memset(sample->flows.where, 'f', sizeof(sample->flows.where) - 2);
	sample->flows.where[sizeof(sample->flows.where) - 2] = '\xff';
}

static void test_texts_are_read_whatever_they_were(void **state)
{
	struct text text = record_from("a.rtw", 0, 9, broken_step);
	struct rt_recording *recording = open_text(text);
	struct rt_watch_sample sample = { 0 };

	(void)state;
	for (unsigned i = 0; i < 9; i++) {
		const struct rt_watch_input *input;
		struct rt_err err = { 0 };
		const int r = rt_recording_read(recording, i, &sample, &err);

		if (r < 0)
			print_message("# %s\n", err.msg);
		assert_int_equal(r, 0);
		input = sample.items;
		assert_string_equal(input->port.netdev, "abcdefghijklmn?");
		assert_string_equal(input->set.driver, "abcdefghijklmn?");
		assert_string_equal(input->port.note + sizeof(input->port.note) - 4,
				    "n??");
		assert_int_equal(strlen(input->set.looks[0].why), 159);
		assert_int_equal(input->set.looks[0].why[158], '?');
		assert_int_equal(input->set.items[0].name[RT_COUNTER_NAME_BYTES - 2],
				 '?');
	}
	rt_watch_sample_free(&sample);
	rt_recording_free(recording);
	free(text.at);
}

/* Its counters go on, but it is another port. */
static void renamed_step(struct rt_rng *dice, struct rt_watch_sample *sample)
{
	struct rt_watch_input *input;

	small_step(dice, sample);
	input = sample->items;
	if (sample->time_ns == 2 * SECOND)
		strcpy(input->port.name, "new");
}

static void test_a_renamed_port_is_another_one(void **state)
{
	struct text text = record_from("a.rtw", 0, 2, renamed_step);
	struct rt_recording *recording = open_text(text);
	struct rt_watch_sample sample = { 0 };

	(void)state;
	assert_int_equal(rt_recording_read(recording, 0, &sample, NULL), 0);
	assert_int_equal(sample.count, 1);
	assert_int_equal(rt_recording_read(recording, 1, &sample, NULL), 0);
	assert_int_equal(sample.count, 2);
	assert_string_equal(sample.items[0].port.name, "mlx5_0/1");
	assert_int_equal(sample.items[0].port.state, RT_WATCH_GONE);
	assert_string_equal(sample.items[1].port.name, "new");
	assert_int_equal(sample.items[1].set.count, 2);
	rt_watch_sample_free(&sample);
	rt_recording_free(recording);
	free(text.at);
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
	unsigned good = 0, bad = 0;
	int r;

	(void)state;
	memcpy(memmem(text.at, text.bytes, "\"values\"", 8), "\"valuez\"", 8);
	write_file("c.rtw", text);
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

/* Damaged up to its end; then another machine's: the gap is told all the same. */
static void test_replay_tells_the_gap_behind_damage(void **state)
{
	struct text first = record_from("a.rtw", 7 * SECOND, 3, small_step), both;
	struct rt_watch_sample sample = { 0 };
	struct rt_watch_source *source;
	unsigned between = 0, bad = 0;
	char *last = NULL, *at = first.at;
	int r;

	(void)state;
	while ((at = memmem(at, first.bytes - (size_t)(at - first.at), "\"values\"",
			    8))) {
		last = at;
		at++;
	}
	assert_non_null(last);
	memcpy(last, "\"valuez\"", 8);
	both = join(first, record_from("b.rtw", 500 * SECOND, 3, elsewhere_step));
	write_file("c.rtw", both);
	free(both.at);
	assert_int_equal(rt_watch_replay_open(path_of("c.rtw"), &source, NULL), 0);
	while ((r = source->ops->sample(source, &sample, NULL)) != -ENODATA) {
		bad += r < 0;
		between += r == 0 &&
			   sample.items[0].port.state == RT_WATCH_STATE_UNKNOWN;
	}
	assert_int_equal(bad, 1);
	assert_int_equal(between, 1);
	source->ops->close(source);
	rt_watch_sample_free(&sample);
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
		cmocka_unit_test(test_titles_are_cut_between_characters),
		cmocka_unit_test(test_texts_are_read_whatever_they_were),
		cmocka_unit_test(test_time_may_go_back),
		cmocka_unit_test(test_joined_of_made_up_hosts),
		cmocka_unit_test(test_heads_agree_on_when_it_began),
		cmocka_unit_test(test_a_renamed_port_is_another_one),
		cmocka_unit_test(test_replay_goes_where_it_is_told),
		cmocka_unit_test(test_replay_steps_over_a_damaged_segment),
		cmocka_unit_test(test_replay_tells_the_gap_behind_damage),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
