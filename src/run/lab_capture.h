/* SPDX-License-Identifier: BSD-2-Clause */
/* lab_capture.h - a thread that looks at a lab's switch ports while traffic runs. */
#ifndef RT_RUN_LAB_CAPTURE_H
#define RT_RUN_LAB_CAPTURE_H

#include <stdint.h>

#include "lab/lab_state.h"

struct rt_analysis;
struct rt_err;
struct rt_lab_capture;
struct rt_sink;

struct rt_lab_capture_config {
	const struct rt_lab_state *state; /* borrowed until the end, as all here */
	const char *const *ports;         /* of the switch; ends with NULL */
	uint64_t speed_bps;
	struct rt_sink *sink; /* NULL: keep nothing */
};

/* Returns when every port is being captured.  Errors of rt_live_open(). */
int rt_lab_capture_start(const struct rt_lab_capture_config *config,
			 struct rt_lab_capture **ret_capture, struct rt_err *err);

/* Stop, and what was seen; takes capture.  The caller frees *ret_analysis. */
int rt_lab_capture_end(struct rt_lab_capture *capture, struct rt_analysis *ret_analysis,
		       struct rt_err *err);

#endif
