/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counters_read.c - turns over the sources of counters: each is asked when it is first
 * needed, and no more after its first error (a NIC's function that may not be asked fills
 * the kernel's log at each try).
 */
#include "host/counters_read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/own.h"
#include "host/counters_ask.h"
#include "host/device.h"
#include "kern/stats.h"
#include "rocetune/err.h"

/* --- what a turn found ------------------------------------------------------------------- */

static void note_move(struct rt_counter_reader *reader, unsigned source, uint32_t cell,
		      uint64_t value)
{
	reader->changes[source]++;
	if (reader->moved_count < reader->moved_room)
		reader->moved[reader->moved_count++] =
			(struct rt_counter_change){ value, cell };
}

void rt_counter_tell(struct rt_counter_reader *reader, struct rt_counter_cell *cell,
		     bool known, uint64_t value)
{
	if (known && cell->known && value == cell->value)
		return;
	known = known && value != RT_COUNTER_NO_NUMBER &&
		(!cell->sticks || value != (UINT64_C(1) << cell->sticks) - 1);
	if (!known && !cell->known)
		return;
	note_move(reader, cell->source, (uint32_t)(cell - reader->cells), value);
	reader->flipped |= known != cell->known;
	cell->known = known;
	cell->value = value;
}

struct rt_counter_held rt_counter_held_of(const struct rt_counter_reader *reader,
					  uint32_t number)
{
	const struct rt_counter_cell *cell = &reader->cells[number];

	return (struct rt_counter_held){
		.raw = cell->known ? cell->value : RT_COUNTER_NO_NUMBER,
		.cell = number & INT32_MAX,
		.plain = cell->known && !cell->sticks,
	};
}

/* The cell itself is only written to, which waits for no memory. */
void rt_counter_take(struct rt_counter_reader *reader, unsigned source,
		     struct rt_counter_held *held, uint64_t raw)
{
	struct rt_counter_cell *cell = &reader->cells[held->cell];

	held->raw = raw;
	if (held->plain && raw != RT_COUNTER_NO_NUMBER) {
		cell->value = raw;
		note_move(reader, source, held->cell, raw);
		return;
	}
	rt_counter_tell(reader, cell, raw != RT_COUNTER_NO_NUMBER, raw);
	held->plain = cell->known && !cell->sticks;
}

bool rt_counter_is_read(const struct rt_counter_reader *reader, unsigned source)
{
	return reader->read >> source & 1;
}

bool rt_counter_is_list(const struct rt_counter_reader *reader, unsigned source)
{
	return source == RT_SOURCE_ETHTOOL || source == RT_SOURCE_DCB ||
	       source == RT_SOURCE_STANDARD || source == RT_SOURCE_QDISC ||
	       (source == RT_SOURCE_RDMA && !reader->rdma_in_files);
}

void rt_counter_succeed(struct rt_counter_reader *reader, unsigned source)
{
	if (rt_counter_is_read(reader, source))
		return;
	reader->looked = true;
	reader->read |= 1u << source;
	reader->looks[source].state = RT_LOOK_READ;
}

static void fail(struct rt_counter_reader *reader, unsigned source,
		 const struct rt_err *why)
{
	struct rt_counter_look *look = &reader->looks[source];

	reader->lost = reader->looked = true;
	reader->read &= ~(1u << source);
	reader->failed |= 1u << source;
	look->state = RT_LOOK_FAILED;
	snprintf(look->why, sizeof(look->why), "%.159s", why->msg);
	for (size_t i = 0; i < reader->all[source].count; i++) {
		struct rt_counter_cell *cell =
			&reader->cells[reader->all[source].items[i]];

		rt_counter_tell(reader, cell, false, 0);
		if (!rt_counter_is_list(reader, source))
			rt_counter_shut(cell);
	}
}

void rt_counter_take_error(struct rt_counter_reader *reader, unsigned source, int code,
			   const struct rt_err *why)
{
	if (code == -ENODEV && reader->turn > 1 && rt_counter_is_read(reader, source))
		reader->gone = true;
	else if (code == -ENOMEM)
		reader->confused = true;
	else if (code == -EAGAIN || code == -EBUSY || code == -EINTR)
		reader->busy |= 1u << source;
	else
		fail(reader, source, why);
}

/* A source's first cell of a turn begins its reading. */
static void clock_in(struct rt_counter_reader *reader, unsigned source, int64_t now_ns)
{
	if (reader->turns[source] == reader->turn)
		return;
	reader->turns[source] = reader->turn;
	reader->busy &= ~(1u << source);
	reader->before[source] = reader->paces[source];
	reader->paces[source] = (struct rt_counter_pace){ .read_ns = now_ns };
}

/* What stayed as it was is of the time that it was of. */
static int64_t clock_out(struct rt_counter_reader *reader, unsigned source,
			 int64_t began_ns)
{
	const int64_t now_ns = rt_monotonic_ns();

	reader->paces[source].cost_ns += (uint64_t)(now_ns - began_ns);
	if (reader->busy >> source & 1)
		reader->paces[source] = reader->before[source];
	return now_ns;
}

/* --- turns ------------------------------------------------------------------------------- */

bool rt_counter_may_ask(const struct rt_counter_reader *reader, unsigned source)
{
	return (reader->mask & ~reader->failed) >> source & 1;
}

/* One by one, those that are not held open. */
static void ask_others(struct rt_counter_reader *reader, unsigned source)
{
	const struct rt_counter_cells *wanted = &reader->wanted[source];

	for (size_t i = 0; i < wanted->count && rt_counter_may_ask(reader, source); i++)
		rt_counter_ask_file(reader, &reader->cells[wanted->items[i]]);
}

void rt_counter_turn(struct rt_counter_reader *reader, unsigned sources)
{
	int64_t now_ns = rt_monotonic_ns();

	reader->turn++;
	reader->mask = sources;
	reader->flipped = false;
	reader->moved_count = 0;
	for (unsigned i = 0; reader->asked >> i; i++) {
		if (!(reader->asked >> i & 1) || !rt_counter_may_ask(reader, i))
			continue;
		clock_in(reader, i, now_ns);
		if (rt_counter_is_list(reader, i)) {
			rt_counter_ask_list(reader, i);
		} else {
			rt_counter_ask_files(reader, i);
			ask_others(reader, i);
		}
		now_ns = clock_out(reader, i, now_ns);
	}
}

/* Of a list all cells come at once, and so do files that are held open. */
static bool is_asked(const struct rt_counter_reader *reader,
		     const struct rt_counter_cell *cell)
{
	return rt_counter_is_list(reader, cell->source) || cell->held
		       ? reader->turns[cell->source] == reader->turn
		       : cell->turn == reader->turn;
}

bool rt_counter_ask(struct rt_counter_reader *reader, uint32_t number)
{
	struct rt_counter_cell *cell = &reader->cells[number];
	const unsigned source = cell->source;
	int64_t begin_ns;

	if (cell->absent)
		return false;
	cell->wanted = true;
	if (!rt_counter_may_ask(reader, source) || is_asked(reader, cell))
		return cell->known;
	begin_ns = rt_monotonic_ns();
	clock_in(reader, source, begin_ns);
	if (rt_counter_is_list(reader, source))
		rt_counter_ask_list(reader, source);
	if (!rt_counter_is_list(reader, source) && rt_counter_may_ask(reader, source))
		rt_counter_ask_file(reader, cell);
	clock_out(reader, source, begin_ns);
	return cell->known;
}

static int add_cell(struct rt_counter_cells *cells, uint32_t number)
{
	uint32_t *grown = rt_grow(cells->items, cells->count, &cells->capacity,
				  sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	cells->items = grown;
	grown[cells->count++] = number;
	return 0;
}

int rt_counter_hold(struct rt_counter_helds *helds, const struct rt_counter_held *held)
{
	struct rt_counter_held *grown = rt_grow(helds->items, helds->count,
						&helds->capacity, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	helds->items = grown;
	grown[helds->count++] = *held;
	return 0;
}

static int settle_cell(struct rt_counter_reader *reader, uint32_t number)
{
	struct rt_counter_cell *cell = &reader->cells[number];
	const unsigned source = cell->source;
	struct rt_counter_held held = rt_counter_held_of(reader, number);

	held.fd = cell->fd;
	cell->held = !rt_counter_is_list(reader, source) && cell->fd >= 0;
	reader->asked |= 1u << source;
	return cell->held ? rt_counter_hold(&reader->files[source], &held)
			  : add_cell(&reader->wanted[source], number);
}

int rt_counter_settle(struct rt_counter_reader *reader)
{
	int r = 0;

	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++)
		reader->wanted[i].count = reader->files[i].count = 0;
	reader->asked = 0;
	for (uint32_t i = 0; i < reader->cell_count && r == 0; i++) {
		struct rt_counter_cell *cell = &reader->cells[i];

		cell->held = false;
		if (cell->wanted && !cell->absent)
			r = settle_cell(reader, i);
		cell->wanted = false;
	}
	return r;
}

/* --- beginning and end ------------------------------------------------------------------- */

size_t rt_counter_links(const struct rt_counter_reader *reader,
			enum rt_counter_source source)
{
	switch (source) {
	case RT_SOURCE_ETHTOOL:
	case RT_SOURCE_STANDARD:
	case RT_SOURCE_DCB:
	case RT_SOURCE_QDISC:
	case RT_SOURCE_NETDEV: return reader->link_count;
	default: return *reader->device->ibdev ? 1 : 0;
	}
}

static int add_new_cell(struct rt_counter_reader *reader,
			const struct rt_counter_cell *cell, const char *name)
{
	const size_t count = reader->cell_count;
	struct rt_counter_cell *cells = rt_grow(reader->cells, count,
						&reader->cell_capacity, sizeof(*cells));
	char **names;

	if (cells)
		reader->cells = cells;
	names = rt_grow(reader->names, count, &reader->name_capacity, sizeof(*names));
	if (names)
		reader->names = names;
	if (!cells || !names ||
	    add_cell(&reader->all[cell->source], (uint32_t)count) < 0)
		return -ENOMEM;
	cells[count] = *cell;
	names[count] = strdup(name);
	reader->cell_count++;
	return names[count] ? 0 : -ENOMEM;
}

int rt_counter_cell(struct rt_counter_reader *reader, enum rt_counter_source source,
		    unsigned link, const char *name, unsigned sticks,
		    uint32_t *ret_cell)
{
	const struct rt_counter_cells *all = &reader->all[source];
	const struct rt_counter_cell cell = { .fd = -1, /* and nowhere */
					      .source = (uint8_t)source,
					      .link = (uint8_t)link,
					      .sticks = (uint8_t)sticks };

	for (size_t i = 0; i < all->count; i++) {
		const uint32_t at = all->items[i];

		if (reader->cells[at].link == link &&
		    reader->cells[at].sticks == sticks &&
		    strcmp(reader->names[at], name) == 0) {
			*ret_cell = at;
			return 0;
		}
	}
	*ret_cell = (uint32_t)reader->cell_count;
	return add_new_cell(reader, &cell, name);
}

int rt_counter_reader_begin(struct rt_counter_reader *reader)
{
	reader->moved_room = reader->cell_count + 1;
	reader->moved = calloc(reader->moved_room, sizeof(*reader->moved));
	return reader->moved ? 0 : -ENOMEM;
}

static void add_link(struct rt_counter_reader *reader, const char *netdev)
{
	if (*netdev && reader->link_count < RT_COUNTER_LINKS)
		snprintf(reader->links[reader->link_count++], RT_IFNAME_BYTES, "%s",
			 netdev);
}

int rt_counter_reader_init(struct rt_counter_reader *reader, struct rt_kern *kern,
			   const struct rt_device *device)
{
	char slaves[sizeof(device->slaves)], *rest = slaves, *slave;

	*reader = (struct rt_counter_reader){ .kern = kern, .device = device };
	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++)
		reader->looks[i].source = i;
	reader->lists = calloc((size_t)RT_SOURCE_COUNT * RT_COUNTER_LINKS,
			       sizeof(*reader->lists));
	if (!reader->lists)
		return -ENOMEM;
	if (!*device->bond || strcmp(device->bond, device->netdev) != 0) {
		add_link(reader, device->netdev);
		return 0;
	}
	snprintf(slaves, sizeof(slaves), "%s", device->slaves);
	while ((slave = strsep(&rest, ", ")))
		add_link(reader, slave);
	return 0;
}

static void free_list(struct rt_counter_list *list)
{
	rt_stats_free(&list->stats);
	free(list->held.items);
}

void rt_counter_reader_free(struct rt_counter_reader *reader)
{
	for (size_t i = 0;
	     reader->lists && i < (size_t)RT_SOURCE_COUNT * RT_COUNTER_LINKS; i++)
		free_list(&reader->lists[i]);
	for (size_t i = 0; i < reader->cell_count; i++) {
		if (!rt_counter_is_list(reader, reader->cells[i].source))
			rt_counter_shut(&reader->cells[i]);
		free(reader->names[i]);
	}
	free(reader->names);
	free(reader->moved);
	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++) {
		free(reader->all[i].items);
		free(reader->wanted[i].items);
		free(reader->files[i].items);
	}
	free(reader->cells);
	free(reader->lists);
}
