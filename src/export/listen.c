/* SPDX-License-Identifier: BSD-2-Clause */
/* listen.c - sockets that listen. */
#include "export/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/privilege.h"
#include "export/export.h"
#include "rocetune/err.h"

#define BACKLOG 256

union any_address {
	struct sockaddr base;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	struct sockaddr_un un;
};

static int no_address(const char *text, struct rt_err *err)
{
	return rt_err_set(err, -EINVAL,
			  "'%.80s' is no address to listen at: 127.0.0.1:%u, [::1]:%u, "
			  "0.0.0.0, :9000",
			  text, RT_EXPORT_PORT, RT_EXPORT_PORT);
}

/* --- TCP ----------------------------------------------------------------------------------- */

/* "HOST:PORT" in its parts; a bare IPv6 address has more colons and no port. */
static int split(const char *text, char host[64], const char **ret_port)
{
	const char *colon = strrchr(text, ':');
	size_t length = strlen(text);

	*ret_port = NULL;
	if (*text == '[') {
		const char *end = strchr(text, ']');

		if (!end || (end[1] && end[1] != ':'))
			return -EINVAL;
		*ret_port = end[1] ? end + 2 : NULL;
		text++;
		length = (size_t)(end - text);
	} else if (colon && strchr(text, ':') == colon) {
		*ret_port = colon + 1;
		length = (size_t)(colon - text);
	}
	if (length >= 64)
		return -EINVAL;
	memcpy(host, text, length);
	host[length] = '\0';
	return 0;
}

static int read_port(const char *text, uint16_t *ret_port)
{
	unsigned long port;
	char *end;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	port = strtoul(text, &end, 10);
	if (errno || *end || port > UINT16_MAX)
		return -EINVAL;
	*ret_port = (uint16_t)port;
	return 0;
}

static int read_address(const char *text, union any_address *ret_address,
			socklen_t *ret_bytes)
{
	union any_address address = { 0 };
	uint16_t port = RT_EXPORT_PORT;
	const char *port_text;
	char host[64];
	int r = split(text, host, &port_text);

	if (r == 0 && port_text)
		r = read_port(port_text, &port);
	if (r < 0)
		return r;
	if (!*host)
		strcpy(host, "127.0.0.1");
	if (inet_pton(AF_INET, host, &address.in.sin_addr) == 1) {
		address.in.sin_family = AF_INET;
		address.in.sin_port = htons(port);
		*ret_bytes = sizeof(address.in);
	} else if (inet_pton(AF_INET6, host, &address.in6.sin6_addr) == 1) {
		address.in6.sin6_family = AF_INET6;
		address.in6.sin6_port = htons(port);
		*ret_bytes = sizeof(address.in6);
	} else {
		return -EINVAL;
	}
	*ret_address = address;
	return 0;
}

/* The port may have been chosen by the kernel. */
static void tell_where(int fd, char where[RT_WHERE_BYTES])
{
	union any_address address = { 0 };
	socklen_t bytes = sizeof(address);
	char host[INET6_ADDRSTRLEN] = "";

	getsockname(fd, &address.base, &bytes);
	if (address.base.sa_family == AF_INET6) {
		inet_ntop(AF_INET6, &address.in6.sin6_addr, host, sizeof(host));
		snprintf(where, RT_WHERE_BYTES, "http://[%s]:%u/metrics", host,
			 ntohs(address.in6.sin6_port));
	} else {
		inet_ntop(AF_INET, &address.in.sin_addr, host, sizeof(host));
		snprintf(where, RT_WHERE_BYTES, "http://%s:%u/metrics", host,
			 ntohs(address.in.sin_port));
	}
}

int rt_listen_check(const char *text, struct rt_err *err)
{
	union any_address address;
	socklen_t bytes;

	return read_address(text, &address, &bytes) < 0 ? no_address(text, err) : 0;
}

int rt_listen_tcp(const char *text, char where[RT_WHERE_BYTES], struct rt_err *err)
{
	const int one = 1;
	union any_address address;
	socklen_t bytes;
	int fd, r;

	if (!text)
		text = "";
	if (read_address(text, &address, &bytes) < 0)
		return no_address(text, err);
	fd = socket(address.base.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
		    0);
	if (fd < 0)
		return rt_err_sys(err, -errno, "cannot make a socket");
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, &address.base, bytes) < 0 || listen(fd, BACKLOG) < 0) {
		r = rt_err_sys(err, -errno,
			       "cannot listen at '%s' (--listen chooses another)",
			       *text ? text : "127.0.0.1");
		close(fd);
		return r;
	}
	tell_where(fd, where);
	return fd;
}

/* --- unix sockets -------------------------------------------------------------------------- */

static bool is_served(const struct sockaddr_un *address)
{
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	bool served;

	if (fd < 0)
		return true;
	served = connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0 ||
		 errno != ECONNREFUSED;
	close(fd);
	return served;
}

/* Only what nobody listens at any more is in nobody's way. */
static int clear_place(const struct sockaddr_un *address, struct rt_err *err)
{
	const char *path = address->sun_path;
	struct stat status;

	if (lstat(path, &status) < 0)
		return errno == ENOENT ? 0 : rt_err_sys(err, -errno, "%s", path);
	if (!S_ISSOCK(status.st_mode))
		return rt_err_set(err, -EEXIST,
				  "%s is there and is no socket: choose another path",
				  path);
	if (is_served(address))
		return rt_err_set(err, -EADDRINUSE, "%s: somebody listens there", path);
	if (unlink(path) < 0 && errno != ENOENT)
		return rt_err_sys(err, -errno, "cannot remove the old %s", path);
	return 0;
}

static int bind_unix(int fd, const struct sockaddr_un *address,
		     const struct rt_user *user)
{
	/* As it is made, so that at no time more may use it. */
	const mode_t before = umask(0117);
	const int r = bind(fd, (const struct sockaddr *)address, sizeof(*address));

	umask(before);
	if (r < 0)
		return -errno;
	if ((user && lchown(address->sun_path, user->uid, user->gid) < 0) ||
	    listen(fd, BACKLOG) < 0) {
		const int why = errno;

		unlink(address->sun_path);
		return -why;
	}
	return 0;
}

int rt_listen_unix(const char *path, const struct rt_user *user,
		   char where[RT_WHERE_BYTES], struct rt_err *err)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd, r;

	if (!*path || strlen(path) >= sizeof(address.sun_path))
		return rt_err_set(err, -ENAMETOOLONG,
				  "--socket: a path of 1 to %zu bytes",
				  sizeof(address.sun_path) - 1);
	strcpy(address.sun_path, path);
	r = clear_place(&address, err);
	if (r < 0)
		return r;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return rt_err_sys(err, -errno, "cannot make a socket");
	r = bind_unix(fd, &address, user);
	if (r < 0) {
		close(fd);
		return rt_err_sys(err, r, "cannot listen at %s", path);
	}
	snprintf(where, RT_WHERE_BYTES, "unix:%s", path);
	return fd;
}

void rt_listen_forget(const char *path)
{
	struct stat status;

	if (lstat(path, &status) == 0 && S_ISSOCK(status.st_mode))
		unlink(path);
}
