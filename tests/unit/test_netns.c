/* SPDX-License-Identifier: BSD-2-Clause */
/* Namespaces and veth pairs, made in a namespace of the test's own. */
#include "unit.h"

#include <errno.h>
#include <grp.h>
#include <net/if.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "kern/kern.h"
#include "kern/netdev.h"
#include "kern/netlink.h"
#include "kern/netns.h"
#include "rocetune/err.h"

/*
 * Each test is a child, since what it enters it cannot leave; cmocka counts the parent's
 * assertion.  77: namespaces are not allowed here.
 */
static void in_child(void (*test)(void))
{
	const pid_t pid = fork();
	bool user;
	int status;

	if (pid == 0) {
		if (rt_netns_prepare(&user, NULL) < 0 || unshare(CLONE_NEWNET) < 0)
			_exit(77);
		test();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		print_message("# skipped: no namespaces allowed\n");
		skip();
	}
	assert_int_equal(status, 0);
}

#define CHECK(what)                                                        \
	do {                                                               \
		if (!(what)) {                                             \
			print_message("# line %d: %s\n", __LINE__, #what); \
			_exit(1);                                          \
		}                                                          \
	} while (0)

static const struct rt_link *find(const struct rt_links *links, const char *name)
{
	for (size_t i = 0; i < links->count; i++)
		if (strcmp(links->items[i].name, name) == 0)
			return &links->items[i];
	return NULL;
}

static void child_veth(void)
{
	struct rt_veth veth = { .name = "s0p0",
				.peer = "h0",
				.mtu_bytes = 4200,
				.mac = { 2, 0, 0, 0, 0, 1 },
				.peer_mac = { 2, 0, 0, 0, 0, 2 } };
	const struct rt_ip ip = { { 10, 0, 0, 1 }, 4 };
	struct rt_links links = { 0 };
	struct rt_kern *kern = NULL;
	struct rt_nl nl = { 0 };
	struct rt_err err = { 0 };
	int here, there;

	CHECK(rt_netns_current(&here, &err) == 0);
	CHECK(rt_netns_create(&there, &err) == 0);
	CHECK(rt_netns_id(there) != 0 && rt_netns_id(there) != rt_netns_id(here));
	veth.peer_netns_fd = there;
	CHECK(rt_veth_add(&nl, &veth, &err) == 0);
	CHECK(rt_veth_add(&nl, &veth, &err) == -EEXIST);
	CHECK(rt_netdev_no_offload("s0p0", &err) == 0);
	CHECK(rt_netdev_up(&nl, "s0p0", &err) == 0);
	CHECK(if_nametoindex("h0") == 0);
	CHECK(rt_netns_enter(there, &err) == 0);
	rt_nl_close(&nl);
	CHECK(rt_netdev_address(&nl, "h0", &ip, 24, &err) == 0);
	CHECK(rt_netdev_address(&nl, "h0", &ip, 24, &err) == -EEXIST);
	CHECK(rt_netdev_address(&nl, "h0", &ip, 33, &err) == -EINVAL);
	CHECK(rt_netdev_up(&nl, "h0", &err) == 0);
	CHECK(rt_netdev_up(&nl, "nothere", &err) == -ENODEV);
	CHECK(rt_netdev_up(&nl, "an-interface-too-long", &err) == -ENODEV);
	CHECK(rt_netdev_no_offload("nothere", &err) == -ENODEV);
	CHECK(rt_kern_open_live(&kern, &err) == 0);
	CHECK(kern->ops->links(kern, &links, &err) == 0);
	CHECK(find(&links, "h0") && find(&links, "h0")->mtu_bytes == 4200);
	CHECK(find(&links, "h0")->is_up && find(&links, "h0")->mac[5] == 2);
	rt_links_free(&links);
	rt_kern_close(kern);
	rt_nl_close(&nl);
	/* The namespace goes with its last holder, and the other end with it. */
	CHECK(rt_netns_enter(here, &err) == 0);
	CHECK(if_nametoindex("s0p0") != 0);
	close(there);
	for (unsigned i = 0; i < 500 && if_nametoindex("s0p0"); i++)
		usleep(10000);
	CHECK(if_nametoindex("s0p0") == 0);
	close(here);
}

static void test_veth_goes_with_its_namespace(void **state)
{
	(void)state;
	in_child(child_veth);
}

static void child_names(void)
{
	struct rt_veth veth = { .name = "ok",
				.peer_netns_fd = -1,
				.mtu_bytes = 1500,
				.mac = { 2 },
				.peer_mac = { 2, 1 } };
	static const char *const bad[] = { "", "a/b", "an-interface-too-long", "." };
	struct rt_nl nl = { 0 };
	struct rt_err err = { 0 };

	for (size_t i = 0; i < RT_ARRAY_SIZE(bad); i++) {
		veth.peer = bad[i];
		CHECK(rt_veth_add(&nl, &veth, &err) < 0);
		CHECK(if_nametoindex("ok") == 0);
	}
	veth.peer = "fine";
	veth.mtu_bytes = 40;
	CHECK(rt_veth_add(&nl, &veth, &err) == -EINVAL);
	rt_nl_close(&nl);
}

static void test_veth_refuses_names_and_mtus(void **state)
{
	(void)state;
	in_child(child_names);
}

static void child_fd(void)
{
	struct rt_err err = { 0 };
	const int fd = open("/dev/null", O_RDONLY);

	CHECK(rt_netns_enter(fd, &err) == -EINVAL);
	CHECK(rt_netns_id(-1) == 0);
	close(fd);
}

static void test_only_namespaces_are_entered(void **state)
{
	(void)state;
	in_child(child_fd);
}

/* Who is not root goes into namespaces that they made, and back. */
static void test_netns_is_left_again_without_root(void **state)
{
	const pid_t pid = fork();
	int status;

	(void)state;
	if (pid == 0) {
		int before, made;
		bool user;

		if (geteuid() == 0 &&
		    (setgroups(0, NULL) < 0 || setresgid(65534, 65534, 65534) < 0 ||
		     setresuid(65534, 65534, 65534) < 0 ||
		     prctl(PR_SET_DUMPABLE, 1) < 0))
			_exit(77);
		if (rt_netns_prepare(&user, NULL) < 0)
			_exit(77);
		CHECK(user);
		CHECK(rt_netns_current(&before, NULL) == 0);
		CHECK(rt_netns_create(&made, NULL) == 0);
		CHECK(rt_netns_enter(made, NULL) == 0);
		CHECK(rt_netns_enter(before, NULL) == 0);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		print_message("# skipped: no namespaces for users\n");
		skip();
	}
	assert_int_equal(status, 0);
}

RT_UNIT_MAIN(cmocka_unit_test(test_netns_is_left_again_without_root),
	     cmocka_unit_test(test_veth_goes_with_its_namespace),
	     cmocka_unit_test(test_veth_refuses_names_and_mtus),
	     cmocka_unit_test(test_only_namespaces_are_entered))
