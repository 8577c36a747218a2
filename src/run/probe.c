/* SPDX-License-Identifier: BSD-2-Clause */
/* probe.c - the journey of a probe: from the request to its result. */
#include "run/probe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "rocetune/err.h"
#include "rocetune/profile.h"
#include "run/outcome.h"
#include "run/probe_text.h"
#include "run/probe_work.h"
#include "run/profile.h"
#include "wire/probe.h"

#define USUAL_PPS  20u
#define LOAD_PPS   RT_PROBE_MAX_PPS
#define DSCP_USUAL 26u

static unsigned data_dscp(const struct rt_probe_request *request,
			  const struct rt_profile *profile)
{
	if (request->dscp.known)
		return (unsigned)request->dscp.value;
	for (size_t i = 0; profile && i < profile->class_count; i++) {
		const struct rt_class *class = &profile->classes[i];

		if (rt_class_is_lossless(class) && rt_setting_known(&class->dscp) &&
		    class->dscp.number)
			return (unsigned)__builtin_ctzll(class->dscp.number);
	}
	return DSCP_USUAL;
}

static int run(const struct rt_probe_request *request, struct rt_probed *probed,
	       struct rt_err *err)
{
	RT_AUTO(rt_auto_profile_free) struct rt_profile *profile = NULL;
	struct rt_probing probing = { .request = request,
				      .probed = probed,
				      .err = err };
	struct rt_prober_config config = {
		.host = request->host,
		.family = request->family,
		.port = (uint16_t)(request->port.known ? request->port.value
						       : RT_PROBE_PORT),
		.pps = request->load_ns.known ? LOAD_PPS : USUAL_PPS,
	};
	int r = 0;

	r = rt_probe_check_port(request->port, err);
	if (r == 0 && request->profile)
		r = rt_run_profile_read(request->profile, &profile, err);
	if (r == 0 && request->source)
		r = rt_probe_read_ip(request->source, &config.source, err);
	if (r == 0)
		r = rt_prober_open(&config, &probing.prober, err);
	if (r < 0)
		return r;
	rt_prober_about(probing.prober, &probing.about);
	snprintf(probed->host, sizeof(probed->host), "%.127s", request->host);
	probed->address = probing.about.address;
	probed->source = probing.about.source;
	memcpy(probed->netdev, probing.about.netdev, sizeof(probed->netdev));
	memcpy(probed->icmp_why, probing.about.why, sizeof(probed->icmp_why));
	probed->local_mtu_bytes = probing.about.mtu_bytes;
	probed->dscp = data_dscp(request, profile);
	r = rt_probe_ask_all(&probing, profile);
	rt_prober_close(probing.prober);
	return r;
}

static void release(void *object)
{
	struct rt_probed *probed = object;

	free(probed->marks);
	free(probed->sizes);
	free(probed->hops);
	free(probed->told);
	rt_findings_free(&probed->findings);
	free(probed);
}

static struct rt_probed *new_probed(void)
{
	struct rt_probed *probed = calloc(1, sizeof(*probed));

	if (!probed)
		return NULL;
	probed->marks = calloc(RT_PROBE_MARKS, sizeof(*probed->marks));
	probed->sizes = calloc(RT_PROBE_SIZES, sizeof(*probed->sizes));
	probed->hops = calloc(RT_PROBE_HOPS, sizeof(*probed->hops));
	probed->told = calloc(RT_PROBE_ASK_COUNT, sizeof(*probed->told));
	if (probed->marks && probed->sizes && probed->hops && probed->told)
		return probed;
	release(probed);
	return NULL;
}

int rt_run_probe(const struct rt_probe_request *request, struct rt_outcome *ret_outcome,
		 struct rt_err *err)
{
	struct rt_probed *probed = new_probed();
	int r = probed ? run(request, probed, err)
		       : rt_err_sys(err, -ENOMEM, "%s", request->host);

	if (r == 0) {
		rt_probe_fill_told(request, probed);
		r = rt_rules_run(rt_probe_rules, rt_probe_rule_count, probed,
				 &probed->findings, err);
	}
	if (r < 0) {
		if (probed)
			release(probed);
		return r;
	}
	rt_findings_sort(&probed->findings);
	*ret_outcome = (struct rt_outcome){ .table = &rt_probed_table,
					    .object = probed,
					    .findings = &probed->findings,
					    .release = release };
	return 0;
}
