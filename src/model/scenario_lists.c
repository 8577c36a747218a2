/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scenario_lists.c - the keys of a workload that hold a list: explicit flows, and the
 * points of a distribution of sizes.  A list stands in the scenario, or in a file of
 * its own that the key names; both are read here, the same way.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/doc.h"
#include "base/own.h"
#include "model/scenario_reader.h"
#include "model/sizes.h"
#include "rocetune/err.h"

/* A file of the most flows, with every key of each spelled out, takes some 6 MB. */
#define RT_SCENARIO_MAX_LIST_BYTES (8u << 20)

/* What a list's items are. */
struct list {
	const char *what;    /* for messages */
	const char *section; /* of their keys */
	size_t item_bytes, most;
	const char *instead;         /* of a file that is not there; NULL: nothing */
	const char *const *required; /* ends with NULL */
	/* What no item can say alone; NULL: nothing.  node is the list. */
	int (*check)(const struct rt_scenario_reader *in, const struct rt_node *node,
		     const void *items);
};

static int need_keys(const struct rt_scenario_reader *in, const struct list *list,
		     const struct rt_node *item)
{
	for (const char *const *key = list->required; *key; key++)
		if (item->kind == RT_NODE_MAP && !rt_node_get(item, *key))
			return rt_node_err(in->err, -EINVAL, in->doc, item,
					   "%s: needs the key '%s'", list->section,
					   *key);
	return 0;
}

/* The items of node, each read like a section, in an array that the caller frees. */
static int read_items(const struct rt_scenario_reader *in, const struct list *list,
		      const struct rt_node *node, void **ret_items, size_t *ret_count)
{
	RT_AUTO(rt_auto_free) char *items = NULL;
	size_t count = 0;

	if (node->kind != RT_NODE_SEQ || !node->count)
		return rt_node_err(
			in->err, -EINVAL, in->doc, node,
			"%s: wants a list of %s, not %s", list->section, list->what,
			node->kind == RT_NODE_SEQ ? "an empty one"
						  : rt_node_kind_name(node->kind));
	if (node->count > list->most)
		return rt_node_err(in->err, -EINVAL, in->doc, node,
				   "%s: %zu %s, the most is %zu", list->section,
				   node->count, list->what, list->most);
	items = calloc(node->count, list->item_bytes);
	if (!items)
		return rt_err_sys(in->err, -ENOMEM, "cannot hold %zu %s", node->count,
				  list->what);
	rt_node_for_each (item, node) {
		void *at = items + count++ * list->item_bytes;
		int r = rt_scenario_read_section(in, list->section, item, at);

		if (r == 0)
			r = need_keys(in, list, item);
		if (r < 0)
			return r;
	}
	if (list->check) {
		int r = list->check(in, node, items);

		if (r < 0)
			return r;
	}
	*ret_items = rt_steal(&items);
	*ret_count = count;
	return 0;
}

/* A file is looked for beside the one that names it. */
static int find_file(const struct rt_scenario_reader *in, const struct rt_node *node,
		     char *path, size_t bytes)
{
	const char *slash = strrchr(in->doc->name, '/');
	const int folder = slash && *node->text != '/'
				   ? (int)(slash - in->doc->name + 1)
				   : 0;
	const int length = snprintf(path, bytes, "%.*s%s", folder, in->doc->name,
				    node->text);

	if (!in->may_open)
		return rt_node_err(in->err, -EINVAL, in->doc, node,
				   "'%.60s' would be a file, and only scenarios that "
				   "are files themselves can name one",
				   node->text);
	if (!*node->text || strcmp(node->text, "-") == 0 || length < 0 ||
	    (size_t)length >= bytes)
		return rt_node_err(in->err, -EINVAL, in->doc, node,
				   "'%.60s' is not the name of a file", node->text);
	return 0;
}

static const struct rt_node *item_of(const struct rt_node *node, size_t item)
{
	node = node->child;
	while (--item && node->next)
		node = node->next;
	return node;
}

/* The file of a list, where it is one and no pipe that nobody writes to. */
static int open_list(const struct rt_scenario_reader *in, const struct rt_node *node,
		     struct rt_doc **ret_doc, struct rt_err *err)
{
	struct stat info;
	char path[1024];
	int r = find_file(in, node, path, sizeof(path));

	if (r < 0)
		return r;
	if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
		return rt_node_err(in->err, -EINVAL, in->doc, node,
				   "%s is not a regular file", path);
	r = rt_doc_read_within(path, RT_SCENARIO_MAX_LIST_BYTES, ret_doc, err);
	/* What is not well-formed has a place of its own. */
	if (r == -EINVAL)
		return rt_err_set(in->err, r, "%s", err->msg);
	return r;
}

int rt_scenario_item_err(const struct rt_scenario_reader *in,
			 const struct rt_node *node, size_t item, const char *text)
{
	RT_AUTO(rt_auto_doc_free) struct rt_doc *doc = NULL;
	struct rt_err why = { 0 };

	if (node->kind == RT_NODE_SEQ)
		return rt_node_err(in->err, -EINVAL, in->doc, item_of(node, item), "%s",
				   text);
	if (node->kind == RT_NODE_SCALAR && open_list(in, node, &doc, &why) == 0 &&
	    doc->root && doc->root->kind == RT_NODE_SEQ && doc->root->child)
		return rt_node_err(in->err, -EINVAL, doc, item_of(doc->root, item),
				   "%s", text);
	return rt_node_key_err(in->err, -EINVAL, in->doc, node, "%s", text);
}

static int read_list(const struct rt_scenario_reader *in, const struct list *list,
		     const struct rt_node *node, void **ret_items, size_t *ret_count)
{
	RT_AUTO(rt_auto_doc_free) struct rt_doc *doc = NULL;
	struct rt_scenario_reader inner = *in;
	struct rt_err why = { 0 };
	int r;

	if (node->kind != RT_NODE_SCALAR)
		return read_items(in, list, node, ret_items, ret_count);
	r = open_list(in, node, &doc, &why);
	if (r == -EINVAL)
		return r;
	if (r < 0)
		return rt_node_err(in->err, r, in->doc, node, "%s%s", why.msg,
				   list->instead ? list->instead : "");
	if (!doc->root)
		return rt_err_set(in->err, -EINVAL, "%s: is empty, wants a list of %s",
				  doc->name, list->what);
	inner.doc = doc;
	return read_items(&inner, list, doc->root, ret_items, ret_count);
}

int rt_scenario_read_flows(const struct rt_scenario_reader *in,
			   const struct rt_node *node, struct rt_workload_spec *spec)
{
	static const char *const required[] = { "from", "to", "size", NULL };
	static const struct list list = { "flows",
					  "workload.flows",
					  sizeof(struct rt_flow_entry),
					  RT_SIM_MAX_FLOWS,
					  NULL,
					  required,
					  NULL };
	void *items;
	int r = read_list(in, &list, node, &items, &spec->flow_count);

	if (r == 0)
		spec->flows = items;
	return r;
}

int rt_scenario_read_checks(const struct rt_scenario_reader *in,
			    const struct rt_node *node, struct rt_scenario *scenario)
{
	static const char *const required[] = { "figure", NULL };
	static const struct list list = { "checks",
					  "checks",
					  sizeof(struct rt_check_spec),
					  RT_SIM_MAX_CHECKS,
					  NULL,
					  required,
					  NULL };
	void *items;
	int r = read_list(in, &list, node, &items, &scenario->check_count);

	if (r == 0)
		scenario->checks = items;
	return r;
}

/* A distribution rises from 0 to all. */
static int check_points(const struct rt_scenario_reader *in, const struct rt_node *node,
			const void *items)
{
	const struct rt_size_point *points = items;
	const size_t count = node->count, last = count - 1;

	for (size_t i = 1; i < count; i++)
		if (points[i].bytes < points[i - 1].bytes ||
		    points[i].share_ppb < points[i - 1].share_ppb)
			return rt_node_err(
				in->err, -EINVAL, in->doc, item_of(node, i + 1),
				"size_cdf: neither sizes nor shares may fall");
	if (points[0].share_ppb)
		return rt_node_err(in->err, -EINVAL, in->doc, node->child,
				   "size_cdf: must begin with a share of 0%%");
	if (points[last].share_ppb != RT_PPB)
		return rt_node_err(in->err, -EINVAL, in->doc, item_of(node, count),
				   "size_cdf: must end with a share of 100%%");
	if (!points[last].bytes)
		return rt_node_err(in->err, -EINVAL, in->doc, item_of(node, count),
				   "size_cdf: every flow would be empty: the largest "
				   "size is 0");
	return 0;
}

int rt_scenario_read_sizes(const struct rt_scenario_reader *in,
			   const struct rt_node *node, struct rt_workload_spec *spec)
{
	static const char *const required[] = { "size", "share", NULL };
	static const struct list list = { "points",
					  "workload.size_cdf",
					  sizeof(struct rt_size_point),
					  RT_SIM_MAX_SIZES,
					  " (published distributions are web-search, "
					  "hadoop and storage)",
					  required,
					  check_points };
	const struct rt_size_set *set = NULL;
	RT_AUTO(rt_auto_free) void *items = NULL;
	int r = 0;

	if (node->kind == RT_NODE_SCALAR)
		set = rt_size_set_find(node->text);
	if (set) {
		items = malloc(set->count * sizeof(*set->points));
		if (!items)
			return rt_err_sys(in->err, -ENOMEM, "cannot hold the sizes");
		memcpy(items, set->points, set->count * sizeof(*set->points));
		spec->size_count = set->count;
	} else {
		r = read_list(in, &list, node, &items, &spec->size_count);
	}
	if (r == 0)
		spec->sizes = rt_steal(&items);
	return r;
}
