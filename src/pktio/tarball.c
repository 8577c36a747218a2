/* SPDX-License-Identifier: BSD-2-Clause */
#include "pktio/tarball.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <string.h>

#include "base/bundle.h"
#include "base/own.h"
#include "rocetune/err.h"

#define BLOCK_BYTES 10240u
#define FILE_MODE   0644
#define FOLDER_MODE 0755

/* --- reading ------------------------------------------------------------------------- */

static void auto_read_free(struct archive **from)
{
	archive_read_free(*from);
}

static int archive_err(struct archive *archive, const char *name, struct rt_err *err)
{
	const char *why = archive_error_string(archive);

	return rt_err_set(err, archive_errno(archive) == ENOMEM ? -ENOMEM : -EINVAL,
			  "%s: %s", name, why ? why : "cannot be read");
}

/* "./sys/class/" is "sys/class"; NULL for the root. */
static const char *inner_path(const char *path, char buf[RT_BUNDLE_PATH_BYTES])
{
	size_t bytes;

	while (path[0] == '.' && path[1] == '/')
		for (path += 2; *path == '/'; path++)
			;
	bytes = strlen(path);
	while (bytes > 1 && path[bytes - 1] == '/')
		bytes--;
	if (bytes == 0 || (bytes == 1 && path[0] == '.'))
		return NULL;
	if (bytes >= RT_BUNDLE_PATH_BYTES)
		return path; /* too long: the bundle says so */
	memcpy(buf, path, bytes);
	buf[bytes] = '\0';
	return buf;
}

/* The contents of the entry at hand; more than a bundle's bounds is -E2BIG. */
static int read_contents(struct archive *from, char **ret_data, size_t *ret_bytes)
{
	RT_AUTO(rt_auto_free) char *data = NULL;
	size_t used = 0, capacity = 0;
	ssize_t got;

	do {
		if (capacity - used < BLOCK_BYTES) {
			char *grown;

			capacity = capacity ? capacity * 2 : 2 * BLOCK_BYTES;
			grown = realloc(data, capacity);
			if (!grown)
				return -ENOMEM;
			data = grown;
		}
		got = archive_read_data(from, data + used, capacity - used);
		if (got < 0)
			return -EIO;
		used += (size_t)got;
		if (used > RT_BUNDLE_MAX_BYTES)
			return -E2BIG;
	} while (got > 0);
	*ret_data = rt_steal(&data);
	*ret_bytes = used;
	return 0;
}

static int add_file(struct archive *from, const char *name, const char *path,
		    struct rt_bundle *bundle, struct rt_err *err)
{
	RT_AUTO(rt_auto_free) char *data = NULL;
	size_t bytes = 0;
	int r = read_contents(from, &data, &bytes);

	if (r == -EIO)
		return archive_err(from, name, err);
	if (r == -E2BIG)
		return rt_err_set(
			err, r,
			"'%.200s' is larger, unpacked, than the %u MiB that a "
			"bundle has at most",
			path, RT_BUNDLE_MAX_BYTES >> 20);
	if (r < 0)
		return rt_err_sys(err, r, "%s", path);
	return rt_bundle_add_file(bundle, path, data, bytes, err);
}

static int add_entry(struct archive *from, struct archive_entry *entry,
		     const char *name, struct rt_bundle *bundle, struct rt_err *err)
{
	const char *raw = archive_entry_pathname(entry), *path, *target;
	char buf[RT_BUNDLE_PATH_BYTES];

	if (!raw)
		return rt_err_set(err, -EINVAL, "an entry without a readable name");
	path = inner_path(raw, buf);
	if (!path)
		return 0;
	if (archive_entry_hardlink(entry))
		return rt_err_set(err, -EINVAL, "'%.200s' is a hard link", path);
	switch (archive_entry_filetype(entry)) {
	case AE_IFDIR: return rt_bundle_add_folder(bundle, path, err);
	case AE_IFREG: return add_file(from, name, path, bundle, err);
	case AE_IFLNK:
		target = archive_entry_symlink(entry);
		return rt_bundle_add_symlink(bundle, path, target ? target : "", err);
	}
	return rt_err_set(err, -EINVAL,
			  "'%.200s' is neither file, folder nor symbolic link", path);
}

static int add_entries(struct archive *from, const char *name, struct rt_bundle *bundle,
		       struct rt_err *err)
{
	struct archive_entry *entry;
	struct rt_err why = { 0 };
	int r;

	for (size_t i = 0;; i++) {
		r = archive_read_next_header(from, &entry);
		if (r == ARCHIVE_EOF)
			return 0;
		if (r != ARCHIVE_OK && r != ARCHIVE_WARN)
			return archive_err(from, name, err);
		/* Also entries that add nothing take time. */
		if (i == 2 * RT_BUNDLE_MAX_ENTRIES)
			return rt_err_set(err, -E2BIG, "%s: too many entries", name);
		r = add_entry(from, entry, name, bundle, &why);
		if (r < 0)
			return rt_err_set(err, r, "%s: %s", name, why.msg);
	}
}

static struct archive *new_reader(void)
{
	struct archive *from = archive_read_new();

	if (from && (archive_read_support_format_tar(from) != ARCHIVE_OK ||
		     archive_read_support_filter_gzip(from) != ARCHIVE_OK ||
		     archive_read_support_filter_zstd(from) != ARCHIVE_OK ||
		     archive_read_support_filter_xz(from) != ARCHIVE_OK)) {
		archive_read_free(from);
		return NULL;
	}
	return from;
}

/* from is open. */
static int read_tree(struct archive *from, const char *name,
		     struct rt_bundle **ret_bundle, struct rt_err *err)
{
	RT_AUTO(rt_auto_bundle_free) struct rt_bundle *bundle = rt_bundle_new();
	int r;

	if (!bundle)
		return rt_err_sys(err, -ENOMEM, "%s", name);
	r = add_entries(from, name, bundle, err);
	if (r < 0)
		return r;
	*ret_bundle = rt_steal(&bundle);
	return 0;
}

int rt_tarball_read(const char *path, struct rt_bundle **ret_bundle, struct rt_err *err)
{
	RT_AUTO(auto_read_free) struct archive *from = new_reader();
	RT_AUTO(rt_auto_fclose) FILE *file = fopen(path, "re");

	if (!file)
		return rt_err_sys(err, -errno, "%s", path);
	if (!from)
		return rt_err_sys(err, -ENOMEM, "%s", path);
	if (archive_read_open_FILE(from, file) != ARCHIVE_OK)
		return archive_err(from, path, err);
	return read_tree(from, path, ret_bundle, err);
}

int rt_tarball_parse(const char *name, const void *data, size_t bytes,
		     struct rt_bundle **ret_bundle, struct rt_err *err)
{
	RT_AUTO(auto_read_free) struct archive *from = new_reader();

	if (!from)
		return rt_err_sys(err, -ENOMEM, "%s", name);
	if (archive_read_open_memory(from, data, bytes) != ARCHIVE_OK)
		return archive_err(from, name, err);
	return read_tree(from, name, ret_bundle, err);
}

/* --- writing ------------------------------------------------------------------------- */

static void auto_write_free(struct archive **to)
{
	archive_write_free(*to);
}

static void auto_entry_free(struct archive_entry **entry)
{
	archive_entry_free(*entry);
}

static int write_entry(struct archive *to, struct archive_entry *entry,
		       const struct rt_bundle_entry *from)
{
	archive_entry_clear(entry);
	archive_entry_set_pathname(entry, from->path);
	archive_entry_set_mtime(entry, 0, 0);
	switch (from->kind) {
	case RT_BUNDLE_FOLDER:
		archive_entry_set_filetype(entry, AE_IFDIR);
		archive_entry_set_perm(entry, FOLDER_MODE);
		break;
	case RT_BUNDLE_FILE:
		archive_entry_set_filetype(entry, AE_IFREG);
		archive_entry_set_perm(entry, FILE_MODE);
		archive_entry_set_size(entry, (la_int64_t)from->bytes);
		break;
	case RT_BUNDLE_SYMLINK:
		archive_entry_set_filetype(entry, AE_IFLNK);
		archive_entry_set_perm(entry, FILE_MODE);
		archive_entry_set_symlink(entry, from->data);
		break;
	}
	if (archive_write_header(to, entry) != ARCHIVE_OK)
		return -EIO;
	if (from->kind == RT_BUNDLE_FILE && from->bytes > 0 &&
	    archive_write_data(to, from->data, from->bytes) != (la_ssize_t)from->bytes)
		return -EIO;
	return 0;
}

int rt_tarball_write(struct rt_bundle *bundle, FILE *to_file, struct rt_err *err)
{
	RT_AUTO(auto_write_free) struct archive *to = archive_write_new();
	RT_AUTO(auto_entry_free) struct archive_entry *entry = archive_entry_new();
	int r = 0;

	if (!to || !entry)
		return rt_err_sys(err, -ENOMEM, "bundle");
	/* "Restricted" is ustar with pax records for what does not fit. */
	if (archive_write_set_format_pax_restricted(to) != ARCHIVE_OK ||
	    archive_write_add_filter_none(to) != ARCHIVE_OK ||
	    archive_write_open_FILE(to, to_file) != ARCHIVE_OK)
		return archive_err(to, "bundle", err);
	for (size_t i = 0; i < rt_bundle_count(bundle) && r == 0; i++)
		r = write_entry(to, entry, rt_bundle_at(bundle, i));
	if (r == 0 && archive_write_close(to) != ARCHIVE_OK)
		r = -EIO;
	if (r < 0)
		return rt_err_set(err, r, "cannot write the bundle: %s (%s)",
				  archive_error_string(to),
				  strerror(archive_errno(to)));
	return fflush(to_file) ? rt_err_sys(err, -errno, "cannot write the bundle") : 0;
}
