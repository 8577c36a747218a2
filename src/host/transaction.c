/* SPDX-License-Identifier: BSD-2-Clause */
/* transaction.c - the writer: journal, supervisor, writes, commit. */
#include "host/transaction.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "host/plan_parts.h"
#include "host/state.h"
#include "host/supervise.h"
#include "host/undo.h"
#include "rocetune/err.h"

struct rt_txn {
	struct rt_txn_setup setup;
	struct rt_journal journal;
	struct rt_qos now; /* as read last */
	pid_t pid;         /* 0: none runs that we should wait for */
	int socket;
	sigset_t before; /* signals that were blocked */
};

#define READY_MS 10000
#define UNDO_MS  120000 /* links that come back slowly, three times */
#define WAKE_MS  50
#define KILL_MS  2000

const struct rt_journal *rt_txn_journal(const struct rt_txn *txn)
{
	return &txn->journal;
}

pid_t rt_txn_supervisor(const struct rt_txn *txn)
{
	return txn->pid;
}

/* --- signals ---------------------------------------------------------------------- */

/*
 * Those after which a person expects the program to stop; not what it was started to
 * ignore (nohup(1)), for a blocked signal is kept even then (signal(7)).
 */
static void stop_signals(sigset_t *ret_set)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

	sigemptyset(ret_set);
	for (size_t i = 0; i < RT_ARRAY_SIZE(numbers); i++) {
		struct sigaction action;

		if (sigaction(numbers[i], NULL, &action) == 0 &&
		    action.sa_handler != SIG_IGN)
			sigaddset(ret_set, numbers[i]);
	}
}

static void hold_signals(struct rt_txn *txn)
{
	sigset_t held;

	stop_signals(&held);
	/* A writer that is stopped half way is one that nobody undoes. */
	sigaddset(&held, SIGTSTP);
	sigaddset(&held, SIGTTOU);
	sigprocmask(SIG_BLOCK, &held, &txn->before);
}

/* It is taken: who sent it gets the old state and a message, not a silent death. */
static int check_signals(struct rt_err *err)
{
	static const struct timespec at_once = { 0 };
	sigset_t stop;
	int number;

	stop_signals(&stop);
	number = sigtimedwait(&stop, NULL, &at_once);
	return number < 0 ? 0
			  : rt_err_set(err, -EINTR, "stopped by signal %d (%s)", number,
				       strsignal(number));
}

/* --- the supervisor ---------------------------------------------------------------- */

/* True once fd can be read.  One that somebody stopped is woken while we wait: it has
 * nothing to do but what we wait for. */
static bool await(const struct rt_txn *txn, int fd, int wait_ms)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };

	for (int waited_ms = 0; poll(&wait, 1, WAKE_MS) <= 0; waited_ms += WAKE_MS) {
		if (waited_ms >= wait_ms)
			return false;
		kill(txn->pid, SIGCONT);
	}
	return true;
}

/* -EPIPE: it is dead.  -ETIMEDOUT.  Else what it says. */
static int hear(struct rt_txn *txn, int wait_ms, struct rt_err *err)
{
	struct rt_supervisor_says says = { 0 };
	ssize_t n;

	if (!await(txn, txn->socket, wait_ms))
		return rt_err_set(err, -ETIMEDOUT,
				  "the supervisor, process %ld, does not answer",
				  (long)txn->pid);
	n = recv(txn->socket, &says, sizeof(says), MSG_DONTWAIT);
	if (n != (ssize_t)sizeof(says))
		return rt_err_set(err, -EPIPE, "the supervisor, process %ld, died",
				  (long)txn->pid);
	says.msg[sizeof(says.msg) - 1] = '\0';
	if (says.code != 0)
		rt_err_set(err, says.code, "%s", says.msg);
	return says.code;
}

static int check_alive(struct rt_txn *txn, struct rt_err *err)
{
	struct pollfd look = { .fd = txn->socket };

	if (poll(&look, 1, 0) > 0 && look.revents & (POLLHUP | POLLERR))
		return rt_err_set(err, -EPIPE, "the supervisor, process %ld, died",
				  (long)txn->pid);
	return 0;
}

/* It goes on by itself. */
static void let_go(struct rt_txn *txn)
{
	if (txn->socket >= 0)
		close(txn->socket);
	txn->socket = -1;
	txn->pid = 0;
}

/* Let it end, and make it end after wait_ms.  False: it hangs in the kernel, where no
 * signal reaches it. */
static bool leave(struct rt_txn *txn, int wait_ms)
{
	const pid_t pid = txn->pid;
	bool ended = pid <= 0;
	int fd;

	if (txn->socket >= 0)
		close(txn->socket);
	txn->socket = -1;
	if (ended)
		return true;
	fd = pidfd_open(pid, 0);
	if (fd >= 0 && !await(txn, fd, wait_ms)) {
		kill(pid, SIGKILL);
		await(txn, fd, KILL_MS);
	}
	if (fd >= 0)
		close(fd);
	ended = waitpid(pid, NULL, WNOHANG) != 0;
	txn->pid = 0;
	return ended;
}

/* --- begin -------------------------------------------------------------------------- */

static int set_status(struct rt_txn *txn, enum rt_journal_status status,
		      struct rt_err *err)
{
	const unsigned before = txn->journal.status;
	int r;

	txn->journal.status = status;
	if (!rt_journal_pending(status))
		rt_journal_now(txn->journal.ended);
	r = rt_state_save(txn->setup.state, &txn->journal, err);
	if (r < 0)
		txn->journal.status = before;
	return r;
}

static int begin(struct rt_txn *txn, struct rt_err *err)
{
	const struct rt_txn_setup *setup = &txn->setup;
	int r = rt_journal_fill(setup->port, setup->plan, setup->profile, &txn->journal,
				err);

	if (r == 0)
		r = rt_undo_check(setup->port, setup->plan, &txn->journal, err);
	if (r == 0 && setup->undoes)
		snprintf(txn->journal.undoes, sizeof(txn->journal.undoes), "%s",
			 setup->undoes);
	if (r == 0)
		r = rt_state_save(setup->state, &txn->journal, err);
	if (r == 0)
		r = rt_supervisor_start(setup, &txn->journal, &txn->pid, &txn->socket,
					err);
	if (r == 0)
		r = hear(txn, READY_MS, err);
	if (r == 0)
		r = check_signals(err);
	if (r == 0)
		r = set_status(txn, RT_JOURNAL_WRITING, err);
	return r;
}

int rt_txn_begin(const struct rt_txn_setup *setup, struct rt_txn **ret_txn,
		 struct rt_err *err)
{
	RT_AUTO(rt_auto_txn_free) struct rt_txn *txn = calloc(1, sizeof(*txn));
	int r;

	if (!txn)
		return rt_err_sys(err, -ENOMEM, "cannot begin the change");
	txn->setup = *setup;
	txn->socket = -1;
	hold_signals(txn);
	r = begin(txn, err);
	if (r == 0) {
		*ret_txn = rt_steal(&txn);
		return 0;
	}
	/* Nothing was written, so nothing is to be undone: only the journal says so. */
	leave(txn, READY_MS);
	if (*txn->journal.id)
		set_status(txn, RT_JOURNAL_ROLLED_BACK, NULL);
	return r;
}

void rt_txn_free(struct rt_txn *txn)
{
	if (!txn)
		return;
	leave(txn, UNDO_MS);
	rt_journal_free(&txn->journal);
	sigprocmask(SIG_SETMASK, &txn->before, NULL);
	free(txn);
}

void rt_auto_txn_free(struct rt_txn **txn)
{
	rt_txn_free(*txn);
}

/* --- write --------------------------------------------------------------------------- */

static int check(struct rt_txn *txn, struct rt_err *err)
{
	int r = check_signals(err);

	return r < 0 ? r : check_alive(txn, err);
}

/* Elements that are not as the plan has them, those included that it leaves alone. */
static uint64_t kept_other(const struct rt_txn *txn, enum rt_knob_id id)
{
	const struct rt_qos *target = &txn->setup.plan->target;
	uint64_t other = rt_knob_differs(&rt_knobs[id], &txn->now.knobs[id],
					 &target->knobs[id]);

	return id == RT_KNOB_ETS_BW ? other & ~rt_qos_shareless(target) : other;
}

static bool raw_kept_other(const struct rt_txn *txn, const char *name)
{
	const struct rt_raw_value *want = rt_qos_raw(&txn->setup.plan->target, name);
	const struct rt_raw_value *have = rt_qos_raw(&txn->now, name);

	return want && want->known &&
	       (!have || !have->known || have->number != want->number);
}

/* A driver that says "done" to what it skipped or rounded is found out here. */
static int read_back(struct rt_txn *txn, const struct rt_step *step, struct rt_err *err)
{
	const struct rt_host_port *port = txn->setup.port;
	const struct rt_plan *plan = txn->setup.plan;
	char text[RT_KNOB_TEXT_BYTES];
	int r = rt_host_read(port, &txn->now, err);

	for (size_t i = 0; r == 0 && i < port->driver->row_count; i++) {
		const struct rt_driver_row *row = &port->driver->rows[i];
		const char *name = row->raw ? row->raw : rt_knobs[row->knob].name;

		if (!rt_step_carries(plan, step, row) ||
		    !(row->raw ? raw_kept_other(txn, name)
			       : kept_other(txn, row->knob) != 0))
			continue;
		r = rt_err_set(err, -EIO,
			       "%s: the driver accepted %.300s and kept another value",
			       name, rt_journal_text(&plan->target, name, text));
	}
	return r;
}

/* Should we die of the write, the supervisor knows which one it was. */
static int announce(struct rt_txn *txn, struct rt_err *err)
{
	const char word = RT_TXN_STEP;

	return send(txn->socket, &word, 1, MSG_NOSIGNAL) == 1
		       ? 0
		       : rt_err_set(err, -EPIPE, "the supervisor, process %ld, died",
				    (long)txn->pid);
}

static int write_step(struct rt_txn *txn, const struct rt_step *step,
		      struct rt_err *err)
{
	int r = check(txn, err);

	if (r == 0)
		r = announce(txn, err);
	if (r == 0)
		r = rt_step_write(txn->setup.port, txn->setup.plan, step, err);
	return r < 0 ? r : read_back(txn, step, err);
}

/* What the driver made of it stands there because of us: undoing may overwrite it. */
static void allow_kept(struct rt_txn *txn, uint32_t step)
{
	if (rt_host_read(txn->setup.port, &txn->now, NULL) == 0 &&
	    rt_journal_allow_kept(&txn->journal, txn->setup.port->driver, &txn->now,
				  step, NULL) == 0)
		rt_state_save(txn->setup.state, &txn->journal, NULL);
}

int rt_txn_write(struct rt_txn *txn, struct rt_err *err)
{
	const struct rt_plan *plan = txn->setup.plan;
	uint32_t step = 0;
	int r = 0;

	while (step < plan->step_count && r == 0)
		r = write_step(txn, &plan->steps[step++], err);
	if (r == 0)
		step = 0;
	/* A later step may have disturbed an earlier one. */
	for (size_t i = 0; i < plan->step_count && r == 0; i++)
		r = read_back(txn, &plan->steps[i], err);
	if (r < 0 && r != -EINTR && r != -EPIPE)
		allow_kept(txn, step);
	return r;
}

int rt_txn_pause(struct rt_txn *txn, unsigned wait_ms, struct rt_err *err)
{
	struct pollfd wait = { .fd = txn->socket };

	poll(&wait, 1, (int)wait_ms);
	return check(txn, err);
}

/* --- the end --------------------------------------------------------------------------- */

int rt_txn_commit(struct rt_txn *txn, struct rt_opt_u64 deadline_ns, bool watch,
		  struct rt_err *err)
{
	int r = check(txn, err);
	char word;

	if (r < 0)
		return r;
	txn->journal.deadline_ns = deadline_ns;
	r = set_status(
		txn, deadline_ns.known ? RT_JOURNAL_UNCONFIRMED : RT_JOURNAL_COMMITTED,
		err);
	if (r < 0) {
		txn->journal.deadline_ns = (struct rt_opt_u64){ 0 };
		return r;
	}
	word = deadline_ns.known && watch ? RT_TXN_WATCH : RT_TXN_DONE;
	send(txn->socket, &word, 1, MSG_NOSIGNAL);
	/* It answers when it has let go of the lock; if it died, that is no matter now. */
	hear(txn, READY_MS, NULL);
	if (deadline_ns.known && watch)
		let_go(txn);
	else
		leave(txn, READY_MS);
	return 0;
}

/* The journal as the supervisor left it. */
static int reload(struct rt_txn *txn, struct rt_err *err)
{
	struct rt_journal journal;
	int r = rt_state_load(txn->setup.state, txn->journal.id, &journal, err);

	if (r < 0)
		return r;
	rt_journal_free(&txn->journal);
	txn->journal = journal;
	return 0;
}

/* Where it died of putting back, its journal says what may stand there since; where
 * that is lost, ours does. */
static int undo_here(struct rt_txn *txn, int wait_ms, struct rt_err *err)
{
	const pid_t pid = txn->pid;

	if (!leave(txn, wait_ms))
		return rt_err_set(
			err, -ETIMEDOUT,
			"the supervisor, process %ld, hangs in the kernel and "
			"cannot be killed",
			(long)pid);
	reload(txn, NULL);
	return rt_undo(txn->setup.port, txn->setup.state, &txn->journal, err);
}

/* Somebody may have removed or cut it; ours knows more than the supervisor's copy. */
static void keep_journal(struct rt_txn *txn)
{
	struct rt_journal journal = { 0 };

	if (rt_state_load(txn->setup.state, txn->journal.id, &journal, NULL) < 0)
		rt_state_save(txn->setup.state, &txn->journal, NULL);
	rt_journal_free(&journal);
}

int rt_txn_undo(struct rt_txn *txn, struct rt_err *err)
{
	const char word = RT_TXN_UNDO;
	int r;

	keep_journal(txn);
	if (send(txn->socket, &word, 1, MSG_NOSIGNAL) < 0)
		return undo_here(txn, READY_MS, err);
	r = hear(txn, UNDO_MS, err);
	if (r == -EPIPE || r == -ETIMEDOUT)
		return undo_here(txn, r == -EPIPE ? READY_MS : 0, err);
	leave(txn, READY_MS);
	/* It saw "committed" where our last write to the journal half failed, or went
	 * by a copy that knows less than ours. */
	if (r != RT_UNDO_UNSAVED && reload(txn, err) < 0)
		return undo_here(txn, 0, err);
	if (r == 0 && txn->journal.status != RT_JOURNAL_ROLLED_BACK)
		return undo_here(txn, 0, err);
	return r;
}
