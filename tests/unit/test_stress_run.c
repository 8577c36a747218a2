/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stress runs end to end, in processes of one host: a root, agents behind sockets, and
 * an engine that moves nothing but counts as if.
 */
#include "pretender.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/histogram.h"
#include "base/own.h"
#include "kern/kern_fake.h"
#include "model/criteria.h"
#include "model/finding.h"
#include "rocetune/err.h"
#include "run/agent.h"
#include "run/stress.h"
#include "traffic/engine.h"
#include "traffic/tcp.h"

/* --- a root and its agents -------------------------------------------------------- */

#define AGENTS_MAX 8

struct crowd {
	pid_t pids[AGENTS_MAX];
	uint32_t count; /* of processes, ranks from first on */
	uint32_t first;
	struct rt_rendezvous *root;
};

static int open_fake(void *context, struct rt_kern **ret_kern, struct rt_err *err)
{
	struct rt_fake_port *port;
	int r = rt_fake_new(&current_host, err);

	(void)context;
	if (r < 0)
		return r;
	port = rt_fake_add_port(current_host, "mlx5");
	assert_non_null(port);
	port->use.connected = current_faults->connected;
	snprintf(port->use.who, sizeof(port->use.who), "nccl");
	rt_fake_set_stat(&port->ethtool_stats, "rx_prio3_discards", 100);
	rt_fake_set_stat(&port->ethtool_stats, "rx_prio3_pause", 5);
	*ret_kern = &current_host->kern;
	return 0;
}

static const struct rt_agent_options options = { .engine = &pretend,
						 .kern_open = open_fake };

static void be_agent(int fd, uint32_t rank, uint32_t size)
{
	current_rank = rank;
	struct rt_rendezvous *rendezvous;
	struct rt_err err = { 0 };
	char name[16];
	int r;

	snprintf(name, sizeof(name), "n%u", rank);
	r = rt_tcp_join_fd(fd, &(struct rt_tcp_member){ rank, size, name }, &rendezvous,
			   &err);
	if (r == 0) {
		r = rt_agent_run(rendezvous, &options, &err);
		rendezvous->ops->close(rendezvous);
	}
	_exit(r == 0 ? 0 : r == -ECANCELED ? 4 : 5);
}

static const char *const names[] = { "n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7" };

static void gather_crowd(uint32_t count, uint32_t first, struct crowd *crowd)
{
	const struct rt_tcp_serve serve = { .size = count, .names = names + first };
	int fds[AGENTS_MAX], other[AGENTS_MAX];
	struct rt_err err = { 0 };
	int r;

	*crowd = (struct crowd){ .count = count, .first = first };
	for (uint32_t i = 0; i < count; i++) {
		int pair[2];

		assert_int_equal(
			socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
		fds[i] = pair[0];
		other[i] = pair[1];
	}
	fflush(NULL);
	for (uint32_t i = 0; i < count; i++) {
		crowd->pids[i] = fork();
		assert_true(crowd->pids[i] >= 0);
		if (crowd->pids[i] > 0)
			continue;
		for (uint32_t k = 0; k < count; k++) {
			close(fds[k]);
			if (k != i)
				close(other[k]);
		}
		be_agent(other[i], first + i, first + count);
	}
	for (uint32_t i = 0; i < count; i++)
		close(other[i]);
	r = rt_tcp_serve_fds(&serve, fds, &crowd->root, &err);
	print_message("# serve: %s\n", err.msg);
	assert_int_equal(r, 0);
	assert_int_equal(rt_tcp_meet(crowd->root, rt_monotonic_ns() + 5000000000, &err),
			 0);
}

/* All must end by themselves; exit codes in codes. */
static void dismiss(struct crowd *crowd, int codes[AGENTS_MAX])
{
	crowd->root->ops->close(crowd->root);
	for (uint32_t i = 0; i < crowd->count; i++) {
		int status;

		assert_int_equal(waitpid(crowd->pids[i], &status, 0), crowd->pids[i]);
		codes[crowd->first + i] = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	}
}

/* --- a root that is rank 0 as well, as under a launcher --------------------------- */

struct launched {
	struct rt_rendezvous base;
	struct rt_rendezvous *side; /* to the ranks from 1 on */
};

static struct rt_rendezvous *side_of(struct rt_rendezvous *r)
{
	return ((struct launched *)r)->side;
}

static int launched_gather(struct rt_rendezvous *r, const char *mine,
			   int64_t deadline_ns, struct rt_texts *ret_all,
			   struct rt_err *err)
{
	struct rt_texts others;
	int code = side_of(r)->ops->gather(side_of(r), NULL, deadline_ns, &others, err);

	if (code < 0)
		return code;
	ret_all->count = others.count + 1;
	ret_all->items = calloc(ret_all->count, sizeof(*ret_all->items));
	assert_non_null(ret_all->items);
	ret_all->items[0] = strdup(mine);
	memcpy(ret_all->items + 1, others.items, others.count * sizeof(*others.items));
	free(others.items);
	return 0;
}

static int launched_scatter(struct rt_rendezvous *r, const struct rt_texts *texts,
			    int64_t deadline_ns, char **ret_mine, struct rt_err *err)
{
	const struct rt_texts others = { texts->items + 1, texts->count - 1 };
	int code = side_of(r)->ops->scatter(side_of(r), &others, deadline_ns, NULL,
					    err);

	if (code == 0)
		*ret_mine = strdup(texts->items[0] ? texts->items[0] : "");
	return code;
}

static int launched_stop(struct rt_rendezvous *r, const char *why, struct rt_err *err)
{
	return side_of(r)->ops->stop(side_of(r), why, err);
}

static int launched_poll(struct rt_rendezvous *r, struct rt_rendezvous_news *ret_news,
			 struct rt_err *err)
{
	return side_of(r)->ops->poll(side_of(r), ret_news, err);
}

static void launched_clock(struct rt_rendezvous *r, int64_t *ret_offset_ns,
			   uint64_t *ret_error_ns)
{
	(void)r;
	*ret_offset_ns = 0;
	*ret_error_ns = 0;
}

static const char *launched_name(struct rt_rendezvous *r, uint32_t rank)
{
	(void)r;
	return names[rank];
}

static const struct rt_rendezvous_ops launched_ops = {
	.name = "launched",
	.gather = launched_gather,
	.scatter = launched_scatter,
	.stop = launched_stop,
	.poll = launched_poll,
	.clock = launched_clock,
	.rank_name = launched_name,
};

static const struct faults sound = { -1, 0,     -1, -1, -1, { 1000, 1000, 1000, 1000 },
				     0,  false, 0,  0,  0 };

static int run(const struct faults *faults, const struct rt_stress_wish *wish,
	       const struct rt_stress_watch *watch, struct rt_outcome *outcome,
	       int codes[AGENTS_MAX])
{
	const struct rt_stress_asked asked = { wish, NULL, watch };
	struct rt_err err = { 0 };
	struct crowd crowd;
	int r;

	current_faults = faults;
	*outcome = (struct rt_outcome){ 0 };
	gather_crowd(4, 0, &crowd);
	r = rt_run_stress(crowd.root, &asked, outcome, &err);
	print_message("# run: %d %s\n", r, err.msg);
	dismiss(&crowd, codes);
	for (size_t i = 0; r == 0 && i < outcome->findings->count; i++)
		print_message("# %s at %s: %s\n", outcome->findings->items[i].id,
			      outcome->findings->items[i].where,
			      outcome->findings->items[i].evidence);
	return r;
}

static bool found(const struct rt_outcome *outcome, const char *id)
{
	for (size_t i = 0; i < outcome->findings->count; i++)
		if (strcmp(outcome->findings->items[i].id, id) == 0)
			return true;
	return false;
}

#define WISH(time_ms, ...)                                                        \
	{                                                                         \
		.pattern = RT_WORKLOAD_INCAST, .time_ns = { (time_ms)*MS, true }, \
		.ramp_ns = { 0, true }, .lossless = { 8, true },                  \
		.message_bytes = { 10000, true }, ##__VA_ARGS__                   \
	}

static void test_a_sound_run_is_reported(void **state)
{
	const struct rt_stress_wish wish = WISH(600);
	const struct rt_stress_result *result;
	struct rt_outcome outcome;
	int codes[AGENTS_MAX];

	(void)state;
	assert_int_equal(run(&sound, &wish, NULL, &outcome, codes), 0);
	result = outcome.object;
	assert_int_equal(result->sender_count, 3);
	assert_int_equal(result->receiver_count, 1);
	assert_int_equal(result->qp_count, 3);
	assert_int_equal(result->ranks_lost, 0);
	assert_false(result->cut_short);
	assert_int_equal(result->ran_ns, 600 * MS);
	assert_string_equal(result->senders[0].name, "n1");
	assert_true(result->jain.known && result->jain_judged);
	for (size_t i = 0; i < 3; i++) {
		const struct rt_stress_qp *qp = &result->qps[i];
		uint64_t sum = 0;

		/* 1 Gb/s for 600 ms, in whole messages. */
		assert_int_equal(qp->tx_bytes.value, 75000000);
		for (size_t k = 0; k < qp->series_count; k++)
			sum += qp->series[k];
		assert_int_equal(sum, qp->tx_bytes.value);
		assert_int_equal(qp->src_qp.value, 2 * i + 1);
		assert_int_equal(qp->dest_qp.value, 2 * i);
		assert_int_equal(qp->latency.p99_ns.value, 20000);
		assert_int_equal(qp->latency.count, 7500);
		assert_int_equal(qp->state, RT_QP_DONE);
	}
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(codes[i], 0);
	rt_outcome_release(&outcome);
}

static const char checked[] =
	"workload: {name: a, senders: 3, duration: 600ms, rate_share: 20%}\n"
	"checks:\n"
	"  - {name: each as it is paced, figure: goodput, equals: 1G, within: 5%}\n"
	"  - {name: nobody stops, figure: stopped, equals: 0}\n"
	"  - {name: hosts know of no queue, figure: queue_drops, equals: 0}\n"
	"  - {name: alike, figure: jain, workload: a, at_least: 0.99}\n";

/* A file's checks are judged by what the hosts reported; what they cannot know fails. */
static void test_checks_of_a_scenario_are_judged(void **state)
{
	char path[] = "/tmp/rocetune-stress-XXXXXX";
	const int fd = mkstemp(path);
	const struct rt_stress_wish wish = WISH(600, .scenario = path);
	const struct rt_stress_result *result;
	struct rt_outcome outcome;
	int codes[AGENTS_MAX];

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, checked, strlen(checked)), strlen(checked));
	close(fd);
	assert_int_equal(run(&sound, &wish, NULL, &outcome, codes), 0);
	unlink(path);
	result = outcome.object;
	assert_int_equal(result->checks.count, 4);
	/* Of the 10 Gb/s that each host told, what 1106 bytes leave of 1024. */
	for (size_t i = 0; i < result->qp_count; i++)
		assert_int_equal(result->qps[i].rate_cap_bps.value,
				 UINT64_C(2000000000) * 1024 / 1106);
	for (size_t i = 0; i < 4; i++)
		print_message("# %s: %s %s\n", result->checks.items[i].name,
			      result->checks.items[i].value,
			      result->checks.items[i].evidence);
	assert_string_equal(result->checks.passed, "3 of 4");
	assert_int_equal(result->checks.items[0].rows, 3);
	assert_int_equal(result->checks.items[2].verdict, RT_CRITERION_NOTHING);
	assert_true(found(&outcome, "scenario-check"));
	rt_outcome_release(&outcome);
}

/* Of the sender's link, also where the other end drives, whose link is another. */
static void test_readers_heed_the_senders_links(void **state)
{
	static const char text[] =
		"workload: {name: a, senders: 3, duration: 600ms, rate_share: 5%}\n";
	char path[] = "/tmp/rocetune-stress-XXXXXX";
	const int fd = mkstemp(path);
	const struct rt_stress_wish wish = WISH(600, .scenario = path,
						.op = RT_KNOWN_U64(RT_TRAFFIC_READ));
	const uint64_t cap_bps = UINT64_C(500000000) * 1024 / 1106;
	const struct rt_stress_result *result;
	struct faults faults = sound;
	struct rt_outcome outcome;
	int codes[AGENTS_MAX];

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	faults.receives_bps = UINT64_C(40000000000);
	assert_int_equal(run(&faults, &wish, NULL, &outcome, codes), 0);
	unlink(path);
	result = outcome.object;
	assert_int_equal(result->qp_count, 3);
	for (size_t i = 0; i < result->qp_count; i++) {
		assert_int_equal(result->qps[i].rate_cap_bps.value, cap_bps);
		assert_int_equal(result->qps[i].tx_bytes.value,
				 cap_bps * 600 / 8000 / 10000 * 10000);
	}
	rt_outcome_release(&outcome);
}

static void test_a_stopped_sender_is_named_and_others_go_on(void **state)
{
	const struct rt_stress_wish wish = WISH(600, .no_abort = true);
	struct faults faults = sound;
	const struct rt_stress_result *result;
	struct rt_outcome outcome;
	int codes[AGENTS_MAX];

	(void)state;
	faults.stops = 1;
	faults.stops_ms = 250;
	assert_int_equal(run(&faults, &wish, NULL, &outcome, codes), 0);
	result = outcome.object;
	assert_string_equal(result->senders[1].state, "stopped (RETRY_EXC) at 0.25 s");
	assert_int_equal(result->senders[0].bytes.value, 75000000);
	assert_int_equal(result->senders[1].bytes.value, 31250000);
	assert_true(found(&outcome, "stress-sender-stopped"));
	assert_false(result->cut_short);
	rt_outcome_release(&outcome);
}

/* Beyond what is waited for anyhow: senders go on, and receivers answer until they end. */
static void assert_last_frames_came(const struct rt_stress_result *result)
{
	for (size_t i = 0; i < result->qp_count; i++) {
		assert_int_equal(result->qps[i].state, RT_QP_DONE);
		assert_int_equal(result->qps[i].data_frames_rx.value, 7);
		assert_int_equal(result->qps[i].frame_delta.value, 0);
		/* They count, and are no part of what the time brought. */
		assert_int_equal(result->qps[i].tx_late_bytes.value,
				 result->qps[i].tx_bytes.value /
					 result->qps[i].message_tx.value);
		assert_int_equal(result->qps[i].rx_late_bytes.value,
				 result->qps[i].tx_late_bytes.value);
	}
	assert_int_equal(result->receivers[0].late_bytes.value,
			 result->qps[0].rx_late_bytes.value * result->qp_count);
	assert_int_equal(result->ran_ns, 600 * MS);
}

static void test_the_last_frames_are_waited_for(void **state)
{
	const struct rt_stress_wish wish = WISH(600, .no_abort = true);
	struct faults faults = sound;
	struct rt_outcome outcome;
	int codes[AGENTS_MAX];

	(void)state;
	faults.lingers_ms = 900;
	assert_int_equal(run(&faults, &wish, NULL, &outcome, codes), 0);
	assert_last_frames_came(outcome.object);
	rt_outcome_release(&outcome);
}

/* Also where the receiver is the root, who waits for the others' ends. */
static void test_a_root_that_is_a_rank_answers_until_they_end(void **state)
{
	const struct rt_stress_wish wish = WISH(600, .no_abort = true);
	const struct rt_stress_asked asked = { &wish, &options, NULL };
	struct launched launched = { { .ops = &launched_ops, .size = 4, .root = true },
				     NULL };
	struct faults faults = sound;
	struct rt_outcome outcome = { 0 };
	struct rt_err err = { 0 };
	int codes[AGENTS_MAX];
	struct crowd crowd;
	int r;

	(void)state;
	faults.lingers_ms = 900;
	current_faults = &faults;
	gather_crowd(3, 1, &crowd);
	launched.side = crowd.root;
	launched.base.fd = crowd.root->fd;
	r = rt_run_stress(&launched.base, &asked, &outcome, &err);
	print_message("# run: %d %s\n", r, err.msg);
	dismiss(&crowd, codes);
	assert_int_equal(r, 0);
	for (uint32_t i = 1; i < 4; i++)
		assert_int_equal(codes[i], 0);
	assert_last_frames_came(outcome.object);
	rt_outcome_release(&outcome);
}

/* What engines say of themselves, and what transports did when, reaches the root. */
static void test_health_and_causes_are_reported(void **state)
{
	const struct rt_stress_wish wish = WISH(600, .no_abort = true);
	struct faults faults = sound;
	const struct rt_stress_result *result;
	struct rt_outcome outcome;
	int codes[AGENTS_MAX];

	(void)state;
	faults.lingers_ms = 1;
	faults.drops = 3;
	assert_int_equal(run(&faults, &wish, NULL, &outcome, codes), 0);
	result = outcome.object;
	assert_int_equal(result->hosts[0].ring_drops.value, 3);
	assert_int_equal(result->hosts[1].ring_drops.value, 0);
	assert_int_equal(result->ring_drops.value, 3);
	assert_int_equal(result->hosts[0].engine_late_ns.value, 2000000);
	assert_true(result->hosts[0].away_count >= 6);
	assert_true(found(&outcome, "stress-host-too-slow"));
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(result->senders[i].cause_count, 1);
		assert_int_equal(result->senders[i].causes[0].interval, 0);
		assert_int_equal(result->senders[i].causes[0].losses, 9);
	}
	rt_outcome_release(&outcome);
}

static void test_loss_on_a_lossless_priority_stops_all(void **state)
{
	const struct rt_stress_wish wish = WISH(20000);
	struct faults faults = sound;
	const struct rt_stress_result *result;
	struct rt_outcome outcome;
	int codes[AGENTS_MAX];

	(void)state;
	faults.loses = 2;
	assert_int_equal(run(&faults, &wish, NULL, &outcome, codes), 0);
	result = outcome.object;
	assert_true(result->cut_short);
	assert_non_null(strstr(result->cut_why, "loss on lossless priority 3"));
	/* Who saw it says so, and is not the one who was told. */
	assert_true(strstr(result->cut_why, "n0: ") || strstr(result->cut_why, "n3: "));
	assert_true(result->ran_ns < 10000 * MS);
	assert_true(found(&outcome, "stress-lossless-loss"));
	assert_true(found(&outcome, "stress-cut-short"));
	rt_outcome_release(&outcome);
}

static void test_a_dead_agent_is_named(void **state)
{
	const struct rt_stress_wish wish = WISH(600);
	struct faults faults = sound;
	const struct rt_stress_result *result;
	struct rt_outcome outcome;
	int codes[AGENTS_MAX];

	(void)state;
	faults.dies = 0;
	assert_int_equal(run(&faults, &wish, NULL, &outcome, codes), 0);
	result = outcome.object;
	assert_int_equal(codes[1], 7);
	assert_int_equal(codes[2], 0);
	assert_int_equal(result->ranks_lost, 1);
	assert_true(result->hosts[1].lost);
	assert_false(result->hosts[2].lost);
	assert_true(found(&outcome, "stress-rank-lost"));
	assert_false(found(&outcome, "stress-unfair"));
	assert_int_equal(result->qps[1].tx_bytes.value, 75000000);
	rt_outcome_release(&outcome);
}

static void test_an_agent_that_cannot_calls_it_off(void **state)
{
	const struct rt_stress_wish wish = WISH(600);
	struct faults faults = sound;
	struct rt_outcome outcome;
	int codes[AGENTS_MAX];

	(void)state;
	faults.refuses = 2;
	assert_int_equal(run(&faults, &wish, NULL, &outcome, codes), -ENODEV);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(codes[i], 4);
}

static void test_ports_of_others_are_left_alone(void **state)
{
	const struct rt_stress_wish careful = WISH(600);
	const struct rt_stress_wish bold = WISH(600, .disrupt = true);
	const struct rt_stress_result *result;
	struct faults faults = sound;
	struct rt_outcome outcome;
	int codes[AGENTS_MAX];

	(void)state;
	faults.connected = 2;
	assert_int_equal(run(&faults, &careful, NULL, &outcome, codes), -EBUSY);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(codes[i], 4);
	assert_int_equal(run(&faults, &bold, NULL, &outcome, codes), 0);
	result = outcome.object;
	assert_int_equal(result->hosts[2].connected.value, 2);
	assert_int_equal(result->qps[0].tx_bytes.value, 75000000);
	rt_outcome_release(&outcome);
}

/* What no queue pair tells, the port's counters do. */
static void test_discards_of_a_lossless_priority_stop_all(void **state)
{
	const struct rt_stress_wish wish = WISH(20000);
	const struct rt_stress_result *result;
	struct faults faults = sound;
	struct rt_outcome outcome;
	int codes[AGENTS_MAX];

	(void)state;
	faults.discards = true;
	assert_int_equal(run(&faults, &wish, NULL, &outcome, codes), 0);
	result = outcome.object;
	assert_true(result->cut_short);
	assert_string_equal(result->cut_why, "n0: the NIC discarded 9 frames of "
					     "lossless priority 3");
	assert_int_equal(result->counter_count, 1);
	assert_string_equal(result->counters[0].host, "n0");
	assert_int_equal(result->counters[0].before.value, 100);
	assert_int_equal(result->counters[0].difference.value, 9);
	assert_true(found(&outcome, "stress-lossless-discards"));
	/* Those of the senders, and the pauses, stood still. */
	assert_true(result->other_counter_count >= 7);
	rt_outcome_release(&outcome);
}

static void test_a_wish_that_cannot_be_calls_it_off(void **state)
{
	const struct rt_stress_wish wish = WISH(600, .senders = RT_KNOWN_U64(4));
	struct rt_outcome outcome;
	int codes[AGENTS_MAX];

	(void)state;
	assert_int_equal(run(&sound, &wish, NULL, &outcome, codes), -EDOM);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(codes[i], 4);
}

static volatile sig_atomic_t enough;

static void cancel(void *user, uint64_t elapsed_ns, uint64_t total_ns, uint32_t lost)
{
	(void)user;
	(void)total_ns;
	(void)lost;
	if (elapsed_ns > 250 * MS)
		enough = 1;
}

static void test_an_interrupted_run_reports_what_there_is(void **state)
{
	const struct rt_stress_wish wish = WISH(20000);
	const struct rt_stress_watch watch = { .progress = cancel,
					       .cancelled = &enough };
	const struct rt_stress_result *result;
	struct rt_outcome outcome;
	int codes[AGENTS_MAX];

	(void)state;
	enough = 0;
	assert_int_equal(run(&sound, &wish, &watch, &outcome, codes), 0);
	result = outcome.object;
	assert_true(result->cut_short);
	assert_string_equal(result->cut_why, "interrupted");
	assert_true(result->ran_ns < 10000 * MS);
	assert_true(result->senders[2].bytes.value > 0);
	rt_outcome_release(&outcome);
}

static void test_bytes_end_a_run_before_its_time(void **state)
{
	const struct rt_stress_wish wish = WISH(20000, .bytes = RT_KNOWN_U64(20000000));
	const struct rt_stress_result *result;
	struct rt_outcome outcome;
	int codes[AGENTS_MAX];

	(void)state;
	assert_int_equal(run(&sound, &wish, NULL, &outcome, codes), 0);
	result = outcome.object;
	assert_true(result->ran_ns < 10000 * MS);
	assert_int_equal(result->qps[2].tx_bytes.value, 20000000);
	assert_false(result->cut_short);
	rt_outcome_release(&outcome);
}

RT_UNIT_MAIN(cmocka_unit_test(test_a_sound_run_is_reported),
	     cmocka_unit_test(test_checks_of_a_scenario_are_judged),
	     cmocka_unit_test(test_readers_heed_the_senders_links),
	     cmocka_unit_test(test_a_stopped_sender_is_named_and_others_go_on),
	     cmocka_unit_test(test_the_last_frames_are_waited_for),
	     cmocka_unit_test(test_a_root_that_is_a_rank_answers_until_they_end),
	     cmocka_unit_test(test_health_and_causes_are_reported),
	     cmocka_unit_test(test_loss_on_a_lossless_priority_stops_all),
	     cmocka_unit_test(test_a_dead_agent_is_named),
	     cmocka_unit_test(test_an_agent_that_cannot_calls_it_off),
	     cmocka_unit_test(test_ports_of_others_are_left_alone),
	     cmocka_unit_test(test_discards_of_a_lossless_priority_stop_all),
	     cmocka_unit_test(test_a_wish_that_cannot_be_calls_it_off),
	     cmocka_unit_test(test_an_interrupted_run_reports_what_there_is),
	     cmocka_unit_test(test_bytes_end_a_run_before_its_time))
