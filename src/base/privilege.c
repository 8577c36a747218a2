/* SPDX-License-Identifier: BSD-2-Clause */
/* privilege.c - libcap-ng, and what it leaves to do. */
#include "base/privilege.h"

#include <cap-ng.h>
#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "rocetune/err.h"

int rt_user_find(const char *name, struct rt_user *ret_user, struct rt_err *err)
{
	const struct passwd *entry = getpwnam(name);
	unsigned long number;
	char *end;

	if (!entry) {
		errno = 0;
		number = strtoul(name, &end, 10);
		if (!errno && *name >= '0' && *name <= '9' && !*end &&
		    number < (uid_t)-1)
			entry = getpwuid((uid_t)number);
	}
	if (!entry)
		return rt_err_set(err, -ENOENT, "there is no user '%.60s' here", name);
	*ret_user = (struct rt_user){ entry->pw_uid, entry->pw_gid };
	return 0;
}

static int become(const struct rt_user *user, struct rt_err *err)
{
	int r;

	if (geteuid() == user->uid && getegid() == user->gid)
		return 0;
	if (!capng_have_capability(CAPNG_EFFECTIVE, CAP_SETUID) ||
	    !capng_have_capability(CAPNG_EFFECTIVE, CAP_SETGID))
		return rt_err_set(err, -EPERM,
				  "only root may become another user: start it as the "
				  "user that it is to be");
	capng_clear(CAPNG_SELECT_BOTH);
	r = capng_change_id((int)user->uid, (int)user->gid,
			    CAPNG_DROP_SUPP_GRP | CAPNG_CLEAR_BOUNDING);
	if (r < 0)
		return rt_err_set(err, -EPERM,
				  "cannot become user %u, group %u (libcap-ng: %d)",
				  (unsigned)user->uid, (unsigned)user->gid, r);
	return 0;
}

int rt_privilege_drop(const struct rt_user *user, struct rt_err *err)
{
	int r;

	if (capng_get_caps_process() < 0)
		return rt_err_sys(err, -errno, "cannot read the capabilities");
	r = user ? become(user, err) : 0;
	if (r < 0)
		return r;
	/* The bounding set is root's to clear; without no_new_privs it would matter. */
	capng_clear(CAPNG_SELECT_BOTH);
	if (capng_apply(CAPNG_SELECT_BOTH) < 0 && capng_apply(CAPNG_SELECT_CAPS) < 0)
		return rt_err_sys(err, -errno, "cannot give up the capabilities");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return rt_err_sys(err, -errno, "cannot set no_new_privs");
	if (capng_get_caps_process() < 0 ||
	    capng_have_capabilities(CAPNG_SELECT_CAPS) != CAPNG_NONE)
		return rt_err_set(err, -EPERM,
				  "some capabilities could not be given up");
	return 0;
}
