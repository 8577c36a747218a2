/* SPDX-License-Identifier: BSD-2-Clause */
/* lab_live.c - the process that a lab is: it makes everything, switches, and ends. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "kern/netns.h"
#include "lab/lab_board.h"
#include "lab/lab_nic.h"
#include "lab/lab_parts.h"
#include "model/topology.h"
#include "rocetune/err.h"

struct life {
	const struct rt_lab_setup *setup;
	struct rt_lab_claim *claim;
	int ready_fd, signal_fd;
	uint32_t mtu_bytes; /* of interfaces */
	struct rt_lab_net net;
	struct rt_lab_switch *sw;
	struct rt_lab_board *board;
	struct rt_lab_switch_port ports[RT_LAB_MAX_PORTS];
};

/* --- a process of its own ----------------------------------------------------------------- */

static bool is_kept(const struct life *life, int fd)
{
	const struct rt_lab_claim *claim = life->claim;

	if (fd <= STDERR_FILENO || fd == life->ready_fd || fd == claim->store_fd ||
	    fd == claim->folder_fd || fd == claim->lock_fd)
		return true;
	for (uint32_t i = 0; life->setup->host && i < life->setup->topology->hosts; i++)
		if (fd == life->setup->host_fds[i])
			return true;
	return false;
}

/* What the caller had open is not the lab's: a pipe of it would never end. */
static void close_others(const struct life *life)
{
	DIR *folder = opendir("/proc/self/fd");
	const struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		const int fd = atoi(entry->d_name);

		if (fd != dirfd(folder) && !is_kept(life, fd))
			close(fd);
	}
	if (folder)
		closedir(folder);
}

static void mute(void)
{
	const int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int i = STDIN_FILENO; fd >= 0 && i <= STDERR_FILENO; i++)
		dup2(fd, i);
	if (fd > STDERR_FILENO)
		close(fd);
}

/*
 * Signals to end come by a file: the first process of a PID namespace gets those that it
 * has blocked, whatever their default (pid_namespaces(7), kernel/signal.c
 * sig_ignored()).  Its orphans end unseen.
 */
static int take_signals(struct life *life, struct rt_err *err)
{
	sigset_t ends;

	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGHUP);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	signal(SIGCHLD, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	life->signal_fd = signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
	if (life->signal_fd < 0)
		return rt_err_sys(err, -errno, "no signalfd");
	/* Should the caller be dead already, saying "ready" fails. */
	if (life->setup->owned && prctl(PR_SET_PDEATHSIG, SIGTERM) < 0)
		return rt_err_sys(err, -errno, "cannot watch over the caller");
	return 0;
}

static int stand_alone(struct life *life, struct rt_err *err)
{
	/* Out of the terminal's group: its Ctrl-C is for the caller, who ends us. */
	setsid();
	if (chdir("/") < 0)
		return rt_err_sys(err, -errno, "/");
	close_others(life);
	mute();
	if (unshare(CLONE_NEWNET) < 0)
		return rt_err_sys(err, -errno, "cannot make a network namespace");
	return take_signals(life, err);
}

/* --- the hosts' processes ----------------------------------------------------------------- */

/*
 * Endpoints that wait for a compiler to yield are late like no NIC.  Where they may they
 * go before what else runs, as the switch does (lab/switch.h), and behind it.
 */
#define HOST_NICE (-10)

static _Noreturn void be_host(const struct life *life, uint32_t host)
{
	const struct rt_lab_setup *setup = life->setup;
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGCHLD, SIG_DFL);
	(void)setpriority(PRIO_PROCESS, 0, HOST_NICE);
	for (uint32_t i = 0; i < setup->topology->hosts; i++)
		if (i != host)
			close(setup->host_fds[i]);
	close(life->ready_fd);
	close(life->signal_fd);
	if (rt_netns_enter(life->net.netns_fd[host], NULL) < 0)
		_exit(1);
	_exit(setup->host(setup->context, host, setup->host_fds[host]) < 0);
}

static int start_hosts(const struct life *life, struct rt_err *err)
{
	const uint32_t hosts = life->setup->host ? life->setup->topology->hosts : 0;
	int r = 0;

	for (uint32_t i = 0; i < hosts && r == 0; i++) {
		const pid_t pid = fork();

		if (pid == 0)
			be_host(life, i);
		r = pid < 0 ? -errno : 0;
	}
	for (uint32_t i = 0; i < hosts; i++)
		close(life->setup->host_fds[i]);
	return r < 0 ? rt_err_sys(err, r, "cannot start a host's process") : 0;
}

/* --- switching ------------------------------------------------------------------------------ */

static int open_switch(struct life *life, struct rt_err *err)
{
	const struct rt_lab_setup *setup = life->setup;
	struct rt_lab_switch_config config = {
		.topology = setup->topology,
		.laws = setup->laws,
		.seed = setup->seed,
		.netdevs = life->net.netdevs,
	};

	memcpy(config.prio_of_dscp, setup->prio_of_dscp, sizeof(config.prio_of_dscp));
	return rt_lab_switch_open(&config, &life->sw, err);
}

static void publish(struct life *life)
{
	struct rt_lab_switch_counters counters = { .ports = life->ports };

	rt_lab_switch_counters(life->sw, &counters);
	rt_lab_board_write(life->board, &counters);
}

static bool is_to_end(const struct life *life)
{
	struct pollfd signal_come = { .fd = life->signal_fd, .events = POLLIN };

	return poll(&signal_come, 1, 0) == 1;
}

static void note_laws(const struct rt_fabric_config *laws, struct rt_lab_state *state)
{
	const uint64_t lossless = rt_fabric_config_lossless(laws);
	uint64_t rdma = UINT64_C(1) << laws->data_prio;

	for (unsigned i = 0; i < laws->class_count; i++)
		rdma |= lossless & UINT64_C(1) << laws->classes[i].prio;
	state->lossless = RT_KNOWN_U64(lossless);
	state->rdma_prios = RT_KNOWN_U64(rdma);
	for (uint8_t dscp = 0; dscp < 64; dscp++)
		state->dscp_prios[dscp] = (char)('0' +
						 rt_fabric_config_prio(laws, dscp));
	if (laws->np.pacing != RT_NP_EVERY)
		state->cnp_gap_ns = RT_KNOWN_U64(laws->np.interval_ps / RT_PS_PER_NS);
}

static int note_state(const struct life *life, struct rt_err *err)
{
	const struct rt_lab_setup *setup = life->setup;
	struct rt_lab_state state = {
		.version = RT_LAB_STATE_VERSION,
		.user_namespace = setup->user_namespace,
		.rate_bps = setup->topology->ports[0].speed_bps,
		.mtu_bytes = life->mtu_bytes,
		.hosts = (struct rt_lab_host *)(uintptr_t)life->net.hosts,
		.host_count = life->net.host_count,
	};
	char self[16] = "";
	int r = rt_lab_boot_id(state.boot_id);

	/* Our number outside is what /proc, which is of outside, has. */
	if (r == 0 && readlink("/proc/self", self, sizeof(self) - 1) < 0)
		r = -errno;
	state.pid = (uint32_t)strtoul(self, NULL, 10);
	if (r == 0)
		r = rt_lab_start_ticks((pid_t)state.pid, &state.start_ticks);
	if (r < 0)
		return rt_err_sys(err, r, "/proc: cannot read what process this is");
	snprintf(state.name, sizeof(state.name), "%s", setup->name);
	snprintf(state.topology, sizeof(state.topology), "%s",
		 setup->topology->spec.kind == RT_TOPOLOGY_STAR ? "star"
								: "leaf-spine");
	snprintf(state.profile, sizeof(state.profile), "%s",
		 setup->profile ? setup->profile : "");
	snprintf(state.scenario, sizeof(state.scenario), "%s",
		 setup->scenario ? setup->scenario : "");
	snprintf(state.said, sizeof(state.said), "%s", setup->said ? setup->said : "");
	snprintf(state.faults, sizeof(state.faults), "%s",
		 setup->faults ? setup->faults : "");
	note_laws(setup->laws, &state);
	return rt_lab_state_write(life->claim, &state, err);
}

/* A lab whose state somebody took away or spoilt could not be ended by its name. */
static int stay_known(const struct life *life, struct rt_err *err)
{
	struct stat folder;

	if (rt_lab_state_is_ours(life->claim))
		return 0;
	if (fstat(life->claim->folder_fd, &folder) < 0 || folder.st_nlink == 0)
		return rt_err_set(err, -ENOENT, "its folder was removed");
	return note_state(life, err);
}

static int serve(struct life *life, struct rt_err *err)
{
	int r = 0;

	while (r == 0 && !is_to_end(life)) {
		r = rt_lab_switch_work(life->sw, rt_monotonic_ns() + RT_LAB_PUBLISH_NS,
				       life->signal_fd, err);
		publish(life);
		if (r == 0)
			r = stay_known(life, err);
	}
	return r;
}

/* --- all of it ------------------------------------------------------------------------------ */

static int make(struct life *life, struct rt_err *err)
{
	const struct rt_topology *topology = life->setup->topology;
	int r = stand_alone(life, err);

	life->mtu_bytes = life->setup->mtu_bytes ? life->setup->mtu_bytes
						 : rt_lab_mtu(life->setup->laws);
	if (r == 0)
		r = rt_lab_net_make(topology, life->mtu_bytes, &life->net, err);
	if (r == 0)
		r = rt_lab_board_create(life->claim->folder_fd, RT_LAB_COUNTERS_FILE,
					topology->port_count - topology->hosts,
					&life->board, err);
	if (r == 0)
		r = start_hosts(life, err);
	/* Last, since frames wait from here on, and are late. */
	if (r == 0)
		r = open_switch(life, err);
	if (r == 0)
		r = rt_lab_net_announce(&life->net, err);
	if (r < 0)
		return r;
	publish(life);
	return note_state(life, err);
}

void rt_lab_live(const struct rt_lab_setup *setup, struct rt_lab_claim *claim,
		 int ready_fd)
{
	struct rt_err err = { 0 };
	struct life *life = calloc(1, sizeof(*life));
	int r = life ? 0 : -ENOMEM;

	if (r == 0) {
		*life = (struct life){ .setup = setup,
				       .claim = claim,
				       .ready_fd = ready_fd,
				       .signal_fd = -1 };
		r = make(life, &err);
	}
	err.code = r;
	/* Who waits for it is dead, or takes the notes away. */
	if (write(ready_fd, &err, sizeof(err)) != sizeof(err)) {
		rt_lab_claim_remove(claim);
		_exit(1);
	}
	if (r < 0)
		_exit(1);
	close(ready_fd);
	life->ready_fd = -1;
	r = serve(life, &err);
	/* Its own folder, while the lock is still held. */
	if (r < 0)
		rt_lab_write_end(claim, err.msg);
	else
		rt_lab_claim_remove(claim);
	_exit(r < 0);
}
