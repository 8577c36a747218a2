/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * deadly_host.h - kern's host in memory as the way of run/apply to a host, with deaths:
 * the process that writes, its supervisor, or both are killed at the n-th write.
 */
#ifndef RT_TESTS_DEADLY_HOST_H
#define RT_TESTS_DEADLY_HOST_H

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host/driver.h"
#include "kern/kern_fake.h"
#include "rocetune/err.h"
#include "run/apply.h"

enum death {
	DEATH_NONE,
	DEATH_WRITER_BEFORE,
	DEATH_WRITER_AFTER,
	DEATH_BOTH_BEFORE,
	DEATH_BOTH_AFTER,
	DEATH_SUPERVISOR_BEFORE,
	DEATH_SUPERVISOR_AFTER,
	DEATH_COUNT,
};

/* In memory that all processes share. */
struct deaths {
	struct rt_fake *fake;
	const struct rt_kern_ops *ops; /* the fake's own */
	pid_t writer, supervisor;
	unsigned writes, at;
	enum death death;
	void (*after_write)(void); /* NULL: nothing more happens */
};

/* Operations have no context but the fake, and a test has one at a time. */
static struct deaths *deaths;

static inline void die(bool after)
{
	const enum death death = deaths->death;
	const bool is_after = death == DEATH_WRITER_AFTER ||
			      death == DEATH_BOTH_AFTER ||
			      death == DEATH_SUPERVISOR_AFTER;

	if (deaths->writes != deaths->at || death == DEATH_NONE || after != is_after)
		return;
	if (death >= DEATH_BOTH_BEFORE && deaths->supervisor > 0)
		kill(deaths->supervisor, SIGKILL);
	if (death < DEATH_SUPERVISOR_BEFORE)
		kill(deaths->writer, SIGKILL);
}

#define DEADLY(call)                           \
	({                                     \
		int rt_dies_;                  \
		deaths->writes++;              \
		die(false);                    \
		rt_dies_ = deaths->ops->call;  \
		die(true);                     \
		if (deaths->after_write)       \
			deaths->after_write(); \
		rt_dies_;                      \
	})

static inline int dying_file_write(struct rt_kern *kern, const char *path,
				   const char *text, struct rt_err *err)
{
	return DEADLY(file_write(kern, path, text, err));
}

static inline int dying_folder_make(struct rt_kern *kern, const char *path,
				    struct rt_err *err)
{
	return DEADLY(folder_make(kern, path, err));
}

static inline int dying_folder_remove(struct rt_kern *kern, const char *path,
				      struct rt_err *err)
{
	return DEADLY(folder_remove(kern, path, err));
}

static inline int dying_dcb_set(struct rt_kern *kern, const char *netdev,
				const struct rt_dcb_set *set, struct rt_err *err)
{
	return DEADLY(dcb_set(kern, netdev, set, err));
}

static inline int dying_app_add(struct rt_kern *kern, const char *netdev,
				const struct rt_dcb_app *app, struct rt_err *err)
{
	return DEADLY(dcb_app_add(kern, netdev, app, err));
}

static inline int dying_app_delete(struct rt_kern *kern, const char *netdev,
				   const struct rt_dcb_app *app, struct rt_err *err)
{
	return DEADLY(dcb_app_delete(kern, netdev, app, err));
}

static inline int dying_dcbx_set(struct rt_kern *kern, const char *netdev, uint8_t mode,
				 struct rt_err *err)
{
	return DEADLY(dcbx_set(kern, netdev, mode, err));
}

static inline int dying_pause_set(struct rt_kern *kern, const char *netdev,
				  const struct rt_link_pause *pause, struct rt_err *err)
{
	return DEADLY(pause_set(kern, netdev, pause, err));
}

static inline int dying_storm_set(struct rt_kern *kern, const char *netdev, uint16_t ms,
				  struct rt_err *err)
{
	return DEADLY(storm_set(kern, netdev, ms, err));
}

static inline int dying_flag_set(struct rt_kern *kern, const char *netdev,
				 const char *flag, bool on, struct rt_err *err)
{
	return DEADLY(priv_flag_set(kern, netdev, flag, on, err));
}

/* The host outlives each of its users. */
static inline void stay_open(struct rt_kern *kern)
{
	(void)kern;
}

/* The supervisor has a way of its own, and is known by that. */
static inline int open_fake(void *context, struct rt_kern **ret_kern,
			    struct rt_err *err)
{
	struct deaths *of = context;

	(void)err;
	if (getpid() != of->writer)
		of->supervisor = getpid();
	*ret_kern = &of->fake->kern;
	return 0;
}

static inline void fake_host_new(struct rt_apply_host *ret_host)
{
	static struct rt_kern_ops ops;

	deaths = mmap(NULL, sizeof(*deaths), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(deaths, MAP_FAILED);
	assert_int_equal(rt_fake_new(&deaths->fake, NULL), 0);
	deaths->ops = deaths->fake->kern.ops;
	deaths->writer = getpid();
	ops = *deaths->ops;
	ops.file_write = dying_file_write;
	ops.folder_make = dying_folder_make;
	ops.folder_remove = dying_folder_remove;
	ops.dcb_set = dying_dcb_set;
	ops.dcb_app_add = dying_app_add;
	ops.dcb_app_delete = dying_app_delete;
	ops.dcbx_set = dying_dcbx_set;
	ops.pause_set = dying_pause_set;
	ops.storm_set = dying_storm_set;
	ops.priv_flag_set = dying_flag_set;
	ops.close = stay_open;
	deaths->fake->kern.ops = &ops;
	assert_non_null(rt_fake_add_file(deaths->fake,
					 "/proc/sys/kernel/random/boot_id",
					 RT_FAKE_TEXT, "boot-1\n"));
	*ret_host = (struct rt_apply_host){ .kern_open = open_fake,
					    .context = deaths,
					    .settle_ms = 50,
					    .well_ms = 2,
					    .look_ms = 1 };
}

static inline void fake_host_free(void)
{
	deaths->fake->kern.ops = deaths->ops;
	rt_kern_close(&deaths->fake->kern);
	munmap(deaths, sizeof(*deaths));
	deaths = NULL;
}

/* What the first port's driver tells of it. */
static inline void fake_host_read(struct rt_qos *ret_qos)
{
	struct rt_devices devices = { 0 };
	struct rt_host_port port = { .kern = &deaths->fake->kern };
	struct rt_err err = { 0 };

	if (rt_devices_read(port.kern, 0, &devices, &err) < 0)
		fail_msg("%s", err.msg);
	assert_true(devices.count > 0);
	port.device = &devices.items[0];
	port.driver = port.device->driver;
	if (rt_host_read(&port, ret_qos, &err) < 0)
		fail_msg("%s", err.msg);
	rt_devices_free(&devices);
}

/* The first knob that differs, of those that somebody sets; NULL: none. */
static inline const char *first_difference(const struct rt_qos *a,
					   const struct rt_qos *b)
{
	for (unsigned id = 0; id < RT_KNOB_COUNT; id++)
		if (!(rt_knobs[id].flags & (RT_KNOB_FACT | RT_KNOB_INFERRED)) &&
		    (rt_knob_differs(&rt_knobs[id], &a->knobs[id], &b->knobs[id]) ||
		     rt_knob_differs(&rt_knobs[id], &b->knobs[id], &a->knobs[id])))
			return rt_knobs[id].name;
	for (size_t i = 0; i < a->raw_count; i++)
		if (a->raw[i].known != b->raw[i].known ||
		    (a->raw[i].known && a->raw[i].number != b->raw[i].number))
			return a->raw[i].name;
	return NULL;
}

#endif
