/* SPDX-License-Identifier: BSD-2-Clause */
/* order.h - a change of the tests' port, as `apply` makes it. */
#ifndef RT_TESTS_ORDER_H
#define RT_TESTS_ORDER_H

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

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

/* NULL: nothing comes between. */
static int (*interrupts)(void *context, struct rt_kern **ret_kern, struct rt_err *err);

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
					      .kern_open = interrupts ? interrupts
								      : open_again,
					      .context = port->host.kern };
	if (r == 0)
		r = rt_txn_begin(&order->setup, ret_txn, err);
	if (r < 0)
		return r;
	port->state->writer = getpid();
	port->state->supervisor = rt_txn_supervisor(*ret_txn);
	return 0;
}

/* A change as `apply` makes it. */
static inline int change(struct port *port, struct rt_err *err)
{
	struct rt_txn *txn = NULL;
	struct order order;
	int r = begin_order(&order, port, &txn, err);

	if (r == 0) {
		r = rt_txn_write(txn, err);
		if (r == 0)
			r = rt_txn_commit(txn, (struct rt_opt_u64){ 0 }, false, err);
		if (r < 0) {
			struct rt_err undo = { 0 };

			if (rt_txn_undo(txn, &undo) < 0)
				print_message("# undo: %s\n", undo.msg);
		}
	}
	rt_txn_free(txn);
	end_order(&order);
	return r;
}

static inline int in_process(struct port *port)
{
	const pid_t pid = fork();
	int status;

	if (pid == 0) {
		struct rt_err err = { 0 };

		_exit(change(port, &err) == 0 ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
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

/* A change that both processes died of after its last write. */
static inline void leave_pending(struct port *port)
{
	port_open(port);
	port->state->fault[0] = PORT_FAULT_KILL_BOTH_AFTER;
	port->state->fault_at[0] = 8;
	assert_true(WIFSIGNALED(in_process(port)));
	wait_free();
}

static inline void load_pending(struct rt_state *state, struct rt_journal *ret_journal)
{
	struct rt_journal_files files = { 0 };
	struct rt_err err = { 0 };

	assert_int_equal(rt_state_list(state, &files, &err), 0);
	assert_int_equal(files.count, 1);
	assert_string_equal(files.items[0].failed, "");
	assert_int_equal(files.items[0].journal.status, RT_JOURNAL_WRITING);
	assert_int_equal(rt_state_load(state, files.items[0].id, ret_journal, &err), 0);
	rt_journal_files_free(&files);
}

#endif
