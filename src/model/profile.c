/* SPDX-License-Identifier: BSD-2-Clause */
/* profile.c - questions to a profile that is read. */
#include "rocetune/profile.h"

#include <stdio.h>
#include <string.h>

const struct rt_class *rt_profile_class(const struct rt_profile *profile,
					const char *name)
{
	for (size_t i = 0; i < profile->class_count; i++)
		if (strcmp(profile->classes[i].name, name) == 0)
			return &profile->classes[i];
	return NULL;
}

const struct rt_class *rt_profile_class_of_dscp(const struct rt_profile *profile,
						unsigned dscp)
{
	for (size_t i = 0; i < profile->class_count && dscp < 64; i++)
		if (rt_setting_known(&profile->classes[i].dscp) &&
		    profile->classes[i].dscp.number >> dscp & 1)
			return &profile->classes[i];
	return NULL;
}

const struct rt_class *rt_profile_class_of_kind(const struct rt_profile *profile,
						enum rt_class_kind kind)
{
	for (size_t i = 0; i < profile->class_count; i++)
		if (rt_setting_or(&profile->classes[i].kind, RT_CLASS_DATA) == kind)
			return &profile->classes[i];
	return NULL;
}

bool rt_class_is_lossless(const struct rt_class *which)
{
	return rt_setting_or(&which->lossless, false) != 0;
}

unsigned rt_profile_lossless_count(const struct rt_profile *profile)
{
	unsigned mask = 0, nameless = 0;

	for (size_t i = 0; i < profile->class_count; i++) {
		const struct rt_class *class = &profile->classes[i];

		if (rt_class_is_lossless(class) && rt_setting_known(&class->prio))
			mask |= 1u << class->prio.number;
		else
			nameless += rt_class_is_lossless(class);
	}
	return (unsigned)__builtin_popcount(mask) + nameless;
}

/* A name that does not fit loses its beginning, never the line. */
char *rt_place_format(const struct rt_place *place, char buf[RT_PLACE_TEXT_BYTES])
{
	char numbers[32];
	size_t room, length;

	buf[0] = '\0';
	if (!place->line || !place->file)
		return buf;
	room = RT_PLACE_TEXT_BYTES -
	       (size_t)snprintf(numbers, sizeof(numbers), ":%u:%u", place->line,
				place->column) -
	       1;
	length = strlen(place->file);
	if (length <= room)
		snprintf(buf, RT_PLACE_TEXT_BYTES, "%s%s", place->file, numbers);
	else
		snprintf(buf, RT_PLACE_TEXT_BYTES, "...%s%s",
			 place->file + (length - room) + 3, numbers);
	return buf;
}
