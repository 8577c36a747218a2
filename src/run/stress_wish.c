/* SPDX-License-Identifier: BSD-2-Clause */
/* stress_wish.c - whether a wish can be planned at all, before anybody is waited for. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/own.h"
#include "rocetune/err.h"
#include "rocetune/units.h"
#include "run/stress_planning.h"
#include "traffic/engine.h"
#include "traffic/rendezvous.h"

#define MOST_BYTES    (UINT64_C(1) << 44)
#define MOST_RATE_BPS UINT64_C(3200000000000)
#define LEAST_BPS     1000
#define NS_PER_MS     UINT64_C(1000000)

static int check_ranks(const struct rt_stress_wish *wish, uint32_t ranks,
		       struct rt_err *err)
{
	const bool out = wish->pattern == RT_WORKLOAD_OUTCAST;
	const unsigned long long many = wish->senders.value;

	if (ranks < 2 || ranks > RT_RENDEZVOUS_MAX_RANKS)
		return rt_err_set(err, -EDOM,
				  "%u host%s take%s part: from 2 to %u can work", ranks,
				  ranks == 1 ? "" : "s", ranks == 1 ? "s" : "",
				  RT_RENDEZVOUS_MAX_RANKS);
	if (wish->senders.known && !many)
		return rt_err_set(err, -EDOM, "%s: nobody would %s",
				  out ? "1:0" : "0:1", out ? "receive" : "send");
	if (wish->senders.known && many >= ranks)
		return rt_err_set(
			err, -EDOM, "%s%llu%s wants %llu hosts, and %u take part",
			out ? "1:" : "", many, out ? "" : ":1", many + 1, ranks);
	if (wish->receiver.known && wish->receiver.value >= ranks)
		return rt_err_set(
			err, -EDOM, "--receiver %llu: the %u hosts are ranks 0 to %u",
			(unsigned long long)wish->receiver.value, ranks, ranks - 1);
	return 0;
}

static int check_engine(const char *name, struct rt_err *err)
{
	if (!name || strcmp(name, "verbs") == 0)
		return 0;
	for (size_t i = 0; rt_engines[i]; i++)
		if (strcmp(rt_engines[i]->name, name) == 0)
			return 0;
	return rt_err_set(err, -EDOM,
			  "--engine: there is no '%.20s': verbs, soft or null", name);
}

int rt_stress_check_wish(const struct rt_stress_wish *wish, uint32_t ranks,
			 struct rt_err *err)
{
	const struct {
		const char *name;
		struct rt_opt_u64 given;
		enum rt_unit unit;
		uint64_t least, most;
	} rows[] = {
		{ "--size", wish->message_bytes, RT_UNIT_BYTES, 1,
		  RT_STRESS_MAX_MESSAGE },
		{ "--qps", wish->qps, RT_UNIT_COUNT, 1, 1024 },
		{ "--outstanding", wish->outstanding, RT_UNIT_COUNT, 1,
		  RT_STRESS_MAX_OUTSTANDING },
		{ "--time", wish->time_ns, RT_UNIT_NS, 100 * NS_PER_MS,
		  RT_STRESS_MAX_TIME_NS },
		{ "--burst", wish->on_ns, RT_UNIT_NS, 1, RT_STRESS_MAX_TIME_NS },
		{ "--burst", wish->off_ns, RT_UNIT_NS, 0, RT_STRESS_MAX_TIME_NS },
		{ "--stagger", wish->stagger_ns, RT_UNIT_NS, 0, RT_STRESS_MAX_TIME_NS },
		{ "--ramp", wish->ramp_ns, RT_UNIT_NS, 0, RT_STRESS_MAX_TIME_NS },
		{ "--bytes", wish->bytes, RT_UNIT_BYTES, 1, MOST_BYTES },
		{ "--rate", wish->rate_bps, RT_UNIT_BPS, LEAST_BPS, MOST_RATE_BPS },
		{ "--dscp", wish->dscp, RT_UNIT_COUNT, 0, 63 },
		{ "--victim-dscp", wish->victim_dscp, RT_UNIT_COUNT, 0, 63 },
		{ "--ecn", wish->ecn, RT_UNIT_COUNT, 0, 3 },
		{ "--sport", wish->sport, RT_UNIT_COUNT, 1, UINT16_MAX },
		{ "priority", wish->prio, RT_UNIT_COUNT, 0, 7 },
		{ "--lossless", wish->lossless, RT_UNIT_COUNT, 0, 255 },
	};
	char least[RT_UNIT_TEXT_BYTES], most[RT_UNIT_TEXT_BYTES];
	char value[RT_UNIT_TEXT_BYTES];

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++)
		if (rows[i].given.known && (rows[i].given.value < rows[i].least ||
					    rows[i].given.value > rows[i].most))
			return rt_err_set(
				err, -EDOM, "%s %s: from %s to %s is possible",
				rows[i].name,
				rt_unit_format(rows[i].unit, rows[i].given.value,
					       value),
				rt_unit_format(rows[i].unit, rows[i].least, least),
				rt_unit_format(rows[i].unit, rows[i].most, most));
	if (check_engine(wish->engine, err) < 0)
		return -EDOM;
	return check_ranks(wish, ranks, err);
}

/*
 * What can be read only once is the run's: standard input, a pipe as <(...) is one.
 * Sizes are of a regular file, or refused.
 */
static bool is_read_once(const char *path)
{
	struct stat about;

	if (!path)
		return false;
	return strcmp(path, "-") == 0 ||
	       (stat(path, &about) == 0 && !S_ISREG(about.st_mode) &&
		!S_ISDIR(about.st_mode));
}

int rt_stress_rehearse(const struct rt_stress_wish *wish, uint32_t ranks,
		       struct rt_err *err)
{
	struct rt_stress_plan plan;
	int r = rt_stress_check_wish(wish, ranks, err);

	if (r < 0 || is_read_once(wish->scenario) || is_read_once(wish->profile))
		return r;
	r = rt_stress_plan(wish, ranks, &plan, err);
	if (r == 0)
		rt_stress_plan_free(&plan);
	return r;
}
