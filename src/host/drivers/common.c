/* SPDX-License-Identifier: BSD-2-Clause */
/* common.c - conversions and inferences that several drivers share. */
#include <stdio.h>
#include <string.h>

#include "host/drivers/drivers.h"
#include "rocetune/err.h"
#include "rocetune/units.h"

int rt_conv_from_1024(uint64_t raw, uint64_t *ret_ppb)
{
	if (raw > 1024)
		return -EINVAL;
	*ret_ppb = (raw * RT_PPB + 512) / 1024;
	return 0;
}

int rt_conv_to_1024(uint64_t ppb, uint64_t *ret_raw)
{
	if (ppb > RT_PPB)
		return -ERANGE;
	*ret_raw = (ppb * 1024 + RT_PPB / 2) / RT_PPB;
	return 0;
}

int rt_conv_from_mode(uint64_t mode, uint64_t *ret_owner)
{
	if (!(mode & (RT_DCBX_MODE_HOST | RT_DCBX_MODE_LLD)))
		return -EINVAL;
	*ret_owner = mode & RT_DCBX_MODE_HOST ? RT_DCBX_HOST : RT_DCBX_FIRMWARE;
	return 0;
}

const struct rt_name rt_cm_mode_words[] = {
	{ "IB/RoCE v1", 1, NULL },
	{ "RoCE v2", 2, NULL },
	{ 0 },
};

/* It has a way of its own, even if that did not tell. */
static bool is_given(const struct rt_knob_value *value)
{
	return value->interface != NULL;
}

static void follows(struct rt_qos *qos, enum rt_knob_id id, uint64_t number,
		    const char *from)
{
	rt_knob_unknown(qos, id, from);
	rt_knob_set(qos, id, 0, number);
}

void rt_infer_willing(struct rt_qos *qos)
{
	const struct rt_opt_u64 owner = rt_qos_number(qos, RT_KNOB_DCBX_OWNER);

	if (is_given(&qos->knobs[RT_KNOB_DCBX_WILLING]))
		return;
	if (owner.known && owner.value == RT_DCBX_HOST)
		follows(qos, RT_KNOB_DCBX_WILLING, 0,
			"follows from dcbx.owner: nobody on the NIC listens");
	else
		rt_knob_unknown(qos, RT_KNOB_DCBX_WILLING,
				"the driver does not tell what its firmware does");
}

void rt_infer_trust(struct rt_qos *qos)
{
	const struct rt_knob_value *map = &qos->knobs[RT_KNOB_DSCP_PRIO];
	bool any = false;

	if (is_given(&qos->knobs[RT_KNOB_TRUST]))
		return;
	if (!map->known) {
		rt_knob_unknown(qos, RT_KNOB_TRUST, map->why);
		return;
	}
	for (unsigned i = 0; i < 64; i++)
		any |= !(map->known >> i & 1) || map->small[i] != RT_NO_PRIO;
	follows(qos, RT_KNOB_TRUST, any ? RT_TRUST_DSCP : RT_TRUST_PCP,
		any ? "follows from dscp_prio: there are entries"
		    : "follows from dscp_prio: there is no entry");
}

/* --- plans ------------------------------------------------------------------------- */

void rt_change_one_way(struct rt_plan *plan, struct rt_change *change, const char *why)
{
	change->one_way = true;
	plan->one_way = true;
	snprintf(change->note, sizeof(change->note), "%s", why);
}

struct rt_step *rt_plan_step_of(struct rt_plan *plan, enum rt_knob_id id)
{
	for (size_t i = 0; i < plan->step_count; i++)
		rt_step_for_each(change, plan, &plan->steps[i])
		{
			if (change->raw == SIZE_MAX && change->knob == id)
				return &plan->steps[i];
		}
	return NULL;
}

/* Where nothing tells the owner, the mode still says that it is not the host. */
static bool owned_by_firmware(const struct rt_qos *qos)
{
	const struct rt_opt_u64 owner = rt_qos_number(qos, RT_KNOB_DCBX_OWNER);
	const struct rt_opt_u64 mode = rt_qos_number(qos, RT_KNOB_DCBX_MODE);

	if (owner.known)
		return owner.value == RT_DCBX_FIRMWARE;
	return mode.known && mode.value & RT_DCBX_MODE_LLD;
}

const struct rt_change *rt_plan_dcb_change(const struct rt_plan *plan)
{
	for (size_t i = 0; i < plan->change_count; i++)
		if (strcmp(plan->changes[i].row->access->interface, "dcbnl") == 0)
			return &plan->changes[i];
	return NULL;
}

int rt_refuse_firmware_dcb(const struct rt_host_port *port, const struct rt_plan *plan,
			   const char *remedy, struct rt_err *err)
{
	const struct rt_change *change = rt_plan_dcb_change(plan);

	if (!change || !owned_by_firmware(&plan->have) ||
	    !owned_by_firmware(&plan->target))
		return 0;
	return rt_err_set(err, -EPERM,
			  "%s: the NIC's firmware owns DCB, %s would not hold: %s",
			  port->device->netdev, rt_change_name(plan, change), remedy);
}
