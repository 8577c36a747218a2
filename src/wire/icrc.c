/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * icrc.c - CRC-32 by sixteen bytes a step, and what the invariant CRC masks.
 *
 * The method is "slicing" (Kounavis and Berry, IEEE ISCC 2005).  Its tables are
 * linear in their index, so each is spelled here as the eight values of its
 * single-bit indices, 0x80 first: consecutive powers of x modulo the polynomial,
 * x^32 to x^159.  The compiler sums them up; the unit test recomputes them.
 */
#include "wire/icrc.h"

#include <string.h>

#include "wire/bytes.h"

#define BIT(i, mask, value) ((i) & (mask) ? (value) : 0u)
#define AT(i, a, b, c, d, e, f, g, h)                                           \
	BIT(i, 0x80, a) ^ BIT(i, 0x40, b) ^ BIT(i, 0x20, c) ^ BIT(i, 0x10, d) ^ \
		BIT(i, 0x08, e) ^ BIT(i, 0x04, f) ^ BIT(i, 0x02, g) ^ BIT(i, 0x01, h)
#define AT4(i, ...)                                                         \
	AT(i, __VA_ARGS__), AT(i + 1, __VA_ARGS__), AT(i + 2, __VA_ARGS__), \
		AT(i + 3, __VA_ARGS__)
#define AT16(i, ...)                                                           \
	AT4(i, __VA_ARGS__), AT4(i + 4, __VA_ARGS__), AT4(i + 8, __VA_ARGS__), \
		AT4(i + 12, __VA_ARGS__)
#define AT64(i, ...)                                                                \
	AT16(i, __VA_ARGS__), AT16(i + 16, __VA_ARGS__), AT16(i + 32, __VA_ARGS__), \
		AT16(i + 48, __VA_ARGS__)
#define SLICE(...)                                                                   \
	{                                                                            \
		AT64(0, __VA_ARGS__), AT64(64, __VA_ARGS__), AT64(128, __VA_ARGS__), \
			AT64(192, __VA_ARGS__)                                       \
	}

static const uint32_t slices[16][256] = {
	SLICE(0xEDB88320, 0x76DC4190, 0x3B6E20C8, 0x1DB71064, 0x0EDB8832, 0x076DC419,
	      0xEE0E612C, 0x77073096),
	SLICE(0x3B83984B, 0xF0794F05, 0x958424A2, 0x4AC21251, 0xC8D98A08, 0x646CC504,
	      0x32366282, 0x191B3141),
	SLICE(0xE1351B80, 0x709A8DC0, 0x384D46E0, 0x1C26A370, 0x0E1351B8, 0x0709A8DC,
	      0x0384D46E, 0x01C26A37),
	SLICE(0xED59B63B, 0x9B14583D, 0xA032AF3E, 0x5019579F, 0xC5B428EF, 0x8F629757,
	      0xAA09C88B, 0xB8BC6765),
	SLICE(0xB1E6B092, 0x58F35849, 0xC1C12F04, 0x60E09782, 0x30704BC1, 0xF580A6C0,
	      0x7AC05360, 0x3D6029B0),
	SLICE(0x1EB014D8, 0x0F580A6C, 0x07AC0536, 0x03D6029B, 0xEC53826D, 0x9B914216,
	      0x4DC8A10B, 0xCB5CD3A5),
	SLICE(0x8816EAF2, 0x440B7579, 0xCFBD399C, 0x67DE9CCE, 0x33EF4E67, 0xF44F2413,
	      0x979F1129, 0xA6770BB4),
	SLICE(0x533B85DA, 0x299DC2ED, 0xF9766256, 0x7CBB312B, 0xD3E51BB5, 0x844A0EFA,
	      0x4225077D, 0xCCAA009E),
	SLICE(0x6655004F, 0xDE920307, 0x82F182A3, 0xACC04271, 0xBBD8A218, 0x5DEC510C,
	      0x2EF62886, 0x177B1443),
	SLICE(0xE6050901, 0x9EBA07A0, 0x4F5D03D0, 0x27AE81E8, 0x13D740F4, 0x09EBA07A,
	      0x04F5D03D, 0xEFC26B3E),
	SLICE(0x77E1359F, 0xD64819EF, 0x869C8FD7, 0xAEF6C4CB, 0xBAC3E145, 0xB0D97382,
	      0x586CB9C1, 0xC18EDFC0),
	SLICE(0x60C76FE0, 0x3063B7F0, 0x1831DBF8, 0x0C18EDFC, 0x060C76FE, 0x03063B7F,
	      0xEC3B9E9F, 0x9BA54C6F),
	SLICE(0xA06A2517, 0xBD8D91AB, 0xB37E4BF5, 0xB407A6DA, 0x5A03D36D, 0xC0B96A96,
	      0x605CB54B, 0xDD96D985),
	SLICE(0x8373EFE2, 0x41B9F7F1, 0xCD6478D8, 0x66B23C6C, 0x33591E36, 0x19AC8F1B,
	      0xE16EC4AD, 0x9D0FE176),
	SLICE(0x4E87F0BB, 0xCAFB7B7D, 0x88C53E9E, 0x44629F4F, 0xCF89CC87, 0x8A7C6563,
	      0xA886B191, 0xB9FBDBE8),
	SLICE(0x5CFDEDF4, 0x2E7EF6FA, 0x173F7B7D, 0xE6273E9E, 0x73139F4F, 0xD4314C87,
	      0x87A02563, 0xAE689191),
};

/* One word of the step; its lowest byte is furthest from the end. */
static inline uint32_t fold(const uint32_t table[][256], uint32_t word)
{
	return table[3][word & 0xFF] ^ table[2][word >> 8 & 0xFF] ^
	       table[1][word >> 16 & 0xFF] ^ table[0][word >> 24];
}

uint32_t rt_crc32_by_table(uint32_t state, const uint8_t *data, size_t bytes)
{
	for (; bytes >= 16; data += 16, bytes -= 16)
		state = fold(&slices[12], rt_get_le32(data) ^ state) ^
			fold(&slices[8], rt_get_le32(data + 4)) ^
			fold(&slices[4], rt_get_le32(data + 8)) ^
			fold(&slices[0], rt_get_le32(data + 12));
	for (; bytes >= 4; data += 4, bytes -= 4)
		state = fold(&slices[0], rt_get_le32(data) ^ state);
	for (; bytes; data++, bytes--)
		state = state >> 8 ^ slices[0][(state ^ *data) & 0xFF];
	return state;
}

/* first replaces as many bytes at data, of which there are more. */
static uint32_t update(uint32_t state, const uint8_t *first, const uint8_t *data,
		       size_t bytes, bool multiply)
{
	uint8_t rest[16];
	const size_t folded = multiply ? rt_crc32_fold(state, first, data, bytes, rest)
				       : 0;

	if (folded) {
		state = rt_crc32_by_table(0, rest, sizeof(rest));
		return rt_crc32_by_table(state, data + folded, bytes - folded);
	}
	state = rt_crc32_by_table(state, first, RT_CRC32_FIRST);
	return rt_crc32_by_table(state, data + RT_CRC32_FIRST, bytes - RT_CRC32_FIRST);
}

uint32_t rt_crc32_update(uint32_t state, const uint8_t *data, size_t bytes)
{
	if (bytes < RT_CRC32_FIRST)
		return rt_crc32_by_table(state, data, bytes);
	return update(state, data, data, bytes, rt_crc32_can_fold());
}

#define HEAD_MAX 48 /* LRH and GRH */
#define TAIL_MAX 20 /* UDP and BTH */

/* A byte of the head and the bits of it that are set to ones; {0, 0} ends. */
struct mask {
	uint8_t at, ones;
};

struct form {
	uint32_t seed;      /* state after the eight 0xFF that stand for an LRH */
	uint8_t head_bytes; /* of the network headers without options */
	uint8_t udp_bytes;
	struct mask masks[16];
};

#define NO_LRH 0xDEBB20E3u

/* Traffic class, flow label and hop limit of an IPv6 header or a GRH at byte at. */
#define V6_MASKS(at)                                                                \
	{ (at), 0x0F }, { (at) + 1, 0xFF }, { (at) + 2, 0xFF }, { (at) + 3, 0xFF }, \
	{                                                                           \
		(at) + 7, 0xFF                                                      \
	}

static const struct form forms[RT_ICRC_FORM_COUNT] = {
	/* TOS, TTL, header checksum */
	[RT_ICRC_IPV4] = { NO_LRH,
			   20,
			   8,
			   { { 1, 0xFF }, { 8, 0xFF }, { 10, 0xFF }, { 11, 0xFF } } },
	[RT_ICRC_IPV6] = { NO_LRH, 40, 8, { V6_MASKS(0) } },
	[RT_ICRC_GRH] = { NO_LRH, 40, 0, { V6_MASKS(0) } },
	/* the virtual lane only */
	[RT_ICRC_LRH] = { ~0u, 8, 0, { { 0, 0xF0 } } },
	/* all of the LRH */
	[RT_ICRC_LRH_GRH] = { ~0u,
			      48,
			      0,
			      { { 0, 0xFF },
				{ 1, 0xFF },
				{ 2, 0xFF },
				{ 3, 0xFF },
				{ 4, 0xFF },
				{ 5, 0xFF },
				{ 6, 0xFF },
				{ 7, 0xFF },
				V6_MASKS(8) } },
};

/* head: the headers of the form; bth: the BTH, with a UDP header right before it. */
static void mask(const struct form *f, uint8_t *head, uint8_t *bth)
{
	for (const struct mask *mask = f->masks; mask->ones; mask++)
		head[mask->at] |= mask->ones;
	if (f->udp_bytes)
		bth[-2] = bth[-1] = 0xFF; /* checksum */
	bth[4] = 0xFF;                    /* FECN, BECN, reserved */
}

/* Headers longer than usual, or hardly more than headers. */
static uint32_t by_parts(const struct form *f, const uint8_t *data, size_t bth_offset,
			 size_t bytes)
{
	const size_t tail_bytes = f->udp_bytes + 12u;
	const size_t tail_at = bth_offset - f->udp_bytes;
	uint8_t head[HEAD_MAX], tail[TAIL_MAX];
	uint32_t state;

	memcpy(head, data, f->head_bytes);
	memcpy(tail, data + tail_at, tail_bytes);
	mask(f, head, tail + f->udp_bytes);
	state = rt_crc32_by_table(f->seed, head, f->head_bytes);
	state = rt_crc32_by_table(state, data + f->head_bytes, tail_at - f->head_bytes);
	state = rt_crc32_by_table(state, tail, tail_bytes);
	return ~rt_crc32_by_table(state, data + tail_at + tail_bytes,
				  bytes - tail_at - tail_bytes);
}

uint32_t rt_icrc_by(enum rt_icrc_form form, const uint8_t *data, size_t bth_offset,
		    size_t bytes, bool multiply)
{
	const struct form *f = &forms[form];
	uint8_t first[RT_CRC32_FIRST];

	if (bth_offset + 12 > sizeof(first) || bytes < sizeof(first))
		return by_parts(f, data, bth_offset, bytes);
	memcpy(first, data, sizeof(first));
	mask(f, first, first + bth_offset);
	return ~update(f->seed, first, data, bytes, multiply);
}

uint32_t rt_icrc_of(enum rt_icrc_form form, const uint8_t *data, size_t bth_offset,
		    size_t bytes)
{
	return rt_icrc_by(form, data, bth_offset, bytes, rt_crc32_can_fold());
}
