/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_dash_flows.c - receivers and their senders: those that are not shown are counted,
 * and the cursor stays on its receiver.
 */
#include "dash.h"

#include <stdio.h>
#include <string.h>

#include "watch/sample.h"

/* A source of flows alone: two receivers that take turns at being the largest. */
struct crowd {
	struct rt_watch_source source;
	unsigned senders, kept; /* in all; of which flows are listed */
	unsigned qps;           /* flows of each */
	unsigned receivers;
	int64_t samples;
};

static struct rt_ip address(unsigned third, unsigned last)
{
	return (struct rt_ip){ .bytes = { 10, 9, (uint8_t)third, (uint8_t)last },
			       .version = 4 };
}

static int sample_crowd(struct rt_watch_source *source, struct rt_watch_sample *sample,
			struct rt_err *err)
{
	struct crowd *crowd = (struct crowd *)source;
	struct rt_watch_flows *flows = &sample->flows;

	(void)err;
	sample->time_ns = sample->wall_ns = ++crowd->samples * SECOND_NS;
	if (!flows->items) {
		flows->items = calloc(RT_WATCH_MAX_FLOWS, sizeof(*flows->items));
		flows->fans = calloc(crowd->receivers, sizeof(*flows->fans));
		assert_true(flows->items && flows->fans);
	}
	flows->known = true;
	flows->window_ns = (uint64_t)SECOND_NS;
	flows->total = crowd->senders * crowd->qps;
	flows->count = flows->capacity = crowd->kept * crowd->qps;
	flows->fan_count = flows->fan_capacity = crowd->receivers;
	for (unsigned i = 0; i < crowd->receivers; i++)
		flows->fans[i] = (struct rt_watch_fan){
			.dst = address(9, (unsigned)(i + crowd->samples) %
						  crowd->receivers),
			.senders = crowd->senders,
			.flows = crowd->senders * crowd->qps,
			.bytes = 1000000 - i,
		};
	for (unsigned i = 0; i < flows->count; i++)
		flows->items[i] = (struct rt_watch_flow){
			.src = address(0, i % crowd->kept),
			.dst = address(9, 0),
			.qp = i,
			.bytes = 1000,
		};
	return 0;
}

static void close_crowd(struct rt_watch_source *source)
{
	(void)source;
}

static void open_crowd(struct stage *stage, struct crowd *crowd)
{
	static const struct rt_watch_source_ops ops = { .name = "crowd",
							.sample = sample_crowd,
							.close = close_crowd };

	*stage = (struct stage){ .rows = 24, .columns = 100, .options.speed = 1 };
	crowd->source.ops = &ops;
	assert_int_equal(rt_watch_open(&crowd->source, SECOND_NS, &stage->watch, NULL),
			 0);
	tick(stage);
	rt_dash_begin(&stage->dash, stage->watch, &stage->options, true);
	press(stage, '5');
}

static unsigned count_senders(const char *text)
{
	unsigned count = 0;

	for (; (text = strstr(text, "  10.9.0.")); text++)
		count++;
	return count;
}

/* Shown and told to be more are all of them; and of which flows that is. */
static void test_no_sender_is_lost(void **state)
{
	static const struct {
		unsigned senders, kept, qps, shown;
		const char *more, *of;
	} cases[] = {
		{ 8, 8, 1, 8, NULL, NULL },
		{ 14, 14, 1, 14, NULL, NULL },
		{ 15, 15, 1, 13, "  and 2 more\n", NULL },
		{ 100, 100, 1, 13, "  and 87 more\n", NULL },
		{ 8, 4, 60, 4, "  and 4 more\n", ", of its largest 240 flows of 480" },
		{ 100, 4, 60, 4, "  and 96 more\n",
		  ", of its largest 240 flows of 6000" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct crowd crowd = { .senders = cases[i].senders,
				       .kept = cases[i].kept,
				       .qps = cases[i].qps,
				       .receivers = 1 };
		struct stage stage;
		char *text;

		open_crowd(&stage, &crowd);
		text = picture(&stage);
		assert_int_equal(count_senders(text), cases[i].shown);
		if (cases[i].more)
			assert_non_null(strstr(text, cases[i].more));
		else
			assert_null(strstr(text, " more\n"));
		if (cases[i].of)
			assert_non_null(strstr(text, cases[i].of));
		else
			assert_null(strstr(text, "largest"));
		free(text);
		close_stage(&stage);
	}
}

static void test_cursor_stays_on_its_receiver(void **state)
{
	static const struct {
		const char *keys, *receiver;
	} cases[] = { { "", "senders to 10.9.9.1" }, { "j", "senders to 10.9.9.2" } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct crowd crowd = {
			.senders = 2, .kept = 2, .qps = 1, .receivers = 3
		};
		struct stage stage;

		open_crowd(&stage, &crowd);
		look(&stage);
		for (const char *key = cases[i].keys; *key; key++)
			press(&stage, *key);
		for (unsigned window = 0; window < 4; window++) {
			char *text = picture(&stage);

			assert_non_null(strstr(text, cases[i].receiver));
			free(text);
			tick(&stage);
		}
		close_stage(&stage);
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_no_sender_is_lost),
	     cmocka_unit_test(test_cursor_stays_on_its_receiver))
