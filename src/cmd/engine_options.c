/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/engine_options.h"

#include <errno.h>
#include <string.h>

#include "rocetune/err.h"
#include "run/agent.h"

static int take_name(const char *name, const char *option, char *to, size_t bytes,
		     struct rt_err *err)
{
	if (!name)
		return 0;
	if (!*name || strlen(name) >= bytes)
		return rt_err_set(err, -EINVAL, "--%s: '%.40s' is no name of one",
				  option, name);
	strcpy(to, name);
	return 0;
}

int rt_engine_options_take(const struct rt_engine_options *options,
			   struct rt_engine_config *ret_config, struct rt_err *err)
{
	struct rt_engine_config config = { 0 };
	int r = take_name(options->device, "device", config.device,
			  sizeof(config.device), err);

	if (r == 0)
		r = take_name(options->interface, "interface", config.netdev,
			      sizeof(config.netdev), err);
	if (r < 0)
		return r;
	if (options->mtu.known && (options->mtu.value & (options->mtu.value - 1)))
		return rt_err_set(
			err, -EINVAL,
			"--mtu %u: of RoCE it is 256, 512, 1024, 2048 or 4096",
			(unsigned)options->mtu.value);
	config.ack_timeout_code = (uint8_t)options->ack_timeout.value;
	config.retry_count = options->retries;
	config.use_cm = options->cm;
	config.gid_index = options->gid_index;
	config.mtu_bytes = (uint32_t)options->mtu.value;
	*ret_config = config;
	return 0;
}
