/* SPDX-License-Identifier: BSD-2-Clause */
/* Trees in memory and as tar archives, hostile ones too. */
#include "unit.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/bundle.h"
#include "base/own.h"
#include "pktio/tarball.h"
#include "rocetune/err.h"

static struct rt_bundle *sample(void)
{
	struct rt_bundle *bundle = rt_bundle_new();

	assert_int_equal(rt_bundle_add_file(bundle, "sys/devices/pci0/net/eth0/mtu",
					    "9000\n", 5, NULL),
			 0);
	assert_int_equal(rt_bundle_add_symlink(bundle, "sys/class/net/eth0",
					       "../../devices/pci0/net/eth0", NULL),
			 0);
	assert_int_equal(rt_bundle_add_symlink(bundle,
					       "sys/devices/pci0/net/eth0/subsystem",
					       "/sys/class/net", NULL),
			 0);
	assert_int_equal(rt_bundle_add_symlink(bundle, "loop", "a/../loop", NULL), 0);
	assert_int_equal(rt_bundle_add_folder(bundle, "a", NULL), 0);
	assert_int_equal(rt_bundle_add_file(bundle, "a-b", "", 0, NULL), 0);
	assert_int_equal(
		rt_bundle_add_symlink(bundle, "a/out", "../../../etc/passwd", NULL), 0);
	assert_int_equal(rt_bundle_add_file(bundle, "etc/passwd", "inside", 6, NULL),
			 0);
	return bundle;
}

static void test_bundle_resolves_inside_itself(void **state)
{
	static const struct {
		const char *path;
		bool follow;
		int r;
		const char *leads_to;
	} cases[] = {
		{ "/sys/class/net/eth0/mtu", true, 0, "sys/devices/pci0/net/eth0/mtu" },
		{ "/sys/class/net/eth0", true, 0, "sys/devices/pci0/net/eth0" },
		{ "/sys/class/net/eth0", false, 0, "sys/class/net/eth0" },
		{ "/sys/class/net/eth0/subsystem/eth0/mtu", true, 0,
		  "sys/devices/pci0/net/eth0/mtu" },
		{ "/sys/class/net/eth0/../eth0/./mtu", true, 0,
		  "sys/devices/pci0/net/eth0/mtu" },
		{ "//sys///class/", true, 0, "sys/class" },
		{ "/../../a/out", true, 0, "etc/passwd" },
		{ "/", true, 0, NULL },
		{ "/..", true, 0, NULL },
		{ "/loop", true, -ELOOP, NULL },
		{ "/loop", false, 0, "loop" },
		{ "/sys/class/net/eth1/mtu", true, -ENOENT, NULL },
		{ "/a-b/x", true, -ENOTDIR, NULL },
		{ "/sys/class/net/eth0/mtu/..", true, -ENOTDIR, NULL },
	};
	RT_AUTO(rt_auto_bundle_free) struct rt_bundle *bundle = sample();

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const struct rt_bundle_entry *entry = NULL;
		int r = rt_bundle_resolve(bundle, cases[i].path, cases[i].follow,
					  &entry);

		print_message("# %s\n", cases[i].path);
		assert_int_equal(r, cases[i].r);
		if (r < 0)
			continue;
		if (cases[i].leads_to)
			assert_string_equal(entry->path, cases[i].leads_to);
		else
			assert_null(entry->path);
	}
}

static void test_bundle_refuses(void **state)
{
	char deep[RT_BUNDLE_PATH_BYTES + 10];
	static const struct {
		const char *path;
		int r;
	} cases[] = {
		{ "", -EINVAL },       { "/etc", -EINVAL },     { "a//b", -EINVAL },
		{ "a/", -EINVAL },     { "./a", -EINVAL },      { "a/../b", -EINVAL },
		{ "..", -EINVAL },     { "a-b", -EEXIST },      { "a", -EEXIST },
		{ "a-b/c", -ENOTDIR }, { "a/out/x", -ENOTDIR },
	};
	RT_AUTO(rt_auto_bundle_free) struct rt_bundle *bundle = sample();
	const size_t before = rt_bundle_count(bundle);

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_err err = { 0 };

		print_message("# '%s'\n", cases[i].path);
		assert_int_equal(rt_bundle_add_file(bundle, cases[i].path, "", 0, &err),
				 cases[i].r);
		assert_string_not_equal(err.msg, "");
	}
	memset(deep, 'x', sizeof(deep));
	deep[sizeof(deep) - 1] = '\0';
	assert_int_equal(rt_bundle_add_folder(bundle, deep, NULL), -ENAMETOOLONG);
	assert_int_equal(rt_bundle_add_symlink(bundle, "l", deep, NULL), -EINVAL);
	assert_int_equal(rt_bundle_add_symlink(bundle, "l", "", NULL), -EINVAL);
	assert_int_equal(rt_bundle_add_folder(bundle, "a", NULL), 0); /* it is one */
	assert_int_equal(rt_bundle_count(bundle), before);
}

static void test_bundle_is_bounded(void **state)
{
	RT_AUTO(rt_auto_bundle_free) struct rt_bundle *bundle = rt_bundle_new();
	RT_AUTO(rt_auto_free) char *big = calloc(1, RT_BUNDLE_MAX_BYTES);
	struct rt_err err = { 0 };
	char path[32];
	int r = 0;

	(void)state;
	assert_int_equal(
		rt_bundle_add_file(bundle, "a", big, RT_BUNDLE_MAX_BYTES, NULL), 0);
	assert_int_equal(rt_bundle_add_file(bundle, "b", "x", 1, &err), -E2BIG);
	assert_non_null(strstr(err.msg, "64 MiB"));
	for (unsigned i = 1; i < RT_BUNDLE_MAX_ENTRIES; i++) {
		snprintf(path, sizeof(path), "f%u", i);
		r = rt_bundle_add_file(bundle, path, "", 0, NULL);
		if (r < 0)
			break;
	}
	assert_int_equal(r, 0);
	assert_int_equal(rt_bundle_add_file(bundle, "g", "", 0, NULL), -E2BIG);
	assert_non_null(rt_bundle_find(bundle, "f99999"));
}

static void test_bundle_range_is_what_lies_inside(void **state)
{
	RT_AUTO(rt_auto_bundle_free) struct rt_bundle *bundle = sample();
	size_t first, end;

	(void)state;
	rt_bundle_range(bundle, "a", &first, &end);
	assert_int_equal(end - first, 1);
	assert_string_equal(rt_bundle_at(bundle, first)->path, "a/out");
	rt_bundle_range(bundle, "sys/class", &first, &end);
	assert_int_equal(end - first, 2);
	rt_bundle_range(bundle, "nothing", &first, &end);
	assert_int_equal(end, first);
	rt_bundle_range(bundle, "", &first, &end);
	assert_int_equal(end - first, rt_bundle_count(bundle));
	for (size_t i = 1; i < end; i++)
		assert_true(strcmp(rt_bundle_at(bundle, i - 1)->path,
				   rt_bundle_at(bundle, i)->path) < 0);
}

/* --- tar ------------------------------------------------------------------------------- */

static char *written(struct rt_bundle *bundle, size_t *ret_bytes)
{
	char *data = NULL;
	struct rt_err err = { 0 };
	FILE *to = open_memstream(&data, ret_bytes);

	if (rt_tarball_write(bundle, to, &err) < 0)
		fail_msg("%s", err.msg);
	fclose(to);
	return data;
}

static void check_same(struct rt_bundle *a, struct rt_bundle *b)
{
	assert_int_equal(rt_bundle_count(a), rt_bundle_count(b));
	for (size_t i = 0; i < rt_bundle_count(a); i++) {
		const struct rt_bundle_entry *x = rt_bundle_at(a, i),
					     *y = rt_bundle_at(b, i);

		assert_string_equal(x->path, y->path);
		assert_int_equal(x->kind, y->kind);
		assert_int_equal(x->bytes, y->bytes);
		assert_memory_equal(x->data, y->data, x->bytes);
	}
}

static void test_tar_comes_back_as_it_went(void **state)
{
	RT_AUTO(rt_auto_bundle_free) struct rt_bundle *bundle = sample();
	RT_AUTO(rt_auto_bundle_free) struct rt_bundle *back = NULL;
	RT_AUTO(rt_auto_bundle_free) struct rt_bundle *other = rt_bundle_new();
	RT_AUTO(rt_auto_free) char *once = NULL, *twice = NULL;
	char deep[400] = "", target[300];
	struct rt_err err = { 0 };
	size_t once_bytes, twice_bytes;

	(void)state;
	/* Longer than ustar can say, in both. */
	for (unsigned i = 0; i < 9; i++)
		sprintf(deep + strlen(deep),
			"%s0000:%02x:00.0-and-a-long-name-indeed-so", i ? "/" : "", i);
	memset(target, 't', sizeof(target));
	target[sizeof(target) - 1] = '\0';
	assert_int_equal(rt_bundle_add_file(bundle, deep, "\0\xff", 2, NULL), 0);
	assert_int_equal(rt_bundle_add_symlink(bundle, "far", target, NULL), 0);
	once = written(bundle, &once_bytes);
	assert_int_equal(rt_tarball_parse("t", once, once_bytes, &back, &err), 0);
	check_same(bundle, back);

	/* The same in another order of adding gives the same bytes. */
	for (size_t i = rt_bundle_count(bundle); i-- > 0;) {
		const struct rt_bundle_entry *entry = rt_bundle_at(bundle, i);

		if (entry->kind == RT_BUNDLE_FILE)
			rt_bundle_add_file(other, entry->path, entry->data,
					   entry->bytes, NULL);
		else if (entry->kind == RT_BUNDLE_SYMLINK)
			rt_bundle_add_symlink(other, entry->path, entry->data, NULL);
		else
			rt_bundle_add_folder(other, entry->path, NULL);
	}
	twice = written(other, &twice_bytes);
	assert_int_equal(once_bytes, twice_bytes);
	assert_memory_equal(once, twice, once_bytes);
}

/* An archive of one entry, made by libarchive itself. */
static size_t one_entry(const char *path, unsigned type, const char *link, bool hard,
			int filter, char *buf, size_t capacity)
{
	struct archive *to = archive_write_new();
	struct archive_entry *entry = archive_entry_new();
	size_t used = 0;

	archive_write_set_format_pax_restricted(to);
	archive_write_add_filter(to, filter);
	assert_int_equal(archive_write_open_memory(to, buf, capacity, &used),
			 ARCHIVE_OK);
	archive_entry_set_pathname(entry, path);
	archive_entry_set_filetype(entry, type);
	archive_entry_set_size(entry, type == AE_IFREG && !hard ? 3 : 0);
	if (link && hard)
		archive_entry_set_hardlink(entry, link);
	else if (link)
		archive_entry_set_symlink(entry, link);
	assert_int_equal(archive_write_header(to, entry), ARCHIVE_OK);
	if (type == AE_IFREG && !hard)
		assert_int_equal(archive_write_data(to, "abc", 3), 3);
	archive_write_close(to);
	archive_entry_free(entry);
	archive_write_free(to);
	return used;
}

static void test_tar_takes_only_what_a_bundle_has(void **state)
{
	static const struct {
		const char *path;
		unsigned type;
		const char *link;
		bool hard;
		int filter, r;
		const char *says; /* or the path in the bundle */
	} cases[] = {
		{ "./sys/./x", AE_IFREG, NULL, false, 0, -EINVAL, "no path inside" },
		{ "./sys/x", AE_IFREG, NULL, false, 0, 0, "sys/x" },
		{ "./", AE_IFDIR, NULL, false, 0, 0, NULL },
		{ "sys/", AE_IFDIR, NULL, false, 0, 0, "sys" },
		{ "x", AE_IFREG, NULL, false, ARCHIVE_FILTER_GZIP, 0, "x" },
		{ "x", AE_IFREG, NULL, false, ARCHIVE_FILTER_ZSTD, 0, "x" },
		{ "x", AE_IFREG, NULL, false, ARCHIVE_FILTER_XZ, 0, "x" },
		{ "x", AE_IFREG, NULL, false, ARCHIVE_FILTER_BZIP2, -EINVAL, "t:" },
		{ "/etc/passwd", AE_IFREG, NULL, false, 0, -EINVAL, "no path inside" },
		{ "a/../../b", AE_IFREG, NULL, false, 0, -EINVAL, "no path inside" },
		{ "x", AE_IFLNK, "../../../etc", false, 0, 0, "x" },
		{ "x", AE_IFLNK, "", false, 0, -EINVAL, "t:" },
		{ "x", AE_IFREG, "y", true, 0, -EINVAL, "'x' is a hard link" },
		{ "x", AE_IFIFO, NULL, false, 0, -EINVAL, "neither file" },
		{ "x", AE_IFCHR, NULL, false, 0, -EINVAL, "neither file" },
		{ "x", AE_IFBLK, NULL, false, 0, -EINVAL, "neither file" },
	};
	static char buf[1 << 20];

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		RT_AUTO(rt_auto_bundle_free) struct rt_bundle *bundle = NULL;
		struct rt_err err = { 0 };
		const size_t bytes = one_entry(cases[i].path, cases[i].type,
					       cases[i].link, cases[i].hard,
					       cases[i].filter, buf, sizeof(buf));
		int r = rt_tarball_parse("t", buf, bytes, &bundle, &err);

		print_message("# %s: %d %s\n", cases[i].path, r, err.msg);
		assert_int_equal(r, cases[i].r);
		if (r < 0)
			assert_non_null(strstr(err.msg, cases[i].says));
		else if (cases[i].says)
			assert_non_null(rt_bundle_find(bundle, cases[i].says));
		else
			assert_int_equal(rt_bundle_count(bundle), 0);
	}
}

static void test_tar_cut_or_changed_is_an_error_or_a_tree(void **state)
{
	RT_AUTO(rt_auto_bundle_free) struct rt_bundle *bundle = sample();
	size_t bytes;
	RT_AUTO(rt_auto_free) char *data = written(bundle, &bytes);

	(void)state;
	for (size_t n = 0; n < bytes; n += 97) {
		struct rt_bundle *back = NULL;
		struct rt_err err = { 0 };
		char *part = malloc(n + 1);
		int r;

		memcpy(part, data, n);
		r = rt_tarball_parse("t", part, n, &back, &err);
		assert_true((r == 0) == (back != NULL));
		assert_true(r == 0 || *err.msg);
		rt_bundle_free(back);
		free(part);

		back = NULL;
		data[n] = (char)(data[n] ^ 0x40);
		r = rt_tarball_parse("t", data, bytes, &back, &err);
		assert_true((r == 0) == (back != NULL));
		rt_bundle_free(back);
		data[n] = (char)(data[n] ^ 0x40);
	}
}

static void test_tar_names_what_it_cannot_open(void **state)
{
	struct rt_bundle *bundle = NULL;
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(rt_tarball_read("/nowhere.tar", &bundle, &err), -ENOENT);
	assert_string_equal(err.msg, "/nowhere.tar: No such file or directory");
	assert_int_equal(rt_tarball_parse("x.tar", "not a tar", 9, &bundle, &err),
			 -EINVAL);
	assert_non_null(strstr(err.msg, "x.tar: "));
}

RT_UNIT_MAIN(cmocka_unit_test(test_bundle_resolves_inside_itself),
	     cmocka_unit_test(test_bundle_refuses),
	     cmocka_unit_test(test_bundle_is_bounded),
	     cmocka_unit_test(test_bundle_range_is_what_lies_inside),
	     cmocka_unit_test(test_tar_comes_back_as_it_went),
	     cmocka_unit_test(test_tar_takes_only_what_a_bundle_has),
	     cmocka_unit_test(test_tar_cut_or_changed_is_an_error_or_a_tree),
	     cmocka_unit_test(test_tar_names_what_it_cannot_open))
