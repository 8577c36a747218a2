/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rules_profile.h - what can be said of a profile without any device.
 *
 * The subject of the rules is a struct rt_profile.  A rule that lacks a number
 * says so as the rule "profile-not-judged" instead of passing in silence.
 */
#ifndef RT_MODEL_RULES_PROFILE_H
#define RT_MODEL_RULES_PROFILE_H

#include <stddef.h>

#include "model/finding.h"
#include "rocetune/profile.h"

extern const struct rt_rule rt_profile_rules[];
extern const size_t rt_profile_rule_count;

/* Whether the profile says anything about ports of this role. */
bool rt_role_is_present(const struct rt_profile *profile, enum rt_role role);

/* Headroom of all lossless classes on all ports of role's switch, if known. */
struct rt_opt_u64 rt_headroom_sum(const struct rt_profile *profile, enum rt_role role);

/*
 * What a switch has for lossless traffic to share, seen from the ports of one
 * egress role: those whose packets can meet in its queues.
 */
struct rt_shared_pool {
	struct rt_opt_u64 bytes; /* of one partition, headroom taken off */
	struct rt_opt_u64 ports; /* of the switch, all roles */
	char lacks[120];         /* what is unknown, "" when all is known */
};

/* role decides the switch: host and up are a leaf's, spine a spine's. */
void rt_shared_pool_of(const struct rt_profile *profile, enum rt_role role,
		       struct rt_shared_pool *ret_pool);

/* Where a class's PAUSE begins, on the ingress role where that is earliest. */
struct rt_xoff {
	bool known;
	enum rt_role role; /* of the ingress */
	bool is_static;    /* xoff was given; else alpha of the pool */
	uint64_t alpha_ppb;
	uint64_t pool_bytes, xoff_bytes; /* of the pool (dynamic), or static */
	struct rt_place place;
	char lacks[120];
};

/*
 * Of the ingress roles whose packets can meet in egress' queues.  lacks may be
 * set beside known: then one role could not be told, and may pause earlier.
 */
void rt_xoff_of(const struct rt_profile *profile, const struct rt_class *class,
		enum rt_role egress, struct rt_xoff *ret_xoff);

/*
 * Bytes in an egress queue that ports ingresses fill equally when the first of
 * them sends XOFF.  Dynamic threshold: ports * alpha * pool / (1 + alpha * ports)
 * (Choudhury and Hahne, 1998); static: ports * xoff.
 */
uint64_t rt_xoff_queue_bytes(const struct rt_xoff *xoff, uint64_t ports);

/* Whether Kmax or PAUSE comes first, for one class, role and fan-in. */
enum rt_first {
	RT_FIRST_ECN,
	RT_FIRST_PFC
};

struct rt_fan_in {
	char class_name[RT_CLASS_NAME_MAX];
	unsigned egress, ingress; /* enum rt_role */
	uint32_t fan_in;          /* ingress ports that fill the queue */
	uint64_t kmax_bytes;
	uint64_t xoff_queue_bytes;
	unsigned first; /* enum rt_first */
};

struct rt_fan_ins {
	struct rt_fan_in *items; /* owned */
	size_t count, capacity;
};

extern const struct rt_table rt_fan_in_table;

/*
 * A row for 1, 2, 4, ... ingress ports, as far as the switch has them (16 when
 * it is unknown how many), for every lossless class with Kmax and a known XOFF.
 */
int rt_fan_in_rows(const struct rt_profile *profile, struct rt_fan_ins *fan_ins,
		   struct rt_err *err);
void rt_fan_ins_free(struct rt_fan_ins *fan_ins);

/*
 * All rules over the profile and over what its rails make of it; a finding that
 * a rail shares with the profile stands once.
 */
int rt_profile_check(const struct rt_profile *profile, struct rt_findings *findings,
		     struct rt_err *err);

#endif
