/* SPDX-License-Identifier: BSD-2-Clause */
/* align.c - questions about the two ends of a link that several rules ask. */
#include "model/align.h"

#include <stdarg.h>
#include <string.h>

#include "model/rules_align.h"

const struct rt_dcbx_peer *rt_align_peer(const struct rt_align *align)
{
	for (size_t i = 0; i < align->peer_count; i++)
		if (align->peers[i]->dcbx)
			return align->peers[i];
	return align->peer_count ? align->peers[0] : NULL;
}

const struct rt_switch_port *rt_align_heard_port(const struct rt_switch *sw,
						 const struct rt_dcbx_peer *peer)
{
	const struct rt_switch_port *found = NULL;

	if (*peer->port)
		found = rt_switch_port_find(sw, peer->port);
	if (!found && *peer->port_description)
		found = rt_switch_port_find(sw, peer->port_description);
	return found;
}

static const struct rt_opt_u64 unknown;

struct rt_opt_u64 rt_align_host(const struct rt_align *align, enum rt_knob_id id)
{
	return align->host ? rt_qos_number(align->host, id) : unknown;
}

struct rt_opt_u64 rt_align_want(const struct rt_align *align, enum rt_knob_id id)
{
	return align->want ? rt_qos_number(&align->want->qos, id) : unknown;
}

struct rt_opt_u64 rt_align_said(const struct rt_align *align, enum rt_knob_id id)
{
	const struct rt_dcbx_peer *peer = rt_align_peer(align);

	return peer ? rt_qos_number(&peer->said, id) : unknown;
}

struct rt_opt_u64 rt_align_switch_pfc(const struct rt_align *align)
{
	const struct rt_switch_port *port = align->port;

	if (!port || !rt_setting_known(&port->pfc_tx) ||
	    !rt_setting_known(&port->pfc_rx))
		return unknown;
	/* With pfc_asym the port obeys all priorities and pauses only some. */
	return RT_KNOWN_U64(port->pfc_tx.number & port->pfc_rx.number);
}

static struct rt_opt_u64 prio_in(const struct rt_qos *qos, unsigned dscp)
{
	const struct rt_knob_value *map = &qos->knobs[RT_KNOB_DSCP_PRIO];

	return map->known >> dscp & 1 && map->small[dscp] != RT_NO_PRIO
		       ? RT_KNOWN_U64(map->small[dscp])
		       : unknown;
}

struct rt_opt_u64 rt_align_prio_of_dscp(const struct rt_align *align, unsigned dscp)
{
	struct rt_opt_u64 prio = { 0 };

	if (align->host)
		prio = prio_in(align->host, dscp);
	if (!prio.known && align->want)
		prio = prio_in(&align->want->qos, dscp);
	return prio;
}

struct rt_opt_u64 rt_align_cnp_dscps(const struct rt_align *align)
{
	const struct rt_opt_u64 sent = rt_align_host(align, RT_KNOB_NP_CNP_DSCP);
	const struct rt_opt_u64 wanted = rt_align_want(align, RT_KNOB_NP_CNP_DSCP);
	const struct rt_class *class;

	if (sent.known && sent.value < 64)
		return RT_KNOWN_U64(UINT64_C(1) << sent.value);
	if (wanted.known && wanted.value < 64)
		return RT_KNOWN_U64(UINT64_C(1) << wanted.value);
	if (!align->profile)
		return unknown;
	class = rt_profile_class_of_kind(align->profile, RT_CLASS_CNP);
	return class && rt_setting_known(&class->dscp)
		       ? RT_KNOWN_U64(class->dscp.number)
		       : unknown;
}

char *rt_align_mask(uint64_t mask, char buf[RT_SWITCH_MASK_BYTES])
{
	const struct rt_setting setting = { .number = mask, .state = RT_SETTING_VALUE };

	return rt_switch_mask_text(&setting, buf);
}

void rt_align_lacks(struct rt_findings *findings, const struct rt_rule *rule,
		    const struct rt_align *align, const char *fmt, ...)
{
	const struct rt_rule *not_judged = &rt_align_rules[RT_ALIGN_NOT_JUDGED];
	char text[240];
	va_list args;

	if (!findings)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	rt_findings_add(findings, not_judged, align->where, "%s: %s", rule->id, text);
}
