/* SPDX-License-Identifier: BSD-2-Clause */
/* soft_engine.h - what a soft engine tells beside its queue pairs. */
#ifndef RT_TRAFFIC_SOFT_ENGINE_H
#define RT_TRAFFIC_SOFT_ENGINE_H

#include <stdint.h>

struct rt_engine;
struct rt_soft_strays;

/*
 * Frames that reached no queue pair, and those that the kernel had no room for: where
 * there are any of the latter the host was too slow, and not the network.
 */
void rt_soft_engine_strays(struct rt_engine *engine, struct rt_soft_strays *ret_strays,
			   uint64_t *ret_ring_dropped);

#endif
