/* SPDX-License-Identifier: BSD-2-Clause */
/* page.h - text that is longer than the screen, line by line, of which a part is seen. */
#ifndef RT_DASH_PAGE_H
#define RT_DASH_PAGE_H

#include "dash/screens.h"

struct rt_page {
	struct rt_canvas *canvas;
	struct rt_box body;
	unsigned rows;  /* that are seen */
	unsigned first; /* line of the page at the top */
	unsigned line;  /* the next one */
};

/* The next line of the page; not on the canvas where it is not seen. */
struct rt_box rt_page_line(struct rt_page *page);

/* A paragraph, indented, broken at blanks. */
void rt_page_text(struct rt_page *page, unsigned indent, unsigned style,
		  const char *text);

/* A blank line and a heading. */
void rt_page_heading(struct rt_page *page, const char *text);

#endif
