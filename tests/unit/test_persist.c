/* SPDX-License-Identifier: BSD-2-Clause */
/* test_persist.c - what makes a profile last, and that removing it leaves nothing. */
#include "unit.h"

#include <errno.h>
#include <ftw.h>
#include <sys/stat.h>

#include "apply_folder.h"
#include "base/own.h"
#include "kern/kern_fake.h"
#include "rocetune/err.h"
#include "run/outcome.h"
#include "run/persist.h"
#include "run/persist_units.h"

#define ADDRESS "0000:3b:00.0"

static char root[96];
static unsigned files_seen;

static int count_file(const char *path, const struct stat *at, int kind,
		      struct FTW *where)
{
	(void)path;
	(void)at;
	(void)where;
	files_seen += kind != FTW_D;
	return 0;
}

static unsigned files_below_root(void)
{
	files_seen = 0;
	if (access(root, F_OK) == 0)
		assert_int_equal(nftw(root, count_file, 16, FTW_PHYS), 0);
	return files_seen;
}

static int persist_on(const struct rt_apply_host *host, const char *device,
		      const char *of, bool removes, struct rt_err *err)
{
	const struct rt_persist_wish wish = { .root = root,
					      .device = device,
					      .profile = removes ? NULL : of,
					      .allow_missing = "cc.rp.ai,storm",
					      .remove = removes };
	struct rt_outcome outcome = { 0 };
	int r;

	snprintf(root, sizeof(root), "%s/root", folder);
	r = rt_run_persist(host, &wish, &outcome, err);
	rt_outcome_release(&outcome);
	return r;
}

static int persist(const char *device, const char *of, bool removes, struct rt_err *err)
{
	return persist_on(&rt_this_host, device, of, removes, err);
}

static bool exists(const char *path)
{
	char full[256];
	struct stat at;

	snprintf(full, sizeof(full), "%s%s", root, path);
	return lstat(full, &at) == 0;
}

static bool file_says(const char *path, const char *text)
{
	char full[256], buf[4096];
	FILE *file;
	size_t n;

	snprintf(full, sizeof(full), "%s%s", root, path);
	file = fopen(full, "r");
	assert_non_null(file);
	n = fread(buf, 1, sizeof(buf) - 1, file);
	buf[n] = '\0';
	fclose(file);
	return strstr(buf, text) != NULL;
}

static void write_below(const char *path, const char *text)
{
	char full[256];
	FILE *file;

	snprintf(full, sizeof(full), "%s%s", root, path);
	file = fopen(full, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void test_it_is_made_and_removed(void **state)
{
	struct rt_persistent how;
	struct rt_err err = { 0 };

	(void)state;
	write_profile("classes:\n  be: {dscp: rest, prio: 0}\n");
	if (persist(ADDRESS, profile, false, &err) < 0)
		fail_msg("%s", err.msg);
	assert_true(file_says("/etc/rocetune/" ADDRESS "/files/p.yaml", "be:"));
	assert_true(file_says("/etc/udev/rules.d/90-rocetune-" ADDRESS ".rules",
			      "KERNELS==\"" ADDRESS "\""));
	assert_true(file_says("/etc/udev/rules.d/90-rocetune-" ADDRESS ".rules",
			      "ENV{SYSTEMD_WANTS}+=\"rocetune@" ADDRESS ".service\""));
	assert_false(
		file_says("/etc/udev/rules.d/90-rocetune-" ADDRESS ".rules", "RUN"));
	assert_true(file_says("/etc/systemd/system/rocetune@.service",
			      " persist %I --start\n"));
	assert_int_equal(rt_persistent_read(root, ADDRESS, &how, &err), 0);
	assert_string_equal(how.device, ADDRESS);
	assert_string_equal(how.profile, "/etc/rocetune/" ADDRESS "/files/p.yaml");
	assert_string_equal(how.allow_missing, "cc.rp.ai,storm");
	assert_int_equal(files_below_root(), 6);
	/* Once more changes nothing. */
	assert_int_equal(persist(ADDRESS, profile, false, &err), 0);
	assert_int_equal(files_below_root(), 6);
	assert_int_equal(persist(ADDRESS, NULL, true, &err), 0);
	assert_int_equal(files_below_root(), 0);
	assert_int_equal(persist(ADDRESS, NULL, true, &err), -ENOENT);
}

static void test_what_others_need_stays(void **state)
{
	struct rt_err err = { 0 };

	(void)state;
	write_profile("classes:\n  be: {dscp: rest, prio: 0}\n");
	assert_int_equal(persist("0000:3b:00.0", profile, false, &err), 0);
	assert_int_equal(persist("0000:5e:00.0", profile, false, &err), 0);
	assert_int_equal(persist("0000:3b:00.0", NULL, true, &err), 0);
	assert_true(exists("/etc/systemd/system/rocetune@.service"));
	assert_true(exists("/etc/rocetune/0000:5e:00.0/files/p.yaml"));
	assert_false(exists("/etc/rocetune/0000:3b:00.0"));
	assert_int_equal(persist("0000:5e:00.0", NULL, true, &err), 0);
	assert_int_equal(files_below_root(), 0);
}

static void test_files_of_others_are_left_alone(void **state)
{
	static const char unit[] = "/etc/systemd/system/rocetune@.service";
	struct rt_err err = { 0 };

	(void)state;
	write_profile("classes:\n  be: {dscp: rest, prio: 0}\n");
	assert_int_equal(persist(ADDRESS, profile, false, &err), 0);
	write_below(unit, "[Unit]\nDescription=somebody's own\n");
	assert_int_equal(persist(ADDRESS, profile, false, &err), -EEXIST);
	assert_non_null(strstr(err.msg, "not rocetune's"));
	assert_int_equal(persist(ADDRESS, NULL, true, &err), 0);
	assert_true(file_says(unit, "somebody's own"));
	assert_int_equal(files_below_root(), 1);
}

static void test_what_is_extended_goes_with_it(void **state)
{
	char path[160];
	FILE *file;
	struct rt_err err = { 0 };

	(void)state;
	snprintf(path, sizeof(path), "%s/base.yaml", folder);
	file = fopen(path, "w");
	fputs("name: base\nclasses:\n  be: {dscp: rest, prio: 0}\n", file);
	fclose(file);
	write_profile("extends: base\n");
	assert_int_equal(persist(ADDRESS, profile, false, &err), 0);
	assert_true(exists("/etc/rocetune/" ADDRESS "/files/base.yaml"));
	/* A later profile does without. */
	write_profile("classes:\n  be: {dscp: rest, prio: 0}\n");
	assert_int_equal(persist(ADDRESS, profile, false, &err), 0);
	assert_false(exists("/etc/rocetune/" ADDRESS "/files/base.yaml"));
	/* One that cannot be read leaves nothing of its own. */
	assert_int_equal(persist(ADDRESS, NULL, true, &err), 0);
	write_profile("classes: [\n");
	assert_int_equal(persist(ADDRESS, profile, false, &err), -EINVAL);
	assert_int_equal(files_below_root(), 0);
}

/* A file that has its inode still was not replaced and put back on the way. */
static bool with_inodes;

/* All names below the root, with modes, targets and contents, as one file. */
static void picture(const char *to)
{
	char command[512];

	snprintf(command, sizeof(command),
		 "cd %s && find . -printf '%%p %%y %%m %%l %s\\n' | sort >%s/%s && "
		 "find . -type f | sort | xargs cat >>%s/%s",
		 root, with_inodes ? "%i" : "", folder, to, folder, to);
	assert_int_equal(system(command), 0);
}

static void check_nothing_changed(void)
{
	char command[256];

	picture("after");
	snprintf(command, sizeof(command), "diff %s/before %s/after", folder, folder);
	assert_int_equal(system(command), 0);
}

static void run_below_root(const char *what)
{
	char command[512];

	snprintf(command, sizeof(command), "cd %s && %s", root, what);
	assert_int_equal(system(command), 0);
}

/* Two NICs, the first with two files, one of them closed to others. */
static void persist_two(void)
{
	char path[160];
	FILE *file;
	struct rt_err err = { 0 };

	snprintf(path, sizeof(path), "%s/base.yaml", folder);
	file = fopen(path, "w");
	fputs("name: base\nclasses:\n  be: {dscp: rest, prio: 0}\n", file);
	fclose(file);
	write_profile("extends: base\n");
	assert_int_equal(persist("0000:3b:00.0", profile, false, &err), 0);
	assert_int_equal(persist("0000:5e:00.0", profile, false, &err), 0);
	run_below_root("chmod 600 etc/rocetune/0000:3b:00.0/files/p.yaml && "
		       "echo '# mine' >>etc/udev/rules.d/90-rocetune-" ADDRESS
		       ".rules && echo '# mine' >>"
		       "etc/systemd/system/rocetune-recover.service");
}

/* Whatever stops it, and however late: nobody's persistence is lost, nor changed. */
static void test_failure_leaves_all_as_it_was(void **state)
{
	static const char *const obstacles[] = {
		/* found before anything is written */
		"echo other >etc/udev/rules.d/90-rocetune-" ADDRESS ".rules",
		"rm etc/systemd/system/rocetune@.service && "
		"mkdir etc/systemd/system/rocetune@.service",
		/* found on the way; the rule is the last that is written */
		"mkdir etc/udev/rules.d/90-rocetune-" ADDRESS ".rules.new",
		"mkdir etc/systemd/system/rocetune-recover.service.new",
		"mkdir -p etc/rocetune/" ADDRESS "/persist.json.new",
		"rm etc/rocetune/" ADDRESS "/files/base.yaml && "
		"mkdir -p etc/rocetune/" ADDRESS "/files/base.yaml/x",
	};
	struct rt_err err = { 0 };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(obstacles); i++) {
		print_message("# %s\n", obstacles[i]);
		persist_two();
		run_below_root(obstacles[i]);
		with_inodes = i < 2;
		picture("before");
		write_profile("classes:\n  be: {dscp: rest, prio: 1}\n");
		assert_true(persist(ADDRESS, profile, false, &err) < 0);
		print_message("# %s\n", err.msg);
		assert_null(strstr(err.msg, "not all is as it was"));
		check_nothing_changed();
		with_inodes = false;
		run_below_root("rm -r *");
	}
}

/* What somebody left where a file is written aside is not written into. */
static void test_what_lies_beside_is_left_alone(void **state)
{
	struct rt_err err = { 0 };

	(void)state;
	persist_two();
	write_below("/mine", "mine\n");
	run_below_root("ln -s ../../../mine etc/udev/rules.d/90-rocetune-" ADDRESS
		       ".rules.new && "
		       "mkfifo etc/systemd/system/rocetune-recover.service.new");
	if (persist(ADDRESS, profile, false, &err) < 0)
		fail_msg("%s", err.msg);
	assert_true(file_says("/mine", "mine"));
	assert_false(exists("/etc/udev/rules.d/90-rocetune-" ADDRESS ".rules.new"));
	assert_false(exists("/etc/systemd/system/rocetune-recover.service.new"));
	run_below_root("rm -r *");
}

/* A NIC that never was persistent leaves no folders behind. */
static void test_failed_first_time_leaves_no_folder(void **state)
{
	struct rt_err err = { 0 };

	(void)state;
	snprintf(root, sizeof(root), "%s/root", folder);
	assert_int_equal(mkdir(root, 0755), 0);
	run_below_root("mkdir -p etc/udev/rules.d/90-rocetune-" ADDRESS ".rules.new");
	picture("before");
	write_profile("classes:\n  be: {dscp: rest, prio: 0}\n");
	assert_true(persist(ADDRESS, profile, false, &err) < 0);
	check_nothing_changed();
}

static void test_failed_removal_removes_nothing(void **state)
{
	struct rt_err err = { 0 };

	(void)state;
	persist_two();
	run_below_root("rm etc/rocetune/" ADDRESS "/files/base.yaml && "
		       "mkdir -p etc/rocetune/" ADDRESS "/files/base.yaml/x");
	picture("before");
	assert_int_equal(persist(ADDRESS, NULL, true, &err), -ENOTEMPTY);
	check_nothing_changed();
}

static void test_own_files_stay_when_it_is_removed(void **state)
{
	struct rt_err err = { 0 };

	(void)state;
	persist_two();
	run_below_root("echo mine >etc/rocetune/" ADDRESS "/notes");
	assert_int_equal(persist(ADDRESS, NULL, true, &err), 0);
	assert_true(exists("/etc/rocetune/" ADDRESS "/notes"));
	assert_false(exists("/etc/rocetune/" ADDRESS "/persist.json"));
}

/* --- what is on the disk ------------------------------------------------------------------ */

static unsigned files_synced, folders_synced;

/* Stands for the C library's: a disk that loses what was not synced is not at hand. */
int fsync(int fd)
{
	struct stat at;

	assert_int_equal(fstat(fd, &at), 0);
	if (S_ISDIR(at.st_mode))
		folders_synced++;
	else
		files_synced++;
	return 0;
}

static void test_names_are_on_the_disk(void **state)
{
	struct rt_err err = { 0 };

	(void)state;
	write_profile("classes:\n  be: {dscp: rest, prio: 0}\n");
	files_synced = folders_synced = 0;
	assert_int_equal(persist(ADDRESS, profile, false, &err), 0);
	/* 5 files and a link, and 9 folders that were made, root and its parents' not */
	assert_int_equal(files_synced, 5);
	assert_in_range(folders_synced, 6 + 8, 6 + 13);
	folders_synced = 0;
	assert_int_equal(persist(ADDRESS, NULL, true, &err), 0);
	assert_in_range(folders_synced, 6, 12);
}

/* The journal's own: a renaming that is not on the disk never was. */
static void test_journal_is_on_the_disk(void **state)
{
	RT_AUTO(rt_auto_state_close) struct rt_state *folder_of = NULL;
	struct rt_journal journal = { .ibdev = "mlx5_0", .port = 1 };

	(void)state;
	assert_int_equal(rt_state_open(true, &folder_of, NULL), 0);
	files_synced = folders_synced = 0;
	assert_int_equal(rt_state_save(folder_of, &journal, NULL), 0);
	assert_int_equal(files_synced, 1);
	assert_int_equal(folders_synced, 1);
}

/* --- names -------------------------------------------------------------------------------- */

/* A copy may be called like anything of ours, or not be seen by ls. */
static void test_profiles_of_any_name(void **state)
{
	static const char *const names[] = {
		"profile", "persist.json", ".hid.yaml", "files", "a b%n.yaml", "x.new",
	};
	struct rt_persistent how;
	struct rt_err err = { 0 };
	char path[160], copy[160];

	(void)state;
	write_profile("classes:\n  be: {dscp: rest, prio: 0}\n");
	for (size_t i = 0; i < RT_ARRAY_SIZE(names); i++) {
		print_message("# %s\n", names[i]);
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		assert_int_equal(rename(profile, path), 0);
		if (persist(ADDRESS, path, false, &err) < 0)
			fail_msg("%s", err.msg);
		assert_int_equal(persist(ADDRESS, path, false, &err), 0);
		assert_int_equal(files_below_root(), 6);
		assert_int_equal(rt_persistent_read(root, ADDRESS, &how, &err), 0);
		snprintf(copy, sizeof(copy), "/etc/rocetune/" ADDRESS "/files/%s",
			 names[i]);
		assert_string_equal(how.profile, copy);
		assert_true(file_says(copy, "be:"));
		assert_int_equal(persist(ADDRESS, NULL, true, &err), 0);
		assert_false(exists("/etc/rocetune"));
		assert_int_equal(rename(path, profile), 0);
	}
}

/* Addresses are the kernel's, whoever wrote them; nothing else gets into a rule. */
static void test_names_of_devices(void **state)
{
	static const struct {
		const char *name, *device, *instance;
	} cases[] = {
		{ "0000:3B:00.0", "0000:3b:00.0", "0000:3b:00.0" },
		{ "0000:3B:00.0/2", "0000:3b:00.0/2", "0000:3b:00.0-2" },
		{ "10000:E1:00.0", "10000:e1:00.0", "10000:e1:00.0" },
		{ "Mlx5_0", "Mlx5_0", "Mlx5_0" },
		{ "roce-a", "roce-a", "roce\\x2da" },
		{ "mlx5\"_0", NULL, NULL },
		{ "mlx5_*", NULL, NULL },
		{ "a|b", NULL, NULL },
		{ "-x", NULL, NULL },
		{ "../..", NULL, NULL },
		{ "3b:00.0", NULL, NULL },
		{ "", NULL, NULL },
	};
	char device[RT_PERSIST_NAME_BYTES], instance[RT_PERSIST_NAME_BYTES];

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_err err = { 0 };
		const int r = rt_persist_instance(cases[i].name, device, instance,
						  &err);

		print_message("# %s\n", cases[i].name);
		assert_int_equal(r, cases[i].device ? 0 : -EINVAL);
		if (r < 0)
			continue;
		assert_string_equal(device, cases[i].device);
		assert_string_equal(instance, cases[i].instance);
	}
}

/* mlx4: one PCI function, one RDMA device, two ports; and a NIC with one. */
static int open_three(void *context, struct rt_kern **ret_kern, struct rt_err *err)
{
	struct rt_fake *fake;
	struct rt_fake_port *second;

	(void)context;
	assert_int_equal(rt_fake_new(&fake, err), 0);
	assert_non_null(rt_fake_add_port(fake, "mlx4"));
	second = rt_fake_add_port(fake, "mlx4");
	assert_non_null(second);
	assert_non_null(rt_fake_add_port(fake, "mlx5"));
	memcpy(second->rdma.ibdev, fake->ports[0].rdma.ibdev,
	       sizeof(second->rdma.ibdev));
	second->rdma.port = 2;
	*ret_kern = &fake->kern;
	return 0;
}

static void test_port_is_kept(void **state)
{
	static const struct rt_apply_host three = { .kern_open = open_three };
	static const struct {
		const char *name, *instance, *device, *rule;
	} cases[] = {
		{ "mlx4_0/2", "0000:3b:00.0-2", "0000:3b:00.0/2", "0000:3b:00.0" },
		{ "eth1", "0000:3b:00.0-2", "0000:3b:00.0/2", "0000:3b:00.0" },
		{ "mlx4_0/1", "0000:3b:00.0-1", "0000:3b:00.0/1", "0000:3b:00.0" },
		{ "mlx5_2", "0000:3b:00.2", "0000:3b:00.2", "0000:3b:00.2" },
		{ "mlx5_2/1", "0000:3b:00.2", "0000:3b:00.2", "0000:3b:00.2" },
		{ "0000:3B:00.0/2", "0000:3b:00.0-2", "0000:3b:00.0/2",
		  "0000:3b:00.0" },
	};
	struct rt_persistent how;
	char path[160], says[64];

	(void)state;
	write_profile("classes:\n  be: {dscp: rest, prio: 0}\n");
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_err err = { 0 };

		print_message("# %s\n", cases[i].name);
		if (persist_on(&three, cases[i].name, profile, false, &err) < 0)
			fail_msg("%s", err.msg);
		if (rt_persistent_read(root, cases[i].instance, &how, &err) < 0)
			fail_msg("%s", err.msg);
		assert_string_equal(how.device, cases[i].device);
		snprintf(path, sizeof(path), "/etc/udev/rules.d/90-rocetune-%s.rules",
			 cases[i].instance);
		snprintf(says, sizeof(says), "KERNELS==\"%s\"", cases[i].rule);
		assert_true(file_says(path, says));
		snprintf(says, sizeof(says), "\"rocetune@%s.service\"",
			 cases[i].instance);
		assert_true(file_says(path, says));
		assert_int_equal(persist_on(&three, cases[i].name, NULL, true, &err),
				 0);
		assert_int_equal(files_below_root(), 0);
	}
}

/* Else the unit would say so at every boot, to nobody. */
static void test_several_ports_are_told_now(void **state)
{
	static const struct rt_apply_host three = { .kern_open = open_three };
	struct rt_err err = { 0 };

	(void)state;
	write_profile("classes:\n  be: {dscp: rest, prio: 0}\n");
	assert_int_equal(persist_on(&three, "mlx4_0", profile, false, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "is several ports"));
	assert_int_equal(files_below_root(), 0);
}

/* --- units -------------------------------------------------------------------------------- */

static void test_program_in_a_unit(void **state)
{
	static const struct {
		const char *path, *written;
	} cases[] = {
		{ "/usr/bin/rocetune", "\"/usr/bin/rocetune\"" },
		{ "/opt/my tools/rocetune", "\"/opt/my tools/rocetune\"" },
		{ "/opt/100%n/rocetune", "\"/opt/100%%n/rocetune\"" },
		{ "/opt/$HOME/;x/${y}", "\"/opt/$HOME/;x/${y}\"" },
		{ "/opt/\"x", NULL },
		{ "/opt/it's", NULL },
		{ "/opt/a\\b", NULL },
		{ "/opt/a\nExecStart=/bin/false", NULL },
	};
	char buf[64];

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_err err = { 0 };
		const int r = rt_unit_program(cases[i].path, buf, sizeof(buf), &err);

		assert_int_equal(r, cases[i].written ? 0 : -EINVAL);
		if (r == 0)
			assert_string_equal(buf, cases[i].written);
	}
	assert_int_equal(rt_unit_program("/usr/bin/rocetune", buf, 36, NULL),
			 -ENAMETOOLONG);
}

/*
 * The units lie where systemd-analyze looks only for them, with a program of theirs.
 * It takes what follows a colon for another name of the file.
 */
static void test_systemd_takes_the_units(void **state)
{
	struct rt_err err = { 0 };
	char command[2048], self[256], written[600];

	(void)state;
	if (system("command -v systemd-analyze >/dev/null") != 0) {
		print_message("# SKIP systemd-analyze is not installed\n");
		skip();
	}
	write_profile("classes:\n  be: {dscp: rest, prio: 0}\n");
	assert_int_equal(persist(ADDRESS, profile, false, &err), 0);
	snprintf(self, sizeof(self), "%s/my 100%%n $x", folder);
	assert_int_equal(rt_unit_program(self, written, sizeof(written), &err), 0);
	snprintf(
		command, sizeof(command),
		"cd '%s/etc/systemd/system' && cp /bin/true '%s' && : >basic.target && "
		": >sysinit.target && : >shutdown.target && "
		"P='%s' perl -pi -e 's/^ExecStart=\"[^\"]*\"/ExecStart=$ENV{P}/' "
		"*.service && for u in rocetune@mlx5_0.service "
		"rocetune@roce\\\\x2da-2.service rocetune-recover.service; do "
		"systemd-analyze --man=no --recursive-errors=no verify "
		"\"$PWD/$u\" >%s/said 2>&1 && ! grep -v '^[\t-]' %s/said || "
		"{ cat %s/said; exit 1; }; done",
		root, self, written, folder, folder, folder);
	assert_int_equal(system(command), 0);
}

/* What another boot left is closed before any NIC's unit, however fast udev is. */
static void test_order_of_the_units(void **state)
{
	static const char recover[] = "/etc/systemd/system/rocetune-recover.service";
	static const char apply[] = "/etc/systemd/system/rocetune@.service";
	struct rt_err err = { 0 };

	(void)state;
	write_profile("classes:\n  be: {dscp: rest, prio: 0}\n");
	assert_int_equal(persist(ADDRESS, profile, false, &err), 0);
	assert_true(file_says(apply, "\nAfter=rocetune-recover.service\n"));
	assert_true(file_says(apply, "\nWants=rocetune-recover.service\n"));
	assert_true(file_says(recover, "\nBefore=basic.target "));
	assert_true(file_says(recover, "\nDefaultDependencies=no\n"));
	assert_true(exists(
		"/etc/systemd/system/basic.target.wants/rocetune-recover.service"));
}

/* Values are those of systemd-escape(1). */
static void test_names_of_instances(void **state)
{
	static const struct {
		const char *text, *escaped;
	} cases[] = {
		{ "0000:3b:00.0", "0000:3b:00.0" },
		{ "mlx5_0", "mlx5_0" },
		{ "rocep-1", "rocep\\x2d1" },
		{ "a/b", "a-b" },
		{ ".x", "\\x2ex" },
		{ "a b", "a\\x20b" },
	};
	char buf[32];

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		assert_int_equal(rt_unit_escape(cases[i].text, buf, sizeof(buf)), 0);
		assert_string_equal(buf, cases[i].escaped);
	}
	assert_int_equal(rt_unit_escape("----------", buf, sizeof(buf)), -ENAMETOOLONG);
}

#define T(name) cmocka_unit_test_setup_teardown(name, make_state, remove_state)
RT_UNIT_MAIN(T(test_it_is_made_and_removed), T(test_what_others_need_stays),
	     T(test_files_of_others_are_left_alone),
	     T(test_what_is_extended_goes_with_it),
	     T(test_failure_leaves_all_as_it_was),
	     T(test_what_lies_beside_is_left_alone),
	     T(test_failed_first_time_leaves_no_folder),
	     T(test_failed_removal_removes_nothing),
	     T(test_own_files_stay_when_it_is_removed), T(test_names_are_on_the_disk),
	     T(test_journal_is_on_the_disk), T(test_names_of_instances),
	     T(test_profiles_of_any_name), T(test_names_of_devices),
	     T(test_port_is_kept), T(test_several_ports_are_told_now),
	     T(test_program_in_a_unit), T(test_systemd_takes_the_units),
	     T(test_order_of_the_units))
