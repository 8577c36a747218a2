/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * doc.c - builds our tree from libfyaml's event stream.
 *
 * Events rather than its documents: they carry the place of everything, show
 * aliases and further documents as they come, and step around the traps of
 * version 0.7.12 (documents built from a pipe crash on mappings, the duplicate
 * check is quadratic, an empty input gives no message).  The file is read into
 * memory first, duplicates are found here with a sort.
 */
#include "base/doc.h"

#include <errno.h>
#include <libfyaml.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/own.h"
#include "base/text.h"
#include "rocetune/err.h"

/* Allocations of one document, freed together. */
struct chunk {
	struct chunk *next;
	size_t used, size;
	_Alignas(16) char data[];
};

/* A map or sequence that is still open. */
struct level {
	struct rt_node *node, *tail;
	bool want_value; /* map: a key was read, its value comes next */
};

struct build {
	struct rt_doc *doc;
	const char *text; /* of the whole document */
	struct rt_err *err;
	struct level levels[RT_DOC_MAX_DEPTH];
	unsigned depth;
	unsigned nodes; /* keys and values so far */
	bool complete;  /* the first document has ended */
	bool keep_duplicates;
};

static void *take(struct rt_doc *doc, size_t bytes)
{
	struct chunk *chunk = doc->arena;
	void *at;

	bytes = (bytes + 15) & ~(size_t)15;
	if (!chunk || chunk->size - chunk->used < bytes) {
		const size_t size = bytes > 16384 ? bytes : 16384;

		chunk = malloc(sizeof(*chunk) + size);
		if (!chunk)
			return NULL;
		*chunk = (struct chunk){ .next = doc->arena, .size = size };
		doc->arena = chunk;
	}
	at = chunk->data + chunk->used;
	chunk->used += bytes;
	return at;
}

static char *take_text(struct rt_doc *doc, const char *text, size_t bytes)
{
	char *copy = take(doc, bytes + 1);

	if (copy) {
		memcpy(copy, text, bytes);
		copy[bytes] = '\0';
	}
	return copy;
}

void rt_doc_free(struct rt_doc *doc)
{
	struct chunk *chunk, *next;

	if (!doc)
		return;
	for (chunk = doc->arena; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	free(doc->name);
	free(doc);
}

void rt_auto_doc_free(struct rt_doc **doc)
{
	rt_doc_free(*doc);
}

const struct rt_node *rt_node_get(const struct rt_node *node, const char *key)
{
	if (!node || node->kind != RT_NODE_MAP)
		return NULL;
	rt_node_for_each (child, node)
		if (strcmp(child->key, key) == 0)
			return child;
	return NULL;
}

const char *rt_node_kind_name(enum rt_node_kind kind)
{
	static const char *const names[] = {
		[RT_NODE_NULL] = "nothing",
		[RT_NODE_SCALAR] = "a single value",
		[RT_NODE_SEQ] = "a list",
		[RT_NODE_MAP] = "a map",
	};

	return names[kind];
}

static int no_memory(struct rt_err *err)
{
	return rt_err_sys(err, -ENOMEM, "cannot hold the document");
}

static void set_mark(struct fy_event *event, unsigned *line, unsigned *column)
{
	const struct fy_mark *mark = fy_event_start_mark(event);

	if (!mark)
		return;
	*line = (unsigned)mark->line + 1;
	*column = (unsigned)mark->column + 1;
}

static bool is_plain_null(const char *text, size_t bytes)
{
	return bytes == 0 || (bytes == 1 && text[0] == '~') ||
	       (bytes == 4 && memcmp(text, "null", 4) == 0);
}

static int compare_keys(const void *a, const void *b)
{
	const struct rt_node *const *first = a, *const *second = b;
	int order = strcmp((*first)->key, (*second)->key);

	if (order)
		return order;
	if ((*first)->key_line != (*second)->key_line)
		return (*first)->key_line < (*second)->key_line ? -1 : 1;
	return (*first)->key_column < (*second)->key_column ? -1 : 1;
}

static int refuse_duplicate(struct build *build, const struct rt_node *key)
{
	return rt_node_key_err(build->err, -EINVAL, build->doc, key,
			       "key '%s' stands twice, first at line %u column %u: "
			       "keep one",
			       key->key, key->first->key_line, key->first->key_column);
}

static int find_duplicates(struct build *build, const struct rt_node *map)
{
	RT_AUTO(rt_auto_free) struct rt_node **keys = NULL;
	size_t i = 0;

	if (map->count < 2)
		return 0;
	keys = malloc(map->count * sizeof(struct rt_node *));
	if (!keys)
		return no_memory(build->err);
	for (struct rt_node *child = map->child; child; child = child->next)
		keys[i++] = child;
	qsort(keys, map->count, sizeof(struct rt_node *), compare_keys);
	for (i = 1; i < map->count; i++) {
		struct rt_node *before = keys[i - 1];

		if (strcmp(before->key, keys[i]->key) != 0)
			continue;
		keys[i]->first = before->first ? before->first : before;
		if (!build->keep_duplicates)
			return refuse_duplicate(build, keys[i]);
	}
	return 0;
}

static struct rt_node *append(struct build *build, struct level *level)
{
	struct rt_node *child = take(build->doc, sizeof(*child));

	if (!child)
		return NULL;
	*child = (struct rt_node){ .line = level->node->line,
				   .column = level->node->column };
	if (level->tail)
		level->tail->next = child;
	else
		level->node->child = child;
	level->tail = child;
	level->node->count++;
	return child;
}

/* The node that the value now coming belongs in; NULL when memory ran out. */
static struct rt_node *slot_for_value(struct build *build, struct fy_event *event)
{
	struct level *top = build->depth ? &build->levels[build->depth - 1] : NULL;
	struct rt_node *node;

	if (!top)
		node = build->doc->root;
	else if (top->node->kind == RT_NODE_MAP)
		node = top->tail;
	else
		node = append(build, top);
	if (!node)
		return NULL;
	set_mark(event, &node->line, &node->column);
	if (!top || top->node->kind == RT_NODE_SEQ) {
		node->key_line = node->line;
		node->key_column = node->column;
	}
	if (top)
		top->want_value = false;
	return node;
}

static bool key_comes_next(const struct build *build)
{
	const struct level *top = build->depth ? &build->levels[build->depth - 1]
					       : NULL;

	return top && top->node->kind == RT_NODE_MAP && !top->want_value;
}

/*
 * libfyaml 0.7.12 loses memory when it makes text of a scalar in single quotes
 * that holds quotes in a row, each written twice: such a one is not asked for.
 */
static bool has_quotes_in_a_row(const struct build *build, struct fy_event *event)
{
	const struct fy_mark *start = fy_event_start_mark(event);
	const struct fy_mark *end = fy_event_end_mark(event);

	return event->scalar.value && start && end &&
	       end->input_pos > start->input_pos &&
	       fy_scalar_token_get_style(event->scalar.value) == FYSS_SINGLE_QUOTED &&
	       memmem(build->text + start->input_pos, end->input_pos - start->input_pos,
		      "''''", 4);
}

#define QUOTES_IN_A_ROW \
	"single quotes in a row inside single quotes: write the text in double quotes"

static int take_key(struct build *build, struct fy_event *event)
{
	struct level *top = &build->levels[build->depth - 1];
	struct rt_node *child = append(build, top);
	size_t bytes = 0;
	const char *text;

	if (!child)
		return no_memory(build->err);
	set_mark(event, &child->key_line, &child->key_column);
	child->line = child->key_line;
	child->column = child->key_column;
	if (event->type == FYET_SCALAR && has_quotes_in_a_row(build, event))
		return rt_node_key_err(build->err, -EINVAL, build->doc, child,
				       QUOTES_IN_A_ROW);
	text = event->type == FYET_SCALAR
		       ? fy_token_get_text(event->scalar.value, &bytes)
		       : NULL;
	if (!text || memchr(text, '\0', bytes))
		return rt_node_key_err(build->err, -EINVAL, build->doc, child,
				       "a key must be a single word");
	child->key = take_text(build->doc, text, bytes);
	top->want_value = true;
	return child->key ? 0 : no_memory(build->err);
}

static int take_scalar(struct build *build, struct fy_event *event)
{
	struct rt_node *node = slot_for_value(build, event);
	struct fy_token *token = event->scalar.value;
	size_t bytes = 0;
	const char *text;

	if (!node)
		return no_memory(build->err);
	if (has_quotes_in_a_row(build, event))
		return rt_node_err(build->err, -EINVAL, build->doc, node,
				   QUOTES_IN_A_ROW);
	text = token ? fy_token_get_text(token, &bytes) : NULL;
	node->quoted = token && fy_scalar_token_get_style(token) != FYSS_PLAIN;
	if (!node->quoted && is_plain_null(text, text ? bytes : 0)) {
		node->kind = RT_NODE_NULL;
		return 0;
	}
	if (text && memchr(text, '\0', bytes))
		return rt_node_err(build->err, -EINVAL, build->doc, node,
				   "a value holds a NUL character");
	node->kind = RT_NODE_SCALAR;
	node->text = take_text(build->doc, text ? text : "", text ? bytes : 0);
	return node->text ? 0 : no_memory(build->err);
}

static int open_level(struct build *build, struct fy_event *event,
		      enum rt_node_kind kind)
{
	struct rt_node *node = slot_for_value(build, event);

	if (!node)
		return no_memory(build->err);
	node->kind = kind;
	if (build->depth == RT_DOC_MAX_DEPTH)
		return rt_node_err(build->err, -EINVAL, build->doc, node,
				   "nested deeper than %u levels", RT_DOC_MAX_DEPTH);
	build->levels[build->depth++] = (struct level){ .node = node };
	return 0;
}

static int close_level(struct build *build)
{
	const struct level *top = &build->levels[--build->depth];

	return top->node->kind == RT_NODE_MAP ? find_duplicates(build, top->node) : 0;
}

static int refuse(struct build *build, struct fy_event *event, const char *what)
{
	unsigned line = 1, column = 1;

	set_mark(event, &line, &column);
	return rt_err_set(build->err, -EINVAL, "%s:%u:%u: %s", build->doc->name, line,
			  column, what);
}

static int take_event(struct build *build, struct fy_event *event)
{
	if (event->type == FYET_ALIAS)
		return refuse(build, event,
			      "aliases (*name) are not supported: write the value out");
	if (fy_event_get_anchor_token(event))
		return refuse(build, event, "anchors (&name) are not supported");
	if (fy_event_get_tag_token(event))
		return refuse(build, event, "tags (!name) are not supported");
	if (event->type == FYET_DOCUMENT_START && build->complete)
		return refuse(build, event,
			      "a second document starts here: keep the first");
	if (event->type == FYET_DOCUMENT_END)
		build->complete = true;

	switch (event->type) {
	case FYET_SCALAR:
	case FYET_MAPPING_START:
	case FYET_SEQUENCE_START:
		if (build->nodes++ == RT_DOC_MAX_NODES)
			return refuse(build, event,
				      "more than a million keys and values");
		if (key_comes_next(build))
			return take_key(build, event);
		if (event->type == FYET_SCALAR)
			return take_scalar(build, event);
		return open_level(build, event,
				  event->type == FYET_MAPPING_START ? RT_NODE_MAP
								    : RT_NODE_SEQ);
	case FYET_MAPPING_END:
	case FYET_SEQUENCE_END: return close_level(build);
	default: return 0;
	}
}

/* The first complaint libfyaml collected, under our own name for the file. */
static int tell_syntax(const char *name, struct fy_diag *diag, struct rt_err *err)
{
	struct fy_diag_error *error;
	void *iter = NULL;

	while ((error = fy_diag_errors_iterate(diag, &iter)))
		return rt_err_set(err, -EINVAL, "%s:%d:%d: %s", name,
				  error->line > 0 ? error->line : 1,
				  error->column > 0 ? error->column : 1,
				  error->msg ? error->msg : "not well-formed");
	return rt_err_set(err, -EINVAL, "%s: not a well-formed YAML or JSON document",
			  name);
}

static int take_events(struct build *build, struct fy_parser *parser,
		       struct fy_diag *diag)
{
	struct fy_event *event;

	while ((event = fy_parser_parse(parser))) {
		int r = take_event(build, event);

		fy_parser_event_free(parser, event);
		if (r < 0)
			return r;
	}
	if (fy_parser_get_stream_error(parser) || fy_diag_got_error(diag))
		return tell_syntax(build->doc->name, diag, build->err);
	if (!build->complete)
		return rt_err_set(build->err, -EINVAL, "%s:1:1: the document is empty",
				  build->doc->name);
	return 0;
}

static int parse_text(struct rt_doc *doc, const char *text, size_t bytes,
		      bool keep_duplicates, struct rt_err *err)
{
	struct build build = {
		.doc = doc, .text = text, .keep_duplicates = keep_duplicates, .err = err
	};
	struct fy_diag_cfg diag_cfg;
	struct fy_parse_cfg cfg = { .flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG };
	struct fy_parser *parser = NULL;
	int r = -ENOMEM;

	fy_diag_cfg_default(&diag_cfg);
	diag_cfg.fp = NULL;
	cfg.diag = fy_diag_create(&diag_cfg);
	doc->root = take(doc, sizeof(*doc->root));
	if (cfg.diag && doc->root) {
		*doc->root = (struct rt_node){ .line = 1, .column = 1 };
		fy_diag_set_collect_errors(cfg.diag, true);
		parser = fy_parser_create(&cfg);
	}
	if (parser && fy_parser_set_string(parser, text, bytes) == 0)
		r = take_events(&build, parser, cfg.diag);
	else
		no_memory(err);
	fy_parser_destroy(parser);
	fy_diag_destroy(cfg.diag);
	return r;
}

/* libfyaml ends quietly at bytes that are no text, so they are found here. */
static int refuse_binary(const char *name, const char *text, size_t bytes,
			 struct rt_err *err)
{
	const char *nul = bytes ? memchr(text, '\0', bytes) : NULL;
	size_t good = rt_text_utf8_length(text, bytes);
	unsigned line = 1, column = 1;

	if (nul && (size_t)(nul - text) < good)
		good = (size_t)(nul - text);
	if (good == bytes)
		return 0;
	for (size_t i = 0; i < good; i++) {
		column = text[i] == '\n' ? 1 : column + 1;
		line += text[i] == '\n';
	}
	return rt_err_set(err, -EINVAL,
			  "%s:%u:%u: byte 0x%02x is not UTF-8 text: is this a YAML or "
			  "JSON file?",
			  name, line, column, (unsigned char)text[good]);
}

/*
 * libfyaml takes 350 bytes for each bracket or comma that it has yet to make sense of,
 * before it tells of any: what these alone could make is bounded before.
 */
static int refuse_dense(const char *name, const char *text, size_t bytes,
			struct rt_err *err)
{
	unsigned marks = 0, line = 1, column = 1;

	for (size_t i = 0; i < bytes; i++) {
		const char c = text[i];

		marks += c == '[' || c == '{' || c == ',' || c == ':';
		if (marks > RT_DOC_MAX_NODES)
			return rt_err_set(
				err, -EINVAL,
				"%s:%u:%u: more than a million keys and "
				"values: too many brackets, commas and colons",
				name, line, column);
		column = c == '\n' ? 1 : column + 1;
		line += c == '\n';
	}
	return 0;
}

/* A text and what messages call it. */
struct source {
	const char *name, *text;
	size_t bytes;
	size_t most_bytes;
	bool keep_duplicates;
};

static int too_large(const struct source *source, struct rt_err *err)
{
	return rt_err_set(err, -EFBIG, "%s: larger than %zu MiB", source->name,
			  source->most_bytes >> 20);
}

static int parse(const struct source *source, struct rt_doc **ret_doc,
		 struct rt_err *err)
{
	const char *name = source->name, *text = source->text;
	const size_t bytes = source->bytes;
	RT_AUTO(rt_auto_doc_free) struct rt_doc *doc = calloc(1, sizeof(*doc));
	int r;

	if (!doc)
		return no_memory(err);
	doc->name = strdup(name);
	if (!doc->name)
		return no_memory(err);
	if (bytes > source->most_bytes)
		return too_large(source, err);
	r = refuse_binary(name, text, bytes, err);
	if (r == 0)
		r = refuse_dense(name, text, bytes, err);
	if (r == 0)
		r = parse_text(doc, text, bytes, source->keep_duplicates, err);
	if (r < 0)
		return r;
	*ret_doc = rt_steal(&doc);
	return 0;
}

int rt_doc_parse(const char *name, const char *text, size_t bytes,
		 struct rt_doc **ret_doc, struct rt_err *err)
{
	return rt_doc_parse_within(name, text, bytes, RT_DOC_MAX_BYTES, ret_doc, err);
}

int rt_doc_parse_within(const char *name, const char *text, size_t bytes,
			size_t most_bytes, struct rt_doc **ret_doc, struct rt_err *err)
{
	return parse(&(struct source){ name, text, bytes, most_bytes, false }, ret_doc,
		     err);
}

int rt_doc_parse_all(const char *name, const char *text, size_t bytes,
		     struct rt_doc **ret_doc, struct rt_err *err)
{
	return parse(&(struct source){ name, text, bytes, RT_DOC_MAX_BYTES, true },
		     ret_doc, err);
}

static int read_path(const char *path, struct source source, struct rt_doc **ret_doc,
		     struct rt_err *err)
{
	RT_AUTO(rt_auto_free) char *text = NULL;
	int r = rt_file_read(path, source.most_bytes, &text, &source.bytes, err);

	if (r < 0)
		return r;
	source.name = rt_file_name(path);
	source.text = text;
	return parse(&source, ret_doc, err);
}

int rt_doc_read(const char *path, struct rt_doc **ret_doc, struct rt_err *err)
{
	return rt_doc_read_within(path, RT_DOC_MAX_BYTES, ret_doc, err);
}

int rt_doc_read_within(const char *path, size_t most_bytes, struct rt_doc **ret_doc,
		       struct rt_err *err)
{
	return read_path(path, (struct source){ .most_bytes = most_bytes }, ret_doc,
			 err);
}

int rt_doc_read_all(const char *path, struct rt_doc **ret_doc, struct rt_err *err)
{
	return read_path(path,
			 (struct source){ .most_bytes = RT_DOC_MAX_BYTES,
					  .keep_duplicates = true },
			 ret_doc, err);
}
