/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd.h - the commands: one file each, one row each.
 *
 * A row carries everything that can be said about a command; parsing, --help,
 * the man pages and the shell completion are derived from it.  Commands turn
 * options into a call of run, and results into output: only this room (and the
 * dashboard) prints or decides exit codes.
 *
 * Exit codes: 0 done and healthy, 1 done with findings at or above --fail-on,
 * 2 usage, 3 could not be done.
 */
#ifndef RT_CMD_CMD_H
#define RT_CMD_CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/text.h"
#include "rocetune/units.h"

struct rt_err;
struct rt_findings;
struct rt_outcome;
struct rt_json;
struct rt_table;
struct rt_cmd;

enum rt_exit {
	RT_EXIT_OK = 0,
	RT_EXIT_FINDINGS = 1,
	RT_EXIT_USAGE = 2,
	RT_EXIT_FAILED = 3,
};

enum rt_option_type {
	RT_OPTION_FLAG,     /* bool */
	RT_OPTION_TEXT,     /* const char *; NULL when not given */
	RT_OPTION_QUANTITY, /* struct rt_opt_u64 in the row's unit */
	RT_OPTION_ENUM,     /* unsigned, one of names */
};

struct rt_option {
	const char *name; /* without the dashes */
	char letter;      /* 0: none */
	const char *arg;  /* what stands for the value in help: "FILE" */
	enum rt_option_type type;
	enum rt_unit unit;
	size_t offset; /* in the command's options struct */
	const struct rt_name *names;
	const char *help;
	uint64_t min, max; /* of a quantity; max 0: no bound */
};

struct rt_command {
	const char *name;
	const char *operands; /* "SCENARIO", "[DEV]"; "" when there are none */
	const char *summary;  /* one line */
	const char *describe; /* paragraphs for the man page, "\n\n" between */
	const char *examples; /* lines "command\n    what it does\n" */
	const struct rt_option *options;
	size_t option_count, options_bytes;
	int min_operands, max_operands; /* max -1: any number */
	/* What follows the first operand is operands, too: another program's command. */
	bool options_first;
	/* Returns an enum rt_exit; options point to options_bytes, zeroed first. */
	int (*run)(struct rt_cmd *cmd, const void *options, int argc, char **argv);
	const struct rt_command *subs; /* ends with a row without name; or NULL */
};

#define RT_OPTIONS(table, owner)                                                \
	.options = (table), .option_count = sizeof(table) / sizeof((table)[0]), \
	.options_bytes = sizeof(struct owner)

/* Options that every command has. */
struct rt_common {
	bool help, json, all;
	unsigned fail_on; /* enum rt_severity */
};

extern const struct rt_option rt_common_options[];
extern const size_t rt_common_option_count;

/* What a running command may use. */
struct rt_cmd {
	const struct rt_command *parent; /* of a sub-command; else NULL */
	const struct rt_command *command;
	struct rt_common common;
	FILE *out, *err;
	bool no_colour; /* the environment's NO_COLOR */
	bool colour;    /* out is a terminal, and may be coloured */
	bool progress;  /* err is a terminal */
};

/* All commands, ends with NULL. */
extern const struct rt_command *const rt_commands[];

#define rt_command_for_each(row)                                                       \
	for (const struct rt_command *const *row##_at = rt_commands, *row = *row##_at; \
	     row; row = *++row##_at)

/* The program; what main() returns. */
int rt_main(int argc, char **argv);

/* --- for commands ---------------------------------------------------------- */

/*
 * Say why it failed: text on stderr and, with --json, an object of kind "error"
 * on stdout.  Returns RT_EXIT_FAILED.  rt_cmd_fail_file() says in the object
 * which operand it was (text names it anyway).
 */
int rt_cmd_fail(struct rt_cmd *cmd, const struct rt_err *err);
int rt_cmd_fail_file(struct rt_cmd *cmd, const char *file, const struct rt_err *err);

/* The parts of that: text only, and the object only (owned by the caller).
 * file NULL: the error is of no file. */
int rt_cmd_say(struct rt_cmd *cmd, const struct rt_err *err);
struct rt_json *rt_cmd_error_json(const char *file, const struct rt_err *err);

/* A mistake of the caller: text and a hint at --help.  Returns RT_EXIT_USAGE. */
int rt_cmd_usage(struct rt_cmd *cmd, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* A line of standard output; words from outside in it do not steer a terminal. */
void rt_cmd_line(struct rt_cmd *cmd, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Write object as JSON (--json) or text; RT_EXIT_OK or RT_EXIT_FAILED. */
int rt_cmd_show(struct rt_cmd *cmd, const struct rt_table *table, const void *object);

/* Findings as text, worst first; for commands whose result holds them anyway. */
void rt_cmd_show_findings(struct rt_cmd *cmd, const struct rt_findings *findings);

/*
 * The same of findings worst first, but what could not be judged is a list at the end,
 * not a page each.
 */
void rt_cmd_show_judged(struct rt_cmd *cmd, const struct rt_findings *findings);

/*
 * Show an outcome, object and findings, as text or JSON; the exit code that both
 * together give.
 */
int rt_cmd_show_outcome(struct rt_cmd *cmd, const struct rt_outcome *outcome);

/*
 * A port's plan as text (context: the command), as rt_run_apply() tells it; and what
 * came of all ports.  RT_EXIT_FAILED when one is not as wanted.
 */
struct rt_applied_port;
void rt_cmd_show_plan(void *context, const struct rt_applied_port *port);
int rt_cmd_show_applied(struct rt_cmd *cmd, const struct rt_outcome *outcome);

/* A struct rt_change_rows: RT_EXIT_FAILED when some were left as they are. */
int rt_cmd_show_changes(struct rt_cmd *cmd, const struct rt_outcome *outcome);

/*
 * A note on stderr when a change of this host was not finished (rocetune recover): of
 * commands that look at it and write nothing.  Not in what they print.
 */
void rt_cmd_note_pending(struct rt_cmd *cmd);

/* RT_EXIT_FINDINGS when one is at or above --fail-on, else RT_EXIT_OK. */
int rt_cmd_verdict(const struct rt_cmd *cmd, const struct rt_findings *findings);

#endif
