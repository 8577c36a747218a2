/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scenario_traffic.c - what must hold between the keys of a workload that say how its
 * flows send.
 */
#include <errno.h>

#include "base/own.h"
#include "model/scenario.h"
#include "rocetune/err.h"
#include "rocetune/scenario.h"

static int check_outcast(const struct rt_workload_spec *spec, uint32_t hosts,
			 struct rt_scenario_place *place, struct rt_err *err)
{
	const unsigned number = (unsigned)place->workload + 1;

	if (spec->kind != RT_WORKLOAD_OUTCAST)
		return 0;
	place->key = "receivers";
	if (spec->receivers >= hosts)
		return rt_err_set(err, -EINVAL,
				  "workload %u: %u receivers and a sender do not fit "
				  "%u hosts",
				  number, spec->receivers, hosts);
	place->key = "sender";
	if (spec->sender >= hosts)
		return rt_err_set(err, -EINVAL,
				  "workload %u: there is no host %u to send, only 0 to "
				  "%u",
				  number, spec->sender, hosts - 1);
	return 0;
}

/* Two keys of which one says all. */
static int check_twice(const struct rt_workload_spec *spec,
		       struct rt_scenario_place *place, struct rt_err *err)
{
	const struct {
		bool both;
		const char *key, *other;
	} rows[] = {
		{ spec->rate_bps && spec->rate_share_ppb, "rate_share", "rate" },
		{ *spec->class && spec->prio.known, "prio", "class" },
		{ *spec->class && spec->dscp.known, "dscp", "class" },
	};

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		place->key = rows[i].key;
		if (rows[i].both)
			return rt_err_set(err, -EINVAL,
					  "workload %u: %s and %s: leave one out",
					  (unsigned)place->workload + 1, rows[i].other,
					  rows[i].key);
	}
	return 0;
}

/* Datagrams have neither messages that complete nor a way to be asked for. */
static int check_datagrams(const struct rt_workload_spec *spec,
			   struct rt_scenario_place *place, struct rt_err *err)
{
	const struct {
		bool given;
		const char *key;
	} rows[] = {
		{ spec->op != RT_TRAFFIC_WRITE, "op" },
		{ spec->message_bytes != 0, "message" },
		{ spec->outstanding != 0, "outstanding" },
	};

	if (spec->transport != RT_TRANSPORT_NONE)
		return 0;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		place->key = rows[i].key;
		if (rows[i].given)
			return rt_err_set(err, -EINVAL,
					  "workload %u: %s has no effect under "
					  "transport: none: leave one out",
					  (unsigned)place->workload + 1, rows[i].key);
	}
	return 0;
}

int rt_scenario_check_traffic(const struct rt_workload_spec *spec, uint32_t hosts,
			      struct rt_scenario_place *place, struct rt_err *err)
{
	int r = check_outcast(spec, hosts, place, err);

	if (r == 0)
		r = check_twice(spec, place, err);
	return r < 0 ? r : check_datagrams(spec, place, err);
}
