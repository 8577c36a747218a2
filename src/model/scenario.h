/* SPDX-License-Identifier: BSD-2-Clause */
/* scenario.h - names that scenarios use, for help and documentation. */
#ifndef RT_MODEL_SCENARIO_H
#define RT_MODEL_SCENARIO_H

#include "base/text.h"

/* enum rt_model_option by name, and what each does. */
extern const struct rt_name rt_model_options[];

#endif
