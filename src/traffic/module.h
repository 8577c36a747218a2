/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * module.h - parts that are opened at run time: verbs (libibverbs, librdmacm) and pmix
 * (libpmix), so that a host without these libraries loses an engine and not the program.
 *
 * A module is rocetune-NAME.so beside the program (build folder) or in
 * LIBDIR/rocetune; it exports the one symbol rt_module and carries its own copy of
 * what it uses of librocetune, which has no state that would be doubled.
 */
#ifndef RT_TRAFFIC_MODULE_H
#define RT_TRAFFIC_MODULE_H

#include <stdint.h>

struct rt_engine_ops;
struct rt_err;
struct rt_rendezvous;

/*
 * Changes whenever a struct that crosses the seam does; module.c holds it against their
 * sizes, so that one that grows is not forgotten.
 */
#define RT_MODULE_ABI 3u

struct rt_module {
	uint32_t abi;
	const char *name;
	const struct rt_engine_ops *engine; /* or NULL */
	/* Join as the launcher's environment says; NULL: no rendezvous in it. */
	int (*join)(struct rt_rendezvous **ret_rendezvous, struct rt_err *err);
};

/*
 * Open rocetune-NAME.so, once; borrowed, for the life of the process.
 * -ENOENT: it is not installed.  -ELIBACC: a library that it needs is missing, the text
 * says which package has it.  -ELIBBAD: of another version.
 */
int rt_module_open(const char *name, const struct rt_module **ret_module,
		   struct rt_err *err);

/* The Debian 12 package of a library's file ("libibverbs.so.1"); NULL: not known. */
const char *rt_module_package(const char *library);

#endif
