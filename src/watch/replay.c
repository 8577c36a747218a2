/* SPDX-License-Identifier: BSD-2-Clause */
/* replay.c - a recording as a source, with a time of its own. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/own.h"
#include "base/text.h"
#include "rocetune/err.h"
#include "watch/recording_parts.h"
#include "watch/source.h"

/* A day of 64 ports at a sample a second fits; it is held in memory. */
#define REPLAY_MAX_BYTES ((size_t)4 << 30)

struct replay {
	struct rt_watch_source source;
	char *text;
	struct rt_recording *recording;
	uint64_t next;
	bool between; /* the gap in front of next was told */
};

static struct replay *of(struct rt_watch_source *source)
{
	return (struct replay *)source;
}

/*
 * Before a part that another machine recorded, or this one before it started anew,
 * nothing is known: else the difference between two machines' counters were a rate.
 */
static bool is_between(const struct replay *replay)
{
	return !replay->between &&
	       rt_recording_begins_elsewhere(replay->recording, replay->next);
}

static int64_t time_of_next(const struct replay *replay)
{
	const int64_t time_ns = rt_recording_time_ns(replay->recording, replay->next);

	if (!is_between(replay))
		return time_ns;
	return time_ns -
	       (time_ns - rt_recording_time_ns(replay->recording, replay->next - 1)) /
		       2;
}

static void tell_between(struct replay *replay, struct rt_watch_sample *sample)
{
	sample->time_ns = time_of_next(replay);
	for (size_t i = 0; i < sample->count; i++) {
		rt_counter_set_free(&sample->items[i].set);
		sample->items[i].port.state = RT_WATCH_STATE_UNKNOWN;
	}
	sample->flows.known = false;
	sample->flows.where[0] = '\0';
	sample->flows.count = sample->flows.fan_count = 0;
	replay->between = true;
}

/* Behind a damaged line nothing can be told until the next segment. */
static void skip_segment(struct replay *replay, uint64_t from)
{
	replay->next = rt_recording_next_segment(replay->recording, from);
	replay->between = false;
}

static int replay_sample(struct rt_watch_source *source, struct rt_watch_sample *sample,
			 struct rt_err *err)
{
	struct replay *replay = of(source);
	int r;

	if (replay->next >= rt_recording_about(replay->recording)->samples)
		return rt_err_set(err, -ENODATA, "the recording ends here");
	if (is_between(replay)) {
		tell_between(replay, sample);
		return 0;
	}
	r = rt_recording_read(replay->recording, replay->next, sample, err);
	if (r < 0)
		skip_segment(replay, replay->next);
	else
		replay->next++;
	if (r == 0)
		replay->between = false;
	return r;
}

static int replay_next_ns(struct rt_watch_source *source, int64_t *ret_ns)
{
	const struct replay *replay = of(source);

	if (replay->next >= rt_recording_about(replay->recording)->samples)
		return -ENODATA;
	*ret_ns = time_of_next(replay);
	return 0;
}

static int replay_seek(struct rt_watch_source *source, int64_t time_ns,
		       struct rt_err *err)
{
	struct replay *replay = of(source);
	uint64_t low = 0, high = rt_recording_about(replay->recording)->samples;

	if (!high)
		return rt_err_set(err, -ENODATA, "the recording is empty");
	/* Samples before low are not later than time_ns, those from high on are. */
	while (low < high) {
		const uint64_t middle = low + (high - low) / 2;

		if (rt_recording_time_ns(replay->recording, middle) <= time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	replay->next = low ? low - 1 : 0;
	replay->between = true;
	return 0;
}

static void replay_close(struct rt_watch_source *source)
{
	struct replay *replay = of(source);

	rt_recording_free(replay->recording);
	free(replay->text);
	free(replay);
}

static const struct rt_watch_source_ops replay_ops = {
	.name = "replay",
	.help = "a recording (-w makes them), with the time that it has",
	.sample = replay_sample,
	.next_ns = replay_next_ns,
	.seek = replay_seek,
	.close = replay_close,
};

static void entitle(struct replay *replay, const char *path)
{
	const struct rt_recording_about *about = rt_recording_about(replay->recording);
	struct rt_line title = { replay->source.title, sizeof(replay->source.title),
				 0 };
	const char *file = strrchr(path, '/');

	rt_line_put(&title, "recording %.60s", file ? file + 1 : path);
	if (about->skipped_lines)
		rt_line_put(&title, " (%" PRIu64 " lines left out)",
			    about->skipped_lines);
	if (*about->title)
		rt_line_put(&title, ": %s", about->title);
	rt_text_clean(replay->source.title);
}

int rt_watch_replay_open(const char *path, struct rt_watch_source **ret_source,
			 struct rt_err *err)
{
	struct replay *replay = calloc(1, sizeof(*replay));
	size_t bytes = 0;
	int r;

	if (!replay)
		return rt_err_sys(err, -ENOMEM, "%s", path);
	replay->source.ops = &replay_ops;
	r = rt_file_check_regular(path, err);
	if (r == 0)
		r = rt_file_read(path, REPLAY_MAX_BYTES, &replay->text, &bytes, err);
	if (r == 0)
		r = rt_recording_open(path, replay->text, bytes, &replay->recording,
				      err);
	if (r < 0) {
		replay_close(&replay->source);
		return r;
	}
	entitle(replay, path);
	*ret_source = &replay->source;
	return 0;
}
