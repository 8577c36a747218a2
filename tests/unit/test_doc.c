/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/doc.h"
#include "base/own.h"
#include "rocetune/err.h"

static int parse(const char *text, size_t bytes, struct rt_doc **doc,
		 struct rt_err *err)
{
	return rt_doc_parse("x.yaml", text, bytes, doc, err);
}

static void test_doc_knows_the_place_of_every_node(void **state)
{
	static const char text[] = "a: 1\nb: {c: [1, \"2\"], d: }\n'e f': x\n";
	struct rt_doc *doc = NULL;
	const struct rt_node *b, *c;

	(void)state;
	assert_int_equal(parse(text, strlen(text), &doc, NULL), 0);
	assert_int_equal(doc->root->kind, RT_NODE_MAP);
	assert_int_equal(doc->root->count, 3);
	b = rt_node_get(doc->root, "b");
	assert_non_null(b);
	assert_int_equal(b->key_line, 2);
	assert_int_equal(b->key_column, 1);
	assert_int_equal(b->column, 4);
	c = rt_node_get(b, "c");
	assert_int_equal(c->kind, RT_NODE_SEQ);
	assert_int_equal(c->child->line, 2);
	assert_int_equal(c->child->column, 9);
	assert_false(c->child->quoted);
	assert_true(c->child->next->quoted);
	assert_int_equal(rt_node_get(b, "d")->kind, RT_NODE_NULL);
	assert_string_equal(rt_node_get(doc->root, "e f")->text, "x");
	assert_null(rt_node_get(doc->root, "nothing"));
	assert_null(rt_node_get(c, "nothing"));
	rt_doc_free(doc);
}

static void test_doc_reads_json(void **state)
{
	static const char text[] = "{\"a\": {\"b\": [1, 2.5, null, \"null\"]}}";
	struct rt_doc *doc = NULL;
	const struct rt_node *b;

	(void)state;
	assert_int_equal(parse(text, strlen(text), &doc, NULL), 0);
	b = rt_node_get(rt_node_get(doc->root, "a"), "b");
	assert_int_equal(b->count, 4);
	assert_string_equal(b->child->next->text, "2.5");
	assert_int_equal(b->child->next->next->kind, RT_NODE_NULL);
	assert_string_equal(b->child->next->next->next->text, "null");
	rt_doc_free(doc);
}

static void test_doc_refuses_with_the_place(void **state)
{
	static const struct {
		const char *label, *text, *message;
		size_t bytes; /* 0: up to the NUL */
	} cases[] = {
		{ "key twice", "a: 1\nb: 2\na: 3\n",
		  "x.yaml:3:1: key 'a' stands twice, first at line 1 column 1", 0 },
		{ "key twice, deep", "{\"m\": {\"k\": 1,\n \"k\": 2}}",
		  "x.yaml:2:3: key 'k' stands twice, first at line 1 column 9", 0 },
		{ "empty", "", "x.yaml:1:1: the document is empty", 0 },
		{ "comment only", "# x\n", "x.yaml:1:1: the document is empty", 0 },
		{ "second document", "a: 1\n---\nb: 2\n",
		  "x.yaml:2:1: a second document", 0 },
		{ "anchor", "a: &x 1\n", "x.yaml:1:7: anchors", 0 },
		{ "alias", "a: *x\n", "x.yaml:1:", 0 },
		{ "tag", "a: !!str 1\n", "tags (!name) are not supported", 0 },
		{ "broken flow", "a: [1,2\nb: }\n", "x.yaml:2:", 0 },
		{ "key is a list", "? [a]\n: 1\n", "x.yaml:1:3: a key must be", 0 },
		{ "NUL", "a: \0b", "x.yaml:1:4: byte 0x00", 5 },
		{ "no UTF-8", "a: 1\nb: \xff\xc0\n", "x.yaml:2:4: byte 0xff", 0 },
		{ "surrogate", "a: \xed\xa0\x80\n", "x.yaml:1:4: byte 0xed", 0 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_err err = { 0 };
		struct rt_doc *doc = NULL;
		size_t bytes = cases[i].bytes ? cases[i].bytes : strlen(cases[i].text);

		assert_int_equal(parse(cases[i].text, bytes, &doc, &err), -EINVAL);
		print_message("# %s: %s\n", cases[i].label, err.msg);
		assert_null(doc);
		assert_non_null(strstr(err.msg, cases[i].message));
	}
}

static void test_doc_keeps_duplicates_for_who_asks(void **state)
{
	static const char text[] = "a: 1\nb: 2\na: 3\nc: {a: 4}\na: 5\n";
	const struct rt_node *a, *node;
	struct rt_doc *doc = NULL;

	(void)state;
	assert_int_equal(rt_doc_parse_all("x", text, strlen(text), &doc, NULL), 0);
	a = rt_node_get(doc->root, "a");
	assert_string_equal(a->text, "1");
	assert_null(a->first);
	assert_null(rt_node_get(doc->root, "b")->first);
	assert_ptr_equal(a->next->next->first, a);
	node = rt_node_get(doc->root, "c");
	assert_null(node->child->first);
	assert_ptr_equal(node->next->first, a);
	rt_doc_free(doc);
}

static void test_doc_bounds_depth(void **state)
{
	char text[401];
	struct rt_doc *doc = NULL;
	struct rt_err err = { 0 };

	(void)state;
	memset(text, '[', 200);
	memset(text + 200, ']', 200);
	assert_int_equal(parse(text, 400, &doc, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "nested deeper than 60 levels"));
	assert_int_equal(parse(text + 150, 100, &doc, &err), 0);
	rt_doc_free(doc);
}

/* The list is a node too. */
static void test_doc_bounds_nodes(void **state)
{
	char *text = malloc(2 * (size_t)RT_DOC_MAX_NODES + 1);
	struct rt_doc *doc = NULL;
	struct rt_err err = { 0 };

	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i < RT_DOC_MAX_NODES; i++)
		memcpy(text + 2 * i, i ? ",0" : "[0", 2);
	text[2 * (size_t)RT_DOC_MAX_NODES] = ']';
	assert_int_equal(parse(text, 2 * (size_t)RT_DOC_MAX_NODES + 1, &doc, &err),
			 -EINVAL);
	assert_non_null(strstr(err.msg, "more than a million keys and values"));
	text[2 * (size_t)RT_DOC_MAX_NODES - 2] = ']';
	assert_int_equal(parse(text, 2 * (size_t)RT_DOC_MAX_NODES - 1, &doc, &err), 0);
	assert_int_equal(doc->root->count, RT_DOC_MAX_NODES - 1);
	rt_doc_free(doc);
	free(text);
}

static void test_doc_read_says_why_not(void **state)
{
	struct rt_doc *doc = NULL;
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(rt_doc_read("/nonexistent/x.yaml", &doc, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "/nonexistent/x.yaml: cannot be opened"));
	assert_int_equal(rt_doc_read("/", &doc, &err), -EISDIR);
}

static void test_doc_read_skips_a_byte_order_mark(void **state)
{
	static const char text[] = "\xEF\xBB\xBF{\"a\": 1}";
	char path[] = "/tmp/test_doc.XXXXXX";
	const int fd = mkstemp(path);
	struct rt_doc *doc = NULL;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(rt_doc_read(path, &doc, NULL), 0);
	assert_non_null(rt_node_get(doc->root, "a"));
	rt_doc_free(doc);
	close(fd);
	unlink(path);
}

/* 70,000 keys, about all that fits: a quadratic duplicate check would not end in sensible time. */
/* Brackets that are yet to make sense cost most, and are counted before they do. */
static void test_doc_counts_brackets_first(void **state)
{
	const size_t bytes = RT_DOC_MAX_NODES + 2;
	char *text = malloc(bytes);
	struct rt_doc *doc = NULL;
	struct rt_err err = { 0 };

	(void)state;
	assert_non_null(text);
	memset(text, '[', bytes);
	text[0] = '\n';
	assert_int_equal(parse(text, bytes, &doc, &err), -EINVAL);
	print_message("# %s\n", err.msg);
	assert_non_null(strstr(err.msg, ":2:1000001: more than a million keys"));
	free(text);
}

static void test_doc_takes_large_maps(void **state)
{
	const size_t keys = 70000;
	char *text = malloc(keys * 16);
	size_t used = 0;
	struct rt_doc *doc = NULL;

	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i < keys; i++)
		used += (size_t)sprintf(text + used, "k%zu: %zu\n", i, i);
	assert_int_equal(parse(text, used, &doc, NULL), 0);
	assert_int_equal(doc->root->count, keys);
	rt_doc_free(doc);
	free(text);
}

RT_UNIT_MAIN(cmocka_unit_test(test_doc_knows_the_place_of_every_node),
	     cmocka_unit_test(test_doc_reads_json),
	     cmocka_unit_test(test_doc_refuses_with_the_place),
	     cmocka_unit_test(test_doc_keeps_duplicates_for_who_asks),
	     cmocka_unit_test(test_doc_bounds_depth),
	     cmocka_unit_test(test_doc_bounds_nodes),
	     cmocka_unit_test(test_doc_read_says_why_not),
	     cmocka_unit_test(test_doc_read_skips_a_byte_order_mark),
	     cmocka_unit_test(test_doc_counts_brackets_first),
	     cmocka_unit_test(test_doc_takes_large_maps))
