/* SPDX-License-Identifier: BSD-2-Clause */
/* persist_units.h - what systemd and udev are given, so that a profile lasts. */
#ifndef RT_RUN_PERSIST_UNITS_H
#define RT_RUN_PERSIST_UNITS_H

#include <stddef.h>

#include "run/persist.h"
#include "run/persist_files.h"

#define RT_PERSIST_FOLDER "/etc/rocetune"

/*
 * A program's path as systemd wants it after ExecStart= (systemd.service(5), "Command
 * lines"; systemd.unit(5), "Specifiers"): in quotes, '%' doubled.
 * -EINVAL: it refuses such a program, however it is written.  -ENAMETOOLONG.
 */
int rt_unit_program(const char *path, char *buf, size_t capacity, struct rt_err *err);

/* The two units, and what starts one of them.  Errors as rt_persist_write(). */
int rt_persist_units(struct rt_persist_files *files, struct rt_err *err);
int rt_persist_units_remove(struct rt_persist_files *files, struct rt_err *err);

/* The rule that wants persisted->unit when device appears. */
int rt_persist_rule(struct rt_persist_files *files, const char *device,
		    const struct rt_persisted *persisted, struct rt_err *err);
int rt_persist_rule_remove(struct rt_persist_files *files,
			   const struct rt_persisted *persisted, struct rt_err *err);

#endif
