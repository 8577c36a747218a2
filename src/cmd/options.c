/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/options.h"

#include <errno.h>
#include <string.h>

#include "model/finding.h"
#include "rocetune/err.h"
#include "rocetune/field.h"

static const struct rt_name fail_on_names[] = {
	{ "error", RT_SEVERITY_ERROR, "only errors" },
	{ "warn", RT_SEVERITY_WARN, "warnings too" },
	{ "unknown", RT_SEVERITY_UNKNOWN, "also what could not be judged" },
	{ 0 },
};

const struct rt_option rt_common_options[] = {
	{ .name = "json",
	  .type = RT_OPTION_FLAG,
	  .offset = offsetof(struct rt_common, json),
	  .help = "write JSON for machines" },
	{ .name = "all",
	  .letter = 'a',
	  .type = RT_OPTION_FLAG,
	  .offset = offsetof(struct rt_common, all),
	  .help = "show every field and every row in text" },
	{ .name = "fail-on",
	  .arg = "LEVEL",
	  .type = RT_OPTION_ENUM,
	  .offset = offsetof(struct rt_common, fail_on),
	  .names = fail_on_names,
	  .help = "exit with 1 from this severity on: error (default), warn, unknown" },
	{ .name = "help",
	  .letter = 'h',
	  .type = RT_OPTION_FLAG,
	  .offset = offsetof(struct rt_common, help),
	  .help = "show this help" },
};

const size_t rt_common_option_count = sizeof(rt_common_options) /
				      sizeof(rt_common_options[0]);

/* Where a row's value lives. */
struct target {
	const struct rt_option *row;
	void *base;
};

struct parse {
	const struct rt_command *command;
	void *options;
	struct rt_common *common;
	struct rt_err *err;
};

static bool name_matches(const struct rt_option *row, const char *name, size_t bytes)
{
	return strlen(row->name) == bytes && memcmp(row->name, name, bytes) == 0;
}

static struct target find_long(const struct parse *parse, const char *name,
			       size_t bytes)
{
	for (size_t i = 0; i < parse->command->option_count; i++)
		if (name_matches(&parse->command->options[i], name, bytes))
			return (struct target){ &parse->command->options[i],
						parse->options };
	for (size_t i = 0; i < rt_common_option_count; i++)
		if (name_matches(&rt_common_options[i], name, bytes))
			return (struct target){ &rt_common_options[i], parse->common };
	return (struct target){ 0 };
}

static struct target find_letter(const struct parse *parse, char letter)
{
	for (size_t i = 0; i < parse->command->option_count; i++)
		if (parse->command->options[i].letter == letter)
			return (struct target){ &parse->command->options[i],
						parse->options };
	for (size_t i = 0; i < rt_common_option_count; i++)
		if (rt_common_options[i].letter == letter)
			return (struct target){ &rt_common_options[i], parse->common };
	return (struct target){ 0 };
}

static int unknown_option(const struct parse *parse, const char *word)
{
	const char *names[64];
	const char *near;
	char bare[64];
	size_t count = 0;

	for (size_t i = 0; i < parse->command->option_count && count < 60; i++)
		names[count++] = parse->command->options[i].name;
	for (size_t i = 0; i < rt_common_option_count && count < 64; i++)
		names[count++] = rt_common_options[i].name;
	strncpy(bare, word + strspn(word, "-"), sizeof(bare) - 1);
	bare[sizeof(bare) - 1] = '\0';
	bare[strcspn(bare, "=")] = '\0';
	near = rt_text_nearest(bare, names, count);
	if (near)
		return rt_err_set(parse->err, -EINVAL,
				  "unknown option '%s': did you mean --%s?", word,
				  near);
	return rt_err_set(parse->err, -EINVAL, "unknown option '%s'", word);
}

static int set_enum(const struct target *to, const char *value, struct rt_err *err)
{
	const struct rt_name *name = rt_name_find(to->row->names, value);
	char list[200] = "";

	if (name) {
		*(unsigned *)((char *)to->base + to->row->offset) = name->value;
		return 0;
	}
	for (name = to->row->names; name->name; name++) {
		strncat(list, *list ? ", " : "", sizeof(list) - strlen(list) - 1);
		strncat(list, name->name, sizeof(list) - strlen(list) - 1);
	}
	return rt_err_set(err, -EINVAL, "--%s takes one of %s, not '%s'", to->row->name,
			  list, value);
}

static int set_quantity(const struct target *to, const char *value, struct rt_err *err)
{
	const struct rt_option *row = to->row;
	char least[RT_UNIT_TEXT_BYTES], most[RT_UNIT_TEXT_BYTES];
	struct rt_opt_u64 number = { .known = true };
	struct rt_err why = { 0 };

	if (rt_unit_parse(row->unit, value, &number.value, &why) < 0)
		return rt_err_set(err, -EINVAL, "--%s: %s", row->name, why.msg);
	rt_unit_format_exact(row->unit, row->min, least);
	if (number.value < row->min)
		return rt_err_set(err, -EINVAL, "--%s: %s is too little: %s at least",
				  row->name, value, least);
	if (row->max && number.value > row->max)
		return rt_err_set(err, -EINVAL, "--%s: %s is too much: %s at most",
				  row->name, value,
				  rt_unit_format_exact(row->unit, row->max, most));
	*(struct rt_opt_u64 *)((char *)to->base + row->offset) = number;
	return 0;
}

static int set_value(const struct target *to, const char *value, struct rt_err *err)
{
	void *at = (char *)to->base + to->row->offset;

	switch (to->row->type) {
	case RT_OPTION_FLAG: *(bool *)at = true; return 0;
	case RT_OPTION_TEXT: *(const char **)at = value; return 0;
	case RT_OPTION_ENUM: return set_enum(to, value, err);
	case RT_OPTION_QUANTITY: return set_quantity(to, value, err);
	}
	return 0;
}

/* --name, --name=value, --name value.  *ret_used: arguments eaten. */
static int take_long(const struct parse *parse, int left, char **argv, int *ret_used)
{
	const char *word = argv[0] + 2;
	const size_t bytes = strcspn(word, "=");
	const struct target to = find_long(parse, word, bytes);
	const char *value = word[bytes] == '=' ? word + bytes + 1 : NULL;

	*ret_used = 1;
	if (!to.row)
		return unknown_option(parse, argv[0]);
	if (to.row->type == RT_OPTION_FLAG) {
		if (value)
			return rt_err_set(parse->err, -EINVAL, "--%s takes no value",
					  to.row->name);
	} else if (!value) {
		if (left < 2)
			return rt_err_set(parse->err, -EINVAL, "--%s wants a value: %s",
					  to.row->name, to.row->arg);
		value = argv[1];
		*ret_used = 2;
	}
	return set_value(&to, value, parse->err);
}

/* -a, -abc, -o value, -ovalue. */
static int take_letters(const struct parse *parse, int left, char **argv, int *ret_used)
{
	*ret_used = 1;
	for (const char *at = argv[0] + 1; *at; at++) {
		const struct target to = find_letter(parse, *at);
		const char *value = at + 1;
		int r;

		if (!to.row)
			return unknown_option(parse, argv[0]);
		if (to.row->type == RT_OPTION_FLAG) {
			r = set_value(&to, NULL, parse->err);
			if (r < 0)
				return r;
			continue;
		}
		if (!*value) {
			if (left < 2)
				return rt_err_set(parse->err, -EINVAL,
						  "-%c wants a value: %s", *at,
						  to.row->arg);
			value = argv[1];
			*ret_used = 2;
		}
		return set_value(&to, value, parse->err);
	}
	return 0;
}

int rt_options_parse(const struct rt_command *command, void *options,
		     struct rt_common *common, int argc, char **argv, int *ret_operands,
		     struct rt_err *err)
{
	const struct parse parse = { command, options, common, err };
	int operands = 0;

	for (int i = 1, used = 1; i < argc; i += used) {
		const char *word = argv[i];
		int r = 0;

		used = 1;
		if (strcmp(word, "--") == 0) {
			for (i++; i < argc; i++)
				argv[operands++] = argv[i];
			break;
		}
		if (word[0] != '-' || !word[1]) {
			argv[operands++] = argv[i];
			while (command->options_first && ++i < argc)
				argv[operands++] = argv[i];
		} else if (word[1] == '-') {
			r = take_long(&parse, argc - i, argv + i, &used);
		} else {
			r = take_letters(&parse, argc - i, argv + i, &used);
		}
		if (r < 0)
			return r;
	}
	/* As exec() wants it; the command's own name is no operand, so there is room. */
	argv[operands] = NULL;
	*ret_operands = operands;
	return 0;
}
