/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plan.c - from what a port has to what it should have.
 *
 * First the target: what the port has, with what is wanted laid over it where a row
 * can write it, what the NIC does by itself, and what follows.  Then the changes are
 * simply where the target differs, so that the way back is the same sum with the two
 * exchanged.
 */
#include "host/plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "host/plan_parts.h"
#include "rocetune/err.h"

/* --- rows -------------------------------------------------------------------------- */

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* A read names the way of what it brought; a value without one only follows. */
const struct rt_driver_row *rt_plan_row(const struct rt_driver *driver,
					const struct rt_qos *have, enum rt_knob_id id)
{
	const struct rt_knob_value *value = &have->knobs[id];

	for (size_t i = 0; i < driver->row_count && value->interface; i++) {
		const struct rt_driver_row *row = &driver->rows[i];

		if (!row->raw && row->knob == id &&
		    same(row->access->interface, value->interface) &&
		    same(rt_row_vendor(row), value->vendor))
			return row;
	}
	return NULL;
}

const struct rt_driver_row *rt_plan_raw_row(const struct rt_driver *driver,
					    const struct rt_raw_value *have)
{
	if (!have || (!have->interface && !have->known))
		return NULL;
	for (size_t i = 0; i < driver->row_count; i++) {
		const struct rt_driver_row *row = &driver->rows[i];

		if (row->raw && strcmp(row->raw, have->name) == 0 &&
		    (!have->interface || same(row->access->interface, have->interface)))
			return row;
	}
	return NULL;
}

static bool is_writable(const struct rt_driver_row *row)
{
	return row && !(row->flags & RT_ROW_READ_ONLY) && row->access->write;
}

/* --- what is wanted and cannot be had ------------------------------------------------ */

struct making {
	const struct rt_host_port *port;
	const struct rt_plan_wish *wish;
	struct rt_qos want; /* resolved */
	struct rt_plan *plan;
	struct rt_err *err;
};

static bool is_asked(const struct making *m, enum rt_knob_group group)
{
	return !m->wish || !m->wish->groups || m->wish->groups >> group & 1;
}

static bool is_allowed(const struct making *m, const char *name)
{
	const char *const *allowed = m->wish ? m->wish->allow_missing : NULL;

	for (; allowed && *allowed; allowed++)
		if (strcmp(*allowed, name) == 0)
			return true;
	return false;
}

/* The row's command with the value; number: in the vendor's unit. */
static void say_by_hand(const struct making *m, const struct rt_driver_row *row,
			uint64_t number, char why[RT_KNOB_WHY_BYTES])
{
	static const char word[] = "{value}";
	char line[RT_ROW_PATH_BYTES];
	const char *at;

	if (!row->command || rt_row_path(m->port, row->command, line) < 0) {
		snprintf(why, RT_KNOB_WHY_BYTES, "only read here");
		return;
	}
	at = strstr(line, word);
	if (at)
		snprintf(why, RT_KNOB_WHY_BYTES,
			 "only read here; by hand: %.*s%" PRIu64 "%s", (int)(at - line),
			 line, number, at + strlen(word));
	else
		snprintf(why, RT_KNOB_WHY_BYTES, "only read here; by hand: %.70s",
			 line);
}

static struct rt_missing *add_missing(struct making *m, const char *name,
				      const struct rt_driver_row *row, uint64_t number,
				      const char *why)
{
	struct rt_missing *missing = &m->plan->missing[m->plan->missing_count++];

	*missing = (struct rt_missing){ .allowed = is_allowed(m, name) };
	snprintf(missing->name, sizeof(missing->name), "%s", name);
	if (row && row->flags & RT_ROW_READ_ONLY)
		say_by_hand(m, row, number, missing->why);
	else
		snprintf(missing->why, sizeof(missing->why), "%s",
			 why && *why ? why : "the driver offers no such knob");
	return missing;
}

/*
 * Parameters may be set for a law that does not run, or of which nobody can tell:
 * which law runs is a fact of its own, and no reason to set nothing.  The traffic
 * class byte can be forced with NVIDIA's own driver only; applications can set theirs
 * anywhere, which is what `ect: tclass` asks.
 */
static bool may_be_missing(enum rt_knob_id id, const struct rt_knob_value *have)
{
	return !have->known && (id == RT_KNOB_CC_ALGORITHM || id == RT_KNOB_TCLASS);
}

static void add_missing_knob(struct making *m, enum rt_knob_id id,
			     const struct rt_driver_row *row)
{
	const struct rt_knob_value *have = &m->plan->have.knobs[id];
	uint64_t number = m->want.knobs[id].number[0];
	struct rt_missing *missing;

	if (row)
		(void)rt_row_to_raw(row, number, &number, NULL);
	missing = add_missing(m, rt_knobs[id].name, row, number, have->why);
	if (may_be_missing(id, have))
		missing->allowed = true;
}

/* --- the target ---------------------------------------------------------------------- */

static void lay_over(struct making *m, enum rt_knob_id id)
{
	const struct rt_knob_value *want = &m->want.knobs[id];
	const struct rt_driver_row *row;

	if (!want->known || !is_asked(m, rt_knobs[id].group) ||
	    rt_knobs[id].flags & RT_KNOB_FACT)
		return;
	row = rt_plan_row(m->port->driver, &m->plan->have, id);
	if (!is_writable(row))
		return;
	for (unsigned i = 0; i < rt_knobs[id].length; i++)
		if (want->known >> i & 1)
			rt_knob_set(&m->plan->target, id, i,
				    rt_knob_number(&rt_knobs[id], want, i));
}

/* Where in qos the raw knob of this name is; SIZE_MAX: nowhere. */
static size_t raw_index(const struct rt_qos *qos, const char *name)
{
	for (size_t i = 0; i < qos->raw_count; i++)
		if (strcmp(qos->raw[i].name, name) == 0)
			return i;
	return SIZE_MAX;
}

static void lay_over_raw(struct making *m, const struct rt_raw_value *want)
{
	struct rt_qos *target = &m->plan->target;
	const size_t at = raw_index(target, want->name);
	const struct rt_raw_value *have = at == SIZE_MAX ? NULL : &target->raw[at];

	if (!want->known || !is_asked(m, RT_GROUP_CC))
		return;
	if (is_writable(rt_plan_raw_row(m->port->driver, have))) {
		target->raw[at].number = want->number;
		target->raw[at].known = true;
	} else if (!have || !have->known || have->number != want->number) {
		add_missing(m, want->name, rt_plan_raw_row(m->port->driver, have),
			    want->number, have ? have->why : NULL);
	}
}

bool rt_step_carries(const struct rt_plan *plan, const struct rt_step *step,
		     const struct rt_driver_row *row)
{
	if (row->access != step->access || row->flags & RT_ROW_READ_ONLY ||
	    (!row->raw && rt_knobs[row->knob].flags & RT_KNOB_FACT))
		return false;
	if (!row->access->by_row)
		return true;
	rt_step_for_each(change, plan, step) if (change->row == row) return true;
	return false;
}

/* What is wanted and not there in the end: lacking, or excluded by something else. */
static int compare_knob(struct making *m, enum rt_knob_id id)
{
	const struct rt_knob_value *want = &m->want.knobs[id];
	const struct rt_driver_row *row;
	char is[RT_KNOB_TEXT_BYTES];

	uint64_t differs = rt_knob_differs(&rt_knobs[id], &m->plan->target.knobs[id],
					   want);

	if (id == RT_KNOB_ETS_BW)
		differs &= ~rt_qos_shareless(&m->plan->target);
	if (!is_asked(m, rt_knobs[id].group) || rt_knobs[id].flags & RT_KNOB_FACT ||
	    !differs)
		return 0;
	row = rt_plan_row(m->port->driver, &m->plan->have, id);
	if (!is_writable(row)) {
		add_missing_knob(m, id, row);
		return 0;
	}
	if (m->wish && m->wish->best_effort)
		return 0;
	return rt_err_set(
		m->err, -EINVAL,
		"%s: %s cannot be as wanted together with the rest: it would "
		"become %.100s",
		m->port->device->ibdev, rt_knobs[id].name,
		rt_knob_format(&rt_knobs[id], &m->plan->target.knobs[id], is));
}

/* The mode byte goes with the owner, and is not what anybody asks for. */
static void forget_mode(struct rt_plan *plan)
{
	if (rt_knob_differs(&rt_knobs[RT_KNOB_DCBX_OWNER],
			    &plan->have.knobs[RT_KNOB_DCBX_OWNER],
			    &plan->target.knobs[RT_KNOB_DCBX_OWNER]))
		rt_knob_unknown(&plan->target, RT_KNOB_DCBX_MODE,
				"changes with dcbx.owner");
}

static int make_target(struct making *m)
{
	const struct rt_driver *driver = m->port->driver;
	struct rt_plan *plan = m->plan;

	plan->target = plan->have;
	for (unsigned id = 0; id < RT_KNOB_COUNT; id++)
		lay_over(m, id);
	for (size_t i = 0; i < m->want.raw_count; i++)
		lay_over_raw(m, &m->want.raw[i]);
	if (driver->follow)
		driver->follow(&plan->have, &plan->target);
	if (driver->infer)
		driver->infer(&plan->target);
	forget_mode(plan);
	for (unsigned id = 0; id < RT_KNOB_COUNT; id++) {
		int r = compare_knob(m, id);

		if (r < 0)
			return r;
	}
	return 0;
}

/* --- the changes --------------------------------------------------------------------- */

static void note_unknown(const struct making *m, struct rt_change *change,
			 uint64_t known)
{
	const struct rt_qos *have = &m->plan->have;
	const char *why = change->raw == SIZE_MAX ? have->knobs[change->knob].why
						  : have->raw[change->raw].why;

	if (change->row->flags & RT_ROW_ONE_WAY)
		change->one_way = true;
	if (!(change->which & ~known))
		return;
	if (m->wish && m->wish->makes_folders && strcmp(why, RT_WHY_NO_FOLDER) == 0) {
		snprintf(change->note, sizeof(change->note),
			 "what it was is read before it is written");
		return;
	}
	change->one_way = true;
	snprintf(change->note, sizeof(change->note), "what it was is not known");
}

static void add_change(const struct making *m, const struct rt_driver_row *row,
		       enum rt_knob_id id, size_t raw, uint64_t which, uint64_t known)
{
	struct rt_change *change = &m->plan->changes[m->plan->change_count++];

	*change = (struct rt_change){
		.knob = id,
		.raw = raw,
		.which = which,
		.row = row,
		.impact = row->impact,
		.scope = row->scope,
	};
	note_unknown(m, change, known);
}

static void find_changes(struct making *m, uint64_t whole)
{
	const struct rt_driver *driver = m->port->driver;
	struct rt_plan *plan = m->plan;

	for (unsigned id = 0; id < RT_KNOB_COUNT; id++) {
		const struct rt_driver_row *row = rt_plan_row(driver, &plan->have, id);
		const struct rt_knob_value *have = &plan->have.knobs[id];
		const struct rt_knob_value *target = &plan->target.knobs[id];
		uint64_t which = rt_knob_differs(&rt_knobs[id], have, target);

		if (whole >> id & 1)
			which |= target->known;
		if (!which || !is_writable(row))
			continue;
		add_change(m, row, id, SIZE_MAX, which, have->known);
		if (!rt_knob_differs(&rt_knobs[id], have, target))
			snprintf(plan->changes[plan->change_count - 1].note,
				 sizeof(plan->changes[0].note),
				 "reset on the way: written again");
	}
	for (size_t i = 0; i < plan->target.raw_count; i++) {
		const struct rt_raw_value *have = &plan->have.raw[i];
		const struct rt_raw_value *target = &plan->target.raw[i];

		if (target->known && (!have->known || have->number != target->number))
			add_change(m, rt_plan_raw_row(driver, have), 0, i, 1,
				   have->known);
	}
}

static void sum_up(struct rt_plan *plan)
{
	for (size_t s = 0; s < plan->step_count; s++) {
		struct rt_step *step = &plan->steps[s];

		rt_step_for_each(change, plan, step)
		{
			if (change->impact > step->impact)
				step->impact = change->impact;
			plan->one_way |= change->one_way;
		}
		if (step->impact > plan->impact)
			plan->impact = step->impact;
	}
}

/* What is not asked for cannot be wrong. */
static void drop_unasked(struct making *m, const struct rt_qos *want)
{
	m->want = *want;
	for (unsigned id = 0; id < RT_KNOB_COUNT; id++)
		if (!is_asked(m, rt_knobs[id].group))
			m->want.knobs[id].known = 0;
	if (!is_asked(m, RT_GROUP_CC))
		m->want.raw_count = 0;
}

/* What the NIC would refuse, or take and not hold. */
static int refuse(struct making *m)
{
	const struct rt_driver *driver = m->port->driver;
	int r = m->plan->as_it_was ? 0 : rt_plan_check(m->port, m->plan, m->err);

	if (r == 0 && driver->arrange)
		r = driver->arrange(m->port, m->plan, m->err);
	return m->wish && m->wish->best_effort ? 0 : r;
}

static int make(struct making *m, const struct rt_qos *want)
{
	const struct rt_driver *driver = m->port->driver;
	int r = 0;
	uint64_t whole = 0;

	m->plan->as_it_was = m->wish && m->wish->as_it_was;
	drop_unasked(m, want);
	if (!m->plan->as_it_was)
		r = rt_driver_resolve(driver, &m->want, &m->want, m->err);
	if (r == 0)
		r = make_target(m);
	if (r < 0)
		return r;
	if (driver->rewrites)
		whole = driver->rewrites(&m->plan->have, &m->plan->target);
	find_changes(m, whole);
	rt_plan_order(driver, m->plan, whole);
	r = refuse(m);
	sum_up(m->plan);
	return r;
}

int rt_plan_make(const struct rt_host_port *port, const struct rt_qos *have,
		 const struct rt_qos *want, const struct rt_plan_wish *wish,
		 struct rt_plan *ret_plan, struct rt_err *err)
{
	struct making *m;
	int r = -ENOMEM;

	if (!port->driver)
		return rt_err_set(err, -EOPNOTSUPP, "%s: no driver here knows '%s'",
				  port->device->ibdev, port->device->kernel_driver);
	m = calloc(1, sizeof(*m));
	if (m)
		m->plan = calloc(1, sizeof(*m->plan));
	if (m && m->plan) {
		m->port = port;
		m->wish = wish;
		m->err = err;
		m->plan->have = *have;
		r = make(m, want);
		if (r == 0)
			*ret_plan = *m->plan;
	} else {
		r = rt_err_sys(err, r, "a plan");
	}
	if (m)
		free(m->plan);
	free(m);
	return r;
}

int rt_step_write(const struct rt_host_port *port, const struct rt_plan *plan,
		  const struct rt_step *step, struct rt_err *err)
{
	return step->access->write(port, plan, step, err);
}
