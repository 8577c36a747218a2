/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tarball.h - trees of files (base/bundle.h) as tar archives: bundles of hosts.
 *
 * Read is any tar, plain or packed by gzip, zstd or xz, within the bounds of a
 * bundle, with files, folders and symbolic links inside the tree and nothing else.
 */
#ifndef RT_PKTIO_TARBALL_H
#define RT_PKTIO_TARBALL_H

#include <stdio.h>

struct rt_bundle;
struct rt_err;

/*
 * -EINVAL: not a tar, damaged, or something in it that no bundle has; the text names
 * it.  -E2BIG: the bounds.  Otherwise what open or read said.
 */
int rt_tarball_read(const char *path, struct rt_bundle **ret_bundle,
		    struct rt_err *err);

/* The same of bytes in memory; name is for messages. */
int rt_tarball_parse(const char *name, const void *data, size_t bytes,
		     struct rt_bundle **ret_bundle, struct rt_err *err);

/*
 * The same tree gives the same bytes: entries in the order of their paths, without
 * owners and times; ustar, but where a name is too long for it.
 */
int rt_tarball_write(struct rt_bundle *bundle, FILE *to, struct rt_err *err);

#endif
