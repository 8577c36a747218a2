/* SPDX-License-Identifier: BSD-2-Clause */
/* side.c - a TCP connection of every rank to rank 0, beside PMIx. */
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/own.h"
#include "base/text.h"
#include "rocetune/err.h"
#include "traffic/pmix/parts.h"

#define WHERE        "side"  /* port, token, addresses */
#define VERDICT      "sided" /* whether all are there */
#define MEET_NS      INT64_C(8000000000)
#define TRY_NS       INT64_C(1500000000) /* one address */
#define MOST_PLACES  8u
#define NUMBER_BYTES 12u

/* Addresses of this host that others may reach, each behind a blank. */
static void add_places(struct rt_line *line)
{
	struct ifaddrs *first;
	unsigned count = 0;

	if (getifaddrs(&first) < 0)
		return;
	for (const struct ifaddrs *at = first; at && count < MOST_PLACES;
	     at = at->ifa_next) {
		const int family = at->ifa_addr ? at->ifa_addr->sa_family : AF_UNSPEC;
		char host[NI_MAXHOST];

		if ((family != AF_INET && family != AF_INET6) ||
		    !(at->ifa_flags & IFF_UP) || at->ifa_flags & IFF_LOOPBACK)
			continue;
		if (getnameinfo(at->ifa_addr,
				family == AF_INET ? sizeof(struct sockaddr_in)
						  : sizeof(struct sockaddr_in6),
				host, sizeof(host), NULL, 0, NI_NUMERICHOST) != 0 ||
		    strncmp(host, "fe80", 4) == 0)
			continue;
		rt_line_put(line, " %s", host);
		count++;
	}
	freeifaddrs(first);
}

/* Ranks from 1 on are called by their number there, so that each gets its place. */
static int name_sides(struct pmix_meeting *meeting)
{
	const size_t count = meeting->base.size - 1;

	meeting->side_names = calloc(count, NUMBER_BYTES);
	meeting->side_name_list = calloc(count, sizeof(*meeting->side_name_list));
	if (!meeting->side_names || !meeting->side_name_list)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		char *name = meeting->side_names + i * NUMBER_BYTES;

		snprintf(name, NUMBER_BYTES, "%zu", i + 1);
		meeting->side_name_list[i] = name;
	}
	return 0;
}

/* Listen, and put down where; an empty text where that cannot be. */
static void open_root(struct pmix_meeting *meeting, char *where, size_t capacity)
{
	const struct rt_tcp_serve config = {
		.host = meeting->one_host ? "127.0.0.1" : "0.0.0.0",
		.size = meeting->base.size - 1,
		.names = meeting->side_name_list,
		.token = &meeting->token,
	};
	struct rt_line line = { where, capacity, 0 };
	const char *port;

	if (rt_token_new(&meeting->token, NULL) < 0 ||
	    rt_tcp_serve(&config, &meeting->side, NULL) < 0)
		return;
	port = strrchr(rt_tcp_address(meeting->side), ':');
	rt_line_put(&line, "%s %s", port ? port + 1 : "0", meeting->token.text);
	if (meeting->one_host)
		rt_line_put(&line, " 127.0.0.1");
	else
		add_places(&line);
}

/* Dial one after the other of the addresses that rank 0 told. */
static void join_root(struct pmix_meeting *meeting, char *where)
{
	char name[NUMBER_BYTES], *rest = NULL;
	const char *port = strtok_r(where, " ", &rest);
	const char *token = port ? strtok_r(NULL, " ", &rest) : NULL;
	const int64_t until_ns = rt_monotonic_ns() + MEET_NS;
	const char *host;

	snprintf(name, sizeof(name), "%u", meeting->base.rank);
	if (!token || rt_token_set(token, &meeting->token, NULL) < 0)
		return;
	while (!meeting->side && (host = strtok_r(NULL, " ", &rest)) &&
	       rt_monotonic_ns() < until_ns) {
		const struct rt_tcp_join config = {
			.host = host,
			.port = (uint16_t)strtoul(port, NULL, 10),
			.token = &meeting->token,
			.name = name,
			.deadline_ns = rt_monotonic_ns() + TRY_NS,
		};

		(void)rt_tcp_join(&config, &meeting->side, NULL);
	}
}

static void side_close(struct pmix_meeting *meeting)
{
	if (meeting->side)
		meeting->side->ops->close(rt_steal(&meeting->side));
}

/* Rank 0 says whether all have come; if not, nobody relies on it. */
static int agree(struct pmix_meeting *meeting, int64_t deadline_ns, struct rt_err *err)
{
	RT_AUTO(rt_auto_free) char *verdict = NULL;
	int r = 0;

	if (meeting->base.root) {
		const bool met = meeting->side &&
				 rt_tcp_meet(meeting->side, rt_monotonic_ns() + MEET_NS,
					     NULL) == 0;

		r = pmix_publish(meeting, VERDICT, met ? "all" : "none", err);
	}
	if (r == 0)
		r = pmix_fence(meeting, deadline_ns, err);
	if (r == 0)
		r = pmix_look(meeting, 0, VERDICT, &verdict, err);
	if (r == 0 && strcmp(verdict, "all") != 0)
		side_close(meeting);
	return r;
}

int pmix_side_open(struct pmix_meeting *meeting, int64_t deadline_ns,
		   struct rt_err *err)
{
	RT_AUTO(rt_auto_free) char *told = NULL;
	char where[1024] = "";
	int r = 0;

	if (meeting->base.size == 1)
		return 0;
	if (meeting->base.root) {
		if (name_sides(meeting) < 0)
			return rt_err_sys(err, -ENOMEM, "cannot hold names of ranks");
		open_root(meeting, where, sizeof(where));
		r = pmix_publish(meeting, WHERE, where, err);
	}
	if (r == 0)
		r = pmix_fence(meeting, deadline_ns, err);
	if (r == 0)
		r = pmix_look(meeting, 0, WHERE, &told, err);
	if (r == 0 && !meeting->base.root)
		join_root(meeting, told);
	if (r == 0)
		r = agree(meeting, deadline_ns, err);
	meeting->base.fd = meeting->side ? meeting->side->fd : -1;
	return r;
}
