/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * persist.h - having a profile applied whenever its NIC appears: after a boot, and
 * after its driver was loaded anew, when a NIC knows nothing any more.
 *
 *   /etc/rocetune/INSTANCE/       persist.json: what is applied, and how
 *   /etc/rocetune/INSTANCE/files/ the profile with all it extends
 *   /etc/udev/rules.d/            a rule that wants the unit when the NIC appears;
 *                                 it starts nothing itself (RUN would block udev)
 *   /etc/systemd/system/          rocetune@.service, which applies it;
 *                                 rocetune-recover.service, for what died half way
 *
 * INSTANCE is the PCI address, with the port where it has several, or the RDMA device
 * where there is none, with systemd's escapes.  Nothing is printed.
 */
#ifndef RT_RUN_PERSIST_H
#define RT_RUN_PERSIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rocetune/field.h"
#include "run/apply.h"

struct rt_outcome;

struct rt_persist_wish {
	const char *root;    /* before /etc; NULL: this host's, and it is told of it */
	const char *device;  /* a PCI address need not be there (yet) */
	const char *profile; /* NULL with remove */
	const char *allow_missing, *only; /* as written, for apply; or NULL */
	bool one_way, remove;
};

struct rt_persisted_file {
	char path[512];
	const char *done; /* "written", "as before", "removed", "left" */
};

#define RT_PERSIST_NAME_BYTES 128

struct rt_persisted {
	char instance[RT_PERSIST_NAME_BYTES], unit[192];
	struct rt_persisted_file *files; /* owned */
	size_t count, capacity;
	char note[RT_ERR_MSG_BYTES]; /* what the host was not told; "" */
};
extern const struct rt_table rt_persisted_table;

/*
 * Kind persist.  -EEXIST: a file of that name is not ours.  -ENOENT with remove: it was
 * not made persistent.  Otherwise what reading the profile or writing said; then the
 * files of this call are removed again.
 */
int rt_run_persist(const struct rt_apply_host *host, const struct rt_persist_wish *wish,
		   struct rt_outcome *ret_outcome, struct rt_err *err);

/* What the unit applies. */
struct rt_persistent {
	uint32_t version;
	char device[RT_PERSIST_NAME_BYTES];
	char profile[512]; /* path of the copy, without root */
	char allow_missing[1024], only[128];
	bool one_way;
	char files[2048]; /* names in the folder, with '/' between */
};

/* -ENOENT: the instance is not made persistent.  As rt_record_read(). */
int rt_persistent_read(const char *root, const char *instance,
		       struct rt_persistent *ret_persistent, struct rt_err *err);

/*
 * What a device is called here (addresses in small letters), and its instance.
 * -EINVAL, -ENAMETOOLONG: no rule or unit could have that name.
 */
int rt_persist_instance(const char *name, char device[RT_PERSIST_NAME_BYTES],
			char instance[RT_PERSIST_NAME_BYTES], struct rt_err *err);

/* As systemd-escape(1) does: letters, digits, ':', '_', '.' stay.  -ENAMETOOLONG. */
int rt_unit_escape(const char *text, char *buf, size_t capacity);

#endif
