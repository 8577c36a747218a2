/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * token.h - the secret that a coordinator and its agents share.  It never travels:
 * each end shows an HMAC over both ends' random numbers (RFC 2104 with SHA-256), and
 * what is compared are digests of equal length, in constant time.
 */
#ifndef RT_TRAFFIC_TOKEN_H
#define RT_TRAFFIC_TOKEN_H

#include <stdint.h>

#include "base/sha256.h"

struct rt_err;

#define RT_TOKEN_MIN_BYTES   8u
#define RT_TOKEN_MAX_BYTES   255u
#define RT_TOKEN_NONCE_BYTES 32u
#define RT_TOKEN_ENVIRONMENT "ROCETUNE_TOKEN"

struct rt_token {
	char text[RT_TOKEN_MAX_BYTES + 1];
};

/* A fresh one of 128 random bits, 32 hexadecimal digits.  What getrandom() said. */
int rt_token_new(struct rt_token *ret_token, struct rt_err *err);

/* text is the token.  -EINVAL: too short, too long, or with blanks or controls. */
int rt_token_set(const char *text, struct rt_token *ret_token, struct rt_err *err);

/*
 * The first line of a file ("-": standard input); path NULL: of the environment's
 * ROCETUNE_TOKEN.  -ENOENT: no such file, or the variable is not set.  -EINVAL as above.
 */
int rt_token_read(const char *path, struct rt_token *ret_token, struct rt_err *err);

/* Random bytes.  What getrandom() said. */
int rt_token_nonce(uint8_t ret_nonce[RT_TOKEN_NONCE_BYTES], struct rt_err *err);

/* What a proof is about. */
struct rt_token_claim {
	const char *role;          /* "agent", "root": one's proof is not the other's */
	const uint8_t *root_nonce; /* RT_TOKEN_NONCE_BYTES each */
	const uint8_t *agent_nonce;
	const char *text; /* what else is vouched for: name; rank and size */
};
void rt_token_proof(const struct rt_token *token, const struct rt_token_claim *claim,
		    uint8_t ret_proof[RT_SHA256_BYTES]);

#endif
