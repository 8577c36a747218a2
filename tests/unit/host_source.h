/* SPDX-License-Identifier: BSD-2-Clause */
/* host_source.h - a host as a source of samples, and what is in them. */
#ifndef RT_TESTS_HOST_SOURCE_H
#define RT_TESTS_HOST_SOURCE_H

#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "kern/kern.h"
#include "model/counters.h"
#include "rocetune/err.h"
#include "run/watch.h"
#include "run/watch_host.h"
#include "run/watch_host_parts.h"
#include "watch/sample.h"
#include "watch/source.h"

#define PORT RT_COUNTER_NO_PRIO

static inline struct rt_watch_source *open_on(struct rt_kern *kern,
					      const struct rt_watch_request *request)
{
	struct rt_watch_source *source = NULL;
	struct rt_err err = { 0 };

	if (rt_watch_host_open(kern, request, &source, &err) < 0)
		fail_msg("%s", err.msg);
	return source;
}

static inline void take(struct rt_watch_source *source, struct rt_watch_sample *sample)
{
	struct rt_err err = { 0 };

	if (source->ops->sample(source, sample, &err) < 0)
		fail_msg("%s", err.msg);
	for (size_t i = 0; i < sample->count; i++)
		assert_int_equal(rt_counter_set_check(&sample->items[i].set, NULL), 0);
}

static inline const struct rt_watch_input *
input_of(const struct rt_watch_sample *sample, const char *name)
{
	for (size_t i = 0; i < sample->count; i++)
		if (strcmp(sample->items[i].port.name, name) == 0)
			return &sample->items[i];
	fail_msg("no port %s", name);
	return NULL;
}

static inline bool has_port(const struct rt_watch_sample *sample, const char *name)
{
	for (size_t i = 0; i < sample->count; i++)
		if (strcmp(sample->items[i].port.name, name) == 0)
			return true;
	return false;
}

static inline uint64_t value_of(const struct rt_watch_input *input,
				enum rt_counter_id id, unsigned prio)
{
	const struct rt_opt_u64 value = rt_counter_value(&input->set, id, prio);

	if (!value.known)
		fail_msg("%s: %s is unknown", input->port.name, rt_counters[id].name);
	return value.value;
}

static inline bool is_known(const struct rt_watch_input *input, enum rt_counter_id id)
{
	return rt_counter_find(&input->set, id, PORT) != NULL;
}

static inline void end(struct rt_watch_source *source, struct rt_watch_sample *sample)
{
	rt_watch_sample_free(sample);
	source->ops->close(source);
}

/* As if so much time had passed. */
static inline void look_in(struct rt_watch_source *source, unsigned seconds)
{
	assert_int_equal(
		rt_watch_host_look((struct rt_watch_host *)source,
				   rt_monotonic_ns() + seconds * INT64_C(1000000000),
				   NULL),
		0);
}

#endif
