/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recording.c - finds the lines of a recording: which are whole, which segment and which
 * time a sample is of.  What lines hold is read when it is asked for (recording_read.c).
 */
#include "watch/recording.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/doc.h"
#include "base/own.h"
#include "base/record.h"
#include "rocetune/err.h"
#include "watch/recording_parts.h"

/* Between the clocks of one machine; also what is put between two of different ones. */
#define SAME_CLOCK_NS INT64_C(1000000000)

struct index {
	struct rt_recording *recording;
	bool in_segment;   /* samples that come belong to the last one */
	bool first;        /* none of it has come yet */
	uint32_t expected; /* number of the next sample in it */
	uint64_t other_version;
	/* Of the last sample, as it says. */
	bool any;
	int64_t time_ns, wall_ns;
};

/* --- beginnings of lines ------------------------------------------------------------------ */

/* What is left of a line's beginning. */
struct scan {
	const char *at, *end;
};

static bool scan_word(struct scan *scan, const char *word)
{
	const size_t bytes = strlen(word);

	if ((size_t)(scan->end - scan->at) < bytes || memcmp(scan->at, word, bytes))
		return false;
	scan->at += bytes;
	return true;
}

static bool scan_number(struct scan *scan, int64_t *ret)
{
	const bool minus = scan->at < scan->end && *scan->at == '-';
	const char *digits = scan->at += minus;
	int64_t number = 0;

	for (; scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9'; scan->at++)
		if (__builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, *scan->at - '0', &number))
			return false;
	*ret = minus ? -number : number;
	return scan->at > digits;
}

/* Where the last beginning of a line is: in front of it is what was cut. */
static const char *find_begin(const char *at, const char *end)
{
	const char *found = NULL;
	const size_t bytes = sizeof(RT_LINE_BEGIN) - 1;

	while ((at = memmem(at, (size_t)(end - at), RT_LINE_BEGIN, bytes))) {
		found = at;
		at += bytes;
	}
	return found;
}

/* --- heads ----------------------------------------------------------------------------------- */

static int add_segment(struct index *index, const struct rt_recording_line *at,
		       int64_t begun_ns)
{
	struct rt_recording *recording = index->recording;
	const struct rt_recording_segment *last =
		recording->segment_count
			? &recording->segments[recording->segment_count - 1]
			: NULL;
	struct rt_recording_segment *grown = rt_grow(
		recording->segments, recording->segment_count,
		&recording->segment_capacity, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	if (last) /* it may have moved */
		last = &grown[recording->segment_count - 1];
	recording->segments = grown;
	grown[recording->segment_count++] = (struct rt_recording_segment){
		.at = *at,
		.first = recording->moment_count,
		.begun_ns = begun_ns,
		.shift_ns = last ? last->shift_ns : 0,
		.elsewhere = last && (last->begun_ns != begun_ns ||
				      (last->elsewhere && index->first)),
	};
	index->in_segment = index->first = true;
	index->expected = 0;
	return 0;
}

static int take_head(struct index *index, struct scan scan,
		     const struct rt_recording_line *at)
{
	int64_t version, begun_ns;

	index->in_segment = false;
	if (!scan_number(&scan, &version))
		return -EINVAL;
	if (version != RT_RECORDING_VERSION) {
		index->other_version = (uint64_t)version;
		return -EINVAL;
	}
	if (!scan_word(&scan, ",\"begun_ns\":") || !scan_number(&scan, &begun_ns))
		return -EINVAL;
	return add_segment(index, at, begun_ns);
}

/* --- samples ---------------------------------------------------------------------------------- */

/*
 * Files of one machine that did not start anew between them have one clock; others are
 * laid behind each other, and so is what goes back in time.  False: that cannot be.
 */
static bool join(struct index *index, struct rt_recording_segment *segment,
		 int64_t time_ns, int64_t wall_ns)
{
	const struct rt_recording *recording = index->recording;
	int64_t by_clock, by_wall, apart, last_ns;

	if (!__builtin_sub_overflow(time_ns, index->time_ns, &by_clock) &&
	    !__builtin_sub_overflow(wall_ns, index->wall_ns, &by_wall) &&
	    !__builtin_sub_overflow(by_clock, by_wall, &apart) && by_clock > 0 &&
	    apart > -SAME_CLOCK_NS && apart < SAME_CLOCK_NS) {
		segment->elsewhere = false;
		return true;
	}
	last_ns = recording->moments[recording->moment_count - 1].time_ns;
	return !__builtin_add_overflow(last_ns, SAME_CLOCK_NS, &last_ns) &&
	       !__builtin_sub_overflow(last_ns, time_ns, &segment->shift_ns);
}

static int add_moment(struct index *index, const struct rt_recording_line *at,
		      int64_t time_ns, int64_t wall_ns)
{
	struct rt_recording *recording = index->recording;
	struct rt_recording_segment *segment =
		&recording->segments[recording->segment_count - 1];
	struct rt_recording_moment *grown;
	int64_t shifted;

	if (index->first && index->any) {
		/* Also one and the same may have gone back in what it recorded. */
		segment->elsewhere |= time_ns < index->time_ns;
		if (segment->elsewhere && !join(index, segment, time_ns, wall_ns))
			return -EINVAL;
	}
	if (__builtin_add_overflow(time_ns, segment->shift_ns, &shifted) ||
	    (index->any &&
	     shifted < recording->moments[recording->moment_count - 1].time_ns))
		return -EINVAL;
	grown = rt_grow(recording->moments, recording->moment_count,
			&recording->moment_capacity, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	recording->moments = grown;
	grown[recording->moment_count++] = (struct rt_recording_moment){
		*at, shifted, (uint32_t)(recording->segment_count - 1)
	};
	if (!index->any)
		recording->about.first_wall_ns = wall_ns;
	index->any = true;
	index->time_ns = time_ns;
	index->wall_ns = wall_ns;
	return 0;
}

static int take_sample(struct index *index, struct scan scan,
		       const struct rt_recording_line *at)
{
	int64_t number, time_ns, wall_ns;
	int r = -EINVAL;

	if (!index->in_segment)
		return -EINVAL;
	if (scan_number(&scan, &number) && number == index->expected &&
	    scan_word(&scan, ",\"time_ns\":") && scan_number(&scan, &time_ns) &&
	    scan_word(&scan, ",\"wall_ns\":") && scan_number(&scan, &wall_ns))
		r = add_moment(index, at, time_ns, wall_ns);
	/* Without it, what comes behind it means nothing. */
	if (r < 0) {
		index->in_segment = false;
		return r;
	}
	index->first = false;
	index->expected++;
	return 0;
}

/* --- all lines --------------------------------------------------------------------------------- */

static int take_line(struct index *index, const char *from, const char *end,
		     uint32_t line)
{
	const char *begin = find_begin(from, end);
	struct scan scan = { begin, end };
	struct rt_recording_line at;

	if (from == end)
		return 0;
	if (begin != from) {
		index->recording->about.skipped_lines++;
		index->in_segment = false;
	}
	if (!begin)
		return 0;
	if (end - begin >= RT_DOC_MAX_BYTES)
		return -EINVAL;
	at = (struct rt_recording_line){ (size_t)(begin - index->recording->text),
					 (uint32_t)(end - begin), line };
	scan_word(&scan, RT_LINE_BEGIN);
	if (scan_word(&scan, RT_LINE_HEAD))
		return take_head(index, scan, &at);
	if (scan_word(&scan, RT_LINE_SAMPLE))
		return take_sample(index, scan, &at);
	return -EINVAL;
}

static int take_lines(struct index *index)
{
	struct rt_recording *recording = index->recording;
	const char *at = recording->text, *end = at + recording->bytes, *stop;
	uint32_t line = 1;

	for (; at < end && (stop = memchr(at, '\n', (size_t)(end - at)));
	     at = stop + 1, line++) {
		const int r = take_line(index, at, stop, line);

		if (r == -ENOMEM || line == UINT32_MAX)
			return -ENOMEM;
		if (r < 0) {
			recording->about.skipped_lines++;
			index->in_segment = false;
		}
	}
	recording->about.skipped_lines += at < end;
	return 0;
}

static int refuse(const struct index *index, struct rt_err *err)
{
	const char *name = index->recording->name;

	if (index->other_version)
		return rt_err_set(err, -EINVAL,
				  "%s: written by another version of rocetune: format "
				  "%llu, this one reads %u",
				  name, (unsigned long long)index->other_version,
				  RT_RECORDING_VERSION);
	return rt_err_set(err, -EINVAL,
			  "%s: is no recording, or cut so short that nothing of one is "
			  "left: `rocetune top -w FILE` makes them",
			  name);
}

static void describe(struct rt_recording *recording)
{
	struct rt_recording_about *about = &recording->about;
	struct rt_line_head head;

	about->samples = recording->moment_count;
	if (recording->moment_count) {
		about->first_ns = recording->moments[0].time_ns;
		about->last_ns =
			recording->moments[recording->moment_count - 1].time_ns;
	}
	if (rt_recording_read_head(recording, &recording->segments[0].at, &head, NULL) <
	    0)
		return; /* reading its samples will say why */
	memcpy(about->title, head.title, sizeof(about->title));
	rt_record_free(&rt_line_head_table, &head);
}

int rt_recording_open(const char *name, const char *text, size_t bytes,
		      struct rt_recording **ret_recording, struct rt_err *err)
{
	struct rt_recording *recording = calloc(1, sizeof(*recording));
	struct index index = { .recording = recording };
	int r = -ENOMEM;

	if (!recording)
		return rt_err_sys(err, -ENOMEM, "%s", name);
	recording->text = text;
	recording->bytes = bytes;
	recording->name = strdup(name);
	if (recording->name)
		r = take_lines(&index);
	if (r < 0)
		r = rt_err_sys(err, r, "%s: cannot hold the recording", name);
	else if (!recording->segment_count)
		r = refuse(&index, err);
	if (r < 0) {
		rt_recording_free(recording);
		return r;
	}
	describe(recording);
	*ret_recording = recording;
	return 0;
}

void rt_recording_free(struct rt_recording *recording)
{
	if (!recording)
		return;
	rt_recording_forget(recording);
	free(recording->names);
	free(recording->segments);
	free(recording->moments);
	free(recording->name);
	free(recording);
}

const struct rt_recording_about *
rt_recording_about(const struct rt_recording *recording)
{
	return &recording->about;
}

int64_t rt_recording_time_ns(const struct rt_recording *recording, uint64_t number)
{
	return recording->moments[number].time_ns;
}

bool rt_recording_begins_elsewhere(const struct rt_recording *recording,
				   uint64_t number)
{
	const struct rt_recording_segment *segment =
		&recording->segments[recording->moments[number].segment];

	return number > 0 && segment->first == number && segment->elsewhere;
}

uint64_t rt_recording_next_segment(const struct rt_recording *recording,
				   uint64_t number)
{
	const size_t next = recording->moments[number].segment + (size_t)1;

	return next < recording->segment_count ? recording->segments[next].first
					       : recording->moment_count;
}
