/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_export.c - any bytes as a request's headers, as a token, an address and a label: who
 * has no token sees nothing, and a label is one whatever was in it.
 *
 * Texts end with a byte of 0: path, Accept, Authorization, the token's file, a label.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "export/listen.h"
#include "export/metrics.h"
#include "export/request.h"
#include "rocetune/err.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define TEXTS 5u

static void check_answer(const struct rt_request *request,
			 const struct rt_answer *answer, const char *token)
{
	const size_t length = token ? strlen(token) : 0;
	const char *given = request->authorization;

	if (answer->open_metrics && answer->body != RT_ANSWER_METRICS)
		abort();
	if ((answer->status == 200) != (answer->body != RT_ANSWER_ERROR))
		abort();
	if (answer->status != 200 || !token)
		return;
	/* The line's end is none of the token. */
	if (!given || strlen(given) < 7)
		abort();
	given += strspn(given + 6, " ") + 6;
	if (strncmp(given, token, strlen(given)) != 0 || strlen(given) > length ||
	    token[strlen(given) + strspn(token + strlen(given), "\r\n")])
		abort();
}

static void check_label(const char *value)
{
	char *labels = calloc(1, 5 * strlen(value) + 16);
	const size_t room = 5 * strlen(value) + 16;
	size_t length;

	if (!labels)
		return;
	rt_metrics_label(labels, room, "a", value);
	length = strlen(labels);
	if (strncmp(labels, "a=\"", 3) != 0 || labels[length - 1] != '"' ||
	    rt_text_utf8_length(labels, length) != length)
		abort();
	for (size_t i = 3; i < length - 1; i++) {
		if (labels[i] == '\n' || labels[i] == '"')
			abort();
		if (labels[i] == '\\' && !strchr("\\n\"", labels[++i]))
			abort();
	}
	free(labels);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	const char *texts[TEXTS] = { "", NULL, NULL, NULL, "" };
	char *copy = malloc(bytes + 1), *at = copy;
	struct rt_bearer bearer = { 0 };
	struct rt_err err = { 0 };
	struct rt_request request;
	struct rt_answer answer;

	if (!copy)
		return 0;
	memcpy(copy, data, bytes);
	copy[bytes] = '\0';
	for (size_t i = 0; i < TEXTS && at <= copy + bytes; i++) {
		texts[i] = at;
		at += strlen(at) + 1;
	}
	if (texts[3] &&
	    rt_bearer_set("file", texts[3], strlen(texts[3]), &bearer, &err) < 0 &&
	    !*err.msg)
		abort();
	request = (struct rt_request){ .method = bytes % 2 ? "GET" : "HEAD",
				       .path = texts[0],
				       .accept = texts[1],
				       .authorization = texts[2] };
	answer = rt_request_answer(&request, &bearer);
	check_answer(&request, &answer, bearer.wanted ? texts[3] : NULL);
	err = (struct rt_err){ 0 };
	if (rt_listen_check(texts[0], &err) < 0 && !*err.msg)
		abort();
	check_label(texts[4]);
	free(copy);
	return 0;
}
