/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lab_board.h - the switch's counters in a file of the lab's folder, live: one process
 * writes them through a seqlock, anybody of the same user reads.
 *
 * Nobody maps the file, so that one that is cut short is an error of who reads it, until
 * the next counters make it whole, and no signal.
 */
#ifndef RT_LAB_LAB_BOARD_H
#define RT_LAB_LAB_BOARD_H

#include <stddef.h>
#include <stdint.h>

#include "lab/switch.h"

struct rt_err;
struct rt_lab_board;

/* Make the file in a folder; the caller closes the board, the file stays. */
int rt_lab_board_create(int folder_fd, const char *file, size_t port_count,
			struct rt_lab_board **ret_board, struct rt_err *err);
/* counters has the port_count of the board, or fewer. */
void rt_lab_board_write(struct rt_lab_board *board,
			const struct rt_lab_switch_counters *counters);
void rt_lab_board_close(struct rt_lab_board *board); /* NULL is fine */

/*
 * The counters in a file (borrowed), all of one moment; the caller frees ports.
 * -EINVAL: it is no board of this version.  -EAGAIN: it was being written all the time,
 * which is what a writer that died in the middle leaves.
 */
int rt_lab_board_read(int fd, struct rt_lab_switch_counters *ret_counters,
		      struct rt_err *err);

/*
 * Judge a copy of such a file.  -EINVAL as above; -EAGAIN: taken while it was written.
 */
int rt_lab_board_parse(const void *bytes, size_t count,
		       struct rt_lab_switch_counters *ret_counters, struct rt_err *err);

#endif
