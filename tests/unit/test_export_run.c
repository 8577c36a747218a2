/* SPDX-License-Identifier: BSD-2-Clause */
/* An exporter from its first sample to its last: what it says of sources, and how often. */
#include "hand_source.h"

#include <unistd.h>

#include "base/own.h"
#include "base/text.h"
#include "export/export.h"

#define PORTS 3u
#define STEPS 6u

/* Of a step: the source fails; else each port's looks and notes. */
struct step {
	bool fails;
	const char *why; /* NULL: ethtool is read */
	const char *note;
};

struct script {
	struct rt_watch_source source; /* first */
	const struct step *steps;
	size_t count, at;
};

static int script_sample(struct rt_watch_source *source, struct rt_watch_sample *sample,
			 struct rt_err *err)
{
	struct script *script = (struct script *)source;
	const struct step *step = &script->steps[script->at];

	if (script->at == script->count)
		return rt_err_set(err, -ENODATA, "that is all");
	sample->time_ns = (int64_t)(++script->at * 1000);
	if (step->fails)
		return rt_err_set(err, -EIO, "the source is shut");
	while (sample->count < PORTS)
		assert_non_null(rt_watch_sample_add(sample));
	for (size_t i = 0; i < PORTS; i++) {
		struct rt_watch_port *port = &sample->items[i].port;
		struct rt_counter_look *look =
			&sample->items[i].set.looks[RT_SOURCE_ETHTOOL];

		snprintf(port->name, sizeof(port->name), "p%zu", i);
		snprintf(port->note, sizeof(port->note), "%s",
			 step->note && i ? step->note : "");
		port->state = RT_WATCH_UP;
		look->source = RT_SOURCE_ETHTOOL;
		/* The last one is of another kind: it is always well. */
		look->state = step->why && i + 1 < PORTS ? RT_LOOK_FAILED
							 : RT_LOOK_READ;
		snprintf(look->why, sizeof(look->why), "%s",
			 step->why && i + 1 < PORTS ? step->why : "");
	}
	return 0;
}

static int script_next(struct rt_watch_source *source, int64_t *ret_ns)
{
	*ret_ns = (int64_t)((((struct script *)source)->at + 1) * 1000);
	return 0;
}

static void script_close(struct rt_watch_source *source)
{
	(void)source;
}

static const struct rt_watch_source_ops script_ops = { .name = "script",
						       .sample = script_sample,
						       .next_ns = script_next,
						       .close = script_close };

static void hear(void *context, const char *text)
{
	rt_line_put(context, "%s\n", text);
}

static void test_each_thing_is_said_once(void **state)
{
	static const struct {
		const char *label, *said;
		struct step steps[STEPS];
		size_t count;
	} cases[] = {
		{ "all is well", "", { { 0 }, { 0 } }, 2 },
		{ "a note, from the first sample on",
		  "p1 (and 1 more): no ethtool: shut\n",
		  { { .why = "shut", .note = "no ethtool: shut" },
		    { .why = "shut", .note = "no ethtool: shut" } },
		  2 },
		{ "two ports at once, for one reason",
		  "p0 (and 1 more): ethtool cannot be read: shut\n",
		  { { 0 }, { .why = "shut" }, { .why = "shut" } },
		  3 },
		{ "again, after it was well",
		  "p0 (and 1 more): ethtool cannot be read: shut\n"
		  "p0 (and 1 more): ethtool cannot be read: shut\n",
		  { { 0 }, { .why = "shut" }, { 0 }, { .why = "shut" } },
		  4 },
		{ "the first samples fail: notes are those of the first that is one",
		  "the source is shut\np1 (and 1 more): no ethtool: shut\n",
		  { { .fails = true },
		    { .fails = true },
		    { .why = "shut", .note = "no ethtool: shut" },
		    { .why = "shut", .note = "no ethtool: shut" } },
		  4 },
		{ "it fails, and fails again",
		  "the source is shut\nthe source is shut\n",
		  { { 0 },
		    { .fails = true },
		    { .fails = true },
		    { 0 },
		    { .fails = true },
		    { 0 } },
		  6 },
	};
	char folder[] = "/tmp/rocetune-test-XXXXXX", file[64];

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(file, sizeof(file), "%s/x.prom", folder);
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct script script = { .source = { &script_ops, "a script" },
					 .steps = cases[i].steps,
					 .count = cases[i].count };
		char said[1000] = "";
		struct rt_line line = { said, sizeof(said), 0 };
		const struct rt_export_options options = {
			.textfile = file, .stop_fd = -1, .tell = hear, .context = &line
		};
		struct rt_watch *watch;

		print_message("# %s\n", cases[i].label);
		assert_int_equal(rt_watch_open(&script.source, HAND_SEC, &watch, NULL),
				 0);
		assert_int_equal(rt_export_run(watch, &options, NULL), 0);
		rt_watch_close(watch);
		assert_string_equal(said, cases[i].said);
	}
	assert_int_equal(unlink(file), 0);
	assert_int_equal(rmdir(folder), 0);
}

RT_UNIT_MAIN(cmocka_unit_test(test_each_thing_is_said_once))
