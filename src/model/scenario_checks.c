/* SPDX-License-Identifier: BSD-2-Clause */
/* scenario_checks.c - the checks of a scenario: what their texts mean, and whether. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "model/figure.h"
#include "model/scenario.h"
#include "model/workload.h"
#include "rocetune/err.h"
#include "rocetune/scenario.h"

/* Of enum rt_check_relation: the keys. */
static const char *const relation_keys[RT_CHECK_RELATIONS] = { "equals", "above",
							       "below", "at_least",
							       "at_most" };

/* Shares are kept in parts of a billion, figures of them in per cent or as they are. */
static double in_unit(enum rt_unit unit, uint64_t value)
{
	if (unit == RT_UNIT_PCT)
		return (double)value * 100 / RT_PPB;
	return unit == RT_UNIT_RATIO ? (double)value / RT_PPB : (double)value;
}

static bool is_queue_share(unsigned figure)
{
	return figure == RT_FIGURE_QUEUE_RATE || figure == RT_FIGURE_QUEUE_SHARE;
}

static int read_bound(const struct rt_check_spec *spec, const char *text,
		      struct rt_check_bound *ret, struct rt_err *err)
{
	const enum rt_unit unit = rt_figure_kinds[spec->figure].unit;
	const struct rt_name *other = rt_name_find(rt_figure_names, text);
	struct rt_err why = { 0 };
	uint64_t value;

	*ret = (struct rt_check_bound){ .kind = RT_BOUND_FIGURE };
	if (other && rt_figure_kinds[other->value].unit != unit)
		return rt_err_set(err, -EINVAL, "%s is not in the unit of %s", text,
				  rt_name_of(rt_figure_names, spec->figure));
	if (other) {
		ret->figure = other->value;
		return 0;
	}
	ret->kind = RT_BOUND_DWRR;
	if (strcmp(text, "dwrr") == 0)
		return is_queue_share(spec->figure)
			       ? 0
			       : rt_err_set(err, -EINVAL,
					    "dwrr is what queue_rate or queue_share "
					    "may be held against, not %s",
					    rt_name_of(rt_figure_names, spec->figure));
	ret->kind = RT_BOUND_NUMBER;
	if (rt_unit_parse(unit, text, &value, &why) < 0)
		return rt_err_set(err, -EINVAL, "%s, or the name of a figure", why.msg);
	ret->number = in_unit(unit, value);
	return 0;
}

/* Of a figure in per cent 1% is a point of these, of others a hundredth. */
static int read_within(struct rt_check_spec *spec, struct rt_err *err)
{
	const enum rt_unit unit = rt_figure_kinds[spec->figure].unit;
	const size_t length = strlen(spec->within_text);
	struct rt_err why = { 0 };
	uint64_t value;

	if (!length)
		return 0;
	if (!*spec->texts[RT_CHECK_EQUALS])
		return rt_err_set(err, -EINVAL, "within has no effect without equals");
	spec->within_share = unit != RT_UNIT_PCT &&
			     spec->within_text[length - 1] == '%';
	if (rt_unit_parse(spec->within_share ? RT_UNIT_PCT : unit, spec->within_text,
			  &value, &why) < 0)
		return rt_err_set(err, -EINVAL, "%s", why.msg);
	spec->within = spec->within_share ? (double)value / RT_PPB
					  : in_unit(unit, value);
	return 0;
}

static bool is_workload(const struct rt_scenario *scenario, const char *wanted)
{
	char name[RT_WORKLOAD_NAME_BYTES];

	for (size_t i = 0; i < scenario->workload_count; i++) {
		rt_workload_name(scenario, i, name);
		if (strcmp(name, wanted) == 0)
			return true;
	}
	return false;
}

/* What a figure is not of cannot select it. */
static int check_scope(const struct rt_scenario *scenario,
		       const struct rt_check_spec *spec, uint32_t hosts,
		       struct rt_err *err)
{
	const struct {
		bool given;
		unsigned scope;
		const char *key;
	} rows[] = {
		{ *spec->workload, RT_OF_WORKLOAD, "workload" },
		{ spec->prio.known, RT_OF_PRIO, "prio" },
		{ spec->host.known, RT_OF_HOST, "host" },
	};

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++)
		if (rows[i].given &&
		    !(rt_figure_kinds[spec->figure].scope & rows[i].scope))
			return rt_err_set(
				err, -EINVAL, "%s is not of a %s: leave it out",
				rt_name_of(rt_figure_names, spec->figure), rows[i].key);
	if (*spec->workload && !is_workload(scenario, spec->workload))
		return rt_err_set(err, -EINVAL, "no workload is called '%s'",
				  spec->workload);
	if (spec->host.known && spec->host.value >= hosts)
		return rt_err_set(err, -EINVAL, "there is no host %u, only 0 to %u",
				  (unsigned)spec->host.value, hosts - 1);
	return 0;
}

static int check_one(const struct rt_scenario *scenario, struct rt_check_spec *spec,
		     uint32_t hosts, struct rt_err *err)
{
	struct rt_err why = { 0 };
	unsigned bounds = 0;
	int r;

	if (!spec->figure)
		return rt_err_set(err, -EINVAL, "needs the key 'figure'");
	r = check_scope(scenario, spec, hosts, err);
	for (unsigned i = 0; r == 0 && i < RT_CHECK_RELATIONS; i++) {
		if (!*spec->texts[i])
			continue;
		bounds++;
		r = read_bound(spec, spec->texts[i], &spec->bounds[i], &why);
		if (r < 0)
			return rt_err_set(err, r, "%s: %s", relation_keys[i], why.msg);
	}
	if (r == 0 && !bounds)
		return rt_err_set(err, -EINVAL,
				  "%s: what must it be? Write equals, above, below, "
				  "at_least or at_most",
				  rt_name_of(rt_figure_names, spec->figure));
	return r < 0 ? r : read_within(spec, err);
}

int rt_scenario_check_checks(struct rt_scenario *scenario, uint32_t hosts,
			     struct rt_scenario_place *place, struct rt_err *err)
{
	struct rt_err why = { 0 };

	*place = (struct rt_scenario_place){ .key = "checks" };
	for (size_t i = 0; i < scenario->check_count; i++) {
		place->item = i + 1;
		if (check_one(scenario, &scenario->checks[i], hosts, &why) < 0)
			return rt_err_set(err, -EINVAL, "check %zu: %s", i + 1,
					  why.msg);
	}
	return 0;
}
