/* SPDX-License-Identifier: BSD-2-Clause */
/* engine_options.h - options that say what traffic a host sends with. */
#ifndef RT_CMD_ENGINE_OPTIONS_H
#define RT_CMD_ENGINE_OPTIONS_H

#include <stdbool.h>

#include "rocetune/field.h"

struct rt_engine_config;
struct rt_err;

/* A part of a command's options, as ENGINE_OPTIONS() rows fill it. */
struct rt_engine_options {
	const char *device, *interface;
	struct rt_opt_u64 gid_index, mtu, ack_timeout, retries;
	bool cm;
};

#define RT_ENGINE_OPTION_ROWS(owner, member)                                           \
	{ .name = "device",                                                            \
	  .arg = "DEV",                                                                \
	  .type = RT_OPTION_TEXT,                                                      \
	  .offset = offsetof(struct owner, member.device),                             \
	  .help = "RDMA device to send with" },                                        \
		{ .name = "interface",                                                 \
		  .arg = "IF",                                                         \
		  .type = RT_OPTION_TEXT,                                              \
		  .offset = offsetof(struct owner, member.interface),                  \
		  .help = "interface to send with (soft), or whose RDMA device to "    \
			  "use" },                                                     \
		{ .name = "gid-index",                                                 \
		  .arg = "N",                                                          \
		  .type = RT_OPTION_QUANTITY,                                          \
		  .unit = RT_UNIT_COUNT,                                               \
		  .offset = offsetof(struct owner, member.gid_index),                  \
		  .help = "which GID (default: RoCE v2, of the peers' network, IPv4 "  \
			  "first)" },                                                  \
		{ .name = "ack-timeout",                                               \
		  .arg = "CODE",                                                       \
		  .type = RT_OPTION_QUANTITY,                                          \
		  .unit = RT_UNIT_COUNT,                                               \
		  .offset = offsetof(struct owner, member.ack_timeout),                \
		  .help = "local ACK time-out, 4.096 us * 2^CODE (default 14: 67 ms)", \
		  .min = 1,                                                            \
		  .max = 31 },                                                         \
		{ .name = "retries",                                                   \
		  .arg = "N",                                                          \
		  .type = RT_OPTION_QUANTITY,                                          \
		  .unit = RT_UNIT_COUNT,                                               \
		  .offset = offsetof(struct owner, member.retries),                    \
		  .help = "time-outs and NAKs without progress before a queue pair "   \
			  "fails (default 6)",                                         \
		  .max = 7 },                                                          \
		{ .name = "cm",                                                        \
		  .type = RT_OPTION_FLAG,                                              \
		  .offset = offsetof(struct owner, member.cm),                         \
		  .help = "connect by librdmacm (verbs)" },                            \
	{                                                                              \
		.name = "mtu", .arg = "BYTES", .type = RT_OPTION_QUANTITY,             \
		.unit = RT_UNIT_MTU, .offset = offsetof(struct owner, member.mtu),     \
		.help = "payload of a frame: 256 to 4096 (default: what the path "     \
			"takes)",                                                      \
		.min = 256, .max = 4096                                                \
	}

/* -EINVAL: a name is too long. */
int rt_engine_options_take(const struct rt_engine_options *options,
			   struct rt_engine_config *ret_config, struct rt_err *err);

#endif
