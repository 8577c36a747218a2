/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * qos_want.c - what a profile asks of a host's port, as knobs with their places:
 * those that have a parameter of their own are copied by their rows.
 */
#include "model/qos_want.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "model/params.h"
#include "rocetune/err.h"

void rt_want_note(struct rt_wanting *w, const struct rt_place *place, const char *param,
		  const char *fmt, ...)
{
	struct rt_qos_note *item;
	va_list args;

	if (w->want->note_count == RT_QOS_NOTE_MAX)
		return;
	item = &w->want->notes[w->want->note_count++];
	*item = (struct rt_qos_note){ .place = *place };
	snprintf(item->param, sizeof(item->param), "%s", param);
	va_start(args, fmt);
	vsnprintf(item->text, sizeof(item->text), fmt, args);
	va_end(args);
}

void rt_want_scalar(struct rt_wanting *w, enum rt_knob_id id,
		    const struct rt_place *place, uint64_t number)
{
	rt_knob_set(&w->want->qos, id, 0, number);
	w->want->place[id] = *place;
}

/* --- knobs with a parameter of their own ---------------------------------------- */

static const struct rt_param *param_of(const struct rt_knob *knob)
{
	for (size_t i = 0; i < rt_param_count; i++) {
		const struct rt_param *param = &rt_params[i];

		if (!knob->param || strcmp(param->path, knob->param) != 0)
			continue;
		if (!param->class_stride && param->type != RT_PARAM_SIZES &&
		    !(knob->flags & RT_KNOB_FACT))
			return param;
	}
	return NULL;
}

static const struct rt_setting *setting_of(const struct rt_profile *profile,
					   const struct rt_param *param)
{
	return (const void *)((const char *)profile + param->offset);
}

static void want_params(struct rt_wanting *w)
{
	for (unsigned id = 0; id < RT_KNOB_COUNT; id++) {
		const struct rt_param *param = param_of(&rt_knobs[id]);
		const struct rt_setting *setting;

		if (!param)
			continue;
		setting = setting_of(w->profile, param);
		if (rt_setting_known(setting))
			rt_want_scalar(w, id, &setting->place, setting->number);
	}
}

/* A description everywhere but on mlx5, whose driver reckons buffers from it. */
static void drop_cable(struct rt_wanting *w)
{
	const char *driver = w->port->driver;

	if (!w->want->qos.knobs[RT_KNOB_PFC_CABLE].known || !driver ||
	    strcmp(driver, "mlx5") == 0)
		return;
	rt_want_note(w, &w->want->place[RT_KNOB_PFC_CABLE], "host.cable",
		     "%.20s does not reckon buffers from the cable", driver);
	rt_knob_unknown(&w->want->qos, RT_KNOB_PFC_CABLE, NULL);
	w->want->place[RT_KNOB_PFC_CABLE] = (struct rt_place){ 0 };
}

static void want_buffers(struct rt_wanting *w)
{
	const struct rt_setting *sizes = w->profile->host.buffers;

	if (sizes->state == RT_SETTING_AUTO)
		rt_want_note(w, &sizes->place, "host.buffers",
			     "automatic: the driver reckons the sizes, nothing is set");
	if (sizes->state != RT_SETTING_VALUE)
		return;
	w->want->place[RT_KNOB_BUFFER_SIZE] = sizes->place;
	for (unsigned i = 0; i < RT_BUFFER_COUNT && i < sizes->times; i++)
		rt_knob_set(&w->want->qos, RT_KNOB_BUFFER_SIZE, i, sizes[i].number);
}

/* --- raw knobs -------------------------------------------------------------------------- */

static int want_raw(struct rt_wanting *w, const struct rt_pair *pair)
{
	struct rt_qos *qos = &w->want->qos;
	char place[RT_PLACE_TEXT_BYTES];
	uint64_t number;

	if (pair->value.state != RT_SETTING_VALUE ||
	    (w->port->driver && strcmp(pair->group, w->port->driver) != 0))
		return 0;
	if (rt_unit_parse(RT_UNIT_NONE, pair->value.text, &number, NULL) < 0)
		return rt_err_set(w->err, -EINVAL,
				  "%s: %.60s: '%.60s' is no whole number",
				  rt_place_format(&pair->value.place, place),
				  pair->name, pair->value.text);
	w->want->raw_place[qos->raw_count] = pair->value.place;
	qos->raw[qos->raw_count++] = (struct rt_raw_value){ .name = pair->name,
							    .known = true,
							    .number = number };
	return 0;
}

static int want_raws(struct rt_wanting *w)
{
	const struct rt_pairs *pairs = &w->profile->host.raw;

	_Static_assert(RT_PAIR_MAX <= RT_QOS_RAW_MAX, "every raw knob has room");
	for (size_t i = 0; i < pairs->count; i++)
		if (want_raw(w, &pairs->items[i]) < 0)
			return -EINVAL;
	return 0;
}

int rt_qos_want(const struct rt_profile *profile, const struct rt_qos_port *port,
		struct rt_qos_want *ret_want, struct rt_err *err)
{
	struct rt_wanting *w = calloc(1, sizeof(*w));
	struct rt_qos_want *want = calloc(1, sizeof(*want));
	int r = -ENOMEM;

	if (!w || !want) {
		free(w);
		free(want);
		return rt_err_sys(err, r, "the profile's knobs");
	}
	*w = (struct rt_wanting){
		.profile = profile, .port = port, .want = want, .err = err
	};
	want_params(w);
	drop_cable(w);
	want_buffers(w);
	r = rt_want_classes(w);
	if (r == 0)
		r = want_raws(w);
	if (r == 0)
		*ret_want = *want;
	free(w);
	free(want);
	return r;
}
