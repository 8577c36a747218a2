/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * switch_build.h - filling a struct rt_switch, for the readers of src/nos.
 *
 * Objects are made by name, once each, and references are names until
 * rt_switch_finish() turns them into pointers; the arrays may move before that.
 * What is wrong but does not keep the rest from being read is a complaint: a
 * finding of rt_switch_reader_rules, with its place.
 */
#ifndef RT_MODEL_SWITCH_BUILD_H
#define RT_MODEL_SWITCH_BUILD_H

#include "model/finding.h"
#include "model/switch.h"

struct rt_err;

/* Kinds of complaints: indices of rt_switch_reader_rules. */
enum rt_switch_complaint {
	RT_SWITCH_BAD_VALUE,   /* not a value of this field, or out of its range */
	RT_SWITCH_BLANKS,      /* a number with blanks in it */
	RT_SWITCH_TWICE,       /* a key that stands twice */
	RT_SWITCH_DANGLING,    /* a name that nothing defines */
	RT_SWITCH_NOT_READ,    /* something about QoS that is not understood */
	RT_SWITCH_NOT_WRITTEN, /* the system cannot hold this of a profile */
	RT_SWITCH_UNATTACHED,  /* a profile with PFC or ECN that no port has */
};

extern const struct rt_rule rt_switch_reader_rules[];
extern const size_t rt_switch_reader_rule_count;

/* Objects of one kind that a file may have; more is -EFBIG. */
#define RT_SWITCH_PORTS_MAX   4096u
#define RT_SWITCH_OBJECTS_MAX 1024u

/* A switch without anything; nos lives forever, file is copied. */
int rt_switch_new(const char *nos, const char *file, struct rt_switch **ret_sw,
		  struct rt_err *err);

/* A copy of the text that lives as long as the switch; NULL: out of memory. */
const char *rt_switch_text(struct rt_switch *sw, const char *text, size_t bytes);

/*
 * The object of this kind and name (bytes long), made when there is none yet.
 * NULL: out of memory or too many, and *err says which.  It moves when another of
 * its kind is made.
 */
void *rt_switch_make(struct rt_switch *sw, enum rt_switch_kind kind, const char *name,
		     size_t bytes, const struct rt_place *place, struct rt_err *err);

/* As above but never made; NULL: there is none. */
void *rt_switch_object(const struct rt_switch *sw, enum rt_switch_kind kind,
		       const char *name, size_t bytes);

/* Which of a port's maps is of this kind. */
static inline size_t rt_switch_map_slot(enum rt_switch_kind kind)
{
	return (size_t)(kind - RT_SWITCH_DSCP_TC);
}

/* What the configuration says: number, its literal (kept by the switch), place. */
static inline struct rt_setting rt_switch_said(uint64_t number, const char *text,
					       struct rt_place place)
{
	return (struct rt_setting){ .number = number,
				    .text = text,
				    .state = RT_SETTING_VALUE,
				    .place = place };
}

/* What holds without being said; why lives as long as the switch. */
static inline struct rt_setting rt_switch_implied(uint64_t number, const char *why)
{
	return (struct rt_setting){ .number = number,
				    .text = why,
				    .state = RT_SETTING_AUTO,
				    .computed = true };
}

/* Said, but its number cannot be known from here; literal as above. */
static inline struct rt_setting rt_switch_literal(const char *literal,
						  struct rt_place place)
{
	return (struct rt_setting){ .text = literal,
				    .state = RT_SETTING_AUTO,
				    .place = place };
}

/* setting, where nobody said anything about it. */
static inline void rt_switch_default(struct rt_setting *setting, uint64_t number,
				     const char *why)
{
	if (setting->state == RT_SETTING_UNSET)
		*setting = rt_switch_implied(number, why);
}

/* Add one complaint (complaints may be NULL; after 100 none is taken any more). */
void rt_switch_tell(struct rt_findings *complaints, enum rt_switch_complaint kind,
		    const struct rt_place *place, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Turn names into pointers; those of nothing are complaints. */
void rt_switch_finish(struct rt_switch *sw, struct rt_findings *complaints);

/*
 * Read a pg_profile_lookup.ini: speed (Mb/s), cable, size, xon, xoff, threshold and
 * perhaps xon_offset a line, # before comments; source: sonic-buildimage device
 * folders, sonic-swss cfgmgr/buffermgr.cpp.  -EINVAL: a line that is none of these,
 * with its place.  -EFBIG: too many.  The table is the switch's.
 */
int rt_switch_headroom_parse(struct rt_switch *sw, const char *name, const char *text,
			     size_t bytes, struct rt_err *err);

/*
 * What SONiC's buffer manager would bind where the file does not: on each port with
 * PFC, speed and cable, the row's profile for the paused priorities' groups.
 * Before rt_switch_finish().
 */
int rt_switch_headroom_bind(struct rt_switch *sw, struct rt_err *err);

#endif
