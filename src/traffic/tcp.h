/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tcp.h - the rendezvous back end over stream sockets: one coordinator, who is the root
 * and no rank, and agents who dial out to it.
 *
 * Nothing here trusts a peer: whoever has not proved that it knows the token has 2 s and
 * 1 KiB, lengths are checked before memory is taken, all memory is bounded, and whoever
 * is refused is told why, as is the coordinator's user.  What travels is not encrypted:
 * the token keeps strangers from joining and from posing as coordinator, not from
 * reading along or from taking over a connection on the way.
 *
 * gather and scatter that returned -ETIMEDOUT may be called again with the same
 * arguments to wait longer.
 */
#ifndef RT_TRAFFIC_TCP_H
#define RT_TRAFFIC_TCP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "traffic/rendezvous.h"
#include "traffic/token.h"

#define RT_TCP_PORT       18525u /* unless told otherwise */
#define RT_TCP_HOST_BYTES 256u

/* "host", "host:port", "[v6]:port"; ":port" and "port" (host is "" then). */
struct rt_tcp_place {
	char host[RT_TCP_HOST_BYTES];
	uint16_t port;
};
/* -EINVAL: it is no such thing; port 0 only where any_port. */
int rt_tcp_place_read(const char *text, bool any_port, struct rt_tcp_place *ret_place,
		      struct rt_err *err);

struct rt_tcp_serve {
	const char *host; /* where to listen; NULL or "": 127.0.0.1 */
	uint16_t port;    /* 0: any that is free */
	uint32_t size;    /* ranks, 1 .. RT_RENDEZVOUS_MAX_RANKS */
	/* size of them, ranks in this order; NULL: whoever comes, first come first. */
	const char *const *names;
	const struct rt_token *token;
	size_t memory_bytes; /* most of all buffers; 0: 1 GiB */
	/* Told of refusals, losses and an open port, in a sentence each; or NULL. */
	void (*note)(void *context, const char *text);
	void *context;
};

/*
 * Listen.  What config points to must last as long as the rendezvous.
 * -EADDRINUSE: another coordinator (or program) is there.  -EINVAL; -ENOMEM; what the
 * name service, socket(), bind() said.
 */
int rt_tcp_serve(const struct rt_tcp_serve *config, struct rt_rendezvous **ret_root,
		 struct rt_err *err);

/*
 * Take agents in until all are there (0) or until_ns (-ETIMEDOUT, naming who is
 * missing; may be called again).  gather and scatter come after it.
 */
int rt_tcp_meet(struct rt_rendezvous *root, int64_t until_ns, struct rt_err *err);
uint32_t rt_tcp_joined(const struct rt_rendezvous *root);
/* Where it listens: "127.0.0.1:18525"; borrowed. */
const char *rt_tcp_address(const struct rt_rendezvous *root);

/*
 * Of a root or an agent: all peers were heard of just now by other means (a fence), so
 * silence counts from now on.
 */
void rt_tcp_heard(struct rt_rendezvous *r);

struct rt_tcp_join {
	const char *host;
	uint16_t port;
	const struct rt_token *token;
	const char *name;    /* of this host; NULL: gethostname() */
	int64_t deadline_ns; /* tries again until then where nobody listens yet */
};

/*
 * Dial, prove, measure the clock.  -ETIMEDOUT: nobody answered; -EACCES: wrong token,
 * ours or theirs; -EPROTONOSUPPORT: another version; -EPROTO: no coordinator; -EEXIST:
 * the name is taken or not asked for; -EALREADY: the run has begun without us.
 */
int rt_tcp_join(const struct rt_tcp_join *config, struct rt_rendezvous **ret_agent,
		struct rt_err *err);

/*
 * The same over connected stream sockets between processes of one host, which need no
 * token and share a clock: fds[i] leads to rank i.  Takes all fds, on failure too.
 * Of config only size, names, memory_bytes and note count.  A forked agent must close
 * all ends but its own, or it would keep others' connections alive.
 */
int rt_tcp_serve_fds(const struct rt_tcp_serve *config, const int *fds,
		     struct rt_rendezvous **ret_root, struct rt_err *err);

/* Who joins over such a socket: one of size ranks, by a name (borrowed). */
struct rt_tcp_member {
	uint32_t rank, size;
	const char *name;
};

/* Takes fd, on failure too.  -ENOMEM. */
int rt_tcp_join_fd(int fd, const struct rt_tcp_member *member,
		   struct rt_rendezvous **ret_agent, struct rt_err *err);

#endif
