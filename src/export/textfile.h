/* SPDX-License-Identifier: BSD-2-Clause */
/* textfile.h - metrics for node_exporter's textfile collector. */
#ifndef RT_EXPORT_TEXTFILE_H
#define RT_EXPORT_TEXTFILE_H

#include <stddef.h>

struct rt_err;

/* -EINVAL: node_exporter would not read such a file. */
int rt_textfile_check(const char *path, struct rt_err *err);

/* Remove what processes that are no more left beside it, as they died while they wrote. */
void rt_textfile_tidy(const char *path);

/*
 * Put text in the place of the file at once: whoever reads sees the old one or the new
 * one, whole.  What the system said; the old one stays then.
 */
int rt_textfile_write(const char *path, const char *text, size_t bytes,
		      struct rt_err *err);

#endif
