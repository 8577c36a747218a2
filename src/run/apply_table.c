/* SPDX-License-Identifier: BSD-2-Clause */
/* apply_table.c - what comes of a change, as tables. */
#include <stdlib.h>

#include "run/apply_work.h"

const struct rt_name rt_apply_end_names[] = {
	{ "planned", RT_APPLY_PLANNED, "only looked at" },
	{ "unchanged", RT_APPLY_UNCHANGED, "all is as wanted already" },
	{ "committed", RT_APPLY_COMMITTED, "all is new" },
	{ "unconfirmed", RT_APPLY_UNCONFIRMED, "all is new until the deadline" },
	{ "refused", RT_APPLY_REFUSED, "nothing was written" },
	{ "not-reached", RT_APPLY_NOT_REACHED, "nothing was written" },
	{ "undone", RT_APPLY_UNDONE, "it failed, and all is old again" },
	{ "stuck", RT_APPLY_STUCK, "it failed, and could not be undone" },
	{ 0 },
};

static const struct rt_field knob_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_applied_knob, knob, "name of the knob"),
	RT_FIELD(struct rt_applied_knob, TEXT, group, NONE, "what --only takes",
		 .flags = RT_FIELD_DETAIL),
	RT_FIELD_CHARS_OF(struct rt_applied_knob, have, "what the port has"),
	RT_FIELD_CHARS_OF(struct rt_applied_knob, want, "what it shall have"),
	RT_FIELD(struct rt_applied_knob, BOOL, changed, NONE,
		 "whether it is, or would be, written", .flags = RT_FIELD_DETAIL),
	RT_FIELD(struct rt_applied_knob, TEXT, impact, NONE,
		 "what a write does to traffic; null: it is not written"),
	RT_FIELD(struct rt_applied_knob, TEXT, scope, NONE, "how far a write reaches",
		 .flags = RT_FIELD_DETAIL),
	RT_FIELD(struct rt_applied_knob, BOOL, one_way, NONE,
		 "what was before cannot be had again in full",
		 .flags = RT_FIELD_DETAIL),
	RT_FIELD_CHARS_OF(struct rt_applied_knob, source, "where in the profile",
			  .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD_CHARS_OF(struct rt_applied_knob, note,
			  "what else a write does, or why it is missing",
			  .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD_CHARS_OF(struct rt_applied_knob, command, "the same by hand",
			  .flags = RT_FIELD_DATA),
};

RT_TABLE(rt_applied_knob_table, rt_applied_knob, "apply_knob", "Knobs",
	 "A knob that the profile sets.", knob_fields);

static const struct rt_field note_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_applied_note, param, "path in the profile"),
	RT_FIELD_CHARS_OF(struct rt_applied_note, text, "why it becomes no knob"),
	RT_FIELD_CHARS_OF(struct rt_applied_note, source, "where in the profile"),
};

static RT_TABLE(note_table, rt_applied_note, "apply_note", "Not set by us",
		"Something of the profile that becomes no knob.", note_fields);

static const struct rt_field port_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_applied_port, device, "RDMA device and port"),
	RT_FIELD_CHARS_OF(struct rt_applied_port, netdev, "network device"),
	RT_FIELD_CHARS_OF(struct rt_applied_port, pci, "PCI address"),
	RT_FIELD(struct rt_applied_port, TEXT, driver, NONE, "as in profiles"),
	RT_FIELD_CHARS_OF(struct rt_applied_port, profile, "what was applied"),
	RT_FIELD_CHARS_OF(struct rt_applied_port, rail,
			  "the entry of rails that selects it",
			  .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD(struct rt_applied_port, ENUM, end, NONE, "what came of it",
		 .names = rt_apply_end_names),
	RT_FIELD_CHARS_OF(struct rt_applied_port, reason, "why not all is new",
			  .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD_CHARS_OF(struct rt_applied_port, journal,
			  "the change's name in the history", .flags = RT_FIELD_META),
	RT_FIELD(struct rt_applied_port, U32, changes, COUNT,
		 "knobs that are, or would be, written"),
	RT_FIELD(struct rt_applied_port, U32, writes, COUNT, "steps that were written"),
	RT_FIELD(struct rt_applied_port, TEXT, impact, NONE,
		 "the worst of all changes; null: there are none"),
	RT_FIELD_CHARS_OF(struct rt_applied_port, confirm,
			  "until when it lasts, and who undoes it then",
			  .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD_LIST_OF(struct rt_applied_port, knobs, knob_count,
			 &rt_applied_knob_table, "knobs, those that change first"),
	RT_FIELD_LIST_OF(struct rt_applied_port, missing, missing_count,
			 &rt_applied_knob_table, "wanted, and not to be had here"),
	RT_FIELD_LIST_OF(struct rt_applied_port, notes, note_count, &note_table,
			 "what of the profile is not set by us"),
};

static RT_TABLE(port_table, rt_applied_port, "apply_port", "Ports",
		"A port and what was done to it.", port_fields);

static const struct rt_field applied_fields[] = {
	RT_FIELD(struct rt_applied, BOOL, dry_run, NONE, "nothing was to be written"),
	RT_FIELD(struct rt_applied, TEXT, order, NONE,
		 "in which switches and hosts are changed"),
	RT_FIELD_LIST_OF(struct rt_applied, ports, count, &port_table,
			 "ports, in the order in which they are changed"),
	{ .name = "findings",
	  .help = "what the gate said, worst first",
	  .type = RT_FIELD_LIST,
	  .offset = offsetof(struct rt_applied, findings.items),
	  .table = &rt_finding_table,
	  .count_offset = offsetof(struct rt_applied, findings.count) },
};

RT_TABLE(rt_applied_table, rt_applied, "apply", "Apply",
	 "What a profile changes on a host's ports, and what came of it.",
	 applied_fields);

void rt_applied_free(void *object)
{
	struct rt_applied *applied = object;

	if (!applied)
		return;
	for (size_t i = 0; i < applied->count; i++) {
		free(applied->ports[i].knobs);
		free(applied->ports[i].missing);
		free(applied->ports[i].notes);
	}
	free(applied->ports);
	rt_findings_free(&applied->findings);
	free(applied);
}

bool rt_applied_failed(const struct rt_applied *applied)
{
	for (size_t i = 0; i < applied->count; i++)
		if (applied->ports[i].end >= RT_APPLY_REFUSED)
			return true;
	return false;
}
