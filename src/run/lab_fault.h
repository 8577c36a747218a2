/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lab_fault.h - what is to be wrong with a lab, on purpose: to learn what a fault looks
 * like, and to test who should find it.
 *
 * "slow-receiver@h0=30%,reorder": kinds, each with a host and a share where the kind has
 * them.
 */
#ifndef RT_RUN_LAB_FAULT_H
#define RT_RUN_LAB_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rt_engine_faults;
struct rt_err;
struct rt_fabric_config;
struct rt_topology;

#define RT_LAB_FAULTS_BYTES 128u /* of the text */
#define RT_LAB_MAX_FAULTS   8u

enum rt_lab_fault_id {
	RT_LAB_SLOW_RECEIVER,
	RT_LAB_NO_RECEIVE_BUFFERS,
	RT_LAB_SMALL_HEADROOM,
	RT_LAB_REORDER,
};

struct rt_lab_fault_kind {
	const char *name;
	const char *help;   /* what it does with the share */
	bool of_host;       /* else of all of the lab */
	uint64_t share_ppb; /* unless said otherwise */
};

/* By enum rt_lab_fault_id; ends with a NULL name. */
extern const struct rt_lab_fault_kind rt_lab_fault_kinds[];

struct rt_lab_fault {
	unsigned kind; /* enum rt_lab_fault_id */
	char host[16]; /* "": all of them */
	uint64_t share_ppb;
};

struct rt_lab_faults {
	struct rt_lab_fault items[RT_LAB_MAX_FAULTS];
	size_t count;
};

/* text may be NULL or "": none.  -EDOM: it is none of these; the text says which are. */
int rt_lab_faults_read(const char *text, struct rt_lab_faults *ret_faults,
		       struct rt_err *err);
/* -EDOM: a host that is none. */
int rt_lab_faults_check(const struct rt_lab_faults *faults,
			const struct rt_topology *topology, struct rt_err *err);

/* What they make of a switch's laws; of an end whose link has this rate. */
void rt_lab_faults_of_laws(const struct rt_lab_faults *faults,
			   struct rt_fabric_config *laws);
struct rt_engine_faults rt_lab_faults_of_host(const struct rt_lab_faults *faults,
					      const char *host, uint64_t rate_bps);

#endif
