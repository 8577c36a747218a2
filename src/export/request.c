/* SPDX-License-Identifier: BSD-2-Clause */
/* request.c - methods, paths, tokens, and which format somebody would rather have. */
#include "export/request.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/own.h"
#include "rocetune/err.h"

/* --- tokens -------------------------------------------------------------------------------- */

static const char hash_key[] = "rocetune exporter";

/* Digests are compared, so that not even the token's length takes its own time. */
static void digest_of(const char *text, size_t bytes,
		      uint8_t ret_digest[RT_SHA256_BYTES])
{
	struct rt_hmac hmac;

	rt_hmac_init(&hmac, hash_key, sizeof(hash_key));
	rt_hmac_add(&hmac, text, bytes);
	rt_hmac_end(&hmac, ret_digest);
}

/* RFC 6750 2.1: b64token. */
static bool is_token(const char *text, size_t bytes)
{
	while (bytes && text[bytes - 1] == '=')
		bytes--;
	for (size_t i = 0; i < bytes; i++)
		if (!isalnum((unsigned char)text[i]) &&
		    (!text[i] || !strchr("-._~+/", text[i])))
			return false;
	return bytes > 0;
}

int rt_bearer_set(const char *file, const char *text, size_t bytes,
		  struct rt_bearer *ret_token, struct rt_err *err)
{
	struct rt_bearer token = { .wanted = true };

	while (bytes && (text[bytes - 1] == '\n' || text[bytes - 1] == '\r'))
		bytes--;
	if (bytes < RT_BEARER_LEAST || bytes > RT_BEARER_MOST)
		return rt_err_set(err, -EINVAL,
				  "%s: a token has %u to %u characters, as of `openssl "
				  "rand -hex 32`",
				  file, RT_BEARER_LEAST, RT_BEARER_MOST);
	if (!is_token(text, bytes))
		return rt_err_set(err, -EINVAL,
				  "%s: a token is one line of letters, digits and "
				  "-._~+/, = at its end",
				  file);
	digest_of(text, bytes, token.digest);
	*ret_token = token;
	return 0;
}

int rt_bearer_read(const char *path, struct rt_bearer *ret_token, struct rt_err *err)
{
	RT_AUTO(rt_auto_free) char *text = NULL;
	struct stat status;
	size_t bytes;
	int r;

	if (stat(path, &status) == 0 && status.st_mode & S_IROTH)
		return rt_err_set(err, -EPERM,
				  "%s: everybody may read this token: chmod o= %s",
				  path, path);
	r = rt_file_check_regular(path, err);
	if (r == 0)
		r = rt_file_read(path, 1u << 20, &text, &bytes, err);
	return r < 0 ? r : rt_bearer_set(path, text, bytes, ret_token, err);
}

/* "Bearer" in any case, blanks, the token. */
static bool may_see(const struct rt_bearer *token, const char *authorization)
{
	static const char scheme[] = "Bearer";
	const size_t length = sizeof(scheme) - 1;
	uint8_t digest[RT_SHA256_BYTES];

	if (!token->wanted)
		return true;
	if (!authorization || strncasecmp(authorization, scheme, length) != 0 ||
	    authorization[length] != ' ')
		return false;
	authorization += length;
	authorization += strspn(authorization, " ");
	digest_of(authorization, strlen(authorization), digest);
	return rt_digest_equal(digest, token->digest);
}

/* --- formats ------------------------------------------------------------------------------- */

/* How much somebody wants something, in thousandths (RFC 9110 12.4.2). */
#define WANTED 1000u

struct range {
	char type[64];
	char version[16];
	unsigned q;
};

/* "0.75" as 750; what is no weight is 0. */
static unsigned read_q(const char *text, size_t bytes)
{
	unsigned q, place = 100;

	if (bytes == 0 || bytes > 5 || (text[0] != '0' && text[0] != '1'))
		return 0;
	q = text[0] == '1' ? WANTED : 0;
	for (size_t i = 2; i < bytes && isdigit((unsigned char)text[i]); i++) {
		q += (unsigned)(text[i] - '0') * place;
		place /= 10;
	}
	return q < WANTED ? q : WANTED;
}

static void trim(const char **text, size_t *bytes)
{
	while (*bytes && isspace((unsigned char)**text)) {
		(*text)++;
		(*bytes)--;
	}
	while (*bytes && isspace((unsigned char)(*text)[*bytes - 1]))
		(*bytes)--;
}

static void keep(char *to, size_t capacity, const char *text, size_t bytes)
{
	const size_t kept = bytes < capacity ? bytes : 0;

	memcpy(to, text, kept);
	to[kept] = '\0';
}

/* "version=1.0.0" or "q=0.5" into the range. */
static void read_parameter(const char *text, size_t bytes, struct range *range)
{
	const char *equals = memchr(text, '=', bytes);
	const char *value = equals ? equals + 1 : NULL;
	size_t name, left;

	if (!equals)
		return;
	name = (size_t)(equals - text);
	left = bytes - name - 1;
	trim(&value, &left);
	if (left > 1 && value[0] == '"' && value[left - 1] == '"') {
		value++;
		left -= 2;
	}
	if (name == 1 && (*text == 'q' || *text == 'Q'))
		range->q = read_q(value, left);
	else if (name == 7 && strncasecmp(text, "version", 7) == 0)
		keep(range->version, sizeof(range->version), value, left);
}

/* One of the list, which moves on behind it; false: there is none. */
static bool next_range(const char **list, struct range *ret_range)
{
	struct range range = { .q = WANTED };
	size_t left = strcspn(*list, ",");
	const char *at = *list;

	if (!*at)
		return false;
	*list += left + (at[left] == ',');
	for (bool first = true; left; first = false) {
		const char *end = memchr(at, ';', left), *text = at;
		size_t bytes = end ? (size_t)(end - at) : left;

		at += bytes + (end != NULL);
		left -= bytes + (end != NULL);
		trim(&text, &bytes);
		if (first)
			keep(range.type, sizeof(range.type), text, bytes);
		else
			read_parameter(text, bytes, &range);
	}
	*ret_range = range;
	return true;
}

/*
 * OpenMetrics where it is asked for by name, in a version that this is, and nothing else
 * is wanted more: whoever takes anything gets what everybody reads.
 */
static bool wants_open_metrics(const char *accept)
{
	unsigned open = 0, older = 0;
	struct range range;

	while (accept && next_range(&accept, &range)) {
		const bool ours = !*range.version ||
				  strcmp(range.version, "1.0.0") == 0;

		if (strcasecmp(range.type, "application/openmetrics-text") == 0) {
			if (ours && range.q > open)
				open = range.q;
		} else if (strcasecmp(range.type, "text/plain") == 0) {
			if (range.q > older)
				older = range.q;
		}
	}
	return open > 0 && open >= older;
}

/* --- answers ------------------------------------------------------------------------------- */

struct rt_answer rt_request_answer(const struct rt_request *request,
				   const struct rt_bearer *token)
{
	if (strcmp(request->method, "GET") != 0 && strcmp(request->method, "HEAD") != 0)
		return (struct rt_answer){ .status = 405 };
	if (request->has_body)
		return (struct rt_answer){ .status = 413 };
	if (!may_see(token, request->authorization))
		return (struct rt_answer){ .status = 401 };
	if (strcmp(request->path, "/") == 0)
		return (struct rt_answer){ .status = 200, .body = RT_ANSWER_PAGE };
	if (strcmp(request->path, "/metrics") != 0)
		return (struct rt_answer){ .status = 404 };
	return (struct rt_answer){ .status = 200,
				   .body = RT_ANSWER_METRICS,
				   .open_metrics = wants_open_metrics(
					   request->accept) };
}
