/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probe.h - the journey of `rocetune probe`: do marks and sizes get through to a host.
 *
 * There are two ways to know how a packet arrived: a listener of ours at the other end
 * tells, or the ICMP error of a closed port quotes it.  What each can tell is one table,
 * rt_probe_questions; what neither told is unknown.
 */
#ifndef RT_RUN_PROBE_H
#define RT_RUN_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/finding.h"
#include "rocetune/field.h"

struct rt_err;
struct rt_outcome;

/* --- what can be known ------------------------------------------------------------ */

enum rt_probe_way {
	RT_PROBE_BY_NOTHING = 0,
	RT_PROBE_BY_LISTENER = 1,
	RT_PROBE_BY_QUOTES = 2,
};
extern const struct rt_name rt_probe_way_names[];

enum rt_probe_question {
	RT_PROBE_ASK_REACHED,
	RT_PROBE_ASK_DSCP,
	RT_PROBE_ASK_ECN,
	RT_PROBE_ASK_DSCP_BACK,
	RT_PROBE_ASK_ECN_BACK,
	RT_PROBE_ASK_MTU,
	RT_PROBE_ASK_MTU_BACK,
	RT_PROBE_ASK_CE,
	RT_PROBE_ASK_HOP,
	RT_PROBE_ASK_COUNT,
};

struct rt_probe_question_row {
	const char *name, *help;
	unsigned ways;        /* bits of enum rt_probe_way that can tell */
	const char *asked_by; /* the option; "": always asked */
};
extern const struct rt_probe_question_row rt_probe_questions[RT_PROBE_ASK_COUNT];

/* --- results ---------------------------------------------------------------------- */

#define RT_PROBE_ECN_BYTES 8u  /* "not-ect", "ect0", "ect1", "ce"; "": unknown */
#define RT_PROBE_TOS_BYTES 16u /* the DSCP too, for people: "26 ECT(0)"; "": unknown */

/* One marking that was sent, and how it came. */
struct rt_probe_mark {
	uint32_t dscp;
	char ecn[RT_PROBE_ECN_BYTES];
	uint64_t sent;
	unsigned event;      /* enum rt_probe_event, of the last one sent */
	const char *outcome; /* the same in words */
	struct rt_opt_u64 dscp_came, dscp_back;
	char ecn_came[RT_PROBE_ECN_BYTES], ecn_back[RT_PROBE_ECN_BYTES];
	char sent_as[RT_PROBE_TOS_BYTES], came_as[RT_PROBE_TOS_BYTES];
	char back_as[RT_PROBE_TOS_BYTES];
	struct rt_opt_u64 rtt_ns;
};

struct rt_probe_size {
	uint32_t ip_bytes;
	unsigned event;      /* enum rt_probe_event */
	const char *outcome; /* the same in words */
	struct rt_ip from;
	struct rt_opt_u64 mtu_bytes; /* that a router told */
	struct rt_opt_u64 back_bytes;
};

struct rt_probe_hop {
	uint32_t hop;
	struct rt_ip from; /* version 0: silent */
	struct rt_opt_u64 dscp;
	char ecn[RT_PROBE_ECN_BYTES];
	char came_as[RT_PROBE_TOS_BYTES];
	char changed[48]; /* against what was sent; "": as sent, or silent */
};

/* A question and whether it is answered. */
struct rt_probe_told {
	const char *question, *help;
	bool asked, told;
	char how[200]; /* who told, or why nobody did */
};

#define RT_PROBE_MARKS 12u
#define RT_PROBE_SIZES 16u
#define RT_PROBE_HOPS  30u

struct rt_probed {
	char host[128];
	struct rt_ip address, source;
	struct rt_ip refused_by; /* who answered instead of it; version 0: nobody */
	char netdev[16];
	unsigned way;  /* enum rt_probe_way: what told, the listener first */
	uint32_t dscp; /* of the data */
	struct rt_opt_u64 rtt_ns, hop_count;
	struct rt_opt_u64 local_mtu_bytes;
	/* Largest that arrived, smallest that did not; IP packets. */
	struct rt_opt_u64 path_mtu_bytes, mtu_below_bytes, path_mtu_back_bytes;
	bool mtu_silent; /* too large ones vanish without a word */
	struct rt_opt_u64 roce_mtu_bytes, roce_mtu_wanted_bytes;
	const char *roce_mtu_from; /* who wants it */
	struct rt_opt_u64 load_sent, load_came, load_ce;
	uint64_t packets;            /* sent in all */
	char icmp_why[160];          /* why quotes were not seen; "": they were */
	struct rt_probe_mark *marks; /* owned, as the next */
	size_t mark_count;
	struct rt_probe_size *sizes;
	size_t size_count;
	struct rt_probe_hop *hops;
	size_t hop_rows;
	struct rt_probe_told *told;
	size_t told_count;
	struct rt_findings findings;
};

extern const struct rt_table rt_probed_table;
extern const struct rt_rule rt_probe_rules[];
extern const size_t rt_probe_rule_count;

struct rt_probe_request {
	const char *host, *source, *profile; /* source, profile: NULL */
	unsigned family;                     /* 4, 6; 0: any */
	struct rt_opt_u64 port, dscp;
	bool hops;
	struct rt_opt_u64 load_ns; /* look for marks that long */
	int stop_fd;               /* -1: none */
};

/*
 * Kind probe, a struct rt_probed.  Errors are of this host: no such name, no route, a
 * port or DSCP that cannot be; a silent host is a finding.  -EINTR: told to stop.
 */
int rt_run_probe(const struct rt_probe_request *request, struct rt_outcome *ret_outcome,
		 struct rt_err *err);

/* --- the other end ---------------------------------------------------------------- */

struct rt_probe_listening {
	char address[RT_IP_TEXT_BYTES];
	uint32_t port;
	uint64_t requests, answers, limited, others;
};
extern const struct rt_table rt_probe_listening_table;

struct rt_probe_listen_request {
	const char *bind;               /* address; NULL: loopback */
	struct rt_opt_u64 port, for_ns; /* unknown: the usual ones */
	int stop_fd;                    /* -1: none */
	void (*ready)(void *user);      /* called when it listens */
	void *user;
};

/* Kind probe_listener.  Errors of rt_probe_listen(), and -EINVAL: no address. */
int rt_run_probe_listen(const struct rt_probe_listen_request *request,
			struct rt_outcome *ret_outcome, struct rt_err *err);

#endif
