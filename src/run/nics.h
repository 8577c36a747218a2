/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nics.h - what can be read and set on which NIC: the drivers' tables in words, for
 * docs/nics.md.
 */
#ifndef RT_RUN_NICS_H
#define RT_RUN_NICS_H

#include <stdbool.h>
#include <stddef.h>

struct rt_err;

struct rt_nic_knob {
	const char *knob; /* "cc.rp.ai", or a raw one's name */
	bool raw;
	const char *interface, *vendor;
	const char *unit;   /* of raw knobs: whether anybody documents it */
	char range[64];     /* in the NIC's own unit; "" the NIC decides */
	const char *writes; /* impact, or "read only" */
	const char *scope;
	const char *source;
};

/* Where a driver has a counter; rows of one counter in order of preference. */
struct rt_nic_counter {
	const char *counter, *source;
	const char *vendor; /* "rx_prio%_pause": % stands for the priority */
	const char *remark; /* "32 bits", ...; "": none */
	const char *from;
};

struct rt_nic_lack {
	const char *group, *why;
};

struct rt_nic {
	const char *name, *help;
	const char *cannot;        /* NULL: something can be tuned */
	char kernel[64];           /* names of the kernel's drivers */
	struct rt_nic_knob *knobs; /* owned */
	size_t knob_count;
	struct rt_nic_counter *counters; /* owned */
	size_t counter_count;
	struct rt_nic_lack lacks[16];
	size_t lack_count;
};

struct rt_nics {
	struct rt_nic *items; /* owned */
	size_t count;
	/* Of every port, after those of its driver; of one that no RDMA bypasses. */
	struct rt_nic_counter *common, *plain; /* owned */
	size_t common_count, plain_count;
};

/* Texts are of tables.  -ENOMEM. */
int rt_run_nics(struct rt_nics *ret_nics, struct rt_err *err);
void rt_nics_free(struct rt_nics *nics);

#endif
