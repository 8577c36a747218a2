/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_transaction.c - a change is all new or all old, whatever breaks and when.
 *
 * The fault loop: the n-th write goes wrong in each of the ways of enum port_fault,
 * for every n that there is.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "order.h"

/* --- a disk on which processes die -------------------------------------------------- */

static struct port_state *disk_victim; /* NULL: nobody dies */
static unsigned disk_at, disk_events;

static void disk_event(void)
{
	if (!disk_victim || ++disk_events != disk_at)
		return;
	if (disk_victim->supervisor > 0)
		kill(disk_victim->supervisor, SIGKILL);
	kill(getpid(), SIGKILL);
}

/* In place of the C library's: the one step that makes a journal the next. */
int renameat(int from, const char *name, int to, const char *as)
{
	int r;

	disk_event();
	r = (int)syscall(SYS_renameat2, from, name, to, as, 0);
	disk_event();
	return r;
}

static unsigned folders_synced;

/* In place of the C library's: what makes a renaming last is the folder's. */
int fsync(int fd)
{
	struct stat status;

	if (fstat(fd, &status) == 0 && S_ISDIR(status.st_mode))
		folders_synced++;
	return (int)syscall(SYS_fsync, fd);
}

/* True when the last journal says so. */
static bool committed(void)
{
	RT_AUTO(rt_auto_state_close) struct rt_state *state = NULL;
	struct rt_journal_files files = { 0 };
	struct rt_err err = { 0 };
	bool is = false;

	assert_int_equal(rt_state_open(false, &state, &err), 0);
	assert_int_equal(rt_state_list(state, &files, &err), 0);
	for (size_t i = 0; i < files.count; i++)
		is = files.items[i].journal.status == RT_JOURNAL_COMMITTED;
	rt_journal_files_free(&files);
	return is;
}

static unsigned writes_of_all(void)
{
	struct port port;
	unsigned writes;

	port_open(&port);
	assert_int_equal(in_process(&port), 0);
	writes = port.state->writes;
	port_free(&port);
	forget_journals();
	return writes;
}

struct fault_case {
	enum port_fault fault, second;
	unsigned at, second_at; /* writes, from 1 */
	unsigned disk_at;       /* event on the disk at which all die; 0: none */
};

static void run_case(const struct fault_case *it)
{
	struct rt_qos old, new, now, want;
	struct rt_err err = { 0 };
	struct port port;
	int status, r;

	port_open(&port);
	state_of(&port, &old);
	port_want(&want);
	rt_qos_merge(&old, &want, &new);
	port.state->fault[0] = it->fault;
	port.state->fault_at[0] = it->at;
	port.state->fault[1] = it->second;
	port.state->fault_at[1] = it->second_at;
	disk_victim = it->disk_at ? port.state : NULL;
	disk_at = it->disk_at;
	disk_events = 0;
	status = in_process(&port);
	disk_victim = NULL;
	wait_free();
	r = recover(&port, &err);
	state_of(&port, &now);
	if (committed())
		status = 0;
	if (!same(&now, status == 0 ? &new : &old) || (r < 0 && r != -1))
		fail_msg("fault %d at write %u, %d at %u, disk %u: status %d, "
			 "recover %d %s",
			 it->fault, it->at, it->second, it->second_at, it->disk_at,
			 status, r, err.msg);
	port_free(&port);
	forget_journals();
}

static void test_one_fault_anywhere(void **state)
{
	const unsigned writes = writes_of_all();
	unsigned cases = 0;

	(void)state;
	assert_in_range(writes, 8, 100);
	for (unsigned fault = PORT_FAULT_FAIL; fault < PORT_FAULT_COUNT; fault++)
		for (unsigned n = 1; n <= writes; n++, cases++)
			run_case(&(struct fault_case){ .fault = fault, .at = n });
	print_message("# %u cases, %u writes\n", cases, writes);
}

/* While it is put back, something breaks again. */
static void test_a_second_fault_while_undoing(void **state)
{
	const unsigned writes = writes_of_all();
	unsigned cases = 0;

	(void)state;
	for (unsigned fault = PORT_FAULT_FAIL; fault < PORT_FAULT_COUNT; fault++)
		for (unsigned n = 1; n <= writes; n++, cases++)
			run_case(&(struct fault_case){ .fault = PORT_FAULT_FAIL,
						       .at = writes,
						       .second = fault,
						       .second_at = writes + n });
	/* Nobody is left to wake one that is stopped then. */
	for (unsigned fault = PORT_FAULT_FAIL; fault < PORT_FAULT_COUNT; fault++)
		for (unsigned n = 1; n <= writes && fault != PORT_FAULT_STOP_SUPERVISOR;
		     n++, cases++)
			run_case(&(struct fault_case){
				.fault = PORT_FAULT_KILL_WRITER_AFTER,
				.at = writes,
				.second = fault,
				.second_at = writes + n });
	print_message("# %u cases\n", cases);
}

/* Both die at any step of keeping the journal: before and after each renaming. */
static void test_death_while_the_journal_is_written(void **state)
{
	unsigned cases = 0;

	(void)state;
	for (unsigned n = 1; n <= 6; n++, cases++)
		run_case(&(struct fault_case){ .disk_at = n });
	print_message("# %u cases\n", cases);
}

/* --- what must not be undone ------------------------------------------------------------ */

static void test_what_a_hand_changed_is_left_alone(void **state)
{
	RT_AUTO(rt_auto_state_close) struct rt_state *folder_of = NULL;
	struct rt_journal journal;
	struct rt_qos before, after;
	struct rt_err err = { 0 };
	struct port port;

	(void)state;
	leave_pending(&port);
	port.state->dscp[26] = 5; /* neither 0 nor 3 */
	state_of(&port, &before);
	assert_int_equal(rt_state_open(true, &folder_of, &err), 0);
	load_pending(folder_of, &journal);
	assert_int_equal(rt_undo(&port.host, folder_of, &journal, &err), -ESTALE);
	assert_non_null(strstr(err.msg, "dscp_prio holds"));
	assert_int_equal(journal.status, RT_JOURNAL_WRITING);
	state_of(&port, &after);
	assert_true(same(&before, &after));
	/* Back at what was written: now it is ours to undo. */
	port.state->dscp[26] = 3;
	assert_int_equal(rt_undo(&port.host, folder_of, &journal, &err), 0);
	assert_int_equal(journal.status, RT_JOURNAL_ROLLED_BACK);
	rt_journal_free(&journal);
	port_free(&port);
}

static void test_another_boot_or_card_is_told(void **state)
{
	RT_AUTO(rt_auto_state_close) struct rt_state *folder_of = NULL;
	struct rt_journal journal;
	struct rt_err err = { 0 };
	struct port port;

	(void)state;
	leave_pending(&port);
	assert_int_equal(rt_state_open(true, &folder_of, &err), 0);
	load_pending(folder_of, &journal);
	assert_int_equal(rt_journal_is_of(&journal, &port.kern, &port.device, &err), 0);
	port.device.mac[5] ^= 1;
	assert_int_equal(rt_journal_is_of(&journal, &port.kern, &port.device, &err),
			 -ESTALE);
	assert_non_null(strstr(err.msg, "another MAC"));
	port.device.mac[5] ^= 1;
	port.device.pci[6] = '4';
	assert_int_equal(rt_journal_is_of(&journal, &port.kern, &port.device, &err),
			 -ESTALE);
	assert_non_null(strstr(err.msg, "PCI address"));
	snprintf(port.state->boot_id, sizeof(port.state->boot_id), "boot-2");
	assert_int_equal(rt_journal_is_of(&journal, &port.kern, &port.device, &err),
			 -ESTALE);
	assert_non_null(strstr(err.msg, "booted since"));
	rt_journal_free(&journal);
	port_free(&port);
}

/* --- one at once -------------------------------------------------- */

static void test_the_second_is_told_of_the_first(void **state)
{
	RT_AUTO(rt_auto_state_close) struct rt_state *first = NULL, *second = NULL;
	char holder[RT_STATE_HOLDER_BYTES];
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(rt_state_open(true, &first, &err), 0);
	assert_int_equal(rt_state_open(true, &second, &err), 0);
	assert_int_equal(rt_state_lock(first, "rocetune apply mlx5_0", &err), 0);
	assert_int_equal(rt_state_lock(second, "rocetune apply mlx5_1", &err), -EBUSY);
	assert_non_null(strstr(err.msg, "rocetune apply mlx5_0, process"));
	rt_state_unlock(first);
	rt_state_holder(second, holder);
	assert_string_equal(holder, "");
	assert_int_equal(rt_state_lock(second, "rocetune apply mlx5_1", &err), 0);
}

/* --- what can be put back ------------------------------------------------------------- */

/* A wish for such shares would be refused; it is what the port had. */
static void test_shares_that_do_not_add_up_are_put_back(void **state)
{
	struct rt_err err = { 0 };
	struct rt_qos old, now;
	struct port port;

	(void)state;
	port_open(&port);
	port.state->bw[1] = 20;
	state_of(&port, &old);
	port.state->fault[0] = PORT_FAULT_FAIL;
	port.state->fault_at[0] = 8;
	assert_int_equal(change(&port, &err), -EIO);
	state_of(&port, &now);
	assert_true(same(&old, &now));
	port_free(&port);
}

/* One write of the way back fails, times over; returns what rt_undo() says. */
static int undo_with(struct port *port, unsigned fails, struct rt_err *err)
{
	RT_AUTO(rt_auto_state_close) struct rt_state *folder_of = NULL;
	struct rt_journal journal;
	int r;

	leave_pending(port);
	port->state->stubborn = fails;
	assert_int_equal(rt_state_open(true, &folder_of, err), 0);
	load_pending(folder_of, &journal);
	r = rt_undo(&port->host, folder_of, &journal, err);
	rt_journal_free(&journal);
	return r;
}

static void test_a_write_back_is_tried_three_times(void **state)
{
	struct rt_err err = { 0 };
	struct port port;

	(void)state;
	assert_int_equal(undo_with(&port, 2, &err), 0);
	assert_int_equal(port.state->storm, 8);
	port_free(&port);
	forget_journals();
	/* Three are too many, and the others are put back all the same. */
	assert_int_equal(undo_with(&port, 3, &err), -EIO);
	assert_non_null(strstr(err.msg, "storm"));
	assert_int_equal(port.state->storm, 100);
	assert_int_equal(port.state->trust, RT_TRUST_PCP);
	assert_int_equal(port.state->dscp[26], 0);
	assert_int_equal(port.state->bw[0], 60);
	assert_int_equal(port.state->raw, 100);
	assert_int_equal(port.state->pfc, 0);
	port_free(&port);
}

/* A knob that is gone is told, and does not keep the others from being put back. */
static void test_a_knob_that_is_gone_is_told(void **state)
{
	RT_AUTO(rt_auto_state_close) struct rt_state *folder_of = NULL;
	struct rt_driver less = port_driver;
	struct rt_driver_row rows[RT_ARRAY_SIZE(port_rows)];
	struct rt_journal journal;
	struct rt_err err = { 0 };
	struct port port;

	(void)state;
	leave_pending(&port);
	memcpy(rows, port_rows, sizeof(rows));
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++)
		if (!rows[i].raw && rows[i].knob == RT_KNOB_STORM_TIMEOUT)
			rows[i].flags |= RT_ROW_READ_ONLY;
	less.rows = rows;
	port.host.driver = &less;
	assert_int_equal(rt_state_open(true, &folder_of, &err), 0);
	load_pending(folder_of, &journal);
	assert_int_equal(rt_undo(&port.host, folder_of, &journal, &err), -ENOTSUP);
	assert_non_null(strstr(err.msg, "storm"));
	assert_int_equal(journal.status, RT_JOURNAL_WRITING);
	assert_int_equal(port.state->trust, RT_TRUST_PCP);
	assert_int_equal(port.state->raw, 100);
	rt_journal_free(&journal);
	port_free(&port);
}

static bool no_way_back(const struct rt_qos *have)
{
	const struct rt_opt_u64 storm = rt_qos_number(have, RT_KNOB_STORM_TIMEOUT);

	return storm.known && storm.value == 100;
}

/* Once there, it stays so: as a NIC that takes it once since it was loaded. */
static void hold_storm(const struct rt_qos *have, struct rt_qos *target)
{
	if (no_way_back(have))
		rt_knob_set(target, RT_KNOB_STORM_TIMEOUT, 0, 100);
}

static void test_without_a_way_back_nothing_is_begun(void **state)
{
	struct rt_driver once = port_driver;
	struct rt_err err = { 0 };
	struct port port;

	(void)state;
	port_open(&port);
	once.follow = hold_storm;
	port.host.driver = &once;
	assert_int_equal(change(&port, &err), -ENOTSUP);
	assert_non_null(strstr(err.msg, "storm"));
	assert_int_equal(port.state->writes, 0);
	port_free(&port);
}

/* --- hostile files ------------------------------------------------------------------------ */

static void test_a_journal_cut_anywhere_is_an_error(void **state)
{
	RT_AUTO(rt_auto_state_close) struct rt_state *folder_of = NULL;
	RT_AUTO(rt_auto_free) char *text = malloc(1 << 20);
	struct rt_journal journal;
	struct rt_err err = { 0 };
	char path[256];
	struct port port;
	ssize_t bytes;
	int fd;

	(void)state;
	leave_pending(&port);
	port_free(&port);
	assert_int_equal(rt_state_open(true, &folder_of, &err), 0);
	load_pending(folder_of, &journal);
	snprintf(path, sizeof(path), "%s/%s.journal", folder, journal.id);
	rt_journal_free(&journal);
	fd = open(path, O_RDONLY);
	bytes = read(fd, text, 1 << 20);
	close(fd);
	assert_true(bytes > 1000);
	for (ssize_t n = 0; n < bytes - 1; n++) {
		/* Only blanks may be missing from a whole one. */
		if (text[n] == '\n' && n + 2 >= bytes)
			continue;
		*err.msg = '\0';
		if (rt_journal_parse("cut", text, (size_t)n, &journal, &err) == 0)
			fail_msg("%zd of %zd bytes are a journal", n, bytes);
		assert_non_null(strstr(err.msg, "cut"));
	}
	assert_int_equal(rt_journal_parse("whole", text, (size_t)bytes, &journal, &err),
			 0);
	assert_int_equal(journal.write_count, 7);
	assert_string_equal(rt_journal_find(&journal, "trust")->inverse,
			    "set trust pcp");
	rt_journal_free(&journal);
}

static void test_a_copy_under_another_name_is_no_journal(void **state)
{
	RT_AUTO(rt_auto_state_close) struct rt_state *folder_of = NULL;
	RT_AUTO(rt_auto_free) char *text = malloc(1 << 20);
	struct rt_journal_files files = { 0 };
	char path[160], copy[160];
	struct rt_err err = { 0 };
	struct port port;

	(void)state;
	leave_pending(&port);
	port_free(&port);
	path_in_folder("000001-port_0-1.journal", path);
	path_in_folder("000002-port_0-1.journal", copy);
	put_text(copy, text, get_text(path, text, 1 << 20));
	assert_int_equal(rt_state_open(true, &folder_of, &err), 0);
	assert_int_equal(rt_state_list(folder_of, &files, &err), 0);
	assert_int_equal(files.count, 2);
	assert_string_equal(files.items[0].failed, "");
	assert_non_null(strstr(files.items[1].failed, "says to be journal"));
	rt_journal_files_free(&files);
}

static void test_a_journal_is_synced_with_its_folder(void **state)
{
	RT_AUTO(rt_auto_state_close) struct rt_state *folder_of = NULL;
	struct rt_journal journal = { .version = RT_JOURNAL_VERSION,
				      .ibdev = "port_0",
				      .port = 1 };
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(rt_state_open(true, &folder_of, &err), 0);
	folders_synced = 0;
	assert_int_equal(rt_state_save(folder_of, &journal, &err), 0);
	assert_int_equal(folders_synced, 1);
}

static void test_history_is_bounded(void **state)
{
	RT_AUTO(rt_auto_state_close) struct rt_state *folder_of = NULL;
	struct rt_journal_files files = { 0 };
	struct rt_journal journal = { .version = RT_JOURNAL_VERSION,
				      .status = RT_JOURNAL_WRITING,
				      .ibdev = "port_0",
				      .port = 1 };
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(rt_state_open(true, &folder_of, &err), 0);
	assert_int_equal(rt_state_save(folder_of, &journal, &err), 0);
	for (unsigned i = 0; i < RT_STATE_HISTORY + 5; i++) {
		journal.status = RT_JOURNAL_COMMITTED;
		*journal.id = '\0';
		assert_int_equal(rt_state_save(folder_of, &journal, &err), 0);
	}
	rt_state_prune(folder_of);
	assert_int_equal(rt_state_list(folder_of, &files, &err), 0);
	assert_int_equal(files.count, RT_STATE_HISTORY + 1);
	/* The pending one stays, however old. */
	assert_string_equal(files.items[0].id, "000001-port_0-1");
	assert_string_equal(files.items[1].id, "000007-port_0-1");
	rt_journal_files_free(&files);
}

#define T(name) cmocka_unit_test_setup_teardown(name, make_state, remove_state)
RT_UNIT_MAIN(T(test_one_fault_anywhere), T(test_a_second_fault_while_undoing),
	     T(test_death_while_the_journal_is_written),
	     T(test_what_a_hand_changed_is_left_alone),
	     T(test_another_boot_or_card_is_told),
	     T(test_the_second_is_told_of_the_first),
	     T(test_shares_that_do_not_add_up_are_put_back),
	     T(test_a_write_back_is_tried_three_times),
	     T(test_a_knob_that_is_gone_is_told),
	     T(test_without_a_way_back_nothing_is_begun),
	     T(test_a_journal_cut_anywhere_is_an_error),
	     T(test_a_copy_under_another_name_is_no_journal),
	     T(test_a_journal_is_synced_with_its_folder), T(test_history_is_bounded))
