/* SPDX-License-Identifier: BSD-2-Clause */
/* profile_reader.h - what the files that read profiles share. */
#ifndef RT_MODEL_PROFILE_READER_H
#define RT_MODEL_PROFILE_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/doc.h"
#include "model/finding.h"
#include "model/params.h"
#include "rocetune/headroom.h"
#include "rocetune/profile.h"

/* Kinds of complaints: indices of rt_profile_reader_rules. */
enum rt_complaint {
	RT_COMPLAINT_KEY,           /* no such key */
	RT_COMPLAINT_VALUE,         /* not a value of this kind, wrong unit */
	RT_COMPLAINT_RANGE,         /* outside what the row allows */
	RT_COMPLAINT_REFERENCE,     /* names a class or profile that is not there */
	RT_COMPLAINT_CONTRADICTION, /* two values cannot both hold */
	RT_COMPLAINT_SYNTAX,        /* no YAML or JSON */
};

extern const struct rt_rule rt_profile_reader_rules[];
extern const size_t rt_profile_reader_rule_count;

#define RT_COMPLAINT_MAX 100

/* Layer of what a rail sets; files count from 1. */
#define RT_RAIL_LAYER 1000

/* Owns the documents and the texts that were put together from them. */
struct rt_profile_store;
/* A copy that lives as long as the store; NULL when memory ran out. */
const char *rt_store_text(struct rt_profile_store *store, const char *text,
			  size_t bytes);

/* A profile that says nothing yet, to be filled by whoever has other sources. */
int rt_profile_new(struct rt_profile **ret_profile, struct rt_err *err);

struct rt_reader {
	struct rt_profile *profile;
	struct rt_findings *complaints;
	const char *file; /* now read, for places */
	unsigned layer;   /* of the file, from 1; rails come last */
	bool in_set;      /* keys may be dotted paths, classes must exist */
	bool out_of_memory;
};

/* Add one complaint; after RT_COMPLAINT_MAX none is taken any more. */
void rt_reader_tell(struct rt_reader *reader, enum rt_complaint kind,
		    const struct rt_place *place, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * rt_profile_read() for who judges: a profile whose complaints are only values
 * that contradict each other is good enough for the rules, and comes back (0)
 * with its complaints.
 */
int rt_profile_read_judge(const char *name, const struct rt_profile_search *search,
			  struct rt_findings *complaints,
			  struct rt_profile **ret_profile, struct rt_err *err);

/* Nothing more will be listed: spare the work of finding suggestions. */
bool rt_reader_is_full(const struct rt_reader *reader);

struct rt_place rt_reader_place(const struct rt_reader *reader,
				const struct rt_node *node);
struct rt_place rt_reader_key_place(const struct rt_reader *reader,
				    const struct rt_node *node);

/* Where in the table the walk is. */
struct rt_position {
	char pattern[96]; /* "switch.ecn.<class>.<role>" */
	unsigned class_index, role;
	bool has_class, has_role; /* captured on the way */
	const char *group, *name; /* keys the user chose */
};

/* Every key of a map node by the rows below position. */
void rt_reader_apply(struct rt_reader *reader, const struct rt_position *position,
		     const struct rt_node *node);

/* The scalar or list node into the setting of the rows with position's path. */
void rt_reader_set(struct rt_reader *reader, const struct rt_position *position,
		   const struct rt_node *node);

/* The list of rails. */
void rt_reader_rails(struct rt_reader *reader, const struct rt_node *node);

/* Lay each rail over a copy, to find what is wrong in it. */
void rt_reader_check_rails(struct rt_reader *reader);

/*
 * Headroom that is auto on ports of the role; false, with why, when the profile
 * or its model has not what that takes.
 */
#define RT_AUTO_WHY_BYTES 400
bool rt_headroom_auto(const struct rt_profile *profile, enum rt_role role,
		      struct rt_headroom *ret_headroom, char why[RT_AUTO_WHY_BYTES]);

/* NCCL_IB_TC, UCX_IB_TRAFFIC_CLASS and their like hold a class or its byte. */
bool rt_app_is_traffic_class(const struct rt_pair *pair);

/* What a whole profile needs: rest, auto, references, contradictions. */
void rt_reader_finish(struct rt_reader *reader);

#endif
