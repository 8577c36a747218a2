/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dump_host.h - a host's tree out of pasted outputs: sysfs as the kernel lays it out,
 * with statistics that are those of a dump, or all zero as they were before.
 */
#ifndef RT_TESTS_DUMP_HOST_H
#define RT_TESTS_DUMP_HOST_H

#include "made_tree.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "host/dumps/dump.h"
#include "rocetune/err.h"

enum dump_into {
	DUMP_ETHTOOL, /* statistics of the driver */
	DUMP_RDMA,    /* of the RDMA port */
	DUMP_SYSFS,   /* the same as files, as where netlink is not asked */
	DUMP_NETDEV,  /* `ip -s link`: of the network device */
};

/* One output; of a file of many ports what stands under where. */
struct dump_part {
	const char *file;  /* of shared/host-dumps; NULL: text is made by hand */
	const char *text;  /* "name: number", a line each */
	const char *where; /* NULL: all of it */
	enum dump_into into;
};

struct dump_nic {
	const char *ibdev, *netdev, *kernel, *pci;
	unsigned port;
};

static inline void dump_link(const char *folder, const char *path, const char *to)
{
	char full[800], beside[400];

	/* Makes the folders. */
	snprintf(beside, sizeof(beside), "%.300s.", path);
	made_tree_put(folder, beside, "");
	snprintf(full, sizeof(full), "%s/%s", folder, path);
	if (symlink(to, full) != 0)
		assert_int_equal(access(full, F_OK), 0);
}

static inline void dump_add_nic(const char *folder, const struct dump_nic *nic)
{
	char path[300], to[200];

	snprintf(path, sizeof(path), "sys/class/infiniband/%s/ports/%u/state",
		 nic->ibdev, nic->port);
	made_tree_put(folder, path, "4: ACTIVE\n");
	snprintf(path, sizeof(path), "sys/class/infiniband/%s/ports/%u/link_layer",
		 nic->ibdev, nic->port);
	made_tree_put(folder, path, "Ethernet\n");
	snprintf(path, sizeof(path),
		 "sys/class/infiniband/%s/ports/%u/gid_attrs/ndevs/0", nic->ibdev,
		 nic->port);
	snprintf(to, sizeof(to), "%s\n", nic->netdev);
	made_tree_put(folder, path, to);
	snprintf(path, sizeof(path), "sys/class/infiniband/%s/ports/%u/gids/0",
		 nic->ibdev, nic->port);
	made_tree_put(folder, path, "0000:0000:0000:0000:0000:ffff:c000:0201\n");
	snprintf(path, sizeof(path),
		 "sys/class/infiniband/%s/ports/%u/gid_attrs/types/0", nic->ibdev,
		 nic->port);
	made_tree_put(folder, path, "RoCE v2\n");
	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/driver", nic->pci);
	snprintf(to, sizeof(to), "../../drivers/%s", nic->kernel);
	dump_link(folder, path, to);
	snprintf(path, sizeof(path), "sys/bus/pci/drivers/%s/bind", nic->kernel);
	made_tree_put(folder, path, "");
	snprintf(path, sizeof(path), "sys/class/infiniband/%s/device", nic->ibdev);
	snprintf(to, sizeof(to), "../../../bus/pci/devices/%s", nic->pci);
	dump_link(folder, path, to);
	snprintf(path, sizeof(path), "sys/class/net/%s/speed", nic->netdev);
	made_tree_put(folder, path, "100000\n");
}

/* The caller frees what it says; false: there is no such file, which was told. */
static inline bool dump_read_part(const struct dump_part *part, struct rt_dump *dump)
{
	RT_AUTO(rt_auto_free) char *text = NULL;
	struct rt_err err = { 0 };
	char path[300];
	FILE *file;
	size_t bytes;

	if (!part->file) {
		if (rt_dump_read(part->text, strlen(part->text), dump, &err) < 0)
			fail_msg("%s", err.msg);
		return true;
	}
	snprintf(path, sizeof(path), "%s/host-dumps/%s", rt_test_shared(), part->file);
	file = fopen(path, "re");
	if (!file) {
		print_message("# skipped: no %s\n", path);
		return false;
	}
	text = malloc(1 << 20);
	assert_non_null(text);
	bytes = fread(text, 1, 1 << 20, file);
	fclose(file);
	if (rt_dump_read(text, bytes, dump, &err) < 0)
		fail_msg("%s: %s", part->file, err.msg);
	return true;
}

static inline void dump_path(const struct dump_nic *nic, const struct dump_part *part,
			     const char *name, char path[300])
{
	switch (part->into) {
	case DUMP_ETHTOOL:
		snprintf(path, 300, "rocetune/stats/ethtool/%s", nic->netdev);
		break;
	case DUMP_RDMA:
		snprintf(path, 300, "rocetune/stats/rdma/%s/%u", nic->ibdev, nic->port);
		break;
	case DUMP_SYSFS:
		snprintf(path, 300, "sys/class/infiniband/%s/ports/%u/hw_counters/%s",
			 nic->ibdev, nic->port, name);
		break;
	case DUMP_NETDEV:
		snprintf(path, 300, "sys/class/net/%s/statistics/%s", nic->netdev,
			 name);
		break;
	}
}

/* `ip -s link` says "RX bytes" for what is rx_bytes in sysfs. */
static inline void dump_netdev_name(char *name)
{
	for (; *name; name++)
		*name = *name == ' '                   ? '_'
			: *name >= 'A' && *name <= 'Z' ? (char)(*name - 'A' + 'a')
						       : *name;
}

/* Put a part's values into the tree, or zeros in their place. */
static inline void dump_fill(const char *folder, const struct dump_nic *nic,
			     const struct dump_part *part, const struct rt_dump *dump,
			     bool zero)
{
	RT_AUTO(rt_auto_free) char *all = calloc(1, 1 << 18);
	char path[300], name[96], line[200];
	size_t used = 0;

	assert_non_null(all);
	for (size_t i = 0; i < dump->count; i++) {
		const struct rt_dump_value *value = &dump->values[i];
		const uint64_t number = zero ? 0 : value->number.value;

		if (!value->number.known ||
		    (part->where && strcmp(value->where, part->where) != 0))
			continue;
		snprintf(name, sizeof(name), "%s", value->name);
		if (part->into == DUMP_NETDEV)
			dump_netdev_name(name);
		snprintf(line, sizeof(line), "%llu\n", (unsigned long long)number);
		if (part->into == DUMP_SYSFS || part->into == DUMP_NETDEV) {
			dump_path(nic, part, name, path);
			made_tree_put(folder, path, line);
		} else {
			used += (size_t)snprintf(all + used, (1 << 18) - used, "%s: %s",
						 name, line);
		}
	}
	if (used) {
		dump_path(nic, part, "", path);
		made_tree_put(folder, path, all);
	}
}

#endif
