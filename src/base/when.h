/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * when.h - moments of samples as people read them.
 *
 * A simulation's world began with the epoch, and lasts milliseconds: a time of its first
 * day is no date but what passed since then, and is told in microseconds.
 */
#ifndef RT_BASE_WHEN_H
#define RT_BASE_WHEN_H

#include <stdbool.h>
#include <stdint.h>

#define RT_WHEN_BYTES 48

/* False: what passed since the beginning of a world of its own. */
bool rt_when_is_date(int64_t wall_ns);

/* wall_ns: since 1970, as sources tell it (watch/sample.h). */

/* "2026-03-01T08:00:25.120Z", "1680.000 us"; "-": no such moment. */
char *rt_when_write(int64_t wall_ns, char text[RT_WHEN_BYTES]);
/* In eight characters: "08:00:25", "1680 us", "250 ms"; "-". */
char *rt_when_write_clock(int64_t wall_ns, char text[RT_WHEN_BYTES]);

#endif
