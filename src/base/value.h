/* SPDX-License-Identifier: BSD-2-Clause */
/* value.h - one field's value: is it known, as text, as JSON. */
#ifndef RT_BASE_VALUE_H
#define RT_BASE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rt_field;
struct rt_json;

#define RT_VALUE_TEXT_BYTES 512

bool rt_value_known(const struct rt_field *field, const void *object);

/* True for a scalar whose number is 0 (and for false). */
bool rt_value_is_zero(const struct rt_field *field, const void *object);

/* True for a struct, array or list of which JSON says nothing (RT_FIELD_MAYBE). */
bool rt_value_is_left_out(const struct rt_field *field, const void *object);

/* Whether null is a value of the field: what its type can say it does not know. */
bool rt_value_may_be_unknown(const struct rt_field *field);

/* STRUCT, LIST, ARRAY. */
bool rt_value_is_nested(const struct rt_field *field);

/* For people; "unknown" when not known.  Scalars only.  Returns buf. */
char *rt_value_text(const struct rt_field *field, const void *object,
		    char buf[RT_VALUE_TEXT_BYTES]);

/* For machines, unscaled, "" when not known. */
char *rt_value_plain(const struct rt_field *field, const void *object,
		     char buf[RT_VALUE_TEXT_BYTES]);

/*
 * True for an integer that is known and that JSON writes as a number: *ret_number,
 * which most values of a long list are.
 */
bool rt_value_plain_number(const struct rt_field *field, const void *object,
			   uint64_t *ret_number);

struct rt_json *rt_value_json(const struct rt_field *field, const void *object);

/* Whether text should stand at the right edge of its column. */
bool rt_value_is_number(const struct rt_field *field);

/* LIST and ARRAY: the first element and how many there are. */
const char *rt_value_items(const struct rt_field *field, const void *object,
			   size_t *ret_count);

#endif
