/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a coordinator is: host and port as people write them. */
#include <errno.h>
#include <string.h>

#include "rocetune/err.h"
#include "traffic/tcp.h"

static int port_read(const char *text, const char *digits, bool any_port,
		     uint16_t *ret_port, struct rt_err *err)
{
	unsigned value = 0;
	size_t i = 0;

	for (; i < 5 && digits[i] >= '0' && digits[i] <= '9'; i++)
		value = value * 10 + (unsigned)(digits[i] - '0');
	if (!i || digits[i] || value > UINT16_MAX || (!value && !any_port))
		return rt_err_set(err, -EINVAL, "\"%s\": a port is 1 to 65535", text);
	*ret_port = (uint16_t)value;
	return 0;
}

int rt_tcp_place_read(const char *text, bool any_port, struct rt_tcp_place *ret_place,
		      struct rt_err *err)
{
	struct rt_tcp_place place = { .port = RT_TCP_PORT };
	const bool bracket = text[0] == '[';
	const char *host = text + bracket;
	const size_t length = strcspn(host, bracket ? "]" : ":");
	const char *rest = host + length;
	int r = 0;

	if (*text && !text[strspn(text, "0123456789")]) { /* no host is called so */
		r = port_read(text, text, any_port, &place.port, err);
		if (r == 0)
			*ret_place = place;
		return r;
	}
	if (bracket && *rest++ != ']')
		return rt_err_set(err, -EINVAL, "\"%s\": ] is missing", text);
	if (length >= sizeof(place.host) || (!length && *rest != ':'))
		return rt_err_set(err, -EINVAL, "\"%s\" is no HOST:PORT", text);
	if (!bracket && *rest && strchr(rest + 1, ':'))
		return rt_err_set(err, -EINVAL,
				  "\"%s\": an IPv6 address is written [%s] or [%s]:%u",
				  text, text, text, RT_TCP_PORT);
	if (*rest && *rest != ':')
		return rt_err_set(err, -EINVAL, "\"%s\" is no HOST:PORT", text);
	memcpy(place.host, host, length);
	if (*rest)
		r = port_read(text, rest + 1, any_port, &place.port, err);
	if (r < 0)
		return r;
	*ret_place = place;
	return 0;
}
