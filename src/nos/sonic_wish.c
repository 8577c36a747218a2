/* SPDX-License-Identifier: BSD-2-Clause */
/* sonic_wish.c - what a profile asks of config_db, for the ports of a wish. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "model/params.h"
#include "model/switch_build.h"
#include "nos/sonic_wish.h"
#include "rocetune/err.h"
#include "rocetune/units.h"

#define tell(asking, setting, ...)                                        \
	rt_switch_tell((asking)->wish->complaints, RT_SWITCH_NOT_WRITTEN, \
		       &(setting)->place, __VA_ARGS__)

static const struct rt_class_role *role_of(const struct sonic_asking *asking,
					   const struct rt_class *class)
{
	return &class->at[asking->wish->role];
}

/* ROCE_HOST_Q3: one object for each role and number. */
static char *object_name(const struct sonic_asking *asking, const char *kind,
			 uint64_t number, char buf[40])
{
	static const char *const roles[RT_ROLE_COUNT] = { "HOST", "UP", "SPINE" };

	snprintf(buf, 40, "ROCE_%s_%s%" PRIu64, roles[asking->wish->role], kind,
		 number);
	return buf;
}

#define QUEUE_REF(queue, member)                    \
	(offsetof(struct rt_switch_port, queues) +  \
	 (queue) * sizeof(struct rt_switch_queue) + \
	 offsetof(struct rt_switch_queue, member))

/* --- headroom ----------------------------------------------------------------------- */

/* The exponent of two that alpha is; false: it is none that SONiC takes. */
static bool exponent_of(uint64_t alpha_ppb, int *ret_exponent)
{
	for (int n = -8; n <= 7; n++)
		if (alpha_ppb == (n < 0 ? RT_PPB >> -n : (uint64_t)RT_PPB << n)) {
			*ret_exponent = n;
			return true;
		}
	return false;
}

/* The name of the profile that the group has on all ports, if it does the same. */
static const char *buffer_there(const struct sonic_asking *asking,
				const struct rt_class *class)
{
	const struct rt_class_role *at = role_of(asking, class);
	const struct rt_switch_buffer *there = sonic_common_object(
		asking, offsetof(struct rt_switch_port, groups) +
				class->pg.number * sizeof(struct rt_switch_pg) +
				offsetof(struct rt_switch_pg, buffer));

	if (!there || !sonic_is(&there->xoff, at->headroom.number) ||
	    (rt_setting_known(&at->xon) && !sonic_is(&there->xon, at->xon.number)) ||
	    (rt_setting_known(&at->xoff) &&
	     !sonic_is(&there->threshold, at->xoff.number)) ||
	    (rt_setting_known(&at->buffer_alpha) &&
	     !sonic_is(&there->alpha, at->buffer_alpha.number)))
		return NULL;
	return there->id.name;
}

/* Where the profile's threshold is; false: it has none that SONiC takes. */
static bool has_threshold(const struct rt_class_role *at, int *ret_exponent)
{
	if (!rt_setting_known(&at->xon))
		return false;
	return rt_setting_known(&at->xoff) ||
	       (rt_setting_known(&at->buffer_alpha) &&
		exponent_of(at->buffer_alpha.number, ret_exponent));
}

static void want_buffer_fields(const struct sonic_asking *asking,
			       const struct rt_class_role *at, int exponent,
			       const char *name)
{
	const bool shared = rt_setting_known(
		&asking->wish->profile->sw.pool.shared_headroom);
	struct sonic_wants *wants = asking->wants;

	sonic_want(wants, "BUFFER_PROFILE", name, "pool", "ingress_lossless_pool");
	sonic_want(wants, "BUFFER_PROFILE", name, "xon", "%" PRIu64, at->xon.number);
	sonic_want(wants, "BUFFER_PROFILE", name, "xoff", "%" PRIu64,
		   at->headroom.number);
	/* With a shared pool of headroom a group reserves none of its own. */
	sonic_want(wants, "BUFFER_PROFILE", name, "size", "%" PRIu64,
		   at->xon.number + (shared ? 0 : at->headroom.number));
	if (rt_setting_known(&at->xoff))
		sonic_want(wants, "BUFFER_PROFILE", name, "static_th", "%" PRIu64,
			   at->xoff.number);
	else
		sonic_want(wants, "BUFFER_PROFILE", name, "dynamic_th", "%d", exponent);
}

/* The profile of the class's group, in own or there already; NULL: there is none. */
static const char *want_buffer(const struct sonic_asking *asking,
			       const struct rt_class *class, char own[40])
{
	const struct rt_class_role *at = role_of(asking, class);
	const char *name;
	int exponent = 0;

	if (!rt_setting_known(&at->headroom))
		return NULL;
	name = buffer_there(asking, class);
	if (name)
		return name;
	if (!has_threshold(at, &exponent)) {
		tell(asking, &at->headroom,
		     "headroom of class %.40s: a buffer profile needs xon, and xoff or "
		     "an alpha that is a power of two",
		     class->name);
		return NULL;
	}
	object_name(asking, "PG", class->pg.number, own);
	want_buffer_fields(asking, at, exponent, own);
	return own;
}

/* A key of a port's queue or group: Ethernet0|3. */
static char *indexed(const char *port, uint64_t number, char buf[SONIC_KEY_BYTES])
{
	snprintf(buf, SONIC_KEY_BYTES, "%.100s|%" PRIu64, port, number);
	return buf;
}

static void want_headroom(const struct sonic_asking *asking)
{
	const struct rt_setting *cable =
		&asking->wish->profile->sw.roles[asking->wish->role].cable;
	char key[SONIC_KEY_BYTES], name[40], length[RT_UNIT_TEXT_BYTES];

	for_each_wished_port (port, asking)
		if (rt_setting_known(cable))
			sonic_want(asking->wants, "CABLE_LENGTH", "AZURE", *port, "%s",
				   rt_unit_format_exact(RT_UNIT_LENGTH, cable->number,
							length));
	for_each_wished_class (class, asking) {
		const char *profile = rt_class_is_lossless(class)
					      ? want_buffer(asking, class, name)
					      : NULL;

		if (!profile)
			continue;
		for_each_wished_port (port, asking)
			sonic_want(asking->wants, "BUFFER_PG",
				   indexed(*port, class->pg.number, key), "profile",
				   "%s", profile);
	}
}

/* --- schedulers ---------------------------------------------------------------------- */

static const char *sched_there(const struct sonic_asking *asking,
			       const struct rt_class *class,
			       const struct rt_setting *weight)
{
	const struct rt_switch_sched *there = sonic_common_object(
		asking, QUEUE_REF(class->queue.number, sched));
	const bool strict = rt_setting_known(&class->sched.strict);

	if (!there ||
	    !sonic_is(&there->type, strict ? RT_SCHED_STRICT : RT_SCHED_DWRR) ||
	    (!strict && !sonic_is(&there->weight, weight->number)) ||
	    rt_setting_known(&class->sched.max_rate) !=
		    rt_setting_known(&there->max_rate) ||
	    (rt_setting_known(&class->sched.max_rate) &&
	     !sonic_is(&there->max_rate, class->sched.max_rate.number)))
		return NULL;
	return there->id.name;
}

static void want_sched_fields(const struct sonic_asking *asking,
			      const struct rt_class *class,
			      const struct rt_setting *weight, const char *name)
{
	const struct rt_profile_sched *sched = &class->sched;
	const bool strict = rt_setting_known(&sched->strict);

	sonic_want(asking->wants, "SCHEDULER", name, "type", "%s",
		   strict ? "STRICT" : "DWRR");
	if (!strict && weight->number >= 1 && weight->number <= 100)
		sonic_want(asking->wants, "SCHEDULER", name, "weight", "%" PRIu64,
			   weight->number);
	else if (!strict)
		tell(asking, weight, "weight of class %.40s: SONiC takes 1 to 100",
		     class->name);
	if (rt_setting_known(&sched->max_rate)) {
		sonic_want(asking->wants, "SCHEDULER", name, "meter_type", "bytes");
		sonic_want(asking->wants, "SCHEDULER", name, "pir", "%" PRIu64,
			   sched->max_rate.number / 8);
	} else if (rt_setting_known(&sched->max_share)) {
		tell(asking, &sched->max_share,
		     "cap of class %.40s: SONiC takes a rate, not a share",
		     class->name);
	}
}

static void want_scheduler(const struct sonic_asking *asking,
			   const struct rt_class *class)
{
	const struct rt_setting *weight = rt_setting_known(&class->sched.dwrr)
						  ? &class->sched.dwrr
						  : &class->sched.ets;
	char key[SONIC_KEY_BYTES], own[40];
	const char *name;

	if (!rt_setting_known(&class->sched.strict) && !rt_setting_known(weight))
		return;
	name = sched_there(asking, class, weight);
	if (!name) {
		name = object_name(asking, "Q", class->queue.number, own);
		want_sched_fields(asking, class, weight, name);
	}
	for_each_wished_port (port, asking)
		sonic_want(asking->wants, "QUEUE",
			   indexed(*port, class->queue.number, key), "scheduler", "%s",
			   name);
}

static int want_classification(const struct sonic_asking *asking)
{
	int r = sonic_want_maps(asking);

	for_each_wished_class (class, asking)
		if (r == 0)
			want_scheduler(asking, class);
	return r;
}

static unsigned lossless_prios(const struct sonic_asking *asking)
{
	unsigned prios = 0;

	for_each_wished_class (class, asking)
		if (rt_class_is_lossless(class))
			prios |= 1u << class->prio.number;
	return prios;
}

/* In milliseconds, which is all that SONiC knows. */
static void want_ms(const struct sonic_asking *asking, const char *key,
		    const char *field, const struct rt_setting *time)
{
	if (!rt_setting_known(time))
		return;
	if (time->number % 1000000 == 0 && time->number >= 100000000)
		sonic_want(asking->wants, "PFC_WD", key, field, "%" PRIu64,
			   time->number / 1000000);
	else
		tell(asking, time, "%.40s: SONiC takes whole milliseconds, 100 or more",
		     field);
}

static void want_watchdog(const struct sonic_asking *asking)
{
	static const char *const actions[] = { [RT_WATCHDOG_DROP] = "drop",
					       [RT_WATCHDOG_FORWARD] = "forward",
					       [RT_WATCHDOG_ALERT] = "alert" };
	const struct rt_watchdog *watchdog = &asking->wish->profile->sw.watchdog;
	const bool known = rt_setting_known(&watchdog->action);

	/* Without PFC there is nothing to watch, and SONiC refuses to. */
	if (!lossless_prios(asking))
		for_each_wished_port (port, asking)
			sonic_want_gone(asking->wants, "PFC_WD", *port);
	if (!lossless_prios(asking) || !rt_setting_known(&watchdog->detect))
		return;
	want_ms(asking, "GLOBAL", "POLL_INTERVAL", &watchdog->poll);
	if (known && watchdog->action.number >= RT_ARRAY_SIZE(actions))
		tell(asking, &watchdog->action,
		     "watchdog action: SONiC has drop, forward and alert");
	for_each_wished_port (port, asking) {
		if (known && watchdog->action.number < RT_ARRAY_SIZE(actions))
			sonic_want(asking->wants, "PFC_WD", *port, "action", "%s",
				   actions[watchdog->action.number]);
		want_ms(asking, *port, "detection_time", &watchdog->detect);
		want_ms(asking, *port, "restoration_time", &watchdog->restore);
	}
}

/* A whole percentage; a finer one is raised to the next, and said. */
static uint64_t percent_of(const struct sonic_asking *asking,
			   const struct rt_class *class, const struct rt_setting *pmax)
{
	const uint64_t one = RT_PPB / 100;

	if (!rt_setting_known(pmax)) {
		tell(asking, pmax,
		     "pmax of class %.40s is not said: 100 %% is written, which SONiC "
		     "would take anyway",
		     class->name);
		return 100;
	}
	if (pmax->number % one)
		tell(asking, pmax,
		     "pmax of class %.40s: SONiC takes whole percent, the next one is "
		     "written",
		     class->name);
	return (pmax->number + one - 1) / one;
}

static const char *wred_there(const struct sonic_asking *asking,
			      const struct rt_class *class, uint64_t percent)
{
	const struct rt_class_role *at = role_of(asking, class);
	const struct rt_switch_wred *there = sonic_common_object(
		asking, QUEUE_REF(class->queue.number, wred));
	const struct rt_switch_wred_colour *green = there ? &there->colour[RT_GREEN]
							  : NULL;

	if (!there || !rt_switch_wred_marks(there) || !sonic_is(&green->enable, 1) ||
	    !sonic_is(&green->kmin, at->kmin.number) ||
	    !sonic_is(&green->kmax, at->kmax.number) ||
	    !sonic_is(&green->pmax, percent * (RT_PPB / 100)) ||
	    green->pmax.state != RT_SETTING_VALUE)
		return NULL;
	return there->id.name;
}

static void want_wred_fields(const struct sonic_asking *asking,
			     const struct rt_class *class, uint64_t percent,
			     const char *name)
{
	static const char *const colours[] = { "green", "yellow", "red" };
	const struct rt_class_role *at = role_of(asking, class);
	const struct {
		const char *ending;
		uint64_t value;
	} fields[] = { { "_min_threshold", at->kmin.number },
		       { "_max_threshold", at->kmax.number },
		       { "_drop_probability", percent } };

	sonic_want(asking->wants, "WRED_PROFILE", name, "ecn", "ecn_all");
	for (size_t i = 0; i < RT_ARRAY_SIZE(colours); i++) {
		char field[40];

		snprintf(field, sizeof(field), "wred_%s_enable", colours[i]);
		sonic_want(asking->wants, "WRED_PROFILE", name, field, "true");
		for (size_t j = 0; j < RT_ARRAY_SIZE(fields); j++) {
			snprintf(field, sizeof(field), "%s%s", colours[i],
				 fields[j].ending);
			sonic_want(asking->wants, "WRED_PROFILE", name, field,
				   "%" PRIu64, fields[j].value);
		}
	}
}

static void want_wred(const struct sonic_asking *asking, const struct rt_class *class)
{
	const struct rt_class_role *at = role_of(asking, class);
	char key[SONIC_KEY_BYTES], own[40];
	const char *name;
	uint64_t percent;

	if (!rt_setting_known(&at->kmin) || !rt_setting_known(&at->kmax))
		return;
	percent = percent_of(asking, class, &at->pmax);
	name = wred_there(asking, class, percent);
	if (!name) {
		name = object_name(asking, "Q", class->queue.number, own);
		want_wred_fields(asking, class, percent, name);
	}
	for_each_wished_port (port, asking)
		sonic_want(asking->wants, "QUEUE",
			   indexed(*port, class->queue.number, key), "wred_profile",
			   "%s", name);
}

static void want_ecn(const struct sonic_asking *asking)
{
	for_each_wished_class (class, asking)
		want_wred(asking, class);
}

/* 3,4: comma lists only, ranges are none of PFC's. */
static void want_pfc(const struct sonic_asking *asking)
{
	const unsigned prios = lossless_prios(asking);
	char list[24] = "";
	size_t used = 0;

	for (unsigned i = 0; i < 8; i++)
		if (prios >> i & 1)
			used += (size_t)snprintf(list + used, sizeof(list) - used,
						 "%s%u", used ? "," : "", i);
	for_each_wished_port (port, asking) {
		sonic_want(asking->wants, "PORT_QOS_MAP", *port, "pfcwd_sw_enable",
			   "%s", list);
		sonic_want(asking->wants, "PORT_QOS_MAP", *port, "pfc_enable", "%s",
			   list);
	}
}

/* Numbers that the maps need of a class and that it lacks, as YAML: "tc: 3, pg: 3". */
static void list_lacking(const struct rt_class *class, char buf[80])
{
	const bool lossless = rt_class_is_lossless(class);
	const struct {
		const char *key;
		const struct rt_setting *setting;
		bool needed;
	} numbers[] = {
		{ "tc", &class->tc, true },     { "queue", &class->queue, true },
		{ "dscp", &class->dscp, true }, { "prio", &class->prio, lossless },
		{ "pg", &class->pg, lossless },
	};
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < RT_ARRAY_SIZE(numbers); i++) {
		const bool is_dscp = numbers[i].setting == &class->dscp;

		if (!numbers[i].needed || rt_setting_known(numbers[i].setting))
			continue;
		used += (size_t)snprintf(buf + used, 80 - used,
					 "%s%s: ", used ? ", " : "", numbers[i].key);
		/* SONiC's own numbers are the priority's (qos_config.j2). */
		if (rt_setting_known(&class->prio) && !is_dscp)
			used += (size_t)snprintf(buf + used, 80 - used, "%u",
						 (unsigned)class->prio.number);
		else
			used += (size_t)snprintf(buf + used, 80 - used, "%s",
						 is_dscp ? "[N]" : "N");
	}
}

static int refuse_lacking(const struct sonic_asking *asking,
			  const struct rt_class *class, const char *lacking)
{
	const struct rt_setting *name = &asking->wish->profile->name;

	return rt_err_set(
		asking->err, -EINVAL,
		"class %s: %.*s is not a number, and SONiC's maps need it: "
		"export a file with `extends: %.60s` and `classes: {%s: {%s}}`",
		class->name, (int)strcspn(lacking, ":"), lacking,
		rt_setting_known(name) ? name->text : "PROFILE", class->name, lacking);
}

/* Every class needs its numbers, or the maps cannot be written. */
static int check_numbers(const struct sonic_asking *asking)
{
	if (!asking->wish->profile->class_count)
		return rt_err_set(
			asking->err, -EINVAL,
			"the profile has no classes: there is nothing to write");
	for_each_wished_class (class, asking) {
		char lacking[80];

		list_lacking(class, lacking);
		if (*lacking)
			return refuse_lacking(asking, class, lacking);
		if (class->queue.number > 7 || class->tc.number > 15)
			return rt_err_set(asking->err, -EINVAL,
					  "class %s: SONiC's ports have queues 0 to 7",
					  class->name);
	}
	return 0;
}

int sonic_wants_make(const struct rt_nos_wish *wish, struct sonic_wants *wants,
		     struct rt_err *err)
{
	const struct sonic_asking asking = { .wish = wish, .wants = wants, .err = err };
	int r = check_numbers(&asking);

	if (r < 0)
		return r;
	want_headroom(&asking);
	r = want_classification(&asking);
	if (r < 0)
		return r;
	want_watchdog(&asking);
	want_ecn(&asking);
	want_pfc(&asking);
	if (wants->out_of_memory)
		return rt_err_sys(err, -ENOMEM, "cannot hold the patch");
	return 0;
}
