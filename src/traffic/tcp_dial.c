/* SPDX-License-Identifier: BSD-2-Clause */
/* How an agent comes in: dialling, proving, measuring the clock. */
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/own.h"
#include "rocetune/err.h"
#include "traffic/tcp_agent.h"

#define MEETING_BYTES ((size_t)16 << 10)
#define AGAIN_NS      INT64_C(200000000) /* between two tries */
#define ANSWER_NS     INT64_C(5000000000)
#define ECHO_NS       INT64_C(500000000)

struct dial {
	const struct rt_tcp_join *config;
	char name[RT_TCP_NAME_BYTES];
	struct rt_tcp_budget budget;
	struct rt_tcp_line line;
	struct rt_tcp_hello hello;
	uint8_t root_nonce[RT_TOKEN_NONCE_BYTES];
	struct rt_tcp_welcome welcome;
};

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* 1: ready; 0: not until then. */
static int wait_fd(int fd, short events, int64_t until_ns)
{
	for (;;) {
		const int64_t left_ns = until_ns - rt_monotonic_ns();
		struct pollfd ask = { .fd = fd, .events = events };
		const int r = left_ns <= 0 ? 0
					   : poll(&ask, 1,
						  (int)(earlier(left_ns, ANSWER_NS) /
							1000000) +
							  1);

		if (r > 0 || left_ns <= 0)
			return r > 0;
	}
}

static int connect_one(const struct addrinfo *at, int64_t until_ns, int *ret_fd)
{
	const int fd = socket(at->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
			      0);
	int code = 0;
	socklen_t length = sizeof(code);

	if (fd < 0)
		return -errno;
	if (connect(fd, at->ai_addr, at->ai_addrlen) < 0)
		code = errno;
	if (code == EINPROGRESS) {
		code = ETIMEDOUT;
		if (wait_fd(fd, POLLOUT, until_ns))
			(void)getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &length);
	}
	if (code) {
		close(fd);
		return -code;
	}
	*ret_fd = fd;
	return 0;
}

/* An address that swallows packets must not cost those behind it their time. */
static int connect_each(const struct addrinfo *found, int64_t until_ns, int *ret_fd)
{
	int64_t left = 0;
	int r = -EADDRNOTAVAIL;

	for (const struct addrinfo *at = found; at; at = at->ai_next)
		left++;
	for (const struct addrinfo *at = found; at && r < 0; at = at->ai_next, left--) {
		const int64_t now_ns = rt_monotonic_ns();

		r = connect_one(at, now_ns + (until_ns - now_ns) / left, ret_fd);
	}
	return r;
}

/* Names may not be known, nor anybody listen, before the coordinator is up: -EAGAIN. */
static int connect_any(const struct rt_tcp_join *config, int *ret_fd,
		       struct rt_err *err)
{
	static const struct addrinfo hints = {
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_NUMERICSERV,
	};
	const int64_t until_ns = earlier(config->deadline_ns,
					 rt_monotonic_ns() + ANSWER_NS);
	struct addrinfo *found;
	char port[8];
	int r;

	snprintf(port, sizeof(port), "%u", config->port);
	r = getaddrinfo(config->host, port, &hints, &found);
	if (r)
		return rt_err_set(err, -EAGAIN, "%s: %s", config->host,
				  gai_strerror(r));
	r = connect_each(found, until_ns, ret_fd);
	freeaddrinfo(found);
	if (r < 0)
		rt_err_sys(err, r, "%s:%u", config->host, config->port);
	return r < 0 ? -EAGAIN : 0;
}

/* The next frame, waiting for it. */
static int next_frame(struct dial *dial, int64_t until_ns,
		      struct rt_tcp_frame *ret_frame, struct rt_err *err)
{
	for (;;) {
		int r = rt_tcp_line_next(&dial->line, ret_frame, err);

		if (r < 0)
			return rt_err_set(err, r,
					  "%s:%u is no coordinator we can join: %s",
					  dial->config->host, dial->config->port,
					  err ? err->msg : "");
		if (r == 1)
			return 0;
		if (dial->line.ended)
			return rt_err_set(err, -EAGAIN, "%s:%u hung up",
					  dial->config->host, dial->config->port);
		if (!wait_fd(dial->line.fd, POLLIN, until_ns))
			return rt_err_set(err, -ETIMEDOUT,
					  "%s:%u answers but does not speak as a "
					  "coordinator does",
					  dial->config->host, dial->config->port);
		r = rt_tcp_line_receive(&dial->line);
		if (r == -ECONNRESET)
			return rt_err_set(err, -EAGAIN, "%s:%u hung up",
					  dial->config->host, dial->config->port);
		if (r < 0)
			return rt_err_sys(err, r, "%s:%u", dial->config->host,
					  dial->config->port);
	}
}

static int refused_error(const struct dial *dial, const struct rt_tcp_frame *frame,
			 struct rt_err *err)
{
	struct rt_tcp_refused refused;
	int code;

	rt_tcp_refused_read(frame->payload, frame->head.bytes, &refused);
	code = rt_tcp_refusal_errno(refused.why);
	rt_err_set(err, code, "%s:%u refuses us: %s", dial->config->host,
		   dial->config->port, refused.text);
	return refused.why == RT_TCP_CROWDED ? -EAGAIN : code;
}

static int expect(struct dial *dial, unsigned type, struct rt_tcp_frame *ret_frame,
		  struct rt_err *err)
{
	const int64_t until_ns = earlier(dial->config->deadline_ns,
					 rt_monotonic_ns() + ANSWER_NS);
	int r = next_frame(dial, until_ns, ret_frame, err);

	if (r < 0)
		return r;
	if (ret_frame->head.type == RT_TCP_REFUSED)
		return refused_error(dial, ret_frame, err);
	if (ret_frame->head.type != type)
		return rt_err_set(err, -EPROTO,
				  "%s:%u is no coordinator: an answer out of order",
				  dial->config->host, dial->config->port);
	return 0;
}

static int say_hello(struct dial *dial, struct rt_err *err)
{
	const struct rt_token_claim claim = {
		.role = "agent",
		.root_nonce = dial->root_nonce,
		.agent_nonce = dial->hello.nonce,
		.text = dial->name,
	};
	struct rt_tcp_small frame;
	int r = rt_token_nonce(dial->hello.nonce, err);

	if (r < 0)
		return r;
	memcpy(dial->hello.name, dial->name, sizeof(dial->hello.name));
	rt_token_proof(dial->config->token, &claim, dial->hello.proof);
	rt_tcp_hello_write(&dial->hello, &frame);
	r = rt_tcp_line_put(&dial->line, &frame);
	return r < 0 ? -EAGAIN : 0;
}

/* A coordinator that does not know the token could make us flood who it likes. */
static int check_welcome(const struct dial *dial, struct rt_err *err)
{
	struct rt_tcp_claim_text text;
	const struct rt_token_claim claim = {
		.role = "root",
		.root_nonce = dial->root_nonce,
		.agent_nonce = dial->hello.nonce,
		.text = rt_tcp_welcome_text(&dial->welcome, &text),
	};
	uint8_t proof[RT_SHA256_BYTES];

	rt_token_proof(dial->config->token, &claim, proof);
	if (!rt_digest_equal(proof, dial->welcome.proof))
		return rt_err_set(err, -EACCES,
				  "%s:%u does not know the token: another coordinator",
				  dial->config->host, dial->config->port);
	if (dial->welcome.size > RT_RENDEZVOUS_MAX_RANKS ||
	    dial->welcome.rank >= dial->welcome.size)
		return rt_err_set(err, -EPROTO, "%s:%u makes us rank %u of %u",
				  dial->config->host, dial->config->port,
				  dial->welcome.rank, dial->welcome.size);
	return 0;
}

static int shake_hands(struct dial *dial, struct rt_err *err)
{
	struct rt_tcp_frame frame;
	int r = expect(dial, RT_TCP_CHALLENGE, &frame, err);

	if (r == -EPROTONOSUPPORT)
		(void)say_hello(dial, NULL); /* for its user to read which version */
	if (r < 0)
		return r;
	memcpy(dial->root_nonce, frame.payload, sizeof(dial->root_nonce));
	r = say_hello(dial, err);
	if (r == 0)
		r = expect(dial, RT_TCP_WELCOME, &frame, err);
	if (r < 0)
		return r;
	rt_tcp_welcome_read(frame.payload, &dial->welcome);
	return check_welcome(dial, err);
}

/* Once; -EAGAIN: it may go better later. */
static int dial_once(struct dial *dial, struct rt_err *err)
{
	int fd = -1, r = connect_any(dial->config, &fd, err);

	if (r < 0)
		return r;
	dial->budget = (struct rt_tcp_budget){ .most = MEETING_BYTES };
	rt_tcp_line_open(&dial->line, fd, &dial->budget, RT_TCP_ROOT, RT_TCP_MEETING);
	r = shake_hands(dial, err);
	if (r < 0)
		rt_tcp_line_close(&dial->line);
	else
		dial->line.phase = RT_TCP_RUNNING;
	return r;
}

static int dial_until(struct dial *dial, struct rt_err *err)
{
	const struct timespec again = { .tv_nsec = AGAIN_NS };
	struct rt_err why = { 0 };

	for (;;) {
		int r = dial_once(dial, &why);

		if (r == 0)
			return 0;
		if (r != -EAGAIN)
			return rt_err_set(err, r, "%s", why.msg);
		if (rt_monotonic_ns() + AGAIN_NS >= dial->config->deadline_ns)
			return rt_err_set(err, -ETIMEDOUT,
					  "cannot reach the coordinator at %s",
					  why.msg);
		nanosleep(&again, NULL);
	}
}

/* One probe at a time, so that none waits behind another. */
static int measure_clock(struct rt_tcp_agent *agent, int64_t deadline_ns,
			 struct rt_err *err)
{
	for (unsigned i = 0; i < RT_TCP_JOIN_PROBES && !agent->lost; i++) {
		const unsigned before = agent->probes;
		const int64_t until_ns = earlier(deadline_ns,
						 rt_monotonic_ns() + ECHO_NS);

		rt_tcp_agent_probe(agent);
		while (agent->probes == before && !agent->lost &&
		       rt_monotonic_ns() < until_ns)
			rt_tcp_agent_step(agent, until_ns);
	}
	if (agent->lost)
		return rt_err_set(err, -ECONNRESET, "the coordinator is lost: %s",
				  agent->lost_why);
	if (!agent->probes)
		return rt_err_set(err, -ETIMEDOUT,
				  "the coordinator does not tell its time");
	return 0;
}

int rt_tcp_join(const struct rt_tcp_join *config, struct rt_rendezvous **ret_agent,
		struct rt_err *err)
{
	struct dial dial = { .config = config };
	struct rt_tcp_agent *agent;
	int r;

	if (!config->token || !config->host || !*config->host)
		return rt_err_set(err, -EINVAL,
				  "to join takes a coordinator's host and a token");
	if (config->name)
		snprintf(dial.name, sizeof(dial.name), "%s", config->name);
	else if (gethostname(dial.name, sizeof(dial.name) - 1) < 0)
		return rt_err_sys(err, -errno, "cannot tell this host's name");
	if (!rt_tcp_name_is_fine(dial.name))
		return rt_err_set(err, -EINVAL, "\"%s\" is no name for an agent",
				  dial.name);
	r = dial_until(&dial, err);
	if (r < 0)
		return r;
	agent = rt_tcp_agent_new(&dial.line, dial.welcome.rank, dial.welcome.size,
				 dial.name);
	if (!agent) {
		rt_tcp_line_close(&dial.line);
		return rt_err_sys(err, -ENOMEM, "cannot join");
	}
	r = measure_clock(agent, config->deadline_ns, err);
	if (r < 0) {
		rt_tcp_agent_free(agent);
		return r;
	}
	*ret_agent = &agent->base;
	return 0;
}
