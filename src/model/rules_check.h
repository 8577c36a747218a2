/* SPDX-License-Identifier: BSD-2-Clause */
/* rules_check.h - what the files with the rules over a profile share. */
#ifndef RT_MODEL_RULES_CHECK_H
#define RT_MODEL_RULES_CHECK_H

#include <stdbool.h>

#include "model/finding.h"
#include "rocetune/profile.h"

#define for_each_class(item, profile)                          \
	for (const struct rt_class *item = (profile)->classes; \
	     item < (profile)->classes + (profile)->class_count; item++)

static inline bool is_value(const struct rt_setting *setting)
{
	return setting->state == RT_SETTING_VALUE;
}

static inline bool is_unset(const struct rt_setting *setting)
{
	return setting->state == RT_SETTING_UNSET;
}

/* A violation, at a place. */
#define found(findings, rule, place, ...)                                          \
	({                                                                         \
		char rt_where_[RT_PLACE_TEXT_BYTES];                               \
		rt_findings_add((findings), (rule),                                \
				rt_place_format((place), rt_where_), __VA_ARGS__); \
	})

/* A second place in a message: its line, and its file where that is another. */
struct rt_elsewhere {
	char text[RT_PLACE_TEXT_BYTES + 8];
};
const char *rt_elsewhere(const struct rt_place *place, const struct rt_place *from,
			 struct rt_elsewhere *buf);
#define elsewhere(place, from) \
	rt_elsewhere(&(place), &(from), &(struct rt_elsewhere){ "" })

/* The rule lacked what fmt says: a finding profile-not-judged. */
void rt_rule_lacks(struct rt_findings *findings, const struct rt_rule *rule,
		   const struct rt_place *place, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Checks of rules_class.c; as the check of a struct rt_rule, over a profile. */
typedef void rt_profile_check_fn(const struct rt_rule *rule, const void *subject,
				 struct rt_findings *findings);
rt_profile_check_fn rt_check_dscp_twice, rt_check_ets_sum, rt_check_cnp_lossless,
	rt_check_paused_prio, rt_check_control_lossless, rt_check_rates,
	rt_check_app_class, rt_check_app_ect;

#endif
