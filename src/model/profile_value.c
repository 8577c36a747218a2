/* SPDX-License-Identifier: BSD-2-Clause */
/* profile_value.c - a node of the document into a setting, as its row says. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "model/profile_reader.h"
#include "rocetune/err.h"

/* Why a value was refused; kept until all rows of the path were tried. */
struct refusal {
	enum rt_complaint kind;
	const struct rt_node *at; /* the item of a list; NULL: the whole value */
	char why[280];
};

struct parse {
	struct rt_reader *reader;
	const struct rt_param *row;
	const struct rt_node *node;
	struct refusal *refusal;
};

#define refuse(parse, kind_, ...)                                              \
	({                                                                     \
		(parse)->refusal->kind = RT_COMPLAINT_##kind_;                 \
		snprintf((parse)->refusal->why, sizeof((parse)->refusal->why), \
			 __VA_ARGS__);                                         \
		-EINVAL;                                                       \
	})

static bool is_word(const struct rt_node *node, const char *word)
{
	return node->kind == RT_NODE_SCALAR && strcmp(node->text, word) == 0;
}

static int wrong_kind(const struct parse *parse)
{
	char expects[RT_PARAM_TEXT_BYTES];

	return refuse(parse, VALUE, "wants %s, not %s",
		      rt_param_expects(parse->row, expects),
		      rt_node_kind_name(parse->node->kind));
}

static int check_range(const struct parse *parse, const char *text, uint64_t number)
{
	const struct rt_param *row = parse->row;
	char low[RT_UNIT_TEXT_BYTES], high[RT_UNIT_TEXT_BYTES];

	if (!row->max || (number >= row->min && number <= row->max))
		return 0;
	return refuse(parse, RANGE, "'%.40s' is out of range: %s to %s%s", text,
		      rt_unit_format_exact(row->unit, row->min, low),
		      rt_unit_format_exact(row->unit, row->max, high),
		      number < row->min && rt_unit_is_bare(row->unit, text)
			      ? " (bare means bytes: is a unit missing?)"
			      : "");
}

static int parse_unit(const struct parse *parse, const char *text, uint64_t *ret_number)
{
	const struct rt_param *row = parse->row;
	struct rt_err err = { 0 };
	char digits[24], hint[RT_UNIT_TEXT_BYTES];
	uint64_t ratio;

	if (row->type == RT_PARAM_PERCENT) {
		snprintf(digits, sizeof(digits), "%s", text);
		if (strlen(digits) > 1 && digits[strlen(digits) - 1] == '%')
			digits[strlen(digits) - 1] = '\0';
		if (rt_unit_parse(RT_UNIT_COUNT, digits, ret_number, NULL) < 0)
			return refuse(parse, VALUE,
				      "'%.40s' is not a whole number of percent", text);
		return check_range(parse, text, *ret_number);
	}
	if (row->zero && strcmp(text, row->zero) == 0) {
		*ret_number = 0;
		return check_range(parse, text, 0);
	}
	if (rt_unit_parse(row->unit, text, ret_number, &err) == 0)
		return check_range(parse, text, *ret_number);
	if (row->unit == RT_UNIT_PCT &&
	    rt_unit_parse(RT_UNIT_RATIO, text, &ratio, NULL) == 0 && ratio <= RT_PPB)
		return refuse(parse, VALUE,
			      "'%.40s' is not a percentage: did you mean %s?", text,
			      rt_unit_format_exact(RT_UNIT_PCT, ratio, hint));
	return refuse(parse, VALUE, "%.200s", err.msg);
}

static int parse_number(const struct parse *parse, struct rt_setting *setting)
{
	if (parse->node->kind != RT_NODE_SCALAR)
		return wrong_kind(parse);
	return parse_unit(parse, parse->node->text, &setting->number);
}

static int parse_bool(const struct parse *parse, struct rt_setting *setting)
{
	static const char *const yes[] = { "yes", "true", "on", "True", "Yes", "On" };
	static const char *const no[] = { "no", "false", "off", "False", "No", "Off" };

	for (size_t i = 0; i < RT_ARRAY_SIZE(yes); i++) {
		setting->number = is_word(parse->node, yes[i]);
		if (setting->number || is_word(parse->node, no[i]))
			return 0;
	}
	if (parse->node->kind != RT_NODE_SCALAR)
		return wrong_kind(parse);
	return refuse(parse, VALUE, "'%.40s' is neither yes nor no", parse->node->text);
}

static int parse_enum(const struct parse *parse, struct rt_setting *setting)
{
	const struct rt_name *found;
	const char *words[64], *near;
	char expects[RT_PARAM_TEXT_BYTES];
	size_t count = 0;

	if (parse->node->kind != RT_NODE_SCALAR)
		return wrong_kind(parse);
	found = rt_name_find(parse->row->names, parse->node->text);
	if (found) {
		setting->number = found->value;
		return 0;
	}
	for (found = parse->row->names; found->name && count < 64; found++)
		words[count++] = found->name;
	near = rt_text_nearest(parse->node->text, words, count);
	if (near)
		return refuse(parse, VALUE, "'%.40s': did you mean '%s'?",
			      parse->node->text, near);
	return refuse(parse, VALUE, "'%.40s' is none of %s", parse->node->text,
		      rt_param_expects(parse->row, expects));
}

static int parse_text(const struct parse *parse, struct rt_setting *setting)
{
	(void)setting;
	return parse->node->kind == RT_NODE_SCALAR ? 0 : wrong_kind(parse);
}

static int parse_breakout(const struct parse *parse, struct rt_setting *setting)
{
	unsigned long children;
	char *end;

	if (parse->node->kind != RT_NODE_SCALAR)
		return wrong_kind(parse);
	errno = 0;
	children = strtoul(parse->node->text, &end, 10);
	if (errno || end == parse->node->text || *end != 'x' || children < 1 ||
	    children > 16)
		return refuse(parse, VALUE, "'%.40s' is not a breakout such as 2x400G",
			      parse->node->text);
	setting->times = (unsigned)children;
	if (end[1] && !end[1 + strspn(end + 1, "0123456789")])
		return refuse(parse, VALUE, "'%.40s' lacks a unit: write %.40sGb/s",
			      parse->node->text, parse->node->text);
	return parse_unit(parse, end + 1, &setting->number);
}

/* A lone scalar counts as a list of one. */
static const struct rt_node *first_item(const struct rt_node *node)
{
	return node->kind == RT_NODE_SCALAR ? node : node->child;
}

static const struct rt_node *next_item(const struct rt_node *list,
				       const struct rt_node *item)
{
	return list == item ? NULL : item->next;
}

static bool is_flat_list(const struct rt_node *node)
{
	if (node->kind == RT_NODE_SCALAR)
		return true;
	if (node->kind != RT_NODE_SEQ)
		return false;
	rt_node_for_each (item, node)
		if (item->kind != RT_NODE_SCALAR)
			return false;
	return true;
}

/* All items as one text, ", " between. */
static const char *join(struct rt_reader *reader, const struct rt_node *list)
{
	RT_AUTO(rt_auto_free) char *text = NULL;
	size_t bytes = 1, used = 0;

	for (const struct rt_node *item = first_item(list); item;
	     item = next_item(list, item))
		bytes += strlen(item->text) + 2;
	text = malloc(bytes);
	if (!text)
		return NULL;
	text[0] = '\0';
	for (const struct rt_node *item = first_item(list); item;
	     item = next_item(list, item))
		used += (size_t)snprintf(text + used, bytes - used, "%s%s",
					 used ? ", " : "", item->text);
	return rt_store_text(reader->profile->store, text, used);
}

static int parse_texts(const struct parse *parse, struct rt_setting *setting)
{
	(void)setting;
	return is_flat_list(parse->node) ? 0 : wrong_kind(parse);
}

/* 26 or 24-31 */
static int parse_dscp_item(const struct parse *parse, const char *text, uint64_t *mask)
{
	unsigned long low, high;
	char *end;

	errno = 0;
	low = high = strtoul(text, &end, 10);
	if (end != text && *end == '-' && end[1] >= '0' && end[1] <= '9')
		high = strtoul(end + 1, &end, 10);
	if (errno || end == text || *end || text[0] < '0' || text[0] > '9')
		return refuse(parse, VALUE, "'%.40s' is no DSCP: 26, or a range 24-31",
			      text);
	if (low > high || high > 63)
		return refuse(parse, RANGE, "'%.40s' is out of range: 0 to 63%s", text,
			      high > 63 && high <= 255 && low == high && !(high & 1)
				      ? " (a traffic class byte is four times the DSCP)"
				      : "");
	for (; low <= high; low++) {
		if (*mask >> low & 1)
			return refuse(parse, VALUE, "DSCP %lu is in the list twice",
				      low);
		*mask |= 1ull << low;
	}
	return 0;
}

static int parse_dscp(const struct parse *parse, struct rt_setting *setting)
{
	const struct rt_node *list = parse->node;
	int r = 0;

	if (!is_flat_list(list))
		return wrong_kind(parse);
	if (is_word(list, "rest")) {
		setting->state = RT_SETTING_AUTO;
		return 0;
	}
	for (const struct rt_node *item = first_item(list); item && r == 0;
	     item = next_item(list, item)) {
		parse->refusal->at = item;
		r = parse_dscp_item(parse, item->text, &setting->number);
	}
	return r;
}

static int parse_classes(const struct parse *parse, struct rt_setting *setting)
{
	const struct rt_profile *profile = parse->reader->profile;
	const struct rt_node *list = parse->node;
	const char *names[RT_CLASS_MAX], *near;

	if (!is_flat_list(list))
		return wrong_kind(parse);
	for (size_t i = 0; i < profile->class_count; i++)
		names[i] = profile->classes[i].name;
	for (const struct rt_node *item = first_item(list); item;
	     item = next_item(list, item)) {
		const struct rt_class *class = rt_profile_class(profile, item->text);

		parse->refusal->at = item;
		if (!class) {
			near = rt_text_nearest(item->text, names, profile->class_count);
			return refuse(parse, REFERENCE, "no class '%.40s'%s%s%s",
				      item->text, near ? ": did you mean '" : "",
				      near ? near : "", near ? "'?" : "");
		}
		setting->number |= 1ull << (class - profile->classes);
	}
	return 0;
}

static int parse_sizes(const struct parse *parse, struct rt_setting *setting)
{
	const struct rt_node *list = parse->node;
	unsigned count = 0;
	int r = 0;

	if (!is_flat_list(list))
		return wrong_kind(parse);
	for (const struct rt_node *item = first_item(list); item && r == 0;
	     item = next_item(list, item)) {
		parse->refusal->at = item;
		if (count == RT_BUFFER_COUNT)
			return refuse(parse, RANGE, "more than %d sizes",
				      RT_BUFFER_COUNT);
		r = parse_unit(parse, item->text, &setting[count++].number);
	}
	setting->times = count;
	return r;
}

typedef int parse_fn(const struct parse *parse, struct rt_setting *setting);

static parse_fn *const parsers[] = {
	[RT_PARAM_NUMBER] = parse_number,     [RT_PARAM_PERCENT] = parse_number,
	[RT_PARAM_BOOL] = parse_bool,         [RT_PARAM_ENUM] = parse_enum,
	[RT_PARAM_TEXT] = parse_text,         [RT_PARAM_TEXTS] = parse_texts,
	[RT_PARAM_DSCP] = parse_dscp,         [RT_PARAM_CLASSES] = parse_classes,
	[RT_PARAM_BREAKOUT] = parse_breakout, [RT_PARAM_SIZES] = parse_sizes,
	[RT_PARAM_PAIRS] = parse_text,
};

/*
 * keep and auto are words wherever no free text is; platform is another word for
 * keep where a switch decides (thresholds of a class on a port).
 */
static bool take_word(const struct rt_param *row, const struct rt_node *node,
		      struct rt_setting *setting)
{
	const bool by_platform = row->class_stride && row->role_stride;

	if (row->type == RT_PARAM_TEXT || row->type == RT_PARAM_TEXTS)
		return false;
	if (is_word(node, "keep") || (by_platform && is_word(node, "platform")))
		setting->state = RT_SETTING_KEEP;
	else if (is_word(node, "auto"))
		setting->state = RT_SETTING_AUTO;
	else
		return false;
	return true;
}

/* Every setting a row's parser may write: one, or all the sizes. */
static size_t width_of(const struct rt_param *row)
{
	return row->type == RT_PARAM_SIZES ? RT_BUFFER_COUNT : 1;
}

static int parse_row(const struct parse *parse, struct rt_setting *ret_settings)
{
	struct rt_setting settings[RT_BUFFER_COUNT] = { 0 };
	const struct rt_node *node = parse->node;
	int r = 0;

	settings[0] = (struct rt_setting){ .state = RT_SETTING_VALUE,
					   .layer = parse->reader->layer,
					   .place = rt_reader_place(parse->reader,
								    node) };
	if (node->kind == RT_NODE_NULL)
		settings[0].state = RT_SETTING_UNSET;
	else if (!take_word(parse->row, node, &settings[0]))
		r = parsers[parse->row->type](parse, settings);
	if (r < 0)
		return r;
	if (node->kind != RT_NODE_NULL) {
		settings[0].text = node->kind == RT_NODE_SCALAR
					   ? node->text
					   : join(parse->reader, node);
		if (!settings[0].text)
			parse->reader->out_of_memory = true;
	}
	memcpy(ret_settings, settings, width_of(parse->row) * sizeof(*settings));
	return 0;
}

/* The knobs of one choice replace each other from file to file. */
static void clear_choice(struct rt_reader *reader, const struct rt_param *chosen,
			 const struct rt_position *position)
{
	for (size_t i = 0; chosen->choice && i < rt_param_count; i++) {
		const struct rt_param *row = &rt_params[i];
		struct rt_setting *other;

		if (row == chosen || row->choice != chosen->choice)
			continue;
		other = rt_param_setting(reader->profile, row, position->class_index,
					 position->role);
		if (other->layer < reader->layer || row->choice == RT_CHOICE_CAP)
			*other = (struct rt_setting){ 0 };
	}
}

static struct rt_pairs *pairs_of(struct rt_profile *profile, const struct rt_param *row)
{
	return (struct rt_pairs *)((char *)profile + row->offset);
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* The setting of a key the user chose; NULL when there are too many. */
static struct rt_setting *pair_setting(struct rt_reader *reader,
				       const struct rt_param *row,
				       const struct rt_position *position,
				       const struct rt_node *node)
{
	struct rt_pairs *pairs = pairs_of(reader->profile, row);
	const struct rt_place place = rt_reader_key_place(reader, node);

	for (size_t i = 0; i < pairs->count; i++)
		if (same_text(pairs->items[i].group, position->group) &&
		    same_text(pairs->items[i].name, position->name))
			return &pairs->items[i].value;
	if (pairs->count == RT_PAIR_MAX) {
		rt_reader_tell(reader, RT_COMPLAINT_RANGE, &place,
			       "more than %d entries", RT_PAIR_MAX);
		return NULL;
	}
	pairs->items[pairs->count] = (struct rt_pair){ .group = position->group,
						       .name = position->name };
	return &pairs->items[pairs->count++].value;
}

static void store(struct rt_reader *reader, const struct rt_param *row,
		  const struct rt_position *position, const struct rt_node *node,
		  const struct rt_setting *settings)
{
	struct rt_setting *to = row->type == RT_PARAM_PAIRS
					? pair_setting(reader, row, position, node)
					: rt_param_setting(reader->profile, row,
							   position->class_index,
							   position->role);

	if (!to)
		return;
	clear_choice(reader, row, position);
	memcpy(to, settings, width_of(row) * sizeof(*settings));
	if (row->type == RT_PARAM_PAIRS && to->state == RT_SETTING_VALUE)
		rt_unit_parse(RT_UNIT_NONE, to->text, &to->number, NULL);
}

void rt_reader_set(struct rt_reader *reader, const struct rt_position *position,
		   const struct rt_node *node)
{
	struct rt_place place;
	struct refusal first = { 0 };
	bool refused = false;

	if (rt_reader_is_full(reader))
		return;
	for (size_t i = 0; i < rt_param_count; i++) {
		struct rt_setting settings[RT_BUFFER_COUNT] = { 0 };
		struct refusal refusal = { 0 };
		const struct parse parse = { reader, &rt_params[i], node, &refusal };

		if (strcmp(rt_params[i].path, position->pattern) != 0)
			continue;
		if (parse_row(&parse, settings) == 0) {
			store(reader, &rt_params[i], position, node, settings);
			return;
		}
		/* Of two ways to write it, "out of range" understood the value. */
		if (!refused || refusal.kind == RT_COMPLAINT_RANGE)
			first = refusal;
		refused = true;
	}
	place = rt_reader_place(reader, first.at ? first.at : node);
	rt_reader_tell(reader, first.kind, &place, "%s: %s",
		       node->key ? node->key : position->pattern, first.why);
}
