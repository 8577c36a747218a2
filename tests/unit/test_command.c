/* SPDX-License-Identifier: BSD-2-Clause */
/* The command table and the parser that is driven by it. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "model/finding.h"
#include "rocetune/err.h"
#include "rocetune/field.h"

struct sample {
	bool flag, other;
	const char *file;
	struct rt_opt_u64 speed_bps;
	unsigned colour;
};

static const struct rt_name colours[] = { { "red", 1, "" }, { "blue", 2, "" }, { 0 } };

static const struct rt_option rows[] = {
	{ .name = "flag",
	  .letter = 'f',
	  .type = RT_OPTION_FLAG,
	  .offset = offsetof(struct sample, flag),
	  .help = "h" },
	{ .name = "other",
	  .letter = 'o',
	  .type = RT_OPTION_FLAG,
	  .offset = offsetof(struct sample, other),
	  .help = "h" },
	{ .name = "file",
	  .letter = 'F',
	  .arg = "FILE",
	  .type = RT_OPTION_TEXT,
	  .offset = offsetof(struct sample, file),
	  .help = "h" },
	{ .name = "speed",
	  .arg = "RATE",
	  .type = RT_OPTION_QUANTITY,
	  .unit = RT_UNIT_BPS,
	  .offset = offsetof(struct sample, speed_bps),
	  .help = "h" },
	{ .name = "colour",
	  .arg = "NAME",
	  .type = RT_OPTION_ENUM,
	  .names = colours,
	  .offset = offsetof(struct sample, colour),
	  .help = "h" },
};

static const struct rt_command sample_command = {
	.name = "sample",
	RT_OPTIONS(rows, sample),
	.max_operands = -1,
};

static int parse(char *line, struct sample *sample, struct rt_common *common,
		 char **argv, int *operands, struct rt_err *err)
{
	int argc = 0;

	for (char *word = strtok(line, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	*sample = (struct sample){ 0 };
	*common = (struct rt_common){ 0 };
	return rt_options_parse(&sample_command, sample, common, argc, argv, operands,
				err);
}

static void test_options_take_every_spelling(void **state)
{
	char line[] =
		"x -fo a --speed=100G --file f1 b -Ff2 --colour blue --json -- --c";
	char *argv[32];
	struct sample sample;
	struct rt_common common;
	int operands = 0;

	(void)state;
	assert_int_equal(parse(line, &sample, &common, argv, &operands, NULL), 0);
	assert_true(sample.flag && sample.other && common.json);
	assert_string_equal(sample.file, "f2");
	assert_true(sample.speed_bps.known && sample.speed_bps.value == 100000000000);
	assert_int_equal(sample.colour, 2);
	assert_int_equal(operands, 3);
	assert_string_equal(argv[0], "a");
	assert_string_equal(argv[1], "b");
	assert_string_equal(argv[2], "--c");
}

static void test_options_refuse_and_suggest(void **state)
{
	static const struct {
		const char *line, *message;
	} cases[] = {
		{ "x --flug", "did you mean --flag?" },
		{ "x --spe 100G", "unknown option '--spe'" },
		{ "x --speed", "--speed wants a value: RATE" },
		{ "x --speed 100Q", "--speed: '100Q' is not a rate" },
		{ "x --flag=1", "--flag takes no value" },
		{ "x --colour green", "--colour takes one of red, blue, not 'green'" },
		{ "x -F", "-F wants a value: FILE" },
		{ "x -fz", "unknown option '-fz'" },
		{ "x --fail-on often", "--fail-on takes one of error, warn, unknown" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		char line[64], *argv[32];
		struct sample sample;
		struct rt_common common;
		struct rt_err err = { 0 };
		int operands;

		snprintf(line, sizeof(line), "%s", cases[i].line);
		assert_int_equal(parse(line, &sample, &common, argv, &operands, &err),
				 -EINVAL);
		print_message("# %s: %s\n", cases[i].line, err.msg);
		assert_non_null(strstr(err.msg, cases[i].message));
	}
}

static void check_row(const struct rt_command *row)
{
	assert_non_null(row->summary);
	assert_true(row->run || row->subs);
	assert_true(row->subs || row->operands || row->max_operands == 0);
	for (size_t i = 0; i < row->option_count; i++) {
		const struct rt_option *option = &row->options[i];

		assert_non_null(option->help);
		assert_true((option->type == RT_OPTION_FLAG) == !option->arg);
		assert_true((option->type == RT_OPTION_ENUM) == !!option->names);
		assert_true(option->offset < row->options_bytes);
		for (size_t j = 0; j < rt_common_option_count; j++) {
			assert_string_not_equal(option->name,
						rt_common_options[j].name);
			assert_true(!option->letter ||
				    option->letter != rt_common_options[j].letter);
		}
		for (size_t j = 0; j < i; j++) {
			assert_string_not_equal(option->name, row->options[j].name);
			assert_true(!option->letter ||
				    option->letter != row->options[j].letter);
		}
	}
}

static void test_commands_keep_the_rules_of_their_table(void **state)
{
	(void)state;
	rt_command_for_each(row)
	{
		check_row(row);
		for (const struct rt_command *sub = row->subs; sub && sub->name; sub++)
			check_row(sub);
	}
}

static void test_verdict_follows_fail_on(void **state)
{
	static const struct rt_rule rule = { .id = "x", .severity = RT_SEVERITY_WARN };
	struct rt_findings findings = { 0 };
	struct rt_cmd cmd = { .common.fail_on = RT_SEVERITY_ERROR };

	(void)state;
	assert_int_equal(rt_cmd_verdict(&cmd, &findings), RT_EXIT_OK);
	rt_findings_add(&findings, &rule, "here", "%d of %d", 1, 2);
	assert_string_equal(findings.items[0].evidence, "1 of 2");
	assert_int_equal(rt_cmd_verdict(&cmd, &findings), RT_EXIT_OK);
	cmd.common.fail_on = RT_SEVERITY_WARN;
	assert_int_equal(rt_cmd_verdict(&cmd, &findings), RT_EXIT_FINDINGS);
	rt_findings_free(&findings);
}

/* Three places of one rule are shown, of more the rest is counted; --all shows all. */
static void test_findings_of_one_rule_are_few(void **state)
{
	static const struct rt_rule rule = { .id = "x",
					     .severity = RT_SEVERITY_WARN,
					     .title = "odd",
					     .explain = "because",
					     .remedy = "mend" };
	static const struct {
		unsigned count;
		bool all;
		const char *more; /* NULL: none is left out */
	} cases[] = { { 3, false, NULL },
		      { 4, false, "and 1 more" },
		      { 9, false, "and 6 more" },
		      { 9, true, NULL } };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_findings findings = { 0 };
		char text[4096], last[32];
		struct rt_cmd cmd = { .out = fmemopen(text, sizeof(text), "w"),
				      .common.all = cases[i].all };

		assert_non_null(cmd.out);
		for (unsigned f = 1; f <= cases[i].count; f++)
			rt_findings_add(&findings, &rule, "", "place %u", f);
		rt_cmd_show_findings(&cmd, &findings);
		fclose(cmd.out);
		snprintf(last, sizeof(last), "place %u\n", cases[i].count);
		if (cases[i].more)
			assert_non_null(strstr(text, cases[i].more));
		else
			assert_null(strstr(text, " more"));
		assert_int_equal(strstr(text, last) != NULL, !cases[i].more);
		assert_int_equal(strstr(text, "because") != NULL, cases[i].all);
		rt_findings_free(&findings);
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_options_take_every_spelling),
	     cmocka_unit_test(test_options_refuse_and_suggest),
	     cmocka_unit_test(test_commands_keep_the_rules_of_their_table),
	     cmocka_unit_test(test_verdict_follows_fail_on),
	     cmocka_unit_test(test_findings_of_one_rule_are_few))
