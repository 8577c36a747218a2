/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * live_capture.h - the journey of `rocetune capture`: what passes interfaces of this host,
 * into a file, an analysis, or both.  It sends nothing and sets nothing but its own ring.
 */
#ifndef RT_RUN_LIVE_CAPTURE_H
#define RT_RUN_LIVE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rocetune/field.h"

struct rt_err;
struct rt_outcome;

struct rt_captured_if {
	char name[64];
	struct rt_opt_u64 speed_bps;
	uint64_t frames, bytes, roce, cnps, ce, pauses;
	struct rt_opt_u64 dropped; /* there was no room for */
};

struct rt_captured {
	const char *file;                    /* the caller's; NULL: none */
	struct rt_opt_u64 first_ns, last_ns; /* CLOCK_REALTIME */
	struct rt_opt_u64 duration_ns;
	uint64_t frames, dropped;
	char note[500];                    /* what this capture cannot see or say; "" */
	struct rt_captured_if *interfaces; /* owned */
	size_t interface_count;
};
extern const struct rt_table rt_captured_table;

#define RT_CAPTURE_IFS 32u

struct rt_capture_request {
	const char *const *netdevs;  /* ends with NULL */
	const char *file;            /* pcapng, "-": standard output; NULL: none */
	struct rt_opt_u64 time_ns;   /* unknown: until stop_fd */
	struct rt_opt_u64 speed_bps; /* of the links; unknown: the kernel is asked */
	bool analyze, no_icrc;
	int stop_fd; /* -1: none */
	/* When all interfaces are open, with the note there is; may be NULL. */
	void (*ready)(void *user, const char *note);
	void *user;
};

/*
 * Kind capture, a struct rt_captured; with analyze kind analysis (run/analyze.h).
 * -EPERM: it needs CAP_NET_RAW.  -ENODEV.  -EEXIST: the file holds something else.
 */
int rt_run_capture(const struct rt_capture_request *request,
		   struct rt_outcome *ret_outcome, struct rt_err *err);

#endif
