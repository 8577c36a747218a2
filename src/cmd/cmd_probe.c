/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_probe.c - do marks and sizes get through to a host. */
#include <errno.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/rows.h"
#include "cmd/stop.h"
#include "rocetune/err.h"
#include "rocetune/field.h"
#include "run/outcome.h"
#include "run/probe.h"

struct probe_options {
	struct rt_opt_u64 port, dscp, load, duration;
	const char *profile, *source, *bind;
	bool listen, hops, ipv4, ipv6;
};

#define OPTION(member_, name_, arg_, type_, unit_, help_, ...)                    \
	{                                                                         \
		.name = name_, .arg = arg_, .type = RT_OPTION_##type_,            \
		.unit = RT_UNIT_##unit_,                                          \
		.offset = offsetof(struct probe_options, member_), .help = help_, \
		##__VA_ARGS__                                                     \
	}

static const struct rt_option probe_option_rows[] = {
	OPTION(dscp, "dscp", "N", QUANTITY, COUNT,
	       "of the data (default: of the profile's lossless class, else 26)",
	       .max = 63),
	OPTION(profile, "profile", "PROFILE", TEXT, NONE,
	       "probe the DSCPs of its classes; its RoCE MTU is what must fit",
	       .letter = 'p'),
	OPTION(hops, "hops", NULL, FLAG, NONE, "find the hop at which marks change"),
	OPTION(load, "load", "TIME", QUANTITY, NS,
	       "the path is loaded by something else: look for CE marks that long, 100 "
	       "packets a second",
	       .min = 1000000, .max = 600000000000),
	OPTION(port, "port", "PORT", QUANTITY, COUNT,
	       "UDP port of the listener (default 47910)", .min = 1, .max = 65535),
	OPTION(source, "source", "ADDRESS", TEXT, NONE, "send from this address"),
	OPTION(ipv4, "ipv4", NULL, FLAG, NONE, "the host's IPv4 address",
	       .letter = '4'),
	OPTION(ipv6, "ipv6", NULL, FLAG, NONE, "the host's IPv6 address",
	       .letter = '6'),
	OPTION(listen, "listen", NULL, FLAG, NONE, "be the other end"),
	OPTION(bind, "bind", "ADDRESS", TEXT, NONE,
	       "with --listen: at this address of ours; 0.0.0.0 or :: is all (default "
	       "127.0.0.1)"),
	OPTION(duration, "duration", "TIME", QUANTITY, NS,
	       "with --listen: for so long (default 10 minutes)", .min = 1000000),
};

static void say_ready(void *user)
{
	struct rt_cmd *cmd = user;

	fputs("rocetune probe: listening\n", cmd->err);
	fflush(cmd->err);
}

static int listen_for(struct rt_cmd *cmd, const struct probe_options *given)
{
	struct rt_outcome outcome;
	struct rt_err err = { 0 };
	const int stop_fd = rt_cmd_open_stop();
	const struct rt_probe_listen_request request = {
		.bind = given->bind,
		.port = given->port,
		.for_ns = given->duration,
		.stop_fd = stop_fd,
		.ready = say_ready,
		.user = cmd,
	};
	int code, r = rt_run_probe_listen(&request, &outcome, &err);

	if (stop_fd >= 0)
		close(stop_fd);
	if (r == -EDOM)
		return rt_cmd_usage(cmd, "%s", err.msg);
	if (r < 0)
		return rt_cmd_fail(cmd, &err);
	code = rt_cmd_show(cmd, outcome.table, outcome.object);
	rt_outcome_release(&outcome);
	return code;
}

static int probe_host(struct rt_cmd *cmd, const struct probe_options *given,
		      const char *host)
{
	const int stop_fd = rt_cmd_open_stop();
	const struct rt_probe_request request = {
		.host = host,
		.source = given->source,
		.profile = given->profile,
		.family = given->ipv4   ? 4
			  : given->ipv6 ? 6
					: 0,
		.port = given->port,
		.dscp = given->dscp,
		.hops = given->hops,
		.load_ns = given->load,
		.stop_fd = stop_fd,
	};
	struct rt_outcome outcome;
	struct rt_err err = { 0 };
	int code, r = rt_run_probe(&request, &outcome, &err);

	if (stop_fd >= 0)
		close(stop_fd);
	if (r == -EDOM)
		return rt_cmd_usage(cmd, "%s", err.msg);
	if (r < 0)
		return rt_cmd_fail(cmd, &err);
	code = rt_cmd_show_outcome(cmd, &outcome);
	rt_outcome_release(&outcome);
	return code;
}

static int run_probe(struct rt_cmd *cmd, const void *options, int argc, char **argv)
{
	const struct probe_options *given = options;

	if (given->listen == (argc == 1))
		return rt_cmd_usage(cmd, "say a host, or --listen");
	if (!given->listen && (given->bind || given->duration.known))
		return rt_cmd_usage(cmd, "--bind and --duration go with --listen");
	if (given->listen && (given->profile || given->hops || given->load.known ||
			      given->dscp.known || given->source))
		return rt_cmd_usage(cmd,
				    "--listen goes with --port, --bind and --duration");
	if (given->ipv4 && given->ipv6)
		return rt_cmd_usage(cmd, "-4 or -6, not both");
	return given->listen ? listen_for(cmd, given) : probe_host(cmd, given, argv[0]);
}

const struct rt_command rt_cmd_probe = {
	.name = "probe",
	.operands = "[HOST]",
	.summary =
		"see whether DSCP, ECN marks and large packets get through to a host",
	.describe =
		"Sends single UDP packets, one at a time, at most 20 a second (100 "
		"with "
		"--load): with the data's DSCP and each ECN marking, and of the sizes "
		"that RoCE needs, never fragmented. How they arrived is told in one of "
		"two ways. `rocetune probe --listen` on the host answers each with "
		"what "
		"it saw, so that the way back is known, too. Without it the host's "
		"answer for a closed port quotes the packet as it arrived (RFC 792, "
		"RFC "
		"4443): only of the way there, and only as root, for other sockets do "
		"not get it. What neither tells is said to be unknown.\n\n"
		"--hops lets packets end at each router of the way, which quotes them "
		"as "
		"well: it names the hop before which a mark changed. Switches that do "
		"not route are no hops.\n\n"
		"UDP port 4791 is never used: on a host with an RDMA NIC the NIC takes "
		"what comes there. So a device that treats RoCE's port in a way of its "
		"own is not seen to. Without --load a probe makes no queue, and meets "
		"none: that nothing was marked says nothing.\n\n"
		"The listener answers probes only, with no more bytes than came, 100 a "
		"second at most, and listens on 127.0.0.1 unless --bind says "
		"otherwise.",
	.examples = "rocetune probe node7 --profile my.yaml --hops\n"
		    "    is node7 reached as the profile needs it\n"
		    "rocetune probe --listen --bind 0.0.0.0\n"
		    "    on node7: tell more\n"
		    "rocetune probe node7 --load 10s\n"
		    "    while a stress test runs: does the path mark\n",
	RT_OPTIONS(probe_option_rows, probe_options),
	.max_operands = 1,
	.run = run_probe,
};
