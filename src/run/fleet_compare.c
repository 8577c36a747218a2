/* SPDX-License-Identifier: BSD-2-Clause */
/* fleet_compare.c - the majority's value of each knob, and who has another. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "rocetune/err.h"
#include "run/fleet.h"
#include "run/fleet_ports.h"
#include "run/host_text.h"

const struct rt_name rt_match_by_names[] = {
	{ "auto", RT_MATCH_AUTO, "by name where hosts have the same names" },
	{ "name", RT_MATCH_NAME, "RDMA device and port" },
	{ "place", RT_MATCH_PLACE, "the n-th of a host by PCI address" },
	{ 0 },
};

#define NOTHING UINT32_MAX /* the port has no such knob */

/* What one host has of the knob at hand. */
struct vote {
	uint32_t value, host;
};

/* Ports that are matched with each other: a run of the sorted order. */
struct rail {
	const struct rt_fleet *fleet;
	const struct rt_fleet_port **ports;
	size_t count;
	uint32_t *matrix; /* values: column by column, NOTHING where there is none */
	struct vote *votes;
	const char *name;
};

/* --- matching ----------------------------------------------------------------------- */

/* How many hosts have a port of this name, by the name's number. */
static uint32_t *count_names(const struct rt_fleet *fleet)
{
	uint32_t *counts = calloc(fleet->words.count + 1, sizeof(*counts));

	for (size_t i = 0; counts && i < fleet->port_count; i++)
		counts[fleet->ports[i].name]++;
	return counts;
}

/* Names serve where at least half of the hosts know each of them. */
static int choose_match(const struct rt_fleet *fleet, enum rt_match_by by,
			unsigned *ret_by)
{
	RT_AUTO(rt_auto_free) uint32_t *counts = NULL;

	*ret_by = by;
	if (by != RT_MATCH_AUTO)
		return 0;
	counts = count_names(fleet);
	if (!counts)
		return -ENOMEM;
	*ret_by = RT_MATCH_NAME;
	for (size_t i = 0; i < fleet->port_count; i++)
		if (counts[fleet->ports[i].name] * 2 < fleet->host_count)
			*ret_by = RT_MATCH_PLACE;
	return 0;
}

static int by_number(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static int order_by_name(const void *a, const void *b)
{
	const struct rt_fleet_port *x = *(const struct rt_fleet_port *const *)a;
	const struct rt_fleet_port *y = *(const struct rt_fleet_port *const *)b;
	const int r = by_number(x->name, y->name);

	return r ? r : by_number(x->host, y->host);
}

static int order_by_place(const void *a, const void *b)
{
	const struct rt_fleet_port *x = *(const struct rt_fleet_port *const *)a;
	const struct rt_fleet_port *y = *(const struct rt_fleet_port *const *)b;
	const int r = by_number(x->place, y->place);

	return r ? r : by_number(x->host, y->host);
}

/* --- one knob ------------------------------------------------------------------------- */

static int order_votes(const void *a, const void *b)
{
	const struct vote *x = a, *y = b;
	const int r = by_number(x->value, y->value);

	return r ? r : by_number(x->host, y->host);
}

static size_t run_length(const struct vote *votes, size_t left)
{
	size_t length = 1;

	while (length < left && votes[length].value == votes[0].value)
		length++;
	return length;
}

/* Where the most frequent value's run begins; count: none is more frequent. */
static size_t find_majority(const struct vote *votes, size_t count, size_t *ret_length)
{
	size_t at = count, most = 0, equals = 0;

	for (size_t i = 0; i < count;) {
		const size_t length = run_length(votes + i, count - i);

		if (length > most) {
			most = length;
			at = i;
			equals = 0;
		} else if (length == most) {
			equals++;
		}
		i += length;
	}
	*ret_length = most;
	return equals ? count : at;
}

static const char *value_text(const struct rt_fleet *fleet, uint32_t value)
{
	return value == NOTHING ? "none" : fleet->words.items[value];
}

static void add_odd_value(const struct rail *rail, const struct vote *votes,
			  size_t length, struct rt_host_difference *difference)
{
	struct rt_odd_value *value = &difference->values[difference->value_count++];

	*value = (struct rt_odd_value){
		.value = value_text(rail->fleet, votes->value),
		.host_count = length,
		.first = difference->odd_count,
	};
	for (size_t i = 0; i < length; i++) {
		const uint32_t name = rail->fleet->hosts[votes[i].host];
		const char *host = rail->fleet->words.items[name];

		rt_put_name(value->hosts, host);
		difference->odd[difference->odd_count++] =
			(struct rt_odd_host){ .host = host, .value = value->value };
	}
}

static struct rt_host_difference *add_difference(struct rt_host_diff *diff, size_t odd,
						 size_t values)
{
	struct rt_host_difference *items = rt_grow(diff->differences,
						   diff->difference_count,
						   &diff->capacity, sizeof(*items));
	struct rt_host_difference *added;

	if (!items)
		return NULL;
	diff->differences = items;
	added = &items[diff->difference_count++];
	*added = (struct rt_host_difference){
		.odd = calloc(odd + 1, sizeof(*added->odd)),
		.values = calloc(values + 1, sizeof(*added->values)),
	};
	return added->odd && added->values ? added : NULL;
}

static int compare_votes(const struct rail *rail, const char *knob,
			 struct rt_host_diff *diff)
{
	const struct vote *votes = rail->votes;
	size_t length, values = 0;
	const size_t majority = find_majority(votes, rail->count, &length);
	struct rt_host_difference *difference;

	if (length == rail->count)
		return 0;
	for (size_t i = 0; i < rail->count; i += run_length(votes + i, rail->count - i))
		values++;
	difference = add_difference(diff, rail->count, values);
	if (!difference)
		return -ENOMEM;
	difference->device = rail->name;
	difference->knob = knob;
	difference->hosts = rail->count;
	if (majority < rail->count) {
		difference->majority = value_text(rail->fleet, votes[majority].value);
		difference->majority_hosts = length;
	}
	for (size_t i = 0; i < rail->count;) {
		const size_t run = run_length(votes + i, rail->count - i);

		if (i != majority)
			add_odd_value(rail, votes + i, run, difference);
		i += run;
	}
	return 0;
}

/* --- one rail --------------------------------------------------------------------------- */

static void fill_matrix(struct rail *rail)
{
	const size_t columns = rail->fleet->columns.count;

	for (size_t i = 0; i < columns * rail->count; i++)
		rail->matrix[i] = NOTHING;
	for (size_t i = 0; i < rail->count; i++)
		for (size_t c = 0; c < rail->ports[i]->cell_count; c++) {
			const struct rt_fleet_cell *cell = &rail->ports[i]->cells[c];

			rail->matrix[cell->column * rail->count + i] = cell->value;
		}
}

static int compare_columns(struct rail *rail, struct rt_host_diff *diff)
{
	const struct rt_wordbook *columns = &rail->fleet->columns;
	int r = 0;

	for (size_t c = 0; c < columns->count && r == 0; c++) {
		for (size_t i = 0; i < rail->count; i++)
			rail->votes[i] = (struct vote){
				.value = rail->matrix[c * rail->count + i],
				.host = rail->ports[i]->host,
			};
		qsort(rail->votes, rail->count, sizeof(*rail->votes), order_votes);
		r = compare_votes(rail, columns->items[c], diff);
	}
	return r;
}

/* Hosts that have no such port at all. */
static int compare_presence(struct rail *rail, struct rt_host_diff *diff)
{
	const struct rt_fleet *fleet = rail->fleet;
	struct rt_host_difference *difference;
	struct rt_odd_value *value;
	size_t at = 0;

	if (rail->count >= fleet->host_count)
		return 0;
	difference = add_difference(diff, fleet->host_count, 1);
	if (!difference)
		return -ENOMEM;
	value = &difference->values[difference->value_count++];
	difference->device = rail->name;
	difference->knob = "present";
	difference->majority = "yes";
	difference->majority_hosts = rail->count;
	difference->hosts = fleet->host_count;
	value->value = "no";
	for (uint32_t host = 0; host < fleet->host_count; host++) {
		const char *name = fleet->words.items[fleet->hosts[host]];

		while (at < rail->count && rail->ports[at]->host < host)
			at++;
		if (at < rail->count && rail->ports[at]->host == host)
			continue;
		value->host_count++;
		rt_put_name(value->hosts, name);
		difference->odd[difference->odd_count++] =
			(struct rt_odd_host){ .host = name, .value = "no" };
	}
	return 0;
}

/* Of what a bundle does not hold it is known that it is there, and no more. */
static void keep_held(struct rail *rail)
{
	size_t kept = 0;

	for (size_t i = 0; i < rail->count; i++)
		if (rail->ports[i]->held)
			rail->ports[kept++] = rail->ports[i];
	rail->count = kept;
}

static int compare_rail(struct rail *rail, struct rt_host_diff *diff)
{
	RT_AUTO(rt_auto_free) uint32_t *matrix = NULL;
	RT_AUTO(rt_auto_free) struct vote *votes = NULL;
	int r;

	matrix = calloc(rail->fleet->columns.count * rail->count + 1, sizeof(*matrix));
	votes = calloc(rail->count, sizeof(*votes));
	if (!matrix || !votes)
		return -ENOMEM;
	rail->matrix = matrix;
	rail->votes = votes;
	r = compare_presence(rail, diff);
	keep_held(rail);
	if (r < 0 || rail->count < 2)
		return r;
	fill_matrix(rail);
	return compare_columns(rail, diff);
}

static int name_rail(struct rt_fleet *fleet, const struct rt_fleet_port *port,
		     unsigned by, const char **ret_name)
{
	char text[32];
	uint32_t number = port->name;

	snprintf(text, sizeof(text), "rail %u", port->place + 1);
	if (by == RT_MATCH_PLACE &&
	    rt_wordbook_number(&fleet->words, text, &number) < 0)
		return -ENOMEM;
	*ret_name = fleet->words.items[number];
	return 0;
}

static int compare_all(struct rt_fleet *fleet, const struct rt_fleet_port **ports,
		       struct rt_host_diff *diff)
{
	const bool names = diff->matched_by == RT_MATCH_NAME;
	size_t next;
	int r = 0;

	for (size_t i = 0; i < fleet->port_count && r == 0; i = next) {
		struct rail rail = { .fleet = fleet, .ports = ports + i };

		for (next = i; next < fleet->port_count; next++)
			if (names ? ports[next]->name != ports[i]->name
				  : ports[next]->place != ports[i]->place)
				break;
		rail.count = next - i;
		r = name_rail(fleet, ports[i], diff->matched_by, &rail.name);
		if (r == 0)
			r = compare_rail(&rail, diff);
		diff->devices++;
	}
	return r;
}

int rt_fleet_compare(struct rt_fleet *fleet, enum rt_match_by by,
		     struct rt_host_diff *diff, struct rt_err *err)
{
	RT_AUTO(rt_auto_free) const struct rt_fleet_port **ports = NULL;
	int r = choose_match(fleet, by, &diff->matched_by);

	ports = calloc(fleet->port_count + 1, sizeof(*ports));
	if (!ports || r < 0)
		return rt_err_sys(err, -ENOMEM, "cannot compare the hosts");
	for (size_t i = 0; i < fleet->port_count; i++)
		ports[i] = &fleet->ports[i];
	qsort(ports, fleet->port_count, sizeof(*ports),
	      diff->matched_by == RT_MATCH_NAME ? order_by_name : order_by_place);
	diff->hosts = fleet->host_count;
	r = compare_all(fleet, ports, diff);
	return r < 0 ? rt_err_sys(err, r, "cannot compare the hosts") : 0;
}
