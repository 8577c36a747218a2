/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * request.h - what to answer to a request: the part of serving that needs no network.
 *
 * Pure: headers and path in, status and format out.
 */
#ifndef RT_EXPORT_REQUEST_H
#define RT_EXPORT_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sha256.h"

struct rt_err;

/* As it came; NULL: it has no such header. */
struct rt_request {
	const char *method, *path;
	const char *accept, *authorization;
	bool has_body;
};

enum rt_answer_body {
	RT_ANSWER_ERROR,
	RT_ANSWER_PAGE, /* which says where the metrics are */
	RT_ANSWER_METRICS,
};

struct rt_answer {
	unsigned status; /* of HTTP */
	enum rt_answer_body body;
	bool open_metrics; /* of RT_ANSWER_METRICS */
};

/* A bearer token (RFC 6750), kept as its digest. */
struct rt_bearer {
	bool wanted;
	uint8_t digest[RT_SHA256_BYTES];
};

#define RT_BEARER_LEAST 16u
#define RT_BEARER_MOST  512u

/*
 * A token is one line of letters, digits and -._~+/ with = at its end.  Messages name
 * the file and never the token.  -EINVAL: it is none, or too short to be a secret.
 */
int rt_bearer_set(const char *file, const char *text, size_t bytes,
		  struct rt_bearer *ret_token, struct rt_err *err);

/* The same from a file.  -EPERM: others may read it. */
int rt_bearer_read(const char *path, struct rt_bearer *ret_token, struct rt_err *err);

struct rt_answer rt_request_answer(const struct rt_request *request,
				   const struct rt_bearer *token);

#endif
