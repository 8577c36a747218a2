/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kern_recorder.c - the back end that asks another and remembers.
 *
 * It is an image that grows: what is in it already is answered from it, so that a
 * host that changes meanwhile does not contradict itself; the rest is asked first.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bundle.h"
#include "base/json.h"
#include "base/own.h"
#include "kern/image.h"
#include "kern/image_back.h"
#include "kern/stats.h"
#include "rocetune/err.h"

#define FILE_MAX_BYTES (1u << 20)

struct recorder {
	struct rt_image image; /* first; its bundle is borrowed */
	struct rt_kern_ops ops;
	struct rt_kern *from; /* borrowed */
	char *buf;            /* FILE_MAX_BYTES + 1 */
	int failed;           /* what could not be remembered, first errno */
	struct rt_err why;
};

static struct recorder *recorder_of(struct rt_kern *kern)
{
	return (struct recorder *)rt_image_of(kern);
}

static void fail(struct recorder *recorder, int code, const char *what)
{
	if (recorder->failed == 0)
		recorder->failed = rt_err_sys(&recorder->why, code,
					      "%s: cannot be recorded", what);
}

/* Note in a new row (NULL: out of memory) what the question gave; true: a value. */
static bool keep(struct recorder *recorder, struct rt_answer *row, int code,
		 const struct rt_err *why)
{
	int r = row ? rt_answer_note(row, code, why) : -ENOMEM;

	if (r < 0)
		fail(recorder, r, row ? row->name : "an answer");
	return row && code == 0;
}

/* --- files ------------------------------------------------------------------------------- */

/* What is put where the links end. */
struct found {
	struct recorder *recorder;
	enum rt_bundle_kind kind;
	size_t bytes; /* of a file, in recorder->buf */
};

static int fetch(void *context, struct rt_bundle *bundle, const char *path, bool last)
{
	const struct found *found = context;
	struct rt_kern *from = found->recorder->from;
	char there[RT_BUNDLE_PATH_BYTES + 1], target[RT_BUNDLE_PATH_BYTES];
	int r;

	snprintf(there, sizeof(there), "/%s", path);
	r = from->ops->symlink_read(from, there, target, sizeof(target), NULL);
	if (r == 0)
		return rt_bundle_add_symlink(bundle, path, target, NULL);
	if (r != -EINVAL)
		return r;
	if (last && found->kind == RT_BUNDLE_FILE)
		return rt_bundle_add_file(bundle, path, found->recorder->buf,
					  found->bytes, NULL);
	return last && found->kind == RT_BUNDLE_SYMLINK
		       ? -EINVAL
		       : rt_bundle_add_folder(bundle, path, NULL);
}

/* Put what was found at path into the bundle, with the links and folders on the way. */
static void place(struct recorder *recorder, const char *path, enum rt_bundle_kind kind,
		  size_t bytes)
{
	struct found found = { recorder, kind, bytes };
	const struct rt_bundle_source source = { fetch, &found };
	const struct rt_bundle_entry *entry;
	int r = rt_bundle_fetch(recorder->image.bundle, path, kind != RT_BUNDLE_SYMLINK,
				&source, &entry);

	/* What changes under our eyes is as if it had not been there. */
	if (r < 0 && r != -ENOENT && r != -EINVAL && r != -ENOTDIR)
		fail(recorder, r, path);
}

/* Errors that a tree without the path gives by itself. */
static bool is_plain_error(int code)
{
	return code == -ENOENT || code == -ENOTDIR || code == -EISDIR ||
	       code == -ELOOP || code == -EINVAL;
}

static void note_error(struct recorder *recorder, const char *path, int code,
		       const struct rt_err *why)
{
	struct rt_answers *answers = &recorder->image.answers;

	if (!rt_answers_find(answers, files, path))
		keep(recorder, rt_answers_add(answers, files, path), code, why);
}

/* True when the image knows: what was asked has been asked before. */
static bool is_known(struct recorder *recorder, const char *path, bool follow)
{
	const struct rt_bundle_entry *entry;

	return rt_answers_find(&recorder->image.answers, files, path) ||
	       rt_bundle_resolve(recorder->image.bundle, path, follow, &entry) == 0;
}

static int recorder_file_read(struct rt_kern *kern, const char *path, char *buf,
			      size_t capacity, size_t *ret_bytes, struct rt_err *err)
{
	struct recorder *recorder = recorder_of(kern);
	struct rt_kern *from = recorder->from;
	struct rt_err why = { 0 };
	size_t bytes;
	int r;

	if (!is_known(recorder, path, true)) {
		r = from->ops->file_read(from, path, recorder->buf, FILE_MAX_BYTES + 1,
					 &bytes, &why);
		if (r == 0)
			place(recorder, path, RT_BUNDLE_FILE, bytes);
		else if (r == -EISDIR)
			place(recorder, path, RT_BUNDLE_FOLDER, 0);
		else if (!is_plain_error(r) || r == -EINVAL)
			note_error(recorder, path, r, &why);
	}
	return rt_image_ops.file_read(kern, path, buf, capacity, ret_bytes, err);
}

static void note_unread(struct recorder *recorder, const char *path)
{
	struct rt_answers *answers = &recorder->image.answers;

	if (!rt_answers_find(answers, unread, path) &&
	    !rt_answers_add(answers, unread, path))
		fail(recorder, -ENOMEM, path);
}

static int recorder_folder_read(struct rt_kern *kern, const char *path,
				struct rt_names *ret_names, struct rt_err *err)
{
	struct recorder *recorder = recorder_of(kern);
	struct rt_kern *from = recorder->from;
	char child[RT_BUNDLE_PATH_BYTES];
	struct rt_names names = { 0 };
	struct rt_err why = { 0 };
	int r = from->ops->folder_read(from, path, &names, &why);

	if (r == 0)
		place(recorder, path, RT_BUNDLE_FOLDER, 0);
	else if (!is_plain_error(r))
		note_error(recorder, path, r, &why);
	for (size_t i = 0; i < names.count; i++) {
		const char *slash = path[strlen(path) - 1] == '/' ? "" : "/";
		const int bytes = snprintf(child, sizeof(child), "%s%s%s", path, slash,
					   names.items[i]);

		if (bytes < 0 || (size_t)bytes >= sizeof(child))
			fail(recorder, -ENAMETOOLONG, path);
		else if (!is_known(recorder, child, false))
			note_unread(recorder, child);
	}
	rt_names_free(&names);
	return rt_image_ops.folder_read(kern, path, ret_names, err);
}

static int recorder_symlink_read(struct rt_kern *kern, const char *path, char *buf,
				 size_t capacity, struct rt_err *err)
{
	struct recorder *recorder = recorder_of(kern);
	struct rt_kern *from = recorder->from;
	char target[RT_BUNDLE_PATH_BYTES];
	struct rt_err why = { 0 };
	int r;

	if (!is_known(recorder, path, false)) {
		r = from->ops->symlink_read(from, path, target, sizeof(target), &why);
		if (r == 0)
			place(recorder, path, RT_BUNDLE_SYMLINK, 0);
		else if (r == -EINVAL)
			note_unread(recorder, path);
		else if (!is_plain_error(r))
			note_error(recorder, path, r, &why);
	}
	return rt_image_ops.symlink_read(kern, path, buf, capacity, err);
}

static int recorder_access(struct rt_kern *kern, const char *path, bool for_writing)
{
	struct recorder *recorder = recorder_of(kern);
	struct rt_answers *answers = &recorder->image.answers;
	const struct rt_err none = { 0 };
	int r;

	if (for_writing && !rt_answers_find(answers, writable, path)) {
		r = recorder->from->ops->access(recorder->from, path, true);
		keep(recorder, rt_answers_add(answers, writable, path), r, &none);
	}
	if (!for_writing && !rt_answers_find(answers, readable, path) &&
	    !is_known(recorder, path, true)) {
		r = recorder->from->ops->access(recorder->from, path, false);
		if (r == 0)
			note_unread(recorder, path);
		else if (!is_plain_error(r))
			keep(recorder, rt_answers_add(answers, readable, path), r,
			     &none);
	}
	return rt_image_ops.access(kern, path, for_writing);
}

/* --- answers ------------------------------------------------------------------------------- */

/*
 * A question about a name whose answer is a plain value: ask when it has no row yet,
 * keep it in a new one, and answer from there.
 */
#define RECORD(question, list, value_type, member)                                    \
	static int recorder_##question(struct rt_kern *kern, const char *name,        \
				       value_type *ret_value, struct rt_err *err)     \
	{                                                                             \
		struct recorder *recorder = recorder_of(kern);                        \
		struct rt_answers *answers = &recorder->image.answers;                \
		struct rt_kern *from = recorder->from;                                \
		__typeof__(answers->list) row = rt_answers_find(answers, list, name); \
		struct rt_err why = { 0 };                                            \
		value_type value;                                                     \
                                                                                      \
		if (!row) {                                                           \
			const int r = from->ops->question(from, name, &value, &why);  \
                                                                                      \
			row = rt_answers_add(answers, list, name);                    \
			if (keep(recorder, row ? &row->head : NULL, r, &why))         \
				row->member = value;                                  \
		}                                                                     \
		return rt_image_ops.question(kern, name, ret_value, err);             \
	}

RECORD(ethtool_info, driver, struct rt_ethtool_info, info)
RECORD(speed_get, speed, struct rt_opt_u64, speed_bps)
RECORD(pause_get, pause, struct rt_link_pause, pause)
RECORD(storm_get, storm, uint16_t, timeout_ms)
RECORD(rdma_use, rdma_use, struct rt_rdma_use, use)

static int recorder_links(struct rt_kern *kern, struct rt_links *ret_links,
			  struct rt_err *err)
{
	struct recorder *recorder = recorder_of(kern);
	struct rt_answers *answers = &recorder->image.answers;
	struct rt_answer_links *row = rt_answers_find(answers, links, "");
	struct rt_links links = { 0 };
	struct rt_err why = { 0 };

	if (!row) {
		const int r = recorder->from->ops->links(recorder->from, &links, &why);

		row = rt_answers_add(answers, links, "");
		if (keep(recorder, row ? &row->head : NULL, r, &why))
			row->links = links;
		else
			rt_links_free(&links);
	}
	return rt_image_ops.links(kern, ret_links, err);
}

static int recorder_rdma_ports(struct rt_kern *kern, struct rt_rdma_ports *ret_ports,
			       struct rt_err *err)
{
	struct recorder *recorder = recorder_of(kern);
	struct rt_answers *answers = &recorder->image.answers;
	struct rt_answer_ports *row = rt_answers_find(answers, rdma_ports, "");
	struct rt_rdma_ports ports = { 0 };
	struct rt_err why = { 0 };

	if (!row) {
		const int r = recorder->from->ops->rdma_ports(recorder->from, &ports,
							      &why);

		row = rt_answers_add(answers, rdma_ports, "");
		if (keep(recorder, row ? &row->head : NULL, r, &why))
			row->ports = ports;
		else
			rt_rdma_ports_free(&ports);
	}
	return rt_image_ops.rdma_ports(kern, ret_ports, err);
}

static int recorder_dcb_get(struct rt_kern *kern, const char *netdev,
			    struct rt_dcb *ret_dcb, struct rt_err *err)
{
	struct recorder *recorder = recorder_of(kern);
	struct rt_answers *answers = &recorder->image.answers;
	struct rt_answer_dcb *row = rt_answers_find(answers, dcb, netdev);
	struct rt_err why = { 0 };
	struct rt_dcb dcb;

	if (!row) {
		const int r = recorder->from->ops->dcb_get(recorder->from, netdev, &dcb,
							   &why);

		row = rt_answers_add(answers, dcb, netdev);
		if (keep(recorder, row ? &row->head : NULL, r, &why) &&
		    rt_answer_from_dcb(&dcb, row) < 0)
			fail(recorder, -ENOMEM, netdev);
	}
	return rt_image_ops.dcb_get(kern, netdev, ret_dcb, err);
}

static int recorder_priv_flags_get(struct rt_kern *kern, const char *netdev,
				   struct rt_priv_flags *ret_flags, struct rt_err *err)
{
	struct recorder *recorder = recorder_of(kern);
	struct rt_answers *answers = &recorder->image.answers;
	struct rt_answer_flags *row = rt_answers_find(answers, priv_flags, netdev);
	struct rt_priv_flags flags;
	struct rt_err why = { 0 };

	if (!row) {
		const int r = recorder->from->ops->priv_flags_get(recorder->from,
								  netdev, &flags, &why);

		row = rt_answers_add(answers, priv_flags, netdev);
		if (keep(recorder, row ? &row->head : NULL, r, &why) &&
		    rt_answer_from_flags(&flags, row) < 0)
			fail(recorder, -ENOMEM, netdev);
	}
	return rt_image_ops.priv_flags_get(kern, netdev, ret_flags, err);
}

static int recorder_eswitch_mode(struct rt_kern *kern, const char *pci, char *buf,
				 size_t capacity, struct rt_err *err)
{
	struct recorder *recorder = recorder_of(kern);
	struct rt_answers *answers = &recorder->image.answers;
	struct rt_answer_eswitch *row = rt_answers_find(answers, eswitch, pci);
	struct rt_err why = { 0 };
	char mode[sizeof(row->mode)];

	if (!row) {
		const int r = recorder->from->ops->eswitch_mode(
			recorder->from, pci, mode, sizeof(mode), &why);

		row = rt_answers_add(answers, eswitch, pci);
		if (keep(recorder, row ? &row->head : NULL, r, &why))
			memcpy(row->mode, mode, sizeof(mode));
	}
	return rt_image_ops.eswitch_mode(kern, pci, buf, capacity, err);
}

/* What statistics were told, as a file. */
static void keep_stats(struct recorder *recorder, const char *path,
		       const struct rt_stats *stats)
{
	size_t bytes = 0;
	char *text = rt_stats_text(stats, &bytes);
	int r = text ? rt_bundle_add_file(recorder->image.bundle, path + 1, text, bytes,
					  NULL)
		     : -ENOMEM;

	free(text);
	if (r < 0)
		fail(recorder, r, path);
}

/* A list of statistics of a network device: asked once, and answered from what it gave. */
#define RECORD_STATS(question, path_of)                                                \
	static int recorder_##question(struct rt_kern *kern, const char *netdev,       \
				       struct rt_stats *ret_stats, struct rt_err *err) \
	{                                                                              \
		struct recorder *recorder = recorder_of(kern);                         \
		struct rt_answers *answers = &recorder->image.answers;                 \
		struct rt_kern *from = recorder->from;                                 \
		char path[RT_STATS_PATH_BYTES];                                        \
		struct rt_err why = { 0 };                                             \
		int r;                                                                 \
                                                                                       \
		path_of(netdev, path);                                                 \
		if (!rt_answers_find(answers, question, netdev) &&                     \
		    !is_known(recorder, path, false)) {                                \
			r = from->ops->question(from, netdev, ret_stats, &why);        \
			if (r == 0)                                                    \
				keep_stats(recorder, path, ret_stats);                 \
			else                                                           \
				keep(recorder,                                         \
				     rt_answers_add(answers, question, netdev), r,     \
				     &why);                                            \
		}                                                                      \
		return rt_image_ops.question(kern, netdev, ret_stats, err);            \
	}

RECORD_STATS(ethtool_stats, rt_stats_ethtool_path)
RECORD_STATS(standard_stats, rt_stats_standard_path)
RECORD_STATS(qdisc_stats, rt_stats_qdisc_path)

static int recorder_rdma_stats(struct rt_kern *kern, const char *ibdev, unsigned port,
			       struct rt_stats *ret_stats, struct rt_err *err)
{
	struct recorder *recorder = recorder_of(kern);
	struct rt_answers *answers = &recorder->image.answers;
	char name[RT_ANSWER_PORT_BYTES], path[RT_STATS_PATH_BYTES];
	struct rt_err why = { 0 };
	int r;

	rt_answer_port_name(ibdev, port, name);
	rt_stats_rdma_path(name, path);
	if (!rt_answers_find(answers, rdma_stats, name) &&
	    !is_known(recorder, path, false)) {
		r = recorder->from->ops->rdma_stats(recorder->from, ibdev, port,
						    ret_stats, &why);
		if (r == 0)
			keep_stats(recorder, path, ret_stats);
		else
			keep(recorder, rt_answers_add(answers, rdma_stats, name), r,
			     &why);
	}
	return rt_image_ops.rdma_stats(kern, ibdev, port, ret_stats, err);
}

static bool recorder_holds(struct rt_kern *kern, const char *ibdev, unsigned port)
{
	return rt_kern_holds(recorder_of(kern)->from, ibdev, port);
}

/* --- opening, finishing ----------------------------------------------------------------------- */

static void recorder_close(struct rt_kern *kern)
{
	struct recorder *recorder = recorder_of(kern);

	rt_answers_free(&recorder->image.answers);
	rt_image_forget_stats(&recorder->image);
	free(recorder->buf);
	free(recorder);
}

/* The image's slots, but for those that ask. */
static void fill_ops(struct rt_kern_ops *ops)
{
	*ops = rt_image_ops;
	ops->name = "recorder";
	ops->links = recorder_links;
	ops->file_read = recorder_file_read;
	ops->file_open = NULL; /* what is read is remembered */
	ops->folder_read = recorder_folder_read;
	ops->symlink_read = recorder_symlink_read;
	ops->access = recorder_access;
	ops->dcb_get = recorder_dcb_get;
	ops->ethtool_info = recorder_ethtool_info;
	ops->speed_get = recorder_speed_get;
	ops->pause_get = recorder_pause_get;
	ops->storm_get = recorder_storm_get;
	ops->priv_flags_get = recorder_priv_flags_get;
	ops->rdma_ports = recorder_rdma_ports;
	ops->rdma_use = recorder_rdma_use;
	ops->ethtool_stats = recorder_ethtool_stats;
	ops->standard_stats = recorder_standard_stats;
	ops->rdma_stats = recorder_rdma_stats;
	ops->qdisc_stats = recorder_qdisc_stats;
	ops->eswitch_mode = recorder_eswitch_mode;
	ops->holds = recorder_holds;
	ops->close = recorder_close;
}

int rt_kern_open_recorder(struct rt_kern *kern, struct rt_bundle *bundle,
			  struct rt_kern **ret_recorder, struct rt_err *err)
{
	struct recorder *recorder = calloc(1, sizeof(*recorder));
	char *buf = malloc(FILE_MAX_BYTES + 1);

	if (!recorder || !buf) {
		free(recorder);
		free(buf);
		return rt_err_sys(err, -ENOMEM, "recorder");
	}
	fill_ops(&recorder->ops);
	recorder->image.kern.ops = &recorder->ops;
	recorder->image.bundle = bundle;
	recorder->from = kern;
	recorder->buf = buf;
	*ret_recorder = &recorder->image.kern;
	return 0;
}

int rt_kern_recorder_only(struct rt_kern *kern, const char *ibdev, unsigned port,
			  struct rt_err *err)
{
	struct rt_answers *answers = &recorder_of(kern)->image.answers;
	char name[RT_ANSWER_PORT_BYTES];

	rt_answer_port_name(ibdev, port, name);
	if (!rt_answers_find(answers, only, name) &&
	    !rt_answers_add(answers, only, name))
		return rt_err_sys(err, -ENOMEM, "%s", name);
	return 0;
}

/* What was read after it had been seen needs no row. */
static void drop_read(struct recorder *recorder)
{
	struct rt_answers *answers = &recorder->image.answers;
	size_t kept = 0;

	for (size_t i = 0; i < answers->unread_count; i++) {
		struct rt_answer *row = &answers->unread[i];

		if (is_known(recorder, row->name, false))
			free((char *)(uintptr_t)row->name);
		else
			answers->unread[kept++] = *row;
	}
	answers->unread_count = kept;
}

int rt_kern_recorder_finish(struct rt_kern *kern, struct rt_err *err)
{
	struct recorder *recorder = recorder_of(kern);
	struct rt_json *json;
	char *text = NULL;
	size_t bytes = 0;
	FILE *to;
	int r;

	if (recorder->failed)
		return rt_err_set(err, recorder->failed, "%s", recorder->why.msg);
	drop_read(recorder);
	to = open_memstream(&text, &bytes);
	if (!to)
		return rt_err_sys(err, -ENOMEM, "answers");
	json = rt_answers_json(&recorder->image.answers);
	r = rt_json_write(json, to, err);
	rt_json_free(json);
	fclose(to);
	if (r == 0)
		r = rt_bundle_add_file(recorder->image.bundle, RT_ANSWERS_PATH, text,
				       bytes, err);
	free(text);
	return r;
}
