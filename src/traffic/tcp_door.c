/* SPDX-License-Identifier: BSD-2-Clause */
/* The coordinator's door: who comes in, who is refused and why. */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/own.h"
#include "base/text.h"
#include "rocetune/err.h"
#include "traffic/tcp_root.h"

#define ACCEPTS_A_ROUND 64u

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
	struct sockaddr_storage room;
};

/* "10.0.0.3:40112", "[fe80::1]:40112". */
static void address_text(const union address *address, socklen_t length,
			 char text[RT_TCP_PEER_BYTES], uint64_t *ret_hash)
{
	char host[INET6_ADDRSTRLEN + 20] = "?", port[8] = "?";

	getnameinfo(&address->any, length, host, sizeof(host), port, sizeof(port),
		    NI_NUMERICHOST | NI_NUMERICSERV);
	snprintf(text, RT_TCP_PEER_BYTES, strchr(host, ':') ? "[%s]:%s" : "%s:%s", host,
		 port);
	*ret_hash = rt_hash_bytes(host, strlen(host));
}

static bool is_loopback(const union address *address)
{
	if (address->any.sa_family == AF_INET)
		return ntohl(address->v4.sin_addr.s_addr) >> 24 == 127;
	return address->any.sa_family == AF_INET6 &&
	       IN6_IS_ADDR_LOOPBACK(&address->v6.sin6_addr);
}

/* The first of the addresses that can be bound. */
static int listen_at(const struct addrinfo *at, int *ret_fd)
{
	static const int on = 1;
	int r = -EADDRNOTAVAIL;

	for (; at; at = at->ai_next) {
		const int fd = socket(at->ai_family,
				      SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

		if (fd < 0) {
			r = -errno;
			continue;
		}
		(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
		if (bind(fd, at->ai_addr, at->ai_addrlen) == 0 &&
		    listen(fd, SOMAXCONN) == 0) {
			*ret_fd = fd;
			return 0;
		}
		r = -errno;
		close(fd);
	}
	return r;
}

int rt_tcp_door_open(struct rt_tcp_root *root, struct rt_err *err)
{
	static const struct addrinfo hints = {
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_PASSIVE | AI_NUMERICSERV,
	};
	const char *host = root->config.host;
	struct epoll_event event = { .events = EPOLLIN };
	union address address = { 0 };
	socklen_t length = sizeof(address);
	struct addrinfo *found;
	uint64_t hash;
	char port[8];
	int r;

	host = host && *host ? host : "127.0.0.1";
	snprintf(port, sizeof(port), "%u", root->config.port);
	r = getaddrinfo(host, port, &hints, &found);
	if (r)
		return rt_err_set(err, -EADDRNOTAVAIL, "cannot listen at %s: %s", host,
				  gai_strerror(r));
	r = listen_at(found, &root->listen_fd);
	freeaddrinfo(found);
	if (r == -EADDRINUSE)
		return rt_err_set(err, r,
				  "cannot listen at %s:%s: another coordinator or "
				  "program does already; choose another port",
				  host, port);
	if (r < 0)
		return rt_err_sys(err, r, "cannot listen at %s:%s", host, port);
	if (getsockname(root->listen_fd, &address.any, &length) < 0 ||
	    epoll_ctl(root->base.fd, EPOLL_CTL_ADD, root->listen_fd, &event) < 0)
		return rt_err_sys(err, -errno, "cannot watch %s:%s", host, port);
	address_text(&address, length, root->address, &hash);
	if (!is_loopback(&address))
		rt_tcp_note(root,
			    "listening at %s, which other hosts reach: what travels "
			    "is not encrypted, and only the token guards it",
			    root->address);
	return 0;
}

void rt_tcp_guest_free(struct rt_tcp_guest *guest)
{
	rt_tcp_line_close(&guest->line);
	guest->state = RT_TCP_FREE;
}

int rt_tcp_guest_watch(struct rt_tcp_root *root, struct rt_tcp_guest *guest, int fd,
		       enum rt_tcp_phase phase)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = guest };

	rt_tcp_line_open(&guest->line, fd, &root->budget, RT_TCP_AGENT, phase);
	guest->since_ns = guest->line.heard_ns;
	guest->writing = false;
	if (epoll_ctl(root->base.fd, EPOLL_CTL_ADD, fd, &event) < 0)
		return -errno;
	return 0;
}

/* Of one address each reason is told once, and all in all not without end. */
static bool is_told(struct rt_tcp_root *root, uint64_t peer_hash, unsigned why)
{
	if (root->told_count > RT_TCP_REFUSALS)
		return true;
	for (unsigned i = 0; i < root->told_count; i++)
		if (root->told[i].peer_hash == peer_hash && root->told[i].why == why)
			return true;
	if (root->told_count < RT_TCP_REFUSALS)
		root->told[root->told_count] = (struct rt_tcp_told){ peer_hash, why };
	if (root->told_count++ < RT_TCP_REFUSALS)
		return false;
	rt_tcp_note(root, "further refusals are not told");
	return true;
}

/* Say why, close our half, and throw away what still comes. */
static void refuse(struct rt_tcp_root *root, struct rt_tcp_guest *guest, unsigned why,
		   const char *text)
{
	struct rt_tcp_refused refused = { .why = why };
	struct rt_tcp_small frame;

	snprintf(refused.text, sizeof(refused.text), "%s", text);
	rt_tcp_refused_write(&refused, &frame);
	(void)rt_tcp_line_put(&guest->line, &frame);
	shutdown(guest->line.fd, SHUT_WR);
	guest->state = RT_TCP_LEAVING;
	guest->since_ns = rt_monotonic_ns();
	if (!is_told(root, guest->peer_hash, why))
		rt_tcp_note(root, "%s is refused: %s", guest->peer, refused.text);
}

/*
 * Who makes room for a newcomer, once all places are taken: who was refused already,
 * then who has proved nothing, of the newcomer's own address first, so that a host
 * which dials without end is in nobody's way but its own.
 */
static bool goes_before(const struct rt_tcp_guest *a, const struct rt_tcp_guest *b,
			uint64_t newcomer_hash)
{
	const bool own = a->peer_hash == newcomer_hash;

	if (a->state != b->state)
		return a->state == RT_TCP_LEAVING;
	if (own != (b->peer_hash == newcomer_hash))
		return own;
	return a->since_ns < b->since_ns;
}

static void dismiss(struct rt_tcp_root *root, struct rt_tcp_guest *guest)
{
	if (guest->state == RT_TCP_STRANGER)
		refuse(root, guest, RT_TCP_CROWDED, "too many connections at a time");
	rt_tcp_guest_free(guest);
}

/* A free place, if need be of somebody who is not let in yet; NULL: all are let in. */
static struct rt_tcp_guest *make_room(struct rt_tcp_root *root, uint64_t newcomer_hash)
{
	struct rt_tcp_guest *goes = NULL;

	for (uint32_t i = 0; i < root->guest_count; i++) {
		struct rt_tcp_guest *guest = &root->guests[i];

		if (guest->state == RT_TCP_FREE)
			return guest;
		if (guest->state != RT_TCP_JOINED &&
		    (!goes || goes_before(guest, goes, newcomer_hash)))
			goes = guest;
	}
	if (goes)
		dismiss(root, goes);
	return goes;
}

static void greet(struct rt_tcp_root *root, struct rt_tcp_guest *guest, int fd)
{
	struct rt_tcp_small frame;

	guest->state = RT_TCP_STRANGER;
	rt_tcp_challenge_write(guest->nonce, &frame);
	if (rt_tcp_guest_watch(root, guest, fd, RT_TCP_MEETING) < 0 ||
	    rt_tcp_line_put(&guest->line, &frame) < 0)
		rt_tcp_guest_free(guest);
}

void rt_tcp_door_accept(struct rt_tcp_root *root)
{
	for (unsigned i = 0; i < ACCEPTS_A_ROUND; i++) {
		union address address = { 0 };
		socklen_t length = sizeof(address);
		const int fd = accept4(root->listen_fd, &address.any, &length,
				       SOCK_NONBLOCK | SOCK_CLOEXEC);
		struct rt_tcp_guest *guest;
		char peer[RT_TCP_PEER_BYTES];
		uint64_t hash;

		if (fd < 0)
			return;
		address_text(&address, length, peer, &hash);
		guest = make_room(root, hash);
		if (!guest || rt_token_nonce(guest->nonce, NULL) < 0) {
			close(fd); /* it may come again */
			continue;
		}
		memcpy(guest->peer, peer, sizeof(guest->peer));
		guest->peer_hash = hash;
		greet(root, guest, fd);
	}
}

/* n01 and n01.cluster.local are one host. */
static bool same_host(const char *a, const char *b)
{
	const size_t a_length = strcspn(a, "."), b_length = strcspn(b, ".");

	if (a[a_length] && b[b_length])
		return strcasecmp(a, b) == 0;
	return a_length == b_length && strncasecmp(a, b, a_length) == 0;
}

/*
 * The rank of a host that was asked for: by its whole name, else by the short one where
 * one host alone goes by it.  -ENOENT; -ENOTUNIQ; -EEXIST: it is there.
 */
static int named_rank(const struct rt_tcp_root *root, const char *name,
		      uint32_t *ret_rank)
{
	uint32_t rank = RT_RANK_NONE, alike = 0;

	for (uint32_t i = 0; i < root->base.size; i++) {
		if (strcasecmp(root->ranks[i].name, name) == 0) {
			rank = i;
			alike = 1;
			break;
		}
		if (same_host(root->ranks[i].name, name)) {
			rank = i;
			alike++;
		}
	}
	if (alike != 1)
		return alike ? -ENOTUNIQ : -ENOENT;
	*ret_rank = rank;
	return root->ranks[rank].state == RT_TCP_ABSENT ? 0 : -EEXIST;
}

static bool name_is_taken(const struct rt_tcp_root *root, const char *name)
{
	for (uint32_t i = 0; i < root->base.size; i++)
		if (root->ranks[i].state == RT_TCP_PRESENT &&
		    strcmp(root->ranks[i].name, name) == 0)
			return true;
	return false;
}

/* The first free rank, with a name of its own: the second n01 is n01:2. */
static uint32_t next_rank(struct rt_tcp_root *root, const char *name)
{
	uint32_t rank = UINT32_MAX, alike = 1;
	char own[RT_TCP_NAME_BYTES];

	for (uint32_t i = 0; i < root->base.size; i++) {
		const struct rt_tcp_rank *other = &root->ranks[i];

		if (other->state == RT_TCP_ABSENT && rank == UINT32_MAX)
			rank = i;
		if (other->state == RT_TCP_PRESENT &&
		    rt_tcp_name_is_of(other->name, name))
			alike++;
	}
	rt_tcp_name_nth(name, 1, own);
	while (name_is_taken(root, own))
		rt_tcp_name_nth(name, alike++, own);
	memcpy(root->ranks[rank].name, own, sizeof(own));
	return rank;
}

static void let_in(struct rt_tcp_root *root, struct rt_tcp_guest *guest, uint32_t rank,
		   const struct rt_tcp_hello *hello)
{
	struct rt_tcp_welcome welcome = { .rank = rank, .size = root->base.size };
	struct rt_tcp_claim_text text;
	const struct rt_token_claim claim = {
		.role = "root",
		.root_nonce = guest->nonce,
		.agent_nonce = hello->nonce,
		.text = rt_tcp_welcome_text(&welcome, &text),
	};
	struct rt_tcp_small frame;
	int r;

	rt_token_proof(root->config.token, &claim, welcome.proof);
	rt_tcp_welcome_write(&welcome, &frame);
	guest->state = RT_TCP_JOINED;
	guest->rank = rank;
	guest->line.phase = RT_TCP_RUNNING;
	root->ranks[rank].state = RT_TCP_PRESENT;
	root->ranks[rank].guest = guest;
	root->ranks[rank].probes = 0;
	rt_tcp_rank_forget(root, &root->ranks[rank]);
	root->begun = ++root->joined == root->base.size;
	r = rt_tcp_line_put(&guest->line, &frame);
	if (r < 0)
		rt_tcp_rank_gone(root, rank, strerror(-r));
}

/* What is wrong with the name before it, and what to do. */
static const char *name_refusal(int r)
{
	switch (r) {
	case -EEXIST: return "has joined already";
	case -ENOTUNIQ:
		return "may be several of this run's hosts: --name says by which of "
		       "the "
		       "names in --hosts this one goes";
	default:
		return "is not one of this run's hosts: --name says by which of the "
		       "names in --hosts this one goes";
	}
}

static void judge(struct rt_tcp_root *root, struct rt_tcp_guest *guest,
		  const struct rt_tcp_hello *hello)
{
	const struct rt_token_claim claim = {
		.role = "agent",
		.root_nonce = guest->nonce,
		.agent_nonce = hello->nonce,
		.text = hello->name,
	};
	uint8_t proof[RT_SHA256_BYTES];
	char text[RT_TCP_REASON_BYTES];
	uint32_t rank;
	int r;

	rt_token_proof(root->config.token, &claim, proof);
	if (!rt_digest_equal(proof, hello->proof)) {
		refuse(root, guest, RT_TCP_BAD_TOKEN, "wrong token");
		return;
	}
	if (root->begun) {
		snprintf(text, sizeof(text), "all %u agents of this run are there",
			 root->base.size);
		refuse(root, guest, RT_TCP_BEGUN, text);
		return;
	}
	if (!root->config.names) {
		let_in(root, guest, next_rank(root, hello->name), hello);
		return;
	}
	r = named_rank(root, hello->name, &rank);
	if (r == 0) {
		let_in(root, guest, rank, hello);
		return;
	}
	snprintf(text, sizeof(text), "%.60s %s", hello->name, name_refusal(r));
	refuse(root, guest, RT_TCP_BAD_NAME, text);
}

static void read_stranger(struct rt_tcp_root *root, struct rt_tcp_guest *guest)
{
	struct rt_err err = { 0 };
	struct rt_tcp_frame frame;
	struct rt_tcp_hello hello;
	int r = rt_tcp_line_receive(&guest->line);

	if (r < 0) {
		rt_tcp_guest_free(guest);
		return;
	}
	r = rt_tcp_line_next(&guest->line, &frame, &err);
	if (r == 1)
		r = rt_tcp_hello_read(frame.payload, frame.head.bytes, &hello, &err);
	else if (r == 0 && !guest->line.ended)
		return;
	else if (r == 0)
		r = rt_err_set(&err, -EPROTO, "it hung up before saying who it is");
	if (r == 0) {
		judge(root, guest, &hello);
		return;
	}
	if (guest->line.ended && guest->line.in.end == guest->line.in.start) {
		rt_tcp_guest_free(guest); /* a look at whether the port is open */
		return;
	}
	refuse(root, guest,
	       r == -EPROTONOSUPPORT ? RT_TCP_BAD_VERSION : RT_TCP_BAD_BYTES, err.msg);
}

void rt_tcp_door_read(struct rt_tcp_root *root, struct rt_tcp_guest *guest)
{
	uint8_t waste[4096];
	ssize_t got;

	if (guest->state == RT_TCP_STRANGER) {
		read_stranger(root, guest);
		return;
	}
	for (unsigned i = 0; i < 16; i++) {
		got = recv(guest->line.fd, waste, sizeof(waste), MSG_DONTWAIT);
		if (got < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (got <= 0) {
			rt_tcp_guest_free(guest);
			return;
		}
	}
}

void rt_tcp_door_tend(struct rt_tcp_root *root, struct rt_tcp_guest *guest,
		      int64_t now_ns)
{
	if (now_ns - guest->since_ns < RT_TCP_HANDSHAKE_NS)
		return;
	if (guest->state == RT_TCP_STRANGER)
		refuse(root, guest, RT_TCP_TOO_SLOW, "it did not say in 2 s who it is");
	else
		rt_tcp_guest_free(guest);
}
