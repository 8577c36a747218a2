/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * headroom.h - how many bytes still arrive after a receiver said PAUSE.
 *
 * Published answers for one link differ five-fold and more, because they make
 * different assumptions about the peer's reaction and about how badly packets
 * fill buffer cells.  So there is no default: each model is a row with a name
 * and a source, and a result lists the terms it was added up from.
 */
#ifndef ROCETUNE_HEADROOM_H
#define ROCETUNE_HEADROOM_H

#include <stddef.h>
#include <stdint.h>

#include "rocetune/field.h"

struct rt_err;

struct rt_headroom_link {
	uint64_t speed_bps;
	uint64_t length_mm; /* of the cable, one way */
	uint64_t mtu_bytes; /* 0: the MTU with which the model was published */
};

struct rt_headroom_term {
	const char *name;       /* "cable, both ways" */
	struct rt_opt_u64 bits; /* bit times, rounded up; unknown: not published */
	const char *why;        /* the assumption behind it */
};

#define RT_HEADROOM_TERM_MAX 8

struct rt_headroom {
	const char *model, *title, *source;
	uint64_t mtu_bytes;               /* that was used */
	struct rt_opt_u64 headroom_bytes; /* unknown: the model has no answer */
	struct rt_opt_u64 xon_bytes;      /* where the model gives one */
	struct rt_opt_u64 size_bytes;     /* of the whole priority group buffer */
	char note[200];                   /* why unknown, or what to mind; "" none */
	struct rt_headroom_term terms[RT_HEADROOM_TERM_MAX];
	size_t term_count;
};

struct rt_headroom_model {
	const char *id; /* "sonic-spectrum4" */
	const char *title, *source;
	uint64_t mtu_bytes; /* with which it was published */
	void (*compute)(const struct rt_headroom_model *model,
			const struct rt_headroom_link *link,
			struct rt_headroom *headroom);
	const void *parameters; /* of compute */
};

extern const struct rt_headroom_model rt_headroom_models[];
extern const size_t rt_headroom_model_count;

/* The row with this id, or NULL. */
const struct rt_headroom_model *rt_headroom_model(const char *id);

/*
 * Fill *ret_headroom for the link.
 * -ERANGE: speed outside 1 Mb/s to 10 Tb/s, length over 100 km, or MTU outside
 * 64 to 65535 bytes.
 */
int rt_headroom_compute(const struct rt_headroom_model *model,
			const struct rt_headroom_link *link,
			struct rt_headroom *ret_headroom, struct rt_err *err);

#endif
