/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * own.h - ownership helpers: cleanup attribute, stealing, array lengths,
 * growing arrays.
 */
#ifndef RT_BASE_OWN_H
#define RT_BASE_OWN_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define RT_ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* Declare a variable whose free function runs when it leaves its scope. */
#define RT_AUTO(fn) __attribute__((cleanup(fn)))

/* Take the pointer out of *var and leave NULL behind. */
#define rt_steal(var)                                  \
	({                                             \
		__typeof__(*(var)) rt_taken_ = *(var); \
		*(var) = NULL;                         \
		rt_taken_;                             \
	})

static inline void rt_auto_free(void *var)
{
	free(*(void **)var);
}

static inline void rt_auto_fclose(FILE **var)
{
	if (*var)
		fclose(*var);
}

/*
 * Make room for one more element: returns the array (moved, perhaps) with
 * *capacity raised, or NULL with the old array still valid when memory ran out.
 */
static inline void *rt_grow(void *array, size_t count, size_t *capacity, size_t size)
{
	size_t wanted;
	void *moved;

	if (count < *capacity)
		return array;
	wanted = *capacity ? *capacity * 2 : 16;
	if (wanted > SIZE_MAX / size)
		return NULL;
	moved = realloc(array, wanted * size);
	if (moved)
		*capacity = wanted;
	return moved;
}

#endif
