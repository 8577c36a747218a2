/* SPDX-License-Identifier: BSD-2-Clause */
/* lab_exec.c - a command on a host of a lab. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/lab.h"
#include "rocetune/err.h"
#include "run/lab.h"
#include "run/lab_env.h"

struct order {
	const struct rt_lab_store *store;
	const struct rt_lab_state *state;
	const struct rt_lab_host *host; /* NULL: where the switch is */
	char *const *argv;
};

/*
 * /sys/class/net and /proc of the host instead of the machine's, seen by the command
 * alone.  Where that is not allowed (in a container, say) the machine's are seen, and
 * only who looks there notices.
 */
static void see_own_files(void)
{
	if (unshare(CLONE_NEWNS) < 0 ||
	    mount("", "/", "none", MS_REC | MS_SLAVE, NULL) < 0)
		return;
	(void)mount("lab", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
	(void)mount("lab", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

static _Noreturn void be_command(char *const *argv)
{
	/* Who started it is gone: so is it.  Later it is the lab's end that ends it. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGXFSZ, SIG_DFL); /* ignoring it is ours */
	see_own_files();
	execvp(argv[0], argv);
	dprintf(STDERR_FILENO, "rocetune lab exec: %s: %s\n", argv[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

/*
 * What a terminal sends reaches the command itself, which is of the same group; what a
 * process sends to us alone is passed on.  Of SI_USER the usher takes only what is passed
 * on by who waits for it, or a signal to the group would come once more for each of us.
 */
static bool is_to_pass(const siginfo_t *signal, pid_t from)
{
	return signal->si_signo != SIGCHLD && signal->si_code == SI_USER &&
	       (!from || signal->si_pid == from);
}

/*
 * Wait for a child, which makes of SIGINT and SIGQUIT what it likes, and we nothing.
 * from: who may have signals passed on; 0: anybody.
 */
static int wait_for(pid_t pid, pid_t from, int *ret_status, struct rt_err *err)
{
	sigset_t waited, before;
	siginfo_t signal;
	int status;
	pid_t r;

	sigemptyset(&waited);
	sigaddset(&waited, SIGINT);
	sigaddset(&waited, SIGQUIT);
	sigaddset(&waited, SIGCHLD);
	sigprocmask(SIG_BLOCK, &waited, &before);
	while ((r = waitpid(pid, &status, WNOHANG)) == 0)
		if (sigwaitinfo(&waited, &signal) > 0 && is_to_pass(&signal, from))
			kill(pid, signal.si_signo);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (r < 0)
		return rt_err_sys(err, -errno, "cannot wait for the command");
	*ret_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	return 0;
}

/*
 * In between, since only children of who enters are in the lab's PID namespace, and who
 * entered can have no threads (clone(2)).  Says through fd why it could not.
 */
static _Noreturn void be_usher(const struct order *order, int fd)
{
	const struct rt_lab_host *host = order->host;
	struct rt_err err = { 0 };
	int status = 126, r;
	pid_t pid = -1;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	r = rt_lab_enter(order->state, host, &err);
	if (r == 0) {
		pid = fork();
		if (pid == 0) {
			rt_lab_env_set(order->store, order->state,
				       host ? host->name : "switch");
			be_command(order->argv);
		}
		if (pid < 0)
			r = rt_err_sys(&err, -errno, "cannot start the command");
	}
	if (r == 0)
		r = wait_for(pid, getppid(), &status, &err);
	if (r < 0 && write(fd, &err, sizeof(err)) < 0)
		status = 126;
	_exit(status);
}

static int run_command(const struct order *order, int *ret_status, struct rt_err *err)
{
	struct rt_err said = { 0 };
	int said_fds[2], status = 0, r;
	pid_t pid;

	/* Who started us may have ignored it, and we would not be told of the end. */
	signal(SIGCHLD, SIG_DFL);
	if (pipe2(said_fds, O_CLOEXEC) < 0)
		return rt_err_sys(err, -errno, "no pipe");
	pid = fork();
	if (pid == 0)
		be_usher(order, said_fds[1]);
	close(said_fds[1]);
	r = pid < 0 ? rt_err_sys(err, -errno, "cannot start the command")
		    : wait_for(pid, 0, &status, err);
	/* Nothing was said where the command ran. */
	if (r == 0 && read(said_fds[0], &said, sizeof(said)) == sizeof(said))
		r = rt_err_set(err, said.code, "%.*s", (int)sizeof(said.msg) - 1,
			       said.msg);
	close(said_fds[0]);
	if (r == 0)
		*ret_status = status;
	return r;
}

int rt_run_lab_exec(const char *name, const char *host, char *const *argv,
		    int *ret_status, struct rt_err *err)
{
	struct rt_lab_store store;
	struct rt_lab_state state;
	struct order order = { .store = &store, .state = &state, .argv = argv };
	int r = rt_lab_store_open(false, &store, err);

	if (r < 0)
		return r;
	r = rt_lab_find(&store, name ? name : RT_LAB_DEFAULT_NAME, &state, err);
	rt_lab_store_close(&store); /* its path stays */
	if (r < 0)
		return r;
	/* "switch" is where the switch's ends of all cables are. */
	if (strcmp(host, "switch") != 0)
		r = rt_lab_host_find(&state, host, &order.host, err);
	if (r == 0)
		r = run_command(&order, ret_status, err);
	rt_lab_state_free(&state);
	return r;
}
