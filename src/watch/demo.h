/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * demo.h - the tables of the made-up host: drivers, acts, ports and flows.
 *
 * Counters are integrals of acts, in closed form: what a counter says at some moment
 * needs no moment before it, so that any sample can be sought, and a host sampled ten
 * times as often says the same.
 */
#ifndef RT_WATCH_DEMO_H
#define RT_WATCH_DEMO_H

#include <stddef.h>
#include <stdint.h>

#include "model/counters.h"

/* Everything comes again after it. */
#define RT_DEMO_CYCLE_MS INT64_C(60000)

/* --- drivers ---------------------------------------------------------------------------- */

enum rt_demo_prios {
	RT_DEMO_OF_PORT, /* the name has no % */
	RT_DEMO_OF_ALL,
	RT_DEMO_OF_LOSSLESS, /* it exists while PFC is on for the priority */
};

/* A counter as a driver names it; the first row that has a counter is the one read. */
struct rt_demo_row {
	enum rt_counter_id counter;
	enum rt_counter_source source;
	enum rt_demo_prios prios;
	const char *name; /* % is the priority */
	uint32_t scale;   /* 0: 1 */
	uint8_t bits;     /* 0: 64 */
};

struct rt_demo_driver {
	const char *name;
	const struct rt_demo_row *rows;
	size_t count;
	int64_t refresh_ms; /* its values change so often; 0: whenever they are read */
	uint32_t cost_us[RT_SOURCE_COUNT]; /* of reading a source */
};

/* --- stories ---------------------------------------------------------------------------- */

enum rt_demo_what {
	RT_DEMO_RDMA_RX, /* Gb/s on a priority */
	RT_DEMO_RDMA_TX,
	RT_DEMO_LAN_RX, /* Mb/s of the kernel's own traffic */
	RT_DEMO_LAN_TX,
	RT_DEMO_PAUSED,  /* rx pause, per mille of the time */
	RT_DEMO_PAUSING, /* tx pause, per mille of the time */
	RT_DEMO_DISCARD, /* frames a second that a priority drops */
	RT_DEMO_COUNT,   /* counter, so many a second */
};

enum rt_demo_shape {
	RT_DEMO_FLAT,
	RT_DEMO_WAVE, /* swings by a twentieth around it, every four seconds */
	RT_DEMO_HILL, /* from nothing to twice it in the middle and back */
};

/* Something that goes on for a part of each cycle. */
struct rt_demo_act {
	enum rt_demo_what what;
	uint8_t prio;
	uint32_t amount; /* a second, on average */
	int32_t from_ms, until_ms;
	enum rt_demo_shape shape;
	enum rt_counter_id counter; /* RT_DEMO_COUNT */
};

/* A part of each cycle; none when both are 0. */
struct rt_demo_span {
	int32_t from_ms, until_ms;
};

struct rt_demo_port {
	const char *name, *netdev;
	const struct rt_demo_driver *driver;
	uint8_t address; /* 10.0.0.x */
	uint32_t speed_gbps, pcie_gbps, pcie_max_gbps;
	int lossless, rdma_prios; /* masks; -1: unknown */
	uint32_t cnp_gap_us;      /* 0: unknown */
	const struct rt_demo_act *acts;
	size_t act_count;
	struct rt_demo_span gone, down;
	int32_t reset_ms; /* its counters begin anew then; 0: never */
	int32_t wrap_ms;  /* out_of_sequence passes its end then, once; 0: never */
	const char *why;  /* no source can be read; NULL: all can */
	const char *note;
};
extern const struct rt_demo_port rt_demo_ports[];
extern const size_t rt_demo_port_count;

/* A flow of the windows that are captured at the host's uplink. */
struct rt_demo_flow {
	uint8_t src[2], dst; /* 10.0.x.x to 10.0.0.x */
	uint32_t qp;
	uint8_t prio, dscp;
	uint32_t mbps, ce_pct, cnps_ps, resent_kbps, naks_ps;
	int32_t from_ms, until_ms;
};
extern const struct rt_demo_flow rt_demo_flows[];
extern const size_t rt_demo_flow_count;

#endif
