/* SPDX-License-Identifier: BSD-2-Clause */
/* engines.c - the engines that are built in; verbs comes as a module. */
#include "traffic/engine.h"

#include <stddef.h>

const struct rt_engine_ops *const rt_engines[] = {
	&rt_engine_soft,
	&rt_engine_null,
	NULL,
};
