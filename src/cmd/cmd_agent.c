/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_agent.c - a host that takes part in stress traffic. */
#include <errno.h>
#include <stddef.h>

#include "cmd/cmd.h"
#include "cmd/engine_options.h"
#include "cmd/rows.h"
#include "rocetune/err.h"
#include "run/stress_meet.h"

#define WAIT_NS UINT64_C(60000000000)

struct agent_options {
	const char *join, *token_file, *name;
	struct rt_opt_u64 wait;
	struct rt_engine_options engine;
};

static const struct rt_option agent_options[] = {
	{ .name = "join",
	  .arg = "HOST[:PORT]",
	  .type = RT_OPTION_TEXT,
	  .offset = offsetof(struct agent_options, join),
	  .help = "the coordinator: where `rocetune stress` runs (port 18525)" },
	{ .name = "token-file",
	  .arg = "FILE",
	  .type = RT_OPTION_TEXT,
	  .offset = offsetof(struct agent_options, token_file),
	  .help = "its first line is the secret of the run (default: "
		  "$ROCETUNE_TOKEN)" },
	{ .name = "name",
	  .arg = "NAME",
	  .type = RT_OPTION_TEXT,
	  .offset = offsetof(struct agent_options, name),
	  .help = "what this host is called (default: its host name)" },
	{ .name = "wait",
	  .arg = "TIME",
	  .type = RT_OPTION_QUANTITY,
	  .unit = RT_UNIT_NS,
	  .offset = offsetof(struct agent_options, wait),
	  .help = "for the coordinator to be there (default 60s)",
	  .max = UINT64_C(86400000000000) },
	RT_ENGINE_OPTION_ROWS(agent_options, engine),
};

static int run_agent(struct rt_cmd *cmd, const void *options, int argc, char **argv)
{
	const struct agent_options *given = options;
	struct rt_agent_options agent = { 0 };
	struct rt_agent_join join = {
		.coordinator = given->join,
		.token_file = given->token_file,
		.name = given->name,
		.wait_ns = given->wait.known ? given->wait.value : WAIT_NS,
	};
	struct rt_err err = { 0 };
	int r;

	(void)argc;
	(void)argv;
	if (!given->join)
		return rt_cmd_usage(cmd, "wants --join HOST[:PORT] of the coordinator");
	if (rt_engine_options_take(&given->engine, &agent.config, &err) < 0)
		return rt_cmd_usage(cmd, "%s", err.msg);
	/* A signal ends it as it is: its traffic with it, and the coordinator names it. */
	r = rt_agent_join(&join, &agent, &err);
	if (r == -EDOM)
		return rt_cmd_usage(cmd, "%s", err.msg);
	if (r < 0)
		return rt_cmd_fail(cmd, &err);
	return RT_EXIT_OK;
}

const struct rt_command rt_cmd_agent = {
	.name = "agent",
	.operands = "",
	.summary = "take part in stress traffic that another host coordinates",
	.describe =
		"Dials the host on which `rocetune stress` waits, proves that it knows "
		"the token, does its part of one run, reports, and ends. What it sends "
		"and receives is the coordinator's wish; with what is its own, where "
		"it "
		"says so.\n\n"
		"Its traffic ends at the time that was planned, whatever happens: then "
		"nothing is posted any more, and what was posted before has 0.4 s to "
		"complete. The soft engine takes back the rest and sends again only "
		"what was lost; an RDMA device cannot, and has 2 s more before its "
		"queue pairs are taken away. It ends at once when the coordinator says "
		"so, or when nothing was heard of it for 1.5 s. docs/cluster.md shows "
		"how to start agents on many hosts.",
	.examples = "ROCETUNE_TOKEN=... rocetune agent --join n0\n"
		    "    with the RDMA device that there is\n"
		    "rocetune agent --join n0:7000 --token-file t --interface eth1\n"
		    "    with an interface that has none\n",
	RT_OPTIONS(agent_options, agent_options),
	.min_operands = 0,
	.max_operands = 0,
	.run = run_agent,
};
