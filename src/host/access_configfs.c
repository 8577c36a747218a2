/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * access_configfs.c - knobs under configfs, whose folder of the RDMA device somebody
 * has to make before anything can be read.
 *
 * Reading makes no folder: it says that there is none.  Who is about to write has it
 * made before, so that what was there is known; writing makes it, too, and leaves it,
 * because without it nobody could see what was set; it holds no reference on
 * the device (drivers/infiniband/core/cma_configfs.c).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "host/access_file.h"
#include "rocetune/err.h"

/* Cut a path behind its component "{ib}" (false: it has none). */
static bool folder_of(const char *pattern, char buf[RT_ROW_PATH_BYTES], bool parent)
{
	const char *at = strstr(pattern, "{ib}");
	size_t bytes;

	if (!at)
		return false;
	bytes = (size_t)(at - pattern);
	bytes = parent ? bytes - 1 : bytes + strlen("{ib}");
	if (bytes >= RT_ROW_PATH_BYTES)
		return false;
	memcpy(buf, pattern, bytes);
	buf[bytes] = '\0';
	return true;
}

/* The row's file, and whether its folder is there or could be made. */
struct place {
	char path[RT_ROW_PATH_BYTES], folder[RT_ROW_PATH_BYTES];
	bool made, possible;
};

static int find_place(const struct rt_host_port *port, const struct rt_driver_row *row,
		      struct place *ret_place)
{
	char pattern[RT_ROW_PATH_BYTES], parent[RT_ROW_PATH_BYTES];
	struct place place = { 0 };
	int r = rt_row_path(port, row->path, place.path);

	if (r < 0 || !folder_of(row->path, pattern, false) ||
	    rt_row_path(port, pattern, place.folder) < 0 ||
	    !folder_of(row->path, parent, true))
		return r < 0 ? r : -EINVAL;
	place.made = port->kern->ops->access(port->kern, place.folder, false) == 0;
	place.possible = place.made ||
			 port->kern->ops->access(port->kern, parent, false) == 0;
	*ret_place = place;
	return 0;
}

/* The file's path, or what is said of the knob instead of a value. */
static bool can_read(const struct rt_host_port *port, const struct rt_driver_row *row,
		     struct rt_qos *qos, struct place *place)
{
	int r = find_place(port, row, place);

	if (r == 0 && !place->possible)
		r = -ENOENT;
	if (r < 0)
		rt_row_absent(row, qos, r);
	else if (!place->made)
		rt_row_unknown(row, qos, RT_WHY_NO_FOLDER);
	return r == 0 && place->made;
}

static int make_folder(const struct rt_host_port *port, const struct place *place,
		       struct rt_err *err)
{
	if (place->made)
		return 0;
	return port->kern->ops->folder_make(port->kern, place->folder, err);
}

static int place_to_write(const struct rt_host_port *port,
			  const struct rt_driver_row *row, struct place *place,
			  struct rt_err *err)
{
	int r = find_place(port, row, place);

	if (r < 0)
		return rt_err_sys(err, r, "%s", row->path);
	return make_folder(port, place, err);
}

/* --- numbers ----------------------------------------------------------------------- */

static void read_number(const struct rt_host_port *port,
			const struct rt_driver_row *row, struct rt_qos *qos)
{
	struct place place;

	if (can_read(port, row, qos, &place))
		rt_file_read_number(port, row, place.path, qos);
}

/* The word for it where the row has words. */
static int write_change(const struct rt_host_port *port, const struct rt_plan *plan,
			const struct rt_change *change, struct rt_err *err)
{
	const struct rt_driver_row *row = change->row;
	const char *word;
	struct place place;
	uint64_t raw;
	int r = rt_change_raw(plan, change, 0, &raw, err);

	if (r == 0)
		r = place_to_write(port, row, &place, err);
	if (r < 0)
		return r;
	if (!row->words)
		return rt_file_write_number(port, row, place.path, raw, err);
	word = rt_name_of(row->words, (unsigned)raw);
	if (!word)
		return rt_err_set(err, -EINVAL, "%s: no word for it", place.path);
	return port->kern->ops->file_write(port->kern, place.path, word, err);
}

static int write_row(const struct rt_host_port *port, const struct rt_plan *plan,
		     const struct rt_step *step, struct rt_err *err)
{
	return write_change(port, plan, plan->changes + step->first, err);
}

const struct rt_access rt_access_configfs = {
	.name = "configfs",
	.interface = "configfs",
	.by_row = true,
	.read = read_number,
	.write = write_row,
};

/* --- words ----------------------------------------------------------------------------- */

static void read_word(const struct rt_host_port *port, const struct rt_driver_row *row,
		      struct rt_qos *qos)
{
	struct place place;

	if (can_read(port, row, qos, &place))
		rt_file_word(port, row, place.path, qos);
}

const struct rt_access rt_access_configfs_word = {
	.name = "configfs",
	.interface = "configfs",
	.by_row = true,
	.read = read_word,
	.write = write_row,
};

/* --- Broadcom's cc folder -------------------------------------------------------------- */

/* Older releases change nothing before `apply` is written. */
static int write_bnxt_cc(const struct rt_host_port *port, const struct rt_plan *plan,
			 const struct rt_step *step, struct rt_err *err)
{
	struct place place;
	char *slash;
	int r;

	rt_step_for_each(change, plan, step)
	{
		r = write_change(port, plan, change, err);
		if (r < 0)
			return r;
	}
	r = find_place(port, plan->changes[step->first].row, &place);
	if (r < 0)
		return rt_err_sys(err, r, "cc/apply");
	slash = strrchr(place.path, '/');
	snprintf(slash, sizeof(place.path) - (size_t)(slash - place.path), "/apply");
	return port->kern->ops->file_write(port->kern, place.path, "0x1", err);
}

const struct rt_access rt_access_bnxt_cc = {
	.name = "configfs cc",
	.interface = "configfs",
	.read = read_number,
	.write = write_bnxt_cc,
};

/* --- before a change ------------------------------------------------------------------- */

static bool lacks_folder(const struct rt_driver_row *row, const struct rt_qos *have,
			 const struct rt_qos *want)
{
	const struct rt_raw_value *has, *shall;

	if (!row->raw)
		return want->knobs[row->knob].known && !have->knobs[row->knob].known &&
		       strcmp(have->knobs[row->knob].why, RT_WHY_NO_FOLDER) == 0;
	has = rt_qos_raw(have, row->raw);
	shall = rt_qos_raw(want, row->raw);
	return shall && shall->known && has && !has->known &&
	       strcmp(has->why, RT_WHY_NO_FOLDER) == 0;
}

static void make_for(const struct rt_host_port *port, const struct rt_driver_row *row,
		     struct rt_made *made)
{
	struct place place;

	if (strcmp(row->access->interface, "configfs") != 0 ||
	    made->count == RT_ARRAY_SIZE(made->folders) ||
	    find_place(port, row, &place) < 0 || place.made ||
	    make_folder(port, &place, NULL) < 0)
		return;
	memcpy(made->folders[made->count++], place.folder, sizeof(place.folder));
}

bool rt_host_make_folders(const struct rt_host_port *port, const struct rt_qos *have,
			  const struct rt_qos *want, unsigned groups,
			  struct rt_made *made)
{
	const size_t before = made->count;

	for (size_t i = 0; i < port->driver->row_count; i++) {
		const struct rt_driver_row *row = &port->driver->rows[i];
		const unsigned group = row->raw ? RT_GROUP_CC
						: rt_knobs[row->knob].group;

		if ((!groups || groups >> group & 1) && lacks_folder(row, have, want))
			make_for(port, row, made);
	}
	return made->count > before;
}

void rt_host_remove_folders(const struct rt_host_port *port, struct rt_made *made)
{
	while (made->count)
		port->kern->ops->folder_remove(port->kern, made->folders[--made->count],
					       NULL);
}
