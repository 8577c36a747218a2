/* SPDX-License-Identifier: BSD-2-Clause */
/* host_options.c - lists of names and times of the commands that change a host. */
#include "cmd/host_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "model/qos.h"
#include "rocetune/err.h"

int rt_words_split(const char *list, struct rt_words *ret_words, struct rt_err *err)
{
	struct rt_words words = { .text = strdup(list ? list : "") };
	char *rest = list ? words.text : NULL, *word;

	if (!words.text)
		return rt_err_sys(err, -ENOMEM, "cannot hold the list");
	while ((word = strsep(&rest, ","))) {
		if (!*word || words.count == RT_WORDS_MOST) {
			free(words.text);
			return rt_err_set(err, -EINVAL,
					  "'%.60s' is no list of up to %d names with "
					  "commas between",
					  list, RT_WORDS_MOST);
		}
		words.items[words.count++] = word;
	}
	*ret_words = words;
	return 0;
}

static int group_of(const char *word, unsigned *groups, struct rt_err *err)
{
	const struct rt_name *name = rt_name_find(rt_group_names, word);
	const char *names[RT_GROUP_COUNT], *near;
	size_t count = 0;

	if (name) {
		*groups |= 1u << name->value;
		return 0;
	}
	for (name = rt_group_names; name->name; name++)
		names[count++] = name->name;
	near = rt_text_nearest(word, names, count);
	return rt_err_set(err, -EINVAL, "no group of knobs is called '%.40s'%s%s", word,
			  near ? ": did you mean "
			       : ": trust, pfc, ets, rate, buffer, dcbx, pause, storm, "
				 "tos, cc",
			  near ? near : "");
}

int rt_groups_parse(const char *list, unsigned *ret_groups, struct rt_err *err)
{
	struct rt_words words;
	unsigned groups = 0;
	int r = rt_words_split(list, &words, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < words.count && r == 0; i++)
		r = group_of(words.items[i], &groups, err);
	free(words.text);
	if (r == 0)
		*ret_groups = groups;
	return r;
}

#define SECOND_NS  UINT64_C(1000000000)
#define WAIT_LEAST 10u
#define WAIT_MOST  86400u

int rt_wait_parse(const char *text, struct rt_opt_u64 *ret_ns, struct rt_err *err)
{
	static const struct {
		const char *unit;
		uint64_t seconds;
	} units[] = { { "s", 1 }, { "m", 60 }, { "min", 60 }, { "h", 3600 } };
	uint64_t number, seconds = 0;
	char *end;

	if (!text)
		return 0;
	if (strcmp(text, "never") == 0 || strcmp(text, "0") == 0) {
		*ret_ns = RT_KNOWN_U64(0);
		return 0;
	}
	errno = 0;
	number = strtoull(text, &end, 10);
	for (size_t i = 0; i < RT_ARRAY_SIZE(units); i++)
		if (strcmp(end, units[i].unit) == 0 && number <= WAIT_MOST)
			seconds = number * units[i].seconds;
	if (errno || *text < '0' || *text > '9' || seconds < WAIT_LEAST ||
	    seconds > WAIT_MOST)
		return rt_err_set(err, -EINVAL,
				  "'%.40s' is no time to confirm in: 90s, 5m, from 10s "
				  "to 24h, or never",
				  text);
	*ret_ns = RT_KNOWN_U64(seconds * SECOND_NS);
	return 0;
}
