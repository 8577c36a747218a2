/* SPDX-License-Identifier: BSD-2-Clause */
/* criteria.c - figures against the bounds of checks. */
#include "model/criteria.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "rocetune/err.h"
#include "rocetune/frame.h"

#define TOLD 3 /* rows that are wrong, in the summary */

/* Of enum rt_check_relation, as a sentence has it. */
static const char *const relation_words[RT_CHECK_RELATIONS] = {
	"", "above ", "below ", "at least ", "at most ",
};

/* --- words -------------------------------------------------------------------- */

static void format_value(unsigned figure, double value, char *buf, size_t bytes)
{
	const enum rt_unit unit = rt_figure_kinds[figure].unit;
	char text[RT_UNIT_TEXT_BYTES];

	if (unit == RT_UNIT_PCT)
		snprintf(buf, bytes, "%.4g%%", value);
	else if (unit == RT_UNIT_RATIO || value < 0 || value > 9e18)
		snprintf(buf, bytes, "%.4g", value);
	else
		snprintf(buf, bytes, "%s",
			 rt_unit_format(unit, (uint64_t)(value + 0.5), text));
}

static const char *const take_words[] = {
	[RT_TAKE_SUM] = "sum of ",
	[RT_TAKE_MEAN] = "mean of ",
	[RT_TAKE_MIN] = "least ",
	[RT_TAKE_MAX] = "largest ",
};

/* "loss of workload q3, priority 3", of a check or of one figure. */
static void describe(unsigned take, const struct rt_figure *of, char *buf, size_t bytes)
{
	struct rt_line line = { buf, bytes, 0 };
	const char *next = " of ";

	rt_line_put(&line, "%s%s", take == RT_TAKE_EACH ? "" : take_words[take],
		    rt_name_of(rt_figure_names, of->id));
	if (of->flow.known) {
		rt_line_put(&line, "%sflow %u", next, (unsigned)of->flow.value);
		next = ", ";
	}
	if (*of->workload) {
		rt_line_put(&line, "%sworkload %s", next, of->workload);
		next = ", ";
	}
	if (of->prio.known) {
		rt_line_put(&line, "%spriority %u", next, (unsigned)of->prio.value);
		next = ", ";
	}
	if (of->host.known)
		rt_line_put(&line, "%shost %u", next, (unsigned)of->host.value);
}

/* "above 0", "dwrr within 5%": what is written, not what comes of it. */
static void put_bound(struct rt_line *line, const struct rt_check_spec *spec,
		      unsigned relation)
{
	rt_line_put(line, "%s%s", relation_words[relation], spec->texts[relation]);
	if (relation == RT_CHECK_EQUALS && *spec->within_text)
		rt_line_put(line, " within %s", spec->within_text);
}

static void describe_wanted(const struct rt_check_spec *spec, char *buf, size_t bytes)
{
	struct rt_line line = { buf, bytes, 0 };

	for (unsigned i = 0; i < RT_CHECK_RELATIONS; i++) {
		if (!spec->bounds[i].kind)
			continue;
		rt_line_put(&line, "%s", line.used ? ", " : "");
		put_bound(&line, spec, i);
	}
}

/* --- which figures ------------------------------------------------------------- */

static bool agree(const struct rt_opt_u64 *a, const struct rt_opt_u64 *b)
{
	return !a->known || !b->known || a->value == b->value;
}

/* They are of the same, as far as both say of what they are. */
static bool same(const struct rt_figure *a, const struct rt_figure *b)
{
	return agree(&a->prio, &b->prio) && agree(&a->host, &b->host) &&
	       (!*a->workload || !*b->workload ||
		strcmp(a->workload, b->workload) == 0);
}

/* What a check selects: as a figure of nothing else. */
static struct rt_figure selection(const struct rt_check_spec *spec)
{
	struct rt_figure of = { .id = spec->figure,
				.prio = spec->prio,
				.host = spec->host };

	memcpy(of.workload, spec->workload, sizeof(of.workload));
	return of;
}

/* Fold count figures' values into one; unknown when one of them is. */
struct fold {
	double sum, least, most;
	size_t count;
	bool unknown;
};

static void fold_in(struct fold *fold, const struct rt_opt_f64 *value)
{
	fold->unknown |= !value->known;
	fold->least = !fold->count || value->value < fold->least ? value->value
								 : fold->least;
	fold->most = !fold->count || value->value > fold->most ? value->value
							       : fold->most;
	fold->sum += value->value;
	fold->count++;
}

static struct fold fold_all(const struct rt_figures *figures, unsigned id,
			    const struct rt_figure *of)
{
	struct fold fold = { 0 };

	for (size_t i = 0; i < figures->count; i++)
		if (figures->items[i].id == id && same(&figures->items[i], of))
			fold_in(&fold, &figures->items[i].value);
	return fold;
}

static struct rt_opt_f64 folded(const struct fold *fold, unsigned take)
{
	const double values[] = {
		[RT_TAKE_EACH] = fold->sum,
		[RT_TAKE_SUM] = fold->sum,
		[RT_TAKE_MEAN] = fold->count ? fold->sum / (double)fold->count : 0,
		[RT_TAKE_MIN] = fold->least,
		[RT_TAKE_MAX] = fold->most,
	};

	return (struct rt_opt_f64){ values[take], fold->count && !fold->unknown };
}

/* --- shares by weight ------------------------------------------------------------ */

void rt_dwrr_expected(const double *offered_bps, const double *weights, size_t count,
		      double capacity_bps, double *ret_bps)
{
	bool settled[RT_PRIO_COUNT] = { false };
	bool changed = true;

	while (changed) {
		const double left_bps = capacity_bps;
		double all = 0;

		changed = false;
		for (size_t i = 0; i < count; i++)
			all += settled[i] ? 0 : weights[i];
		for (size_t i = 0; i < count; i++) {
			if (settled[i])
				continue;
			ret_bps[i] = left_bps * weights[i] / all;
			if (offered_bps[i] > ret_bps[i])
				continue;
			ret_bps[i] = offered_bps[i];
			capacity_bps -= offered_bps[i];
			settled[i] = changed = true;
		}
	}
}

/*
 * The rate that is expected of the queue of, among those of its port.  What has no
 * weight there, strict queues and what nobody offers, takes what it took.
 */
static struct rt_opt_f64 dwrr_of(const struct rt_figures *figures,
				 const struct rt_figure *of)
{
	const struct rt_opt_f64 unknown = { 0 };
	const struct rt_figure port = { .host = of->host };
	struct fold capacity = fold_all(figures, RT_FIGURE_CAPACITY, &port);
	double offered[RT_PRIO_COUNT], weights[RT_PRIO_COUNT], expected[RT_PRIO_COUNT];
	double left_bps = capacity.sum;
	size_t count = 0, self = RT_PRIO_COUNT;

	if (!of->host.known || !of->prio.known || capacity.count != 1 ||
	    capacity.unknown)
		return unknown;
	for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++) {
		const struct rt_figure at = { .host = of->host,
					      .prio = RT_KNOWN_U64(prio) };
		const struct fold load = fold_all(figures, RT_FIGURE_OFFERED, &at);
		const struct fold weight = fold_all(figures, RT_FIGURE_WEIGHT, &at);

		if (load.unknown)
			return unknown;
		if (!load.count || !weight.count || weight.unknown) {
			const struct fold took = fold_all(figures, RT_FIGURE_QUEUE_RATE,
							  &at);

			if (took.unknown)
				return unknown;
			left_bps -= took.sum;
			continue;
		}
		if (prio == of->prio.value)
			self = count;
		offered[count] = load.sum;
		weights[count++] = weight.sum;
	}
	if (self == RT_PRIO_COUNT)
		return unknown;
	rt_dwrr_expected(offered, weights, count, left_bps, expected);
	return RT_KNOWN_F64(of->id == RT_FIGURE_QUEUE_SHARE
				    ? 100 * expected[self] / capacity.sum
				    : expected[self]);
}

/* --- judging ------------------------------------------------------------------- */

struct judge {
	const struct rt_figures *figures;
	struct rt_criteria *criteria;
	const struct rt_check_spec *spec;
	struct rt_criterion *item;
	struct rt_line evidence; /* the item's */
};

static struct rt_opt_f64 bound_of(const struct judge *judge,
				  const struct rt_check_bound *bound,
				  const struct rt_figure *of)
{
	struct fold fold;

	switch (bound->kind) {
	case RT_BOUND_NUMBER: return RT_KNOWN_F64(bound->number);
	case RT_BOUND_DWRR: return dwrr_of(judge->figures, of);
	default:
		fold = fold_all(judge->figures, bound->figure, of);
		return folded(&fold, RT_TAKE_SUM);
	}
}

static bool holds(const struct rt_check_spec *spec, unsigned relation, double value,
		  double bound)
{
	const double within = spec->within_share ? spec->within * bound : spec->within;

	switch ((enum rt_check_relation)relation) {
	case RT_CHECK_ABOVE: return value > bound;
	case RT_CHECK_BELOW: return value < bound;
	case RT_CHECK_AT_LEAST: return value >= bound;
	case RT_CHECK_AT_MOST: return value <= bound;
	default: return fabs(value - bound) <= within;
	}
}

/* "0", or of what was worked out "dwrr within 5%, 31.2Gb/s". */
static void wanted_words(const struct judge *judge, unsigned relation,
			 const struct rt_opt_f64 *bound, char *buf, size_t bytes)
{
	struct rt_line line = { buf, bytes, 0 };
	char value[48] = "unknown";

	put_bound(&line, judge->spec, relation);
	if (judge->spec->bounds[relation].kind == RT_BOUND_NUMBER)
		return;
	if (bound->known)
		format_value(judge->spec->figure, bound->value, value, sizeof(value));
	rt_line_put(&line, ", %s", value);
}

/* One more row that is wrong: the first three are told in the summary. */
static void offend(struct judge *judge, const struct rt_figure *of, unsigned relation,
		   const struct rt_opt_f64 *bound)
{
	struct rt_criteria *criteria = judge->criteria;
	struct rt_criterion *item = judge->item;
	struct rt_offender row = { .check = item->number, .value = "unknown" };

	describe(judge->spec->take, of, row.what, sizeof(row.what));
	if (of->value.known)
		format_value(of->id, of->value.value, row.value, sizeof(row.value));
	wanted_words(judge, relation, bound, row.wanted, sizeof(row.wanted));
	if (!item->wrong++)
		memcpy(item->value, row.value, sizeof(item->value));
	if (item->wrong <= TOLD)
		rt_line_put(&judge->evidence, "%s%s is %s%s",
			    item->wrong > 1 ? ", " : "", row.what, row.value,
			    bound->known ? "" : " (what it must be is unknown)");
	if (criteria->offender_count < RT_OFFENDERS_MAX)
		criteria->offenders[criteria->offender_count++] = row;
}

static void judge_row(struct judge *judge, const struct rt_figure *of)
{
	const struct rt_check_spec *spec = judge->spec;
	struct rt_criterion *item = judge->item;

	if (!item->rows++ && of->value.known)
		format_value(of->id, of->value.value, item->value, sizeof(item->value));
	for (unsigned i = 0; i < RT_CHECK_RELATIONS; i++) {
		struct rt_opt_f64 bound;

		if (!spec->bounds[i].kind)
			continue;
		bound = bound_of(judge, &spec->bounds[i], of);
		if (of->value.known && bound.known &&
		    holds(spec, i, of->value.value, bound.value))
			continue;
		offend(judge, of, i, &bound);
		return;
	}
}

static void judge_check(struct judge *judge)
{
	const struct rt_check_spec *spec = judge->spec;
	struct rt_criterion *item = judge->item;
	struct rt_figure of = selection(spec);
	const struct fold fold = fold_all(judge->figures, spec->figure, &of);

	memcpy(item->name, spec->name, sizeof(item->name));
	describe(spec->take, &of, item->what, sizeof(item->what));
	describe_wanted(spec, item->wanted, sizeof(item->wanted));
	if (spec->take != RT_TAKE_EACH && fold.count) {
		of.value = folded(&fold, spec->take);
		judge_row(judge, &of);
	}
	for (size_t i = 0; spec->take == RT_TAKE_EACH && i < judge->figures->count; i++)
		if (judge->figures->items[i].id == spec->figure &&
		    same(&judge->figures->items[i], &of))
			judge_row(judge, &judge->figures->items[i]);
	item->verdict = item->wrong ? RT_CRITERION_FAILED : RT_CRITERION_PASSED;
	if (!item->rows) {
		item->verdict = RT_CRITERION_NOTHING;
		rt_line_put(&judge->evidence, "there is no %s to look at", item->what);
	}
	if (item->wrong > TOLD)
		rt_line_put(&judge->evidence, ", and %u more", item->wrong - TOLD);
	judge->criteria->failed += item->verdict != RT_CRITERION_PASSED;
}

int rt_criteria_judge(const struct rt_scenario *scenario,
		      const struct rt_figures *figures,
		      struct rt_criteria *ret_criteria, struct rt_err *err)
{
	struct rt_criteria criteria = {
		.items = calloc(scenario->check_count + 1, sizeof(*criteria.items)),
		.offenders = calloc(RT_OFFENDERS_MAX, sizeof(*criteria.offenders)),
	};

	if (!criteria.items || !criteria.offenders || figures->out_of_memory) {
		rt_criteria_free(&criteria);
		return rt_err_sys(err, -ENOMEM, "cannot judge the checks");
	}
	criteria.count = scenario->check_count;
	for (size_t i = 0; i < criteria.count; i++) {
		struct judge judge = { .figures = figures,
				       .criteria = &criteria,
				       .spec = &scenario->checks[i],
				       .item = &criteria.items[i] };

		judge.evidence = (struct rt_line){ judge.item->evidence,
						   sizeof(judge.item->evidence), 0 };
		judge.item->number = (uint32_t)i + 1;
		judge_check(&judge);
	}
	snprintf(criteria.passed, sizeof(criteria.passed), "%zu of %zu",
		 criteria.count - criteria.failed, criteria.count);
	*ret_criteria = criteria;
	return 0;
}

int rt_criteria_find(const struct rt_scenario *scenario,
		     const struct rt_figures *figures, struct rt_criteria *ret_criteria,
		     struct rt_findings *findings, struct rt_err *err)
{
	int r = rt_criteria_judge(scenario, figures, ret_criteria, err);

	return r < 0 ? r
		     : rt_rules_run(rt_criteria_rules, rt_criteria_rule_count,
				    ret_criteria, findings, err);
}

struct rt_checks_told rt_criteria_told(const struct rt_criteria *criteria)
{
	struct rt_checks_told told = {
		.failed = RT_KNOWN_U64(criteria->failed),
		.items = criteria->items,
		.count = criteria->count,
		.offenders = criteria->offenders,
		.offender_count = criteria->offender_count,
	};

	memcpy(told.passed, criteria->passed, sizeof(told.passed));
	return told;
}

void rt_criteria_free(struct rt_criteria *criteria)
{
	free(criteria->items);
	free(criteria->offenders);
	*criteria = (struct rt_criteria){ 0 };
}
