/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rules_switch.h - what can be said of a switch's configuration alone: without the
 * host at its port and without a profile.
 *
 * The subject of the rules is a struct rt_switch_subject.  Ports about which a rule
 * says the same are one finding, at the first of them.
 */
#ifndef RT_MODEL_RULES_SWITCH_H
#define RT_MODEL_RULES_SWITCH_H

#include <stddef.h>

#include "model/finding.h"
#include "model/switch.h"

struct rt_switch_subject {
	const struct rt_switch *sw;
	const struct rt_switch_port *port; /* NULL: every port */
};

extern const struct rt_rule rt_switch_rules[];
extern const size_t rt_switch_rule_count;

/* All rules over a switch, or (port not NULL) over what concerns one port. */
int rt_switch_check(const struct rt_switch *sw, const struct rt_switch_port *port,
		    struct rt_findings *findings, struct rt_err *err);

/* --- for the files with the checks -------------------------------------------- */

/* What a rule says of ports, gathered until all were looked at. */
#define RT_SWITCH_SAID_MAX 16
struct rt_switch_said {
	char evidence[200];
	char where[RT_PLACE_TEXT_BYTES];
	const char *first; /* name of the first port */
	size_t ports;
};

struct rt_switch_gather {
	struct rt_switch_said said[RT_SWITCH_SAID_MAX];
	size_t count, more; /* more: ports of which something else was said */
};

/* Port violates the rule; a place without a line is the port's. */
void rt_switch_gather(struct rt_switch_gather *gather,
		      const struct rt_switch_port *port, const struct rt_place *place,
		      const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Make findings of what was gathered. */
void rt_switch_gathered(const struct rt_switch_gather *gather,
			const struct rt_rule *rule, struct rt_findings *findings);

/* Ports that the subject is about, those of other cards left out. */
#define rt_subject_for_each_port(port_, subject_)                                 \
	for (const struct rt_switch_port *port_ = (subject_)->sw->ports;          \
	     port_ && port_ < (subject_)->sw->ports + (subject_)->sw->port_count; \
	     port_++)                                                             \
		if (!port_->remote && (!(subject_)->port || (subject_)->port == port_))

typedef void rt_switch_check_fn(const struct rt_rule *rule, const void *subject,
				struct rt_findings *findings);
rt_switch_check_fn rt_check_ecn_disabled, rt_check_kmin_above_kmax,
	rt_check_marking_off, rt_check_pfc_without_ecn, rt_check_cnp_queue,
	rt_check_lossless_broken, rt_check_lossless_unknown, rt_check_pfc_unreached,
	rt_check_maps_differ, rt_check_global_only;

#endif
