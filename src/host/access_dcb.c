/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * access_dcb.c - PFC, ETS, rate limits, buffers and the DCBX mode over dcbnl.
 *
 * A message carries a whole part (all of ETS, all buffers): a write reads the part
 * anew, lays the changes over it and sends it back, so that what the plan does not
 * know stays as it is.
 */
#include <errno.h>
#include <string.h>

#include "base/own.h"
#include "host/access.h"
#include "rocetune/err.h"

/* --- reading ----------------------------------------------------------------------- */

static void set_numbers(const struct rt_driver_row *row, struct rt_qos *qos,
			const uint8_t values[8])
{
	for (unsigned i = 0; i < 8; i++)
		rt_row_set(row, qos, i, values[i]);
}

static void take_pfc(const struct rt_driver_row *row, const struct rt_dcb *dcb,
		     struct rt_qos *qos)
{
	const struct rt_dcb_pfc *pfc = &dcb->pfc;

	if (row->knob == RT_KNOB_PFC_CABLE)
		rt_row_set(row, qos, 0, pfc->delay);
	else if (row->knob == RT_KNOB_PFC_MASK)
		rt_row_set(row, qos, 0, pfc->mask);
	else if (pfc->cap)
		rt_row_set(row, qos, 0, pfc->cap);
	else
		rt_row_unknown(row, qos, "the driver does not tell");
}

static void take_ets(const struct rt_driver_row *row, const struct rt_dcb *dcb,
		     struct rt_qos *qos)
{
	const struct rt_dcb_ets *ets = &dcb->ets;

	switch (row->knob) {
	case RT_KNOB_ETS_PRIO_TC: set_numbers(row, qos, ets->prio_tc); break;
	case RT_KNOB_ETS_TSA: set_numbers(row, qos, ets->tsa); break;
	case RT_KNOB_ETS_BW: set_numbers(row, qos, ets->bw); break;
	case RT_KNOB_DCBX_WILLING: rt_row_set(row, qos, 0, ets->willing); break;
	default:
		if (ets->cap)
			rt_row_set(row, qos, 0, ets->cap);
		else
			rt_row_unknown(row, qos, "the driver does not tell");
		break;
	}
}

static void take_maxrate(const struct rt_driver_row *row, const struct rt_dcb *dcb,
			 struct rt_qos *qos)
{
	for (unsigned i = 0; i < 8; i++)
		rt_row_set(row, qos, i, dcb->maxrate_bps[i]);
}

static void take_buffer(const struct rt_driver_row *row, const struct rt_dcb *dcb,
			struct rt_qos *qos)
{
	const struct rt_dcb_buffer *buffer = &dcb->buffer;

	if (row->knob == RT_KNOB_BUFFER_TOTAL)
		rt_row_set(row, qos, 0, buffer->total_bytes);
	else if (row->knob == RT_KNOB_PRIO_BUFFER)
		set_numbers(row, qos, buffer->prio_buffer);
	else
		for (unsigned i = 0; i < 8; i++)
			rt_row_set(row, qos, i, buffer->size_bytes[i]);
}

static void take_dcbx(const struct rt_driver_row *row, const struct rt_dcb *dcb,
		      struct rt_qos *qos)
{
	rt_row_set(row, qos, 0, dcb->dcbx);
}

/* Which part of an answer a knob is in. */
static const struct part {
	enum rt_knob_id knob;
	enum rt_dcb_has has;
	void (*take)(const struct rt_driver_row *row, const struct rt_dcb *dcb,
		     struct rt_qos *qos);
} parts[] = {
	{ RT_KNOB_PFC_MASK, RT_DCB_PFC, take_pfc },
	{ RT_KNOB_PFC_CAP, RT_DCB_PFC, take_pfc },
	{ RT_KNOB_PFC_CABLE, RT_DCB_PFC, take_pfc },
	{ RT_KNOB_ETS_PRIO_TC, RT_DCB_ETS, take_ets },
	{ RT_KNOB_ETS_TSA, RT_DCB_ETS, take_ets },
	{ RT_KNOB_ETS_BW, RT_DCB_ETS, take_ets },
	{ RT_KNOB_ETS_CAP, RT_DCB_ETS, take_ets },
	{ RT_KNOB_DCBX_WILLING, RT_DCB_ETS, take_ets },
	{ RT_KNOB_MAX_RATE, RT_DCB_MAXRATE, take_maxrate },
	{ RT_KNOB_PRIO_BUFFER, RT_DCB_BUFFER, take_buffer },
	{ RT_KNOB_BUFFER_SIZE, RT_DCB_BUFFER, take_buffer },
	{ RT_KNOB_BUFFER_TOTAL, RT_DCB_BUFFER, take_buffer },
	{ RT_KNOB_DCBX_OWNER, RT_DCB_DCBX, take_dcbx },
	{ RT_KNOB_DCBX_MODE, RT_DCB_DCBX, take_dcbx },
};

static void read_part(const struct rt_host_port *port, const struct rt_driver_row *row,
		      struct rt_qos *qos)
{
	const struct part *part = parts;
	struct rt_dcb dcb = { 0 };
	int r;

	while (part < parts + RT_ARRAY_SIZE(parts) && part->knob != row->knob)
		part++;
	r = port->device->netdev[0]
		    ? port->kern->ops->dcb_get(port->kern, port->device->netdev, &dcb,
					       NULL)
		    : -ENODEV;
	if (r == 0 && (part == parts + RT_ARRAY_SIZE(parts) || !(dcb.has & part->has)))
		r = -EOPNOTSUPP;
	if (r < 0)
		rt_row_absent(row, qos, r);
	else
		part->take(row, &dcb, qos);
}

/* --- writing ----------------------------------------------------------------------- */

/* Every element that changes, in the vendor's unit. */
static int lay_elements(const struct rt_plan *plan, const struct rt_change *change,
			uint64_t raws[8], struct rt_err *err)
{
	int r = 0;

	for (unsigned i = 0; i < 8 && r == 0; i++)
		if (change->which >> i & 1)
			r = rt_change_raw(plan, change, i, &raws[i], err);
	return r;
}

static int lay_bytes(const struct rt_plan *plan, const struct rt_change *change,
		     uint8_t values[8], struct rt_err *err)
{
	uint64_t raws[8];
	int r = lay_elements(plan, change, raws, err);

	for (unsigned i = 0; i < 8 && r == 0; i++)
		if (change->which >> i & 1)
			values[i] = (uint8_t)raws[i];
	return r;
}

static int lay_scalar(const struct rt_plan *plan, const struct rt_change *change,
		      uint64_t *ret_raw, struct rt_err *err)
{
	return rt_change_raw(plan, change, 0, ret_raw, err);
}

static int lay_pfc(const struct rt_plan *plan, const struct rt_change *change,
		   struct rt_dcb *dcb, struct rt_err *err)
{
	uint64_t raw = 0;
	int r = lay_scalar(plan, change, &raw, err);

	if (r < 0)
		return r;
	if (change->knob == RT_KNOB_PFC_MASK)
		dcb->pfc.mask = (uint8_t)raw;
	else
		dcb->pfc.delay = (uint16_t)raw;
	return 0;
}

static int lay_sizes(const struct rt_plan *plan, const struct rt_change *change,
		     uint32_t sizes[8], struct rt_err *err)
{
	uint64_t raws[8];
	int r = lay_elements(plan, change, raws, err);

	for (unsigned i = 0; i < 8 && r == 0; i++) {
		if (!(change->which >> i & 1))
			continue;
		if (raws[i] > UINT32_MAX)
			return rt_err_set(err, -ERANGE, "buffer %u is too large", i);
		sizes[i] = (uint32_t)raws[i];
	}
	return r;
}

static int lay(const struct rt_plan *plan, const struct rt_change *change,
	       struct rt_dcb *dcb, struct rt_err *err)
{
	uint64_t raw = 0;
	int r;

	switch (change->knob) {
	case RT_KNOB_PFC_MASK:
	case RT_KNOB_PFC_CABLE: return lay_pfc(plan, change, dcb, err);
	case RT_KNOB_ETS_PRIO_TC: return lay_bytes(plan, change, dcb->ets.prio_tc, err);
	case RT_KNOB_ETS_TSA: return lay_bytes(plan, change, dcb->ets.tsa, err);
	case RT_KNOB_ETS_BW: return lay_bytes(plan, change, dcb->ets.bw, err);
	case RT_KNOB_PRIO_BUFFER:
		return lay_bytes(plan, change, dcb->buffer.prio_buffer, err);
	case RT_KNOB_DCBX_WILLING:
		r = lay_scalar(plan, change, &raw, err);
		dcb->ets.willing = (uint8_t)raw;
		return r;
	case RT_KNOB_BUFFER_SIZE:
		return lay_sizes(plan, change, dcb->buffer.size_bytes, err);
	default: return lay_elements(plan, change, dcb->maxrate_bps, err);
	}
}

/* What one message of each access carries. */
static const struct message {
	const struct rt_access *access;
	unsigned has; /* enum rt_dcb_has */
} messages[] = {
	{ &rt_access_pfc, RT_DCB_PFC },
	{ &rt_access_ets, RT_DCB_ETS },
	{ &rt_access_ets_pfc, RT_DCB_ETS | RT_DCB_PFC },
	{ &rt_access_maxrate, RT_DCB_MAXRATE },
	{ &rt_access_buffer, RT_DCB_BUFFER },
};

static unsigned parts_of(const struct rt_access *access)
{
	for (size_t i = 0; i < RT_ARRAY_SIZE(messages); i++)
		if (messages[i].access == access)
			return messages[i].has;
	return 0;
}

/* A part that the driver does not tell just now would be written as zeros. */
static int read_whole(const struct rt_host_port *port, const struct rt_access *access,
		      struct rt_dcb *ret_dcb, struct rt_err *err)
{
	const char *netdev = port->device->netdev;
	const unsigned has = parts_of(access);
	int r = port->kern->ops->dcb_get(port->kern, netdev, ret_dcb, err);

	if (r == 0 && (ret_dcb->has & has) != has)
		return rt_err_set(err, -EIO,
				  "%s: %s cannot be written: the driver does not tell "
				  "what it is now, and it is written whole",
				  netdev, access->name);
	return r;
}

/* Send the parts whole; a positive answer says "hardware changed" (ice). */
static int write_parts(const struct rt_host_port *port, const struct rt_plan *plan,
		       const struct rt_step *step, struct rt_err *err)
{
	const char *netdev = port->device->netdev;
	struct rt_dcb_set set = { .has = parts_of(step->access) };
	struct rt_dcb dcb = { 0 };
	int r = read_whole(port, step->access, &dcb, err);

	if (r < 0)
		return r;
	rt_step_for_each(change, plan, step)
	{
		r = lay(plan, change, &dcb, err);
		if (r < 0)
			return r;
	}
	set.ets = dcb.ets;
	set.pfc = dcb.pfc;
	set.buffer = dcb.buffer;
	memcpy(set.maxrate_bps, dcb.maxrate_bps, sizeof(set.maxrate_bps));
	r = port->kern->ops->dcb_set(port->kern, netdev, &set, err);
	return r < 0 ? r : 0;
}

/*
 * To the host: HOST and IEEE, and CEE where the firmware's mode had it, so that
 * giving back brings the same byte.  To the firmware: what the row says, mlx5 0.
 */
static int write_dcbx(const struct rt_host_port *port, const struct rt_plan *plan,
		      const struct rt_step *step, struct rt_err *err)
{
	const struct rt_change *change = plan->changes + step->first;
	const uint64_t owner = plan->target.knobs[RT_KNOB_DCBX_OWNER].number[0];
	const struct rt_opt_u64 mode = rt_qos_number(&plan->have, RT_KNOB_DCBX_MODE);
	uint64_t raw;
	int r = rt_row_to_raw(change->row, owner, &raw, err);

	if (r < 0)
		return r;
	if (owner == RT_DCBX_HOST && mode.known)
		raw |= mode.value & RT_DCBX_MODE_CEE;
	return port->kern->ops->dcbx_set(port->kern, port->device->netdev, (uint8_t)raw,
					 err);
}

#define PART(name_, write_)                                               \
	{                                                                 \
		.name = (name_), .interface = "dcbnl", .read = read_part, \
		.write = (write_)                                         \
	}

const struct rt_access rt_access_pfc = PART("dcbnl PFC", write_parts);
const struct rt_access rt_access_ets = PART("dcbnl ETS", write_parts);
const struct rt_access rt_access_ets_pfc = PART("dcbnl ETS and PFC", write_parts);
const struct rt_access rt_access_maxrate = PART("dcbnl MAXRATE", write_parts);
const struct rt_access rt_access_buffer = PART("dcbnl BUFFER", write_parts);
const struct rt_access rt_access_dcbx = PART("dcbnl DCBX", write_dcbx);
