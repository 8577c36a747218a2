/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pages.h - memory of large tables: zero until written, taken from the system page
 * by page as it is touched, grown without copying.
 */
#ifndef RT_BASE_PAGES_H
#define RT_BASE_PAGES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Make room for new_bytes where there were old_bytes (0: none, pages is NULL).  What
 * was there stays, perhaps elsewhere; the rest is zero.  dense: all of it will be
 * used, so that it may come in huge pages, which spare faults and address look-ups.
 * NULL: out of memory, and pages are still valid.
 */
void *rt_pages_grow(void *pages, size_t old_bytes, size_t new_bytes, bool dense);

/*
 * The same hint for what malloc() or calloc() gave, before it is touched: nothing
 * unless it is large.
 */
void rt_pages_dense(void *memory, size_t bytes);

void rt_pages_free(void *pages, size_t bytes); /* NULL is fine */

#endif
