/* SPDX-License-Identifier: BSD-2-Clause */
/* fleet_ports.h - how a fleet is kept; for the files that fill and compare it. */
#ifndef RT_RUN_FLEET_PORTS_H
#define RT_RUN_FLEET_PORTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "run/wordbook.h"

struct rt_fleet_cell {
	uint32_t column, value; /* numbers of words */
};

struct rt_fleet_port {
	uint32_t host;               /* index into hosts */
	uint32_t name;               /* "mlx5_0/1" */
	uint32_t place;              /* among the ports of its host */
	bool held;                   /* else the bundle is of other ports */
	struct rt_fleet_cell *cells; /* owned */
	size_t cell_count, capacity;
};

struct rt_fleet {
	struct rt_wordbook words;   /* values and names */
	struct rt_wordbook columns; /* what is compared, in the order of first sight */
	struct rt_fleet_port *ports;
	size_t port_count, port_capacity;
	uint32_t *hosts; /* names, as words */
	size_t host_count, host_capacity;
};

#endif
