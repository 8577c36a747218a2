/* SPDX-License-Identifier: BSD-2-Clause */
/* Field tables: one struct with every kind of field, through every walker. */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/own.h"
#include "base/text.h"
#include "report/report.h"
#include "report_tree.h"
#include "rocetune/field.h"

struct part {
	uint32_t number;
	char name[16];
};

struct whole {
	bool flag;
	uint8_t small;
	uint64_t big_bytes;
	int64_t below;
	double share_pct;
	struct rt_opt_u64 maybe_ns, never_ns;
	struct rt_opt_f64 no_share;
	unsigned colour;
	const char *text, *no_text;
	uint8_t mac[6];
	struct rt_ip ip, no_ip;
	struct part inner;
	struct part *parts;
	size_t part_count;
	struct part pair[2];
	uint64_t wall_ns;
};

static const struct rt_name colours[] = { { "red", 1, "" }, { "blue", 2, "" }, { 0 } };

static const struct rt_field part_fields[] = {
	RT_FIELD(struct part, U32, number, COUNT, "a number"),
	RT_FIELD_CHARS_OF(struct part, name, "a name"),
};
static RT_TABLE(part_table, part, "part", "Parts", "A part.", part_fields);

static const struct rt_field whole_fields[] = {
	RT_FIELD(struct whole, BOOL, flag, NONE, "h"),
	RT_FIELD(struct whole, U8, small, NONE, "h", .flags = RT_FIELD_HEX),
	RT_FIELD(struct whole, U64, big_bytes, BYTES, "h"),
	RT_FIELD(struct whole, I64, below, COUNT, "h"),
	RT_FIELD(struct whole, F64, share_pct, PCT, "h"),
	RT_FIELD(struct whole, OPT_U64, maybe_ns, NS, "h"),
	RT_FIELD(struct whole, OPT_U64, never_ns, NS, "h"),
	RT_FIELD(struct whole, OPT_F64, no_share, PCT, "h"),
	RT_FIELD(struct whole, ENUM, colour, NONE, "h", .names = colours),
	RT_FIELD(struct whole, TEXT, text, NONE, "h"),
	RT_FIELD(struct whole, TEXT, no_text, NONE, "h"),
	RT_FIELD(struct whole, MAC, mac, NONE, "h"),
	RT_FIELD(struct whole, IP, ip, NONE, "h"),
	RT_FIELD(struct whole, IP, no_ip, NONE, "h"),
	RT_FIELD_STRUCT_OF(struct whole, inner, &part_table, "h"),
	RT_FIELD_LIST_OF(struct whole, parts, part_count, &part_table, "h"),
	RT_FIELD_ARRAY_OF(struct whole, pair, 2, &part_table, "h"),
	RT_FIELD(struct whole, U64, wall_ns, NS, "h", .flags = RT_FIELD_META),
};
static RT_TABLE(whole_table, whole, "whole", "The whole", "All kinds.", whole_fields);

static struct part parts[] = { { 1, "one" }, { 22, "with, \"comma\"" } };

static struct whole example(void)
{
	return (struct whole){
		.flag = true,
		.small = 0x1f,
		.big_bytes = UINT64_MAX,
		.below = -3,
		.share_pct = 12.5,
		.maybe_ns = RT_KNOWN_U64(0),
		.never_ns = { 0 },
		.colour = 2,
		.text = "bad \xff byte",
		.mac = { 2, 0, 0, 0, 0, 9 },
		.ip = { { 10, 0, 0, 1 }, 4 },
		.inner = { 5, "in" },
		.parts = parts,
		.part_count = 2,
		.wall_ns = 77,
	};
}

static const char *capture(void (*write)(FILE *to, const struct whole *object),
			   const struct whole *object)
{
	static char text[32768];
	FILE *to = fmemopen(text, sizeof(text), "w");

	assert_non_null(to);
	write(to, object);
	fclose(to);
	return text;
}

static void write_json(FILE *to, const struct whole *object)
{
	struct rt_json *json = report_tree(&whole_table, object);

	assert_int_equal(rt_json_write(json, to, NULL), 0);
	rt_json_free(json);
}

static void write_text(FILE *to, const struct whole *object)
{
	static const struct rt_report_style style = { 0 };

	rt_report_text(to, &whole_table, object, &style);
}

static void write_csv(FILE *to, const struct whole *object)
{
	rt_report_csv(to, &part_table, object->parts, object->part_count);
}

static void write_schema(FILE *to, const struct whole *object)
{
	struct rt_json *json = rt_report_schema(&whole_table);

	(void)object;
	assert_int_equal(rt_json_write(json, to, NULL), 0);
	rt_json_free(json);
}

static void expect_all(const char *text, const char *const *wanted, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!strstr(text, wanted[i]))
			print_message("# missing: %s\n# in: %s\n", wanted[i], text);
		assert_non_null(strstr(text, wanted[i]));
	}
}

static void test_json_loses_nothing(void **state)
{
	static const char *const wanted[] = {
		"\"rocetune\": 1",
		"\"kind\": \"whole\"",
		"\"flag\": true",
		"\"small\": 31",
		"\"big_bytes\": \"18446744073709551615\"",
		"\"below\": -3",
		"\"share_pct\": 12.5",
		"\"maybe_ns\": 0",
		"\"never_ns\": null",
		"\"no_share\": null",
		"\"colour\": \"blue\"",
		"\"text\": \"bad \\\\xff byte\"",
		"\"no_text\": null",
		"\"mac\": \"02:00:00:00:00:09\"",
		"\"ip\": \"10.0.0.1\"",
		"\"no_ip\": null",
		"\"name\": \"in\"",
		"\"meta\": {\n    \"wall_ns\": 77",
	};
	const struct whole object = example();
	const char *text = capture(write_json, &object);

	(void)state;
	expect_all(text, wanted, RT_ARRAY_SIZE(wanted));
}

static void write_json_parts(FILE *to, const struct whole *object)
{
	assert_int_equal(rt_report_json_write(to, &whole_table, object, 0, NULL), 0);
	fputc('\n', to);
	fflush(to);
}

/* Written piece by piece it is the same text, also where lists are empty. */
static void test_json_in_parts_is_the_same(void **state)
{
	struct whole object = example();

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		char *tree = strdup(capture(write_json, &object));

		assert_string_equal(capture(write_json_parts, &object), tree);
		free(tree);
		object.part_count = 0;
	}
}

static void test_json_turns_nan_into_null(void **state)
{
	struct whole object = example();
	const char *text;

	(void)state;
	object.share_pct = NAN;
	text = capture(write_json, &object);
	assert_non_null(strstr(text, "\"share_pct\": null"));
}

static void test_text_says_unknown_not_zero(void **state)
{
	static const char *const wanted[] = {
		"  flag      yes\n",         "  small     0x1f\n",
		"  maybe     0ns\n",         "  never     unknown\n",
		"  no share  unknown\n",     "  colour    blue\n",
		"\nParts\n  number  name\n", "      22  with, \"comma\"\n",
	};
	const struct whole object = example();
	const char *text = capture(write_text, &object);

	(void)state;
	expect_all(text, wanted, RT_ARRAY_SIZE(wanted));
	assert_null(strstr(text, "wall"));
}

static void test_text_cannot_steer_a_terminal(void **state)
{
	struct whole object = example();

	(void)state;
	object.text = "a\033[2Jb\xc2\x9b"
		      "2Jc\x9b"
		      "2Jd\xc3\xa9";
	assert_non_null(strstr(capture(write_text, &object),
			       "  text      a?[2Jb?2Jc?2Jd\xc3\xa9\n"));
}

struct wide {
	char name[16], text[64];
	uint64_t number;
};

/* A heading goes on below where that makes the table fit, and else not. */
static void test_headings_fit_into_columns(void **state)
{
	static const struct rt_field fields[] = {
		RT_FIELD_CHARS_OF(struct wide, name, "a name", .label = "whose name"),
		RT_FIELD(struct wide, U64, number, COUNT, "a number",
			 .label = "sent by it in all"),
	};
	static RT_TABLE(table, wide, "wide", "Wide", "For a narrow page.", fields);
	static const struct wide rows[] = { { "a", "", 7 }, { "b", "", 1234567 } };
	static const struct {
		unsigned columns;
		const char *text;
	} cases[] = {
		{ 79, "  whose name  sent by it in all\n"
		      "  a                           7\n"
		      "  b                     1234567\n" },
		{ 20, "  whose      sent by\n"
		      "  name         it in\n"
		      "                 all\n"
		      "  a                7\n"
		      "  b          1234567\n" },
		{ 10, "  whose name  sent by it in all\n"
		      "  a                           7\n"
		      "  b                     1234567\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct rt_report_style style = { .columns = cases[i].columns };
		size_t bytes;
		char *text = NULL;
		FILE *to = open_memstream(&text, &bytes);

		assert_non_null(to);
		rt_report_text_list(to, &table, rows, 2, &style);
		fclose(to);
		assert_string_equal(text, cases[i].text);
		free(text);
	}
}

/* A long value goes on below where it began. */
static void test_values_fit_into_columns(void **state)
{
	static const struct rt_field fields[] = {
		RT_FIELD_CHARS_OF(struct wide, name, "a name"),
		RT_FIELD_CHARS_OF(struct wide, text, "words"),
	};
	static RT_TABLE(table, wide, "wide", "Wide", "For a narrow page.", fields);
	static const struct wide row = { "a", "some words that are long", 7 };
	const struct rt_report_style style = { .columns = 20 };
	size_t bytes;
	char *text = NULL;
	FILE *to = open_memstream(&text, &bytes);

	(void)state;
	assert_non_null(to);
	rt_report_text(to, &table, &row, &style);
	fclose(to);
	assert_string_equal(text, "  name  a\n"
				  "  text  some words\n"
				  "        that are\n"
				  "        long\n");
	free(text);
}

static const struct rt_field wide_fields[] = {
	RT_FIELD_CHARS_OF(struct wide, name, "a name"),
	RT_FIELD_CHARS_OF(struct wide, text, "words"),
	RT_FIELD(struct wide, U64, number, COUNT, "a number"),
};
static RT_TABLE(wide_table, wide, "wide", "Wide", "For a narrow page.", wide_fields);

/* Cells are broken at blanks; a word, and a number, never. */
static void test_text_fits_into_columns(void **state)
{
	static const struct wide rows[] = {
		{ "a", "some words that are long, and an_unbreakable_one", 7 },
		{ "b", "short", 123456 },
	};
	static const struct {
		unsigned columns;
		const char *text;
	} cases[] = {
		{ 0,
		  "  name  text                                              number\n"
		  "  a     some words that are long, and an_unbreakable_one"
		  "       7\n"
		  "  b     short                                             "
		  "123456\n" },
		{ 36, "  name  text                  number\n"
		      "  a     some words that are        7\n"
		      "        long, and\n"
		      "        an_unbreakable_one\n"
		      "  b     short                 123456\n" },
		/* as narrow as it can be */
		{ 10, "  name  text                number\n"
		      "  a     some words that          7\n"
		      "        are long, and\n"
		      "        an_unbreakable_one\n"
		      "  b     short               123456\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct rt_report_style style = { .columns = cases[i].columns };
		size_t bytes;
		char *text = NULL;
		FILE *to = open_memstream(&text, &bytes);

		assert_non_null(to);
		rt_report_text_list(to, &wide_table, rows, 2, &style);
		fclose(to);
		assert_string_equal(text, cases[i].text);
		free(text);
	}
}

/* Blanks of a drawing are part of it, those between words make no lines. */
static void test_blanks_make_no_lines(void **state)
{
	static const struct rt_field fields[] = {
		RT_FIELD_CHARS_OF(struct wide, name, "drawn", .flags = RT_FIELD_WHOLE),
		RT_FIELD_CHARS_OF(struct wide, text, "words"),
		RT_FIELD(struct wide, U64, number, COUNT, "a number"),
	};
	static RT_TABLE(table, wide, "wide", "Wide", "For a narrow page.", fields);
	static const struct wide row = { "#  *   ", "some    words  ", 7 };
	const struct rt_report_style style = { .columns = 24 };
	size_t bytes;
	char *text = NULL;
	FILE *to = open_memstream(&text, &bytes);

	(void)state;
	assert_non_null(to);
	rt_report_text_list(to, &table, &row, 1, &style);
	fclose(to);
	assert_string_equal(text, "  name     text   number\n"
				  "  #  *     some        7\n"
				  "           words\n");
	free(text);
}

static void test_csv_quotes(void **state)
{
	const struct whole object = example();
	const char *text = capture(write_csv, &object);

	(void)state;
	assert_string_equal(text,
			    "number,name\r\n1,one\r\n22,\"with, \"\"comma\"\"\"\r\n");
}

static void test_csv_quotes_whatever_needs_it(void **state)
{
	static struct part odd[] = { { 1, "a\"b" }, { 2, "a\nb" }, { 3, "a\rb" } };
	const struct whole object = { .parts = odd, .part_count = 3 };
	const char *text = capture(write_csv, &object);

	(void)state;
	/* A row is a line, and steers no terminal. */
	assert_string_equal(text, "number,name\r\n1,\"a\"\"b\"\r\n2,a?b\r\n3,a?b\r\n");
}

/* What may be unknown may be null, and nothing else. */
static void test_schema_says_what_may_be_null(void **state)
{
	static const struct {
		const char *name;
		bool may;
	} cases[] = {
		{ "maybe_ns", true }, { "no_share", true }, { "share_pct", true },
		{ "text", true },     { "ip", true },       { "big_bytes", false },
		{ "flag", false },    { "colour", false },  { "mac", false },
	};
	const struct whole object = example();
	const char *text = capture(write_schema, &object);

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		char key[64];
		const char *at, *null;

		snprintf(key, sizeof(key), "\"%s\": {", cases[i].name);
		at = strstr(text, key);
		assert_non_null(at);
		null = strstr(at, "\"null\"");
		print_message("# %s\n", cases[i].name);
		assert_int_equal(null && null < strstr(at, "\"description\""),
				 cases[i].may);
	}
}

static void test_schema_names_every_field(void **state)
{
	const struct whole object = example();
	const char *text = capture(write_schema, &object);

	(void)state;
	for (size_t i = 0; i < whole_table.count; i++) {
		char name[64];

		snprintf(name, sizeof(name), "\"%s\": {", whole_fields[i].name);
		assert_non_null(strstr(text, name));
	}
	assert_non_null(strstr(text, "\"additionalProperties\": false"));
}

static void test_tables_keep_their_rules(void **state)
{
	(void)state;
	rt_table_check(&whole_table);
}

RT_UNIT_MAIN(cmocka_unit_test(test_json_loses_nothing),
	     cmocka_unit_test(test_json_in_parts_is_the_same),
	     cmocka_unit_test(test_json_turns_nan_into_null),
	     cmocka_unit_test(test_text_says_unknown_not_zero),
	     cmocka_unit_test(test_text_cannot_steer_a_terminal),
	     cmocka_unit_test(test_text_fits_into_columns),
	     cmocka_unit_test(test_blanks_make_no_lines),
	     cmocka_unit_test(test_headings_fit_into_columns),
	     cmocka_unit_test(test_values_fit_into_columns),
	     cmocka_unit_test(test_csv_quotes),
	     cmocka_unit_test(test_csv_quotes_whatever_needs_it),
	     cmocka_unit_test(test_schema_says_what_may_be_null),
	     cmocka_unit_test(test_schema_names_every_field),
	     cmocka_unit_test(test_tables_keep_their_rules))
