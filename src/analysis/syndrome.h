/* SPDX-License-Identifier: BSD-2-Clause */
/* syndrome.h - what an AETH syndrome says (IBTA 9.7.5.1.2, 9.7.5.2.8). */
#ifndef RT_ANALYSIS_SYNDROME_H
#define RT_ANALYSIS_SYNDROME_H

#include <stdbool.h>
#include <stdint.h>

/* The top bit is reserved; bits 6 and 5 tell the kind. */
enum rt_syndrome_kind {
	RT_SYNDROME_ACK = 0,
	RT_SYNDROME_RNR = 1,
	RT_SYNDROME_RESERVED = 2,
	RT_SYNDROME_NAK = 3,
};

#define RT_NAK_SEQUENCE_ERROR 0 /* code of a NAK */

static inline enum rt_syndrome_kind rt_syndrome_kind(uint8_t syndrome)
{
	return (enum rt_syndrome_kind)(syndrome >> 5 & 3);
}

/* The time a receiver not ready asks the sender to wait. */
uint64_t rt_rnr_wait_ns(uint8_t syndrome);

/* For counting: ACK, RNR, reserved, and each NAK code. */
#define RT_SYNDROME_NAMES 35
unsigned rt_syndrome_index(uint8_t syndrome);
const char *rt_syndrome_name(unsigned index);

/* Whether the NAK of this name ends the connection: any but a sequence error. */
bool rt_syndrome_name_is_fatal(const char *name);

#endif
