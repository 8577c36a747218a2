/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * doc.h - a YAML or JSON document as a tree in which every node knows its
 * place, so that whoever reads it can say file:line:column.
 *
 * Input may be hostile: size, depth and node count are bounded, aliases,
 * anchors, tags and further documents are refused, and a key that stands twice
 * in one map is an error that names both places (or, where the reader collects
 * what is wrong, a node that says so).
 *
 * The tree belongs to the struct rt_doc and is freed with it; nodes are only
 * borrowed.
 */
#ifndef RT_BASE_DOC_H
#define RT_BASE_DOC_H

#include <stdbool.h>
#include <stddef.h>

struct rt_err;

enum rt_node_kind {
	RT_NODE_NULL, /* nothing written, or null or ~ */
	RT_NODE_SCALAR,
	RT_NODE_SEQ,
	RT_NODE_MAP,
};

struct rt_node {
	enum rt_node_kind kind;
	bool quoted;       /* scalar in quotes: never a number or a boolean */
	unsigned line;     /* from 1, of the value */
	unsigned column;   /* from 1 */
	const char *key;   /* in its map; NULL elsewhere */
	unsigned key_line; /* of the key; of the value where there is no key */
	unsigned key_column;
	const char *text;      /* of a scalar; NULL elsewhere */
	struct rt_node *child; /* first of a sequence or map */
	struct rt_node *next;
	size_t count;                /* of children */
	const struct rt_node *first; /* with the same key in the map; NULL: it is */
};

struct rt_doc {
	char *name; /* as given, for messages */
	struct rt_node *root;
	void *arena;
};

/* Bounds on one document. */
#define RT_DOC_MAX_BYTES (4u << 20)
#define RT_DOC_MAX_DEPTH 60u
#define RT_DOC_MAX_NODES 1000000u /* keys and values; and brackets, commas, colons */

#define rt_node_for_each(item, parent) \
	for (const struct rt_node *item = (parent)->child; item; item = item->next)

/*
 * Read a whole file ("-" is standard input) and parse it.
 * -EINVAL: not well-formed, or one of the refusals above; the text has the place.
 * -EFBIG: larger than RT_DOC_MAX_BYTES.  Otherwise what open or read said.
 */
int rt_doc_read(const char *path, struct rt_doc **ret_doc, struct rt_err *err);

/* As above, but larger than most_bytes is too large. */
int rt_doc_read_within(const char *path, size_t most_bytes, struct rt_doc **ret_doc,
		       struct rt_err *err);

/* Parse bytes of text that the caller keeps; name is used in messages. */
int rt_doc_parse(const char *name, const char *text, size_t bytes,
		 struct rt_doc **ret_doc, struct rt_err *err);

/* As above, but larger than most_bytes is too large. */
int rt_doc_parse_within(const char *name, const char *text, size_t bytes,
			size_t most_bytes, struct rt_doc **ret_doc, struct rt_err *err);

/* As above, but keys that stand twice are kept, and every later one has first. */
int rt_doc_read_all(const char *path, struct rt_doc **ret_doc, struct rt_err *err);
int rt_doc_parse_all(const char *name, const char *text, size_t bytes,
		     struct rt_doc **ret_doc, struct rt_err *err);

/* NULL is fine. */
void rt_doc_free(struct rt_doc *doc);
void rt_auto_doc_free(struct rt_doc **doc);

/* The child of a map with this key, or NULL (also when node is NULL or no map). */
const struct rt_node *rt_node_get(const struct rt_node *node, const char *key);

/* "a scalar", "a map": for messages. */
const char *rt_node_kind_name(enum rt_node_kind kind);

/*
 * Fill *err with "name:line:column: text" for the value (or, _key, for the key)
 * of node and yield code.
 */
#define rt_node_err(err, code, doc, node, fmt, ...)                        \
	rt_err_set(err, code, "%s:%u:%u: " fmt, (doc)->name, (node)->line, \
		   (node)->column, ##__VA_ARGS__)
#define rt_node_key_err(err, code, doc, node, fmt, ...)                        \
	rt_err_set(err, code, "%s:%u:%u: " fmt, (doc)->name, (node)->key_line, \
		   (node)->key_column, ##__VA_ARGS__)

#endif
