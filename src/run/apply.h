/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * apply.h - the journey of a change: what a port has, what a profile wants of it,
 * the plan, the gate, the transaction, and that the port is well afterwards.
 *
 * Everything is read, planned and judged for all ports before the first is written;
 * a refusal leaves all of them alone.  Then one port at a time, until one is not
 * well.  Nothing is printed.
 */
#ifndef RT_RUN_APPLY_H
#define RT_RUN_APPLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/device.h"
#include "model/finding.h"
#include "model/qos.h"
#include "rocetune/err.h"
#include "rocetune/field.h"

struct rt_outcome;

/* --- what comes of it --------------------------------------------------------- */

enum rt_apply_end {
	RT_APPLY_PLANNED,     /* only looked at */
	RT_APPLY_UNCHANGED,   /* all is as wanted already */
	RT_APPLY_COMMITTED,   /* all is new */
	RT_APPLY_UNCONFIRMED, /* new until the deadline */
	RT_APPLY_REFUSED,     /* the gate did not open; nothing was written */
	RT_APPLY_NOT_REACHED, /* another port was refused or is not well */
	RT_APPLY_UNDONE,      /* it failed, and all is old again */
	RT_APPLY_STUCK,       /* it failed, and could not be undone */
};
extern const struct rt_name rt_apply_end_names[];

/* A knob that the profile wants so. */
struct rt_applied_knob {
	char knob[64];
	const char *group;
	char have[RT_KNOB_TEXT_BYTES], want[RT_KNOB_TEXT_BYTES];
	bool changed; /* it is, or would be, written */
	const char *impact, *scope;
	bool one_way;
	char source[RT_PLACE_TEXT_BYTES]; /* in the profile */
	char note[200];                   /* what else it does; why it is missing */
	char command[RT_KNOB_TEXT_BYTES]; /* the same by hand */
};

/* Something of the profile that does not become a knob, and why. */
struct rt_applied_note {
	char param[80], text[200], source[RT_PLACE_TEXT_BYTES];
};

struct rt_applied_port {
	char device[RT_IBNAME_BYTES + 8]; /* "mlx5_0", "mlx5_0/2" */
	char netdev[RT_IFNAME_BYTES], pci[16];
	const char *driver;
	char profile[256], rail[128]; /* rail: what selected it; "": none */
	unsigned end;                 /* enum rt_apply_end */
	char reason[RT_ERR_MSG_BYTES];
	char journal[96]; /* "": none was needed */
	uint32_t changes, writes;
	const char *impact; /* the worst of the changes; NULL: there is none */
	char confirm[240];  /* until when, and who would undo it; "": it lasts */
	struct rt_applied_knob *knobs; /* owned, as the next */
	size_t knob_count;
	struct rt_applied_knob *missing;
	size_t missing_count;
	struct rt_applied_note *notes;
	size_t note_count;
};

struct rt_applied {
	bool dry_run;
	const char
		*order; /* in which switches and hosts are changed; NULL: no matter */
	struct rt_applied_port *ports; /* owned */
	size_t count;
	struct rt_findings findings;
};

extern const struct rt_table rt_applied_table, rt_applied_knob_table;

/* --- the journey ---------------------------------------------------------------- */

/* The way to a host; tests have their own. */
struct rt_apply_host {
	int (*kern_open)(void *context, struct rt_kern **ret_kern, struct rt_err *err);
	void *context;
	/* How long a port may take until it is well again; how long one that is to flap
	 * must have been well; how often that is looked at. */
	unsigned settle_ms, well_ms, look_ms;
	bool elsewhere; /* an image of another host: journals here are none of its */
};
extern const struct rt_apply_host rt_this_host;

/* What sysroot (borrowed) names, for plans only: nothing of it can be written. */
struct rt_apply_host rt_apply_sysroot(const char *sysroot);

struct rt_apply_wish {
	const char *const *devices; /* names */
	size_t device_count;
	const char *profile;
	unsigned groups;                  /* bits 1 << enum rt_knob_group; 0: all */
	const char *const *allow_missing; /* names; ends with NULL; or NULL */
	bool dry_run, disrupt, one_way, yes;
	/* How long a change lasts unconfirmed; value 0: it lasts.  Not known: 5
	 * minutes where the port carries the session that the user came by. */
	struct rt_opt_u64 confirm_ns;
	/* A unit's, to whom nobody could say what to do: how long it waits for another
	 * rocetune, and whether what another boot left is closed, or refuses. */
	unsigned lock_wait_ms;
	bool closes_earlier;
	/* Told of each port once it is planned, before anything is written. */
	void (*planned)(void *context, const struct rt_applied_port *port);
	void *context;
};

/*
 * Kind apply, a struct rt_applied.  What could not be done for a port stands in it;
 * an error is what keeps everything from being looked at: no such device or profile,
 * -EBUSY another rocetune.
 */
int rt_run_apply(const struct rt_apply_host *host, const struct rt_apply_wish *wish,
		 struct rt_outcome *ret_outcome, struct rt_err *err);

/* True when some port could not be given what was asked for. */
bool rt_applied_failed(const struct rt_applied *applied);

#endif
