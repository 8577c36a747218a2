/* SPDX-License-Identifier: BSD-2-Clause */
/* knob_names.h - names of knobs as people write them. */
#ifndef RT_RUN_KNOB_NAMES_H
#define RT_RUN_KNOB_NAMES_H

struct rt_err;

/*
 * Whether each of the names (NULL at the end) is one of a knob, those included that
 * only some driver has.  -EINVAL: one is not; *err has the nearest.
 */
int rt_knob_names_check(const char *const *names, struct rt_err *err);

#endif
