/* SPDX-License-Identifier: BSD-2-Clause */
/* test_dash_use.c - the dashboard in long and rough use, and over a hostile crowd. */
#include "dash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "rocetune/err.h"
#include "watch/sample.h"

/* Wherever one is, one can leave, get help, and get back. */
static void test_there_is_always_a_way_out(void **state)
{
	(void)state;
	for (unsigned mode = 0; mode < RT_MODE_COUNT; mode++) {
		struct stage stage;

		open_stage(&stage, 3, false);
		go_into(&stage, mode);
		press(&stage, RT_KEY_ESCAPE);
		assert_int_equal(stage.dash.ui.mode, RT_MODE_SCREEN);
		press(&stage, RT_KEY_CTRL('C'));
		assert_true(stage.dash.leave);
		close_stage(&stage);
	}
}

/* The help names each key, and says what it does. */
static void test_help_is_complete(void **state)
{
	struct stage stage;
	char *text;

	(void)state;
	open_stage(&stage, 3, false);
	stage.rows = 100;
	stage.columns = 132;
	press(&stage, '?');
	text = picture(&stage);
	for (size_t i = 0; i < rt_dash_key_count; i++) {
		assert_non_null(strstr(text, rt_dash_keys[i].name));
		assert_non_null(strstr(text, rt_dash_keys[i].help));
	}
	free(text);
	close_stage(&stage);
}

/* The caller frees it. */
static char *read_docs(void)
{
	FILE *file = fopen("docs/dashboard.md", "r");
	char *text = NULL;
	size_t size = 0;

	assert_non_null(file);
	assert_true(getdelim(&text, &size, '\0', file) > 0);
	fclose(file);
	return text;
}

/* docs/dashboard.md shows the first screen, down to its last port. */
static void test_docs_have_the_picture(void **state)
{
	struct stage stage;
	char *docs = read_docs(), *text, *end;

	(void)state;
	open_stage(&stage, 25, false);
	text = picture(&stage);
	end = strstr(text, "\n\n");
	assert_non_null(end);
	end[1] = '\0';
	if (!strstr(docs, text))
		fail_msg("docs/dashboard.md lacks this picture:\n%s", text);
	free(docs);
	free(text);
	close_stage(&stage);
}

/* docs/dashboard.md has the same keys, in the same words. */
static void test_docs_have_every_key(void **state)
{
	char *text = read_docs();

	(void)state;
	for (size_t i = 0; i < rt_dash_key_count; i++) {
		char name[32];

		snprintf(name, sizeof(name), "`%s`", rt_dash_keys[i].name);
		if (!strstr(text, name) || !strstr(text, rt_dash_keys[i].help))
			fail_msg("docs/dashboard.md lacks %s: %s", name,
				 rt_dash_keys[i].help);
	}
	free(text);
}

/* Any keys in any order, at sizes that change: nothing breaks, and no cell is left. */
static void test_random_keys_and_sizes(void **state)
{
	struct stage stage;
	uint32_t seed = 1;

	(void)state;
	open_stage(&stage, 5, true);
	for (int i = 0; i < 4000; i++) {
		const struct rt_dash_key *key;

		seed = seed * 1664525u + 1013904223u;
		key = &rt_dash_keys[(seed >> 8) % rt_dash_key_count];
		/* Not those that write files. */
		if (strchr("eEw", key->code < 128 ? key->code : 'x') == NULL)
			press(&stage, (seed >> 24) % 8 ? key->code : (int)(seed >> 25));
		stage.dash.leave = false;
		if ((seed >> 16) % 16 == 0) {
			stage.rows = 1 + (seed >> 20) % 60;
			stage.columns = 1 + (seed >> 12) % 200;
		}
		if ((seed >> 9) % 4 == 0)
			tick(&stage);
		look(&stage);
		for (size_t j = 0; j < (size_t)stage.rows * stage.columns; j++)
			assert_in_range(stage.canvas.cells[j].character, ' ', '~');
	}
	close_stage(&stage);
}

/* --- a crowd ----------------------------------------------------------------------------- */

#define CROWD 300u

struct crowd {
	struct rt_watch_source source;
	uint64_t ticks;
};

/* What drivers and captures may say, and worse. */
static const char *const names[] = {
	"\033[2J\033]0;gone\007",
	"mlx5_0/1",
	"\xff\xfe\xfd",
	"a\nb\rc\td",
	"\u202emoc.live",
	"\u6f22\u5b57\u6f22\u5b57",
	"e\u0301e\u0301",
	"\302\23331m",
	"%s%n%s%n",
	"a name that is far longer than any column of any screen will be"
};

static void set_counters(struct crowd *crowd, unsigned port, struct rt_counter_set *set)
{
	set->time_ns = (int64_t)crowd->ticks * SECOND_NS;
	set->layout = 1;
	set->count = 0;
	for (unsigned id = 0; id < RT_COUNTER_COUNT; id++) {
		struct rt_counter_reading reading = {
			.counter = id,
			.prio = rt_counters[id].scope == RT_COUNTER_PRIO
					? port % 8
					: RT_COUNTER_NO_PRIO,
			.bits = 64,
			.source = port % RT_SOURCE_COUNT,
			.scale = 1,
			.value = crowd->ticks * crowd->ticks *
				 (UINT64_C(1) << port % 50),
		};

		if ((id + port) % 3 == 0)
			continue;
		snprintf(reading.name, sizeof(reading.name), "%s",
			 names[(id + port) % RT_ARRAY_SIZE(names)]);
		assert_int_equal(rt_counter_set_add(set, &reading), 0);
	}
	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++) {
		set->looks[i] = (struct rt_counter_look){ .source = i,
							  .state = (i + port) % 3 };
		snprintf(set->looks[i].why, sizeof(set->looks[i].why), "%s",
			 names[(i + port) % RT_ARRAY_SIZE(names)]);
		set->paces[i].read_ns = set->time_ns;
		set->paces[i].cost_ns = (uint64_t)port << i;
	}
}

#define SENDERS 100u

/* Two flows each of many senders to one receiver. */
static void set_flows(struct rt_watch_flows *flows)
{
	const struct rt_ip dst = { .bytes = { 10, 9, 9, 9 }, .version = 4 };

	if (!flows->items) {
		flows->items = calloc(SENDERS * 2, sizeof(*flows->items));
		flows->fans = calloc(1, sizeof(*flows->fans));
		assert_true(flows->items && flows->fans);
	}
	flows->known = true;
	flows->window_ns = SECOND_NS;
	flows->total = flows->count = flows->capacity = SENDERS * 2;
	flows->fan_count = flows->fan_capacity = 1;
	flows->fans[0] = (struct rt_watch_fan){ .dst = dst,
						.senders = SENDERS,
						.flows = SENDERS * 2 };
	for (unsigned i = 0; i < SENDERS * 2; i++)
		flows->items[i] = (struct rt_watch_flow){
			.src = { .bytes = { 10, 0, 0, (uint8_t)(i / 2) },
				 .version = 4 },
			.dst = dst,
			.qp = i,
			.prio = RT_KNOWN_U64(3),
			.bytes = UINT64_C(125000000) * (SENDERS * 2 - i),
		};
}

static int sample_crowd(struct rt_watch_source *source, struct rt_watch_sample *sample,
			struct rt_err *err)
{
	struct crowd *crowd = (struct crowd *)source;

	(void)err;
	crowd->ticks++;
	sample->time_ns = (int64_t)crowd->ticks * SECOND_NS;
	sample->wall_ns = INT64_MAX - (int64_t)crowd->ticks;
	set_flows(&sample->flows);
	while (sample->count < CROWD)
		assert_non_null(rt_watch_sample_add(sample));
	for (unsigned i = 0; i < CROWD; i++) {
		struct rt_watch_port *port = &sample->items[i].port;
		const char *name = names[i % RT_ARRAY_SIZE(names)];

		snprintf(port->name, sizeof(port->name), "%s%u", name, i);
		snprintf(port->netdev, sizeof(port->netdev), "%s", name);
		snprintf(port->driver, sizeof(port->driver), "%s", name);
		snprintf(port->note, sizeof(port->note), "%s", name);
		snprintf(port->peer, sizeof(port->peer), "%s", name);
		port->state = (i + crowd->ticks) % 4;
		port->speed_bps = (struct rt_opt_u64){ UINT64_MAX >> i % 64, i % 3 };
		port->lossless = (struct rt_opt_u64){ i, i % 2 };
		set_counters(crowd, i, &sample->items[i].set);
	}
	return 0;
}

static void close_crowd(struct rt_watch_source *source)
{
	free(source);
}

static const struct rt_watch_source_ops crowd_ops = {
	.name = "crowd",
	.help = "",
	.sample = sample_crowd,
	.close = close_crowd,
};

static void open_crowd(struct stage *stage, bool ascii)
{
	struct crowd *crowd = calloc(1, sizeof(*crowd));

	*stage = (struct stage){ .rows = 24, .columns = 80, .options.speed = 1 };
	assert_non_null(crowd);
	crowd->source.ops = &crowd_ops;
	snprintf(crowd->source.title, sizeof(crowd->source.title), "%s", names[0]);
	assert_int_equal(rt_watch_open(&crowd->source, SECOND_NS, &stage->watch, NULL),
			 0);
	for (unsigned i = 0; i < 4; i++)
		tick(stage);
	rt_dash_begin(&stage->dash, stage->watch, &stage->options, ascii);
}

/* Nothing that comes from outside steers a terminal, or makes a column wider. */
static void test_crowd_cannot_steer_the_terminal(void **state)
{
	static const char keys[] = "123456G\r6\rGGjj\033"
				   "4Gkk\r\033/%s\r!s\r?\033P12";

	(void)state;
	for (unsigned ascii = 0; ascii < 2; ascii++) {
		struct stage stage;

		open_crowd(&stage, ascii);
		for (const char *key = keys; *key; key++) {
			press(&stage, *key);
			tick(&stage);
			look(&stage);
			for (size_t i = 0; i < (size_t)stage.rows * stage.columns;
			     i++) {
				const uint32_t at = stage.canvas.cells[i].character;

				assert_true((at >= ' ' && at < 0x7f) ||
					    (!ascii && at >= 0xa1));
				assert_true(at != 0x202e && at != 0x301 && at < 0x3000);
			}
		}
		close_stage(&stage);
	}
}

/* All of a long list can be reached, and it is said which part is seen. */
static void test_crowd_is_scrolled_through(void **state)
{
	struct stage stage;
	char *text;

	(void)state;
	open_crowd(&stage, true);
	text = picture(&stage);
	assert_non_null(strstr(text, " 1-18 of 300\n"));
	free(text);
	for (unsigned i = 0; i < CROWD; i++) {
		assert_int_equal(stage.dash.ui.lines[stage.dash.ui.cursor], i);
		assert_in_range(i, stage.dash.ui.top[0], stage.dash.ui.top[0] + 17);
		press(&stage, 'j');
		look(&stage);
	}
	text = picture(&stage);
	assert_non_null(strstr(text, " 283-300 of 300\n"));
	free(text);
	close_stage(&stage);
}

/* An incast wider than the screen: who sends most, by sender, and how many more. */
static void test_crowd_of_senders(void **state)
{
	struct stage stage;
	char *text;

	(void)state;
	open_crowd(&stage, true);
	press(&stage, '5');
	text = picture(&stage);
	/* 200 and 199 Gb/s of its two flows. */
	assert_non_null(strstr(text, "10.0.0.0           2 QPs       3"));
	assert_non_null(strstr(text, " 399G"));
	assert_non_null(strstr(text, "and 87 more"));
	free(text);
	stage.rows = 120;
	text = picture(&stage);
	assert_null(strstr(text, "more"));
	assert_non_null(strstr(text, "10.0.0.99 "));
	free(text);
	press(&stage, '/');
	for (const char *key = "10.0.0.42\r"; *key; key++)
		press(&stage, *key);
	text = picture(&stage);
	assert_non_null(strstr(text, "10.9.9.9"));
	free(text);
	press(&stage, '!');
	text = picture(&stage);
	assert_null(strstr(text, "10.9.9.9"));
	free(text);
	close_stage(&stage);
}

RT_UNIT_MAIN(cmocka_unit_test(test_there_is_always_a_way_out),
	     cmocka_unit_test(test_help_is_complete),
	     cmocka_unit_test(test_docs_have_the_picture),
	     cmocka_unit_test(test_docs_have_every_key),
	     cmocka_unit_test(test_random_keys_and_sizes),
	     cmocka_unit_test(test_crowd_cannot_steer_the_terminal),
	     cmocka_unit_test(test_crowd_is_scrolled_through),
	     cmocka_unit_test(test_crowd_of_senders))
