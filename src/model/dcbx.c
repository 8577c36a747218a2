/* SPDX-License-Identifier: BSD-2-Clause */
/* dcbx.c - announcements as knobs, and peers as tables. */
#include "model/dcbx.h"

#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "wire/lldp_peers.h"

#define ROCE_UDP_PORT  4791
#define ROCE_ETHERTYPE 0x8915

const struct rt_name rt_dcbx_selector_names[] = {
	{ "ethertype", RT_DCBX_ETHERTYPE, "Ethertype" },
	{ "stream", RT_DCBX_STREAM, "TCP or SCTP port" },
	{ "datagram", RT_DCBX_DATAGRAM, "UDP or DCCP port" },
	{ "port", RT_DCBX_PORT, "port of any transport" },
	{ "dscp", RT_DCBX_DSCP, "DSCP" },
	{ 0 },
};

/* --- announcement to knobs ---------------------------------------------------------- */

static void say_why(struct rt_qos *qos, enum rt_knob_id id, const char *why)
{
	snprintf(qos->knobs[id].why, sizeof(qos->knobs[id].why), "%s", why);
}

/* Knobs have eight classes; what is beyond is none of them. */
static void ets_to_qos(const struct rt_dcbx_ets *ets, bool is_ieee, struct rt_qos *qos)
{
	for (unsigned i = 0; i < 8; i++) {
		if (ets->prio_tc[i] < 8)
			rt_knob_set(qos, RT_KNOB_ETS_PRIO_TC, i, ets->prio_tc[i]);
		else
			say_why(qos, RT_KNOB_ETS_PRIO_TC,
				!is_ieee && ets->prio_tc[i] == RT_DCBX_PGID_STRICT
					? "group 15: strict, without a limit"
					: "a class above 7 is announced");
		rt_knob_set(qos, RT_KNOB_ETS_TSA, i, ets->tsa[i]);
		rt_knob_set(qos, RT_KNOB_ETS_BW, i, ets->bw_percent[i]);
	}
	if (ets->tc_count)
		rt_knob_set(qos, RT_KNOB_ETS_CAP, 0, ets->tc_count);
}

static void pfc_to_qos(const struct rt_dcbx_pfc *pfc, bool is_ieee, struct rt_qos *qos)
{
	rt_knob_set(qos, RT_KNOB_PFC_MASK, 0, pfc->enabled ? pfc->prio_mask : 0);
	if (!pfc->enabled)
		say_why(qos, RT_KNOB_PFC_MASK, "announced as disabled");
	/* 802.1Q D.2.10.5 has a 0 for "as many as there are priorities" */
	if (pfc->tc_count)
		rt_knob_set(qos, RT_KNOB_PFC_CAP, 0, pfc->tc_count);
	else if (is_ieee)
		rt_knob_set(qos, RT_KNOB_PFC_CAP, 0, RT_DCBX_PRIOS);
}

static void apps_to_qos(const struct rt_dcbx_apps *apps, struct rt_qos *qos)
{
	for (unsigned i = 0; i < apps->count; i++) {
		const struct rt_dcbx_app *app = &apps->items[i];

		if (app->selector == RT_DCBX_DSCP && app->protocol < 64 &&
		    app->prio_mask)
			rt_knob_set(qos, RT_KNOB_DSCP_PRIO, app->protocol,
				    (unsigned)__builtin_ctz(app->prio_mask));
	}
}

void rt_dcbx_to_qos(const struct rt_dcbx *dcbx, enum rt_dcbx_dialect dialect,
		    struct rt_qos *ret_qos)
{
	const bool is_ieee = dialect == RT_DCBX_IEEE;

	*ret_qos = (struct rt_qos){ 0 };
	if (dcbx->ets.present && dcbx->ets.enabled)
		ets_to_qos(&dcbx->ets, is_ieee, ret_qos);
	if (dcbx->pfc.present)
		pfc_to_qos(&dcbx->pfc, is_ieee, ret_qos);
	if (dcbx->apps.present && dcbx->apps.enabled)
		apps_to_qos(&dcbx->apps, ret_qos);
	if (dcbx->ets.present || dcbx->pfc.present)
		rt_knob_set(ret_qos, RT_KNOB_DCBX_WILLING, 0,
			    (dcbx->ets.present && dcbx->ets.willing) ||
				    (dcbx->pfc.present && dcbx->pfc.willing));
}

uint8_t rt_dcbx_roce_prios(const struct rt_dcbx *dcbx, enum rt_dcbx_roce which)
{
	uint8_t mask = 0;

	for (unsigned i = 0; dcbx->apps.enabled && i < dcbx->apps.count; i++) {
		const struct rt_dcbx_app *app = &dcbx->apps.items[i];
		const bool is_v2 = (app->selector == RT_DCBX_DATAGRAM ||
				    app->selector == RT_DCBX_PORT) &&
				   app->protocol == ROCE_UDP_PORT;
		const bool is_v1 = app->selector == RT_DCBX_ETHERTYPE &&
				   app->protocol == ROCE_ETHERTYPE;

		if (which == RT_DCBX_ROCE_V2 ? is_v2 : is_v1)
			mask |= app->prio_mask;
	}
	return mask;
}

/* --- knobs to announcement ---------------------------------------------------------- */

static bool all_known(const struct rt_qos *qos, enum rt_knob_id id)
{
	return qos->knobs[id].known == rt_knob_all(&rt_knobs[id]);
}

static void ets_of_qos(const struct rt_qos *qos, bool willing, struct rt_dcbx_ets *ets)
{
	const struct rt_opt_u64 cap = rt_qos_number(qos, RT_KNOB_ETS_CAP);

	ets->present = ets->enabled = true;
	ets->willing = willing;
	ets->tc_count = cap.known && cap.value <= 8 ? (uint8_t)cap.value : 8;
	for (unsigned i = 0; i < 8; i++) {
		ets->prio_tc[i] = (uint8_t)qos->knobs[RT_KNOB_ETS_PRIO_TC].number[i];
		ets->bw_percent[i] = (uint8_t)qos->knobs[RT_KNOB_ETS_BW].number[i];
		ets->tsa[i] = (uint8_t)qos->knobs[RT_KNOB_ETS_TSA].number[i];
	}
}

static void apps_of_qos(const struct rt_qos *qos, struct rt_dcbx_apps *apps)
{
	const struct rt_knob_value *map = &qos->knobs[RT_KNOB_DSCP_PRIO];

	for (unsigned dscp = 0; dscp < 64; dscp++)
		if (map->known >> dscp & 1 && map->small[dscp] < RT_DCBX_PRIOS)
			apps->items[apps->count++] = (struct rt_dcbx_app){
				.selector = RT_DCBX_DSCP,
				.prio_mask = (uint8_t)(1u << map->small[dscp]),
				.protocol = (uint16_t)dscp,
			};
	apps->present = apps->enabled = apps->count > 0;
}

void rt_dcbx_of_qos(const struct rt_qos *qos, struct rt_dcbx *ret_dcbx)
{
	const struct rt_opt_u64 mask = rt_qos_number(qos, RT_KNOB_PFC_MASK);
	const struct rt_opt_u64 cap = rt_qos_number(qos, RT_KNOB_PFC_CAP);
	const struct rt_opt_u64 willing = rt_qos_number(qos, RT_KNOB_DCBX_WILLING);
	const bool is_willing = willing.known && willing.value;

	*ret_dcbx = (struct rt_dcbx){ 0 };
	if (all_known(qos, RT_KNOB_ETS_PRIO_TC) && all_known(qos, RT_KNOB_ETS_BW) &&
	    all_known(qos, RT_KNOB_ETS_TSA))
		ets_of_qos(qos, is_willing, &ret_dcbx->ets);
	if (mask.known)
		ret_dcbx->pfc = (struct rt_dcbx_pfc){
			.present = true,
			.enabled = true,
			.willing = is_willing,
			.prio_mask = (uint8_t)mask.value,
			.tc_count = cap.known ? (uint8_t)(cap.value & 7) : 0,
		};
	apps_of_qos(qos, &ret_dcbx->apps);
	ret_dcbx->present = ret_dcbx->ets.present || ret_dcbx->pfc.present ||
			    ret_dcbx->apps.present;
}

/* --- peers -------------------------------------------------------------------------- */

static const struct rt_field value_fields[] = {
	RT_FIELD(struct rt_dcbx_value_row, TEXT, knob, NONE, "the knob's name"),
	RT_FIELD_CHARS_OF(struct rt_dcbx_value_row, value, "as announced"),
};
static RT_TABLE(value_table, rt_dcbx_value_row, "announced_value", "Announced",
		"What a peer announces, as knobs of a host.", value_fields);

static const struct rt_field app_fields[] = {
	RT_FIELD(struct rt_dcbx_app_row, ENUM, selector, NONE, "what protocol is",
		 .names = rt_dcbx_selector_names),
	RT_FIELD(struct rt_dcbx_app_row, U32, protocol, NONE,
		 "DSCP, port or Ethertype"),
	RT_FIELD_CHARS_OF(struct rt_dcbx_app_row, priorities, "that it belongs to"),
};
static RT_TABLE(app_table, rt_dcbx_app_row, "announced_application",
		"Announced applications", "Application entries of DCBX.", app_fields);

static const struct rt_field fault_fields[] = {
	RT_FIELD(struct rt_dcbx_fault_row, U32, offset_bytes, BYTES,
		 "where in the frame the TLV begins"),
	RT_FIELD_CHARS_OF(struct rt_dcbx_fault_row, tlv, "which TLV"),
	RT_FIELD(struct rt_dcbx_fault_row, TEXT, reason, NONE, "what is wrong with it"),
};
static RT_TABLE(fault_table, rt_dcbx_fault_row, "lldp_fault", "Malformed",
		"TLVs that contradict themselves and were not taken.", fault_fields);

static const struct rt_field peer_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_dcbx_peer, interface, "where it was heard"),
	RT_FIELD_CHARS_OF(struct rt_dcbx_peer, system_name, "the sender's name"),
	RT_FIELD_CHARS_OF(struct rt_dcbx_peer, chassis, "its chassis ID"),
	RT_FIELD_CHARS_OF(struct rt_dcbx_peer, port, "its port ID"),
	RT_FIELD_CHARS_OF(struct rt_dcbx_peer, port_description, "its port in words",
			  .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD(struct rt_dcbx_peer, IP, management, NONE, "management address",
		 .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD(struct rt_dcbx_peer, OPT_U64, ttl_s, COUNT,
		 "seconds that what it says holds", .flags = RT_FIELD_DETAIL),
	RT_FIELD(struct rt_dcbx_peer, OPT_U64, max_frame_bytes, BYTES,
		 "largest frame, with header and FCS (802.3)"),
	RT_FIELD(struct rt_dcbx_peer, U64, frames, COUNT, "LLDP frames heard",
		 .flags = RT_FIELD_DETAIL),
	RT_FIELD_CHARS_OF(struct rt_dcbx_peer, dialects,
			  "DCBX dialects it speaks; unknown: none"),
	RT_FIELD(struct rt_dcbx_peer, BOOL, error, NONE,
		 "it says that it could not agree with this end",
		 .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD_LIST_OF(struct rt_dcbx_peer, values, value_count, &value_table,
			 "what it announces, as knobs of a host"),
	RT_FIELD_LIST_OF(struct rt_dcbx_peer, apps, app_count, &app_table,
			 "application entries"),
	RT_FIELD_LIST_OF(struct rt_dcbx_peer, faults, fault_count, &fault_table,
			 "TLVs that were not taken"),
};

RT_TABLE(rt_dcbx_peer_table, rt_dcbx_peer, "lldp_peer", "Peers",
	 "Who was heard by LLDP, and what it announces by DCBX.", peer_fields);

static void show_mask(char *buf, size_t bytes, unsigned mask)
{
	size_t used = 0;

	*buf = 0;
	for (unsigned prio = 0; prio < RT_DCBX_PRIOS; prio++)
		if (mask >> prio & 1)
			used += (size_t)snprintf(buf + used, bytes - used, "%s%u",
						 used ? " " : "", prio);
}

static void take_values(struct rt_dcbx_peer *peer)
{
	static const enum rt_knob_id shown[] = {
		RT_KNOB_DCBX_WILLING, RT_KNOB_PFC_MASK, RT_KNOB_PFC_CAP,
		RT_KNOB_ETS_PRIO_TC,  RT_KNOB_ETS_TSA,  RT_KNOB_ETS_BW,
		RT_KNOB_DSCP_PRIO,
	};

	for (size_t i = 0; i < RT_ARRAY_SIZE(shown); i++) {
		const struct rt_knob_value *value = &peer->said.knobs[shown[i]];
		struct rt_dcbx_value_row *row = &peer->value_rows[peer->value_count];

		if (!value->known)
			continue;
		row->knob = rt_knobs[shown[i]].name;
		rt_knob_format(&rt_knobs[shown[i]], value, row->value);
		peer->value_count++;
	}
}

static void take_apps(const struct rt_dcbx_apps *apps, struct rt_dcbx_peer *peer)
{
	for (unsigned i = 0; i < apps->count; i++) {
		struct rt_dcbx_app_row *row = &peer->app_rows[peer->app_count++];

		row->selector = apps->items[i].selector;
		row->protocol = apps->items[i].protocol;
		show_mask(row->priorities, sizeof(row->priorities),
			  apps->items[i].prio_mask);
	}
}

static void take_faults(const struct rt_lldp *said, struct rt_dcbx_peer *peer)
{
	peer->faults_in_all = said->fault_count;
	for (; peer->fault_count < said->fault_count &&
	       peer->fault_count < RT_LLDP_FAULT_MAX;
	     peer->fault_count++) {
		const struct rt_lldp_fault *fault = &said->faults[peer->fault_count];
		struct rt_dcbx_fault_row *row = &peer->fault_rows[peer->fault_count];

		row->offset_bytes = fault->offset;
		row->reason = fault->reason;
		if (fault->tlv)
			snprintf(row->tlv, sizeof(row->tlv), "%s", fault->tlv);
		else
			snprintf(row->tlv, sizeof(row->tlv), "TLV of type %u",
				 fault->type);
	}
}

static void take_dcbx(const struct rt_lldp *said, struct rt_dcbx_peer *peer)
{
	const struct rt_dcbx *dcbx;
	size_t used = 0;

	for (unsigned d = RT_DCBX_DIALECT_COUNT; d-- > 0;) {
		peer->speaks[d] = said->dcbx[d].present;
		if (said->dcbx[d].present) {
			peer->dcbx = true;
			peer->dialect = d;
		}
	}
	if (!peer->dcbx)
		return;
	for (unsigned d = 0; d < RT_DCBX_DIALECT_COUNT; d++)
		if (peer->speaks[d])
			used += (size_t)snprintf(peer->dialects + used,
						 sizeof(peer->dialects) - used, "%s%s",
						 used ? ", " : "",
						 rt_name_of(rt_dcbx_dialect_names, d));
	dcbx = &said->dcbx[peer->dialect];
	rt_dcbx_to_qos(dcbx, peer->dialect, &peer->said);
	if (dcbx->reco.present)
		ets_to_qos(&dcbx->reco, true, &peer->recommended);
	for (unsigned i = 0; i < RT_DCBX_ROCE_COUNT; i++)
		peer->roce_prios[i] = rt_dcbx_roce_prios(dcbx, i);
	peer->error = dcbx->ets.error || dcbx->pfc.error || dcbx->apps.error;
	take_apps(&dcbx->apps, peer);
	take_values(peer);
}

void rt_dcbx_peer_of(const struct rt_lldp_peer *heard, struct rt_dcbx_peer *ret_peer)
{
	const struct rt_lldp *said = &heard->said;

	*ret_peer = (struct rt_dcbx_peer){
		.management = said->management,
		.ttl_s = said->ttl_s,
		.max_frame_bytes = said->max_frame_bytes,
		.frames = heard->frames,
	};
	memcpy(ret_peer->interface, heard->interface, sizeof(ret_peer->interface));
	memcpy(ret_peer->system_name, said->system_name, RT_LLDP_TEXT_BYTES);
	memcpy(ret_peer->port_description, said->port_description, RT_LLDP_TEXT_BYTES);
	rt_lldp_chassis_text(&said->chassis, ret_peer->chassis);
	rt_lldp_port_text(&said->port, ret_peer->port);
	ret_peer->values = ret_peer->value_rows;
	ret_peer->apps = ret_peer->app_rows;
	ret_peer->faults = ret_peer->fault_rows;
	take_dcbx(said, ret_peer);
	take_faults(said, ret_peer);
}
