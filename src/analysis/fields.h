/* SPDX-License-Identifier: BSD-2-Clause */
/* fields.h - what the files that describe the result have in common. */
#ifndef RT_ANALYSIS_FIELDS_H
#define RT_ANALYSIS_FIELDS_H

#include "rocetune/field.h"

#define QUIET  RT_FIELD_ZERO_QUIET
#define DETAIL RT_FIELD_DETAIL
#define DATA   RT_FIELD_DATA

/* By opcode >> 5, and RT_TRANSPORT_UNKNOWN. */
extern const struct rt_name rt_transport_names[];

#endif
