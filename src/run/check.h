/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check.h - the journey of an alignment check: ports of this host (or of a bundle),
 * the profile, the switch at the other end, and what it announces.  Nothing is
 * written anywhere.
 */
#ifndef RT_RUN_CHECK_H
#define RT_RUN_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/align.h"
#include "model/finding.h"
#include "rocetune/field.h"

struct rt_err;
struct rt_outcome;

struct rt_check_request {
	const char *const *devices; /* RDMA devices, netdevs or PCI addresses */
	size_t device_count;        /* 0: every port that RoCE is tuned on */
	const char *profile;
	const char *sysroot;     /* NULL: this machine */
	const char *switch_file; /* NULL: none; at most one of this and the next */
	const char *switch_dir;  /* configurations by name of the switch */
	const char *port;        /* of switch_file; NULL: as LLDP says */
	const char *headroom;    /* pg_profile_lookup.ini beside it; NULL: none */
	/* "live", a capture, or JSON of lldpcli ("-": standard input); NULL: none */
	const char *lldp;
	/* Called before it is listened for that long; NULL: nobody wants to know. */
	void (*listening)(void *user, unsigned most_ms);
	void *user;
};

/* One port and whatever it was compared with. */
struct rt_checked_link {
	char device[80], netdev[16];
	char rail[128];        /* entry of rails that holds for it; "": none */
	char switch_name[256]; /* "": not known */
	char switch_port[64];  /* "": not known */
	uint32_t errors, warnings, not_judged;
	struct rt_align_rows rows;
	struct rt_findings findings;
	struct rt_dcbx_peer *peers; /* owned: who was heard, this host left out */
	size_t peer_count;
};

struct rt_checked_links {
	char profile[256];
	struct rt_checked_link *ports; /* owned */
	size_t count;
	struct rt_findings all; /* of all of them */
};

extern const struct rt_table rt_checked_links_table;

/*
 * Kind check, a struct rt_checked_links.  What cannot be read of one side becomes a
 * finding align-side-missing, so that the others are still compared.
 * -ENODEV: no such device, or none at all.  -ENOTUNIQ: port is given, and there are several
 * links.  -ENOENT, -EINVAL: profile, switch file or folder, its port, or LLDP source is
 * not there or cannot be read; the text says which.  -ENODATA: no LLDP in the source.
 * -EINTR: a signal while listening.
 */
int rt_run_check(const struct rt_check_request *request, struct rt_outcome *ret_outcome,
		 struct rt_err *err);

#endif
