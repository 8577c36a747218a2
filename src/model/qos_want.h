/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * qos_want.h - what the two files that turn a profile into knobs share: what is
 * filled, and from where each element came.
 */
#ifndef RT_MODEL_QOS_WANT_H
#define RT_MODEL_QOS_WANT_H

#include "model/qos.h"
#include "rocetune/profile.h"

/* Where an element came from, to name it when another class disagrees. */
struct rt_want_origin {
	const struct rt_class *class;
	const struct rt_place *place;
};

struct rt_wanting {
	const struct rt_profile *profile;
	const struct rt_qos_port *port;
	struct rt_qos_want *want;
	struct rt_want_origin origin[RT_KNOB_COUNT][64];
	struct rt_err *err;
};

/* Something of the profile that does not become a knob; a full list drops it. */
void rt_want_note(struct rt_wanting *w, const struct rt_place *place, const char *param,
		  const char *fmt, ...) __attribute__((format(printf, 4, 5)));

void rt_want_scalar(struct rt_wanting *w, enum rt_knob_id id,
		    const struct rt_place *place, uint64_t number);

/* What classes decide.  -EINVAL: two of them contradict each other. */
int rt_want_classes(struct rt_wanting *w);

#endif
