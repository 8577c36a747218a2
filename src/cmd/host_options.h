/* SPDX-License-Identifier: BSD-2-Clause */
/* host_options.h - what the options of commands that change a host hold. */
#ifndef RT_CMD_HOST_OPTIONS_H
#define RT_CMD_HOST_OPTIONS_H

#include <stddef.h>

#include "rocetune/field.h"

struct rt_err;

/* Words of a list with commas, in a copy that the caller frees (one block). */
#define RT_WORDS_MOST 128
struct rt_words {
	char *text;                           /* owned */
	const char *items[RT_WORDS_MOST + 1]; /* ends with NULL */
	size_t count;
};

/* NULL gives no words.  -EINVAL: too many, or an empty one.  -ENOMEM. */
int rt_words_split(const char *list, struct rt_words *ret_words, struct rt_err *err);

/* Names of groups ("pfc,ets") as bits; NULL: 0.  -EINVAL: no such group. */
int rt_groups_parse(const char *list, unsigned *ret_groups, struct rt_err *err);

/*
 * How long a person may take: 90s, 5m, 1h; 0 and never are 0.  NULL: not known.
 * -EINVAL: no such time, or less than 10 s, in which nobody can confirm.
 */
int rt_wait_parse(const char *text, struct rt_opt_u64 *ret_ns, struct rt_err *err);

#endif
