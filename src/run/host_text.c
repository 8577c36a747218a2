/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/host_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"

bool rt_put(char *buf, size_t bytes, const char *fmt, ...)
{
	const size_t used = strlen(buf), left = bytes > used ? bytes - used : 0;
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(buf + used, left, fmt, args);
	va_end(args);
	if (n >= 0 && (size_t)n < left)
		return true;
	if (left)
		buf[used] = '\0';
	return false;
}

void rt_put_name(char names[RT_HOST_TEXT_BYTES], const char *name)
{
	static const char more[] = ", ...";

	if (strstr(names, more))
		return;
	/* Room for what says that there are more is kept. */
	if (!rt_put(names, RT_HOST_TEXT_BYTES - sizeof(more), "%s%s",
		    *names ? ", " : "", name))
		rt_put(names, RT_HOST_TEXT_BYTES, "%s", more);
}

char *rt_device_title(const struct rt_device *device, char buf[RT_DEVICE_NAME_BYTES])
{
	snprintf(buf, RT_DEVICE_NAME_BYTES, "%s/%u", device->ibdev, device->port);
	return buf;
}

/* PCIe generations by their rate, as the kernel writes it: "32.0 GT/s PCIe". */
static const char *generation(const char *speed)
{
	static const struct {
		const char *rate, *name;
	} rows[] = {
		{ "2.5 GT/s", "Gen1" }, { "5.0 GT/s", "Gen2" },
		{ "5 GT/s", "Gen2" },   { "8.0 GT/s", "Gen3" },
		{ "8 GT/s", "Gen3" },   { "16.0 GT/s", "Gen4" },
		{ "16 GT/s", "Gen4" },  { "32.0 GT/s", "Gen5" },
		{ "32 GT/s", "Gen5" },  { "64.0 GT/s", "Gen6" },
		{ "64 GT/s", "Gen6" },
	};

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		const size_t length = strlen(rows[i].rate);

		if (strncmp(speed, rows[i].rate, length) == 0 &&
		    (speed[length] == '\0' || speed[length] == ' '))
			return rows[i].name;
	}
	return *speed ? speed : "?";
}

char *rt_device_pcie(const struct rt_device *device, char buf[64])
{
	const char *now = generation(device->pcie_speed),
		   *most = generation(device->pcie_max_speed);

	buf[0] = '\0';
	if (!device->pcie_width.known)
		return buf;
	rt_put(buf, 64, "%s x%u", now, (unsigned)device->pcie_width.value);
	if (device->pcie_max_width.known && *device->pcie_max_speed &&
	    (device->pcie_max_width.value != device->pcie_width.value ||
	     strcmp(now, most) != 0))
		rt_put(buf, 64, " of %s x%u", most,
		       (unsigned)device->pcie_max_width.value);
	return buf;
}
