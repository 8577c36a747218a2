/* SPDX-License-Identifier: BSD-2-Clause */
/* Records: what is written comes back the same, and nothing else is taken. */
#include "unit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/doc.h"
#include "base/json.h"
#include "base/own.h"
#include "base/record.h"
#include "rocetune/err.h"
#include "rocetune/field.h"

struct part {
	uint32_t number;
	char name[8];
};

struct whole {
	bool flag;
	uint8_t small;
	uint16_t port;
	uint64_t big_bytes;
	int64_t below;
	double share_pct;
	struct rt_opt_u64 maybe_ns;
	struct rt_opt_f64 ratio;
	unsigned colour;
	const char *text;
	uint8_t mac[6];
	struct rt_ip ip;
	struct part inner;
	struct part *parts;
	size_t part_count;
	struct part pair[2];
	uint8_t by_prio[8];
	uint8_t by_class[3];
	uint64_t *rates;
	size_t rate_count;
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
	RT_FIELD(struct whole, U8, small, NONE, "h"),
	RT_FIELD(struct whole, U16, port, NONE, "h"),
	RT_FIELD(struct whole, U64, big_bytes, BYTES, "h"),
	RT_FIELD(struct whole, I64, below, COUNT, "h"),
	RT_FIELD(struct whole, F64, share_pct, PCT, "h"),
	RT_FIELD(struct whole, OPT_U64, maybe_ns, NS, "h"),
	RT_FIELD(struct whole, OPT_F64, ratio, NONE, "h"),
	RT_FIELD(struct whole, ENUM, colour, NONE, "h", .names = colours),
	RT_FIELD(struct whole, TEXT, text, NONE, "h"),
	RT_FIELD(struct whole, MAC, mac, NONE, "h"),
	RT_FIELD(struct whole, IP, ip, NONE, "h"),
	RT_FIELD_STRUCT_OF(struct whole, inner, &part_table, "h"),
	RT_FIELD_LIST_OF(struct whole, parts, part_count, &part_table, "h"),
	RT_FIELD_ARRAY_OF(struct whole, pair, 2, &part_table, "h",
			  .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD_ARRAY_OF(struct whole, by_prio, 8, &rt_plain_u8, "h"),
	RT_FIELD_ARRAY_OF(struct whole, by_class, 3, &rt_plain_u8, "h",
			  .flags = RT_FIELD_MAYBE),
	RT_FIELD_LIST_OF(struct whole, rates, rate_count, &rt_plain_u64, "h"),
	RT_FIELD(struct whole, U64, wall_ns, NS, "h", .flags = RT_FIELD_META),
};
static RT_TABLE(whole_table, whole, "whole", "Whole", "All kinds.", whole_fields);

static struct rt_doc *parse(const char *text)
{
	struct rt_doc *doc = NULL;
	struct rt_err err = { 0 };

	if (rt_doc_parse_all("f", text, strlen(text), &doc, &err) < 0)
		fail_msg("%s", err.msg);
	return doc;
}

/* As text; the caller frees it. */
static char *write_json(struct rt_json *json)
{
	char *text = NULL;
	size_t bytes;
	FILE *to = open_memstream(&text, &bytes);

	assert_int_equal(rt_json_write(json, to, NULL), 0);
	fclose(to);
	rt_json_free(json);
	return text;
}

static void check_same(const struct whole *a, const struct whole *b)
{
	assert_int_equal(a->flag, b->flag);
	assert_int_equal(a->small, b->small);
	assert_int_equal(a->port, b->port);
	assert_true(a->big_bytes == b->big_bytes && a->below == b->below);
	assert_true(a->share_pct == b->share_pct);
	assert_int_equal(a->maybe_ns.known, b->maybe_ns.known);
	assert_true(a->maybe_ns.value == b->maybe_ns.value);
	assert_int_equal(a->ratio.known, b->ratio.known);
	assert_int_equal(a->colour, b->colour);
	assert_string_equal(a->text, b->text);
	assert_memory_equal(a->mac, b->mac, 6);
	assert_memory_equal(&a->ip, &b->ip, sizeof(a->ip));
	assert_memory_equal(&a->inner, &b->inner, sizeof(a->inner));
	assert_int_equal(a->part_count, b->part_count);
	assert_memory_equal(a->parts, b->parts, a->part_count * sizeof(*a->parts));
	assert_memory_equal(a->pair, b->pair, sizeof(a->pair));
	assert_memory_equal(a->by_prio, b->by_prio, 8);
	assert_int_equal(a->rate_count, b->rate_count);
	assert_memory_equal(a->rates, b->rates, a->rate_count * sizeof(*a->rates));
}

static void test_record_comes_back_as_it_went(void **state)
{
	struct part parts[] = { { 7, "one" }, { UINT32_MAX, "" } };
	uint64_t rates[] = { 0, UINT64_MAX, INT64_MAX };
	const struct whole whole = { .flag = true,
				     .small = 255,
				     .port = 65535,
				     .big_bytes = UINT64_MAX,
				     .below = INT64_MIN,
				     .share_pct = 0.125,
				     .maybe_ns = RT_KNOWN_U64(0),
				     .colour = 2,
				     .text = "line\n\"quoted\" 12",
				     .mac = { 2, 0, 0xab, 0xcd, 0xef, 255 },
				     .ip = { { 0xfe, 0x80, [15] = 1 }, 6 },
				     .inner = { 3, "1234567" },
				     .parts = parts,
				     .part_count = 2,
				     .pair = { { 1, "a" }, { 2, "b" } },
				     .by_prio = { 1, 2, 3, 4, 5, 6, 7, 8 },
				     .rates = rates,
				     .rate_count = 3,
				     .wall_ns = 99 };

	(void)state;
	for (int envelope = 0; envelope < 2; envelope++) {
		struct whole back;
		struct rt_err err = { 0 };
		char *text = write_json(
			envelope ? rt_record_envelope(&whole_table, &whole)
				 : rt_record_json(&whole_table, &whole));
		RT_AUTO(rt_auto_doc_free) struct rt_doc *doc = parse(text);

		if (envelope)
			rt_record_read_envelope(doc, &whole_table, &back, &err);
		else
			rt_record_read(doc, doc->root, &whole_table, &back, &err);
		assert_string_equal(err.msg, "");
		check_same(&whole, &back);
		assert_int_equal(back.wall_ns, 99);
		rt_record_free(&whole_table, &back);
		free(text);
	}
}

#define REST                                                                      \
	"\"small\":1,\"port\":2,\"big_bytes\":3,\"below\":-1,\"colour\":\"red\"," \
	"\"mac\":\"02:00:00:00:00:01\",\"inner\":{\"number\":1},"                 \
	"\"by_prio\":[0,1,2,3,4,5,6,7],\"wall_ns\":1"

static void test_record_leaves_out_what_may_be(void **state)
{
	struct whole whole = { .colour = 1 }, back;

	(void)state;
	for (uint8_t i = 0; i < 2; i++) {
		struct rt_err err = { 0 };
		char *text;

		whole.by_class[2] = i;
		text = write_json(rt_record_json(&whole_table, &whole));
		RT_AUTO(rt_auto_doc_free) struct rt_doc *doc = parse(text);

		assert_int_equal(strstr(text, "by_class") != NULL, i);
		assert_non_null(strstr(text, "by_prio"));
		assert_int_equal(
			rt_record_read(doc, doc->root, &whole_table, &back, &err), 0);
		assert_int_equal(back.by_class[2], i);
		rt_record_free(&whole_table, &back);
		free(text);
	}
}

static void test_record_absent_is_unknown_or_refused(void **state)
{
	struct whole back;
	struct rt_err err = { 0 };
	RT_AUTO(rt_auto_doc_free)
	struct rt_doc *good = parse("{\"flag\":true," REST "}");
	RT_AUTO(rt_auto_doc_free) struct rt_doc *bad = parse("{" REST "}");

	(void)state;
	assert_int_equal(rt_record_read(good, good->root, &whole_table, &back, &err),
			 0);
	assert_true(isnan(back.share_pct) && !back.maybe_ns.known && !back.ratio.known);
	assert_null(back.text);
	assert_int_equal(back.ip.version, 0);
	assert_int_equal(back.part_count, 0);
	assert_null(back.parts);
	assert_int_equal(back.pair[1].number, 0);
	assert_string_equal(back.inner.name, "");

	memset(&back, 0x5a, sizeof(back));
	assert_int_equal(rt_record_read(bad, bad->root, &whole_table, &back, &err),
			 -EINVAL);
	assert_string_equal(err.msg, "f:1:1: has no key 'flag'");
	assert_int_equal(back.small, 0x5a); /* untouched */
}

static void test_record_refuses(void **state)
{
	static const struct {
		const char *json, *says;
	} cases[] = {
		{ "[]", "wants a map" },
		{ "{\"flagg\":true}", "1:3: unknown key 'flagg' in whole: did you mean "
				      "'flag'?" },
		{ "{\"flag\":\"true\"}", "flag: wants true or false" },
		{ "{\"flag\":null}", "flag: wants true or false, not" },
		{ "{\"small\":256}",
		  "1:10: small: wants a number from 0 to 255, not 256" },
		{ "{\"small\":-1}", "small: wants" },
		{ "{\"small\":\"1\"}", "small: wants" },
		{ "{\"small\":1.0}", "small: wants" },
		{ "{\"small\":[1]}",
		  "small: wants a number from 0 to 255, not a list" },
		{ "{\"port\":65536}", "port: wants" },
		{ "{\"big_bytes\":18446744073709551616}", "big_bytes: wants" },
		{ "{\"below\":9223372036854775808}", "below: wants" },
		{ "{\"below\":0x10}", "below: wants" },
		{ "{\"share_pct\":1e999}", "share_pct: wants" },
		{ "{\"share_pct\":\"nan\"}", "share_pct: wants" },
		{ "{\"colour\":\"blu\"}", "no such word 'blu': did you mean 'blue'?" },
		{ "{\"text\":[]}", "text: wants text" },
		{ "{\"mac\":\"02:00:00:00:00\"}", "mac: wants an address" },
		{ "{\"mac\":\"02:00:00:00:00:0g\"}", "mac: wants an address" },
		{ "{\"mac\":\"02:00:00:00-00:01\"}", "mac: wants an address" },
		{ "{\"ip\":\"1.2.3\"}", "ip: wants an IP address" },
		{ "{\"inner\":[]}", "part: wants a map" },
		{ "{\"inner\":{\"name\":\"12345678\"}}", "name: longer than 7 bytes" },
		{ "{\"inner\":{}}", "has no key 'number'" },
		{ "{\"parts\":{}}", "parts: wants a list" },
		{ "{\"parts\":[{\"number\":1},{\"number\":\"x\"}]}",
		  "1:35: number: wants" },
		{ "{\"parts\":[{\"number\":1}],\"parts\":[{\"number\":1}]}",
		  "the key 'parts' stands twice" },
		{ "{\"pair\":[{\"number\":1}]}", "pair: wants 2 elements, not 1" },
		{ "{\"by_prio\":[1,2,3]}", "by_prio: wants 8 elements, not 3" },
		{ "{\"by_prio\":[1,2,3,4,5,6,7,300]}", "value: wants a number" },
		{ "{\"rates\":[null]}", "value: wants a number" },
		{ "{\"text\":\"kept\",\"parts\":[{\"number\":1}],\"zzz\":1}",
		  "unknown key 'zzz' in whole" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		RT_AUTO(rt_auto_doc_free) struct rt_doc *doc = parse(cases[i].json);
		struct rt_err err = { 0 };
		struct whole back;

		assert_int_equal(
			rt_record_read(doc, doc->root, &whole_table, &back, &err),
			-EINVAL);
		if (!strstr(err.msg, cases[i].says))
			fail_msg("%s: '%s' lacks '%s'", cases[i].json, err.msg,
				 cases[i].says);
	}
}

static void test_record_list_is_bounded(void **state)
{
	const size_t count = RT_RECORD_MAX_ITEMS + 1;
	char *text = calloc(count + 2, 3), *at = text;
	struct rt_err err = { 0 };
	struct whole back;
	struct rt_doc *doc;

	(void)state;
	at += sprintf(at, "{\"rates\":[0");
	for (size_t i = 1; i < count; i++)
		at += sprintf(at, ",0");
	strcpy(at, "]}");
	doc = parse(text);
	assert_int_equal(rt_record_read(doc, doc->root, &whole_table, &back, &err),
			 -EINVAL);
	assert_non_null(strstr(err.msg, "rates: 65537 elements are too many"));
	rt_doc_free(doc);
	free(text);
}

static void test_record_envelope_is_checked(void **state)
{
	static const struct {
		const char *json, *says;
	} cases[] = {
		{ "[]", "not a file of rocetune" },
		{ "{\"kind\":\"whole\"}", "not a file of rocetune" },
		{ "{\"rocetune\":2,\"kind\":\"whole\"}", "another version" },
		{ "{\"rocetune\":1,\"kind\":\"part\"}", "kind 'part', wanted 'whole'" },
		{ "{\"rocetune\":1,\"kind\":\"whole\",\"wall_ns\":1}", "unknown key" },
		{ "{\"rocetune\":1,\"kind\":\"whole\",\"flag\":true}", "has no key" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		RT_AUTO(rt_auto_doc_free) struct rt_doc *doc = parse(cases[i].json);
		struct rt_err err = { 0 };
		struct whole back;

		assert_int_equal(
			rt_record_read_envelope(doc, &whole_table, &back, &err),
			-EINVAL);
		if (!strstr(err.msg, cases[i].says))
			fail_msg("%s: '%s' lacks '%s'", cases[i].json, err.msg,
				 cases[i].says);
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_record_comes_back_as_it_went),
	     cmocka_unit_test(test_record_leaves_out_what_may_be),
	     cmocka_unit_test(test_record_absent_is_unknown_or_refused),
	     cmocka_unit_test(test_record_refuses),
	     cmocka_unit_test(test_record_list_is_bounded),
	     cmocka_unit_test(test_record_envelope_is_checked))
