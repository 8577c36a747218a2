/* SPDX-License-Identifier: BSD-2-Clause */
/* What of ports, sources and findings becomes an event, and what does not. */
#include "hand_source.h"

#include "base/own.h"
#include "watch/events.h"

#define PORT RT_COUNTER_NO_PRIO

/* --- the log ------------------------------------------------------------------------------- */

static void test_events_keep_the_newest(void **state)
{
	struct rt_events events;

	(void)state;
	assert_int_equal(rt_events_open(&events), 0);
	for (unsigned i = 1; i <= 5000; i++) {
		events.time_ns = i;
		rt_events_add(&events, RT_EVENT_PORT, RT_SEVERITY_INFO, "eth0", "no %u",
			      i);
		assert_int_equal(events.count,
				 i < RT_WATCH_MAX_EVENTS ? i : RT_WATCH_MAX_EVENTS);
		for (size_t n = 0; i % 250 == 0 && n < events.count; n++)
			assert_int_equal(events.items[events.first + n].number,
					 i + 1 - events.count + n);
	}
	for (size_t i = 0; i < events.count; i++) {
		const struct rt_watch_event *event = &events.items[events.first + i];

		assert_int_equal(event->number, 4001 + i);
		assert_int_equal(event->time_ns, event->number);
		assert_false(event->acknowledged);
	}
	rt_events_acknowledge(&events, 4000); /* it is gone */
	rt_events_acknowledge(&events, 4001);
	rt_events_acknowledge(&events, 5000);
	rt_events_acknowledge(&events, 5001); /* it is not there yet */
	rt_events_acknowledge(&events, 0);
	for (size_t i = 0; i < events.count; i++)
		assert_int_equal(events.items[events.first + i].acknowledged,
				 i == 0 || i == 999);
	rt_events_close(&events);
}

static void test_events_hold_no_control_characters(void **state)
{
	struct rt_events events;

	(void)state;
	assert_int_equal(rt_events_open(&events), 0);
	rt_events_add(&events, RT_EVENT_SOURCE, RT_SEVERITY_INFO, "eth0",
		      "a\x1b[2Jb%0300d", 7);
	assert_memory_equal(events.items[0].text, "a?[2Jb000", 9);
	assert_int_equal(strlen(events.items[0].text),
			 sizeof(events.items[0].text) - 1);
	rt_events_close(&events);
}

/* --- findings ------------------------------------------------------------------------------ */

static void nothing(const struct rt_rule *rule, const void *subject,
		    struct rt_findings *findings)
{
	(void)rule;
	(void)subject;
	(void)findings;
}

/*
 * A line a tick says which findings there are, by letter; the other one what begins (+)
 * and ends (-) then.
 */
static void test_events_of_findings_do_not_flicker(void **state)
{
	static const struct {
		const char *label, *there, *told;
		int64_t tick_ns; /* 0: a second */
	} cases[] = {
		{ "none", "....", "", 0 },
		{ "begins at once", ".aaa", "2+a", 0 },
		{ "ends after three ticks", "aa....", "1+a5-a", 0 },
		{ "flickers", "a.a.a..a..a...", "1+a14-a", 0 },
		{ "ten ticks a second", "a...............................", "1+a26-a",
		  HAND_SEC / 10 },
		{ "a tick in ten seconds", "a....", "1+a4-a", 10 * HAND_SEC },
		{ "a little early", "a....", "1+a4-a", HAND_SEC - HAND_SEC / 10 },
		{ "comes again", "a...a", "1+a4-a5+a", 0 },
		{ "other place, other finding", "aAa", "1+a2+A", 0 },
		{ "two that alternate", "abababab", "1+a2+b", 0 },
		{ "one ends while the other stays", "bcccc", "1+b2+c4-b", 0 },
	};
	static const struct rt_rule rules[] = {
		{ .id = "rule-a", .title = "Title A", .check = nothing },
		{ .id = "rule-b", .title = "Title B", .check = nothing },
		{ .id = "rule-c", .title = "Title C", .check = nothing },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_lastings lastings = { 0 };
		struct rt_events events;
		char told[80] = "";
		size_t seen = 0;

		assert_int_equal(rt_events_open(&events), 0);
		for (size_t tick = 0; cases[i].there[tick]; tick++) {
			const char letter = cases[i].there[tick];
			struct rt_findings findings = { 0 };

			events.time_ns += cases[i].tick_ns ? cases[i].tick_ns
							   : HAND_SEC;
			if (letter != '.')
				rt_findings_add(&findings, &rules[(letter | 32) - 'a'],
						letter < 'a' ? "priority 4"
							     : "priority 3",
						"figure %zu", tick);
			assert_int_equal(
				rt_events_follow(&events, &lastings, "eth0", &findings),
				0);
			rt_findings_free(&findings);
			for (; seen < events.count; seen++) {
				const struct rt_watch_event *event =
					&events.items[seen];
				const bool other = strstr(event->text, "priority 4");

				assert_string_equal(event->port, "eth0");
				snprintf(told + strlen(told), 16, "%zu%c%c", tick + 1,
					 event->kind == RT_EVENT_FINDING_BEGAN ? '+'
									       : '-',
					 event->id[5] & (other ? ~32 : ~0));
			}
		}
		print_message("# %s: %s\n", cases[i].label, told);
		assert_string_equal(told, cases[i].told);
		rt_lastings_free(&lastings);
		rt_events_close(&events);
	}
}

static void test_events_of_findings_name_their_place(void **state)
{
	static const struct rt_rule rules[] = {
		{ .id = "rule-a", .title = "Title A", .severity = RT_SEVERITY_ERROR },
		{ .id = "rule-b", .title = "Title B", .severity = RT_SEVERITY_WARN },
	};
	static const char *const texts[] = {
		"Title A: 5 lost", "priority 3: Title A: 6 lost", "Title B",
		/* as they end */
		"over: Title A", "over: priority 3: Title A", "over: Title B"
	};
	struct rt_lastings lastings = { 0 };
	struct rt_findings findings = { 0 };
	struct rt_events events;

	(void)state;
	assert_int_equal(rt_events_open(&events), 0);
	rt_findings_add(&findings, &rules[0], "eth0", "5 lost"); /* of all of it */
	rt_findings_add(&findings, &rules[0], "priority 3", "6 lost");
	rt_findings_add(&findings, &rules[1], "", "%s", "");
	for (unsigned n = 0; n < 3; n++)
		assert_int_equal(
			rt_events_follow(&events, &lastings, "eth0", &findings), 0);
	assert_int_equal(events.count, 3);
	for (size_t i = 0; i < events.count; i++) {
		assert_int_equal(events.items[i].severity, rules[i / 2].severity);
		assert_int_equal(events.items[i].kind, RT_EVENT_FINDING_BEGAN);
	}
	rt_findings_free(&findings);
	for (unsigned n = 0; n < RT_EVENTS_ABSENT; n++) {
		events.time_ns += HAND_SEC;
		assert_int_equal(
			rt_events_follow(&events, &lastings, "eth0", &findings), 0);
	}
	assert_int_equal(events.count, RT_ARRAY_SIZE(texts));
	for (size_t i = 0; i < events.count; i++)
		assert_string_equal(events.items[i].text, texts[i]);
	for (size_t i = 3; i < events.count; i++)
		assert_int_equal(events.items[i].kind, RT_EVENT_FINDING_ENDED);
	rt_lastings_free(&lastings);
	rt_events_close(&events);
}

/* --- ports and sources --------------------------------------------------------------------- */

/* Texts of the events since number, with " | " between. */
static const char *texts_since(const struct rt_watch *watch, uint64_t number,
			       char text[1000])
{
	const struct rt_watch_snapshot *snapshot = rt_watch_look(watch);
	struct rt_line line = { text, 1000, 0 };

	*text = '\0';
	for (size_t i = 0; i < snapshot->event_count; i++) {
		const struct rt_watch_event *event = &snapshot->events[i];

		if (event->number > number && event->kind != RT_EVENT_FINDING_BEGAN &&
		    event->kind != RT_EVENT_FINDING_ENDED)
			rt_line_put(&line, "%s%s%s%s", *text ? " | " : "", event->port,
				    *event->port ? ": " : "", event->text);
	}
	return text;
}

static void test_events_of_a_port_that_comes_and_goes(void **state)
{
	static const struct {
		unsigned state;
		const char *told;
	} cases[] = {
		{ RT_WATCH_UP, "" },
		{ RT_WATCH_UP, "" },
		{ RT_WATCH_STATE_UNKNOWN, "" },
		{ RT_WATCH_UP, "" },
		{ RT_WATCH_DOWN, "eth0: the link went down" },
		{ RT_WATCH_STATE_UNKNOWN, "" },
		{ RT_WATCH_DOWN, "" },
		{ RT_WATCH_UP, "eth0: the link came up" },
		{ RT_WATCH_GONE, "eth0: the port went away" },
		{ RT_WATCH_GONE, "" },
		{ RT_WATCH_UP, "eth0: the port is back" },
		{ RT_WATCH_GONE, "eth0: the port went away" },
		{ RT_WATCH_DOWN, "eth0: the port is back, without a link" },
	};
	struct hand hand = { 0 };
	struct rt_watch_input *input = hand_port(&hand, "eth0");
	struct rt_watch *watch = hand_open(&hand, HAND_SEC);
	uint64_t seen = 0;
	char text[1000];

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		input->port.state = cases[i].state;
		hand_tick(watch, 0);
		assert_string_equal(texts_since(watch, seen, text), cases[i].told);
		if (*cases[i].told)
			assert_int_equal(rt_watch_look(watch)->events[seen].severity,
					 cases[i].state == RT_WATCH_UP
						 ? RT_SEVERITY_INFO
						 : RT_SEVERITY_WARN);
		seen = rt_watch_look(watch)->event_count; /* their numbers, too */
		hand_wait(&hand, HAND_SEC);
	}
	hand_port(&hand, "eth1");
	hand_tick(watch, 1);
	assert_string_equal(texts_since(watch, seen, text), "eth1: the port came");
	hand_end(&hand, watch);
	/* Also with the second tick; with the first all did. */
	hand = (struct hand){ 0 };
	hand_port(&hand, "eth0");
	watch = hand_open(&hand, HAND_SEC);
	hand_tick(watch, 0);
	hand_port(&hand, "eth1");
	hand_tick(watch, 1);
	assert_string_equal(texts_since(watch, 0, text), "eth1: the port came");
	hand_end(&hand, watch);
}

/* What the rules find is in the view, and begins and ends as events. */
static void test_events_of_what_is_wrong(void **state)
{
	static const char dropped[] =
		"priority 3: 40 frames a second dropped by the NIC";
	struct hand hand = { 0 };
	struct rt_watch_input *input = hand_port(&hand, "eth0");
	struct rt_watch *watch = hand_open(&hand, HAND_SEC);
	const struct rt_watch_view *view = NULL;

	(void)state;
	input->port.lossless = RT_KNOWN_U64(0x8);
	hand_add(input, RT_COUNTER_RX_DISCARDS, 3, RT_SOURCE_ETHTOOL, 64, 5);
	for (unsigned n = 0; n < 9; n++) {
		hand_wait(&hand, HAND_SEC);
		if (n == 3 || n == 4)
			hand_raise(&hand, 0, RT_COUNTER_RX_DISCARDS, 3, 40);
		view = hand_tick(watch, 0);
		assert_int_equal(view->verdict == RT_VERDICT_LOSS, n == 3 || n == 4);
		if (n == 3 || n == 4)
			assert_int_equal(view->findings.items[0].severity,
					 RT_SEVERITY_ERROR);
		/* Words are made where they are told: as it begins, and when asked. */
		if (n == 3 || n == 4) {
			assert_string_equal(view->findings.items[0].evidence,
					    n == 3 ? dropped : "");
			assert_int_equal(rt_watch_explain(watch, NULL), 0);
			assert_string_equal(view->findings.items[0].evidence, dropped);
			assert_int_equal(rt_watch_explain(watch, NULL), 0);
			assert_string_equal(view->findings.items[0].evidence, dropped);
		}
		for (size_t i = 0; n == 3; i++) {
			const struct rt_watch_event *event =
				&rt_watch_look(watch)->events[i];

			if (event->kind != RT_EVENT_FINDING_BEGAN)
				continue;
			assert_non_null(strstr(event->text, dropped));
			break;
		}
		assert_int_equal(hand_events(watch, RT_EVENT_FINDING_BEGAN), n >= 3);
		assert_int_equal(hand_events(watch, RT_EVENT_FINDING_ENDED), n >= 7);
	}
	hand_end(&hand, watch);
}

/*
 * Rates are rounded: those of two priorities and that of the port, which they are all of,
 * differ.  It is no drop of a lossy priority.
 */
static void test_events_of_loss_alone(void **state)
{
	static const uint8_t places[] = { 0, 1, 2, 3, 4, 5, 6, 7, PORT };

	(void)state;
	for (uint64_t some = 40; some < 60; some++) {
		struct hand hand = { 0 };
		struct rt_watch_input *input = hand_port(&hand, "Ethernet0");
		struct rt_watch *watch = hand_open(&hand, HAND_SEC / 10);
		const struct rt_watch_view *view = NULL;

		input->port.role = RT_WATCH_SWITCH;
		input->port.lossless = RT_KNOWN_U64(0x18);
		for (size_t i = 0; i < RT_ARRAY_SIZE(places); i++)
			hand_add(input, RT_COUNTER_RX_DISCARDS, places[i],
				 RT_SOURCE_SWITCH, 64, 0);
		for (unsigned i = 0; i < 6; i++) {
			hand_wait(&hand, 103 * HAND_MS);
			hand_raise(&hand, 0, RT_COUNTER_RX_DISCARDS, 3, some);
			hand_raise(&hand, 0, RT_COUNTER_RX_DISCARDS, 4, 7 * some + 3);
			hand_raise(&hand, 0, RT_COUNTER_RX_DISCARDS, PORT,
				   8 * some + 3);
			view = hand_tick(watch, 0);
		}
		assert_int_equal(view->findings.count, 1);
		assert_string_equal(view->findings.items[0].id, "watch-lossless-loss");
		hand_end(&hand, watch);
	}
}

static void test_events_of_sources_are_told_once(void **state)
{
	struct hand hand = { 0 };
	struct rt_watch_input *input = hand_port(&hand, "eth0");
	struct rt_watch *watch = hand_open(&hand, HAND_SEC);
	struct rt_counter_look *look = &input->set.looks[RT_SOURCE_PMA];
	char text[1000];

	(void)state;
	hand_add(input, RT_COUNTER_CE_RX, PORT, RT_SOURCE_RDMA, 64, 100);
	hand_add(input, RT_COUNTER_NETDEV_RX_BYTES, PORT, RT_SOURCE_NETDEV, 64, 100);
	input->set.looks[RT_SOURCE_DCB] =
		(struct rt_counter_look){ RT_SOURCE_DCB, RT_LOOK_FAILED, "EINVAL" };
	input->set.looks[RT_SOURCE_ETHTOOL] =
		(struct rt_counter_look){ RT_SOURCE_ETHTOOL, RT_LOOK_FAILED, "EIO" };
	*look = (struct rt_counter_look){ RT_SOURCE_PMA, RT_LOOK_FAILED, "EINVAL" };
	hand_wait(&hand, 0);
	for (unsigned i = 0; i < 5; i++) {
		hand_tick(watch, 0);
		hand_wait(&hand, HAND_SEC);
	}
	assert_string_equal(texts_since(watch, 0, text),
			    "eth0: ethtool cannot be read: EIO | "
			    "eth0: counters, dcbnl cannot be read: EINVAL");
	hand_find(&hand, 0, RT_COUNTER_CE_RX, PORT)->value = 3;
	hand_tick(watch, 0);
	hand_wait(&hand, HAND_SEC);
	hand_tick(watch, 0);
	assert_string_equal(texts_since(watch, 2, text),
			    "eth0: the counters of hw_counters began anew");
	/* All of the source's own errors until it works again are one. */
	for (unsigned i = 0; i < 6; i++) {
		hand.result = i == 3 ? 0 : -EIO;
		assert_int_equal(rt_watch_tick(watch, NULL), 0);
		assert_string_equal(rt_watch_look(watch)->said,
				    i == 3 ? "" : "the hand is empty");
		assert_int_equal(rt_watch_look(watch)->count, 1);
	}
	assert_string_equal(texts_since(watch, 3, text),
			    "the hand is empty | the hand is empty");
	rt_watch_acknowledge(watch, 2);
	for (size_t i = 0; i < rt_watch_look(watch)->event_count; i++)
		assert_int_equal(rt_watch_look(watch)->events[i].acknowledged, i == 1);
	hand_end(&hand, watch);
}

static void test_events_of_a_capture_that_fails(void **state)
{
	static const struct {
		bool known;
		const char *where;
	} ticks[] = {
		{ false, "" },
		{ true, "rtd" },
		{ false, "rtd: the interface is gone" },
		{ false, "rtd: there is no such interface here" },
		{ true, "rtd" },
		{ false, "rtd: the interface is gone" },
		{ false, "" }, /* of a recording: the next one captures nothing */
	};
	struct hand hand = { 0 };
	struct rt_watch *watch;
	char text[1000];

	(void)state;
	hand_port(&hand, "eth0");
	watch = hand_open(&hand, HAND_SEC);
	for (size_t i = 0; i < sizeof(ticks) / sizeof(ticks[0]); i++) {
		hand_wait(&hand, HAND_SEC);
		hand.next.flows.known = ticks[i].known;
		strcpy(hand.next.flows.where, ticks[i].where);
		hand_tick(watch, 0);
		if (i == 2)
			assert_int_equal(rt_watch_look(watch)->events[0].severity,
					 RT_SEVERITY_ERROR);
	}
	assert_string_equal(
		texts_since(watch, 0, text),
		"flows are not captured any more: rtd: the interface is gone | "
		"flows are captured again: rtd | "
		"flows are not captured any more: rtd: the interface is gone");
	hand_end(&hand, watch);
}

static void test_events_of_a_source_that_fails_again(void **state)
{
	struct hand hand = { 0 };
	struct rt_watch_input *input = hand_port(&hand, "eth0");
	struct rt_watch *watch = hand_open(&hand, HAND_SEC);
	struct rt_counter_look *look = &input->set.looks[RT_SOURCE_PMA];
	char text[1000];

	(void)state;
	hand_add(input, RT_COUNTER_CE_RX, PORT, RT_SOURCE_PMA, 64, 100);
	for (unsigned i = 0; i < 9; i++) {
		look->state = i % 3 == 2 ? RT_LOOK_READ : RT_LOOK_FAILED;
		snprintf(look->why, sizeof(look->why), "%s",
			 i % 3 == 2 ? "" : "EINVAL");
		hand_wait(&hand, HAND_SEC);
		hand_tick(watch, 0);
	}
	assert_string_equal(texts_since(watch, 0, text),
			    "eth0: counters cannot be read: EINVAL | "
			    "eth0: counters cannot be read: EINVAL | "
			    "eth0: counters cannot be read: EINVAL");
	hand_end(&hand, watch);
}

/* Read every fifth second, as it takes 200 ms to. */
static void test_events_of_a_slowed_source(void **state)
{
	struct hand hand = { 0 };
	struct rt_watch_input *input = hand_port(&hand, "eth0");
	struct rt_watch *watch = hand_open(&hand, HAND_SEC);
	const struct rt_watch_view *view = NULL;
	struct rt_counter_pace *pace = &input->set.paces[RT_SOURCE_ETHTOOL];
	char text[1000];

	(void)state;
	hand_add(input, RT_COUNTER_RX_BYTES, PORT, RT_SOURCE_ETHTOOL, 64, 100);
	hand_add(input, RT_COUNTER_CE_RX, PORT, RT_SOURCE_RDMA, 64, 100);
	for (unsigned i = 0; i < 20; i++) {
		hand_wait(&hand, HAND_SEC);
		if (i % 5 == 0) {
			hand_pace(&hand, 0, RT_SOURCE_ETHTOOL);
			pace->cost_ns = 200 * HAND_MS;
			hand_pace(&hand, 0, RT_SOURCE_RDMA);
			input->set.paces[RT_SOURCE_RDMA].cost_ns = 300 * HAND_MS;
			hand_raise(&hand, 0, RT_COUNTER_RX_BYTES, PORT, 500);
		}
		view = hand_tick(watch, 0);
		if (i >= 5)
			assert_true(hand_rate(view, RT_COUNTER_RX_BYTES, PORT) == 100);
		assert_int_equal(view->pace_count, 2);
		assert_int_equal(view->paces[0].slowed, i >= 5);
		assert_int_equal(view->paces[0].age_ns.value, i % 5 * HAND_SEC);
		assert_int_equal(view->paces[0].old, i % 5 > 3);
	}
	assert_int_equal(view->paces[0].every_ns, 5 * HAND_SEC);
	assert_int_equal(view->paces[0].cost_ns, 200 * HAND_MS);
	assert_false(view->paces[0].refresh_ns.known);
	assert_string_equal(texts_since(watch, 0, text),
			    "eth0: ethtool is read every 5s only, as reading it takes "
			    "200ms | "
			    "eth0: hw_counters is read every 5s only, as reading "
			    "it takes 300ms");
	hand_end(&hand, watch);
}

RT_UNIT_MAIN(cmocka_unit_test(test_events_keep_the_newest),
	     cmocka_unit_test(test_events_hold_no_control_characters),
	     cmocka_unit_test(test_events_of_findings_do_not_flicker),
	     cmocka_unit_test(test_events_of_findings_name_their_place),
	     cmocka_unit_test(test_events_of_a_port_that_comes_and_goes),
	     cmocka_unit_test(test_events_of_what_is_wrong),
	     cmocka_unit_test(test_events_of_loss_alone),
	     cmocka_unit_test(test_events_of_sources_are_told_once),
	     cmocka_unit_test(test_events_of_a_capture_that_fails),
	     cmocka_unit_test(test_events_of_a_source_that_fails_again),
	     cmocka_unit_test(test_events_of_a_slowed_source))
