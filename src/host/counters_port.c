/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counters_port.c - a port's counters, again and again: which row of the driver tells
 * each is chosen once, and anew when what can be read changes; between that values are
 * written in place.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/own.h"
#include "host/counters.h"
#include "host/counters_ask.h"
#include "host/counters_read.h"
#include "host/device.h"
#include "host/driver.h"
#include "rocetune/err.h"

#define NONE UINT32_MAX

/* A row, of a priority or of the port: the sum of its cells. */
struct slot {
	const struct rt_counter_row *row;
	uint32_t first, count; /* in port->refs */
};

/* All slots that tell one counter, the best first. */
struct choice {
	uint32_t first, count; /* in port->slots */
	uint32_t chosen;       /* UINT32_MAX: none can be read */
	uint8_t counter, prio;
};

/* A cell that is an item by itself, as nearly all are: the short way from one to the other. */
struct sole {
	uint32_t item; /* NONE: it is not */
	uint32_t scale;
};

struct rt_counter_port {
	struct rt_counter_reader reader;
	const struct rt_device *device; /* borrowed */
	uint32_t *refs;                 /* owned: numbers of cells, slot by slot */
	size_t ref_count, ref_capacity;
	struct slot *slots; /* owned */
	size_t slot_count, slot_capacity;
	struct choice *choices; /* owned; by counter, then priority */
	size_t choice_count, choice_capacity;
	uint32_t *told; /* owned: the slot of each item of the set */
	size_t told_count;
	/*
	 * Owned: items that a cell is in, cell by cell, and where these begin; the last
	 * one is where they end.
	 */
	uint32_t *users, *first_user;
	struct sole *soles; /* owned: by cell */
	uint64_t layout;    /* of what is told; 0: nothing was chosen yet */
	uint64_t filling;   /* of the set that was filled last */
};

/* --- what is looked for ------------------------------------------------------------------ */

#define ROW_SETS 3u

/* In the order of preference. */
static size_t choose_rows(const struct rt_device *device,
			  struct rt_counter_rows sets[ROW_SETS])
{
	const struct rt_driver *driver = device->driver;
	size_t count = 0;

	if (driver)
		sets[count++] = driver->counters;
	if (device->function == RT_FUNCTION_SOFT ||
	    (!*device->ibdev && !(driver && driver->counters.count)))
		sets[count++] = rt_counters_plain;
	sets[count++] = rt_counters_common;
	return count;
}

/* The row's name, the priority in the place of each %. */
static void write_name(const struct rt_counter_row *row, unsigned prio,
		       char name[RT_COUNTER_NAME_BYTES])
{
	size_t used = 0;

	for (const char *at = row->name; *at && used + 1 < RT_COUNTER_NAME_BYTES; at++)
		name[used++] = *at == '%' ? (char)('0' + prio) : *at;
	name[used] = '\0';
}

static int add_ref(struct rt_counter_port *port, uint32_t cell)
{
	uint32_t *grown = rt_grow(port->refs, port->ref_count, &port->ref_capacity,
				  sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	port->refs = grown;
	grown[port->ref_count++] = cell;
	return 0;
}

/* The cells of a row: each part of its sum, of each link. */
static int add_parts(struct rt_counter_port *port, const struct rt_counter_row *row,
		     unsigned prio, size_t links)
{
	char parts[RT_COUNTER_NAME_BYTES], *rest = parts, *part;
	uint32_t cell;
	int r = 0;

	write_name(row, prio, parts);
	while ((part = strsep(&rest, "+")))
		for (unsigned i = 0; i < links && r == 0; i++) {
			r = rt_counter_cell(&port->reader, row->source, i, part,
					    row->sticks, &cell);
			if (r == 0)
				r = add_ref(port, cell);
		}
	return r;
}

static int add_slot(struct rt_counter_port *port, const struct rt_counter_row *row,
		    unsigned prio)
{
	const size_t links = rt_counter_links(&port->reader, row->source);
	struct slot slot = { .row = row, .first = (uint32_t)port->ref_count };
	struct slot *grown;
	int r;

	if (links == 0)
		return 0;
	r = add_parts(port, row, prio, links);
	if (r < 0)
		return r;
	slot.count = (uint32_t)port->ref_count - slot.first;
	grown = rt_grow(port->slots, port->slot_count, &port->slot_capacity,
			sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	port->slots = grown;
	grown[port->slot_count++] = slot;
	return 0;
}

static int add_choice(struct rt_counter_port *port, const struct rt_counter_rows *sets,
		      size_t set_count, enum rt_counter_id id, unsigned prio)
{
	struct choice choice = { .first = (uint32_t)port->slot_count,
				 .chosen = NONE,
				 .counter = (uint8_t)id,
				 .prio = (uint8_t)prio };
	struct choice *grown;
	int r = 0;

	for (size_t i = 0; i < set_count; i++)
		for (size_t j = 0; j < sets[i].count && r == 0; j++) {
			const struct rt_counter_row *row = &sets[i].items[j];

			if (row->counter == id && (strchr(row->name, '%') != NULL) ==
							  (prio != RT_COUNTER_NO_PRIO))
				r = add_slot(port, row, prio);
		}
	choice.count = (uint32_t)port->slot_count - choice.first;
	if (r < 0 || choice.count == 0)
		return r;
	grown = rt_grow(port->choices, port->choice_count, &port->choice_capacity,
			sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	port->choices = grown;
	grown[port->choice_count++] = choice;
	return 0;
}

static int add_choices(struct rt_counter_port *port)
{
	struct rt_counter_rows sets[ROW_SETS];
	const size_t count = choose_rows(port->device, sets);
	int r = 0;

	for (unsigned id = 0; id < RT_COUNTER_COUNT && r == 0; id++) {
		if (rt_counters[id].scope & RT_COUNTER_PRIO)
			for (unsigned prio = 0; prio < 8 && r == 0; prio++)
				r = add_choice(port, sets, count, id, prio);
		if (r == 0 && rt_counters[id].scope & RT_COUNTER_PORT)
			r = add_choice(port, sets, count, id, RT_COUNTER_NO_PRIO);
	}
	return r;
}

/* --- what is told ------------------------------------------------------------------------ */

static uint32_t scale_of(const struct slot *slot)
{
	return slot->row->scale ? slot->row->scale : 1;
}

/* Of cells that are known; false: more than 64 bits hold. */
static bool add_up(const struct rt_counter_port *port, const struct slot *slot,
		   uint64_t *ret_value)
{
	const struct rt_counter_cell *cells = port->reader.cells;
	const uint32_t *refs = &port->refs[slot->first];
	uint64_t sum = 0;

	for (uint32_t i = 0; i < slot->count; i++)
		if (__builtin_add_overflow(sum, cells[refs[i]].value, &sum))
			return false;
	return !__builtin_mul_overflow(sum, scale_of(slot), ret_value);
}

static bool can_tell(struct rt_counter_port *port, const struct slot *slot)
{
	uint64_t value;

	for (uint32_t i = 0; i < slot->count; i++)
		if (!rt_counter_ask(&port->reader, port->refs[slot->first + i]))
			return false;
	return add_up(port, slot, &value);
}

/* The first slot that can be read; true: it is another one than before. */
static bool choose(struct rt_counter_port *port, struct choice *choice)
{
	const uint32_t before = choice->chosen;

	choice->chosen = NONE;
	for (uint32_t i = 0; i < choice->count && choice->chosen == NONE; i++)
		if (can_tell(port, &port->slots[choice->first + i]))
			choice->chosen = choice->first + i;
	return choice->chosen != before;
}

/* By counting: how many items each cell is in, from where they stand, and which. */
static void list_users(struct rt_counter_port *port)
{
	const size_t cells = port->reader.cell_count;
	uint32_t *first = port->first_user, sum = 0;

	memset(first, 0, (cells + 1) * sizeof(*first));
	for (size_t i = 0; i < port->told_count; i++) {
		const struct slot *slot = &port->slots[port->told[i]];

		for (uint32_t j = 0; j < slot->count; j++)
			first[port->refs[slot->first + j]]++;
	}
	for (size_t i = 0; i <= cells; i++) {
		sum += first[i];
		first[i] = sum;
	}
	for (size_t i = 0; i < port->told_count; i++) {
		const struct slot *slot = &port->slots[port->told[i]];

		for (uint32_t j = 0; j < slot->count; j++)
			port->users[--first[port->refs[slot->first + j]]] = (uint32_t)i;
	}
}

/* After its users. */
static void list_soles(struct rt_counter_port *port)
{
	for (size_t i = 0; i < port->reader.cell_count; i++) {
		const uint32_t first = port->first_user[i];
		const uint32_t item = port->users[first];
		const struct slot *slot;

		port->soles[i].item = NONE;
		if (port->first_user[i + 1] != first + 1)
			continue;
		slot = &port->slots[port->told[item]];
		if (slot->count == 1)
			port->soles[i] = (struct sole){ item, scale_of(slot) };
	}
}

/* What is told from now on. */
static void list_told(struct rt_counter_port *port)
{
	port->told_count = 0;
	for (size_t i = 0; i < port->choice_count; i++)
		if (port->choices[i].chosen != NONE)
			port->told[port->told_count++] = port->choices[i].chosen;
	list_users(port);
	list_soles(port);
}

static int choose_all(struct rt_counter_port *port, const struct rt_counter_set *set)
{
	bool changed = port->layout == 0;

	/* A source that fails takes with it what was chosen of it. */
	do {
		port->reader.lost = false;
		for (size_t i = 0; i < port->choice_count; i++)
			changed |= choose(port, &port->choices[i]);
	} while (port->reader.lost);
	if (changed) {
		/* After that of whoever filled the set before. */
		port->layout = (port->layout ? port->layout : set->layout) + 1;
		list_told(port);
	}
	return rt_counter_settle(&port->reader);
}

static void name_set(const struct rt_device *device, struct rt_counter_set *set)
{
	set->device[0] = '\0';
	if (*device->ibdev)
		snprintf(set->device, sizeof(set->device), "%s/%u", device->ibdev,
			 device->port);
	snprintf(set->netdev, sizeof(set->netdev), "%s", device->netdev);
	snprintf(set->driver, sizeof(set->driver), "%s",
		 device->driver ? device->driver->name : "");
}

/* The set's items anew; their values follow. */
static int rebuild(const struct rt_counter_port *port, struct rt_counter_set *set)
{
	int r = 0;

	name_set(port->device, set);
	set->layout = 0;
	set->count = 0;
	for (size_t i = 0; i < port->choice_count && r == 0; i++) {
		const struct choice *choice = &port->choices[i];
		struct rt_counter_reading reading = { .counter = choice->counter,
						      .prio = choice->prio };
		const struct slot *slot;

		if (choice->chosen == NONE)
			continue;
		slot = &port->slots[choice->chosen];
		reading.bits = slot->row->wraps ? slot->row->wraps : 64;
		reading.source = slot->row->source;
		reading.scale = scale_of(slot);
		write_name(slot->row, choice->prio, reading.name);
		r = rt_counter_set_add(set, &reading);
	}
	if (r == 0)
		set->layout = port->layout;
	return r;
}

/* All items; false: one became larger than can be told. */
static bool fill_all(const struct rt_counter_port *port, struct rt_counter_set *set)
{
	bool fits = true;

	for (size_t i = 0; i < port->told_count; i++)
		fits &= add_up(port, &port->slots[port->told[i]], &set->items[i].value);
	return fits;
}

/* Room for as often as an item can be told to have moved. */
static int make_room(const struct rt_counter_port *port, struct rt_counter_set *set)
{
	const size_t most = port->ref_count + 2; /* and one that is never full */
	struct rt_counter_move *moved;

	if (set->moved_capacity >= most)
		return 0;
	moved = realloc(set->moved, most * sizeof(*moved));
	if (!moved)
		return -ENOMEM;
	set->moved = moved;
	set->moved_capacity = most;
	return 0;
}

static void note_moved(struct rt_counter_set *set, uint32_t item, uint64_t value)
{
	if (set->moved_count < set->moved_capacity)
		set->moved[set->moved_count++] = (struct rt_counter_move){ value,
									   item };
}

/* Those that a cell is in, in all ways that there are. */
static bool fill_users(const struct rt_counter_port *port, uint32_t cell,
		       struct rt_counter_set *set)
{
	bool fits = true;

	for (uint32_t i = port->first_user[cell]; i < port->first_user[cell + 1]; i++) {
		const uint32_t item = port->users[i];

		fits &= add_up(port, &port->slots[port->told[item]],
			       &set->items[item].value);
		note_moved(set, item, set->items[item].value);
	}
	return fits;
}

/* Those of cells that have changed: most counters of a port stand still. */
static bool fill_moved(const struct rt_counter_port *port, struct rt_counter_set *set)
{
	const struct rt_counter_reader *reader = &port->reader;
	bool fits = true;

	for (size_t i = 0; i < reader->moved_count; i++) {
		const struct rt_counter_change *moved = &reader->moved[i];
		const struct sole sole = port->soles[moved->cell];
		uint64_t value;

		if (sole.item == NONE) {
			fits &= fill_users(port, moved->cell, set);
			continue;
		}
		fits &= !__builtin_mul_overflow(moved->value, sole.scale, &value);
		set->items[sole.item].value = value;
		note_moved(set, sole.item, value);
	}
	return fits;
}

static int rebuild_all(const struct rt_counter_port *port, struct rt_counter_set *set)
{
	int r = rebuild(port, set);

	if (r == 0)
		r = make_room(port, set);
	return r;
}

/* The next number, and one is left out where what moved is not all listed. */
static void number_filling(struct rt_counter_port *port, struct rt_counter_set *set,
			   bool all)
{
	set->filling += all || set->moved_count == set->moved_capacity ? 2 : 1;
	port->filling = set->filling;
}

static int fill(struct rt_counter_port *port, struct rt_counter_set *set)
{
	const bool fresh = set->layout != port->layout;
	const bool all = fresh || set->filling != port->filling ||
			 port->reader.moved_count == port->reader.moved_room;
	int r = fresh ? rebuild_all(port, set) : 0;
	bool fits;

	set->moved_count = 0;
	if (r < 0)
		return r;
	fits = all ? fill_all(port, set) : fill_moved(port, set);
	number_filling(port, set, all);
	if (fits)
		return 0;
	r = choose_all(port, set);
	if (r == 0)
		r = rebuild_all(port, set);
	if (r == 0)
		(void)fill_all(port, set);
	number_filling(port, set, true);
	return r;
}

/* --- using it ---------------------------------------------------------------------------- */

static int no_memory(const struct rt_device *device, struct rt_err *err)
{
	return rt_err_sys(err, -ENOMEM, "cannot hold the counters of %s%s%s",
			  device->ibdev, *device->ibdev ? "/" : "", device->netdev);
}

int rt_counter_port_open(struct rt_kern *kern, const struct rt_device *device,
			 struct rt_counter_port **ret_port, struct rt_err *err)
{
	struct rt_counter_port *port = calloc(1, sizeof(*port));
	int r;

	if (!port)
		return no_memory(device, err);
	port->device = device;
	r = rt_counter_reader_init(&port->reader, kern, device);
	if (r == 0)
		r = add_choices(port);
	port->told = calloc(port->choice_count + 1, sizeof(*port->told));
	port->users = calloc(port->ref_count + 1, sizeof(*port->users));
	port->first_user = calloc(port->reader.cell_count + 1,
				  sizeof(*port->first_user));
	port->soles = calloc(port->reader.cell_count + 1, sizeof(*port->soles));
	if (r == 0)
		r = rt_counter_reader_begin(&port->reader);
	if (r < 0 || !port->told || !port->users || !port->first_user || !port->soles) {
		rt_counter_port_close(port);
		return no_memory(device, err);
	}
	*ret_port = port;
	return 0;
}

void rt_counter_port_close(struct rt_counter_port *port)
{
	if (!port)
		return;
	rt_counter_reader_free(&port->reader);
	free(port->refs);
	free(port->slots);
	free(port->choices);
	free(port->told);
	free(port->users);
	free(port->first_user);
	free(port->soles);
	free(port);
}

bool rt_counter_port_renew(struct rt_counter_port *port)
{
	const struct rt_kern_ops *ops = port->reader.kern->ops;

	if (ops->renew)
		ops->renew(port->reader.kern);
	return rt_counter_renew_files(&port->reader);
}

int rt_counter_port_read(struct rt_counter_port *port, unsigned sources,
			 struct rt_counter_set *set, struct rt_err *err)
{
	struct rt_counter_reader *reader = &port->reader;
	const struct rt_device *device = port->device;
	bool fresh;
	int r = 0;

	set->time_ns = rt_monotonic_ns();
	rt_counter_turn(reader, sources);
	if (reader->flipped || port->layout == 0)
		r = choose_all(port, set);
	fresh = set->layout != port->layout;
	if (r == 0)
		r = fill(port, set);
	if (reader->looked || fresh) {
		memcpy(set->looks, reader->looks, sizeof(set->looks));
		set->looked++;
		set->refresh_ms = reader->refresh_ms;
		reader->looked = false;
	}
	memcpy(set->paces, reader->paces, sizeof(set->paces));
	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++)
		set->paces[i].filled = reader->changes[i] + 1;
	if (r < 0 || reader->confused)
		return no_memory(device, err);
	if (reader->gone)
		return rt_err_sys(err, -ENODEV, "%s%s%s", device->ibdev,
				  *device->ibdev ? "/" : "", device->netdev);
	return 0;
}
