/* SPDX-License-Identifier: BSD-2-Clause */
/* profile_check.c - judge profiles. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "model/profile_reader.h"
#include "rocetune/err.h"
#include "rocetune/field.h"
#include "run/outcome.h"
#include "run/profile.h"

static const struct rt_field checked_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_checked_profile, name, "the profile, as asked for",
			  .label = "profile"),
	RT_FIELD_CHARS_OF(struct rt_checked_profile, failed,
			  "why it could not be read; unknown: it was",
			  .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD(struct rt_checked_profile, U32, errors, COUNT,
		 "findings that are errors"),
	RT_FIELD(struct rt_checked_profile, U32, warnings, COUNT,
		 "findings that are warnings"),
	RT_FIELD(struct rt_checked_profile, U32, not_judged, COUNT,
		 "rules that lacked a number"),
	{ .name = "findings",
	  .help = "what the rules found",
	  .type = RT_FIELD_LIST,
	  .offset = offsetof(struct rt_checked_profile, findings.items),
	  .table = &rt_finding_table,
	  .count_offset = offsetof(struct rt_checked_profile, findings.count) },
	{ .name = "fan_in",
	  .help = "Kmax against XOFF",
	  .type = RT_FIELD_LIST,
	  .offset = offsetof(struct rt_checked_profile, fan_in.items),
	  .table = &rt_fan_in_table,
	  .count_offset = offsetof(struct rt_checked_profile, fan_in.count) },
};

static RT_TABLE(checked_table, rt_checked_profile, "profile_checked", "Profiles",
		"A profile and what its rules found.", checked_fields);

static const struct rt_field checks_fields[] = {
	{ .name = "profiles",
	  .help = "the profiles, in the order asked for",
	  .type = RT_FIELD_LIST,
	  .offset = offsetof(struct rt_profile_checks, items),
	  .table = &checked_table,
	  .count_offset = offsetof(struct rt_profile_checks, count) },
};

RT_TABLE(rt_profile_checks_table, rt_profile_checks, "profile_check", "Profile check",
	 "What can be said of profiles without any device.", checks_fields);

static void release_checks(void *object)
{
	struct rt_profile_checks *checks = object;

	for (size_t i = 0; i < checks->count; i++) {
		rt_findings_free(&checks->items[i].findings);
		rt_fan_ins_free(&checks->items[i].fan_in);
	}
	rt_findings_free(&checks->all);
	free(checks->items);
	free(checks);
}

static void count(struct rt_checked_profile *checked)
{
	for (size_t i = 0; i < checked->findings.count; i++)
		switch (checked->findings.items[i].severity) {
		case RT_SEVERITY_ERROR: checked->errors++; break;
		case RT_SEVERITY_WARN: checked->warnings++; break;
		case RT_SEVERITY_UNKNOWN: checked->not_judged++; break;
		default: break;
		}
}

/* Not being understood is a finding; not being there is a failure. */
static int check_one(const char *name, const struct rt_profile_search *search,
		     struct rt_checked_profile *checked, struct rt_err *err)
{
	RT_AUTO(rt_auto_profile_free) struct rt_profile *profile = NULL;
	struct rt_err why = { 0 };
	int r;

	snprintf(checked->name, sizeof(checked->name), "%s", name);
	rt_text_clean(checked->name);
	r = rt_profile_read_judge(name, search, &checked->findings, &profile, &why);
	if (r == -EINVAL) {
		if (checked->findings.count == 0)
			rt_findings_add(&checked->findings,
					&rt_profile_reader_rules[RT_COMPLAINT_SYNTAX],
					name, "%.300s", why.msg);
		count(checked);
		return 0;
	}
	if (r == -ENOMEM)
		return rt_err_set(err, r, "%s", why.msg);
	if (r < 0) {
		snprintf(checked->failed, sizeof(checked->failed), "%s", why.msg);
		return 0;
	}
	r = rt_profile_check(profile, &checked->findings, err);
	if (r == 0)
		r = rt_fan_in_rows(profile, &checked->fan_in, err);
	count(checked);
	return r;
}

static int gather(struct rt_profile_checks *checks)
{
	for (size_t i = 0; i < checks->count; i++)
		if (rt_findings_append(&checks->all, &checks->items[i].findings) < 0)
			return -ENOMEM;
	return 0;
}

int rt_run_profile_check(const char *const *names, size_t name_count,
			 struct rt_outcome *ret_outcome, struct rt_err *err)
{
	struct rt_profile_checks *checks = calloc(1, sizeof(*checks));
	struct rt_profile_folders folders;
	int r = 0;

	rt_run_profile_folders(&folders);
	if (checks)
		checks->items = calloc(name_count + 1, sizeof(*checks->items));
	if (!checks || !checks->items) {
		free(checks);
		return rt_err_sys(err, -ENOMEM, "cannot hold the result");
	}
	for (size_t i = 0; i < name_count && r == 0; i++) {
		r = check_one(names[i], &folders.search,
			      &checks->items[checks->count++], err);
		checks->failed += *checks->items[i].failed != '\0';
	}
	if (r == 0 && gather(checks) < 0)
		r = rt_err_sys(err, -ENOMEM, "cannot hold the result");
	if (r < 0) {
		release_checks(checks);
		return r;
	}
	*ret_outcome = (struct rt_outcome){ .table = &rt_profile_checks_table,
					    .object = checks,
					    .findings = &checks->all,
					    .release = release_checks };
	return 0;
}
