/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lldp_listen.h - LLDP frames, from a capture file or as they come in.
 *
 * An agent sends every 30 seconds unless told otherwise (802.1AB 9.2.5.7), so who
 * listens a little longer has heard everybody.  Nothing is sent.
 */
#ifndef RT_PKTIO_LLDP_LISTEN_H
#define RT_PKTIO_LLDP_LISTEN_H

#include <stddef.h>

#include "wire/lldp_peers.h"

struct rt_err;

#define RT_LLDP_LISTEN_MS 35000

/*
 * All LLDP frames of a capture file ("-": standard input), in Ethernet and not in a
 * tunnel; interfaces have the names that the file gives them.  Adds to *peers, also
 * when it fails.  Errors as rt_capture_open() and as reading says.
 */
int rt_lldp_read_capture(const char *path, struct rt_lldp_peers *peers,
			 struct rt_err *err);

/*
 * Listen on count devices for what comes in, at most most_ms, until each of them has
 * heard somebody who speaks DCBX: where the first to be heard does not, another agent
 * may.  Adds to *peers, also when it fails; whoever is silent is not there, and
 * nobody is heard on a device that is down.
 * -ENODEV: no such device.  -EPERM: not allowed to.  -EINTR: a signal came.
 */
int rt_lldp_listen(const char *const *devices, size_t count, unsigned most_ms,
		   struct rt_lldp_peers *peers, struct rt_err *err);

#endif
