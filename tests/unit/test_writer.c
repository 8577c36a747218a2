/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_writer.c - the two processes of a change: signals, what one does without the
 * other, and the clock that the supervisor keeps.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include "order.h"

/* --- the writer and its signals --------------------------------------------------------- */

static void test_signals_say_what_they_did(void **state)
{
	struct rt_err err = { 0 };
	struct rt_qos old, now;
	struct port port;

	(void)state;
	port_open(&port);
	state_of(&port, &old);
	port.state->fault[0] = PORT_FAULT_TERM;
	port.state->fault_at[0] = 3;
	assert_int_equal(change(&port, &err), -EINTR);
	assert_non_null(strstr(err.msg, "signal 15"));
	state_of(&port, &now);
	assert_true(same(&old, &now));
	port_free(&port);
}

static void test_a_later_step_that_undoes_an_earlier_is_found_out(void **state)
{
	struct rt_err err = { 0 };
	struct rt_qos old, now;
	struct port port;

	(void)state;
	port_open(&port);
	state_of(&port, &old);
	port.state->sly = true;
	assert_int_equal(change(&port, &err), -EIO);
	assert_non_null(strstr(err.msg, "trust"));
	state_of(&port, &now);
	assert_true(same(&old, &now));
	port_free(&port);
}

/* What the supervisor does while the writer waits for it. */
static int interrupt_begin(void *context, struct rt_kern **ret_kern, struct rt_err *err)
{
	kill(getppid(), SIGTERM);
	return open_again(context, ret_kern, err);
}

static void test_a_signal_before_the_first_write_ends_it_there(void **state)
{
	struct rt_txn *txn = NULL;
	struct rt_err err = { 0 };
	struct order order;
	struct port port;

	(void)state;
	port_open(&port);
	interrupts = interrupt_begin;
	assert_int_equal(begin_order(&order, &port, &txn, &err), -EINTR);
	interrupts = NULL;
	assert_null(txn);
	assert_int_equal(port.state->writes, 0);
	end_order(&order);
	wait_free();
	assert_int_equal(recover(&port, &err), -1); /* nothing is left to be done */
	port_free(&port);
}

static bool is_blocked(int number)
{
	sigset_t now;

	sigprocmask(SIG_BLOCK, NULL, &now);
	return sigismember(&now, number);
}

static void test_a_writer_cannot_be_stopped_half_way(void **state)
{
	static const int held[] = { SIGTSTP, SIGTTOU, SIGINT, SIGTERM, SIGHUP };
	struct rt_txn *txn = NULL;
	struct rt_err err = { 0 };
	struct order order;
	struct port port;

	(void)state;
	/* Whoever runs this may ignore some (nohup, a shell's &), which are not held then. */
	for (size_t i = 0; i < RT_ARRAY_SIZE(held); i++)
		signal(held[i], SIG_DFL);
	port_open(&port);
	assert_int_equal(begin_order(&order, &port, &txn, &err), 0);
	for (size_t i = 0; i < RT_ARRAY_SIZE(held); i++)
		assert_true(is_blocked(held[i]));
	assert_int_equal(rt_txn_undo(txn, &err), 0);
	rt_txn_free(txn);
	for (size_t i = 0; i < RT_ARRAY_SIZE(held); i++)
		assert_false(is_blocked(held[i]));
	end_order(&order);
	port_free(&port);
}

static int change_under(struct port *port, int number, void (*handler)(int))
{
	void (*before)(int) = signal(number, handler);
	struct rt_txn *txn = NULL;
	struct rt_err err = { 0 };
	struct order order;
	int r;

	port_open(port);
	assert_int_equal(begin_order(&order, port, &txn, &err), 0);
	raise(number);
	r = rt_txn_write(txn, &err);
	assert_int_equal(rt_txn_undo(txn, &err), 0);
	rt_txn_free(txn);
	end_order(&order);
	port_free(port);
	signal(number, before);
	return r;
}

static void test_nohup_is_honoured(void **state)
{
	struct port port;

	(void)state;
	assert_int_equal(change_under(&port, SIGHUP, SIG_IGN), 0);
	assert_int_equal(change_under(&port, SIGHUP, SIG_DFL), -EINTR);
	assert_int_equal(change_under(&port, SIGINT, SIG_IGN), 0);
}

static void test_signals_do_not_end_the_supervisor(void **state)
{
	static const int numbers[] = { SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,
				       SIGPIPE, SIGUSR1, SIGALRM, SIGTSTP };
	struct rt_txn *txn = NULL;
	struct rt_err err = { 0 };
	struct order order;
	struct port port;

	(void)state;
	port_open(&port);
	assert_int_equal(begin_order(&order, &port, &txn, &err), 0);
	for (size_t i = 0; i < RT_ARRAY_SIZE(numbers); i++)
		assert_int_equal(kill(rt_txn_supervisor(txn), numbers[i]), 0);
	assert_int_equal(rt_txn_pause(txn, 200, &err), 0);
	assert_int_equal(rt_txn_write(txn, &err), 0);
	assert_int_equal(rt_txn_undo(txn, &err), 0);
	rt_txn_free(txn);
	end_order(&order);
	port_free(&port);
}

static void test_nothing_is_written_without_a_supervisor(void **state)
{
	struct rt_txn *txn = NULL;
	struct rt_err err = { 0 };
	struct order order;
	struct port port;
	siginfo_t info;

	(void)state;
	port_open(&port);
	assert_int_equal(begin_order(&order, &port, &txn, &err), 0);
	assert_int_equal(kill(rt_txn_supervisor(txn), SIGKILL), 0);
	assert_int_equal(
		waitid(P_PID, (id_t)rt_txn_supervisor(txn), &info, WEXITED | WNOWAIT),
		0);
	assert_int_equal(rt_txn_pause(txn, 0, &err), -EPIPE);
	assert_int_equal(rt_txn_write(txn, &err), -EPIPE);
	assert_int_equal(port.state->writes, 0);
	assert_int_equal(rt_txn_undo(txn, &err), 0);
	rt_txn_free(txn);
	end_order(&order);
	port_free(&port);
}

/* Unconfirmed, with a deadline that is soon over, kept by the supervisor. */
static int unconfirmed(struct port *port, uint64_t wait_ns, struct rt_err *err)
{
	struct rt_txn *txn = NULL;
	struct order order;
	int r = begin_order(&order, port, &txn, err);

	if (r == 0)
		r = rt_txn_write(txn, err);
	if (r == 0)
		r = rt_txn_commit(txn, RT_KNOWN_U64(rt_boottime_ns() + wait_ns), true,
				  err);
	rt_txn_free(txn);
	end_order(&order);
	return r;
}

static void test_the_deadline_undoes(void **state)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	struct rt_err err = { 0 };
	struct rt_qos old, now;
	struct port port;
	unsigned waited = 0;

	(void)state;
	port_open(&port);
	state_of(&port, &old);
	assert_int_equal(unconfirmed(&port, 300000000, &err), 0);
	state_of(&port, &now);
	assert_false(same(&old, &now));
	while (!same(&old, &now) && waited++ < 1000) {
		nanosleep(&pause, NULL);
		state_of(&port, &now);
	}
	assert_true(same(&old, &now));
	wait_free();
	port_free(&port);
}

/* A journal that cannot be read, a lock that cannot be had: neither ends the clock. */
static void test_the_clock_outlasts_what_passes(void **state)
{
	RT_AUTO(rt_auto_free) char *text = malloc(1 << 20);
	const struct timespec looks = { .tv_sec = 2, .tv_nsec = 300000000 };
	const struct timespec pause = { .tv_nsec = 10000000 };
	char journal[160], lock[160];
	struct rt_err err = { 0 };
	struct rt_qos old, new, now;
	unsigned waited = 0;
	struct port port;
	size_t bytes;

	(void)state;
	port_open(&port);
	state_of(&port, &old);
	assert_int_equal(unconfirmed(&port, 300000000, &err), 0);
	state_of(&port, &new);
	path_in_folder("000001-port_0-1.journal", journal);
	path_in_folder("lock", lock);
	bytes = get_text(journal, text, 1 << 20);
	put_text(journal, "{", 1);
	assert_int_equal(unlink(lock), 0);
	assert_int_equal(mkdir(lock, 0755), 0);
	nanosleep(&looks, NULL);
	put_text(journal, text, bytes);
	nanosleep(&looks, NULL);
	/* Not without the lock: somebody may be confirming. */
	state_of(&port, &now);
	assert_true(same(&new, &now));
	assert_int_equal(rmdir(lock), 0);
	while (!same(&old, &now) && waited++ < 1000) {
		nanosleep(&pause, NULL);
		state_of(&port, &now);
	}
	assert_true(same(&old, &now));
	wait_free();
	port_free(&port);
}

#define T(name) cmocka_unit_test_setup_teardown(name, make_state, remove_state)
RT_UNIT_MAIN(T(test_signals_say_what_they_did),
	     T(test_a_later_step_that_undoes_an_earlier_is_found_out),
	     T(test_a_signal_before_the_first_write_ends_it_there),
	     T(test_a_writer_cannot_be_stopped_half_way), T(test_nohup_is_honoured),
	     T(test_signals_do_not_end_the_supervisor),
	     T(test_nothing_is_written_without_a_supervisor),
	     T(test_the_deadline_undoes), T(test_the_clock_outlasts_what_passes))
