/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tables.c - tables of SONiC (a ruler of dashes below the heading), and JSON of rdma
 * and nicctl, whose numbers may be strings.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/doc.h"
#include "base/own.h"
#include "host/dumps/parts.h"

/* --- SONiC ------------------------------------------------------------------------------- */

#define CELL_MAX 16

/* Cells stand two blanks apart; a heading may have one inside ("Port Rx"). */
static size_t split_cells(char *line, char *cells[CELL_MAX])
{
	size_t count = 0;
	char *at = line + strspn(line, " \t");

	while (*at && count < CELL_MAX) {
		char *end = strstr(at, "  ");

		cells[count++] = at;
		if (!end)
			break;
		*end = '\0';
		at = end + 1 + strspn(end + 1, " \t");
	}
	if (count)
		rt_dump_trim(cells[count - 1]);
	return count;
}

static bool is_ruler(const char *line)
{
	return strstr(line, "---") && strspn(line, "- \t") == strlen(line);
}

static bool is_row(const char *line)
{
	return strncmp(line + strspn(line, " "), "Ethernet", 8) == 0;
}

bool rt_dump_fits_table(const struct rt_dump_block *block)
{
	bool ruler = false;

	for (size_t i = 0; i < block->count; i++) {
		ruler |= is_ruler(block->lines[i]);
		if (is_row(block->lines[i]) &&
		    (ruler || strstr(block->command, "wred")))
			return true;
	}
	return false;
}

/* What `show queue wredcounters` has as its heading; a grep cuts it off. */
static const char *const wred_heading[] = { "Port",           "TxQ",
					    "WredDrp/pkts",   "WredDrp/bytes",
					    "EcnMarked/pkts", "EcnMarked/bytes" };

struct heading {
	const char *cells[CELL_MAX];
	size_t count;
};

static void read_row(struct rt_dumping *to, char *line, const struct heading *heading)
{
	char *cells[CELL_MAX];
	const size_t count = split_cells(line, cells);
	const bool by_queue = heading->count > 1 &&
			      strcmp(heading->cells[1], "TxQ") == 0;

	if (count != heading->count || count < 2)
		return;
	snprintf(to->where, sizeof(to->where), "%.40s%s%.16s", cells[0],
		 by_queue ? ":" : "", by_queue ? cells[1] : "");
	for (size_t i = by_queue ? 2 : 1; i < count; i++) {
		char name[96];

		/* Two tables of one output differ in their first heading only. */
		if (strncmp(heading->cells[0], "Port ", 5) == 0)
			snprintf(name, sizeof(name), "%.10s %.40s",
				 heading->cells[0] + 5, heading->cells[i]);
		else
			snprintf(name, sizeof(name), "%.80s", heading->cells[i]);
		rt_dump_add(to, name, cells[i]);
	}
}

void rt_dump_read_table(struct rt_dumping *to, const struct rt_dump_block *block)
{
	struct heading heading = { 0 };

	if (strstr(block->command, "wred")) {
		memcpy(heading.cells, wred_heading, sizeof(wred_heading));
		heading.count = RT_ARRAY_SIZE(wred_heading);
	}
	for (size_t i = 0; i < block->count; i++) {
		char *cells[CELL_MAX];

		if (is_ruler(block->lines[i]) && i > 0 && *block->lines[i - 1]) {
			heading.count = split_cells(block->lines[i - 1], cells);
			for (size_t c = 0; c < heading.count; c++)
				heading.cells[c] = cells[c];
		} else if (is_row(block->lines[i])) {
			read_row(to, block->lines[i], &heading);
		}
	}
}

/* --- JSON -------------------------------------------------------------------------------- */

bool rt_dump_fits_json(const struct rt_dump_block *block)
{
	for (size_t i = 0; i < block->count; i++) {
		const char *line = block->lines[i] + strspn(block->lines[i], " \t");

		if (*line)
			return *line == '{' || *line == '[';
	}
	return false;
}

static const char *text_of(const struct rt_node *map, const char *key)
{
	const struct rt_node *node = rt_node_get(map, key);

	return node && node->kind == RT_NODE_SCALAR ? node->text : NULL;
}

/* A map that names its device: what is inside it is of that. */
static void enter(struct rt_dumping *to, const struct rt_node *map)
{
	static const char *const keys[] = { "ifname", "eth_bdf", "id" };
	const char *port = text_of(map, "port"), *name = NULL;

	for (size_t i = 0; i < RT_ARRAY_SIZE(keys) && !name; i++)
		name = text_of(map, keys[i]);
	if (name)
		snprintf(to->where, sizeof(to->where), "%.48s%s%.8s", name,
			 port ? "/" : "", port ? port : "");
}

static void walk(struct rt_dumping *to, const struct rt_node *node)
{
	char outside[sizeof(to->where)];

	memcpy(outside, to->where, sizeof(outside));
	if (node->kind == RT_NODE_MAP)
		enter(to, node);
	rt_node_for_each (child, node) {
		if (child->kind == RT_NODE_SCALAR && child->key)
			rt_dump_add(to, child->key, child->text);
		else if (child->kind == RT_NODE_MAP || child->kind == RT_NODE_SEQ)
			walk(to, child);
	}
	memcpy(to->where, outside, sizeof(outside));
}

/* The block's lines as one text again. */
static char *join(const struct rt_dump_block *block, size_t *ret_bytes)
{
	size_t bytes = 0, used = 0;
	char *text;

	for (size_t i = 0; i < block->count; i++)
		bytes += strlen(block->lines[i]) + 1;
	text = malloc(bytes + 1);
	for (size_t i = 0; i < block->count && text; i++) {
		const size_t length = strlen(block->lines[i]);

		memcpy(text + used, block->lines[i], length);
		text[used + length] = '\n';
		used += length + 1;
	}
	*ret_bytes = used;
	return text;
}

void rt_dump_read_json(struct rt_dumping *to, const struct rt_dump_block *block)
{
	RT_AUTO(rt_auto_doc_free) struct rt_doc *doc = NULL;
	RT_AUTO(rt_auto_free) char *text = NULL;
	size_t bytes;

	text = join(block, &bytes);
	if (!text)
		to->failed = -ENOMEM;
	else if (to->failed == 0)
		to->failed = rt_doc_parse("output", text, bytes, &doc, to->err);
	if (to->failed == 0 && doc->root)
		walk(to, doc->root);
}
