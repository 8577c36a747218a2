/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * access.h - the ways to the kernel that drivers' rows name, and what they share:
 * paths with stand-ins, conversion between the vendor's unit and ours.
 */
#ifndef RT_HOST_ACCESS_H
#define RT_HOST_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/driver.h"
#include "host/plan.h"

struct rt_err;

/* dcbnl, IEEE 802.1Qaz and Qbb (net/dcb/dcbnl.c). */
extern const struct rt_access rt_access_pfc; /* mask, capability, cable */
extern const struct rt_access rt_access_ets;
/* ETS and PFC in one message, for bnxt_en: PFC is refused before any ETS. */
extern const struct rt_access rt_access_ets_pfc;
extern const struct rt_access rt_access_maxrate;
extern const struct rt_access rt_access_buffer;
extern const struct rt_access rt_access_dscp; /* APP entries, selector DSCP */
/* The APP entry of RoCEv2's UDP port; row->vendor names it. */
extern const struct rt_access rt_access_udp;
extern const struct rt_access rt_access_dcbx;

/* ethtool */
extern const struct rt_access rt_access_pause;
extern const struct rt_access rt_access_storm;     /* pfc-prevention-tout, in ms */
extern const struct rt_access rt_access_priv_flag; /* row->vendor is the flag */

/* Files that hold one number ("N", "0xN", "Y"). */
extern const struct rt_access rt_access_debugfs;
extern const struct rt_access rt_access_sysfs;
extern const struct rt_access rt_access_module; /* module parameters */
/* One file a priority, "{prio}" in the path; known when all eight agree. */
extern const struct rt_access rt_access_prio_files;
/* A word of the row's, or the knob's names. */
extern const struct rt_access rt_access_word;
/* "Global tclass=106" among lines of rules (NVIDIA's mlx5_ib). */
extern const struct rt_access rt_access_tclass;

/* hns_roce's: what is written is sent later, `lifespan` ms after (access_late.c). */
extern const struct rt_access rt_access_late_sysfs;
extern const struct rt_access rt_access_late_debugfs;

/* configfs: a folder "{ib}" has to be made before anything can be read. */
extern const struct rt_access rt_access_configfs;
extern const struct rt_access rt_access_configfs_word;
/* Broadcom's cc folder: numbers in hexadecimal, and `apply` after them. */
extern const struct rt_access rt_access_bnxt_cc;

/* Why a knob of these is not known, when all it takes is that folder. */
#define RT_WHY_NO_FOLDER "its configfs folder is not made"

/* --- what they share ------------------------------------------------------------- */

#define RT_ROW_PATH_BYTES 192

/* row->path with its stand-ins filled in; "{prio}" stays.  -ENODEV: one is empty. */
int rt_row_path(const struct rt_host_port *port, const char *path,
		char buf[RT_ROW_PATH_BYTES]);

/* The vendor's name of the row's knob. */
const char *rt_row_vendor(const struct rt_driver_row *row);

/* Its words, or NULL when it has none. */
static inline const struct rt_name *rt_row_words(const struct rt_driver_row *row)
{
	if (row->words)
		return row->words;
	return row->raw || row->to_raw ? NULL : rt_knobs[row->knob].names;
}

/*
 * Between the vendor's number and ours.  -EINVAL: the number means nothing there.
 * Towards the vendor's a quantity is rounded to the nearest that the NIC holds;
 * -ERANGE: that is further than 5 % off, or a number of something is not held at all.
 */
int rt_row_to_neutral(const struct rt_driver_row *row, uint64_t raw,
		      uint64_t *ret_number);
int rt_row_to_raw(const struct rt_driver_row *row, uint64_t number, uint64_t *ret_raw,
		  struct rt_err *err);

/* The raw knob of the row in qos, added when it is not there; NULL: no room. */
struct rt_raw_value *rt_row_raw(const struct rt_driver_row *row, struct rt_qos *qos);

/* What a read brought, in the vendor's unit: one element of the row's knob. */
void rt_row_set(const struct rt_driver_row *row, struct rt_qos *qos, unsigned element,
		uint64_t raw);

/*
 * What a read did not bring.  r: why (a negative errno), said in words of the row;
 * present: the way is there, only the value is not known.
 */
void rt_row_absent(const struct rt_driver_row *row, struct rt_qos *qos, int r);
void rt_row_unknown(const struct rt_driver_row *row, struct rt_qos *qos,
		    const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* A change's new value in the vendor's unit: a scalar, or one element. */
int rt_change_raw(const struct rt_plan *plan, const struct rt_change *change,
		  unsigned element, uint64_t *ret_raw, struct rt_err *err);

/* Until a later step writes it again, a knob may hold this, too. */
void rt_step_between(struct rt_step *step, enum rt_knob_id id,
		     const struct rt_knob_value *value);

#define rt_step_for_each(change, plan, step)                                   \
	for (const struct rt_change *change = (plan)->changes + (step)->first; \
	     change < (plan)->changes + (step)->first + (step)->count; change++)

#endif
