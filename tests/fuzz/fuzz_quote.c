/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_quote.c - any bytes as an ICMP error of either version, and as a packet of a
 * probe: the first byte selects.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "wire/probe.h"
#include "wire/quote.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void try_quote(const uint8_t *at, size_t bytes, bool ipv6)
{
	struct rt_quote quote;

	if (!rt_quote_parse(at, bytes, ipv6, &quote))
		return;
	if (quote.payload + quote.payload_bytes != at + bytes ||
	    quote.from.version != (ipv6 ? 6 : 4) || quote.kind > RT_QUOTE_TOO_BIG)
		abort();
}

/* What is read is written as it was, but for bits that mean nothing. */
static void try_packet(const uint8_t *at, size_t bytes)
{
	struct rt_probe_packet packet, again;
	uint8_t written[RT_PROBE_BYTES];

	memset(&packet, 0, sizeof(packet));
	memset(&again, 0, sizeof(again));
	if (!rt_probe_read(at, bytes, &packet))
		return;
	rt_probe_write(&packet, written);
	if (!rt_probe_read(written, sizeof(written), &again) ||
	    memcmp(&packet, &again, sizeof(packet)) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	uint8_t *exact; /* of exactly this size */

	if (bytes == 0)
		return 0;
	exact = malloc(bytes);
	if (!exact)
		return 0;
	memcpy(exact, data + 1, bytes - 1);
	if (data[0] % 3 == 2)
		try_packet(exact, bytes - 1);
	else
		try_quote(exact, bytes - 1, data[0] % 3);
	free(exact);
	return 0;
}
