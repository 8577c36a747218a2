/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plan_text.c - changes in words: old and new value, and the line of the vendor's
 * tool or iproute2 that would do the same.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "host/plan_parts.h"

const char *rt_change_name(const struct rt_plan *plan, const struct rt_change *change)
{
	return change->raw == SIZE_MAX ? rt_knobs[change->knob].name
				       : plan->target.raw[change->raw].name;
}

static char *format(const struct rt_qos *qos, const struct rt_change *change,
		    char buf[RT_KNOB_TEXT_BYTES])
{
	struct rt_knob_value value;

	if (change->raw != SIZE_MAX) {
		const struct rt_raw_value *raw = &qos->raw[change->raw];

		if (raw->known)
			snprintf(buf, RT_KNOB_TEXT_BYTES, "%" PRIu64, raw->number);
		else
			snprintf(buf, RT_KNOB_TEXT_BYTES, "unknown");
		return buf;
	}
	value = qos->knobs[change->knob];
	value.known &= change->which; /* only what changes */
	return rt_knob_format(&rt_knobs[change->knob], &value, buf);
}

char *rt_change_old(const struct rt_plan *plan, const struct rt_change *change,
		    char buf[RT_KNOB_TEXT_BYTES])
{
	return format(&plan->have, change, buf);
}

char *rt_change_new(const struct rt_plan *plan, const struct rt_change *change,
		    char buf[RT_KNOB_TEXT_BYTES])
{
	return format(&plan->target, change, buf);
}

/* --- the command -------------------------------------------------------------------- */

struct writing {
	const struct rt_host_port *port;
	const struct rt_plan *plan;
	const struct rt_change *change;
	struct rt_line line;
};

static uint64_t raw_of(const struct writing *w, unsigned element)
{
	uint64_t raw = 0;

	(void)rt_change_raw(w->plan, w->change, element, &raw, NULL);
	return raw;
}

/* mlnx_qos and iproute2 write some numbers as words. */
static void put_value(struct writing *w)
{
	const struct rt_name *words = rt_row_words(w->change->row);
	const uint64_t raw = raw_of(w, 0);
	const char *word = words ? rt_name_of(words, (unsigned)raw) : NULL;

	if (w->change->raw == SIZE_MAX && w->change->knob == RT_KNOB_DCBX_OWNER)
		word = w->plan->target.knobs[RT_KNOB_DCBX_OWNER].number[0] ==
				       RT_DCBX_HOST
			       ? "os"
			       : "fw";
	if (word)
		rt_line_put(&w->line, "%s", word);
	else if (w->change->row->flags & RT_ROW_WRITE_HEX)
		rt_line_put(&w->line, "0x%" PRIx64, raw);
	else
		rt_line_put(&w->line, "%" PRIu64, raw);
}

static void put_raw(struct writing *w)
{
	rt_line_put(&w->line, "%" PRIu64, raw_of(w, 0));
}

static void put_onoff(struct writing *w)
{
	rt_line_put(&w->line, "%s", raw_of(w, 0) ? "on" : "off");
}

/* One of a list, as the tools spell it. */
static void put_element(struct writing *w, unsigned element)
{
	const struct rt_name *words = rt_row_words(w->change->row);
	const uint64_t raw = raw_of(w, element);
	const char *word = words ? rt_name_of(words, (unsigned)raw) : NULL;

	if (w->change->knob == RT_KNOB_MAX_RATE)
		rt_line_put(&w->line, "%" PRIu64 "%s",
			    raw % 1000000 ? raw : raw / 1000000,
			    raw % 1000000 ? "bit" : "Mbit");
	else if (word)
		rt_line_put(&w->line, "%s", word);
	else
		rt_line_put(&w->line, "%" PRIu64, raw);
}

static void put_pairs(struct writing *w)
{
	const struct rt_knob *knob = &rt_knobs[w->change->knob];
	const char *between = "";

	if (knob->type == RT_KNOB_MASK) {
		for (unsigned i = 0; i < 8; i++)
			if (raw_of(w, 0) >> i & 1)
				rt_line_put(&w->line, " %u:on", i);
		return;
	}
	for (unsigned i = 0; i < knob->length; i++) {
		if (!(w->change->which >> i & 1))
			continue;
		rt_line_put(&w->line, "%s%u:", between, i);
		put_element(w, i);
		between = " ";
	}
}

static void put_bits(struct writing *w)
{
	for (unsigned i = 0; i < 8; i++)
		rt_line_put(&w->line, "%s%u", i ? "," : "",
			    (unsigned)(raw_of(w, 0) >> i & 1));
}

static void put_list(struct writing *w)
{
	for (unsigned i = 0; i < rt_knobs[w->change->knob].length; i++) {
		rt_line_put(&w->line, "%s", i ? "," : "");
		put_element(w, i);
	}
}

static const struct {
	const char *word;
	void (*put)(struct writing *w);
} stand_ins[] = {
	{ "{value}", put_value }, { "{raw}", put_raw },   { "{onoff}", put_onoff },
	{ "{pairs}", put_pairs }, { "{bits}", put_bits }, { "{list}", put_list },
};

static void put_template(struct writing *w, const char *text)
{
	while (*text) {
		size_t i = 0;

		while (i < RT_ARRAY_SIZE(stand_ins) &&
		       strncmp(text, stand_ins[i].word, strlen(stand_ins[i].word)) != 0)
			i++;
		if (i < RT_ARRAY_SIZE(stand_ins)) {
			stand_ins[i].put(w);
			text += strlen(stand_ins[i].word);
		} else {
			rt_line_put(&w->line, "%c", *text++);
		}
	}
}

/* Entries that go are a command of their own. */
static void put_app(struct writing *w, const char *kind)
{
	const struct rt_knob *knob = &rt_knobs[w->change->knob];
	const struct rt_knob_value *have = &w->plan->have.knobs[w->change->knob];
	const struct rt_knob_value *target = &w->plan->target.knobs[w->change->knob];
	const char *net = w->port->device->netdev;
	uint64_t deleted = 0, added = 0;

	for (unsigned i = 0; i < knob->length; i++) {
		const bool none = rt_knob_number(knob, target, i) == RT_NO_PRIO;

		if (w->change->which >> i & 1)
			*(none ? &deleted : &added) |= (uint64_t)1 << i;
	}
	for (int add = 0; add <= 1; add++) {
		const uint64_t which = add ? added : deleted;

		if (which)
			rt_line_put(&w->line, "%sdcb app %s dev %s %s",
				    add && deleted ? "; " : "", add ? "replace" : "del",
				    net, kind);
		for (unsigned i = 0; i < knob->length; i++)
			if (which >> i & 1)
				rt_line_put(
					&w->line, " %u:%" PRIu64,
					knob->length > 1 ? i : 4791,
					rt_knob_number(knob, add ? target : have, i));
	}
}

char *rt_change_command(const struct rt_host_port *port, const struct rt_plan *plan,
			const struct rt_change *change, char buf[RT_KNOB_TEXT_BYTES])
{
	const struct rt_driver_row *row = change->row;
	struct writing w = { .port = port,
			     .plan = plan,
			     .change = change,
			     .line = { buf, RT_KNOB_TEXT_BYTES, 0 } };
	char path[RT_ROW_PATH_BYTES];

	buf[0] = '\0';
	if (row->access == &rt_access_dscp) {
		put_app(&w, "dscp-prio");
	} else if (row->access == &rt_access_udp) {
		put_app(&w, "dgram-prio");
	} else if (row->command) {
		if (rt_row_path(port, row->command, path) == 0)
			put_template(&w, path);
	} else if (row->path && rt_row_path(port, row->path, path) == 0) {
		rt_line_put(&w.line, "echo ");
		put_value(&w);
		rt_line_put(&w.line, " >%s", path);
	}
	return buf;
}
