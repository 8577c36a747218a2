/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * snapshot.c - a host as a bundle.  It is recorded by doing what list and show do, so
 * that nothing that they ask is missing, and nothing else is in it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bundle.h"
#include "base/file.h"
#include "base/own.h"
#include "host/counters.h"
#include "kern/image.h"
#include "kern/kern.h"
#include "pktio/tarball.h"
#include "rocetune/err.h"
#include "run/host.h"
#include "run/host_show.h"
#include "run/host_text.h"
#include "run/outcome.h"

#define OWNER struct rt_snapshot
static const struct rt_field snapshot_fields[] = {
	RT_FIELD(OWNER, TEXT, file, NONE, "the bundle"),
	RT_FIELD(OWNER, U64, devices, COUNT, "RDMA ports whose knobs are in it",
		 .label = "RDMA ports"),
	RT_FIELD(OWNER, U64, files, COUNT, "files, folders and links in it"),
	RT_FIELD(OWNER, U64, bytes, BYTES, "its size"),
};
RT_TABLE(rt_snapshot_table, rt_snapshot, "snapshot", "Snapshot",
	 "A host's state, written into a bundle.", snapshot_fields);
#undef OWNER

static int record_counters(struct rt_kern *kern, const struct rt_device *device,
			   struct rt_err *err)
{
	struct rt_counter_set set = { 0 };
	int r = rt_counters_read(kern, device, &set, err);

	rt_counter_set_free(&set);
	return r;
}

/* only: the bundle is of this port, and of others of which it is said. */
static int record_port(struct rt_kern *kern, const char *name, bool only,
		       struct rt_err *err)
{
	struct rt_shown_port *shown = calloc(1, sizeof(*shown));
	int r;

	if (!shown)
		return rt_err_sys(err, -ENOMEM, "cannot hold the port");
	r = rt_show_read(kern, name, shown, err);
	if (r == 0)
		r = record_counters(kern, &shown->device, err);
	if (r == 0 && only)
		r = rt_kern_recorder_only(kern, shown->device.ibdev, shown->device.port,
					  err);
	rt_show_free(shown);
	return r;
}

static bool is_held(struct rt_kern *kern, const struct rt_device *device)
{
	return rt_kern_holds(kern, device->ibdev, device->port);
}

/* What list asks, then what show asks of each port. */
static int record_all(struct rt_kern *kern, struct rt_snapshot *snapshot,
		      struct rt_err *err)
{
	struct rt_devices devices = { 0 };
	char name[RT_DEVICE_NAME_BYTES];
	bool whole = true; /* but of what is a bundle of some ports itself */
	int r = rt_devices_read(kern, RT_DEVICE_GIDS | RT_DEVICE_USE | RT_DEVICE_GROUPS,
				&devices, err);

	/* A kernel without RDMA is a host, too: it says so again. */
	if (r == -EOPNOTSUPP)
		return 0;
	for (size_t i = 0; r == 0 && i < devices.count; i++)
		whole = whole && is_held(kern, &devices.items[i]);
	for (size_t i = 0; r == 0 && i < devices.count; i++) {
		if (!is_held(kern, &devices.items[i]))
			continue;
		rt_device_title(&devices.items[i], name);
		r = record_port(kern, name, !whole, err);
		snapshot->devices++;
	}
	rt_devices_free(&devices);
	return r;
}

static int record(const char *sysroot, const char *device, struct rt_bundle *bundle,
		  struct rt_snapshot *snapshot, struct rt_err *err)
{
	RT_AUTO(rt_auto_kern_close) struct rt_kern *kern = NULL;
	RT_AUTO(rt_auto_kern_close) struct rt_kern *recorder = NULL;
	int r = rt_run_open_host(sysroot, &kern, err);

	if (r == 0)
		r = rt_kern_open_recorder(kern, bundle, &recorder, err);
	if (r < 0)
		return r;
	if (device) {
		r = record_port(recorder, device, true, err);
		snapshot->devices = 1;
	} else {
		r = record_all(recorder, snapshot, err);
	}
	return r < 0 ? r : rt_kern_recorder_finish(recorder, err);
}

/* A new file beside its place, with the rights that a plain one would get. */
static int open_beside(char *beside, FILE **ret_to)
{
	const int fd = mkostemp(beside, O_CLOEXEC);
	const mode_t mask = umask(0);
	FILE *to;
	int r;

	umask(mask);
	if (fd < 0)
		return -errno;
	to = fchmod(fd, 0666 & ~mask) == 0 ? fdopen(fd, "w") : NULL;
	if (to) {
		*ret_to = to;
		return 0;
	}
	r = -errno;
	close(fd);
	unlink(beside);
	return r;
}

/* Renamed when it is whole: who reads it never sees half of it. */
static int write_file(struct rt_bundle *bundle, const char *file,
		      struct rt_snapshot *snapshot, struct rt_err *err)
{
	RT_AUTO(rt_auto_free) char *beside = NULL;
	FILE *to = NULL;
	long bytes;
	int r;

	if (asprintf(&beside, "%s.XXXXXX", file) < 0) {
		beside = NULL;
		return rt_err_sys(err, -ENOMEM, "%s", file);
	}
	r = open_beside(beside, &to);
	if (r < 0)
		return rt_err_sys(err, r, "%s", file);
	r = rt_tarball_write(bundle, to, err);
	bytes = ftell(to);
	if (fclose(to) != 0 && r == 0)
		r = rt_err_sys(err, -errno, "%s", beside);
	if (r == 0 && rename(beside, file) != 0)
		r = rt_err_sys(err, -errno, "%s", file);
	if (r < 0)
		unlink(beside);
	else if (bytes > 0)
		snapshot->bytes = (uint64_t)bytes;
	return r;
}

/* In one piece, whose size is known. */
static int write_stdout(struct rt_bundle *bundle, struct rt_snapshot *snapshot,
			struct rt_err *err)
{
	RT_AUTO(rt_auto_free) char *text = NULL;
	size_t bytes = 0;
	FILE *to = open_memstream(&text, &bytes);
	int r;

	if (!to)
		return rt_err_sys(err, -ENOMEM, "cannot hold the snapshot");
	r = rt_tarball_write(bundle, to, err);
	if (fclose(to) != 0 && r == 0)
		r = rt_err_sys(err, -ENOMEM, "cannot hold the snapshot");
	if (r < 0)
		return r;
	errno = 0;
	if (fwrite(text, 1, bytes, stdout) != bytes || fflush(stdout) != 0)
		return rt_err_sys(err, errno ? -errno : -EIO, "standard output");
	snapshot->bytes = bytes;
	return 0;
}

int rt_run_snapshot(const char *sysroot, const char *device, const char *file,
		    struct rt_outcome *ret_outcome, struct rt_err *err)
{
	RT_AUTO(rt_auto_bundle_free) struct rt_bundle *bundle = rt_bundle_new();
	struct rt_snapshot *snapshot = calloc(1, sizeof(*snapshot));
	const bool to_stdout = strcmp(file, "-") == 0;
	int r;

	if (!bundle || !snapshot) {
		free(snapshot);
		return rt_err_sys(err, -ENOMEM, "cannot hold the snapshot");
	}
	snapshot->file = to_stdout ? "standard output" : file;
	/* A device, /dev/null among them, is not to become a file. */
	r = rt_file_check_regular(file, err);
	if (r == 0)
		r = record(sysroot, device, bundle, snapshot, err);
	if (r == 0)
		r = to_stdout ? write_stdout(bundle, snapshot, err)
			      : write_file(bundle, file, snapshot, err);
	if (r < 0) {
		free(snapshot);
		return r;
	}
	snapshot->files = rt_bundle_count(bundle);
	*ret_outcome = (struct rt_outcome){ .table = &rt_snapshot_table,
					    .object = snapshot,
					    .release = free };
	return 0;
}
