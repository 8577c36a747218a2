/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_stress.c - traffic of many hosts that start at one instant. */
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/engine_options.h"
#include "cmd/interrupt.h"
#include "cmd/rows.h"
#include "rocetune/err.h"
#include "rocetune/field.h"
#include "run/stress.h"
#include "run/stress_meet.h"

#define WAIT_NS UINT64_C(60000000000)

/* RT_OPTION_ENUM has no "not given": the first name stands for it. */
static const struct rt_name op_names[] = {
	{ "default", 0, "write, or the scenario's" },
	{ "write", 1 + RT_TRAFFIC_WRITE, "RDMA WRITE" },
	{ "write-imm", 1 + RT_TRAFFIC_WRITE_IMM, "RDMA WRITE with immediate" },
	{ "send", 1 + RT_TRAFFIC_SEND, "SEND" },
	{ "read", 1 + RT_TRAFFIC_READ, "RDMA READ, by the receiver" },
	{ 0 },
};

struct stress_options {
	/* who */
	const char *hosts, *listen, *token_file;
	struct rt_opt_u64 agents, wait, receiver;
	/* what */
	unsigned op;
	struct rt_opt_u64 size, qps, outstanding, time, bytes, rate, seed;
	const char *sizes, *burst;
	struct rt_opt_u64 stagger, ramp;
	/* how it is marked */
	struct rt_opt_u64 tos, dscp, ecn, sport;
	const char *profile, *lossless;
	/* the victim */
	unsigned victim;
	struct rt_opt_u64 victim_dscp, victim_bound;
	/* care */
	bool no_abort, disrupt;
	const char *engine;
	struct rt_engine_options with;
};

#define ROW(member_, name_, arg_, type_, unit_, help_, ...)                        \
	{                                                                          \
		.name = name_, .arg = arg_, .type = RT_OPTION_##type_,             \
		.unit = RT_UNIT_##unit_,                                           \
		.offset = offsetof(struct stress_options, member_), .help = help_, \
		##__VA_ARGS__                                                      \
	}

static const struct rt_option stress_options[] = {
	ROW(hosts, "hosts", "LIST", TEXT, NONE,
	    "who takes part, in the order of ranks: n[01-64]; each runs `rocetune "
	    "agent`"),
	ROW(agents, "agents", "N", QUANTITY, COUNT,
	    "so many agents, whoever comes (default: what N:1 needs)", .min = 2,
	    .max = 4096),
	ROW(listen, "listen", "[HOST:]PORT", TEXT, NONE,
	    "where agents dial to (default: 127.0.0.1:18525)"),
	ROW(token_file, "token-file", "FILE", TEXT, NONE,
	    "its first line is the secret of the run (default: $ROCETUNE_TOKEN, else a "
	    "fresh one is told)"),
	ROW(wait, "wait", "TIME", QUANTITY, NS, "for all agents to come (default 60s)",
	    .max = UINT64_C(86400000000000)),
	ROW(receiver, "receiver", "RANK", QUANTITY, COUNT,
	    "incast: who receives; outcast: who sends (default 0)"),
	ROW(op, "op", "OP", ENUM, NONE, "how the data moves", .names = op_names),
	ROW(size, "size", "BYTES", QUANTITY, BYTES, "of a message (default 64KiB)"),
	ROW(sizes, "sizes", "LIST", TEXT, NONE,
	    "sizes of messages instead, equally often: 4KB,64KB,1MB; or a "
	    "distribution: "
	    "web-search, hadoop, storage, or a file as size_cdf of scenarios"),
	ROW(qps, "qps", "N", QUANTITY, COUNT,
	    "queue pairs a pair of hosts (default 1)"),
	ROW(outstanding, "outstanding", "N", QUANTITY, COUNT,
	    "messages of a queue pair that are not completed, at most (default 16)"),
	ROW(time, "time", "TIME", QUANTITY, NS,
	    "of the whole run (default 3s, or as long as a scenario's workloads)"),
	ROW(bytes, "bytes", "BYTES", QUANTITY, BYTES,
	    "that each queue pair sends, instead of a time (60s at most)"),
	ROW(rate, "rate", "RATE", QUANTITY, BPS,
	    "most payload of each sender, by pacing in software"),
	ROW(burst, "burst", "ON/OFF", TEXT, NONE,
	    "send so long, be silent so long: 10ms/90ms"),
	ROW(stagger, "stagger", "TIME", QUANTITY, NS,
	    "each queue pair starts so much after the one before"),
	ROW(ramp, "ramp", "TIME", QUANTITY, NS,
	    "a step of 1, 2, 4 ... senders (default 100ms or less); 0s: all at once"),
	ROW(seed, "seed", "N", QUANTITY, COUNT, "of permutations (default 1)"),
	ROW(tos, "tos", "BYTE", QUANTITY, NONE,
	    "DSCP and ECN bits as applications set them: 106", .max = 255),
	ROW(dscp, "dscp", "N", QUANTITY, COUNT,
	    "of the load (default: the profile's, "
	    "else 26)"),
	ROW(ecn, "ecn", "N", QUANTITY, COUNT,
	    "0 Not-ECT, 1 ECT(1), 2 ECT(0) (default), 3 CE"),
	ROW(sport, "sport", "PORT", QUANTITY, COUNT,
	    "UDP source port of the first queue pair; the next ones follow it"),
	ROW(profile, "profile", "PROFILE", TEXT, NONE,
	    "whose classes, priorities and laws these are", .letter = 'p'),
	ROW(lossless, "lossless", "PRIOS", TEXT, NONE,
	    "priorities that must not lose: 3 or 3,4 (default: the profile's)"),
	ROW(victim, "victim", "KIND", ENUM, NONE,
	    "a flow to measure alone and then beside the load",
	    .names = rt_victim_names),
	ROW(victim_dscp, "victim-dscp", "N", QUANTITY, COUNT,
	    "its DSCP (default: of a class of the profile)"),
	ROW(victim_bound, "victim-bound", "N", QUANTITY, RATIO,
	    "stop when it is so many times slower than alone (default 10)"),
	ROW(no_abort, "no-abort", NULL, FLAG, NONE, "go on in spite of damage"),
	ROW(disrupt, "disrupt", NULL, FLAG, NONE,
	    "even where others' RDMA connections are in use"),
	ROW(engine, "engine", "NAME", TEXT, NONE,
	    "verbs, soft or null (default: verbs where there is an RDMA device)"),
	RT_ENGINE_OPTION_ROWS(stress_options, with),
};

static const struct {
	const char *name;
	unsigned pattern;
} patterns[] = {
	{ "incast", RT_WORKLOAD_INCAST },
	{ "outcast", RT_WORKLOAD_OUTCAST },
	{ "alltoall", RT_WORKLOAD_ALLTOALL },
	{ "permutation", RT_WORKLOAD_PERMUTATION },
	{ "ring", RT_WORKLOAD_RING },
};

/* --- from options to a wish ------------------------------------------------------- */

/* "8:1", "1:8", "8": how many there are where many are; false: something else. */
static bool read_fan(const char *text, bool many_first, uint64_t *ret_many)
{
	char *end;
	unsigned long first, second;
	bool both;

	if (strspn(text, "0123456789:") != strlen(text) || *text == ':')
		return false;
	first = second = strtoul(text, &end, 10);
	both = *end == ':';
	if (both)
		second = strtoul(end + 1, &end, 10);
	if (*end || (both && (many_first ? second : first) != 1))
		return false;
	*ret_many = many_first ? first : second;
	return true;
}

static int read_burst(const char *text, struct rt_stress_wish *wish, struct rt_err *err)
{
	char on[32];
	const char *slash = text ? strchr(text, '/') : NULL;
	uint64_t on_ns, off_ns;
	int r;

	if (!text)
		return 0;
	if (!slash || (size_t)(slash - text) >= sizeof(on))
		return rt_err_set(err, -EINVAL, "--burst wants ON/OFF, as 10ms/90ms");
	snprintf(on, sizeof(on), "%.*s", (int)(slash - text), text);
	r = rt_unit_parse(RT_UNIT_NS, on, &on_ns, err);
	if (r == 0)
		r = rt_unit_parse(RT_UNIT_NS, slash + 1, &off_ns, err);
	if (r < 0)
		return r;
	if (!on_ns)
		return rt_err_set(err, -EINVAL, "--burst: nothing is ever sent");
	wish->on_ns = RT_KNOWN_U64(on_ns);
	wish->off_ns = RT_KNOWN_U64(off_ns);
	return 0;
}

/* "3,4" as a mask. */
static int read_prios(const char *text, struct rt_opt_u64 *ret_mask, struct rt_err *err)
{
	uint64_t mask = 0;

	if (!text)
		return 0;
	for (const char *at = text; *at; at++) {
		const bool digit = (at - text) % 2 == 0;

		if (digit ? *at < '0' || *at > '7' : *at != ',' || !at[1])
			return rt_err_set(err, -EINVAL,
					  "--lossless wants priorities 0 to 7, as 3,4");
		if (digit)
			mask |= UINT64_C(1) << (*at - '0');
	}
	*ret_mask = RT_KNOWN_U64(mask);
	return 0;
}

static int take_marks(const struct stress_options *given, struct rt_stress_wish *wish,
		      struct rt_err *err)
{
	wish->dscp = given->dscp;
	wish->ecn = given->ecn;
	if (!given->tos.known)
		return 0;
	if (given->dscp.known || given->ecn.known)
		return rt_err_set(
			err, -EINVAL,
			"--tos says DSCP and ECN bits: leave --dscp and --ecn "
			"out");
	wish->dscp = RT_KNOWN_U64(given->tos.value >> 2);
	wish->ecn = RT_KNOWN_U64(given->tos.value & 3);
	return 0;
}

static struct rt_stress_wish plain_wish(const struct stress_options *given)
{
	return (struct rt_stress_wish){
		.receiver = given->receiver,
		.message_bytes = given->size,
		.sizes = given->sizes,
		.qps = given->qps,
		.outstanding = given->outstanding,
		.bytes = given->bytes,
		.rate_bps = given->rate,
		.op = { given->op - 1, given->op > 0 },
		.time_ns = given->time,
		.sport = given->sport,
		.stagger_ns = given->stagger,
		.ramp_ns = given->ramp,
		.seed = given->seed,
		.victim = given->victim,
		.victim_dscp = given->victim_dscp,
		.victim_bound_ppb = given->victim_bound,
		.profile = given->profile,
		.engine = given->engine,
		.no_abort = given->no_abort,
		.disrupt = given->disrupt,
	};
}

/* What stands behind the pattern: how many, or a scenario. */
static int take_operand(const char *operand, struct rt_stress_wish *wish,
			struct rt_err *err)
{
	const bool fans = wish->pattern == RT_WORKLOAD_INCAST ||
			  wish->pattern == RT_WORKLOAD_OUTCAST;
	uint64_t many;

	if (!operand)
		return 0;
	if (!fans && strspn(operand, "0123456789:") == strlen(operand))
		return rt_err_set(err, -EINVAL,
				  "%s: every host takes part; --agents says how many",
				  operand);
	if (!read_fan(operand, wish->pattern == RT_WORKLOAD_INCAST, &many)) {
		if (strspn(operand, "0123456789:") == strlen(operand))
			return rt_err_set(err, -EINVAL, "%s: %s", operand,
					  wish->pattern == RT_WORKLOAD_INCAST
						  ? "an incast is N:1"
						  : "an outcast is 1:N");
		wish->scenario = operand;
		return 0;
	}
	wish->senders = RT_KNOWN_U64(many);
	return 0;
}

static int make_wish(const struct rt_cmd *cmd, const struct stress_options *given,
		     const char *operand, struct rt_stress_wish *wish,
		     struct rt_err *err)
{
	int r;

	if (given->size.known && given->sizes)
		return rt_err_set(err, -EINVAL, "--size and --sizes: leave one out");
	*wish = plain_wish(given);
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		if (strcmp(patterns[i].name, cmd->command->name) == 0)
			wish->pattern = patterns[i].pattern;
	wish->pattern_said = true;
	r = take_operand(operand, wish, err);
	if (r == 0)
		r = take_marks(given, wish, err);
	if (r == 0)
		r = read_burst(given->burst, wish, err);
	if (r == 0)
		r = read_prios(given->lossless, &wish->lossless, err);
	if (r == 0)
		r = rt_engine_options_take(&given->with, &wish->config, err);
	wish->utf8 = !cmd->common.json && setlocale(LC_CTYPE, "") &&
		     strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	return r;
}

/* --- how it goes ------------------------------------------------------------------ */

struct progress {
	struct rt_cmd *cmd;
	bool shown;
};

static void show_progress(void *user, uint64_t elapsed_ns, uint64_t total_ns,
			  uint32_t lost)
{
	struct progress *progress = user;
	FILE *to = progress->cmd->err;

	progress->shown = true;
	fprintf(to, "\r%.1f of %.4g s", (double)elapsed_ns / 1e9,
		(double)total_ns / 1e9);
	if (lost)
		fprintf(to, ", %u hosts lost", lost);
	fputs("\033[K", to);
	fflush(to);
}

static void show_note(void *context, const char *text)
{
	struct progress *progress = context;

	if (progress->shown)
		fputs("\r\033[K", progress->cmd->err);
	progress->shown = false;
	fprintf(progress->cmd->err, "rocetune: %s\n", text);
}

/* Who is to take part, when nobody was named: those whom the operand counts. */
static struct rt_opt_u64 agent_count(const struct stress_options *given,
				     const struct rt_stress_wish *wish)
{
	if (given->agents.known || !wish->senders.known || given->hosts)
		return given->agents;
	if (!given->listen && !given->token_file && !getenv("ROCETUNE_TOKEN"))
		return given->agents; /* nothing says that agents are meant */
	return RT_KNOWN_U64(wish->senders.value + 1);
}

static int no_way(struct rt_cmd *cmd)
{
	return rt_cmd_usage(
		cmd, "who is to send? Say --hosts n[0-8] (or --agents 9) and run "
		     "`rocetune agent --join HOST` on each; or start this by srun "
		     "--mpi=pmix or mpirun; or try `rocetune lab run`, a fabric on "
		     "this machine");
}

static int run_stress(struct rt_cmd *cmd, const void *options, int argc, char **argv)
{
	const struct stress_options *given = options;
	struct progress progress = { .cmd = cmd };
	struct rt_stress_watch watch = { .user = &progress };
	struct rt_agent_options own = { 0 };
	struct rt_stress_wish wish;
	const struct rt_stress_asked asked = { &wish, &own, &watch };
	struct rt_outcome outcome;
	struct rt_err err = { 0 };
	int r, code;

	if (make_wish(cmd, given, argc > 0 ? argv[0] : NULL, &wish, &err) < 0)
		return rt_cmd_usage(cmd, "%s", err.msg);
	const struct rt_stress_meeting meeting = {
		.listen = given->listen,
		.hosts = given->hosts,
		.agents = agent_count(given, &wish),
		.token_file = given->token_file,
		.wait_ns = given->wait.known ? given->wait.value : WAIT_NS,
		.note = show_note,
		.context = &progress,
	};
	own.config = wish.config; /* each rank of a launcher has options of its own */
	watch.progress = cmd->progress ? show_progress : NULL;
	watch.cancelled = own.cancelled = rt_cmd_catch_interrupt();
	r = rt_stress_meet(&meeting, &asked, &outcome, &err);
	if (progress.shown)
		fputs("\r\033[K", cmd->err);
	if (r == -EDESTADDRREQ)
		return no_way(cmd);
	if (r == -EDOM)
		return rt_cmd_usage(cmd, "%s", err.msg);
	if (r < 0)
		return rt_cmd_fail(cmd, &err);
	code = outcome.object ? rt_cmd_show_outcome(cmd, &outcome) : RT_EXIT_OK;
	rt_outcome_release(&outcome);
	return code;
}

/* --- the rows --------------------------------------------------------------------- */

#define CARE                                                                           \
	"Hosts agree on an instant, start together, and report every 100 ms of every " \
	"sender. By default senders join in steps of 1, 2, 4 ..., the run takes 3 s, " \
	"and it ends at the first sign of damage: loss on a lossless priority, a "     \
	"victim slowed beyond its bound, a sender paused for more than half of a "     \
	"second. Ports that carry others' RDMA connections are left alone. Ctrl-C "    \
	"stops all hosts, and what there is is reported.\n\n"                          \
	"Hosts come by a launcher (srun --mpi=pmix, mpirun: every rank runs this "     \
	"command, rank 0 reports), or as agents that dial this one over TCP. With "    \
	"a scenario file instead of a number its workloads are run, host number n "    \
	"being rank n; options go over what it says. docs/traffic.md tells how to "    \
	"read the report."

#define PATTERN(name_, operands_, summary_, examples_)                         \
	{                                                                      \
		.name = name_, .operands = operands_, .summary = summary_,     \
		.describe = CARE, .examples = examples_,                       \
		RT_OPTIONS(stress_options, stress_options), .min_operands = 0, \
		.max_operands = 1, .run = run_stress                           \
	}

static const struct rt_command stress_subs[] = {
	PATTERN("incast", "[N:1|SCENARIO]", "N hosts send to one",
		"rocetune stress incast 8:1 --hosts n[0-8] --listen n0:18525\n"
		"    n0 receives, eight send\n"
		"mpirun -n 9 rocetune stress incast --victim lossy\n"
		"    what a bystander feels of it\n"),
	PATTERN("outcast", "[1:N|SCENARIO]", "one host sends to N",
		"rocetune stress outcast 1:8 --hosts n[0-8] --listen n0:18525\n"
		"    n0 sends to eight\n"),
	PATTERN("permutation", "[SCENARIO]", "every host sends to one, none to itself",
		"srun --mpi=pmix -N 16 rocetune stress permutation --seed 7\n"
		"    a random cycle through sixteen hosts\n"),
	PATTERN("alltoall", "[SCENARIO]", "every host sends to every other",
		"srun --mpi=pmix -N 8 rocetune stress alltoall --rate 10G\n"
		"    no sender above 10 Gb/s\n"),
	PATTERN("ring", "[SCENARIO]", "every host sends to the next",
		"srun --mpi=pmix -N 8 rocetune stress ring --qps 4 --sport 50000\n"
		"    four queue pairs each, on source ports that differ\n"),
	{ 0 },
};

const struct rt_command rt_cmd_stress = {
	.name = "stress",
	.operands = "",
	.summary = "traffic of many hosts that start at one instant",
	.describe = CARE,
	.examples = "rocetune stress incast 8:1 --hosts n[0-8] --listen n0:18525\n"
		    "    n0 receives, eight send\n",
	.subs = stress_subs,
};

const struct rt_command rt_cmd_incast = PATTERN(
	"incast", "[N:1|SCENARIO]", "short for stress incast",
	"rocetune incast 8:1 --hosts n[0-8] --listen n0:18525\n"
	"    n0 receives, eight send\n");
