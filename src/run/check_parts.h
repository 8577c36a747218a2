/* SPDX-License-Identifier: BSD-2-Clause */
/* check_parts.h - what the files of the alignment check share. */
#ifndef RT_RUN_CHECK_PARTS_H
#define RT_RUN_CHECK_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "host/device.h"
#include "run/check.h"
#include "wire/lldp_peers.h"

struct rt_err;
struct rt_kern;
struct rt_switch;

/* --- check_lldp.c: who was heard ----------------------------------------------------- */

/*
 * Fill *ret_peers, which the caller frees.  live asks lldpd first and listens on the
 * netdevs when it is not there or has heard nobody on one of them.  -ENODATA: the file
 * has no LLDP at all.
 */
int rt_check_hear(const struct rt_check_request *request, const char *const *netdevs,
		  size_t count, struct rt_lldp_peers *ret_peers, struct rt_err *err);

/* What lldpcli answers.  Errors as rt_program_read() and rt_lldpcli_read(). */
int rt_check_ask_lldpd(struct rt_lldp_peers *peers, struct rt_err *err);

/* --- check_switch.c: configurations, each read once ------------------------------------ */

struct rt_check_switch {
	char name[256]; /* of the file, or as it was looked for */
	struct rt_switch *sw;
	struct rt_findings complaints; /* of reading it */
	bool told;                     /* complaints are among some port's findings */
};

struct rt_check_switches {
	struct rt_check_switch *items; /* owned */
	size_t count, capacity;
	const char *headroom; /* NULL: none */
};

/* The file's switch.  Errors as rt_nos_read(). */
int rt_check_switch_file(struct rt_check_switches *switches, const char *path,
			 struct rt_check_switch **ret_switch, struct rt_err *err);

/* That there is such a folder: -ENOENT, -ENOTDIR, or what stat() said. */
int rt_check_switch_folder(const char *folder, struct rt_err *err);

/*
 * The switch called name (also without its domain) among the regular files of folder:
 * NAME.json, .cfg, .conf, .txt, or NAME.  -ENOENT: there is none, or the name cannot
 * be a file's.  Otherwise as rt_nos_read().
 */
int rt_check_switch_named(struct rt_check_switches *switches, const char *folder,
			  const char *name, struct rt_check_switch **ret_switch,
			  struct rt_err *err);

void rt_check_switches_free(struct rt_check_switches *switches);

/* --- check_link.c: one port ----------------------------------------------------------- */

/* What is read once, for all ports. */
struct rt_check {
	const struct rt_check_request *request;
	struct rt_profile *profile;
	struct rt_kern *kern;
	struct rt_devices devices;
	struct rt_devices ports; /* the links that are checked; only items are owned */
	struct rt_lldp_peers peers;
	struct rt_check_switches switches;
	struct rt_checked_links *links;
};

/* Put the sides of the port together and judge them, as the next of check->links. */
int rt_check_port(struct rt_check *check, const struct rt_device *device,
		  struct rt_err *err);

#endif
