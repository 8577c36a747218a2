/* SPDX-License-Identifier: BSD-2-Clause */
/* fake_back.h - the parts of the fake back end, for one another. */
#ifndef RT_KERN_FAKE_BACK_H
#define RT_KERN_FAKE_BACK_H

#include "kern/kern_fake.h"

static inline struct rt_fake *rt_fake_from(struct rt_kern *kern)
{
	return (struct rt_fake *)kern;
}

/* One write, from its beginning to its end. */
struct rt_fake_attempt {
	struct rt_fake *fake;
	const struct rt_fake_fault *fault; /* or NULL */
};

/* Count and log a write: 0, or the errno that is planned for it; or die of it. */
int rt_fake_begin(struct rt_fake *fake, struct rt_fake_attempt *ret, const char *fmt,
		  ...) __attribute__((format(printf, 3, 4)));
bool rt_fake_has(const struct rt_fake_attempt *attempt, enum rt_fake_fault_kind kind);
void rt_fake_end(const struct rt_fake_attempt *attempt, bool changed);

/* The slots of struct rt_kern_ops about files (fake_files.c). */
int rt_fake_file_read(struct rt_kern *kern, const char *path, char *buf,
		      size_t capacity, size_t *ret_bytes, struct rt_err *err);
int rt_fake_file_write(struct rt_kern *kern, const char *path, const char *text,
		       struct rt_err *err);
int rt_fake_folder_read(struct rt_kern *kern, const char *path,
			struct rt_names *ret_names, struct rt_err *err);
int rt_fake_symlink_read(struct rt_kern *kern, const char *path, char *buf,
			 size_t capacity, struct rt_err *err);
int rt_fake_folder_make(struct rt_kern *kern, const char *path, struct rt_err *err);
int rt_fake_folder_remove(struct rt_kern *kern, const char *path, struct rt_err *err);
int rt_fake_access(struct rt_kern *kern, const char *path, bool for_writing);

#endif
