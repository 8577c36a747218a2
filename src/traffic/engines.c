/* SPDX-License-Identifier: BSD-2-Clause */
/* engines.c - the engines that are built in. */
#include <stddef.h>

#include "traffic/engine.h"

const struct rt_engine_ops *const rt_engines[] = {
	NULL,
};
