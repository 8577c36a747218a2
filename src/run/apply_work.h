/* SPDX-License-Identifier: BSD-2-Clause */
/* apply_work.h - what the files of the journey of a change share. */
#ifndef RT_RUN_APPLY_WORK_H
#define RT_RUN_APPLY_WORK_H

#include "host/journal.h"
#include "host/plan.h"
#include "rocetune/profile.h"
#include "run/apply.h"
#include "run/gate.h"
#include "run/recover.h"

struct rt_state;

/* One port on its way; large, so on the heap. */
struct rt_apply_item {
	struct rt_device device; /* its GIDs are borrowed */
	struct rt_host_port port;
	const struct rt_profile *profile; /* as it holds there; borrowed */
	struct rt_journal undo;           /* owned; what is wanted back */
	struct rt_profile *on_rail;       /* owned; NULL: no rail selects it */
	struct rt_made made;              /* only to be read, so far */
	struct rt_qos have;
	struct rt_qos_want want;
	struct rt_plan plan;
	bool read, planned;
	struct rt_err no_plan;
	struct rt_applied_port *shown;
	char title[RT_IBNAME_BYTES + 32]; /* "mlx5_0 (eth7)", for findings */
};

/* What the gate looks at besides the port. */
struct rt_surroundings {
	struct rt_rights rights;
	uint32_t managers;
	bool pending; /* before the first port was written */
	char pending_text[RT_PENDING_BYTES];
};

struct rt_apply {
	const struct rt_apply_host *host;
	const struct rt_apply_wish *wish;
	struct rt_kern *kern;
	struct rt_devices devices;
	struct rt_profile *profile;
	struct rt_state *state;
	struct rt_apply_item *items; /* owned */
	size_t count;
	struct rt_applied *applied;
	char closed[RT_PENDING_BYTES]; /* what another boot left; "": nothing */
	struct rt_surroundings around;
	bool undoes; /* the last change of each port is wanted back, no profile */
};

/* Read the port and plan what the profile wants; what does not work stands in item. */
void rt_apply_look(struct rt_apply *apply, struct rt_apply_item *item);

/* Rows of what was planned.  -ENOMEM. */
int rt_apply_show(const struct rt_apply *apply, struct rt_apply_item *item);

/* The transaction of one port; how it ended stands in item->shown. */
void rt_apply_write(struct rt_apply *apply, struct rt_apply_item *item);

/* How it ended, and why, in words for people. */
void rt_apply_end(struct rt_apply_item *item, enum rt_apply_end end, const char *fmt,
		  ...) __attribute__((format(printf, 3, 4)));

void rt_applied_free(void *applied);

/* Kind apply, of what apply's first members ask for; takes none of them. */
int rt_apply_journey(struct rt_apply *apply, struct rt_outcome *ret_outcome,
		     struct rt_err *err);

/* The change that the journal undoes is undone now, and says so. */
void rt_apply_mark_undone(struct rt_state *state, const struct rt_journal *journal);

#endif
