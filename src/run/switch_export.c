/* SPDX-License-Identifier: BSD-2-Clause */
/* switch_export.c - a profile as what a switch's own tool takes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/own.h"
#include "model/switch_build.h"
#include "nos/nos.h"
#include "nos/wish.h"
#include "rocetune/err.h"
#include "run/profile.h"
#include "run/switch.h"

/* Names of ports, cut out of a list. */
struct names {
	const char **items;
	size_t count, capacity;
	char *text; /* the list, cut */
};

static void free_names(struct names *names)
{
	free(names->items);
	free(names->text);
}

static int add_name(struct names *names, const char *name)
{
	const char **items = rt_grow(names->items, names->count, &names->capacity,
				     sizeof(*items));

	if (!items)
		return -ENOMEM;
	names->items = items;
	items[names->count++] = name;
	return 0;
}

/* A name that a port can have: no blank, no control character, no key's bar. */
static bool is_port_name(const char *name)
{
	for (const char *at = name; *at; at++)
		if (*at <= ' ' || *at > '~' || *at == '|' || *at == '"')
			return false;
	return *name && strlen(name) <= 64;
}

static int split_names(const char *list, struct names *names, struct rt_err *err)
{
	int r = 0;

	names->text = strdup(list);
	if (!names->text)
		return rt_err_sys(err, -ENOMEM, "cannot hold the list of ports");
	for (char *at = names->text, *next; at && r == 0; at = next) {
		next = strchr(at, ',');
		if (next)
			*next++ = '\0';
		if (!is_port_name(at) || names->count == RT_SWITCH_PORTS_MAX)
			return rt_err_set(err, -EINVAL,
					  "'%.60s' is no list of ports such as "
					  "Ethernet0,Ethernet4",
					  list);
		r = add_name(names, at);
	}
	return r < 0 ? rt_err_sys(err, r, "cannot hold the list of ports") : 0;
}

/* Ports that take part in QoS now: with an entry of their own. */
static int ports_of(const struct rt_switch *sw, struct names *names, struct rt_err *err)
{
	int r = 0;

	for (size_t i = 0; i < sw->port_count && r == 0; i++) {
		const struct rt_switch_port *port = &sw->ports[i];

		if (!port->remote &&
		    (port->pfc.state == RT_SETTING_VALUE ||
		     port->maps[rt_switch_map_slot(RT_SWITCH_TC_QUEUE)].name))
			r = add_name(names, port->id.name);
	}
	if (r < 0)
		return rt_err_sys(err, r, "cannot hold the list of ports");
	if (!names->count)
		return rt_err_set(err, -EINVAL,
				  "%s: no port has queues or PFC yet: name them with "
				  "--port",
				  sw->file);
	return 0;
}

static int export(const struct rt_nos *nos, const struct rt_export_options *options,
		  struct rt_nos_wish *wish, struct names *names,
		  struct rt_json **ret_config, struct rt_err *err)
{
	RT_AUTO(rt_auto_switch_free) struct rt_switch *sw = NULL;
	RT_AUTO(rt_auto_free) char *text = NULL;
	int r = 0;

	if (options->against) {
		r = rt_file_read(options->against, RT_NOS_MAX_BYTES, &text,
				 &wish->against_bytes, err);
		if (r < 0)
			return r;
		wish->against_name = rt_file_name(options->against);
		wish->against = text;
		r = rt_nos_parse(nos, wish->against_name, text, wish->against_bytes,
				 NULL, NULL, &sw, err);
	}
	if (r == 0)
		r = options->ports ? split_names(options->ports, names, err)
				   : ports_of(sw, names, err);
	if (r < 0)
		return r;
	wish->there = sw;
	wish->ports = names->items;
	wish->port_count = names->count;
	return nos->export(wish, ret_config, err);
}

int rt_run_profile_export(const struct rt_export_options *options,
			  struct rt_findings *complaints, struct rt_json **ret_config,
			  struct rt_err *err)
{
	RT_AUTO(rt_auto_profile_free) struct rt_profile *profile = NULL;
	const struct rt_nos *nos = rt_nos_find(options->nos ? options->nos : "");
	struct rt_nos_wish wish = { .role = options->role, .complaints = complaints };
	struct names names = { 0 };
	int r;

	if (!nos || !nos->export)
		return rt_err_set(err, -EINVAL,
				  "--nos %.40s: nothing is written for it; sonic is",
				  options->nos ? options->nos : "");
	if (!options->ports && !options->against)
		return rt_err_set(err, -EINVAL,
				  "which ports? Name them with --port, or the switch's "
				  "configuration with --against");
	r = rt_run_profile_read(options->profile, &profile, err);
	if (r < 0)
		return r;
	wish.profile = profile;
	r = export(nos, options, &wish, &names, ret_config, err);
	free_names(&names);
	return r;
}
