/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rendezvous.h - how the ranks of a stress run find each other, hand texts round and
 * start at one instant: the seam to TCP and to PMIx.
 *
 * A run has ranks 0 .. size - 1 and one root, who plans and reports.  With TCP the root
 * is a process of its own (the coordinator, no rank); with PMIx it is rank 0.  Texts are
 * records in JSON; a back end does not look into them.
 *
 * No traffic outlives the root: whoever hears nothing of it for RT_RENDEZVOUS_SILENCE_NS
 * gets news.root_lost and must stop.  Used from one thread.
 */
#ifndef RT_TRAFFIC_RENDEZVOUS_H
#define RT_TRAFFIC_RENDEZVOUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rt_err;

#define RT_RENDEZVOUS_MAX_RANKS  4096u
#define RT_RENDEZVOUS_TEXT_BYTES (16u << 20) /* of one text; more is refused */
#define RT_RENDEZVOUS_SILENCE_NS INT64_C(1500000000)
#define RT_RENDEZVOUS_VERSION    1u
#define RT_RANK_NONE             UINT32_MAX

/* One text a rank; NULL: that rank is lost. */
struct rt_texts {
	char **items; /* owned */
	size_t count;
};
void rt_texts_free(struct rt_texts *texts);

/* What has come since the last look. */
struct rt_rendezvous_news {
	bool stop; /* somebody asked all to stop, why: */
	char reason[160];
	uint32_t stop_rank; /* who; RT_RANK_NONE: the root */
	bool root_lost;
	uint32_t lost; /* ranks lost so far (root only) */
};

struct rt_rendezvous;

struct rt_rendezvous_ops {
	const char *name; /* "tcp", "pmix" */
	/*
	 * Hand mine to the root; blocks until deadline_ns.  At the root *ret_all
	 * holds every rank's (with PMIx its own as well); elsewhere ret_all is NULL.
	 * Lost ranks leave a NULL.  -ETIMEDOUT; -ECONNRESET: the root is lost;
	 * -EPROTO: an answer that makes no sense.  Calls come in the same order at
	 * all ranks.
	 */
	int (*gather)(struct rt_rendezvous *r, const char *mine, int64_t deadline_ns,
		      struct rt_texts *ret_all, struct rt_err *err);
	/* The other way round: rank i gets texts->items[i] of the root; caller frees. */
	int (*scatter)(struct rt_rendezvous *r, const struct rt_texts *texts,
		       int64_t deadline_ns, char **ret_mine, struct rt_err *err);
	/*
	 * At the root, after a gather or scatter that returned -ETIMEDOUT: whoever has
	 * not done its part is lost, so that the same call, made again, ends.  NULL:
	 * this back end cannot.
	 */
	int (*give_up)(struct rt_rendezvous *r, struct rt_err *err);
	/* Ask all, the root too, to stop.  -EOPNOTSUPP: only at the next gather. */
	int (*stop)(struct rt_rendezvous *r, const char *reason, struct rt_err *err);
	/*
	 * Keep alive, read what has come, never block.  Call it at least every 250 ms
	 * and whenever fd is readable.
	 */
	int (*poll)(struct rt_rendezvous *r, struct rt_rendezvous_news *ret_news,
		    struct rt_err *err);
	/*
	 * The root's CLOCK_MONOTONIC less ours, and how far that may be off; measured
	 * when joined and again in poll().
	 */
	void (*clock)(struct rt_rendezvous *r, int64_t *ret_offset_ns,
		      uint64_t *ret_error_ns);
	/* How rank is called: its host, and what tells it from others there; borrowed. */
	const char *(*rank_name)(struct rt_rendezvous *r, uint32_t rank);
	void (*close)(struct rt_rendezvous *r); /* takes it */
};

/* Every back end begins with it. */
struct rt_rendezvous {
	const struct rt_rendezvous_ops *ops;
	uint32_t rank; /* RT_RANK_NONE: the TCP root */
	uint32_t size;
	bool root;
	int fd; /* readable when poll() has work; -1: none */
};

#endif
