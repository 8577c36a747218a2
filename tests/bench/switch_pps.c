/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * switch_pps.c - frames a second from one veth pair to another: through the soft switch,
 * or through a bare loop that gives what a TPACKET_V3 ring holds to sendmmsg(), as the
 * floor.
 *
 *   switch_pps switch|bare FRAME_BYTES MS
 *
 * A second process sends more than either can take.  What arrives is counted by the
 * interface behind it.  Prints frames a second, and a second of the forwarder's
 * processor.  Exit code 77: no namespaces here.
 */
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "../tools/veth.h"
#include "lab/switch.h"
#include "rocetune/err.h"
#include "rocetune/frame.h"
#include "wire/build.h"

#define BATCH       64u
#define WARM_NS     INT64_C(100000000)
#define BLOCK_BYTES (1u << 16)
#define BLOCKS      64u
#define LINK_BPS    UINT64_C(100000000000)
#define DSCP        26

static int64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int fail(const char *what, const struct rt_err *err)
{
	fprintf(stderr, "switch_pps: %s: %s\n", what, err ? err->msg : strerror(errno));
	return 1;
}

/* Frames that an interface of this namespace has received; -1: no such interface. */
static int64_t received(const char *netdev)
{
	char line[512], name[32];
	FILE *file = fopen("/proc/self/net/dev", "re");
	long long bytes, frames;
	int64_t found = -1;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, " %31[^:]: %lld %lld", name, &bytes, &frames) == 3 &&
		    strcmp(name, netdev) == 0)
			found = frames;
	if (file)
		fclose(file);
	return found;
}

static int raw_socket(const char *netdev, int protocol)
{
	const struct sockaddr_ll at = { .sll_family = AF_PACKET,
					.sll_protocol = htons((uint16_t)protocol),
					.sll_ifindex = (int)if_nametoindex(netdev) };
	const int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (const struct sockaddr *)&at, sizeof(at)) < 0)
		return -1;
	return fd;
}

/* --- who sends ------------------------------------------------------------ */

static int send_for_ever(const char *netdev, uint32_t frame_bytes)
{
	struct rt_build packet = {
		.eth_src = { 2, 0, 0, 0, 0, 1 },
		.eth_dst = { 2, 0, 0, 0, 0, 2 },
		.src = { .version = 4, .bytes = { 10, 0, 0, 1 } },
		.dst = { .version = 4, .bytes = { 10, 0, 0, 2 } },
		.dscp = DSCP,
		.ecn = RT_ECN_ECT0,
		.ttl = 64,
		.udp_sport = 50000,
		.bth = { .opcode = RT_OP_RC_WRITE_MIDDLE },
	};
	static uint8_t frame[16384];
	struct mmsghdr batch[BATCH] = { 0 };
	struct iovec data = { .iov_base = frame };
	const int fd = raw_socket(netdev, 0);

	packet.bth.payload_bytes = frame_bytes - (uint32_t)rt_build_roce_bytes(&packet);
	data.iov_len = rt_build_roce(&packet, frame, sizeof(frame));
	for (unsigned i = 0; i < BATCH; i++)
		batch[i].msg_hdr = (struct msghdr){ .msg_iov = &data, .msg_iovlen = 1 };
	while (fd >= 0)
		if (sendmmsg(fd, batch, BATCH, 0) < 0 && errno != ENOBUFS)
			break;
	return fail("send", NULL);
}

/* So that the switch knows who is behind b1, and need not flood. */
static int speak(const char *netdev)
{
	static const uint8_t frame[60] = { 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2 };
	const int fd = raw_socket(netdev, 0);

	if (fd < 0 || send(fd, frame, sizeof(frame), 0) != (ssize_t)sizeof(frame))
		return -1;
	return close(fd);
}

/* --- the floor ------------------------------------------------------------ */

static uint8_t *bare_ring(int fd)
{
	const struct tpacket_req3 request = { .tp_block_size = BLOCK_BYTES,
					      .tp_block_nr = BLOCKS,
					      .tp_frame_size = 2048,
					      .tp_frame_nr = BLOCKS * BLOCK_BYTES /
							     2048,
					      .tp_retire_blk_tov = 1 };
	const int version = TPACKET_V3, one = 1;
	void *map;

	if (setsockopt(fd, SOL_PACKET, PACKET_VERSION, &version, sizeof(version)) < 0 ||
	    setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof(one)) < 0 ||
	    setsockopt(fd, SOL_PACKET, PACKET_RX_RING, &request, sizeof(request)) < 0)
		return NULL;
	map = mmap(NULL, (size_t)BLOCKS * BLOCK_BYTES, PROT_READ | PROT_WRITE,
		   MAP_SHARED | MAP_POPULATE, fd, 0);
	return map == MAP_FAILED ? NULL : map;
}

static void bare_send(int fd, struct mmsghdr *batch, unsigned count)
{
	for (unsigned done = 0; done < count;) {
		const int r = sendmmsg(fd, batch + done, count - done, 0);

		if (r <= 0 && errno != ENOBUFS)
			return;
		done += r > 0 ? (unsigned)r : 0;
	}
}

/* All frames of a block, where they lie. */
static void bare_block(struct tpacket_block_desc *block, int out)
{
	struct mmsghdr batch[BATCH] = { 0 };
	struct iovec data[BATCH];
	uint8_t *at = (uint8_t *)block + block->hdr.bh1.offset_to_first_pkt;
	unsigned count = 0;

	for (uint32_t i = 0; i < block->hdr.bh1.num_pkts; i++) {
		struct tpacket3_hdr *head = (void *)at;

		data[count] = (struct iovec){ .iov_base = at + head->tp_mac,
					      .iov_len = head->tp_snaplen };
		batch[count].msg_hdr = (struct msghdr){ .msg_iov = &data[count],
							.msg_iovlen = 1 };
		at += head->tp_next_offset;
		if (++count == BATCH || i + 1 == block->hdr.bh1.num_pkts) {
			bare_send(out, batch, count);
			count = 0;
		}
	}
}

/* Where it left off is kept in *block between calls. */
static int bare_work(uint8_t *map, int in, int out, unsigned *block, int64_t until_ns)
{
	while (clock_ns(CLOCK_MONOTONIC) < until_ns) {
		struct tpacket_block_desc *at = (void *)(map +
							 (size_t)*block * BLOCK_BYTES);
		struct pollfd fd = { .fd = in, .events = POLLIN };

		if (!(__atomic_load_n(&at->hdr.bh1.block_status, __ATOMIC_ACQUIRE) &
		      TP_STATUS_USER)) {
			poll(&fd, 1, 10);
			continue;
		}
		bare_block(at, out);
		__atomic_store_n(&at->hdr.bh1.block_status, TP_STATUS_KERNEL,
				 __ATOMIC_RELEASE);
		*block = (*block + 1) % BLOCKS;
	}
	return 0;
}

/* --- measure -------------------------------------------------------------- */

struct forwarder {
	struct rt_lab_switch *sw; /* NULL: bare */
	uint8_t *map;
	int in, out;
	unsigned block;
};

static int work(struct forwarder *f, int64_t until_ns)
{
	struct rt_err err = { 0 };

	if (!f->sw)
		return bare_work(f->map, f->in, f->out, &f->block, until_ns);
	if (rt_lab_switch_work(f->sw, until_ns, -1, &err) < 0)
		return fail("switch", &err);
	return 0;
}

static int measure(struct forwarder *f, int64_t ns)
{
	int64_t from_ns, frames, used_ns;

	if (work(f, clock_ns(CLOCK_MONOTONIC) + WARM_NS))
		return 1;
	from_ns = clock_ns(CLOCK_MONOTONIC);
	used_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	frames = received("b0");
	if (work(f, from_ns + ns))
		return 1;
	frames = received("b0") - frames;
	used_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - used_ns;
	printf("%.0f %.0f\n",
	       (double)frames * 1e9 / (double)(clock_ns(CLOCK_MONOTONIC) - from_ns),
	       (double)frames * 1e9 / (double)used_ns);
	return 0;
}

static int through_switch(int64_t ns)
{
	static const char *const netdevs[4] = { NULL, NULL, "a1", "b1" };
	struct rt_scenario scenario;
	struct rt_fabric_config laws;
	struct rt_topology topology;
	struct rt_err err = { 0 };
	struct forwarder f = { 0 };
	struct rt_lab_switch_config config = { .topology = &topology,
					       .laws = &laws,
					       .netdevs = netdevs };
	int r;

	rt_scenario_init(&scenario);
	scenario.topology.hosts = 2;
	scenario.topology.speed_bps = scenario.topology.fabric_speed_bps = LINK_BPS;
	rt_fabric_config_init(&laws, &scenario);
	config.prio_of_dscp[DSCP] = laws.data_prio;
	if (rt_topology_build(&scenario.topology, &topology, &err) < 0 ||
	    rt_lab_switch_open(&config, &f.sw, &err) < 0)
		return fail("switch", &err);
	if (speak("b0") < 0)
		return fail("b0", NULL);
	r = measure(&f, ns);
	rt_lab_switch_close(f.sw);
	rt_topology_free(&topology);
	return r;
}

static int through_bare_loop(int64_t ns)
{
	struct forwarder f = { .in = raw_socket("a1", ETH_P_ALL),
			       .out = raw_socket("b1", 0) };

	f.map = f.in < 0 || f.out < 0 ? NULL : bare_ring(f.in);
	return f.map ? measure(&f, ns) : fail("bare", NULL);
}

/*
 * The switch goes before the other processes of a machine: so do the bare loop and who
 * sends, or the comparison would be with whatever else runs.
 */
static void go_first(void)
{
	const struct sched_param first = { .sched_priority = 1 };

	(void)sched_setscheduler(0, SCHED_RR, &first);
	(void)prctl(PR_SET_TIMERSLACK, 1);
}

int main(int argc, char **argv)
{
	static const char *const netdevs[] = { "a0", "a1", "b0", "b1" };
	pid_t sender;
	int64_t ns;
	int r;

	if (argc != 4)
		return 2;
	ns = atoll(argv[3]) * 1000000;
	if (veth_unshare() < 0)
		return 77;
	r = veth_make("a0", "a1", -1);
	if (r == 0)
		r = veth_make("b0", "b1", -1);
	if (r < 0) {
		errno = -r;
		return fail("veth pairs", NULL);
	}
	for (unsigned i = 0; i < 4; i++) {
		char path[80];

		snprintf(path, sizeof(path), "/proc/sys/net/ipv6/conf/%s/disable_ipv6",
			 netdevs[i]);
		veth_write(path, "1");
		if (veth_up(netdevs[i], 0))
			return fail(netdevs[i], NULL);
	}
	go_first();
	sender = fork();
	if (sender == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(send_for_ever("a0", (uint32_t)atoi(argv[2])));
	}
	r = strcmp(argv[1], "switch") == 0 ? through_switch(ns) : through_bare_loop(ns);
	kill(sender, SIGKILL);
	waitpid(sender, NULL, 0);
	return r;
}
