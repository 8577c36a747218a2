/* SPDX-License-Identifier: BSD-2-Clause */
/* supervise.c - the supervisor: waits, and undoes what was not committed. */
#include "host/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
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

/* Undo a journal that is still at one of the two; 0 when there is nothing to undo. */
static int undo_if(struct rt_state *state, const struct rt_host_port *port,
		   struct rt_journal *known, bool unconfirmed_too, struct rt_err *err)
{
	if (known->status == RT_JOURNAL_PLANNED ||
	    known->status == RT_JOURNAL_WRITING ||
	    (unconfirmed_too && known->status == RT_JOURNAL_UNCONFIRMED))
		return rt_undo(port, state, known, err);
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

/* Until the deadline, or until somebody confirmed or undid it; 0: it passed.  Of a
 * journal that was lost before its deadline was seen, it is now. */
static int wait_deadline(struct rt_state *state, struct rt_journal *known)
{
	const struct timespec second = { .tv_sec = 1 };

	for (;;) {
		look(state, known);
		if (known->status != RT_JOURNAL_UNCONFIRMED)
			return -ECANCELED;
		if (!known->deadline_ns.known ||
		    rt_boottime_ns() >= known->deadline_ns.value)
			return 0;
		clock_nanosleep(CLOCK_BOOTTIME, 0, &second, NULL);
	}
}

/* Be the clock of --confirm; a journal that is not unconfirmed needs none. */
static void watch(const struct rt_txn_setup *setup, const struct rt_host_port *port,
		  struct rt_journal *known)
{
	struct rt_state *state = setup->state;

	if (wait_deadline(state, known) < 0)
		return;
	/* Whoever holds the lock now may be confirming; it is seen when we have it. */
	while (rt_state_lock(state, "the deadline of a change", NULL) == -EBUSY)
		usleep(100000);
	look(state, known);
	undo_if(state, port, known, true, NULL);
}

static void answer(int socket, int code, const struct rt_err *err)
{
	struct rt_supervisor_says says = { .code = code };

	if (code != 0)
		memcpy(says.msg, err->msg, sizeof(says.msg));
	send(socket, &says, sizeof(says), MSG_NOSIGNAL);
}

static void supervise(const struct rt_txn_setup *setup, struct rt_journal *known,
		      int socket)
{
	struct rt_host_port port = *setup->port;
	struct rt_err err = { 0 };
	char word = 0;
	int r;

	stand_alone(setup->state, socket);
	rt_state_lock_too(setup->state);
	r = setup->kern_open(setup->context, &port.kern, &err);
	answer(socket, r, &err);
	if (r < 0)
		return;
	do
		r = (int)recv(socket, &word, 1, 0);
	while (r < 0 && errno == EINTR);
	/* No word: the writer is dead, and the journal says how far it came. */
	if (look(setup->state, known) < 0)
		go_by_word(known, word);
	r = undo_if(setup->state, &port, known, false, &err);
	/* Who is answered may call another command at once, and must not find us busy. */
	rt_state_unlock(setup->state);
	answer(socket, r, &err);
	close(socket);
	if (r == 0 && word != RT_TXN_DONE)
		watch(setup, &port, known);
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
