/* SPDX-License-Identifier: BSD-2-Clause */
/* apply.c - the journey of a change: which ports, the gate, one port after another. */
#include "run/apply.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "host/state.h"
#include "run/apply_work.h"
#include "run/gate.h"
#include "run/host.h"
#include "run/outcome.h"
#include "run/profile.h"
#include "run/rails.h"
#include "run/recover_work.h"

static int open_live(void *context, struct rt_kern **ret_kern, struct rt_err *err)
{
	(void)context;
	return rt_kern_open_live(ret_kern, err);
}

const struct rt_apply_host rt_this_host = {
	.kern_open = open_live,
	.settle_ms = 60000, /* LACP with slow timers takes 30 s (802.1AX 6.4.13) */
	.well_ms = 1000,
	.look_ms = 200,
};

/* The path is only read. */
static int open_sysroot(void *context, struct rt_kern **ret_kern, struct rt_err *err)
{
	return rt_run_open_host(context, ret_kern, err);
}

struct rt_apply_host rt_apply_sysroot(const char *sysroot)
{
	return (struct rt_apply_host){ .kern_open = open_sysroot,
				       .context = (void *)(uintptr_t)sysroot,
				       .elsewhere = true };
}

static const char fabric_order[] =
	"headroom, classification, watchdog, ECN and congestion control, then PFC on "
	"the "
	"switch, then PFC on hosts; removal the other way round";

/* --- which ports ------------------------------------------------------------------------ */

static struct rt_apply_item *add_item(struct rt_apply *apply,
				      const struct rt_device *device)
{
	struct rt_apply_item *items = reallocarray(apply->items, apply->count + 1,
						   sizeof(*items));

	if (!items)
		return NULL;
	apply->items = items;
	items += apply->count++;
	memset(items, 0, sizeof(*items));
	items->device = *device;
	return items;
}

/* Knobs are those of a network device: of a bond, of each of its slaves, in turn. */
static int add_ports(struct rt_apply *apply, const struct rt_device *device)
{
	struct rt_devices links = { 0 };
	int r = rt_device_links(apply->kern, &apply->devices, device, &links);

	for (size_t i = 0; r == 0 && i < links.count; i++)
		if (!add_item(apply, &links.items[i]))
			r = -ENOMEM;
	free(links.items);
	return r;
}

static bool is_listed(const struct rt_apply *apply, const struct rt_device *device)
{
	for (size_t i = 0; i < apply->count; i++)
		if (strcmp(apply->items[i].device.ibdev, device->ibdev) == 0 &&
		    apply->items[i].device.port == device->port)
			return true;
	return false;
}

static int find_ports(struct rt_apply *apply, struct rt_err *err)
{
	for (size_t i = 0; i < apply->wish->device_count; i++) {
		struct rt_device *device = rt_device_find(&apply->devices,
							  apply->wish->devices[i], err);

		if (!device)
			return -ENODEV;
		if (is_listed(apply, device))
			continue;
		if (add_ports(apply, device) < 0)
			return rt_err_sys(err, -ENOMEM, "cannot hold the ports");
	}
	apply->applied->ports = calloc(apply->count, sizeof(*apply->applied->ports));
	if (!apply->applied->ports)
		return rt_err_sys(err, -ENOMEM, "cannot hold the ports");
	apply->applied->count = apply->count;
	return 0;
}

/* --- each port ------------------------------------------------------------------------------ */

static bool is_there(const struct rt_links *links, const char *netdev)
{
	for (size_t i = 0; i < links->count; i++)
		if (strcmp(links->items[i].name, netdev) == 0)
			return true;
	return false;
}

/* Of a device with several netdevs (a bond's), the one of that name; a name that
 * nobody has any more is one that the netdev had. */
static bool is_change_of(const struct rt_journal *journal,
			 const struct rt_device *device, const struct rt_links *links)
{
	if (*journal->undoes || journal->status != RT_JOURNAL_COMMITTED ||
	    !rt_journal_is_at(journal, device))
		return false;
	return strcmp(journal->netdev, device->netdev) == 0 ||
	       (!is_there(links, journal->netdev) &&
		memcmp(journal->mac, device->mac, sizeof(journal->mac)) == 0);
}

/* The last change of the port that is still in force. */
static int last_change(struct rt_apply *apply, struct rt_apply_item *item,
		       struct rt_err *err)
{
	struct rt_journal_files files = { 0 };
	struct rt_links links = { 0 };
	int r = rt_state_list(apply->state, &files, err);

	if (r == 0)
		r = apply->kern->ops->links(apply->kern, &links, err);
	for (size_t i = files.count; r == 0 && i > 0 && !*item->undo.id; i--) {
		struct rt_journal *journal = &files.items[i - 1].journal;

		if (*files.items[i - 1].failed ||
		    !is_change_of(journal, &item->device, &links))
			continue;
		item->undo = *journal;
		*journal = (struct rt_journal){ 0 };
	}
	rt_links_free(&links);
	rt_journal_files_free(&files);
	if (r == 0 && !*item->undo.id)
		return rt_err_set(err, -ENOENT,
				  "%s: no change of it is in force: see `rocetune "
				  "history`",
				  item->title);
	return r;
}

void rt_apply_mark_undone(struct rt_state *state, const struct rt_journal *journal)
{
	struct rt_journal undone;

	if (!*journal->undoes ||
	    rt_state_load(state, journal->undoes, &undone, NULL) < 0)
		return;
	undone.status = RT_JOURNAL_ROLLED_BACK;
	snprintf(undone.result, sizeof(undone.result), "undone by %s", journal->id);
	rt_state_save(state, &undone, NULL);
	rt_journal_free(&undone);
}

static int profile_of(struct rt_apply *apply, struct rt_apply_item *item,
		      struct rt_err *err)
{
	static const struct rt_profile nothing;
	size_t rail;
	int r;

	item->profile = apply->undoes ? &nothing : apply->profile;
	if (apply->undoes)
		return last_change(apply, item, err);
	r = rt_rail_select(apply->profile, &apply->devices, &item->device, &rail, err);
	if (r < 0 || rail == RT_RAIL_NONE)
		return r;
	snprintf(item->shown->rail, sizeof(item->shown->rail), "%s",
		 apply->profile->rails[rail].select);
	r = rt_profile_rail(apply->profile, rail, &item->on_rail, err);
	if (r == 0)
		item->profile = item->on_rail;
	return r;
}

static void name_port(struct rt_apply *apply, struct rt_apply_item *item)
{
	const struct rt_device *device = &item->device;
	struct rt_applied_port *shown = item->shown;

	if (device->port > 1)
		snprintf(shown->device, sizeof(shown->device), "%s/%u", device->ibdev,
			 device->port);
	else
		snprintf(shown->device, sizeof(shown->device), "%s", device->ibdev);
	snprintf(item->title, sizeof(item->title), "%.70s (%s)", shown->device,
		 *device->netdev ? device->netdev : "no network device");
	memcpy(shown->netdev, device->netdev, sizeof(shown->netdev));
	memcpy(shown->pci, device->pci, sizeof(shown->pci));
	shown->driver = device->driver_name;
	item->port = (struct rt_host_port){ .kern = apply->kern,
					    .device = device,
					    .driver = device->driver };
}

static int look_at_ports(struct rt_apply *apply, struct rt_err *err)
{
	for (size_t i = 0; i < apply->count; i++) {
		struct rt_apply_item *item = &apply->items[i];
		int r;

		item->shown = &apply->applied->ports[i];
		name_port(apply, item);
		r = profile_of(apply, item, err);
		if (r < 0)
			return r;
		snprintf(item->shown->profile, sizeof(item->shown->profile), "%s",
			 apply->undoes ? item->undo.profile : apply->wish->profile);
		rt_apply_look(apply, item);
		if (rt_apply_show(apply, item) < 0)
			return rt_err_sys(err, -ENOMEM, "cannot hold the plan");
		if (item->planned && item->plan.change_count)
			apply->applied->order = fabric_order;
		if (apply->wish->planned)
			apply->wish->planned(apply->wish->context, item->shown);
	}
	return 0;
}

/* --- the gate -------------------------------------------------------------------------------- */

static int judge(const struct rt_apply *apply, struct rt_apply_item *item,
		 struct rt_findings *findings, struct rt_err *err)
{
	const struct rt_surroundings *around = &apply->around;
	const struct rt_gate gate = {
		.where = item->title,
		.is_foreign = item->device.is_foreign,
		.wish = apply->wish,
		.device = &item->device,
		.profile = item->profile,
		.have = item->read ? &item->have : NULL,
		.want = item->read ? &item->want.qos : NULL,
		.plan = item->planned ? &item->plan : NULL,
		.no_plan = item->no_plan.code ? &item->no_plan : NULL,
		.undoes = apply->undoes,
		.rights = around->rights,
		.managers = around->managers,
		.pending = around->pending ? around->pending_text : NULL,
		.closed = *apply->closed ? apply->closed : NULL,
	};
	const size_t before = findings->count;
	int r = rt_rules_run(rt_gate_rules, rt_gate_rule_count, &gate, findings, err);

	if (r < 0)
		return r;
	for (size_t i = before; i < findings->count; i++)
		if (findings->items[i].severity == RT_SEVERITY_ERROR) {
			rt_apply_end(item, RT_APPLY_REFUSED, "%s: %s",
				     findings->items[i].title,
				     findings->items[i].evidence);
			break;
		}
	return 0;
}

static int judge_all(struct rt_apply *apply, struct rt_err *err)
{
	struct rt_surroundings *around = &apply->around;
	int r = 0;

	rt_rights_read(apply->kern, &around->rights);
	around->managers = rt_managers_find(apply->kern);
	around->pending = apply->state &&
			  rt_recovery_pending_in(apply->state, around->pending_text);
	for (size_t i = 0; i < apply->count && r == 0; i++)
		r = judge(apply, &apply->items[i], &apply->applied->findings, err);
	rt_findings_sort(&apply->applied->findings);
	return r;
}

/* --- the changes ------------------------------------------------------------------------------- */

/* Who uses the port now; unknown when it does not tell any more. */
static void look_at_use(struct rt_apply *apply, struct rt_apply_item *item)
{
	struct rt_devices now = { 0 };
	struct rt_device *device = &item->device;

	device->qps = device->connected = (struct rt_opt_u64){ 0 };
	*device->users = '\0';
	if (rt_devices_read(apply->kern, RT_DEVICE_USE, &now, NULL) < 0)
		return;
	for (size_t i = 0; i < now.count; i++) {
		const struct rt_device *at = &now.items[i];

		if (strcmp(at->ibdev, device->ibdev) != 0 || at->port != device->port)
			continue;
		device->qps = at->qps;
		device->connected = at->connected;
		memcpy(device->users, at->users, sizeof(device->users));
		memcpy(device->eswitch, at->eswitch, sizeof(device->eswitch));
	}
	rt_devices_free(&now);
}

/*
 * The gate was judged before the first port was written, which may be a minute ago:
 * jobs have started since, other programs too.  What is only told was told then, and
 * unfinished changes may be our own of a port before.
 */
static bool gate_still_open(struct rt_apply *apply, struct rt_apply_item *item)
{
	struct rt_findings findings = { 0 };
	struct rt_err err = { 0 };
	size_t refusals = 0;

	look_at_use(apply, item);
	apply->around.managers = rt_managers_find(apply->kern);
	if (judge(apply, item, &findings, &err) < 0)
		rt_apply_end(item, RT_APPLY_REFUSED, "%s; nothing was written",
			     err.msg);
	for (size_t i = 0; i < findings.count; i++)
		if (findings.items[i].severity == RT_SEVERITY_ERROR)
			findings.items[refusals++] = findings.items[i];
	findings.count = refusals;
	rt_findings_append(&apply->applied->findings, &findings);
	rt_findings_free(&findings);
	return item->shown->end != RT_APPLY_REFUSED;
}

/* What an earlier port's change of the whole device or host left of the plan. */
static void change_port(struct rt_apply *apply, struct rt_apply_item *item)
{
	rt_apply_look(apply, item);
	if (!gate_still_open(apply, item))
		return;
	if (!item->planned)
		rt_apply_end(item, RT_APPLY_REFUSED, "%s; nothing was written",
			     item->no_plan.msg);
	else if (!item->plan.step_count)
		rt_apply_end(item, RT_APPLY_UNCHANGED, "%s", "");
	else
		rt_apply_write(apply, item);
}

static void change_ports(struct rt_apply *apply)
{
	bool go = !rt_applied_failed(apply->applied);

	for (size_t i = 0; i < apply->count; i++) {
		struct rt_apply_item *item = &apply->items[i];

		if (go)
			change_port(apply, item);
		else if (item->shown->end != RT_APPLY_REFUSED)
			rt_apply_end(item, RT_APPLY_NOT_REACHED,
				     "another port was refused or is not well; nothing "
				     "was written");
		go = go && item->shown->end < RT_APPLY_REFUSED;
	}
	rt_findings_sort(&apply->applied->findings);
}

static void end_dry_run(struct rt_apply *apply)
{
	for (size_t i = 0; i < apply->count; i++)
		if (apply->items[i].planned && !apply->items[i].plan.step_count &&
		    apply->items[i].shown->end == RT_APPLY_PLANNED)
			rt_apply_end(&apply->items[i], RT_APPLY_UNCHANGED, "%s", "");
}

static int open_state(struct rt_apply *apply, struct rt_err *err)
{
	char what[120];
	int r;

	if (apply->host->elsewhere)
		return 0;
	r = rt_state_open(!apply->wish->dry_run, &apply->state, err);
	if (r < 0 || apply->wish->dry_run)
		return r;
	snprintf(what, sizeof(what), "rocetune %s %.80s",
		 apply->undoes ? "rollback" : "apply", apply->wish->devices[0]);
	return rt_changes_lock(apply->state, what, apply->wish->lock_wait_ms, err);
}

static int journey(struct rt_apply *apply, struct rt_err *err)
{
	const struct rt_apply_wish *wish = apply->wish;
	int r = open_state(apply, err);

	if (r == 0)
		r = apply->host->kern_open(apply->host->context, &apply->kern, err);
	if (r == 0 && wish->closes_earlier && !wish->dry_run)
		rt_changes_close_earlier(apply->state, apply->kern, apply->closed);
	if (r == 0 && !apply->undoes)
		r = rt_run_profile_read(wish->profile, &apply->profile, err);
	if (r == 0)
		r = rt_devices_read(apply->kern, RT_DEVICE_USE, &apply->devices, err);
	if (r == 0)
		r = find_ports(apply, err);
	if (r == 0)
		r = look_at_ports(apply, err);
	if (r == 0)
		r = judge_all(apply, err);
	if (r < 0)
		return r;
	if (wish->dry_run) {
		end_dry_run(apply);
	} else {
		change_ports(apply);
		rt_state_prune(apply->state);
	}
	return 0;
}

/* Somebody wants to see what was written; of what was not nothing is to be seen. */
static void remove_folders(struct rt_apply_item *item)
{
	const unsigned end = item->shown ? item->shown->end : RT_APPLY_PLANNED;

	if (end != RT_APPLY_COMMITTED && end != RT_APPLY_UNCONFIRMED &&
	    end != RT_APPLY_STUCK)
		rt_host_remove_folders(&item->port, &item->made);
}

static void free_work(struct rt_apply *apply)
{
	for (size_t i = 0; i < apply->count; i++) {
		remove_folders(&apply->items[i]);
		rt_profile_free(apply->items[i].on_rail);
		rt_journal_free(&apply->items[i].undo);
	}
	free(apply->items);
	rt_profile_free(apply->profile);
	rt_devices_free(&apply->devices);
	rt_kern_close(apply->kern);
	rt_state_close(apply->state);
}

int rt_apply_journey(struct rt_apply *apply, struct rt_outcome *ret_outcome,
		     struct rt_err *err)
{
	int r;

	apply->applied = calloc(1, sizeof(*apply->applied));
	if (!apply->applied)
		return rt_err_sys(err, -ENOMEM, "cannot hold the result");
	apply->applied->dry_run = apply->wish->dry_run;
	r = journey(apply, err);
	free_work(apply);
	if (r < 0) {
		rt_applied_free(apply->applied);
		return r;
	}
	*ret_outcome = (struct rt_outcome){ .table = &rt_applied_table,
					    .object = apply->applied,
					    .findings = &apply->applied->findings,
					    .release = rt_applied_free };
	return 0;
}

int rt_run_apply(const struct rt_apply_host *host, const struct rt_apply_wish *wish,
		 struct rt_outcome *ret_outcome, struct rt_err *err)
{
	struct rt_apply apply = { .host = host, .wish = wish };

	return rt_apply_journey(&apply, ret_outcome, err);
}
