/* SPDX-License-Identifier: BSD-2-Clause */
/* pasted.c - outputs that people paste, as an outcome. */
#include "run/pasted.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/own.h"
#include "rocetune/err.h"
#include "run/outcome.h"
#include "run/profile.h"

static const struct rt_name verdict_names[] = {
	{ "unknown", RT_FIRMWARE_UNKNOWN, "the output does not have it" },
	{ "as expected", RT_FIRMWARE_AS_EXPECTED, NULL },
	{ "other", RT_FIRMWARE_OTHER, "set otherwise" },
	{ "several", RT_FIRMWARE_SEVERAL,
	  "the output has several queries, and they do not agree" },
	{ 0 },
};

static const struct rt_field knob_fields[] = {
	RT_FIELD(struct rt_pasted_knob, TEXT, knob, NONE, "name of the knob"),
	RT_FIELD_CHARS_OF(struct rt_pasted_knob, value, "what the output says of it"),
	RT_FIELD(struct rt_pasted_knob, TEXT, help, NONE, "what it is",
		 .flags = RT_FIELD_DETAIL),
};
static RT_TABLE(knob_table, rt_pasted_knob, "pasted_knob", "knobs",
		"a knob that an output tells", knob_fields);

static const struct rt_field setting_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_pasted_setting, name, "name of the setting"),
	RT_FIELD_CHARS_OF(struct rt_pasted_setting, expected,
			  "what the profile expects"),
	RT_FIELD_CHARS_OF(struct rt_pasted_setting, is, "what the next boot brings"),
	RT_FIELD(struct rt_pasted_setting, ENUM, verdict, NONE, "whether they agree",
		 .names = verdict_names),
};
static RT_TABLE(setting_table, rt_pasted_setting, "pasted_setting",
		"firmware settings that the profile expects",
		"a setting of host.firmware_expect", setting_fields);

static const struct rt_field value_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_dump_value, where, "of what"),
	RT_FIELD_CHARS_OF(struct rt_dump_value, name, "name, as the output has it"),
	RT_FIELD_CHARS_OF(struct rt_dump_value, text, "value, as written"),
	RT_FIELD(struct rt_dump_value, OPT_U64, time, NONE,
		 "which of several times that it stands in the output, which then has "
		 "several queries",
		 .label = "query", .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD(struct rt_dump_value, OPT_U64, number, NONE,
		 "the value, where it is a number", .flags = RT_FIELD_DATA),
};
static RT_TABLE(value_table, rt_dump_value, "pasted_value", "values",
		"a value with a name", value_fields);

static const struct rt_field pasted_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_pasted, file, "where the output was read"),
	{ .name = "formats",
	  .help = "outputs that were recognised",
	  .type = RT_FIELD_CHARS,
	  .offset = offsetof(struct rt_pasted, dump.formats),
	  .length = sizeof(((struct rt_pasted *)0)->dump.formats) },
	RT_FIELD(struct rt_pasted, TEXT, note, NONE, "what was not compared, and why",
		 .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD_LIST_OF(struct rt_pasted, settings, setting_count, &setting_table,
			 "what the profile expects of the firmware"),
	RT_FIELD_LIST_OF(struct rt_pasted, knobs, knob_count, &knob_table,
			 "knobs that the output tells"),
	{ .name = "values",
	  .help = "names and values, as the output has them",
	  .type = RT_FIELD_LIST,
	  .offset = offsetof(struct rt_pasted, dump.values),
	  .count_offset = offsetof(struct rt_pasted, dump.count),
	  .table = &value_table },
};
RT_TABLE(rt_pasted_table, rt_pasted, "pasted", "output",
	 "an output of another tool, as rocetune understands it", pasted_fields);

static void release(void *object)
{
	struct rt_pasted *pasted = object;

	rt_dump_free(&pasted->dump);
	free(pasted->knobs);
	free(pasted->settings);
	free(pasted);
}

static void fill_knobs(struct rt_pasted *pasted)
{
	for (unsigned id = 0; id < RT_KNOB_COUNT; id++) {
		struct rt_pasted_knob *knob = &pasted->knobs[pasted->knob_count];

		if (!pasted->dump.qos.knobs[id].known)
			continue;
		knob->knob = rt_knobs[id].name;
		knob->help = rt_knobs[id].help;
		rt_knob_format(&rt_knobs[id], &pasted->dump.qos.knobs[id], knob->value);
		pasted->knob_count++;
	}
}

static void fill_settings(struct rt_pasted *pasted, const struct rt_profile *profile,
			  unsigned port)
{
	const struct rt_pairs *expect = &profile->host.firmware_expect;

	if (!expect->count)
		pasted->note = "the profile expects nothing of the firmware: it has no "
			       "host.firmware_expect";
	for (size_t i = 0; i < expect->count; i++) {
		struct rt_pasted_setting *setting =
			&pasted->settings[pasted->setting_count++];
		const struct rt_dump_value *value;

		setting->verdict = rt_firmware_check(&expect->items[i], &pasted->dump,
						     port, &value);
		snprintf(setting->name, sizeof(setting->name), "%s",
			 expect->items[i].name);
		snprintf(setting->expected, sizeof(setting->expected), "%s",
			 expect->items[i].value.text ? expect->items[i].value.text
						     : "");
		if (value)
			snprintf(setting->is, sizeof(setting->is), "%.60s",
				 value->text);
	}
}

static int read_pasted(struct rt_pasted *pasted, const char *profile, unsigned port,
		       struct rt_err *err)
{
	RT_AUTO(rt_auto_profile_free) struct rt_profile *expect = NULL;
	RT_AUTO(rt_auto_free) char *text = NULL;
	struct rt_err why = { 0 };
	size_t bytes;
	int r = profile ? rt_run_profile_read(profile, &expect, err) : 0;

	if (r == 0)
		r = rt_file_read(pasted->file, RT_DUMP_BYTES_MAX, &text, &bytes, err);
	if (r < 0)
		return r;
	r = rt_dump_read(text, bytes, &pasted->dump, &why);
	if (r < 0)
		return rt_err_set(err, r, "%s: %.400s", rt_file_name(pasted->file),
				  why.msg);
	fill_knobs(pasted);
	if (expect)
		fill_settings(pasted, expect, port);
	return 0;
}

int rt_run_pasted(const char *file, const char *profile, unsigned port,
		  struct rt_outcome *ret_outcome, struct rt_err *err)
{
	struct rt_pasted *pasted = calloc(1, sizeof(*pasted));
	int r = -ENOMEM;

	if (pasted) {
		pasted->knobs = calloc(RT_KNOB_COUNT, sizeof(*pasted->knobs));
		pasted->settings = calloc(RT_PAIR_MAX, sizeof(*pasted->settings));
		snprintf(pasted->file, sizeof(pasted->file), "%s", file);
	}
	if (!pasted || !pasted->knobs || !pasted->settings)
		rt_err_sys(err, r, "cannot hold the output");
	else
		r = read_pasted(pasted, profile, port, err);
	if (r < 0) {
		if (pasted)
			release(pasted);
		return r;
	}
	*ret_outcome = (struct rt_outcome){ .table = &rt_pasted_table,
					    .object = pasted,
					    .release = release };
	return 0;
}
