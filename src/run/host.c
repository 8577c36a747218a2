/* SPDX-License-Identifier: BSD-2-Clause */
/* host.c - which host a journey looks at. */
#include "run/host.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/bundle.h"
#include "base/file.h"
#include "kern/image.h"
#include "kern/kern.h"
#include "pktio/tarball.h"
#include "rocetune/err.h"

static int open_bundle(const char *file, struct rt_kern **ret_kern, struct rt_err *err)
{
	struct rt_bundle *bundle;
	struct rt_err why = { 0 };
	int r = rt_tarball_read(file, &bundle, err);

	if (r < 0)
		return r;
	r = rt_kern_open_bundle(bundle, ret_kern, &why);
	if (r == 0)
		return 0;
	rt_bundle_free(bundle);
	return rt_err_set(err, r, "%s: %s", file, why.msg);
}

/* Any folder and any archive can be opened; a host is one with some of its files. */
static int check_host(const char *sysroot, struct rt_kern *kern, struct rt_err *err)
{
	if (kern->ops->access(kern, "/sys", false) == 0 ||
	    kern->ops->access(kern, "/" RT_ANSWERS_PATH, false) == 0)
		return 0;
	return rt_err_set(err, -EINVAL,
			  "%s is no host: there is neither sys/ nor " RT_ANSWERS_PATH
			  " in it",
			  sysroot);
}

int rt_run_open_host(const char *sysroot, struct rt_kern **ret_kern, struct rt_err *err)
{
	struct rt_kern *kern;
	struct stat info;
	int r;

	if (!sysroot)
		return rt_kern_open_live(ret_kern, err);
	if (stat(sysroot, &info) != 0)
		return rt_err_sys(err, -errno, "%s", sysroot);
	if (S_ISDIR(info.st_mode)) {
		r = rt_kern_open_folder(sysroot, &kern, err);
	} else {
		r = rt_file_check_regular(sysroot, err);
		if (r == 0)
			r = open_bundle(sysroot, &kern, err);
	}
	if (r < 0)
		return r;
	r = check_host(sysroot, kern, err);
	if (r < 0) {
		rt_kern_close(kern);
		return r;
	}
	*ret_kern = kern;
	return 0;
}
