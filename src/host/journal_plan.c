/* SPDX-License-Identifier: BSD-2-Clause */
/* journal_plan.c - the journal of a plan, and the host it is of. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/own.h"
#include "host/journal.h"
#include "host/plan_parts.h"
#include "rocetune/err.h"

uint64_t rt_boottime_ns(void)
{
	return (uint64_t)rt_clock_ns(CLOCK_BOOTTIME);
}

int rt_boot_id(struct rt_kern *kern, char buf[RT_BOOT_ID_BYTES], struct rt_err *err)
{
	return rt_kern_line(kern, "/proc/sys/kernel/random/boot_id", buf,
			    RT_BOOT_ID_BYTES, err);
}

/* The whole knob, not only what changes of it: a driver may touch its neighbours. */
static void fill_write(const struct rt_plan *plan, const char *knob,
		       struct rt_journal_write *write)
{
	snprintf(write->knob, sizeof(write->knob), "%s", knob);
	rt_journal_text(&plan->have, knob, write->old_value);
	rt_journal_text(&plan->target, knob, write->new_value);
}

static void add_disturbed(const struct rt_plan *plan, size_t step, const char *knob,
			  struct rt_journal *journal)
{
	struct rt_journal_write *write = &journal->writes[journal->write_count];

	if (rt_journal_find(journal, knob))
		return;
	journal->write_count++;
	write->step = (uint32_t)step + 1;
	write->disturbed = true;
	fill_write(plan, knob, write);
}

/* What the steps write or reset besides their changes. */
static void fill_disturbed(const struct rt_host_port *port, const struct rt_plan *plan,
			   struct rt_journal *journal)
{
	for (size_t s = 0; s < plan->step_count; s++) {
		const struct rt_step *step = &plan->steps[s];

		for (size_t e = 0; e < step->effect_count; e++)
			add_disturbed(plan, s, rt_knobs[step->effects[e].knob].name,
				      journal);
		for (size_t i = 0; i < port->driver->row_count; i++) {
			const struct rt_driver_row *row = &port->driver->rows[i];

			if (rt_step_carries(plan, step, row))
				add_disturbed(plan, s,
					      row->raw ? row->raw
						       : rt_knobs[row->knob].name,
					      journal);
		}
	}
}

static int fill_writes(const struct rt_host_port *port, const struct rt_plan *plan,
		       struct rt_journal *journal)
{
	RT_AUTO(rt_auto_free) struct rt_plan *back = malloc(sizeof(*back));

	journal->writes = calloc(RT_JOURNAL_WRITES_MOST, sizeof(*journal->writes));
	if (!back || !journal->writes)
		return -ENOMEM;
	/* The same changes with old and new in each other's place. */
	*back = *plan;
	back->have = plan->target;
	back->target = plan->have;
	back->as_it_was = true;
	for (size_t s = 0; s < plan->step_count; s++)
		for (size_t i = 0; i < plan->steps[s].count; i++) {
			const struct rt_change *change =
				&plan->changes[plan->steps[s].first + i];
			struct rt_journal_write *write =
				&journal->writes[journal->write_count++];

			write->step = (uint32_t)s + 1;
			write->one_way = change->one_way;
			fill_write(plan, rt_change_name(plan, change), write);
			rt_change_command(port, back, change, write->inverse);
		}
	fill_disturbed(port, plan, journal);
	return 0;
}

static void add_old(const struct rt_qos *have, const char *knob,
		    struct rt_journal *journal)
{
	struct rt_journal_value *old = &journal->old[journal->old_count++];

	snprintf(old->knob, sizeof(old->knob), "%s", knob);
	rt_journal_text(have, knob, old->value);
}

static int fill_old(const struct rt_qos *have, struct rt_journal *journal)
{
	journal->old = calloc(RT_KNOB_COUNT + RT_QOS_RAW_MAX, sizeof(*journal->old));
	if (!journal->old)
		return -ENOMEM;
	for (unsigned id = 0; id < RT_KNOB_COUNT; id++)
		if (have->knobs[id].known & rt_knob_all(&rt_knobs[id]))
			add_old(have, rt_knobs[id].name, journal);
	for (size_t i = 0; i < have->raw_count; i++)
		if (have->raw[i].known)
			add_old(have, have->raw[i].name, journal);
	return 0;
}

int rt_journal_fill(const struct rt_host_port *port, const struct rt_plan *plan,
		    const char *profile, struct rt_journal *ret_journal,
		    struct rt_err *err)
{
	const struct rt_device *device = port->device;
	struct rt_journal journal = { .version = RT_JOURNAL_VERSION,
				      .status = RT_JOURNAL_PLANNED,
				      .port = device->port };

	int r = rt_boot_id(port->kern, journal.boot_id, err);

	if (r < 0)
		return r;
	memcpy(journal.pci, device->pci, sizeof(journal.pci));
	memcpy(journal.mac, device->mac, sizeof(journal.mac));
	memcpy(journal.ibdev, device->ibdev, sizeof(journal.ibdev));
	memcpy(journal.netdev, device->netdev, sizeof(journal.netdev));
	snprintf(journal.driver, sizeof(journal.driver), "%s", port->driver->name);
	snprintf(journal.profile, sizeof(journal.profile), "%s", profile);
	rt_journal_now(journal.began);
	if (fill_writes(port, plan, &journal) < 0 ||
	    fill_old(&plan->have, &journal) < 0 ||
	    rt_journal_allow_effects(&journal, plan, NULL) < 0) {
		rt_journal_free(&journal);
		return rt_err_sys(err, -ENOMEM, "cannot hold the journal");
	}
	*ret_journal = journal;
	return 0;
}

int rt_journal_is_of(const struct rt_journal *journal, struct rt_kern *kern,
		     const struct rt_device *device, struct rt_err *err)
{
	char boot_id[RT_BOOT_ID_BYTES];
	int r = rt_boot_id(kern, boot_id, err);

	if (r < 0)
		return r;
	if (strcmp(journal->boot_id, boot_id) != 0)
		return rt_err_set(
			err, -ESTALE,
			"the host was booted since: what was written is gone");
	if (strcmp(journal->pci, device->pci) != 0)
		return rt_err_set(err, -ESTALE,
				  "%s is at PCI address %s, and the journal is of %s",
				  device->ibdev, *device->pci ? device->pci : "none",
				  *journal->pci ? journal->pci : "none");
	if (memcmp(journal->mac, device->mac, sizeof(journal->mac)) != 0)
		return rt_err_set(err, -ESTALE,
				  "%s has another MAC address than the NIC that the "
				  "journal is of",
				  device->ibdev);
	return 0;
}
