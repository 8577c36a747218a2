/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/hostlist.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "rocetune/err.h"

#define DIGITS_MOST 9u /* of a number in a range */

struct expansion {
	const char *text; /* all of it, for messages */
	size_t most;
	struct rt_hostlist list;
	size_t capacity;
	struct rt_err *err;
};

/* A name as far as it is put together. */
struct part {
	char name[RT_HOSTLIST_NAME_BYTES];
	size_t used;
};

struct range {
	uint32_t first, last;
	unsigned width; /* zeros in front up to it */
};

void rt_hostlist_free(struct rt_hostlist *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->names[i]);
	free(list->names);
	*list = (struct rt_hostlist){ 0 };
}

static int wrong(const struct expansion *x, const char *at, const char *what)
{
	return rt_err_set(x->err, -EINVAL, "hosts \"%s\": %s at character %zu", x->text,
			  what, (size_t)(at - x->text) + 1);
}

static int add_name(struct expansion *x, const struct part *part)
{
	char **names;

	if (!part->used)
		return rt_err_set(x->err, -EINVAL, "hosts \"%s\": a name is missing",
				  x->text);
	for (size_t i = 0; i < x->list.count; i++)
		if (strcmp(x->list.names[i], part->name) == 0)
			return rt_err_set(x->err, -EINVAL,
					  "hosts \"%s\": %s stands there twice",
					  x->text, part->name);
	if (x->list.count == x->most)
		return rt_err_set(x->err, -E2BIG, "hosts \"%s\": more than %zu",
				  x->text, x->most);
	names = rt_grow(x->list.names, x->list.count, &x->capacity, sizeof(*names));
	if (!names)
		return rt_err_sys(x->err, -ENOMEM, "hosts");
	x->list.names = names;
	names[x->list.count] = strdup(part->name);
	if (!names[x->list.count])
		return rt_err_sys(x->err, -ENOMEM, "hosts");
	x->list.count++;
	return 0;
}

static int append(struct expansion *x, struct part *part, const char *bytes,
		  size_t count)
{
	if (count >= sizeof(part->name) - part->used)
		return rt_err_set(x->err, -E2BIG, "hosts \"%s\": a name too long",
				  x->text);
	memcpy(part->name + part->used, bytes, count);
	part->used += count;
	part->name[part->used] = '\0';
	return 0;
}

/* Digits at *at, which moves behind them. */
static int read_number(const struct expansion *x, const char **at, uint32_t *ret_number,
		       unsigned *ret_digits)
{
	const size_t digits = strspn(*at, "0123456789");
	uint32_t number = 0;

	if (!digits || digits > DIGITS_MOST)
		return wrong(x, *at, digits ? "a number too long" : "no number");
	for (size_t i = 0; i < digits; i++)
		number = number * 10 + (uint32_t)((*at)[i] - '0');
	*at += digits;
	*ret_number = number;
	*ret_digits = (unsigned)digits;
	return 0;
}

/* "01-64" or "70" at *at, which moves behind it. */
static int read_range(const struct expansion *x, const char **at,
		      struct range *ret_range)
{
	const char *start = *at;
	struct range range = { 0 };
	unsigned digits;
	int r = read_number(x, at, &range.first, &range.width);

	if (r < 0)
		return r;
	range.last = range.first;
	if (**at == '-') {
		(*at)++;
		r = read_number(x, at, &range.last, &digits);
		if (r < 0)
			return r;
		if (range.last < range.first)
			return wrong(x, start, "a range that goes backwards");
		if (*start == '0' && digits != range.width && range.width > 1)
			return wrong(x, start, "ends of a range of unlike width");
	}
	*ret_range = range;
	return 0;
}

/* The rest of one item, at to before end, behind part. */
static int expand(struct expansion *x, const struct part *part, const char *at,
		  const char *end);

static int expand_range(struct expansion *x, const struct part *part,
			const struct range *range, const char *at, const char *end)
{
	for (uint32_t number = range->first; number <= range->last; number++) {
		struct part longer = *part;
		char digits[16];
		const int count = snprintf(digits, sizeof(digits), "%0*u",
					   (int)range->width, number);
		int r = append(x, &longer, digits, (size_t)count);

		if (r == 0)
			r = expand(x, &longer, at, end);
		if (r < 0)
			return r;
	}
	return 0;
}

static int expand(struct expansion *x, const struct part *part, const char *at,
		  const char *end)
{
	struct part longer = *part;
	const size_t plain = strcspn(at, "[,]");
	const char *close;
	int r = append(x, &longer, at, plain);

	at += plain;
	if (r < 0)
		return r;
	if (at == end)
		return add_name(x, &longer);
	if (*at != '[')
		return wrong(x, at, "a ] without its [");
	close = at + strcspn(at, "]");
	do {
		struct range range;

		at++;
		r = read_range(x, &at, &range);
		if (r < 0)
			return r;
		if (at != close && *at != ',')
			return wrong(x, at, "neither , nor ]");
		r = expand_range(x, &longer, &range, close + 1, end);
		if (r < 0)
			return r;
	} while (at != close);
	return 0;
}

/* Where the item at `at` ends: at a comma outside brackets, or at the end. */
static int item_end(const struct expansion *x, const char *at, const char **ret_end)
{
	const char *open = NULL;

	for (; *at && (*at != ',' || open); at++) {
		if (*at == '[' && open)
			return wrong(x, at, "a [ within [ ]");
		if (*at == '[')
			open = at;
		if (*at == ']')
			open = NULL;
		if (*at <= ' ' || *at > '~')
			return wrong(x, at, "a blank or other than visible ASCII");
	}
	if (open)
		return wrong(x, open, "a [ without its ]");
	*ret_end = at;
	return 0;
}

int rt_hostlist_read(const char *text, size_t most, struct rt_hostlist *ret_list,
		     struct rt_err *err)
{
	struct expansion x = { .text = text, .most = most, .err = err };
	const char *at = text, *end;
	int r;

	for (;;) {
		const struct part none = { 0 };

		r = item_end(&x, at, &end);
		if (r == 0)
			r = expand(&x, &none, at, end);
		if (r < 0) {
			rt_hostlist_free(&x.list);
			return r;
		}
		if (!*end)
			break;
		at = end + 1;
	}
	*ret_list = x.list;
	return 0;
}
