/* SPDX-License-Identifier: BSD-2-Clause */
/* The counter catalogue, readings, and what happened between two of them. */
#include "unit.h"

#include <errno.h>
#include <string.h>

#include "base/doc.h"
#include "base/json.h"
#include "base/own.h"
#include "base/record.h"
#include "base/text.h"
#include "model/counters.h"
#include "rocetune/err.h"

#define PORT RT_COUNTER_NO_PRIO

static void test_counters_catalogue_is_whole(void **state)
{
	(void)state;
	for (unsigned id = 0; id < RT_COUNTER_COUNT; id++) {
		const struct rt_counter *row = &rt_counters[id];

		assert_non_null(row->name);
		assert_string_equal(rt_counter_names[id].name, row->name);
		assert_int_equal(rt_counter_names[id].value, id);
		assert_true(*row->label && *row->help && row->scope);
		assert_true(row->help[strlen(row->help) - 1] != '.');
		assert_true(row->unit == RT_UNIT_COUNT || row->unit == RT_UNIT_BYTES ||
			    row->unit == RT_UNIT_NS);
		assert_non_null(rt_name_of(rt_counter_group_names, row->group));
		/* The unit is in the name, and only there. */
		assert_int_equal(row->unit == RT_UNIT_NS,
				 strcmp(row->name + strlen(row->name) - 3, "_ns") == 0);
		assert_int_equal(row->unit == RT_UNIT_BYTES,
				 strstr(row->name, "_bytes") != NULL);
	}
	assert_null(rt_counter_names[RT_COUNTER_COUNT].name);
	rt_table_check(&rt_counter_set_table);
}

static struct rt_counter_reading reading(enum rt_counter_id id, unsigned prio,
					 uint64_t value)
{
	return (struct rt_counter_reading){ .counter = id,
					    .prio = (uint8_t)prio,
					    .bits = 64,
					    .source = RT_SOURCE_RDMA,
					    .scale = 1,
					    .value = value,
					    .name = "a" };
}

static struct rt_counter_set set_of(const struct rt_counter_reading *items,
				    size_t count, int64_t time_ns)
{
	struct rt_counter_set set = { .time_ns = time_ns,
				      .device = "mlx5_0/1",
				      .netdev = "eth0" };

	for (size_t i = 0; i < count; i++)
		assert_int_equal(rt_counter_set_add(&set, &items[i]), 0);
	return set;
}

static void test_counters_diff_is_never_negative_and_never_guessed(void **state)
{
	const uint64_t top = UINT64_C(1) << 32;
	const struct {
		const char *label;
		uint64_t before, after;
		uint8_t bits;
		uint32_t scale;
		bool known;
		uint64_t value;
	} cases[] = {
		{ "grows", 5, 12, 64, 1, true, 7 },
		{ "stands still", 5, 5, 64, 1, true, 0 },
		{ "64 bits went backwards", 12, 5, 64, 1, false, 0 },
		{ "32 bits start anew", top - 3, 4, 32, 1, true, 7 },
		{ "and with a scale", (top - 3) * 1000, 4000, 32, 1000, true, 7000 },
		{ "32 bits, half of the range and more", 3000, 5, 32, 1, false, 0 },
		{ "just less than half", top / 2 + 6, 5, 32, 1, true, top / 2 - 1 },
		{ "just half", top / 2 + 5, 5, 32, 1, false, 0 },
		{ "more than 32 bits hold", top + 5, 5, 32, 1, false, 0 },
		{ "a range beyond 64 bits", UINT64_MAX, 5, 63, 1000, false, 0 },
		{ "full 64 bits", 0, UINT64_MAX, 64, 1, true, UINT64_MAX },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_counter_reading old = reading(RT_COUNTER_OUT_OF_BUFFER, PORT,
							cases[i].before);
		struct rt_counter_reading now = old;
		struct rt_counter_set before, after, diff;
		struct rt_opt_u64 value;

		old.bits = now.bits = cases[i].bits;
		old.scale = now.scale = cases[i].scale;
		now.value = cases[i].after;
		before = set_of(&old, 1, 100);
		after = set_of(&now, 1, 350);
		assert_int_equal(rt_counters_diff(&before, &after, &diff, NULL), 0);
		value = rt_counter_value(&diff, RT_COUNTER_OUT_OF_BUFFER, PORT);
		print_message("# %s\n", cases[i].label);
		assert_int_equal(value.known, cases[i].known);
		if (cases[i].known)
			assert_int_equal(value.value, cases[i].value);
		assert_int_equal(diff.elapsed_ns, 250);
		rt_counter_set_free(&before);
		rt_counter_set_free(&after);
		rt_counter_set_free(&diff);
	}
}

/* A reload of the driver begins all anew; what grew since is not the difference. */
static void test_counters_diff_forgets_a_source_that_was_reset(void **state)
{
	const struct rt_counter_reading old[] = {
		reading(RT_COUNTER_CE_RX, PORT, 1000),
		reading(RT_COUNTER_CNP_TX, PORT, 3),
		reading(RT_COUNTER_NETDEV_RX_BYTES, PORT, 70),
	};
	struct rt_counter_reading now[] = { old[0], old[1], old[2] };
	struct rt_counter_set before, after, diff;

	(void)state;
	now[0].value = 5;
	now[1].value = 8;
	now[2].value = 90;
	before = set_of(old, 3, 0);
	after = set_of(now, 3, 1);
	before.items[2].source = after.items[2].source = RT_SOURCE_NETDEV;
	assert_int_equal(rt_counters_diff(&before, &after, &diff, NULL), 0);
	assert_false(rt_counter_value(&diff, RT_COUNTER_CE_RX, PORT).known);
	assert_false(rt_counter_value(&diff, RT_COUNTER_CNP_TX, PORT).known);
	assert_int_equal(
		rt_counter_value(&diff, RT_COUNTER_NETDEV_RX_BYTES, PORT).value, 20);
	assert_int_equal(diff.looks[RT_SOURCE_RDMA].state, RT_LOOK_FAILED);
	rt_counter_set_free(&before);
	rt_counter_set_free(&after);
	rt_counter_set_free(&diff);
}

static void test_counters_diff_needs_the_same_counter_twice(void **state)
{
	const struct rt_counter_reading old[] = {
		reading(RT_COUNTER_PFC_RX_FRAMES, 3, 10),
		reading(RT_COUNTER_PFC_RX_FRAMES, 4, 10),
		reading(RT_COUNTER_PFC_RX_FRAMES, 5, 10),
	};
	struct rt_counter_reading now[] = { old[0], old[1],
					    reading(RT_COUNTER_PFC_TX_FRAMES, 3, 1) };
	struct rt_counter_set before = set_of(old, 3, 0), after, diff;
	struct rt_err err = { 0 };

	(void)state;
	now[0].value = 14;
	now[1].source = RT_SOURCE_DCB; /* its own name vanished */
	after = set_of(now, 3, 1);
	assert_int_equal(rt_counters_diff(&before, &after, &diff, NULL), 0);
	assert_int_equal(diff.count, 1);
	assert_int_equal(rt_counter_value(&diff, RT_COUNTER_PFC_RX_FRAMES, 3).value, 4);
	assert_false(rt_counter_value(&diff, RT_COUNTER_PFC_RX_FRAMES, 4).known);
	assert_false(rt_counter_value(&diff, RT_COUNTER_PFC_RX_FRAMES, 5).known);
	assert_false(rt_counter_total(&diff, RT_COUNTER_PFC_RX_FRAMES).known);
	rt_counter_set_free(&diff);
	assert_int_equal(rt_counters_diff(&after, &before, &diff, &err), -EINVAL);
	strcpy(after.netdev, "eth1");
	assert_int_equal(rt_counters_diff(&before, &after, &diff, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "mlx5_0/1/eth1"));
	strcpy(after.netdev, before.netdev);
	strcpy(after.device, "mlx5_1/1");
	assert_int_equal(rt_counters_diff(&before, &after, &diff, &err), -EINVAL);
	rt_counter_set_free(&before);
	rt_counter_set_free(&after);
}

/* What tells two readings apart is all that says how their values were made. */
static void test_counters_diff_compares_like_with_like(void **state)
{
	static const struct {
		const char *label, *name;
		unsigned source;
		uint8_t bits;
		uint32_t scale;
		bool known;
	} rows[] = {
		{ "the same", "a", RT_SOURCE_RDMA, 64, 1, true },
		{ "another source", "a", RT_SOURCE_ETHTOOL, 64, 1, false },
		{ "another name", "b", RT_SOURCE_RDMA, 64, 1, false },
		{ "another width", "a", RT_SOURCE_RDMA, 32, 1, false },
		{ "another scale", "a", RT_SOURCE_RDMA, 64, 1000, false },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		/* It grows, and in the second round falls: no reset of anything. */
		for (unsigned falls = 0; falls < 2; falls++) {
			const struct rt_counter_reading old = reading(
				RT_COUNTER_OUT_OF_BUFFER, PORT, 5);
			struct rt_counter_reading now = old;
			struct rt_counter_set before, after, diff;

			print_message("# %s\n", rows[i].label);
			now.value = falls ? 3 : 7;
			now.source = rows[i].source;
			now.bits = rows[i].bits;
			now.scale = rows[i].scale;
			strcpy(now.name, rows[i].name);
			before = set_of(&old, 1, 0);
			after = set_of(&now, 1, 1);
			assert_int_equal(rt_counters_diff(&before, &after, &diff, NULL),
					 0);
			assert_int_equal(diff.count, rows[i].known && !falls);
			assert_int_equal(diff.looks[now.source].state == RT_LOOK_FAILED,
					 rows[i].known && falls);
			rt_counter_set_free(&before);
			rt_counter_set_free(&after);
			rt_counter_set_free(&diff);
		}
	}
}

static void test_counters_total_is_of_the_port_or_of_all_eight(void **state)
{
	struct rt_counter_reading items[9];
	struct rt_counter_set set;

	(void)state;
	for (unsigned i = 0; i < 8; i++)
		items[i] = reading(RT_COUNTER_RX_BYTES, i, i);
	items[8] = reading(RT_COUNTER_RX_BYTES, PORT, 1000);
	set = set_of(items, 8, 0);
	assert_int_equal(rt_counter_total(&set, RT_COUNTER_RX_BYTES).value, 28);
	rt_counter_set_free(&set);
	set = set_of(items, 7, 0);
	assert_false(rt_counter_total(&set, RT_COUNTER_RX_BYTES).known);
	rt_counter_set_free(&set);
	set = set_of(items, 9, 0);
	assert_int_equal(rt_counter_total(&set, RT_COUNTER_RX_BYTES).value, 1000);
	rt_counter_set_free(&set);
}

/* --- records ---------------------------------------------------------------------------- */

static int read_text(const char *text, struct rt_counter_set *ret_set,
		     struct rt_err *err)
{
	struct rt_doc *doc = NULL;
	int r = rt_doc_parse("set", text, strlen(text), &doc, err);

	if (r == 0)
		r = rt_record_read_envelope(doc, &rt_counter_set_table, ret_set, err);
	rt_doc_free(doc);
	return r;
}

static void test_counters_travel_as_records(void **state)
{
	const struct rt_counter_reading items[] = {
		reading(RT_COUNTER_PFC_RX_NS, 3, 4000),
		reading(RT_COUNTER_CNP_TX, PORT, UINT64_MAX - 1),
	};
	struct rt_counter_set set = set_of(items, 2, -5), back;
	struct rt_err err = { 0 };
	struct rt_json *json;
	char *text = NULL;
	size_t bytes = 0;
	FILE *to = open_memstream(&text, &bytes);

	(void)state;
	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++)
		set.looks[i].source = i;
	strcpy(set.looks[2].why, "no such file");
	set.looks[2].state = RT_LOOK_FAILED;
	json = rt_record_envelope(&rt_counter_set_table, &set);
	assert_int_equal(rt_json_write(json, to, NULL), 0);
	rt_json_free(json);
	fclose(to);
	if (read_text(text, &back, &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(rt_counter_set_check(&back, NULL), 0);
	assert_int_equal(back.count, 2);
	assert_int_equal(back.time_ns, -5);
	assert_int_equal(rt_counter_value(&back, RT_COUNTER_PFC_RX_NS, 3).value, 4000);
	assert_int_equal(rt_counter_value(&back, RT_COUNTER_CNP_TX, PORT).value,
			 UINT64_MAX - 1);
	assert_string_equal(back.looks[2].why, "no such file");
	/* Room of a set that was read is known to be what was read. */
	assert_int_equal(rt_counter_set_add(&back, &items[1]), 0);
	assert_int_equal(rt_counter_set_check(&back, &err), -EINVAL); /* twice */
	rt_counter_set_free(&back);
	rt_counter_set_free(&set);
	free(text);
}

static void test_counters_of_elsewhere_are_checked(void **state)
{
	const struct rt_counter_reading good[] = {
		reading(RT_COUNTER_PFC_RX_NS, 3, 1), reading(RT_COUNTER_CNP_TX, PORT, 1)
	};

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		struct rt_counter_set set = set_of(good, 2, 0);
		struct rt_counter_reading swap = set.items[0];

		switch (i) {
		case 0: set.items[1].counter = RT_COUNTER_COUNT; break;
		case 1: set.items[1].prio = 8; break;
		case 2: set.items[1].bits = 65; break;
		case 3: set.items[1].scale = 0; break;
		case 4: set.items[1].source = RT_SOURCE_COUNT; break;
		case 5:
			set.items[0] = set.items[1];
			set.items[1] = swap;
			break;
		case 6: set.items[1].bits = 7; break;
		}
		assert_int_equal(rt_counter_set_check(&set, NULL), i < 7 ? -EINVAL : 0);
		rt_counter_set_free(&set);
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_counters_catalogue_is_whole),
	     cmocka_unit_test(test_counters_diff_is_never_negative_and_never_guessed),
	     cmocka_unit_test(test_counters_diff_forgets_a_source_that_was_reset),
	     cmocka_unit_test(test_counters_diff_compares_like_with_like),
	     cmocka_unit_test(test_counters_diff_needs_the_same_counter_twice),
	     cmocka_unit_test(test_counters_total_is_of_the_port_or_of_all_eight),
	     cmocka_unit_test(test_counters_travel_as_records),
	     cmocka_unit_test(test_counters_of_elsewhere_are_checked))
