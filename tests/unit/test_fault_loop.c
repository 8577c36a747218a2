/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_fault_loop.c - a change on each driver fails at its last write, and while it is
 * put back every write goes wrong in every way: what is there in the end is what was.
 *
 * test_apply_faults.c has the faults of the way there; test_transaction.c both, with a
 * driver made for it.  Here rows, plans and undoing are those of real drivers.
 */
#include "plans.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "base/own.h"
#include "host/journal.h"
#include "host/state.h"
#include "host/transaction.h"
#include "host/undo.h"

static char folder[64];

static int make_folder(void **state)
{
	(void)state;
	/* In memory where that is: journals are synced before each change. */
	snprintf(folder, sizeof(folder), "%s/rt-faults-XXXXXX",
		 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	assert_non_null(mkdtemp(folder));
	setenv("ROCETUNE_STATE", folder, 1);
	return 0;
}

static int remove_folder(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

/* --- one change, in a process of its own ------------------------------------------------ */

struct trip {
	const char *personality;
	const char *wants[16];
};

/* One fault, perhaps one more when it is put back; both: the other process dies too. */
struct fault_case {
	enum rt_fake_fault_kind kind;
	bool both;
	unsigned at, second_at;        /* writes; 0: none */
	enum rt_fake_fault_kind first; /* where there is a second, at at */
};

static int open_again(void *context, struct rt_kern **ret_kern, struct rt_err *err)
{
	(void)err;
	*ret_kern = context;
	return 0;
}

/* Who puts back is the supervisor: the other one is the writer. */
static void plan_faults(struct rt_fake *fake, const struct fault_case *fault)
{
	fake->faults[0] = (struct rt_fake_fault){
		.at = fault->at,
		.kind = fault->first,
		.code = -EIO,
	};
	fake->faults[1] = (struct rt_fake_fault){
		.at = fault->second_at,
		.kind = fault->kind,
		.code = -EIO,
		.too = fault->both ? getpid() : 0,
	};
}

/* As apply does it. */
static int change(struct fake_host *host, const struct rt_qos *want,
		  const struct fault_case *fault, struct rt_err *err)
{
	static struct rt_plan plan;
	static struct rt_qos have;
	struct rt_txn_setup setup = { .port = &host->port,
				      .plan = &plan,
				      .profile = "a profile",
				      .kern_open = open_again,
				      .context = host->port.kern };
	struct rt_txn *txn = NULL;
	int r = rt_state_open(true, &setup.state, err);

	if (r == 0)
		r = rt_state_lock(setup.state, "a test", err);
	if (r == 0)
		r = rt_host_read(&host->port, &have, err);
	if (r == 0)
		r = rt_plan_make(&host->port, &have, want, NULL, &plan, err);
	if (r == 0)
		r = rt_txn_begin(&setup, &txn, err);
	if (r < 0)
		return r;
	plan_faults(host->fake, fault);
	r = rt_txn_write(txn, err);
	if (r == 0)
		r = rt_txn_commit(txn, (struct rt_opt_u64){ 0 }, false, err);
	if (r < 0)
		rt_txn_undo(txn, NULL);
	rt_txn_free(txn);
	rt_state_close(setup.state);
	return r;
}

/* Nobody holds the lock any more: the supervisor has done what it had to do. */
static void wait_free(void)
{
	RT_AUTO(rt_auto_state_close) struct rt_state *state = NULL;
	const struct timespec pause = { .tv_nsec = 1000000 };
	unsigned waited_ms = 0;

	assert_int_equal(rt_state_open(true, &state, NULL), 0);
	while (rt_state_lock(state, "the test", NULL) == -EBUSY) {
		assert_true(waited_ms++ < 10000);
		nanosleep(&pause, NULL);
	}
}

/* What recover does with what is pending; 0: nothing was, or it is undone. */
static int recover(const struct fake_host *host, bool *ret_committed,
		   struct rt_err *err)
{
	RT_AUTO(rt_auto_state_close) struct rt_state *state = NULL;
	struct rt_journal_files files = { 0 };
	int r = 0;

	assert_int_equal(rt_state_open(true, &state, err), 0);
	assert_int_equal(rt_state_lock(state, "a recovery", err), 0);
	assert_int_equal(rt_state_list(state, &files, err), 0);
	*ret_committed = false;
	for (size_t i = 0; i < files.count; i++) {
		struct rt_journal *journal = &files.items[i].journal;

		assert_string_equal(files.items[i].failed, "");
		*ret_committed |= journal->status == RT_JOURNAL_COMMITTED;
		if (rt_journal_pending(journal->status))
			r = rt_undo(&host->port, state, journal, err);
	}
	rt_journal_files_free(&files);
	return r;
}

static void forget_journals(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -f %s/*.journal", folder);
	assert_int_equal(system(command), 0);
}

/* --- the loop --------------------------------------------------------------------------- */

/* The first knob in which a and b differ, or NULL. */
static const char *difference(const struct rt_qos *a, const struct rt_qos *b)
{
	for (unsigned id = 0; id < RT_KNOB_COUNT; id++)
		if (rt_knob_differs(&rt_knobs[id], &a->knobs[id], &b->knobs[id]) ||
		    rt_knob_differs(&rt_knobs[id], &b->knobs[id], &a->knobs[id]))
			return rt_knobs[id].name;
	for (size_t i = 0; i < a->raw_count; i++) {
		const struct rt_raw_value *value = rt_qos_raw(b, a->raw[i].name);

		if (value && (value->known != a->raw[i].known ||
			      value->number != a->raw[i].number))
			return a->raw[i].name;
	}
	return NULL;
}

/* Runs the trip with one fault; new_state is what it leads to. */
static void run_case(const struct trip *trip, const struct fault_case *fault,
		     const struct rt_qos *new_state)
{
	static struct rt_qos want, old, now;
	struct fake_host host;
	struct rt_err err = { 0 };
	const char *differs;
	bool committed;
	int status, r;
	pid_t pid;

	fake_host_open(trip->personality, &host);
	assert_non_null(rt_fake_add_file(host.fake, "/proc/sys/kernel/random/boot_id",
					 RT_FAKE_TEXT, "boot-1\n"));
	want_texts(trip->wants, &want);
	fake_host_read(&host, &old);
	pid = fork();
	if (pid == 0)
		_exit(change(&host, &want, fault, &err) == 0 ? 0 : 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	wait_free();
	r = recover(&host, &committed, &err);
	fake_host_read(&host, &now);
	differs = difference(&now, committed ? new_state : &old);
	if (r < 0 || differs)
		fail_msg("%s, fault %d%s at writes %u, %u: status %x, recover %d %s: "
			 "%s is neither old nor new",
			 trip->personality, fault->kind, fault->both ? " of both" : "",
			 fault->at, fault->second_at, status, r, err.msg,
			 differs ? differs : "-");
	fake_host_close(&host);
	forget_journals();
}

/* Without a fault: what it leads to, and in how many writes. */
static unsigned run_free(const struct trip *trip, struct rt_qos *ret_new)
{
	static const struct fault_case none;
	static struct rt_qos want;
	struct fake_host host;
	unsigned writes;
	int status;
	pid_t pid;

	fake_host_open(trip->personality, &host);
	assert_non_null(rt_fake_add_file(host.fake, "/proc/sys/kernel/random/boot_id",
					 RT_FAKE_TEXT, "boot-1\n"));
	want_texts(trip->wants, &want);
	pid = fork();
	if (pid == 0) {
		struct rt_err err = { 0 };
		const int r = change(&host, &want, &none, &err);

		if (r < 0)
			print_message("# %s\n", err.msg);
		_exit(r == 0 ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	wait_free();
	fake_host_read(&host, ret_new);
	writes = host.fake->writes;
	fake_host_close(&host);
	forget_journals();
	return writes;
}

static const struct {
	enum rt_fake_fault_kind kind;
	bool both;
} kinds[] = {
	{ RT_FAKE_FAIL, false },       { RT_FAKE_IGNORE, false },
	{ RT_FAKE_BEND, false },       { RT_FAKE_KILL_BEFORE, false },
	{ RT_FAKE_KILL_AFTER, false }, { RT_FAKE_KILL_BEFORE, true },
	{ RT_FAKE_KILL_AFTER, true },
};

/* The last write fails, or kills its writer; then each write of undoing. */
static void loop(const struct trip *trip)
{
	static struct rt_qos new_state;
	const unsigned writes = run_free(trip, &new_state);
	unsigned cases = 0;

	assert_in_range(writes, 3, 200);
	for (size_t k = 0; k < RT_ARRAY_SIZE(kinds); k++)
		for (unsigned n = 1; n <= writes; n++, cases++) {
			const struct fault_case fault = {
				.kind = kinds[k].kind,
				.both = kinds[k].both,
				.first = n % 2 ? RT_FAKE_FAIL : RT_FAKE_KILL_AFTER,
				.at = writes,
				.second_at = writes + n,
			};

			run_case(trip, &fault, &new_state);
		}
	print_message("# %s: %u cases, %u writes\n", trip->personality, cases, writes);
}

static void test_faults_mlx5(void **state)
{
	static const struct trip trip = {
		"mlx5",
		{ "dscp_prio=26:3 48:6", "pfc.mask=3", "pfc.cable=10m",
		  "ets.prio_tc=0:0 3:3 6:6", "ets.tsa=0:ets 3:ets 6:strict",
		  "ets.bw=0:50 1-2:0 3:50 4-7:0", "max_rate=6:20Gb/s",
		  "pause_storm_timeout=100ms", "cc.rp.ai=40Mb/s", "cc.rp.g=1/256",
		  "cc.np.cnp_prio=5" },
	};

	(void)state;
	loop(&trip);
}

static void test_faults_bnxt(void **state)
{
	static const struct trip trip = {
		"bnxt",
		{ "dscp_prio=26:3 48:7", "pfc.mask=3",
		  "ets.prio_tc=0-2:0 3:1 4-6:0 7:2", "ets.tsa=0-1:ets 2:strict",
		  "ets.bw=0-1:50 2-7:0", "pause.rx=off", "cc.np.cnp_dscp=46",
		  "tos.data_dscp=26" },
	};

	(void)state;
	loop(&trip);
}

static void test_faults_ice(void **state)
{
	static const struct trip trip = {
		"ice",
		{ "dscp_prio=26:3 48:2", "pfc.mask=3", "ets.bw=0:50 1-2:0 3:50 4-7:0" },
	};

	(void)state;
	loop(&trip);
}

static void test_faults_mlx4(void **state)
{
	static const struct trip trip = {
		"mlx4",
		{ "pfc.mask=3", "pause.rx=off", "pause.tx=off", "max_rate=6:20Gb/s" },
	};

	(void)state;
	loop(&trip);
}

static void test_faults_hns3(void **state)
{
	static const struct trip trip = {
		"hns3",
		{ "dscp_prio=26:3 48:2", "pfc.mask=3", "pause.rx=off", "pause.tx=off" },
	};

	(void)state;
	loop(&trip);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_faults_mlx5), cmocka_unit_test(test_faults_bnxt),
		cmocka_unit_test(test_faults_ice),  cmocka_unit_test(test_faults_mlx4),
		cmocka_unit_test(test_faults_hns3),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
