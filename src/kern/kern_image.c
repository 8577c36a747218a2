/* SPDX-License-Identifier: BSD-2-Clause */
/* kern_image.c - the back end over a folder or a bundle with recorded answers. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bundle.h"
#include "base/own.h"
#include "kern/image.h"
#include "kern/image_back.h"
#include "kern/stats.h"
#include "rocetune/err.h"

#define ANSWERS_MAX_BYTES (4u << 20)
#define STATS_MAX_BYTES   (8u << 20)

/* --- files ----------------------------------------------------------------------------- */

/* What was noted of the path: 0 when nothing was. */
static int noted(const struct rt_answer *row, struct rt_err *err)
{
	return row ? rt_answer_code(row, "", err) : 0;
}

static bool is_unread(const struct rt_image *image, const char *path)
{
	return rt_answers_find(&image->answers, unread, path) != NULL;
}

static int read_bundle(const struct rt_image *image, const char *path, char *buf,
		       size_t capacity, size_t *ret_bytes)
{
	const struct rt_bundle_entry *entry;
	int r = rt_bundle_resolve(image->bundle, path, true, &entry);

	if (r < 0)
		return r;
	if (entry->kind == RT_BUNDLE_FOLDER)
		return -EISDIR;
	if (entry->bytes >= capacity)
		return -EFBIG;
	memcpy(buf, entry->data, entry->bytes + 1);
	*ret_bytes = entry->bytes;
	return 0;
}

static int image_file_read(struct rt_kern *kern, const char *path, char *buf,
			   size_t capacity, size_t *ret_bytes, struct rt_err *err)
{
	struct rt_image *image = rt_image_of(kern);
	int r = noted(rt_answers_find(&image->answers, files, path), err);

	if (r < 0)
		return r;
	if (!image->bundle)
		return rt_root_read(&image->root, path, buf, capacity, ret_bytes, err);
	r = read_bundle(image, path, buf, capacity, ret_bytes);
	return r < 0 ? rt_err_sys(err, r, "%s", path) : 0;
}

static int image_file_open(struct rt_kern *kern, const char *path, struct rt_err *err)
{
	struct rt_image *image = rt_image_of(kern);
	int r = noted(rt_answers_find(&image->answers, files, path), err);

	if (r < 0)
		return r;
	if (image->bundle)
		return rt_err_set(err, -EOPNOTSUPP, "%s: it is in a bundle", path);
	return rt_root_open_file(&image->root, path, err);
}

int rt_bundle_names(struct rt_bundle *bundle, const char *path,
		    struct rt_names *ret_names)
{
	const struct rt_bundle_entry *folder;
	struct rt_names names = { 0 };
	size_t first, end, skip;
	int r = rt_bundle_resolve(bundle, path, true, &folder);

	if (r < 0)
		return r;
	if (folder->kind != RT_BUNDLE_FOLDER)
		return -ENOTDIR;
	skip = folder->path ? strlen(folder->path) + 1 : 0;
	rt_bundle_range(bundle, folder->path ? folder->path : "", &first, &end);
	for (size_t i = first; i < end && r == 0; i++) {
		const char *name = rt_bundle_at(bundle, i)->path + skip;

		if (!strchr(name, '/'))
			r = rt_names_add(&names, name);
	}
	if (r < 0)
		rt_names_free(&names);
	else
		*ret_names = names;
	return r;
}

/* And of what was seen in it, but not read. */
static int add_unread(const struct rt_image *image, const char *path,
		      struct rt_names *names)
{
	const struct rt_answers *answers = &image->answers;
	size_t bytes = strlen(path);
	int r = 0;

	while (bytes && path[bytes - 1] == '/')
		bytes--;
	for (size_t i = 0; i < answers->unread_count && r == 0; i++) {
		const char *at = answers->unread[i].name;

		if (strncmp(at, path, bytes) == 0 && at[bytes] == '/' &&
		    !strchr(at + bytes + 1, '/'))
			r = rt_names_add(names, at + bytes + 1);
	}
	return r;
}

/* Of names that are there twice, one; they are sorted. */
static void drop_doubles(struct rt_names *names)
{
	size_t kept = 0;

	for (size_t i = 0; i < names->count; i++) {
		if (kept && strcmp(names->items[kept - 1], names->items[i]) == 0)
			free(names->items[i]);
		else
			names->items[kept++] = names->items[i];
	}
	names->count = kept;
}

static int image_folder_read(struct rt_kern *kern, const char *path,
			     struct rt_names *ret_names, struct rt_err *err)
{
	struct rt_image *image = rt_image_of(kern);
	struct rt_names names = { 0 };
	int r = noted(rt_answers_find(&image->answers, files, path), err);

	if (r < 0)
		return r;
	if (!image->bundle)
		r = rt_root_folder(&image->root, path, &names, err);
	else if ((r = rt_bundle_names(image->bundle, path, &names)) < 0)
		rt_err_sys(err, r, "%s", path);
	if (r == 0) {
		r = add_unread(image, path, &names);
		if (r < 0)
			rt_err_sys(err, r, "%s", path);
	}
	if (r < 0) {
		rt_names_free(&names);
		return r;
	}
	rt_names_sort(&names);
	drop_doubles(&names);
	*ret_names = names;
	return 0;
}

int rt_bundle_read_link(int r, const struct rt_bundle_entry *entry, const char *path,
			char *buf, size_t capacity, struct rt_err *err)
{
	if (r == 0 && entry->kind != RT_BUNDLE_SYMLINK)
		r = -EINVAL;
	if (r == 0 && entry->bytes >= capacity)
		r = -ENAMETOOLONG;
	if (r < 0)
		return rt_err_sys(err, r, "%s", path);
	memcpy(buf, entry->data, entry->bytes + 1);
	return 0;
}

static int image_symlink_read(struct rt_kern *kern, const char *path, char *buf,
			      size_t capacity, struct rt_err *err)
{
	struct rt_image *image = rt_image_of(kern);
	const struct rt_bundle_entry *entry = NULL;
	int r = noted(rt_answers_find(&image->answers, files, path), err);

	if (r < 0)
		return r;
	if (!image->bundle)
		return rt_root_symlink(&image->root, path, buf, capacity, err);
	r = rt_bundle_resolve(image->bundle, path, false, &entry);
	return rt_bundle_read_link(r, entry, path, buf, capacity, err);
}

/* A recorded host says what it said; of others only reading is thinkable. */
static int image_access(struct rt_kern *kern, const char *path, bool for_writing)
{
	struct rt_image *image = rt_image_of(kern);
	const struct rt_bundle_entry *entry;
	const struct rt_answer *row =
		for_writing ? rt_answers_find(&image->answers, writable, path)
			    : rt_answers_find(&image->answers, readable, path);

	if (row)
		return rt_answer_code(row, "", NULL);
	if (for_writing)
		return -EROFS;
	if (is_unread(image, path))
		return 0;
	if (!image->bundle)
		return rt_root_access(&image->root, path, false);
	return rt_bundle_resolve(image->bundle, path, true, &entry);
}

static int read_only(const char *what, struct rt_err *err)
{
	return rt_err_set(err, -EROFS,
			  "%s: this is a recorded host: nothing is written", what);
}

static int image_file_write(struct rt_kern *kern, const char *path, const char *text,
			    struct rt_err *err)
{
	(void)kern;
	(void)text;
	return read_only(path, err);
}

static int image_folder_change(struct rt_kern *kern, const char *path,
			       struct rt_err *err)
{
	(void)kern;
	return read_only(path, err);
}

/* --- answers ----------------------------------------------------------------------------- */

/* Whether the links are known and name is none of them. */
static bool is_no_link(const struct rt_image *image, const char *name)
{
	const struct rt_answers *answers = &image->answers;

	if (answers->links_count == 0 || *answers->links->head.error)
		return false;
	for (size_t i = 0; i < answers->links->links.count; i++)
		if (strcmp(answers->links->links.items[i].name, name) == 0)
			return false;
	return true;
}

/* 0: row has the value. */
static int answered(const struct rt_answer *row, const char *name, const char *doing,
		    struct rt_err *err)
{
	if (row)
		return rt_answer_code(row, doing, err);
	return rt_err_set(err, -EOPNOTSUPP, "%s: %s: it was not recorded", name, doing);
}

static int answered_netdev(const struct rt_image *image, const struct rt_answer *row,
			   const char *netdev, const char *doing, struct rt_err *err)
{
	if (!row && is_no_link(image, netdev))
		return rt_err_set(err, -ENODEV, "'%.63s': no such network device",
				  netdev);
	return answered(row, netdev, doing, err);
}

/* A copy of count items. */
static void *copy_items(const void *items, size_t count, size_t size)
{
	void *copy = calloc(count + 1, size);

	if (copy && count)
		memcpy(copy, items, count * size);
	return copy;
}

static int image_links(struct rt_kern *kern, struct rt_links *ret_links,
		       struct rt_err *err)
{
	const struct rt_image *image = rt_image_of(kern);
	const struct rt_answer_links *row = rt_answers_find(&image->answers, links, "");
	int r = answered(row ? &row->head : NULL, "links", "cannot list network links",
			 err);
	struct rt_link *items;

	if (r < 0)
		return r;
	items = copy_items(row->links.items, row->links.count, sizeof(*items));
	if (!items)
		return rt_err_sys(err, -ENOMEM, "links");
	*ret_links = (struct rt_links){ items, row->links.count, row->links.count + 1 };
	return 0;
}

static int image_rdma_ports(struct rt_kern *kern, struct rt_rdma_ports *ret_ports,
			    struct rt_err *err)
{
	const struct rt_image *image = rt_image_of(kern);
	const struct rt_answer_ports *row = rt_answers_find(&image->answers, rdma_ports,
							    "");
	int r = answered(row ? &row->head : NULL, "RDMA", "cannot list RDMA devices",
			 err);
	struct rt_rdma_port *items;

	if (r < 0)
		return r;
	items = copy_items(row->ports.items, row->ports.count, sizeof(*items));
	if (!items)
		return rt_err_sys(err, -ENOMEM, "ports");
	*ret_ports = (struct rt_rdma_ports){ items, row->ports.count,
					     row->ports.count + 1 };
	return 0;
}

static int image_dcb_get(struct rt_kern *kern, const char *netdev,
			 struct rt_dcb *ret_dcb, struct rt_err *err)
{
	const struct rt_image *image = rt_image_of(kern);
	const struct rt_answer_dcb *row = rt_answers_find(&image->answers, dcb, netdev);
	int r = answered_netdev(image, row ? &row->head : NULL, netdev,
				"cannot read the DCB state", err);

	if (r == 0)
		*ret_dcb = row->dcb;
	return r;
}

static int image_ethtool_info(struct rt_kern *kern, const char *netdev,
			      struct rt_ethtool_info *ret_info, struct rt_err *err)
{
	const struct rt_image *image = rt_image_of(kern);
	const struct rt_answer_info *row = rt_answers_find(&image->answers, driver,
							   netdev);
	int r = answered_netdev(image, row ? &row->head : NULL, netdev,
				"cannot read driver and firmware", err);

	if (r == 0)
		*ret_info = row->info;
	return r;
}

static int image_speed_get(struct rt_kern *kern, const char *netdev,
			   struct rt_opt_u64 *ret_bps, struct rt_err *err)
{
	const struct rt_image *image = rt_image_of(kern);
	const struct rt_answer_speed *row = rt_answers_find(&image->answers, speed,
							    netdev);
	int r = answered_netdev(image, row ? &row->head : NULL, netdev,
				"cannot read the speed", err);

	if (r == 0)
		*ret_bps = row->speed_bps;
	return r;
}

static int image_pause_get(struct rt_kern *kern, const char *netdev,
			   struct rt_link_pause *ret_pause, struct rt_err *err)
{
	const struct rt_image *image = rt_image_of(kern);
	const struct rt_answer_pause *row = rt_answers_find(&image->answers, pause,
							    netdev);
	int r = answered_netdev(image, row ? &row->head : NULL, netdev,
				"cannot read pause", err);

	if (r == 0)
		*ret_pause = row->pause;
	return r;
}

static int image_storm_get(struct rt_kern *kern, const char *netdev, uint16_t *ret_ms,
			   struct rt_err *err)
{
	const struct rt_image *image = rt_image_of(kern);
	const struct rt_answer_storm *row = rt_answers_find(&image->answers, storm,
							    netdev);
	int r = answered_netdev(image, row ? &row->head : NULL, netdev,
				"cannot read pfc-prevention-tout", err);

	if (r == 0)
		*ret_ms = row->timeout_ms;
	return r;
}

static int image_priv_flags_get(struct rt_kern *kern, const char *netdev,
				struct rt_priv_flags *ret_flags, struct rt_err *err)
{
	const struct rt_image *image = rt_image_of(kern);
	const struct rt_answer_flags *row = rt_answers_find(&image->answers, priv_flags,
							    netdev);
	int r = answered_netdev(image, row ? &row->head : NULL, netdev,
				"cannot read private flags", err);

	if (r == 0)
		rt_answer_to_flags(row, ret_flags);
	return r;
}

static int image_rdma_use(struct rt_kern *kern, const char *ibdev,
			  struct rt_rdma_use *ret_use, struct rt_err *err)
{
	const struct rt_image *image = rt_image_of(kern);
	const struct rt_answer_use *row = rt_answers_find(&image->answers, rdma_use,
							  ibdev);
	int r = answered(row ? &row->head : NULL, ibdev, "cannot count its queue pairs",
			 err);

	if (r == 0)
		*ret_use = row->use;
	return r;
}

/* NULL: it is not held. */
static struct rt_image_stats *find_held(struct rt_image *image, const char *path)
{
	for (size_t n = 0; n < image->stats_count; n++) {
		const size_t at = (image->stats_last + 1 + n) % image->stats_count;

		if (strcmp(image->stats[at].path, path) == 0) {
			image->stats_last = at;
			return &image->stats[at];
		}
	}
	return NULL;
}

/* Of one that was removed what it had stays: another may be about to come. */
static int renewed_fd(struct rt_image *image, struct rt_image_stats *held)
{
	const int fd = rt_file_is_nameless(held->fd)
			       ? image_file_open(&image->kern, held->path, NULL)
			       : -1;

	if (fd >= 0) {
		close(held->fd);
		held->fd = fd;
	}
	return held->fd;
}

/* From now on; -ENOMEM. */
static int hold(struct rt_image *image, const char *path, int fd)
{
	struct rt_image_stats *held = rt_grow(image->stats, image->stats_count,
					      &image->stats_capacity, sizeof(*held));

	if (!held)
		return -ENOMEM;
	image->stats = held;
	snprintf(held[image->stats_count].path, sizeof(held->path), "%s", path);
	held[image->stats_count++].fd = fd;
	return 0;
}

static int make_text_room(struct rt_image *image, size_t bytes)
{
	char *grown;

	if (bytes <= image->text_capacity)
		return 0;
	grown = realloc(image->text, bytes);
	if (!grown)
		return -ENOMEM;
	image->text = grown;
	image->text_capacity = bytes;
	return 0;
}

/* All of it into image->text; *ret_bytes of it.  -EFBIG: there is more. */
static int read_held(struct rt_image *image, int fd, size_t *ret_bytes)
{
	size_t used = 0;
	int r = make_text_room(image, 16u << 10);

	while (r == 0) {
		const ssize_t got = pread(fd, image->text + used,
					  image->text_capacity - used, (off_t)used);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		used += (size_t)got;
		if (used < image->text_capacity) {
			*ret_bytes = used;
			return 0;
		}
		if (used >= STATS_MAX_BYTES)
			return -EFBIG;
		r = make_text_room(image, used * 2);
	}
	return r;
}

/* Of a folder's file, which is held open where there are descriptors to spare. */
static int read_file(struct rt_image *image, const char *path, size_t *ret_bytes,
		     struct rt_err *err)
{
	struct rt_image_stats *held = find_held(image, path);
	int fd, r;

	if (held) {
		r = read_held(image, renewed_fd(image, held), ret_bytes);
		return r < 0 ? rt_err_sys(err, r, "%s", path) : 0;
	}
	fd = image_file_open(&image->kern, path, err);
	if (fd < 0)
		return fd;
	r = read_held(image, fd, ret_bytes);
	if (!rt_file_may_stay_open(fd) || hold(image, path, fd) < 0)
		close(fd);
	return r < 0 ? rt_err_sys(err, r, "%s", path) : 0;
}

static int read_stats_text(struct rt_image *image, const char *path, size_t *ret_bytes,
			   struct rt_err *err)
{
	int r;

	if (!image->bundle)
		return read_file(image, path, ret_bytes, err);
	r = make_text_room(image, STATS_MAX_BYTES + 1);
	return r < 0 ? rt_err_sys(err, r, "%s", path)
		     : image_file_read(&image->kern, path, image->text,
				       image->text_capacity, ret_bytes, err);
}

/* Of the file that a recorder, or a hand, put there; -ENOENT: none. */
static int read_stats(struct rt_kern *kern, const char *path,
		      struct rt_stats *ret_stats, struct rt_err *err)
{
	struct rt_image *image = rt_image_of(kern);
	size_t bytes;
	int r = read_stats_text(image, path, &bytes, err);

	rt_stats_begin(ret_stats);
	if (r < 0)
		return r;
	r = rt_stats_parse(image->text, bytes, ret_stats);
	return r < 0 ? rt_err_sys(err, r, "%s", path) : 0;
}

/* Of a network device: what is at path, or what the row says. */
static int netdev_stats(struct rt_kern *kern, const struct rt_answer *row,
			const char *netdev, const char *path,
			struct rt_stats *ret_stats, struct rt_err *err)
{
	int r;

	rt_stats_begin(ret_stats);
	r = row ? -ENOENT : read_stats(kern, path, ret_stats, err);
	if (r != -ENOENT)
		return r;
	return answered_netdev(rt_image_of(kern), row, netdev,
			       "cannot read its statistics", err);
}

#define IMAGE_STATS(question, path_of)                                                \
	static int image_##question(struct rt_kern *kern, const char *netdev,         \
				    struct rt_stats *ret_stats, struct rt_err *err)   \
	{                                                                             \
		const struct rt_answers *answers = &rt_image_of(kern)->answers;       \
		char path[RT_STATS_PATH_BYTES];                                       \
                                                                                      \
		path_of(netdev, path);                                                \
		return netdev_stats(kern, rt_answers_find(answers, question, netdev), \
				    netdev, path, ret_stats, err);                    \
	}

IMAGE_STATS(ethtool_stats, rt_stats_ethtool_path)
IMAGE_STATS(standard_stats, rt_stats_standard_path)
IMAGE_STATS(qdisc_stats, rt_stats_qdisc_path)

static int image_rdma_stats(struct rt_kern *kern, const char *ibdev, unsigned port,
			    struct rt_stats *ret_stats, struct rt_err *err)
{
	const struct rt_image *image = rt_image_of(kern);
	char name[RT_ANSWER_PORT_BYTES], path[RT_STATS_PATH_BYTES];
	const struct rt_answer *row;
	int r;

	rt_stats_begin(ret_stats);
	rt_answer_port_name(ibdev, port, name);
	rt_stats_rdma_path(name, path);
	row = rt_answers_find(&image->answers, rdma_stats, name);
	r = row ? -ENOENT : read_stats(kern, path, ret_stats, err);
	return r == -ENOENT ? answered(row, name, "cannot read its counters", err) : r;
}

static bool image_holds(struct rt_kern *kern, const char *ibdev, unsigned port)
{
	struct rt_answers *answers = &rt_image_of(kern)->answers;
	char name[RT_ANSWER_PORT_BYTES];

	rt_answer_port_name(ibdev, port, name);
	return answers->only_count == 0 || rt_answers_find(answers, only, name);
}

static int image_eswitch_mode(struct rt_kern *kern, const char *pci, char *buf,
			      size_t capacity, struct rt_err *err)
{
	const struct rt_image *image = rt_image_of(kern);
	const struct rt_answer_eswitch *row = rt_answers_find(&image->answers, eswitch,
							      pci);
	int r = answered(row ? &row->head : NULL, pci,
			 "cannot read the mode of its switch", err);

	if (r == 0)
		snprintf(buf, capacity, "%s", row->mode);
	return r;
}

/* --- writes, all refused -------------------------------------------------------------------- */

static int image_dcb_set(struct rt_kern *kern, const char *netdev,
			 const struct rt_dcb_set *set, struct rt_err *err)
{
	(void)kern;
	(void)set;
	return read_only(netdev, err);
}

static int image_dcb_app(struct rt_kern *kern, const char *netdev,
			 const struct rt_dcb_app *app, struct rt_err *err)
{
	(void)kern;
	(void)app;
	return read_only(netdev, err);
}

static int image_dcbx_set(struct rt_kern *kern, const char *netdev, uint8_t mode,
			  struct rt_err *err)
{
	(void)kern;
	(void)mode;
	return read_only(netdev, err);
}

static int image_pause_set(struct rt_kern *kern, const char *netdev,
			   const struct rt_link_pause *pause, struct rt_err *err)
{
	(void)kern;
	(void)pause;
	return read_only(netdev, err);
}

static int image_storm_set(struct rt_kern *kern, const char *netdev, uint16_t ms,
			   struct rt_err *err)
{
	(void)kern;
	(void)ms;
	return read_only(netdev, err);
}

static int image_priv_flag_set(struct rt_kern *kern, const char *netdev,
			       const char *flag, bool on, struct rt_err *err)
{
	(void)kern;
	(void)flag;
	(void)on;
	return read_only(netdev, err);
}

/* --- opening ---------------------------------------------------------------------------------- */

void rt_image_forget_stats(struct rt_image *image)
{
	for (size_t i = 0; i < image->stats_count; i++)
		close(image->stats[i].fd);
	free(image->stats);
	free(image->text);
}

static void image_close(struct rt_kern *kern)
{
	struct rt_image *image = rt_image_of(kern);

	rt_answers_free(&image->answers);
	rt_image_forget_stats(image);
	if (!image->bundle)
		rt_root_close(&image->root);
	rt_bundle_free(image->bundle);
	free(image);
}

const struct rt_kern_ops rt_image_ops = {
	.name = "image",
	.writable = false,
	.links = image_links,
	.file_read = image_file_read,
	.file_open = image_file_open,
	.file_write = image_file_write,
	.folder_read = image_folder_read,
	.symlink_read = image_symlink_read,
	.folder_make = image_folder_change,
	.folder_remove = image_folder_change,
	.access = image_access,
	.dcb_get = image_dcb_get,
	.dcb_set = image_dcb_set,
	.dcb_app_add = image_dcb_app,
	.dcb_app_delete = image_dcb_app,
	.dcbx_set = image_dcbx_set,
	.ethtool_info = image_ethtool_info,
	.speed_get = image_speed_get,
	.pause_get = image_pause_get,
	.pause_set = image_pause_set,
	.storm_get = image_storm_get,
	.storm_set = image_storm_set,
	.priv_flags_get = image_priv_flags_get,
	.priv_flag_set = image_priv_flag_set,
	.rdma_ports = image_rdma_ports,
	.rdma_use = image_rdma_use,
	.ethtool_stats = image_ethtool_stats,
	.standard_stats = image_standard_stats,
	.rdma_stats = image_rdma_stats,
	.qdisc_stats = image_qdisc_stats,
	.eswitch_mode = image_eswitch_mode,
	.holds = image_holds,
	.close = image_close,
};

/* A tree without answers is a tree in which nothing was asked. */
static int load_answers(struct rt_image *image, const char *where, struct rt_err *err)
{
	RT_AUTO(rt_auto_free) char *text = malloc(ANSWERS_MAX_BYTES + 1);
	struct rt_err why = { 0 };
	char name[300];
	size_t bytes = 0;
	int r;

	if (!text)
		return rt_err_sys(err, -ENOMEM, "%s", where);
	snprintf(name, sizeof(name), "%.200s%s" RT_ANSWERS_PATH, where,
		 *where ? "/" : "");
	r = image_file_read(&image->kern, "/" RT_ANSWERS_PATH, text,
			    ANSWERS_MAX_BYTES + 1, &bytes, &why);
	if (r == -ENOENT)
		return 0;
	if (r == -EFBIG)
		return rt_err_set(err, r, "%s: larger than %u MiB", name,
				  ANSWERS_MAX_BYTES >> 20);
	if (r < 0)
		return rt_err_set(err, r, "%s%s%s", where, *where ? ": " : "", why.msg);
	return rt_answers_parse(name, text, bytes, &image->answers, err);
}

int rt_kern_open_folder(const char *folder, struct rt_kern **ret_kern,
			struct rt_err *err)
{
	struct rt_image *image = calloc(1, sizeof(*image));
	int r;

	if (!image)
		return rt_err_sys(err, -ENOMEM, "%s", folder);
	image->kern.ops = &rt_image_ops;
	r = rt_root_open(folder, true, &image->root, err);
	if (r < 0) {
		free(image);
		return r;
	}
	r = load_answers(image, folder, err);
	if (r < 0) {
		image_close(&image->kern);
		return r;
	}
	*ret_kern = &image->kern;
	return 0;
}

int rt_kern_open_bundle(struct rt_bundle *bundle, struct rt_kern **ret_kern,
			struct rt_err *err)
{
	struct rt_image *image = calloc(1, sizeof(*image));
	int r;

	if (!image)
		return rt_err_sys(err, -ENOMEM, "bundle");
	image->kern.ops = &rt_image_ops;
	image->bundle = bundle;
	r = load_answers(image, "", err);
	if (r < 0) {
		free(image); /* the bundle stays the caller's */
		return r;
	}
	*ret_kern = &image->kern;
	return 0;
}
