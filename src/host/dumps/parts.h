/* SPDX-License-Identifier: BSD-2-Clause */
/* parts.h - what the readers of the single formats share. */
#ifndef RT_HOST_DUMP_PARTS_H
#define RT_HOST_DUMP_PARTS_H

#include "host/dumps/dump.h"

/* The output of one command: its lines, as strings that may be changed. */
struct rt_dump_block {
	const char *command; /* behind the prompt; "": no prompt */
	char **lines;
	size_t count;
};

/* A dump being filled; the first error sticks. */
struct rt_dumping {
	struct rt_dump *dump;
	char where[64]; /* of values to come */
	int failed;
	struct rt_err *err; /* filled when failed is a reader's own; may be NULL */
};

struct rt_dump_format {
	const char *name;
	const char *help;
	bool (*fits)(const struct rt_dump_block *block);
	void (*read)(struct rt_dumping *to, const struct rt_dump_block *block);
};

/* Ends with a NULL name. */
extern const struct rt_dump_format rt_dump_formats[];

/* A format's two functions. */
#define RT_DUMP_READER(noun)                                         \
	bool rt_dump_fits_##noun(const struct rt_dump_block *block); \
	void rt_dump_read_##noun(struct rt_dumping *to,              \
				 const struct rt_dump_block *block)

RT_DUMP_READER(counters); /* NAME: NUMBER */
RT_DUMP_READER(info);     /* ethtool -i */
RT_DUMP_READER(ip_link);  /* ip -s link */
RT_DUMP_READER(rdma);     /* rdma link, rdma statistic */
RT_DUMP_READER(mlnx_qos);
RT_DUMP_READER(tclass);    /* cat traffic_class */
RT_DUMP_READER(tlv);       /* lldptool -ti, niccli get_qos */
RT_DUMP_READER(dscp2prio); /* niccli */
RT_DUMP_READER(pri2cos);   /* niccli */
RT_DUMP_READER(mlxconfig); /* also mstconfig */
RT_DUMP_READER(devinfo);   /* ibv_devinfo -v */
RT_DUMP_READER(gids);      /* show_gids */
RT_DUMP_READER(json);      /* rdma -j, nicctl -j */
RT_DUMP_READER(table);     /* SONiC: a ruler of dashes below the heading */

/* Add a value of to->where; its number where text is one ("3,424", "0x10", "48"). */
void rt_dump_add(struct rt_dumping *to, const char *name, const char *text);

/* Blanks at both ends cut off, in place. */
char *rt_dump_trim(char *text);

/* All of text as a number: decimal, with thousands' commas, or 0x. */
bool rt_dump_number(const char *text, uint64_t *ret_number);

/* "3" of "NAME: 3": behind label in line, blanks skipped; NULL: no such label. */
const char *rt_dump_after(const char *line, const char *label);

/* Some line of the block holds word. */
bool rt_dump_has(const struct rt_dump_block *block, const char *word);

/* A small number at *at (below limit), which is moved behind it; -1: none there. */
int rt_dump_digit(const char **at, unsigned limit);

#endif
