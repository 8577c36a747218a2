/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lab_state.h - which labs there are: a folder each, with who holds the lab, what it
 * is made of, and its counters.
 *
 * /run/rocetune/lab/NAME of root, $XDG_RUNTIME_DIR/rocetune/lab/NAME of others, or
 * $ROCETUNE_RUN/lab/NAME; all private.  The lab's process holds a lock on its folder as
 * long as it lives: a folder without is what a crash left, and nothing else is ever
 * left.  Files may be hostile: reading one gives a whole state or an error.
 */
#ifndef RT_LAB_LAB_STATE_H
#define RT_LAB_LAB_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "kern/kern.h"
#include "rocetune/field.h"

struct rt_err;

#define RT_LAB_STATE_VERSION 1u
#define RT_LAB_NAME_BYTES    32u
#define RT_LAB_MAX_HOSTS     128u
#define RT_LAB_BOOT_BYTES    40u

struct rt_lab_host {
	char name[16];        /* of the host, and of its interface: "h0" */
	char switch_port[16]; /* the interface at the other end: "s0p0" */
	struct rt_ip ip;
	uint8_t mac[6];
	uint32_t netns_fd; /* of the lab's process */
};

#define RT_LAB_DSCP_BYTES 65u /* a digit for each DSCP, and the 0 */

struct rt_lab_state {
	uint32_t version;
	char name[RT_LAB_NAME_BYTES];
	uint32_t pid;                    /* of the lab's process, seen from outside */
	uint64_t start_ticks;            /* of it: proc_pid_stat(5), field 22 */
	char boot_id[RT_LAB_BOOT_BYTES]; /* a pid is of one boot */
	bool user_namespace;             /* made without root */
	char topology[24];               /* "star", "leaf-spine" */
	uint64_t rate_bps;               /* of host links */
	uint32_t mtu_bytes;              /* of interfaces */
	char profile[256];               /* "": none */
	char scenario[512];              /* file, from the root; "": none */
	char said[320];                  /* how its laws were scaled */
	char faults[128];                /* wrong with it on purpose; "": nothing */
	/* Of the laws; bit n: of priority n.  Unknown: an older lab's. */
	struct rt_opt_u64 lossless, rdma_prios;
	struct rt_opt_u64 cnp_gap_ns;       /* least time between CNPs of a flow */
	char dscp_prios[RT_LAB_DSCP_BYTES]; /* "": an older lab's */
	struct rt_lab_host *hosts;          /* owned */
	size_t host_count;
};

extern const struct rt_table rt_lab_host_table, rt_lab_state_table;
void rt_lab_state_free(struct rt_lab_state *state);

/* The priority that frames of a DSCP have in it; unknown: it does not say. */
struct rt_opt_u64 rt_lab_prio_of(const char *dscp_prios, uint8_t dscp);

/* What is at the other end of "s0p3" of a switch; NULL: another switch. */
const struct rt_lab_host *rt_lab_host_at(const struct rt_lab_state *state,
					 const char *switch_port);

/* "lab-1": small letters, digits and dashes.  -EINVAL. */
int rt_lab_name_check(const char *name, struct rt_err *err);

/*
 * Judge the text of a state file; name is used in messages.  -EINVAL: it is none, or
 * holds what no lab can be; the text has the place.
 */
int rt_lab_state_parse(const char *name, const char *text, size_t bytes,
		       struct rt_lab_state *ret_state, struct rt_err *err);

/* --- the folder of all labs ------------------------------------------------------- */

struct rt_lab_store {
	char path[256];
	int fd; /* -1: closed, or there is none */
};

/*
 * Open it; to_make: and make it.  Without, one that is not there is an empty store
 * (fd -1).  -EPERM: others may write to it, or it is not ours.
 */
int rt_lab_store_open(bool to_make, struct rt_lab_store *ret_store, struct rt_err *err);
void rt_lab_store_close(struct rt_lab_store *store);

/* Sorted. */
int rt_lab_store_names(const struct rt_lab_store *store, struct rt_names *ret_names,
		       struct rt_err *err);

/* --- the folder of one ------------------------------------------------------------ */

/* Of the lab that is being made, or is. */
struct rt_lab_claim {
	char name[RT_LAB_NAME_BYTES];
	int store_fd, folder_fd, lock_fd; /* -1: not open */
	/* Of the state, as it was written last. */
	uint64_t state_inode, state_bytes;
	int64_t state_ns;
};

/*
 * Take the name for a new lab.  What a dead lab of this name left is removed and told
 * in removed.  -EEXIST: the lab is up.
 */
int rt_lab_claim(const struct rt_lab_store *store, const char *name, char removed[160],
		 struct rt_lab_claim *ret_claim, struct rt_err *err);
/* The lock goes when every process that has lock_fd has closed it. */
void rt_lab_claim_close(struct rt_lab_claim *claim);
/* Remove the folder. */
void rt_lab_claim_remove(struct rt_lab_claim *claim);

int rt_lab_state_write(struct rt_lab_claim *claim, const struct rt_lab_state *state,
		       struct rt_err *err);

/* Did nobody take its state away, or change it, since it was written? */
bool rt_lab_state_is_ours(const struct rt_lab_claim *claim);

/* Why the lab ended by itself, for whoever asks later. */
void rt_lab_write_end(const struct rt_lab_claim *claim, const char *why);

/*
 * The lab of this name.  -ENOENT: there is none.  -ESRCH: its process is dead, the
 * text says why when it could.  -EINVAL: its state makes no sense.
 */
int rt_lab_find(const struct rt_lab_store *store, const char *name,
		struct rt_lab_state *ret_state, struct rt_err *err);

/*
 * Remove what a dead lab left.  -EBUSY: it lives.  -ENOENT.  -ENOTEMPTY: and there is
 * something else in its folder, which stays.
 */
int rt_lab_forget(const struct rt_lab_store *store, const char *name,
		  struct rt_err *err);

/* A file of the lab's folder, not a link, not a pipe, ours; the caller closes. */
int rt_lab_file_open(const struct rt_lab_store *store, const char *name,
		     const char *file, int *ret_fd, struct rt_err *err);

#define RT_LAB_COUNTERS_FILE "counters"
#define RT_LAB_LOCK_FILE     "lock"
#define RT_LAB_STATE_FILE    "state.json" /* without it hosts write no files here */

/* --- its process ------------------------------------------------------------------ */

/* When a process began, in clock ticks since the boot.  -ESRCH. */
int rt_lab_start_ticks(pid_t pid, uint64_t *ret_ticks);
int rt_lab_boot_id(char buf[RT_LAB_BOOT_BYTES]);

/* A pidfd of the lab's process, surely of it; the caller closes it.  -ESRCH. */
int rt_lab_pidfd(const struct rt_lab_state *state, int *ret_fd, struct rt_err *err);

#endif
