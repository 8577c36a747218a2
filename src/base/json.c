/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/json.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "rocetune/err.h"

/*
 * struct rt_json is jansson's json_t under another name; it has no definition.
 * Reading a value never changes it, whatever jansson's prototypes say.
 */
static struct rt_json *wrap(json_t *value)
{
	return (struct rt_json *)value;
}

static json_t *unwrap(const struct rt_json *value)
{
	return (json_t *)(uintptr_t)value;
}

struct rt_json *rt_json_object(void)
{
	return wrap(json_object());
}

struct rt_json *rt_json_array(void)
{
	return wrap(json_array());
}

struct rt_json *rt_json_null(void)
{
	return wrap(json_null());
}

struct rt_json *rt_json_bool(bool value)
{
	return wrap(json_boolean(value));
}

struct rt_json *rt_json_u64(uint64_t value)
{
	char digits[24];

	if (value <= INT64_MAX)
		return wrap(json_integer((json_int_t)value));
	snprintf(digits, sizeof(digits), "%" PRIu64, value);
	return wrap(json_string(digits));
}

struct rt_json *rt_json_i64(int64_t value)
{
	return wrap(json_integer(value));
}

struct rt_json *rt_json_f64(double value)
{
	return isfinite(value) ? wrap(json_real(value)) : rt_json_null();
}

struct rt_json *rt_json_text(const char *text)
{
	const size_t bytes = text ? strlen(text) : 0;
	struct rt_json *made;
	char *escaped;
	size_t used = 0;

	if (!text)
		return rt_json_null();
	if (rt_text_utf8_length(text, bytes) == bytes)
		return wrap(json_stringn(text, bytes));
	escaped = malloc(bytes * 4 + 1);
	if (!escaped)
		return NULL;
	for (size_t i = 0; i < bytes;) {
		size_t good = rt_text_utf8_length(text + i, bytes - i);

		memcpy(escaped + used, text + i, good);
		used += good;
		i += good;
		if (i < bytes)
			used += (size_t)sprintf(escaped + used, "\\x%02x",
						(unsigned char)text[i++]);
	}
	made = wrap(json_stringn(escaped, used));
	free(escaped);
	return made;
}

void rt_json_set(struct rt_json *object, const char *key, struct rt_json *value)
{
	json_object_set_new(unwrap(object), key, value ? unwrap(value) : json_null());
}

void rt_json_append(struct rt_json *array, struct rt_json *value)
{
	json_array_append_new(unwrap(array), value ? unwrap(value) : json_null());
}

void rt_json_free(struct rt_json *value)
{
	json_decref(unwrap(value));
}

struct part {
	FILE *to;
	unsigned depth;
};

/* \\u009B; beyond the 16 bits of one, a pair (RFC 8259, 7). */
static void put_escape(FILE *to, uint32_t character)
{
	if (character > 0xFFFF) {
		character -= 0x10000;
		fprintf(to, "\\u%04X", 0xD800 | character >> 10);
		character = 0xDC00 | (character & 0x3FF);
	}
	fprintf(to, "\\u%04X", character);
}

/*
 * JSON text has newlines between its tokens only, and characters outside ASCII in its
 * strings only.  Some of these steer terminals, and jansson writes them as they are.
 */
static int put_part(const char *text, size_t bytes, void *context)
{
	const struct part *part = context;
	uint32_t character;

	for (size_t i = 0, length; i < bytes; i += length) {
		length = text[i] == '\n'
				 ? 0
				 : rt_text_unseen(text + i, bytes - i, &character);
		if (length) {
			put_escape(part->to, character);
			continue;
		}
		fputc(text[i], part->to);
		for (unsigned level = 0; text[i] == '\n' && level < part->depth;
		     level++)
			fputs("  ", part->to);
		length = 1;
	}
	return ferror(part->to) ? -1 : 0;
}

static int dump(const struct rt_json *value, struct part *part, size_t flags)
{
	if (!value)
		return -ENOMEM;
	if (json_dump_callback(unwrap(value), put_part, part,
			       flags | JSON_REAL_PRECISION(15) | JSON_ENCODE_ANY) < 0)
		return errno ? -errno : -EIO;
	return 0;
}

int rt_json_write_part(const struct rt_json *value, FILE *to, unsigned depth)
{
	return dump(value, &(struct part){ to, depth }, JSON_INDENT(2));
}

/* What dumping said, and a newline. */
static int end_line(const struct rt_json *value, FILE *to, int r, struct rt_err *err)
{
	if (!value)
		return rt_err_sys(err, r, "cannot build the JSON output");
	if (r < 0 || fputc('\n', to) == EOF)
		return rt_err_sys(err, errno ? -errno : -EIO, "cannot write JSON");
	return 0;
}

int rt_json_write_line(const struct rt_json *value, FILE *to, struct rt_err *err)
{
	return end_line(value, to, dump(value, &(struct part){ to, 0 }, JSON_COMPACT),
			err);
}

int rt_json_write(const struct rt_json *value, FILE *to, struct rt_err *err)
{
	int r = end_line(value, to, rt_json_write_part(value, to, 0), err);

	if (r == 0 && fflush(to) != 0)
		r = rt_err_sys(err, errno ? -errno : -EIO, "cannot write JSON");
	return r;
}
