/* SPDX-License-Identifier: BSD-2-Clause */
/* sums.c - the small sums people do by hand: headroom, the ToS byte. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "rocetune/err.h"
#include "rocetune/field.h"
#include "run/outcome.h"
#include "run/profile.h"

static const struct rt_field term_fields[] = {
	RT_FIELD(struct rt_headroom_term, TEXT, name, NONE, "the term",
		 .label = "term"),
	RT_FIELD(struct rt_headroom_term, OPT_U64, bits, BITS, "bit times, rounded up",
		 .label = "bit times"),
	RT_FIELD(struct rt_headroom_term, TEXT, why, NONE, "the assumption behind it",
		 .label = "assumes"),
};

RT_TABLE(rt_headroom_term_table, rt_headroom_term, "headroom_term", "Terms",
	 "One term of a headroom formula.", term_fields);

/* To the byte: these are held against vendors' tables. */
static const struct rt_field row_fields[] = {
	RT_FIELD(struct rt_headroom_row, TEXT, model, NONE, "name of the model"),
	RT_FIELD(struct rt_headroom_row, OPT_U64, headroom_bytes, NONE,
		 "what may still arrive after XOFF", .label = "headroom, bytes"),
	RT_FIELD(struct rt_headroom_row, OPT_U64, xon_bytes, NONE,
		 "filling at which the model sends XON", .label = "XON, bytes",
		 .flags = RT_FIELD_KEEP),
	RT_FIELD(struct rt_headroom_row, OPT_U64, size_bytes, NONE,
		 "of the whole priority group", .label = "group, bytes",
		 .flags = RT_FIELD_KEEP),
	RT_FIELD(struct rt_headroom_row, U64, mtu_bytes, NONE,
		 "MTU it was computed with", .label = "MTU, bytes"),
	RT_FIELD(struct rt_headroom_row, TEXT, title, NONE, "what the model is of"),
	RT_FIELD(struct rt_headroom_row, TEXT, note, NONE, "what to mind",
		 .flags = RT_FIELD_DETAIL),
	RT_FIELD(struct rt_headroom_row, TEXT, source, NONE, "where it is published",
		 .flags = RT_FIELD_DETAIL),
	RT_FIELD_LIST_OF(struct rt_headroom_row, terms, term_count,
			 &rt_headroom_term_table, "what adds up to it"),
};

RT_TABLE(rt_headroom_row_table, rt_headroom_row, "headroom_model", "Models",
	 "One published formula and its answer for a link.", row_fields);

static const struct rt_field headroom_fields[] = {
	RT_FIELD(struct rt_headroom_result, U64, speed_bps, BPS, "speed of the link"),
	RT_FIELD(struct rt_headroom_result, U64, length_mm, LENGTH, "of its cable",
		 .label = "cable"),
	RT_FIELD_LIST_OF(struct rt_headroom_result, models, model_count,
			 &rt_headroom_row_table, "every model; none is a default"),
};

RT_TABLE(rt_headroom_table, rt_headroom_result, "headroom", "Headroom",
	 "PFC headroom of one link by every published model.", headroom_fields);

static void release_headroom(void *object)
{
	free(((struct rt_headroom_result *)object)->models);
	free(object);
}

static void fill_row(struct rt_headroom_row *row)
{
	const struct rt_headroom *answer = &row->answer;

	row->model = answer->model;
	row->title = answer->title;
	row->source = answer->source;
	row->headroom_bytes = answer->headroom_bytes;
	row->xon_bytes = answer->xon_bytes;
	row->size_bytes = answer->size_bytes;
	row->mtu_bytes = answer->mtu_bytes;
	row->note = *answer->note ? answer->note : NULL;
	row->terms = answer->terms;
	row->term_count = answer->term_count;
}

int rt_run_headroom(const struct rt_headroom_link *link, struct rt_outcome *ret_outcome,
		    struct rt_err *err)
{
	struct rt_headroom_result *result = calloc(1, sizeof(*result));
	int r = 0;

	if (result)
		result->models = calloc(rt_headroom_model_count,
					sizeof(*result->models));
	if (!result || !result->models) {
		free(result);
		return rt_err_sys(err, -ENOMEM, "cannot hold the result");
	}
	result->speed_bps = link->speed_bps;
	result->length_mm = link->length_mm;
	result->model_count = rt_headroom_model_count;
	for (size_t i = 0; i < rt_headroom_model_count && r == 0; i++) {
		r = rt_headroom_compute(&rt_headroom_models[i], link,
					&result->models[i].answer, err);
		fill_row(&result->models[i]);
	}
	if (r < 0) {
		release_headroom(result);
		return r;
	}
	*ret_outcome = (struct rt_outcome){ .table = &rt_headroom_table,
					    .object = result,
					    .release = release_headroom };
	return 0;
}

/* --- ToS ----------------------------------------------------------------------- */

struct placement {
	char profile[128], rail[128], class_name[RT_CLASS_NAME_MAX];
	struct rt_opt_u64 prio, tc, pg, queue;
	unsigned treatment;
	char note[160];
};

struct tos_result {
	uint8_t tos, dscp;
	unsigned ecn;
	const char *ecn_meaning;
	char note[120];
	struct placement *placements; /* inside placement */
	size_t placement_count;       /* 1 with a profile, else 0 */
	struct placement placement;
};

static const struct rt_name ecn_names[] = {
	{ "not-ECT", 0, "can never be marked: a full queue drops it" },
	{ "ECT(1)", 1, "may be marked by a congested queue" },
	{ "ECT(0)", 2, "may be marked by a congested queue" },
	{ "CE", 3, "was marked by a congested queue" },
	{ 0 },
};

enum treatment {
	TREATMENT_LOSSLESS,
	TREATMENT_LOSSY,
	TREATMENT_UNCLASSIFIED,
	TREATMENT_UNKNOWN,
};

static const struct rt_name treatment_names[] = {
	{ "lossless", TREATMENT_LOSSLESS, "paused instead of dropped" },
	{ "lossy", TREATMENT_LOSSY, "dropped when the queue is full" },
	{ "unclassified", TREATMENT_UNCLASSIFIED, "no class has the DSCP" },
	{ "unknown", TREATMENT_UNKNOWN, "the profile does not know" },
	{ 0 },
};

static const struct rt_field placement_fields[] = {
	RT_FIELD_CHARS_OF(struct placement, profile, "the profile"),
	RT_FIELD_CHARS_OF(struct placement, rail,
			  "devices of the rail, if one was given",
			  .flags = RT_FIELD_ZERO_QUIET | RT_FIELD_WHOLE),
	RT_FIELD_CHARS_OF(struct placement, class_name, "the class that has the DSCP",
			  .label = "class"),
	RT_FIELD(struct placement, OPT_U64, prio, NONE, "priority, the PFC number",
		 .label = "priority"),
	RT_FIELD(struct placement, OPT_U64, tc, NONE, "traffic class",
		 .label = "traffic class"),
	RT_FIELD(struct placement, OPT_U64, pg, NONE, "priority group",
		 .label = "priority group"),
	RT_FIELD(struct placement, OPT_U64, queue, NONE, "egress queue"),
	RT_FIELD(struct placement, ENUM, treatment, NONE, "what a full queue means",
		 .names = treatment_names),
	RT_FIELD_CHARS_OF(struct placement, note, "what to mind"),
};

static RT_TABLE(placement_table, placement, "tos_placement", "In the profile",
		"Where a profile puts packets with this byte.", placement_fields);

static const struct rt_field tos_fields[] = {
	RT_FIELD(struct tos_result, U8, tos, NONE, "the byte, as given",
		 .label = "ToS / traffic class"),
	RT_FIELD(struct tos_result, U8, dscp, NONE, "its upper six bits",
		 .label = "DSCP"),
	RT_FIELD(struct tos_result, ENUM, ecn, NONE, "its lower two bits (RFC 3168)",
		 .names = ecn_names, .label = "ECN"),
	RT_FIELD(struct tos_result, TEXT, ecn_meaning, NONE,
		 "what the ECN bits mean for a queue", .label = "meaning"),
	RT_FIELD_CHARS_OF(struct tos_result, note, "what to mind when setting it",
			  .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD_LIST_OF(struct tos_result, placements, placement_count,
			 &placement_table,
			 "its class in the profile, if one was given"),
};

RT_TABLE(rt_tos_table, tos_result, "tos", "ToS byte",
	 "A ToS or traffic class byte taken apart.", tos_fields);

static struct rt_opt_u64 number(const struct rt_setting *setting)
{
	return rt_setting_known(setting) ? RT_KNOWN_U64(setting->number)
					 : (struct rt_opt_u64){ 0 };
}

static bool marks(const struct rt_class *class)
{
	for (unsigned role = 0; role < RT_ROLE_COUNT; role++)
		if (rt_setting_known(&class->at[role].kmin))
			return true;
	return false;
}

/* A class whose DSCPs the profile does not know. */
static const struct rt_class *keeps_dscp(const struct rt_profile *profile)
{
	for (size_t i = 0; i < profile->class_count; i++)
		if (profile->classes[i].dscp.state == RT_SETTING_KEEP)
			return &profile->classes[i];
	return NULL;
}

static void note_not_ect(const struct rt_class *class, struct tos_result *result)
{
	struct placement *at = &result->placement;
	const char *pauses = rt_class_is_lossless(class)
				     ? ": never marked, PFC is all that slows it"
				     : "";

	if (rt_setting_known(&class->ect) && class->ect.number == RT_ECT_NIC)
		snprintf(at->note, sizeof(at->note),
			 "this byte is not ECT; the NIC is meant to set that (ect: "
			 "nic)");
	else if (marks(class))
		snprintf(at->note, sizeof(at->note),
			 "the class marks, but this byte is not ECT%s: use %u", pauses,
			 result->tos | 2u);
	else if (*pauses)
		snprintf(at->note, sizeof(at->note), "this byte is not ECT%s", pauses);
}

static void place(const struct rt_profile *profile, struct tos_result *result)
{
	const struct rt_class *class = rt_profile_class_of_dscp(profile, result->dscp);
	struct placement *at = &result->placement;

	if (!class && keeps_dscp(profile)) {
		at->treatment = TREATMENT_UNKNOWN;
		snprintf(at->note, sizeof(at->note),
			 "class %s keeps the DSCPs that the device has, so this may be "
			 "one",
			 keeps_dscp(profile)->name);
		return;
	}
	if (!class) {
		at->treatment = TREATMENT_UNCLASSIFIED;
		snprintf(at->note, sizeof(at->note),
			 "no class has DSCP %u: the switch's own map decides, lossy on "
			 "most",
			 result->dscp);
		return;
	}
	snprintf(at->class_name, sizeof(at->class_name), "%s", class->name);
	at->prio = number(&class->prio);
	at->tc = number(&class->tc);
	at->pg = number(&class->pg);
	at->queue = number(&class->queue);
	at->treatment = rt_class_is_lossless(class) ? TREATMENT_LOSSLESS
						    : TREATMENT_LOSSY;
	if (result->ecn == 0)
		note_not_ect(class, result);
	else if (result->ecn == 3)
		snprintf(at->note, sizeof(at->note),
			 "CE from the sender: every packet looks marked");
}

int rt_run_tos(uint8_t tos, const char *profile, size_t rail,
	       struct rt_outcome *ret_outcome, struct rt_err *err)
{
	RT_AUTO(rt_auto_profile_free) struct rt_profile *read = NULL;
	RT_AUTO(rt_auto_profile_free) struct rt_profile *on_rail = NULL;
	struct tos_result *result;
	int r = profile ? rt_run_profile_read(profile, &read, err) : 0;

	if (r == 0 && read && rail != RT_NO_RAIL)
		r = rt_profile_rail(read, rail, &on_rail, err);
	if (r < 0)
		return r;
	result = calloc(1, sizeof(*result));
	if (!result)
		return rt_err_sys(err, -ENOMEM, "cannot hold the result");
	result->tos = tos;
	result->dscp = tos >> 2;
	result->ecn = tos & 3;
	result->ecn_meaning = ecn_names[tos & 3].help;
	if (result->ecn == 3)
		snprintf(result->note, sizeof(result->note),
			 "do not set CE yourself, only switches do: use %u",
			 (tos & ~3u) | 2u);
	if (read) {
		struct placement *at = &result->placement;

		result->placements = at;
		result->placement_count = 1;
		snprintf(at->profile, sizeof(at->profile), "%s", profile);
		if (on_rail)
			snprintf(at->rail, sizeof(at->rail), "%s",
				 read->rails[rail].select);
		place(on_rail ? on_rail : read, result);
	}
	*ret_outcome = (struct rt_outcome){ .table = &rt_tos_table,
					    .object = result,
					    .release = free };
	return 0;
}
