/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine that moves nothing does it in an orderly way. */
#include "unit.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/histogram.h"
#include "base/own.h"
#include "traffic/engine.h"

#define SECOND INT64_C(1000000000)

struct end {
	struct rt_engine *engine;
	unsigned index;
};

static const struct rt_engine_ops *find(const char *name)
{
	for (size_t i = 0; rt_engines[i]; i++)
		if (strcmp(rt_engines[i]->name, name) == 0)
			return rt_engines[i];
	return NULL;
}

/* An engine with one connected queue pair, as if so long had passed. */
static void end_open(struct end *end, const struct rt_traffic_flow *flow, bool sends,
		     int64_t past_ns)
{
	const struct rt_engine_config config = { .mtu_bytes = 4096 };
	const struct rt_engine_ops *ops = find("null");
	struct rt_qp_address address;

	assert_non_null(ops);
	assert_int_equal(ops->open(&config, &end->engine, NULL), 0);
	assert_int_equal(
		ops->qp_create(end->engine, flow, sends, &end->index, &address, NULL),
		0);
	assert_int_equal(address.flow, flow->flow);
	assert_int_equal(address.mtu_bytes, 4096);
	assert_int_equal(ops->qp_connect(end->engine, end->index, &address, NULL), 0);
	ops->begin(end->engine, rt_monotonic_ns() - past_ns);
	assert_int_equal(ops->work(end->engine, 0, -1, NULL), 0);
}

static struct rt_qp_totals totals_of(const struct end *end)
{
	struct rt_qp_totals totals;

	end->engine->ops->totals(end->engine, end->index, &totals);
	return totals;
}

static void test_totals_follow_the_flow(void **state)
{
	static const struct {
		const char *label;
		struct rt_traffic_flow flow;
		int64_t past_ns;
		unsigned state;
		uint64_t bytes, messages;
	} cases[] = {
		{ "before its start",
		  { .message_bytes = 1000,
		    .start_ns = 9 * SECOND,
		    .stop_ns = 10 * SECOND },
		  SECOND,
		  RT_QP_WAITING,
		  0,
		  0 },
		{ "1 Gbps for a second",
		  { .message_bytes = 1000, .start_ns = SECOND, .stop_ns = 2 * SECOND },
		  100 * SECOND,
		  RT_QP_DONE,
		  125000000,
		  125000 },
		{ "8 Mbps for two",
		  { .message_bytes = 1000, .stop_ns = 2 * SECOND, .rate_bps = 8000000 },
		  100 * SECOND,
		  RT_QP_DONE,
		  2000000,
		  2000 },
		{ "so many bytes",
		  { .message_bytes = 1000,
		    .total_bytes = 2500,
		    .stop_ns = 50 * SECOND },
		  10 * SECOND,
		  RT_QP_DONE,
		  2500,
		  3 },
		{ "bursts: a quarter of four seconds",
		  { .message_bytes = 1000,
		    .stop_ns = 4 * SECOND,
		    .rate_bps = 8000000,
		    .on_ns = SECOND / 40,
		    .off_ns = 3 * SECOND / 40 },
		  100 * SECOND,
		  RT_QP_DONE,
		  1000000,
		  1000 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++)
		for (unsigned sends = 0; sends < 2; sends++) {
			struct rt_qp_totals totals;
			struct end end;

			print_message("# %s\n", cases[i].label);
			end_open(&end, &cases[i].flow, sends, cases[i].past_ns);
			totals = totals_of(&end);
			assert_int_equal(totals.state, cases[i].state);
			assert_int_equal(totals.bytes.value, cases[i].bytes);
			assert_int_equal(totals.messages.value, cases[i].messages);
			assert_int_equal(totals.rate_bps.known, sends);
			assert_false(totals.ecn_ce_rx.known);
			end.engine->ops->close(end.engine);
		}
}

static void test_what_is_stopped_stays_so(void **state)
{
	const struct rt_traffic_flow flow = { .message_bytes = 10,
					      .stop_ns = 100 * SECOND };
	struct rt_qp_totals first, second;
	struct end end;

	(void)state;
	end_open(&end, &flow, true, SECOND);
	assert_int_equal(totals_of(&end).state, RT_QP_RUNNING);
	end.engine->ops->qp_stop(end.engine, end.index);
	first = totals_of(&end);
	assert_int_equal(first.state, RT_QP_DONE);
	assert_true(first.bytes.value >= 125000000);
	assert_int_equal(end.engine->ops->work(end.engine,
					       rt_monotonic_ns() + SECOND / 100, -1,
					       NULL),
			 0);
	second = totals_of(&end);
	assert_int_equal(first.bytes.value, second.bytes.value);
	end.engine->ops->close(end.engine);
}

static void test_work_ends_when_somebody_calls(void **state)
{
	const struct rt_traffic_flow flow = { .message_bytes = 10 };
	struct end end;
	int ends[2];

	(void)state;
	end_open(&end, &flow, true, 0);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "!", 1), 1);
	/* An hour, unless it looks. */
	assert_int_equal(end.engine->ops->work(end.engine,
					       rt_monotonic_ns() + 3600 * SECOND,
					       ends[0], NULL),
			 0);
	close(ends[0]);
	close(ends[1]);
	end.engine->ops->close(end.engine);
}

static void test_latency_is_told_once(void **state)
{
	const struct rt_traffic_flow flow = { .message_bytes = 1000,
					      .rate_bps = 8000000,
					      .stop_ns = SECOND };
	struct rt_histogram *histogram = calloc(1, sizeof(*histogram));
	struct end end;

	(void)state;
	assert_non_null(histogram);
	end_open(&end, &flow, true, 5 * SECOND);
	end.engine->ops->latency(end.engine, end.index, histogram);
	assert_int_equal(histogram->count, 1000);
	assert_int_equal(histogram->min, 1000000);
	assert_int_equal(histogram->max, 1000000);
	end.engine->ops->latency(end.engine, end.index, histogram);
	assert_int_equal(histogram->count, 1000);
	free(histogram);
	end.engine->ops->close(end.engine);
}

static void test_address_of_another_flow_is_refused(void **state)
{
	const struct rt_traffic_flow flow = { .flow = 4, .message_bytes = 10 };
	const struct rt_qp_address other = { .flow = 5, .qpn = 1 };
	struct end end;

	(void)state;
	end_open(&end, &flow, true, 0);
	assert_int_equal(
		end.engine->ops->qp_connect(end.engine, end.index, &other, NULL),
		-EINVAL);
	end.engine->ops->close(end.engine);
}

RT_UNIT_MAIN(cmocka_unit_test(test_totals_follow_the_flow),
	     cmocka_unit_test(test_what_is_stopped_stays_so),
	     cmocka_unit_test(test_work_ends_when_somebody_calls),
	     cmocka_unit_test(test_latency_is_told_once),
	     cmocka_unit_test(test_address_of_another_flow_is_refused))
