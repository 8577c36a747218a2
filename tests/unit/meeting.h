/* SPDX-License-Identifier: BSD-2-Clause */
/* meeting.h - what tests of the rendezvous over sockets share. */
#ifndef RT_TESTS_MEETING_H
#define RT_TESTS_MEETING_H

#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "traffic/tcp.h"

#define SECOND INT64_C(1000000000)

struct notes {
	char text[4096];
	unsigned count;
};

static inline void take_note(void *context, const char *text)
{
	struct notes *notes = context;

	snprintf(notes->text + strlen(notes->text),
		 sizeof(notes->text) - strlen(notes->text), "%s\n", text);
	notes->count++;
}

static inline int64_t soon(void)
{
	return rt_monotonic_ns() + 10 * SECOND;
}

static inline struct rt_rendezvous_news news_of(struct rt_rendezvous *r)
{
	struct rt_rendezvous_news news;

	assert_int_equal(r->ops->poll(r, &news, NULL), 0);
	return news;
}

static inline void join(int fd, struct rt_tcp_member member,
			struct rt_rendezvous **ret_agent)
{
	assert_int_equal(rt_tcp_join_fd(fd, &member, ret_agent, NULL), 0);
}

#endif
