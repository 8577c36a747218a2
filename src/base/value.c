/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/value.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "rocetune/field.h"

/* Any integer field as one type; false when it is unknown or no integer. */
static bool as_u64(const struct rt_field *field, const void *at, uint64_t *ret)
{
	const struct rt_opt_u64 *opt = at;

	switch (field->type) {
	case RT_FIELD_BOOL: *ret = *(const bool *)at; return true;
	case RT_FIELD_U8: *ret = *(const uint8_t *)at; return true;
	case RT_FIELD_U16: *ret = *(const uint16_t *)at; return true;
	case RT_FIELD_U32: *ret = *(const uint32_t *)at; return true;
	case RT_FIELD_U64: *ret = *(const uint64_t *)at; return true;
	case RT_FIELD_ENUM: *ret = *(const unsigned *)at; return true;
	case RT_FIELD_OPT_U64: *ret = opt->value; return opt->known;
	default: return false;
	}
}

static double as_f64(const struct rt_field *field, const void *at)
{
	const struct rt_opt_f64 *opt = at;

	if (field->type == RT_FIELD_OPT_F64)
		return opt->known ? opt->value : NAN;
	return *(const double *)at;
}

static const void *locate(const struct rt_field *field, const void *object)
{
	return (const char *)object + field->offset;
}

bool rt_value_known(const struct rt_field *field, const void *object)
{
	const void *at = locate(field, object);

	switch (field->type) {
	case RT_FIELD_OPT_U64: return ((const struct rt_opt_u64 *)at)->known;
	case RT_FIELD_F64:
	case RT_FIELD_OPT_F64: return !isnan(as_f64(field, at));
	case RT_FIELD_TEXT: return *(const char *const *)at != NULL;
	case RT_FIELD_CHARS: return *(const char *)at != '\0';
	case RT_FIELD_IP: return ((const struct rt_ip *)at)->version != 0;
	default: return true;
	}
}

bool rt_value_is_zero(const struct rt_field *field, const void *object)
{
	const void *at = locate(field, object);
	uint64_t number = 0;

	if (as_u64(field, at, &number))
		return number == 0;
	if (field->type == RT_FIELD_I64)
		return *(const int64_t *)at == 0;
	if (field->type == RT_FIELD_F64 || field->type == RT_FIELD_OPT_F64)
		return as_f64(field, at) == 0;
	if (field->type == RT_FIELD_TEXT || field->type == RT_FIELD_CHARS)
		return !rt_value_known(field, object);
	return false;
}

bool rt_value_is_left_out(const struct rt_field *field, const void *object)
{
	const char *at = locate(field, object);
	size_t bytes;

	if (!(field->flags & RT_FIELD_MAYBE))
		return false;
	if (field->type == RT_FIELD_LIST)
		return *(const size_t *)((const char *)object + field->count_offset) ==
		       0;
	bytes = field->table->size *
		(field->type == RT_FIELD_ARRAY ? field->length : 1);
	for (size_t i = 0; i < bytes; i++)
		if (at[i])
			return false;
	return true;
}

bool rt_value_may_be_unknown(const struct rt_field *field)
{
	switch (field->type) {
	case RT_FIELD_F64:
	case RT_FIELD_OPT_U64:
	case RT_FIELD_OPT_F64:
	case RT_FIELD_TEXT:
	case RT_FIELD_CHARS:
	case RT_FIELD_IP: return true;
	default: return false;
	}
}

bool rt_value_is_nested(const struct rt_field *field)
{
	return field->type == RT_FIELD_STRUCT || field->type == RT_FIELD_LIST ||
	       field->type == RT_FIELD_ARRAY;
}

bool rt_value_is_number(const struct rt_field *field)
{
	switch (field->type) {
	case RT_FIELD_U8:
	case RT_FIELD_U16:
	case RT_FIELD_U32:
	case RT_FIELD_U64:
	case RT_FIELD_I64:
	case RT_FIELD_F64:
	case RT_FIELD_OPT_U64:
	case RT_FIELD_OPT_F64: return true;
	default: return false;
	}
}

static void print_mac(const uint8_t *mac, char *buf)
{
	snprintf(buf, RT_VALUE_TEXT_BYTES, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0],
		 mac[1], mac[2], mac[3], mac[4], mac[5]);
}

static void print_enum(const struct rt_field *field, const void *at, char *buf)
{
	const unsigned value = *(const unsigned *)at;
	const char *name = rt_name_of(field->names, value);

	if (name)
		snprintf(buf, RT_VALUE_TEXT_BYTES, "%s", name);
	else
		snprintf(buf, RT_VALUE_TEXT_BYTES, "%u", value);
}

static void print_f64(const struct rt_field *field, const void *at, char *buf)
{
	const double value = as_f64(field, at);
	char text[RT_UNIT_TEXT_BYTES];

	switch (field->unit) {
	case RT_UNIT_NONE:
	case RT_UNIT_COUNT:
	case RT_UNIT_RATIO: snprintf(buf, RT_VALUE_TEXT_BYTES, "%.4g", value); break;
	case RT_UNIT_PCT: snprintf(buf, RT_VALUE_TEXT_BYTES, "%.4g%%", value); break;
	default:
		rt_unit_format(field->unit, value > 0 ? (uint64_t)(value + 0.5) : 0,
			       text);
		snprintf(buf, RT_VALUE_TEXT_BYTES, "%s", text);
	}
}

/* Whatever has but one spelling for people and machines. */
static bool print_common(const struct rt_field *field, const void *at, char *buf)
{
	char ip[RT_IP_TEXT_BYTES];

	switch (field->type) {
	case RT_FIELD_BOOL:
		snprintf(buf, RT_VALUE_TEXT_BYTES, "%s",
			 *(const bool *)at ? "yes" : "no");
		return true;
	case RT_FIELD_ENUM: print_enum(field, at, buf); return true;
	case RT_FIELD_TEXT:
		snprintf(buf, RT_VALUE_TEXT_BYTES, "%s", *(const char *const *)at);
		return true;
	case RT_FIELD_CHARS:
		snprintf(buf, RT_VALUE_TEXT_BYTES, "%s", (const char *)at);
		return true;
	case RT_FIELD_MAC: print_mac(at, buf); return true;
	case RT_FIELD_IP:
		snprintf(buf, RT_VALUE_TEXT_BYTES, "%s", rt_ip_format(at, ip));
		return true;
	default: return false;
	}
}

char *rt_value_text(const struct rt_field *field, const void *object,
		    char buf[RT_VALUE_TEXT_BYTES])
{
	const void *at = locate(field, object);
	char text[RT_UNIT_TEXT_BYTES];
	uint64_t number = 0;

	if (!rt_value_known(field, object)) {
		snprintf(buf, RT_VALUE_TEXT_BYTES, "unknown");
		return buf;
	}
	if (print_common(field, at, buf))
		return buf;
	if (field->type == RT_FIELD_I64)
		snprintf(buf, RT_VALUE_TEXT_BYTES, "%" PRId64, *(const int64_t *)at);
	else if (!as_u64(field, at, &number))
		print_f64(field, at, buf);
	else if (field->flags & RT_FIELD_HEX)
		snprintf(buf, RT_VALUE_TEXT_BYTES, "0x%" PRIx64, number);
	else
		snprintf(buf, RT_VALUE_TEXT_BYTES, "%s",
			 rt_unit_format(field->unit, number, text));
	return buf;
}

char *rt_value_plain(const struct rt_field *field, const void *object,
		     char buf[RT_VALUE_TEXT_BYTES])
{
	const void *at = locate(field, object);
	uint64_t number = 0;

	buf[0] = '\0';
	if (!rt_value_known(field, object) || print_common(field, at, buf))
		return buf;
	if (field->type == RT_FIELD_I64)
		snprintf(buf, RT_VALUE_TEXT_BYTES, "%" PRId64, *(const int64_t *)at);
	else if (as_u64(field, at, &number))
		snprintf(buf, RT_VALUE_TEXT_BYTES, "%" PRIu64, number);
	else
		snprintf(buf, RT_VALUE_TEXT_BYTES, "%.15g", as_f64(field, at));
	return buf;
}

bool rt_value_plain_number(const struct rt_field *field, const void *object,
			   uint64_t *ret_number)
{
	return field->type != RT_FIELD_BOOL && field->type != RT_FIELD_ENUM &&
	       as_u64(field, locate(field, object), ret_number) &&
	       *ret_number <= INT64_MAX;
}

struct rt_json *rt_value_json(const struct rt_field *field, const void *object)
{
	const void *at = locate(field, object);
	char buf[RT_VALUE_TEXT_BYTES];
	uint64_t number = 0;

	if (!rt_value_known(field, object))
		return rt_json_null();
	if (field->type == RT_FIELD_BOOL)
		return rt_json_bool(*(const bool *)at);
	if (field->type == RT_FIELD_TEXT)
		return rt_json_text(*(const char *const *)at);
	if (print_common(field, at, buf))
		return rt_json_text(buf);
	if (field->type == RT_FIELD_I64)
		return rt_json_i64(*(const int64_t *)at);
	if (as_u64(field, at, &number))
		return rt_json_u64(number);
	return rt_json_f64(as_f64(field, at));
}

const char *rt_value_items(const struct rt_field *field, const void *object,
			   size_t *ret_count)
{
	const void *at = locate(field, object);

	if (field->type == RT_FIELD_ARRAY) {
		*ret_count = field->length;
		return at;
	}
	*ret_count = *(const size_t *)((const char *)object + field->count_offset);
	return *(const char *const *)at;
}
