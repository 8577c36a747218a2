/* SPDX-License-Identifier: BSD-2-Clause */
/* top_batch.h - what `rocetune top` writes where there is no screen. */
#ifndef RT_CMD_TOP_BATCH_H
#define RT_CMD_TOP_BATCH_H

#include <stdbool.h>

#include "rocetune/field.h"

struct rt_cmd;
struct rt_err;
struct rt_watch;

struct rt_top_batch {
	struct rt_opt_u64 intervals; /* unknown: until it ends, or is told to */
	double speed;                /* 0: as fast as it goes */
	bool csv;                    /* instead of text or JSON */
};

/* As rt_cmd_fail(), but the object is a line like all others. */
int rt_top_batch_fail(struct rt_cmd *cmd, const struct rt_err *err);

/* Watches until it ends; an enum rt_exit. */
int rt_top_batch(struct rt_cmd *cmd, struct rt_watch *watch,
		 const struct rt_top_batch *batch);

#endif
