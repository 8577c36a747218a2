/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * watch_row.c - ports of a tick as flat rows.  The columns are those of the tables of
 * ports, figures and priorities, so that none of them is listed twice.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/watch_table.h"

#define NAME_BYTES 48
#define PRIOS      8u

#define OWNER struct rt_watched_row
static const struct rt_field own_fields[] = {
	RT_FIELD(OWNER, I64, wall_ns, NS,
		 "when, since 1970; of a simulation since its beginning"),
	RT_FIELD(OWNER, I64, time_ns, NS, "when, on a clock that only goes forward"),
	RT_FIELD(OWNER, OPT_U64, elapsed_ns, NS, "measured since the tick before"),
	RT_FIELD(OWNER, ENUM, verdict, NONE, "what is wrong with the port",
		 .names = rt_verdict_names),
	RT_FIELD_CHARS_OF(OWNER, finding, "the gravest finding"),
};
static RT_TABLE(own_table, rt_watched_row, "watched_row", "Rows", "A port of a tick.",
		own_fields);
#undef OWNER

struct columns {
	struct rt_table table; /* first */
	char (*names)[NAME_BYTES];
	struct rt_field fields[];
};

/* The scalars of a table whose struct lies at offset in the row. */
static void add_columns(struct columns *columns, const struct rt_table *table,
			size_t offset, const char *prefix)
{
	for (size_t i = 0; i < table->count; i++) {
		const size_t n = columns->table.count;

		if (table->fields[i].table)
			continue;
		columns->fields[n] = table->fields[i];
		columns->fields[n].offset += offset;
		snprintf(columns->names[n], NAME_BYTES, "%s%s", prefix,
			 table->fields[i].name);
		columns->fields[n].name = columns->names[n];
		columns->table.count++;
	}
}

struct rt_table *rt_watched_columns(void)
{
	const size_t most = own_table.count + rt_watch_port_table.count +
			    rt_watch_figures_table.count +
			    PRIOS * rt_watch_prio_table.count;
	struct columns *columns = calloc(
		1, sizeof(*columns) + most * (sizeof(struct rt_field) + NAME_BYTES));
	char prefix[16];

	if (!columns)
		return NULL;
	columns->table = own_table;
	columns->table.count = 0;
	columns->table.fields = columns->fields;
	columns->names = (void *)(columns->fields + most);
	add_columns(columns, &own_table, 0, "");
	add_columns(columns, &rt_watch_port_table,
		    offsetof(struct rt_watched_row, facts), "");
	add_columns(columns, &rt_watch_figures_table,
		    offsetof(struct rt_watched_row, figures), "");
	for (unsigned i = 0; i < PRIOS; i++) {
		snprintf(prefix, sizeof(prefix), "prio%u_", i);
		add_columns(columns, &rt_watch_prio_table,
			    offsetof(struct rt_watched_row, figures.prios) +
				    i * sizeof(struct rt_watch_prio),
			    prefix);
	}
	return &columns->table;
}

void rt_watched_row(const struct rt_watched *watched, size_t port,
		    struct rt_watched_row *ret_row)
{
	const struct rt_watched_port *from = &watched->ports[port];

	*ret_row = (struct rt_watched_row){
		.wall_ns = watched->wall_ns,
		.time_ns = watched->time_ns,
		.elapsed_ns = watched->elapsed_ns,
		.verdict = from->verdict,
		.facts = from->facts,
		.figures = from->figures,
	};
	if (from->finding_count)
		snprintf(ret_row->finding, sizeof(ret_row->finding), "%s",
			 from->findings->id);
}
