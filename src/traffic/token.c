/* SPDX-License-Identifier: BSD-2-Clause */
#include "traffic/token.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/file.h"
#include "base/own.h"
#include "rocetune/err.h"

#define FILE_MOST_BYTES (1u << 20)

static int fill_random(void *into, size_t bytes, struct rt_err *err)
{
	uint8_t *at = into;

	while (bytes) {
		const ssize_t got = getrandom(at, bytes, 0);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return rt_err_sys(err, -errno, "cannot get random numbers");
		at += got;
		bytes -= (size_t)got;
	}
	return 0;
}

int rt_token_nonce(uint8_t ret_nonce[RT_TOKEN_NONCE_BYTES], struct rt_err *err)
{
	return fill_random(ret_nonce, RT_TOKEN_NONCE_BYTES, err);
}

int rt_token_new(struct rt_token *ret_token, struct rt_err *err)
{
	uint8_t bytes[16];
	int r = fill_random(bytes, sizeof(bytes), err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(ret_token->text + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

static int set_bytes(const char *text, size_t bytes, const char *from,
		     struct rt_token *ret_token, struct rt_err *err)
{
	if (bytes < RT_TOKEN_MIN_BYTES || bytes > RT_TOKEN_MAX_BYTES)
		return rt_err_set(err, -EINVAL,
				  "%s: a token has %u to %u characters, not %zu", from,
				  RT_TOKEN_MIN_BYTES, RT_TOKEN_MAX_BYTES, bytes);
	for (size_t i = 0; i < bytes; i++)
		if (text[i] <= ' ' || text[i] > '~')
			return rt_err_set(err, -EINVAL,
					  "%s: a token has visible ASCII characters "
					  "only, the one at %zu is not",
					  from, i + 1);
	memset(ret_token, 0, sizeof(*ret_token));
	memcpy(ret_token->text, text, bytes);
	return 0;
}

int rt_token_set(const char *text, struct rt_token *ret_token, struct rt_err *err)
{
	return set_bytes(text, strlen(text), "token", ret_token, err);
}

int rt_token_read(const char *path, struct rt_token *ret_token, struct rt_err *err)
{
	RT_AUTO(rt_auto_free) char *text = NULL;
	size_t bytes, line = 0;
	int r;

	if (!path) {
		const char *value = getenv(RT_TOKEN_ENVIRONMENT);

		if (!value)
			return rt_err_set(err, -ENOENT, "%s is not set",
					  RT_TOKEN_ENVIRONMENT);
		return set_bytes(value, strlen(value), RT_TOKEN_ENVIRONMENT, ret_token,
				 err);
	}
	r = rt_file_read(path, FILE_MOST_BYTES, &text, &bytes, err);
	if (r < 0)
		return r;
	while (line < bytes && text[line] != '\n' && text[line] != '\r')
		line++;
	return set_bytes(text, line, rt_file_name(path), ret_token, err);
}

/* Each part with its end mark: no two claims are the same bytes. */
void rt_token_proof(const struct rt_token *token, const struct rt_token_claim *claim,
		    uint8_t ret_proof[RT_SHA256_BYTES])
{
	struct rt_hmac hmac;

	rt_hmac_init(&hmac, token->text, strlen(token->text));
	rt_hmac_add(&hmac, claim->role, strlen(claim->role) + 1);
	rt_hmac_add(&hmac, claim->root_nonce, RT_TOKEN_NONCE_BYTES);
	rt_hmac_add(&hmac, claim->agent_nonce, RT_TOKEN_NONCE_BYTES);
	rt_hmac_add(&hmac, claim->text, strlen(claim->text) + 1);
	rt_hmac_end(&hmac, ret_proof);
}
