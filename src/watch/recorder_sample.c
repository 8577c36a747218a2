/* SPDX-License-Identifier: BSD-2-Clause */
/* recorder_sample.c - what changed since the last sample, as a line. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rocetune/err.h"
#include "watch/recorder_parts.h"

void rt_record_room_free(struct rt_record_room *room)
{
	free(room->ports);
	free(room->looks);
	free(room->paces);
	free(room->values);
	free(room->unknown);
	*room = (struct rt_record_room){ 0 };
}

static int make_room(struct rt_record_room *room, const struct rt_recorder *recorder)
{
	const size_t ports = recorder->count;
	size_t items = 0;

	for (size_t i = 0; i < ports; i++)
		items += recorder->ports[i].set.count;
	if (room->ports && room->port_count >= ports && room->item_count >= items)
		return 0;
	rt_record_room_free(room);
	room->ports = calloc(ports + 1, sizeof(*room->ports));
	room->looks = calloc(ports + 1, RT_SOURCE_COUNT * sizeof(*room->looks));
	room->paces = calloc(ports + 1, RT_SOURCE_COUNT * sizeof(*room->paces));
	room->values = calloc(items + 1, 2 * sizeof(*room->values));
	room->unknown = calloc(items + 1, sizeof(*room->unknown));
	room->port_count = ports;
	room->item_count = items;
	return room->ports && room->looks && room->paces && room->values &&
			       room->unknown
		       ? 0
		       : -ENOMEM;
}

/* Where the set and the layout are the same, its counters need not be looked for. */
static void change_values(struct rt_written *port, const struct rt_counter_set *set,
			  struct rt_line_port *line)
{
	const bool same = set->count == port->set.count;
	size_t i = 0;

	for (size_t k = 0; k < port->set.count; k++) {
		struct rt_counter_reading *was = &port->set.items[k];
		const bool there = i < set->count &&
				   (same || rt_counter_same(was, &set->items[i]));

		if (!there && port->known[k])
			line->unknown[line->unknown_count++] = (uint32_t)k;
		if (there && (!port->known[k] || was->value != set->items[i].value)) {
			line->values[line->value_count++] = k;
			line->values[line->value_count++] = set->items[i].value;
			was->value = set->items[i].value;
		}
		port->known[k] = there;
		i += there;
	}
	port->layout = set->layout;
}

static void change_sources(struct rt_written *port, const struct rt_counter_set *set,
			   struct rt_line_port *line)
{
	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++) {
		struct rt_counter_look *look = &port->set.looks[i];
		struct rt_counter_pace *pace = &port->set.paces[i];

		if (look->state != set->looks[i].state ||
		    strcmp(look->why, set->looks[i].why) != 0) {
			*look = set->looks[i];
			line->looks[line->look_count] = *look;
			rt_recorder_mend(&rt_counter_look_table,
					 &line->looks[line->look_count]);
			line->looks[line->look_count++].source = i;
		}
		if (pace->read_ns != set->paces[i].read_ns ||
		    pace->cost_ns != set->paces[i].cost_ns) {
			*pace = set->paces[i];
			line->paces[line->pace_count++] = (struct rt_line_pace){
				i, pace->read_ns, pace->cost_ns
			};
		}
	}
}

/* Whether something did. */
static bool change_port(struct rt_written *port, const struct rt_watch_input *input,
			struct rt_line_port *line)
{
	const bool moved = memcmp(&port->facts, &input->port, sizeof(port->facts)) != 0;
	const bool later = !port->told || port->set.time_ns != input->set.time_ns;

	if (moved) {
		line->facts = port->facts = input->port;
		rt_recorder_mend(&rt_watch_port_table, &line->facts);
	}
	line->time_ns = port->set.time_ns = input->set.time_ns;
	port->told = true;
	change_sources(port, &input->set, line);
	change_values(port, &input->set, line);
	return later || moved || line->look_count || line->pace_count ||
	       line->value_count || line->unknown_count;
}

int rt_recorder_put_sample(struct rt_recorder *recorder,
			   const struct rt_watch_sample *sample, FILE *to,
			   struct rt_err *err)
{
	struct rt_record_room *room = &recorder->room;
	uint64_t *values;
	uint32_t *unknown;
	struct rt_line_sample line = { .number = RT_SEGMENT_SAMPLES - recorder->left,
				       .time_ns = sample->time_ns,
				       .wall_ns = sample->wall_ns };

	if (make_room(room, recorder) < 0)
		return rt_err_sys(err, -ENOMEM, "%s", recorder->path);
	values = room->values;
	unknown = room->unknown;
	line.ports = room->ports;
	if (sample->flows.known || *sample->flows.where) {
		line.flows = sample->flows;
		rt_recorder_mend(&rt_watch_flows_table, &line.flows);
	}
	for (size_t i = 0; i < sample->count; i++) {
		const size_t n = line.port_count;
		struct rt_written *port = &recorder->ports[i];

		room->ports[n] = (struct rt_line_port){
			.port = (uint32_t)i,
			.looks = room->looks + n * RT_SOURCE_COUNT,
			.paces = room->paces + n * RT_SOURCE_COUNT,
			.values = values,
			.unknown = unknown,
		};
		if (change_port(port, &sample->items[i], &room->ports[n]))
			line.port_count++;
		values += 2 * port->set.count;
		unknown += port->set.count;
	}
	return rt_recorder_put_line(to, &rt_line_sample_table, &line, err);
}
