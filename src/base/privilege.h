/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * privilege.h - giving up what root may, for good: for programs that listen.
 *
 * Capabilities are a thread's own (capabilities(7)): call it before there is a second.
 */
#ifndef RT_BASE_PRIVILEGE_H
#define RT_BASE_PRIVILEGE_H

#include <sys/types.h>

struct rt_err;

struct rt_user {
	uid_t uid;
	gid_t gid;
};

/* By name or number, its own group with it.  -ENOENT: there is no such user. */
int rt_user_find(const char *name, struct rt_user *ret_user, struct rt_err *err);

/*
 * Become user (NULL: stay who one is) and give up every capability, also of programs
 * that are started from here.  -EPERM: only root may become somebody else.  After
 * another error the process is to end: some of it is done.
 */
int rt_privilege_drop(const struct rt_user *user, struct rt_err *err);

#endif
