/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * err.h - why a call failed, in words for the user.
 *
 * Every fallible function of the library returns 0 or a negative errno and
 * takes a struct rt_err as its last parameter (NULL is fine).  The text is a
 * whole sentence, ready to print after the program's name.  On success the
 * struct is left untouched.
 */
#ifndef ROCETUNE_ERR_H
#define ROCETUNE_ERR_H

#define RT_ERR_MSG_BYTES 512

/* Owned by the caller, usually on the stack: struct rt_err err = { 0 }; */
struct rt_err {
	int code; /* negative errno; 0 while nothing has failed */
	char msg[RT_ERR_MSG_BYTES];
};

/*
 * Fill *err (may be NULL) and yield code: `return rt_err_set(err, -ERANGE, ...)`.
 * rt_err_sys() also appends the system's words for code.  They are statement
 * expressions so that the compiler sees the negative value pass through and
 * can check the ret_* outputs of the caller.
 */
#define rt_err_set(err, code, ...) RT_ERR_FILL(err, code, 0, __VA_ARGS__)
#define rt_err_sys(err, code, ...) RT_ERR_FILL(err, code, 1, __VA_ARGS__)

#define RT_ERR_FILL(err, code, with_errno, ...)                          \
	({                                                               \
		const int rt_code_ = (code);                             \
		rt_err_fill((err), rt_code_, (with_errno), __VA_ARGS__); \
		rt_code_;                                                \
	})

/* The function behind the macros; a text that does not fit is cut with "...",
 * and control characters and what is no UTF-8 become question marks. */
void rt_err_fill(struct rt_err *err, int code, int with_errno, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
