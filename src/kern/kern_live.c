/* SPDX-License-Identifier: BSD-2-Clause */
/* kern_live.c - the back end that is this host. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kern/live.h"
#include "rocetune/err.h"

const char *rt_doing(char buf[RT_DOING_BYTES], const char *name, const char *doing)
{
	snprintf(buf, RT_DOING_BYTES, "%.63s: %s", name, doing);
	return buf;
}

int rt_ifname_check(const char *netdev, struct rt_err *err)
{
	if (!*netdev || strlen(netdev) >= RT_IFNAME_BYTES)
		return rt_err_set(err, -ENODEV, "'%.63s': no such network device",
				  netdev);
	return 0;
}

static int live_file_read(struct rt_kern *kern, const char *path, char *buf,
			  size_t capacity, size_t *ret_bytes, struct rt_err *err)
{
	return rt_root_read(&rt_live_of(kern)->root, path, buf, capacity, ret_bytes,
			    err);
}

static int live_file_open(struct rt_kern *kern, const char *path, struct rt_err *err)
{
	return rt_root_open_file(&rt_live_of(kern)->root, path, err);
}

static int live_file_write(struct rt_kern *kern, const char *path, const char *text,
			   struct rt_err *err)
{
	return rt_root_write(&rt_live_of(kern)->root, path, text, err);
}

static int live_folder_read(struct rt_kern *kern, const char *path,
			    struct rt_names *ret_names, struct rt_err *err)
{
	return rt_root_folder(&rt_live_of(kern)->root, path, ret_names, err);
}

static int live_symlink_read(struct rt_kern *kern, const char *path, char *buf,
			     size_t capacity, struct rt_err *err)
{
	return rt_root_symlink(&rt_live_of(kern)->root, path, buf, capacity, err);
}

static int live_folder_make(struct rt_kern *kern, const char *path, struct rt_err *err)
{
	return rt_root_make(&rt_live_of(kern)->root, path, err);
}

static int live_folder_remove(struct rt_kern *kern, const char *path,
			      struct rt_err *err)
{
	return rt_root_remove(&rt_live_of(kern)->root, path, err);
}

static int live_access(struct rt_kern *kern, const char *path, bool for_writing)
{
	return rt_root_access(&rt_live_of(kern)->root, path, for_writing);
}

static void live_close(struct rt_kern *kern)
{
	struct rt_live *live = rt_live_of(kern);

	rt_nl_close(&live->route);
	rt_nl_close(&live->generic);
	rt_nl_close(&live->rdma);
	if (live->ioctl_fd >= 0)
		close(live->ioctl_fd);
	rt_root_close(&live->root);
	free(live->devices.items);
	free(live->qdiscs.items);
	free(live->stats_names);
	free(live->stats_values);
	free(live);
}

static const struct rt_kern_ops live_ops = {
	.name = "live",
	.writable = true,
	.links = rt_live_links,
	.file_read = live_file_read,
	.file_open = live_file_open,
	.file_write = live_file_write,
	.folder_read = live_folder_read,
	.symlink_read = live_symlink_read,
	.folder_make = live_folder_make,
	.folder_remove = live_folder_remove,
	.access = live_access,
	.dcb_get = rt_live_dcb_get,
	.dcb_set = rt_live_dcb_set,
	.dcb_app_add = rt_live_dcb_app_add,
	.dcb_app_delete = rt_live_dcb_app_delete,
	.dcbx_set = rt_live_dcbx_set,
	.ethtool_info = rt_live_ethtool_info,
	.speed_get = rt_live_speed_get,
	.pause_get = rt_live_pause_get,
	.pause_set = rt_live_pause_set,
	.storm_get = rt_live_storm_get,
	.storm_set = rt_live_storm_set,
	.priv_flags_get = rt_live_priv_flags_get,
	.priv_flag_set = rt_live_priv_flag_set,
	.rdma_ports = rt_live_rdma_ports,
	.rdma_use = rt_live_rdma_use,
	.ethtool_stats = rt_live_ethtool_stats,
	.standard_stats = rt_live_standard_stats,
	.rdma_stats = rt_live_rdma_stats,
	.qdisc_stats = rt_live_qdisc_stats,
	.eswitch_mode = rt_live_eswitch_mode,
	.rdma_homes = rt_live_rdma_homes,
	.close = live_close,
};

int rt_kern_open_live(struct rt_kern **ret_kern, struct rt_err *err)
{
	struct rt_live *live = calloc(1, sizeof(*live));
	int r;

	if (!live)
		return rt_err_sys(err, -ENOMEM, "this host");
	r = rt_root_open("/", false, &live->root, err);
	if (r < 0) {
		free(live);
		return r;
	}
	live->kern.ops = &live_ops;
	live->ioctl_fd = -1;
	*ret_kern = &live->kern;
	return 0;
}
