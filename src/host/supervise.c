/* SPDX-License-Identifier: BSD-2-Clause */
/* supervise.c - the supervisor: waits, and undoes what was not committed. */
#include "host/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/own.h"
#include "host/state.h"
#include "host/transaction.h"
#include "host/undo.h"
#include "rocetune/err.h"

/* Nothing else that was open stays so: whoever reads from a pipe of the writer's must
 * not wait for us. */
static void close_others(const int *keep, size_t count)
{
	unsigned from = STDERR_FILENO + 1;

	for (;;) {
		unsigned next = ~0u;

		for (size_t i = 0; i < count; i++)
			if (keep[i] >= 0 && (unsigned)keep[i] >= from &&
			    (unsigned)keep[i] < next)
				next = (unsigned)keep[i];
		if (next > from)
			close_range(from, next == ~0u ? next : next - 1, 0);
		if (next == ~0u)
			return;
		from = next + 1;
	}
}

/* No terminal, and no signal that can be ignored. */
static void stand_alone(const struct rt_state *state, int socket)
{
	const int null = open("/dev/null", O_RDWR);
	int keep[3] = { socket };

	setsid();
	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO && null >= 0; fd++)
		dup2(null, fd);
	rt_state_fds(state, keep + 1);
	close_others(keep, RT_ARRAY_SIZE(keep));
}

/* What the disk says of the journal; where it says nothing, known is as it was. */
static int look(struct rt_state *state, struct rt_journal *known)
{
	struct rt_journal journal = { 0 };
	int r = rt_state_load(state, known->id, &journal, NULL);

	if (r < 0)
		return r;
	rt_journal_free(known);
	*known = journal;
	return 0;
}

/* Somebody removed or cut the journal: how far it came is what the writer said last,
 * and without a word anything may be written. */
static void go_by_word(struct rt_journal *known, char word)
{
	known->status = word == RT_TXN_DONE    ? RT_JOURNAL_COMMITTED
			: word == RT_TXN_WATCH ? RT_JOURNAL_UNCONFIRMED
					       : RT_JOURNAL_WRITING;
}

/*
 * The writer died while this step (from 1; 0: none) was written: what the driver made
 * of it, rounded or half, stands there because of us.  Only who saw it die may say so.
 */
static int allow_half(const struct rt_host_port *port, struct rt_journal *journal,
		      uint32_t step, struct rt_err *err)
{
	RT_AUTO(rt_auto_free) struct rt_qos *now = NULL;
	int r;

	if (!step || journal->status != RT_JOURNAL_WRITING)
		return 0;
	now = malloc(sizeof(*now));
	if (!now)
		return rt_err_sys(err, -ENOMEM, "cannot undo");
	r = rt_host_read(port, now, err);
	return r < 0 ? r : rt_journal_allow_kept(journal, port->driver, now, step, err);
}

/* Undo a journal that is not finished; 0 when there is nothing to undo. */
static int undo_unfinished(struct rt_state *state, const struct rt_host_port *port,
			   struct rt_journal *known, uint32_t step, struct rt_err *err)
{
	int r = 0;

	if (known->status == RT_JOURNAL_PLANNED ||
	    known->status == RT_JOURNAL_WRITING) {
		r = allow_half(port, known, step, err);
		if (r == 0)
			r = rt_undo(port, state, known, err);
	}
	return r;
}

/* --- the clock ---------------------------------------------------------------------- */

/* For what passes (no memory, no file descriptor left) an hour, once a second. */
#define TRIES_MOST 3600

static void wait_second(void)
{
	const struct timespec second = { .tv_sec = 1 };

	clock_nanosleep(CLOCK_BOOTTIME, 0, &second, NULL);
}

/* A journal that is gone was taken away by hand. */
static int load_surely(struct rt_state *state, const char *id,
		       struct rt_journal *ret_journal)
{
	int r = rt_state_load(state, id, ret_journal, NULL);

	for (unsigned i = 0; i < TRIES_MOST && r < 0 && r != -ENOENT; i++) {
		wait_second();
		r = rt_state_load(state, id, ret_journal, NULL);
	}
	return r;
}

/* Whoever has it is waited for. */
static int lock_surely(struct rt_state *state)
{
	int r = rt_state_lock(state, "the deadline of a change", NULL);

	for (unsigned i = 0; i < TRIES_MOST && r < 0; i += r != -EBUSY) {
		if (r == -EBUSY)
			usleep(100000);
		else
			wait_second();
		r = rt_state_lock(state, "the deadline of a change", NULL);
	}
	return r;
}

/* Until the deadline, or until somebody confirmed or undid it; 0: it passed. */
static int wait_deadline(struct rt_state *state, const char *id)
{
	for (;;) {
		struct rt_journal journal = { 0 };
		struct rt_opt_u64 deadline;
		int r = load_surely(state, id, &journal);

		if (r < 0)
			return r;
		deadline = journal.deadline_ns;
		r = journal.status == RT_JOURNAL_UNCONFIRMED ? 0 : -ECANCELED;
		rt_journal_free(&journal);
		if (r < 0 || !deadline.known || rt_boottime_ns() >= deadline.value)
			return r;
		wait_second();
	}
}

/* Be the clock of --confirm; a journal that is not unconfirmed needs none. */
static void watch(const struct rt_txn_setup *setup, const struct rt_host_port *port,
		  const char *id)
{
	struct rt_state *state = setup->state;
	struct rt_journal journal = { 0 };

	/* Whoever holds the lock may be confirming; it is seen when we have it. */
	if (wait_deadline(state, id) < 0 || lock_surely(state) < 0 ||
	    load_surely(state, id, &journal) < 0)
		return;
	if (rt_journal_pending(journal.status))
		rt_undo(port, state, &journal, NULL);
	rt_journal_free(&journal);
}

/* --- its life -------------------------------------------------------------------------- */

static void answer(int socket, int code, const struct rt_err *err)
{
	struct rt_supervisor_says says = { .code = code };

	if (code != 0)
		memcpy(says.msg, err->msg, sizeof(says.msg));
	send(socket, &says, sizeof(says), MSG_NOSIGNAL);
}

/* The writer's last word, 0: it died; and how many steps it has begun. */
static char listen_to(int socket, uint32_t *ret_steps)
{
	uint32_t steps = 0;
	char word = 0;
	ssize_t n;

	do {
		n = recv(socket, &word, 1, 0);
		if (n == 1 && word == RT_TXN_STEP)
			steps++;
	} while ((n < 0 && errno == EINTR) || (n == 1 && word == RT_TXN_STEP));
	*ret_steps = steps;
	return n == 1 ? word : '\0';
}

static void supervise(const struct rt_txn_setup *setup, struct rt_journal *known,
		      int socket)
{
	struct rt_host_port port = *setup->port;
	struct rt_err err = { 0 };
	uint32_t steps;
	char word;
	int r;

	stand_alone(setup->state, socket);
	rt_state_lock_too(setup->state);
	r = setup->kern_open(setup->context, &port.kern, &err);
	answer(socket, r, &err);
	if (r < 0)
		return;
	word = listen_to(socket, &steps);
	/* No word: the writer is dead, and the journal says how far it came. */
	if (look(setup->state, known) < 0)
		go_by_word(known, word);
	r = undo_unfinished(setup->state, &port, known, word ? 0 : steps, &err);
	/* Who is answered may call another command at once, and must not find us busy. */
	rt_state_unlock(setup->state);
	answer(socket, r, &err);
	close(socket);
	if (r == 0 && word != RT_TXN_DONE)
		watch(setup, &port, known->id);
}

int rt_supervisor_start(const struct rt_txn_setup *setup, struct rt_journal *journal,
			pid_t *ret_pid, int *ret_socket, struct rt_err *err)
{
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return rt_err_sys(err, -errno, "cannot start the supervisor");
	pid = fork();
	if (pid < 0) {
		const int r = -errno;

		close(pair[0]);
		close(pair[1]);
		return rt_err_sys(err, r, "cannot start the supervisor");
	}
	if (pid == 0) {
		supervise(setup, journal, pair[1]);
		_exit(0);
	}
	close(pair[1]);
	*ret_pid = pid;
	*ret_socket = pair[0];
	return 0;
}
