/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The live back end against this machine's kernel, in a network namespace of its
 * own: what a kernel without a RoCE NIC can show.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/own.h"
#include "kern/kern.h"
#include "kern/netlink.h"
#include "rocetune/err.h"

/* --- the namespace ------------------------------------------------------------------ */

static bool write_file(const char *path, const char *text)
{
	const int fd = open(path, O_WRONLY);
	const bool good = fd >= 0 && write(fd, text, strlen(text)) > 0;

	if (fd >= 0)
		close(fd);
	return good;
}

/* Root of the machine, or of a user namespace; false: neither is allowed. */
static bool enter_namespace(void)
{
	const unsigned uid = getuid(), gid = getgid();
	char map[64];

	if (unshare(CLONE_NEWNET) == 0)
		return true;
	if (unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0)
		return false;
	snprintf(map, sizeof(map), "0 %u 1", uid);
	write_file("/proc/self/setgroups", "deny");
	if (!write_file("/proc/self/uid_map", map))
		return false;
	snprintf(map, sizeof(map), "0 %u 1", gid);
	return write_file("/proc/self/gid_map", map);
}

static int make_veth(const char *a, const char *b)
{
	const struct ifinfomsg info = { 0 };
	const struct rt_nl_answer none = { 0 };
	struct nl_msg *msg = nlmsg_alloc_simple(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL);
	struct nlattr *link, *data, *peer;
	struct rt_nl nl = { 0 };
	struct rt_err err = { 0 };
	int r;

	nlmsg_append(msg, (void *)(uintptr_t)&info, sizeof(info), NLMSG_ALIGNTO);
	nla_put_string(msg, IFLA_IFNAME, a);
	link = nla_nest_start(msg, IFLA_LINKINFO);
	nla_put_string(msg, IFLA_INFO_KIND, "veth");
	data = nla_nest_start(msg, IFLA_INFO_DATA);
	peer = nla_nest_start(msg, VETH_INFO_PEER);
	nlmsg_append(msg, (void *)(uintptr_t)&info, sizeof(info), NLMSG_ALIGNTO);
	nla_put_string(msg, IFLA_IFNAME, b);
	nla_nest_end(msg, peer);
	nla_nest_end(msg, data);
	nla_nest_end(msg, link);
	r = rt_nl_ask(&nl, NETLINK_ROUTE, msg, "veth", &none, &err);
	if (r < 0)
		print_message("# %s\n", err.msg);
	rt_nl_close(&nl);
	return r;
}

static int setup(void **state)
{
	struct rt_kern *kern = NULL;

	*state = NULL;
	if (!enter_namespace() || make_veth("rt0", "rt1") < 0)
		return 0; /* the tests say so */
	assert_int_equal(rt_kern_open_live(&kern, NULL), 0);
	*state = kern;
	return 0;
}

static int teardown(void **state)
{
	rt_kern_close(*state);
	return 0;
}

#define NEED_NAMESPACE(state)                                                      \
	do {                                                                       \
		if (!*(state)) {                                                   \
			print_message("# skipped: no network namespace with veth " \
				      "can be made here\n");                       \
			skip();                                                    \
		}                                                                  \
	} while (0)

/* --- the tests ------------------------------------------------------------------------ */

static void test_live_lists_links(void **state)
{
	struct rt_kern *kern = *state;
	struct rt_links links = { 0 };
	const struct rt_link *found = NULL;
	struct rt_err err = { 0 };

	NEED_NAMESPACE(state);
	assert_int_equal(kern->ops->links(kern, &links, &err), 0);
	for (size_t i = 0; i < links.count; i++)
		if (strcmp(links.items[i].name, "rt0") == 0)
			found = &links.items[i];
	assert_non_null(found);
	assert_string_equal(found->kind, "veth");
	assert_int_equal(found->mtu_bytes, 1500);
	assert_true(found->ifindex > 0 && found->master_ifindex == 0);
	assert_false(found->is_up || found->carrier);
	assert_true(found->carrier_changes_known);
	assert_true(found->mac[0] & 2);
	rt_links_free(&links);
}

/* veth has no DCB operations; a kernel without CONFIG_DCB says the same. */
static void test_live_dcb_is_not_supported_by_veth(void **state)
{
	const struct rt_dcb_app app = { RT_APP_DSCP, 3, 26 };
	const struct rt_dcb_set set = { .has = RT_DCB_PFC };
	struct rt_kern *kern = *state;
	struct rt_err err = { 0 };
	struct rt_dcb dcb;

	NEED_NAMESPACE(state);
	assert_int_equal(kern->ops->dcb_get(kern, "rt0", &dcb, &err), -EOPNOTSUPP);
	assert_non_null(strstr(err.msg, "rt0: cannot read the DCB state"));
	/* In a user namespace of one's own the kernel looks no further than that. */
	for (int i = 0; i < 4; i++) {
		int r = i == 0   ? kern->ops->dcb_set(kern, "rt0", &set, &err)
			: i == 1 ? kern->ops->dcb_app_add(kern, "rt0", &app, &err)
			: i == 2 ? kern->ops->dcb_app_delete(kern, "rt0", &app, &err)
				 : kern->ops->dcbx_set(kern, "rt0", 9, &err);

		assert_true(r == -EOPNOTSUPP || r == -EPERM);
	}
	assert_non_null(strstr(err.msg, "rt0: cannot set DCBX mode 0x09"));
	/* What was left unread would answer the next question. */
	assert_int_equal(kern->ops->dcb_get(kern, "rt0", &dcb, &err), -EOPNOTSUPP);
}

static void test_live_names_that_no_device_has(void **state)
{
	struct rt_kern *kern = *state;
	struct rt_err err = { 0 };
	struct rt_link_pause pause;
	struct rt_dcb dcb;
	int r;

	NEED_NAMESPACE(state);
	/* -EOPNOTSUPP where the kernel has no DCB at all. */
	r = kern->ops->dcb_get(kern, "rt9", &dcb, &err);
	assert_true(r == -ENODEV || r == -EOPNOTSUPP);
	assert_int_equal(kern->ops->dcb_get(kern, "sixteen-letters-", &dcb, &err),
			 -ENODEV);
	assert_int_equal(kern->ops->dcb_get(kern, "", &dcb, &err), -ENODEV);
	assert_int_equal(kern->ops->pause_get(kern, "rt9", &pause, &err), -ENODEV);
}

static void test_live_ethtool_of_veth(void **state)
{
	const struct rt_link_pause off = { 0 };
	struct rt_kern *kern = *state;
	struct rt_ethtool_info info = { 0 };
	struct rt_priv_flags flags;
	struct rt_opt_u64 bps = { 0 };
	struct rt_err err = { 0 };
	struct rt_link_pause pause;
	uint16_t ms;

	NEED_NAMESPACE(state);
	assert_int_equal(kern->ops->ethtool_info(kern, "rt0", &info, &err), 0);
	assert_string_equal(info.driver, "veth");
	/* veth claims ten gigabits (drivers/net/veth.c). */
	assert_int_equal(kern->ops->speed_get(kern, "rt0", &bps, &err), 0);
	assert_true(bps.known && bps.value == 10000000000);
	assert_int_equal(kern->ops->pause_get(kern, "rt0", &pause, &err), -EOPNOTSUPP);
	assert_int_equal(kern->ops->pause_set(kern, "rt0", &off, &err), -EOPNOTSUPP);
	assert_int_equal(kern->ops->priv_flags_get(kern, "rt0", &flags, &err),
			 -EOPNOTSUPP);
	assert_int_equal(kern->ops->priv_flag_set(kern, "rt0", "x", true, &err),
			 -EOPNOTSUPP);
	assert_int_equal(kern->ops->storm_get(kern, "rt0", &ms, &err), -EOPNOTSUPP);
	assert_non_null(strstr(err.msg, "rt0: cannot read pfc-prevention-tout"));
}

static void test_live_rdma_is_told_apart(void **state)
{
	struct rt_kern *kern = *state;
	struct rt_rdma_ports ports = { 0 };
	struct rt_rdma_use use;
	struct rt_err err = { 0 };
	int r;

	NEED_NAMESPACE(state);
	r = kern->ops->rdma_ports(kern, &ports, &err);
	if (access("/sys/class/infiniband", R_OK) == 0) {
		assert_int_equal(r, 0);
		assert_int_equal(kern->ops->rdma_use(kern, "none", &use, &err),
				 -ENODEV);
	} else {
		assert_int_equal(r, -EOPNOTSUPP);
		assert_non_null(strstr(err.msg, "has no RDMA"));
		assert_int_equal(kern->ops->rdma_use(kern, "none", &use, &err),
				 -EOPNOTSUPP);
	}
	rt_rdma_ports_free(&ports);
}

static void test_live_eswitch_of_nothing(void **state)
{
	struct rt_kern *kern = *state;
	struct rt_err err = { 0 };
	char mode[16];
	int r;

	NEED_NAMESPACE(state);
	r = kern->ops->eswitch_mode(kern, "ffff:00:00.0", mode, sizeof(mode), &err);
	/* No devlink in this kernel; no such device; not root of the machine. */
	assert_true(r == -EOPNOTSUPP || r == -ENODEV || r == -EPERM);
}

static void test_live_files(void **state)
{
	char folder[] = "/tmp/rt-live-XXXXXX", path[64], text[64];
	struct rt_kern *kern = NULL;
	struct rt_names names = { 0 };
	struct rt_err err = { 0 };
	char comm[16] = "";
	uint64_t number = 0;
	size_t bytes = 0;

	(void)state;
	prctl(PR_GET_NAME, comm);
	assert_int_equal(rt_kern_open_live(&kern, &err), 0);
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/a", folder);
	assert_int_equal(kern->ops->folder_make(kern, path, &err), 0);
	assert_int_equal(kern->ops->folder_make(kern, path, &err), -EEXIST);
	snprintf(path, sizeof(path), "%s/b", folder);
	assert_int_equal(kern->ops->file_write(kern, path, "7", &err), -ENOENT);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	assert_int_equal(kern->ops->file_write(kern, path, "4096\nnext\n", &err), 0);
	assert_int_equal(kern->ops->access(kern, path, true), 0);
	assert_int_equal(kern->ops->file_read(kern, path, text, 11, &bytes, &err), 0);
	assert_int_equal(bytes, 10);
	assert_string_equal(text, "4096\nnext\n");
	assert_int_equal(kern->ops->file_read(kern, path, text, 10, &bytes, &err),
			 -EFBIG);
	assert_int_equal(rt_kern_line(kern, path, text, sizeof(text), &err), 0);
	assert_string_equal(text, "4096");
	assert_int_equal(rt_kern_number(kern, path, &number, &err), 0);
	assert_int_equal(number, 4096);
	assert_int_equal(kern->ops->symlink_read(kern, path, text, sizeof(text), &err),
			 -EINVAL);
	assert_int_equal(kern->ops->folder_read(kern, folder, &names, &err), 0);
	assert_int_equal(names.count, 2);
	assert_string_equal(names.items[0], "a");
	rt_names_free(&names);

	/* A folder that was read from is gone, and another has its name. */
	unlink(path);
	assert_int_equal(kern->ops->file_read(kern, path, text, 10, &bytes, &err),
			 -ENOENT);
	snprintf(path, sizeof(path), "%s/a", folder);
	assert_int_equal(kern->ops->folder_remove(kern, path, &err), 0);
	assert_int_equal(symlink("/proc/self/comm", path), 0);
	assert_int_equal(kern->ops->symlink_read(kern, path, text, sizeof(text), &err),
			 0);
	assert_string_equal(text, "/proc/self/comm");
	assert_int_equal(kern->ops->symlink_read(kern, path, text, 15, &err),
			 -ENAMETOOLONG);
	assert_int_equal(rt_kern_line(kern, path, text, sizeof(text), &err), 0);
	/* Not always ours: valgrind runs us under its own name. */
	assert_string_equal(text, comm);
	unlink(path);
	rmdir(folder);
	assert_int_equal(kern->ops->access(kern, folder, false), -ENOENT);
	rt_kern_close(kern);
}

static void test_live_numbers(void **state)
{
	static const struct {
		const char *text;
		int r;
		uint64_t number;
	} cases[] = {
		{ "0\n", 0, 0 },
		{ "0x1f\n", 0, 31 },
		{ "18446744073709551615", 0, UINT64_MAX },
		{ "18446744073709551616\n", -EPROTO, 0 },
		{ "010\n", 0, 10 },
		{ "4096 bytes\n", -EPROTO, 0 },
		{ "-1\n", -EPROTO, 0 },
		{ " 1\n", -EPROTO, 0 },
		{ "\n", -EPROTO, 0 },
		{ "", -EPROTO, 0 },
		{ "0x\n", -EPROTO, 0 },
		{ "N/A (no PMA)\n", -EPROTO, 0 },
	};
	char path[] = "/tmp/rt-number-XXXXXX";
	struct rt_kern *kern = NULL;
	const int fd = mkstemp(path);

	(void)state;
	assert_int_equal(rt_kern_open_live(&kern, NULL), 0);
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const ssize_t bytes = (ssize_t)strlen(cases[i].text);
		uint64_t number = 0;

		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, cases[i].text, (size_t)bytes, 0), bytes);
		print_message("# %s\n", cases[i].text);
		assert_int_equal(rt_kern_number(kern, path, &number, NULL), cases[i].r);
		assert_true(number == cases[i].number);
	}
	close(fd);
	unlink(path);
	rt_kern_close(kern);
}

/* A datagram to nl as if it answered the request of this number. */
static void lie(const struct rt_nl *nl, uint32_t seq)
{
	struct {
		struct nlmsghdr header;
		struct nlmsgerr error;
	} said = {
		.header = { .nlmsg_len = sizeof(said),
			    .nlmsg_type = NLMSG_ERROR,
			    .nlmsg_seq = seq },
		.error = { .error = -EPERM },
	};
	const struct sockaddr_nl to = { .nl_family = AF_NETLINK,
					.nl_pid = nl_socket_get_local_port(nl->sock) };
	const int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	assert_true(fd >= 0);
	assert_int_equal(
		sendto(fd, &said, sizeof(said), 0, (const void *)&to, sizeof(to)),
		sizeof(said));
	close(fd);
}

/* Any process with the right to may send to our socket; only port 0 is the kernel. */
static void test_live_hears_nobody_but_the_kernel(void **state)
{
	const struct rt_nl_answer none = { 0 };
	struct rt_nl nl = { 0 };
	struct rt_err err = { 0 };

	NEED_NAMESPACE(state);
	for (unsigned i = 0; i < 2; i++) {
		if (i)
			lie(&nl, nl_socket_use_seq(nl.sock) + 1);
		if (rt_nl_ask(&nl, NETLINK_ROUTE, nlmsg_alloc_simple(NLMSG_NOOP, 0),
			      "nothing", &none, &err) < 0)
			fail_msg("%s", err.msg);
	}
	rt_nl_close(&nl);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_live_lists_links),
		cmocka_unit_test(test_live_dcb_is_not_supported_by_veth),
		cmocka_unit_test(test_live_names_that_no_device_has),
		cmocka_unit_test(test_live_ethtool_of_veth),
		cmocka_unit_test(test_live_rdma_is_told_apart),
		cmocka_unit_test(test_live_eswitch_of_nothing),
		cmocka_unit_test(test_live_hears_nobody_but_the_kernel),
		cmocka_unit_test(test_live_files),
		cmocka_unit_test(test_live_numbers),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
