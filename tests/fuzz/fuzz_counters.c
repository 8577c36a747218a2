/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_counters.c - any bytes as statistics: the first selects whether they are the text
 * of ethtool -S, an answer of rdma netlink, a set of counters that another host sent, or
 * what a host says at one reading after the other.
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/doc.h"
#include "base/hash.h"
#include "base/own.h"
#include "base/record.h"
#include "host/counters.h"
#include "host/device.h"
#include "host/driver.h"
#include "kern/replies.h"
#include "kern/stats.h"
#include "model/counters.h"
#include "rocetune/err.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void check_sorted(const struct rt_stats *stats)
{
	const char *name, *before = "";

	for (size_t i = 0; i < stats->count; i++, before = name) {
		name = rt_stats_name(stats, stats->sorted[i]);
		if (!*name || strlen(name) >= RT_STAT_NAME_BYTES ||
		    strcmp(before, name) > 0)
			abort();
	}
}

/* What is written of statistics reads as the same. */
static void try_text(const char *text, size_t bytes)
{
	struct rt_stats stats = { 0 }, again = { 0 };
	size_t written = 0;
	char *copy;

	if (rt_stats_parse(text, bytes, &stats) == 0) {
		check_sorted(&stats);
		copy = rt_stats_text(&stats, &written);
		if (!copy || rt_stats_parse(copy, written, &again) < 0 ||
		    again.count != stats.count)
			abort();
		free(copy);
	}
	rt_stats_free(&stats);
	rt_stats_free(&again);
}

static void try_answer(const void *at, size_t bytes)
{
	struct rt_stats stats = { 0 };
	struct rt_err err = { 0 };

	if (rt_rdma_parse_stats(at, bytes, &stats, &err) < 0 && !*err.msg)
		abort();
	rt_stats_free(&stats);
}

/* A difference of a set with itself is 0 all over. */
static void try_set(const char *text, size_t bytes)
{
	struct rt_counter_set set, diff;
	struct rt_err err = { 0 };
	struct rt_doc *doc = NULL;

	if (rt_doc_parse("set", text, bytes, &doc, NULL) < 0)
		return;
	if (rt_record_read_envelope(doc, &rt_counter_set_table, &set, &err) == 0) {
		if (rt_counter_set_check(&set, NULL) == 0) {
			if (rt_counters_diff(&set, &set, &diff, NULL) < 0 ||
			    diff.count != set.count)
				abort();
			for (size_t i = 0; i < diff.count; i++)
				if (diff.items[i].value != 0)
					abort();
			rt_counter_set_free(&diff);
		}
		rt_counter_set_free(&set);
	}
	rt_doc_free(doc);
}

/* --- reading again and again -------------------------------------------------------------- */

/* A host that says one part of the bytes, and then the next: texts, and numbers of PFC. */
struct host {
	struct rt_kern kern; /* first */
	const char *text;    /* of this turn */
	size_t bytes;
};

static int say_file(struct rt_kern *kern, const char *path, char *buf, size_t capacity,
		    size_t *ret_bytes, struct rt_err *err)
{
	const struct host *host = (const struct host *)kern;
	const uint64_t hash = rt_hash_bytes(path, strlen(path));
	const size_t start = host->bytes ? hash % host->bytes : 0;
	size_t bytes = host->bytes - start;

	/* Whether there is a file does not change. */
	if (hash >> 32 & 1)
		return rt_err_sys(err, -ENOENT, "%s", path);
	if (bytes > capacity - 1)
		bytes = capacity - 1;
	memcpy(buf, host->text + start, bytes);
	buf[bytes] = '\0';
	*ret_bytes = bytes;
	return 0;
}

static int say_stats(struct rt_kern *kern, const char *netdev,
		     struct rt_stats *ret_stats, struct rt_err *err)
{
	const struct host *host = (const struct host *)kern;

	(void)netdev;
	(void)err;
	return rt_stats_parse(host->text, host->bytes, ret_stats);
}

static int say_none(struct rt_kern *kern, const char *netdev,
		    struct rt_stats *ret_stats, struct rt_err *err)
{
	(void)kern;
	(void)ret_stats;
	return rt_err_sys(err, -EOPNOTSUPP, "%s", netdev);
}

static int say_rdma(struct rt_kern *kern, const char *ibdev, unsigned port,
		    struct rt_stats *ret_stats, struct rt_err *err)
{
	(void)port;
	return say_none(kern, ibdev, ret_stats, err);
}

static int say_dcb(struct rt_kern *kern, const char *netdev, struct rt_dcb *ret_dcb,
		   struct rt_err *err)
{
	const struct host *host = (const struct host *)kern;

	(void)netdev;
	(void)err;
	*ret_dcb = (struct rt_dcb){ .has = RT_DCB_PFC };
	for (unsigned i = 0; i < 8; i++)
		ret_dcb->pfc.requests[i] = ret_dcb->pfc.indications[i] =
			i < host->bytes ? (uint8_t)host->text[i] * 0x0101010101010101u
					: i;
	return 0;
}

static const struct rt_kern_ops host_ops = {
	.name = "fuzz",
	.file_read = say_file,
	.ethtool_stats = say_stats,
	.standard_stats = say_none,
	.rdma_stats = say_rdma,
	.qdisc_stats = say_stats,
	.dcb_get = say_dcb,
};

/* A few rows of each kind: of all sources, of priorities, sums, scaled, that stick. */
#define ROW(id, source_, name_, ...)                                       \
	{                                                                  \
		.counter = RT_COUNTER_##id, .source = RT_SOURCE_##source_, \
		.name = (name_), .from = "here", __VA_ARGS__               \
	}
static const struct rt_counter_row rows[] = {
	ROW(PFC_RX_FRAMES, ETHTOOL, "p%"),
	ROW(PFC_RX_FRAMES, DCB, "indications[%]"),
	ROW(PFC_RX_NS, ETHTOOL, "p%+q%", .scale = 1000),
	ROW(RX_BYTES, ETHTOOL, "a"),
	ROW(RX_BYTES, RDMA, "a+b", .scale = 4),
	ROW(CNP_TX, RDMA, "b", .sticks = 16),
	ROW(CNP_TX, ETHTOOL, "b"),
	ROW(CE_RX, DEVICE, "c", .sticks = 8),
	ROW(OUT_OF_BUFFER, RDMA, "c", .wraps = 32),
	ROW(TX_DISCARDS, QDISC, "d", .wraps = 32),
};
static const struct rt_driver driver = {
	.name = "fuzz",
	.counters = { rows, RT_ARRAY_SIZE(rows) },
};

/* What is read in place is what is read afresh. */
static void check_same(const struct rt_counter_set *held,
		       const struct rt_counter_set *fresh)
{
	if (rt_counter_set_check(held, NULL) < 0 || held->count != fresh->count)
		abort();
	for (size_t i = 0; i < held->count; i++) {
		const struct rt_counter_reading *a = &held->items[i],
						*b = &fresh->items[i];

		if (a->counter != b->counter || a->prio != b->prio ||
		    a->value != b->value || a->source != b->source ||
		    strcmp(a->name, b->name) != 0)
			abort();
	}
}

static void try_port(const char *text, size_t bytes)
{
	struct rt_device device = { .ibdev = "mlx5_0", .port = 1, .netdev = "eth0" };
	struct host host = { .kern.ops = &host_ops };
	struct rt_counter_set set = { 0 }, fresh;
	struct rt_counter_port *port;

	device.driver = &driver;
	if (rt_counter_port_open(&host.kern, &device, &port, NULL) < 0)
		abort();
	for (unsigned turn = 0; turn < 3; turn++) {
		host.text = text + bytes / 3 * turn;
		host.bytes = bytes / 3;
		if (rt_counter_port_read(port, RT_COUNTER_ALL_SOURCES, &set, NULL) <
			    0 ||
		    rt_counters_read(&host.kern, &device, &fresh, NULL) < 0)
			abort();
		check_same(&set, &fresh);
		rt_counter_set_free(&fresh);
	}
	rt_counter_port_close(port);
	rt_counter_set_free(&set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	void *aligned; /* and of exactly this size */

	if (bytes == 0)
		return 0;
	aligned = malloc(bytes);
	if (!aligned)
		return 0;
	memcpy(aligned, data + 1, bytes - 1);
	switch (data[0] % 4) {
	case 0: try_text(aligned, bytes - 1); break;
	case 1: try_answer(aligned, bytes - 1); break;
	case 2: try_set(aligned, bytes - 1); break;
	default: try_port(aligned, bytes - 1); break;
	}
	free(aligned);
	return 0;
}
