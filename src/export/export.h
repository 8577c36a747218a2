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
struct rt_totals;
struct rt_watch;
struct rt_watch_snapshot;

/*
 * RoCEv2's 4791 and ten thousand.  Prometheus' range for exporters, 9100 to 9999, is full
 * (C. Siebenmann, "Why Prometheus exporters really need fixed TCP ports", 2023; Default
 * port allocations, in the wiki of prometheus/prometheus), and none outside it is there.
 */
#define RT_EXPORT_PORT 14791u

struct rt_export_options {
	const char *listen;     /* export/listen.h; NULL: 127.0.0.1:RT_EXPORT_PORT */
	const char *socket;     /* a unix socket instead; NULL: none */
	const char *token_file; /* a bearer token is asked for; NULL: none */
	const char *textfile;   /* written each interval, instead of HTTP; NULL: none */
	bool once;              /* textfile: write it and end */
	bool last;              /* once: the last sample, of a source that ends */
	const char *user;       /* to be, when root; NULL: keep, without capabilities */
	int stop_fd;            /* -1: none */
	/* It goes on from here: listening at, or writing to, where.  May be NULL. */
	void (*ready)(void *context, const char *where);
	/* Something that does not end it: a sample that failed, what cannot be read. */
	void (*tell)(void *context, const char *text);
	void *context;
};

/* -EINVAL: options that do not go together, with what to do. */
int rt_export_check(const struct rt_export_options *options, struct rt_err *err);

/* Its sample was not taken; that a source has no more is none of that. */
bool rt_export_has_failed(const struct rt_watch_snapshot *snapshot);

/*
 * A snapshot as text; open_metrics: with "# EOF" and the rules of OpenMetrics, else the
 * older Prometheus text format.  totals (export/totals.h): NULL: values as they are read.
 * *ret_text is the caller's to free.  -ENOMEM.
 */
int rt_export_text(const struct rt_watch_snapshot *snapshot,
		   const struct rt_totals *totals, bool open_metrics, char **ret_text,
		   size_t *ret_bytes, struct rt_err *err);

/*
 * Serve, or write, until stop_fd is readable or the source has no more.  Gives up all
 * capabilities, for good, once it listens.  -ENODATA: it had none from the first on.
 * -EIO: of once, the sample failed, as the file says, too.
 */
int rt_export_run(struct rt_watch *watch, const struct rt_export_options *options,
		  struct rt_err *err);

#endif
