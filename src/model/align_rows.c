/* SPDX-License-Identifier: BSD-2-Clause */
/* align_rows.c - what the sides of a link say of each property, side by side. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "model/rules_align.h"
#include "rocetune/err.h"

static const struct rt_field row_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_align_row, property, "what is compared"),
	RT_FIELD_CHARS_OF(struct rt_align_row, host, "as the host has it"),
	RT_FIELD_CHARS_OF(struct rt_align_row, profile, "as the profile wants it"),
	RT_FIELD_CHARS_OF(struct rt_align_row, config,
			  "as the switch's configuration has it", .label = "switch"),
	RT_FIELD_CHARS_OF(struct rt_align_row, lldp, "as the switch announces it"),
};

RT_TABLE(rt_align_row_table, rt_align_row, "alignment", "Side by side",
	 "One property as each side of the link has it; unknown: not told there.",
	 row_fields);

typedef char text_buf[RT_ALIGN_TEXT_BYTES];

/* --- sides as text -------------------------------------------------------------------- */

static void knob_text(const struct rt_qos *qos, enum rt_knob_id id, text_buf text)
{
	char buf[RT_KNOB_TEXT_BYTES];

	if (!qos || !qos->knobs[id].known)
		return;
	rt_knob_format(&rt_knobs[id], &qos->knobs[id], buf);
	snprintf(text, RT_ALIGN_TEXT_BYTES, "%.250s", buf);
}

static void unit_text(const struct rt_setting *setting, enum rt_unit unit,
		      text_buf text)
{
	char buf[RT_UNIT_TEXT_BYTES];

	if (rt_setting_known(setting))
		snprintf(text, RT_ALIGN_TEXT_BYTES, "%s",
			 rt_unit_format(unit, setting->number, buf));
}

static void opt_text(const struct rt_opt_u64 *value, enum rt_unit unit, text_buf text)
{
	char buf[RT_UNIT_TEXT_BYTES];

	if (value->known)
		snprintf(text, RT_ALIGN_TEXT_BYTES, "%s",
			 rt_unit_format(unit, value->value, buf));
}

/* --- the switch's word for a knob -------------------------------------------------------- */

static void switch_trust(const struct rt_align *align, text_buf text)
{
	const struct rt_setting *trust = &align->port->trust;

	if (rt_setting_known(trust))
		snprintf(text, RT_ALIGN_TEXT_BYTES, "%s",
			 rt_name_of(rt_knobs[RT_KNOB_TRUST].names,
				    (unsigned)trust->number));
}

/* As rt_knob_format() writes priorities. */
static void switch_pfc(const struct rt_align *align, text_buf text)
{
	const struct rt_opt_u64 mask = rt_align_switch_pfc(align);
	struct rt_knob_value value = { .known = mask.known, .number = { mask.value } };
	char buf[RT_KNOB_TEXT_BYTES];

	if (mask.known)
		snprintf(text, RT_ALIGN_TEXT_BYTES, "%.250s",
			 rt_knob_format(&rt_knobs[RT_KNOB_PFC_MASK], &value, buf));
}

static void switch_cable(const struct rt_align *align, text_buf text)
{
	unit_text(&align->port->cable, RT_UNIT_LENGTH, text);
}

static void switch_detect(const struct rt_align *align, text_buf text)
{
	const struct rt_switch_watchdog *watchdog = &align->port->watchdog;

	if (rt_setting_known(&watchdog->on) && !watchdog->on.number)
		snprintf(text, RT_ALIGN_TEXT_BYTES, "no watchdog");
	else
		unit_text(&watchdog->detect, RT_UNIT_NS, text);
}

/* Knobs that another side than the host speaks of. */
static const struct {
	enum rt_knob_id knob;
	void (*config)(const struct rt_align *align, text_buf text);
} knob_rows[] = {
	{ RT_KNOB_TRUST, switch_trust },
	{ RT_KNOB_PFC_MASK, switch_pfc },
	{ RT_KNOB_PFC_CABLE, switch_cable },
	{ RT_KNOB_ETS_PRIO_TC, NULL },
	{ RT_KNOB_ETS_TSA, NULL },
	{ RT_KNOB_ETS_BW, NULL },
	{ RT_KNOB_DCBX_OWNER, NULL },
	{ RT_KNOB_DCBX_WILLING, NULL },
	{ RT_KNOB_PAUSE_RX, NULL },
	{ RT_KNOB_PAUSE_TX, NULL },
	{ RT_KNOB_STORM_TIMEOUT, switch_detect },
	{ RT_KNOB_TCLASS, NULL },
	{ RT_KNOB_CM_TOS, NULL },
	{ RT_KNOB_CC_ALGORITHM, NULL },
	{ RT_KNOB_NP_CNP_DSCP, NULL },
	{ RT_KNOB_NP_CNP_PRIO, NULL },
};

/* --- rows --------------------------------------------------------------------------------- */

static bool says_anything(const struct rt_align_row *row)
{
	return *row->host || *row->profile || *row->config || *row->lldp;
}

static int add_row(struct rt_align_rows *rows, const struct rt_align_row *row,
		   struct rt_err *err)
{
	struct rt_align_row *grown;

	if (!says_anything(row))
		return 0;
	grown = rt_grow(rows->items, rows->count, &rows->capacity, sizeof(*grown));
	if (!grown)
		return rt_err_set(err, -ENOMEM, "out of memory");
	rows->items = grown;
	grown[rows->count++] = *row;
	return 0;
}

static int add_knobs(const struct rt_align *align, struct rt_align_rows *rows,
		     struct rt_err *err)
{
	const struct rt_dcbx_peer *peer = rt_align_peer(align);

	for (size_t i = 0; i < RT_ARRAY_SIZE(knob_rows); i++) {
		const enum rt_knob_id id = knob_rows[i].knob;
		struct rt_align_row row = { 0 };

		snprintf(row.property, sizeof(row.property), "%s", rt_knobs[id].name);
		knob_text(align->host, id, row.host);
		knob_text(align->want ? &align->want->qos : NULL, id, row.profile);
		if (align->port && knob_rows[i].config)
			knob_rows[i].config(align, row.config);
		knob_text(peer && peer->dcbx ? &peer->said : NULL, id, row.lldp);
		if (add_row(rows, &row, err) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int add_link(const struct rt_align *align, struct rt_align_rows *rows,
		    struct rt_err *err)
{
	const struct rt_dcbx_peer *peer = rt_align_peer(align);
	struct rt_align_row speed = { .property = "speed" },
			    mtu = { .property = "MTU" };
	struct rt_align_row roce = { .property = "RoCE MTU" };
	struct rt_align_row dialect = { .property = "DCBX dialect" };

	opt_text(&align->speed_bps, RT_UNIT_BPS, speed.host);
	opt_text(&align->mtu_bytes, RT_UNIT_MTU, mtu.host);
	opt_text(&align->roce_mtu_bytes, RT_UNIT_MTU, roce.host);
	if (align->profile) {
		unit_text(&align->profile->match.speed, RT_UNIT_BPS, speed.profile);
		unit_text(&align->profile->match.l2_mtu, RT_UNIT_MTU, mtu.profile);
		unit_text(&align->profile->match.roce_mtu, RT_UNIT_MTU, roce.profile);
	}
	if (align->port) {
		unit_text(&align->port->speed, RT_UNIT_BPS, speed.config);
		unit_text(&align->port->mtu, RT_UNIT_MTU, mtu.config);
	}
	if (peer) {
		if (peer->max_frame_bytes.known)
			snprintf(mtu.lldp, RT_ALIGN_TEXT_BYTES,
				 "frames of %" PRIu64 "B", peer->max_frame_bytes.value);
		snprintf(dialect.lldp, RT_ALIGN_TEXT_BYTES, "%s", peer->dialects);
	}
	if (add_row(rows, &speed, err) < 0 || add_row(rows, &mtu, err) < 0 ||
	    add_row(rows, &roce, err) < 0 || add_row(rows, &dialect, err) < 0)
		return -ENOMEM;
	return 0;
}

/* --- classes ------------------------------------------------------------------------------ */

/* What a map of DSCPs says of the class's: "priority 3", or one a run that differs. */
static void map_text(const struct rt_qos *qos, uint64_t dscps, text_buf text)
{
	struct rt_knob_value value;
	char buf[RT_KNOB_TEXT_BYTES];

	if (!qos)
		return;
	value = qos->knobs[RT_KNOB_DSCP_PRIO];
	value.known &= dscps;
	if (!value.known)
		return;
	rt_knob_format(&rt_knobs[RT_KNOB_DSCP_PRIO], &value, buf);
	snprintf(text, RT_ALIGN_TEXT_BYTES, "%.250s", buf);
}

static void class_text(const struct rt_class *class, text_buf text)
{
	char dscps[RT_SWITCH_MASK_BYTES];
	size_t used = (size_t)snprintf(text, RT_ALIGN_TEXT_BYTES, "DSCP %s",
				       rt_align_mask(class->dscp.number, dscps));

	if (rt_setting_known(&class->prio))
		used += (size_t)snprintf(text + used, RT_ALIGN_TEXT_BYTES - used,
					 ", priority %" PRIu64, class->prio.number);
	if (rt_setting_known(&class->queue))
		used += (size_t)snprintf(text + used, RT_ALIGN_TEXT_BYTES - used,
					 ", queue %" PRIu64, class->queue.number);
	snprintf(text + used, RT_ALIGN_TEXT_BYTES - used, ", %s",
		 rt_class_is_lossless(class) ? "lossless" : "lossy");
}

static bool same_way(const struct rt_switch_path *a, const struct rt_switch_path *b)
{
	return rt_setting_known(&a->queue) == rt_setting_known(&b->queue) &&
	       a->queue.number == b->queue.number && a->lossless == b->lossless;
}

/* Of the first DSCP, and whether the others go elsewhere. */
static void way_text(const struct rt_align *align, uint64_t dscps, text_buf text)
{
	const unsigned first = (unsigned)__builtin_ctzll(dscps);
	struct rt_switch_path path, other;
	char prios[RT_SWITCH_MASK_BYTES];
	uint64_t elsewhere = 0;
	size_t used;

	rt_switch_path_of_dscp(align->sw, align->port, first, &path);
	for (unsigned dscp = first + 1; dscp < 64; dscp++) {
		if (!(dscps >> dscp & 1))
			continue;
		rt_switch_path_of_dscp(align->sw, align->port, dscp, &other);
		if (!same_way(&path, &other))
			elsewhere |= UINT64_C(1) << dscp;
	}
	if (!rt_setting_known(&path.queue)) {
		snprintf(text, RT_ALIGN_TEXT_BYTES, "unknown: %s", path.why);
		return;
	}
	used = (size_t)snprintf(text, RT_ALIGN_TEXT_BYTES, "queue %" PRIu64 ", PFC %s",
				path.queue.number,
				rt_switch_mask_text(&path.prios, prios));
	if (path.wred && rt_switch_wred_marks(path.wred))
		used += (size_t)snprintf(text + used, RT_ALIGN_TEXT_BYTES - used,
					 ", ECN %s", path.wred->id.name);
	if (elsewhere && used < RT_ALIGN_TEXT_BYTES)
		snprintf(text + used, RT_ALIGN_TEXT_BYTES - used, "; not so %s",
			 rt_align_mask(elsewhere, prios));
}

static int add_classes(const struct rt_align *align, struct rt_align_rows *rows,
		       struct rt_err *err)
{
	const struct rt_dcbx_peer *peer = rt_align_peer(align);

	if (!align->profile)
		return 0;
	for_each_class (class, align->profile) {
		struct rt_align_row row = { 0 };

		if (!rt_setting_known(&class->dscp) || !class->dscp.number)
			continue;
		snprintf(row.property, sizeof(row.property), "class %.40s",
			 class->name);
		map_text(align->host, class->dscp.number, row.host);
		class_text(class, row.profile);
		if (align->port)
			way_text(align, class->dscp.number, row.config);
		map_text(peer && peer->dcbx ? &peer->said : NULL, class->dscp.number,
			 row.lldp);
		if (add_row(rows, &row, err) < 0)
			return -ENOMEM;
	}
	return 0;
}

int rt_align_rows_fill(const struct rt_align *align, struct rt_align_rows *ret_rows,
		       struct rt_err *err)
{
	struct rt_align_rows rows = { 0 };

	if (add_link(align, &rows, err) < 0 || add_knobs(align, &rows, err) < 0 ||
	    add_classes(align, &rows, err) < 0) {
		rt_align_rows_free(&rows);
		return -ENOMEM;
	}
	*ret_rows = rows;
	return 0;
}

void rt_align_rows_free(struct rt_align_rows *rows)
{
	free(rows->items);
	*rows = (struct rt_align_rows){ 0 };
}
