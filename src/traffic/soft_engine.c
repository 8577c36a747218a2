/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * soft_engine.c - soft endpoints on an interface of this host, over AF_PACKET.
 *
 * UDP port 4791 of the address is bound and never read, so that the kernel does not
 * answer the same frames with "port unreachable".  Who has nothing to do sleeps until
 * the next frame is due, to the nanosecond as far as the kernel can.
 */
#include <errno.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/own.h"
#include "kern/kern.h"
#include "kern/route.h"
#include "model/counters.h"
#include "model/fabric_config.h"
#include "pktio/ring.h"
#include "rocetune/err.h"
#include "traffic/engine.h"
#include "traffic/soft.h"
#include "traffic/soft_engine.h"
#include "traffic/soft_pick.h"
#include "wire/build.h"

#define WAIT_MS          2000             /* for a MAC address */
#define LOOK_NS          INT64_C(1000000) /* at wake_fd, at least */
#define FULL_NS          INT64_C(50000)   /* an interface without room is asked again */
#define AWAY_NS          INT64_C(1000000) /* less is no absence */
#define RECEIVE_BATCH    64u
#define RECEIVE_BATCHES  4u /* before something is sent again */
#define RING_MS          20 /* of the line rate, but ... */
#define RING_BYTES_MIN   (4u << 20)
#define RING_BYTES_MAX   (32u << 20)
#define DEFAULT_RATE_BPS UINT64_C(10000000000)

struct soft_engine {
	struct rt_engine engine; /* first */
	struct rt_soft *soft;
	struct rt_ring *ring;
	int port_fd; /* UDP 4791, bound */
	struct rt_soft_place place;
	uint32_t mtu_bytes;
	int old_slack_ns;
	struct iovec out[RT_SOFT_BATCH]; /* made, and not taken by the interface yet */
	unsigned out_at, out_count;
	int64_t looked_ns; /* at wake_fd */
	int64_t at_ns;     /* when it last looked at frames; 0: not since begin */
	int64_t due_ns;    /* when it wanted to look again */
	uint64_t away_ns, late_max_ns; /* since rt_engine_ops.health was asked */
};

static struct soft_engine *of(struct rt_engine *engine)
{
	return (struct soft_engine *)engine;
}

static const struct soft_engine *of_const(const struct rt_engine *engine)
{
	return (const struct soft_engine *)engine;
}

/* --- open ----------------------------------------------------------------------- */

/* A filter of one instruction: nothing. */
static int drop_all(int fd)
{
	struct sock_filter nothing = BPF_STMT(BPF_RET | BPF_K, 0);
	const struct sock_fprog program = { .len = 1, .filter = &nothing };

	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) <
			       0
		       ? -errno
		       : 0;
}

static int bind_port(struct soft_engine *soft, struct rt_err *err)
{
	const struct rt_soft_place *place = &soft->place;
	struct sockaddr_in v4 = { .sin_family = AF_INET,
				  .sin_port = htons(RT_ROCE_UDP_PORT) };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6,
				   .sin6_port = htons(RT_ROCE_UDP_PORT),
				   .sin6_scope_id = place->ifindex };
	const bool is_v6 = place->ip.version == 6;
	char text[RT_IP_TEXT_BYTES];
	int r;

	memcpy(&v4.sin_addr, place->ip.bytes, 4);
	memcpy(&v6.sin6_addr, place->ip.bytes, 16);
	soft->port_fd = socket(is_v6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC,
			       0);
	if (soft->port_fd < 0)
		return rt_err_sys(err, -errno, "cannot open a UDP socket");
	r = drop_all(soft->port_fd);
	if (r == 0 &&
	    (is_v6 ? bind(soft->port_fd, (struct sockaddr *)&v6, sizeof(v6))
		   : bind(soft->port_fd, (struct sockaddr *)&v4, sizeof(v4))) < 0)
		r = -errno;
	rt_ip_format(&place->ip, text);
	if (r == -EADDRINUSE)
		return rt_err_set(err, r,
				  "%s: UDP port 4791 is somebody's already: another "
				  "soft engine, or a software RDMA device; several "
				  "agents on one machine work with --engine null, or "
				  "in a fabric of `rocetune lab run`",
				  text);
	return r < 0 ? rt_err_sys(err, r, "%s: cannot bind UDP port 4791", text) : 0;
}

/* The largest path MTU that the interface takes, and no more than is wanted. */
static int choose_mtu(struct soft_engine *soft, uint32_t asked, uint32_t most,
		      struct rt_err *err)
{
	const uint32_t room = rt_ring_mtu_bytes(soft->ring);
	uint32_t mtu = RT_SOFT_MTU_MAX;

	if (asked && asked + RT_ROCE_AROUND_V6 > room)
		return rt_err_set(
			err, -EMSGSIZE,
			"%s: a path MTU of %u bytes needs an interface MTU of "
			"%u, and it is %u",
			soft->place.netdev, asked, asked + RT_ROCE_AROUND_V6, room);
	while (mtu > RT_SOFT_MTU_MIN && (mtu + RT_ROCE_AROUND_V6 > room || mtu > most))
		mtu /= 2;
	if (mtu + RT_ROCE_AROUND_V6 > room)
		return rt_err_set(err, -EMSGSIZE,
				  "%s: its MTU of %u bytes is too small for RoCE",
				  soft->place.netdev, room);
	soft->mtu_bytes = asked ? asked : mtu;
	return 0;
}

static uint64_t seed(void)
{
	uint64_t word = 0;

	if (getrandom(&word, sizeof(word), GRND_NONBLOCK) != sizeof(word))
		word = (uint64_t)rt_monotonic_ns();
	return word;
}

static void default_laws(struct rt_fabric_config *laws, uint64_t rate_bps)
{
	struct rt_scenario scenario;

	rt_scenario_init(&scenario);
	scenario.topology.speed_bps = scenario.topology.fabric_speed_bps = rate_bps;
	rt_fabric_config_init(laws, &scenario);
}

static uint64_t line_rate_bps(const struct soft_engine *soft,
			      const struct rt_engine_config *config)
{
	if (config->line_rate_bps)
		return config->line_rate_bps;
	if (config->laws)
		return config->laws->rp.line_rate_bps;
	return soft->place.speed_bps.known && soft->place.speed_bps.value
		       ? soft->place.speed_bps.value
		       : DEFAULT_RATE_BPS;
}

/* What comes while the process is off its processor. */
static size_t ring_bytes(uint64_t rate_bps)
{
	const uint64_t bytes = rate_bps / 8 * RING_MS / 1000;

	if (bytes < RING_BYTES_MIN)
		return RING_BYTES_MIN;
	return bytes < RING_BYTES_MAX ? (size_t)bytes : RING_BYTES_MAX;
}

static int open_endpoints(struct soft_engine *soft,
			  const struct rt_engine_config *config, struct rt_err *err)
{
	struct rt_soft_config own = { .ip = soft->place.ip,
				      .line_rate_bps = line_rate_bps(soft, config),
				      .laws = config->laws,
				      .ack_timeout_code = config->ack_timeout_code,
				      .retry_count = config->retry_count,
				      .faults = config->faults,
				      .seed = seed(),
				      .now_ns = rt_monotonic_ns() };
	RT_AUTO(rt_auto_free) struct rt_fabric_config *laws = malloc(sizeof(*laws));
	int r;

	if (!laws)
		return rt_err_set(err, -ENOMEM, "out of memory");
	if (!own.laws) {
		default_laws(laws, own.line_rate_bps);
		own.laws = laws;
	}
	r = choose_mtu(soft, config->mtu_bytes, own.laws->mtu_bytes, err);
	if (r < 0)
		return r;
	own.mtu_bytes = soft->mtu_bytes;
	rt_ring_mac(soft->ring, own.mac);
	return rt_soft_new(&own, &soft->soft, err);
}

static void soft_close(struct rt_engine *engine)
{
	struct soft_engine *soft = of(engine);

	rt_soft_free(soft->soft);
	rt_ring_close(soft->ring);
	if (soft->port_fd >= 0)
		close(soft->port_fd);
	if (soft->old_slack_ns > 0)
		prctl(PR_SET_TIMERSLACK, soft->old_slack_ns, 0, 0, 0);
	free(soft);
}

static int open_parts(struct soft_engine *soft, const struct rt_engine_config *config,
		      struct rt_err *err)
{
	struct rt_ring_config ring = { .filter = RT_RING_ROCE };
	RT_AUTO(rt_auto_kern_close) struct rt_kern *kern = NULL;
	int r = rt_kern_open_live(&kern, err);

	if (r == 0)
		r = rt_soft_pick(kern, config->netdev, &config->ip, &soft->place, err);
	if (r == 0)
		r = bind_port(soft, err);
	ring.netdev = soft->place.netdev;
	ring.ring_bytes = ring_bytes(line_rate_bps(soft, config));
	if (r == 0)
		r = rt_ring_open(&ring, &soft->ring, err);
	if (r == 0)
		r = open_endpoints(soft, config, err);
	return r;
}

static int soft_open(const struct rt_engine_config *config,
		     struct rt_engine **ret_engine, struct rt_err *err)
{
	struct soft_engine *soft = calloc(1, sizeof(*soft));
	int r;

	if (!soft)
		return rt_err_set(err, -ENOMEM, "out of memory");
	soft->engine.ops = &rt_engine_soft;
	soft->port_fd = -1;
	r = open_parts(soft, config, err);
	if (r < 0) {
		soft_close(&soft->engine);
		return r;
	}
	/* Else the kernel may let it sleep 50 us longer than it asked for. */
	soft->old_slack_ns = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
	prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	*ret_engine = &soft->engine;
	return 0;
}

static void soft_about(const struct rt_engine *engine,
		       struct rt_engine_about *ret_about)
{
	const struct soft_engine *soft = of_const(engine);
	struct rt_engine_about about = { .engine = "soft",
					 .ip = soft->place.ip,
					 .gid_type = "RoCE v2",
					 .mtu_bytes = soft->mtu_bytes,
					 .speed_bps = soft->place.speed_bps,
					 .transport = "user space over AF_PACKET" };

	memcpy(about.netdev, soft->place.netdev, sizeof(about.netdev));
	memcpy(about.chosen, soft->place.chosen, sizeof(about.chosen));
	*ret_about = about;
}

/* --- queue pairs ------------------------------------------------------------------ */

static int soft_qp_create(struct rt_engine *engine, const struct rt_traffic_flow *flow,
			  bool sends, unsigned *ret_index,
			  struct rt_qp_address *ret_address, struct rt_err *err)
{
	return rt_soft_qp_create(of(engine)->soft, flow, sends, ret_index, ret_address,
				 err);
}

static bool has_mac(const struct rt_qp_address *peer)
{
	static const uint8_t none[6];

	return memcmp(peer->mac, none, sizeof(none)) != 0;
}

static int soft_qp_connect(struct rt_engine *engine, unsigned index,
			   const struct rt_qp_address *peer, struct rt_err *err)
{
	struct soft_engine *soft = of(engine);
	uint8_t mac[6];

	memcpy(mac, peer->mac, sizeof(mac));
	if (!has_mac(peer) || !rt_soft_on_link(&soft->place, &peer->ip)) {
		int r = rt_next_hop(&peer->ip, soft->place.ifindex, WAIT_MS, mac, err);

		if (r < 0)
			return r;
	}
	return rt_soft_qp_connect(soft->soft, index, peer, mac, err);
}

static void soft_begin(struct rt_engine *engine, int64_t epoch_ns)
{
	struct soft_engine *soft = of(engine);

	soft->at_ns = 0;
	rt_soft_begin(soft->soft, epoch_ns);
}

static void soft_qp_stop(struct rt_engine *engine, unsigned index)
{
	rt_soft_qp_stop(of(engine)->soft, index);
}

static void soft_qp_cut(struct rt_engine *engine, unsigned index)
{
	rt_soft_qp_cut(of(engine)->soft, index);
}

static void soft_totals(const struct rt_engine *engine, unsigned index,
			struct rt_qp_totals *ret_totals)
{
	rt_soft_totals(of_const(engine)->soft, index, ret_totals);
}

static void soft_latency(struct rt_engine *engine, unsigned index,
			 struct rt_histogram *into)
{
	rt_soft_latency(of(engine)->soft, index, into);
}

void rt_soft_engine_strays(struct rt_engine *engine, struct rt_soft_strays *ret_strays,
			   uint64_t *ret_ring_dropped)
{
	struct rt_ring_stats stats;

	rt_soft_strays(of(engine)->soft, ret_strays);
	rt_ring_stats(of(engine)->ring, &stats);
	*ret_ring_dropped = stats.dropped;
}

static void soft_health(struct rt_engine *engine, struct rt_engine_health *ret_health)
{
	struct soft_engine *soft = of(engine);
	struct rt_soft_strays strays;
	uint64_t dropped;

	rt_soft_engine_strays(engine, &strays, &dropped);
	*ret_health = (struct rt_engine_health){
		.ring_drops = RT_KNOWN_U64(dropped),
		.strays = RT_KNOWN_U64(strays.bad_icrc + strays.unknown_qp +
				       strays.malformed),
		.away_ns = RT_KNOWN_U64(soft->away_ns),
		.late_max_ns = RT_KNOWN_U64(soft->late_max_ns),
	};
	soft->away_ns = soft->late_max_ns = 0;
}

static int soft_counters(struct rt_engine *engine, struct rt_counter_set *set)
{
	struct soft_engine *soft = of(engine);
	struct rt_ring_stats stats;

	rt_ring_stats(soft->ring, &stats);
	memcpy(set->netdev, soft->place.netdev, sizeof(set->netdev));
	return rt_soft_counters(soft->soft, rt_monotonic_ns(), stats.dropped, set);
}

/* --- work ------------------------------------------------------------------------- */

/*
 * It looks now, for the first time since at_ns; a frame that came first_ns (of
 * CLOCK_REALTIME; 0: none did) has waited for it as much as what was due by itself.
 */
static void note_absence(struct soft_engine *soft, int64_t now_ns, int64_t first_ns)
{
	const int64_t since_ns = now_ns - soft->at_ns;
	const bool looked = soft->at_ns != 0;
	int64_t late_ns = now_ns - soft->due_ns;

	soft->at_ns = now_ns;
	if (!looked || since_ns < AWAY_NS)
		return;
	if (first_ns) {
		const int64_t waited_ns = rt_clock_ns(CLOCK_REALTIME) - first_ns;

		late_ns = waited_ns > late_ns ? waited_ns : late_ns;
	}
	/* Whatever the clocks say, it was there until then. */
	late_ns = late_ns < since_ns ? late_ns : since_ns;
	if (late_ns < AWAY_NS)
		return;
	soft->away_ns += (uint64_t)late_ns;
	if ((uint64_t)late_ns > soft->late_max_ns)
		soft->late_max_ns = (uint64_t)late_ns;
}

static unsigned receive(struct soft_engine *soft, int64_t at_ns)
{
	/* Frames are stamped by the clock of the world. */
	const int64_t world_ns = rt_clock_ns(CLOCK_REALTIME) - at_ns;
	struct rt_ring_frame frames[RECEIVE_BATCH];
	unsigned total = 0, count = RECEIVE_BATCH;

	for (unsigned i = 0; i < RECEIVE_BATCHES && count == RECEIVE_BATCH; i++) {
		count = rt_ring_receive(soft->ring, frames, RECEIVE_BATCH);
		if (i == 0)
			note_absence(soft, at_ns, count ? frames[0].time_ns : 0);
		for (unsigned k = 0; k < count; k++)
			rt_soft_receive_late(soft->soft, frames[k].data,
					     frames[k].bytes,
					     frames[k].time_ns - world_ns, at_ns);
		rt_ring_release(soft->ring);
		total += count;
	}
	return total;
}

/*
 * Frames that the interface has no room for wait; those that a link that is down takes
 * are lost as on a wire that is cut, and the time-outs of their queue pairs tell.
 */
static int transmit(struct soft_engine *soft, int64_t at_ns, unsigned *ret_sent,
		    struct rt_err *err)
{
	struct rt_err why;
	int r;

	*ret_sent = 0;
	if (!soft->out_count) {
		soft->out_at = 0;
		soft->out_count = rt_soft_transmit(soft->soft, at_ns, soft->out,
						   RT_SOFT_BATCH);
	}
	if (!soft->out_count)
		return 0;
	r = rt_ring_send(soft->ring, soft->out + soft->out_at, soft->out_count, &why);
	if (r == -ENETDOWN)
		r = (int)soft->out_count;
	if (r < 0)
		return rt_err_set(err, r, "%s", why.msg);
	soft->out_at += (unsigned)r;
	soft->out_count -= (unsigned)r;
	*ret_sent = (unsigned)r;
	return 0;
}

/* 1: wake_fd is readable; 0, or negative errno: the interface is gone. */
static int look(struct soft_engine *soft, int wake_fd, int64_t wait_ns,
		struct rt_err *err)
{
	struct pollfd fds[2] = { { .fd = rt_ring_fd(soft->ring), .events = POLLIN },
				 { .fd = wake_fd, .events = POLLIN } };
	const struct timespec wait = { .tv_sec = wait_ns / 1000000000,
				       .tv_nsec = wait_ns % 1000000000 };
	struct rt_err why;
	int r = ppoll(fds, 2, &wait, NULL);

	if (r < 0 && errno == EINTR)
		return 0;
	if (r < 0)
		return rt_err_sys(err, -errno, "cannot wait for frames");
	if (fds[0].revents & POLLERR) {
		r = rt_ring_error(soft->ring, &why);
		if (r < 0 && r != -ENETDOWN)
			return rt_err_set(err, r, "%s", why.msg);
	}
	return fds[1].revents != 0;
}

static int64_t wait_of(const struct soft_engine *soft, int64_t at_ns, int64_t until_ns)
{
	int64_t next_ns = rt_soft_next_ns(soft->soft);

	if (soft->out_count)
		next_ns = at_ns + FULL_NS;
	if (next_ns > until_ns)
		next_ns = until_ns;
	return next_ns > at_ns ? next_ns - at_ns : 0;
}

static int soft_work(struct rt_engine *engine, int64_t until_ns, int wake_fd,
		     struct rt_err *err)
{
	struct soft_engine *soft = of(engine);

	for (;;) {
		const int64_t at_ns = rt_monotonic_ns();
		unsigned received, sent;
		int64_t wait_ns = 0;
		int r;

		if (at_ns >= until_ns)
			return 0;
		received = receive(soft, at_ns);
		r = transmit(soft, at_ns, &sent, err);
		if (r < 0)
			return r;
		soft->due_ns = at_ns;
		if (!received && !sent)
			wait_ns = wait_of(soft, rt_monotonic_ns(), until_ns);
		else if (at_ns - soft->looked_ns < LOOK_NS)
			continue;
		soft->looked_ns = at_ns;
		soft->due_ns += wait_ns;
		r = look(soft, wake_fd, wait_ns, err);
		if (r)
			return r < 0 ? r : 0;
	}
}

const struct rt_engine_ops rt_engine_soft = {
	.name = "soft",
	.help = "RoCEv2 endpoints in user space, on any Ethernet interface that no "
		"RDMA "
		"device owns",
	.open = soft_open,
	.about = soft_about,
	.qp_create = soft_qp_create,
	.qp_connect = soft_qp_connect,
	.begin = soft_begin,
	.work = soft_work,
	.qp_stop = soft_qp_stop,
	.qp_cut = soft_qp_cut,
	.totals = soft_totals,
	.latency = soft_latency,
	.health = soft_health,
	.counters = soft_counters,
	.close = soft_close,
};
