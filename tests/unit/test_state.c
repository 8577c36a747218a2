/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_state.c - the folder of the journals: what becomes of a change when it, or the
 * supervisor, is taken away, and what is never written there.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "order.h"

/* NULL: the disk has room. */
static const struct port_state *disk_of;

/* In place of the C library's: the one step that makes a journal the next. */
int renameat(int from, const char *name, int to, const char *as)
{
	if (disk_of && disk_of->disk_full) {
		errno = ENOSPC;
		return -1;
	}
	return (int)syscall(SYS_renameat2, from, name, to, as, 0);
}

/* --- what becomes of the journal and of the supervisor ----------------------------------- */

static void lose_folder(void)
{
	assert_int_equal(remove_state(NULL), 0);
}

static void lose_journal(void)
{
	forget_journals();
}

static void cut_journal(void)
{
	char command[160];

	snprintf(command, sizeof(command), "for j in %s/*.journal; do : >$j; done",
		 folder);
	assert_int_equal(system(command), 0);
}

static void (*const losses[])(void) = { lose_folder, lose_journal, cut_journal };

/* The last journal that there is. */
static unsigned last_status(void)
{
	RT_AUTO(rt_auto_state_close) struct rt_state *state = NULL;
	struct rt_journal_files files = { 0 };
	struct rt_err err = { 0 };
	unsigned status = ~0u;

	assert_int_equal(rt_state_open(false, &state, &err), 0);
	assert_int_equal(rt_state_list(state, &files, &err), 0);
	if (files.count && !*files.items[files.count - 1].failed)
		status = files.items[files.count - 1].journal.status;
	rt_journal_files_free(&files);
	return status;
}

/* All is new, and the journal is lost; then somebody ends it. */
static void lose_and_undo(void (*lose)(void), bool supervisor_dies)
{
	struct rt_txn *txn = NULL;
	struct rt_qos old, now;
	struct rt_err err = { 0 };
	struct order order;
	struct port port;

	port_open(&port);
	state_of(&port, &old);
	assert_int_equal(begin_order(&order, &port, &txn, &err), 0);
	assert_int_equal(rt_txn_write(txn, &err), 0);
	lose();
	if (supervisor_dies)
		kill(port.state->supervisor, SIGKILL);
	if (rt_txn_undo(txn, &err) != 0)
		fail_msg("%s", err.msg);
	state_of(&port, &now);
	assert_true(same(&old, &now));
	rt_txn_free(txn);
	end_order(&order);
	assert_int_equal(last_status(), RT_JOURNAL_ROLLED_BACK);
	port_free(&port);
	forget_journals();
}

/* The writer dies after that, and the supervisor has only its own copy. */
static void lose_and_die(void (*lose)(void))
{
	struct rt_qos old, now;
	struct port port;
	pid_t pid;

	port_open(&port);
	state_of(&port, &old);
	pid = fork();
	if (pid == 0) {
		struct rt_txn *txn = NULL;
		struct rt_err err = { 0 };
		struct order order;

		if (begin_order(&order, &port, &txn, &err) < 0 ||
		    rt_txn_write(txn, &err) < 0)
			_exit(1);
		lose();
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	for (unsigned i = 0; i < 1000; i++) {
		const struct timespec pause = { .tv_nsec = 10000000 };

		state_of(&port, &now);
		if (same(&old, &now) && last_status() == RT_JOURNAL_ROLLED_BACK)
			break;
		nanosleep(&pause, NULL);
	}
	assert_true(same(&old, &now));
	assert_int_equal(last_status(), RT_JOURNAL_ROLLED_BACK);
	wait_free();
	port_free(&port);
	forget_journals();
}

static void test_a_journal_that_is_lost_is_in_memory(void **state)
{
	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(losses); i++) {
		lose_and_undo(losses[i], false);
		lose_and_undo(losses[i], true);
		lose_and_die(losses[i]);
	}
}

/* We wake it, and it does what it was to do. */
static void test_a_stopped_supervisor_does_not_hold_us(void **state)
{
	struct rt_txn *txn = NULL;
	struct rt_qos old, now;
	struct rt_err err = { 0 };
	struct order order;
	struct port port;
	pid_t supervisor;

	(void)state;
	port_open(&port);
	state_of(&port, &old);
	assert_int_equal(begin_order(&order, &port, &txn, &err), 0);
	assert_int_equal(rt_txn_write(txn, &err), 0);
	supervisor = port.state->supervisor;
	kill(supervisor, SIGSTOP);
	if (rt_txn_undo(txn, &err) != 0)
		fail_msg("%s", err.msg);
	state_of(&port, &now);
	assert_true(same(&old, &now));
	rt_txn_free(txn);
	assert_int_equal(kill(supervisor, 0), -1);
	end_order(&order);
	wait_free(); /* nothing keeps the next one out */
	port_free(&port);
}

/* What is true of the port is said, whatever the disk holds. */
static void test_a_full_disk_is_told_from_a_port_that_is_stuck(void **state)
{
	struct rt_txn *txn = NULL;
	struct rt_qos old, now;
	struct rt_err err = { 0 };
	struct order order;
	struct port port;

	(void)state;
	port_open(&port);
	state_of(&port, &old);
	disk_of = port.state;
	assert_int_equal(begin_order(&order, &port, &txn, &err), 0);
	assert_int_equal(rt_txn_write(txn, &err), 0);
	port.state->disk_full = true;
	assert_int_equal(rt_txn_commit(txn, (struct rt_opt_u64){ 0 }, false, &err),
			 -ENOSPC);
	assert_int_equal(rt_txn_undo(txn, &err), RT_UNDO_UNSAVED);
	assert_non_null(strstr(err.msg, "all is as it was before"));
	state_of(&port, &now);
	assert_true(same(&old, &now));
	rt_txn_free(txn);
	end_order(&order);
	assert_int_equal(last_status(), RT_JOURNAL_WRITING);
	assert_int_equal(recover(&port, &err), RT_UNDO_UNSAVED);
	port.state->disk_full = false;
	assert_int_equal(recover(&port, &err), 0);
	assert_int_equal(last_status(), RT_JOURNAL_ROLLED_BACK);
	disk_of = NULL;
	port_free(&port);
}

/* --- names, links, the lock ---------------------------------------------------------- */

/* Of the names in the folder a number must come out that none of them has. */
static void test_numbers_go_on_behind_the_last(void **state)
{
	static const struct {
		const char *there[3], *next;
	} cases[] = {
		{ { "999999-a-1.journal" }, "1000000-port_0-1" },
		{ { "999999-a-1.journal", "1000000-a-1.journal" }, "1000001-port_0-1" },
		{ { "000007-a-1.journal.bad" }, "000008-port_0-1" },
		{ { "99999999999999999999999-a-1.journal" }, "000001-port_0-1" },
		{ { "-1-a-1.journal", "+5-a-1.journal", " 9-a-1.journal" },
		  "000001-port_0-1" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		RT_AUTO(rt_auto_state_close) struct rt_state *folder_of = NULL;
		struct rt_journal journal = { .version = RT_JOURNAL_VERSION,
					      .ibdev = "port_0",
					      .port = 1 };
		struct rt_journal_files files = { 0 };
		struct rt_err err = { 0 };
		char path[256];

		for (size_t k = 0; k < 3 && cases[i].there[k]; k++) {
			snprintf(path, sizeof(path), "%s/%s", folder,
				 cases[i].there[k]);
			assert_int_equal(close(creat(path, 0644)), 0);
		}
		assert_int_equal(rt_state_open(true, &folder_of, &err), 0);
		assert_int_equal(rt_state_save(folder_of, &journal, &err), 0);
		assert_string_equal(journal.id, cases[i].next);
		assert_int_equal(rt_state_list(folder_of, &files, &err), 0);
		if (i < 2)
			assert_string_equal(files.items[files.count - 1].id,
					    cases[i].next);
		rt_journal_files_free(&files);
		assert_int_equal(remove_state(NULL), 0);
		assert_int_equal(mkdir(folder, 0700), 0);
	}
}

static void put_precious(const char *path)
{
	const int fd = creat(path, 0644);

	assert_int_equal(write(fd, "precious", 8), 8);
	close(fd);
}

static void assert_precious(const char *path)
{
	char text[16] = "";
	const int fd = open(path, O_RDONLY);

	assert_int_equal(read(fd, text, sizeof(text)), 8);
	assert_string_equal(text, "precious");
	close(fd);
}

static void test_no_link_is_written_through(void **state)
{
	RT_AUTO(rt_auto_state_close) struct rt_state *folder_of = NULL;
	struct rt_journal journal = { .version = RT_JOURNAL_VERSION,
				      .id = "000001-port_0-1",
				      .ibdev = "port_0",
				      .port = 1 };
	char precious[128], lock[128], beside[160];
	struct rt_err err = { 0 };

	(void)state;
	snprintf(precious, sizeof(precious), "%s/precious", folder);
	snprintf(lock, sizeof(lock), "%s/lock", folder);
	snprintf(beside, sizeof(beside), "%s/.%s.journal.new", folder, journal.id);
	put_precious(precious);
	assert_int_equal(rt_state_open(true, &folder_of, &err), 0);
	assert_int_equal(symlink(precious, lock), 0);
	assert_int_equal(rt_state_lock(folder_of, "a test", &err), -ELOOP);
	assert_int_equal(unlink(lock), 0);
	assert_int_equal(link(precious, lock), 0);
	assert_int_equal(rt_state_lock(folder_of, "a test", &err), -ELOOP);
	assert_int_equal(unlink(lock), 0);
	assert_int_equal(mkfifo(lock, 0600), 0);
	assert_int_equal(rt_state_lock(folder_of, "a test", &err), -ELOOP);
	assert_int_equal(symlink(precious, beside), 0);
	assert_int_equal(rt_state_save(folder_of, &journal, &err), 0);
	assert_precious(precious);
}

static void test_a_folder_of_others_is_not_written(void **state)
{
	struct rt_state *folder_of = NULL;
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(chmod(folder, 01777), 0);
	assert_int_equal(rt_state_open(true, &folder_of, &err), -EPERM);
	assert_non_null(strstr(err.msg, "others may write"));
	assert_int_equal(chmod(folder, 0755), 0);
	/* Who only reads follows nobody. */
	if (geteuid() != 0)
		return;
	assert_int_equal(chown(folder, 65534, 65534), 0);
	assert_int_equal(rt_state_open(true, &folder_of, &err), -EPERM);
	assert_non_null(strstr(err.msg, "belongs to user 65534"));
	assert_int_equal(rt_state_open(false, &folder_of, &err), 0);
	rt_state_close(folder_of);
	assert_int_equal(chown(folder, 0, 0), 0);
}

/* The writer is dead, its supervisor stands still and has the lock. */
static void test_the_holder_is_who_holds_it(void **state)
{
	RT_AUTO(rt_auto_state_close) struct rt_state *second = NULL;
	char holder[RT_STATE_HOLDER_BYTES], want[64];
	struct rt_err err = { 0 };
	struct port port;
	pid_t pid, supervisor;
	unsigned waited = 0;

	(void)state;
	port_open(&port);
	pid = fork();
	if (pid == 0) {
		struct rt_txn *txn = NULL;
		struct order order;

		if (begin_order(&order, &port, &txn, &err) < 0)
			_exit(1);
		kill(port.state->supervisor, SIGSTOP);
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	supervisor = port.state->supervisor;
	assert_int_equal(rt_state_open(true, &second, &err), 0);
	snprintf(want, sizeof(want), "kill -CONT %ld", (long)supervisor);
	do {
		const struct timespec pause = { .tv_nsec = 10000000 };

		nanosleep(&pause, NULL);
		rt_state_holder(second, holder);
	} while (!strstr(holder, want) && waited++ < 500);
	assert_non_null(strstr(holder, want));
	assert_non_null(strstr(holder, "which is dead"));
	assert_int_equal(rt_state_lock(second, "rocetune apply", &err), -EBUSY);
	assert_non_null(strstr(err.msg, want));
	kill(supervisor, SIGCONT);
	wait_free();
	port_free(&port);
}

#define T(name) cmocka_unit_test_setup_teardown(name, make_state, remove_state)
RT_UNIT_MAIN(T(test_a_journal_that_is_lost_is_in_memory),
	     T(test_a_stopped_supervisor_does_not_hold_us),
	     T(test_a_full_disk_is_told_from_a_port_that_is_stuck),
	     T(test_numbers_go_on_behind_the_last), T(test_no_link_is_written_through),
	     T(test_a_folder_of_others_is_not_written),
	     T(test_the_holder_is_who_holds_it))
