/* SPDX-License-Identifier: BSD-2-Clause */
/* analyze.h - a capture, or any source of frames, to a judged analysis. */
#ifndef RT_RUN_ANALYZE_H
#define RT_RUN_ANALYZE_H

#include <stdbool.h>

#include "rocetune/field.h"
#include "run/outcome.h"

struct rt_err;
struct rt_source;

struct rt_analyze_options {
	struct rt_opt_u64 link_speed_bps; /* known: goes before what the file says */
	bool no_icrc;                     /* leave invariant CRCs unchecked: faster */
	bool keep_duplicates; /* take copies of frames for frames of their own */
};

/* Kind "analysis" of results. */
extern const struct rt_table rt_analyze_table;

/*
 * Read path ("-": standard input) to its end, analyse and judge it.
 * Errors are those of rt_capture_open() and of reading.
 */
int rt_analyze_file(const char *path, const struct rt_analyze_options *options,
		    struct rt_outcome *ret_outcome, struct rt_err *err);

/* The same of a source, read to its end and still the caller's; name as it is shown. */
int rt_analyze_source(struct rt_source *source, const char *name,
		      const struct rt_analyze_options *options,
		      struct rt_outcome *ret_outcome, struct rt_err *err);

#endif
