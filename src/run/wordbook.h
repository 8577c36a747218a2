/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wordbook.h - texts that are kept once: what thousands of hosts say is mostly the
 * same, and equal texts are equal numbers.
 */
#ifndef RT_RUN_WORDBOOK_H
#define RT_RUN_WORDBOOK_H

#include <stddef.h>
#include <stdint.h>

/* Zero is empty. */
struct rt_wordbook {
	char **items; /* owned; the number of a word is its index */
	size_t count, capacity;
	uint32_t *slots; /* hash table: number + 1; 0: free */
	size_t slot_count;
};

/* The number of text, which is copied when it is new.  -ENOMEM. */
int rt_wordbook_number(struct rt_wordbook *words, const char *text,
		       uint32_t *ret_number);

void rt_wordbook_free(struct rt_wordbook *words);

#endif
