/* SPDX-License-Identifier: BSD-2-Clause */
/* access_ethtool.c - pause, pause storm prevention and private flags. */
#include <errno.h>
#include <string.h>

#include "host/access.h"
#include "rocetune/err.h"

static const char *netdev_of(const struct rt_host_port *port)
{
	return port->device->netdev;
}

/* --- 802.3x pause ------------------------------------------------------------------ */

static void read_pause(const struct rt_host_port *port, const struct rt_driver_row *row,
		       struct rt_qos *qos)
{
	struct rt_link_pause pause;
	int r = netdev_of(port)[0] ? port->kern->ops->pause_get(
					     port->kern, netdev_of(port), &pause, NULL)
				   : -ENODEV;

	if (r < 0)
		rt_row_absent(row, qos, r);
	else
		rt_row_set(row, qos, 0,
			   row->knob == RT_KNOB_PAUSE_RX ? pause.rx : pause.tx);
}

/* Autonegotiation stays as it is: mlx5 refuses it on, and reports it off. */
static int write_pause(const struct rt_host_port *port, const struct rt_plan *plan,
		       const struct rt_step *step, struct rt_err *err)
{
	struct rt_link_pause pause;
	int r = port->kern->ops->pause_get(port->kern, netdev_of(port), &pause, err);

	if (r < 0)
		return r;
	rt_step_for_each(change, plan, step)
	{
		bool *to = change->knob == RT_KNOB_PAUSE_RX ? &pause.rx : &pause.tx;

		*to = plan->target.knobs[change->knob].number[0] != 0;
	}
	return port->kern->ops->pause_set(port->kern, netdev_of(port), &pause, err);
}

const struct rt_access rt_access_pause = {
	.name = "ethtool pause",
	.interface = "ethtool",
	.read = read_pause,
	.write = write_pause,
};

/* --- pause storm prevention -------------------------------------------------------- */

static void read_storm(const struct rt_host_port *port, const struct rt_driver_row *row,
		       struct rt_qos *qos)
{
	uint16_t ms = 0;
	int r = netdev_of(port)[0] ? port->kern->ops->storm_get(
					     port->kern, netdev_of(port), &ms, NULL)
				   : -ENODEV;

	if (r < 0)
		rt_row_absent(row, qos, r);
	else
		rt_row_set(row, qos, 0, ms);
}

static int write_storm(const struct rt_host_port *port, const struct rt_plan *plan,
		       const struct rt_step *step, struct rt_err *err)
{
	uint64_t raw;
	int r = rt_change_raw(plan, plan->changes + step->first, 0, &raw, err);

	if (r < 0)
		return r;
	return port->kern->ops->storm_set(port->kern, netdev_of(port), (uint16_t)raw,
					  err);
}

const struct rt_access rt_access_storm = {
	.name = "ethtool pfc-prevention-tout",
	.interface = "ethtool",
	.read = read_storm,
	.write = write_storm,
};

/* --- private flags ----------------------------------------------------------------- */

static void read_flag(const struct rt_host_port *port, const struct rt_driver_row *row,
		      struct rt_qos *qos)
{
	struct rt_priv_flags flags = { 0 };
	int r = netdev_of(port)[0] ? port->kern->ops->priv_flags_get(
					     port->kern, netdev_of(port), &flags, NULL)
				   : -ENODEV;

	if (r < 0) {
		rt_row_absent(row, qos, r);
		return;
	}
	for (size_t i = 0; i < flags.count && i < RT_PRIV_FLAG_MAX; i++)
		if (strcmp(flags.name[i], row->vendor) == 0) {
			rt_row_set(row, qos, 0, flags.value >> i & 1);
			return;
		}
	rt_row_absent(row, qos, -ENOENT);
}

static int write_flag(const struct rt_host_port *port, const struct rt_plan *plan,
		      const struct rt_step *step, struct rt_err *err)
{
	const struct rt_change *change = plan->changes + step->first;
	uint64_t raw;
	int r = rt_change_raw(plan, change, 0, &raw, err);

	if (r < 0)
		return r;
	return port->kern->ops->priv_flag_set(port->kern, netdev_of(port),
					      change->row->vendor, raw != 0, err);
}

const struct rt_access rt_access_priv_flag = {
	.name = "ethtool private flag",
	.interface = "ethtool",
	.by_row = true,
	.read = read_flag,
	.write = write_flag,
};
