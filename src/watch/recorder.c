/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recorder.c - writes samples into a file as they come: what changed, and from time to
 * time, and when ports or their counters change, all of it anew.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/doc.h"
#include "base/json.h"
#include "base/own.h"
#include "base/record.h"
#include "base/text.h"
#include "rocetune/err.h"
#include "watch/recording.h"
#include "watch/recording_lines.h"

/* What the file says of a port so far. */
struct written {
	struct rt_watch_port facts;
	struct rt_counter_set
		set;     /* owned; items: its layout and the values last said */
	bool *known;     /* owned; by item: its value was said, and still holds */
	bool told;       /* a sample of this segment spoke of it */
	uint64_t layout; /* of the set that was written last */
};

/* Room for the changes of one sample; all owned. */
struct room {
	struct rt_line_port *ports;
	struct rt_counter_look *looks;
	struct rt_line_pace *paces;
	uint64_t *values;
	uint32_t *unknown;
	size_t port_count, item_count; /* that it has room for */
};

struct rt_recorder {
	char *path;
	int fd; /* -1: an error has closed it */
	int64_t begun_ns;
	char title[128];
	struct written *ports;
	size_t count;
	unsigned left; /* samples that still fit the segment; 0: begin one */
	struct room room;
};

static void free_ports(struct rt_recorder *recorder)
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

static void free_room(struct room *room)
{
	free(room->ports);
	free(room->looks);
	free(room->paces);
	free(room->values);
	free(room->unknown);
	*room = (struct room){ 0 };
}

static void free_recorder(struct rt_recorder *recorder)
{
	if (recorder->fd >= 0)
		close(recorder->fd);
	free_ports(recorder);
	free_room(&recorder->room);
	free(recorder->path);
	free(recorder);
}

int rt_recorder_open(const char *path, const char *title,
		     struct rt_recorder **ret_recorder, struct rt_err *err)
{
	struct rt_recorder *recorder;

	if (strcmp(path, "-") == 0)
		return rt_err_set(err, -EINVAL,
				  "a recording is written to a file, not to standard "
				  "output: give it a name");
	recorder = calloc(1, sizeof(*recorder));
	if (!recorder)
		return rt_err_sys(err, -ENOMEM, "%s", path);
	recorder->fd = -1;
	recorder->path = strdup(path);
	if (!recorder->path) {
		free_recorder(recorder);
		return rt_err_sys(err, -ENOMEM, "%s", path);
	}
	snprintf(recorder->title, sizeof(recorder->title), "%s", title);
	/* What a title is cut to may end inside of a character. */
	recorder->title[rt_text_utf8_length(recorder->title, strlen(recorder->title))] =
		'\0';
	recorder->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (recorder->fd < 0) {
		const int r = -errno;

		free_recorder(recorder);
		return r == -EEXIST
			       ? rt_err_set(
					 err, r,
					 "%s: is there already: recordings are never "
					 "written over, take another name",
					 path)
			       : rt_err_sys(err, r, "%s: cannot be created", path);
	}
	*ret_recorder = recorder;
	return 0;
}

/* --- segments -------------------------------------------------------------------------------- */

/* Every counter of the set has a place in the layout. */
static bool fits_layout(const struct written *port, const struct rt_counter_set *set)
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

static bool fits_port(const struct written *port, const struct rt_watch_input *input)
{
	const struct rt_counter_set *was = &port->set, *set = &input->set;

	return strcmp(port->facts.name, input->port.name) == 0 &&
	       strcmp(was->device, set->device) == 0 &&
	       strcmp(was->netdev, set->netdev) == 0 &&
	       strcmp(was->driver, set->driver) == 0 &&
	       was->refresh_ms.known == set->refresh_ms.known &&
	       was->refresh_ms.value == set->refresh_ms.value && fits_layout(port, set);
}

static bool fits_segment(const struct rt_recorder *recorder,
			 const struct rt_watch_sample *sample)
{
	if (!recorder->left || recorder->count != sample->count)
		return false;
	for (size_t i = 0; i < sample->count; i++)
		if (!fits_port(&recorder->ports[i], &sample->items[i]))
			return false;
	return true;
}

/* What a segment's head says of a port is known from then on; its values are not. */
static int note_port(struct written *port, const struct rt_watch_input *input)
{
	const struct rt_counter_set *set = &input->set;

	*port = (struct written){ .facts = input->port, .set = *set };
	port->set.items = NULL;
	port->set.count = port->set.capacity = 0;
	memset(port->set.paces, 0, sizeof(port->set.paces));
	port->known = calloc(set->count + 1, sizeof(*port->known));
	port->set.items = calloc(set->count + 1, sizeof(*set->items));
	if (!port->known || !port->set.items)
		return -ENOMEM;
	if (set->count)
		memcpy(port->set.items, set->items, set->count * sizeof(*set->items));
	port->set.count = port->set.capacity = set->count;
	return 0;
}

static int note_ports(struct rt_recorder *recorder,
		      const struct rt_watch_sample *sample)
{
	free_ports(recorder);
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

static void describe_port(const struct written *port, struct rt_line_head_port *line)
{
	const struct rt_counter_set *set = &port->set;

	line->facts = port->facts;
	memcpy(line->device, set->device, sizeof(line->device));
	memcpy(line->netdev, set->netdev, sizeof(line->netdev));
	memcpy(line->driver, set->driver, sizeof(line->driver));
	line->refresh_ms = set->refresh_ms;
	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++) {
		if (set->looks[i].state == RT_LOOK_NONE)
			continue;
		line->looks[line->look_count] = set->looks[i];
		line->looks[line->look_count++].source = i;
	}
}

static int put_line(FILE *to, const struct rt_table *table, const void *line,
		    struct rt_err *err)
{
	struct rt_json *json = rt_record_envelope(table, line);
	int r = rt_json_write_line(json, to, err);

	rt_json_free(json);
	return r;
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
	return put_line(to, &rt_line_head_table, &head, err);
}

static int begin_segment(struct rt_recorder *recorder,
			 const struct rt_watch_sample *sample, FILE *to,
			 struct rt_err *err)
{
	int r = note_ports(recorder, sample);

	if (r < 0)
		return rt_err_sys(err, r, "%s", recorder->path);
	recorder->left = RT_SEGMENT_SAMPLES;
	return put_head(recorder, to, err);
}

/* --- samples ---------------------------------------------------------------------------------- */

static int make_room(struct room *room, const struct rt_recorder *recorder)
{
	const size_t ports = recorder->count;
	size_t items = 0;

	for (size_t i = 0; i < ports; i++)
		items += recorder->ports[i].set.count;
	if (room->ports && room->port_count >= ports && room->item_count >= items)
		return 0;
	free_room(room);
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
static void change_values(struct written *port, const struct rt_counter_set *set,
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

static void change_sources(struct written *port, const struct rt_counter_set *set,
			   struct rt_line_port *line)
{
	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++) {
		struct rt_counter_look *look = &port->set.looks[i];
		struct rt_counter_pace *pace = &port->set.paces[i];

		if (look->state != set->looks[i].state ||
		    strcmp(look->why, set->looks[i].why) != 0) {
			*look = set->looks[i];
			line->looks[line->look_count] = *look;
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
static bool change_port(struct written *port, const struct rt_watch_input *input,
			struct rt_line_port *line)
{
	const bool moved = memcmp(&port->facts, &input->port, sizeof(port->facts)) != 0;
	const bool later = !port->told || port->set.time_ns != input->set.time_ns;

	if (moved)
		line->facts = port->facts = input->port;
	line->time_ns = port->set.time_ns = input->set.time_ns;
	port->told = true;
	change_sources(port, &input->set, line);
	change_values(port, &input->set, line);
	return later || moved || line->look_count || line->pace_count ||
	       line->value_count || line->unknown_count;
}

static int put_sample(struct rt_recorder *recorder,
		      const struct rt_watch_sample *sample, FILE *to,
		      struct rt_err *err)
{
	struct room *room = &recorder->room;
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
	if (sample->flows.known)
		line.flows = sample->flows;
	for (size_t i = 0; i < sample->count; i++) {
		const size_t n = line.port_count;
		struct written *port = &recorder->ports[i];

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
	return put_line(to, &rt_line_sample_table, &line, err);
}

/* --- the file ---------------------------------------------------------------------------------- */

static int write_out(int fd, const char *text, size_t bytes)
{
	while (bytes) {
		const ssize_t n = write(fd, text, bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		text += n;
		bytes -= (size_t)n;
	}
	return 0;
}

/* Readers refuse longer lines. */
static int check_lines(const struct rt_recorder *recorder, const char *text,
		       size_t bytes, struct rt_err *err)
{
	for (const char *end; bytes && (end = memchr(text, '\n', bytes));) {
		const size_t length = (size_t)(end - text) + 1;

		if (length > RT_DOC_MAX_BYTES)
			return rt_err_set(err, -EFBIG,
					  "%s: a sample takes more than %u MiB: watch "
					  "fewer ports",
					  recorder->path, RT_DOC_MAX_BYTES >> 20);
		text += length;
		bytes -= length;
	}
	return 0;
}

static int write_lines(struct rt_recorder *recorder,
		       const struct rt_watch_sample *sample, struct rt_err *err)
{
	RT_AUTO(rt_auto_free) char *text = NULL;
	size_t bytes = 0;
	FILE *to = open_memstream(&text, &bytes);
	int r = 0;

	if (!to)
		return rt_err_sys(err, -errno, "%s", recorder->path);
	if (!recorder->begun_ns)
		recorder->begun_ns = sample->wall_ns;
	if (!fits_segment(recorder, sample))
		r = begin_segment(recorder, sample, to, err);
	if (r == 0)
		r = put_sample(recorder, sample, to, err);
	if (fclose(to) != 0 && r == 0)
		r = rt_err_sys(err, -errno, "%s", recorder->path);
	if (r == 0)
		r = check_lines(recorder, text, bytes, err);
	if (r < 0)
		return r;
	r = write_out(recorder->fd, text, bytes);
	if (r < 0)
		return rt_err_sys(err, r, "%s: cannot be written, and ends here",
				  recorder->path);
	recorder->left--;
	return 0;
}

int rt_recorder_write(struct rt_recorder *recorder,
		      const struct rt_watch_sample *sample, struct rt_err *err)
{
	int r;

	if (recorder->fd < 0)
		return rt_err_set(err, -EBADF, "%s: has ended", recorder->path);
	r = write_lines(recorder, sample, err);
	if (r < 0) {
		close(recorder->fd);
		recorder->fd = -1;
	}
	return r;
}

int rt_recorder_close(struct rt_recorder *recorder, struct rt_err *err)
{
	int r = 0;

	if (!recorder)
		return 0;
	if (recorder->fd >= 0 && close(recorder->fd) < 0)
		r = rt_err_sys(err, -errno, "%s: cannot be written", recorder->path);
	recorder->fd = -1;
	free_recorder(recorder);
	return r;
}
