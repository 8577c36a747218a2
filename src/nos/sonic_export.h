/* SPDX-License-Identifier: BSD-2-Clause */
/* sonic_export.h - export of rt_nos_sonic; see nos.h. */
#ifndef RT_NOS_SONIC_EXPORT_H
#define RT_NOS_SONIC_EXPORT_H

struct rt_err;
struct rt_json;
struct rt_nos_wish;

int sonic_export(const struct rt_nos_wish *wish, struct rt_json **ret_patch,
		 struct rt_err *err);

#endif
