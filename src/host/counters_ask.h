/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counters_ask.h - asking the sources of counters, between the files that do it: turns
 * (counters_read.c), files (counters_files.c) and lists (counters_lists.c).
 */
#ifndef RT_HOST_COUNTERS_ASK_H
#define RT_HOST_COUNTERS_ASK_H

#include "host/counters_read.h"

#define RT_COUNTER_NO_NUMBER UINT64_MAX /* drivers say it for that, too */

/* --- what a turn found (counters_read.c) --------------------------------------------- */

/* Numbers that come all at once, by name; else each has a file. */
bool rt_counter_is_list(const struct rt_counter_reader *reader, unsigned source);
/* It has told something. */
bool rt_counter_is_read(const struct rt_counter_reader *reader, unsigned source);
/* It is among those of this turn, and has not failed. */
bool rt_counter_may_ask(const struct rt_counter_reader *reader, unsigned source);

/* What was read of a cell. */
void rt_counter_tell(struct rt_counter_reader *reader, struct rt_counter_cell *cell,
		     bool known, uint64_t value);
void rt_counter_succeed(struct rt_counter_reader *reader, unsigned source);

/*
 * What an error means.  A device that was there may come back, and is opened anew then;
 * what is busy is asked again at the next turn, and what it said before stays; else the
 * source has failed for good.
 */
void rt_counter_take_error(struct rt_counter_reader *reader, unsigned source, int code,
			   const struct rt_err *why);

/* To look at it in each turn, at fd or place. */
struct rt_counter_held rt_counter_held_of(const struct rt_counter_reader *reader,
					  uint32_t cell);
/* -ENOMEM. */
int rt_counter_hold(struct rt_counter_helds *helds, const struct rt_counter_held *held);
/* What was read of it, another number than before; RT_COUNTER_NO_NUMBER: none. */
void rt_counter_take(struct rt_counter_reader *reader, unsigned source,
		     struct rt_counter_held *held, uint64_t raw);

/* --- files (counters_files.c) ---------------------------------------------------------- */

#define RT_COUNTER_PATH_BYTES 320

/* Of the file of a name; of lists, as if there were one. */
void rt_counter_path(const struct rt_counter_reader *reader, unsigned source,
		     unsigned link, const char *name, char path[RT_COUNTER_PATH_BYTES]);

void rt_counter_ask_file(struct rt_counter_reader *reader,
			 struct rt_counter_cell *cell);
/* All those that are held open. */
void rt_counter_ask_files(struct rt_counter_reader *reader, unsigned source);
void rt_counter_shut(struct rt_counter_cell *cell);

/* --- lists (counters_lists.c) ---------------------------------------------------------- */

/* Once asked, hw_counters may turn out to be files. */
void rt_counter_ask_list(struct rt_counter_reader *reader, unsigned source);

#endif
