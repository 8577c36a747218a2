/* SPDX-License-Identifier: BSD-2-Clause */
/* text.h - small questions about words: enum names, nearest spelling. */
#ifndef RT_BASE_TEXT_H
#define RT_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rocetune/field.h"

/* NULL when no row has the value. */
const char *rt_name_of(const struct rt_name *names, unsigned value);

/* The row with exactly this name (case counts), or NULL. */
const struct rt_name *rt_name_find(const struct rt_name *names, const char *name);

/*
 * Of the count words the one nearest to word by edit distance, if it is near
 * enough to be a slip of the pen; else NULL.
 */
const char *rt_text_nearest(const char *word, const char *const *words, size_t count);

/* Whether word is one of list's, which has commas or blanks between; "" never is. */
bool rt_text_lists(const char *list, const char *word);

/* A text that grows in the caller's buffer; what does not fit is left out. */
struct rt_line {
	char *text;
	size_t capacity, used; /* bytes; used without the 0 at the end */
};

void rt_line_put(struct rt_line *line, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * How many of the bytes are well-formed UTF-8 (RFC 3629: no overlong forms, no
 * surrogates) before the first that is not; bytes when all are.
 */
size_t rt_text_utf8_length(const char *text, size_t bytes);

/* Bytes of the mark that some editors put before UTF-8 text (RFC 3629, 6); 0: none. */
size_t rt_text_bom(const char *text, size_t bytes);

/*
 * Bytes of the character at text when it is one that is not seen but changes what is:
 * a control (C0, DEL, and C1, which UTF-8 terminals obey as well), one that turns the
 * direction of text or hides in it (Unicode's category Cf).  0: any other, or none.
 */
size_t rt_text_unseen(const char *text, size_t bytes, uint32_t *ret_character);

/*
 * Make text fit for a terminal, in place: what rt_text_unseen() finds, and bytes that
 * are no UTF-8, become question marks.  Returns text.
 */
char *rt_text_clean(char *text);

#endif
