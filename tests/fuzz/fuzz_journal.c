/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_journal.c - any bytes as a journal: a whole one or an error with its place;
 * what it says of knobs is judged against a port without ever writing.
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "host/journal.h"
#include "rocetune/err.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static const struct rt_driver_row rows[] = {
	{ .raw = "rpg_threshold" },
	{ .knob = RT_KNOB_PFC_MASK },
};

static const struct rt_driver driver = { .name = "fuzz", .rows = rows, .row_count = 2 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static struct rt_qos old, now;
	struct rt_journal journal;
	struct rt_err err = { 0 };

	if (rt_journal_parse("fuzz", (const char *)data, bytes, &journal, &err) < 0) {
		if (!*err.msg)
			abort();
		return 0;
	}
	if (rt_journal_old(&journal, &driver, &old, &err) == 0) {
		/* What it was is always allowed to stand there. */
		if (rt_journal_holds(&journal, &driver, &old, &err) == -ESTALE)
			abort();
		rt_journal_holds(&journal, &driver, &now, &err);
		rt_journal_allow_kept(&journal, &driver, &now, 0, &err);
		if (rt_journal_holds(&journal, &driver, &now, &err) == -ESTALE)
			abort();
	}
	rt_journal_free(&journal);
	return 0;
}
