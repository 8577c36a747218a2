/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * host.h - journeys that look at hosts: list, show, snapshot, diff.  None of them
 * writes to a host.  Each fills an outcome, which the caller releases with
 * rt_outcome_release(); nothing is printed.
 *
 * A host is this machine (sysroot NULL), or a folder or bundle that a snapshot
 * wrote; what is shown of either is the same.
 */
#ifndef RT_RUN_HOST_H
#define RT_RUN_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rocetune/field.h"

struct rt_device;
struct rt_elsewhere;
struct rt_err;
struct rt_fleet;
struct rt_kern;
struct rt_outcome;

/* This machine, or what sysroot names; -EINVAL: that is no host. */
int rt_run_open_host(const char *sysroot, struct rt_kern **ret_kern,
		     struct rt_err *err);

/* --- list --------------------------------------------------------------------- */

#define RT_DEVICE_NAME_BYTES 80 /* "mlx5_0/1" */
#define RT_HOST_TEXT_BYTES   400

/* What text says of a port, table by table; JSON has struct rt_device. */
struct rt_list_port {
	char device[RT_DEVICE_NAME_BYTES];
	const char *netdev, *link, *state;
	struct rt_opt_u64 speed_bps, mtu_bytes, roce_mtu_bytes, qps, connected;
};

struct rt_list_adapter {
	char device[RT_DEVICE_NAME_BYTES];
	char chip[80];
	const char *driver, *firmware;
};

struct rt_list_slot {
	char device[RT_DEVICE_NAME_BYTES];
	const char *pci;
	struct rt_opt_u64 numa;
	char pcie[64];
};

/* One thing said of one or of several devices, or knobs. */
struct rt_host_line {
	char subject[RT_HOST_TEXT_BYTES];
	char text[RT_HOST_TEXT_BYTES];
	size_t subjects;
};

/* Groups of knobs on devices that are alike in this. */
struct rt_list_access {
	char devices[RT_HOST_TEXT_BYTES];
	char both[RT_HOST_TEXT_BYTES];    /* "trust pfc (dcbnl), cc (debugfs)" */
	char read[RT_HOST_TEXT_BYTES];    /* only read */
	char neither[RT_HOST_TEXT_BYTES]; /* names of groups */
	size_t subjects;
};

/* Each has room for as many as there are devices. */
struct rt_list_view {
	struct rt_list_port *ports;
	struct rt_list_adapter *adapters;
	struct rt_list_slot *slots;
	struct rt_host_line *bonds, *addresses, *untuned;
	struct rt_host_line *elsewhere; /* one for each of the list's */
	struct rt_list_access *access;
	size_t count; /* ports and adapters */
	size_t slot_count, bond_count, address_count, untuned_count, access_count;
};

struct rt_host_list {
	char note[200];            /* why there is nothing to list; "": there is */
	struct rt_device *devices; /* owned */
	size_t count;
	struct rt_elsewhere *elsewhere; /* owned */
	size_t elsewhere_count;
	struct rt_list_view view; /* owned */
};

extern const struct rt_table rt_list_port_table, rt_list_adapter_table,
	rt_list_slot_table;

/* Kind list, a struct rt_host_list. */
int rt_run_list(const char *sysroot, struct rt_outcome *ret_outcome,
		struct rt_err *err);

extern const struct rt_table rt_host_list_table;

/* --- show --------------------------------------------------------------------- */

/* A row of text: a long value goes on in rows without a name. */
struct rt_shown_row {
	const char *name, *write, *vendor, *interface;
	char value[48], raw[24];
};

/* One group of knobs. */
struct rt_shown_section {
	const char *name, *help;
	const char *interface; /* of all its rows; NULL: they have their own */
	struct rt_shown_row *rows;
	size_t row_count;
	/* Names, and why.  lacking: what the driver has not, for those who ask. */
	struct rt_host_line *unknown, *remarks, *lacking;
	size_t unknown_count, remark_count, lacking_count;
};

/* A counter that is not 0, or is of the port. */
struct rt_shown_counter {
	const char *name, *source;
	char prio[4]; /* "": of the port */
	char value[RT_UNIT_TEXT_BYTES];
	char vendor[96];
};

struct rt_shown_counters {
	struct rt_shown_counter *rows;
	size_t row_count;
	uint64_t zeros;              /* of priorities, which have no row */
	char unknown[1200];          /* names */
	struct rt_host_line *failed; /* sources, and why */
	size_t failed_count;
};

/* What text shows of a port; the outcome's object begins with it. */
struct rt_shown {
	char title[RT_HOST_TEXT_BYTES], facts[RT_HOST_TEXT_BYTES];
	char untunable[RT_HOST_TEXT_BYTES];
	struct rt_shown_section *sections; /* none where nothing can be read */
	size_t section_count;
	char peer[RT_HOST_TEXT_BYTES]; /* what its DCBX peer says; "": not told */
	struct rt_host_line *others;   /* what other ports of its bond have */
	size_t other_count;
	struct rt_shown_counters counters; /* when asked for all */
	char *profile;                     /* YAML: what the port has, as a profile */
};

extern const struct rt_table rt_shown_row_table, rt_shown_counter_table;

/*
 * Kind show, which begins with struct rt_shown: all knobs of the port that device
 * names (RDMA device, netdev, PCI address); all: its counters, and text has details.  -ENODEV:
 * there is none; -EINVAL: which of its ports is not said.
 */
int rt_run_show(const char *sysroot, const char *device, bool all,
		struct rt_outcome *ret_outcome, struct rt_err *err);

extern const struct rt_table rt_show_table;

/* --- snapshot ----------------------------------------------------------------- */

struct rt_snapshot {
	const char *file; /* the caller's */
	uint64_t devices, files,
		bytes; /* ports that were read; what is in the bundle */
};

/*
 * Kind snapshot, a struct rt_snapshot: all that list and show ask of a host, of the
 * port that device names or of all ports (NULL), as a bundle.  The file is replaced
 * when all is written, and left as it was otherwise.
 */
int rt_run_snapshot(const char *sysroot, const char *device, const char *file,
		    struct rt_outcome *ret_outcome, struct rt_err *err);

extern const struct rt_table rt_snapshot_table;

/* --- diff --------------------------------------------------------------------- */

enum rt_match_by {
	RT_MATCH_AUTO, /* by name where most hosts have the same names, else place */
	RT_MATCH_NAME,
	RT_MATCH_PLACE, /* the first, second, ... of a host by PCI address: its rails */
};
extern const struct rt_name rt_match_by_names[];

/* A value that is not the majority's, and who has it. */
struct rt_odd_value {
	const char *value;
	uint64_t host_count;
	char hosts[RT_HOST_TEXT_BYTES]; /* for text: "h7, h12, ..." */
	size_t first;                   /* of the difference's odd hosts */
};

struct rt_odd_host {
	const char *host, *value;
};

/* One knob, or fact, that is not the same on all hosts. */
struct rt_host_difference {
	const char *device, *knob;
	const char *majority; /* NULL: no value is the most frequent one */
	uint64_t majority_hosts, hosts;
	struct rt_odd_host *odd; /* owned, by value */
	size_t odd_count;
	struct rt_odd_value *values; /* owned */
	size_t value_count;
};

/* A host that could not be read; the others were compared. */
struct rt_unread_host {
	char *file, *why; /* owned */
};

struct rt_host_diff {
	uint64_t hosts, devices; /* devices: that are matched with each other */
	unsigned matched_by;     /* enum rt_match_by, never AUTO */
	struct rt_host_difference *differences; /* owned */
	size_t difference_count, capacity;
	struct rt_unread_host *unread; /* owned */
	size_t unread_count, unread_capacity;
	struct rt_fleet *fleet; /* owned: the texts */
};

/*
 * Kind host_diff, a struct rt_host_diff: bundles, folders that are hosts, or folders
 * of either.  -EINVAL: fewer than two hosts could be read.
 */
int rt_run_host_diff(const char *const *names, size_t count, enum rt_match_by by,
		     struct rt_outcome *ret_outcome, struct rt_err *err);

extern const struct rt_table rt_host_diff_table;

#endif
