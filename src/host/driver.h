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
	RT_ROW_UNSURE = 4,    /* vendors' texts contradict: shown raw, never set */
	RT_ROW_WRITE_HEX = 8, /* "26" would be taken as 0x26 */
};

struct rt_access;
struct rt_host_port;
struct rt_step;

struct rt_driver_row {
	enum rt_knob_id knob; /* ignored when raw */
	const char *raw;      /* a knob without neutral twin: its name; else NULL */
	const struct rt_access *access;
	/* Of files: "{net}" netdev, "{ib}" RDMA device, "{port}", "{pci}" stand in. */
	const char *path;
	const char *vendor; /* the vendor's name for it; NULL: the path's last part */
	/* neutral = raw * scale / divisor; scale 0: one to one; or the functions. */
	uint64_t scale, divisor;
	int (*to_neutral)(uint64_t raw, uint64_t *ret_number);
	int (*to_raw)(uint64_t number, uint64_t *ret_raw);
	uint64_t min, max; /* of raw; max 0: the device decides */
	enum rt_impact impact;
	enum rt_scope scope;
	unsigned flags;
	/* The same by hand, with the path's words and {value}: "mlnx_qos -i {net} ..." */
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
	/* Fill the value of row in qos; unknown and why when it cannot be read. */
	void (*read)(const struct rt_host_port *port, const struct rt_driver_row *row,
		     struct rt_qos *qos);
	/*
	 * Write the step's knobs as target has them (which knows every knob of the
	 * access); have is what is there.  May be several writes to the kernel.
	 */
	int (*write)(const struct rt_host_port *port, const struct rt_step *step,
		     const struct rt_qos *have, const struct rt_qos *target,
		     struct rt_err *err);
};

struct rt_plan;

struct rt_driver {
	const char *name;          /* as in profiles: "mlx5" */
	const char *const *kernel; /* names of kernel drivers, ends with NULL */
	const char *help;          /* one line */
	const char *cannot;        /* why nothing can be tuned; NULL: it can */
	const struct rt_driver_row *rows;
	size_t row_count;
	/* After all rows were read: what follows from them, remarks.  May be NULL. */
	void (*infer)(const struct rt_host_port *port, struct rt_qos *qos);
	/* Reasons not to write at all ("firmware owns DCB"), -EPERM...  May be NULL. */
	int (*may_write)(const struct rt_host_port *port, const struct rt_qos *have,
			 unsigned groups, struct rt_err *err);
	/* Adjust order, merge or split steps, add side effects.  May be NULL. */
	int (*arrange)(const struct rt_host_port *port, const struct rt_qos *have,
		       const struct rt_qos *target, struct rt_plan *plan,
		       struct rt_err *err);
};

/* All drivers, ends with NULL. */
extern const struct rt_driver *const rt_drivers[];

/* The row for a kernel driver's name ("mlx5_core"), or NULL. */
const struct rt_driver *rt_driver_find(const char *kernel_driver);

/*
 * Read all knobs of the port: the first row of each that can be read; unknown
 * ones say why.  Never writes (not even configfs folders).
 */
int rt_host_read(const struct rt_host_port *port, struct rt_qos *ret_qos,
		 struct rt_err *err);

#endif
