/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stats.h - lists of statistics, for the back ends: filling them, and their text, which
 * is that of `ethtool -S` ("name: number", a line each).
 */
#ifndef RT_KERN_STATS_H
#define RT_KERN_STATS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "kern/kern.h"

struct rt_err;

/* Where an image has them, by netdev and by RDMA port ("mlx5_0/1"). */
#define RT_STATS_PATH_BYTES 128
static inline void rt_stats_ethtool_path(const char *netdev,
					 char path[RT_STATS_PATH_BYTES])
{
	snprintf(path, RT_STATS_PATH_BYTES, "/rocetune/stats/ethtool/%.90s", netdev);
}

static inline void rt_stats_standard_path(const char *netdev,
					  char path[RT_STATS_PATH_BYTES])
{
	snprintf(path, RT_STATS_PATH_BYTES, "/rocetune/stats/standard/%.90s", netdev);
}

static inline void rt_stats_qdisc_path(const char *netdev,
				       char path[RT_STATS_PATH_BYTES])
{
	snprintf(path, RT_STATS_PATH_BYTES, "/rocetune/stats/qdisc/%.90s", netdev);
}

static inline void rt_stats_rdma_path(const char *name, char path[RT_STATS_PATH_BYTES])
{
	snprintf(path, RT_STATS_PATH_BYTES, "/rocetune/stats/rdma/%.90s", name);
}

/*
 * Fill a list anew: begin, one by one, end; what it had before spares the sorting when
 * it comes again.  A name has that many bytes, or ends before with a 0, and loses the
 * blanks at its ends; what has no name is left out.  -ENOMEM; -E2BIG: RT_STATS_MAX.
 * The last takes how that went, and passes it on; the list is empty after an error.
 */
void rt_stats_begin(struct rt_stats *stats);
int rt_stats_add(struct rt_stats *stats, const char *name, size_t bytes,
		 uint64_t value);
int rt_stats_end(struct rt_stats *stats, int result);

/*
 * Read such a text.  Lines without a number behind their last colon (a
 * heading) are skipped.  -ENOMEM, -E2BIG.
 */
int rt_stats_parse(const char *text, size_t bytes, struct rt_stats *stats);

/* As text, which the caller frees; NULL: out of memory. */
char *rt_stats_text(const struct rt_stats *stats, size_t *ret_bytes);

#endif
