/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * qos_want_class.c - the knobs that a profile's classes decide together: map of
 * DSCPs, PFC, traffic classes and their shares, bytes on packets.  Two classes that
 * want different things of one element contradict each other; both are named.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "model/qos_want.h"
#include "rocetune/err.h"

#define for_each_class(item, profile_)                          \
	for (const struct rt_class *item = (profile_)->classes; \
	     item < (profile_)->classes + (profile_)->class_count; item++)

static void class_note(struct rt_wanting *w, const struct rt_class *class,
		       const struct rt_place *place, const char *part, const char *text)
{
	char param[80];

	snprintf(param, sizeof(param), "classes.%.31s.%.31s", class->name, part);
	rt_want_note(w, place, param, "%s", text);
}

/* --- elements ----------------------------------------------------------------- */

static int contradiction(struct rt_wanting *w, enum rt_knob_id id, unsigned element,
			 const struct rt_class *class, const struct rt_place *place,
			 uint64_t number)
{
	const struct rt_want_origin *first = &w->origin[id][element];
	char here[RT_PLACE_TEXT_BYTES], there[RT_PLACE_TEXT_BYTES];

	return rt_err_set(
		w->err, -EINVAL,
		"%s: class %s wants %s[%u] to be %" PRIu64 ", class %s (%s) wants "
		"%" PRIu64,
		rt_place_format(place, here), class->name, rt_knobs[id].name, element,
		number, first->class->name, rt_place_format(first->place, there),
		rt_knob_number(&rt_knobs[id], &w->want->qos.knobs[id], element));
}

static int want_element(struct rt_wanting *w, enum rt_knob_id id, unsigned element,
			const struct rt_class *class, const struct rt_place *place,
			uint64_t number)
{
	const struct rt_knob_value *value = &w->want->qos.knobs[id];

	if (value->known >> element & 1 &&
	    rt_knob_number(&rt_knobs[id], value, element) != number)
		return contradiction(w, id, element, class, place, number);
	if (!value->known)
		w->want->place[id] = *place;
	w->origin[id][element] = (struct rt_want_origin){ class, place };
	rt_knob_set(&w->want->qos, id, element, number);
	return 0;
}

/* --- classification --------------------------------------------------------------- */

static int want_class_dscps(struct rt_wanting *w, const struct rt_class *class)
{
	if (!rt_setting_known(&class->dscp))
		return 0;
	if (!rt_setting_known(&class->prio)) {
		class_note(
			w, class, &class->dscp.place, "dscp",
			"no priority: the NIC's map of these DSCPs is left as it is");
		return 0;
	}
	for (unsigned dscp = 0; dscp < 64; dscp++) {
		if (!(class->dscp.number >> dscp & 1))
			continue;
		if (want_element(w, RT_KNOB_DSCP_PRIO, dscp, class, &class->dscp.place,
				 class->prio.number) < 0)
			return -EINVAL;
	}
	return 0;
}

/* Entries of the map are what makes some NICs trust DSCP: no map without it. */
static int want_map(struct rt_wanting *w)
{
	const struct rt_setting *trust = &w->profile->host.trust;

	if (!rt_setting_known(trust) ||
	    (trust->number != RT_TRUST_DSCP && trust->number != RT_TRUST_BOTH)) {
		if (w->profile->class_count)
			rt_want_note(w, &trust->place, "host.trust",
				     "not dscp: the map of DSCPs is left as it is");
		return 0;
	}
	for_each_class (class, w->profile)
		if (want_class_dscps(w, class) < 0)
			return -EINVAL;
	return 0;
}

/* One number for all priorities: unknown when one class does not say. */
static void want_pfc(struct rt_wanting *w)
{
	const struct rt_place *place = NULL;
	uint64_t mask = 0;

	for_each_class (class, w->profile) {
		const struct rt_setting *lossless = &class->lossless;

		if (lossless->state == RT_SETTING_UNSET)
			continue;
		if (!rt_setting_known(lossless) ||
		    (lossless->number && !rt_setting_known(&class->prio))) {
			class_note(w, class, &lossless->place, "lossless",
				   "its priority is not said: PFC is left as it is");
			return;
		}
		if (!lossless->number)
			continue;
		mask |= (uint64_t)1 << class->prio.number;
		if (!place)
			place = &lossless->place;
	}
	if (w->profile->class_count)
		rt_want_scalar(w, RT_KNOB_PFC_MASK,
			       place ? place : &w->profile->classes[0].place, mask);
}

/* --- traffic classes ----------------------------------------------------------------- */

/* The class's traffic class on the NIC, or -1. */
static int traffic_class(const struct rt_class *class)
{
	return rt_setting_known(&class->tc) && class->tc.number < 8
		       ? (int)class->tc.number
		       : -1;
}

static int want_prio_tc(struct rt_wanting *w, const struct rt_class *class)
{
	if (!rt_setting_known(&class->tc) || !rt_setting_known(&class->prio))
		return 0;
	if (class->tc.number > 7) {
		class_note(w, class, &class->tc.place, "tc",
			   "NICs have eight traffic classes, 0 to 7: left as it is");
		return 0;
	}
	return want_element(w, RT_KNOB_ETS_PRIO_TC, (unsigned)class->prio.number, class,
			    &class->tc.place, class->tc.number);
}

/* The setting that says how the class is scheduled, or NULL. */
static const struct rt_setting *sched_of(const struct rt_class *class)
{
	const struct rt_profile_sched *sched = &class->sched;
	const struct rt_setting *const kinds[] = { &sched->ets, &sched->dwrr,
						   &sched->strict };

	for (size_t i = 0; i < RT_ARRAY_SIZE(kinds); i++)
		if (rt_setting_known(kinds[i]))
			return kinds[i];
	return NULL;
}

/* What each traffic class is to get: percents, and weights of what they leave. */
struct shares {
	const struct rt_class *owner[8];
	const struct rt_place *place[8];
	uint64_t percent[8], weight[8];
	uint64_t percents, weights;
	bool any;
};

static int unequal_shares(struct rt_wanting *w, const struct shares *shares, int tc,
			  const struct rt_class *class, const struct rt_setting *sched)
{
	char here[RT_PLACE_TEXT_BYTES], there[RT_PLACE_TEXT_BYTES];

	return rt_err_set(w->err, -EINVAL,
			  "%s: class %s and class %s (%s) share traffic class %d and "
			  "want different shares of it",
			  rt_place_format(&sched->place, here), class->name,
			  shares->owner[tc]->name,
			  rt_place_format(shares->place[tc], there), tc);
}

static int add_share(struct rt_wanting *w, struct shares *shares,
		     const struct rt_class *class)
{
	const struct rt_setting *sched = sched_of(class);
	const int tc = traffic_class(class);
	const bool strict = sched == &class->sched.strict;

	if (!sched)
		return 0;
	if (tc < 0) {
		class_note(w, class, &sched->place, "sched",
			   "no traffic class: how the NIC schedules it is left");
		return 0;
	}
	if (want_element(w, RT_KNOB_ETS_TSA, (unsigned)tc, class, &sched->place,
			 strict ? RT_TSA_STRICT : RT_TSA_ETS) < 0)
		return -EINVAL;
	if (strict)
		return want_element(w, RT_KNOB_ETS_BW, (unsigned)tc, class,
				    &sched->place, 0);
	if (shares->owner[tc]) /* one queue: the same, or it contradicts */
		return sched->number == shares->percent[tc] + shares->weight[tc]
			       ? 0
			       : unequal_shares(w, shares, tc, class, sched);
	shares->owner[tc] = class;
	shares->place[tc] = &sched->place;
	shares->any = true;
	if (sched == &class->sched.ets) {
		shares->percent[tc] = sched->number;
		shares->percents += sched->number;
	} else {
		shares->weight[tc] = sched->number;
		shares->weights += sched->number;
	}
	return 0;
}

/* Weights become percents of what is left; the largest remainders are rounded up. */
static void share_out(struct shares *shares)
{
	const uint64_t left = shares->percents < 100 ? 100 - shares->percents : 0;
	uint64_t given = 0, rest[8] = { 0 };

	if (!shares->weights)
		return;
	for (unsigned tc = 0; tc < 8; tc++) {
		shares->percent[tc] += left * shares->weight[tc] / shares->weights;
		rest[tc] = left * shares->weight[tc] % shares->weights;
		if (shares->weight[tc])
			given += shares->percent[tc];
	}
	for (; given < left; given++) {
		unsigned most = 0;

		for (unsigned tc = 1; tc < 8; tc++)
			if (rest[tc] > rest[most])
				most = tc;
		shares->percent[most]++;
		rest[most] = 0;
	}
}

/* 802.1Qaz serves strict classes from the highest number down; it has no ranks. */
static void check_ranks(struct rt_wanting *w)
{
	for_each_class (a, w->profile)
		for_each_class (b, w->profile) {
			const struct rt_setting *first = &a->sched.strict;
			const struct rt_setting *second = &b->sched.strict;

			if (!rt_setting_known(first) || !rt_setting_known(second) ||
			    traffic_class(a) < 0 || traffic_class(b) < 0)
				continue;
			if (first->number < second->number &&
			    a->tc.number < b->tc.number)
				class_note(w, a, &first->place, "sched.strict",
					   "NICs serve strict traffic classes from the "
					   "highest number down: this one comes later");
		}
}

static int want_ets(struct rt_wanting *w)
{
	struct shares shares = { 0 };

	for_each_class (class, w->profile)
		if (want_prio_tc(w, class) < 0 || add_share(w, &shares, class) < 0)
			return -EINVAL;
	check_ranks(w);
	if (!shares.any)
		return 0;
	share_out(&shares);
	for (unsigned tc = 0; tc < 8; tc++)
		if (shares.owner[tc] &&
		    want_element(w, RT_KNOB_ETS_BW, tc, shares.owner[tc],
				 shares.place[tc], shares.percent[tc]) < 0)
			return -EINVAL;
	/* Shares sum to 100: traffic classes of no class must hold none. */
	for (unsigned tc = 0; tc < 8; tc++)
		if (!(w->want->qos.knobs[RT_KNOB_ETS_TSA].known >> tc & 1))
			rt_knob_set(&w->want->qos, RT_KNOB_ETS_BW, tc, 0);
	return 0;
}

static int want_cap(struct rt_wanting *w, const struct rt_class *class)
{
	const struct rt_setting *rate = &class->sched.max_rate;
	const struct rt_setting *share = &class->sched.max_share;
	const struct rt_opt_u64 speed = w->port->speed_bps;
	const bool by_share = rt_setting_known(share);
	const struct rt_place *place = by_share ? &share->place : &rate->place;
	const int tc = traffic_class(class);
	const char *lacks = NULL;
	uint64_t bps;

	if (!by_share && !rt_setting_known(rate))
		return 0;
	if (tc < 0)
		lacks = "no traffic class: the NIC caps none";
	else if (by_share && !speed.known)
		lacks = "a share of the port's speed, which is not known";
	if (lacks) {
		class_note(w, class, place, "sched.max", lacks);
		return 0;
	}
	bps = by_share ? (uint64_t)((__uint128_t)speed.value * share->number / RT_PPB)
		       : rate->number;
	return want_element(w, RT_KNOB_MAX_RATE, (unsigned)tc, class, place, bps);
}

/* --- what packets carry --------------------------------------------------------------- */

#define ECT0 2u

/* The DSCP of a class that has exactly one, or -1. */
static int only_dscp(const struct rt_class *class)
{
	if (!rt_setting_known(&class->dscp) ||
	    __builtin_popcountll(class->dscp.number) != 1)
		return -1;
	return __builtin_ctzll(class->dscp.number);
}

static bool has_ect(const struct rt_class *class, enum rt_ect ect)
{
	return rt_setting_known(&class->ect) && class->ect.number == ect;
}

static bool by_rdma_cm(const struct rt_profile *profile)
{
	const struct rt_setting *scope = &profile->app_scope;

	return scope->state == RT_SETTING_VALUE && scope->text &&
	       strstr(scope->text, "rdma_cm");
}

/* Which one class decides a byte that the port has once; NULL: none, or a note. */
static const struct rt_class *only_class(struct rt_wanting *w, enum rt_ect ect)
{
	const struct rt_class *only = NULL;

	for_each_class (class, w->profile) {
		const bool cm = ect == RT_ECT_TCLASS && has_ect(class, RT_ECT_NIC) &&
				by_rdma_cm(w->profile);

		if (!has_ect(class, ect) && !cm)
			continue;
		if (only) {
			class_note(w, class, &class->ect.place, "ect",
				   "several such classes: applications have to say "
				   "theirs, the port has one byte");
			return NULL;
		}
		only = class;
	}
	if (only && only_dscp(only) < 0) {
		class_note(w, only, &only->dscp.place, "dscp",
			   "not exactly one DSCP: applications have to choose theirs");
		return NULL;
	}
	return only;
}

static void want_bytes(struct rt_wanting *w)
{
	const struct rt_class *class = only_class(w, RT_ECT_TCLASS);
	uint64_t byte;

	if (!class)
		return;
	byte = (uint64_t)only_dscp(class) << 2 | ECT0;
	if (has_ect(class, RT_ECT_TCLASS))
		rt_want_scalar(w, RT_KNOB_TCLASS, &class->ect.place, byte);
	rt_want_scalar(w, RT_KNOB_CM_TOS, &class->ect.place, byte);
}

/* Only bnxt_re writes DSCP and priority of RoCE by itself. */
static void want_data(struct rt_wanting *w)
{
	const struct rt_class *class;

	if (!w->port->driver || strcmp(w->port->driver, "bnxt_re") != 0)
		return;
	class = only_class(w, RT_ECT_NIC);
	if (!class)
		return;
	rt_want_scalar(w, RT_KNOB_DATA_DSCP, &class->dscp.place,
		       (uint64_t)only_dscp(class));
	if (rt_setting_known(&class->prio))
		rt_want_scalar(w, RT_KNOB_DATA_PRIO, &class->prio.place,
			       class->prio.number);
}

int rt_want_classes(struct rt_wanting *w)
{
	int r = want_map(w);

	want_pfc(w);
	if (r == 0)
		r = want_ets(w);
	for (size_t i = 0; i < w->profile->class_count && r == 0; i++)
		r = want_cap(w, &w->profile->classes[i]);
	want_bytes(w);
	want_data(w);
	return r;
}
