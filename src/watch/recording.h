/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recording.h - samples in a file: lines of JSON, safe to cut anywhere (docs/recording.md).
 *
 * A file is a row of segments.  A segment begins with a line of kind "recording" that
 * holds everything its lines need: version, clock, ports, and for each port what its
 * values are.  Lines of kind "sample" follow, with what changed.  So whatever is cut off
 * at either end, what is left reads from the next segment on; and files can be joined.
 */
#ifndef RT_WATCH_RECORDING_H
#define RT_WATCH_RECORDING_H

#include <stddef.h>

#include "watch/sample.h"

struct rt_err;
struct rt_recorder;
struct rt_recording;

#define RT_RECORDING_VERSION 1u

/* "-" is not a file.  -EEXIST. */
int rt_recorder_open(const char *path, const char *title,
		     struct rt_recorder **ret_recorder, struct rt_err *err);
/* One sample, written out at once.  An error is the file's, which is then closed. */
int rt_recorder_write(struct rt_recorder *recorder,
		      const struct rt_watch_sample *sample, struct rt_err *err);
int rt_recorder_close(struct rt_recorder *recorder, struct rt_err *err);

/*
 * All samples of a text, which is borrowed; name is for messages.  Memory is bounded by
 * the text's length.  -EINVAL: it is no recording, or of another version.
 */
int rt_recording_open(const char *name, const char *text, size_t bytes,
		      struct rt_recording **ret_recording, struct rt_err *err);
void rt_recording_free(struct rt_recording *recording);

struct rt_recording_about {
	uint64_t samples, skipped_lines; /* skipped: cut, or before the first segment */
	int64_t first_ns, last_ns, first_wall_ns;
	char title[128];
};
const struct rt_recording_about *
rt_recording_about(const struct rt_recording *recording);

/* When sample number is; number < samples. */
int64_t rt_recording_time_ns(const struct rt_recording *recording, uint64_t number);

/* Sample number into *sample, which is reused.  -EINVAL: the line is damaged. */
int rt_recording_read(struct rt_recording *recording, uint64_t number,
		      struct rt_watch_sample *sample, struct rt_err *err);

#endif
