/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/watch_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rocetune/err.h"

#define SECOND_NS UINT64_C(1000000000)

/* People's fingers know "-d 1". */
static int read_interval(const char *text, uint64_t *ret_ns, struct rt_err *err)
{
	char seconds[64];
	uint64_t ns;
	int r;

	if (strspn(text, "0123456789.") == strlen(text)) {
		snprintf(seconds, sizeof(seconds), "%.60ss", text);
		text = seconds;
	}
	r = rt_unit_parse(RT_UNIT_NS, text, &ns, err);
	if (r < 0)
		return r;
	if (ns < SECOND_NS / 10 || ns > 60 * SECOND_NS)
		return rt_err_set(err, -ERANGE, "--interval: %s: 100ms to 60s", text);
	*ret_ns = ns;
	return 0;
}

int rt_watch_options_take(const struct rt_watch_options *options, uint64_t usual_ns,
			  struct rt_watch_wanted *ret_wanted, struct rt_err *err)
{
	struct rt_watch_request *request = &ret_wanted->request;
	int r = 0;

	request->interval_ns = 0; /* what suits a scenario */
	request->sysroot = options->sysroot;
	request->lab = options->lab;
	request->scenario = options->scenario;
	request->replay = options->replay;
	request->demo = options->demo;
	if (options->interval)
		r = read_interval(options->interval, &request->interval_ns, err);
	else if (!options->scenario)
		request->interval_ns = usual_ns;
	if (r == 0)
		r = rt_words_split(options->ports, &ret_wanted->ports, err);
	if (r == 0)
		r = rt_words_split(options->exclude, &ret_wanted->exclude, err);
	request->ports = ret_wanted->ports.items;
	request->exclude = ret_wanted->exclude.items;
	return r;
}

void rt_watch_wanted_free(struct rt_watch_wanted *wanted)
{
	free(wanted->ports.text);
	free(wanted->exclude.text);
}
