/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * text.c - a snapshot as metrics: family by family, and in each port by port, so that
 * families are of one piece and the order is always the same.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "export/export.h"
#include "export/families.h"
#include "export/totals.h"
#include "rocetune/err.h"
#include "rocetune/field.h"
#include "watch/watch.h"

#define LABEL_BYTES 640 /* names, each byte as five, and what is between */
#define MORE_BYTES  1024

struct port {
	const struct rt_watch_view *view;
	char labels[LABEL_BYTES];
	size_t at; /* in the set: where the counter at work begins */
};

struct text {
	struct rt_metrics metrics;
	const struct rt_watch_snapshot *snapshot;
	const struct rt_totals *totals;
	struct port *ports; /* owned */
	size_t count;
};

/* --- labels -------------------------------------------------------------------------------- */

/* "mlx5_0/1" is port 1 of a device; "eth0" a device. */
static void label_port(struct port *port)
{
	const struct rt_watch_port *facts = port->view->port;
	const char *slash = strrchr(facts->name, '/');
	char device[sizeof(facts->name)];
	int length = (int)strlen(facts->name);

	if (slash && slash[1])
		length = (int)(slash - facts->name);
	snprintf(device, sizeof(device), "%.*s", length, facts->name);
	rt_metrics_label(port->labels, sizeof(port->labels), "device", device);
	rt_metrics_label(port->labels, sizeof(port->labels), "port",
			 slash && slash[1] ? slash + 1 : "");
	rt_metrics_label(port->labels, sizeof(port->labels), "netdev", facts->netdev);
}

static void put_labelled(struct text *text, const struct port *port, const char *name,
			 const char *label, uint64_t value)
{
	char labels[MORE_BYTES];

	snprintf(labels, sizeof(labels), "%s", port->labels);
	rt_metrics_label(labels, sizeof(labels), name, label);
	rt_metrics_sample(&text->metrics, labels, value);
}

static void put_prio(struct text *text, const struct port *port, unsigned prio,
		     uint64_t value)
{
	const char name[] = { (char)('0' + prio), '\0' };

	put_labelled(text, port, "prio", name, value);
}

/* --- the program and its sampler ------------------------------------------------------------ */

static void put_own(struct text *text, enum rt_own_metric which, const char *labels,
		    uint64_t value)
{
	rt_metrics_family(&text->metrics, &rt_own_metrics[which]);
	rt_metrics_sample(&text->metrics, labels, value);
}

bool rt_export_has_failed(const struct rt_watch_snapshot *snapshot)
{
	return *snapshot->said && !snapshot->ended;
}

static void put_sampler(struct text *text)
{
	const struct rt_watch_snapshot *snapshot = text->snapshot;
	const bool good = snapshot->ticks && !rt_export_has_failed(snapshot);

	put_own(text, RT_OWN_BUILD, "version=\"" RT_VERSION "\"", 1);
	put_own(text, RT_OWN_SUCCESS, "", good);
	/* Another time's says nothing about how old the sample is. */
	if (good && snapshot->wall_ns > 0 && !snapshot->own_time)
		put_own(text, RT_OWN_TIMESTAMP, "", (uint64_t)snapshot->wall_ns);
	if (good)
		put_own(text, RT_OWN_DURATION, "", snapshot->cost_ns);
	put_own(text, RT_OWN_INTERVAL, "", snapshot->interval_ns);
	put_own(text, RT_OWN_SAMPLES, "", snapshot->ticks);
}

/* --- ports ---------------------------------------------------------------------------------- */

static void put_facts(struct text *text, const struct port *port)
{
	const struct rt_watch_port *facts = port->view->port;
	char labels[MORE_BYTES], ip[RT_IP_TEXT_BYTES];

	snprintf(labels, sizeof(labels), "%s", port->labels);
	rt_metrics_label(labels, sizeof(labels), "driver", facts->driver);
	rt_metrics_label(labels, sizeof(labels), "role",
			 rt_name_of(rt_watch_role_names, facts->role));
	if (facts->ip.version)
		rt_metrics_label(labels, sizeof(labels), "ip",
				 rt_ip_format(&facts->ip, ip));
	if (*facts->peer)
		rt_metrics_label(labels, sizeof(labels), "peer", facts->peer);
	rt_metrics_sample(&text->metrics, labels, 1);
}

static void put_states(struct text *text)
{
	rt_metrics_family(&text->metrics, &rt_own_metrics[RT_OWN_PORT]);
	for (size_t i = 0; i < text->count; i++)
		put_facts(text, &text->ports[i]);
	rt_metrics_family(&text->metrics, &rt_own_metrics[RT_OWN_PRESENT]);
	for (size_t i = 0; i < text->count; i++)
		rt_metrics_sample(&text->metrics, text->ports[i].labels,
				  text->ports[i].view->port->state != RT_WATCH_GONE);
	rt_metrics_family(&text->metrics, &rt_own_metrics[RT_OWN_UP]);
	for (size_t i = 0; i < text->count; i++)
		if (text->ports[i].view->port->state != RT_WATCH_STATE_UNKNOWN)
			rt_metrics_sample(&text->metrics, text->ports[i].labels,
					  text->ports[i].view->port->state ==
						  RT_WATCH_UP);
}

static bool is_gone(const struct port *port)
{
	return port->view->port->state == RT_WATCH_GONE;
}

static struct rt_opt_u64 field_of(const struct rt_field *field, const void *object)
{
	const void *at = (const char *)object + field->offset;

	switch (field->type) {
	case RT_FIELD_OPT_U64: return *(const struct rt_opt_u64 *)at;
	case RT_FIELD_U64: return RT_KNOWN_U64(*(const uint64_t *)at);
	case RT_FIELD_BOOL: return RT_KNOWN_U64(*(const bool *)at);
	default: abort();
	}
}

static void put_port_gauge(struct text *text, const struct rt_gauge *gauge)
{
	struct rt_metric metric;
	const struct rt_field *field = rt_gauge_metric(gauge, &rt_watch_port_table,
						       &metric);

	rt_metrics_family(&text->metrics, &metric);
	for (size_t i = 0; i < text->count; i++) {
		const struct port *port = &text->ports[i];
		const struct rt_opt_u64 value = field_of(field, port->view->port);

		if (value.known && !is_gone(port))
			rt_metrics_sample(&text->metrics, port->labels, value.value);
	}
}

static void put_mask_gauge(struct text *text, const struct rt_gauge *gauge)
{
	struct rt_metric metric;
	const struct rt_field *field = rt_gauge_metric(gauge, &rt_watch_port_table,
						       &metric);

	rt_metrics_family(&text->metrics, &metric);
	for (size_t i = 0; i < text->count; i++) {
		const struct port *port = &text->ports[i];
		const struct rt_opt_u64 mask = field_of(field, port->view->port);

		for (unsigned prio = 0; prio < 8 && mask.known && !is_gone(port);
		     prio++)
			put_prio(text, port, prio, mask.value >> prio & 1);
	}
}

/* --- verdicts ------------------------------------------------------------------------------- */

/* Each of them, so that a query need not know which there are. */
static void put_verdicts(struct text *text)
{
	rt_metrics_family(&text->metrics, &rt_own_metrics[RT_OWN_VERDICT]);
	for (size_t i = 0; i < text->count; i++) {
		const struct port *port = &text->ports[i];

		for (const struct rt_name *name = rt_verdict_names; name->name; name++)
			put_labelled(text, port, "verdict", name->name,
				     port->view->verdict == name->value);
	}
}

/* How often the rule of a finding holds; 0: it was counted with an earlier one. */
static uint64_t places_of(const struct rt_findings *findings, size_t at)
{
	const char *id = findings->items[at].id;
	uint64_t places = 0;

	for (size_t i = 0; i < findings->count; i++) {
		if (strcmp(findings->items[i].id, id) != 0)
			continue;
		if (i < at)
			return 0;
		places += findings->items[i].folded ? findings->items[i].folded : 1;
	}
	return places;
}

static void put_finding(struct text *text, const struct port *port, size_t at)
{
	const struct rt_finding *finding = &port->view->findings.items[at];
	const uint64_t places = places_of(&port->view->findings, at);
	char labels[MORE_BYTES];

	if (!places)
		return;
	snprintf(labels, sizeof(labels), "%s", port->labels);
	rt_metrics_label(labels, sizeof(labels), "rule", finding->id);
	rt_metrics_label(labels, sizeof(labels), "severity",
			 rt_name_of(rt_severity_names, finding->severity));
	rt_metrics_sample(&text->metrics, labels, places);
}

static void put_findings(struct text *text)
{
	rt_metrics_family(&text->metrics, &rt_own_metrics[RT_OWN_FINDING]);
	for (size_t i = 0; i < text->count; i++)
		for (size_t j = 0; j < text->ports[i].view->findings.count; j++)
			put_finding(text, &text->ports[i], j);
}

/* --- sources -------------------------------------------------------------------------------- */

static const char *source_name(const struct rt_watch_pace *pace)
{
	return rt_name_of(rt_counter_source_names, pace->source);
}

static void put_source_success(struct text *text)
{
	rt_metrics_family(&text->metrics, &rt_own_metrics[RT_OWN_SOURCE_SUCCESS]);
	for (size_t i = 0; i < text->count; i++) {
		const struct rt_watch_view *view = text->ports[i].view;

		for (size_t j = 0; j < view->pace_count; j++)
			if (view->paces[j].state != RT_LOOK_NONE)
				put_labelled(text, &text->ports[i], "source",
					     source_name(&view->paces[j]),
					     view->paces[j].state == RT_LOOK_READ);
	}
}

static void put_source_gauge(struct text *text, const struct rt_gauge *gauge)
{
	struct rt_metric metric;
	const struct rt_field *field = rt_gauge_metric(gauge, &rt_watch_pace_table,
						       &metric);

	rt_metrics_family(&text->metrics, &metric);
	for (size_t i = 0; i < text->count; i++) {
		const struct rt_watch_view *view = text->ports[i].view;

		for (size_t j = 0; j < view->pace_count; j++) {
			const struct rt_watch_pace *pace = &view->paces[j];
			const struct rt_opt_u64 value = field_of(field, pace);

			if (value.known && pace->state == RT_LOOK_READ)
				put_labelled(text, &text->ports[i], "source",
					     source_name(pace), value.value);
		}
	}
}

/* --- counters ------------------------------------------------------------------------------- */

static uint64_t value_of(const struct text *text, const struct port *port, size_t item)
{
	const size_t number = (size_t)(port->view - text->snapshot->views);

	return port->view->set->items[item].value +
	       rt_totals_passed(text->totals, number, item);
}

/* The items of one counter: those of the port, or those of its priorities. */
static void put_items(struct text *text, const struct port *port, unsigned counter,
		      bool by_prio)
{
	const struct rt_counter_set *set = port->view->set;

	for (size_t i = port->at; i < set->count && set->items[i].counter == counter;
	     i++) {
		const unsigned prio = set->items[i].prio;
		const uint64_t value = value_of(text, port, i);

		if (by_prio && prio < 8)
			put_prio(text, port, prio, value);
		else if (!by_prio && prio == RT_COUNTER_NO_PRIO)
			rt_metrics_sample(&text->metrics, port->labels, value);
	}
}

static void put_counter(struct text *text, unsigned counter)
{
	struct rt_metric metric;

	for (unsigned by_prio = 0; by_prio < 2; by_prio++) {
		rt_counter_metric(counter, by_prio, &metric);
		rt_metrics_family(&text->metrics, &metric);
		for (size_t i = 0; i < text->count; i++)
			put_items(text, &text->ports[i], counter, by_prio);
	}
	for (size_t i = 0; i < text->count; i++) {
		const struct rt_counter_set *set = text->ports[i].view->set;

		while (text->ports[i].at < set->count &&
		       set->items[text->ports[i].at].counter <= counter)
			text->ports[i].at++;
	}
}

/* --- all of it ------------------------------------------------------------------------------ */

static void put_all(struct text *text)
{
	put_sampler(text);
	put_states(text);
	for (size_t i = 0; i < rt_port_gauge_count; i++)
		put_port_gauge(text, &rt_port_gauges[i]);
	for (size_t i = 0; i < rt_mask_gauge_count; i++)
		put_mask_gauge(text, &rt_mask_gauges[i]);
	/* Verdicts are of rates, which the first sample has none of. */
	if (text->snapshot->elapsed_ns) {
		put_verdicts(text);
		put_findings(text);
	}
	put_source_success(text);
	for (size_t i = 0; i < rt_source_gauge_count; i++)
		put_source_gauge(text, &rt_source_gauges[i]);
	for (unsigned i = 0; i < RT_COUNTER_COUNT; i++)
		put_counter(text, i);
	rt_metrics_end(&text->metrics);
}

/* What a failed sample left is not what is. */
static int take_ports(struct text *text)
{
	const struct rt_watch_snapshot *snapshot = text->snapshot;

	text->count = rt_export_has_failed(snapshot) ? 0 : snapshot->count;
	text->ports = calloc(text->count + 1, sizeof(*text->ports));
	if (!text->ports)
		return -ENOMEM;
	for (size_t i = 0; i < text->count; i++) {
		text->ports[i].view = &snapshot->views[i];
		label_port(&text->ports[i]);
	}
	return 0;
}

int rt_export_text(const struct rt_watch_snapshot *snapshot,
		   const struct rt_totals *totals, bool open_metrics, char **ret_text,
		   size_t *ret_bytes, struct rt_err *err)
{
	struct text text = { .snapshot = snapshot,
			     .totals = totals,
			     .metrics.open_metrics = open_metrics };
	char *written = NULL;
	size_t bytes = 0;
	int r = take_ports(&text);

	text.metrics.to = r < 0 ? NULL : open_memstream(&written, &bytes);
	if (text.metrics.to) {
		put_all(&text);
		r = ferror(text.metrics.to) ? -ENOMEM : 0;
		r = fclose(text.metrics.to) == 0 ? r : -ENOMEM;
	} else {
		r = -ENOMEM;
	}
	free(text.ports);
	if (r < 0) {
		free(written);
		return rt_err_sys(err, r, "cannot write the metrics");
	}
	*ret_text = written;
	*ret_bytes = bytes;
	return 0;
}
