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
	     T(test_what_is_extended_goes_with_it), T(test_names_of_instances))
