/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * access_late.c - files whose driver sends what was written later (hns_roce).
 *
 * A file `lifespan` beside them says how many milliseconds.  openEuler's driver
 * (hns_roce_sysfs.c scc_attr_store, scc_attr_show) sends nothing at all when it was
 * asked for a value less than that before, and until then answers with what was
 * written: to be sent, and to be read back from the NIC, both have to be waited for.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "host/access_file.h"
#include "rocetune/err.h"

/* Longer than this nobody is kept waiting, twice a knob. */
#define LIFESPAN_MOST_MS 1000u
/* The driver's work is queued for the moment, and done a little later. */
#define LATENESS_MS      20u

/* Reading is as of any file. */
static void read_late(const struct rt_host_port *port, const struct rt_driver_row *row,
		      struct rt_qos *qos)
{
	rt_access_sysfs.read(port, row, qos);
}

/* -ERANGE: longer than is waited for. */
static int lifespan_of(const struct rt_host_port *port, const char *path,
		       uint64_t *ret_ms, struct rt_err *err)
{
	const char *slash = strrchr(path, '/');
	char beside[RT_ROW_PATH_BYTES], line[RT_FILE_LINE_BYTES];
	uint64_t ms;
	int r;

	if (snprintf(beside, sizeof(beside), "%.*s/lifespan", (int)(slash - path),
		     path) >= (int)sizeof(beside))
		return rt_err_sys(err, -ENAMETOOLONG, "%s", path);
	r = rt_file_line(port, beside, line);
	if (r == 0 && rt_file_number(line, &ms) < 0)
		r = -EPROTO;
	if (r < 0)
		return rt_err_sys(err, r,
				  "%s: cannot tell when the driver would send %s",
				  beside, slash + 1);
	if (ms > LIFESPAN_MOST_MS)
		return rt_err_set(err, -ERANGE,
				  "%s is %" PRIu64 " ms: %s would be sent too late to "
				  "be read back; set it to %u or less first",
				  beside, ms, slash + 1, LIFESPAN_MOST_MS);
	*ret_ms = ms;
	return 0;
}

static void wait_ms(uint64_t ms)
{
	struct timespec left = { .tv_sec = (time_t)(ms / 1000),
				 .tv_nsec = (long)(ms % 1000) * 1000000 };

	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR)
		;
}

static int write_late(const struct rt_host_port *port, const struct rt_plan *plan,
		      const struct rt_step *step, struct rt_err *err)
{
	const struct rt_change *change = plan->changes + step->first;
	char path[RT_ROW_PATH_BYTES];
	uint64_t raw, ms = 0;
	int r = rt_row_path(port, change->row->path, path);

	if (r < 0)
		return rt_err_sys(err, r, "%s", change->row->path);
	r = rt_change_raw(plan, change, 0, &raw, err);
	if (r == 0)
		r = lifespan_of(port, path, &ms, err);
	if (r < 0)
		return r;
	wait_ms(ms + LATENESS_MS);
	r = rt_file_write_number(port, change->row, path, raw, err);
	if (r == 0)
		wait_ms(ms + LATENESS_MS);
	return r;
}

#define LATE(interface_)                                                         \
	{                                                                        \
		.name = (interface_), .interface = (interface_), .by_row = true, \
		.read = read_late, .write = write_late                           \
	}

const struct rt_access rt_access_late_sysfs = LATE("sysfs");
const struct rt_access rt_access_late_debugfs = LATE("debugfs");
