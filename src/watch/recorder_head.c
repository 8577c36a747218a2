/* SPDX-License-Identifier: BSD-2-Clause */
/* recorder_head.c - segments: when one is to begin, and the line that begins it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "rocetune/err.h"
#include "watch/recorder_parts.h"

void rt_recorder_forget(struct rt_recorder *recorder)
{
	for (size_t i = 0; i < recorder->count; i++) {
		rt_counter_set_free(&recorder->ports[i].set);
		free(recorder->ports[i].known);
	}
	free(recorder->ports);
	recorder->ports = NULL;
	recorder->count = 0;
	recorder->left = 0;
}

/* Every counter of the set has a place in the layout. */
static bool fits_layout(const struct rt_written *port, const struct rt_counter_set *set)
{
	size_t k = 0;

	if (set->layout && set->layout == port->layout)
		return true;
	for (size_t i = 0; i < set->count; i++, k++) {
		while (k < port->set.count &&
		       !rt_counter_same(&port->set.items[k], &set->items[i]))
			k++;
		if (k == port->set.count)
			return false;
	}
	return true;
}

static bool fits_port(const struct rt_written *port, const struct rt_watch_input *input)
{
	const struct rt_counter_set *was = &port->set, *set = &input->set;

	return strcmp(port->facts.name, input->port.name) == 0 &&
	       strcmp(was->device, set->device) == 0 &&
	       strcmp(was->netdev, set->netdev) == 0 &&
	       strcmp(was->driver, set->driver) == 0 &&
	       was->refresh_ms.known == set->refresh_ms.known &&
	       was->refresh_ms.value == set->refresh_ms.value && fits_layout(port, set);
}

bool rt_recorder_fits(const struct rt_recorder *recorder,
		      const struct rt_watch_sample *sample)
{
	if (!recorder->left || recorder->count != sample->count ||
	    sample->time_ns < recorder->time_ns)
		return false;
	for (size_t i = 0; i < sample->count; i++)
		if (!fits_port(&recorder->ports[i], &sample->items[i]))
			return false;
	return true;
}

/* What a segment's head says of a port is known from then on; its values are not. */
static int note_port(struct rt_written *port, const struct rt_watch_input *input)
{
	const struct rt_counter_set *set = &input->set;

	*port = (struct rt_written){ .facts = input->port,
				     .set = rt_counter_set_head(set) };
	memset(port->set.paces, 0, sizeof(port->set.paces));
	port->known = calloc(set->count + 1, sizeof(*port->known));
	port->set.items = calloc(set->count + 1, sizeof(*set->items));
	if (!port->known || !port->set.items)
		return -ENOMEM;
	if (set->count)
		memcpy(port->set.items, set->items, set->count * sizeof(*set->items));
	for (size_t i = 0; i < set->count; i++)
		rt_recorder_mend(&rt_counter_reading_table, &port->set.items[i]);
	port->set.count = port->set.capacity = set->count;
	return 0;
}

static int note_ports(struct rt_recorder *recorder,
		      const struct rt_watch_sample *sample)
{
	rt_recorder_forget(recorder);
	recorder->ports = calloc(sample->count + 1, sizeof(*recorder->ports));
	if (!recorder->ports)
		return -ENOMEM;
	for (size_t i = 0; i < sample->count; i++) {
		recorder->count = i + 1;
		if (note_port(&recorder->ports[i], &sample->items[i]) < 0)
			return -ENOMEM;
	}
	return 0;
}

static bool same_layout(const struct rt_line_layout *layout,
			const struct rt_counter_set *set)
{
	if (layout->count != set->count)
		return false;
	for (size_t i = 0; i < set->count; i++)
		if (!rt_counter_same(&layout->items[i], &set->items[i]))
			return false;
	return true;
}

/* Ports of one kind have the same counters: each layout stands once. */
static uint32_t place_of_layout(struct rt_line_head *head, uint64_t *numbers,
				const struct rt_counter_set *set)
{
	const uint64_t number = rt_line_layout_number(set->items, set->count);
	size_t i = 0;

	while (i < head->layout_count &&
	       !(numbers[i] == number && same_layout(&head->layouts[i], set)))
		i++;
	if (i == head->layout_count) {
		numbers[i] = number;
		head->layouts[head->layout_count++] =
			(struct rt_line_layout){ set->items, set->count };
	}
	return (uint32_t)i;
}

static void describe_port(const struct rt_written *port, struct rt_line_head_port *line)
{
	struct rt_counter_set names = port->set;
	const struct rt_counter_set *set = &names;

	rt_recorder_mend(&rt_counter_set_table, &names);
	line->facts = port->facts;
	rt_recorder_mend(&rt_watch_port_table, &line->facts);
	memcpy(line->device, set->device, sizeof(line->device));
	memcpy(line->netdev, set->netdev, sizeof(line->netdev));
	memcpy(line->driver, set->driver, sizeof(line->driver));
	line->refresh_ms = set->refresh_ms;
	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++) {
		if (set->looks[i].state == RT_LOOK_NONE)
			continue;
		line->looks[line->look_count] = set->looks[i];
		rt_recorder_mend(&rt_counter_look_table,
				 &line->looks[line->look_count]);
		line->looks[line->look_count++].source = i;
	}
}

static int put_head(struct rt_recorder *recorder, FILE *to, struct rt_err *err)
{
	const size_t count = recorder->count;
	RT_AUTO(rt_auto_free) struct rt_line_head_port *ports = NULL;
	RT_AUTO(rt_auto_free) struct rt_line_layout *layouts = NULL;
	RT_AUTO(rt_auto_free) struct rt_counter_look *looks = NULL;
	RT_AUTO(rt_auto_free) uint64_t *numbers = NULL;
	struct rt_line_head head = { .version = RT_RECORDING_VERSION,
				     .begun_ns = recorder->begun_ns,
				     .port_count = count };

	ports = calloc(count + 1, sizeof(*ports));
	layouts = calloc(count + 1, sizeof(*layouts));
	looks = calloc(count + 1, RT_SOURCE_COUNT * sizeof(*looks));
	numbers = calloc(count + 1, sizeof(*numbers));
	if (!ports || !layouts || !looks || !numbers)
		return rt_err_sys(err, -ENOMEM, "%s", recorder->path);
	memcpy(head.title, recorder->title, sizeof(head.title));
	head.layouts = layouts;
	head.ports = ports;
	for (size_t i = 0; i < count; i++) {
		ports[i].looks = looks + i * RT_SOURCE_COUNT;
		describe_port(&recorder->ports[i], &ports[i]);
		ports[i].layout = place_of_layout(&head, numbers,
						  &recorder->ports[i].set);
	}
	return rt_recorder_put_line(to, &rt_line_head_table, &head, err);
}

int rt_recorder_begin(struct rt_recorder *recorder,
		      const struct rt_watch_sample *sample, FILE *to,
		      struct rt_err *err)
{
	int r = note_ports(recorder, sample);

	if (r < 0)
		return rt_err_sys(err, r, "%s", recorder->path);
	recorder->left = RT_SEGMENT_SAMPLES;
	return put_head(recorder, to, err);
}
