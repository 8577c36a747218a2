/* SPDX-License-Identifier: BSD-2-Clause */
/* rules_class.c - rules over classes, who uses them, and the rates of flows. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/profile_reader.h"
#include "model/rules_check.h"

const char *rt_elsewhere(const struct rt_place *place, const struct rt_place *from,
			 struct rt_elsewhere *buf)
{
	if (place->file && from->file && strcmp(place->file, from->file) == 0)
		snprintf(buf->text, sizeof(buf->text), "line %u", place->line);
	else
		rt_place_format(place, buf->text);
	return buf->text;
}

/* --- classes --------------------------------------------------------------------- */

void rt_check_dscp_twice(const struct rt_rule *rule, const void *subject,
			 struct rt_findings *findings)
{
	const struct rt_profile *profile = subject;

	for_each_class (class, profile)
		for (const struct rt_class *other = profile->classes; other < class;
		     other++) {
			const uint64_t both = class->dscp.number & other->dscp.number;

			if (is_value(&class->dscp) && is_value(&other->dscp) && both)
				found(findings, rule, &class->dscp.place,
				      "DSCP %d is in class %s, and in class %s at %s",
				      __builtin_ctzll(both), class->name, other->name,
				      elsewhere(other->dscp.place, class->dscp.place));
		}
}

void rt_check_ets_sum(const struct rt_rule *rule, const void *subject,
		      struct rt_findings *findings)
{
	const struct rt_profile *profile = subject;
	const struct rt_setting *newest = NULL;
	uint64_t sum = 0;
	char list[240] = "";

	for_each_class (class, profile) {
		const struct rt_setting *ets = &class->sched.ets;
		const size_t used = strlen(list);

		if (is_unset(ets))
			continue;
		if (!is_value(ets))
			return rt_rule_lacks(findings, rule, &ets->place,
					     "the share of class %s is not a number",
					     class->name);
		if (!newest || ets->layer > newest->layer)
			newest = ets;
		sum += ets->number;
		snprintf(list + used, sizeof(list) - used, "%s%.31s %" PRIu64,
			 used ? " + " : "", class->name, ets->number);
	}
	if (newest && sum != 100)
		found(findings, rule, &newest->place, "%s = %" PRIu64, list, sum);
}

void rt_check_cnp_lossless(const struct rt_rule *rule, const void *subject,
			   struct rt_findings *findings)
{
	const struct rt_profile *profile = subject;
	const struct rt_class *cnp = rt_profile_class_of_kind(profile, RT_CLASS_CNP);

	if (cnp && rt_class_is_lossless(cnp))
		found(findings, rule, &cnp->lossless.place, "class %s is lossless",
		      cnp->name);
	for_each_class (class, profile)
		if (cnp && class != cnp && rt_class_is_lossless(class) &&
		    is_value(&cnp->prio) && is_value(&class->prio) &&
		    cnp->prio.number == class->prio.number)
			found(findings, rule, &cnp->prio.place,
			      "class %s has priority %" PRIu64
			      ", which is paused for class %s (%s)",
			      cnp->name, cnp->prio.number, class->name,
			      elsewhere(class->prio.place, cnp->prio.place));
}

/* --- what is paused and should not be ---------------------------------------- */

static bool is_kind(const struct rt_class *class, enum rt_class_kind kind)
{
	return is_value(&class->kind) && class->kind.number == kind;
}

/* A lossless class with the priority of this one, or NULL. */
static const struct rt_class *pauses(const struct rt_profile *profile,
				     const struct rt_class *class)
{
	for_each_class (other, profile)
		if (other != class && rt_class_is_lossless(other) &&
		    rt_setting_known(&other->prio) && rt_setting_known(&class->prio) &&
		    other->prio.number == class->prio.number)
			return other;
	return NULL;
}

/* CNPs have a rule of their own. */
void rt_check_paused_prio(const struct rt_rule *rule, const void *subject,
			  struct rt_findings *findings)
{
	const struct rt_profile *profile = subject;

	for_each_class (class, profile) {
		const struct rt_class *other = pauses(profile, class);

		if (!other || rt_class_is_lossless(class) ||
		    is_kind(class, RT_CLASS_CNP))
			continue;
		if (!is_unset(&class->lossless) && !is_value(&class->lossless))
			rt_rule_lacks(findings, rule, &class->lossless.place,
				      "class %s: lossless is not said", class->name);
		else
			found(findings, rule, &class->prio.place,
			      "class %s is%s not lossless and has priority %" PRIu64
			      ", which is paused for class %s (%s)",
			      class->name,
			      is_kind(class, RT_CLASS_CONTROL) ? " for control," : "",
			      class->prio.number, other->name,
			      elsewhere(other->prio.place, class->prio.place));
	}
}

void rt_check_control_lossless(const struct rt_rule *rule, const void *subject,
			       struct rt_findings *findings)
{
	const struct rt_profile *profile = subject;

	for_each_class (class, profile)
		if (is_kind(class, RT_CLASS_CONTROL) && rt_class_is_lossless(class))
			found(findings, rule, &class->lossless.place,
			      "class %s is for control (%s), and lossless", class->name,
			      elsewhere(class->kind.place, class->lossless.place));
}

/* --- rates ------------------------------------------------------------------- */

void rt_check_rates(const struct rt_rule *rule, const void *subject,
		    struct rt_findings *findings)
{
	const struct rt_profile *profile = subject;
	const struct rt_setting *floor = &profile->host.rp.min_rate;
	const struct rt_setting *most = &profile->host.rp.max_rate;
	const struct rt_setting *speed = &profile->match.speed;
	char low[RT_UNIT_TEXT_BYTES], high[RT_UNIT_TEXT_BYTES];

	if (!rt_setting_known(floor))
		return;
	rt_unit_format(RT_UNIT_BPS, floor->number, low);
	if (rt_setting_known(most) && most->number && floor->number > most->number)
		found(findings, rule, &floor->place, "min_rate %s, max_rate %s (%s)",
		      low, rt_unit_format(RT_UNIT_BPS, most->number, high),
		      elsewhere(most->place, floor->place));
	else if (rt_setting_known(speed) && floor->number > speed->number)
		found(findings, rule, &floor->place, "min_rate %s, match.speed %s (%s)",
		      low, rt_unit_format(RT_UNIT_BPS, speed->number, high),
		      elsewhere(speed->place, floor->place));
}

/* --- applications ------------------------------------------------------------ */

/* The next variable from *at on that holds a traffic class byte as a number. */
static const struct rt_pair *next_byte(const struct rt_profile *profile, size_t *at,
				       unsigned *ret_byte)
{
	while (*at < profile->app.count) {
		const struct rt_pair *pair = &profile->app.items[(*at)++];
		uint64_t byte;

		if (rt_app_is_traffic_class(pair) && is_value(&pair->value) &&
		    !rt_profile_class(profile, pair->value.text) &&
		    rt_unit_parse(RT_UNIT_NONE, pair->value.text, &byte, NULL) == 0 &&
		    byte <= 255) {
			*ret_byte = (unsigned)byte;
			return pair;
		}
	}
	return NULL;
}

/* A class whose DSCPs nobody said: the byte may be one of its. */
static const struct rt_class *open_class(const struct rt_profile *profile)
{
	for_each_class (class, profile)
		if (!rt_setting_known(&class->dscp))
			return class;
	return NULL;
}

void rt_check_app_class(const struct rt_rule *rule, const void *subject,
			struct rt_findings *findings)
{
	const struct rt_profile *profile = subject;
	const struct rt_class *open = open_class(profile);
	const struct rt_pair *pair;
	unsigned byte;

	for (size_t at = 0; (pair = next_byte(profile, &at, &byte));) {
		const struct rt_class *class = rt_profile_class_of_dscp(profile,
									byte >> 2);
		/* What takes the rest takes slips of the pen as well. */
		const bool by_rest = class && !is_value(&class->dscp);

		if (class && (!by_rest || rt_class_is_lossless(class)))
			continue;
		if (by_rest)
			found(findings, rule, &pair->value.place,
			      "%.60s %u is DSCP %u, which class %s has only by `dscp: "
			      "rest`",
			      pair->name, byte, byte >> 2, class->name);
		else if (open)
			rt_rule_lacks(findings, rule, &pair->value.place,
				      "%.60s: the DSCPs of class %s are not said",
				      pair->name, open->name);
		else
			found(findings, rule, &pair->value.place,
			      "%.60s %u is DSCP %u, which no class has", pair->name,
			      byte, byte >> 2);
	}
}

void rt_check_app_ect(const struct rt_rule *rule, const void *subject,
		      struct rt_findings *findings)
{
	const struct rt_profile *profile = subject;
	const struct rt_pair *pair;
	unsigned byte;

	for (size_t at = 0; (pair = next_byte(profile, &at, &byte));) {
		const struct rt_class *class = rt_profile_class_of_dscp(profile,
									byte >> 2);

		if ((byte & 3) == 3)
			found(findings, rule, &pair->value.place,
			      "%.60s %u says CE, which only switches set: use %u",
			      pair->name, byte, (byte & ~3u) | 2u);
		else if ((byte & 3) == 0 && class && is_value(&class->ect) &&
			 class->ect.number == RT_ECT_TCLASS)
			found(findings, rule, &pair->value.place,
			      "%.60s %u is not ECT, and class %s has ect: tclass (%s): "
			      "use %u",
			      pair->name, byte, class->name,
			      elsewhere(class->ect.place, pair->value.place),
			      byte | 2u);
	}
}
