/* SPDX-License-Identifier: BSD-2-Clause */
/* What root may is given up, for good; each test in a process of its own. */
#include "unit.h"

#include <errno.h>
#include <grp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/privilege.h"
#include "rocetune/err.h"

/* Whether a line of /proc/self/status is as it should be. */
static bool status_has(const char *name, const char *value)
{
	FILE *file = fopen("/proc/self/status", "r");
	const size_t length = strlen(name);
	char line[256];
	bool found = false;

	while (file && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		found |= strncmp(line, name, length) == 0 &&
			 strcmp(line + length + strspn(line + length, "\t "), value) ==
				 0;
	}
	if (file)
		fclose(file);
	return found;
}

/* Run in a child, whose result comes back. */
static int in_child(int (*run)(void))
{
	const pid_t child = fork();
	int status = 0;

	assert_true(child >= 0);
	if (child == 0)
		_exit(run());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

#define CHECK(what)                                       \
	do {                                              \
		if (!(what)) {                            \
			fprintf(stderr, "# %s\n", #what); \
			return 1;                         \
		}                                         \
	} while (0)

static int has_no_rights(void)
{
	static const char none[] = "0000000000000000";

	CHECK(status_has("CapPrm:", none));
	CHECK(status_has("CapEff:", none));
	CHECK(status_has("CapInh:", none));
	CHECK(status_has("NoNewPrivs:", "1"));
	return 0;
}

static int keep_user(void)
{
	const uid_t uid = geteuid();

	CHECK(rt_privilege_drop(NULL, NULL) == 0);
	CHECK(geteuid() == uid);
	CHECK(has_no_rights() == 0);
	/* Again, with nothing to give up. */
	CHECK(rt_privilege_drop(NULL, NULL) == 0);
	return 0;
}

static void test_rights_go_and_who_one_is_stays(void **state)
{
	(void)state;
	assert_int_equal(in_child(keep_user), 0);
}

static int become_nobody(void)
{
	const gid_t groups[] = { 12345, 0 };
	struct rt_user user;

	CHECK(setgroups(2, groups) == 0);
	CHECK(rt_user_find("nobody", &user, NULL) == 0);
	CHECK(rt_privilege_drop(&user, NULL) == 0);
	CHECK(getuid() == user.uid && geteuid() == user.uid);
	CHECK(getgid() == user.gid && getegid() == user.gid);
	CHECK(getgroups(0, NULL) == 0);
	CHECK(has_no_rights() == 0);
	CHECK(status_has("CapBnd:", "0000000000000000"));
	/* There is no way back. */
	CHECK(setuid(0) == -1 && seteuid(0) == -1);
	/* Who one is already one may become. */
	CHECK(rt_privilege_drop(&user, NULL) == 0);
	return 0;
}

static void test_root_becomes_somebody_else(void **state)
{
	(void)state;
	if (geteuid() != 0) {
		print_message("# skipped: not root\n");
		skip();
	}
	assert_int_equal(in_child(become_nobody), 0);
}

static int become_root_again(void)
{
	struct rt_user user = { 0 };
	struct rt_err err = { 0 };

	CHECK(rt_user_find("nobody", &user, NULL) == 0);
	CHECK(geteuid() != 0 || rt_privilege_drop(&user, NULL) == 0);
	CHECK(rt_user_find("root", &user, NULL) == 0);
	CHECK(rt_privilege_drop(&user, &err) == -EPERM);
	CHECK(*err.msg);
	return 0;
}

static void test_others_do_not(void **state)
{
	(void)state;
	assert_int_equal(in_child(become_root_again), 0);
}

static void test_users_are_found_by_name_and_number(void **state)
{
	struct rt_user user = { 1, 1 };
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(rt_user_find("root", &user, NULL), 0);
	assert_int_equal(user.uid, 0);
	user.uid = 1;
	assert_int_equal(rt_user_find("0", &user, NULL), 0);
	assert_int_equal(user.uid, 0);
	assert_int_equal(rt_user_find("no-such-user", &user, &err), -ENOENT);
	assert_int_equal(rt_user_find("", &user, &err), -ENOENT);
	assert_int_equal(rt_user_find("-1", &user, &err), -ENOENT);
	assert_int_equal(rt_user_find("4294967295", &user, &err), -ENOENT);
	/* Not cut to 0, which is root. */
	assert_int_equal(rt_user_find("4294967296", &user, &err), -ENOENT);
	assert_int_equal(rt_user_find("0x0", &user, &err), -ENOENT);
}

RT_UNIT_MAIN(cmocka_unit_test(test_rights_go_and_who_one_is_stays),
	     cmocka_unit_test(test_root_becomes_somebody_else),
	     cmocka_unit_test(test_others_do_not),
	     cmocka_unit_test(test_users_are_found_by_name_and_number))
