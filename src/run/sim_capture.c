/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/sim_capture.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/own.h"
#include "fabric/fabric.h"
#include "rocetune/capture.h"
#include "rocetune/err.h"

int rt_sim_capture_ports(const char *text, const struct rt_scenario *scenario,
			 char **ret_names,
			 const char *ret_ports[RT_SIM_CAPTURE_PORTS + 1],
			 struct rt_err *err)
{
	RT_AUTO(rt_auto_free) char *names = strdup(text);
	char *rest = names;
	size_t count = 0;

	if (!names)
		return rt_err_sys(err, -ENOMEM, "cannot hold the ports' names");
	while (rest) {
		const char *word = strsep(&rest, ",");

		if (!*word)
			return rt_err_set(err, -EDOM,
					  "'%s' has an empty name where a port to "
					  "capture should be",
					  text);
		if (count == RT_SIM_CAPTURE_PORTS)
			return rt_err_set(err, -EDOM, "more than %d ports to capture",
					  RT_SIM_CAPTURE_PORTS);
		ret_ports[count++] = word;
	}
	ret_ports[count] = NULL;
	if (rt_fabric_check_ports(scenario, ret_ports, err) < 0)
		return -EDOM;
	*ret_names = rt_steal(&names);
	return 0;
}

static bool is_file(const struct stat *file, const char *path)
{
	struct stat other;

	return path && *path && stat(path, &other) == 0 &&
	       file->st_dev == other.st_dev && file->st_ino == other.st_ino;
}

/* Both byte orders, micro- and nanoseconds; pcapng's reads the same both ways. */
static bool is_capture(const char *path)
{
	static const uint8_t starts[][4] = {
		{ 0x0a, 0x0d, 0x0d, 0x0a }, { 0xa1, 0xb2, 0xc3, 0xd4 },
		{ 0xd4, 0xc3, 0xb2, 0xa1 }, { 0xa1, 0xb2, 0x3c, 0x4d },
		{ 0x4d, 0x3c, 0xb2, 0xa1 },
	};
	RT_AUTO(rt_auto_fclose) FILE *from = fopen(path, "rbe");
	uint8_t start[4];

	if (!from || fread(start, 1, sizeof(start), from) != sizeof(start))
		return false;
	for (size_t i = 0; i < RT_ARRAY_SIZE(starts); i++)
		if (memcmp(start, starts[i], sizeof(start)) == 0)
			return true;
	return false;
}

int rt_sim_capture_create(const char *path, const char *scenario, const char *profile,
			  struct rt_sink **ret_sink, struct rt_err *err)
{
	struct stat file;

	if (strcmp(path, "-") == 0 || stat(path, &file) < 0 || !S_ISREG(file.st_mode))
		return rt_capture_create(path, 0, ret_sink, err);
	if (is_file(&file, scenario) || is_file(&file, profile))
		return rt_err_set(err, -EDOM,
				  "%s is what is to be simulated: the capture would go "
				  "over it",
				  path);
	if (file.st_size > 0 && !is_capture(path))
		return rt_err_set(err, -EEXIST,
				  "%s is there and is no capture: remove it first, or "
				  "name another file",
				  path);
	return rt_capture_create(path, 0, ret_sink, err);
}
