/* SPDX-License-Identifier: BSD-2-Clause */
/* metrics.c - names, headers, labels and numbers of both text formats. */
#include "export/metrics.h"

#include <inttypes.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"

/* --- names --------------------------------------------------------------------------------- */

/* What a unit is called in the program, and Prometheus' base unit for it. */
struct unit_row {
	enum rt_unit unit;
	const char *ours, *base;
	uint64_t per_base; /* so many of ours are one of the base unit */
	unsigned per_ours; /* so many of the last decimal are one of ours */
	int decimals;      /* enough to be exact */
};

static const struct unit_row units[] = {
	{ RT_UNIT_BYTES, "_bytes", "_bytes", 1, 0, 0 },
	{ RT_UNIT_NS, "_ns", "_seconds", 1000000000, 1, 9 },
	/* Prometheus has no bits: its base unit is the byte. */
	{ RT_UNIT_BPS, "_bps", "_bytes_per_second", 8, 125, 3 },
};

static const struct unit_row *unit_of(const struct rt_metric *metric)
{
	for (size_t i = 0; i < RT_ARRAY_SIZE(units); i++)
		if (units[i].unit == metric->unit)
			return &units[i];
	return NULL;
}

/* Bytes of name without the unit that ends it. */
static size_t plain_length(const char *name, const struct unit_row *unit)
{
	const size_t length = strlen(name), end = unit ? strlen(unit->ours) : 0;

	return length > end && unit && strcmp(name + length - end, unit->ours) == 0
		       ? length - end
		       : length;
}

static void family_name(const struct rt_metric *metric, char buf[RT_METRIC_NAME_BYTES])
{
	const struct unit_row *unit = unit_of(metric);

	snprintf(buf, RT_METRIC_NAME_BYTES, RT_METRICS_PREFIX "%s%.*s%s", metric->stem,
		 (int)plain_length(metric->name, unit), metric->name,
		 unit ? unit->base : "");
}

static const struct {
	const char *suffix;       /* of samples */
	const char *open, *older; /* the type, as each format calls it */
} types[] = {
	[RT_METRIC_COUNTER] = { "_total", "counter", "counter" },
	[RT_METRIC_GAUGE] = { "", "gauge", "gauge" },
	[RT_METRIC_INFO] = { "_info", "info", "gauge" },
};

char *rt_metric_sample_name(const struct rt_metric *metric,
			    char buf[RT_METRIC_NAME_BYTES])
{
	char family[RT_METRIC_NAME_BYTES];

	family_name(metric, family);
	snprintf(buf, RT_METRIC_NAME_BYTES, "%.110s%s", family,
		 types[metric->type].suffix);
	return buf;
}

/* --- families ------------------------------------------------------------------------------ */

void rt_metrics_family(struct rt_metrics *metrics, const struct rt_metric *metric)
{
	metrics->metric = metric;
	metrics->begun = false;
	family_name(metric, metrics->name);
}

/* OpenMetrics escapes quotes too, which the older format takes as they are. */
static void put_help(const struct rt_metrics *metrics)
{
	for (const char *at = metrics->metric->help; *at; at++) {
		if (*at == '\\' || (*at == '"' && metrics->open_metrics))
			fputc('\\', metrics->to);
		fputc(*at, metrics->to);
	}
}

/* OpenMetrics names the family, the older format its samples. */
static void put_header(const struct rt_metrics *metrics)
{
	const struct rt_metric *metric = metrics->metric;
	const struct unit_row *unit = unit_of(metric);
	const bool open = metrics->open_metrics;
	const char *suffix = open ? "" : types[metric->type].suffix;

	fprintf(metrics->to, "# HELP %s%s ", metrics->name, suffix);
	put_help(metrics);
	fprintf(metrics->to, "\n# TYPE %s%s %s\n", metrics->name, suffix,
		open ? types[metric->type].open : types[metric->type].older);
	if (open && unit)
		fprintf(metrics->to, "# UNIT %s %s\n", metrics->name, unit->base + 1);
}

/* As many decimals as it has, and no power of ten. */
static void put_value(FILE *to, const struct unit_row *unit, uint64_t value)
{
	int decimals = unit ? unit->decimals : 0;
	uint64_t rest;

	if (!unit) {
		fprintf(to, "%" PRIu64, value);
		return;
	}
	fprintf(to, "%" PRIu64, value / unit->per_base);
	rest = value % unit->per_base * unit->per_ours;
	if (!rest)
		return;
	for (; rest % 10 == 0; decimals--)
		rest /= 10;
	fprintf(to, ".%0*" PRIu64, decimals, rest);
}

void rt_metrics_sample(struct rt_metrics *metrics, const char *labels, uint64_t value)
{
	const struct rt_metric *metric = metrics->metric;

	if (!metrics->begun)
		put_header(metrics);
	metrics->begun = true;
	fprintf(metrics->to, "%s%s", metrics->name, types[metric->type].suffix);
	if (*labels)
		fprintf(metrics->to, "{%s}", labels);
	fputc(' ', metrics->to);
	put_value(metrics->to, unit_of(metric), value);
	fputc('\n', metrics->to);
}

void rt_metrics_end(struct rt_metrics *metrics)
{
	if (metrics->open_metrics)
		fputs("# EOF\n", metrics->to);
}

/* --- labels -------------------------------------------------------------------------------- */

/* One byte that is no part of a character, or one that has to be escaped. */
static void put_odd(struct rt_line *line, unsigned char byte)
{
	if (byte == '\n')
		rt_line_put(line, "\\n");
	else if (byte == '\\' || byte == '"')
		rt_line_put(line, "\\%c", byte);
	else
		rt_line_put(line, "\\\\x%02x", byte);
}

/* Bytes of characters that are seen and are no quote, which labels have as they are. */
static size_t plain_bytes(const char *text, size_t bytes)
{
	const size_t good = rt_text_utf8_length(text, bytes);
	uint32_t unseen;
	size_t at = 0;

	while (at < good && text[at] != '\\' && text[at] != '"' &&
	       !rt_text_unseen(text + at, good - at, &unseen))
		at++;
	return at;
}

static void put_escaped(struct rt_line *line, const char *value)
{
	size_t left = strlen(value);

	while (left) {
		const size_t now = plain_bytes(value, left);

		rt_line_put(line, "%.*s", (int)now, value);
		value += now;
		left -= now;
		if (!left)
			break;
		put_odd(line, (unsigned char)*value++);
		left--;
	}
}

void rt_metrics_label(char *labels, size_t capacity, const char *name,
		      const char *value)
{
	const size_t before = strlen(labels);
	/* Every byte may become five. */
	const size_t most = strlen(name) + 5 * strlen(value) + 5;
	struct rt_line line = { labels, capacity, before };

	if (before + most > capacity)
		return;
	rt_line_put(&line, "%s%s=\"", before ? "," : "", name);
	put_escaped(&line, value);
	rt_line_put(&line, "\"");
}
