/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_lab.c - the fabric in one box: up, exec, show, down, and a run of all of it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/interrupt.h"
#include "cmd/rows.h"
#include "rocetune/err.h"
#include "rocetune/scenario.h"
#include "run/lab.h"
#include "run/lab_run.h"

struct lab_options {
	const char *name, *profile, *fault;
	struct rt_opt_u64 hosts, leaves, spines, rate, seed;
	unsigned topology; /* enum rt_topology_id + 1; 0: not said */
	/* Of run only. */
	const char *incast, *pcap, *ports;
	struct rt_opt_u64 time, size, qps, outstanding;
};

#define OPTION(owner, member_, name_, arg_, type_, unit_, help_, ...)               \
	{                                                                           \
		.name = name_, .arg = arg_, .type = RT_OPTION_##type_,              \
		.unit = RT_UNIT_##unit_, .offset = offsetof(struct owner, member_), \
		.help = help_, ##__VA_ARGS__                                        \
	}

static const struct rt_name topology_names[] = {
	{ "star", RT_TOPOLOGY_STAR + 1, "every host on one switch" },
	{ "leaf-spine", RT_TOPOLOGY_LEAF_SPINE + 1, "two tiers" },
	{ 0 },
};

#define NAME_OPTION(owner)                                                         \
	OPTION(owner, name, "name", "NAME", TEXT, NONE,                            \
	       "of the lab, where there are several (default " RT_LAB_DEFAULT_NAME \
	       ")")

/* What a lab is made of, for the commands that make one. */
#define MAKE_OPTIONS                                                                   \
	NAME_OPTION(lab_options),                                                      \
		OPTION(lab_options, hosts, "hosts", "N", QUANTITY, COUNT,              \
		       "of the star, or of each leaf (default 4 in all)", .min = 1,    \
		       .max = RT_LAB_MAX_HOSTS),                                       \
		OPTION(lab_options, topology, "topology", "KIND", ENUM, NONE,          \
		       "star (default) or leaf-spine", .names = topology_names),       \
		OPTION(lab_options, leaves, "leaves", "N", QUANTITY, COUNT,            \
		       "of a leaf-spine (default 2)", .min = 1,                        \
		       .max = RT_LAB_MAX_HOSTS),                                       \
		OPTION(lab_options, spines, "spines", "N", QUANTITY, COUNT,            \
		       "of a leaf-spine (default 2)", .min = 1,                        \
		       .max = RT_LAB_MAX_HOSTS),                                       \
		OPTION(lab_options, rate, "rate", "RATE", QUANTITY, BPS,               \
		       "of the hosts' links (default 200Mbps)", .min = 1000000,        \
		       .max = UINT64_C(100000000000)),                                 \
		OPTION(lab_options, profile, "profile", "PROFILE", TEXT, NONE,         \
		       "whose settings the switch has, scaled to the rate",            \
		       .letter = 'p'),                                                 \
		OPTION(lab_options, seed, "seed", "N", QUANTITY, COUNT,                \
		       "of the switch's random marks (default 1)"),                    \
		OPTION(lab_options, fault, "fault", "KIND[@HOST][=SHARE]", TEXT, NONE, \
		       "what is to be wrong, commas between: slow-receiver, "          \
		       "no-receive-buffers, reorder (each of one host or of all) "     \
		       "or small-headroom; docs/lab.md tells what they do")

static const struct rt_option up_options[] = { MAKE_OPTIONS };

static const struct rt_option run_options[] = {
	OPTION(lab_options, incast, "incast", "N[:1]", TEXT, NONE,
	       "N hosts send to one, instead of a scenario"),
	OPTION(lab_options, time, "time", "TIME", QUANTITY, NS,
	       "how long they send (default 3s)", .min = 100000000,
	       .max = UINT64_C(3600000000000)),
	OPTION(lab_options, size, "size", "BYTES", QUANTITY, BYTES,
	       "of each message (default 64KiB)", .min = 1, .max = 1u << 30),
	OPTION(lab_options, qps, "qps", "N", QUANTITY, COUNT,
	       "queue pairs of each sender (default 1)", .min = 1, .max = 256),
	OPTION(lab_options, outstanding, "outstanding", "N", QUANTITY, COUNT,
	       "messages of a queue pair that are under way at most", .min = 1,
	       .max = 1024),
	OPTION(lab_options, pcap, "pcap", "FILE", TEXT, NONE,
	       "keep the captured frames (pcapng); \"-\": on standard output, and the "
	       "report "
	       "on standard error"),
	OPTION(lab_options, ports, "ports", "NAMES", TEXT, NONE,
	       "capture these ports of the switch, commas between: s0p0,s0p1 (default "
	       "all towards hosts)"),
	MAKE_OPTIONS,
};

static const struct rt_option name_options[] = { NAME_OPTION(lab_options) };

static int show(struct rt_cmd *cmd, int r, struct rt_outcome *outcome,
		const struct rt_err *err)
{
	int code;

	if (r == -EDOM)
		return rt_cmd_usage(cmd, "%s", err->msg);
	if (r < 0)
		return rt_cmd_fail(cmd, err);
	code = rt_cmd_show(cmd, outcome->table, outcome->object);
	rt_outcome_release(outcome);
	return code;
}

static struct rt_lab_request request_of(const struct lab_options *given, int argc,
					char **argv)
{
	return (struct rt_lab_request){
		.name = given->name,
		.scenario = argc > 0 ? argv[0] : NULL,
		.hosts = given->hosts,
		.topology = { given->topology - 1u, given->topology > 0 },
		.leaves = given->leaves,
		.spines = given->spines,
		.rate_bps = given->rate,
		.profile = given->profile,
		.faults = given->fault,
		.seed = given->seed,
	};
}

/* The word that a scenario says, too; NULL: none was given. */
static const char *said_twice(const struct lab_options *given)
{
	return given->hosts.known    ? "--hosts"
	       : given->topology     ? "--topology"
	       : given->leaves.known ? "--leaves"
	       : given->spines.known ? "--spines"
	       : given->incast       ? "--incast"
				     : NULL;
}

/* An option that the topology has no use for; NULL: none. */
static const char *said_in_vain(const struct lab_options *given)
{
	if (given->topology == RT_TOPOLOGY_LEAF_SPINE + 1)
		return NULL;
	return given->leaves.known   ? "--leaves"
	       : given->spines.known ? "--spines"
				     : NULL;
}

static int run_up(struct rt_cmd *cmd, const void *options, int argc, char **argv)
{
	const struct lab_options *given = options;
	const struct rt_lab_request request = request_of(given, argc, argv);
	struct rt_outcome outcome;
	struct rt_err err = { 0 };
	int r;

	if (argc > 0 && said_twice(given))
		return rt_cmd_usage(cmd, "%s says that already: leave out %s", argv[0],
				    said_twice(given));
	if (said_in_vain(given))
		return rt_cmd_usage(cmd, "%s: a star has none: --topology leaf-spine",
				    said_in_vain(given));
	r = rt_run_lab_up(&request, &outcome, &err);
	return show(cmd, r, &outcome, &err);
}

/* --- run ----------------------------------------------------------------------- */

static void show_progress(void *user, uint64_t elapsed_ns, uint64_t total_ns,
			  uint32_t lost)
{
	struct rt_cmd *cmd = user;
	char text[RT_UNIT_TEXT_BYTES], total[RT_UNIT_TEXT_BYTES];

	/* The last answers come when the time is up. */
	if (elapsed_ns > total_ns)
		elapsed_ns = total_ns;
	fprintf(cmd->err, "\r%s of %s", rt_unit_format(RT_UNIT_NS, elapsed_ns, text),
		rt_unit_format(RT_UNIT_NS, total_ns, total));
	if (lost)
		fprintf(cmd->err, ", %u hosts lost", lost);
	fputs("\033[K", cmd->err);
	fflush(cmd->err);
}

/* "8:1" or "8". */
static int read_incast(const char *text, struct rt_opt_u64 *ret_senders,
		       struct rt_err *err)
{
	char number[16];
	const size_t digits = strspn(text, "0123456789");
	uint64_t senders;

	if (digits == 0 || digits >= sizeof(number) ||
	    (text[digits] && strcmp(text + digits, ":1") != 0))
		return rt_err_set(err, -EINVAL, "--incast: '%s' is not like 8:1", text);
	memcpy(number, text, digits);
	number[digits] = '\0';
	if (rt_unit_parse(RT_UNIT_COUNT, number, &senders, err) < 0 || senders == 0 ||
	    senders >= RT_LAB_MAX_HOSTS)
		return rt_err_set(err, -EINVAL, "--incast: 1 to %u senders",
				  RT_LAB_MAX_HOSTS - 1);
	*ret_senders = RT_KNOWN_U64(senders);
	return 0;
}

static int run_run(struct rt_cmd *cmd, const void *options, int argc, char **argv)
{
	const struct lab_options *given = options;
	struct rt_lab_run_request request = {
		.lab = request_of(given, argc, argv),
		.time_ns = given->time,
		.message_bytes = given->size,
		.qps = given->qps,
		.outstanding = given->outstanding,
		.pcap = given->pcap,
		.ports = given->ports,
		.progress = cmd->progress ? show_progress : NULL,
		.user = cmd,
		.cancelled = rt_cmd_catch_interrupt(),
	};
	struct rt_outcome outcome;
	struct rt_err err = { 0 };
	int r, code;

	if (argc > 0 && said_twice(given))
		return rt_cmd_usage(cmd, "%s says that already: leave out %s", argv[0],
				    said_twice(given));
	if (said_in_vain(given))
		return rt_cmd_usage(cmd, "%s: a star has none: --topology leaf-spine",
				    said_in_vain(given));
	if (argc == 0 && !given->incast)
		return rt_cmd_usage(cmd, "wants a scenario or --incast N:1");
	if (given->incast && read_incast(given->incast, &request.incast, &err) < 0)
		return rt_cmd_usage(cmd, "%s", err.msg);
	/* The capture has standard output for itself. */
	if (given->pcap && strcmp(given->pcap, "-") == 0)
		cmd->out = cmd->err;
	r = rt_run_lab_run(&request, &outcome, &err);
	if (cmd->progress)
		fputs("\r\033[K", cmd->err);
	if (r == -EDOM)
		return rt_cmd_usage(cmd, "%s", err.msg);
	if (r < 0)
		return rt_cmd_fail(cmd, &err);
	code = rt_cmd_show_outcome(cmd, &outcome);
	rt_outcome_release(&outcome);
	return code;
}

static int run_show(struct rt_cmd *cmd, const void *options, int argc, char **argv)
{
	const struct lab_options *given = options;
	struct rt_outcome outcome;
	struct rt_err err = { 0 };

	(void)argc;
	(void)argv;
	return show(cmd, rt_run_lab_show(given->name, &outcome, &err), &outcome, &err);
}

static int run_list(struct rt_cmd *cmd, const void *options, int argc, char **argv)
{
	struct rt_outcome outcome;
	struct rt_err err = { 0 };

	(void)options;
	(void)argc;
	(void)argv;
	return show(cmd, rt_run_lab_list(&outcome, &err), &outcome, &err);
}

static int run_down(struct rt_cmd *cmd, const void *options, int argc, char **argv)
{
	const struct lab_options *given = options;
	struct rt_outcome outcome;
	struct rt_err err = { 0 };

	(void)argc;
	(void)argv;
	return show(cmd, rt_run_lab_down(given->name, &outcome, &err), &outcome, &err);
}

static int run_exec(struct rt_cmd *cmd, const void *options, int argc, char **argv)
{
	const struct lab_options *given = options;
	struct rt_err err = { 0 };
	int status;

	(void)argc;
	fflush(cmd->out);
	if (rt_run_lab_exec(given->name, argv[0], argv + 1, &status, &err) < 0)
		return rt_cmd_fail(cmd, &err);
	return status;
}

static const struct rt_command subs[] = {
	{ .name = "up",
	  .operands = "[SCENARIO]",
	  .summary = "make a lab: hosts, cables, and a switch that runs",
	  .describe =
		  "Hosts are network namespaces with one interface each (h0 and so on, "
		  "10.0.0.1 and so on), cables are veth pairs, and the switch is a "
		  "process that paces every port to the rate, shares a buffer, marks "
		  "ECN, sends and obeys real PFC frames and schedules as the profile "
		  "has it. The profile's thresholds and times are scaled to the rate; "
		  "the output says how. A scenario gives the topology, the profile and "
		  "model settings instead of the options; its workload is not "
		  "started.\n\n"
		  "The lab lives until `rocetune lab down`. Namespaces and cables "
		  "have no names on the machine and go with the lab's process, however "
		  "it ends, and so do commands that were started on the hosts.\n\n"
		  "Needs root, or a kernel that lets users have user namespaces.",
	  .examples = "rocetune lab up --hosts 8 --rate 200Mbps --profile "
		      "nvidia-lossless-100g\n"
		      "    eight hosts on a switch with that profile's settings\n",
	  RT_OPTIONS(up_options, lab_options),
	  .max_operands = 1,
	  .run = run_up },
	{ .name = "run",
	  .operands = "[SCENARIO]",
	  .summary = "a lab, an incast through it, what three saw of it, and down",
	  .describe =
		  "Makes a lab of its own, sends from soft RoCEv2 endpoints on every "
		  "host, captures at the switch's ports, analyses, judges, and takes "
		  "the lab away: one command. Endpoints, capture and switch count "
		  "apart from one another and are held against each other; where they "
		  "disagree by more than 1 %, or the machine could not keep up, a "
		  "finding says so.\n\n"
		  "--incast N:1 is N hosts that send to h0 on a star; a scenario (the "
		  "same file as for rocetune sim) has any topology, workload, profile "
		  "and model. Interrupting it reports what there was until then.",
	  .examples = "rocetune lab run --incast 8:1 --time 5s --profile "
		      "nvidia-lossless-100g\n"
		      "    is the incast lossless, fair and fast with this profile?\n"
		      "rocetune lab run scenario.yaml --pcap run.pcapng\n"
		      "    run a scenario and keep its frames\n",
	  RT_OPTIONS(run_options, lab_options),
	  .max_operands = 1,
	  .run = run_run },
	{ .name = "exec",
	  .operands = "HOST COMMAND [ARGUMENT...]",
	  .summary = "run a command on a host",
	  .describe =
		  "The command has the host's network, and /sys and /proc of its own "
		  "where the machine allows that; files are the machine's. It ends "
		  "with the lab at the latest. HOST is one that `rocetune lab show` "
		  "lists, or `switch`, where the switch's ends of the cables are. "
		  "Options for rocetune stand before HOST. The exit code is the "
		  "command's; 3 when there is no such lab or host.",
	  .examples = "rocetune lab exec h0 ping -c 3 10.0.0.2\n"
		      "    is the other host there?\n"
		      "rocetune lab exec switch tcpdump -ni s0p1 ether proto 0x8808\n"
		      "    see pause frames at a port\n",
	  RT_OPTIONS(name_options, lab_options),
	  .min_operands = 2,
	  .max_operands = -1,
	  .options_first = true,
	  .run = run_exec },
	{ .name = "show",
	  .operands = "",
	  .summary = "what a lab is made of, and the switch's counters now",
	  .describe =
		  "Counters are live, from a file the switch writes twenty times a "
		  "second. In JSON every counter of every port and of each priority at "
		  "which something happened. ring_drops and late_max_ns are not the "
		  "fabric's doing: they tell that the machine could not keep time.",
	  .examples = "rocetune lab show --json | jq '.queues[] | select(.prio == 3)'\n"
		      "    the lossless priority\n",
	  RT_OPTIONS(name_options, lab_options),
	  .run = run_show },
	{ .name = "list",
	  .operands = "",
	  .summary = "the labs there are",
	  .describe = "Those of this user; one that died and left its notes is told "
		      "as such.",
	  .examples = "rocetune lab list\n    what is up\n",
	  .run = run_list },
	{ .name = "down",
	  .operands = "",
	  .summary = "end a lab; nothing of it is left",
	  .describe = "Asks the lab's process to end and kills it when it does not. "
		      "Of a lab that died it removes the notes.",
	  .examples = "rocetune lab down\n    the lab and all that runs in it end\n",
	  RT_OPTIONS(name_options, lab_options),
	  .run = run_down },
	{ 0 },
};

const struct rt_command rt_cmd_lab = {
	.name = "lab",
	.operands = "",
	.summary = "a fabric in one box, in real time",
	.describe =
		"Network namespaces as hosts, veth pairs as cables, and a soft switch "
		"with shared buffer, ECN and PFC that runs the same laws as the "
		"simulator, in real time and on real frames: for any program that "
		"sends packets, without a RoCE NIC. docs/lab.md has a tour.",
	.examples = "rocetune lab up --hosts 4\n    make one\n"
		    "rocetune lab exec h0 ping -c 1 10.0.0.2\n    use it\n"
		    "rocetune lab down\n    and end it\n",
	.subs = subs,
};
