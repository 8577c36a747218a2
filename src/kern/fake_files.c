/* SPDX-License-Identifier: BSD-2-Clause */
/* fake_files.c - the fake's files: what they make of what is written into them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bundle.h"
#include "base/own.h"
#include "kern/fake_back.h"
#include "kern/files.h"
#include "kern/image_back.h"
#include "rocetune/err.h"

/* --- finding --------------------------------------------------------------------------- */

struct rt_fake_file *rt_fake_add_file(struct rt_fake *fake, const char *path,
				      enum rt_fake_file_kind kind, const char *text)
{
	struct rt_fake_file *file = &fake->files[fake->file_count];

	if (fake->file_count == RT_FAKE_FILES || strlen(path) >= sizeof(file->path) ||
	    strlen(text) >= sizeof(file->text) ||
	    rt_bundle_add_file(fake->tree, path + 1, "", 0, NULL) < 0)
		return NULL;
	*file = (struct rt_fake_file){ .kind = kind };
	strcpy(file->path, path);
	strcpy(file->text, text);
	fake->file_count++;
	return file;
}

static struct rt_fake_file *file_at(struct rt_fake *fake, const char *path)
{
	for (size_t i = 0; i < fake->file_count; i++)
		if (strcmp(fake->files[i].path + 1, path) == 0)
			return &fake->files[i];
	return NULL;
}

struct rt_fake_file *rt_fake_file_of(struct rt_fake *fake, const char *path)
{
	const struct rt_bundle_entry *entry;
	struct rt_fake_file *file;

	if (rt_bundle_resolve(fake->tree, path, true, &entry) < 0 || !entry->path)
		return NULL;
	file = file_at(fake, entry->path);
	return file && !file->hidden ? file : NULL;
}

/* Whether the folder (without "/" in front) is there: configfs shows it when made. */
static bool is_hidden(const struct rt_fake *fake, const char *folder)
{
	for (size_t i = 0; i < fake->file_count; i++) {
		const struct rt_fake_file *file = &fake->files[i];
		const size_t bytes = strlen(file->made_with);

		if (file->hidden && bytes &&
		    strncmp(folder, file->made_with + 1, bytes - 1) == 0 &&
		    (folder[bytes - 1] == '\0' || folder[bytes - 1] == '/'))
			return true;
	}
	return false;
}

/* The entry, or a negative errno; what is hidden is not there. */
static int resolve(const struct rt_fake *fake, const char *path, bool follow,
		   const struct rt_bundle_entry **ret_entry)
{
	int r = rt_bundle_resolve(fake->tree, path, follow, ret_entry);

	return r == 0 && (*ret_entry)->path && is_hidden(fake, (*ret_entry)->path)
		       ? -ENOENT
		       : r;
}

int rt_fake_file_read(struct rt_kern *kern, const char *path, char *buf,
		      size_t capacity, size_t *ret_bytes, struct rt_err *err)
{
	struct rt_fake *fake = rt_fake_from(kern);
	const struct rt_bundle_entry *entry;
	const struct rt_fake_file *file;
	const char *text;
	size_t bytes;
	int r = resolve(fake, path, true, &entry);

	if (r == 0 && entry->kind == RT_BUNDLE_FOLDER)
		r = -EISDIR;
	if (r < 0)
		return rt_err_sys(err, r, "%s", path);
	file = file_at(fake, entry->path);
	text = file ? file->text : entry->data;
	bytes = strlen(text);
	if (bytes >= capacity)
		return rt_err_sys(err, -EFBIG, "%s", path);
	memcpy(buf, text, bytes + 1);
	*ret_bytes = bytes;
	return 0;
}

int rt_fake_folder_read(struct rt_kern *kern, const char *path,
			struct rt_names *ret_names, struct rt_err *err)
{
	struct rt_fake *fake = rt_fake_from(kern);
	const struct rt_bundle_entry *folder;
	struct rt_names names = { 0 };
	char child[RT_BUNDLE_PATH_BYTES * 2];
	size_t kept = 0;
	int r = resolve(fake, path, true, &folder);

	if (r == 0)
		r = rt_bundle_names(fake->tree, path, &names);
	if (r < 0)
		return rt_err_sys(err, r, "%s", path);
	for (size_t i = 0; i < names.count; i++) {
		snprintf(child, sizeof(child), "%s%s%s",
			 folder->path ? folder->path : "", folder->path ? "/" : "",
			 names.items[i]);
		if (is_hidden(fake, child))
			free(names.items[i]);
		else
			names.items[kept++] = names.items[i];
	}
	names.count = kept;
	rt_names_sort(&names);
	*ret_names = names;
	return 0;
}

int rt_fake_symlink_read(struct rt_kern *kern, const char *path, char *buf,
			 size_t capacity, struct rt_err *err)
{
	const struct rt_bundle_entry *entry;
	int r = resolve(rt_fake_from(kern), path, false, &entry);

	if (r == 0 && entry->kind != RT_BUNDLE_SYMLINK)
		r = -EINVAL;
	if (r == 0 && entry->bytes >= capacity)
		r = -ENAMETOOLONG;
	if (r < 0)
		return rt_err_sys(err, r, "%s", path);
	memcpy(buf, entry->data, entry->bytes + 1);
	return 0;
}

int rt_fake_access(struct rt_kern *kern, const char *path, bool for_writing)
{
	const struct rt_bundle_entry *entry;
	const struct rt_fake_file *file;
	int r = resolve(rt_fake_from(kern), path, true, &entry);

	if (r < 0 || !for_writing || entry->kind == RT_BUNDLE_FOLDER)
		return r;
	file = file_at(rt_fake_from(kern), entry->path);
	return file && !file->read_only ? 0 : -EACCES;
}

/* --- writing files --------------------------------------------------------------------- */

/* A whole number of the base (0: as it is written); a line end may follow. */
static int parse_number(const char *text, int base, uint64_t *ret)
{
	char *rest;

	errno = 0;
	*ret = strtoull(text, &rest, base);
	rest += *rest == '\n';
	return errno || *rest || rest == text || text[0] == '-' ? -EINVAL : 0;
}

/* The file beside this one, or NULL. */
static struct rt_fake_file *sibling(struct rt_fake *fake,
				    const struct rt_fake_file *file, const char *name)
{
	char path[RT_FAKE_PATH_BYTES + 64];
	const char *slash = strrchr(file->path, '/');

	snprintf(path, sizeof(path), "%.*s/%s", (int)(slash - file->path), file->path,
		 name);
	return file_at(fake, path + 1);
}

/* Writing one file of mlx5 sets another (infiniband/hw/mlx5/cong.c). */
static void set_others(struct rt_fake *fake, const struct rt_fake_file *file)
{
	static const struct {
		const char *written, *other, *becomes;
	} rules[] = {
		{ "/np_cnp_prio", "np_cnp_prio_mode", "0\n" },
		{ "/rtt_resp_dscp", "rtt_resp_dscp_valid", "1\n" },
	};

	for (size_t i = 0; i < RT_ARRAY_SIZE(rules); i++) {
		struct rt_fake_file *other;

		if (strcmp(strrchr(file->path, '/'), rules[i].written) != 0)
			continue;
		other = sibling(fake, file, rules[i].other);
		if (other)
			strcpy(other->text, rules[i].becomes);
	}
}

/* Everything staged beside an "apply" that is written 1. */
static void apply_staged(struct rt_fake *fake, const struct rt_fake_file *apply)
{
	const size_t bytes = (size_t)(strrchr(apply->path, '/') - apply->path) + 1;

	for (size_t i = 0; i < fake->file_count; i++) {
		struct rt_fake_file *file = &fake->files[i];

		if (strncmp(file->path, apply->path, bytes) != 0 || !*file->staged)
			continue;
		strcpy(file->text, file->staged);
		file->staged[0] = '\0';
	}
}

static int take_text(struct rt_fake_file *file, const char *text, bool bend)
{
	const size_t bytes = strcspn(text, "\n");

	if (bytes + 3 > sizeof(file->text))
		return -EINVAL;
	snprintf(file->text, sizeof(file->text), "%.*s%s\n", (int)bytes, text,
		 bend ? "x" : "");
	return 0;
}

static int take_value(struct rt_fake *fake, struct rt_fake_file *file, const char *text,
		      bool bend)
{
	uint64_t number = 0;
	int r;

	if (file->kind == RT_FAKE_DEAF)
		return 0;
	if (file->kind == RT_FAKE_TEXT)
		return take_text(file, text, bend);
	r = parse_number(text, file->kind == RT_FAKE_HEX ? 16 : 0, &number);
	if (r < 0 || (file->max && number > file->max))
		return -EINVAL;
	number += bend;
	if (file->kind == RT_FAKE_APPLY)
		apply_staged(fake, file);
	else if (file->kind == RT_FAKE_TCLASS)
		snprintf(file->text, sizeof(file->text), "Global tclass=%lu\n",
			 (unsigned long)number);
	else
		snprintf(file->kind == RT_FAKE_STAGED ? file->staged : file->text,
			 sizeof(file->text), "%lu\n", (unsigned long)number);
	set_others(fake, file);
	return 0;
}

int rt_fake_file_write(struct rt_kern *kern, const char *path, const char *text,
		       struct rt_err *err)
{
	struct rt_fake *fake = rt_fake_from(kern);
	struct rt_fake_file *file = rt_fake_file_of(fake, path), before;
	struct rt_fake_attempt attempt;
	int r = file ? file->read_only ? -EACCES : 0
		     : rt_fake_access(kern, path, false);

	if (!file && r == 0)
		r = -EACCES; /* fixed */
	if (r < 0)
		return rt_err_sys(err, r, "%s: cannot be written", path);
	before = *file;
	r = rt_fake_begin(fake, &attempt, "%.70s = %.*s", path,
			  (int)strcspn(text, "\n"), text);
	if (r == 0 && !rt_fake_has(&attempt, RT_FAKE_IGNORE))
		r = take_value(fake, file, text, rt_fake_has(&attempt, RT_FAKE_BEND));
	rt_fake_end(&attempt, memcmp(&before, file, sizeof(before)) != 0 ||
				      (r == 0 && file->kind == RT_FAKE_APPLY));
	return r < 0 ? rt_err_sys(err, r, "%s: '%.40s' was refused", path, text) : 0;
}

/* configfs: to make a folder shows its files, which keep their values. */
static int show_folder(struct rt_kern *kern, const char *path, bool hide,
		       struct rt_err *err)
{
	struct rt_fake *fake = rt_fake_from(kern);
	struct rt_fake_attempt attempt;
	bool any = false, changed = false;
	int r;

	for (size_t i = 0; i < fake->file_count; i++)
		any = any || strcmp(fake->files[i].made_with, path) == 0;
	if (!any)
		return rt_err_sys(err, hide ? -ENOENT : -ENODEV, "%s", path);
	r = rt_fake_begin(fake, &attempt, "%s %.70s", hide ? "rmdir" : "mkdir", path);
	for (size_t i = 0; i < fake->file_count && r == 0; i++) {
		struct rt_fake_file *file = &fake->files[i];

		if (strcmp(file->made_with, path) != 0 ||
		    rt_fake_has(&attempt, RT_FAKE_IGNORE))
			continue;
		changed = changed || file->hidden != hide;
		file->hidden = hide;
	}
	rt_fake_end(&attempt, changed);
	if (r == 0 && !changed && !rt_fake_has(&attempt, RT_FAKE_IGNORE))
		r = hide ? -ENOENT : -EEXIST;
	return r < 0 ? rt_err_sys(err, r, "%s", path) : 0;
}

int rt_fake_folder_make(struct rt_kern *kern, const char *path, struct rt_err *err)
{
	return show_folder(kern, path, false, err);
}

int rt_fake_folder_remove(struct rt_kern *kern, const char *path, struct rt_err *err)
{
	return show_folder(kern, path, true, err);
}
