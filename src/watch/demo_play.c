/* SPDX-License-Identifier: BSD-2-Clause */
/* demo_play.c - acts as counters, in closed form. */
#include "watch/demo_play.h"

#include <string.h>

#include "base/own.h"

/* Bytes of a full frame: the payload and Ethernet, IP, UDP, BTH, ICRC, FCS. */
#define FRAME_BYTES (RT_DEMO_PAYLOAD + 62)

/* The sum of a hill of width ms up to at: at the end it is width. */
static int64_t hill_ms(int64_t at, int64_t width)
{
	const int64_t left = width - at;

	return at <= width / 2 ? 2 * at * at / width : width - 2 * left * left / width;
}

#define WAVE_MS 4000

/* Of a part of a cycle that is width ms long, how much has been after at ms. */
static int64_t shape_ms(enum rt_demo_shape shape, int64_t at, int64_t width)
{
	switch (shape) {
	case RT_DEMO_HILL: return hill_ms(at, width);
	case RT_DEMO_WAVE:
		return (19 * at + at / WAVE_MS * WAVE_MS +
			hill_ms(at % WAVE_MS, WAVE_MS)) /
		       20;
	case RT_DEMO_FLAT: break;
	}
	return at;
}

static int64_t clamp(int64_t value, int64_t least, int64_t most)
{
	return value < least ? least : value > most ? most : value;
}

int64_t rt_demo_active_ms(enum rt_demo_shape shape, struct rt_demo_span span,
			  int64_t ms)
{
	const int64_t width = span.until_ms - span.from_ms;
	const int64_t at = clamp(ms % RT_DEMO_CYCLE_MS - span.from_ms, 0, width);

	return ms / RT_DEMO_CYCLE_MS * shape_ms(shape, width, width) +
	       shape_ms(shape, at, width);
}

bool rt_demo_is_within(struct rt_demo_span span, int64_t ms)
{
	const int64_t at = ms % RT_DEMO_CYCLE_MS;

	return at >= span.from_ms && at < span.until_ms;
}

/* What an act does to counters: so many a second for each of its amount. */
struct effect {
	enum rt_demo_what what;
	enum rt_counter_id counter;
	bool of_prio;
	uint32_t times, per;
};

/* A pause lasts at most 65535 quanta of 512 bit times (IEEE 802.1Qbb). */
static const struct effect effects[] = {
	{ RT_DEMO_RDMA_RX, RT_COUNTER_RX_BYTES, true, 125000000, 1 },
	{ RT_DEMO_RDMA_RX, RT_COUNTER_RX_FRAMES, true, 125000000, FRAME_BYTES },
	{ RT_DEMO_RDMA_RX, RT_COUNTER_RDMA_RX_BYTES, false, 125000000, 1 },
	{ RT_DEMO_RDMA_RX, RT_COUNTER_RDMA_RX_FRAMES, false, 125000000, FRAME_BYTES },
	{ RT_DEMO_RDMA_TX, RT_COUNTER_TX_BYTES, true, 125000000, 1 },
	{ RT_DEMO_RDMA_TX, RT_COUNTER_TX_FRAMES, true, 125000000, FRAME_BYTES },
	{ RT_DEMO_RDMA_TX, RT_COUNTER_RDMA_TX_BYTES, false, 125000000, 1 },
	{ RT_DEMO_RDMA_TX, RT_COUNTER_RDMA_TX_FRAMES, false, 125000000, FRAME_BYTES },
	{ RT_DEMO_LAN_RX, RT_COUNTER_RX_BYTES, true, 125000, 1 },
	{ RT_DEMO_LAN_RX, RT_COUNTER_RX_FRAMES, true, 125000, 800 },
	{ RT_DEMO_LAN_RX, RT_COUNTER_NETDEV_RX_BYTES, false, 125000, 1 },
	{ RT_DEMO_LAN_RX, RT_COUNTER_NETDEV_RX_PACKETS, false, 125000, 800 },
	{ RT_DEMO_LAN_TX, RT_COUNTER_TX_BYTES, true, 125000, 1 },
	{ RT_DEMO_LAN_TX, RT_COUNTER_TX_FRAMES, true, 125000, 500 },
	{ RT_DEMO_LAN_TX, RT_COUNTER_NETDEV_TX_BYTES, false, 125000, 1 },
	{ RT_DEMO_LAN_TX, RT_COUNTER_NETDEV_TX_PACKETS, false, 125000, 500 },
	{ RT_DEMO_PAUSED, RT_COUNTER_PFC_RX_NS, true, 1000000, 1 },
	{ RT_DEMO_PAUSED, RT_COUNTER_PFC_RX_FRAMES, true, 24, 1 },
	{ RT_DEMO_PAUSED, RT_COUNTER_PFC_RX_TRANSITIONS, true, 11, 1 },
	{ RT_DEMO_PAUSING, RT_COUNTER_PFC_TX_NS, true, 1000000, 1 },
	{ RT_DEMO_PAUSING, RT_COUNTER_PFC_TX_FRAMES, true, 24, 1 },
	{ RT_DEMO_PAUSING, RT_COUNTER_PFC_TX_TRANSITIONS, true, 11, 1 },
	{ RT_DEMO_DISCARD, RT_COUNTER_RX_DISCARDS, true, 1, 1 },
	{ RT_DEMO_DISCARD, RT_COUNTER_RX_BUFFER_DISCARDS, true, 1, 1 },
};

/* Of each second and of what is left, so that no product grows with the cycles. */
static uint64_t grown(uint64_t amount, const struct effect *effect, int64_t ms)
{
	const uint64_t a_second = amount * effect->times;

	return a_second * (uint64_t)(ms / 1000) / effect->per +
	       a_second * (uint64_t)(ms % 1000) / 1000 / effect->per;
}

static void play(const struct rt_demo_act *act, int64_t ms, struct rt_demo_grid *grid)
{
	const struct effect direct = { act->what, act->counter, false, 1, 1 };
	const struct rt_demo_span span = { act->from_ms, act->until_ms };
	const int64_t active = rt_demo_active_ms(act->shape, span, ms);

	if (act->what == RT_DEMO_COUNT)
		grid->value[act->counter][RT_DEMO_NINTH] += grown(act->amount, &direct,
								  active);
	for (size_t i = 0; i < RT_ARRAY_SIZE(effects); i++) {
		const struct effect *effect = &effects[i];
		uint64_t *row = grid->value[effect->counter];
		uint64_t amount;

		if (effect->what != act->what)
			continue;
		amount = grown(act->amount, effect, active);
		row[RT_DEMO_NINTH] += amount;
		if (effect->of_prio)
			row[act->prio] += amount;
	}
}

void rt_demo_play_all(const struct rt_demo_port *port, int64_t ms,
		      struct rt_demo_grid *grid)
{
	memset(grid, 0, sizeof(*grid));
	for (size_t i = 0; i < port->act_count; i++)
		play(&port->acts[i], ms, grid);
}

/* When, before ms, a port's counters began; 0: at the beginning of all. */
static int64_t find_reset(const struct rt_demo_port *port, int64_t ms)
{
	const int64_t at = port->reset_ms ? port->reset_ms : port->gone.until_ms;
	const int64_t cycle = ms - ms % RT_DEMO_CYCLE_MS;

	if (at == 0)
		return 0;
	return cycle + at <= ms ? cycle + at : cycle - RT_DEMO_CYCLE_MS + at;
}

static void take_away(struct rt_demo_grid *grid, const struct rt_demo_grid *before)
{
	for (size_t i = 0; i < RT_COUNTER_COUNT; i++)
		for (size_t prio = 0; prio <= RT_DEMO_NINTH; prio++)
			grid->value[i][prio] -= before->value[i][prio];
}

void rt_demo_play(const struct rt_demo_port *port, int64_t ms,
		  struct rt_demo_grid *grid)
{
	const int64_t reset = find_reset(port, ms);
	struct rt_demo_grid before;

	rt_demo_play_all(port, ms, grid);
	if (reset == 0)
		return;
	rt_demo_play_all(port, reset, &before);
	take_away(grid, &before);
}
