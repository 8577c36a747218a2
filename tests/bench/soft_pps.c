/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * soft_pps.c - frames a second over a veth pair, into a soft engine in a namespace of
 * its own: by a soft engine, or by a bare loop over sendmmsg() as the floor.
 *
 *   soft_pps engine|bare PATH_MTU MS
 *
 * The bare loop sends frames of the same size in the same batches, which the receiver
 * takes, checks and finds to be nobody's.  Prints frames a second, and a second of
 * the sender's processor.  Exit code 77: no namespaces here.
 */
#include <inttypes.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

#include "../tools/veth.h"
#include "base/clock.h"
#include "model/fabric_config.h"
#include "rocetune/err.h"
#include "rocetune/frame.h"
#include "traffic/engine.h"
#include "wire/build.h"

#define BATCH       64
#define WARM_NS     200000000
#define MESSAGE     65536
#define OUTSTANDING 200 /* less under way than the receiver's ring holds */

struct bench {
	bool engine;
	uint32_t mtu_bytes;
	int64_t ms, epoch_ns;
	int peer[2];
};

/* Of this process; the softirq that receives runs in it too. */
static int64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* A second, and a second of the sender's processor. */
static void print(double frames, int64_t ns, int64_t used_ns)
{
	printf("%.0f %.0f\n", frames * 1e9 / (double)ns,
	       frames * 1e9 / (double)used_ns);
}

static int fail(const char *what, const struct rt_err *err)
{
	fprintf(stderr, "soft_pps: %s: %s\n", what, err ? err->msg : strerror(errno));
	return 1;
}

static struct rt_engine *open_end(const struct bench *bench, unsigned end)
{
	const struct rt_traffic_flow flow = { .to = 1,
					      .message_bytes = MESSAGE,
					      .outstanding = OUTSTANDING,
					      .dscp = 26,
					      .ecn = RT_ECN_ECT0,
					      .prio = 3 };
	struct rt_engine_config config = { .mtu_bytes = bench->mtu_bytes,
					   .line_rate_bps = 100000000000 };
	struct rt_qp_address address;
	struct rt_engine *engine;
	struct rt_err err = { 0 };
	unsigned index;

	strcpy(config.netdev, end ? "rtb" : "rta");
	if (rt_engine_soft.open(&config, &engine, &err) < 0 ||
	    rt_engine_soft.qp_create(engine, &flow, end == 0, &index, &address, &err) <
		    0 ||
	    write(bench->peer[end], &address, sizeof(address)) < 0 ||
	    read(bench->peer[end], &address, sizeof(address)) !=
		    (ssize_t)sizeof(address) ||
	    rt_engine_soft.qp_connect(engine, index, &address, &err) < 0) {
		fail("engine", &err);
		return NULL;
	}
	engine->ops->begin(engine, rt_monotonic_ns());
	return engine;
}

static int receive(const struct bench *bench)
{
	struct rt_engine *engine = open_end(bench, 1);

	if (!engine)
		return 1;
	return engine->ops->work(engine,
				 bench->epoch_ns + WARM_NS + bench->ms * 1000000 +
					 100000000,
				 -1, NULL) < 0;
}

static int send_engine(const struct bench *bench)
{
	struct rt_engine *engine = open_end(bench, 0);
	struct rt_qp_totals before, after;
	struct rt_err err = { 0 };
	int64_t from_ns, used_ns;

	if (!engine)
		return 1;
	if (engine->ops->work(engine, bench->epoch_ns + WARM_NS, -1, &err) < 0)
		return fail("work", &err);
	from_ns = rt_monotonic_ns();
	used_ns = cpu_ns();
	engine->ops->totals(engine, 0, &before);
	if (engine->ops->work(engine, from_ns + bench->ms * 1000000, -1, &err) < 0)
		return fail("work", &err);
	engine->ops->totals(engine, 0, &after);
	print((double)(after.bytes.value - before.bytes.value) / bench->mtu_bytes,
	      rt_monotonic_ns() - from_ns, cpu_ns() - used_ns);
	if (after.data_frames_retransmitted.value)
		fprintf(stderr, "soft_pps: %" PRIu64 " frames were sent again\n",
			after.data_frames_retransmitted.value);
	return 0;
}

static int open_bare(void)
{
	const int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0), room = 1 << 20;
	const struct sockaddr_ll to = { .sll_family = AF_PACKET,
					.sll_ifindex = (int)if_nametoindex("rta") };

	if (fd < 0 || bind(fd, (const struct sockaddr *)&to, sizeof(to)) < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room));
	return fd;
}

static int send_bare(const struct bench *bench, const uint8_t mac[6])
{
	struct rt_build packet = {
		.src = { .version = 4, .bytes = { 10, 0, 0, 1 } },
		.dst = { .version = 4, .bytes = { 10, 0, 0, 2 } },
		.ttl = 64,
		.bth = { .opcode = RT_OP_RC_WRITE_MIDDLE,
			 .dest_qp = 2,
			 .payload_bytes = bench->mtu_bytes },
	};
	static uint8_t frame[8192];
	struct iovec iov = { .iov_base = frame };
	struct mmsghdr batch[BATCH];
	const int fd = open_bare();
	uint64_t sent = 0;
	int64_t from_ns = 0, used_ns = 0, at_ns;

	if (fd < 0)
		return fail("socket", NULL);
	memcpy(packet.eth_dst, mac, sizeof(packet.eth_dst));
	iov.iov_len = rt_build_roce(&packet, frame, sizeof(frame));
	for (unsigned i = 0; i < BATCH; i++)
		batch[i] = (struct mmsghdr){ .msg_hdr = { .msg_iov = &iov,
							  .msg_iovlen = 1 } };
	do {
		const int n = sendmmsg(fd, batch, BATCH, 0);

		at_ns = rt_monotonic_ns();
		if (from_ns)
			sent += n > 0 ? (unsigned)n : 0;
		else if (at_ns >= bench->epoch_ns + WARM_NS) {
			from_ns = at_ns;
			used_ns = cpu_ns();
		}
	} while (!from_ns || at_ns < from_ns + bench->ms * 1000000);
	print((double)sent, at_ns - from_ns, cpu_ns() - used_ns);
	return 0;
}

/* A veth pair from here to the receiver, there; 0 or what the kernel answered. */
static int set_up(const struct bench *bench, int here, int there)
{
	const uint32_t link_mtu = bench->mtu_bytes + 128;
	int r = veth_make("rta", "rtb", there);

	if (r == 0 && setns(there, CLONE_NEWNET) < 0)
		r = -errno;
	if (r == 0)
		r = veth_up("rtb", link_mtu);
	if (r == 0)
		r = veth_address("rtb", "10.0.0.2", 24);
	if (r == 0 && setns(here, CLONE_NEWNET) < 0)
		r = -errno;
	if (r == 0)
		r = veth_up("rta", link_mtu);
	return r == 0 ? veth_address("rta", "10.0.0.1", 24) : r;
}

/* Instead of the other end of the receiver's queue pair: its MAC address. */
static int stand_in(const struct bench *bench)
{
	struct rt_qp_address address;
	uint8_t mac[6];

	if (read(bench->peer[0], &address, sizeof(address)) != (ssize_t)sizeof(address))
		return fail("receiver", NULL);
	memcpy(mac, address.mac, sizeof(mac));
	address.ip = (struct rt_ip){ .version = 4, .bytes = { 10, 0, 0, 1 } };
	if (write(bench->peer[0], &address, sizeof(address)) < 0)
		return fail("receiver", NULL);
	return send_bare(bench, mac);
}

int main(int argc, char **argv)
{
	struct bench bench = { .mtu_bytes = argc > 2 ? (uint32_t)atoi(argv[2]) : 1024,
			       .ms = argc > 3 ? atoi(argv[3]) : 1000 };
	int here, there, status = 0, r;

	bench.engine = argc < 2 || strcmp(argv[1], "engine") == 0;
	here = veth_unshare() == 0 ? open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC)
				   : -1;
	there = here < 0 ? -1 : veth_namespace();
	if (there < 0)
		return 77;
	r = set_up(&bench, here, there);
	if (r == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, bench.peer) < 0)
		r = -errno;
	if (r < 0) {
		errno = -r;
		return fail("veth pair", NULL);
	}
	bench.epoch_ns = rt_monotonic_ns();
	if (fork() == 0) {
		if (setns(there, CLONE_NEWNET) < 0)
			return fail("setns", NULL);
		return receive(&bench);
	}
	r = bench.engine ? send_engine(&bench) : stand_in(&bench);
	wait(&status);
	return r || status ? 1 : 0;
}
