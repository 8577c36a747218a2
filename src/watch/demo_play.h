/* SPDX-License-Identifier: BSD-2-Clause */
/* demo_play.h - the acts of the made-up host at a moment of its time. */
#ifndef RT_WATCH_DEMO_PLAY_H
#define RT_WATCH_DEMO_PLAY_H

#include <stdbool.h>

#include "watch/demo.h"

struct rt_watch_flows;

#define RT_DEMO_MS_NS   INT64_C(1000000)
#define RT_DEMO_PAYLOAD 4096 /* bytes of a data packet */

/* By counter and priority; the ninth is of the port. */
#define RT_DEMO_NINTH 8
struct rt_demo_grid {
	uint64_t value[RT_COUNTER_COUNT][RT_DEMO_NINTH + 1];
};

bool rt_demo_is_within(struct rt_demo_span span, int64_t ms);

/* Milliseconds that something of each cycle went on since ms 0, by weight. */
int64_t rt_demo_active_ms(enum rt_demo_shape shape, struct rt_demo_span span,
			  int64_t ms);

/* What all counters of a port say after ms; as if they had never begun anew. */
void rt_demo_play(const struct rt_demo_port *port, int64_t ms,
		  struct rt_demo_grid *grid);
void rt_demo_play_all(const struct rt_demo_port *port, int64_t ms,
		      struct rt_demo_grid *grid);

/* What a capture saw between two moments.  -ENOMEM. */
int rt_demo_play_flows(int64_t from_ms, int64_t until_ms, struct rt_watch_flows *flows);

#endif
