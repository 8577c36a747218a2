/* SPDX-License-Identifier: BSD-2-Clause */
/* profile_rails.c - what differs on some of a host's devices. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "model/profile_reader.h"
#include "rocetune/err.h"

static const struct rt_name select_names[] = {
	{ "rail", RT_RAIL_INDEX, "by number: rail 0-7" },
	{ "netdev", RT_RAIL_NETDEV, "by interface name: netdev stor*" },
	{ "pci", RT_RAIL_PCI, "by address: pci 0000:06:*" },
	{ "ibdev", RT_RAIL_IBDEV, "by RDMA device: ibdev mlx5_*" },
	{ 0 },
};

/* "rail 0-7": a word, blanks, a pattern. */
static void take_select(struct rt_reader *reader, struct rt_rail *rail,
			const struct rt_node *node)
{
	const struct rt_place place = rt_reader_place(reader, node);
	const char *text = node->kind == RT_NODE_SCALAR ? node->text : "";
	const size_t word = strcspn(text, " ");
	const char *pattern = text + word + strspn(text + word, " ");

	for (const struct rt_name *name = select_names; name->name; name++)
		if (strlen(name->name) == word && memcmp(name->name, text, word) == 0 &&
		    *pattern) {
			rail->select = text;
			rail->kind = name->value;
			rail->pattern = pattern;
			if (rail->kind != RT_RAIL_INDEX ||
			    strspn(pattern, "0123456789-,") == strlen(pattern))
				return;
		}
	rt_reader_tell(
		reader, RT_COMPLAINT_VALUE, &place,
		"select: wants rail 0-7, netdev GLOB, pci GLOB or ibdev GLOB, not "
		"'%.60s'",
		text);
}

static void take_rail_key(struct rt_reader *reader, struct rt_rail *rail,
			  const struct rt_node *node)
{
	static const char *const words[] = { "select", "set", "leaf" };
	const struct rt_place place = rt_reader_place(reader, node);
	const struct rt_place key = rt_reader_key_place(reader, node);
	const char *near;

	if (strcmp(node->key, "select") == 0) {
		take_select(reader, rail, node);
	} else if (strcmp(node->key, "leaf") == 0) {
		if (node->kind != RT_NODE_SCALAR)
			rt_reader_tell(reader, RT_COMPLAINT_VALUE, &place,
				       "leaf: wants a name such as leaf{rail}");
		else
			rail->leaf = node->text;
	} else if (strcmp(node->key, "set") == 0) {
		if (node->kind != RT_NODE_MAP)
			rt_reader_tell(reader, RT_COMPLAINT_VALUE, &place,
				       "set: wants a map of what differs");
		else
			rail->set = node;
		if (rt_node_get(node, "extends"))
			rt_reader_tell(
				reader, RT_COMPLAINT_KEY, &place,
				"a rail cannot extend: extends stands at the top");
		rail->set_file = reader->file;
	} else if (!rt_reader_is_full(reader)) {
		near = rt_text_nearest(node->key, words, RT_ARRAY_SIZE(words));
		rt_reader_tell(reader, RT_COMPLAINT_KEY, &key,
			       "unknown key '%.60s' of a rail: %s%s", node->key,
			       near ? "did you mean " : "select, set or leaf",
			       near ? near : "");
	}
}

void rt_reader_rails(struct rt_reader *reader, const struct rt_node *node)
{
	struct rt_profile *profile = reader->profile;
	const struct rt_place place = rt_reader_place(reader, node);

	profile->rail_count = 0;
	if (node->kind == RT_NODE_NULL)
		return;
	if (node->kind != RT_NODE_SEQ)
		return rt_reader_tell(reader, RT_COMPLAINT_VALUE, &place,
				      "rails: wants a list of {select, set}, not %s",
				      rt_node_kind_name(node->kind));
	rt_node_for_each (item, node) {
		struct rt_rail rail = { .place = rt_reader_place(reader, item) };

		if (profile->rail_count == RT_RAIL_MAX)
			return rt_reader_tell(reader, RT_COMPLAINT_RANGE, &rail.place,
					      "more than %d rails", RT_RAIL_MAX);
		if (item->kind != RT_NODE_MAP) {
			rt_reader_tell(reader, RT_COMPLAINT_VALUE, &rail.place,
				       "a rail is a map {select, set}, not %s",
				       rt_node_kind_name(item->kind));
			continue;
		}
		rt_node_for_each (child, item)
			take_rail_key(reader, &rail, child);
		if (!rt_node_get(item, "select"))
			rt_reader_tell(
				reader, RT_COMPLAINT_VALUE, &rail.place,
				"a rail without select: say which devices it means");
		profile->rails[profile->rail_count++] = rail;
	}
}

/* A copy of the profile with what the rail sets; complaints go to *to. */
static struct rt_profile *overlay(const struct rt_profile *profile,
				  const struct rt_rail *rail, struct rt_findings *to,
				  bool *ret_out_of_memory)
{
	const struct rt_position top = { .pattern = "" };
	struct rt_profile *copy = malloc(sizeof(*copy));
	struct rt_reader reader = { .profile = copy,
				    .complaints = to,
				    .file = rail->set_file,
				    .layer = RT_RAIL_LAYER,
				    .in_set = true };

	*ret_out_of_memory = !copy;
	if (!copy)
		return NULL;
	*copy = *profile;
	if (rail->set)
		rt_reader_apply(&reader, &top, rail->set);
	rt_reader_finish(&reader);
	*ret_out_of_memory = reader.out_of_memory;
	return copy;
}

void rt_reader_check_rails(struct rt_reader *reader)
{
	for (size_t i = 0; i < reader->profile->rail_count; i++) {
		bool out_of_memory;

		free(overlay(reader->profile, &reader->profile->rails[i],
			     reader->complaints, &out_of_memory));
		if (out_of_memory)
			reader->out_of_memory = true;
	}
}

int rt_profile_rail(const struct rt_profile *profile, size_t rail,
		    struct rt_profile **ret_profile, struct rt_err *err)
{
	struct rt_findings complaints = { 0 };
	struct rt_profile *copy;
	bool out_of_memory;

	if (rail >= profile->rail_count)
		return rt_err_set(err, -ERANGE,
				  "the profile has %zu rail%s, there is no entry %zu "
				  "(`rocetune profile show` lists them)",
				  profile->rail_count,
				  profile->rail_count == 1 ? "" : "s", rail + 1);
	copy = overlay(profile, &profile->rails[rail], &complaints, &out_of_memory);
	if (copy)
		copy->store = NULL;
	if (out_of_memory) {
		rt_findings_free(&complaints);
		rt_profile_free(copy);
		return rt_err_sys(err, -ENOMEM, "cannot lay a rail over a profile");
	}
	/* Reading told what there is to complain about. */
	rt_findings_free(&complaints);
	*ret_profile = copy;
	return 0;
}
