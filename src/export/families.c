/* SPDX-License-Identifier: BSD-2-Clause */
/* families.c - the rows of metrics. */
#include "export/families.h"

#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "model/counters.h"
#include "rocetune/field.h"
#include "watch/watch.h"

const struct rt_metric rt_own_metrics[RT_OWN_COUNT] = {
	[RT_OWN_BUILD] = { RT_METRIC_INFO, RT_UNIT_NONE, "", "build",
			   "The program that tells this" },
	[RT_OWN_SUCCESS] = { RT_METRIC_GAUGE, RT_UNIT_NONE, "", "sample_success",
			     "Whether the last sample was taken; where not, nothing "
			     "is told of ports" },
	[RT_OWN_TIMESTAMP] = { RT_METRIC_GAUGE, RT_UNIT_NS, "", "sample_timestamp_ns",
			       "When the last sample was taken, since 1970" },
	[RT_OWN_DURATION] = { RT_METRIC_GAUGE, RT_UNIT_NS, "", "sample_duration_ns",
			      "What taking the last sample took" },
	[RT_OWN_INTERVAL] = { RT_METRIC_GAUGE, RT_UNIT_NS, "", "sample_interval_ns",
			      "How often samples are to be taken" },
	[RT_OWN_SAMPLES] = { RT_METRIC_COUNTER, RT_UNIT_COUNT, "", "samples",
			     "Samples taken, or tried" },
	[RT_OWN_PORT] = { RT_METRIC_INFO, RT_UNIT_NONE, "", "port",
			  "What a port is: join its labels by device and port" },
	[RT_OWN_UP] = { RT_METRIC_GAUGE, RT_UNIT_NONE, "port_", "up",
			"Whether the port has a link" },
	[RT_OWN_PRESENT] = { RT_METRIC_GAUGE, RT_UNIT_NONE, "port_", "present",
			     "0: the port was there before, and is gone" },
	[RT_OWN_VERDICT] = { RT_METRIC_GAUGE, RT_UNIT_NONE, "port_", "verdict",
			     "1: this is what is wrong with the port, by its rates "
			     "over the last interval" },
	[RT_OWN_FINDING] = { RT_METRIC_GAUGE, RT_UNIT_COUNT, "port_", "finding",
			     "In how many places the rule holds now; see "
			     "docs/findings.md for what it means" },
	[RT_OWN_SOURCE_SUCCESS] = { RT_METRIC_GAUGE, RT_UNIT_NONE, "source_", "success",
				    "Whether the source of a port's counters could be "
				    "read" },
};

const struct rt_gauge rt_port_gauges[] = {
	{ "port_", "speed_bps", "speed_bps", NULL },
	{ "port_", "mtu_bytes", "mtu_bytes", NULL },
	{ "port_", "cnp_gap_ns", "cnp_gap_ns", NULL },
	{ "port_", "pcie_bps", "pcie_bps", NULL },
	{ "port_", "pcie_max_bps", "pcie_max_bps", NULL },
};
const size_t rt_port_gauge_count = RT_ARRAY_SIZE(rt_port_gauges);

const struct rt_gauge rt_mask_gauges[] = {
	{ "prio_", "lossless", "lossless", "1: PFC is on for the priority" },
	{ "prio_", "rdma", "rdma_prios", "1: RDMA is meant to be on the priority" },
};
const size_t rt_mask_gauge_count = RT_ARRAY_SIZE(rt_mask_gauges);

const struct rt_gauge rt_source_gauges[] = {
	{ "source_", "duration_ns", "cost_ns", NULL },
	{ "source_", "interval_ns", "every_ns", NULL },
	{ "source_", "refresh_ns", "refresh_ns", NULL },
	{ "source_", "age_ns", "age_ns", NULL },
	{ "source_", "slowed", "slowed", NULL },
	{ "source_", "old", "old", NULL },
};
const size_t rt_source_gauge_count = RT_ARRAY_SIZE(rt_source_gauges);

const struct rt_field *rt_gauge_metric(const struct rt_gauge *gauge,
				       const struct rt_table *table,
				       struct rt_metric *ret_metric)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct rt_field *field = &table->fields[i];

		if (strcmp(field->name, gauge->field) != 0)
			continue;
		*ret_metric = (struct rt_metric){
			.type = RT_METRIC_GAUGE,
			.unit = field->unit,
			.stem = gauge->stem,
			.name = gauge->name,
			.help = gauge->help ? gauge->help : field->help,
		};
		return field;
	}
	abort();
}

void rt_counter_metric(unsigned counter, bool by_prio, struct rt_metric *ret_metric)
{
	const struct rt_counter *row = &rt_counters[counter];

	*ret_metric = (struct rt_metric){
		.type = RT_METRIC_COUNTER,
		.unit = row->unit,
		.stem = by_prio ? "prio_" : "",
		.name = row->name,
		.help = row->help,
	};
}

/* --- all names ------------------------------------------------------------------------------ */

struct told {
	void (*told)(void *context, const char *name);
	void *context;
};

static void tell(const struct told *told, const struct rt_metric *metric)
{
	char name[RT_METRIC_NAME_BYTES];

	told->told(told->context, rt_metric_sample_name(metric, name));
}

static void tell_gauges(const struct told *told, const struct rt_gauge *gauges,
			size_t count, const struct rt_table *table)
{
	struct rt_metric metric;

	for (size_t i = 0; i < count; i++) {
		rt_gauge_metric(&gauges[i], table, &metric);
		tell(told, &metric);
	}
}

void rt_export_each_name(void (*told)(void *context, const char *name), void *context)
{
	const struct told to = { told, context };
	struct rt_metric metric;

	for (size_t i = 0; i < RT_OWN_COUNT; i++)
		tell(&to, &rt_own_metrics[i]);
	tell_gauges(&to, rt_port_gauges, rt_port_gauge_count, &rt_watch_port_table);
	tell_gauges(&to, rt_mask_gauges, rt_mask_gauge_count, &rt_watch_port_table);
	tell_gauges(&to, rt_source_gauges, rt_source_gauge_count, &rt_watch_pace_table);
	for (unsigned i = 0; i < RT_COUNTER_COUNT; i++) {
		rt_counter_metric(i, false, &metric);
		if (rt_counters[i].scope & RT_COUNTER_PORT)
			tell(&to, &metric);
		rt_counter_metric(i, true, &metric);
		if (rt_counters[i].scope & RT_COUNTER_PRIO)
			tell(&to, &metric);
	}
}
