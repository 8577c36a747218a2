/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_apply_faults.c - the fault loop over drivers: write n of an apply fails, is
 * ignored, is bent, or its writer, its supervisor or both are killed before or after
 * it, for every n of every personality.  The port is wholly old then, or wholly new
 * where the journal says so.
 */
#include "unit.h"

#include <errno.h>
#include <sys/wait.h>

#include "apply_folder.h"
#include "base/own.h"
#include "deadly_host.h"
#include "run/outcome.h"
#include "run/recover.h"

/* --- one run ---------------------------------------------------------------------- */

/* What `rocetune apply` does; true: all is new. */
static bool apply(const struct rt_apply_host *host, struct rt_err *err)
{
	const char *const device = deaths->fake->ports[0].rdma.ibdev;
	const struct rt_apply_wish wish = { .devices = &device,
					    .device_count = 1,
					    .profile = profile,
					    .one_way = true,
					    .confirm_ns = RT_KNOWN_U64(0) };
	struct rt_outcome outcome = { 0 };
	const struct rt_applied *applied;
	bool done;

	if (rt_run_apply(host, &wish, &outcome, err) < 0)
		return false;
	applied = outcome.object;
	done = applied->ports[0].end == RT_APPLY_COMMITTED;
	if (!done)
		rt_err_set(err, -EIO, "%s: %.400s",
			   rt_name_of(rt_apply_end_names, applied->ports[0].end),
			   applied->ports[0].reason);
	rt_outcome_release(&outcome);
	return done;
}

/* In a process of its own, which may be killed. */
static bool apply_apart(const struct rt_apply_host *host)
{
	const pid_t pid = fork();
	int status;

	if (pid == 0) {
		struct rt_err err = { 0 };

		deaths->writer = getpid();
		_exit(apply(host, &err) ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* True when nothing is left; *ret_committed: the last change is. */
static bool recover(const struct rt_apply_host *host, bool *ret_committed)
{
	const struct rt_recover_wish wish = { 0 };
	struct rt_outcome outcome = { 0 };
	const struct rt_change_rows *rows;
	struct rt_err err = { 0 };
	bool clean;

	if (rt_run_recover(host, &wish, &outcome, &err) < 0)
		fail_msg("recover: %s", err.msg);
	clean = !rt_changes_left(outcome.object);
	rows = outcome.object;
	for (size_t i = 0; i < rows->count && !clean; i++)
		print_message("# %s: %s\n", rows->items[i].id, rows->items[i].result);
	rt_outcome_release(&outcome);
	assert_int_equal(rt_run_history(&outcome, &err), 0);
	rows = outcome.object;
	*ret_committed = rows->count &&
			 strcmp(rows->items[rows->count - 1].status, "committed") == 0;
	rt_outcome_release(&outcome);
	return clean;
}

/* --- the loop ------------------------------------------------------------------------- */

struct fault {
	const char *name;
	bool dies;
	enum death death;
	enum rt_fake_fault_kind kind;
};

static const struct fault faults[] = {
	{ .name = "fails", .kind = RT_FAKE_FAIL },
	{ .name = "is ignored", .kind = RT_FAKE_IGNORE },
	{ .name = "is bent", .kind = RT_FAKE_BEND },
	{ .name = "kills its writer before",
	  .dies = true,
	  .death = DEATH_WRITER_BEFORE },
	{ .name = "kills its writer after", .dies = true, .death = DEATH_WRITER_AFTER },
	{ .name = "kills both before", .dies = true, .death = DEATH_BOTH_BEFORE },
	{ .name = "kills both after", .dies = true, .death = DEATH_BOTH_AFTER },
	{ .name = "kills the supervisor before",
	  .dies = true,
	  .death = DEATH_SUPERVISOR_BEFORE },
	{ .name = "kills the supervisor after",
	  .dies = true,
	  .death = DEATH_SUPERVISOR_AFTER },
};

struct personality {
	const char *name, *profile;
	void (*setup)(struct rt_fake_port *port);
};

static void arm(const struct fault *fault, unsigned n)
{
	if (fault->dies) {
		deaths->death = fault->death;
		deaths->at = n;
	} else {
		deaths->fake->faults[0] = (struct rt_fake_fault){ .at = n,
								  .kind = fault->kind,
								  .code = -EIO };
	}
}

static void begin_host(const struct personality *of, struct rt_apply_host *host)
{
	struct rt_fake_port *port;

	fake_host_new(host);
	port = rt_fake_add_port(deaths->fake, of->name);
	assert_non_null(port);
	if (of->setup)
		of->setup(port);
	write_profile(of->profile);
}

static void one_fault(const struct personality *of, const struct fault *fault,
		      unsigned n, const struct rt_qos *new)
{
	struct rt_apply_host host;
	struct rt_qos old, now;
	bool done, clean, committed = false;
	const char *other;

	begin_host(of, &host);
	fake_host_read(&old);
	arm(fault, n);
	done = apply_apart(&host);
	wait_free();
	deaths->death = DEATH_NONE;
	deaths->fake->faults[0] = (struct rt_fake_fault){ 0 };
	clean = recover(&host, &committed);
	fake_host_read(&now);
	other = first_difference(&now, committed ? new : &old);
	if (other || !clean || (done && !committed))
		fail_msg("%s: write %u %s: %s, and %s is not as it was", of->name, n,
			 fault->name, committed ? "committed" : "undone",
			 other ? other : "nothing");
	forget_journals();
	fake_host_free();
}

/* Without a fault: how many writes there are, and what comes of them. */
static unsigned no_fault(const struct personality *of, struct rt_qos *ret_new)
{
	struct rt_apply_host host;
	struct rt_err err = { 0 };
	struct rt_qos old;
	unsigned writes;

	begin_host(of, &host);
	fake_host_read(&old);
	if (!apply(&host, &err))
		fail_msg("%s: %s", of->name, err.msg);
	writes = deaths->writes;
	assert_int_equal(writes, deaths->fake->writes);
	fake_host_read(ret_new);
	assert_non_null(first_difference(&old, ret_new));
	forget_journals();
	fake_host_free();
	return writes;
}

static unsigned all_faults(const struct personality *of)
{
	struct rt_qos new;
	const unsigned writes = no_fault(of, &new);
	unsigned cases = 0;

	for (size_t i = 0; i < RT_ARRAY_SIZE(faults); i++)
		for (unsigned n = 1; n <= writes; n++, cases++)
			one_fault(of, &faults[i], n, &new);
	print_message("# %s: %u writes, %u cases\n", of->name, writes, cases);
	return cases;
}

#define CLASSES                                                                       \
	"classes:\n"                                                                  \
	"  roce: {dscp: [26], prio: 3, tc: 3, lossless: yes, ect: nic, sched: {ets: " \
	"60}}\n"                                                                      \
	"  cnp: {kind: cnp, dscp: [48], prio: 6, tc: 6, sched: {strict: 1}}\n"        \
	"  be: {dscp: [0], prio: 0, tc: 0, sched: {ets: 40}}\n"

/* en_dcbnl.c mlx5e_build_tc_tx_bw(): beside a class without a share stands 100. */
static void mlx5_loaded(struct rt_fake_port *port)
{
	memset(port->dcb.ets.bw, 100, sizeof(port->dcb.ets.bw));
}

static const struct personality personalities[] = {
	{ "mlx5",
	  CLASSES "host:\n  trust: dscp\n  global_pause: no\n  cable: 20m\n"
		  "  pause_storm_timeout: 100ms\n"
		  "  cc: {np: {cnp_dscp: 48, cnp_prio: 6}, rp: {ai: 10Mb/s, hai: "
		  "100Mb/s}}\n",
	  mlx5_loaded },
	{ "bnxt", CLASSES "host:\n  trust: dscp\n  global_pause: no\n", NULL },
	{ "ice",
	  "classes:\n  roce: {dscp: [26], prio: 1, lossless: yes, ect: nic}\n"
	  "  be: {dscp: [0], prio: 0}\nhost:\n  trust: dscp\n  global_pause: no\n",
	  NULL },
	{ "mlx4",
	  "classes:\n  roce: {prio: 3, tc: 3, lossless: yes, ect: nic, sched: {ets: "
	  "60}}\n  be: {prio: 0, tc: 0, sched: {ets: 40}}\nhost:\n  global_pause: no\n",
	  NULL },
	{ "hns3", CLASSES "host:\n  trust: dscp\n  global_pause: no\n", NULL },
};

static void test_one_fault_anywhere(void **state)
{
	unsigned cases = 0;

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(personalities); i++)
		cases += all_faults(&personalities[i]);
	print_message("# %u cases\n", cases);
}

#define T(name) cmocka_unit_test_setup_teardown(name, make_state, remove_state)
RT_UNIT_MAIN(T(test_one_fault_anywhere))
