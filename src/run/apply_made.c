/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * apply_made.c - configfs folders that are made so that old values can be read: what is
 * not known cannot be put back.
 */
#include <stdio.h>
#include <string.h>

#include "run/apply_work.h"

static bool make(const struct rt_apply *apply, struct rt_apply_item *item,
		 const char *folder)
{
	if (item->made_count == RT_APPLY_MADE_MOST ||
	    apply->kern->ops->folder_make(apply->kern, folder, NULL) < 0)
		return false;
	snprintf(item->made[item->made_count++], RT_ROW_PATH_BYTES, "%s", folder);
	return true;
}

bool rt_apply_make_folders(const struct rt_apply *apply, struct rt_apply_item *item)
{
	char folder[RT_ROW_PATH_BYTES];
	bool made = false;

	for (size_t i = 0; i < item->plan.change_count; i++)
		if (rt_row_unmade(&item->port, item->plan.changes[i].row, folder))
			made |= make(apply, item, folder);
	return made;
}

/* Without the folder nobody could see what was set, or is left to be undone. */
static bool is_needed(const struct rt_apply *apply, const struct rt_apply_item *item)
{
	for (size_t i = 0; i < apply->count; i++) {
		const struct rt_apply_item *other = &apply->items[i];

		if (strcmp(other->device.ibdev, item->device.ibdev) == 0 &&
		    other->shown &&
		    (other->shown->end == RT_APPLY_COMMITTED ||
		     other->shown->end == RT_APPLY_UNCONFIRMED ||
		     other->shown->end == RT_APPLY_STUCK))
			return true;
	}
	return false;
}

void rt_apply_remove_folders(const struct rt_apply *apply)
{
	for (size_t i = 0; i < apply->count; i++) {
		const struct rt_apply_item *item = &apply->items[i];

		if (item->made_count && is_needed(apply, item))
			continue;
		for (size_t f = item->made_count; f > 0; f--)
			apply->kern->ops->folder_remove(apply->kern, item->made[f - 1],
							NULL);
	}
}
