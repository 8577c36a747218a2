/* SPDX-License-Identifier: BSD-2-Clause */
/* scenario.h - what the scenario reader and its tables share. */
#ifndef RT_MODEL_SCENARIO_H
#define RT_MODEL_SCENARIO_H

#include "base/text.h"

/* How a key's value is kept: rt_scenario_key.type. */
enum rt_key_type {
	RT_KEY_U32,
	RT_KEY_U64,
	RT_KEY_OPT,     /* struct rt_opt_u64 */
	RT_KEY_ENUM,    /* unsigned, one of names */
	RT_KEY_OPTIONS, /* list of names, or-ed into an unsigned */
	RT_KEY_CHARS,   /* char[max + 1] */
};

/* enum rt_model_option by name, and what each does. */
extern const struct rt_name rt_model_options[];

#endif
