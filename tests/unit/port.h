/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * port.h - a port of a driver that only tests have, whose state outlives the process
 * that writes it, and whose n-th write goes wrong when told to.
 *
 * Its quirk: a write of the DSCP map resets the shares of ETS, as ice does.
 */
#ifndef RT_TESTS_PORT_H
#define RT_TESTS_PORT_H

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/own.h"
#include "host/access.h"
#include "host/driver.h"
#include "host/plan.h"
#include "host/plan_parts.h"
#include "rocetune/err.h"

enum port_fault {
	PORT_FAULT_NONE,
	PORT_FAULT_FAIL,   /* -EIO, nothing happens */
	PORT_FAULT_KEEP,   /* 0, and another value stands there */
	PORT_FAULT_IGNORE, /* 0, and nothing happens */
	PORT_FAULT_KILL_WRITER_BEFORE,
	PORT_FAULT_KILL_WRITER_AFTER,
	PORT_FAULT_KILL_BOTH_BEFORE,
	PORT_FAULT_KILL_BOTH_AFTER,
	PORT_FAULT_KILL_SUPERVISOR_BEFORE,
	PORT_FAULT_KILL_SUPERVISOR_AFTER,
	PORT_FAULT_STOP_SUPERVISOR, /* SIGSTOP */
	PORT_FAULT_TERM,            /* SIGTERM to the writer */
	PORT_FAULT_KEEP_AND_KILL_WRITER,
	PORT_FAULT_COUNT,
};

/* In memory that all processes share. */
struct port_state {
	uint64_t trust, pfc, storm, raw;
	uint64_t tsa[8], bw[8];
	uint8_t dscp[64];
	char boot_id[40];
	unsigned writes;      /* attempts */
	unsigned fault_at[2]; /* writes, from 1; 0: none */
	enum port_fault fault[2];
	bool sly;          /* a write of the PFC mask resets the trust, untold */
	unsigned stubborn; /* so often setting the storm's timeout fails */
	pid_t writer, supervisor;
	bool disk_full;
};

struct port {
	struct rt_kern kern; /* first */
	struct port_state *state;
	struct rt_device device;
	struct rt_host_port host;
};

static inline struct port_state *port_of(const struct rt_host_port *host)
{
	return ((struct port *)host->kern)->state;
}

/* --- writes ------------------------------------------------------------------------- */

/* What the n-th write does before it takes effect; true: it takes none. */
static inline bool port_fault_before(struct port_state *state, enum port_fault fault,
				     int *ret_result)
{
	*ret_result = 0;
	switch (fault) {
	case PORT_FAULT_FAIL: *ret_result = -EIO; return true;
	case PORT_FAULT_IGNORE: return true;
	case PORT_FAULT_KILL_WRITER_BEFORE: kill(state->writer, SIGKILL); break;
	case PORT_FAULT_KILL_BOTH_BEFORE:
		kill(state->supervisor, SIGKILL);
		kill(state->writer, SIGKILL);
		break;
	case PORT_FAULT_KILL_SUPERVISOR_BEFORE: kill(state->supervisor, SIGKILL); break;
	case PORT_FAULT_STOP_SUPERVISOR: kill(state->supervisor, SIGSTOP); break;
	case PORT_FAULT_TERM: kill(state->writer, SIGTERM); break;
	default: break;
	}
	return false;
}

static inline void port_fault_after(struct port_state *state, enum port_fault fault)
{
	switch (fault) {
	case PORT_FAULT_KEEP_AND_KILL_WRITER:
	case PORT_FAULT_KILL_WRITER_AFTER: kill(state->writer, SIGKILL); break;
	case PORT_FAULT_KILL_BOTH_AFTER:
		kill(state->supervisor, SIGKILL);
		kill(state->writer, SIGKILL);
		break;
	case PORT_FAULT_KILL_SUPERVISOR_AFTER: kill(state->supervisor, SIGKILL); break;
	default: break;
	}
}

static inline bool port_bends(enum port_fault fault)
{
	return fault == PORT_FAULT_KEEP || fault == PORT_FAULT_KEEP_AND_KILL_WRITER;
}

/* The fault of this write; it is counted. */
static inline enum port_fault port_fault_now(struct port_state *state)
{
	const unsigned n = ++state->writes;

	for (unsigned i = 0; i < RT_ARRAY_SIZE(state->fault); i++)
		if (n == state->fault_at[i])
			return state->fault[i];
	return PORT_FAULT_NONE;
}

static inline void port_read(const struct rt_host_port *host,
			     const struct rt_driver_row *row, struct rt_qos *qos)
{
	const struct port_state *state = port_of(host);
	struct rt_raw_value *raw = row->raw ? rt_row_raw(row, qos) : NULL;

	if (raw) {
		raw->interface = "test";
		raw->known = true;
		raw->number = state->raw;
		return;
	}
	qos->knobs[row->knob].interface = "test";
	qos->knobs[row->knob].vendor = rt_row_vendor(row);
	switch (row->knob) {
	case RT_KNOB_TRUST: rt_knob_set(qos, row->knob, 0, state->trust); break;
	case RT_KNOB_PFC_MASK: rt_knob_set(qos, row->knob, 0, state->pfc); break;
	case RT_KNOB_STORM_TIMEOUT: rt_knob_set(qos, row->knob, 0, state->storm); break;
	case RT_KNOB_DSCP_PRIO:
		for (unsigned i = 0; i < 64; i++)
			rt_knob_set(qos, row->knob, i, state->dscp[i]);
		break;
	default:
		for (unsigned i = 0; i < 8; i++)
			rt_knob_set(qos, row->knob, i,
				    row->knob == RT_KNOB_ETS_TSA ? state->tsa[i]
								 : state->bw[i]);
	}
}

static inline void port_store_ets(struct port_state *state, const struct rt_qos *target,
				  bool bend)
{
	for (unsigned i = 0; i < 8; i++) {
		state->tsa[i] = target->knobs[RT_KNOB_ETS_TSA].number[i];
		state->bw[i] = target->knobs[RT_KNOB_ETS_BW].number[i];
	}
	state->bw[3] += bend;
}

/* What one write carries; bend: another value is kept. */
static inline void port_store(struct port_state *state, const char *access,
			      const struct rt_qos *target, bool bend)
{
	if (strcmp(access, "trust") == 0)
		state->trust = target->knobs[RT_KNOB_TRUST].number[0] + 2 * bend;
	else if (strcmp(access, "pfc") == 0) {
		state->pfc = target->knobs[RT_KNOB_PFC_MASK].number[0] ^ 0x80u * bend;
		if (state->sly)
			state->trust = RT_TRUST_PCP;
	} else if (strcmp(access, "storm") == 0)
		state->storm = target->knobs[RT_KNOB_STORM_TIMEOUT].number[0] +
			       7 * bend;
	else if (strcmp(access, "raw") == 0)
		state->raw = rt_qos_raw(target, "timer_raw")->number + 5 * bend;
	else
		port_store_ets(state, target, bend);
}

static inline int port_write(const struct rt_host_port *host,
			     const struct rt_plan *plan, const struct rt_step *step,
			     struct rt_err *err)
{
	struct port_state *state = port_of(host);
	const enum port_fault fault = port_fault_now(state);
	int r;

	if (strcmp(step->access->name, "storm") == 0 && state->stubborn) {
		state->stubborn--;
		return rt_err_sys(err, -EIO, "%s", step->access->name);
	}
	if (port_fault_before(state, fault, &r))
		return r < 0 ? rt_err_sys(err, r, "%s", step->access->name) : 0;
	port_store(state, step->access->name, &plan->target, port_bends(fault));
	port_fault_after(state, fault);
	return 0;
}

static inline int port_write_entry(struct port_state *state, unsigned dscp,
				   uint8_t shall, struct rt_err *err)
{
	static const uint64_t reset[8] = { 100 };
	const enum port_fault fault = port_fault_now(state);
	int r;

	if (port_fault_before(state, fault, &r))
		return r < 0 ? rt_err_sys(err, r, "dscp %u", dscp) : 0;
	state->dscp[dscp] = port_bends(fault) ? 7 : shall;
	memcpy(state->bw, reset, sizeof(state->bw));
	port_fault_after(state, fault);
	return 0;
}

/* Entry by entry, as an APP table is written: it can stop anywhere. */
static inline int port_write_dscp(const struct rt_host_port *host,
				  const struct rt_plan *plan,
				  const struct rt_step *step, struct rt_err *err)
{
	const uint8_t *have = plan->have.knobs[RT_KNOB_DSCP_PRIO].small;
	const uint8_t *shall = plan->target.knobs[RT_KNOB_DSCP_PRIO].small;
	int r = 0;

	(void)step;
	for (unsigned i = 0; i < 64 && r == 0; i++)
		if (have[i] != shall[i])
			r = port_write_entry(port_of(host), i, shall[i], err);
	return r;
}

/* --- the driver ------------------------------------------------------------------------ */

#define PORT_ACCESS(name_, write_)                                          \
	static const struct rt_access port_##name_ = { .name = #name_,      \
						       .interface = "test", \
						       .read = port_read,   \
						       .write = write_ }
PORT_ACCESS(trust, port_write);
PORT_ACCESS(pfc, port_write);
PORT_ACCESS(storm, port_write);
PORT_ACCESS(raw, port_write);
PORT_ACCESS(dscp, port_write_dscp);
PORT_ACCESS(ets, port_write);

static const struct rt_driver_row port_rows[] = {
	{ .knob = RT_KNOB_TRUST,
	  .access = &port_trust,
	  .command = "set trust {value}" },
	{ .knob = RT_KNOB_DSCP_PRIO,
	  .vendor = "dscp",
	  .access = &port_dscp,
	  .command = "set dscp" },
	{ .knob = RT_KNOB_ETS_TSA,
	  .vendor = "tsa",
	  .access = &port_ets,
	  .command = "set tsa" },
	{ .knob = RT_KNOB_ETS_BW,
	  .vendor = "bw",
	  .access = &port_ets,
	  .command = "set bw" },
	{ .knob = RT_KNOB_STORM_TIMEOUT,
	  .access = &port_storm,
	  .command = "set storm" },
	{ .raw = "timer_raw",
	  .vendor = "timer",
	  .access = &port_raw,
	  .command = "set timer" },
	{ .knob = RT_KNOB_PFC_MASK,
	  .vendor = "pfc",
	  .access = &port_pfc,
	  .impact = RT_IMPACT_FLAP,
	  .command = "set pfc" },
};

static inline bool port_maps(const struct rt_qos *have, const struct rt_qos *target)
{
	return rt_knob_differs(&rt_knobs[RT_KNOB_DSCP_PRIO],
			       &have->knobs[RT_KNOB_DSCP_PRIO],
			       &target->knobs[RT_KNOB_DSCP_PRIO]) != 0;
}

/* A write of the map disturbs the shares, which are written again after it. */
static inline uint64_t port_rewrites(const struct rt_qos *have,
				     const struct rt_qos *target)
{
	return port_maps(have, target) ? 1ull << RT_KNOB_ETS_BW : 0;
}

static inline int port_arrange(const struct rt_host_port *host, struct rt_plan *plan,
			       struct rt_err *err)
{
	const struct rt_knob_value first = { .known = 0xff, .number = { 100 } };

	(void)host;
	(void)err;
	for (size_t i = 0; i < plan->step_count; i++)
		if (plan->steps[i].access == &port_dscp)
			rt_step_between(&plan->steps[i], RT_KNOB_ETS_BW, &first);
	return 0;
}

static const char *const port_kernel[] = { "port_core", NULL };

static const struct rt_driver port_driver = {
	.name = "port",
	.kernel = port_kernel,
	.help = "of the tests",
	.rows = port_rows,
	.row_count = RT_ARRAY_SIZE(port_rows),
	.rewrites = port_rewrites,
	.arrange = port_arrange,
};

/* --- the way to it ---------------------------------------------------------------------- */

static inline int port_file_read(struct rt_kern *kern, const char *path, char *buf,
				 size_t capacity, size_t *ret_bytes, struct rt_err *err)
{
	const struct port *port = (const struct port *)kern;

	if (strcmp(path, "/proc/sys/kernel/random/boot_id") != 0)
		return rt_err_sys(err, -ENOENT, "%s", path);
	*ret_bytes = (size_t)snprintf(buf, capacity, "%s\n", port->state->boot_id);
	return 0;
}

static inline void port_close(struct rt_kern *kern)
{
	(void)kern;
}

static const struct rt_kern_ops port_ops = {
	.name = "port",
	.writable = true,
	.file_read = port_file_read,
	.close = port_close,
};

static inline void port_open(struct port *port)
{
	struct port_state *state = mmap(NULL, sizeof(*state), PROT_READ | PROT_WRITE,
					MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	memset(port, 0, sizeof(*port));
	snprintf(state->boot_id, sizeof(state->boot_id), "boot-1");
	state->trust = RT_TRUST_PCP;
	state->storm = 8;
	state->raw = 100;
	state->bw[0] = 60;
	state->bw[1] = 40;
	for (unsigned i = 0; i < 8; i++)
		state->tsa[i] = RT_TSA_ETS;
	port->kern.ops = &port_ops;
	port->state = state;
	snprintf(port->device.ibdev, sizeof(port->device.ibdev), "port_0");
	snprintf(port->device.netdev, sizeof(port->device.netdev), "eth7");
	snprintf(port->device.pci, sizeof(port->device.pci), "0000:3b:00.0");
	port->device.port = 1;
	port->device.mac[5] = 7;
	port->device.driver = &port_driver;
	port->host = (struct rt_host_port){ .kern = &port->kern,
					    .device = &port->device,
					    .driver = &port_driver };
}

static inline void port_free(struct port *port)
{
	munmap(port->state, sizeof(*port->state));
}

/* What a profile may want of it: every knob changes, in eight writes and more. */
static inline void port_want(struct rt_qos *want)
{
	memset(want, 0, sizeof(*want));
	rt_knob_set(want, RT_KNOB_TRUST, 0, RT_TRUST_DSCP);
	rt_knob_set(want, RT_KNOB_PFC_MASK, 0, 0x08);
	rt_knob_set(want, RT_KNOB_STORM_TIMEOUT, 0, 100);
	rt_knob_set(want, RT_KNOB_DSCP_PRIO, 26, 3);
	rt_knob_set(want, RT_KNOB_DSCP_PRIO, 27, 3);
	rt_knob_set(want, RT_KNOB_DSCP_PRIO, 48, 6);
	for (unsigned i = 0; i < 8; i++)
		rt_knob_set(want, RT_KNOB_ETS_BW, i, i == 0 ? 10 : i == 3 ? 90 : 0);
	want->raw[want->raw_count++] = (struct rt_raw_value){ .name = "timer_raw",
							      .known = true,
							      .number = 300 };
}

#endif
