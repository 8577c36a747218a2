/* SPDX-License-Identifier: BSD-2-Clause */
/* persist_units.c - the units of systemd and the rule of udev. */
#include "run/persist_units.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "rocetune/err.h"
#include "run/program.h"

#define UNITS   "/etc/systemd/system"
#define RECOVER "rocetune-recover.service"

int rt_unit_program(const char *path, char *buf, size_t capacity, struct rt_err *err)
{
	size_t used = 0;

	if (capacity < 3 || strlen(path) > (capacity - 3) / 2)
		return rt_err_sys(err, -ENAMETOOLONG, "%s", path);
	buf[used++] = '"';
	for (const char *at = path; *at; at++) {
		if ((unsigned char)*at < ' ' || strchr("\"'\\\x7f", *at))
			return rt_err_set(err, -EINVAL,
					  "systemd starts no program whose path has "
					  "quotes, \\ or line ends in it: move %s",
					  path);
		if (*at == '%')
			buf[used++] = '%';
		buf[used++] = *at;
	}
	buf[used++] = '"';
	buf[used] = '\0';
	return 0;
}

/* --- units ---------------------------------------------------------------------------- */

static int write_apply(struct rt_persist_files *files, const char *program,
		       struct rt_err *err)
{
	char text[4096];

	snprintf(text, sizeof(text),
		 RT_PERSIST_MARK
		 "[Unit]\n"
		 "Description=RoCE congestion control of %%I\n"
		 "ConditionPathExists=" RT_PERSIST_FOLDER "/%%i/persist.json\n"
		 /* A change that another boot left stands against it. */
		 "Wants=" RECOVER "\n"
		 "After=" RECOVER "\n"
		 "\n[Service]\n"
		 "Type=oneshot\n"
		 /* It waits for other NICs' units itself, and not for ever. */
		 "TimeoutStartSec=infinity\n"
		 "ExecStart=%s persist %%I --start\n",
		 program);
	return rt_persist_write(files, UNITS "/rocetune@.service", text, strlen(text),
				true, err);
}

/*
 * Before all ordinary services, the units of NICs among them (systemd.special(7),
 * basic.target), once a boot; behind sysinit.target, so that it keeps nothing from
 * mounting or from its shell.
 */
static int write_recover(struct rt_persist_files *files, const char *program,
			 struct rt_err *err)
{
	char text[4096];

	snprintf(text, sizeof(text),
		 RT_PERSIST_MARK "[Unit]\n"
				 "Description=Close changes of RoCE congestion "
				 "control that another boot left\n"
				 "DefaultDependencies=no\n"
				 "Requires=sysinit.target\n"
				 "After=sysinit.target\n"
				 "Before=basic.target shutdown.target\n"
				 "Conflicts=shutdown.target\n"
				 "\n[Service]\n"
				 "Type=oneshot\n"
				 "RemainAfterExit=yes\n"
				 "TimeoutStartSec=5min\n"
				 "ExecStart=%s recover\n"
				 "\n[Install]\n"
				 "WantedBy=basic.target\n",
		 program);
	return rt_persist_write(files, UNITS "/" RECOVER, text, strlen(text), true,
				err);
}

int rt_persist_units(struct rt_persist_files *files, struct rt_err *err)
{
	char self[1024], program[2 * sizeof(self) + 3];
	int r = rt_program_self(self, sizeof(self), err);

	if (r == 0)
		r = rt_unit_program(self, program, sizeof(program), err);
	if (r == 0)
		r = write_apply(files, program, err);
	if (r == 0)
		r = write_recover(files, program, err);
	return r < 0 ? r
		     : rt_persist_link(files, UNITS "/basic.target.wants/" RECOVER,
				       "../" RECOVER, err);
}

int rt_persist_units_remove(struct rt_persist_files *files, struct rt_err *err)
{
	static const struct {
		const char *path;
		bool marked;
	} units[] = {
		{ UNITS "/basic.target.wants/" RECOVER, false },
		{ UNITS "/" RECOVER, true },
		{ UNITS "/rocetune@.service", true },
		{ RT_PERSIST_FOLDER, false },
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < RT_ARRAY_SIZE(units); i++)
		r = rt_persist_remove(files, units[i].path, units[i].marked, err);
	/* Somebody keeps files of his own there. */
	return r == -ENOTEMPTY ? 0 : r;
}

/* --- the rule --------------------------------------------------------------------------- */

static void path_of_rule(const struct rt_persisted *persisted, char path[256])
{
	snprintf(path, 256, "/etc/udev/rules.d/90-rocetune-%s.rules",
		 persisted->instance);
}

/* The NIC's RDMA device appears last of all that apply needs (systemd.device(5)). */
int rt_persist_rule(struct rt_persist_files *files, const char *device,
		    const struct rt_persisted *persisted, struct rt_err *err)
{
	char text[1024], path[256];

	path_of_rule(persisted, path);
	/* A port is no device of udev: its RDMA device is. */
	snprintf(text, sizeof(text),
		 RT_PERSIST_MARK
		 "ACTION==\"add\", SUBSYSTEM==\"infiniband\", %s==\"%.*s\", "
		 "TAG+=\"systemd\", ENV{SYSTEMD_WANTS}+=\"%s\"\n",
		 strchr(device, ':') ? "KERNELS" : "KERNEL", (int)strcspn(device, "/"),
		 device, persisted->unit);
	return rt_persist_write(files, path, text, strlen(text), true, err);
}

int rt_persist_rule_remove(struct rt_persist_files *files,
			   const struct rt_persisted *persisted, struct rt_err *err)
{
	char path[256];

	path_of_rule(persisted, path);
	return rt_persist_remove(files, path, true, err);
}
