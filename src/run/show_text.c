/* SPDX-License-Identifier: BSD-2-Clause */
/* show_text.c - how text shows a port: facts, then a section for each group. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "rocetune/err.h"
#include "run/host_show.h"
#include "run/host_text.h"

/* --- facts ---------------------------------------------------------------------------- */

static void write_title(const struct rt_device *device, char *title)
{
	char name[RT_DEVICE_NAME_BYTES];

	rt_put(title, RT_HOST_TEXT_BYTES, "%s", rt_device_title(device, name));
	if (*device->netdev)
		rt_put(title, RT_HOST_TEXT_BYTES, ", %s", device->netdev);
	if (*device->bond)
		rt_put(title, RT_HOST_TEXT_BYTES, " (%s of %s)", device->bond,
		       device->slaves);
	if (*device->chip)
		rt_put(title, RT_HOST_TEXT_BYTES, ", %s", device->chip);
	if (device->function != RT_FUNCTION_PF &&
	    device->function != RT_FUNCTION_UNKNOWN)
		rt_put(title, RT_HOST_TEXT_BYTES, " %s",
		       rt_name_of(rt_function_names, device->function));
	rt_put(title, RT_HOST_TEXT_BYTES, ", %s",
	       *device->kernel_driver ? device->kernel_driver : "driver unknown");
	if (*device->firmware)
		rt_put(title, RT_HOST_TEXT_BYTES, ", firmware %s", device->firmware);
}

static void put_number(char *facts, const char *before, struct rt_opt_u64 number,
		       const char *behind)
{
	if (number.known)
		rt_put(facts, RT_HOST_TEXT_BYTES, "%s%" PRIu64 "%s", before,
		       number.value, behind);
}

static void write_facts(const struct rt_device *device, char *facts)
{
	char speed[RT_UNIT_TEXT_BYTES], pcie[64];

	if (device->speed_bps.known)
		rt_put(facts, RT_HOST_TEXT_BYTES, "%s ",
		       rt_unit_format(RT_UNIT_BPS, device->speed_bps.value, speed));
	rt_put(facts, RT_HOST_TEXT_BYTES, "%s, %s",
	       rt_name_of(rt_link_layer_names, device->link_layer),
	       *device->state ? device->state : "state unknown");
	put_number(facts, ", MTU ", device->mtu_bytes, "");
	put_number(facts, ", RoCE MTU ", device->roce_mtu_bytes, "");
	if (*device->pci)
		rt_put(facts, RT_HOST_TEXT_BYTES, ", PCI %s", device->pci);
	if (*rt_device_pcie(device, pcie))
		rt_put(facts, RT_HOST_TEXT_BYTES, " %s", pcie);
	put_number(facts, ", NUMA ", device->numa, "");
	if (strcmp(device->eswitch, "switchdev") == 0)
		rt_put(facts, RT_HOST_TEXT_BYTES, ", switchdev");
	put_number(facts, ", ", device->qps, " QPs");
	put_number(facts, ", ", device->connected, " in use");
	if (*device->users)
		rt_put(facts, RT_HOST_TEXT_BYTES, " by %s", device->users);
}

static void write_peer(const struct rt_shown_peer *peer, char *text)
{
	put_number(text, "it can pause ", peer->pfc_cap, " priorities");
	if (*peer->pfc)
		rt_put(text, RT_HOST_TEXT_BYTES, ", pauses %s", peer->pfc);
	if (*peer->prio_tc)
		rt_put(text, RT_HOST_TEXT_BYTES, "%straffic classes %s, shares %s",
		       *text ? "; " : "", peer->prio_tc, peer->bw);
	put_number(text, *text ? "; names a priority for " : "names a priority for ",
		   peer->apps, " applications");
}

/* --- sections -------------------------------------------------------------------------- */

/* "cc.rp.ai" in section cc is "rp.ai". */
static const char *short_name(const char *name, const char *group)
{
	const size_t length = strlen(group);

	return strncmp(name, group, length) == 0 && name[length] == '.'
		       ? name + length + 1
		       : name;
}

/* The piece of value that goes into one row, broken at a blank; bytes it takes. */
static size_t piece(const char *value, size_t room)
{
	size_t bytes = strlen(value), last = 0;

	if (bytes < room)
		return bytes;
	for (size_t i = 0; i < room; i++)
		if (value[i] == ' ')
			last = i;
	return last ? last : room - 1;
}

static struct rt_shown_row *add_row(struct rt_shown_section *section, size_t *capacity)
{
	struct rt_shown_row *rows = rt_grow(section->rows, section->row_count, capacity,
					    sizeof(*rows));

	if (!rows)
		return NULL;
	section->rows = rows;
	rows[section->row_count] = (struct rt_shown_row){ 0 };
	return &rows[section->row_count++];
}

static int add_known(struct rt_shown_section *section, const struct rt_shown_knob *knob,
		     size_t *capacity)
{
	const char *value = knob->value;
	bool first = true;

	while (*value || first) {
		struct rt_shown_row *row = add_row(section, capacity);
		size_t bytes;

		if (!row)
			return -ENOMEM;
		bytes = piece(value, sizeof(row->value));
		snprintf(row->value, sizeof(row->value), "%.*s", (int)bytes, value);
		value += bytes;
		value += strspn(value, " ");
		if (!first)
			continue;
		first = false;
		row->name = short_name(knob->name, section->name);
		row->write = knob->impact;
		row->vendor = knob->vendor;
		row->interface = knob->interface;
		if (knob->raw.known)
			snprintf(row->raw, sizeof(row->raw), "%" PRIu64,
				 knob->raw.value);
	}
	return 0;
}

/* A line of this text, made when it is not there; NULL: no memory. */
static struct rt_host_line *line_of(struct rt_host_line **lines, size_t *count,
				    const char *text)
{
	struct rt_host_line *items = *lines;

	for (size_t i = 0; i < *count; i++)
		if (strcmp(items[i].text, text) == 0)
			return &items[i];
	items = realloc(items, (*count + 1) * sizeof(*items));
	if (!items)
		return NULL;
	*lines = items;
	items[*count] = (struct rt_host_line){ 0 };
	RT_PUT(items[*count].text, "%s", text);
	return &items[(*count)++];
}

static int add_words(struct rt_shown_section *section, const struct rt_shown_knob *knob)
{
	const bool known = *knob->value;
	const char *why = *knob->why ? knob->why : "the driver does not tell";
	struct rt_host_line *line;

	if (known && !*knob->why)
		return 0;
	if (known)
		line = line_of(&section->remarks, &section->remark_count, why);
	else if (knob->lacking)
		line = line_of(&section->lacking, &section->lacking_count, why);
	else
		line = line_of(&section->unknown, &section->unknown_count, why);
	if (!line)
		return -ENOMEM;
	rt_put_name(line->subject, short_name(knob->name, section->name));
	return 0;
}

/* One interface for all rows goes into the heading. */
static void lift_interface(struct rt_shown_section *section)
{
	const char *only = NULL;

	for (size_t i = 0; i < section->row_count; i++) {
		const char *interface = section->rows[i].interface;

		if (!interface)
			continue;
		if (only && strcmp(only, interface) != 0)
			return;
		only = interface;
	}
	section->interface = only;
	for (size_t i = 0; i < section->row_count; i++)
		section->rows[i].interface = NULL;
}

static int make_section(const struct rt_shown_port *shown, unsigned group, bool all,
			struct rt_shown_section *section)
{
	size_t capacity = 0;
	int r = 0;

	for (const struct rt_name *name = rt_group_names; name->name; name++)
		if (name->value == group)
			*section = (struct rt_shown_section){ .name = name->name,
							      .help = name->help };
	for (size_t i = 0; i < shown->knob_count && r == 0; i++) {
		const struct rt_shown_knob *knob = &shown->knobs[i];

		if (knob->group != group || (knob->detail && !all))
			continue;
		if (*knob->value)
			r = add_known(section, knob, &capacity);
		if (r == 0)
			r = add_words(section, knob);
	}
	lift_interface(section);
	return r;
}

int rt_shown_text_make(struct rt_shown_port *shown, bool all, struct rt_err *err)
{
	struct rt_shown *text = &shown->text;

	write_title(&shown->device, text->title);
	write_facts(&shown->device, text->facts);
	RT_PUT(text->untunable, "%s", shown->device.untunable);
	write_peer(&shown->peer, text->peer);
	text->sections = calloc(RT_GROUP_COUNT, sizeof(*text->sections));
	if (!text->sections)
		return rt_err_sys(err, -ENOMEM, "cannot hold the knobs");
	for (unsigned group = 0; group < RT_GROUP_COUNT && shown->was_read; group++)
		if (make_section(shown, group, all,
				 &text->sections[text->section_count++]) < 0)
			return rt_err_sys(err, -ENOMEM, "cannot hold the knobs");
	return 0;
}

void rt_shown_text_free(struct rt_shown *text)
{
	for (size_t i = 0; i < text->section_count; i++) {
		free(text->sections[i].rows);
		free(text->sections[i].unknown);
		free(text->sections[i].remarks);
		free(text->sections[i].lacking);
	}
	free(text->sections);
	free(text->counters.rows);
	free(text->counters.failed);
	free(text->others);
	free(text->profile);
	*text = (struct rt_shown){ 0 };
}
