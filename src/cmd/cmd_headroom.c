/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_headroom.c - PFC headroom of one link by every published model. */
#include "cmd/cmd.h"
#include "cmd/rows.h"
#include "report/report.h"
#include "rocetune/err.h"
#include "rocetune/field.h"
#include "run/outcome.h"
#include "run/profile.h"

struct headroom_options {
	struct rt_opt_u64 mtu;
};

static const struct rt_option headroom_options[] = {
	{ .name = "mtu",
	  .arg = "BYTES",
	  .type = RT_OPTION_QUANTITY,
	  .unit = RT_UNIT_MTU,
	  .offset = offsetof(struct headroom_options, mtu),
	  .min = 64,
	  .max = 65535,
	  .help = "for all models, instead of the one each was published with" },
};

static void show_models(struct rt_cmd *cmd, const struct rt_headroom_result *result)
{
	const struct rt_report_style style = { .detail = cmd->common.all,
					       .colour = cmd->colour };
	char speed[RT_UNIT_TEXT_BYTES], length[RT_UNIT_TEXT_BYTES];

	fprintf(cmd->out, "Headroom of one lossless priority, %s, %s of cable\n\n",
		rt_unit_format(RT_UNIT_BPS, result->speed_bps, speed),
		rt_unit_format(RT_UNIT_LENGTH, result->length_mm, length));
	rt_report_text_list(cmd->out, &rt_headroom_row_table, result->models,
			    result->model_count, &style);
	for (size_t i = 0; i < result->model_count; i++) {
		const struct rt_headroom_row *row = &result->models[i];

		fprintf(cmd->out, "\n%s: %s\n", row->model, row->title);
		rt_report_text_list(cmd->out, &rt_headroom_term_table, row->terms,
				    row->term_count, &style);
		if (row->note)
			fprintf(cmd->out, "  note: %s\n", row->note);
	}
}

static int run_headroom(struct rt_cmd *cmd, const void *options, int argc, char **argv)
{
	const struct headroom_options *wanted = options;
	struct rt_headroom_link link = { .mtu_bytes = wanted->mtu.value };
	struct rt_outcome outcome = { 0 };
	struct rt_err err = { 0 };
	int code = RT_EXIT_OK;

	(void)argc;
	if (rt_unit_parse(RT_UNIT_BPS, argv[0], &link.speed_bps, &err) < 0 ||
	    rt_unit_parse(RT_UNIT_LENGTH, argv[1], &link.length_mm, &err) < 0 ||
	    rt_run_headroom(&link, &outcome, &err) < 0)
		return rt_cmd_usage(cmd, "%s", err.msg);
	if (cmd->common.json)
		code = rt_cmd_show(cmd, outcome.table, outcome.object);
	else
		show_models(cmd, outcome.object);
	rt_outcome_release(&outcome);
	return code;
}

const struct rt_command rt_cmd_headroom = {
	.name = "headroom",
	.operands = "SPEED LENGTH",
	.summary = "PFC headroom of a link, by every published model",
	.describe = "After a receiver sends PAUSE, bytes keep coming: what is on the "
		    "cable, what the peer has begun, what it sends until it reacts. "
		    "Published answers for one link differ five-fold and more, so all "
		    "formulas are shown with their terms, and none is a default.",
	.examples = "rocetune headroom 400G 40m\n    every model\n"
		    "rocetune headroom 100G 5m --mtu 4200\n    with another MTU\n",
	RT_OPTIONS(headroom_options, headroom_options),
	.min_operands = 2,
	.max_operands = 2,
	.run = run_headroom,
};
