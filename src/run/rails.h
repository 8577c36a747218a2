/* SPDX-License-Identifier: BSD-2-Clause */
/* rails.h - what each rail of a profile sets, one row per knob; and on which ports. */
#ifndef RT_RUN_RAILS_H
#define RT_RUN_RAILS_H

#include <stddef.h>
#include <stdint.h>

#include "model/params.h"
#include "rocetune/field.h"
#include "rocetune/profile.h"

struct rt_device;
struct rt_devices;
struct rt_err;
struct rt_table;

struct rt_rail_row {
	uint32_t rail; /* entry of rails, from 1 */
	char select[128];
	char path[RT_PARAM_PATH_BYTES]; /* "leaf" for the leaf; "": sets nothing */
	char value[RT_PARAM_TEXT_BYTES];
	char place[RT_PLACE_TEXT_BYTES];
};

struct rt_rail_rows {
	struct rt_rail_row *items; /* owned */
	size_t count, capacity;
};

extern const struct rt_table rt_rail_row_table;

/*
 * Every knob that a rail sets, or that is computed anew on it; a rail that does
 * neither has one row.  The caller frees items, also when it fails (-ENOMEM).
 */
int rt_rail_rows_fill(const struct rt_profile *profile, struct rt_rail_rows *rows,
		      struct rt_err *err);

/*
 * What "rail N" counts: the RoCE ports of a host's NICs (no VFs, no software
 * devices) by PCI address and port, from 0.  Not known: the port is none of them.
 */
struct rt_opt_u64 rt_rail_number(const struct rt_devices *devices,
				 const struct rt_device *device);

/*
 * The entry of rails that selects the device; RT_RAIL_NONE: none does.
 * -EINVAL: several do.
 */
#define RT_RAIL_NONE ((size_t)-1)
int rt_rail_select(const struct rt_profile *profile, const struct rt_devices *devices,
		   const struct rt_device *device, size_t *ret_rail,
		   struct rt_err *err);

/*
 * The leaf that the entry names, {rail} replaced by the port's number; "" when it names
 * none, or needs a number that the port has not.  Returns buf.
 */
char *rt_rail_leaf(const struct rt_rail *rail, struct rt_opt_u64 number, char *buf,
		   size_t bytes);

#endif
