/* SPDX-License-Identifier: BSD-2-Clause */
/* probe_work.h - what the files of a probe's journey share. */
#ifndef RT_RUN_PROBE_WORK_H
#define RT_RUN_PROBE_WORK_H

#include <stdbool.h>

#include "run/probe.h"
#include "traffic/probe.h"

struct rt_profile;

struct rt_probing {
	const struct rt_probe_request *request;
	struct rt_prober *prober;
	struct rt_prober_about about;
	struct rt_probed *probed;
	bool listener; /* there is one: it is asked, and not a closed port */
	struct rt_err *err;
};

/*
 * Send all that the request asks for, and write down what came of it; profile may be
 * NULL.  -EINTR: told to stop; else what rt_prober_send() said.
 */
int rt_probe_ask_all(struct rt_probing *probing, const struct rt_profile *profile);

/* An address of this host as it was typed.  -EDOM. */
int rt_probe_read_ip(const char *text, struct rt_ip *ret_ip, struct rt_err *err);
/* -EDOM: probes keep away from RoCE's port. */
int rt_probe_check_port(struct rt_opt_u64 port, struct rt_err *err);

#endif
