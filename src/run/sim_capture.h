/* SPDX-License-Identifier: BSD-2-Clause */
/* sim_capture.h - what a simulation captures, and the file that it writes. */
#ifndef RT_RUN_SIM_CAPTURE_H
#define RT_RUN_SIM_CAPTURE_H

struct rt_err;
struct rt_scenario;
struct rt_sink;

#define RT_SIM_CAPTURE_PORTS 64

/*
 * "a,b" to { "a", "b", NULL }, which lie in *ret_names that the caller frees.
 * -EDOM: an empty name, too many, or one that scenario's topology does not have.
 * -ENOMEM.
 */
int rt_sim_capture_ports(const char *text, const struct rt_scenario *scenario,
			 char **ret_names,
			 const char *ret_ports[RT_SIM_CAPTURE_PORTS + 1],
			 struct rt_err *err);

/*
 * Create path ("-": standard output) for a run of scenario and profile, which may
 * be NULL, names, or files.  A capture that is there is replaced.
 * -EDOM: it is one of these files.  -EEXIST: it holds something else.  Else what
 * rt_capture_create() said.
 */
int rt_sim_capture_create(const char *path, const char *scenario, const char *profile,
			  struct rt_sink **ret_sink, struct rt_err *err);

#endif
