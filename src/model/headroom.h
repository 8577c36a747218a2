/* SPDX-License-Identifier: BSD-2-Clause */
/* headroom.h - the headroom models as words of a profile. */
#ifndef RT_MODEL_HEADROOM_H
#define RT_MODEL_HEADROOM_H

#include "base/text.h"

/* Values are indices of rt_headroom_models. */
extern const struct rt_name rt_headroom_model_names[];

#endif
