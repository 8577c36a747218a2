/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * eos.h - what the files about EOS share: lines, blocks, and the commands as rows.
 *
 * Sources: Arista EOS user manual, chapter Quality of Service (commands, units and
 * default maps); aristanetworks/avd eos_cli_config_gen (every spelling).
 */
#ifndef RT_NOS_EOS_H
#define RT_NOS_EOS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/switch_build.h"

#define EOS_LINE_BYTES 4096
#define EOS_WORDS_MAX  96 /* a map may list all 64 DSCPs */

struct eos_line {
	char text[EOS_LINE_BYTES]; /* words end with '\0' */
	const char *words[EOS_WORDS_MAX];
	unsigned columns[EOS_WORDS_MAX]; /* from 1 */
	unsigned count, indent, number;
	/* What stood for # and $ in the row's pattern: indices of words. */
	unsigned captured[4];
};

enum eos_context {
	EOS_TOP = 1,
	EOS_PORT = 2,  /* an interface or a profile */
	EOS_QUEUE = 4, /* one of its queues */
	EOS_OTHER = 8, /* a block that is not about QoS */
};

/* A block that is open: what its lines are about. */
struct eos_block {
	enum eos_context context;
	enum rt_switch_kind kind; /* RT_SWITCH_PORT or RT_SWITCH_TEMPLATE */
	size_t index;             /* of the port or template */
	unsigned queue;
	unsigned indent; /* of the line that opened it */
};

#define EOS_DEPTH_MAX 8

struct eos_reader {
	struct rt_switch *sw;
	struct rt_findings *complaints;
	struct rt_err *err;
	int failed;
	struct eos_block blocks[EOS_DEPTH_MAX];
	unsigned depth;
	unsigned understood; /* lines that were */
};

struct eos_row {
	unsigned contexts; /* enum eos_context, or'd */
	/*
	 * Words; # is a number and $ any word, captured; a last * is any rest, and a
	 * NULL handler a line that is understood and means nothing here.
	 */
	const char *pattern;
	void (*handle)(struct eos_reader *reader, const struct eos_row *row,
		       const struct eos_line *line);
	/* For handlers that set one value: where, and to what or within what. */
	size_t offset;
	uint64_t value, most;
};

extern const struct eos_row eos_rows[];
extern const size_t eos_row_count;

/* The place of a word. */
struct rt_place eos_place(const struct eos_reader *reader, const struct eos_line *line,
			  unsigned word);

/* The innermost open block; of EOS_TOP when there is none. */
struct eos_block *eos_block(struct eos_reader *reader);

/* What the block's lines are about; NULL where that is no port. */
struct rt_switch_port *eos_port(struct eos_reader *reader);

/* Open a block under the line. */
void eos_open(struct eos_reader *reader, const struct eos_line *line,
	      struct eos_block block);

/* The one map of a kind that EOS has, made when first asked for; NULL: no memory. */
struct rt_switch_map *eos_map(struct eos_reader *reader, enum rt_switch_kind kind);

/* Profiles into the interfaces that have them, and what holds without being said. */
void eos_finish(struct eos_reader *reader);

#endif
