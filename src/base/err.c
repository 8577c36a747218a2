/* SPDX-License-Identifier: BSD-2-Clause */
#include "rocetune/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

void rt_err_fill(struct rt_err *err, int code, int with_errno, const char *fmt, ...)
{
	char text[RT_ERR_MSG_BYTES];
	va_list args;
	int used;

	if (!err)
		return;

	/* Built aside: an argument may be err->msg itself. */
	va_start(args, fmt);
	used = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (with_errno && used >= 0 && used < (int)sizeof(text))
		used += snprintf(text + used, sizeof(text) - (size_t)used, ": %s",
				 strerror(-code));
	if (used >= (int)sizeof(text))
		memcpy(text + sizeof(text) - 4, "...", 4);
	rt_text_clean(text); /* words from outside must not steer a terminal */
	memcpy(err->msg, text, sizeof(err->msg));
	err->code = code;
}
