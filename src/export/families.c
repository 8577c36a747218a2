/* SPDX-License-Identifier: BSD-2-Clause */
/* families.c - the rows of metrics. */
#include "export/families.h"

#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "model/counters.h"
#include "rocetune/field.h"
#include "watch/watch.h"

#define OF_PORT   "device, port, netdev"
#define OF_PRIO   OF_PORT ", prio"
#define OF_SOURCE OF_PORT ", source"

const struct rt_metric rt_own_metrics[RT_OWN_COUNT] = {
	[RT_OWN_BUILD] = { RT_METRIC_INFO, RT_UNIT_NONE, "", "build",
			   "the program that tells this", "version" },
	[RT_OWN_SUCCESS] = { RT_METRIC_GAUGE, RT_UNIT_NONE, "", "sample_success",
			     "whether the last sample was taken; where not, nothing "
			     "is told of ports",
			     "" },
	[RT_OWN_TIMESTAMP] = { RT_METRIC_GAUGE, RT_UNIT_NS, "", "sample_timestamp_ns",
			       "when the last sample was taken, since 1970; of this "
			       "world's time, so that recordings and demonstrations "
			       "have none",
			       "" },
	[RT_OWN_DURATION] = { RT_METRIC_GAUGE, RT_UNIT_NS, "", "sample_duration_ns",
			      "what taking the last sample took", "" },
	[RT_OWN_INTERVAL] = { RT_METRIC_GAUGE, RT_UNIT_NS, "", "sample_interval_ns",
			      "how often samples are to be taken", "" },
	[RT_OWN_SAMPLES] = { RT_METRIC_COUNTER, RT_UNIT_COUNT, "", "samples",
			     "samples that were taken; one that failed is none", "" },
	[RT_OWN_PORT] = { RT_METRIC_INFO, RT_UNIT_NONE, "", "port",
			  "what a port is: join its labels by device and port",
			  OF_PORT ", driver, role, ip, peer" },
	[RT_OWN_UP] = { RT_METRIC_GAUGE, RT_UNIT_NONE, "port_", "up",
			"whether the port has a link", OF_PORT },
	[RT_OWN_PRESENT] = { RT_METRIC_GAUGE, RT_UNIT_NONE, "port_", "present",
			     "0: the port was there before, and is gone", OF_PORT },
	[RT_OWN_VERDICT] = { RT_METRIC_GAUGE, RT_UNIT_NONE, "port_", "verdict",
			     "1: this is what is wrong with the port, by its rates "
			     "over the last interval",
			     OF_PORT ", verdict" },
	[RT_OWN_FINDING] = { RT_METRIC_GAUGE, RT_UNIT_COUNT, "port_", "finding",
			     "in how many places the rule holds now; see "
			     "docs/findings.md for what it means",
			     OF_PORT ", rule, severity" },
	[RT_OWN_SOURCE_SUCCESS] = { RT_METRIC_GAUGE, RT_UNIT_NONE, "source_", "success",
				    "whether the source of a port's counters could be "
				    "read",
				    OF_SOURCE },
};

const struct rt_gauge rt_port_gauges[] = {
	{ "port_", "speed_bps", "speed_bps", NULL, OF_PORT },
	{ "port_", "mtu_bytes", "mtu_bytes", NULL, OF_PORT },
	{ "port_", "cnp_gap_ns", "cnp_gap_ns", NULL, OF_PORT },
	{ "port_", "queue_pairs", "queue_pairs", NULL, OF_PORT },
	{ "port_", "pcie_bps", "pcie_bps", NULL, OF_PORT },
	{ "port_", "pcie_max_bps", "pcie_max_bps", NULL, OF_PORT },
};
const size_t rt_port_gauge_count = RT_ARRAY_SIZE(rt_port_gauges);

const struct rt_gauge rt_mask_gauges[] = {
	{ "prio_", "lossless", "lossless", "1: PFC is on for the priority", OF_PRIO },
	{ "prio_", "rdma", "rdma_prios", "1: RDMA is meant to be on the priority",
	  OF_PRIO },
};
const size_t rt_mask_gauge_count = RT_ARRAY_SIZE(rt_mask_gauges);

const struct rt_gauge rt_source_gauges[] = {
	{ "source_", "duration_ns", "cost_ns", NULL, OF_SOURCE },
	{ "source_", "interval_ns", "every_ns", NULL, OF_SOURCE },
	{ "source_", "refresh_ns", "refresh_ns", NULL, OF_SOURCE },
	{ "source_", "age_ns", "age_ns", NULL, OF_SOURCE },
	{ "source_", "slowed", "slowed", NULL, OF_SOURCE },
	{ "source_", "old", "old", NULL, OF_SOURCE },
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
			.labels = gauge->labels,
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
		.labels = by_prio ? OF_PRIO : OF_PORT,
	};
}

/* --- all of them ---------------------------------------------------------------------------- */

struct told {
	void (*told)(void *context, const struct rt_metric *metric);
	void *context;
};

static void tell_gauges(const struct told *to, const struct rt_gauge *gauges,
			size_t count, const struct rt_table *table)
{
	struct rt_metric metric;

	for (size_t i = 0; i < count; i++) {
		rt_gauge_metric(&gauges[i], table, &metric);
		to->told(to->context, &metric);
	}
}

void rt_export_each(void (*told)(void *context, const struct rt_metric *metric),
		    void *context)
{
	const struct told to = { told, context };
	struct rt_metric metric;

	for (size_t i = 0; i < RT_OWN_COUNT; i++)
		told(context, &rt_own_metrics[i]);
	tell_gauges(&to, rt_port_gauges, rt_port_gauge_count, &rt_watch_port_table);
	tell_gauges(&to, rt_mask_gauges, rt_mask_gauge_count, &rt_watch_port_table);
	tell_gauges(&to, rt_source_gauges, rt_source_gauge_count, &rt_watch_pace_table);
	for (unsigned i = 0; i < RT_COUNTER_COUNT; i++)
		for (unsigned by_prio = 0; by_prio < 2; by_prio++) {
			const unsigned scope = by_prio ? RT_COUNTER_PRIO
						       : RT_COUNTER_PORT;

			rt_counter_metric(i, by_prio, &metric);
			if (rt_counters[i].scope & scope)
				told(context, &metric);
		}
}
