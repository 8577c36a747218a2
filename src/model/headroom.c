/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * headroom.c - the published headroom formulas, one row each.
 *
 * All arithmetic is on integers: a result that must equal a vendor's table to
 * the byte must not depend on how a compiler rounds.
 */
#include "rocetune/headroom.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "model/headroom.h"
#include "rocetune/err.h"

#define GBPS 1000000000ull
#define KIB  1024ull

typedef unsigned __int128 u128;

static uint64_t divide_up(u128 number, u128 by)
{
	return (uint64_t)((number + by - 1) / by);
}

static void add_term(struct rt_headroom *headroom, const char *name,
		     struct rt_opt_u64 bits, const char *why)
{
	headroom->terms[headroom->term_count++] =
		(struct rt_headroom_term){ .name = name, .bits = bits, .why = why };
}

static void add_bits(struct rt_headroom *headroom, const char *name, uint64_t bits,
		     const char *why)
{
	add_term(headroom, name, RT_KNOWN_U64(bits), why);
}

static uint64_t sum_bits(const struct rt_headroom *headroom, bool *ret_all_known)
{
	uint64_t sum = 0;

	*ret_all_known = true;
	for (size_t i = 0; i < headroom->term_count; i++)
		if (headroom->terms[i].bits.known)
			sum += headroom->terms[i].bits.value;
		else
			*ret_all_known = false;
	return sum;
}

/* The result, and what rounding added, so that the terms add up to it. */
static void conclude(struct rt_headroom *headroom, uint64_t bytes, const char *why)
{
	bool all_known;
	const uint64_t sum = sum_bits(headroom, &all_known);

	headroom->headroom_bytes = RT_KNOWN_U64(bytes);
	if (bytes * 8 > sum)
		add_bits(headroom, "rounding", bytes * 8 - sum, why);
}

/* A speed and what some table says for it. */
struct by_speed {
	uint64_t gbps, value;
};

static struct rt_opt_u64 look_up(const struct by_speed *rows, uint64_t speed_bps)
{
	for (; rows->gbps; rows++)
		if (rows->gbps * GBPS == speed_bps)
			return RT_KNOWN_U64(rows->value);
	return (struct rt_opt_u64){ 0 };
}

static struct rt_opt_u64 times(struct rt_opt_u64 number, uint64_t by)
{
	number.value *= by;
	return number;
}

/* --- IEEE 802.1Qbb, as Cisco lists the sum --------------------------------- */

/* 802.3 bounds of MAC, PCS and PHY together, in bit times. */
static const struct by_speed interface_bits[] = {
	{ 10, 8192 }, { 25, 6144 }, { 40, 24576 }, { 100, 122880 }, { 0 },
};

/* 802.3 annex 31B: pause_quanta a MAC may take to obey. */
static const struct by_speed response_quanta[] = {
	{ 10, 60 }, { 25, 80 }, { 40, 118 }, { 100, 394 }, { 400, 905 }, { 0 },
};

#define QUANTUM_BITS   512
#define FRAME_GAP_BITS 160 /* preamble 64, inter-frame gap 96 */

static void compute_ieee(const struct rt_headroom_model *model,
			 const struct rt_headroom_link *link,
			 struct rt_headroom *headroom)
{
	const uint64_t frame = headroom->mtu_bytes * 8 + FRAME_GAP_BITS;
	bool all_known;
	uint64_t sum;

	(void)model;
	add_bits(headroom, "own frame", frame,
		 "one has just begun; PFC cannot interrupt it");
	add_bits(headroom, "PFC frame", 512 + FRAME_GAP_BITS,
		 "64 bytes, preamble and gap");
	add_term(headroom, "interface delay", look_up(interface_bits, link->speed_bps),
		 "bound of 802.3, counted once");
	add_bits(headroom, "cable, both ways",
		 2 * divide_up((u128)link->length_mm * link->speed_bps * 5,
			       1000ull * GBPS),
		 "5 ns a metre");
	add_term(headroom, "peer's reaction",
		 times(look_up(response_quanta, link->speed_bps), QUANTUM_BITS),
		 "pause quanta of 802.3 annex 31B");
	add_bits(headroom, "peer's frame", frame, "one it has just begun");
	sum = sum_bits(headroom, &all_known);
	if (all_known)
		return conclude(headroom, divide_up(sum, 8), "to a whole byte");
	snprintf(
		headroom->note, sizeof(headroom->note),
		"the source has no delays for this speed; the other terms make %" PRIu64
		" bytes",
		divide_up(sum, 8));
}

/* --- SONiC, NVIDIA plug-in ---------------------------------------------------- */

struct sonic {
	uint64_t max_gbps,
		lanes8_gbps;     /* the chip's fastest; where a port has 8 lanes */
	uint64_t occupancy_4ths; /* buffer a byte takes at worst, in quarters */
	uint64_t peer_10ths;     /* bytes * 10; 0: by the quanta table */
	uint64_t tile_bytes_per_gbps;
	uint64_t lanes8_xon;
};

/* 3.8 KiB, about 61 quanta, whatever the speed. */
#define FIXED_PEER_10THS 38912

static const struct sonic spectrum1 = { 100, 0, 8, FIXED_PEER_10THS, 0, 0 };
static const struct sonic spectrum2 = { 200, 0, 9, FIXED_PEER_10THS, 0, 0 };
static const struct sonic spectrum3 = { 400, 400, 9, FIXED_PEER_10THS, 0, 37 * KIB };
static const struct sonic spectrum4 = { 800, 800, 12, 0, 15, 38 * KIB };

static const struct by_speed sonic_quanta[] = {
	{ 1, 2 },     { 10, 67 },   { 25, 80 },   { 40, 118 },  { 50, 147 },
	{ 100, 394 }, { 200, 453 }, { 400, 905 }, { 800, 905 }, { 0 },
};

#define SONIC_LOSSLESS_MTU 1024
#define SONIC_XON          (19 * KIB)
#define SIGNAL_M_PER_S     198000000ull

/* One byte in the unit that keeps every term whole: tenths, cable, quarters. */
#define SONIC_UNIT ((u128)SIGNAL_M_PER_S * 1000 * 8 * 10 * 4)

static struct rt_opt_u64 sonic_peer_10ths(const struct sonic *chip, uint64_t speed_bps)
{
	if (chip->peer_10ths)
		return RT_KNOWN_U64(chip->peer_10ths);
	return times(look_up(sonic_quanta, speed_bps), QUANTUM_BITS / 8 * 10);
}

static void compute_sonic(const struct rt_headroom_model *model,
			  const struct rt_headroom_link *link,
			  struct rt_headroom *headroom)
{
	const struct sonic *chip = model->parameters;
	const struct rt_opt_u64 peer = sonic_peer_10ths(chip, link->speed_bps);
	const bool lanes8 = chip->lanes8_gbps &&
			    link->speed_bps == chip->lanes8_gbps * GBPS;
	const u128 cable = (u128)2 * link->length_mm * link->speed_bps * 10 * 4;
	const u128 tile = (u128)chip->tile_bytes_per_gbps * link->speed_bps *
			  SONIC_UNIT / GBPS;
	u128 path, raw;

	if (!peer.known || link->speed_bps > chip->max_gbps * GBPS) {
		snprintf(headroom->note, sizeof(headroom->note),
			 "not a speed of this chip (at most %" PRIu64
			 "G) or of SONiC's table of reactions",
			 chip->max_gbps);
		return;
	}
	path = headroom->mtu_bytes * SONIC_UNIT + cable + SONIC_UNIT * 8192 / 10 +
	       SONIC_UNIT * peer.value / 10 + tile;
	raw = SONIC_LOSSLESS_MTU * SONIC_UNIT + path / 4 * chip->occupancy_4ths;

	add_bits(headroom, "lossless frame", SONIC_LOSSLESS_MTU * 8,
		 "1024 bytes, typical");
	add_bits(headroom, "port MTU", headroom->mtu_bytes * 8,
		 "a frame has just begun");
	add_bits(headroom, "cable, both ways", divide_up(cable * 8, SONIC_UNIT),
		 "198 000 000 m/s");
	add_bits(headroom, "MAC and PHY", divide_up(8192 * 8, 10), "0.8 KiB");
	add_bits(headroom, "peer's reaction", divide_up(peer.value * 8, 10),
		 chip->peer_10ths ? "3.8 KiB at every speed" : "pause quanta by speed");
	if (tile)
		add_bits(headroom, "on the chip", divide_up(tile * 8, SONIC_UNIT),
			 "15 bytes for each Gb/s");
	add_bits(headroom, "cells",
		 (uint64_t)(path / 4 * (chip->occupancy_4ths - 4) * 8 / SONIC_UNIT),
		 "worst filling of buffer cells, not for the lossless frame");
	conclude(headroom, divide_up(raw, SONIC_UNIT * KIB) * KIB, "to 1 KiB");

	headroom->xon_bytes = RT_KNOWN_U64(lanes8 ? chip->lanes8_xon : SONIC_XON);
	if (lanes8)
		raw += headroom->mtu_bytes * SONIC_UNIT;
	headroom->size_bytes = RT_KNOWN_U64(headroom->xon_bytes.value +
					    divide_up(raw, SONIC_UNIT * KIB) * KIB);
}

/* --- mlx5 ------------------------------------------------------------------------ */

static void compute_mlx5(const struct rt_headroom_model *model,
			 const struct rt_headroom_link *link,
			 struct rt_headroom *headroom)
{
	const uint64_t metres = divide_up(link->length_mm, 1000);
	const uint64_t speed = link->speed_bps < 40 * GBPS ? 40 * GBPS
							   : link->speed_bps;
	const uint64_t mbps = speed / 1000000;
	const uint64_t path = (301 + 216 * metres / 100) * mbps / 1000;
	const uint64_t cable = path - 301 * mbps / 1000;

	(void)model;
	add_bits(headroom, "reaction", (path - cable) * 8,
		 "301 bytes for each Gb/s, at least as for 40G");
	add_bits(headroom, "cable", cable * 8, "2.16 bytes for each Gb/s and metre");
	add_bits(headroom, "frames", 272 * headroom->mtu_bytes / 100 * 8, "2.72 MTU");
	conclude(headroom, path + 272 * headroom->mtu_bytes / 100, "");
	snprintf(headroom->note, sizeof(headroom->note),
		 "of a NIC's receive buffer: XOFF at its size less this, XON one MTU "
		 "lower%s",
		 metres > 999 ? "; the driver takes cables up to 999 m" : "");
}

/* --- Cisco's short form --------------------------------------------------------- */

static void compute_cisco(const struct rt_headroom_model *model,
			  const struct rt_headroom_link *link,
			  struct rt_headroom *headroom)
{
	const uint64_t cable = divide_up((u128)13 * link->length_mm * link->speed_bps,
					 (u128)10 * 1000 * GBPS);
	bool all_known;

	(void)model;
	add_bits(headroom, "own frame", headroom->mtu_bytes * 8,
		 "MTU of the sender of PAUSE");
	add_bits(headroom, "peer's frame", headroom->mtu_bytes * 8, "MTU of the peer");
	add_bits(headroom, "peer's reaction", 60 * QUANTUM_BITS,
		 "60 quanta, as for 10G");
	add_bits(headroom, "cable, both ways", cable * 8,
		 "1.3 bytes for each Gb/s and metre");
	conclude(headroom, sum_bits(headroom, &all_known) / 8, "");
	snprintf(headroom->note, sizeof(headroom->note),
		 "add up to 1280 bytes for transceivers; 60 quanta are too few from "
		 "25G on");
}

/* --- Linux ixgbe -------------------------------------------------------------------- */

struct ixgbe {
	uint64_t interface_bits; /* MAC, XAUI and PHY of one end */
};

static const struct ixgbe ixgbe_82599 = { 4096 + 2 * 1024 + 12800 };
static const struct ixgbe ixgbe_x540 = { 8192 + 2 * 2048 + 25600 };

#define IXGBE_CABLE_BITS 5556 /* copper, 100 m at 10G */

static void compute_ixgbe(const struct rt_headroom_model *model,
			  const struct rt_headroom_link *link,
			  struct rt_headroom *headroom)
{
	const struct ixgbe *nic = model->parameters;
	const uint64_t frame = headroom->mtu_bytes * 8;
	const uint64_t sum = frame + 672 + 2 * IXGBE_CABLE_BITS +
			     2 * nic->interface_bits + 6144;
	const uint64_t packed = 36 * sum / 25, all = packed + 1 + 2 * frame;

	if (link->speed_bps != 10 * GBPS) {
		snprintf(headroom->note, sizeof(headroom->note),
			 "a formula for 10G only: its constants are bit times at 10G");
		return;
	}
	add_bits(headroom, "frame", frame, "--mtu is taken as the frame's size");
	add_bits(headroom, "PFC frame", 672, "64 bytes, preamble and gap");
	add_bits(headroom, "cable, both ways", 2 * IXGBE_CABLE_BITS,
		 "always 100 m of copper");
	add_bits(headroom, "interface delay", 2 * nic->interface_bits, "of both ends");
	add_bits(headroom, "higher layers", 6144, "of the driver's choice");
	add_bits(headroom, "packing", packed - sum, "36/25 of the terms above");
	add_bits(headroom, "frames of the class", 1 + 2 * frame, "two");
	conclude(headroom, divide_up(all, 8 * KIB) * KIB, "to 1 KiB");
	snprintf(headroom->note, sizeof(headroom->note),
		 "the length asked for does not enter: the driver assumes 100 m");
}

/* --- the table -------------------------------------------------------------------- */

#define SONIC_SOURCE                                                           \
	"sonic-net/sonic-swss buffer_headroom_mellanox.lua; sonic-buildimage " \
	"pg_profile_lookup.ini of "
#define IXGBE_SOURCE "Linux drivers/net/ethernet/intel/ixgbe/ixgbe_type.h, IXGBE_DV, "

const struct rt_headroom_model rt_headroom_models[] = {
	{ "ieee", "IEEE 802.1Qbb, as Cisco lists the sum",
	  "IEEE 802.1Qbb and 802.3 annex 31B, as listed in Cisco's book on "
	  "storage congestion, chapter 7",
	  9216, compute_ieee, NULL },
	{ "sonic-spectrum1", "SONiC on NVIDIA Spectrum-1", SONIC_SOURCE "ACS-MSN2700",
	  9100, compute_sonic, &spectrum1 },
	{ "sonic-spectrum2", "SONiC on NVIDIA Spectrum-2", SONIC_SOURCE "ACS-MSN3700",
	  9216, compute_sonic, &spectrum2 },
	{ "sonic-spectrum3", "SONiC on NVIDIA Spectrum-3", SONIC_SOURCE "ACS-MSN4700",
	  9216, compute_sonic, &spectrum3 },
	{ "sonic-spectrum4", "SONiC on NVIDIA Spectrum-4", SONIC_SOURCE "ACS-SN5600",
	  9216, compute_sonic, &spectrum4 },
	{ "mlx5", "Linux mlx5, buffer of the NIC",
	  "Linux drivers/net/ethernet/mellanox/mlx5/core/en/port_buffer.c", 9000,
	  compute_mlx5, NULL },
	{ "cisco-short", "Cisco white paper, short form",
	  "Cisco, Priority Flow Control: Build Reliable Layer 2 Infrastructure", 9216,
	  compute_cisco, NULL },
	{ "ixgbe-82599", "Linux ixgbe, 82599", IXGBE_SOURCE "82599", 1518,
	  compute_ixgbe, &ixgbe_82599 },
	{ "ixgbe-x540", "Linux ixgbe, X540", IXGBE_SOURCE "X540", 1518, compute_ixgbe,
	  &ixgbe_x540 },
};

const size_t rt_headroom_model_count = RT_ARRAY_SIZE(rt_headroom_models);

const struct rt_name rt_headroom_model_names[] = {
	{ "ieee", 0, "IEEE 802.1Qbb" },
	{ "sonic-spectrum1", 1, "SONiC on Spectrum-1" },
	{ "sonic-spectrum2", 2, "SONiC on Spectrum-2" },
	{ "sonic-spectrum3", 3, "SONiC on Spectrum-3" },
	{ "sonic-spectrum4", 4, "SONiC on Spectrum-4" },
	{ "mlx5", 5, "Linux mlx5" },
	{ "cisco-short", 6, "Cisco, short form" },
	{ "ixgbe-82599", 7, "Linux ixgbe, 82599" },
	{ "ixgbe-x540", 8, "Linux ixgbe, X540" },
	{ 0 },
};

const struct rt_headroom_model *rt_headroom_model(const char *id)
{
	for (size_t i = 0; i < rt_headroom_model_count; i++)
		if (strcmp(rt_headroom_models[i].id, id) == 0)
			return &rt_headroom_models[i];
	return NULL;
}

int rt_headroom_compute(const struct rt_headroom_model *model,
			const struct rt_headroom_link *link,
			struct rt_headroom *ret_headroom, struct rt_err *err)
{
	struct rt_headroom headroom = {
		.model = model->id,
		.title = model->title,
		.source = model->source,
		.mtu_bytes = link->mtu_bytes ? link->mtu_bytes : model->mtu_bytes,
	};

	if (link->speed_bps < 1000000 || link->speed_bps > 10000 * GBPS)
		return rt_err_set(err, -ERANGE,
				  "a speed from 1Mb/s to 10Tb/s is wanted");
	if (link->length_mm > 100000000)
		return rt_err_set(err, -ERANGE, "a cable of at most 100km is wanted");
	if (headroom.mtu_bytes < 64 || headroom.mtu_bytes > 65535)
		return rt_err_set(err, -ERANGE,
				  "an MTU from 64 to 65535 bytes is wanted");
	model->compute(model, link, &headroom);
	*ret_headroom = headroom;
	return 0;
}
