/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_tos.c - what a ToS or traffic class byte says. */
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/rows.h"
#include "rocetune/err.h"
#include "rocetune/field.h"

struct tos_result {
	uint8_t tos, dscp;
	unsigned ecn;
	const char *ecn_meaning;
};

static const struct rt_name ecn_names[] = {
	{ "not-ECT", 0, "can never be marked: a full queue drops it" },
	{ "ECT(1)", 1, "may be marked by a congested queue" },
	{ "ECT(0)", 2, "may be marked by a congested queue" },
	{ "CE", 3, "was marked by a congested queue" },
	{ 0 },
};

static const struct rt_field tos_fields[] = {
	RT_FIELD(struct tos_result, U8, tos, NONE, "the byte, as given",
		 .label = "ToS / traffic class"),
	RT_FIELD(struct tos_result, U8, dscp, NONE, "its upper six bits",
		 .label = "DSCP"),
	RT_FIELD(struct tos_result, ENUM, ecn, NONE, "its lower two bits (RFC 3168)",
		 .names = ecn_names, .label = "ECN"),
	RT_FIELD(struct tos_result, TEXT, ecn_meaning, NONE,
		 "what the ECN bits mean for a queue", .label = "meaning"),
};

static RT_TABLE(tos_table, tos_result, "tos", "ToS byte",
		"A ToS or traffic class byte taken apart.", tos_fields);

static int run_tos(struct rt_cmd *cmd, const void *options, int argc, char **argv)
{
	struct tos_result result;
	struct rt_err err = { 0 };
	uint64_t tos;

	(void)options;
	(void)argc;
	if (rt_unit_parse(RT_UNIT_NONE, argv[0], &tos, &err) < 0)
		return rt_cmd_usage(cmd, "%s", err.msg);
	if (tos > 255)
		return rt_cmd_usage(cmd, "%s is no byte: 0 to 255", argv[0]);
	result = (struct tos_result){ .tos = (uint8_t)tos,
				      .dscp = (uint8_t)(tos >> 2),
				      .ecn = tos & 3,
				      .ecn_meaning = ecn_names[tos & 3].help };
	return rt_cmd_show(cmd, &tos_table, &result);
}

const struct rt_command rt_cmd_tos = {
	.name = "tos",
	.operands = "BYTE",
	.summary = "take a ToS or traffic class byte apart",
	.describe = "Applications set one byte (NCCL_IB_TC, UCX_IB_TRAFFIC_CLASS, perftest "
		    "--tclass) that holds the DSCP and the ECN bits. Queues are chosen by "
		    "the first, marking is allowed by the second: 104 and 106 are the same "
		    "DSCP, but only the second can ever be marked.",
	.examples = "rocetune tos 106\n    DSCP 26, ECT(0)\n",
	.min_operands = 1,
	.max_operands = 1,
	.run = run_tos,
};
