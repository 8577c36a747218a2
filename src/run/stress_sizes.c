/* SPDX-License-Identifier: BSD-2-Clause */
/* stress_sizes.c - sizes of messages that are not all alike. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/doc.h"
#include "base/own.h"
#include "model/scenario_reader.h"
#include "model/sizes.h"
#include "rocetune/err.h"
#include "run/stress_planning.h"

static size_t count_words(const char *text)
{
	size_t count = 1;

	for (; *text; text++)
		count += *text == ',';
	return count;
}

/*
 * "4KB,64KB,1MB": each as often as the others.  In a distribution a size of its own is
 * a step: two points with its share between them.
 */
static int read_list(const char *text, struct rt_workload_spec *spec,
		     struct rt_err *err)
{
	RT_AUTO(rt_auto_free) char *copy = strdup(text);
	const size_t count = count_words(text);
	char *rest = copy, *word;
	size_t at = 0;
	int r = 0;

	spec->sizes = calloc(count * 2, sizeof(*spec->sizes));
	if (!copy || !spec->sizes)
		return rt_err_sys(err, -ENOMEM, "cannot hold the sizes");
	while (r == 0 && (word = strsep(&rest, ","))) {
		uint64_t bytes = 0;

		r = rt_unit_parse(RT_UNIT_BYTES, word, &bytes, err);
		if (r == 0 && at && bytes < spec->sizes[at - 1].bytes)
			r = rt_err_set(err, -EINVAL, "--sizes: they are to rise");
		spec->sizes[at] = (struct rt_size_point){ bytes,
							  at / 2 * RT_PPB / count };
		spec->sizes[at + 1] =
			(struct rt_size_point){ bytes, (at / 2 + 1) * RT_PPB / count };
		at += 2;
	}
	spec->size_count = at;
	return r;
}

/* The name of a published distribution, or a file with a list of points. */
static int read_distribution(const char *text, struct rt_workload_spec *spec,
			     struct rt_err *err)
{
	char name[] = "--sizes";
	const struct rt_doc doc = { .name = name };
	const struct rt_node node = {
		.kind = RT_NODE_SCALAR, .line = 1, .column = 1, .text = text
	};
	const struct rt_scenario_reader in = { .doc = &doc,
					       .err = err,
					       .may_open = true };

	return rt_scenario_read_sizes(&in, &node, spec);
}

static int check_sizes(const struct rt_workload_spec *spec, struct rt_err *err)
{
	if (spec->size_count > RT_SIM_MAX_SIZES)
		return rt_err_set(err, -EDOM, "--sizes: more than %u",
				  RT_SIM_MAX_SIZES);
	for (size_t i = 0; i < spec->size_count; i++)
		if (spec->sizes[i].bytes > RT_STRESS_MAX_MESSAGE)
			return rt_err_set(err, -EDOM,
					  "--sizes: a message has at most 1 GiB");
	if (!spec->size_count || !spec->sizes[spec->size_count - 1].bytes)
		return rt_err_set(err, -EDOM, "--sizes: every message would be empty");
	return 0;
}

int rt_stress_read_sizes(const char *text, struct rt_workload_spec *spec,
			 struct rt_err *err)
{
	const bool list = strchr(text, ',') ||
			  (*text >= '0' && *text <= '9' && !strchr(text, '/') &&
			   !strchr(text, '.'));
	int r = list ? read_list(text, spec, err) : read_distribution(text, spec, err);

	if (list && r == -EINVAL)
		return -EDOM;
	return r < 0 ? r : check_sizes(spec, err);
}
