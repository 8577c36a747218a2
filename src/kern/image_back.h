/* SPDX-License-Identifier: BSD-2-Clause */
/* image_back.h - the back end of images, for the recorder, which is one that grows. */
#ifndef RT_KERN_IMAGE_BACK_H
#define RT_KERN_IMAGE_BACK_H

#include "kern/files.h"
#include "kern/image.h"
#include "kern/kern.h"

struct rt_image {
	struct rt_kern kern; /* first */
	struct rt_answers answers;
	struct rt_bundle *bundle; /* or NULL, and: */
	struct rt_root root;      /* a folder */
};

static inline struct rt_image *rt_image_of(struct rt_kern *kern)
{
	return (struct rt_image *)kern;
}

/* Names of what lies directly in a folder of the bundle; -ENOTDIR, as resolving. */
int rt_bundle_names(struct rt_bundle *bundle, const char *path,
		    struct rt_names *ret_names);

/* The slots of reading; a recorder answers from what it has by them. */
extern const struct rt_kern_ops rt_image_ops;

#endif
