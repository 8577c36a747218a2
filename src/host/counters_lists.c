/* SPDX-License-Identifier: BSD-2-Clause */
/* counters_lists.c - counters that come all at once, by name. */
#include <errno.h>
#include <stdio.h>

#include "host/counters_ask.h"
#include "host/device.h"
#include "kern/stats.h"
#include "rocetune/err.h"

static struct rt_counter_list *list_of(struct rt_counter_reader *reader,
				       unsigned source, size_t link)
{
	return &reader->lists[source * RT_COUNTER_LINKS + link];
}

/* PFC frames by IEEE_GET, under dcbnl's words: requests were sent, indications came. */
static int ask_dcb(struct rt_kern *kern, const char *netdev, struct rt_stats *stats,
		   struct rt_err *why)
{
	char name[RT_STAT_NAME_BYTES];
	struct rt_dcb dcb;
	int r = kern->ops->dcb_get(kern, netdev, &dcb, why);

	if (r < 0)
		return r;
	if (!(dcb.has & RT_DCB_PFC))
		return rt_err_set(why, -EOPNOTSUPP,
				  "%s: the driver does not tell PFC by dcbnl", netdev);
	rt_stats_begin(stats);
	for (unsigned i = 0; i < 16 && r == 0; i++) {
		const bool sent = i < 8;

		snprintf(name, sizeof(name), sent ? "requests[%u]" : "indications[%u]",
			 i % 8);
		r = rt_stats_add(stats, name, sizeof(name),
				 sent ? dcb.pfc.requests[i]
				      : dcb.pfc.indications[i - 8]);
	}
	return rt_stats_end(stats, r);
}

static int ask_link(struct rt_counter_reader *reader, unsigned source, size_t link,
		    struct rt_err *why)
{
	struct rt_stats *stats = &list_of(reader, source, link)->stats;
	const struct rt_device *device = reader->device;
	struct rt_kern *kern = reader->kern;

	switch (source) {
	case RT_SOURCE_ETHTOOL:
		return kern->ops->ethtool_stats(kern, reader->links[link], stats, why);
	case RT_SOURCE_STANDARD:
		return kern->ops->standard_stats(kern, reader->links[link], stats, why);
	case RT_SOURCE_QDISC:
		return kern->ops->qdisc_stats(kern, reader->links[link], stats, why);
	case RT_SOURCE_DCB: return ask_dcb(kern, reader->links[link], stats, why);
	default:
		return kern->ops->rdma_stats(kern, device->ibdev, device->port, stats,
					     why);
	}
}

static void hold(struct rt_counter_reader *reader, struct rt_counter_list *list,
		 uint32_t number, uint32_t place)
{
	struct rt_counter_held held = rt_counter_held_of(reader, number);

	held.place = place;
	if (rt_counter_hold(&list->held, &held) < 0)
		reader->confused = true;
}

/* Cells by the places of their names, where these are others than before. */
static void bind_cells(struct rt_counter_reader *reader, unsigned source, size_t link)
{
	struct rt_counter_list *list = list_of(reader, source, link);
	const struct rt_counter_cells *all = &reader->all[source];

	if (list->layout == list->stats.layout)
		return;
	list->layout = list->stats.layout;
	list->held.count = 0;
	for (size_t i = 0; i < all->count; i++) {
		struct rt_counter_cell *cell = &reader->cells[all->items[i]];
		const uint64_t *value;

		if (cell->link != link)
			continue;
		value = rt_stats_find(&list->stats, reader->names[all->items[i]]);
		/* Of all drivers the same: what one lacks it does not get. */
		cell->absent = !value && source == RT_SOURCE_STANDARD;
		if (value)
			hold(reader, list, all->items[i],
			     (uint32_t)(value - list->stats.values));
		else
			rt_counter_tell(reader, cell, false, 0);
	}
}

/* Most stand still, and then no more is to be done than this. */
static void take_link(struct rt_counter_reader *reader, unsigned source, size_t link)
{
	struct rt_counter_list *list = list_of(reader, source, link);
	const uint64_t *values = list->stats.values;

	if (list->filled == list->stats.filled)
		return;
	list->filled = list->stats.filled;
	for (size_t i = 0; i < list->held.count; i++) {
		struct rt_counter_held *held = &list->held.items[i];
		const uint64_t raw = values[held->place];

		if (raw != held->raw) /* else as most */
			rt_counter_take(reader, source, held, raw);
	}
}

static void take_lists(struct rt_counter_reader *reader, unsigned source, size_t links)
{
	for (size_t i = 0; i < links; i++) {
		bind_cells(reader, source, i);
		take_link(reader, source, i);
	}
}

/* A driver, or a recording, without any is as one without those that are looked for. */
static void have_none(struct rt_counter_reader *reader, unsigned source)
{
	for (size_t i = 0; i < reader->all[source].count; i++)
		reader->cells[reader->all[source].items[i]].absent = true;
}

/* What links say is needed of all of them, or of none. */
static void ask_list(struct rt_counter_reader *reader, unsigned source)
{
	const size_t links = rt_counter_links(reader, source);
	struct rt_err why = { 0 };
	int r = 0;

	for (size_t i = 0; i < links && r == 0; i++)
		r = ask_link(reader, source, i, &why);
	if (r == -EOPNOTSUPP &&
	    (source == RT_SOURCE_STANDARD || source == RT_SOURCE_QDISC) &&
	    !rt_counter_is_read(reader, source)) {
		have_none(reader, source);
		return;
	}
	if (r < 0) {
		rt_counter_take_error(reader, source, r, &why);
		return;
	}
	rt_counter_succeed(reader, source);
	take_lists(reader, source, links);
}

static void read_lifespan(struct rt_counter_reader *reader)
{
	char path[RT_COUNTER_PATH_BYTES];
	uint64_t refresh_ms;

	rt_counter_path(reader, RT_SOURCE_RDMA, 0, "lifespan", path);
	if (rt_kern_number(reader->kern, path, &refresh_ms, NULL) == 0)
		reader->refresh_ms = RT_KNOWN_U64(refresh_ms);
}

/*
 * By rdma netlink, or for good by files: a kernel, a driver or a recording that lacks it
 * says so at the first time.  Later that means that the number of the device, by which
 * netlink asks, is of none any more (nldev.c nldev_stat_get_doit()).
 */
static void ask_rdma(struct rt_counter_reader *reader)
{
	const struct rt_device *device = reader->device;
	struct rt_stats *stats = &list_of(reader, RT_SOURCE_RDMA, 0)->stats;
	struct rt_err why = { 0 };
	int r = reader->kern->ops->rdma_stats(reader->kern, device->ibdev, device->port,
					      stats, &why);

	if (r == -EOPNOTSUPP && rt_counter_is_read(reader, RT_SOURCE_RDMA))
		r = -ENODEV;
	if (r == -EOPNOTSUPP) {
		reader->rdma_in_files = true;
		read_lifespan(reader);
		return;
	}
	if (r < 0) {
		rt_counter_take_error(reader, RT_SOURCE_RDMA, r, &why);
		return;
	}
	rt_counter_succeed(reader, RT_SOURCE_RDMA);
	take_lists(reader, RT_SOURCE_RDMA, 1);
}

void rt_counter_ask_list(struct rt_counter_reader *reader, unsigned source)
{
	if (source == RT_SOURCE_RDMA)
		ask_rdma(reader);
	else
		ask_list(reader, source);
}
