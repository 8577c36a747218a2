/* SPDX-License-Identifier: BSD-2-Clause */
/* port_profile.c - a port's state as a profile: what it is for, what the host sets. */
#include "host/port_profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/device.h"
#include "host/port_profile_parts.h"
#include "model/params.h"
#include "rocetune/err.h"

uint64_t rt_qos_element(const struct rt_qos *qos, enum rt_knob_id id, unsigned at)
{
	const struct rt_knob_value *value = &qos->knobs[id];
	const uint64_t number = rt_knob_number(&rt_knobs[id], value, at);

	if (!(value->known >> at & 1) ||
	    (rt_knobs[id].flags & RT_KNOB_MAY_LACK && number == RT_NO_PRIO))
		return RT_NOT_THERE;
	return number;
}

uint64_t rt_qos_scalar(const struct rt_qos *qos, enum rt_knob_id id)
{
	return rt_qos_element(qos, id, 0);
}

bool rt_param_takes(const char *path, uint64_t number)
{
	for (size_t i = 0; i < rt_param_count; i++)
		if (strcmp(rt_params[i].path, path) == 0)
			return number >= rt_params[i].min &&
			       (!rt_params[i].max || number <= rt_params[i].max);
	return false;
}

/* --- what it is for ------------------------------------------------------------- */

/* A word that YAML takes for one, whatever is in it. */
static void put_word(FILE *to, const char *text)
{
	fputc('"', to);
	for (; *text; text++)
		if (*text == '"' || *text == '\\' || *text < ' ')
			fputc('?', to);
		else
			fputc(*text, to);
	fputc('"', to);
}

static bool is_profile_driver(const char *name)
{
	for (size_t i = 0; i < rt_param_count && name; i++)
		if (strcmp(rt_params[i].path, "match.driver") == 0)
			return rt_name_find(rt_params[i].names, name) != NULL;
	return false;
}

static void put_match(const struct rt_profile_writer *w, const char *path,
		      enum rt_unit unit, struct rt_opt_u64 number, const char **before)
{
	char text[RT_UNIT_TEXT_BYTES];

	if (!number.known || !rt_param_takes(path, number.value))
		return;
	fprintf(w->to, "%s%s: %s", *before, strchr(path, '.') + 1,
		rt_unit_format_exact(unit, number.value, text));
	*before = ", ";
}

static void put_head(const struct rt_profile_writer *w)
{
	const struct rt_device *device = w->device;
	const char *before = "";

	fprintf(w->to,
		"# What a port has, as a profile: applied to the port it changes "
		"nothing.\n"
		"# keep: the port does not tell, or no profile can say it.\n"
		"name: ");
	put_word(w->to, *device->netdev ? device->netdev : device->ibdev);
	fputs("\nstatus: operator\nmatch: {", w->to);
	if (is_profile_driver(device->driver_name)) {
		fprintf(w->to, "driver: %s", device->driver_name);
		before = ", ";
	}
	if (*device->chip) {
		fprintf(w->to, "%schip: ", before);
		put_word(w->to, device->chip);
		before = ", ";
	}
	put_match(w, "match.speed", RT_UNIT_BPS, device->speed_bps, &before);
	put_match(w, "match.roce_mtu", RT_UNIT_MTU, device->roce_mtu_bytes, &before);
	put_match(w, "match.l2_mtu", RT_UNIT_MTU, device->mtu_bytes, &before);
	fputs("}\n", w->to);
}

/* --- the host -------------------------------------------------------------------- */

/* Sizes are the driver's own, or somebody's, or not told. */
static void put_buffers(const struct rt_profile_writer *w)
{
	const struct rt_knob_value *sizes = &w->qos->knobs[RT_KNOB_BUFFER_SIZE];
	char text[RT_UNIT_TEXT_BYTES];

	if (rt_qos_scalar(w->qos, RT_KNOB_BUFFER_AUTO) == 1) {
		fputs("auto", w->to);
		return;
	}
	if (sizes->known != 0xff ||
	    rt_qos_scalar(w->qos, RT_KNOB_BUFFER_AUTO) == RT_NOT_THERE) {
		fputs("keep", w->to);
		return;
	}
	for (unsigned i = 0; i < 8; i++)
		fprintf(w->to, "%s%s", i ? ", " : "[",
			rt_unit_format_exact(RT_UNIT_BYTES, sizes->number[i], text));
	fputc(']', w->to);
}

/* What a NIC holds may be none of the words there are. */
static bool has_words(const struct rt_knob *row, uint64_t number)
{
	if (row->type == RT_KNOB_BOOL)
		return number <= 1;
	return row->type != RT_KNOB_ENUM || rt_name_of(row->names, (unsigned)number);
}

/* All knobs of the parameter as one text: they agree, or it is kept. */
static void put_param(const struct rt_profile_writer *w, const char *path)
{
	char text[RT_KNOB_TEXT_BYTES] = "keep", one[RT_KNOB_TEXT_BYTES];
	bool any = false;

	for (unsigned id = 0; id < RT_KNOB_COUNT; id++) {
		const struct rt_knob *row = &rt_knobs[id];
		const uint64_t number = rt_qos_scalar(w->qos, id);

		if (!row->param || strcmp(row->param, path) != 0)
			continue;
		rt_knob_format(row, &w->qos->knobs[id], one);
		if (number == RT_NOT_THERE || !rt_param_takes(path, number) ||
		    !has_words(row, number) || (any && strcmp(text, one) != 0)) {
			fputs("keep", w->to);
			return;
		}
		memcpy(text, one, sizeof(text));
		any = true;
	}
	fputs(text, w->to);
}

/* "cc.np.enable" behind "cc.np.cnp_dscp": the maps it is in, opened where they differ. */
static void put_key(const struct rt_profile_writer *w, const char *path,
		    const char *last)
{
	const char *key = path;
	unsigned depth = 1;

	for (const char *dot; (dot = strchr(key, '.')); key = dot + 1) {
		const size_t bytes = (size_t)(dot - path) + 1;

		if (strncmp(path, last, bytes) != 0)
			fprintf(w->to, "%*s%.*s:\n", (int)depth * 2, "",
				(int)(dot - key), key);
		depth++;
	}
	fprintf(w->to, "%*s%s: ", (int)depth * 2, "", key);
}

#define HOST "host."

static bool is_host_knob(const struct rt_knob *row, const char *last)
{
	return row->param && strncmp(row->param, HOST, strlen(HOST)) == 0 &&
	       strcmp(row->param + strlen(HOST), last) != 0;
}

/* Raw knobs go into the last map that was opened: host.cc comes last. */
static void put_raw(const struct rt_profile_writer *w)
{
	size_t count = 0;

	for (size_t i = 0; i < w->qos->raw_count && count < RT_PAIR_MAX; i++) {
		const struct rt_raw_value *raw = &w->qos->raw[i];

		if (!raw->known || !is_profile_driver(w->device->driver_name))
			continue;
		if (count++ == 0)
			fprintf(w->to, "    raw:\n      %s:\n", w->device->driver_name);
		fprintf(w->to, "        %s: %" PRIu64 "\n", raw->name, raw->number);
	}
}

static void put_host(const struct rt_profile_writer *w)
{
	const char *last = "";

	fputs("host:\n", w->to);
	for (unsigned id = 0; id < RT_KNOB_COUNT; id++) {
		const struct rt_knob *row = &rt_knobs[id];

		if (!is_host_knob(row, last))
			continue;
		put_key(w, row->param + strlen(HOST), last);
		last = row->param + strlen(HOST);
		if (strcmp(last, "buffers") == 0)
			put_buffers(w);
		else
			put_param(w, row->param);
		fputc('\n', w->to);
	}
	put_raw(w);
}

int rt_port_profile(const struct rt_device *device, const struct rt_qos *qos,
		    char **ret_yaml, struct rt_err *err)
{
	struct rt_profile_writer w = { .device = device, .qos = qos };
	const uint64_t trust = rt_qos_scalar(qos, RT_KNOB_TRUST);
	char *yaml = NULL;
	size_t bytes = 0;
	bool failed;

	w.map = trust == RT_TRUST_DSCP || trust == RT_TRUST_BOTH;
	w.to = open_memstream(&yaml, &bytes);
	if (!w.to)
		return rt_err_sys(err, -ENOMEM, "cannot hold the profile");
	put_head(&w);
	rt_put_profile_classes(&w);
	put_host(&w);
	failed = ferror(w.to);
	if (fclose(w.to) != 0 || failed) {
		free(yaml);
		return rt_err_sys(err, -ENOMEM, "cannot hold the profile");
	}
	*ret_yaml = yaml;
	return 0;
}
