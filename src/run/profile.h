/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * profile.h - journeys about profiles: find, show, judge, compare; and the small
 * sums, headroom and ToS byte.  Each fills an outcome, which the caller releases
 * with rt_outcome_release(); nothing is printed.
 */
#ifndef RT_RUN_PROFILE_H
#define RT_RUN_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/finding.h"
#include "model/rules_profile.h"
#include "rocetune/headroom.h"
#include "rocetune/profile.h"

struct rt_err;
struct rt_outcome;

#define RT_KNOB_ROW_BYTES 256

/*
 * The search path of this process: $ROCETUNE_PROFILES (folders, ':' between),
 * the installed profiles, ./profiles.  Folders that do not fit are left out.
 */
struct rt_profile_folders {
	struct rt_profile_search search; /* points into text */
	char text[4096];
};
void rt_run_profile_folders(struct rt_profile_folders *ret_folders);

/* rt_profile_read() over that path. */
int rt_run_profile_read(const char *name, struct rt_profile **ret_profile,
			struct rt_err *err);

/* Kind profile_list: every profile of the path, the first of each name. */
int rt_run_profile_list(struct rt_outcome *ret_outcome, struct rt_err *err);

/*
 * Kind profile: the knobs, and what rails set; knobs that are not set too when
 * all is true.
 */
#define RT_NO_RAIL ((size_t)-1)
int rt_run_profile_show(const char *name, size_t rail, bool all,
			struct rt_outcome *ret_outcome, struct rt_err *err);

/* What checking one profile brought. */
#define RT_CHECK_FAILED_BYTES 512
struct rt_checked_profile {
	char name[128];                     /* as asked for */
	char failed[RT_CHECK_FAILED_BYTES]; /* why it could not be read; "": it was */
	uint32_t errors, warnings, not_judged;
	struct rt_findings findings;
	struct rt_fan_ins fan_in;
};

struct rt_profile_checks {
	struct rt_checked_profile *items; /* owned */
	size_t count;
	size_t failed;          /* how many could not be read */
	struct rt_findings all; /* of all of them */
};

/*
 * Kind profile_check; a profile that cannot be understood is a finding, one that
 * cannot be read says so in failed and does not keep the others from being
 * checked.
 */
int rt_run_profile_check(const char *const *names, size_t count,
			 struct rt_outcome *ret_outcome, struct rt_err *err);

/* Kind profile_diff: the knobs that differ, also those that rails set. */
int rt_run_profile_diff(const char *a, const char *b, struct rt_outcome *ret_outcome,
			struct rt_err *err);

/* Kind profile_knobs: the parameter table itself. */
struct rt_knob_row {
	const char *path, *help, *fallback; /* fallback NULL: unknown when unset */
	char expects[RT_KNOB_ROW_BYTES], range[RT_KNOB_ROW_BYTES];
};

struct rt_knob_rows {
	struct rt_knob_row *items; /* owned */
	size_t count;
};

int rt_run_profile_knobs(struct rt_outcome *ret_outcome, struct rt_err *err);

/* One model's answer, for showing. */
struct rt_headroom_row {
	const char *model, *title;
	struct rt_opt_u64 headroom_bytes, xon_bytes, size_bytes;
	uint64_t mtu_bytes;
	const char *note; /* NULL: nothing to mind */
	const char *source;
	const struct rt_headroom_term *terms; /* inside answer */
	size_t term_count;
	struct rt_headroom answer;
};

struct rt_headroom_result {
	uint64_t speed_bps, length_mm;
	struct rt_headroom_row *models; /* owned */
	size_t model_count;
};

extern const struct rt_table rt_headroom_row_table, rt_headroom_term_table;

/* Kind headroom: every model for one link. */
int rt_run_headroom(const struct rt_headroom_link *link, struct rt_outcome *ret_outcome,
		    struct rt_err *err);

/*
 * Kind tos: a byte taken apart; profile NULL: without its class.  rail: index of
 * a rail of the profile, or RT_NO_RAIL.
 */
int rt_run_tos(uint8_t tos, const char *profile, size_t rail,
	       struct rt_outcome *ret_outcome, struct rt_err *err);

extern const struct rt_table rt_profile_list_table, rt_profile_show_table,
	rt_profile_checks_table, rt_profile_diff_table, rt_profile_knobs_table,
	rt_headroom_table, rt_tos_table;

#endif
