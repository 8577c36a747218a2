/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * driver.h - what each NIC driver lets us read and write, one row a knob.
 *
 * A driver is a table in a file of its own under host/drivers; adding a NIC is
 * adding a file.  A row maps a neutral knob (or a vendor's own) to an access (the
 * way to the kernel), the vendor's name and place, the conversion, how sure it
 * is, and what a write does to the port.  Rows of one knob stand in order of
 * preference: the first that can be read here is the one that is used.
 */
#ifndef RT_HOST_DRIVER_H
#define RT_HOST_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/counters.h"
#include "host/device.h"
#include "kern/kern.h"
#include "model/qos.h"

/* What a write does to traffic on the port; worse is greater. */
enum rt_impact {
	RT_IMPACT_LIVE,     /* nothing is lost */
	RT_IMPACT_BLIP,     /* queues are rebuilt: packets may be lost */
	RT_IMPACT_FLAP,     /* the link goes down and comes back */
	RT_IMPACT_RELOAD,   /* the driver must be loaded anew */
	RT_IMPACT_FW_RESET, /* the NIC's firmware must be reset */
};
extern const struct rt_name rt_impact_names[];

/* How far a write reaches. */
enum rt_scope {
	RT_SCOPE_PORT,
	RT_SCOPE_DEVICE, /* all ports of the NIC */
	RT_SCOPE_HOST,
};
extern const struct rt_name rt_scope_names[];

enum rt_row_flags {
	RT_ROW_READ_ONLY = 1,
	RT_ROW_ONE_WAY = 2,   /* what was before cannot be had again: --one-way */
	RT_ROW_UNSURE = 4,    /* vendors' texts contradict: set by its raw name only */
	RT_ROW_WRITE_HEX = 8, /* "26" would be taken as 0x26 */
	/* APP entries: a second one of a DSCP is added, so the first is deleted. */
	RT_ROW_DELETE_FIRST = 16,
	RT_ROW_ZERO_OFF = 32, /* 0 switches it off, below min though it is */
};

struct rt_access;
struct rt_host_port;
struct rt_plan;
struct rt_step;

struct rt_driver_row {
	enum rt_knob_id knob; /* ignored when raw */
	const char *raw;      /* a knob without neutral twin: its name; else NULL */
	const struct rt_access *access;
	/* Of files: "{net}" netdev, "{ib}" RDMA device, "{port}", "{pci}" stand in. */
	const char *path;
	const char *vendor; /* the vendor's name for it; NULL: the path's last part */
	/* neutral = raw * scale; scale 0: one to one; or the functions. */
	uint64_t scale;
	int (*to_neutral)(uint64_t raw, uint64_t *ret_number); /* -EINVAL: none */
	int (*to_raw)(uint64_t number, uint64_t *ret_raw);     /* nearest */
	uint64_t min, max;           /* of raw; max 0: the device decides */
	const struct rt_name *words; /* of files with words; NULL: the knob's names */
	enum rt_impact impact;
	enum rt_scope scope;
	unsigned flags;
	/*
	 * The same by hand.  The path's words, and of the new value: {value} (the
	 * vendor's number or word), {raw} (its number), {onoff}, {pairs} ("26:3 48:6",
	 * what changes), {bits} ("0,0,0,1,...") and {list} ("0,20016,..."): "mlnx_qos
	 * -i {net} --pfc {bits}".  NULL: echo into the path.
	 */
	const char *command;
	const char *source; /* public: kernel file, vendor document */
};

/* An open port: the device, its driver's rows as they work here. */
struct rt_host_port {
	struct rt_kern *kern;           /* borrowed */
	const struct rt_device *device; /* borrowed */
	const struct rt_driver *driver;
};

/*
 * A way to the kernel: one read fills, and one write carries, all knobs of the
 * rows that share it (an IEEE_SET of ETS has three knobs; a file has one).
 */
struct rt_access {
	const char *name;      /* "dcbnl PFC" */
	const char *interface; /* "dcbnl": for show */
	bool by_row;           /* each row is a write of its own (files) */
	/*
	 * Fill the value of row in qos; unknown and why when it cannot be read.  The
	 * value's interface is set when the way is there, and NULL when it is not:
	 * what is there may be written although it is not known.
	 */
	void (*read)(const struct rt_host_port *port, const struct rt_driver_row *row,
		     struct rt_qos *qos);
	/*
	 * Write the step's changes as the plan's target has them.  May be several
	 * writes to the kernel; stops at the first that fails.
	 */
	int (*write)(const struct rt_host_port *port, const struct rt_plan *plan,
		     const struct rt_step *step, struct rt_err *err);
};

/* Why a driver has no knob of a group; a table ends with a NULL why. */
struct rt_group_why {
	enum rt_knob_group group;
	const char *why;
};

/* What the NIC can do less than its interface says; 0: no such bound. */
struct rt_driver_limits {
	unsigned lossless; /* priorities at once */
	unsigned classes;  /* traffic classes */
	bool pause_or_pfc; /* 802.3x pause and PFC exclude each other */
	const char *source;
};

struct rt_driver {
	const char *name;          /* as in profiles: "mlx5" */
	const char *const *kernel; /* names of kernel drivers, ends with NULL */
	const char *help;          /* one line */
	const char *cannot;        /* why nothing can be tuned; NULL: it can */
	const struct rt_driver_row *rows;
	size_t row_count;
	const struct rt_group_why *lacks; /* ends with a NULL why; may be NULL */
	struct rt_driver_limits limits;
	struct rt_counter_rows
		counters; /* rows of one counter: in order of preference */
	/*
	 * What follows from the knobs that were read, and remarks on them.  Pure, and
	 * asked again of a plan's target; leaves alone what a row has given.  May be
	 * NULL.
	 */
	void (*infer)(struct rt_qos *qos);
	/*
	 * What the NIC does by itself on the way from have to target: target gets it,
	 * so that it is shown, remembered, and undone.  May be NULL.
	 */
	void (*follow)(const struct rt_qos *have, struct rt_qos *target);
	/*
	 * Knobs (bits 1 << id) that the NIC resets on that way: they are written
	 * whole, whether they change or not.  May be NULL.
	 */
	uint64_t (*rewrites)(const struct rt_qos *have, const struct rt_qos *target);
	/*
	 * After the steps are ordered: side effects, one-way changes.  -EPERM: it would
	 * not be taken (firmware owns DCB).  May be NULL.
	 */
	int (*arrange)(const struct rt_host_port *port, struct rt_plan *plan,
		       struct rt_err *err);
};

/* All drivers, ends with NULL. */
extern const struct rt_driver *const rt_drivers[];

/* The row for a kernel driver's name ("mlx5_core"), or NULL. */
const struct rt_driver *rt_driver_find(const char *kernel_driver);

/*
 * want as this driver can have it: raw knobs that have a neutral twin become that
 * knob, numbers become the nearest ones that the NIC can hold.  What check compares
 * with and what plans aim at.  -ERANGE: outside of what the NIC takes, or further
 * than 5 % from what it can hold.  -EINVAL: a raw knob contradicts its twin.
 */
int rt_driver_resolve(const struct rt_driver *driver, const struct rt_qos *want,
		      struct rt_qos *ret_want, struct rt_err *err);

/*
 * Read all knobs of the port: the first row of each that can be read; unknown
 * ones say why.  Never writes (not even configfs folders).
 */
int rt_host_read(const struct rt_host_port *port, struct rt_qos *ret_qos,
		 struct rt_err *err);

/* One of them, by its own rows alone; unknown where the driver has none.  -ENOMEM. */
int rt_host_read_knob(const struct rt_host_port *port, enum rt_knob_id id,
		      struct rt_knob_value *ret_value);

/* Folders of configfs that were made to look at what is in them. */
struct rt_made {
	char folders[4][192];
	size_t count;
};

/*
 * Make those without which knobs of these groups (bits, 0: all) that want sets cannot
 * be read; true: some were, and
 * it is to be read again.  They hold no reference on the device, and change nothing
 * on the wire.  One that cannot be made leaves its knobs unknown.
 */
bool rt_host_make_folders(const struct rt_host_port *port, const struct rt_qos *have,
			  const struct rt_qos *want, unsigned groups,
			  struct rt_made *made);

/* When nothing was written after all; what they showed stays as it is. */
void rt_host_remove_folders(const struct rt_host_port *port, struct rt_made *made);

#endif
