/* SPDX-License-Identifier: BSD-2-Clause */
/* paragraph.c - a label and a text that is broken at blanks. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "report/report.h"

#define INDENT 2u

void rt_report_paragraph(FILE *to, const char *label, unsigned width, const char *text)
{
	char word[512];
	unsigned at;

	snprintf(word, sizeof(word), "%s", label);
	at = INDENT + (unsigned)strlen(rt_text_clean(word));
	fprintf(to, "%*s%s", (int)INDENT, "", word);
	/* A label that leaves no room has its text below it. */
	if (at > INDENT && at + 1 > width) {
		fputc(width > INDENT ? '\n' : ' ', to);
		at = width > INDENT ? 0 : at + 1;
	}
	for (; at < width; at++)
		fputc(' ', to);
	for (bool first = true; *text; first = false) {
		const size_t length = strcspn(text, " ");

		snprintf(word, sizeof(word), "%.*s", (int)length, text);
		rt_text_clean(word);
		if (!first && at + 1 + strlen(word) > RT_REPORT_COLUMNS) {
			fprintf(to, "\n%*s", (int)width, "");
			at = width;
			first = true;
		}
		at += (unsigned)fprintf(to, "%s%s", first ? "" : " ", word);
		text += length;
		text += strspn(text, " ");
	}
	fputc('\n', to);
}
