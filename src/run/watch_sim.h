/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * watch_sim.h - a scenario that is simulated, as a source of samples (watch/source.h).
 */
#ifndef RT_RUN_WATCH_SIM_H
#define RT_RUN_WATCH_SIM_H

#include <stdint.h>

struct rt_err;
struct rt_watch_request;
struct rt_watch_source;

/* Simulated time between two samples, of the interval of a real one. */
#define RT_WATCH_SIM_FASTER 1000u

/* Of a run without an interval: so many steps of its duration, or such steps. */
#define RT_WATCH_SIM_STEPS   100u
#define RT_WATCH_SIM_STEP_PS (20 * UINT64_C(1000000))

/*
 * The NICs and switch ports of a scenario, while it runs in the simulator: in its own
 * time, with a sample before its first event, one every thousandth of the request's
 * interval, as what takes a second to watch takes a fabric a millisecond, and one at
 * its end.  An interval of 0 stands for as many samples as there is something to see
 * in.  Of the request only interval_ns, ports and exclude are looked at; the latter are
 * borrowed as long as the source lives.  What reading the scenario and its profile said.
 * -ENODEV: none of its ports was asked for.
 */
int rt_watch_sim_open(const char *path, const struct rt_watch_request *request,
		      struct rt_watch_source **ret_source, struct rt_err *err);

#endif
