/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * soft_drain.c - a host that takes data slower than its link brings it: a buffer that
 * fills, and the pauses by which it stops its peer.
 *
 * The buffer is a level that falls with time; frames are not kept in it, so that answers
 * leave as soon as without it.  What the peer notices, its pauses, is the same.
 */
#include "cc/ps.h"
#include "traffic/soft_state.h"
#include "wire/build.h"

/* Of the link's rate: what makes it stop the peer, and what it has room for besides. */
#define XOFF_PS     (4 * RT_PS_PER_MS)
#define HEADROOM_PS (100 * RT_PS_PER_MS)

#define PS_PER_S UINT64_C(1000000000000)

static uint64_t bytes_in(uint64_t rate_bps, uint64_t ps)
{
	return (uint64_t)((unsigned __int128)rate_bps * ps / 8 / PS_PER_S);
}

static uint64_t time_of(uint64_t rate_bps, uint64_t bytes)
{
	return (uint64_t)((unsigned __int128)bytes * 8 * PS_PER_S / rate_bps);
}

static uint64_t xoff_bytes(const struct rt_soft *soft)
{
	return bytes_in(soft->config.line_rate_bps, XOFF_PS);
}

static bool is_lossless(const struct rt_soft *soft, unsigned prio)
{
	return soft->lossless >> prio & 1;
}

/* Up to now; all priorities share what the host takes. */
static void drain(struct rt_soft *soft)
{
	struct rt_soft_drain *drain = &soft->drain;
	const uint64_t left = bytes_in(soft->config.faults.receive_bps,
				       soft->now_ps - drain->at_ps);

	/* Else the parts of a byte would be lost with each look. */
	if (!left)
		return;
	drain->level_bytes = drain->level_bytes > left ? drain->level_bytes - left : 0;
	drain->at_ps = soft->now_ps;
}

static uint64_t refresh_ps(const struct rt_soft *soft)
{
	const uint64_t quanta_ps = time_of(soft->config.line_rate_bps,
					   (uint64_t)soft->laws.pause_quanta * 64);

	return soft->laws.pause_refresh_ps ? soft->laws.pause_refresh_ps
					   : quanta_ps / 2 + 1;
}

static void stop_peer(struct rt_soft *soft, unsigned prio)
{
	struct rt_soft_drain *drain = &soft->drain;

	if (!drain->pausing)
		drain->refresh_ps = soft->now_ps + refresh_ps(soft);
	drain->pausing |= (uint8_t)(1u << prio);
	drain->due |= (uint8_t)(1u << prio);
	drain->pausing_from_ps[prio] = soft->now_ps;
}

static void let_peer_go(struct rt_soft *soft)
{
	struct rt_soft_drain *drain = &soft->drain;

	for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++)
		if (drain->pausing >> prio & 1)
			drain->pausing_ps[prio] += soft->now_ps -
						   drain->pausing_from_ps[prio];
	drain->due |= drain->pausing;
	drain->pausing = 0;
}

bool rt_soft_drain_takes(struct rt_soft *soft, unsigned prio, uint32_t bytes)
{
	struct rt_soft_drain *level = &soft->drain;
	const uint64_t most = xoff_bytes(soft);
	uint64_t room = most;

	if (!soft->config.faults.receive_bps)
		return true;
	drain(soft);
	if (is_lossless(soft, prio))
		room += bytes_in(soft->config.line_rate_bps, HEADROOM_PS);
	if (level->level_bytes + bytes > room) {
		soft->port.prios[prio].rx_full++;
		return false;
	}
	level->level_bytes += bytes;
	if (level->level_bytes >= most && is_lossless(soft, prio) &&
	    !(level->pausing >> prio & 1))
		stop_peer(soft, prio);
	return true;
}

/* When the level is half of what made it stop the peer. */
static uint64_t resume_ps(const struct rt_soft *soft)
{
	const struct rt_soft_drain *drain = &soft->drain;
	const uint64_t xon = xoff_bytes(soft) / 2;
	const uint64_t above = drain->level_bytes > xon ? drain->level_bytes - xon : 0;

	return drain->at_ps + time_of(soft->config.faults.receive_bps, above) + 1;
}

size_t rt_soft_drain_tell(struct rt_soft *soft, unsigned slot)
{
	struct rt_soft_drain *level = &soft->drain;
	struct rt_pause pause = { 0 };

	if (level->pausing && soft->now_ps >= resume_ps(soft)) {
		drain(soft);
		let_peer_go(soft);
	} else if (level->pausing && soft->now_ps >= level->refresh_ps) {
		level->due |= level->pausing;
		level->refresh_ps = soft->now_ps + refresh_ps(soft);
	}
	if (!level->due)
		return 0;
	pause.enable = level->due;
	for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++) {
		if (level->pausing >> prio & 1)
			pause.quanta[prio] = soft->laws.pause_quanta;
		soft->port.prios[prio].pause_tx += level->due >> prio & 1;
	}
	soft->port.pfc_tx++;
	level->due = 0;
	soft->forms[slot] = 0;
	return rt_build_pfc(soft->config.mac, &pause,
			    soft->slots + slot * soft->slot_bytes, soft->slot_bytes);
}

uint64_t rt_soft_drain_next_ps(const struct rt_soft *soft)
{
	const struct rt_soft_drain *drain = &soft->drain;
	uint64_t next_ps;

	if (drain->due)
		return soft->now_ps;
	if (!drain->pausing)
		return RT_PS_NEVER;
	next_ps = resume_ps(soft);
	return drain->refresh_ps < next_ps ? drain->refresh_ps : next_ps;
}

uint64_t rt_soft_pausing_ps(const struct rt_soft *soft, unsigned prio)
{
	const struct rt_soft_drain *drain = &soft->drain;

	return drain->pausing_ps[prio] +
	       (drain->pausing >> prio & 1 ? soft->now_ps - drain->pausing_from_ps[prio]
					   : 0);
}
