/* SPDX-License-Identifier: BSD-2-Clause */
/* layout.h - what the user chose, in a file. */
#ifndef RT_DASH_LAYOUT_H
#define RT_DASH_LAYOUT_H

#include "dash/ui.h"

struct rt_err;

/* Written aside and renamed; a folder that is missing is made.  What writing said. */
int rt_dash_layout_save(const char *path, const struct rt_dash_ui *ui,
			struct rt_err *err);

/* Into *ui.  No such file: nothing changes, and 0.  -EINVAL: it is no layout. */
int rt_dash_layout_load(const char *path, struct rt_dash_ui *ui, struct rt_err *err);

#endif
