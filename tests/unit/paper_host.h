/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * paper_host.h - a host made of rows, for tests of what only reads: files and links
 * by path, what netlink would answer by struct.  Made by hand, not recorded.
 */
#ifndef RT_TESTS_PAPER_HOST_H
#define RT_TESTS_PAPER_HOST_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kern/kern.h"

/* Ends with a row without path; a text that begins with "->" is a symbolic link. */
struct paper_file {
	const char *path, *text;
};

struct paper_host {
	struct rt_kern kern; /* first */
	const struct paper_file *files;
	const struct paper_file *over; /* rows that stand before files; may be NULL */
	struct rt_link links[16];
	size_t link_count;
	struct rt_rdma_port ports[16];
	size_t port_count;
	bool no_rdma_netlink;
	const struct rt_dcb *dcb; /* of every network device; NULL: no DCB */
	uint64_t speed_bps;
	unsigned reads; /* of files */
};

static inline const struct paper_file *paper_find(const struct paper_file *rows,
						  const char *path)
{
	for (; rows && rows->path; rows++)
		if (strcmp(rows->path, path) == 0)
			return rows;
	return NULL;
}

static inline const char *paper_text(struct rt_kern *kern, const char *path)
{
	const struct paper_host *host = (const struct paper_host *)kern;
	const struct paper_file *row = paper_find(host->over, path);

	if (!row)
		row = paper_find(host->files, path);
	return row ? row->text : NULL;
}

static inline int paper_file_read(struct rt_kern *kern, const char *path, char *buf,
				  size_t capacity, size_t *ret_bytes,
				  struct rt_err *err)
{
	const char *text = paper_text(kern, path);

	(void)err;
	((struct paper_host *)kern)->reads++;
	if (!text || strncmp(text, "->", 2) == 0)
		return -ENOENT;
	if (strlen(text) >= capacity)
		return -EFBIG;
	*ret_bytes = strlen(text);
	memcpy(buf, text, *ret_bytes + 1);
	return 0;
}

static inline int paper_symlink_read(struct rt_kern *kern, const char *path, char *buf,
				     size_t capacity, struct rt_err *err)
{
	const char *text = paper_text(kern, path);

	(void)err;
	if (!text || strncmp(text, "->", 2) != 0)
		return -ENOENT;
	snprintf(buf, capacity, "%s", text + 2);
	return 0;
}

/* The next names below path, as the rows mention them. */
static inline int paper_folder_read(struct rt_kern *kern, const char *path,
				    struct rt_names *ret_names, struct rt_err *err)
{
	const struct paper_host *host = (const struct paper_host *)kern;
	const size_t length = strlen(path);
	struct rt_names names = { 0 };

	(void)err;
	for (const struct paper_file *row = host->files; row->path; row++) {
		char name[64];
		size_t i;

		if (strncmp(row->path, path, length) != 0 || row->path[length] != '/')
			continue;
		snprintf(name, sizeof(name), "%.*s",
			 (int)strcspn(row->path + length + 1, "/"),
			 row->path + length + 1);
		for (i = 0; i < names.count; i++)
			if (strcmp(names.items[i], name) == 0)
				break;
		if (i < names.count)
			continue;
		names.items = realloc(names.items,
				      (names.count + 1) * sizeof(*names.items));
		names.items[names.count++] = strdup(name);
	}
	names.capacity = names.count;
	*ret_names = names;
	return names.count ? 0 : -ENOENT;
}

static inline int paper_access(struct rt_kern *kern, const char *path, bool for_writing)
{
	(void)for_writing;
	return paper_text(kern, path) ? 0 : -ENOENT;
}

static inline int paper_links(struct rt_kern *kern, struct rt_links *ret_links,
			      struct rt_err *err)
{
	const struct paper_host *host = (const struct paper_host *)kern;
	const size_t bytes = host->link_count * sizeof(host->links[0]);

	(void)err;
	*ret_links = (struct rt_links){ .items = malloc(bytes + 1),
					.count = host->link_count };
	memcpy(ret_links->items, host->links, bytes);
	return 0;
}

static inline int paper_rdma_ports(struct rt_kern *kern,
				   struct rt_rdma_ports *ret_ports, struct rt_err *err)
{
	const struct paper_host *host = (const struct paper_host *)kern;
	const size_t bytes = host->port_count * sizeof(host->ports[0]);

	(void)err;
	if (host->no_rdma_netlink)
		return -EOPNOTSUPP;
	*ret_ports = (struct rt_rdma_ports){ .items = malloc(bytes + 1),
					     .count = host->port_count };
	memcpy(ret_ports->items, host->ports, bytes);
	return 0;
}

static inline int paper_rdma_use(struct rt_kern *kern, const char *ibdev,
				 struct rt_rdma_use *ret_use, struct rt_err *err)
{
	(void)kern;
	(void)ibdev;
	(void)err;
	*ret_use = (struct rt_rdma_use){ .qps = 12, .connected = 8, .who = "nvmet" };
	return 0;
}

static inline int paper_dcb_get(struct rt_kern *kern, const char *netdev,
				struct rt_dcb *ret_dcb, struct rt_err *err)
{
	const struct paper_host *host = (const struct paper_host *)kern;

	(void)netdev;
	(void)err;
	if (!host->dcb)
		return -EOPNOTSUPP;
	*ret_dcb = *host->dcb;
	return 0;
}

static inline int paper_info(struct rt_kern *kern, const char *netdev,
			     struct rt_ethtool_info *ret_info, struct rt_err *err)
{
	(void)kern;
	(void)err;
	*ret_info = (struct rt_ethtool_info){ .firmware = "28.39.3560" };
	snprintf(ret_info->driver, sizeof(ret_info->driver), "%s",
		 strncmp(netdev, "bond", 4) == 0 ? "bonding" : "mlx5_core");
	return 0;
}

static inline int paper_speed(struct rt_kern *kern, const char *netdev,
			      struct rt_opt_u64 *ret_bps, struct rt_err *err)
{
	const struct paper_host *host = (const struct paper_host *)kern;

	(void)netdev;
	(void)err;
	*ret_bps = (struct rt_opt_u64){ host->speed_bps, host->speed_bps != 0 };
	return 0;
}

static inline int paper_pause(struct rt_kern *kern, const char *netdev,
			      struct rt_link_pause *ret_pause, struct rt_err *err)
{
	(void)kern;
	(void)netdev;
	(void)err;
	*ret_pause = (struct rt_link_pause){ 0 };
	return 0;
}

static inline int paper_storm(struct rt_kern *kern, const char *netdev,
			      uint16_t *ret_ms, struct rt_err *err)
{
	(void)kern;
	(void)netdev;
	(void)err;
	*ret_ms = 100;
	return 0;
}

static inline int paper_flags(struct rt_kern *kern, const char *netdev,
			      struct rt_priv_flags *ret_flags, struct rt_err *err)
{
	(void)kern;
	(void)netdev;
	(void)err;
	*ret_flags = (struct rt_priv_flags){ 0 };
	return 0;
}

static inline int paper_eswitch(struct rt_kern *kern, const char *pci, char *buf,
				size_t capacity, struct rt_err *err)
{
	(void)kern;
	(void)pci;
	(void)err;
	snprintf(buf, capacity, "legacy");
	return 0;
}

static inline void paper_close(struct rt_kern *kern)
{
	(void)kern;
}

static const struct rt_kern_ops paper_ops = {
	.name = "paper",
	.links = paper_links,
	.file_read = paper_file_read,
	.folder_read = paper_folder_read,
	.symlink_read = paper_symlink_read,
	.access = paper_access,
	.dcb_get = paper_dcb_get,
	.ethtool_info = paper_info,
	.speed_get = paper_speed,
	.pause_get = paper_pause,
	.storm_get = paper_storm,
	.priv_flags_get = paper_flags,
	.rdma_ports = paper_rdma_ports,
	.rdma_use = paper_rdma_use,
	.eswitch_mode = paper_eswitch,
	.close = paper_close,
};

#endif
