/* SPDX-License-Identifier: BSD-2-Clause */
/* agent_engine.c - which engine a rank works with. */
#include <errno.h>
#include <string.h>

#include "kern/kern.h"
#include "rocetune/err.h"
#include "run/agent_work.h"
#include "traffic/module.h"

static bool has_rdma(const struct rt_agent_options *options)
{
	struct rt_rdma_ports ports = { 0 };
	struct rt_kern *kern;
	bool any = false;

	if (rt_agent_kern(options, &kern, NULL) < 0)
		return false;
	if (kern->ops->rdma_ports(kern, &ports, NULL) == 0)
		any = ports.count > 0;
	rt_rdma_ports_free(&ports);
	rt_kern_close(kern);
	return any;
}

static int verbs(const struct rt_engine_ops **ret_ops, struct rt_err *err)
{
	const struct rt_module *module;
	int r = rt_module_open("verbs", &module, err);

	if (r < 0)
		return r;
	if (!module->engine)
		return rt_err_set(err, -ELIBBAD, "the verbs module has no engine");
	*ret_ops = module->engine;
	return 0;
}

int rt_agent_engine(const struct rt_agent_options *options, const char *name,
		    const struct rt_engine_ops **ret_ops, struct rt_err *err)
{
	if (options->engine) {
		*ret_ops = options->engine;
		return 0;
	}
	if (!*name)
		name = *options->config.device || (!options->place && has_rdma(options))
			       ? "verbs"
			       : "soft";
	if (strcmp(name, "verbs") == 0)
		return verbs(ret_ops, err);
	for (size_t i = 0; rt_engines[i]; i++)
		if (strcmp(rt_engines[i]->name, name) == 0) {
			*ret_ops = rt_engines[i];
			return 0;
		}
	return rt_err_set(err, -ENOENT, "there is no engine '%.20s'", name);
}
