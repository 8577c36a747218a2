/* SPDX-License-Identifier: BSD-2-Clause */
/* ip.h - whether addresses are the same. */
#ifndef RT_BASE_IP_H
#define RT_BASE_IP_H

#include <stdbool.h>
#include <string.h>

#include "rocetune/field.h"

/* Of one version, and the bytes that it has; two that are not there are equal. */
static inline bool rt_ip_equal(const struct rt_ip *a, const struct rt_ip *b)
{
	return a->version == b->version &&
	       memcmp(a->bytes, b->bytes, a->version == 4 ? 4 : 16) == 0;
}

#endif
