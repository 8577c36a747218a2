/* SPDX-License-Identifier: BSD-2-Clause */
/* watch_options.h - options that say what is watched, and how often it is looked at. */
#ifndef RT_CMD_WATCH_OPTIONS_H
#define RT_CMD_WATCH_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/host_options.h"
#include "run/watch.h"

struct rt_err;

/* A part of a command's options, as RT_WATCH_OPTION_ROWS() fill it. */
struct rt_watch_options {
	const char *sysroot, *lab, *replay, *scenario;
	bool demo;
	const char *ports, *exclude;
	const char *interval;
};

#define RT_WATCH_OPTION(owner, member_, name_, arg_, type_, help_, ...)   \
	{                                                                 \
		.name = name_, .arg = arg_, .type = RT_OPTION_##type_,    \
		.offset = offsetof(struct owner, member_), .help = help_, \
		##__VA_ARGS__                                             \
	}

/* usual: the interval where none is given, in words. */
#define RT_WATCH_OPTION_ROWS(owner, member, usual)                                     \
	RT_WATCH_OPTION(owner, member.sysroot, "sysroot", "FOLDER|FILE", TEXT,         \
			"a host's bundle (rocetune snapshot) or a folder instead of "  \
			"this machine"),                                               \
		RT_WATCH_OPTION(owner, member.lab, "lab", "NAME", TEXT,                \
				"the switches and hosts of a lab that is up; '': the " \
				"only one"),                                           \
		RT_WATCH_OPTION(owner, member.replay, "replay", "FILE", TEXT,          \
				"a recording, with the time it has", .letter = 'r'),   \
		RT_WATCH_OPTION(owner, member.scenario, "scenario", "FILE", TEXT,      \
				"a simulated fabric; a sample every thousandth of "    \
				"--interval of its time, or as often as suits it"),    \
		RT_WATCH_OPTION(owner, member.demo, "demo", NULL, FLAG,                \
				"a made-up host with every trouble there is a "        \
				"verdict for"),                                        \
		RT_WATCH_OPTION(owner, member.ports, "port", "PATTERNS", TEXT,         \
				"only these: 'mlx5_*,eth2', by name or network "       \
				"device"),                                             \
		RT_WATCH_OPTION(owner, member.exclude, "exclude", "PATTERNS", TEXT,    \
				"not these"),                                          \
		RT_WATCH_OPTION(owner, member.interval, "interval", "TIME", TEXT,      \
				"between samples: 100ms to 60s; a bare number is "     \
				"seconds (default " usual ")",                         \
				.letter = 'd')

/* A request and the words that it borrows. */
struct rt_watch_wanted {
	struct rt_watch_request request;
	struct rt_words ports, exclude; /* owned */
};

/*
 * usual_ns: as told above.  The rest of the request is the caller's to fill, and to have
 * checked by rt_run_watch_check().  Free *ret_wanted also on failure, zeroed before.
 */
int rt_watch_options_take(const struct rt_watch_options *options, uint64_t usual_ns,
			  struct rt_watch_wanted *ret_wanted, struct rt_err *err);
void rt_watch_wanted_free(struct rt_watch_wanted *wanted);

#endif
