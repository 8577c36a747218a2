/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames of an interface beside another source's samples, in windows. */
#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/own.h"
#include "netns.h"
#include "pktio/ring.h"
#include "rocetune/err.h"
#include "rocetune/frame.h"
#include "run/watch_flows.h"
#include "watch/sample.h"
#include "watch/source.h"
#include "wire/build.h"

static int set_up(void **state)
{
	(void)state;
	have_veth = veth_unshare() == 0 && veth_make("rta", "rtb", -1) == 0 &&
		    veth_up("rta", 0) == 0 && veth_up("rtb", 0) == 0;
	return 0;
}

/* Another source: it counts how it is used. */
struct plain {
	struct rt_watch_source source; /* first */
	unsigned samples, *closed;
	int result;
};

static int plain_sample(struct rt_watch_source *source, struct rt_watch_sample *sample,
			struct rt_err *err)
{
	struct plain *plain = (struct plain *)source;

	(void)err;
	plain->samples++;
	sample->time_ns = plain->samples;
	return plain->result;
}

static void plain_close(struct rt_watch_source *source)
{
	++*((struct plain *)source)->closed;
	free(source);
}

static const struct rt_watch_source_ops plain_ops = { .name = "plain",
						      .sample = plain_sample,
						      .close = plain_close };

static struct plain *open_plain(unsigned *closed)
{
	struct plain *plain = calloc(1, sizeof(*plain));

	assert_non_null(plain);
	plain->source.ops = &plain_ops;
	strcpy(plain->source.title, "a source");
	plain->closed = closed;
	return plain;
}

static void send_data(struct rt_ring *ring, uint32_t qp, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		const struct rt_build packet = {
			.eth_dst = { 2, 0, 0, 0, 0, 2 },
			.src = { .version = 4, .bytes = { 10, 0, 0, 1 } },
			.dst = { .version = 4, .bytes = { 10, 0, 0, 2 } },
			.ttl = 64,
			.ecn = RT_ECN_CE,
			.bth = { .opcode = RT_OP_RC_WRITE_MIDDLE,
				 .dest_qp = qp,
				 .psn = i,
				 .payload_bytes = 256 },
		};
		uint8_t frame[512];
		const struct iovec one = { frame, rt_build_roce(&packet, frame,
								sizeof(frame)) };

		assert_int_equal(rt_ring_send(ring, &one, 1, NULL), 1);
	}
}

/* Windows until so many frames were seen, in 20 s at most; bytes of all of them. */
static uint64_t see(struct rt_watch_source *source, struct rt_watch_sample *sample,
		    uint64_t frames, uint32_t qp)
{
	const int64_t until_ns = rt_monotonic_ns() + INT64_C(20000000000);
	uint64_t seen = 0, bytes = 0;

	while (seen < frames && rt_monotonic_ns() < until_ns) {
		usleep(20000);
		assert_int_equal(source->ops->sample(source, sample, NULL), 0);
		assert_true(sample->flows.known);
		assert_true(sample->flows.window_ns > 0);
		assert_int_equal(sample->flows.dropped, 0);
		seen += sample->flows.frames;
		for (size_t i = 0; i < sample->flows.count; i++) {
			assert_int_equal(sample->flows.items[i].qp, qp);
			bytes += sample->flows.items[i].bytes;
			assert_int_equal(sample->flows.items[i].ce,
					 sample->flows.items[i].frames);
		}
	}
	assert_int_equal(seen, frames);
	return bytes;
}

static void test_windows_hold_what_came_since(void **state)
{
	static const char *const netdevs[] = { "rtb", NULL };
	const struct rt_ring_config config = { .netdev = "rta",
					       .filter = RT_RING_NONE };
	struct rt_watch_source *source = NULL;
	struct rt_watch_sample sample = { 0 };
	struct rt_ring *ring = NULL;
	struct rt_err err = { 0 };
	struct plain *plain;
	unsigned closed = 0;

	(void)state;
	NEED_VETH();
	plain = open_plain(&closed);
	assert_int_equal(rt_ring_open(&config, &ring, NULL), 0);
	assert_int_equal(
		rt_watch_flows_open(&plain->source, netdevs, NULL, &source, &err), 0);
	assert_string_equal(source->title, "a source, flows of rtb");
	send_data(ring, 7, 500);
	assert_int_equal(see(source, &sample, 500, 7), 500 * 256);
	assert_string_equal(sample.flows.where, "rtb");
	/* What was in a window is in no other. */
	send_data(ring, 8, 300);
	assert_int_equal(see(source, &sample, 300, 8), 300 * 256);
	assert_int_equal(sample.time_ns, plain->samples);
	/* What the other source says goes on; the frames wait for the next time. */
	plain->result = -EAGAIN;
	send_data(ring, 9, 200);
	for (unsigned i = 0; i < 5; i++) {
		usleep(20000);
		assert_int_equal(source->ops->sample(source, &sample, &err), -EAGAIN);
	}
	plain->result = 0;
	assert_int_equal(see(source, &sample, 200, 9), 200 * 256);
	assert_int_equal(source->ops->sample(source, &sample, &err), 0);
	assert_int_equal(sample.flows.count, 0);
	rt_watch_sample_free(&sample);
	source->ops->close(source);
	assert_int_equal(closed, 1);
	rt_ring_close(ring);
}

/* The other thread of this process; 0: there is none. */
static pid_t other_thread(void)
{
	DIR *tasks = opendir("/proc/self/task");
	const struct dirent *entry;
	pid_t found = 0;

	assert_non_null(tasks);
	while ((entry = readdir(tasks)))
		if (atoi(entry->d_name) > 0 && atoi(entry->d_name) != getpid())
			found = atoi(entry->d_name);
	closedir(tasks);
	return found;
}

/* It runs where we do, and only when we do not. */
static void hold_up(pid_t thread)
{
	const struct sched_param none = { 0 };
	cpu_set_t here;

	CPU_ZERO(&here);
	CPU_SET(sched_getcpu(), &here);
	assert_int_equal(sched_setaffinity(0, sizeof(here), &here), 0);
	assert_int_equal(sched_setaffinity(thread, sizeof(here), &here), 0);
	assert_int_equal(sched_setscheduler(thread, SCHED_IDLE, &none), 0);
}

#define FLOOD 60000u

/* More at once than a ring has room for: what was lost is told, each frame once. */
static void test_frames_that_the_capture_lost_are_counted(void **state)
{
	static const char *const netdevs[] = { "rtb", NULL };
	const struct rt_ring_config config = { .netdev = "rta",
					       .filter = RT_RING_NONE };
	const int64_t until_ns = rt_monotonic_ns() + INT64_C(20000000000);
	struct rt_watch_source *source = NULL;
	struct rt_watch_sample sample = { 0 };
	struct rt_ring *ring = NULL;
	uint64_t seen = 0, lost = 0;
	cpu_set_t before;
	unsigned closed = 0;

	(void)state;
	NEED_VETH();
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	assert_int_equal(rt_ring_open(&config, &ring, NULL), 0);
	assert_int_equal(rt_watch_flows_open(&open_plain(&closed)->source, netdevs,
					     NULL, &source, NULL),
			 0);
	hold_up(other_thread());
	send_data(ring, 7, FLOOD);
	while (seen + lost < FLOOD && rt_monotonic_ns() < until_ns) {
		usleep(20000);
		assert_int_equal(source->ops->sample(source, &sample, NULL), 0);
		seen += sample.flows.frames;
		lost += sample.flows.dropped;
	}
	print_message("# %llu seen, %llu lost\n", (unsigned long long)seen,
		      (unsigned long long)lost);
	assert_int_equal(seen + lost, FLOOD);
	assert_true(lost > 0);
	/* Those of a window are of no other. */
	assert_int_equal(source->ops->sample(source, &sample, NULL), 0);
	assert_int_equal(sample.flows.dropped, 0);
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
	rt_watch_sample_free(&sample);
	source->ops->close(source);
	rt_ring_close(ring);
}

/* Samples until flows are known, or are not, in 20 s at most. */
static void await(struct rt_watch_source *source, struct rt_watch_sample *sample,
		  bool known)
{
	const int64_t until_ns = rt_monotonic_ns() + INT64_C(20000000000);

	do {
		usleep(20000);
		assert_int_equal(source->ops->sample(source, sample, NULL), 0);
	} while (sample->flows.known != known && rt_monotonic_ns() < until_ns);
	assert_int_equal(sample->flows.known, known);
}

static void test_a_capture_that_died_says_so_and_returns(void **state)
{
	static const char *const netdevs[] = { "rtd", NULL };
	const struct rt_ring_config config = { .netdev = "rtc",
					       .filter = RT_RING_NONE };
	struct rt_watch_source *source = NULL;
	struct rt_watch_sample sample = { 0 };
	struct rt_ring *ring = NULL;
	unsigned closed = 0;

	(void)state;
	NEED_VETH();
	assert_int_equal(veth_make("rtc", "rtd", -1), 0);
	assert_int_equal(veth_up("rtc", 0) | veth_up("rtd", 0), 0);
	assert_int_equal(rt_watch_flows_open(&open_plain(&closed)->source, netdevs,
					     NULL, &source, NULL),
			 0);
	assert_int_equal(rt_ring_open(&config, &ring, NULL), 0);
	send_data(ring, 7, 100);
	see(source, &sample, 100, 7);
	rt_ring_close(ring);

	assert_int_equal(veth_set("rtc", RTM_DELLINK, false, 0), 0);
	await(source, &sample, false);
	assert_non_null(strstr(sample.flows.where, "rtd: "));
	assert_int_equal(sample.flows.count, 0);
	assert_int_equal(sample.flows.fan_count, 0);
	/* As long as it is gone. */
	assert_int_equal(source->ops->sample(source, &sample, NULL), 0);
	assert_false(sample.flows.known);

	assert_int_equal(veth_make("rtc", "rtd", -1), 0);
	assert_int_equal(veth_up("rtc", 0) | veth_up("rtd", 0), 0);
	await(source, &sample, true);
	assert_string_equal(sample.flows.where, "rtd");
	assert_int_equal(rt_ring_open(&config, &ring, NULL), 0);
	send_data(ring, 8, 200);
	assert_int_equal(see(source, &sample, 200, 8), 200 * 256);
	rt_ring_close(ring);
	assert_int_equal(veth_set("rtc", RTM_DELLINK, false, 0), 0);
	rt_watch_sample_free(&sample);
	source->ops->close(source);
}

/* Until a packet socket is bound to that interface, 20 s at most. */
static void await_socket(const char *netdev)
{
	const int64_t until_ns = rt_monotonic_ns() + INT64_C(20000000000);
	const unsigned wanted = if_nametoindex(netdev);
	unsigned ifindex = 0;

	while (ifindex != wanted && rt_monotonic_ns() < until_ns) {
		FILE *sockets = fopen("/proc/self/net/packet", "re");
		char line[200];

		assert_non_null(sockets);
		while (ifindex != wanted && fgets(line, sizeof(line), sockets))
			if (sscanf(line, "%*s %*s %*s %*s %u", &ifindex) != 1)
				ifindex = 0;
		fclose(sockets);
		usleep(20000);
	}
	assert_int_equal(ifindex, wanted);
}

/* Gone and back within one sample's time is no silence either. */
static void test_a_short_gap_is_said_too(void **state)
{
	static const char *const netdevs[] = { "rtd", NULL };
	struct rt_watch_source *source = NULL;
	struct rt_watch_sample sample = { 0 };
	unsigned closed = 0;

	(void)state;
	NEED_VETH();
	assert_int_equal(veth_make("rtc", "rtd", -1), 0);
	assert_int_equal(veth_up("rtc", 0) | veth_up("rtd", 0), 0);
	assert_int_equal(rt_watch_flows_open(&open_plain(&closed)->source, netdevs,
					     NULL, &source, NULL),
			 0);
	assert_int_equal(veth_set("rtc", RTM_DELLINK, false, 0), 0);
	assert_int_equal(veth_make("rtc", "rtd", -1), 0);
	assert_int_equal(veth_up("rtc", 0) | veth_up("rtd", 0), 0);
	await_socket("rtd");
	assert_int_equal(source->ops->sample(source, &sample, NULL), 0);
	assert_false(sample.flows.known);
	await(source, &sample, true);
	assert_int_equal(veth_set("rtc", RTM_DELLINK, false, 0), 0);
	rt_watch_sample_free(&sample);
	source->ops->close(source);
}

static void test_what_cannot_be_captured_is_said(void **state)
{
	static const char *const nowhere[] = { "rtx", NULL }, *const none[] = { NULL };
	struct rt_watch_source *source = NULL;
	struct rt_err err = { 0 };
	unsigned closed = 0;

	(void)state;
	NEED_VETH();
	assert_int_equal(rt_watch_flows_open(&open_plain(&closed)->source, nowhere,
					     NULL, &source, &err),
			 -ENODEV);
	assert_non_null(strstr(err.msg, "rtx"));
	assert_int_equal(rt_watch_flows_open(&open_plain(&closed)->source, none, NULL,
					     &source, &err),
			 -EINVAL);
	setenv("ROCETUNE_RUN", "/nonexistent", 1);
	assert_true(rt_watch_flows_open(&open_plain(&closed)->source, nowhere, "lab",
					&source, &err) < 0);
	/* The other source was taken all the same. */
	assert_int_equal(closed, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_windows_hold_what_came_since),
		cmocka_unit_test(test_frames_that_the_capture_lost_are_counted),
		cmocka_unit_test(test_a_capture_that_died_says_so_and_returns),
		cmocka_unit_test(test_a_short_gap_is_said_too),
		cmocka_unit_test(test_what_cannot_be_captured_is_said),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
