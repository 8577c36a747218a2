/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_capture.c - what passes interfaces of this host. */
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/rows.h"
#include "cmd/stop.h"
#include "rocetune/err.h"
#include "rocetune/field.h"
#include "run/live_capture.h"
#include "run/outcome.h"

struct capture_options {
	const char *file;
	struct rt_opt_u64 time, speed;
	bool analyze, no_icrc;
};

#define OPTION(member_, name_, arg_, type_, unit_, help_, ...)                      \
	{                                                                           \
		.name = name_, .arg = arg_, .type = RT_OPTION_##type_,              \
		.unit = RT_UNIT_##unit_,                                            \
		.offset = offsetof(struct capture_options, member_), .help = help_, \
		##__VA_ARGS__                                                       \
	}

static const struct rt_option capture_option_rows[] = {
	OPTION(file, "write", "FILE", TEXT, NONE,
	       "pcapng; \"-\": to standard output, and the report to standard error",
	       .letter = 'w'),
	OPTION(time, "time", "TIME", QUANTITY, NS,
	       "for so long (default: until Ctrl-C)", .min = 1000000,
	       .max = 86400000000000),
	OPTION(analyze, "analyze", NULL, FLAG, NONE,
	       "say what `rocetune analyze` says of it"),
	OPTION(speed, "link-speed", "RATE", QUANTITY, BPS,
	       "of the links, where the kernel does not tell it", .min = 1000000),
	OPTION(no_icrc, "no-icrc", NULL, FLAG, NONE,
	       "do not check invariant CRCs: faster"),
};

static void say_ready(void *user, const char *note)
{
	struct rt_cmd *cmd = user;

	if (*note)
		fprintf(cmd->err, "rocetune capture: note: %s\n", note);
	fputs("rocetune capture: capturing\n", cmd->err);
	fflush(cmd->err);
}

static int run_capture(struct rt_cmd *cmd, const void *options, int argc, char **argv)
{
	const struct capture_options *given = options;
	const char *netdevs[RT_CAPTURE_IFS + 1] = { NULL };
	struct rt_outcome outcome = { 0 };
	struct rt_err err = { 0 };
	int code, r;

	if (!given->file && !given->analyze)
		return rt_cmd_usage(cmd, "say -w FILE, --analyze, or both");
	if (given->file && strcmp(given->file, "-") == 0) {
		if (isatty(STDOUT_FILENO))
			return rt_cmd_usage(cmd, "a capture is no text for a terminal: "
						 "lead it away by > or |");
		cmd->out = cmd->err;
	}
	for (int i = 1; i < argc; i++)
		for (int k = 0; k < i; k++)
			if (strcmp(argv[i], argv[k]) == 0)
				return rt_cmd_usage(
					cmd,
					"%s twice: each of its frames would "
					"count twice",
					argv[i]);
	memcpy(netdevs, argv, (size_t)argc * sizeof(*netdevs));

	const struct rt_capture_request request = {
		.netdevs = netdevs,
		.file = given->file,
		.time_ns = given->time,
		.speed_bps = given->speed,
		.analyze = given->analyze,
		.no_icrc = given->no_icrc,
		.stop_fd = rt_cmd_open_stop(),
		.ready = say_ready,
		.user = cmd,
	};

	r = rt_run_capture(&request, &outcome, &err);
	if (request.stop_fd >= 0)
		close(request.stop_fd);
	if (r < 0)
		return rt_cmd_fail(cmd, &err);
	code = given->analyze ? rt_cmd_show_outcome(cmd, &outcome)
			      : rt_cmd_show(cmd, outcome.table, outcome.object);
	rt_outcome_release(&outcome);
	return code;
}

const struct rt_command rt_cmd_capture = {
	.name = "capture",
	.operands = "NETDEV...",
	.summary = "capture RoCE and pause frames at interfaces of this host",
	.describe =
		"Captures RoCE (UDP port 4791, tagged or not), PFC and pause frames, "
		"both "
		"ways, and nothing else; the kernel filters. Nothing is sent, and "
		"nothing "
		"of the interface is changed but that it is promiscuous meanwhile. "
		"Needs "
		"CAP_NET_RAW.\n\n"
		"Which way to capture by depends on where the RDMA is made; this "
		"command has the first of three.\n\n"
		"1. The kernel's ring (AF_PACKET): what the kernel sees. The soft "
		"engine's and rdma_rxe's RDMA, that of a tap or of a mirror port that "
		"leads here. It counts what it loses. What an RDMA NIC sends and "
		"receives by itself passes by the kernel and is not seen at its "
		"network device, and most NICs keep pause frames to themselves; where "
		"an interface is an RDMA NIC's a note says so.\n\n"
		"2. libpcap's rdmasniff (tcpdump -i mlx5_0): the NIC itself copies "
		"both "
		"ways to a raw queue pair, where its driver has the sniffer rule of "
		"verbs (mlx5; bnxt_re since rdma-core of 2025). It has 128 buffers and "
		"reports no losses, whatever it lost, and its times are those of the "
		"reader: at line rate it has holes. rocetune analyze finds them where "
		"ACKs show that a packet did arrive.\n\n"
		"3. A mirror port of the switch or an optical tap, led to a machine "
		"that "
		"runs this command: the only way to see what was on the wire at line "
		"rate. Mirrors drop under load, and most show no pause frames.\n\n"
		"Frames for which there was no room are counted, shown, and noted in "
		"the "
		"file. From a capture that lost frames nobody can tell what the "
		"network "
		"lost: analyze then refuses to judge what rests on missing frames.",
	.examples = "rocetune capture eth2 -w run.pcapng --time 10s\n    ten seconds\n"
		    "rocetune capture veth0 veth1 --analyze\n"
		    "    until Ctrl-C, then the report\n",
	RT_OPTIONS(capture_option_rows, capture_options),
	.min_operands = 1,
	.max_operands = RT_CAPTURE_IFS,
	.run = run_capture,
};
