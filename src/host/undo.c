/* SPDX-License-Identifier: BSD-2-Clause */
/* undo.c - from what is there now to what was. */
#include "host/undo.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "host/plan_parts.h"
#include "host/state.h"
#include "rocetune/err.h"

#define ATTEMPTS 3

struct undo {
	const struct rt_host_port *port;
	struct rt_state *state;
	struct rt_journal *journal;
	struct rt_qos old, now;
	struct rt_plan plan;
};

/* Elements that are not as they were, and mean something. */
static uint64_t others(const struct rt_qos *old, const struct rt_qos *now, unsigned id)
{
	const uint64_t other = rt_knob_differs(&rt_knobs[id], &now->knobs[id],
					       &old->knobs[id]);

	return id == RT_KNOB_ETS_BW ? other & ~rt_qos_shareless(old) : other;
}

/* The first knob that is not as it was; NULL: all is. */
static const char *first_other(const struct rt_qos *old, const struct rt_qos *now)
{
	for (unsigned id = 0; id < RT_KNOB_COUNT; id++)
		if (others(old, now, id))
			return rt_knobs[id].name;
	for (size_t i = 0; i < old->raw_count; i++) {
		const struct rt_raw_value *raw = rt_qos_raw(now, old->raw[i].name);

		if (old->raw[i].known &&
		    (!raw || !raw->known || raw->number != old->raw[i].number))
			return old->raw[i].name;
	}
	return NULL;
}

/* What is on its way to the disk may be lost; the port comes first. */
static void remember(struct undo *undo)
{
	rt_state_save(undo->state, undo->journal, NULL);
}

/* As it was, and whatever of it can be had. */
static const struct rt_plan_wish back = { .as_it_was = true, .best_effort = true };

static int plan_back(struct undo *undo, struct rt_err *err)
{
	int r = rt_plan_make(undo->port, &undo->now, &undo->old, &back, &undo->plan,
			     err);

	if (r < 0)
		return r;
	r = rt_journal_allow_effects(undo->journal, &undo->plan, err);
	remember(undo);
	return r;
}

/*
 * In the driver's order, and no further than to what fails, for what comes after may
 * need it; the last time further, since half of it put back is better than nothing.
 */
static int write_back(struct undo *undo, bool is_last, struct rt_err *err)
{
	struct rt_err more = { 0 };
	int r = plan_back(undo, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < undo->plan.step_count && (r == 0 || is_last); i++) {
		int failed = rt_step_write(undo->port, &undo->plan,
					   &undo->plan.steps[i], r < 0 ? &more : err);

		r = r < 0 ? r : failed;
	}
	return r;
}

static const struct rt_missing *missing_of(const struct rt_plan *plan, const char *knob)
{
	for (size_t i = 0; i < plan->missing_count; i++)
		if (strcmp(plan->missing[i].name, knob) == 0)
			return &plan->missing[i];
	return NULL;
}

static int say_other(const struct undo *undo, const char *other, struct rt_err *why,
		     struct rt_err *err)
{
	const struct rt_missing *missing = missing_of(&undo->plan, other);

	if (missing)
		return rt_err_set(err, -ENOTSUP, "%s cannot be put back: %s", other,
				  missing->why);
	if (!*why->msg)
		rt_err_set(why, -EIO, "the driver keeps another value");
	return rt_err_set(err, -EIO, "%s could not be put back: %.300s", other,
			  why->msg);
}

/* One pass; 1: all is as it was. */
static int attempt(struct undo *undo, bool is_last, struct rt_err *err)
{
	const struct rt_driver *driver = undo->port->driver;
	struct rt_err why = { 0 };
	const char *other;
	int r;

	write_back(undo, is_last, &why);
	r = rt_host_read(undo->port, &undo->now, err);
	if (r < 0)
		return r;
	other = first_other(&undo->old, &undo->now);
	if (!other)
		return 1;
	/* It stands there because we wrote just now, and nobody else did. */
	r = rt_journal_allow_kept(undo->journal, driver, &undo->now, 0, err);
	if (r < 0)
		return r;
	say_other(undo, other, &why, err);
	return 0;
}

static void say_one_way(struct rt_journal *journal)
{
	for (size_t i = 0; i < journal->write_count; i++)
		if (journal->writes[i].one_way) {
			snprintf(journal->result, sizeof(journal->result),
				 "%s is one-way: its value is back, what else it "
				 "changed is not",
				 journal->writes[i].knob);
			return;
		}
}

static int undo_all(struct undo *undo, struct rt_err *err)
{
	const struct rt_driver *driver = undo->port->driver;
	struct rt_err last = { 0 };
	int r = rt_journal_old(undo->journal, driver, &undo->old, err);

	if (r == 0)
		r = rt_host_read(undo->port, &undo->now, err);
	if (r == 0)
		r = rt_journal_holds(undo->journal, driver, &undo->now, err);
	if (r < 0)
		return r;
	if (!first_other(&undo->old, &undo->now))
		return 0;
	for (unsigned i = 1; i <= ATTEMPTS; i++) {
		r = attempt(undo, i == ATTEMPTS, &last);
		if (r == 1)
			return 0;
		if (r < 0)
			break;
	}
	return rt_err_set(err, r < 0 ? r : last.code, "%s", last.msg);
}

int rt_undo_check(const struct rt_host_port *port, const struct rt_plan *plan,
		  const struct rt_journal *journal, struct rt_err *err)
{
	RT_AUTO(rt_auto_free) struct undo *undo = calloc(1, sizeof(*undo));
	const struct rt_missing *missing;
	const char *other;
	int r;

	if (!undo)
		return rt_err_sys(err, -ENOMEM, "cannot plan the way back");
	r = rt_journal_old(journal, port->driver, &undo->old, err);
	if (r == 0)
		r = rt_plan_make(port, &plan->target, &undo->old, &back, &undo->plan,
				 err);
	if (r < 0)
		return r;
	other = first_other(&undo->old, &undo->plan.target);
	if (!other)
		return 0;
	missing = missing_of(&undo->plan, other);
	return rt_err_set(err, -ENOTSUP, "%s could not be put back: %s", other,
			  missing ? missing->why : "it does not go with the rest");
}

/* The port is old by now; journal says so only if the disk does. */
static int roll_back(struct rt_state *state, struct rt_journal *journal,
		     struct rt_err *err)
{
	const struct rt_opt_u64 deadline_ns = journal->deadline_ns;
	const unsigned status = journal->status;
	struct rt_err why = { 0 };

	journal->status = RT_JOURNAL_ROLLED_BACK;
	journal->deadline_ns = (struct rt_opt_u64){ 0 };
	*journal->result = '\0';
	rt_journal_now(journal->ended);
	say_one_way(journal);
	if (rt_state_save(state, journal, &why) == 0)
		return 0;
	journal->status = status;
	journal->deadline_ns = deadline_ns;
	*journal->ended = '\0';
	rt_err_set(err, -EIO,
		   "all is as it was before, but the journal still says %s: %.300s",
		   rt_name_of(rt_journal_status_names, status), why.msg);
	return RT_UNDO_UNSAVED;
}

int rt_undo(const struct rt_host_port *port, struct rt_state *state,
	    struct rt_journal *journal, struct rt_err *err)
{
	RT_AUTO(rt_auto_free) struct undo *undo = calloc(1, sizeof(*undo));
	struct rt_err why = { 0 };
	int r;

	if (!undo)
		return rt_err_sys(err, -ENOMEM, "cannot undo");
	undo->port = port;
	undo->state = state;
	undo->journal = journal;
	r = journal->status == RT_JOURNAL_PLANNED ? 0 : undo_all(undo, &why);
	if (r < 0) {
		/* Whoever looks at it later learns why it is still there. */
		memcpy(journal->result, why.msg, sizeof(journal->result));
		rt_state_save(state, journal, NULL);
		return rt_err_set(err, r, "%s", why.msg);
	}
	return roll_back(state, journal, err);
}
