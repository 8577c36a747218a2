/* SPDX-License-Identifier: BSD-2-Clause */
#include "nos/nos.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/own.h"
#include "model/switch_build.h"
#include "rocetune/err.h"

const struct rt_nos *const rt_nos_list[] = {
	&rt_nos_sonic,
	&rt_nos_eos,
	NULL,
};

const struct rt_nos *rt_nos_find(const char *name)
{
	for (const struct rt_nos *const *at = rt_nos_list; *at; at++)
		if (strcmp((*at)->name, name) == 0)
			return *at;
	return NULL;
}

static const struct rt_nos *recognise(const char *text, size_t bytes)
{
	for (const struct rt_nos *const *at = rt_nos_list; *at; at++)
		if ((*at)->recognise(text, bytes))
			return *at;
	return NULL;
}

int rt_nos_parse(const struct rt_nos *nos, const char *name, const char *text,
		 size_t bytes, const struct rt_nos_table *headroom,
		 struct rt_findings *complaints, struct rt_switch **ret_sw,
		 struct rt_err *err)
{
	RT_AUTO(rt_auto_switch_free) struct rt_switch *sw = NULL;
	int r;

	if (bytes > RT_NOS_MAX_BYTES)
		return rt_err_set(err, -EFBIG, "%s: larger than %u MiB", name,
				  RT_NOS_MAX_BYTES >> 20);
	if (!nos)
		nos = recognise(text, bytes);
	if (!nos)
		return rt_err_set(err, -EINVAL,
				  "%s:1:1: no configuration of a switch system that is "
				  "known here; name it with --nos",
				  name);
	r = rt_switch_new(nos->name, name, &sw, err);
	if (r == 0)
		r = nos->parse(sw, text, bytes, complaints, err);
	if (r == 0 && headroom)
		r = rt_switch_headroom_parse(sw, headroom->name, headroom->text,
					     headroom->bytes, err);
	if (r == 0 && headroom)
		r = rt_switch_headroom_bind(sw, err);
	if (r < 0)
		return r;
	rt_switch_finish(sw, complaints);
	*ret_sw = rt_steal(&sw);
	return 0;
}

int rt_nos_read(const struct rt_nos *nos, const char *path, const char *headroom_path,
		struct rt_findings *complaints, struct rt_switch **ret_sw,
		struct rt_err *err)
{
	RT_AUTO(rt_auto_free) char *text = NULL;
	RT_AUTO(rt_auto_free) char *table = NULL;
	struct rt_nos_table headroom = { 0 };
	size_t bytes = 0;
	int r = rt_file_read(path, RT_NOS_MAX_BYTES, &text, &bytes, err);

	if (r == 0 && headroom_path)
		r = rt_file_read(headroom_path, RT_NOS_MAX_BYTES, &table,
				 &headroom.bytes, err);
	if (r < 0)
		return r;
	if (headroom_path) {
		headroom.name = rt_file_name(headroom_path);
		headroom.text = table;
	}
	return rt_nos_parse(nos, rt_file_name(path), text, bytes,
			    headroom_path ? &headroom : NULL, complaints, ret_sw, err);
}
