/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counters_read.c - the sources of counters: each is asked when it is first needed, and
 * no more after its first error (a NIC's function that may not be asked fills the
 * kernel's log at each try).
 */
#include "host/counters_read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/own.h"
#include "host/device.h"
#include "kern/stats.h"
#include "rocetune/err.h"

#define NOWHERE UINT32_MAX

/* --- what a turn found ------------------------------------------------------------------- */

static void tell(struct rt_counter_reader *reader, struct rt_counter_cell *cell,
		 bool known, uint64_t value)
{
	if (known && cell->known && value == cell->value)
		return;
	known = known && value != UINT64_MAX &&
		(!cell->sticks || value != (UINT64_C(1) << cell->sticks) - 1);
	if (!known && !cell->known)
		return;
	reader->changes[cell->source]++;
	if (reader->moved_count < reader->moved_room)
		reader->moved[reader->moved_count++] = (uint32_t)(cell - reader->cells);
	reader->flipped |= known != cell->known;
	cell->known = known;
	cell->value = value;
}

static bool is_read(const struct rt_counter_reader *reader, unsigned source)
{
	return reader->looks[source].state == RT_LOOK_READ;
}

static bool is_list(const struct rt_counter_reader *reader, unsigned source)
{
	return source == RT_SOURCE_ETHTOOL || source == RT_SOURCE_DCB ||
	       source == RT_SOURCE_STANDARD ||
	       (source == RT_SOURCE_RDMA && !reader->rdma_in_files);
}

static void succeed(struct rt_counter_reader *reader, unsigned source)
{
	reader->looked |= !is_read(reader, source);
	reader->looks[source].state = RT_LOOK_READ;
}

/* Of a file. */
static void shut(struct rt_counter_cell *cell)
{
	if (cell->fd >= 0)
		close(cell->fd);
	cell->fd = -1;
}

static void fail(struct rt_counter_reader *reader, unsigned source,
		 const struct rt_err *why)
{
	struct rt_counter_look *look = &reader->looks[source];

	reader->lost = reader->looked = true;
	look->state = RT_LOOK_FAILED;
	snprintf(look->why, sizeof(look->why), "%.159s", why->msg);
	for (size_t i = 0; i < reader->all[source].count; i++) {
		struct rt_counter_cell *cell =
			&reader->cells[reader->all[source].items[i]];

		tell(reader, cell, false, 0);
		if (!is_list(reader, source))
			shut(cell);
	}
}

/*
 * What an error means.  A device that was there may come back, and is opened anew then;
 * what is busy is asked again at the next turn, and what it said before stays.
 */
static void take_error(struct rt_counter_reader *reader, unsigned source, int code,
		       const struct rt_err *why)
{
	if (code == -ENODEV && reader->turn > 1 && is_read(reader, source))
		reader->gone = true;
	else if (code == -ENOMEM)
		reader->confused = true;
	else if (code == -EAGAIN || code == -EBUSY || code == -EINTR)
		reader->busy |= 1u << source;
	else
		fail(reader, source, why);
}

/* A source's first cell of a turn begins its reading. */
static void clock_in(struct rt_counter_reader *reader, unsigned source, int64_t now_ns)
{
	if (reader->turns[source] == reader->turn)
		return;
	reader->turns[source] = reader->turn;
	reader->busy &= ~(1u << source);
	reader->before[source] = reader->paces[source];
	reader->paces[source] = (struct rt_counter_pace){ .read_ns = now_ns };
}

/* What stayed as it was is of the time that it was of. */
static int64_t clock_out(struct rt_counter_reader *reader, unsigned source,
			 int64_t began_ns)
{
	const int64_t now_ns = rt_monotonic_ns();

	reader->paces[source].cost_ns += (uint64_t)(now_ns - began_ns);
	if (reader->busy >> source & 1)
		reader->paces[source] = reader->before[source];
	return now_ns;
}

/* --- files ------------------------------------------------------------------------------- */

#define PATH_BYTES 320
#define TEXT_BYTES 64 /* a number of 64 bits has 20 digits */

static void write_path(const struct rt_counter_reader *reader, unsigned source,
		       unsigned link, const char *name, char path[PATH_BYTES])
{
	const struct rt_device *device = reader->device;
	const char *folder = source == RT_SOURCE_PMA ? "counters" : "hw_counters";

	if (source == RT_SOURCE_NETDEV)
		snprintf(path, PATH_BYTES, "/sys/class/net/%s/statistics/%s",
			 reader->links[link], name);
	else if (source == RT_SOURCE_DEVICE)
		snprintf(path, PATH_BYTES, "/sys/class/infiniband/%s/%s/%s",
			 device->ibdev, folder, name);
	else
		snprintf(path, PATH_BYTES, "/sys/class/infiniband/%s/ports/%u/%s/%s",
			 device->ibdev, device->port, folder, name);
}

static void write_cell_path(const struct rt_counter_reader *reader,
			    const struct rt_counter_cell *cell, char path[PATH_BYTES])
{
	write_path(reader, cell->source, cell->link,
		   reader->names[cell - reader->cells], path);
}

/* Digits and a line's end; false: a text ("N/A (no PMA)"), or beyond 64 bits. */
static bool parse_number(const char *text, size_t bytes, uint64_t *ret_number)
{
	uint64_t number = 0;
	size_t i = 0;

	for (; i < bytes && text[i] >= '0' && text[i] <= '9'; i++) {
		const unsigned digit = (unsigned)(text[i] - '0');

		if (i >= 19 && number > (UINT64_MAX - digit) / 10)
			return false;
		number = number * 10 + digit;
	}
	*ret_number = number;
	return i && i < TEXT_BYTES && (i == bytes || text[i] == '\n');
}

/* Descriptors are for others, too: the last ones of the process are left to them. */
#define SPARE_FILES 64

static bool may_hold(int fd)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
	       (rlim_t)fd + SPARE_FILES < limit.rlim_cur;
}

/*
 * Held open where it can be.  One that is not there is a counter that the driver does
 * not have, and is not looked for again.
 */
static int meet(struct rt_counter_reader *reader, struct rt_counter_cell *cell,
		struct rt_err *why)
{
	char path[PATH_BYTES];
	int fd;

	write_cell_path(reader, cell, path);
	fd = rt_kern_file_open(reader->kern, path, why);
	if (fd < 0) /* -EOPNOTSUPP: it is opened for each reading */
		return fd == -EOPNOTSUPP ? 0 : fd;
	if (may_hold(fd))
		cell->fd = fd;
	else
		close(fd);
	return 0;
}

static ssize_t read_file(struct rt_counter_reader *reader,
			 const struct rt_counter_cell *cell, char text[TEXT_BYTES],
			 struct rt_err *why)
{
	char path[PATH_BYTES];
	size_t bytes = 0;
	ssize_t got;
	int r;

	if (cell->fd >= 0) {
		do
			got = pread(cell->fd, text, TEXT_BYTES, 0);
		while (got < 0 && errno == EINTR);
		if (got >= 0)
			return got;
		r = -errno;
		write_cell_path(reader, cell, path);
		return rt_err_sys(why, r, "%s", path);
	}
	write_cell_path(reader, cell, path);
	r = reader->kern->ops->file_read(reader->kern, path, text, TEXT_BYTES, &bytes,
					 why);
	return r < 0 ? r : (ssize_t)bytes;
}

/* What reading it said, where that was an error. */
static void take_no_number(struct rt_counter_reader *reader,
			   struct rt_counter_cell *cell, int code,
			   const struct rt_err *why)
{
	if (code == -EFBIG) {
		tell(reader, cell, false, 0);
	} else if (code == -ENOENT || code == -ENOTDIR) {
		cell->absent = true;
		tell(reader, cell, false, 0);
	} else {
		take_error(reader, cell->source, code, why);
	}
}

static void ask_file(struct rt_counter_reader *reader, struct rt_counter_cell *cell)
{
	char text[TEXT_BYTES];
	struct rt_err why;
	uint64_t number = 0;
	ssize_t got = 0;
	bool known;

	cell->turn = reader->turn;
	if (!cell->met) {
		cell->met = true;
		got = meet(reader, cell, &why);
	}
	if (got >= 0)
		got = read_file(reader, cell, text, &why);
	if (got < 0) {
		take_no_number(reader, cell, (int)got, &why);
		return;
	}
	known = parse_number(text, (size_t)got, &number);
	if (known)
		succeed(reader, cell->source);
	tell(reader, cell, known, number);
}

/* --- lists ------------------------------------------------------------------------------- */

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
	case RT_SOURCE_DCB: return ask_dcb(kern, reader->links[link], stats, why);
	default:
		return kern->ops->rdma_stats(kern, device->ibdev, device->port, stats,
					     why);
	}
}

/* Cells by the places of their names, where these are others than before. */
static void bind_cells(struct rt_counter_reader *reader, unsigned source, size_t link)
{
	struct rt_counter_list *list = list_of(reader, source, link);

	if (list->layout == list->stats.layout)
		return;
	list->layout = list->stats.layout;
	for (size_t i = 0; i < reader->all[source].count; i++) {
		struct rt_counter_cell *cell =
			&reader->cells[reader->all[source].items[i]];
		const uint64_t *value;

		if (cell->link != link)
			continue;
		value = rt_stats_find(&list->stats,
				      reader->names[cell - reader->cells]);
		cell->place = value ? (uint32_t)(value - list->stats.values) : NOWHERE;
	}
}

static void take_link(struct rt_counter_reader *reader, unsigned source, size_t link)
{
	const struct rt_counter_cells *all = &reader->all[source];
	struct rt_counter_list *list = list_of(reader, source, link);
	const uint64_t *values = list->stats.values;

	if (list->filled == list->stats.filled)
		return;
	list->filled = list->stats.filled;
	for (size_t i = 0; i < all->count; i++) {
		struct rt_counter_cell *cell = &reader->cells[all->items[i]];
		const bool there = cell->place != NOWHERE;

		if (cell->link != link)
			continue;
		/* Of all drivers the same: what one lacks it does not get. */
		cell->absent = !there && source == RT_SOURCE_STANDARD;
		tell(reader, cell, there, there ? values[cell->place] : 0);
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
	if (r == -EOPNOTSUPP && source == RT_SOURCE_STANDARD &&
	    !is_read(reader, source)) {
		have_none(reader, source);
		return;
	}
	if (r < 0) {
		take_error(reader, source, r, &why);
		return;
	}
	succeed(reader, source);
	take_lists(reader, source, links);
}

static void read_lifespan(struct rt_counter_reader *reader)
{
	char path[PATH_BYTES];
	uint64_t refresh_ms;

	write_path(reader, RT_SOURCE_RDMA, 0, "lifespan", path);
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

	if (r == -EOPNOTSUPP && is_read(reader, RT_SOURCE_RDMA))
		r = -ENODEV;
	if (r == -EOPNOTSUPP) {
		reader->rdma_in_files = true;
		read_lifespan(reader);
		return;
	}
	if (r < 0) {
		take_error(reader, RT_SOURCE_RDMA, r, &why);
		return;
	}
	succeed(reader, RT_SOURCE_RDMA);
	take_lists(reader, RT_SOURCE_RDMA, 1);
}

/* --- turns ------------------------------------------------------------------------------- */

static void ask_whole(struct rt_counter_reader *reader, unsigned source)
{
	if (source == RT_SOURCE_RDMA)
		ask_rdma(reader);
	else
		ask_list(reader, source);
}

static bool may_ask(const struct rt_counter_reader *reader, unsigned source)
{
	return reader->mask >> source & 1 &&
	       reader->looks[source].state != RT_LOOK_FAILED;
}

static void ask_files(struct rt_counter_reader *reader, unsigned source)
{
	const struct rt_counter_cells *wanted = &reader->wanted[source];

	for (size_t i = 0; i < wanted->count && may_ask(reader, source); i++)
		ask_file(reader, &reader->cells[wanted->items[i]]);
}

void rt_counter_turn(struct rt_counter_reader *reader, unsigned sources)
{
	int64_t now_ns = rt_monotonic_ns();

	reader->turn++;
	reader->mask = sources;
	reader->flipped = false;
	reader->moved_count = 0;
	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++) {
		if (reader->wanted[i].count == 0 || !may_ask(reader, i))
			continue;
		clock_in(reader, i, now_ns);
		if (is_list(reader, i))
			ask_whole(reader, i);
		else
			ask_files(reader, i);
		now_ns = clock_out(reader, i, now_ns);
	}
}

/* Of a list all cells come at once. */
static bool is_asked(const struct rt_counter_reader *reader,
		     const struct rt_counter_cell *cell)
{
	return is_list(reader, cell->source)
		       ? reader->turns[cell->source] == reader->turn
		       : cell->turn == reader->turn;
}

bool rt_counter_ask(struct rt_counter_reader *reader, uint32_t number)
{
	struct rt_counter_cell *cell = &reader->cells[number];
	const unsigned source = cell->source;
	int64_t begin_ns;

	if (cell->absent)
		return false;
	cell->wanted = true;
	if (!may_ask(reader, source) || is_asked(reader, cell))
		return cell->known;
	begin_ns = rt_monotonic_ns();
	clock_in(reader, source, begin_ns);
	if (is_list(reader, source))
		ask_whole(reader, source);
	if (!is_list(reader, source) && may_ask(reader, source))
		ask_file(reader, cell);
	clock_out(reader, source, begin_ns);
	return cell->known;
}

static int add_cell(struct rt_counter_cells *cells, uint32_t number)
{
	uint32_t *grown = rt_grow(cells->items, cells->count, &cells->capacity,
				  sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	cells->items = grown;
	grown[cells->count++] = number;
	return 0;
}

int rt_counter_settle(struct rt_counter_reader *reader)
{
	int r = 0;

	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++)
		reader->wanted[i].count = 0;
	for (uint32_t i = 0; i < reader->cell_count && r == 0; i++) {
		struct rt_counter_cell *cell = &reader->cells[i];

		if (cell->wanted && !cell->absent)
			r = add_cell(&reader->wanted[cell->source], i);
		cell->wanted = false;
	}
	return r;
}

/* --- beginning and end ------------------------------------------------------------------- */

size_t rt_counter_links(const struct rt_counter_reader *reader,
			enum rt_counter_source source)
{
	switch (source) {
	case RT_SOURCE_ETHTOOL:
	case RT_SOURCE_STANDARD:
	case RT_SOURCE_DCB:
	case RT_SOURCE_NETDEV: return reader->link_count;
	default: return *reader->device->ibdev ? 1 : 0;
	}
}

static int add_new_cell(struct rt_counter_reader *reader,
			const struct rt_counter_cell *cell, const char *name)
{
	const size_t count = reader->cell_count;
	struct rt_counter_cell *cells = rt_grow(reader->cells, count,
						&reader->cell_capacity, sizeof(*cells));
	char **names;

	if (cells)
		reader->cells = cells;
	names = rt_grow(reader->names, count, &reader->name_capacity, sizeof(*names));
	if (names)
		reader->names = names;
	if (!cells || !names ||
	    add_cell(&reader->all[cell->source], (uint32_t)count) < 0)
		return -ENOMEM;
	cells[count] = *cell;
	names[count] = strdup(name);
	reader->cell_count++;
	return names[count] ? 0 : -ENOMEM;
}

int rt_counter_cell(struct rt_counter_reader *reader, enum rt_counter_source source,
		    unsigned link, const char *name, unsigned sticks,
		    uint32_t *ret_cell)
{
	const struct rt_counter_cells *all = &reader->all[source];
	const struct rt_counter_cell cell = { .fd = -1, /* and nowhere */
					      .source = (uint8_t)source,
					      .link = (uint8_t)link,
					      .sticks = (uint8_t)sticks };

	for (size_t i = 0; i < all->count; i++) {
		const uint32_t at = all->items[i];

		if (reader->cells[at].link == link &&
		    reader->cells[at].sticks == sticks &&
		    strcmp(reader->names[at], name) == 0) {
			*ret_cell = at;
			return 0;
		}
	}
	*ret_cell = (uint32_t)reader->cell_count;
	return add_new_cell(reader, &cell, name);
}

int rt_counter_reader_begin(struct rt_counter_reader *reader)
{
	reader->moved_room = reader->cell_count + 1;
	reader->moved = calloc(reader->moved_room, sizeof(*reader->moved));
	return reader->moved ? 0 : -ENOMEM;
}

static void add_link(struct rt_counter_reader *reader, const char *netdev)
{
	if (*netdev && reader->link_count < RT_COUNTER_LINKS)
		snprintf(reader->links[reader->link_count++], RT_IFNAME_BYTES, "%s",
			 netdev);
}

int rt_counter_reader_init(struct rt_counter_reader *reader, struct rt_kern *kern,
			   const struct rt_device *device)
{
	char slaves[sizeof(device->slaves)], *rest = slaves, *slave;

	*reader = (struct rt_counter_reader){ .kern = kern, .device = device };
	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++)
		reader->looks[i].source = i;
	reader->lists = calloc((size_t)RT_SOURCE_COUNT * RT_COUNTER_LINKS,
			       sizeof(*reader->lists));
	if (!reader->lists)
		return -ENOMEM;
	if (!*device->bond || strcmp(device->bond, device->netdev) != 0) {
		add_link(reader, device->netdev);
		return 0;
	}
	snprintf(slaves, sizeof(slaves), "%s", device->slaves);
	while ((slave = strsep(&rest, ", ")))
		add_link(reader, slave);
	return 0;
}

void rt_counter_reader_free(struct rt_counter_reader *reader)
{
	for (size_t i = 0;
	     reader->lists && i < (size_t)RT_SOURCE_COUNT * RT_COUNTER_LINKS; i++)
		rt_stats_free(&reader->lists[i].stats);
	for (size_t i = 0; i < reader->cell_count; i++) {
		if (!is_list(reader, reader->cells[i].source))
			shut(&reader->cells[i]);
		free(reader->names[i]);
	}
	free(reader->names);
	free(reader->moved);
	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++) {
		free(reader->all[i].items);
		free(reader->wanted[i].items);
	}
	free(reader->cells);
	free(reader->lists);
}
