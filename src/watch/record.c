/* SPDX-License-Identifier: BSD-2-Clause */
/* record.c - samples of a watch, written to a file as they come. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rocetune/err.h"
#include "watch/keep.h"
#include "watch/recording.h"

static int stop(struct rt_watch *watch, struct rt_err *err)
{
	const int r = rt_recorder_close(watch->recorder, err);

	free(watch->recording_path);
	watch->recorder = NULL;
	watch->recording_path = NULL;
	return r;
}

int rt_watch_record(struct rt_watch *watch, const char *path, struct rt_err *err)
{
	struct rt_recorder *recorder = NULL;
	struct rt_err why = { 0 };
	char *copy;
	int r;

	if (!path)
		return stop(watch, err);
	copy = strdup(path);
	if (!copy)
		return rt_err_sys(err, -ENOMEM, "cannot record to %s", path);
	r = rt_recorder_open(path, watch->snapshot.title, &recorder, err);
	if (r < 0) {
		free(copy);
		return r;
	}
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

void rt_keep_record(struct rt_watch *watch)
{
	struct rt_err why = { 0 };

	if (!watch->recorder ||
	    rt_recorder_write(watch->recorder, &watch->sample, &why) == 0)
		return;
	rt_events_add(&watch->events, RT_EVENT_SOURCE, RT_SEVERITY_ERROR, "",
		      "the recording ends: %s", why.msg);
	stop(watch, NULL);
}
