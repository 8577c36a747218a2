/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * export.h - a snapshot as OpenMetrics, over HTTP or into a file.
 *
 * Names, types, units and help are the counter catalogue's; unknown has no sample.
 * Source: the OpenMetrics specification 1.0, Prometheus' naming conventions.
 */
#ifndef RT_EXPORT_EXPORT_H
#define RT_EXPORT_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rt_err;
struct rt_watch;
struct rt_watch_snapshot;

/* Registered by no exporter known: the wiki of default port allocations of Prometheus. */
#define RT_EXPORT_PORT 9886u

struct rt_export_options {
	const char *address;    /* "127.0.0.1", "::1"; NULL: the first */
	uint16_t port;          /* 0: RT_EXPORT_PORT */
	const char *socket;     /* a unix socket instead; NULL: none */
	const char *token_file; /* a bearer token is asked for; NULL: none */
	const char *textfile;   /* written each interval, instead of HTTP; NULL: none */
	bool once;              /* textfile: write it and end */
	const char *user;       /* to be, when root; NULL: keep, without capabilities */
	int stop_fd;            /* -1: none */
	void (*ready)(void *context, const char *where); /* listening; may be NULL */
	void *context;
};

/*
 * A snapshot as text; open_metrics: with "# EOF" and the rules of OpenMetrics, else the
 * older Prometheus text format.  *ret_text is the caller's to free.  -ENOMEM.
 */
int rt_export_text(const struct rt_watch_snapshot *snapshot, bool open_metrics,
		   char **ret_text, size_t *ret_bytes, struct rt_err *err);

/* Serve, or write, until stop_fd is readable. */
int rt_export_run(struct rt_watch *watch, const struct rt_export_options *options,
		  struct rt_err *err);

#endif
