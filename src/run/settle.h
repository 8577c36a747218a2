/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * settle.h - whether a port is as well after a change as it was before: carrier, its
 * place in a bond (also LACP's), its GIDs.  What was not there before is not awaited.
 */
#ifndef RT_RUN_SETTLE_H
#define RT_RUN_SETTLE_H

#include <stdbool.h>
#include <stdint.h>

#include "host/device.h"

struct rt_err;
struct rt_kern;
struct rt_txn;

/* Free with rt_health_free(). */
struct rt_health {
	bool carrier;
	uint32_t carrier_changes;
	bool carrier_changes_known;
	bool in_bond;        /* the bond's monitor says it is up */
	bool aggregated;     /* LACP: in the bond's active aggregator */
	struct rt_gid *gids; /* owned */
	size_t gid_count;
};

/*
 * What rt_devices_read(), the links or the bond's files said: what cannot be told now
 * could not be missed later.  -ENODEV: its network device is gone.
 */
int rt_health_read(struct rt_kern *kern, const struct rt_device *device,
		   struct rt_health *ret_health, struct rt_err *err);
void rt_health_free(struct rt_health *health);

/* -ENETDOWN and *err names what was there before and is not now; 0. */
int rt_health_compare(const struct rt_health *before, const struct rt_health *now,
		      struct rt_err *err);

struct rt_settle {
	struct rt_kern *kern;
	const struct rt_device *device;
	const struct rt_health *before;
	bool flaps; /* the link goes down some time after the write that makes it so */
	unsigned most_ms, well_ms, look_ms;
};

/*
 * Wait until the port is well, for most_ms, looking every look_ms; a link that is to
 * flap must have done so, or have been well for well_ms.  -ENETDOWN: it is not; *err
 * says why.  -EINTR, -EPIPE: as rt_txn_pause().
 */
int rt_settle(const struct rt_settle *settle, struct rt_txn *txn, struct rt_err *err);

#endif
