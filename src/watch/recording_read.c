/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recording_read.c - what the lines of a recording say: a segment's head, then each
 * sample's changes on what is known, which is handed out as a sample.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/doc.h"
#include "base/own.h"
#include "base/record.h"
#include "rocetune/err.h"
#include "watch/recording_parts.h"

void rt_recording_forget(struct rt_recording *recording)
{
	for (size_t i = 0; i < recording->track_count; i++) {
		free(recording->tracks[i].values);
		free(recording->tracks[i].known);
	}
	free(recording->tracks);
	recording->tracks = NULL;
	recording->track_count = 0;
	rt_record_free(&rt_line_head_table, &recording->head);
	rt_record_free(&rt_watch_flows_table, &recording->flows);
}

/* --- lines as records ----------------------------------------------------------------------- */

static int damaged(const struct rt_recording *recording,
		   const struct rt_recording_line *at, struct rt_err *err,
		   const char *why)
{
	return rt_err_set(err, -EINVAL, "%s:%" PRIu32 ": damaged: %s", recording->name,
			  at->line, why);
}

static int read_line(const struct rt_recording *recording,
		     const struct rt_recording_line *at, const struct rt_table *table,
		     void *ret_line, struct rt_err *err)
{
	RT_AUTO(rt_auto_doc_free) struct rt_doc *doc = NULL;
	RT_AUTO(rt_auto_free) char *name = NULL;
	int r;

	if (asprintf(&name, "%s:%" PRIu32, recording->name, at->line) < 0) {
		name = NULL;
		return rt_err_sys(err, -ENOMEM, "%s", recording->name);
	}
	r = rt_doc_parse(name, recording->text + at->offset, at->bytes, &doc, err);
	return r < 0 ? r : rt_record_read_envelope(doc, table, ret_line, err);
}

static int check_head(const struct rt_recording *recording,
		      const struct rt_recording_line *at,
		      const struct rt_line_head *head, struct rt_err *err)
{
	struct rt_err why = { 0 };

	if (head->port_count > RT_WATCH_MAX_PORTS)
		return damaged(recording, at, err, "more ports than there may be");
	for (size_t i = 0; i < head->layout_count; i++) {
		const struct rt_line_layout *layout = &head->layouts[i];
		const struct rt_counter_set set = { .items = layout->items,
						    .count = layout->count };

		if (rt_counter_set_check(&set, &why) < 0)
			return damaged(recording, at, err, why.msg);
	}
	for (size_t i = 0; i < head->port_count; i++) {
		if (head->ports[i].layout >= head->layout_count)
			return damaged(recording, at, err, "a port has no layout");
		if (!*head->ports[i].facts.name)
			return damaged(recording, at, err, "a port has no name");
	}
	return 0;
}

int rt_recording_read_head(const struct rt_recording *recording,
			   const struct rt_recording_line *at,
			   struct rt_line_head *ret_head, struct rt_err *err)
{
	struct rt_line_head head;
	int r = read_line(recording, at, &rt_line_head_table, &head, err);

	if (r < 0)
		return r;
	r = check_head(recording, at, &head, err);
	if (r < 0) {
		rt_record_free(&rt_line_head_table, &head);
		return r;
	}
	*ret_head = head;
	return 0;
}

/* --- segments --------------------------------------------------------------------------------- */

/* The number of a port by its name: ports stay where they are in all samples. */
static int find_number(struct rt_recording *recording, const char *name, size_t guess,
		       size_t *ret_number)
{
	size_t i = guess;

	if (guess >= recording->name_count ||
	    strcmp(recording->names[guess], name) != 0)
		for (i = 0; i < recording->name_count; i++)
			if (strcmp(recording->names[i], name) == 0)
				break;
	if (i >= recording->name_count) {
		void *grown = rt_grow(recording->names, recording->name_count,
				      &recording->name_capacity,
				      sizeof(*recording->names));

		if (!grown)
			return -ENOMEM;
		recording->names = grown;
		if (recording->name_count == RT_WATCH_MAX_PORTS)
			return -EINVAL;
		strcpy(recording->names[recording->name_count++], name);
	}
	*ret_number = i;
	return 0;
}

static int begin_track(struct rt_recording *recording, size_t place,
		       struct rt_recording_track *track)
{
	const struct rt_line_head_port *port = &recording->head.ports[place];
	int r;

	track->facts = port->facts;
	memcpy(track->set.device, port->device, sizeof(port->device));
	memcpy(track->set.netdev, port->netdev, sizeof(port->netdev));
	memcpy(track->set.driver, port->driver, sizeof(port->driver));
	track->set.refresh_ms = port->refresh_ms;
	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++)
		track->set.looks[i].source = i;
	for (size_t i = 0; i < port->look_count; i++)
		track->set.looks[port->looks[i].source] = port->looks[i];
	track->layout = &recording->head.layouts[port->layout];
	track->values = calloc(track->layout->count + 1, sizeof(*track->values));
	track->known = calloc(track->layout->count + 1, sizeof(*track->known));
	if (!track->values || !track->known)
		return -ENOMEM;
	r = find_number(recording, port->facts.name, place, &track->number);
	return r;
}

static int begin_tracks(struct rt_recording *recording,
			const struct rt_recording_line *at, struct rt_err *err)
{
	const size_t count = recording->head.port_count;
	bool taken[RT_WATCH_MAX_PORTS] = { false };

	recording->tracks = calloc(count + 1, sizeof(*recording->tracks));
	if (!recording->tracks)
		return rt_err_sys(err, -ENOMEM, "%s", recording->name);
	for (size_t i = 0; i < count; i++) {
		struct rt_recording_track *track = &recording->tracks[i];
		int r;

		recording->track_count = i + 1;
		r = begin_track(recording, i, track);
		if (r == -ENOMEM)
			return rt_err_sys(err, r, "%s", recording->name);
		if (r < 0)
			return damaged(recording, at, err,
				       "with its ports there are more than there may "
				       "be");
		if (taken[track->number])
			return damaged(recording, at, err, "a port stands twice");
		taken[track->number] = true;
	}
	return 0;
}

static int begin_segment(struct rt_recording *recording, size_t number,
			 struct rt_err *err)
{
	const struct rt_recording_segment *segment = &recording->segments[number];
	int r;

	rt_recording_forget(recording);
	r = rt_recording_read_head(recording, &segment->at, &recording->head, err);
	if (r == 0)
		r = begin_tracks(recording, &segment->at, err);
	if (r < 0) {
		rt_recording_forget(recording);
		return r;
	}
	recording->segment = number;
	recording->next = segment->first;
	return 0;
}

/* --- samples ----------------------------------------------------------------------------------- */

static int64_t shifted(const struct rt_recording *recording, int64_t time_ns)
{
	int64_t sum;

	return __builtin_add_overflow(
		       time_ns, recording->segments[recording->segment].shift_ns, &sum)
		       ? time_ns
		       : sum;
}

static void set_known(struct rt_recording_track *track, size_t item, bool known)
{
	if (track->known[item] == known)
		return;
	track->known[item] = known;
	track->known_count += known ? 1 : (size_t)-1;
	track->layout_number = 0;
}

/* False: it names what is not there. */
static bool apply_values(struct rt_recording_track *track,
			 const struct rt_line_port *line)
{
	if (line->value_count % 2)
		return false;
	for (size_t i = 0; i < line->value_count; i += 2) {
		if (line->values[i] >= track->layout->count)
			return false;
		track->values[line->values[i]] = line->values[i + 1];
		set_known(track, line->values[i], true);
	}
	for (size_t i = 0; i < line->unknown_count; i++) {
		if (line->unknown[i] >= track->layout->count)
			return false;
		set_known(track, line->unknown[i], false);
	}
	return true;
}

static bool apply_port(const struct rt_recording *recording,
		       const struct rt_line_port *line)
{
	struct rt_recording_track *track;

	if (line->port >= recording->track_count)
		return false;
	track = &recording->tracks[line->port];
	track->set.time_ns = shifted(recording, line->time_ns);
	if (*line->facts.name) {
		if (strcmp(line->facts.name, track->facts.name) != 0)
			return false;
		track->facts = line->facts;
	}
	for (size_t i = 0; i < line->look_count; i++)
		track->set.looks[line->looks[i].source] = line->looks[i];
	for (size_t i = 0; i < line->pace_count; i++)
		track->set.paces[line->paces[i].source] = (struct rt_counter_pace){
			/* 0: it was never read. */
			.read_ns = line->paces[i].read_ns
					   ? shifted(recording, line->paces[i].read_ns)
					   : 0,
			.cost_ns = line->paces[i].cost_ns,
		};
	return apply_values(track, line);
}

static int apply_next(struct rt_recording *recording, struct rt_err *err)
{
	const struct rt_recording_moment *moment = &recording->moments[recording->next];
	struct rt_line_sample line;
	bool good = true;
	int r = read_line(recording, &moment->at, &rt_line_sample_table, &line, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < line.port_count && good; i++)
		good = apply_port(recording, &line.ports[i]);
	if (line.flows.count > RT_WATCH_MAX_FLOWS ||
	    line.flows.fan_count > RT_WATCH_MAX_FLOWS)
		good = false;
	rt_record_free(&rt_watch_flows_table, &recording->flows);
	recording->flows = line.flows;
	line.flows = (struct rt_watch_flows){ 0 };
	recording->time_ns = moment->time_ns;
	recording->wall_ns = line.wall_ns;
	rt_record_free(&rt_line_sample_table, &line);
	if (!good)
		return damaged(recording, &moment->at, err,
			       "it names what its segment does not have");
	recording->next++;
	return 0;
}

/* Whatever it takes: the head, and the samples in front of it. */
static int decode(struct rt_recording *recording, uint64_t number, struct rt_err *err)
{
	const size_t segment = recording->moments[number].segment;
	int r = 0;

	if (!recording->tracks || recording->segment != segment ||
	    recording->next > number + 1)
		r = begin_segment(recording, segment, err);
	while (r == 0 && recording->next <= number)
		r = apply_next(recording, err);
	if (r < 0)
		rt_recording_forget(recording);
	return r;
}

/* --- handing out --------------------------------------------------------------------------------- */

static int make_items(struct rt_counter_set *set, size_t count)
{
	struct rt_counter_reading *items;

	if (set->capacity >= count)
		return 0;
	items = realloc(set->items, count * sizeof(*items));
	if (!items)
		return -ENOMEM;
	set->items = items;
	set->capacity = count;
	return 0;
}

static int hand_out_items(struct rt_recording_track *track, struct rt_counter_set *set)
{
	const bool same = track->layout_number && set->layout == track->layout_number &&
			  set->count == track->known_count;
	size_t n = 0;

	if (!same && make_items(set, track->known_count) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < track->layout->count; i++) {
		if (!track->known[i])
			continue;
		if (!same)
			set->items[n] = track->layout->items[i];
		set->items[n++].value = track->values[i];
	}
	set->count = n;
	if (!track->layout_number)
		track->layout_number = rt_line_layout_number(set->items, n);
	set->layout = track->layout_number;
	return 0;
}

static int hand_out_port(struct rt_recording_track *track, struct rt_watch_input *input)
{
	struct rt_counter_set set = track->set;
	int r;

	set.items = input->set.items;
	set.count = input->set.count;
	set.capacity = input->set.capacity;
	set.layout = input->set.layout;
	r = hand_out_items(track, &set);
	input->port = track->facts;
	input->set = set;
	return r;
}

/* The list to, with room for capacity, with count of another; NULL: no memory. */
static void *copy_list(void *to, size_t *capacity, const void *from, size_t count,
		       size_t size)
{
	if (*capacity < count || !to) {
		void *grown = realloc(to, (count + 1) * size);

		if (!grown)
			return NULL;
		to = grown;
		*capacity = count + 1;
	}
	if (count)
		memcpy(to, from, count * size);
	return to;
}

static int hand_out_flows(const struct rt_watch_flows *from, struct rt_watch_flows *to)
{
	struct rt_watch_flows flows = *from;
	void *items, *fans;

	items = copy_list(to->items, &to->capacity, from->items, from->count,
			  sizeof(*from->items));
	if (!items)
		return -ENOMEM;
	to->items = items;
	fans = copy_list(to->fans, &to->fan_capacity, from->fans, from->fan_count,
			 sizeof(*from->fans));
	if (!fans)
		return -ENOMEM;
	flows.items = items;
	flows.fans = fans;
	flows.capacity = to->capacity;
	flows.fan_capacity = to->fan_capacity;
	*to = flows;
	return 0;
}

/* A port that this segment does not have. */
static void hand_out_gone(const struct rt_recording *recording, size_t number,
			  struct rt_watch_input *input)
{
	strcpy(input->port.name, recording->names[number]);
	input->port.state = RT_WATCH_GONE;
	rt_counter_set_free(&input->set);
	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++)
		input->set.looks[i].source = i;
}

static int hand_out(struct rt_recording *recording, struct rt_watch_sample *sample)
{
	bool told[RT_WATCH_MAX_PORTS] = { false };
	int r = 0;

	while (sample->count < recording->name_count)
		if (!rt_watch_sample_add(sample))
			return -ENOMEM;
	for (size_t i = 0; i < recording->track_count && r == 0; i++) {
		struct rt_recording_track *track = &recording->tracks[i];

		told[track->number] = true;
		r = hand_out_port(track, &sample->items[track->number]);
	}
	for (size_t i = 0; i < recording->name_count; i++)
		if (!told[i])
			hand_out_gone(recording, i, &sample->items[i]);
	sample->time_ns = recording->time_ns;
	sample->wall_ns = recording->wall_ns;
	return r < 0 ? r : hand_out_flows(&recording->flows, &sample->flows);
}

int rt_recording_read(struct rt_recording *recording, uint64_t number,
		      struct rt_watch_sample *sample, struct rt_err *err)
{
	int r = decode(recording, number, err);

	if (r < 0)
		return r;
	r = hand_out(recording, sample);
	return r < 0 ? rt_err_sys(err, r, "%s", recording->name) : 0;
}
