/* SPDX-License-Identifier: BSD-2-Clause */
/* lab_plan.h - what a lab is to be: scenario and profile, scaled to its rate. */
#ifndef RT_RUN_LAB_PLAN_H
#define RT_RUN_LAB_PLAN_H

#include "lab/scale.h"
#include "model/fabric_config.h"
#include "model/topology.h"
#include "run/lab.h"
#include "run/lab_fault.h"

struct rt_lab_plan {
	struct rt_scenario scenario; /* with the real rate */
	struct rt_topology topology; /* with the lab's rates */
	struct rt_fabric_config laws;
	struct rt_lab_scale scale;
	struct rt_lab_faults faults; /* those of the switch are in laws */
	uint8_t prio_of_dscp[64];
};

/*
 * senders of an incast to host 0, when the request names no scenario; 0: as many as
 * there are hosts.  The caller frees the plan.  -EDOM: the request is wrong.  Else
 * what reading and scaling said.
 */
int rt_lab_plan_make(const struct rt_lab_request *request, uint32_t senders,
		     struct rt_lab_plan *ret_plan, struct rt_err *err);
/*
 * The laws and faults of a lab that is up, where its hosts are not told: its topology
 * is any, and which hosts have faults was judged when the lab was made.
 */
int rt_lab_plan_remake(const struct rt_lab_request *request,
		       struct rt_lab_plan *ret_plan, struct rt_err *err);
void rt_lab_plan_free(struct rt_lab_plan *plan);

/* A lab with its counters as rows, from its board; takes what state owns. */
int rt_lab_picture_take(const struct rt_lab_store *store, struct rt_lab_state *state,
			struct rt_lab_picture *ret_picture, struct rt_err *err);
void rt_lab_picture_free(struct rt_lab_picture *picture);

/* Totals of picture become those since an earlier one of the same lab. */
void rt_lab_picture_since(struct rt_lab_picture *picture,
			  const struct rt_lab_picture *earlier);

/* The same as an outcome; state is freed whatever happens. */
int rt_lab_picture_give(const struct rt_lab_store *store, struct rt_lab_state *state,
			const char *note, struct rt_outcome *ret_outcome,
			struct rt_err *err);

#endif
