/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * params.h - the parameter table: one row per knob of a profile.
 *
 * A row names the knob by its path, says its type, unit, range and home in
 * struct rt_profile.  Reading, showing, comparing, and docs/profiles.md walk
 * the rows; no knob has code of its own.
 *
 * In a path, <class> stands for a class's name, <role> for host, up or spine,
 * <name> and <driver> for keys that the user chooses.  Rows with the same path
 * are different ways to write one knob (a cap as a rate or as a share).
 */
#ifndef RT_MODEL_PARAMS_H
#define RT_MODEL_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "rocetune/profile.h"
#include "rocetune/units.h"

enum rt_param_type {
	RT_PARAM_NUMBER,
	RT_PARAM_PERCENT, /* a whole number of percent, with or without the sign */
	RT_PARAM_BOOL,
	RT_PARAM_ENUM,
	RT_PARAM_TEXT,
	RT_PARAM_TEXTS,    /* one or a list */
	RT_PARAM_DSCP,     /* one, a list, ranges, or `rest`: a mask */
	RT_PARAM_CLASSES,  /* one or a list of class names: a mask */
	RT_PARAM_BREAKOUT, /* 2x400G */
	RT_PARAM_SIZES,    /* up to RT_BUFFER_COUNT sizes */
	RT_PARAM_PAIRS,    /* struct rt_pairs: what the user's keys hold */
};

/* Of the knobs with one such number only one may be set. */
enum rt_param_choice {
	RT_CHOICE_NONE,
	RT_CHOICE_SCHED,
	RT_CHOICE_CAP,
	RT_CHOICE_THRESHOLD,
};

struct rt_param {
	const char *path;
	enum rt_param_type type;
	enum rt_unit unit;
	uint64_t min, max; /* NUMBER and PERCENT; max 0: no bound */
	const struct rt_name *names;
	const char *zero;     /* NUMBER: what 0 means, a word for it; NULL: 0 */
	const char *fallback; /* what holds when unset; NULL: unknown */
	const char *help;
	enum rt_param_choice choice;
	size_t offset; /* in struct rt_profile, for class 0 and role 0 */
	size_t class_stride, role_stride;
};

extern const struct rt_param rt_params[];
extern const size_t rt_param_count;

/* Words of a profile that a host's knobs have as well. */
extern const struct rt_name rt_role_names[], rt_trust_names[], rt_dcbx_owner_names[],
	rt_cc_algorithm_names[];

/* The row's setting; index 0 where the path has no <class> or <role>. */
struct rt_setting *rt_param_setting(struct rt_profile *profile,
				    const struct rt_param *row, unsigned class_index,
				    unsigned role);

/* One knob of one profile, its path written out. */
#define RT_PARAM_PATH_BYTES 160
struct rt_param_value {
	const struct rt_param *row;
	const struct rt_setting *setting;
	char path[RT_PARAM_PATH_BYTES];
};

/* Walk all knobs a profile has room for, set or not; zero it to start. */
struct rt_param_cursor {
	size_t row, pair;
	unsigned class_index, role;
};
bool rt_param_next(const struct rt_profile *profile, struct rt_param_cursor *cursor,
		   struct rt_param_value *ret_value);

/*
 * The setting as text: "unset", "keep", "auto", or the value, exact, with its
 * unit.  Returns buf.
 */
#define RT_PARAM_TEXT_BYTES 256
char *rt_param_format(const struct rt_profile *profile, const struct rt_param *row,
		      const struct rt_setting *setting, char buf[RT_PARAM_TEXT_BYTES]);

/* True when both ask for the same; classes of a list are compared by name. */
bool rt_param_equal(const struct rt_profile *a_profile, const struct rt_setting *a,
		    const struct rt_profile *b_profile, const struct rt_setting *b,
		    const struct rt_param *row);

/* What may be written: "a rate such as 400G", "ecmp, dlb or spray".  Returns buf. */
char *rt_param_expects(const struct rt_param *row, char buf[RT_PARAM_TEXT_BYTES]);

#endif
