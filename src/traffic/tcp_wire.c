/* SPDX-License-Identifier: BSD-2-Clause */
#include "traffic/tcp_wire.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "rocetune/err.h"
#include "wire/bytes.h"

#define TEXTS RT_RENDEZVOUS_TEXT_BYTES
#define NONCE RT_TOKEN_NONCE_BYTES
#define PROOF RT_SHA256_BYTES

_Static_assert(RT_RENDEZVOUS_VERSION <= UINT8_MAX, "the head has a byte for it");

struct kind {
	const char *name;
	unsigned sides, phases; /* masks: who may send it, when */
	uint32_t least, most;   /* bytes of payload */
	bool numbered;
};

static const struct kind kinds[] = {
	[RT_TCP_CHALLENGE] = { "challenge", RT_TCP_ROOT, RT_TCP_MEETING, NONCE, NONCE,
			       false },
	[RT_TCP_HELLO] = { "hello", RT_TCP_AGENT, RT_TCP_MEETING, NONCE + PROOF + 1,
			   NONCE + PROOF + RT_TCP_NAME_BYTES - 1, false },
	[RT_TCP_WELCOME] = { "welcome", RT_TCP_ROOT, RT_TCP_MEETING, 8 + PROOF,
			     8 + PROOF, false },
	[RT_TCP_REFUSED] = { "refused", RT_TCP_ROOT, RT_TCP_MEETING | RT_TCP_RUNNING, 4,
			     4 + RT_TCP_REASON_BYTES - 1, false },
	[RT_TCP_GATHER] = { "gather", RT_TCP_AGENT, RT_TCP_RUNNING, 0, TEXTS, true },
	[RT_TCP_SCATTER] = { "scatter", RT_TCP_ROOT, RT_TCP_RUNNING, 0, TEXTS, true },
	[RT_TCP_STOP] = { "stop", RT_TCP_ROOT | RT_TCP_AGENT, RT_TCP_RUNNING, 4,
			  4 + RT_TCP_REASON_BYTES - 1, false },
	[RT_TCP_PROBE] = { "probe", RT_TCP_AGENT, RT_TCP_RUNNING, 8, 8, false },
	[RT_TCP_ECHO] = { "echo", RT_TCP_ROOT, RT_TCP_RUNNING, 16, 16, false },
	[RT_TCP_ALIVE] = { "alive", RT_TCP_ROOT, RT_TCP_RUNNING, 0, 0, false },
	[RT_TCP_BYE] = { "bye", RT_TCP_ROOT | RT_TCP_AGENT, RT_TCP_RUNNING, 0, 0,
			 false },
};

int rt_tcp_head_read(const uint8_t bytes[RT_TCP_HEAD_BYTES], enum rt_tcp_side from,
		     enum rt_tcp_phase phase, struct rt_tcp_head *ret_head,
		     struct rt_err *err)
{
	const struct rt_tcp_head head = {
		.type = bytes[3],
		.number = rt_get_be32(bytes + 4),
		.bytes = rt_get_be32(bytes + 8),
	};
	const struct kind *kind;

	if (bytes[0] != 'R' || bytes[1] != 'T')
		return rt_err_set(err, -EPROTO,
				  "it does not speak this protocol but %s",
				  rt_tcp_guess(bytes, RT_TCP_HEAD_BYTES));
	if (bytes[2] != RT_RENDEZVOUS_VERSION)
		return rt_err_set(err, -EPROTONOSUPPORT,
				  "it speaks version %u, this rocetune version %u",
				  bytes[2], RT_RENDEZVOUS_VERSION);
	if (head.type >= RT_ARRAY_SIZE(kinds) || !kinds[head.type].name)
		return rt_err_set(err, -EPROTO, "a frame of unknown type %u",
				  head.type);
	kind = &kinds[head.type];
	if (!(kind->sides & from) || !(kind->phases & phase))
		return rt_err_set(err, -EPROTO,
				  "a frame \"%s\" that does not belong here",
				  kind->name);
	if (head.bytes < kind->least || head.bytes > kind->most)
		return rt_err_set(err, -EMSGSIZE,
				  "a frame \"%s\" of %u bytes where %u to %u may be",
				  kind->name, head.bytes, kind->least, kind->most);
	if (!kind->numbered && head.number)
		return rt_err_set(err, -EPROTO, "a frame \"%s\" with a number",
				  kind->name);
	*ret_head = head;
	return 0;
}

void rt_tcp_head_write(const struct rt_tcp_head *head,
		       uint8_t ret_bytes[RT_TCP_HEAD_BYTES])
{
	ret_bytes[0] = 'R';
	ret_bytes[1] = 'T';
	ret_bytes[2] = RT_RENDEZVOUS_VERSION;
	ret_bytes[3] = (uint8_t)head->type;
	rt_put_be32(ret_bytes + 4, head->number);
	rt_put_be32(ret_bytes + 8, head->bytes);
}

/* A frame of this type with bytes of payload, to be filled in at what is returned. */
static uint8_t *start(struct rt_tcp_small *frame, unsigned type, size_t bytes)
{
	const struct rt_tcp_head head = { .type = type, .bytes = (uint32_t)bytes };

	rt_tcp_head_write(&head, frame->bytes);
	frame->used = RT_TCP_HEAD_BYTES + bytes;
	return frame->bytes + RT_TCP_HEAD_BYTES;
}

/* A text of at most capacity - 1 bytes, which the head has seen to. */
static void text_read(const uint8_t *from, size_t bytes, char *to)
{
	memcpy(to, from, bytes);
	to[bytes] = '\0';
	rt_text_clean(to);
}

bool rt_tcp_name_is_fine(const char *name)
{
	size_t i = 0;

	for (; name[i]; i++)
		if (i + 1 >= RT_TCP_NAME_BYTES || name[i] <= ' ' || name[i] > '~')
			return false;
	return i > 0;
}

void rt_tcp_name_nth(const char *host, unsigned nth, char ret_name[RT_TCP_NAME_BYTES])
{
	if (nth > 1)
		snprintf(ret_name, RT_TCP_NAME_BYTES, "%.240s:%u", host, nth);
	else
		snprintf(ret_name, RT_TCP_NAME_BYTES, "%s", host);
}

bool rt_tcp_name_is_of(const char *name, const char *host)
{
	const size_t length = strlen(host);

	return strncmp(name, host, length) == 0 &&
	       (!name[length] || name[length] == ':');
}

int rt_tcp_hello_read(const uint8_t *payload, size_t bytes,
		      struct rt_tcp_hello *ret_hello, struct rt_err *err)
{
	const size_t length = bytes - NONCE - PROOF;

	memcpy(ret_hello->nonce, payload, NONCE);
	memcpy(ret_hello->proof, payload + NONCE, PROOF);
	memcpy(ret_hello->name, payload + NONCE + PROOF, length);
	ret_hello->name[length] = '\0';
	if (strlen(ret_hello->name) != length || !rt_tcp_name_is_fine(ret_hello->name))
		return rt_err_set(err, -EPROTO, "its name is not visible ASCII");
	return 0;
}

void rt_tcp_welcome_read(const uint8_t *payload, struct rt_tcp_welcome *ret_welcome)
{
	ret_welcome->rank = rt_get_be32(payload);
	ret_welcome->size = rt_get_be32(payload + 4);
	memcpy(ret_welcome->proof, payload + 8, PROOF);
}

void rt_tcp_refused_read(const uint8_t *payload, size_t bytes,
			 struct rt_tcp_refused *ret_refused)
{
	const uint32_t why = rt_get_be32(payload);

	ret_refused->why = why >= RT_TCP_BAD_TOKEN && why < RT_TCP_REFUSAL_COUNT
				   ? why
				   : RT_TCP_BAD_BYTES;
	text_read(payload + 4, bytes - 4, ret_refused->text);
}

void rt_tcp_stop_read(const uint8_t *payload, size_t bytes,
		      struct rt_tcp_stop *ret_stop)
{
	ret_stop->rank = rt_get_be32(payload);
	text_read(payload + 4, bytes - 4, ret_stop->reason);
}

int64_t rt_tcp_time_read(const uint8_t *payload, size_t index)
{
	return (int64_t)rt_get_be64(payload + 8 * index);
}

void rt_tcp_challenge_write(const uint8_t nonce[RT_TOKEN_NONCE_BYTES],
			    struct rt_tcp_small *ret_frame)
{
	memcpy(start(ret_frame, RT_TCP_CHALLENGE, NONCE), nonce, NONCE);
}

void rt_tcp_hello_write(const struct rt_tcp_hello *hello,
			struct rt_tcp_small *ret_frame)
{
	const size_t length = strlen(hello->name);
	uint8_t *at = start(ret_frame, RT_TCP_HELLO, NONCE + PROOF + length);

	memcpy(at, hello->nonce, NONCE);
	memcpy(at + NONCE, hello->proof, PROOF);
	memcpy(at + NONCE + PROOF, hello->name, length);
}

void rt_tcp_welcome_write(const struct rt_tcp_welcome *welcome,
			  struct rt_tcp_small *ret_frame)
{
	uint8_t *at = start(ret_frame, RT_TCP_WELCOME, 8 + PROOF);

	rt_put_be32(at, welcome->rank);
	rt_put_be32(at + 4, welcome->size);
	memcpy(at + 8, welcome->proof, PROOF);
}

const char *rt_tcp_welcome_text(const struct rt_tcp_welcome *welcome,
				struct rt_tcp_claim_text *text)
{
	snprintf(text->text, sizeof(text->text), "rank %u of %u", welcome->rank,
		 welcome->size);
	return text->text;
}

static void number_and_text(struct rt_tcp_small *frame, unsigned type, uint32_t number,
			    const char *text)
{
	const size_t length = strnlen(text, RT_TCP_REASON_BYTES - 1);
	uint8_t *at = start(frame, type, 4 + length);

	rt_put_be32(at, number);
	memcpy(at + 4, text, length);
}

void rt_tcp_refused_write(const struct rt_tcp_refused *refused,
			  struct rt_tcp_small *ret_frame)
{
	number_and_text(ret_frame, RT_TCP_REFUSED, refused->why, refused->text);
}

void rt_tcp_stop_write(const struct rt_tcp_stop *stop, struct rt_tcp_small *ret_frame)
{
	number_and_text(ret_frame, RT_TCP_STOP, stop->rank, stop->reason);
}

void rt_tcp_times_write(unsigned type, const int64_t *times, size_t count,
			struct rt_tcp_small *ret_frame)
{
	uint8_t *at = start(ret_frame, type, 8 * count);

	for (size_t i = 0; i < count; i++)
		rt_put_be64(at + 8 * i, (uint64_t)times[i]);
}

int rt_tcp_refusal_errno(unsigned why)
{
	static const int codes[RT_TCP_REFUSAL_COUNT] = {
		[RT_TCP_BAD_TOKEN] = -EACCES, [RT_TCP_BAD_VERSION] = -EPROTONOSUPPORT,
		[RT_TCP_BAD_BYTES] = -EPROTO, [RT_TCP_BAD_NAME] = -EEXIST,
		[RT_TCP_BEGUN] = -EALREADY,   [RT_TCP_CROWDED] = -EBUSY,
		[RT_TCP_TOO_SLOW] = -ETIME,
	};

	return why < RT_TCP_REFUSAL_COUNT && codes[why] ? codes[why] : -EPROTO;
}

const char *rt_tcp_guess(const uint8_t *bytes, size_t count)
{
	static const struct {
		const char *start, *name;
	} rows[] = {
		{ "GET ", "HTTP" },    { "POST ", "HTTP" },    { "HEAD ", "HTTP" },
		{ "PUT ", "HTTP" },    { "OPTIONS ", "HTTP" }, { "CONNECT ", "HTTP" },
		{ "HTTP/", "HTTP" },   { "PRI * ", "HTTP" },   { "SSH-", "SSH" },
		{ "\x16\x03", "TLS" },
	};

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		const size_t length = strlen(rows[i].start);

		if (count >= length && memcmp(bytes, rows[i].start, length) == 0)
			return rows[i].name;
	}
	return "something else";
}
