/* SPDX-License-Identifier: BSD-2-Clause */
/* flow_window.h - the analysis of a window of time, as the flows that watchers see. */
#ifndef RT_RUN_FLOW_WINDOW_H
#define RT_RUN_FLOW_WINDOW_H

#include "rocetune/analysis.h"
#include "watch/sample.h"

struct rt_err;

/*
 * Flows and fans of *flows are replaced, and total, frames and unfollowed; the rest is
 * the caller's.
 * -ENOMEM: flows are as before.
 */
int rt_flow_window_fill(const struct rt_analysis *analysis,
			struct rt_watch_flows *flows, struct rt_err *err);

#endif
