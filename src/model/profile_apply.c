/* SPDX-License-Identifier: BSD-2-Clause */
/* profile_apply.c - walks a document by the paths of the parameter table. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "model/profile_reader.h"

#define SEGMENT_BYTES 64
#define SUGGEST_MAX   96

/* The segment of path that follows the pattern; false when path is not below. */
static bool segment_below(const char *path, const char *pattern,
			  char segment[SEGMENT_BYTES])
{
	const size_t bytes = strlen(pattern);
	size_t length;

	if (bytes) {
		if (strncmp(path, pattern, bytes) != 0 || path[bytes] != '.')
			return false;
		path += bytes + 1;
	}
	length = strcspn(path, ".");
	if (length >= SEGMENT_BYTES)
		return false;
	memcpy(segment, path, length);
	segment[length] = '\0';
	return true;
}

static bool has_literal(const char *pattern, const char *key)
{
	char segment[SEGMENT_BYTES];

	for (size_t i = 0; i < rt_param_count; i++)
		if (segment_below(rt_params[i].path, pattern, segment) &&
		    strcmp(segment, key) == 0 && segment[0] != '<')
			return true;
	return false;
}

/* The placeholder below pattern, "" when there is none. */
static void find_placeholder(const char *pattern, char segment[SEGMENT_BYTES])
{
	for (size_t i = 0; i < rt_param_count; i++)
		if (segment_below(rt_params[i].path, pattern, segment) &&
		    segment[0] == '<')
			return;
	segment[0] = '\0';
}

/* Words that could have stood where key stands; returns how many. */
static size_t collect_words(const struct rt_reader *reader,
			    const struct rt_position *position, const char *placeholder,
			    char buf[SUGGEST_MAX][SEGMENT_BYTES],
			    const char *words[SUGGEST_MAX])
{
	size_t count = 0;

	for (size_t i = 0; i < rt_param_count && count < SUGGEST_MAX; i++)
		if (segment_below(rt_params[i].path, position->pattern, buf[count]) &&
		    buf[count][0] != '<') {
			words[count] = buf[count];
			count++;
		}
	if (strcmp(placeholder, "<class>") == 0)
		for (size_t i = 0;
		     i < reader->profile->class_count && count < SUGGEST_MAX; i++)
			words[count++] = reader->profile->classes[i].name;
	if (strcmp(placeholder, "<role>") == 0)
		for (size_t i = 0; i < RT_ROLE_COUNT && count < SUGGEST_MAX; i++)
			words[count++] = rt_role_names[i].name;
	if (!*position->pattern && count < SUGGEST_MAX)
		words[count++] = "rails";
	return count;
}

static void tell_unknown(struct rt_reader *reader, const struct rt_position *position,
			 const char *placeholder, const char *key,
			 const struct rt_node *node)
{
	static const char what[] = "key", class[] = "class", role[] = "role";
	const char *kind = strcmp(placeholder, "<class>") == 0  ? class
			   : strcmp(placeholder, "<role>") == 0 ? role
								: what;
	const struct rt_place place = rt_reader_key_place(reader, node);
	char buf[SUGGEST_MAX][SEGMENT_BYTES];
	const char *words[SUGGEST_MAX], *near;
	char list[160] = "";
	size_t count;

	if (rt_reader_is_full(reader))
		return;
	count = collect_words(reader, position, placeholder, buf, words);
	near = rt_text_nearest(key, words, count);
	for (size_t i = 0; i < count && strlen(list) < 120; i++)
		if (i == 0 || strcmp(words[i], words[i - 1]) != 0) {
			strncat(list, *list ? ", " : "",
				sizeof(list) - strlen(list) - 1);
			strncat(list, words[i], sizeof(list) - strlen(list) - 1);
		}
	if (near)
		rt_reader_tell(reader,
			       kind == class ? RT_COMPLAINT_REFERENCE
					     : RT_COMPLAINT_KEY,
			       &place, "unknown %s '%.60s': did you mean '%s'?", kind,
			       key, near);
	else
		rt_reader_tell(reader,
			       kind == class ? RT_COMPLAINT_REFERENCE
					     : RT_COMPLAINT_KEY,
			       &place, "unknown %s '%.60s': here may stand %s", kind,
			       key, *list ? list : "nothing");
}

static bool is_class_name(const char *name)
{
	size_t bytes = 0;

	for (; name[bytes]; bytes++)
		if (!isalnum((unsigned char)name[bytes]) && name[bytes] != '-' &&
		    name[bytes] != '_')
			return false;
	return bytes > 0 && bytes < RT_CLASS_NAME_MAX;
}

static int find_class(const struct rt_profile *profile, const char *name)
{
	for (size_t i = 0; i < profile->class_count; i++)
		if (strcmp(profile->classes[i].name, name) == 0)
			return (int)i;
	return -1;
}

/* A key below classes names the class; elsewhere it must be one already. */
static int take_class(struct rt_reader *reader, const struct rt_position *position,
		      const char *key, const struct rt_node *node)
{
	struct rt_profile *profile = reader->profile;
	const struct rt_place place = rt_reader_key_place(reader, node);
	const int found = find_class(profile, key);
	struct rt_class *added;

	if (found >= 0)
		return found;
	if (reader->in_set || strcmp(position->pattern, "classes") != 0) {
		tell_unknown(reader, position, "<class>", key, node);
		return -1;
	}
	if (!is_class_name(key)) {
		rt_reader_tell(
			reader, RT_COMPLAINT_KEY, &place,
			"'%.40s' cannot name a class: letters, digits, - and _, at "
			"most %d",
			key, RT_CLASS_NAME_MAX - 1);
		return -1;
	}
	if (profile->class_count == RT_CLASS_MAX) {
		rt_reader_tell(reader, RT_COMPLAINT_RANGE, &place,
			       "more than %d classes", RT_CLASS_MAX);
		return -1;
	}
	added = &profile->classes[profile->class_count];
	snprintf(added->name, sizeof(added->name), "%s", key);
	added->place = place;
	return (int)profile->class_count++;
}

/* Go down one placeholder; false when the key does not fit it. */
static bool capture(struct rt_reader *reader, struct rt_position *position,
		    const char *placeholder, const char *key,
		    const struct rt_node *node)
{
	const struct rt_name *role;
	int found;

	if (strcmp(placeholder, "<class>") == 0) {
		found = take_class(reader, position, key, node);
		position->class_index = (unsigned)(found < 0 ? 0 : found);
		position->has_class = true;
		return found >= 0;
	}
	if (strcmp(placeholder, "<role>") == 0) {
		role = rt_name_find(rt_role_names, key);
		position->role = role ? role->value : 0;
		position->has_role = true;
		if (!role)
			tell_unknown(reader, position, placeholder, key, node);
		return role != NULL;
	}
	if (strcmp(placeholder, "<driver>") == 0)
		position->group = key;
	else
		position->name = key;
	return true;
}

/* One key below position; the position it leads to, false when there is none. */
static bool descend(struct rt_reader *reader, struct rt_position *position,
		    const char *key, const struct rt_node *node)
{
	char placeholder[SEGMENT_BYTES];
	const bool literal = has_literal(position->pattern, key);
	const char *segment = key;
	size_t used;

	if (!literal) {
		find_placeholder(position->pattern, placeholder);
		if (!*placeholder) {
			tell_unknown(reader, position, placeholder, key, node);
			return false;
		}
		if (!capture(reader, position, placeholder, key, node))
			return false;
		segment = placeholder;
	}
	used = strlen(position->pattern);
	snprintf(position->pattern + used, sizeof(position->pattern) - used, "%s%s",
		 used ? "." : "", segment);
	return true;
}

static bool is_leaf(const char *pattern)
{
	for (size_t i = 0; i < rt_param_count; i++)
		if (strcmp(rt_params[i].path, pattern) == 0)
			return true;
	return false;
}

/* `rp: keep` says keep for every row below rp. */
static void set_group(struct rt_reader *reader, const struct rt_position *position,
		      const struct rt_node *node)
{
	const size_t classes = reader->profile->class_count;
	char segment[SEGMENT_BYTES];

	for (size_t i = 0; i < rt_param_count; i++) {
		const struct rt_param *row = &rt_params[i];
		struct rt_position at = *position;

		if (!segment_below(row->path, position->pattern, segment) ||
		    row->type == RT_PARAM_PAIRS)
			continue;
		snprintf(at.pattern, sizeof(at.pattern), "%s", row->path);
		for (size_t c = 0; c < (row->class_stride ? classes : 1); c++)
			for (unsigned r = 0; r < (row->role_stride ? RT_ROLE_COUNT : 1);
			     r++) {
				at.class_index = position->has_class
							 ? position->class_index
							 : (unsigned)c;
				at.role = position->has_role ? position->role : r;
				rt_reader_set(reader, &at, node);
			}
	}
}

static bool is_group_word(const struct rt_node *node)
{
	return node->kind == RT_NODE_SCALAR &&
	       (strcmp(node->text, "keep") == 0 || strcmp(node->text, "auto") == 0);
}

static void apply_one(struct rt_reader *reader, const struct rt_position *position,
		      const struct rt_node *node)
{
	const struct rt_place place = rt_reader_place(reader, node);

	if (is_leaf(position->pattern))
		rt_reader_set(reader, position, node);
	else if (node->kind == RT_NODE_MAP)
		rt_reader_apply(reader, position, node);
	else if (is_group_word(node))
		set_group(reader, position, node);
	else if (node->kind != RT_NODE_NULL)
		rt_reader_tell(reader, RT_COMPLAINT_VALUE, &place,
			       "'%s' wants a map of keys, or keep, or auto, not %s",
			       node->key ? node->key : position->pattern,
			       rt_node_kind_name(node->kind));
}

/* classes.coll.sched.ets: each part as if it stood nested. */
static void apply_dotted(struct rt_reader *reader, struct rt_position position,
			 const struct rt_node *node)
{
	const char *at = node->key;
	char part[SEGMENT_BYTES];

	for (;;) {
		const size_t bytes = strcspn(at, ".");
		const struct rt_place place = rt_reader_key_place(reader, node);

		if (bytes == 0 || bytes >= sizeof(part)) {
			rt_reader_tell(reader, RT_COMPLAINT_KEY, &place,
				       "'%.60s' is no dotted path", node->key);
			return;
		}
		memcpy(part, at, bytes);
		part[bytes] = '\0';
		if (!at[bytes]) {
			/* The last part lives as long as the key does. */
			if (descend(reader, &position, at, node))
				apply_one(reader, &position, node);
			return;
		}
		if (!descend(reader, &position, part, node))
			return;
		if (position.group == part)
			position.group = rt_store_text(reader->profile->store, part,
						       bytes);
		if (position.name == part || is_leaf(position.pattern)) {
			rt_reader_tell(reader, RT_COMPLAINT_KEY, &place,
				       "'%.60s' goes on below a value", node->key);
			return;
		}
		at += bytes + 1;
	}
}

void rt_reader_apply(struct rt_reader *reader, const struct rt_position *position,
		     const struct rt_node *node)
{
	rt_node_for_each (child, node) {
		struct rt_position below = *position;

		if (child->first)
			continue; /* a duplicate, told already */
		if (reader->in_set && strchr(child->key, '.'))
			apply_dotted(reader, below, child);
		else if (descend(reader, &below, child->key, child))
			apply_one(reader, &below, child);
	}
}
