/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * keys.h - KEYS: what each key does, and the words for it.  The help is made from the
 * same rows, so that it is complete.  No key changes what is watched.
 */
#ifndef RT_DASH_KEYS_H
#define RT_DASH_KEYS_H

#include <stddef.h>

#include "dash/session.h"

/* Keys that are no characters; beyond Unicode. */
enum rt_key {
	RT_KEY_NONE = 0x110000, /* nothing was pressed */
	RT_KEY_UP,
	RT_KEY_DOWN,
	RT_KEY_LEFT,
	RT_KEY_RIGHT,
	RT_KEY_PAGE_UP,
	RT_KEY_PAGE_DOWN,
	RT_KEY_HOME,
	RT_KEY_END,
	RT_KEY_BACKTAB,
	RT_KEY_BACKSPACE,
	RT_KEY_F1,
	RT_KEY_F6 = RT_KEY_F1 + 5,
	RT_KEY_F10 = RT_KEY_F1 + 9,
	RT_KEY_RESIZED,
};
#define RT_KEY_CTRL(letter) ((letter) - 'A' + 1)
#define RT_KEY_TAB          '\t'
#define RT_KEY_ENTER        '\r'
#define RT_KEY_ESCAPE       27

#define RT_IN_SCREEN (1u << RT_MODE_SCREEN)
#define RT_IN_PORT   (1u << RT_MODE_PORT)
#define RT_IN_HELP   (1u << RT_MODE_HELP)
#define RT_IN_FILTER (1u << RT_MODE_FILTER)
#define RT_IN_SORT   (1u << RT_MODE_SORT)
#define RT_IN_VIEWS  (RT_IN_SCREEN | RT_IN_PORT)
#define RT_IN_LISTS  (RT_IN_VIEWS | RT_IN_HELP | RT_IN_SORT)
#define RT_IN_ALL    (RT_IN_LISTS | RT_IN_FILTER)

struct rt_dash_key {
	int code;         /* a character, or enum rt_key */
	unsigned modes;   /* where it does something */
	const char *name; /* as on the keyboard */
	const char *help; /* rows with the same words are one line of the help */
	void (*act)(struct rt_dash *dash, int argument);
	int argument;
};

extern const struct rt_dash_key rt_dash_keys[];
extern const size_t rt_dash_key_count;

/* Do what a key says; one without meaning does nothing. */
void rt_dash_press(struct rt_dash *dash, int code);

#endif
