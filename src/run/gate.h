/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gate.h - why a port must not be changed now: one rule a reason.  An error refuses;
 * all else is only told.  The gate judges what was read before; it reads nothing.
 */
#ifndef RT_RUN_GATE_H
#define RT_RUN_GATE_H

#include <stdbool.h>

#include "host/device.h"
#include "host/plan.h"
#include "model/finding.h"
#include "rocetune/profile.h"

struct rt_apply_wish;

#define RT_MANAGER_WORDS 4

/* Another program that sets the same knobs. */
struct rt_manager {
	const char *name;
	const char
		*comm; /* of its process (15 bytes at most); NULL: a file is enough */
	const char *active; /* a file whose first line stands for %s in path; or NULL */
	const char *path;   /* its configuration; NULL: the process is enough */
	const char *words[RT_MANAGER_WORDS]; /* one of which makes it an owner */
	unsigned groups; /* bits 1 << enum rt_knob_group that it sets */
	const char *does, *remedy, *source;
};
extern const struct rt_manager rt_managers[]; /* ends without a name */

#define RT_MANAGER_MAX 32 /* bits */

/* Bits of rt_managers that are at work on this host; found through files only. */
uint32_t rt_managers_find(struct rt_kern *kern);

/* What this process may do; found through files, so that an image has it, too. */
struct rt_rights {
	bool known;
	bool net_admin;     /* CAP_NET_ADMIN */
	bool first_user_ns; /* without which the kernel refuses DCB */
};
void rt_rights_read(struct rt_kern *kern, struct rt_rights *ret_rights);

/* A port at the gate; all is borrowed. */
struct rt_gate {
	const char *where; /* the port, for findings */
	const struct rt_apply_wish *wish;
	const struct rt_device *device;
	bool is_foreign; /* the device's bond has it, and it is of another NIC */
	const struct rt_profile *profile;
	const struct rt_qos *have, *want; /* NULL: there was no reading */
	const struct rt_plan *plan;       /* NULL: there is none */
	const struct rt_err *no_plan;     /* why */
	bool undoes; /* what is wanted is what was, not a profile */
	struct rt_rights rights;
	uint32_t managers;
	const char *pending; /* a journal that is not finished; NULL */
	const char *closed;  /* journals of another boot that were closed; NULL */
};

extern const struct rt_rule rt_gate_rules[];
extern const size_t rt_gate_rule_count;

#endif
