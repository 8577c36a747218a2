/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tcp_wire.h - the frames between a coordinator (root) and its agents: pure functions
 * over bytes.
 *
 * A frame is 12 bytes of head, "RT", version, type, a number and a length (big endian),
 * and its payload.  A table says of each type who may send it, when, and how long it
 * may be, so that nothing is stored of what is not expected:
 *
 *	root				agent
 *	challenge: nonce	->
 *			<-	hello: nonce, proof, name
 *	welcome: rank, size, proof  ->	or refused: why
 *			<-	probe: time	(a few, then every 250 ms)
 *	echo: time, root's time	->
 *			<-	gather n: text
 *	scatter n: text		->
 *	alive			->	every 250 ms
 *	stop, bye	<->
 *
 * The head's layout, challenge and refused stay as they are in every version, so that
 * two versions can tell each other so.
 */
#ifndef RT_TRAFFIC_TCP_WIRE_H
#define RT_TRAFFIC_TCP_WIRE_H

#include <stddef.h>
#include <stdint.h>

#include "traffic/rendezvous.h"
#include "traffic/token.h"

#define RT_TCP_HEAD_BYTES   12u
#define RT_TCP_NAME_BYTES   256u /* with the 0 at its end */
#define RT_TCP_REASON_BYTES 160u /* the same */
#define RT_TCP_JOIN_PROBES  8u   /* of the clock, before an agent has joined */
#define RT_TCP_SMALL_BYTES  400u /* any frame but a text, head included */

enum rt_tcp_type {
	RT_TCP_CHALLENGE = 1,
	RT_TCP_HELLO,
	RT_TCP_WELCOME,
	RT_TCP_REFUSED,
	RT_TCP_GATHER,
	RT_TCP_SCATTER,
	RT_TCP_STOP,
	RT_TCP_PROBE,
	RT_TCP_ECHO,
	RT_TCP_ALIVE,
	RT_TCP_BYE,
};

enum rt_tcp_side {
	RT_TCP_ROOT = 1,
	RT_TCP_AGENT = 2,
};

enum rt_tcp_phase {
	RT_TCP_MEETING = 1, /* before welcome */
	RT_TCP_RUNNING = 2,
};

struct rt_tcp_head {
	unsigned type;   /* enum rt_tcp_type */
	uint32_t number; /* of a gather or scatter */
	uint32_t bytes;  /* of the payload, within what the type allows */
};

/*
 * What came from side `from` in this phase.  -EPROTO: no frame of ours, or not now;
 * -EPROTONOSUPPORT: of another version; -EMSGSIZE: too short or too long.
 */
int rt_tcp_head_read(const uint8_t bytes[RT_TCP_HEAD_BYTES], enum rt_tcp_side from,
		     enum rt_tcp_phase phase, struct rt_tcp_head *ret_head,
		     struct rt_err *err);
void rt_tcp_head_write(const struct rt_tcp_head *head,
		       uint8_t ret_bytes[RT_TCP_HEAD_BYTES]);

/* A frame to send that holds no text of the user's. */
struct rt_tcp_small {
	uint8_t bytes[RT_TCP_SMALL_BYTES];
	size_t used;
};

struct rt_tcp_hello {
	uint8_t nonce[RT_TOKEN_NONCE_BYTES];
	uint8_t proof[RT_SHA256_BYTES];
	char name[RT_TCP_NAME_BYTES];
};

struct rt_tcp_welcome {
	uint32_t rank, size;
	uint8_t proof[RT_SHA256_BYTES];
};

/* What the root vouches for, as text for its proof.  Returns text->text. */
struct rt_tcp_claim_text {
	char text[40];
};
const char *rt_tcp_welcome_text(const struct rt_tcp_welcome *welcome,
				struct rt_tcp_claim_text *text);

/* Why somebody may not join; the agent's errno. */
enum rt_tcp_refusal {
	RT_TCP_BAD_TOKEN = 1, /* -EACCES */
	RT_TCP_BAD_VERSION,   /* -EPROTONOSUPPORT */
	RT_TCP_BAD_BYTES,     /* -EPROTO */
	RT_TCP_BAD_NAME,      /* -EEXIST: taken; or not one of those asked for */
	RT_TCP_BEGUN,         /* -EALREADY: all are there */
	RT_TCP_CROWDED,       /* -EBUSY: too many connections just now */
	RT_TCP_TOO_SLOW,      /* -ETIME */
	RT_TCP_REFUSAL_COUNT,
};

struct rt_tcp_refused {
	unsigned why; /* enum rt_tcp_refusal; one that is not known: BAD_BYTES */
	char text[RT_TCP_REASON_BYTES];
};

struct rt_tcp_stop {
	uint32_t rank;
	char reason[RT_TCP_REASON_BYTES];
};

/*
 * Payloads that rt_tcp_head_read() has let pass.  Texts are made fit for a terminal.
 * -EPROTO: they make no sense.
 */
int rt_tcp_hello_read(const uint8_t *payload, size_t bytes,
		      struct rt_tcp_hello *ret_hello, struct rt_err *err);
void rt_tcp_welcome_read(const uint8_t *payload, struct rt_tcp_welcome *ret_welcome);
void rt_tcp_refused_read(const uint8_t *payload, size_t bytes,
			 struct rt_tcp_refused *ret_refused);
void rt_tcp_stop_read(const uint8_t *payload, size_t bytes,
		      struct rt_tcp_stop *ret_stop);

void rt_tcp_challenge_write(const uint8_t nonce[RT_TOKEN_NONCE_BYTES],
			    struct rt_tcp_small *ret_frame);
void rt_tcp_hello_write(const struct rt_tcp_hello *hello,
			struct rt_tcp_small *ret_frame);
void rt_tcp_welcome_write(const struct rt_tcp_welcome *welcome,
			  struct rt_tcp_small *ret_frame);
void rt_tcp_refused_write(const struct rt_tcp_refused *refused,
			  struct rt_tcp_small *ret_frame);
void rt_tcp_stop_write(const struct rt_tcp_stop *stop, struct rt_tcp_small *ret_frame);
/* Probe, echo: one or two times in nanoseconds; alive, bye: none. */
void rt_tcp_times_write(unsigned type, const int64_t *times, size_t count,
			struct rt_tcp_small *ret_frame);
int64_t rt_tcp_time_read(const uint8_t *payload, size_t index);

/* -EACCES and so on. */
int rt_tcp_refusal_errno(unsigned why);

/* Whether a name may stand for an agent: visible ASCII, not empty, not too long. */
bool rt_tcp_name_is_fine(const char *name);

/* Ranks of one host are told apart by their names: the second of n01 is n01:2. */
void rt_tcp_name_nth(const char *host, unsigned nth, char ret_name[RT_TCP_NAME_BYTES]);
bool rt_tcp_name_is_of(const char *name, const char *host);

/*
 * What somebody who is no agent seems to speak, by its first bytes: "HTTP", "TLS",
 * "SSH", "something else".
 */
const char *rt_tcp_guess(const uint8_t *bytes, size_t count);

#endif
