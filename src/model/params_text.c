/* SPDX-License-Identifier: BSD-2-Clause */
/* params_text.c - walking, writing and comparing settings by their rows. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/params.h"

static const struct rt_pairs *pairs_of(const struct rt_profile *profile,
				       const struct rt_param *row)
{
	return (const void *)((const char *)profile + row->offset);
}

/* The row's path with class, role and the user's keys written in. */
static void write_path(const struct rt_profile *profile,
		       const struct rt_param_cursor *cursor, const struct rt_param *row,
		       const struct rt_pair *pair, char path[RT_PARAM_PATH_BYTES])
{
	size_t used = 0;

	path[0] = '\0';
	for (const char *at = row->path; *at && used < RT_PARAM_PATH_BYTES - 1;) {
		const char *word = NULL;

		if (strncmp(at, "<class>", 7) == 0)
			word = profile->classes[cursor->class_index].name;
		else if (strncmp(at, "<role>", 6) == 0)
			word = rt_name_of(rt_role_names, cursor->role);
		else if (strncmp(at, "<driver>", 8) == 0)
			word = pair ? pair->group : "<driver>";
		else if (strncmp(at, "<name>", 6) == 0)
			word = pair ? pair->name : "<name>";
		if (!word) {
			path[used++] = *at++;
			path[used] = '\0';
			continue;
		}
		used += (size_t)snprintf(path + used, RT_PARAM_PATH_BYTES - used, "%s",
					 word);
		at = strchr(at, '>') + 1;
	}
	path[RT_PARAM_PATH_BYTES - 1] = '\0';
}

/* Length of the path up to its first placeholder's end; 0: there is none. */
static size_t block_bytes(const struct rt_param *row)
{
	const char *open = strchr(row->path, '<');

	if (!open || row->type == RT_PARAM_PAIRS)
		return 0;
	return (size_t)(strchr(open, '>') - row->path) + 1;
}

static bool same_block(const struct rt_param *row, size_t index, size_t bytes)
{
	return index < rt_param_count &&
	       strncmp(rt_params[index].path, row->path, bytes) == 0;
}

/*
 * Rows that begin with the same class or role form a block, walked class by
 * class (or role by role), so that what belongs together comes together.
 * True while the block goes on.
 */
static bool step_in_block(const struct rt_profile *profile,
			  struct rt_param_cursor *cursor, const struct rt_param *row,
			  size_t bytes)
{
	const bool by_class = row->path[bytes - 2] == 's'; /* <class> */
	unsigned *const inner = by_class ? &cursor->role : &cursor->class_index;
	unsigned *const outer = by_class ? &cursor->class_index : &cursor->role;
	const size_t classes = profile->class_count;

	if (by_class ? row->role_stride : row->class_stride) {
		if (++*inner < (by_class ? RT_ROLE_COUNT : classes))
			return true;
		*inner = 0;
	}
	if (same_block(row, cursor->row + 1, bytes)) {
		cursor->row++;
		return true;
	}
	if (++*outer >= (by_class ? classes : RT_ROLE_COUNT))
		return false;
	while (cursor->row > 0 && same_block(row, cursor->row - 1, bytes))
		cursor->row--;
	return true;
}

static void step(const struct rt_profile *profile, struct rt_param_cursor *cursor)
{
	const struct rt_param *row = &rt_params[cursor->row];
	const size_t bytes = block_bytes(row);

	if (row->type == RT_PARAM_PAIRS &&
	    ++cursor->pair < pairs_of(profile, row)->count)
		return;
	if (bytes && step_in_block(profile, cursor, row, bytes))
		return;
	*cursor = (struct rt_param_cursor){ .row = cursor->row + 1 };
}

static bool is_empty(const struct rt_profile *profile, const struct rt_param *row)
{
	return (row->class_stride && profile->class_count == 0) ||
	       (row->type == RT_PARAM_PAIRS && pairs_of(profile, row)->count == 0);
}

bool rt_param_next(const struct rt_profile *profile, struct rt_param_cursor *cursor,
		   struct rt_param_value *ret_value)
{
	const struct rt_param *row;
	const struct rt_pair *pair = NULL;

	while (cursor->row < rt_param_count &&
	       is_empty(profile, &rt_params[cursor->row]))
		step(profile, cursor);
	if (cursor->row >= rt_param_count)
		return false;
	row = &rt_params[cursor->row];
	if (row->type == RT_PARAM_PAIRS)
		pair = &pairs_of(profile, row)->items[cursor->pair];
	ret_value->row = row;
	ret_value->setting = pair ? &pair->value
				  : (const void *)((const char *)profile + row->offset +
						   cursor->class_index *
							   row->class_stride +
						   cursor->role * row->role_stride);
	write_path(profile, cursor, row, pair, ret_value->path);
	step(profile, cursor);
	return true;
}

static void put(char buf[RT_PARAM_TEXT_BYTES], const char *text)
{
	const size_t used = strlen(buf);

	snprintf(buf + used, RT_PARAM_TEXT_BYTES - used, "%s%s", used ? ", " : "",
		 text);
}

/* 24-31, 48 */
static void write_mask(uint64_t mask, char buf[RT_PARAM_TEXT_BYTES])
{
	char range[16];

	for (unsigned low = 0, high; low < 64; low = high + 1) {
		high = low;
		if (!(mask >> low & 1))
			continue;
		while (high < 63 && mask >> (high + 1) & 1)
			high++;
		if (high > low)
			snprintf(range, sizeof(range), "%u-%u", low, high);
		else
			snprintf(range, sizeof(range), "%u", low);
		put(buf, range);
	}
	if (!mask)
		put(buf, "none");
}

static void write_classes(const struct rt_profile *profile, uint64_t mask,
			  char buf[RT_PARAM_TEXT_BYTES])
{
	for (size_t i = 0; i < profile->class_count; i++)
		if (mask >> i & 1)
			put(buf, profile->classes[i].name);
	if (!*buf)
		put(buf, "none");
}

static void write_sizes(const struct rt_setting *settings,
			char buf[RT_PARAM_TEXT_BYTES])
{
	char text[RT_UNIT_TEXT_BYTES];

	for (unsigned i = 0; i < settings[0].times && i < RT_BUFFER_COUNT; i++)
		put(buf, rt_unit_format_exact(RT_UNIT_BYTES, settings[i].number, text));
}

static void write_number(const struct rt_param *row, const struct rt_setting *setting,
			 char buf[RT_PARAM_TEXT_BYTES])
{
	char text[RT_UNIT_TEXT_BYTES];
	const char *name;

	switch (row->type) {
	case RT_PARAM_ENUM:
		name = rt_name_of(row->names, (unsigned)setting->number);
		put(buf, name ? name : "?");
		break;
	case RT_PARAM_BOOL: put(buf, setting->number ? "yes" : "no"); break;
	case RT_PARAM_PERCENT:
		snprintf(buf, RT_PARAM_TEXT_BYTES, "%" PRIu64 "%%", setting->number);
		break;
	case RT_PARAM_BREAKOUT:
		snprintf(buf, RT_PARAM_TEXT_BYTES, "%ux%s", setting->times,
			 rt_unit_format_exact(RT_UNIT_BPS, setting->number, text));
		break;
	default:
		put(buf,
		    row->zero && setting->number == 0
			    ? row->zero
			    : rt_unit_format_exact(row->unit, setting->number, text));
	}
}

char *rt_param_format(const struct rt_profile *profile, const struct rt_param *row,
		      const struct rt_setting *setting, char buf[RT_PARAM_TEXT_BYTES])
{
	buf[0] = '\0';
	if (setting->state == RT_SETTING_UNSET)
		put(buf, "unset");
	else if (setting->state == RT_SETTING_KEEP)
		put(buf, "keep");
	else if (!rt_setting_known(setting))
		put(buf, "auto");
	else
		switch (row->type) {
		case RT_PARAM_TEXT:
		case RT_PARAM_TEXTS:
		case RT_PARAM_PAIRS: put(buf, setting->text); break;
		case RT_PARAM_DSCP: write_mask(setting->number, buf); break;
		case RT_PARAM_CLASSES:
			write_classes(profile, setting->number, buf);
			break;
		case RT_PARAM_SIZES: write_sizes(setting, buf); break;
		default: write_number(row, setting, buf);
		}
	return buf;
}

bool rt_param_equal(const struct rt_profile *a_profile, const struct rt_setting *a,
		    const struct rt_profile *b_profile, const struct rt_setting *b,
		    const struct rt_param *row)
{
	char a_text[RT_PARAM_TEXT_BYTES], b_text[RT_PARAM_TEXT_BYTES];

	if (a->state != b->state || a->computed != b->computed)
		return false;
	if (a->state == RT_SETTING_VALUE &&
	    (row->type == RT_PARAM_TEXT || row->type == RT_PARAM_TEXTS))
		return strcmp(a->text, b->text) == 0;
	return strcmp(rt_param_format(a_profile, row, a, a_text),
		      rt_param_format(b_profile, row, b, b_text)) == 0;
}

char *rt_param_expects(const struct rt_param *row, char buf[RT_PARAM_TEXT_BYTES])
{
	buf[0] = '\0';
	switch (row->type) {
	case RT_PARAM_NUMBER:
		put(buf, rt_unit_example(row->unit));
		if (row->zero)
			put(buf, row->zero);
		break;
	case RT_PARAM_PERCENT: put(buf, "a whole number of percent such as 50"); break;
	case RT_PARAM_BOOL: put(buf, "yes or no"); break;
	case RT_PARAM_ENUM:
		for (const struct rt_name *name = row->names; name->name; name++)
			put(buf, name->name);
		break;
	case RT_PARAM_TEXT: put(buf, "a text"); break;
	case RT_PARAM_TEXTS: put(buf, "a text or a list of texts"); break;
	case RT_PARAM_DSCP:
		put(buf, "DSCPs such as [26, 48] or [24-31], or rest");
		break;
	case RT_PARAM_CLASSES: put(buf, "a list of classes"); break;
	case RT_PARAM_BREAKOUT: put(buf, "a breakout such as 2x400G"); break;
	case RT_PARAM_SIZES: put(buf, "a list of at most 8 sizes"); break;
	case RT_PARAM_PAIRS: put(buf, "a word or a number"); break;
	}
	return buf;
}
