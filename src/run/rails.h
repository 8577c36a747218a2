/* SPDX-License-Identifier: BSD-2-Clause */
/* rails.h - what each rail of a profile sets, one row per knob. */
#ifndef RT_RUN_RAILS_H
#define RT_RUN_RAILS_H

#include <stddef.h>
#include <stdint.h>

#include "model/params.h"
#include "rocetune/profile.h"

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

#endif
