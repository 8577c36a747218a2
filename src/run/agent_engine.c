/* SPDX-License-Identifier: BSD-2-Clause */
/* agent_engine.c - which engine a rank works with, and who else is on its port. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "kern/kern.h"
#include "rocetune/err.h"
#include "run/agent_work.h"
#include "traffic/module.h"

static int open_kern(const struct rt_agent_options *options, struct rt_kern **ret_kern,
		     struct rt_err *err)
{
	if (options->kern_open)
		return options->kern_open(options->kern_context, ret_kern, err);
	return rt_kern_open_live(ret_kern, err);
}

static bool has_rdma(const struct rt_agent_options *options)
{
	struct rt_rdma_ports ports = { 0 };
	struct rt_kern *kern;
	bool any = false;

	if (open_kern(options, &kern, NULL) < 0)
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
		name = *options->config.device || has_rdma(options) ? "verbs" : "soft";
	if (strcmp(name, "verbs") == 0)
		return verbs(ret_ops, err);
	for (size_t i = 0; rt_engines[i]; i++)
		if (strcmp(rt_engines[i]->name, name) == 0) {
			*ret_ops = rt_engines[i];
			return 0;
		}
	return rt_err_set(err, -ENOENT, "there is no engine '%.20s'", name);
}

void rt_agent_look_around(struct rt_agent *agent)
{
	struct rt_engine_about about = { 0 };
	struct rt_rdma_use use;
	struct rt_kern *kern;

	agent->ops->about(agent->engine, &about);
	if (!*about.device || open_kern(agent->options, &kern, NULL) < 0)
		return;
	if (kern->ops->rdma_use(kern, about.device, &use, NULL) == 0) {
		agent->connected = RT_KNOWN_U64(use.connected);
		snprintf(agent->users, sizeof(agent->users), "%s", use.who);
	}
	rt_kern_close(kern);
}
