/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * families.h - which metrics there are: rows that name what they show by the tables of
 * the counter catalogue and of the sampler, whose help they have.
 */
#ifndef RT_EXPORT_FAMILIES_H
#define RT_EXPORT_FAMILIES_H

#include <stdbool.h>
#include <stddef.h>

#include "export/metrics.h"

struct rt_field;
struct rt_table;

/* A field of a table that is a gauge. */
struct rt_gauge {
	const char *stem, *name; /* of the metric */
	const char *field;       /* of the table */
	const char *help;        /* NULL: the field's */
	const char *labels;
};

/* Of rt_watch_port_table: numbers; and masks that have a bit for each priority. */
extern const struct rt_gauge rt_port_gauges[], rt_mask_gauges[];
extern const size_t rt_port_gauge_count, rt_mask_gauge_count;
/* Of rt_watch_pace_table, by source. */
extern const struct rt_gauge rt_source_gauges[];
extern const size_t rt_source_gauge_count;

/* The metric of a gauge and the field that it shows; aborts when there is none. */
const struct rt_field *rt_gauge_metric(const struct rt_gauge *gauge,
				       const struct rt_table *table,
				       struct rt_metric *ret_metric);

/* The metric of a counter, of its port or by priority. */
void rt_counter_metric(unsigned counter, bool by_prio, struct rt_metric *ret_metric);

/* What is of no table: the program, the sampler, verdicts, findings. */
enum rt_own_metric {
	RT_OWN_BUILD,
	RT_OWN_SUCCESS,
	RT_OWN_TIMESTAMP,
	RT_OWN_DURATION,
	RT_OWN_INTERVAL,
	RT_OWN_SAMPLES,
	RT_OWN_PORT,
	RT_OWN_UP,
	RT_OWN_PRESENT,
	RT_OWN_VERDICT,
	RT_OWN_FINDING,
	RT_OWN_SOURCE_SUCCESS,
	RT_OWN_COUNT,
};
extern const struct rt_metric rt_own_metrics[RT_OWN_COUNT];

/* Every metric that may be exported, in the order of the text, one call each. */
void rt_export_each(void (*told)(void *context, const struct rt_metric *metric),
		    void *context);

#endif
