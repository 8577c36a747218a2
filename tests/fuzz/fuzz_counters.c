/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_counters.c - any bytes as statistics: the first selects whether they are the text
 * of ethtool -S, an answer of rdma netlink, or a set of counters that another host sent.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/doc.h"
#include "base/record.h"
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	void *aligned; /* and of exactly this size */

	if (bytes == 0)
		return 0;
	aligned = malloc(bytes);
	if (!aligned)
		return 0;
	memcpy(aligned, data + 1, bytes - 1);
	switch (data[0] % 3) {
	case 0: try_text(aligned, bytes - 1); break;
	case 1: try_answer(aligned, bytes - 1); break;
	default: try_set(aligned, bytes - 1); break;
	}
	free(aligned);
	return 0;
}
