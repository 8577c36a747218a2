/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_tos.c - what a ToS or traffic class byte says. */
#include "cmd/cmd.h"
#include "cmd/rows.h"
#include "rocetune/err.h"
#include "rocetune/field.h"
#include "rocetune/units.h"
#include "run/outcome.h"
#include "run/profile.h"

struct tos_options {
	const char *profile;
	struct rt_opt_u64 rail;
};

static const struct rt_option tos_options[] = {
	{ .name = "profile",
	  .letter = 'p',
	  .arg = "PROFILE",
	  .type = RT_OPTION_TEXT,
	  .offset = offsetof(struct tos_options, profile),
	  .help = "show its class, priority and queue in this profile" },
	{ .name = "rail",
	  .arg = "N",
	  .type = RT_OPTION_QUANTITY,
	  .unit = RT_UNIT_COUNT,
	  .offset = offsetof(struct tos_options, rail),
	  .min = 1,
	  .help = "as the profile holds on the N-th entry of its rails, from 1" },
};

static int run_tos(struct rt_cmd *cmd, const void *options, int argc, char **argv)
{
	const struct tos_options *wanted = options;
	struct rt_outcome outcome = { 0 };
	struct rt_err err = { 0 };
	const size_t rail = wanted->rail.known ? (size_t)wanted->rail.value - 1
					       : RT_NO_RAIL;
	uint64_t tos;
	int code;

	(void)argc;
	if (rt_unit_parse(RT_UNIT_NONE, argv[0], &tos, &err) < 0)
		return rt_cmd_usage(cmd, "%s", err.msg);
	if (tos > 255)
		return rt_cmd_usage(cmd, "%s is no byte: 0 to 255", argv[0]);
	if (wanted->rail.known && !wanted->profile)
		return rt_cmd_usage(cmd, "--rail is of a profile: say --profile, too");
	if (rt_run_tos((uint8_t)tos, wanted->profile, rail, &outcome, &err) < 0)
		return rt_cmd_fail(cmd, &err);
	code = rt_cmd_show(cmd, outcome.table, outcome.object);
	rt_outcome_release(&outcome);
	return code;
}

const struct rt_command rt_cmd_tos = {
	.name = "tos",
	.operands = "BYTE",
	.summary = "take a ToS or traffic class byte apart",
	.describe =
		"Applications set one byte (NCCL_IB_TC, UCX_IB_TRAFFIC_CLASS, perftest "
		"--tclass) that holds the DSCP and the ECN bits. Queues are chosen by "
		"the first, marking is allowed by the second: 104 and 106 are the same "
		"DSCP, but only the second can ever be marked. BYTE may be "
		"hexadecimal: "
		"0x6a.",
	.examples =
		"rocetune tos 106\n    DSCP 26, ECT(0)\n"
		"rocetune tos 106 --profile nvidia-lossless-400g\n    and its class, "
		"priority and queue\n",
	RT_OPTIONS(tos_options, tos_options),
	.min_operands = 1,
	.max_operands = 1,
	.run = run_tos,
};
