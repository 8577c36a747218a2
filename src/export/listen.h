/* SPDX-License-Identifier: BSD-2-Clause */
/* listen.h - the sockets that are served: TCP at one address, or a unix socket. */
#ifndef RT_EXPORT_LISTEN_H
#define RT_EXPORT_LISTEN_H

#include <stddef.h>

struct rt_err;
struct rt_user;

/* For "http://[::1]:14791/metrics" and "unix:" paths. */
#define RT_WHERE_BYTES 160

/*
 * "127.0.0.1:14791", "[::1]:9000", "::1", ":9000"; numbers only.  NULL or what is left out
 * is 127.0.0.1 and RT_EXPORT_PORT; port 0: any that is free.  Returns a socket that
 * listens, which is the caller's.  -EINVAL: no such address, which the check tells before.
 * -EADDRINUSE.
 */
int rt_listen_check(const char *address, struct rt_err *err);
int rt_listen_tcp(const char *address, char where[RT_WHERE_BYTES], struct rt_err *err);

/*
 * For its owner and group: user's (NULL: whoever this is).  What a server that is no more
 * left there is replaced.  -EEXIST: it is no socket.  -EADDRINUSE: somebody listens.
 */
int rt_listen_unix(const char *path, const struct rt_user *user,
		   char where[RT_WHERE_BYTES], struct rt_err *err);

/* Remove the socket of this server, where that is allowed. */
void rt_listen_forget(const char *path);

#endif
