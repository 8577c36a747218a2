/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_dash_screens.c - every screen as text, over the made-up host: against
 * tests/golden/dash-SIZE-CHARACTERS.out (WRITE=1 writes them), and what must hold of all.
 */
#include "dash.h"

#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "dash/screens.h"

/* --- goldens ---------------------------------------------------------------------------- */

/* What is pressed before each picture, at 25 s of the made-up host. */
static const struct {
	const char *title;
	const char *keys;
} pictures[] = {
	{ "ports", "1" },
	{ "pauses", "2" },
	{ "ECN and CNP", "3" },
	{ "errors", "4" },
	{ "flows", "5" },
	{ "events", "6" },
	{ "ports by what pauses them, findings only, a filter", "1\032sjjjj\r/mlx5\r" },
	{ "picking what to sort by", "\\1s" },
	{ "a port with a trouble", "\0331jjj\r" },
	{ "a port that nobody may read", "\033G\r" },
	{ "help", "?" },
};

static void press_all(struct stage *stage, const char *keys)
{
	for (; *keys; keys++) {
		free(picture(stage));
		rt_dash_press(&stage->dash, *keys);
	}
}

static char *draw_all(unsigned rows, unsigned columns, bool ascii)
{
	struct stage stage;
	char *all = NULL;
	size_t bytes = 0;
	FILE *file = open_memstream(&all, &bytes);

	assert_non_null(file);
	open_stage(&stage, 25, ascii);
	stage.rows = rows;
	stage.columns = columns;
	for (size_t i = 0; i < RT_ARRAY_SIZE(pictures); i++) {
		char *text;

		press_all(&stage, pictures[i].keys);
		text = picture(&stage);
		fprintf(file, "=== %s\n%s", pictures[i].title, text);
		free(text);
	}
	close_stage(&stage);
	assert_int_equal(fclose(file), 0);
	return all;
}

static char *read_all(const char *path)
{
	FILE *file = fopen(path, "r");
	char *all = NULL;
	size_t size = 0;

	if (!file)
		return NULL;
	if (getdelim(&all, &size, '\0', file) < 0)
		all[0] = '\0';
	fclose(file);
	return all;
}

static void compare_or_write(const char *path, const char *text)
{
	const char *write = getenv("WRITE");
	char *wanted;

	if (write && *write) {
		FILE *file = fopen(path, "w");

		assert_non_null(file);
		fputs(text, file);
		assert_int_equal(fclose(file), 0);
		return;
	}
	wanted = read_all(path);
	assert_non_null(wanted);
	if (strcmp(wanted, text) != 0)
		fail_msg("%s is otherwise: WRITE=1 and git diff show where", path);
	free(wanted);
}

static void test_screens_are_as_they_were(void **state)
{
	static const struct {
		unsigned rows, columns;
		bool ascii;
	} cases[] = { { 24, 80, false },
		      { 24, 80, true },
		      { 43, 132, false },
		      { 43, 132, true } };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		char *text = draw_all(cases[i].rows, cases[i].columns, cases[i].ascii);
		char path[128];

		snprintf(path, sizeof(path), "tests/golden/dash-%ux%u-%s.out",
			 cases[i].columns, cases[i].rows,
			 cases[i].ascii ? "ascii" : "utf8");
		compare_or_write(path, text);
		free(text);
	}
}

/* --- what holds of all screens ------------------------------------------------------------ */

/* The line that begins with a word; the caller frees it. */
static char *line_of(struct stage *stage, const char *word)
{
	char *text = picture(stage), *line = NULL;

	for (char *at = strtok(text, "\n"); at && !line; at = strtok(NULL, "\n"))
		if (strstr(at, word) && strstr(at, word) - at < 3)
			line = strdup(at);
	free(text);
	assert_non_null(line);
	return line;
}

/* Of a port where nothing can be read no number is shown, and no 0 least of all. */
static void test_unknown_is_never_zero(void **state)
{
	struct stage stage;

	(void)state;
	open_stage(&stage, 25, true);
	for (const char *screen = "1234"; *screen; screen++) {
		char *line;

		rt_dash_press(&stage.dash, *screen);
		line = line_of(&stage, "hns_0/1");
		line[strspn(line, "!?iX ")] = ' ';
		assert_non_null(strstr(line, "-"));
		for (char *at = strstr(line, "/1") + 2; *at; at++)
			/* Its speed is known. */
			if (strncmp(at, "100G", 4) == 0)
				at += 3;
			else
				assert_false(*at >= '0' && *at <= '9');
		free(line);
	}
	close_stage(&stage);
}

/* Whether the mark of old values stands before what is at text, blanks between. */
static bool is_marked(const char *line, const char *text)
{
	while (text > line && text[-1] == ' ')
		text--;
	return text > line && text[-1] == '~';
}

/* Each number that was read, and nothing that is unknown; how many numbers. */
static unsigned check_marks(const char *line, bool old)
{
	unsigned numbers = 0;

	/* Its name and speed are not read. */
	for (const char *at = strstr(line, "/1") + 2; *at; at++) {
		const bool begins = strchr(" ~", at[-1]) != NULL;

		if (begins && *at == '-' && strchr(" ~", at[1]))
			assert_false(is_marked(line, at));
		if (!begins || !strchr("0123456789<>", *at) ||
		    strncmp(at, "200G", 4) == 0 || strncmp(at, "400G", 4) == 0)
			continue;
		if (is_marked(line, at) != old)
			fail_msg("%s: at %s", line, at);
		numbers++;
	}
	return numbers;
}

/*
 * Firmware that answers once a second is old at ten samples a second, and each figure
 * that rests on it is marked, whichever counter that is.
 */
static void test_old_values_are_marked(void **state)
{
	static const struct {
		const char *port;
		bool old;
	} cases[] = { { "bnxt_re0/1", true }, { "mlx5_0/1", false } };
	struct stage stage;
	unsigned numbers = 0;

	(void)state;
	open_stage_of(&stage, SECOND_NS / 10, 275, true);
	stage.columns = 100;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++)
		for (const char *screen = "1234"; *screen; screen++) {
			char *line;

			rt_dash_press(&stage.dash, *screen);
			line = line_of(&stage, cases[i].port);
			numbers += check_marks(line, cases[i].old);
			free(line);
		}
	assert_true(numbers > 50);
	close_stage(&stage);
}

static void test_directions_are_called_the_same_everywhere(void **state)
{
	struct stage stage;
	char *text;

	(void)state;
	open_stage(&stage, 25, true);
	rt_dash_press(&stage.dash, '2');
	text = picture(&stage);
	assert_non_null(strstr(text, "paused by peer (rx)"));
	assert_non_null(strstr(text, "pausing peer (tx)"));
	free(text);
	rt_dash_press(&stage.dash, '1');
	text = picture(&stage);
	assert_non_null(strstr(text, "paused pausing"));
	assert_non_null(strstr(text, "by peer    peer"));
	free(text);
	close_stage(&stage);
}

static void test_too_small_says_so_and_goes_on(void **state)
{
	struct stage stage;
	char *text;

	(void)state;
	open_stage(&stage, 3, true);
	stage.rows = 5;
	stage.columns = 20;
	text = picture(&stage);
	assert_non_null(strstr(text, "need 80x24,\nhave 20x5\n"));
	free(text);
	tick(&stage);
	stage.rows = 24;
	stage.columns = 80;
	text = picture(&stage);
	assert_non_null(strstr(text, "08:00:04 UTC"));
	free(text);
	close_stage(&stage);
}

/* All columns of ports fit into 80: the last one of each screen is there. */
/* The word behind a label of the port page, and the one behind that. */
static void words_of(const char *text, const char *label, char words[2][32])
{
	const char *at = strstr(text, label);

	assert_non_null(at);
	assert_int_equal(sscanf(at + strlen(label), "%31s %31s", words[0], words[1]),
			 2);
}

/* Bytes and times say so at every width, and where there is room, to the last digit. */
static void test_counters_have_their_units_at_every_width(void **state)
{
	static const unsigned widths[] = { 80, 100, 109, 110, 132, 200 };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(widths); i++) {
		struct stage stage;
		char words[2][32], *text;
		bool exact = widths[i] >= 110;

		open_stage(&stage, 25, false);
		stage.rows = 300;
		stage.columns = widths[i];
		look(&stage);
		press(&stage, 'j');
		go_into(&stage, RT_MODE_PORT);
		text = picture(&stage);
		words_of(text, "\n received ", words);
		assert_string_equal(exact ? words[1] : strchr(words[0], 'B'), "B");
		words_of(text, " p3 paused by peer, time ", words);
		assert_non_null(strstr("ns us ms s min", words[1]));
		assert_int_equal(strcmp(words[1], "ns") == 0, exact);
		free(text);
		close_stage(&stage);
	}
}

/* The foot of a list that fills the screen is its event or its port, and no rule. */
static void test_a_full_list_has_no_rule_behind_its_status(void **state)
{
	struct stage stage;
	char *text, *line;

	(void)state;
	open_stage(&stage, 60, true);
	stage.columns = 200;
	press(&stage, '6');
	text = picture(&stage);
	line = text;
	for (unsigned i = 0; i < 22; i++)
		line = strchr(line, '\n') + 1;
	*strchr(line, '\n') = '\0';
	assert_non_null(strstr(line, " 1-19 of "));
	assert_null(strstr(line, "---"));
	free(text);
	close_stage(&stage);
}

static void test_all_columns_fit_into_80(void **state)
{
	static const struct {
		char screen;
		const char *last;
	} cases[] = {
		{ '1', "disc" }, { '2', "p7" }, { '3', "ign." }, { '4', "PCIe" }
	};
	struct stage stage;

	(void)state;
	open_stage(&stage, 3, true);
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		char *text;

		rt_dash_press(&stage.dash, cases[i].screen);
		text = picture(&stage);
		assert_non_null(strstr(text, cases[i].last));
		free(text);
	}
	close_stage(&stage);
}

/* The cursor stays on its port when another order moves it, and when the port goes. */
static void test_cursor_stays_on_its_port(void **state)
{
	enum {
		RXE = 11
	}; /* goes away at 40 s */
	struct stage stage;

	(void)state;
	open_stage(&stage, 39, true);
	free(picture(&stage));
	for (unsigned i = 0; i < RXE; i++)
		rt_dash_press(&stage.dash, 'j');
	assert_int_equal(stage.dash.ui.port, RXE);
	rt_dash_press(&stage.dash, 'r');
	free(picture(&stage));
	assert_int_equal(stage.dash.ui.lines[stage.dash.ui.cursor], RXE);
	tick(&stage);
	tick(&stage);
	free(picture(&stage));
	assert_int_equal(rt_watch_look(stage.watch)->views[RXE].port->state,
			 RT_WATCH_GONE);
	assert_int_equal(stage.dash.ui.lines[stage.dash.ui.cursor], RXE);
	close_stage(&stage);
}

/* It has a finding, and so a sign and a place among those that have. */
static void test_a_port_that_is_gone_is_a_finding(void **state)
{
	struct stage stage;
	char *text;

	(void)state;
	open_stage(&stage, 42, true);
	free(picture(&stage));
	rt_dash_press(&stage.dash, RT_KEY_CTRL('Z'));
	rt_dash_press(&stage.dash, 'G');
	text = picture(&stage);
	assert_non_null(strstr(text, "X rxe0/1     link    gone"));
	free(text);
	close_stage(&stage);
}

RT_UNIT_MAIN(cmocka_unit_test(test_screens_are_as_they_were),
	     cmocka_unit_test(test_unknown_is_never_zero),
	     cmocka_unit_test(test_old_values_are_marked),
	     cmocka_unit_test(test_directions_are_called_the_same_everywhere),
	     cmocka_unit_test(test_too_small_says_so_and_goes_on),
	     cmocka_unit_test(test_counters_have_their_units_at_every_width),
	     cmocka_unit_test(test_a_full_list_has_no_rule_behind_its_status),
	     cmocka_unit_test(test_all_columns_fit_into_80),
	     cmocka_unit_test(test_cursor_stays_on_its_port),
	     cmocka_unit_test(test_a_port_that_is_gone_is_a_finding))
