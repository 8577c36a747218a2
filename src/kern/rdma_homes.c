/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rdma_homes.c - which network namespace has which RDMA device.
 *
 * With "rdma system set netns exclusive" a device is seen in one namespace alone, by
 * rdma netlink and in sysfs (drivers/infiniband/core/device.c rdma_dev_access_netns()).
 * Who asks must be in it: the namespaces that processes are in (/proc/PID/ns/net) and
 * those that ip-netns(8) named (/run/netns) are entered one after the other.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <pthread.h>
#include <rdma/rdma_netlink.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/own.h"
#include "kern/live.h"
#include "kern/netns.h"
#include "rocetune/err.h"

#define SYS_GET  RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_SYS_GET)
#define ATTR_MAX RDMA_NLDEV_SYS_ATTR_NETNS_MODE

#define NETNS_MAX 256u
#define LIMIT_NS  2000000000
#define NAMES     "/run/netns"

/* --- shared or exclusive --------------------------------------------------------------- */

int rt_rdma_parse_system(const void *payload, size_t bytes, bool *ret_exclusive,
			 struct rt_err *err)
{
	static const struct nla_policy policy[ATTR_MAX + 1] = {
		[RDMA_NLDEV_SYS_ATTR_NETNS_MODE] = { .type = NLA_U8 },
	};
	struct nlattr *attrs[ATTR_MAX + 1], *mode;

	if (rt_nl_attrs(payload, bytes, policy, ATTR_MAX, attrs) < 0)
		return rt_err_set(err, -EPROTO,
				  "a mode of network namespaces that makes no sense");
	mode = attrs[RDMA_NLDEV_SYS_ATTR_NETNS_MODE];
	*ret_exclusive = mode && nla_get_u8(mode) == 0; /* 1: shared */
	return 0;
}

static int take_system(void *context, const void *payload, size_t bytes,
		       struct rt_err *err)
{
	return rt_rdma_parse_system(payload, bytes, context, err);
}

/* A kernel that does not know the question shares. */
static int ask_exclusive(struct rt_live *live, bool *ret_exclusive, struct rt_err *err)
{
	const struct rt_nl_answer answer = { .type = (uint16_t)SYS_GET,
					     .take = take_system,
					     .context = ret_exclusive };
	int r;

	*ret_exclusive = false;
	/* To open the socket would load modules, as rdma.c tells. */
	if (rt_root_access(&live->root, "/sys/class/infiniband", false) < 0)
		return 0;
	r = rt_nl_ask(&live->rdma, NETLINK_RDMA, nlmsg_alloc_simple(SYS_GET, 0),
		      "cannot ask how RDMA devices are shared", &answer, err);
	return r == -EINVAL || r == -EOPNOTSUPP || r == -EPROTONOSUPPORT ? 0 : r;
}

/* --- which namespaces there are ------------------------------------------------------------ */

struct netns {
	ino_t id;
	char name[RT_NETNS_NAME_BYTES];
	uint32_t pid;
};

struct visit {
	struct netns items[NETNS_MAX];
	size_t count;
	ino_t own;
	int64_t until_ns;
	struct rt_rdma_homes homes;
	int result;
};

static bool is_late(struct visit *visit)
{
	const bool late = rt_monotonic_ns() > visit->until_ns;

	visit->homes.partial |= late;
	return late;
}

/* The one that is there, or one more; NULL: our own, or there is no room. */
static struct netns *add_netns(struct visit *visit, ino_t id)
{
	for (size_t i = 0; i < visit->count; i++)
		if (visit->items[i].id == id)
			return &visit->items[i];
	if (id == visit->own)
		return NULL;
	if (visit->count == NETNS_MAX) {
		visit->homes.partial = true;
		return NULL;
	}
	visit->items[visit->count] = (struct netns){ .id = id };
	return &visit->items[visit->count++];
}

/* An open namespace; -1: there is none (a name left over is an empty file). */
static int open_netns(const char *path, ino_t *ret_id)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct statfs about;

	if (fd < 0)
		return -1;
	*ret_id = rt_netns_id(fd);
	if (fstatfs(fd, &about) < 0 || about.f_type != NSFS_MAGIC || *ret_id == 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static void find_named(struct rt_live *live, struct visit *visit)
{
	struct rt_names names = { 0 };
	char path[sizeof(NAMES) + RT_NETNS_NAME_BYTES];

	if (rt_root_folder(&live->root, NAMES, &names, NULL) < 0)
		return;
	for (size_t i = 0; i < names.count && !is_late(visit); i++) {
		struct netns *netns;
		ino_t id;
		int fd;

		if (strlen(names.items[i]) >= RT_NETNS_NAME_BYTES)
			continue;
		snprintf(path, sizeof(path), NAMES "/%s", names.items[i]);
		fd = open_netns(path, &id);
		if (fd < 0)
			continue;
		close(fd);
		netns = add_netns(visit, id);
		if (netns && !*netns->name)
			snprintf(netns->name, sizeof(netns->name), "%s",
				 names.items[i]);
	}
	rt_names_free(&names);
}

/* Processes that end meanwhile are none. */
static void find_lived_in(struct rt_live *live, struct visit *visit)
{
	struct rt_names names = { 0 };
	char path[40];

	if (rt_root_folder(&live->root, "/proc", &names, NULL) < 0)
		return;
	for (size_t i = 0; i < names.count && !is_late(visit); i++) {
		const unsigned long pid = strtoul(names.items[i], NULL, 10);
		struct netns *netns;
		struct stat file;

		if (pid == 0 || pid > INT32_MAX)
			continue;
		snprintf(path, sizeof(path), "/proc/%lu/ns/net", pid);
		if (stat(path, &file) < 0)
			continue;
		netns = add_netns(visit, file.st_ino);
		if (netns && netns->pid == 0)
			netns->pid = (uint32_t)pid;
	}
	rt_names_free(&names);
}

/* --- asking in each ----------------------------------------------------------------------- */

static int add_home(struct rt_kern *there, const struct netns *netns,
		    const struct rt_rdma_port *port, struct rt_rdma_homes *homes)
{
	struct rt_rdma_home *grown, *home;
	struct rt_ethtool_info info;

	/* A device of several ports is one. */
	for (size_t i = 0; i < homes->count; i++)
		if (strcmp(homes->items[i].ibdev, port->ibdev) == 0)
			return 0;
	grown = rt_grow(homes->items, homes->count, &homes->capacity, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	homes->items = grown;
	home = &grown[homes->count++];
	*home = (struct rt_rdma_home){ .netns = netns->id, .pid = netns->pid };
	memcpy(home->ibdev, port->ibdev, sizeof(home->ibdev));
	memcpy(home->netdev, port->netdev, sizeof(home->netdev));
	memcpy(home->netns_name, netns->name, sizeof(home->netns_name));
	if (*port->netdev &&
	    there->ops->ethtool_info(there, port->netdev, &info, NULL) == 0)
		snprintf(home->pci, sizeof(home->pci), "%.15s", info.bus);
	return 0;
}

/* A socket belongs to the namespace in which it was opened: so a host of its own. */
static int ask_here(const struct netns *netns, struct rt_rdma_homes *homes)
{
	RT_AUTO(rt_auto_kern_close) struct rt_kern *there = NULL;
	struct rt_rdma_ports ports = { 0 };
	int r = rt_kern_open_live(&there, NULL);

	if (r == 0)
		r = there->ops->rdma_ports(there, &ports, NULL);
	for (size_t i = 0; i < ports.count && r == 0; i++)
		r = add_home(there, netns, &ports.items[i], homes);
	rt_rdma_ports_free(&ports);
	return r;
}

/* What cannot be entered (any more) is not told, and that is said. */
static int visit_one(const struct netns *netns, struct rt_rdma_homes *homes)
{
	char path[sizeof(NAMES) + RT_NETNS_NAME_BYTES];
	ino_t id = 0;
	int fd, r = -ENOENT;

	if (*netns->name)
		snprintf(path, sizeof(path), NAMES "/%s", netns->name);
	else
		snprintf(path, sizeof(path), "/proc/%u/ns/net", netns->pid);
	fd = open_netns(path, &id);
	if (fd < 0)
		return r;
	if (id == netns->id)
		r = rt_netns_enter(fd, NULL);
	close(fd);
	return r < 0 ? r : ask_here(netns, homes);
}

static void *visit_all(void *context)
{
	struct visit *visit = context;

	for (size_t i = 0; i < visit->count && !is_late(visit); i++) {
		const int r = visit_one(&visit->items[i], &visit->homes);

		if (r == -ENOMEM)
			visit->result = r;
		else if (r < 0 && r != -ENOENT)
			visit->homes.partial = true;
	}
	return NULL;
}

/*
 * A thread that ends, so that nobody is ever left behind in another namespace; signals
 * are for those that wait for them.
 */
static int send_visitor(struct visit *visit)
{
	pthread_t visitor;
	sigset_t all, before;
	int r;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = -pthread_create(&visitor, NULL, visit_all, visit);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (r < 0)
		return r;
	pthread_join(visitor, NULL);
	return visit->result;
}

static int find_homes(struct rt_live *live, struct visit *visit, struct rt_err *err)
{
	int fd, r = rt_netns_current(&fd, err);

	if (r < 0)
		return r;
	visit->own = rt_netns_id(fd);
	close(fd);
	visit->until_ns = rt_monotonic_ns() + LIMIT_NS;
	find_named(live, visit);
	find_lived_in(live, visit);
	r = send_visitor(visit);
	return r < 0 ? rt_err_sys(err, r, "cannot ask in other network namespaces") : 0;
}

int rt_live_rdma_homes(struct rt_kern *kern, struct rt_rdma_homes *ret_homes,
		       struct rt_err *err)
{
	RT_AUTO(rt_auto_free) struct visit *visit = calloc(1, sizeof(*visit));
	struct rt_live *live = rt_live_of(kern);
	int r;

	if (!visit)
		return rt_err_sys(err, -ENOMEM, "network namespaces");
	r = ask_exclusive(live, &visit->homes.exclusive, err);
	if (r == 0 && visit->homes.exclusive && !rt_netns_may_enter())
		return rt_err_set(err, -EPERM,
				  "to ask in other network namespaces takes root");
	if (r == 0 && visit->homes.exclusive)
		r = find_homes(live, visit, err);
	if (r < 0) {
		rt_rdma_homes_free(&visit->homes);
		return r;
	}
	*ret_homes = visit->homes;
	return 0;
}
