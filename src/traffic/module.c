/* SPDX-License-Identifier: BSD-2-Clause */
/* module.c - find and open a part that is a file of its own. */
#include "traffic/module.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/histogram.h"
#include "base/own.h"
#include "rocetune/err.h"
#include "traffic/engine.h"
#include "traffic/rendezvous.h"

/* What crosses the seam; where one of these fails, RT_MODULE_ABI is to rise as well. */
#if __SIZEOF_POINTER__ == 8
#define CROSSES(type, bytes)                                        \
	_Static_assert(RT_MODULE_ABI == 3 && sizeof(type) == bytes, \
		       #type " has changed: raise RT_MODULE_ABI")
CROSSES(struct rt_module, 32);
CROSSES(struct rt_err, 516);
CROSSES(struct rt_engine_ops, 120);
CROSSES(struct rt_engine_config, 200);
CROSSES(struct rt_engine_about, 416);
CROSSES(struct rt_engine_health, 64);
CROSSES(struct rt_traffic_flow, 120);
CROSSES(struct rt_size_point, 16);
CROSSES(struct rt_qp_address, 72);
CROSSES(struct rt_qp_totals, 376);
CROSSES(struct rt_histogram, 19488);
CROSSES(struct rt_rendezvous_ops, 72);
CROSSES(struct rt_rendezvous, 24);
CROSSES(struct rt_rendezvous_news, 176);
CROSSES(struct rt_texts, 16);
#endif

/* Which Debian 12 package brings the library that the loader misses. */
static const struct {
	const char *library, *package;
} packages[] = {
	{ "libibverbs.so", "libibverbs1" },
	{ "librdmacm.so", "librdmacm1" },
	{ "libnl-route-3.so", "libnl-route-3-200" },
	{ "libpmix.so", "libpmix2" },
	{ "libevent_core", "libevent-core-2.1-7" },
	{ "libevent_pthreads", "libevent-pthreads-2.1-7" },
	{ "libhwloc.so", "libhwloc15" },
	{ "libmunge.so", "libmunge2" },
};

const char *rt_module_package(const char *library)
{
	for (size_t i = 0; i < RT_ARRAY_SIZE(packages); i++)
		if (strncmp(library, packages[i].library,
			    strlen(packages[i].library)) == 0)
			return packages[i].package;
	return NULL;
}

/*
 * glibc's dlerror() begins with the file that it is about: the module itself, or a
 * library that the module needs.
 */
static int refused(const char *name, const char *path, const char *why,
		   struct rt_err *err)
{
	const size_t length = strcspn(why, ":");
	const char *package;
	char library[64];

	if (length >= sizeof(library) || !strstr(why, "cannot open shared object file"))
		return rt_err_set(err, -ELIBBAD, "%s cannot be used: %s", path, why);
	snprintf(library, sizeof(library), "%.*s", (int)length, why);
	package = rt_module_package(library);
	if (!package)
		return rt_err_set(err, -ELIBACC, "%s needs %s, which is not here", name,
				  library);
	return rt_err_set(err, -ELIBACC,
			  "%s needs %s, which is not here: apt-get install %s", name,
			  library, package);
}

/* Where it is: beside the program, else where it was installed. */
static int find(const char *name, char path[PATH_MAX], struct rt_err *err)
{
	char self[PATH_MAX];
	const ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash = NULL;

	if (length > 0) {
		self[length] = '\0';
		slash = strrchr(self, '/');
	}
	if (slash &&
	    snprintf(path, PATH_MAX, "%.*s/rocetune-%s.so", (int)(slash - self), self,
		     name) < PATH_MAX &&
	    access(path, F_OK) == 0)
		return 0;
	snprintf(path, PATH_MAX, "%s/rocetune-%s.so", RT_LIBDIR, name);
	if (access(path, F_OK) == 0)
		return 0;
	return rt_err_set(err, -ENOENT,
			  "rocetune-%s.so is neither beside the program nor in %s: it "
			  "was built or installed without %s",
			  name, RT_LIBDIR, name);
}

int rt_module_open(const char *name, const struct rt_module **ret_module,
		   struct rt_err *err)
{
	char path[PATH_MAX];
	const struct rt_module *module;
	void *handle;
	int r;

	if (!*name || strchr(name, '/'))
		return rt_err_set(err, -EINVAL, "'%s' is no module's name", name);
	r = find(name, path, err);
	if (r < 0)
		return r;
	/* Never closed: the loader gives the same handle for the same file. */
	handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		return refused(name, path, dlerror(), err);
	module = dlsym(handle, "rt_module");
	if (!module || module->abi != RT_MODULE_ABI) {
		r = rt_err_set(
			err, -ELIBBAD,
			"%s is of another version of rocetune: install both anew",
			path);
		dlclose(handle);
		return r;
	}
	*ret_module = module;
	return 0;
}
