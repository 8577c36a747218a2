/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * host_show.c - all knobs of one port: what they are, what the vendor calls them,
 * by which interface they are reached, what a write would do.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "host/access.h"
#include "host/counters.h"
#include "host/device.h"
#include "host/driver.h"
#include "host/elsewhere.h"
#include "host/port_profile.h"
#include "rocetune/err.h"
#include "run/host.h"
#include "run/host_show.h"
#include "run/host_text.h"
#include "run/outcome.h"

#define QUIET RT_FIELD_ZERO_QUIET

/* --- what JSON says of a knob ------------------------------------------------------- */

#define OWNER struct rt_shown_element
static const struct rt_field element_fields[] = {
	RT_FIELD(OWNER, U32, index, NONE, "DSCP, priority or traffic class"),
	RT_FIELD(OWNER, U64, number, NONE, "its value, in the knob's unit"),
};
static RT_TABLE(element_table, rt_shown_element, "knob_element", "Elements",
		"One element of a knob that has several.", element_fields);
#undef OWNER

#define OWNER struct rt_shown_knob
static const struct rt_field knob_fields[] = {
	RT_FIELD(OWNER, TEXT, name, NONE, "rocetune's name of the knob"),
	RT_FIELD(OWNER, ENUM, group, NONE, "its group", .names = rt_group_names),
	RT_FIELD_CHARS_OF(OWNER, value, "what it is, with its unit"),
	RT_FIELD(OWNER, OPT_U64, number, NONE,
		 "the same as a number in unit, where "
		 "the knob has one value"),
	RT_FIELD(OWNER, TEXT, unit, NONE, "unit of the numbers"),
	RT_FIELD_LIST_OF(OWNER, elements, element_count, &element_table,
			 "numbers of a knob that has several, those that are known"),
	RT_FIELD(OWNER, TEXT, vendor, NONE, "the vendor's name for it"),
	RT_FIELD(OWNER, OPT_U64, raw, NONE, "the value in the vendor's unit"),
	RT_FIELD(OWNER, TEXT, interface, NONE, "by which it is reached"),
	RT_FIELD(OWNER, BOOL, writable, NONE, "whether it can be set on this port"),
	RT_FIELD(OWNER, TEXT, impact, NONE, "what a write does to traffic"),
	RT_FIELD(OWNER, TEXT, scope, NONE, "how far a write reaches"),
	RT_FIELD_CHARS_OF(OWNER, why, "unknown: why; else a remark"),
	RT_FIELD(OWNER, TEXT, help, NONE, "what the knob does"),
};
static RT_TABLE(knob_table, rt_shown_knob, "knob", "Knobs",
		"A knob of a port's congestion control.", knob_fields);
#undef OWNER

#define OWNER struct rt_shown_row
static const struct rt_field row_fields[] = {
	RT_FIELD(OWNER, TEXT, name, NONE, "knob", .label = "knob", .flags = QUIET),
	RT_FIELD_CHARS_OF(OWNER, value, "value", .flags = QUIET),
	RT_FIELD(OWNER, TEXT, write, NONE, "what a write does", .label = "write",
		 .flags = QUIET),
	RT_FIELD(OWNER, TEXT, vendor, NONE, "the vendor's name for it",
		 .label = "vendor's name", .flags = QUIET),
	RT_FIELD_CHARS_OF(OWNER, raw, "in the vendor's unit", .flags = QUIET),
	RT_FIELD(OWNER, TEXT, interface, NONE, "interface", .label = "by",
		 .flags = QUIET),
};
RT_TABLE(rt_shown_row_table, rt_shown_row, "shown_row", "Knobs", "A knob, for text.",
	 row_fields);
#undef OWNER

#define OWNER struct rt_shown_peer
static const struct rt_field peer_fields[] = {
	RT_FIELD_CHARS_OF(OWNER, why,
			  "why nothing is known of the peer; unknown: it is"),
	RT_FIELD(OWNER, OPT_U64, pfc_cap, COUNT, "priorities it can pause"),
	RT_FIELD_CHARS_OF(OWNER, pfc, "priorities it pauses"),
	RT_FIELD_CHARS_OF(OWNER, prio_tc, "its traffic class of each priority"),
	RT_FIELD_CHARS_OF(OWNER, bw, "its shares, percent"),
	RT_FIELD(OWNER, OPT_U64, apps, COUNT, "applications it names a priority for"),
};
static RT_TABLE(peer_table, rt_shown_peer, "dcbx_peer", "Peer by DCBX",
		"What the NIC's DCBX agent heard from the other end.", peer_fields);
#undef OWNER

#define OWNER struct rt_shown_port
static const struct rt_field show_fields[] = {
	RT_FIELD_STRUCT_OF(OWNER, device, &rt_device_table, "the port"),
	RT_FIELD_LIST_OF(OWNER, knobs, knob_count, &knob_table,
			 "all knobs, neutral ones first, then the vendor's own"),
	RT_FIELD_STRUCT_OF(OWNER, peer, &peer_table, "what its DCBX peer says"),
	RT_FIELD_STRUCT_OF(OWNER, counters, &rt_counter_set_table,
			   "its counters, with --all", .flags = RT_FIELD_MAYBE),
};
RT_TABLE(rt_show_table, rt_shown_port, "show", "Congestion control of a port",
	 "What a port's congestion control is set to.", show_fields);
#undef OWNER

/* --- knobs --------------------------------------------------------------------------- */

/* The row that a value came by, or would be written by; NULL: none. */
static const struct rt_driver_row *row_of(const struct rt_driver *driver,
					  enum rt_knob_id id,
					  const struct rt_knob_value *value)
{
	for (size_t i = 0; i < driver->row_count; i++) {
		const struct rt_driver_row *row = &driver->rows[i];

		if (!row->raw && row->knob == id && value->interface &&
		    strcmp(row->access->interface, value->interface) == 0)
			return row;
	}
	return NULL;
}

static const struct rt_driver_row *raw_row_of(const struct rt_driver *driver,
					      const char *name)
{
	for (size_t i = 0; i < driver->row_count; i++)
		if (driver->rows[i].raw && strcmp(driver->rows[i].raw, name) == 0)
			return &driver->rows[i];
	return NULL;
}

static bool has_row(const struct rt_driver *driver, enum rt_knob_id id)
{
	for (size_t i = 0; i < driver->row_count; i++)
		if (!driver->rows[i].raw && driver->rows[i].knob == id)
			return true;
	return false;
}

static void take_row(const struct rt_device *device, const struct rt_driver_row *row,
		     struct rt_shown_knob *knob)
{
	if (!row)
		return;
	knob->writable = !(row->flags & RT_ROW_READ_ONLY) && !*device->untunable;
	if (!knob->writable)
		return;
	knob->impact = rt_name_of(rt_impact_names, row->impact);
	knob->scope = rt_name_of(rt_scope_names, row->scope);
}

static void take_elements(const struct rt_knob *row, const struct rt_knob_value *value,
			  struct rt_shown_port *shown, struct rt_shown_knob *knob)
{
	if (row->length == 1) {
		if (value->known & 1)
			knob->number = RT_KNOWN_U64(value->number[0]);
		return;
	}
	knob->elements = &shown->elements[shown->element_count];
	for (unsigned i = 0; i < row->length; i++) {
		const uint64_t number = rt_knob_number(row, value, i);

		if (!(value->known >> i & 1) ||
		    (row->flags & RT_KNOB_MAY_LACK && number == RT_NO_PRIO))
			continue;
		shown->elements[shown->element_count++] =
			(struct rt_shown_element){ .index = i, .number = number };
		knob->element_count++;
	}
}

static void add_knob(struct rt_shown_port *shown, enum rt_knob_id id)
{
	const struct rt_knob_value *value = &shown->qos.knobs[id];
	const struct rt_knob *row = &rt_knobs[id];
	struct rt_shown_knob *knob = &shown->knobs[shown->knob_count++];
	const struct rt_driver *driver = shown->device.driver;

	*knob = (struct rt_shown_knob){
		.name = row->name,
		.group = row->group,
		.detail = row->flags & RT_KNOB_DETAIL,
		.unit = row->unit == RT_UNIT_NONE ? NULL : rt_unit_name(row->unit),
		.vendor = value->vendor,
		.raw = { .value = value->raw, .known = value->raw_known },
		.interface = value->interface,
		.help = row->help,
	};
	if (value->known)
		rt_knob_format(row, value, knob->value);
	snprintf(knob->why, sizeof(knob->why), "%s", value->why);
	if (!shown->was_read)
		snprintf(knob->why, sizeof(knob->why), "%.*s",
			 (int)sizeof(knob->why) - 1, shown->device.untunable);
	/* Which algorithm runs is asked of every NIC: why it is not told is told. */
	knob->lacking = !value->known && driver && !has_row(driver, id) &&
			!(row->flags & RT_KNOB_INFERRED) && id != RT_KNOB_CC_ALGORITHM;
	take_elements(row, value, shown, knob);
	if (driver && !(row->flags & (RT_KNOB_FACT | RT_KNOB_INFERRED)))
		take_row(&shown->device, row_of(driver, id, value), knob);
}

static void add_raw(struct rt_shown_port *shown, const struct rt_raw_value *raw)
{
	const struct rt_driver_row *row = raw_row_of(shown->device.driver, raw->name);
	struct rt_shown_knob *knob = &shown->knobs[shown->knob_count++];

	*knob = (struct rt_shown_knob){
		.name = raw->name,
		.group = RT_GROUP_CC,
		.number = { .value = raw->number, .known = raw->known },
		.is_raw = true,
		.lacking = !raw->known,
		.vendor = row ? rt_row_vendor(row) : raw->name,
		.raw = { .value = raw->number, .known = raw->known },
		.interface = row ? row->access->interface : NULL,
		.help = "the vendor's own, in the vendor's unit",
	};
	if (raw->known)
		snprintf(knob->value, sizeof(knob->value), "%" PRIu64, raw->number);
	snprintf(knob->why, sizeof(knob->why), "%s", raw->why);
	if (raw->known)
		take_row(&shown->device, row, knob);
}

static int add_knobs(struct rt_shown_port *shown, struct rt_err *err)
{
	shown->knobs = calloc(RT_KNOB_COUNT + RT_QOS_RAW_MAX, sizeof(*shown->knobs));
	shown->elements = calloc((size_t)RT_KNOB_COUNT * 64, sizeof(*shown->elements));
	if (!shown->knobs || !shown->elements)
		return rt_err_sys(err, -ENOMEM, "cannot hold the knobs");
	for (unsigned id = 0; id < RT_KNOB_COUNT; id++)
		add_knob(shown, id);
	for (size_t i = 0; i < shown->qos.raw_count && shown->device.driver; i++)
		add_raw(shown, &shown->qos.raw[i]);
	return 0;
}

/* --- the peer ------------------------------------------------------------------------- */

static void format_eight(const uint8_t numbers[8], enum rt_knob_id like, char *buf,
			 size_t bytes)
{
	struct rt_knob_value value = { .known = 0xff };
	char text[RT_KNOB_TEXT_BYTES];

	for (unsigned i = 0; i < 8; i++)
		value.number[i] = numbers[i];
	snprintf(buf, bytes, "%s", rt_knob_format(&rt_knobs[like], &value, text));
}

static void read_peer(struct rt_kern *kern, const char *netdev,
		      struct rt_shown_peer *peer)
{
	struct rt_knob_value mask = { .known = 1 };
	char text[RT_KNOB_TEXT_BYTES];
	struct rt_dcb dcb;

	if (!*netdev || kern->ops->dcb_get(kern, netdev, &dcb, NULL) < 0)
		dcb.has = 0;
	if (dcb.has & RT_DCB_PEER_PFC) {
		mask.number[0] = dcb.peer_pfc.mask;
		peer->pfc_cap = RT_KNOWN_U64(dcb.peer_pfc.cap);
		snprintf(peer->pfc, sizeof(peer->pfc), "%s",
			 rt_knob_format(&rt_knobs[RT_KNOB_PFC_MASK], &mask, text));
	}
	if (dcb.has & RT_DCB_PEER_ETS) {
		format_eight(dcb.peer_ets.prio_tc, RT_KNOB_ETS_PRIO_TC, peer->prio_tc,
			     sizeof(peer->prio_tc));
		format_eight(dcb.peer_ets.bw, RT_KNOB_ETS_BW, peer->bw,
			     sizeof(peer->bw));
	}
	if (dcb.has & RT_DCB_PEER_APP)
		peer->apps = RT_KNOWN_U64(dcb.peer_app.count);
	if (!(dcb.has & (RT_DCB_PEER_PFC | RT_DCB_PEER_ETS | RT_DCB_PEER_APP)))
		snprintf(peer->why, sizeof(peer->why),
			 "the driver does not tell what it hears by DCBX");
}

/* --- bonds ------------------------------------------------------------------------------ */

static void compare_slave(struct rt_kern *kern, struct rt_shown_port *shown,
			  const char *slave)
{
	RT_AUTO(rt_auto_free) struct rt_qos *other = calloc(1, sizeof(*other));
	struct rt_device device = shown->read_at;
	const struct rt_host_port port = { kern, &device, device.driver };
	char have[RT_KNOB_TEXT_BYTES];

	snprintf(device.netdev, sizeof(device.netdev), "%s", slave);
	if (!other || rt_host_read(&port, other, NULL) < 0)
		return;
	for (unsigned id = 0; id < RT_KNOB_COUNT; id++) {
		struct rt_host_line *line =
			&shown->text.others[shown->text.other_count];

		if (shown->text.other_count == RT_SHOWN_OTHERS ||
		    !rt_knob_differs(&rt_knobs[id], &shown->qos.knobs[id],
				     &other->knobs[id]))
			continue;
		shown->text.other_count++;
		RT_PUT(line->subject, "%s", slave);
		RT_PUT(line->text, "%s is %.300s", rt_knobs[id].name,
		       rt_knob_format(&rt_knobs[id], &other->knobs[id], have));
	}
}

static int compare_slaves(struct rt_kern *kern, struct rt_shown_port *shown,
			  struct rt_err *err)
{
	char slaves[sizeof(shown->device.slaves)], *rest = slaves, *slave;

	shown->text.others = calloc(RT_SHOWN_OTHERS, sizeof(*shown->text.others));
	if (!shown->text.others)
		return rt_err_sys(err, -ENOMEM, "cannot hold the slaves");
	snprintf(slaves, sizeof(slaves), "%s", shown->device.slaves);
	while ((slave = strsep(&rest, ","))) {
		slave += strspn(slave, " ");
		if (*slave && strcmp(slave, shown->read_at.netdev) != 0)
			compare_slave(kern, shown, slave);
	}
	return 0;
}

/* --- the journey ------------------------------------------------------------------------ */

void rt_show_free(struct rt_shown_port *shown)
{

	rt_shown_text_free(&shown->text);
	rt_counter_set_free(&shown->counters);
	free(shown->device.gids);
	free(shown->knobs);
	free(shown->elements);
	free(shown);
}

static void release_show(void *object)
{
	rt_show_free(object);
}

static int find_device(struct rt_kern *kern, const char *name,
		       struct rt_shown_port *shown, struct rt_err *err)
{
	struct rt_err why = { 0 };
	struct rt_devices devices;
	struct rt_device *found;
	char command[RT_IBNAME_BYTES + 8];
	int r = rt_devices_read(kern, 0, &devices, err);

	if (r < 0)
		return r;
	found = rt_device_find(&devices, name, &why);
	if (found)
		shown->device = *found; /* owns nothing yet */
	snprintf(command, sizeof(command), "show %.63s", name);
	if (why.code == -ENODEV)
		(void)rt_elsewhere_tell(kern, &devices, name, command, &why);
	rt_devices_free(&devices);
	if (!found)
		return rt_err_set(err, why.code, "%s", why.msg);
	return rt_device_read_detail(kern,
				     RT_DEVICE_GIDS | RT_DEVICE_USE | RT_DEVICE_GROUPS,
				     &shown->device, err);
}

int rt_show_read(struct rt_kern *kern, const char *name, struct rt_shown_port *shown,
		 struct rt_err *err)
{
	struct rt_host_port port;
	int r = find_device(kern, name, shown, err);

	if (r < 0)
		return r;
	rt_device_enter_bond(&shown->device, &shown->read_at);
	port = (struct rt_host_port){ kern, &shown->read_at, shown->device.driver };
	shown->was_read = port.driver && port.driver->row_count &&
			  shown->device.link_layer != RT_LAYER_INFINIBAND &&
			  rt_kern_holds(kern, shown->device.ibdev, shown->device.port);
	if (shown->was_read)
		r = rt_host_read(&port, &shown->qos, err);
	if (r < 0)
		return r;
	read_peer(kern, shown->read_at.netdev, &shown->peer);
	return compare_slaves(kern, shown, err);
}

static int read_counters(struct rt_kern *kern, struct rt_shown_port *shown,
			 struct rt_err *err)
{
	int r;

	if (!rt_kern_holds(kern, shown->device.ibdev, shown->device.port))
		return 0;
	r = rt_counters_read(kern, &shown->device, &shown->counters, err);
	shown->counters.time_ns = 0;
	return r < 0 ? r : rt_shown_counters_make(&shown->counters, &shown->text, err);
}

static int read_show(const char *sysroot, const char *name, bool all,
		     struct rt_shown_port *shown, struct rt_err *err)
{
	RT_AUTO(rt_auto_kern_close) struct rt_kern *kern = NULL;
	int r = rt_run_open_host(sysroot, &kern, err);

	if (r == 0)
		r = rt_show_read(kern, name, shown, err);
	if (r == 0)
		r = add_knobs(shown, err);
	if (r == 0)
		r = rt_shown_text_make(shown, all, err);
	if (r == 0 && all)
		r = read_counters(kern, shown, err);
	if (r == 0)
		r = rt_port_profile(&shown->device, &shown->qos, &shown->text.profile,
				    err);
	return r;
}

int rt_run_show(const char *sysroot, const char *device, bool all,
		struct rt_outcome *ret_outcome, struct rt_err *err)
{
	struct rt_shown_port *shown = calloc(1, sizeof(*shown));
	int r;

	if (!shown)
		return rt_err_sys(err, -ENOMEM, "cannot hold the port");
	r = read_show(sysroot, device, all, shown, err);
	if (r < 0) {
		rt_show_free(shown);
		return r;
	}
	*ret_outcome = (struct rt_outcome){ .table = &rt_show_table,
					    .object = shown,
					    .release = release_show };
	return 0;
}
