/* SPDX-License-Identifier: BSD-2-Clause */
/* bundle.c - a tree of files in memory: a hash of paths, and their order. */
#include "base/bundle.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/own.h"
#include "rocetune/err.h"

#define LINKS_MAX 40 /* on one way, as the kernel's MAXSYMLINKS */

struct rt_bundle {
	struct rt_bundle_entry *entries;
	size_t count, capacity;
	uint32_t *slots; /* of the hash: index + 1; 0: free */
	size_t slot_count;
	uint32_t *order; /* indices by path, when sorted; capacity of them */
	size_t sorted;   /* how many entries order has: count, or it is stale */
	size_t bytes;
	struct rt_bundle_entry root;
};

struct rt_bundle *rt_bundle_new(void)
{
	struct rt_bundle *bundle = calloc(1, sizeof(*bundle));

	if (bundle)
		bundle->root.kind = RT_BUNDLE_FOLDER;
	return bundle;
}

void rt_bundle_free(struct rt_bundle *bundle)
{
	if (!bundle)
		return;
	for (size_t i = 0; i < bundle->count; i++) {
		free(bundle->entries[i].path);
		free(bundle->entries[i].data);
	}
	free(bundle->entries);
	free(bundle->slots);
	free(bundle->order);
	free(bundle);
}

void rt_auto_bundle_free(struct rt_bundle **bundle)
{
	rt_bundle_free(*bundle);
}

/* --- finding ------------------------------------------------------------------------ */

/* The slot of path (bytes long), or the free one where it would go. */
static size_t find_slot(const struct rt_bundle *bundle, const char *path, size_t bytes)
{
	const size_t mask = bundle->slot_count - 1;
	size_t at = rt_hash_u64(rt_hash_bytes(path, bytes)) & mask;

	for (;; at = (at + 1) & mask) {
		const uint32_t index = bundle->slots[at];
		const char *have = index ? bundle->entries[index - 1].path : NULL;

		if (!have || (strncmp(have, path, bytes) == 0 && have[bytes] == '\0'))
			return at;
	}
}

static const struct rt_bundle_entry *find_bytes(const struct rt_bundle *bundle,
						const char *path, size_t bytes)
{
	size_t at;

	if (bytes == 0)
		return &bundle->root;
	if (bundle->slot_count == 0)
		return NULL;
	at = find_slot(bundle, path, bytes);
	return bundle->slots[at] ? &bundle->entries[bundle->slots[at] - 1] : NULL;
}

const struct rt_bundle_entry *rt_bundle_find(const struct rt_bundle *bundle,
					     const char *path)
{
	return find_bytes(bundle, path, strlen(path));
}

/* A way through the tree: where we are, and what is left to go. */
struct way {
	char here[RT_BUNDLE_PATH_BYTES];
	size_t here_bytes;
	char left[2 * RT_BUNDLE_PATH_BYTES];
	unsigned links;
	/* Where missing entries come from; or NULL. */
	const struct rt_bundle_source *source;
	struct rt_bundle *grows;
};

static void go_up(struct way *way)
{
	while (way->here_bytes && way->here[way->here_bytes - 1] != '/')
		way->here_bytes--;
	if (way->here_bytes)
		way->here_bytes--;
}

/* Put the link's target before what is left. */
static int follow_link(struct way *way, const struct rt_bundle_entry *link,
		       const char *rest)
{
	char joined[sizeof(way->left)];
	const size_t rest_bytes = strlen(rest);

	if (++way->links > LINKS_MAX)
		return -ELOOP;
	if (link->bytes + rest_bytes + 2 > sizeof(joined))
		return -ENAMETOOLONG;
	memcpy(joined, link->data, link->bytes);
	joined[link->bytes] = '/';
	memcpy(joined + link->bytes + 1, rest, rest_bytes + 1);
	memcpy(way->left, joined, link->bytes + rest_bytes + 2);
	if (link->data[0] == '/')
		way->here_bytes = 0;
	else
		go_up(way);
	return 0;
}

/* Append a part to here; the entry it leads to. */
static int step(const struct rt_bundle *bundle, struct way *way, const char *part,
		size_t bytes, bool last, const struct rt_bundle_entry **ret_entry)
{
	int r;

	if (way->here_bytes + bytes + 2 > sizeof(way->here))
		return -ENAMETOOLONG;
	if (way->here_bytes)
		way->here[way->here_bytes++] = '/';
	memcpy(way->here + way->here_bytes, part, bytes);
	way->here_bytes += bytes;
	*ret_entry = find_bytes(bundle, way->here, way->here_bytes);
	if (*ret_entry || !way->source)
		return *ret_entry ? 0 : -ENOENT;
	way->here[way->here_bytes] = '\0';
	r = way->source->fetch(way->source->context, way->grows, way->here, last);
	*ret_entry = find_bytes(bundle, way->here, way->here_bytes);
	return r < 0 ? r : *ret_entry ? 0 : -ENOENT;
}

static int walk(const struct rt_bundle *bundle, struct way *way, bool follow,
		const struct rt_bundle_entry **ret_entry)
{
	const struct rt_bundle_entry *entry = &bundle->root;
	const char *at = way->left;
	bool last;
	int r;

	for (;;) {
		const size_t slashes = strspn(at, "/"),
			     bytes = strcspn(at + slashes, "/");
		const char *part = at + slashes, *rest = part + bytes;

		if (bytes == 0)
			break;
		at = rest;
		if (entry->kind != RT_BUNDLE_FOLDER)
			return -ENOTDIR;
		if (bytes == 1 && part[0] == '.')
			continue;
		if (bytes == 2 && memcmp(part, "..", 2) == 0) {
			go_up(way);
			entry = find_bytes(bundle, way->here, way->here_bytes);
			continue;
		}
		last = rest[strspn(rest, "/")] == '\0';
		r = step(bundle, way, part, bytes, last, &entry);
		if (r < 0)
			return r;
		if (entry->kind != RT_BUNDLE_SYMLINK || (last && !follow))
			continue;
		r = follow_link(way, entry, rest);
		if (r < 0)
			return r;
		entry = find_bytes(bundle, way->here, way->here_bytes);
		at = way->left;
	}
	*ret_entry = entry;
	return 0;
}

static int begin(struct way *way, const char *path)
{
	const size_t bytes = strlen(path);

	if (bytes >= RT_BUNDLE_PATH_BYTES)
		return -ENAMETOOLONG;
	way->here_bytes = 0;
	way->links = 0;
	way->source = NULL;
	memcpy(way->left, path, bytes + 1);
	return 0;
}

int rt_bundle_resolve(const struct rt_bundle *bundle, const char *path, bool follow,
		      const struct rt_bundle_entry **ret_entry)
{
	struct way way;
	int r = begin(&way, path);

	return r < 0 ? r : walk(bundle, &way, follow, ret_entry);
}

int rt_bundle_fetch(struct rt_bundle *bundle, const char *path, bool follow,
		    const struct rt_bundle_source *source,
		    const struct rt_bundle_entry **ret_entry)
{
	struct way way;
	int r = begin(&way, path);

	if (r < 0)
		return r;
	way.source = source;
	way.grows = bundle;
	return walk(bundle, &way, follow, ret_entry);
}

/* --- adding -------------------------------------------------------------------------- */

static int check_path(const char *path, struct rt_err *err)
{
	if (strlen(path) >= RT_BUNDLE_PATH_BYTES)
		return rt_err_sys(err, -ENAMETOOLONG, "%.80s...", path);
	for (const char *at = path;; at++) {
		const size_t bytes = strcspn(at, "/");

		if (bytes == 0 || (bytes == 1 && at[0] == '.') ||
		    (bytes == 2 && at[0] == '.' && at[1] == '.'))
			return rt_err_set(err, -EINVAL,
					  "'%.200s' is no path inside a bundle", path);
		at += bytes;
		if (!*at)
			return 0;
	}
}

/* At most half of the slots are in use. */
static int grow_slots(struct rt_bundle *bundle)
{
	const size_t wanted = bundle->slot_count ? bundle->slot_count * 2 : 256;
	uint32_t *slots;

	if ((bundle->count + 1) * 2 <= bundle->slot_count)
		return 0;
	slots = calloc(wanted, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	free(bundle->slots);
	bundle->slots = slots;
	bundle->slot_count = wanted;
	for (size_t i = 0; i < bundle->count; i++) {
		const char *path = bundle->entries[i].path;

		slots[find_slot(bundle, path, strlen(path))] = (uint32_t)i + 1;
	}
	return 0;
}

static int grow_entries(struct rt_bundle *bundle)
{
	struct rt_bundle_entry *grown;
	uint32_t *order;

	if (bundle->count < bundle->capacity)
		return 0;
	grown = rt_grow(bundle->entries, bundle->count, &bundle->capacity,
			sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	bundle->entries = grown;
	order = realloc(bundle->order, bundle->capacity * sizeof(*order));
	if (!order) {
		bundle->capacity = bundle->count; /* both or neither */
		return -ENOMEM;
	}
	bundle->order = order;
	return 0;
}

/* path is good, its folder is there, and it is not. */
static int append(struct rt_bundle *bundle, enum rt_bundle_kind kind, const char *path,
		  size_t path_bytes, const void *data, size_t bytes)
{
	struct rt_bundle_entry entry = { .kind = kind, .bytes = bytes };

	if (bundle->count == RT_BUNDLE_MAX_ENTRIES ||
	    bytes > RT_BUNDLE_MAX_BYTES - bundle->bytes)
		return -E2BIG;
	if (grow_slots(bundle) < 0 || grow_entries(bundle) < 0)
		return -ENOMEM;
	entry.path = strndup(path, path_bytes);
	entry.data = malloc(bytes + 1);
	if (!entry.path || !entry.data) {
		free(entry.path);
		free(entry.data);
		return -ENOMEM;
	}
	if (bytes)
		memcpy(entry.data, data, bytes);
	entry.data[bytes] = '\0';
	bundle->bytes += bytes;
	bundle->slots[find_slot(bundle, entry.path, path_bytes)] =
		(uint32_t)bundle->count + 1;
	bundle->entries[bundle->count++] = entry;
	return 0;
}

/* All folders above path. */
static int add_above(struct rt_bundle *bundle, const char *path)
{
	for (const char *at = strchr(path, '/'); at; at = strchr(at + 1, '/')) {
		const size_t bytes = (size_t)(at - path);
		const struct rt_bundle_entry *have = find_bytes(bundle, path, bytes);
		int r = 0;

		if (have && have->kind != RT_BUNDLE_FOLDER)
			return -ENOTDIR;
		if (!have)
			r = append(bundle, RT_BUNDLE_FOLDER, path, bytes, NULL, 0);
		if (r < 0)
			return r;
	}
	return 0;
}

static int add(struct rt_bundle *bundle, enum rt_bundle_kind kind, const char *path,
	       const void *data, size_t bytes, struct rt_err *err)
{
	const struct rt_bundle_entry *have;
	int r = check_path(path, err);

	if (r < 0)
		return r;
	have = rt_bundle_find(bundle, path);
	if (have && have->kind == RT_BUNDLE_FOLDER && kind == RT_BUNDLE_FOLDER)
		return 0;
	r = have ? -EEXIST : add_above(bundle, path);
	if (r == 0)
		r = append(bundle, kind, path, strlen(path), data, bytes);
	if (r == -E2BIG)
		return rt_err_set(err, r,
				  "'%.200s': a bundle has %u entries and %u MiB at "
				  "most",
				  path, RT_BUNDLE_MAX_ENTRIES,
				  RT_BUNDLE_MAX_BYTES >> 20);
	return r < 0 ? rt_err_sys(err, r, "'%.200s'", path) : 0;
}

int rt_bundle_add_folder(struct rt_bundle *bundle, const char *path, struct rt_err *err)
{
	return add(bundle, RT_BUNDLE_FOLDER, path, NULL, 0, err);
}

int rt_bundle_add_file(struct rt_bundle *bundle, const char *path, const void *data,
		       size_t bytes, struct rt_err *err)
{
	return add(bundle, RT_BUNDLE_FILE, path, data, bytes, err);
}

int rt_bundle_add_symlink(struct rt_bundle *bundle, const char *path,
			  const char *target, struct rt_err *err)
{
	const size_t bytes = strlen(target);

	if (bytes == 0 || bytes >= RT_BUNDLE_PATH_BYTES)
		return rt_err_set(err, -EINVAL, "'%.200s': a link of %zu bytes", path,
				  bytes);
	return add(bundle, RT_BUNDLE_SYMLINK, path, target, bytes, err);
}

/* --- order --------------------------------------------------------------------------- */

static int compare(const void *a, const void *b, void *context)
{
	const struct rt_bundle_entry *entries = context;

	return strcmp(entries[*(const uint32_t *)a].path,
		      entries[*(const uint32_t *)b].path);
}

static void sort(struct rt_bundle *bundle)
{
	if (bundle->sorted == bundle->count)
		return;
	for (size_t i = 0; i < bundle->count; i++)
		bundle->order[i] = (uint32_t)i;
	qsort_r(bundle->order, bundle->count, sizeof(*bundle->order), compare,
		bundle->entries);
	bundle->sorted = bundle->count;
}

size_t rt_bundle_count(const struct rt_bundle *bundle)
{
	return bundle->count;
}

const struct rt_bundle_entry *rt_bundle_at(struct rt_bundle *bundle, size_t i)
{
	sort(bundle);
	return &bundle->entries[bundle->order[i]];
}

/* Where key would stand among the first bytes of all paths; after: behind its like. */
static size_t bound(struct rt_bundle *bundle, const char *key, size_t bytes, bool after)
{
	size_t low = 0, high = bundle->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const int order = strncmp(rt_bundle_at(bundle, middle)->path, key,
					  bytes);

		if (order < 0 || (after && order == 0))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void rt_bundle_range(struct rt_bundle *bundle, const char *folder, size_t *ret_first,
		     size_t *ret_end)
{
	char prefix[RT_BUNDLE_PATH_BYTES + 1];
	const size_t bytes = strnlen(folder, RT_BUNDLE_PATH_BYTES - 1);

	*ret_first = 0;
	*ret_end = bundle->count;
	if (bytes == 0)
		return;
	memcpy(prefix, folder, bytes);
	prefix[bytes] = '/';
	*ret_first = bound(bundle, prefix, bytes + 1, false);
	*ret_end = bound(bundle, prefix, bytes + 1, true);
}
