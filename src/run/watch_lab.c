/* SPDX-License-Identifier: BSD-2-Clause */
/* watch_lab.c - the counters of a lab's switches and of its hosts' NICs. */
#include "run/watch_lab.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/own.h"
#include "base/text.h"
#include "lab/lab_board.h"
#include "lab/lab_nic.h"
#include "lab/lab_state.h"
#include "rocetune/err.h"
#include "run/watch_switch.h"
#include "run/watch_want.h"
#include "watch/sample.h"
#include "watch/source.h"

#define LOOK_AGAIN_NS INT64_C(1000000000) /* for a lab that went down */
#define NOBODY_COUNTS "nobody counts here: no endpoints of rocetune run on this host"

struct watch_lab {
	struct rt_watch_source source; /* first */
	const struct rt_watch_request *request;
	char name[RT_LAB_NAME_BYTES];
	struct rt_lab_store store;
	struct rt_lab_state state; /* of the lab that is up, or was last */
	int pid_fd, board_fd;      /* -1: it is down */
	int64_t looked_ns;         /* for it, while it is down */
	/* Of the sample: where ports are that have been seen. */
	struct rt_lab_switch_counters counters;
};

static struct watch_lab *of(struct rt_watch_source *source)
{
	return (struct watch_lab *)source;
}

/* --- the lab -------------------------------------------------------------------------- */

static void detach(struct watch_lab *lab)
{
	if (lab->pid_fd >= 0)
		close(lab->pid_fd);
	if (lab->board_fd >= 0)
		close(lab->board_fd);
	lab->pid_fd = lab->board_fd = -1;
}

static int attach(struct watch_lab *lab, struct rt_err *err)
{
	struct rt_lab_state state;
	int r = rt_lab_find(&lab->store, lab->name, &state, err);

	if (r < 0)
		return r;
	r = rt_lab_pidfd(&state, &lab->pid_fd, err);
	if (r == 0)
		r = rt_lab_file_open(&lab->store, lab->name, RT_LAB_COUNTERS_FILE,
				     &lab->board_fd, err);
	if (r < 0) {
		detach(lab);
		rt_lab_state_free(&state);
		return r;
	}
	rt_lab_state_free(&lab->state);
	lab->state = state;
	return 0;
}

static bool has_ended(const struct watch_lab *lab)
{
	struct pollfd end = { .fd = lab->pid_fd, .events = POLLIN };

	return poll(&end, 1, 0) == 1;
}

/* Whether it is up, now. */
static bool is_up(struct watch_lab *lab)
{
	const int64_t now_ns = rt_monotonic_ns();

	if (lab->pid_fd >= 0 && has_ended(lab))
		detach(lab);
	if (lab->pid_fd >= 0)
		return true;
	if (now_ns - lab->looked_ns < LOOK_AGAIN_NS)
		return false;
	lab->looked_ns = now_ns;
	return attach(lab, NULL) == 0;
}

/* --- ports ---------------------------------------------------------------------------- */

/*
 * The port of that name, which may be new.  NULL: it was not asked for, or (*r) there is
 * no room.  hint is where it was last.
 */
static struct rt_watch_input *find_port(const struct watch_lab *lab,
					struct rt_watch_sample *sample,
					const char *name, size_t hint, int *r)
{
	struct rt_watch_input *input;

	if (hint < sample->count && strcmp(sample->items[hint].port.name, name) == 0)
		return &sample->items[hint];
	if (!rt_watch_wants(lab->request, name, ""))
		return NULL;
	for (size_t i = 0; i < sample->count; i++)
		if (strcmp(sample->items[i].port.name, name) == 0)
			return &sample->items[i];
	input = rt_watch_sample_add(sample);
	if (!input)
		*r = sample->count < RT_WATCH_MAX_PORTS ? -ENOMEM : -E2BIG;
	else
		snprintf(input->port.name, sizeof(input->port.name), "%s", name);
	return input;
}

static void describe(const struct watch_lab *lab, struct rt_watch_port *port,
		     const char *peer, unsigned role)
{
	const struct rt_lab_state *state = &lab->state;

	if (strcmp(port->peer, peer) != 0)
		snprintf(port->peer, sizeof(port->peer), "%s", peer);
	port->role = role;
	port->state = RT_WATCH_UP;
	port->lossless = state->lossless;
	port->mtu_bytes = RT_KNOWN_U64(state->mtu_bytes);
}

static void fill_nic(const struct watch_lab *lab, const struct rt_lab_host *host,
		     struct rt_watch_input *input)
{
	struct rt_counter_look *look = &input->set.looks[RT_SOURCE_ENGINE];
	struct rt_watch_port *port = &input->port;
	struct rt_err why = { 0 };
	int r;

	describe(lab, port, host->switch_port, RT_WATCH_NIC);
	memcpy(port->netdev, host->name, sizeof(port->netdev));
	port->ip = host->ip;
	port->speed_bps = RT_KNOWN_U64(lab->state.rate_bps);
	port->rdma_prios = lab->state.rdma_prios;
	port->cnp_gap_ns = lab->state.cnp_gap_ns;
	r = rt_lab_nic_read(&lab->store, lab->name, host->name, &input->set, &why);
	if (r == 0) {
		port->note[0] = '\0';
		return;
	}
	if (!*why.msg)
		rt_err_sys(&why, r, "its counters");
	look->source = RT_SOURCE_ENGINE;
	look->state = r == -ENOENT ? RT_LOOK_NONE : RT_LOOK_FAILED;
	snprintf(look->why, sizeof(look->why), "%.159s", r == -ENOENT ? "" : why.msg);
	snprintf(port->note, sizeof(port->note), "%.159s",
		 r == -ENOENT ? NOBODY_COUNTS : why.msg);
}

static int fill_nics(const struct watch_lab *lab, struct rt_watch_sample *sample,
		     size_t *at)
{
	int r = 0;

	for (size_t i = 0; i < lab->state.host_count && r == 0; i++) {
		const struct rt_lab_host *host = &lab->state.hosts[i];
		struct rt_watch_input *input = find_port(lab, sample, host->name, *at,
							 &r);

		if (!input)
			continue;
		fill_nic(lab, host, input);
		*at = (size_t)(input - sample->items) + 1;
	}
	return r;
}

/* Not the fabric's, and in no counter. */
static void tell_lost(const struct rt_lab_switch_port *from, char note[160])
{
	note[0] = '\0';
	if (from->ring_drops)
		snprintf(note, 160,
			 "the lab is too slow: %" PRIu64
			 " frames were lost in front of the switch",
			 from->ring_drops);
}

static int fill_switch(struct watch_lab *lab, struct rt_watch_sample *sample, size_t at)
{
	const struct rt_lab_switch_counters *counters = &lab->counters;
	int r = 0;

	for (size_t i = 0; i < counters->port_count && r == 0; i++) {
		const struct rt_lab_switch_port *from = &counters->ports[i];
		struct rt_watch_input *input = find_port(lab, sample, from->name, at,
							 &r);

		if (!input)
			continue;
		describe(lab, &input->port, from->peer, RT_WATCH_SWITCH);
		tell_lost(from, input->port.note);
		input->port.speed_bps = RT_KNOWN_U64(from->speed_bps);
		r = rt_watch_switch_fill(from, (int64_t)counters->time_ns,
					 lab->state.lossless, &input->set);
		at = (size_t)(input - sample->items) + 1;
	}
	return r;
}

/* --- samples -------------------------------------------------------------------------- */

static void all_gone(struct rt_watch_sample *sample)
{
	for (size_t i = 0; i < sample->count; i++) {
		struct rt_watch_input *input = &sample->items[i];

		input->port.state = RT_WATCH_GONE;
		input->port.note[0] = '\0';
		rt_counter_set_free(&input->set);
	}
}

/* What was there and is not any more: another lab has the name. */
static void gone_if_missing(struct rt_watch_sample *sample)
{
	for (size_t i = 0; i < sample->count; i++)
		if (sample->items[i].port.state == RT_WATCH_STATE_UNKNOWN) {
			sample->items[i].port.state = RT_WATCH_GONE;
			rt_counter_set_free(&sample->items[i].set);
		}
}

static int read_board(struct watch_lab *lab, struct rt_err *err)
{
	struct rt_lab_switch_counters counters;
	const int r = rt_lab_board_read(lab->board_fd, &counters, err);

	if (r < 0)
		return r;
	free(lab->counters.ports);
	lab->counters = counters;
	return 0;
}

static int lab_sample(struct rt_watch_source *source, struct rt_watch_sample *sample,
		      struct rt_err *err)
{
	struct watch_lab *lab = of(source);
	size_t at = 0;
	int r;

	sample->time_ns = rt_monotonic_ns();
	sample->wall_ns = rt_clock_ns(CLOCK_REALTIME);
	if (!is_up(lab)) {
		all_gone(sample);
		return 0;
	}
	r = read_board(lab, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < sample->count; i++)
		sample->items[i].port.state = RT_WATCH_STATE_UNKNOWN;
	r = fill_nics(lab, sample, &at);
	if (r == 0)
		r = fill_switch(lab, sample, at);
	gone_if_missing(sample);
	/* Labs of one name that came and went count, too. */
	if (r == -E2BIG)
		return rt_watch_check_ports(sample->count + 1, lab->source.title, err);
	return r < 0 ? rt_err_sys(err, r, "lab '%s'", lab->name) : 0;
}

static void lab_close(struct rt_watch_source *source)
{
	struct watch_lab *lab = of(source);

	detach(lab);
	free(lab->counters.ports);
	rt_lab_state_free(&lab->state);
	rt_lab_store_close(&lab->store);
	free(lab);
}

static const struct rt_watch_source_ops ops = {
	.name = "lab",
	.help = "the switches and hosts of a lab that is up",
	.sample = lab_sample,
	.close = lab_close,
};

/* --- opening -------------------------------------------------------------------------- */

static int take_only(const struct rt_lab_store *store, char name[RT_LAB_NAME_BYTES],
		     struct rt_err *err)
{
	struct rt_names names = { 0 };
	int r = rt_lab_store_names(store, &names, err);

	if (r < 0)
		return r;
	if (names.count == 0)
		r = rt_err_set(err, -ENOENT,
			       "there is no lab: rocetune lab up makes one");
	else if (names.count > 1)
		r = rt_err_set(err, -ENOENT,
			       "there are %zu labs: say which, %s or %s%s", names.count,
			       names.items[0], names.items[1],
			       names.count > 2 ? " ..." : "");
	else
		snprintf(name, RT_LAB_NAME_BYTES, "%s", names.items[0]);
	rt_names_free(&names);
	return r;
}

int rt_watch_lab_choose(const char *name, char ret_name[RT_LAB_NAME_BYTES],
			struct rt_err *err)
{
	struct rt_lab_store store;
	int r;

	if (name && *name) {
		r = rt_lab_name_check(name, err);
		if (r == 0)
			snprintf(ret_name, RT_LAB_NAME_BYTES, "%s", name);
		return r;
	}
	r = rt_lab_store_open(false, &store, err);
	if (r < 0)
		return r;
	r = take_only(&store, ret_name, err);
	rt_lab_store_close(&store);
	return r;
}

static bool any_wanted(const struct watch_lab *lab)
{
	for (size_t i = 0; i < lab->state.host_count; i++)
		if (rt_watch_wants(lab->request, lab->state.hosts[i].name, ""))
			return true;
	for (size_t i = 0; i < lab->counters.port_count; i++)
		if (rt_watch_wants(lab->request, lab->counters.ports[i].name, ""))
			return true;
	return false;
}

int rt_watch_lab_open(const char *name, const struct rt_watch_request *request,
		      struct rt_watch_source **ret_source, struct rt_err *err)
{
	struct watch_lab *lab = calloc(1, sizeof(*lab));
	int r;

	if (!lab)
		return rt_err_sys(err, -ENOMEM, "cannot watch a lab");
	*lab = (struct watch_lab){ .source.ops = &ops,
				   .request = request,
				   .store.fd = -1,
				   .pid_fd = -1,
				   .board_fd = -1 };
	r = rt_watch_lab_choose(name, lab->name, err);
	if (r == 0)
		r = rt_lab_store_open(false, &lab->store, err);
	if (r == 0)
		r = attach(lab, err);
	if (r == 0)
		r = read_board(lab, err);
	if (r == 0 && !any_wanted(lab))
		r = rt_err_set(err, -ENODEV,
			       "lab '%s' has no such port: its hosts are %s to %s",
			       lab->name, lab->state.hosts[0].name,
			       lab->state.hosts[lab->state.host_count - 1].name);
	if (r < 0) {
		lab_close(&lab->source);
		return r;
	}
	snprintf(lab->source.title, sizeof(lab->source.title), "lab %s", lab->name);
	*ret_source = &lab->source;
	return 0;
}
