/* SPDX-License-Identifier: BSD-2-Clause */
/* profiles.h - helpers of the tests that read profiles from memory. */
#ifndef RT_TESTS_PROFILES_H
#define RT_TESTS_PROFILES_H

#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "model/finding.h"
#include "rocetune/err.h"
#include "rocetune/profile.h"

static const struct rt_profile_search no_search = { { NULL } };
static const struct rt_profile_search shipped_search = { { "./profiles", NULL } };

static inline void print_findings(const struct rt_findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		print_message("# %s: %s [%s]\n", findings->items[i].where,
			      findings->items[i].evidence, findings->items[i].id);
}

/* The profile, which must be without complaint. */
static inline struct rt_profile *good_profile(const char *text)
{
	struct rt_findings complaints = { 0 };
	struct rt_profile *profile = NULL;
	struct rt_err err = { 0 };
	int r = rt_profile_parse("t.yaml", text, strlen(text), &no_search, &complaints,
				 &profile, &err);

	print_findings(&complaints);
	rt_findings_free(&complaints);
	assert_int_equal(r, 0);
	assert_non_null(profile);
	return profile;
}

static inline unsigned count_id(const struct rt_findings *findings, const char *id)
{
	unsigned count = 0;

	for (size_t i = 0; i < findings->count; i++)
		count += strcmp(findings->items[i].id, id) == 0;
	return count;
}

#endif
