/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_lldp.c - any bytes as an LLDPDU, behind an Ethernet header.  What was read
 * without a fault is sent and read again and must come to the same.
 */
#include <stdlib.h>
#include <string.h>

#include "rocetune/err.h"
#include "wire/lldp.h"

#define HOLDS(condition)          \
	do {                      \
		if (!(condition)) \
			abort();  \
	} while (0)

static const uint8_t ethernet[14] = { 1, 0x80, 0xC2, 0, 0, 0x0E, 2,
				      0, 0,    0,    0, 1, 0x88, 0xCC };

static void look(const struct rt_lldp *said)
{
	char text[RT_LLDP_ID_TEXT_BYTES];

	HOLDS(strlen(rt_lldp_chassis_text(&said->chassis, text)) < sizeof(text));
	HOLDS(strlen(rt_lldp_port_text(&said->port, text)) < sizeof(text));
	for (unsigned i = 0; i < RT_DCBX_DIALECT_COUNT; i++)
		HOLDS(said->dcbx[i].apps.count <= RT_DCBX_APP_MAX);
	for (unsigned i = 0; i < said->fault_count && i < RT_LLDP_FAULT_MAX; i++)
		HOLDS(said->faults[i].reason);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static struct rt_lldp said, again;
	uint8_t *frame = malloc(sizeof(ethernet) + bytes);
	uint8_t built[RT_LLDP_FRAME_MAX];
	size_t length;

	if (!frame)
		return 0;
	memcpy(frame, ethernet, sizeof(ethernet));
	memcpy(frame + sizeof(ethernet), data, bytes);
	HOLDS(rt_lldp_decode(frame, sizeof(ethernet) + bytes, &said));
	free(frame);
	look(&said);
	if (said.fault_count)
		return 0;
	length = rt_lldp_build(&said, built, sizeof(built));
	HOLDS(length <= sizeof(built));
	HOLDS(rt_lldp_decode(built, length, &again));
	HOLDS(again.fault_count == 0);
	said.tlv_count = again.tlv_count; /* those that are not read are not sent */
	HOLDS(memcmp(&said, &again, sizeof(said)) == 0);
	return 0;
}
