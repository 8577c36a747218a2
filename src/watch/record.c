/* SPDX-License-Identifier: BSD-2-Clause */
/* record.c - samples of a watch, written to a file as they come. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rocetune/err.h"
#include "watch/keep.h"
#include "watch/recording.h"

/* What closing says counts, too: some file systems write only then. */
static int stop(struct rt_watch *watch, struct rt_err *err)
{
	const int r = rt_recorder_close(watch->recorder, err);

	free(watch->recording_path);
	watch->recorder = NULL;
	watch->recording_path = NULL;
	return r;
}

static int stop_or_tell(struct rt_watch *watch, struct rt_err *err)
{
	const struct rt_err lost = watch->lost;
	const int r = stop(watch, err);

	watch->lost = (struct rt_err){ 0 };
	return lost.code ? rt_err_set(err, lost.code, "%s", lost.msg) : r;
}

int rt_watch_record(struct rt_watch *watch, const char *path, struct rt_err *err)
{
	struct rt_recorder *recorder = NULL;
	struct rt_err why = { 0 };
	char *copy;
	int r;

	if (!path)
		return stop_or_tell(watch, err);
	copy = strdup(path);
	if (!copy)
		return rt_err_sys(err, -ENOMEM, "cannot record to %s", path);
	r = rt_recorder_open(path, watch->snapshot.title, &recorder, err);
	if (r < 0) {
		free(copy);
		return r;
	}
	watch->lost = (struct rt_err){ 0 };
	/* Another file ends here; what that says is no matter of this one. */
	if (stop(watch, &why) < 0)
		rt_events_add(&watch->events, RT_EVENT_SOURCE, RT_SEVERITY_ERROR, "",
			      "the recording ends: %s", why.msg);
	watch->recorder = recorder;
	watch->recording_path = copy;
	return 0;
}

const char *rt_watch_recording(const struct rt_watch *watch)
{
	return watch->recording_path;
}

const char *rt_watch_recording_lost(const struct rt_watch *watch)
{
	return watch->lost.code ? watch->lost.msg : NULL;
}

void rt_keep_record(struct rt_watch *watch)
{
	struct rt_err why = { 0 };
	int r;

	if (!watch->recorder)
		return;
	r = rt_recorder_write(watch->recorder, &watch->sample, &why);
	if (r == 0)
		return;
	rt_err_set(&watch->lost, r, "the recording ends: %s", why.msg);
	rt_events_add(&watch->events, RT_EVENT_SOURCE, RT_SEVERITY_ERROR, "", "%s",
		      watch->lost.msg);
	stop(watch, NULL);
}
