/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_dash_keys.c - every key of the dashboard does what its help says: a row here for
 * each row of KEYS, and a test that fails where one is missing.
 */
#include "dash.h"
#include "dash_folder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "dash/layout.h"
#include "dash/screens.h"
#include "rocetune/err.h"

static void type(struct stage *stage, const char *text)
{
	for (; *text; text++)
		press(stage, *text);
}

/* --- claims ----------------------------------------------------------------------------- */

static void leaves(struct stage *stage, int code, int argument)
{
	(void)argument;
	press(stage, code);
	assert_true(stage->dash.leave);
}

static void helps(struct stage *stage, int code, int argument)
{
	const bool was_on = stage->dash.ui.mode == RT_MODE_HELP;

	(void)argument;
	press(stage, code);
	assert_int_equal(stage->dash.ui.mode == RT_MODE_HELP, !was_on);
	if (!was_on)
		assert_true(shows(stage, "draw the screen anew") ||
			    shows(stage, "Keys"));
}

static void shows_screen(struct stage *stage, int code, int number)
{
	char tab[32];

	press(stage, code);
	snprintf(tab, sizeof(tab), "[%d %s]", number, rt_screens[number - 1].title);
	assert_true(shows(stage, tab));
	assert_int_equal(stage->dash.ui.mode, RT_MODE_SCREEN);
}

static void turns(struct stage *stage, int code, int by)
{
	press(stage, code);
	assert_int_equal(stage->dash.ui.screen, (6 + by) % 6);
	for (unsigned i = 1; i < 6; i++)
		press(stage, code);
	assert_int_equal(stage->dash.ui.screen, 0);
}

static void enters(struct stage *stage, int code, int argument)
{
	const enum rt_dash_mode mode = stage->dash.ui.mode;

	(void)argument;
	if (mode == RT_MODE_SORT)
		press(stage, RT_KEY_DOWN);
	if (mode == RT_MODE_FILTER)
		type(stage, "irdma");
	press(stage, code);
	if (mode == RT_MODE_SCREEN) {
		assert_int_equal(stage->dash.ui.mode, RT_MODE_PORT);
		assert_true(shows(stage, "Verdict"));
		return;
	}
	assert_int_equal(stage->dash.ui.mode, RT_MODE_SCREEN);
	look(stage);
	if (mode == RT_MODE_SORT)
		assert_int_equal(stage->dash.ui.sort[0], 1);
	else
		assert_int_equal(stage->dash.ui.line_count, 1);
}

static void goes_back(struct stage *stage, int code, int argument)
{
	const enum rt_dash_mode mode = stage->dash.ui.mode;
	const size_t lines = stage->dash.ui.line_count;

	(void)argument;
	if (mode == RT_MODE_SORT) {
		press(stage, RT_KEY_DOWN);
		press(stage, 'r');
	}
	if (mode == RT_MODE_FILTER)
		type(stage, "irdma");
	press(stage, code);
	look(stage);
	assert_false(stage->dash.ui.reverse[0]);
	assert_int_equal(stage->dash.ui.mode, RT_MODE_SCREEN);
	assert_int_equal(stage->dash.ui.sort[0], 0);
	assert_int_equal(stage->dash.ui.line_count, lines);
}

/* By one line; the end of a list ends it. */
static void moves(struct stage *stage, int code, int by)
{
	struct rt_dash_ui *ui = &stage->dash.ui;

	press(stage, RT_KEY_DOWN);
	press(stage, RT_KEY_DOWN);
	look(stage);
	switch (ui->mode) {
	case RT_MODE_SCREEN:
		press(stage, code);
		assert_int_equal(ui->cursor, 2 + by);
		look(stage);
		assert_int_equal(ui->cursor, 2 + by);
		break;
	case RT_MODE_SORT:
		press(stage, code);
		assert_int_equal(ui->pick, 2 + by);
		break;
	default: press(stage, code); assert_int_equal(ui->scroll, 2 + by);
	}
	for (int i = 0; i < 1000; i++)
		press(stage, code);
	look(stage);
	if (by < 0)
		assert_int_equal(ui->cursor + ui->pick + ui->scroll, 0);
	else
		assert_true(ui->cursor < ui->line_count &&
			    ui->scroll < ui->body_lines + 1);
}

static void pages(struct stage *stage, int code, int by)
{
	struct rt_dash_ui *ui = &stage->dash.ui;
	const unsigned before = (unsigned)ui->cursor + ui->pick + ui->scroll;
	unsigned after;

	if (by < 0) {
		press(stage, RT_KEY_END);
		look(stage);
		press(stage, code);
		look(stage);
		after = (unsigned)ui->cursor + ui->pick + ui->scroll;
		press(stage, RT_KEY_END);
		look(stage);
		assert_true(after < (unsigned)ui->cursor + ui->pick + ui->scroll);
		return;
	}
	press(stage, code);
	look(stage);
	assert_true(before + 1 < ui->cursor + ui->pick + ui->scroll);
}

static void ends(struct stage *stage, int code, int by)
{
	struct rt_dash_ui *ui = &stage->dash.ui;

	press(stage, by < 0 ? RT_KEY_END : RT_KEY_HOME);
	look(stage);
	press(stage, code);
	if (code == 'g')
		press(stage, code);
	look(stage);
	if (by < 0)
		assert_int_equal(ui->cursor + ui->pick + ui->scroll, 0);
	else if (ui->mode == RT_MODE_SCREEN)
		assert_int_equal(ui->cursor, ui->line_count - 1);
	else if (ui->mode == RT_MODE_SORT)
		assert_int_equal(ui->pick, rt_screen_sort_count(0) - 1);
	else
		assert_int_equal(ui->scroll, ui->body_lines - rt_dash_body_rows(ui));
}

static void slides(struct stage *stage, int code, int by)
{
	struct rt_dash_ui *ui = &stage->dash.ui;

	if (ui->mode == RT_MODE_PORT) {
		press(stage, RT_KEY_RIGHT);
		press(stage, RT_KEY_RIGHT);
		look(stage);
		press(stage, code);
		assert_int_equal(ui->port, 2 + by);
		return;
	}
	assert_true(shows(stage, "rate"));
	press(stage, RT_KEY_RIGHT);
	assert_false(shows(stage, "rate"));
	press(stage, RT_KEY_RIGHT);
	press(stage, code);
	assert_int_equal(ui->shift, 2 + by);
}

static void slides_or_helps(struct stage *stage, int code, int argument)
{
	slides(stage, code, -1);
	press(stage, code);
	assert_int_equal(stage->dash.ui.shift, 0);
	helps(stage, code, argument);
}

static void picks_sort(struct stage *stage, int code, int argument)
{
	double before = (double)INFINITY;
	struct rt_dash_ui *ui = &stage->dash.ui;

	(void)argument;
	press(stage, code);
	assert_int_equal(ui->mode, RT_MODE_SORT);
	while (strcmp(rt_screen_sort_name(0, ui->pick), "rx") != 0)
		press(stage, RT_KEY_DOWN);
	press(stage, RT_KEY_ENTER);
	assert_true(shows(stage, "by rx"));
	for (size_t i = 0; i < ui->line_count; i++) {
		const struct rt_opt_f64 rx_bps =
			now(stage)->views[ui->lines[i]].figures.rx_bps;

		/* What is unknown comes last. */
		assert_true(!rx_bps.known || rx_bps.value <= before);
		before = rx_bps.known ? rx_bps.value : -1;
	}
}

static void reverses(struct stage *stage, int code, int argument)
{
	const uint32_t first = stage->dash.ui.lines[0];

	(void)argument;
	press(stage, code);
	look(stage);
	assert_int_equal(stage->dash.ui.lines[stage->dash.ui.line_count - 1], first);
	press(stage, code);
	look(stage);
	assert_int_equal(stage->dash.ui.lines[0], first);
}

static void filters(struct stage *stage, int code, int argument)
{
	(void)argument;
	press(stage, code);
	type(stage, "BNXT");
	assert_true(shows(stage, "bnxt_re1/1"));
	assert_false(shows(stage, "mlx5_0/1"));
	press(stage, RT_KEY_ENTER);
	assert_false(shows(stage, "mlx5_0/1"));
	assert_int_equal(stage->dash.ui.line_count, 2);
}

static void inverts(struct stage *stage, int code, int argument)
{
	press(stage, code);
	assert_true(shows(stage, "no filter: / sets one"));
	assert_false(stage->dash.ui.inverse);
	filters(stage, '/', argument);
	press(stage, code);
	assert_true(shows(stage, "mlx5_0/1"));
	assert_false(shows(stage, "bnxt_re1/1"));
}

static void clears(struct stage *stage, int code, int argument)
{
	const size_t all = stage->dash.ui.line_count;

	inverts(stage, '!', argument);
	press(stage, RT_KEY_CTRL('Z'));
	press(stage, code);
	look(stage);
	assert_int_equal(stage->dash.ui.line_count, all);
}

static void shows_findings_only(struct stage *stage, int code, int argument)
{
	const size_t all = stage->dash.ui.line_count;

	(void)argument;
	press(stage, code);
	look(stage);
	assert_true(stage->dash.ui.line_count > 0 && stage->dash.ui.line_count < all);
	for (size_t i = 0; i < stage->dash.ui.line_count; i++)
		assert_true(now(stage)->views[stage->dash.ui.lines[i]].findings.count >
			    0);
	press(stage, code);
	look(stage);
	assert_int_equal(stage->dash.ui.line_count, all);
}

static void rubs_out(struct stage *stage, int code, int argument)
{
	(void)argument;
	type(stage, "ab");
	press(stage, 0xe4);
	assert_string_equal(stage->dash.ui.filter, "ab\303\244");
	press(stage, code);
	assert_string_equal(stage->dash.ui.filter, "ab");
	for (int i = 0; i < 5; i++)
		press(stage, code);
	assert_string_equal(stage->dash.ui.filter, "");
}

/* There are findings, and each has its evidence. */
static void assert_explained(const struct rt_watch_snapshot *snapshot)
{
	size_t count = 0;

	for (size_t i = 0; i < snapshot->count; i++) {
		const struct rt_findings *findings = &snapshot->views[i].findings;

		for (size_t j = 0; j < findings->count; j++, count++)
			assert_string_not_equal(findings->items[j].evidence, "");
	}
	assert_true(count > 0);
}

static void pauses(struct stage *stage, int code, int argument)
{
	uint64_t ticks;
	char *before, *after;

	(void)argument;
	tick(stage); /* which was not drawn */
	ticks = now(stage)->ticks;
	press(stage, code);
	assert_explained(rt_dash_shown(&stage->dash).snapshot);
	before = picture(stage);
	assert_non_null(strstr(before, "PAUSED 0 s"));
	for (int i = 0; i < 5; i++)
		tick(stage);
	after = picture(stage);
	assert_string_equal(before, after);
	assert_int_equal(now(stage)->ticks, ticks + 5);
	free(before);
	free(after);
	stage->dash.now_ns += 12 * SECOND_NS;
	assert_true(shows(stage, "PAUSED 12 s"));
	press(stage, code);
	assert_false(shows(stage, "PAUSED"));
}

/* What has a time of its own keeps it, and shows what that is; what is live changes. */
static void changes_interval(struct stage *stage, int code, int by)
{
	const enum rt_dash_mode mode = stage->dash.ui.mode;
	struct stage live;

	press(stage, code);
	assert_true(shows(stage, "{ and } are slower"));
	assert_int_equal(now(stage)->interval_ns, SECOND_NS);
	open_live(&live, 25);
	go_into(&live, mode);
	press(&live, code);
	assert_int_equal(now(&live)->interval_ns,
			 by > 0 ? 2 * SECOND_NS : SECOND_NS / 2);
	assert_true(shows(&live, by > 0 ? "every 2 s" : "every 500 ms"));
	for (int i = 0; i < 20; i++)
		press(&live, code);
	assert_int_equal(now(&live)->interval_ns,
			 by > 0 ? RT_WATCH_MAX_INTERVAL_NS : RT_WATCH_MIN_INTERVAL_NS);
	close_stage(&live);
}

static void sets_baseline(struct stage *stage, int code, int argument)
{
	(void)argument;
	press(stage, code);
	tick(stage);
	tick(stage);
	assert_true(now(stage)->baseline_ns.known);
	assert_int_equal(now(stage)->baseline_ns.value, 2 * SECOND_NS);
	assert_true(shows(stage, "baseline 2 s ago"));
}

static void clears_baseline(struct stage *stage, int code, int argument)
{
	sets_baseline(stage, 'z', argument);
	press(stage, code);
	tick(stage);
	assert_false(now(stage)->baseline_ns.known);
}

/* What "97.3G" and "8.00kB" stand for. */
static double read_number(const char *text, double base)
{
	static const char prefixes[] = "kMGTPE";
	char *end;
	double value = strtod(text, &end);
	const char *prefix = *end ? strchr(prefixes, *end) : NULL;

	assert_true(end > text);
	for (; prefix && prefix >= prefixes; prefix--)
		value *= base;
	return value;
}

/* The first port's rate rx as it is written: in a column, and on its page as "97.3Gb". */
static double written_rate(struct stage *stage, double base, char letter)
{
	const bool page = stage->dash.ui.mode == RT_MODE_PORT;
	char *text, *at;
	double rate;

	stage->columns = 132;
	stage->rows = 200;
	text = picture(stage);
	at = strstr(text, page ? "\n received  " : "mlx5_0/1");
	assert_non_null(at);
	/* After its value and unit, or after verdict and speed. */
	at += page ? strlen("\n received") : strlen("mlx5_0/1");
	for (unsigned words = 2; words; words--) {
		at += strspn(at, " ");
		at += strcspn(at, " ");
	}
	at += strspn(at, " ");
	rate = read_number(at, base);
	if (page)
		assert_int_equal(at[strcspn(at, "bB ")], letter);
	free(text);
	return rate;
}

static bool about(double value, double wanted)
{
	return wanted > 0 && fabs(value / wanted - 1) < 0.02;
}

static void swaps_bytes(struct stage *stage, int code, int argument)
{
	const double rx_bps = now(stage)->views[0].figures.rx_bps.value;

	(void)argument;
	assert_true(about(written_rate(stage, 1000, 'b'), rx_bps));
	if (stage->dash.ui.mode == RT_MODE_SCREEN)
		assert_true(shows(stage, " b/s"));
	press(stage, code);
	assert_true(about(written_rate(stage, 1000, 'B'), rx_bps / 8));
	if (stage->dash.ui.mode == RT_MODE_SCREEN)
		assert_true(shows(stage, " B/s") && !shows(stage, " b/s"));
}

static void swaps_prefixes(struct stage *stage, int code, int argument)
{
	const double rx_bps = now(stage)->views[0].figures.rx_bps.value;

	(void)argument;
	press(stage, code);
	assert_true(stage->dash.ui.units.iec);
	assert_true(shows(stage, "k=1024"));
	assert_true(about(written_rate(stage, 1024, 'b'), rx_bps));
	press(stage, code);
	assert_false(stage->dash.ui.units.iec);
	assert_true(about(written_rate(stage, 1000, 'b'), rx_bps));
}

static void changes_theme(struct stage *stage, int code, int argument)
{
	(void)argument;
	press(stage, code);
	assert_int_equal(stage->dash.ui.theme, RT_THEME_MONO);
	assert_true(stage->dash.repaint);
	press(stage, code);
	press(stage, code);
	assert_int_equal(stage->dash.ui.theme, RT_THEME_DEFAULT);
}

static void draws_anew(struct stage *stage, int code, int argument)
{
	(void)argument;
	press(stage, code);
	assert_true(stage->dash.repaint);
}

static void acknowledges(struct stage *stage, int code, int argument)
{
	uint64_t number;

	(void)argument;
	press(stage, '6');
	look(stage);
	press(stage, RT_KEY_DOWN);
	number = stage->dash.ui.event;
	assert_true(number > 0);
	press(stage, code);
	tick(stage);
	for (size_t i = 0; i < now(stage)->event_count; i++)
		assert_int_equal(now(stage)->events[i].acknowledged,
				 now(stage)->events[i].number == number);
}

/* --- keys that write --------------------------------------------------------------------- */

static int write_ticks(void *context, const struct rt_watch_snapshot *snapshot,
		       FILE *to, struct rt_err *err)
{
	(void)context;
	(void)err;
	assert_explained(snapshot);
	fprintf(to, "%llu\n", (unsigned long long)snapshot->ticks);
	return 0;
}

static bool exists(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return access(path, F_OK) == 0;
}

/* Each has a file of its own, and what is shown is written. */
static void writes_snapshots(struct stage *stage, int code, int argument)
{
	(void)argument;
	stage->options.snapshot_path = folder;
	press(stage, code);
	assert_true(shows(stage, "cannot be written"));
	stage->options.write_snapshot = write_ticks;
	press(stage, code);
	press(stage, code);
	assert_true(exists("rocetune-20260302-080025.json"));
	assert_true(exists("rocetune-20260302-080025-2.json"));
	assert_true(shows(stage, "rocetune-20260302-080025-2.json"));
	tick(stage); /* which was not drawn */
	press(stage, code);
	assert_true(exists("rocetune-20260302-080026.json"));
	stage->options.snapshot_path = "/nowhere/at/all";
	press(stage, code);
	assert_true(shows(stage, "No such file"));
	empty_folder();
}

static void records(struct stage *stage, int code, int argument)
{
	(void)argument;
	stage->options.snapshot_path = folder;
	press(stage, code);
	assert_non_null(rt_watch_recording(stage->watch));
	tick(stage);
	assert_true(shows(stage, "REC"));
	press(stage, code);
	assert_null(rt_watch_recording(stage->watch));
	assert_false(shows(stage, "REC"));
	assert_true(exists("rocetune-20260302-080025.rtw"));
	empty_folder();
}

static void saves_layout(struct stage *stage, int code, int argument)
{
	struct rt_dash_ui loaded = { 0 };
	struct rt_err err = { 0 };
	char path[256];

	(void)argument;
	press(stage, code);
	assert_true(shows(stage, "no place"));
	snprintf(path, sizeof(path), "%s/layout.json", folder);
	stage->options.layout_file = path;
	stage->dash.ui.sort[3] = 2;
	stage->dash.ui.reverse[3] = true;
	press(stage, '4');
	press(stage, 'u');
	press(stage, 't');
	press(stage, code);
	assert_int_equal(rt_dash_layout_load(path, &loaded, &err), 0);
	assert_int_equal(loaded.screen, 3);
	assert_int_equal(loaded.sort[3], 2);
	assert_true(loaded.reverse[3] && !loaded.reverse[2]);
	assert_true(loaded.units.bytes && !loaded.units.iec);
	assert_int_equal(loaded.theme, RT_THEME_MONO);
	empty_folder();
}

static void seeks(struct stage *stage, int code, int seconds)
{
	const int64_t before_ns = now(stage)->time_ns;

	press(stage, code);
	assert_int_equal(now(stage)->time_ns, before_ns + seconds * SECOND_NS);
}

static void changes_speed(struct stage *stage, int code, int by)
{
	press(stage, code);
	assert_true(by > 0 ? stage->dash.ui.speed > 1 : stage->dash.ui.speed < 1);
	for (int i = 0; i < 20; i++)
		press(stage, code);
	if (by > 0) /* as fast as it goes */
		assert_true(stage->dash.ui.speed <= 0);
	press(stage, by > 0 ? '{' : '}');
	assert_true(stage->dash.ui.speed > 0);
}

/* --- the table -------------------------------------------------------------------------- */

static const struct {
	int code;
	void (*claim)(struct stage *stage, int code, int argument);
	int argument;
} rows[] = {
	{ 'q', leaves, 0 },
	{ RT_KEY_F10, leaves, 0 },
	{ RT_KEY_CTRL('C'), leaves, 0 },
	{ '?', helps, 0 },
	{ RT_KEY_F1, helps, 0 },
	{ '1', shows_screen, 1 },
	{ '2', shows_screen, 2 },
	{ '3', shows_screen, 3 },
	{ '4', shows_screen, 4 },
	{ '5', shows_screen, 5 },
	{ '6', shows_screen, 6 },
	{ RT_KEY_TAB, turns, 1 },
	{ RT_KEY_BACKTAB, turns, -1 },
	{ RT_KEY_ENTER, enters, 0 },
	{ RT_KEY_ESCAPE, goes_back, 0 },
	{ RT_KEY_UP, moves, -1 },
	{ 'k', moves, -1 },
	{ RT_KEY_DOWN, moves, 1 },
	{ 'j', moves, 1 },
	{ RT_KEY_LEFT, slides, -1 },
	{ RT_KEY_RIGHT, slides, 1 },
	{ 'l', slides, 1 },
	{ RT_KEY_PAGE_UP, pages, -1 },
	{ RT_KEY_PAGE_DOWN, pages, 1 },
	{ RT_KEY_HOME, ends, -1 },
	{ 'g', ends, -1 },
	{ RT_KEY_END, ends, 1 },
	{ 'G', ends, 1 },
	{ 's', picks_sort, 0 },
	{ '>', picks_sort, 0 },
	{ RT_KEY_F6, picks_sort, 0 },
	{ 'I', reverses, 0 },
	{ '/', filters, 0 },
	{ '!', inverts, 0 },
	{ '\\', clears, 0 },
	{ RT_KEY_CTRL('Z'), shows_findings_only, 0 },
	{ RT_KEY_BACKSPACE, rubs_out, 0 },
	{ ' ', pauses, 0 },
	{ 'P', pauses, 0 },
	{ 'Z', pauses, 0 },
	{ '+', changes_interval, 1 },
	{ '-', changes_interval, -1 },
	{ 'z', sets_baseline, 0 },
	{ 'c', clears_baseline, 0 },
	{ 'u', swaps_bytes, 0 },
	{ 'i', swaps_prefixes, 0 },
	{ 't', changes_theme, 0 },
	{ 'a', acknowledges, 0 },
	{ 'e', writes_snapshots, 0 },
	{ 'E', records, 0 },
	{ 'w', saves_layout, 0 },
	{ '[', seeks, -10 },
	{ ']', seeks, 10 },
	{ '{', changes_speed, -1 },
	{ '}', changes_speed, 1 },
	{ RT_KEY_CTRL('L'), draws_anew, 0 },
};

/* Keys that mean different things in different places. */
static const struct {
	int code;
	unsigned modes;
	void (*claim)(struct stage *stage, int code, int argument);
} elsewhere[] = {
	{ 'h', RT_IN_SCREEN, slides_or_helps },
	{ 'h', RT_IN_PORT | RT_IN_HELP, helps },
	{ 'r', RT_IN_SCREEN | RT_IN_SORT, reverses },
	{ 'r', RT_IN_PORT, sets_baseline },
};

static void try_key(int code, enum rt_dash_mode mode,
		    void (*claim)(struct stage *, int, int), int argument)
{
	struct stage stage;

	open_stage(&stage, 25, false);
	go_into(&stage, mode);
	claim(&stage, code, argument);
	look(&stage);
	close_stage(&stage);
}

/* The claim about a key in a mode; how many there are. */
static size_t try_claims(const struct rt_dash_key *key, enum rt_dash_mode mode)
{
	size_t tried = 0;

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++)
		if (rows[i].code == key->code) {
			try_key(key->code, mode, rows[i].claim, rows[i].argument);
			tried++;
		}
	for (size_t i = 0; i < RT_ARRAY_SIZE(elsewhere); i++)
		if (elsewhere[i].code == key->code && elsewhere[i].modes & 1u << mode) {
			try_key(key->code, mode, elsewhere[i].claim, 0);
			tried++;
		}
	return tried;
}

static void test_every_key_does_what_it_says(void **state)
{
	(void)state;
	for (size_t i = 0; i < rt_dash_key_count; i++)
		for (unsigned mode = 0; mode < RT_MODE_COUNT; mode++) {
			const struct rt_dash_key *key = &rt_dash_keys[i];

			if (!(key->modes >> mode & 1))
				continue;
			print_message("# %s in mode %u\n", key->name, mode);
			if (try_claims(key, mode) != 1)
				fail_msg("%s: no test, or several", key->name);
		}
}

static void test_no_key_has_two_meanings(void **state)
{
	(void)state;
	for (size_t i = 0; i < rt_dash_key_count; i++)
		for (size_t j = 0; j < i; j++)
			if (rt_dash_keys[i].code == rt_dash_keys[j].code)
				assert_int_equal(rt_dash_keys[i].modes &
							 rt_dash_keys[j].modes,
						 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_key_does_what_it_says),
		cmocka_unit_test(test_no_key_has_two_meanings),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
