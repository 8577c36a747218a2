/* SPDX-License-Identifier: BSD-2-Clause */
/* table.h - drawing columns of ports. */
#ifndef RT_DASH_TABLE_H
#define RT_DASH_TABLE_H

#include "dash/screens.h"

/* What a column says of a port; NaN: unknown. */
double rt_column_value(const struct rt_column *column,
		       const struct rt_watch_view *view);

/* Cells that are not numbers. */
void rt_draw_port_name(const struct rt_draw *draw, const struct rt_column *column,
		       size_t port, struct rt_box box);
void rt_draw_verdict(const struct rt_draw *draw, const struct rt_column *column,
		     size_t port, struct rt_box box);
void rt_draw_speed(const struct rt_draw *draw, const struct rt_column *column,
		   size_t port, struct rt_box box);
void rt_draw_worst(const struct rt_draw *draw, const struct rt_column *column,
		   size_t port, struct rt_box box);
void rt_draw_gap(const struct rt_draw *draw, const struct rt_column *column,
		 size_t port, struct rt_box box);

#endif
