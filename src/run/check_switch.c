/* SPDX-License-Identifier: BSD-2-Clause */
/* check_switch.c - switch configurations of a check, each read once. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/own.h"
#include "model/switch.h"
#include "nos/nos.h"
#include "rocetune/err.h"
#include "run/check_parts.h"

#define PATH_BYTES 4096

static struct rt_check_switch *known(struct rt_check_switches *switches,
				     const char *path)
{
	for (size_t i = 0; i < switches->count; i++)
		if (strcmp(switches->items[i].sw->file, path) == 0)
			return &switches->items[i];
	return NULL;
}

int rt_check_switch_file(struct rt_check_switches *switches, const char *path,
			 struct rt_check_switch **ret_switch, struct rt_err *err)
{
	struct rt_check_switch *item = known(switches, path);
	const char *file = strrchr(path, '/');
	struct rt_check_switch added = { 0 };
	void *grown;
	int r;

	if (item) {
		*ret_switch = item;
		return 0;
	}
	grown = rt_grow(switches->items, switches->count, &switches->capacity,
			sizeof(added));
	if (!grown)
		return rt_err_set(err, -ENOMEM, "out of memory");
	switches->items = grown;
	r = rt_nos_read(NULL, path, switches->headroom, &added.complaints, &added.sw,
			err);
	if (r < 0) {
		rt_findings_free(&added.complaints);
		return r;
	}
	snprintf(added.name, sizeof(added.name), "%s",
		 rt_setting_known(&added.sw->hostname) && added.sw->hostname.text
			 ? added.sw->hostname.text
		 : file ? file + 1
			: path);
	item = &switches->items[switches->count++];
	*item = added;
	*ret_switch = item;
	return 0;
}

/* The name comes from the network: it must not lead out of the folder. */
static bool is_file_name(const char *name, size_t bytes)
{
	return bytes > 0 && bytes < 200 && *name != '.' && !memchr(name, '/', bytes);
}

static bool find_file(const char *folder, const char *name, size_t bytes,
		      char path[PATH_BYTES])
{
	static const char *const endings[] = { ".json", ".cfg", ".conf", ".txt", "" };

	for (size_t i = 0; i < RT_ARRAY_SIZE(endings); i++) {
		snprintf(path, PATH_BYTES, "%s/%.*s%s", folder, (int)bytes, name,
			 endings[i]);
		if (rt_file_is_regular(path))
			return true;
	}
	return false;
}

int rt_check_switch_named(struct rt_check_switches *switches, const char *folder,
			  const char *name, struct rt_check_switch **ret_switch,
			  struct rt_err *err)
{
	const size_t whole = strlen(name), host = strcspn(name, ".");
	char path[PATH_BYTES];

	if (!is_file_name(name, whole))
		return rt_err_set(err, -ENOENT, "'%.60s' is no name of a file", name);
	if (!find_file(folder, name, whole, path) &&
	    !find_file(folder, name, host, path))
		return rt_err_set(err, -ENOENT,
				  "%s has no configuration of %.60s (.json, .cfg, "
				  ".conf, .txt)",
				  folder, name);
	return rt_check_switch_file(switches, path, ret_switch, err);
}

int rt_check_switch_folder(const char *folder, struct rt_err *err)
{
	struct stat is;

	if (stat(folder, &is) < 0)
		return rt_err_sys(err, -errno, "--switch-dir %s", folder);
	return S_ISDIR(is.st_mode)
		       ? 0
		       : rt_err_set(err, -ENOTDIR, "--switch-dir %s: is no folder",
				    folder);
}

void rt_check_switches_free(struct rt_check_switches *switches)
{
	for (size_t i = 0; i < switches->count; i++) {
		rt_switch_free(switches->items[i].sw);
		rt_findings_free(&switches->items[i].complaints);
	}
	free(switches->items);
	*switches = (struct rt_check_switches){ 0 };
}
