/* SPDX-License-Identifier: BSD-2-Clause */
/* ip.h - whether addresses are the same, and how long their prefixes are. */
#ifndef RT_BASE_IP_H
#define RT_BASE_IP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "rocetune/field.h"

/* Of one version, and the bytes that it has; two that are not there are equal. */
static inline bool rt_ip_equal(const struct rt_ip *a, const struct rt_ip *b)
{
	return a->version == b->version &&
	       memcmp(a->bytes, b->bytes, a->version == 4 ? 4 : 16) == 0;
}

/* Length of the prefix that a netmask of so many bytes leaves. */
static inline unsigned rt_ip_prefix_bits(const uint8_t *mask, size_t bytes)
{
	unsigned bits = 0;

	for (size_t i = 0; i < bytes; i++)
		bits += (unsigned)__builtin_popcount(mask[i]);
	return bits;
}

#endif
