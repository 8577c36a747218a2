/* SPDX-License-Identifier: BSD-2-Clause */
#include "dash/terminal.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
/* Wide characters, and no macros called move, clear and so on. */
#define NCURSES_WIDECHAR 1
#define NCURSES_NOMACROS 1
#include <ncurses.h>

#include "dash/keys.h"
#include "dash/theme.h"
#include "rocetune/err.h"

/* How long after an escape the rest of a key may come. */
#define ESCAPE_MS 50

struct rt_terminal {
	SCREEN *screen;
	char *locale; /* owned: of before */
	bool mono, utf8;
	enum rt_dash_theme theme; /* whose colours are set */
	bool themed;
	bool own_colours; /* it has some that are not numbered, for what is plain */
};

/* --- open and close --------------------------------------------------------------------- */

/* Only what characters are; numbers stay as they are in C. */
static void take_locale(struct rt_terminal *terminal)
{
	const char *before = setlocale(LC_CTYPE, NULL);

	terminal->locale = strdup(before ? before : "C");
	setlocale(LC_CTYPE, "");
	terminal->utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

static void give_locale_back(struct rt_terminal *terminal)
{
	if (terminal->locale)
		setlocale(LC_CTYPE, terminal->locale);
	free(terminal->locale);
}

static void set_up(struct rt_terminal *terminal)
{
	/* Ctrl-C, Ctrl-Z and Ctrl-\ are keys. */
	raw();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(ESCAPE_MS);
	curs_set(0);
	leaveok(stdscr, TRUE);
	if (!terminal->mono && has_colors()) {
		start_color();
		terminal->own_colours = use_default_colors() == OK;
	}
}

int rt_terminal_open(bool mono, struct rt_terminal **ret_terminal, struct rt_err *err)
{
	struct rt_terminal *terminal;

	if (!rt_dash_possible())
		return rt_err_set(err, -ENOTTY,
				  "no terminal here that can draw screens");
	terminal = calloc(1, sizeof(*terminal));
	if (!terminal)
		return rt_err_sys(err, -ENOMEM, "cannot open the terminal");
	terminal->mono = mono;
	take_locale(terminal);
	terminal->screen = newterm(NULL, stdout, stdin);
	if (!terminal->screen) {
		give_locale_back(terminal);
		free(terminal);
		return rt_err_set(err, -ENOTTY, "ncurses cannot use this terminal");
	}
	set_up(terminal);
	*ret_terminal = terminal;
	return 0;
}

void rt_terminal_close(struct rt_terminal *terminal)
{
	if (!terminal)
		return;
	endwin();
	delscreen(terminal->screen);
	give_locale_back(terminal);
	free(terminal);
}

bool rt_terminal_is_utf8(const struct rt_terminal *terminal)
{
	return terminal->utf8;
}

void rt_terminal_size(struct rt_terminal *terminal, unsigned *ret_rows,
		      unsigned *ret_columns)
{
	struct winsize size = { 0 };

	(void)terminal;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row &&
	    size.ws_col && (size.ws_row != LINES || size.ws_col != COLS))
		resizeterm(size.ws_row, size.ws_col);
	*ret_rows = (unsigned)LINES;
	*ret_columns = (unsigned)COLS;
}

/* --- out -------------------------------------------------------------------------------- */

static attr_t attributes_of(unsigned look)
{
	return (look & RT_LOOK_BOLD ? A_BOLD : 0u) |
	       (look & RT_LOOK_FAINT ? A_DIM : 0u) |
	       (look & RT_LOOK_REVERSE ? A_REVERSE : 0u) |
	       (look & RT_LOOK_UNDERLINE ? A_UNDERLINE : 0u);
}

static int colours_of(const struct rt_terminal *terminal)
{
	return terminal->mono || !has_colors() ? 0 : COLORS;
}

/* A pair of colours for each style; the first pair is ncurses' own. */
static void set_theme(struct rt_terminal *terminal, enum rt_dash_theme theme)
{
	const int colours = colours_of(terminal);
	struct rt_look look;

	if (terminal->themed && terminal->theme == theme)
		return;
	terminal->theme = theme;
	terminal->themed = true;
	for (unsigned i = 0; colours && i < RT_STYLE_COUNT; i++) {
		look = rt_theme_look(theme, i, colours);
		if (!terminal->own_colours && look.front < 0)
			look.front = COLOR_WHITE;
		if (!terminal->own_colours && look.back < 0)
			look.back = COLOR_BLACK;
		init_pair((short)(i + 1), (short)look.front, (short)look.back);
	}
	look = rt_theme_look(theme, RT_STYLE_PLAIN, colours);
	bkgdset(colours ? ' ' | (chtype)COLOR_PAIR(RT_STYLE_PLAIN + 1) : ' ');
}

static void set_style(const struct rt_terminal *terminal, enum rt_dash_theme theme,
		      uint8_t style)
{
	const int colours = colours_of(terminal);
	const enum rt_style plain = style & ~RT_STYLE_CURSOR;
	const struct rt_look look = rt_theme_look(theme, plain, colours);
	attr_t attributes = attributes_of(look.attributes);

	if (style & RT_STYLE_CURSOR)
		attributes ^= A_REVERSE;
	attr_set(attributes, colours ? (short)(plain + 1) : 0, NULL);
}

/* Cells of one style, from column on; where the next style begins. */
static unsigned show_run(const struct rt_terminal *terminal,
			 const struct rt_canvas *canvas, enum rt_dash_theme theme,
			 unsigned row, unsigned column)
{
	const struct rt_cell *cells = &canvas->cells[(size_t)row * canvas->columns];
	const uint8_t style = cells[column].style;
	wchar_t text[256];
	unsigned count = 0;

	while (column + count < canvas->columns &&
	       cells[column + count].style == style &&
	       count < sizeof(text) / sizeof(text[0])) {
		text[count] = (wchar_t)cells[column + count].character;
		count++;
	}
	set_style(terminal, theme, style);
	mvaddnwstr((int)row, (int)column, text, (int)count);
	return column + count;
}

void rt_terminal_show(struct rt_terminal *terminal, const struct rt_canvas *canvas,
		      enum rt_dash_theme theme, bool repaint)
{
	set_theme(terminal, theme);
	erase();
	for (unsigned row = 0; row < canvas->rows; row++)
		for (unsigned column = 0; column < canvas->columns;)
			column = show_run(terminal, canvas, theme, row, column);
	if (repaint)
		clearok(stdscr, TRUE);
	refresh();
}

/* --- in --------------------------------------------------------------------------------- */

static const struct {
	int code;
	int key;
} translations[] = {
	{ KEY_UP, RT_KEY_UP },          { KEY_DOWN, RT_KEY_DOWN },
	{ KEY_LEFT, RT_KEY_LEFT },      { KEY_RIGHT, RT_KEY_RIGHT },
	{ KEY_PPAGE, RT_KEY_PAGE_UP },  { KEY_NPAGE, RT_KEY_PAGE_DOWN },
	{ KEY_HOME, RT_KEY_HOME },      { KEY_END, RT_KEY_END },
	{ KEY_BTAB, RT_KEY_BACKTAB },   { KEY_BACKSPACE, RT_KEY_BACKSPACE },
	{ KEY_ENTER, RT_KEY_ENTER },    { KEY_F(1), RT_KEY_F1 },
	{ KEY_F(6), RT_KEY_F6 },        { KEY_F(10), RT_KEY_F10 },
	{ KEY_RESIZE, RT_KEY_RESIZED },
};

int rt_terminal_key(struct rt_terminal *terminal)
{
	wint_t code = 0;
	const int kind = get_wch(&code);

	(void)terminal;
	if (kind == ERR)
		return RT_KEY_NONE;
	if (kind == KEY_CODE_YES) {
		for (size_t i = 0; i < sizeof(translations) / sizeof(translations[0]);
		     i++)
			if (translations[i].code == (int)code)
				return translations[i].key;
		return RT_KEY_RESIZED; /* one without meaning */
	}
	return code == 0x7f || code == '\b' ? RT_KEY_BACKSPACE
	       : code == '\n'               ? RT_KEY_ENTER
					    : (int)code;
}
