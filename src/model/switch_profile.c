/* SPDX-License-Identifier: BSD-2-Clause */
#include "model/switch_profile.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "model/params.h"
#include "model/profile_reader.h"
#include "rocetune/err.h"

/* What is being filled, and from what. */
struct import {
	const struct rt_switch *sw;
	const struct rt_switch_port *port;
	enum rt_role role;
	struct rt_profile *profile;
};

const struct rt_switch_port *rt_switch_port_usual(const struct rt_switch *sw,
						  size_t *ret_alike)
{
	const struct rt_switch_port *first = NULL, *usual = NULL;

	*ret_alike = 0;
	for (size_t i = 0; i < sw->port_count; i++) {
		const struct rt_switch_port *port = &sw->ports[i];

		if (port->remote)
			continue;
		if (!first)
			first = port;
		if (!rt_setting_known(&port->pfc_tx) || !port->pfc_tx.number)
			continue;
		if (!usual)
			usual = port;
		++*ret_alike;
	}
	return usual ? usual : first;
}

/* A value that the switch's configuration has, with its place. */
static void take(struct rt_setting *to, const struct rt_setting *from)
{
	if (!rt_setting_known(from))
		return;
	*to = *from;
	to->state = RT_SETTING_VALUE;
	to->computed = false;
}

static void set(struct rt_setting *to, uint64_t number, const struct rt_setting *why)
{
	*to = (struct rt_setting){ .number = number, .state = RT_SETTING_VALUE };
	if (why) {
		to->text = why->text;
		to->place = why->place;
	}
}

static int set_text(struct rt_profile *profile, struct rt_setting *to, const char *text)
{
	const char *copy = rt_store_text(profile->store, text, strlen(text));

	if (!copy)
		return -ENOMEM;
	*to = (struct rt_setting){ .text = copy, .state = RT_SETTING_VALUE };
	return 0;
}

/* --- classes ---------------------------------------------------------------------- */

/* Strict queues are served from the highest down: SONiC's and EOS's hardware. */
static unsigned strict_rank(const struct import *import, unsigned queue)
{
	unsigned rank = 1;

	for (unsigned i = queue + 1; i < RT_SWITCH_QUEUES; i++) {
		const struct rt_switch_sched *sched =
			import->port->queues[i].sched.object;

		rank += sched && rt_setting_known(&sched->type) &&
			sched->type.number == RT_SCHED_STRICT;
	}
	return rank;
}

static void take_sched(const struct import *import, const struct rt_switch_path *path,
		       struct rt_class *class)
{
	const struct rt_switch_sched *sched = path->sched;

	if (!sched)
		return;
	if (rt_setting_known(&sched->type) && sched->type.number == RT_SCHED_STRICT)
		set(&class->sched.strict,
		    strict_rank(import, (unsigned)path->queue.number), &sched->type);
	else
		take(&class->sched.dwrr, &sched->weight);
	if (rt_setting_known(&sched->max_rate) && sched->max_rate.number)
		take(&class->sched.max_rate, &sched->max_rate);
	else
		take(&class->sched.max_share, &sched->max_share);
}

static void take_role(const struct import *import, const struct rt_switch_path *path,
		      struct rt_class *class)
{
	struct rt_class_role *at = &class->at[import->role];

	if (path->wred && rt_switch_wred_marks(path->wred)) {
		take(&at->kmin, &path->wred->colour[RT_GREEN].kmin);
		take(&at->kmax, &path->wred->colour[RT_GREEN].kmax);
		take(&at->pmax, &path->wred->colour[RT_GREEN].pmax);
	}
	if (!class->lossless.number)
		return;
	at->headroom.state = RT_SETTING_KEEP;
	if (!path->buffer || !rt_setting_known(&path->buffer->xoff))
		return;
	take(&at->headroom, &path->buffer->xoff);
	take(&at->xon, &path->buffer->xon);
	if (rt_setting_known(&path->buffer->alpha))
		take(&at->buffer_alpha, &path->buffer->alpha);
	else
		take(&at->xoff, &path->buffer->threshold);
}

static void fill_class(const struct import *import, unsigned tc, uint64_t dscps)
{
	struct rt_profile *profile = import->profile;
	struct rt_class *class = &profile->classes[profile->class_count++];
	const struct rt_setting *first = rt_switch_dscp_to_tc(
		import->sw, import->port, (unsigned)__builtin_ctzll(dscps));
	struct rt_switch_path path;

	rt_switch_path_of_tc(import->sw, import->port, tc, &path);
	class->place = first->place;
	set(&class->dscp, dscps, NULL);
	set(&class->tc, tc, first);
	take(&class->pg, &path.pg);
	take(&class->queue, &path.queue);
	if (rt_setting_known(&path.prios) && path.prios.number) {
		set(&class->prio, (uint64_t)__builtin_ctzll(path.prios.number),
		    &import->port->pfc);
		set(&class->lossless, 1, NULL);
		/* PFC is what the profile asks for; that it suffices is another thing. */
		class->lossless.text =
			path.lossless == RT_LOSSLESS_YES ? NULL
			: path.lossless == RT_LOSSLESS_NO
				? "has PFC; is not lossless, see findings"
				: "has PFC; not known if kept lossless";
	}
	snprintf(class->name, sizeof(class->name), "%s%u",
		 class->lossless.number ? "lossless" : "tc", tc);
	take_sched(import, &path, class);
	take_role(import, &path, class);
}

/*
 * The lossy class with the most DSCPs is the rest; where the map leaves some out, it
 * is not known what becomes of them, and there is none.
 */
static void choose_rest(struct rt_profile *profile)
{
	struct rt_class *rest = NULL;
	uint64_t all = 0;
	int most = 0;

	for (size_t i = 0; i < profile->class_count; i++) {
		struct rt_class *class = &profile->classes[i];
		const int count = __builtin_popcountll(class->dscp.number);

		all |= class->dscp.number;
		if (class->lossless.number || count <= most)
			continue;
		most = count;
		rest = class;
	}
	if (!rest || ~all)
		return;
	rest->dscp.state = RT_SETTING_AUTO;
	rest->dscp.computed = true;
}

/* --- what is the port's and the switch's --------------------------------------------- */

static void take_watchdog(const struct import *import)
{
	const struct rt_switch_port *port = import->port;
	struct rt_watchdog *to = &import->profile->sw.watchdog;
	const struct rt_setting *poll = port->watchdog.poll.state != RT_SETTING_UNSET
						? &port->watchdog.poll
						: &import->sw->watchdog.poll;
	uint64_t classes = 0;

	if (!rt_setting_known(&port->watchdog.on) || !port->watchdog.on.number)
		return;
	take(&to->detect, &port->watchdog.detect);
	take(&to->restore, &port->watchdog.restore);
	take(&to->poll, poll);
	take(&to->action, &port->watchdog.action);
	if (!rt_setting_known(&port->watchdog_prios))
		return;
	for (size_t i = 0; i < import->profile->class_count; i++) {
		const struct rt_class *class = &import->profile->classes[i];

		if (rt_setting_known(&class->prio) &&
		    (port->watchdog_prios.number >> class->prio.number & 1))
			classes |= 1ull << i;
	}
	if (classes)
		set(&to->classes, classes, &port->watchdog_prios);
}

/* Of the first lossless class that has a buffer profile. */
static void take_pool(const struct import *import)
{
	for (size_t i = 0; i < import->profile->class_count; i++) {
		const struct rt_class *class = &import->profile->classes[i];
		const struct rt_switch_pool *pool;
		struct rt_switch_path path;

		if (!class->lossless.number)
			continue;
		rt_switch_path_of_tc(import->sw, import->port,
				     (unsigned)class->tc.number, &path);
		pool = path.buffer ? path.buffer->pool.object : NULL;
		if (!pool)
			continue;
		take(&import->profile->sw.pool.lossless, &pool->size);
		if (rt_setting_known(&pool->xoff) && pool->xoff.number)
			take(&import->profile->sw.pool.shared_headroom, &pool->xoff);
		return;
	}
}

static void take_port(const struct import *import)
{
	struct rt_profile *profile = import->profile;
	struct rt_role_ports *role = &profile->sw.roles[import->role];

	take(&role->speed, &import->port->speed);
	if (rt_setting_known(&import->port->cable) && import->port->cable.number)
		take(&role->cable, &import->port->cable);
	take(&profile->sw.mtu, &import->port->mtu);
}

/* Letters, digits and hyphens: what a profile's name may have. */
static void make_name(const struct import *import, char *buf, size_t bytes)
{
	snprintf(buf, bytes, "%.60s-%.60s",
		 import->sw->hostname.text && *import->sw->hostname.text
			 ? import->sw->hostname.text
			 : import->sw->nos,
		 import->port->id.name);
	for (char *at = buf; *at; at++)
		*at = isalnum((unsigned char)*at) ? (char)tolower((unsigned char)*at)
						  : '-';
}

static int take_names(const struct import *import)
{
	struct rt_profile *profile = import->profile;
	char text[300];
	int r;

	make_name(import, text, sizeof(text));
	r = set_text(profile, &profile->name, text);
	if (r < 0)
		return r;
	snprintf(text, sizeof(text), "port %.60s of %.160s", import->port->id.name,
		 import->sw->file);
	r = set_text(profile, &profile->description, rt_text_clean(text));
	for (size_t i = 0; r == 0 && i < rt_param_count; i++) {
		const struct rt_name *name;

		if (strcmp(rt_params[i].path, "switch.nos") != 0)
			continue;
		name = rt_name_find(rt_params[i].names, import->sw->nos);
		if (name)
			set(&profile->sw.nos, name->value, NULL);
	}
	return r;
}

int rt_switch_profile(const struct rt_switch *sw, const struct rt_switch_port *port,
		      enum rt_role role, struct rt_profile **ret_profile,
		      struct rt_err *err)
{
	RT_AUTO(rt_auto_profile_free) struct rt_profile *profile = NULL;
	struct import import = { .sw = sw, .port = port, .role = role };
	int r = rt_profile_new(&profile, err);

	if (r < 0)
		return r;
	import.profile = profile;
	if (take_names(&import) < 0)
		return rt_err_sys(err, -ENOMEM, "cannot hold the profile");
	for (unsigned tc = 0; tc < RT_SWITCH_TCS; tc++) {
		const uint64_t dscps = rt_switch_dscps_of_tc(sw, port, tc);

		if (dscps)
			fill_class(&import, tc, dscps);
	}
	if (!profile->class_count)
		return rt_err_set(
			err, -ENODATA,
			"%s: port %.60s classifies no DSCP: there is no class to "
			"make a profile of",
			sw->file, port->id.name);
	choose_rest(profile);
	take_port(&import);
	take_pool(&import);
	take_watchdog(&import);
	*ret_profile = rt_steal(&profile);
	return 0;
}
