/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counters.h - reading a port's counters, by the rows of its driver.
 *
 * A row says where a driver has a neutral counter, and under which name.  Names are
 * looked up each time: they come and go (mlx5 has those of a priority only while PFC is
 * on for it), so that what was at some place of a list before may be another one now.
 */
#ifndef RT_HOST_COUNTERS_H
#define RT_HOST_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

#include "model/counters.h"

struct rt_device;
struct rt_err;
struct rt_kern;

struct rt_counter_row {
	enum rt_counter_id counter;
	enum rt_counter_source source;
	/*
	 * "rx_prio%_pause": % is the priority, and the row is of all eight; "a+b": the
	 * sum of several, known when all are.
	 */
	const char *name;
	uint32_t scale;   /* neutral = what is read * scale; 0: 1 */
	uint8_t wraps;    /* starts anew at 2^wraps; 0: never */
	uint8_t sticks;   /* stays at 2^sticks - 1: then it is unknown; 0: never */
	const char *from; /* public: kernel file, vendor document */
};

struct rt_counter_rows {
	const struct rt_counter_row *items;
	size_t count;
};

/* Rows of every port, after those of its driver; of one that no RDMA bypasses. */
extern const struct rt_counter_rows rt_counters_common, rt_counters_plain;

/*
 * Read what there is.  Of a bond the sum over its slaves.  A source that cannot be read
 * leaves its counters unknown and says why; its first error is its last.  *ret_set is
 * the caller's to free.  -ENOMEM.
 */
int rt_counters_read(struct rt_kern *kern, const struct rt_device *device,
		     struct rt_counter_set *ret_set, struct rt_err *err);

/* --- again and again -------------------------------------------------------------- */

struct rt_counter_port;

#define RT_COUNTER_ALL_SOURCES ((1u << RT_SOURCE_COUNT) - 1)

/*
 * A port whose sources are held open: files once, names looked up once and again when
 * the driver's set of names changes.  kern and device are borrowed as long as it lives.
 * -ENOMEM.
 */
int rt_counter_port_open(struct rt_kern *kern, const struct rt_device *device,
			 struct rt_counter_port **ret_port, struct rt_err *err);
void rt_counter_port_close(struct rt_counter_port *port); /* NULL is fine */
/*
 * In a folder that something writes to files may be replaced by others of their name:
 * what is held open of those is opened anew.  One that was removed stays as it was.
 * Whether there was one; a system call for each file.
 */
bool rt_counter_port_renew(struct rt_counter_port *port);

/*
 * Read the sources in a mask (bits of enum rt_counter_source) into *set, which is zero
 * or of the last call; what others said stays, with its time (paces).  What a source
 * that failed once had is gone, and it is not asked again.  set->layout changes with
 * which counters there are.  -ENODEV: the port has gone.  -ENOMEM.
 */
int rt_counter_port_read(struct rt_counter_port *port, unsigned sources,
			 struct rt_counter_set *set, struct rt_err *err);

/*
 * The port that name says (RDMA device, network device, PCI address), or a network
 * device without RDMA, of which only names and driver are filled; all for
 * rt_counters_read().  It owns nothing.  -ENODEV, -EINVAL: several ports.
 */
int rt_counters_port(struct rt_kern *kern, const char *name,
		     struct rt_device *ret_device, struct rt_err *err);

/*
 * Network devices that a driver stands behind, hardware or veth: what there is to watch
 * where there is no RDMA.  Filled as by rt_counters_port(), with state, speed and MTU;
 * only the list is owned.  What links said, -ENOMEM.
 */
struct rt_devices;
int rt_counters_netdevs(struct rt_kern *kern, struct rt_devices *ret_devices,
			struct rt_err *err);

#endif
