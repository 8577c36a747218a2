/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_host.c - a host whose kernel says anything: lines "PATH=TEXT" and
 * "PATH->TARGET" are its files and links, what stands behind a line "%" its recorded
 * answers.  Its ports are read with all their knobs; the profile that is shown of each
 * must be one, and ask the port for nothing but what it has.  By the input's length
 * only some of that is done: it takes milliseconds.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bundle.h"
#include "base/own.h"
#include "host/device.h"
#include "host/driver.h"
#include "host/port_profile.h"
#include "kern/image.h"
#include "rocetune/err.h"
#include "rocetune/profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void add_line(struct rt_bundle *bundle, char *line)
{
	char *link = strstr(line, "->"), *equal = strchr(line, '=');

	if (link && (!equal || link < equal)) {
		*link = '\0';
		rt_bundle_add_symlink(bundle, line, link + 2, NULL);
	} else if (equal) {
		*equal = '\0';
		rt_bundle_add_file(bundle, line, equal + 1, strlen(equal + 1), NULL);
	}
}

static struct rt_bundle *make_bundle(char *text)
{
	struct rt_bundle *bundle = rt_bundle_new();
	char *line;

	while (bundle && (line = strsep(&text, "\n"))) {
		if (strcmp(line, "%") != 0) {
			add_line(bundle, line);
			continue;
		}
		if (text)
			rt_bundle_add_file(bundle, RT_ANSWERS_PATH, text, strlen(text),
					   NULL);
		break;
	}
	return bundle;
}

static void check_profile(const struct rt_device *device, const struct rt_qos *have)
{
	RT_AUTO(rt_auto_profile_free) struct rt_profile *profile = NULL;
	RT_AUTO(rt_auto_free) char *yaml = NULL;
	const struct rt_qos_port port = { .driver = device->driver_name,
					  .speed_bps = device->speed_bps };
	struct rt_qos_want want;
	struct rt_err err = { 0 };

	if (rt_port_profile(device, have, &yaml, &err) < 0)
		abort();
	if (rt_profile_parse("shown", yaml, strlen(yaml), NULL, NULL, &profile, &err) <
		    0 ||
	    rt_qos_want(profile, &port, &want, &err) < 0) {
		fprintf(stderr, "%s\n%s", err.msg, yaml);
		abort();
	}
	for (unsigned id = 0; id < RT_KNOB_COUNT; id++)
		if (rt_knob_differs(&rt_knobs[id], &have->knobs[id],
				    &want.qos.knobs[id])) {
			fprintf(stderr, "%s\n%s", rt_knobs[id].name, yaml);
			abort();
		}
}

static void look_at(struct rt_kern *kern, const struct rt_device *device)
{
	struct rt_device at;
	const struct rt_host_port port = { kern, &at, device->driver };
	struct rt_qos qos = { 0 };

	rt_device_enter_bond(device, &at);
	if (device->driver && device->driver->row_count &&
	    rt_host_read(&port, &qos, NULL) == 0)
		check_profile(device, &qos);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char *text = malloc(bytes + 1);
	struct rt_devices devices = { 0 };
	struct rt_bundle *bundle;
	struct rt_kern *kern;

	if (!text)
		return 0;
	memcpy(text, data, bytes);
	text[bytes] = '\0';
	bundle = make_bundle(text);
	if (!bundle || rt_kern_open_bundle(bundle, &kern, NULL) < 0) {
		rt_bundle_free(bundle);
		free(text);
		return 0;
	}
	if (rt_devices_read(kern,
			    RT_DEVICE_GIDS | RT_DEVICE_USE |
				    (bytes % 4 ? 0 : RT_DEVICE_GROUPS),
			    &devices, NULL) == 0) {
		for (size_t i = 0; i < devices.count && bytes % 4 == 1; i++)
			look_at(kern, &devices.items[i]);
		if (devices.count)
			rt_device_find(&devices, devices.items[0].pci, NULL);
		rt_devices_free(&devices);
	}
	rt_kern_close(kern);
	free(text);
	return 0;
}
