/* SPDX-License-Identifier: BSD-2-Clause */
/* probe_ask.c - what is sent to a host, and in which order. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "rocetune/frame.h"
#include "rocetune/profile.h"
#include "run/probe_text.h"
#include "run/probe_work.h"
#include "wire/build.h"

#define SECOND_NS    INT64_C(1000000000)
#define WAIT_NS      (SECOND_NS / 2)
#define LOAD_WAIT_NS (SECOND_NS / 5)
/* Hosts send few ICMP errors: Linux one a second to one peer, six at once. */
#define TRIES        3u
#define SILENT_HOPS  4u

static int send_one(struct rt_probing *probing, struct rt_probe_send send,
		    struct rt_probe_reply *reply)
{
	send.to_listener = probing->listener && !send.ttl;
	probing->probed->packets++;
	return rt_prober_send(probing->prober, &send, probing->request->stop_fd, reply,
			      probing->err);
}

static bool has_arrived(const struct rt_probe_reply *reply)
{
	return reply->event == RT_PROBE_ANSWERED ||
	       reply->event == RT_PROBE_PORT_CLOSED;
}

/* --- is there anybody ------------------------------------------------------------- */

/* The listener's port first: closed, it tells as well as another. */
static int find_way(struct rt_probing *probing)
{
	struct rt_probed *probed = probing->probed;
	struct rt_probe_reply reply = { 0 };
	int r = 0;

	for (unsigned i = 0; i < TRIES && r == 0 && !has_arrived(&reply); i++) {
		probing->listener = i != 1;
		r = send_one(probing, (struct rt_probe_send){ .wait_ns = WAIT_NS },
			     &reply);
		if (reply.event == RT_PROBE_UNREACHABLE)
			probed->refused_by = reply.from;
	}
	probing->listener = reply.event == RT_PROBE_ANSWERED;
	if (r < 0 || !has_arrived(&reply))
		return r;
	probed->refused_by = (struct rt_ip){ 0 };
	probed->rtt_ns = RT_KNOWN_U64(reply.rtt_ns);
	if (probing->listener)
		probed->way = RT_PROBE_BY_LISTENER;
	else if (reply.tos.known)
		probed->way = RT_PROBE_BY_QUOTES;
	/* TTLs begin at 64. */
	if (reply.ttl.known && reply.ttl.value <= 64)
		probed->hop_count = RT_KNOWN_U64(65 - reply.ttl.value);
	return 0;
}

/* --- marks ------------------------------------------------------------------------ */

static void take_mark(struct rt_probed *probed, const struct rt_probe_reply *reply,
		      struct rt_probe_mark *mark)
{
	mark->event = reply->event;
	mark->outcome = rt_probe_outcome(reply->event);
	if (!has_arrived(reply))
		return;
	mark->rtt_ns = RT_KNOWN_U64(reply->rtt_ns);
	/* The first of all had to wait for its next hop's address to be found. */
	if (reply->rtt_ns < probed->rtt_ns.value)
		probed->rtt_ns = mark->rtt_ns;
	if (reply->tos.known) {
		mark->dscp_came = RT_KNOWN_U64(reply->tos.value >> 2);
		rt_probe_ecn_text(reply->tos.value, mark->ecn_came);
		rt_probe_tos_text(reply->tos.value, mark->came_as);
	}
	if (reply->back_tos.known) {
		mark->dscp_back = RT_KNOWN_U64(reply->back_tos.value >> 2);
		rt_probe_ecn_text(reply->back_tos.value, mark->ecn_back);
		rt_probe_tos_text(reply->back_tos.value, mark->back_as);
	}
}

/* A host that was silent once may have said enough for this second. */
static int try_mark(struct rt_probing *probing, unsigned dscp, unsigned ecn)
{
	struct rt_probed *probed = probing->probed;
	struct rt_probe_mark *mark = &probed->marks[probed->mark_count];
	struct rt_probe_reply reply = { 0 };
	int r = 0;

	if (probed->mark_count == RT_PROBE_MARKS)
		return 0;
	probed->mark_count++;
	mark->dscp = dscp;
	rt_probe_ecn_text(ecn, mark->ecn);
	rt_probe_tos_text(dscp << 2 | ecn, mark->sent_as);
	for (unsigned i = 0; i < TRIES && r == 0 && !has_arrived(&reply); i++) {
		const struct rt_probe_send send = {
			.tos = (uint8_t)(dscp << 2 | ecn),
			.wait_ns = i ? SECOND_NS : WAIT_NS,
		};

		mark->sent++;
		r = send_one(probing, send, &reply);
	}
	if (r == 0)
		take_mark(probed, &reply, mark);
	return r;
}

/* What the profile's classes send, beside the data; bits. */
static uint64_t other_dscps(const struct rt_profile *profile, unsigned data)
{
	uint64_t mask = 0;

	for (size_t i = 0; profile && i < profile->class_count; i++) {
		const struct rt_class *class = &profile->classes[i];

		/* Not those of a class that is the rest. */
		if (rt_setting_known(&class->dscp) &&
		    __builtin_popcountll(class->dscp.number) <= 4)
			mask |= class->dscp.number;
	}
	return mask & ~(UINT64_C(1) << data);
}

static int try_marks(struct rt_probing *probing, const struct rt_profile *profile)
{
	const unsigned data = probing->probed->dscp;
	const uint64_t others = other_dscps(profile, data);
	int r = try_mark(probing, data, RT_ECN_ECT0);

	if (r == 0)
		r = try_mark(probing, data, RT_ECN_NOT_ECT);
	if (r == 0)
		r = try_mark(probing, data, RT_ECN_ECT1);
	if (r == 0)
		r = try_mark(probing, data, RT_ECN_CE);
	for (unsigned dscp = 0; dscp < 64 && r == 0; dscp++)
		if (others >> dscp & 1)
			r = try_mark(probing, dscp, RT_ECN_ECT0);
	return r;
}

/* --- sizes ------------------------------------------------------------------------ */

/* The data's marks, unless these do not get through at any size. */
static uint8_t size_tos(const struct rt_probed *probed)
{
	const bool lost = probed->mark_count && !probed->marks[0].rtt_ns.known;

	return (uint8_t)(probed->dscp << 2 | (lost ? RT_ECN_NOT_ECT : RT_ECN_ECT0));
}

static int try_size(struct rt_probing *probing, uint32_t ip_bytes,
		    struct rt_probe_size *ret_size)
{
	const struct rt_probe_send send = {
		.tos = size_tos(probing->probed),
		.ip_bytes = ip_bytes,
		.large_answer = true,
		.wait_ns = SECOND_NS,
	};
	struct rt_probe_reply reply = { 0 };
	int r = 0;

	for (unsigned i = 0; i < 2 && r == 0 && reply.event == RT_PROBE_SILENCE; i++)
		r = send_one(probing, send, &reply);
	*ret_size = (struct rt_probe_size){ .ip_bytes = ip_bytes,
					    .event = reply.event,
					    .outcome = rt_probe_outcome(reply.event),
					    .from = reply.from,
					    .mtu_bytes = reply.mtu_bytes,
					    .back_bytes = reply.back_bytes };
	return r;
}

static uint32_t around_bytes(const struct rt_probing *probing)
{
	return probing->about.address.version == 6 ? RT_ROCE_AROUND_V6
						   : RT_ROCE_AROUND_V4;
}

/* The largest that is below: of RoCE MTUs with their headers. */
static uint32_t next_size(const struct rt_probing *probing, uint32_t below)
{
	const uint32_t headers = around_bytes(probing);

	for (uint32_t mtu = 4096; mtu >= 256; mtu /= 2)
		if (mtu + headers < below)
			return mtu + headers;
	return 0;
}

/* From our own link's size downwards, until one arrives; what routers tell is tried. */
static int try_sizes(struct rt_probing *probing)
{
	struct rt_probed *probed = probing->probed;
	const uint64_t local = probed->local_mtu_bytes.known
				       ? probed->local_mtu_bytes.value
				       : 1500;
	uint32_t bytes = local > 65535 ? 65535 : (uint32_t)local;
	int r = 0;

	while (bytes && probed->size_count < RT_PROBE_SIZES && r == 0) {
		struct rt_probe_size *size = &probed->sizes[probed->size_count];

		r = try_size(probing, bytes, size);
		if (r < 0)
			break;
		probed->size_count++;
		if (size->event == RT_PROBE_ANSWERED ||
		    size->event == RT_PROBE_PORT_CLOSED) {
			probed->path_mtu_bytes = RT_KNOWN_U64(bytes);
			break;
		}
		probed->mtu_below_bytes = RT_KNOWN_U64(bytes);
		if (size->event == RT_PROBE_SILENCE)
			probed->mtu_silent = true;
		if (size->mtu_bytes.known && size->mtu_bytes.value < bytes &&
		    size->mtu_bytes.value >= RT_PROBE_SMALL_BYTES)
			bytes = (uint32_t)size->mtu_bytes.value;
		else
			bytes = next_size(probing, bytes);
	}
	return r;
}

static void reckon_mtus(struct rt_probing *probing, const struct rt_profile *profile)
{
	struct rt_probed *probed = probing->probed;
	const uint32_t headers = around_bytes(probing);

	for (uint32_t mtu = 4096; mtu >= 256; mtu /= 2) {
		if (!probed->roce_mtu_bytes.known && probed->path_mtu_bytes.known &&
		    mtu + headers <= probed->path_mtu_bytes.value)
			probed->roce_mtu_bytes = RT_KNOWN_U64(mtu);
		if (!probed->roce_mtu_wanted_bytes.known &&
		    probed->local_mtu_bytes.known &&
		    mtu + headers <= probed->local_mtu_bytes.value) {
			probed->roce_mtu_wanted_bytes = RT_KNOWN_U64(mtu);
			probed->roce_mtu_from = "our own link allows it";
		}
	}
	if (profile && rt_setting_known(&profile->match.roce_mtu)) {
		probed->roce_mtu_wanted_bytes = RT_KNOWN_U64(
			profile->match.roce_mtu.number);
		probed->roce_mtu_from = "the profile's roce_mtu";
	}
	for (size_t i = 0; i < probed->size_count; i++)
		if (probed->sizes[i].back_bytes.known)
			probed->path_mtu_back_bytes = probed->sizes[i].back_bytes;
}

/* --- hops and load ---------------------------------------------------------------- */

static void take_hop(const struct rt_probing *probing,
		     const struct rt_probe_reply *reply, struct rt_probe_hop *hop)
{
	const unsigned dscp = probing->probed->dscp;

	hop->from = reply->from;
	if (!reply->tos.known)
		return;
	hop->dscp = RT_KNOWN_U64(reply->tos.value >> 2);
	rt_probe_ecn_text(reply->tos.value, hop->ecn);
	rt_probe_tos_text(reply->tos.value, hop->came_as);
	if (hop->dscp.value != dscp)
		snprintf(hop->changed, sizeof(hop->changed), "DSCP %u became %u", dscp,
			 (unsigned)hop->dscp.value);
	else if (strcmp(hop->ecn, "ect0") != 0)
		snprintf(hop->changed, sizeof(hop->changed), "ECT(0) became %s",
			 rt_probe_ecn_label(hop->ecn));
}

static int try_hops(struct rt_probing *probing)
{
	struct rt_probed *probed = probing->probed;
	const uint64_t last = probed->hop_count.known ? probed->hop_count.value
						      : RT_PROBE_HOPS;
	unsigned silent = 0;
	bool end = false;
	int r = 0;

	for (uint32_t ttl = 1; ttl <= last && ttl <= RT_PROBE_HOPS && r == 0 && !end &&
			       silent < SILENT_HOPS;
	     ttl++) {
		const struct rt_probe_send send = {
			.tos = (uint8_t)(probed->dscp << 2 | RT_ECN_ECT0),
			.ttl = (uint8_t)ttl,
			.wait_ns = WAIT_NS,
		};
		struct rt_probe_hop *hop = &probed->hops[probed->hop_rows];
		struct rt_probe_reply reply = { 0 };

		for (unsigned i = 0; i < 2 && r == 0 && !reply.from.version; i++)
			r = send_one(probing, send, &reply);
		if (r < 0)
			break;
		probed->hop_rows++;
		hop->hop = ttl;
		take_hop(probing, &reply, hop);
		silent = reply.from.version ? 0 : silent + 1;
		end = has_arrived(&reply) || reply.event == RT_PROBE_UNREACHABLE;
	}
	return r;
}

/* Many of them, while something else loads the path. */
static int try_load(struct rt_probing *probing)
{
	struct rt_probed *probed = probing->probed;
	const int64_t until_ns = rt_clock_ns(CLOCK_MONOTONIC) +
				 (int64_t)probing->request->load_ns.value;
	uint64_t sent = 0, came = 0, told = 0, marked = 0;
	int r = 0;

	while (rt_clock_ns(CLOCK_MONOTONIC) < until_ns && r == 0) {
		const struct rt_probe_send send = {
			.tos = (uint8_t)(probed->dscp << 2 | RT_ECN_ECT0),
			.wait_ns = LOAD_WAIT_NS,
		};
		struct rt_probe_reply reply = { 0 };

		sent++;
		r = send_one(probing, send, &reply);
		came += r == 0 && has_arrived(&reply);
		if (r == 0 && has_arrived(&reply) && reply.tos.known) {
			told++;
			marked += (reply.tos.value & 3) == RT_ECN_CE;
		}
	}
	probed->load_sent = RT_KNOWN_U64(sent);
	/* What arrived may not tell how it did. */
	if (told || !came)
		probed->load_came = RT_KNOWN_U64(told);
	if (told)
		probed->load_ce = RT_KNOWN_U64(marked);
	return r;
}

/* --- all of it -------------------------------------------------------------------- */

int rt_probe_ask_all(struct rt_probing *probing, const struct rt_profile *profile)
{
	struct rt_probed *probed = probing->probed;
	int r = find_way(probing);

	/* Nobody there: routers may still tell of the way. */
	if (r == 0 && probed->rtt_ns.known)
		r = try_marks(probing, profile);
	if (r == 0 && probed->rtt_ns.known)
		r = try_sizes(probing);
	reckon_mtus(probing, profile);
	if (r == 0 && probing->request->hops && probing->about.sees_quotes)
		r = try_hops(probing);
	if (r == 0 && probing->request->load_ns.known && probed->rtt_ns.known)
		r = try_load(probing);
	return r;
}
