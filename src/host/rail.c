/* SPDX-License-Identifier: BSD-2-Clause */
/* rail.c - which entry of a profile's rails means a device. */
#include "host/rail.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool is_rail(const struct rt_device *device)
{
	return device->function == RT_FUNCTION_PF && *device->pci &&
	       device->link_layer == RT_LINK_ETHERNET;
}

/* Addresses have a fixed form, so that their order is that of their texts. */
static bool is_before(const struct rt_device *a, const struct rt_device *b)
{
	const int order = strcmp(a->pci, b->pci);

	return order < 0 || (order == 0 && a->port < b->port);
}

struct rt_opt_u64 rt_device_rail(const struct rt_devices *devices,
				 const struct rt_device *device)
{
	uint64_t number = 0;

	if (!is_rail(device))
		return (struct rt_opt_u64){ 0 };
	for (size_t i = 0; i < devices->count; i++)
		number += is_rail(&devices->items[i]) &&
			  is_before(&devices->items[i], device);
	return RT_KNOWN_U64(number);
}

/* "0-3,6": the reader of profiles let only digits, '-' and ',' pass. */
static bool in_list(const char *list, uint64_t number)
{
	for (; *list; list += strcspn(list, ","), list += *list == ',') {
		uint64_t low, high;
		const int n = sscanf(list, "%" SCNu64 "-%" SCNu64, &low, &high);

		if (n >= 1 && number >= low && number <= (n == 2 ? high : low))
			return true;
	}
	return false;
}

static bool selects(const struct rt_rail *rail, const struct rt_device *device,
		    struct rt_opt_u64 number)
{
	switch (rail->kind) {
	case RT_RAIL_INDEX: return number.known && in_list(rail->pattern, number.value);
	case RT_RAIL_NETDEV: return fnmatch(rail->pattern, device->netdev, 0) == 0;
	case RT_RAIL_PCI: return fnmatch(rail->pattern, device->pci, 0) == 0;
	case RT_RAIL_IBDEV: return fnmatch(rail->pattern, device->ibdev, 0) == 0;
	}
	return false;
}

size_t rt_rail_of(const struct rt_profile *profile, const struct rt_devices *devices,
		  const struct rt_device *device)
{
	const struct rt_opt_u64 number = rt_device_rail(devices, device);

	for (size_t i = 0; i < profile->rail_count; i++)
		if (selects(&profile->rails[i], device, number))
			return i;
	return RT_RAIL_NONE;
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
