/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/syndrome.h"

#include <stddef.h>
#include <string.h>

#define FIRST_NAK 3u /* index of NAK code 0 */

/* IBTA volume 1, table 45, in units of 10 us; code 0 is the longest. */
static const uint32_t rnr_wait_10us[32] = {
	65536, 1,    2,    3,    4,    6,     8,     12,    16,    24,    32,
	48,    64,   96,   128,  192,  256,   384,   512,   768,   1024,  1536,
	2048,  3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
};

uint64_t rt_rnr_wait_ns(uint8_t syndrome)
{
	return rnr_wait_10us[syndrome & 31] * UINT64_C(10000);
}

/* IBTA volume 1, table 46. */
static const char *const names[RT_SYNDROME_NAMES] = {
	"ACK",
	"RNR NAK",
	"reserved",
	"NAK code 0 (PSN sequence error)",
	"NAK code 1 (invalid request)",
	"NAK code 2 (remote access error)",
	"NAK code 3 (remote operational error)",
	"NAK code 4 (invalid RD request)",
};

unsigned rt_syndrome_index(uint8_t syndrome)
{
	const enum rt_syndrome_kind kind = rt_syndrome_kind(syndrome);

	return kind == RT_SYNDROME_NAK ? FIRST_NAK + (syndrome & 31) : (unsigned)kind;
}

const char *rt_syndrome_name(unsigned index)
{
	return index < RT_SYNDROME_NAMES && names[index] ? names[index]
							 : "NAK with a reserved code";
}

bool rt_syndrome_name_is_fatal(const char *name)
{
	for (unsigned code = RT_NAK_SEQUENCE_ERROR + 1; code < 32; code++)
		if (strcmp(name, rt_syndrome_name(FIRST_NAK + code)) == 0)
			return true;
	return false;
}
