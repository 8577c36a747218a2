/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * faults.h - how an end is to fall short, on purpose: to see who notices, and what is
 * made of it.  All zero: it does not.
 */
#ifndef RT_TRAFFIC_FAULTS_H
#define RT_TRAFFIC_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

struct rt_engine_faults {
	/*
	 * It takes data no faster than this; what comes faster fills its buffer, and by
	 * PFC (IEEE 802.1Qbb) it stops its peer.  Of priorities that are not lossless,
	 * what finds the buffer full is dropped.
	 */
	uint64_t receive_bps;
	/* Share of messages that find no receive buffer (IBTA 9.7.5.2.8). */
	uint64_t refuse_ppb;
	/* Share of data frames that the next one of their queue pair overtakes. */
	uint64_t overtake_ppb;
	/* Frames that come too early are kept, as NICs do that expect it of a path. */
	bool keep_early;
};

#endif
