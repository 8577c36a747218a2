/* SPDX-License-Identifier: BSD-2-Clause */
/* order.h - a change of the port of the tests: begun, looked at, recovered. */
#ifndef RT_TESTS_ORDER_H
#define RT_TESTS_ORDER_H

#include "apply_folder.h"
#include "host/state.h"
#include "host/transaction.h"
#include "host/undo.h"
#include "port.h"

static inline int open_again(void *context, struct rt_kern **ret_kern,
			     struct rt_err *err)
{
	(void)err;
	*ret_kern = context;
	return 0;
}

/* All that a change needs, and what it leaves to be freed. */
struct order {
	struct rt_state *state;
	struct rt_plan *plan;
	struct rt_qos have, want;
	struct rt_txn_setup setup;
};

static inline void end_order(struct order *order)
{
	rt_state_close(order->state);
	free(order->plan);
}

static inline int begin_order(struct order *order, struct port *port,
			      struct rt_txn **ret_txn, struct rt_err *err)
{
	static const struct rt_plan_wish all = { 0 };
	int r;

	*order = (struct order){ .plan = malloc(sizeof(*order->plan)) };
	r = rt_state_open(true, &order->state, err);
	if (r == 0)
		r = rt_state_lock(order->state, "a test", err);
	if (r == 0)
		r = rt_host_read(&port->host, &order->have, err);
	port_want(&order->want);
	if (r == 0)
		r = rt_plan_make(&port->host, &order->have, &order->want, &all,
				 order->plan, err);
	order->setup = (struct rt_txn_setup){ .state = order->state,
					      .port = &port->host,
					      .plan = order->plan,
					      .profile = "a profile",
					      .kern_open = open_again,
					      .context = port->host.kern };
	if (r == 0)
		r = rt_txn_begin(&order->setup, ret_txn, err);
	if (r < 0)
		return r;
	port->state->writer = getpid();
	port->state->supervisor = rt_txn_supervisor(*ret_txn);
	return 0;
}

/* The values only, not the counters. */
static inline void state_of(const struct port *port, struct rt_qos *ret_qos)
{
	assert_int_equal(rt_host_read(&port->host, ret_qos, NULL), 0);
}

static inline bool same(const struct rt_qos *a, const struct rt_qos *b)
{
	for (unsigned id = 0; id < RT_KNOB_COUNT; id++)
		if (rt_knob_differs(&rt_knobs[id], &a->knobs[id], &b->knobs[id]))
			return false;
	return a->raw[0].number == b->raw[0].number;
}

/* What recover does; returns the status of the only journal that was pending, or -1. */
static inline int recover(struct port *port, struct rt_err *err)
{
	RT_AUTO(rt_auto_state_close) struct rt_state *state = NULL;
	struct rt_journal_files files = { 0 };
	int r = -1;

	assert_int_equal(rt_state_open(true, &state, err), 0);
	assert_int_equal(rt_state_lock(state, "a recovery", err), 0);
	assert_int_equal(rt_state_list(state, &files, err), 0);
	for (size_t i = 0; i < files.count; i++) {
		assert_string_equal(files.items[i].failed, "");
		if (rt_journal_pending(files.items[i].journal.status))
			r = rt_undo(&port->host, state, &files.items[i].journal, err);
	}
	rt_journal_files_free(&files);
	return r;
}

#endif
