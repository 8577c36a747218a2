/* SPDX-License-Identifier: BSD-2-Clause */
/* tcp_root.h - the coordinator's state, shared by the files that make it up. */
#ifndef RT_TRAFFIC_TCP_ROOT_H
#define RT_TRAFFIC_TCP_ROOT_H

#include "traffic/tcp.h"
#include "traffic/tcp_line.h"

#define RT_TCP_SPARE_GUESTS 16u /* connections above those of all ranks */
#define RT_TCP_PEER_BYTES   80u
#define RT_TCP_AHEAD        4u  /* texts that a rank may be ahead of the root */
#define RT_TCP_REFUSALS     64u /* that are remembered, to tell of each once */
#define RT_TCP_NOTE_BYTES   400u

#define RT_TCP_HANDSHAKE_NS     INT64_C(2000000000)
/* An agent that is busy need not speak; the kernel tells of a dead host before. */
#define RT_TCP_AGENT_SILENCE_NS INT64_C(10000000000)

enum rt_tcp_guest_state {
	RT_TCP_FREE,
	RT_TCP_STRANGER, /* has not proved anything */
	RT_TCP_JOINED,
	RT_TCP_LEAVING, /* refused: what it says is thrown away until it closes */
};

/* A connection. */
struct rt_tcp_guest {
	enum rt_tcp_guest_state state;
	struct rt_tcp_line line;
	int64_t since_ns;
	uint32_t rank; /* JOINED */
	bool writing;  /* epoll tells when more can be sent */
	uint8_t nonce[RT_TOKEN_NONCE_BYTES];
	char peer[RT_TCP_PEER_BYTES]; /* "10.0.0.3:40112" */
	uint64_t peer_hash;           /* of its address without the port */
};

enum rt_tcp_rank_state {
	RT_TCP_ABSENT,
	RT_TCP_PRESENT,
	RT_TCP_LEFT, /* said bye */
	RT_TCP_LOST,
};

struct rt_tcp_waiting {
	uint32_t number;
	char *text; /* owned */
};

struct rt_tcp_rank {
	enum rt_tcp_rank_state state;
	char name[RT_TCP_NAME_BYTES];
	struct rt_tcp_guest *guest; /* PRESENT */
	struct rt_tcp_waiting ahead[RT_TCP_AHEAD];
	unsigned ahead_count;
	uint32_t last_number; /* of the text that came last */
	unsigned probes;      /* answered since it joined */
};

struct rt_tcp_root {
	struct rt_rendezvous base; /* fd: of epoll */
	struct rt_tcp_serve config;
	int listen_fd; /* -1: over given sockets */
	char address[RT_TCP_PEER_BYTES];
	struct rt_tcp_budget budget;
	struct rt_tcp_guest *guests; /* guest_count of them */
	uint32_t guest_count;
	struct rt_tcp_rank *ranks; /* base.size of them */
	uint32_t joined, lost;
	bool begun; /* all were there */
	/* Number of the gather or scatter that is under way, or was last. */
	uint32_t number;
	enum rt_tcp_call asking;
	struct rt_rendezvous_news news; /* not yet told */
	int64_t tended_ns;
	struct rt_tcp_told {
		uint64_t peer_hash;
		unsigned why;
	} told[RT_TCP_REFUSALS];
	unsigned told_count;
};

void rt_tcp_note(struct rt_tcp_root *root, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Wait up to timeout_ms for something to happen, and do what it asks for. */
int rt_tcp_root_step(struct rt_tcp_root *root, int timeout_ms, struct rt_err *err);

/* Send to all who are in but one (RT_RANK_NONE: to all). */
void rt_tcp_root_say_to_all(struct rt_tcp_root *root, uint32_t but,
			    const struct rt_tcp_small *frame);
/* After a put that returned r: there is no room for it, or the rest goes later. */
void rt_tcp_root_after_put(struct rt_tcp_root *root, uint32_t rank, int r);

/* tcp_calls.c, tcp_serve.c */
extern const struct rt_rendezvous_ops rt_tcp_root_ops;
void rt_tcp_root_free(struct rt_tcp_root *root);

/* The door (tcp_door.c): strangers come in, and are let in or refused. */
void rt_tcp_door_accept(struct rt_tcp_root *root);
void rt_tcp_door_read(struct rt_tcp_root *root, struct rt_tcp_guest *guest);
void rt_tcp_door_tend(struct rt_tcp_root *root, struct rt_tcp_guest *guest,
		      int64_t now_ns);
int rt_tcp_door_open(struct rt_tcp_root *root, struct rt_err *err);
int rt_tcp_guest_watch(struct rt_tcp_root *root, struct rt_tcp_guest *guest, int fd,
		       enum rt_tcp_phase phase);
void rt_tcp_guest_free(struct rt_tcp_guest *guest);

/* Texts that it sent ahead: who comes next in its place begins anew. */
void rt_tcp_rank_forget(struct rt_tcp_root *root, struct rt_tcp_rank *member);

/* Connection of a rank ends; why: NULL where it said bye. */
void rt_tcp_rank_gone(struct rt_tcp_root *root, uint32_t rank, const char *why);

#endif
