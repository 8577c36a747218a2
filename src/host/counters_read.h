/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counters_read.h - the sources of counters, held open: each number that is looked for is
 * a cell, and a turn asks the sources for those that are wanted.
 */
#ifndef RT_HOST_COUNTERS_READ_H
#define RT_HOST_COUNTERS_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kern/kern.h"
#include "model/counters.h"

struct rt_device;
struct rt_err;

#define RT_COUNTER_LINKS 16u /* slaves of a bond that are summed */

/* What one source of one link has under one name. */
struct rt_counter_cell {
	uint64_t value;
	int fd;        /* of files; -1: not open, and read by path */
	uint32_t turn; /* in which it was last asked for by itself */
	uint8_t source, link;
	uint8_t sticks; /* 2^sticks - 1 means unknown, as all ones do; 0: only these */
	uint8_t known : 1;
	uint8_t met : 1;    /* a file that was looked for */
	uint8_t absent : 1; /* which is not there */
	uint8_t wanted : 1;
	uint8_t held : 1; /* among those that each turn reads */
};

/*
 * What a turn looks at for each of them, and of most no more: thousands are gone through
 * at each tick, with the kernel's own reading between them.
 */
struct rt_counter_held {
	uint64_t raw; /* as it was last read; UINT64_MAX: no number */
	union {
		int fd;         /* of a file */
		uint32_t place; /* in a list */
	};
	uint32_t cell : 31;
	uint32_t plain : 1; /* it is known, and whatever number comes is its value */
};

struct rt_counter_helds {
	struct rt_counter_held *items; /* owned */
	size_t count, capacity;
};

/* Numbers that come together, by name. */
struct rt_counter_list {
	struct rt_stats stats;        /* owned */
	uint64_t layout;              /* that places are of */
	uint64_t filled;              /* that values of cells are of */
	struct rt_counter_helds held; /* what it has of what is looked for */
};

/* A cell, and its value if it is known. */
struct rt_counter_change {
	uint64_t value;
	uint32_t cell;
};

struct rt_counter_cells {
	uint32_t *items; /* owned */
	size_t count, capacity;
};

struct rt_counter_reader {
	struct rt_kern *kern; /* borrowed */
	const struct rt_device *device;
	char links[RT_COUNTER_LINKS][RT_IFNAME_BYTES];
	size_t link_count;
	struct rt_counter_list *lists; /* owned: by source, then link */
	struct rt_counter_cell *cells; /* owned */
	char **names;                  /* owned: of the cells */
	size_t cell_count, cell_capacity, name_capacity;
	/*
	 * By source: all of its cells; those of it that each turn asks for one by one; and
	 * files that are held open, which each turn reads.
	 */
	struct rt_counter_cells all[RT_SOURCE_COUNT], wanted[RT_SOURCE_COUNT];
	struct rt_counter_helds files[RT_SOURCE_COUNT];
	bool rdma_in_files; /* not by rdma netlink */
	uint32_t turn;
	uint32_t turns[RT_SOURCE_COUNT]; /* in which each was asked last */
	unsigned asked;                  /* sources that each turn wants something of */
	unsigned mask;                   /* sources that may be asked in this turn */
	unsigned read, failed; /* sources that have told something; that never will */
	unsigned busy; /* of those, which had no answer: what they said before stays */
	/* Owned: cells whose value changed in this turn; full: more may have. */
	struct rt_counter_change *moved;
	size_t moved_count, moved_room;
	uint64_t changes[RT_SOURCE_COUNT]; /* of cells, in all */
	bool flipped;  /* in this turn something became known or unknown */
	bool lost;     /* a source failed; the caller's to clear */
	bool looked;   /* looks changed; the caller's to clear */
	bool gone;     /* what was there is there no more */
	bool confused; /* out of memory */
	struct rt_counter_look looks[RT_SOURCE_COUNT];
	struct rt_counter_pace paces[RT_SOURCE_COUNT], before[RT_SOURCE_COUNT];
	struct rt_opt_u64 refresh_ms;
};

/* Looks for nothing yet; -ENOMEM.  The second may follow a failure. */
int rt_counter_reader_init(struct rt_counter_reader *reader, struct rt_kern *kern,
			   const struct rt_device *device);
void rt_counter_reader_free(struct rt_counter_reader *reader);

/* How many links the source has one list or folder each of; 0: the port lacks it. */
size_t rt_counter_links(const struct rt_counter_reader *reader,
			enum rt_counter_source source);

/*
 * The number of the cell of name (its priority written out), which is shared by all that
 * look for it.  -ENOMEM.
 */
int rt_counter_cell(struct rt_counter_reader *reader, enum rt_counter_source source,
		    unsigned link, const char *name, unsigned sticks,
		    uint32_t *ret_cell);

/* When all cells are there, and before the first turn; -ENOMEM. */
int rt_counter_reader_begin(struct rt_counter_reader *reader);

/* Begin a turn: ask these sources for what is wanted. */
void rt_counter_turn(struct rt_counter_reader *reader, unsigned sources);

/* Want a cell; it is asked for unless it was in this turn.  Whether it is known. */
bool rt_counter_ask(struct rt_counter_reader *reader, uint32_t cell);

/* Want only what was asked for in this turn, or is of sources that were left out. */
int rt_counter_settle(struct rt_counter_reader *reader);

#endif
