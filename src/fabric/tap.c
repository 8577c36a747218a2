/* SPDX-License-Identifier: BSD-2-Clause */
/* tap.c - frames of captured ports, as bytes. */
#include "fabric/state.h"

int rt_tap_open(struct rt_fabric *fab, const struct rt_fabric_run *run,
		struct rt_err *err)
{
	(void)fab;
	(void)run;
	(void)err;
	return 0;
}

void rt_tap_frame(struct rt_fabric *fab, const struct rt_fab_port *port,
		  const struct rt_packet *packet, bool outgoing)
{
	(void)fab;
	(void)port;
	(void)packet;
	(void)outgoing;
}
