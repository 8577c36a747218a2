/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * metrics.h - the two text formats: families of metrics and their samples.
 *
 * A family is written when its first sample is, so one without samples is not there at
 * all: what is unknown has no sample, and is never 0.
 * Source: the OpenMetrics specification 1.0 (RFC 9416's group, openmetrics.io) and
 * Prometheus' "Exposition formats", text format 0.0.4.
 */
#ifndef RT_EXPORT_METRICS_H
#define RT_EXPORT_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "rocetune/units.h"

#define RT_METRICS_PREFIX "rocetune_"

enum rt_metric_type {
	RT_METRIC_COUNTER,
	RT_METRIC_GAUGE,
	RT_METRIC_INFO, /* facts as labels of a sample that is 1 */
};

struct rt_metric {
	enum rt_metric_type type;
	enum rt_unit
		unit; /* BYTES, NS or BPS: its base unit ends the name; others not */
	const char *stem;   /* "port_"; may be "" */
	const char *name;   /* as the program calls it: "pfc_rx_ns", "speed_bps" */
	const char *help;   /* one sentence, without a full stop */
	const char *labels; /* their names, for docs: "device, port" */
};

#define RT_METRIC_NAME_BYTES 128

/* The name of its samples: "rocetune_pfc_rx_seconds_total".  Returns buf. */
char *rt_metric_sample_name(const struct rt_metric *metric,
			    char buf[RT_METRIC_NAME_BYTES]);

/* A text that is being written; zero it but for these. */
struct rt_metrics {
	FILE *to; /* borrowed; what it says of errors is looked at by its owner */
	bool open_metrics;
	/* Of the family at work. */
	const struct rt_metric *metric;
	char name[RT_METRIC_NAME_BYTES];
	bool begun; /* it has a sample */
};

/* From now on samples are of metric, which is borrowed until the next one. */
void rt_metrics_family(struct rt_metrics *metrics, const struct rt_metric *metric);

/*
 * A sample.  labels: "a=\"b\",c=\"d\"", escaped by rt_metrics_label(), or "".  value: in
 * the family's unit as the program has it; written exactly in its base unit.
 */
void rt_metrics_sample(struct rt_metrics *metrics, const char *labels, uint64_t value);

void rt_metrics_end(struct rt_metrics *metrics);

/*
 * Append name="value" to labels, with a comma before it where there are some.  What is no
 * UTF-8, or is not seen (rt_text_unseen()), becomes \xNN, but for the newline, which the
 * formats escape.  What does not fit is left out whole.
 */
void rt_metrics_label(char *labels, size_t capacity, const char *name,
		      const char *value);

#endif
