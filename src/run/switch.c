/* SPDX-License-Identifier: BSD-2-Clause */
/* switch.c - one port of a switch's configuration as a profile. */
#include "run/switch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "model/rules_switch.h"
#include "model/switch_profile.h"
#include "nos/nos.h"
#include "rocetune/err.h"
#include "run/outcome.h"

static const struct rt_field class_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_switch_class_row, name, "name in the profile",
			  .label = "class"),
	RT_FIELD_CHARS_OF(struct rt_switch_class_row, dscps, "DSCPs that lead to it"),
	RT_FIELD(struct rt_switch_class_row, OPT_U64, tc, NONE, "traffic class"),
	RT_FIELD(struct rt_switch_class_row, OPT_U64, pg, NONE,
		 "ingress priority group"),
	RT_FIELD(struct rt_switch_class_row, OPT_U64, queue, NONE, "egress queue"),
	RT_FIELD_CHARS_OF(struct rt_switch_class_row, prios,
			  "PFC priorities that pause it, both ways"),
	RT_FIELD(struct rt_switch_class_row, ENUM, lossless, NONE,
		 "whether all links of the chain are there",
		 .names = rt_switch_lossless_names),
	RT_FIELD_CHARS_OF(struct rt_switch_class_row, why,
			  "the link that is missing or not told",
			  .flags = RT_FIELD_DETAIL),
	RT_FIELD(struct rt_switch_class_row, TEXT, scheduler, NONE,
		 "the switch's name of the queue's scheduler",
		 .flags = RT_FIELD_DETAIL),
	RT_FIELD(struct rt_switch_class_row, TEXT, wred, NONE,
		 "the switch's name of the queue's ECN thresholds",
		 .flags = RT_FIELD_DETAIL),
	RT_FIELD(struct rt_switch_class_row, TEXT, buffer, NONE,
		 "the switch's name of the group's buffer profile",
		 .flags = RT_FIELD_DETAIL),
	RT_FIELD(struct rt_switch_class_row, OPT_U64, kmin_bytes, BYTES,
		 "queue at which marking starts"),
	RT_FIELD(struct rt_switch_class_row, OPT_U64, kmax_bytes, BYTES,
		 "queue from which all is marked"),
	RT_FIELD(struct rt_switch_class_row, OPT_U64, pmax_ppb, PCT,
		 "probability of a mark just below that"),
	RT_FIELD(struct rt_switch_class_row, OPT_U64, headroom_bytes, BYTES,
		 "room for what arrives after PAUSE"),
	RT_FIELD(struct rt_switch_class_row, OPT_U64, alpha_ppb, RATIO,
		 "XOFF at alpha times the free pool", .label = "alpha"),
};

static RT_TABLE(class_table, rt_switch_class_row, "switch_class", "Classes",
		"A traffic class of a port.", class_fields);

static const struct rt_field import_fields[] = {
	RT_FIELD(struct rt_import, TEXT, nos, NONE, "switch system"),
	RT_FIELD(struct rt_import, TEXT, file, NONE, "the configuration"),
	RT_FIELD(struct rt_import, TEXT, hostname, NONE, "the switch",
		 .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD(struct rt_import, TEXT, hwsku, NONE, "its hardware",
		 .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD(struct rt_import, TEXT, port, NONE, "the port"),
	RT_FIELD(struct rt_import, OPT_U64, speed_bps, BPS, "its speed"),
	RT_FIELD(struct rt_import, OPT_U64, mtu_bytes, BYTES, "its MTU"),
	RT_FIELD(struct rt_import, OPT_U64, cable_mm, LENGTH, "its cable"),
	RT_FIELD_CHARS_OF(struct rt_import, pfc_tx, "priorities it sends PAUSE for"),
	RT_FIELD_CHARS_OF(struct rt_import, pfc_rx, "priorities whose PAUSE it obeys"),
	RT_FIELD_CHARS_OF(struct rt_import, watched,
			  "priorities that its watchdog looks at"),
	RT_FIELD(struct rt_import, U32, not_read, COUNT,
		 "lines or fields about QoS that were not understood"),
	RT_FIELD_LIST_OF(struct rt_import, classes, class_count, &class_table,
			 "traffic classes that DSCPs lead to"),
	{ .name = "findings",
	  .help = "what is wrong with it",
	  .type = RT_FIELD_LIST,
	  .offset = offsetof(struct rt_import, findings.items),
	  .table = &rt_finding_table,
	  .count_offset = offsetof(struct rt_import, findings.count) },
};

RT_TABLE(rt_import_table, rt_import, "switch_port", "Switch port",
	 "What one port of a switch does to RoCE traffic.", import_fields);

static void release_import(void *object)
{
	struct rt_import *import = object;

	rt_profile_free(import->profile);
	rt_switch_free(import->sw);
	rt_findings_free(&import->findings);
	free(import->classes);
	free(import);
}

static void auto_release(struct rt_import **import)
{
	if (*import)
		release_import(*import);
}

static struct rt_opt_u64 opt(const struct rt_setting *setting)
{
	return (struct rt_opt_u64){ .value = setting->number,
				    .known = rt_setting_known(setting) };
}

static const char *name_of(const void *object)
{
	return object ? ((const struct rt_switch_object *)object)->name : NULL;
}

static void fill_row(const struct rt_import *import, const struct rt_switch_port *port,
		     const struct rt_class *class, struct rt_switch_class_row *row)
{
	const unsigned tc = (unsigned)class->tc.number;
	struct rt_setting dscps = { .state = RT_SETTING_VALUE };
	struct rt_switch_path path;

	rt_switch_path_of_tc(import->sw, port, tc, &path);
	dscps.number = rt_switch_dscps_of_tc(import->sw, port, tc);
	memcpy(row->name, class->name, sizeof(row->name));
	rt_switch_mask_text(&dscps, row->dscps);
	rt_switch_mask_text(&path.prios, row->prios);
	row->tc = opt(&path.tc);
	row->pg = opt(&path.pg);
	row->queue = opt(&path.queue);
	row->lossless = path.lossless;
	memcpy(row->why, path.why, sizeof(row->why));
	row->scheduler = name_of(path.sched);
	row->wred = name_of(path.wred);
	row->buffer = name_of(path.buffer);
	if (path.wred && rt_switch_wred_marks(path.wred)) {
		row->kmin_bytes = opt(&path.wred->colour[RT_GREEN].kmin);
		row->kmax_bytes = opt(&path.wred->colour[RT_GREEN].kmax);
		row->pmax_ppb = opt(&path.wred->colour[RT_GREEN].pmax);
	}
	if (path.buffer) {
		row->headroom_bytes = opt(&path.buffer->xoff);
		row->alpha_ppb = opt(&path.buffer->alpha);
	}
}

static int fill(struct rt_import *import, const struct rt_switch_port *port)
{
	import->nos = import->sw->nos;
	import->file = import->sw->file;
	import->port = port->id.name;
	import->hostname = import->sw->hostname.text;
	import->hwsku = import->sw->hwsku.text;
	import->not_read = import->sw->not_read;
	import->speed_bps = opt(&port->speed);
	import->mtu_bytes = opt(&port->mtu);
	import->cable_mm = opt(&port->cable);
	rt_switch_mask_text(&port->pfc_tx, import->pfc_tx);
	rt_switch_mask_text(&port->pfc_rx, import->pfc_rx);
	rt_switch_mask_text(&port->watchdog_prios, import->watched);
	import->class_count = import->profile->class_count;
	import->classes = calloc(import->class_count + 1, sizeof(*import->classes));
	if (!import->classes)
		return -ENOMEM;
	for (size_t i = 0; i < import->class_count; i++)
		fill_row(import, port, &import->profile->classes[i],
			 &import->classes[i]);
	return 0;
}

int rt_run_switch_no_port(const struct rt_switch *sw, const char *name,
			  struct rt_err *err)
{
	const char *words[256], *near;
	size_t count = 0;

	if (!name)
		return rt_err_set(err, -ENODATA, "%s: there is no port in it",
				  sw->file);
	for (; count < sw->port_count && count < RT_ARRAY_SIZE(words); count++)
		words[count] = sw->ports[count].id.name;
	near = rt_text_nearest(name, words, count);
	return rt_err_set(err, -ENOENT, "%s: no port '%.60s'%s%.60s%s", sw->file, name,
			  near ? ": did you mean " : "", near ? near : "",
			  near ? "?" : "");
}

/* Which system the options name; false: none that is known. */
static bool find_nos(const char *name, const struct rt_nos **ret_nos,
		     struct rt_err *err)
{
	char known[80] = "";
	size_t used = 0;

	*ret_nos = name ? rt_nos_find(name) : NULL;
	if (!name || *ret_nos)
		return true;
	for (const struct rt_nos *const *at = rt_nos_list; *at; at++)
		used += (size_t)snprintf(known + used, sizeof(known) - used, " %s",
					 (*at)->name);
	rt_err_set(err, -EINVAL, "'%.40s' is no switch system that is read:%s", name,
		   known);
	return false;
}

int rt_run_profile_import(const struct rt_import_options *options,
			  struct rt_outcome *ret_outcome, struct rt_err *err)
{
	RT_AUTO(auto_release) struct rt_import *import = calloc(1, sizeof(*import));
	const struct rt_switch_port *port;
	const struct rt_nos *nos;
	int r;

	if (!import)
		return rt_err_sys(err, -ENOMEM, "cannot hold the switch");
	if (!find_nos(options->nos, &nos, err))
		return -EINVAL;
	r = rt_nos_read(nos, options->file, options->headroom, &import->findings,
			&import->sw, err);
	if (r < 0)
		return r;
	if (options->cell_bytes)
		rt_switch_set_cell(import->sw, options->cell_bytes);
	port = rt_switch_port_usual(import->sw, &import->pfc_ports);
	if (options->port)
		port = rt_switch_port_find(import->sw, options->port);
	if (!port)
		return rt_run_switch_no_port(import->sw, options->port, err);
	r = rt_switch_profile(import->sw, port, options->role, &import->profile, err);
	if (r < 0)
		return r;
	if (fill(import, port) < 0)
		return rt_err_sys(err, -ENOMEM, "cannot hold the switch");
	r = rt_switch_check(import->sw, port, &import->findings, err);
	if (r < 0)
		return r;
	rt_findings_sort(&import->findings);
	*ret_outcome = (struct rt_outcome){
		.table = &rt_import_table,
		.findings = &import->findings,
		.release = release_import,
	};
	ret_outcome->object = rt_steal(&import);
	return 0;
}
