/* SPDX-License-Identifier: BSD-2-Clause */
/* host_show.h - what the files of `show` have in common. */
#ifndef RT_RUN_HOST_SHOW_H
#define RT_RUN_HOST_SHOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/device.h"
#include "model/counters.h"
#include "model/qos.h"
#include "run/host.h"

struct rt_shown_element {
	uint32_t index;
	uint64_t number;
};

struct rt_shown_knob {
	const char *name, *unit, *vendor, *interface, *impact, *scope, *help;
	unsigned group; /* enum rt_knob_group */
	bool writable, is_raw, detail;
	bool lacking; /* the driver has no such knob, or not here */
	char value[RT_KNOB_TEXT_BYTES];
	struct rt_opt_u64 number, raw;
	struct rt_shown_element *elements; /* in the port's */
	size_t element_count;
	char why[RT_KNOB_WHY_BYTES];
};

struct rt_shown_peer {
	char why[RT_KNOB_WHY_BYTES];
	struct rt_opt_u64 pfc_cap, apps;
	char pfc[32], prio_tc[80], bw[80];
};

#define RT_SHOWN_OTHERS 32 /* differences between slaves that are told */

struct rt_shown_port {
	struct rt_shown text; /* first: what commands see */
	struct rt_device device;
	struct rt_device read_at; /* the same, but for a bond its first slave */
	struct rt_qos qos;
	bool was_read; /* else nothing can be: device.untunable says why */
	struct rt_shown_knob *knobs; /* owned, as elements */
	size_t knob_count;
	struct rt_shown_element *elements;
	size_t element_count;
	struct rt_shown_peer peer;
	struct rt_counter_set counters; /* when asked for all; without a time */
};

/*
 * Read what show tells of the port called name: device, qos, peer, others.  shown is
 * zero before, and freed by rt_show_free() whatever happened.
 */
int rt_show_read(struct rt_kern *kern, const char *name, struct rt_shown_port *shown,
		 struct rt_err *err);
void rt_show_free(struct rt_shown_port *shown);

/* Fill shown->text but for others and profile; all: knobs that are details, too. */
int rt_shown_text_make(struct rt_shown_port *shown, bool all, struct rt_err *err);
/* Fill text->counters from the set.  -ENOMEM. */
int rt_shown_counters_make(const struct rt_counter_set *set, struct rt_shown *text,
			   struct rt_err *err);
void rt_shown_text_free(struct rt_shown *text);

#endif
