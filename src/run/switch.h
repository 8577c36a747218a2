/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * switch.h - journeys about switch configurations: one port of one as a profile, and
 * a profile as what a switch takes.  Nothing is printed.
 */
#ifndef RT_RUN_SWITCH_H
#define RT_RUN_SWITCH_H

#include <stddef.h>
#include <stdint.h>

#include "model/finding.h"
#include "model/switch.h"
#include "rocetune/profile.h"

struct rt_err;
struct rt_json;
struct rt_outcome;

struct rt_import_options {
	const char *nos;      /* name of the system; NULL: found out */
	const char *file;     /* "-": standard input */
	const char *port;     /* name or alias; NULL: the first with PFC */
	const char *headroom; /* file of the platform's table; NULL: none */
	enum rt_role role;    /* what the port is to the profile */
	unsigned cell_bytes;  /* of the switch's memory; 0: not known */
};

/* One traffic class of the port, with all that the chain tells. */
struct rt_switch_class_row {
	char name[RT_CLASS_NAME_MAX];
	char dscps[RT_SWITCH_MASK_BYTES];
	struct rt_opt_u64 tc, pg, queue;
	char prios[RT_SWITCH_MASK_BYTES];      /* with PFC on */
	unsigned lossless;                     /* enum rt_switch_lossless */
	char why[160];                         /* it is not lossless */
	const char *scheduler, *wred, *buffer; /* names; NULL: none, or unknown */
	struct rt_opt_u64 kmin_bytes, kmax_bytes, pmax_ppb, headroom_bytes, alpha_ppb;
};

struct rt_import {
	const char *nos, *file, *port; /* inside sw */
	const char *hostname, *hwsku;  /* NULL: not in the file */
	size_t pfc_ports;              /* with PFC on */
	struct rt_opt_u64 speed_bps, mtu_bytes, cable_mm;
	char pfc_tx[RT_SWITCH_MASK_BYTES], pfc_rx[RT_SWITCH_MASK_BYTES];
	char watched[RT_SWITCH_MASK_BYTES];
	uint32_t not_read; /* lines about QoS that were not understood */
	struct rt_switch_class_row *classes; /* owned, as the next ones */
	size_t class_count;
	struct rt_findings findings;
	struct rt_profile *profile;
	struct rt_switch *sw;
};

extern const struct rt_table rt_import_table;

/*
 * Kind switch_port: what the port does, what is wrong with it, and in the object's
 * profile the same as a profile.  -ENOENT: no such port.  -ENODATA: nothing there to
 * make classes of.  Otherwise as rt_nos_read().
 */
int rt_run_profile_import(const struct rt_import_options *options,
			  struct rt_outcome *ret_outcome, struct rt_err *err);

/*
 * The error that the switch has no port of this name, with the nearest name there is:
 * -ENOENT; -ENODATA: name is NULL, and there is no port at all.
 */
int rt_run_switch_no_port(const struct rt_switch *sw, const char *name,
			  struct rt_err *err);

struct rt_export_options {
	const char *profile; /* name or path */
	const char *nos;     /* name of the system */
	const char *ports;   /* "Ethernet0,Ethernet4"; NULL: those against has */
	const char *against; /* file of the configuration there is; NULL: unknown */
	enum rt_role role;   /* of the profile's thresholds that the ports get */
};

/*
 * What the switch's own tool takes to make the ports do what the profile says, in
 * *ret_config (the caller's).  What it cannot hold is added to complaints.
 * -EINVAL: a system that is only read, no ports, or a profile that lacks a number.
 */
int rt_run_profile_export(const struct rt_export_options *options,
			  struct rt_findings *complaints, struct rt_json **ret_config,
			  struct rt_err *err);

#endif
