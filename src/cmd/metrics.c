/* SPDX-License-Identifier: BSD-2-Clause */
/* metrics.c - docs/metrics.md: every metric that the exporter may tell. */
#include "export/metrics.h"
#include "cmd/help.h"
#include "export/families.h"

static const char intro[] =
	"<!-- SPDX-License-Identifier: BSD-2-Clause -->\n"
	"<!-- Made by `make docs` from src/export/families.c and src/model/counters.c. "
	"-->\n"
	"# Metrics\n\n"
	"What `rocetune exporter` tells; [exporter.md](exporter.md) says how. Bytes "
	"and "
	"seconds, exact. Of a port are `rocetune_NAME_total`, of its priorities "
	"`rocetune_prio_NAME_total`: neither is the sum of the other where a driver "
	"counts "
	"otherwise. What cannot be read has no sample, and where a driver has a "
	"counter "
	"stands in [counters.md](counters.md). *Received* pauses mean that the peer "
	"stops "
	"this port, *sent* ones that this port stops its peer.\n\n"
	"| metric | type | labels | meaning |\n|---|---|---|---|\n";

static void put_row(void *context, const struct rt_metric *metric)
{
	static const char *const types[] = {
		[RT_METRIC_COUNTER] = "counter",
		[RT_METRIC_GAUGE] = "gauge",
		[RT_METRIC_INFO] = "info",
	};
	char name[RT_METRIC_NAME_BYTES];

	fprintf(context, "| `%s` | %s | %s | %s |\n",
		rt_metric_sample_name(metric, name), types[metric->type],
		metric->labels, metric->help);
}

void rt_help_metrics(FILE *to)
{
	fputs(intro, to);
	rt_export_each(put_row, to);
}
