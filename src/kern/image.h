/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * image.h - a host that is not here: a folder or a bundle with its files, and the
 * answers of its kernel to what is asked by netlink and ioctl.
 *
 * The answers stand in rocetune/answers.json, kind "answers": lists by question,
 * each row with the name it is about and either a value or an errno's name, perhaps
 * with the message there was.  What is in no row was not asked: -EOPNOTSUPP, as a
 * kernel says that lacks it; -ENODEV where the links are known and it is none.  A tree
 * made by hand needs only the rows it wants.
 *
 * Statistics are long lists of the drivers' own names, so they have files of their own,
 * as `ethtool -S` writes them: rocetune/stats/ethtool/eth0,
 * rocetune/stats/standard/eth0, rocetune/stats/qdisc/eth0, rocetune/stats/rdma/mlx5_0/1.
 *
 * A recorder makes such a bundle: everything that is read through it is remembered,
 * refusals too, so that the same commands say the same of the bundle.
 */
#ifndef RT_KERN_IMAGE_H
#define RT_KERN_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "kern/kern.h"
#include "rocetune/field.h"

struct rt_bundle;
struct rt_err;
struct rt_json;

#define RT_ANSWERS_PATH "rocetune/answers.json"

/* What each row begins with. */
struct rt_answer {
	const char *name;    /* what it is about: a netdev, RDMA device, PCI address */
	char error[24];      /* "EOPNOTSUPP"; "": there is a value */
	const char *message; /* what the error said; may be NULL */
};

struct rt_answer_links {
	struct rt_answer head; /* name "" */
	struct rt_links links;
};

struct rt_answer_ports {
	struct rt_answer head; /* name "" */
	struct rt_rdma_ports ports;
};

struct rt_answer_dcb {
	struct rt_answer head;
	char has[96]; /* the parts that hold: "ets pfc dcbx" */
	struct rt_dcb dcb;
	struct rt_dcb_app *app, *peer_app; /* owned */
	size_t app_count, peer_app_count;
};

struct rt_answer_info {
	struct rt_answer head;
	struct rt_ethtool_info info;
};

struct rt_answer_speed {
	struct rt_answer head;
	struct rt_opt_u64 speed_bps;
};

struct rt_answer_pause {
	struct rt_answer head;
	struct rt_link_pause pause;
};

struct rt_answer_storm {
	struct rt_answer head;
	uint16_t timeout_ms;
};

struct rt_answer_flag {
	char name[32];
	bool on;
};

struct rt_answer_flags {
	struct rt_answer head;
	struct rt_answer_flag *flags; /* owned */
	size_t flag_count;
};

struct rt_answer_use {
	struct rt_answer head;
	struct rt_rdma_use use;
};

struct rt_answer_eswitch {
	struct rt_answer head;
	char mode[16];
};

/* All lists are owned, and sorted by name. */
struct rt_answers {
	struct rt_answer_links *links; /* none or one */
	struct rt_answer_ports *rdma_ports;
	struct rt_answer_dcb *dcb;
	struct rt_answer_info *driver;
	struct rt_answer_speed *speed;
	struct rt_answer_pause *pause;
	struct rt_answer_storm *storm;
	struct rt_answer_flags *priv_flags;
	struct rt_answer_use *rdma_use;
	struct rt_answer_eswitch *eswitch;
	struct rt_answer *files;    /* by path: errors, but not that it is not there */
	struct rt_answer *readable; /* by path: why it may not be read */
	struct rt_answer *writable; /* by path: "" or why it may not be written */
	struct rt_answer *
		only; /* by RDMA port ("mlx5_0/1"): the bundle is of these; none: of all */
	struct rt_answer *unread; /* by path: it is there; what it says was not read */
	/* Refusals, by netdev and by RDMA port; what was told is in files (below). */
	struct rt_answer *ethtool_stats, *standard_stats, *rdma_stats, *qdisc_stats;
	size_t links_count, rdma_ports_count, dcb_count, driver_count, speed_count,
		pause_count, storm_count, priv_flags_count, rdma_use_count,
		eswitch_count, files_count, readable_count, writable_count, only_count,
		unread_count, ethtool_stats_count, standard_stats_count,
		rdma_stats_count, qdisc_stats_count;
};

extern const struct rt_table rt_answers_table;

/* name is for messages.  -EINVAL: not such a file; the text has the place. */
int rt_answers_parse(const char *name, const char *text, size_t bytes,
		     struct rt_answers *ret_answers, struct rt_err *err);
void rt_answers_free(struct rt_answers *answers);

/*
 * The row about name, or NULL; a new one in its place, its head's name filled, NULL
 * when memory ran out.  list is a member of struct rt_answers.
 */
#define rt_answers_find(answers, list, what)                                  \
	((__typeof__((answers)->list))rt_answer_find((answers)->list,         \
						     (answers)->list##_count, \
						     sizeof(*(answers)->list), what))
#define rt_answers_add(answers, list, what)                                    \
	((__typeof__((answers)->list))rt_answer_add((void **)&(answers)->list, \
						    &(answers)->list##_count,  \
						    sizeof(*(answers)->list), what))
void *rt_answer_find(void *rows, size_t count, size_t size, const char *name);
void *rt_answer_add(void **rows, size_t *count, size_t size, const char *name);

/* 0 when the row has a value; else its errno, with the message there was or doing. */
int rt_answer_code(const struct rt_answer *answer, const char *doing,
		   struct rt_err *err);
/* Note that the question gave code, 0 or a negative errno, and *why; -ENOMEM. */
int rt_answer_note(struct rt_answer *answer, int code, const struct rt_err *why);

/* Between the rows and what the questions give; -ENOMEM, -EINVAL. */
int rt_answer_from_dcb(const struct rt_dcb *dcb, struct rt_answer_dcb *row);
int rt_answer_from_flags(const struct rt_priv_flags *flags,
			 struct rt_answer_flags *row);
void rt_answer_to_flags(const struct rt_answer_flags *row,
			struct rt_priv_flags *ret_flags);

/* The whole as a file; the caller frees it. */
struct rt_json *rt_answers_json(const struct rt_answers *answers);

/*
 * A back end over a bundle, which it takes when it succeeds; read only as that of a
 * folder (rt_kern_open_folder()).  -EINVAL: its answers are not readable.
 */
int rt_kern_open_bundle(struct rt_bundle *bundle, struct rt_kern **ret_kern,
			struct rt_err *err);

/*
 * A back end that asks kern (borrowed) and adds what it says to bundle (borrowed).
 * Writes are refused with -EROFS.  rt_kern_recorder_finish() adds the answers; before
 * it the bundle is not whole.
 */
int rt_kern_open_recorder(struct rt_kern *kern, struct rt_bundle *bundle,
			  struct rt_kern **ret_recorder, struct rt_err *err);
/* The bundle is of this RDMA port, and of others so named; -ENOMEM. */
int rt_kern_recorder_only(struct rt_kern *recorder, const char *ibdev, unsigned port,
			  struct rt_err *err);
int rt_kern_recorder_finish(struct rt_kern *recorder, struct rt_err *err);

#endif
