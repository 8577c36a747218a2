/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * icrc.h - the invariant CRC, which covers what no switch may change.
 *
 * CRC-32 of IEEE 802.3 over the packet with its changeable fields set to ones
 * (IBTA 7.8.1; A16.4.3 for RoCEv1, A17.3.3 for RoCEv2).  It is stored with its
 * low byte first.
 */
#ifndef RT_WIRE_ICRC_H
#define RT_WIRE_ICRC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What stands in front of the BTH, and so which fields are masked. */
enum rt_icrc_form {
	RT_ICRC_IPV4,    /* IPv4 header (options too), UDP */
	RT_ICRC_IPV6,    /* IPv6 header, extension headers, UDP */
	RT_ICRC_GRH,     /* GRH: RoCEv1 */
	RT_ICRC_LRH,     /* LRH: native InfiniBand within a subnet */
	RT_ICRC_LRH_GRH, /* LRH and GRH */
	RT_ICRC_FORM_COUNT,
};

/*
 * The ICRC of a packet.  data points at the first header of the form and holds
 * bytes up to, not including, the ICRC; the BTH starts at bth_offset, which is
 * at least the length of those headers, and all of it lies within bytes.
 */
uint32_t rt_icrc_of(enum rt_icrc_form form, const uint8_t *data, size_t bth_offset,
		    size_t bytes);

/*
 * The same by one of two ways: by carry-less multiplication, which
 * rt_crc32_can_fold() has to allow, or by tables.
 */
uint32_t rt_icrc_by(enum rt_icrc_form form, const uint8_t *data, size_t bth_offset,
		    size_t bytes, bool multiply);

/*
 * CRC-32 step without the inversions at both ends: start from ~0 and invert the
 * result for the usual value (zlib's crc32).
 */
uint32_t rt_crc32_update(uint32_t state, const uint8_t *data, size_t bytes);

/* The same by tables on any processor. */
uint32_t rt_crc32_by_table(uint32_t state, const uint8_t *data, size_t bytes);

/* Can this processor multiply without carries? */
bool rt_crc32_can_fold(void);

#define RT_CRC32_FIRST 64

/*
 * If so, fold many bytes into 16: ret_rest, taken from state 0, has the CRC that
 * the returned number of bytes had, taken from state.  The first RT_CRC32_FIRST of
 * them are at first, the others where they belong behind data.  Returns 0, and writes
 * nothing, when there are fewer.
 */
size_t rt_crc32_fold(uint32_t state, const uint8_t *first, const uint8_t *data,
		     size_t bytes, uint8_t ret_rest[16]);

#endif
