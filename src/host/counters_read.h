/* SPDX-License-Identifier: BSD-2-Clause */
/* counters_read.h - the sources of counters, for reading them. */
#ifndef RT_HOST_COUNTERS_READ_H
#define RT_HOST_COUNTERS_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kern/kern.h"
#include "model/counters.h"

struct rt_device;

#define RT_COUNTER_LINKS 16u /* slaves of a bond that are summed */

/* One network device, what was read of it so far. */
struct rt_counter_link {
	char netdev[RT_IFNAME_BYTES];
	struct rt_stats ethtool; /* owned */
	struct rt_dcb_pfc pfc;
};

struct rt_counter_reader {
	struct rt_kern *kern; /* borrowed */
	const struct rt_device *device;
	struct rt_counter_link links[RT_COUNTER_LINKS];
	size_t link_count;
	struct rt_stats rdma; /* owned */
	bool rdma_in_files;   /* not by rdma netlink */
	struct rt_counter_look looks[RT_SOURCE_COUNT];
	struct rt_opt_u64 refresh_ms;
};

/* Looks for nothing yet.  Freed by the second. */
void rt_counter_reader_init(struct rt_counter_reader *reader, struct rt_kern *kern,
			    const struct rt_device *device);
void rt_counter_reader_free(struct rt_counter_reader *reader);

/* What source has under name (its priority written out), in its own unit. */
bool rt_counter_lookup(struct rt_counter_reader *reader, enum rt_counter_source source,
		       const char *name, uint64_t *ret_value);

#endif
