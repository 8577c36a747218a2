/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/pages.h"

#include <stdint.h>
#include <sys/mman.h>

void *rt_pages_grow(void *pages, size_t old_bytes, size_t new_bytes, bool dense)
{
	void *grown = pages ? mremap(pages, old_bytes, new_bytes, MREMAP_MAYMOVE)
			    : mmap(NULL, new_bytes, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (grown == MAP_FAILED)
		return NULL;
	/* a hint: kernels without huge pages refuse it */
	if (dense)
		madvise(grown, new_bytes, MADV_HUGEPAGE);
	return grown;
}

#define HUGE_BYTES (UINT64_C(2) << 20)

void rt_pages_dense(void *memory, size_t bytes)
{
	const uintptr_t from = ((uintptr_t)memory + HUGE_BYTES - 1) & ~(HUGE_BYTES - 1);
	const uintptr_t to = ((uintptr_t)memory + bytes) & ~(HUGE_BYTES - 1);

	if (from < to)
		madvise((char *)memory + (from - (uintptr_t)memory), to - from,
			MADV_HUGEPAGE);
}

void rt_pages_free(void *pages, size_t bytes)
{
	if (pages)
		munmap(pages, bytes);
}
