/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_sim.c - simulate a fabric, packet by packet. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "cmd/cmd.h"
#include "cmd/rows.h"
#include "rocetune/err.h"
#include "rocetune/field.h"
#include "run/sim.h"

struct sim_options {
	struct rt_opt_u64 incast, size, speed, seed, duration;
	const char *profile, *pcap, *ports;
	bool keys;
};

#define OPTION(member_, name_, arg_, type_, unit_, help_)                      \
	{                                                                      \
		.name = name_, .arg = arg_, .type = RT_OPTION_##type_,         \
		.unit = RT_UNIT_##unit_,                                       \
		.offset = offsetof(struct sim_options, member_), .help = help_ \
	}

static const struct rt_option sim_option_rows[] = {
	OPTION(incast, "incast", "N", QUANTITY, COUNT,
	       "N hosts on one switch send to one, instead of a scenario"),
	OPTION(size, "size", "BYTES", QUANTITY, BYTES, "of each flow (default 1MB)"),
	OPTION(speed, "speed", "RATE", QUANTITY, BPS, "of all links (default 100G)"),
	OPTION(profile, "profile", "PROFILE", TEXT, NONE, "simulate its settings"),
	OPTION(pcap, "pcap", "FILE", TEXT, NONE,
	       "write the frames that switches send to hosts (pcapng); \"-\": to "
	       "standard output, and the report to standard error"),
	OPTION(ports, "pcap-ports", "NAMES", TEXT, NONE,
	       "capture these instead, commas between: s0p3, h0:rx, hosts"),
	OPTION(seed, "seed", "N", QUANTITY, COUNT, "one seed, one run (default 1)"),
	{ .name = "keys",
	  .type = RT_OPTION_FLAG,
	  .offset = offsetof(struct sim_options, keys),
	  .help = "list what a scenario file may say, and stop" },
	OPTION(duration, "duration", "TIME", QUANTITY, PS,
	       "simulated time (default: until every flow is done)"),
};

static int show_keys(struct rt_cmd *cmd)
{
	struct rt_outcome outcome;
	struct rt_err err = { 0 };
	int code;

	if (rt_run_sim_keys(&outcome, &err) < 0)
		return rt_cmd_fail(cmd, &err);
	cmd->common.all = true; /* every row */
	code = rt_cmd_show(cmd, outcome.table, outcome.object);
	rt_outcome_release(&outcome);
	return code;
}

/* --- how far it is ------------------------------------------------------ */

#define FIRST_SHOWN_S 0.5
#define SHOWN_EVERY_S 0.25

struct progress {
	struct rt_cmd *cmd;
	double next_s;
	bool shown;
};

static double seconds(void)
{
	return (double)rt_monotonic_ns() / 1e9;
}

static void show_progress(void *user, uint64_t simulated_ns, uint32_t flows_done,
			  uint32_t flows)
{
	struct progress *progress = user;
	const double now_s = seconds();
	char text[RT_UNIT_TEXT_BYTES];

	if (now_s < progress->next_s)
		return;
	progress->next_s = now_s + SHOWN_EVERY_S;
	progress->shown = true;
	fprintf(progress->cmd->err, "\r%s simulated, %u of %u flows done\033[K",
		rt_unit_format(RT_UNIT_NS, simulated_ns, text), flows_done, flows);
	fflush(progress->cmd->err);
}

static void end_progress(const struct progress *progress)
{
	if (progress->shown)
		fputs("\r\033[K", progress->cmd->err);
}

static int run_sim(struct rt_cmd *cmd, const void *options, int argc, char **argv)
{
	const struct sim_options *given = options;
	struct progress progress = { .cmd = cmd, .next_s = seconds() + FIRST_SHOWN_S };
	const struct rt_sim_request request = {
		.scenario = argc > 0 ? argv[0] : NULL,
		.incast = given->incast,
		.size_bytes = given->size,
		.speed_bps = given->speed,
		.seed = given->seed,
		.duration_ps = given->duration,
		.profile = given->profile,
		.pcap = given->pcap,
		.ports = given->ports,
		.progress = cmd->progress ? show_progress : NULL,
		.progress_user = &progress,
	};
	struct rt_outcome outcome;
	struct rt_err err = { 0 };
	int r, code;

	if (given->keys)
		return show_keys(cmd);
	if ((argc > 0) == given->incast.known)
		return rt_cmd_usage(cmd, "wants either a scenario or --incast N");
	if (given->ports && !given->pcap)
		return rt_cmd_usage(cmd, "--pcap-ports without --pcap");
	/* The capture has standard output for itself. */
	if (given->pcap && strcmp(given->pcap, "-") == 0)
		cmd->out = cmd->err;
	r = rt_run_sim(&request, &outcome, &err);
	end_progress(&progress);
	if (r == -EDOM)
		return rt_cmd_usage(cmd, "%s", err.msg);
	if (r < 0)
		return rt_cmd_fail(cmd, &err);
	code = rt_cmd_show_outcome(cmd, &outcome);
	rt_outcome_release(&outcome);
	return code;
}

const struct rt_command rt_cmd_sim = {
	.name = "sim",
	.operands = "[SCENARIO]",
	.summary = "simulate a fabric, packet by packet",
	.describe =
		"Runs a scenario (YAML: topology, workload, profile, model, checks) "
		"through a "
		"discrete-event model of NICs and switches in integer picoseconds: "
		"DCQCN, ECN marking, shared buffers, PFC frames that travel, "
		"go-back-N. One seed gives one result, byte for byte but for how "
		"long it took. A scenario's "
		"workload is one map of keys or a list of them; --keys lists the "
		"keys, and the figures that its checks may ask for. A check that "
		"fails is a finding, and makes the exit status 1.\n\n"
		"A capture has one interface per port. By default it holds what the "
		"switches send to hosts (hosts:tx), where each frame passes exactly "
		"once. --pcap-ports names other ports: s0p3, h0, leaf1p2, hosts; both "
		"directions, or one with :rx or :tx. Frames that come in are stamped "
		"with the time of their last bit, frames that go out with that of "
		"their first. A capture that is there already is replaced, any other "
		"file is left alone.",
	.examples = "rocetune sim --incast 16 --speed 100G\n"
		    "    sixteen hosts send 1MB each to one\n"
		    "rocetune sim scenario.yaml --pcap run.pcapng --seed 7\n"
		    "    run a scenario and keep its frames\n"
		    "rocetune sim tests/scenarios/sonic/rv-2-q3-single.yaml\n"
		    "    a case of SONiC's test plan with its pass criteria\n",
	RT_OPTIONS(sim_option_rows, sim_options),
	.min_operands = 0,
	.max_operands = 1,
	.run = run_sim,
};
