/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * profile_read.c - finds the files of a profile, reads them from the one that
 * everything extends down to the one that was asked for, and collects what is
 * wrong in them.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/own.h"
#include "model/profile_reader.h"
#include "rocetune/err.h"

#define PATH_BYTES  1024
#define EXTENDS_MAX 8

const struct rt_rule rt_profile_reader_rules[] = {
	[RT_COMPLAINT_KEY] = {
		.id = "profile-unknown-key",
		.severity = RT_SEVERITY_ERROR,
		.title = "The profile has a key that nothing reads",
		.explain = "A key that is silently ignored is a setting that somebody "
			   "believes is made.",
		.remedy = "Spell it as docs/profiles.md lists it, or take it out.",
	},
	[RT_COMPLAINT_VALUE] = {
		.id = "profile-bad-value",
		.severity = RT_SEVERITY_ERROR,
		.title = "A value is not of the kind its key wants",
		.explain = "A number without its unit, or with another one, means "
			   "something else on each vendor's device.",
		.remedy = "Write it as the message shows.",
	},
	[RT_COMPLAINT_RANGE] = {
		.id = "profile-out-of-range",
		.severity = RT_SEVERITY_ERROR,
		.title = "A value is outside what its key allows",
		.explain = "No device takes it.",
		.remedy = "Keep to the range in the message.",
	},
	[RT_COMPLAINT_REFERENCE] = {
		.id = "profile-no-such-name",
		.severity = RT_SEVERITY_ERROR,
		.title = "A name stands for nothing",
		.explain = "Classes and profiles are referred to by name.",
		.remedy = "Name a class of this profile, or a profile that "
			  "`rocetune profile list` shows.",
	},
	[RT_COMPLAINT_CONTRADICTION] = {
		.id = "profile-contradiction",
		.severity = RT_SEVERITY_ERROR,
		.title = "Two values cannot both hold",
		.explain = "Whichever is taken, the other one is not what will run.",
		.remedy = "Keep one of the two places that the message names.",
	},
	[RT_COMPLAINT_SYNTAX] = {
		.id = "profile-not-readable",
		.severity = RT_SEVERITY_ERROR,
		.title = "The file cannot be read as a profile",
		.explain = "Profiles are YAML or JSON documents with a map at the top.",
		.remedy = "Mend the place that the message names.",
	},
};

const size_t rt_profile_reader_rule_count = RT_ARRAY_SIZE(rt_profile_reader_rules);

/* --- store ------------------------------------------------------------------- */

struct text {
	struct text *next;
	char bytes[];
};

struct rt_profile_store {
	struct rt_doc *docs[EXTENDS_MAX + 1];
	size_t doc_count;
	struct text *texts;
};

static void store_free(struct rt_profile_store *store)
{
	if (!store)
		return;
	for (size_t i = 0; i < store->doc_count; i++)
		rt_doc_free(store->docs[i]);
	while (store->texts) {
		struct text *next = store->texts->next;

		free(store->texts);
		store->texts = next;
	}
	free(store);
}

const char *rt_profile_file(const struct rt_profile *profile, size_t i)
{
	return i < profile->store->doc_count ? profile->store->docs[i]->name : NULL;
}

/* Takes doc also when it fails (-ENOMEM). */
static int store_add_doc(struct rt_profile_store *store, struct rt_doc *doc)
{
	if (store->doc_count == RT_ARRAY_SIZE(store->docs)) {
		rt_doc_free(doc);
		return -ENOMEM;
	}
	store->docs[store->doc_count++] = doc;
	return 0;
}

const char *rt_store_text(struct rt_profile_store *store, const char *text,
			  size_t bytes)
{
	struct text *added = malloc(sizeof(*added) + bytes + 1);

	if (!added)
		return NULL;
	memcpy(added->bytes, text, bytes);
	added->bytes[bytes] = '\0';
	added->next = store->texts;
	store->texts = added;
	return added->bytes;
}

int rt_profile_new(struct rt_profile **ret_profile, struct rt_err *err)
{
	RT_AUTO(rt_auto_profile_free)
	struct rt_profile *profile = calloc(1, sizeof(*profile));

	if (profile)
		profile->store = calloc(1, sizeof(*profile->store));
	if (!profile || !profile->store)
		return rt_err_sys(err, -ENOMEM, "cannot hold the profile");
	*ret_profile = rt_steal(&profile);
	return 0;
}

void rt_profile_free(struct rt_profile *profile)
{
	if (!profile)
		return;
	store_free(profile->store);
	free(profile);
}

void rt_auto_profile_free(struct rt_profile **profile)
{
	rt_profile_free(*profile);
}

/* --- complaints -------------------------------------------------------------- */

bool rt_reader_is_full(const struct rt_reader *reader)
{
	return reader->complaints->count >= RT_COMPLAINT_MAX;
}

/* A rail is judged as a whole profile: what it shares was told before. */
static bool was_told(const struct rt_findings *complaints, const char *where,
		     const char *text)
{
	for (size_t i = 0; i < complaints->count; i++)
		if (strcmp(complaints->items[i].where, where) == 0 &&
		    strcmp(complaints->items[i].evidence, text) == 0)
			return true;
	return false;
}

void rt_reader_tell(struct rt_reader *reader, enum rt_complaint kind,
		    const struct rt_place *place, const char *fmt, ...)
{
	char where[RT_PLACE_TEXT_BYTES], text[320];
	va_list args;

	if (rt_reader_is_full(reader))
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	rt_place_format(place, where);
	if (!was_told(reader->complaints, where, text))
		rt_findings_add(reader->complaints, &rt_profile_reader_rules[kind],
				where, "%s", text);
}

struct rt_place rt_reader_place(const struct rt_reader *reader,
				const struct rt_node *node)
{
	return (struct rt_place){ reader->file, node->line, node->column };
}

struct rt_place rt_reader_key_place(const struct rt_reader *reader,
				    const struct rt_node *node)
{
	return (struct rt_place){ reader->file, node->key_line, node->key_column };
}

/* --- files ------------------------------------------------------------------- */

static const char *const endings[] = { ".yaml", ".yml", ".json" };

size_t rt_profile_stem_bytes(const char *file)
{
	const size_t bytes = strlen(file);

	for (size_t i = 0; i < RT_ARRAY_SIZE(endings); i++) {
		const size_t tail = strlen(endings[i]);

		if (bytes > tail && strcmp(file + bytes - tail, endings[i]) == 0)
			return bytes - tail;
	}
	return 0;
}

static bool is_path(const char *name)
{
	return strchr(name, '/') || strcmp(name, "-") == 0 ||
	       rt_profile_stem_bytes(name) > 0;
}

static bool find_in(const char *folder, size_t folder_bytes, const char *name,
		    char path[PATH_BYTES])
{
	for (size_t i = 0; i < RT_ARRAY_SIZE(endings); i++)
		if (snprintf(path, PATH_BYTES, "%.*s%s%s", (int)folder_bytes, folder,
			     name, endings[i]) < PATH_BYTES &&
		    rt_file_is_regular(path) && access(path, R_OK) == 0)
			return true;
	return false;
}

/* beside: the file that extends, whose folder comes first; may be NULL. */
static bool find_named(const char *name, const char *beside,
		       const struct rt_profile_search *search, char path[PATH_BYTES])
{
	const char *slash = beside ? strrchr(beside, '/') : NULL;
	char folder[PATH_BYTES];

	if (beside &&
	    find_in(beside, slash ? (size_t)(slash - beside) + 1 : 0, name, path))
		return true;
	for (size_t i = 0; search && search->folders[i]; i++) {
		if (snprintf(folder, sizeof(folder), "%s/", search->folders[i]) >=
		    (int)sizeof(folder))
			continue;
		if (find_in(folder, strlen(folder), name, path))
			return true;
	}
	return false;
}

/* What one file extends, NULL when nothing or when it is not said well. */
static const struct rt_node *extends_of(struct rt_reader *reader,
					const struct rt_doc *doc)
{
	const struct rt_node *node = rt_node_get(doc->root, "extends");
	struct rt_place place;

	if (!node || node->kind == RT_NODE_NULL)
		return NULL;
	place = rt_reader_place(reader, node);
	if (node->kind == RT_NODE_SCALAR && !strchr(node->text, '/') &&
	    rt_profile_stem_bytes(node->text)) {
		const size_t stem = rt_profile_stem_bytes(node->text);

		rt_reader_tell(reader, RT_COMPLAINT_VALUE, &place,
			       "extends: wants the name of one profile, without %s: "
			       "%.*s",
			       node->text + stem, (int)stem, node->text);
		return NULL;
	}
	if (node->kind == RT_NODE_SCALAR && *node->text && !strchr(node->text, '/'))
		return node;
	rt_reader_tell(reader, RT_COMPLAINT_VALUE, &place,
		       "extends: wants the name of one profile");
	return NULL;
}

struct reading {
	struct rt_reader reader;
	const struct rt_profile_search *search;
	struct rt_findings *complaints; /* NULL: of no interest */
	bool judge;                     /* as rt_profile_read_judge() */
	struct rt_err *err;
};

/* A cycle comes back to a file that is being read. */
static bool is_open(const struct rt_profile_store *store, const char *path)
{
	for (size_t i = 0; i < store->doc_count; i++)
		if (strcmp(store->docs[i]->name, path) == 0)
			return true;
	return false;
}

/* Adds the document that doc extends to the store; *ret_more: there is one. */
static int read_base(struct reading *reading, const struct rt_doc *doc, bool is_file,
		     bool *ret_more)
{
	struct rt_reader *reader = &reading->reader;
	struct rt_profile_store *store = reader->profile->store;
	const struct rt_node *node;
	struct rt_place place;
	struct rt_err why = { 0 };
	struct rt_doc *base;
	char path[PATH_BYTES];

	*ret_more = false;
	reader->file = doc->name;
	node = extends_of(reader, doc);
	if (!node)
		return 0;
	place = rt_reader_place(reader, node);
	if (!find_named(node->text, is_file ? doc->name : NULL, reading->search,
			path)) {
		rt_reader_tell(reader, RT_COMPLAINT_REFERENCE, &place,
			       "extends: no profile '%.60s' beside this file or in the "
			       "search path ($ROCETUNE_PROFILES)",
			       node->text);
		return 0;
	}
	if (is_open(store, path) || store->doc_count > EXTENDS_MAX) {
		if (is_open(store, path))
			rt_reader_tell(reader, RT_COMPLAINT_CONTRADICTION, &place,
				       "extends: '%.60s' extends this one in turn",
				       node->text);
		else
			rt_reader_tell(reader, RT_COMPLAINT_CONTRADICTION, &place,
				       "extends: '%.60s' makes the chain too long (%d)",
				       node->text, EXTENDS_MAX);
		return 0;
	}
	if (rt_doc_read_all(path, &base, &why) < 0) {
		rt_reader_tell(reader, RT_COMPLAINT_SYNTAX, &place, "extends: %.280s",
			       why.msg);
		return 0;
	}
	*ret_more = true;
	return store_add_doc(store, base);
}

/* The depth of a document is bounded. */
static void tell_duplicates(struct rt_reader *reader, const struct rt_node *parent)
{
	rt_node_for_each (child, parent) {
		const struct rt_place place = rt_reader_key_place(reader, child);

		if (child->first)
			rt_reader_tell(reader, RT_COMPLAINT_CONTRADICTION, &place,
				       "key '%.60s' stands twice, first at line %u "
				       "column %u: keep one",
				       child->key, child->first->key_line,
				       child->first->key_column);
		tell_duplicates(reader, child);
	}
}

/* Classes first: everything else may name them.  Of keys like each other the first
 * counts. */
static void apply_doc(struct rt_reader *reader, const struct rt_doc *doc)
{
	const struct rt_position top = { .pattern = "" };
	const struct rt_place place = rt_reader_place(reader, doc->root);
	const struct rt_node *classes = rt_node_get(doc->root, "classes");
	const struct rt_node *rails = rt_node_get(doc->root, "rails");
	struct rt_node alone, copy;

	if (doc->root->kind != RT_NODE_MAP)
		return rt_reader_tell(reader, RT_COMPLAINT_SYNTAX, &place,
				      "a profile is a map of keys, not %s",
				      rt_node_kind_name(doc->root->kind));
	tell_duplicates(reader, doc->root);
	if (classes) {
		copy = *classes;
		copy.next = NULL;
		alone = *doc->root;
		alone.child = &copy;
		rt_reader_apply(reader, &top, &alone);
	}
	rt_node_for_each (child, doc->root) {
		if (child == classes || child == rails || child->first)
			continue;
		copy = *child;
		copy.next = NULL;
		alone = *doc->root;
		alone.child = &copy;
		rt_reader_apply(reader, &top, &alone);
	}
	if (rails)
		rt_reader_rails(reader, rails);
}

/* "first complaint (and N more)" */
static int refuse(const struct rt_findings *complaints, struct rt_err *err)
{
	const struct rt_finding *first = &complaints->items[0];

	if (complaints->count == 1)
		return rt_err_set(err, -EINVAL, "%s: %s", first->where,
				  first->evidence);
	return rt_err_set(err, -EINVAL,
			  "%s: %s (and %zu more: `rocetune profile check` lists them)",
			  first->where, first->evidence, complaints->count - 1);
}

/* doc is the file asked for; the chain it begins is applied from its end. */
static int read_chain(struct reading *reading, struct rt_doc *doc, bool is_file)
{
	struct rt_reader *reader = &reading->reader;
	struct rt_profile_store *store = reader->profile->store;
	bool more = true;
	int r = store_add_doc(store, doc);

	while (r == 0 && more)
		r = read_base(reading, store->docs[store->doc_count - 1],
			      is_file || store->doc_count > 1, &more);
	if (r < 0)
		return rt_err_sys(reading->err, r, "cannot read the profile");
	for (size_t i = store->doc_count; i-- > 0;) {
		reader->file = store->docs[i]->name;
		reader->layer = (unsigned)(store->doc_count - i);
		apply_doc(reader, store->docs[i]);
	}
	rt_reader_finish(reader);
	rt_reader_check_rails(reader);
	if (reader->out_of_memory || reader->complaints->out_of_memory)
		return rt_err_sys(reading->err, -ENOMEM, "cannot read the profile");
	return reader->complaints->count ? refuse(reader->complaints, reading->err) : 0;
}

/* Nothing but values that contradict each other. */
static bool is_judgeable(const struct rt_findings *complaints)
{
	const char *id = rt_profile_reader_rules[RT_COMPLAINT_CONTRADICTION].id;

	for (size_t i = 0; i < complaints->count; i++)
		if (strcmp(complaints->items[i].id, id) != 0)
			return false;
	return true;
}

/* Takes doc. */
static int read_profile(struct reading *reading, struct rt_doc *doc, bool is_file,
			struct rt_profile **ret_profile)
{
	RT_AUTO(rt_auto_profile_free) struct rt_profile *profile = NULL;
	struct rt_findings own = { 0 };
	int r = rt_profile_new(&profile, reading->err);

	if (r < 0) {
		rt_doc_free(doc);
		return r;
	}
	reading->reader.profile = profile;
	reading->reader.complaints = &own;
	r = read_chain(reading, doc, is_file);
	if (r == -EINVAL && reading->judge && is_judgeable(&own))
		r = 0;
	if (reading->complaints)
		*reading->complaints = own;
	else
		rt_findings_free(&own);
	if (r == 0)
		*ret_profile = rt_steal(&profile);
	return r;
}

static int read_named(struct reading *reading, const char *name,
		      struct rt_profile **ret_profile)
{
	struct rt_doc *doc;
	char path[PATH_BYTES];
	int r;

	if (is_path(name))
		snprintf(path, sizeof(path), "%s", name);
	else if (!find_named(name, NULL, reading->search, path))
		return rt_err_set(
			reading->err, -ENOENT,
			"no profile '%.80s': `rocetune profile list` shows those "
			"there are, a file needs a path or its ending",
			name);
	r = rt_doc_read_all(path, &doc, reading->err);
	if (r < 0)
		return r;
	return read_profile(reading, doc, strcmp(path, "-") != 0, ret_profile);
}

int rt_profile_read(const char *name, const struct rt_profile_search *search,
		    struct rt_findings *complaints, struct rt_profile **ret_profile,
		    struct rt_err *err)
{
	struct reading reading = { .search = search,
				   .complaints = complaints,
				   .err = err };

	return read_named(&reading, name, ret_profile);
}

int rt_profile_read_judge(const char *name, const struct rt_profile_search *search,
			  struct rt_findings *complaints,
			  struct rt_profile **ret_profile, struct rt_err *err)
{
	struct rt_err own = { 0 };
	struct reading reading = {
		.search = search, .complaints = complaints, .judge = true, .err = &own
	};
	int r = read_named(&reading, name, ret_profile);

	return r < 0 ? rt_err_set(err, r, "%s", own.msg) : 0;
}

int rt_profile_parse(const char *name, const char *text, size_t bytes,
		     const struct rt_profile_search *search,
		     struct rt_findings *complaints, struct rt_profile **ret_profile,
		     struct rt_err *err)
{
	struct reading reading = { .search = search,
				   .complaints = complaints,
				   .err = err };
	struct rt_doc *doc;
	int r = rt_doc_parse_all(name, text, bytes, &doc, err);

	if (r < 0)
		return r;
	return read_profile(&reading, doc, false, ret_profile);
}
