/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve.h - HTTP by libmicrohttpd, driven from the caller's loop: no thread, bounded
 * connections, request sizes and times.
 */
#ifndef RT_EXPORT_SERVE_H
#define RT_EXPORT_SERVE_H

#include <stdint.h>

#include "export/request.h"

struct rt_err;
struct rt_server;
struct rt_totals;
struct rt_watch_snapshot;

/*
 * Memory for all that may come: 256 connections with 16 KiB of request each.  Prometheus
 * needs one.  A single address gets half of them.
 */
#define RT_SERVE_CONNECTIONS   256u
#define RT_SERVE_PER_ADDRESS   128u
#define RT_SERVE_REQUEST_BYTES 16384u
/* Silence; and in all, for a request to come and for its answer to be taken. */
#define RT_SERVE_IDLE_S        10u
#define RT_SERVE_LATE_NS       INT64_C(20000000000)

/* Takes fd, a socket that listens, also on failure.  Token is copied. */
int rt_server_open(int fd, const struct rt_bearer *token, struct rt_server **ret_server,
		   struct rt_err *err);
void rt_server_close(struct rt_server *server); /* NULL is fine */

/*
 * From now on this is what is told; both borrowed until the next one.  taken_ns: when, by
 * CLOCK_MONOTONIC.
 */
void rt_server_set(struct rt_server *server, const struct rt_watch_snapshot *snapshot,
		   const struct rt_totals *totals, int64_t taken_ns);

/* Readable: rt_server_run() has something to do. */
int rt_server_fd(const struct rt_server *server);
/* How long it may wait for that, at now_ns (CLOCK_MONOTONIC). */
uint64_t rt_server_wait_ns(const struct rt_server *server, int64_t now_ns);
/* Answer what came; end what takes too long. */
void rt_server_run(struct rt_server *server, int64_t now_ns);

#endif
