/* SPDX-License-Identifier: BSD-2-Clause */
/* rail_select.c - which entry of a profile's rails a port falls under. */
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/device.h"
#include "rocetune/err.h"
#include "run/rails.h"

static bool is_rail(const struct rt_device *device)
{
	return device->link_layer == RT_LAYER_ETHERNET && *device->pci &&
	       device->function != RT_FUNCTION_VF && device->function != RT_FUNCTION_SF;
}

static int by_place(const struct rt_device *a, const struct rt_device *b)
{
	const int order = strcmp(a->pci, b->pci);

	return order ? order : (a->port > b->port) - (a->port < b->port);
}

struct rt_opt_u64 rt_rail_number(const struct rt_devices *devices,
				 const struct rt_device *device)
{
	uint64_t number = 0;

	if (!is_rail(device))
		return (struct rt_opt_u64){ 0 };
	for (size_t i = 0; i < devices->count; i++)
		number += is_rail(&devices->items[i]) &&
			  by_place(&devices->items[i], device) < 0;
	return RT_KNOWN_U64(number);
}

/* "0-3,6": the reader let only digits, '-' and ',' through. */
static bool in_list(const char *list, uint64_t number)
{
	for (const char *at = list; *at;) {
		char *end;
		const uint64_t first = strtoull(at, &end, 10);
		uint64_t last = first;

		if (end == at)
			return false;
		if (*end == '-') {
			at = end + 1;
			last = strtoull(at, &end, 10);
			if (end == at)
				return false;
		}
		if (number >= first && number <= last)
			return true;
		at = *end == ',' ? end + 1 : end;
		if (at == end && *end)
			return false;
	}
	return false;
}

static bool selects(const struct rt_rail *rail, const struct rt_devices *devices,
		    const struct rt_device *device)
{
	const struct rt_opt_u64 number = rt_rail_number(devices, device);

	switch (rail->kind) {
	case RT_RAIL_INDEX: return number.known && in_list(rail->pattern, number.value);
	case RT_RAIL_NETDEV: return fnmatch(rail->pattern, device->netdev, 0) == 0;
	case RT_RAIL_PCI: return fnmatch(rail->pattern, device->pci, 0) == 0;
	case RT_RAIL_IBDEV: return fnmatch(rail->pattern, device->ibdev, 0) == 0;
	}
	return false;
}

int rt_rail_select(const struct rt_profile *profile, const struct rt_devices *devices,
		   const struct rt_device *device, size_t *ret_rail, struct rt_err *err)
{
	size_t found = RT_RAIL_NONE;

	for (size_t i = 0; i < profile->rail_count; i++) {
		if (!selects(&profile->rails[i], devices, device))
			continue;
		if (found != RT_RAIL_NONE)
			return rt_err_set(err, -EINVAL,
					  "%s: two rails of the profile select it: "
					  "\"%.60s\" and \"%.60s\"",
					  device->ibdev, profile->rails[found].select,
					  profile->rails[i].select);
		found = i;
	}
	*ret_rail = found;
	return 0;
}

char *rt_rail_leaf(const struct rt_rail *rail, struct rt_opt_u64 number, char *buf,
		   size_t bytes)
{
	static const char word[] = "{rail}";
	const char *hole = rail->leaf ? strstr(rail->leaf, word) : NULL;

	if (!rail->leaf || (hole && !number.known))
		snprintf(buf, bytes, "%s", "");
	else if (!hole)
		snprintf(buf, bytes, "%s", rail->leaf);
	else
		snprintf(buf, bytes, "%.*s%" PRIu64 "%s", (int)(hole - rail->leaf),
			 rail->leaf, number.value, hole + strlen(word));
	return buf;
}
