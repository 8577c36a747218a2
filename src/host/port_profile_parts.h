/* SPDX-License-Identifier: BSD-2-Clause */
/* port_profile_parts.h - what the files that write a port's profile have in common. */
#ifndef RT_HOST_PORT_PROFILE_PARTS_H
#define RT_HOST_PORT_PROFILE_PARTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "model/qos.h"

struct rt_device;

#define RT_NOT_THERE UINT64_MAX

struct rt_profile_writer {
	FILE *to;
	const struct rt_device *device;
	const struct rt_qos *qos;
	bool map;           /* DSCPs decide, and their map is known */
	bool shares;        /* how all traffic classes are scheduled can be said */
	uint64_t scheduled; /* traffic classes that a class has said it of */
};

/* One element, or RT_NOT_THERE: unknown, or no entry; element 0. */
uint64_t rt_qos_element(const struct rt_qos *qos, enum rt_knob_id id, unsigned at);
uint64_t rt_qos_scalar(const struct rt_qos *qos, enum rt_knob_id id);

/* Whether a profile's knob of this path may have the number. */
bool rt_param_takes(const char *path, uint64_t number);

/* classes, app and switch: what the port's priorities are. */
void rt_put_profile_classes(struct rt_profile_writer *w);

#endif
