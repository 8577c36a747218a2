/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json.h - writing JSON.  The one place that knows jansson, because jansson
 * 2.14 silently leaves out a key whose value is NaN or no UTF-8 and knows only
 * signed integers: here such values become null, escaped text, and decimals.
 *
 * Values are reference-free trees: adding a value to an object or an array
 * takes it.  All functions accept NULL values and treat them as null, so an
 * out-of-memory failure in the middle surfaces once, in rt_json_write().
 */
#ifndef RT_BASE_JSON_H
#define RT_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct rt_err;
struct rt_json; /* a JSON value */

struct rt_json *rt_json_object(void);
struct rt_json *rt_json_array(void);
struct rt_json *rt_json_null(void);
struct rt_json *rt_json_bool(bool value);
/* Above INT64_MAX the value is written as a string of digits. */
struct rt_json *rt_json_u64(uint64_t value);
struct rt_json *rt_json_i64(int64_t value);
/* NaN and infinities become null. */
struct rt_json *rt_json_f64(double value);
/* NULL becomes null; bytes that are no UTF-8 become \xNN text. */
struct rt_json *rt_json_text(const char *text);

/* Take value into object under key (copied), or at the end of array. */
void rt_json_set(struct rt_json *object, const char *key, struct rt_json *value);
void rt_json_append(struct rt_json *array, struct rt_json *value);

void rt_json_free(struct rt_json *value);

/*
 * Write with two-space indentation and a final line end; characters that would steer
 * a terminal (rt_text_unseen()) are escaped, which readers of JSON undo.
 * -EIO: the stream took less than was written.  -ENOMEM: value is NULL.
 */
int rt_json_write(const struct rt_json *value, FILE *to, struct rt_err *err);

/* The same as one line without blanks between tokens, not flushed. */
int rt_json_write_line(const struct rt_json *value, FILE *to, struct rt_err *err);

/*
 * As rt_json_write(), but without the last newline and flush, as a part of a larger
 * text: lines after the first are indented by depth levels.  -ENOMEM, or what writing
 * said.
 */
int rt_json_write_part(const struct rt_json *value, FILE *to, unsigned depth);

#endif
