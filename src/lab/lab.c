/* SPDX-License-Identifier: BSD-2-Clause */
/* lab.c - starting a lab, ending it, and going into its hosts. */
#include "lab/lab.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kern/netns.h"
#include "lab/lab_parts.h"
#include "model/topology.h"
#include "rocetune/err.h"

/* --- starting --------------------------------------------------------------------------- */

static int check_setup(const struct rt_lab_setup *setup, struct rt_err *err)
{
	const struct rt_topology *topology = setup->topology;
	int r = rt_lab_name_check(setup->name, err);

	if (r < 0)
		return r;
	if (topology->hosts == 0 || topology->hosts > RT_LAB_MAX_HOSTS ||
	    topology->port_count > RT_LAB_MAX_PORTS)
		return rt_err_set(err, -EINVAL,
				  "%u hosts and %u ports: a lab has %u hosts and %u "
				  "ports at most",
				  topology->hosts, topology->port_count,
				  RT_LAB_MAX_HOSTS, RT_LAB_MAX_PORTS);
	return 0;
}

/*
 * fork() into a new PID namespace.  unshare() would move all later children of ours
 * there, too.
 */
static pid_t fork_first(void)
{
	return (pid_t)syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, NULL, NULL, NULL,
			      NULL);
}

/* What the child says, or that it says nothing. */
static int await(int fd, const char *name, struct rt_err *err)
{
	struct rt_err said = { 0 };
	ssize_t n;

	do
		n = read(fd, &said, sizeof(said));
	while (n < 0 && errno == EINTR);
	if (n != sizeof(said))
		return rt_err_set(err, -ECHILD,
				  "lab '%s': its process died as it began", name);
	said.msg[sizeof(said.msg) - 1] = '\0';
	return said.code < 0
		       ? rt_err_set(err, said.code, "lab '%s': %s", name, said.msg)
		       : 0;
}

/* The claim is the child's on success. */
static int start(const struct rt_lab_store *store, const struct rt_lab_setup *setup,
		 struct rt_lab_claim *claim, struct rt_lab_state *ret_state,
		 struct rt_err *err)
{
	int ready[2], r;
	pid_t pid;

	if (pipe2(ready, O_CLOEXEC) < 0)
		return rt_err_sys(err, -errno, "no pipe");
	pid = fork_first();
	if (pid == 0) {
		close(ready[0]);
		rt_lab_live(setup, claim, ready[1]);
	}
	r = pid < 0 ? -errno : 0;
	close(ready[1]);
	if (r < 0)
		rt_err_sys(err, r, "cannot start the lab's process");
	else
		r = await(ready[0], setup->name, err);
	close(ready[0]);
	if (r == 0)
		r = rt_lab_find(store, setup->name, ret_state, err);
	if (r < 0 && pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	return r;
}

int rt_lab_start(const struct rt_lab_store *store, const struct rt_lab_setup *setup,
		 char removed[160], struct rt_lab_state *ret_state, struct rt_err *err)
{
	struct rt_lab_claim claim;
	int r = check_setup(setup, err);

	if (r == 0)
		r = rt_lab_claim(store, setup->name, removed, &claim, err);
	if (r < 0)
		return r;
	r = start(store, setup, &claim, ret_state, err);
	if (r < 0)
		rt_lab_claim_remove(&claim);
	rt_lab_claim_close(&claim);
	return r;
}

/* --- ending --------------------------------------------------------------------------- */

#define STOP_MS 3000
#define KILL_MS 2000

static bool is_gone(int pidfd, int wait_ms)
{
	struct pollfd end = { .fd = pidfd, .events = POLLIN };

	return poll(&end, 1, wait_ms) == 1;
}

int rt_lab_stop(const struct rt_lab_store *store, const struct rt_lab_state *state,
		bool *ret_killed, struct rt_err *err)
{
	bool killed = false;
	int fd = -1;
	int r = rt_lab_pidfd(state, &fd, err);

	if (r < 0)
		return r;
	if (pidfd_send_signal(fd, SIGTERM, NULL, 0) < 0 && errno != ESRCH)
		r = -errno;
	if (r == 0 && !is_gone(fd, STOP_MS)) {
		killed = true;
		pidfd_send_signal(fd, SIGKILL, NULL, 0);
		r = is_gone(fd, KILL_MS) ? 0 : -ETIMEDOUT;
	}
	close(fd);
	if (r < 0)
		return rt_err_sys(err, r, "cannot end lab '%s', process %u",
				  state->name, state->pid);
	/* What it left when killed, or could not remove since it is somebody else's. */
	r = rt_lab_forget(store, state->name, err);
	if (r < 0 && r != -ENOENT)
		return r;
	if (err)
		*err = (struct rt_err){ 0 };
	*ret_killed = killed;
	return 0;
}

/* --- going into a host -------------------------------------------------------------------- */

/* File descriptors of a lab's namespaces; -1: not open, or not needed. */
struct doors {
	int user, pid, net;
};

static void close_doors(const struct doors *doors)
{
	const int fds[] = { doors->user, doors->pid, doors->net };

	for (unsigned i = 0; i < 3; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

static int open_door(const struct rt_lab_state *state, const char *what, int *ret_fd)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/%s", state->pid, what);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	*ret_fd = fd;
	return 0;
}

/* Is it the user namespace we are in already?  setns() refuses that one. */
static bool is_ours(int user_fd)
{
	struct stat there, here;

	return fstat(user_fd, &there) == 0 && stat("/proc/self/ns/user", &here) == 0 &&
	       there.st_ino == here.st_ino && there.st_dev == here.st_dev;
}

static int open_doors(const struct rt_lab_state *state, const struct rt_lab_host *host,
		      struct doors *doors, struct rt_err *err)
{
	char net[32] = "ns/net";
	int pidfd = -1, r;

	if (host)
		snprintf(net, sizeof(net), "fd/%u", host->netns_fd);
	r = open_door(state, "ns/user", &doors->user);
	if (r == 0)
		r = open_door(state, "ns/pid", &doors->pid);
	if (r == 0)
		r = open_door(state, net, &doors->net);
	if (r < 0)
		return rt_err_sys(err, r == -ENOENT ? -ESRCH : r,
				  "cannot enter lab '%s', process %u", state->name,
				  state->pid);
	if (is_ours(doors->user)) {
		close(doors->user);
		doors->user = -1;
	}
	/* Was it the lab's process that the doors were of? */
	r = rt_lab_pidfd(state, &pidfd, err);
	if (r == 0)
		close(pidfd);
	return r;
}

static int enter(const struct rt_lab_state *state, const struct rt_lab_host *host,
		 bool processes, struct rt_err *err)
{
	struct doors doors = { -1, -1, -1 };
	int r = open_doors(state, host, &doors, err);

	if (r == 0) {
		if (doors.user >= 0 && setns(doors.user, CLONE_NEWUSER) < 0)
			r = -errno;
		/* Each asserts that it is a namespace of that kind. */
		if (r == 0 && processes && setns(doors.pid, CLONE_NEWPID) < 0)
			r = -errno;
		if (r == 0 && setns(doors.net, CLONE_NEWNET) < 0)
			r = -errno;
		if (r < 0)
			rt_err_sys(err, r, "cannot enter lab '%s'", state->name);
	}
	close_doors(&doors);
	return r;
}

int rt_lab_enter(const struct rt_lab_state *state, const struct rt_lab_host *host,
		 struct rt_err *err)
{
	return enter(state, host, true, err);
}

int rt_lab_enter_network(const struct rt_lab_state *state,
			 const struct rt_lab_host *host, struct rt_err *err)
{
	return enter(state, host, false, err);
}

int rt_lab_host_find(const struct rt_lab_state *state, const char *name,
		     const struct rt_lab_host **ret_host, struct rt_err *err)
{
	for (size_t i = 0; i < state->host_count; i++)
		if (strcmp(state->hosts[i].name, name) == 0) {
			*ret_host = &state->hosts[i];
			return 0;
		}
	return rt_err_set(err, -ENOENT, "lab '%s' has no host %.32s: %s to %s",
			  state->name, name, state->hosts[0].name,
			  state->hosts[state->host_count - 1].name);
}
