/* SPDX-License-Identifier: BSD-2-Clause */
/* test_finish.c - how a change ends: confirmed, overdue, recovered, given up. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>

#include "apply_run.h"
#include "base/bundle.h"
#include "base/own.h"
#include "run/settle.h"

/* --- the clock of --confirm --------------------------------------------------------- */

static const char *last_status(void)
{
	static char status[16];
	struct rt_outcome outcome = { 0 };
	const struct rt_change_rows *rows;

	assert_int_equal(rt_run_history(&outcome, NULL), 0);
	rows = outcome.object;
	assert_true(rows->count > 0);
	snprintf(status, sizeof(status), "%s", rows->items[rows->count - 1].status);
	rt_outcome_release(&outcome);
	return status;
}

/* A real timer of systemd's is not for a test; without it a process keeps the clock. */
static void need_no_systemd(void)
{
	if (access("/run/systemd/system", F_OK) == 0) {
		print_message("# skipped: systemd runs here\n");
		skip();
	}
}

static void test_a_change_waits_for_its_confirmation(void **state)
{
	const struct rt_apply_wish wish = { .confirm_ns = RT_KNOWN_U64(600000000000) };
	const struct rt_applied *applied;
	struct rt_outcome outcome;
	char pending[RT_PENDING_BYTES];
	struct rt_err err = { 0 };

	(void)state;
	need_no_systemd();
	begin("mlx5", PLAIN);
	assert_false(rt_recovery_pending(pending));
	applied = run(wish, &outcome);
	assert_int_equal(applied->ports[0].end, RT_APPLY_UNCONFIRMED);
	assert_non_null(strstr(applied->ports[0].confirm, "a process of rocetune"));
	rt_outcome_release(&outcome);
	assert_string_equal(last_status(), "unconfirmed");
	assert_true(rt_recovery_pending(pending));
	assert_non_null(strstr(pending, "rocetune confirm"));
	/* Its time is not over: recover leaves it alone. */
	assert_int_equal(
		rt_run_recover(&host, &(struct rt_recover_wish){ 0 }, &outcome, &err),
		0);
	assert_false(rt_changes_left(outcome.object));
	rt_outcome_release(&outcome);
	assert_int_equal(deaths->fake->ports[0].dcb.pfc.mask, 0x08);
	assert_int_equal(rt_run_confirm(&host, "eth9", &outcome, &err), -ENOENT);
	assert_int_equal(rt_run_confirm(&host, "eth0", &outcome, &err), 0);
	rt_outcome_release(&outcome);
	assert_string_equal(last_status(), "committed");
	assert_false(rt_recovery_pending(pending));
	assert_int_equal(deaths->fake->ports[0].dcb.pfc.mask, 0x08);
	fake_host_free();
}

static void test_rollback_does_not_wait(void **state)
{
	const char *const device = "mlx5_0";
	const struct rt_apply_wish back = { .devices = &device, .device_count = 1 };
	struct rt_outcome outcome;

	(void)state;
	need_no_systemd();
	begin("mlx5", PLAIN);
	run((struct rt_apply_wish){ .confirm_ns = RT_KNOWN_U64(600000000000) },
	    &outcome);
	rt_outcome_release(&outcome);
	rollback(&back, &outcome, 0);
	assert_ptr_equal(outcome.table, &rt_recovered_table);
	rt_outcome_release(&outcome);
	assert_string_equal(last_status(), "rolled-back");
	assert_int_equal(deaths->fake->ports[0].dcb.pfc.mask, 0);
	fake_host_free();
}

static void boot(const char *id)
{
	snprintf(rt_fake_file_of(deaths->fake, "/proc/sys/kernel/random/boot_id")->text,
		 RT_FAKE_TEXT_BYTES, "%s\n", id);
}

/* Another value for what the journal says of key. */
static void tamper(const char *key, const char *value)
{
	RT_AUTO(rt_auto_free) char *text = calloc(1, 1 << 20);
	RT_AUTO(rt_auto_free) char *other = calloc(1, 1 << 20);
	char path[160];
	char *at;

	path_in_folder("000001-mlx5_0-1.journal", path);
	get_text(path, text, (1 << 20) - 1);
	at = strstr(text, key);
	assert_non_null(at);
	at += strlen(key);
	snprintf(other, 1 << 20, "%.*s: %s%s", (int)(at - text), text, value,
		 at + strcspn(at, ",}\n"));
	put_text(path, other, strlen(other));
}

static void confirm_says(int want, const char *words)
{
	struct rt_outcome outcome = { 0 };
	struct rt_err err = { 0 };
	int r = rt_run_confirm(&host, NULL, &outcome, &err);

	if (r != want || (words && !strstr(err.msg, words)))
		fail_msg("%d: %s", r, err.msg);
	if (r == 0)
		rt_outcome_release(&outcome);
	else
		assert_string_equal(last_status(), "unconfirmed");
}

/* Who confirms wants to keep what was written, in time, and nothing else. */
static void test_only_what_is_there_is_confirmed(void **state)
{
	struct rt_fake_port *port;
	struct rt_outcome outcome;

	(void)state;
	need_no_systemd();
	begin("mlx5", PLAIN);
	run((struct rt_apply_wish){ .confirm_ns = RT_KNOWN_U64(600000000000) },
	    &outcome);
	rt_outcome_release(&outcome);
	port = &deaths->fake->ports[0];
	boot("boot-2");
	confirm_says(-ESTALE, "was booted since");
	boot("boot-1");
	port->dcb.pfc.mask = 0x10;
	confirm_says(-ESTALE, "pfc.mask holds 4, not what was written");
	port->dcb.pfc.mask = 0; /* as it was is not what was written either */
	confirm_says(-ESTALE, "pfc.mask holds");
	port->dcb.pfc.mask = 0x08;
	port->link.mac[5] ^= 1;
	confirm_says(-ESTALE, "another MAC address");
	port->link.mac[5] ^= 1;
	/* Without the clock: it would undo it at once. */
	kill(deaths->supervisor, SIGKILL);
	tamper("\"deadline_ns\"", "1");
	confirm_says(-ETIME, "its time is over");
	tamper("\"deadline_ns\"", "9000000000000000000");
	confirm_says(0, NULL);
	assert_string_equal(last_status(), "committed");
	fake_host_free();
}

/* The clock calls once, and somebody may just be at it. */
static void test_the_clock_waits_for_the_lock(void **state)
{
	const struct rt_recover_wish overdue = { .overdue = "000001-mlx5_0-1" };
	const struct timespec while_busy = { .tv_nsec = 300000000 };
	struct rt_outcome outcome = { 0 };
	struct rt_err err = { 0 };
	int ready[2];
	pid_t pid;
	char byte;

	(void)state;
	need_no_systemd();
	begin("mlx5", PLAIN);
	run((struct rt_apply_wish){ .confirm_ns = RT_KNOWN_U64(600000000000) },
	    &outcome);
	rt_outcome_release(&outcome);
	kill(deaths->supervisor, SIGKILL);
	tamper("\"deadline_ns\"", "1");
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		struct rt_state *busy = NULL;

		if (rt_state_open(true, &busy, NULL) < 0 ||
		    rt_state_lock(busy, "a test", NULL) < 0)
			_exit(1);
		byte = 'r';
		if (write(ready[1], &byte, 1) != 1)
			_exit(1);
		nanosleep(&while_busy, NULL);
		_exit(0);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	assert_int_equal(
		rt_run_recover(&host, &(struct rt_recover_wish){ 0 }, &outcome, &err),
		-EBUSY);
	assert_int_equal(rt_run_recover(&host, &overdue, &outcome, &err), 0);
	rt_outcome_release(&outcome);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_string_equal(last_status(), "rolled-back");
	assert_int_equal(deaths->fake->ports[0].dcb.pfc.mask, 0);
	fake_host_free();
}

/* --- what cannot be recovered ------------------------------------------------------- */

/* Both processes die after the last write. */
static void die_unfinished(void)
{
	const pid_t pid = fork();
	struct rt_outcome outcome;

	if (pid == 0) {
		deaths->writer = getpid();
		deaths->death = DEATH_BOTH_AFTER;
		deaths->at = 3;
		run((struct rt_apply_wish){ 0 }, &outcome);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	wait_free();
	deaths->death = DEATH_NONE;
	assert_string_equal(last_status(), "writing");
}

static void recover_says(const struct rt_recover_wish *wish, bool left,
			 const char *words)
{
	const struct rt_change_rows *rows;
	struct rt_outcome outcome = { 0 };
	struct rt_err err = { 0 };

	if (rt_run_recover(&host, wish, &outcome, &err) < 0)
		fail_msg("%s", err.msg);
	rows = outcome.object;
	assert_int_equal(rows->count, 1);
	if (!strstr(rows->items[0].result, words))
		fail_msg("%s", rows->items[0].result);
	assert_int_equal(rt_changes_left(rows), left);
	rt_outcome_release(&outcome);
}

static void test_recover_touches_nothing_that_is_not_its_own(void **state)
{
	const struct rt_recover_wish all = { 0 };
	struct rt_fake_port *port;
	unsigned writes;

	(void)state;
	begin("mlx5", PLAIN);
	die_unfinished();
	port = &deaths->fake->ports[0];
	writes = deaths->fake->writes;
	port->link.mac[5] ^= 1;
	recover_says(&all, true, "another MAC address");
	port->link.mac[5] ^= 1;
	port->pause.autoneg = false;
	port->dcb.app.items[0].priority = 5;
	recover_says(&all, true, "somebody else changed it");
	recover_says(&all, true, "nothing was touched");
	assert_int_equal(deaths->fake->writes, writes);
	recover_says(&(struct rt_recover_wish){ .forget = "000001-mlx5_0-1" }, false,
		     "given up");
	assert_string_equal(last_status(), "closed");
	assert_int_equal(deaths->fake->writes, writes);
	fake_host_free();
}

static void test_another_boot_has_nothing_to_recover(void **state)
{
	unsigned writes;

	(void)state;
	begin("mlx5", PLAIN);
	die_unfinished();
	writes = deaths->fake->writes;
	boot("boot-2");
	/* The NIC's driver is not loaded yet. */
	deaths->fake->port_count = 0;
	recover_says(&(struct rt_recover_wish){ 0 }, false, "was booted since");
	assert_string_equal(last_status(), "closed");
	assert_int_equal(deaths->fake->writes, writes);
	fake_host_free();
}

static void test_another_driver_has_nothing_to_recover(void **state)
{
	unsigned writes;

	(void)state;
	begin("mlx5", PLAIN);
	die_unfinished();
	writes = deaths->fake->writes;
	tamper("\"driver\"", "\"bnxt_re\"");
	recover_says(&(struct rt_recover_wish){ 0 }, true,
		     "mlx5_0 has another driver than bnxt_re");
	assert_int_equal(deaths->fake->writes, writes);
	fake_host_free();
}

/* --- as well as before ---------------------------------------------------------------- */

/* The first port in a bond with LACP. */
static void bonded(struct rt_device *ret_device)
{
	struct rt_devices devices = { 0 };
	struct rt_link *bond;

	begin("mlx5", PLAIN);
	bond = &deaths->fake->links[deaths->fake->link_count++];
	*bond = (struct rt_link){ .name = "bond0", .ifindex = 90, .kind = "bond" };
	deaths->fake->ports[0].link.master_ifindex = bond->ifindex;
	file("/sys/class/net/eth0/bonding_slave/mii_status", "up\n");
	file("/sys/class/net/eth0/bonding_slave/ad_aggregator_id", "2\n");
	file("/sys/class/net/bond0/bonding/ad_aggregator", "2\n");
	assert_int_equal(rt_devices_read(&deaths->fake->kern, 0, &devices, NULL), 0);
	*ret_device = devices.items[0];
	rt_devices_free(&devices);
}

static void change_file(const char *path, const char *text)
{
	struct rt_fake_file *at = rt_fake_file_of(deaths->fake, path);

	assert_non_null(at);
	snprintf(at->text, RT_FAKE_TEXT_BYTES, "%s\n", text);
}

static void no_carrier(struct rt_health *before)
{
	(void)before;
	deaths->fake->ports[0].link.carrier = false;
}

static void out_of_bond(struct rt_health *before)
{
	(void)before;
	change_file("/sys/class/net/eth0/bonding_slave/mii_status", "down");
}

static void out_of_aggregator(struct rt_health *before)
{
	(void)before;
	change_file("/sys/class/net/eth0/bonding_slave/ad_aggregator_id", "1");
}

/* The table cannot be changed: it had others before. */
static void another_gid(struct rt_health *before)
{
	before->gids[1].address.bytes[15] ^= 1;
}

static void another_gid_type(struct rt_health *before)
{
	before->gids[1].type = RT_GID_ROCE_V1;
}

static void another_gid_index(struct rt_health *before)
{
	before->gids[1].index = 7;
}

static void nothing(struct rt_health *before)
{
	(void)before;
}

static void test_a_port_must_be_as_well_as_before(void **state)
{
	static const struct {
		void (*happens)(struct rt_health *before);
		const char *says; /* NULL: it is well */
	} cases[] = {
		{ nothing, NULL },
		{ no_carrier, "the link did not come back" },
		{ out_of_bond, "the bond does not take the port back" },
		{ out_of_aggregator, "LACP does not take the port back" },
		{ another_gid, "GID 1 (" },
		{ another_gid_type, "GID 1 (" },
		{ another_gid_index, "GID 7 (" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_health before = { 0 }, now = { 0 };
		struct rt_device device;
		struct rt_err err = { 0 };
		int r;

		bonded(&device);
		assert_int_equal(
			rt_health_read(&deaths->fake->kern, &device, &before, &err), 0);
		cases[i].happens(&before);
		assert_int_equal(
			rt_health_read(&deaths->fake->kern, &device, &now, &err), 0);
		r = rt_health_compare(&before, &now, &err);
		assert_int_equal(r, cases[i].says ? -ENETDOWN : 0);
		if (cases[i].says && !strstr(err.msg, cases[i].says))
			fail_msg("%s", err.msg);
		rt_health_free(&before);
		rt_health_free(&now);
		fake_host_free();
	}
}

static int no_links(struct rt_kern *kern, struct rt_links *ret_links,
		    struct rt_err *err)
{
	(void)kern;
	(void)ret_links;
	return rt_err_sys(err, -ENOBUFS, "links");
}

/* A link of which nothing was known before would not be missed after. */
static void test_a_port_that_cannot_be_told_is_not_begun(void **state)
{
	const struct rt_kern_ops *ops;
	struct rt_health health;
	struct rt_kern_ops deaf;
	struct rt_device device;
	struct rt_err err = { 0 };

	(void)state;
	bonded(&device);
	ops = deaths->fake->kern.ops;
	deaf = *ops;
	deaf.links = no_links;
	deaths->fake->kern.ops = &deaf;
	assert_int_equal(rt_health_read(&deaths->fake->kern, &device, &health, &err),
			 -ENOBUFS);
	deaths->fake->kern.ops = ops;
	snprintf(device.netdev, sizeof(device.netdev), "eth9");
	assert_int_equal(rt_health_read(&deaths->fake->kern, &device, &health, &err),
			 -ENODEV);
	fake_host_free();
}

/* A journal that cannot be read is named with what helps, and that helps. */
static void test_an_unreadable_journal_can_be_put_aside(void **state)
{
	const struct rt_recover_wish forget = { .forget = "000001-mlx5_0-1" };
	const struct rt_change_rows *rows;
	const struct rt_applied *applied;
	struct rt_outcome outcome;
	struct rt_err err = { 0 };
	char path[160];

	(void)state;
	begin("mlx5", PLAIN);
	snprintf(path, sizeof(path), "%s/000001-mlx5_0-1.journal", folder);
	assert_int_equal(close(creat(path, 0644)), 0);
	applied = run((struct rt_apply_wish){ 0 }, &outcome);
	assert_non_null(strstr(finding(applied, "apply-pending")->evidence,
			       "recover --forget 000001-mlx5_0-1"));
	rt_outcome_release(&outcome);
	if (rt_run_recover(&host, &forget, &outcome, &err) < 0)
		fail_msg("%s", err.msg);
	rows = outcome.object;
	assert_int_equal(rows->count, 1);
	assert_non_null(strstr(rows->items[0].result, ".journal.bad"));
	assert_false(rt_changes_left(rows));
	rt_outcome_release(&outcome);
	strcat(path, RT_STATE_ASIDE);
	assert_int_equal(access(path, F_OK), 0);
	applied = run((struct rt_apply_wish){ 0 }, &outcome);
	assert_int_equal(applied->ports[0].end, RT_APPLY_COMMITTED);
	assert_string_equal(applied->ports[0].journal, "000002-mlx5_0-1");
	rt_outcome_release(&outcome);
	fake_host_free();
}

/* What cannot be looked at keeps the gate shut. */
static void test_more_journals_than_can_be_looked_at(void **state)
{
	const struct rt_applied *applied;
	char pending[RT_PENDING_BYTES], path[160];
	struct rt_outcome outcome;

	(void)state;
	begin("mlx5", PLAIN);
	for (unsigned i = 1; i <= RT_STATE_MOST + 1; i++) {
		snprintf(path, sizeof(path), "%s/%06u-a-1.journal", folder, i);
		assert_int_equal(close(creat(path, 0644)), 0);
	}
	applied = run((struct rt_apply_wish){ 0 }, &outcome);
	assert_int_equal(applied->ports[0].end, RT_APPLY_REFUSED);
	assert_non_null(strstr(finding(applied, "apply-pending")->evidence,
			       "more than 4096 journals"));
	assert_int_equal(deaths->fake->writes, 0);
	rt_outcome_release(&outcome);
	assert_true(rt_recovery_pending(pending));
	assert_non_null(strstr(pending, "more than 4096 journals"));
	fake_host_free();
}

/* Its time was over while nobody looked. */
static void make_overdue(void)
{
	RT_AUTO(rt_auto_state_close) struct rt_state *folder_of = NULL;
	struct rt_journal journal;
	struct rt_err err = { 0 };

	assert_int_equal(rt_state_open(true, &folder_of, &err), 0);
	assert_int_equal(rt_state_load(folder_of, "000001-mlx5_0-1", &journal, &err),
			 0);
	journal.status = RT_JOURNAL_UNCONFIRMED;
	journal.deadline_ns = RT_KNOWN_U64(1);
	assert_int_equal(rt_state_save(folder_of, &journal, &err), 0);
	rt_journal_free(&journal);
}

static void test_what_is_overdue_and_left_is_told(void **state)
{
	(void)state;
	begin("mlx5", PLAIN);
	die_unfinished();
	make_overdue();
	deaths->fake->ports[0].dcb.app.items[0].priority = 5;
	recover_says(&(struct rt_recover_wish){ 0 }, true, "nothing was touched");
	assert_string_equal(last_status(), "unconfirmed");
	fake_host_free();
}

/* --- other names ------------------------------------------------------------------- */

static void rename_all(void)
{
	static const char *const links[] = { "sys/class/infiniband/roce0/device",
					     "sys/class/net/rail0/device" };
	struct rt_fake_port *port = &deaths->fake->ports[0];

	snprintf(port->link.name, sizeof(port->link.name), "rail0");
	snprintf(port->rdma.ibdev, sizeof(port->rdma.ibdev), "roce0");
	snprintf(port->rdma.netdev, sizeof(port->rdma.netdev), "rail0");
	for (size_t i = 0; i < RT_ARRAY_SIZE(links); i++)
		assert_int_equal(rt_bundle_add_symlink(
					 deaths->fake->tree, links[i],
					 "../../../devices/pci0000:3a/0000:3b:00.0",
					 NULL),
				 0);
}

/* `rdma dev set` and `ip link set name`: the port is the same. */
static void test_a_renamed_port_is_rolled_back(void **state)
{
	const char *const device = "roce0";
	const struct rt_apply_wish back = { .devices = &device,
					    .device_count = 1,
					    .confirm_ns = RT_KNOWN_U64(0) };
	const struct rt_applied *applied;
	struct rt_outcome outcome;

	(void)state;
	begin("mlx5", PLAIN);
	run((struct rt_apply_wish){ 0 }, &outcome);
	rt_outcome_release(&outcome);
	assert_int_equal(deaths->fake->ports[0].dcb.pfc.mask, 0x08);
	rename_all();
	rollback(&back, &outcome, 0);
	applied = outcome.object;
	assert_string_equal(applied->ports[0].reason, "");
	assert_int_equal(applied->ports[0].end, RT_APPLY_COMMITTED);
	assert_int_equal(deaths->fake->ports[0].dcb.pfc.mask, 0);
	rt_outcome_release(&outcome);
	fake_host_free();
}

static void test_a_renamed_port_is_confirmed_or_undone(void **state)
{
	static const char *const names[] = { "roce0", "rail0", "mlx5_0", "eth0" };
	const struct rt_apply_wish back = { .devices = names, .device_count = 1 };
	const struct rt_apply_wish wait = { .confirm_ns = RT_KNOWN_U64(600000000000) };
	struct rt_outcome outcome;
	struct rt_err err = { 0 };

	(void)state;
	need_no_systemd();
	for (size_t i = 0; i < RT_ARRAY_SIZE(names); i++) {
		begin("mlx5", PLAIN);
		run(wait, &outcome);
		rt_outcome_release(&outcome);
		rename_all();
		if (rt_run_confirm(&host, names[i], &outcome, &err) < 0)
			fail_msg("%s: %s", names[i], err.msg);
		assert_string_equal(last_status(), "committed");
		rt_outcome_release(&outcome);
		forget_journals();
		fake_host_free();
	}
	begin("mlx5", PLAIN);
	run(wait, &outcome);
	rt_outcome_release(&outcome);
	rename_all();
	rollback(&back, &outcome, 0);
	rt_outcome_release(&outcome);
	assert_string_equal(last_status(), "rolled-back");
	assert_int_equal(deaths->fake->ports[0].dcb.pfc.mask, 0);
	fake_host_free();
}

/* Nothing is made, and nobody is kept away, for a look. */
static void test_a_dry_rollback_writes_nothing(void **state)
{
	const char *const device = "mlx5_0";
	const struct rt_apply_wish dry = { .devices = &device,
					   .device_count = 1,
					   .dry_run = true };
	RT_AUTO(rt_auto_state_close) struct rt_state *other = NULL;
	struct rt_outcome outcome;
	struct rt_err err = { 0 };
	char deeper[96];

	(void)state;
	begin("mlx5", PLAIN);
	run((struct rt_apply_wish){ 0 }, &outcome);
	rt_outcome_release(&outcome);
	assert_int_equal(rt_state_open(true, &other, &err), 0);
	assert_int_equal(rt_state_lock(other, "another", &err), 0);
	rollback(&dry, &outcome, 0);
	assert_int_equal(((const struct rt_applied *)outcome.object)->ports[0].end,
			 RT_APPLY_PLANNED);
	rt_outcome_release(&outcome);
	assert_int_equal(deaths->fake->ports[0].dcb.pfc.mask, 0x08);
	snprintf(deeper, sizeof(deeper), "%s/none", folder);
	setenv("ROCETUNE_STATE", deeper, 1);
	rollback(&dry, &outcome, -ENOENT);
	assert_int_equal(access(deeper, F_OK), -1);
	fake_host_free();
}

/* A timer of systemd that undoes a change has another working folder. */
static void test_state_is_found_from_any_folder(void **state)
{
	const int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct rt_state *relative;
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(chdir(folder), 0);
	setenv("ROCETUNE_STATE", ".", 1);
	assert_int_equal(rt_state_open(true, &relative, &err), 0);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(strncmp(rt_state_folder(relative), folder, strlen(folder)), 0);
	rt_state_close(relative);
	setenv("ROCETUNE_STATE", folder, 1);
	assert_int_equal(fchdir(here), 0);
	close(here);
}

/* A unit that udev starts has nobody to say `rocetune recover` to. */
static void test_unit_closes_what_another_boot_left(void **state)
{
	const struct rt_apply_wish unit = { .closes_earlier = true };
	const struct rt_applied *applied;
	const struct rt_finding *told;
	struct rt_outcome outcome;

	(void)state;
	begin("mlx5", PLAIN);
	die_unfinished();
	/* Of this boot it is not closed: the NIC may hold anything. */
	applied = run(unit, &outcome);
	assert_int_equal(applied->ports[0].end, RT_APPLY_REFUSED);
	assert_non_null(finding(applied, "apply-pending"));
	assert_null(finding(applied, "apply-closed"));
	rt_outcome_release(&outcome);
	snprintf(rt_fake_file_of(deaths->fake, "/proc/sys/kernel/random/boot_id")->text,
		 RT_FAKE_TEXT_BYTES, "boot-2\n");
	/* Somebody at a keyboard is told what to do. */
	applied = run((struct rt_apply_wish){ 0 }, &outcome);
	assert_int_equal(applied->ports[0].end, RT_APPLY_REFUSED);
	rt_outcome_release(&outcome);
	applied = run(unit, &outcome);
	assert_in_range(applied->ports[0].end, RT_APPLY_UNCHANGED, RT_APPLY_COMMITTED);
	told = finding(applied, "apply-closed");
	assert_non_null(told);
	assert_non_null(strstr(told->evidence, "000001-mlx5_0-1"));
	rt_outcome_release(&outcome);
	/* Once. */
	applied = run(unit, &outcome);
	assert_null(finding(applied, "apply-closed"));
	rt_outcome_release(&outcome);
	fake_host_free();
}

/* Holds the lock in a process of its own until that ends; 0: when it is killed. */
static pid_t hold_lock(unsigned hold_ms)
{
	RT_AUTO(rt_auto_state_close) struct rt_state *folder_of = NULL;
	const struct timespec held = { .tv_nsec = (long)hold_ms * 1000000 };
	int ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		if (rt_state_open(true, &folder_of, NULL) < 0 ||
		    rt_state_lock(folder_of, "the unit of another NIC", NULL) < 0 ||
		    write(ready[1], "", 1) != 1)
			_exit(1);
		while (hold_ms == 0)
			pause();
		nanosleep(&held, NULL);
		_exit(0);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

/* udev starts the units of all NICs at once; each is to have its turn. */
static void test_unit_waits_for_its_turn(void **state)
{
	const char *const device = "mlx5_0";
	struct rt_apply_wish unit = { .devices = &device,
				      .device_count = 1,
				      .profile = profile,
				      .confirm_ns = RT_KNOWN_U64(0) };
	const struct rt_applied *applied;
	struct rt_outcome outcome = { 0 };
	struct rt_err err = { 0 };
	pid_t other;

	(void)state;
	begin("mlx5", PLAIN);
	other = hold_lock(0);
	assert_int_equal(rt_run_apply(&host, &unit, &outcome, &err), -EBUSY);
	/* Not for ever. */
	unit.lock_wait_ms = 1;
	assert_int_equal(rt_run_apply(&host, &unit, &outcome, &err), -EBUSY);
	assert_non_null(strstr(err.msg, "the unit of another NIC"));
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	other = hold_lock(300);
	applied = run((struct rt_apply_wish){ .lock_wait_ms = RT_CHANGES_WAIT_MS },
		      &outcome);
	assert_int_equal(applied->ports[0].end, RT_APPLY_COMMITTED);
	rt_outcome_release(&outcome);
	waitpid(other, NULL, 0);
	fake_host_free();
}

#define T(name) cmocka_unit_test_setup_teardown(name, make_state, remove_state)
RT_UNIT_MAIN(
	T(test_a_change_waits_for_its_confirmation), T(test_rollback_does_not_wait),
	T(test_only_what_is_there_is_confirmed), T(test_the_clock_waits_for_the_lock),
	T(test_recover_touches_nothing_that_is_not_its_own),
	T(test_another_boot_has_nothing_to_recover),
	T(test_another_driver_has_nothing_to_recover),
	T(test_a_port_must_be_as_well_as_before),
	T(test_a_port_that_cannot_be_told_is_not_begun),
	T(test_an_unreadable_journal_can_be_put_aside),
	T(test_more_journals_than_can_be_looked_at),
	T(test_what_is_overdue_and_left_is_told), T(test_a_renamed_port_is_rolled_back),
	T(test_a_renamed_port_is_confirmed_or_undone),
	T(test_a_dry_rollback_writes_nothing), T(test_state_is_found_from_any_folder),
	T(test_unit_closes_what_another_boot_left), T(test_unit_waits_for_its_turn))
