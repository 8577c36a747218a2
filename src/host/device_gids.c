/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * device_gids.c - the addresses of an RDMA port.
 *
 * A table has 256 entries and more, nearly all of them zero, and a host of eight
 * NICs has eight: what is zero is passed over at its first file.  Files:
 * Documentation/ABI/stable/sysfs-class-infiniband.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "host/device_read.h"
#include "rocetune/err.h"

#define GID_MAX 65536u

/* "fe80:0000:0000:0000:0202:c9ff:fe00:0001"; false: zero, or no GID. */
static bool parse_gid(const char *text, struct rt_ip *ret_address)
{
	static const uint8_t zero[16], mapped[12] = { [10] = 0xff, [11] = 0xff };
	uint8_t bytes[16];

	if (inet_pton(AF_INET6, text, bytes) != 1 || memcmp(bytes, zero, 16) == 0)
		return false;
	*ret_address = (struct rt_ip){ .version = 6 };
	memcpy(ret_address->bytes, bytes, 16);
	if (memcmp(bytes, mapped, sizeof(mapped)) == 0) {
		*ret_address = (struct rt_ip){ .version = 4 };
		memcpy(ret_address->bytes, bytes + 12, 4);
	}
	return true;
}

static char *gid_path(const struct rt_device *device, const char *folder,
		      unsigned index, char buf[RT_PATH_BYTES])
{
	char name[40];

	snprintf(name, sizeof(name), "%s/%u", folder, index);
	return rt_port_path(device, name, buf);
}

/* The kernel says "IB/RoCE v1" of both (core/cache.c gid_type_str). */
static enum rt_gid_type gid_type(const struct rt_device *device, const char *line)
{
	if (strcmp(line, "RoCE v2") == 0)
		return RT_GID_ROCE_V2;
	return device->link_layer == RT_LAYER_INFINIBAND ? RT_GID_IB : RT_GID_ROCE_V1;
}

static int read_gid(struct rt_kern *kern, struct rt_device *device, unsigned index,
		    size_t *capacity, struct rt_err *err)
{
	char path[RT_PATH_BYTES], line[64];
	struct rt_gid gid = { .index = index }, *items;

	if (rt_kern_line(kern, gid_path(device, "gids", index, path), line,
			 sizeof(line), NULL) < 0 ||
	    !parse_gid(line, &gid.address))
		return 0;
	if (rt_kern_line(kern, gid_path(device, "gid_attrs/types", index, path), line,
			 sizeof(line), NULL) < 0)
		line[0] = '\0';
	gid.type = gid_type(device, line);
	if (rt_kern_line(kern, gid_path(device, "gid_attrs/ndevs", index, path),
			 gid.netdev, sizeof(gid.netdev), NULL) < 0)
		gid.netdev[0] = '\0';
	items = rt_grow(device->gids, device->gid_count, capacity, sizeof(*items));
	if (!items)
		return rt_err_sys(err, -ENOMEM, "cannot hold the GIDs");
	device->gids = items;
	items[device->gid_count++] = gid;
	return 0;
}

static int by_number(const void *a, const void *b)
{
	const unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return (x > y) - (x < y);
}

/* The folder's names as numbers, ascending; what is none is left out. */
static size_t numbers_of(const struct rt_names *names, unsigned *numbers)
{
	size_t count = 0;

	for (size_t i = 0; i < names->count; i++) {
		char *end;
		const unsigned long number = strtoul(names->items[i], &end, 10);

		if (end > names->items[i] && !*end && number < GID_MAX)
			numbers[count++] = (unsigned)number;
	}
	qsort(numbers, count, sizeof(*numbers), by_number);
	return count;
}

int rt_device_read_gids(struct rt_kern *kern, struct rt_device *device,
			struct rt_err *err)
{
	RT_AUTO(rt_auto_free) unsigned *numbers = NULL;
	struct rt_names names = { 0 };
	char path[RT_PATH_BYTES];
	size_t count, capacity = 0;
	int r = 0;

	if (kern->ops->folder_read(kern, rt_port_path(device, "gids", path), &names,
				   NULL) < 0)
		return 0;
	numbers = calloc(names.count + 1, sizeof(*numbers));
	if (!numbers) {
		rt_names_free(&names);
		return rt_err_sys(err, -ENOMEM, "cannot hold the GIDs");
	}
	count = numbers_of(&names, numbers);
	rt_names_free(&names);
	for (size_t i = 0; i < count && r == 0; i++)
		r = read_gid(kern, device, numbers[i], &capacity, err);
	return r;
}
