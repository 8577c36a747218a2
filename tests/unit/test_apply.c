/* SPDX-License-Identifier: BSD-2-Clause */
/* test_apply.c - the journey of a change on a host in memory: plans, refusals, ends. */
#include "unit.h"

#include <errno.h>
#include <sys/wait.h>

#include "apply_folder.h"
#include "base/bundle.h"
#include "base/own.h"
#include "deadly_host.h"
#include "model/finding.h"
#include "run/confirm.h"
#include "run/gate.h"
#include "run/outcome.h"
#include "run/rails.h"
#include "run/recover.h"

#define PLAIN                                                                         \
	"classes:\n"                                                                  \
	"  roce: {dscp: [26], prio: 3, tc: 3, lossless: yes, ect: nic, sched: {ets: " \
	"60}}\n"                                                                      \
	"  be: {dscp: [0], prio: 0, tc: 0, sched: {ets: 40}}\n"                       \
	"host:\n  trust: dscp\n  global_pause: no\n"

static struct rt_apply_host host;

static void begin(const char *personality, const char *text)
{
	fake_host_new(&host);
	assert_non_null(rt_fake_add_port(deaths->fake, personality));
	/* en_dcbnl.c mlx5e_build_tc_tx_bw(): beside a class without a share stands 100. */
	if (strcmp(personality, "mlx5") == 0)
		memset(deaths->fake->ports[0].dcb.ets.bw, 100, 8);
	write_profile(text);
}

static void file(const char *path, const char *text)
{
	assert_non_null(rt_fake_add_file(deaths->fake, path, RT_FAKE_TEXT, text));
}

/* The first port of the fake, unless wish names others. */
static const struct rt_applied *run(struct rt_apply_wish wish,
				    struct rt_outcome *outcome)
{
	const char *const device = deaths->fake->ports[0].rdma.ibdev;
	struct rt_err err = { 0 };

	if (!wish.devices) {
		wish.devices = &device;
		wish.device_count = 1;
	}
	wish.profile = profile;
	if (!wish.confirm_ns.known)
		wish.confirm_ns = RT_KNOWN_U64(0);
	*outcome = (struct rt_outcome){ 0 };
	if (rt_run_apply(&host, &wish, outcome, &err) < 0)
		fail_msg("%s", err.msg);
	return outcome->object;
}

static const struct rt_applied_knob *knob(const struct rt_applied_port *port,
					  const char *name)
{
	for (size_t i = 0; i < port->knob_count; i++)
		if (strcmp(port->knobs[i].knob, name) == 0)
			return &port->knobs[i];
	fail_msg("no %s", name);
	return NULL;
}

static const struct rt_finding *finding(const struct rt_applied *applied,
					const char *id)
{
	for (size_t i = 0; i < applied->findings.count; i++)
		if (strcmp(applied->findings.items[i].id, id) == 0)
			return &applied->findings.items[i];
	return NULL;
}

/* --- plans ----------------------------------------------------------------------- */

static void test_a_dry_run_tells_and_writes_nothing(void **state)
{
	const struct rt_applied *applied;
	const struct rt_applied_knob *pfc;
	struct rt_outcome outcome;

	(void)state;
	begin("mlx5", PLAIN);
	applied = run((struct rt_apply_wish){ .dry_run = true }, &outcome);
	assert_int_equal(applied->ports[0].end, RT_APPLY_PLANNED);
	pfc = knob(&applied->ports[0], "pfc.mask");
	assert_true(pfc->changed);
	assert_string_equal(pfc->have, "none");
	assert_string_equal(pfc->want, "3");
	assert_string_equal(pfc->impact, "flap");
	assert_non_null(strstr(pfc->source, "p.yaml:4:"));
	assert_string_equal(pfc->command, "mlnx_qos -i eth0 --pfc 0,0,0,1,0,0,0,0");
	assert_non_null(applied->order);
	assert_int_equal(deaths->fake->writes, 0);
	rt_outcome_release(&outcome);
	fake_host_free();
}

static void test_the_second_apply_writes_nothing(void **state)
{
	const struct rt_applied *applied;
	struct rt_outcome outcome;
	unsigned writes;

	(void)state;
	begin("mlx5", PLAIN);
	applied = run((struct rt_apply_wish){ 0 }, &outcome);
	assert_int_equal(applied->ports[0].end, RT_APPLY_COMMITTED);
	assert_int_equal(deaths->fake->flaps, 1);
	rt_outcome_release(&outcome);
	writes = deaths->fake->writes;
	applied = run((struct rt_apply_wish){ 0 }, &outcome);
	assert_int_equal(applied->ports[0].end, RT_APPLY_UNCHANGED);
	assert_int_equal(applied->ports[0].changes, 0);
	assert_int_equal(deaths->fake->writes, writes);
	assert_int_equal(deaths->fake->flaps, 1);
	assert_string_equal(knob(&applied->ports[0], "pfc.mask")->have, "3");
	rt_outcome_release(&outcome);
	fake_host_free();
}

static void test_only_takes_its_groups(void **state)
{
	const struct rt_applied *applied;
	struct rt_outcome outcome;

	(void)state;
	begin("mlx5", PLAIN);
	applied = run((struct rt_apply_wish){ .groups = 1u << RT_GROUP_ETS }, &outcome);
	assert_int_equal(applied->ports[0].end, RT_APPLY_COMMITTED);
	for (size_t i = 0; i < applied->ports[0].knob_count; i++)
		assert_string_equal(applied->ports[0].knobs[i].group, "ets");
	assert_int_equal(deaths->fake->flaps, 0);
	rt_outcome_release(&outcome);
	fake_host_free();
}

/* --- refusals ---------------------------------------------------------------------- */

static void switchdev(struct rt_fake_port *port)
{
	snprintf(port->eswitch, sizeof(port->eswitch), "switchdev");
}

static void virtual_function(struct rt_fake_port *port)
{
	char path[160];

	snprintf(path, sizeof(path), "sys/devices/pci0000:3a/%s/physfn", port->pci);
	assert_int_equal(rt_bundle_add_symlink(deaths->fake->tree, path,
					       "../0000:3a:00.0", NULL),
			 0);
}

static void in_container(struct rt_fake_port *port)
{
	(void)port;
	file("/proc/self/status", "Name:\trocetune\nCapEff:\t000001ffffffffff\n");
	file("/proc/self/uid_map", "         0     100000      65536\n");
}

static void without_rights(struct rt_fake_port *port)
{
	(void)port;
	file("/proc/self/status", "Name:\trocetune\nCapEff:\t0000000000000000\n");
	file("/proc/self/uid_map", "         0          0 4294967295\n");
}

static void lldpad(struct rt_fake_port *port)
{
	(void)port;
	file("/proc/77/comm", "lldpad\n");
}

static void openibd(struct rt_fake_port *port)
{
	(void)port;
	file("/etc/infiniband/post-start-hook.sh", "mlnx_qos -i eth0 --trust dscp\n");
}

static void tuned(struct rt_fake_port *port)
{
	(void)port;
	file("/proc/78/comm", "tuned\n");
	file("/etc/tuned/active_profile", "site\n");
	file("/etc/tuned/site/tuned.conf", "pause=rx off\n");
}

static void kubernetes(struct rt_fake_port *port)
{
	(void)port;
	file("/proc/79/comm", "nic-configurati\n");
}

static void in_use(struct rt_fake_port *port)
{
	port->use = (struct rt_rdma_use){ .qps = 4, .connected = 3, .who = "nccl" };
}

static void firmware_owns(struct rt_fake_port *port)
{
	port->dcb.dcbx = RT_DCBX_MODE_CEE | RT_DCBX_MODE_IEEE;
}

/* A ConnectX-7, by its PCI numbers. */
static void of_known_chip(struct rt_fake_port *port)
{
	(void)port;
	file("/sys/devices/pci0000:3a/0000:3b:00.0/vendor", "0x15b3\n");
	file("/sys/devices/pci0000:3a/0000:3b:00.0/device", "0x1021\n");
}

static void none(struct rt_fake_port *port)
{
	(void)port;
}

static void test_refusals_write_nothing(void **state)
{
	static const struct {
		const char *rule, *personality, *text;
		void (*setup)(struct rt_fake_port *port);
	} cases[] = {
		{ "apply-vf", "mlx5", PLAIN, virtual_function },
		{ "apply-switchdev", "mlx5", PLAIN, switchdev },
		{ "apply-not-tunable", "cxgb4", PLAIN, none },
		{ "apply-rights", "mlx5", PLAIN, in_container },
		{ "apply-rights", "mlx5", PLAIN, without_rights },
		{ "apply-manager", "mlx5", PLAIN, lldpad },
		{ "apply-manager", "mlx5", PLAIN, openibd },
		{ "apply-manager", "mlx5", PLAIN, tuned },
		{ "apply-manager", "mlx5", PLAIN, kubernetes },
		{ "apply-driver", "mlx5", PLAIN, firmware_owns },
		{ "apply-in-use", "mlx5", PLAIN, in_use },
		{ "apply-other-speed", "mlx5", "match: {speed: 400G}\n" PLAIN, none },
		{ "apply-other-driver", "mlx5", "match: {driver: bnxt_re}\n" PLAIN,
		  none },
		{ "apply-other-chip", "mlx5", "match: {chip: Thor}\n" PLAIN,
		  of_known_chip },
		{ "apply-status", "mlx5", "status: research\n" PLAIN, none },
		{ "apply-status", "mlx5", "status: simulated\n" PLAIN, none },
		{ "apply-lossless-count", "bnxt",
		  "classes:\n  a: {dscp: [1], prio: 1, tc: 1, lossless: yes}\n"
		  "  b: {dscp: [2], prio: 2, tc: 2, lossless: yes}\n"
		  "  c: {dscp: [3], prio: 3, tc: 3, lossless: yes}\n"
		  "host: {trust: dscp}\n",
		  none },
		{ "apply-missing", "bnxt", PLAIN "  cc: {rp: {ai: 10Mb/s}}\n", none },
		{ "apply-one-way", "mlx5",
		  PLAIN "  buffers: [200000B, 62144B, 0B, 0B, 0B, 0B, 0B, 0B]\n",
		  none },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const struct rt_applied *applied;
		const struct rt_finding *found;
		struct rt_outcome outcome;

		begin(cases[i].personality, cases[i].text);
		cases[i].setup(&deaths->fake->ports[0]);
		applied = run((struct rt_apply_wish){ 0 }, &outcome);
		found = finding(applied, cases[i].rule);
		if (!found)
			fail_msg("%s: %s: %s", cases[i].rule,
				 rt_name_of(rt_apply_end_names, applied->ports[0].end),
				 applied->ports[0].reason);
		assert_int_equal(found->severity, RT_SEVERITY_ERROR);
		assert_true(*found->remedy && *found->evidence);
		assert_int_equal(applied->ports[0].end, RT_APPLY_REFUSED);
		assert_true(*applied->ports[0].reason);
		assert_true(rt_applied_failed(applied));
		assert_int_equal(deaths->fake->writes, 0);
		rt_outcome_release(&outcome);
		fake_host_free();
	}
	print_message("# %zu refusals\n", RT_ARRAY_SIZE(cases));
}

/* What each of them asks for opens the gate. */
static void test_who_insists_gets_through(void **state)
{
	static const char *const rate[] = { "cc.rp.ai", NULL };
	static const struct {
		const char *personality, *text;
		void (*setup)(struct rt_fake_port *port);
		struct rt_apply_wish wish;
	} cases[] = {
		{ "mlx5", PLAIN, in_use, { .disrupt = true } },
		{ "mlx5", PLAIN, in_use, { .groups = 1u << RT_GROUP_ETS } },
		{ "mlx5", PLAIN, lldpad, { .groups = 1u << RT_GROUP_PAUSE } },
		{ "mlx5", "status: research\n" PLAIN, none, { .yes = true } },
		{ "bnxt",
		  PLAIN "  cc: {rp: {ai: 10Mb/s}}\n",
		  none,
		  { .allow_missing = rate } },
		{ "mlx5",
		  PLAIN "  buffers: [200000B, 62144B, 0B, 0B, 0B, 0B, 0B, 0B]\n",
		  none,
		  { .one_way = true } },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const struct rt_applied *applied;
		struct rt_outcome outcome;

		begin(cases[i].personality, cases[i].text);
		cases[i].setup(&deaths->fake->ports[0]);
		applied = run(cases[i].wish, &outcome);
		if (rt_applied_failed(applied))
			fail_msg("%zu: %s", i, applied->ports[0].reason);
		rt_outcome_release(&outcome);
		fake_host_free();
	}
}

static void test_another_journal_is_in_the_way(void **state)
{
	const struct rt_applied *applied;
	struct rt_outcome outcome;
	char path[160];
	FILE *torn;

	(void)state;
	begin("mlx5", PLAIN);
	snprintf(path, sizeof(path), "%s/000001-mlx5_0-1.journal", folder);
	torn = fopen(path, "w");
	assert_non_null(torn);
	fputs("{\"rocetune\": 1, \"kind\": \"jour", torn);
	fclose(torn);
	applied = run((struct rt_apply_wish){ 0 }, &outcome);
	assert_int_equal(applied->ports[0].end, RT_APPLY_REFUSED);
	assert_non_null(finding(applied, "apply-pending"));
	assert_int_equal(deaths->fake->writes, 0);
	rt_outcome_release(&outcome);
	fake_host_free();
}

/* --- several ports ------------------------------------------------------------------- */

static void test_none_is_changed_after_one_that_failed(void **state)
{
	static const char *const both[] = { "mlx5_0", "mlx5_1" };
	const struct rt_applied *applied;
	struct rt_outcome outcome;
	unsigned writes;

	(void)state;
	begin("mlx5", PLAIN);
	assert_non_null(rt_fake_add_port(deaths->fake, "mlx5"));
	memset(deaths->fake->ports[1].dcb.ets.bw, 100, 8);
	deaths->fake->faults[0] =
		(struct rt_fake_fault){ .at = 2, .kind = RT_FAKE_FAIL, .code = -EIO };
	applied = run((struct rt_apply_wish){ .devices = both, .device_count = 2 },
		      &outcome);
	assert_int_equal(applied->ports[0].end, RT_APPLY_UNDONE);
	assert_int_equal(applied->ports[1].end, RT_APPLY_NOT_REACHED);
	assert_int_equal(deaths->fake->ports[1].dcb.pfc.mask, 0);
	rt_outcome_release(&outcome);

	deaths->fake->faults[0] = (struct rt_fake_fault){ 0 };
	applied = run((struct rt_apply_wish){ .devices = both, .device_count = 2 },
		      &outcome);
	assert_int_equal(applied->ports[0].end, RT_APPLY_COMMITTED);
	assert_int_equal(applied->ports[1].end, RT_APPLY_COMMITTED);
	assert_int_equal(deaths->fake->ports[1].dcb.pfc.mask, 0x08);
	rt_outcome_release(&outcome);

	/* One that is refused keeps all of them from being changed. */
	write_profile("match: {speed: 400G}\n" PLAIN);
	deaths->fake->ports[1].speed_bps = RT_KNOWN_U64(400000000000);
	writes = deaths->fake->writes;
	applied = run((struct rt_apply_wish){ .devices = both, .device_count = 2 },
		      &outcome);
	assert_int_equal(applied->ports[0].end, RT_APPLY_REFUSED);
	assert_int_equal(applied->ports[1].end, RT_APPLY_NOT_REACHED);
	assert_int_equal(deaths->fake->writes, writes);
	rt_outcome_release(&outcome);
	fake_host_free();
}

/* One RDMA device, two network devices under it: each has knobs of its own. */
static void test_slaves_of_a_bond_are_changed_in_turn(void **state)
{
	static const char *const device[] = { "mlx5_0" };
	struct rt_link *bond;
	const struct rt_applied *applied;
	struct rt_fake_port *other;
	struct rt_outcome outcome;

	(void)state;
	begin("mlx5", PLAIN);
	other = rt_fake_add_port(deaths->fake, "mlx5");
	assert_non_null(other);
	memset(other->dcb.ets.bw, 100, 8);
	*other->rdma.ibdev = '\0';
	bond = &deaths->fake->links[deaths->fake->link_count++];
	*bond = (struct rt_link){ .name = "bond0", .ifindex = 90, .kind = "bond" };
	deaths->fake->ports[0].link.master_ifindex = bond->ifindex;
	other->link.master_ifindex = bond->ifindex;
	applied = run((struct rt_apply_wish){ .devices = device, .device_count = 1 },
		      &outcome);
	assert_int_equal(applied->count, 2);
	assert_string_equal(applied->ports[0].netdev, "eth0");
	assert_string_equal(applied->ports[1].netdev, "eth1");
	assert_int_equal(applied->ports[0].end, RT_APPLY_COMMITTED);
	assert_int_equal(applied->ports[1].end, RT_APPLY_COMMITTED);
	assert_int_equal(deaths->fake->ports[0].dcb.pfc.mask, 0x08);
	assert_int_equal(other->dcb.pfc.mask, 0x08);
	rt_outcome_release(&outcome);
	fake_host_free();
}

static void test_a_rail_has_its_own(void **state)
{
	static const char *const both[] = { "mlx5_0", "mlx5_1" };
	const struct rt_applied *applied;
	struct rt_outcome outcome;

	(void)state;
	begin("mlx5", PLAIN "  cc: {rp: {ai: 10Mb/s}}\nrails:\n"
			    "  - {select: rail 1, set: {host.cc.rp.ai: 20Mb/s}}\n");
	assert_non_null(rt_fake_add_port(deaths->fake, "mlx5"));
	applied = run((struct rt_apply_wish){ .devices = both,
					      .device_count = 2,
					      .groups = 1u << RT_GROUP_CC },
		      &outcome);
	assert_string_equal(knob(&applied->ports[0], "cc.rp.ai")->want, "10Mb/s");
	assert_string_equal(applied->ports[0].rail, "");
	assert_string_equal(knob(&applied->ports[1], "cc.rp.ai")->want, "20Mb/s");
	assert_string_equal(applied->ports[1].rail, "rail 1");
	rt_outcome_release(&outcome);
	fake_host_free();
}

/* --- afterwards ---------------------------------------------------------------------- */

static void lose_carrier(void)
{
	if (deaths->fake->ports[0].dcb.pfc.mask)
		deaths->fake->ports[0].link.carrier = false;
}

static void test_a_link_that_stays_away_is_undone(void **state)
{
	const struct rt_applied *applied;
	struct rt_outcome outcome;

	(void)state;
	begin("mlx5", PLAIN);
	deaths->after_write = lose_carrier;
	applied = run((struct rt_apply_wish){ 0 }, &outcome);
	assert_int_equal(applied->ports[0].end, RT_APPLY_UNDONE);
	assert_non_null(strstr(applied->ports[0].reason, "the link did not come back"));
	assert_int_equal(deaths->fake->ports[0].dcb.pfc.mask, 0);
	rt_outcome_release(&outcome);
	fake_host_free();
}

static void rollback(const struct rt_apply_wish *wish, struct rt_outcome *outcome,
		     int want)
{
	struct rt_err err = { 0 };

	*outcome = (struct rt_outcome){ 0 };
	if (rt_run_rollback(&host, wish, outcome, &err) != want)
		fail_msg("%s", err.msg);
}

static void test_rollback_is_a_change_of_its_own(void **state)
{
	const char *const device = "mlx5_0";
	const struct rt_apply_wish wish = { .devices = &device,
					    .device_count = 1,
					    .confirm_ns = RT_KNOWN_U64(0) };
	const struct rt_applied *applied;
	struct rt_outcome outcome;
	struct rt_qos old, now;

	(void)state;
	begin("mlx5", PLAIN);
	fake_host_read(&old);
	run((struct rt_apply_wish){ 0 }, &outcome);
	rt_outcome_release(&outcome);
	/* Another hand stands against it. */
	deaths->fake->ports[0].dcb.pfc.mask = 0x10;
	rollback(&wish, &outcome, 0);
	applied = outcome.object;
	assert_int_equal(applied->ports[0].end, RT_APPLY_REFUSED);
	assert_non_null(finding(applied, "rollback-stale"));
	assert_non_null(strstr(applied->ports[0].reason, "somebody else changed it"));
	rt_outcome_release(&outcome);
	deaths->fake->ports[0].dcb.pfc.mask = 0x08;
	rollback(&wish, &outcome, 0);
	applied = outcome.object;
	assert_int_equal(applied->ports[0].end, RT_APPLY_COMMITTED);
	rt_outcome_release(&outcome);
	fake_host_read(&now);
	assert_null(first_difference(&old, &now));
	rollback(&wish, &outcome, -ENOENT);
	fake_host_free();
}

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
	assert_int_equal(rt_run_confirm("eth9", &outcome, &err), -ENOENT);
	assert_int_equal(rt_run_confirm("eth0", &outcome, &err), 0);
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
	snprintf(rt_fake_file_of(deaths->fake, "/proc/sys/kernel/random/boot_id")->text,
		 RT_FAKE_TEXT_BYTES, "boot-2\n");
	/* The NIC's driver is not loaded yet. */
	deaths->fake->port_count = 0;
	recover_says(&(struct rt_recover_wish){ 0 }, false, "was booted since");
	assert_string_equal(last_status(), "closed");
	assert_int_equal(deaths->fake->writes, writes);
	fake_host_free();
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

/* --- the user's own session ------------------------------------------------------------ */

static void test_session_addresses(void **state)
{
	static const struct {
		const char *text;
		unsigned version;
		uint8_t last;
	} cases[] = {
		{ "10.0.0.9 50022 10.0.0.1 22", 4, 1 },
		{ "::ffff:10.0.0.9 50022 ::ffff:10.0.0.7 22", 4, 7 },
		{ "fe80::9%eth0 50022 fe80::5%eth0 22", 6, 5 },
		{ "10.0.0.9 50022", 0, 0 },
		{ "a b c d", 0, 0 },
		{ "", 0, 0 },
		{ NULL, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_ip ip = { 0 };
		const bool is = rt_session_address(cases[i].text, &ip);

		assert_int_equal(is, cases[i].version != 0);
		assert_int_equal(ip.version, cases[i].version);
		if (is)
			assert_int_equal(ip.bytes[cases[i].version == 4 ? 3 : 15],
					 cases[i].last);
	}
}

static void test_what_stands_on_a_port(void **state)
{
	struct rt_kern *kern;

	(void)state;
	begin("mlx5", PLAIN);
	kern = &deaths->fake->kern;
	file("/sys/class/net/bond0/lower_eth0/mtu", "9000\n");
	file("/sys/class/net/bond0.7/lower_bond0/mtu", "9000\n");
	file("/sys/class/net/loop0/lower_loop0/mtu", "1\n");
	assert_true(rt_stands_on(kern, "eth0", "eth0"));
	assert_true(rt_stands_on(kern, "bond0", "eth0"));
	assert_true(rt_stands_on(kern, "bond0.7", "eth0"));
	assert_false(rt_stands_on(kern, "bond0.7", "eth1"));
	assert_false(rt_stands_on(kern, "loop0", "eth0"));
	assert_false(rt_stands_on(kern, "eth0", ""));
	fake_host_free();
}

#define T(name) cmocka_unit_test_setup_teardown(name, make_state, remove_state)
RT_UNIT_MAIN(T(test_a_dry_run_tells_and_writes_nothing),
	     T(test_the_second_apply_writes_nothing), T(test_only_takes_its_groups),
	     T(test_refusals_write_nothing), T(test_who_insists_gets_through),
	     T(test_another_journal_is_in_the_way),
	     T(test_none_is_changed_after_one_that_failed),
	     T(test_slaves_of_a_bond_are_changed_in_turn), T(test_a_rail_has_its_own),
	     T(test_a_link_that_stays_away_is_undone),
	     T(test_rollback_is_a_change_of_its_own),
	     T(test_a_change_waits_for_its_confirmation),
	     T(test_rollback_does_not_wait),
	     T(test_recover_touches_nothing_that_is_not_its_own),
	     T(test_another_boot_has_nothing_to_recover),
	     T(test_unit_closes_what_another_boot_left),
	     T(test_unit_waits_for_its_turn), T(test_session_addresses),
	     T(test_what_stands_on_a_port))
