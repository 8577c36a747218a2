/* SPDX-License-Identifier: BSD-2-Clause */
/* live.h - what passes an interface now, as a source of decoded frames. */
#ifndef RT_PKTIO_LIVE_H
#define RT_PKTIO_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "rocetune/frame.h"

struct rt_err;

struct rt_live_config {
	const char *const
		*netdevs;      /* ends with NULL; one interface of the source each */
	uint64_t speed_bps;    /* of the links; 0: not told */
	unsigned decode_flags; /* enum rt_decode_flags */
	bool roce_only;        /* RoCE and pauses, told in the kernel; else all */
	struct rt_sink *sink;  /* borrowed: gets every frame too; NULL: nobody */
	int64_t until_ns;      /* CLOCK_MONOTONIC; then the source ends */
	int stop_fd;           /* it also ends when this is readable; -1: none */
};

/*
 * Both ways are seen, but not what others send there past the queueing discipline.
 * Frames come in order of time, but for the microseconds that a frame needs from its
 * stamp to its ring.  Read blocks until frames come or the source ends.  What the rings
 * had no room for is in the interfaces' dropped.  Errors of rt_ring_open().
 */
int rt_live_open(const struct rt_live_config *config, struct rt_source **ret_source,
		 struct rt_err *err);

#endif
