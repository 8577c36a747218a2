/* SPDX-License-Identifier: BSD-2-Clause */
/* knob_names.c - names of knobs as people write them. */
#include "run/knob_names.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "host/driver.h"
#include "rocetune/err.h"

#define NAMES_MOST 1024 /* all drivers' raw knobs, one name as often as it is there */

static size_t all_names(const char *names[NAMES_MOST])
{
	size_t count = 0;

	for (unsigned id = 0; id < RT_KNOB_COUNT; id++)
		names[count++] = rt_knobs[id].name;
	for (size_t d = 0; rt_drivers[d]; d++)
		for (size_t i = 0; i < rt_drivers[d]->row_count && count < NAMES_MOST;
		     i++)
			if (rt_drivers[d]->rows[i].raw)
				names[count++] = rt_drivers[d]->rows[i].raw;
	return count;
}

int rt_knob_names_check(const char *const *names, struct rt_err *err)
{
	const char *known[NAMES_MOST], *near;
	const size_t count = all_names(known);

	for (; *names; names++) {
		size_t n = 0;

		while (n < count && strcmp(known[n], *names) != 0)
			n++;
		if (n < count)
			continue;
		near = rt_text_nearest(*names, known, count);
		return rt_err_set(err, -EINVAL, "no knob is called '%.60s'%s%s", *names,
				  near ? ": did you mean " : "",
				  near ? near : ": `rocetune show DEV` names them");
	}
	return 0;
}
