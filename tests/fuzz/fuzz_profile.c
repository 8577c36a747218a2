/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_profile.c - any bytes as a profile: reading, judging, rails, writing.
 * Nothing outside memory is touched: the search path is empty.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "model/params.h"
#include "model/rules_profile.h"
#include "rocetune/err.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* Whatever was read must be written in the room there is for it. */
static void write_all(const struct rt_profile *profile)
{
	struct rt_param_cursor cursor = { 0 };
	struct rt_param_value at;
	char text[RT_PARAM_TEXT_BYTES], place[RT_PLACE_TEXT_BYTES];

	while (rt_param_next(profile, &cursor, &at)) {
		rt_param_format(profile, at.row, at.setting, text);
		rt_place_format(&at.setting->place, place);
		if (!rt_param_equal(profile, at.setting, profile, at.setting, at.row))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static const struct rt_profile_search nowhere = { { NULL } };
	struct rt_findings complaints = { 0 }, findings = { 0 };
	struct rt_profile *profile = NULL;
	struct rt_fan_ins fan_ins = { 0 };
	struct rt_err err = { 0 };
	int r = rt_profile_parse("fuzz", (const char *)data, bytes, &nowhere,
				 &complaints, &profile, &err);

	/* A refusal says why; a profile has nothing to complain about. */
	if ((r == 0) != (profile != NULL) || (r < 0 && !*err.msg) ||
	    (r == 0 && complaints.count))
		abort();
	if (profile) {
		write_all(profile);
		rt_profile_check(profile, &findings, NULL);
		rt_fan_in_rows(profile, &fan_ins, NULL);
	}
	rt_fan_ins_free(&fan_ins);
	rt_findings_free(&findings);
	rt_findings_free(&complaints);
	rt_profile_free(profile);
	return 0;
}
