/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * profile_finish.c - what only a whole profile can tell: the DSCPs of the rest,
 * values that are auto, words that name a class, values that exclude each other.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "model/profile_reader.h"
#include "rocetune/err.h"
#include "rocetune/headroom.h"

static bool is_value(const struct rt_setting *setting)
{
	return setting->state == RT_SETTING_VALUE;
}

/* Give an auto (or, when derived, an unset) setting its number. */
static void compute(struct rt_reader *reader, struct rt_setting *setting,
		    uint64_t number, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static void compute(struct rt_reader *reader, struct rt_setting *setting,
		    uint64_t number, const char *fmt, ...)
{
	char text[200];
	va_list args;
	int bytes;

	va_start(args, fmt);
	bytes = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (bytes >= (int)sizeof(text))
		bytes = sizeof(text) - 1;
	setting->state = RT_SETTING_AUTO;
	setting->computed = true;
	setting->number = number;
	setting->text = rt_store_text(reader->profile->store, text, (size_t)bytes);
	if (!setting->text)
		reader->out_of_memory = true;
}

/* What was computed before a rail changed what it was computed from. */
static void forget(struct rt_setting *setting)
{
	if (setting->state != RT_SETTING_AUTO || !setting->computed)
		return;
	if (setting->place.line)
		setting->computed = false;
	else
		*setting = (struct rt_setting){ 0 };
}

static void forget_computed(struct rt_profile *profile)
{
	for (size_t i = 0; i < rt_param_count; i++) {
		const struct rt_param *row = &rt_params[i];
		const size_t classes = row->class_stride ? profile->class_count : 1;
		const size_t roles = row->role_stride ? RT_ROLE_COUNT : 1;

		if (row->type == RT_PARAM_PAIRS)
			continue;
		for (size_t c = 0; c < classes; c++)
			for (size_t r = 0; r < roles; r++)
				forget(rt_param_setting(profile, row, (unsigned)c,
							(unsigned)r));
	}
}

/* Unknown where a class keeps DSCPs that nobody knows here. */
static void finish_rest(struct rt_reader *reader)
{
	struct rt_profile *profile = reader->profile;
	struct rt_setting *rest = NULL;
	uint64_t taken = 0;
	bool kept = false;

	for (size_t i = 0; i < profile->class_count; i++) {
		struct rt_setting *dscp = &profile->classes[i].dscp;

		if (is_value(dscp))
			taken |= dscp->number;
		kept |= dscp->state == RT_SETTING_KEEP;
		if (dscp->state != RT_SETTING_AUTO)
			continue;
		if (rest)
			rt_reader_tell(
				reader, RT_COMPLAINT_CONTRADICTION, &dscp->place,
				"two classes take the rest of the DSCPs, the other "
				"at line %u",
				rest->place.line);
		rest = dscp;
	}
	if (rest && !kept)
		compute(reader, rest, ~taken, "rest");
}

/* --- auto ------------------------------------------------------------------ */

static bool wants(const struct rt_setting *setting)
{
	return setting->state == RT_SETTING_AUTO;
}

static void finish_class_numbers(struct rt_reader *reader, struct rt_class *class)
{
	struct rt_setting *const settings[] = { &class->tc, &class->pg, &class->queue };

	for (size_t i = 0; i < RT_ARRAY_SIZE(settings); i++)
		if (wants(settings[i]) && rt_setting_known(&class->prio))
			compute(reader, settings[i], class->prio.number,
				"same as the priority");
}

static void finish_speed(struct rt_reader *reader, enum rt_role role)
{
	struct rt_role_ports *ports = &reader->profile->sw.roles[role];
	const struct rt_setting *match = &reader->profile->match.speed;
	const bool open = ports->speed.state == RT_SETTING_UNSET ||
			  wants(&ports->speed);

	if (open && rt_setting_known(&ports->breakout))
		compute(reader, &ports->speed, ports->breakout.number, "from breakout");
	else if (open && role == RT_ROLE_HOST && rt_setting_known(match))
		compute(reader, &ports->speed, match->number, "from match.speed");
}

bool rt_headroom_auto(const struct rt_profile *profile, enum rt_role role,
		      struct rt_headroom *ret_headroom, char why[RT_AUTO_WHY_BYTES])
{
	const struct rt_role_ports *ports = &profile->sw.roles[role];
	const char *name = rt_name_of(rt_role_names, role);
	const struct rt_headroom_model *model;
	struct rt_headroom_link link;
	char speed[RT_UNIT_TEXT_BYTES], cable[RT_UNIT_TEXT_BYTES];
	struct rt_err err = { 0 };

	why[0] = '\0';
	if (!rt_setting_known(&profile->sw.headroom_model))
		snprintf(why, RT_AUTO_WHY_BYTES, "switch.headroom_model is unknown");
	else if (!rt_setting_known(&ports->speed) || !rt_setting_known(&ports->cable))
		snprintf(why, RT_AUTO_WHY_BYTES, "switch.roles.%s.%s is unknown", name,
			 rt_setting_known(&ports->speed) ? "cable" : "speed");
	if (*why)
		return false;
	model = &rt_headroom_models[profile->sw.headroom_model.number];
	link = (struct rt_headroom_link){ .speed_bps = ports->speed.number,
					  .length_mm = ports->cable.number,
					  .mtu_bytes = rt_setting_or(&profile->sw.mtu,
								     0) };
	if (rt_headroom_compute(model, &link, ret_headroom, &err) == 0 &&
	    ret_headroom->headroom_bytes.known)
		return true;
	snprintf(why, RT_AUTO_WHY_BYTES, "model %s at %s, %s: %.280s", model->id,
		 rt_unit_format(RT_UNIT_BPS, link.speed_bps, speed),
		 rt_unit_format(RT_UNIT_LENGTH, link.length_mm, cable),
		 err.code ? err.msg : ret_headroom->note);
	return false;
}

static void finish_headroom(struct rt_reader *reader, struct rt_class *class,
			    enum rt_role role)
{
	const struct rt_role_ports *ports = &reader->profile->sw.roles[role];
	struct rt_setting *setting = &class->at[role].headroom;
	struct rt_headroom headroom;
	char speed[RT_UNIT_TEXT_BYTES], cable[RT_UNIT_TEXT_BYTES];
	char why[RT_AUTO_WHY_BYTES];

	if (wants(setting) && rt_headroom_auto(reader->profile, role, &headroom, why))
		compute(reader, setting, headroom.headroom_bytes.value,
			"%s, %s, %s, MTU %u", headroom.model,
			rt_unit_format(RT_UNIT_BPS, ports->speed.number, speed),
			rt_unit_format(RT_UNIT_LENGTH, ports->cable.number, cable),
			(unsigned)headroom.mtu_bytes);
}

static void finish_auto(struct rt_reader *reader)
{
	struct rt_profile *profile = reader->profile;
	struct rt_setting *host = &profile->host.cable;
	struct rt_setting *leaf = &profile->sw.roles[RT_ROLE_HOST].cable;

	if (wants(host) && is_value(leaf))
		compute(reader, host, leaf->number, "from switch.roles.host.cable");
	if (wants(leaf) && is_value(host))
		compute(reader, leaf, host->number, "from host.cable");
	for (unsigned role = 0; role < RT_ROLE_COUNT; role++)
		finish_speed(reader, role);
	for (size_t i = 0; i < profile->class_count; i++) {
		finish_class_numbers(reader, &profile->classes[i]);
		for (unsigned role = 0; role < RT_ROLE_COUNT; role++)
			finish_headroom(reader, &profile->classes[i], role);
	}
}

/* --- references -------------------------------------------------------------- */

static bool ends_with(const char *text, const char *end)
{
	const size_t bytes = strlen(text), tail = strlen(end);

	return bytes >= tail && strcmp(text + bytes - tail, end) == 0;
}

bool rt_app_is_traffic_class(const struct rt_pair *pair)
{
	return ends_with(pair->name, "_TC") || ends_with(pair->name, "_TRAFFIC_CLASS");
}

/* Variables of a traffic class hold a class, or the byte itself. */
static void finish_app(struct rt_reader *reader)
{
	const struct rt_profile *profile = reader->profile;
	const char *names[RT_CLASS_MAX], *near;

	for (size_t i = 0; i < profile->class_count; i++)
		names[i] = profile->classes[i].name;
	for (size_t i = 0; i < profile->app.count; i++) {
		const struct rt_pair *pair = &profile->app.items[i];
		uint64_t byte;

		if (!is_value(&pair->value) || !rt_app_is_traffic_class(pair) ||
		    rt_profile_class(profile, pair->value.text) ||
		    (rt_unit_parse(RT_UNIT_NONE, pair->value.text, &byte, NULL) == 0 &&
		     byte <= 255))
			continue;
		near = rt_text_nearest(pair->value.text, names, profile->class_count);
		rt_reader_tell(reader, RT_COMPLAINT_REFERENCE, &pair->value.place,
			       "%.60s: '%.40s' is neither a class nor a byte%s%s%s",
			       pair->name, pair->value.text,
			       near ? ": did you mean '" : "", near ? near : "",
			       near ? "'?" : "");
	}
}

/* --- contradictions -------------------------------------------------------- */

/* The last part of a row's path that is no placeholder. */
static const char *last_word(const struct rt_param *row, char buf[32])
{
	const char *word = row->path;

	for (const char *dot = strchr(word, '.'); dot; dot = strchr(dot + 1, '.'))
		if (dot[1] != '<')
			word = dot + 1;
	snprintf(buf, 32, "%.*s", (int)strcspn(word, "."), word);
	return buf;
}

static void check_choices(struct rt_reader *reader, unsigned class_index, unsigned role)
{
	for (size_t i = 0; i < rt_param_count; i++)
		for (size_t j = i + 1; j < rt_param_count; j++) {
			const struct rt_param *a = &rt_params[i], *b = &rt_params[j];
			const struct rt_setting *first, *second;
			char a_word[32], b_word[32];

			if (!a->choice || a->choice != b->choice ||
			    (role > 0 && !a->role_stride))
				continue;
			first = rt_param_setting(reader->profile, a, class_index, role);
			second = rt_param_setting(reader->profile, b, class_index,
						  role);
			if (is_value(first) && is_value(second))
				rt_reader_tell(reader, RT_COMPLAINT_CONTRADICTION,
					       &second->place,
					       "%s excludes %s at line %u",
					       last_word(b, b_word),
					       last_word(a, a_word), first->place.line);
		}
}

/* low must not exceed high. */
static void check_order(struct rt_reader *reader, const struct rt_setting *low,
			const char *low_name, const struct rt_setting *high,
			const char *high_name)
{
	if (rt_setting_known(low) && rt_setting_known(high) &&
	    low->number > high->number)
		rt_reader_tell(reader, RT_COMPLAINT_CONTRADICTION, &low->place,
			       "%s (%s) is more than %s (%s, line %u)", low_name,
			       low->text, high_name, high->text, high->place.line);
}

static void check_class(struct rt_reader *reader, unsigned index)
{
	const struct rt_class *class = &reader->profile->classes[index];

	if (rt_class_is_lossless(class) && class->prio.state == RT_SETTING_UNSET)
		rt_reader_tell(reader, RT_COMPLAINT_CONTRADICTION,
			       &class->lossless.place,
			       "class %s is lossless but has no prio: PFC pauses a "
			       "priority",
			       class->name);
	for (unsigned role = 0; role < RT_ROLE_COUNT; role++) {
		check_choices(reader, index, role);
		check_order(reader, &class->at[role].xon, "xon", &class->at[role].xoff,
			    "xoff");
	}
}

static void check_cnp(struct rt_reader *reader)
{
	const struct rt_profile *profile = reader->profile;
	const struct rt_class *cnp = rt_profile_class_of_kind(profile, RT_CLASS_CNP);
	const struct rt_profile_np *np = &profile->host.np;

	if (!cnp)
		return;
	for (const struct rt_class *other = cnp + 1;
	     other < profile->classes + profile->class_count; other++)
		if (is_value(&other->kind) && other->kind.number == RT_CLASS_CNP)
			rt_reader_tell(reader, RT_COMPLAINT_CONTRADICTION,
				       &other->kind.place,
				       "%s and %s are both the CNP class", cnp->name,
				       other->name);
	if (is_value(&np->cnp_dscp) && rt_setting_known(&cnp->dscp) &&
	    !(cnp->dscp.number >> np->cnp_dscp.number & 1))
		rt_reader_tell(reader, RT_COMPLAINT_CONTRADICTION, &np->cnp_dscp.place,
			       "cnp_dscp %s is not a DSCP of class %s (line %u)",
			       np->cnp_dscp.text, cnp->name, cnp->dscp.place.line);
	if (is_value(&np->cnp_prio) && rt_setting_known(&cnp->prio) &&
	    cnp->prio.number != np->cnp_prio.number)
		rt_reader_tell(
			reader, RT_COMPLAINT_CONTRADICTION, &np->cnp_prio.place,
			"cnp_prio %s is not the priority of class %s (%s, line %u)",
			np->cnp_prio.text, cnp->name, cnp->prio.text,
			cnp->prio.place.line);
}

static void check_ports(struct rt_reader *reader)
{
	for (unsigned role = 0; role < RT_ROLE_COUNT; role++) {
		const struct rt_role_ports *ports = &reader->profile->sw.roles[role];

		if (is_value(&ports->speed) && is_value(&ports->breakout) &&
		    ports->speed.number != ports->breakout.number)
			rt_reader_tell(reader, RT_COMPLAINT_CONTRADICTION,
				       &ports->speed.place,
				       "speed %s is not that of breakout %s (line %u)",
				       ports->speed.text, ports->breakout.text,
				       ports->breakout.place.line);
	}
}

void rt_reader_finish(struct rt_reader *reader)
{
	const struct rt_profile *profile = reader->profile;

	forget_computed(reader->profile);
	finish_rest(reader);
	finish_auto(reader);
	finish_app(reader);
	for (unsigned i = 0; i < profile->class_count; i++)
		check_class(reader, i);
	check_cnp(reader);
	check_ports(reader);
	check_order(reader, &profile->sw.pool.lossless, "pool.lossless",
		    &profile->sw.pool.buffer, "pool.buffer");
}
