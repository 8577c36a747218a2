/* SPDX-License-Identifier: BSD-2-Clause */
/* test_apply.c - the journey of a change on a host in memory: plans, refusals, ends. */
#include "unit.h"

#include <errno.h>
#include <sys/wait.h>

#include "apply_run.h"
#include "base/bundle.h"
#include "base/own.h"
#include "run/confirm.h"
#include "run/gate.h"
#include "run/rails.h"

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

/* Rows of one driver are no rows of another's, whatever bond both are in. */
static void test_a_slave_of_another_nic_is_refused(void **state)
{
	static const char *const device[] = { "mlx5_0" };
	static const struct {
		const char *personality, *bus;
	} cases[] = {
		{ "ice", NULL },            /* another driver */
		{ "mlx5", "0000:5e:00.0" }, /* another card */
		{ "mlx5", "" },             /* nobody tells */
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const struct rt_finding *found;
		const struct rt_applied *applied;
		struct rt_fake_port *other;
		struct rt_outcome outcome;
		struct rt_link *bond;

		begin("mlx5", PLAIN);
		other = rt_fake_add_port(deaths->fake, cases[i].personality);
		assert_non_null(other);
		*other->rdma.ibdev = '\0';
		if (cases[i].bus)
			snprintf(other->info.bus, sizeof(other->info.bus), "%s",
				 cases[i].bus);
		bond = &deaths->fake->links[deaths->fake->link_count++];
		*bond = (struct rt_link){ .name = "bond0",
					  .ifindex = 90,
					  .kind = "bond" };
		deaths->fake->ports[0].link.master_ifindex = bond->ifindex;
		other->link.master_ifindex = bond->ifindex;
		applied = run(
			(struct rt_apply_wish){ .devices = device, .device_count = 1 },
			&outcome);
		found = finding(applied, "apply-other-nic");
		assert_non_null(found);
		assert_non_null(strstr(found->evidence, "eth1 is in bond0"));
		assert_int_equal(applied->count, 2);
		assert_int_equal(applied->ports[0].end, RT_APPLY_NOT_REACHED);
		assert_int_equal(applied->ports[1].end, RT_APPLY_REFUSED);
		assert_int_equal(applied->ports[1].knob_count, 0);
		assert_int_equal(deaths->fake->writes, 0);
		rt_outcome_release(&outcome);
		fake_host_free();
	}
}

static void job_starts(void)
{
	if (deaths->fake->ports[0].dcb.pfc.mask)
		in_use(&deaths->fake->ports[1]);
}

static void lldpad_starts(void)
{
	if (deaths->fake->ports[0].dcb.pfc.mask &&
	    !rt_fake_file_of(deaths->fake, "/proc/77/comm"))
		lldpad(&deaths->fake->ports[1]);
}

static int no_use(struct rt_kern *kern, const char *ibdev, struct rt_rdma_use *ret_use,
		  struct rt_err *err)
{
	(void)kern;
	(void)ret_use;
	return rt_err_sys(err, -EOPNOTSUPP, "%s", ibdev);
}

/* Whether anybody is connected cannot be told: that is no "nobody". */
static void test_unknown_connections_keep_the_link_up(void **state)
{
	const struct rt_kern_ops *ops;
	const struct rt_applied *applied;
	struct rt_outcome outcome;
	struct rt_kern_ops deaf;

	(void)state;
	begin("mlx5", PLAIN);
	ops = deaths->fake->kern.ops;
	deaf = *ops;
	deaf.rdma_use = no_use;
	deaths->fake->kern.ops = &deaf;
	applied = run((struct rt_apply_wish){ 0 }, &outcome);
	assert_int_equal(applied->ports[0].end, RT_APPLY_REFUSED);
	assert_non_null(
		strstr(finding(applied, "apply-in-use")->evidence, "cannot be told"));
	assert_int_equal(deaths->fake->writes, 0);
	rt_outcome_release(&outcome);
	applied = run((struct rt_apply_wish){ .disrupt = true }, &outcome);
	assert_int_equal(applied->ports[0].end, RT_APPLY_COMMITTED);
	rt_outcome_release(&outcome);
	deaths->fake->kern.ops = ops;
	fake_host_free();
}

/* What was true before the first port was written need not be before the second. */
static void test_the_gate_is_judged_before_each_port(void **state)
{
	static const char *const both[] = { "mlx5_0", "mlx5_1" };
	static const struct {
		const char *rule;
		void (*happens)(void);
	} cases[] = {
		{ "apply-in-use", job_starts },
		{ "apply-manager", lldpad_starts },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const struct rt_applied *applied;
		struct rt_outcome outcome;

		begin("mlx5", PLAIN);
		assert_non_null(rt_fake_add_port(deaths->fake, "mlx5"));
		memset(deaths->fake->ports[1].dcb.ets.bw, 100, 8);
		deaths->after_write = cases[i].happens;
		applied = run(
			(struct rt_apply_wish){ .devices = both, .device_count = 2 },
			&outcome);
		assert_int_equal(applied->ports[0].end, RT_APPLY_COMMITTED);
		assert_int_equal(applied->ports[1].end, RT_APPLY_REFUSED);
		assert_non_null(finding(applied, cases[i].rule));
		assert_int_equal(deaths->fake->ports[1].dcb.pfc.mask, 0);
		assert_int_equal(deaths->fake->flaps, 1);
		rt_outcome_release(&outcome);
		fake_host_free();
	}
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

static struct rt_fake_file *cc_param(const char *name)
{
	char path[200];

	snprintf(path, sizeof(path), "/sys/kernel/debug/mlx5/0000:3b:00.0/cc_params/%s",
		 name);
	return rt_fake_file_of(deaths->fake, path);
}

/* What older firmware or another hand left there is out of the range that we would set. */
static void test_values_out_of_range_are_put_back(void **state)
{
	static const struct {
		const char *file, *old, *text;
	} cases[] = {
		{ "rp_gd", "7", PLAIN "  cc: {raw: {mlx5: {rp_gd: 11}}}\n" },
		{ "rp_rate_reduce_monitor_period", "0",
		  PLAIN "  cc: {rp: {reduce_gap: 4us}}\n" },
		{ "rp_min_rate", "0", PLAIN "  cc: {rp: {min_rate: 1Mb/s}}\n" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const struct rt_applied *applied;
		struct rt_outcome outcome;
		struct rt_fake_file *param;
		struct rt_qos old, now;

		begin("mlx5", cases[i].text);
		param = cc_param(cases[i].file);
		assert_non_null(param);
		snprintf(param->text, RT_FAKE_TEXT_BYTES, "%s\n", cases[i].old);
		fake_host_read(&old);
		deaths->after_write = lose_carrier;
		applied = run((struct rt_apply_wish){ 0 }, &outcome);
		if (applied->ports[0].end != RT_APPLY_UNDONE)
			fail_msg("%s: %s", cases[i].file, applied->ports[0].reason);
		assert_true(strtoul(param->text, NULL, 10) ==
			    strtoul(cases[i].old, NULL, 10));
		fake_host_read(&now);
		assert_null(first_difference(&old, &now));
		rt_outcome_release(&outcome);
		fake_host_free();
		forget_journals();
	}
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

static void of_parent(const char *name, const char *text)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%ld/%s", (long)getppid(), name);
	file(path, text);
}

/* Under sudo there is no $SSH_CONNECTION, and the shell that called it has one. */
static void test_the_session_is_found_beyond_sudo(void **state)
{
	static const char *const sudo = "77 (su) do) S 4242 77 77 0\n";
	static const struct {
		const char *parent, *shell_environ, *shell;
		bool lo, eth0;
	} cases[] = {
		/* The way is known. */
		{ sudo, "SSH_CONNECTION=10.0.0.9 50022 127.0.0.1 22", NULL, true,
		  false },
		/* It is remote, and the way is not. */
		{ sudo, "TERM=xterm", "4242 (sshd) S 1 4242\n", true, true },
		{ sudo, NULL, "4242 (sshd-session) S 1 4242\n", true, true },
		/* It is local. */
		{ sudo, "TERM=linux", "4242 (login) S 1 4242\n", false, false },
		{ "77 (cut off", NULL, NULL, false, false },
		{ NULL, NULL, NULL, false, false },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_device lo = { .netdev = "lo" }, eth0 = { .netdev = "eth0" };

		begin("mlx5", PLAIN);
		if (cases[i].parent)
			of_parent("stat", cases[i].parent);
		if (cases[i].shell_environ)
			file("/proc/4242/environ", cases[i].shell_environ);
		if (cases[i].shell)
			file("/proc/4242/stat", cases[i].shell);
		assert_int_equal(rt_carries_session(&deaths->fake->kern, &lo),
				 cases[i].lo);
		assert_int_equal(rt_carries_session(&deaths->fake->kern, &eth0),
				 cases[i].eth0);
		fake_host_free();
	}
}

/* Processes that stem from each other in a ring: a hostile /proc has an end, too. */
static void test_a_ring_of_processes_has_an_end(void **state)
{
	struct rt_device lo = { .netdev = "lo" };

	(void)state;
	begin("mlx5", PLAIN);
	of_parent("stat", "77 (sh) S 4242 1\n");
	file("/proc/4242/stat", "4242 (sh) S 4242 1\n");
	assert_false(rt_carries_session(&deaths->fake->kern, &lo));
	fake_host_free();
}

#define T(name) cmocka_unit_test_setup_teardown(name, make_state, remove_state)
RT_UNIT_MAIN(T(test_a_dry_run_tells_and_writes_nothing),
	     T(test_the_second_apply_writes_nothing), T(test_only_takes_its_groups),
	     T(test_refusals_write_nothing), T(test_who_insists_gets_through),
	     T(test_another_journal_is_in_the_way),
	     T(test_none_is_changed_after_one_that_failed),
	     T(test_slaves_of_a_bond_are_changed_in_turn),
	     T(test_a_slave_of_another_nic_is_refused),
	     T(test_unknown_connections_keep_the_link_up),
	     T(test_the_gate_is_judged_before_each_port), T(test_a_rail_has_its_own),
	     T(test_values_out_of_range_are_put_back),
	     T(test_a_link_that_stays_away_is_undone),
	     T(test_rollback_is_a_change_of_its_own), T(test_session_addresses),
	     T(test_what_stands_on_a_port), T(test_the_session_is_found_beyond_sudo),
	     T(test_a_ring_of_processes_has_an_end))
