/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rules_align_class.c - the way of a profile's classes through the switch's port:
 * every DSCP is followed to queue, priority group and PFC priority.
 */
#include <string.h>

#include "base/own.h"
#include "model/rules_align.h"

/* --- ways --------------------------------------------------------------------------- */

/* DSCPs that go the same way, and that way. */
struct way {
	uint64_t dscps;
	struct rt_switch_path path;
};

static bool same_tc(const struct rt_setting *a, const struct rt_setting *b)
{
	return rt_setting_known(a) == rt_setting_known(b) &&
	       (!rt_setting_known(a) || a->number == b->number);
}

/* The way of the first of the DSCPs, and which others share it. */
static struct way first_way(const struct rt_align *align, uint64_t dscps)
{
	struct way way = { 0 };

	rt_switch_path_of_dscp(align->sw, align->port, (unsigned)__builtin_ctzll(dscps),
			       &way.path);
	for (unsigned dscp = 0; dscp < 64; dscp++)
		if (dscps >> dscp & 1 &&
		    same_tc(rt_switch_dscp_to_tc(align->sw, align->port, dscp),
			    &way.path.tc))
			way.dscps |= UINT64_C(1) << dscp;
	return way;
}

typedef void judge_fn(const struct rt_rule *rule, const struct rt_align *align,
		      const struct rt_class *class, const struct way *way,
		      struct rt_findings *findings);

static void judge_class(const struct rt_rule *rule, const struct rt_align *align,
			const struct rt_class *class, judge_fn *judge,
			struct rt_findings *findings)
{
	uint64_t left = rt_setting_known(&class->dscp) ? class->dscp.number : 0;

	while (left) {
		const struct way way = first_way(align, left);

		judge(rule, align, class, &way, findings);
		left &= ~way.dscps;
	}
}

static void judge_all(const struct rt_rule *rule, const struct rt_align *align,
		      judge_fn *judge, struct rt_findings *findings)
{
	if (!align->port || !align->profile)
		return;
	for_each_class (class, align->profile)
		judge_class(rule, align, class, judge, findings);
}

static bool has_prios(const struct way *way)
{
	return rt_setting_known(&way->path.prios) && way->path.prios.number;
}

/* "TC 3, queue 3, group 3", as far as it is known. */
struct steps {
	char text[120];
};

static const char *steps(const struct rt_switch_path *path, struct steps *buf)
{
	const struct {
		const char *name;
		const struct rt_setting *to;
	} rows[] = { { "TC", &path->tc },
		     { "queue", &path->queue },
		     { "group", &path->pg } };
	size_t used = 0;

	snprintf(buf->text, sizeof(buf->text), "no known traffic class");
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++)
		if (rt_setting_known(rows[i].to))
			used += (size_t)snprintf(buf->text + used,
						 sizeof(buf->text) - used,
						 "%s%s %" PRIu64, used ? ", " : "",
						 rows[i].name, rows[i].to->number);
	return buf->text;
}

/* --- lossless -------------------------------------------------------------------------- */

static void judge_lossless(const struct rt_rule *rule, const struct rt_align *align,
			   const struct rt_class *class, const struct way *way,
			   struct rt_findings *findings)
{
	char dscps[RT_SWITCH_MASK_BYTES];
	struct steps buf;

	if (!rt_class_is_lossless(class))
		return;
	rt_align_mask(way->dscps, dscps);
	if (way->path.lossless == RT_LOSSLESS_NO)
		align_found(findings, rule, align, class->name,
			    "DSCP %.60s: %s of %s: %s", dscps, steps(&way->path, &buf),
			    align->port->id.name, way->path.why);
	/* where only the headroom is not in the file, the rest was seen to be right */
	else if (way->path.lossless == RT_LOSSLESS_UNKNOWN && !has_prios(way))
		rt_align_lacks(findings, rule, align, "class %s, DSCP %.60s: %s",
			       class->name, dscps, way->path.why);
}

void rt_align_lossless_class(const struct rt_rule *rule, const void *subject,
			     struct rt_findings *findings)
{
	judge_all(rule, subject, judge_lossless, findings);
}

/* Has its DSCPs by name, and not what other classes left. */
static bool is_named(const struct rt_class *class)
{
	return class->dscp.state == RT_SETTING_VALUE;
}

static void tell_paused(const struct rt_rule *rule, const struct rt_align *align,
			const struct rt_class *class, const struct way *way,
			struct rt_findings *findings)
{
	char dscps[RT_SWITCH_MASK_BYTES], prios[RT_SWITCH_MASK_BYTES];
	struct steps buf;

	if (!rt_class_is_lossless(class) && !rt_align_is_cnp(class) && has_prios(way))
		align_found(findings, rule, align, class->name,
			    "DSCP %.60s: %s of %s is paused by priority %s",
			    rt_align_mask(way->dscps, dscps), steps(&way->path, &buf),
			    align->port->id.name,
			    rt_switch_mask_text(&way->path.prios, prios));
}

static void judge_lossy(const struct rt_rule *rule, const struct rt_align *align,
			const struct rt_class *class, const struct way *way,
			struct rt_findings *findings)
{
	if (is_named(class))
		tell_paused(rule, align, class, way, findings);
}

void rt_align_lossy_class(const struct rt_rule *rule, const void *subject,
			  struct rt_findings *findings)
{
	judge_all(rule, subject, judge_lossy, findings);
}

static void judge_rest(const struct rt_rule *rule, const struct rt_align *align,
		       const struct rt_class *class, const struct way *way,
		       struct rt_findings *findings)
{
	if (!is_named(class))
		tell_paused(rule, align, class, way, findings);
}

void rt_align_rest_paused(const struct rt_rule *rule, const void *subject,
			  struct rt_findings *findings)
{
	judge_all(rule, subject, judge_rest, findings);
}

/* The priority under which the host pauses must be the one that the switch pauses. */
static void judge_prio(const struct rt_rule *rule, const struct rt_align *align,
		       const struct rt_class *class, const struct way *way,
		       struct rt_findings *findings)
{
	uint64_t wrong = 0;
	struct rt_opt_u64 prio = { 0 };
	char dscps[RT_SWITCH_MASK_BYTES], prios[RT_SWITCH_MASK_BYTES];

	if (!rt_class_is_lossless(class) || !has_prios(way))
		return;
	for (unsigned dscp = 0; dscp < 64; dscp++) {
		const struct rt_opt_u64 of = way->dscps >> dscp & 1
						     ? rt_align_prio_of_dscp(align,
									     dscp)
						     : (struct rt_opt_u64){ 0 };

		if (of.known && of.value < 8 &&
		    !(way->path.prios.number >> of.value & 1)) {
			wrong |= UINT64_C(1) << dscp;
			prio = of;
		}
	}
	if (wrong)
		align_found(findings, rule, align, class->name,
			    "DSCP %.60s has priority %" PRIu64
			    " on the host, the switch pauses it by %s",
			    rt_align_mask(wrong, dscps), prio.value,
			    rt_switch_mask_text(&way->path.prios, prios));
}

void rt_align_class_prio(const struct rt_rule *rule, const void *subject,
			 struct rt_findings *findings)
{
	judge_all(rule, subject, judge_prio, findings);
}

/* Headroom of 0 is a number; "platform" is none. */
static void judge_headroom(const struct rt_rule *rule, const struct rt_align *align,
			   const struct rt_class *class, const struct way *way,
			   struct rt_findings *findings)
{
	const struct rt_setting *want = &class->at[RT_ROLE_HOST].headroom;
	const struct rt_switch_buffer *buffer = way->path.buffer;
	char is[RT_UNIT_TEXT_BYTES], wanted[RT_UNIT_TEXT_BYTES];

	if (!rt_class_is_lossless(class) || !rt_setting_known(want) || !buffer ||
	    !rt_setting_known(&buffer->xoff) || buffer->xoff.number >= want->number)
		return;
	align_found(findings, rule, align, class->name,
		    "profile %s of group %" PRIu64 " has %s above XOFF, wanted are %s",
		    buffer->id.name, way->path.pg.number,
		    rt_unit_format(RT_UNIT_BYTES, buffer->xoff.number, is),
		    rt_unit_format(RT_UNIT_BYTES, want->number, wanted));
}

void rt_align_headroom(const struct rt_rule *rule, const void *subject,
		       struct rt_findings *findings)
{
	judge_all(rule, subject, judge_headroom, findings);
}

/* --- CNPs ------------------------------------------------------------------------------- */

/* A class of RoCE data whose packets use this queue, or NULL. */
static const struct rt_class *data_in_queue(const struct rt_align *align,
					    uint64_t queue)
{
	for_each_class (class, align->profile) {
		uint64_t left = 0;

		if (rt_align_is_data(class) && is_named(class) &&
		    rt_class_is_lossless(class))
			left = class->dscp.number;
		while (left) {
			const struct way way = first_way(align, left);

			if (rt_setting_known(&way.path.queue) &&
			    way.path.queue.number == queue)
				return class;
			left &= ~way.dscps;
		}
	}
	return NULL;
}

static void judge_cnp_way(const struct rt_rule *rule, const struct rt_align *align,
			  const struct rt_class *cnp, const struct way *way,
			  struct rt_findings *findings)
{
	const struct rt_setting *queue = &way->path.queue;
	const struct rt_class *data;
	char dscps[RT_SWITCH_MASK_BYTES], prios[RT_SWITCH_MASK_BYTES];

	rt_align_mask(way->dscps, dscps);
	if (!rt_setting_known(queue)) {
		rt_align_lacks(findings, rule, align, "the queue of DSCP %.60s: %s",
			       dscps, way->path.why);
		return;
	}
	data = data_in_queue(align, queue->number);
	if (has_prios(way))
		align_found(findings, rule, align, "CNP",
			    "DSCP %.60s is in queue %" PRIu64
			    ", which priority %s pauses",
			    dscps, queue->number,
			    rt_switch_mask_text(&way->path.prios, prios));
	else if (data)
		align_found(findings, rule, align, "CNP",
			    "DSCP %.60s is in queue %" PRIu64 ", with class %s", dscps,
			    queue->number, data->name);
	else if (cnp && rt_setting_known(&cnp->queue) &&
		 cnp->queue.number != queue->number)
		align_found(findings, rule, align, "CNP",
			    "DSCP %.60s is in queue %" PRIu64
			    ", class %s of the profile in %" PRIu64,
			    dscps, queue->number, cnp->name, cnp->queue.number);
}

void rt_align_cnp_queue(const struct rt_rule *rule, const void *subject,
			struct rt_findings *findings)
{
	const struct rt_align *align = subject;
	const struct rt_opt_u64 dscps = rt_align_cnp_dscps(align);
	const struct rt_class *cnp;
	uint64_t left;

	if (!align->port || !align->profile || !dscps.known)
		return;
	cnp = rt_profile_class_of_kind(align->profile, RT_CLASS_CNP);
	for (left = dscps.value; left;) {
		const struct way way = first_way(align, left);

		judge_cnp_way(rule, align, cnp, &way, findings);
		left &= ~way.dscps;
	}
}

/* DSCPs that classes other than cnp have by name. */
static uint64_t named_elsewhere(const struct rt_profile *profile,
				const struct rt_class *cnp)
{
	uint64_t mask = 0;

	for_each_class (class, profile)
		if (class != cnp && class->dscp.state == RT_SETTING_VALUE)
			mask |= class->dscp.number;
	return mask;
}

void rt_align_cnp_shared(const struct rt_rule *rule, const void *subject,
			 struct rt_findings *findings)
{
	const struct rt_align *align = subject;
	const struct rt_opt_u64 dscps = rt_align_cnp_dscps(align);
	const struct rt_class *cnp;
	struct way way;
	uint64_t others;
	char first[RT_SWITCH_MASK_BYTES], text[RT_SWITCH_MASK_BYTES];

	if (!align->port || !align->profile || !dscps.known || !dscps.value)
		return;
	cnp = rt_profile_class_of_kind(align->profile, RT_CLASS_CNP);
	way = first_way(align, dscps.value);
	if (!rt_setting_known(&way.path.tc))
		return;
	others = rt_switch_dscps_of_tc(align->sw, align->port,
				       (unsigned)way.path.tc.number) &
		 named_elsewhere(align->profile, cnp) & ~dscps.value;
	if (others)
		align_found(findings, rule, align, "CNP",
			    "traffic class %" PRIu64
			    " of the switch has DSCP %.60s of CNPs, and %.60s",
			    way.path.tc.number, rt_align_mask(way.dscps, first),
			    rt_align_mask(others, text));
}

/* --- queues ------------------------------------------------------------------------------ */

static void judge_queue(const struct rt_rule *rule, const struct rt_align *align,
			const struct rt_class *class, const struct way *way,
			struct rt_findings *findings)
{
	const struct {
		const char *name;
		const struct rt_setting *want, *is;
	} rows[] = {
		{ "queue", &class->queue, &way->path.queue },
		{ "priority group", &class->pg, &way->path.pg },
	};
	char dscps[RT_SWITCH_MASK_BYTES];

	/* align-cnp-queue; and the rest may be spread over many queues */
	if (rt_align_is_cnp(class) || !is_named(class))
		return;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++)
		if (rt_setting_known(rows[i].want) && rt_setting_known(rows[i].is) &&
		    rows[i].want->number != rows[i].is->number)
			align_found(findings, rule, align, class->name,
				    "DSCP %.60s is in %s %" PRIu64
				    " of the switch, in the profile in %" PRIu64,
				    rt_align_mask(way->dscps, dscps), rows[i].name,
				    rows[i].is->number, rows[i].want->number);
}

void rt_align_queue(const struct rt_rule *rule, const void *subject,
		    struct rt_findings *findings)
{
	judge_all(rule, subject, judge_queue, findings);
}

/* What a class's weight or percents are, or that it has none. */
static struct rt_opt_u64 weight_of(const struct rt_class *class)
{
	const struct rt_profile_sched *sched = &class->sched;

	if (rt_setting_known(&sched->dwrr))
		return RT_KNOWN_U64(sched->dwrr.number);
	if (rt_setting_known(&sched->ets))
		return RT_KNOWN_U64(sched->ets.number);
	return (struct rt_opt_u64){ 0 };
}

static const struct rt_switch_sched *sched_of(const struct rt_align *align,
					      const struct rt_class *class)
{
	if (!rt_setting_known(&class->dscp) || !class->dscp.number)
		return NULL;
	return first_way(align, class->dscp.number).path.sched;
}

static bool is_weighted(const struct rt_switch_sched *sched)
{
	return sched && rt_setting_known(&sched->type) &&
	       sched->type.number != RT_SCHED_STRICT &&
	       rt_setting_known(&sched->weight);
}

/* Sums over the classes that have a weight on both sides; false: none has. */
static bool sum_weights(const struct rt_align *align, uint64_t *wanted, uint64_t *given)
{
	*wanted = *given = 0;
	for_each_class (class, align->profile) {
		const struct rt_opt_u64 weight = weight_of(class);
		const struct rt_switch_sched *sched = sched_of(align, class);

		if (!weight.known || !is_weighted(sched))
			continue;
		*wanted += weight.value;
		*given += sched->weight.number;
	}
	return *wanted && *given;
}

static void judge_share(const struct rt_rule *rule, const struct rt_align *align,
			const struct rt_class *class,
			const struct rt_switch_sched *sched,
			struct rt_findings *findings)
{
	const struct rt_opt_u64 weight = weight_of(class);
	uint64_t wanted, given, want_pct, is_pct;

	if (!weight.known || !is_weighted(sched) ||
	    !sum_weights(align, &wanted, &given))
		return;
	want_pct = (weight.value * 100 + wanted / 2) / wanted;
	is_pct = (sched->weight.number * 100 + given / 2) / given;
	if (want_pct > is_pct + 1 || is_pct > want_pct + 1)
		align_found(
			findings, rule, align, class->name,
			"scheduler %s gives it %" PRIu64
			" %% of what the profile's classes share, wanted are %" PRIu64
			" %%",
			sched->id.name, is_pct, want_pct);
}

/* Where the profile says how a class is served, and the file does not. */
static void lacks_sched(const struct rt_rule *rule, const struct rt_align *align,
			const struct rt_class *class, struct rt_findings *findings)
{
	struct rt_switch_path path;

	if (!rt_setting_known(&class->dscp) || !class->dscp.number)
		return;
	path = first_way(align, class->dscp.number).path;
	if (path.sched)
		rt_align_lacks(findings, rule, align,
			       "class %s: the type of scheduler %s is not in the file",
			       class->name, path.sched->id.name);
	else if (rt_setting_known(&path.queue))
		rt_align_lacks(findings, rule, align,
			       "class %s: the scheduler of queue %" PRIu64
			       " of %s is not in the file",
			       class->name, path.queue.number, align->port->id.name);
	else
		rt_align_lacks(findings, rule, align, "class %s: %s", class->name,
			       path.why);
}

static void judge_sched(const struct rt_rule *rule, const struct rt_align *align,
			const struct rt_class *class, struct rt_findings *findings)
{
	const struct rt_switch_sched *sched = sched_of(align, class);
	const bool strict = rt_setting_known(&class->sched.strict);

	if (!strict && !weight_of(class).known)
		return;
	if (!sched || !rt_setting_known(&sched->type))
		lacks_sched(rule, align, class, findings);
	else if (strict != (sched->type.number == RT_SCHED_STRICT))
		align_found(findings, rule, align, class->name,
			    "scheduler %s is %sstrict, the profile wants it %s",
			    sched->id.name, strict ? "not " : "",
			    strict ? "strict" : "weighted");
	else
		judge_share(rule, align, class, sched, findings);
}

void rt_align_sched(const struct rt_rule *rule, const void *subject,
		    struct rt_findings *findings)
{
	const struct rt_align *align = subject;

	if (!align->port || !align->profile)
		return;
	for_each_class (class, align->profile)
		judge_sched(rule, align, class, findings);
}

/* --- ECN ---------------------------------------------------------------------------------- */

static void judge_ecn(const struct rt_rule *rule, const struct rt_align *align,
		      const struct rt_class *class, const struct way *way,
		      struct rt_findings *findings)
{
	const struct rt_switch_path *path = &way->path;

	if (!rt_setting_known(&class->at[RT_ROLE_HOST].kmin))
		return;
	if (!path->queue_at)
		rt_align_lacks(findings, rule, align, "class %s: %s", class->name,
			       path->why);
	else if (!path->wred)
		align_found(findings, rule, align, class->name,
			    "queue %" PRIu64 " of %s has no ECN profile",
			    path->queue.number, align->port->id.name);
	else if (!rt_switch_wred_marks(path->wred))
		align_found(findings, rule, align, class->name,
			    "profile %s of queue %" PRIu64 " does not mark",
			    path->wred->id.name, path->queue.number);
}

void rt_align_ecn(const struct rt_rule *rule, const void *subject,
		  struct rt_findings *findings)
{
	judge_all(rule, subject, judge_ecn, findings);
}

/*
 * Switches count in cells and round, and files are written in rounder numbers still: a
 * threshold is the same within one cell or 5 %, whichever is more.
 */
#define CELL_BYTES 256u
static bool same_threshold(enum rt_unit unit, uint64_t is, uint64_t wanted)
{
	const uint64_t apart = is > wanted ? is - wanted : wanted - is;

	if (unit != RT_UNIT_BYTES)
		return apart == 0;
	return apart <= CELL_BYTES || apart <= wanted / 20;
}

static void judge_thresholds(const struct rt_rule *rule, const struct rt_align *align,
			     const struct rt_class *class, const struct way *way,
			     struct rt_findings *findings)
{
	const struct rt_class_role *at = &class->at[RT_ROLE_HOST];
	const struct rt_switch_wred_colour *green;
	char is[RT_UNIT_TEXT_BYTES], wanted[RT_UNIT_TEXT_BYTES];

	if (!way->path.wred || !rt_switch_wred_marks(way->path.wred))
		return;
	green = &way->path.wred->colour[RT_GREEN];
	const struct {
		const char *name;
		enum rt_unit unit;
		const struct rt_setting *want, *is;
	} rows[] = {
		{ "Kmin", RT_UNIT_BYTES, &at->kmin, &green->kmin },
		{ "Kmax", RT_UNIT_BYTES, &at->kmax, &green->kmax },
		{ "Pmax", RT_UNIT_PCT, &at->pmax, &green->pmax },
	};

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		if (!rt_setting_known(rows[i].want))
			continue;
		if (!rt_setting_known(rows[i].is))
			rt_align_lacks(findings, rule, align,
				       "class %s: %s of profile %s is not known",
				       class->name, rows[i].name,
				       way->path.wred->id.name);
		else if (!same_threshold(rows[i].unit, rows[i].is->number,
					 rows[i].want->number))
			align_found(
				findings, rule, align, class->name,
				"%s of profile %s is %s, wanted is %s", rows[i].name,
				way->path.wred->id.name,
				rt_unit_format(rows[i].unit, rows[i].is->number, is),
				rt_unit_format(rows[i].unit, rows[i].want->number,
					       wanted));
	}
}

void rt_align_thresholds(const struct rt_rule *rule, const void *subject,
			 struct rt_findings *findings)
{
	judge_all(rule, subject, judge_thresholds, findings);
}

/* A byte that the host puts on packets of this class without ECT; or NULL. */
static const char *byte_without_ect(const struct rt_align *align, uint64_t dscps)
{
	static const enum rt_knob_id bytes[] = { RT_KNOB_TCLASS, RT_KNOB_CM_TOS };

	for (size_t i = 0; i < RT_ARRAY_SIZE(bytes); i++) {
		const struct rt_opt_u64 byte = rt_align_host(align, bytes[i]);

		if (byte.known && byte.value <= 255 && byte.value &&
		    !(byte.value & 3) && dscps >> (byte.value >> 2) & 1)
			return rt_knobs[bytes[i]].name;
	}
	return NULL;
}

static void judge_ect(const struct rt_rule *rule, const struct rt_align *align,
		      const struct rt_class *class, const struct way *way,
		      struct rt_findings *findings)
{
	const struct rt_setting *ect = &class->ect;
	const char *byte;

	if (!rt_align_is_data(class) || !way->path.wred ||
	    !rt_switch_wred_marks(way->path.wred))
		return;
	byte = byte_without_ect(align, way->dscps);
	if (rt_setting_known(ect) && ect->number == RT_ECT_NO)
		align_found(findings, rule, align, class->name,
			    "the profile sends it without ECT, queue %" PRIu64
			    " has profile %s",
			    way->path.queue.number, way->path.wred->id.name);
	/* a NIC that sets the bits itself does so whatever the byte has */
	else if (byte && !(rt_setting_known(ect) && ect->number == RT_ECT_NIC))
		align_found(findings, rule, align, class->name,
			    "%s of the host has no ECT, queue %" PRIu64
			    " has profile %s",
			    byte, way->path.queue.number, way->path.wred->id.name);
}

void rt_align_ect(const struct rt_rule *rule, const void *subject,
		  struct rt_findings *findings)
{
	judge_all(rule, subject, judge_ect, findings);
}
