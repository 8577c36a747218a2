/* SPDX-License-Identifier: BSD-2-Clause */
/* memory.c - registered memory: huge pages where there are, and the limit before it. */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/file.h"
#include "base/own.h"
#include "rocetune/err.h"
#include "traffic/verbs/choose.h"
#include "traffic/verbs/verbs.h"

/* A smaller region would leave most of a huge page unused. */
#define HUGE_BYTES (UINT64_C(2) << 20)

static int may_lock(uint64_t bytes, struct rt_err *err)
{
	struct verbs_lock_room room = { .limit_bytes = UINT64_MAX };
	char *text RT_AUTO(rt_auto_free) = NULL;
	char status[8192];
	struct rlimit limit;
	size_t length = 0;

	if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
		room.limit_bytes = limit.rlim_cur;
	/* Without it nothing is known to be exempt or in use: the kernel decides. */
	if (rt_file_read("/proc/self/status", 1 << 20, &text, &length, NULL) < 0)
		return 0;
	if (length >= sizeof(status))
		length = sizeof(status) - 1;
	memcpy(status, text, length);
	status[length] = '\0';
	verbs_lock_room_read(status, &room);
	return verbs_lock_check(&room, bytes, err);
}

static void *map(uint64_t bytes, int flags)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

int verbs_region_make(struct verbs_engine *engine, uint64_t bytes,
		      struct verbs_region *ret_region, struct rt_err *err)
{
	struct verbs_region region = { .bytes = bytes };
	int r;

	region.mapped_bytes = (bytes + 4095) / 4096 * 4096;
	r = may_lock(region.mapped_bytes, err);
	if (r < 0)
		return r;
	if (bytes >= HUGE_BYTES) {
		const uint64_t whole = (bytes + HUGE_BYTES - 1) / HUGE_BYTES *
				       HUGE_BYTES;

		region.memory = map(whole, MAP_HUGETLB | MAP_POPULATE);
		region.huge = region.memory != NULL;
		if (region.huge)
			region.mapped_bytes = whole;
	}
	if (!region.memory)
		region.memory = map(region.mapped_bytes, MAP_POPULATE);
	if (!region.memory)
		return rt_err_sys(err, -errno, "%llu bytes of memory for a queue pair",
				  (unsigned long long)bytes);
	region.mr = ibv_reg_mr(engine->pd, region.memory, bytes,
			       IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
				       IBV_ACCESS_REMOTE_READ);
	if (!region.mr) {
		r = rt_err_sys(err, -errno, "%llu bytes cannot be registered with %s",
			       (unsigned long long)bytes, engine->about.device);
		munmap(region.memory, region.mapped_bytes);
		return r;
	}
	engine->about.huge_pages = engine->about.huge_pages || region.huge;
	*ret_region = region;
	return 0;
}

void verbs_region_free(struct verbs_region *region)
{
	if (region->mr)
		ibv_dereg_mr(region->mr);
	if (region->memory)
		munmap(region->memory, region->mapped_bytes);
	*region = (struct verbs_region){ 0 };
}
