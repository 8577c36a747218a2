/* SPDX-License-Identifier: BSD-2-Clause */
/* netns.c - unshare(2), setns(2), and a user namespace for who is not root. */
#include "kern/netns.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rocetune/err.h"

#define SELF_NETNS "/proc/thread-self/ns/net"

static int write_text(const char *path, const char *text)
{
	const int fd = open(path, O_WRONLY | O_CLOEXEC);
	int r = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		r = -errno;
	close(fd);
	return r;
}

ino_t rt_netns_id(int fd)
{
	struct stat file;

	return fstat(fd, &file) == 0 ? file.st_ino : 0;
}

/* capget(2) itself: what it needs of a library is one call. */
static bool may(unsigned need)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	return syscall(SYS_capget, &header, data) == 0 &&
	       (data[0].effective & need) == need;
}

bool rt_netns_may_enter(void)
{
	return may(1u << CAP_SYS_ADMIN);
}

/* One user of the new namespace is one outside: all that an unprivileged user may map. */
static int map_ids(unsigned uid, unsigned gid)
{
	char map[64];
	int r;

	snprintf(map, sizeof(map), "0 %u 1", uid);
	r = write_text("/proc/self/uid_map", map);
	if (r == 0)
		r = write_text("/proc/self/setgroups", "deny");
	snprintf(map, sizeof(map), "0 %u 1", gid);
	return r < 0 ? r : write_text("/proc/self/gid_map", map);
}

int rt_netns_prepare(bool *ret_user_namespace, struct rt_err *err)
{
	const unsigned uid = geteuid(), gid = getegid();
	int r;

	if (may(1u << CAP_NET_ADMIN | 1u << CAP_NET_RAW | 1u << CAP_SYS_ADMIN)) {
		*ret_user_namespace = false;
		return 0;
	}
	/* A network of it, too: back into one of outside nobody gets (setns(2)). */
	r = unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0 ? -errno : map_ids(uid, gid);
	/* ENOSPC: user.max_user_namespaces is 0 or reached (user_namespaces(7)). */
	if (r == -EPERM || r == -EACCES || r == -ENOSPC)
		return rt_err_set(
			err, -EPERM,
			"network namespaces need root, or a kernel that lets "
			"users have namespaces: run it with sudo, or see sysctl "
			"kernel.unprivileged_userns_clone, "
			"kernel.apparmor_restrict_unprivileged_userns and "
			"user.max_user_namespaces");
	if (r < 0)
		return rt_err_sys(err, r, "cannot have a user namespace");
	*ret_user_namespace = true;
	return 0;
}

int rt_netns_current(int *ret_fd, struct rt_err *err)
{
	const int fd = open(SELF_NETNS, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return rt_err_sys(err, -errno,
				  SELF_NETNS ": cannot open the network namespace");
	*ret_fd = fd;
	return 0;
}

int rt_netns_enter(int fd, struct rt_err *err)
{
	if (setns(fd, CLONE_NEWNET) < 0)
		return rt_err_sys(err, -errno, "cannot enter a network namespace");
	return 0;
}

int rt_netns_create(int *ret_fd, struct rt_err *err)
{
	int before = -1, fd = -1;
	int r = rt_netns_current(&before, err);

	if (r < 0)
		return r;
	if (unshare(CLONE_NEWNET) < 0) {
		r = rt_err_sys(err, -errno, "cannot make a network namespace");
	} else {
		struct rt_err back = { 0 };
		int b;

		r = rt_netns_current(&fd, err);
		b = rt_netns_enter(before, &back);
		if (b < 0 && r == 0)
			r = rt_err_set(err, b, "%s", back.msg);
	}
	close(before);
	if (r == 0)
		*ret_fd = fd;
	else if (fd >= 0)
		close(fd);
	return r;
}

int rt_netns_without_ipv6(struct rt_err *err)
{
	static const char *const paths[] = {
		"/proc/sys/net/ipv6/conf/default/disable_ipv6",
		"/proc/sys/net/ipv6/conf/all/disable_ipv6",
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		const int r = write_text(paths[i], "1");

		if (r < 0 && r != -ENOENT)
			return rt_err_sys(err, r, "%s", paths[i]);
	}
	return 0;
}
