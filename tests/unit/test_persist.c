/* SPDX-License-Identifier: BSD-2-Clause */
/* test_persist.c - what makes a profile last, and that removing it leaves nothing. */
#include "unit.h"

#include <errno.h>
#include <ftw.h>
#include <sys/stat.h>

#include "apply_folder.h"
#include "base/own.h"
#include "rocetune/err.h"
#include "run/outcome.h"
#include "run/persist.h"

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

static int persist(const char *device, const char *of, bool removes, struct rt_err *err)
{
	const struct rt_persist_wish wish = { .root = root,
					      .device = device,
					      .profile = removes ? NULL : of,
					      .allow_missing = "cc.rp.ai,storm",
					      .remove = removes };
	struct rt_outcome outcome = { 0 };
	int r;

	snprintf(root, sizeof(root), "%s/root", folder);
	r = rt_run_persist(&rt_this_host, &wish, &outcome, err);
	rt_outcome_release(&outcome);
	return r;
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
	assert_true(exists("/etc/rocetune/" ADDRESS "/p.yaml"));
	assert_true(file_says("/etc/rocetune/" ADDRESS "/profile", "be:"));
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
	assert_string_equal(how.allow_missing, "cc.rp.ai,storm");
	assert_int_equal(files_below_root(), 7);
	/* Once more changes nothing. */
	assert_int_equal(persist(ADDRESS, profile, false, &err), 0);
	assert_int_equal(files_below_root(), 7);
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
	assert_true(exists("/etc/rocetune/0000:5e:00.0/p.yaml"));
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
	assert_true(exists("/etc/rocetune/" ADDRESS "/base.yaml"));
	/* A later profile does without. */
	write_profile("classes:\n  be: {dscp: rest, prio: 0}\n");
	assert_int_equal(persist(ADDRESS, profile, false, &err), 0);
	assert_false(exists("/etc/rocetune/" ADDRESS "/base.yaml"));
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
	run_below_root("chmod 600 etc/rocetune/0000:3b:00.0/p.yaml && "
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
		"rm etc/rocetune/" ADDRESS "/base.yaml && "
		"mkdir -p etc/rocetune/" ADDRESS "/base.yaml/x",
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
	run_below_root("rm etc/rocetune/" ADDRESS "/base.yaml && "
		       "mkdir -p etc/rocetune/" ADDRESS "/base.yaml/x");
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
	/* 5 files and 2 links, and 8 folders that were made, root and its parents' not */
	assert_int_equal(files_synced, 5);
	assert_in_range(folders_synced, 7 + 7, 7 + 12);
	folders_synced = 0;
	assert_int_equal(persist(ADDRESS, NULL, true, &err), 0);
	assert_in_range(folders_synced, 7, 12);
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
	     T(test_failed_first_time_leaves_no_folder),
	     T(test_failed_removal_removes_nothing),
	     T(test_own_files_stay_when_it_is_removed), T(test_names_are_on_the_disk),
	     T(test_journal_is_on_the_disk), T(test_names_of_instances))
