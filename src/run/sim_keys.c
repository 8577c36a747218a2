/* SPDX-License-Identifier: BSD-2-Clause */
/* sim_keys.c - what a scenario file may say, as a result to show. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/figure.h"
#include "model/scenario.h"
#include "rocetune/err.h"
#include "rocetune/scenario.h"
#include "run/sim.h"

struct key_row {
	const char *section, *name, *def, *help;
	char value[120];
	char low[RT_UNIT_TEXT_BYTES], high[RT_UNIT_TEXT_BYTES];
};

struct key_rows {
	struct key_row *keys;
	size_t key_count;
	struct key_row *options;
	size_t option_count;
	struct key_row *figures;
	size_t figure_count;
};

static const struct rt_field key_fields[] = {
	RT_FIELD(struct key_row, TEXT, section, NONE, "under which key of the top"),
	RT_FIELD(struct key_row, TEXT, name, NONE, "the key"),
	RT_FIELD_CHARS_OF(struct key_row, value, "what it takes"),
	RT_FIELD_CHARS_OF(struct key_row, low, "smallest value",
			  .flags = RT_FIELD_DETAIL),
	RT_FIELD_CHARS_OF(struct key_row, high, "largest value",
			  .flags = RT_FIELD_DETAIL),
	RT_FIELD(struct key_row, TEXT, def, NONE,
		 "value when left out; unknown: the profile's, or the simulator's",
		 .label = "default"),
	RT_FIELD(struct key_row, TEXT, help, NONE, "what it means"),
};

static RT_TABLE(key_table, key_row, "scenario_key", "Keys",
		"One key of a scenario file.", key_fields);

static const struct rt_field option_fields[] = {
	RT_FIELD(struct key_row, TEXT, name, NONE, "the option"),
	RT_FIELD(struct key_row, TEXT, help, NONE, "what it does"),
};

static RT_TABLE(option_table, key_row, "model_option", "Model options",
		"One word of model.options.", option_fields);

static const struct rt_field figure_fields[] = {
	RT_FIELD(struct key_row, TEXT, name, NONE, "the figure"),
	RT_FIELD_CHARS_OF(struct key_row, value, "what its values look like"),
	RT_FIELD(struct key_row, TEXT, help, NONE, "of what it is, and what it counts"),
};

static RT_TABLE(figure_table, key_row, "check_figure", "Figures of checks",
		"One word of checks.figure.", figure_fields);

static const struct rt_field rows_fields[] = {
	RT_FIELD_LIST_OF(struct key_rows, keys, key_count, &key_table,
			 "keys of a scenario file"),
	RT_FIELD_LIST_OF(struct key_rows, options, option_count, &option_table,
			 "words of model.options"),
	RT_FIELD_LIST_OF(struct key_rows, figures, figure_count, &figure_table,
			 "words of checks.figure"),
};

RT_TABLE(rt_sim_keys_table, key_rows, "scenario_keys", "Scenario files",
	 "What a scenario file may say.", rows_fields);

static void release(void *object)
{
	struct key_rows *rows = object;

	free(rows->keys);
	free(rows->options);
	free(rows->figures);
	free(rows);
}

/* "a, b or c" for a word; what its unit looks like for a quantity. */
static void fill_value(const struct rt_scenario_key *key, struct key_row *row)
{
	size_t used = 0;

	if (key->type == RT_KEY_OPTIONS)
		snprintf(row->value, sizeof(row->value), "a list of model options");
	else if (key->type == RT_KEY_CHARS)
		snprintf(row->value, sizeof(row->value), "a text");
	else if (key->type == RT_KEY_FLOWS || key->type == RT_KEY_CHECKS)
		snprintf(row->value, sizeof(row->value), "a list, or a file");
	else if (key->names == rt_figure_names)
		snprintf(row->value, sizeof(row->value), "the name of a figure");
	else if (key->type == RT_KEY_SIZES)
		snprintf(row->value, sizeof(row->value), "a name, a list or a file");
	else if (key->type != RT_KEY_ENUM)
		snprintf(row->value, sizeof(row->value), "%s",
			 rt_unit_example(key->unit));
	else
		for (const struct rt_name *name = key->names;
		     name->name && used < sizeof(row->value); name++)
			used += (size_t)snprintf(row->value + used,
						 sizeof(row->value) - used, "%s%s",
						 used ? ", " : "", name->name);
}

static void fill_key(const struct rt_scenario_key *key, struct key_row *row)
{
	*row = (struct key_row){ .section = key->section,
				 .name = key->name,
				 .def = key->def,
				 .help = key->help };
	fill_value(key, row);
	if (key->type > RT_KEY_OPT)
		return;
	rt_unit_format_exact(key->unit, key->min, row->low);
	rt_unit_format_exact(key->unit, key->max, row->high);
}

static size_t count_names(const struct rt_name *names)
{
	size_t count = 0;

	while (names[count].name)
		count++;
	return count;
}

static void fill_figures(struct key_rows *rows, size_t count)
{
	for (; rows->figure_count < count; rows->figure_count++) {
		const struct rt_name *name = &rt_figure_names[rows->figure_count];
		struct key_row *row = &rows->figures[rows->figure_count];

		row->name = name->name;
		row->help = name->help;
		snprintf(row->value, sizeof(row->value), "%s",
			 rt_unit_example(rt_figure_kinds[name->value].unit));
	}
}

int rt_run_sim_keys(struct rt_outcome *ret_outcome, struct rt_err *err)
{
	struct key_rows *rows = calloc(1, sizeof(*rows));
	const size_t options = count_names(rt_model_options);
	const size_t figures = count_names(rt_figure_names);
	size_t keys = 0;

	while (rt_scenario_keys[keys].name)
		keys++;
	if (rows) {
		rows->keys = calloc(keys, sizeof(*rows->keys));
		rows->options = calloc(options, sizeof(*rows->options));
		rows->figures = calloc(figures, sizeof(*rows->figures));
	}
	if (!rows || !rows->keys || !rows->options || !rows->figures) {
		if (rows)
			release(rows);
		return rt_err_sys(err, -ENOMEM, "cannot hold the keys");
	}
	for (; rows->key_count < keys; rows->key_count++)
		fill_key(&rt_scenario_keys[rows->key_count],
			 &rows->keys[rows->key_count]);
	for (; rows->option_count < options; rows->option_count++)
		rows->options[rows->option_count] = (struct key_row){
			.name = rt_model_options[rows->option_count].name,
			.help = rt_model_options[rows->option_count].help
		};
	fill_figures(rows, figures);
	*ret_outcome = (struct rt_outcome){ .table = &rt_sim_keys_table,
					    .object = rows,
					    .release = release };
	return 0;
}
