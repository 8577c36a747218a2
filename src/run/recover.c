/* SPDX-License-Identifier: BSD-2-Clause */
/* recover.c - finishing changes: confirm, recover, roll back. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/own.h"
#include "host/state.h"
#include "host/undo.h"
#include "run/apply_work.h"
#include "run/outcome.h"
#include "run/recover_work.h"

/* --- finishing ------------------------------------------------------------------------------ */

/* The folder, locked, and all that lies in it. */
struct finishing {
	struct rt_state *state;
	struct rt_journal_files files;
	struct rt_change_rows *rows;
};

static void end(struct finishing *finishing)
{
	rt_journal_files_free(&finishing->files);
	rt_changes_free(finishing->rows);
	rt_state_close(finishing->state);
}

#define LOCK_LOOK_MS 200u

int rt_changes_lock(struct rt_state *state, const char *what, unsigned wait_ms,
		    struct rt_err *err)
{
	static const struct timespec pause = { .tv_nsec = LOCK_LOOK_MS * 1000000 };
	int r = rt_state_lock(state, what, err);

	for (unsigned waited_ms = 0; r == -EBUSY && waited_ms < wait_ms;
	     waited_ms += LOCK_LOOK_MS) {
		nanosleep(&pause, NULL);
		r = rt_state_lock(state, what, err);
	}
	return r;
}

/* The clock of --confirm calls once: it waits for whoever is busy, however long. */
static int begin(struct finishing *finishing, const char *what, bool waits,
		 struct rt_err *err)
{
	int r = rt_state_open(true, &finishing->state, err);

	/* The clock of --confirm calls once: for whoever is busy it waits for weeks. */
	if (r == 0)
		r = rt_changes_lock(finishing->state, what, waits ? UINT_MAX : 0, err);
	if (r == 0)
		r = rt_state_list(finishing->state, &finishing->files, err);
	if (r < 0)
		return r;
	finishing->rows = rt_changes_new(finishing->files.count);
	return finishing->rows ? 0
			       : rt_err_sys(err, -ENOMEM, "cannot hold the changes");
}

static bool is_named(const struct rt_journal *journal, const char *device)
{
	char with_port[RT_IBNAME_BYTES + 16];

	snprintf(with_port, sizeof(with_port), "%s/%u", journal->ibdev, journal->port);
	return strcmp(device, journal->ibdev) == 0 || strcmp(device, with_port) == 0 ||
	       (*journal->netdev && strcmp(device, journal->netdev) == 0) ||
	       (*journal->pci && strcmp(device, journal->pci) == 0);
}

/* --- recover ---------------------------------------------------------------------------------- */

struct recovering {
	struct finishing work;
	const struct rt_apply_host *host;
	struct rt_kern *kern;
	struct rt_devices devices;
};

/* By what does not change its name: the NIC's place, its port, and its netdev's MAC. */
static struct rt_device *device_of(struct recovering *recovering,
				   const struct rt_journal *journal, struct rt_err *err)
{
	for (size_t i = 0; i < recovering->devices.count; i++) {
		struct rt_device *device = &recovering->devices.items[i];

		if (rt_journal_is_at(journal, device))
			return device;
	}
	rt_err_set(err, -ENODEV,
		   "no RDMA device at %s now: load its driver, then try again",
		   *journal->pci ? journal->pci : journal->ibdev);
	return NULL;
}

/* A slave of the device's bond is no device of its own. */
static int stand_in(struct recovering *recovering, const struct rt_journal *journal,
		    struct rt_device *device, struct rt_err *err)
{
	struct rt_links links = { 0 };
	int r;

	if (strcmp(device->netdev, journal->netdev) == 0 ||
	    !rt_text_lists(device->slaves, journal->netdev))
		return 0;
	r = recovering->kern->ops->links(recovering->kern, &links, err);
	for (size_t i = 0; r == 0 && i < links.count; i++)
		if (strcmp(links.items[i].name, journal->netdev) == 0) {
			memcpy(device->netdev, journal->netdev, sizeof(device->netdev));
			memcpy(device->mac, links.items[i].mac, sizeof(device->mac));
			device->ifindex = links.items[i].ifindex;
		}
	rt_links_free(&links);
	return r;
}

/* The journal's port as it is now; it borrows *ret_device. */
static int port_of(struct recovering *recovering, const struct rt_journal *journal,
		   struct rt_device *ret_device, struct rt_host_port *ret_port,
		   struct rt_err *err)
{
	const struct rt_device *found = device_of(recovering, journal, err);
	int r;

	if (!found)
		return -ENODEV;
	*ret_device = *found;
	r = stand_in(recovering, journal, ret_device, err);
	if (r == 0)
		r = rt_journal_is_of(journal, recovering->kern, ret_device, err);
	if (r < 0)
		return r;
	if (!found->driver || strcmp(found->driver->name, journal->driver) != 0)
		return rt_err_set(err, -ESTALE,
				  "%s has another driver than %s, which the journal is "
				  "of",
				  found->ibdev, journal->driver);
	*ret_port = (struct rt_host_port){ .kern = recovering->kern,
					   .device = ret_device,
					   .driver = found->driver };
	return 0;
}

static int undo(struct recovering *recovering, struct rt_journal *journal,
		struct rt_err *err)
{
	struct rt_host_port port;
	struct rt_device device;
	int r = port_of(recovering, journal, &device, &port, err);

	return r < 0 ? r : rt_undo(&port, recovering->work.state, journal, err);
}

/* Another boot: the NIC came up anew, and the journal is only history. */
static bool is_of_this_boot(struct recovering *recovering,
			    const struct rt_journal *journal)
{
	char boot_id[RT_BOOT_ID_BYTES];

	return rt_boot_id(recovering->kern, boot_id, NULL) < 0 ||
	       strcmp(boot_id, journal->boot_id) == 0;
}

static const char booted_since[] =
	"the host was booted since: what was written is gone, and nothing was touched";

/* As it was, if the disk does not take it. */
static int close_journal(struct recovering *recovering, struct rt_journal *journal,
			 const char *why, struct rt_err *err)
{
	const struct rt_opt_u64 deadline_ns = journal->deadline_ns;
	const unsigned status = journal->status;
	int r;

	journal->status = RT_JOURNAL_CLOSED;
	journal->deadline_ns = (struct rt_opt_u64){ 0 };
	rt_journal_now(journal->ended);
	snprintf(journal->result, sizeof(journal->result), "%s", why);
	r = rt_state_save(recovering->work.state, journal, err);
	if (r == 0)
		return 0;
	journal->status = status;
	journal->deadline_ns = deadline_ns;
	*journal->ended = '\0';
	snprintf(journal->result, sizeof(journal->result), "%.200s, but %.250s", why,
		 err->msg);
	return r;
}

void rt_changes_close_earlier(struct rt_state *state, struct rt_kern *kern,
			      char buf[RT_PENDING_BYTES])
{
	struct recovering recovering = { .work.state = state, .kern = kern };
	struct rt_journal_files files = { 0 };
	size_t used = 0;

	*buf = '\0';
	if (rt_state_list(state, &files, NULL) < 0)
		return;
	for (size_t i = 0; i < files.count; i++) {
		struct rt_journal *journal = &files.items[i].journal;
		const unsigned status = journal->status;
		struct rt_err err = { 0 };

		if (*files.items[i].failed || !rt_journal_pending(status) ||
		    is_of_this_boot(&recovering, journal) ||
		    close_journal(&recovering, journal, booted_since, &err) < 0 ||
		    used >= RT_PENDING_BYTES)
			continue;
		used += (size_t)snprintf(buf + used, RT_PENDING_BYTES - used,
					 "%schange %s of %s was %s", used ? ", " : "",
					 journal->id, journal->ibdev,
					 rt_name_of(rt_journal_status_names, status));
	}
	rt_journal_files_free(&files);
}

static bool still_waits(const struct rt_journal *journal)
{
	return journal->status == RT_JOURNAL_UNCONFIRMED &&
	       journal->deadline_ns.known &&
	       journal->deadline_ns.value > rt_boottime_ns();
}

static void undo_and_say(struct recovering *recovering, struct rt_journal *journal)
{
	struct rt_err err = { 0 };
	int r = undo(recovering, journal, &err);

	if (r == RT_UNDO_UNSAVED)
		snprintf(journal->result, sizeof(journal->result),
			 "%.300s; `rocetune recover` ends it", err.msg);
	else if (r < 0)
		snprintf(journal->result, sizeof(journal->result),
			 "%.300s; %s; `rocetune recover --forget %s` leaves it as it "
			 "is",
			 err.msg,
			 r == -ESTALE || r == -ENODEV ? "nothing was touched"
						      : "what can be put back is",
			 journal->id);
	else if (!*journal->result)
		snprintf(journal->result, sizeof(journal->result),
			 "all is as it was before");
}

static void recover_one(struct recovering *recovering, struct rt_journal *journal)
{
	struct rt_err err = { 0 };

	if (!is_of_this_boot(recovering, journal))
		close_journal(recovering, journal, booted_since, &err);
	else if (still_waits(journal))
		snprintf(journal->result, sizeof(journal->result),
			 "waits for `rocetune confirm`; `rocetune rollback %s` undoes "
			 "it now",
			 journal->ibdev);
	else
		undo_and_say(recovering, journal);
	rt_changes_add(recovering->work.rows, journal);
}

/* Nobody knows what it was of, so there is nothing to close in it. */
static int put_aside(struct recovering *recovering, const struct rt_journal_file *file,
		     struct rt_err *err)
{
	struct rt_journal none = { .status = RT_JOURNAL_CLOSED };
	int r = rt_state_set_aside(recovering->work.state, file->id, err);

	if (r < 0)
		return r;
	memcpy(none.id, file->id, sizeof(none.id));
	snprintf(none.result, sizeof(none.result),
		 "it could not be read, and is now %.200s/%s.journal" RT_STATE_ASIDE
		 "; nothing was touched",
		 rt_state_folder(recovering->work.state), file->id);
	rt_changes_add(recovering->work.rows, &none);
	return 0;
}

static int forget(struct recovering *recovering, const char *id, struct rt_err *err)
{
	for (size_t i = 0; i < recovering->work.files.count; i++) {
		struct rt_journal *journal = &recovering->work.files.items[i].journal;
		int r;

		if (strcmp(recovering->work.files.items[i].id, id) != 0)
			continue;
		if (*recovering->work.files.items[i].failed)
			return put_aside(recovering, &recovering->work.files.items[i],
					 err);
		if (!rt_journal_pending(journal->status))
			return rt_err_set(
				err, -EINVAL, "%s is finished (%s)", id,
				rt_name_of(rt_journal_status_names, journal->status));
		r = close_journal(recovering, journal, "given up by hand, as it is",
				  err);
		if (r == 0)
			rt_changes_add(recovering->work.rows, journal);
		return r;
	}
	return rt_err_set(err, -ENOENT,
			  "no change is called %s: see `rocetune history`", id);
}

/* Which are asked for; one that cannot be read is told, and nobody knows of what. */
static void recover_all(struct recovering *recovering, const char *only)
{
	for (size_t i = 0; i < recovering->work.files.count; i++) {
		struct rt_journal_file *file = &recovering->work.files.items[i];

		if (only && strcmp(only, file->id) != 0)
			continue;
		if (*file->failed) {
			rt_changes_add_unreadable(recovering->work.rows, file);
		} else if (rt_journal_pending(file->journal.status)) {
			recover_one(recovering, &file->journal);
		}
	}
}

/* Without any, the host need not even have RDMA. */
static bool any_pending(const struct recovering *recovering)
{
	for (size_t i = 0; i < recovering->work.files.count; i++)
		if (!*recovering->work.files.items[i].failed &&
		    rt_journal_pending(recovering->work.files.items[i].journal.status))
			return true;
	return false;
}

/* A host without RDMA (yet) has no devices, and may still have journals. */
static int open_host(struct recovering *recovering, struct rt_err *err)
{
	int r = recovering->host->kern_open(recovering->host->context,
					    &recovering->kern, err);

	if (r == 0)
		r = rt_devices_read(recovering->kern, 0, &recovering->devices, err);
	return r == -EOPNOTSUPP ? 0 : r;
}

int rt_run_recover(const struct rt_apply_host *host, const struct rt_recover_wish *wish,
		   struct rt_outcome *ret_outcome, struct rt_err *err)
{
	struct recovering recovering = { .host = host };
	int r = begin(&recovering.work, "rocetune recover", wish->overdue != NULL, err);

	if (r == 0 && wish->forget)
		r = forget(&recovering, wish->forget, err);
	else if (r == 0 && any_pending(&recovering))
		r = open_host(&recovering, err);
	if (r == 0 && !wish->forget)
		recover_all(&recovering, wish->overdue);
	if (r == 0)
		rt_changes_give(rt_steal(&recovering.work.rows), &rt_recovered_table,
				ret_outcome);
	rt_devices_free(&recovering.devices);
	rt_kern_close(recovering.kern);
	end(&recovering.work);
	return r;
}

/* --- confirm ------------------------------------------------------------------------------------- */

/* By the name that it had then, or has now. */
static bool is_wanted(struct recovering *recovering, const struct rt_journal_file *file,
		      const char *name)
{
	const struct rt_device *device;

	if (*file->failed || file->journal.status != RT_JOURNAL_UNCONFIRMED)
		return false;
	if (!name || is_named(&file->journal, name))
		return true;
	device = rt_device_find(&recovering->devices, name, NULL);
	return device && rt_journal_is_at(&file->journal, device);
}

/* What is confirmed is that the port holds it, and that there was time to look. */
static int check_kept(struct recovering *recovering, const struct rt_journal *journal,
		      struct rt_err *err)
{
	RT_AUTO(rt_auto_free) struct rt_qos *now = malloc(sizeof(*now));
	struct rt_host_port port;
	struct rt_device device;
	int r;

	if (!now)
		return rt_err_sys(err, -ENOMEM, "cannot confirm");
	if (!is_of_this_boot(recovering, journal))
		return rt_err_set(
			err, -ESTALE,
			"the host was booted since: what was written is gone");
	if (!still_waits(journal))
		return rt_err_set(err, -ETIME, "its time is over");
	r = port_of(recovering, journal, &device, &port, err);
	if (r == 0)
		r = rt_host_read(&port, now, err);
	return r < 0 ? r : rt_journal_kept(journal, port.driver, now, err);
}

static int keep(struct recovering *recovering, struct rt_journal *journal,
		struct rt_err *err)
{
	int r;

	journal->status = RT_JOURNAL_COMMITTED;
	journal->deadline_ns = (struct rt_opt_u64){ 0 };
	rt_journal_now(journal->ended);
	snprintf(journal->result, sizeof(journal->result), "confirmed");
	r = rt_state_save(recovering->work.state, journal, err);
	if (r < 0)
		return r;
	rt_apply_mark_undone(recovering->work.state, journal);
	rt_changes_add(recovering->work.rows, journal);
	return 0;
}

/* All of them or none: who cannot have all may name one. */
static int check_all(struct recovering *recovering, const char *device,
		     struct rt_err *err)
{
	const struct rt_journal_files *files = &recovering->work.files;
	struct rt_err why = { 0 };
	size_t count = 0;

	for (size_t i = 0; i < files->count; i++) {
		const struct rt_journal *journal = &files->items[i].journal;

		if (!is_wanted(recovering, &files->items[i], device))
			continue;
		count++;
		if (check_kept(recovering, journal, &why) < 0)
			return rt_err_set(err, why.code,
					  "%s is not confirmed: %.300s: `rocetune "
					  "recover` undoes or closes it",
					  journal->id, why.msg);
	}
	if (count)
		return 0;
	return rt_err_set(err, -ENOENT,
			  "nothing waits to be confirmed%s%s: see `rocetune history`",
			  device ? " on " : "", device ? device : "");
}

int rt_run_confirm(const struct rt_apply_host *host, const char *device,
		   struct rt_outcome *ret_outcome, struct rt_err *err)
{
	struct recovering recovering = { .host = host };
	struct finishing *work = &recovering.work;
	int r = begin(work, "rocetune confirm", false, err);

	if (r == 0 && any_pending(&recovering))
		r = open_host(&recovering, err);
	if (r == 0)
		r = check_all(&recovering, device, err);
	for (size_t i = 0; r == 0 && i < work->files.count; i++)
		if (is_wanted(&recovering, &work->files.items[i], device))
			r = keep(&recovering, &work->files.items[i].journal, err);
	if (r == 0)
		rt_changes_give(rt_steal(&work->rows), &rt_recovered_table,
				ret_outcome);
	rt_devices_free(&recovering.devices);
	rt_kern_close(recovering.kern);
	end(work);
	return r;
}

/* --- rollback ------------------------------------------------------------------------------------ */

/* What is pending on the device is undone at once; false: nothing is. */
static bool undo_pending(struct recovering *recovering, const struct rt_device *device)
{
	bool any = false;

	for (size_t i = 0; i < recovering->work.files.count; i++) {
		struct rt_journal_file *file = &recovering->work.files.items[i];

		if (*file->failed || !rt_journal_pending(file->journal.status) ||
		    !rt_journal_is_at(&file->journal, device))
			continue;
		/* Asked for by hand: the deadline is now. */
		file->journal.deadline_ns = (struct rt_opt_u64){ 0 };
		recover_one(recovering, &file->journal);
		any = true;
	}
	return any;
}

static int find_device(struct recovering *recovering, const char *name,
		       const struct rt_device **ret_device, struct rt_err *err)
{
	int r = open_host(recovering, err);

	if (r < 0)
		return r;
	*ret_device = rt_device_find(&recovering->devices, name, err);
	return *ret_device ? 0 : -ENODEV;
}

int rt_run_rollback(const struct rt_apply_host *host, const struct rt_apply_wish *wish,
		    struct rt_outcome *ret_outcome, struct rt_err *err)
{
	struct rt_apply apply = { .host = host, .wish = wish, .undoes = true };
	struct recovering recovering = { .host = host };
	const struct rt_device *device = NULL;
	bool pending = false;
	int r;

	/* Without a lock, and no folder is made for it. */
	if (wish->dry_run)
		return rt_apply_journey(&apply, ret_outcome, err);
	r = begin(&recovering.work, "rocetune rollback", false, err);
	if (r == 0)
		r = find_device(&recovering, wish->devices[0], &device, err);
	if (r == 0)
		pending = undo_pending(&recovering, device);
	if (pending)
		rt_changes_give(rt_steal(&recovering.work.rows), &rt_recovered_table,
				ret_outcome);
	rt_devices_free(&recovering.devices);
	rt_kern_close(recovering.kern);
	end(&recovering.work);
	return r < 0 || pending ? r : rt_apply_journey(&apply, ret_outcome, err);
}
