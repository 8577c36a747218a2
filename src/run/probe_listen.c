/* SPDX-License-Identifier: BSD-2-Clause */
/* probe_listen.c - the other end of a probe. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "rocetune/err.h"
#include "rocetune/frame.h"
#include "run/outcome.h"
#include "run/probe_work.h"
#include "wire/probe.h"

#define LISTEN_NS INT64_C(600000000000)

int rt_probe_check_port(struct rt_opt_u64 port, struct rt_err *err)
{
	if (!port.known || port.value != RT_ROCE_UDP_PORT)
		return 0;
	return rt_err_set(err, -EDOM,
			  "--port %u is RoCE's: a NIC would take what comes there, and "
			  "might take it for its own",
			  RT_ROCE_UDP_PORT);
}

int rt_probe_read_ip(const char *text, struct rt_ip *ret_ip, struct rt_err *err)
{
	struct rt_ip ip = { .version = 4 };

	if (inet_pton(AF_INET, text, ip.bytes) != 1) {
		ip.version = 6;
		if (inet_pton(AF_INET6, text, ip.bytes) != 1)
			return rt_err_set(err, -EDOM, "'%.60s' is no IP address", text);
	}
	*ret_ip = ip;
	return 0;
}

int rt_run_probe_listen(const struct rt_probe_listen_request *request,
			struct rt_outcome *ret_outcome, struct rt_err *err)
{
	struct rt_probe_listener_config config = {
		.port = (uint16_t)(request->port.known ? request->port.value
						       : RT_PROBE_PORT),
		.until_ns = rt_clock_ns(CLOCK_MONOTONIC) +
			    (request->for_ns.known ? (int64_t)request->for_ns.value
						   : LISTEN_NS),
		.stop_fd = request->stop_fd,
		.ready = request->ready,
		.user = request->user,
	};
	struct rt_probe_listened listened = { 0 };
	struct rt_probe_listening *listening;
	int r = rt_probe_check_port(request->port, err);

	if (r == 0 && request->bind)
		r = rt_probe_read_ip(request->bind, &config.bind, err);
	if (r == 0)
		r = rt_probe_listen(&config, &listened, err);
	if (r < 0)
		return r;
	listening = calloc(1, sizeof(*listening));
	if (!listening)
		return rt_err_sys(err, -ENOMEM, "probe");
	snprintf(listening->address, sizeof(listening->address), "%.45s",
		 request->bind ? request->bind : "127.0.0.1");
	listening->port = config.port;
	listening->requests = listened.requests;
	listening->answers = listened.answers;
	listening->limited = listened.limited;
	listening->others = listened.others;
	*ret_outcome = (struct rt_outcome){ .table = &rt_probe_listening_table,
					    .object = listening,
					    .release = free };
	return 0;
}
