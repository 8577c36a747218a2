/* SPDX-License-Identifier: BSD-2-Clause */
/* Recordings that others wrote, and files that cannot be written. */
#include "recordings.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

#include "base/own.h"

/* --- what somebody wrote ------------------------------------------------------------------------------ */

#define FACTS "\"role\":\"nic\",\"state\":\"up\""
#define ITEM(prio)                                  \
	"{\"counter\":\"rx_bytes\",\"prio\":" #prio \
	",\"source\":\"ethtool\",\"bits\":64,\"scale\":1,\"name\":\"rx\"}"
#define BEGIN "{\"rocetune\":1,\"kind\":\"recording\",\"version\":1,\"begun_ns\":5,"
#define PORT(name, layout) \
	"{\"facts\":{\"name\":\"" name "\"," FACTS "},\"layout\":" #layout "}"
#define HEAD_LINE                                                                     \
	BEGIN "\"layouts\":[{\"items\":[" ITEM(0) "," ITEM(1) "]}],\"ports\":[" PORT( \
		"a", 0) "]}\n"
#define SAMPLE_LINE(number, time, rest)                           \
	"{\"rocetune\":1,\"kind\":\"sample\",\"number\":" #number \
	",\"time_ns\":" #time ",\"wall_ns\":9" rest "}\n"
#define PORTS(rest) ",\"ports\":[{\"port\":0,\"time_ns\":1" rest "}]"

static void test_what_others_write_is_judged(void **state)
{
	static const struct {
		const char *label, *text;
		int opened;
		uint64_t samples, skipped;
		int read;
	} cases[] = {
		{ "nothing", "", -EINVAL, 0, 0, 0 },
		{ "something else", "{\"rocetune\":1,\"kind\":\"sim\"}\n", -EINVAL, 0,
		  0, 0 },
		{ "another version",
		  "{\"rocetune\":1,\"kind\":\"recording\",\"version\":2,\"x\":1}\n",
		  -EINVAL, 0, 0, 0 },
		{ "no samples", HEAD_LINE, 0, 0, 0, 0 },
		{ "as it should be",
		  HEAD_LINE SAMPLE_LINE(0, 7,
					PORTS(",\"values\":[0,18446744073709551615]")),
		  0, 1, 0, 0 },
		{ "a number of 65 bits",
		  HEAD_LINE SAMPLE_LINE(0, 7,
					PORTS(",\"values\":[0,18446744073709551616]")),
		  0, 1, 0, -EINVAL },
		{ "a number as text",
		  HEAD_LINE SAMPLE_LINE(
			  0, 7, PORTS(",\"values\":[0,\"18446744073709551615\"]")),
		  0, 1, 0, 0 },
		{ "a line without an end",
		  HEAD_LINE "{\"rocetune\":1,\"kind\":\"sample\",\"number\":0", 0, 0, 1,
		  0 },
		{ "a sample without a segment", SAMPLE_LINE(0, 7, "") HEAD_LINE, 0, 0,
		  1, 0 },
		{ "a sample is missing",
		  HEAD_LINE SAMPLE_LINE(0, 7, "") SAMPLE_LINE(2, 8, "")
			  SAMPLE_LINE(1, 9, ""),
		  0, 1, 2, 0 },
		{ "the rest of a line in front of a sample",
		  HEAD_LINE "x\":1}" SAMPLE_LINE(0, 7, ""), 0, 0, 2, 0 },
		{ "time goes back",
		  HEAD_LINE SAMPLE_LINE(0, 7, "") SAMPLE_LINE(1, 6, "")
			  SAMPLE_LINE(2, 9, ""),
		  0, 1, 2, 0 },
		{ "time of 70 bits",
		  HEAD_LINE SAMPLE_LINE(0, 999999999999999999999, ""), 0, 0, 1, 0 },
		{ "no such place",
		  HEAD_LINE SAMPLE_LINE(0, 7, PORTS(",\"values\":[2,1]")), 0, 1, 0,
		  -EINVAL },
		{ "no such place to be unknown",
		  HEAD_LINE SAMPLE_LINE(0, 7, PORTS(",\"unknown\":[2]")), 0, 1, 0,
		  -EINVAL },
		{ "half a pair",
		  HEAD_LINE SAMPLE_LINE(0, 7, PORTS(",\"values\":[1,1,0]")), 0, 1, 0,
		  -EINVAL },
		{ "no such port",
		  HEAD_LINE SAMPLE_LINE(0, 7,
					",\"ports\":[{\"port\":1,\"time_ns\":1}]"),
		  0, 1, 0, -EINVAL },
		{ "a port by another name",
		  HEAD_LINE SAMPLE_LINE(0, 7,
					PORTS(",\"facts\":{\"name\":\"b\"," FACTS "}")),
		  0, 1, 0, -EINVAL },
		{ "an unknown key", HEAD_LINE SAMPLE_LINE(0, 7, ",\"x\":1"), 0, 1, 0,
		  -EINVAL },
		{ "a key twice", HEAD_LINE SAMPLE_LINE(0, 7, ",\"time_ns\":8"), 0, 1, 0,
		  -EINVAL },
		{ "counters out of order",
		  BEGIN "\"layouts\":[{\"items\":[" ITEM(1) "," ITEM(
			  0) "]}],\"ports\":[" PORT("a", 0) "]}\n" SAMPLE_LINE(0, 7,
									       ""),
		  0, 1, 0, -EINVAL },
		{ "a priority that is none",
		  BEGIN "\"layouts\":[{\"items\":[" ITEM(8) "]}],\"ports\":[" PORT(
			  "a", 0) "]}\n" SAMPLE_LINE(0, 7, ""),
		  0, 1, 0, -EINVAL },
		{ "no such layout",
		  BEGIN "\"layouts\":[],\"ports\":[" PORT("a", 0) "]}\n" SAMPLE_LINE(
			  0, 7, ""),
		  0, 1, 0, -EINVAL },
		{ "two ports of one name",
		  BEGIN "\"layouts\":[{\"items\":[]}],\"ports\":[" PORT(
			  "a", 0) "," PORT("a", 0) "]}\n" SAMPLE_LINE(0, 7, ""),
		  0, 1, 0, -EINVAL },
		{ "a port without a name",
		  BEGIN "\"layouts\":[{\"items\":[]}],\"ports\":[" PORT(
			  "", 0) "]}\n" SAMPLE_LINE(0, 7, ""),
		  0, 1, 0, -EINVAL },
		{ "bytes that are no text",
		  HEAD_LINE SAMPLE_LINE(0, 7, ",\"x\":\"\xff\""), 0, 1, 0, -EINVAL },
		{ "blank lines", "\n\n" HEAD_LINE "\n" SAMPLE_LINE(0, 7, "") "\n", 0, 1,
		  0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_watch_sample sample = { 0 };
		struct rt_recording *recording = NULL;
		struct rt_err err = { 0 };
		int r = rt_recording_open("x.rtw", cases[i].text, strlen(cases[i].text),
					  &recording, &err);

		print_message("# %s: %s\n", cases[i].label, err.msg);
		assert_int_equal(r, cases[i].opened);
		if (r < 0)
			continue;
		assert_int_equal(rt_recording_about(recording)->samples,
				 cases[i].samples);
		assert_int_equal(rt_recording_about(recording)->skipped_lines,
				 cases[i].skipped);
		if (cases[i].samples) {
			r = rt_recording_read(recording, 0, &sample, &err);
			print_message("#   %s\n", err.msg);
			assert_int_equal(r, cases[i].read);
			/* Damage is told every time, and with its place. */
			assert_int_equal(rt_recording_read(recording, 0, &sample, &err),
					 cases[i].read);
			assert_int_equal(strncmp(err.msg, "x.rtw:", 6) == 0, r < 0);
		}
		rt_watch_sample_free(&sample);
		rt_recording_free(recording);
	}
}

/* Segments of ever other ports: there is an end to how many are kept. */
static void test_ports_without_end_are_refused(void **state)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *to = open_memstream(&text, &bytes);
	struct rt_watch_sample sample = { 0 };
	struct rt_recording *recording;
	struct rt_err err = { 0 };
	uint64_t i;

	(void)state;
	for (unsigned k = 0; k < 6; k++) {
		fputs(BEGIN "\"layouts\":[{\"items\":[]}],\"ports\":[", to);
		for (unsigned n = 0; n < 1000; n++)
			fprintf(to,
				"%s{\"facts\":{\"name\":\"p%u\"," FACTS
				"},\"layout\":0}",
				n ? "," : "", k * 1000 + n);
		fprintf(to,
			"]}\n{\"rocetune\":1,\"kind\":\"sample\",\"number\":0,"
			"\"time_ns\":%u,\"wall_ns\":9}\n",
			k);
	}
	fclose(to);
	assert_int_equal(rt_recording_open("x.rtw", text, bytes, &recording, &err), 0);
	for (i = 0; i < 4; i++)
		assert_int_equal(rt_recording_read(recording, i, &sample, &err), 0);
	assert_int_equal(sample.count, 4000);
	assert_int_equal(rt_recording_read(recording, 4, &sample, &err), -EINVAL);
	print_message("# %s\n", err.msg);
	rt_watch_sample_free(&sample);
	rt_recording_free(recording);
	free(text);
}

/* --- files ----------------------------------------------------------------------------------------------- */

static void test_files_are_never_written_over(void **state)
{
	struct rt_recorder *recorder = NULL;
	struct rt_err err = { 0 };

	(void)state;
	fclose(fopen(path_of("there"), "w"));
	assert_int_equal(rt_recorder_open(path_of("there"), "x", &recorder, &err),
			 -EEXIST);
	assert_int_equal(symlink("/tmp/rocetune-no-such", path_of("link")), 0);
	assert_int_equal(rt_recorder_open(path_of("link"), "x", &recorder, &err),
			 -EEXIST);
	assert_int_equal(rt_recorder_open("-", "x", &recorder, &err), -EINVAL);
	assert_int_equal(rt_recorder_open("/nonexistent/x", "x", &recorder, &err),
			 -ENOENT);
	assert_null(recorder);
}

static void test_a_full_file_ends_and_is_read(void **state)
{
	const struct rlimit little = { 3000, RLIM_INFINITY };
	struct rt_watch_sample sample = { 0 };
	struct rt_rng dice = dice_of(1);
	struct rt_recorder *recorder;
	struct rt_recording *recording;
	struct rt_err err = { 0 };
	struct rlimit before;
	struct text text;
	unsigned written = 0;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	unlink(path_of("full"));
	assert_int_equal(rt_recorder_open(path_of("full"), "x", &recorder, &err), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
	for (;; written++) {
		small_step(&dice, &sample);
		if (rt_recorder_write(recorder, &sample, &err) < 0)
			break;
	}
	setrlimit(RLIMIT_FSIZE, &before);
	print_message("# after %u: %s\n", written, err.msg);
	assert_int_equal(err.code, -EFBIG);
	assert_int_equal(rt_recorder_write(recorder, &sample, &err), -EBADF);
	assert_int_equal(rt_recorder_close(recorder, &err), 0);
	text = read_text("full");
	recording = open_text(text);
	assert_int_equal(rt_recording_about(recording)->samples, written);
	rt_recording_free(recording);
	free(text.at);
	rt_watch_sample_free(&sample);
}

/* A port of every counter there can be, and as many ports as there may be, of a few. */
static void test_the_widest_samples(void **state)
{
	struct rt_watch_sample sample = { .time_ns = 1 }, got = { 0 };
	struct rt_recorder *recorder;
	struct rt_recording *recording;
	struct rt_err err = { 0 };
	struct text text;

	(void)state;
	for (unsigned i = 0; i < RT_WATCH_MAX_PORTS; i++) {
		struct rt_watch_input *input = add_port(&sample);

		for (unsigned id = 0; id < (i ? 4 : RT_COUNTER_COUNT); id++)
			for (unsigned prio = 0; prio < (i ? 1 : 9); prio++)
				add_counter(&input->set, id,
					    prio < 8 ? (uint8_t)prio
						     : RT_COUNTER_NO_PRIO,
					    UINT64_MAX - i);
	}
	unlink(path_of("wide"));
	assert_int_equal(rt_recorder_open(path_of("wide"), "x", &recorder, &err), 0);
	assert_int_equal(rt_recorder_write(recorder, &sample, &err), 0);
	assert_int_equal(rt_recorder_close(recorder, &err), 0);
	text = read_text("wide");
	print_message("# %zu bytes\n", text.bytes);
	recording = open_text(text);
	assert_int_equal(rt_recording_read(recording, 0, &got, &err), 0);
	same_sample(&sample, &got);
	rt_recording_free(recording);
	rt_watch_sample_free(&sample);
	rt_watch_sample_free(&got);
	free(text.at);
}

/* Of as many ports as there may be; values of 0 are short, but may be many. */
static int write_many(unsigned counters, uint64_t value, const char *name,
		      struct rt_err *err)
{
	struct rt_watch_sample sample = { .time_ns = 1 };
	struct rt_recorder *recorder;
	int r;

	for (unsigned i = 0; i < RT_WATCH_MAX_PORTS; i++) {
		struct rt_watch_input *input = add_port(&sample);

		for (unsigned n = 0; n < counters; n++)
			add_counter(&input->set, n / 9,
				    n % 9 < 8 ? (uint8_t)(n % 9) : RT_COUNTER_NO_PRIO,
				    value);
	}
	unlink(path_of(name));
	assert_int_equal(rt_recorder_open(path_of(name), "x", &recorder, NULL), 0);
	r = rt_recorder_write(recorder, &sample, err);
	rt_recorder_close(recorder, NULL);
	rt_watch_sample_free(&sample);
	return r;
}

static void test_what_is_written_is_read(void **state)
{
	struct rt_watch_sample sample = { 0 };
	struct rt_recording *recording;
	struct rt_err err = { 0 };
	struct text text;

	(void)state;
	assert_int_equal(write_many(60, UINT64_MAX, "many", &err), -EFBIG);
	assert_non_null(strstr(err.msg, "4 MiB"));
	assert_int_equal(write_many(124, 0, "zeros", &err), -EFBIG);
	assert_non_null(strstr(err.msg, "a million keys and values"));
	assert_int_equal(write_many(115, 0, "zeros", &err), 0);
	text = read_text("zeros");
	recording = open_text(text);
	assert_int_equal(rt_recording_read(recording, 0, &sample, &err), 0);
	assert_int_equal(sample.count, RT_WATCH_MAX_PORTS);
	rt_recording_free(recording);
	rt_watch_sample_free(&sample);
	free(text.at);
}

/* What a recorder is given is its source's matter; what is read is bounded. */
static void test_more_than_there_may_be_is_refused(void **state)
{
	static const struct {
		size_t ports, flows, fans;
		int result;
	} cases[] = {
		{ RT_WATCH_MAX_PORTS, RT_WATCH_MAX_FLOWS, RT_WATCH_MAX_FLOWS, 0 },
		{ RT_WATCH_MAX_PORTS + 1, 0, 0, -EINVAL },
		{ 1, RT_WATCH_MAX_FLOWS + 1, 0, -EINVAL },
		{ 1, 0, RT_WATCH_MAX_FLOWS + 1, -EINVAL },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_watch_sample sample = { .time_ns = 1 }, got = { 0 };
		struct rt_recorder *recorder;
		struct rt_recording *recording;
		struct rt_err err = { 0 };
		struct text text;

		sample.items = calloc(cases[i].ports, sizeof(*sample.items));
		sample.count = sample.capacity = cases[i].ports;
		for (size_t n = 0; n < cases[i].ports; n++)
			name_port(&sample.items[n], (unsigned)n);
		sample.flows.items = calloc(300, sizeof(*sample.flows.items));
		sample.flows.fans = calloc(300, sizeof(*sample.flows.fans));
		sample.flows.count = cases[i].flows;
		sample.flows.fan_count = cases[i].fans;
		sample.flows.known = true;
		unlink(path_of("much"));
		assert_int_equal(
			rt_recorder_open(path_of("much"), "x", &recorder, &err), 0);
		assert_int_equal(rt_recorder_write(recorder, &sample, &err), 0);
		assert_int_equal(rt_recorder_close(recorder, &err), 0);
		text = read_text("much");
		recording = open_text(text);
		assert_int_equal(rt_recording_read(recording, 0, &got, &err),
				 cases[i].result);
		print_message("# %s\n", err.msg);
		rt_recording_free(recording);
		rt_watch_sample_free(&sample);
		rt_watch_sample_free(&got);
		free(text.at);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_others_write_is_judged),
		cmocka_unit_test(test_ports_without_end_are_refused),
		cmocka_unit_test(test_files_are_never_written_over),
		cmocka_unit_test(test_a_full_file_ends_and_is_read),
		cmocka_unit_test(test_the_widest_samples),
		cmocka_unit_test(test_what_is_written_is_read),
		cmocka_unit_test(test_more_than_there_may_be_is_refused),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
