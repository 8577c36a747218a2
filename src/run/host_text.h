/* SPDX-License-Identifier: BSD-2-Clause */
/* host_text.h - small texts that the journeys about hosts share. */
#ifndef RT_RUN_HOST_TEXT_H
#define RT_RUN_HOST_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "host/device.h"
#include "run/host.h"

/* Append; what does not fit whole is left out, and false says so. */
bool rt_put(char *buf, size_t bytes, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
#define RT_PUT(array, ...) rt_put((array), sizeof(array), __VA_ARGS__)

/* One more name of a list; "..." where no more fit. */
void rt_put_name(char names[RT_HOST_TEXT_BYTES], const char *name);

/* "mlx5_0/1"; returns buf. */
char *rt_device_title(const struct rt_device *device, char buf[RT_DEVICE_NAME_BYTES]);

/* "Gen3 x8 of Gen5 x16", "" when not told; returns buf. */
char *rt_device_pcie(const struct rt_device *device, char buf[64]);

#endif
