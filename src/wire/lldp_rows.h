/* SPDX-License-Identifier: BSD-2-Clause */
/* lldp_rows.h - TLVs, a row each, read and written by the same table.  Internal to wire. */
#ifndef RT_WIRE_LLDP_ROWS_H
#define RT_WIRE_LLDP_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/cursor.h"
#include "wire/lldp.h"

#define RT_LLDP_ORG       127
#define RT_LLDP_VALUE_MAX 511
#define RT_LLDP_ORG_BYTES 4 /* OUI and subtype, before the value */

/* 802.1, 802.3, and Intel's, which DCBX had before it was a standard. */
#define RT_OUI_8021 0x0080C2
#define RT_OUI_8023 0x00120F
#define RT_OUI_DCBX 0x001B21

struct rt_lldp_row {
	const char *name;
	uint8_t type;
	uint8_t subtype; /* of RT_LLDP_ORG */
	uint32_t oui;
	/* Bytes of the value; of RT_LLDP_ORG those behind the subtype. */
	uint16_t min, max;
	/*
	 * NULL, or why the value contradicts itself, and then nothing of it was taken
	 * (of a TLV with parts: nothing from that part on).  The length is within the
	 * bounds.  To read beyond the end is a fault, too.
	 */
	const char *(*get)(struct rt_lldp *lldp, struct rt_rd *value);
	/* False: not in this LLDPDU. */
	bool (*put)(const struct rt_lldp *lldp, struct rt_wr *value);
};

/* Those of lldp_dcbx.c, in the order in which they are sent. */
extern const struct rt_lldp_row rt_lldp_dcbx_rows[];
extern const size_t rt_lldp_dcbx_row_count;

/* Note a fault of the TLV at offset; row NULL: one that is not read. */
void rt_lldp_fault(struct rt_lldp *lldp, size_t offset, const struct rt_lldp_row *row,
		   uint8_t type, const char *reason);

#define RT_LLDP_TWICE "stands there a second time; the first one counts"

#endif
