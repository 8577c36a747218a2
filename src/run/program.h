/* SPDX-License-Identifier: BSD-2-Clause */
/* program.h - calling another program, directly: no shell reads what we pass. */
#ifndef RT_RUN_PROGRAM_H
#define RT_RUN_PROGRAM_H

#include <stddef.h>

struct rt_err;

/* Path of this program's file.  What readlink said. */
int rt_program_self(char *buf, size_t capacity, struct rt_err *err);

/*
 * Run argv[0] of $PATH to its end, without input; its output is dropped.
 * What starting it said; -EIO: it failed; -ETIMEDOUT: it was not done after most_ms,
 * and was ended.
 */
int rt_program_run(const char *const *argv, unsigned most_ms, struct rt_err *err);

/*
 * The same, and what it writes on standard output, as a text that the caller frees.
 * -EFBIG: it wrote more than most_bytes, and was ended.
 */
int rt_program_read(const char *const *argv, unsigned most_ms, size_t most_bytes,
		    char **ret_text, struct rt_err *err);

#endif
