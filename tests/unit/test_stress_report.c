/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What people read of a stress run, against tests/golden/stress-*.out; WRITE=1 writes
 * them.  The run never ran, so that it is the same each time.
 */
#include "stress_case.h"

#include "model/counters.h"
#include "report/report.h"

static void compare(const char *name, const char *text)
{
	char path[128], want[32768] = "";
	FILE *file;

	snprintf(path, sizeof(path), "tests/golden/%s.out", name);
	file = fopen(path, getenv("WRITE") ? "w" : "r");
	assert_non_null(file);
	if (getenv("WRITE"))
		fputs(text, file);
	else
		want[fread(want, 1, sizeof(want) - 1, file)] = '\0';
	fclose(file);
	if (!getenv("WRITE"))
		assert_string_equal(text, want);
}

static void report(struct stress_case *made, const char *name)
{
	const struct rt_report_style style = { .rows = 16 };
	char *text = NULL;
	size_t bytes;
	FILE *to = open_memstream(&text, &bytes);

	assert_non_null(to);
	rt_report_text(to, &rt_stress_table, &made->result, &style);
	fclose(to);
	compare(name, text);
	free(text);
}

static const struct rt_counter_reading readings[] = {
	{ .counter = RT_COUNTER_PFC_RX_FRAMES,
	  .prio = 3,
	  .bits = 64,
	  .source = RT_SOURCE_ETHTOOL,
	  .value = 1000,
	  .scale = 1,
	  .name = "rx_prio3_pause" },
	{ .counter = RT_COUNTER_TX_BYTES,
	  .prio = RT_COUNTER_NO_PRIO,
	  .bits = 64,
	  .source = RT_SOURCE_ETHTOOL,
	  .value = 5000000,
	  .scale = 1,
	  .name = "tx_bytes_phy" },
	{ .counter = RT_COUNTER_CNP_RX,
	  .prio = RT_COUNTER_NO_PRIO,
	  .bits = 64,
	  .source = RT_SOURCE_RDMA,
	  .value = 7,
	  .scale = 1,
	  .name = "rp_cnp_handled" },
};

static void count(struct stress_case *made, uint32_t rank, uint64_t added)
{
	struct rt_counter_set *sets[] = { &made->ranks[rank].report.before,
					  &made->ranks[rank].report.after };

	for (size_t k = 0; k < 2; k++) {
		strcpy(sets[k]->netdev, "eth0");
		strcpy(sets[k]->device, "mlx5_0/1");
		sets[k]->time_ns = (int64_t)k * 3000000000;
		for (size_t i = 0; i < RT_ARRAY_SIZE(readings); i++) {
			struct rt_counter_reading reading = readings[i];

			reading.value += k * added * (i + 1);
			assert_int_equal(rt_counter_set_add(sets[k], &reading), 0);
		}
	}
}

/* A victim, a sender that stops and one that swings: what an engineer looks for. */
static void test_the_report_of_a_bad_run(void **state)
{
	const struct rt_stress_wish wish = { .pattern = RT_WORKLOAD_INCAST,
					     .senders = RT_KNOWN_U64(4),
					     .victim = RT_VICTIM_LOSSY,
					     .lossless = RT_KNOWN_U64(8) };
	struct rt_stress_end *end;
	struct stress_case made;

	(void)state;
	stress_sound(&wish, 6, &made);
	end = stress_end(&made, 2, 1);
	end->totals.state = RT_QP_STOPPED;
	strcpy(end->totals.error, "IBV_WC_RETRY_EXC_ERR");
	end->totals.error_ns = RT_KNOWN_U64(1820000000);
	for (size_t i = 18; i < end->series_count; i++)
		end->series[i] = 0;
	end = stress_end(&made, 3, 2);
	end->causes = calloc(4, sizeof(*end->causes));
	assert_non_null(end->causes);
	for (size_t i = 12; i < 26; i += 4) {
		end->series[i] = end->series[i + 1] = SOUND_BYTES / 10;
		end->causes[end->cause_count++] = (struct rt_stress_cause){
			.interval = (uint32_t)i,
			.losses = i < 20 ? 8 : 0,
			.paused_ns = i < 20 ? 0 : 90000000,
		};
	}
	/* A host that loses frames by itself, and is not there once. */
	made.ranks[5].report.ring_drops = RT_KNOWN_U64(12);
	made.ranks[5].report.strays = RT_KNOWN_U64(0);
	made.ranks[5].report.engine_late_ns = RT_KNOWN_U64(23000000);
	end->totals.paused_ns = RT_KNOWN_U64(250000000);
	end->totals.data_frames_retransmitted = RT_KNOWN_U64(31);
	end = stress_end(&made, made.plan.flows[4].from, 4);
	end->alone_bytes = SOUND_BYTES / 100 * 8;
	end->alone = end->latency = (struct rt_stress_latency){
		.count = 2000,
		.avg_ns = RT_KNOWN_U64(10000),
		.p99_ns = RT_KNOWN_U64(20000),
		.p999_ns = RT_KNOWN_U64(40000),
	};
	end->latency.p99_ns = RT_KNOWN_U64(90000);
	count(&made, 3, 120);
	count(&made, 0, 0);
	stress_judge(&made);
	report(&made, "stress-bad");
	stress_forget(&made);
}

static void test_the_report_of_a_sound_run(void **state)
{
	const struct rt_stress_wish wish = { .pattern = RT_WORKLOAD_INCAST,
					     .senders = RT_KNOWN_U64(8),
					     .lossless = RT_KNOWN_U64(8) };
	struct stress_case made;

	(void)state;
	stress_sound(&wish, 9, &made);
	stress_judge(&made);
	report(&made, "stress-sound");
	stress_forget(&made);
}

/* Counters fill in what queue pairs do not tell, and rules look at them. */
static void test_counters_of_ports_are_judged(void **state)
{
	static const struct {
		const char *label;
		unsigned counter;
		uint8_t prio;
		uint32_t rank; /* 0 receives, at 4 of 10 Gb/s */
		uint64_t added;
		const char *id;
		bool found;
	} rows[] = {
		{ "discards of the lossless priority", RT_COUNTER_RX_DISCARDS, 3, 0, 5,
		  "stress-lossless-discards", true },
		{ "none", RT_COUNTER_RX_DISCARDS, 3, 0, 0, "stress-lossless-discards",
		  false },
		{ "discards of another", RT_COUNTER_RX_DISCARDS, 1, 0, 5,
		  "stress-lossless-discards", false },
		{ "discards of the port", RT_COUNTER_RX_DISCARDS, RT_COUNTER_NO_PRIO, 0,
		  5, "stress-lossless-discards", false },
		{ "the storm watchdog", RT_COUNTER_STORM_EVENTS, RT_COUNTER_NO_PRIO, 2,
		  1, "stress-watchdog", true },
		{ "the receiver pauses", RT_COUNTER_PFC_TX_NS, 3, 0, 90000000,
		  "stress-receiver-slow", true },
		{ "a moment", RT_COUNTER_PFC_TX_NS, 3, 0, 9000000,
		  "stress-receiver-slow", false },
		{ "a sender pauses", RT_COUNTER_PFC_TX_NS, 3, 1, 90000000,
		  "stress-receiver-slow", false },
		{ "a sender is paused", RT_COUNTER_PFC_RX_NS, 3, 1, 90000000,
		  "stress-paused", true },
		{ "on another priority", RT_COUNTER_PFC_RX_NS, 4, 1, 90000000,
		  "stress-paused", false },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		const struct rt_stress_wish wish = { .pattern = RT_WORKLOAD_INCAST,
						     .lossless = RT_KNOWN_U64(8) };
		struct rt_counter_reading reading = { .counter = rows[i].counter,
						      .prio = rows[i].prio,
						      .bits = 64,
						      .source = RT_SOURCE_ETHTOOL,
						      .value = 1000,
						      .scale = 1,
						      .name = "x" };
		struct rt_stress_report *said;
		struct stress_case made;

		print_message("# --- %s\n", rows[i].label);
		stress_sound(&wish, 5, &made);
		for (uint32_t flow = 0; flow < 4; flow++)
			stress_end(&made, flow + 1, flow)->totals.paused_ns =
				(struct rt_opt_u64){ 0 };
		said = &made.ranks[rows[i].rank].report;
		assert_int_equal(rt_counter_set_add(&said->before, &reading), 0);
		reading.value += rows[i].added;
		said->after.time_ns = 3000000000;
		assert_int_equal(rt_counter_set_add(&said->after, &reading), 0);
		stress_judge(&made);
		assert_int_equal(stress_found(&made, rows[i].id) != NULL,
				 rows[i].found);
		assert_int_equal(made.result.counter_count, rows[i].added > 0);
		assert_int_equal(made.result.other_counter_count, !rows[i].added);
		stress_forget(&made);
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_the_report_of_a_bad_run),
	     cmocka_unit_test(test_the_report_of_a_sound_run),
	     cmocka_unit_test(test_counters_of_ports_are_judged))
