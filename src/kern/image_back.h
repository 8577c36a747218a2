/* SPDX-License-Identifier: BSD-2-Clause */
/* image_back.h - the back end of images, for the recorder, which is one that grows. */
#ifndef RT_KERN_IMAGE_BACK_H
#define RT_KERN_IMAGE_BACK_H

#include <stdio.h>

#include "kern/files.h"
#include "kern/image.h"
#include "kern/kern.h"
#include "kern/stats.h"

struct rt_bundle_entry;

/* A file of statistics in a folder, which is read again and again. */
struct rt_image_stats {
	char path[RT_STATS_PATH_BYTES];
	int fd;
	unsigned renewals; /* as many as the image had when it was looked at */
};

struct rt_image {
	struct rt_kern kern; /* first */
	struct rt_answers answers;
	struct rt_bundle *bundle;     /* or NULL, and: */
	struct rt_root root;          /* a folder */
	struct rt_image_stats *stats; /* owned */
	size_t stats_count, stats_capacity;
	unsigned renewals; /* how often held files were to be looked at */
	bool replaced;     /* once one was, they are looked at each time */
	size_t stats_last; /* that was read last: the next one is often behind it */
	char *text;        /* owned, for reading them */
	size_t text_capacity;
};

static inline struct rt_image *rt_image_of(struct rt_kern *kern)
{
	return (struct rt_image *)kern;
}

/* Names of what lies directly in a folder of the bundle; -ENOTDIR, as resolving. */
int rt_bundle_names(struct rt_bundle *bundle, const char *path,
		    struct rt_names *ret_names);

/* Where the entry, which resolving path gave as r says, points: as symlink_read. */
int rt_bundle_read_link(int r, const struct rt_bundle_entry *entry, const char *path,
			char *buf, size_t capacity, struct rt_err *err);

/* "mlx5_0/1": what the rows of struct rt_answers' only are about. */
#define RT_ANSWER_PORT_BYTES 80
static inline void rt_answer_port_name(const char *ibdev, unsigned port,
				       char name[RT_ANSWER_PORT_BYTES])
{
	snprintf(name, RT_ANSWER_PORT_BYTES, "%.63s/%u", ibdev, port);
}

/* Close and free what reading statistics has open. */
void rt_image_forget_stats(struct rt_image *image);

/* The slots of reading; a recorder answers from what it has by them. */
extern const struct rt_kern_ops rt_image_ops;

#endif
