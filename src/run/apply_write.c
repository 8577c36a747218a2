/* SPDX-License-Identifier: BSD-2-Clause */
/* apply_write.c - the transaction of one port. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "host/state.h"
#include "host/transaction.h"
#include "host/undo.h"
#include "run/apply_work.h"
#include "run/confirm.h"
#include "run/settle.h"

struct writing {
	struct rt_apply *apply;
	struct rt_apply_item *item;
	struct rt_txn *txn;
	struct rt_health before;
};

static int settle(struct writing *writing, struct rt_err *err)
{
	const struct rt_settle how = {
		.kern = writing->apply->kern,
		.device = &writing->item->device,
		.before = &writing->before,
		.flaps = writing->item->plan.impact >= RT_IMPACT_FLAP &&
			 writing->before.carrier,
		.most_ms = writing->apply->host->settle_ms,
		.well_ms = writing->apply->host->well_ms,
		.look_ms = writing->apply->host->look_ms,
	};

	return rt_settle(&how, writing->txn, err);
}

/* How long it lasts unconfirmed; 0: it lasts. */
static uint64_t confirm_wait(const struct writing *writing)
{
	const struct rt_opt_u64 *asked = &writing->apply->wish->confirm_ns;

	if (asked->known)
		return asked->value;
	return rt_carries_session(writing->apply->kern, &writing->item->device)
		       ? RT_CONFIRM_DEFAULT_NS
		       : 0;
}

/* The clock starts now that the link is up again. */
static int commit(struct writing *writing, struct rt_err *err)
{
	struct rt_applied_port *shown = writing->item->shown;
	const struct rt_journal *journal = rt_txn_journal(writing->txn);
	const uint64_t wait_ns = confirm_wait(writing);
	char wait[RT_UNIT_TEXT_BYTES];
	struct rt_err no_clock = { 0 };
	struct rt_opt_u64 deadline;
	bool watch;
	int r;

	if (!wait_ns)
		return rt_txn_commit(writing->txn, (struct rt_opt_u64){ 0 }, false,
				     err);
	deadline = RT_KNOWN_U64(rt_boottime_ns() + wait_ns);
	watch = rt_confirm_arm(journal->id, rt_state_folder(writing->apply->state),
			       wait_ns, &no_clock) < 0;
	r = rt_txn_commit(writing->txn, deadline, watch, err);
	if (r < 0)
		return r;
	rt_unit_format(RT_UNIT_NS, wait_ns, wait);
	if (watch)
		snprintf(shown->confirm, sizeof(shown->confirm),
			 "for %s unless `rocetune confirm` comes; a process of "
			 "rocetune keeps the clock (%.90s)",
			 wait, no_clock.msg);
	else
		snprintf(shown->confirm, sizeof(shown->confirm),
			 "for %s unless `rocetune confirm` comes; systemd keeps the "
			 "clock (rocetune-confirm-%s.timer)",
			 wait, journal->id);
	return 0;
}

static void undo(struct writing *writing, const struct rt_err *why)
{
	struct rt_err stuck = { 0 };
	int r;

	r = rt_txn_undo(writing->txn, &stuck);
	if (r == RT_UNDO_UNSAVED)
		rt_apply_end(writing->item, RT_APPLY_UNDONE,
			     "%.180s; %.250s; `rocetune recover` ends it", why->msg,
			     stuck.msg);
	else if (r == 0)
		rt_apply_end(writing->item, RT_APPLY_UNDONE,
			     "%.380s; all is as it was before", why->msg);
	else
		rt_apply_end(writing->item, RT_APPLY_STUCK,
			     "%.180s; and it could not be undone: %.180s; see "
			     "`rocetune recover`",
			     why->msg, stuck.msg);
}

static void transact(struct writing *writing)
{
	struct rt_apply_item *item = writing->item;
	struct rt_err err = { 0 };
	int r = rt_txn_write(writing->txn, &err);

	if (r == 0)
		r = settle(writing, &err);
	if (r == 0)
		r = commit(writing, &err);
	if (r < 0) {
		undo(writing, &err);
		return;
	}
	item->shown->writes = (uint32_t)item->plan.step_count;
	if (!*item->shown->confirm)
		rt_apply_mark_undone(writing->apply->state,
				     rt_txn_journal(writing->txn));
	rt_apply_end(item,
		     *item->shown->confirm ? RT_APPLY_UNCONFIRMED : RT_APPLY_COMMITTED,
		     "%s", "");
}

void rt_apply_write(struct rt_apply *apply, struct rt_apply_item *item)
{
	struct writing writing = { .apply = apply, .item = item };
	const struct rt_txn_setup setup = {
		.state = apply->state,
		.port = &item->port,
		.plan = &item->plan,
		.profile = item->shown->profile,
		.undoes = apply->undoes ? item->undo.id : NULL,
		.kern_open = apply->host->kern_open,
		.context = apply->host->context,
	};
	struct rt_err err = { 0 };
	int r = rt_health_read(apply->kern, &item->device, &writing.before, &err);

	if (r == 0)
		r = rt_txn_begin(&setup, &writing.txn, &err);
	if (r < 0) {
		rt_apply_end(item, RT_APPLY_REFUSED, "%s; nothing was written",
			     err.msg);
	} else {
		snprintf(item->shown->journal, sizeof(item->shown->journal), "%s",
			 rt_txn_journal(writing.txn)->id);
		transact(&writing);
	}
	rt_txn_free(writing.txn);
	rt_health_free(&writing.before);
}
